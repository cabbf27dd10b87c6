// SPDX-License-Identifier: MIT
// A tree of boxes around triangles along a Morton curve, and the pairs of triangles that cross.
#include <algorithm>
#include <array>
#include <cmath>

#include "dermis/geometry.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;
using Bounds = TriangleTree::Bounds;

constexpr std::size_t kTreeGrain = 4096;
constexpr std::size_t kLeafGrain = 64;
// Ranges of leaves searched before checking whether there are enough pairs: bounds the memory if everything
// crosses everything.
constexpr std::size_t kRangesAtOnce = 16;
constexpr int kMortonBits = 21;  // of each coordinate

Bounds bounds_of(std::span<const Vec3> points, const Triangle& t) {
  const Vec3 &a = points[t[0]], &b = points[t[1]], &c = points[t[2]];
  return {{std::min({a.x, b.x, c.x}), std::min({a.y, b.y, c.y}), std::min({a.z, b.z, c.z})},
          {std::max({a.x, b.x, c.x}), std::max({a.y, b.y, c.y}), std::max({a.z, b.z, c.z})}};
}

Bounds joined(const Bounds& a, const Bounds& b) {
  return {{std::min(a.lower.x, b.lower.x), std::min(a.lower.y, b.lower.y), std::min(a.lower.z, b.lower.z)},
          {std::max(a.upper.x, b.upper.x), std::max(a.upper.y, b.upper.y), std::max(a.upper.z, b.upper.z)}};
}

// Branchless: most tests fail, but on any of the six comparisons.
bool do_overlap(const Bounds& a, const Bounds& b) {
  return (a.lower.x <= b.upper.x) & (b.lower.x <= a.upper.x) & (a.lower.y <= b.upper.y) &
         (b.lower.y <= a.upper.y) & (a.lower.z <= b.upper.z) & (b.lower.z <= a.upper.z);
}

// The lowest bits of x, with two zero bits between neighbours.
std::uint64_t spread_bits(std::uint64_t x) {
  std::uint64_t spread = 0;
  for (int bit = 0; bit < kMortonBits; ++bit) spread |= (x >> bit & 1u) << (3 * bit);
  return spread;
}

std::vector<std::uint32_t> morton_order(std::span<const Vec3> points, std::span<const Triangle> triangles) {
  Box box;
  for (const Vec3& p : points) box.add(Vec3d(p));
  const Vec3d size = box.upper - box.lower;
  const double longest = std::max({size.x, size.y, size.z, 1e-300});
  const double scale = static_cast<double>((1 << kMortonBits) - 1) / (3 * longest);
  struct Key {
    std::uint64_t code;
    std::uint32_t triangle;
  };
  std::vector<Key> keys(triangles.size());
  parallel_for(triangles.size(), kTreeGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Vec3d sum =
          Vec3d(points[triangles[t][0]]) + Vec3d(points[triangles[t][1]]) + Vec3d(points[triangles[t][2]]);
      std::uint64_t code = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double place = std::clamp((sum[axis] - 3 * box.lower[axis]) * scale, 0.0, 3 * longest * scale);
        code |= spread_bits(static_cast<std::uint64_t>(place)) << axis;
      }
      keys[t] = {code, static_cast<std::uint32_t>(t)};
    }
  });
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.code != b.code ? a.code < b.code : a.triangle < b.triangle;
  });
  std::vector<std::uint32_t> order(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) order[k] = keys[k].triangle;
  return order;
}

std::vector<std::size_t> level_starts(std::size_t triangle_count) {
  std::vector<std::size_t> first{0};
  std::size_t width = (triangle_count + TriangleTree::kLeafTriangles - 1) / TriangleTree::kLeafTriangles;
  while (width > 0) {
    first.push_back(first.back() + width);
    width = width == 1 ? 0 : (width + 1) / 2;
  }
  return first;
}

// The groups below each node of the tree, one bit per group.
std::vector<std::uint8_t> groups_below(const TriangleTree& tree, std::span<const std::uint8_t> group) {
  std::vector<std::uint8_t> below(tree.bounds.size(), 0);
  for (std::size_t k = 0; k < tree.order.size(); ++k) {
    below[k / TriangleTree::kLeafTriangles] |= static_cast<std::uint8_t>(1u << group[tree.order[k]]);
  }
  for (std::size_t level = 1; level + 1 < tree.level_first.size(); ++level) {
    const std::size_t width_below = tree.level_first[level] - tree.level_first[level - 1];
    for (std::size_t i = 0; i < width_below; ++i)
      below[tree.level_first[level] + i / 2] |= below[tree.level_first[level - 1] + i];
  }
  return below;
}

// True if there is exactly one group, and not group 0, whose triangles move independently.
bool is_one_group(std::uint8_t groups) { return (groups & 1u) == 0 && (groups & (groups - 1u)) == 0; }

// Finds the partners of one leaf among itself and the leaves after it.
class LeafSearch {
 public:
  LeafSearch(const TriangleTree& tree, std::span<const Vec3> points, std::span<const Triangle> triangles,
             std::span<const std::uint8_t> group)
      : tree_(tree), points_(points), triangles_(triangles), group_(group) {
    if (!group.empty()) below_ = groups_below(tree, group);
  }

  void run(std::size_t leaf, std::vector<TrianglePair>& pairs) const {
    if (may_meet(leaf, leaf)) test_leaves(leaf, leaf, pairs);
    // The leaves after it are below the right-hand siblings on the path to the root.
    std::size_t index = leaf;
    for (std::size_t level = 0; level + 2 < tree_.level_first.size(); ++level, index /= 2) {
      if (index % 2 == 0 && index + 1 < width_of(level)) search_below(leaf, {level, index + 1}, pairs);
    }
  }

 private:
  struct Place {
    std::size_t level, index;
  };
  std::size_t width_of(std::size_t level) const {
    return tree_.level_first[level + 1] - tree_.level_first[level];
  }

  void search_below(std::size_t leaf, Place top, std::vector<TrianglePair>& pairs) const {
    // Each level adds at most one pending node while the search descends.
    std::array<Place, 64> to_do;
    std::size_t count = 0;
    to_do[count++] = top;
    while (count > 0) {
      const auto [level, index] = to_do[--count];
      if (!may_meet(leaf, tree_.level_first[level] + index)) continue;
      if (level == 0) {
        test_leaves(leaf, index, pairs);
        continue;
      }
      if (2 * index + 1 < width_of(level - 1)) to_do[count++] = {level - 1, 2 * index + 1};
      to_do[count++] = {level - 1, 2 * index};
    }
  }

  bool may_meet(std::size_t a, std::size_t b) const {
    if (!do_overlap(tree_.bounds[a], tree_.bounds[b])) return false;
    return below_.empty() || !is_one_group(below_[a] | below_[b]);
  }

  void test_leaves(std::size_t a, std::size_t b, std::vector<TrianglePair>& pairs) const {
    constexpr std::size_t kWide = TriangleTree::kLeafTriangles;
    const std::size_t end_a = std::min((a + 1) * kWide, tree_.order.size());
    const std::size_t end_b = std::min((b + 1) * kWide, tree_.order.size());
    for (std::size_t i = a * kWide; i < end_a; ++i) {
      const std::uint32_t s = tree_.order[i];
      if (tree_.is_flat[s] != 0) continue;
      const Bounds around = bounds_of(points_, triangles_[s]);
      if (a != b && !do_overlap(around, tree_.bounds[b])) continue;
      for (std::size_t j = a == b ? i + 1 : b * kWide; j < end_b; ++j) {
        const std::uint32_t t = tree_.order[j];
        if (tree_.is_flat[t] != 0 || (!group_.empty() && group_[s] != 0 && group_[s] == group_[t])) continue;
        if (!do_overlap(around, bounds_of(points_, triangles_[t]))) continue;
        if (do_triangles_cross(points_, triangles_[s], triangles_[t]))
          pairs.push_back({std::min(s, t), std::max(s, t)});
      }
    }
  }

  const TriangleTree& tree_;
  std::span<const Vec3> points_;
  std::span<const Triangle> triangles_;
  std::span<const std::uint8_t> group_;
  std::vector<std::uint8_t> below_;
};

}  // namespace

TriangleTree triangle_tree(std::span<const Vec3> points, std::span<const Triangle> triangles) {
  TriangleTree tree;
  tree.order = morton_order(points, triangles);
  tree.is_flat.resize(triangles.size());
  tree.level_first = level_starts(triangles.size());
  tree.bounds.resize(tree.level_first.back());
  refit(tree, points, triangles);
  return tree;
}

void refit(TriangleTree& tree, std::span<const Vec3> points, std::span<const Triangle> triangles) {
  constexpr std::size_t kWide = TriangleTree::kLeafTriangles;
  parallel_for(tree.leaf_count(), kTreeGrain / kWide, [&](std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      for (std::size_t k = leaf * kWide; k < std::min((leaf + 1) * kWide, tree.order.size()); ++k) {
        const Triangle& t = triangles[tree.order[k]];
        tree.is_flat[tree.order[k]] = is_flat(points[t[0]], points[t[1]], points[t[2]]) ? 1 : 0;
        const Bounds around = bounds_of(points, t);
        tree.bounds[leaf] = k == leaf * kWide ? around : joined(tree.bounds[leaf], around);
      }
    }
  });
  for (std::size_t level = 1; level + 1 < tree.level_first.size(); ++level) {
    const Bounds* below = tree.bounds.data() + tree.level_first[level - 1];
    const std::size_t width_below = tree.level_first[level] - tree.level_first[level - 1];
    for (std::size_t i = 0; i < width_below; i += 2) {
      tree.bounds[tree.level_first[level] + i / 2] =
          i + 1 < width_below ? joined(below[i], below[i + 1]) : below[i];
    }
  }
}

Intersections self_intersections(const TriangleTree& tree, std::span<const Vec3> points,
                                 std::span<const Triangle> triangles, const IntersectionOptions& options) {
  Intersections found;
  found.flat_count = static_cast<std::size_t>(std::count(tree.is_flat.begin(), tree.is_flat.end(), 1));
  const LeafSearch search(tree, points, triangles, options.group);
  for (std::size_t start = 0; start < tree.leaf_count() && found.is_complete;
       start += kRangesAtOnce * kLeafGrain) {
    const std::size_t leaves = std::min(kRangesAtOnce * kLeafGrain, tree.leaf_count() - start);
    std::array<std::vector<TrianglePair>, kRangesAtOnce> of_range;
    parallel_for(leaves, kLeafGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<TrianglePair>& pairs = of_range[begin / kLeafGrain];
      for (std::size_t leaf = begin; leaf < end && pairs.size() <= options.max_pairs; ++leaf)
        search.run(start + leaf, pairs);
    });
    for (const std::vector<TrianglePair>& pairs : of_range)
      found.pairs.insert(found.pairs.end(), pairs.begin(), pairs.end());
    found.is_complete = found.pairs.size() <= options.max_pairs;
  }
  if (!found.is_complete) found.pairs.resize(options.max_pairs);
  std::sort(found.pairs.begin(), found.pairs.end());
  return found;
}

}  // namespace dermis
