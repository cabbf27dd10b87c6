// SPDX-License-Identifier: MIT
// Finds the rest surface that a stack poses as a given surface.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "deform/prepared_mesh.h"
#include "deform/stages.h"

namespace dermis {
namespace {

// Directions that keep less of their length than this are damped. With this damping the offset of a direction
// that is lost altogether is at most ten times what the sculpt asks for.
constexpr double kDampedBelow = 0.05, kDamping = 0.05;
// How far the rest surface is moved to measure, as a fraction of its size. Skinning is affine, so far is more
// accurate; posed stages are not.
constexpr double kSkinStep = 0.05, kPosedStep = 1e-3;
// A round that leaves more than this of what was missing is not worth another one; so many of them end it.
constexpr double kImproved = 0.9;
constexpr int kPatience = 2;

// Of coupled points: directions per round, and how well a round solves the linear problem.
constexpr int kMostDirections = 100;
constexpr double kLinearTolerance = 1e-2;
// A direction is tried with offsets of this fraction of the size at most.
constexpr double kTrial = 2e-4;
constexpr int kMostHalvings = 4;

// How a point is solved: step = gain * what is missing - loss * offset, where loss is zero except in damped
// directions; there the step vanishes at the least sum of squares of miss and damped offset.
struct PointSolve {
  Mat3d gain{diagonal(Vec3d{})}, loss{diagonal(Vec3d{})};
  bool is_damped = false;
};

PointSolve solve_of(const Mat3d& posed_from_rest) {
  const Svd parts = svd(posed_from_rest);
  PointSolve solve;
  Vec3d gain, loss;
  for (int i = 0; i < 3; ++i) {
    const double s = parts.sigma[i], relative = s / kDampedBelow;
    const double damping = kDamping * kDamping * std::max(0.0, 1 - relative * relative);
    solve.is_damped = solve.is_damped || damping > 0;
    gain[i] = s / (s * s + damping);
    loss[i] = damping / (s * s + damping);
  }
  solve.gain = parts.v * diagonal(gain) * transposed(parts.u);
  solve.loss = parts.v * diagonal(loss) * transposed(parts.v);
  return solve;
}

// One instance in one pose, as a function of its rest points.
class PosedFromRest {
 public:
  PosedFromRest(const Deformer& deformer, const PoseFrame& frame, Index instance)
      : deformer_(deformer), frame_(frame), instance_(instance) {}

  Status prepare() {
    const Instance& shown = deformer_.character->instances[at(instance_)];
    ready_ = deformer_.meshes[at(instance_)];
    if (ready_ == nullptr) {
      Result<std::shared_ptr<const PreparedMesh>> made =
          prepare_mesh(*deformer_.character, shown.mesh, shown.skin != kNone, deformer_.stack,
                       deformer_.options.normals, {});
      if (!made) return made.error();
      ready_ = std::move(*made);
    }
    const Result<const Surface*> rest = rest_entries(ready_, frame_, instance_, state_);
    if (!rest) return rest.error();
    rest_.points = (*rest)->points;
    start_.assign(rest_.points.begin(), rest_.points.begin() + static_cast<std::ptrdiff_t>(point_count()));
    return Done{};
  }

  std::size_t point_count() const { return ready_->point_count(); }
  // Points depend on others.
  bool is_coupled() const { return !ready_->posed_steps.empty(); }
  std::span<const Vec3> start() const { return start_; }

  // The posed points with these offsets at rest.
  Status at_offsets(std::span<const double> offsets, std::vector<Vec3>& posed) {
    for (std::size_t v = 0; v < start_.size(); ++v)
      rest_.points[v] =
          Vec3(Vec3d(start_[v]) + Vec3d{offsets[3 * v], offsets[3 * v + 1], offsets[3 * v + 2]});
    carry_to_corners(*ready_, rest_);
    if (Status s = pose_rest_entries(*ready_, *deformer_.character, frame_, instance_, rest_, state_, posed_);
        !s)
      return s;
    posed.assign(posed_.points.begin(), posed_.points.begin() + static_cast<std::ptrdiff_t>(point_count()));
    return Done{};
  }

 private:
  const Deformer& deformer_;
  const PoseFrame& frame_;
  Index instance_;
  std::shared_ptr<const PreparedMesh> ready_;
  InstanceState state_;
  Surface rest_, posed_;     // entries, without normals
  std::vector<Vec3> start_;  // rest points without offsets
};

// How the points pose when the rest surface moves, one matrix per point.
Result<std::vector<Mat3d>> measured_maps(PosedFromRest& pose, double size) {
  const std::size_t count = pose.point_count();
  const double step = size * (pose.is_coupled() ? kPosedStep : kSkinStep);
  std::vector<Mat3d> maps(count);
  std::vector<double> offsets(3 * count);
  std::vector<Vec3> ahead, behind;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {1.0, -1.0}) {
      for (std::size_t v = 0; v < count; ++v) {
        Vec3d offset;
        offset[axis] = side * step;
        for (int i = 0; i < 3; ++i) offsets[3 * v + static_cast<std::size_t>(i)] = offset[i];
      }
      if (Status s = pose.at_offsets(offsets, side > 0 ? ahead : behind); !s) return s.error();
    }
    for (std::size_t v = 0; v < count; ++v)
      maps[v][axis] = (Vec3d(ahead[v]) - Vec3d(behind[v])) * (0.5 / step);
  }
  return maps;
}

double size_of(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& point : points) box.add(Vec3d(point));
  // A mesh without extent is measured in units.
  return box.diagonal() > 0 ? box.diagonal() : 1;
}

using Numbers = Eigen::VectorXd;  // x, y, z of each point

// The iteration: `offsets` that are best, and what is then missing.
class PullBack {
 public:
  PullBack(PosedFromRest& pose, std::span<const Vec3> target, const PullBackOptions& options)
      : pose_(pose),
        target_(target),
        options_(options),
        size_(size_of(pose.start())),
        offsets_(Numbers::Zero(static_cast<Eigen::Index>(3 * target.size()))) {}

  Result<PulledBack> run(const Progress& progress) {
    if (Status s = missing_at(offsets_, missing_); !s) return s.error();
    if (Status s = prepare_solves(); !s) return s.error();
    int wasted = 0;
    for (; round_ < options_.max_rounds && wasted < kPatience; ++round_) {
      if (Status s = progress.at("pulling back", double(round_) / options_.max_rounds); !s) return s.error();
      if (is_solved()) break;
      const double before = missing_.norm();
      if (Status s = pose_.is_coupled() ? improve_together() : improve_each(); !s) return s.error();
      wasted = missing_.norm() > kImproved * before ? wasted + 1 : 0;
    }
    return result();
  }

 private:
  // What is missing with these offsets.
  Status missing_at(const Numbers& offsets, Numbers& missing) {
    if (Status s = pose_.at_offsets({offsets.data(), static_cast<std::size_t>(offsets.size())}, posed_); !s)
      return s;
    missing.resize(offsets.size());
    for (std::size_t v = 0; v < target_.size(); ++v) put(missing, v, Vec3d(target_[v]) - Vec3d(posed_[v]));
    return Done{};
  }

  static Vec3d of(const Numbers& numbers, std::size_t v) {
    const auto k = static_cast<Eigen::Index>(3 * v);
    return {numbers(k), numbers(k + 1), numbers(k + 2)};
  }
  static void put(Numbers& numbers, std::size_t v, const Vec3d& value) {
    const auto k = static_cast<Eigen::Index>(3 * v);
    numbers(k) = value.x, numbers(k + 1) = value.y, numbers(k + 2) = value.z;
  }

  Status prepare_solves() {
    const Result<std::vector<Mat3d>> maps = measured_maps(pose_, size_);
    if (!maps) return maps.error();
    solves_.resize(target_.size());
    constexpr std::size_t kGrain = 256;
    parallel_for(target_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        // A point that is where it should be stays, if no other one can move it away.
        const bool is_there = length(of(missing_, v)) <= options_.tolerance * size_;
        if (pose_.is_coupled() || !is_there) solves_[v] = solve_of((*maps)[v]);
        solves_[v].is_damped = solves_[v].is_damped && !is_there;
      }
    });
    return Done{};
  }

  // Damped points are where they can be if their step is small.
  bool is_solved() const {
    const double most = options_.tolerance * size_;
    for (std::size_t v = 0; v < target_.size(); ++v)
      if (length(of(missing_, v)) > most && (pose_.is_coupled() || length(step_of(v)) > 0.5 * most))
        return false;
    return true;
  }
  Vec3d step_of(std::size_t v) const {
    return solves_[v].gain * of(missing_, v) - solves_[v].loss * of(offsets_, v);
  }

  // Each point by its own matrix.
  Status improve_each() {
    Numbers next = offsets_, missing;
    for (std::size_t v = 0; v < target_.size(); ++v) put(next, v, of(offsets_, v) + step_of(v));
    if (Status s = missing_at(next, missing); !s) return s;
    // In damped directions what is missing may grow a little.
    if (missing.norm() > 1.5 * missing_.norm()) return Done{};
    offsets_ = std::move(next);
    missing_ = std::move(missing);
    return Done{};
  }

  Numbers gained(const Numbers& values) const {
    Numbers gains(values.size());
    for (std::size_t v = 0; v < target_.size(); ++v) put(gains, v, solves_[v].gain * of(values, v));
    return gains;
  }

  // Newton's method: the linear problem is solved by GMRES (Saad, Schultz 1986) with the matrices of the
  // points as preconditioner; products are differences of posed points.
  Status improve_together() {
    Numbers step;
    if (Status s = newton_step(step); !s) return s;
    double share = 1;
    for (int halving = 0; halving <= kMostHalvings; ++halving, share *= 0.5) {
      const Numbers next = offsets_ + step * share;
      Numbers missing;
      if (Status s = missing_at(next, missing); !s) return s;
      if (missing.norm() >= missing_.norm()) continue;
      offsets_ = next;
      missing_ = std::move(missing);
      break;
    }
    return Done{};
  }

  // How the posed points answer to a change of the offsets.
  Status answer_to(const Numbers& change, Numbers& answer) {
    const double largest = change.cwiseAbs().maxCoeff();
    if (!(largest > 0)) {
      answer = Numbers::Zero(change.size());
      return Done{};
    }
    const double scale = kTrial * size_ / largest;
    Numbers missing;
    if (Status s = missing_at(offsets_ + change * scale, missing); !s) return s;
    answer = (missing_ - missing) / scale;
    return Done{};
  }

  Status newton_step(Numbers& step) {
    const double size = missing_.norm();
    Eigen::MatrixXd basis(missing_.size(), kMostDirections + 1);
    Eigen::MatrixXd hessenberg = Eigen::MatrixXd::Zero(kMostDirections + 1, kMostDirections);
    basis.col(0) = missing_ / size;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(kMostDirections + 1), factors;
    right(0) = size;
    int count = 0;
    while (count < kMostDirections) {
      Numbers answer;
      if (Status s = answer_to(gained(basis.col(count)), answer); !s) return s;
      // Twice, because rounding spoils the first.
      for (int pass = 0; pass < 2; ++pass) {
        const Eigen::VectorXd along = basis.leftCols(count + 1).transpose() * answer;
        answer -= basis.leftCols(count + 1) * along;
        hessenberg.col(count).head(count + 1) += along;
      }
      hessenberg(count + 1, count) = answer.norm();
      const bool is_spanned = !(answer.norm() > 1e-12);
      if (!is_spanned) basis.col(count + 1) = answer / answer.norm();
      ++count;
      const auto part = hessenberg.topLeftCorner(count + 1, count);
      factors = part.colPivHouseholderQr().solve(right.head(count + 1));
      if (is_spanned || (part * factors - right.head(count + 1)).norm() < kLinearTolerance * size) break;
    }
    step = gained(basis.leftCols(count) * factors);
    return Done{};
  }

  PulledBack result() const {
    PulledBack pulled;
    pulled.round_count = round_;
    std::vector<double> misses;
    for (std::size_t v = 0; v < target_.size(); ++v) {
      pulled.offsets.emplace_back(of(offsets_, v));
      pulled.damped_count += solves_[v].is_damped ? 1 : 0;
      misses.push_back(length(of(missing_, v)) / size_);
      if (pulled.worst != kNone && !(misses.back() > pulled.largest)) continue;
      pulled.largest = misses.back();
      pulled.worst = static_cast<Index>(v);
    }
    const auto middle = misses.begin() + static_cast<std::ptrdiff_t>(misses.size() / 2);
    std::nth_element(misses.begin(), middle, misses.end());
    pulled.median = *middle;
    return pulled;
  }

  PosedFromRest& pose_;
  std::span<const Vec3> target_;
  PullBackOptions options_;
  double size_;
  std::vector<PointSolve> solves_;
  std::vector<Vec3> posed_;
  Numbers offsets_, missing_;
  int round_ = 0;
};

}  // namespace

Result<PulledBack> pull_back(const Deformer& deformer, const PoseFrame& frame, Index instance,
                             std::span<const Vec3> target, const PullBackOptions& options,
                             const Progress& progress) {
  return without_throwing("pulling back a sculpt", [&]() -> Result<PulledBack> {
    PosedFromRest pose(deformer, frame, instance);
    if (Status s = pose.prepare(); !s) return s.error();
    const std::string name =
        named_mesh(*deformer.character, deformer.character->instances[at(instance)].mesh);
    if (target.size() != pose.point_count())
      return Error{Errc::bad_argument,
                   fmt::format("{} has {}, the sculpt has {}", name,
                               counted(pose.point_count(), "point", "points"), target.size())};
    const auto bad =
        std::find_if(target.begin(), target.end(), [](const Vec3& point) { return !is_finite(point); });
    if (bad != target.end())
      return Error{Errc::bad_argument,
                   fmt::format("point {} of the sculpt of {} is not finite", bad - target.begin(), name)};
    if (target.empty()) return PulledBack{};
    return PullBack(pose, target, options).run(progress);
  });
}

}  // namespace dermis
