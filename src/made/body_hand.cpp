// SPDX-License-Identifier: MIT
// A left hand on its wrist, fingers up, palm forward, that closes into a fist and opens again.
#include <fmt/format.h>

#include "made/parts.h"
#include "made/plan.h"

namespace dermis {
namespace {

// The forearm is cut off rounded at the ground, ten centimetres below the wrist.
constexpr double kWristHeight = 0.105;

// Fingers along +Y, back of the hand to -Z: the palm faces +Z and the thumb of a left hand points to -X.
PartFrame frame() { return {{0, kWristHeight, 0}, Mat3d({0, 1, 0}, {0, 0, -1}, {-1, 0, 0}), 1.0}; }

ClipPlan fist() {
  ClipPlan clip;
  clip.name = "fist";
  clip.seconds = 2.0;
  const PartFrame hand = frame();
  // Fingers close one by one, the little finger first, and the thumb over them.
  double delay = 0.06;
  for (const char* finger : {"index", "middle", "ring", "pinky"}) {
    const Vec3d axis = finger_axis(hand, finger);
    const double degrees[3] = {62, 82, 50};
    for (int k = 0; k < 3; ++k)
      clip.swings.push_back({fmt::format("{}_{}", finger, k + 1), axis, Wave::bump, degrees[k], delay, 0});
    delay -= 0.02;
  }
  // The thumb moves in front of the palm, then bends across the fingers.
  const Vec3d across = normalized(Vec3d(0.3, 0, -1));
  clip.swings.push_back({"thumb_1", {0, 1, 0}, Wave::bump, 40, 0.05, 0});
  clip.swings.push_back({"thumb_1", across, Wave::bump, 8, 0.05, 0});
  clip.swings.push_back({"thumb_2", across, Wave::bump, 36, 0.05, 0});
  clip.swings.push_back({"thumb_3", across, Wave::bump, 42, 0.05, 0});
  clip.swings.push_back({"hand", {1, 0, 0}, Wave::bump, 16, 0, 0});
  clip.swings.push_back({"hand", {0, 1, 0}, Wave::sine, 14, 0, 0});
  return clip;
}

}  // namespace

BodyPlan plan_hand() {
  BodyPlan plan;
  plan.name = "hand";
  plan.is_mirrored = false;
  plan.feature_cell = 0.0016;
  const PartFrame hand = frame();
  Sculpture& s = plan.sculpture;
  s.begin(join(0), "forearm");
  Loft fore = loft_along({0, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, 0, -1},
                         {{0.014, 0.034, 0.032, 0.0260, 0.0280},
                          {0.040, 0.031, 0.029, 0.0230, 0.0250},
                          {0.080, 0.0275, 0.0260, 0.0190, 0.0210},
                          {0.100, 0.0272, 0.0258, 0.0178, 0.0198},
                          {0.124, 0.0200, 0.0190, 0.0110, 0.0120}});
  fore.first_cap = 0.014, fore.last_cap = 0.012;
  s.add(fore, join(0));
  s.end();
  add_hand(s, hand, "", join(0.008));

  JointPlan root;
  root.name = "forearm";
  root.at = {0, 0.0, 0};
  plan.joints.push_back(root);
  JointPlan wrist;
  wrist.name = "hand";
  wrist.parent = "forearm";
  wrist.at = hand.origin;
  wrist.cut.normal = {0, 1, 0};
  wrist.cut.band = 0.024;
  plan.joints.push_back(wrist);
  add_hand_joints(hand, "", plan.joints);
  plan.clip = fist();
  return plan;
}

}  // namespace dermis
