// SPDX-License-Identifier: MIT
// Delta mush: what it must keep, and what it mends of linear blending.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "characters.h"
#include "deform/posed.h"
#include "dermis/deform.h"
#include "dermis/io.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::furthest;
using test::moved;
using test::volume_of;

std::vector<Vec3> mushed(const DeltaMush& mush, std::vector<Vec3> points,
                         std::span<const float> scales = {}) {
  DeltaMushScratch scratch;
  apply_delta_mush(mush, scales, points, scratch);
  return points;
}

// Rows and columns of a bumpy open sheet, some points doubled as at a seam, and a loose point.
Mesh sheet(int side) {
  Mesh mesh;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const double s = 2.0 * x / (side - 1), t = 2.0 * y / (side - 1);
      mesh.points.push_back(Vec3(Vec3d{s, t, 0.2 * std::sin(5 * s) * std::cos(4 * t)}));
    }
  }
  const Index loose = static_cast<Index>(mesh.points.size());
  mesh.points.push_back({3, 3, 3});
  std::vector<Index> twin(mesh.points.size(), kNone);
  for (int y = 0; y + 1 < side; ++y) {
    for (int x = 0; x + 1 < side; ++x) {
      Index corners[4] = {y * side + x, y * side + x + 1, (y + 1) * side + x + 1, (y + 1) * side + x};
      // Right of the middle the sheet has points of its own along the seam.
      for (Index& c : corners) {
        if (x < side / 2 || c % side != side / 2 || c == loose) continue;
        if (twin[at(c)] == kNone) {
          twin[at(c)] = static_cast<Index>(mesh.points.size());
          mesh.points.push_back(mesh.points[at(c)]);
        }
        c = twin[at(c)];
      }
      mesh.polygons.corners.insert(mesh.polygons.corners.end(), corners, corners + 4);
      mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
    }
  }
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

TEST(DeltaMush, GivesTheRestPoseBackToRounding) {
  for (const Mesh& mesh : {sheet(24), test::tube({.rings = 21, .sides = 12})}) {
    for (const int iterations : {1, 10, 100}) {
      const DeltaMush mush = *prepare_delta_mush(mesh, {.iterations = iterations});
      EXPECT_LT(furthest(mushed(mush, mesh.points), mesh.points), 1e-6);
    }
  }
}

TEST(DeltaMush, CarriesRigidMotionsOver) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Mesh mesh = sheet(16);
    const DeltaMush mush = *prepare_delta_mush(mesh, {.iterations = 20});
    std::vector<Vec3> posed = mesh.points;
    for (Vec3& point : posed) point += Vec3{0, 0, 0.3f * point.x * point.x};
    const Affined motion = random.rigid();
    EXPECT_LT(furthest(mushed(mush, moved(posed, motion)), moved(mushed(mush, posed), motion)), 5e-6);
  }
}

TEST(DeltaMush, IsAsGoodFarFromTheOrigin) {
  Mesh mesh = sheet(16);
  for (Vec3& point : mesh.points) point += Vec3{1024, 1024, 1024};
  mesh.weld = weld_coincident(mesh.points);
  const DeltaMush mush = *prepare_delta_mush(mesh, {.iterations = 50});
  // A step of float at 1024 is 1.2e-4.
  EXPECT_LT(furthest(mushed(mush, mesh.points), mesh.points), 2.5e-4);
}

TEST(DeltaMush, KeepsSeamsClosed) {
  const Mesh mesh = sheet(16);
  const DeltaMush mush = *prepare_delta_mush(mesh);
  test::Random random(5);
  std::vector<Vec3> posed = mesh.points;
  for (Vec3& point : posed) point += Vec3(random.vector() * 0.05);
  const std::vector<Vec3> smooth = mushed(mush, posed);
  for (std::size_t v = 0; v < smooth.size(); ++v) EXPECT_EQ(smooth[v], smooth[at(mesh.weld[v])]);
}

TEST(DeltaMush, LeavesLoosePointsWhereThePoseHasThem) {
  const Mesh mesh = sheet(16);
  std::vector<Vec3> posed = mesh.points;
  posed[16 * 16] = {7, 8, 9};
  EXPECT_LT(length(mushed(*prepare_delta_mush(mesh), posed)[16 * 16] - Vec3{7, 8, 9}), 1e-5f);
}

// A fin of two triangles without area, and a triangle all of whose points lie on a line.
TEST(DeltaMush, IsFiniteAtDegenerateSpots) {
  Mesh mesh = sheet(8);
  const Index v = static_cast<Index>(mesh.points.size());
  mesh.points.insert(mesh.points.end(), {{5, 0, 0}, {6, 0, 0}, {8, 0, 0}, {-1, 0, 0}, {-2, 0, 0}});
  mesh.polygons.corners.insert(mesh.polygons.corners.end(), {v, v + 1, v + 2, 0, v + 3, v + 4});
  const std::uint32_t end = static_cast<std::uint32_t>(mesh.polygons.corners.size());
  mesh.polygons.first.insert(mesh.polygons.first.end(), {end - 3, end});
  mesh.weld = weld_coincident(mesh.points);
  const DeltaMush mush = *prepare_delta_mush(mesh);
  EXPECT_LT(furthest(mushed(mush, mesh.points), mesh.points), 1e-6);
  const std::vector<Vec3> turned =
      moved(mesh.points, test::turned_about({1, 2, 3}, {1, 1, 0}, radians_from_degrees(100)));
  EXPECT_LT(furthest(mushed(mush, turned), turned), 1e-5);
  // All in one place: no frame anywhere, and still numbers.
  for (const Vec3& point : mushed(mush, std::vector<Vec3>(mesh.points.size(), Vec3{1, 1, 1}))) {
    EXPECT_TRUE(is_finite(point));
  }
}

TEST(DeltaMush, AveragesARimAlongItself) {
  // A flat open sheet whose inside is pushed up. Away from its corners the rim has no detail to turn, and
  // stays where it is.
  Mesh mesh = sheet(12);
  for (Vec3& point : mesh.points) point.z = 0;
  mesh.weld = weld_coincident(mesh.points);
  std::vector<Vec3> posed = mesh.points;
  for (Vec3& point : posed) {
    if (point.x > 0 && point.x < 2 && point.y > 0 && point.y < 2) point.z = 1;
  }
  const std::vector<Vec3> smooth = mushed(*prepare_delta_mush(mesh, {.iterations = 2}), posed);
  for (std::size_t v = 3; v < 9; ++v) EXPECT_LT(length(smooth[v] - mesh.points[v]), 1e-6f);
  EXPECT_LT(smooth[12 + 5].z, 0.9f);
}

TEST(DeltaMush, ScalesWithAScaledCharacter) {
  const Mesh mesh = test::tube({.rings = 21, .sides = 12});
  const DeltaMush mush = *prepare_delta_mush(mesh, {.iterations = 20});
  const std::vector<Affined> palette{test::scaled({3, 3, 3}), test::scaled({3, 3, 3})};
  std::vector<float> scales(mesh.points.size());
  blended_scales(mesh.weights, palette, scales);
  const std::vector<Vec3> large = moved(mesh.points, palette[0]);
  EXPECT_LT(furthest(mushed(mush, large, scales), large), 5e-6);
  EXPECT_GT(furthest(mushed(mush, large), large), 0.01);
  blended_scales(mesh.weights, std::vector<Affined>(2), scales);
  for (const float scale : scales) EXPECT_EQ(scale, 1.0f);
}

TEST(DeltaMush, MirrorsWithAMirroredCharacter) {
  const Mesh mesh = test::tube({.rings = 21, .sides = 12});
  const DeltaMush mush = *prepare_delta_mush(mesh, {.iterations = 20});
  for (const Vec3d& mirror : {Vec3d{-1, 1, 1}, Vec3d{1, -2, 1}, Vec3d{-1, -1, -1}}) {
    const std::vector<Affined> palette(2, test::scaled(mirror));
    std::vector<float> scales(mesh.points.size());
    blended_scales(mesh.weights, palette, scales);
    for (const float scale : scales) EXPECT_LT(scale, 0);
    if (mirror.y == -2) continue;  // a stretch is not what scales speak of
    const std::vector<Vec3> mirrored = moved(mesh.points, palette[0]);
    EXPECT_LT(furthest(mushed(mush, mirrored, scales), mirrored), 5e-6);
    EXPECT_GT(furthest(mushed(mush, mirrored), mirrored), 0.01);
  }
}

TEST(DeltaMush, TakesItsDetailFromAShapedRest) {
  const Mesh mesh = sheet(16);
  DeltaMush mush = *prepare_delta_mush(mesh);
  std::vector<Vec3> shaped = mesh.points;
  for (std::size_t v = 0; v < shaped.size(); v += 3) shaped[at(mesh.weld[v])] += Vec3{0, 0, 0.1f};
  for (std::size_t v = 0; v < shaped.size(); ++v) shaped[v] = shaped[at(mesh.weld[v])];
  EXPECT_GT(furthest(mushed(mush, shaped), shaped), 0.01);
  DeltaMushScratch scratch;
  set_deltas(mush, shaped, scratch, mush.deltas);
  EXPECT_LT(furthest(mushed(mush, shaped), shaped), 1e-6);
}

std::vector<Vec3> skinned(const Mesh& mesh, const Affined& far) {
  std::vector<Vec3> points(mesh.points.size());
  skin_lbs_reference(mesh.weights, std::vector<Affined>{{}, far}, {mesh.points, {}, {}}, {points, {}, {}});
  return points;
}

// Weights that change over a fifth of the tube, as automatic ones do near a joint.
Mesh jointed_tube() {
  const test::TubeShape shape{.rings = 81, .sides = 24, .length = 8};
  Mesh mesh = test::tube(shape);
  WeightRowBuilder builder;
  for (const Vec3& point : mesh.points) {
    const double w = std::clamp(0.5 + (static_cast<double>(point.x) - 4) / 1.6, 0.0, 1.0);
    builder.add(0, static_cast<float>(1 - w));
    builder.add(1, static_cast<float>(w));
    builder.close_row(1e-6);
  }
  mesh.weights = builder.take();
  return mesh;
}

// Narrowest of the rings between x = 2 and x = 6, by the distance of opposite points.
double narrowest(std::span<const Vec3> points) {
  double least = 1e9;
  for (int r = 20; r <= 60; ++r) {
    for (int s = 0; s < 12; ++s) {
      least =
          std::min(least, 0.5 * length(Vec3d(points[at(r * 24 + s)]) - Vec3d(points[at(r * 24 + s + 12)])));
    }
  }
  return least;
}

// By 150 degrees linear blending leaves 0.26 of the radius and 0.875 of the volume.
TEST(DeltaMush, OpensTheCandyWrapperOfLinearBlending) {
  const Mesh mesh = jointed_tube();
  const DeltaMush mush = *prepare_delta_mush(mesh, {.iterations = 100});
  const double rest = volume_of(mesh.points, mesh.polygons);
  const std::vector<Vec3> lbs =
      skinned(mesh, test::turned_about({4, 0, 0}, {1, 0, 0}, radians_from_degrees(150)));
  const std::vector<Vec3> better = mushed(mush, lbs);
  EXPECT_NEAR(narrowest(lbs), 0.259, 0.001);
  EXPECT_NEAR(narrowest(better), 0.746, 0.01);
  EXPECT_NEAR(volume_of(lbs, mesh.polygons) / rest, 0.875, 0.001);
  EXPECT_NEAR(volume_of(better, mesh.polygons) / rest, 0.937, 0.002);
}

// Bent by a right angle, linear blending is thin at the elbow, cos 45 degrees. Delta mush gives the thickness
// back, and rounds the bend off outside: the volume as a whole does not grow.
TEST(DeltaMush, FillsTheElbowOfLinearBlending) {
  const Mesh mesh = jointed_tube();
  const DeltaMush mush = *prepare_delta_mush(mesh, {.iterations = 100});
  const double rest = volume_of(mesh.points, mesh.polygons);
  const std::vector<Vec3> lbs =
      skinned(mesh, test::turned_about({4, 0, 0}, {0, 0, 1}, radians_from_degrees(90)));
  const std::vector<Vec3> better = mushed(mush, lbs);
  EXPECT_NEAR(narrowest(lbs), 0.707, 0.001);
  EXPECT_NEAR(narrowest(better), 0.906, 0.01);
  EXPECT_NEAR(volume_of(lbs, mesh.polygons) / rest, 0.966, 0.001);
  EXPECT_NEAR(volume_of(better, mesh.polygons) / rest, 0.956, 0.002);
}

// The weights of the tube are spread over 16 rings; ten steps do not reach that far.
TEST(DeltaMush, HardlyMendsWhatIsWiderThanItsReach) {
  const Mesh mesh = jointed_tube();
  const DeltaMush mush = *prepare_delta_mush(mesh);
  const auto twisted = test::turned_about({4, 0, 0}, {1, 0, 0}, radians_from_degrees(150));
  const auto bent = test::turned_about({4, 0, 0}, {0, 0, 1}, radians_from_degrees(90));
  EXPECT_NEAR(narrowest(mushed(mush, skinned(mesh, twisted))), 0.292, 0.01);
  EXPECT_NEAR(narrowest(mushed(mush, skinned(mesh, bent))), 0.631, 0.01);
}

TEST(DeltaMush, IsTheSameBytesOnAnyThreadCount) {
  const Mesh mesh = test::tube({.rings = 201, .sides = 32});
  const DeltaMush mush = *prepare_delta_mush(mesh);
  const std::vector<Vec3> lbs = skinned(mesh, test::turned_about({1, 0, 0}, {0, 0, 1}, 1));
  const int threads = thread_count();
  set_thread_count(1);
  const std::vector<Vec3> one = mushed(mush, lbs);
  set_thread_count(3);
  const std::vector<Vec3> three = mushed(mush, lbs);
  set_thread_count(threads);
  EXPECT_EQ(one, three);
}

TEST(DeltaMush, KeepsItsScratch) {
  const Mesh mesh = test::tube({.rings = 21, .sides = 12});
  const DeltaMush mush = *prepare_delta_mush(mesh);
  DeltaMushScratch scratch;
  std::vector<Vec3> points = mesh.points;
  apply_delta_mush(mush, {}, points, scratch);
  const std::set<const Vec4*> before{scratch.now.data(), scratch.next.data()};
  apply_delta_mush(mush, {}, points, scratch);
  EXPECT_EQ((std::set<const Vec4*>{scratch.now.data(), scratch.next.data()}), before);
}

TEST(DeltaMush, ChangesNothingWithoutIterations) {
  const Mesh mesh = sheet(8);
  const DeltaMush mush = *prepare_delta_mush(mesh, {.iterations = 0});
  EXPECT_EQ(mushed(mush, mesh.points), mesh.points);
}

TEST(DeltaMush, RefusesOptionsOutOfRange) {
  const Mesh mesh = sheet(4);
  EXPECT_EQ(prepare_delta_mush(mesh, {.iterations = -1}).error().code, Errc::bad_argument);
  EXPECT_EQ(prepare_delta_mush(mesh, {.step = 0}).error().code, Errc::bad_argument);
  EXPECT_EQ(prepare_delta_mush(mesh, {.step = NAN}).error().code, Errc::bad_argument);
}

TEST(DeltaMush, OfNothingIsNothing) {
  const DeltaMush mush = *prepare_delta_mush(Mesh{});
  EXPECT_TRUE(mushed(mush, {}).empty());
}

TEST(DeltaMush, OfTwentyThousandPointsTakesMilliseconds) {
  const Mesh mesh = test::tube({.rings = 400, .sides = 50});
  const DeltaMush mush = *prepare_delta_mush(mesh);
  const int threads = thread_count();
  set_thread_count(1);
  std::vector<Vec3> points = mesh.points;
  DeltaMushScratch scratch;
  double best = 1e9;
  for (int k = 0; k < 30; ++k) {
    const auto start = std::chrono::steady_clock::now();
    apply_delta_mush(mush, {}, points, scratch);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  set_thread_count(threads);
  std::printf("delta mush: %zu points, 10 iterations, one thread: %.2f ms\n", points.size(), best * 1e3);
  EXPECT_LT(furthest(points, mesh.points), 1e-4);
}

TEST(DeltaMush, GivesTheRestPoseOfARealCharacterBack) {
  const auto folder = test::data_folder();
  if (folder.empty()) GTEST_SKIP() << "set DERMIS_DATA";
  const Result<Asset> asset = load((folder / "gltf" / "khronos" / "CesiumMan.glb").string());
  ASSERT_TRUE(asset.ok());
  const Mesh& mesh = asset->character.meshes[0];
  const DeltaMush mush = *prepare_delta_mush(mesh, {.iterations = 30});
  EXPECT_LT(furthest(mushed(mush, mesh.points), mesh.points), 1e-6);
}

}  // namespace
}  // namespace dermis
