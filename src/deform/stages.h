// SPDX-License-Identifier: MIT
// The prepare functions of this room's stages, used by the rows of its table.
#pragma once

#include <string>

#include "dermis/deform.h"

namespace dermis {

Result<PreparedStage> prepare_shapes(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_psd(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_rigid(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_lbs(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_dqs(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_quaternion(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_log_matrix(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_spherical(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_lbs_dqs(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_cor_stage(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_direct_delta_mush_stage(const StageInput& input, const Progress& progress);
Result<PreparedStage> prepare_delta_mush_stage(const StageInput& input, const Progress& progress);

// True if a pose space has a corrective among the shapes of this mesh.
bool has_correctives(const Character& character, Index mesh);

// What moves an instance without a skin: the transform of its node.
std::shared_ptr<const Stage> node_stage(const StageInput& input);

inline const Mesh& mesh_of(const StageInput& input) {
  return input.character->meshes[static_cast<std::size_t>(input.mesh)];
}
inline std::span<const Affined> palette_of(const Character& character, const PoseFrame& frame,
                                           Index instance) {
  return frame.palette_of(character.instances[static_cast<std::size_t>(instance)].skin);
}
// "mesh 0 'body'", for sentences.
std::string named_mesh(const Character& character, Index mesh);

}  // namespace dermis
