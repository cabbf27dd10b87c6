// SPDX-License-Identifier: MIT
// Generalized winding numbers: near triangles one by one, far ones as dipoles.
#include <algorithm>
#include <cmath>

#include "dermis/geometry.h"

namespace dermis {
namespace {

using Node = WindingTree::Node;

constexpr std::size_t kWide = TriangleTree::kLeafTriangles;
constexpr std::size_t kWindingGrain = 1024;
// A node approximates its triangles beyond this many radii (Barill et al. use 2 with one order more).
constexpr double kFarRadii = 2.5;

Vec3d centre_of(const std::array<Vec3, 3>& t) {
  return (Vec3d(t[0]) + Vec3d(t[1]) + Vec3d(t[2])) * (1.0 / 3);
}
Vec3d area_of(const std::array<Vec3, 3>& t) {
  return cross(Vec3d(t[1]) - Vec3d(t[0]), Vec3d(t[2]) - Vec3d(t[0])) * 0.5;
}

Node node_of_leaf(std::span<const std::array<Vec3, 3>> triangles) {
  Node node;
  node.moment = diagonal(Vec3d{});
  Vec3d sum, plain;
  double weight = 0;
  for (const auto& t : triangles) {
    const double area = length(area_of(t));
    sum += centre_of(t) * area;
    plain += centre_of(t);
    weight += area;
  }
  node.centre = weight > 0 ? sum * (1 / weight) : plain * (1 / static_cast<double>(triangles.size()));
  for (const auto& t : triangles) {
    node.area += area_of(t);
    node.moment = node.moment + outer(centre_of(t) - node.centre, area_of(t));
    for (const Vec3& p : t) node.radius = std::max(node.radius, length(Vec3d(p) - node.centre));
  }
  return node;
}

// The distance to the furthest corner of a box.
double reach_of(const TriangleTree::Bounds& bounds, const Vec3d& from) {
  const Vec3d lower = from - Vec3d(bounds.lower), upper = Vec3d(bounds.upper) - from;
  return length(Vec3d{std::max(lower.x, upper.x), std::max(lower.y, upper.y), std::max(lower.z, upper.z)});
}

Node node_of_pair(const Node& a, const Node& b, const TriangleTree::Bounds& bounds) {
  Node node;
  // By the spread of the two: areas cancel in closed parts, so they do not measure position.
  const double reach = a.radius + b.radius;
  node.centre = reach > 0 ? lerp(a.centre, b.centre, b.radius / reach) : (a.centre + b.centre) * 0.5;
  node.area = a.area + b.area;
  node.moment =
      a.moment + b.moment + outer(a.centre - node.centre, a.area) + outer(b.centre - node.centre, b.area);
  node.radius =
      std::min(std::max(length(a.centre - node.centre) + a.radius, length(b.centre - node.centre) + b.radius),
               reach_of(bounds, node.centre));
  return node;
}

// The exact solid angle of one triangle, divided by that of the sphere (Van Oosterom and Strackee 1983).
double solid_angle(const std::array<Vec3, 3>& t, const Vec3d& place) {
  const Vec3d a = Vec3d(t[0]) - place, b = Vec3d(t[1]) - place, c = Vec3d(t[2]) - place;
  const double la = length(a), lb = length(b), lc = length(c);
  const double above = dot(a, cross(b, c));
  const double below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return above == 0 && below <= 0 ? 0.0 : std::atan2(above, below) / (2 * kPi);
}

// The dipole and its gradient term: area . g + moment : grad g with g = r / (4 pi |r|^3).
double far_angle(const Node& node, const Vec3d& r, double squared) {
  const double inverse = 1 / squared, cubed = inverse / std::sqrt(squared);
  const double trace = node.moment.x.x + node.moment.y.y + node.moment.z.z;
  return cubed * (dot(node.area, r) + trace - 3 * inverse * dot(r, node.moment * r)) / (4 * kPi);
}

}  // namespace

WindingTree winding_tree(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles) {
  const TriangleTree boxes = triangle_tree(points, triangles);
  WindingTree tree;
  tree.level_first = boxes.level_first;
  tree.corners.resize(triangles.size());
  tree.nodes.resize(boxes.bounds.size());
  parallel_for(boxes.leaf_count(), kWindingGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const std::size_t first = leaf * kWide, last = std::min(first + kWide, triangles.size());
      for (std::size_t k = first; k < last; ++k) {
        const SurfaceMesh::Triangle& t = triangles[boxes.order[k]];
        tree.corners[k] = {points[t[0]], points[t[1]], points[t[2]]};
      }
      tree.nodes[leaf] = node_of_leaf({tree.corners.data() + first, last - first});
    }
  });
  for (std::size_t level = 1; level + 1 < tree.level_first.size(); ++level) {
    const Node* below = tree.nodes.data() + tree.level_first[level - 1];
    const std::size_t width_below = tree.level_first[level] - tree.level_first[level - 1];
    for (std::size_t i = 0; i < width_below; i += 2) {
      const std::size_t node = tree.level_first[level] + i / 2;
      tree.nodes[node] =
          i + 1 < width_below ? node_of_pair(below[i], below[i + 1], boxes.bounds[node]) : below[i];
    }
  }
  return tree;
}

double winding_number(const WindingTree& tree, const Vec3d& place) {
  if (tree.nodes.empty()) return 0;
  struct Place {
    std::size_t level, index;
  };
  // Each level adds at most one pending node while the search descends.
  std::array<Place, 64> to_do;
  std::size_t count = 0;
  to_do[count++] = {tree.level_first.size() - 2, 0};
  double sum = 0;
  while (count > 0) {
    const auto [level, index] = to_do[--count];
    const Node& node = tree.nodes[tree.level_first[level] + index];
    const Vec3d r = node.centre - place;
    const double squared = dot(r, r);
    if (squared > kFarRadii * kFarRadii * node.radius * node.radius) {
      sum += far_angle(node, r, squared);
    } else if (level == 0) {
      const std::size_t last = std::min((index + 1) * kWide, tree.corners.size());
      for (std::size_t k = index * kWide; k < last; ++k) sum += solid_angle(tree.corners[k], place);
    } else {
      const std::size_t width_below = tree.level_first[level] - tree.level_first[level - 1];
      if (2 * index + 1 < width_below) to_do[count++] = {level - 1, 2 * index + 1};
      to_do[count++] = {level - 1, 2 * index};
    }
  }
  return sum;
}

}  // namespace dermis
