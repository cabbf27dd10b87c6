// SPDX-License-Identifier: MIT
// Points that follow joints which are not theirs: stray points, torn seams, wrong sides, shells far from
// their joint.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "measure/bind_bones.h"
#include "measure/check.h"
#include "measure/quality.h"
#include "measure/surface.h"

namespace dermis {
namespace {

// A joint is far from a point if its bone is further away than the nearest bone by this fraction of the size
// of everything that follows the skin ...
constexpr double kFarBone = 0.15;
// ... and this many times as far: in thick flesh several bones are equally far.
constexpr double kTimesAsFar = 2;
// A point with a larger share of its weight than this on the other side hangs between the two sides. Less
// than a half, so that rounding does not hide halves.
constexpr double kWrongShare = 0.4;
// Lighter influences pull a point by less than kVisiblePull even from the other end of the body.
constexpr float kLightest = 0.02f;

// What all meshes under one skin share.
struct SkinPlaces {
  BindBones bones;
  std::vector<Index> used;    // slots that points follow and that have a place
  std::vector<Index> mirror;  // of each slot; empty if no joint names a side
  double size = 0;
};

SkinPlaces places_of(const Character& character, const std::vector<SkinnedMesh>& shown, Index skin) {
  SkinPlaces places{BindBones(character, skin), {}, {}, 0};
  std::vector<bool> is_used(character.skins[at(skin)].node.size(), false);
  Box box;
  std::vector<Vec3> points;
  for (const SkinnedMesh& one : shown) {
    if (one.skin != skin) continue;
    const Mesh& mesh = character.meshes[at(one.mesh)];
    for (const Influence& influence : mesh.weights.influences) is_used[at(influence.slot)] = true;
    for (const Vec3& point : mesh.points) box.add(Vec3d(point));
    points.insert(points.end(), mesh.points.begin(), mesh.points.end());
  }
  for (std::size_t s = 0; s < is_used.size(); ++s) {
    const auto slot = static_cast<Index>(s);
    if (is_used[s] && places.bones.is_known(slot)) places.used.push_back(slot);
  }
  places.size = box.diagonal();
  if (!(places.size > 0) || !std::isfinite(places.size)) return places;
  const Skin& joints = character.skins[at(skin)];
  if (const auto between = plane_between_sides(character, joints, places.size))
    places.mirror = mirror_skin(character, joints, *between, places.size).mirror;
  return places;
}

// The median; `values` are reordered.
double middle_of(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

// One mesh under one skin.
class MeshPlacement {
 public:
  MeshPlacement(const Character& character, const SkinnedMesh& shown, const SkinPlaces& places,
                const Progress& progress)
      : progress_(progress),
        mesh_(character.meshes[at(shown.mesh)]),
        skin_(character.skins[at(shown.skin)]),
        index_(shown.mesh),
        places_(places),
        surface_(measured_surface(mesh_)),
        shells_(list_shells(surface_)),
        neighbours_(list_neighbours(surface_.welded.point_count(), surface_.welded.triangles)) {}

  // Appends the distance of each point from its nearest bone to `near`.
  void run(Placement& placement, std::vector<float>& near) {
    std::vector<PointPlace> points(mesh_.points.size());
    constexpr std::size_t kPlacementGrain = 256;
    parallel_for(points.size(), kPlacementGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end && !progress_.is_stopped(); ++v) points[v] = place_of(v);
    });
    if (progress_.is_stopped()) return;
    take_islands(points);
    for (std::size_t v = 0; v < points.size(); ++v) {
      if (!neighbours_of(v).empty()) near.push_back(static_cast<float>(points[v].near_distance));
      if (points[v].pull > kVisiblePull)
        count(placement.stray, v, points[v].pull, points[v].stray, points[v].near);
    }
    take_seams(placement);
    take_sides(points, placement);
    take_shells(points, placement);
  }

 private:
  // Weight on a far joint times its distance.
  struct FarPull {
    Index slot = kNone;
    double pull = 0;
  };
  // What one point follows, in fractions of the size.
  struct PointPlace {
    double pull = 0;  // see Placement
    Index stray = kNone, near = kNone;
    std::vector<FarPull> far;
    bool is_wrong_side = false;
    Index wrong = kNone, right = kNone;
    double own_distance = 0, near_distance = 0;
  };

  void count(Placement::Group& group, std::size_t v, double figure, Index slot, Index better) const {
    if (group.count++ > 0 && figure <= group.figure) return;
    group.figure = figure;
    group.mesh = index_;
    group.point = static_cast<Index>(v);
    group.node = skin_.node[at(slot)];
    group.better_node = skin_.node[at(better)];
    group.share = static_cast<double>(weight_on(mesh_.weights.row(v), slot));
  }

  static float weight_on(std::span<const Influence> row, Index slot) {
    for (const Influence& influence : row) {
      if (influence.slot == slot) return influence.weight;
    }
    return 0;
  }

  std::span<const std::uint32_t> welded_neighbours(std::size_t w) const {
    return std::span(neighbours_.points)
        .subspan(neighbours_.first[w], neighbours_.first[w + 1] - neighbours_.first[w]);
  }
  std::span<const std::uint32_t> neighbours_of(std::size_t v) const {
    return welded_neighbours(at(surface_.welded.welded[v]));
  }

  float weight_of_welded(std::uint32_t w, Index slot) const {
    return weight_on(mesh_.weights.row(at(surface_.welded.source[w])), slot);
  }
  // The most weight that a neighbour has on the slot.
  float neighbours_weight(std::size_t v, Index slot) const {
    float most = 0;
    for (const std::uint32_t w : neighbours_of(v)) most = std::max(most, weight_of_welded(w, slot));
    return most;
  }

  PointPlace place_of(std::size_t v) const {
    PointPlace place;
    if (neighbours_of(v).empty()) return place;  // in no polygon: not visible
    const Vec3d point(mesh_.points[v]);
    double wrong = 0, heaviest_stray = 0;
    const BindBones::Near near = places_.bones.nearest(point, places_.used);
    place.near = near.slot;
    place.near_distance = near.distance / places_.size;
    for (const Influence& influence : mesh_.weights.row(v)) {
      if (influence.weight < kLightest || !places_.bones.is_known(influence.slot)) continue;
      const double weight = static_cast<double>(influence.weight);
      const double d = places_.bones.distance(point, influence.slot);
      place.own_distance += weight * d / places_.size;
      if (is_far(d, near.distance)) {
        const double own =
            weight - static_cast<double>(std::min(neighbours_weight(v, influence.slot), influence.weight));
        place.pull += own * d / places_.size;
        place.far.push_back({influence.slot, weight * d / places_.size});
        if (own > heaviest_stray) heaviest_stray = own, place.stray = influence.slot;
      }
      const Index mirror = places_.mirror.empty() ? kNone : places_.mirror[at(influence.slot)];
      if (mirror == kNone || mirror == influence.slot || !places_.bones.is_known(mirror)) continue;
      if (!is_far(d, places_.bones.distance(point, mirror))) continue;
      if (wrong == 0) place.wrong = influence.slot, place.right = mirror;
      wrong += weight;
    }
    place.is_wrong_side = wrong > kWrongShare;
    return place;
  }

  bool is_far(double distance, double nearer) const {
    return distance - nearer > kFarBone * places_.size && distance > kTimesAsFar * nearer;
  }

  // A point that follows a far joint, by `pull`.
  struct FarPoint {
    Index slot;
    std::uint32_t welded;
    std::size_t point;
    double pull;
  };
  // Points that follow a far joint, where the points around them do not follow it at all: the weight of a
  // joint spreads from its bone, and an island elsewhere belongs to another joint. Whole shells are judged
  // by themselves. The pull of such points is that of all of this weight.
  void take_islands(std::vector<PointPlace>& points) const {
    std::vector<FarPoint> far;
    for (std::size_t v = 0; v < points.size(); ++v) {
      for (const FarPull& one : points[v].far)
        far.push_back({one.slot, static_cast<std::uint32_t>(surface_.welded.welded[v]), v, one.pull});
    }
    std::stable_sort(far.begin(), far.end(),
                     [](const FarPoint& a, const FarPoint& b) { return a.slot < b.slot; });
    std::vector<std::size_t> shell_sizes(shells_.count, 0);  // in welded points
    for (const std::uint32_t shell : shells_.of_point) ++shell_sizes[shell];
    for (std::size_t begin = 0, end = 0; begin < far.size(); begin = end) {
      while (end < far.size() && far[end].slot == far[begin].slot) ++end;
      take_islands_of(std::span(far).subspan(begin, end - begin), shell_sizes, points);
    }
  }
  // Of one joint.
  void take_islands_of(std::span<const FarPoint> far, const std::vector<std::size_t>& shell_sizes,
                       std::vector<PointPlace>& points) const {
    struct Island {
      std::size_t point_count = 0;
      bool is_attached = false;  // to points that follow the joint and are near it
    };
    constexpr std::size_t kUnseen = SIZE_MAX;
    std::vector<Island> islands;
    std::unordered_map<std::uint32_t, std::size_t> island_of;  // welded points
    for (const FarPoint& one : far) island_of[one.welded] = kUnseen;
    for (const FarPoint& one : far) {
      if (island_of[one.welded] != kUnseen) continue;
      Island& island = islands.emplace_back();
      island_of[one.welded] = islands.size() - 1;
      for (std::vector<std::uint32_t> open{one.welded}; !open.empty(); ++island.point_count) {
        const std::uint32_t w = open.back();
        open.pop_back();
        for (const std::uint32_t next : welded_neighbours(w)) {
          const auto found = island_of.find(next);
          if (found == island_of.end()) {
            island.is_attached = island.is_attached || weight_of_welded(next, one.slot) > 0;
          } else if (found->second == kUnseen) {
            found->second = islands.size() - 1;
            open.push_back(next);
          }
        }
      }
    }
    for (const FarPoint& one : far) {
      const Island& island = islands[island_of[one.welded]];
      const bool is_shell = island.point_count == shell_sizes[shells_.of_point[one.welded]];
      PointPlace& place = points[one.point];
      if (!island.is_attached && !is_shell && one.pull > place.pull)
        place.pull = one.pull, place.stray = one.slot;
    }
  }

  std::size_t shell_of(std::size_t v) const { return shells_.of_point[at(surface_.welded.welded[v])]; }

  struct Shell {
    std::size_t point_count = 0, wrong_count = 0;
    Index slot = kNone;  // that all its points follow alone
    bool is_rigid = true;
    double own = 0, near = 0;  // sums of distances
    std::size_t first = 0;
  };
  std::vector<Shell> shells_of(const std::vector<PointPlace>& points) const {
    std::vector<Shell> shells(shells_.count);
    for (std::size_t v = 0; v < points.size(); ++v) {
      if (neighbours_of(v).empty()) continue;
      Shell& shell = shells[shell_of(v)];
      const auto row = mesh_.weights.row(v);
      if (shell.point_count++ == 0) shell.slot = row[0].slot, shell.first = v;
      shell.is_rigid = shell.is_rigid && row.size() == 1 && row[0].slot == shell.slot;
      shell.wrong_count += points[v].is_wrong_side ? 1 : 0;
      shell.own += points[v].own_distance;
      shell.near += points[v].near_distance;
    }
    return shells;
  }

  void take_seams(Placement& placement) const {
    const EdgeList edges = list_edges(mesh_.points.size(), mesh_.polygons.first, surface_corners(mesh_));
    for (const std::vector<Index>& group : seam_groups(mesh_, edges)) {
      for (const Index v : group) take_seam_point(at(v), at(group[0]), placement);
    }
  }
  void take_seam_point(std::size_t v, std::size_t other, Placement& placement) const {
    const Vec3d point(mesh_.points[v]);
    double most = 0;
    Index slot = kNone;
    for (const std::size_t side : {v, other}) {
      for (const Influence& influence : mesh_.weights.row(side)) {
        if (!places_.bones.is_known(influence.slot)) continue;
        const double difference =
            static_cast<double>(std::abs(weight_on(mesh_.weights.row(v), influence.slot) -
                                         weight_on(mesh_.weights.row(other), influence.slot)));
        const double opening = difference * places_.bones.distance(point, influence.slot) / places_.size;
        if (opening > most) most = opening, slot = influence.slot;
      }
    }
    if (most > kVisiblePull) count(placement.torn_seam, v, most, slot, mesh_.weights.row(other)[0].slot);
  }

  // A rigid piece that reaches over to the other side (a rifle) may follow either hand.
  void take_sides(const std::vector<PointPlace>& points, Placement& placement) {
    const std::vector<Shell> shells = shells_of(points);
    for (std::size_t v = 0; v < points.size(); ++v) {
      if (!points[v].is_wrong_side) continue;
      const Shell& shell = shells[shell_of(v)];
      if (shell.is_rigid && 2 * shell.wrong_count <= shell.point_count) continue;
      count(placement.wrong_side, v, points[v].own_distance, points[v].wrong, points[v].right);
    }
  }

  void take_shells(const std::vector<PointPlace>& points, Placement& placement) {
    for (const Shell& shell : shells_of(points)) {
      const double own = shell.own / static_cast<double>(shell.point_count);
      const double near = shell.near / static_cast<double>(shell.point_count);
      if (shell.point_count == 0 || !is_far(own * places_.size, near * places_.size)) continue;
      count(placement.far_shell, shell.first, own, mesh_.weights.row(shell.first)[0].slot,
            points[shell.first].near);
    }
  }

  const Progress& progress_;
  const Mesh& mesh_;
  const Skin& skin_;
  Index index_;
  const SkinPlaces& places_;
  MeasuredSurface surface_;
  ShellList shells_;
  NeighbourList neighbours_;
};

}  // namespace

Placement measure_placement(const Character& character, const std::vector<SkinnedMesh>& shown,
                            const Progress& progress) {
  Placement placement;
  std::map<Index, SkinPlaces> places;
  std::map<Index, std::vector<float>> near;  // of each skin
  for (const SkinnedMesh& one : shown) {
    auto known = places.find(one.skin);
    if (known == places.end()) known = places.emplace(one.skin, places_of(character, shown, one.skin)).first;
    const SkinPlaces& skin = known->second;
    if (skin.used.size() < 2 || !(skin.size > 0) || !std::isfinite(skin.size)) continue;
    if (progress.is_stopped()) break;
    MeshPlacement(character, one, skin, progress).run(placement, near[one.skin]);
  }
  std::vector<float> all;
  double furthest = 0;
  for (auto& [skin, some] : near) {
    if (some.empty()) continue;
    all.insert(all.end(), some.begin(), some.end());
    const double middle = middle_of(some);
    if (placement.far_skin == kNone || middle > furthest) furthest = middle, placement.far_skin = skin;
  }
  if (!all.empty()) placement.bone_distance = middle_of(all);
  return placement;
}

}  // namespace dermis
