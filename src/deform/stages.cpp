// SPDX-License-Identifier: MIT
// The table of stages of this room.
#include "deform/stages.h"

#include <fmt/format.h>

namespace dermis {
namespace {

constexpr const char* kScalarsOfRotations = "7, plus 6 if joints stretch";

using enum StageOption::Type;
constexpr StageOption kDqsOptions[] = {
    {"bulge_correction", number, 0, 1, 0.0, "how much of the bulge of bent joints is removed"}};
constexpr StageOption kDeltaMushOptions[] = {
    {"iterations",
     count,
     0,
     1000,
     {},
     "smoothing steps (default: 10, fewer if that reaches beyond 3 % of the mesh)"}};

bool has_shapes(const Character& character, Index mesh) {
  return !character.meshes[static_cast<std::size_t>(mesh)].shapes.empty();
}

// Costs are those of `dermis bench`: 100,000 points with normals, 64 rigid joints, 4 influences (rigid: 1),
// reordered, one thread; see docs/performance.md.
constexpr StageRow kStages[] = {
    {.name = "shapes",
     .phase = StagePhase::rest,
     .keeps = "the sculpted shapes, exactly",
     .breaks = "if shapes were not designed to combine",
     .scalars_per_joint = "0",
     .cost = "per point that it moves",
     .paper = "Parke 1972, Computer generated animation of faces",
     .has_data = has_shapes,
     .prepare = prepare_shapes},
    {.name = "psd",
     .phase = StagePhase::rest,
     .keeps = "the surface as it was sculpted at the poses of the examples",
     .breaks = "between examples that are far apart; with another skinning method than sculpted for",
     .scalars_per_joint = "0",
     .cost = "per point that a corrective moves",
     .paper = "Lewis, Cordner, Fong 2000, Pose space deformation: a unified approach to shape interpolation "
              "and skeleton-driven deformation",
     .has_data = has_correctives,
     .prepare = prepare_psd},
    {.name = "rigid",
     .phase = StagePhase::skin,
     .keeps = "distances, in each piece",
     .breaks = "cracks between the pieces",
     .scalars_per_joint = "12",
     .cost = "0.33 E",
     .paper = "Catmull 1972, A system for computer generated movies",
     .kernel = SkinKernel::lbs,
     .prepare = prepare_rigid},
    {.name = "lbs",
     .phase = StagePhase::skin,
     .keeps = "straight lines; what game engines do",
     .breaks = "loses volume: twists collapse, elbows thin out",
     .scalars_per_joint = "12",
     .cost = "0.42 E",
     .paper = "Magnenat-Thalmann, Laperriere, Thalmann 1988, Joint-dependent local deformations for hand "
              "animation",
     .kernel = SkinKernel::lbs,
     .prepare = prepare_lbs},
    {.name = "dqs",
     .phase = StagePhase::skin,
     .options = kDqsOptions,
     .keeps = "volume in twists; distance to the joint",
     .breaks = "elbows bulge; flips beyond half a turn",
     .scalars_per_joint = "8, plus 6 if joints stretch",
     .cost = "0.43 E",
     .paper = "Kavan, Collins, Zara, O'Sullivan 2008, Geometric skinning with approximate dual quaternion "
              "blending",
     .kernel = SkinKernel::dqs,
     .prepare = prepare_dqs},
    {.name = "quaternion",
     .phase = StagePhase::skin,
     .keeps = "volume, if joints rotate about the origin",
     .breaks = "depends on the position of the origin; points drift off their joints",
     .scalars_per_joint = kScalarsOfRotations,
     .cost = "0.40 E",
     .paper = "Hejl 2004, Hardware skinning with quaternions",
     .kernel = SkinKernel::quaternion,
     .prepare = prepare_quaternion},
    {.name = "log_matrix",
     .phase = StagePhase::skin,
     .keeps = "uniform rotation from rest to a joint's pose",
     .breaks = "rotating the whole character changes its shape",
     .scalars_per_joint = "6, plus 6 if joints stretch",
     .cost = "0.68 E",
     .paper = "Alexa 2002, Linear combination of transformations",
     .kernel = SkinKernel::log_matrix,
     .prepare = prepare_log_matrix},
    {.name = "spherical",
     .phase = StagePhase::skin,
     .keeps = "distance to the point where the joints agree best",
     .breaks = "jumps where the set of joints changes; elbows bulge",
     .scalars_per_joint = kScalarsOfRotations,
     .cost = "0.91 E",
     .paper = "Kavan, Zara 2005, Spherical blend skinning",
     .kernel = SkinKernel::spherical,
     .prepare = prepare_spherical},
    {.name = "lbs_dqs",
     .phase = StagePhase::skin,
     .keeps = "what lbs and dqs keep, by each point's share",
     .breaks = "what both break, by share",
     .scalars_per_joint = "20, plus 6 if joints stretch",
     .cost = "0.89 E",
     .paper = "Kavan, Sorkine 2012, Elasticity-inspired deformers for character articulation",
     .kernel = SkinKernel::lbs_dqs,
     .prepare = prepare_lbs_dqs},
    {.name = "cor",
     .phase = StagePhase::skin,
     .traits = {.needs_surface = true},
     .keeps = "volume in twists, with less bulge",
     .breaks = "flips beyond half a turn; centres depend on the weights",
     .scalars_per_joint = "16, plus 6 if joints stretch",
     .cost = "0.65 E",
     .paper = "Le, Hodgins 2016, Real-time skeletal skinning with optimized centers of rotation",
     .without_surface = "poses it like lbs",
     .kernel = SkinKernel::cor,
     .prepare = prepare_cor_stage},
    {.name = "direct_delta_mush",
     .phase = StagePhase::skin,
     .traits = {.needs_surface = true, .measures_normals = true},
     .keeps = "smooth creases, even with rough weights",
     .breaks = "twists collapse as with lbs; widens carefully painted weights",
     .scalars_per_joint = "12, plus 10 per smoothed influence",
     .cost = "4.2 E",
     .paper = "Le, Lewis 2019, Direct delta mush skinning and variants",
     .without_surface = "poses it like lbs",
     .prepare = prepare_direct_delta_mush_stage},
    {.name = "delta_mush",
     .phase = StagePhase::posed,
     .traits = {.needs_surface = true, .measures_normals = true},
     .options = kDeltaMushOptions,
     .keeps = "the detail of the rest pose",
     .breaks = "reaches as far as its iterations; counts edges, not lengths",
     .scalars_per_joint = "0",
     .cost = "14 E, in ten iterations",
     .paper = "Mancewicz, Derksen, Rijpkema, Wilson 2014, Delta Mush: smoothing deformations while "
              "preserving detail",
     .without_surface = "changes nothing",
     .prepare = prepare_delta_mush_stage},
};

}  // namespace

std::span<const StageRow> deform_stages() { return kStages; }

std::vector<StageUse> linear_blending() { return {{&kStages[3]}}; }

std::string named_mesh(const Character& character, Index mesh) {
  const std::string& name = character.meshes[static_cast<std::size_t>(mesh)].name;
  return fmt::format("mesh {}{}", mesh, name.empty() ? std::string() : fmt::format(" {}", quoted_name(name)));
}

}  // namespace dermis
