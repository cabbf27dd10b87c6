// SPDX-License-Identifier: MIT
// The points of feet that the floor is judged by: which they are, and how they move.
#include "motion/soles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "characters.h"
#include "dermis/made.h"

namespace dermis {
namespace {

const Character& standing_humanoid() {
  static const Character character = *make_character(MadeKind::humanoid, {1500}, {});
  return character;
}

// A made person at rest, each joint with a rotation of its own.
struct Posed {
  const Character& character = standing_humanoid();
  RoleMap roles = map_joints(character)->roles;
  ReferencePose reference = reference_pose(character, roles);
  MovedBody body{character, joints_of(roles), roles.first(JointRole::hips)};
  BodyFramePose frame;

  Posed() {
    frame.hips = reference.place[at(roles.first(JointRole::hips))];
    for (const Index joint : body.moved()) frame.rotation.push_back(reference.rotation[at(joint)]);
    body.pose(frame);
  }
  // Of the points that move mostly with one of two joints.
  double lowest(Index a, Index b) const {
    const Mesh& mesh = character.meshes[0];
    const Skin& skin = character.skins[0];
    double low = 1e9;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      const Index main = skin.node[at(mesh.weights.row(v).front().slot)];
      if (main != a && main != b) continue;
      Vec3d place;
      for (const Influence& influence : mesh.weights.row(v))
        place += body.carried_to(skin.node[at(influence.slot)],
                                 Affined(skin.inverse_bind[at(influence.slot)]) * Vec3d(mesh.points[v])) *
                 static_cast<double>(influence.weight);
      low = std::min(low, place.y);
    }
    return low;
  }
};

TEST(FindSoles, HaveTheLowestPointOfAFootHoweverItIsTurned) {
  Posed posed;
  const Index foot = posed.roles.first(JointRole::foot_l), toe = posed.roles.first(JointRole::toe_l);
  const std::vector<SolePart> parts{{foot}, {toe}};
  const std::vector<std::vector<SolePoint>> soles = find_soles(posed.character, posed.body, parts, {0, 1, 0});
  EXPECT_GT(soles[0].size() + soles[1].size(), 10u);
  EXPECT_LT(soles[0].size() + soles[1].size(), 99u);
  test::Random random(5);
  for (int round = 0; round < 100; ++round) {
    const Vec3d axis = normalized(Vec3d{random.in(-1, 1), 0, random.in(-1, 1)});
    const Quatd turn = quat_from_axis_angle(axis, random.in(0, 1.4));
    for (const Index joint : {foot, toe})
      posed.frame.rotation[at(posed.body.slot_of(joint))] = turn * posed.reference.rotation[at(joint)];
    posed.body.pose(posed.frame);
    double low = 1e9;
    for (const std::vector<SolePoint>& part : soles) {
      for (const SolePoint& point : part) low = std::min(low, point.place(posed.body).y);
    }
    // Four millimetres of a foot of a quarter metre.
    EXPECT_NEAR(low, posed.lowest(foot, toe), 0.004) << "seed 5, round " << round;
  }
}

TEST(FindSoles, LeaveOutWhatIsHigherThanAsked) {
  const Posed posed;
  const Index shin = posed.roles.first(JointRole::shin_l);
  const double below = posed.reference.place[at(shin)].y - 0.1;
  const std::vector<SolePart> parts{{shin, below}};
  const std::vector<std::vector<SolePoint>> soles = find_soles(posed.character, posed.body, parts, {0, 1, 0});
  EXPECT_FALSE(soles[0].empty());
  for (const SolePoint& point : soles[0]) EXPECT_LE(point.place(posed.body).y, below);
}

}  // namespace
}  // namespace dermis
