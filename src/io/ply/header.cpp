// SPDX-License-Identifier: MIT
// Parses PLY headers with any line ends, and the names of types.
#include "io/ply/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dermis/model.h"
#include "io/text.h"

namespace dermis {
namespace {

struct TypeRow {
  std::string_view name, sized_name;
  std::size_t bytes;
  float full_scale;
};
// In the order of PlyType.
constexpr std::array<TypeRow, 8> kTypes = {{{"char", "int8", 1, 127.0f},
                                            {"uchar", "uint8", 1, 255.0f},
                                            {"short", "int16", 2, 32767.0f},
                                            {"ushort", "uint16", 2, 65535.0f},
                                            {"int", "int32", 4, 2147483648.0f},
                                            {"uint", "uint32", 4, 4294967296.0f},
                                            {"float", "float32", 4, 1.0f},
                                            {"double", "float64", 8, 1.0f}}};

std::optional<PlyType> type_of(std::string_view name) {
  for (std::size_t k = 0; k < kTypes.size(); ++k) {
    if (name == kTypes[k].name || name == kTypes[k].sized_name) return static_cast<PlyType>(k);
  }
  return std::nullopt;
}

// Cuts one header line off. A bare "\r" ends lines if the file's first line ends with it: the body may
// contain any byte, so the next character cannot be checked.
std::string_view header_line(std::string_view& text, char line_end) {
  const std::size_t end = std::min(text.find(line_end), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(line);
}

Error bad_header(const std::string& path, std::size_t line, std::string_view fault) {
  return {Errc::bad_file, fmt::format("{}: line {} of the PLY header {}", path, line, fault)};
}

std::optional<PlyFormat> format_of(std::string_view name) {
  if (name == "ascii") return PlyFormat::ascii;
  if (name == "binary_little_endian") return PlyFormat::little_endian;
  if (name == "binary_big_endian") return PlyFormat::big_endian;
  return std::nullopt;
}

// "float x" or "list uchar int vertex_indices"; an empty string means no fault.
std::string add_property(std::string_view words, PlyElement& element) {
  PlyProperty property;
  std::string_view word = next_word(words);
  if (word == "list") {
    const std::string_view count = next_word(words);
    property.count_type = type_of(count);
    const bool is_whole = property.count_type && *property.count_type < PlyType::float32;
    if (!is_whole)
      return fmt::format("counts a list in {}, which is not an integer type", quoted_name(count));
    word = next_word(words);
  }
  const std::optional<PlyType> type = type_of(word);
  if (!type) return fmt::format("has the unknown type {}", quoted_name(word));
  property.type = *type;
  property.name = next_word(words);
  if (property.name.empty()) return "has a property without a name";
  element.properties.push_back(std::move(property));
  return {};
}

std::string add_element(std::string_view words, PlyHeader& header) {
  PlyElement element;
  element.name = next_word(words);
  const std::string_view count = next_word(words);
  const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(count);
  if (element.name.empty() || !number) return fmt::format("counts its elements as {}", quoted_name(count));
  element.count = *number;
  header.elements.push_back(std::move(element));
  return {};
}

void read_comment(std::string_view words, PlyHeader& header) {
  if (next_word(words) == "TextureFile") header.texture_files.emplace_back(trimmed(words));
}

// Reads one line; returns its fault, or an empty string.
std::string read_line(std::string_view line, bool& has_format, PlyHeader& header) {
  const std::string_view word = next_word(line);
  if (word == "comment" || word == "obj_info" || word.empty()) return read_comment(line, header), "";
  if (word == "format") {
    const std::string_view name = next_word(line);
    const std::optional<PlyFormat> format = format_of(name);
    if (!format) return fmt::format("has the unknown format {}", quoted_name(name));
    header.format = *format;
    has_format = true;
    return {};
  }
  if (word == "element") return add_element(line, header);
  if (word == "property") {
    if (header.elements.empty()) return "has a property before any element";
    return add_property(line, header.elements.back());
  }
  header.odd_lines.emplace_back(word);  // Blender 2.47 forgot the word "comment"
  return {};
}

}  // namespace

std::size_t size_of(PlyType type) { return kTypes[static_cast<std::size_t>(type)].bytes; }
float full_scale(PlyType type) { return kTypes[static_cast<std::size_t>(type)].full_scale; }

bool PlyElement::has_lists() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const PlyProperty& property) { return property.is_list(); });
}

std::size_t PlyElement::row_bytes() const {
  std::size_t bytes = 0;
  for (const PlyProperty& property : properties) bytes += size_of(property.type);
  return bytes;
}

Result<PlyHeader> parse_ply_header(std::string_view& text, const std::string& path) {
  const std::size_t first_end = text.find_first_of("\r\n");
  if (trimmed(text.substr(0, first_end)) != "ply") {
    return Error{Errc::bad_file, fmt::format("{}: is not a PLY file: its first line is not 'ply'", path)};
  }
  const bool is_bare_return = first_end != std::string_view::npos && text[first_end] == '\r' &&
                              !text.substr(first_end + 1).starts_with('\n');
  const char line_end = is_bare_return ? '\r' : '\n';
  header_line(text, line_end);
  PlyHeader header;
  bool has_format = false;
  for (std::size_t number = 2; !text.empty(); ++number) {
    const std::string_view line = header_line(text, line_end);
    if (line == "end_header") {
      if (!has_format) return bad_header(path, number, "comes before any 'format'");
      return header;
    }
    const std::string fault = read_line(line, has_format, header);
    if (!fault.empty()) return bad_header(path, number, fault);
  }
  return Error{Errc::bad_file, fmt::format("{}: the PLY header has no 'end_header'", path)};
}

}  // namespace dermis
