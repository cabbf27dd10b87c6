// SPDX-License-Identifier: MIT
// Reads an OBJ as a character: one mesh with the points in file order, polygons unchanged, parts by label.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "io/formats.h"
#include "io/obj/obj.h"
#include "io/obj/parse_obj.h"
#include "io/rounding.h"
#include "io/source.h"
#include "io/still_character.h"
#include "io/text.h"

namespace dermis {
namespace {

// How much memory a mesh's text needs while it is read: faces with short numbers are the worst case.
constexpr std::uint64_t kBytesPerTextByte = 8;

// True if a comment starts before `at` in its line: a path such as C:\temp\ at its end is not a continuation.
bool is_in_comment(std::span<const char> text, std::size_t at) {
  while (at > 0 && text[at - 1] != '\n' && text[at - 1] != '\r' && text[at - 1] != kJoinedLine) {
    if (text[--at] == '#') return true;
  }
  return false;
}

// "f 1 2 \" continues in the next line: the backslash becomes a blank and the line end kJoinedLine, so that
// text positions and line numbers do not change.
void join_continued_lines(std::span<char> text) {
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    if (text[k] != '\\' || (text[k + 1] != '\n' && text[k + 1] != '\r') || is_in_comment(text, k)) continue;
    const bool is_windows = text[k + 1] == '\r' && k + 2 < text.size() && text[k + 2] == '\n';
    text[k] = ' ';
    text[k + 1] = is_windows ? ' ' : kJoinedLine;
    if (is_windows) text[k + 2] = kJoinedLine;
  }
}

// ---- Attributes ----

// The value of each corner that refers to one; `missing` for the others, which is then appended.
template <class Value>
Attribute<Value> corner_attribute(std::vector<Value> values, std::span<const ObjCorner> corners,
                                  Index ObjCorner::*member, const Value& missing, std::size_t point_count,
                                  std::size_t& missing_count) {
  Attribute<Value> attribute;
  missing_count = static_cast<std::size_t>(
      std::count_if(corners.begin(), corners.end(), [&](const ObjCorner& c) { return c.*member == kNone; }));
  // A point cloud has no faces that refer to them: if there is one per point, they belong to the points.
  if (corners.empty() && values.size() == point_count) {
    attribute.values = std::move(values);
    return attribute;
  }
  // If no face refers to them they are not on the surface.
  if (values.empty() || missing_count == corners.size()) return attribute;
  attribute.values = std::move(values);
  attribute.corner_value.resize(corners.size());
  const auto none = static_cast<Index>(attribute.values.size());
  if (missing_count > 0) attribute.values.push_back(missing);
  parallel_for(corners.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const Index value = corners[c].*member;
      attribute.corner_value[c] = value == kNone ? none : value;
    }
  });
  return attribute;
}

// A normal that is not finite keeps its index, and no corner uses it.
void forget_broken_normals(ObjContent& content) {
  if (content.bad_normal_count == 0) return;
  for (ObjCorner& corner : content.corners) {
    if (corner.normal != kNone && !is_finite(content.normals[static_cast<std::size_t>(corner.normal)]))
      corner.normal = kNone;
  }
  for (Vec3& normal : content.normals) normal = is_finite(normal) ? normal : Vec3{};
}

void take_attributes(ObjContent& content, Mesh& mesh, Notes& notes, ObjDocument& document) {
  std::size_t without_uv = 0, without_normal = 0;
  document.uvs = content.uvs;
  // glTF and the model measure v from the top of the picture.
  for (Vec2& uv : content.uvs) uv.y = 1 - uv.y;
  const std::size_t uv_count = content.uvs.size(), normal_count = content.normals.size();
  Attribute<Vec2> uvs = corner_attribute(std::move(content.uvs), content.corners, &ObjCorner::uv, Vec2{0, 1},
                                         mesh.points.size(), without_uv);
  if (uvs.values.size() > uv_count) {
    document.missing_uv = static_cast<Index>(uv_count);
    notes.push_back(
        {Note::Kind::repair, "uvs-missing",
         fmt::format("{} given 0 0", counted(without_uv, "corner has no texture coordinate and was",
                                             "corners have no texture coordinate and were"))});
  }
  if (uvs.empty() && uv_count > 0) {
    document.uvs.clear();
    notes.push_back({Note::Kind::loss, "uvs-unused",
                     fmt::format("{} left out", counted(uv_count, "texture coordinate that no face uses was",
                                                        "texture coordinates that no face uses were"))});
  }
  if (!uvs.empty()) mesh.uvs.push_back(std::move(uvs));
  forget_broken_normals(content);
  // A normal of zero length means "none here".
  mesh.normals = corner_attribute(std::move(content.normals), content.corners, &ObjCorner::normal, Vec3{},
                                  mesh.points.size(), without_normal);
  if (mesh.normals.values.size() > normal_count) {
    document.missing_normal = static_cast<Index>(normal_count);
    notes.push_back(
        {Note::Kind::info, "normals-missing",
         fmt::format(
             "{} no normal although others have one; if a format needs one, it is computed from the polygon",
             counted(without_normal, "corner has", "corners have"))});
  }
  if (mesh.normals.empty() && normal_count > 0) {
    notes.push_back({Note::Kind::loss, "normals-unused",
                     fmt::format("{} left out", counted(normal_count, "normal that no face uses was",
                                                        "normals that no face uses were"))});
  }
  if (!content.colours.empty()) {
    mesh.colours.resize(1);
    for (const Vec3& c : content.colours) mesh.colours[0].values.push_back({c.x, c.y, c.z, 1});
    const std::size_t without_colour = content.colours.size() - content.coloured_count;
    if (without_colour > 0) {
      notes.push_back(
          {Note::Kind::repair, "colours-missing",
           fmt::format("{} of {} points have no colour although others have one, and became white",
                       without_colour, content.colours.size())});
    }
  }
}

void take_polygons(const ObjContent& content, Mesh& mesh) {
  mesh.polygons.first.resize(content.polygon_size.size() + 1);
  std::uint32_t corner = 0;
  for (std::size_t p = 0; p < content.polygon_size.size(); ++p) {
    mesh.polygons.first[p] = corner;
    corner += content.polygon_size[p];
  }
  mesh.polygons.first.back() = corner;
  mesh.polygons.corners.resize(content.corners.size());
  for (std::size_t c = 0; c < content.corners.size(); ++c)
    mesh.polygons.corners[c] = content.corners[c].point;
}

// ---- Parts ----

class PartBuilder {
 public:
  PartBuilder(Mesh& mesh, MtlLibrary& library, const std::string& path)
      : mesh_(mesh), library_(library), path_(path) {}

  void build(const ObjContent& content) {
    for (const ObjLabel& label : content.labels) {
      if (label.kind == ObjLabel::Kind::library) add_library(label.words);
    }
    for (std::size_t k = 0; k < library_.materials.size(); ++k) {
      if (!numbers_.emplace(library_.materials[k].name, static_cast<Index>(k)).second)
        repeated_.push_back(quoted_name(library_.materials[k].name));
    }
    MeshPart now;
    for (const ObjLabel& label : content.labels) {
      close(now, static_cast<Index>(label.polygon));
      apply(label, now);
    }
    close(now, static_cast<Index>(mesh_.polygons.count()));
    note_faults();
    if (mesh_.parts.empty()) mesh_.parts.push_back(now);
    mesh_.parts[0].point_count = static_cast<Index>(mesh_.points.size());
    for (std::size_t p = 1; p < mesh_.parts.size(); ++p)
      mesh_.parts[p].first_point = static_cast<Index>(mesh_.points.size());
  }

 private:
  // Ends the open part before `polygon`; one without polygons is dropped.
  void close(MeshPart& now, Index polygon) {
    now.polygon_count = polygon - now.first_polygon;
    if (now.polygon_count > 0) mesh_.parts.push_back(now);
    now.first_polygon = polygon;
    now.polygon_count = 0;
  }

  void apply(const ObjLabel& label, MeshPart& now) {
    const std::string words(label.words);
    switch (label.kind) {
      case ObjLabel::Kind::object:
        now.object = words;
        break;
      case ObjLabel::Kind::groups:
        now.groups = words.empty() ? "default" : words;
        break;
      case ObjLabel::Kind::smoothing:
        now.smoothing = words;
        break;
      case ObjLabel::Kind::material:
        now.material = words.empty() ? kNone : material(words);
        break;
      case ObjLabel::Kind::library:
        break;
    }
  }

  Index material(const std::string& name) {
    const auto [found, is_new] = numbers_.emplace(name, static_cast<Index>(library_.materials.size()));
    if (is_new) {
      library_.materials.emplace_back();
      library_.materials.back().name = name;
      missing_.push_back(quoted_name(name));
    }
    return found->second;
  }

  void note_faults() {
    note_list("material-missing", missing_, "material is in no material file and is plain white",
              "materials are in no material file and are plain white");
    note_list("material-repeated", repeated_, "material has the name of an earlier one and no face uses it",
              "materials have the name of an earlier one and no face uses them");
  }
  void note_list(const char* id, std::vector<std::string>& names, const char* one, const char* many) {
    if (names.empty()) return;
    constexpr std::size_t kShown = 5;
    const std::size_t count = names.size();
    names.resize(std::min(count, kShown));
    library_.notes.push_back({Note::Kind::repair, id,
                              fmt::format("{}: {}: {}{}", path_, counted(count, one, many),
                                          fmt::join(names, ", "), count > kShown ? ", …" : "")});
  }

  // One name with blanks in it, or several names: existing files decide.
  void add_library(std::string_view words) {
    const std::string all(words);
    if (is_read(all)) return;
    const bool has_blanks = all.find_first_of(" \t") != std::string::npos;
    if (!has_blanks || !find_beside(library_.folder, library_.folder, all).empty()) {
      read(all);
      return;
    }
    for (std::string_view word = next_word(words); !word.empty(); word = next_word(words)) {
      if (!is_read(std::string(word))) read(std::string(word));
    }
  }

  bool is_read(const std::string& name) const {
    return std::find(read_.begin(), read_.end(), name) != read_.end();
  }
  void read(const std::string& name) {
    read_.push_back(name);
    read_mtl(name, library_);
  }

  Mesh& mesh_;
  MtlLibrary& library_;
  const std::string& path_;
  std::vector<std::string> read_;
  std::vector<std::string> missing_, repeated_;  // materials missing from all files, and repeated ones
  std::unordered_map<std::string, Index> numbers_;
};

void note_leftovers(const ObjContent& content, const std::string& path, Notes& notes) {
  const auto say = [&](Note::Kind kind, const char* id, std::size_t count, const char* one, const char* many,
                       const std::string& words) {
    if (count > 0)
      notes.push_back({kind, id, fmt::format("{}: {} {}", path, counted(count, one, many), words)});
  };
  using enum Note::Kind;
  say(loss, "lines-left-out", content.line_count, "line element was", "line elements were", "left out");
  say(loss, "points-left-out", content.point_element_count, "point element was", "point elements were",
      "left out; the points themselves are kept");
  say(loss, "free-form-left-out", content.free_form_count, "statement", "statements",
      "of free-form curves and surfaces left out");
  say(repair, "faces-short", content.short_face_count, "face with fewer than three corners was",
      "faces with fewer than three corners were", "left out");
  say(repair, "attribute-not-finite", content.bad_uv_count, "texture coordinate was",
      "texture coordinates were", "not finite and set to zero");
  say(loss, "uvs-third-dropped", content.uv_depth_count, "texture coordinate has", "texture coordinates have",
      "a third number, which was left out");
  say(loss, "rational-weights-dropped", content.rational_count, "point has", "points have",
      "a rational weight other than 1, which does not affect polygons and was left out");
  say(repair, "numbers-cut", content.cut_number_count, "coordinate continues", "coordinates continue",
      "after the number, as in \"3.1+e2\"; what follows the number was left out");
  say(repair, "attribute-not-finite", content.bad_colour_count, "colour was", "colours were",
      "not finite and became white");
  say(repair, "normals-not-finite", content.bad_normal_count, "normal was", "normals were",
      "not finite and became 0 0 0; corners with such a normal are treated as having none");
  say(repair, "uvs-out-of-range", content.lost_uv_count, "corner refers to", "corners refer to",
      "a texture coordinate that does not exist");
  say(repair, "normals-out-of-range", content.lost_normal_count, "corner refers to", "corners refer to",
      "a normal that does not exist");
  say(loss, "statements-unknown", content.unknown_count, "line starts", "lines start",
      fmt::format("with a word unknown in OBJ, the first with {}", quoted_name(content.first_unknown)));
}

}  // namespace

Result<Asset> read_obj(FileSource source, const LoadOptions& options, const Progress& progress) {
  const auto too_large = [&] {
    return over_memory(
        fmt::format("{}: may need more than the allowed {} bytes", source.path, options.max_memory));
  };
  if (source.bytes.size() > options.max_memory / kBytesPerTextByte) return too_large();
  join_continued_lines({reinterpret_cast<char*>(source.bytes.data()), source.bytes.size()});
  std::string_view text = text_of(source.bytes);
  if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE")) {
    return Error{Errc::unsupported,
                 fmt::format("{}: is UTF-16 text; save it as UTF-8 or ASCII", source.path)};
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  Result<ObjContent> content = parse_obj(text, source.path, progress);
  if (!content) return content.error();
  if (content->labels.size() > options.max_memory / kBytesPerTextByte / sizeof(MeshPart)) return too_large();
  Asset asset;
  note_leftovers(*content, source.path, asset.notes);
  Mesh mesh;
  ObjDocument document;
  mesh.points = std::move(content->points);
  if (may_be_rounded(mesh.points)) rounding_of_lines(text, "v").note(asset.notes);
  take_polygons(*content, mesh);
  take_attributes(*content, mesh, asset.notes, document);
  MtlLibrary library;
  library.folder = source.folder;
  PartBuilder(mesh, library, source.path).build(*content);
  asset.character.materials = std::move(library.materials);
  asset.character.images = std::move(library.images);
  asset.notes.insert(asset.notes.end(), library.notes.begin(), library.notes.end());
  asset.source = std::make_shared<SourceDocument>(SourceDocument{std::move(document)});
  return still_asset(std::move(asset), std::move(mesh), source.path, options);
}

}  // namespace dermis
