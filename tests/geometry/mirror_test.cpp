// SPDX-License-Identifier: MIT
// Tests planes fitted to points that are symmetric, or nearly so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "characters.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

// Random points and their images.
std::vector<Vec3> symmetric_points(const MirrorPlane& plane, std::size_t pair_count, unsigned seed) {
  test::Random random(seed);
  std::vector<Vec3> points;
  for (std::size_t k = 0; k < pair_count; ++k) {
    const Vec3d p = random.vector();
    points.emplace_back(p);
    points.emplace_back(plane.mirrored(p));
  }
  return points;
}

double angle_between(const Vec3d& a, const Vec3d& b) { return std::acos(std::min(1.0, std::abs(dot(a, b)))); }

TEST(FitMirrorPlane, FindsThePlaneFromATiltedOne) {
  const MirrorPlane plane{normalized(Vec3d{1, 0.1, -0.05}), 0.2};
  const std::vector<Vec3> points = symmetric_points(plane, 500, 7);
  const MirrorPlane start{normalized(Vec3d{1, 0.13, -0.03}), 0.18};
  const MirrorPlane fitted = fit_mirror_plane(points, start);
  EXPECT_LT(angle_between(fitted.normal, plane.normal), 1e-5);
  EXPECT_NEAR(std::abs(fitted.offset), plane.offset, 1e-5);
}

TEST(FitMirrorPlane, LooksAcrossTheBoxWhereTheStartIsFarOff) {
  const MirrorPlane plane{{0, 0, 1}, 0};
  const std::vector<Vec3> points = symmetric_points(plane, 500, 8);
  const MirrorPlane fitted = fit_mirror_plane(points, {normalized(Vec3d{0.5, 0.1, 0.8}), 0.6});
  EXPECT_LT(angle_between(fitted.normal, plane.normal), 1e-5);
  EXPECT_NEAR(fitted.offset, 0, 1e-5);
}

TEST(FitMirrorPlane, IsNotPulledByWhatIsOnOneSideAlone) {
  const MirrorPlane plane{{1, 0, 0}, 0};
  std::vector<Vec3> points = symmetric_points(plane, 500, 9);
  for (int k = 0; k < 200; ++k) points.emplace_back(0.9f, 2 + 0.01f * static_cast<float>(k), 0.0f);
  const MirrorPlane fitted = fit_mirror_plane(points, {normalized(Vec3d{1, 0.02, 0}), 0.01});
  EXPECT_LT(angle_between(fitted.normal, plane.normal), 1e-5);
  EXPECT_NEAR(fitted.offset, 0, 1e-5);
}

}  // namespace
}  // namespace dermis
