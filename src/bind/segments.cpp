// SPDX-License-Identifier: MIT
// Segments for joints: files store where joints are, not where their bones end.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "bind/places.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

// As a fraction of the size of the body: joints this near coincide, and no bone is shorter.
constexpr double kSamePlace = 1e-4;
constexpr double kShortest = 0.01;
// A child lies on an axis if the cosine is above the first (10 degrees), and along it above the second (25
// degrees).
constexpr double kOnAxis = 0.985;
constexpr double kAlongAxis = 0.9;
// An axis is the rig's convention if this many joints, and this share of those with one child, follow it.
constexpr int kLeastVotes = 3;
constexpr double kHabit = 0.6;
// Its sign is part of the convention if this share agrees.
constexpr double kSignedHabit = 0.9;
// How near to a line another joint must be to lie on it, as a fraction of its distance.
constexpr double kOnLine = 0.1;
// A limb without a further joint ends where another joint begins within this slope of its line.
constexpr double kInTheWay = 0.25;
// The end of such a limb stays this far inside the skin.
constexpr double kInside = 0.9;
// Mouths and gaps between shells are crossed if shorter than this fraction of the path before them.
constexpr double kLongestGap = 0.5;
// No limb is longer than this fraction of the body.
constexpr double kLongestEnd = 0.5;
// A joint that nothing follows ends a bone if at least this share of the way to it is inside the skin.
constexpr double kLeastInside = 0.6;
// A limb without a further joint also ends where another bone is nearer than this fraction of its length so
// far: an ear whose axis points through the head would take the head's skin. Looked for in so many steps.
constexpr double kCrowded = 0.4;
constexpr int kLimbSteps = 32;
// A child nearer than this, as a fraction of the size of the body, is joined by a bone although it lies off
// the axis: hips and chests are as broad as the distance to the limbs that leave them.
constexpr double kNearChild = 0.15;

// Bodies have hundreds of joints. Where thousands are compared with each other, nobody would wait for the
// answer: above the first, no joint ends the limb of another, and above the second, no child hides another.
constexpr std::size_t kMostInTheWay = 5000, kMostSiblings = 1000;
// Joints between two looks for a stop.
constexpr std::size_t kSegmentsAtOnce = 256;

// A joint of the rig, deforming or not.
struct RigJoint {
  Index node = kNone;
  Index parent = kNone;     // in the rig's joints
  Index deforming = kNone;  // its index among the deforming joints
  Vec3d place;
  Mat3d axes;  // columns: its axes in the space of the surface
  std::vector<Index> children;
};

class Segments {
 public:
  Segments(const Character& character, const BindSurface& surface, std::span<const Index> nodes,
           const RayTree& rays)
      : surface_(surface), rays_(rays), same_place_(kSamePlace * surface.size) {
    gather(character, nodes);
    drop_sockets();
    plant_flat();
    find_habit();
    std::vector<Index> parents;
    for (const RigJoint& joint : rig_) parents.push_back(joint.parent);
    tree_ = Subtrees(parents);
    list_bones();
  }

  Result<BindSkeleton> make(std::span<const Index> nodes, const Progress& progress) const {
    BindSkeleton skeleton;
    skeleton.node.assign(nodes.begin(), nodes.end());
    skeleton.parent.assign(nodes.size(), kNone);
    std::vector<Index> rig_of(nodes.size(), kNone);
    for (std::size_t r = 0; r < rig_.size(); ++r) {
      if (rig_[r].deforming != kNone) rig_of[at(rig_[r].deforming)] = static_cast<Index>(r);
    }
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      Index up = rig_[at(rig_of[j])].parent;
      while (up != kNone && rig_[at(up)].deforming == kNone) up = rig_[at(up)].parent;
      if (up != kNone) skeleton.parent[j] = rig_[at(up)].deforming;
    }
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j % kSegmentsAtOnce == 0) {
        if (const Status go = progress.at("preparing joints", 0); !go) return go.error();
      }
      add_segments(rig_of[j], skeleton.segments);
    }
    return skeleton;
  }

 private:
  void gather(const Character& character, std::span<const Index> nodes);
  void drop_sockets();
  void plant_flat();
  void find_habit();
  void list_bones();
  std::vector<Index> next_joints(const RigJoint& joint) const;
  std::optional<Vec3d> habitual_direction(const RigJoint& joint, std::span<const Index> children) const;
  Vec3d limb_end(Index joint, const Vec3d& direction) const;
  double uncrowded(Index joint, const Vec3d& direction, double end) const;
  double reach(const Vec3d& from, const Vec3d& direction) const;
  bool is_related(Index a, Index b) const { return tree_.is_in(a, b) || tree_.is_in(b, a); }
  void add_segments(Index joint, std::vector<JointSegment>& segments) const;

  const BindSurface& surface_;
  const RayTree& rays_;
  double same_place_;
  std::vector<RigJoint> rig_;
  Subtrees tree_;               // of rig_
  std::vector<Segment> bones_;  // from deforming joints to their next ones; none of thousands
  int axis_ = -1;               // of the convention; -1: none
  double sign_ = 0;             // of the axis; 0: differs from joint to joint
};

// Joints of all skins, deforming ones first in their order, with positions from the inverse binds.
void Segments::gather(const Character& character, std::span<const Index> nodes) {
  std::map<Index, Index> rig_of;
  const auto add = [&](Index node, const Affined& surface_from_joint) {
    if (!rig_of.emplace(node, static_cast<Index>(rig_.size())).second) return;
    RigJoint joint;
    joint.node = node;
    joint.place = surface_from_joint.translation;
    joint.axes = surface_from_joint.linear;
    rig_.push_back(joint);
  };
  for (std::size_t i = 0; i < surface_.instances.size(); ++i) {
    const Skin& skin = character.skins[at(character.instances[at(surface_.instances[i])].skin)];
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      const Affined place = surface_.surface_from_bind[i] * inverse(Affined(skin.inverse_bind[s]));
      if (is_finite(place)) add(skin.node[s], place);
    }
  }
  // Nodes that no skin of a bound mesh names, or whose bind has no inverse, use their rest position.
  const std::vector<Affined> rest = rest_world(character);
  for (const Index node : nodes) add(node, rest[at(node)]);
  for (std::size_t j = 0; j < nodes.size(); ++j) rig_[at(rig_of[nodes[j]])].deforming = static_cast<Index>(j);
  for (RigJoint& joint : rig_) {
    Index up = character.nodes[at(joint.node)].parent;
    while (up != kNone && rig_of.count(up) == 0) up = character.nodes[at(up)].parent;
    if (up != kNone) joint.parent = rig_of[up];
  }
  for (std::size_t r = 0; r < rig_.size(); ++r) {
    if (rig_[r].parent != kNone) rig_[at(rig_[r].parent)].children.push_back(static_cast<Index>(r));
  }
}

// Joints that nothing follows, such as ends of limbs, show where a bone ends; but not where props are
// attached, far from their parent or through the air: no bone reaches for a helmet's socket that was left at
// the origin.
void Segments::drop_sockets() {
  std::vector<bool> moves_skin(rig_.size(), false);  // it, or a joint below it
  for (std::size_t r = 0; r < rig_.size(); ++r) {
    if (rig_[r].deforming == kNone) continue;
    for (auto up = static_cast<Index>(r); up != kNone && !moves_skin[at(up)]; up = rig_[at(up)].parent)
      moves_skin[at(up)] = true;
  }
  for (RigJoint& joint : rig_) {
    if (joint.deforming == kNone) continue;
    std::erase_if(joint.children, [&](Index child) {
      const Vec3d way = rig_[at(child)].place - joint.place;
      const double distance = length(way);
      if (moves_skin[at(child)] || !(distance > kShortest * surface_.size)) return false;
      if (distance > kLongestEnd * surface_.size) return true;
      // 0: there is no skin on the way, as in an open mesh.
      const double inside = reach(joint.place, way * (1 / distance));
      return inside > 0 && inside < kLeastInside * distance;
    });
  }
}

// If nearly all deforming joints have no parent or child: the shortest tree from the most central one.
void Segments::plant_flat() {
  std::vector<Index> flat;
  for (std::size_t r = 0; r < rig_.size(); ++r) {
    const RigJoint& joint = rig_[r];
    if (joint.deforming != kNone && joint.children.empty() &&
        (joint.parent == kNone || rig_[at(joint.parent)].deforming == kNone))
      flat.push_back(static_cast<Index>(r));
  }
  const auto deforming = static_cast<std::size_t>(std::count_if(
      rig_.begin(), rig_.end(), [](const RigJoint& joint) { return joint.deforming != kNone; }));
  // Prim's algorithm is quadratic, and a flat list of a thousand joints is not a hand.
  constexpr std::size_t kMostFlat = 1000;
  if (flat.size() < 3 || flat.size() > kMostFlat || 10 * flat.size() < 9 * deforming) return;
  const auto distance = [&](Index a, Index b) { return length(rig_[at(a)].place - rig_[at(b)].place); };
  const auto way_to_all = [&](Index a) {
    double sum = 0;
    for (const Index b : flat) sum += distance(a, b);
    return sum;
  };
  const auto central = std::min_element(flat.begin(), flat.end(),
                                        [&](Index a, Index b) { return way_to_all(a) < way_to_all(b); });
  std::vector<Index> planted{*central};
  flat.erase(central);
  std::vector<Index> nearest(rig_.size(), planted[0]);
  while (!flat.empty()) {
    const auto next = std::min_element(flat.begin(), flat.end(), [&](Index a, Index b) {
      return distance(a, nearest[at(a)]) < distance(b, nearest[at(b)]);
    });
    const Index joint = *next;
    flat.erase(next);
    rig_[at(joint)].parent = nearest[at(joint)];
    rig_[at(nearest[at(joint)])].children.push_back(joint);
    for (const Index other : flat) {
      if (distance(other, joint) < distance(other, nearest[at(other)])) nearest[at(other)] = joint;
    }
  }
}

// The axis on which joints have their only child: y in Blender's rigs, x in Maya's.
void Segments::find_habit() {
  std::array<int, 3> votes{}, positive{};
  int only_children = 0;
  for (const RigJoint& joint : rig_) {
    if (joint.children.size() != 1) continue;
    const Vec3d to_child = rig_[at(joint.children[0])].place - joint.place;
    if (!(length(to_child) > same_place_)) continue;
    ++only_children;
    for (int axis = 0; axis < 3; ++axis) {
      const double cosine = dot(normalized(joint.axes[axis]), normalized(to_child));
      if (std::abs(cosine) < kOnAxis) continue;
      ++votes[static_cast<std::size_t>(axis)];
      if (cosine > 0) ++positive[static_cast<std::size_t>(axis)];
    }
  }
  const auto most = static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  if (votes[most] < kLeastVotes || votes[most] < kHabit * only_children) return;
  axis_ = static_cast<int>(most);
  if (positive[most] >= kSignedHabit * votes[most]) sign_ = 1;
  if (positive[most] <= (1 - kSignedHabit) * votes[most]) sign_ = -1;
}

// Children that do not coincide with the joint, without those behind a nearer one.
std::vector<Index> Segments::next_joints(const RigJoint& joint) const {
  std::vector<Index> next;
  for (const Index child : joint.children) {
    const Vec3d way = rig_[at(child)].place - joint.place;
    const double far = length(way);
    if (!(far > same_place_)) continue;
    const bool is_behind = joint.children.size() <= kMostSiblings &&
                           std::any_of(joint.children.begin(), joint.children.end(), [&](Index other) {
                             const Vec3d to_other = rig_[at(other)].place - joint.place;
                             const double along = dot(to_other, way) / far;
                             const double off = length(to_other - way * (along / far));
                             if (other == child || !(length(to_other) > same_place_) || off > kOnLine * along)
                               return false;
                             // Of two that coincide, the first counts.
                             return along < far - same_place_ || (along < far + same_place_ && other < child);
                           });
    if (!is_behind) next.push_back(child);
  }
  return next;
}

void Segments::list_bones() {
  if (rig_.size() > kMostInTheWay) return;
  for (const RigJoint& joint : rig_) {
    if (joint.deforming == kNone) continue;
    for (const Index child : next_joints(joint)) bones_.push_back({joint.place, rig_[at(child)].place});
  }
}

// The direction of the joint's bone by the rig's convention; if the sign is open, towards its children or
// away from its parent.
std::optional<Vec3d> Segments::habitual_direction(const RigJoint& joint,
                                                  std::span<const Index> children) const {
  if (axis_ < 0) return std::nullopt;
  const Vec3d along = normalized(joint.axes[axis_]);
  if (!(length(along) > 0)) return std::nullopt;
  if (sign_ != 0) return along * sign_;
  double farthest = 0;
  for (const Index child : children) {
    const double reach_along = dot(along, rig_[at(child)].place - joint.place);
    if (std::abs(reach_along) > std::abs(farthest)) farthest = reach_along;
  }
  if (children.empty() && joint.parent != kNone)
    farthest = dot(along, joint.place - rig_[at(joint.parent)].place);
  return along * (farthest < 0 ? -1.0 : 1.0);
}

// How far the body extends in a direction: to the last place where it leaves the skin. 0: it never does.
double Segments::reach(const Vec3d& from, const Vec3d& direction) const {
  const double nudge = 1e-5 * surface_.size;
  double last_exit = 0, first_hit = 0;
  Ray ray{Vec3(from), Vec3(direction)};
  // No limb passes through more sheets than this.
  constexpr int kMostSheets = 64;
  for (int sheet = 0; sheet < kMostSheets; ++sheet) {
    RayHit hit;
    rays_.find_nearest({&ray, 1}, RayOrder::mixed, {&hit, 1});
    const double distance = double{hit.distance};
    if (hit.triangle < 0 || distance > kLongestEnd * surface_.size) break;
    if (sheet == 0) first_hit = distance;
    const SurfaceMesh::Triangle& corners = surface_.triangles[at(hit.triangle)];
    const bool is_exit =
        dot(Vec3d(surface_.normals[corners[0]] + surface_.normals[corners[1]] + surface_.normals[corners[2]]),
            direction) > 0;
    if (!is_exit && last_exit > 0 && distance - last_exit > kLongestGap * last_exit) break;
    if (is_exit) last_exit = distance;
    ray.near = static_cast<float>(distance + nudge);
  }
  return last_exit > 0 ? last_exit : first_hit;
}

// Where the limb of a joint without children ends.
Vec3d Segments::limb_end(Index joint, const Vec3d& direction) const {
  const RigJoint& own = rig_[at(joint)];
  const double above = own.parent == kNone ? 0 : length(own.place - rig_[at(own.parent)].place);
  const double reached = kInside * reach(own.place, direction);
  double end = reached > 0 ? reached : kLongestEnd * surface_.size;
  bool is_found = reached > 0;
  for (std::size_t r = 0; r < rig_.size() && rig_.size() <= kMostInTheWay; ++r) {
    if (rig_[r].deforming == kNone) continue;
    const Vec3d way = rig_[r].place - own.place;
    const double along = dot(way, direction);
    const bool is_on_line =
        along > 2 * kShortest * surface_.size && length(way - direction * along) < kInTheWay * along;
    if (!is_on_line || along >= end || is_related(joint, static_cast<Index>(r))) continue;
    end = along;
    is_found = true;
  }
  if (!is_found) end = std::max(above / 2, kShortest * surface_.size);
  return own.place + direction * uncrowded(joint, direction, end);
}

// How much of a limb's length is left if it ends where it comes too near to another bone.
double Segments::uncrowded(Index joint, const Vec3d& direction, double end) const {
  const Vec3d& start = rig_[at(joint)].place;
  double left = end;
  const auto shorten = [&](const Vec3d& from, const Vec3d& to) {
    if (distance_to_segment(start, from, to) > (1 + kCrowded) * left) return;
    for (int step = 1; step <= kLimbSteps && end * step / kLimbSteps <= left; ++step) {
      const double along = end * step / kLimbSteps;
      if (distance_to_segment(start + direction * along, from, to) < kCrowded * along)
        left = end * (step - 1) / kLimbSteps;
    }
  };
  for (const Segment& bone : bones_) shorten(bone.from, bone.to);
  return std::max(left, std::min(end, kShortest * surface_.size));
}

void Segments::add_segments(Index joint, std::vector<JointSegment>& segments) const {
  const RigJoint& own = rig_[at(joint)];
  const std::vector<Index> next = next_joints(own);
  const std::optional<Vec3d> habit = habitual_direction(own, next);
  const auto add = [&](const Vec3d& to) { segments.push_back({own.deforming, own.place, to}); };
  // A bone that children at the same place continue, as those of hips in captured skeletons, is only a point.
  const bool is_continued = std::any_of(own.children.begin(), own.children.end(),
                                        [&](Index child) { return rig_[at(child)].deforming != kNone; });
  if (next.empty() && is_continued) return add(own.place);
  if (next.empty()) {
    Vec3d direction = habit.value_or(Vec3d{0, 1, 0});
    if (!habit && own.parent != kNone && length(own.place - rig_[at(own.parent)].place) > same_place_)
      direction = normalized(own.place - rig_[at(own.parent)].place);
    return add(limb_end(joint, direction));
  }
  bool has_child_on_axis = false;
  double farthest = 2 * kShortest * surface_.size;
  for (const Index child : next) {
    const RigJoint& other = rig_[at(child)];
    const Vec3d way = other.place - own.place;
    const bool is_on_axis = !habit || dot(*habit, normalized(way)) > kAlongAxis;
    const bool is_near = other.deforming != kNone && length(way) < kNearChild * surface_.size;
    has_child_on_axis |= is_on_axis;
    if (is_on_axis || is_near) add(other.place);
    if (habit) farthest = std::max(farthest, dot(*habit, way));
  }
  if (!has_child_on_axis) add(own.place + *habit * farthest);
}

}  // namespace

Result<BindSkeleton> bind_skeleton(const Character& character, const BindSurface& surface,
                                   std::span<const Index> nodes, const Progress& progress) {
  return without_throwing("finding the ends of bones", [&]() -> Result<BindSkeleton> {
    if (nodes.empty()) return Error{Errc::bad_rig, "there is no joint to bind to"};
    const Result<std::shared_ptr<const RayTree>> rays = rays_of(surface, progress);
    if (!rays) return rays.error();
    return Segments(character, surface, nodes, **rays).make(nodes, progress);
  });
}

}  // namespace dermis
