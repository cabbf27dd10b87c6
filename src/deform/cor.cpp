// SPDX-License-Identifier: MIT
// Skinning about given optimised centres of rotation (Le and Hodgins 2016).
#include "deform/blend_rule.h"
#include "deform/sizes.h"

namespace dermis {
namespace {

class CorRule final : public BlendRule {
 public:
  CorRule(std::span<const Affined> palette, std::span<const Vec3> centres, const ReferenceOptions& options,
          std::span<const Mat3> gradients)
      : BlendRule(palette, options), joints_(palette), centres_(centres), gradients_(gradients) {}

 private:
  // Linear blending moves the centre, including stretches; the point rotates about it.
  Blend blend(std::size_t v, Mixture mixture) const override {
    const Vec3d centre(centres_[v]);
    const Mat3d turn = matrix_from_quat(joints_.turn(mixture));
    Blend about_centre = joints_.stretched_then({turn, {}}, mixture);
    Affined& map = about_centre.posed_from_rest;
    map.translation = linear_joints().affine(mixture) * centre - map.linear * centre;
    return about_centre;
  }

  // A shift of the centre moves the point by the blended matrix, minus its rotation.
  Mat3d value_term(std::size_t v, Mixture mixture, const Affined& posed_from_rest) const override {
    if (gradients_.empty()) return diagonal(Vec3d{});
    return (linear_joints().affine(mixture).linear - posed_from_rest.linear) * Mat3d(gradients_[v]);
  }

  TurningJoints joints_;
  std::span<const Vec3> centres_;
  std::span<const Mat3> gradients_;
};

}  // namespace

std::unique_ptr<Rule> cor_rule(std::span<const Affined> palette, std::span<const Vec3> centres,
                               const ReferenceOptions& options, std::span<const Mat3> centre_gradients) {
  return std::make_unique<CorRule>(palette, centres, options, centre_gradients);
}

void skin_cor_reference(const WeightRows& rows, std::span<const Affined> palette,
                        std::span<const Vec3> centres, RestSurface rest, PosedSurface posed,
                        const ReferenceOptions& options, std::span<const Mat3> centre_gradients) {
  require(centres.size() == rest.points.size());
  require(centre_gradients.empty() || centre_gradients.size() == rest.points.size());
  skin_by_rule(CorRule(palette, centres, options, centre_gradients), rows, rest, posed, options);
}

}  // namespace dermis
