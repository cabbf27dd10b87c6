// SPDX-License-Identifier: MIT
// Reads STL files, text and binary: loose triangles joined into a mesh, solids as its parts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <limits>

#include "io/formats.h"
#include "io/gltf/document.h"
#include "io/rounding.h"
#include "io/still_character.h"
#include "io/text.h"

namespace dermis {
namespace {

constexpr std::size_t kHeaderBytes = 80, kCountBytes = 4, kFacetBytes = 50;

// Facets as stored in the file, corner by corner.
struct Facets {
  std::vector<Vec3> corners;
  std::vector<std::uint32_t> first{0};  // first corner of each facet, and the total count
  struct Solid {
    std::string name;
    std::size_t first_facet = 0;
  };
  std::vector<Solid> solids;

  std::size_t count() const { return first.size() - 1; }
  void close() { first.push_back(static_cast<std::uint32_t>(corners.size())); }
};

bool is_same_word(std::string_view word, std::string_view lower_case) {
  return word.size() == lower_case.size() &&
         std::equal(word.begin(), word.end(), lower_case.begin(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

std::uint32_t declared_facets(std::span<const std::byte> bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + kHeaderBytes, sizeof count);
  return count;
}

// Many binary writers start their header with "solid" too, so the size is checked first.
bool is_text(std::span<const std::byte> bytes) {
  constexpr std::size_t kLooked = 1024;
  const std::string_view text = text_of(bytes);
  if (bytes.size() >= kHeaderBytes + kCountBytes &&
      bytes.size() == kHeaderBytes + kCountBytes + std::uint64_t{declared_facets(bytes)} * kFacetBytes)
    return false;
  std::string_view start = text.substr(0, kLooked);
  if (start.find('\0') != std::string_view::npos) return false;
  while (!start.empty() && (is_blank(start.front()) || start.front() == '\n')) start.remove_prefix(1);
  return start.size() >= 5 && is_same_word(start.substr(0, 5), "solid");
}

class StlReader {
 public:
  StlReader(const FileSource& source, const LoadOptions& options)
      : source_(source), options_(options), budget_(options.max_memory) {}

  Result<Asset> read(const Progress& progress) {
    if (source_.bytes.empty()) return fault("is empty");
    if (Status going = progress.at("reading facets", 0); !going) return going.error();
    const Status is_read = is_text(source_.bytes) ? read_text() : read_binary();
    if (!is_read) return is_read.error();
    if (facets_.corners.empty()) return fault("has no facets");
    if (is_text(source_.bytes) && may_be_rounded(facets_.corners))
      rounding_of_lines(text_of(source_.bytes), "vertex").note(notes_);
    if (Status going = progress.at("joining corners", 0.5); !going) return going.error();
    Mesh mesh = join();
    return still_asset({{}, std::move(notes_), nullptr}, std::move(mesh), source_.path, options_);
  }

 private:
  Error fault(const std::string& sentence) const {
    return {Errc::bad_file, fmt::format("{}: {}", source_.path, sentence)};
  }
  Error bad_facet(const char* what) const { return fault(fmt::format("facet {} {}", facets_.count(), what)); }
  Error too_large() const {
    return over_memory(fmt::format("{}: its facets need more memory than allowed", source_.path));
  }

  // ---- Bytes ----

  Status read_binary() {
    const std::span<const std::byte> bytes = source_.bytes;
    if (bytes.size() < kHeaderBytes + kCountBytes) return fault("is too short for an STL file");
    const std::size_t count = declared_facets(bytes);
    const std::span<const std::byte> body = bytes.subspan(kHeaderBytes + kCountBytes);
    if (count > body.size() / kFacetBytes) {
      return fault(fmt::format("cut short: {} facets are announced, {} are there (or it is not an STL file)",
                               count, body.size() / kFacetBytes));
    }
    if (count > std::size_t{std::numeric_limits<Index>::max()} / 3)
      return fault("has too many corners for 32-bit indices");
    if (!budget_.take(count, 3 * (sizeof(Vec3) * 2 + 3 * sizeof(Index)))) return too_large();
    facets_.corners.resize(3 * count);
    facets_.first.reserve(count + 1);
    std::size_t coloured = 0;
    for (std::size_t f = 0; f < count; ++f) {
      const std::byte* facet = body.data() + f * kFacetBytes;
      // A normal, three corners, two bytes that some writers put a colour into.
      std::memcpy(&facets_.corners[3 * f], facet + sizeof(Vec3), 3 * sizeof(Vec3));
      coloured += facet[kFacetBytes - 2] != std::byte{0} || facet[kFacetBytes - 1] != std::byte{0} ? 1 : 0;
      for (std::size_t c = 3 * f; c < 3 * f + 3; ++c) {
        if (!is_finite(facets_.corners[c])) return bad_facet("has a corner that is not finite");
      }
      facets_.first.push_back(static_cast<std::uint32_t>(3 * f + 3));
    }
    if (coloured > 0) {
      notes_.push_back(
          {Note::Kind::loss, "facet-colours",
           fmt::format("{} facets have attribute bytes (colours, by some writers); left out", coloured)});
    }
    if (body.size() > count * kFacetBytes) {
      notes_.push_back({Note::Kind::info, "rows-left-over",
                        fmt::format("{} ignored", counted(body.size() - count * kFacetBytes,
                                                          "byte after the last facet was",
                                                          "bytes after the last facet were"))});
    }
    return Done{};
  }

  // ---- Text ----

  // A stream of words; only names run to the end of their line.
  Status read_text() {
    std::string_view text = text_of(source_.bytes);
    std::size_t odd_words = 0;
    bool is_in_facet = false;
    for (std::string_view word = next_of_all(text); !word.empty(); word = next_of_all(text)) {
      if (is_same_word(word, "vertex")) {
        if (!is_in_facet) return bad_facet("has a vertex outside");
        if (!read_corner(text)) return bad_facet("has a vertex that is not three finite numbers");
      } else if (is_same_word(word, "facet")) {
        if (is_in_facet) return bad_facet("has no 'endfacet'");
        is_in_facet = true;
        skip_normal(text);
      } else if (is_same_word(word, "endfacet")) {
        if (Status closed = close_facet(is_in_facet); !closed) return closed;
        is_in_facet = false;
      } else if (is_same_word(word, "solid")) {
        facets_.solids.push_back({std::string(trimmed(rest_of_line(text))), facets_.count()});
      } else if (is_same_word(word, "endsolid")) {
        rest_of_line(text);
      } else if (!is_same_word(word, "outer") && !is_same_word(word, "loop") &&
                 !is_same_word(word, "endloop")) {
        ++odd_words;
      }
    }
    if (is_in_facet) return bad_facet("is cut short");
    if (odd_words > 0) {
      notes_.push_back({Note::Kind::info, "words-ignored",
                        fmt::format("{} words unknown in STL were ignored", odd_words)});
    }
    return Done{};
  }

  static std::string_view next_of_all(std::string_view& text) {
    std::size_t start = 0;
    while (start < text.size() && (is_blank(text[start]) || text[start] == '\n')) ++start;
    std::size_t end = start;
    while (end < text.size() && !is_blank(text[end]) && text[end] != '\n') ++end;
    const std::string_view word = text.substr(start, end - start);
    text.remove_prefix(end);
    return word;
  }

  static std::string_view rest_of_line(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    return line;
  }

  // "normal x y z" is not needed, and in many files it is wrong.
  static void skip_normal(std::string_view& text) {
    std::string_view ahead = text;
    if (!is_same_word(next_of_all(ahead), "normal")) return;
    for (int axis = 0; axis < 3; ++axis) next_of_all(ahead);
    text = ahead;
  }

  bool read_corner(std::string_view& text) {
    Vec3 corner;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = next_of_all(text);
      if (parse_float(word.data(), word.data() + word.size(), corner[axis]) != word.data() + word.size() ||
          word.empty())
        return false;
    }
    facets_.corners.push_back(corner);
    return is_finite(corner);
  }

  Status close_facet(bool is_in_facet) {
    if (!is_in_facet) return bad_facet("has an 'endfacet' without a 'facet'");
    if (facets_.corners.size() - facets_.first.back() < 3) return bad_facet("has fewer than three corners");
    if (!budget_.take(facets_.corners.size() - facets_.first.back(), sizeof(Vec3) * 2 + 3 * sizeof(Index)))
      return too_large();
    if (facets_.corners.size() > std::size_t{std::numeric_limits<Index>::max()})
      return fault("has too many corners for 32-bit indices");
    facets_.close();
    return Done{};
  }

  // ---- Joining ----

  Mesh join() {
    const std::vector<Index> weld = weld_coincident(facets_.corners);
    std::vector<Index> point(weld.size());
    Mesh mesh;
    for (std::size_t c = 0; c < weld.size(); ++c) {
      const bool is_first = weld[c] == static_cast<Index>(c);
      if (is_first) mesh.points.push_back(facets_.corners[c]);
      point[c] =
          is_first ? static_cast<Index>(mesh.points.size() - 1) : point[static_cast<std::size_t>(weld[c])];
    }
    PolygonBuilder polygons;
    polygons.reserve(facets_.count(), point.size());
    for (std::size_t f = 0; f < facets_.count(); ++f)
      polygons.add(std::span(point).subspan(facets_.first[f], facets_.first[f + 1] - facets_.first[f]));
    polygons.note_faults(notes_);
    mesh.polygons = polygons.take();
    notes_.push_back({Note::Kind::info, "corners-joined",
                      fmt::format("{} corners at {} positions were joined into points; facet normals were "
                                  "left out, as they follow from the points",
                                  weld.size(), mesh.points.size())});
    add_parts(mesh);
    return mesh;
  }

  // A part for each solid that has facets; the first part owns all points, as solids may touch.
  void add_parts(Mesh& mesh) const {
    for (std::size_t s = 0; s < facets_.solids.size(); ++s) {
      const std::size_t first = s == 0 ? 0 : facets_.solids[s].first_facet;
      const std::size_t end =
          s + 1 < facets_.solids.size() ? facets_.solids[s + 1].first_facet : facets_.count();
      if (end == first) continue;
      MeshPart part;
      part.first_point = mesh.parts.empty() ? 0 : static_cast<Index>(mesh.points.size());
      part.point_count = mesh.parts.empty() ? static_cast<Index>(mesh.points.size()) : 0;
      part.first_polygon = static_cast<Index>(first);
      part.polygon_count = static_cast<Index>(end - first);
      part.object = facets_.solids[s].name;
      mesh.parts.push_back(std::move(part));
    }
  }

  const FileSource& source_;
  const LoadOptions& options_;
  MemoryBudget budget_;
  Facets facets_;
  Notes notes_;
};

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): every Reader owns its file
Result<Asset> read_stl(FileSource source, const LoadOptions& options, const Progress& progress) {
  return StlReader(source, options).read(progress);
}

}  // namespace dermis
