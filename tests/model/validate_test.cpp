// SPDX-License-Identifier: MIT
// Every invariant of the model, broken once: validate must name the thing.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <limits>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

using test::crowded_character;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Fault {
  const char* name;
  std::function<void(Character&)> make;
  const char* expected;  // in the sentence
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

std::string name_of_fault(const testing::TestParamInfo<Fault>& fault) { return fault.param.name; }

class ValidateFault : public testing::TestWithParam<Fault> {};

TEST_P(ValidateFault, IsNamedInTheSentence) {
  Character character = crowded_character();
  GetParam().make(character);
  const Status status = validate(character);
  ASSERT_FALSE(status.ok()) << GetParam().name;
  EXPECT_NE(status.error().sentence.find(GetParam().expected), std::string::npos) << status.error().sentence;
  EXPECT_EQ(status.error().sentence.find('\n'), std::string::npos);
}

Mesh& body(Character& c) { return c.meshes[0]; }
Channel& channel(Character& c, std::size_t k) { return c.clips[0].channels[k]; }

const Fault kNodeFaults[] = {
    {"parent_high", [](Character& c) { c.nodes[2].parent = 4; }, "node 'knee': its parent 4"},
    {"parent_low", [](Character& c) { c.nodes[2].parent = -2; }, "node 'knee'"},
    {"parent_self", [](Character& c) { c.nodes[2].parent = 2; }, "node 'knee': it is its own ancestor"},
    {"cycle", [](Character& c) { c.nodes[0].parent = 2; }, "is its own ancestor"},
    {"unnamed", [](Character& c) { c.nodes[2].name = "", c.nodes[2].parent = 9; }, "node #2"},
    {"translation", [](Character& c) { c.nodes[1].rest.translation.y = kNan; },
     "'hip': its rest translation"},
    {"scale", [](Character& c) { c.nodes[1].rest.scale.z = kInf; }, "'hip': its rest scale"},
    {"rotation_nan", [](Character& c) { c.nodes[1].rest.rotation.x = kNan; }, "'hip': its rest rotation"},
    {"rotation_long", [](Character& c) { c.nodes[1].rest.rotation.w = 2; }, "'hip': its rest rotation"},
    {"matrix", [](Character& c) { c.nodes[3].rest_matrix->linear.x.x = kNan; }, "'hat': its rest matrix"},
    {"units", [](Character& c) { c.metres_per_unit = 0; }, "metres per unit"},
};
INSTANTIATE_TEST_SUITE_P(Nodes, ValidateFault, testing::ValuesIn(kNodeFaults), name_of_fault);

const Fault kMeshFaults[] = {
    {"point", [](Character& c) { body(c).points[5].x = kNan; }, "mesh 'body': point 5 is not finite"},
    {"first_empty", [](Character& c) { body(c).polygons.first.clear(); }, "mesh 'body': bad polygons"},
    {"first_start", [](Character& c) { body(c).polygons.first[0] = 1; }, "mesh 'body': bad polygons"},
    {"first_falls", [](Character& c) { body(c).polygons.first[1] = 4000000000u; },
     "mesh 'body': bad polygons"},
    {"two_corners", [](Character& c) { body(c).polygons.first[1] = 5; }, "mesh 'body': bad polygons"},
    {"first_end", [](Character& c) { body(c).polygons.corners.push_back(0); }, "mesh 'body': bad polygons"},
    {"corner_high", [](Character& c) { body(c).polygons.corners[3] = 6; },
     "'body': corner 3 refers to point 6"},
    {"corner_low", [](Character& c) { body(c).polygons.corners[3] = -1; },
     "'body': corner 3 refers to point -1"},
    {"no_parts", [](Character& c) { body(c).parts.clear(); }, "'body': its parts cover 0 points"},
    {"part_gap", [](Character& c) { body(c).parts[1].first_point = 5; }, "'body': part 1"},
    {"part_gap_polygon", [](Character& c) { body(c).parts[1].first_polygon = 0; }, "'body': part 1"},
    {"part_negative", [](Character& c) { body(c).parts[0].point_count = -4; }, "'body': part 0"},
    {"part_short", [](Character& c) { body(c).parts[1].polygon_count = 0; }, "'body': its parts cover"},
    {"normal_count", [](Character& c) { c.meshes[1].normals.values.pop_back(); }, "'hat': 2 normals for 3"},
    {"normal_corners", [](Character& c) { body(c).normals.corner_value.pop_back(); }, "'body': 6 normals"},
    {"normal_index", [](Character& c) { body(c).normals.corner_value[2] = 2; }, "'body': corner 2 refers to"},
    {"normal_nan", [](Character& c) { body(c).normals.values[1].z = kNan; }, "'body': normal 1"},
    {"no_values", [](Character& c) { body(c).normals.values.clear(); }, "'body': corner 0 refers to value"},
    {"tangent_nan", [](Character& c) { body(c).tangents.values[4].y = kInf; }, "'body': tangent 4"},
    {"tangent_hand", [](Character& c) { body(c).tangents.values[4].w = 0; }, "'body': tangent 4"},
    {"uv_index", [](Character& c) { body(c).uvs[0].corner_value[0] = -1; }, "texture coordinates of set 0"},
    {"colour_count", [](Character& c) { body(c).colours[0].values.pop_back(); }, "5 colours of set 0"},
    {"shape_point", [](Character& c) { body(c).shapes[0].points[1] = 6; }, "shape 'smile': it moves point 6"},
    {"shape_order", [](Character& c) { body(c).shapes[0].points[1] = 1; }, "shape 'smile': its points"},
    {"shape_offsets", [](Character& c) { body(c).shapes[0].offsets.pop_back(); }, "shape 'smile': 1 offsets"},
    {"shape_normals", [](Character& c) { body(c).shapes[0].normals.pop_back(); },
     "'smile': 1 normal offsets"},
    {"shape_tangents", [](Character& c) { body(c).shapes[0].tangents.resize(3); }, "'smile': 3 tangent"},
    {"shape_nan", [](Character& c) { body(c).shapes[0].offsets[1].x = kNan; }, "'smile': entry 1"},
    {"weld_size", [](Character& c) { body(c).weld.pop_back(); }, "'body': 5 weld entries for 6 points"},
    {"weld_apart", [](Character& c) { body(c).weld[2] = 1; }, "'body': point 2 is welded to 1"},
    {"weld_missed", [](Character& c) { body(c).weld[4] = 4; }, "'body': point 4 is welded to 4"},
    {"weld_range", [](Character& c) { body(c).weld[4] = -7; }, "'body': point 4 is welded to -7"},
};
INSTANTIATE_TEST_SUITE_P(Meshes, ValidateFault, testing::ValuesIn(kMeshFaults), name_of_fault);

WeightRows& rows(Character& c) { return c.meshes[0].weights; }

const Fault kWeightFaults[] = {
    {"row_count", [](Character& c) { rows(c).first.pop_back(); }, "'body': 5 weight rows for 6 points"},
    {"row_start", [](Character& c) { rows(c).first[0] = 1; }, "'body': bad weight rows"},
    {"row_empty", [](Character& c) { rows(c).first[1] = 0; }, "'body': bad weight rows"},
    {"row_end",
     [](Character& c) {
       rows(c).influences.push_back({0, 1});
     },
     "'body': bad weight rows"},
    {"no_rows", [](Character& c) { rows(c).first.clear(); }, "'body': it has weights but no rows"},
    {"slot_negative", [](Character& c) { rows(c).influences[1].slot = -1; },
     "'body': point 1 refers to slot -1"},
    {"zero", [](Character& c) { rows(c).influences[2].weight = 0; }, "'body': point 1 has the weight 0"},
    {"nan", [](Character& c) { rows(c).influences[2].weight = kNan; }, "'body': point 1 has the weight nan"},
    {"over_one", [](Character& c) { rows(c).influences[0].weight = 1.5f; }, "'body': point 0 has the weight"},
    {"unsorted", [](Character& c) { std::swap(rows(c).influences[1], rows(c).influences[2]); },
     "weights of point 1 are not sorted"},
    {"tie_unsorted", [](Character& c) { std::swap(rows(c).influences[3], rows(c).influences[4]); },
     "weights of point 2 are not sorted"},
    {"twice", [](Character& c) { rows(c).influences[2].slot = 1; }, "'body': point 1 has a slot twice"},
    {"sum", [](Character& c) { rows(c).influences[1].weight = 0.8f; }, "weights of point 1 add up to 1.05"},
};
INSTANTIATE_TEST_SUITE_P(Weights, ValidateFault, testing::ValuesIn(kWeightFaults), name_of_fault);

const Fault kSceneFaults[] = {
    {"skin_sizes", [](Character& c) { c.skins[0].inverse_bind.pop_back(); }, "skin 'legs': 1 inverse binds"},
    {"skin_node", [](Character& c) { c.skins[0].node[1] = 4; }, "skin 'legs': slot 1 refers to node 4"},
    {"skin_nan", [](Character& c) { c.skins[0].inverse_bind[1].linear.x.x = kNan; }, "skin 'legs'"},
    {"instance_node", [](Character& c) { c.instances[1].node = 4; }, "instance 1: its node 4"},
    {"instance_mesh", [](Character& c) { c.instances[1].mesh = kNone; }, "instance 1: its mesh -1"},
    {"instance_skin", [](Character& c) { c.instances[0].skin = 1; }, "instance 0: its skin 1"},
    {"instance_order", [](Character& c) { c.instances[0].node = 3, c.instances[1].node = 0; }, "node order"},
    {"shape_weights", [](Character& c) { c.instances[0].shape_weights.pop_back(); }, "shapes of mesh 'body'"},
    {"shape_weight", [](Character& c) { c.instances[0].shape_weights[0] = kNan; }, "a shape weight"},
    {"unweighted", [](Character& c) { c.instances[1].skin = 0; }, "mesh 'hat' has no weights"},
    {"slot_high",
     [](Character& c) {
       c.skins[0].node.pop_back();
       c.skins[0].inverse_bind.pop_back();
     },
     "mesh 'body' uses slot 1 but skin 'legs' has 1 slots"},
    {"control_name", [](Character& c) { c.controls[1].name = ""; }, "control #1: it has no name"},
    {"control_twice", [](Character& c) { c.controls[1].name = "breath"; }, "control 'breath'"},
    {"control_nan", [](Character& c) { c.controls[1].rest = kNan; }, "control 'bulge'"},
    {"target", [](Character& c) { channel(c, 0).target = 4; }, "clip 'walk', channel 0: its target 4"},
    {"target_instance", [](Character& c) { channel(c, 3).target = 2; }, "clip 'walk', channel 3"},
    {"target_control", [](Character& c) { channel(c, 4).target = -1; }, "clip 'walk', channel 4"},
    {"path", [](Character& c) { channel(c, 0).path = static_cast<ChannelPath>(9); }, "'walk', channel 0"},
    {"interpolation", [](Character& c) { channel(c, 0).interpolation = static_cast<Interpolation>(9); },
     "clip 'walk', channel 0: its interpolation"},
    {"no_keys", [](Character& c) { channel(c, 0).times.clear(); }, "clip 'walk', channel 0: it has no keys"},
    {"time_nan", [](Character& c) { channel(c, 0).times[1] = kNan; }, "'walk', channel 0: the time of key 1"},
    {"time_equal", [](Character& c) { channel(c, 0).times[1] = 0; },
     "channel 0: times do not increase at key 1"},
    {"value_count", [](Character& c) { channel(c, 4).values.pop_back(); }, "channel 4: 5 values"},
    {"value_nan", [](Character& c) { channel(c, 2).values[3] = kInf; }, "channel 2: value 3 is not finite"},
    {"channel_twice", [](Character& c) { c.clips[0].channels.push_back(channel(c, 1)); },
     "channel 5: another channel has its path and target"},
};
INSTANTIATE_TEST_SUITE_P(Scenes, ValidateFault, testing::ValuesIn(kSceneFaults), name_of_fault);

TEST(Validate, AcceptsACharacterWithEverythingInIt) {
  const Status status = validate(crowded_character());
  EXPECT_TRUE(status.ok()) << status.error().sentence;
}

TEST(Validate, AcceptsAnEmptyCharacterAndAnEmptyMesh) {
  Character character;
  EXPECT_TRUE(validate(character).ok());
  character.meshes.resize(1);
  EXPECT_TRUE(validate(character).ok());
}

TEST(Validate, NamesACycleThatHangsBelowNothing) {
  Character character;
  character.nodes = {test::node_at("free", kNone, {}), test::node_at("below", 2, {}),
                     test::node_at("a", 3, {}), test::node_at("b", 2, {})};
  const Status status = validate(character);
  ASSERT_FALSE(status.ok());
  // "below" hangs under the cycle but is not on it.
  EXPECT_EQ(status.error().sentence.find("'below'"), std::string::npos) << status.error().sentence;
}

TEST(Validate, KeepsLineBreaksInNamesOutOfTheSentence) {
  Character character = crowded_character();
  character.nodes[1].name = "two\nlines";
  character.nodes[1].rest.translation.x = kNan;
  EXPECT_EQ(validate(character).error().sentence.find('\n'), std::string::npos);
}

// Sets one of the integers that everything else is indexed by.
void scramble(Character& c, test::Random& random) {
  const Index values[] = {-2147483647 - 1, -1, 0, 1, 5, 6, 7, 1000000000, 2147483647};
  const Index value = values[random.below(9)];
  Mesh& mesh = c.meshes[at(random.below(2))];
  const std::uint32_t offset = static_cast<std::uint32_t>(value);
  switch (random.below(14)) {
    case 0:
      c.nodes[at(random.below(4))].parent = value;
      break;
    case 1:
      mesh.polygons.first[at(random.below(2))] = offset;
      break;
    case 2:
      mesh.polygons.corners[at(random.below(3))] = value;
      break;
    case 3:
      mesh.parts[0].point_count = value;
      break;
    case 4:
      mesh.parts[0].first_polygon = value;
      break;
    case 5:
      c.meshes[0].normals.corner_value[at(random.below(7))] = value;
      break;
    case 6:
      c.meshes[0].shapes[0].points[at(random.below(2))] = value;
      break;
    case 7:
      c.meshes[0].weights.first[at(random.below(7))] = offset;
      break;
    case 8:
      c.meshes[0].weights.influences[at(random.below(8))].slot = value;
      break;
    case 9:
      mesh.weld[at(random.below(3))] = value;
      break;
    case 10:
      c.skins[0].node[at(random.below(2))] = value;
      break;
    case 11:
      c.instances[at(random.below(2))].mesh = value;
      break;
    case 12:
      c.instances[at(random.below(2))].skin = value;
      break;
    default:
      c.clips[0].channels[at(random.below(5))].target = value;
      break;
  }
}

TEST(Validate, SurvivesScrambledIndices) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Character character = crowded_character();
    for (int k = 0; k <= random.below(4); ++k) scramble(character, random);
    const Status status = validate(character);
    EXPECT_TRUE(status.ok() || !status.error().sentence.empty());
  }
}

TEST(Validate, TakesLinearTimeOnLongRowsAndLongChains) {
  Character character;
  constexpr int kCount = 300000;
  for (int n = 0; n < kCount; ++n) character.nodes.push_back(test::node_at("j", n - 1, {}));
  Mesh mesh;
  mesh.points = {{0, 0, 0}};
  mesh.parts = {{0, 1, 0, 0}};
  mesh.weld = {0};
  WeightRowBuilder builder;
  for (int s = 0; s < kCount; ++s) builder.add(s, 1.0f / kCount);
  builder.close_row(1e-3);
  mesh.weights = builder.take();
  character.meshes = {mesh};
  const auto start = std::chrono::steady_clock::now();
  const Status status = validate(character);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(status.ok()) << status.error().sentence;
  EXPECT_LT(took.count(), 5.0);  // comparing all pairs would take minutes
}

}  // namespace
}  // namespace dermis
