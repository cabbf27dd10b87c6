// SPDX-License-Identifier: MIT
// The equilibrium of heat on large surfaces, without factoring their matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "dermis/base.h"
#include "dermis/geometry.h"
#include "dermis/model.h"

namespace dermis {

// What a point is heated by.
struct HeatSource {
  Index joint = kNone;
  double share = 0;
};
struct HeatSources {
  std::vector<HeatSource> shares;  // those of point v are shares[first[v] .. first[v + 1]), summing to one
  std::vector<std::size_t> first;
  std::vector<double> distance;    // of each point from its joints, on average
  std::vector<std::uint8_t> sees;  // of each point: its nearest joint is visible

  std::size_t count() const { return first.size() - 1; }
  std::span<const HeatSource> of(std::size_t v) const {
    return {shares.data() + first[v], shares.data() + first[v + 1]};
  }
};

// The heat of one joint at one point.
struct Heat {
  std::uint32_t point = 0;
  Index joint = kNone;
  float weight = 0;
};
// Heat below this, of 1, is dropped.
constexpr double kNegligibleHeat = 1e-3;

struct HeatOnLevels {
  // Of joints that were solved together, by point, without negligible heat.
  std::vector<std::vector<Heat>> groups;
  double difference = 0;  // no heat is further than this from the exact equilibrium: proven, not estimated
};
// Solves (laplacian + diag(capacity)) w = capacity * source for each joint, by conjugate gradients with a
// cycle through coarser levels as preconditioner, on the part of the surface that the joint heats. About
// linear in time and memory: a second and a quarter of a gigabyte for a million points. The same bytes on any
// thread count. Capacities must be positive. Fails only with cancelled.
Result<HeatOnLevels> heat_on_levels(Laplacian laplacian, std::span<const double> capacity,
                                    const HeatSources& sources, std::size_t joint_count,
                                    const Progress& progress);

}  // namespace dermis
