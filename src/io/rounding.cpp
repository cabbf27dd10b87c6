// SPDX-License-Identifier: MIT
// Measures in double how well 32-bit floats represent positions.
#include "io/rounding.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <limits>

#include "io/text.h"

namespace dermis {
namespace {

// As a fraction of the overall diagonal: a longer float step is visible as stairs. Rounding moves a number by
// at most half a step.
constexpr double kVisibleStep = 1e-4;

double largest_coordinate(const Box& box) {
  double largest = 0;
  for (int axis = 0; axis < 3; ++axis)
    largest = std::max({largest, std::abs(box.lower[axis]), std::abs(box.upper[axis])});
  return largest;
}

// The distance between neighbouring floats at `size`.
double step_at(double size) {
  const auto at = static_cast<float>(size);
  return static_cast<double>(std::nextafter(at, std::numeric_limits<float>::infinity())) -
         static_cast<double>(at);
}

bool is_word(std::string_view word, std::string_view lower_case) {
  return std::equal(word.begin(), word.end(), lower_case.begin(), lower_case.end(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

}  // namespace

void Rounding::add(const Vec3d& point) {
  box_.add(point);
  for (int axis = 0; axis < 3; ++axis)
    worst_ = std::max(worst_, std::abs(point[axis] - static_cast<double>(static_cast<float>(point[axis]))));
}

void Rounding::add(const Rounding& more) {
  if (more.box_.is_empty()) return;
  box_.add(more.box_.lower);
  box_.add(more.box_.upper);
  worst_ = std::max(worst_, more.worst_);
}

void Rounding::note(Notes& notes) const {
  const double size = box_.diagonal();
  if (size == 0 || worst_ <= size * kVisibleStep / 2) return;
  notes.push_back({Note::Kind::loss, "far-from-origin",
                   fmt::format("far from the origin: 32-bit numbers are {:.2g} apart there, and the overall "
                               "size is {:.3g}; points moved by up to {:.2g}: move it to the origin first",
                               step_at(largest_coordinate(box_)), size, worst_)});
}

bool may_be_rounded(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& point : points) box.add(Vec3d(point));
  // Rounding may have made the box smaller or larger by a step; half the bound leaves room for that.
  return points.size() > 1 && step_at(largest_coordinate(box)) > box.diagonal() * kVisibleStep / 2;
}

Rounding rounding_of_lines(std::string_view text, std::string_view word) {
  Rounding rounding;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (!is_word(next_word(line), word)) continue;
    Vec3d point;
    bool is_whole = true;
    for (int axis = 0; axis < 3; ++axis) {
      line = trimmed(line);
      const char* const behind = parse_double(line.data(), line.data() + line.size(), point[axis]);
      is_whole = is_whole && behind != nullptr && std::isfinite(point[axis]);
      if (is_whole) line.remove_prefix(static_cast<std::size_t>(behind - line.data()));
    }
    if (is_whole) rounding.add(point);
  }
  return rounding;
}

}  // namespace dermis
