// SPDX-License-Identifier: MIT
// What the kernel of blend shapes reads and writes.
#pragma once

#include <span>

#include "dermis/deform/shapes.h"

namespace dermis {

// Adds shapes to `values`, three numbers each, `stride` apart.
struct ShapeJob {
  std::span<const ShapeEntries> active;
  std::size_t point_count = 0;
  float* values = nullptr;
  std::size_t stride = 3;
  bool is_direction = false;  // those that change are made unit
};
// Sums in double, in the order of the shapes, rounded once. Runs are independent: same bytes on any thread
// count.
void run_shape_job(const ShapeJob& job);

}  // namespace dermis
