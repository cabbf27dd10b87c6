// SPDX-License-Identifier: MIT
// The legend of a colour scale.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/picture.h"
#include "picture/colour.h"
#include "picture/ticks.h"

namespace dermis {
namespace {

struct Tick {
  double value;
  std::string text;
};

std::vector<Tick> ticks_of(const ColourScale& scale) {
  constexpr int kMostParts = 5;
  const double range = scale.high - scale.low;
  if (!(range > 0) || !std::isfinite(range)) return {{scale.low, fmt::format("{:.3g}", scale.low)}};
  const double step = round_step(range, kMostParts);
  std::vector<Tick> ticks;
  const double slack = 1e-6 * range;
  const double first = std::ceil((scale.low - slack) / step);
  for (int k = 0; k <= kMostParts && (first + k) * step <= scale.high + slack; ++k) {
    ticks.push_back({(first + k) * step, tick_text((first + k) * step, step)});
  }
  return ticks;
}

// Pixels laid out from the right; a legend takes this much of a picture's height.
struct Layout {
  TextStyle text;
  double bar_left, bar_width, bar_top, bar_height;
  double panel_left, panel_top, panel_width, panel_height;
};

double widest(const std::vector<Tick>& ticks, const TextStyle& style) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text, style));
  return width;
}

Layout layout_of(const Pixels& pixels, const ColourScale& scale, const std::vector<Tick>& ticks) {
  Layout l;
  l.text.size = std::clamp(pixels.height * 0.02, 8.0, 40.0);
  // Long titles shrink rather than leave the picture.
  const double room = pixels.width * 0.9, natural = text_width(scale.title, l.text) + 2 * l.text.size;
  if (natural > room) l.text.size = std::max(l.text.size * room / natural, 4.0);
  const double size = l.text.size, pad = size;
  l.bar_width = 1.6 * size;
  l.bar_height = std::clamp(pixels.height * 0.45, 4 * size, 30 * size);
  const double beside = l.bar_width + 0.9 * size + widest(ticks, l.text);
  const double title = scale.title.empty() ? 0 : 2.2 * size;
  l.panel_width = std::max(beside, text_width(scale.title, l.text)) + 2 * pad;
  l.panel_height = title + l.bar_height + 2 * pad;
  l.panel_left = pixels.width - l.panel_width - pad;
  l.panel_top = std::max((pixels.height - l.panel_height) / 2, 0.0);
  l.bar_left = l.panel_left + pad;
  l.bar_top = l.panel_top + pad + title;
  return l;
}

// Calls paint(pixel, x, y) for the pixels whose middle lies in a rectangle.
template <class Paint>
void in_rectangle(Pixels& pixels, double left, double top, double width, double height, const Paint& paint) {
  const auto clamped = [](double x, int limit) {
    return static_cast<int>(std::clamp(std::round(x), 0.0, static_cast<double>(limit)));
  };
  for (int y = clamped(top, pixels.height); y < clamped(top + height, pixels.height); ++y) {
    for (int x = clamped(left, pixels.width); x < clamped(left + width, pixels.width); ++x) {
      paint(pixels.at(x, y), y);
    }
  }
}

void draw_panel(Pixels& pixels, const Layout& l) {
  constexpr int kPaper = 255, kPart = 4;  // four fifths paper
  in_rectangle(pixels, l.panel_left, l.panel_top, l.panel_width, l.panel_height,
               [](std::uint8_t* pixel, int) {
                 for (int k = 0; k < 3; ++k)
                   pixel[k] = static_cast<std::uint8_t>((pixel[k] + kPart * kPaper) / (kPart + 1));
               });
}

void draw_bar(Pixels& pixels, const Layout& l, const ColourScale& scale) {
  const auto set = [](std::uint8_t* pixel, const Vec3& colour) {
    pixel[0] = byte_of_linear(colour.x);
    pixel[1] = byte_of_linear(colour.y);
    pixel[2] = byte_of_linear(colour.z);
  };
  in_rectangle(pixels, l.bar_left, l.bar_top, l.bar_width, l.bar_height, [&](std::uint8_t* pixel, int y) {
    const double up = 1 - (y + 0.5 - l.bar_top) / l.bar_height;
    set(pixel, colour_of(scale, scale.low + up * (scale.high - scale.low)));
  });
}

void draw_ticks(Pixels& pixels, const Layout& l, const ColourScale& scale, const std::vector<Tick>& ticks) {
  const double range = scale.high - scale.low;
  for (const Tick& tick : ticks) {
    const double up = range > 0 ? (tick.value - scale.low) / range : 0;
    const double y = l.bar_top + (1 - up) * l.bar_height;
    in_rectangle(pixels, l.bar_left + l.bar_width, y - 0.5, 0.4 * l.text.size, 1,
                 [&](std::uint8_t* pixel, int) { std::copy_n(l.text.colour.begin(), 3, pixel); });
    draw_text(pixels, l.bar_left + l.bar_width + 0.7 * l.text.size, y + l.text.size / 2, tick.text, l.text);
  }
}

}  // namespace

void draw_legend(Pixels& pixels, const ColourScale& scale) {
  if (pixels.empty()) return;
  const std::vector<Tick> ticks = ticks_of(scale);
  const Layout l = layout_of(pixels, scale, ticks);
  draw_panel(pixels, l);
  draw_bar(pixels, l, scale);
  draw_ticks(pixels, l, scale, ticks);
  draw_text(pixels, l.bar_left, l.panel_top + 2 * l.text.size, scale.title, l.text);
}

}  // namespace dermis
