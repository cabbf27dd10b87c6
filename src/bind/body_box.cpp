// SPDX-License-Identifier: MIT
// The bounding box of a body, without single points that are far away.
#include "bind/body_box.h"

#include <algorithm>
#include <vector>

namespace dermis {
namespace {

// The box of a body leaves out one point in kStray at each end of an axis, and at least one if there are kFew
// or more; then it grows by kGrowth times its diagonal: only points that are really far away stay outside.
constexpr std::size_t kStray = 200, kFew = 20;
constexpr double kGrowth = 2;

}  // namespace

bool BodyBox::holds(const Vec3& point) const {
  const Vec3d p(point);
  for (int axis = 0; axis < 3; ++axis) {
    if (p[axis] < most.lower[axis] || p[axis] > most.upper[axis]) return false;
  }
  return true;
}

BodyBox body_box(std::span<const Vec3> points) {
  const std::size_t left_out = points.size() < kFew ? 0 : points.size() / kStray + 1;
  BodyBox body;
  std::vector<float> values(points.size());
  for (int axis = 0; axis < 3; ++axis) {
    std::transform(points.begin(), points.end(), values.begin(), [&](const Vec3& p) { return p[axis]; });
    const auto low = values.begin() + static_cast<std::ptrdiff_t>(left_out);
    const auto high = values.end() - 1 - static_cast<std::ptrdiff_t>(left_out);
    std::nth_element(values.begin(), low, values.end());
    body.most.lower[axis] = double{*low};
    std::nth_element(low, high, values.end());
    body.most.upper[axis] = double{*high};
  }
  const double reach = kGrowth * body.most.diagonal();
  body.most.lower -= Vec3d{reach, reach, reach};
  body.most.upper += Vec3d{reach, reach, reach};
  for (const Vec3& point : points) {
    if (body.holds(point)) {
      body.near.add(Vec3d(point));
    } else {
      ++body.far_count;
    }
  }
  return body;
}

}  // namespace dermis
