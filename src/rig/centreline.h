// SPDX-License-Identifier: MIT
// The centreline of a limb, with its thickness.
#pragma once

#include <span>
#include <vector>

#include "rig/graph.h"

namespace dermis {

// Places along a limb, about two cells apart, each in the middle of the body's cross-section there.
struct Centreline {
  std::vector<Vec3d> points;
  std::vector<double> along;   // distance along the line from the first, rising from 0
  std::vector<double> radius;  // of a disc with the area of the cross-section

  double length() const { return along.empty() ? 0 : along.back(); }
};
// With `is_tip`, the last place is a corner of the limb's end, and moves to the middle of that end.
Centreline trace_centreline(const BodySolid& body, std::span<const Vec3d> way, bool is_tip = false);

// Cross-sections of a body, one after the other: each would otherwise clear its own marks of the cells.
class CrossSections {
 public:
  explicit CrossSections(const BodySolid& body) : body_(body), seen_(body.centres.size(), 0) {}
  struct Section {
    Vec3d centre;
    double radius = 0;  // of a disc of the same area
  };
  // Of the cells connected to the place, within `reach` of it.
  Section through(const Vec3d& place, const Vec3d& along, double reach);

 private:
  const BodySolid& body_;
  std::vector<std::uint32_t> seen_;  // by the cross-section of this number
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> cells_;
};

// The distance along a line to its point nearest to `place`.
double nearest_along(const Centreline& line, const Vec3d& place);

// Interpolated between the places of a centreline; clamped at the ends.
Vec3d point_at(const Centreline& line, double along);
double radius_at(const Centreline& line, double along);

}  // namespace dermis
