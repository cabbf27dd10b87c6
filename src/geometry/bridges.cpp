// SPDX-License-Identifier: MIT
// Builds bridges between the pieces of a solid, where they are nearest to each other.
#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

#include "geometry/cell_grid.h"

namespace dermis {
namespace {

// Pieces grow on a coarser grid of about this many cells: bridges need not be exactly the shortest.
constexpr double kCoarseCells = 1e6;
// Positions where two pieces are up to this many times the shortest distance apart, plus a few cells, are
// bridged too: a garment is attached to the body everywhere under it.
constexpr float kNearTimes = 3;
constexpr float kNearCells = 4;

struct Meeting {
  std::uint32_t a, b;  // cells
  float length;
};

class PieceJoiner {
 public:
  explicit PieceJoiner(std::size_t count) : parent_(count), left_(count - 1) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  // False if they were already joined.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    if (a == b) return false;
    parent_[std::max(a, b)] = std::min(a, b);
    --left_;
    return true;
  }
  bool is_one() const { return left_ == 0; }

 private:
  std::uint32_t root(std::uint32_t p) {
    while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
    return p;
  }
  std::vector<std::uint32_t> parent_;
  std::size_t left_;
};

// All pieces grow at the same pace through empty space; where two meet is a candidate for a bridge.
class Growth {
 public:
  explicit Growth(const VoxelSolid& solid) : solid_(solid), joiner_(solid.piece_count) {
    const CellGrid fine{solid.origin, solid.cell, solid.size};
    const double cells = static_cast<double>(fine.cell_count());
    step_ = std::max(1, static_cast<std::int32_t>(std::ceil(std::cbrt(cells / kCoarseCells))));
    coarse_.origin = solid.origin;
    coarse_.cell = solid.cell * step_;
    for (std::size_t axis = 0; axis < 3; ++axis) coarse_.size[axis] = (solid.size[axis] + step_ - 1) / step_;
    seed_.assign(coarse_.cell_count(), VoxelSolid::kNoCell);
    for (std::size_t c = 0; c < solid.cell_count(); ++c) {
      const auto at = fine.coordinates(solid.places[c]);
      const std::size_t place = coarse_.place(at[0] / step_, at[1] / step_, at[2] / step_);
      if (seed_[place] < 0) {
        seed_[place] = static_cast<std::int32_t>(c);
        front_.push({0, static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(c)});
      } else {
        meet(static_cast<std::uint32_t>(seed_[place]), static_cast<std::uint32_t>(c));
      }
    }
  }

  std::vector<Meeting> run() {
    float last_needed = 0;
    while (!front_.empty()) {
      const Front here = front_.top();
      front_.pop();
      if (joiner_.is_one() && here.distance > kNearTimes * last_needed + kNearCells * unit()) break;
      const bool was_one = joiner_.is_one();
      spread(here);
      if (!was_one) last_needed = here.distance;
    }
    return std::move(meetings_);
  }

 private:
  struct Front {
    float distance;
    std::uint32_t place, seed;
    bool operator<(const Front& other) const {  // the nearest on top; ties by position, then seed
      if (distance != other.distance) return distance > other.distance;
      return place != other.place ? place > other.place : seed > other.seed;
    }
  };
  float unit() const { return static_cast<float>(coarse_.cell); }

  void spread(const Front& here) {
    if (seed_[here.place] != static_cast<std::int32_t>(here.seed)) return;
    const auto at = coarse_.coordinates(here.place);
    for (std::size_t side = 0; side < 6; ++side) {
      auto next = at;
      next[side / 2] += side % 2 == 0 ? -1 : 1;
      if (next[side / 2] < 0 || next[side / 2] >= coarse_.size[side / 2]) continue;
      const std::size_t place = coarse_.place(next[0], next[1], next[2]);
      const std::int32_t other = seed_[place];
      if (other >= 0) {
        meet(here.seed, static_cast<std::uint32_t>(other));
        continue;
      }
      seed_[place] = static_cast<std::int32_t>(here.seed);
      const double distance = length(coarse_.centre(place) - solid_.centre(here.seed));
      front_.push({static_cast<float>(distance), static_cast<std::uint32_t>(place), here.seed});
    }
  }

  void meet(std::uint32_t a, std::uint32_t b) {
    if (solid_.piece[a] == solid_.piece[b]) return;
    if (solid_.piece[a] > solid_.piece[b]) std::swap(a, b);
    meetings_.push_back({a, b, static_cast<float>(length(solid_.centre(a) - solid_.centre(b)))});
    joiner_.join(solid_.piece[a], solid_.piece[b]);
  }

  const VoxelSolid& solid_;
  PieceJoiner joiner_;
  std::int32_t step_ = 1;
  CellGrid coarse_;
  std::vector<std::int32_t> seed_;
  std::priority_queue<Front> front_;
  std::vector<Meeting> meetings_;
};

// The meetings of each pair of pieces that the minimum spanning tree over all pieces joins.
std::vector<Meeting> choose_meetings(const VoxelSolid& solid, std::vector<Meeting> meetings) {
  const auto pieces = [&](const Meeting& m) { return std::pair(solid.piece[m.a], solid.piece[m.b]); };
  std::sort(meetings.begin(), meetings.end(), [](const Meeting& s, const Meeting& t) {
    return s.length != t.length ? s.length < t.length : s.a != t.a ? s.a < t.a : s.b < t.b;
  });
  PieceJoiner joiner(solid.piece_count);
  struct Joint {
    std::pair<std::uint32_t, std::uint32_t> pieces;
    float length;
  };
  std::vector<Joint> joined;
  for (const Meeting& m : meetings) {
    if (joiner.join(solid.piece[m.a], solid.piece[m.b])) joined.push_back({pieces(m), m.length});
  }
  std::sort(joined.begin(), joined.end(), [](const Joint& s, const Joint& t) { return s.pieces < t.pieces; });
  const float more = kNearCells * static_cast<float>(solid.cell);
  std::erase_if(meetings, [&](const Meeting& m) {
    const auto found = std::lower_bound(joined.begin(), joined.end(), pieces(m),
                                        [](const Joint& j, const auto& p) { return j.pieces < p; });
    const bool is_joined = found != joined.end() && found->pieces == pieces(m);
    return !is_joined || m.length > kNearTimes * found->length + more;
  });
  const auto same = [](const Meeting& s, const Meeting& t) { return s.a == t.a && s.b == t.b; };
  meetings.erase(std::unique(meetings.begin(), meetings.end(), same), meetings.end());
  return meetings;
}

}  // namespace

void add_bridges(VoxelSolid& solid) {
  const std::vector<Meeting> chosen = choose_meetings(solid, Growth(solid).run());
  solid.bridge_first.assign(solid.cell_count() + 1, 0);
  for (const Meeting& m : chosen) ++solid.bridge_first[m.a + 1], ++solid.bridge_first[m.b + 1];
  std::partial_sum(solid.bridge_first.begin(), solid.bridge_first.end(), solid.bridge_first.begin());
  solid.bridges.resize(solid.bridge_first.back());
  std::vector<std::uint32_t> next(solid.bridge_first.begin(), solid.bridge_first.end() - 1);
  for (const Meeting& m : chosen) {
    solid.bridges[next[m.a]++] = {m.b, m.length};
    solid.bridges[next[m.b]++] = {m.a, m.length};
  }
}

}  // namespace dermis
