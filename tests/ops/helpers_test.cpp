// SPDX-License-Identifier: MIT
// The verb helpers: words, proposals with their gains, sides, files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/ops.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

Asset made_body(MadeKind kind, std::size_t points) {
  Asset asset;
  EXPECT_TRUE(make({kind, {points}}, asset));
  asset.name = "body.glb";
  return asset;
}

HelperWish wish(HelperKind kind, const char* text) {
  const Result<HelperWish> parsed = parse_helper(kind, text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : HelperWish{};
}

std::string parse_failure(HelperKind kind, const char* text) {
  const Result<HelperWish> parsed = parse_helper(kind, text);
  return parsed ? "" : parsed.error().sentence;
}

std::string failure_of(Asset asset, const HelpersRequest& request) {
  const Result<HelpersReport> report = add_helpers(asset, request);
  return report ? "" : report.error().sentence;
}

std::vector<Vec3> points_at_rest(const Character& character) {
  const Result<PoseFrame> frame = pose_frame(character, {});
  EXPECT_TRUE(frame);
  const Result<Character> still = deform_character(character, *frame, {});
  EXPECT_TRUE(still);
  std::vector<Vec3> points;
  for (const Mesh& mesh : still->meshes) points.insert(points.end(), mesh.points.begin(), mesh.points.end());
  return points;
}

double farthest(std::span<const Vec3> a, std::span<const Vec3> b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t v = 0; v < std::min(a.size(), b.size()); ++v)
    most = std::max(most, length(Vec3d(a[v]) - Vec3d(b[v])));
  return most;
}

TEST(HelperWords, AreReadWithAndWithoutNumbers) {
  EXPECT_EQ(wish(HelperKind::twist, "forearm_L").count, 3);
  EXPECT_EQ(wish(HelperKind::twist, "forearm_L:5").count, 5);
  EXPECT_EQ(wish(HelperKind::twist, "mixamorig:LeftArm").joint, "mixamorig:LeftArm");
  EXPECT_EQ(wish(HelperKind::twist, "mixamorig:LeftArm:2").joint, "mixamorig:LeftArm");
  EXPECT_EQ(wish(HelperKind::half, "mixamorig:LeftLeg").joint, "mixamorig:LeftLeg");
  const HelperWish bulge = wish(HelperKind::bulge, "a:b=c:d:1.4:120");
  EXPECT_EQ(bulge.joint, "a:b");
  EXPECT_EQ(bulge.bend, "c:d");
  EXPECT_EQ(bulge.scale, 1.4);
  EXPECT_NEAR(degrees_from_radians(bulge.angle), 120, 1e-9);
  EXPECT_EQ(wish(HelperKind::bulge, "a=b").scale, 1.3);
  EXPECT_EQ(wish(HelperKind::breathe, "chest").scale, 1.05);
  const HelperWish sigh = wish(HelperKind::breathe, "x:chest:1.1:sigh");
  EXPECT_EQ(sigh.joint, "x:chest");
  EXPECT_EQ(sigh.scale, 1.1);
  EXPECT_EQ(sigh.control, "sigh");
}

TEST(HelperWords, SayWhatCannotBeRead) {
  EXPECT_NE(parse_failure(HelperKind::twist, "forearm_L:0").find("1 to 16"), std::string::npos);
  EXPECT_NE(parse_failure(HelperKind::twist, "forearm_L:1000").find("1 to 16"), std::string::npos);
  EXPECT_NE(parse_failure(HelperKind::twist, "forearm_L:2.5").find("1 to 16"), std::string::npos);
  EXPECT_NE(parse_failure(HelperKind::twist, "").find("must be named"), std::string::npos);
  EXPECT_NE(parse_failure(HelperKind::bulge, "upper_arm_L").find("BONE=JOINT"), std::string::npos);
  EXPECT_NE(parse_failure(HelperKind::bulge, "a=b:nan").find("scale"), std::string::npos);
  EXPECT_NE(parse_failure(HelperKind::bulge, "a=b:1e999").find("scale"), std::string::npos);
  EXPECT_NE(parse_failure(HelperKind::bulge, "a=b:1.3:0").find("angle"), std::string::npos);
  EXPECT_NE(parse_failure(HelperKind::breathe, "chest:-1").find("scale"), std::string::npos);
  EXPECT_NE(parse_failure(HelperKind::breathe, ":1.1").find("JOINT:SCALE"), std::string::npos);
}

TEST(Helpers, FindJointsByRoleAndByThePlaceWhereABoneBegins) {
  Asset asset = made_body(MadeKind::humanoid, 1000);
  for (Node& node : asset.character.nodes)
    if (node.name == "forearm_L") node.name = "LeftForeArm";
  const Result<MappedJoints> mapped = map_joints(asset.character);
  ASSERT_TRUE(mapped);
  for (const char* word : {"LeftForeArm", "forearm_L", "elbow_L"}) {
    const Result<Index> joint = find_helped_joint(asset.character, &mapped->roles, word);
    ASSERT_TRUE(joint) << word;
    EXPECT_EQ(asset.character.nodes[at(*joint)].name, "LeftForeArm");
  }
  const Result<Index> chest = find_helped_joint(asset.character, &mapped->roles, "chest");
  ASSERT_TRUE(chest);
  EXPECT_EQ(asset.character.nodes[at(*chest)].name, "chest");
  const Result<Index> unknown = find_helped_joint(asset.character, &mapped->roles, "LeftForArm");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().sentence.find("did you mean 'LeftForeArm'"), std::string::npos);
}

TEST(Helpers, RefuseWhatHasNoSkinOrNoJoint) {
  Asset bare = made_body(MadeKind::humanoid, 1000);
  HelpersRequest request;
  request.helpers = {wish(HelperKind::twist, "forearm_L")};
  for (Instance& instance : bare.character.instances) instance.skin = kNone;
  for (Mesh& mesh : bare.character.meshes) mesh.weights = {};
  bare.character.skins.clear();
  EXPECT_NE(failure_of(bare, request).find("no skin"), std::string::npos);
  const Asset body = made_body(MadeKind::humanoid, 1000);
  request.helpers = {wish(HelperKind::half, "elbw_L")};
  EXPECT_NE(failure_of(body, request).find("did you mean"), std::string::npos);
  EXPECT_NE(failure_of(body, {}).find("no helper joint is named"), std::string::npos);
}

TEST(Helpers, ProposedForABodySaveMostOfWhatTwistsLose) {
  for (const MadeKind kind : {MadeKind::humanoid, MadeKind::quadruped}) {
    Asset asset = made_body(kind, 6000);
    const std::vector<Vec3> before = points_at_rest(asset.character);
    HelpersRequest request;
    request.proposes = true;
    const Result<HelpersReport> report = add_helpers(asset, request);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_LT(farthest(before, points_at_rest(asset.character)), 3e-6);
    double lost = 0, left = 0;
    for (const HelpersReport::Loss& loss : report->losses) {
      lost += loss.twist_before;
      left += loss.twist_after;
      EXPECT_LE(loss.twist_after, loss.twist_before + kLeastHelperGain) << loss.joint;
    }
    EXPECT_GT(lost, 0.02);
    EXPECT_LT(left, 0.4 * lost);
    EXPECT_FALSE(report->joints.empty());
    // Both sides get the same.
    for (const HelpersReport::Proposal& one : report->proposals) {
      for (const HelpersReport::Proposal& other : report->proposals)
        if (one.kind == other.kind && without_side(one.joint) == without_side(other.joint)) {
          EXPECT_EQ(one.is_kept, other.is_kept) << one.joint;
          EXPECT_EQ(one.spread, other.spread) << one.joint;
        }
    }
  }
}

TEST(Helpers, SayWhatIsThereAlready) {
  Asset asset = made_body(MadeKind::humanoid, 1000);
  HelpersRequest request;
  request.helpers = {wish(HelperKind::twist, "forearm_L:2"), wish(HelperKind::half, "knee_L")};
  const Result<HelpersReport> first = add_helpers(asset, request);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->joints.size(), 6u);  // on both sides
  const std::size_t nodes = asset.character.nodes.size();
  const Result<HelpersReport> second = add_helpers(asset, request);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->joints.empty());
  EXPECT_EQ(asset.character.nodes.size(), nodes);
  const auto is_said = [](const Note& note) { return note.id == std::string("helper-exists"); };
  EXPECT_TRUE(std::any_of(second->notes.begin(), second->notes.end(), is_said));
}

TEST(Helpers, StayOnOneSideIfRequested) {
  Asset asset = made_body(MadeKind::humanoid, 1000);
  HelpersRequest request;
  request.helpers = {wish(HelperKind::bulge, "upper_arm_L=elbow_L:1.3")};
  request.mirrors = false;
  const Result<HelpersReport> report = add_helpers(asset, request);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->joints.size(), 1u);
  EXPECT_EQ(report->joints[0].name, "upper_arm_L_bulge");
  ASSERT_EQ(asset.character.controls.size(), 1u);
  EXPECT_EQ(asset.character.controls[0].name, "flex.upper_arm_L");
}

TEST(Helpers, AreNotTakenForLimbs) {
  Asset asset = made_body(MadeKind::humanoid, 1000);
  const Result<MappedJoints> before = map_joints(asset.character);
  HelpersRequest request;
  request.helpers = {wish(HelperKind::twist, "forearm_L:3"), wish(HelperKind::twist, "thigh_L:3"),
                     wish(HelperKind::half, "elbow_L"), wish(HelperKind::bulge, "upper_arm_L=elbow_L:1.3"),
                     wish(HelperKind::breathe, "chest")};
  ASSERT_TRUE(add_helpers(asset, request));
  const Result<MappedJoints> after = map_joints(asset.character);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->roles.joints, after->roles.joints);
}

TEST(Helpers, SurviveAFile) {
  const test::TemporaryFolder folder;
  HelpersJob job;
  job.input = folder.file("body.glb");
  ASSERT_TRUE(save(job.input, made_body(MadeKind::humanoid, 1000)));
  job.output = folder.file("helped.glb");
  job.helpers = {wish(HelperKind::twist, "forearm_L:2"), wish(HelperKind::half, "elbow_L"),
                 wish(HelperKind::bulge, "upper_arm_L=elbow_L:1.3"), wish(HelperKind::breathe, "chest:1.05")};
  const Result<HelpersReport> report = add_helpers(job);
  ASSERT_TRUE(report) << report.error().sentence;
  Asset kept = made_body(MadeKind::humanoid, 1000);
  ASSERT_TRUE(add_helpers(kept, job));
  const Result<Asset> loaded = load(job.output);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->character.controls, kept.character.controls);
  ASSERT_EQ(loaded->character.drivers.size(), kept.character.drivers.size());
  Pose pose;
  pose.nodes.emplace_back().node = "forearm_L";
  pose.nodes.back().turn = Quat(quat_from_axis_angle({1, 0, 0.5}, 1.2));
  pose.controls.push_back({"breathe", 1});
  const auto posed = [&](const Character& character) {
    const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
    EXPECT_TRUE(frame);
    const Result<Character> still = deform_character(character, *frame, {});
    EXPECT_TRUE(still);
    return still->meshes[0].points;
  };
  EXPECT_LT(farthest(posed(loaded->character), posed(kept.character)), 1e-4);
}

TEST(Helpers, OfRigSpreadTheTwistsOfItsLimbs) {
  Asset asset = made_body(MadeKind::humanoid, 3000);
  asset.character.clips.clear();
  RigRequest request;
  request.twist_count = 2;
  const Result<RigReport> report = rig(asset, request);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->twist_joint_count, 16u);
  EXPECT_GE(asset.character.drivers.size(), 16u);
}

}  // namespace
}  // namespace dermis
