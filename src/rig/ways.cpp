// SPDX-License-Identifier: MIT
// Dijkstra's shortest paths through the cells of a solid, weighted by depth.
#include "rig/ways.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace dermis {

DeepWays::DeepWays(const BodySolid& body, std::uint32_t from)
    : body_(body), before_(body.solid.cell_count(), from) {
  const VoxelSolid& solid = body.solid;
  std::vector<float> cost(solid.cell_count(), std::numeric_limits<float>::infinity());
  using Entry = std::pair<float, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  cost[from] = 0;
  queue.emplace(0.0f, from);
  const auto offer = [&](std::uint32_t c, std::uint32_t next, double length) {
    const double depth = body.field.depth[next] / solid.cell;
    const auto offered = static_cast<float>(double{cost[c]} + length / (solid.cell * depth * depth));
    if (!(offered < cost[next])) return;
    cost[next] = offered;
    before_[next] = c;
    queue.emplace(offered, next);
  };
  while (!queue.empty()) {
    const auto [spent, c] = queue.top();
    queue.pop();
    if (spent > cost[c]) continue;
    for (const std::int32_t next : solid.links[c])
      if (next != VoxelSolid::kNoCell) offer(c, static_cast<std::uint32_t>(next), solid.cell);
    if (solid.bridge_first.empty()) continue;
    for (std::uint32_t b = solid.bridge_first[c]; b < solid.bridge_first[c + 1]; ++b)
      offer(c, solid.bridges[b].to, double{solid.bridges[b].length});
  }
}

std::vector<Vec3d> DeepWays::way_to(std::uint32_t cell) const {
  std::vector<Vec3d> way{body_.solid.centre(cell)};
  while (before_[cell] != cell) way.push_back(body_.solid.centre(cell = before_[cell]));
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace dermis
