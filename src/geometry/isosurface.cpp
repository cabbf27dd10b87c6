// SPDX-License-Identifier: MIT
// Surface nets on a sparse grid, relaxed onto the zero set, simplified and mirrored.
#include <algorithm>
#include <cmath>

#include "dermis/geometry.h"
#include "geometry/sample_grid.h"
#include "geometry/simplify.h"

namespace dermis {
namespace {

using PointIndex = std::uint32_t;
using Quad = std::array<PointIndex, 4>;
constexpr PointIndex kNoPoint = 0xffffffffu;
// Points per task: a few field evaluations each.
constexpr std::size_t kPointGrain = 1024;

// Rounds of relaxation after extraction: enough to even out the staircase of the cells.
constexpr int kNetRounds = 4;
// When the mesh is simplified afterwards, its points only have to be on the surface and not too uneven.
constexpr int kRoughRounds = 1;
// Rounds of flips and relaxation after simplification.
constexpr int kSimplifiedRounds = 3;
// Fraction of the distance to its neighbours' mean that a point moves in one round.
constexpr double kRelaxStep = 0.6;
// Fraction of its distance to the mirror plane that a point keeps in one round: only seam points lie on it.
constexpr double kKeptDistance = 0.25;

struct Net {
  std::vector<Vec3d> points;
  std::vector<Quad> quads;
  bool is_torn = false;  // a quad needed a cell that was not sampled
};

// ---- Surface nets -------------------------------------------------------------------------------------

// The mean of the points where the cell's edges cross zero; false if the cell has one sign.
bool cell_point(const SampleGrid& grid, const GridPlace& cell, Vec3d& out) {
  float values[8];
  unsigned inside = 0;
  for (int c = 0; c < 8; ++c) {
    values[c] = grid.value({cell.x + (c & 1), cell.y + ((c >> 1) & 1), cell.z + (c >> 2)});
    inside |= static_cast<unsigned>(values[c] < 0) << c;
  }
  if (inside == 0 || inside == 0xff) return false;
  Vec3d sum;
  int count = 0;
  for (int c = 0; c < 8; ++c)
    for (int axis = 0; axis < 3; ++axis) {
      const int d = c | 1 << axis;
      if (d == c || ((inside >> c) & 1u) == ((inside >> d) & 1u)) continue;
      const double t =
          static_cast<double>(values[c]) / (static_cast<double>(values[c]) - static_cast<double>(values[d]));
      Vec3d at(c & 1, (c >> 1) & 1, c >> 2);
      at[axis] = t;
      sum += at;
      ++count;
    }
  out = grid.position(cell) + sum * (grid.cell() / count);
  if (grid.is_mirrored() && cell.x == 0) out.x = 0;
  return true;
}

// Numbers the cells that contain surface, block by block, and computes their points.
std::vector<std::array<PointIndex, kBlockSize>> place_points(const SampleGrid& grid, Net& net) {
  const auto& blocks = grid.blocks();
  std::vector<std::array<PointIndex, kBlockSize>> index(blocks.size());
  std::vector<std::vector<Vec3d>> points(blocks.size());
  parallel_for(blocks.size(), kBlockGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      for (int z = 0; z < kBlockEdge; ++z)
        for (int y = 0; y < kBlockEdge; ++y)
          for (int x = 0; x < kBlockEdge; ++x) {
            const GridPlace first = blocks[b].first;
            Vec3d p;
            const bool is_crossed = cell_point(grid, {first.x + x, first.y + y, first.z + z}, p);
            index[b][index_in_block(x, y, z)] =
                is_crossed ? static_cast<PointIndex>(points[b].size()) : kNoPoint;
            if (is_crossed) points[b].push_back(p);
          }
  });
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const PointIndex first = static_cast<PointIndex>(net.points.size());
    for (PointIndex& i : index[b])
      if (i != kNoPoint) i += first;
    net.points.insert(net.points.end(), points[b].begin(), points[b].end());
  }
  return index;
}

// One quad per grid edge whose ends differ in sign, through the four cells around the edge.
void join_points(const SampleGrid& grid, const std::vector<std::array<PointIndex, kBlockSize>>& index,
                 Net& net) {
  const auto& blocks = grid.blocks();
  const auto point_of = [&](const GridPlace& cell) {
    const int b = grid.active_block(cell);
    if (b < 0) return kNoPoint;
    const GridPlace& first = blocks[static_cast<std::size_t>(b)].first;
    return index[static_cast<std::size_t>(b)]
                [index_in_block(cell.x - first.x, cell.y - first.y, cell.z - first.z)];
  };
  std::vector<std::vector<Quad>> quads(blocks.size());
  const auto visit = [&](std::size_t b, const GridPlace& s) {
    const bool is_inside = grid.value(s) < 0;
    for (int axis = 0; axis < 3; ++axis) {
      // Edges in the sample layer beyond the mirror plane belong to the other half.
      if (grid.is_mirrored() && s.x == 0 && axis != 0) continue;
      const GridPlace e{s.x + (axis == 0), s.y + (axis == 1), s.z + (axis == 2)};
      if ((grid.value(e) < 0) == is_inside) continue;
      // u, v follow the axis in cyclic order, so the ring is anticlockwise seen from its tip.
      const GridPlace u{axis == 2, axis == 0, axis == 1}, v{axis == 1, axis == 2, axis == 0};
      Quad q{point_of({s.x - u.x - v.x, s.y - u.y - v.y, s.z - u.z - v.z}),
             point_of({s.x - v.x, s.y - v.y, s.z - v.z}), point_of(s),
             point_of({s.x - u.x, s.y - u.y, s.z - u.z})};
      if (!is_inside) std::swap(q[1], q[3]);
      quads[b].push_back(q);
    }
  };
  parallel_for(blocks.size(), kBlockGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const GridPlace first = blocks[b].first;
      for (int z = 0; z < kBlockEdge; ++z)
        for (int y = 0; y < kBlockEdge; ++y)
          for (int x = 0; x < kBlockEdge; ++x) visit(b, {first.x + x, first.y + y, first.z + z});
    }
  });
  for (const auto& list : quads)
    for (const Quad& q : list) {
      net.is_torn |= std::find(q.begin(), q.end(), kNoPoint) != q.end();
      net.quads.push_back(q);
    }
}

// ---- Relaxation ---------------------------------------------------------------------------------------

// The points joined to each point by an edge, in ascending order.
struct Neighbours {
  std::vector<std::uint32_t> first;
  std::vector<PointIndex> list;
};

template <std::size_t Corners>
Neighbours neighbours_of(std::size_t point_count, const std::vector<std::array<PointIndex, Corners>>& faces) {
  std::vector<std::uint32_t> first(point_count + 1, 0);
  for (const auto& face : faces)
    for (const PointIndex v : face) first[v + 1] += 2;
  for (std::size_t v = 0; v < point_count; ++v) first[v + 1] += first[v];
  std::vector<PointIndex> list(first.back());
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  for (const auto& face : faces)
    for (std::size_t k = 0; k < Corners; ++k) {
      list[fill[face[k]]++] = face[(k + 1) % Corners];
      list[fill[face[k]]++] = face[(k + Corners - 1) % Corners];
    }
  // Each neighbour appears once for each face at the edge: keep one.
  Neighbours result;
  result.first.assign(point_count + 1, 0);
  result.list.reserve(list.size() / 2 + point_count);
  for (std::size_t v = 0; v < point_count; ++v) {
    const auto begin = list.begin() + first[v], end = list.begin() + first[v + 1];
    std::sort(begin, end);
    result.list.insert(result.list.end(), begin, std::unique(begin, end));
    result.first[v + 1] = static_cast<std::uint32_t>(result.list.size());
  }
  return result;
}

// How far each point may move in a round of relaxation: a full step where the surface is flat up to its
// neighbours, none where it curves away before them. Even spacing there would erode ears and fingers.
std::vector<double> flat_steps(const Neighbours& neighbours, const std::vector<Vec3d>& normals) {
  const double kFlat = std::cos(radians_from_degrees(15)), kBent = std::cos(radians_from_degrees(45));
  std::vector<double> steps(normals.size());
  for (std::size_t v = 0; v < normals.size(); ++v) {
    double agreement = 1;
    for (std::uint32_t n = neighbours.first[v]; n < neighbours.first[v + 1]; ++n)
      agreement = std::min(agreement, dot(normals[v], normals[neighbours.list[n]]));
    steps[v] = kRelaxStep * std::clamp((agreement - kBent) / (kFlat - kBent), 0.0, 1.0);
  }
  return steps;
}

// One round: each point moves towards the mean of its neighbours along the surface, then back onto it. Points
// on the mirror plane stay on it, using the mirror images of their neighbours.
void relax(const SampleGrid& grid, const Neighbours& neighbours, std::span<const double> steps,
           std::vector<Vec3d>& points) {
  const std::vector<Vec3d> old = points;
  parallel_for(points.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const bool is_seam = grid.is_mirrored() && old[v].x == 0;
      Vec3d sum;
      double weight = 0, shortest = INFINITY;
      for (std::uint32_t n = neighbours.first[v]; n < neighbours.first[v + 1]; ++n) {
        const Vec3d& p = old[neighbours.list[n]];
        const double w = is_seam && p.x != 0 ? 2.0 : 1.0;
        sum += p * w;
        weight += w;
        shortest = std::min(shortest, length(p - old[v]));
      }
      if (weight == 0) continue;
      const Vec3d normal = normalized(grid.gradient(old[v]).direction);
      Vec3d move = sum * (1.0 / weight) - old[v];
      move -= normal * dot(move, normal);
      Vec3d p = grid.projected(old[v] + move * steps[v], std::max(grid.cell(), shortest));
      if (is_seam)
        p.x = 0;
      else if (grid.is_mirrored())
        p.x = std::max(p.x, kKeptDistance * old[v].x);
      points[v] = p;
    }
  });
}

void set_normals(const SampleGrid& grid, SurfaceMesh& mesh) {
  mesh.normals.resize(mesh.points.size());
  parallel_for(mesh.points.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      mesh.normals[v] = normalized(grid.gradient(mesh.points[v]).direction);
  });
}

// ---- Triangles ----------------------------------------------------------------------------------------

// Smallest sine-like measure of a triangle: twice the area over the squared longest edge.
double fairness(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const double longest = std::max({dot(b - a, b - a), dot(c - b, c - b), dot(a - c, a - c)});
  return longest > 0 ? length(cross(b - a, c - a)) / longest : 0;
}

// Splits each quad along the diagonal that gives the fairer triangles.
void split_quads(const std::vector<Quad>& quads, SurfaceMesh& mesh) {
  mesh.triangles.resize(quads.size() * 2);
  parallel_for(quads.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Quad& q = quads[i];
      const Vec3d &a = mesh.points[q[0]], &b = mesh.points[q[1]], &c = mesh.points[q[2]],
                  &d = mesh.points[q[3]];
      const double along_ac = std::min(fairness(a, b, c), fairness(a, c, d));
      const double along_bd = std::min(fairness(a, b, d), fairness(b, c, d));
      const bool is_ac = along_ac >= along_bd;
      mesh.triangles[2 * i] =
          is_ac ? SurfaceMesh::Triangle{q[0], q[1], q[2]} : SurfaceMesh::Triangle{q[0], q[1], q[3]};
      mesh.triangles[2 * i + 1] =
          is_ac ? SurfaceMesh::Triangle{q[0], q[2], q[3]} : SurfaceMesh::Triangle{q[1], q[2], q[3]};
    }
  });
}

// Coarse triangles span nostrils and creases, and a point may be on their walls: if the gradient points away
// from the triangles around a point, their mean is used instead.
void mend_normals(const SampleGrid& grid, SurfaceMesh& mesh) {
  const double kAgreement = std::cos(radians_from_degrees(45));
  std::vector<Vec3d> mean(mesh.points.size());
  for (const auto& t : mesh.triangles) {
    const Vec3d& a = mesh.points[t[0]];
    const Vec3d twice_area = cross(mesh.points[t[1]] - a, mesh.points[t[2]] - a);
    for (const PointIndex v : t) mean[v] += twice_area;
  }
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    // The mirrored triangles at a seam point cancel the sideways component.
    if (grid.is_mirrored() && mesh.points[v].x == 0) mean[v].x = 0;
    const Vec3d n = normalized(mean[v]);
    if (dot(n, mesh.normals[v]) < kAgreement && dot(n, n) > 0.5) mesh.normals[v] = n;
  }
}

// Adds the other half: points with x = 0 are shared.
void mirror(SurfaceMesh& mesh) {
  const std::size_t half = mesh.points.size(), half_triangles = mesh.triangles.size();
  std::vector<PointIndex> image(half);
  for (std::size_t v = 0; v < half; ++v) {
    const Vec3d p = mesh.points[v], n = mesh.normals[v];
    image[v] = p.x == 0 ? static_cast<PointIndex>(v) : static_cast<PointIndex>(mesh.points.size());
    if (p.x == 0) continue;
    mesh.points.push_back({-p.x, p.y, p.z});
    mesh.normals.push_back({-n.x, n.y, n.z});
  }
  for (std::size_t t = 0; t < half_triangles; ++t) {
    const SurfaceMesh::Triangle tri = mesh.triangles[t];
    mesh.triangles.push_back({image[tri[0]], image[tri[2]], image[tri[1]]});
  }
}

std::size_t full_count(const SampleGrid& grid, const std::vector<Vec3d>& points) {
  if (!grid.is_mirrored()) return points.size();
  const auto seam = std::count_if(points.begin(), points.end(), [](const Vec3d& p) { return p.x == 0; });
  return 2 * points.size() - static_cast<std::size_t>(seam);
}

// Simplifies and evens out the triangles. Coarse meshes are reached in stages, evened out after each, so that
// long triangles that block further collapses do not accumulate.
void simplify(const SampleGrid& grid, std::size_t max_points, SurfaceMesh& mesh) {
  constexpr std::size_t kCoarse = 8000;
  const std::vector<double> stages =
      max_points < kCoarse ? std::vector<double>{4.0, 2.0, 1.4, 1.0} : std::vector<double>{1.0};
  for (const double stage : stages) {
    const auto wanted = static_cast<std::size_t>(stage * static_cast<double>(max_points));
    if (full_count(grid, mesh.points) <= wanted) continue;
    mesh = simplify_surface(mesh, wanted);
    for (int round = 0; round < kSimplifiedRounds; ++round) {
      flip_to_delaunay(mesh);
      const Neighbours neighbours = neighbours_of(mesh.points.size(), mesh.triangles);
      relax(grid, neighbours, flat_steps(neighbours, mesh.normals), mesh.points);
      set_normals(grid, mesh);
    }
    flip_to_delaunay(mesh);
  }
  mend_normals(grid, mesh);
}

Result<SurfaceMesh> mesh_grid(const SampleGrid& grid, const IsosurfaceOptions& options,
                              const Progress& progress) {
  Net net;
  join_points(grid, place_points(grid, net), net);
  if (net.quads.empty()) return Error{Errc::bad_argument, "the field has no surface in the given box"};
  if (net.is_torn)
    return Error{Errc::bad_argument, "the surface leaves the given box or its field is not continuous"};
  const Neighbours neighbours = neighbours_of(net.points.size(), net.quads);
  const bool is_simplified = options.max_points > 0 && full_count(grid, net.points) > options.max_points;
  const int rounds = is_simplified ? kRoughRounds : kNetRounds;
  const std::vector<double> steps(net.points.size(), kRelaxStep);
  for (int round = 0; round < rounds; ++round) {
    if (Status s = progress.at("relaxing the surface", 0.4 + 0.1 * round); !s) return s.error();
    relax(grid, neighbours, steps, net.points);
  }
  SurfaceMesh mesh;
  mesh.points = std::move(net.points);
  set_normals(grid, mesh);
  split_quads(net.quads, mesh);
  if (is_simplified) {
    if (Status s = progress.at("simplifying", 0.8); !s) return s.error();
    simplify(grid, options.max_points, mesh);
  }
  if (options.is_mirrored) mirror(mesh);
  return mesh;
}

}  // namespace

Result<SurfaceMesh> mesh_isosurface(const Field& field, const IsosurfaceOptions& options,
                                    const Progress& progress) {
  return without_throwing("meshing a surface", [&]() -> Result<SurfaceMesh> {
    if (!(options.cell > 0) || options.box.is_empty())
      return Error{Errc::bad_argument,
                   "a surface can only be meshed with a positive cell and a box that contains it"};
    Result<SampleGrid> grid = SampleGrid::build(field, options, progress);
    if (!grid) return grid.error();
    return mesh_grid(*grid, options, progress);
  });
}

}  // namespace dermis
