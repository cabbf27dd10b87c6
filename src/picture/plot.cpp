// SPDX-License-Identifier: MIT
// Curves and bars as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/picture.h"
#include "picture/svg.h"
#include "picture/ticks.h"

namespace dermis {
namespace {

constexpr double kWidth = 720, kHeight = 420;
constexpr int kMostParts = 7;  // of an axis's range, before rounding to whole steps
constexpr double kLeft = 76, kRight = 150, kTop = 44, kBottom = 56;  // room around the curves

// The numbers an axis shows.
struct Axis {
  double low = 0, high = 1;
  double step = 0.2;  // between ticks
};

// Whole steps around all finite numbers, spanning at least `least`; constant curves get a little space.
Axis fit_axis(const std::vector<Curve>& curves, std::vector<double> Curve::*values, double least) {
  double low = INFINITY, high = -INFINITY;
  for (const Curve& curve : curves) {
    for (const double value : curve.*values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) return {};
  if (high - low < least) {
    const double middle = (low + high) / 2;
    low = middle - least / 2;
    high = middle + least / 2;
  }
  if (high - low < 1e-9 * std::max(std::abs(low), std::abs(high)) || high == low) {
    const double air = high == 0 ? 1 : 0.1 * std::abs(high);
    low -= air;
    high += air;
  }
  const double step = round_step(high - low, kMostParts);
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step};
}

// From numbers to positions in the picture.
struct Frame {
  Axis x, y;
  double left(double value) const {
    return kLeft + (value - x.low) / (x.high - x.low) * (kWidth - kLeft - kRight);
  }
  double top(double value) const {
    return kHeight - kBottom - (value - y.low) / (y.high - y.low) * (kHeight - kTop - kBottom);
  }
};

std::string text_at(double x, double y, const char* anchor, std::string_view text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

std::string svg_open(double height, std::string_view title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:g} {:g}\" width=\"{:g}\" height=\"{:g}\" "
      "role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#22262b\">\n"
      "<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      kWidth, height, kWidth, height, escaped(title));
}

std::string grid(const Frame& frame) {
  std::string out = "<g stroke=\"#dde1e6\" stroke-width=\"1\">\n";
  std::string numbers = "<g fill=\"#555b63\">\n";
  const double bottom = kHeight - kBottom, right = kWidth - kRight;
  const auto ticks = [](const Axis& axis) { return std::lround((axis.high - axis.low) / axis.step); };
  for (long k = 0; k <= ticks(frame.x); ++k) {
    const double value = frame.x.low + static_cast<double>(k) * frame.x.step, at = frame.left(value);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", at, kTop, bottom);
    numbers += text_at(at, bottom + 18, "middle", tick_text(value, frame.x.step));
  }
  for (long k = 0; k <= ticks(frame.y); ++k) {
    const double value = frame.y.low + static_cast<double>(k) * frame.y.step, at = frame.top(value);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", kLeft, at, right);
    numbers += text_at(kLeft - 8, at + 4, "end", tick_text(value, frame.y.step));
  }
  return out + "</g>\n" + numbers + "</g>\n";
}

// A path that is interrupted at gaps.
std::string path_of(const Curve& curve, const Frame& frame) {
  std::string path;
  bool is_down = false;
  for (std::size_t k = 0; k < std::min(curve.x.size(), curve.y.size()); ++k) {
    if (!std::isfinite(curve.x[k]) || !std::isfinite(curve.y[k])) {
      is_down = false;
      continue;
    }
    path +=
        fmt::format("{}{:.1f} {:.1f}", is_down ? 'L' : 'M', frame.left(curve.x[k]), frame.top(curve.y[k]));
    is_down = true;
  }
  return path;
}

// The end of each curve, pushed apart so that the names on the right do not overlap.
std::vector<double> label_heights(const std::vector<Curve>& curves, const Frame& frame) {
  constexpr double kLine = 16;
  std::vector<std::size_t> order(curves.size());
  std::vector<double> heights(curves.size(), kTop);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    order[c] = c;
    for (const double y : curves[c].y) heights[c] = std::isfinite(y) ? frame.top(y) : heights[c];
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return heights[a] < heights[b]; });
  for (std::size_t k = 1; k < order.size(); ++k)
    heights[order[k]] = std::max(heights[order[k]], heights[order[k - 1]] + kLine);
  double lowest = kHeight - kBottom;
  for (std::size_t k = order.size(); k-- > 0;) {
    heights[order[k]] = std::min(heights[order[k]], lowest);
    lowest = heights[order[k]] - kLine;
  }
  return heights;
}

}  // namespace

std::string plot_svg(const Plot& plot) {
  const Frame frame{fit_axis(plot.curves, &Curve::x, 0),
                    fit_axis(plot.curves, &Curve::y, plot.least_y_range)};
  const double middle = 0.5 * (kLeft + kWidth - kRight);
  std::string svg = svg_open(kHeight, plot.title);
  svg += text_at(middle, 24, "middle", plot.title, " font-size=\"16\" font-weight=\"600\"");
  svg += grid(frame);
  svg += text_at(middle, kHeight - 14, "middle", plot.x_title);
  svg += fmt::format("<g transform=\"translate(20 {:.1f}) rotate(-90)\">{}</g>\n",
                     0.5 * (kTop + kHeight - kBottom), text_at(0, 0, "middle", plot.y_title));
  const std::vector<double> heights = label_heights(plot.curves, frame);
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const Curve& curve = plot.curves[c];
    const std::size_t look = curve.look < 0 ? c + 1 : static_cast<std::size_t>(curve.look);
    svg += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.2\" stroke-linejoin=\"round\"{}/>\n",
        path_of(curve, frame), curve_colour(look),
        look < static_cast<std::size_t>(kFullLooks) ? "" : " stroke-dasharray=\"6 4\"");
    svg += text_at(kWidth - kRight + 8, heights[c] + 4, "start", curve.name,
                   fmt::format(" fill=\"{}\"", curve_colour(look)).c_str());
  }
  return svg + "</svg>\n";
}

std::string bars_svg(const BarChart& chart) {
  constexpr double kNames = 170, kLabels = 110, kBar = 26, kHead = 44;
  const double height = kHead + kBar * static_cast<double>(chart.bars.size()) + 14;
  double most = 0;
  for (const BarChart::Bar& bar : chart.bars)
    most = std::isfinite(bar.value) ? std::max(most, bar.value) : most;
  std::string svg = svg_open(height, chart.title);
  svg += text_at(kWidth / 2, 24, "middle", chart.title, " font-size=\"16\" font-weight=\"600\"");
  for (std::size_t k = 0; k < chart.bars.size(); ++k) {
    const BarChart::Bar& bar = chart.bars[k];
    const double top = kHead + kBar * static_cast<double>(k);
    const double length = most > 0 && bar.value > 0 ? bar.value / most * (kWidth - kNames - kLabels) : 0;
    svg += text_at(kNames - 8, top + 16, "end", bar.name);
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" fill=\"{}\"/>\n", kNames,
        top + 3, length, kBar - 8, curve_colour(1));
    svg += text_at(kNames + length + 6, top + 16, "start", bar.label);
  }
  return svg + "</svg>\n";
}

}  // namespace dermis
