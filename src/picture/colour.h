// SPDX-License-Identifier: MIT
// Conversion between sRGB bytes and linear light.
#pragma once

#include <array>
#include <cstdint>

#include "dermis/math.h"

namespace dermis {

// IEC 61966-2-1, both ways; [0, 1].
double linear_from_srgb(double value);
double srgb_from_linear(double value);

// The same for bytes, by table.
const std::array<float, 256>& linear_of_byte();
inline Vec3 linear_of_bytes(const std::uint8_t* rgb) {
  const std::array<float, 256>& table = linear_of_byte();
  return {table[rgb[0]], table[rgb[1]], table[rgb[2]]};
}
// Rounded and clamped to [0, 1]; 0 if not a number.
std::uint8_t byte_of_linear(float value);

inline Vec3 product(const Vec3& a, const Vec3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

}  // namespace dermis
