// SPDX-License-Identifier: MIT
// Pose spaces: how far a pose is from the examples of a space, and how much each of them counts.
//
// Pose-space deformation (Lewis, Cordner, Fong 2000): radial basis functions through the examples and the
// rest pose, where all weights are zero. The distance between two poses is the root of the sum over the
// joints of (share * angle)^2. With d_s the distance to sample s, of N examples and rest,
//   w_k = sum_s c_ks phi_s(d_s) + c_k,   w_k = 1 at example k, 0 at all other samples,
// where the constant c_k, with sum_s c_ks = 0, belongs to the kernels linear and thin_plate only:
//   gaussian    phi_s = exp(-d^2 / 2 r_s^2); r_s the radius of the example; rest: the distance to the nearest
//   linear      phi = d: with one example, the angle as a fraction, from 0 at rest to 1, then constant
//   thin_plate  phi = d^2 log(d / R), R being e times the largest distance between samples
// The latter two do not fade by themselves. The weight of their examples is multiplied by 1 up to the reach
// of the example, 0 beyond twice that, a smooth step in between; the reach is its radius, or, if that is
// automatic, its distance from rest. Beyond rest there is no correction, instead of the opposite of one:
// weights fade to zero where a pose is 1 to 1.25 times as far from every example as rest is. Then the sum is
// limited to one if the space is normalised, and weights are multiplied with the strengths.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

struct LocalPose;

// A pose space, solved once. Samples are rest, then the examples.
struct PreparedPoseSpace {
  PoseSpace space;
  std::vector<Quatd> rest;           // rotation of each joint's node at rest
  std::vector<double> between;       // squared angles: [joint][sample][sample]
  std::vector<double> shares;        // of the joints
  std::vector<double> nearest;       // of each sample, the distance to the nearest other one
  std::vector<double> coefficients;  // for these shares; see solve_coefficients
  std::size_t sample_count() const { return space.examples.size() + 1; }
};

// Fails with bad_rig, naming them, if two examples are at the same pose, or one at rest, and if the kernels
// of a space cannot be told apart because their radii are too large. The space must be one of a valid
// character. Cubic in the examples.
Result<PreparedPoseSpace> prepare_pose_space(const Character& character, const PoseSpace& space);

// The weights of the examples at a pose, into `weights`, one per example. `local` has the local pose of every
// node of the character. Does not allocate.
void weigh_examples(const PreparedPoseSpace& space, std::span<const LocalPose> local,
                    std::span<float> weights);

// ---- With other shares, for weighted pose space per point ----
// The size of the coefficients of a space.
std::size_t coefficient_count(const PreparedPoseSpace& space);
// The coefficients if distances have other shares (one per joint). Radii that the artist gave are scaled as
// the distance to the nearest sample is. False, and those of the space, if samples coincide then.
bool solve_coefficients(const PreparedPoseSpace& space, std::span<const double> shares,
                        std::span<double> coefficients);
// The squared angles of a pose: [joint][sample].
void measure_pose(const PreparedPoseSpace& space, std::span<const LocalPose> local,
                  std::span<double> measured);
// The weights at a measured pose. Does not allocate.
void weigh_examples(const PreparedPoseSpace& space, std::span<const double> shares,
                    std::span<const double> coefficients, std::span<const double> measured,
                    std::span<float> weights);

// The rotation of a joint of the space from rest, in the node's own frame.
Quatd rotation_from_rest(const Quatd& rest, const LocalPose& local);

}  // namespace dermis
