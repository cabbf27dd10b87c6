// SPDX-License-Identifier: MIT
// Finds the plane that best mirrors a set of points onto itself.
#include <algorithm>
#include <cmath>

#include "dermis/geometry.h"

namespace dermis {
namespace {

// A plane, and the largest distance from a mirror image among the better half of the points.
struct FittedPlane {
  MirrorPlane plane;
  double distance = INFINITY;
};

// Refines a given plane: pairs each sampled point with the point nearest to its mirror image, keeps the
// nearer half of the pairs, moves the plane half-way between them, and repeats.
FittedPlane fitted_near(MirrorPlane plane, std::span<const Vec3> points) {
  constexpr std::size_t kSamples = 4000;
  constexpr int kRounds = 8;
  const std::size_t stride = points.size() / kSamples + 1;
  std::vector<Vec3> sample;
  for (std::size_t v = 0; v < points.size(); v += stride) sample.push_back(points[v]);
  FittedPlane fitted;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Vec3> images;
    images.reserve(sample.size());
    for (const Vec3& p : sample) images.push_back(Vec3(plane.mirrored(Vec3d(p))));
    const std::vector<Nearest> nearest = nearest_points(images, points);
    std::vector<double> distances;
    distances.reserve(nearest.size());
    for (const Nearest& near : nearest) distances.push_back(near.distance);
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    if (*middle < fitted.distance) fitted = {plane, *middle};
    Vec3d across, between;
    double count = 0;
    for (std::size_t k = 0; k < sample.size(); ++k) {
      if (nearest[k].distance > *middle) continue;
      const Vec3d p(sample[k]), q(points[nearest[k].point]);
      across += (p - q) * (dot(plane.normal, p - q) < 0 ? -1.0 : 1.0);
      between += (p + q) * 0.5;
      ++count;
    }
    if (!(length(across) > 0)) break;
    plane.normal = normalized(across);
    plane.offset = dot(plane.normal, between) / count;
  }
  return fitted;
}

}  // namespace

MirrorPlane fit_mirror_plane(std::span<const Vec3> points, const MirrorPlane& start) {
  Box box;
  for (const Vec3& p : points) box.add(Vec3d(p));
  const Vec3d& n = start.normal;
  const int axis = std::abs(n.x) >= std::abs(n.y) && std::abs(n.x) >= std::abs(n.z) ? 0
                   : std::abs(n.y) >= std::abs(n.z)                                 ? 1
                                                                                    : 2;
  MirrorPlane across{{}, box.centre()[axis]};
  across.normal[axis] = 1;
  const FittedPlane a = fitted_near(start, points), b = fitted_near(across, points);
  return a.distance < b.distance ? a.plane : b.plane;
}

}  // namespace dermis
