// SPDX-License-Identifier: MIT
// Joints and bones as solid shapes.
#pragma once

#include <vector>

#include "dermis/geometry.h"
#include "picture/lights.h"
#include "picture/scene.h"

namespace dermis {

// Slim octahedra with a dot at either end, in scene coordinates.
struct BoneShapes {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
  std::vector<std::uint8_t> is_dot;  // of each triangle
  std::optional<RayTree> tree;       // empty: there are no bones
};
Result<BoneShapes> make_bone_shapes(const std::vector<DrawnBone>& bones, const SceneSpace& space,
                                    const Progress& progress = {});

// The colour of a bone that was hit, linear.
Vec3 bone_colour(const BoneShapes& shapes, const RayHit& hit, const Vec3& direction, const Lights& lights);
// Its opacity: the body shows through.
inline constexpr float kBoneOpacity = 0.82f;

}  // namespace dermis
