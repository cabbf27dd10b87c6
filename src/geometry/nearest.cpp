// SPDX-License-Identifier: MIT
// Nearest points by a k-d tree.
#include <cmath>
#include <limits>
#include <nanoflann.hpp>

#include "dermis/geometry.h"

namespace dermis {
namespace {

// Leaves of this size are scanned: the library recommends 10 to 50.
constexpr std::size_t kLeafSize = 12;
constexpr std::size_t kQueryGrain = 1024;

// How the tree reads the points.
struct PointSource {
  std::span<const Vec3> points;
  std::size_t kdtree_get_point_count() const { return points.size(); }
  double kdtree_get_pt(std::size_t v, std::size_t axis) const {
    return static_cast<double>(points[v][static_cast<int>(axis)]);
  }
  template <class Bounds>
  bool kdtree_get_bbox(Bounds&) const {
    return false;
  }
};

// Keeps the nearest point, the lowest if several are equally near, whatever order the tree visits them in.
class LowestNearest {
 public:
  using DistanceType = double;
  std::size_t size() const { return 1; }
  bool full() const { return true; }
  bool addPoint(double squared, std::size_t v) {
    if (squared < squared_ || (squared == squared_ && v < point_)) {
      squared_ = squared;
      point_ = v;
    }
    return true;
  }
  // The tree reports only points nearer than this: one step further includes equal distances.
  double worstDist() const { return std::nextafter(squared_, std::numeric_limits<double>::infinity()); }
  Nearest result() const { return {point_, std::sqrt(squared_)}; }

 private:
  double squared_ = std::numeric_limits<double>::max();
  std::size_t point_ = std::numeric_limits<std::size_t>::max();
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, PointSource>,
                                                 PointSource, 3, std::size_t>;

}  // namespace

std::vector<Nearest> nearest_points(std::span<const Vec3> queries, std::span<const Vec3> points) {
  assert(!points.empty() || queries.empty());
  std::vector<Nearest> nearest(queries.size());
  if (points.empty()) return nearest;
  const PointSource source{points};
  const Tree tree(3, source, nanoflann::KDTreeSingleIndexAdaptorParams(kLeafSize));
  parallel_for(queries.size(), kQueryGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t q = begin; q < end; ++q) {
      const Vec3d query(queries[q]);
      LowestNearest found;
      tree.findNeighbors(found, &query.x, nanoflann::SearchParams());
      nearest[q] = found.result();
    }
  });
  return nearest;
}

}  // namespace dermis
