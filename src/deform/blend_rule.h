// SPDX-License-Identifier: MIT
// Shared code of the rotation methods' rules: decomposed joints, signs, stretches and measured normals.
#pragma once

#include <span>
#include <vector>

#include "deform/joint_motion.h"
#include "deform/rules.h"

namespace dermis {

// One joint in a blend. Weights are double, so that small steps can measure a derivative.
struct Weighted {
  std::size_t slot = 0;
  double weight = 0;
};
using Mixture = std::span<const Weighted>;  // never empty; the heaviest joint of the point's row first

// The result of blending a mixture, with constant weights.
struct Blend {
  Affined posed_from_rest;
  Mat3d shading_normal;  // outward; up to scale
};

// A palette for linear blending.
class LinearJoints {
 public:
  explicit LinearJoints(std::span<const Affined> palette);
  // Sums start from their first term, so that one joint of weight one is reproduced exactly.
  Affined affine(Mixture mixture) const;
  Mat3d cofactors(Mixture mixture) const;
  double determinant_of(Mixture mixture) const;
  Blend blend(Mixture mixture) const { return {affine(mixture), cofactors(mixture)}; }
  const Affined& joint(std::size_t slot) const { return palette_[slot]; }
  const Mat3d& outward_cofactor_of(std::size_t slot) const { return outward_cofactors_[slot]; }

 private:
  std::span<const Affined> palette_;
  std::vector<Mat3d> outward_cofactors_;
};

// A decomposed palette, for the methods that blend rotations in two phases: stretches first, then the rigid
// rest (Kavan et al. 2008, section 4.2).
class TurningJoints {
 public:
  explicit TurningJoints(std::span<const Affined> palette);
  const JointMotion& motion(std::size_t slot) const { return motions_[slot]; }
  std::span<const JointMotion> motions() const { return motions_; }

  // +1 or -1: the sign of the joint's quaternion in the sum. Follows the heaviest joint, not the running sum,
  // whose sign depends on the order in which influences happen to be stored. The sum is then at least the
  // heaviest weight long, so it never cancels.
  double sign(std::size_t slot, Mixture mixture) const;
  // Normalised linear blend of the signed quaternions. Unit.
  Quatd turn(Mixture mixture) const;
  Vec3d translation(Mixture mixture) const;
  // Exactly the identity if all joints are rigid.
  Mat3d stretch(Mixture mixture) const;
  // The stretch, then `rigid`, whose linear part is a rotation.
  Blend stretched_then(const Affined& rigid, Mixture mixture) const;

 private:
  std::vector<JointMotion> motions_;
  std::vector<Mat3d> outward_cofactors_;  // of the stretches
};

// Dual quaternion linear blending of the joints of a palette.
class DualJoints {
 public:
  explicit DualJoints(std::span<const Affined> palette);
  Blend blend(Mixture mixture) const;

 private:
  TurningJoints joints_;
  std::vector<DualQuatd> rigid_;
};

// A rule from a Blend. A row with one influence equals its joint exactly. Normals in mode exact are measured:
// central differences of the posed point while the weights move along their gradients.
class BlendRule : public Rule {
 public:
  BlendRule(std::span<const Affined> palette, const ReferenceOptions& options);
  LocalMap<double> at(std::size_t v, const Vec3d& point, std::span<const Influence> row) const final;

 protected:
  virtual Blend blend(std::size_t v, Mixture mixture) const = 0;
  // Anything else that varies along the surface, besides point and weights, adds to the posed point's
  // derivative.
  virtual Mat3d value_term(std::size_t, Mixture, const Affined& /*posed_from_rest*/) const {
    return diagonal(Vec3d{});
  }
  const LinearJoints& linear_joints() const { return linear_joints_; }

 private:
  Mat3d weight_term(std::size_t v, const Vec3d& point, std::vector<Weighted> mixture) const;

  LinearJoints linear_joints_;
  NormalMode mode_;
  const WeightGradients* gradients_;
};

// Checks sizes, then poses all points.
void skin_by_rule(const Rule& rule, const WeightRows& rows, const RestSurface& rest,
                  const PosedSurface& posed, const ReferenceOptions& options);

}  // namespace dermis
