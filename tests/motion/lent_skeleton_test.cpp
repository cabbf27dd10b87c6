// SPDX-License-Identifier: MIT
// Motions without bone lengths play on the joints of the same names; others are refused.
#include <gtest/gtest.h>

#include "dermis/made.h"
#include "dermis/motion.h"
#include "notes.h"

namespace dermis {
namespace {

// What some exporters write: names and turns, but no places.
Character without_lengths(Character motion) {
  for (Node& node : motion.nodes) {
    node.rest.translation = {};
    node.rest_matrix.reset();
  }
  for (Clip& clip : motion.clips)
    std::erase_if(clip.channels, [](const Channel& c) { return c.path == ChannelPath::translation; });
  return motion;
}

TEST(LentSkeleton, GivesAMotionWithoutLengthsThoseOfTheCharacter) {
  const Character body = *make_character(MadeKind::arm, {1000});
  ASSERT_FALSE(body.clips.empty());
  ASSERT_FALSE(has_no_lengths(body, 0));
  const Character lost = without_lengths(body);
  ASSERT_TRUE(has_no_lengths(lost, 0));
  Notes notes;
  const Result<Character> lent = with_lent_skeleton(lost, 0, body, notes);
  ASSERT_TRUE(lent) << lent.error().sentence;
  EXPECT_TRUE(test::has_note(notes, "lengths-lent"));
  ASSERT_TRUE(validate(*lent));
  // It moves as the whole motion does.
  const double middle = 0.5 * static_cast<double>(body.clips[0].start() + body.clips[0].end());
  const Result<PoseFrame> ours = pose_frame(*lent, {0, middle, nullptr}),
                          whole = pose_frame(body, {0, middle, nullptr});
  ASSERT_TRUE(ours && whole);
  for (std::size_t n = 0; n < body.nodes.size(); ++n)
    EXPECT_LT(length(ours->world_from_node[n].translation - whole->world_from_node[n].translation), 1e-6)
        << n;
}

TEST(LentSkeleton, IsNotWantedForThingsModelledAroundOneOrigin) {
  Character things;
  things.nodes.resize(5);
  Clip spin{"spin", {}};
  for (Index n = 0; n < 5; ++n)
    spin.channels.push_back(
        {ChannelPath::rotation, n, Interpolation::linear, {0, 1}, {0, 0, 0, 1, 0, 1, 0, 0}});
  things.clips.push_back(spin);
  EXPECT_FALSE(has_no_lengths(things, 0));
  for (Index n = 1; n < 5; ++n) things.nodes[at(n)].parent = n - 1;
  EXPECT_TRUE(has_no_lengths(things, 0));
}

TEST(LentSkeleton, RefusesJointsOfOtherNames) {
  const Character body = *make_character(MadeKind::arm, {1000});
  Character lost = without_lengths(body);
  for (std::size_t n = 0; n < lost.nodes.size(); ++n) lost.nodes[n].name = "bone" + std::to_string(n);
  Notes notes;
  const Result<Character> lent = with_lent_skeleton(lost, 0, body, notes);
  ASSERT_FALSE(lent);
  EXPECT_EQ(lent.error().code, Errc::bad_rig);
  EXPECT_TRUE(notes.empty());
}

}  // namespace
}  // namespace dermis
