// SPDX-License-Identifier: MIT
// The plain references of rigid and linear blend skinning, one point at a time.
#include <cstdlib>

#include "deform/skinning.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

// Always on, because what follows would write past the end.
void require(bool is_met) {
  if (!is_met) std::abort();
}

void check_sizes(const WeightRows& rows, const RestSurface& rest, const PosedSurface& posed) {
  const std::size_t count = rest.points.size();
  const auto is_all_or_none = [&](std::size_t size) { return size == 0 || size == count; };
  require(count == 0 || rows.first.size() == count + 1);
  require(is_all_or_none(rest.normals.size()) && is_all_or_none(rest.tangents.size()));
  require(is_all_or_none(posed.points.size()));
  require(posed.normals.empty() || posed.normals.size() == rest.normals.size());
  require(posed.tangents.empty() || posed.tangents.size() == rest.tangents.size());
}

void check_gradients(const ReferenceOptions& options, const RestSurface& rest) {
  require(options.normals != NormalMode::exact ||
          (options.gradients != nullptr && options.gradients->first.size() == rest.points.size() + 1));
}

}  // namespace

void skin_rigid_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                          PosedSurface posed, const ReferenceOptions& options) {
  check_sizes(rows, rest, posed);
  // One joint at a time has constant weights, and those have no gradient.
  const Blender<double> blender(palette, options.normals, nullptr);
  skin_surface(blender, Followed::heaviest(rows, palette.size()), rest, posed);
}

void skin_lbs_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                        PosedSurface posed, const ReferenceOptions& options) {
  check_sizes(rows, rest, posed);
  check_gradients(options, rest);
  const Blender<double> blender(palette, options.normals, options.gradients);
  skin_surface(blender, Followed::all(rows), rest, posed);
}

void skin_lbs_reference_float(const WeightRows& rows, std::span<const Affine> palette, RestSurface rest,
                              PosedSurface posed, const ReferenceOptions& options) {
  check_sizes(rows, rest, posed);
  check_gradients(options, rest);
  const Blender<float> blender(palette, options.normals, options.gradients);
  skin_surface(blender, Followed::all(rows), rest, posed);
}

}  // namespace dermis
