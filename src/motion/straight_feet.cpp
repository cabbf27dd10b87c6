// SPDX-License-Identifier: MIT
// Sets the feet of a person on level soles, pointing ahead.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "motion/straight.h"

namespace dermis {
namespace {

using enum JointRole;

// Feet slope by this from the ankle to the ball before their soles are looked at: no less, no more.
constexpr double kLeastSlope = -20, kMostSlope = 80;  // degrees
// Slopes of both feet that differ by less are meant to be equal.
constexpr double kAlikeSlopes = 6;  // degrees
// How often slope and roll are found, since each changes the other.
constexpr int kFootRounds = 4;
// Feet are not rolled further, and toes not bent further.
constexpr double kMostRoll = 30, kMostToeBend = 60;  // degrees

struct FootBones {
  Index ankle = kNone, ball = kNone;
  Vec3d foot, toe;                // bones at rest, unit; zero: none
  std::vector<Vec3d> sole, toes;  // points that follow them
  double slope = 0;               // of the foot's bone, radians down
  double roll = 0;                // about it, radians
  bool is_levelled = false;
};

// Points `bone` ahead and down by `slope`; what faced left below the shin does so again.
Quatd sloped(const BodyAxes& axes, const Vec3d& bone, double slope, const Quatd& of_shin) {
  const Vec3d to = axes.forward * std::cos(slope) - axes.up * std::sin(slope);
  return frame_turn(bone, rotate(conjugate(of_shin), axes.left), to, axes.left);
}

// Both the mean, if they are nearly equal.
void even_out(std::span<double* const> values) {
  if (values.size() != 2 || std::abs(*values[0] - *values[1]) > radians_from_degrees(kAlikeSlopes)) return;
  *values[0] = *values[1] = (*values[0] + *values[1]) / 2;
}

// As `sloped`, then rolled about the bone: a sole that leans to the left is turned down.
Quatd set_on(const BodyAxes& axes, const FootBones& foot, const Quatd& of_shin) {
  const Quatd turn = sloped(axes, foot.foot, foot.slope, of_shin);
  return quat_from_axis_angle(rotate(turn, foot.foot), -foot.roll) * turn;
}

// The slope and roll of the bone with a level sole.
void find_slope(const BodyAxes& axes, const Quatd& of_shin, FootBones& foot) {
  const double held = std::asin(std::clamp(-dot(foot.foot, axes.up), -1.0, 1.0));
  foot.slope = std::clamp(held, radians_from_degrees(kLeastSlope), radians_from_degrees(kMostSlope));
  for (int round = 0; round < kFootRounds; ++round) {
    const std::optional<double> rise =
        level_turn(foot.sole, set_on(axes, foot, of_shin), axes.forward, axes.up);
    if (!rise) return;
    foot.is_levelled = true;
    foot.slope += *rise;
    const std::optional<double> roll = level_turn(foot.sole, set_on(axes, foot, of_shin), axes.left, axes.up);
    const bool is_rolled =
        roll && *roll != 0 && std::abs(foot.roll + *roll) < radians_from_degrees(kMostRoll);
    if (is_rolled) foot.roll += *roll;
    if (*rise == 0 && !is_rolled) return;
  }
}

bool has_foot(const FootBones& foot) { return foot.ankle != kNone && length(foot.foot) > 0; }

void set_feet(const BodyAxes& axes, std::span<FootBones> feet, Turning& body, std::vector<Index>& levelled) {
  std::vector<double*> slopes;
  for (FootBones& foot : feet) {
    if (!has_foot(foot)) continue;
    find_slope(axes, body.turn_of(foot.ankle), foot);
    if (foot.is_levelled) slopes.push_back(&foot.slope);
  }
  even_out(slopes);
  // A foot without a sole slopes as the other does.
  for (FootBones& foot : feet)
    if (has_foot(foot) && !foot.is_levelled && !slopes.empty()) foot.slope = *slopes.front();
  for (const FootBones& foot : feet) {
    if (!has_foot(foot)) continue;
    body.set(foot.ankle, set_on(axes, foot, body.turn_of(foot.ankle)));
    if (foot.is_levelled) levelled.push_back(foot.ankle);
  }
}

// Toes are level as well.
void set_toes(const BodyAxes& axes, std::span<FootBones> feet, Turning& body) {
  std::array<double, 2> turns{};
  std::vector<double*> slopes;
  const auto held = [&](const FootBones& foot) {
    return length(foot.toe) > 0
               ? std::asin(std::clamp(-dot(rotate(body.turn_of(foot.ball), foot.toe), axes.up), -1.0, 1.0))
               : 0.0;
  };
  for (std::size_t side = 0; side < feet.size(); ++side) {
    const FootBones& foot = feet[side];
    if (!has_foot(foot) || foot.ball == kNone) continue;
    const double turn = level_turn(foot.toes, body.turn_of(foot.ball), axes.forward, axes.up).value_or(0);
    turns[side] = held(foot) + (std::abs(turn) > radians_from_degrees(kMostToeBend) ? 0 : turn);
    slopes.push_back(&turns[side]);
  }
  even_out(slopes);
  for (std::size_t side = 0; side < feet.size(); ++side) {
    const FootBones& foot = feet[side];
    if (!has_foot(foot) || foot.ball == kNone) continue;
    body.set(foot.ball, quat_from_axis_angle(axes.left, turns[side] - held(foot)) * body.turn_of(foot.ball));
  }
}

}  // namespace

void straighten_feet(const BodyAxes& axes, Turning& body, std::vector<Index>& levelled) {
  const RoleMap& roles = body.roles();
  std::array<FootBones, 2> feet;
  std::vector<Index> tops;
  for (const int side : {0, 1}) {
    FootBones& foot = feet[static_cast<std::size_t>(side)];
    foot.ankle = roles.first(on_side(foot_l, side));
    if (foot.ankle == kNone) continue;
    foot.ball = roles.first(on_side(toe_l, side));
    const std::optional<Vec3d> tip = body.tip_of(foot.ball == kNone ? foot.ankle : foot.ball);
    if (foot.ball != kNone) {
      foot.foot = body.bone(foot.ankle, foot.ball);
      if (tip) foot.toe = normalized(*tip - body.place(foot.ball));
      tops.push_back(foot.ball);
    } else if (tip) {
      foot.foot = normalized(*tip - body.place(foot.ankle));
    }
    tops.push_back(foot.ankle);
  }
  std::vector<std::vector<Vec3d>> parts = points_of_parts(body.character(), tops);
  for (FootBones& foot : feet) {
    for (std::size_t p = 0; p < tops.size(); ++p) {
      if (tops[p] == foot.ankle && foot.ankle != kNone)
        foot.sole = std::move(parts[p]);
      else if (tops[p] == foot.ball && foot.ball != kNone)
        foot.toes = std::move(parts[p]);
    }
  }
  // A sole reaches from heel to toes.
  for (FootBones& foot : feet) foot.sole.insert(foot.sole.end(), foot.toes.begin(), foot.toes.end());
  set_feet(axes, feet, body, levelled);
  set_toes(axes, feet, body);
}

}  // namespace dermis
