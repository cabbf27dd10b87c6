// SPDX-License-Identifier: MIT
// Parts of one character added to another: surfaces, controls, clips.
#pragma once

#include <string>
#include <vector>

#include "dermis/model.h"

namespace dermis {

// Where the surfaces of a character begin in the one they were added to.
struct AddedSurfaces {
  Index first_mesh = 0, first_material = 0, first_image = 0;
};
// Adds images, materials and meshes of `from`, with weights that still index the skins of `from`.
AddedSurfaces add_surfaces(const Character& from, Character& to);
// Adds the controls that `to` does not have by name; returns the index of each control of `from`.
std::vector<Index> add_controls(const Character& from, Character& to);
// Sorts instances by their nodes, as characters require; channels keep their targets.
void sort_instances(Character& character);
// Adds the channels whose quantity `clip` does not animate yet.
void join_channels(std::vector<Channel> channels, Clip& clip);

// Adds all of `from` to the scene of `to`, in the unit of `to`, below a new root node `name` at `place`.
// Clips of equal names move both. Returns the drivers, rules and pose spaces that were left out.
[[nodiscard]] std::vector<DroppedDriving> add_to_scene(Character from, const std::string& name,
                                                       const Vec3d& place, Character& to);

}  // namespace dermis
