// SPDX-License-Identifier: MIT
// Limbs that a placed template does not have: a tail, a trunk, ears, wings, a jaw.
#pragma once

#include <string>
#include <vector>

#include "dermis/rig.h"
#include "rig/graph.h"

namespace dermis {

// Joints of a limb from the body outwards, its end last; `parent` is the joint of the body that it hangs
// from.
struct ExtraLimb {
  std::string name;  // "ear_L"
  Index parent = kNone;
  struct Joint {
    Vec3d at;
    double radius = 0;
  };
  std::vector<Joint> joints;
};
// Ends of limbs that no bone reaches, recognised by where they leave the body: behind the hips (a tail; not
// if the skeleton has one), a pair on the head (ears, or horns if they are long and round) or behind the
// chest (wings), in the middle of the head and hanging (a trunk), and the lower one of two ends of a head
// with a gap between them (a jaw). `plane` is the index of the body's plane of symmetry; -1: none.
std::vector<ExtraLimb> find_extra_limbs(const BodySolid& body, const BodyGraph& graph, int plane,
                                        const FoundSkeleton& found);

}  // namespace dermis
