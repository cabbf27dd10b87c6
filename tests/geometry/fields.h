// SPDX-License-Identifier: MIT
// Fields whose surfaces are known, and boxes around them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "dermis/geometry.h"

namespace dermis {

// Any function as a field, without pruning.
class FunctionField final : public Field {
 public:
  explicit FunctionField(std::function<double(const Vec3d&)> f) : f_(std::move(f)) {}
  double value(const Vec3d& p) const override { return f_(p); }
  std::shared_ptr<const Field> restricted(const Vec3d&, double) const override {
    return std::make_shared<FunctionField>(f_);
  }

 private:
  std::function<double(const Vec3d&)> f_;
};

inline FunctionField ball(double radius) {
  return FunctionField([radius](const Vec3d& p) { return length(p) - radius; });
}

// Two balls of radius 1/2 along the diagonal of the grid with a gap between them: gaps below a cell are the
// ambiguous cases of surface nets.
inline FunctionField ball_pair(double gap) {
  const double d = (0.5 * gap + 0.5) / std::sqrt(3.0);
  return FunctionField(
      [d](const Vec3d& p) { return std::min(length(p - Vec3d(d, d, d)), length(p + Vec3d(d, d, d))) - 0.5; });
}

inline IsosurfaceOptions options_for(double reach, double cell) {
  IsosurfaceOptions options;
  options.box.add({-reach, -reach, -reach});
  options.box.add({reach, reach, reach});
  options.cell = cell;
  return options;
}

}  // namespace dermis
