// SPDX-License-Identifier: MIT
// A dog-like animal, 60 cm at the shoulder, walking on the spot.
#include "made/parts.h"
#include "made/plan.h"

namespace dermis {
namespace {

// ---- Measurements -------------------------------------------------------------------------------------
// Joint centres of the left side, in metres.

constexpr Vec3d kHips{0, 0.520, -0.250};
constexpr Vec3d kSpine{0, 0.530, -0.090};
constexpr Vec3d kChest{0, 0.525, 0.080};
constexpr Vec3d kNeck{0, 0.575, 0.240};
constexpr Vec3d kNeckUpper{0, 0.645, 0.315};
constexpr Vec3d kHead{0, 0.705, 0.360};
constexpr Vec3d kEar{0.050, 0.780, 0.372};
constexpr Vec3d kTail[5] = {
    {0, 0.552, -0.335}, {0, 0.530, -0.405}, {0, 0.497, -0.475}, {0, 0.485, -0.550}, {0, 0.505, -0.625}};

struct LegLine {
  Vec3d top, middle, low, paw;  // shoulder, elbow, wrist, toes; hip, knee, hock, toes
};
constexpr LegLine kFront{
    {0.082, 0.440, 0.235}, {0.092, 0.305, 0.165}, {0.090, 0.118, 0.182}, {0.092, 0.034, 0.205}};
constexpr LegLine kHind{
    {0.072, 0.475, -0.255}, {0.092, 0.320, -0.185}, {0.088, 0.160, -0.320}, {0.090, 0.034, -0.292}};

// ---- Body ---------------------------------------------------------------------------------------------

void add_trunk(Sculpture& s) {
  s.begin(join(0), "trunk");
  const auto section = [](double z, double width, double up, double down, double lift) {
    return Station{z, width, width, up, down, 0, lift};
  };
  Loft trunk =
      loft_along({0, 0.500, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0},
                 {section(-0.330, 0.050, 0.045, 0.050, 0.020), section(-0.270, 0.088, 0.072, 0.085, 0.010),
                  section(-0.160, 0.086, 0.066, 0.072, 0.012), section(-0.050, 0.096, 0.068, 0.092, 0.010),
                  section(0.060, 0.106, 0.076, 0.124, 0.006), section(0.160, 0.106, 0.086, 0.136, 0.004),
                  section(0.240, 0.090, 0.084, 0.120, 0.010), section(0.300, 0.060, 0.060, 0.080, 0.020)});
  trunk.first_cap = 0.040, trunk.last_cap = 0.040;
  s.add(trunk, join(0));
  s.end();
}

// The head is modelled around its own middle and a third larger than its numbers.
PartFrame head_frame() { return {kHead + Vec3d(0, 0.018, 0.034), Mat3d(), 1.32}; }

void add_ear(Sculpture& s, const PartFrame& f, const std::string& side) {
  // Ears stand up and turn a little outward.
  s.begin(join(0.018), sided("ear", side));
  const Mat3d tilt = matrix_from_quat(quat_from_euler({-0.34, 0.50, -0.10}, EulerOrder::zyx));
  Ellipsoid shell = ellipsoid_in(f, {0.043, 0.062, -0.022}, {0.024, 0.046, 0.0115});
  Ellipsoid hollow = ellipsoid_in(f, {0.0475, 0.066, -0.0095}, {0.0145, 0.032, 0.0085});
  shell.axes = hollow.axes = tilt;
  s.add(shell, join(0));
  s.add(hollow, carve(0.008));
  s.end();
}

void add_neck_and_head(Sculpture& s) {
  s.begin(join(0.060), "neck");
  Loft neck = loft_along({0, 0.540, 0.200}, {0, 0.17, 0.19}, {1, 0, 0}, {0, 1, -1},
                         {{0.000, 0.080, 0.080, 0.080, 0.088},
                          {0.080, 0.072, 0.072, 0.070, 0.080},
                          {0.150, 0.064, 0.064, 0.062, 0.070},
                          {0.240, 0.058, 0.058, 0.052, 0.056}});
  neck.first_cap = 0.060, neck.last_cap = 0.040;
  s.add(neck, join(0));
  s.end();

  s.begin(join(0.040), "head");
  const PartFrame f = head_frame();
  s.add(ellipsoid_in(f, {0, 0, 0}, {0.055, 0.050, 0.064}), join(0));  // skull
  std::vector<Station> sections{{0.000, 0.041, 0.041, 0.032, 0.036},
                                {0.045, 0.033, 0.033, 0.027, 0.032},
                                {0.085, 0.029, 0.029, 0.024, 0.028},
                                {0.112, 0.026, 0.026, 0.021, 0.022}};
  for (Station& at : sections)
    at = {at.at * f.scale, at.out * f.scale, at.in * f.scale, at.front * f.scale, at.back * f.scale};
  Loft muzzle = loft_along(f.place({0, -0.010, 0.034}), {0, -0.22, 1}, {1, 0, 0}, {0, 1, 0}, sections);
  muzzle.first_cap = 0.030, muzzle.last_cap = 0.020;
  s.add(muzzle, join(0.030));
  s.add(cone_in(f, {0, -0.040, 0.040}, 0.0215, {0, -0.0570, 0.122}, 0.0145), join(0.008));  // lower jaw
  s.add(ellipsoid_in(f, {0, -0.0235, 0.1555}, {0.0125, 0.0095, 0.0070}), join(0.006));      // nose
  on_both_sides(s, [&](const std::string& side) {
    s.add(cone_in(f, {0.012, 0.030, 0.040}, 0.011, {0.034, 0.028, 0.024}, 0.011), join(0.026));  // brow
    s.add(ellipsoid_in(f, {0.038, -0.024, 0.014}, {0.022, 0.026, 0.032}), join(0.030));          // cheek
    s.add(ellipsoid_in(f, {0.0315, 0.0150, 0.0465}, {0.0095, 0.0085, 0.0095}),
          join(0.006));  // eye under its lids
    add_ear(s, f, side);
  });
  s.end();
}

void add_tail(Sculpture& s) {
  s.begin(join(0.030), "tail");
  const double radii[5] = {0.030, 0.027, 0.024, 0.020, 0.011};
  for (int k = 0; k + 1 < 5; ++k)
    s.add(RoundCone{kTail[k], kTail[k + 1], radii[k], radii[k + 1]}, join(0.006));
  s.end();
}

// ---- Legs ---------------------------------------------------------------------------------------------

void add_paw(Sculpture& s, const Vec3d& at) {
  s.add(Ellipsoid{at + Vec3d(0, -0.004, 0.012), {0.031, 0.026, 0.038}, Mat3d()}, join(0.018));
  const double across[4] = {-0.0225, -0.0080, 0.0080, 0.0225};
  const double ahead[4] = {0.036, 0.047, 0.047, 0.036};
  for (int t = 0; t < 4; ++t)
    s.add(RoundCone{at + Vec3d(across[t] * 0.9, -0.006, 0.018), at + Vec3d(across[t], -0.018, ahead[t]),
                    0.0120, 0.0105},
          join(0.008));
  s.add(HalfSpace{{0, 0, 0}, {0, 1, 0}}, carve(0.010));
}

void add_front_leg(Sculpture& s, const std::string& side) {
  s.begin(join(0.070), sided("front_leg", side));
  const LegLine& l = kFront;
  s.add(Ellipsoid{{0.074, 0.470, 0.205}, {0.040, 0.098, 0.070}, Mat3d()}, join(0));  // shoulder blade
  s.add(RoundCone{l.top, l.middle, 0.054, 0.038}, join(0.050));
  s.add(RoundCone{l.middle, l.low, 0.037, 0.0205}, join(0.014));
  s.add(Ellipsoid{l.middle + Vec3d(0.004, -0.050, 0.012), {0.028, 0.055, 0.034}, Mat3d()}, join(0.018));
  s.add(Ellipsoid{l.middle + Vec3d(0, 0.004, -0.030), {0.014, 0.018, 0.016}, Mat3d()},
        join(0.024));  // elbow tip
  s.add(RoundCone{l.low, l.paw, 0.0215, 0.0205}, join(0.008));
  add_paw(s, l.paw);
  s.end();
}

void add_hind_leg(Sculpture& s, const std::string& side) {
  s.begin(join(0.070), sided("hind_leg", side));
  const LegLine& l = kHind;
  s.add(Ellipsoid{{0.070, 0.430, -0.240}, {0.046, 0.108, 0.088}, Mat3d()}, join(0));  // thigh
  s.add(RoundCone{l.top, l.middle, 0.062, 0.039}, join(0.050));
  s.add(RoundCone{l.middle, l.low, 0.038, 0.0195}, join(0.014));
  s.add(RoundCone{l.middle + Vec3d(0, -0.005, -0.030), l.low + Vec3d(0, 0.040, 0.006), 0.030, 0.012},
        join(0.020));                                                                              // calf
  s.add(Ellipsoid{l.low + Vec3d(0, 0.010, -0.014), {0.013, 0.016, 0.013}, Mat3d()}, join(0.022));  // heel
  s.add(RoundCone{l.low, l.paw, 0.0205, 0.0200}, join(0.008));
  add_paw(s, l.paw);
  s.end();
}

// ---- Joints -------------------------------------------------------------------------------------------

void add_leg_joints(const LegLine& l, const std::string& place, const std::string& parent,
                    std::vector<JointPlan>& list) {
  const std::string chain = place + "_leg_L", other = place + "_leg_R";
  const std::string ends = place == "front" ? "hind_leg_L" : "front_leg_L";
  const std::vector<std::string> rivals{other, ends, "trunk", "neck", "head", "tail"};
  const auto name = [&](const char* part) { return place + "_" + part + "_L"; };
  list.push_back(
      bordered(joint_at(name("upper"), parent, l.top, {0.15, -1, 0}, -0.010, 0.080), chain, rivals, 0.050));
  list.push_back(below(joint_at(name("lower"), name("upper"), l.middle, l.low - l.top, 0, 0.044)));
  list.push_back(below(joint_at(name("foot"), name("lower"), l.low, l.paw - l.middle, 0, 0.026)));
  list.push_back(below(joint_at(name("toe"), name("foot"), l.paw, {0, -0.55, 1}, -0.004, 0.022)));
}

std::vector<JointPlan> all_joints() {
  std::vector<JointPlan> list;
  const std::vector<std::string> tail_rivals{"trunk", "hind_leg_L", "hind_leg_R"};
  list.push_back(joint_at("hips", "", kHips, {0, 0, 1}, 0, 0));
  list.push_back(joint_at("spine", "hips", kSpine, {0, 0, 1}, 0, 0.075));
  list.push_back(joint_at("chest", "spine", kChest, {0, 0, 1}, 0, 0.075));
  list.push_back(joint_at("neck_1", "chest", kNeck, {0, 0.75, 0.66}, 0.000, 0.060));
  list.push_back(joint_at("neck_2", "neck_1", kNeckUpper, {0, 0.75, 0.66}, 0.000, 0.050));
  list.push_back(joint_at("head", "neck_2", kHead, {0, 0.55, 0.83}, 0.000, 0.040));
  for (int k = 0; k < 4; ++k) {
    const std::string parent = k == 0 ? "hips" : "tail_" + std::to_string(k);
    JointPlan tail =
        joint_at("tail_" + std::to_string(k + 1), parent, kTail[k], kTail[k + 1] - kTail[k], 0, 0.030);
    list.push_back(bordered(tail, "tail", tail_rivals, k == 0 ? 0.035 : 0.015));
  }
  std::vector<JointPlan> left;
  left.push_back(bordered(joint_at("ear_L", "head", kEar, {0.25, 1, 0}, 0.004, 0.014), "ear_L",
                          {"neck", "trunk"}, 0.020));
  add_leg_joints(kFront, "front", "chest", left);
  add_leg_joints(kHind, "hind", "hips", left);
  for (const JointPlan& j : left) list.push_back(j);
  for (const JointPlan& j : left) list.push_back(mirrored(j));
  return list;
}

// ---- Walking ------------------------------------------------------------------------------------------

ClipPlan walk() {
  ClipPlan clip;
  clip.name = "walk";
  clip.seconds = 1.6;
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  // A walk steps hind left, front left, hind right, front right, a quarter apart.
  const auto leg = [&](const std::string& place, double phase) {
    const bool is_front = place == "front";
    return std::vector<Swing>{
        {place + "_upper_L", x, Wave::sine, -19, phase, is_front ? 0.0 : -2.0},
        {place + "_lower_L", x, Wave::kick, is_front ? -44.0 : 42.0, phase + 0.74, is_front ? -2.0 : 2.0},
        {place + "_foot_L", x, Wave::kick, is_front ? 58.0 : -46.0, phase + 0.72, 0},
        {place + "_toe_L", x, Wave::bump, 22, phase + 0.72, 0}};
  };
  for (const auto& [place, phase] : {std::pair<std::string, double>{"hind", 0.0}, {"front", 0.25}})
    for (const Swing& s : leg(place, phase)) {
      clip.swings.push_back(s);
      clip.swings.push_back(opposed(s));
    }
  clip.swings.push_back({"hips", y, Wave::sine, 3, 0, 0});
  clip.swings.push_back({"spine", y, Wave::sine, -3, 0, 0});
  clip.swings.push_back({"chest", y, Wave::sine, -3, 0.1, 0});
  clip.swings.push_back({"neck_1", x, Wave::sine, 4, 0.1, 2, 2});
  clip.swings.push_back({"neck_2", y, Wave::sine, 6, 0.2, 0});
  clip.swings.push_back({"head", x, Wave::sine, -4, 0.1, 0, 2});
  for (int k = 1; k <= 4; ++k)
    clip.swings.push_back({"tail_" + std::to_string(k), y, Wave::sine, 12, 0.08 * k, 0, 2});
  for (const char* ear : {"ear_L", "ear_R"}) clip.swings.push_back({ear, z, Wave::sine, 5, 0.3, 0, 2});
  clip.bobs.push_back({"hips", {0, 0.008, 0}, Wave::sine, 0.1, 2});
  return clip;
}

}  // namespace

BodyPlan plan_quadruped() {
  BodyPlan plan;
  plan.name = "quadruped";
  plan.feature_cell = 0.0034;
  Sculpture& s = plan.sculpture;
  add_trunk(s);
  add_neck_and_head(s);
  add_tail(s);
  on_both_sides(s, [&](const std::string& side) {
    add_front_leg(s, side);
    add_hind_leg(s, side);
  });
  plan.joints = all_joints();
  plan.clip = walk();
  return plan;
}

}  // namespace dermis
