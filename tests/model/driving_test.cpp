// SPDX-License-Identifier: MIT
// Invariants of drivers, rules of shapes and pose spaces, their order, and what edits do to them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "characters.h"
#include "dermis/model.h"
#include "notes.h"

namespace dermis {
namespace {

using test::driven_character;

struct DrivenFault {
  const char* name;
  std::function<void(Character&)> make;
  const char* expected;  // in the sentence
};
void PrintTo(const DrivenFault& fault, std::ostream* out) { *out << fault.name; }

class DrivingFault : public testing::TestWithParam<DrivenFault> {};

DrivenValue& value(Character& c, std::size_t k) { return std::get<DrivenValue>(c.drivers[k].rule); }
DrivenRotation& half(Character& c) { return std::get<DrivenRotation>(c.drivers[1].rule); }
DrivenAim& look(Character& c) { return std::get<DrivenAim>(c.drivers[3].rule); }
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

TEST_P(DrivingFault, IsNamedAndItsDropMakesTheCharacterValid) {
  Character character = driven_character();
  ASSERT_TRUE(validate(character)) << validate(character).error().sentence;
  GetParam().make(character);
  const Status status = validate(character);
  ASSERT_FALSE(status.ok()) << GetParam().name;
  EXPECT_NE(status.error().sentence.find(GetParam().expected), std::string::npos) << status.error().sentence;
  const std::vector<DroppedDriving> dropped = drop_broken_driving(character);
  EXPECT_FALSE(dropped.empty());
  EXPECT_TRUE(validate(character)) << validate(character).error().sentence;
  EXPECT_TRUE(has_driven_values(character)) << "what is right stays";
}

const DrivenFault kDrivenFaults[] = {
    {"no_name", [](Character& c) { c.drivers[0].name = ""; }, "it has no name"},
    {"name_twice", [](Character& c) { c.drivers[1].name = "bulge"; }, "'bulge': another driver"},
    {"node", [](Character& c) { value(c, 0).node = 4; }, "driver 'bulge': it writes node 4 of 4"},
    {"no_node", [](Character& c) { half(c).source = kNone; }, "driver 'half': it reads no node"},
    {"itself", [](Character& c) { half(c).source = 2; }, "node 'knee' would follow itself"},
    {"axis",
     [](Character& c) {
       half(c).axis = {0, 2, 0};
     },
     "driver 'half': its axis is not unit"},
    {"axis_nan", [](Character& c) { half(c).axis.x = kNoNumber; }, "its axis is not unit"},
    {"scale_axis", [](Character& c) { value(c, 0).axis.y = 2; }, "'bulge': a share of its scale"},
    {"input_axis", [](Character& c) { value(c, 0).factors[0].axis = {}; }, "the axis of an input"},
    {"control", [](Character& c) { value(c, 0).factors[1].control = 2; }, "it reads control 2 of 2"},
    {"share", [](Character& c) { half(c).share = kNoNumber; }, "its share is not finite"},
    {"base", [](Character& c) { value(c, 0).base = kNoNumber; }, "its base is not finite"},
    {"factors", [](Character& c) { value(c, 0).factors.clear(); }, "it has no factors"},
    {"no_keys", [](Character& c) { value(c, 0).factors[0].curve.keys.clear(); }, "a curve has no keys"},
    {"keys", [](Character& c) { value(c, 0).factors[0].curve.keys[1].input = 0; },
     "the inputs of a curve do not increase"},
    {"key_nan", [](Character& c) { value(c, 0).factors[0].curve.keys[1].slope = kNoNumber; },
     "a key of a curve is not finite"},
    {"shape", [](Character& c) { value(c, 2).shape = "grimace"; }, "no mesh has the shape 'grimace'"},
    {"reads_in_between", [](Character& c) { value(c, 2).factors[0].shape = "frown half"; },
     "'frown half' is an in-between"},
    {"writes_corrective", [](Character& c) { value(c, 2).shape = "knee fix"; }, "'knee fix' is a corrective"},
    {"target_below", [](Character& c) { look(c).node = 1, half(c).source = 0; }, "which is below it"},
    {"volume", [](Character& c) { look(c).keeps_volume = 2; }, "outside 0 to 1"},
    {"aim_and_turn", [](Character& c) { half(c).node = 3; }, "another driver turns node 'hat'"},
    {"rule_shape", [](Character& c) { c.shape_rules[0].shape = "no"; }, "the rule of shape 'no'"},
    {"rule_twice", [](Character& c) { c.shape_rules[1].shape = "frown"; }, "another rule has its shape"},
    {"limits", [](Character& c) { c.shape_rules[1].high = -1; }, "its limits are 0 and -1"},
    {"between_at_one", [](Character& c) { c.shape_rules[0].in_betweens[0].weight = 1; }, "is at 1"},
    {"between_twice",
     [](Character& c) {
       c.shape_rules[1].in_betweens = {{0.5f, "frown half"}};
     },
     "is one of another weight or rule"},
    {"between_order",
     [](Character& c) {
       c.shape_rules[0].in_betweens.push_back({0.25f, "#1"});
     },
     "do not increase"},
    {"space_name", [](Character& c) { c.pose_spaces.push_back(c.pose_spaces[0]); }, "another pose space"},
    {"space_node", [](Character& c) { c.pose_spaces[0].joints[0].node = -7; }, "it measures node -7 of 4"},
    {"space_share", [](Character& c) { c.pose_spaces[0].joints[0].share = 0; }, "is not above zero"},
    {"example_count", [](Character& c) { c.pose_spaces[0].examples[0].rotation.clear(); },
     "'knee fix' has 0 rotations for 1 joints"},
    {"examples_at_one_pose",
     [](Character& c) {
       c.pose_spaces[0].examples.push_back(c.pose_spaces[0].examples[0]);
       c.pose_spaces[0].examples[1].shape = "#1";
     },
     "examples 'knee fix' and '#1' are at the same pose; keep one of them"},
    {"example_at_rest", [](Character& c) { c.pose_spaces[0].examples[0].rotation[0] = {}; },
     "example 'knee fix' is at the rest pose"},
    {"example_unit", [](Character& c) { c.pose_spaces[0].examples[0].rotation[0].w = 3; }, "not unit"},
};
INSTANTIATE_TEST_SUITE_P(Driving, DrivingFault, testing::ValuesIn(kDrivenFaults),
                         [](const auto& fault) { return fault.param.name; });

// Node k turns by the angle of node `reads`.
Driver follower(const std::string& name, Index node, Index reads) {
  DrivenRotation rule;
  rule.node = node;
  rule.source = reads;
  return {name, rule};
}

Character chain_of(int count) {
  Character character;
  for (int n = 0; n < count; ++n)
    character.nodes.push_back(test::node_at(("n" + std::to_string(n)).c_str(), n - 1, {0, 1, 0}));
  return character;
}

TEST(DriverOrder, PutsDriversAfterThoseTheyDependOn) {
  Character character = chain_of(5);
  character.drivers = {follower("d", 4, 3), follower("b", 2, 1), follower("c", 3, 2)};
  EXPECT_EQ(driver_order(character).order, (std::vector<Index>{1, 2, 0}));
  EXPECT_TRUE(driver_order(character).cycle.empty());
}

TEST(DriverOrder, NamesTheDriversOfACycleAndNoOthers) {
  Character character = chain_of(6);
  character.drivers = {follower("behind", 5, 3), follower("a", 1, 3), follower("b", 2, 1),
                       follower("c", 3, 2), follower("before", 4, 0)};
  const Status status = validate(character);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().sentence,
            "the drivers 'a' -> 'b' -> 'c' -> 'a' form a cycle: each writes what the next one reads");
  const std::vector<DroppedDriving> dropped = drop_broken_driving(character);
  EXPECT_EQ(dropped.size(), 3u);
  ASSERT_EQ(character.drivers.size(), 2u);
  EXPECT_EQ(character.drivers[0].name, "behind");
  EXPECT_TRUE(validate(character));
}

TEST(DriverOrder, FindsACycleThroughTheNodesAboveAnAim) {
  Character character = chain_of(2);
  character.nodes.push_back(test::node_at("eye", kNone, {1, 0, 0}));
  DrivenAim aim;
  aim.node = 2;
  aim.target = 1;
  character.drivers = {{"gaze", aim}, follower("neck", 0, 2)};
  EXPECT_NE(validate(character).error().sentence.find("'gaze' -> 'neck'"), std::string::npos);
  // The target's own rotation does not move it.
  character.drivers[1] = follower("tip", 1, 2);
  EXPECT_TRUE(validate(character));
}

TEST(DriverOrder, FindsACycleOfShapes) {
  Character character = driven_character();
  DriverFactor from;
  from.input = DriverInput::shape;
  from.shape = "smile";
  DrivenValue back;
  back.shape = "grin";
  back.factors.push_back(from);
  character.drivers.push_back({"back", back});
  EXPECT_NE(validate(character).error().sentence.find("'smile' -> 'back' -> 'smile'"), std::string::npos)
      << validate(character).error().sentence;
}

TEST(DriverOrder, OfAnUnevenManyIsFound) {
  // One value with many writers and many readers; and a long chain.
  Character character = chain_of(3000);
  for (int k = 1; k < 1000; ++k) character.drivers.push_back(follower("w" + std::to_string(k), 1, 0));
  for (int k = 2; k < 3000; ++k) character.drivers.push_back(follower("c" + std::to_string(k), k, k - 1));
  EXPECT_EQ(driver_order(character).order.size(), character.drivers.size());
  EXPECT_TRUE(validate(character));
}

TEST(RenumberDriven, MovesReferencesAndDropsThoseOfRemovedNodes) {
  Character character = driven_character();
  // The hat, node 3, goes; root and hip change places.
  const std::vector<Index> new_node = {1, 0, 2, kNone};
  std::swap(character.nodes[0], character.nodes[1]);
  character.nodes.pop_back();
  renumber_driven(character, new_node, {});
  EXPECT_EQ(half(character).source, 0);
  EXPECT_EQ(value(character, 0).factors[0].node, 0);
  EXPECT_EQ(character.pose_spaces[0].joints[0].node, 2);
  const std::vector<DroppedDriving> dropped = drop_broken_driving(character);
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0].what, "driver 'look'");
  Notes notes;
  note_dropped(dropped, notes);
  EXPECT_TRUE(test::has_note(notes, "driving-dropped"));
}

TEST(RenameDrivenShape, RenamesItWhereverItIsUsed) {
  Character character = driven_character();
  for (Shape& shape : character.meshes[0].shapes) shape.name += shape.name.empty() ? "" : "!";
  for (const char* name : {"smile", "frown", "frown half", "grin", "knee fix"})
    rename_driven_shape(character, name, std::string(name) + "!");
  EXPECT_TRUE(validate(character)) << validate(character).error().sentence;
}

TEST(DropBrokenDriving, KeepsTheFirstOfTwoExamplesAtOnePose) {
  Character character = driven_character();
  std::vector<PoseExample>& examples = character.pose_spaces[0].examples;
  examples.push_back(examples[0]);
  examples[1].shape = "#1";
  // A twist is nothing to a space that measures the swing.
  examples[1].rotation[0] = examples[0].rotation[0] * Quat(quat_from_axis_angle({0, 1, 0}, 0.5));
  const std::vector<DroppedDriving> dropped = drop_broken_driving(character);
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0].what, "example '#1'");
  EXPECT_EQ(dropped[0].why, "example 'knee fix' is at the same pose");
  ASSERT_EQ(character.pose_spaces[0].examples.size(), 1u);
  EXPECT_EQ(character.pose_spaces[0].examples[0].shape, "knee fix");
  EXPECT_TRUE(validate(character)) << validate(character).error().sentence;
}

std::vector<Index> same_nodes(const Character& character) {
  std::vector<Index> nodes(character.nodes.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TEST(AddDriven, LeavesOutNothingSilentlyExceptWhatIsThereJustLikeThat) {
  const Character from = driven_character();
  Character to = from;
  EXPECT_TRUE(add_driven(from, same_nodes(from), to).empty());
  EXPECT_EQ(to.drivers, from.drivers);
  EXPECT_EQ(to.shape_rules, from.shape_rules);
  EXPECT_EQ(to.pose_spaces, from.pose_spaces) << "a corrective counts once";
  value(to, 0).base = 2;
  half(to).share = 0.25f;
  to.shape_rules[0].high = 1;
  to.pose_spaces[0].kernel = PoseKernel::gaussian;
  const Character before = to;
  const std::vector<DroppedDriving> dropped = add_driven(from, same_nodes(from), to);
  ASSERT_EQ(dropped.size(), 4u);
  EXPECT_EQ(dropped[0].what, "driver 'bulge'");
  EXPECT_EQ(dropped[0].why, "another driver writes its value");
  EXPECT_EQ(dropped[1].what, "driver 'half'");
  EXPECT_EQ(dropped[2].what, "the rule of shape 'frown'");
  EXPECT_EQ(dropped[3].what, "example 'knee fix'");
  EXPECT_EQ(to.drivers, before.drivers);
  EXPECT_EQ(to.pose_spaces, before.pose_spaces);
}

TEST(AddDriven, NamesWhatRefersToAShapeThatIsNotThere) {
  const Character from = driven_character();
  Character to = from;
  to.drivers.clear(), to.shape_rules.clear(), to.pose_spaces.clear();
  to.meshes[0].shapes.clear();
  to.instances[0].shape_weights.clear();
  const std::vector<DroppedDriving> dropped = add_driven(from, same_nodes(from), to);
  const auto names = [&](const std::string& what) {
    return std::any_of(dropped.begin(), dropped.end(),
                       [&](const DroppedDriving& one) { return one.what == what; });
  };
  EXPECT_TRUE(names("driver 'smile'"));
  EXPECT_TRUE(names("the rule of shape 'frown'"));
  EXPECT_TRUE(names("example 'knee fix'"));
  EXPECT_EQ(to.drivers.size(), 3u);
}

}  // namespace
}  // namespace dermis
