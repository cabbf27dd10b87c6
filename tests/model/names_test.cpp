// SPDX-License-Identifier: MIT
// Labels of nodes, shapes and clips, there and back.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

Character named(std::initializer_list<const char*> names) {
  Character character;
  for (const char* name : names) character.nodes.push_back(test::node_at(name, kNone, {}));
  return character;
}

TEST(NodeLabel, IsTheNameWhenUniqueAndTheNumberOtherwise) {
  const Character character = named({"hip", "knee", "knee", "", "#0"});
  const std::vector<std::string> expected{"hip", "#1", "#2", "#3", "#4"};
  EXPECT_EQ(node_labels(character), expected);
  for (Index n = 0; n < 5; ++n) EXPECT_EQ(node_label(character, n), expected[at(n)]);
}

TEST(FindNode, FindsEveryNodeByItsLabelAndByItsNumber) {
  const Character character = named({"hip", "knee", "knee", "", "#0"});
  for (Index n = 0; n < 5; ++n) {
    EXPECT_EQ(*find_node(character, node_label(character, n)), n);
    EXPECT_EQ(*find_node(character, "#" + std::to_string(n)), n);
  }
}

std::string sentence(const Result<Index>& result) { return result.ok() ? "found" : result.error().sentence; }

TEST(FindNode, SuggestsTheNearestName) {
  const Character character = named({"hip", "elbow_L", "elbow_R", "knee"});
  EXPECT_EQ(sentence(find_node(character, "elbo_R")), "there is no node 'elbo_R'; did you mean 'elbow_R'?");
  EXPECT_EQ(sentence(find_node(character, "HIP")), "there is no node 'HIP'; did you mean 'hip'?");
}

TEST(FindNode, SuggestsNamesWithAnotherNamespaceOrNone) {
  const std::vector<std::string_view> mixamo{"mixamorig:Head", "mixamorig:LeftHand", "mixamorig:RightHand"};
  EXPECT_EQ(did_you_mean("LeftHand", mixamo), "; did you mean 'mixamorig:LeftHand'?");
  EXPECT_EQ(did_you_mean("mixamorig7:LeftHand", mixamo), "; did you mean 'mixamorig:LeftHand'?");
  const std::vector<std::string_view> plain{"Head", "LeftHand", "RightHand"};
  EXPECT_EQ(did_you_mean("hero|LeftHand", plain), "; did you mean 'LeftHand'?");
}

TEST(NearestName, IsThatOfTheSameJointInOtherWords) {
  const std::vector<std::string_view> mixamo{"mixamorig:Hips",     "mixamorig:LeftForeArm",
                                             "mixamorig:LeftHand", "mixamorig:LeftUpLeg",
                                             "mixamorig:LeftFoot", "mixamorig:RightHand"};
  EXPECT_EQ(nearest_name("left_wrist", mixamo), "mixamorig:LeftHand");
  EXPECT_EQ(nearest_name("wrist.R", mixamo), "mixamorig:RightHand");
  EXPECT_EQ(nearest_name("elbow_L", mixamo), "mixamorig:LeftForeArm");
  EXPECT_EQ(nearest_name("l_thigh", mixamo), "mixamorig:LeftUpLeg");
  EXPECT_EQ(nearest_name("LeftAnkle", mixamo), "mixamorig:LeftFoot");
  EXPECT_EQ(nearest_name("pelvis", mixamo), "mixamorig:Hips");
  const std::vector<std::string_view> ours{"hand_L", "hand_R", "foot_L"};
  EXPECT_EQ(nearest_name("RightHand", ours), "hand_R");
  EXPECT_EQ(nearest_name("left_wrist", ours), "hand_L");
}

TEST(NearestName, IsNoneWhereNothingIsClose) {
  const std::vector<std::string_view> verbs{"demo", "info", "bind", "rig", "render"};
  EXPECT_EQ(nearest_name("undo", verbs), "");
  EXPECT_EQ(nearest_name("retarget", verbs), "");
  EXPECT_EQ(nearest_name("bnid", verbs), "bind");  // two neighbours swapped
  EXPECT_EQ(nearest_name("rnder", verbs), "render");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(FindNode, SaysWhenANameIsSharedAndByWhom) {
  const Character character = named({"hip", "knee", "knee", "knee", "knee"});
  EXPECT_EQ(sentence(find_node(character, "knee")),
            "the name 'knee' is shared by nodes #1, #2, #3 and others; use one of these numbers");
}

TEST(FindNode, RefusesNumbersOutOfRangeAndEmptyLabels) {
  const Character character = named({"hip", ""});
  EXPECT_EQ(sentence(find_node(character, "#2")), "there is no node #2: the character has 2 nodes");
  EXPECT_NE(sentence(find_node(character, "#99999999999999")), "found");
  EXPECT_NE(sentence(find_node(character, "#-1")), "found");
  EXPECT_NE(sentence(find_node(character, "")), "found");
  EXPECT_NE(sentence(find_node(Character{}, "hip")), "found");
}

TEST(NameWords, AreCutAtSignsCapitalsAndNumbers) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(name_words("hand_L"), (Words{"hand", "l"}));
  EXPECT_EQ(name_words("LHand"), (Words{"l", "hand"}));
  EXPECT_EQ(name_words("LeftArm_02"), (Words{"left", "arm", "02"}));
  EXPECT_EQ(name_words("mixamorig:IKTarget1"), (Words{"mixamorig", "ik", "target", "1"}));
  EXPECT_EQ(name_words("spine2mid.R"), (Words{"spine", "2", "mid", "r"}));
  EXPECT_EQ(name_words("FK"), Words{"fk"});
  EXPECT_EQ(name_words(" __ .."), Words{});
  EXPECT_EQ(name_words(""), Words{});
}

TEST(NameWords, KeepLettersBeyondAscii) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(name_words("左腕_IK"), (Words{"左腕", "ik"}));
  EXPECT_EQ(name_words("Épaule.G"), (Words{"Épaule", "g"}));
}

Character with_clips(std::initializer_list<const char*> names) {
  Character character;
  for (const char* name : names) {
    Clip clip;
    clip.name = name;
    character.clips.push_back(clip);
  }
  return character;
}

TEST(FindClip, TakesANameOverANumber) {
  const Character character = with_clips({"Walk", "0", ""});
  EXPECT_EQ(*find_clip(character, "Walk"), 0);
  EXPECT_EQ(*find_clip(character, "0"), 1);
  EXPECT_EQ(*find_clip(character, "2"), 2);
}

TEST(FindClip, ExplainsWhatItCannotFind) {
  EXPECT_EQ(sentence(find_clip(Character{}, "Walk")), "there is no clip 'Walk': the character has no clips");
  const Character character = with_clips({"Walk", "Run", "Run"});
  EXPECT_EQ(sentence(find_clip(character, "walkk")), "there is no clip 'walkk'; did you mean 'Walk'?");
  EXPECT_EQ(sentence(find_clip(character, "7")), "there is no clip 7: the character has 3 clips, from 0");
  EXPECT_EQ(sentence(find_clip(character, "Run")),
            "the name 'Run' is shared by clips 1, 2; use one of these numbers");
}

TEST(ShapeLabel, IsTheNameOrTheNumber) {
  const Character character = test::crowded_character();
  EXPECT_EQ(shape_label(character.meshes[0], 0), "smile");
  EXPECT_EQ(shape_label(character.meshes[0], 1), "#1");
}

TEST(QuotedName, ShortensLongNamesBetweenCharacters) {
  std::string name(99, 'a');
  name += "\xc3\xa9\xc3\xa9";  // two letters of two bytes across the limit
  EXPECT_EQ(quoted_name(name), "'" + std::string(99, 'a') + "...'");
  EXPECT_EQ(quoted_name("a\tb\nc"), "'a?b?c'");
}

TEST(Sides, AreLeftOutOfTheNamesOfJoints) {
  for (const char* label : {"arm_L", "Arm.R", "LeftArm", "r_arm", "arm right"})
    EXPECT_TRUE(without_side(label).find("arm") != std::string::npos && without_side(label).size() <= 4)
        << without_side(label);
  EXPECT_EQ(without_side("arm_L"), without_side("arm_R"));
  EXPECT_EQ(without_side("mixamorig:LeftFoot"), without_side("mixamorig:RightFoot"));
  EXPECT_NE(without_side("roll_L"), without_side("ro_L"));
  EXPECT_EQ(without_side("BrightEye.R"), "bright eye");
  EXPECT_EQ(without_side("leftover_l"), "leftover");
}

TEST(FreeClipName, CountsFromTwo) {
  const std::vector<Clip> clips{{"walk", {}}, {"walk 2", {}}};
  EXPECT_EQ(free_clip_name(clips, "run"), "run");
  EXPECT_EQ(free_clip_name(clips, "walk"), "walk 3");
  EXPECT_EQ(free_clip_name({}, "walk"), "walk");
}

}  // namespace
}  // namespace dermis
