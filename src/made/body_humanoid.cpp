// SPDX-License-Identifier: MIT
// A person of 1.75 m with the arms held a little away from the body, walking on the spot.
#include <cmath>

#include "made/parts.h"
#include "made/plan.h"
#include "made/steps.h"

namespace dermis {
namespace {

// ---- Measurements -------------------------------------------------------------------------------------
// Joint centres of the left side, in metres: a body of almost eight heads, weight on both feet.

constexpr Vec3d kHips{0, 0.955, -0.005};
constexpr Vec3d kSpine{0, 1.075, -0.015};
constexpr Vec3d kChest{0, 1.215, -0.020};
constexpr Vec3d kNeck{0, 1.465, -0.030};
constexpr Vec3d kHead{0, 1.560, -0.012};
constexpr Vec3d kHeadMiddle{0, 1.628, 0.000};  // between the ear canals
constexpr Vec3d kCollar{0.025, 1.430, 0.000};
constexpr Vec3d kShoulder{0.172, 1.412, -0.022};
constexpr Vec3d kElbow{0.362, 1.207, -0.030};
constexpr Vec3d kWrist{0.527, 1.019, 0.002};
constexpr Vec3d kHip{0.092, 0.915, 0.000};
constexpr Vec3d kKnee{0.106, 0.490, 0.008};
constexpr Vec3d kAnkle{0.118, 0.082, -0.022};
constexpr Vec3d kToe{0.138, 0.022, 0.108};

// x along the hand, y out of its back, z to the thumb: the palm faces the thigh and a little back.
PartFrame hand_frame() {
  const Vec3d along = normalized(Vec3d(kWrist - kElbow) + Vec3d(0.01, -0.03, 0.01));
  const Vec3d thumb = normalized(Vec3d(0.15, 0, 1) - along * dot(Vec3d(0.15, 0, 1), along));
  return {kWrist, Mat3d(along, cross(thumb, along), thumb), 0.97};
}

PartFrame head_frame() { return {kHeadMiddle, Mat3d(), 1.0}; }

// ---- Trunk --------------------------------------------------------------------------------------------

void add_trunk(Sculpture& s) {
  s.begin(join(0), "trunk");
  const auto level = [](double y, double width, double front, double back, double z) {
    return Station{y, width, width, front, back, 0, z};
  };
  Loft trunk =
      loft_along({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1},
                 {level(0.855, 0.146, 0.068, 0.080, -0.004), level(0.920, 0.164, 0.086, 0.094, -0.005),
                  level(0.985, 0.161, 0.096, 0.096, -0.004), level(1.050, 0.143, 0.096, 0.084, 0.000),
                  level(1.115, 0.134, 0.094, 0.080, 0.002), level(1.190, 0.140, 0.100, 0.088, -0.002),
                  level(1.270, 0.154, 0.106, 0.100, -0.008), level(1.335, 0.156, 0.100, 0.104, -0.015),
                  level(1.390, 0.140, 0.082, 0.094, -0.022), level(1.435, 0.104, 0.064, 0.078, -0.028),
                  level(1.480, 0.066, 0.052, 0.062, -0.032)});
  trunk.first_cap = 0.050;
  trunk.last_cap = 0.040;
  s.add(trunk, join(0));
  on_both_sides(s, [&](const std::string&) {
    const Mat3d upright;
    s.add(Ellipsoid{{0.060, 1.332, 0.050}, {0.076, 0.054, 0.034}, upright}, join(0.060));   // chest muscle
    s.add(Ellipsoid{{0.078, 1.335, -0.076}, {0.062, 0.085, 0.034}, upright}, join(0.050));  // shoulder blade
    s.add(RoundCone{{0.116, 1.335, -0.045}, {0.085, 1.160, -0.020}, 0.054, 0.020},
          join(0.050));  // back muscle
    s.add(RoundCone{{0.028, 1.490, -0.040}, {0.150, 1.428, -0.030}, 0.032, 0.034},
          join(0.050));  // neck to shoulder
    s.add(Ellipsoid{{0.074, 0.925, -0.066}, {0.076, 0.086, 0.054}, upright}, join(0.050));  // seat
  });
  s.add(RoundCone{{0, 1.30, 0.120}, {0, 1.20, 0.118}, 0.010, 0.006},
        carve(0.035));  // between the chest muscles
  s.add(RoundCone{{0, 1.33, -0.148}, {0, 1.06, -0.112}, 0.012, 0.012}, carve(0.045));  // line of the spine
  s.end();
  s.begin(join(0.060), "neck");
  s.add(loft_along({0, 1.400, -0.034}, {0, 0.975, 0.16}, {1, 0, 0}, {0, 0, 1},
                   {{0.00, 0.066, 0.066, 0.058, 0.058},
                    {0.06, 0.059, 0.059, 0.056, 0.056},
                    {0.12, 0.055, 0.055, 0.055, 0.056},
                    {0.20, 0.054, 0.054, 0.052, 0.058}}),
        join(0));
  s.end();
}

// ---- Arms ---------------------------------------------------------------------------------------------

void add_arm(Sculpture& s, const std::string& side) {
  s.begin(join(0.050), sided("arm", side));
  const Vec3d up{0.7, 0.75, 0};
  // One loft for the whole arm: up, down, front, back, and the distance of the elbow from the straight line.
  Loft arm = loft_along(kShoulder, kWrist - kShoulder, up, {0, 0, 1},
                        {{0.000, 0.046, 0.044, 0.046, 0.046, 0.000, 0.000},
                         {0.060, 0.049, 0.046, 0.050, 0.050, 0.000, -0.002},
                         {0.120, 0.042, 0.043, 0.050, 0.046, 0.000, -0.006},
                         {0.175, 0.038, 0.041, 0.049, 0.044, 0.000, -0.010},
                         {0.230, 0.035, 0.037, 0.041, 0.039, 0.000, -0.014},
                         {0.280, 0.0335, 0.0345, 0.037, 0.036, 0.000, -0.017},
                         {0.330, 0.0360, 0.0350, 0.0430, 0.0385, 0.000, -0.016},
                         {0.375, 0.0335, 0.0330, 0.0420, 0.0365, 0.000, -0.014},
                         {0.440, 0.0265, 0.0265, 0.0340, 0.0305, 0.000, -0.008},
                         {0.495, 0.0205, 0.0220, 0.0280, 0.0265, 0.000, -0.003},
                         {0.530, 0.0185, 0.0205, 0.0270, 0.0255, 0.000, 0.000}});
  arm.first_cap = 0.040, arm.last_cap = 0.012;
  s.add(arm, join(0));
  Mat3d along_arm;
  along_arm.x = arm.along, along_arm.y = arm.outward, along_arm.z = arm.forward;
  s.add(Ellipsoid{kShoulder + arm.along * 0.040 + arm.outward * 0.010, {0.086, 0.052, 0.057}, along_arm},
        join(0.026));  // deltoid
  s.add(Ellipsoid{kElbow + Vec3d(-0.002, 0.002, -0.012), {0.022, 0.020, 0.018}, along_arm},
        join(0.024));  // elbow tip
  s.end();
  add_hand(s, hand_frame(), side, join(0.008));
}

// ---- Legs ---------------------------------------------------------------------------------------------

void add_leg(Sculpture& s, const std::string& side) {
  s.begin(join(0.035), sided("leg", side));
  // Outside, inside, front, back from hip to ankle.
  Loft leg = loft_along(kHip, kAnkle - kHip, {1, 0, 0}, {0, 0, 1},
                        {{-0.060, 0.030, 0.030, 0.030, 0.030, 0.000, -0.010},
                         {0.000, 0.056, 0.052, 0.073, 0.071, 0.000, -0.003},
                         {0.070, 0.074, 0.076, 0.083, 0.085, 0.000, 0.000},
                         {0.150, 0.077, 0.077, 0.086, 0.084, 0.000, 0.002},
                         {0.240, 0.071, 0.067, 0.079, 0.072, 0.000, 0.006},
                         {0.330, 0.059, 0.057, 0.067, 0.057, 0.000, 0.009},
                         {0.390, 0.052, 0.052, 0.058, 0.049, 0.000, 0.010},
                         {0.430, 0.050, 0.051, 0.055, 0.047, 0.000, 0.011},
                         {0.475, 0.0495, 0.0495, 0.0500, 0.0520, 0.000, 0.007},
                         {0.540, 0.055, 0.053, 0.045, 0.068, 0.001, 0.002},
                         {0.600, 0.050, 0.049, 0.042, 0.060, 0.000, -0.002},
                         {0.680, 0.039, 0.038, 0.037, 0.044, 0.000, -0.003},
                         {0.760, 0.031, 0.030, 0.034, 0.035, 0.000, 0.000},
                         {0.815, 0.0305, 0.0295, 0.036, 0.034, 0.000, 0.004},
                         {0.850, 0.020, 0.020, 0.022, 0.022, 0.000, 0.010}});
  leg.first_cap = 0.060, leg.last_cap = 0.012;
  s.add(leg, join(0));
  const Mat3d upright;
  // Knee cap, outer and inner ankle: mostly inside, so that only a hint of them shows.
  s.add(Ellipsoid{kKnee + Vec3d(0, 0.004, 0.034), {0.026, 0.034, 0.012}, upright}, join(0.030));
  s.add(Ellipsoid{kAnkle + Vec3d(0.017, 0.000, -0.002), {0.014, 0.020, 0.018}, upright}, join(0.018));
  s.add(Ellipsoid{kAnkle + Vec3d(-0.016, 0.006, 0.004), {0.014, 0.020, 0.018}, upright}, join(0.018));
  s.end();

  // The foot points a little outward; its sole is cut flat by the ground.
  s.begin(join(0.018), sided("foot", side));
  const Vec3d ahead = normalized(Vec3d(0.14, 0, 1));
  const Vec3d out = normalized(cross(Vec3d(0, 1, 0), ahead));
  const Vec3d sole{kAnkle.x, 0, kAnkle.z};
  // Outer side, inner side, up, down; the last number lifts the middle of the section.
  Loft foot = loft_along(sole, ahead, out, {0, 1, 0},
                         {{-0.034, 0.028, 0.028, 0.036, 0.040, 0.000, 0.034},
                          {0.000, 0.031, 0.030, 0.052, 0.040, 0.000, 0.034},
                          {0.040, 0.035, 0.031, 0.052, 0.038, 0.001, 0.032},
                          {0.080, 0.041, 0.035, 0.036, 0.034, 0.002, 0.028},
                          {0.120, 0.046, 0.040, 0.022, 0.028, 0.002, 0.023},
                          {0.148, 0.044, 0.040, 0.016, 0.022, 0.001, 0.019},
                          {0.165, 0.038, 0.036, 0.012, 0.018, 0.000, 0.017}});
  foot.first_cap = 0.032, foot.last_cap = 0.014;
  s.add(foot, join(0));
  struct Toe {
    double across, from, to, radius;
  };
  // Big toe first; the grooves between them stay shallow, so that no toe stands alone.
  for (const Toe& t : {Toe{-0.027, 0.135, 0.186, 0.0135}, Toe{-0.007, 0.145, 0.186, 0.0098},
                       Toe{0.009, 0.143, 0.178, 0.0092}, Toe{0.023, 0.138, 0.168, 0.0088},
                       Toe{0.036, 0.130, 0.154, 0.0085}}) {
    const Vec3d a = sole + ahead * t.from + out * t.across + Vec3d(0, 0.020, 0);
    const Vec3d b = sole + ahead * t.to + out * t.across + Vec3d(0, t.radius, 0);
    s.add(RoundCone{a, b, t.radius, t.radius * 0.92}, join(0.010));
  }
  s.add(HalfSpace{{0, 0, 0}, {0, 1, 0}}, carve(0.012));
  s.end();
}

// ---- Joints -------------------------------------------------------------------------------------------

std::vector<JointPlan> left_joints() {
  std::vector<JointPlan> list;
  const Vec3d upper = normalized(kElbow - kShoulder), fore = normalized(kWrist - kElbow);
  // The collar bone moves the top of the shoulder; the arm itself starts past the armpit.
  JointPlan collar = joint_at("shoulder_L", "chest", kCollar, {0.93, 0.35, 0}, 0.075, 0.075);
  collar.cut.own = [](const Vec3d& p) {
    return 0.75 * cubic_step((p.x - 0.05) / 0.11) * cubic_step((p.y - 1.30) / 0.12);
  };
  list.push_back(collar);
  list.push_back(bordered(joint_at("upper_arm_L", "shoulder_L", kShoulder, {0.95, -0.32, 0}, 0.012, 0.062),
                          "reach_L", {"trunk", "neck", "whole_leg_L", "whole_leg_R"}, 0.060));
  list.push_back(below(joint_at("forearm_L", "upper_arm_L", kElbow, upper + fore, 0, 0.040)));
  list.push_back(below(joint_at("hand_L", "forearm_L", kWrist, fore, 0.002, 0.026)));
  add_hand_joints(hand_frame(), "L", list);

  list.push_back(bordered(joint_at("thigh_L", "hips", kHip, {0.55, -1, 0.25}, 0.022, 0.080), "whole_leg_L",
                          {"whole_leg_R", "reach_L"}, 0.034));
  list.push_back(below(joint_at("shin_L", "thigh_L", kKnee, {0, -1, 0}, 0, 0.055)));
  list.push_back(below(joint_at("foot_L", "shin_L", kAnkle, {0, -1, 0.30}, 0.004, 0.032)));
  list.push_back(below(joint_at("toe_L", "foot_L", kToe, {0.14, 0, 1}, 0.004, 0.024)));
  return list;
}

std::vector<JointPlan> all_joints() {
  std::vector<JointPlan> list;
  list.push_back(joint_at("hips", "", kHips, {0, 1, 0}, 0, 0));
  list.push_back(joint_at("spine", "hips", kSpine, {0, 1, 0}, 0, 0.065));
  list.push_back(joint_at("chest", "spine", kChest, {0, 1, 0}, 0, 0.065));
  list.push_back(joint_at("neck", "chest", kNeck, {0, 1, 0.25}, 0.008, 0.034));
  list.push_back(joint_at("head", "neck", kHead, {0, 1, 0.55}, -0.004, 0.032));
  const std::vector<JointPlan> left = left_joints();
  list.insert(list.end(), left.begin(), left.end());
  for (const JointPlan& j : left) list.push_back(mirrored(j));
  return list;
}

// ---- Walking ------------------------------------------------------------------------------------------

ClipPlan walk() {
  ClipPlan clip;
  clip.name = "walk";
  clip.seconds = 2.0;
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const Vec3d fore = normalized(kWrist - kElbow);
  const Vec3d elbow_axis = normalized(cross(fore, Vec3d(0, 0, 1)));
  std::vector<Swing> left{
      {"thigh_L", x, Wave::sine, -26, 0.00, -6},
      {"shin_L", x, Wave::kick, 56, 0.72, 7},
      {"foot_L", x, Wave::sine, 14, 0.10, 0},
      {"toe_L", x, Wave::pulse, -26, 0.40, 0},
      {"upper_arm_L", z, Wave::sine, 0, 0, -28},
      {"upper_arm_L", x, Wave::sine, 24, 0.00, 0},
      {"forearm_L", elbow_axis, Wave::sine, -16, 0.50, -26},
      {"hand_L", fore, Wave::sine, 12, 0.25, 0},
      {"shoulder_L", z, Wave::sine, 2, 0.25, 0, 2},
  };
  for (const char* finger : {"index", "middle", "ring", "pinky"})
    for (const char* number : {"_1", "_2", "_3"})
      left.push_back(
          {finger + std::string(number) + "_L", finger_axis(hand_frame(), finger), Wave::sine, 5, 0.3, 12});
  for (const Swing& s : left) {
    clip.swings.push_back(s);
    clip.swings.push_back(opposed(s));
  }
  clip.swings.push_back({"hips", y, Wave::sine, 5, 0, 0});
  clip.swings.push_back({"hips", z, Wave::sine, 2.5, 0.2, 0});
  clip.swings.push_back({"spine", y, Wave::sine, -5, 0, 0});
  clip.swings.push_back({"chest", y, Wave::sine, -7, 0, 0});
  clip.swings.push_back({"chest", x, Wave::sine, 1.5, 0, 3, 2});
  clip.swings.push_back({"neck", y, Wave::sine, 4, 0, 0});
  clip.swings.push_back({"head", y, Wave::sine, 3, 0, 0});
  clip.bobs.push_back({"hips", {0, 0.016, 0}, Wave::sine, 0.10, 2});
  return clip;
}

}  // namespace

BodyPlan plan_humanoid() {
  BodyPlan plan;
  plan.name = "humanoid";
  plan.feature_cell = 0.0032;
  Sculpture& s = plan.sculpture;
  add_trunk(s);
  add_closed_head(s, head_frame(), join(0.030));
  // A leg blends widely with the trunk but hardly with the other leg.
  on_both_sides(s, [&](const std::string& side) {
    s.begin(join(0.040), sided("whole_leg", side));
    add_leg(s, side);
    s.end();
  });
  on_both_sides(s, [&](const std::string& side) {
    s.begin(join(0.060), sided("reach", side));
    add_arm(s, side);
    s.end();
  });
  plan.joints = all_joints();
  plan.clip = walk();
  return plan;
}

}  // namespace dermis
