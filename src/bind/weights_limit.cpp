// SPDX-License-Identifier: MIT
// Fewer influences per point, chosen and refitted so that points move least over the range of motion.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "bind/places.h"
#include "bind/weights_rows.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

constexpr std::size_t kLimitGrain = 64;
// Relative to the largest squared displacement: how strongly weights are held that no pose determines.
constexpr double kLeastHold = 1e-6;

using DenseMatrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// ---- Least squares on a simplex -----------------------------------------------------------------------

// The w >= 0 with sum `total` that minimises w^T H w / 2 - c^T w; H positive definite. An active set method:
// the free weights are solved for, a step ends where the first of them reaches zero, and a fixed weight that
// would gain by growing is freed again.
Vector least_on_simplex(const DenseMatrix& h, const Vector& c, double total) {
  const auto n = h.rows();
  Vector w = Vector::Constant(n, total / static_cast<double>(n));
  std::vector<Eigen::Index> free(static_cast<std::size_t>(n));
  for (Eigen::Index k = 0; k < n; ++k) free[static_cast<std::size_t>(k)] = k;
  const Eigen::Index most_steps = 4 * n + 8;
  for (Eigen::Index step = 0; step < most_steps; ++step) {
    const auto m = static_cast<Eigen::Index>(free.size());
    // With the multiplier of the sum as the last unknown.
    DenseMatrix kkt = DenseMatrix::Zero(m + 1, m + 1);
    Vector right(m + 1);
    for (Eigen::Index a = 0; a < m; ++a) {
      const Eigen::Index row = free[static_cast<std::size_t>(a)];
      for (Eigen::Index b = 0; b < m; ++b) kkt(a, b) = h(row, free[static_cast<std::size_t>(b)]);
      kkt(a, m) = kkt(m, a) = 1;
      right(a) = c(row);
    }
    right(m) = total;
    const Vector z = kkt.partialPivLu().solve(right);
    double reach = 1;
    for (Eigen::Index a = 0; a < m; ++a) {
      const double now = w(free[static_cast<std::size_t>(a)]);
      if (z(a) < 0) reach = std::min(reach, now / (now - z(a)));
    }
    for (Eigen::Index a = 0; a < m; ++a) {
      double& now = w(free[static_cast<std::size_t>(a)]);
      now += reach * (z(a) - now);
    }
    if (reach < 1) {
      constexpr double kNothing = 1e-14;
      std::erase_if(free, [&](Eigen::Index k) {
        if (w(k) > kNothing * total) return false;
        w(k) = 0;
        return true;
      });
      if (free.empty()) break;  // impossible: the sum stays
      continue;
    }
    // All free weights are optimal; free the fixed one that gains most by growing.
    const Vector slope = h * w - c;
    const double level = -z(m), tolerance = 1e-12 * (std::abs(level) + h.cwiseAbs().maxCoeff());
    Eigen::Index let_go = -1;
    double best = level - tolerance;
    for (Eigen::Index k = 0; k < n; ++k) {
      const bool is_free = std::find(free.begin(), free.end(), k) != free.end();
      if (!is_free && slope(k) < best) {
        best = slope(k);
        let_go = k;
      }
    }
    if (let_go < 0) break;
    free.push_back(let_go);
    std::sort(free.begin(), free.end());
  }
  return w;
}

// ---- Poses --------------------------------------------------------------------------------------------

// The transforms of a skin's slots in the poses of the range of motion. A pose turns one joint, and moves
// everything below it by the same motion; everything else stays at rest. Only the motions are kept: a
// palette for each pose would take memory with the square of the joints.
class SlotMotions {
 public:
  // A joint that is turned; its poses are consecutive.
  struct Turned {
    Index node = kNone;
    std::vector<Affined> motions;  // of everything below it, in the world, for each pose
    // Instead, for a joint that is flattened at rest, for which no motion leads back: the whole palette in
    // each pose, one after the other.
    std::vector<Affined> palettes;
    std::size_t pose_count = 0;
  };

  static Result<SlotMotions> make(const Character& character, Index skin, const Progress& progress) {
    SlotMotions motions;
    motions.subtrees_ = Subtrees(character.nodes);
    motions.nodes_ = character.skins[at(skin)].node;
    const std::vector<RangePose> poses = range_of_motion(character);
    const Result<Poser> poser = prepare_poser(character);
    if (!poser) return poser.error();
    PoseFrame rest, posed;
    if (Status good = pose(*poser, {}, rest); !good) return good.error();
    motions.rest_.assign(rest.palette_of(skin).begin(), rest.palette_of(skin).end());
    motions.pose_count_ = poses.size();
    for (const RangePose& one : poses) {
      const double done = static_cast<double>(&one - poses.data()) / static_cast<double>(poses.size());
      if (Status going = progress.at("posing joints", done); !going) return going.error();
      if (motions.turned_.empty() || motions.turned_.back().node != one.node)
        motions.turned_.push_back({one.node, {}, {}, 0});
      Turned& turned = motions.turned_.back();
      ++turned.pose_count;
      const Affined& world = rest.world_from_node[at(one.node)];
      if (const Affined back = inverse(world); is_finite(back)) {
        // Its turn is the innermost of its transforms, so world * turn is where it goes.
        const Quatd turn = normalized(Quatd(*one.pose.nodes[0].turn));
        turned.motions.push_back(world * Affined(matrix_from_quat(turn), Vec3d{}) * back);
        continue;
      }
      if (Status good = pose(*poser, {kNone, 0, &one.pose}, posed); !good) return good.error();
      const std::span<const Affined> palette = posed.palette_of(skin);
      turned.palettes.insert(turned.palettes.end(), palette.begin(), palette.end());
    }
    return motions;
  }

  std::size_t pose_count() const { return pose_count_; }
  const Affined& rest(Index slot) const { return rest_[at(slot)]; }

  // Calls body(repeats, palette_of) for each pose that moves slots of the row differently, where
  // palette_of(slot) is a slot's transform, and once for all the others, in which the row is at rest up to a
  // rigid motion.
  template <class Body>
  void each_pose(std::span<const Influence> row, const Body& body) const {
    std::size_t others = pose_count_;
    for (const Turned& turned : turned_) {
      const auto is_moved = [&](const Influence& one) { return is_below(one.slot, turned); };
      const auto moved = std::count_if(row.begin(), row.end(), is_moved);
      if (moved == 0 || moved == static_cast<std::ptrdiff_t>(row.size())) continue;
      others -= turned.pose_count;
      for (std::size_t k = 0; k < turned.pose_count; ++k) {
        body(std::size_t{1}, [&](Index slot) -> Affined {
          if (!is_below(slot, turned)) return rest_[at(slot)];
          return turned.motions.empty() ? turned.palettes[k * rest_.size() + at(slot)]
                                        : turned.motions[k] * rest_[at(slot)];
        });
      }
    }
    if (others > 0) body(others, [&](Index slot) -> const Affined& { return rest_[at(slot)]; });
  }

 private:
  bool is_below(Index slot, const Turned& turned) const {
    return subtrees_.is_in(nodes_[at(slot)], turned.node);
  }

  Subtrees subtrees_;
  std::size_t pose_count_ = 0;
  std::vector<Affined> rest_;
  std::vector<Index> nodes_;  // of the slots
  std::vector<Turned> turned_;
};

// ---- One point ----------------------------------------------------------------------------------------

// Products of the displacements M_i v - x over all poses, relative to the size: since sum_i w_i = 1,
// |sum_i w_i M_i v - x|^2 = w^T G w.
DenseMatrix displacement_products(const SlotMotions& motions, std::span<const Influence> row,
                                  const Vec3d& point, double size) {
  const auto n = static_cast<Eigen::Index>(row.size());
  DenseMatrix products = DenseMatrix::Zero(n, n);
  Eigen::Matrix3Xd apart(3, n);
  motions.each_pose(row, [&](std::size_t repeats, const auto& palette_of) {
    Vec3d target;
    std::vector<Vec3d> places(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) {
      places[k] = palette_of(row[k].slot) * point;
      target += places[k] * static_cast<double>(row[k].weight);
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Vec3d d = (places[k] - target) * (1 / size);
      apart.col(static_cast<Eigen::Index>(k)) = Eigen::Vector3d(d.x, d.y, d.z);
    }
    products.noalias() += static_cast<double>(repeats) * (apart.transpose() * apart);
  });
  return products;
}

// The best weights for some influences of a row.
class Refit {
 public:
  Refit(std::span<const Influence> row, const SlotLocks& locks, const DenseMatrix& products)
      : row_(row), products_(products) {
    const double largest = products.diagonal().maxCoeff();
    hold_ = largest > 0 ? kLeastHold * largest : 1;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!is_locked(locks, row[k].slot)) continue;
      locked_.push_back(static_cast<Eigen::Index>(k));
      share_ -= static_cast<double>(row[k].weight);
    }
    share_ = std::max(share_, 0.0);  // rounded weights may sum to slightly more than one
  }

  const std::vector<Eigen::Index>& locked() const { return locked_; }
  double share() const { return share_; }

  // Weights of the whole row; zero if not in `kept`.
  Vector weights(std::span<const Eigen::Index> kept) const {
    const auto m = static_cast<Eigen::Index>(kept.size());
    Vector all = Vector::Zero(static_cast<Eigen::Index>(row_.size()));
    for (const Eigen::Index k : locked_) all(k) = weight(k);
    DenseMatrix h(m, m);
    Vector c(m);
    for (Eigen::Index a = 0; a < m; ++a) {
      const Eigen::Index row = kept[static_cast<std::size_t>(a)];
      for (Eigen::Index b = 0; b < m; ++b) h(a, b) = products_(row, kept[static_cast<std::size_t>(b)]);
      h(a, a) += hold_;
      c(a) = hold_ * weight(row);
      for (const Eigen::Index k : locked_) c(a) -= products_(row, k) * weight(k);
    }
    const Vector best = least_on_simplex(h, c, share_);
    for (Eigen::Index a = 0; a < m; ++a) all(kept[static_cast<std::size_t>(a)]) = best(a);
    return all;
  }

  double error(const Vector& w) const { return w.dot(products_ * w); }
  // The same with the term that holds weights that no pose determines.
  double cost(const Vector& w) const {
    double sum = error(w);
    for (Eigen::Index k = 0; k < w.size(); ++k) sum += hold_ * (w(k) - weight(k)) * (w(k) - weight(k));
    return sum;
  }
  double weight(Eigen::Index k) const {
    return static_cast<double>(row_[static_cast<std::size_t>(k)].weight);
  }

 private:
  std::span<const Influence> row_;
  const DenseMatrix& products_;
  std::vector<Eigen::Index> locked_;
  double share_ = 1, hold_ = 1;
};

// The heaviest `count` unlocked influences.
std::vector<Eigen::Index> heaviest(std::span<const Influence> row, const SlotLocks& locks,
                                   std::size_t count) {
  std::vector<Eigen::Index> kept;
  for (std::size_t k = 0; k < row.size() && kept.size() < count; ++k) {
    if (!is_locked(locks, row[k].slot)) kept.push_back(static_cast<Eigen::Index>(k));
  }
  return kept;
}

Vector scaled_heaviest(const Refit& refit, std::span<const Eigen::Index> kept, Eigen::Index size) {
  Vector w = Vector::Zero(size);
  double sum = 0;
  for (const Eigen::Index k : kept) sum += refit.weight(k);
  for (const Eigen::Index k : kept) w(k) = refit.weight(k) / sum * refit.share();
  for (const Eigen::Index k : refit.locked()) w(k) = refit.weight(k);
  return w;
}

// Drops the influence whose loss costs least until `count` are left.
Vector dropped_one_by_one(const Refit& refit, std::vector<Eigen::Index> kept, std::size_t count) {
  Vector best = refit.weights(kept);
  while (kept.size() > count) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t dropped = kept.size() - 1;
    // From the lightest up, so that of equals the lightest is dropped.
    for (std::size_t k = kept.size(); k-- > 0;) {
      std::vector<Eigen::Index> others = kept;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      const Vector w = refit.weights(others);
      if (const double cost = refit.cost(w); cost < least) {
        least = cost;
        dropped = k;
        best = w;
      }
    }
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(dropped));
  }
  return best;
}

std::vector<SlotWeight> slot_weights(std::span<const Influence> row, const Vector& w) {
  std::vector<SlotWeight> weights;
  weights.reserve(row.size());
  for (std::size_t k = 0; k < row.size(); ++k) {
    const double weight = w(static_cast<Eigen::Index>(k));
    if (weight > 0) weights.push_back({row[k].slot, weight});
  }
  return weights;
}

// Sum of squares and maximum of the distances between two rows of a point over all poses.
struct Apart {
  double squares = 0, max = 0;
};
Apart apart(const SlotMotions& motions, std::span<const Influence> before, std::span<const Influence> after,
            const Vec3d& point, double size) {
  Apart result;
  motions.each_pose(before, [&](std::size_t repeats, const auto& palette_of) {
    Vec3d difference;
    for (const Influence& one : before)
      difference += (palette_of(one.slot) * point) * static_cast<double>(one.weight);
    for (const Influence& one : after)
      difference -= (palette_of(one.slot) * point) * static_cast<double>(one.weight);
    const double distance = length(difference) / size;
    result.squares += static_cast<double>(repeats) * distance * distance;
    result.max = std::max(result.max, distance);
  });
  return result;
}

// A row of a point, and how far it takes the point from where it was.
struct TriedRow {
  std::vector<Influence> row;
  Apart apart;
};
struct LimitedPoint {
  TriedRow refitted, cut;
};

// The refitted row is never further off than the cut one, by squares. Measured on the rows as they are
// written: the least squares are solved in other numbers (products, which cancel, and weights before
// rounding, with a term that holds undetermined ones), in which two rows that are nearly as good may compare
// otherwise.
LimitedPoint limited_point(const SlotMotions& motions, std::span<const Influence> row, const Vec3d& point,
                           double size, const LimitOptions& options) {
  const auto allowed = static_cast<std::size_t>(options.max_influences);
  // Nothing may change if all are locked.
  if (heaviest(row, options.locks, 1).empty()) {
    const TriedRow same{{row.begin(), row.end()}, {}};
    return {same, same};
  }
  const DenseMatrix products = displacement_products(motions, row, point, size);
  const Refit refit(row, options.locks, products);
  // Locked influences stay; the remaining weight needs a joint.
  const std::size_t locked = refit.locked().size();
  const std::size_t count = std::max<std::size_t>(allowed > locked ? allowed - locked : 0, 1);
  const std::vector<Eigen::Index> kept = heaviest(row, options.locks, count);
  const auto tried = [&](const Vector& weights) {
    TriedRow one{settled_row(row, slot_weights(row, weights), options.locks), {}};
    one.apart = apart(motions, row, one.row, point, size);
    return one;
  };
  LimitedPoint limited;
  limited.cut = limited.refitted = tried(scaled_heaviest(refit, kept, static_cast<Eigen::Index>(row.size())));
  const auto take_better = [&](TriedRow one) {
    if (one.apart.squares < limited.refitted.apart.squares) limited.refitted = std::move(one);
  };
  take_better(tried(refit.weights(kept)));
  take_better(tried(dropped_one_by_one(refit, heaviest(row, options.locks, 2 * count + 4), count)));
  return limited;
}

// Least squares may trade the worst pose of a point for many others. No point may end up further off than
// cutting would take any.
void keep_below_worst_cut(std::span<LimitedPoint> points) {
  double worst = 0;
  for (const LimitedPoint& point : points) worst = std::max(worst, point.cut.apart.max);
  for (LimitedPoint& point : points) {
    if (point.refitted.apart.max > worst) point.refitted = point.cut;
  }
}

// Of the mesh with its joints at rest.
double rest_diagonal(const SlotMotions& motions, const Mesh& mesh) {
  Box box;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    Vec3d place;
    for (const Influence& one : mesh.weights.row(v))
      place += (motions.rest(one.slot) * Vec3d(mesh.points[v])) * static_cast<double>(one.weight);
    box.add(place);
  }
  return box.diagonal();
}

Status check(const Character& character, Index instance, const LimitOptions& options) {
  if (options.max_influences < 1)
    return Error{
        Errc::bad_argument,
        fmt::format("{} influences per point are too few; at least one is needed", options.max_influences)};
  const Instance& shown = character.instances[at(instance)];
  if (shown.skin == kNone || character.meshes[at(shown.mesh)].weights.empty())
    return Error{Errc::bad_argument, fmt::format("instance {} has no skin", instance)};
  return Done{};
}

}  // namespace

Result<LimitedWeights> limited_weights(const Character& character, Index instance,
                                       const LimitOptions& options, const Progress& progress) {
  return without_throwing("limiting influences", [&]() -> Result<LimitedWeights> {
    if (Status good = check(character, instance, options); !good) return good.error();
    const Instance& shown = character.instances[at(instance)];
    const Mesh& mesh = character.meshes[at(shown.mesh)];
    const Result<SlotMotions> motions = SlotMotions::make(character, shown.skin, progress);
    if (!motions) return motions.error();
    const double diagonal = rest_diagonal(*motions, mesh), size = diagonal > 0 ? diagonal : 1;
    const auto allowed = static_cast<std::size_t>(options.max_influences);
    LimitedWeights limited;
    limited.pose_count = motions->pose_count();
    std::vector<LimitedPoint> points(mesh.points.size());
    parallel_for(points.size(), kLimitGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (progress.is_stopped()) return;  // a row of hundreds of joints takes a moment
        const std::span<const Influence> row = mesh.weights.row(v);
        if (row.size() > allowed && is_chosen(options.points, v))
          points[v] = limited_point(*motions, row, Vec3d(mesh.points[v]), size, options);
        else
          points[v].refitted.row.assign(row.begin(), row.end());
      }
    });
    if (Status going = progress.at("limiting influences", 1); !going) return going.error();
    keep_below_worst_cut(points);
    std::vector<std::vector<Influence>> rows(points.size());
    double refitted = 0, cut = 0;
    for (std::size_t v = 0; v < points.size(); ++v) {
      TriedRow& row = points[v].refitted;
      const bool is_ours = is_chosen(options.points, v);
      limited.limited_count += is_ours && mesh.weights.row(v).size() > allowed ? 1 : 0;
      limited.over_count += is_ours && row.row.size() > allowed ? 1 : 0;
      refitted += row.apart.squares;
      cut += points[v].cut.apart.squares;
      limited.refitted.max = std::max(limited.refitted.max, row.apart.max);
      limited.cut.max = std::max(limited.cut.max, points[v].cut.apart.max);
      rows[v] = std::move(row.row);
    }
    const double count = static_cast<double>(std::max<std::size_t>(points.size() * limited.pose_count, 1));
    limited.refitted.rms = std::sqrt(refitted / count);
    limited.cut.rms = std::sqrt(cut / count);
    limited.rows = joined_rows(rows);
    return limited;
  });
}

}  // namespace dermis
