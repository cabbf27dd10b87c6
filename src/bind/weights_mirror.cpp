// SPDX-License-Identifier: MIT
// Gives one side of a mesh the weights of the other: points paired by position and along edges.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>

#include "bind/places.h"
#include "bind/weights_rows.h"

namespace dermis {
namespace {

// As fractions of the size of the skin: distances at which a point surely is the image of another, at which
// it may be if nothing else is known, and beyond which a walk along the edges has gone astray.
constexpr double kSure = 1e-3, kLikely = 1e-2, kAstray = 0.1;
// Mirrored points are floats again: beyond this they might not be finite.
constexpr double kHuge = 1e30;

// A mesh of the character, with its transform to the skin in question and its joints there.
struct SeenMesh {
  Index mesh = kNone;
  Affined skin_from_bind;   // from its bind space
  std::vector<Index> slot;  // in that skin, for each slot of its own; kNone: it does not name the joint
};

// A mesh under another skin as seen by `skin`, through joints that both name; no slots if there are none.
SeenMesh seen_from(const Character& character, Index skin, const Instance& instance) {
  const Skin &own = character.skins[at(skin)], &other = character.skins[at(instance.skin)];
  SeenMesh seen{instance.mesh, {}, std::vector<Index>(other.node.size(), kNone)};
  bool is_placed = false;
  for (std::size_t s = 0; s < other.node.size(); ++s) {
    if (instance.skin == skin) {
      seen.slot[s] = static_cast<Index>(s);
      continue;
    }
    const auto found = std::find(own.node.begin(), own.node.end(), other.node[s]);
    if (found == own.node.end()) continue;
    const auto slot = static_cast<std::size_t>(found - own.node.begin());
    seen.slot[s] = static_cast<Index>(slot);
    if (is_placed) continue;
    seen.skin_from_bind = inverse(Affined(own.inverse_bind[slot])) * Affined(other.inverse_bind[s]);
    is_placed = true;
  }
  const bool is_seen = instance.skin == skin || (is_placed && is_finite(seen.skin_from_bind));
  if (!is_seen) seen.slot.clear();
  return seen;
}

// All meshes of the scene that the skin sees.
std::vector<SeenMesh> meshes_seen_from(const Character& character, Index skin) {
  std::vector<SeenMesh> seen;
  std::vector<bool> is_taken(character.meshes.size(), false);
  // Those under the skin itself first: a mesh under several skins counts as under this one.
  for (const bool is_own : {true, false}) {
    for (const Instance& instance : character.instances) {
      if (instance.skin == kNone || (instance.skin == skin) != is_own || is_taken[at(instance.mesh)] ||
          !(instance.in_scene || is_own) || character.meshes[at(instance.mesh)].weights.empty())
        continue;
      SeenMesh one = seen_from(character, skin, instance);
      if (one.slot.empty()) continue;
      is_taken[at(instance.mesh)] = true;
      seen.push_back(std::move(one));
    }
  }
  return seen;
}

// The points of all these meshes in the space of the skin, and where each came from.
struct SeenPoints {
  std::vector<Vec3> places;
  std::vector<std::size_t> mesh;   // in the list of seen meshes
  std::vector<std::size_t> point;  // in that mesh
};
SeenPoints points_of(const Character& character, std::span<const SeenMesh> seen) {
  SeenPoints all;
  for (std::size_t m = 0; m < seen.size(); ++m) {
    const std::vector<Vec3>& points = character.meshes[at(seen[m].mesh)].points;
    for (std::size_t v = 0; v < points.size(); ++v) {
      const Vec3 place(seen[m].skin_from_bind * Vec3d(points[v]));
      all.places.push_back(is_finite(place) ? place : Vec3{});
      all.mesh.push_back(m);
      all.point.push_back(v);
    }
  }
  return all;
}

// Which welded point is the mirror image of which.
class PointPairs {
 public:
  PointPairs(std::span<const Vec3> points, std::span<const std::uint32_t> first, std::vector<Index> corners,
             const MirrorPlane& plane, double size)
      : points_(points), first_(first), corners_(std::move(corners)), plane_(plane), size_(size) {
    pair_.assign(points.size(), kNone);
    std::vector<Vec3> images;
    images.reserve(points.size());
    for (const Vec3& p : points) images.push_back(Vec3(plane.mirrored(Vec3d(p))));
    nearest_ = nearest_points(images, points);
    for (std::size_t v = 0; v < points.size(); ++v) {
      const std::size_t other = nearest_[v].point;
      if (nearest_[v].distance <= kSure * size && nearest_[other].point == v)
        pair_[v] = static_cast<Index>(other);
    }
    walk();
  }

  // The point whose row belongs here, or kNone.
  Index source(std::size_t v) const {
    if (pair_[v] != kNone) return pair_[v];
    return nearest_[v].distance <= kLikely * size_ ? static_cast<Index>(nearest_[v].point) : kNone;
  }
  bool is_walked(std::size_t v) const { return is_walked_[v]; }

 private:
  static std::uint64_t key(Index from, Index to) {
    return std::uint64_t{static_cast<std::uint32_t>(from)} << 32 | static_cast<std::uint32_t>(to);
  }

  // The image of a polygon a b c ... runs from the image of b to that of a; backwards from there follows the
  // image of c, and so on. Polygons, not triangles: triangulation does not mirror its cuts.
  void walk() {
    constexpr std::uint32_t kSeveral = UINT32_MAX;
    std::unordered_map<std::uint64_t, std::uint32_t> corner_of;  // where a polygon runs along an edge
    corner_of.reserve(corners_.size());
    std::vector<std::vector<std::uint32_t>> around(points_.size());  // polygons
    for (std::uint32_t p = 0; p + 1 < first_.size(); ++p) {
      for (std::uint32_t c = first_[p]; c < first_[p + 1]; ++c) {
        const auto [found, is_new] = corner_of.try_emplace(key(corner(p, c), corner(p, c + 1)), c);
        if (!is_new) found->second = kSeveral;
        around[at(corner(p, c))].push_back(p);
      }
    }
    std::vector<std::uint32_t> polygon_of(corners_.size());
    for (std::uint32_t p = 0; p + 1 < first_.size(); ++p)
      std::fill(polygon_of.begin() + first_[p], polygon_of.begin() + first_[p + 1], p);
    is_walked_.assign(points_.size(), false);
    std::deque<std::uint32_t> open;
    for (std::uint32_t p = 0; p + 1 < first_.size(); ++p) open.push_back(p);
    while (!open.empty()) {
      const std::uint32_t p = open.front();
      open.pop_front();
      const std::uint32_t size = first_[p + 1] - first_[p];
      for (std::uint32_t c = first_[p]; c < first_[p + 1]; ++c) {
        const Index a = pair_[at(corner(p, c))], b = pair_[at(corner(p, c + 1))];
        const auto found = a == kNone || b == kNone ? corner_of.end() : corner_of.find(key(b, a));
        if (found == corner_of.end() || found->second == kSeveral) continue;
        const std::uint32_t image = polygon_of[found->second];
        if (first_[image + 1] - first_[image] != size) continue;
        for (std::uint32_t k = 2; k < size; ++k) {
          const Index from = corner(p, c + k), to = corner(image, found->second + 1 + size - k);
          if (pair_[at(from)] != kNone || pair_[at(to)] != kNone || is_astray(from, to)) continue;
          pair_[at(from)] = to;
          pair_[at(to)] = from;
          is_walked_[at(from)] = is_walked_[at(to)] = true;
          open.insert(open.end(), around[at(from)].begin(), around[at(from)].end());
          open.insert(open.end(), around[at(to)].begin(), around[at(to)].end());
        }
      }
    }
  }

  // The welded point of corner `c` of polygon p; `c` counts over all polygons and wraps around.
  Index corner(std::uint32_t p, std::uint32_t c) const {
    const std::uint32_t size = first_[p + 1] - first_[p];
    return corners_[first_[p] + (c - first_[p]) % size];
  }

  bool is_astray(Index v, Index image) const {
    return !(length(plane_.mirrored(Vec3d(points_[at(v)])) - Vec3d(points_[at(image)])) <= kAstray * size_);
  }

  std::span<const Vec3> points_;
  std::span<const std::uint32_t> first_;  // polygons
  std::vector<Index> corners_;            // welded
  MirrorPlane plane_;
  double size_;
  std::vector<Nearest> nearest_;  // to the image of each point
  std::vector<Index> pair_;
  std::vector<bool> is_walked_;
};

// The rows that points take from other meshes: limbs that are separate meshes have their pair there.
class OtherMeshes {
 public:
  // `unpaired` are points without a pair in their own mesh.
  OtherMeshes(const Character& character, std::span<const SeenMesh> seen, const SeenPoints& all, Index mesh,
              std::span<const Vec3> unpaired, const MirrorPlane& plane, double size)
      : character_(character), seen_(seen), all_(all), source_(unpaired.size(), kNowhere) {
    std::vector<std::size_t> others;
    std::vector<Vec3> places, images;
    for (std::size_t k = 0; k < all.places.size(); ++k) {
      if (seen[all.mesh[k]].mesh == mesh) continue;
      others.push_back(k);
      places.push_back(all.places[k]);
    }
    if (others.empty() || unpaired.empty()) return;
    for (const Vec3& p : unpaired) images.push_back(Vec3(plane.mirrored(Vec3d(p))));
    const std::vector<Nearest> nearest = nearest_points(images, places);
    for (std::size_t u = 0; u < unpaired.size(); ++u) {
      if (nearest[u].distance <= kLikely * size) source_[u] = others[nearest[u].point];
    }
  }

  // The row for an unpaired point in slots of the skin in question; empty if there is none, or if that skin
  // does not name one of its joints.
  std::vector<Influence> row(std::size_t unpaired) const {
    const std::size_t source = source_[unpaired];
    if (source == kNowhere) return {};
    const SeenMesh& from = seen_[all_.mesh[source]];
    const std::span<const Influence> theirs =
        character_.meshes[at(from.mesh)].weights.row(all_.point[source]);
    std::vector<Influence> row;
    for (const Influence& one : theirs) {
      const Index slot = from.slot[at(one.slot)];
      if (slot == kNone) return {};
      row.push_back({slot, one.weight});
    }
    return row;
  }

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;
  const Character& character_;
  std::span<const SeenMesh> seen_;
  const SeenPoints& all_;
  std::vector<std::size_t> source_;
};

// The row with every slot mirrored; if slots have no pair, false, and adds them to `unpaired`.
bool mirror_row(std::span<const Influence> row, const MirroredSkin& skin, std::vector<SlotWeight>& mirrored,
                std::vector<Index>& unpaired) {
  bool is_whole = true;
  mirrored.clear();
  for (const Influence& one : row) {
    const Index slot = skin.mirror[at(one.slot)];
    if (slot == kNone) {
      unpaired.push_back(one.slot);
      is_whole = false;
    }
    mirrored.push_back({slot, static_cast<double>(one.weight)});
  }
  return is_whole;
}

Error no_sides() {
  return {
      Errc::bad_argument,
      "no joints of its skin name a left and a right side (hand_L and hand_R, LeftHand and RightHand), so "
      "there is nothing to mirror by; rename them first"};
}

}  // namespace

Result<MirroredWeights> mirrored_weights(const Character& character, Index mesh_index, Index skin_index,
                                         const MirrorOptions& options) {
  return without_throwing("mirroring weights", [&]() -> Result<MirroredWeights> {
    const Mesh& mesh = character.meshes[at(mesh_index)];
    const std::vector<SeenMesh> seen = meshes_seen_from(character, skin_index);
    const SeenPoints all = points_of(character, seen);
    Box box;
    for (const Vec3& p : all.places) box.add(Vec3d(p));
    if (all.places.empty() || mesh.weights.empty() || !(box.diagonal() < kHuge)) {
      return Error{Errc::bad_argument,
                   fmt::format("mesh {} has no weights under its skin, or no size", quoted_name(mesh.name))};
    }
    const double size = box.diagonal();
    const std::optional<MirrorPlane> between = plane_between_sides(character, skin_index, size);
    if (!between) return no_sides();
    const MirroredSkin skin =
        mirror_skin(character, skin_index, fit_mirror_plane(all.places, *between), size);
    const WeldedSurface surface = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
    std::vector<Vec3> points(surface.point_count());
    for (std::size_t v = 0; v < points.size(); ++v) points[v] = mesh.points[at(surface.source[v])];
    std::vector<Index> corners(mesh.polygons.corners.size());
    for (std::size_t c = 0; c < corners.size(); ++c)
      corners[c] = surface.welded[at(mesh.polygons.corners[c])];
    const PointPairs pairs(points, mesh.polygons.first, std::move(corners), skin.plane, size);
    // Positive on the side where rows are read.
    const double read_side = options.direction == MirrorDirection::left_to_right ? 1 : -1;
    const auto side = [&](std::size_t v) { return read_side * skin.plane.side(Vec3d(points[v])); };

    std::vector<std::size_t> place_of(points.size());  // in the list of unpaired
    std::vector<Vec3> unpaired;
    for (std::size_t v = 0; v < points.size(); ++v) {
      if (pairs.source(v) != kNone || side(v) >= 0) continue;
      place_of[v] = unpaired.size();
      unpaired.push_back(points[v]);
    }
    const OtherMeshes others(character, seen, all, mesh_index, unpaired, skin.plane, size);

    MirroredWeights result;
    std::vector<std::vector<Influence>> rows(mesh.points.size());
    std::vector<SlotWeight> wanted;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      const std::span<const Influence> own = mesh.weights.row(v);
      const auto welded = at(surface.welded[v]);
      const Index source = pairs.source(welded);
      rows[v].assign(own.begin(), own.end());
      const bool is_middle = source == static_cast<Index>(welded);
      const bool is_written = source == kNone ? side(welded) < 0 : side(welded) < side(at(source));
      if (!is_middle && !is_written) continue;
      const std::vector<Influence> lent =
          source == kNone ? others.row(place_of[welded]) : std::vector<Influence>();
      const std::span<const Influence> read = source == kNone ? std::span<const Influence>(lent)
                                              : is_middle     ? own
                                                          : mesh.weights.row(at(surface.source[at(source)]));
      if (read.empty() || !mirror_row(read, skin, wanted, result.unpaired_slots)) {
        result.unpaired.push_back(static_cast<Index>(v));
        continue;
      }
      if (is_middle) {
        for (const Influence& one : own) wanted.push_back({one.slot, static_cast<double>(one.weight)});
      }
      merge_slots(wanted);
      rows[v] = settled_row(own, wanted, options.locks);
      ++(is_middle ? result.middle_count : result.mirrored_count);
      result.walked_count += source != kNone && pairs.is_walked(welded) ? 1 : 0;
      result.other_mesh_count += source == kNone ? 1 : 0;
    }
    std::sort(result.unpaired_slots.begin(), result.unpaired_slots.end());
    result.unpaired_slots.erase(std::unique(result.unpaired_slots.begin(), result.unpaired_slots.end()),
                                result.unpaired_slots.end());
    result.rows = joined_rows(rows);
    return result;
  });
}

}  // namespace dermis
