// SPDX-License-Identifier: MIT
// Solves pose spaces, and weighs their examples at a pose.
#include "dermis/motion/pose_space.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "motion/driven.h"

namespace dermis {
namespace {

// Weights below this move no point by more than it may be rounded: they are zero.
constexpr double kNoWeight = 1e-6;
// From this multiple of its distance from rest on, an example counts nothing for a pose beyond rest.
constexpr double kBeyondRest = 1.25;
// The solve must reproduce the examples this well.
constexpr double kSolved = 1e-8;

// ---- Distances ----------------------------------------------------------------------------------------

Quatd rotation_of_sample(const PoseSpace& space, std::size_t joint, std::size_t sample) {
  return sample == 0 ? Quatd{} : normalized(Quatd(space.examples[sample - 1].rotation[joint]));
}

// Between two samples, with other shares.
double distance_between(const PreparedPoseSpace& p, std::span<const double> shares, std::size_t a,
                        std::size_t b) {
  const std::size_t count = p.sample_count();
  double sum = 0;
  for (std::size_t j = 0; j < shares.size(); ++j)
    sum += shares[j] * shares[j] * p.between[(j * count + a) * count + b];
  return std::sqrt(sum);
}

double distance_to_nearest(const PreparedPoseSpace& p, std::span<const double> shares, std::size_t sample) {
  double nearest = INFINITY;
  for (std::size_t other = 0; other < p.sample_count(); ++other)
    if (other != sample) nearest = std::min(nearest, distance_between(p, shares, sample, other));
  return nearest;
}

// ---- Kernels ------------------------------------------------------------------------------------------
// Coefficients of N samples, n = N - 1 examples: N sizes, N distances from rest, then for each example N
// factors and a constant.
// Sizes are: gaussian: radii of the samples; linear: 0 and the reaches of the examples; thin_plate: R and
// these reaches.

double kernel_at(PoseKernel kernel, double distance, double size) {
  switch (kernel) {
    case PoseKernel::linear:
      return distance;
    case PoseKernel::gaussian:
      return std::exp(-0.5 * (distance / size) * (distance / size));
    case PoseKernel::thin_plate:
      return distance > 0 ? distance * distance * std::log(distance / size) : 0;
  }
  return 0;
}

// Of sample s at this distance.
double kernel_of(const PreparedPoseSpace& p, std::span<const double> coefficients, std::size_t sample,
                 double distance) {
  const bool is_gaussian = p.space.kernel == PoseKernel::gaussian;
  return kernel_at(p.space.kernel, distance, coefficients[is_gaussian ? sample : 0]);
}

// 1 up to the first value, 0 from the second.
double fall(double value, double from, double to) {
  const double t = std::clamp((value - from) / (to - from), 0.0, 1.0);
  return 1 - t * t * (3 - 2 * t);
}

// What the artist gave, in the measure of other shares; 0: nothing.
double given_radius(const PreparedPoseSpace& p, std::span<const double> shares, std::size_t sample) {
  const double radius = sample == 0 ? 0 : static_cast<double>(p.space.examples[sample - 1].radius);
  return radius * distance_to_nearest(p, shares, sample) / p.nearest[sample];
}

void set_sizes(const PreparedPoseSpace& p, std::span<const double> shares, std::span<double> sizes) {
  const bool is_gaussian = p.space.kernel == PoseKernel::gaussian;
  double largest = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const double given = given_radius(p, shares, s);
    const double automatic =
        is_gaussian ? distance_to_nearest(p, shares, s) : distance_between(p, shares, s, 0);
    sizes[s] = given > 0 ? given : automatic;
    for (std::size_t t = 0; t < s; ++t) largest = std::max(largest, distance_between(p, shares, s, t));
  }
  if (!is_gaussian) sizes[0] = std::exp(1.0) * largest;
}

// False if the samples cannot be told apart.
bool solve(const PreparedPoseSpace& p, std::span<const double> shares, std::span<double> out) {
  const std::size_t count = p.sample_count(), example_count = count - 1;
  if (example_count == 0) return true;
  set_sizes(p, shares, out.first(count));
  for (std::size_t s = 0; s < count; ++s) out[count + s] = distance_between(p, shares, s, 0);
  const bool has_constant = p.space.kernel != PoseKernel::gaussian;
  const auto rows = static_cast<Eigen::Index>(count + (has_constant ? 1 : 0));
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(rows, rows);
  for (std::size_t s = 0; s < count; ++s) {
    const auto row = static_cast<Eigen::Index>(s);
    for (std::size_t t = 0; t < count; ++t)
      m(row, static_cast<Eigen::Index>(t)) = kernel_of(p, out, t, distance_between(p, shares, s, t));
    if (has_constant) m(row, rows - 1) = m(rows - 1, row) = 1;
  }
  Eigen::MatrixXd wanted = Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(example_count));
  for (Eigen::Index e = 0; e < wanted.cols(); ++e) wanted(e + 1, e) = 1;
  if (!m.allFinite()) return false;
  const Eigen::MatrixXd factors = m.fullPivLu().solve(wanted);
  if (!factors.allFinite() || (m * factors - wanted).cwiseAbs().maxCoeff() > kSolved) return false;
  for (std::size_t e = 0; e < example_count; ++e) {
    double* own = out.data() + 2 * count + e * (count + 1);
    for (std::size_t s = 0; s <= count; ++s) {
      const auto row = static_cast<Eigen::Index>(s);
      own[s] = row < rows ? factors(row, static_cast<Eigen::Index>(e)) : 0;
    }
  }
  return true;
}

// `distance_to(s)` is that of sample s.
template <class Distance>
void weigh(const PreparedPoseSpace& p, std::span<const double> coefficients, const Distance& distance_to,
           std::span<float> weights) {
  const std::size_t count = p.sample_count();
  // The kernels of larger spaces are computed again for every example, so that nothing is allocated.
  constexpr std::size_t kKept = 64;
  std::array<double, kKept> distances{}, kernels{};
  for (std::size_t s = 0; s < std::min(count, kKept); ++s) {
    distances[s] = distance_to(s);
    kernels[s] = kernel_of(p, coefficients, s, distances[s]);
  }
  const auto distance = [&](std::size_t s) { return s < kKept ? distances[s] : distance_to(s); };
  const auto kernel = [&](std::size_t s) {
    return s < kKept ? kernels[s] : kernel_of(p, coefficients, s, distance_to(s));
  };
  // How much the pose is on the side of rest where some example is.
  double presence = 0, sum = 0;
  for (std::size_t s = 1; s < count; ++s)
    presence = std::max(presence, fall(distance(s) / coefficients[count + s], 1, kBeyondRest));
  for (std::size_t e = 0; e + 1 < count; ++e) {
    const std::span<const double> own = coefficients.subspan(2 * count + e * (count + 1), count + 1);
    double weight = own[count];
    for (std::size_t s = 0; s < count; ++s) weight += own[s] * kernel(s);
    if (p.space.kernel != PoseKernel::gaussian) weight *= fall(distance(e + 1) / coefficients[e + 1], 1, 2);
    weight *= presence;
    weight = std::abs(weight) > kNoWeight ? weight : 0;
    sum += weight;
    weights[e] = static_cast<float>(weight);
  }
  const double scale = p.space.is_normalised && sum > 1 ? 1 / sum : 1;
  for (std::size_t e = 0; e + 1 < count; ++e)
    weights[e] = static_cast<float>(static_cast<double>(weights[e]) * scale *
                                    static_cast<double>(p.space.examples[e].strength));
}

Quatd joint_rotation(const PreparedPoseSpace& p, std::span<const LocalPose> local, std::size_t joint) {
  return rotation_from_rest(p.rest[joint], local[at(p.space.joints[joint].node)]);
}

std::string named_space(const PoseSpace& space) { return "pose space " + quoted_name(space.name); }

Status check_samples(const PreparedPoseSpace& p) {
  for (std::size_t a = 0; a < p.sample_count(); ++a) {
    for (std::size_t b = a + 1; b < p.sample_count(); ++b) {
      if (!(distance_between(p, p.shares, a, b) < kSamePose)) continue;
      const std::string second = quoted_name(p.space.examples[b - 1].shape);
      if (a == 0)
        return Error{Errc::bad_rig,
                     fmt::format("{}: example {} is at the rest pose, where there is nothing to correct",
                                 named_space(p.space), second)};
      return Error{Errc::bad_rig,
                   fmt::format("{}: examples {} and {} are at the same pose; keep one of them",
                               named_space(p.space), quoted_name(p.space.examples[a - 1].shape), second)};
    }
  }
  return Done{};
}

}  // namespace

Quatd rotation_from_rest(const Quatd& rest, const LocalPose& local) {
  return normalized(conjugate(rest) * Quatd(local.transform.rotation) * local.turn);
}

Result<PreparedPoseSpace> prepare_pose_space(const Character& character, const PoseSpace& space) {
  return without_throwing("preparing a pose space", [&]() -> Result<PreparedPoseSpace> {
    PreparedPoseSpace p;
    p.space = space;
    const std::size_t count = p.sample_count();
    for (const PoseJoint& joint : space.joints) {
      p.rest.push_back(normalized(Quatd(character.nodes[at(joint.node)].rest.rotation)));
      p.shares.push_back(static_cast<double>(joint.share));
    }
    p.between.reserve(space.joints.size() * count * count);
    for (std::size_t j = 0; j < space.joints.size(); ++j) {
      for (std::size_t s = 0; s < count * count; ++s) {
        const Quatd a = rotation_of_sample(space, j, s / count), b = rotation_of_sample(space, j, s % count);
        const double angle = pose_angle(space.joints[j], a, b);
        p.between.push_back(angle * angle);
      }
    }
    if (Status good = check_samples(p); !good) return good.error();
    for (std::size_t s = 0; s < count; ++s) p.nearest.push_back(distance_to_nearest(p, p.shares, s));
    p.coefficients.resize(coefficient_count(p));
    if (!solve(p, p.shares, p.coefficients))
      return Error{Errc::bad_rig, fmt::format("{}: its examples cannot be told apart, because their radii "
                                              "are much larger than the distances between them",
                                              named_space(space))};
    return p;
  });
}

void weigh_examples(const PreparedPoseSpace& space, std::span<const LocalPose> local,
                    std::span<float> weights) {
  const auto distance_to = [&](std::size_t sample) {
    double sum = 0;
    for (std::size_t j = 0; j < space.shares.size(); ++j) {
      const double angle = pose_angle(space.space.joints[j], joint_rotation(space, local, j),
                                      rotation_of_sample(space.space, j, sample));
      sum += space.shares[j] * space.shares[j] * angle * angle;
    }
    return std::sqrt(sum);
  };
  weigh(space, space.coefficients, distance_to, weights);
}

std::size_t coefficient_count(const PreparedPoseSpace& space) {
  const std::size_t count = space.sample_count();
  return 2 * count + (count - 1) * (count + 1);
}

bool solve_coefficients(const PreparedPoseSpace& space, std::span<const double> shares,
                        std::span<double> coefficients) {
  bool is_apart = true;
  for (std::size_t s = 0; s < space.sample_count(); ++s)
    is_apart = is_apart && distance_to_nearest(space, shares, s) >= kSamePose * 0.1;
  if (is_apart && solve(space, shares, coefficients)) return true;
  std::copy(space.coefficients.begin(), space.coefficients.end(), coefficients.begin());
  return false;
}

void measure_pose(const PreparedPoseSpace& space, std::span<const LocalPose> local,
                  std::span<double> measured) {
  const std::size_t count = space.sample_count();
  for (std::size_t j = 0; j < space.shares.size(); ++j) {
    const Quatd rotation = joint_rotation(space, local, j);
    for (std::size_t s = 0; s < count; ++s) {
      const double angle = pose_angle(space.space.joints[j], rotation, rotation_of_sample(space.space, j, s));
      measured[j * count + s] = angle * angle;
    }
  }
}

void weigh_examples(const PreparedPoseSpace& space, std::span<const double> shares,
                    std::span<const double> coefficients, std::span<const double> measured,
                    std::span<float> weights) {
  const std::size_t count = space.sample_count();
  const auto distance_to = [&](std::size_t sample) {
    double sum = 0;
    for (std::size_t j = 0; j < shares.size(); ++j)
      sum += shares[j] * shares[j] * measured[j * count + sample];
    return std::sqrt(sum);
  };
  weigh(space, coefficients, distance_to, weights);
}

void weigh_examples(std::span<const PreparedPoseSpace> spaces, PoseFrame& frame) {
  for (std::size_t k = 0; k < spaces.size(); ++k) {
    frame.example_weights[k].resize(spaces[k].space.examples.size());
    weigh_examples(spaces[k], frame.local, frame.example_weights[k]);
  }
}

}  // namespace dermis
