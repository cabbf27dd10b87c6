// SPDX-License-Identifier: MIT
// Coarser and coarser versions of a sparse system on a surface.
#pragma once

#include <cstdint>
#include <vector>

#include "dermis/base.h"
#include "dermis/geometry.h"

namespace dermis {

// Rows of numbers that are mostly zero.
struct SparseRows {
  std::vector<std::uint32_t> first;   // row count + 1
  std::vector<std::uint32_t> column;  // ascending within a row
  std::vector<float> value;

  std::size_t count() const { return first.size() - 1; }
};

// A symmetric positive definite matrix, and how its unknowns follow those of the next coarser level.
struct SparseLevel {
  SparseRows beside;             // the entries beside the diagonal
  std::vector<double> diagonal;  // positive
  SparseRows rise;  // of each unknown, its shares of the coarser ones; at the last level all rows are empty
  SparseRows fall;  // the same by coarser unknown; no row at the last level

  std::size_t count() const { return diagonal.size(); }
};

// diag(mass) + laplacian on the first level, whose entries beside the diagonal are rounded to floats, and on
// the coarser ones the same for smoothed aggregates of unknowns (Vanek, Mandel and Brezina 1996). Unknowns
// with little coupling to others are left out of the coarser levels, so that the last one needs only
// relaxation. Linear in time and memory. Masses must be positive. Fails only with cancelled.
Result<std::vector<SparseLevel>> sparse_levels(Laplacian laplacian, std::span<const double> mass,
                                               const Progress& progress);

}  // namespace dermis
