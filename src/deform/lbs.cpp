// SPDX-License-Identifier: MIT
// Linear blend skinning, in double and in float.
#include "deform/sizes.h"
#include "deform/skinning.h"
#include "dermis/deform.h"

namespace dermis {

void skin_lbs_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                        PosedSurface posed, const ReferenceOptions& options) {
  check_sizes(rows, rest, posed);
  check_gradients(options, rest);
  const Blender<double> blender(palette, options.normals, options.gradients);
  skin_surface<double>(blender, Followed::all(rows), rest, posed);
}

void skin_lbs_reference_float(const WeightRows& rows, std::span<const Affine> palette, RestSurface rest,
                              PosedSurface posed, const ReferenceOptions& options) {
  check_sizes(rows, rest, posed);
  check_gradients(options, rest);
  const Blender<float> blender(palette, options.normals, options.gradients);
  skin_surface<float>(blender, Followed::all(rows), rest, posed);
}

}  // namespace dermis
