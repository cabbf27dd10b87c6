// SPDX-License-Identifier: MIT
// Reads OFF files and their variants (COFF, NOFF, STOFF), as Geomview defined them and as others write them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/formats.h"
#include "io/gltf/document.h"
#include "io/rounding.h"
#include "io/rows.h"
#include "io/still_character.h"

namespace dermis {
namespace {

struct OffHeader {
  bool has_uvs = false, has_colours = false, has_normals = false;
  std::size_t point_count = 0, polygon_count = 0;
  std::size_t colour_width = 0;  // numbers in a colour: 3 or 4
};

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

// Distinguishes numbers from 0 to 1 from those up to 255; only finite ones are considered.
struct ColourRange {
  float brightest = 0;
  bool has_fractions = false;

  void add(float number) {
    if (!std::isfinite(number)) return;
    brightest = std::max(brightest, number);
    has_fractions = has_fractions || number != std::floor(number);
  }
  void add(const ColourRange& more) {
    brightest = std::max(brightest, more.brightest);
    has_fractions = has_fractions || more.has_fractions;
  }
  // Fractions slightly above 1 are bright colours, not dark ones.
  bool is_bytes() const { return brightest > (has_fractions ? 2.0f : 1.0f); }
};

// The result of one chunk of rows.
struct OffRun {
  PolygonBuilder polygons;
  std::string fault;
  std::size_t face_colours = 0;
  ColourRange colours, alphas;
};

class OffReader {
 public:
  OffReader(const FileSource& source, const LoadOptions& options, const Progress& progress)
      : path_(source.path), options_(options), progress_(progress), text_(text_of(source.bytes)) {}

  Result<Asset> read() {
    if (Status good = read_header(); !good) return good.error();
    if (Status going = progress_.at("reading points", 0); !going) return going.error();
    const TextRows rows(text_, '#');
    if (header_.point_count > rows.count() || header_.polygon_count > rows.count() - header_.point_count) {
      return fault(fmt::format("cut short: {} points and {} polygons are announced, but {} lines follow",
                               header_.point_count, header_.polygon_count, rows.count()));
    }
    if (Status made = make_room(); !made) return made.error();
    runs_.resize(rows.chunk_count());
    if (Status good = measure_first_point(rows); !good) return good.error();
    rows.walk([&](std::size_t chunk, std::size_t row, std::string_view line) {
      RowNumbers numbers(without_comment(line));
      if (row < header_.point_count) return read_point(numbers, row, runs_[chunk]);
      const std::size_t face = row - header_.point_count;
      return face < header_.polygon_count && read_face(numbers, face, runs_[chunk]);
    });
    for (const OffRun& run : runs_) {
      if (!run.fault.empty()) return fault(run.fault);
    }
    if (rows.count() > header_.point_count + header_.polygon_count) {
      notes_.push_back(
          {Note::Kind::info, "rows-left-over",
           fmt::format("{} ignored",
                       counted(rows.count() - header_.point_count - header_.polygon_count,
                               "line after the last polygon was", "lines after the last polygon were"))});
    }
    finish();
    if (may_be_rounded(mesh_.points)) measure_rounding(rows);
    return still_asset({{}, std::move(notes_), nullptr}, std::move(mesh_), path_, options_);
  }

 private:
  Error fault(const std::string& sentence) const {
    return {Errc::bad_file, fmt::format("{}: {}", path_, sentence)};
  }

  // ---- Header ----

  Status read_header() {
    std::string_view line = next_filled_line();
    std::string_view rest = line;
    const std::string_view word = next_word(rest);
    if (word.ends_with("OFF")) {
      if (Status good = read_keyword(word.substr(0, word.size() - 3)); !good) return good;
      line = trimmed(rest);
      if (line.starts_with("BINARY"))
        return Error{Errc::unsupported,
                     fmt::format("{}: is a binary OFF file; write it as text first", path_)};
      if (line.empty()) line = next_filled_line();
    }
    RowNumbers counts(line);
    std::int64_t points = 0, polygons = 0;
    if (!counts.take(points) || !counts.take(polygons) || points < 0 || polygons < 0)
      return fault("is not an OFF file: it does not state how many points and polygons it has");
    header_.point_count = static_cast<std::size_t>(points);
    header_.polygon_count = static_cast<std::size_t>(polygons);
    return Done{};
  }

  std::string_view next_filled_line() {
    std::string_view line;
    while (line.empty() && !text_.empty()) line = without_comment(next_line(text_));
    return line;
  }

  // The letters before OFF: [ST][C][N][4][n].
  Status read_keyword(std::string_view letters) {
    const auto take = [&](std::string_view prefix) {
      const bool is_there = letters.starts_with(prefix);
      if (is_there) letters.remove_prefix(prefix.size());
      return is_there;
    };
    header_.has_uvs = take("ST");
    header_.has_colours = take("C");
    header_.has_normals = take("N");
    const bool is_four = take("4"), is_n = take("n");
    if (!letters.empty()) return fault("is not an OFF file: its keyword is unknown");
    if (is_four || is_n) {
      return Error{Errc::unsupported, fmt::format("{}: has points of {} dimensions; dermis reads three",
                                                  path_, is_n ? "n" : "four")};
    }
    return Done{};
  }

  Status make_room() {
    if (header_.point_count > std::size_t{std::numeric_limits<Index>::max()})
      return fault("has too many points for 32-bit indices");
    MemoryBudget budget(options_.max_memory);
    if (!budget.take(header_.point_count, sizeof(Vec3) * 2 + sizeof(Vec4) + sizeof(Vec2) + sizeof(Index))) {
      return over_memory(
          fmt::format("{}: {} points need more memory than allowed", path_, header_.point_count));
    }
    // A corner takes at least two bytes of text, and is stored twice while polygons are joined.
    if (header_.polygon_count > 0 && !budget.take(text_.size() / 2, 2 * sizeof(Index))) {
      return over_memory(fmt::format("{}: its polygons may need more memory than allowed", path_));
    }
    mesh_.points.resize(header_.point_count);
    if (header_.has_normals) mesh_.normals.values.resize(header_.point_count);
    if (header_.has_colours) mesh_.colours.emplace_back().values.resize(header_.point_count);
    if (header_.has_uvs) mesh_.uvs.emplace_back().values.resize(header_.point_count);
    return Done{};
  }

  // Colours have three numbers or four; only the rows show which.
  Status measure_first_point(const TextRows& rows) {
    if (header_.point_count == 0) return fault("has no points");
    std::size_t words = 0;
    rows.walk([&](std::size_t, std::size_t row, std::string_view line) {
      if (row != 0) return false;
      RowNumbers numbers(without_comment(line));
      while (numbers.skip()) ++words;
      return false;
    });
    const std::size_t known = 3u + (header_.has_normals ? 3u : 0u) + (header_.has_uvs ? 2u : 0u);
    const std::size_t more = words > known ? words - known : 0;
    if (header_.has_colours) {
      if (more != 3 && more != 4)
        return fault(fmt::format("point 0 has {} numbers, but a colour of 3 or 4 was expected", more));
      header_.colour_width = more;
    } else if (more > 0) {
      notes_.push_back(
          {Note::Kind::loss, "values-left-over",
           fmt::format("points have {} numbers more than the keyword implies; they were left out", more)});
    }
    return Done{};
  }

  // ---- Rows ----

  static bool fail(OffRun& run, std::string sentence) {
    run.fault = std::move(sentence);
    return false;
  }

  static bool take(RowNumbers& numbers, std::span<float> values) {
    return std::all_of(values.begin(), values.end(), [&](float& value) { return numbers.take(value); });
  }

  bool read_point(RowNumbers& numbers, std::size_t v, OffRun& run) {
    float position[3] = {}, normal[3] = {}, colour[4] = {0, 0, 0, 1}, uv[2] = {};
    const bool is_read =
        take(numbers, position) && (!header_.has_normals || take(numbers, normal)) &&
        (!header_.has_colours || take(numbers, std::span(colour).first(header_.colour_width))) &&
        (!header_.has_uvs || take(numbers, uv));
    if (!is_read)
      return fail(run, fmt::format("point {} is cut short, or has something other than numbers", v));
    mesh_.points[v] = {position[0], position[1], position[2]};
    if (!is_finite(mesh_.points[v])) return fail(run, fmt::format("point {} is not finite", v));
    if (header_.has_normals) mesh_.normals.values[v] = {normal[0], normal[1], normal[2]};
    if (header_.has_uvs) mesh_.uvs[0].values[v] = {uv[0], 1 - uv[1]};
    if (!header_.has_colours) return true;
    mesh_.colours[0].values[v] = {colour[0], colour[1], colour[2], colour[3]};
    for (const float part : {colour[0], colour[1], colour[2]}) run.colours.add(part);
    if (header_.colour_width == 4) run.alphas.add(colour[3]);
    return true;
  }

  bool read_face(RowNumbers& numbers, std::size_t face, OffRun& run) const {
    thread_local std::vector<Index> points;
    points.clear();
    std::int64_t count = 0;
    if (!numbers.take(count) || count < 0)
      return fail(run, fmt::format("polygon {} does not count its corners", face));
    for (std::int64_t k = 0; k < count; ++k) {
      std::int64_t point = 0;
      if (!numbers.take(point))
        return fail(run, fmt::format("polygon {} has {} of its {} corners", face, k, count));
      if (point < 0 || static_cast<std::size_t>(point) >= header_.point_count)
        return fail(run,
                    fmt::format("polygon {} refers to point {} of {}", face, point, header_.point_count));
      points.push_back(static_cast<Index>(point));
    }
    run.polygons.add(points);
    run.face_colours += numbers.is_done() ? 0 : 1;
    return true;
  }

  void measure_rounding(const TextRows& rows) {
    std::vector<Rounding> parts(rows.chunk_count());
    rows.walk([&](std::size_t chunk, std::size_t row, std::string_view line) {
      RowNumbers numbers(line);
      Vec3d point;
      const bool is_point = row < header_.point_count && numbers.take(point.x) && numbers.take(point.y) &&
                            numbers.take(point.z);
      if (is_point) parts[chunk].add(point);
      return is_point;
    });
    Rounding whole;
    for (const Rounding& part : parts) whole.add(part);
    whole.note(notes_);
  }

  // ---- Results of the rows ----

  void finish() {
    PolygonBuilder polygons;
    std::size_t face_colours = 0;
    ColourRange colours, alphas;
    for (const OffRun& run : runs_) {
      polygons.append(run.polygons);
      face_colours += run.face_colours;
      colours.add(run.colours);
      alphas.add(run.alphas);
    }
    polygons.note_faults(notes_);
    mesh_.polygons = polygons.take();
    if (header_.has_colours) scale_colours(colours, alphas);
    if (face_colours > 0) {
      notes_.push_back({Note::Kind::loss, "face-colours",
                        fmt::format("{} own; left out", counted(face_colours, "polygon has a colour of its",
                                                                "polygons have a colour of their"))});
    }
    mend_attributes(mesh_, notes_);
  }

  // Geomview writes colours from 0 to 1, most others from 0 to 255; opacity may be either in both cases.
  void scale_colours(const ColourRange& colours, const ColourRange& alphas) {
    const float full = colours.is_bytes() ? 255.0f : 1.0f, opaque = alphas.is_bytes() ? 255.0f : 1.0f;
    std::size_t clamped = 0;
    const auto scaled = [&](float number, float whole) {
      const float part = number / whole, held = std::clamp(part, 0.0f, 1.0f);
      clamped += part != held && !std::isnan(part) ? 1 : 0;
      return held;
    };
    for (Vec4& colour : mesh_.colours[0].values) {
      const float alpha = header_.colour_width == 4 ? colour.w : opaque;
      colour = {scaled(colour.x, full), scaled(colour.y, full), scaled(colour.z, full),
                scaled(alpha, opaque)};
    }
    if (colours.is_bytes() || alphas.is_bytes()) {
      notes_.push_back({Note::Kind::guess, "colours-scaled",
                        fmt::format("{} up to {:g}, and 255 is assumed to be full intensity",
                                    colours.is_bytes() ? "colours go" : "opacities go",
                                    colours.is_bytes() ? colours.brightest : alphas.brightest)});
    }
    if (clamped > 0) {
      notes_.push_back(
          {Note::Kind::repair, "colours-clamped",
           fmt::format("{} clamped", counted(clamped, "number of a colour was outside its range and was",
                                             "numbers of colours were outside their range and were"))});
    }
  }

  const std::string& path_;
  const LoadOptions& options_;
  const Progress& progress_;
  std::string_view text_;
  OffHeader header_;
  std::vector<OffRun> runs_;
  Mesh mesh_;
  Notes notes_;
};

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): every Reader owns its file
Result<Asset> read_off(FileSource source, const LoadOptions& options, const Progress& progress) {
  return OffReader(source, options, progress).read();
}

}  // namespace dermis
