// SPDX-License-Identifier: MIT
// Stands a body on four straight legs.
#include <algorithm>
#include <array>
#include <cmath>

#include "motion/straight.h"

namespace dermis {
namespace {

using enum JointRole;

// A trunk leans by at most this, so that front and hind paws stand at one height.
constexpr double kMostPitch = 15;  // degrees
// Before this joint of a leg there is no foot.
constexpr std::size_t kAnkle = 2;
// Sum of the sines of a leg's bends that determines its plane.
constexpr double kPlane = 0.3;

// One leg, from its root to its tip.
struct LegChain {
  std::vector<Index> joints;   // at least two
  std::size_t paw = 0;         // the joint of them that stands on the ground
  std::vector<double> slopes;  // of each bone, radians forward of straight down, with the leg upright
  double straightness = 0;     // root to paw, of the length of the bones between
};

class AnimalStraightener {
 public:
  AnimalStraightener(const BodyAxes& axes, Turning& body) : axes_(axes), body_(body), roles_(body.roles()) {}

  void straighten() {
    stand(0);
    stand(pitch());
  }

 private:
  Index joint(JointRole left, int side) const { return roles_.first(on_side(left, side)); }
  Vec3d across(JointRole left) const { return body_.bone(joint(left, 1), joint(left, 0)); }

  void stand(double pitch) {
    trunk(quat_from_axis_angle(axes_.left, pitch));
    legs({thigh_l, shin_l, foot_l, toe_l});
    shoulders();
    legs({upper_arm_l, forearm_l, hand_l});
  }

  void trunk(const Quatd& tilt) {
    const Vec3d forward = rotate(tilt, axes_.forward);
    const Index hip = roles_.first(hips);
    const std::vector<Index>& back = roles_.of(spine);
    Vec3d ahead = body_.bone(hip, back.empty() ? first_front() : back.front());
    const Quatd of_hips = frame_turn(across(thigh_l), ahead, axes_.left, forward);
    body_.set(hip, of_hips);
    if (!back.empty()) {
      if (back.size() > 1) ahead = body_.bone(back[back.size() - 2], back.back());
      const Quatd of_chest = frame_turn(across(upper_arm_l), ahead, axes_.left, forward);
      for (std::size_t k = 0; k + 1 < back.size(); ++k) {
        const double share = static_cast<double>(k + 1) / static_cast<double>(back.size());
        body_.set(back[k], swung(slerp(of_hips, of_chest, share), body_.bone(back[k], back[k + 1]), forward));
      }
      body_.set(back.back(), of_chest);
    }
    // Neck and head are held as they are, but straight ahead.
    const std::vector<Index>& bones = roles_.of(neck);
    const Index top = roles_.first(head);
    for (std::size_t k = 0; k < bones.size(); ++k)
      hold_ahead(bones[k], body_.bone(bones[k], k + 1 < bones.size() ? bones[k + 1] : top));
    if (top == kNone) return;
    const std::optional<Vec3d> tip = body_.tip_of(top);
    hold_ahead(top, tip ? normalized(*tip - body_.place(top)) : Vec3d{});
  }

  Index first_front() const {
    return joint(shoulder_l, 0) != kNone ? joint(shoulder_l, 0) : joint(upper_arm_l, 0);
  }

  void hold_ahead(Index node, const Vec3d& bone) {
    const Quatd turn = body_.parent(node) == kNone ? Quatd{} : body_.turn_of(body_.parent(node));
    const Vec3d there = rotate(turn, bone);
    const Vec3d flat = there - axes_.left * dot(there, axes_.left);
    body_.set(node, length(flat) > 0 ? swung(turn, bone, flat) : turn);
  }

  // Shoulder blades: as they are in the mean, mirrored.
  void shoulders() {
    Vec3d sum;
    for (const int side : {0, 1}) {
      const Index blade = joint(shoulder_l, side);
      if (blade == kNone) return;
      Vec3d there = rotate(body_.turn_of(body_.parent(blade)), body_.bone(blade, joint(upper_arm_l, side)));
      if (side == 1) there -= axes_.left * (2 * dot(there, axes_.left));
      sum += there;
    }
    if (!(length(sum) > 0)) return;
    const Vec3d mean = normalized(sum);
    for (const int side : {0, 1}) {
      const Index blade = joint(shoulder_l, side);
      const Vec3d to = side == 0 ? mean : mean - axes_.left * (2 * dot(mean, axes_.left));
      body_.set(blade,
                swung(body_.turn_of(body_.parent(blade)), body_.bone(blade, joint(upper_arm_l, side)), to));
    }
  }

  // ---- Legs ----

  // The only child that continues a leg beyond its roles.
  Index next_below(Index node) const {
    Index next = kNone;
    for (std::size_t n = 0; n < body_.character().nodes.size(); ++n) {
      if (body_.character().nodes[n].parent != node) continue;
      if (next != kNone) return kNone;
      next = static_cast<Index>(n);
    }
    return next;
  }

  std::optional<LegChain> chain_of(std::initializer_list<JointRole> roles, int side) const {
    LegChain leg;
    for (const JointRole role : roles) {
      if (joint(role, side) != kNone) leg.joints.push_back(joint(role, side));
    }
    if (leg.joints.size() < 2) return std::nullopt;
    for (Index next = next_below(leg.joints.back()); next != kNone; next = next_below(next))
      leg.joints.push_back(next);
    std::erase_if(leg.joints, [&](Index node) {
      return node != leg.joints.front() && !(length(body_.bone(leg.joints.front(), node)) > 0);
    });
    if (leg.joints.size() < 2) return std::nullopt;
    // A node outside the skin marks the end of the toes.
    leg.paw = leg.joints.size() - (leg.joints.size() > 2 && !body_.is_joint(leg.joints.back()) ? 2 : 1);
    return leg;
  }

  Vec3d bone(const LegChain& leg, std::size_t k) const {
    return body_.bone(leg.joints[k], leg.joints[k + 1]);
  }
  double size(const LegChain& leg, std::size_t k) const {
    return length(body_.place(leg.joints[k + 1]) - body_.place(leg.joints[k]));
  }

  // The leg as a whole, turned upright in a plane with the trunk.
  Quatd upright(const LegChain& leg) const {
    const Quatd above = body_.turn_of(body_.parent(leg.joints.front()));
    Quatd turn = swung(above, body_.bone(leg.joints.front(), leg.joints[leg.paw]), -axes_.up);
    Vec3d plane;
    for (std::size_t k = 0; k + 1 < leg.paw; ++k) {
      Vec3d normal = rotate(turn, cross(bone(leg, k), bone(leg, k + 1)));
      if (dot(normal, axes_.left) < 0) normal = -normal;
      plane += normal;
    }
    if (!(length(plane) > kPlane)) return turn;
    return quat_from_axis_angle(axes_.up, angle_around(axes_.up, plane, axes_.left)) * turn;
  }

  void measure(LegChain& leg) const {
    const Quatd turn = upright(leg);
    double all = 0;
    for (std::size_t k = 0; k + 1 < leg.joints.size(); ++k) {
      const Vec3d there = rotate(turn, bone(leg, k));
      leg.slopes.push_back(std::atan2(dot(there, axes_.forward), -dot(there, axes_.up)));
      if (k < leg.paw) all += size(leg, k);
    }
    leg.straightness =
        all > 0 ? length(body_.place(leg.joints[leg.paw]) - body_.place(leg.joints.front())) / all : 0;
  }

  void legs(std::initializer_list<JointRole> roles) {
    std::vector<LegChain> pair;
    for (const int side : {0, 1}) {
      if (std::optional<LegChain> leg = chain_of(roles, side)) pair.push_back(std::move(*leg));
    }
    for (LegChain& leg : pair) measure(leg);
    // Both like the one that stands straighter.
    if (pair.size() == 2 && pair[0].slopes.size() == pair[1].slopes.size() && pair[0].paw == pair[1].paw) {
      const bool is_left = pair[0].straightness >= pair[1].straightness;
      pair[is_left ? 1 : 0].slopes = pair[is_left ? 0 : 1].slopes;
    }
    double rise = 0;
    int count = 0;
    for (const LegChain& leg : pair) {
      stand_leg(leg);
      if (const std::optional<double> sole = paw_slope(leg)) rise += *sole, ++count;
    }
    if (count == 0) return;
    for (const LegChain& leg : pair) {
      const Index paw = leg.joints[leg.paw];
      body_.set(paw, quat_from_axis_angle(axes_.left, rise / count) * body_.turn_of(paw));
    }
  }

  std::optional<double> paw_slope(const LegChain& leg) const {
    if (leg.paw < kAnkle) return std::nullopt;
    const std::array<Index, 1> tops{leg.joints[leg.paw]};
    return level_turn(points_of_parts(body_.character(), tops).front(), body_.turn_of(tops[0]), axes_.forward,
                      axes_.up);
  }

  void stand_leg(const LegChain& leg) {
    // With these slopes, bones of other lengths end elsewhere: the paw is to be below the root.
    double ahead = 0, down = 0;
    for (std::size_t k = 0; k < leg.paw; ++k) {
      ahead += size(leg, k) * std::sin(leg.slopes[k]);
      down += size(leg, k) * std::cos(leg.slopes[k]);
    }
    const double lean = std::atan2(ahead, down);
    Quatd turn = upright(leg);
    for (std::size_t k = 0; k + 1 < leg.joints.size(); ++k) {
      const double slope = leg.slopes[k] - (k < leg.paw ? lean : 0);
      turn = swung(turn, bone(leg, k), axes_.forward * std::sin(slope) - axes_.up * std::cos(slope));
      body_.set(leg.joints[k], turn);
    }
  }

  // How far the trunk leans so that paws of all legs are at one height.
  double pitch() const {
    const std::vector<Vec3d> places = body_.turned_places();
    double front = 0, hind = 0, between = 0;
    for (const int side : {0, 1}) {
      const std::optional<LegChain> fore = chain_of({upper_arm_l, forearm_l, hand_l}, side),
                                    rear = chain_of({thigh_l, shin_l, foot_l, toe_l}, side);
      if (!fore || !rear) return 0;
      front += 0.5 * dot(places[at(fore->joints[fore->paw])], axes_.up);
      hind += 0.5 * dot(places[at(rear->joints[rear->paw])], axes_.up);
      between +=
          0.5 * dot(places[at(fore->joints.front())] - places[at(rear->joints.front())], axes_.forward);
    }
    if (!(between > 0)) return 0;
    const double most = std::sin(radians_from_degrees(kMostPitch));
    return std::asin(std::clamp((front - hind) / between, -most, most));
  }

  const BodyAxes axes_;
  Turning& body_;
  const RoleMap& roles_;
};

}  // namespace

void straighten_animal(const BodyAxes& axes, Turning& body) { AnimalStraightener(axes, body).straighten(); }

}  // namespace dermis
