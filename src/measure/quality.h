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

// The worst edge of some triangles: its relative change in length, and the triangle.
struct WorstEdge {
  double strain = 0;
  std::uint32_t triangle = 0;
};
// `rest` and `posed` are welded points. As measure_strain measures it.
WorstEdge worst_edge(const MeasuredSurface& surface, std::span<const std::uint32_t> triangles,
                     std::span<const Vec3> rest, std::span<const Vec3> posed, double size);
// The size that strain is measured against: of the box around the points and the origin.
double strain_size(std::span<const Vec3> points);

}  // namespace dermis
