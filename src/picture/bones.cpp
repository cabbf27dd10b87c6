// SPDX-License-Identifier: MIT
// Bones as octahedra, joints as balls.
#include "picture/bones.h"

#include <algorithm>
#include <cmath>

#include "picture/sampling.h"

namespace dermis {
namespace {

// As fractions of a bone's length: where it is thickest, and how thick it and its dots are there.
constexpr float kWaistAt = 0.18f, kWaist = 0.085f, kDot = 0.065f;
// Dots in scene lengths: for bones of zero length, and the largest and smallest that look good.
constexpr float kLoneDot = 0.012f, kLargestDot = 0.014f, kSmallestDot = 0.003f;
constexpr float kLargestWaist = 0.035f;

// More joints than this are a thicket in which dots cannot be told apart, and their balls would be millions
// of triangles: they are left out.
constexpr std::size_t kMostDots = 4000;

constexpr Vec3 kBoneColour{0.10f, 0.36f, 0.62f}, kDotColour{0.95f, 0.42f, 0.06f};

void add_triangle(BoneShapes& shapes, std::uint32_t first, std::array<std::uint32_t, 3> t, bool is_dot) {
  shapes.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  shapes.is_dot.push_back(is_dot ? 1 : 0);
}

void add_octahedron(const Vec3& head, const Vec3& tail, BoneShapes& shapes) {
  const Vec3 along = tail - head;
  const float size = length(along);
  const float waist = std::min(kWaist * size, kLargestWaist);
  const auto [side, other] = across(normalized(along));
  const Vec3 middle = head + along * kWaistAt;
  const std::uint32_t first = static_cast<std::uint32_t>(shapes.points.size());
  for (const Vec3& p : {head, tail, middle + side * waist, middle + other * waist, middle - side * waist,
                        middle - other * waist}) {
    shapes.points.push_back(p);
  }
  for (std::uint32_t k = 0; k < 4; ++k) {
    const std::uint32_t a = 2 + k, b = 2 + (k + 1) % 4;
    add_triangle(shapes, first, {0, b, a}, false);
    add_triangle(shapes, first, {1, a, b}, false);
  }
}

// How round a ball of rings is.
struct Roundness {
  std::uint32_t sides, rings;
};
constexpr Roundness kRound{12, 7}, kCoarse{4, 2};

void add_ball(const Vec3& centre, float radius, const Roundness& ball, BoneShapes& shapes) {
  const auto [sides, rings] = ball;
  const std::uint32_t first = static_cast<std::uint32_t>(shapes.points.size());
  for (std::uint32_t r = 0; r <= rings; ++r) {
    const float polar = static_cast<float>(kPi) * static_cast<float>(r) / static_cast<float>(rings);
    for (std::uint32_t s = 0; s < sides; ++s) {
      const float turn = 2 * static_cast<float>(kPi) * static_cast<float>(s) / static_cast<float>(sides);
      const Vec3 out{std::sin(polar) * std::cos(turn), std::cos(polar), std::sin(polar) * std::sin(turn)};
      shapes.points.push_back(centre + out * radius);
    }
  }
  for (std::uint32_t r = 0; r < rings; ++r) {
    for (std::uint32_t s = 0; s < sides; ++s) {
      const std::uint32_t a = r * sides + s, b = r * sides + (s + 1) % sides;
      add_triangle(shapes, first, {a, b, a + sides}, true);
      add_triangle(shapes, first, {b, b + sides, a + sides}, true);
    }
  }
}

void add_bone(const Vec3& head, const Vec3& tail, bool has_dots, BoneShapes& shapes) {
  const float size = length(tail - head);
  if (size > 0) add_octahedron(head, tail, shapes);
  if (!has_dots) {
    if (!(size > 0)) add_ball(head, kLoneDot, kCoarse, shapes);  // it has no other shape
    return;
  }
  const float dot_size = size > 0 ? std::clamp(kDot * size, kSmallestDot, kLargestDot) : kLoneDot;
  add_ball(head, dot_size, kRound, shapes);
  if (size > 0) add_ball(tail, dot_size, kRound, shapes);
}

}  // namespace

Result<BoneShapes> make_bone_shapes(const std::vector<DrawnBone>& bones, const SceneSpace& space,
                                    const Progress& progress) {
  BoneShapes shapes;
  for (const DrawnBone& bone : bones) {
    if (!is_finite(bone.head) || !is_finite(bone.tail)) continue;
    add_bone(Vec3(space.inside(Vec3d(bone.head))), Vec3(space.inside(Vec3d(bone.tail))),
             bones.size() <= kMostDots, shapes);
  }
  if (shapes.triangles.empty()) return shapes;
  Result<RayTree> tree = build_ray_tree(shapes.points, shapes.triangles, progress);
  if (!tree) return tree.error();
  shapes.tree = std::move(*tree);
  return shapes;
}

Vec3 bone_colour(const BoneShapes& shapes, const RayHit& hit, const Vec3& direction, const Lights& lights) {
  const std::size_t t = static_cast<std::size_t>(hit.triangle);
  const auto& [a, b, c] = shapes.triangles[t];
  Vec3 normal = normalized(cross(shapes.points[b] - shapes.points[a], shapes.points[c] - shapes.points[a]));
  if (dot(normal, direction) > 0) normal = -normal;
  const float light = 0.45f + 0.45f * std::max(dot(normal, lights.key), 0.0f) + 0.2f * normal.y;
  return (shapes.is_dot[t] != 0 ? kDotColour : kBoneColour) * light;
}

}  // namespace dermis
