// SPDX-License-Identifier: MIT
// Edges of polygon meshes, and what follows from them: shells, holes, non-manifold edges, surfaces inside
// out.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "dermis/geometry.h"

namespace dermis {
namespace {

constexpr std::size_t kShellGrain = 1 << 13;
// A closed patch with less volume than this, relative to the cube of its size, is a two-sided sheet: neither
// inside nor outside.
constexpr double kLeastVolume = 1e-9;

// Limit on triangles and boxes tested to distinguish cavities from inside-out shells. Anything more expensive
// (thousands of inside-out shells within a large one) is assumed to be a cavity.
constexpr std::size_t kMostCavityWork = 20'000'000;

std::size_t at(std::int32_t v) { return static_cast<std::size_t>(v); }

std::span<const std::int32_t> polygon_at(std::span<const std::uint32_t> first,
                                         std::span<const std::int32_t> corners, std::size_t p) {
  return corners.subspan(first[p], first[p + 1] - first[p]);
}

bool repeats_a_point(std::span<const std::int32_t> polygon) {
  constexpr std::size_t kShort = 16;
  if (polygon.size() > kShort) {
    std::vector<std::int32_t> sorted(polygon.begin(), polygon.end());
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  }
  for (std::size_t i = 1; i < polygon.size(); ++i) {
    const auto before = polygon.first(i);
    if (std::find(before.begin(), before.end(), polygon[i]) != before.end()) return true;
  }
  return false;
}

struct Halfway {  // a side with the end point of its edge, before it is in an EdgeList
  std::uint32_t upper;
  EdgeList::Side side;
};

// Calls visit(lower, halfway) for each side of polygon p, in order.
template <class Visit>
void visit_sides(std::span<const std::uint32_t> first, std::span<const std::int32_t> corners, std::size_t p,
                 const Visit& visit) {
  const std::span<const std::int32_t> polygon = polygon_at(first, corners, p);
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    const auto a = static_cast<std::uint32_t>(polygon[from]), b = static_cast<std::uint32_t>(polygon[to]);
    visit(std::min(a, b),
          Halfway{std::max(a, b), {static_cast<std::uint32_t>(p), first[p] + from, first[p] + to, a < b}});
  };
  if (polygon.size() == 3) {  // the usual case: nothing to allocate
    if (polygon[0] == polygon[1] || polygon[1] == polygon[2] || polygon[2] == polygon[0]) return;
    add(0, 1), add(1, 2), add(2, 0);
    return;
  }
  const std::vector<std::uint32_t> kept = essential_corners(polygon);
  for (std::size_t i = 0; i < kept.size(); ++i) add(kept[i], kept[(i + 1) % kept.size()]);
}

// Disjoint sets whose members are either flipped relative to their root or not.
class TurningSets {
 public:
  explicit TurningSets(std::size_t count) : parent_(count), is_turned_(count, false) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  // The root of p, and whether p is flipped relative to it.
  std::pair<std::uint32_t, bool> find(std::uint32_t p) {
    std::uint32_t root = p;
    bool turned = false;
    while (parent_[root] != root) turned ^= is_turned_[root], root = parent_[root];
    bool left = turned;
    while (parent_[p] != p) {  // path compression
      const std::uint32_t next = parent_[p];
      const bool step = is_turned_[p];
      parent_[p] = root;
      is_turned_[p] = left;
      left ^= step;
      p = next;
    }
    return {root, turned};
  }
  // False if this contradicts the known orientation of a and b.
  bool join(std::uint32_t a, std::uint32_t b, bool is_turned) {
    auto [root_a, turned_a] = find(a);
    auto [root_b, turned_b] = find(b);
    if (root_a == root_b) return (turned_a != turned_b) == is_turned;
    if (root_b < root_a) std::swap(root_a, root_b);
    parent_[root_b] = root_a;
    is_turned_[root_b] = (turned_a != turned_b) != is_turned;
    return true;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<bool> is_turned_;
};

std::size_t count_shells(std::size_t point_count, std::span<const std::int32_t> corners,
                         const EdgeList& edges) {
  TurningSets pieces(point_count);
  std::vector<bool> is_used(point_count, false);
  for (const EdgeList::Side& side : edges.sides) {
    const std::int32_t a = corners[side.from], b = corners[side.to];
    pieces.join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), false);
    is_used[at(a)] = is_used[at(b)] = true;
  }
  std::size_t count = 0;
  for (std::uint32_t v = 0; v < point_count; ++v) count += is_used[v] && pieces.find(v).first == v ? 1 : 0;
  return count;
}

struct Sorted {                                 // polygons sorted into patches
  std::vector<std::uint32_t> patch_of_polygon;  // kNoPatch for collapsed ones
  std::vector<bool> is_against_first;           // wound against the first polygon of the patch
};
constexpr std::uint32_t kNoPatch = UINT32_MAX;

Sorted sort_into_patches(std::size_t polygon_count, const EdgeList& edges, SurfaceReport& report) {
  TurningSets sets(polygon_count);
  std::vector<bool> has_sides(polygon_count, false);
  std::vector<std::uint32_t> contradicting;  // polygons at edges where orientation fails
  for (std::size_t e = 0; e < edges.count(); ++e) {
    const auto sides = edges.edge(e);
    for (const EdgeList::Side& side : sides) has_sides[side.polygon] = true;
    if (sides.size() != 2 || sides[0].polygon == sides[1].polygon) continue;
    if (!sets.join(sides[0].polygon, sides[1].polygon, sides[0].is_forward == sides[1].is_forward))
      contradicting.push_back(sides[0].polygon);
  }
  Sorted sorted{std::vector<std::uint32_t>(polygon_count, kNoPatch), std::vector<bool>(polygon_count, false)};
  // Joined sets have their lowest polygon as root, so roots come first.
  for (std::uint32_t p = 0; p < polygon_count; ++p) {
    if (!has_sides[p]) continue;
    const auto [root, is_turned] = sets.find(p);
    if (root == p) {
      sorted.patch_of_polygon[p] = static_cast<std::uint32_t>(report.patches.size());
      report.patches.emplace_back().first_polygon = p;
    }
    sorted.patch_of_polygon[p] = sorted.patch_of_polygon[root];
    sorted.is_against_first[p] = is_turned;
    ++report.patches[sorted.patch_of_polygon[p]].polygon_count;
  }
  for (const std::uint32_t p : contradicting)
    report.patches[sorted.patch_of_polygon[p]].is_orientable = false;
  return sorted;
}

void count_edges(const EdgeList& edges, const Sorted& sorted, SurfaceReport& report) {
  const auto note = [](std::size_t& count, std::int32_t& first, const EdgeList::Side& side) {
    const auto polygon = static_cast<std::int32_t>(side.polygon);
    first = count++ == 0 ? polygon : std::min(first, polygon);
  };
  for (std::size_t e = 0; e < edges.count(); ++e) {
    const auto sides = edges.edge(e);
    if (sides.size() != 2) {
      for (const EdgeList::Side& side : sides)
        report.patches[sorted.patch_of_polygon[side.polygon]].is_closed = false;
    }
    if (sides.size() == 1) note(report.open_edge_count, report.first_open, sides[0]);
    if (sides.size() > 2) note(report.nonmanifold_edge_count, report.first_nonmanifold, sides[0]);
    if (sides.size() == 2 && sides[0].is_forward == sides[1].is_forward) {
      note(report.miswound_edge_count, report.first_miswound, sides[0]);
      ++report.patches[sorted.patch_of_polygon[sides[0].polygon]].miswound_edge_count;
    }
  }
  report.is_closed = edges.count() > 0 && report.open_edge_count + report.nonmanifold_edge_count == 0;
}

// Solid angle of triangle a b c seen from the origin (Van Oosterom and Strackee 1983), over four pi.
double winding_of(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const double la = length(a), lb = length(b), lc = length(c);
  const double sine = dot(a, cross(b, c));
  const double cosine = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return std::atan2(sine, cosine) / (2 * std::numbers::pi);
}

bool is_box_inside(const Box& inner, const Box& outer) {
  return inner.lower.x > outer.lower.x && inner.lower.y > outer.lower.y && inner.lower.z > outer.lower.z &&
         inner.upper.x < outer.upper.x && inner.upper.y < outer.upper.y && inner.upper.z < outer.upper.z;
}

class PatchJudge {
 public:
  PatchJudge(std::span<const Vec3> points, std::span<const std::uint32_t> first,
             std::span<const std::int32_t> corners, const Sorted& sorted, SurfaceReport& report)
      : points_(points), first_(first), corners_(corners), sorted_(sorted), report_(report) {}

  void judge() {
    measure();
    list_outer_patches();
    for (Patch& patch : report_.patches) {
      const double size = patch.box.diagonal();
      const bool is_inside_out = patch.is_closed && patch.is_orientable && patch.miswound_edge_count == 0 &&
                                 patch.volume < -kLeastVolume * size * size * size;
      patch.is_flipped = is_inside_out && !is_cavity(patch);
    }
    plan_turns();
  }

 private:
  std::span<const std::int32_t> polygon(std::size_t p) const { return polygon_at(first_, corners_, p); }
  Vec3d point(std::int32_t v) const { return Vec3d(points_[at(v)]); }

  // Volumes are relative to the patch's own first point, so that nothing cancels far from the origin.
  void measure() {
    for (std::size_t p = 0; p < sorted_.patch_of_polygon.size(); ++p) {
      if (sorted_.patch_of_polygon[p] == kNoPatch) continue;
      Patch& patch = report_.patches[sorted_.patch_of_polygon[p]];
      const Vec3d origin = point(polygon(patch.first_polygon)[0]);
      const auto fan = polygon(p);
      for (const std::int32_t v : fan) patch.box.add(point(v));
      for (std::size_t c = 1; c + 1 < fan.size(); ++c) {
        patch.volume +=
            dot(point(fan[0]) - origin, cross(point(fan[c]) - origin, point(fan[c + 1]) - origin)) / 6;
      }
    }
  }

  // Closed patches that face outwards, and a tree of their boxes: a range of them and the box around it at
  // each node, its halves at 2 k + 1 and 2 k + 2.
  void list_outer_patches() {
    for (std::uint32_t q = 0; q < report_.patches.size(); ++q) {
      if (report_.patches[q].is_closed && report_.patches[q].volume > 0) outer_.push_back(q);
    }
    if (!outer_.empty()) build(0, 0, outer_.size());
  }

  void build(std::size_t node, std::size_t begin, std::size_t end) {
    if (around_.size() <= node) around_.resize(node + 1);
    Box box, middles;
    for (std::size_t k = begin; k < end; ++k) {
      const Box& one = report_.patches[outer_[k]].box;
      box.add(one.lower);
      box.add(one.upper);
      middles.add((one.lower + one.upper) * 0.5);
    }
    around_[node] = box;
    if (end - begin <= kLeaf) return;
    const Vec3d size = middles.upper - middles.lower;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const auto middle_of = [&](std::uint32_t q) {
      const Box& one = report_.patches[q].box;
      return one.lower[axis] + one.upper[axis];
    };
    const std::size_t middle = (begin + end) / 2;
    std::nth_element(outer_.begin() + static_cast<std::ptrdiff_t>(begin),
                     outer_.begin() + static_cast<std::ptrdiff_t>(middle),
                     outer_.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return std::pair(middle_of(a), a) < std::pair(middle_of(b), b);
                     });
    build(2 * node + 1, begin, middle);
    build(2 * node + 2, middle, end);
  }

  // The inner wall of a hollow body faces inwards, which is correct.
  bool is_cavity(const Patch& inner) { return !outer_.empty() && is_within(inner, 0, 0, outer_.size()); }

  bool is_within(const Patch& inner, std::size_t node, std::size_t begin, std::size_t end) {
    if (++cavity_work_ > kMostCavityWork) return true;
    if (!is_box_inside(inner.box, around_[node])) return false;
    if (end - begin > kLeaf) {
      const std::size_t middle = (begin + end) / 2;
      return is_within(inner, 2 * node + 1, begin, middle) || is_within(inner, 2 * node + 2, middle, end);
    }
    const Vec3d eye = point(polygon(inner.first_polygon)[0]);
    for (std::size_t k = begin; k < end; ++k) {
      const Patch& outer = report_.patches[outer_[k]];
      if (!is_box_inside(inner.box, outer.box)) continue;
      cavity_work_ += outer.polygon_count;
      if (cavity_work_ > kMostCavityWork || winding_about(eye, outer_[k]) > 0.5) return true;
    }
    return false;
  }

  double winding_about(const Vec3d& eye, std::uint32_t patch) {
    if (polygons_of_patch_.empty()) sort_polygons();
    double winding = 0;
    for (const std::uint32_t p : polygons_of_patch_[patch]) {
      const auto fan = polygon(p);
      for (std::size_t c = 1; c + 1 < fan.size(); ++c)
        winding += winding_of(point(fan[0]) - eye, point(fan[c]) - eye, point(fan[c + 1]) - eye);
    }
    return winding;
  }

  void sort_polygons() {
    polygons_of_patch_.resize(report_.patches.size());
    for (std::uint32_t p = 0; p < sorted_.patch_of_polygon.size(); ++p) {
      const std::uint32_t patch = sorted_.patch_of_polygon[p];
      if (patch != kNoPatch) polygons_of_patch_[patch].push_back(p);
    }
  }

  // Volume of a patch after its polygons are made to agree with its first.
  std::vector<double> agreed_volumes() const {
    std::vector<double> volumes(report_.patches.size(), 0);
    for (std::size_t p = 0; p < sorted_.patch_of_polygon.size(); ++p) {
      const std::uint32_t q = sorted_.patch_of_polygon[p];
      if (q == kNoPatch || report_.patches[q].miswound_edge_count == 0) continue;
      const Vec3d origin = point(polygon(report_.patches[q].first_polygon)[0]);
      const auto fan = polygon(p);
      const double sign = sorted_.is_against_first[p] ? -1 : 1;
      for (std::size_t c = 1; c + 1 < fan.size(); ++c)
        volumes[q] +=
            sign * dot(point(fan[0]) - origin, cross(point(fan[c]) - origin, point(fan[c + 1]) - origin));
    }
    return volumes;
  }

  // Flipped patches are flipped as a whole. In mixed ones the minority is flipped, or in closed ones those
  // that face inwards.
  void plan_turns() {
    const std::vector<double> volumes = agreed_volumes();
    std::vector<std::size_t> against_count(report_.patches.size(), 0);
    const std::size_t polygon_count = sorted_.patch_of_polygon.size();
    for (std::size_t p = 0; p < polygon_count; ++p) {
      if (sorted_.is_against_first[p]) ++against_count[sorted_.patch_of_polygon[p]];
    }
    report_.is_to_be_turned.assign(polygon_count, false);
    for (std::size_t p = 0; p < polygon_count; ++p) {
      const std::uint32_t q = sorted_.patch_of_polygon[p];
      if (q == kNoPatch) continue;
      const Patch& patch = report_.patches[q];
      if (patch.is_flipped) report_.is_to_be_turned[p] = true;
      if (patch.miswound_edge_count == 0 || !patch.is_orientable) continue;
      const bool is_first_right =
          patch.is_closed ? volumes[q] > 0 : 2 * against_count[q] <= patch.polygon_count;
      report_.is_to_be_turned[p] = sorted_.is_against_first[p] == is_first_right;
    }
  }

  std::span<const Vec3> points_;
  std::span<const std::uint32_t> first_;
  std::span<const std::int32_t> corners_;
  const Sorted& sorted_;
  SurfaceReport& report_;
  std::vector<std::vector<std::uint32_t>> polygons_of_patch_;  // computed on first use
  static constexpr std::size_t kLeaf = 4;
  std::vector<std::uint32_t> outer_;
  std::vector<Box> around_;
  std::size_t cavity_work_ = 0;
};

}  // namespace

std::vector<std::uint32_t> essential_corners(std::span<const std::int32_t> polygon) {
  std::vector<std::uint32_t> kept;
  kept.reserve(polygon.size());
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return polygon[a] == polygon[b]; };
  for (std::uint32_t c = 0; c < polygon.size(); ++c) {
    if (kept.size() >= 2 && same(kept[kept.size() - 2], c)) kept.pop_back();  // there and back
    if (kept.empty() || !same(kept.back(), c)) kept.push_back(c);
  }
  // The same across the end of the list, which is a ring.
  std::size_t begin = 0, end = kept.size();
  while (end - begin >= 3) {
    if (same(kept[begin], kept[end - 1]) || same(kept[begin], kept[end - 2])) {
      --end;
    } else if (same(kept[begin + 1], kept[end - 1])) {
      ++begin;
    } else {
      return {kept.begin() + static_cast<std::ptrdiff_t>(begin),
              kept.begin() + static_cast<std::ptrdiff_t>(end)};
    }
  }
  return {};
}

EdgeList list_edges(std::size_t point_count, std::span<const std::uint32_t> first,
                    std::span<const std::int32_t> corners) {
  const std::size_t polygon_count = first.empty() ? 0 : first.size() - 1;
  EdgeList edges;
  // Bucket by the lower point; only the few edges of one point remain to be sorted.
  std::vector<std::uint32_t> bucket(point_count + 1, 0);
  for (std::size_t p = 0; p < polygon_count; ++p) {
    visit_sides(first, corners, p, [&](std::uint32_t lower, const Halfway&) { ++bucket[lower + 1]; });
    if (repeats_a_point(polygon_at(first, corners, p)))
      edges.repeating.push_back(static_cast<std::uint32_t>(p));
  }
  std::partial_sum(bucket.begin(), bucket.end(), bucket.begin());
  std::vector<Halfway> halfway(bucket.back());
  std::vector<std::uint32_t> next(bucket.begin(), bucket.end() - 1);
  for (std::size_t p = 0; p < polygon_count; ++p) {
    visit_sides(first, corners, p,
                [&](std::uint32_t lower, const Halfway& side) { halfway[next[lower]++] = side; });
  }
  parallel_for(point_count, kShellGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      std::sort(halfway.begin() + bucket[v], halfway.begin() + bucket[v + 1],
                [](const Halfway& a, const Halfway& b) {
                  return a.upper != b.upper ? a.upper < b.upper : a.side.from < b.side.from;
                });
    }
  });
  edges.sides.reserve(halfway.size());
  for (std::size_t v = 0; v < point_count; ++v) {
    for (std::uint32_t i = bucket[v]; i < bucket[v + 1]; ++i) {
      if (i == bucket[v] || halfway[i].upper != halfway[i - 1].upper) edges.first.push_back(i);
      edges.sides.push_back(halfway[i].side);
    }
  }
  edges.first.push_back(static_cast<std::uint32_t>(edges.sides.size()));
  return edges;
}

SurfaceReport measure_surface(std::span<const Vec3> points, std::span<const std::uint32_t> first,
                              std::span<const std::int32_t> corners, const EdgeList& edges) {
  SurfaceReport report;
  const std::size_t polygon_count = first.empty() ? 0 : first.size() - 1;
  report.shell_count = count_shells(points.size(), corners, edges);
  const Sorted sorted = sort_into_patches(polygon_count, edges, report);
  count_edges(edges, sorted, report);
  PatchJudge(points, first, corners, sorted, report).judge();
  return report;
}

Vec3d area_vector(std::span<const Vec3> points, std::span<const std::int32_t> polygon) {
  Vec3d area;
  const Vec3d start(points[at(polygon[0])]);
  for (std::size_t c = 1; c + 1 < polygon.size(); ++c)
    area += cross(Vec3d(points[at(polygon[c])]) - start, Vec3d(points[at(polygon[c + 1])]) - start);
  return area;
}

std::vector<std::int32_t> shells_of_points(std::size_t point_count, std::span<const std::uint32_t> first,
                                           std::span<const std::int32_t> corners) {
  std::vector<std::uint32_t> parent(point_count);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::int32_t point) {
    auto v = static_cast<std::uint32_t>(point);
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  std::vector<bool> is_used(point_count, false);
  for (std::size_t p = 0; p + 1 < first.size(); ++p) {
    for (const std::int32_t v : polygon_at(first, corners, p)) {
      is_used[at(v)] = true;
      const std::uint32_t a = root(corners[first[p]]), b = root(v);
      parent[std::max(a, b)] = std::min(a, b);  // roots are the lowest of their shell
    }
  }
  std::vector<std::int32_t> shell(point_count, -1);
  std::int32_t count = 0;
  for (std::size_t v = 0; v < point_count; ++v) {
    if (!is_used[v]) continue;
    const std::uint32_t lowest = root(static_cast<std::int32_t>(v));
    shell[v] = lowest == v ? count++ : shell[lowest];
  }
  return shell;
}

std::vector<std::int32_t> shells_of_welded_points(std::span<const std::int32_t> weld,
                                                  std::span<const std::uint32_t> first,
                                                  std::span<const std::int32_t> corners) {
  std::vector<std::int32_t> welded(corners.begin(), corners.end());
  for (std::int32_t& corner : welded) corner = weld[at(corner)];
  std::vector<std::int32_t> shell = shells_of_points(weld.size(), first, welded);
  for (std::size_t v = 0; v < shell.size(); ++v) shell[v] = shell[at(weld[v])];
  return shell;
}

}  // namespace dermis
