// SPDX-License-Identifier: MIT
// Packs spheres into a solid and joins them.
#include "rig/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

namespace dermis {
namespace {

// A sphere larger than this many cells reflects the limb and not the lattice.
constexpr double kLeastRadius = 1.2;
constexpr std::size_t kMostSpheres = 800;
// As a fraction of the smaller radius: how deep the path between two spheres must lie (Baran and Popovic
// 2007).
constexpr double kWayDepth = 0.5;
// Limbs that stick out by less than this share of the body's span are bumps.
constexpr double kLeastProminence = 0.02;

std::uint32_t farthest(std::span<const float> way) {
  return static_cast<std::uint32_t>(std::max_element(way.begin(), way.end()) - way.begin());
}

void march_from(const VoxelSolid& solid, std::uint32_t cell, std::span<float> way) {
  const Segment start{solid.centre(cell), solid.centre(cell)};
  march_solid(solid, {&start, 1}, {}, way);
}

// Accepted spheres by cube of a coarse lattice, to find quickly which one holds a place.
class SphereIndex {
 public:
  explicit SphereIndex(const VoxelSolid& solid) : solid_(solid) {
    for (int axis = 0; axis < 3; ++axis)
      size_[static_cast<std::size_t>(axis)] = solid.size[static_cast<std::size_t>(axis)] / kCells + 1;
    cubes_.resize(static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(size_[1]) *
                  static_cast<std::size_t>(size_[2]));
  }
  void add(std::uint32_t node, const Vec3d& centre, double radius) {
    std::array<int, 3> low{}, high{};
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      low[a] = std::max(0, cube_of(centre[axis] - radius, axis));
      high[a] = std::min(size_[a] - 1, cube_of(centre[axis] + radius, axis));
    }
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x) cubes_[place(x, y, z)].push_back(node);
  }
  std::span<const std::uint32_t> near(const Vec3d& point) const {
    return cubes_[place(cube_of(point.x, 0), cube_of(point.y, 1), cube_of(point.z, 2))];
  }

 private:
  static constexpr int kCells = 4;
  int cube_of(double value, int axis) const {
    return static_cast<int>(std::floor((value - solid_.origin[axis]) / solid_.cell)) / kCells;
  }
  std::size_t place(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size_[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(size_[0]) +
           static_cast<std::size_t>(x);
  }
  const VoxelSolid& solid_;
  std::array<int, 3> size_{};
  std::vector<std::vector<std::uint32_t>> cubes_;
};

// The largest sphere that contains the point, or none.
std::int64_t sphere_at(const SphereIndex& index, const BodyGraph& graph, const Vec3d& point) {
  std::int64_t found = -1;
  for (const std::uint32_t s : index.near(point)) {
    if (length(graph.nodes[s].centre - point) < graph.nodes[s].radius && (found < 0 || s < found)) found = s;
  }
  return found;
}

// From a cell to the linked or bridged one that is nearest to the middle.
std::uint32_t step_inwards(const BodySolid& body, std::uint32_t c) {
  std::uint32_t best = c;
  const auto offer = [&](std::uint32_t next) {
    if (body.way[next] < body.way[best]) best = next;
  };
  for (const std::int32_t next : body.solid.links[c]) {
    if (next != VoxelSolid::kNoCell) offer(static_cast<std::uint32_t>(next));
  }
  if (!body.solid.bridge_first.empty()) {
    for (std::uint32_t b = body.solid.bridge_first[c]; b < body.solid.bridge_first[c + 1]; ++b)
      offer(body.solid.bridges[b].to);
  }
  return best;
}

bool is_way_inside(const BodySolid& body, const GraphNode& a, const GraphNode& b) {
  const double distance = length(b.centre - a.centre);
  const double least = kWayDepth * std::min(a.radius, b.radius);
  const int steps = std::max(1, static_cast<int>(std::ceil(2 * distance / body.solid.cell)));
  for (int k = 1; k < steps; ++k) {
    const std::int32_t c = body.solid.find(a.centre + (b.centre - a.centre) * (double(k) / steps));
    if (c == VoxelSolid::kNoCell || body.field.depth[static_cast<std::size_t>(c)] < least) return false;
  }
  return true;
}

bool has_edge(const BodyGraph& graph, std::uint32_t a, std::uint32_t b) {
  return std::any_of(graph.edges[a].begin(), graph.edges[a].end(),
                     [&](const GraphEdge& edge) { return edge.to == b; });
}

void add_edge(BodyGraph& graph, std::uint32_t a, std::uint32_t b, double way) {
  if (a == b || has_edge(graph, a, b)) return;
  graph.edges[a].push_back({b, way});
  graph.edges[b].push_back({a, way});
}

// No other centre within the ball that has both centres at its ends (Gabriel and Sokal 1969).
bool is_gabriel(const BodyGraph& graph, std::uint32_t a, std::uint32_t b) {
  const Vec3d middle = (graph.nodes[a].centre + graph.nodes[b].centre) * 0.5;
  const double radius = 0.5 * length(graph.nodes[a].centre - graph.nodes[b].centre);
  for (std::uint32_t s = 0; s < graph.sphere_count; ++s) {
    if (s != a && s != b && length(graph.nodes[s].centre - middle) < radius) return false;
  }
  return true;
}

// Spheres that touch, or have nothing between them, with a path inside the body.
void join_neighbours(const BodySolid& body, BodyGraph& graph) {
  for (std::uint32_t a = 0; a < graph.sphere_count; ++a) {
    for (std::uint32_t b = a + 1; b < graph.sphere_count; ++b) {
      const GraphNode &m = graph.nodes[a], &n = graph.nodes[b];
      const double distance = length(m.centre - n.centre);
      if (distance > 3 * (m.radius + n.radius)) continue;
      const bool do_touch = distance < m.radius + n.radius;
      if ((do_touch || is_gabriel(graph, a, b)) && is_way_inside(body, m, n)) add_edge(graph, a, b, distance);
    }
  }
}

// Every node has a path to the middle: down the distances to the next sphere.
void join_inwards(const BodySolid& body, const SphereIndex& index, std::uint32_t node, std::uint32_t cell,
                  BodyGraph& graph) {
  for (std::uint32_t c = step_inwards(body, cell), last = cell; c != last;
       last = c, c = step_inwards(body, c)) {
    const std::int64_t s = sphere_at(index, graph, body.solid.centre(c));
    if (s < 0 || s == node) continue;
    const auto sphere = static_cast<std::uint32_t>(s);
    add_edge(graph, node, sphere, length(graph.nodes[node].centre - graph.nodes[sphere].centre));
    // A larger sphere further in continues the path; one that is no nearer to the middle is a side step.
    const std::int32_t at = body.solid.find(graph.nodes[sphere].centre);
    if (at == VoxelSolid::kNoCell || body.way[static_cast<std::size_t>(at)] < body.way[cell]) return;
  }
}

// The ends of limbs in a plane of symmetry: a muzzle between two ears is not an end of the whole body.
std::vector<LimbEnd> plane_ends(const BodySolid& body, const MirrorPlane& plane) {
  std::vector<bool> taken(body.solid.cell_count());
  for (std::size_t c = 0; c < taken.size(); ++c)
    taken[c] = std::abs(plane.side(body.solid.centre(c))) <= 0.75 * body.solid.cell;
  return find_limb_ends(body.solid, body.way, kLeastProminence * body.span + body.solid.cell, taken);
}

}  // namespace

BodySolid survey_solid(VoxelSolid solid) {
  BodySolid body;
  body.solid = std::move(solid);
  body.centres.reserve(body.solid.cell_count());
  for (std::size_t c = 0; c < body.solid.cell_count(); ++c) body.centres.push_back(body.solid.centre(c));
  body.field = measure_depth(body.solid);
  const std::vector<float>& depth = body.field.depth;
  body.way.resize(body.solid.cell_count());
  march_from(body.solid, farthest(depth), body.way);
  march_from(body.solid, farthest(body.way), body.way);
  const std::uint32_t other = farthest(body.way);
  body.span = body.way[other];
  std::vector<float> back(body.way.size());
  march_from(body.solid, other, back);
  // Halfway between the two ends that are farthest apart, as deep as possible.
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t c = 0; c < back.size(); ++c) {
    const double far = std::max(body.way[c], back[c]) - 0.5 * depth[c];
    if (far < best) {
      best = far;
      body.middle = c;
    }
  }
  march_from(body.solid, body.middle, body.way);
  body.ends = find_limb_ends(body.solid, body.way, kLeastProminence * body.span + body.solid.cell);
  return body;
}

BodyGraph pack_spheres(const BodySolid& body, std::span<const BodyMirror> planes) {
  const VoxelSolid& solid = body.solid;
  BodyGraph graph;
  SphereIndex index(solid);
  std::vector<std::uint32_t> cells;
  for (const std::uint32_t c : medial_cells(solid, body.field)) {
    const double radius = body.field.depth[c];
    if (graph.nodes.size() >= kMostSpheres || radius < kLeastRadius * solid.cell) break;
    const Vec3d centre = solid.centre(c);
    if (sphere_at(index, graph, centre) >= 0) continue;
    index.add(static_cast<std::uint32_t>(graph.nodes.size()), centre, radius);
    graph.nodes.push_back({centre, radius});
    cells.push_back(c);
  }
  graph.sphere_count = graph.nodes.size();
  const auto add_end = [&](const LimbEnd& end, std::int32_t plane) {
    graph.nodes.push_back({solid.centre(end.cell), body.field.depth[end.cell], end.prominence, plane});
    cells.push_back(end.cell);
  };
  for (const LimbEnd& end : body.ends) add_end(end, -1);
  for (std::size_t p = 0; p < planes.size(); ++p) {
    for (const LimbEnd& end : plane_ends(body, planes[p].plane)) add_end(end, static_cast<std::int32_t>(p));
  }
  graph.edges.resize(graph.nodes.size());
  join_neighbours(body, graph);
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) join_inwards(body, index, n, cells[n], graph);
  return graph;
}

Ways shortest_ways(const BodyGraph& graph, std::span<const std::uint32_t> from,
                   std::span<const double> head_start) {
  Ways ways;
  ways.length.assign(graph.nodes.size(), std::numeric_limits<double>::infinity());
  ways.before.resize(graph.nodes.size());
  std::iota(ways.before.begin(), ways.before.end(), 0u);
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const double start = head_start.empty() ? 0 : head_start[k];
    if (!(start < ways.length[from[k]])) continue;
    ways.length[from[k]] = start;
    queue.emplace(start, from[k]);
  }
  while (!queue.empty()) {
    const auto [way, n] = queue.top();
    queue.pop();
    if (way > ways.length[n]) continue;
    for (const GraphEdge& edge : graph.edges[n]) {
      if (way + edge.length < ways.length[edge.to]) {
        ways.length[edge.to] = way + edge.length;
        ways.before[edge.to] = n;
        queue.emplace(way + edge.length, edge.to);
      }
    }
  }
  return ways;
}

}  // namespace dermis
