// SPDX-License-Identifier: MIT
// Chains of joints that bodies may have besides their template: fingers, tails, ears, wings, a jaw.
#pragma once

#include <span>

#include "dermis/rig.h"
#include "rig/graph.h"
#include "rig/pieces.h"

namespace dermis {

// A body that was searched.
struct SearchedBody {
  const BodySurface& surface;
  const BodySolid& body;
  const BodyGraph& graph;
  std::span<const BodyMirror> mirrors;
  int plane = -1;  // the mirror that the skeleton was placed along; -1: none
};
// Adds the chains that the body has to a skeleton that was placed by a template, with a note for each kind.
// Markers move joints of chains to their places.
Status add_chains(const SearchedBody& searched, std::span<const RigMarker> markers, FoundSkeleton& found,
                  const Progress& progress = {});
// The name that a chain's joint has if the body has that chain ("LeftHandThumb1" is "thumb_1_L"); empty: no
// chain has such a joint.
std::string chain_joint(std::string_view name);

}  // namespace dermis
