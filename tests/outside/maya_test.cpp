// SPDX-License-Identifier: MIT
// Linear cases that Maya evaluated itself, against our posed points.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/motion.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

struct MayaCase {
  const char* name;
  const char* character;  // in fbx-oracle/converted
  const char* snapshot;   // in fbx-oracle
  Index clip;
  double time;      // seconds into the converted clip
  double turn_deg;  // about Z; the conversion lost it
};

// The conversion moved the clips to start at zero: Maya's frame 10 of the wiggle is its tenth key.
constexpr MayaCase kCases[] = {
    {"SkinnedPivot", "maya_skinned_pivot_7700_ascii.glb", "maya_skinned_pivot.obj", kNone, 0, 0},
    {"SausageWiggle10", "maya_game_sausage_7500_binary_wiggle.glb", "maya_game_sausage_wiggle_10.obj", 0,
     9.0 / 24, -90},
    {"SausageWiggle18", "maya_game_sausage_7500_binary_wiggle.glb", "maya_game_sausage_wiggle_18.obj", 0,
     17.0 / 24, -90},
    {"SausageSpin7", "maya_game_sausage_7500_binary_spin.glb", "maya_game_sausage_spin_7.obj", 0, 7.0 / 24,
     -90},
    {"SausageSpin15", "maya_game_sausage_7500_binary_spin.glb", "maya_game_sausage_spin_15.obj", 0, 15.0 / 24,
     -90},
};

// Of the diagonal: the OBJ files have six digits.
constexpr double kTolerance = 1e-6;

double to_nearest(const std::vector<Vec3d>& from, const std::vector<Vec3d>& to) {
  double worst = 0;
  for (const Vec3d& a : from) {
    double nearest = INFINITY;
    for (const Vec3d& b : to) nearest = std::min(nearest, length(a - b));
    worst = std::max(worst, nearest);
  }
  return worst;
}

class Maya : public testing::TestWithParam<MayaCase> {};

TEST_P(Maya, PutsEveryPointWhereDermisDoes) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const MayaCase& maya = GetParam();
  const fs::path folder = test::data_folder() / "fbx-oracle";
  const Result<Asset> asset = load((folder / "converted" / maya.character).string());
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Result<PoseFrame> frame = pose_frame(asset->character, {maya.clip, maya.time, nullptr});
  ASSERT_TRUE(frame) << frame.error().sentence;
  const Result<Character> still = deform_character(asset->character, *frame, {});
  ASSERT_TRUE(still) << still.error().sentence;
  const Result<std::vector<Vec3>> snapshot = load_points((folder / maya.snapshot).string());
  ASSERT_TRUE(snapshot) << snapshot.error().sentence;

  const Mat3d turn =
      matrix_from_quat(quat_from_axis_angle(Vec3d{0, 0, 1}, radians_from_degrees(maya.turn_deg)));
  std::vector<Vec3d> ours, theirs;
  Box box;
  for (const Mesh& mesh : still->meshes) {
    for (const Vec3& point : mesh.points) ours.push_back(turn * Vec3d(point));
  }
  for (const Vec3& point : *snapshot) {
    theirs.push_back(Vec3d(point));
    box.add(Vec3d(point));
  }
  // The conversion split points at seams, so counts differ: nearest, both ways.
  const double worst = std::max(to_nearest(ours, theirs), to_nearest(theirs, ours)) / box.diagonal();
  std::printf("%s: %.2g of the diagonal\n", maya.name, worst);
  EXPECT_LE(worst, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Cases, Maya, testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

// ---- In-betweens ------------------------------------------------------------------------------------------

// Two channels with two and three shapes; their weights go from -100 to 200 % and back between the frames 1
// and 120, level at both ends (the curves' tangents, which do not arrive here).
TEST(MayaInBetweens, AreWhereMayaPutsThemWithinAndBeyondTheTargets) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const fs::path folder = test::data_folder() / "fbx-oracle";
  const Result<Asset> asset = load((folder / "maya_blend_inbetween_7500_binary.fbx").string());
  ASSERT_TRUE(asset) << asset.error().sentence;
  ASSERT_EQ(asset->character.shape_rules.size(), 2u);
  EXPECT_EQ(asset->character.shape_rules[0].in_betweens.at(0).weight, 0.5f);
  double worst = 0;
  for (const int number : {1, 30, 60, 65, 71, 80, 89, 120}) {
    const double t = (number - 1) / 119.0, eased = t * t * (3 - 2 * t);
    Pose pose;
    pose.shapes = {{"KeyBlend.LiftTop", static_cast<float>(-1 + 3 * eased)},
                   {"KeyBlend.MoveToSide", static_cast<float>(2 - 3 * eased)}};
    const Result<PoseFrame> frame = pose_frame(asset->character, {kNone, 0, &pose});
    ASSERT_TRUE(frame) << frame.error().sentence;
    const Result<Character> still = deform_character(asset->character, *frame, {});
    ASSERT_TRUE(still) << still.error().sentence;
    const Result<std::vector<Vec3>> snapshot =
        load_points((folder / ("maya_blend_inbetween_" + std::to_string(number) + ".obj")).string());
    ASSERT_TRUE(snapshot) << snapshot.error().sentence;
    std::vector<Vec3d> ours, theirs;
    Box box;
    for (const Vec3& point : still->meshes.at(0).points) ours.push_back(Vec3d(point));
    for (const Vec3& point : *snapshot) theirs.push_back(Vec3d(point)), box.add(Vec3d(point));
    const double off = std::max(to_nearest(ours, theirs), to_nearest(theirs, ours)) / box.diagonal();
    worst = std::max(worst, off);
    EXPECT_LT(off, kTolerance) << "frame " << number;
  }
  std::printf("in-betweens: %.2g of the diagonal from Maya\n", worst);
}

}  // namespace
}  // namespace dermis
