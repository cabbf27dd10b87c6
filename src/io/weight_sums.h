// SPDX-License-Identifier: MIT
// How far the weights of a point may be from a sum of one before a picture shows it.
#pragma once

#include <cmath>

namespace dermis {

// The id of the note about rows that were normalised. Exporters that round, or keep four influences of up to
// eight, stay within this; normalising gives what they meant. Beyond it most of the weight is missing, and
// nobody knows where it should be.
inline constexpr double kVisibleSum = 0.5;
inline const char* id_of_sums(double worst_sum) {
  return std::abs(worst_sum - 1) > kVisibleSum ? "weights-sum-wrong" : "weights-not-normalised";
}

}  // namespace dermis
