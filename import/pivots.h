// SPDX-License-Identifier: MIT
// Keys of FBX nodes with pivots, as keys of translation, rotation and scale.
#pragma once

#include <vector>

#include "conversion.h"

namespace dermis::import {

// assimp animates an FBX node with pivots or geometric transforms by up to three channels, each for a node of
// its own that is not there: pivots are folded. These are the three of one node.
struct PivotChannels {
  const aiNodeAnim *translation = nullptr, *rotation = nullptr, *scaling = nullptr;
};

// The three curves of a node as the FBX SDK combines them, at the keys of all three, and in between where it
// turns about a pivot.
struct PosedKeys {
  std::vector<aiVectorKey> translations, scales;
  std::vector<aiQuatKey> rotations;
};
PosedKeys posed_keys(const FbxPlace& place, const PivotChannels& channels);

}  // namespace dermis::import
