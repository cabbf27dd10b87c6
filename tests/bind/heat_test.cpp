// SPDX-License-Identifier: MIT
// Heat weights: the closed form on a tube, what is in sight, and shells of their own.
#include <atomic>

#include "bind/bound.h"

namespace dermis {
namespace {

using test::chain;
using test::expect_complete;
using test::tube;
using test::weight_of;

// Two joints along the axis of a tube that meet in its middle.
BindSkeleton halves() { return chain({{{-10, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {10, 0, 0}}}); }

class HeatOnTube : public testing::TestWithParam<double> {};

// On an endless tube of radius r the equilibrium is exp(-sqrt(c) x / r) / 2 beyond the joint.
TEST_P(HeatOnTube, FallsAsTheClosedFormSays) {
  const BindSurface surface = tube(10, 64, 320);
  HeatOptions options;
  options.conduction = GetParam();
  const Result<BoundRows> bound = bind_heat(surface, halves(), options);
  ASSERT_TRUE(bound);
  expect_complete(bound->rows, surface.points.size(), 2);
  double worst = 0;
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    const double x = double{surface.points[v].x};
    if (std::abs(x) > 5) continue;  // the ends of the tube are far enough
    const double expected = 0.5 * std::exp(-std::sqrt(options.conduction) * std::abs(x));
    worst = std::max(worst, std::abs(weight_of(bound->rows, v, x > 0 ? 0 : 1) - expected));
  }
  EXPECT_LT(worst, 0.01);
}
INSTANTIATE_TEST_SUITE_P(Conductions, HeatOnTube, testing::Values(1.0, 3.0, 4.0), [](const auto& tried) {
  return "c" + std::to_string(static_cast<int>(tried.param));
});

TEST(BindHeat, SharesAPointThatTwoJointsAreEquallyNear) {
  const BindSurface surface = tube(10, 16, 20);
  const Result<BoundRows> bound = bind_heat(surface, halves());
  ASSERT_TRUE(bound);
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    if (surface.points[v].x != 0) continue;
    EXPECT_NEAR(weight_of(bound->rows, v, 0), 0.5, 1e-5);
  }
}

TEST(BindHeat, IsTheSameAtAnySizeAndPlace) {
  BindSurface surface = tube(5, 16, 40);
  const Result<BoundRows> bound = bind_heat(surface, halves());
  std::vector<Vec3> far = surface.points;
  for (Vec3& point : far) point = point * 64.0f + Vec3{128, -256, 512};
  const auto there = [](const Vec3d& p) { return p * 64.0 + Vec3d{128, -256, 512}; };
  BindSkeleton skeleton = halves();
  for (JointSegment& segment : skeleton.segments)
    segment = {segment.joint, there(segment.from), there(segment.to)};
  const Result<BoundRows> moved = bind_heat(bind_surface_of(far, surface.triangles), skeleton);
  ASSERT_TRUE(bound && moved);
  for (std::size_t v = 0; v < far.size(); ++v)
    ASSERT_NEAR(weight_of(bound->rows, v, 0), weight_of(moved->rows, v, 0), 1e-3) << v;
}

// Two tubes side by side: each point is nearer to the other tube's joint than its own tube's far end is, but
// does not see it.
TEST(BindHeat, DoesNotReachThroughTheSkinOfAnotherLimb) {
  BindSurface one = tube(5, 16, 20);
  std::vector<Vec3> points = one.points;
  std::vector<SurfaceMesh::Triangle> triangles = one.triangles;
  const auto base = static_cast<std::uint32_t>(points.size());
  for (const Vec3& point : one.points) points.push_back(point + Vec3{0, 2.2f, 0});
  for (const SurfaceMesh::Triangle& t : one.triangles)
    triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
  const BindSurface two = bind_surface_of(points, triangles);
  // The second limb's joint lies close under its skin, towards the first.
  const Result<BoundRows> bound =
      bind_heat(two, chain({{{-5, -0.5, 0}, {5, -0.5, 0}}, {{-5, 1.4, 0}, {5, 1.4, 0}}}));
  ASSERT_TRUE(bound);
  for (std::size_t v = 0; v < two.points.size(); ++v)
    EXPECT_GT(weight_of(bound->rows, v, v < base ? 0 : 1), 0.9) << v;
}

// A sleeve around an arm sees no joint, for the arm is in between.
TEST(BindHeat, AttachesAShellThatSeesNoJointToWhatIsUnderIt) {
  BindSurface arm = tube(5, 24, 60);
  std::vector<Vec3> points = arm.points;
  std::vector<SurfaceMesh::Triangle> triangles = arm.triangles;
  const auto base = static_cast<std::uint32_t>(points.size());
  for (const Vec3& point : arm.points) points.push_back({point.x * 0.8f, point.y * 1.1f, point.z * 1.1f});
  for (const SurfaceMesh::Triangle& t : arm.triangles)
    triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
  const BindSurface dressed = bind_surface_of(points, triangles);
  ASSERT_EQ(dressed.shell_count, 2u);
  const Result<BoundRows> bound = bind_heat(dressed, halves());
  ASSERT_TRUE(bound);
  ASSERT_EQ(bound->notes.size(), 1u);
  EXPECT_EQ(bound->notes[0].id, "shell-attached");
  for (std::size_t v = base; v < points.size(); ++v) {
    const double x = double{points[v].x};
    if (std::abs(x) > 3) continue;
    EXPECT_NEAR(weight_of(bound->rows, v, x > 0 ? 0 : 1), 0.5 * std::exp(-2 * std::abs(x)), 0.05);
  }
}

// A skirt took the weights of the nearest leg, and was torn where it hangs between the two.
TEST(BindHeat, LeavesAShellThatHangsAroundTwoLimbsWhole) {
  const BindSurface leg = tube(5, 48, 40);
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
  const auto add = [&](double radius, double z) {
    const auto base = static_cast<std::uint32_t>(points.size());
    const float r = static_cast<float>(radius);
    for (const Vec3& p : leg.points) points.push_back({p.x, p.y * r, p.z * r + static_cast<float>(z)});
    for (const SurfaceMesh::Triangle& t : leg.triangles)
      triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
    return base;
  };
  add(1, -1.5);
  add(1, 1.5);
  const std::uint32_t skirt = add(3.5, 0);
  const BindSurface dressed = bind_surface_of(points, triangles);
  const Result<BoundRows> bound =
      bind_heat(dressed, chain({{{-5, 0, -1.5}, {5, 0, -1.5}}, {{-5, 0, 1.5}, {5, 0, 1.5}}}));
  ASSERT_TRUE(bound);
  expect_complete(bound->rows, points.size(), 2);
  double worst = 0;
  for (const SurfaceMesh::Triangle& t : triangles) {
    if (t[0] < skirt) continue;
    for (std::size_t k = 0; k < 3; ++k)
      worst = std::max(worst, row_distance(bound->rows.row(t[k]), bound->rows.row(t[(k + 1) % 3])));
  }
  // An edge of 0.52 in the middle, 2.8 from both legs, has 1 - exp(-2 0.52 / 2.8) = 0.31 or a little more
  // (0.357); 2 where each side takes the weights of its leg.
  EXPECT_LT(worst, 0.5);
  for (std::size_t v = skirt; v < points.size(); ++v) {
    if (std::abs(points[v].z) < 3) continue;
    EXPECT_GT(weight_of(bound->rows, v, points[v].z > 0 ? 1 : 0), 0.9);
  }
}

TEST(BindHeat, IsTheSameInsideOut) {
  const BindSurface surface = tube(5, 16, 40);
  std::vector<SurfaceMesh::Triangle> turned = surface.triangles;
  for (SurfaceMesh::Triangle& triangle : turned) std::swap(triangle[1], triangle[2]);
  const BindSurface flipped = bind_surface_of(surface.points, turned);
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    ASSERT_GT(surface.normals[v].y * surface.points[v].y + surface.normals[v].z * surface.points[v].z, 0);
    ASSERT_LT(length(surface.normals[v] - flipped.normals[v]), 1e-6f);
  }
  const Result<BoundRows> bound = bind_heat(surface, halves()), other = bind_heat(flipped, halves());
  ASSERT_TRUE(bound && other);
  for (std::size_t v = 0; v < surface.points.size(); ++v)
    ASSERT_NEAR(weight_of(bound->rows, v, 0), weight_of(other->rows, v, 0), 1e-5);
}

TEST(BindHeat, GivesTheSameBytesOnAnyThreadCount) {
  const BindSurface surface = tube(5, 32, 60);
  const BindSkeleton skeleton = halves();
  const int before = thread_count();
  set_thread_count(1);
  const Result<BoundRows> one = bind_heat(surface, skeleton);
  set_thread_count(3);
  const Result<BoundRows> three = bind_heat(surface, skeleton);
  set_thread_count(before);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->rows, three->rows);
}

TEST(BindHeat, RefusesWhatCannotBeBoundAndStopsWhenAsked) {
  const BindSurface surface = tube(5, 8, 8);
  EXPECT_EQ(bind_heat(surface, {}).error().code, Errc::bad_rig);
  EXPECT_EQ(bind_heat(bind_surface_of({}, {}), halves()).error().code, Errc::bad_rig);
  HeatOptions frozen;
  frozen.conduction = 0;
  EXPECT_EQ(bind_heat(surface, halves(), frozen).error().code, Errc::bad_argument);
  const std::atomic<bool> stop{true};
  EXPECT_EQ(bind_heat(surface, halves(), {}, Progress({}, &stop)).error().code, Errc::cancelled);
}

}  // namespace
}  // namespace dermis
