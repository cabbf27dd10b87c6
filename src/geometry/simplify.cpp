// SPDX-License-Identifier: MIT
// Edge collapse by quadric error that keeps the surface manifold, its genus and its mirror seam.
#include "geometry/simplify.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace dermis {
namespace {

using PointIndex = std::uint32_t;
constexpr std::uint32_t kEnd = 0xffffffffu;

// Share of the squared edge length in the cost. A limb of radius 5 cm with 2 cm edges has an error of 1 mm,
// so at 1/1000 shape and evenness count about the same there.
constexpr double kEvenness = 1.0e-3;

// Twice the area over the squared longest edge: 0.87 for an equilateral triangle. A triangle below this is a
// sliver.
constexpr double kSliver = 0.12;

// The smallest cosine between a triangle's normal and those of its points; below it the surface is about to
// fold.
constexpr double kFacing = 0.2;

// The sum of squared distances to planes, as a quadratic form, with the total weight.
struct Quadric {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0, x = 0, y = 0, z = 0, constant = 0, weight = 0;

  void add_plane(const Vec3d& n, double d, double w) {
    xx += w * n.x * n.x, xy += w * n.x * n.y, xz += w * n.x * n.z;
    yy += w * n.y * n.y, yz += w * n.y * n.z, zz += w * n.z * n.z;
    x += w * n.x * d, y += w * n.y * d, z += w * n.z * d;
    constant += w * d * d, weight += w;
  }
  void add(const Quadric& q) {
    xx += q.xx, xy += q.xy, xz += q.xz, yy += q.yy, yz += q.yz, zz += q.zz;
    x += q.x, y += q.y, z += q.z, constant += q.constant, weight += q.weight;
  }
  // Mean squared distance from p to the planes.
  double mean(const Vec3d& p) const {
    const double sum = xx * p.x * p.x + yy * p.y * p.y + zz * p.z * p.z +
                       2 * (xy * p.x * p.y + xz * p.x * p.z + yz * p.y * p.z) +
                       2 * (x * p.x + y * p.y + z * p.z) + constant;
    return weight > 0 ? std::max(0.0, sum) / weight : 0.0;
  }
};

struct Candidate {
  double cost;
  PointIndex from, to;
  std::uint32_t from_stamp, to_stamp;
  // std::priority_queue puts the greatest first; breaking ties by index makes the order deterministic.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    if (a.cost != b.cost) return a.cost > b.cost;
    return a.from != b.from ? a.from > b.from : a.to > b.to;
  }
};

class Simplifier {
 public:
  explicit Simplifier(const SurfaceMesh& mesh);
  void run(std::size_t max_points);
  SurfaceMesh take() const;

 private:
  struct Around {
    std::vector<PointIndex> points;
    std::vector<std::uint8_t> triangles;  // of the edge to each of `points`: 1 on an open edge, else 2
  };
  void find_around(PointIndex v, Around& around) const;
  void offer(PointIndex a, PointIndex b);
  void offer_all();
  bool is_allowed(PointIndex from, PointIndex to);
  bool keeps_shape(PointIndex from, PointIndex to) const;
  void collapse(PointIndex from, PointIndex to);

  const SurfaceMesh& mesh_;
  std::vector<SurfaceMesh::Triangle> triangles_;
  std::vector<std::uint8_t> is_gone_;  // per triangle
  std::vector<std::uint32_t> head_;    // first corner at each point
  std::vector<std::uint32_t> next_;    // next corner at the same point
  std::vector<Quadric> quadrics_;
  std::vector<std::uint32_t> stamp_;  // changes with every change around the point
  std::vector<std::uint8_t> is_seam_, is_removed_;
  std::size_t full_count_ = 0;  // points of the whole surface, including the mirrored half
  bool is_half_ = false;
  double strictness_ = 1;  // of the rules against slivers and folds
  std::priority_queue<Candidate> queue_;
  Around from_around_, to_around_;
};

Simplifier::Simplifier(const SurfaceMesh& mesh)
    : mesh_(mesh),
      triangles_(mesh.triangles),
      is_gone_(mesh.triangles.size(), 0),
      head_(mesh.points.size(), kEnd),
      next_(mesh.triangles.size() * 3, kEnd),
      quadrics_(mesh.points.size()),
      stamp_(mesh.points.size(), 0),
      is_seam_(mesh.points.size(), 0),
      is_removed_(mesh.points.size(), 0) {
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const auto& tri = triangles_[t];
    const Vec3d a = mesh.points[tri[0]];
    const Vec3d twice_area = cross(mesh.points[tri[1]] - a, mesh.points[tri[2]] - a);
    const Vec3d n = normalized(twice_area);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t corner = static_cast<std::uint32_t>(3 * t + k);
      next_[corner] = head_[tri[k]];
      head_[tri[k]] = corner;
      quadrics_[tri[k]].add_plane(n, -dot(n, a), length(twice_area));
    }
  }
  for (PointIndex v = 0; v < mesh.points.size(); ++v) {
    find_around(v, from_around_);
    for (const std::uint8_t count : from_around_.triangles)
      if (count == 1) is_seam_[v] = 1, is_half_ = true;
  }
  for (PointIndex v = 0; v < mesh.points.size(); ++v) full_count_ += is_half_ && !is_seam_[v] ? 2 : 1;
}

void Simplifier::find_around(PointIndex v, Around& around) const {
  around.points.clear();
  around.triangles.clear();
  for (std::uint32_t c = head_[v]; c != kEnd; c = next_[c]) {
    if (is_gone_[c / 3]) continue;
    for (const PointIndex w : triangles_[c / 3]) {
      if (w == v) continue;
      const auto at = std::find(around.points.begin(), around.points.end(), w);
      if (at == around.points.end()) {
        around.points.push_back(w);
        around.triangles.push_back(1);
      } else {
        ++around.triangles[static_cast<std::size_t>(at - around.points.begin())];
      }
    }
  }
}

void Simplifier::offer(PointIndex a, PointIndex b) {
  const Vec3d& pa = mesh_.points[a];
  const Vec3d& pb = mesh_.points[b];
  // A seam point may only move along the seam; anything else may move onto it.
  const bool may_a = !is_seam_[a] || is_seam_[b], may_b = !is_seam_[b] || is_seam_[a];
  const double a_to_b = may_a ? quadrics_[a].mean(pb) : INFINITY;
  const double b_to_a = may_b ? quadrics_[b].mean(pa) : INFINITY;
  const Vec3d edge = pb - pa;
  const double evenness = kEvenness * dot(edge, edge);
  if (a_to_b <= b_to_a)
    queue_.push({a_to_b + evenness, a, b, stamp_[a], stamp_[b]});
  else
    queue_.push({b_to_a + evenness, b, a, stamp_[b], stamp_[a]});
}

void Simplifier::offer_all() {
  for (PointIndex v = 0; v < mesh_.points.size(); ++v) {
    if (is_removed_[v]) continue;
    find_around(v, from_around_);
    for (const PointIndex w : from_around_.points)
      if (v < w) offer(v, w);
  }
}

bool Simplifier::is_allowed(PointIndex from, PointIndex to) {
  find_around(from, from_around_);
  find_around(to, to_around_);
  const auto& ring = to_around_.points;
  std::size_t shared_count = 0;
  bool is_open_edge = false;
  for (std::size_t i = 0; i < from_around_.points.size(); ++i) {
    const PointIndex w = from_around_.points[i];
    if (w == to) {
      is_open_edge = from_around_.triangles[i] == 1;
      continue;
    }
    const bool is_shared = std::find(ring.begin(), ring.end(), w) != ring.end();
    shared_count += is_shared;
    // A point moved onto the seam must not create an inner edge between two seam points.
    if (!is_seam_[from] && is_seam_[to] && is_seam_[w] && !is_shared) return false;
  }
  if (is_seam_[from] && !is_open_edge) return false;
  // The link condition: the ends share only the points opposite to the edge (Dey et al. 1999).
  if (shared_count != (is_open_edge ? 1u : 2u)) return false;
  // The remaining triangles around the edge must still be a surface, not a folded pair.
  if (from_around_.points.size() + ring.size() < (is_open_edge ? 6u : 8u)) return false;
  return keeps_shape(from, to);
}

bool Simplifier::keeps_shape(PointIndex from, PointIndex to) const {
  for (std::uint32_t c = head_[from]; c != kEnd; c = next_[c]) {
    if (is_gone_[c / 3]) continue;
    const auto& tri = triangles_[c / 3];
    if (tri[0] == to || tri[1] == to || tri[2] == to) continue;
    const PointIndex b = tri[(c % 3 + 1) % 3], d = tri[(c % 3 + 2) % 3];
    const Vec3d &p = mesh_.points[to], &q = mesh_.points[b], &r = mesh_.points[d];
    const Vec3d normal = cross(q - p, r - p);
    const double size = length(normal);
    const double longest = std::max({dot(q - p, q - p), dot(r - p, r - p), dot(r - q, r - q)});
    if (size < strictness_ * kSliver * longest) return false;
    for (const PointIndex v : {to, b, d})
      if (dot(normal, mesh_.normals[v]) < strictness_ * kFacing * size) return false;
  }
  return true;
}

void Simplifier::collapse(PointIndex from, PointIndex to) {
  std::uint32_t last = kEnd;
  for (std::uint32_t c = head_[from]; c != kEnd; c = next_[c]) {
    last = c;
    if (is_gone_[c / 3]) continue;
    auto& tri = triangles_[c / 3];
    if (tri[0] == to || tri[1] == to || tri[2] == to)
      is_gone_[c / 3] = 1;
    else
      tri[c % 3] = to;
  }
  next_[last] = head_[to];
  head_[to] = head_[from];
  head_[from] = kEnd;
  // Drop the corners of removed triangles, so that lists stay as short as the fans.
  std::uint32_t* link = &head_[to];
  while (*link != kEnd) {
    if (is_gone_[*link / 3])
      *link = next_[*link];
    else
      link = &next_[*link];
  }
  quadrics_[to].add(quadrics_[from]);
  is_removed_[from] = 1;
  full_count_ -= is_half_ && !is_seam_[from] ? 2 : 1;
  ++stamp_[from];
  ++stamp_[to];
  find_around(to, to_around_);
  for (const PointIndex w : to_around_.points) offer(to, w);
}

void Simplifier::run(std::size_t max_points) {
  // Collapses refused once may be possible later, and if no fair ones are left, less fair triangles are
  // accepted: each round is half as strict as the one before.
  constexpr int kSimplifyRounds = 3;
  for (int round = 0; round < kSimplifyRounds && full_count_ > max_points; ++round) {
    strictness_ = std::ldexp(1.0, -round);
    queue_ = {};
    offer_all();
    while (full_count_ > max_points && !queue_.empty()) {
      const Candidate c = queue_.top();
      queue_.pop();
      if (c.from_stamp != stamp_[c.from] || c.to_stamp != stamp_[c.to] || c.cost == INFINITY) continue;
      if (is_allowed(c.from, c.to)) collapse(c.from, c.to);
    }
  }
}

SurfaceMesh Simplifier::take() const {
  SurfaceMesh result;
  std::vector<PointIndex> new_index(mesh_.points.size(), kEnd);
  for (PointIndex v = 0; v < mesh_.points.size(); ++v) {
    if (is_removed_[v]) continue;
    new_index[v] = static_cast<PointIndex>(result.points.size());
    result.points.push_back(mesh_.points[v]);
    result.normals.push_back(mesh_.normals[v]);
  }
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    if (!is_gone_[t])
      result.triangles.push_back(
          {new_index[triangles_[t][0]], new_index[triangles_[t][1]], new_index[triangles_[t][2]]});
  return result;
}

}  // namespace

SurfaceMesh simplify_surface(const SurfaceMesh& mesh, std::size_t max_points) {
  Simplifier simplifier(mesh);
  simplifier.run(max_points);
  return simplifier.take();
}

}  // namespace dermis
