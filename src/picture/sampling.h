// SPDX-License-Identifier: MIT
// Even sequences of numbers for pixels and lights, the same on every run.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "dermis/math.h"

namespace dermis {

inline std::uint32_t hashed(std::uint32_t x) {
  // A mixer of full avalanche: xor-shifts and odd multipliers, as in splitmix.
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// In [0, 1).
inline float unit_float(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

// Where in its pixel sample s of a few lies: Roberts's additive recurrence in two dimensions, 1/g and 1/g^2
// for g^3 = g + 1. The same in all pixels, so that straight edges stay even.
inline std::array<double, 2> place_in_pixel(int s) {
  const auto fraction = [](double x) { return x - std::floor(x); };
  return {fraction(0.5 + 0.7548776662466927 * s), fraction(0.5 + 0.5698402909980532 * s)};
}

// Four numbers in [0, 1) for sample s of a pixel: the same recurrence in four dimensions (g^5 = g + 1), in
// 32-bit fractions. Pixels of a block of 8 x 8 take turns along a Z, so that the samples of neighbours fill
// each other's gaps, which is what the filter over neighbours lives on.
class LightSamples {
 public:
  LightSamples(int x, int y, int samples) {
    const auto ux = static_cast<std::uint32_t>(x), uy = static_cast<std::uint32_t>(y);
    first_ = (spread(ux & 7u) | spread(uy & 7u) << 1) * static_cast<std::uint32_t>(samples);
    seed_ = hashed((ux >> 3) * 0x9e3779b9u + hashed(uy >> 3));
  }
  std::array<float, 4> at(int s) const {
    constexpr std::array<std::uint32_t, 4> kSteps{0xdb4f0b91u, 0xbbe05633u, 0xa0f2ec75u, 0x89e18285u};
    std::array<float, 4> numbers{};
    std::uint32_t shift = seed_;
    for (std::size_t k = 0; k < 4; ++k) {
      shift = hashed(shift + 0x9e3779b9u);
      numbers[k] = unit_float(shift + kSteps[k] * (first_ + static_cast<std::uint32_t>(s)));
    }
    return numbers;
  }

 private:
  // The bits of a number below 8, every other one.
  static std::uint32_t spread(std::uint32_t k) { return (k & 1u) | (k & 2u) << 1 | (k & 4u) << 2; }
  std::uint32_t first_ = 0, seed_ = 0;
};

// Two unit vectors across a unit one, continuous but at one direction (Frisvad 2012, Duff et al. 2017).
inline std::array<Vec3, 2> across(const Vec3& n) {
  const float sign = std::copysign(1.0f, n.z);
  const float a = -1 / (sign + n.z), b = n.x * n.y * a;
  return {Vec3{1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, Vec3{b, sign + n.y * n.y * a, -n.y}};
}

// A point of the unit disc, evenly.
inline Vec2 disc_sample(float a, float b) {
  const float radius = std::sqrt(a), angle = 2 * static_cast<float>(kPi) * b;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace dermis
