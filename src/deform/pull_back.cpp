// SPDX-License-Identifier: MIT
// Finds the rest surface that a stack poses as a given surface.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <deque>

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
// The number of earlier rounds that the acceleration uses.
constexpr std::size_t kRemembered = 8;
// It ends when this many rounds have not improved it by a twentieth.
constexpr int kPatience = 6;
constexpr double kImproved = 0.95;

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

// Anderson's acceleration of x = g(x): mixes the last rounds so that their steps cancel best.
class Acceleration {
 public:
  // The next x, from x and the step g(x) - x.
  Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& step) {
    if (last_x_.size() > 0) {
      steps_.push_back(step - last_step_);
      moves_.push_back((x - last_x_) + steps_.back());
      if (steps_.size() > kRemembered) steps_.pop_front(), moves_.pop_front();
    }
    last_x_ = x, last_step_ = step;
    const auto count = static_cast<Eigen::Index>(steps_.size());
    if (count == 0) return x + step;
    Eigen::MatrixXd normal(count, count);
    Eigen::VectorXd right(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      right(i) = steps_[static_cast<std::size_t>(i)].dot(step);
      for (Eigen::Index k = 0; k <= i; ++k)
        normal(i, k) = normal(k, i) =
            steps_[static_cast<std::size_t>(i)].dot(steps_[static_cast<std::size_t>(k)]);
    }
    // Rounds that repeat each other must not get large factors of opposite sign.
    normal.diagonal() *= 1 + 1e-10;
    const Eigen::VectorXd factors = normal.ldlt().solve(right);
    Eigen::VectorXd result = x + step;
    if (!factors.allFinite()) return result;
    for (Eigen::Index i = 0; i < count; ++i) result -= moves_[static_cast<std::size_t>(i)] * factors(i);
    return result;
  }
  void forget() { *this = {}; }

 private:
  std::deque<Eigen::VectorXd> steps_, moves_;
  Eigen::VectorXd last_x_, last_step_;
};

double size_of(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& point : points) box.add(Vec3d(point));
  return box.diagonal();
}

// The iteration: `offsets` that are best, and what is then missing.
class PullBack {
 public:
  PullBack(PosedFromRest& pose, std::span<const Vec3> target, const PullBackOptions& options)
      : pose_(pose), target_(target), options_(options), size_(size_of(pose.start())) {}

  Result<PulledBack> run(const Progress& progress) {
    const auto width = static_cast<Eigen::Index>(3 * target_.size());
    Eigen::VectorXd x = Eigen::VectorXd::Zero(width), best = x, best_step = x;
    if (Status s = look_at(x); !s) return s.error();
    if (Status s = prepare_solves(); !s) return s.error();
    Acceleration acceleration;
    double least = INFINITY, waited_from = INFINITY;
    double caution = 1;
    int waited = 0, round = 0;
    while (true) {
      if (Status s = progress.at("pulling back", double(round) / options_.max_rounds); !s) return s.error();
      const Eigen::VectorXd step = step_at(x);
      const double merit = step.norm();
      if (merit < least) {
        least = merit, best = x, best_step = step, best_missing_ = missing_;
      }
      if (!(merit <= 3 * least)) {
        // Too far: again from the best, more carefully.
        acceleration.forget();
        caution *= 0.5;
        x = best + best_step * caution;
      } else {
        x = acceleration.next(x, step * caution);
      }
      if (largest_of(best_step) <= 0.1 * options_.tolerance * size_ || round == options_.max_rounds) break;
      waited = least < kImproved * waited_from ? 0 : waited + 1;
      if (waited == 0) waited_from = least;
      if (waited > kPatience) break;
      ++round;
      if (Status s = look_at(x); !s) return s.error();
    }
    return result(best, round);
  }

 private:
  // What is missing with these offsets.
  Status look_at(const Eigen::VectorXd& x) {
    if (Status s = pose_.at_offsets({x.data(), static_cast<std::size_t>(x.size())}, posed_); !s) return s;
    missing_.resize(target_.size());
    for (std::size_t v = 0; v < target_.size(); ++v) missing_[v] = Vec3d(target_[v]) - Vec3d(posed_[v]);
    return Done{};
  }

  Status prepare_solves() {
    const Result<std::vector<Mat3d>> maps = measured_maps(pose_, size_);
    if (!maps) return maps.error();
    solves_.resize(target_.size());
    constexpr std::size_t kGrain = 256;
    parallel_for(target_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        // A point that is where it should be stays, if no other one can move it away.
        const bool is_there = length(missing_[v]) <= options_.tolerance * size_;
        if (pose_.is_coupled() || !is_there) solves_[v] = solve_of((*maps)[v]);
        solves_[v].is_damped = solves_[v].is_damped && !is_there;
      }
    });
    return Done{};
  }

  Eigen::VectorXd step_at(const Eigen::VectorXd& x) const {
    Eigen::VectorXd step(x.size());
    for (std::size_t v = 0; v < target_.size(); ++v) {
      const auto k = static_cast<Eigen::Index>(3 * v);
      const Vec3d offset{x(k), x(k + 1), x(k + 2)};
      const Vec3d own = solves_[v].gain * missing_[v] - solves_[v].loss * offset;
      step(k) = own.x, step(k + 1) = own.y, step(k + 2) = own.z;
    }
    return step;
  }

  static double largest_of(const Eigen::VectorXd& step) { return step.cwiseAbs().maxCoeff(); }

  PulledBack result(const Eigen::VectorXd& offsets, int rounds) const {
    PulledBack pulled;
    pulled.round_count = rounds;
    std::vector<double> misses;
    for (std::size_t v = 0; v < target_.size(); ++v) {
      const auto k = static_cast<Eigen::Index>(3 * v);
      const Vec3d offset{offsets(k), offsets(k + 1), offsets(k + 2)};
      pulled.offsets.emplace_back(offset);
      pulled.damped_count += solves_[v].is_damped ? 1 : 0;
      misses.push_back(size_ > 0 ? length(best_missing_[v]) / size_ : 0);
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
  std::vector<Vec3d> missing_, best_missing_;
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
