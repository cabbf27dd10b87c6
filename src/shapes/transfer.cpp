// SPDX-License-Identifier: MIT
// Carries shapes to another mesh: how triangles of the source turn and stretch, and what points of the target
// do to follow.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "shapes/surface.h"

namespace dermis {
namespace {

// Meshes whose median point is this near, as a fraction of the diagonal, and whose sizes differ by less than
// kSameSize, lie on each other already.
constexpr double kOnEachOther = 0.02, kSameSize = 0.05;
constexpr int kAlignRounds = 30;
// Alignment has settled if the sum of distances falls by less than this share.
constexpr double kSettled = 1e-3;
// How strongly points are tied to where the source would carry them, beside how their triangles turn.
constexpr double kTie = 1e-3;
// Points further than this many edges from any that the source moves stand still.
constexpr int kReach = 1;
// The places of a triangle's corners fall together if they span less than this share of its area.
constexpr double kLeastArea = 0.05;
// A triangle of the source that faces away is of another layer (the other lip). It is looked for again from
// this far outside, as a fraction of the diagonal.
constexpr double kOutside = 0.02;
// Right-hand sides that are solved at once: shapes, each with three coordinates.
constexpr std::size_t kBatch = 4;

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// ---- Alignment ------------------------------------------------------------------------------------------

Eigen::Vector3d eigen(const Vec3d& v) { return {v.x, v.y, v.z}; }
Vec3d ours(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

// p to scale * R p + t.
Affined similarity(std::span<const Vec3d> from, std::span<const Vec3d> to) {
  Eigen::Matrix3Xd a(3, static_cast<Eigen::Index>(from.size())), b(3, a.cols());
  for (std::size_t k = 0; k < from.size(); ++k) {
    a.col(static_cast<Eigen::Index>(k)) = eigen(from[k]);
    b.col(static_cast<Eigen::Index>(k)) = eigen(to[k]);
  }
  const Eigen::Matrix4d m = Eigen::umeyama(a, b, true);
  Affined map;
  map.linear = {ours(m.block<3, 1>(0, 0)), ours(m.block<3, 1>(0, 1)), ours(m.block<3, 1>(0, 2))};
  map.translation = ours(m.block<3, 1>(0, 3));
  return map;
}

std::vector<Vec3> mapped(const Affined& map, std::span<const Vec3> points) {
  std::vector<Vec3> out;
  out.reserve(points.size());
  for (const Vec3& point : points) out.emplace_back(map * Vec3d(point));
  return out;
}

double median_distance(std::span<const Vec3> from, std::span<const Vec3> to) {
  std::vector<double> distances;
  for (const Nearest& one : nearest_points(from, to)) distances.push_back(one.distance);
  return median_of(std::move(distances));
}

// Sixty turns that leave none further than 45 degrees from one of them: the rotations of an icosahedron, as
// the 120 vertices of the 600-cell without their opposites.
std::vector<Quatd> even_turns() {
  const double large = (1 + std::sqrt(5.0)) / 4, small = large - 0.5;
  std::vector<Quatd> turns{{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  for (int signs = 0; signs < 8; ++signs) {
    const auto sign = [&](int bit) { return (signs >> bit & 1) != 0 ? -1.0 : 1.0; };
    turns.push_back({0.5 * sign(0), 0.5 * sign(1), 0.5 * sign(2), 0.5});
    // The even permutations of (large, 1/2, small, 0), of which opposites are left out by a positive first
    // number.
    if (sign(0) < 0) continue;
    const double a = large, c = 0.5 * sign(1), d = small * sign(2);
    for (const std::array<double, 4>& q : std::initializer_list<std::array<double, 4>>{{a, c, d, 0},
                                                                                       {a, d, 0, c},
                                                                                       {a, 0, c, d},
                                                                                       {c, a, 0, d},
                                                                                       {d, a, c, 0},
                                                                                       {0, a, d, c},
                                                                                       {c, d, a, 0},
                                                                                       {d, 0, a, c},
                                                                                       {0, c, a, d},
                                                                                       {c, 0, d, a},
                                                                                       {d, c, 0, a},
                                                                                       {0, d, c, a}})
      turns.push_back({q[0], q[1], q[2], q[3]});
  }
  return turns;
}

// At most this many points, evenly chosen.
std::vector<Vec3> some_of(std::span<const Vec3> points, std::size_t most) {
  std::vector<Vec3> chosen;
  const std::size_t step = std::max<std::size_t>(1, points.size() / most);
  for (std::size_t v = 0; v < points.size(); v += step) chosen.push_back(points[v]);
  return chosen;
}

// A placing of the source, and the sum of the distances from the target's points to it.
struct Aligned {
  Affined map;
  double sum = INFINITY;
};

// Moves, turns and scales the source until its points are nearest to the target's (Besl, McKay 1992, both
// ways, with the scale of Umeyama 1991).
Aligned settled(Affined map, std::span<const Vec3> source, std::span<const Vec3> target,
                const Progress& progress) {
  Aligned best{map};
  for (int round = 0; round < kAlignRounds && !progress.is_stopped(); ++round) {
    const std::vector<Vec3> placed = mapped(map, source);
    const std::vector<Nearest> there = nearest_points(placed, target), back = nearest_points(target, placed);
    std::vector<Vec3d> own, wanted;
    for (std::size_t v = 0; v < source.size(); ++v) {
      own.emplace_back(source[v]);
      wanted.emplace_back(target[there[v].point]);
    }
    double sum = 0;
    for (std::size_t v = 0; v < target.size(); ++v) {
      own.emplace_back(source[back[v].point]);
      wanted.emplace_back(target[v]);
      sum += back[v].distance;
    }
    const bool is_settled = !(sum < best.sum * (1 - kSettled));
    if (sum < best.sum) best = {map, sum};
    if (is_settled) break;
    map = similarity(own, wanted);
  }
  return best;
}

// From even turns about the middle of the box, on some of the points; then the best with all of them.
Affined nearest_alignment(std::span<const Vec3> source, std::span<const Vec3> target,
                          const Progress& progress) {
  Box from, to;
  for (const Vec3& point : source) from.add(Vec3d(point));
  for (const Vec3& point : target) to.add(Vec3d(point));
  const double scale = from.diagonal() > 0 ? to.diagonal() / from.diagonal() : 1;
  if (std::abs(scale - 1) < kSameSize && median_distance(target, source) < kOnEachOther * to.diagonal())
    return {};
  constexpr std::size_t kSome = 500;
  const std::vector<Vec3> few_source = some_of(source, kSome), few_target = some_of(target, kSome);
  Aligned best;
  for (const Quatd& turn : even_turns()) {
    if (progress.is_stopped()) break;
    Affined map;
    map.linear = matrix_from_quat(normalized(turn)) * scale;
    map.translation = to.centre() - map.linear * from.centre();
    const Aligned aligned = settled(map, few_source, few_target, progress);
    if (aligned.sum < best.sum) best = aligned;
  }
  return settled(best.map, source, target, progress).map;
}

// The thin-plate spline in space (Duchon 1977: the kernel is the distance) that moves the source of each pair
// to its target, and as little else as possible.
class Warp {
 public:
  static Result<Warp> through(std::span<const PointPair> pairs) {
    constexpr std::size_t kLeast = 4;
    if (pairs.size() < kLeast)
      return Error{Errc::bad_argument, fmt::format("only {} of places given; at least four are needed",
                                                   counted(pairs.size(), "pair", "pairs"))};
    constexpr std::size_t kMost = 1000;  // the system is dense: its cost is cubic
    if (pairs.size() > kMost)
      return Error{Errc::bad_argument,
                   fmt::format("{} pairs of places are given; at most {} can be used", pairs.size(), kMost)};
    const auto n = static_cast<Eigen::Index>(pairs.size());
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n + 4, n + 4);
    Eigen::MatrixXd wanted = Eigen::MatrixXd::Zero(n + 4, 3);
    for (Eigen::Index i = 0; i < n; ++i) {
      const PointPair& pair = pairs[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < n; ++j)
        system(i, j) = length(pair.source - pairs[static_cast<std::size_t>(j)].source);
      system.block<1, 4>(i, n) << 1, pair.source.x, pair.source.y, pair.source.z;
      system.block<4, 1>(n, i) = system.block<1, 4>(i, n).transpose();
      wanted.row(i) = eigen(pair.target).transpose();
    }
    const Eigen::FullPivLU<Eigen::MatrixXd> factors(system);
    if (!factors.isInvertible())
      return Error{Errc::bad_argument, "the pairs of places repeat a place, or their sources lie in a plane"};
    Warp warp;
    warp.weights_ = factors.solve(wanted);
    for (const PointPair& pair : pairs) warp.centres_.push_back(pair.source);
    return warp;
  }

  Vec3d operator()(const Vec3d& point) const {
    const auto n = static_cast<Eigen::Index>(centres_.size());
    Eigen::Vector3d sum = (weights_.row(n) + point.x * weights_.row(n + 1) + point.y * weights_.row(n + 2) +
                           point.z * weights_.row(n + 3))
                              .transpose();
    for (Eigen::Index k = 0; k < n; ++k)
      sum += length(point - centres_[static_cast<std::size_t>(k)]) * weights_.row(k).transpose();
    return ours(sum);
  }

 private:
  std::vector<Vec3d> centres_;
  Eigen::MatrixXd weights_;
};

// ---- Triangles ------------------------------------------------------------------------------------------

// Edges of a triangle and a third direction across it, in the square root of its area (Sumner, Popovic 2004).
Mat3d frame_of(const SurfaceMesh::Triangle& t, std::span<const Vec3> points) {
  const Vec3d a(points[t[0]]), u = Vec3d(points[t[1]]) - a, v = Vec3d(points[t[2]]) - a, n = cross(u, v);
  const double area = length(n);
  return {u, v, area > 0 ? n * (1 / std::sqrt(area)) : Vec3d{}};
}

// How a triangle turns and stretches; the identity if it has no area.
Mat3d gradient(const SurfaceMesh::Triangle& t, std::span<const Vec3> rest, std::span<const Vec3> moved) {
  const Mat3d frame = frame_of(t, rest);
  const double volume = determinant(frame);
  if (!(std::abs(volume) > 0) || !std::isfinite(1 / volume)) return {};
  const Mat3d turned = frame_of(t, moved) * inverse(frame);
  return is_finite(turned.x) && is_finite(turned.y) && is_finite(turned.z) ? turned : Mat3d{};
}

double area_of(const SurfaceMesh::Triangle& t, std::span<const Vec3> points) {
  const Vec3d a(points[t[0]]);
  return length(cross(Vec3d(points[t[1]]) - a, Vec3d(points[t[2]]) - a)) / 2;
}
Vec3d centre_of(const SurfaceMesh::Triangle& t, std::span<const Vec3> points) {
  return (Vec3d(points[t[0]]) + Vec3d(points[t[1]]) + Vec3d(points[t[2]])) * (1.0 / 3);
}
Vec3d normal_of(const SurfaceMesh::Triangle& t, std::span<const Vec3> points) {
  return normalized(
      cross(Vec3d(points[t[1]]) - Vec3d(points[t[0]]), Vec3d(points[t[2]]) - Vec3d(points[t[0]])));
}

// A surface to find places on.
struct PlacedSurface {
  std::vector<Vec3> points;  // welded
  std::vector<SurfaceMesh::Triangle> triangles;
  TriangleTree tree;
  double size = 0;

  // The closest place whose triangle does not face away from `normal`, if there is one near.
  ClosestPoint closest(const Vec3d& place, const Vec3d& normal) const {
    ClosestPoint found = closest_point(tree, points, triangles, place);
    if (found.triangle < 0 || dot(normal_of(triangles[at(found.triangle)], points), normal) >= 0)
      return found;
    const ClosestPoint outer = closest_point(tree, points, triangles, place + normal * (kOutside * size));
    const bool is_better =
        outer.triangle >= 0 && dot(normal_of(triangles[at(outer.triangle)], points), normal) >= 0;
    return is_better ? outer : found;
  }
};

PlacedSurface surface_of(const WeldedSurface& welded, std::span<const Vec3> points) {
  PlacedSurface surface;
  for (const Index v : welded.source) surface.points.push_back(points[at(v)]);
  surface.triangles = welded.triangles;
  surface.tree = triangle_tree(surface.points, surface.triangles);
  surface.size = diagonal_of(surface.points);
  return surface;
}

WeldedSurface welded_surface(const Mesh& mesh) {
  return weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
}

// Where the points and triangles of the target are on the source.
struct Correspondence {
  std::vector<ClosestPoint> of_point;
  std::vector<std::int32_t> of_triangle;  // the triangle of the source nearest to each
};

Correspondence find_correspondence(const PlacedSurface& source, const PlacedSurface& target) {
  Correspondence found;
  std::vector<Vec3d> normals(target.points.size());
  for (const SurfaceMesh::Triangle& t : target.triangles)
    for (const std::uint32_t v : t) normals[v] += normal_of(t, target.points);
  found.of_point.resize(target.points.size());
  constexpr std::size_t kGrain = 256;
  parallel_for(target.points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      found.of_point[v] = source.closest(Vec3d(target.points[v]), normalized(normals[v]));
  });
  found.of_triangle.resize(target.triangles.size());
  parallel_for(target.triangles.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      found.of_triangle[t] = source
                                 .closest(centre_of(target.triangles[t], target.points),
                                          normal_of(target.triangles[t], target.points))
                                 .triangle;
  });
  return found;
}

// The triangles at each edge, in the order of the Laplacian's weights.
class EdgeGradients {
 public:
  EdgeGradients(const Laplacian& laplacian, std::span<const SurfaceMesh::Triangle> triangles)
      : sides_(laplacian.neighbours.size()) {
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
        sides_[edge(laplacian, a, b)].push_back(static_cast<std::uint32_t>(t));
        sides_[edge(laplacian, b, a)].push_back(static_cast<std::uint32_t>(t));
      }
    }
  }
  // The mean of the gradients of the triangles at an edge.
  Mat3d at_edge(std::size_t e, std::span<const Mat3d> gradients) const {
    Mat3d sum = diagonal(Vec3d{});
    for (const std::uint32_t t : sides_[e]) sum = sum + gradients[t];
    return sum * (1.0 / static_cast<double>(std::max<std::size_t>(sides_[e].size(), 1)));
  }

 private:
  static std::size_t edge(const Laplacian& laplacian, std::uint32_t from, std::uint32_t to) {
    const auto begin = laplacian.neighbours.begin();
    const auto row = begin + laplacian.first[from], end = begin + laplacian.first[from + 1];
    return static_cast<std::size_t>(std::lower_bound(row, end, to) - begin);
  }
  std::vector<std::vector<std::uint32_t>> sides_;
};

// ---- One transfer ---------------------------------------------------------------------------------------

class Transfer {
 public:
  Transfer(const Mesh& source, const Mesh& target)
      : source_mesh_(source),
        target_mesh_(target),
        welded_(welded_surface(source)),
        own_(welded_surface(target)) {}

  Result<ShapeTransfer> run(const ShapeTransferOptions& options, const Progress& progress) {
    if (welded_.triangles.empty() || own_.triangles.empty())
      return Error{Errc::bad_argument, "a mesh without polygons has no surface to carry shapes over"};
    if (Status aligned = align(options, progress); !aligned) return aligned.error();
    source_ = surface_of(welded_, placed(source_mesh_.points));
    target_ = surface_of(own_, target_mesh_.points);
    const auto is_place = [](const Vec3& point) { return is_finite(point); };
    if (!std::all_of(source_.points.begin(), source_.points.end(), is_place) || !(target_.size > 0))
      return Error{Errc::bad_argument,
                   "the source cannot be laid on the target; are its places far too large, or is "
                   "the target a single point?"};
    if (Status going = progress.at("finding the same places", 0.2); !going) return going.error();
    found_ = find_correspondence(source_, target_);
    if (Status going = progress.at("factoring", 0.4); !going) return going.error();
    const Laplacian laplacian = cotangent_laplacian(target_.points, target_.triangles);
    mass_.resize(target_.points.size());
    for (std::size_t v = 0; v < mass_.size(); ++v)
      mass_[v] = laplacian.diagonal[v] > 0 ? kTie * laplacian.diagonal[v] : 1;
    const Result<LaplacianSolver> solver = factor_laplacian(laplacian, mass_, 1);
    if (!solver) return solver.error();
    const EdgeGradients edges(laplacian, target_.triangles);
    ShapeTransfer result = measured();
    for (std::size_t s = 0; s < source_mesh_.shapes.size(); s += kBatch) {
      const std::size_t end = std::min(s + kBatch, source_mesh_.shapes.size());
      const double fraction =
          0.5 + 0.5 * static_cast<double>(s) / static_cast<double>(source_mesh_.shapes.size());
      if (Status going = progress.at("carrying shapes", fraction); !going) return going.error();
      solve(laplacian, edges, *solver, s, end, result.shapes);
    }
    return result;
  }

 private:
  Status align(const ShapeTransferOptions& options, const Progress& progress) {
    if (options.pairs.empty()) {
      map_ = nearest_alignment(source_mesh_.points, target_mesh_.points, progress.part(0, 0.2));
      return Done{};
    }
    Result<Warp> warp = Warp::through(options.pairs);
    if (!warp) return warp.error();
    warp_ = std::move(*warp);
    return Done{};
  }
  // Points of the source where the target is.
  std::vector<Vec3> placed(std::span<const Vec3> points) const {
    if (!warp_) return mapped(map_, points);
    std::vector<Vec3> out;
    out.reserve(points.size());
    for (const Vec3& point : points) out.emplace_back((*warp_)(Vec3d(point)));
    return out;
  }

  ShapeTransfer measured() const {
    ShapeTransfer result;
    std::vector<double> distances;
    for (std::size_t v = 0; v < target_.points.size(); ++v)
      distances.push_back(length(place_of(found_.of_point[v], source_.points) - Vec3d(target_.points[v])));
    result.farthest = *std::max_element(distances.begin(), distances.end()) / target_.size;
    result.distance = median_of(std::move(distances)) / target_.size;
    return result;
  }

  Vec3d place_of(const ClosestPoint& on, std::span<const Vec3> points) const {
    const SurfaceMesh::Triangle& t = source_.triangles[at(on.triangle)];
    return Vec3d(points[t[0]]) * on.shares[0] + Vec3d(points[t[1]]) * on.shares[1] +
           Vec3d(points[t[2]]) * on.shares[2];
  }

  // The welded points of the source in one shape, where the target is.
  std::vector<Vec3> moved_source(const Shape& shape) const {
    std::vector<Vec3> points = source_mesh_.points;
    for (std::size_t k = 0; k < shape.points.size(); ++k)
      points[at(shape.points[k])] = points[at(shape.points[k])] + shape.offsets[k];
    points = placed(points);
    std::vector<Vec3> welded;
    for (const Index v : welded_.source) welded.push_back(points[at(v)]);
    return welded;
  }

  void solve(const Laplacian& laplacian, const EdgeGradients& edges, const LaplacianSolver& solver,
             std::size_t begin, std::size_t end, std::vector<Shape>& shapes) const {
    const std::size_t count = target_.points.size(), width = 3 * (end - begin);
    std::vector<double> rows(count * width);
    std::vector<std::vector<bool>> may_move;
    for (std::size_t s = begin; s < end; ++s) {
      std::vector<bool>& moves = may_move.emplace_back(count, false);
      const std::vector<Vec3> moved = moved_source(source_mesh_.shapes[s]);
      const std::vector<Mat3d> gradients = target_gradients(moved);
      for (std::size_t v = 0; v < count; ++v) {
        const Vec3d rest(target_.points[v]);
        const ClosestPoint& on = found_.of_point[v];
        const Vec3d offset = place_of(on, moved) - place_of(on, source_.points);
        moves[v] = offset != Vec3d{};
        Vec3d sum = (rest + offset) * mass_[v];
        for (std::uint32_t e = laplacian.first[v]; e < laplacian.first[v + 1]; ++e) {
          const Vec3d edge = rest - Vec3d(target_.points[laplacian.neighbours[e]]);
          sum += edges.at_edge(e, gradients) * edge * laplacian.weights[e];
        }
        double* row = &rows[v * width + 3 * (s - begin)];
        row[0] = sum.x, row[1] = sum.y, row[2] = sum.z;
      }
      grow(laplacian, moves);
    }
    solver.solve(rows, width);
    for (std::size_t s = begin; s < end; ++s) {
      std::vector<Vec3> points(target_mesh_.points.size());
      for (std::size_t v = 0; v < points.size(); ++v) {
        const std::size_t w = at(own_.welded[v]);
        const double* row = &rows[w * width + 3 * (s - begin)];
        points[v] = may_move[s - begin][w] ? Vec3(Vec3d{row[0], row[1], row[2]}) : target_mesh_.points[v];
      }
      shapes.push_back(shape_of_sculpt(target_mesh_, points, {}));
      shapes.back().name = source_mesh_.shapes[s].name;
    }
  }

  // The gradient of each triangle of the target: that of the triangle between the places of its corners on
  // the source, which averages over finer triangles there. Where these places fall together, that of the
  // nearest triangle.
  std::vector<Mat3d> target_gradients(std::span<const Vec3> moved) const {
    std::vector<Mat3d> gradients(target_.triangles.size());
    for (std::size_t t = 0; t < gradients.size(); ++t) {
      const SurfaceMesh::Triangle& triangle = target_.triangles[t];
      std::array<Vec3, 3> rest, now;
      for (std::size_t k = 0; k < 3; ++k) {
        const ClosestPoint& on = found_.of_point[triangle[k]];
        rest[k] = Vec3(place_of(on, source_.points));
        now[k] = Vec3(place_of(on, moved));
      }
      constexpr SurfaceMesh::Triangle kCorners{0, 1, 2};
      const bool is_whole = area_of(kCorners, rest) > kLeastArea * area_of(triangle, target_.points);
      gradients[t] = is_whole ? gradient(kCorners, rest, now)
                              : gradient(source_.triangles[at(found_.of_triangle[t])], source_.points, moved);
    }
    return gradients;
  }

  // Adds the neighbours, kReach times.
  static void grow(const Laplacian& laplacian, std::vector<bool>& moves) {
    for (int ring = 0; ring < kReach; ++ring) {
      const std::vector<bool> before = moves;
      for (std::size_t v = 0; v < before.size(); ++v) {
        for (std::uint32_t e = laplacian.first[v]; before[v] && e < laplacian.first[v + 1]; ++e)
          moves[laplacian.neighbours[e]] = true;
      }
    }
  }

  const Mesh &source_mesh_, &target_mesh_;
  WeldedSurface welded_, own_;  // of the source and of the target
  Affined map_;
  std::optional<Warp> warp_;  // instead of the map
  PlacedSurface source_, target_;
  Correspondence found_;
  std::vector<double> mass_;  // of the ties
};

}  // namespace

Result<ShapeTransfer> transfer_shapes(const Mesh& source, const Mesh& target,
                                      const ShapeTransferOptions& options, const Progress& progress) {
  return without_throwing("carrying shapes", [&] { return Transfer(source, target).run(options, progress); });
}

}  // namespace dermis
