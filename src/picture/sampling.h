// SPDX-License-Identifier: MIT
// Evenly distributed numbers for pixels and lights, the same on every run.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "dermis/math.h"

namespace dermis {

// In [0, 1).
inline float unit_float(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

// The position of sample s within its pixel: Roberts's additive recurrence in two dimensions, 1/g and 1/g^2
// for g^3 = g + 1. The same in all pixels, so that straight edges stay even.
inline std::array<double, 2> place_in_pixel(int s) {
  const auto fraction = [](double x) { return x - std::floor(x); };
  return {fraction(0.5 + 0.7548776662466927 * s), fraction(0.5 + 0.5698402909980532 * s)};
}

// Two numbers in [0, 1) for sample s of a pixel: the same recurrence, in 32-bit fractions, over all pixels of
// the picture along a Z-curve. Any neighbourhood of pixels then has evenly distributed directions, on which
// smoothing over neighbours relies.
class LightSamples {
 public:
  LightSamples(int x, int y, int samples)
      : first_((spread(static_cast<std::uint32_t>(x)) | spread(static_cast<std::uint32_t>(y)) << 1) *
               static_cast<std::uint32_t>(samples)) {}
  std::array<float, 2> at(int s) const {
    const std::uint32_t k = first_ + static_cast<std::uint32_t>(s);
    return {unit_float(0xc13fa9a9u * k), unit_float(0x91e10da6u * k)};
  }

 private:
  // Spreads the lower 16 bits of a number to every other bit.
  static std::uint32_t spread(std::uint32_t k) {
    k = (k | k << 8) & 0x00ff00ffu;
    k = (k | k << 4) & 0x0f0f0f0fu;
    k = (k | k << 2) & 0x33333333u;
    return (k | k << 1) & 0x55555555u;
  }
  std::uint32_t first_ = 0;
};

// Two unit vectors perpendicular to a unit one, continuous except at one direction (Frisvad 2012, Duff et al.
// 2017).
inline std::array<Vec3, 2> across(const Vec3& n) {
  const float sign = std::copysign(1.0f, n.z);
  const float a = -1 / (sign + n.z), b = n.x * n.y * a;
  return {Vec3{1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, Vec3{b, sign + n.y * n.y * a, -n.y}};
}

// A point of the unit disc, uniformly distributed.
inline Vec2 disc_sample(float a, float b) {
  const float radius = std::sqrt(a), angle = 2 * static_cast<float>(kPi) * b;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace dermis
