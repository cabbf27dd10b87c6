// SPDX-License-Identifier: MIT
// A head on its neck with parted lips, a mouth behind them and lids around the eyes, that talks and blinks.
#include <algorithm>
#include <cmath>

#include "made/parts.h"
#include "made/plan.h"
#include "made/steps.h"

namespace dermis {
namespace {

using head::kEye;
using head::kEyeRadius;
using head::kJaw;
using head::kMouth;
using head::kMouthCorner;

constexpr Vec3d kMiddle{0, 0.200, 0.016};  // between the ear canals

PartFrame frame() { return {kMiddle, Mat3d(), 1.0}; }

double degrees_of(double y, double x) { return degrees_from_radians(std::atan2(y, x)); }

// How much a point belongs to the jaw: everything below a sheet that is level between the lips and in the
// mouth and rises behind them to the hinge. The step is sharp between the lips and soft in cheeks and throat.
double jaw_share(const Vec3d& point) {
  const Vec3d q = point - kMiddle;
  const double sheet = kMouth.y + (kJaw.y - kMouth.y) * cubic_step((0.046 - q.z) / 0.040);
  const double below = sheet - q.y;
  constexpr double kLipBand = 0.0012, kCheekBand = 0.022;
  const double beside = cubic_step((std::abs(q.x) - 0.019) / 0.014);
  const double behind = cubic_step((0.062 - q.z) / 0.030);
  const double band = kLipBand + kCheekBand * std::max(beside, behind);
  const double share = cubic_step(0.5 + 0.5 * below / band);
  // The throat and everything behind the hinge stay with the head.
  const double throat = cubic_step((q.z - kJaw.z + 0.004) / 0.040);
  const double neck = cubic_step((q.y + 0.150) / 0.040);
  return share * throat * neck;
}

struct Lid {
  double up;         // 1 for the upper lid, -1 for the lower one
  double reach_deg;  // from the middle of the eye to where the skin no longer moves
  double close_deg;  // rotation about x that makes the lids meet: the upper one moves most
};
constexpr Lid kUpperLid{1, 66, 33};
constexpr Lid kLowerLid{-1, 60, -13};

// How much a point belongs to a lid of the left eye: skin around the eyeball, but not the ball itself.
double lid_share(const Vec3d& point, const Lid& lid) {
  const Vec3d q = point - kMiddle - kEye;
  const double r = length(q);
  const double skin = cubic_step((r - kEyeRadius - 0.0004) / 0.0010);
  const double reach = cubic_step((kEyeRadius + 0.0100 - r) / 0.0060);
  const double corner = cubic_step((0.0150 - std::abs(q.x)) / 0.0050) * (q.z > 0 ? 1.0 : 0.0);
  const double height = degrees_of(q.y, std::max(q.z, 1e-6)) * lid.up;
  const double own_half = cubic_step(0.5 + height / 10.0);
  const double fold = cubic_step((lid.reach_deg - height) / 34.0);
  return skin * reach * corner * own_half * fold;
}

Vec3d blink_offset(const Vec3d& point) {
  // Towards the corners of the eye there is less to close: the same angle everywhere would cross the lids.
  constexpr double kHalfWidth = 0.0118, kMeeting = 1.03;
  const Vec3d eye = kMiddle + kEye, q = point - eye;
  const double closing = kMeeting * std::max(0.0, 1 - q.x * q.x / (kHalfWidth * kHalfWidth));
  double degrees = 0;
  for (const Lid& lid : {kUpperLid, kLowerLid}) degrees += closing * lid.close_deg * lid_share(point, lid);
  return rotate(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(degrees)), q) - q;
}

// The corner of the mouth moves up, out and back; the cheek above it bulges.
Vec3d smile_offset(const Vec3d& point) {
  const Vec3d q = point - kMiddle;
  if (q.x < 0) return {};
  const Vec3d corner = kMouthCorner, cheek{0.040, -0.030, 0.070};
  const double at_corner = cubic_step(1 - length(q - corner) / 0.034) * cubic_step(q.x / 0.014);
  const double at_cheek = cubic_step(1 - length(q - cheek) / 0.032) * cubic_step(q.x / 0.014);
  return Vec3d(0.0036, 0.0062, -0.0030) * at_corner + Vec3d(0.0016, 0.0030, 0.0024) * at_cheek;
}

Vec3d jaw_open_offset(const Vec3d& point) {
  const Vec3d q = point - kMiddle - Vec3d(0, kJaw.y, kJaw.z);
  return rotate(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(16)), q) * jaw_share(point) -
         q * jaw_share(point);
}

Vec3d brows_up_offset(const Vec3d& point) {
  const Vec3d q = point - kMiddle;
  const Vec3d brow{std::copysign(0.028, q.x), 0.036, 0.080};
  const double middle = cubic_step(1 - length(q - Vec3d(0, 0.034, 0.088)) / 0.030);
  return Vec3d(0, 0.0075, -0.0010) * std::max(cubic_step(1 - length(q - brow) / 0.030), 0.7 * middle);
}

Vec3d both_sides(Vec3d (*left)(const Vec3d&), const Vec3d& point) {
  return left(point) + mirrored(left(mirrored(point)));
}

Vec3d smile_both_offset(const Vec3d& point) { return both_sides(smile_offset, point); }

// The corners of the mouth move down and the brows towards the eyes.
Vec3d frown_left_offset(const Vec3d& point) {
  const Vec3d q = point - kMiddle;
  if (q.x < 0) return {};
  const double beside = cubic_step(q.x / 0.014);
  const double at_corner = cubic_step(1 - length(q - kMouthCorner) / 0.034) * beside;
  const double at_brow = cubic_step(1 - length(q - Vec3d(0.020, 0.034, 0.084)) / 0.024);
  return Vec3d(0.0012, -0.0068, -0.0010) * at_corner + Vec3d(0, -0.0030, 0.0008) * (at_brow * beside);
}
Vec3d frown_offset(const Vec3d& point) { return both_sides(frown_left_offset, point); }

// How much a point belongs to the lips: an egg around the slit between them, wider than high.
double lip_share(const Vec3d& q, const Vec3d& radii) {
  const Vec3d from = q - kMouth;
  return cubic_step(1 - length(Vec3d(from.x / radii.x, from.y / radii.y, from.z / radii.z)));
}

// The lips gather in the middle and reach forward.
Vec3d pucker_offset(const Vec3d& point) {
  const Vec3d q = point - kMiddle;
  const double share = lip_share(q, {0.044, 0.030, 0.040});
  return Vec3d(-0.42 * q.x, -0.10 * (q.y - kMouth.y), 0.0090) * share;
}

// The lips part, and the jaw stays.
Vec3d mouth_open_offset(const Vec3d& point) {
  const Vec3d q = point - kMiddle;
  const double between_corners = cubic_step((0.0250 - std::abs(q.x)) / 0.0140);
  const double share = lip_share(q, {0.040, 0.030, 0.034}) * between_corners, lower = jaw_share(point);
  return Vec3d(0, 0.0052 * (1 - lower) - 0.0075 * lower, 0.0006) * share;
}

// Brows up, the jaw down, the mouth rounder.
Vec3d surprised_offset(const Vec3d& point) {
  constexpr double kBrowPart = 1.2, kJawPart = 0.55, kRoundPart = 0.35;
  return brows_up_offset(point) * kBrowPart + jaw_open_offset(point) * kJawPart +
         pucker_offset(point) * kRoundPart;
}

JointPlan joint(const char* name, const char* parent, const Vec3d& at) {
  JointPlan j;
  j.name = name;
  j.parent = parent;
  j.at = at;
  return j;
}

std::vector<JointPlan> joints() {
  std::vector<JointPlan> list;
  list.push_back(joint("neck", "", {0, 0.030, -0.012}));
  JointPlan skull = joint("head", "neck", {0, 0.128, 0.002});
  skull.cut.normal = normalized(Vec3d(0, 1, 0.55));
  skull.cut.shift = -0.004;
  skull.cut.band = 0.034;
  list.push_back(skull);
  JointPlan jaw = joint("jaw", "head", kMiddle + Vec3d(0, kJaw.y, kJaw.z));
  jaw.cut.own = jaw_share;
  list.push_back(jaw);
  JointPlan upper = joint("upper_lid_L", "head", kMiddle + kEye);
  upper.cut.own = [](const Vec3d& p) { return lid_share(p, kUpperLid); };
  JointPlan lower = joint("lower_lid_L", "head", kMiddle + kEye);
  lower.cut.own = [](const Vec3d& p) { return lid_share(p, kLowerLid); };
  for (const JointPlan& lid : {upper, lower}) {
    list.push_back(lid);
    list.push_back(mirrored(lid));
  }
  return list;
}

ClipPlan talk() {
  ClipPlan clip;
  clip.name = "look_and_talk";
  clip.seconds = 3.0;
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  clip.swings = {{"neck", y, Wave::sine, 9, 0, 0},
                 {"head", y, Wave::sine, 14, 0.02, 0},
                 {"head", x, Wave::sine, 5, 0.2, 0},
                 {"head", z, Wave::sine, 3, 0.1, 0},
                 {"jaw", x, Wave::bump, 13, 0, 0, 3}};
  for (const char* side : {"L", "R"})
    for (const double phase : {0.10, 0.62}) {
      clip.swings.push_back({sided("upper_lid", side), x, Wave::pulse, kUpperLid.close_deg, phase, 0});
      clip.swings.push_back({sided("lower_lid", side), x, Wave::pulse, kLowerLid.close_deg, phase, 0});
    }
  clip.shapes = {{"smile_L", Wave::bump, 0.9, 0.30},
                 {"smile_R", Wave::bump, 0.7, 0.30},
                 {"brows_up", Wave::bump, 0.8, 0.0}};
  return clip;
}

}  // namespace

BodyPlan plan_face() {
  BodyPlan plan;
  plan.name = "face";
  plan.feature_cell = 0.0012;
  Sculpture& s = plan.sculpture;
  s.begin(join(0), "neck");
  Loft neck = loft_along({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1},
                         {{0.012, 0.078, 0.078, 0.062, 0.068, 0, -0.026},
                          {0.045, 0.061, 0.061, 0.055, 0.060, 0, -0.018},
                          {0.090, 0.053, 0.053, 0.053, 0.055, 0, -0.006},
                          {0.170, 0.052, 0.052, 0.050, 0.057, 0, 0.006}});
  neck.first_cap = 0.030, neck.last_cap = 0.030;
  s.add(neck, join(0));
  s.add(HalfSpace{{0, 0, 0}, {0, 1, 0}}, carve(0.012));  // flat base
  s.end();
  add_open_head(s, frame(), join(0.030));
  plan.joints = joints();
  plan.clip = talk();
  const auto right = [](Vec3d (*left)(const Vec3d&)) {
    return [left](const Vec3d& p) { return mirrored(left(mirrored(p))); };
  };
  plan.shapes = {
      {"smile_L", smile_offset},        {"smile_R", right(smile_offset)}, {"blink_L", blink_offset},
      {"blink_R", right(blink_offset)}, {"jaw_open", jaw_open_offset},    {"brows_up", brows_up_offset},
      {"smile", smile_both_offset},     {"frown", frown_offset},          {"surprised", surprised_offset},
      {"pucker", pucker_offset},        {"mouth_open", mouth_open_offset}};
  return plan;
}

}  // namespace dermis
