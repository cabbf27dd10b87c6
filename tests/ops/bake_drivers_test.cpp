// SPDX-License-Identifier: MIT
// Baked drivers: keys play what drivers do, for those who do not know drivers and for those who do.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "characters.h"
#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/ops.h"
#include "notes.h"
#include "ops/merge/merge.h"
#include "outside/files.h"

namespace dermis {
namespace {

// The made arm: the upper arm bulges along a spline of the elbow's swing, and a joint takes half of the
// elbow's rotation.
Character driven_arm() {
  Result<Character> made = make_character(MadeKind::arm, {1500});
  EXPECT_TRUE(made);
  Character character = made ? *made : Character{};
  const std::vector<Index>& joints = character.skins[0].node;
  const Index upper = joints[0], elbow = joints[1];
  DriverFactor angle;
  angle.input = DriverInput::swing;
  angle.node = elbow;
  angle.curve = {{{0, 0, 0}, {0.7f, 0.3f, 0.9f}, {1.5f, 0.4f, -0.5f}}, true, true};
  DrivenValue bulge;
  bulge.output = DriverOutput::scale;
  bulge.node = upper;
  bulge.axis = {1, 0, 1};
  bulge.base = 1;
  bulge.factors.push_back(angle);
  character.drivers.push_back({"bulge", bulge});
  Node half = character.nodes[at(elbow)];
  half.name = "half";
  half.rest_matrix.reset();
  character.nodes.push_back(half);
  DrivenRotation rule;
  rule.node = static_cast<Index>(character.nodes.size() - 1);
  rule.source = elbow;
  character.drivers.push_back({"half", rule});
  Skin& skin = character.skins[0];
  skin.node.push_back(rule.node);
  skin.inverse_bind.push_back(skin.inverse_bind[1]);
  // Half of the elbow's weight goes to the new joint.
  Mesh& mesh = character.meshes[0];
  WeightRowBuilder rows;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    for (const Influence& influence : mesh.weights.row(v)) {
      const bool is_elbow = influence.slot == 1;
      rows.add(influence.slot, is_elbow ? influence.weight / 2 : influence.weight);
      if (is_elbow) rows.add(static_cast<Index>(skin.node.size() - 1), influence.weight / 2);
    }
    rows.close_row(1e-5);
  }
  mesh.weights = rows.take();
  Clip bend;
  bend.name = "bend";
  std::vector<float> times, values;
  for (int k = 0; k <= 4; ++k) {
    times.push_back(0.5f * static_cast<float>(k));
    const Quatd rest(character.nodes[at(elbow)].rest.rotation);
    const Quat q(rest * quat_from_axis_angle({0.3, 0.2, 1}, 0.5 * k));
    for (const float x : {q.x, q.y, q.z, q.w}) values.push_back(x);
  }
  bend.channels = {test::channel_of(ChannelPath::rotation, elbow, Interpolation::linear, times, values)};
  character.clips = {bend};
  EXPECT_TRUE(validate(character)) << validate(character).error().sentence;
  return character;
}

std::vector<Vec3d> points_at(const Character& character, double time) {
  const Result<PoseFrame> frame = pose_frame(character, {0, time, nullptr});
  EXPECT_TRUE(frame) << frame.error().sentence;
  const Result<Character> still = deform_character(character, *frame, {});
  EXPECT_TRUE(still) << still.error().sentence;
  std::vector<Vec3d> points;
  for (const Mesh& mesh : still->meshes) {
    for (const Vec3& point : mesh.points) points.emplace_back(point);
  }
  return points;
}

// The largest distance along the clip, as a fraction of the size.
double largest_difference(const Character& a, const Character& b) {
  double worst = 0;
  for (int k = 0; k <= 97; ++k) {
    const auto start = static_cast<double>(a.clips[0].start()), end = static_cast<double>(a.clips[0].end());
    const double time = start + (end - start) * k / 97.0;
    const std::vector<Vec3d> x = points_at(a, time), y = points_at(b, time);
    EXPECT_EQ(x.size(), y.size());
    Box box;
    for (const Vec3d& point : x) box.add(point);
    for (std::size_t v = 0; v < x.size(); ++v) worst = std::max(worst, length(x[v] - y[v]) / box.diagonal());
  }
  return worst;
}

Character without_drivers(Character character) {
  character.drivers.clear();
  character.shape_rules.clear();
  character.pose_spaces.clear();
  return character;
}

TEST(BakeDrivers, LetsAnyProgramPlayThem) {
  const Character driven = driven_arm();
  Character baked = driven;
  const Result<BakedDrivers> done = bake_drivers(baked);
  ASSERT_TRUE(done) << done.error().sentence;
  EXPECT_EQ(done->joint_count, 2u);
  EXPECT_TRUE(validate(baked)) << validate(baked).error().sentence;
  EXPECT_GT(largest_difference(driven, without_drivers(driven)), 0.01) << "drivers do something";
  EXPECT_LT(largest_difference(driven, without_drivers(baked)), 1e-4);
  EXPECT_LT(largest_difference(driven, baked), 1e-6) << "dermis goes on evaluating them";
}

TEST(BakeDrivers, TwiceIsOnce) {
  Character once = driven_arm();
  ASSERT_TRUE(bake_drivers(once));
  Character twice = once;
  ASSERT_TRUE(bake_drivers(twice));
  ASSERT_EQ(once.clips[0].channels.size(), twice.clips[0].channels.size());
  for (std::size_t c = 0; c < once.clips[0].channels.size(); ++c) {
    EXPECT_EQ(once.clips[0].channels[c].times, twice.clips[0].channels[c].times);
    EXPECT_EQ(once.clips[0].channels[c].values, twice.clips[0].channels[c].values);
  }
}

TEST(BakeDrivers, BakesShapesWithInBetweens) {
  Character driven = test::driven_character();
  Channel weights = test::channel_of(ChannelPath::shape_weights, 0, Interpolation::linear, {0, 1, 2}, {});
  for (const float frown : {-0.5f, 1.2f, 0.3f})
    for (const float w : {0.0f, 0.0f, frown, 0.0f, frown, 0.0f}) weights.values.push_back(w);
  driven.clips[0].channels.push_back(weights);
  ASSERT_TRUE(validate(driven)) << validate(driven).error().sentence;
  Character baked = driven;
  ASSERT_TRUE(bake_drivers(baked));
  const Character plain = without_drivers(baked);
  for (int k = 0; k <= 60; ++k) {
    const double time = k / 30.0;
    const auto shown = [&](const Character& character) {
      return pose_frame(character, {0, time, nullptr})->shape_weights[0];
    };
    const std::vector<float> wanted = shown(driven), keys = shown(plain), again = shown(baked);
    for (std::size_t s = 0; s < wanted.size(); ++s) {
      EXPECT_NEAR(keys[s], wanted[s], 1e-3) << time << " " << s;
      EXPECT_NEAR(again[s], wanted[s], 1e-3) << time << " " << s;
    }
  }
}

TEST(BakeDrivers, OfACharacterWithoutClipsIsAClipOfOneMoment) {
  Character character = driven_arm();
  character.clips.clear();
  std::get<DrivenValue>(character.drivers[0].rule).base = 1.5f;
  ASSERT_TRUE(bake_drivers(character));
  ASSERT_EQ(character.clips.size(), 1u);
  EXPECT_EQ(character.clips[0].name, "drivers");
  EXPECT_EQ(character.clips[0].end(), 0);
  const Character plain = without_drivers(character);
  const PoseFrame a = *pose_frame(character, {}), b = *pose_frame(plain, {0, 0, nullptr});
  for (std::size_t n = 0; n < a.world_from_node.size(); ++n)
    EXPECT_LT(max_difference(a.world_from_node[n], b.world_from_node[n]), 1e-6) << n;
}

TEST(Convert, SaysThatDriversAreNotKeysUnlessTheyAreBaked) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save(folder.file("driven.glb"), {driven_arm(), {}, nullptr}));
  ConvertJob job{{folder.file("driven.glb"), folder.file("plain.gltf"), {}, {}}};
  Result<ConvertReport> report = convert(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "drivers-not-baked"));
  job.output = folder.file("baked.glb");
  job.bakes_drivers = true;
  report = convert(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_FALSE(test::has_note(report->notes, "drivers-not-baked"));
  EXPECT_EQ(report->baked_joint_count, 2u);
  const Result<Asset> baked = load(folder.file("baked.glb"));
  ASSERT_TRUE(baked) << baked.error().sentence;
  EXPECT_EQ(baked->character.drivers.size(), 2u);
  EXPECT_LT(largest_difference(driven_arm(), without_drivers(baked->character)), 1e-4);
  job.output = folder.file("out.obj");
  EXPECT_EQ(convert(job).error().code, Errc::usage);
}

TEST(Info, ListsWhatIsDriven) {
  const Asset asset{.character = test::driven_character(), .name = "driven.glb"};
  const Result<InfoReport> report = info(asset);
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_EQ(report->drivers.size(), 4u);
  EXPECT_EQ(report->drivers[0].words, "scales 'knee' by the turn of 'hip' and control 'breath'");
  EXPECT_EQ(report->drivers[1].words, "gives 'knee' 0.5 of the twist of 'hip'");
  EXPECT_EQ(report->drivers[3].words, "points 'hat' at 'knee' and stretches it");
  EXPECT_EQ(report->shape_rules[0].words, "from 0 to 1.5, 'frown half' at 0.5");
  EXPECT_EQ(report->pose_spaces[0].words, "poses of 'knee' show 'knee fix'");
}

TEST(Info, SaysLimitsThatAreOnOneSideOnly) {
  Asset asset{.character = test::driven_character(), .name = "driven.glb"};
  constexpr float kNever = std::numeric_limits<float>::infinity();
  asset.character.shape_rules = {{"frown", -0.5f, kNever, {}}, {"grin", -kNever, 2, {}}};
  const Result<InfoReport> report = info(asset);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->shape_rules[0].words, "at least -0.5");
  EXPECT_EQ(report->shape_rules[1].words, "at most 2");
}

TEST(Shapes, DriversFollowRenamedShapesAndGoWithRemovedOnes) {
  Asset asset{.character = test::driven_character(), .name = "driven.glb"};
  ASSERT_TRUE(rename_shapes(asset, {}, {{"smile", "grin"}, {"grin", "smile"}}));
  const auto& value = std::get<DrivenValue>(asset.character.drivers[2].rule);
  EXPECT_EQ(value.shape, "grin");
  EXPECT_EQ(value.factors[0].shape, "smile");
  EXPECT_EQ(asset.character.shape_rules[1].shape, "smile");
  const Result<ShapesReport> removed = remove_shapes(asset, {}, {"smile"});
  ASSERT_TRUE(removed) << removed.error().sentence;
  EXPECT_TRUE(test::has_note(removed->notes, "driving-dropped"));
  EXPECT_EQ(asset.character.drivers.size(), 3u);
  EXPECT_EQ(asset.character.shape_rules.size(), 1u);
  EXPECT_TRUE(validate(asset.character)) << validate(asset.character).error().sentence;
}

TEST(Scenes, OfTwoDrivenCharactersDriveEachByItsOwn) {
  Character scene = test::driven_character();
  EXPECT_TRUE(add_to_scene(test::driven_character(), "second", {3, 0, 0}, scene).empty());
  ASSERT_TRUE(validate(scene)) << validate(scene).error().sentence;
  EXPECT_EQ(scene.drivers.size(), 8u);
  EXPECT_EQ(scene.shape_rules.size(), 4u);
  EXPECT_EQ(scene.pose_spaces.size(), 2u);
  const Character alone = test::driven_character();
  Pose pose;
  pose.shapes = {{"grin", 1.5f}};
  const PoseFrame one = *pose_frame(alone, {kNone, 0, &pose}), both = *pose_frame(scene, {kNone, 0, &pose});
  EXPECT_EQ(one.shape_weights[0], both.shape_weights[0]);
  EXPECT_EQ(both.shape_weights[2], std::vector<float>(6, 0.0f)) << "the second one's grin has another name";
}

}  // namespace
}  // namespace dermis
