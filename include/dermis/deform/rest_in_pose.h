// SPDX-License-Identifier: MIT
// Another rest pose for a character: its surface is deformed once, and the result becomes the new rest.
#pragma once

#include <vector>

#include "dermis/deform.h"

namespace dermis {

// The character with the rest pose of `nodes` (its own nodes with other rests). Skinned surfaces are deformed
// into it with the stack, once: points, normals, tangents, and the offsets of shapes, which turn with their
// points. Bind and rest pose are then the same, and at rest the surface is the deformed one. Where skin and
// rest already agreed, meshes keep their space and unit. Clips show what they showed before, except for
// blending: nodes that a clip does not move get a key with their old rest. Nodes of meshes without a skin
// move with their parents. A mesh that several skins show is copied, one for each. Skins whose joints stay
// are not changed. Fails as posing does, or with cancelled.
Result<Character> rest_in_pose(const Character& character, std::vector<Node> nodes,
                               const DeformOptions& options, const Progress& progress = {});

}  // namespace dermis
