// SPDX-License-Identifier: MIT
// The parts of the quality of a skin, each measured by itself.
#pragma once

#include <vector>

#include "dermis/measure.h"

namespace dermis {

// A mesh under a skin, as often as it is shown: the first instance that does so in the scene.
struct SkinnedMesh {
  Index instance = kNone, mesh = kNone, skin = kNone;
};
std::vector<SkinnedMesh> skinned_meshes(const Character& character);

Coverage measure_coverage(const Character& character, const std::vector<SkinnedMesh>& shown);
// `rest_world` has the rest transform of each node.
Bleed measure_bleed(const Character& character, const std::vector<SkinnedMesh>& shown,
                    const std::vector<Affined>& rest_world);
Symmetry measure_symmetry(const Character& character, const std::vector<SkinnedMesh>& shown);

// The worst of some triangles, sizes without signs; and which changes an edge most.
struct WorstStrain {
  double edge = 0, shear = 0, area = 0;
  std::uint32_t triangle = 0;
};
// `rest` and `posed` are welded points. As measure_strain measures it.
WorstStrain worst_strain(const MeasuredSurface& surface, std::span<const std::uint32_t> triangles,
                         std::span<const Vec3> rest, std::span<const Vec3> posed, double size);
// normal_error of the points for which `is_wanted` holds.
Spread normal_error_of(const Mesh& mesh, const Surface& posed, const std::vector<bool>& is_wanted);
// The size that strain is measured against: of the box around the points and the origin.
double strain_size(std::span<const Vec3> points);

}  // namespace dermis
