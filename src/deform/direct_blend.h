// SPDX-License-Identifier: MIT
// What direct delta mush does to the surface around one point, in double: the rule of the plain reference,
// and of the few points where a kernel's float precision is not enough.
#pragma once

#include <span>

#include "deform/skinning.h"
#include "dermis/deform.h"

namespace dermis {

// The entries of one point. Those without translation (d = 0) only pad shared lists.
struct DirectRow {
  const Index* slots = nullptr;
  std::size_t slot_step = 1;       // from entry to entry
  const float* omega = nullptr;    // kOmegaSize numbers per entry
  std::size_t component_step = 1;  // from number to number
  std::size_t width = 0;

  std::size_t slot(std::size_t e) const { return static_cast<std::size_t>(slots[e * slot_step]); }
  double component(std::size_t e, std::size_t c) const {
    return static_cast<double>(omega[(e * kOmegaSize + c) * component_step]);
  }
  double zeroth(std::size_t e) const { return component(e, 9); }
};

// The index of the entry that moves the point most (ties: the first).
std::size_t heaviest_entry(const DirectRow& row);

// The joints of a pose, each with the stretch of its motion.
struct DirectJoints {
  std::span<const Affined> joints;
  std::span<const Mat3d> stretches;
};

struct DirectMap {
  LocalMap<double> local;  // posed_from_rest has only the linear part
  Vec3d posed_point;
};
DirectMap direct_map_at(const DirectJoints& joints, const DirectRow& row, const Vec3d& centre,
                        const Vec3d& point);

}  // namespace dermis
