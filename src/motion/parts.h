// SPDX-License-Identifier: MIT
// Motions of parts without a body: hands, tails, chains.
#pragma once

#include "motion/body.h"

namespace dermis {

// Counterparts in skeletons of which at least one is no body: the fingers of hands by name and side (a single
// hand pairs with a single hand of the other side), else joints whose names mean the same, else, if both
// skeletons are mostly one chain, joints at the same share of the way along it. At least two pairs, no joint
// twice, at least half of them below others (a flat list of joints does not carry its joints), or none.
std::vector<std::pair<Index, Index>> pair_parts(const Skeleton& source, const Skeleton& target);

// True if in both skeletons at least half of the joints in `pairs`, which has no joint twice, are below
// others of them. Linear. Rotations alone would tear apart joints of a flat list, which do not carry each
// other.
bool are_trees(const Skeleton& source, const Skeleton& target,
               const std::vector<std::pair<Index, Index>>& pairs);

// All counterparts of a map: chains joint by joint, then its pairs.
std::vector<std::pair<Index, Index>> flat_pairs(const MotionMap& map);

// Carries rotations from rest to rest, without hips, feet and travel. Rotations are seen in frames that the
// places of the joints determine: both skeletons may lie in any direction. `pairs` has no joint twice.
Result<RetargetedClip> retarget_parts(const Character& source, Index clip, const Character& target,
                                      const std::vector<std::pair<Index, Index>>& pairs,
                                      const RetargetOptions& options, const Progress& progress);

}  // namespace dermis
