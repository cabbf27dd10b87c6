// SPDX-License-Identifier: MIT
// three.js, which knows no drivers, plays baked ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/ops.h"
#include "judges/judges.h"
#include "outside/files.h"

namespace dermis {
namespace {

// The made humanoid: forearms swell when elbows bend, and thighs when knees do, along splines.
Character driven_humanoid() {
  Result<Character> made = make_character(MadeKind::humanoid, {3000});
  EXPECT_TRUE(made);
  Character character = made ? *made : Character{};
  const auto swell = [&](const char* driven, const char* bent) {
    DriverFactor angle;
    angle.input = DriverInput::swing;
    angle.node = *find_node(character, bent);
    angle.curve = {{{0, 0, 0}, {0.5f, 0.4f, 0.2f}, {1.5f, 0.2f, 0}}, true, true};
    DrivenValue rule;
    rule.output = DriverOutput::scale;
    rule.node = *find_node(character, driven);
    rule.axis = {1, 0.5f, 1};
    rule.base = 1;
    rule.factors.push_back(angle);
    character.drivers.push_back({std::string("swell ") + driven, rule});
  };
  for (const char* side : {"_L", "_R"}) {
    swell((std::string("hand") + side).c_str(), (std::string("forearm") + side).c_str());
    swell((std::string("foot") + side).c_str(), (std::string("shin") + side).c_str());
  }
  DrivenRotation half;
  half.node = *find_node(character, "head");
  half.source = *find_node(character, "forearm_L");
  half.share = 0.3f;
  character.drivers.push_back({"head", half});
  EXPECT_TRUE(validate(character)) << validate(character).error().sentence;
  return character;
}

TEST(ThreeJs, PlaysBakedDriversAtEveryFrame) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const test::TemporaryFolder folder;
  Character driven = driven_humanoid();
  ASSERT_FALSE(driven.clips.empty());
  Character baked = driven;
  const Result<BakedDrivers> done = bake_drivers(baked);
  ASSERT_TRUE(done) << done.error().sentence;
  ASSERT_TRUE(save(folder.file("baked.glb"), {baked, {}, nullptr}));
  const Result<Asset> asset = load(folder.file("baked.glb"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  std::vector<judges::ThreeRequest> requests;
  const Clip& clip = driven.clips[0];
  for (double time = clip.start(); time <= clip.end(); time += 1 / 60.0) requests.push_back({0, time});
  const Result<judges::ThreeAnswer> three = judges::three_pose(folder.file("baked.glb"), requests);
  ASSERT_TRUE(three) << three.error().sentence;
  double worst = 0;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const Result<PoseFrame> frame = pose_frame(asset->character, {0, requests[r].time, nullptr});
    ASSERT_TRUE(frame) << frame.error().sentence;
    const Result<Character> still = deform_character(asset->character, *frame, {});
    ASSERT_TRUE(still) << still.error().sentence;
    std::vector<Vec3d> ours;
    Box box;
    for (const Mesh& mesh : still->meshes) {
      for (const Vec3& point : mesh.points) ours.emplace_back(point), box.add(Vec3d(point));
    }
    ASSERT_EQ(ours.size(), three->points[r].size());
    for (std::size_t v = 0; v < ours.size(); ++v)
      worst = std::max(worst, length(ours[v] - three->points[r][v]) / box.diagonal());
  }
  std::printf("%zu frames, %zu moments, three.js within %.2g of the box\n", requests.size(), done->key_count,
              worst);
  EXPECT_LT(worst, 1e-4);
}

}  // namespace
}  // namespace dermis
