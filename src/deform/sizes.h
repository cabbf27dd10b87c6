// SPDX-License-Identifier: MIT
// The size checks at the entry of references and kernels.
#pragma once

#include <cstdlib>

#include "dermis/deform.h"

namespace dermis {

// Always on, because the code after it would write out of bounds.
inline void require(bool is_met) {
  if (!is_met) std::abort();
}

inline void check_sizes(const WeightRows& rows, const RestSurface& rest, const PosedSurface& posed) {
  const std::size_t count = rest.points.size();
  const auto is_all_or_none = [&](std::size_t size) { return size == 0 || size == count; };
  require(count == 0 || rows.first.size() == count + 1);
  require(is_all_or_none(rest.normals.size()) && is_all_or_none(rest.tangents.size()));
  require(is_all_or_none(posed.points.size()));
  require(posed.normals.empty() || posed.normals.size() == rest.normals.size());
  require(posed.tangents.empty() || posed.tangents.size() == rest.tangents.size());
}

// At the entry of kernels, whose mesh has `count` points.
inline void check_kernel_sizes(std::size_t count, const RestBlocks& rest, const PosedSurface& posed,
                               const PointRange& range) {
  require(rest.point_count == count);
  require(posed.points.empty() || posed.points.size() == count);
  require(posed.normals.empty() || (posed.normals.size() == count && !rest.normals.empty()));
  require(posed.tangents.empty() || (posed.tangents.size() == count && !rest.tangents.empty()));
  require(range.begin % kRangePoints == 0);
}

inline void check_gradients(const ReferenceOptions& options, const RestSurface& rest) {
  require(options.normals != NormalMode::exact ||
          (options.gradients != nullptr && options.gradients->first.size() == rest.points.size() + 1));
}

}  // namespace dermis
