// SPDX-License-Identifier: MIT
// Straight rest poses: what points where, what stays, and that the pose a body came in does not matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "characters.h"
#include "dermis/deform.h"
#include "dermis/made.h"

namespace dermis {
namespace {

const Character& person() {
  static const Character character = *make_character(MadeKind::humanoid, {2000}, {});
  return character;
}
const Character& animal() {
  static const Character character = *make_character(MadeKind::quadruped, {2000}, {});
  return character;
}

// A moment of its clip as its rest.
Character resting_in_clip(const Character& character, double time) {
  const Result<PoseFrame> frame = pose_frame(character, {0, time, nullptr});
  std::vector<Node> nodes = character.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n].rest = frame->local[n].transform;
  const Result<Character> posed = rest_in_pose(character, nodes, {});
  EXPECT_TRUE(posed) << posed.error().sentence;
  return *posed;
}

Character straightened(const Character& character, StraightArms arms = StraightArms::t) {
  const Result<MappedJoints> mapped = map_joints(character);
  EXPECT_TRUE(mapped) << mapped.error().sentence;
  const Result<StraightBody> body = straight_body(character, mapped->roles, arms);
  EXPECT_TRUE(body) << body.error().sentence;
  const Result<Character> straight = rest_in_pose(character, body->nodes, {});
  EXPECT_TRUE(straight) << straight.error().sentence;
  return *straight;
}

Vec3d place(const Character& character, const std::string& joint) {
  return rest_world(character)[at(*find_node(character, joint))].translation;
}
Vec3d bone(const Character& character, const std::string& from, const std::string& to) {
  return normalized(place(character, to) - place(character, from));
}

constexpr std::array kFirmJoints{"spine",     "chest",     "neck",      "upper_arm_L", "upper_arm_R",
                                 "forearm_L", "forearm_R", "hand_L",    "hand_R",      "thigh_L",
                                 "thigh_R",   "shin_L",    "shin_R",    "foot_L",      "foot_R",
                                 "index_1_L", "index_2_L", "index_3_L", "pinky_3_R"};

TEST(Straight, ArmsAreLevelOrHalfwayDownLegsAndTrunkUpright) {
  for (const StraightArms arms : {StraightArms::t, StraightArms::a}) {
    const Character body = straightened(resting_in_clip(person(), 0.4), arms);
    SCOPED_TRACE(name_of(arms));
    const Vec3d left = arms == StraightArms::t ? Vec3d{1, 0, 0} : normalized(Vec3d{1, -1, 0});
    const Vec3d right{-left.x, left.y, left.z};
    EXPECT_LT(length(bone(body, "upper_arm_L", "forearm_L") - left), 1e-5);
    EXPECT_LT(length(bone(body, "forearm_L", "hand_L") - left), 1e-5);
    EXPECT_LT(length(bone(body, "upper_arm_R", "forearm_R") - right), 1e-5);
    EXPECT_LT(length(bone(body, "forearm_R", "hand_R") - right), 1e-5);
    for (const std::string side : {"_L", "_R"}) {
      EXPECT_LT(length(bone(body, "thigh" + side, "shin" + side) - Vec3d{0, -1, 0}), 1e-5);
      EXPECT_LT(length(bone(body, "shin" + side, "foot" + side) - Vec3d{0, -1, 0}), 1e-5);
      const Vec3d foot = bone(body, "foot" + side, "toe" + side);
      EXPECT_NEAR(foot.x, 0, 1e-5);
      EXPECT_GT(foot.z, 0.5);
    }
    EXPECT_LT(length(bone(body, "spine", "chest") - Vec3d{0, 1, 0}), 1e-5);
    EXPECT_LT(length(bone(body, "chest", "neck") - Vec3d{0, 1, 0}), 1e-5);
    EXPECT_LT(length(bone(body, "neck", "head") - Vec3d{0, 1, 0}), 1e-5);
  }
}

TEST(Straight, PoseTheBodyCameInDoesNotMatter) {
  const Character own = straightened(person());
  const Result<Character> surface = deform_character(own, *pose_frame(own, {}), {});
  for (const double time : {0.0, 0.35, 0.8}) {
    SCOPED_TRACE(time);
    const Character body = straightened(resting_in_clip(person(), time));
    const Vec3d way = place(own, "hips") - place(body, "hips");
    for (const std::string joint : kFirmJoints)
      EXPECT_LT(length(place(body, joint) + way - place(own, joint)), 2e-5) << joint;
    // Soles are level to three degrees.
    EXPECT_LT(length(place(body, "toe_L") + way - place(own, "toe_L")), 0.02);
    const Result<Character> again = deform_character(body, *pose_frame(body, {}), {});
    double sum = 0, most = 0;
    for (std::size_t v = 0; v < surface->meshes[0].points.size(); ++v) {
      const double off =
          length(Vec3d(again->meshes[0].points[v]) + way - Vec3d(surface->meshes[0].points[v]));
      sum += off, most = std::max(most, off);
    }
    // Of 1.75 m: skin that is blended twice, at shoulders, hips and twisted forearms.
    EXPECT_LT(sum / static_cast<double>(surface->meshes[0].points.size()), 0.008);
    EXPECT_LT(most, 0.08);
  }
}

TEST(Straight, StraightBodyStaysAsItIs) {
  for (const Character* character : {&person(), &animal()}) {
    const Character once = straightened(resting_in_clip(*character, 0.3)), twice = straightened(once);
    for (std::size_t n = 0; n < once.nodes.size(); ++n)
      EXPECT_LT(length(rest_world(once)[n].translation - rest_world(twice)[n].translation), 1e-5)
          << once.nodes[n].name;
    for (std::size_t v = 0; v < once.meshes[0].points.size(); ++v)
      ASSERT_LT(length(Vec3d(once.meshes[0].points[v] - twice.meshes[0].points[v])), 1e-5) << v;
  }
}

TEST(Straight, LeftAndRightAreMirrorImages) {
  for (const Character* character : {&person(), &animal()}) {
    const Character body = straightened(resting_in_clip(*character, 0.3));
    const Vec3d hips = place(body, "hips");
    for (const Node& node : body.nodes) {
      // Ears follow the head, which may be turned; toes stand on soles that are level to three degrees.
      if (!node.name.ends_with("_L") || node.name.starts_with("toe") || node.name.starts_with("ear"))
        continue;
      const Vec3d left = place(body, node.name) - hips,
                  right = place(body, node.name.substr(0, node.name.size() - 1) + "R") - hips;
      EXPECT_LT(length(Vec3d(-right.x, right.y, right.z) - left), 1e-4) << node.name;
    }
  }
}

TEST(Straight, LengthsOfBonesStay) {
  const Character body = straightened(resting_in_clip(person(), 0.4));
  for (const Node& node : body.nodes) {
    if (node.parent == kNone) continue;
    const std::string& parent = person().nodes[at(node.parent)].name;
    EXPECT_NEAR(length(place(body, node.name) - place(body, parent)),
                length(place(person(), node.name) - place(person(), parent)), 1e-5);
  }
}

TEST(Straight, LowestSoleKeepsItsHeight) {
  const Character posed = resting_in_clip(person(), 0.4), body = straightened(posed);
  const auto lowest = [](const Character& character) {
    double low = INFINITY;
    for (const Vec3& point : character.meshes[0].points) low = std::min(low, static_cast<double>(point.y));
    return low;
  };
  EXPECT_NEAR(lowest(body), lowest(posed), 0.01);
}

TEST(Straight, AnimalStandsOnLegsOfOneHeightBelowALevelTrunk) {
  const Character body = straightened(resting_in_clip(animal(), 0.2));
  const auto sole = [&](const std::string& joint) { return place(body, joint).y; };
  EXPECT_NEAR(sole("front_toe_L"), sole("front_toe_R"), 1e-4);
  EXPECT_NEAR(sole("hind_toe_L"), sole("hind_toe_R"), 1e-4);
  EXPECT_NEAR(sole("front_toe_L"), sole("hind_toe_L"), 0.01);
  EXPECT_GT(bone(body, "hips", "spine").z, std::cos(radians_from_degrees(15.01)));
  for (const std::string leg : {"front", "hind"})
    EXPECT_LT(bone(body, leg + "_upper_L", leg + "_toe_L").y, -0.999);
}

TEST(Straight, FacingIsKeptApartFromAFewDegrees) {
  Character turned = person();
  for (const double degrees : {90.0, 10.0, 40.0}) {
    turned.nodes = person().nodes;
    const Quatd turn = quat_from_axis_angle({0, 1, 0}, radians_from_degrees(degrees));
    for (Node& node : turned.nodes) {
      if (node.parent != kNone) continue;
      node.rest.rotation = Quat(turn * Quatd(node.rest.rotation));
      node.rest.translation = Vec3(rotate(turn, Vec3d(node.rest.translation)));
    }
    const Character body = straightened(turned);
    const double facing = degrees == 10 ? 0 : radians_from_degrees(degrees);
    EXPECT_LT(length(bone(body, "upper_arm_L", "forearm_L") - Vec3d{std::cos(facing), 0, -std::sin(facing)}),
              1e-4)
        << degrees;
  }
}

TEST(Straight, RetargetedWalkLooksTheSame) {
  const Character walk = *make_motion(MadeMotion::walk);
  const auto walking = [&](Character character) {
    character.clips.clear();
    const Result<MappedMotion> map = map_motion(walk, character);
    Result<RetargetedClip> clip = retarget_clip(walk, 0, character, map->map);
    EXPECT_TRUE(clip);
    character.clips.push_back(std::move(clip->clip));
    return character;
  };
  const Character own = walking(person()), straight = walking(straightened(resting_in_clip(person(), 0.4)));
  double most = 0;
  for (double time = 0; time < 1; time += 0.1) {
    const std::vector<Affined> a = pose_frame(own, {0, time, nullptr})->world_from_node,
                               b = pose_frame(straight, {0, time, nullptr})->world_from_node;
    const std::size_t hips = at(*find_node(own, "hips"));
    for (const std::string joint : kFirmJoints) {
      const std::size_t n = at(*find_node(own, joint));
      most = std::max(
          most, length((a[n].translation - a[hips].translation) - (b[n].translation - b[hips].translation)));
    }
  }
  EXPECT_LT(most, 0.06);
}

TEST(Straight, FingersThatAMotionDoesNotMoveAreBentTowardsThePalm) {
  const Character walk = *make_motion(MadeMotion::walk), body = straightened(person());
  MotionMap map = map_motion(walk, body)->map;
  for (const JointRole left :
       {JointRole::thumb_l, JointRole::index_l, JointRole::middle_l, JointRole::ring_l, JointRole::pinky_l}) {
    for (const int side : {0, 13})
      map.source.joints[static_cast<std::size_t>(left) + static_cast<std::size_t>(side)].clear();
  }
  Result<RetargetedClip> clip = retarget_clip(walk, 0, body, map);
  ASSERT_TRUE(clip) << clip.error().sentence;
  EXPECT_TRUE(std::any_of(clip->notes.begin(), clip->notes.end(),
                          [](const Note& note) { return note.id == "fingers-relaxed"; }));
  Character moved = body;
  moved.clips = {clip->clip};
  const std::vector<Affined> rest = rest_world(moved),
                             now = pose_frame(moved, {0, 0.3, nullptr})->world_from_node;
  for (const std::string side : {"_L", "_R"}) {
    const std::size_t hand = at(*find_node(moved, "hand" + side)),
                      first = at(*find_node(moved, "middle_1" + side)),
                      last = at(*find_node(moved, "middle_3" + side));
    // Palms are down in the T-pose: the finger, carried back to it, points down by about the first two bends.
    const Affined back = rest[hand] * inverse(now[hand]);
    const Vec3d finger = normalized(back * now[last].translation - back * now[first].translation);
    EXPECT_LT(finger.y, -0.3) << side;
    EXPECT_GT(finger.y, -0.8) << side;
  }
  // Hands that rest curled stay.
  const Character& curled = person();
  MotionMap own = map_motion(walk, curled)->map;
  for (std::size_t r = 0; r < kRoleCount; ++r) {
    if (std::string_view(joint_roles()[r].words).find("finger") != std::string_view::npos)
      own.source.joints[r].clear();
  }
  clip = retarget_clip(walk, 0, curled, own);
  ASSERT_TRUE(clip) << clip.error().sentence;
}

TEST(Straight, BodiesWithoutLimbsAreRefused) {
  const Result<StraightBody> none = straight_body(person(), RoleMap{}, StraightArms::t);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::bad_rig);
  RoleMap alone;
  alone.of(JointRole::hips) = {*find_node(person(), "hips")};
  EXPECT_FALSE(straight_body(person(), alone, StraightArms::t));
}

TEST(Straight, FeetThatHangFromTheRootAreRefused) {
  Character control = person();
  control.nodes[at(*find_node(control, "foot_L"))].parent = kNone;
  const Result<MappedJoints> mapped = map_joints(person());
  const Result<StraightBody> body = straight_body(control, mapped->roles, StraightArms::t);
  ASSERT_FALSE(body);
  EXPECT_NE(body.error().sentence.find("foot_L"), std::string::npos);
}

}  // namespace
}  // namespace dermis
