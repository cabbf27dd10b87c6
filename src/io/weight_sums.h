// SPDX-License-Identifier: MIT
// How far the weights of a point may be from a sum of one before a picture shows it.
#pragma once

namespace dermis {

// The id of the note about rows that were normalised. Exporters that round, or keep four influences of up to
// eight, stay above this, and normalising gives what they meant, as it does for sums above one. Below it most
// of the weight is missing, and nobody knows where it should be.
inline constexpr double kLeastSum = 0.5;
inline const char* id_of_sums(double worst_sum) {
  return worst_sum < kLeastSum ? "weights-sum-wrong" : "weights-not-normalised";
}

}  // namespace dermis
