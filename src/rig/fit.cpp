// SPDX-License-Identifier: MIT
// Measures how the joints of a found skeleton lie in the body, and how they differ from their template.
#include "rig/fit.h"

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

// Bones are followed in steps of a cell, but no more than this many.
constexpr double kMostSteps = 200;
// A joint less deep than this fraction of the deepest place within its limb's radius is off the middle.
constexpr double kOffMiddle = 0.5;
// Where limbs begin nearer to each other than this, their sides cannot be told.
constexpr double kOneSpot = 0.01;
// Joints of a template whose heights differ by less than this fraction of its height may be level in a pose.
constexpr double kClearlyAbove = 0.1;

class Fit {
 public:
  Fit(const BodySolid& body, const FoundSkeleton& found, const RigTemplate* rig)
      : body_(body), found_(found), rig_(rig) {
    for (const FoundJoint& joint : found_.joints) in_template_.push_back(joint_of_template(joint.name));
  }

  SkeletonFit measure() {
    measure_limbs();
    measure_bones();
    measure_joints();
    if (rig_ == nullptr || rig_->is_free) return fit_;
    measure_sides();
    measure_order();
    measure_feet();
    measure_arms();
    return fit_;
  }

 private:
  const Vec3d& place(Index j) const { return found_.joints[at(j)].at; }
  Index parent(Index j) const { return found_.joints[at(j)].parent; }
  Index count() const { return static_cast<Index>(found_.joints.size()); }
  double bone(Index j) const { return parent(j) == kNone ? 0 : length(place(j) - place(parent(j))); }

  Index joint_of_template(std::string_view name) const {
    if (rig_ == nullptr) return kNone;
    const auto found = std::find_if(rig_->joints.begin(), rig_->joints.end(),
                                    [&](const RigTemplate::Joint& joint) { return joint.name == name; });
    return found == rig_->joints.end() ? kNone : static_cast<Index>(found - rig_->joints.begin());
  }
  Index named(std::string_view name) const {
    const auto found = std::find_if(found_.joints.begin(), found_.joints.end(),
                                    [&](const FoundJoint& joint) { return joint.name == name; });
    return found == found_.joints.end() ? kNone : static_cast<Index>(found - found_.joints.begin());
  }
  // The joint on the other side; kNone for those in the middle and those without one.
  Index mirror(Index j) const {
    const Index own = in_template_[at(j)];
    if (own == kNone || rig_->joints[at(own)].mirror == own) return kNone;
    return named(rig_->joints[at(rig_->joints[at(own)].mirror)].name);
  }

  double depth_at(const Vec3d& point) const {
    const std::int32_t cell = body_.solid.find(point);
    return cell == VoxelSolid::kNoCell ? 0 : double{body_.field.depth[at(cell)]};
  }
  double distance_to_bones(const Vec3d& point) const {
    double least = INFINITY;
    for (Index j = 0; j < count(); ++j) {
      const Vec3d& from = parent(j) == kNone ? place(j) : place(parent(j));
      least = std::min(least, distance_to_segment(point, from, place(j)));
    }
    return least;
  }
  // Calls visit(point, share of the bone) along the bone that ends at a joint.
  template <class Visit>
  void follow_bone(Index j, const Visit& visit) const {
    const double steps = std::clamp(std::ceil(bone(j) / body_.solid.cell), 1.0, kMostSteps);
    for (double k = 0.5; k < steps; ++k)
      visit(place(parent(j)) + (place(j) - place(parent(j))) * (k / steps), 1 / steps);
  }

  void measure_limbs() {
    for (const LimbEnd& end : body_.ends) {
      const double away = distance_to_bones(body_.solid.centre(end.cell));
      fit_.limb_left = std::max(fit_.limb_left, std::min(end.prominence, away) / body_.span);
    }
  }

  void measure_bones() {
    double all = 0, outside = 0;
    for (Index j = 0; j < count(); ++j) {
      if (parent(j) == kNone || found_.joints[at(j)].is_end) continue;
      all += bone(j);
      follow_bone(j, [&](const Vec3d& point, double share) {
        if (body_.solid.find(point) == VoxelSolid::kNoCell) outside += share * bone(j);
      });
    }
    fit_.bones_outside = all > 0 ? outside / all : 0;
  }

  // The largest depth within a radius, on a lattice of half that radius.
  double deepest_near(const Vec3d& middle, double radius) const {
    double deepest = depth_at(middle);
    for (double x = -1; x <= 1; x += 0.5) {
      for (double y = -1; y <= 1; y += 0.5) {
        for (double z = -1; z <= 1; z += 0.5) {
          const Vec3d way{x, y, z};
          if (length(way) <= 1) deepest = std::max(deepest, depth_at(middle + way * radius));
        }
      }
    }
    return deepest;
  }

  void measure_joints() {
    double all = 0, off = 0;
    for (const FoundJoint& joint : found_.joints) {
      if (joint.is_end) continue;
      all += 1;
      const double deepest = deepest_near(joint.at, std::max(joint.radius, 2 * body_.solid.cell));
      if (deepest == 0 || depth_at(joint.at) < kOffMiddle * deepest) off += 1;
    }
    fit_.joints_off = all > 0 ? off / all : 0;
  }

  // From the first joint of the limb that is not in the middle.
  double limb_length(Index j) const {
    double sum = 0;
    for (; parent(j) != kNone && mirror(parent(j)) != kNone; j = parent(j)) sum += bone(j);
    return sum;
  }

  void measure_sides() {
    std::vector<Vec3d> ways;  // from right to left, of each pair of limbs where they begin
    for (Index j = 0; j < count(); ++j) {
      const Index other = mirror(j);
      if (other == kNone || other < j) continue;  // each pair once: left comes before right
      const RigTemplate::Joint& own = rig_->joints[at(in_template_[at(j)])];
      const double a = limb_length(j), b = limb_length(other);
      if (own.is_end && a > 0 && b > 0)
        fit_.side_ratio = std::max(fit_.side_ratio, std::abs(std::log2(a / b)));
      const bool is_first = parent(j) == kNone || mirror(parent(j)) == kNone;
      const bool is_root = own.snap == RigTemplate::Snap::root || own.snap == RigTemplate::Snap::part;
      const Vec3d way = place(j) - place(other);
      if ((is_first || is_root) && length(way) > kOneSpot * body_.span) ways.push_back(normalized(way));
    }
    for (const Vec3d& way : ways) {
      for (const Vec3d& other : ways) fit_.sides_turned = std::max(fit_.sides_turned, 1 - dot(way, other));
    }
  }

  // Whether bones from the joint on may point anywhere.
  bool is_loose(Index in_template) const {
    for (Index k = in_template; k != kNone; k = rig_->joints[at(k)].parent) {
      if (rig_->joints[at(k)].is_loose) return true;
    }
    return false;
  }

  void measure_order() {
    Box box;
    for (const RigTemplate::Joint& joint : rig_->joints) box.add(joint.at);
    const double clearly = kClearlyAbove * (box.upper.y - box.lower.y);
    for (Index upper = 0; upper < count(); ++upper) {
      for (Index lower = 0; lower < count(); ++lower) {
        const Index u = in_template_[at(upper)], l = in_template_[at(lower)];
        if (u == kNone || l == kNone || is_loose(u) || is_loose(l)) continue;
        if (rig_->joints[at(u)].at.y - rig_->joints[at(l)].at.y < clearly) continue;
        const double below = dot(place(lower) - place(upper), found_.up) / body_.span;
        if (below > fit_.upside_down) fit_.upside_down = below, fit_.upper = upper, fit_.lower = lower;
      }
    }
  }

  // How far ahead of their ankles feet end.
  void measure_feet() {
    double sum = 0, feet = 0;
    for (Index j = 0; j < count(); ++j) {
      const Index own = in_template_[at(j)];
      if (own == kNone || !rig_->joints[at(own)].is_grounded) continue;
      Index ankle = parent(j);
      while (ankle != kNone && (in_template_[at(ankle)] == kNone ||
                                rig_->joints[at(in_template_[at(ankle)])].snap != RigTemplate::Snap::heel))
        ankle = parent(ankle);
      if (ankle == kNone) continue;
      sum += dot(place(j) - place(ankle), found_.front) / body_.span;
      feet += 1;
    }
    if (feet > 0) fit_.feet_ahead = sum / feet;
  }

  // The largest depth along the bone that ends at a joint.
  double thickness(Index j) const {
    double most = 0;
    follow_bone(j, [&](const Vec3d& point, double) { most = std::max(most, depth_at(point)); });
    return most;
  }

  // By the names of the biped: templates of the user may have these joints too.
  void measure_arms() {
    const Index hips = named("hips"), neck = named("neck"), top = named("head_end");
    if (hips == kNone || neck == kNone || top == kNone || parent(top) == kNone) return;
    const Vec3d down = place(hips) - place(neck);
    if (!(length(down) > 0)) return;
    fit_.lean = 1 + dot(normalized(down), found_.up);
    const double head = std::max(thickness(top), body_.solid.cell);
    for (const char* side : {"_L", "_R"}) {
      const Index arm = named(std::string("upper_arm") + side), hand = named(std::string("hand_end") + side);
      if (arm == kNone || hand == kNone || parent(hand) == kNone) continue;
      fit_.arms_low = std::max(fit_.arms_low, dot(place(arm) - place(neck), down) / dot(down, down));
      fit_.hands_thick = std::max(fit_.hands_thick, thickness(hand) / head);
    }
  }

  const BodySolid& body_;
  const FoundSkeleton& found_;
  const RigTemplate* rig_;
  std::vector<Index> in_template_;  // of each joint
  SkeletonFit fit_;
};

}  // namespace

SkeletonFit measure_fit(const BodySolid& body, const FoundSkeleton& found, const RigTemplate* rig) {
  return Fit(body, found, rig).measure();
}

}  // namespace dermis
