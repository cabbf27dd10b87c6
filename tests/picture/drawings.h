// SPDX-License-Identifier: MIT
// Small drawings and ways to look at pixels, for the tests of pictures.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "characters.h"
#include "dermis/picture.h"

namespace dermis::test {

inline int brightness(const Pixels& pixels, int x, int y) {
  const std::uint8_t* p = pixels.at(x, y);
  return p[0] + p[1] + p[2];
}

inline std::array<int, 3> colour_at(const Pixels& pixels, int x, int y) {
  const std::uint8_t* p = pixels.at(x, y);
  return {p[0], p[1], p[2]};
}

inline std::size_t count_different(const Pixels& a, const Pixels& b) {
  std::size_t count = 0;
  for (int y = 0; y < a.height; ++y) {
    for (int x = 0; x < a.width; ++x) count += colour_at(a, x, y) != colour_at(b, x, y) ? 1 : 0;
  }
  return count;
}

// One mesh in one material.
inline Drawing drawing_of(DrawnMesh mesh, const DrawnMaterial& material = {}) {
  Drawing drawing;
  mesh.material.assign(mesh.triangles.size(), 0);
  drawing.meshes.push_back(std::move(mesh));
  drawing.materials.push_back(material);
  return drawing;
}

// From -1 to 1 in the plane z = `depth`, facing +Z, its texture upright; two triangles, four edges.
inline DrawnMesh square(float depth = 0) {
  DrawnMesh mesh;
  mesh.points = {{-1, -1, depth}, {1, -1, depth}, {1, 1, depth}, {-1, 1, depth}};
  mesh.uvs = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  mesh.edges = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  return mesh;
}

inline DrawnMesh sphere(const Vec3d& centre, double radius, int rings = 24) {
  DrawnMesh mesh;
  const int sides = 2 * rings;
  for (int r = 0; r <= rings; ++r) {
    for (int s = 0; s < sides; ++s) {
      const double polar = kPi * r / rings, turn = 2 * kPi * s / sides;
      const Vec3d out{std::sin(polar) * std::sin(turn), std::cos(polar), std::sin(polar) * std::cos(turn)};
      mesh.points.push_back(Vec3(centre + out * radius));
      mesh.normals.push_back(Vec3(out));
    }
  }
  for (int r = 0; r < rings; ++r) {
    for (int s = 0; s < sides; ++s) {
      const auto a = static_cast<std::uint32_t>(r * sides + s);
      const auto b = static_cast<std::uint32_t>(r * sides + (s + 1) % sides);
      const auto down = static_cast<std::uint32_t>(sides);
      mesh.triangles.push_back({a, a + down, b});
      mesh.triangles.push_back({b, a + down, b + down});
    }
  }
  return mesh;
}

// Looks along -Z at the square of side 2 / `part` about the origin, upright, from far enough to see it flat.
inline Camera flat_camera(double part = 0.8) {
  Camera camera;
  camera.field = 0.02;
  camera.eye = {0, 0, 1 / (part * std::tan(camera.field / 2))};
  return camera;
}

inline RenderOptions options_of(int width, int height, bool has_ground = false) {
  RenderOptions options;
  options.width = width;
  options.height = height;
  options.has_ground = has_ground;
  return options;
}

// The picture, or an empty one with a failure.
inline Pixels rendered(const Drawing& drawing, const Camera& camera, const RenderOptions& options) {
  Result<Pixels> pixels = render(drawing, camera, options);
  EXPECT_TRUE(pixels) << pixels.error().sentence;
  return pixels ? std::move(*pixels) : blank_pixels(options.width, options.height, 1, 2, 3);
}

// Where a point of the world is seen, in pixels, by nothing but the camera's own numbers.
struct Seen2 {
  double x, y;
};
inline Seen2 seen_at(const Camera& camera, const Vec3d& point, int width, int height) {
  const Vec3d forward = normalized(camera.target - camera.eye);
  const Vec3d right = normalized(cross(forward, camera.up)), up = cross(right, forward);
  const Vec3d p = point - camera.eye;
  const double scale = height / 2.0 / (std::tan(camera.field / 2) * dot(p, forward));
  return {width / 2.0 + scale * dot(p, right), height / 2.0 - scale * dot(p, up)};
}

}  // namespace dermis::test
