// SPDX-License-Identifier: MIT
// A drawing prepared for rays.
#pragma once

#include <optional>
#include <vector>

#include "dermis/geometry.h"
#include "dermis/picture.h"
#include "picture/texture.h"

namespace dermis {

// A scene has its own coordinates: the drawing moved and scaled into the unit ball about the origin, so that
// floats and fixed offsets work for characters of any size and position.
struct SceneSpace {
  Vec3d centre;
  double scale = 1;  // scene length per world length

  Vec3d inside(const Vec3d& world) const { return (world - centre) * scale; }
};

struct Scene {
  SceneSpace space;
  double ground = -1;  // height of the floor
  std::vector<Vec3> points, normals;
  std::vector<Vec2> uvs;           // one for each point, or empty
  std::vector<Vec2> emission_uvs;  // likewise; empty: as uvs
  std::vector<Vec4> colours;       // likewise
  std::vector<SurfaceMesh::Triangle> triangles;
  std::vector<std::uint32_t> material;  // of each triangle
  std::vector<std::uint8_t> wires;      // of each triangle: bit k if the side from corner k is an edge
  std::vector<DrawnMaterial> materials;
  std::vector<Texture> textures;
  std::optional<RayTree> tree;
  std::optional<RayTree> blockers;  // of the triangles that block light; empty: all do

  const RayTree& light_tree() const { return blockers ? *blockers : *tree; }
  const std::vector<Vec2>& uvs_of_emission() const { return emission_uvs.empty() ? uvs : emission_uvs; }
};

// Fails if the drawing has no triangle with finite points and no bone, or if its lists do not match;
// or with cancelled.
Result<Scene> make_scene(const Drawing& drawing, const RenderOptions& options, const Progress& progress);

}  // namespace dermis
