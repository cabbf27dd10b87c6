// SPDX-License-Identifier: MIT
// Conventions shared by the arrangement of a skin and the kernels that read it.
#pragma once

#include <cstddef>

#include "dermis/deform.h"

namespace dermis {

// The longest shared list of joints. Longer ones cost too much for joints that most of their points do not
// use.
inline constexpr std::size_t kMaxListed = 32;

// The index of the heaviest joint (ties: the first) among weights kBlockPoints apart.
inline std::size_t heaviest_of(const float* weights, std::size_t width) {
  std::size_t heaviest = 0;
  for (std::size_t k = 1; k < width; ++k) {
    if (weights[k * kBlockPoints] > weights[heaviest * kBlockPoints]) heaviest = k;
  }
  return heaviest;
}

inline std::size_t block_count_of(std::size_t point_count) {
  return (point_count + kBlockPoints - 1) / kBlockPoints;
}

// The vector of point v in blocks of `width` numbers per point: 3, or 4 with a w that is left out.
inline Vec3 vector_at(const AlignedVector<float>& blocks, std::size_t v, std::size_t width) {
  const float* at = blocks.data() + v / kBlockPoints * width * kBlockPoints + v % kBlockPoints;
  return {at[0], at[kBlockPoints], at[2 * kBlockPoints]};
}

}  // namespace dermis
