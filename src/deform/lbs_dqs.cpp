// SPDX-License-Identifier: MIT
// A mix of linear and dual quaternion blending, chosen at each point.
#include "deform/blend_rule.h"
#include "deform/sizes.h"

namespace dermis {
namespace {

class LbsDqsRule final : public BlendRule {
 public:
  LbsDqsRule(std::span<const Affined> palette, std::span<const float> dqs_share,
             const ReferenceOptions& options)
      : BlendRule(palette, options), dual_joints_(palette), dqs_share_(dqs_share) {}

 private:
  // Weighted so that a share of zero or one is exactly that method.
  Blend blend(std::size_t v, Mixture mixture) const override {
    const Blend lbs = linear_joints().blend(mixture), dqs = dual_joints_.blend(mixture);
    const double share = static_cast<double>(dqs_share_[v]), rest = 1 - share;
    return {{lbs.posed_from_rest.linear * rest + dqs.posed_from_rest.linear * share,
             lbs.posed_from_rest.translation * rest + dqs.posed_from_rest.translation * share},
            lbs.shading_normal * rest + dqs.shading_normal * share};
  }

  DualJoints dual_joints_;
  std::span<const float> dqs_share_;
};

}  // namespace

std::unique_ptr<Rule> lbs_dqs_rule(std::span<const Affined> palette, std::span<const float> dqs_share,
                                   const ReferenceOptions& options) {
  return std::make_unique<LbsDqsRule>(palette, dqs_share, options);
}

void skin_lbs_dqs_reference(const WeightRows& rows, std::span<const Affined> palette,
                            std::span<const float> dqs_share, RestSurface rest, PosedSurface posed,
                            const ReferenceOptions& options) {
  require(dqs_share.size() == rest.points.size());
  skin_by_rule(LbsDqsRule(palette, dqs_share, options), rows, rest, posed, options);
}

}  // namespace dermis
