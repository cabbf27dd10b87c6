// SPDX-License-Identifier: MIT
// A template reduced to what the search for a placing needs.
#pragma once

#include <vector>

#include "dermis/rig.h"

namespace dermis {

// A template without joints that have exactly one child: branches and ends.
struct ReducedTemplate {
  struct Joint {
    Index joint = kNone;  // in the template
    int parent = -1;      // among these; comes before it
    std::vector<Index>
        chain;  // joints of the template on the path from the parent (excluded) to the joint (included)
    double share = 0;       // length of that path divided by the span of the template
    double free_share = 0;  // likewise from the joint where the limb leaves the body
    int mirror = -1;
    bool is_leaf = false, is_optional = false, is_loose = false;
  };
  std::vector<Joint> joints;
  double span = 0;  // the longest path between two joints of the template
};
ReducedTemplate reduce(const RigTemplate& rig);

}  // namespace dermis
