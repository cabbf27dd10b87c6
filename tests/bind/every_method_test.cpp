// SPDX-License-Identifier: MIT
// What holds for every way of binding: no mesh, however spoilt, is left with a hole.
#include <random>

#include "bind/bound.h"

namespace dermis {
namespace {

using test::expect_complete;
using test::tube;

// Things that happen to meshes; each takes a point and a triangle list and leaves both usable.
using Body = std::pair<std::vector<Vec3>, std::vector<SurfaceMesh::Triangle>>;
void mutate(Body& body, std::mt19937& random) {
  auto& [points, triangles] = body;
  const auto any = [&](std::size_t count) {
    return static_cast<std::uint32_t>(std::uniform_int_distribution<std::size_t>(0, count - 1)(random));
  };
  switch (any(9)) {
    case 0:  // duplicate points
      for (int k = 0; k < 10; ++k) points.push_back(points[any(points.size())]);
      break;
    case 1:  // triangles without area
      for (int k = 0; k < 10; ++k) points[any(points.size())] = points[any(points.size())];
      break;
    case 2:  // inside out
      for (std::size_t t = any(triangles.size()); t < triangles.size(); ++t)
        std::swap(triangles[t][1], triangles[t][2]);
      break;
    case 3: {  // a stray triangle
      const auto base = static_cast<std::uint32_t>(points.size());
      const float far = any(2) == 0 ? 20.0f : 3.0f;
      for (int k = 0; k < 3; ++k)
        points.push_back({far + static_cast<float>(k % 2), far, static_cast<float>(k)});
      triangles.push_back({base, base + 1, base + 2});
      break;
    }
    case 4:
      points[any(points.size())] = {1e6f, -1e6f, 1e6f};
      break;  // a point far away
    case 5:
      triangles.erase(triangles.begin() + any(triangles.size()));
      break;   // holes
    case 6: {  // edges with three sides
      for (int k = 0; k < 5; ++k) {
        SurfaceMesh::Triangle triangle = triangles[any(triangles.size())];
        triangle[2] = any(points.size());
        if (triangle[2] != triangle[0] && triangle[2] != triangle[1]) triangles.push_back(triangle);
      }
      break;
    }
    case 7: {  // a second body
      const std::size_t count = std::min<std::size_t>(points.size(), 200);
      const auto base = static_cast<std::uint32_t>(points.size());
      for (std::size_t v = 0; v < count; ++v) points.push_back(points[v] + Vec3{0, 0, 3});
      for (std::size_t t = 0, end = triangles.size(); t < end; ++t) {
        const SurfaceMesh::Triangle triangle = triangles[t];
        if (triangle[0] < count && triangle[1] < count && triangle[2] < count)
          triangles.push_back({triangle[0] + base, triangle[1] + base, triangle[2] + base});
      }
      break;
    }
    default:
      triangles.resize(triangles.size() / 2 + 1);
      break;  // half of it gone
  }
}

// Two joints along the axis of a tube that meet in its middle.
BindSkeleton halves() { return test::chain({{{-10, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {10, 0, 0}}}); }

// Methods that work on the surface, and those that fill the body, with cells coarse enough to be quick.
std::vector<Result<BoundRows>> bound_on_surface(const BindSurface& surface, const BindSkeleton& skeleton) {
  return {bind_heat(surface, skeleton), bind_distance(surface, skeleton), bind_rigid(surface, skeleton)};
}
std::vector<Result<BoundRows>> bound_in_body(const BindSurface& surface, const BindSkeleton& skeleton) {
  constexpr double kCell = 0.5;
  return {bind_voxel(surface, skeleton, {.cell = kCell}),
          bind_biharmonic(surface, skeleton, {.cell = kCell})};
}

void expect_all_complete(const std::vector<Result<BoundRows>>& all, const BindSurface& surface) {
  for (const Result<BoundRows>& bound : all) {
    ASSERT_TRUE(bound) << bound.error().sentence;
    expect_complete(bound->rows, surface.points.size(), 2);
  }
}

TEST(BindSurface, IsAsLargeAsItsPointsButForThoseFarOff) {
  // Of few points none is far off.
  EXPECT_NEAR(bind_surface_of({{0, 0, 0}, {30, 0, 0}, {0, 40, 0}}, {{0, 1, 2}}).size, 50, 1e-5);
  const BindSurface whole = tube(5, 10, 12);
  EXPECT_NEAR(whole.size, std::sqrt(100 + 4 + std::pow(2 * std::sin(0.4 * kPi), 2)), 1e-5);
  for (const Vec3& far : {Vec3{1e6f, 1.5f, 0}, Vec3{-1e6f, 0, -1.5f}, Vec3{0, -1e6f, 1e6f}}) {
    std::vector<Vec3> points = whole.points;
    points.push_back(far);
    EXPECT_EQ(bind_surface_of(points, whole.triangles).size, whole.size);
  }
}

TEST(EveryMethod, LeavesNoHoleInAThousandSpoiltMeshes) {
  const unsigned seed = 6;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const BindSurface whole = tube(5, 10, 12);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    Body body{whole.points, whole.triangles};
    for (int k = 0; k <= round % 4; ++k) mutate(body, random);
    BindSkeleton skeleton = halves();
    if (round % 5 == 0) skeleton.segments[1].to = skeleton.segments[1].from;
    if (round % 7 == 0) {
      for (JointSegment& segment : skeleton.segments) segment.from.z = segment.to.z = 100;
    }
    const BindSurface surface = bind_surface_of(body.first, body.second);
    expect_all_complete(bound_on_surface(surface, skeleton), surface);
    // A share of them, of every kind above: filling takes longer.
    if (round % 3 == 0) expect_all_complete(bound_in_body(surface, skeleton), surface);
    if (HasFatalFailure()) return;
  }
}

TEST(EveryMethod, BindsPointsWithoutTrianglesAndOneTriangle) {
  const BindSkeleton skeleton = halves();
  for (const BindSurface& surface :
       {bind_surface_of({{1, 1, 0}, {-4, 1, 0}}, {}),
        bind_surface_of({{1, 1, 0}, {-4, 1, 0}, {2, 1, 2}}, {{0, 1, 2}}), bind_surface_of({{3, 0, 0}}, {})}) {
    expect_all_complete(bound_on_surface(surface, skeleton), surface);
    expect_all_complete(bound_in_body(surface, skeleton), surface);
  }
}

}  // namespace
}  // namespace dermis
