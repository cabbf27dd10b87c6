// SPDX-License-Identifier: MIT
// Sums that are the same to the last bit on any number of threads.
#pragma once

#include <vector>

#include "dermis/base.h"

namespace dermis {

// The sum of value(i) for i below `count`: ranges of fixed length in parallel, then their sums in order of
// range.
template <class Value>
double ordered_sum(std::size_t count, const Value& value, std::size_t grain = 4096) {
  std::vector<double> of_range(count / grain + 1, 0.0);
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += value(i);
    of_range[begin / grain] = sum;
  });
  double sum = 0;
  for (const double part : of_range) sum += part;
  return sum;
}

}  // namespace dermis
