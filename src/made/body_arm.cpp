// SPDX-License-Identifier: MIT
// A left arm standing on its shoulder, hand closed to a fist, that flexes at the elbow and twists.
#include "made/parts.h"
#include "made/plan.h"

namespace dermis {
namespace {

// The arm points up so that it stands on the ground; biceps and inner side of the elbow face +Z.
constexpr Vec3d kShoulder{0, 0.075, 0};
constexpr Vec3d kElbow{0, 0.365, -0.004};
constexpr Vec3d kTwist{0, 0.490, 0.000};  // half way down the forearm: carries half of the hand's twist
constexpr Vec3d kWrist{0, 0.622, 0.004};

void add_upper_arm(Sculpture& s) {
  s.begin(join(0), "upper_arm");
  // Outer side, inner side, front, back from the shoulder up to the elbow.
  Loft upper = loft_along({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1},
                          {{0.045, 0.050, 0.046, 0.050, 0.050},
                           {0.100, 0.054, 0.048, 0.052, 0.052},
                           {0.160, 0.047, 0.044, 0.046, 0.050},
                           {0.240, 0.041, 0.041, 0.042, 0.048},
                           {0.310, 0.037, 0.038, 0.037, 0.040},
                           {0.365, 0.038, 0.039, 0.035, 0.036}});
  upper.first_cap = 0.045, upper.last_cap = 0.030;
  s.add(upper, join(0));
  const Mat3d upright;
  s.add(Ellipsoid{{0.012, 0.110, 0.000}, {0.050, 0.078, 0.054}, upright}, join(0.030));   // deltoid
  s.add(Ellipsoid{{-0.002, 0.235, 0.022}, {0.032, 0.075, 0.030}, upright}, join(0.024));  // biceps
  s.add(Ellipsoid{{0.004, 0.215, -0.026}, {0.034, 0.080, 0.028}, upright}, join(0.030));  // triceps
  s.add(Ellipsoid{{0.000, 0.362, -0.030}, {0.016, 0.018, 0.014}, upright}, join(0.026));  // elbow tip
  s.end();
}

void add_forearm(Sculpture& s) {
  s.begin(join(0.040), "forearm");
  Loft fore = loft_along({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1},
                         {{0.365, 0.037, 0.038, 0.034, 0.034},
                          {0.415, 0.043, 0.042, 0.038, 0.034, 0.002, 0.004},
                          {0.460, 0.041, 0.039, 0.036, 0.032, 0.002, 0.004},
                          {0.530, 0.034, 0.032, 0.028, 0.026, 0, 0.003},
                          {0.590, 0.0285, 0.0270, 0.0215, 0.0205, 0, 0.003},
                          {0.622, 0.0275, 0.0265, 0.0200, 0.0195, 0, 0.003}});
  fore.first_cap = 0.030, fore.last_cap = 0.015;
  s.add(fore, join(0));
  s.add(Ellipsoid{{0.020, 0.425, 0.008}, {0.022, 0.060, 0.022}, Mat3d()},
        join(0.028));  // muscle that bends the elbow
  s.end();
}

// A closed hand: four knuckle ridges and a thumb across, all melted together.
void add_fist(Sculpture& s) {
  s.begin(join(0.018), "hand");
  const Mat3d upright;
  s.add(Ellipsoid{{0.000, 0.668, 0.004}, {0.036, 0.042, 0.024}, upright}, join(0));
  const double across[4] = {0.030, 0.0105, -0.009, -0.0275};
  const double size[4] = {0.0125, 0.0130, 0.0122, 0.0108};
  for (int f = 0; f < 4; ++f) {
    const double x = across[f], r = size[f];
    const Vec3d knuckle{x, 0.704 - 0.0022 * f * f * 0.5, -0.006}, bend{x * 0.96, 0.698 - 0.002 * f, 0.034};
    const Vec3d tip{x * 0.92, 0.668 - 0.001 * f, 0.030};
    s.add(RoundCone{knuckle, bend, r, r * 0.92}, join(0.008));
    s.add(RoundCone{bend, tip, r * 0.92, r * 0.84}, join(0.006));
  }
  s.add(RoundCone{{0.034, 0.645, 0.014}, {0.036, 0.674, 0.034}, 0.0140, 0.0120}, join(0.012));
  s.add(RoundCone{{0.036, 0.674, 0.034}, {0.010, 0.684, 0.050}, 0.0118, 0.0098}, join(0.008));
  s.end();
}

JointPlan joint(const char* name, const char* parent, const Vec3d& at, double shift, double band) {
  JointPlan j;
  j.name = name;
  j.parent = parent;
  j.at = at;
  j.cut.normal = {0, 1, 0};
  j.cut.shift = shift;
  j.cut.band = band;
  return j;
}

}  // namespace

BodyPlan plan_arm() {
  BodyPlan plan;
  plan.name = "arm";
  plan.is_mirrored = false;
  plan.feature_cell = 0.0028;
  add_upper_arm(plan.sculpture);
  add_forearm(plan.sculpture);
  add_fist(plan.sculpture);
  plan.joints = {joint("shoulder_L", "", kShoulder, 0, 0), joint("elbow_L", "shoulder_L", kElbow, 0, 0.042),
                 joint("forearm_twist_L", "elbow_L", kTwist, 0.010, 0.095),
                 joint("wrist_L", "forearm_twist_L", kWrist, 0, 0.034)};
  plan.clip.name = "flex_and_twist";
  plan.clip.swings = {{"elbow_L", {1, 0, 0}, Wave::bump, 105, 0, 0},
                      {"forearm_twist_L", {0, 1, 0}, Wave::sine, 40, 0, 0},
                      {"wrist_L", {0, 1, 0}, Wave::sine, 40, 0, 0},
                      {"wrist_L", {1, 0, 0}, Wave::bump, 22, 0, 0}};
  return plan;
}

}  // namespace dermis
