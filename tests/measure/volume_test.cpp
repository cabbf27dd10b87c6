// SPDX-License-Identifier: MIT
// Volumes of bodies known by hand, of twisted tubes by their closed forms, and of regions that add up.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bodies.h"
#include "dermis/made.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

double volume_at_rest(const Mesh& mesh) { return volume_of(measured_surface(mesh), mesh.points); }

TEST(Volume, OfCubeAndTetrahedronIsExact) {
  EXPECT_DOUBLE_EQ(volume_at_rest(test::cube()), 1);
  EXPECT_DOUBLE_EQ(volume_at_rest(test::tetrahedron()), 1);
}

TEST(Volume, OfASphereConvergesWithTheSquareOfItsResolution) {
  const double whole = 4 * kPi / 3;
  const double coarse = whole - volume_at_rest(test::sphere(20));
  const double fine = whole - volume_at_rest(test::sphere(41));  // half the angle between rings
  EXPECT_GT(coarse, 0);
  EXPECT_NEAR(coarse / fine, 4, 0.1);
  EXPECT_NEAR(fine / whole, 0, 3e-3);
}

TEST(Volume, KeepsItsDigitsFarFromTheOrigin) {
  Mesh mesh = test::cube();
  for (Vec3& p : mesh.points) p = {p.x + 1e6f, p.y - 1e6f, p.z + 1e6f};
  EXPECT_DOUBLE_EQ(volume_at_rest(mesh), 1);
}

TEST(Volume, IsNegativeInsideOutAndFollowsEveryMap) {
  constexpr unsigned kSeed = 3;
  SCOPED_TRACE(kSeed);
  test::Random random(kSeed);
  const Mesh mesh = test::cube();
  const MeasuredSurface surface = measured_surface(mesh);
  for (int k = 0; k < 20; ++k) {
    const Affined map = random.affine();
    EXPECT_NEAR(volume_of(surface, test::mapped(mesh.points, map)), determinant(map.linear), 1e-6);
  }
}

TEST(Volume, OfAnOpenTubeIsThatOfTheClosedOne) {
  const test::TubeShape shape;
  const Mesh open = test::open_tube(shape);
  const MeasuredSurface surface = measured_surface(open);
  EXPECT_EQ(surface.loop_count(), 2u);
  EXPECT_EQ(measured_surface(test::tube(shape)).loop_count(), 0u);
  EXPECT_NEAR(volume_of(surface, open.points), volume_at_rest(test::tube(shape)), 1e-6);
}

TEST(Volume, OfAnOpenBodyDoesNotDependOnWhereItStands) {
  Mesh mesh = test::cube();
  mesh.polygons.first.resize(5);  // two faces short
  mesh.polygons.corners.resize(16);
  const MeasuredSurface surface = measured_surface(mesh);
  EXPECT_GT(surface.loop_count(), 0u);
  const double here = volume_of(surface, mesh.points);
  EXPECT_NEAR(volume_of(surface, test::mapped(mesh.points, {Mat3d{}, {50, -20, 9}})), here, 1e-5);
}

TEST(Volume, OfMiswoundAndNonManifoldHeapsDoesNotDependOnWhereTheyStand) {
  constexpr unsigned kSeed = 4;
  SCOPED_TRACE(kSeed);
  test::Random random(kSeed);
  for (int k = 0; k < 20; ++k) {
    std::vector<Vec3> points;
    for (int v = 0; v < 12; ++v) points.push_back(Vec3(random.vector()));
    std::vector<std::vector<Index>> triangles;
    for (int t = 0; t < 30; ++t) {
      const Index a = random.below(12), b = (a + 1 + random.below(5)) % 12,
                  c = (b + 1 + random.below(5)) % 12;
      if (a != c) triangles.push_back({a, b, c});
    }
    const Mesh mesh = test::mesh_of(points, triangles);
    const MeasuredSurface surface = measured_surface(mesh);
    const double here = volume_of(surface, mesh.points);
    EXPECT_NEAR(volume_of(surface, test::mapped(mesh.points, {Mat3d{}, {3, 4, -5}})), here, 1e-5);
  }
}

TEST(Volume, OfATriangleIsNothing) {
  const Mesh mesh = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  EXPECT_NEAR(volume_at_rest(mesh), 0, 1e-12);
  EXPECT_EQ(volume_at_rest(Mesh{}), 0);
}

std::vector<double> sweep(const Character& character, const char* method, const std::vector<double>& angles) {
  const Result<Deformer> deformer = prepare_deformer(character, {deform_stack(method)});
  const Result<std::vector<double>> volumes = volume_sweep(*deformer, 1, {1, 0, 0}, angles);
  EXPECT_TRUE(volumes);
  return *volumes;
}

// methods.md 2.1: linear blending keeps 1 - 2/3 sin^2(angle / 2) of a tube whose weights run linearly.
TEST(VolumeSweep, OfTheTwistedTubeFollowsTheClosedForm) {
  test::TubeShape shape;
  shape.rings = 401;
  shape.sides = 256;
  const Character character = test::tube_character(shape, {2, 0, 0});
  const std::vector<double> degrees{0, 45, 90, 135, 180};
  std::vector<double> angles;
  for (const double d : degrees) angles.push_back(radians_from_degrees(d));
  const std::vector<double> lbs = sweep(character, "lbs", angles);
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const double half = std::sin(angles[k] / 2);
    EXPECT_NEAR(lbs[k] / lbs[0], 1 - 2.0 / 3 * half * half, 3e-4) << degrees[k];
  }
  EXPECT_NEAR(lbs[0], 2 * kPi, 1e-3);
  angles.back() = radians_from_degrees(179);  // at 180 the shorter way round is anyone's guess
  const std::vector<double> dqs = sweep(character, "dqs", angles);
  for (std::size_t k = 0; k < angles.size(); ++k) EXPECT_NEAR(dqs[k] / dqs[0], 1, 3e-4) << degrees[k];
}

TEST(VolumeSweep, RefusesANodeThatIsNotThere) {
  const Character character = test::tube_character({}, {2, 0, 0});
  const Result<Deformer> deformer = prepare_deformer(character, {});
  const std::vector<double> angles{0};
  EXPECT_FALSE(volume_sweep(*deformer, 7, {1, 0, 0}, angles));
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(RegionVolumes, CutATubeInHalf) {
  test::TubeShape shape;
  shape.rings = 102;  // no ring in the middle, whose triangles would go to the lower slot
  const Mesh mesh = test::tube(shape);
  const MeasuredSurface surface = measured_surface(mesh);
  const JointRegions regions = joint_regions(surface, mesh.weights);
  EXPECT_EQ(regions.slots, (std::vector<Index>{0, 1}));
  const std::vector<double> volumes = region_volumes(surface, regions, mesh.points);
  const double whole = volume_of(surface, mesh.points);
  // The quadrilaterals in the middle are split evenly between the joints, which is a tie.
  EXPECT_NEAR(volumes[0], whole / 2, whole / 100);
  EXPECT_NEAR(sum_of(volumes), whole, 1e-9);
}

TEST(RegionVolumes, AddUpToTheWholeOnMadeAndOpenBodiesInAnyPose) {
  for (const MadeKind kind : {MadeKind::arm, MadeKind::hand}) {
    const Result<Character> character = make_character(kind, {3000});
    ASSERT_TRUE(character);
    Mesh mesh = character->meshes[0];
    for (const bool is_open : {false, true}) {
      if (is_open) {  // without a tenth of its polygons
        mesh.polygons.first.resize(mesh.polygons.first.size() * 9 / 10);
        mesh.polygons.corners.resize(mesh.polygons.first.back());
      }
      const MeasuredSurface surface = measured_surface(mesh);
      EXPECT_EQ(surface.loop_count() > 0, is_open);
      const JointRegions regions = joint_regions(surface, mesh.weights);
      const Result<PoseFrame> frame = pose_frame(*character, {0, 0.4, nullptr});
      const Result<Surface> posed = deform_instance(*character, *frame, 0, {});
      for (const std::span<const Vec3> points :
           {std::span<const Vec3>(mesh.points), std::span<const Vec3>(posed->points)}) {
        const std::vector<double> volumes = region_volumes(surface, regions, points);
        const double whole = volume_of(surface, points);
        EXPECT_NEAR(sum_of(volumes), whole, 1e-9 * std::abs(whole));
        for (const double v : volumes) EXPECT_GT(v, -0.01 * whole);
      }
    }
  }
}

TEST(RegionVolumes, DoNotDependOnWhereTheBodyStands) {
  const Result<Character> character = make_character(MadeKind::hand, {3000});
  const Mesh& mesh = character->meshes[0];
  const MeasuredSurface surface = measured_surface(mesh);
  const JointRegions regions = joint_regions(surface, mesh.weights);
  const std::vector<double> here = region_volumes(surface, regions, mesh.points);
  std::vector<Vec3> moved;
  for (const Vec3& p : mesh.points) moved.push_back({p.z, p.x, p.y});  // a third of a turn, without rounding
  const std::vector<double> there = region_volumes(surface, regions, moved);
  for (std::size_t r = 0; r < here.size(); ++r) EXPECT_NEAR(here[r], there[r], 1e-12);
}

}  // namespace
}  // namespace dermis
