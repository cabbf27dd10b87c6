// SPDX-License-Identifier: MIT
// Clips at even times against pose_frame.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "characters.h"
#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

double furthest(std::span<const Affined> a, std::span<const Affined> b) {
  double furthest = 0;
  for (std::size_t s = 0; s < a.size(); ++s) {
    const Affined& one = a[s];
    const Affined& other = b[s];
    for (const Vec3d& apart : {one.linear.x - other.linear.x, one.linear.y - other.linear.y,
                               one.linear.z - other.linear.z, one.translation - other.translation})
      furthest = std::max(furthest, length(apart));
  }
  return furthest;
}

// Making it takes seconds, so the tests share it.
const Character& humanoid() {
  static const Character made = make_character(MadeKind::humanoid, {1000}).value();
  return made;
}

double error_at(const Character& character, const EvenClip& clip, double time) {
  std::vector<Affined> palette(clip.link_of_slot.size());
  SampleScratch scratch;
  sample_palette(clip, time, scratch, palette);
  return furthest(palette, pose_frame(character, {0, time, nullptr})->palette_of(0));
}

TEST(EvenClip, IsTheClipAtItsFrames) {
  const EvenClip clip = even_clip(humanoid(), 0, 0, 30).value();
  EXPECT_DOUBLE_EQ(clip.start, static_cast<double>(humanoid().clips[0].start()));
  for (std::size_t f = 0; f < clip.frame_count; ++f) {
    const double time = clip.start + static_cast<double>(f) / clip.fps;
    EXPECT_LT(error_at(humanoid(), clip, time), 2e-6) << "frame " << f;
  }
}

TEST(EvenClip, HoldsItsEnds) {
  const EvenClip clip = even_clip(humanoid(), 0, 0, 30).value();
  EXPECT_LT(error_at(humanoid(), clip, -5), 2e-6);
  EXPECT_LT(error_at(humanoid(), clip, 1e9), 2e-6);
}

// The chord stays near the arc: the error of one blend falls with the cube of the distance of the frames,
// which is why the bound is one for the whole chain.
TEST(EvenClip, IsNearTheClipBetweenFrames) {
  const auto worst = [](double fps) {
    const EvenClip clip = even_clip(humanoid(), 0, 0, fps).value();
    double largest = 0;
    for (int k = 0; k < 200; ++k) largest = std::max(largest, error_at(humanoid(), clip, 0.0173 * k));
    return largest;
  };
  EXPECT_LT(worst(120), 2e-3);
  EXPECT_LT(worst(120), 0.5 * worst(30));
}

TEST(EvenClip, LeavesNodesThatDoNotMoveAtTheirRestMatrix) {
  Character character = humanoid();
  Affine sheared;
  sheared.linear.y.x = 0.25f;
  const auto& joints = character.skins[0].node;
  const Index root = *std::find_if(joints.begin(), joints.end(), [&](Index node) {
    return character.nodes[static_cast<std::size_t>(node)].parent == kNone ||
           std::find(joints.begin(), joints.end(), character.nodes[static_cast<std::size_t>(node)].parent) ==
               joints.end();
  });
  character.nodes[static_cast<std::size_t>(root)].rest_matrix = sheared;
  std::erase_if(character.clips[0].channels, [&](const Channel& channel) {
    return channel.path != ChannelPath::shape_weights && channel.target == root;
  });
  const EvenClip clip = even_clip(character, 0, 0, 30).value();
  EXPECT_LT(error_at(character, clip, clip.start), 2e-6);
}

// A stepped clip over a chain whose moved nodes rest at matrices; enough joints for vectors and what is left.
Character stepped_chain() {
  constexpr int kJoints = 21;
  Character character;
  Skin skin;
  Clip clip;
  for (Index j = 0; j < kJoints; ++j) {
    Node node = test::node_at("", j - 1, {0.25f, 0, 0});
    if (j % 3 == 1) node.rest_matrix = Affine(affine_from_transform(node.rest));
    if (j % 3 == 2) {  // does not move
      node.rest_matrix = Affine(affine_from_transform(node.rest));
      node.rest_matrix->linear.y.x = 0.25f;
    } else {
      const float s = std::sin(0.1f * static_cast<float>(j)), c = std::cos(0.1f * static_cast<float>(j));
      clip.channels.push_back(test::channel_of(ChannelPath::rotation, j, Interpolation::step, {0, 0.5f, 1},
                                               {0, 0, 0, 1, 0, s, 0, c, s, 0, 0, c}));
      clip.channels.push_back(test::channel_of(ChannelPath::translation, j, Interpolation::step, {0, 0.25f},
                                               {0.25f, 0, 0, 0.5f, -0.125f, 0}));
    }
    character.nodes.push_back(node);
    skin.node.push_back(j);
    skin.inverse_bind.push_back(Affine(Mat3{}, {-0.25f * static_cast<float>(j + 1), 0, 0}));
  }
  character.skins = {skin};
  character.clips = {clip};
  return character;
}

TEST(SamplePalette, IsThePoseOfASteppedClipAtItsFramesOnEveryInstructionSet) {
  const Character character = stepped_chain();
  const EvenClip clip = even_clip(character, 0, 0, 20).value();
  ASSERT_GT(kernel_targets().size(), 1u);
  for (const std::string& target : kernel_targets()) {
    ASSERT_TRUE(use_kernel_target(target));
    for (std::size_t f = 0; f < clip.frame_count; ++f) {
      const double time = clip.start + static_cast<double>(f) / clip.fps;
      EXPECT_LT(error_at(character, clip, time), 1e-5) << target << ", frame " << f;
    }
  }
  use_kernel_target("");
}

// The first joint hangs from nothing and is shifted at 0.25 s: half a frame before, it is half way.
TEST(SamplePalette, GoesStraightThroughAStepOnEveryInstructionSet) {
  const Character character = stepped_chain();
  const EvenClip clip = even_clip(character, 0, 0, 20).value();
  for (const std::string& target : kernel_targets()) {
    ASSERT_TRUE(use_kernel_target(target));
    std::vector<Affined> palette(clip.link_of_slot.size());
    SampleScratch scratch;
    sample_palette(clip, 0.225, scratch, palette);
    EXPECT_LT(length(palette[0].translation - Vec3d{0.125, -0.0625, 0}), 1e-6) << target;
  }
  use_kernel_target("");
}

TEST(EvenClip, RefusesWhatIsNotThere) {
  const Character& character = humanoid();
  EXPECT_FALSE(even_clip(character, 7, 0, 30).ok());
  EXPECT_FALSE(even_clip(character, 0, 7, 30).ok());
  EXPECT_FALSE(even_clip(character, 0, 0, 0).ok());
  EXPECT_FALSE(even_clip(character, 0, 0, NAN).ok());
  EXPECT_FALSE(even_clip(character, 0, 0, 1e12).ok());
}

}  // namespace
}  // namespace dermis
