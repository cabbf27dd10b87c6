// SPDX-License-Identifier: MIT
// Pose files: what they may say, and the sentence for what they may not.
#include <gtest/gtest.h>

#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

Result<Pose> pose_from(const std::string& text) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "pose.json", text);
  return load_pose(folder.file("pose.json"));
}

TEST(LoadPose, TurnsDegreesAboutAnAxisOfAnyLength) {
  const Result<Pose> pose = pose_from(R"({"nodes": {"elbow_L": {"turn_deg": [0, 0, 5, 90]}}})");
  ASSERT_TRUE(pose) << pose.error().sentence;
  ASSERT_TRUE(pose->nodes[0].turn);
  const Vec3 turned = rotate(*pose->nodes[0].turn, Vec3{1, 0, 0});
  EXPECT_NEAR(turned.y, 1.0f, 1e-6f);
  EXPECT_EQ(pose->nodes[0].node, "elbow_L");
}

TEST(LoadPose, ReadsEveryMemberOfTheSchema) {
  const Result<Pose> pose = pose_from(R"({"$schema": "pose.schema.json",
    "nodes": {"a": {"translation": [1, 2, 3], "rotation": [0, 0, 0, 2], "scale": [1, 1, 2]}},
    "shapes": {"smile": 0.5}, "controls": {"breath": 1}})");
  ASSERT_TRUE(pose) << pose.error().sentence;
  EXPECT_EQ(pose->nodes[0].translation, (Vec3{1, 2, 3}));
  EXPECT_EQ(pose->nodes[0].rotation, Quat{});
  EXPECT_EQ(pose->nodes[0].scale, (Vec3{1, 1, 2}));
  EXPECT_EQ(pose->shapes[0].value, 0.5f);
  EXPECT_EQ(pose->controls[0].name, "breath");
}

TEST(LoadPose, SaysWhatIsWrongInOneSentence) {
  const std::pair<const char*, const char*> kCases[] = {
      {"[]", "one JSON object"},
      {R"({"node": {}})", "'node', which is not part of a pose file"},
      {R"({"nodes": []})", "'nodes' is not an object"},
      {R"({"nodes": {"a": 1}})", "node 'a' is not an object"},
      {R"({"nodes": {"a": {"turn": [1, 0, 0, 5]}}})", "use turn_deg"},
      {R"({"nodes": {"a": {"turn_deg": [1, 0, 0]}}})", "is not 4 finite numbers"},
      {R"({"nodes": {"a": {"turn_deg": [0, 0, 0, 5]}}})", "axis of its turn_deg is zero"},
      {R"({"nodes": {"a": {"rotation": [0, 0, 0, 0]}}})", "rotation is zero"},
      {R"({"shapes": {"smile": "yes"}})", "is not a finite number"},
      {"{\"nodes\": ", "not valid JSON"},
      {"", "is empty"}};
  for (const auto& [text, words] : kCases) {
    const Result<Pose> pose = pose_from(text);
    ASSERT_FALSE(pose) << text;
    EXPECT_NE(pose.error().sentence.find(words), std::string::npos) << pose.error().sentence;
    EXPECT_EQ(pose.error().sentence.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace dermis
