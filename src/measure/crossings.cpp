// SPDX-License-Identifier: MIT
// How deep limbs pass through other parts of the body while it moves.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "dermis/measure.h"

namespace dermis {
namespace {

using enum JointRole;

// Clips are looked at this often, at least and at most.
constexpr double kMomentsPerSecond = 15;
constexpr std::size_t kMostMoments = 240;

// A part of the body as a capsule: from its joint to a point that moves with it.
struct BodyCapsule {
  JointRole role = hips;
  Index joint = kNone;
  Index next = kNone;  // the joint it reaches to; kNone: `tip`
  Vec3d tip;           // in the frame of the joint
  double radius = 0;
};
// A capsule at one moment.
struct PlacedCapsule {
  Vec3d from, to;
};

bool is_left(JointRole role) { return role >= shoulder_l && role <= toe_l; }
bool is_right(JointRole role) { return role >= shoulder_r; }
// Roles of the right follow those of the left in the same order.
constexpr int kRightFromLeft = static_cast<int>(shoulder_r) - static_cast<int>(shoulder_l);
JointRole shifted(JointRole role, int by) { return static_cast<JointRole>(static_cast<int>(role) + by); }
JointRole as_left(JointRole role) { return is_right(role) ? shifted(role, -kRightFromLeft) : role; }

// The nearest joint of a part above each node, or kNone.
std::vector<Index> part_of_each(const Character& character, const std::vector<BodyCapsule>& parts) {
  std::vector<Index> part_of(character.nodes.size(), kNone);
  for (const Index node : parents_first(character.nodes)) {
    const auto own =
        std::find_if(parts.begin(), parts.end(), [&](const BodyCapsule& part) { return part.joint == node; });
    const Index parent = character.nodes[at(node)].parent;
    if (own != parts.end()) {
      part_of[at(node)] = static_cast<Index>(own - parts.begin());
    } else if (parent != kNone) {
      part_of[at(node)] = part_of[at(parent)];
    }
  }
  return part_of;
}

class Capsules {
 public:
  Capsules(const Character& character, const RoleMap& roles) : rest_(rest_world(character)) {
    constexpr std::array<std::pair<JointRole, JointRole>, 6> kLimbs{{{upper_arm_l, forearm_l},
                                                                     {forearm_l, hand_l},
                                                                     {hand_l, hand_l},
                                                                     {thigh_l, shin_l},
                                                                     {shin_l, foot_l},
                                                                     {foot_l, foot_l}}};
    add(roles, hips, roles.of(neck).empty() ? head : neck);
    add(roles, head, head);
    for (const int side : {0, kRightFromLeft}) {
      for (const auto& [own, next] : kLimbs) add(roles, shifted(own, side), shifted(next, side));
    }
    measure(character);
  }

  const std::vector<BodyCapsule>& parts() const { return parts_; }
  const std::vector<Affined>& rest() const { return rest_; }
  PlacedCapsule place(const BodyCapsule& part, const std::vector<Affined>& world) const {
    return {world[at(part.joint)].translation,
            part.next != kNone ? world[at(part.next)].translation : world[at(part.joint)] * part.tip};
  }

 private:
  void add(const RoleMap& roles, JointRole role, JointRole next) {
    if (roles.first(role) == kNone) return;
    parts_.push_back({role, roles.first(role), next == role ? kNone : roles.first(next), {}, 0});
  }

  // Tips are the middle of what a joint moves; radii the median distance of its points from the axis.
  void measure(const Character& character) {
    const std::vector<Index> part_of = part_of_each(character, parts_);
    std::vector<std::vector<Vec3d>> points(parts_.size());
    for (const Instance& instance : character.instances) {
      if (!instance.in_scene || instance.skin == kNone) continue;
      const Mesh& mesh = character.meshes[at(instance.mesh)];
      const Skin& skin = character.skins[at(instance.skin)];
      for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        const std::size_t slot = at(mesh.weights.row(v)[0].slot);
        const Index node = skin.node[slot], part = part_of[at(node)];
        if (part == kNone) continue;
        points[at(part)].push_back(rest_[at(node)] *
                                   (Affined(skin.inverse_bind[slot]) * Vec3d(mesh.points[v])));
      }
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) shape(points[p], parts_[p]);
    std::erase_if(parts_, [](const BodyCapsule& part) { return part.radius == 0; });
  }

  void shape(const std::vector<Vec3d>& points, BodyCapsule& part) {
    if (points.empty()) return;
    if (part.next == kNone) {
      Vec3d middle;
      for (const Vec3d& point : points) middle += point * (1.0 / static_cast<double>(points.size()));
      part.tip = inverse(rest_[at(part.joint)]) * middle;
    }
    const PlacedCapsule axis = place(part, rest_);
    std::vector<double> distances;
    distances.reserve(points.size());
    for (const Vec3d& point : points) distances.push_back(distance_to_segment(point, axis.from, axis.to));
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    part.radius = *middle;
  }

  std::vector<Affined> rest_;
  std::vector<BodyCapsule> parts_;
};

// Parts that should not pass through each other: the outer half of an arm and everything but its own upper
// half; shins and feet and the other leg.
bool are_apart(JointRole a, JointRole b) {
  const bool is_one_side = (is_left(a) && is_left(b)) || (is_right(a) && is_right(b));
  const auto is_lower_arm = [](JointRole role) {
    return as_left(role) == forearm_l || as_left(role) == hand_l;
  };
  const auto is_arm = [&](JointRole role) { return is_lower_arm(role) || as_left(role) == upper_arm_l; };
  const auto is_lower_leg = [](JointRole role) { return as_left(role) == shin_l || as_left(role) == foot_l; };
  const auto is_leg = [&](JointRole role) { return is_lower_leg(role) || as_left(role) == thigh_l; };
  if (is_lower_arm(a)) return !(is_arm(b) && is_one_side);
  return is_lower_leg(a) && is_leg(b) && !is_one_side;
}

}  // namespace

Result<LimbCrossing> measure_crossing(const Character& character, Index clip, const Progress& progress) {
  LimbCrossing worst;
  const Result<MappedJoints> mapped = map_joints(character);
  if (!mapped) return worst;
  const Capsules capsules(character, mapped->roles);
  const std::vector<BodyCapsule>& parts = capsules.parts();
  Box box;
  for (const BodyCapsule& part : parts) {
    const PlacedCapsule placed = capsules.place(part, capsules.rest());
    box.add(placed.from), box.add(placed.to);
  }
  if (parts.empty() || !(box.diagonal() > 0)) return worst;
  const Vec3d sides = box.upper - box.lower;
  const double size = std::max({sides.x, sides.y, sides.z});
  const auto depth = [&](const std::vector<Affined>& world, std::size_t a, std::size_t b) {
    const PlacedCapsule one = capsules.place(parts[a], world), other = capsules.place(parts[b], world);
    return parts[b].radius - distance_of_segments(one.from, one.to, other.from, other.to);
  };
  const Result<Poser> poser = prepare_poser(character);
  if (!poser) return poser.error();
  const Clip& keys = character.clips[at(clip)];
  const double start = double{keys.start()}, seconds = double{keys.end()} - start;
  const auto count =
      std::clamp(static_cast<std::size_t>(seconds * kMomentsPerSecond), std::size_t{1}, kMostMoments);
  PoseFrame frame;
  for (std::size_t k = 0; k <= count; ++k) {
    if (Status going = progress.at("measuring limbs", static_cast<double>(k) / static_cast<double>(count));
        !going)
      return going.error();
    const double time = start + seconds * static_cast<double>(k) / static_cast<double>(count);
    if (Status posed = pose(*poser, {clip, time, nullptr}, frame); !posed) return posed.error();
    for (std::size_t a = 0; a < parts.size(); ++a) {
      for (std::size_t b = 0; b < parts.size(); ++b) {
        if (!are_apart(parts[a].role, parts[b].role)) continue;
        const double usual = std::max(0.0, depth(capsules.rest(), a, b));
        const double own = (depth(frame.world_from_node, a, b) - usual) / size;
        if (own > worst.depth) worst = {own, parts[a].joint, parts[b].joint, time};
      }
    }
  }
  return worst;
}

}  // namespace dermis
