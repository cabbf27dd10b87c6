// SPDX-License-Identifier: MIT
// The standard range of motion: every joint bent, tilted and twisted from rest.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dermis/motion.h"

namespace dermis {
namespace {

// If the mean of the children is closer than their mean distance by this factor, they lie on all sides: hips
// and palms.
constexpr double kOneSided = 0.5;
// A direction within 37 degrees of an axis turns about another one. Not 45: arms often rest there, and
// rounding must not make the left one turn differently from the right one.
constexpr double kAlong = 0.8;

struct Turn {
  Movement movement;
  double degrees;
};
constexpr std::array kTurns{Turn{Movement::bend, 60},  Turn{Movement::bend, -60}, Turn{Movement::side, 30},
                            Turn{Movement::side, -30}, Turn{Movement::twist, 45}, Turn{Movement::twist, -45}};

// Joints that move a point: some point follows them or a descendant.
std::vector<bool> moving_joints(const Character& character) {
  const std::vector<bool> is_joint = skin_joints(character);
  std::vector<bool> moves(character.nodes.size(), false);
  for (const Instance& instance : character.instances) {
    if (instance.skin == kNone) continue;
    const Skin& skin = character.skins[at(instance.skin)];
    for (const Influence& influence : character.meshes[at(instance.mesh)].weights.influences)
      moves[at(skin.node[at(influence.slot)])] = true;
  }
  const std::vector<Index> order = parents_first(character.nodes);
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    const Index parent = character.nodes[at(*n)].parent;
    if (parent != kNone && moves[at(*n)]) moves[at(parent)] = true;
  }
  for (std::size_t n = 0; n < moves.size(); ++n) moves[n] = moves[n] && is_joint[n];
  return moves;
}

// Directions of joints in the world, unit.
class Directions {
 public:
  explicit Directions(const Character& character)
      : world_(rest_world(character)),
        sum_(character.nodes.size()),
        reach_(character.nodes.size(), 0.0),
        apart_(character.nodes.size(), kNone) {
    const std::vector<bool> is_joint = skin_joints(character);
    for (std::size_t n = 0; n < character.nodes.size(); ++n) {
      const Index parent = character.nodes[n].parent;
      if (parent == kNone || !is_joint[n]) continue;
      const Vec3d way = place(n) - place(at(parent));
      sum_[at(parent)] += way;
      reach_[at(parent)] += length(way);
    }
    // A parent at the same place has the same ancestors apart, so that a chain is walked once.
    for (const Index n : parents_first(character.nodes)) {
      const Index parent = character.nodes[at(n)].parent;
      if (parent != kNone) apart_[at(n)] = is_apart(at(n), at(parent)) ? parent : apart_[at(parent)];
    }
  }

  Vec3d of(std::size_t n) const {
    if (length(sum_[n]) > kOneSided * reach_[n]) return normalized(sum_[n]);
    if (apart_[n] == kNone) return {0, 1, 0};
    return normalized(place(n) - place(at(apart_[n])));
  }
  // Turns a direction of the world into the joint's own frame. A flattened joint uses the frame that
  // completes its remaining axes.
  Vec3d in_joint(std::size_t n, const Vec3d& direction) const {
    return normalized(transposed(polar(world_[n].linear).rotation) * direction);
  }

 private:
  Vec3d place(std::size_t n) const { return world_[n].translation; }
  bool is_apart(std::size_t n, std::size_t above) const {
    const Vec3d way = place(n) - place(above);
    return length(way) > 0 && is_finite(normalized(way));
  }

  std::vector<Affined> world_;
  std::vector<Vec3d> sum_;     // of the vectors to the child joints
  std::vector<double> reach_;  // sum of their lengths
  std::vector<Index> apart_;   // the nearest ancestor at a different position
};

Vec3d axis_of(Movement movement, const Vec3d& direction) {
  const Vec3d wanted = std::abs(direction.x) < kAlong ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  const Vec3d bend = normalized(wanted - direction * dot(wanted, direction));
  switch (movement) {
    case Movement::bend:
      return bend;
    case Movement::side:
      return cross(bend, direction);
    default:
      return direction;
  }
}

}  // namespace

const char* name_of(Movement movement) {
  switch (movement) {
    case Movement::bend:
      return "bend";
    case Movement::side:
      return "side";
    default:
      return "twist";
  }
}

std::vector<RangePose> range_of_motion(const Character& character) {
  std::vector<RangePose> poses;
  const std::vector<bool> moves = moving_joints(character);
  const std::vector<std::string> labels = node_labels(character);
  const Directions directions(character);
  const std::vector<NodeParts> driven = driven_parts(character);
  for (std::size_t n = 0; n < moves.size(); ++n) {
    if (!moves[n] || (!driven.empty() && driven[n].rotation)) continue;
    const Vec3d direction = directions.of(n);
    for (const Turn& turn : kTurns) {
      RangePose& pose = poses.emplace_back();
      pose.name = fmt::format("{} {} {:+g}", labels[n], name_of(turn.movement), turn.degrees);
      pose.node = static_cast<Index>(n);
      pose.movement = turn.movement;
      pose.angle = radians_from_degrees(turn.degrees);
      pose.axis = directions.in_joint(n, axis_of(turn.movement, direction));
      NodePose& turned = pose.pose.nodes.emplace_back();
      turned.node = labels[n];
      turned.turn = Quat(quat_from_axis_angle(pose.axis, pose.angle));
    }
  }
  return poses;
}

}  // namespace dermis
