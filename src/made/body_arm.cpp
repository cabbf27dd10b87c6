// SPDX-License-Identifier: MIT
// A left arm standing on its shoulder, hand closed to a fist, that flexes at the elbow and twists.
#include "made/parts.h"
#include "made/plan.h"

namespace dermis {
namespace {

// The arm points up so that it stands on the ground; biceps and inner side of the elbow face +Z.
constexpr Vec3d kShoulder{0, 0.075, 0};
constexpr Vec3d kElbow{0, 0.365, -0.004};
constexpr Vec3d kTwist{0, 0.490, 0.000};  // half way down the forearm: takes half of the hand's twist
constexpr Vec3d kWrist{0, 0.622, 0.004};

// One loft from shoulder to wrist with the muscles added to it.
void add_arm(Sculpture& s) {
  s.begin(join(0), "arm");
  // Outer side, inner side, front, back, and the distance of the middle from the straight axis.
  Loft arm = loft_along({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1},
                        {{0.045, 0.048, 0.045, 0.048, 0.048, 0.000, 0.000},
                         {0.100, 0.050, 0.045, 0.049, 0.050, 0.000, 0.000},
                         {0.165, 0.043, 0.041, 0.043, 0.045, 0.000, -0.001},
                         {0.240, 0.039, 0.039, 0.041, 0.043, 0.000, -0.002},
                         {0.310, 0.036, 0.037, 0.037, 0.038, 0.000, -0.004},
                         {0.362, 0.037, 0.038, 0.034, 0.035, 0.000, -0.004},
                         {0.415, 0.041, 0.040, 0.038, 0.034, 0.002, 0.000},
                         {0.460, 0.039, 0.037, 0.036, 0.032, 0.002, 0.003},
                         {0.530, 0.033, 0.031, 0.028, 0.026, 0.000, 0.004},
                         {0.590, 0.0285, 0.0270, 0.0215, 0.0205, 0.000, 0.004},
                         {0.630, 0.0275, 0.0265, 0.0200, 0.0195, 0.000, 0.004},
                         {0.655, 0.018, 0.018, 0.012, 0.012, 0.000, 0.004}});
  arm.first_cap = 0.045, arm.last_cap = 0.010;
  s.add(arm, join(0));
  const Mat3d upright;
  s.add(Ellipsoid{{0.012, 0.115, 0.000}, {0.047, 0.080, 0.051}, upright}, join(0.024));   // deltoid
  s.add(Ellipsoid{{-0.002, 0.240, 0.020}, {0.031, 0.072, 0.029}, upright}, join(0.020));  // biceps
  s.add(Ellipsoid{{0.004, 0.215, -0.024}, {0.033, 0.080, 0.027}, upright}, join(0.024));  // triceps
  s.add(Ellipsoid{{0.000, 0.362, -0.026}, {0.016, 0.018, 0.014}, upright}, join(0.020));  // elbow tip
  s.add(Ellipsoid{{0.020, 0.425, 0.008}, {0.022, 0.060, 0.021}, upright},
        join(0.018));  // muscle that bends the elbow
  s.end();
}

// A closed hand: four knuckle ridges and a thumb across, all blended together.
void add_fist(Sculpture& s) {
  s.begin(join(0.014), "hand");
  const PartFrame f{
      {0, 0.634, 0.004}, Mat3d(), 1.16};  // numbers below are relative to the wrist, for a smaller hand
  s.add(ellipsoid_in(f, {0.001, 0.038, 0.000}, {0.036, 0.040, 0.021}), join(0));
  const double across[4] = {0.0285, 0.0100, -0.0085, -0.0262};
  const double size[4] = {0.0116, 0.0120, 0.0114, 0.0102};
  for (int k = 0; k < 4; ++k) {
    const double x = across[k], r = size[k], drop = 0.0016 * k;
    const Vec3d knuckle{x, 0.069 - drop, -0.004}, bend{x * 0.97, 0.068 - drop, 0.029};
    const Vec3d tip{x * 0.94, 0.034 - drop * 0.5, 0.027};
    s.add(cone_in(f, knuckle, r, bend, r * 0.94), join(0.008));
    s.add(cone_in(f, bend, r * 0.94, tip, r * 0.86), join(0.004));
  }
  // The palm that the fingers press against, then the thumb across them.
  s.add(ellipsoid_in(f, {0, 0.036, 0.018}, {0.031, 0.032, 0.014}), join(0.010));
  s.add(cone_in(f, {0.027, 0.012, 0.008}, 0.0130, {0.034, 0.040, 0.028}, 0.0112), join(0.012));
  s.add(cone_in(f, {0.034, 0.040, 0.028}, 0.0110, {0.011, 0.046, 0.041}, 0.0092), join(0.005));
  s.end();
}

}  // namespace

BodyPlan plan_arm() {
  BodyPlan plan;
  plan.name = "arm";
  plan.is_mirrored = false;
  plan.feature_cell = 0.0028;
  add_arm(plan.sculpture);
  add_fist(plan.sculpture);
  const Vec3d up{0, 1, 0};
  plan.joints = {joint_at("shoulder_L", "", kShoulder, up, 0, 0),
                 joint_at("elbow_L", "shoulder_L", kElbow, up, 0, 0.042),
                 joint_at("forearm_twist_L", "elbow_L", kTwist, up, 0.010, 0.095),
                 joint_at("wrist_L", "forearm_twist_L", kWrist, up, 0, 0.034)};
  plan.clip.name = "flex_and_twist";
  plan.clip.swings = {{"elbow_L", {1, 0, 0}, Wave::bump, 105, 0, 0},
                      {"forearm_twist_L", {0, 1, 0}, Wave::sine, 40, 0, 0},
                      {"wrist_L", {0, 1, 0}, Wave::sine, 40, 0, 0},
                      {"wrist_L", {1, 0, 0}, Wave::bump, 22, 0, 0}};
  return plan;
}

}  // namespace dermis
