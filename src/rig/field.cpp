// SPDX-License-Identifier: MIT
// Depth, medial surface and limb ends of a solid.
#include "rig/field.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace dermis {
namespace {

// Directions to the surface that differ by more than this angle meet at the medial surface; 120 degrees in
// the paper of Baran and Popovic, 90 in their program, which keeps the middle of limbs a few cells across.
constexpr float kMedialCosine = 0;

constexpr std::uint32_t kUnseen = UINT32_MAX;

Vec3d side_offset(int side) {
  Vec3d offset;
  offset[side / 2] = side % 2 == 0 ? -0.5 : 0.5;
  return offset;
}

}  // namespace

DepthField measure_depth(const VoxelSolid& solid) {
  const std::size_t count = solid.cell_count();
  DepthField field;
  field.depth.assign(count, std::numeric_limits<float>::infinity());
  field.nearest.resize(count);
  using Entry = std::pair<float, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto offer = [&](std::size_t c, const Vec3d& place) {
    const auto depth = static_cast<float>(length(solid.centre(c) - place));
    if (!(depth < field.depth[c])) return;
    field.depth[c] = depth;
    field.nearest[c] = Vec3(place);
    queue.emplace(depth, static_cast<std::uint32_t>(c));
  };
  for (std::size_t c = 0; c < count; ++c) {
    for (int side = 0; side < 6; ++side) {
      if (solid.links[c][static_cast<std::size_t>(side)] == VoxelSolid::kNoCell)
        offer(c, solid.centre(c) + side_offset(side) * solid.cell);
    }
  }
  while (!queue.empty()) {
    const auto [depth, c] = queue.top();
    queue.pop();
    if (depth > field.depth[c]) continue;
    for (const std::int32_t next : solid.links[c]) {
      if (next != VoxelSolid::kNoCell) offer(static_cast<std::size_t>(next), Vec3d(field.nearest[c]));
    }
  }
  return field;
}

std::vector<std::uint32_t> medial_cells(const VoxelSolid& solid, const DepthField& field) {
  const auto outwards = [&](std::size_t c) { return normalized(field.nearest[c] - Vec3(solid.centre(c))); };
  std::vector<std::uint32_t> cells;
  for (std::uint32_t c = 0; c < solid.cell_count(); ++c) {
    const Vec3 own = outwards(c);
    const bool is_medial = std::any_of(solid.links[c].begin(), solid.links[c].end(), [&](std::int32_t next) {
      if (next == VoxelSolid::kNoCell) return false;
      const auto n = static_cast<std::size_t>(next);
      // Of two cells on either side, the deeper one represents the place between them.
      return dot(own, outwards(n)) <= kMedialCosine && field.depth[n] <= field.depth[c];
    });
    if (is_medial) cells.push_back(c);
  }
  std::sort(cells.begin(), cells.end(), [&](std::uint32_t a, std::uint32_t b) {
    return field.depth[a] != field.depth[b] ? field.depth[a] > field.depth[b] : a < b;
  });
  return cells;
}

std::vector<LimbEnd> find_limb_ends(const VoxelSolid& solid, std::span<const float> way, double least,
                                    const std::vector<bool>& taken) {
  const std::size_t count = solid.cell_count();
  std::vector<std::uint32_t> order(count), owner(count, kUnseen), top(count);
  std::iota(order.begin(), order.end(), 0u);
  if (!taken.empty()) std::erase_if(order, [&](std::uint32_t c) { return !taken[c]; });
  if (order.empty()) return {};
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return way[a] != way[b] ? way[a] > way[b] : a < b; });
  const auto root = [&](std::uint32_t c) {
    while (owner[c] != c) c = owner[c] = owner[owner[c]];
    return c;
  };
  std::vector<LimbEnd> ends;
  const auto close = [&](std::uint32_t end, std::uint32_t at) {
    const double prominence = double{way[end]} - way[at];
    if (prominence >= least) ends.push_back({end, way[end], prominence, at});
  };
  const auto join = [&](std::uint32_t c, std::uint32_t next) {
    if (owner[next] == kUnseen) return;
    std::uint32_t a = root(c), b = root(next);
    if (a == b) return;
    // The limb that reaches farther continues, the other one ends here.
    if (way[top[a]] < way[top[b]]) std::swap(a, b);
    if (top[b] != c) close(top[b], c);
    owner[b] = a;
  };
  for (const std::uint32_t c : order) {
    owner[c] = c;
    top[c] = c;
    for (const std::int32_t next : solid.links[c]) {
      if (next != VoxelSolid::kNoCell) join(c, static_cast<std::uint32_t>(next));
    }
    if (solid.bridge_first.empty()) continue;
    for (std::uint32_t b = solid.bridge_first[c]; b < solid.bridge_first[c + 1]; ++b)
      join(c, solid.bridges[b].to);
  }
  for (std::uint32_t c = 0; c < count; ++c) {
    if (owner[c] == c) close(top[c], order.back());
  }
  std::sort(ends.begin(), ends.end(), [](const LimbEnd& a, const LimbEnd& b) {
    return a.prominence != b.prominence ? a.prominence > b.prominence : a.cell < b.cell;
  });
  return ends;
}

}  // namespace dermis
