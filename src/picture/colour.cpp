// SPDX-License-Identifier: MIT
// sRGB, colour scales, and painting meshes by numbers.
#include "picture/colour.h"

#include <algorithm>
#include <cmath>

#include "dermis/picture.h"

namespace dermis {
namespace {

// Oklab (Ottosson 2020), in which equal steps look equal: lightness, chroma and hue (radians) to linear RGB.
Vec3d rgb_from_oklch(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const auto cubed = [](double x) { return x * x * x; };
  const double l = cubed(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cubed(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cubed(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool is_shown(const Vec3d& rgb) {
  return std::min({rgb.x, rgb.y, rgb.z}) >= 0 && std::max({rgb.x, rgb.y, rgb.z}) <= 1;
}

// As much of `chroma` as sRGB can show without changing lightness and hue.
Vec3 shown(double lightness, double chroma, double hue) {
  Vec3d rgb = rgb_from_oklch(lightness, chroma, hue);
  if (!is_shown(rgb)) {
    double low = 0, high = chroma;
    for (int step = 0; step < 12; ++step) {
      const double middle = (low + high) / 2;
      (is_shown(rgb_from_oklch(lightness, middle, hue)) ? low : high) = middle;
    }
    rgb = rgb_from_oklch(lightness, low, hue);
  }
  const auto held = [](double x) { return static_cast<float>(std::clamp(x, 0.0, 1.0)); };
  return {held(rgb.x), held(rgb.y), held(rgb.z)};
}

// Dark blue through teal and green to yellow, with evenly rising lightness. Chroma stays below what sRGB can
// show, which is least at teal.
Vec3 sequential(double t) {
  const double from_teal = t - 1.0 / 3;
  const double chroma = 0.09 + (from_teal < 0 ? 0.5 : 0.2) * from_teal * from_teal;
  return shown(0.30 + 0.62 * t, chroma, radians_from_degrees(278 - 170 * t));
}

// Blue or red by the sign, light grey in the middle.
Vec3 diverging(double t) {
  const double away = std::abs(2 * t - 1);
  const double hue = radians_from_degrees(t < 0.5 ? 258 : 27);
  return shown(0.90 - 0.42 * away, 0.19 * away, hue);
}

constexpr Vec3 kNoNumber{0.3f, 0.3f, 0.3f};

std::array<float, 256> make_linear_table() {
  std::array<float, 256> table{};
  for (std::size_t k = 0; k < table.size(); ++k) {
    table[k] = static_cast<float>(linear_from_srgb(static_cast<double>(k) / 255));
  }
  return table;
}

// Linear values at which sRGB goes from one byte to the next.
std::array<float, 255> make_byte_limits() {
  std::array<float, 255> limits{};
  for (std::size_t k = 0; k < limits.size(); ++k) {
    limits[k] = static_cast<float>(linear_from_srgb((static_cast<double>(k) + 0.5) / 255));
  }
  return limits;
}

}  // namespace

double linear_from_srgb(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double srgb_from_linear(double value) {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

const std::array<float, 256>& linear_of_byte() {
  static const std::array<float, 256> table = make_linear_table();
  return table;
}

std::uint8_t byte_of_linear(float value) {
  static const std::array<float, 255> limits = make_byte_limits();
  if (!(value > 0)) return 0;
  return static_cast<std::uint8_t>(std::upper_bound(limits.begin(), limits.end(), value) - limits.begin());
}

Vec3 colour_of(const ColourScale& scale, double value) {
  const double range = scale.high - scale.low;
  if (std::isnan(value) || std::isnan(range)) return kNoNumber;
  if (scale.is_flat) return scale.is_diverging ? diverging(0.5) : sequential(0);
  const double t = range > 0 ? std::clamp((value - scale.low) / range, 0.0, 1.0) : value > scale.low ? 1 : 0;
  return scale.is_diverging ? diverging(t) : sequential(t);
}

void paint(Drawing& drawing, std::size_t mesh, const ColourScale& scale, std::span<const float> values) {
  assert(mesh < drawing.meshes.size());
  DrawnMesh& painted = drawing.meshes[mesh];
  painted.colours.clear();
  painted.colours.reserve(painted.points.size());
  for (const Index v : painted.source) {
    assert(static_cast<std::size_t>(v) < values.size());
    const Vec3 c = colour_of(scale, static_cast<double>(values[static_cast<std::size_t>(v)]));
    painted.colours.push_back({c.x, c.y, c.z, 1});
  }
  DrawnMaterial plain;
  plain.colour = {1, 1, 1, 1};
  plain.is_double_sided = true;
  plain.unlit = 0.4f;
  painted.material.assign(painted.triangles.size(), static_cast<Index>(drawing.materials.size()));
  drawing.materials.push_back(plain);
}

}  // namespace dermis
