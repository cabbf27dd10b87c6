// SPDX-License-Identifier: MIT
// Text on pixels, with strokes antialiased by distance.
#include <algorithm>
#include <cmath>

#include "dermis/geometry.h"
#include "dermis/picture.h"
#include "picture/flat.h"
#include "picture/font.h"

namespace dermis {
namespace {

// Width of a stroke, relative to the height of a capital; never so thin that it fades.
constexpr double kPlain = 0.115, kBold = 0.185, kThinnest = 1.05;
// Dots are a little wider than strokes.
constexpr double kDotWidth = 1.25;

double stroke_width(const TextStyle& style) {
  return std::max((style.is_bold ? kBold : kPlain) * style.size, kThinnest);
}

// Strokes of bold letters are wider, with the same spacing.
double advance_of(char32_t letter, const TextStyle& style) {
  const double more = style.is_bold ? kCapital * (kBold - kPlain) : 0;
  return (glyph_of(letter).advance + more) * style.size / kCapital;
}

double distance_to(double x, double y, const Vec2& a, const Vec2& b) {
  return distance_to_segment({x, y, 0}, on_page(a), on_page(b));
}

// How much of a pixel a stroke covers; all in pixels.
double cover_of(const Stroke& stroke, double x, double y, double width) {
  double nearest = INFINITY;
  for (std::size_t k = 0; k + 1 < stroke.points.size(); ++k) {
    nearest = std::min(nearest, distance_to(x, y, stroke.points[k], stroke.points[k + 1]));
  }
  double half = width / 2;
  if (stroke.points.size() == 1) {
    nearest = distance_to(x, y, stroke.points[0], stroke.points[0]);
    half *= kDotWidth;
  }
  return std::clamp(half + 0.5 - nearest, 0.0, 1.0);
}

void mix(std::uint8_t* pixel, const std::array<std::uint8_t, 3>& colour, double cover) {
  for (std::size_t k = 0; k < 3; ++k) {
    pixel[k] = static_cast<std::uint8_t>(std::lround(pixel[k] + (colour[k] - pixel[k]) * cover));
  }
}

Glyph placed(const Glyph& glyph, double x, double y, double scale) {
  Glyph there = glyph;
  for (Stroke& stroke : there.strokes) {
    for (Vec2& p : stroke.points) {
      p = {static_cast<float>(x + scale * static_cast<double>(p.x)),
           static_cast<float>(y - scale * static_cast<double>(p.y))};
    }
  }
  return there;
}

// The pixels from `low` to `high`, clamped to the picture.
struct Range {
  int begin, end;
  Range(double low, double high, int count)
      : begin(static_cast<int>(std::clamp(std::floor(low), 0.0, static_cast<double>(count)))),
        end(static_cast<int>(std::clamp(std::ceil(high), 0.0, static_cast<double>(count)))) {}
};

void draw_glyph(Pixels& pixels, const Glyph& glyph, double width, const TextStyle& style) {
  double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
  for (const Stroke& stroke : glyph.strokes) {
    for (const Vec2& p : stroke.points) {
      left = std::min(left, static_cast<double>(p.x)), right = std::max(right, static_cast<double>(p.x));
      top = std::min(top, static_cast<double>(p.y)), bottom = std::max(bottom, static_cast<double>(p.y));
    }
  }
  const double rim = width + 1;
  const Range columns(left - rim, right + rim, pixels.width), rows(top - rim, bottom + rim, pixels.height);
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = columns.begin; x < columns.end; ++x) {
      double cover = 0;
      for (const Stroke& stroke : glyph.strokes) {
        cover = std::max(cover, cover_of(stroke, x + 0.5, y + 0.5, width));
      }
      if (cover > 0) mix(pixels.at(x, y), style.colour, cover);
    }
  }
}

}  // namespace

void draw_text(Pixels& pixels, double x, double y, std::string_view text, const TextStyle& style) {
  const double scale = style.size / kCapital;
  if (!(scale > 0) || !std::isfinite(scale + x + y)) return;
  for (const char32_t letter : letters_of(text)) {
    const Glyph& glyph = glyph_of(letter);
    const bool is_near = x > -2 * style.size * kCapital && x < pixels.width + style.size;
    if (is_near && !glyph.strokes.empty()) {
      draw_glyph(pixels, placed(glyph, x, y, scale), stroke_width(style), style);
    }
    x += advance_of(letter, style);
  }
}

double text_width(std::string_view text, const TextStyle& style) {
  double width = 0;
  for (const char32_t letter : letters_of(text)) width += advance_of(letter, style);
  return width;
}

bool can_draw_text(std::string_view text) {
  const std::u32string letters = letters_of(text);
  return std::all_of(letters.begin(), letters.end(), has_glyph);
}

}  // namespace dermis
