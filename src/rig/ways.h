// SPDX-License-Identifier: MIT
// Paths through a solid that keep to its middle.
#pragma once

#include <cstdint>
#include <vector>

#include "rig/graph.h"

namespace dermis {

// The cheapest paths from a cell to all others: a step costs more near the surface.
class DeepWays {
 public:
  DeepWays(const BodySolid& body, std::uint32_t from);
  // Centres of the cells from the start to `cell`.
  std::vector<Vec3d> way_to(std::uint32_t cell) const;
  // The predecessor of a cell on its path; itself at the start.
  std::uint32_t before(std::uint32_t cell) const { return before_[cell]; }

 private:
  const BodySolid& body_;
  std::vector<std::uint32_t> before_;
};

}  // namespace dermis
