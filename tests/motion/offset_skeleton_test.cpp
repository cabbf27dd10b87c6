// SPDX-License-Identifier: MIT
// Skeletons without rest rotations keep every joint where the character has it.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

using test::Random;

// A chain with turned and scaled rests, a matrix, and keys for everything but the tip.
Character restless_chain(Random& random) {
  Character character;
  for (int n = 0; n < 5; ++n) {
    Node node;
    node.name = "joint " + std::to_string(n);
    node.parent = n - 1;
    node.rest.translation = Vec3(random.vector());
    node.rest.rotation = Quat(random.rotation());
    const float size = static_cast<float>(random.in(0.5, 2));
    node.rest.scale = {size, size, size};
    character.nodes.push_back(node);
  }
  Clip clip;
  clip.name = "move";
  for (Index n = 0; n < 4; ++n) {
    for (const ChannelPath path : {ChannelPath::translation, ChannelPath::rotation, ChannelPath::scale}) {
      if (path == ChannelPath::translation && n == 2) continue;
      if (path == ChannelPath::scale && n != 1) continue;
      Channel channel;
      channel.path = path;
      channel.target = n;
      for (int key = 0; key < 4; ++key) {
        channel.times.push_back(static_cast<float>(key) / 10);
        const Vec3 v(random.vector());
        const Quat q(random.rotation());
        const float size = static_cast<float>(random.in(0.5, 2));
        if (path == ChannelPath::rotation)
          channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
        else if (path == ChannelPath::scale)
          channel.values.insert(channel.values.end(), {size, size, size});
        else
          channel.values.insert(channel.values.end(), {v.x, v.y, v.z});
      }
      clip.channels.push_back(channel);
    }
  }
  character.clips.push_back(clip);
  return character;
}

double largest_distance(const Character& character, const OffsetSkeleton& skeleton) {
  double largest = 0;
  const std::vector<float>& times = skeleton.character.clips[0].channels[0].times;
  for (const float time : times) {
    const auto t = static_cast<double>(time);
    const Result<PoseFrame> wanted = pose_frame(character, {0, skeleton.start + t, nullptr});
    const Result<PoseFrame> found = pose_frame(skeleton.character, {0, t, nullptr});
    EXPECT_TRUE(wanted.ok() && found.ok());
    for (const Node& node : skeleton.character.nodes) {
      const Index n = *find_node(character, node.name), m = *find_node(skeleton.character, node.name);
      largest = std::max(largest, length(wanted->world_from_node[at(n)].translation -
                                         found->world_from_node[at(m)].translation));
    }
  }
  return largest;
}

TEST(OffsetSkeleton, KeepsWorldPositionsThroughTurnedAndScaledRests) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Character character = restless_chain(random);
    ASSERT_TRUE(validate(character).ok());
    const Result<OffsetSkeleton> skeleton = offset_skeleton(character, {0, 0});
    ASSERT_TRUE(skeleton.ok());
    EXPECT_TRUE(validate(skeleton->character).ok());
    EXPECT_NEAR(skeleton->fps, 10, 1e-5);
    for (const Node& node : skeleton->character.nodes) EXPECT_EQ(node.rest.rotation, Quat{});
    EXPECT_LT(largest_distance(character, *skeleton), 5e-6);
  }
}

TEST(OffsetSkeleton, IsSampledAsAskedAndHoldsTheEnd) {
  Random random(7);
  const Character character = restless_chain(random);
  const Result<OffsetSkeleton> skeleton = offset_skeleton(character, {0, 25});
  ASSERT_TRUE(skeleton.ok());
  EXPECT_EQ(skeleton->character.clips[0].channels[0].times.size(), 9u);  // 0.3 s are 7.5 frames
  EXPECT_LT(largest_distance(character, *skeleton), 5e-6);
}

TEST(OffsetSkeleton, HasTranslationKeysOnlyWhereDistancesChange) {
  Random random(3);
  const Character character = restless_chain(random);
  const Result<OffsetSkeleton> skeleton = offset_skeleton(character, {0, 0});
  ASSERT_TRUE(skeleton.ok());
  std::vector<bool> moves(character.nodes.size(), false);
  for (const Channel& channel : skeleton->character.clips[0].channels)
    if (channel.path == ChannelPath::translation) moves[at(channel.target)] = true;
  // The root always; 1 and 3 have keys; 2 and 4 hang below the scale of 1.
  EXPECT_EQ(moves, (std::vector<bool>{true, true, true, true, true}));
  Character rigid = character;
  std::erase_if(rigid.clips[0].channels, [](const Channel& c) { return c.path != ChannelPath::rotation; });
  const Result<OffsetSkeleton> still = offset_skeleton(rigid, {0, 0});
  ASSERT_TRUE(still.ok());
  std::size_t count = 0;
  for (const Channel& channel : still->character.clips[0].channels)
    count += channel.path == ChannelPath::translation ? 1 : 0;
  EXPECT_EQ(count, 1u);
}

TEST(OffsetSkeleton, TakesTheJointsWithTheirAncestorsAndDescendants) {
  Character character;
  for (const auto& [name, parent] : std::vector<std::pair<const char*, Index>>{
           {"armature", kNone}, {"hip", 0}, {"toe", 1}, {"lamp", kNone}, {"sibling", 0}}) {
    Node node;
    node.name = name;
    node.parent = parent;
    character.nodes.push_back(node);
  }
  character.skins.push_back({"skin", {1}, {Affine{}}});
  const Result<OffsetSkeleton> skeleton = offset_skeleton(character);
  ASSERT_TRUE(skeleton.ok());
  std::vector<std::string> names;
  for (const Node& node : skeleton->character.nodes) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"armature", "hip", "toe"}));
}

TEST(OffsetSkeleton, SaysWhenKeysAreNotEvenlySpaced) {
  Random random(5);
  Character character = restless_chain(random);
  character.clips[0].channels[0].times[1] = 0.15f;
  const Result<OffsetSkeleton> skeleton = offset_skeleton(character, {0, 0});
  ASSERT_TRUE(skeleton.ok());
  EXPECT_EQ(skeleton->fps, 30);
  ASSERT_EQ(skeleton->notes.size(), 1u);
  EXPECT_EQ(skeleton->notes[0].id, "fps-assumed");
}

}  // namespace
}  // namespace dermis
