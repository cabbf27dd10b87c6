// SPDX-License-Identifier: MIT
// Runs the kernel that joints were packed for.
#include "deform/sizes.h"
#include "dermis/deform.h"

namespace dermis {

void skin_by_kernel(const SkinBlocks& skin, const PackedJoints& joints, const KernelExtras& extras,
                    const RestBlocks& rest, PosedSurface posed, PointRange range) {
  switch (joints.kernel) {
    case SkinKernel::lbs:
      return skin_lbs(skin, joints, rest, posed, range);
    case SkinKernel::dqs:
      return skin_dqs(skin, joints, rest, posed, range);
    case SkinKernel::quaternion:
      return skin_quaternion(skin, joints, rest, posed, range);
    case SkinKernel::log_matrix:
      return skin_log_matrix(skin, joints, rest, posed, range);
    case SkinKernel::spherical:
      require(extras.sets != nullptr);
      return skin_spherical(skin, joints, *extras.sets, extras.set_centres, rest, posed, range);
    case SkinKernel::lbs_dqs:
      return skin_lbs_dqs(skin, joints, extras.dqs_share, rest, posed, range);
    case SkinKernel::cor:
      require(extras.centres != nullptr);
      return skin_cor(skin, joints, *extras.centres, rest, posed, range);
  }
}

}  // namespace dermis
