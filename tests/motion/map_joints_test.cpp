// SPDX-License-Identifier: MIT
// Roles of joints by every naming scheme there is, by structure, and what is left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "characters.h"

namespace dermis {
namespace {

// A standing figure: what is where, below what; sides are made of the left one.
struct Part {
  const char* key;
  const char* parent;
  Vec3 place;
};
constexpr Part kMiddle[] = {{"hips", "", {0, 1, 0}},
                            {"spine1", "hips", {0, 1.1f, 0}},
                            {"spine2", "spine1", {0, 1.25f, 0}},
                            {"neck", "spine2", {0, 1.45f, 0}},
                            {"head", "neck", {0, 1.55f, 0}}};
constexpr Part kLeft[] = {
    {"collar", "spine2", {0.05f, 1.4f, 0}},     {"upper_arm", "collar", {0.2f, 1.4f, 0}},
    {"forearm", "upper_arm", {0.45f, 1.4f, 0}}, {"hand", "forearm", {0.7f, 1.4f, 0}},
    {"thumb1", "hand", {0.72f, 1.4f, 0.03f}},   {"thumb2", "thumb1", {0.75f, 1.4f, 0.04f}},
    {"index1", "hand", {0.78f, 1.4f, 0.02f}},   {"index2", "index1", {0.82f, 1.4f, 0.02f}},
    {"thigh", "hips", {0.1f, 0.95f, 0}},        {"shin", "thigh", {0.1f, 0.5f, 0}},
    {"foot", "shin", {0.1f, 0.1f, 0}},          {"toe", "foot", {0.1f, 0.02f, 0.15f}}};

using Names = std::map<std::string, std::string>;  // by key; of sides with L or R behind it

Character figure(const Names& names) {
  Character character;
  std::map<std::string, Index> made;
  const auto add = [&](const std::string& key, const std::string& parent, Vec3 place) {
    Node node;
    const auto name = names.find(key);
    node.name = name == names.end() ? "" : name->second;
    if (!parent.empty()) {
      node.parent = made.at(parent);
      for (Index above = node.parent; above != kNone; above = character.nodes[at(above)].parent)
        place -= character.nodes[at(above)].rest.translation;
    }
    node.rest.translation = place;
    made[key] = static_cast<Index>(character.nodes.size());
    character.nodes.push_back(node);
  };
  for (const Part& part : kMiddle) add(part.key, part.parent, part.place);
  for (const std::string side : {"L", "R"}) {
    for (const Part& part : kLeft) {
      const std::string parent = made.contains(part.parent) ? part.parent : part.parent + side;
      Vec3 place = part.place;
      if (side == "R") place.x = -place.x;
      add(part.key + side, parent, place);
    }
  }
  return character;
}

// Names of the left side by a pattern with {} for the side's word.
Names scheme(Names middle, const std::map<std::string, std::string>& pattern, const std::string& left,
             const std::string& right) {
  for (const auto& [key, text] : pattern) {
    const std::size_t mark = text.find("{}");
    middle[key + "L"] = text.substr(0, mark) + left + text.substr(mark + 2);
    middle[key + "R"] = text.substr(0, mark) + right + text.substr(mark + 2);
  }
  return middle;
}

struct Rig {
  const char* name;
  Names names;
};

std::vector<Rig> rigs() {
  return {
      {"mixamo", scheme({{"hips", "mixamorig:Hips"},
                         {"spine1", "mixamorig:Spine"},
                         {"spine2", "mixamorig:Spine1"},
                         {"neck", "mixamorig:Neck"},
                         {"head", "mixamorig:Head"}},
                        {{"collar", "mixamorig:{}Shoulder"},
                         {"upper_arm", "mixamorig:{}Arm"},
                         {"forearm", "mixamorig:{}ForeArm"},
                         {"hand", "mixamorig:{}Hand"},
                         {"thumb1", "mixamorig:{}HandThumb1"},
                         {"thumb2", "mixamorig:{}HandThumb2"},
                         {"index1", "mixamorig:{}HandIndex1"},
                         {"index2", "mixamorig:{}HandIndex2"},
                         {"thigh", "mixamorig:{}UpLeg"},
                         {"shin", "mixamorig:{}Leg"},
                         {"foot", "mixamorig:{}Foot"},
                         {"toe", "mixamorig:{}ToeBase"}},
                        "Left", "Right")},
      {"unreal", scheme({{"hips", "pelvis"},
                         {"spine1", "spine_01"},
                         {"spine2", "spine_02"},
                         {"neck", "neck_01"},
                         {"head", "head"}},
                        {{"collar", "clavicle_{}"},
                         {"upper_arm", "upperarm_{}"},
                         {"forearm", "lowerarm_{}"},
                         {"hand", "hand_{}"},
                         {"thumb1", "thumb_01_{}"},
                         {"thumb2", "thumb_02_{}"},
                         {"index1", "index_01_{}"},
                         {"index2", "index_02_{}"},
                         {"thigh", "thigh_{}"},
                         {"shin", "calf_{}"},
                         {"foot", "foot_{}"},
                         {"toe", "ball_{}"}},
                        "l", "r")},
      {"vrm", scheme({{"hips", "J_Bip_C_Hips"},
                      {"spine1", "J_Bip_C_Spine"},
                      {"spine2", "J_Bip_C_UpperChest"},
                      {"neck", "J_Bip_C_Neck"},
                      {"head", "J_Bip_C_Head"}},
                     {{"collar", "J_Bip_{}_Shoulder"},
                      {"upper_arm", "J_Bip_{}_UpperArm"},
                      {"forearm", "J_Bip_{}_LowerArm"},
                      {"hand", "J_Bip_{}_Hand"},
                      {"thumb1", "J_Bip_{}_Thumb1"},
                      {"thumb2", "J_Bip_{}_Thumb2"},
                      {"index1", "J_Bip_{}_Index1"},
                      {"index2", "J_Bip_{}_Index2"},
                      {"thigh", "J_Bip_{}_UpperLeg"},
                      {"shin", "J_Bip_{}_LowerLeg"},
                      {"foot", "J_Bip_{}_Foot"},
                      {"toe", "J_Bip_{}_ToeBase"}},
                     "L", "R")},
      {"makehuman", scheme({{"hips", "root"},
                            {"spine1", "spine05"},
                            {"spine2", "spine01"},
                            {"neck", "neck01"},
                            {"head", "head"}},
                           {{"collar", "clavicle.{}"},
                            {"upper_arm", "upperarm01.{}"},
                            {"forearm", "lowerarm01.{}"},
                            {"hand", "wrist.{}"},
                            {"thumb1", "finger1-1.{}"},
                            {"thumb2", "finger1-2.{}"},
                            {"index1", "finger2-1.{}"},
                            {"index2", "finger2-2.{}"},
                            {"thigh", "upperleg01.{}"},
                            {"shin", "lowerleg01.{}"},
                            {"foot", "foot.{}"},
                            {"toe", "toe1-1.{}"}},
                           "L", "R")},
      // The spine of Rigify is one chain up to the head: its limbs tell where it ends.
      {"rigify", scheme({{"hips", "DEF-spine"},
                         {"spine1", "DEF-spine.001"},
                         {"spine2", "DEF-spine.002"},
                         {"neck", "DEF-spine.004"},
                         {"head", "DEF-spine.006"}},
                        {{"collar", "DEF-shoulder.{}"},
                         {"upper_arm", "DEF-upper_arm.{}"},
                         {"forearm", "DEF-forearm.{}"},
                         {"hand", "DEF-hand.{}"},
                         {"thumb1", "DEF-thumb.01.{}"},
                         {"thumb2", "DEF-thumb.02.{}"},
                         {"index1", "DEF-f_index.01.{}"},
                         {"index2", "DEF-f_index.02.{}"},
                         {"thigh", "DEF-thigh.{}"},
                         {"shin", "DEF-shin.{}"},
                         {"foot", "DEF-foot.{}"},
                         {"toe", "DEF-toe.{}"}},
                        "L", "R")},
      {"3ds max", scheme({{"hips", "Bip01 Pelvis"},
                          {"spine1", "Bip01 Spine"},
                          {"spine2", "Bip01 Spine1"},
                          {"neck", "Bip01 Neck"},
                          {"head", "Bip01 Head"}},
                         {{"collar", "Bip01 {} Clavicle"},
                          {"upper_arm", "Bip01 {} UpperArm"},
                          {"forearm", "Bip01 {} Forearm"},
                          {"hand", "Bip01 {} Hand"},
                          {"thumb1", "Bip01 {} Finger0"},
                          {"thumb2", "Bip01 {} Finger01"},
                          {"index1", "Bip01 {} Finger1"},
                          {"index2", "Bip01 {} Finger11"},
                          {"thigh", "Bip01 {} Thigh"},
                          {"shin", "Bip01 {} Calf"},
                          {"foot", "Bip01 {} Foot"},
                          {"toe", "Bip01 {} Toe0"}},
                         "L", "R")},
      {"smpl", scheme({{"hips", "Pelvis"},
                       {"spine1", "Spine1"},
                       {"spine2", "Spine2"},
                       {"neck", "Neck"},
                       {"head", "Head"}},
                      {{"collar", "{}_Collar"},
                       {"upper_arm", "{}_Shoulder"},
                       {"forearm", "{}_Elbow"},
                       {"hand", "{}_Wrist"},
                       {"thumb1", "{}_thumb1"},
                       {"thumb2", "{}_thumb2"},
                       {"index1", "{}_index1"},
                       {"index2", "{}_index2"},
                       {"thigh", "{}_Hip"},
                       {"shin", "{}_Knee"},
                       {"foot", "{}_Ankle"},
                       {"toe", "{}_Foot"}},
                      "L", "R")},
      {"dermis",
       scheme(
           {{"hips", "hips"}, {"spine1", "spine"}, {"spine2", "chest"}, {"neck", "neck"}, {"head", "head"}},
           {{"collar", "shoulder_{}"},
            {"upper_arm", "upper_arm_{}"},
            {"forearm", "forearm_{}"},
            {"hand", "hand_{}"},
            {"thumb1", "thumb_1_{}"},
            {"thumb2", "thumb_2_{}"},
            {"index1", "index_1_{}"},
            {"index2", "index_2_{}"},
            {"thigh", "thigh_{}"},
            {"shin", "shin_{}"},
            {"foot", "foot_{}"},
            {"toe", "toe_{}"}},
           "L", "R")},
      {"low case",
       scheme({{"hips", "hips"}, {"spine1", "back"}, {"spine2", "torso"}, {"neck", "neck"}, {"head", "head"}},
              {{"collar", "{}collar"},
               {"upper_arm", "{}arm"},
               {"forearm", "{}forearm"},
               {"hand", "{}hand"},
               {"thumb1", "{}thumb1"},
               {"thumb2", "{}thumb2"},
               {"index1", "{}index1"},
               {"index2", "{}index2"},
               {"thigh", "{}upleg"},
               {"shin", "{}leg"},
               {"foot", "{}foot"},
               {"toe", "{}toes"}},
              "left", "right")},
  };
}

// The places of all parts tell whether each role has the right joint.
void expect_all_roles(const Character& character, const RoleMap& roles, bool has_fingers) {
  using enum JointRole;
  const std::vector<Affined> world = rest_world(character);
  const auto expect_at = [&](JointRole role, std::size_t k, Vec3 place) {
    ASSERT_GT(roles.of(role).size(), k) << name_of(role);
    const Vec3d found = world[at(roles.of(role)[k])].translation;
    EXPECT_LT(length(found - Vec3d(place)), 1e-5) << name_of(role);
  };
  expect_at(hips, 0, {0, 1, 0});
  EXPECT_EQ(roles.of(spine).size(), 2u);
  expect_at(spine, 1, {0, 1.25f, 0});
  EXPECT_EQ(roles.of(neck).size(), 1u);
  expect_at(head, 0, {0, 1.55f, 0});
  const std::pair<JointRole, const char*> limbs[] = {
      {shoulder_l, "collar"}, {upper_arm_l, "upper_arm"}, {forearm_l, "forearm"}, {hand_l, "hand"},
      {thigh_l, "thigh"},     {shin_l, "shin"},           {foot_l, "foot"},       {toe_l, "toe"}};
  for (const auto& [role, key] : limbs) {
    for (const Part& part : kLeft) {
      if (std::string(part.key) != key) continue;
      expect_at(role, 0, part.place);
      const auto other = static_cast<JointRole>(static_cast<int>(role) + 13);
      expect_at(other, 0, {-part.place.x, part.place.y, part.place.z});
    }
  }
  if (!has_fingers) return;
  EXPECT_EQ(roles.of(thumb_l).size(), 2u);
  EXPECT_EQ(roles.of(index_r).size(), 2u);
  expect_at(index_l, 1, {0.82f, 1.4f, 0.02f});
}

std::size_t joint_count_of(const RoleMap& roles) {
  std::size_t sum = 0;
  for (const std::vector<Index>& list : roles.joints) sum += list.size();
  return sum;
}

// Yeti_LeftArm: each name begins with the name of the character.
TEST(MapJoints, NameOfTheCharacterBeforeEveryJointIsLeftOut) {
  const Names plain = rigs()[0].names;
  Names owned;
  for (const auto& [key, name] : plain) owned[key] = "Yeti_" + name.substr(name.find(':') + 1);
  const Result<MappedJoints> known = map_joints(figure(plain)), mapped = map_joints(figure(owned));
  ASSERT_TRUE(known);
  ASSERT_TRUE(mapped) << mapped.error().sentence;
  EXPECT_FALSE(mapped->is_by_structure);
  EXPECT_EQ(mapped->roles.joints, known->roles.joints);
}

TEST(MapJoints, KnowsEveryNamingScheme) {
  for (const Rig& rig : rigs()) {
    SCOPED_TRACE(rig.name);
    const Character character = figure(rig.names);
    const Result<MappedJoints> mapped = map_joints(character);
    ASSERT_TRUE(mapped) << mapped.error().sentence;
    EXPECT_FALSE(mapped->is_by_structure);
    expect_all_roles(character, mapped->roles, true);
  }
}

TEST(MapJoints, FindsLimbsOfNamelessJointsByTheirShape) {
  const Character character = figure({});
  const Result<MappedJoints> mapped = map_joints(character);
  ASSERT_TRUE(mapped) << mapped.error().sentence;
  EXPECT_TRUE(mapped->is_by_structure);
  expect_all_roles(character, mapped->roles, false);
}

TEST(MapJoints, LeavesOutTwistJointsAndControls) {
  Character character = figure(rigs()[1].names);
  const Index thigh = *find_node(character, "thigh_l");
  character.nodes.push_back(test::node_at("thigh_twist_01_l", thigh, {0, -0.2f, 0}));
  character.nodes.push_back(test::node_at("ik_foot_l", 0, {0.1f, -0.9f, 0}));
  character.nodes.push_back(test::node_at("knee_pole_l", 0, {0.1f, -0.5f, 1}));
  const Result<MappedJoints> mapped = map_joints(character);
  ASSERT_TRUE(mapped);
  expect_all_roles(character, mapped->roles, true);
}

TEST(MapJoints, OfLimbsNumberedAlikeTakesOneAfterTheOther) {
  Names names = rigs()[7].names;
  for (const std::string side : {"L", "R"}) {
    names["thigh" + side] = "leg_joint_" + side + "_1";
    names["shin" + side] = "leg_joint_" + side + "_2";
    names["foot" + side] = "leg_joint_" + side + "_3";
    names["toe" + side] = "leg_joint_" + side + "_5";
  }
  const Character character = figure(names);
  const Result<MappedJoints> mapped = map_joints(character);
  ASSERT_TRUE(mapped);
  expect_all_roles(character, mapped->roles, true);
}

// A standing animal without hair or ears: hips, chest, four legs of four joints, a tail as long as a leg.
Character animal(const std::map<std::string, std::string>& leg_names, const std::string& front,
                 const std::string& hind) {
  Character character;
  const auto add = [&](const std::string& name, Index parent, const Vec3& offset) {
    character.nodes.push_back(test::node_at(name.c_str(), parent, offset));
    return static_cast<Index>(character.nodes.size() - 1);
  };
  const auto name_of_leg = [&](const char* part, const std::string& pair, const char* side) {
    const auto found = leg_names.find(part);
    return found == leg_names.end() ? std::string() : pair + found->second + side;
  };
  const Index hips = add("", kNone, {0, 0.6f, -0.3f}), chest = add("", hips, {0, 0, 0.6f});
  Index tail = hips;
  for (int k = 0; k < 4; ++k) tail = add("", tail, {0, 0, -0.14f});
  add("", add("", chest, {0, 0.2f, 0.1f}), {0, 0.1f, 0.2f});
  for (const float x : {0.1f, -0.1f}) {
    for (const bool is_hind : {true, false}) {
      const char* side = x > 0 ? "_L" : "_R";
      Index joint = is_hind ? hips : chest;
      const Vec3 ways[] = {{x, -0.05f, 0}, {0, -0.25f, 0.03f}, {0, -0.2f, -0.05f}, {0, -0.08f, 0.04f}};
      const char* parts[] = {"upper", "lower", "foot", "toe"};
      for (int k = 0; k < 4; ++k)
        joint = add(name_of_leg(parts[k], is_hind ? hind : front, side), joint, ways[k]);
    }
  }
  return character;
}

// Hind legs as legs and front legs as arms, each with the joint that lies where it should.
void expect_four_legs(const Character& character, const RoleMap& roles) {
  using enum JointRole;
  const std::vector<Affined> world = rest_world(character);
  const auto expect_at = [&](JointRole role, const Vec3d& place) {
    ASSERT_NE(roles.first(role), kNone) << name_of(role);
    EXPECT_LT(length(world[at(roles.first(role))].translation - place), 1e-5) << name_of(role);
  };
  expect_at(hips, {0, 0.6, -0.3});
  expect_at(thigh_l, {0.1, 0.55, -0.3});
  expect_at(shin_r, {-0.1, 0.3, -0.27});
  expect_at(foot_l, {0.1, 0.1, -0.32});
  expect_at(toe_r, {-0.1, 0.02, -0.28});
  expect_at(upper_arm_l, {0.1, 0.55, 0.3});
  expect_at(hand_r, {-0.1, 0.1, 0.28});
}

TEST(MapJoints, KnowsFrontAndHindLegsByTheirNames) {
  const std::map<std::string, std::string> plain = {
      {"upper", "_upper"}, {"lower", "_lower"}, {"foot", "_foot"}, {"toe", "_toe"}};
  const std::map<std::string, std::string> legs = {
      {"upper", "UpLeg"}, {"lower", "LowLeg"}, {"foot", "Foot"}, {"toe", "Hoof"}};
  const std::map<std::string, std::string> bones = {
      {"upper", "_thigh"}, {"lower", "_shin"}, {"foot", "_paw"}, {"toe", "_toes"}};
  const std::pair<Character, const char*> animals[] = {{animal(plain, "front", "hind"), "front and hind"},
                                                       {animal(legs, "Front", "Back"), "front and back"},
                                                       {animal(bones, "fore", "rear"), "fore and rear"}};
  for (const auto& [character, what] : animals) {
    SCOPED_TRACE(what);
    const Result<MappedJoints> mapped = map_joints(character);
    ASSERT_TRUE(mapped) << mapped.error().sentence;
    EXPECT_FALSE(mapped->is_by_structure);
    expect_four_legs(character, mapped->roles);
  }
}

TEST(MapJoints, FindsFeetByNameThatHangFromTheRoot) {
  Character character =
      animal({{"upper", "UpLeg"}, {"lower", "LowLeg"}, {"foot", "Foot"}, {"toe", "Hoof"}}, "Front", "Back");
  const std::vector<Affined> world = rest_world(character);
  for (Node& node : character.nodes) {
    if (node.name.find("Foot") == std::string::npos) continue;
    node.rest.translation = Vec3(world[at(static_cast<Index>(&node - character.nodes.data()))].translation);
    node.parent = kNone;
  }
  const Result<MappedJoints> mapped = map_joints(character);
  ASSERT_TRUE(mapped) << mapped.error().sentence;
  expect_four_legs(character, mapped->roles);
}

TEST(MapJoints, PairsNoLegWithATailOfItsLength) {
  const Character character = animal({}, "", "");
  const Result<MappedJoints> mapped = map_joints(character);
  ASSERT_TRUE(mapped) << mapped.error().sentence;
  EXPECT_TRUE(mapped->is_by_structure);
  expect_four_legs(character, mapped->roles);
}

TEST(MapJoints, PairsLimbsThatNamesCallLeftAndRightWhereverTheyHang) {
  // Joints as a body's centreline gives them: both arms are limb_1, both legs limb_2, and the right arm hangs
  // from the root.
  Names names;
  const char* arm[] = {"upper_arm", "forearm", "hand"};
  const char* leg[] = {"thigh", "shin", "foot", "toe"};
  for (const std::string side : {"L", "R"}) {
    for (int k = 0; k < 3; ++k) names[arm[k] + side] = "limb_1_" + std::to_string(k + 1) + "_" + side;
    for (int k = 0; k < 4; ++k) names[leg[k] + side] = "limb_2_" + std::to_string(k + 1) + "_" + side;
  }
  Character character = figure(names);
  const std::vector<Affined> world = rest_world(character);
  Node& upper = character.nodes[at(*find_node(character, "limb_1_1_R"))];
  upper.rest.translation = Vec3(world[at(*find_node(character, "limb_1_1_R"))].translation) - Vec3{0, 1, 0};
  upper.parent = 0;
  const Result<MappedJoints> mapped = map_joints(character);
  ASSERT_TRUE(mapped) << mapped.error().sentence;
  for (const auto& [role, name] : {std::pair{JointRole::upper_arm_l, "limb_1_1_L"},
                                   {JointRole::hand_r, "limb_1_3_R"},
                                   {JointRole::thigh_l, "limb_2_1_L"},
                                   {JointRole::foot_r, "limb_2_3_R"}}) {
    ASSERT_NE(mapped->roles.first(role), kNone) << name;
    EXPECT_EQ(character.nodes[at(mapped->roles.first(role))].name, name);
  }
}

TEST(MapJoints, RefusesLegsThatEndAboveTheHips) {
  // Nothing but two horns.
  Character horned;
  horned.nodes = {test::node_at("", kNone, {}), test::node_at("", 0, {0, -0.5f, 0})};
  for (const float x : {0.2f, -0.2f}) {
    Index joint = 0;
    for (int k = 0; k < 4; ++k) {
      horned.nodes.push_back(test::node_at("", joint, {x, 0.4f, 0}));
      joint = static_cast<Index>(horned.nodes.size() - 1);
    }
  }
  const Result<MappedJoints> mapped = map_joints(horned);
  ASSERT_FALSE(mapped);
  EXPECT_NE(mapped.error().sentence.find("above the hips"), std::string::npos) << mapped.error().sentence;
  EXPECT_EQ(mapped.error().remedies, (Remedies{{"map", ""}}));
}

TEST(MapMotion, TakesEqualNamesForTheSameJointsWhereTheyTellNoLimbs) {
  Character source = animal({}, "", "");
  for (std::size_t n = 0; n < source.nodes.size(); ++n) source.nodes[n].name = "part " + std::to_string(n);
  Character target = source;
  // The target lies on its back, where its shape tells nothing.
  target.nodes[0].rest.rotation = Quat(quat_from_axis_angle({1, 0, 0}, kPi));
  EXPECT_FALSE(map_joints(target));
  const Result<MappedMotion> mapped = map_motion(source, target);
  ASSERT_TRUE(mapped) << mapped.error().sentence;
  EXPECT_EQ(mapped->map.source.joints, mapped->map.target.joints);
  for (const auto& [a, b] : mapped->map.pairs) EXPECT_EQ(a, b);
  EXPECT_EQ(mapped->map.pairs.size() + joint_count_of(mapped->map.target), source.nodes.size());
}

// Words that fit several joints, in any place of the tree: no joint plays two roles.
TEST(MapJoints, GiveNoJointTwoRoles) {
  const char* const words[] = {"hips",  "spine",      "chest",  "neck",   "head",    "shoulder_L",
                               "arm_L", "arm_R",      "hand_L", "leg_L",  "leg_R",   "hip_L",
                               "hip_R", "foot_L",     "foot_R", "toe_L",  "thumb_L", "finger_L",
                               "root",  "shoulder_R", "knee_L", "knee_R", "elbow_R"};
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Character character;
    const int count = 6 + random.below(25);
    for (int n = 0; n < count; ++n) {
      const Index parent = n == 0 ? kNone : std::max(0, n - 1 - random.below(4));
      character.nodes.push_back(test::node_at(words[random.below(static_cast<int>(std::size(words)))], parent,
                                              Vec3(random.vector())));
    }
    const Result<MappedJoints> mapped = map_joints(character);
    if (!mapped) continue;
    std::set<Index> seen;
    for (const std::vector<Index>& list : mapped->roles.joints) {
      for (const Index joint : list) EXPECT_TRUE(seen.insert(joint).second) << "joint " << joint;
    }
  }
}

TEST(MapJoints, RefusesWhatIsNoBody) {
  Character stick;
  stick.nodes = {test::node_at("a", kNone, {}), test::node_at("b", 0, {0, 1, 0})};
  const Result<MappedJoints> mapped = map_joints(stick);
  ASSERT_FALSE(mapped);
  EXPECT_EQ(mapped.error().remedies, (Remedies{{"map", ""}}));
}

TEST(MapJoints, HearsAStop) {
  const std::atomic<bool> stop = true;
  Character stick;
  stick.nodes = {test::node_at("a", kNone, {}), test::node_at("b", 0, {0, 1, 0})};
  const Result<MappedJoints> mapped = map_joints(stick, Progress({}, &stop));
  ASSERT_FALSE(mapped);
  EXPECT_EQ(mapped.error().code, Errc::cancelled);
  const Result<MappedMotion> motion = map_motion(stick, stick, Progress({}, &stop));
  ASSERT_FALSE(motion);
  EXPECT_EQ(motion.error().code, Errc::cancelled);
}

// Limbs of chains this long used to be counted by recursion.
TEST(MapJoints, TakesLimbsOfAHundredThousandJoints) {
  Character character;
  character.nodes = {test::node_at("", kNone, {})};
  for (const float side : {1.0f, -1.0f}) {
    Index above = 0;
    for (int k = 0; k < 100000; ++k) {
      character.nodes.push_back(test::node_at("", above, {side * 0.001f, -0.001f, 0}));
      above = static_cast<Index>(character.nodes.size()) - 1;
    }
  }
  const Result<MappedJoints> mapped = map_joints(character);
  ASSERT_TRUE(mapped) << mapped.error().sentence;
  EXPECT_EQ(mapped->roles.first(JointRole::hips), 0);
}

TEST(JointRoles, AreFoundByNameWithTheNearestAtHand) {
  for (const RoleRow& row : joint_roles()) {
    const Result<JointRole> role = find_role(row.name);
    ASSERT_TRUE(role);
    EXPECT_EQ(*role, row.role);
  }
  const Result<JointRole> none = find_role("tigh_L");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().sentence.find("thigh_L"), std::string::npos);
}

}  // namespace
}  // namespace dermis
