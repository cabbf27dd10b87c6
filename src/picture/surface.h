// SPDX-License-Identifier: MIT
// What a ray hits: a point of the surface with its colour.
#pragma once

#include "picture/camera.h"
#include "picture/scene.h"

namespace dermis {

struct Spot {
  Vec3 place;   // where light rays start, slightly off the surface
  Vec3 normal;  // smooth; unit, on the viewer's side
  Vec3 face;    // of the triangle; unit, on the viewer's side
  Vec3 albedo;  // linear
  float opacity = 1;
  Vec3 emission;
  float metallic = 0, roughness = 1, unlit = 0;
};
// `direction` of the ray is unit; `footprint` is the width of a sample at the hit, in scene lengths.
Spot surface_at(const Scene& scene, const RayHit& hit, const Vec3& direction, float footprint);

// From scene coordinates to pixels, x to the right and y down from the upper left corner.
struct Projection {
  CameraFrame frame;
  int width = 1, height = 1;

  // False behind the eye.
  bool pixel_of(const Vec3& place, Vec2& pixel) const;
};
// How much of a sample at `pixel` is covered by lines along the edges of the triangle that was hit: lines of
// constant width in pixels, fainter where triangles are too small to distinguish.
float wire_at(const Scene& scene, std::size_t triangle, const Projection& projection, const Vec2& pixel);

}  // namespace dermis
