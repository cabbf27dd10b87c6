// SPDX-License-Identifier: MIT
// Straightens the rest pose of a body: trunk and arms of people, and what follows from all turns.
#include "motion/straight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "motion/body.h"

namespace dermis {
namespace {

using enum JointRole;

// The facing of a body within this of a world axis is meant to be that axis.
constexpr double kAxisSnap = 15;  // degrees
// A head tilted by less keeps its tilt, since its top is rarely straight above its joint; one tilted by more
// than the second is set upright.
constexpr double kLeastTilt = 15, kMostTilt = 35;  // degrees
// An elbow or knee bent by less does not determine a plane; by more than the second it alone does.
constexpr double kLeastStraightened = 15, kMostStraightened = 35;  // degrees
// A plane that asks for more twist than joints allow is not that of a hinge: ignored from here, and beyond.
constexpr double kMostTwist = 100, kNoTwist = 140;  // degrees
// Collar bones are at most this steep.
constexpr double kSteepestCollar = 35;  // degrees
// A trunk further from upright lies.
constexpr double kLyingTrunk = 55;  // degrees
// Collar bones that begin nearer to each other, as a share of the distance of the arms, do not say what is
// across.
constexpr double kCollarsApart = 0.1;
// Hips and shoulders that point to opposite sides, as the sum of both directions.
constexpr double kOpposed = 0.1;
constexpr double kTinyTurn = 1e-9;
constexpr std::array kFingersLeft{index_l, middle_l, ring_l, pinky_l};

double degrees_between(const Vec3d& a, const Vec3d& b) {
  return degrees_from_radians(std::atan2(length(cross(a, b)), dot(a, b)));
}

Vec3d level(const Vec3d& v) { return {v.x, 0, v.z}; }

// From right to left of the shoulders: collar bones, which move with the chest, if they begin apart.
Vec3d across_shoulders(const Turning& body) {
  const auto between = [&](JointRole role) -> Vec3d {
    const Index left = body.roles().first(role), right = body.roles().first(mirrored(role));
    return left == kNone || right == kNone ? Vec3d{} : body.place(left) - body.place(right);
  };
  const Vec3d collars = between(shoulder_l), arms = between(upper_arm_l);
  const bool are_apart = length(collars) > kCollarsApart * length(arms);
  return are_apart ? collars : arms;
}

// Right to left of hips and shoulders.
std::optional<BodyAxes> facing_of(const Turning& body) {
  const RoleMap& roles = body.roles();
  const Index thighs[2] = {roles.first(thigh_l), roles.first(thigh_r)};
  if (thighs[0] == kNone || thighs[1] == kNone) return std::nullopt;
  const Vec3d legs = level(body.place(thighs[0]) - body.place(thighs[1])),
              arms = level(across_shoulders(body));
  if (!(length(legs) > 0) || !(length(arms) > 0)) return std::nullopt;
  Vec3d left = normalized(legs) + normalized(arms);
  if (length(left) < kOpposed) return std::nullopt;
  left = normalized(left);
  for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{-1, 0, 0}, Vec3d{0, 0, 1}, Vec3d{0, 0, -1}}) {
    if (degrees_between(axis, left) <= kAxisSnap) left = axis;
  }
  return BodyAxes{left, {0, 1, 0}, cross(left, {0, 1, 0})};
}

// The first of these joints that there is.
Index first_of_roles(const RoleMap& roles, std::initializer_list<JointRole> wanted) {
  for (const JointRole role : wanted) {
    if (roles.first(role) != kNone) return roles.first(role);
  }
  return kNone;
}

class PersonStraightener {
 public:
  PersonStraightener(const BodyAxes& axes, StraightArms arms, Turning& body)
      : axes_(axes), arms_(arms), body_(body), roles_(body.roles()) {}

  void straighten(std::vector<Index>& levelled) {
    trunk();
    collars();
    for (const int side : {0, 1}) {
      arm(side);
      leg(side);
    }
    straighten_feet(axes_, body_, levelled);
  }

 private:
  Index joint(JointRole left, int side) const { return roles_.first(on_side(left, side)); }
  Vec3d across(JointRole left) const { return body_.bone(joint(left, 1), joint(left, 0)); }
  Vec3d outward(int side) const { return side == 0 ? axes_.left : -axes_.left; }

  // ---- Trunk and head ----

  void trunk() {
    const Index hip = roles_.first(hips);
    const std::vector<Index>& back = roles_.of(spine);
    const Index neck_base = first_of_roles(roles_, {neck, head});
    const Index chest = back.empty() ? hip : back.back();
    // Hips are level exactly, a chest is upright exactly.
    const Vec3d above_hips = body_.bone(hip, back.empty() ? neck_base : back.front());
    const Quatd of_hips = length(above_hips) > 0
                              ? frame_turn(across(thigh_l), above_hips, axes_.left, axes_.up)
                              : quat_between(across(thigh_l), axes_.left);
    body_.set(hip, of_hips);
    const Vec3d shoulders = across_shoulders(body_);
    if (chest != hip) {
      Quatd of_chest = of_hips;
      const Vec3d above_chest = body_.bone(chest, neck_base);
      if (length(above_chest) > 0 && length(shoulders) > 0)
        of_chest = frame_turn(above_chest, shoulders, axes_.up, axes_.left);
      for (std::size_t k = 0; k + 1 < back.size(); ++k) {
        const double share = static_cast<double>(k + 1) / static_cast<double>(back.size());
        body_.set(back[k],
                  swung(slerp(of_hips, of_chest, share), body_.bone(back[k], back[k + 1]), axes_.up));
      }
      body_.set(chest, of_chest);
    }
    neck_and_head();
  }

  void neck_and_head() {
    const std::vector<Index>& bones = roles_.of(neck);
    const Index top = roles_.first(head);
    if (bones.empty() && top == kNone) return;
    const Quatd below = body_.turn_of(bones.empty() ? top : bones.front());
    for (std::size_t k = 0; k < bones.size(); ++k)
      body_.point(bones[k], body_.bone(bones[k], k + 1 < bones.size() ? bones[k + 1] : top), axes_.up);
    if (top == kNone) return;
    // Upright over the shoulders, as it was modelled: faced by them, not tilted.
    const double yaw = angle_around(axes_.up, axes_.left, rotate(below, axes_.left));
    const Quatd faced = quat_from_axis_angle(axes_.up, yaw);
    const std::optional<Vec3d> tip = body_.tip_of(top);
    const Vec3d above = tip ? normalized(*tip - body_.place(top)) : Vec3d{};
    const Vec3d held = tip ? rotate(faced, above) : rotate(faced * conjugate(below), axes_.up);
    const double share = rise_between(kLeastTilt, kMostTilt, degrees_between(held, axes_.up));
    const Quatd upright = tip ? swung(faced, above, axes_.up) : below;
    body_.set(top, slerp(faced, upright, share));
  }

  // ---- Limbs ----

  // Both collar bones as they are in the mean, mirrored.
  void collars() {
    const Index sides[2] = {joint(shoulder_l, 0), joint(shoulder_l, 1)};
    Vec3d sum;
    int count = 0;
    for (const int side : {0, 1}) {
      const Vec3d bone = body_.bone(sides[side], joint(upper_arm_l, side));
      if (!(length(bone) > 0)) continue;
      Vec3d there = rotate(body_.turn_of(sides[side]), bone);
      if (side == 1) there -= axes_.left * (2 * dot(there, axes_.left));
      sum += there, ++count;
    }
    if (count == 0 || !(length(sum) > 0)) return;
    Vec3d mean = normalized(sum);
    const double steep = degrees_between(mean, axes_.left);
    if (steep > kSteepestCollar)
      mean = rotate(slerp(Quatd{}, quat_between(mean, axes_.left), 1 - kSteepestCollar / steep), mean);
    for (const int side : {0, 1}) {
      const Vec3d to = side == 0 ? mean : mean - axes_.left * (2 * dot(mean, axes_.left));
      body_.point(sides[side], body_.bone(sides[side], joint(upper_arm_l, side)), to);
    }
  }

  struct Hinge {
    double share = 0;  // how far it determines the twist
    double twist = 0;  // about the limb
  };
  // The twist that brings the plane of a bent limb, pointed there by `turn`, to a hinge axis.
  Hinge hinge_of(const Quatd& turn, const Vec3d& upper, const Vec3d& lower, const Vec3d& along,
                 const Vec3d& axis) const {
    Hinge hinge;
    if (!(length(upper) > 0) || !(length(lower) > 0)) return hinge;
    hinge.share = rise_between(kLeastStraightened, kMostStraightened, degrees_between(upper, lower));
    if (hinge.share == 0) return hinge;
    hinge.twist = angle_around(along, rotate(turn, cross(upper, lower)), axis);
    hinge.share *= 1 - rise_between(kMostTwist, kNoTwist, degrees_from_radians(std::abs(hinge.twist)));
    return hinge;
  }

  void arm(int side) {
    const Index upper = joint(upper_arm_l, side), lower = joint(forearm_l, side), end = joint(hand_l, side);
    if (upper == kNone || lower == kNone) return;
    const Vec3d along = arms_ == StraightArms::t ? outward(side) : normalized(outward(side) - axes_.up);
    const Vec3d upper_bone = body_.bone(upper, lower);
    const std::optional<Vec3d> stump = end == kNone ? body_.tip_of(lower) : std::nullopt;
    const Vec3d lower_bone = stump ? normalized(*stump - body_.place(lower)) : body_.bone(lower, end);
    Quatd turn = swung(body_.turn_of(upper), upper_bone, along);
    // Elbows bend forward.
    const Hinge hinge = hinge_of(turn, upper_bone, lower_bone, along, cross(along, axes_.forward));
    turn = quat_from_axis_angle(along, hinge.share * hinge.twist) * turn;
    body_.set(upper, turn);
    body_.set(lower, swung(turn, lower_bone, along));
    if (end != kNone) hand(side, along);
  }

  void hand(int side, const Vec3d& along) {
    const Index end = joint(hand_l, side), lower = joint(forearm_l, side);
    std::vector<Index> knuckles;
    Vec3d middle;
    for (const JointRole finger : kFingersLeft) {
      const Index knuckle = joint(finger, side);
      if (knuckle != kNone) knuckles.push_back(knuckle), middle += body_.place(knuckle);
    }
    if (knuckles.empty()) {
      if (const std::optional<Vec3d> tip = body_.tip_of(end))
        body_.point(end, normalized(*tip - body_.place(end)), along);
    } else {
      const Vec3d palm = middle * (1.0 / static_cast<double>(knuckles.size())) - body_.place(end);
      const Index thumb = joint(thumb_l, side);
      const Vec3d to_thumb = knuckles.size() > 1 ? body_.bone(knuckles.back(), knuckles.front())
                             : thumb != kNone    ? body_.bone(knuckles.front(), thumb)
                                                 : Vec3d{};
      const Quatd of_forearm = body_.turn_of(lower);
      if (length(to_thumb) > 0 && length(palm) > 0) {
        const Quatd turn = frame_turn(palm, to_thumb, along, axes_.forward);
        // The forearm takes half of the twist of the hand.
        const Quatd swing = swung(of_forearm, normalized(palm), along);
        const double twist = angle_around(along, rotate(swing, to_thumb), axes_.forward);
        body_.set(lower, quat_from_axis_angle(along, 0.5 * twist) * of_forearm);
        body_.set(end, turn);
      } else if (length(palm) > 0) {
        body_.point(end, normalized(palm), along);
      }
    }
    for (const JointRole finger : kFingersLeft) extend(roles_.of(on_side(finger, side)), end, along, false);
    extend(roles_.of(on_side(thumb_l, side)), end, along, true);
  }

  // Straightens a finger: thumbs along their first bone, others between the hand and the way from wrist to
  // knuckle, in the plane of the palm.
  void extend(const std::vector<Index>& finger, Index wrist, const Vec3d& along, bool is_thumb) {
    if (finger.empty()) return;
    const auto bone_of = [&](std::size_t k) -> Vec3d {
      if (k + 1 < finger.size()) return body_.bone(finger[k], finger[k + 1]);
      const std::optional<Vec3d> tip = body_.tip_of(finger[k]);
      return tip ? normalized(*tip - body_.place(finger[k])) : Vec3d{};
    };
    Vec3d to;
    if (is_thumb) {
      to = rotate(body_.turn_of(finger.front()), bone_of(0));
    } else {
      const Vec3d flat = normalized(cross(axes_.forward, along));
      to = along + rotate(body_.turn_of(wrist), body_.bone(wrist, finger.front()));
      to = normalized(to - flat * dot(to, flat));
    }
    if (!(length(to) > 0)) return;
    for (std::size_t k = 0; k < finger.size(); ++k) body_.point(finger[k], bone_of(k), to);
  }

  void leg(int side) {
    const Index upper = joint(thigh_l, side), lower = joint(shin_l, side), ankle = joint(foot_l, side);
    if (upper == kNone || lower == kNone) return;
    const Vec3d down = -axes_.up;
    const Vec3d upper_bone = body_.bone(upper, lower), lower_bone = body_.bone(lower, ankle);
    Quatd turn = swung(body_.turn_of(upper), upper_bone, down);
    const Hinge hinge = hinge_of(turn, upper_bone, lower_bone, down, axes_.left);
    // The foot says the rest, as far as it points away from the leg.
    double yaw = 0;
    const Index toe = joint(toe_l, side);
    const std::optional<Vec3d> tip = toe == kNone && ankle != kNone ? body_.tip_of(ankle) : std::nullopt;
    const Vec3d foot = tip ? normalized(*tip - body_.place(ankle)) : body_.bone(ankle, toe);
    if (length(foot) > 0) {
      const Vec3d ahead = rotate(swung(turn, lower_bone, down), foot);
      yaw = angle_around(down, ahead, axes_.forward) * rise_between(0.2, 0.5, length(level(ahead)));
      yaw *= 1 - rise_between(kMostTwist, kNoTwist, degrees_from_radians(std::abs(yaw)));
    }
    turn = quat_from_axis_angle(down, hinge.share * hinge.twist + (1 - hinge.share) * yaw) * turn;
    body_.set(upper, turn);
    body_.set(lower, swung(turn, lower_bone, down));
  }

  const BodyAxes axes_;
  const StraightArms arms_;
  Turning& body_;
  const RoleMap& roles_;
};

// Hands and feet must hang from their limbs.
Status check_attached(const Character& character, const RoleMap& roles) {
  const Subtrees below(character.nodes);
  for (const auto& [part, limb] : {std::pair{shin_l, thigh_l},
                                   {foot_l, shin_l},
                                   {toe_l, foot_l},
                                   {forearm_l, upper_arm_l},
                                   {hand_l, forearm_l},
                                   {thigh_l, hips},
                                   {upper_arm_l, hips}}) {
    for (const int side : {0, 1}) {
      const Index end = roles.first(on_side(part, side));
      const Index holder = limb == hips ? roles.first(hips) : roles.first(on_side(limb, side));
      if (end == kNone || holder == kNone || below.is_in(end, holder)) continue;
      return Error{
          Errc::bad_rig,
          fmt::format("{} does not hang from {}, as in control rigs, so limbs cannot be straightened",
                      quoted_name(node_label(character, end)), quoted_name(node_label(character, holder)))};
    }
  }
  return Done{};
}

bool is_named_as_animal(const Character& character, const RoleMap& roles) {
  const Index leg = roles.first(upper_arm_l);
  return leg != kNone && spoken_name(character.nodes[at(leg)].name).pair == 0;
}

// A trunk that lies, over hands below it: the legs of a galloping animal do not say which way is up.
bool lies_over_hands(const Turning& body) {
  const RoleMap& roles = body.roles();
  const Index hip = roles.first(hips), left = roles.first(upper_arm_l), right = roles.first(upper_arm_r);
  const Index hands[2] = {roles.first(hand_l), roles.first(hand_r)};
  if (hip == kNone || left == kNone || right == kNone || hands[0] == kNone || hands[1] == kNone) return false;
  const Vec3d shoulders = (body.place(left) + body.place(right)) * 0.5;
  const Vec3d trunk = shoulders - body.place(hip);
  return length(trunk) > 0 && degrees_between(trunk, {0, 1, 0}) > kLyingTrunk &&
         (body.place(hands[0]) + body.place(hands[1])).y * 0.5 < shoulders.y;
}

double lowest_of(const std::vector<std::vector<Vec3d>>& parts, std::span<const Index> tops,
                 const Turning& body, const std::vector<Quatd>& turns, const std::vector<Vec3d>& places) {
  double low = INFINITY;
  for (std::size_t p = 0; p < tops.size(); ++p) {
    const Index top = tops[p];
    low = std::min(low, places[at(top)].y);
    for (const Vec3d& point : parts[p])
      low = std::min(low, (places[at(top)] + rotate(turns[at(top)], point - body.place(top))).y);
  }
  return low;
}

// How far the body moves up so that its lowest sole keeps its height.
double lift_of(const Turning& body) {
  std::vector<Index> tops;
  for (const JointRole role : {foot_l, foot_r, toe_l, toe_r, hand_l, hand_r}) {
    const Index top = body.roles().first(role);
    const bool is_hand = role == hand_l || role == hand_r;
    if (top != kNone && (!is_hand || is_named_as_animal(body.character(), body.roles()))) tops.push_back(top);
  }
  if (tops.empty()) return 0;
  const std::vector<std::vector<Vec3d>> parts = points_of_parts(body.character(), tops);
  const std::vector<Quatd> still(body.places().size());
  return lowest_of(parts, tops, body, still, body.places()) -
         lowest_of(parts, tops, body, body.all_turns(), body.turned_places());
}

// The local rests that give every node its turn.
void write_rests(const Turning& body, double lift, StraightBody& out) {
  const Character& character = body.character();
  const std::vector<Affined> old_world = rest_world(character);
  const std::vector<Quatd> turns = body.all_turns();
  const std::vector<Vec3d> places = body.turned_places();
  const Index top = body.roles().first(hips);
  out.nodes = character.nodes;
  const auto world_of = [&](Index n) {
    return n == kNone ? Affined{}
                      : Affined(matrix_from_quat(turns[at(n)]) * old_world[at(n)].linear, places[at(n)]);
  };
  for (std::size_t n = 0; n < out.nodes.size(); ++n) {
    const auto node = static_cast<Index>(n);
    const Index parent = body.parent(node);
    const Quatd above = parent == kNone ? Quatd{} : turns[at(parent)];
    const Quatd relative = turns[n] * conjugate(above);
    const double turned = degrees_from_radians(length(log(turns[n])));
    const double bent = degrees_from_radians(length(log(relative)));
    if (turned > out.largest_turn) out.largest_turn = turned, out.most_turned = node;
    if (bent > out.largest_bend) out.largest_bend = bent, out.most_bent = node;
    const bool is_lifted = node == top && std::abs(lift) > 0;
    if (bent < degrees_from_radians(kTinyTurn) && !is_lifted) continue;
    Affined local = inverse(world_of(parent)) * world_of(node);
    if (is_lifted) local.translation += inverse(world_of(parent)).linear * Vec3d{0, lift, 0};
    Node& one = out.nodes[n];
    const Transform rest = transform_from_affine(local);
    one.rest.rotation = rest.rotation;
    if (is_lifted) one.rest.translation = rest.translation;
    if (one.rest_matrix) one.rest = rest, one.rest_matrix = Affine(local);
  }
}

}  // namespace

const char* name_of(StraightArms arms) { return arms == StraightArms::t ? "T-pose" : "A-pose"; }

Result<StraightBody> straight_body(const Character& character, const RoleMap& roles, StraightArms arms,
                                   std::optional<bool> is_four_legged) {
  return without_throwing("straightening", [&]() -> Result<StraightBody> {
    if (roles.first(hips) == kNone)
      return Error{Errc::bad_rig, "no joint is known as the hips, so there is no body to straighten"};
    if (Status attached = check_attached(character, roles); !attached) return attached.error();
    Turning body(character, roles);
    const std::optional<BodyAxes> axes = facing_of(body);
    if (!axes)
      return Error{Errc::bad_rig, "no two pairs of limbs are known, so there is no body to straighten"};
    StraightBody out;
    out.is_four_legged =
        is_four_legged.value_or(is_named_as_animal(character, roles) || lies_over_hands(body) ||
                                dermis::is_four_legged(roles, body.places()).value_or(false));
    if (out.is_four_legged)
      straighten_animal(*axes, body);
    else
      PersonStraightener(*axes, arms, body).straighten(out.feet);
    write_rests(body, lift_of(body), out);
    return out;
  });
}

}  // namespace dermis
