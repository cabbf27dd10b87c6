// SPDX-License-Identifier: MIT
// Hands and heads that several characters share.
#pragma once

#include <string>
#include <vector>

#include "made/plan.h"

namespace dermis {

// The placement of a part in a body: its axes as directions of the body, and its size.
struct PartFrame {
  Vec3d origin;
  Mat3d axes;  // columns: the part's x, y, z; orthonormal
  double scale = 1;

  Vec3d place(const Vec3d& local) const { return origin + axes * local * scale; }
  Vec3d turn(const Vec3d& local) const { return axes * local; }
};

// "hand" and "L" make "hand_L"; without a side the name is unchanged.
std::string sided(const std::string& name, const std::string& side);
inline Vec3d mirrored(const Vec3d& v) { return {-v.x, v.y, v.z}; }
// A joint on the other side: `_L` becomes `_R` in every name, positions and directions are mirrored.
JointPlan mirrored(const JointPlan& joint);
// The same swing on the other side, half a loop later, as in walking.
Swing opposed(const Swing& swing);

// A joint whose influence starts at a plane across `normal`.
JointPlan joint_at(const std::string& name, const std::string& parent, const Vec3d& at, const Vec3d& normal,
                   double shift, double band);
// The same, with a border to other limbs.
JointPlan bordered(JointPlan plan, const std::string& chain, std::vector<std::string> rivals, double border);
// The same, further down a limb.
JointPlan below(JointPlan plan);

// Builds the left side, then the right one as its mirror image.
template <class Build>
void on_both_sides(Sculpture& sculpture, Build build) {
  build(std::string("L"));
  sculpture.set_mirrored(true);
  build(std::string("R"));
  sculpture.set_mirrored(false);
}

// An ellipsoid whose radii run along the given axes of the frame.
Ellipsoid ellipsoid_in(const PartFrame& frame, const Vec3d& centre, const Vec3d& radii);
RoundCone cone_in(const PartFrame& frame, const Vec3d& a, double a_radius, const Vec3d& b, double b_radius);

// A left hand: x from the wrist to the middle finger, y out of its back, z to the thumb. Chains: palm and the
// five fingers, with `side` appended. Joins earlier shapes with `blend`.
void add_hand(Sculpture& sculpture, const PartFrame& frame, const std::string& side, ShapeBlend blend);
// Its fifteen finger joints, below `hand` (the joint at the frame's origin).
void add_hand_joints(const PartFrame& frame, const std::string& side, std::vector<JointPlan>& joints);
// The direction about which a finger of a left hand curls into the palm, and the thumb closes.
Vec3d finger_axis(const PartFrame& frame, const std::string& finger);

// The head of an adult: origin between the ear canals, y up, z forward, chin at -0.105, crown at +0.125.
// Chain: head. Closed: lips and lids shut, ears attached to the skull, for bodies whose cells are coarser
// than such gaps. Open: lips parted in front of a mouth cavity, lids around the eyes, free-standing ears.
void add_closed_head(Sculpture& sculpture, const PartFrame& frame, ShapeBlend blend);
void add_open_head(Sculpture& sculpture, const PartFrame& frame, ShapeBlend blend);

// Positions on that head that rigging and blend shapes need.
namespace head {
inline constexpr Vec3d kEye{0.0315, 0.012, 0.0735};  // centre of the left eyeball
inline constexpr double kEyeRadius = 0.0125;
inline constexpr Vec3d kMouth{0, -0.0605, 0.0955};  // middle of the slit between the lips
inline constexpr Vec3d kMouthCorner{0.0245, -0.061, 0.0765};
inline constexpr Vec3d kJaw{0.052, -0.008, 0.008};  // hinge of the jaw, left
}  // namespace head

}  // namespace dermis
