// SPDX-License-Identifier: MIT
// Cameras show all points, as large as they can.
#include <gtest/gtest.h>

#include "drawings.h"

namespace dermis {
namespace {

struct Extent {
  double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
};

Extent extent_of(const std::vector<Vec3>& points, const Camera& camera, int width, int height) {
  Extent extent;
  for (const Vec3& point : points) {
    const test::Seen2 p = test::seen_at(camera, Vec3d(point), width, height);
    extent.left = std::min(extent.left, p.x), extent.right = std::max(extent.right, p.x);
    extent.top = std::min(extent.top, p.y), extent.bottom = std::max(extent.bottom, p.y);
  }
  return extent;
}

TEST(FramePoints, FillsOneSideOfThePictureAndCentresTheOther) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const double size = std::pow(10, random.in(-3, 6));
    const Vec3d stretch{random.in(0.1, 3), random.in(0.1, 3), random.in(0.1, 3)}, place = random.vector();
    std::vector<Vec3> points;
    for (int k = 0; k < 200; ++k) {
      const Vec3d p = random.vector();
      points.push_back(Vec3((place + Vec3d{p.x * stretch.x, p.y * stretch.y, p.z * stretch.z}) * size));
    }
    const int width = 200 + random.below(800), height = 200 + random.below(800);
    const View view{random.in(-4, 4), random.in(-1.5, 1.5)};
    const Camera camera = frame_points(points, view, static_cast<double>(width) / height);
    const Extent e = extent_of(points, camera, width, height);
    const double across = (e.right - e.left) / width, down = (e.bottom - e.top) / height;
    // The margin is 3.5 % of the picture on each side.
    EXPECT_NEAR(std::max(across, down), 0.93, 0.01);
    EXPECT_GE(e.left, 0.03 * width);
    EXPECT_LE(e.right, 0.97 * width);
    EXPECT_GE(e.top, 0.03 * height);
    EXPECT_LE(e.bottom, 0.97 * height);
  }
}

TEST(FramePoints, LooksFromTheSideTheViewSays) {
  const std::vector<Vec3> cube{{-1, -1, -1}, {1, 1, 1}, {1, -1, 1}, {-1, 1, -1}};
  const auto direction = [&](double turn, double lift) {
    const Camera camera = frame_points(cube, {turn, lift}, 1);
    return normalized(camera.eye - camera.target);
  };
  EXPECT_LT(length(direction(0, 0) - Vec3d{0, 0, 1}), 1e-9);
  EXPECT_LT(length(direction(kPi / 2, 0) - Vec3d{1, 0, 0}), 1e-9);
  EXPECT_LT(length(direction(0, kPi / 2) - Vec3d{0, 1, 0}), 1e-9);
}

TEST(FramePoints, OfFlatAndSinglePointsStandsOutsideThem) {
  const std::vector<std::vector<Vec3>> sets{
      {{1, 2, 3}}, {{0, 0, 0}, {0, 0, 5}}, {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}};
  for (const std::vector<Vec3>& points : sets) {
    const Camera camera = frame_points(points, {0, 0}, 1.5);
    EXPECT_TRUE(is_finite(camera.eye) && is_finite(camera.target));
    EXPECT_GT(length(camera.eye - camera.target), 0.01);
    for (const Vec3& p : points) EXPECT_GT(camera.eye.z, static_cast<double>(p.z));
  }
}

TEST(FrameRegion, ShowsTheRegionInTheMiddleFromWhereEverythingIsInFront) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    std::vector<Vec3> points, region;
    for (int k = 0; k < 100; ++k) points.push_back(Vec3(random.vector()));
    const Vec3d place = random.vector() * 0.5;
    for (int k = 0; k < 50; ++k) region.push_back(Vec3(place + random.vector() * 0.1));
    points.insert(points.end(), region.begin(), region.end());
    const int width = 200 + random.below(800), height = 200 + random.below(800);
    const View view{random.in(-4, 4), random.in(-1.5, 1.5)};
    const Camera camera = frame_region(points, region, view, static_cast<double>(width) / height);
    const Extent e = extent_of(region, camera, width, height);
    // One side reaches the margin of 3.5 %, and none reaches beyond it.
    const double left = e.left / width, right = 1 - e.right / width, top = e.top / height,
                 bottom = 1 - e.bottom / height;
    EXPECT_NEAR(std::min({left, right, top, bottom}), 0.035, 0.002);
    const Vec3d forward = normalized(camera.target - camera.eye);
    for (const Vec3& point : points) EXPECT_GT(dot(Vec3d(point) - camera.eye, forward), 0);
  }
}

TEST(FrameRegion, ThatIsEmptyShowsEverything) {
  const std::vector<Vec3> points{{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Camera all = frame_points(points, {}, 1), none = frame_region(points, {}, {}, 1);
  EXPECT_EQ(none.eye, all.eye);
  EXPECT_EQ(none.field, all.field);
}

TEST(Project, IsWhereThePictureShowsAPoint) {
  const Camera camera{.eye = {1, 2, 5}, .target = {0, 1, 0}};
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Vec3d point = random.vector();
    const std::optional<Vec2> place = project(camera, 1.5, point);
    ASSERT_TRUE(place);
    const test::Seen2 seen = test::seen_at(camera, point, 300, 200);
    EXPECT_NEAR(static_cast<double>(place->x) * 300, seen.x, 1e-3);
    EXPECT_NEAR(static_cast<double>(place->y) * 200, seen.y, 1e-3);
  }
  EXPECT_FALSE(project(camera, 1.5, {2, 3, 10})) << "behind the camera";
  EXPECT_FALSE(project({.eye = {0, 0, 1}, .target = {}, .up = {0, 1, 0}, .field = 0}, 1.5, {}));
}

TEST(FramePoints, PassesOverPointsThatAreNotFinite) {
  std::vector<Vec3> points{{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Camera without = frame_points(points, {}, 1);
  points.push_back({NAN, 0, 0});
  points.push_back({0, INFINITY, 0});
  EXPECT_EQ(frame_points(points, {}, 1).eye, without.eye);
}

}  // namespace
}  // namespace dermis
