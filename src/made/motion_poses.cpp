// SPDX-License-Identifier: MIT
// Wave and range of motion: a sequence of poses with planted feet.
#include <cmath>

#include "made/puppet.h"
#include "made/steps.h"

namespace dermis {
namespace {

// Both feet at rest, moved by `left` and `right`.
void stand(Puppet& puppet, const Vec3d& left = {}, const Vec3d& right = {}) {
  for (const char* side : {"L", "R"}) {
    const std::string foot = std::string("foot_") + side;
    puppet.reach({std::string("thigh_") + side, std::string("shin_") + side, foot},
                 puppet.rest_place(foot) + (side[0] == 'L' ? left : right), Quatd{}, kZ);
  }
}

// A turn of a joint and, mirrored, of the one on the other side.
struct Turn {
  const char* joint;  // for joints with a side, the left one
  Vec3d axis;
  double degrees;
  bool is_mirrored = false;
};

// One stop of the range of motion: reached, held for a moment, then left.
struct Stop {
  std::vector<Turn> turns;
  Vec3d hips{};           // moved by
  Vec3d left{}, right{};  // feet moved by
};

void add_turns(Puppet& puppet, const std::vector<Turn>& turns, double amount) {
  for (const Turn& turn : turns) {
    const std::string joint = turn.joint;
    puppet.turn(joint, turn.axis, turn.degrees * amount);
    if (!turn.is_mirrored) continue;
    // A rotation is mirrored by mirroring its axis and negating its angle.
    const Vec3d axis{-turn.axis.x, turn.axis.y, turn.axis.z};
    puppet.turn(joint.substr(0, joint.size() - 1) + "R", axis, -turn.degrees * amount);
  }
}

// Their number is prime, so that evenly spaced samples of the whole do not all fall between two stops.
std::vector<Stop> stops() {
  const Vec3d elbow{-0.748, -0.657, 0};  // across the forearm: folds it forward
  return {
      {{{"shoulder_L", kZ, 20, true}, {"upper_arm_L", kZ, -25, true}}},     // a shrug
      {{{"upper_arm_L", kZ, 43, true}, {"shoulder_L", kZ, 6, true}}},       // arms out
      {{{"upper_arm_L", kZ, 125, true}, {"shoulder_L", kZ, 22, true}}},     // arms up
      {{{"upper_arm_L", kX, -80, true}, {"upper_arm_L", kZ, -30, true}}},   // arms forward
      {{{"upper_arm_L", kX, 40, true}, {"upper_arm_L", kZ, -30, true}}},    // arms back
      {{{"upper_arm_L", kZ, -30, true}, {"forearm_L", elbow, 125, true}}},  // elbows
      {{{"spine", kX, 22}, {"chest", kX, 26}, {"neck", kX, 15}, {"hips", kX, 22}}, {0, -0.01, -0.06}},
      {{{"spine", kX, -10}, {"chest", kX, -14}, {"neck", kX, -14}, {"head", kX, -10}}},
      {{{"spine", kZ, 14}, {"chest", kZ, 16}, {"neck", kZ, 10}}},     // to one side
      {{{"spine", kZ, -14}, {"chest", kZ, -16}, {"neck", kZ, -10}}},  // to the other
      {{{"spine", kY, 18}, {"chest", kY, 24}, {"neck", kY, 20}, {"head", kY, 20}}},
      {{{"spine", kY, -18}, {"chest", kY, -24}, {"neck", kY, -20}, {"head", kY, -20}}},
      {{{"upper_arm_L", kX, -60, true}, {"hips", kX, 28}, {"neck", kX, -14}}, {0, -0.34, -0.14}},  // squat
      {{{"hips", kZ, 2}}, {-0.085, -0.01, 0}, {0, 0.42, 0.26}},                                // a knee up
      {{{"hips", kZ, -2}}, {0.085, -0.01, 0}, {}, {0, 0.42, 0.26}},                            // the other
      {{{"hips", kZ, 3}, {"upper_arm_L", kZ, 30, true}}, {-0.09, -0.01, 0}, {0.42, 0.12, 0}},  // a leg out
      {{{"hips", kZ, -3}, {"upper_arm_L", kZ, 30, true}}, {0.09, -0.01, 0}, {}, {-0.42, 0.12, 0}},
  };
}

}  // namespace

void pose_wave(Puppet& puppet, double turns) {
  const auto beat = [&](double cycles, double late) { return std::sin(2 * kPi * (cycles * turns - late)); };
  puppet.move_hips({0.012 * beat(1, 0), -0.006 + 0.003 * beat(2, 0.1), 0});
  puppet.turn("hips", kZ, 1.2 * beat(1, 0));
  puppet.turn("spine", kZ, -2 - 1.5 * beat(1, 0.05));
  puppet.turn("chest", kZ, -3);
  puppet.turn("neck", kZ, -4 + 1.5 * beat(1, 0.1));
  puppet.turn("head", kY, -8);
  puppet.turn("upper_arm_L", kZ, -33);
  puppet.turn("forearm_L", {-0.748, -0.657, 0}, 14);
  // The right arm is raised next to the head and its forearm swings.
  puppet.turn("shoulder_R", kZ, -10);
  puppet.turn("upper_arm_R", kZ, -44);
  puppet.turn("upper_arm_R", kY, 14);
  const Vec3d bone = normalized(puppet.rest_place("hand_R") - puppet.rest_place("forearm_R"));
  puppet.turn("forearm_R", kZ, -88 + 24 * beat(3, 0));
  puppet.turn("hand_R", kZ, 12 * beat(3, 0.12));
  puppet.turn("hand_R", bone, 30);
  stand(puppet);
}

void pose_range(Puppet& puppet, double turns) {
  static const std::vector<Stop> kStops = stops();
  const double place = turns * static_cast<double>(kStops.size());
  const auto stop =
      static_cast<std::size_t>(std::min(std::floor(place), static_cast<double>(kStops.size() - 1)));
  const double within = place - static_cast<double>(stop);
  // Up in two fifths of the time, held for one, down in two.
  const double amount = quintic_step(std::min(within, 1 - within) / 0.4);
  const Stop& now = kStops[stop];
  puppet.move_hips(now.hips * amount + Vec3d{0, -0.004, 0});
  add_turns(puppet, now.turns, amount);
  stand(puppet, now.left * amount, now.right * amount);
}

}  // namespace dermis
