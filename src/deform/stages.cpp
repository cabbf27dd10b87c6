// SPDX-License-Identifier: MIT
// The table of stages of this room.
#include "deform/stages.h"

#include <fmt/format.h>

namespace dermis {
namespace {

constexpr const char* kScalarsOfRotations = "7, and 6 where joints stretch";
constexpr StageTraits kPlain{};
constexpr StageTraits kOnSurface{.needs_surface = true};
constexpr StageTraits kMeasured{.needs_surface = true, .measures_normals = true};

using enum StageOption::Type;
constexpr StageOption kDqsOptions[] = {
    {"bulge_correction", number, 0, 1, 0.0, "how much of the bulge of bent joints is taken back"}};
constexpr StageOption kDeltaMushOptions[] = {
    {"iterations",
     count,
     0,
     1000,
     {},
     "smoothing steps (default: 10, fewer where that reaches beyond 3 % of the mesh)"}};

bool has_shapes(const Mesh& mesh) { return !mesh.shapes.empty(); }

// Costs are those of `dermis bench`: 100,000 points with normals, 64 rigid joints, 4 influences (rigid: 1),
// reordered, one thread; see docs/performance.md.
constexpr StageRow kStages[] = {
    {"shapes",
     StagePhase::rest,
     kPlain,
     {},
     "the sculpted shapes, exactly",
     "where shapes were not made together",
     "0",
     "by the points that it moves",
     "Parke 1972, Computer generated animation of faces",
     "",
     {},
     has_shapes,
     prepare_shapes},
    {"rigid",
     StagePhase::skin,
     kPlain,
     {},
     "distances, in each piece",
     "cracks between the pieces",
     "12",
     "0.33 E",
     "Catmull 1972, A system for computer generated movies",
     "",
     SkinKernel::lbs,
     nullptr,
     prepare_rigid},
    {"lbs",
     StagePhase::skin,
     kPlain,
     {},
     "straight lines; what engines draw",
     "loses volume: twists collapse, elbows thin out",
     "12",
     "0.42 E",
     "Magnenat-Thalmann, Laperriere, Thalmann 1988, Joint-dependent local deformations for hand animation",
     "",
     SkinKernel::lbs,
     nullptr,
     prepare_lbs},
    {"dqs", StagePhase::skin, kPlain, kDqsOptions, "volume in twists; distance to the joint",
     "elbows bulge; flips beyond half a turn", "8, and 6 where joints stretch", "0.43 E",
     "Kavan, Collins, Zara, O'Sullivan 2008, Geometric skinning with approximate dual quaternion blending",
     "", SkinKernel::dqs, nullptr, prepare_dqs},
    {"quaternion",
     StagePhase::skin,
     kPlain,
     {},
     "volume, where joints turn about the origin",
     "depends on where the origin is; points leave their joints",
     kScalarsOfRotations,
     "0.40 E",
     "Hejl 2004, Hardware skinning with quaternions",
     "",
     SkinKernel::quaternion,
     nullptr,
     prepare_quaternion},
    {"log_matrix",
     StagePhase::skin,
     kPlain,
     {},
     "even turns from rest to a joint's pose",
     "turning the whole character changes its shape",
     "6, and 6 where joints stretch",
     "0.68 E",
     "Alexa 2002, Linear combination of transformations",
     "",
     SkinKernel::log_matrix,
     nullptr,
     prepare_log_matrix},
    {"spherical",
     StagePhase::skin,
     kPlain,
     {},
     "distance to where the joints agree best",
     "jumps where the set of joints changes; elbows bulge",
     kScalarsOfRotations,
     "0.91 E",
     "Kavan, Zara 2005, Spherical blend skinning",
     "",
     SkinKernel::spherical,
     nullptr,
     prepare_spherical},
    {"lbs_dqs",
     StagePhase::skin,
     kPlain,
     {},
     "what lbs and dqs keep, in each point's share",
     "what both break, in their shares",
     "20, and 6 where joints stretch",
     "0.89 E",
     "Kavan, Sorkine 2012, Elasticity-inspired deformers for character articulation",
     "",
     SkinKernel::lbs_dqs,
     nullptr,
     prepare_lbs_dqs},
    {"cor",
     StagePhase::skin,
     kOnSurface,
     {},
     "volume in twists, with less of a bulge",
     "flips beyond half a turn; centres belong to the weights",
     "16, and 6 where joints stretch",
     "0.65 E",
     "Le, Hodgins 2016, Real-time skeletal skinning with optimized centers of rotation",
     "poses it as lbs does",
     SkinKernel::cor,
     nullptr,
     prepare_cor_stage},
    {"direct_delta_mush",
     StagePhase::skin,
     kMeasured,
     {},
     "smooth creases, even with rough weights",
     "twists close as with lbs; widens weights that were painted with care",
     "12, and 10 for each smoothed influence",
     "4.2 E",
     "Le, Lewis 2019, Direct delta mush skinning and variants",
     "poses it as lbs does",
     {},
     nullptr,
     prepare_direct_delta_mush_stage},
    {"delta_mush",
     StagePhase::posed,
     kMeasured,
     kDeltaMushOptions,
     "the detail of the rest pose",
     "reaches as far as its iterations; counts edges, not lengths",
     "0",
     "14 E, in ten iterations",
     "Mancewicz, Derksen, Rijpkema, Wilson 2014, Delta Mush: smoothing deformations while preserving detail",
     "changes nothing",
     {},
     nullptr,
     prepare_delta_mush_stage},
};

}  // namespace

std::span<const StageRow> deform_stages() { return kStages; }

std::vector<StageUse> linear_blending() { return {{&kStages[2]}}; }

std::string named_mesh(const Character& character, Index mesh) {
  const std::string& name = character.meshes[static_cast<std::size_t>(mesh)].name;
  return fmt::format("mesh {}{}", mesh, name.empty() ? std::string() : fmt::format(" {}", quoted_name(name)));
}

}  // namespace dermis
