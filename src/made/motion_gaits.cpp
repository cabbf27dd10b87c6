// SPDX-License-Identifier: MIT
// Walk, run and trot: planted feet are fixed to the ground, legs follow by inverse kinematics.
#include <fmt/format.h>

#include <cmath>

#include "made/puppet.h"
#include "made/steps.h"

namespace dermis {
namespace {

double sine(double turns) { return std::sin(2 * kPi * turns); }
double share(double turns) { return turns - std::floor(turns); }

// How the foot of a gait moves. Metres, degrees, fractions of the cycle.
struct Gait {
  double stride = 1;       // of a whole cycle
  double duty = 0.6;       // fraction of the cycle that a foot is planted
  double ahead = 0.3;      // where it comes down, in front of the hips
  double lift = 0.1;       // in the middle of its swing
  double strike = 18;      // toe up when it comes down
  double push = 48;        // heel up when it leaves
  double fold = 20;        // further heel up in the swing
  double flat_at = 0.18;   // of the stance: the sole is down
  double heel_off = 0.55;  // of the stance: the heel leaves
};

// Pitch of the foot, toe up above zero, through stance and swing.
double pitch_at(const Gait& gait, double phase) {
  if (phase < gait.duty) {
    const double stance = phase / gait.duty;
    const double down = gait.strike * (1 - cubic_step(stance / gait.flat_at));
    const double rise = (stance - gait.heel_off) / (1 - gait.heel_off);
    return down - gait.push * (rise <= 0 ? 0 : rise * rise);
  }
  const double swing = (phase - gait.duty) / (1 - gait.duty);
  const double turn = quintic_step(swing);
  const double fold = std::sin(kPi * std::min(1.0, swing * 1.4));
  return -gait.push + (gait.push + gait.strike) * turn - (swing < 1 / 1.4 ? gait.fold * fold * fold : 0);
}

// The position of the sole along the path, relative to its first foothold: 0 while it is planted, one stride
// afterwards.
double way_at(const Gait& gait, double phase) {
  return phase < gait.duty ? 0 : gait.stride * quintic_step((phase - gait.duty) / (1 - gait.duty));
}

double lift_at(const Gait& gait, double phase) {
  if (phase < gait.duty) return 0;
  const double wave = std::sin(kPi * (phase - gait.duty) / (1 - gait.duty));
  return gait.lift * wave * wave;
}

struct Leg {
  Puppet::Limb limb;
  std::string toe;
};

Leg leg_of(const std::string& side) {
  return {{"thigh_" + side, "shin_" + side, "foot_" + side}, "toe_" + side};
}

// The foot at `turns` of a cycle in which it comes down at `late`: it rolls over heel and ball.
void step(Puppet& puppet, const Gait& gait, const Leg& leg, double turns, double late) {
  const double phase = share(turns - late), pitch = pitch_at(gait, phase);
  const Vec3d ankle = puppet.rest_place(leg.limb.end), ball = puppet.rest_place(leg.toe);
  const Vec3d heel{ankle.x, 0, ankle.z - 0.4 * (ball.z - ankle.z)}, tip{ball.x, 0, ball.z};
  const Vec3d pivot = pitch > 0 ? heel : tip;
  const Quatd turn = quat_from_axis_angle(kX, -radians_from_degrees(pitch));
  const double base = gait.ahead + (std::floor(turns - late) + late) * gait.stride + way_at(gait, phase);
  const Vec3d place = pivot + rotate(turn, ankle - pivot) + Vec3d{0, lift_at(gait, phase), base - ankle.z};
  puppet.reach(leg.limb, place, turn, kZ);
  // Toes stay on the ground while the heel leaves it.
  const double bend =
      phase < gait.duty ? std::min(0.0, pitch) : std::min(0.0, pitch) * (1 - phase) / (1 - gait.duty);
  puppet.hold(leg.toe, quat_from_axis_angle(kX, -radians_from_degrees(pitch - bend)));
}

void relax_hands(Puppet& puppet, double degrees) {
  for (const char* side : {"_L", "_R"}) {
    const double sign = side[1] == 'L' ? 1 : -1;
    for (const char* finger : {"index", "middle", "ring", "pinky"}) {
      for (const char* number : {"_1", "_2", "_3"})
        puppet.turn(finger + std::string(number) + side, {0, 0, -sign}, degrees);
    }
  }
}

// An arm that hangs and swings: `out` from the body, `swing` forward, `bend` of the elbow.
void swing_arm(Puppet& puppet, const std::string& side, double out, double swing, double bend) {
  const double sign = side == "L" ? 1 : -1;
  const std::string upper = "upper_arm_" + side, fore = "forearm_" + side;
  // At rest the arms are about 43 degrees from the body.
  puppet.turn(upper, kX, -swing);
  puppet.turn(upper, kZ, -sign * (43 - out));
  const Vec3d bone = puppet.rest_place("hand_" + side) - puppet.rest_place(fore);
  puppet.turn(fore, cross(bone, kZ), bend);
}

}  // namespace

void pose_walk(Puppet& puppet, double turns) {
  Gait gait;
  gait.stride = 1.24, gait.duty = 0.61, gait.ahead = 0.33, gait.lift = 0.06;
  // The left foot comes down at 0, the right one half a cycle later.
  puppet.move_hips(
      {0.022 * sine(turns - 0.05), -0.042 - 0.018 * std::cos(4 * kPi * (turns - 0.03)), gait.stride * turns});
  puppet.turn("hips", kY, -6 * std::cos(2 * kPi * turns));
  puppet.turn("hips", kZ, 3 * sine(turns - 0.04));
  puppet.turn("hips", kX, 2);
  puppet.turn("spine", kZ, -2 * sine(turns - 0.04));
  puppet.turn("spine", kY, 6 * std::cos(2 * kPi * turns));
  puppet.turn("chest", kY, 5 * std::cos(2 * kPi * turns));
  puppet.turn("chest", kZ, -1.5 * sine(turns - 0.04));
  puppet.turn("neck", kY, -3 * std::cos(2 * kPi * turns));
  puppet.turn("head", kY, -2 * std::cos(2 * kPi * turns));
  puppet.turn("head", kX, -2 - 1.2 * std::cos(4 * kPi * turns));
  swing_arm(puppet, "L", 8, -2 - 21 * std::cos(2 * kPi * (turns - 0.02)),
            18 - 10 * std::cos(2 * kPi * (turns - 0.06)));
  swing_arm(puppet, "R", 8, -2 + 21 * std::cos(2 * kPi * (turns - 0.02)),
            18 + 10 * std::cos(2 * kPi * (turns - 0.06)));
  relax_hands(puppet, 14);
  step(puppet, gait, leg_of("L"), turns, 0);
  step(puppet, gait, leg_of("R"), turns, 0.5);
}

void pose_run(Puppet& puppet, double turns) {
  Gait gait;
  gait.stride = 2.0, gait.duty = 0.34, gait.ahead = 0.27, gait.lift = 0.20;
  gait.strike = 8, gait.push = 55, gait.fold = 45, gait.heel_off = 0.4;
  puppet.move_hips(
      {0.010 * sine(turns - 0.02), -0.060 - 0.035 * std::cos(4 * kPi * (turns - 0.15)), gait.stride * turns});
  puppet.turn("hips", kY, -9 * std::cos(2 * kPi * turns));
  puppet.turn("hips", kX, 6);
  puppet.turn("spine", kX, 4);
  puppet.turn("spine", kY, 10 * std::cos(2 * kPi * turns));
  puppet.turn("chest", kY, 10 * std::cos(2 * kPi * turns));
  puppet.turn("neck", kY, -6 * std::cos(2 * kPi * turns));
  puppet.turn("neck", kX, -4);
  puppet.turn("head", kY, -5 * std::cos(2 * kPi * turns));
  puppet.turn("head", kX, -5);
  swing_arm(puppet, "L", 14, -14 - 38 * std::cos(2 * kPi * (turns - 0.02)),
            84 - 14 * std::cos(2 * kPi * turns));
  swing_arm(puppet, "R", 14, -14 + 38 * std::cos(2 * kPi * (turns - 0.02)),
            84 + 14 * std::cos(2 * kPi * turns));
  relax_hands(puppet, 34);
  step(puppet, gait, leg_of("L"), turns, 0);
  step(puppet, gait, leg_of("R"), turns, 0.5);
}

void pose_trot(Puppet& puppet, double turns) {
  Gait gait;
  gait.stride = 0.62, gait.duty = 0.48, gait.lift = 0.055;
  puppet.move_hips({0, -0.022 + 0.012 * std::cos(4 * kPi * (turns - 0.02)), gait.stride * turns});
  puppet.turn("hips", kX, 1.5 * std::cos(4 * kPi * turns));
  puppet.turn("spine", kY, 2 * sine(turns));
  puppet.turn("chest", kY, -2 * sine(turns));
  puppet.turn("neck_1", kX, -4 - 2 * std::cos(4 * kPi * turns));
  puppet.turn("head", kX, 4 + 2 * std::cos(4 * kPi * (turns - 0.05)));
  for (int k = 1; k <= 4; ++k) puppet.turn("tail_" + std::to_string(k), kY, 7 * sine(turns - 0.08 * k));
  for (const std::string place : {"front", "hind"}) {
    for (const std::string side : {"L", "R"}) {
      // Diagonally opposite legs step together.
      const double late = (place == "front") == (side == "L") ? 0 : 0.5, phase = share(turns - late);
      const auto name = [&](const char* joint) { return fmt::format("{}_{}_{}", place, joint, side); };
      const Vec3d rest = puppet.rest_place(name("foot"));
      const double ahead = 0.5 * gait.duty * gait.stride + (std::floor(turns - late) + late) * gait.stride;
      const Vec3d foot = rest + Vec3d{0, lift_at(gait, phase), ahead + way_at(gait, phase)};
      const double fold = phase < gait.duty ? 0 : 40 * lift_at(gait, phase) / gait.lift;
      puppet.reach({name("upper"), name("lower"), name("foot")}, foot,
                   quat_from_axis_angle(kX, radians_from_degrees(fold)), place == "front" ? -kZ : kZ);
    }
  }
}

}  // namespace dermis
