// SPDX-License-Identifier: MIT
// Dual quaternion blending: closed forms, the flip and the bulge.
#include <gtest/gtest.h>

#include <cstdio>

#include "deform/methods.h"

namespace dermis {
namespace {

using test::kHalf;
using test::PointCase;
using test::posed_by;
using test::surface_by;
using test::TubeShape;
using test::turned_about;

// Joint 0 at rest, joint 1 turned; the worked example's point.
PointCase half_and_half(const Affined& second) { return {{{}, second}, kHalf, {2, 1, 0}, {}, 0.5f}; }

TEST(SkinDqs, WorkedExamplesOfHalfATurnKeepTheDistanceToTheAxis) {
  // A twist about x: rounding picks the side, (2, 0, 1) or (2, 0, -1).
  const Vec3d twisted = posed_by("dqs", half_and_half(turned_about({}, {1, 0, 0}, kPi)));
  EXPECT_LT(length(Vec3d{twisted.x, twisted.y, std::abs(twisted.z)} - Vec3d{2, 0, 1}), 1e-12);
  // A bend about z at (2, 0, 0): (1, 0, 0) or (3, 0, 0).
  const Vec3d bent = posed_by("dqs", half_and_half(turned_about({2, 0, 0}, {0, 0, 1}, kPi)));
  EXPECT_LT(length(Vec3d{2 - std::abs(bent.x - 2), bent.y, bent.z} - Vec3d{1, 0, 0}), 1e-12);
}

TEST(SkinDqs, TwistKeepsTheRadiusAndTurnsByTheClosedForm) {
  const TubeShape shape{.rings = 33, .sides = 8};
  const Mesh mesh = test::tube(shape);
  for (const double degrees : {30.0, 45.0, 60.0, 90.0, 120.0, 135.0, 150.0, 179.0}) {
    SCOPED_TRACE(degrees);
    const double theta = radians_from_degrees(degrees);
    const std::vector<Affined> palette{{}, turned_about({}, {1, 0, 0}, theta)};
    const Surface posed = surface_by("dqs", mesh, palette);
    for (int r = 0; r < shape.rings; ++r) {
      const double w = test::tube_weight(shape, r);
      const double angle = 2 * std::atan2(w * std::sin(theta / 2), 1 - w + w * std::cos(theta / 2));
      const Vec3d p(posed.points[at(r * shape.sides)]);  // rests along +y
      EXPECT_NEAR(p.y, std::cos(angle), 1e-6);
      EXPECT_NEAR(p.z, std::sin(angle), 1e-6);
    }
  }
}

TEST(SkinDqs, KeepsTheVolumeOfATwistedTubeWhereLbsLosesUpToTwoThirds) {
  const Mesh mesh = test::tube({.rings = 401, .sides = 64});
  const double rest = test::volume_of(mesh.points, mesh.polygons);
  for (const double degrees : {45.0, 90.0, 135.0, 179.0}) {
    const double theta = radians_from_degrees(degrees), s = std::sin(theta / 2);
    const std::vector<Affined> palette{{}, turned_about({}, {1, 0, 0}, theta)};
    const auto volume = [&](const char* method) {
      return test::volume_of(surface_by(method, mesh, palette).points, mesh.polygons) / rest;
    };
    const double dqs = volume("dqs"), lbs = volume("lbs");
    std::printf("twist %3.0f: volume dqs %.4f lbs %.4f\n", degrees, dqs, lbs);
    EXPECT_NEAR(dqs, 1, 1e-3);
    EXPECT_NEAR(lbs, 1 - 2.0 / 3.0 * s * s, 2e-4);
  }
}

// The shorter way round changes sides at half a turn, and with it every blended point.
TEST(SkinDqs, FlipsBetween179And181Degrees) {
  const auto at_twist = [](const char* method, double degrees) {
    return posed_by(method, half_and_half(turned_about({}, {1, 0, 0}, radians_from_degrees(degrees))));
  };
  const double dqs = length(at_twist("dqs", 181) - at_twist("dqs", 179));
  const double lbs = length(at_twist("lbs", 181) - at_twist("lbs", 179));
  std::printf("from 179 to 181 degrees a point at radius 1 moves by %.4f (dqs), %.4f (lbs)\n", dqs, lbs);
  EXPECT_NEAR(dqs, 2 * std::sin(radians_from_degrees(89.5)), 1e-12);
  EXPECT_NEAR(lbs, std::sin(radians_from_degrees(1)), 1e-12);
}

// ---- The elbow ----------------------------------------------------------------------------------------

// How far the outer side of a tube of radius 1, bent at x = 1, is farther than that from both bones, and how
// near it comes to the elbow. Joint 1 bends away from +y.
struct Elbow {
  double bulge = -1, nearest = INFINITY;
};

constexpr TubeShape kElbowShape{.rings = 121, .sides = 32};
constexpr Vec3d kElbowJoint{1, 0, 0};

std::vector<Affined> elbow_palette(double degrees) {
  return {{}, turned_about(kElbowJoint, {0, 0, 1}, -radians_from_degrees(degrees))};
}

Elbow elbow_from(const std::vector<Vec3>& posed, const std::vector<Affined>& palette) {
  Elbow elbow;
  const std::size_t sides = at(kElbowShape.sides);
  for (std::size_t v = 0; v < at(kElbowShape.rings) * sides; v += sides) {  // those along +y
    const Vec3d p = Vec3d(posed[v]) - kElbowJoint;
    // To the two bones, which end at the joint.
    const auto from_bone = [&](const Vec3d& outward) {
      return length(p - outward * std::max(0.0, dot(p, outward)));
    };
    const double nearer = std::min(from_bone({-1, 0, 0}), from_bone(palette[1].linear * Vec3d{1, 0, 0}));
    elbow.bulge = std::max(elbow.bulge, nearer - 1);
    elbow.nearest = std::min(elbow.nearest, length(p));
  }
  return elbow;
}

Elbow elbow_of(const char* method, double degrees, float bulge_correction = 0) {
  const Mesh mesh = test::tube(kElbowShape);
  const std::vector<Affined> palette = elbow_palette(degrees);
  // Centres on the axis, as surfaces of revolution have them.
  std::vector<Vec3> centres;
  for (const Vec3& point : mesh.points) centres.push_back({point.x, 0, 0});
  Surface posed = surface_by(method, mesh, palette);
  const RestSurface rest{mesh.points, {}, {}};
  if (std::string(method) == "cor") {
    skin_cor_reference(mesh.weights, palette, centres, rest, {posed.points, {}, {}});
  }
  if (bulge_correction > 0) {
    skin_dqs_reference(mesh.weights, palette, rest, {posed.points, {}, {}}, {}, {bulge_correction, centres});
  }
  return elbow_from(posed.points, palette);
}

TEST(BentElbow, BulgesUnderDqsAndCollapsesUnderLbs) {
  for (const double degrees : {60.0, 90.0, 120.0}) {
    SCOPED_TRACE(degrees);
    const Elbow dqs = elbow_of("dqs", degrees), lbs = elbow_of("lbs", degrees),
                cor = elbow_of("cor", degrees);
    std::printf(
        "bend %3.0f: stands out by dqs %.3f lbs %.3f cor %.3f, outer side at dqs %.3f lbs %.3f cor %.3f\n",
        degrees, dqs.bulge, lbs.bulge, cor.bulge, dqs.nearest, lbs.nearest, cor.nearest);
    // Points keep their distance to the joint: what rests before it and beside it swings out.
    EXPECT_GT(dqs.bulge, 0.1);
    EXPECT_LT(lbs.bulge, 0.05);
    EXPECT_NEAR(dqs.nearest, 1, 1e-6);
    EXPECT_NEAR(lbs.nearest, std::cos(radians_from_degrees(degrees / 2)), 1e-6);
  }
}

TEST(BentElbow, BulgesLessWithTheCorrectionAndMostSoWhereItBendsMost) {
  double kept_before = 1;
  for (const double degrees : {60.0, 90.0, 120.0}) {
    SCOPED_TRACE(degrees);
    const double full = elbow_of("dqs", degrees, 1).bulge, half = elbow_of("dqs", degrees, 0.5f).bulge;
    const double none = elbow_of("dqs", degrees).bulge;
    std::printf("bend %3.0f: stands out by %.3f, half corrected %.3f, corrected %.3f\n", degrees, none, half,
                full);
    EXPECT_LT(full, half);
    EXPECT_LT(half, none);
    EXPECT_LT(full / none, kept_before - 0.05);
    kept_before = full / none;
  }
  EXPECT_LT(kept_before, 0.55);
}

// Through a prepared stack, about the centres of rotation that the weights give, in place of the known axis.
TEST(BentElbow, BulgesLessUnderAStackWithTheCorrectionByAsMuch) {
  const Character character = test::tube_character(kElbowShape, Vec3(kElbowJoint));
  for (const double degrees : {60.0, 90.0, 120.0}) {
    SCOPED_TRACE(degrees);
    PoseFrame frame = *pose_frame(character, {});
    frame.palette = elbow_palette(degrees);
    const auto bulge = [&](float correction) {
      DeformOptions options{deform_stack("dqs")};
      options.settings = {{"dqs", "bulge_correction", static_cast<double>(correction)}};
      return elbow_from(deform_instance(character, frame, 0, options)->points, frame.palette).bulge;
    };
    std::printf("bend %3.0f: a stack stands out by %.3f, half corrected %.3f, corrected %.3f\n", degrees,
                bulge(0), bulge(0.5f), bulge(1));
    for (const float correction : {0.0f, 0.5f, 1.0f})
      EXPECT_NEAR(bulge(correction), elbow_of("dqs", degrees, correction).bulge, 0.005);
    EXPECT_LT(bulge(1), bulge(0.5f));
    EXPECT_LT(bulge(0.5f), bulge(0));
  }
}

// Loose points have no surface that tells where their limb is, whatever shapes do to them.
TEST(BulgeCorrection, LeavesPointsWithoutACentreWhereDqsPutsThem) {
  Character character = test::tube_character({.rings = 9, .sides = 8}, Vec3(kElbowJoint));
  Mesh& mesh = character.meshes[0];
  mesh.polygons = {};
  mesh.parts.clear();
  Shape up;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) up.points.push_back(static_cast<Index>(v));
  up.offsets.assign(mesh.points.size(), {0, 0.25f, 0});
  mesh.shapes = {up};
  character.instances[0].shape_weights = {1};
  PoseFrame frame = *pose_frame(character, {});
  frame.palette = elbow_palette(90);
  frame.shape_weights = {{1}};
  DeformOptions options{deform_stack("dqs"), NormalMode::inverse_transpose};
  const Result<Surface> plain = deform_instance(character, frame, 0, options);
  options.stack = deform_stack("dqs:bulge_correction=1");
  const Result<Surface> corrected = deform_instance(character, frame, 0, options);
  ASSERT_TRUE(corrected) << corrected.error().sentence;
  EXPECT_EQ(corrected->points, plain->points);
}

TEST(BulgeCorrection, OutOfRangeIsRefused) {
  const Character character = test::tube_character({.rings = 9, .sides = 8}, Vec3(kElbowJoint));
  for (const double wrong : {-0.5, 1.5, static_cast<double>(NAN)}) {
    DeformOptions options{deform_stack("dqs")};
    options.settings = {{"dqs", "bulge_correction", wrong}};
    const Result<Deformer> deformer = prepare_deformer(character, options);
    ASSERT_FALSE(deformer.ok());
    EXPECT_EQ(deformer.error().code, Errc::bad_argument);
  }
}

TEST(BulgeCorrection, KeepsMotionsOfTheWorldAndOfTheRestSpace) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const WeightRows row = test::exact_row(random, 3);
    const std::vector<Affined> palette{random.rigid(), random.rigid(), random.rigid()};
    const Vec3d point = random.vector(), axis_point = random.vector();
    const auto corrected = [&](const Affined& left, const Affined& right, const Affined& point_map) {
      std::vector<Affined> moved;
      for (const Affined& joint : palette) moved.push_back(left * joint * right);
      const Vec3 axis(point_map * axis_point);
      const DqsOptions dqs{1, {&axis, 1}};
      return dqs_rule(moved, {}, dqs)->at(0, point_map * point, row.row(0)).posed_from_rest *
             (point_map * point);
    };
    const Affined a = random.rigid();
    const Vec3d here = corrected({}, {}, {});
    EXPECT_LT(length(corrected(a, {}, {}) - a * here), 1e-12);
    EXPECT_LT(length(corrected({}, a, inverse(a)) - here), 1e-6);  // axis points are float
    EXPECT_LT(length(corrected(a, inverse(a), a) - a * here), 1e-6);
  }
}

TEST(BentElbow, KeepsTheDistanceToTheJointUnderDqs) {
  const TubeShape shape{.rings = 33, .sides = 8};
  const Mesh mesh = test::tube(shape);
  const Vec3d joint{1, 0, 0};
  for (const double degrees : {30.0, 90.0, 150.0, 179.0}) {
    const std::vector<Affined> palette{{}, turned_about(joint, {0, 0, 1}, radians_from_degrees(degrees))};
    const Surface posed = surface_by("dqs", mesh, palette);
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      EXPECT_NEAR(length(Vec3d(posed.points[v]) - joint), length(Vec3d(mesh.points[v]) - joint), 1e-6);
    }
  }
}

TEST(CandyWrapper, PinchesTheTubeUnderLbsAlone) {
  const TubeShape shape{.rings = 33, .sides = 8};
  const Mesh mesh = test::tube(shape);
  const std::vector<Affined> palette{{}, turned_about({}, {1, 0, 0}, radians_from_degrees(179))};
  for (const std::string method : {"lbs", "quaternion", "log_matrix", "spherical", "dqs", "cor"}) {
    const Surface posed = surface_by(method, mesh, palette, {}, {.centre = {1, 0, 0}});
    double thinnest = INFINITY;
    for (std::size_t v = 0; v < at(shape.rings * shape.sides); ++v) {
      const Vec3d p(posed.points[v]);
      thinnest = std::min(thinnest, std::hypot(p.y, p.z));
    }
    std::printf("twist 179: %s is %.4f thin\n", method.c_str(), thinnest);
    EXPECT_NEAR(thinnest, method == "lbs" ? std::cos(radians_from_degrees(89.5)) : 1, 1e-6);
  }
}

// ---- Traps --------------------------------------------------------------------------------------------

// A turn q and its double cover -q are the same joint; here three joints, none within 90 degrees of the next
// as quaternions. A sum that follows its running sign would depend on the order of the two lighter ones.
TEST(SkinDqs, DoesNotDependOnTheOrderOfLighterJoints) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Affined a = random.rigid(), b = random.rigid(), c = random.rigid();
    PointCase one{{a, b, c}, test::rows_of({{{0, 0.5f}, {1, 0.25f}, {2, 0.25f}}}), random.vector(), {}, 0};
    PointCase other = one;
    other.palette = {a, c, b};
    EXPECT_LT(length(posed_by("dqs", one) - posed_by("dqs", other)), 1e-14);
  }
}

TEST(SkinDqs, NearlyRigidMatricesTurnLikeRigidOnes) {
  const Affined turn = turned_about({1, 2, 3}, {1, 1, 0}, 2.5);
  PointCase clean{{{}, turn}, kHalf, {2, 1, 0}, {}, 0};
  PointCase rounded = clean;
  rounded.palette[1].linear = Mat3d(Mat3(turn.linear));
  EXPECT_LT(length(posed_by("dqs", clean) - posed_by("dqs", rounded)), 1e-6);
}

TEST(SkinDqsDeathTest, EndsTheProgramWhenSizesDoNotAgree) {
  const std::vector<Affined> palette(1);
  const std::vector<Vec3> rest(2);
  std::vector<Vec3> posed(2);
  EXPECT_DEATH(skin_dqs_reference(test::rows_of({{{0, 1}}}), palette, {rest, {}, {}}, {posed, {}, {}}), "");
}

}  // namespace
}  // namespace dermis
