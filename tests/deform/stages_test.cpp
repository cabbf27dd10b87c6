// SPDX-License-Identifier: MIT
// Stages: what joins a stack by itself, what their rows promise, and that posing again allocates nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "characters.h"
#include "counted_allocations.h"
#include "deform/skinning.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

// Larger than a grain of any loop, so that threads take part.
Character shaped_tube() {
  Character character = test::tube_character({.rings = 65, .sides = 48}, {2, 0, 0});
  Mesh& mesh = character.meshes[0];
  Shape up;
  up.name = "up";
  for (std::size_t v = 0; v < mesh.points.size(); v += 2) {
    up.points.push_back(static_cast<Index>(v));
    up.offsets.push_back({0, 0.25f, 0});
    up.normals.push_back({0.1f, 0, 0});
    up.tangents.push_back({0, 0.1f, 0});
  }
  mesh.shapes = {up};
  character.instances[0].shape_weights = {0};
  return character;
}

PoseFrame bent(const Character& character, double angle, float shape_weight) {
  Pose over;
  NodePose turned;
  turned.node = "far";
  turned.turn = Quat(quat_from_axis_angle(normalized(Vec3d{1, 0.5, 0.25}), angle));
  over.nodes = {turned};
  PoseRequest request;
  request.pose = &over;
  PoseFrame frame = *pose_frame(character, request);
  for (std::vector<float>& weights : frame.shape_weights)
    std::fill(weights.begin(), weights.end(), shape_weight);
  return frame;
}

// Every method, and every posed stage after lbs.
std::vector<std::string> every_stack() {
  std::vector<std::string> stacks;
  for (const StageRow& row : deform_stages()) {
    if (row.phase == StagePhase::skin) stacks.emplace_back(row.name);
    if (row.phase == StagePhase::posed) stacks.push_back(std::string("lbs,") + row.name);
  }
  return stacks;
}

std::vector<std::string> names_in(const Stack& stack) {
  std::vector<std::string> names;
  for (const StageUse& use : stack.stages) names.emplace_back(use.row->name);
  return names;
}

using Words = std::vector<std::string>;

// ---- Allocation ---------------------------------------------------------------------------------------

// Poses the only instance twice by the same state and looks at the second time.
void expect_no_allocation(const Character& character, const std::string& stack, float shape_weight) {
  SCOPED_TRACE(stack + (shape_weight != 0 ? " with shapes" : ""));
  const PoseFrame first = bent(character, 0.5, shape_weight),
                  second = bent(character, 1.2, 0.5f * shape_weight);
  const Deformer deformer = prepare_deformer(character, {deform_stack(stack)}).value();
  DeformState state;
  Surface posed;
  ASSERT_TRUE(pose_surface(deformer, first, 0, state, posed));
  bool is_posed = false;
  const std::size_t count =
      test::allocations_of([&] { is_posed = pose_surface(deformer, second, 0, state, posed).ok(); });
  EXPECT_TRUE(is_posed);
  EXPECT_EQ(count, 0u);
  const Surface fresh = *pose_instance(deformer, second, 0);
  EXPECT_EQ(posed.points, fresh.points);
  EXPECT_EQ(posed.normals, fresh.normals);
  EXPECT_EQ(posed.tangents, fresh.tangents);
}

TEST(PosingAgain, AllocatesNothingByAnyMethodWithAndWithoutShapes) {
  const Character character = shaped_tube();
  for (const std::string& stack : every_stack()) {
    expect_no_allocation(character, stack, 0);
    expect_no_allocation(character, stack, 1);
  }
}

TEST(PosingAgain, AllocatesNothingWhereNormalsAreOnCorners) {
  Character character = shaped_tube();
  character.meshes[0].normals.corner_value = character.meshes[0].polygons.corners;
  for (const char* stack : {"dqs", "cor,delta_mush"}) expect_no_allocation(character, stack, 1);
}

TEST(PosingAgain, AllocatesNothingWithoutASkin) {
  Character character = shaped_tube();
  character.instances[0].skin = kNone;
  expect_no_allocation(character, "lbs", 0);
  expect_no_allocation(character, "lbs", 1);
}

TEST(PosingAgain, AllocatesNothingWithCorrectives) {
  Character character = shaped_tube();
  PoseSpace space;
  space.name = "bend";
  space.joints = {{.node = 0}, {.node = 1}};
  space.examples = {{"up", {{}, Quat(quat_from_axis_angle({1, 0, 0}, 1))}, 0, 1}};
  character.pose_spaces = {space};
  for (const bool is_per_point : {false, true}) {
    character.pose_spaces[0].is_per_point = is_per_point;
    for (const char* stack : {"lbs", "dqs,delta_mush"}) expect_no_allocation(character, stack, 0);
    Poser poser = prepare_poser(character).value();
    Pose pose;
    pose.nodes.emplace_back().node = "far";
    pose.nodes[0].turn = Quat(quat_from_axis_angle({1, 0, 0}, 0.8));
    PoseFrame frame;
    ASSERT_TRUE(dermis::pose(poser, {kNone, 0, &pose}, frame));
    const float before = frame.example_weights[0][0];
    EXPECT_GT(before, 0.1f);
    EXPECT_EQ(test::allocations_of([&] { (void)dermis::pose(poser, {kNone, 0, &pose}, frame); }), 0u);
    EXPECT_EQ(frame.example_weights[0][0], before);
  }
}

TEST(PosingAgain, ByTheStateOfAnotherDeformerStartsAnew) {
  const Character character = shaped_tube();
  const PoseFrame frame = bent(character, 1.2, 1);
  DeformState state;
  for (const char* stack : {"dqs", "lbs,delta_mush", "direct_delta_mush", "spherical"}) {
    const Deformer deformer = prepare_deformer(character, {deform_stack(stack)}).value();
    Surface posed;
    ASSERT_TRUE(pose_surface(deformer, frame, 0, state, posed));
    EXPECT_EQ(posed.points, pose_instance(deformer, frame, 0)->points) << stack;
  }
}

// A shaped frame leaves nothing behind in the state that the next one would see.
TEST(PosingAgain, WithoutShapesAfterAFrameWithThemIsAsIfTheyHadNeverBeen) {
  const Character character = shaped_tube();
  for (const std::string& stack : every_stack()) {
    const Deformer deformer = prepare_deformer(character, {deform_stack(stack)}).value();
    DeformState state;
    Surface posed;
    const PoseFrame plain = bent(character, 0.9, 0);
    ASSERT_TRUE(pose_surface(deformer, bent(character, 0.5, 1), 0, state, posed));
    ASSERT_TRUE(pose_surface(deformer, plain, 0, state, posed));
    EXPECT_EQ(posed.points, pose_instance(deformer, plain, 0)->points) << stack;
  }
}

// ---- Rest stages --------------------------------------------------------------------------------------

TEST(RestStages, JoinEveryStackWhereTheCharacterHasDataForThem) {
  Character character = shaped_tube();
  EXPECT_EQ(names_in(full_stack(character, {deform_stack("dqs,delta_mush")})),
            (Words{"shapes", "dqs", "delta_mush"}));
  EXPECT_EQ(names_in(full_stack(character, {deform_stack("shapes,dqs")})), (Words{"shapes", "dqs"}));
  DeformOptions bare{deform_stack("dqs")};
  bare.adds_rest_stages = false;
  EXPECT_EQ(names_in(full_stack(character, bare)), (Words{"dqs"}));
  character.meshes[0].shapes.clear();
  EXPECT_EQ(names_in(full_stack(character, {deform_stack("dqs")})), (Words{"dqs"}));
}

TEST(RestStages, LeftOutLeaveTheRestAsItIs) {
  const Character character = shaped_tube();
  const PoseFrame shaped = bent(character, 0.7, 1), plain = bent(character, 0.7, 0);
  DeformOptions bare{deform_stack("dqs")};
  const Surface with = *deform_instance(character, shaped, 0, bare);
  bare.adds_rest_stages = false;
  const Surface without = *deform_instance(character, shaped, 0, bare);
  EXPECT_NE(with.points, without.points);
  EXPECT_EQ(without.points, deform_instance(character, plain, 0, bare)->points);
  bare.stack = deform_stack("shapes,dqs");
  EXPECT_EQ(deform_instance(character, shaped, 0, bare)->points, with.points);
}

// ---- Rows and options ---------------------------------------------------------------------------------

TEST(StageRows, HaveNamesOfTheirOwnAndDefaultsInRange) {
  std::set<std::string> names;
  for (const StageRow& row : deform_stages()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_NE(row.prepare, nullptr);
    EXPECT_EQ(row.traits.needs_surface, row.without_surface[0] != '\0');
    EXPECT_EQ(row.has_data != nullptr, row.phase == StagePhase::rest);
    for (const StageOption& option : row.options) {
      EXPECT_LT(option.least, option.most);
      if (!option.fallback) continue;
      EXPECT_GE(*option.fallback, option.least);
      EXPECT_LE(*option.fallback, option.most);
    }
  }
}

TEST(StageOptions, InTheStackCountBeforeSettings) {
  const Character character = shaped_tube();
  DeformOptions options{deform_stack("dqs:bulge_correction=0.5,delta_mush")};
  options.settings = {{"dqs", "bulge_correction", 1}, {"delta_mush", "iterations", 7}, {"cor", "none", 1}};
  const Stack stack = full_stack(character, options);
  EXPECT_EQ(name_of(stack), "shapes,dqs:bulge_correction=0.5,delta_mush:iterations=7");
  EXPECT_EQ(stack.stages[2].value_of("iterations"), 7);
  EXPECT_EQ(deform_stack("dqs").stages[0].value_of("bulge_correction"), 0);
  EXPECT_EQ(deform_stack("lbs,delta_mush").stages[1].value_of("iterations"), std::nullopt);
}

TEST(StageOptions, OutOfRangeOrStacksOutOfPhaseAreRefusedWhenPrepared) {
  const Character character = shaped_tube();
  Stack reversed = deform_stack("dqs,delta_mush");
  std::swap(reversed.stages[0], reversed.stages[1]);
  Stack skinless = deform_stack("shapes,lbs");
  skinless.stages.pop_back();
  Stack wrong = deform_stack("lbs,delta_mush");
  wrong.stages[1].values = {{"iterations", 1001}};
  for (const Stack& stack : {reversed, skinless, wrong}) {
    const Result<Deformer> deformer = prepare_deformer(character, {stack});
    ASSERT_FALSE(deformer);
    EXPECT_EQ(deformer.error().code, Errc::bad_argument);
    const PoseFrame frame = bent(character, 0.5, 0);
    EXPECT_FALSE(deform_instance(character, frame, 0, {stack}));
  }
}

// ---- Instances without a skin -------------------------------------------------------------------------

TEST(OneJoint, MapsAsABlendOfItAlone) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const std::vector<Affined> palette = {seed % 2 == 0 ? random.affine() : random.rigid()};
    const Influence whole{0, 1.0f};
    for (const NormalMode mode : {NormalMode::shading, NormalMode::inverse_transpose, NormalMode::exact}) {
      const LocalMap<double> wanted =
          Blender<double>(palette, mode, nullptr).at(0, random.vector(), {&whole, 1});
      const LocalMap<double> found = one_joint_map(palette[0], mode);
      for (int c = 0; c < 3; ++c) {
        EXPECT_EQ(found.posed_from_rest.linear[c], wanted.posed_from_rest.linear[c]);
        EXPECT_EQ(found.posed_from_rest_normal[c], wanted.posed_from_rest_normal[c]);
        EXPECT_EQ(found.heaviest_normal[c], wanted.heaviest_normal[c]);
      }
      EXPECT_EQ(found.posed_from_rest.translation, wanted.posed_from_rest.translation);
      EXPECT_EQ(found.is_mirrored, wanted.is_mirrored);
    }
  }
}

}  // namespace
}  // namespace dermis
