// SPDX-License-Identifier: MIT
// Joints that the user marks, by their common names.
#pragma once

#include <span>

#include "dermis/rig.h"
#include "rig/embed.h"

namespace dermis {

// The joint of a template that a marker means: by its name, by Mixamo's name with or without prefix, or by
// the anatomical name (wrist_L for hand_L); kNone: it has no such joint.
Index marked_joint(const RigTemplate& rig, std::string_view name);
// Names that a marker may have, for suggestions.
std::vector<std::string> marker_names(const RigTemplate& rig);
// Fails for markers that are not finite, or further from the box of the points than a tenth of its size.
Status check_markers(std::span<const RigMarker> markers, std::span<const Vec3> points);
// The pins, and their mirror images for joints of the other side that have none. An image outside the body,
// where the pin itself is inside, is left out: that limb is posed otherwise.
std::vector<Pin> with_mirrored(const RigTemplate& rig, std::span<const Pin> pins, const MirrorPlane& plane,
                               const VoxelSolid& solid);
// Notes the markers that lie outside the body.
void note_markers(std::span<const RigMarker> markers, const VoxelSolid& solid, Notes& notes);

}  // namespace dermis
