// SPDX-License-Identifier: MIT
// The header of a PLY file: which elements follow, and the layout of their rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"

namespace dermis {

enum class PlyType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
std::size_t size_of(PlyType type);
// Full intensity of a colour stored in this type: 255 for uint8, 1 for floats.
float full_scale(PlyType type);

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::float32;
  std::optional<PlyType> count_type;  // if set: a list, preceded by its length
  bool is_list() const { return count_type.has_value(); }
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
  bool has_lists() const;
  // Bytes of a row without lists in the binary forms.
  std::size_t row_bytes() const;
};

enum class PlyFormat { ascii, little_endian, big_endian };

struct PlyHeader {
  PlyFormat format = PlyFormat::ascii;
  std::vector<PlyElement> elements;        // in the order of the file
  std::vector<std::string> texture_files;  // from "comment TextureFile NAME"
  std::vector<std::string> odd_lines;      // unknown header lines; left out
};

// Reads the header and cuts it off `text`; the sentence of an Error starts with `path`.
Result<PlyHeader> parse_ply_header(std::string_view& text, const std::string& path);

}  // namespace dermis
