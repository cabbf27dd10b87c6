// SPDX-License-Identifier: MIT
// Finds tails, trunks, ears, wings and jaws that a template does not have.
#include "rig/limbs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "dermis/base.h"
#include "rig/centreline.h"
#include "rig/ways.h"

namespace dermis {
namespace {

// In spans of the body: an end sticks out by at least this, and a pair is symmetric within that.
constexpr double kLeastExtra = 0.025, kPairApart = 0.06;
// A tail leaves the body this near to its middle, and is at least this long, in spans.
constexpr double kMiddleExtra = 0.04, kLeastTail = 0.05;
// A trunk is at least this long, in spans, and its end lies below its beginning by this share of that
// distance.
constexpr double kLeastTrunk = 0.12, kTrunkHangs = 0.6;
// An end that is nearer to a bone than this, in spans, belongs to that bone's limb.
constexpr double kReached = 0.05;
// A limb begins where the body is thicker than it by this much.
constexpr double kExtraRoot = 2.0;
// A limb is longer than this many of its thicknesses; a longer ear bends in its middle.
constexpr double kExtraSlender = 0.7, kLongEar = 2.5;
// What is less deep in its middle than this share of the radius of its cross-sections is flat, as ears are.
constexpr double kFlatEar = 0.75;
// Two jaws are apart in the middle of their length, and lie this near to each other for their length.
constexpr double kJawsApart = 2;
// The hinge of a jaw lies behind the corner of the mouth by this share of the jaw.
constexpr double kHinge = 0.4;

class ExtraLimbs {
 public:
  ExtraLimbs(const BodySolid& body, const BodyGraph& graph, int plane, const FoundSkeleton& found)
      : body_(body), graph_(graph), plane_(plane), found_(found) {}

  std::vector<ExtraLimb> find() {
    for (const LimbEnd& end : body_.ends)
      if (is_left_over(body_.centres[end.cell], end.prominence)) measure(end);
    add_tail();
    add_trunk();
    add_pair("ear", [&](const Extra& one) { return is_on_head(one) && !is_horn(one); });
    add_pair("horn", [&](const Extra& one) { return is_on_head(one) && is_horn(one); });
    add_pair("wing", [&](const Extra& one) { return is_winglike(one); });
    add_jaw();
    return std::move(limbs_);
  }

 private:
  // A limb end that no bone reaches, with the line of what sticks out.
  struct Extra {
    std::uint32_t cell = 0;
    double prominence = 0;
    Centreline line;
    double root = 0;    // along the line
    double radius = 0;  // beyond it
    bool is_flat = false;
    Index owner = kNone;  // the joint whose bone it leaves

    Vec3d base() const { return point_at(line, root); }
    Vec3d tip() const { return line.points.back(); }
    double free() const { return line.length() - root; }
  };

  const FoundJoint& joint(Index j) const { return found_.joints[at(j)]; }
  Index index_of(std::string_view name) const {
    for (std::size_t j = 0; j < found_.joints.size(); ++j)
      if (found_.joints[j].name == name) return static_cast<Index>(j);
    return kNone;
  }
  bool has_limb(std::string_view name) const {
    return std::any_of(found_.joints.begin(), found_.joints.end(),
                       [&](const FoundJoint& one) { return one.name.starts_with(name); });
  }
  // The joint at the inner end of the nearest bone, and how far away it is.
  std::pair<Index, double> nearest_bone(const Vec3d& place) const {
    std::pair<Index, double> nearest{kNone, std::numeric_limits<double>::infinity()};
    for (const FoundJoint& one : found_.joints) {
      if (one.parent == kNone) continue;
      const double away = distance_to_segment(place, joint(one.parent).at, one.at);
      if (away < nearest.second) nearest = {one.parent, away};
    }
    return nearest;
  }
  bool is_left_over(const Vec3d& end, double prominence) const {
    return prominence >= kLeastExtra * body_.span && nearest_bone(end).second > kReached * body_.span;
  }
  bool is_sided(Index j) const { return joint(j).name.ends_with("_L") || joint(j).name.ends_with("_R"); }
  // On the head or the neck below it, nearer to the head than to the chest: its skin may begin below its
  // joint.
  bool is_on_head(const Extra& one) const {
    const std::string& owner = joint(one.owner).name;
    return (owner == "head" || owner.starts_with("neck")) && is_near_head(one.base());
  }
  bool is_near_head(const Vec3d& place) const {
    const Index head = index_of("head"), chest = index_of("chest");
    return head != kNone &&
           (chest == kNone || length(place - joint(head).at) < length(place - joint(chest).at));
  }
  double to_left(const Vec3d& place) const { return dot(place - joint(0).at, found_.left); }
  double to_front(const Vec3d& place) const { return dot(place, found_.front); }

  void measure(const LimbEnd& end) {
    if (!ways_) ways_.emplace(body_, body_.middle);
    Extra one;
    one.cell = end.cell, one.prominence = end.prominence;
    one.line = trace_centreline(body_, ways_->way_to(end.cell), true);
    // Of limbs that leave one place, the longest seems to stick out from farther inside.
    const double whole = one.line.length(),
                 out = std::min({end.prominence, nearest_bone(body_.centres[end.cell]).second, 0.9 * whole});
    std::vector<double> radii;
    for (int k = 0; k <= 20; ++k) radii.push_back(radius_at(one.line, whole - out * (0.15 + 0.03 * k)));
    std::nth_element(radii.begin(), radii.begin() + 10, radii.end());
    one.radius = radii[10];
    one.root = whole - 0.5 * out;
    while (one.root > 0 && radius_at(one.line, one.root) < kExtraRoot * one.radius &&
           nearest_bone(one.base()).second > one.radius)
      one.root -= 0.5 * body_.solid.cell;
    one.root = std::max(one.root, 0.0);
    one.owner = nearest_bone(one.base()).first;
    double depth = 0;
    for (int k = 0; k < 5; ++k) depth += 0.2 * depth_at(point_at(one.line, whole - out * (0.25 + 0.1 * k)));
    // Middles of cells are up to half a cell beside the middle of a limb.
    one.is_flat = depth + 0.5 * body_.solid.cell < kFlatEar * one.radius;
    if (one.owner == kNone || is_sided(one.owner) || one.free() < kExtraSlender * 2 * one.radius) return;
    extras_.push_back(std::move(one));
  }

  ExtraLimb limb_of(const Extra& one, const std::string& name, int count) const {
    ExtraLimb limb{name, one.owner, {}};
    for (int k = 0; k <= count; ++k) {
      const double along = one.root + one.free() * k / count;
      limb.joints.push_back({point_at(one.line, along), radius_at(one.line, along)});
    }
    return limb;
  }

  // Behind the hips, in the middle.
  void add_tail() {
    if (has_limb("tail")) return;
    for (const Extra& one : extras_) {
      const std::string& owner = joint(one.owner).name;
      if ((owner != "hips" && owner != "spine") ||
          std::abs(to_left(one.base())) > kMiddleExtra * body_.span ||
          one.prominence < kLeastTail * body_.span || to_front(one.tip() - joint(0).at) > 0 ||
          to_front(one.tip() - one.base()) > 0)
        continue;
      limbs_.push_back(limb_of(one, "tail", 3));
      return;
    }
  }

  // In the middle of the head, and hanging.
  void add_trunk() {
    for (const Extra& one : extras_) {
      const Vec3d way = one.tip() - one.base();
      if (!is_on_head(one) || !is_long(one) || one.is_flat || one.prominence < kLeastTrunk * body_.span ||
          !is_in_middle(one) || std::abs(to_left(one.base())) > kMiddleExtra * body_.span ||
          dot(way, found_.up) > -kTrunkHangs * length(way))
        continue;
      limbs_.push_back(limb_of(one, "trunk", 3));
      limbs_.back().parent = index_of("head");
      return;
    }
  }

  bool is_long(const Extra& one) const { return one.free() > kLongEar * 2 * one.radius; }
  bool is_horn(const Extra& one) const { return is_long(one) && !one.is_flat; }
  double depth_at(const Vec3d& place) const {
    const std::int32_t c = body_.solid.find(place);
    return c == VoxelSolid::kNoCell ? 0 : double{body_.field.depth[at(c)]};
  }
  bool is_in_middle(const Extra& one) const {
    return std::abs(to_left(one.tip())) < kLeastExtra * body_.span;
  }
  bool is_winglike(const Extra& one) const {
    const std::string& owner = joint(one.owner).name;
    return (owner == "chest" || owner == "spine") && to_front(one.base() - joint(one.owner).at) <= 0;
  }

  // The longest two that are each other's mirror image.
  template <class Fits>
  void add_pair(const std::string& name, const Fits& fits) {
    for (std::size_t a = 0; a < extras_.size(); ++a) {
      for (std::size_t b = a + 1; b < extras_.size(); ++b) {
        const Extra &one = extras_[a], &other = extras_[b];
        if (!fits(one) || !fits(other) || is_in_middle(one) || is_in_middle(other) ||
            to_left(one.tip()) * to_left(other.tip()) > 0)
          continue;
        const Vec3d image = other.tip() - found_.left * (2 * to_left(other.tip()));
        if (length(image - one.tip()) > kPairApart * body_.span) continue;
        const Extra &left = to_left(one.tip()) > 0 ? one : other, &right = &left == &one ? other : one;
        const int count = name == "wing" ? 3 : name == "ear" && is_long(left) ? 2 : 1;
        limbs_.push_back(limb_of(left, name + "_L", count));
        limbs_.push_back(limb_of(right, name + "_R", count));
        const Index parent = is_on_head(left) ? index_of("head") : left.owner;
        for (std::size_t k = limbs_.size() - 2; k < limbs_.size(); ++k) limbs_[k].parent = parent;
        return;
      }
    }
  }

  // Two ends of the head in the plane of symmetry, one above the other, with a gap between them.
  void add_jaw() {
    const Index head = index_of("head");
    if (plane_ < 0 || head == kNone || has_limb("jaw")) return;
    std::vector<Vec3d> ends;
    std::vector<double> out;
    for (const GraphNode& node : graph_.nodes) {
      if (!node.is_end() || node.plane != plane_ || to_front(node.centre - joint(head).at) <= 0 ||
          !is_near_head(node.centre))
        continue;
      ends.push_back(node.centre), out.push_back(node.prominence);
    }
    for (std::size_t a = 0; a < ends.size(); ++a) {
      for (std::size_t b = 0; b < ends.size(); ++b) {
        const double up = dot(ends[a] - ends[b], found_.up), free = std::min(out[a], out[b]);
        if (a == b || up <= 0 || free < 0.5 * kLeastExtra * body_.span || up > kJawsApart * free) continue;
        const Vec3d gap = (ends[a] + ends[b]) * 0.5 - found_.front * (0.3 * free);
        if (body_.solid.find(gap) != VoxelSolid::kNoCell) continue;
        const Vec3d corner = (ends[a] + ends[b]) * 0.5 - found_.front * free;
        const Vec3d hinge = corner - found_.front * (kHinge * free);
        const Vec3d place = body_.solid.find(hinge) != VoxelSolid::kNoCell ? hinge : corner;
        if (body_.solid.find(place) == VoxelSolid::kNoCell) continue;
        limbs_.push_back({"jaw", head, {{place, 0.3 * free}, {ends[b], 0.1 * free}}});
        return;
      }
    }
  }

  const BodySolid& body_;
  const BodyGraph& graph_;
  int plane_;
  const FoundSkeleton& found_;
  std::optional<DeepWays> ways_;
  std::vector<Extra> extras_;
  std::vector<ExtraLimb> limbs_;
};

}  // namespace

std::vector<ExtraLimb> find_extra_limbs(const BodySolid& body, const BodyGraph& graph, int plane,
                                        const FoundSkeleton& found) {
  return ExtraLimbs(body, graph, plane, found).find();
}

}  // namespace dermis
