// SPDX-License-Identifier: MIT
// Clips that tear the skin, throw joints about, or are in another unit.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "dermis/made.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

// With one clip, in which it walks.
Character walking() {
  static const Character made = *make_character(MadeKind::humanoid, {1500});
  return made;
}

Findings found_in(const Character& character) {
  const Status valid = validate(character);
  EXPECT_TRUE(valid) << valid.error().sentence;
  Result<Checkup> checkup = check_character(character, {}, {});
  EXPECT_TRUE(checkup);
  const Status posed = check_clip_poses(character, *checkup);
  EXPECT_TRUE(posed) << posed.error().sentence;
  Findings of_clips = checkup->findings;
  std::erase_if(of_clips, [](const Finding& finding) { return finding.thing != "clip"; });
  return of_clips;
}
std::vector<std::string> clip_ids(const Findings& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) ids.push_back(finding.id);
  return ids;
}
using ClipIds = std::vector<std::string>;

void change_values(Character& character, ChannelPath path,
                   const std::function<void(std::span<float>)>& work) {
  for (Channel& channel : character.clips[0].channels) {
    if (channel.path == path) work(channel.values);
  }
}
// A channel that holds a joint at one value throughout the clip.
void hold(Character& character, Index node, ChannelPath path, const Vec3& value) {
  Clip& clip = character.clips[0];
  std::erase_if(clip.channels, [&](const Channel& c) { return c.path == path && c.target == node; });
  Channel channel;
  channel.path = path;
  channel.target = node;
  channel.times = {clip.start(), clip.end()};
  channel.values = {value.x, value.y, value.z, value.x, value.y, value.z};
  clip.channels.push_back(channel);
}
// Channels that hold every joint at its rest translation, times `by`.
void scale_translations(Character& character, float by) {
  for (const Index node : character.skins[0].node)
    hold(character, node, ChannelPath::translation, by * character.nodes[at(node)].rest.translation);
}

TEST(CheckClipPoses, FindNothingInTheClipsOfMadeCharacters) {
  for (const MadeRow& row : made_kinds())
    EXPECT_EQ(clip_ids(found_in(*make_character(row.kind, {1500}))), ClipIds{}) << row.name;
}

TEST(CheckClipPoses, TranslationsInCentimetresThrowJointsAbout) {
  Character character = walking();
  scale_translations(character, 100);
  const Findings findings = found_in(character);
  ASSERT_EQ(clip_ids(findings), ClipIds{"clip-bone-lengths"});  // and not also that the skin is torn
  EXPECT_EQ(findings[0].severity, Severity::error);
  EXPECT_EQ(findings[0].index, 0);
  EXPECT_NE(findings[0].node, kNone);
  EXPECT_NE(findings[0].sentence.find(" 100 times as far"), std::string::npos) << findings[0].sentence;
  EXPECT_NE(findings[0].sentence.find(" s moves '"), std::string::npos) << findings[0].sentence;
}

TEST(CheckClipPoses, TranslationsInAHundredthOfTheUnitMakeTheBodyFallTogether) {
  Character character = walking();
  scale_translations(character, 0.01f);
  const Findings findings = found_in(character);
  ASSERT_EQ(clip_ids(findings), ClipIds{"clip-bone-lengths"});
  EXPECT_EQ(findings[0].severity, Severity::error);
  EXPECT_NE(findings[0].sentence.find(" 0.01 times as far"), std::string::npos) << findings[0].sentence;
}

TEST(CheckClipPoses, OneJointFarFromTheBodyTearsTheSkin) {
  Character character = walking();
  const Index hand = *find_node(character, "hand_L");
  hold(character, hand, ChannelPath::translation, 100.0f * character.nodes[at(hand)].rest.translation);
  const Findings findings = found_in(character);
  ASSERT_EQ(clip_ids(findings), (ClipIds{"clip-torn", "clip-bone-lengths"}));
  EXPECT_EQ(findings[0].severity, Severity::error);
  EXPECT_NE(findings[0].sentence.find("tears mesh 0"), std::string::npos) << findings[0].sentence;
  EXPECT_EQ(findings[1].severity, Severity::warning);  // a prop may be thrown
  EXPECT_EQ(findings[1].node, hand);
}

TEST(CheckClipPoses, AJointThatAClipScalesTwentyTimesTearsTheSkin) {
  Character character = walking();
  hold(character, *find_node(character, "hand_L"), ChannelPath::scale, {20, 20, 20});
  EXPECT_EQ(clip_ids(found_in(character)), ClipIds{"clip-torn"});
}

TEST(CheckClipPoses, ATearOfAMomentIsAWarning) {
  Character character = walking();
  const Index hand = *find_node(character, "hand_L");
  hold(character, hand, ChannelPath::scale, {1, 1, 1});
  Channel& channel = character.clips[0].channels.back();
  channel.times = {0, 0.95f, 1, 1.05f, 2};
  channel.values = {1, 1, 1, 1, 1, 1, 20, 20, 20, 1, 1, 1, 1, 1, 1};
  const Findings findings = found_in(character);
  ASSERT_EQ(clip_ids(findings), ClipIds{"clip-torn"});
  EXPECT_EQ(findings[0].severity, Severity::warning);
}

TEST(CheckClipPoses, ABodyThatWalksFarAndGrowsIsNotTorn) {
  Character character = walking();
  const Index root = character.skins[0].node[0];
  hold(character, root, ChannelPath::translation, {10, 0, 0});
  hold(character, root, ChannelPath::scale, {8, 8, 8});
  EXPECT_EQ(clip_ids(found_in(character)), ClipIds{});
}

TEST(CheckClipPoses, ABodyThatIsNeverNearItsPlaceIsAWarning) {
  Character character = walking();
  hold(character, character.skins[0].node[0], ChannelPath::translation, {0, 90, 0});  // 90 cm, as metres
  const Findings findings = found_in(character);
  ASSERT_EQ(clip_ids(findings), ClipIds{"clip-away"});
  EXPECT_EQ(findings[0].severity, Severity::warning);
  // One that walks there from its place is not.
  for (Channel& channel : character.clips[0].channels) {
    if (channel.path == ChannelPath::translation) channel.values = {0, 1, 0, 0, 90, 0};
  }
  EXPECT_EQ(clip_ids(found_in(character)), ClipIds{});
}

TEST(CheckClipPoses, LookAtEvenlySpacedClipsIfThereAreMoreThanMoments) {
  Character character = walking();
  Checkup one;
  ASSERT_TRUE(check_clip_poses(character, one));
  EXPECT_EQ(one.clips.clip_count, 1u);
  EXPECT_EQ(one.clips.frame_count, 240u);
  const Clip clip = character.clips[0];
  character.clips.assign(7, clip);
  Checkup some;
  ASSERT_TRUE(check_clip_poses(character, some));
  EXPECT_EQ(some.clips.clip_count, 7u);
  EXPECT_EQ(some.clips.frame_count, 7u * 34);
  character.clips.assign(1000, clip);
  Checkup many;
  ASSERT_TRUE(check_clip_poses(character, many));
  EXPECT_EQ(many.clips.clip_count, 240u);
  EXPECT_EQ(many.clips.frame_count, 240u);
}

TEST(CheckClipPoses, PoseNothingWithoutASkin) {
  Character character = walking();
  for (Instance& instance : character.instances) instance.skin = kNone;
  Checkup checkup;
  ASSERT_TRUE(check_clip_poses(character, checkup));
  EXPECT_EQ(checkup.clips.frame_count, 0u);
}

TEST(CheckClipPoses, FindTheSameOnAnyThreadCount) {
  Character character = walking();
  hold(character, *find_node(character, "hand_L"), ChannelPath::scale, {20, 20, 20});
  const int before = thread_count();
  set_thread_count(1);
  const Findings alone = found_in(character);
  set_thread_count(4);
  const Findings together = found_in(character);
  set_thread_count(before);
  ASSERT_EQ(alone.size(), 1u);
  ASSERT_EQ(together.size(), 1u);
  EXPECT_EQ(alone[0].sentence, together[0].sentence);
  EXPECT_EQ(alone[0].figure, together[0].figure);
}

TEST(CheckClipPoses, AStopEndsThem) {
  const std::atomic<bool> stop{true};
  Checkup checkup;
  const Status stopped = check_clip_poses(walking(), checkup, Progress({}, &stop));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::cancelled);
}

// ---- Found without posing ----

TEST(CheckClips, RotationsStoredWFirstAreFound) {
  Character character = walking();
  change_values(character, ChannelPath::rotation, [](std::span<float> values) {
    for (std::size_t k = 0; k + 3 < values.size(); k += 4)
      std::rotate(values.begin() + static_cast<std::ptrdiff_t>(k),
                  values.begin() + static_cast<std::ptrdiff_t>(k) + 3,
                  values.begin() + static_cast<std::ptrdiff_t>(k) + 4);
  });
  const Findings findings = found_in(character);
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [](const Finding& finding) { return finding.id == "rotations-w-first"; });
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->severity, Severity::error);
}

TEST(CheckClips, TimesInMillisecondsAreAWarning) {
  Character character = walking();
  for (Channel& channel : character.clips[0].channels) {
    for (float& time : channel.times) time *= 1000;
  }
  const Findings findings = found_in(character);
  ASSERT_EQ(clip_ids(findings), ClipIds{"clip-slow"});
  EXPECT_EQ(findings[0].severity, Severity::warning);
}

}  // namespace
}  // namespace dermis
