// SPDX-License-Identifier: MIT
// Rigid skinning: each point follows its heaviest joint.
#include "deform/sizes.h"
#include "deform/skinning.h"
#include "dermis/deform.h"

namespace dermis {

void skin_rigid_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                          PosedSurface posed, const ReferenceOptions& options) {
  check_sizes(rows, rest, posed);
  // With one joint per point the weights are constant and have no gradient.
  const Blender<double> blender(palette, options.normals, nullptr);
  skin_surface<double>(blender, Followed::heaviest(rows, palette.size()), rest, posed);
}

}  // namespace dermis
