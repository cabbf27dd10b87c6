// SPDX-License-Identifier: MIT
// Direct blending of quaternions and, separately, translations: the origin-dependent baseline.
#include "deform/blend_rule.h"

namespace dermis {
namespace {

class QuaternionRule final : public BlendRule {
 public:
  QuaternionRule(std::span<const Affined> palette, const ReferenceOptions& options)
      : BlendRule(palette, options), joints_(palette) {}

 private:
  Blend blend(std::size_t, Mixture mixture) const override {
    return joints_.stretched_then({matrix_from_quat(joints_.turn(mixture)), joints_.translation(mixture)},
                                  mixture);
  }

  TurningJoints joints_;
};

}  // namespace

std::unique_ptr<Rule> quaternion_rule(std::span<const Affined> palette, const ReferenceOptions& options) {
  return std::make_unique<QuaternionRule>(palette, options);
}

void skin_quaternion_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                               PosedSurface posed, const ReferenceOptions& options) {
  skin_by_rule(QuaternionRule(palette, options), rows, rest, posed, options);
}

}  // namespace dermis
