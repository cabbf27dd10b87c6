// SPDX-License-Identifier: MIT
// Maya's dual quaternion skinning, with rigid joints and with scaled ones.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/motion.h"
#include "outside/files.h"
#include "outside/snapshot.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

// Of the diagonal: the OBJ files have six digits.
constexpr double kTolerance = 1e-6;

// The only skinned mesh of an FBX file, as its nodes stand.
struct MayaScene {
  Result<Asset> asset;
  PoseFrame frame;

  const Instance& instance() const { return asset->character.instances[0]; }
  const Mesh& mesh() const { return asset->character.meshes[static_cast<std::size_t>(instance().mesh)]; }
  std::span<const Affined> palette() const { return frame.palette_of(instance().skin); }
};

MayaScene scene_of(const fs::path& path) {
  MayaScene scene{load(path.string()), {}};
  if (scene.asset) scene.frame = *pose_frame(scene.asset->character, {});
  return scene;
}

// Maya's points in our order: ours may come in another one, but polygons and corners are as Maya has them.
std::vector<Vec3d> in_our_order(const test::Snapshot& theirs, const Mesh& ours) {
  std::vector<Vec3d> points(ours.points.size());
  for (std::size_t c = 0; c < theirs.corners.size(); ++c) {
    points[static_cast<std::size_t>(ours.polygons.corners[c])] = theirs.points[theirs.corners[c]];
  }
  return points;
}

double diagonal_of(const std::vector<Vec3d>& points) {
  Box box;
  for (const Vec3d& point : points) box.add(point);
  return box.diagonal();
}

double worst_of(const std::vector<Vec3>& ours, const std::vector<Vec3d>& theirs) {
  double worst = 0;
  for (std::size_t v = 0; v < ours.size(); ++v) worst = std::max(worst, length(Vec3d(ours[v]) - theirs[v]));
  return worst / diagonal_of(theirs);
}

void expect_dqs(const char* name) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const fs::path folder = test::data_folder() / "fbx-oracle";
  const MayaScene scene = scene_of(folder / (std::string(name) + "_7500_ascii.fbx"));
  ASSERT_TRUE(scene.asset) << scene.asset.error().sentence;
  const test::Snapshot snapshot = test::read_snapshot(folder / (std::string(name) + ".obj"));
  ASSERT_EQ(snapshot.corners.size(), scene.mesh().polygons.corners.size());
  const std::vector<Vec3d> maya = in_our_order(snapshot, scene.mesh());
  const Mesh& mesh = scene.mesh();
  std::vector<Vec3> posed(mesh.points.size());
  skin_dqs_reference(mesh.weights, scene.palette(), {mesh.points, {}, {}}, {posed, {}, {}});
  const double dqs = worst_of(posed, maya);
  skin_lbs_reference(mesh.weights, scene.palette(), {mesh.points, {}, {}}, {posed, {}, {}});
  const double lbs = worst_of(posed, maya);
  std::printf("%s: dqs %.2g of the diagonal, lbs %.2g\n", name, dqs, lbs);
  EXPECT_LE(dqs, kTolerance);
  EXPECT_GT(lbs, 0.1);
}

TEST(MayaDualQuaternion, IsDqs) { expect_dqs("maya_dual_quaternion"); }

// A joint scaled by 1, 0.5, 2: Maya blends the scales linearly, then the dual quaternions of the rest.
TEST(MayaDualQuaternion, OfScaledJointsIsDqsInTwoPhases) { expect_dqs("maya_dual_quaternion_scale"); }

}  // namespace
}  // namespace dermis
