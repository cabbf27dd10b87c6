// SPDX-License-Identifier: MIT
// Dual quaternion linear blending (Kavan et al. 2008).
#include "deform/blend_rule.h"
#include "deform/sizes.h"

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

// Keeps points from moving farther from their limb than at rest, after an idea of Kim and Han 2014. They
// project onto bones, and each point must choose one; here the axis point follows the weights instead, so
// that the result is continuous where dual quaternions are.
class BulgeLimitedRule final : public Rule {
 public:
  BulgeLimitedRule(std::span<const Affined> palette, const ReferenceOptions& options, const DqsOptions& dqs)
      : rule_(palette, options), linear_(palette, NormalMode::shading, nullptr), dqs_(dqs) {}

  LocalMap<double> at(std::size_t v, const Vec3d& point, std::span<const Influence> row) const override {
    LocalMap<double> map = rule_.at(v, point, row);
    const Vec3d axis_point(dqs_.axis_points[v]);
    if (row.size() == 1 || !is_finite(axis_point)) return map;
    const Vec3d off_axis =
        map.posed_from_rest * point - linear_.at(v, axis_point, row).posed_from_rest * axis_point;
    const double distance = length(off_axis),
                 limit = length(map.posed_from_rest.linear * (point - axis_point));
    if (distance > limit) {
      const double part = static_cast<double>(dqs_.bulge_correction);
      map.posed_from_rest.translation += off_axis * (part * (limit / distance - 1));
    }
    return map;
  }

 private:
  DqsRule rule_;
  Blender<double> linear_;
  DqsOptions dqs_;
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
  // Both parts are divided by the length of the real one. The component of the dual part along the real one
  // then cancels in the translation, so no orthogonalisation is needed.
  const double size = std::sqrt(dot(sum.real, sum.real));
  const Quatd turn = sum.real * (1 / size);
  const Vec3d shift = (sum.dual * (1 / size) * conjugate(turn)).xyz() * 2.0;
  return joints_.stretched_then({matrix_from_quat(turn), shift}, mixture);
}

std::unique_ptr<Rule> dqs_rule(std::span<const Affined> palette, const ReferenceOptions& options,
                               const DqsOptions& dqs) {
  if (dqs.bulge_correction == 0) return std::make_unique<DqsRule>(palette, options);
  return std::make_unique<BulgeLimitedRule>(palette, options, dqs);
}

void skin_dqs_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                        PosedSurface posed, const ReferenceOptions& options, const DqsOptions& dqs) {
  require(dqs.bulge_correction == 0 || dqs.axis_points.size() == rest.points.size());
  skin_by_rule(*dqs_rule(palette, options, dqs), rows, rest, posed, options);
}

}  // namespace dermis
