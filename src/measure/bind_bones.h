// SPDX-License-Identifier: MIT
// The bones of one skin in its bind pose: from each joint to its child joints.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "dermis/measure.h"

namespace dermis {

class BindBones {
 public:
  BindBones(const Character& character, Index skin);

  // False if its inverse bind matrix flattens space: then it has no place.
  bool is_known(Index slot) const { return is_finite(place_[at(slot)]); }
  const Vec3d& place(Index slot) const { return place_[at(slot)]; }
  // From the nearest place on the bone to the point.
  Vec3d offset(const Vec3d& point, Index slot) const;
  double distance(const Vec3d& point, Index slot) const { return length(offset(point, slot)); }

  struct Near {
    Index slot = kNone;
    double distance = INFINITY;
  };
  Near nearest(const Vec3d& point, std::span<const Index> slots) const;

 private:
  std::vector<Vec3d> place_;
  std::vector<std::vector<Vec3d>> ends_;
};

// The slot of the nearest ancestor in the skin of each slot; kNone: none.
std::vector<Index> parent_slots(const Character& character, const Skin& skin);

}  // namespace dermis
