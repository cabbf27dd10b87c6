// SPDX-License-Identifier: MIT
// Moves limbs of two segments to a target in closed form, and turns heads to one.
#include <algorithm>
#include <cmath>

#include "motion/samples.h"

namespace dermis {
namespace {

// Fraction of a length below which a direction is rounding.
constexpr double kTiny = 1e-9;
// A middle joint closer to the straight line than this fraction of the limb, about ten degrees of bend, does
// not determine the limb's side: the limb is bent across instead of twisted, which would wring its skin.
constexpr double kBent = 0.05;

Vec3d across(const Vec3d& v, const Vec3d& unit) { return v - unit * dot(v, unit); }

Vec3d any_across(const Vec3d& unit) {
  return normalized(across(std::abs(unit.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}, unit));
}

// The angle from `from` to `to` about `axis`; both are perpendicular to it.
double angle_about(const Vec3d& axis, const Vec3d& from, const Vec3d& to) {
  return std::atan2(dot(axis, cross(from, to)), dot(from, to));
}

// A triangle of three joints, in its plane: the root at 0, the end at (reach, 0), the middle above.
struct Bent {
  double reach = 0, along = 0, above = 0;
  double upper_angle() const { return std::atan2(above, along); }
  double lower_angle() const { return std::atan2(-above, reach - along); }
};

Bent bent_to(double upper, double lower, double distance) {
  Bent bent;
  bent.reach = std::clamp(distance, std::abs(upper - lower), upper + lower);
  // Law of cosines. A limb folded onto its root has no direction to lie along.
  bent.along = bent.reach > kTiny * upper
                   ? (upper * upper - lower * lower + bent.reach * bent.reach) / (2 * bent.reach)
                   : 0;
  bent.above = std::sqrt(std::max(0.0, upper * upper - bent.along * bent.along));
  return bent;
}

}  // namespace

TwoBoneTurns solve_two_bone(const TwoBoneLimb& limb, const Vec3d& target, const Vec3d& pole) {
  const Vec3d upper = limb.middle - limb.root, reach = limb.end - limb.root, way = target - limb.root;
  const double a = length(upper), b = length(limb.end - limb.middle), size = a + b;
  if (!(a > 0) || !(b > 0) || !is_finite(target)) return {};
  const bool is_folded = length(reach) < kTiny * size;
  const Vec3d ahead = is_folded ? any_across(normalized(upper)) : normalized(reach);
  const Vec3d toward = length(way) < kTiny * size ? ahead : normalized(way);
  const Quatd swing = quat_between(ahead, toward);
  Vec3d own_side = across(upper, ahead);
  const bool is_straight = length(own_side) < kTiny * size;
  Vec3d side = across(pole, toward);
  if (length(side) < kTiny * length(pole) || length(pole) == 0)
    side = is_straight ? any_across(toward) : rotate(swing, own_side);
  side = normalized(side);
  own_side = is_straight ? rotate(conjugate(swing), side) : normalized(own_side);
  const Bent now{length(reach), dot(upper, ahead), dot(upper, own_side)};
  const Bent wanted = bent_to(a, b, length(way));
  const Vec3d axis = cross(ahead, own_side);
  const double angle =
      angle_about(toward, rotate(swing, own_side), side) * smooth_step(now.above / (kBent * size));
  const Quatd carried = quat_from_axis_angle(toward, angle) * swing;
  const auto turned = [&](const Vec3d& segment, double bend, const Vec3d& end) {
    const Quatd turn = carried * quat_from_axis_angle(axis, bend);
    return quat_between(rotate(turn, segment), end) * turn;
  };
  const Vec3d middle = toward * wanted.along + side * wanted.above;
  return {turned(upper, wanted.upper_angle() - now.upper_angle(), middle),
          turned(limb.end - limb.middle, wanted.lower_angle() - now.lower_angle(),
                 toward * wanted.reach - middle)};
}

Quatd look_at(const Vec3d& from, const Vec3d& ahead, const Vec3d& up, const Vec3d& target, double max_angle) {
  const Vec3d way = normalized(target - from), facing = normalized(ahead);
  if (!(length(way) > 0) || !(length(facing) > 0)) return {};
  // Straight behind, every axis is equally short; people turn about their own.
  const bool is_behind = dot(way, facing) < -1 + kTiny;
  const Vec3d upright = across(up, facing);
  const Quatd whole =
      is_behind && length(upright) > kTiny ? quat_from_axis_angle(upright, kPi) : quat_between(facing, way);
  const Vec3d turn = log(whole);
  const double angle = length(turn);
  return angle > max_angle ? exp(turn * (std::max(0.0, max_angle) / angle)) : whole;
}

}  // namespace dermis
