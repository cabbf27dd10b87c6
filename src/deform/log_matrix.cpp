// SPDX-License-Identifier: MIT
// Blending of the logarithms of rigid motions (Alexa 2002; Cordier and Magnenat-Thalmann 2005).
#include "deform/blend_rule.h"

namespace dermis {
namespace {

class LogMatrixRule final : public BlendRule {
 public:
  LogMatrixRule(std::span<const Affined> palette, const ReferenceOptions& options)
      : BlendRule(palette, options), joints_(palette) {
    twists_.reserve(palette.size());
    for (std::size_t s = 0; s < palette.size(); ++s) {
      const JointMotion& motion = joints_.motion(s);
      twists_.push_back(log_rigid({matrix_from_quat(motion.rotation), motion.translation}));
    }
  }

 private:
  Blend blend(std::size_t, Mixture mixture) const override {
    Twist sum;
    for (const Weighted& w : mixture) {
      sum.angular += twists_[w.slot].angular * w.weight;
      sum.linear += twists_[w.slot].linear * w.weight;
    }
    return joints_.stretched_then(exp_rigid(sum), mixture);
  }

  TurningJoints joints_;
  std::vector<Twist> twists_;  // along the shorter arc: angles up to pi
};

}  // namespace

std::unique_ptr<Rule> log_matrix_rule(std::span<const Affined> palette, const ReferenceOptions& options) {
  return std::make_unique<LogMatrixRule>(palette, options);
}

void skin_log_matrix_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                               PosedSurface posed, const ReferenceOptions& options) {
  skin_by_rule(LogMatrixRule(palette, options), rows, rest, posed, options);
}

}  // namespace dermis
