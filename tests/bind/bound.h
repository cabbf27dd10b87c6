// SPDX-License-Identifier: MIT
// Bodies and skeletons that binding is tried on, and laws that rows must keep.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dermis/bind.h"
#include "geometry/soups.h"

namespace dermis::test {

inline BindSurface surface_of(const Soup& soup) { return bind_surface_of(soup.points, soup.triangles); }

// An open tube of radius 1 along x, from -half to half.
inline BindSurface tube(double half, int around, int along) {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
  for (int k = 0; k <= along; ++k) {
    for (int a = 0; a < around; ++a) {
      const double angle = 2 * kPi * a / around;
      points.push_back(Vec3(Vec3d{-half + 2 * half * k / along, std::cos(angle), std::sin(angle)}));
    }
  }
  for (int k = 0; k < along; ++k) {
    for (int a = 0; a < around; ++a) {
      const auto v = [&](int ring, int place) {
        return static_cast<std::uint32_t>(ring * around + place % around);
      };
      triangles.push_back({v(k, a), v(k + 1, a + 1), v(k + 1, a)});
      triangles.push_back({v(k, a), v(k, a + 1), v(k + 1, a + 1)});
    }
  }
  return bind_surface_of(std::move(points), std::move(triangles));
}

// Joints whose segments are given, each hanging from the one before.
inline BindSkeleton chain(const std::vector<Segment>& segments) {
  BindSkeleton skeleton;
  for (std::size_t j = 0; j < segments.size(); ++j) {
    const auto joint = static_cast<Index>(j);
    skeleton.node.push_back(joint);
    skeleton.parent.push_back(joint - 1);
    skeleton.segments.push_back({joint, segments[j].from, segments[j].to});
  }
  return skeleton;
}

inline float weight_of(std::span<const Influence> row, Index slot) {
  for (const Influence& influence : row) {
    if (influence.slot == slot) return influence.weight;
  }
  return 0;
}
inline double weight_of(const WeightRows& rows, std::size_t v, Index joint) {
  return double{weight_of(rows.row(v), joint)};
}

// One row for each of `count` points, as the model wants them, with joints below `joint_count`.
inline void expect_complete(const WeightRows& rows, std::size_t count, std::size_t joint_count) {
  ASSERT_EQ(rows.first.size(), count + 1);
  for (std::size_t v = 0; v < count; ++v) {
    const std::span<const Influence> row = rows.row(v);
    ASSERT_FALSE(row.empty()) << "point " << v << " has no influence";
    double sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      ASSERT_TRUE(row[k].weight > 0 && row[k].weight <= 1) << "point " << v;
      ASSERT_TRUE(row[k].slot >= 0 && static_cast<std::size_t>(row[k].slot) < joint_count) << "point " << v;
      ASSERT_GE(row[k == 0 ? 0 : k - 1].weight, row[k].weight) << "point " << v;
      sum += double{row[k].weight};
    }
    ASSERT_NEAR(sum, 1, kWeightSumTolerance) << "point " << v;
  }
}

}  // namespace dermis::test
