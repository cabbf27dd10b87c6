// SPDX-License-Identifier: MIT
// Flips edges towards a Delaunay triangulation without moving points.
#include <algorithm>
#include <unordered_map>

#include "geometry/simplify.h"

namespace dermis {
namespace {

constexpr std::uint32_t kOpen = 0xffffffffu;

// Each edge is checked at most this many times; flips converge long before.
constexpr int kFlipRounds = 6;

// The smallest cosine between a new triangle's normal and the normals of its points.
constexpr double kFlipFacing = 0.3;

// A flip must improve the cotangent by at least this much, or two flips could undo each other forever.
constexpr double kGain = 1e-6;

constexpr std::uint32_t next_side(std::uint32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
constexpr std::uint32_t previous_side(std::uint32_t h) { return h % 3 == 0 ? h + 2 : h - 1; }

// Side h of triangle h / 3 goes from its corner h to the next; twin[h] is the same edge in the other
// triangle.
class Flipper {
 public:
  explicit Flipper(SurfaceMesh& mesh) : mesh_(mesh), twin_(mesh.triangles.size() * 3, kOpen) {
    std::unordered_map<std::uint64_t, std::uint32_t> sides;
    sides.reserve(twin_.size());
    for (std::uint32_t h = 0; h < twin_.size(); ++h)
      sides.emplace(static_cast<std::uint64_t>(start(h)) << 32 | start(next_side(h)), h);
    for (std::uint32_t h = 0; h < twin_.size(); ++h) {
      const auto other = sides.find(static_cast<std::uint64_t>(start(next_side(h))) << 32 | start(h));
      if (other != sides.end()) twin_[h] = other->second;
    }
    is_seam_.assign(mesh.points.size(), 0);
    for (std::uint32_t h = 0; h < twin_.size(); ++h)
      if (twin_[h] == kOpen) is_seam_[start(h)] = is_seam_[start(next_side(h))] = 1;
  }

  void run() {
    for (int round = 0; round < kFlipRounds; ++round) {
      std::size_t flip_count = 0;
      for (std::uint32_t h = 0; h < twin_.size(); ++h)
        if (twin_[h] != kOpen && h < twin_[h] && is_better_flipped(h)) flip(h), ++flip_count;
      if (flip_count == 0) break;
    }
  }

 private:
  std::uint32_t& start(std::uint32_t h) { return mesh_.triangles[h / 3][h % 3]; }
  const Vec3d& point(std::uint32_t v) const { return mesh_.points[v]; }

  double cotangent(std::uint32_t apex, std::uint32_t a, std::uint32_t b) const {
    const Vec3d u = point(a) - point(apex), v = point(b) - point(apex);
    return dot(u, v) / std::max(length(cross(u, v)), 1e-300);
  }
  bool faces_out(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const Vec3d normal = cross(point(b) - point(a), point(c) - point(a));
    const double size = kFlipFacing * length(normal);
    return dot(normal, mesh_.normals[a]) > size && dot(normal, mesh_.normals[b]) > size &&
           dot(normal, mesh_.normals[c]) > size;
  }
  // True if an edge joins the start of side h to point w. Traverses the fan in both directions, as it may be
  // open.
  bool is_joined(std::uint32_t h, std::uint32_t w) {
    std::uint32_t at = h;
    do {
      if (start(next_side(at)) == w || start(previous_side(at)) == w) return true;
      at = twin_[previous_side(at)];
    } while (at != kOpen && at != h);
    if (at == h) return false;
    for (at = h; twin_[at] != kOpen;) {
      at = next_side(twin_[at]);
      if (start(next_side(at)) == w || start(previous_side(at)) == w) return true;
    }
    return false;
  }
  bool is_better_flipped(std::uint32_t h) {
    const std::uint32_t g = twin_[h];
    const std::uint32_t a = start(h), b = start(g), c = start(previous_side(h)), d = start(previous_side(g));
    if (is_seam_[c] && is_seam_[d]) return false;
    const double now = cotangent(c, a, b) + cotangent(d, a, b);
    if (now >= 0) return false;
    const double then = cotangent(a, c, d) + cotangent(b, c, d);
    if (then < now + kGain) return false;
    return faces_out(c, d, b) && faces_out(d, c, a) && !is_joined(previous_side(h), d);
  }
  // Triangles (a b c), (b a d) become (c d b), (d c a).
  void flip(std::uint32_t h) {
    const std::uint32_t g = twin_[h];
    const std::uint32_t a = start(h), b = start(g), c = start(previous_side(h)), d = start(previous_side(g));
    const std::uint32_t bc = twin_[next_side(h)], ca = twin_[previous_side(h)];
    const std::uint32_t ad = twin_[next_side(g)], db = twin_[previous_side(g)];
    start(h) = c, start(next_side(h)) = d, start(previous_side(h)) = b;
    start(g) = d, start(next_side(g)) = c, start(previous_side(g)) = a;
    join(next_side(h), db), join(previous_side(h), bc);
    join(next_side(g), ca), join(previous_side(g), ad);
  }
  void join(std::uint32_t h, std::uint32_t other) {
    twin_[h] = other;
    if (other != kOpen) twin_[other] = h;
  }

  SurfaceMesh& mesh_;
  std::vector<std::uint32_t> twin_;
  std::vector<std::uint8_t> is_seam_;
};

}  // namespace

void flip_to_delaunay(SurfaceMesh& mesh) { Flipper(mesh).run(); }

}  // namespace dermis
