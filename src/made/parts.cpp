// SPDX-License-Identifier: MIT
// Frames, names and mirror images for the parts of a body.
#include "made/parts.h"

namespace dermis {
namespace {

std::string other_side(const std::string& name) {
  const std::size_t n = name.size();
  return n > 2 && name.compare(n - 2, 2, "_L") == 0 ? name.substr(0, n - 1) + "R" : name;
}

}  // namespace

std::string sided(const std::string& name, const std::string& side) {
  return side.empty() ? name : name + "_" + side;
}

JointPlan mirrored(const JointPlan& joint) {
  JointPlan result = joint;
  result.name = other_side(joint.name);
  result.parent = other_side(joint.parent);
  result.at = mirrored(joint.at);
  result.cut.normal = mirrored(joint.cut.normal);
  result.cut.chain = other_side(joint.cut.chain);
  for (std::string& rival : result.cut.rivals) {
    // A limb's rival may be its own mirror image.
    const std::string other = other_side(rival);
    const std::size_t n = rival.size();
    const bool is_right = n > 2 && rival.compare(n - 2, 2, "_R") == 0;
    rival = is_right ? rival.substr(0, n - 1) + "L" : other;
  }
  if (joint.cut.own) result.cut.own = [own = joint.cut.own](const Vec3d& p) { return own(mirrored(p)); };
  return result;
}

Swing opposed(const Swing& swing) {
  Swing result = swing;
  result.joint = other_side(swing.joint);
  // A rotation is mirrored by mirroring its axis and negating its angle.
  result.axis = -mirrored(swing.axis);
  result.phase += 0.5;
  return result;
}

JointPlan joint_at(const std::string& name, const std::string& parent, const Vec3d& at, const Vec3d& normal,
                   double shift, double band) {
  JointPlan plan;
  plan.name = name;
  plan.parent = parent;
  plan.at = at;
  plan.cut.normal = normalized(normal);
  plan.cut.shift = shift;
  plan.cut.band = band;
  return plan;
}

JointPlan bordered(JointPlan plan, const std::string& chain, std::vector<std::string> rivals, double border) {
  plan.cut.chain = chain;
  plan.cut.rivals = std::move(rivals);
  plan.cut.border = border;
  return plan;
}

JointPlan below(JointPlan plan) {
  plan.cut.is_within_parent = true;
  return plan;
}

Ellipsoid ellipsoid_in(const PartFrame& frame, const Vec3d& centre, const Vec3d& radii) {
  return {frame.place(centre), radii * frame.scale, frame.axes};
}

RoundCone cone_in(const PartFrame& frame, const Vec3d& a, double a_radius, const Vec3d& b, double b_radius) {
  return {frame.place(a), frame.place(b), a_radius * frame.scale, b_radius * frame.scale};
}

}  // namespace dermis
