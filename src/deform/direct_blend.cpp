// SPDX-License-Identifier: MIT
// The fit of direct delta mush at one point, in double.
#include "deform/direct_blend.h"

namespace dermis {
namespace {

struct Omega {
  Mat3d second;       // A
  Vec3d first;        // c
  double zeroth = 0;  // d

  Omega(const DirectRow& row, std::size_t e) {
    const auto n = [&](std::size_t c) { return row.component(e, c); };
    second = {{n(0), n(1), n(2)}, {n(1), n(3), n(4)}, {n(2), n(4), n(5)}};
    first = {n(6), n(7), n(8)};
    zeroth = n(9);
  }
};

bool moves_as_one(const DirectJoints& joints, const DirectRow& row, const Affined& base) {
  for (std::size_t e = 0; e < row.width; ++e) {
    if (row.zeroth(e) != 0 && !(joints.joints[row.slot(e)] == base)) return false;
  }
  return true;
}

struct Fitted {
  Mat3d linear;  // R S
  Vec3d shift;   // of the smoothed point, relative to the heaviest joint's
};

// Everything is relative to the heaviest joint: c adds up to zero and d to one, so its share can be removed
// from the sums, and the remainder is small where joints move nearly alike.
Fitted fitted(const DirectJoints& joints, const DirectRow& row, std::size_t heaviest, const Vec3d& centre) {
  const Affined& base = joints.joints[heaviest];
  const Mat3d& base_stretch = joints.stretches[heaviest];
  Mat3d fit = diagonal(Vec3d{}), stretch = base_stretch;
  Vec3d shift;
  for (std::size_t e = 0; e < row.width; ++e) {
    const Omega o(row, e);
    const Affined& joint = joints.joints[row.slot(e)];
    const Mat3d turned = joint.linear - base.linear;
    const Vec3d carried = turned * centre + (joint.translation - base.translation);
    fit = fit + joint.linear * o.second + outer(carried, o.first);
    stretch = stretch + (joints.stretches[row.slot(e)] - base_stretch) * o.zeroth;
    shift += turned * o.first + carried * o.zeroth;
  }
  return {polar(fit * stretch).rotation * stretch, shift};
}

}  // namespace

std::size_t heaviest_entry(const DirectRow& row) {
  std::size_t heaviest = 0;
  for (std::size_t e = 1; e < row.width; ++e) {
    if (row.zeroth(e) > row.zeroth(heaviest)) heaviest = e;
  }
  return heaviest;
}

DirectMap direct_map_at(const DirectJoints& joints, const DirectRow& row, const Vec3d& centre,
                        const Vec3d& point) {
  const std::size_t heaviest = row.slot(heaviest_entry(row));
  const Affined& base = joints.joints[heaviest];
  // The point moved by the heaviest joint alone, plus what the others add.
  DirectMap map;
  Mat3d linear = base.linear;
  map.posed_point = base * point;
  if (!moves_as_one(joints, row, base)) {
    const Fitted fit = fitted(joints, row, heaviest, centre);
    linear = fit.linear;
    map.posed_point += (linear - base.linear) * (point - centre) + fit.shift;
  }
  map.local.posed_from_rest.linear = linear;
  map.local.posed_from_rest_normal = outward_cofactor(linear);
  map.local.heaviest_normal = outward_cofactor(base.linear);
  map.local.is_mirrored = determinant(linear) < 0;
  return map;
}

}  // namespace dermis
