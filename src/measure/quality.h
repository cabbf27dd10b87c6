// SPDX-License-Identifier: MIT
// The parts of the quality of a skin, each measured separately.
#pragma once

#include <vector>

#include "dermis/measure.h"

namespace dermis {

// A pair of mesh and skin, however often it is shown: its first instance in the scene.
struct SkinnedMesh {
  Index instance = kNone, mesh = kNone, skin = kNone;
};
std::vector<SkinnedMesh> skinned_meshes(const Character& character);

Coverage measure_coverage(const Character& character, const std::vector<SkinnedMesh>& shown);
// `rest_world` has the rest transform of each node.
Bleed measure_bleed(const Character& character, const std::vector<SkinnedMesh>& shown,
                    const std::vector<Affined>& rest_world);
// In the bind pose.
Placement measure_placement(const Character& character, const std::vector<SkinnedMesh>& shown);
Symmetry measure_symmetry(const Character& character, const std::vector<SkinnedMesh>& shown);

// The worst of some triangles, as absolute values, and which one changes an edge most.
struct WorstStrain {
  double edge = 0, shear = 0, area = 0;
  double growth = 0;  // in units, of an edge that becomes more than kLongTimes as long
  std::uint32_t triangle = 0, grown_triangle = 0;
};
// `rest` and `posed` are welded points. Measured as in measure_strain.
WorstStrain worst_strain(const MeasuredSurface& surface, std::span<const std::uint32_t> triangles,
                         std::span<const Vec3> rest, std::span<const Vec3> posed, double size);
// normal_error of the points for which `is_wanted` holds.
Spread normal_error_of(const Mesh& mesh, const Surface& posed, const std::vector<bool>& is_wanted);
// The size that strain is measured against: that of the bounding box of the points and the origin.
double strain_size(std::span<const Vec3> points);

}  // namespace dermis
