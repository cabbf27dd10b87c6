// SPDX-License-Identifier: MIT
// What the search for a placing needs of a template.
#pragma once

#include <vector>

#include "dermis/rig.h"

namespace dermis {

// A template without the joints that have one joint below: branches and ends.
struct ReducedTemplate {
  struct Joint {
    Index joint = kNone;  // of the template
    int parent = -1;      // of these; stands before it
    std::vector<Index>
        chain;              // joints of the template on the way from the parent, without it, with the joint
    double share = 0;       // length of that way over the span of the template
    double free_share = 0;  // likewise from the joint where the limb leaves the body
    int mirror = -1;
    bool is_leaf = false, is_optional = false, is_loose = false;
  };
  std::vector<Joint> joints;
  double span = 0;  // the longest way between two joints of the template
};
ReducedTemplate reduce(const RigTemplate& rig);

}  // namespace dermis
