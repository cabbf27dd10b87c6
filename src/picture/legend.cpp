// SPDX-License-Identifier: MIT
// The legend of a colour scale.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/picture.h"
#include "picture/colour.h"
#include "picture/svg.h"
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
  if (scale.is_flat) return {{(scale.low + scale.high) / 2, "no difference"}};
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

constexpr std::array<std::uint8_t, 3> kLegendPaper{255, 255, 255};

// The layout of the margin.
struct LegendLayout {
  TextStyle text;
  std::vector<std::string> title;  // line by line
  double bar_width, bar_top, bar_height, title_base, line;
  double width;
  double left() const { return text.size; }
};

// Words in short lines; a longer word gets its own line.
std::vector<std::string> lines_of(std::string_view title) {
  constexpr std::size_t kLineLetters = 14;
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < title.size();) {
    const std::size_t end = std::min(title.find(' ', begin), title.size());
    const std::string_view word = title.substr(begin, end - begin);
    if (!lines.empty() && lines.back().size() + 1 + word.size() <= kLineLetters)
      lines.back().append(" ").append(word);
    else
      lines.emplace_back(word);
    begin = end + 1;
  }
  return lines;
}

double widest(const std::vector<std::string>& lines, const TextStyle& style) {
  double width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line, style));
  return width;
}

double widest(const std::vector<Tick>& ticks, const TextStyle& style) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text, style));
  return width;
}

LegendLayout layout_of(int height, const ColourScale& scale, const std::vector<Tick>& ticks) {
  constexpr double kWidest = 0.3;  // of the height; a long joint name shrinks instead of taking more
  LegendLayout l;
  l.text.size = std::clamp(height * 0.02, 8.0, 40.0);
  l.title = lines_of(scale.title);
  const double natural = widest(l.title, l.text);
  if (natural > kWidest * height) l.text.size = std::max(l.text.size * kWidest * height / natural, 5.0);
  const double size = l.text.size;
  l.bar_width = 1.6 * size;
  l.bar_height = std::clamp(height * 0.45, 4 * size, 30 * size);
  l.line = 1.7 * size;
  const double title = l.title.empty() ? 0 : l.line * static_cast<double>(l.title.size()) + 0.8 * size;
  const double top = std::max((height - title - l.bar_height) / 2, 0.0);
  l.title_base = top + size;
  l.bar_top = top + title;
  const double beside = l.bar_width + 0.9 * size + widest(ticks, l.text);
  l.width = std::ceil(std::max(beside, widest(l.title, l.text)) + 2 * size);
  return l;
}

// Calls paint(pixel, x, y) for the pixels whose centre lies in a rectangle.
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

void draw_bar(Pixels& pixels, double left, const LegendLayout& l, const ColourScale& scale) {
  const auto set = [](std::uint8_t* pixel, const Vec3& colour) {
    pixel[0] = byte_of_linear(colour.x);
    pixel[1] = byte_of_linear(colour.y);
    pixel[2] = byte_of_linear(colour.z);
  };
  in_rectangle(pixels, left, l.bar_top, l.bar_width, l.bar_height, [&](std::uint8_t* pixel, int y) {
    const double up = 1 - (y + 0.5 - l.bar_top) / l.bar_height;
    set(pixel, colour_of(scale, scale.low + up * (scale.high - scale.low)));
  });
}

void draw_ticks(Pixels& pixels, double left, const LegendLayout& l, const ColourScale& scale,
                const std::vector<Tick>& ticks) {
  const double range = scale.high - scale.low;
  for (const Tick& tick : ticks) {
    const double up = range > 0 ? (tick.value - scale.low) / range : 0;
    const double y = l.bar_top + (1 - up) * l.bar_height;
    in_rectangle(pixels, left + l.bar_width, y - 0.5, 0.4 * l.text.size, 1,
                 [&](std::uint8_t* pixel, int) { std::copy_n(l.text.colour.begin(), 3, pixel); });
    draw_text(pixels, left + l.bar_width + 0.7 * l.text.size, y + l.text.size / 2, tick.text, l.text);
  }
}

std::string hex_of(const Vec3& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", byte_of_linear(colour.x), byte_of_linear(colour.y),
                     byte_of_linear(colour.z));
}

}  // namespace

int legend_width(const ColourScale& scale, int height) {
  return static_cast<int>(layout_of(height, scale, ticks_of(scale)).width);
}

Pixels with_legend(const Pixels& pixels, const ColourScale& scale) {
  if (pixels.empty()) return pixels;
  const std::vector<Tick> ticks = ticks_of(scale);
  const LegendLayout l = layout_of(pixels.height, scale, ticks);
  Pixels wider = blank_pixels(pixels.width + static_cast<int>(l.width), pixels.height, kLegendPaper[0],
                              kLegendPaper[1], kLegendPaper[2]);
  for (int y = 0; y < pixels.height; ++y)
    std::copy_n(pixels.at(0, y), 4 * static_cast<std::size_t>(pixels.width), wider.at(0, y));
  const double left = pixels.width + l.left();
  draw_bar(wider, left, l, scale);
  draw_ticks(wider, left, l, scale, ticks);
  for (std::size_t k = 0; k < l.title.size(); ++k)
    draw_text(wider, left, l.title_base + l.line * static_cast<double>(k), l.title[k], l.text);
  return wider;
}

std::string legend_svg(const ColourScale& scale) {
  constexpr int kParts = 60;
  constexpr double kWidth = 480, kHeight = 64, kLeft = 14, kTop = 24, kBar = 16;
  constexpr double kLength = kWidth - 2 * kLeft;
  const double range = scale.high - scale.low;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:g} {:g}\" width=\"{:g}\" height=\"{:g}\" "
      "role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#22262b\">\n"
      "<text x=\"{:g}\" y=\"16\">{}</text>\n",
      kWidth, kHeight, kWidth, kHeight, kLeft, escaped(scale.title));
  for (int k = 0; k < kParts; ++k) {
    const double at = kLeft + kLength * k / kParts;
    const Vec3 colour = colour_of(scale, scale.low + range * (k + 0.5) / kParts);
    // A little wider than its share: no gaps from rounding to pixels.
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:g}\" width=\"{:.2f}\" height=\"{:g}\" fill=\"{}\"/>\n", at,
                       kTop, kLength / kParts + (k + 1 < kParts ? 0.5 : 0), kBar, hex_of(colour));
  }
  for (const Tick& tick : ticks_of(scale)) {
    const double share = range > 0 && std::isfinite(range) ? (tick.value - scale.low) / range : 0;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n",
                       kLeft + share * kLength, kTop + kBar + 16, escaped(tick.text));
  }
  return svg + "</svg>\n";
}

}  // namespace dermis
