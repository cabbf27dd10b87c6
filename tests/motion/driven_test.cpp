// SPDX-License-Identifier: MIT
// Driven joints and shapes against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "characters.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

using test::channel_of;
using test::node_at;
using enum Interpolation;

PoseFrame posed_at(const Character& character, Index clip, double time) {
  Result<PoseFrame> frame = pose_frame(character, {clip, time, nullptr});
  EXPECT_TRUE(frame.ok()) << frame.error().sentence;
  return frame.ok() ? *frame : PoseFrame{};
}

PoseFrame posed_as(const Character& character, const Pose& pose) {
  Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
  EXPECT_TRUE(frame.ok()) << frame.error().sentence;
  return frame.ok() ? *frame : PoseFrame{};
}

Pose turned(const std::string& node, const Vec3d& axis, double degrees) {
  NodePose one;
  one.node = node;
  one.turn = Quat(quat_from_axis_angle(axis, radians_from_degrees(degrees)));
  Pose pose;
  pose.nodes = {one};
  return pose;
}

double angle_between(const Quatd& a, const Quatd& b) { return length(log(conjugate(a) * b)); }

Quatd rotation_of_node(const PoseFrame& frame, Index node) {
  return normalized(Quatd(frame.local[at(node)].transform.rotation) * frame.local[at(node)].turn);
}

// Two joints: "source" and, below it or beside it, "node".
Character two_joints() {
  Character character;
  character.nodes = {node_at("root", kNone, {}), node_at("source", 0, {1, 0, 0}),
                     node_at("node", 0, {2, 0, 0})};
  return character;
}

Driver turn_share(RotationPart part, float share, const Vec3& axis = {0, 1, 0}) {
  DrivenRotation rule;
  rule.node = 2;
  rule.source = 1;
  rule.part = part;
  rule.axis = axis;
  rule.share = share;
  return {"share", rule};
}

// Node 2 turns about z by a curve of the angle of node 1 about x.
Driver angle_to_turn(const DriverCurve& curve) {
  DriverFactor from;
  from.input = DriverInput::turn;
  from.node = 1;
  from.axis = {1, 0, 0};
  from.curve = curve;
  DrivenValue rule;
  rule.output = DriverOutput::turn;
  rule.node = 2;
  rule.axis = {0, 0, 1};
  rule.factors.push_back(from);
  return {"angle", rule};
}

// The value of a curve at `input`, by a driven shape and a control.
double value_of(const DriverCurve& curve, double input) {
  Character character = test::crowded_character();
  DriverFactor from;
  from.control = 0;
  from.curve = curve;
  DrivenValue rule;
  rule.shape = "smile";
  rule.factors.push_back(from);
  character.drivers = {{"curve", rule}};
  EXPECT_TRUE(validate(character)) << validate(character).error().sentence;
  Pose pose;
  pose.controls = {{"breath", static_cast<float>(input)}};
  return static_cast<double>(posed_as(character, pose).shape_weights[0][0]);
}

TEST(DriverCurve, IsLinearBetweenKeysAndContinuesOrStopsAtItsEnds) {
  DriverCurve curve{{{0, 1, 9}, {1, 3, 9}, {3, 2, 9}}, false, true};
  EXPECT_DOUBLE_EQ(value_of(curve, 0.5), 2);
  EXPECT_DOUBLE_EQ(value_of(curve, 2), 2.5);
  EXPECT_DOUBLE_EQ(value_of(curve, -1), -1);
  EXPECT_DOUBLE_EQ(value_of(curve, 5), 1);
  curve.extends = false;
  EXPECT_DOUBLE_EQ(value_of(curve, -1), 1);
  EXPECT_DOUBLE_EQ(value_of(curve, 5), 2);
}

TEST(DriverCurve, SplinesAreHermite) {
  // By hand: halfway between 0 and 2, (0 + 2) / 2 + (2 - 0) / 8 * (1 - (-1)) = 1.5 for a span of two.
  const DriverCurve curve{{{0, 0, 1}, {2, 2, -1}}, true, true};
  EXPECT_DOUBLE_EQ(value_of(curve, 1), 1.5);
  EXPECT_DOUBLE_EQ(value_of(curve, 0.5), 0.6875);
  EXPECT_DOUBLE_EQ(value_of(curve, 3), 1);
  EXPECT_DOUBLE_EQ(value_of(curve, -1), -1);
}

TEST(DriverCurve, OfOneKeyIsConstantOrALineAlongItsSlope) {
  EXPECT_DOUBLE_EQ(value_of({{{2, 5, 3}}, false, true}, 4), 5);
  EXPECT_DOUBLE_EQ(value_of({{{2, 5, 3}}, true, true}, 4), 11);
  EXPECT_DOUBLE_EQ(value_of({{{2, 5, 3}}, true, false}, 4), 5);
}

TEST(Drivers, OfOneShapeAddUpAndFactorsMultiply) {
  Character character = test::crowded_character();
  DriverFactor breath, bulge;
  breath.control = 0;
  bulge.control = 1;
  DrivenValue product, sum;
  product.shape = sum.shape = "smile";
  product.factors.push_back(breath);
  product.factors.push_back(bulge);
  product.base = 0.5f;
  sum.factors.push_back(breath);
  character.drivers = {{"product", product}, {"sum", sum}};
  character.instances[0].shape_weights[0] = 77;  // a driven value at rest is ignored
  Pose pose;
  pose.controls = {{"breath", 2}, {"bulge", 3}};
  EXPECT_FLOAT_EQ(posed_as(character, pose).shape_weights[0][0], 0.5f + 6 + 2);
  pose.shapes = {{"smile", 4}};
  EXPECT_FLOAT_EQ(posed_as(character, pose).shape_weights[0][0], 4) << "what a pose sets wins";
}

TEST(Drivers, ThatScaleMultiply) {
  Character character = two_joints();
  character.controls = {{"c", 1}};
  character.nodes[2].rest.scale = {2, 1, 1};
  DriverFactor from;
  from.control = 0;
  DrivenValue a, b;
  a.output = b.output = DriverOutput::scale;
  a.node = b.node = 2;
  a.axis = {1, 0.5f, 0};
  b.axis = {1, 0, 0};
  a.base = 1, b.base = 2;  // 2 and 3
  a.factors.push_back(from);
  b.factors.push_back(from);
  character.drivers = {{"a", a}, {"b", b}};
  EXPECT_EQ(posed_as(character, {}).local[2].transform.scale, (Vec3{12, 1.5f, 1}));
}

TEST(DrivenRotation, OfHalfAnAngleIsSlerp) {
  Character character = two_joints();
  character.drivers = {turn_share(RotationPart::whole, 0.5f)};
  test::Random random(7);
  for (int k = 0; k < 100; ++k) {
    const Quatd turn = random.rotation();
    Pose pose = turned("source", {1, 0, 0}, 0);
    pose.nodes[0].turn = Quat(turn);
    const Quatd expected = slerp({}, turn, 0.5);
    EXPECT_LT(angle_between(rotation_of_node(posed_as(character, pose), 2), expected), 1e-6) << k;
  }
}

TEST(DrivenRotation, OfSwingAndOfTwistAreTheWholeTogether) {
  test::Random random(8);
  for (int k = 0; k < 100; ++k) {
    Character character = two_joints();
    const Vec3 axis(normalized(random.vector()));
    Pose pose = turned("source", {1, 0, 0}, 0);
    pose.nodes[0].turn = Quat(random.rotation());
    character.drivers = {turn_share(RotationPart::swing, 1, axis)};
    const Quatd swing = rotation_of_node(posed_as(character, pose), 2);
    character.drivers = {turn_share(RotationPart::twist, 1, axis)};
    const Quatd twist = rotation_of_node(posed_as(character, pose), 2);
    EXPECT_LT(angle_between(swing * twist, Quatd(*pose.nodes[0].turn)), 1e-5) << k;
    EXPECT_NEAR(length(rotate(twist, Vec3d(axis)) - Vec3d(axis)), 0, 1e-6) << "a twist keeps its axis";
    EXPECT_NEAR(dot(swing.xyz(), Vec3d(axis)), 0, 1e-6) << "a swing is about an axis across";
  }
}

TEST(DrivenRotation, IsTheSameInTheWorldWhateverTheFramesAtRest) {
  test::Random random(9);
  for (int k = 0; k < 50; ++k) {
    Character character = two_joints();
    character.nodes[1].rest.rotation = Quat(random.rotation());
    character.nodes[2].rest.rotation = Quat(random.rotation());
    character.drivers = {turn_share(RotationPart::whole, 1)};
    Pose pose = turned("source", {1, 0, 0}, 0);
    pose.nodes[0].turn = Quat(random.rotation());
    const std::vector<Affined> rest = rest_world(character);
    const PoseFrame frame = posed_as(character, pose);
    const Mat3d source = frame.world_from_node[1].linear * inverse(rest[1].linear),
                node = frame.world_from_node[2].linear * inverse(rest[2].linear);
    EXPECT_LT(max_difference({source, {}}, {node, {}}), 1e-5) << k;
  }
}

// The tube on "near" and "far", with K joints in between that take their share of the twist of "far", and
// weights linear between neighbours. `far` turns about the tube's axis.
double least_radius(int joint_count, double degrees) {
  const test::TubeShape shape{97, 32, 2, 1, false};  // 96 intervals: a multiple of all counts but 5 and 7
  Character character = test::tube_character(shape, {0, 0, 0});
  const Vec3 way = character.meshes[0].points.back() - character.meshes[0].points.front();
  const Vec3 axis = std::abs(way.x) > 1.5f   ? Vec3{1, 0, 0}
                    : std::abs(way.y) > 1.5f ? Vec3{0, 1, 0}
                                             : Vec3{0, 0, 1};
  Skin& skin = character.skins[0];
  for (int k = 1; k <= joint_count; ++k) {
    DrivenRotation rule;
    rule.node = static_cast<Index>(character.nodes.size());
    rule.source = 1;
    rule.part = RotationPart::twist;
    rule.axis = axis;
    rule.share = static_cast<float>(k) / static_cast<float>(joint_count + 1);
    character.nodes.push_back(node_at(("t" + std::to_string(k)).c_str(), 0, {}));
    character.drivers.push_back({"t" + std::to_string(k), rule});
    skin.node.push_back(rule.node);
    skin.inverse_bind.push_back({});
  }
  Mesh& mesh = character.meshes[0];
  WeightRowBuilder rows;
  const double first = dot(Vec3d(mesh.points.front()), Vec3d(axis));
  for (const Vec3& point : mesh.points) {
    const double place = (dot(Vec3d(point), Vec3d(axis)) - first) / shape.length * (joint_count + 1);
    const int below = std::clamp(static_cast<int>(place), 0, joint_count);
    const auto slot = [&](int k) { return k == 0 ? 0 : k == joint_count + 1 ? 1 : k + 1; };
    rows.add(slot(below), static_cast<float>(1 - (place - below)));
    rows.add(slot(below + 1), static_cast<float>(place - below));
    rows.close_row(1);
  }
  mesh.weights = rows.take();
  EXPECT_TRUE(validate(character)) << validate(character).error().sentence;
  const PoseFrame frame = posed_as(character, turned("far", Vec3d(axis), degrees));
  double least = 1;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    Vec3d point;
    for (const Influence& influence : mesh.weights.row(v)) {
      point +=
          frame.palette[at(influence.slot)] * Vec3d(mesh.points[v]) * static_cast<double>(influence.weight);
    }
    const Vec3d across = point - Vec3d(axis) * dot(point, Vec3d(axis));
    if (length(Vec3d(mesh.points[v]) - Vec3d(axis) * dot(Vec3d(mesh.points[v]), Vec3d(axis))) > 0.99)
      least = std::min(least, length(across));
  }
  return least;
}

TEST(DrivenRotation, MakesATwistedTubeAsThickAsItsJointsAllow) {
  // Neighbouring joints are 180 / (K + 1) degrees apart, and halfway between them lbs gives the cosine of
  // half of that. With 96 intervals there is a ring at each half way if 2 (K + 1) divides 96.
  for (int joints = 0; joints <= 7; ++joints) {
    const double expected = std::cos(kPi / (2 * (joints + 1)));
    const double slack = 96 % (2 * (joints + 1)) == 0 ? 1e-5 : 1e-3;
    EXPECT_NEAR(least_radius(joints, 179.9999), expected, slack) << joints;
  }
}

// Node 1 of clip 0 turns about x by `degrees` at each second.
Clip turning(std::vector<double> degrees, Interpolation interpolation = linear) {
  std::vector<float> times, values;
  for (std::size_t k = 0; k < degrees.size(); ++k) {
    times.push_back(static_cast<float>(k));
    const Quat q(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(degrees[k])));
    for (const float x : {q.x, q.y, q.z, q.w}) values.push_back(x);
  }
  Clip clip;
  clip.channels = {channel_of(ChannelPath::rotation, 1, interpolation, times, values)};
  return clip;
}

// The angle by which node 2 turned, as a fraction of a known one.
double driven_degrees(const PoseFrame& frame) {
  const Quat& q = frame.local[2].transform.rotation;
  return degrees_from_radians(2 * std::atan2(static_cast<double>(q.z), static_cast<double>(q.w)));
}

TEST(Drivers, FollowAnAngleThroughSeveralTurns) {
  Character character = two_joints();
  character.clips = {turning({0, 120, 240, 360, 480, 600, 720, 600, 300, 140, -40, -220})};
  // A tenth, so that the angle written stays below half a turn.
  character.drivers = {angle_to_turn({{{0, 0, 0}, {10, 1, 0}}, false, true})};
  const Result<Poser> poser = prepare_poser(character);
  ASSERT_TRUE(poser);
  PoseFrame frame;
  ASSERT_TRUE(pose(*poser, {0, 6, nullptr}, frame));
  EXPECT_NEAR(driven_degrees(frame), 72, 1e-3);
  ASSERT_TRUE(pose(*poser, {0, 2.5, nullptr}, frame));
  EXPECT_NEAR(driven_degrees(frame), 30, 1e-3);
  ASSERT_TRUE(pose(*poser, {0, 0.5, nullptr}, frame));
  EXPECT_NEAR(driven_degrees(frame), 6, 1e-3);
  // From 600 to 300 is shorter forwards: 660. Then 500 is 140, and so on.
  ASSERT_TRUE(pose(*poser, {0, 8, nullptr}, frame));
  EXPECT_NEAR(driven_degrees(frame), 66, 1e-3);
  EXPECT_NEAR(driven_degrees(posed_at(character, 0, 8)), 66, 1e-3) << "one frame alone is the same";
}

TEST(Drivers, ReadARotationThatAPoseSetsAsItIs) {
  Character character = two_joints();
  character.clips = {turning({0, 170, 340, 510, 680})};
  character.drivers = {angle_to_turn({{{0, 0, 0}, {10, 1, 0}}, false, true})};
  NodePose set;
  set.node = "source";
  set.rotation = Quat(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(100)));
  Pose pose;
  pose.nodes = {set};
  EXPECT_NEAR(driven_degrees(*pose_frame(character, {0, 4, &pose})), 10, 1e-3);
  pose.nodes[0].rotation.reset();
  pose.nodes[0].turn = Quat(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(100)));
  EXPECT_NEAR(driven_degrees(*pose_frame(character, {0, 4, &pose})), 78, 1e-3) << "a turn comes on top";
}

TEST(Drivers, GiveTheSameFrameInAnyOrderOfTimes) {
  Character character = two_joints();
  character.clips = {turning({0, 170, 340, 510, 680})};
  character.drivers = {angle_to_turn({{{0, 0, 0}, {10, 1, 0}}, false, true}),
                       turn_share(RotationPart::twist, 0.25f, {1, 0, 0})};
  const Result<Poser> poser = prepare_poser(character);
  ASSERT_TRUE(poser);
  std::vector<Quat> forward;
  PoseFrame frame;
  for (int k = 0; k <= 400; ++k) {
    ASSERT_TRUE(pose(*poser, {0, k * 0.01, nullptr}, frame));
    forward.push_back(frame.local[2].transform.rotation);
    if (k > 0) {
      EXPECT_LT(angle_between(Quatd(forward[at(k - 1)]), Quatd(forward.back())), 0.02) << k;
    }
  }
  for (int k = 400; k >= 0; --k) {
    ASSERT_TRUE(pose(*poser, {0, k * 0.01, nullptr}, frame));
    EXPECT_EQ(frame.local[2].transform.rotation, forward[at(k)]);
  }
}

TEST(DrivenRotation, FollowsWholeTurnsToo) {
  Character character = two_joints();
  character.clips = {turning({0, 170, 340, 510, 680})};
  for (const RotationPart part : {RotationPart::whole, RotationPart::twist}) {
    character.drivers = {turn_share(part, 0.25f, {1, 0, 0})};
    const Quat q = posed_at(character, 0, 4).local[2].transform.rotation;
    EXPECT_NEAR(degrees_from_radians(2 * std::atan2(static_cast<double>(q.x), static_cast<double>(q.w))), 170,
                0.05);
  }
}

TEST(Drivers, FollowAngleOfAJointThatIsDrivenItself) {
  Character character = two_joints();
  character.clips = {turning({0, 170, 340, 510, 680})};
  character.nodes.push_back(node_at("third", 0, {3, 0, 0}));
  DrivenRotation quarter;
  quarter.node = 3;
  quarter.source = 2;
  quarter.share = 0.25f;
  character.drivers = {{"third", quarter}, turn_share(RotationPart::whole, 1)};
  const Quat q = posed_at(character, 0, 4).local[3].transform.rotation;
  EXPECT_NEAR(degrees_from_radians(2 * std::atan2(static_cast<double>(q.x), static_cast<double>(q.w))), 170,
              0.05);
}

TEST(Drivers, ReadATwistThatASwingOfHalfATurnHides) {
  Character character = two_joints();
  character.drivers = {turn_share(RotationPart::twist, 1, {1, 0, 0})};
  const PoseFrame frame = posed_as(character, turned("source", {0, 1, 0}, 180));
  EXPECT_LT(angle_between(rotation_of_node(frame, 2), {}), 1e-6) << "no twist, rather than any";
}

TEST(Drivers, AtTheBindAngleLeaveABulgeAlone) {
  Character character = two_joints();
  character.nodes[1].rest.rotation = Quat(test::Random(3).rotation());
  DriverFactor angle;
  angle.input = DriverInput::turn;
  angle.node = 1;
  angle.axis = {0, 0, 1};
  angle.curve.keys = {{0, 0, 0}, {2, 0.3f, 0}};
  DrivenValue bulge;
  bulge.output = DriverOutput::scale;
  bulge.node = 2;
  bulge.axis = {1, 0, 1};
  bulge.base = 1;
  bulge.factors.push_back(angle);
  character.drivers = {{"bulge", bulge}};
  EXPECT_EQ(posed_as(character, {}).local[2].transform, character.nodes[2].rest);
  const PoseFrame bent = posed_as(character, turned("source", {0, 0, 1}, degrees_from_radians(1)));
  EXPECT_NEAR(bent.local[2].transform.scale.x, 1.15f, 1e-6);
  EXPECT_EQ(bent.local[2].transform.scale.y, 1);
}

TEST(Drivers, ReadSwingTranslationAndScale) {
  Character character = test::crowded_character();
  const auto reads = [&](DriverInput input, const Vec3& axis) {
    DriverFactor from;
    from.input = input;
    from.node = 1;
    from.axis = axis;
    DrivenValue rule;
    rule.shape = "smile";
    rule.factors.push_back(from);
    character.drivers = {{"read", rule}};
    NodePose node;
    node.node = "hip";
    node.translation = Vec3{0, 3, 0};  // rests at y = 1
    node.scale = Vec3{4, 1, 1};
    node.rotation = Quat(quat_from_axis_angle({0, 0, 1}, 2));
    Pose pose;
    pose.nodes = {node};
    return posed_as(character, pose).shape_weights[0][0];
  };
  EXPECT_FLOAT_EQ(reads(DriverInput::swing, {0, 1, 0}), 2);
  EXPECT_NEAR(reads(DriverInput::swing, {0, 0, 1}), 0, 1e-6);
  EXPECT_NEAR(reads(DriverInput::turn, {0, 0, 1}), 2, 1e-6);
  EXPECT_FLOAT_EQ(reads(DriverInput::translation, {0, 1, 0}), 2);
  EXPECT_FLOAT_EQ(reads(DriverInput::scale, {1, 0, 0}), 4);
}

TEST(Drivers, OwnWhatTheyWriteButNotTheRestOfANode) {
  Character character = two_joints();
  character.drivers = {turn_share(RotationPart::whole, 1)};
  Clip clip = turning({0, 90});
  clip.channels.push_back(channel_of(ChannelPath::rotation, 2, linear, {0}, {0, 1, 0, 0}));
  clip.channels.push_back(channel_of(ChannelPath::translation, 2, linear, {0}, {7, 0, 0}));
  character.clips = {clip};
  const PoseFrame frame = posed_at(character, 0, 0);
  EXPECT_LT(angle_between(rotation_of_node(frame, 2), {}), 1e-6)
      << "keys of what a driver writes are ignored";
  EXPECT_EQ(frame.local[2].transform.translation, (Vec3{7, 0, 0}));
  NodePose set;
  set.node = "node";
  set.rotation = Quat{0, 0, 1, 0};
  Pose pose;
  pose.nodes = {set};
  EXPECT_EQ(posed_as(character, pose).local[2].transform.rotation, (Quat{0, 0, 1, 0}));
}

TEST(DrivenAim, PointsAtItsTargetAndReachesIt) {
  Character character;
  character.nodes = {node_at("root", kNone, {}), node_at("piston", 0, {1, 0, 0}),
                     node_at("end", 0, {1, 2, 0})};
  character.nodes[1].rest.rotation = Quat(quat_from_axis_angle({0, 0, 1}, 0.3));
  DrivenAim aim;
  aim.node = 1;
  aim.target = 2;
  character.drivers = {{"aim", aim}};
  NodePose moved;
  moved.node = "end";
  moved.translation = Vec3{4, 4, 3};
  Pose pose;
  pose.nodes = {moved};
  const Vec3d rest_tip = inverse(pose_frame(character, {})->world_from_node[1]) * Vec3d{1, 2, 0};
  const Vec3d way = normalized(Vec3d{3, 4, 3});
  for (const bool stretches : {false, true}) {
    std::get<DrivenAim>(character.drivers[0].rule).stretches = stretches;
    const PoseFrame frame = posed_as(character, pose);
    const Vec3d tip = frame.world_from_node[1] * rest_tip - Vec3d{1, 0, 0};
    EXPECT_LT(length(normalized(tip) - way), 1e-6);
    EXPECT_NEAR(length(tip), stretches ? std::sqrt(34.0) : 2, 1e-5);
  }
  std::get<DrivenAim>(character.drivers[0].rule).keeps_volume = 1;
  const PoseFrame frame = posed_as(character, pose);
  EXPECT_NEAR(determinant(frame.world_from_node[1].linear), 1, 1e-5);
  EXPECT_LT(length(frame.world_from_node[1] * rest_tip - Vec3d{4, 4, 3}), 1e-5);
}

TEST(ShapeRules, LimitThenMixInBetweens) {
  Character character = test::driven_character();
  character.drivers.clear();
  const auto shown = [&](float weight) {
    Pose pose;
    pose.shapes = {{"frown", weight}};
    const std::vector<float> weights = posed_as(character, pose).shape_weights[0];
    return std::pair(weights[2], weights[3]);  // frown, frown half
  };
  const auto same = [](std::pair<float, float> a, float x, float y) {
    return std::abs(a.first - x) < 1e-6f && std::abs(a.second - y) < 1e-6f;
  };
  EXPECT_TRUE(same(shown(0), 0, 0));
  EXPECT_TRUE(same(shown(0.25f), 0, 0.5f));
  EXPECT_TRUE(same(shown(0.5f), 0, 1));
  EXPECT_TRUE(same(shown(0.75f), 0.5f, 0.5f));
  EXPECT_TRUE(same(shown(1), 1, 0));
  EXPECT_TRUE(same(shown(1.25f), 1.5f, -0.5f)) << "beyond the last target the mix goes on";
  EXPECT_TRUE(same(shown(9), 2, -1)) << "the limit";
  EXPECT_TRUE(same(shown(-1), 0, 0)) << "the other limit";
  character.shape_rules[0].low = -2;
  EXPECT_TRUE(same(shown(-1), 0, -2));
}

TEST(ShapeRules, LimitWhatDriversRead) {
  Character character = test::driven_character();  // smile follows grin, which is at least 0
  Pose pose;
  pose.shapes = {{"grin", -3}};
  EXPECT_EQ(posed_as(character, pose).shape_weights[0][0], 0);
  pose.shapes = {{"grin", 1.5f}};
  EXPECT_EQ(posed_as(character, pose).shape_weights[0][0], 1.5f);
}

TEST(Drivers, ReadShapesOfTheirOwnInstance) {
  Character character = test::driven_character();
  Instance second = character.instances[0];
  second.node = 2;
  character.instances.insert(character.instances.begin() + 1, second);
  Clip clip;
  clip.channels = {channel_of(ChannelPath::shape_weights, 0, linear, {0}, {0, 0, 0, 0, 0.25f, 0}),
                   channel_of(ChannelPath::shape_weights, 1, linear, {0}, {0, 0, 0, 0, 0.75f, 0})};
  character.clips = {clip};
  ASSERT_TRUE(validate(character)) << validate(character).error().sentence;
  const PoseFrame frame = posed_at(character, 0, 0);
  EXPECT_FLOAT_EQ(frame.shape_weights[0][0], 0.25f);
  EXPECT_FLOAT_EQ(frame.shape_weights[1][0], 0.75f);
}

TEST(Drivers, MoveTheEvenClipLikeThePoser) {
  Character character = test::driven_character();
  const Result<EvenClip> even = even_clip(character, 0, 0, 30);
  ASSERT_TRUE(even);
  SampleScratch scratch;
  std::vector<Affined> palette(character.skins[0].node.size());
  for (std::size_t k = 0; k < even->frame_count; ++k) {
    const double time = even->start + static_cast<double>(k) / even->fps;
    sample_palette(*even, time, scratch, palette);
    const PoseFrame frame = posed_at(character, 0, time);
    for (std::size_t s = 0; s < palette.size(); ++s)
      EXPECT_LT(max_difference(palette[s], frame.palette[s]), 1e-5) << k << " " << s;
  }
}

TEST(Drivers, ScaleWithLengths) {
  Character character = two_joints();
  character.controls = {{"c", 1}};
  DriverFactor moved, control;
  moved.input = DriverInput::translation;
  moved.node = 1;
  moved.axis = {1, 0, 0};
  moved.curve = {{{0, 0, 0.5f}, {2, 3, 1}, {4, 2, 0}}, true, true};
  control.control = 0;
  DrivenValue rule;
  rule.output = DriverOutput::translation;
  rule.node = 2;
  rule.base = 0.25f;
  rule.factors.push_back(moved);
  rule.factors.push_back(control);
  character.drivers = {{"slide", rule}};
  Character large = character;
  scale_lengths(large, 100);
  for (const float x : {-1.0f, 0.0f, 0.7f, 3.0f, 6.0f}) {
    NodePose node;
    node.node = "source";
    node.translation = Vec3{1 + x, 0, 0};
    Pose pose, large_pose;
    pose.nodes = {node};
    node.translation = Vec3{100 + 100 * x, 0, 0};
    large_pose.nodes = {node};
    const Vec3d small = posed_as(character, pose).world_from_node[2].translation;
    EXPECT_LT(length(posed_as(large, large_pose).world_from_node[2].translation - small * 100), 1e-3) << x;
  }
}

}  // namespace
}  // namespace dermis
