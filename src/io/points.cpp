// SPDX-License-Identifier: MIT
// Reads the bare points of result files (.obj, .ply, .xyz), for comparing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "dermis/io.h"
#include "io/file.h"

namespace dermis {
namespace {

constexpr std::uint64_t kMaxPointFile = std::uint64_t{8} << 30;

// Cuts the next line off `text`, without its line end.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view next_word(std::string_view& line) {
  constexpr const char* kBlank = " \t\r";
  const std::size_t start = std::min(line.find_first_not_of(kBlank), line.size());
  const std::size_t end = std::min(line.find_first_of(kBlank, start), line.size());
  const std::string_view word = line.substr(start, end - start);
  line.remove_prefix(end);
  return word;
}

// The numbers in three columns of a line.
std::optional<Vec3> parse_columns(std::string_view line, const std::array<std::size_t, 3>& columns) {
  Vec3 point;
  std::array<bool, 3> is_found{};
  for (std::size_t column = 0; !is_found[0] || !is_found[1] || !is_found[2]; ++column) {
    const std::string_view word = next_word(line);
    if (word.empty()) return std::nullopt;
    const auto at = std::find(columns.begin(), columns.end(), column);
    if (at == columns.end()) continue;
    const auto axis = static_cast<std::size_t>(at - columns.begin());
    float& number = point[static_cast<int>(axis)];
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (fault != std::errc{} || end != word.data() + word.size() || !std::isfinite(number))
      return std::nullopt;
    is_found[axis] = true;
  }
  return point;
}

std::optional<Vec3> parse_point(std::string_view line) { return parse_columns(line, {0, 1, 2}); }

Error bad_line(const std::string& path, std::size_t line) {
  return {Errc::bad_file, fmt::format("{}: line {} does not hold three finite numbers", path, line)};
}

// Points on lines that start with `prefix` ("v" for OBJ), or on every line when it is empty.
Result<std::vector<Vec3>> parse_lines(std::string_view text, std::string_view prefix,
                                      const std::string& path) {
  std::vector<Vec3> points;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = next_line(text);
    if (!prefix.empty()) {
      if (next_word(line) != prefix) continue;
    } else if (line.find_first_not_of(" \t") == std::string_view::npos) {
      continue;
    }
    const std::optional<Vec3> point = parse_point(line);
    if (!point) return bad_line(path, number);
    points.push_back(*point);
  }
  return points;
}

struct PlyHeader {
  bool is_binary = false;
  std::size_t vertex_count = 0;
  std::size_t vertex_size = 0;          // bytes of one vertex in the binary form
  std::array<std::size_t, 3> offset{};  // of x, y and z
  std::array<std::size_t, 3> column{};  // of x, y and z in the ascii form
  std::array<bool, 3> is_double{};      // else float
  int found = 0;
};

std::size_t ply_type_size(std::string_view type) {
  constexpr std::pair<std::string_view, std::size_t> kSizes[] = {
      {"char", 1},  {"uchar", 1},   {"int8", 1},   {"uint8", 1},  {"short", 2}, {"ushort", 2},
      {"int16", 2}, {"uint16", 2},  {"int", 4},    {"uint", 4},   {"int32", 4}, {"uint32", 4},
      {"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
  for (const auto& [name, size] : kSizes) {
    if (name == type) return size;
  }
  return 0;
}

// Reads up to end_header. Vertices must be the first element, as in every file seen.
std::optional<PlyHeader> parse_ply_header(std::string_view& text) {
  PlyHeader header;
  if (next_line(text) != "ply") return std::nullopt;
  std::size_t element = 0, column = 0;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view word = next_word(line);
    if (word == "end_header") return header.found == 3 ? std::optional(header) : std::nullopt;
    if (word == "format") {
      const std::string_view format = next_word(line);
      if (format != "ascii" && format != "binary_little_endian") return std::nullopt;
      header.is_binary = format != "ascii";
    } else if (word == "element") {
      ++element;
      if (element != 1) continue;
      if (next_word(line) != "vertex") return std::nullopt;
      const std::string_view count = next_word(line);
      if (std::from_chars(count.data(), count.data() + count.size(), header.vertex_count).ec != std::errc{})
        return std::nullopt;
    } else if (word == "property" && element == 1) {
      const std::string_view type = next_word(line), name = next_word(line);
      const std::size_t size = ply_type_size(type);
      if (size == 0) return std::nullopt;
      const std::size_t axis = name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : 3;
      if (axis < 3) {
        const bool is_real = type == "float" || type == "float32" || size == 8;
        if (!is_real) return std::nullopt;
        header.offset[axis] = header.vertex_size;
        header.column[axis] = column;
        header.is_double[axis] = size == 8;
        ++header.found;
      }
      header.vertex_size += size;
      ++column;
    }
  }
  return std::nullopt;
}

Result<std::vector<Vec3>> parse_ply(std::string_view text, const std::string& path) {
  const std::optional<PlyHeader> header = parse_ply_header(text);
  if (!header) return Error{Errc::bad_file, fmt::format("{}: is not a PLY whose vertices can be read", path)};
  if (header->is_binary && header->vertex_count > text.size() / header->vertex_size) {
    return Error{Errc::bad_file,
                 fmt::format("{}: cut short: {} vertices are promised", path, header->vertex_count)};
  }
  std::vector<Vec3> points;
  for (std::size_t v = 0; v < header->vertex_count; ++v) {
    Vec3 point;
    if (header->is_binary) {
      for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const char* at = text.data() + v * header->vertex_size + header->offset[a];
        double wide = 0;
        if (header->is_double[a])
          std::memcpy(&wide, at, sizeof wide);
        else
          std::memcpy(&point[axis], at, sizeof(float));
        if (header->is_double[a]) point[axis] = static_cast<float>(wide);
      }
    } else {
      if (text.empty())
        return Error{Errc::bad_file,
                     fmt::format("{}: cut short: {} vertices are promised", path, header->vertex_count)};
      std::string_view line = next_line(text);
      const std::optional<Vec3> parsed = parse_columns(line, header->column);
      if (!parsed) {
        return Error{Errc::bad_file, fmt::format("{}: vertex {} is not three finite numbers", path, v)};
      }
      point = *parsed;
    }
    if (!is_finite(point)) return Error{Errc::bad_file, fmt::format("{}: vertex {} is not finite", path, v)};
    points.push_back(point);
  }
  return points;
}

}  // namespace

Result<std::vector<Vec3>> load_points(const std::string& path) {
  return without_throwing(path, [&]() -> Result<std::vector<Vec3>> {
    const std::string extension = extension_of(path);
    if (extension != ".obj" && extension != ".ply" && extension != ".xyz") {
      return Error{Errc::unsupported, fmt::format("{}: points can be read from .obj, .ply and .xyz", path)};
    }
    const Result<Bytes> bytes = read_file(path, kMaxPointFile);
    if (!bytes) return bytes.error();
    const std::string_view text = text_of(*bytes);
    Result<std::vector<Vec3>> points =
        extension == ".ply" ? parse_ply(text, path) : parse_lines(text, extension == ".obj" ? "v" : "", path);
    if (points && points->empty()) return Error{Errc::bad_file, fmt::format("{}: holds no points", path)};
    return points;
  });
}

}  // namespace dermis
