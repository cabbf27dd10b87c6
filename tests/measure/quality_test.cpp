// SPDX-License-Identifier: MIT
// The quality of skins whose faults were put in by hand.
#include "measure/quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies.h"
#include "dermis/made.h"
#include "dermis/measure.h"
#include "measure/surface.h"

namespace dermis {
namespace {

Quality quality_of(const Character& character, const char* method = "lbs") {
  const Status valid = validate(character);
  EXPECT_TRUE(valid) << valid.error().sentence;
  const Result<Quality> quality = measure_quality(character, {deform_stack(method)});
  EXPECT_TRUE(quality) << quality.error().sentence;
  return quality ? *quality : Quality{};
}

const JointQuality& joint(const Quality& quality, const std::string& label) {
  for (const JointQuality& one : quality.joints) {
    if (one.label == label) return one;
  }
  ADD_FAILURE() << label;
  return quality.joints[0];
}

// A thin tube with its second joint in the middle: weights change over its whole length.
test::TubeShape thin() {
  test::TubeShape shape;
  shape.rings = 61;
  shape.sides = 24;
  shape.radius = 0.2;
  return shape;
}
Character arm() { return test::tube_character(thin(), {1, 0, 0}); }

// Hips with two legs of two joints each, a triangle around each joint. Slots are nodes.
Character walker() {
  Character character;
  character.nodes = {test::node_at("hips", kNone, {0, 1, 0}),   test::node_at("thigh_L", 0, {0.1f, 0, 0}),
                     test::node_at("shin_L", 1, {0, -0.5f, 0}), test::node_at("thigh_R", 0, {-0.1f, 0, 0}),
                     test::node_at("shin_R", 3, {0, -0.5f, 0}), test::node_at("mesh", kNone, {})};
  const std::vector<Affined> world = rest_world(character);
  Skin skin;
  std::vector<Vec3> points;
  std::vector<std::vector<Index>> polygons;
  WeightRowBuilder builder;
  for (Index j = 0; j < 5; ++j) {
    skin.node.push_back(j);
    skin.inverse_bind.push_back(Affine(inverse(world[at(j)])));
    const Vec3d place = world[at(j)].translation;
    const double outward = place.x < 0 ? -1 : 1;
    for (const Vec3d& corner : {Vec3d{0, 0.05, 0}, Vec3d{outward * 0.05, -0.05, 0}, Vec3d{0, -0.05, 0.05}}) {
      points.push_back(Vec3(place + corner));
      builder.add(j, 1);
      builder.close_row(0);
    }
    const Index v = 3 * j;
    polygons.push_back({v, v + 1, v + 2});
  }
  character.meshes = {test::mesh_of(points, polygons)};
  character.meshes[0].weights = builder.take();
  character.skins = {skin};
  Instance instance;
  instance.node = 5;
  instance.mesh = 0;
  instance.skin = 0;
  character.instances = {instance};
  return character;
}

TEST(Quality, OfATwistIsTheClosedFormOfTheTube) {
  // A twist by 45 degrees leaves 1 - 2/3 sin^2(22.5 degrees). All of the tube bends but its ends, two discs
  // that are an eleventh of its surface.
  const Quality quality = quality_of(arm());
  ASSERT_EQ(quality.joints.size(), 2u);
  EXPECT_EQ(quality.pose_count, 12u);
  const double lost = 2.0 / 3 * std::pow(std::sin(kPi / 8), 2);
  const JointQuality& far = joint(quality, "far");
  EXPECT_NEAR(far.volume_loss, lost * 11 / 10, 0.001);
  EXPECT_EQ(far.volume_loss_pose.substr(0, 9), "far twist");
  EXPECT_TRUE(quality.has_volume);
  EXPECT_EQ(quality.rest_intersections, 0u);
  EXPECT_EQ(quality.open_loop_count, 0u);
  // Dual quaternions keep the volume of a twist; what bending changes is less.
  EXPECT_LT(joint(quality_of(arm(), "dqs"), "far").volume_loss, 0.05);
}

TEST(Quality, HasShearAreasAndNormalsOfWhatBends) {
  const Quality quality = quality_of(arm());
  const JointQuality& far = joint(quality, "far");
  const JointQuality& near = joint(quality, "near");
  EXPECT_GT(far.shear, 0.1);
  EXPECT_GT(far.area, 0.1);
  EXPECT_GT(far.normal_error, 0.01);
  for (const std::string& pose : {far.shear_pose, far.area_pose, far.normal_error_pose})
    EXPECT_EQ(pose.substr(0, 4), "far ");
  EXPECT_EQ(quality.max_shear(), far.shear);
  EXPECT_EQ(quality.max_area_change(), far.area);
  EXPECT_EQ(quality.max_normal_error(), far.normal_error);
  EXPECT_EQ(near.shear, 0);
  EXPECT_EQ(near.area, 0);
  EXPECT_EQ(near.normal_error, 0);
  EXPECT_LT(quality.rest_normal_error, far.normal_error);
}

TEST(Quality, HasTheWeightChangesOfItsMeshes) {
  const Character character = arm();
  const Quality quality = quality_of(character);
  ASSERT_EQ(quality.weights.size(), 1u);
  const WeightChange own = measure_weights(character.meshes[0], measured_surface(character.meshes[0]));
  EXPECT_EQ(quality.weights[0].mesh, 0);
  EXPECT_EQ(quality.weights[0].change.gradient.max, own.gradient.max);
  ASSERT_NE(quality.steepest_weights(), nullptr);
  EXPECT_EQ(quality.steepest_weights()->change.gradient_point, own.gradient_point);
}

// 1,500 triangles through one another: over a million pairs, more than are listed.
TEST(Quality, SaysWhichCountsAreLowerBounds) {
  Character character = arm();
  const Quality few = quality_of(character);
  EXPECT_TRUE(few.is_rest_count_exact);
  EXPECT_TRUE(few.are_new_counts_exact());
  std::vector<Vec3> points;
  std::vector<std::vector<Index>> polygons;
  WeightRowBuilder builder;
  constexpr int kCount = 1500;
  for (int k = 0; k < kCount; ++k) {
    const double angle = kPi * k / kCount;
    const Vec3d across{0, std::cos(angle), std::sin(angle)};
    const auto v = static_cast<Index>(points.size());
    for (const Vec3d& p :
         {Vec3d{0.4 + 1e-6 * k, 0, 0} - across, Vec3d{0.4, 0, 0} + across, Vec3d{1.2, 0, 0}}) {
      points.push_back(Vec3(p));
      builder.add(0, 1);
      builder.close_row(0);
    }
    polygons.push_back({v, v + 1, v + 2});
  }
  character.meshes[0] = test::mesh_of(points, polygons);
  character.meshes[0].weights = builder.take();
  const Quality many = quality_of(character);
  EXPECT_FALSE(many.is_rest_count_exact);
  EXPECT_EQ(many.rest_intersections, 1'000'000u);
}

TEST(Quality, TurningTheRootOfEverythingBendsNothing) {
  const Quality quality = quality_of(arm());
  const JointQuality& near = joint(quality, "near");
  EXPECT_EQ(near.strain, 0);
  EXPECT_EQ(near.volume_loss, 0);
  EXPECT_EQ(near.new_intersections, 0u);
  EXPECT_GT(joint(quality, "far").strain, 0.1);
}

TEST(Quality, FindsTheJointThatTearsAPoint) {
  Character character = arm();
  const double before = joint(quality_of(character), "far").strain;
  // One point of the near end follows the far joint.
  WeightRowBuilder builder;
  Mesh& mesh = character.meshes[0];
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    for (const Influence& influence : mesh.weights.row(v)) {
      if (v != 5) builder.add(influence.slot, influence.weight);
    }
    if (v == 5) builder.add(1, 1);
    builder.close_row(0);
  }
  mesh.weights = builder.take();
  const JointQuality far = joint(quality_of(character), "far");
  EXPECT_GT(far.strain, 5 * before);
  // The worst triangle is one of those around it.
  EXPECT_LT(length(Vec3d(mesh.points[at(far.strain_point)]) - Vec3d(mesh.points[5])), 0.1);
}

TEST(Quality, OfTwoLimbsThatMeetCountsTheirCrossings) {
  // Two thin tubes side by side, along x; the far half of each goes through the other when it turns level.
  Character character = arm();
  Mesh& mesh = character.meshes[0];
  const std::size_t count = mesh.points.size();
  const Mesh one = mesh;
  for (std::size_t v = 0; v < count; ++v)
    mesh.points.push_back({one.points[v].x, one.points[v].y, one.points[v].z + 0.5f});
  for (std::size_t v = 0; v < count; ++v) {
    mesh.normals.values.push_back(one.normals.values[v]);
    mesh.tangents.values.push_back(one.tangents.values[v]);
    mesh.weights.influences.push_back({0, 1});
    mesh.weights.first.push_back(static_cast<std::uint32_t>(mesh.weights.influences.size()));
  }
  for (const Index v : one.polygons.corners) mesh.polygons.corners.push_back(v + static_cast<Index>(count));
  for (std::size_t p = 0; p < one.polygons.count(); ++p)
    mesh.polygons.first.push_back(mesh.polygons.first.back() + one.polygons.first[p + 1] -
                                  one.polygons.first[p]);
  mesh.parts[0].point_count *= 2;
  mesh.parts[0].polygon_count *= 2;
  mesh.weld = weld_coincident(mesh.points);
  const Quality quality = quality_of(character);
  EXPECT_EQ(quality.rest_intersections, 0u);
  const JointQuality& far = joint(quality, "far");
  EXPECT_GT(far.new_intersections, 10u);
  EXPECT_EQ(far.intersections_pose, "far bend -60");  // towards +z
}

TEST(Quality, IsTheSameOnAnyThreadCount) {
  const Quality many = quality_of(arm());
  set_thread_count(1);
  const Quality one = quality_of(arm());
  set_thread_count(0);
  for (std::size_t k = 0; k < many.joints.size(); ++k) {
    EXPECT_EQ(many.joints[k].strain, one.joints[k].strain);
    EXPECT_EQ(many.joints[k].volume_loss, one.joints[k].volume_loss);
    EXPECT_EQ(many.joints[k].new_intersections, one.joints[k].new_intersections);
  }
}

TEST(Quality, WithoutASkinIsEmpty) {
  Character character = arm();
  character.instances[0].skin = kNone;
  const Quality quality = quality_of(character);
  EXPECT_EQ(quality.pose_count, 0u);
  EXPECT_TRUE(quality.joints.empty());
  EXPECT_EQ(quality.max_strain(), 0);
  EXPECT_TRUE(measure_quality(Character{}, {}));
}

bool is_finite_quality(const Quality& quality) {
  bool is_good = std::isfinite(quality.bleed.share.max) && std::isfinite(quality.symmetry.difference.max);
  for (const JointQuality& one : quality.joints)
    is_good = is_good && std::isfinite(one.strain) && std::isfinite(one.volume_loss) &&
              std::isfinite(one.volume_gain);
  return is_good;
}

TEST(Quality, IsFiniteOnOneTriangleFlatJointsAndGiants) {
  Character triangle = arm();
  triangle.meshes[0] = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  triangle.meshes[0].weights = test::rows_of({{{0, 1}}, {{1, 1}}, {{0, 0.5f}, {1, 0.5f}}});
  const Quality of_triangle = quality_of(triangle);
  EXPECT_TRUE(is_finite_quality(of_triangle));
  EXPECT_FALSE(of_triangle.has_volume);
  EXPECT_EQ(of_triangle.max_volume_loss(), 0);
  EXPECT_GT(of_triangle.max_strain(), 0.1);

  Character flat = arm();
  flat.nodes[1].rest.scale = {0, 0, 0};
  EXPECT_TRUE(is_finite_quality(quality_of(flat)));

  Character giant = arm();
  for (Vec3& p : giant.meshes[0].points) p *= 1e6f;
  giant.meshes[0].weld = weld_coincident(giant.meshes[0].points);
  giant.nodes[1].rest.translation = {1e6f, 0, 0};
  giant.skins[0].inverse_bind[1].translation = {-1e6f, 0, 0};
  const Quality of_giant = quality_of(giant);
  EXPECT_NEAR(joint(of_giant, "far").strain, joint(quality_of(arm()), "far").strain, 1e-4);
  EXPECT_NEAR(joint(of_giant, "far").volume_loss, joint(quality_of(arm()), "far").volume_loss, 1e-4);

  Character lone = arm();  // points without a polygon
  lone.meshes[0].polygons = {};
  lone.meshes[0].parts[0].polygon_count = 0;
  EXPECT_TRUE(is_finite_quality(quality_of(lone)));

  Character empty = walker();  // a mesh under a skin with sides, without a point
  empty.meshes[0] = Mesh{};
  empty.meshes[0].weights.first = {0};
  EXPECT_TRUE(is_finite_quality(quality_of(empty)));

  Character beyond = walker();  // joints where no float can follow
  for (Affine& bind : beyond.skins[0].inverse_bind) bind.translation = bind.translation * 1e36f;
  const Result<Quality> far_away = measure_quality(beyond, {});
  EXPECT_TRUE(!far_away || is_finite_quality(*far_away));
}

TEST(Quality, StopsWhenAskedTo) {
  const std::atomic<bool> stop{true};
  const Result<Quality> quality = measure_quality(arm(), {}, Progress({}, &stop));
  ASSERT_FALSE(quality);
  EXPECT_EQ(quality.error().code, Errc::cancelled);
}

// ---- Coverage and bleed ----

// Gives point `v` the row `row`.
void set_row(Mesh& mesh, std::size_t v, const std::vector<Influence>& row) {
  WeightRowBuilder builder;
  for (std::size_t u = 0; u < mesh.points.size(); ++u) {
    const std::span<const Influence> old = mesh.weights.row(u);
    const std::vector<Influence> kept(old.begin(), old.end());
    for (const Influence& influence : u == v ? row : kept) builder.add(influence.slot, influence.weight);
    builder.close_row(1e-3);
  }
  mesh.weights = builder.take();
}

Bleed bleed_of(const Character& character) {
  return measure_bleed(character, skinned_meshes(character), rest_world(character));
}

TEST(Bleed, IsNoneBetweenNeighbours) {
  Character character = walker();
  set_row(character.meshes[0], 3, {{1, 0.6f}, {0, 0.2f}, {2, 0.2f}});  // thigh with hips and shin
  EXPECT_EQ(bleed_of(character).share.max, 0);
}

TEST(Bleed, IsTheWeightOnTheOtherLeg) {
  Character character = walker();
  set_row(character.meshes[0], 7, {{2, 0.75f}, {4, 0.25f}});  // shins: close in space, far along the body
  const Bleed bleed = bleed_of(character);
  EXPECT_FLOAT_EQ(static_cast<float>(bleed.share.max), 0.25f);
  EXPECT_EQ(bleed.count, 1u);
  EXPECT_EQ(bleed.point, 7);
  EXPECT_EQ(bleed.heaviest_node, 2);
  EXPECT_EQ(bleed.far_node, 4);
}

TEST(Bleed, IsNoneInThickFlesh) {
  Character character = walker();
  Mesh& mesh = character.meshes[0];
  set_row(mesh, 7, {{2, 0.75f}, {4, 0.25f}});
  mesh.points[7] = {0.02f, 0.5f, 0};  // in the middle between the shins
  mesh.weld = weld_coincident(mesh.points);
  EXPECT_EQ(bleed_of(character).share.max, 0);
}

TEST(Coverage, CountsTornPointsAndJointsThatLeadNowhere) {
  Character character = walker();
  const Coverage whole = measure_coverage(character, skinned_meshes(character));
  EXPECT_EQ(whole.point_count, 15u);
  EXPECT_EQ(whole.joint_count, 5u);
  EXPECT_EQ(whole.idle_joint_count + whole.torn_point_count + whole.faint_joints.size(), 0u);
  for (const std::size_t v : {12, 13, 14}) set_row(character.meshes[0], v, {{3, 0.9f}, {4, 0.1f}});
  for (const std::size_t v : {0, 1, 2}) set_row(character.meshes[0], v, {{1, 1}});
  const Coverage poor = measure_coverage(character, skinned_meshes(character));
  EXPECT_EQ(poor.faint_joints, std::vector<Index>{4});
  EXPECT_EQ(poor.idle_joint_count, 1u);
}

// ---- Symmetry ----

Symmetry symmetry_of(const Character& character) {
  return measure_symmetry(character, skinned_meshes(character));
}

TEST(Symmetry, OfMirroredWeightsIsWhole) {
  Character character = walker();
  set_row(character.meshes[0], 3, {{1, 0.75f}, {0, 0.25f}});
  set_row(character.meshes[0], 9, {{3, 0.75f}, {0, 0.25f}});
  const Symmetry symmetry = symmetry_of(character);
  EXPECT_TRUE(symmetry.is_judged);
  EXPECT_LT(symmetry.difference.max, 1e-6);
  EXPECT_TRUE(symmetry.unpaired_joints.empty());
  EXPECT_EQ(symmetry.unpaired_point_count, 1u);  // the hips have one corner on the left alone
}

TEST(Symmetry, OfEyesIsMeasuredFromEyeToEye) {
  for (const test::Eyes kind : {test::Eyes::meshes, test::Eyes::skins, test::Eyes::shells}) {
    const Symmetry symmetry = symmetry_of(test::head_with_eyes(kind));
    EXPECT_TRUE(symmetry.is_judged);
    EXPECT_EQ(symmetry.difference.max, 0);
    EXPECT_TRUE(symmetry.unpaired_joints.empty());
  }
}

TEST(Symmetry, NamesThePointWhoseWeightsDiffer) {
  Character character = walker();
  set_row(character.meshes[0], 3, {{1, 0.75f}, {0, 0.25f}});
  const Symmetry symmetry = symmetry_of(character);
  EXPECT_FLOAT_EQ(static_cast<float>(symmetry.difference.max), 0.25f);
  EXPECT_TRUE(symmetry.point == 3 || symmetry.point == 9);
}

TEST(Symmetry, PairsTheNamesThatToolsWrite) {
  const std::vector<std::array<const char*, 4>> styles{
      {"LeftUpLeg", "LeftLeg", "RightUpLeg", "RightLeg"},
      {"mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:RightUpLeg", "mixamorig:RightLeg"},
      {"thigh.l", "shin.l", "thigh.r", "shin.r"},
      {"L_Thigh", "L_Shin", "R_Thigh", "R_Shin"},
      {"LThigh", "LShin", "RThigh", "RShin"},
      {"Bip01 L Thigh", "Bip01 L Calf", "Bip01 R Thigh", "Bip01 R Calf"},
      {"b_LeftLeg01_015", "b_LeftLeg02_016", "b_RightLeg01_019", "b_RightLeg02_020"},
      {"Skeleton_leg_joint_L_1", "Skeleton_leg_joint_L_2", "Skeleton_leg_joint_R_1",
       "Skeleton_leg_joint_R_2"},
      {"leg_FL", "leg_FL.001", "leg_FR", "leg_FR.001"},
  };
  for (const std::array<const char*, 4>& style : styles) {
    Character character = walker();
    for (std::size_t j = 0; j < 4; ++j) character.nodes[j + 1].name = style[j];
    const Symmetry symmetry = symmetry_of(character);
    EXPECT_TRUE(symmetry.is_judged) << style[0];
    EXPECT_TRUE(symmetry.unpaired_joints.empty()) << style[0];
    EXPECT_LT(symmetry.difference.max, 1e-6) << style[0];
  }
}

TEST(Symmetry, PairsAlikeNamesByPlace) {
  Character character = walker();  // numbered from the hip on one side, towards it on the other
  const char* const names[] = {"leg_L_7", "leg_L_8", "leg_R_8", "leg_R_7"};
  for (std::size_t j = 0; j < 4; ++j) character.nodes[j + 1].name = names[j];
  const Symmetry symmetry = symmetry_of(character);
  EXPECT_TRUE(symmetry.is_judged);
  EXPECT_TRUE(symmetry.unpaired_joints.empty());
  EXPECT_LT(symmetry.difference.max, 1e-6);
}

TEST(Symmetry, ReportsJointsWithoutAPairAndIsNotJudgedWithoutSides) {
  Character character = walker();
  character.nodes[4].name = "stump_R";
  const Symmetry symmetry = symmetry_of(character);
  EXPECT_EQ(symmetry.unpaired_joints, (std::vector<Index>{2, 4}));
  Character plain = walker();
  for (std::size_t j = 1; j < 5; ++j) plain.nodes[j].name = "joint" + std::to_string(j);
  EXPECT_FALSE(symmetry_of(plain).is_judged);
  EXPECT_FALSE(symmetry_of(arm()).is_judged);
}

// ---- Placement ----

Placement placement_of(const Character& character) {
  return measure_placement(character, skinned_meshes(character));
}

TEST(Placement, IsFaultlessIfEveryPointFollowsItsNearestJoint) {
  for (const Character& character : {walker(), arm()}) {
    const Placement placement = placement_of(character);
    EXPECT_EQ(placement.stray.count, 0u);
    EXPECT_EQ(placement.wrong_side.count, 0u);
    EXPECT_EQ(placement.torn_seam.count, 0u);
    EXPECT_EQ(placement.far_shell.count, 0u);
    EXPECT_LT(placement.bone_distance, 0.2);
  }
}

TEST(Placement, FindsAPointWhoseHeaviestJointIsTheWrongOne) {
  Character character = walker();
  set_row(character.meshes[0], 7, {{4, 1.0f}});  // of the left shin
  const Placement placement = placement_of(character);
  EXPECT_EQ(placement.stray.count, 1u);
  EXPECT_EQ(placement.stray.point, 7);
  EXPECT_EQ(placement.stray.node, 4);
  EXPECT_EQ(placement.stray.better_node, 1);  // the bone of the thigh ends at the shin
  EXPECT_DOUBLE_EQ(placement.stray.share, 1);
  // Its distance from the other shin, as a fraction of the diagonal of all points.
  const Mesh& mesh = character.meshes[0];
  Box box;
  for (const Vec3& p : mesh.points) box.add(Vec3d(p));
  EXPECT_NEAR(placement.stray.figure, length(Vec3d(mesh.points[7]) - Vec3d{-0.1, 0.5, 0}) / box.diagonal(),
              1e-6);
}

TEST(Placement, FindsAPatchWhosePointsAgreeOnTheWrongJoint) {
  Character character = *make_character(MadeKind::humanoid, {1000});
  Mesh& mesh = character.meshes[0];
  const Skin& skin = character.skins[0];
  // Everything around the tip of one hand follows the lowest joint.
  Index lowest = 0;
  const auto height = [&](Index slot) { return inverse(Affined(skin.inverse_bind[at(slot)])).translation.y; };
  for (Index s = 0; s < static_cast<Index>(skin.node.size()); ++s)
    lowest = height(s) < height(lowest) ? s : lowest;
  const auto tip = std::max_element(mesh.points.begin(), mesh.points.end(),
                                    [](const Vec3& a, const Vec3& b) { return a.x < b.x; });
  std::vector<std::size_t> patch;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    if (length(mesh.points[v] - *tip) < 0.1f) patch.push_back(v);
  }
  ASSERT_GT(patch.size(), 4u);
  ASSERT_LT(patch.size(), mesh.points.size() / 4);
  ASSERT_EQ(placement_of(character).stray.count, 0u);
  for (const std::size_t v : patch) set_row(mesh, v, {{lowest, 1.0f}});
  const Placement placement = placement_of(character);
  EXPECT_EQ(placement.stray.count, patch.size());
  EXPECT_EQ(placement.stray.node, skin.node[at(lowest)]);
}

TEST(Placement, FindsPiecesThatFollowTheOtherSideAlthoughNoEdgeStretches) {
  Character character = walker();
  for (std::size_t v = 6; v < 9; ++v) set_row(character.meshes[0], v, {{4, 1.0f}});
  for (std::size_t v = 12; v < 15; ++v) set_row(character.meshes[0], v, {{2, 1.0f}});
  const Placement placement = placement_of(character);
  EXPECT_EQ(placement.stray.count, 0u);
  EXPECT_EQ(placement.wrong_side.count, 6u);
  EXPECT_DOUBLE_EQ(quality_of(character).max_stretch(), 0);
}

TEST(SolidPart, LeavesOutSheetsAndKeepsClosedShells) {
  const Mesh closed = test::cube();
  EXPECT_EQ(solid_part(measured_surface(closed), closed.points).shell_count, 1u);
  const Mesh sheet = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2, 3}});
  const SolidPart part = solid_part(measured_surface(sheet), sheet.points);
  EXPECT_EQ(part.shell_count, 0u);
  EXPECT_EQ(part.open_shell_count, 1u);
  EXPECT_TRUE(part.triangles.empty());
}

// ---- Findings ----

TEST(CheckQuality, FindsNothingWithoutLimitsInAGoodSkin) {
  Checkup checkup;
  ASSERT_TRUE(check_quality(arm(), {}, {}, checkup));
  EXPECT_TRUE(checkup.findings.empty());
  EXPECT_TRUE(checkup.quality);
}

TEST(CheckQuality, MakesErrorsOfLimitsThatAreExceeded) {
  Character character = walker();
  set_row(character.meshes[0], 7, {{2, 0.75f}, {4, 0.25f}});
  Checkup plain;
  ASSERT_TRUE(check_quality(character, {}, {}, plain));
  ASSERT_EQ(plain.findings.size(), 3u);
  EXPECT_EQ(plain.findings[0].id, "points-stray");  // a picture shows it
  EXPECT_EQ(plain.findings[0].severity, Severity::error);
  EXPECT_EQ(plain.findings[1].id, "weights-bleed");
  EXPECT_EQ(plain.findings[1].severity, Severity::warning);
  EXPECT_EQ(plain.findings[2].id, "weights-asymmetric");
  CheckLimits limits;
  limits.max_bleed = 0.2;
  limits.max_asymmetry = 0.2;
  limits.max_strain = 0.1;
  Checkup judged;
  ASSERT_TRUE(check_quality(character, {}, limits, judged));
  std::vector<std::string> errors;
  for (const Finding& finding : judged.findings) {
    if (finding.severity == Severity::error) errors.push_back(finding.id);
  }
  EXPECT_EQ(errors,
            (std::vector<std::string>{"points-stray", "weights-bleed", "weights-asymmetric", "strain-high"}));
}

TEST(CheckQuality, HoldsVolumeAndCrossingsAgainstTheirLimits) {
  CheckLimits limits;
  limits.max_volume_loss = 0.01;
  limits.max_new_intersections = 0;
  Checkup checkup;
  ASSERT_TRUE(check_quality(arm(), {}, limits, checkup));
  ASSERT_FALSE(checkup.findings.empty());
  EXPECT_EQ(checkup.findings[0].id, "volume-lost");
  EXPECT_EQ(checkup.findings[0].severity, Severity::error);
  limits.max_volume_loss = 0.9;
  Checkup lax;
  ASSERT_TRUE(check_quality(arm(), {}, limits, lax));
  for (const Finding& finding : lax.findings) EXPECT_NE(finding.id, "volume-lost");
}

}  // namespace
}  // namespace dermis
