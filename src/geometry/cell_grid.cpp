// SPDX-License-Identifier: MIT
// Tests triangles against boxes, and finds regions of empty cells by joining runs.
#include "geometry/cell_grid.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace dermis {
namespace {

constexpr double kSlack = 1e-9;

// True if the triangle, relative to the centre of the box, lies beyond the box along an axis.
bool is_apart(const LocalTriangle& t, const Vec3d& axis, const Vec3d& half) {
  const double a = dot(t[0], axis), b = dot(t[1], axis), c = dot(t[2], axis);
  const double reach = half.x * std::abs(axis.x) + half.y * std::abs(axis.y) + half.z * std::abs(axis.z);
  const double slack = kSlack * (std::abs(axis.x) + std::abs(axis.y) + std::abs(axis.z));
  return std::min({a, b, c}) > reach + slack || std::max({a, b, c}) < -reach - slack;
}

// The first position from `from` to `end` whose bit is `value`, or end.
std::size_t next_bit(const CellBits& bits, std::size_t from, std::size_t end, bool value) {
  while (from < end) {
    const std::uint64_t word = (value ? bits[from / 64] : ~bits[from / 64]) >> from % 64;
    if (word != 0) return std::min(end, from + static_cast<std::size_t>(std::countr_zero(word)));
    from = (from / 64 + 1) * 64;
  }
  return end;
}

class RunJoiner {
 public:
  explicit RunJoiner(std::vector<CellRegions::Run>& runs) : runs_(runs) {
    for (std::size_t r = 0; r < runs.size(); ++r) runs[r].region = static_cast<std::uint32_t>(r);
  }
  std::uint32_t root(std::uint32_t r) {
    while (runs_[r].region != r) r = runs_[r].region = runs_[runs_[r].region].region;
    return r;
  }
  // Joins runs of two rows, `shift` positions apart, that overlap.
  void join_rows(std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end, std::size_t shift) {
    while (a < a_end && b < b_end) {
      const std::size_t a_from = runs_[a].place + shift, a_to = a_from + runs_[a].length;
      const std::size_t b_from = runs_[b].place, b_to = b_from + runs_[b].length;
      if (a_from < b_to && b_from < a_to) join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
      a_to <= b_to ? ++a : ++b;
    }
  }

 private:
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    runs_[std::max(a, b)].region = std::min(a, b);
  }
  std::vector<CellRegions::Run>& runs_;
};

// Runs of all rows; row k has runs[first[k] .. first[k + 1]).
std::vector<std::size_t> list_runs(const CellGrid& grid, const CellBits& bits, std::int32_t block,
                                   std::vector<CellRegions::Run>& runs) {
  const std::size_t wide = static_cast<std::size_t>(grid.size[0]);
  const std::size_t row_count = grid.cell_count() / wide;
  std::vector<std::size_t> first{0};
  first.reserve(row_count + 1);
  for (std::size_t row = 0; row < row_count; ++row) {
    const std::size_t begin = row * wide, end = begin + wide;
    for (std::size_t from = next_bit(bits, begin, end, false); from < end;) {
      std::size_t to = next_bit(bits, from, end, true);
      if (block > 0) {
        const std::size_t wall = static_cast<std::size_t>(block);
        to = std::min(to, begin + ((from - begin) / wall + 1) * wall);
      }
      runs.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to - from), 0});
      from = next_bit(bits, to, end, false);
    }
    first.push_back(runs.size());
  }
  return first;
}

}  // namespace

bool does_touch_box(const LocalTriangle& t, const Vec3d& centre, const Vec3d& half) {
  const LocalTriangle from_centre{t[0] - centre, t[1] - centre, t[2] - centre};
  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] = std::minmax({from_centre[0][axis], from_centre[1][axis], from_centre[2][axis]});
    if (low > half[axis] + kSlack || high < -half[axis] - kSlack) return false;
  }
  const Vec3d edges[3] = {t[1] - t[0], t[2] - t[1], t[0] - t[2]};
  if (is_apart(from_centre, cross(edges[0], edges[1]), half)) return false;
  for (const Vec3d& e : edges) {
    if (is_apart(from_centre, {0, -e.z, e.y}, half) || is_apart(from_centre, {e.z, 0, -e.x}, half) ||
        is_apart(from_centre, {-e.y, e.x, 0}, half)) {
      return false;
    }
  }
  return true;
}

CellRegions list_regions(const CellGrid& grid, const CellBits& bits, std::int32_t block) {
  CellRegions regions;
  const std::vector<std::size_t> first = list_runs(grid, bits, block, regions.runs);
  RunJoiner joiner(regions.runs);
  const std::size_t wide = static_cast<std::size_t>(grid.size[0]),
                    high = static_cast<std::size_t>(grid.size[1]);
  const auto is_wall = [block](std::size_t along) {
    return along == 0 || (block > 0 && along % static_cast<std::size_t>(block) == 0);
  };
  for (std::size_t row = 0; row + 1 < first.size(); ++row) {
    if (!is_wall(row % high)) {
      joiner.join_rows(first[row - 1], first[row], first[row], first[row + 1], wide);
    }
    if (!is_wall(row / high)) {
      joiner.join_rows(first[row - high], first[row - high + 1], first[row], first[row + 1], wide * high);
    }
  }
  // Roots are the lowest runs of their regions, so numbers are assigned before they are needed.
  std::vector<std::uint32_t> number(regions.runs.size());
  std::vector<std::uint32_t> longest;
  for (std::uint32_t r = 0; r < regions.runs.size(); ++r) {
    const std::uint32_t root = joiner.root(r);
    if (root == r) {
      number[r] = static_cast<std::uint32_t>(longest.size());
      longest.push_back(r);
    }
    std::uint32_t& best = longest[number[root]];
    if (regions.runs[r].length > regions.runs[best].length) best = r;
  }
  for (std::uint32_t r = static_cast<std::uint32_t>(regions.runs.size()); r-- > 0;) {
    number[r] = number[joiner.root(r)];
  }
  for (std::size_t r = 0; r < regions.runs.size(); ++r) regions.runs[r].region = number[r];
  regions.inner.reserve(longest.size());
  for (const std::uint32_t r : longest) {
    regions.inner.push_back(regions.runs[r].place + regions.runs[r].length / 2);
  }
  return regions;
}

}  // namespace dermis
