// SPDX-License-Identifier: MIT
// How the joints of a found skeleton lie in the body.
#pragma once

#include "dermis/rig.h"
#include "rig/graph.h"

namespace dermis {

// `rig` is the template that was placed; null: none.
SkeletonFit measure_fit(const BodySolid& body, const FoundSkeleton& found, const RigTemplate* rig);

}  // namespace dermis
