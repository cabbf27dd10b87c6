// SPDX-License-Identifier: MIT
// Shells that artists keep rigid: plates, eyes, buttons, glasses and ball joints follow one joint each.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "bind/places.h"

namespace dermis {
namespace {

// A shell is rigid if one joint holds this share of its area: always; if no place between two of its joints
// is inside it, around which it would bend; and if it is small, round and closed, as eyes and buttons are.
constexpr double kHeld = 0.7;
constexpr double kHeldOffPivots = 0.6;
constexpr double kHeldIfRound = 0.5;
// Joints that hold less do not bend a shell, and do not show which branches share it.
constexpr double kBends = 0.05;
constexpr double kShares = 0.1;
// A shell with more of the body's area than this is the body.
constexpr double kBodyArea = 0.5;
// Diagonals, as fractions of the size of the body: of small shells, and of the largest that several branches
// share without bending it.
constexpr double kSmall = 0.15;
constexpr double kLargestShared = 0.3;
// The shortest side of the box divided by the longest: of round shells, and of balls.
constexpr double kRound = 0.5;
constexpr double kBall = 0.8;
// How far the middle of a ball may be from its pivot, in longest sides.
constexpr double kCentred = 0.15;
// Open shells hardly wind around what is inside; bodies of several shells do.
constexpr double kInsideShell = 0.25;
constexpr double kInsideBody = 0.5;
// Points nearer to another shell than this fraction of their own shell's diagonal touch it.
constexpr double kTouching = 0.05;
// Places of a segment that are tested for being inside a shell.
constexpr int kSegmentPlaces = 16;
// Shells between two looks for a stop.
constexpr std::size_t kShellsAtOnce = 256;

using Shares = std::map<Index, double>;  // by joint; sum one
Shares::const_iterator heaviest(const Shares& shares) {
  return std::max_element(shares.begin(), shares.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
}

// One shell of a surface.
struct Shell {
  std::vector<std::uint32_t> points;
  std::vector<SurfaceMesh::Triangle> triangles;
  Shares share;  // of its area
  Box box;
  double area = 0;
  bool is_closed = true;

  bool is_around(const Vec3d& place) const {
    return place.x >= box.lower.x && place.y >= box.lower.y && place.z >= box.lower.z &&
           place.x <= box.upper.x && place.y <= box.upper.y && place.z <= box.upper.z;
  }
  double longest_side() const { return std::max({sides().x, sides().y, sides().z}); }
  // 1: as deep as wide and high; 0: flat.
  double roundness() const { return std::min({sides().x, sides().y, sides().z}) / longest_side(); }

 private:
  Vec3d sides() const { return box.upper - box.lower; }
};

std::vector<Shell> list_shells(const BindSurface& surface, const WeightRows& rows,
                               std::span<const double> areas) {
  std::vector<Shell> shells(surface.shell_count);
  for (std::uint32_t v = 0; v < surface.points.size(); ++v) {
    Shell& shell = shells[surface.shell[v]];
    shell.points.push_back(v);
    shell.box.add(Vec3d(surface.points[v]));
    shell.area += areas[v];
    for (const Influence& influence : rows.row(v))
      shell.share[influence.slot] += areas[v] * double{influence.weight};
  }
  for (Shell& shell : shells) {
    for (auto& [joint, share] : shell.share) share /= shell.area > 0 ? shell.area : 1;
  }
  std::vector<std::uint32_t> first{0};
  std::vector<std::int32_t> corners;
  corners.reserve(3 * surface.triangles.size());
  for (const SurfaceMesh::Triangle& t : surface.triangles) {
    shells[surface.shell[t[0]]].triangles.push_back(t);
    for (const std::uint32_t v : t) corners.push_back(static_cast<std::int32_t>(v));
    first.push_back(static_cast<std::uint32_t>(corners.size()));
  }
  const EdgeList edges = list_edges(surface.points.size(), first, corners);
  for (std::size_t e = 0; e < edges.count(); ++e) {
    const std::uint32_t triangle = edges.edge(e)[0].polygon;
    if (edges.edge(e).size() != 2) shells[surface.shell[surface.triangles[triangle][0]]].is_closed = false;
  }
  return shells;
}

// The shells that hold as much of some bone as any other does. What the others are fixed to decides what they
// follow, not which bone happens to be near.
class Carriers {
 public:
  Carriers(const BindSurface& surface, const BindSkeleton& skeleton, const WeightRows& rows,
           std::span<const double> areas, std::span<const Shell> shells, const Progress& progress)
      : surface_(surface), rows_(rows), areas_(areas), holds_bone_(shells.size()) {
    std::vector<Places> inside(shells.size());
    for (std::size_t s = 0; s < shells.size(); ++s) {
      if (progress.is_stopped()) return;  // the caller says so
      inside[s] = places_inside(skeleton, shells[s]);
    }
    Places most(skeleton.segments.size(), 0);
    for (const Places& counts : inside) {
      for (std::size_t k = 0; k < most.size(); ++k) most[k] = std::max(most[k], counts[k]);
    }
    for (std::size_t s = 0; s < shells.size(); ++s) {
      for (std::size_t k = 0; k < most.size(); ++k)
        if (most[k] > 0 && inside[s][k] == most[k]) holds_bone_[s] = true;
      if (holds_bone_[s])
        triangles_.insert(triangles_.end(), shells[s].triangles.begin(), shells[s].triangles.end());
    }
    tree_ = triangle_tree(surface.points, triangles_);
    winding_ = winding_tree(surface.points, triangles_);
  }

  // The weights of what a shell without a bone touches; its own if it holds a bone, touches nothing, or
  // agrees.
  Shares shares_of(std::size_t number, const Shell& shell) const {
    if (holds_bone_[number] || triangles_.empty()) return shell.share;
    Shares shares;
    double touching = 0;
    for (const std::uint32_t v : shell.points) {
      const Vec3d place(surface_.points[v]);
      const ClosestPoint closest = closest_point(tree_, surface_.points, triangles_, place);
      if (closest.distance > kTouching * shell.box.diagonal() &&
          std::abs(winding_number(winding_, place)) < kInsideBody)
        continue;
      touching += areas_[v];
      for (std::size_t c = 0; c < 3; ++c) {
        for (const Influence& influence : rows_.row(triangles_[at(closest.triangle)][c]))
          shares[influence.slot] += areas_[v] * closest.shares[c] * double{influence.weight};
      }
    }
    if (!(touching > 0)) return shell.share;
    for (auto& [joint, share] : shares) share /= touching;
    const auto own = heaviest(shell.share), there = heaviest(shares);
    return own->first == there->first && own->second > there->second ? shell.share : shares;
  }

 private:
  // How many places of each segment are inside a shell.
  using Places = std::vector<int>;
  Places places_inside(const BindSkeleton& skeleton, const Shell& shell) const {
    Places counts(skeleton.segments.size(), 0);
    std::optional<WindingTree> winding;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const JointSegment& segment = skeleton.segments[k];
      for (int step = 0; step <= kSegmentPlaces; ++step) {
        const Vec3d place = segment.from + (segment.to - segment.from) * (double(step) / kSegmentPlaces);
        if (!shell.is_around(place)) continue;
        if (!winding) winding = winding_tree(surface_.points, shell.triangles);
        counts[k] += std::abs(winding_number(*winding, place)) > kInsideShell ? 1 : 0;
      }
    }
    return counts;
  }

  const BindSurface& surface_;
  const WeightRows& rows_;
  std::span<const double> areas_;
  std::vector<bool> holds_bone_;
  std::vector<SurfaceMesh::Triangle> triangles_;  // of all that hold a bone
  TriangleTree tree_;
  WindingTree winding_;
};

class StiffShellFinder {
 public:
  StiffShellFinder(const BindSurface& surface, const BindSkeleton& skeleton)
      : surface_(surface), skeleton_(skeleton), places_(skeleton.joint_count()) {
    for (auto segment = skeleton.segments.rbegin(); segment != skeleton.segments.rend(); ++segment)
      places_[at(segment->joint)] = segment->from;
  }

  // The joint that a shell follows as a whole; kNone: it bends.
  Index leader_of(const Shell& shell) const {
    if (const Index pivot = centred_pivot(shell); pivot != kNone) return pivot;
    const auto [joint, share] = *heaviest(shell.share);
    if (share >= kHeld) return joint;
    const bool is_round =
        shell.is_closed && shell.roundness() > kRound && shell.box.diagonal() < kSmall * surface_.size;
    if (is_round && share >= kHeldIfRound) return joint;
    const WindingTree winding = winding_tree(surface_.points, shell.triangles);
    if (share >= kHeldOffPivots && !holds_pivot(shell, winding, joint)) return joint;
    return shell.is_closed && shell.box.diagonal() < kLargestShared * surface_.size
               ? meeting_joint(shell, winding)
               : kNone;
  }

 private:
  static bool is_inside(const WindingTree& winding, const Vec3d& place) {
    return std::abs(winding_number(winding, place)) > kInsideShell;
  }

  // A ball around a joint turns with it.
  Index centred_pivot(const Shell& shell) const {
    if (!shell.is_closed || shell.roundness() < kBall) return kNone;
    const Vec3d middle = (shell.box.lower + shell.box.upper) * 0.5;
    for (const auto& [joint, share] : shell.share) {
      const bool is_centred = length(places_[at(joint)] - middle) < kCentred * shell.longest_side();
      if (is_centred && skeleton_.parent[at(joint)] != kNone) return joint;
    }
    return kNone;
  }

  // Whether the place between the heaviest joint and another is inside, so that the shell would bend there.
  bool holds_pivot(const Shell& shell, const WindingTree& winding, Index heaviest) const {
    return std::any_of(shell.share.begin(), shell.share.end(), [&](const auto& held) {
      const auto& [joint, share] = held;
      const bool is_child = skeleton_.parent[at(joint)] == heaviest;
      if (share < kBends || (!is_child && skeleton_.parent[at(heaviest)] != joint)) return false;
      return is_inside(winding, places_[at(is_child ? joint : heaviest)]);
    });
  }

  // The joint at which branches meet that share a shell without reaching through it: a chest plate between
  // two arms, a palm between fingers. Those that end inside bend it, as fingers do a glove.
  Index meeting_joint(const Shell& shell, const WindingTree& winding) const {
    std::vector<Index> sharing;
    for (const auto& [joint, share] : shell.share) {
      if (share >= kShares) sharing.push_back(joint);
    }
    if (sharing.empty()) return kNone;
    Index meeting = sharing[0];
    for (const Index joint : sharing) {
      while (meeting != kNone && !is_below(joint, meeting)) meeting = skeleton_.parent[at(meeting)];
    }
    if (meeting == kNone) return kNone;
    std::map<Index, double> branches;
    for (const Index joint : sharing) {
      if (joint != meeting) branches[branch_below(meeting, joint)] += shell.share.at(joint);
    }
    const bool is_one_sided = std::any_of(branches.begin(), branches.end(),
                                          [](const auto& branch) { return branch.second > kHeldIfRound; });
    if (branches.size() < 2 || is_one_sided) return kNone;
    const bool is_bent =
        std::any_of(skeleton_.segments.begin(), skeleton_.segments.end(), [&](const JointSegment& segment) {
          return segment.joint != meeting &&
                 std::binary_search(sharing.begin(), sharing.end(), segment.joint) &&
                 is_inside(winding, segment.to);
        });
    return is_bent ? kNone : meeting;
  }

  bool is_below(Index joint, Index above) const {
    while (joint != kNone && joint != above) joint = skeleton_.parent[at(joint)];
    return joint == above;
  }

  // The child of `above` that `joint` is, or hangs from.
  Index branch_below(Index above, Index joint) const {
    while (skeleton_.parent[at(joint)] != above) joint = skeleton_.parent[at(joint)];
    return joint;
  }

  const BindSurface& surface_;
  const BindSkeleton& skeleton_;
  std::vector<Vec3d> places_;  // of the joints
};

}  // namespace

Result<std::vector<StiffShell>> find_stiff_shells(const BindSurface& surface, const BindSkeleton& skeleton,
                                                  const WeightRows& rows,
                                                  std::span<const std::uint32_t> whole,
                                                  const Progress& progress) {
  return without_throwing("finding rigid shells", [&]() -> Result<std::vector<StiffShell>> {
    std::vector<StiffShell> stiff;
    if (surface.shell_count < 2) return stiff;
    const std::vector<double> areas = point_areas(surface.points, surface.triangles);
    std::vector<Shell> shells = list_shells(surface, rows, areas);
    double area = 0;
    for (const Shell& shell : shells) area += shell.area;
    const Carriers carriers(surface, skeleton, rows, areas, shells, progress);
    const StiffShellFinder finder(surface, skeleton);
    for (std::uint32_t s = 0; s < shells.size(); ++s) {
      if (s % kShellsAtOnce == 0) {
        if (const Status go = progress.at("finding rigid shells", 1); !go) return go.error();
      }
      const bool is_whole = std::find(whole.begin(), whole.end(), s) != whole.end();
      if (!(shells[s].area > 0) || (shells[s].area > kBodyArea * area && !is_whole)) continue;
      shells[s].share = carriers.shares_of(s, shells[s]);
      const Index leader = is_whole ? heaviest(shells[s].share)->first : finder.leader_of(shells[s]);
      if (leader != kNone) stiff.push_back({s, leader});
    }
    return stiff;
  });
}

WeightRows stiffened(const BindSurface& surface, const WeightRows& rows, std::span<const StiffShell> stiff) {
  std::vector<Index> leader(surface.shell_count, kNone);
  for (const StiffShell& one : stiff) leader[one.shell] = one.joint;
  WeightRowBuilder builder;
  builder.reserve(surface.points.size(), rows.influences.size());
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    const Index joint = leader[surface.shell[v]];
    if (joint != kNone) {
      builder.add(joint, 1);
    } else {
      for (const Influence& influence : rows.row(v)) builder.add(influence.slot, influence.weight);
    }
    builder.close_row(1);
  }
  return builder.take();
}

}  // namespace dermis
