// SPDX-License-Identifier: MIT
// What the arrangement of a skin and the kernels that read it agree on.
#pragma once

#include <cstddef>

#include "dermis/deform.h"

namespace dermis {

// The longest shared list of joints. Longer ones pay anyhow for what most of their points do not use.
inline constexpr std::size_t kMaxListed = 32;

inline std::size_t block_count_of(std::size_t point_count) {
  return (point_count + kBlockPoints - 1) / kBlockPoints;
}

}  // namespace dermis
