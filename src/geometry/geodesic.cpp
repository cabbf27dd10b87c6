// SPDX-License-Identifier: MIT
// Computes distances through a solid by fast marching, and reads fields over it at points.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "geometry/cell_grid.h"

namespace dermis {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
// Cells nearer to a segment than this many cells, and in sight of it, start with exact distances: there the
// front is too curved for differences; further away it hardly is.
constexpr double kSight = 12;
// A line that leaves the solid for less than this many cells, between two steps that links allow in the other
// order, only grazes an edge of the cells' staircase.
constexpr double kGraze = 0.75;

// The part of the segment in the box of the grid, in cells from its origin; false if there is none.
bool clip_to_grid(const CellGrid& grid, const Segment& s, Segment& inside) {
  const Vec3d from = grid.local(s.from), along = grid.local(s.to) - from;
  double enter = 0, leave = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double upper = grid.size[static_cast<std::size_t>(axis)];
    if (along[axis] == 0) {
      if (from[axis] < 0 || from[axis] > upper) return false;
      continue;
    }
    const double a = -from[axis] / along[axis], b = (upper - from[axis]) / along[axis];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  inside = {from + along * enter, from + along * leave};
  return enter <= leave;
}

class March {
 public:
  March(const VoxelSolid& solid, const MarchLimit& limit, std::span<float> distance)
      : solid_(solid),
        grid_{solid.origin, solid.cell, solid.size},
        limit_(limit),
        distance_(distance),
        state_(solid.cell_count(), kUntouched),
        tested_(solid.cell_count(), 0) {
    std::fill(distance.begin(), distance.end(), kFar);
  }

  // False if the segment is entirely outside.
  bool start_at(const Segment& segment) {
    std::vector<std::uint32_t> seen = cells_on(segment);
    const bool is_inside = !seen.empty();
    if (!is_inside) seen = cells_near(segment);
    for (const std::uint32_t c : seen) start_cell(c, segment);
    if (!is_inside) return false;
    ++round_;
    for (const std::uint32_t c : seen) tested_[c] = round_;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      for (const std::int32_t link : solid_.links[seen[k]]) {
        const std::size_t n = static_cast<std::size_t>(link);
        if (link < 0 || tested_[n] == round_) continue;
        tested_[n] = round_;
        const Vec3d centre = solid_.centre(n), nearest = nearest_on_segment(centre, segment.from, segment.to);
        if (length(centre - nearest) > kSight * solid_.cell || !is_in_sight(n, nearest)) continue;
        start_cell(static_cast<std::uint32_t>(n), segment);
        seen.push_back(static_cast<std::uint32_t>(n));
      }
    }
    return true;
  }

  void run() {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const std::uint64_t top = heap_.back();
      heap_.pop_back();
      const std::uint32_t c = static_cast<std::uint32_t>(top);
      const float distance = std::bit_cast<float>(static_cast<std::uint32_t>(top >> 32));
      if (state_[c] == kAccepted || distance != distance_[c]) continue;
      state_[c] = kAccepted;
      if (is_beyond_limit(c, distance)) {
        distance_[c] = kFar;
        continue;
      }
      for (const std::int32_t n : solid_.links[c]) {
        if (n >= 0 && state_[static_cast<std::size_t>(n)] == kUntouched) update(static_cast<std::size_t>(n));
      }
      if (!solid_.bridges.empty()) cross_bridges(c);
    }
  }

 private:
  enum State : std::uint8_t { kUntouched, kExact, kAccepted };

  void offer(std::size_t c, float distance) {
    if (!(distance < distance_[c])) return;
    distance_[c] = distance;
    // Lengths are not negative, so their bits have the same order. Ties go to the lower cell.
    heap_.push_back(std::uint64_t{std::bit_cast<std::uint32_t>(distance)} << 32 | c);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  void start_cell(std::uint32_t c, const Segment& segment) {
    state_[c] = kExact;
    offer(c, static_cast<float>(distance_to_segment(solid_.centre(c), segment.from, segment.to)));
  }

  // Filled cells that contain a point of the segment.
  std::vector<std::uint32_t> cells_on(const Segment& segment) const {
    std::vector<std::uint32_t> cells;
    Segment inside;
    if (!clip_to_grid(grid_, segment, inside)) return cells;
    const int steps = static_cast<int>(std::ceil(length(inside.to - inside.from) * 2)) + 1;
    for (int k = 0; k <= steps; ++k) {
      const Vec3d p = lerp(inside.from, inside.to, static_cast<double>(k) / steps);
      const std::int32_t c = solid_.find(grid_.clamped(p.x, 0), grid_.clamped(p.y, 1), grid_.clamped(p.z, 2));
      if (c >= 0) cells.push_back(static_cast<std::uint32_t>(c));
    }
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    return cells;
  }

  // The filled cells nearest to the segment, give or take a cell.
  std::vector<std::uint32_t> cells_near(const Segment& segment) const {
    std::vector<double> distances(solid_.cell_count(), INFINITY);
    double least = INFINITY;
    for (std::size_t c = 0; c < solid_.cell_count(); ++c) {
      if (solid_.is_surface[c] == 0) continue;
      distances[c] = distance_to_segment(solid_.centre(c), segment.from, segment.to);
      least = std::min(least, distances[c]);
    }
    std::vector<std::uint32_t> cells;
    for (std::size_t c = 0; c < solid_.cell_count(); ++c) {
      if (distances[c] <= least + solid_.cell) cells.push_back(static_cast<std::uint32_t>(c));
    }
    return cells;
  }

  // Follows the straight line from the centre of a cell to `place`, from link to link.
  bool is_in_sight(std::size_t c, const Vec3d& place) const {
    const Vec3d along = (place - solid_.centre(c)) * (1 / solid_.cell);
    Vec3d next{INFINITY, INFINITY, INFINITY}, step = next;
    for (int axis = 0; axis < 3; ++axis) {
      if (along[axis] == 0) continue;
      step[axis] = 1 / std::abs(along[axis]);
      next[axis] = 0.5 * step[axis];
    }
    const double graze = kGraze / length(along);
    for (;;) {
      const int first = next.x <= next.y ? (next.x <= next.z ? 0 : 2) : (next.y <= next.z ? 1 : 2);
      if (next[first] >= 1) return true;
      int axis = first;
      if (link_along(c, along, axis) < 0) {
        const int a = (first + 1) % 3, b = (first + 2) % 3;
        axis = next[a] <= next[b] ? a : b;
        if (next[axis] >= 1 || next[axis] - next[first] > graze || link_along(c, along, axis) < 0)
          return false;
      }
      c = static_cast<std::size_t>(link_along(c, along, axis));
      next[axis] += step[axis];
    }
  }

  std::int32_t link_along(std::size_t c, const Vec3d& along, int axis) const {
    return solid_.links[c][2 * static_cast<std::size_t>(axis) + (along[axis] > 0 ? 1u : 0u)];
  }

  bool is_beyond_limit(std::size_t c, float distance) const {
    if (limit_.of.empty()) return false;
    return static_cast<double>(distance) >
           limit_.ratio * std::max(static_cast<double>(limit_.of[c]), limit_.at_least);
  }

  struct Side {
    double at = 0;      // base value of the difference
    double weight = 0;  // of its square
    double lowest = INFINITY;
  };

  bool is_known(std::int32_t c) const {
    return c >= 0 && state_[static_cast<std::size_t>(c)] == kAccepted &&
           distance_[static_cast<std::size_t>(c)] < kFar;
  }

  // The upwind difference along an axis: of second order if two consecutive cells are known.
  Side upwind(std::size_t c, std::size_t axis) const {
    Side best;
    for (const std::size_t side : {2 * axis, 2 * axis + 1}) {
      const std::int32_t near = solid_.links[c][side];
      if (!is_known(near)) continue;
      const double first = static_cast<double>(distance_[static_cast<std::size_t>(near)]);
      if (first >= best.lowest) continue;
      best = {first, 1, first};
      const std::int32_t after = solid_.links[static_cast<std::size_t>(near)][side];
      if (!is_known(after)) continue;
      const double second = static_cast<double>(distance_[static_cast<std::size_t>(after)]);
      if (second <= first) best = {(4 * first - second) / 3, 2.25, first};
    }
    return best;
  }

  // sum weight (u - at)^2 = cell^2 over the axes from which u can be reached.
  void update(std::size_t c) {
    std::array<Side, 3> sides{upwind(c, 0), upwind(c, 1), upwind(c, 2)};
    std::sort(sides.begin(), sides.end(), [](const Side& s, const Side& t) { return s.lowest < t.lowest; });
    double a = 0, b = 0, e = -solid_.cell * solid_.cell, u = INFINITY;
    for (const Side& side : sides) {
      if (!(side.lowest < u)) break;
      a += side.weight, b += side.weight * side.at, e += side.weight * side.at * side.at;
      const double inner = b * b - a * e;
      if (inner < 0) break;
      const double with_side = (b + std::sqrt(inner)) / a;
      if (with_side < side.lowest) break;
      u = with_side;
    }
    if (u < INFINITY) offer(c, static_cast<float>(u));
  }

  void cross_bridges(std::uint32_t c) {
    for (std::uint32_t k = solid_.bridge_first[c]; k < solid_.bridge_first[c + 1]; ++k) {
      const VoxelSolid::Bridge& bridge = solid_.bridges[k];
      if (state_[bridge.to] == kUntouched) offer(bridge.to, distance_[c] + bridge.length);
    }
  }

  const VoxelSolid& solid_;
  CellGrid grid_;
  const MarchLimit& limit_;
  std::span<float> distance_;
  std::vector<State> state_;
  std::vector<std::uint32_t> tested_;  // per cell, the last segment (numbered from 1) tested from it
  std::uint32_t round_ = 0;
  std::vector<std::uint64_t> heap_;
};

// The slope of a field along an axis, by cell, from the neighbours it has.
float slope(const VoxelSolid& solid, std::span<const float> field, std::size_t c, std::size_t axis) {
  const std::int32_t before = solid.links[c][2 * axis], after = solid.links[c][2 * axis + 1];
  const float here = field[c];
  const float low = before >= 0 ? field[static_cast<std::size_t>(before)] : kFar;
  const float high = after >= 0 ? field[static_cast<std::size_t>(after)] : kFar;
  if (low < kFar && high < kFar) return 0.5f * (high - low);
  return low < kFar ? here - low : high < kFar ? high - here : 0.0f;
}

}  // namespace

std::size_t march_solid(const VoxelSolid& solid, std::span<const Segment> segments, const MarchLimit& limit,
                        std::span<float> distance) {
  assert(distance.size() == solid.cell_count());
  March march(solid, limit, distance);
  std::size_t outside = 0;
  for (const Segment& segment : segments) outside += march.start_at(segment) ? 0 : 1;
  march.run();
  return outside;
}

CellSample sample_cells(const VoxelSolid& solid, const Vec3d& point) {
  CellSample sample;
  const std::int32_t home = solid.find(point);
  if (home < 0) return sample;
  const Vec3d local = CellGrid{solid.origin, solid.cell, solid.size}.local(point);
  // Along each axis: the lower of the two cells whose centres enclose the point, and the distance from it.
  std::array<double, 3> part;
  unsigned corner = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double from = local[axis] - 0.5, low = std::floor(from);
    part[static_cast<std::size_t>(axis)] = from - low;
    if (std::floor(local[axis]) > low) corner |= 1u << axis;
  }
  std::array<std::int32_t, 8> cells;
  cells.fill(VoxelSolid::kNoCell);
  cells[corner] = home;
  // Three rounds reach every corner that is connected to the first.
  for (int round = 0; round < 3; ++round) {
    for (unsigned k = 0; k < 8; ++k) {
      if (cells[k] < 0) continue;
      for (unsigned axis = 0; axis < 3; ++axis) {
        const unsigned other = k ^ 1u << axis;
        const std::size_t side = 2 * axis + ((k >> axis & 1u) == 0 ? 1 : 0);
        if (cells[other] < 0) cells[other] = solid.links[static_cast<std::size_t>(cells[k])][side];
      }
    }
  }
  double sum = 0;
  std::array<double, 8> weights{};
  for (unsigned k = 0; k < 8; ++k) {
    if (cells[k] < 0) continue;
    weights[k] = 1;
    for (unsigned axis = 0; axis < 3; ++axis)
      weights[k] *= (k >> axis & 1u) != 0 ? part[axis] : 1 - part[axis];
    sum += weights[k];
  }
  for (unsigned k = 0; k < 8; ++k) {
    if (!(weights[k] > 0)) continue;
    sample.cells[static_cast<std::size_t>(sample.count)] = static_cast<std::uint32_t>(cells[k]);
    sample.weights[static_cast<std::size_t>(sample.count++)] = static_cast<float>(weights[k] / sum);
  }
  return sample;
}

double read_field(const VoxelSolid& solid, const CellSample& sample, const Vec3d& point,
                  std::span<const float> field) {
  if (sample.count == 0) return INFINITY;
  double value = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(sample.count); ++k) {
    const std::size_t c = sample.cells[k];
    if (!(field[c] < kFar)) return INFINITY;
    const Vec3d away = (point - solid.centre(c)) * (1 / solid.cell);
    double here = static_cast<double>(field[c]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      here += static_cast<double>(slope(solid, field, c, axis)) * away[static_cast<int>(axis)];
    }
    value += static_cast<double>(sample.weights[k]) * here;
  }
  return std::max(value, 0.0);
}

}  // namespace dermis
