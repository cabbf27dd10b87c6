// SPDX-License-Identifier: MIT
// Cross-sections of a solid, and lines through their middles.
#include "rig/centreline.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_set>

namespace dermis {
namespace {

// Half the thickness of a cross-section, in cells: thick enough that no cell slips through.
constexpr double kSlab = 0.87;
// How far a cross-section reaches, in radii of the sphere around its middle: includes flat hands and feet,
// but not the trunk next to an arm.
constexpr double kReach = 2.5;
constexpr int kRounds = 3;
constexpr double kStep = 2;  // cells between places
// Where along a limb the thickness of its end is measured, and how many radii before the end a path turns
// towards the middle of it.
constexpr double kTipShare = 0.9, kTipBack = 2;

std::int32_t nearest_cell(const BodySolid& body, const Vec3d& place) {
  const std::int32_t c = body.solid.find(place);
  if (c != VoxelSolid::kNoCell) return c;
  double best = std::numeric_limits<double>::infinity();
  std::int32_t found = VoxelSolid::kNoCell;
  for (int z = -3; z <= 3; ++z) {
    for (int y = -3; y <= 3; ++y) {
      for (int x = -3; x <= 3; ++x) {
        const std::int32_t n = body.solid.find(place + Vec3d(x, y, z) * body.solid.cell);
        if (n == VoxelSolid::kNoCell) continue;
        const double distance = length(body.centres[static_cast<std::size_t>(n)] - place);
        if (distance < best) best = distance, found = n;
      }
    }
  }
  return found;
}

std::vector<Vec3d> resampled(std::span<const Vec3d> way, double step) {
  double total = 0;
  for (std::size_t k = 1; k < way.size(); ++k) total += length(way[k] - way[k - 1]);
  const auto pieces = std::max<std::size_t>(1, static_cast<std::size_t>(std::round(total / step)));
  std::vector<Vec3d> points{way.front()};
  double passed = 0;
  std::size_t next = 1;
  for (std::size_t k = 1; k < way.size(); ++k) {
    const double piece = length(way[k] - way[k - 1]);
    while (next < pieces && passed + piece >= total * double(next) / double(pieces)) {
      const double share = piece > 0 ? (total * double(next) / double(pieces) - passed) / piece : 0;
      points.push_back(way[k - 1] + (way[k] - way[k - 1]) * share);
      ++next;
    }
    passed += piece;
  }
  points.push_back(way.back());
  return points;
}

Vec3d direction_at(std::span<const Vec3d> points, std::size_t k, std::size_t reach) {
  const std::size_t a = k > reach ? k - reach : 0, b = std::min(k + reach, points.size() - 1);
  const Vec3d along = points[b] - points[a];
  const double size = length(along);
  return size > 0 ? along * (1 / size) : Vec3d{0, 1, 0};
}

std::vector<Vec3d> smoothed(std::span<const Vec3d> points) {
  std::vector<Vec3d> out(points.begin(), points.end());
  for (std::size_t k = 1; k + 1 < points.size(); ++k)
    out[k] = points[k] * 0.5 + (points[k - 1] + points[k + 1]) * 0.25;
  return out;
}

// Cells connected to `end` that are nearly as far from the middle of the body, by `reach`.
Vec3d mean_of_tip(const BodySolid& body, std::uint32_t end, double reach) {
  std::vector<std::uint32_t> cells{end};
  std::unordered_set<std::uint32_t> seen{end};
  Vec3d sum;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    sum += body.centres[cells[k]];
    for (const std::int32_t next : body.solid.links[cells[k]]) {
      if (next == VoxelSolid::kNoCell) continue;
      const auto n = static_cast<std::uint32_t>(next);
      if (body.way[n] > body.way[end] - reach && seen.insert(n).second) cells.push_back(n);
    }
  }
  return sum * (1 / static_cast<double>(cells.size()));
}

// A path to the middle of a limb's end (a sole, a fist) instead of the corner that happens to be farthest.
std::vector<Vec3d> way_to_tip(const BodySolid& body, std::span<const Vec3d> way, double radius) {
  const std::int32_t end = body.solid.find(way.back());
  std::size_t kept = way.size();
  while (kept > 1 && length(way[kept - 1] - way.back()) < kTipBack * radius) --kept;
  std::vector<Vec3d> straight(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(kept));
  const Vec3d mean =
      end == VoxelSolid::kNoCell ? way.back() : mean_of_tip(body, static_cast<std::uint32_t>(end), radius);
  const Vec3d along = mean - straight.back();
  if (!(length(along) > 0)) return {way.begin(), way.end()};
  straight.push_back(mean);
  const Vec3d step = normalized(along) * (0.5 * body.solid.cell);
  Vec3d tip = mean;
  while (body.solid.find(tip + step) != VoxelSolid::kNoCell && length(tip - mean) < 2 * radius) tip += step;
  straight.push_back(tip);
  return straight;
}

Centreline trace(const BodySolid& body, CrossSections& sections, std::span<const Vec3d> way) {
  Centreline line;
  line.points = resampled(way, kStep * body.solid.cell);
  for (int round = 0; round < kRounds; ++round) {
    line.points = smoothed(smoothed(line.points));
    std::vector<Vec3d> centred = line.points;
    line.radius.assign(line.points.size(), 0);
    for (std::size_t k = 0; k < line.points.size(); ++k) {
      const std::int32_t c = nearest_cell(body, line.points[k]);
      const double depth = c == VoxelSolid::kNoCell ? 0 : body.field.depth[static_cast<std::size_t>(c)];
      const double reach = kReach * std::max(depth, 2 * body.solid.cell);
      const CrossSections::Section section =
          sections.through(line.points[k], direction_at(line.points, k, 3), reach);
      line.radius[k] = section.radius;
      if (k > 0 && k + 1 < line.points.size()) centred[k] = section.centre;
    }
    line.points = centred;
  }
  line.points = smoothed(line.points);
  line.along.assign(line.points.size(), 0);
  for (std::size_t k = 1; k < line.points.size(); ++k)
    line.along[k] = line.along[k - 1] + length(line.points[k] - line.points[k - 1]);
  return line;
}

}  // namespace

CrossSections::Section CrossSections::through(const Vec3d& place, const Vec3d& along, double reach) {
  const VoxelSolid& solid = body_.solid;
  const std::int32_t start = nearest_cell(body_, place);
  if (start == VoxelSolid::kNoCell) return {place, 0};
  ++count_;
  cells_.assign(1, static_cast<std::uint32_t>(start));
  seen_[cells_.front()] = count_;
  Vec3d sum;
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const Vec3d offset = body_.centres[cells_[k]] - place;
    sum += offset - along * dot(offset, along);
    for (const std::int32_t next : solid.links[cells_[k]]) {
      if (next == VoxelSolid::kNoCell || seen_[static_cast<std::size_t>(next)] == count_) continue;
      const Vec3d to = body_.centres[static_cast<std::size_t>(next)] - place;
      if (std::abs(dot(to, along)) > kSlab * solid.cell || dot(to, to) > reach * reach) continue;
      seen_[static_cast<std::size_t>(next)] = count_;
      cells_.push_back(static_cast<std::uint32_t>(next));
    }
  }
  const auto count = static_cast<double>(cells_.size());
  return {place + sum * (1 / count),
          std::sqrt(count * solid.cell * solid.cell / (2 * kSlab * std::numbers::pi))};
}

Centreline trace_centreline(const BodySolid& body, std::span<const Vec3d> way, bool is_tip) {
  CrossSections sections(body);
  Centreline line = trace(body, sections, way);
  if (!is_tip || way.size() < 3) return line;
  return trace(body, sections, way_to_tip(body, way, radius_at(line, kTipShare * line.length())));
}

double nearest_along(const Centreline& line, const Vec3d& place) {
  const auto nearest =
      std::min_element(line.points.begin(), line.points.end(),
                       [&](const Vec3d& a, const Vec3d& b) { return length(a - place) < length(b - place); });
  return line.along[static_cast<std::size_t>(nearest - line.points.begin())];
}

Vec3d point_at(const Centreline& line, double along) {
  const auto next = std::upper_bound(line.along.begin(), line.along.end(), along);
  if (next == line.along.begin()) return line.points.front();
  if (next == line.along.end()) return line.points.back();
  const auto k = static_cast<std::size_t>(next - line.along.begin());
  const double share = (along - line.along[k - 1]) / (line.along[k] - line.along[k - 1]);
  return line.points[k - 1] + (line.points[k] - line.points[k - 1]) * share;
}

double radius_at(const Centreline& line, double along) {
  const auto next = std::upper_bound(line.along.begin(), line.along.end(), along);
  if (next == line.along.begin()) return line.radius.front();
  if (next == line.along.end()) return line.radius.back();
  const auto k = static_cast<std::size_t>(next - line.along.begin());
  const double share = (along - line.along[k - 1]) / (line.along[k] - line.along[k - 1]);
  return line.radius[k - 1] + (line.radius[k] - line.radius[k - 1]) * share;
}

}  // namespace dermis
