// SPDX-License-Identifier: MIT
// Planes of symmetry, and the frames that a body may stand in.
#include "rig/frames.h"

#include <algorithm>

#include "rig/bodies.h"

namespace dermis {
namespace {

// A cross of four arms, the upper one short: a mirror image of itself across x and z.
test::Soup cross_soup(const Affined& map = {}) {
  std::vector<test::Capsule> arms;
  for (const Vec3d& tip : {Vec3d{5, 0, 0}, Vec3d{-5, 0, 0}, Vec3d{0, 2, 0}, Vec3d{0, -7, 0}})
    arms.push_back({map * Vec3d{}, map * tip, 0.8});
  return test::capsule_soup(arms, 0.25);
}

bool has_plane(std::span<const BodyMirror> mirrors, const Vec3d& normal, double offset, double tolerance) {
  return std::any_of(mirrors.begin(), mirrors.end(), [&](const BodyMirror& mirror) {
    return length(cross(mirror.plane.normal, normal)) < 1e-6 &&
           std::abs(mirror.plane.offset - offset) < tolerance;
  });
}

TEST(Mirrors, OfACrossAreItsTwoPlanesWhereverItStands) {
  const Affined map{Mat3d{}, {3, -1, 2}};
  const double cell = 0.15;
  const std::vector<BodyMirror> mirrors = find_mirrors(test::body_of(cross_soup(map), cell));
  ASSERT_EQ(mirrors.size(), 2u);
  EXPECT_TRUE(has_plane(mirrors, {1, 0, 0}, 3, cell));
  EXPECT_TRUE(has_plane(mirrors, {0, 0, 1}, 2, cell));
  EXPECT_GE(mirrors[0].share, mirrors[1].share);
  for (const BodyMirror& mirror : mirrors) EXPECT_GT(mirror.share, 0.97);
}

TEST(Mirrors, OfACrossThatFacesBetweenTheAxesAreFound) {
  for (const double degrees : {10.0, 30.0, 47.0}) {
    SCOPED_TRACE(degrees);
    const Affined map = test::turned_about({}, {0, 1, 0}, radians_from_degrees(degrees));
    const std::vector<BodyMirror> mirrors = find_mirrors(test::body_of(cross_soup(map), 0.15));
    ASSERT_FALSE(mirrors.empty());
    EXPECT_GT(mirrors[0].share, 0.93);
    // Across its arms or along them, to a degree.
    const Vec3d across = map.linear * Vec3d{1, 0, 0}, normal = mirrors[0].plane.normal;
    EXPECT_LT(std::min(length(cross(normal, across)), std::abs(dot(normal, across))),
              std::sin(radians_from_degrees(1)));
  }
}

// A trunk on four legs, with a neck.
test::Soup table_soup(const Affined& map) {
  std::vector<test::Capsule> parts{{{-4, 4, 0}, {4, 4, 0}, 1.2}, {{4, 4, 0}, {6, 7, 0}, 0.7}};
  for (const double x : {4.0, -4.0})
    for (const double z : {1.5, -1.5}) parts.push_back({{x, 4, z}, {x, 0, z}, 0.7});
  for (test::Capsule& part : parts) part.from = map * part.from, part.to = map * part.to;
  return test::capsule_soup(parts, 0.35);
}

TEST(Mirrors, OfATurnedTableAreUprightOnItsFeet) {
  const Affined map = test::turned_about({}, normalized(Vec3d{2, 1, 3}), radians_from_degrees(30));
  const std::vector<BodyMirror> mirrors = find_mirrors(test::body_of(table_soup(map), 0.2));
  ASSERT_FALSE(mirrors.empty());
  EXPECT_GT(std::abs(dot(mirrors[0].plane.normal, map.linear * Vec3d{0, 0, 1})),
            std::cos(radians_from_degrees(3)));
}

TEST(Mirrors, OfACubeAreAllThree) {
  EXPECT_EQ(find_mirrors(test::body_of(test::box_soup({0, 0, 0}, {1, 1, 1}), 0.05)).size(), 3u);
}

TEST(Mirrors, OfACorkscrewAreNone) {
  const test::Soup screw = test::capsule_soup({{{0, 0, 0}, {6, 0, 0}, 0.7},
                                               {{6, 0, 0}, {6, 5, 0}, 0.7},
                                               {{6, 5, 0}, {6, 5, 4}, 0.7},
                                               {{0, 0, 0}, {0, 0, -3}, 0.7}},
                                              0.25);
  EXPECT_TRUE(find_mirrors(test::body_of(screw, 0.2)).empty());
}

void expect_rotations(std::span<const BodyFrame> frames) {
  for (const BodyFrame& frame : frames) {
    EXPECT_NEAR(determinant(frame.axes), 1, 1e-9);
    EXPECT_LT(max_difference(Affined{transposed(frame.axes) * frame.axes, {}}, Affined{}), 1e-9);
    EXPECT_GE(frame.doubt, 0);
  }
}

TEST(Frames, AreRotationsWithLeftAcrossAMirrorPlane) {
  const BodySolid body = test::body_of(cross_soup(), 0.2);
  const std::vector<BodyMirror> mirrors = find_mirrors(body);
  const std::vector<BodyFrame> frames = guess_frames(body, mirrors, false, {});
  expect_rotations(frames);
  // Two planes, four ways up in each, and two sides that may be the left.
  EXPECT_EQ(frames.size(), 16u);
  for (const BodyFrame& frame : frames) {
    ASSERT_GE(frame.plane, 0);
    const Vec3d normal = mirrors[static_cast<std::size_t>(frame.plane)].plane.normal;
    EXPECT_NEAR(std::abs(dot(frame.axes.x, normal)), 1, 1e-9);
  }
}

TEST(Frames, DoubtWhatStandsNeitherOnYNorOnZ) {
  const BodySolid body = test::body_of(cross_soup(), 0.2);
  double y = 1, z = 1, other = 1;
  for (const BodyFrame& frame : guess_frames(body, find_mirrors(body), false, {})) {
    double& least = frame.axes.y.y > 0.9 ? y : frame.axes.y.z > 0.9 ? z : other;
    least = std::min(least, frame.doubt);
  }
  EXPECT_EQ(y, 0);
  EXPECT_LT(y, z);
  EXPECT_LT(z, other);
}

TEST(Frames, ObeyUpAndFront) {
  const BodySolid body = test::body_of(cross_soup(), 0.2);
  const std::vector<BodyMirror> mirrors = find_mirrors(body);
  const std::vector<BodyFrame> up = guess_frames(body, mirrors, false, {Vec3d{0, 0, -5}, {}});
  ASSERT_FALSE(up.empty());
  for (const BodyFrame& frame : up) {
    EXPECT_NEAR(frame.axes.y.z, -1, 1e-9);
    EXPECT_EQ(frame.doubt, 0);
  }
  const std::vector<BodyFrame> both = guess_frames(body, mirrors, false, {Vec3d{0, 1, 0}, Vec3d{0, 0, -2}});
  ASSERT_EQ(both.size(), 1u);
  EXPECT_NEAR(both[0].axes.z.z, -1, 1e-9);
  EXPECT_NEAR(both[0].axes.x.x, -1, 1e-9);
}

// A front that no mirror plane allows is the user's word against a guess.
TEST(Frames, TakeAFrontThatNoMirrorPlaneHas) {
  const BodySolid body = test::body_of(cross_soup(), 0.2);
  std::vector<BodyMirror> mirrors = find_mirrors(body);
  std::erase_if(mirrors, [](const BodyMirror& mirror) { return std::abs(mirror.plane.normal.x) < 0.9; });
  ASSERT_EQ(mirrors.size(), 1u);
  const std::vector<BodyFrame> frames = guess_frames(body, mirrors, false, {Vec3d{0, 1, 0}, Vec3d{1, 0, 0}});
  ASSERT_FALSE(frames.empty());
  for (const BodyFrame& frame : frames) EXPECT_GT(frame.axes.z.x, 0.6);
}

TEST(Frames, WithoutAPlaneLookAllAround) {
  const BodySolid body = test::body_of(cross_soup(), 0.2);
  const std::vector<BodyFrame> frames = guess_frames(body, {}, false, {Vec3d{0, 1, 0}, {}});
  expect_rotations(frames);
  for (const Vec3d& front : {Vec3d{1, 0, 0}, Vec3d{-1, 0, 0}, Vec3d{0, 0, 1}, Vec3d{0, 0, -1}}) {
    EXPECT_TRUE(std::any_of(frames.begin(), frames.end(),
                            [&](const BodyFrame& frame) { return dot(frame.axes.z, front) > 0.999; }));
  }
}

TEST(Frames, StandWhatWasTurnedOnItsFeetWithoutMoreDoubt) {
  const Affined map = test::turned_about({}, normalized(Vec3d{2, 1, 3}), radians_from_degrees(30));
  const BodySolid body = test::body_of(table_soup(map), 0.2);
  const std::vector<BodyFrame> frames = guess_frames(body, {}, false, {});
  expect_rotations(frames);
  double least = 1, upright = 1;
  for (const BodyFrame& frame : frames) {
    if (dot(frame.axes.y, map.linear * Vec3d{0, 1, 0}) > std::cos(radians_from_degrees(5)))
      least = std::min(least, frame.doubt);
    if (frame.axes.y.y > 0.999) upright = std::min(upright, frame.doubt);
  }
  EXPECT_EQ(least, upright);
}

TEST(Frames, OfFreeTemplatesGoOutFromEveryLimbEndOnBothHands) {
  const BodySolid body = test::body_of(cross_soup(), 0.2);
  ASSERT_EQ(body.ends.size(), 4u);
  const std::vector<BodyFrame> frames = guess_frames(body, {}, true, {});
  expect_rotations(frames);
  for (int end = 0; end < 4; ++end) {
    for (const bool is_mirrored : {false, true}) {
      EXPECT_TRUE(std::any_of(frames.begin(), frames.end(), [&](const BodyFrame& frame) {
        return frame.root_end == end && frame.is_mirrored == is_mirrored;
      }));
    }
  }
}

}  // namespace
}  // namespace dermis
