// SPDX-License-Identifier: MIT
// Pairs the points of a body with their mirror images: shell by shell, then by position and along edges.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "dermis/geometry.h"

namespace dermis {
namespace {

// As fractions of the size of the body: distances at which a point surely is the image of another, at which
// it may be if nothing else is known, and beyond which a walk along the edges has gone astray.
constexpr double kSureImage = 1e-3, kLikelyImage = 1e-2, kAstrayImage = 0.1;
// As fractions of the size of a shell: how far its mirrored box may be from that of its partner, and its
// mirrored points on average from its partner's. Eyes are often copies instead of mirror images, so that the
// points of one lie between those of the other: coarse spheres are then apart by up to 7 % of their diagonal.
constexpr double kBoxApart = 0.25, kPartnerApart = 0.1;
// A shell with this share of its points on either side of the plane extends across it.
constexpr double kAcross = 0.1;
constexpr std::int32_t kNobody = -1;

std::size_t at_point(std::int32_t v) { return static_cast<std::size_t>(v); }

// The welded body and its mirror image.
struct MirrorBody {
  std::vector<Vec3> points, images;
  std::span<const std::uint32_t> first;  // polygons
  std::vector<std::int32_t> corners;     // welded points
  MirrorPlane plane;
  double size = 0;
};

MirrorBody mirror_body(std::span<const Vec3> points, const WeldedSurface& surface,
                       std::span<const std::uint32_t> first, std::span<const std::int32_t> corners,
                       const MirrorPlane& plane) {
  MirrorBody body{{}, {}, first, std::vector<std::int32_t>(corners.size()), plane};
  Box box;
  for (const std::int32_t v : surface.source) {
    const Vec3d place(points[at_point(v)]);
    box.add(place);
    body.points.emplace_back(place);
    body.images.emplace_back(plane.mirrored(place));
  }
  for (std::size_t c = 0; c < corners.size(); ++c) body.corners[c] = surface.welded[at_point(corners[c])];
  body.size = box.diagonal();
  return body;
}

// ---- Shells -------------------------------------------------------------------------------------------

// The points of each shell; those that no polygon uses are the last one.
std::vector<std::vector<std::uint32_t>> points_by_shell(const MirrorBody& body) {
  const std::vector<std::int32_t> shell = shells_of_points(body.points.size(), body.first, body.corners);
  std::vector<std::vector<std::uint32_t>> points;
  std::vector<std::uint32_t> loose;
  for (std::uint32_t v = 0; v < shell.size(); ++v) {
    if (shell[v] == kNobody) {
      loose.push_back(v);
      continue;
    }
    if (at_point(shell[v]) == points.size()) points.emplace_back();
    points[at_point(shell[v])].push_back(v);
  }
  if (!loose.empty()) points.push_back(std::move(loose));
  return points;
}

std::vector<Vec3> taken(std::span<const Vec3> from, std::span<const std::uint32_t> points) {
  std::vector<Vec3> places;
  places.reserve(points.size());
  for (const std::uint32_t v : points) places.push_back(from[v]);
  return places;
}

// Which shell is the mirror image of which.
class ShellPartners {
 public:
  ShellPartners(const MirrorBody& body, std::span<const std::vector<std::uint32_t>> shells)
      : body_(body), shells_(shells), partner_(shells.size(), kNobody) {
    for (const std::vector<std::uint32_t>& shell : shells) {
      Box box, image;
      for (const std::uint32_t v : shell) {
        box.add(Vec3d(body.points[v]));
        image.add(Vec3d(body.images[v]));
      }
      boxes_.push_back(box);
      images_.push_back(image);
    }
    pair_middle();
    pair_others();
    // One that extends across the plane without being even (a posed body) still mirrors itself.
    for (std::size_t s = 0; s < shells_.size(); ++s) {
      if (partner_[s] == kNobody && is_across(s)) partner_[s] = static_cast<std::int32_t>(s);
    }
  }

  const std::vector<std::int32_t>& partners() const { return partner_; }

 private:
  struct Candidate {
    double apart = 0;
    std::size_t a = 0, b = 0;
    friend bool operator<(const Candidate& x, const Candidate& y) {
      return std::tie(x.apart, x.a, x.b) < std::tie(y.apart, y.a, y.b);
    }
  };

  bool is_across(std::size_t s) const {
    const auto count = std::count_if(shells_[s].begin(), shells_[s].end(), [&](std::uint32_t v) {
      return body_.plane.side(Vec3d(body_.points[v])) > 0;
    });
    const double share = static_cast<double>(count) / static_cast<double>(shells_[s].size());
    return share >= kAcross && share <= 1 - kAcross;
  }

  // Its own size, or for specks that distance at which points surely are images.
  double scale(std::size_t s) const {
    return std::max({boxes_[s].diagonal(), kSureImage * body_.size, 1e-30});
  }

  // A shell that mirrors itself has no other partner: the shirt over a body does not take its place.
  void pair_middle() {
    for (std::size_t s = 0; s < shells_.size(); ++s) {
      if (is_across(s) && points_apart(s, s) <= kPartnerApart) partner_[s] = static_cast<std::int32_t>(s);
    }
  }

  void pair_others() {
    std::vector<Candidate> all;
    const auto grid = cells();
    for (std::size_t a = 0; a < shells_.size(); ++a) {
      if (partner_[a] != kNobody) continue;
      for (const std::size_t b : near_boxes(grid, a)) {
        const double apart = points_apart(a, b);
        if (apart <= kPartnerApart) all.push_back({apart, std::min(a, b), std::max(a, b)});
      }
    }
    std::sort(all.begin(), all.end());
    for (const Candidate& one : all) {
      if (partner_[one.a] != kNobody || partner_[one.b] != kNobody) continue;
      partner_[one.a] = static_cast<std::int32_t>(one.b);
      partner_[one.b] = static_cast<std::int32_t>(one.a);
    }
  }

  // ---- Boxes of similar size at similar places, found by a grid of cells as large as the shells.
  using Grid = std::unordered_map<std::uint64_t, std::vector<std::size_t>>;

  int level(std::size_t s) const { return static_cast<int>(std::ceil(std::log2(scale(s)))); }

  // Collisions only add candidates.
  static std::uint64_t cell_key(int level, std::int64_t x, std::int64_t y, std::int64_t z) {
    std::uint64_t key = static_cast<std::uint64_t>(level);
    for (const std::int64_t part : {x, y, z})
      key = (key ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15u;
    return key;
  }
  // In cells of that level. Cells are at least a ten thousandth of the body, so the count stays small.
  std::array<std::int64_t, 3> cell(const Vec3d& place, int level) const {
    const double edge = std::exp2(level);
    const auto count = [&](double x) { return static_cast<std::int64_t>(std::floor(x / edge)); };
    const Vec3d from = place - whole_.lower;
    return {count(from.x), count(from.y), count(from.z)};
  }

  Grid cells() {
    for (const Box& box : boxes_) {
      whole_.add(box.lower);
      whole_.add(box.upper);
    }
    Grid grid;
    for (std::size_t s = 0; s < shells_.size(); ++s) {
      if (partner_[s] != kNobody) continue;
      const auto [x, y, z] = cell(boxes_[s].centre(), level(s));
      grid[cell_key(level(s), x, y, z)].push_back(s);
    }
    return grid;
  }

  double boxes_apart(std::size_t a, std::size_t b) const {
    const Vec3d extent = (images_[a].upper - images_[a].lower) - (boxes_[b].upper - boxes_[b].lower);
    return (length(images_[a].centre() - boxes_[b].centre()) + length(extent)) / scale(a);
  }

  // The few shells whose boxes are nearest to the mirrored box, rising.
  std::vector<std::size_t> near_boxes(const Grid& grid, std::size_t a) const {
    constexpr std::size_t kMost = 8;
    std::vector<Candidate> found;
    for (int up = -1; up <= 1; ++up) {
      const auto [x, y, z] = cell(images_[a].centre(), level(a) + up);
      for (int k = 0; k < 27; ++k) {
        const auto cell = grid.find(cell_key(level(a) + up, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1));
        if (cell == grid.end()) continue;
        for (const std::size_t b : cell->second) {
          if (const double apart = boxes_apart(a, b); apart <= kBoxApart) found.push_back({apart, a, b});
        }
      }
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> near;
    for (const Candidate& one : found) {
      if (near.size() < kMost && std::find(near.begin(), near.end(), one.b) == near.end())
        near.push_back(one.b);
    }
    return near;
  }

  // The mean distance from mirrored points of one shell to the nearest of the other, the larger of both ways.
  double points_apart(std::size_t a, std::size_t b) const {
    return std::max(one_way(a, b), a == b ? 0 : one_way(b, a)) / std::max(scale(a), scale(b));
  }
  double one_way(std::size_t a, std::size_t b) const {
    constexpr std::size_t kSamples = 200;
    std::vector<Vec3> sample;
    for (std::size_t k = 0; k < shells_[a].size(); k += shells_[a].size() / kSamples + 1)
      sample.push_back(body_.images[shells_[a][k]]);
    double sum = 0;
    for (const Nearest& one : nearest_points(sample, taken(body_.points, shells_[b]))) sum += one.distance;
    return sum / static_cast<double>(sample.size());
  }

  const MirrorBody& body_;
  std::span<const std::vector<std::uint32_t>> shells_;
  std::vector<Box> boxes_, images_;  // of each shell, and of its mirror image
  Box whole_;
  std::vector<std::int32_t> partner_;
};

// ---- Points -------------------------------------------------------------------------------------------

class ImageFinder {
 public:
  explicit ImageFinder(const MirrorBody& body)
      : body_(body),
        nearest_(body.points.size(), {0, INFINITY}),
        image_(body.points.size(), kNobody),
        match_(body.points.size(), MirrorMatch::none) {}

  // The nearest points in the partner of each shell; those that are nearest both ways begin the walk.
  void pair_within(std::span<const std::vector<std::uint32_t>> shells,
                   std::span<const std::int32_t> partners) {
    for (std::size_t s = 0; s < shells.size(); ++s) {
      if (partners[s] != kNobody) find_nearest(shells[s], shells[at_point(partners[s])]);
    }
    for (std::size_t v = 0; v < nearest_.size(); ++v) {
      if (nearest_[v].distance <= kSureImage * body_.size && nearest_[nearest_[v].point].point == v)
        set(v, nearest_[v].point, MirrorMatch::exact);
    }
    walk();
    take_nearest();
  }

  // Pairs what is left over, whatever shell it belongs to.
  void pair_rest() {
    std::vector<std::uint32_t> rest;
    for (std::uint32_t v = 0; v < image_.size(); ++v) {
      if (image_[v] == kNobody) rest.push_back(v);
    }
    find_nearest(rest, rest);
    take_nearest();
  }

  const std::vector<std::int32_t>& images() const { return image_; }
  const std::vector<MirrorMatch>& matches() const { return match_; }

 private:
  void set(std::size_t v, std::size_t image, MirrorMatch match) {
    image_[v] = static_cast<std::int32_t>(image);
    match_[v] = match;
  }

  void find_nearest(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
    const std::vector<Nearest> found = nearest_points(taken(body_.images, from), taken(body_.points, to));
    for (std::size_t k = 0; k < from.size(); ++k) nearest_[from[k]] = {to[found[k].point], found[k].distance};
  }

  void take_nearest() {
    for (std::size_t v = 0; v < nearest_.size(); ++v) {
      if (image_[v] != kNobody || !(nearest_[v].distance <= kLikelyImage * body_.size)) continue;
      const bool is_sure = nearest_[v].distance <= kSureImage * body_.size;
      set(v, nearest_[v].point, is_sure ? MirrorMatch::exact : MirrorMatch::near);
    }
  }

  static std::uint64_t key(std::int32_t from, std::int32_t to) {
    return std::uint64_t{static_cast<std::uint32_t>(from)} << 32 | static_cast<std::uint32_t>(to);
  }

  // The image of a polygon a b c ... runs from the image of b to that of a; backwards from there follows the
  // image of c, and so on. Polygons, not triangles: triangulation does not mirror its cuts.
  void walk() {
    constexpr std::uint32_t kSeveral = UINT32_MAX;
    const std::span<const std::uint32_t> first = body_.first;
    const auto polygon_count = static_cast<std::uint32_t>(first.empty() ? 0 : first.size() - 1);
    std::unordered_map<std::uint64_t, std::uint32_t> corner_of;  // where a polygon runs along an edge
    corner_of.reserve(body_.corners.size());
    std::vector<std::vector<std::uint32_t>> around(body_.points.size());  // polygons
    std::vector<std::uint32_t> polygon_of(body_.corners.size());
    for (std::uint32_t p = 0; p < polygon_count; ++p) {
      for (std::uint32_t c = first[p]; c < first[p + 1]; ++c) {
        const auto [found, is_new] = corner_of.try_emplace(key(corner(p, c), corner(p, c + 1)), c);
        if (!is_new) found->second = kSeveral;
        around[at_point(corner(p, c))].push_back(p);
        polygon_of[c] = p;
      }
    }
    std::deque<std::uint32_t> open(polygon_count);
    std::iota(open.begin(), open.end(), 0u);
    while (!open.empty()) {
      const std::uint32_t p = open.front();
      open.pop_front();
      const std::uint32_t size = first[p + 1] - first[p];
      for (std::uint32_t c = first[p]; c < first[p + 1]; ++c) {
        const std::int32_t a = image_[at_point(corner(p, c))], b = image_[at_point(corner(p, c + 1))];
        const auto found = a == kNobody || b == kNobody ? corner_of.end() : corner_of.find(key(b, a));
        if (found == corner_of.end() || found->second == kSeveral) continue;
        const std::uint32_t other = polygon_of[found->second];
        if (first[other + 1] - first[other] != size) continue;
        for (std::uint32_t k = 2; k < size; ++k) {
          const std::int32_t from = corner(p, c + k), to = corner(other, found->second + 1 + size - k);
          if (image_[at_point(from)] != kNobody || image_[at_point(to)] != kNobody || is_astray(from, to))
            continue;
          set(at_point(from), at_point(to), MirrorMatch::walked);
          set(at_point(to), at_point(from), MirrorMatch::walked);
          for (const std::int32_t v : {from, to})
            open.insert(open.end(), around[at_point(v)].begin(), around[at_point(v)].end());
        }
      }
    }
  }

  // The point of corner `c` of polygon p; `c` counts over all polygons and wraps around.
  std::int32_t corner(std::uint32_t p, std::uint32_t c) const {
    const std::uint32_t size = body_.first[p + 1] - body_.first[p];
    return body_.corners[body_.first[p] + (c - body_.first[p]) % size];
  }

  bool is_astray(std::int32_t v, std::int32_t image) const {
    return !(length(Vec3d(body_.images[at_point(v)]) - Vec3d(body_.points[at_point(image)])) <=
             kAstrayImage * body_.size);
  }

  const MirrorBody& body_;
  std::vector<Nearest> nearest_;  // to the image of each point, in the partner of its shell
  std::vector<std::int32_t> image_;
  std::vector<MirrorMatch> match_;
};

}  // namespace

MirrorPairs pair_mirror_points(std::span<const Vec3> points, std::span<const std::int32_t> weld,
                               std::span<const std::uint32_t> first, std::span<const std::int32_t> corners,
                               const MirrorPlane& plane) {
  const WeldedSurface surface = weld_surface(weld, first, corners);
  const MirrorBody body = mirror_body(points, surface, first, corners, plane);
  const std::vector<std::vector<std::uint32_t>> shells = points_by_shell(body);
  ImageFinder finder(body);
  finder.pair_within(shells, ShellPartners(body, shells).partners());
  finder.pair_rest();
  MirrorPairs pairs;
  for (const std::int32_t v : surface.welded) {
    const std::int32_t image = finder.images()[at_point(v)];
    pairs.image.push_back(image == kNobody ? kNobody : surface.source[at_point(image)]);
    pairs.match.push_back(finder.matches()[at_point(v)]);
  }
  return pairs;
}

}  // namespace dermis
