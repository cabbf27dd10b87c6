// SPDX-License-Identifier: MIT
// Weights from plain distances: the nearest joint, or all within an envelope.
#include <algorithm>
#include <cmath>

#include "bind/places.h"

namespace dermis {
namespace {

constexpr std::size_t kDistanceGrain = 1024;

// Fills rows; `weigh` turns the distances of all joints into weights, zero for no influence.
template <class Weigh>
Result<BoundRows> rows_by_distance(const BindSurface& surface, const BindSkeleton& skeleton,
                                   const Progress& progress, const Weigh& weigh) {
  if (const Status bindable = check_bindable(surface, skeleton); !bindable) return bindable.error();
  if (const Status going = progress.at("measuring distances", 0); !going) return going.error();
  const std::size_t joint_count = skeleton.joint_count();
  const std::size_t range_count = (surface.points.size() + kDistanceGrain - 1) / kDistanceGrain;
  std::vector<WeightRowBuilder> ranges(range_count);
  parallel_for(surface.points.size(), kDistanceGrain, [&](std::size_t begin, std::size_t end) {
    WeightRowBuilder& builder = ranges[begin / kDistanceGrain];
    std::vector<double> distances(joint_count);
    for (std::size_t v = begin; v < end && !progress.is_stopped(); ++v) {
      joint_distances(skeleton, Vec3d(surface.points[v]), distances);
      weigh(distances);
      for (std::size_t j = 0; j < joint_count; ++j)
        builder.add(static_cast<Index>(j), static_cast<float>(distances[j]));
      builder.close_row(INFINITY);
    }
  });
  if (const Status going = progress.at("measuring distances", 0.9); !going) return going.error();
  BoundRows bound;
  bound.rows.first.push_back(0);
  for (WeightRowBuilder& range : ranges) {
    const WeightRows rows = range.take();
    for (std::size_t v = 1; v < rows.first.size(); ++v) {
      const std::span<const Influence> row = rows.row(v - 1);
      bound.rows.influences.insert(bound.rows.influences.end(), row.begin(), row.end());
      bound.rows.first.push_back(static_cast<std::uint32_t>(bound.rows.influences.size()));
    }
  }
  return bound;
}

}  // namespace

Result<BoundRows> bind_rigid(const BindSurface& surface, const BindSkeleton& skeleton,
                             const Progress& progress) {
  return without_throwing("binding by the nearest joint", [&]() -> Result<BoundRows> {
    return rows_by_distance(surface, skeleton, progress, [](std::vector<double>& values) {
      const auto nearest = std::min_element(values.begin(), values.end()) - values.begin();
      std::fill(values.begin(), values.end(), 0.0);
      values[static_cast<std::size_t>(nearest)] = 1;
    });
  });
}

Result<BoundRows> bind_distance(const BindSurface& surface, const BindSkeleton& skeleton,
                                const DistanceOptions& options, const Progress& progress) {
  return without_throwing("binding by distance", [&]() -> Result<BoundRows> {
    if (!(options.radius > 0) || !std::isfinite(options.radius))
      return Error{Errc::bad_argument, "the radius of the envelopes must be above zero"};
    const double radius = options.radius * surface.size;
    return rows_by_distance(surface, skeleton, progress, [&](std::vector<double>& values) {
      const double nearest = *std::min_element(values.begin(), values.end());
      for (double& value : values) {
        const double share = std::max(0.0, 1 - (value - nearest) / radius);
        value = share * share;
      }
    });
  });
}

}  // namespace dermis
