// SPDX-License-Identifier: MIT
// How far the weights of a point may be from a sum of one before a picture shows it.
#pragma once

#include <cmath>

namespace dermis {

// The id of the note about rows that were normalised. Programs that do not normalise move a point by this
// fraction of its distance from the origin; exporters that round, or drop small weights, stay below it.
inline constexpr double kVisibleSum = 0.05;
inline const char* id_of_sums(double worst_sum) {
  return std::abs(worst_sum - 1) > kVisibleSum ? "weights-sum-wrong" : "weights-not-normalised";
}

}  // namespace dermis
