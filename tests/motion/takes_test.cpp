// SPDX-License-Identifier: MIT
// Clips from takes of weights and keys by hand; shapes that follow each other by name.
#include "dermis/motion/takes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dermis/motion.h"

namespace dermis {
namespace {

// Two meshes with a point each: a face with three shapes, teeth with one of them; a joint; a control.
Character talking() {
  Character character;
  character.nodes.resize(3);
  character.nodes[0].name = "jaw";
  character.nodes[0].rest.rotation = Quat(quat_from_axis_angle({0, 0, 1}, 0.3));
  character.nodes[1].name = "face", character.nodes[2].name = "teeth";
  for (int m = 0; m < 2; ++m) {
    Mesh& mesh = character.meshes.emplace_back();
    mesh.points = {{0, 0, 0}};
    mesh.weld = {0};
    mesh.parts = {{0, 1, 0, 0}};
  }
  const auto shape = [](const char* name) { return Shape{name, {0}, {{0, 1, 0}}, {}, {}}; };
  character.meshes[0].shapes = {shape("eyeBlink_L"), shape("jawOpen"), shape("smile")};
  character.meshes[1].shapes = {shape("jawOpen")};
  character.instances = {{1, 0, kNone, {0, 0, 0.25f}, true}, {2, 1, kNone, {0}, true}};
  character.controls = {{"breath", 0, 0, 1}};
  return character;
}

WeightTake made_take() {
  return {{"EyeBlinkLeft", "JawOpen", "HeadYaw"}, {0, 0.5, 1}, {0, 0.25f, 9, 1, 0.5f, 9, 0.5f, 1, 9}};
}

float value_at(const Clip& clip, ChannelPath path, Index target, std::size_t k, double time,
               std::size_t width) {
  for (const Channel& channel : clip.channels) {
    if (channel.path != path || channel.target != target) continue;
    std::vector<float> values(width);
    sample_channel(channel, time, values);
    return values[k];
  }
  return NAN;
}

TEST(ShapeKey, IsOneForAllSpellingsOfAName) {
  for (const char* name : {"EyeBlinkLeft", "eyeBlink_L", "eye_blink_left", "head:eyeBlink.L", "eyeblinkleft"})
    EXPECT_EQ(shape_key(name), "eyeblink_l") << name;
  EXPECT_EQ(shape_key("jawOpen"), shape_key("jaw_open"));
  EXPECT_NE(shape_key("mouthLeft"), shape_key("mouthRight"));
  EXPECT_EQ(shape_key("left"), "left");
}

TEST(MatchShapes, FollowsNamesOfBothSidesAndBuiltInMaps) {
  const std::vector<std::string> arkit{"EyeBlinkLeft",    "EyeBlinkRight",   "JawOpen",
                                       "MouthSmileLeft",  "MouthSmileRight", "BrowInnerUp",
                                       "BrowOuterUpLeft", "MouthPucker"};
  // ICT splits what ARKit joins.
  const ShapeMatch ict =
      match_shapes(arkit, std::vector<std::string>{"eyeBlink_L", "browInnerUp_L", "browInnerUp_R", "x"});
  ASSERT_EQ(ict.rows.size(), 3u);
  EXPECT_EQ(ict.by_name, 3u);
  EXPECT_EQ(ict.rows[1].sources[0].name, "BrowInnerUp");
  EXPECT_EQ(ict.rows[1].sources[0].value, 1);
  // VRM has pictures of several muscles; "blink" would repeat "blinkLeft".
  const ShapeMatch vrm =
      match_shapes(arkit, std::vector<std::string>{"blink", "blinkLeft", "blinkRight", "aa", "happy"});
  EXPECT_EQ(vrm.map, "ARKit to VRM");
  ASSERT_EQ(vrm.rows.size(), 4u);
  EXPECT_EQ(vrm.rows[0].target, "blinkLeft");
  EXPECT_EQ(vrm.rows[3].sources.size(), 2u);
  EXPECT_EQ(vrm.rows[3].sources[0].value, 0.5f);
  // And back.
  const ShapeMatch back =
      match_shapes(std::vector<std::string>{"blink", "aa", "ou", "happy"},
                   std::vector<std::string>{"eyeBlinkLeft", "jawOpen", "mouthPucker", "mouthSmileLeft"});
  EXPECT_EQ(back.map, "VRM to ARKit");
  EXPECT_EQ(back.rows.size(), 4u);
  // One name of a vocabulary may be chance.
  EXPECT_TRUE(match_shapes(arkit, std::vector<std::string>{"aa", "tree"}).rows.empty());
}

TEST(MatchShapes, HalvesBothSidesForAShapeWithoutOne) {
  const ShapeMatch match = match_shapes(std::vector<std::string>{"cheekPuff_L", "cheekPuff_R"},
                                        std::vector<std::string>{"cheekPuff"});
  ASSERT_EQ(match.rows.size(), 1u);
  ASSERT_EQ(match.rows[0].sources.size(), 2u);
  EXPECT_EQ(match.rows[0].sources[0].value, 0.5f);
}

TEST(ClipOfTake, SetsShapesOnAllMeshesAndKeepsOthersAtRest) {
  const Character character = talking();
  const WeightTake take = made_take();
  const ShapeMatch match = match_shapes(take.names, shape_labels(character));
  const Result<TakenClip> taken = clip_of_take(character, take, match.rows);
  ASSERT_TRUE(taken) << taken.error().sentence;
  EXPECT_EQ(taken->clip.channels.size(), 2u);
  EXPECT_EQ(value_at(taken->clip, ChannelPath::shape_weights, 0, 0, 0.5, 3), 1);
  EXPECT_EQ(value_at(taken->clip, ChannelPath::shape_weights, 0, 1, 0.75, 3), 0.75f);
  EXPECT_EQ(value_at(taken->clip, ChannelPath::shape_weights, 0, 2, 0.5, 3), 0.25f);
  EXPECT_EQ(value_at(taken->clip, ChannelPath::shape_weights, 1, 0, 1, 1), 1);
  EXPECT_EQ(taken->unused_columns, std::vector<std::string>{"HeadYaw"});
}

TEST(ClipOfTake, FollowsAMapAndNotesWhatIsNotThere) {
  const Character character = talking();
  const std::vector<ShapeMapRow> rows{{"smile", {{"JawOpen", 2}, {"EyeBlinkLeft", -1}, {"nose", 1}}},
                                      {"tail", {{"JawOpen", 1}}}};
  const Result<TakenClip> taken = clip_of_take(character, made_take(), rows);
  ASSERT_TRUE(taken);
  EXPECT_EQ(value_at(taken->clip, ChannelPath::shape_weights, 0, 2, 1, 3), 1.5f);
  ASSERT_EQ(taken->notes.size(), 2u);
  EXPECT_EQ(taken->notes[0].id, "take-shapes-missing");
  EXPECT_EQ(taken->notes[1].id, "take-columns-missing");
  const Result<TakenClip> none =
      clip_of_take(character, made_take(), std::vector<ShapeMapRow>{{"tail", {{"JawOpen", 1}}}});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().sentence.find("none of its shapes"), std::string::npos);
}

TEST(AddToClip, ReplacesOnlyTheShapesThatTheTakeMoves) {
  const Character character = talking();
  Clip clip{"Talk", {{ChannelPath::shape_weights, 0, Interpolation::linear, {0, 2}, {0, 0, 0, 0, 0, 1}}}};
  const ShapeMatch match = match_shapes(made_take().names, shape_labels(character));
  const Result<TakenClip> taken = clip_of_take(character, made_take(), match.rows);
  Notes notes;
  add_to_clip(character, taken->clip, clip, notes);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(clip.channels.size(), 2u);
  EXPECT_EQ(clip.channels[0].times, (std::vector<float>{0, 0.5f, 1, 2}));
  EXPECT_EQ(value_at(clip, ChannelPath::shape_weights, 0, 2, 1, 3), 0.5f);
  EXPECT_EQ(value_at(clip, ChannelPath::shape_weights, 0, 0, 0.5, 3), 1);
}

// ---- Keys by hand -----------------------------------------------------------------------------------------

KeyedPose key_of_shape(double time, KeyKind kind, const char* name, float value) {
  KeyedPose key{time, kind, {}, {}, {}};
  key.pose.shapes = {{name, value}};
  return key;
}

TEST(ClipOfKeys, StepsGoesStraightAndCurves) {
  const Character character = talking();
  const auto middle = [&](KeyKind kind) {
    const Result<Clip> clip =
        clip_of_keys(character, {"c",
                                 {key_of_shape(0, kind, "smile", 0), key_of_shape(1, kind, "smile", 1),
                                  key_of_shape(2, kind, "smile", 1)}});
    EXPECT_TRUE(clip) << clip.error().sentence;
    return value_at(*clip, ChannelPath::shape_weights, 0, 2, 0.25, 3);
  };
  EXPECT_EQ(middle(KeyKind::step), 0);
  EXPECT_EQ(middle(KeyKind::linear), 0.25f);
  // Hermite: slopes 0 and 1/2, so (3 t^2 - 2 t^3) + (t^3 - t^2) / 2 at 1/4.
  EXPECT_NEAR(middle(KeyKind::smooth), 0.15625 - 0.0234375, 1e-6);
}

TEST(ClipOfKeys, KeepsLinesStraightAndStepsLevelWhereKindsDiffer) {
  const Character character = talking();
  const Result<Clip> clip = clip_of_keys(
      character,
      {"c",
       {key_of_shape(0, KeyKind::linear, "smile", 0), key_of_shape(1, KeyKind::step, "smile", 1),
        key_of_shape(2, KeyKind::smooth, "smile", 3), key_of_shape(3, KeyKind::linear, "smile", 0)}});
  ASSERT_TRUE(clip);
  EXPECT_EQ(clip->channels[0].interpolation, Interpolation::cubic_spline);
  EXPECT_NEAR(value_at(*clip, ChannelPath::shape_weights, 0, 2, 0.3, 3), 0.3, 1e-6);
  EXPECT_NEAR(value_at(*clip, ChannelPath::shape_weights, 0, 2, 1.999, 3), 1, 1e-6);
  EXPECT_NEAR(value_at(*clip, ChannelPath::shape_weights, 0, 2, 2, 3), 3, 1e-6);
}

TEST(ClipOfKeys, JoinsShapesOfOneMeshWhoseKeysDiffer) {
  const Character character = talking();
  const Result<Clip> clip = clip_of_keys(
      character,
      {"c",
       {key_of_shape(0, KeyKind::smooth, "smile", 0), key_of_shape(0, KeyKind::linear, "jawOpen", 0),
        key_of_shape(0.5, KeyKind::linear, "jawOpen", 1), key_of_shape(2, KeyKind::smooth, "smile", 1)}});
  ASSERT_TRUE(clip) << clip.error().sentence;
  // The curve of the smile is the same as alone: 3 t^2 - 2 t^3.
  for (const double time : {0.2, 0.5, 0.9, 1.5}) {
    const double t = time / 2;
    EXPECT_NEAR(value_at(*clip, ChannelPath::shape_weights, 0, 2, time, 3), 3 * t * t - 2 * t * t * t, 1e-6);
    EXPECT_NEAR(value_at(*clip, ChannelPath::shape_weights, 0, 1, time, 3), std::min(1.0, 2 * time), 1e-6);
    EXPECT_EQ(value_at(*clip, ChannelPath::shape_weights, 0, 0, time, 3), 0);
  }
  // The teeth have jawOpen only.
  EXPECT_NEAR(value_at(*clip, ChannelPath::shape_weights, 1, 0, 0.25, 1), 0.5, 1e-6);
}

TEST(ClipOfKeys, TurnsJointsFromRest) {
  const Character character = talking();
  KeyedPose key;
  key.pose.nodes = {{"jaw", {}, {}, {}, Quat(quat_from_axis_angle({1, 0, 0}, 0.5))}};
  const Result<Clip> clip = clip_of_keys(character, {"c", {key}});
  ASSERT_TRUE(clip);
  const Quat wanted = character.nodes[0].rest.rotation * *key.pose.nodes[0].turn;
  EXPECT_NEAR(clip->channels[0].values[0], wanted.x, 1e-6f);
  EXPECT_NEAR(clip->channels[0].values[3], wanted.w, 1e-6f);
}

TEST(ClipOfKeys, RefusesWhatIsNotThereAndTwoKeysAtATime) {
  const Character character = talking();
  KeyedPose nobody;
  nobody.pose.nodes = {{"jaww", Vec3{}, {}, {}, {}}};
  KeyedPose control;
  control.pose.controls = {{"flex", 1}};
  const std::pair<KeyedPoses, const char*> kCases[] = {
      {{"c", {nobody}}, "did you mean 'jaw'"},
      {{"c", {key_of_shape(0, KeyKind::linear, "smil", 0)}}, "did you mean 'smile'"},
      {{"c", {control}}, "no control 'flex'"},
      {{"c", {key_of_shape(1, KeyKind::linear, "smile", 0), key_of_shape(1, KeyKind::step, "smile", 1)}},
       "shape 'smile' has two keys at 1 s"},
      {{"c", {KeyedPose{}}}, "nothing that moves"}};
  for (const auto& [keys, words] : kCases) {
    const Result<Clip> clip = clip_of_keys(character, keys);
    ASSERT_FALSE(clip);
    EXPECT_NE(clip.error().sentence.find(words), std::string::npos) << clip.error().sentence;
  }
}

TEST(KeysOfClip, GiveTheSameChannelsBack) {
  const Character character = talking();
  Clip clip{"All", {}};
  clip.channels.push_back({ChannelPath::translation, 0, Interpolation::linear, {0, 1}, {1, 2, 3, 4, 5, 6}});
  clip.channels.push_back(
      {ChannelPath::rotation, 0, Interpolation::cubic_spline, {0.5f, 2}, {0,    0, 0, 1,    0, 0, 0, 1,
                                                                          0.5f, 0, 0, 0,    0, 0, 1, 0,
                                                                          0.6f, 0, 0, 0.8f, 0, 0, 0, 0}});
  clip.channels.push_back({ChannelPath::scale, 0, Interpolation::step, {0, 1}, {1, 1, 1, 2, 2, 2}});
  clip.channels.push_back({ChannelPath::shape_weights,
                           0,
                           Interpolation::cubic_spline,
                           {0, 1},
                           {0, 0, 0, 1, 0.25f, 0, 2, 0, 0, 0, 0, 1, 0, 0.5f, 0.5f, 0, 0, 0}});
  clip.channels.push_back(
      {ChannelPath::shape_weights, 1, Interpolation::cubic_spline, {0, 1}, {0, 0.25f, 0, 0, 0.5f, 0}});
  clip.channels.push_back({ChannelPath::control, 0, Interpolation::linear, {0, 3}, {0, 1}});
  const ClipKeys written = keys_of_clip(character, clip);
  EXPECT_TRUE(written.notes.empty());
  const Result<Clip> back = clip_of_keys(character, written.keys);
  ASSERT_TRUE(back) << back.error().sentence;
  EXPECT_EQ(back->name, "All");
  ASSERT_EQ(back->channels.size(), clip.channels.size());
  for (const Channel& channel : clip.channels) {
    const auto same = std::find_if(back->channels.begin(), back->channels.end(), [&](const Channel& other) {
      return other.path == channel.path && other.target == channel.target;
    });
    ASSERT_NE(same, back->channels.end());
    EXPECT_EQ(same->interpolation, channel.interpolation);
    EXPECT_EQ(same->times, channel.times);
    EXPECT_EQ(same->values, channel.values);
  }
}

TEST(KeysOfClip, NoteShapesOfOneNameThatDiffer) {
  const Character character = talking();
  Clip clip{"Two", {}};
  clip.channels.push_back({ChannelPath::shape_weights, 0, Interpolation::linear, {0}, {0, 1, 0}});
  clip.channels.push_back({ChannelPath::shape_weights, 1, Interpolation::linear, {0}, {0.5f}});
  const ClipKeys written = keys_of_clip(character, clip);
  ASSERT_EQ(written.notes.size(), 1u);
  EXPECT_EQ(written.notes[0].id, "keys-of-shapes-differ");
}

}  // namespace
}  // namespace dermis
