// SPDX-License-Identifier: MIT
// Several characters in one scene, and their names in the picture.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "dermis/ops/render.h"
#include "ops/page/shot.h"

namespace dermis {

struct SceneOfFiles {
  Asset asset;
  std::vector<SceneFile> files;
  std::vector<std::set<std::string>> clips;  // names, of each file
  Notes notes;
};
// All of them in the unit of the first, each below a node of its own: in place, or in a row along +X with
// gaps. Clips of equal names become one. Names of nodes that an earlier file has get the file's name in
// front: "B.glb/hand_L".
Result<SceneOfFiles> scene_of_files(std::span<const Asset> assets, bool is_beside);

// Notes for the files that do not have the clips of `poses`, which are those of `character`, the scene.
Notes notes_of_resting(const SceneOfFiles& scene, const Character& character,
                       std::span<const ChosenPose> poses);

// Writes the names of the files below what they show.
void draw_names(std::span<const SceneFile> files, const Character& scene, const Shot& shot,
                const Camera& camera, Pixels& pixels);

}  // namespace dermis
