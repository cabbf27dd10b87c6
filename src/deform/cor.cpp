// SPDX-License-Identifier: MIT
// Skinning about optimised centres of rotation (Le and Hodgins 2016), the centres being given.
#include "deform/blend_rule.h"
#include "deform/sizes.h"

namespace dermis {
namespace {

class CorRule final : public BlendRule {
 public:
  CorRule(std::span<const Affined> palette, std::span<const Vec3> centres, const ReferenceOptions& options)
      : BlendRule(palette, options), joints_(palette), centres_(centres) {}

 private:
  // The centre goes where linear blending takes it, stretches and all; the point turns about it.
  Blend blend(std::size_t v, Mixture mixture) const override {
    const Vec3d centre(centres_[v]);
    const Mat3d turn = matrix_from_quat(joints_.turn(mixture));
    Blend about_centre = joints_.stretched_then({turn, {}}, mixture);
    Affined& map = about_centre.posed_from_rest;
    map.translation = linear_joints().affine(mixture) * centre - map.linear * centre;
    return about_centre;
  }

  TurningJoints joints_;
  std::span<const Vec3> centres_;
};

}  // namespace

std::unique_ptr<Rule> cor_rule(std::span<const Affined> palette, std::span<const Vec3> centres,
                               const ReferenceOptions& options) {
  return std::make_unique<CorRule>(palette, centres, options);
}

void skin_cor_reference(const WeightRows& rows, std::span<const Affined> palette,
                        std::span<const Vec3> centres, RestSurface rest, PosedSurface posed,
                        const ReferenceOptions& options) {
  require(centres.size() == rest.points.size());
  skin_by_rule(CorRule(palette, centres, options), rows, rest, posed, options);
}

}  // namespace dermis
