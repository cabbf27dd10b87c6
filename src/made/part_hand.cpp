// SPDX-License-Identifier: MIT
// The hand: palm, thumb and four fingers, slightly splayed and curled so that they separate cleanly.
#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cmath>

#include "made/parts.h"

namespace dermis {
namespace {

// Measurements of an adult hand of 19 cm, after anthropometric tables; metres and degrees, hand axes.
struct Finger {
  const char* name;
  Vec3d root;                      // first joint
  double splay_deg;                // towards the thumb
  double drop_deg;                 // towards the palm, at the root
  std::array<double, 2> curl_deg;  // at the second and third joint
  std::array<double, 3> lengths;
  std::array<double, 4> radii;  // at the three joints and the tip
};

constexpr std::array<Finger, 5> kFingers{{
    {"thumb",
     {0.020, -0.009, 0.022},
     46,
     20,
     {4, 10},
     {0.043, 0.034, 0.024},
     {0.0155, 0.0118, 0.0108, 0.0083}},
    {"index", {0.090, 0.000, 0.0305}, 7, 6, {13, 9}, {0.043, 0.026, 0.019}, {0.0098, 0.0086, 0.0076, 0.0064}},
    {"middle",
     {0.094, 0.002, 0.0100},
     1,
     8,
     {14, 9},
     {0.047, 0.030, 0.020},
     {0.0100, 0.0088, 0.0078, 0.0066}},
    {"ring",
     {0.089, 0.000, -0.0105},
     -6,
     10,
     {15, 10},
     {0.043, 0.028, 0.020},
     {0.0095, 0.0083, 0.0074, 0.0062}},
    {"pinky",
     {0.080, -0.003, -0.0295},
     -14,
     11,
     {16, 10},
     {0.033, 0.021, 0.018},
     {0.0086, 0.0074, 0.0066, 0.0056}},
}};

// Joints of a finger and its tip, in hand axes, and the axis it curls about.
struct FingerLine {
  std::array<Vec3d, 4> at;
  Vec3d axis;
};

FingerLine line_of(const Finger& finger) {
  const double splay = radians_from_degrees(finger.splay_deg);
  const Vec3d ahead{std::cos(splay), 0, std::sin(splay)};
  FingerLine line;
  // Rotating about this axis moves `ahead` towards the palm (-y).
  line.axis = normalized(cross(ahead, Vec3d(0, -1, 0)));
  double angle = radians_from_degrees(finger.drop_deg);
  line.at[0] = finger.root;
  for (std::size_t k = 0; k < 3; ++k) {
    if (k > 0) angle += radians_from_degrees(finger.curl_deg[k - 1]);
    line.at[k + 1] =
        line.at[k] + (ahead * std::cos(angle) + Vec3d(0, -1, 0) * std::sin(angle)) * finger.lengths[k];
  }
  return line;
}

// Blend radii where a finger leaves the palm.
constexpr double kRootBlend = 0.010;
constexpr double kThumbBlend = 0.018;

// Fingers are a little thinner between their joints than at them.
constexpr double kWaist = 0.94;

// One loft from root to tip, bent along the joints, so that no seam is visible between the phalanges.
Loft finger_loft(const Finger& finger, const PartFrame& frame) {
  const FingerLine line = line_of(finger);
  const Vec3d along = normalized(line.at[3] - line.at[0]);
  const Vec3d back = normalized(cross(line.axis, along) * -1.0);
  std::vector<Station> stations;
  const auto add = [&](const Vec3d& p, double radius) {
    const Vec3d q = p - line.at[0];
    const double r = radius * frame.scale;
    stations.push_back({dot(q, along) * frame.scale, r, r, r, r, 0, dot(q, back) * frame.scale});
  };
  for (std::size_t k = 0; k < 3; ++k) {
    add(line.at[k], finger.radii[k]);
    // The middle of a phalanx, bowed outward a little like the arc through the joints.
    const Vec3d middle = (line.at[k] + line.at[k + 1]) * 0.5 + back * (0.02 * finger.lengths[k]);
    add(middle, kWaist * 0.5 * (finger.radii[k] + finger.radii[k + 1]));
  }
  add(line.at[3], finger.radii[3]);
  Loft loft = loft_along(frame.place(line.at[0]), frame.turn(along), frame.turn(line.axis), frame.turn(back),
                         stations);
  loft.first_cap = finger.radii[0] * frame.scale;
  loft.last_cap = finger.radii[3] * frame.scale;
  return loft;
}

void add_palm(Sculpture& sculpture, const PartFrame& frame, const std::string& side) {
  sculpture.begin(join(0), sided("palm", side));
  // Thumb side, little finger side, back of the hand, palm.
  std::vector<Station> stations{
      {-0.016, 0.0200, 0.0190, 0.0120, 0.0130}, {0.004, 0.0280, 0.0265, 0.0170, 0.0195},
      {0.025, 0.0340, 0.0330, 0.0165, 0.0215},  {0.055, 0.0385, 0.0385, 0.0145, 0.0195},
      {0.078, 0.0375, 0.0365, 0.0122, 0.0160},  {0.092, 0.0325, 0.0305, 0.0095, 0.0120}};
  for (Station& s : stations)
    s = {s.at * frame.scale, s.out * frame.scale, s.in * frame.scale, s.front * frame.scale,
         s.back * frame.scale};
  Loft loft = loft_along(frame.origin, frame.axes.x, frame.axes.z, frame.axes.y, stations);
  loft.first_cap = loft.last_cap = 0.014 * frame.scale;
  sculpture.add(loft, join(0));
  // The balls of the thumb and of the little finger.
  const ShapeBlend soft = join(0.022 * frame.scale);
  sculpture.add(ellipsoid_in(frame, {0.042, -0.0095, 0.024}, {0.030, 0.0145, 0.0165}), soft);
  sculpture.add(ellipsoid_in(frame, {0.040, -0.0090, -0.0215}, {0.030, 0.0130, 0.0140}), soft);
  sculpture.end();
}

}  // namespace

void add_hand(Sculpture& sculpture, const PartFrame& frame, const std::string& side, ShapeBlend blend) {
  sculpture.begin(blend, sided("whole_hand", side));
  add_palm(sculpture, frame, side);
  for (const Finger& finger : kFingers) {
    const bool is_thumb = finger.name == std::string("thumb");
    sculpture.begin(join((is_thumb ? kThumbBlend : kRootBlend) * frame.scale), sided(finger.name, side));
    sculpture.add(finger_loft(finger, frame), join(0));
    sculpture.end();
  }
  sculpture.end();
}

void add_hand_joints(const PartFrame& frame, const std::string& side, std::vector<JointPlan>& joints) {
  for (const Finger& finger : kFingers) {
    const bool is_thumb = finger.name == std::string("thumb");
    const FingerLine line = line_of(finger);
    for (std::size_t k = 0; k < 3; ++k) {
      JointPlan joint;
      joint.name = sided(fmt::format("{}_{}", finger.name, k + 1), side);
      joint.parent = k == 0 ? sided("hand", side) : sided(fmt::format("{}_{}", finger.name, k), side);
      joint.at = frame.place(line.at[k]);
      const Vec3d before = k == 0 ? line.at[1] - line.at[0] : line.at[k] - line.at[k - 1];
      joint.cut.normal = frame.turn(normalized(normalized(before) + normalized(line.at[k + 1] - line.at[k])));
      joint.cut.band = (k == 0 ? (is_thumb ? 0.022 : 0.014) : 0.8 * finger.radii[k]) * frame.scale;
      joint.cut.is_within_parent = true;
      joint.cut.chain = sided(finger.name, side);
      for (const Finger& other : kFingers)
        if (other.name != finger.name) joint.cut.rivals.push_back(sided(other.name, side));
      joint.cut.border = 0.004 * frame.scale;
      if (is_thumb) {
        joint.cut.rivals.push_back(sided("palm", side));
        joint.cut.border = (k == 0 ? 0.014 : 0.006) * frame.scale;
        if (k == 0) joint.cut.shift = 0.008 * frame.scale;
      }
      joints.push_back(std::move(joint));
    }
  }
}

Vec3d finger_axis(const PartFrame& frame, const std::string& finger_name) {
  for (const Finger& finger : kFingers)
    if (finger.name == finger_name) return frame.turn(line_of(finger).axis);
  assert(false && "a hand has five fingers");
  return {};
}

}  // namespace dermis
