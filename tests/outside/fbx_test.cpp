// SPDX-License-Identifier: MIT
// FBX files that Maya evaluated itself, read through dermis-import and posed, against Maya's OBJ files.
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

struct FbxCase {
  const char* name;
  const char* character;  // in fbx-oracle
  const char* snapshot;
  Index clip;
  double time;       // seconds into the clip, which starts at its first key
  const char* lost;  // why assimp cannot give this result; null: it can
};

constexpr const char* kDual = "the skinning type is not told";
constexpr const char* kBlended = "the blend weights of the points are not told";
constexpr const char* kCurves = "curves between keys are not told";

constexpr FbxCase kCases[] = {
    {"SkinnedPivot", "maya_skinned_pivot_7700_ascii.fbx", "maya_skinned_pivot.obj", kNone, 0, nullptr},
    {"SausageWiggle10", "maya_game_sausage_7500_binary_wiggle.fbx", "maya_game_sausage_wiggle_10.obj", 0,
     9.0 / 24, nullptr},
    {"SausageWiggle18", "maya_game_sausage_7500_binary_wiggle.fbx", "maya_game_sausage_wiggle_18.obj", 0,
     17.0 / 24, nullptr},
    {"SausageSpin7", "maya_game_sausage_7500_binary_spin.fbx", "maya_game_sausage_spin_7.obj", 0, 7.0 / 24,
     nullptr},
    {"SausageSpin15", "maya_game_sausage_7500_binary_spin.fbx", "maya_game_sausage_spin_15.obj", 0, 15.0 / 24,
     nullptr},
    {"DualQuaternion", "maya_dual_quaternion_7500_ascii.fbx", "maya_dual_quaternion.obj", kNone, 0, kDual},
    {"DualQuaternionScale", "maya_dual_quaternion_scale_7500_ascii.fbx", "maya_dual_quaternion_scale.obj",
     kNone, 0, kDual},
    {"BlendWeights10", "maya_dq_weights_7500_binary.fbx", "maya_dq_weights_10.obj", 0, 9.0 / 24, kBlended},
    {"BlendWeights18", "maya_dq_weights_7500_binary.fbx", "maya_dq_weights_18.obj", 0, 17.0 / 24, kBlended},
    {"InBetween1", "maya_blend_inbetween_7500_binary.fbx", "maya_blend_inbetween_1.obj", 0, 0, nullptr},
    {"InBetween30", "maya_blend_inbetween_7500_binary.fbx", "maya_blend_inbetween_30.obj", 0, 29.0 / 24,
     kCurves},
    {"InBetween60", "maya_blend_inbetween_7500_binary.fbx", "maya_blend_inbetween_60.obj", 0, 59.0 / 24,
     kCurves},
    {"InBetween65", "maya_blend_inbetween_7500_binary.fbx", "maya_blend_inbetween_65.obj", 0, 64.0 / 24,
     kCurves},
    {"InBetween71", "maya_blend_inbetween_7500_binary.fbx", "maya_blend_inbetween_71.obj", 0, 70.0 / 24,
     kCurves},
    {"InBetween80", "maya_blend_inbetween_7500_binary.fbx", "maya_blend_inbetween_80.obj", 0, 79.0 / 24,
     kCurves},
    {"InBetween89", "maya_blend_inbetween_7500_binary.fbx", "maya_blend_inbetween_89.obj", 0, 88.0 / 24,
     kCurves},
    {"InBetween120", "maya_blend_inbetween_7500_binary.fbx", "maya_blend_inbetween_120.obj", 0, 119.0 / 24,
     nullptr},
};

// Of the diagonal: the OBJ files have six digits.
constexpr double kTolerance = 1e-6;
// What is lost is no rounding.
constexpr double kLost = 1e-3;

class Fbx : public testing::TestWithParam<FbxCase> {};

TEST_P(Fbx, IsPosedAsMayaDoesWhereAssimpTellsEnough) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const FbxCase& maya = GetParam();
  const fs::path folder = test::data_folder() / "fbx-oracle";
  const Result<Asset> asset = load((folder / maya.character).string());
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Result<PoseFrame> frame = pose_frame(asset->character, {maya.clip, maya.time, nullptr});
  ASSERT_TRUE(frame) << frame.error().sentence;
  const Result<Character> still = deform_character(asset->character, *frame, {});
  ASSERT_TRUE(still) << still.error().sentence;
  ASSERT_EQ(still->meshes.size(), 1u);
  const Mesh& ours = still->meshes[0];
  const test::Snapshot theirs = test::read_snapshot(folder / maya.snapshot);

  // Points in another order, but polygons, their corners and their number as Maya has them.
  ASSERT_EQ(ours.points.size(), theirs.points.size());
  ASSERT_EQ(ours.polygons.count(), theirs.sizes.size());
  for (std::size_t p = 0; p < theirs.sizes.size(); ++p)
    ASSERT_EQ(ours.polygons.polygon(p).size(), theirs.sizes[p]);
  double worst = 0;
  Box box;
  for (std::size_t c = 0; c < theirs.corners.size(); ++c) {
    const Vec3d point(ours.points[static_cast<std::size_t>(ours.polygons.corners[c])]);
    worst = std::max(worst, length(point - theirs.points[theirs.corners[c]]));
    box.add(theirs.points[theirs.corners[c]]);
  }
  worst /= box.diagonal();
  std::printf("%s: %.2g of the diagonal%s%s\n", maya.name, worst, maya.lost != nullptr ? ": " : "",
              maya.lost != nullptr ? maya.lost : "");
  if (maya.lost == nullptr) {
    EXPECT_LE(worst, kTolerance);
  } else {
    EXPECT_GE(worst, kLost) << "it agrees after all: docs/formats-fbx.md is out of date";
    EXPECT_TRUE(std::any_of(asset->notes.begin(), asset->notes.end(), [&](const Note& note) {
      return note.id == (maya.lost == kCurves ? "curves-as-keys" : "skinning-type");
    })) << "a loss that no note tells";
    const auto names = [&](const char* method) {
      return std::any_of(asset->notes.begin(), asset->notes.end(), [&](const Note& note) {
        return note.id == "skinning-type" && note.remedies == Remedies{{"method", method}};
      });
    };
    EXPECT_EQ(names("dqs"), maya.lost == kDual);
    EXPECT_EQ(names("lbs_dqs"), maya.lost == kBlended);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Fbx, testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

// Points, polygons and joints of the files that come with Dem Bones, as their README and OBJ frames have
// them.
TEST(FbxOfDemBones, HasItsPointsJointsAndClips) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  struct Case {
    const char* file;
    std::size_t joint_count, clip_count;
  };
  constexpr Case kFiles[] = {{"Bone_Geom.fbx", 0, 0},        {"Bone_Skin.fbx", 6, 0},
                             {"Bone_All.fbx", 6, 1},         {"Bone_Trans.fbx", 0, 1},
                             {"Decomposition_05.fbx", 5, 1}, {"Decomposition_10.fbx", 10, 1},
                             {"Decomposition_20.fbx", 20, 1}};
  for (const Case& wanted : kFiles) {
    const Result<Asset> asset = load((test::data_folder() / "sequences" / "dembones" / wanted.file).string());
    ASSERT_TRUE(asset) << asset.error().sentence;
    const Character& character = asset->character;
    ASSERT_EQ(character.meshes.size(), 1u) << wanted.file;
    EXPECT_EQ(character.meshes[0].points.size(), 754u) << wanted.file;
    EXPECT_EQ(character.meshes[0].polygons.count(), 752u) << wanted.file;
    EXPECT_EQ(character.skins.empty() ? 0 : character.skins[0].node.size(), wanted.joint_count)
        << wanted.file;
    ASSERT_EQ(character.clips.size(), wanted.clip_count) << wanted.file;
    if (wanted.clip_count > 0) {
      EXPECT_NEAR(character.clips[0].end(), 399.0f / 24, 1e-4f) << wanted.file;
    }
  }
}

}  // namespace
}  // namespace dermis
