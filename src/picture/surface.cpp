// SPDX-License-Identifier: MIT
// Points, normals, colours and wires of the triangles that rays hit.
#include "picture/surface.h"

#include <algorithm>
#include <cmath>

#include "dermis/geometry.h"
#include "picture/colour.h"
#include "picture/flat.h"

namespace dermis {
namespace {

// Off the surface, so that rounding does not put a ray's start behind it: floats in a unit ball are accurate
// to 1e-7, and pictures to 1e-3.
constexpr float kLift = 5e-5f;
// Seen from behind, one-sided surfaces are drawn with this fraction of their colour.
constexpr Vec3 kBackTint{0.45f, 0.47f, 0.52f};

struct Corners {
  std::array<std::uint32_t, 3> v;
  std::array<float, 3> share;

  template <class Value>
  Value blend(const std::vector<Value>& values) const {
    return values[v[0]] * share[0] + values[v[1]] * share[1] + values[v[2]] * share[2];
  }
};

Vec2 uv_at(const std::vector<Vec2>& uvs, const Corners& c) {
  Vec2 uv;
  for (std::size_t k = 0; k < 3; ++k) {
    uv.x += uvs[c.v[k]].x * c.share[k];
    uv.y += uvs[c.v[k]].y * c.share[k];
  }
  return uv;
}

Vec4 point_colour_at(const Scene& scene, const Corners& c) {
  Vec3 colour;
  float opacity = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    colour += scene.colours[c.v[k]].xyz() * c.share[k];
    opacity += scene.colours[c.v[k]].w * c.share[k];
  }
  return {colour.x, colour.y, colour.z, opacity};
}

// Texture pixels per scene length, on average over the triangle.
float texture_density(const Scene& scene, const std::vector<Vec2>& uvs, const Corners& c,
                      const Texture& texture) {
  const Vec2 &a = uvs[c.v[0]], &b = uvs[c.v[1]], &d = uvs[c.v[2]];
  const float in_uv = std::abs((b.x - a.x) * (d.y - a.y) - (b.y - a.y) * (d.x - a.x));
  const Vec3& p = scene.points[c.v[0]];
  const float in_scene = length(cross(scene.points[c.v[1]] - p, scene.points[c.v[2]] - p));
  const float pixels =
      static_cast<float>(texture.levels[0].width) * static_cast<float>(texture.levels[0].height);
  return in_scene > 0 ? std::sqrt(in_uv * pixels / in_scene) : 0;
}

// Light rays start from the smooth surface that the normals describe, not from the flat triangle: on coarse
// meshes the shadow's edge would follow the triangles (Hanika, Hacking the shadow terminator, 2021).
Vec3 smooth_place(const Scene& scene, const Corners& c, const Vec3& place, float side) {
  Vec3 moved = place;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 normal = scene.normals[c.v[k]] * side;
    const float below = std::min(dot(place - scene.points[c.v[k]], normal), 0.0f);
    moved -= normal * (below * c.share[k]);
  }
  return moved;
}

void set_colours(const Scene& scene, const Corners& c, const DrawnMaterial& material, float footprint,
                 Spot& spot) {
  spot.albedo = material.colour.xyz();
  spot.opacity = material.colour.w;
  const auto multiply = [&](const Vec4& by) {
    spot.albedo = product(spot.albedo, by.xyz());
    spot.opacity *= by.w;
  };
  if (!scene.colours.empty()) multiply(point_colour_at(scene, c));
  const auto from_texture = [&](Index index, const std::array<Wrap, 2>& wrap, const std::vector<Vec2>& uvs) {
    const Texture& texture = scene.textures[static_cast<std::size_t>(index)];
    return texture_at(texture, wrap, uv_at(uvs, c), footprint * texture_density(scene, uvs, c, texture));
  };
  if (material.texture != kNone) multiply(from_texture(material.texture, material.wrap, scene.uvs));
  spot.emission = material.emission;
  if (material.emission_texture != kNone) {
    const Vec4 glow =
        from_texture(material.emission_texture, material.emission_wrap, scene.uvs_of_emission());
    spot.emission = product(spot.emission, glow.xyz());
  }
  if (material.alpha == Alpha::ignored) spot.opacity = 1;
  if (material.alpha == Alpha::cut) spot.opacity = spot.opacity >= material.alpha_cutoff ? 1.0f : 0.0f;
}

}  // namespace

Spot surface_at(const Scene& scene, const RayHit& hit, const Vec3& direction, float footprint) {
  const std::size_t t = static_cast<std::size_t>(hit.triangle);
  const Corners c{scene.triangles[t], {1 - hit.u - hit.v, hit.u, hit.v}};
  const DrawnMaterial& material = scene.materials[scene.material[t]];
  const Vec3 &a = scene.points[c.v[0]], &b = scene.points[c.v[1]], &d = scene.points[c.v[2]];
  Spot spot;
  spot.face = normalized(cross(b - a, d - a));
  // A degenerate triangle has no normal of its own.
  if (!(length(spot.face) > 0.5f)) spot.face = -direction;
  const bool is_back = dot(spot.face, direction) > 0;
  const float side = is_back ? -1.0f : 1.0f;
  spot.face *= side;
  const Vec3 smooth = c.blend(scene.normals);
  // Of normals that contradict the winding, only the axis counts.
  const float sign = dot(smooth, spot.face) < 0 ? -1.0f : 1.0f;
  spot.normal = length(smooth) > 1e-3f ? normalized(smooth) * sign : spot.face;
  const Vec3 place = c.blend(scene.points);
  spot.place = smooth_place(scene, c, place, sign) + spot.face * kLift;
  set_colours(scene, c, material, footprint, spot);
  if (is_back && !material.is_double_sided) spot.albedo = product(spot.albedo, kBackTint);
  spot.metallic = material.metallic;
  spot.roughness = material.roughness;
  spot.unlit = material.unlit;
  return spot;
}

bool Projection::pixel_of(const Vec3& place, Vec2& pixel) const {
  const Vec3d p = Vec3d(place) - frame.eye;
  const double depth = dot(p, frame.forward);
  if (!(depth > 0)) return false;
  const double x = dot(p, frame.right) / (depth * frame.half_width);
  const double y = dot(p, frame.up) / (depth * frame.half_height);
  pixel = {static_cast<float>((x + 1) * 0.5 * width), static_cast<float>((1 - y) * 0.5 * height)};
  return true;
}

float wire_at(const Scene& scene, std::size_t triangle, const Projection& projection, const Vec2& pixel) {
  // Half on each side of the edge; relative to the picture's height, so that pictures of any size look alike.
  const float half_width = std::max(0.5f, 0.0006f * static_cast<float>(projection.height));
  std::array<Vec2, 3> corner;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!projection.pixel_of(scene.points[scene.triangles[triangle][k]], corner[k])) return 0;
  }
  float nearest = half_width, longest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec2 &a = corner[k], &b = corner[(k + 1) % 3];
    longest = std::max(longest, std::hypot(b.x - a.x, b.y - a.y));
    if ((scene.wires[triangle] >> k & 1) != 0)
      nearest =
          std::min(nearest, static_cast<float>(distance_to_segment(on_page(pixel), on_page(a), on_page(b))));
  }
  const float faint = std::clamp(longest / (20 * half_width), 0.12f, 0.85f);
  return nearest < half_width ? faint : 0;
}

}  // namespace dermis
