// SPDX-License-Identifier: MIT
// How deep limbs pass through other parts of the body while it moves.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "measure/surface.h"

namespace dermis {
namespace {

using enum JointRole;

// Clips are looked at this often, at least and at most.
constexpr double kMomentsPerSecond = 15;
constexpr std::size_t kMostMoments = 240;
// Of these, the surface is looked at where bones come closest: at no more moments than this, and at fewer if
// together they show more triangles than this.
constexpr std::size_t kMostLooks = 24, kFewestLooks = 4;
constexpr std::size_t kTrianglesSeen = 2'000'000;
// Where the surface of a part winds around a place more than half, the place is inside it.
constexpr double kInside = 0.5;
// Places along the axis of a limb that are looked at.
constexpr std::size_t kAxisSteps = 8;

// A limb or the trunk: its axis, and the triangles that move mostly with it.
struct BodyPart {
  JointRole role = hips;
  Index joint = kNone;
  Index next = kNone;                            // the joint that the axis reaches to; kNone: `tip`
  Vec3d tip;                                     // in the frame of the joint
  double reach = 0;                              // of its points from the axis at rest, at most
  std::vector<SurfaceMesh::Triangle> triangles;  // of the points of the whole body
};
struct Axis {
  Vec3d from, to;
};

bool is_left(JointRole role) { return role >= shoulder_l && role <= toe_l; }
bool is_right(JointRole role) { return role >= shoulder_r; }
// Roles of the right follow those of the left in the same order.
constexpr int kRightFromLeft = static_cast<int>(shoulder_r) - static_cast<int>(shoulder_l);
JointRole shifted(JointRole role, int by) { return static_cast<JointRole>(static_cast<int>(role) + by); }
JointRole as_left(JointRole role) { return is_right(role) ? shifted(role, -kRightFromLeft) : role; }

// Parts that should not pass through each other: the outer half of an arm and everything but its own upper
// half; shins and feet and the other leg.
bool are_apart(JointRole a, JointRole b) {
  const bool is_one_side = (is_left(a) && is_left(b)) || (is_right(a) && is_right(b));
  const auto is_lower_arm = [](JointRole role) {
    return as_left(role) == forearm_l || as_left(role) == hand_l;
  };
  const auto is_arm = [&](JointRole role) { return is_lower_arm(role) || as_left(role) == upper_arm_l; };
  const auto is_lower_leg = [](JointRole role) { return as_left(role) == shin_l || as_left(role) == foot_l; };
  const auto is_leg = [&](JointRole role) { return is_lower_leg(role) || as_left(role) == thigh_l; };
  if (is_lower_arm(a)) return !(is_arm(b) && is_one_side);
  return is_lower_leg(a) && is_leg(b) && !is_one_side;
}

// The parts of a skinned body, and its surface in any pose.
class PartedBody {
 public:
  static Result<PartedBody> make(const Character& character, const RoleMap& roles) {
    PartedBody body(character, roles);
    Result<Deformer> deformer = prepare_deformer(character, {});
    if (!deformer) return deformer.error();
    body.deformer_.emplace(std::move(*deformer));
    const Result<PoseFrame> rest = pose_frame(character, {});
    if (!rest) return rest.error();
    if (Status posed = body.pose_points(*rest); !posed) return posed.error();
    body.share_triangles();
    body.measure_parts();
    return body;
  }

  const std::vector<BodyPart>& parts() const { return parts_; }
  const std::vector<Affined>& rest() const { return rest_; }
  std::size_t triangle_count() const { return triangle_count_; }
  Axis axis(const BodyPart& part, const std::vector<Affined>& world) const {
    return {world[at(part.joint)].translation,
            part.next != kNone ? world[at(part.next)].translation : world[at(part.joint)] * part.tip};
  }

  // Moves the surface; depth() is then about this pose.
  Status pose_points(const PoseFrame& frame) {
    points_.clear();
    trees_.clear();
    for (Shown& one : shown_) {
      if (Status posed = pose_surface(*deformer_, frame, one.instance, one.state, one.posed); !posed)
        return posed;
      const std::vector<Vec3> welded = welded_points(one.surface, one.posed.points);
      points_.insert(points_.end(), welded.begin(), welded.end());
    }
    return Done{};
  }
  // How deep the axis of a part is inside the surface of another.
  double depth(const Axis& axis, std::size_t other) {
    const std::vector<SurfaceMesh::Triangle>& triangles = parts_[other].triangles;
    if (triangles.empty()) return 0;
    auto tree = trees_.find(other);
    if (tree == trees_.end())
      tree = trees_.emplace(other, Trees{winding_tree(points_, triangles), triangle_tree(points_, triangles)})
                 .first;
    double deepest = 0;
    for (std::size_t k = 0; k <= kAxisSteps; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(kAxisSteps);
      const Vec3d place = lerp(axis.from, axis.to, share);
      if (std::abs(winding_number(tree->second.winding, place)) < kInside) continue;
      deepest = std::max(deepest, closest_point(tree->second.boxes, points_, triangles, place).distance);
    }
    return deepest;
  }

 private:
  struct Shown {
    Index instance = kNone, mesh = kNone, skin = kNone;
    MeasuredSurface surface;
    DeformState state;
    Surface posed;
  };
  struct Trees {
    WindingTree winding;
    TriangleTree boxes;
  };

  PartedBody(const Character& character, const RoleMap& roles)
      : character_(&character), rest_(rest_world(character)) {
    constexpr std::array<std::pair<JointRole, JointRole>, 6> kLimbs{{{upper_arm_l, forearm_l},
                                                                     {forearm_l, hand_l},
                                                                     {hand_l, hand_l},
                                                                     {thigh_l, shin_l},
                                                                     {shin_l, foot_l},
                                                                     {foot_l, foot_l}}};
    add(roles, hips, roles.of(neck).empty() ? head : neck);
    add(roles, head, head);
    for (const int side : {0, kRightFromLeft}) {
      for (const auto& [own, next] : kLimbs) add(roles, shifted(own, side), shifted(next, side));
    }
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      const Instance& instance = character.instances[i];
      if (!instance.in_scene || instance.skin == kNone) continue;
      shown_.push_back({static_cast<Index>(i),
                        instance.mesh,
                        instance.skin,
                        measured_surface(character.meshes[at(instance.mesh)]),
                        {},
                        {}});
    }
  }
  void add(const RoleMap& roles, JointRole role, JointRole next) {
    if (roles.first(role) == kNone) return;
    parts_.push_back({role, roles.first(role), next == role ? kNone : roles.first(next), {}, 0, {}});
  }

  // Each triangle belongs to the part that moves most of its corners; ties: the first corner's.
  void share_triangles() {
    std::vector<Index> tops;
    for (const BodyPart& part : parts_) tops.push_back(part.joint);
    const std::vector<Index> part_of = nearest_tops(*character_, tops);
    std::uint32_t base = 0;
    for (const Shown& one : shown_) {
      const Mesh& mesh = character_->meshes[at(one.mesh)];
      const Skin& skin = character_->skins[at(one.skin)];
      const auto part = [&](std::uint32_t v) {
        const auto point = static_cast<std::size_t>(one.surface.welded.source[v]);
        return part_of[at(skin.node[at(mesh.weights.row(point).front().slot)])];
      };
      for (SurfaceMesh::Triangle t : one.surface.welded.triangles) {
        const Index a = part(t[0]), b = part(t[1]), c = part(t[2]);
        const Index own = b == c ? b : a;
        for (std::uint32_t& v : t) v += base;
        ++triangle_count_;
        if (own != kNone) parts_[at(own)].triangles.push_back(t);
      }
      base += static_cast<std::uint32_t>(one.surface.welded.source.size());
    }
  }

  // Tips are the middle of what a joint moves.
  void measure_parts() {
    for (BodyPart& part : parts_) {
      if (part.triangles.empty()) continue;
      if (part.next == kNone) {
        Vec3d middle;
        const double share = 1.0 / static_cast<double>(3 * part.triangles.size());
        for (const SurfaceMesh::Triangle& t : part.triangles) {
          for (const std::uint32_t v : t) middle += Vec3d(points_[v]) * share;
        }
        part.tip = inverse(rest_[at(part.joint)]) * middle;
      }
      const Axis own = axis(part, rest_);
      for (const SurfaceMesh::Triangle& t : part.triangles) {
        for (const std::uint32_t v : t)
          part.reach = std::max(part.reach, distance_to_segment(Vec3d(points_[v]), own.from, own.to));
      }
    }
  }

  const Character* character_;
  std::vector<Affined> rest_;
  std::vector<BodyPart> parts_;
  std::vector<Shown> shown_;
  std::optional<Deformer> deformer_;
  std::vector<Vec3> points_;            // of all meshes, in the pose
  std::map<std::size_t, Trees> trees_;  // of the parts that were asked about, in the pose
  std::size_t triangle_count_ = 0;
};

// A moment of a clip at which parts may cross.
struct CloseMoment {
  double time = 0;
  double nearness = 0;  // how deep an axis is within the reach of another part, as a fraction of that reach
};

}  // namespace

Result<LimbCrossing> measure_crossing(const Character& character, Index clip, const Progress& progress) {
  return without_throwing("measuring limbs", [&]() -> Result<LimbCrossing> {
    LimbCrossing worst;
    const Result<MappedJoints> mapped = map_joints(character, progress.part(0, 0));
    if (!mapped && mapped.error().code == Errc::cancelled) return mapped.error();
    if (!mapped) return worst;
    Result<PartedBody> body = PartedBody::make(character, mapped->roles);
    if (!body) return body.error();
    const std::vector<BodyPart>& parts = body->parts();
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::vector<double> usual;  // the depth at rest of each pair
    Box box;
    for (std::size_t a = 0; a < parts.size(); ++a) {
      const Axis own = body->axis(parts[a], body->rest());
      box.add(own.from), box.add(own.to);
      for (std::size_t b = 0; b < parts.size(); ++b) {
        if (!are_apart(parts[a].role, parts[b].role) || parts[a].triangles.empty()) continue;
        pairs.emplace_back(a, b);
        usual.push_back(body->depth(own, b));
      }
    }
    if (pairs.empty() || !(box.diagonal() > 0)) return worst;
    const Vec3d sides = box.upper - box.lower;
    const double size = std::max({sides.x, sides.y, sides.z});
    const Result<Poser> poser = prepare_poser(character);
    if (!poser) return poser.error();
    PoseFrame frame;
    const auto nearness = [&](std::size_t a, std::size_t b) {
      const Axis one = body->axis(parts[a], frame.world_from_node);
      const Axis other = body->axis(parts[b], frame.world_from_node);
      return 1 - distance_of_segments(one.from, one.to, other.from, other.to) / parts[b].reach;
    };
    const Clip& keys = character.clips[at(clip)];
    const double start = double{keys.start()}, seconds = double{keys.end()} - start;
    const auto count =
        std::clamp(static_cast<std::size_t>(seconds * kMomentsPerSecond), std::size_t{1}, kMostMoments);
    std::vector<CloseMoment> moments;
    for (std::size_t k = 0; k <= count; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(count);
      if (Status going = progress.at("measuring limbs", share / 2); !going) return going.error();
      CloseMoment moment{start + seconds * share, 0};
      if (Status posed = pose(*poser, {clip, moment.time, nullptr}, frame); !posed) return posed.error();
      for (const auto& [a, b] : pairs)
        if (parts[b].reach > 0) moment.nearness = std::max(moment.nearness, nearness(a, b));
      if (moment.nearness > 0) moments.push_back(moment);
    }
    std::stable_sort(moments.begin(), moments.end(),
                     [](const CloseMoment& a, const CloseMoment& b) { return a.nearness > b.nearness; });
    const std::size_t looks = std::clamp(kTrianglesSeen / std::max<std::size_t>(body->triangle_count(), 1),
                                         kFewestLooks, kMostLooks);
    moments.resize(std::min(moments.size(), looks));
    for (std::size_t k = 0; k < moments.size(); ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(moments.size());
      if (Status going = progress.at("measuring limbs", (1 + share) / 2); !going) return going.error();
      if (Status posed = pose(*poser, {clip, moments[k].time, nullptr}, frame); !posed) return posed.error();
      if (Status posed = body->pose_points(frame); !posed) return posed.error();
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        const auto& [a, b] = pairs[p];
        if (!(parts[b].reach > 0) || nearness(a, b) <= 0) continue;
        const double own = (body->depth(body->axis(parts[a], frame.world_from_node), b) - usual[p]) / size;
        if (own > worst.depth) worst = {own, parts[a].joint, parts[b].joint, moments[k].time};
      }
    }
    return worst;
  });
}

}  // namespace dermis
