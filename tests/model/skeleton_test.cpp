// SPDX-License-Identifier: MIT
// A copied skeleton brings what it hangs from and what moves it, and leaves the rest behind.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

TEST(CopySkeleton, BringsTheJointsAndAllAboveThem) {
  const Character from = test::crowded_character();
  Character to;
  to.nodes = {test::node_at("scene", kNone, {})};
  const Index knee = 2;
  const std::vector<Index> copies = copy_skeleton(from, {&knee, 1}, to);
  EXPECT_EQ(copies, (std::vector<Index>{1, 2, 3, kNone}));  // the hat stays
  ASSERT_EQ(to.nodes.size(), 4u);
  EXPECT_EQ(to.nodes[1].name, "root");
  EXPECT_EQ(to.nodes[1].parent, kNone);
  EXPECT_EQ(to.nodes[3].name, "knee");
  EXPECT_EQ(to.nodes[3].parent, 2);
}

TEST(CopySkeleton, BringsTheChannelsOfItsNodesAndNoOthers) {
  const Character from = test::crowded_character();
  Character to;
  const std::vector<Index> joints = {1, 2};
  const std::vector<Index> copies = copy_skeleton(from, joints, to);
  ASSERT_EQ(to.clips.size(), 1u);
  EXPECT_EQ(to.clips[0].name, from.clips[0].name);
  std::size_t moved = 0;
  for (const Channel& channel : from.clips[0].channels) {
    const bool is_of_node = channel.path == ChannelPath::translation ||
                            channel.path == ChannelPath::rotation || channel.path == ChannelPath::scale;
    if (!is_of_node || copies[static_cast<std::size_t>(channel.target)] == kNone) continue;
    ASSERT_LT(moved, to.clips[0].channels.size());
    EXPECT_EQ(to.clips[0].channels[moved].target, copies[static_cast<std::size_t>(channel.target)]);
    EXPECT_EQ(to.clips[0].channels[moved++].values, channel.values);
  }
  EXPECT_EQ(moved, to.clips[0].channels.size());
  EXPECT_GT(moved, 0u);
  const Status valid = validate(to);
  EXPECT_TRUE(valid) << valid.error().sentence;
}

TEST(CopySkeleton, BringsDriversOfItsNodesAndTheControlsTheyRead) {
  const Character from = test::driven_character();
  Character to;
  to.controls = {{"breath", 7}};
  const Index knee = 2;
  copy_skeleton(from, {&knee, 1}, to);
  ASSERT_EQ(to.drivers.size(), 2u) << "not those of shapes, nor the one of the hat";
  EXPECT_EQ(to.drivers[0].name, "bulge");
  EXPECT_EQ(to.drivers[1].name, "half");
  ASSERT_EQ(to.controls.size(), 1u);
  EXPECT_EQ(to.controls[0].rest, 7) << "the control that was there is used";
  copy_skeleton(from, {&knee, 1}, to);
  ASSERT_EQ(to.drivers.size(), 4u);
  EXPECT_EQ(to.drivers[2].name, "bulge 2");
  EXPECT_EQ(std::get<DrivenRotation>(to.drivers[3].rule).source, 4);
  EXPECT_TRUE(validate(to)) << validate(to).error().sentence;
}

TEST(CopySkeleton, OfUnmovedJointsBringsNoClip) {
  Character from = test::crowded_character(), to;
  from.clips[0].channels.resize(0);
  const Index root = 0;
  copy_skeleton(from, {&root, 1}, to);
  EXPECT_EQ(to.nodes.size(), 1u);
  EXPECT_TRUE(to.clips.empty());
}

}  // namespace
}  // namespace dermis
