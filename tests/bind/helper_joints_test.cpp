// SPDX-License-Identifier: MIT
// Helper joints: nothing moves at rest, twists are spread in equal steps, bones bulge as far as stated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "characters.h"
#include "dermis/bind.h"
#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

constexpr double kRadiusOfTube = 0.1;

// A round tube along x from -1 to 2 on joints at -1, 0 and 1, each bent within `band` around it.
Character jointed_tube(double band = 0.08) {
  constexpr int kRings = 301, kAround = 12;
  Character character;
  Mesh mesh;
  WeightRowBuilder builder;
  const auto step = [&](double x) {
    const double t = std::clamp(0.5 + x / (2 * band), 0.0, 1.0);
    return t * t * (3 - 2 * t);
  };
  for (int r = 0; r < kRings; ++r) {
    const double x = -1 + 3.0 * r / (kRings - 1);
    for (int a = 0; a < kAround; ++a) {
      const double angle = 2 * kPi * a / kAround;
      mesh.points.push_back(Vec3(Vec3d{x, kRadiusOfTube * std::cos(angle), kRadiusOfTube * std::sin(angle)}));
      const double fore = step(x), hand = step(x - 1);
      builder.add(0, static_cast<float>(1 - fore));
      builder.add(1, static_cast<float>(fore - hand));
      builder.add(2, static_cast<float>(hand));
      builder.close_row(1e-6);
    }
  }
  for (int r = 0; r + 1 < kRings; ++r) {
    for (int a = 0; a < kAround; ++a) {
      const int b = (a + 1) % kAround;
      for (const int corner :
           {r * kAround + a, r * kAround + b, (r + 1) * kAround + b, (r + 1) * kAround + a})
        mesh.polygons.corners.push_back(corner);
      mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
    }
  }
  mesh.weights = builder.take();
  mesh.weld = weld_coincident(mesh.points);
  mesh.parts.push_back(
      {0, static_cast<Index>(mesh.points.size()), 0, static_cast<Index>(mesh.polygons.count()), kNone});
  character.meshes.push_back(std::move(mesh));
  Skin skin;
  const char* names[] = {"upper", "fore", "hand"};
  for (int j = 0; j < 3; ++j) {
    Node node;
    node.name = names[j];
    node.parent = j - 1;
    node.rest.translation = {j == 0 ? -1.0f : 1.0f, 0, 0};
    character.nodes.push_back(node);
    skin.node.push_back(j);
    skin.inverse_bind.push_back(Affine(Mat3(), Vec3{1.0f - static_cast<float>(j), 0, 0}));
  }
  Node shown;
  shown.name = "tube";
  character.nodes.push_back(shown);
  character.skins.push_back(skin);
  character.instances.push_back({3, 0, 0, {}, true});
  EXPECT_TRUE(validate(character));
  return character;
}

HelperRequest twists(Index joint, int count) {
  HelperRequest request;
  request.joint = joint, request.count = count;
  return request;
}

HelperRequest helper(HelperKind kind, Index joint, double scale = 1.3, Index bend = kNone) {
  HelperRequest request;
  request.kind = kind, request.joint = joint, request.scale = scale, request.bend = bend;
  return request;
}

AddedHelpers add(Character& character, const std::vector<HelperRequest>& requests) {
  Result<AddedHelpers> added = add_helper_joints(character, requests);
  EXPECT_TRUE(added) << (added ? "" : added.error().sentence);
  const Status valid = validate(character);
  EXPECT_TRUE(valid) << (valid ? "" : valid.error().sentence);
  return added ? std::move(*added) : AddedHelpers{};
}

std::string failure(Character character, const HelperRequest& request) {
  const Result<AddedHelpers> added = add_helper_joints(character, std::span(&request, 1));
  return added ? "" : added.error().sentence;
}

Character posed(const Character& character, const Pose& pose = {}) {
  const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
  EXPECT_TRUE(frame);
  Result<Character> still = deform_character(character, *frame, {});
  EXPECT_TRUE(still);
  return still ? std::move(*still) : Character{};
}

Pose turned(const std::string& joint, const Vec3d& axis, double angle) {
  Pose pose;
  pose.nodes.emplace_back().node = joint;
  pose.nodes.back().turn = Quat(quat_from_axis_angle(axis, angle));
  return pose;
}

Pose controlled(const std::string& control, float value) {
  Pose pose;
  pose.controls.push_back({control, value});
  return pose;
}

// The largest distance of two characters' points, as a fraction of the size.
double distance_of(const Character& a, const Character& b) {
  double most = 0;
  Box box;
  for (std::size_t m = 0; m < a.meshes.size(); ++m) {
    for (std::size_t v = 0; v < a.meshes[m].points.size(); ++v) {
      box.add(Vec3d(a.meshes[m].points[v]));
      most = std::max(most, length(Vec3d(a.meshes[m].points[v]) - Vec3d(b.meshes[m].points[v])));
    }
  }
  return most / box.diagonal();
}

// The smallest distance from the axis of the tube, as a fraction of its radius.
double least_radius(const Character& tube) {
  double least = INFINITY;
  for (const Vec3& p : tube.meshes[0].points) least = std::min(least, std::hypot(double{p.y}, double{p.z}));
  return least / kRadiusOfTube;
}

// Of the points within `reach` of a place along the tube.
double mean_radius_at(const Character& rest, const Character& tube, double x, double reach = 0.006) {
  double sum = 0;
  int count = 0;
  for (std::size_t v = 0; v < rest.meshes[0].points.size(); ++v) {
    if (std::abs(double{rest.meshes[0].points[v].x} - x) > reach) continue;
    sum += std::hypot(double{tube.meshes[0].points[v].y}, double{tube.meshes[0].points[v].z});
    ++count;
  }
  return sum / count / kRadiusOfTube;
}

// Made once: a body takes a second.
const Character& made_body(MadeKind kind) {
  static const Result<Character> kHuman = make_character(MadeKind::humanoid, {2000});
  static const Result<Character> kAnimal = make_character(MadeKind::quadruped, {2000});
  static const Result<Character> kHand = make_character(MadeKind::hand, {2000});
  return kind == MadeKind::humanoid ? *kHuman : kind == MadeKind::quadruped ? *kAnimal : *kHand;
}

Index node_called(const Character& character, const std::string& name) {
  const Result<Index> node = find_node(character, name);
  EXPECT_TRUE(node) << name;
  return node ? *node : kNone;
}

std::vector<HelperRequest> all_kinds(const Character& character, const std::string& upper,
                                     const std::string& lower, const std::string& trunk) {
  return {twists(node_called(character, upper), 2), twists(node_called(character, lower), 3),
          helper(HelperKind::half, node_called(character, lower)),
          helper(HelperKind::bulge, node_called(character, upper), 1.3, node_called(character, lower)),
          helper(HelperKind::breathe, node_called(character, trunk), 1.05)};
}

// ---- At rest ----

TEST(HelperJoints, MoveNothingAtRest) {
  struct Case {
    MadeKind kind;
    const char *upper, *lower, *trunk;
  };
  for (const Case& one : {Case{MadeKind::humanoid, "upper_arm_L", "forearm_L", "chest"},
                          Case{MadeKind::humanoid, "thigh_R", "shin_R", "chest"},
                          Case{MadeKind::quadruped, "front_upper_L", "front_lower_L", "chest"},
                          Case{MadeKind::hand, "index_1", "index_2", "hand"}}) {
    const Character& made = made_body(one.kind);
    Character helped = made;
    SCOPED_TRACE(one.upper);
    const AddedHelpers added = add(helped, all_kinds(helped, one.upper, one.lower, one.trunk));
    EXPECT_GE(added.joints.size(), 6u);
    EXPECT_LT(distance_of(posed(made), posed(helped)), 1e-6);
  }
}

TEST(HelperJoints, MoveNothingAtRestThatIsNotTheBindPose) {
  Character bent = jointed_tube();
  bent.nodes[1].rest.rotation = Quat(quat_from_axis_angle({0, 0, 1}, radians_from_degrees(70)));
  bent.nodes[2].rest.rotation = Quat(quat_from_axis_angle({1, 1, 0}, radians_from_degrees(40)));
  Character helped = bent;
  add(helped, {twists(1, 3), helper(HelperKind::half, 1), helper(HelperKind::half, 2),
               helper(HelperKind::bulge, 0, 1.3, 1)});
  EXPECT_LT(distance_of(posed(bent), posed(helped)), 1e-6);
}

TEST(HelperJoints, RefuseToFlattenASurfaceThatRestsFolded) {
  Character folded = jointed_tube();
  folded.nodes[1].rest.rotation = Quat(quat_from_axis_angle({0, 0, 1}, radians_from_degrees(175)));
  EXPECT_NE(failure(folded, helper(HelperKind::half, 1)).find("half a circle"), std::string::npos);
}

TEST(HelperJoints, KeepRowsShortAndSummingToOne) {
  Character made = made_body(MadeKind::humanoid);
  std::size_t longest = 0;
  const WeightRows before = made.meshes[0].weights;
  for (std::size_t v = 0; v + 1 < before.first.size(); ++v) longest = std::max(longest, before.row(v).size());
  const AddedHelpers added = add(made, all_kinds(made, "upper_arm_L", "forearm_L", "chest"));
  const WeightRows& rows = made.meshes[0].weights;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v)
    EXPECT_LE(rows.row(v).size(), std::max<std::size_t>(longest, 4));
  ASSERT_EQ(added.meshes.size(), 1u);
  EXPECT_EQ(added.meshes[0].longest_before, longest);
  EXPECT_LE(added.meshes[0].longest_after, std::max<std::size_t>(longest, 4));
}

TEST(HelperJoints, LeaveClipsAndOtherNodesAsTheyWere) {
  const Character& before = made_body(MadeKind::humanoid);
  Character made = before;
  add(made, all_kinds(made, "upper_arm_L", "forearm_L", "chest"));
  ASSERT_EQ(made.clips.size(), before.clips.size());
  for (std::size_t c = 0; c < before.clips.size(); ++c) {
    ASSERT_EQ(made.clips[c].channels.size(), before.clips[c].channels.size());
    for (std::size_t k = 0; k < before.clips[c].channels.size(); ++k)
      EXPECT_EQ(made.clips[c].channels[k].values, before.clips[c].channels[k].values);
  }
  for (std::size_t n = 0; n < before.nodes.size(); ++n) {
    EXPECT_EQ(made.nodes[n].name, before.nodes[n].name);
    EXPECT_EQ(made.nodes[n].parent, before.nodes[n].parent);
    EXPECT_EQ(made.nodes[n].rest, before.nodes[n].rest);
  }
}

// ---- Twists ----

// Equal steps: between two of them, linear blending narrows the tube to the cosine of half a step.
TEST(HelperJoints, LeaveARadiusOfTheCosineOfHalfAStep) {
  for (const double degrees : {90.0, 170.0}) {
    for (int count = 1; count <= 7; ++count) {
      Character tube = jointed_tube();
      const AddedHelpers added = add(tube, {twists(1, count)});
      ASSERT_EQ(added.joints.size(), static_cast<std::size_t>(count));
      EXPECT_EQ(added.joints[0].spread, TwistSpread::both);
      const double step = radians_from_degrees(degrees) / (count + 1);
      for (const char* joint : {"fore", "hand"}) {
        SCOPED_TRACE(std::string(joint) + " " + std::to_string(count));
        const Character twisted = posed(tube, turned(joint, {1, 0, 0}, radians_from_degrees(degrees)));
        EXPECT_NEAR(least_radius(twisted), std::cos(step / 2), 2e-3);
      }
    }
  }
}

TEST(HelperJoints, SpreadTheTwistOfARootOnlyFromItsEnd) {
  Character tube = jointed_tube();
  const AddedHelpers added = add(tube, {twists(0, 3)});
  ASSERT_EQ(added.joints.size(), 3u);
  EXPECT_EQ(added.joints[0].spread, TwistSpread::next);
  const double angle = radians_from_degrees(120);
  EXPECT_NEAR(least_radius(posed(tube, turned("fore", {1, 0, 0}, angle))), std::cos(angle / 8), 2e-3);
  EXPECT_NEAR(least_radius(posed(tube, turned("upper", {1, 0, 0}, angle))), 1, 1e-4);
}

TEST(HelperJoints, AreNotBentByWhatTheyTakeTheTwistOf) {
  Character plain = jointed_tube(), helped = plain;
  add(helped, {twists(1, 3)});
  const Pose bent = turned("hand", {0, 0, 1}, radians_from_degrees(60));
  EXPECT_LT(distance_of(posed(plain, bent), posed(helped, bent)), 1e-6);
}

TEST(HelperJoints, SpreadTwistsOfMirroredFramesTheSameWay) {
  Character tube = jointed_tube();
  // The hand counts its angles the other way round; nothing else changes.
  tube.nodes[2].rest.scale = {1, 1, -1};
  tube.skins[0].inverse_bind[2].linear = diagonal(Vec3{1, 1, -1});
  ASSERT_LT(distance_of(posed(jointed_tube()), posed(tube)), 1e-6);
  add(tube, {twists(1, 3)});
  const double angle = radians_from_degrees(120);
  EXPECT_NEAR(least_radius(posed(tube, turned("hand", {1, 0, 0}, angle))), std::cos(angle / 8), 2e-3);
}

// ---- Half angles ----

TEST(HelperJoints, OfHalfAnglesKeepMoreOfAnElbow) {
  Character plain = jointed_tube(), helped = plain;
  const AddedHelpers added = add(helped, {helper(HelperKind::half, 1)});
  ASSERT_EQ(added.joints.size(), 1u);
  EXPECT_GT(added.joints[0].point_count, 12u);
  // A ring at the elbow is blended from both bones equally: the point on the inside of a turn by t comes as
  // near to the joint as the cosine of t / 2. The joint that turns by t / 2 takes three quarters of it.
  const Pose bent = turned("fore", {0, 1, 0}, radians_from_degrees(120));
  const auto distance_at_elbow = [](const Character& rest, const Character& tube) {
    double least = INFINITY;
    for (std::size_t v = 0; v < rest.meshes[0].points.size(); ++v) {
      if (std::abs(rest.meshes[0].points[v].x) < 1e-3f)
        least = std::min(least, length(Vec3d(tube.meshes[0].points[v])));
    }
    return least / kRadiusOfTube;
  };
  EXPECT_NEAR(distance_at_elbow(plain, posed(plain, bent)), 0.5, 0.01);
  EXPECT_NEAR(distance_at_elbow(plain, posed(helped, bent)), 0.25 * 0.5 + 0.75, 0.02);
}

TEST(HelperJoints, OfHalfAnglesDoNotTurnSpreadTwistsBack) {
  Character tube = jointed_tube();
  add(tube, {twists(1, 3), helper(HelperKind::half, 1), helper(HelperKind::half, 2)});
  const double angle = radians_from_degrees(120);
  for (const char* joint : {"fore", "hand"})
    EXPECT_GE(least_radius(posed(tube, turned(joint, {1, 0, 0}, angle))), std::cos(angle / 8) - 2e-3)
        << joint;
}

// ---- Bulges and breathing ----

TEST(HelperJoints, BulgeAsFarAsStatedAtTheirAngleAndByTheirControl) {
  const Character rest = jointed_tube();
  Character tube = rest;
  const AddedHelpers added = add(tube, {helper(HelperKind::bulge, 0, 1.4, 1)});
  ASSERT_EQ(added.joints.size(), 1u);
  EXPECT_EQ(added.joints[0].control, "flex.upper");
  const Character bent = posed(tube, turned("fore", {0, 0, 1}, radians_from_degrees(90)));
  EXPECT_NEAR(mean_radius_at(rest, bent, -0.5), 1.4, 0.01);
  const Character further = posed(tube, turned("fore", {0, 0, 1}, radians_from_degrees(130)));
  EXPECT_NEAR(mean_radius_at(rest, further, -0.5), 1.4, 0.01);
  const Character half = posed(tube, turned("fore", {0, 0, 1}, radians_from_degrees(45)));
  EXPECT_NEAR(mean_radius_at(rest, half, -0.5), 1.2, 0.01);
  const Character flexed = posed(tube, controlled("flex.upper", 1));
  EXPECT_NEAR(mean_radius_at(rest, flexed, -0.5), 1.4, 0.01);
  EXPECT_NEAR(mean_radius_at(rest, flexed, -0.97), 1, 1e-4);
  EXPECT_NEAR(mean_radius_at(rest, flexed, 0.5), 1, 1e-4);
}

TEST(HelperJoints, BulgeWithoutChangingTheirVolume) {
  Character tube = jointed_tube();
  const AddedHelpers added = add(tube, {helper(HelperKind::bulge, 0, 2.0, 1)});
  ASSERT_EQ(added.joints.size(), 1u);
  for (int degrees = 0; degrees <= 110; degrees += 5) {
    const Pose bent = turned("fore", {0, 0, 1}, radians_from_degrees(degrees));
    const Result<PoseFrame> frame = pose_frame(tube, {kNone, 0, &bent});
    ASSERT_TRUE(frame);
    EXPECT_NEAR(determinant(frame->world_from_node[at(added.joints[0].node)].linear), 1, 3e-3) << degrees;
  }
}

TEST(HelperJoints, BreatheByTheirControlOnly) {
  const Character rest = jointed_tube();
  Character tube = rest;
  add(tube, {helper(HelperKind::breathe, 1, 1.1)});
  ASSERT_EQ(tube.controls.size(), 1u);
  EXPECT_EQ(tube.controls[0].name, "breathe");
  EXPECT_NEAR(mean_radius_at(rest, posed(tube, controlled("breathe", 1)), 0.5), 1.1, 1e-3);
  EXPECT_NEAR(mean_radius_at(rest, posed(tube, controlled("breathe", 0.5f)), 0.5), 1.05, 1e-3);
  EXPECT_NEAR(mean_radius_at(rest, posed(tube, controlled("breathe", 1)), -0.5), 1, 1e-4);
}

// ---- Sides ----

TEST(HelperJoints, GetTheSameOnTheOtherSide) {
  const Character& made = made_body(MadeKind::humanoid);
  std::vector<Index> unpaired;
  const std::vector<HelperRequest> left = all_kinds(made, "upper_arm_L", "forearm_L", "chest");
  const std::vector<HelperRequest> both = with_other_side(made, left, unpaired);
  EXPECT_TRUE(unpaired.empty());
  EXPECT_EQ(both.size(), 9u);  // the chest has no other side
  Character helped = made;
  const AddedHelpers added = add(helped, both);
  for (const AddedHelper& one : added.joints) {
    const std::string name = helped.nodes[at(one.node)].name;
    const std::size_t side = name.find("_L_");
    if (side == std::string::npos) continue;
    std::string mirrored = name;
    mirrored[side + 1] = 'R';
    const Index other = node_called(helped, mirrored);
    const auto found = std::find_if(added.joints.begin(), added.joints.end(),
                                    [&](const AddedHelper& joint) { return joint.node == other; });
    ASSERT_NE(found, added.joints.end());
    EXPECT_EQ(found->share, one.share);
    EXPECT_NEAR(static_cast<double>(found->point_count), static_cast<double>(one.point_count),
                0.02 * static_cast<double>(one.point_count) + 2);
  }
  // An unequal request for the other side wins over the mirrored one.
  const std::vector<HelperRequest> unequal = {twists(node_called(made, "forearm_L"), 3),
                                              twists(node_called(made, "forearm_R"), 5)};
  EXPECT_EQ(with_other_side(made, unequal, unpaired).size(), 2u);
}

// ---- Names and repetition ----

TEST(HelperJoints, HaveNamesOfTheirOwn) {
  Character tube = jointed_tube();
  tube.nodes[3].name = "fore_twist_1";
  add(tube, {twists(1, 2), helper(HelperKind::half, 1), helper(HelperKind::bulge, 0, 1.3, 1)});
  std::set<std::string> nodes, drivers;
  for (const Node& node : tube.nodes) EXPECT_TRUE(nodes.insert(node.name).second) << node.name;
  for (const Driver& driver : tube.drivers) EXPECT_TRUE(drivers.insert(driver.name).second) << driver.name;
}

TEST(HelperJoints, AreAddedOnce) {
  Character tube = jointed_tube();
  const std::vector<HelperRequest> requests = {twists(1, 2), helper(HelperKind::half, 1),
                                               helper(HelperKind::bulge, 0, 1.3, 1),
                                               helper(HelperKind::breathe, 1, 1.1)};
  EXPECT_TRUE(add(tube, requests).present.empty());
  const Character once = tube;
  const AddedHelpers again = add(tube, requests);
  EXPECT_EQ(again.present.size(), requests.size());
  EXPECT_TRUE(again.joints.empty());
  EXPECT_EQ(tube.nodes.size(), once.nodes.size());
  EXPECT_EQ(tube.drivers, once.drivers);
  EXPECT_EQ(tube.meshes[0].weights, once.meshes[0].weights);
}

// Two runs give the rows of one, as far as the order of the kinds allows: twist joints share their bone.
TEST(HelperJoints, CanBeAddedInTwoRuns) {
  Character tube = jointed_tube();
  add(tube, {twists(1, 3)});
  const Character before = tube;
  const AddedHelpers added = add(tube, {helper(HelperKind::half, 1), helper(HelperKind::half, 2)});
  EXPECT_EQ(added.joints.size(), 2u);
  EXPECT_LT(distance_of(posed(before), posed(tube)), 1e-6);
  const double angle = radians_from_degrees(120);
  EXPECT_GE(least_radius(posed(tube, turned("hand", {1, 0, 0}, angle))), std::cos(angle / 8) - 2e-3);
}

TEST(HelperJoints, AreLeftOutWhereNoPointFollows) {
  Character tube = jointed_tube();
  // All weight of the hand goes to the forearm.
  const std::vector<Index> merged = {0, 1, 1};
  tube.meshes[0].weights = remapped_weights(tube.meshes[0].weights, merged);
  const AddedHelpers added = add(tube, {helper(HelperKind::half, 2), twists(1, 2)});
  EXPECT_EQ(added.useless, std::vector<std::size_t>{0});
  ASSERT_EQ(added.joints.size(), 2u);
  EXPECT_EQ(added.joints[0].spread, TwistSpread::own);  // a hand that nothing follows has no twist to spread
}

// ---- Bad requests ----

TEST(HelperJoints, SayWhatIsWrongWithARequest) {
  const Character tube = jointed_tube();
  EXPECT_NE(failure(tube, twists(1, 0)).find("1 to 16"), std::string::npos);
  EXPECT_NE(failure(tube, twists(1, 1000)).find("1 to 16"), std::string::npos);
  EXPECT_NE(failure(tube, twists(2, 3)).find("has no bone"), std::string::npos);
  EXPECT_NE(failure(tube, twists(3, 3)).find("not a joint of a skin"), std::string::npos);
  EXPECT_NE(failure(tube, twists(77, 3)).find("does not exist"), std::string::npos);
  EXPECT_NE(failure(tube, helper(HelperKind::half, 0)).find("no joint above"), std::string::npos);
  EXPECT_NE(failure(tube, helper(HelperKind::bulge, 0, NAN, 1)).find("scale"), std::string::npos);
  EXPECT_NE(failure(tube, helper(HelperKind::bulge, 0, 1.3, 0)).find("the same"), std::string::npos);
  EXPECT_NE(failure(tube, helper(HelperKind::breathe, 0, INFINITY)).find("scale"), std::string::npos);
  HelperRequest flat = helper(HelperKind::bulge, 0, 1.3, 1);
  flat.angle = 0;
  EXPECT_NE(failure(tube, flat).find("angle"), std::string::npos);
}

}  // namespace
}  // namespace dermis
