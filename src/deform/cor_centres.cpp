// SPDX-License-Identifier: MIT
// Optimised centres of rotation (Le and Hodgins 2016), summed over bins of weight pairs.
//
// The similarity of two weight vectors is a sum over pairs of joints,
//   s(p, v) = sum_{j != k} p_j p_k v_j v_k exp(-(p_j v_k - p_k v_j)^2 / sigma^2),
// and so is the integral over the surface. For one pair the surface enters through two numbers only, a = v_j
// and b = v_k: it can be collected once into bins of the (a, b) plane, and each point then visits the bins of
// its own pairs instead of all triangles. Only the bin width is an approximation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "dermis/deform.h"

namespace dermis {
namespace {

// Bins per unit of weight: at most a quarter of the similarity's standard deviation, so that the spread
// within a bin, which enters squared, is a few thousandths.
constexpr int kBinsPerUnit = 64;
constexpr int kBinsAcross = kBinsPerUnit + 1;
// exp(-20) is 2e-9: no bin beyond this changes a centre by more than float rounding.
constexpr double kFarthest = 20;
// A triangle between points that each follow one joint entirely spans sqrt(2) of weight space. Finer pieces
// would sample bins more than once.
constexpr int kMostPieces = 64;
constexpr std::size_t kPointGrain = 64;

// A triangle that a joint influences, and its weight at each corner.
struct Acting {
  std::uint32_t triangle = 0;
  std::array<float, 3> weights{};
};

struct Pair {
  Index j = 0, k = 0;  // j < k
  friend bool operator==(const Pair&, const Pair&) = default;
  friend bool operator<(const Pair& a, const Pair& b) { return a.j != b.j ? a.j < b.j : a.k < b.k; }
};

// The part of the surface where a pair's weights are about (a, b). All weighted by a b dA.
struct Bin {
  double a = 0, b = 0;  // means
  double mass = 0;
  Vec3d moment;
};

struct Sampling {
  std::vector<std::array<Vec3d, 3>> corners;  // of triangles, relative to the middle of the mesh
  std::vector<double> areas;
  std::vector<int> pieces;                   // number of pieces that a triangle's edges are split into
  std::vector<std::vector<Acting>> of_slot;  // triangles by joint, ascending
};

using Corners = std::array<std::span<const Influence>, 3>;

float weight_in(std::span<const Influence> row, Index slot) {
  for (const Influence& influence : row) {
    if (influence.slot == slot) return influence.weight;
  }
  return 0;
}

// The slots of three rows, ascending, without duplicates.
void collect_slots(const Corners& rows, std::vector<Index>& slots) {
  slots.clear();
  for (const auto& row : rows) {
    for (const Influence& influence : row) slots.push_back(influence.slot);
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
}

// Weights are linear on a triangle: a piece of an edge that spans d of weight space, split into n, spans d /
// n.
int pieces_for(std::span<const std::array<float, 3>> weights, double max_step) {
  std::array<double, 3> squared{};
  for (const auto& w : weights) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double step = static_cast<double>(w[c]) - static_cast<double>(w[(c + 1) % 3]);
      squared[c] += step * step;
    }
  }
  const double longest = std::sqrt(*std::max_element(squared.begin(), squared.end()));
  return static_cast<int>(std::clamp(std::ceil(longest / max_step), 1.0, double{kMostPieces}));
}

Sampling sample_surface(const Mesh& mesh, std::size_t slot_count, const Vec3d& middle, double max_step) {
  Sampling sampling;
  sampling.of_slot.resize(slot_count);
  std::vector<Index> slots;
  std::vector<std::array<float, 3>> weights;
  const auto add_triangle = [&](const std::array<Index, 3>& t) {
    std::array<Vec3d, 3> corners;
    Corners rows;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t v = static_cast<std::size_t>(t[c]);
      corners[c] = Vec3d(mesh.points[v]) - middle;
      rows[c] = mesh.weights.row(v);
    }
    const double area = 0.5 * length(cross(corners[1] - corners[0], corners[2] - corners[0]));
    if (!(area > 0)) return;
    collect_slots(rows, slots);
    if (slots.size() < 2) return;  // contributes to no pair
    weights.clear();
    for (const Index slot : slots) {
      weights.push_back({weight_in(rows[0], slot), weight_in(rows[1], slot), weight_in(rows[2], slot)});
      sampling.of_slot[static_cast<std::size_t>(slot)].push_back(
          {static_cast<std::uint32_t>(sampling.areas.size()), weights.back()});
    }
    sampling.corners.push_back(corners);
    sampling.areas.push_back(area);
    sampling.pieces.push_back(pieces_for(weights, max_step));
  };
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> fan = mesh.polygons.polygon(p);
    for (std::size_t c = 1; c + 1 < fan.size(); ++c) add_triangle({fan[0], fan[c], fan[c + 1]});
  }
  return sampling;
}

// Every pair of joints that influence a common point, ascending.
std::vector<Pair> pairs_of(const WeightRows& rows) {
  constexpr std::size_t kMostUnsorted = 1 << 20;
  std::vector<Pair> pairs;
  std::size_t sorted_size = 0;
  const auto sort = [&] {
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    sorted_size = pairs.size();
  };
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    const auto row = rows.row(v);
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = a + 1; b < row.size(); ++b) {
        pairs.push_back({std::min(row[a].slot, row[b].slot), std::max(row[a].slot, row[b].slot)});
      }
    }
    if (pairs.size() > 2 * sorted_size + kMostUnsorted) sort();
  }
  sort();
  return pairs;
}

// Collects one pair's samples; one grid per task, reused for many pairs.
class BinGrid {
 public:
  BinGrid() : bins_(kBinsAcross * kBinsAcross) {}

  // `j` and `k` are the triangles of the two joints.
  std::vector<Bin> gather(const Sampling& sampling, std::span<const Acting> j, std::span<const Acting> k) {
    for (std::size_t a = 0, b = 0; a < j.size() && b < k.size();) {
      if (j[a].triangle < k[b].triangle) {
        ++a;
      } else if (j[a].triangle > k[b].triangle) {
        ++b;
      } else {
        add_triangle(sampling, j[a++], k[b++]);
      }
    }
    return take();
  }

 private:
  // Samples are the centres of the n^2 triangles given by splitting the edges into n pieces. Row r has n - r
  // upright triangles and one fewer inverted ones.
  void add_triangle(const Sampling& sampling, const Acting& j, const Acting& k) {
    const int n = sampling.pieces[j.triangle];
    const double area = sampling.areas[j.triangle] / (n * n);
    const double third = 1.0 / (3 * n);
    for (int r = 0; r < n; ++r) {
      for (int s = 0; s < n - r; ++s) {
        add_sample(sampling.corners[j.triangle], j, k, (3 * r + 1) * third, (3 * s + 1) * third, area);
        if (s + 1 < n - r) {
          add_sample(sampling.corners[j.triangle], j, k, (3 * r + 2) * third, (3 * s + 2) * third, area);
        }
      }
    }
  }

  // At the barycentric coordinates (1 - s - t, s, t).
  void add_sample(const std::array<Vec3d, 3>& corners, const Acting& j, const Acting& k, double s, double t,
                  double area) {
    const double r = 1 - s - t;
    const auto blended = [&](const std::array<float, 3>& w) {
      return r * static_cast<double>(w[0]) + s * static_cast<double>(w[1]) + t * static_cast<double>(w[2]);
    };
    const double a = blended(j.weights), b = blended(k.weights);
    const double mass = a * b * area;
    if (!(mass > 0)) return;
    const auto place = [](double weight) {
      return std::min(static_cast<std::size_t>(weight * kBinsPerUnit), std::size_t{kBinsPerUnit});
    };
    Bin& bin = bins_[place(a) * kBinsAcross + place(b)];
    bin.a += mass * a;
    bin.b += mass * b;
    bin.mass += mass;
    bin.moment += (corners[0] * r + corners[1] * s + corners[2] * t) * mass;
  }

  std::vector<Bin> take() {
    std::vector<Bin> taken;
    for (Bin& bin : bins_) {
      if (bin.mass > 0) {
        taken.push_back({bin.a / bin.mass, bin.b / bin.mass, bin.mass, bin.moment});
        bin = {};
      }
    }
    return taken;
  }

  std::vector<Bin> bins_;
};

struct Sum {
  double mass = 0;
  Vec3d moment;
};

// Adds the bins of one pair for a point with weights wj and wk.
void add_bins(std::span<const Bin> bins, double wj, double wk, double sigma, Sum& sum) {
  const double steepness = 1 / (sigma * sigma);
  Sum pair;
  for (const Bin& bin : bins) {
    const double apart = wj * bin.b - wk * bin.a;
    const double exponent = apart * apart * steepness;
    if (exponent > kFarthest) continue;
    const double likeness = std::exp(-exponent);
    pair.mass += likeness * bin.mass;
    pair.moment += bin.moment * likeness;
  }
  sum.mass += wj * wk * pair.mass;
  sum.moment += pair.moment * (wj * wk);
}

class Centres {
 public:
  Centres(const Mesh& mesh, const CorOptions& options, const Progress& progress)
      : mesh_(mesh), options_(options), progress_(progress) {}

  Result<CorCentres> find() {
    for (const Vec3& point : mesh_.points) box_.add(Vec3d(point));
    if (const Status status = progress_.at("sampling the surface", 0); !status) return status.error();
    gather();
    if (const Status status = progress_.at("finding centres of rotation", 0.3); !status) {
      return status.error();
    }
    CorCentres found;
    found.centres.resize(mesh_.points.size());
    std::vector<std::uint8_t> is_own(mesh_.points.size());
    parallel_for(mesh_.points.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end && !progress_.is_stopped(); ++v) {
        const Sum sum = sum_at(mesh_.weights.row(v));
        const Vec3d centre = sum.moment * (1 / sum.mass) + box_.centre();
        is_own[v] = !(sum.mass > 0) || !is_finite(centre);
        found.centres[v] = is_own[v] ? mesh_.points[v] : Vec3(centre);
      }
    });
    if (const Status status = progress_.at("finding centres of rotation", 1); !status) return status.error();
    found.without_centre_count = static_cast<std::size_t>(std::count(is_own.begin(), is_own.end(), 1));
    return found;
  }

 private:
  void gather() {
    Index most = 0;
    for (const Influence& influence : mesh_.weights.influences) most = std::max(most, influence.slot);
    const Sampling sampling =
        sample_surface(mesh_, static_cast<std::size_t>(most) + 1, box_.centre(), options_.max_weight_step);
    pairs_ = pairs_of(mesh_.weights);
    bins_.resize(pairs_.size());
    constexpr std::size_t kPairGrain = 4;
    parallel_for(pairs_.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
      BinGrid grid;
      for (std::size_t p = begin; p < end && !progress_.is_stopped(); ++p) {
        bins_[p] = grid.gather(sampling, sampling.of_slot[static_cast<std::size_t>(pairs_[p].j)],
                               sampling.of_slot[static_cast<std::size_t>(pairs_[p].k)]);
      }
    });
  }

  Sum sum_at(std::span<const Influence> row) const {
    Sum sum;
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = a + 1; b < row.size(); ++b) {
        const bool is_rising = row[a].slot < row[b].slot;
        const Influence &j = is_rising ? row[a] : row[b], &k = is_rising ? row[b] : row[a];
        const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), Pair{j.slot, k.slot});
        add_bins(bins_[static_cast<std::size_t>(found - pairs_.begin())], static_cast<double>(j.weight),
                 static_cast<double>(k.weight), options_.sigma, sum);
      }
    }
    return sum;
  }

  const Mesh& mesh_;
  const CorOptions& options_;
  const Progress& progress_;
  Box box_;
  std::vector<Pair> pairs_;             // ascending
  std::vector<std::vector<Bin>> bins_;  // of each pair
};

}  // namespace

Result<CorCentres> prepare_cor(const Mesh& mesh, const CorOptions& options, const Progress& progress) {
  return without_throwing("centres of rotation", [&]() -> Result<CorCentres> {
    if (mesh.weights.empty() && !mesh.points.empty()) {
      return Error{Errc::bad_argument, fmt::format("mesh {} has no weights", quoted_name(mesh.name))};
    }
    if (!(options.sigma > 0) || !(options.max_weight_step > 0)) {
      return Error{Errc::bad_argument,
                   fmt::format("centres of rotation need sigma and max_weight_step above zero, not {} and {}",
                               options.sigma, options.max_weight_step)};
    }
    return Centres(mesh, options, progress).find();
  });
}

}  // namespace dermis
