// SPDX-License-Identifier: MIT
// The head: skull, face, ears, lids and lips, and, on request, the cavity behind them.
#include <cmath>

#include "made/parts.h"

namespace dermis {
namespace {

using head::kEye;
using head::kEyeRadius;
using head::kMouthCorner;

// Adds shapes given for the left side on both sides.
class TwoSides {
 public:
  TwoSides(Sculpture& sculpture, const PartFrame& frame) : sculpture_(sculpture), frame_(frame) {}

  void ball(const Vec3d& centre, const Vec3d& radii, ShapeBlend blend) const {
    turned_ball(centre, radii, {}, blend);
  }
  // Turned about the head's axes by degrees, z last.
  void turned_ball(const Vec3d& centre, const Vec3d& radii, const Vec3d& turn_deg, ShapeBlend blend) const {
    const Mat3d turn = matrix_from_quat(
        quat_from_euler(Vec3d(radians_from_degrees(turn_deg.z), radians_from_degrees(turn_deg.y),
                              radians_from_degrees(turn_deg.x)),
                        EulerOrder::zyx));
    Ellipsoid left = ellipsoid_in(frame_, centre, radii);
    left.axes = frame_.axes * turn;
    sculpture_.add(left, scaled(blend));
    if (centre.x == 0) return;
    Ellipsoid right = ellipsoid_in(frame_, mirrored(centre), radii);
    right.axes = frame_.axes * Mat3d(mirrored(turn.x), mirrored(turn.y), mirrored(turn.z));
    sculpture_.add(right, scaled(blend));
  }
  void cone(const Vec3d& a, double a_radius, const Vec3d& b, double b_radius, ShapeBlend blend) const {
    sculpture_.add(cone_in(frame_, a, a_radius, b, b_radius), scaled(blend));
    if (a.x != 0 || b.x != 0)
      sculpture_.add(cone_in(frame_, mirrored(a), a_radius, mirrored(b), b_radius), scaled(blend));
  }

 private:
  ShapeBlend scaled(ShapeBlend blend) const { return {blend.kind, blend.radius * frame_.scale}; }
  Sculpture& sculpture_;
  const PartFrame& frame_;
};

void add_skull(const TwoSides& sides) {
  sides.ball({0, 0.040, -0.012}, {0.0755, 0.084, 0.0945}, join(0));                       // brain case
  sides.ball({0, 0.050, 0.034}, {0.058, 0.056, 0.056}, join(0.05));                       // forehead
  sides.ball({0, -0.028, 0.030}, {0.0575, 0.080, 0.0610}, join(0.05));                    // face
  sides.cone({0.045, -0.050, 0.004}, 0.016, {0.017, -0.087, 0.068}, 0.015, join(0.045));  // jaw
  sides.ball({0, -0.089, 0.074}, {0.020, 0.015, 0.015}, join(0.030));                     // chin
  sides.ball({0.042, -0.014, 0.056}, {0.018, 0.012, 0.019}, join(0.040));                 // cheek bones
  sides.ball({0.034, -0.048, 0.044}, {0.021, 0.032, 0.030}, join(0.030));                 // cheeks
  sides.ball({0, -0.056, 0.070}, {0.032, 0.030, 0.022}, join(0.030));                     // base of the lips
}

void add_brow_and_nose(const TwoSides& sides) {
  sides.cone({0.011, 0.0300, 0.0850}, 0.0085, {0.042, 0.0330, 0.0710}, 0.0070, join(0.022));  // brow
  sides.ball({0.033, 0.0100, 0.0940}, {0.019, 0.0125, 0.013}, carve(0.018));                  // eye sockets
  // The nose is a wedge: a broad root that stays inside the face, a ridge on it, then tip and wings.
  sides.cone({0, 0.0240, 0.0780}, 0.0090, {0, -0.0230, 0.0860}, 0.0150, join(0.016));
  sides.cone({0, 0.0230, 0.0865}, 0.0065, {0, -0.0190, 0.1060}, 0.0090, join(0.012));
  sides.ball({0, -0.0235, 0.1075}, {0.0105, 0.0090, 0.0105}, join(0.008));
  sides.ball({0.0115, -0.0275, 0.0970}, {0.0062, 0.0065, 0.0095}, join(0.008));
  sides.ball({0.0060, -0.0345, 0.1020}, {0.0030, 0.0042, 0.0044}, carve(0.004));  // nostrils
}

// Lips whose middles are moved apart by `gap` each.
void add_lips(const TwoSides& sides, double gap) {
  sides.ball({0, -0.0440, 0.1030}, {0.0035, 0.0080, 0.0040}, carve(0.008));  // groove under the nose
  // Upper lip: two cones per side, so that the bow is visible; lower lip: fuller.
  const Vec3d corner = kMouthCorner + Vec3d(-0.001, 0, 0);
  sides.cone({0.0040, -0.0545 + gap, 0.0940}, 0.0056, {0.0140, -0.0563 + gap, 0.0885}, 0.0050, join(0.008));
  sides.cone({0.0140, -0.0563 + gap, 0.0885}, 0.0050, corner, 0.0034, join(0.004));
  sides.cone({0, -0.0664 - gap, 0.0925}, 0.0066, {0.0120, -0.0655 - gap, 0.0885}, 0.0058, join(0.008));
  sides.cone({0.0120, -0.0655 - gap, 0.0885}, 0.0058, corner, 0.0034, join(0.004));
  sides.ball({0, -0.0790, 0.1000}, {0.016, 0.0055, 0.0070}, carve(0.014));  // groove above the chin
}

// The cavity, and the slit that leads into it.
void add_mouth(const TwoSides& sides) {
  sides.ball({0, -0.0580, 0.0580}, {0.0260, 0.0170, 0.0270}, carve(0.004));
  sides.ball({0, -0.0605, 0.0860}, {0.0235, 0.0034, 0.0300}, carve(0.0025));
  sides.ball({0, -0.0720, 0.0560}, {0.0140, 0.0075, 0.0210}, join(0.006));  // tongue
}

// The eyeball under skin.
void add_closed_eyes(const TwoSides& sides) {
  sides.ball(kEye, {kEyeRadius + 0.0012, kEyeRadius - 0.0004, kEyeRadius + 0.0006}, join(0.007));
}

// Lids are a thicker ball with an almond cut out of it; the eyeball is visible in the cut.
void add_open_eyes(Sculpture& sculpture, const PartFrame& frame) {
  const double r = kEyeRadius;
  for (const double side : {1.0, -1.0}) {
    const Vec3d eye{kEye.x * side, kEye.y, kEye.z};
    sculpture.begin(join(0.005 * frame.scale), side > 0 ? "lids_L" : "lids_R");
    sculpture.add(ellipsoid_in(frame, eye, {r + 0.0034, r + 0.0030, r + 0.0028}), join(0));
    Ellipsoid almond = ellipsoid_in(frame, eye + Vec3d(0, 0, 0.0140), {0.0122, 0.0058, 0.0105});
    const double tilt = radians_from_degrees(4.0) * side;  // outer corner a little higher
    almond.axes = frame.axes * matrix_from_quat(quat_from_axis_angle({0, 0, 1}, tilt));
    sculpture.add(almond, carve(0.0024 * frame.scale));
    sculpture.end();
    sculpture.add(ellipsoid_in(frame, eye, {r, r, r}), join(0.0010 * frame.scale));
  }
}

// Ears that blend into the skull with radius `root`.
void add_ears(const TwoSides& sides, double root) {
  sides.turned_ball({0.0770, 0.004, -0.010}, {0.0085, 0.0310, 0.0185}, {-12, 12, -5}, join(root));
  sides.turned_ball({0.0845, 0.007, -0.005}, {0.0050, 0.0200, 0.0100}, {-12, 12, -5},
                    carve(0.007));                                              // the shell's hollow
  sides.ball({0.0765, -0.021, -0.003}, {0.0060, 0.0090, 0.0075}, join(0.006));  // lobe
}

}  // namespace

void add_closed_head(Sculpture& sculpture, const PartFrame& frame, ShapeBlend blend) {
  // Wide enough to fill the gap behind the ear, which is thinner than a whole body's cells.
  constexpr double kGrownEar = 0.026;
  const TwoSides sides(sculpture, frame);
  sculpture.begin(blend, "head");
  add_skull(sides);
  add_brow_and_nose(sides);
  add_closed_eyes(sides);
  add_ears(sides, kGrownEar);
  add_lips(sides, 0.0);
  sculpture.end();
}

void add_open_head(Sculpture& sculpture, const PartFrame& frame, ShapeBlend blend) {
  constexpr double kFreeEar = 0.008;
  constexpr double kLipGap = 0.0020;  // makes room for the slit between the lips
  const TwoSides sides(sculpture, frame);
  sculpture.begin(blend, "head");
  add_skull(sides);
  add_brow_and_nose(sides);
  add_open_eyes(sculpture, frame);
  add_ears(sides, kFreeEar);
  add_lips(sides, kLipGap);
  add_mouth(sides);
  sculpture.end();
}

}  // namespace dermis
