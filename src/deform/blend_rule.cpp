// SPDX-License-Identifier: MIT
// Decomposes joints, blends them and measures normals.
#include "deform/blend_rule.h"

#include <algorithm>
#include <cmath>

#include "deform/sizes.h"

namespace dermis {
namespace {

// The weight step for measuring a derivative. The error of central differences is the square of the step plus
// rounding divided by the step: here 1e-10 and 1e-11 of the posed point, so the step is near its optimum.
constexpr double kWeightStep = 1e-5;

std::vector<Weighted> mixture_of(std::span<const Influence> row) {
  std::vector<Weighted> mixture;
  mixture.reserve(row.size());
  for (const Influence& influence : row) {
    mixture.push_back({static_cast<std::size_t>(influence.slot), static_cast<double>(influence.weight)});
  }
  return mixture;
}

Mat3d weighted_sum(const std::vector<Mat3d>& terms, Mixture mixture) {
  Mat3d sum = terms[mixture.front().slot] * mixture.front().weight;
  for (const Weighted& w : mixture.subspan(1)) sum = sum + terms[w.slot] * w.weight;
  return sum;
}

}  // namespace

// ---- Linear -------------------------------------------------------------------------------------------

LinearJoints::LinearJoints(std::span<const Affined> palette) : palette_(palette) {
  outward_cofactors_.reserve(palette.size());
  for (const Affined& joint : palette) outward_cofactors_.push_back(outward_cofactor(joint.linear));
}

Affined LinearJoints::affine(Mixture mixture) const {
  const Affined& first = palette_[mixture.front().slot];
  Affined sum(first.linear * mixture.front().weight, first.translation * mixture.front().weight);
  for (const Weighted& w : mixture.subspan(1)) {
    sum.linear = sum.linear + palette_[w.slot].linear * w.weight;
    sum.translation += palette_[w.slot].translation * w.weight;
  }
  return sum;
}

Mat3d LinearJoints::cofactors(Mixture mixture) const { return weighted_sum(outward_cofactors_, mixture); }

double LinearJoints::determinant_of(Mixture mixture) const {
  double sum = 0;
  for (const Weighted& w : mixture) sum += w.weight * determinant(palette_[w.slot].linear);
  return sum;
}

// ---- Turning ------------------------------------------------------------------------------------------

TurningJoints::TurningJoints(std::span<const Affined> palette) : motions_(joint_motions(palette)) {
  outward_cofactors_.reserve(palette.size());
  for (const JointMotion& motion : motions_) outward_cofactors_.push_back(outward_cofactor(motion.stretch));
}

double TurningJoints::sign(std::size_t slot, Mixture mixture) const {
  return dot(motions_[slot].rotation, motions_[mixture.front().slot].rotation) < 0 ? -1 : 1;
}

Quatd TurningJoints::turn(Mixture mixture) const {
  Quatd sum = motions_[mixture.front().slot].rotation * mixture.front().weight;
  for (const Weighted& w : mixture.subspan(1)) {
    sum = sum + motions_[w.slot].rotation * (w.weight * sign(w.slot, mixture));
  }
  return normalized(sum);
}

Vec3d TurningJoints::translation(Mixture mixture) const {
  Vec3d sum = motions_[mixture.front().slot].translation * mixture.front().weight;
  for (const Weighted& w : mixture.subspan(1)) sum += motions_[w.slot].translation * w.weight;
  return sum;
}

Mat3d TurningJoints::stretch(Mixture mixture) const {
  if (std::all_of(mixture.begin(), mixture.end(),
                  [&](const Weighted& w) { return motions_[w.slot].is_rigid; })) {
    return {};
  }
  Mat3d sum = motions_[mixture.front().slot].stretch * mixture.front().weight;
  for (const Weighted& w : mixture.subspan(1)) sum = sum + motions_[w.slot].stretch * w.weight;
  return sum;
}

Blend TurningJoints::stretched_then(const Affined& rigid, Mixture mixture) const {
  return {{rigid.linear * stretch(mixture), rigid.translation},
          rigid.linear * weighted_sum(outward_cofactors_, mixture)};
}

// ---- Rules --------------------------------------------------------------------------------------------

BlendRule::BlendRule(std::span<const Affined> palette, const ReferenceOptions& options)
    : linear_joints_(palette), mode_(options.normals), gradients_(options.gradients) {}

LocalMap<double> BlendRule::at(std::size_t v, const Vec3d& point, std::span<const Influence> row) const {
  const std::vector<Weighted> mixture = mixture_of(row);
  const std::size_t heaviest = mixture.front().slot;
  Blend blended = {linear_joints_.joint(heaviest), linear_joints_.outward_cofactor_of(heaviest)};
  if (row.size() > 1) blended = blend(v, mixture);
  LocalMap<double> map;
  map.posed_from_rest = blended.posed_from_rest;
  map.heaviest_normal = linear_joints_.outward_cofactor_of(heaviest);
  map.is_mirrored = determinant(map.posed_from_rest.linear) < 0;
  switch (mode_) {
    case NormalMode::shading:
      map.posed_from_rest_normal = blended.shading_normal;
      break;
    case NormalMode::inverse_transpose:
      map.posed_from_rest_normal = outward_cofactor(map.posed_from_rest.linear);
      break;
    case NormalMode::exact:
      // As in linear blending, the joints determine whether the surface is turned inside out.
      map.is_mirrored = linear_joints_.determinant_of(mixture) < 0;
      map.posed_from_rest_normal = cofactor(map.posed_from_rest.linear + weight_term(v, point, mixture) +
                                            value_term(v, mixture, map.posed_from_rest)) *
                                   (map.is_mirrored ? -1 : 1);
      break;
  }
  return map;
}

// The columns of d(posed point) / d(weights) * grad(weights). Gradients are tangent to the surface, so in the
// normal direction only the blend itself acts.
Mat3d BlendRule::weight_term(std::size_t v, const Vec3d& point, std::vector<Weighted> mixture) const {
  Mat3d columns = diagonal(Vec3d{});
  if (gradients_ == nullptr) return columns;
  std::vector<Vec3d> rates(mixture.size());
  double fastest = 0;
  for (std::size_t k = gradients_->first[v]; k < gradients_->first[v + 1]; ++k) {
    const WeightGradients::Entry& entry = gradients_->entries[k];
    const std::size_t slot = static_cast<std::size_t>(entry.slot);
    const auto known =
        std::find_if(mixture.begin(), mixture.end(), [&](const Weighted& w) { return w.slot == slot; });
    const std::size_t place = static_cast<std::size_t>(known - mixture.begin());
    if (known == mixture.end()) {
      mixture.push_back({slot, 0.0});
      rates.emplace_back();
    }
    rates[place] = Vec3d(entry.gradient);
    fastest = std::max(fastest, length(rates[place]));
  }
  if (!(fastest > 0) || !std::isfinite(fastest)) return columns;
  const double step = kWeightStep / fastest;
  for (int axis = 0; axis < 3; ++axis) {
    const auto posed_at = [&](double distance) {
      std::vector<Weighted> moved = mixture;
      for (std::size_t k = 0; k < moved.size(); ++k) moved[k].weight += distance * rates[k][axis];
      return blend(v, moved).posed_from_rest * point;
    };
    columns[axis] = (posed_at(step) - posed_at(-step)) * (0.5 / step);
  }
  return columns;
}

void skin_by_rule(const Rule& rule, const WeightRows& rows, const RestSurface& rest,
                  const PosedSurface& posed, const ReferenceOptions& options) {
  check_sizes(rows, rest, posed);
  check_gradients(options, rest);
  skin_surface<double>(rule, Followed::all(rows), rest, posed);
}

}  // namespace dermis
