// SPDX-License-Identifier: MIT
// The one place that goes from the name of a method to its kernel.
#include "deform/sizes.h"
#include "dermis/deform.h"

namespace dermis {

void skin_by_method(const SkinBlocks& skin, const Palette& palette, const KernelExtras& extras,
                    const RestBlocks& rest, PosedSurface posed, PointRange range) {
  switch (palette.method) {
    case SkinMethod::rigid:
    case SkinMethod::lbs:
      return skin_lbs(skin, palette, rest, posed, range);
    case SkinMethod::dqs:
      return skin_dqs(skin, palette, rest, posed, range);
    case SkinMethod::quaternion:
      return skin_quaternion(skin, palette, rest, posed, range);
    case SkinMethod::log_matrix:
      return skin_log_matrix(skin, palette, rest, posed, range);
    case SkinMethod::spherical:
      require(extras.sets != nullptr);
      return skin_spherical(skin, palette, *extras.sets, extras.set_centres, rest, posed, range);
    case SkinMethod::lbs_dqs:
      return skin_lbs_dqs(skin, palette, extras.dqs_share, rest, posed, range);
    case SkinMethod::cor:
      require(extras.centres != nullptr);
      return skin_cor(skin, palette, *extras.centres, rest, posed, range);
    case SkinMethod::direct_delta_mush:
      require(false);
  }
}

}  // namespace dermis
