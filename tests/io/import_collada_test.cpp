// SPDX-License-Identifier: MIT
// Which clips a Collada document has: all animations are one, unless it lists clips.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dermis/io.h"
#include "dermis/motion.h"
#include "io/file.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

// A node `n` moved along one axis by a whole number of units, linearly over some seconds.
std::string axis_animation(const std::string& id, const std::string& target, double seconds, double value,
                           double first = 0) {
  return fmt::format(
      R"(<animation id="{0}" name="{0}"><source id="{0}-i"><float_array id="{0}-ia" count="2">{4} {2}</float_array>
<technique_common><accessor source="#{0}-ia" count="2" stride="1"><param name="TIME" type="float"/></accessor></technique_common></source>
<source id="{0}-o"><float_array id="{0}-oa" count="2">0 {3}</float_array>
<technique_common><accessor source="#{0}-oa" count="2" stride="1"><param name="X" type="float"/></accessor></technique_common></source>
<source id="{0}-l"><Name_array id="{0}-la" count="2">LINEAR LINEAR</Name_array>
<technique_common><accessor source="#{0}-la" count="2" stride="1"><param name="INTERPOLATION" type="name"/></accessor></technique_common></source>
<sampler id="{0}-s"><input semantic="INPUT" source="#{0}-i"/><input semantic="OUTPUT" source="#{0}-o"/><input semantic="INTERPOLATION" source="#{0}-l"/></sampler>
<channel source="#{0}-s" target="{1}"/></animation>
)",
      id, target, seconds, value, first);
}

// Nodes a and b, each with a translation.
std::string collada(const std::string& libraries) {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Y_UP</up_axis></asset>
)" + libraries +
         R"(<library_visual_scenes><visual_scene id="scene">
<node id="a" name="a"><translate sid="move">0 0 0</translate></node>
<node id="b" name="b"><translate sid="move">0 0 0</translate></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>
)";
}

Result<Asset> load_collada(const std::string& text) { return load_from_memory(bytes_of(text), "made.dae"); }

Vec3d place_of(const Character& character, const std::string& name, Index clip, double time) {
  const Result<PoseFrame> frame = pose_frame(character, {clip, time, nullptr});
  for (std::size_t n = 0; frame && n < character.nodes.size(); ++n) {
    if (character.nodes[n].name == name) return Vec3d(frame->world_from_node[n].translation);
  }
  return {NAN, NAN, NAN};
}

TEST(ColladaClips, AreOneForAllAnimationsOfADocumentThatListsNone) {
  const Result<Asset> asset =
      load_collada(collada("<library_animations>" + axis_animation("first", "a/move.X", 1, 10) +
                           axis_animation("second", "b/move.Y", 2, 20) +
                           axis_animation("third", "a/move.Z", 4, 40) + "</library_animations>\n"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  ASSERT_EQ(asset->character.clips.size(), 1u);
  EXPECT_FLOAT_EQ(asset->character.clips[0].end(), 4);
  // Two animations of one node play together.
  const Vec3d a = place_of(asset->character, "a", 0, 0.5), b = place_of(asset->character, "b", 0, 2);
  EXPECT_LT(length(a - Vec3d{5, 0, 5}), 1e-4) << a.x << ' ' << a.y << ' ' << a.z;
  EXPECT_LT(length(b - Vec3d{0, 20, 0}), 1e-4) << b.x << ' ' << b.y << ' ' << b.z;
}

TEST(ColladaClips, AreOneForAnimationsInsideAnimations) {
  const Result<Asset> asset = load_collada(collada(
      "<library_animations><animation id=\"all\" name=\"walk\">" +
      axis_animation("first", "a/move.X", 1, 10) + "<animation>" +
      axis_animation("second", "b/move.Y", 2, 20) + "</animation></animation></library_animations>\n"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  ASSERT_EQ(asset->character.clips.size(), 1u);
  EXPECT_EQ(asset->character.clips[0].name, "walk");
  EXPECT_LT(length(place_of(asset->character, "a", 0, 1) - Vec3d{10, 0, 0}), 1e-4);
  EXPECT_LT(length(place_of(asset->character, "b", 0, 1) - Vec3d{0, 10, 0}), 1e-4);
}

TEST(ColladaClips, AreThoseThatTheDocumentLists) {
  const std::string library = "<library_animations>" + axis_animation("first", "a/move.X", 1, 10) +
                              axis_animation("second", "a/move.X", 1, 20) +
                              axis_animation("third", "b/move.Y", 4, 40) +
                              axis_animation("spare", "b/move.Z", 1, 1) + "</library_animations>\n";
  const std::string clips =
      "<library_animation_clips>"
      "<animation_clip id=\"c1\" name=\"walk\"><instance_animation url=\"#first\"/></animation_clip>"
      "<animation_clip id=\"run\" start=\"1\" end=\"3\"><instance_animation url=\"#second\"/>"
      "<instance_animation url=\"#third\"/></animation_clip></library_animation_clips>\n";
  const Result<Asset> asset = load_collada(collada(library + clips));
  ASSERT_TRUE(asset) << asset.error().sentence;
  ASSERT_EQ(asset->character.clips.size(), 2u);
  EXPECT_EQ(asset->character.clips[0].name, "walk");
  EXPECT_EQ(asset->character.clips[1].name, "run");
  // The same node in both, without a mixture.
  EXPECT_LT(length(place_of(asset->character, "a", 0, 1) - Vec3d{10, 0, 0}), 1e-4);
  EXPECT_LT(length(place_of(asset->character, "a", 1, 1) - Vec3d{20, 0, 0}), 1e-4);
  // Its second and third second.
  EXPECT_FLOAT_EQ(asset->character.clips[1].end(), 2);
  EXPECT_LT(length(place_of(asset->character, "b", 1, 0) - Vec3d{0, 10, 0}), 1e-4);
  EXPECT_LT(length(place_of(asset->character, "b", 1, 2) - Vec3d{0, 30, 0}), 1e-4);
  EXPECT_TRUE(test::has_note(asset->notes, "animations-without-clip"));
}

TEST(ColladaClips, OfRealDocumentsAreOne) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  // library_animation_clips.dae lists two, but assimp cannot read its numbers.
  for (const char* file : {"anims_with_full_rotations_between_keys.DAE", "box_nested_animation.dae"}) {
    const Result<Asset> asset = load((test::assimp_folder() / "Collada" / file).string());
    ASSERT_TRUE(asset) << asset.error().sentence;
    EXPECT_EQ(asset->character.clips.size(), 1u) << file;
  }
}

// Of both nodes: assimp joins animations of one node.
std::string two_node_animation(const std::string& id, double seconds) {
  std::string text = axis_animation(id, "a/move.X", seconds, 10);
  const std::string end = "</animation>";
  text.insert(text.rfind(end), fmt::format("<channel source=\"#{}-s\" target=\"b/move.Y\"/>", id));
  return text;
}

std::string sentence_about_split(const Result<Asset>& asset) {
  for (const Note& note : asset->notes) {
    if (note.id == "clips-split") return note.sentence;
  }
  return "";
}

TEST(ColladaClips, StaySplitIfSamplersShareIdsAndANoteSaysWhy) {
  std::string second = two_node_animation("second", 2);
  for (std::size_t at = 0; (at = second.find("second-s\"", at)) != std::string::npos;)
    second.replace(at, std::string("second-s").size(), "first-s");
  const Result<Asset> asset = load_collada(
      collada("<library_animations>" + two_node_animation("first", 1) + second + "</library_animations>\n"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(asset->character.clips.size(), 2u);
  EXPECT_NE(sentence_about_split(asset).find("its samplers share ids"), std::string::npos)
      << sentence_about_split(asset);
}

TEST(ColladaClips, ThatAreTooManyToReadOneByOneStaySplitAndANoteSaysWhy) {
  std::string clips = "<library_animation_clips>";
  for (int k = 0; k < 501; ++k) {
    clips += fmt::format(
        "<animation_clip id=\"c{0}\" name=\"c{0}\"><instance_animation url=\"#{1}\"/></animation_clip>", k,
        k % 2 == 0 ? "first" : "second");
  }
  const Result<Asset> asset = load_collada(
      collada("<library_animations>" + two_node_animation("first", 1) + two_node_animation("second", 2) +
              "</library_animations>\n" + clips + "</library_animation_clips>\n"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_GT(asset->character.clips.size(), 1u);
  EXPECT_NE(sentence_about_split(asset).find("it lists 501 clips; at most 500 are read one by one"),
            std::string::npos)
      << sentence_about_split(asset);
}

}  // namespace
}  // namespace dermis
