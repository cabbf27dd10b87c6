// SPDX-License-Identifier: MIT
// Dual quaternion linear blending (Kavan et al. 2008).
#include "deform/blend_rule.h"

namespace dermis {
namespace {

class DqsRule final : public BlendRule {
 public:
  DqsRule(std::span<const Affined> palette, const ReferenceOptions& options)
      : BlendRule(palette, options), joints_(palette) {}

 private:
  Blend blend(std::size_t, Mixture mixture) const override { return joints_.blend(mixture); }

  DualJoints joints_;
};

}  // namespace

DualJoints::DualJoints(std::span<const Affined> palette) : joints_(palette) {
  rigid_.reserve(palette.size());
  for (std::size_t s = 0; s < palette.size(); ++s) {
    rigid_.push_back(dual_quat_from_rigid(joints_.motion(s).rotation, joints_.motion(s).translation));
  }
}

Blend DualJoints::blend(Mixture mixture) const {
  DualQuatd sum = rigid_[mixture.front().slot] * mixture.front().weight;
  for (const Weighted& w : mixture.subspan(1)) {
    sum = sum + rigid_[w.slot] * (w.weight * joints_.sign(w.slot, mixture));
  }
  // Both parts are divided by the length of the real one. What of the dual part then lies along the real one
  // drops out of the translation, so there is nothing to orthogonalise.
  const double size = std::sqrt(dot(sum.real, sum.real));
  const Quatd turn = sum.real * (1 / size);
  const Vec3d shift = (sum.dual * (1 / size) * conjugate(turn)).xyz() * 2.0;
  return joints_.stretched_then({matrix_from_quat(turn), shift}, mixture);
}

std::unique_ptr<Rule> dqs_rule(std::span<const Affined> palette, const ReferenceOptions& options) {
  return std::make_unique<DqsRule>(palette, options);
}

void skin_dqs_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                        PosedSurface posed, const ReferenceOptions& options) {
  skin_by_rule(DqsRule(palette, options), rows, rest, posed, options);
}

}  // namespace dermis
