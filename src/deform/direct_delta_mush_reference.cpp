// SPDX-License-Identifier: MIT
// The plain reference of direct delta mush at pose time, one point at a time, in double.
#include "deform/direct_blend.h"
#include "deform/joint_motion.h"
#include "deform/sizes.h"

namespace dermis {
namespace {

constexpr std::size_t kDirectReferenceGrain = 1024;

void write_point(const DirectDeltaMush& mush, const DirectJoints& joints, std::size_t v,
                 const RestSurface& rest, const PosedSurface& posed) {
  const std::size_t first = mush.first[v];
  DirectRow row;
  row.slots = mush.slots.data() + first;
  row.omega = mush.omega.data() + first * kOmegaSize;
  row.width = mush.first[v + 1] - first;
  const DirectMap map = direct_map_at(joints, row, Vec3d(mush.centre[v]), Vec3d(rest.points[v]));
  Vec3d normal;
  if (!rest.normals.empty()) normal = posed_normal(map.local, Vec3d(rest.normals[v]));
  if (!posed.tangents.empty()) posed.tangents[v] = posed_tangent(map.local, rest.tangents[v], normal);
  if (!posed.normals.empty()) posed.normals[v] = Vec3(normal);
  if (!posed.points.empty()) posed.points[v] = Vec3(map.posed_point);
}

}  // namespace

void skin_direct_delta_mush_reference(const DirectDeltaMush& mush, std::span<const Affined> palette,
                                      RestSurface rest, PosedSurface posed) {
  const std::size_t count = rest.points.size();
  const auto is_all_or_none = [&](std::size_t size) { return size == 0 || size == count; };
  require(count == 0 || (mush.first.size() == count + 1 && mush.centre.size() == count));
  require(mush.omega.size() == mush.slots.size() * kOmegaSize);
  require(is_all_or_none(rest.normals.size()) && is_all_or_none(rest.tangents.size()));
  require(is_all_or_none(posed.points.size()));
  require(posed.normals.empty() || posed.normals.size() == rest.normals.size());
  require(posed.tangents.empty() || posed.tangents.size() == rest.tangents.size());
  std::vector<Mat3d> stretches;
  stretches.reserve(palette.size());
  for (const Affined& joint : palette) stretches.push_back(joint_motion(joint).stretch);
  const DirectJoints joints{palette, stretches};
  parallel_for(count, kDirectReferenceGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) write_point(mush, joints, v, rest, posed);
  });
}

}  // namespace dermis
