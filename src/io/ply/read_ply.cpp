// SPDX-License-Identifier: MIT
// Reads PLY files of all three encodings into a still character.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

#include "io/formats.h"
#include "io/gltf/document.h"
#include "io/ply/layout.h"
#include "io/ply/rows.h"
#include "io/rounding.h"

namespace dermis {
namespace {

class PlyReader {
 public:
  PlyReader(const FileSource& source, const LoadOptions& options, const Progress& progress)
      : path_(source.path), options_(options), progress_(progress), body_(text_of(source.bytes)) {}

  Result<Asset> read() {
    Result<PlyHeader> header = parse_ply_header(body_, path_);
    if (!header) return header.error();
    header_ = std::move(*header);
    layouts_ = lay_out(header_);
    if (Status made = make_room(); !made) return made.error();
    if (Status going = progress_.at("reading points", 0); !going) return going.error();
    Status is_read = header_.format == PlyFormat::ascii ? read_text() : read_binary();
    if (!is_read) return is_read.error();
    if (Status going = progress_.at("joining polygons", 0.7); !going) return going.error();
    join_runs();
    note_losses();
    mend_attributes(mesh_, notes_);
    return still_asset({{}, std::move(notes_), nullptr}, std::move(mesh_), path_, options_);
  }

 private:
  Error fault(std::string sentence) const {
    return {Errc::bad_file, fmt::format("{}: {}", path_, std::move(sentence))};
  }

  // Arrays for all points, once their count is known to be possible.
  Status make_room() {
    const PlyElement* vertices = nullptr;
    const PlyLayout* layout = nullptr;
    for (std::size_t e = 0; e < layouts_.size(); ++e) {
      if (layouts_[e].role != PlyRole::vertices) continue;
      vertices = &header_.elements[e];
      layout = &layouts_[e];
    }
    if (vertices == nullptr) return fault("has no element 'vertex' with x, y and z");
    if (vertices->count > std::size_t{std::numeric_limits<Index>::max()})
      return fault(fmt::format("announces {} vertices, too many for 32-bit indices", vertices->count));
    // Text has at least two bytes for each value of a row, binary at least one.
    if (vertices->count > body_.size()) return cut_short(*vertices);
    MemoryBudget budget(options_.max_memory);
    if (!budget.take(vertices->count, sizeof(Vec3) * 2 + sizeof(Vec4) + sizeof(Vec2) + sizeof(Index))) {
      return over_memory(
          fmt::format("{}: {} vertices need more memory than allowed", path_, vertices->count));
    }
    if (!budget.take(most_corners(), kCornerBytes)) {
      return over_memory(fmt::format("{}: its polygons may need more memory than allowed", path_));
    }
    mesh_.points.resize(vertices->count);
    if (layout->has_normals) mesh_.normals.values.resize(vertices->count);
    if (layout->has_colours) mesh_.colours.emplace_back().values.resize(vertices->count);
    if (layout->has_uvs) mesh_.uvs.emplace_back().values.resize(vertices->count);
    return Done{};
  }

  // The maximum number of corners: text needs two bytes for each, binary the size of an index.
  std::uint64_t most_corners() const {
    std::uint64_t most = 0;
    for (std::size_t e = 0; e < layouts_.size(); ++e) {
      const PlyLayout& layout = layouts_[e];
      if (header_.elements[e].count == 0) continue;
      for (const PlyField& field : layout.fields) {
        if (field.use != PlyUse::points) continue;
        const std::uint64_t bytes = header_.format == PlyFormat::ascii ? 2 : size_of(field.property.type);
        // Every point of a strip except two makes a triangle.
        most = std::max(most, body_.size() / bytes * (layout.role == PlyRole::strips ? 3 : 1));
      }
    }
    return most;
  }

  Error cut_short(const PlyElement& element) const {
    return fault(
        fmt::format("cut short: {} rows of {} are announced", element.count, quoted_name(element.name)));
  }

  template <class Row>
  bool read_row(Row& row, std::size_t element, std::size_t item, PlyRun& run) {
    const PlyLayout& layout = layouts_[element];
    const bool is_read = layout.role == PlyRole::vertices ? read_vertex(row, layout, item, mesh_, run)
                                                          : read_lists(row, layout, mesh_.points.size(), run);
    if (!is_read) run.fault = fmt::format("{} {} {}", header_.elements[element].name, item, run.fault);
    return is_read;
  }

  // ---- Text: one row per line ----

  Status read_text() {
    const TextRows rows(body_);
    std::vector<std::size_t> first = {0};  // first row of each element, and of what follows the last
    for (const PlyElement& element : header_.elements) {
      if (element.count > rows.count() - first.back()) return cut_short(element);
      first.push_back(first.back() + element.count);
    }
    if (rows.count() > first.back()) {
      notes_.push_back(
          {Note::Kind::info, "rows-left-over",
           fmt::format("{} ignored", counted(rows.count() - first.back(), "line after the last element was",
                                             "lines after the last element were"))});
    }
    runs_.resize(rows.chunk_count());
    std::vector<std::size_t> element(rows.chunk_count(), 0);
    rows.walk([&](std::size_t chunk, std::size_t row, std::string_view line) {
      std::size_t& e = element[chunk];
      while (e < header_.elements.size() && row >= first[e + 1]) ++e;
      if (e == header_.elements.size()) return false;
      PlyTextRow words(line);
      return read_row(words, e, row - first[e], runs_[chunk]);
    });
    if (Status good = first_fault(); !good) return good;
    measure_text(rows, first);
    return Done{};
  }

  // ---- Bytes: row after row ----

  Status read_binary() {
    std::span<const std::byte> bytes = bytes_of(body_);
    for (std::size_t e = 0; e < header_.elements.size(); ++e) {
      const PlyElement& element = header_.elements[e];
      if (!element.has_lists()) {
        const std::size_t size = element.row_bytes();
        if (size > 0 && element.count > bytes.size() / size) return cut_short(element);
        if (layouts_[e].role == PlyRole::vertices) {
          read_fixed_rows(bytes, e, size);
          measure_fixed_rows(bytes, e);
        }
        bytes = bytes.subspan(element.count * size);
      } else {
        PlyRun& run = runs_.emplace_back();
        PlyBinaryRow row(bytes, header_.format);
        for (std::size_t item = 0; item < element.count; ++item) {
          if (!read_row(row, e, item, run)) break;
        }
        bytes = row.rest();
      }
      if (Status good = first_fault(); !good) return good;
    }
    if (!bytes.empty()) {
      notes_.push_back({Note::Kind::info, "rows-left-over",
                        fmt::format("{} ignored", counted(bytes.size(), "byte after the last element was",
                                                          "bytes after the last element were"))});
    }
    return Done{};
  }

  void read_fixed_rows(std::span<const std::byte> bytes, std::size_t element, std::size_t size) {
    constexpr std::size_t kGrain = 1 << 14;
    const std::size_t count = header_.elements[element].count, first = runs_.size();
    runs_.resize(first + (count + kGrain - 1) / kGrain);
    parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
      PlyBinaryRow row(bytes.subspan(begin * size), header_.format);
      PlyRun& run = runs_[first + begin / kGrain];
      for (std::size_t item = begin; item < end; ++item) {
        if (!read_row(row, element, item, run)) return;
      }
    });
  }

  // ---- Rounding: positions read again if floats may be too coarse ----

  // False at the end of the usable data: a list before the position is not supported.
  template <class Row>
  static bool measure_row(Row& row, const PlyLayout& layout, Rounding& rounding) {
    Vec3d point;
    for (const PlyField& field : layout.fields) {
      double number = 0;
      if (field.property.is_list() || !row.take(field.property.type, number)) return false;
      if (field.use <= PlyUse::z) point[static_cast<int>(field.use)] = number;
    }
    rounding.add(point);
    return true;
  }

  void measure_text(const TextRows& rows, std::span<const std::size_t> first) {
    if (!may_be_rounded(mesh_.points)) return;
    std::vector<Rounding> parts(rows.chunk_count());
    for (std::size_t e = 0; e < layouts_.size(); ++e) {
      if (layouts_[e].role != PlyRole::vertices) continue;
      rows.walk([&](std::size_t chunk, std::size_t row, std::string_view line) {
        if (row < first[e] || row >= first[e + 1]) return row < first[e];
        PlyTextRow words(line);
        return measure_row(words, layouts_[e], parts[chunk]);
      });
    }
    Rounding whole;
    for (const Rounding& part : parts) whole.add(part);
    whole.note(notes_);
  }

  void measure_fixed_rows(std::span<const std::byte> bytes, std::size_t element) {
    if (!may_be_rounded(mesh_.points)) return;
    Rounding whole;
    PlyBinaryRow row(bytes, header_.format);
    for (std::size_t item = 0; item < header_.elements[element].count; ++item) {
      if (!measure_row(row, layouts_[element], whole)) return;
    }
    whole.note(notes_);
  }

  // ---- Results of the runs ----

  Status first_fault() const {
    for (const PlyRun& run : runs_) {
      if (!run.fault.empty()) return fault(run.fault);
    }
    return Done{};
  }

  void join_runs() {
    PolygonBuilder polygons;
    std::size_t polygon_count = 0, corner_count = 0, extra_rows = 0, odd_texcoords = 0, without_uv = 0;
    for (const PlyRun& run : runs_) {
      polygon_count += run.polygons.count();
      corner_count += run.polygons.corner_count();
      extra_rows += run.extra_rows;
      odd_texcoords += run.odd_texcoords;
      without_uv += run.without_uv;
    }
    polygons.reserve(polygon_count, corner_count);
    for (const PlyRun& run : runs_) polygons.append(run.polygons);
    join_corner_uvs(corner_count);
    polygons.note_faults(notes_);
    mesh_.polygons = polygons.take();
    if (extra_rows > 0) {
      notes_.push_back({Note::Kind::info, "values-left-over",
                        fmt::format("{} more values than the header states; the excess was ignored",
                                    counted(extra_rows, "row has", "rows have"))});
    }
    if (without_uv > 0) {
      notes_.push_back(
          {Note::Kind::repair, "uvs-missing",
           fmt::format("{} given 0 0", counted(without_uv, "corner has no texture coordinate and was",
                                               "corners have no texture coordinate and were"))});
    }
    if (odd_texcoords > 0) {
      notes_.push_back({Note::Kind::repair, "texcoords-odd",
                        fmt::format("{} a wrong number of texture coordinates; set to zero",
                                    counted(odd_texcoords, "face has", "faces have"))});
    }
  }

  // Corners with the same coordinates share one value, so that points are not split needlessly.
  void join_corner_uvs(std::size_t corner_count) {
    const bool has_texcoords = std::any_of(layouts_.begin(), layouts_.end(),
                                           [](const PlyLayout& layout) { return layout.has_texcoords; });
    if (!has_texcoords || corner_count == 0) return;
    Attribute<Vec2> set;
    std::unordered_map<std::uint64_t, Index> known;
    set.corner_value.reserve(corner_count);
    for (const PlyRun& run : runs_) {
      for (const Vec2& uv : run.corner_uvs) {
        const auto [entry, is_new] =
            known.try_emplace(std::bit_cast<std::uint64_t>(uv), static_cast<Index>(set.values.size()));
        if (is_new) set.values.push_back(uv);
        set.corner_value.push_back(entry->second);
      }
    }
    mesh_.uvs.insert(mesh_.uvs.begin(), std::move(set));
  }

  void note_losses() {
    for (std::size_t e = 0; e < layouts_.size(); ++e) {
      const PlyElement& element = header_.elements[e];
      const PlyLayout& layout = layouts_[e];
      if (element.count == 0) continue;
      if (layout.role == PlyRole::other) {
        notes_.push_back(
            {Note::Kind::loss, "element-dropped",
             fmt::format("{} rows of element {} were left out", element.count, quoted_name(element.name))});
      } else if (!layout.dropped.empty()) {
        notes_.push_back(
            {Note::Kind::loss, "properties-dropped",
             fmt::format("of element {} these properties were left out: {}", quoted_name(element.name),
                         quoted_name(fmt::format("{}", fmt::join(layout.dropped, ", "))))});
      }
    }
    if (!header_.odd_lines.empty()) {
      notes_.push_back(
          {Note::Kind::info, "header-lines-ignored",
           fmt::format("{} with a word unknown in PLY, the first with {}; ignored",
                       counted(header_.odd_lines.size(), "header line starts", "header lines start"),
                       quoted_name(header_.odd_lines[0]))});
    }
    for (const std::string& file : header_.texture_files) {
      notes_.push_back({Note::Kind::loss, "texture-named",
                        fmt::format("it refers to the texture {}, which was left out", quoted_name(file))});
    }
  }

  // Per corner: its point, while it is read and in the mesh.
  static constexpr std::uint64_t kCornerBytes = 2 * sizeof(Index);

  const std::string& path_;
  const LoadOptions& options_;
  const Progress& progress_;
  std::string_view body_;
  PlyHeader header_;
  std::vector<PlyLayout> layouts_;
  std::vector<PlyRun> runs_;
  Mesh mesh_;
  Notes notes_;
};

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): every Reader owns its file
Result<Asset> read_ply(FileSource source, const LoadOptions& options, const Progress& progress) {
  return PlyReader(source, options, progress).read();
}

}  // namespace dermis
