// SPDX-License-Identifier: MIT
// The methods that blend more than matrices, each as a rule: its effect on the surface around one point.
#pragma once

#include <memory>
#include <span>

#include "deform/skinning.h"
#include "dermis/deform.h"

namespace dermis {

// In double; one per pose, with a LocalMap for each point. May be called from several threads at once.
class Rule {
 public:
  virtual ~Rule() = default;
  // At point v, which rests at `point` and follows `row`.
  virtual LocalMap<double> at(std::size_t v, const Vec3d& point, std::span<const Influence> row) const = 0;
};

// Everything given must outlive the rule. `options.gradients` may be null; then mode exact treats the weights
// as constant.
std::unique_ptr<Rule> dqs_rule(std::span<const Affined> palette, const ReferenceOptions& options,
                               const DqsOptions& dqs = {});
std::unique_ptr<Rule> quaternion_rule(std::span<const Affined> palette, const ReferenceOptions& options);
std::unique_ptr<Rule> log_matrix_rule(std::span<const Affined> palette, const ReferenceOptions& options);
// Centres are computed once for the joint sets in `rows`; for others, the rule computes them on each call.
std::unique_ptr<Rule> spherical_rule(const WeightRows& rows, std::span<const Affined> palette,
                                     const ReferenceOptions& options);
std::unique_ptr<Rule> lbs_dqs_rule(std::span<const Affined> palette, std::span<const float> dqs_share,
                                   const ReferenceOptions& options);
std::unique_ptr<Rule> cor_rule(std::span<const Affined> palette, std::span<const Vec3> centres,
                               const ReferenceOptions& options, std::span<const Mat3> centre_gradients = {});

}  // namespace dermis
