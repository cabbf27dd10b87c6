// SPDX-License-Identifier: MIT
// What the rules of the rotation methods share: joints taken apart, signs, stretches and measured normals.
#pragma once

#include <span>
#include <vector>

#include "deform/joint_motion.h"
#include "deform/rules.h"

namespace dermis {

// One joint in a blend. Weights are double, so that they can be moved a little to measure a derivative.
struct Weighted {
  std::size_t slot = 0;
  double weight = 0;
};
using Mixture = std::span<const Weighted>;  // never empty; the heaviest joint of the point's row first

// What a method makes of a mixture, the weights taken as constant.
struct Blend {
  Affined posed_from_rest;
  Mat3d shading_normal;  // outward; up to length
};

// A palette for linear blending.
class LinearJoints {
 public:
  explicit LinearJoints(std::span<const Affined> palette);
  // Sums start from their first term, so that one joint of weight one comes back to the last bit.
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

// A palette taken apart, for the methods that blend rotations in two phases: stretches first, then the rigid
// rest (Kavan et al. 2008, section 4.2).
class TurningJoints {
 public:
  explicit TurningJoints(std::span<const Affined> palette);
  const JointMotion& motion(std::size_t slot) const { return motions_[slot]; }
  std::span<const JointMotion> motions() const { return motions_; }

  // +1 or -1: the sign with which the joint's quaternion joins the sum. Follows the heaviest joint, not the
  // running sum, whose sign depends on the order in which influences happen to be stored. The sum is then at
  // least the heaviest weight long, so it never cancels.
  double sign(std::size_t slot, Mixture mixture) const;
  // Normalised linear blend of the signed quaternions. Unit.
  Quatd turn(Mixture mixture) const;
  Vec3d translation(Mixture mixture) const;
  // The identity to the last bit when all joints are rigid.
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

// A rule from a Blend. Rows of one influence are their joint to the last bit. Normals in mode exact are
// measured: central differences of the posed point while the weights move along their gradients.
class BlendRule : public Rule {
 public:
  BlendRule(std::span<const Affined> palette, const ReferenceOptions& options);
  LocalMap<double> at(std::size_t v, const Vec3d& point, std::span<const Influence> row) const final;

 protected:
  virtual Blend blend(std::size_t v, Mixture mixture) const = 0;
  // What else moves along the surface, beside point and weights, adds to the derivative of the posed point.
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
