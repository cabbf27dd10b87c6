// SPDX-License-Identifier: MIT
// Plots and bars: markup that stands alone, numbers where they belong.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

#include "dermis/picture.h"

namespace dermis {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The points of the k-th curve, in pixels.
std::vector<std::pair<double, double>> drawn_points(const std::string& svg, std::size_t k) {
  std::size_t at = svg.find("fill=\"none\"");
  for (; k > 0; --k) at = svg.find("fill=\"none\"", at + 1);
  const std::size_t begin = svg.rfind("d=\"", at) + 3;
  const std::string path = svg.substr(begin, svg.find('"', begin) - begin);
  std::vector<std::pair<double, double>> points;
  const std::regex pair("[ML]([0-9.]+) ([0-9.]+)");
  for (auto found = std::sregex_iterator(path.begin(), path.end(), pair); found != std::sregex_iterator();
       ++found)
    points.emplace_back(std::stod((*found)[1]), std::stod((*found)[2]));
  return points;
}

TEST(PlotSvg, PutsEqualStepsEquallyFarApartAndMoreHigherUp) {
  const std::string svg = plot_svg({"t", "x", "y", {{"c", {0, 10, 20, 30}, {0, 1, 2, 3}}}});
  const auto points = drawn_points(svg, 0);
  ASSERT_EQ(points.size(), 4u);
  for (std::size_t k = 1; k < 4; ++k) {
    EXPECT_NEAR(points[k].first - points[k - 1].first, points[1].first - points[0].first, 0.2);
    EXPECT_NEAR(points[k].second - points[k - 1].second, points[1].second - points[0].second, 0.2);
    EXPECT_LT(points[k].second, points[k - 1].second);
  }
}

TEST(PlotSvg, LiftsThePenOverGaps) {
  const std::string svg = plot_svg({"t", "x", "y", {{"c", {0, 1, 2, 3}, {1, NAN, 2, 3}}}});
  EXPECT_EQ(drawn_points(svg, 0).size(), 3u);
  EXPECT_EQ(count_of(svg, "nan"), 0u);
}

TEST(PlotSvg, StandsCurvesWithoutPointsAndWithoutChange) {
  for (const Plot& plot : {Plot{"t", "x", "y", {}}, Plot{"t", "x", "y", {{"c", {}, {}}}},
                           Plot{"t", "x", "y", {{"c", {5, 5}, {7, 7}}}},
                           Plot{"t", "x", "y", {{"c", {0, 1}, {1e300, -1e300}}}}}) {
    const std::string svg = plot_svg(plot);
    EXPECT_EQ(count_of(svg, "nan"), 0u);
    EXPECT_EQ(count_of(svg, "inf"), 0u);
    EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  }
}

TEST(PlotSvg, NamesEveryCurveWithoutCoveringAnother) {
  Plot plot{"t", "x", "y", {}};
  for (int k = 0; k < 8; ++k) plot.curves.push_back({"curve" + std::to_string(k), {0, 1}, {1, 1}});
  const std::string svg = plot_svg(plot);
  std::vector<double> heights;
  const std::regex label("y=\"([0-9.]+)\" text-anchor=\"start\"[^>]*>curve");
  for (auto found = std::sregex_iterator(svg.begin(), svg.end(), label); found != std::sregex_iterator();
       ++found)
    heights.push_back(std::stod((*found)[1]));
  ASSERT_EQ(heights.size(), 8u);
  std::sort(heights.begin(), heights.end());
  for (std::size_t k = 1; k < heights.size(); ++k) EXPECT_GE(heights[k] - heights[k - 1], 12);
}

TEST(PlotSvg, GivesEveryLookALineOfItsOwn) {
  std::set<std::string> lines;
  for (int look = 0; look < kLooks; ++look) {
    const std::string svg = plot_svg({"t", "x", "y", {{"c", {0, 1}, {0, 1}, look}}});
    std::smatch found;
    ASSERT_TRUE(std::regex_search(svg, found, std::regex("fill=\"none\" (stroke=[^>]*)/>")));
    EXPECT_TRUE(lines.insert(found[1]).second) << look;
  }
  const std::string colours = plot_svg({"t", "x", "y", {{"c", {0, 1}, {0, 1}, kFullLooks}}});
  EXPECT_NE(colours.find("stroke-dasharray"), std::string::npos);
}

TEST(PlotSvg, ShowsNoiseAsSmallAsItIs) {
  const std::string svg = plot_svg({"t", "x", "y", {{"c", {0, 1}, {100, 100.00001}}}, 1});
  EXPECT_EQ(count_of(svg, ">100.0</text>"), 1u) << svg;
}

TEST(PlotSvg, EscapesWhatItIsCalled) {
  const std::string svg = plot_svg({"<b>&\"", "x", "y", {{"<script>", {0, 1}, {0, 1}}}});
  EXPECT_EQ(count_of(svg, "<script>"), 0u);
  EXPECT_EQ(count_of(svg, "&lt;b&gt;&amp;&quot;"), 2u);
}

TEST(BarsSvg, AreAsLongAsTheirValues) {
  const std::string svg = bars_svg({"t", {{"a", 1, "1"}, {"b", 2, "2"}, {"none", NAN, "-"}}});
  std::vector<double> widths;
  const std::regex bar("<rect x[^>]* width=\"([0-9.]+)\"");
  for (auto found = std::sregex_iterator(svg.begin(), svg.end(), bar); found != std::sregex_iterator();
       ++found)
    widths.push_back(std::stod((*found)[1]));
  ASSERT_EQ(widths.size(), 3u);
  EXPECT_NEAR(widths[1], 2 * widths[0], 0.2);
  EXPECT_EQ(widths[2], 0);
}

}  // namespace
}  // namespace dermis
