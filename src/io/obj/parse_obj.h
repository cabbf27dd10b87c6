// SPDX-License-Identifier: MIT
// The statements of an OBJ, read in pieces in parallel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// One corner of a face: zero-based indices of its point, texture coordinate and normal; kNone: not given.
struct ObjCorner {
  Index point = kNone, uv = kNone, normal = kNone;
};

// A line that changes the object, group, smoothing or material of the faces after it.
struct ObjLabel {
  enum class Kind : std::uint8_t { object, groups, smoothing, material, library };
  Kind kind = Kind::object;
  std::uint32_t polygon = 0;  // the first polygon after it
  std::string_view words;     // the rest of the line
};

// The contents of an OBJ, in file order. Views refer to the text it was read from.
struct ObjContent {
  std::vector<Vec3> points;
  std::vector<Vec3> colours;  // per point, or empty; white if a line has none
  std::size_t coloured_count = 0;
  std::vector<Vec2> uvs;
  std::vector<Vec3> normals;  // some may not be finite
  std::vector<std::uint32_t> polygon_size;
  std::vector<ObjCorner> corners;
  std::vector<ObjLabel> labels;
  // Counts of what could not be used, or was repaired.
  std::size_t line_count = 0, point_element_count = 0, short_face_count = 0, free_form_count = 0;
  std::size_t unknown_count = 0;
  std::string_view first_unknown;
  std::size_t uv_depth_count = 0, rational_count = 0;    // left out: third numbers that are not 0, w not 1
  std::size_t cut_number_count = 0;                      // of positions, with text after the number
  std::size_t bad_colour_count = 0;                      // not finite, replaced by white
  std::size_t bad_uv_count = 0;                          // not finite, replaced by zero
  std::size_t bad_normal_count = 0;                      // not finite
  std::size_t lost_uv_count = 0, lost_normal_count = 0;  // corners that refer to a missing one
};

// A blank that replaces the line end of a line continued in the next.
inline constexpr char kJoinedLine = '\v';

// `text` must outlive the result and have kJoinedLine for line ends after a '\'. An Error names the line.
Result<ObjContent> parse_obj(std::string_view text, const std::string& path, const Progress& progress);

}  // namespace dermis
