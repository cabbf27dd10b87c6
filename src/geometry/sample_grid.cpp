// SPDX-License-Identifier: MIT
// Sparse sampling of a field: descent to the blocks near the surface, then repair of ambiguous signs.
#include "geometry/sample_grid.h"

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

constexpr int kOutside = -1;  // no samples: all positive
constexpr int kInside = -2;   // no samples: all negative

// Leaf blocks along the edge of a block where the descent starts.
constexpr int kTopSize = 8;

// A block whose centre is further from the surface than this many of its radii is assumed to be empty. Fields
// are only roughly distances; a block missed here is found later from its neighbours.
constexpr double kSlope = 1.15;

// Fields of blocks stay valid this many cells beyond them: relaxation moves points by less.
constexpr double kMarginCells = 3.0;

// Step of the difference quotient in cells: far above rounding, far below the bends of the surface.
constexpr double kDifferenceStep = 0.02;

// Blocks per task when evaluating the field: 512 evaluations per block are enough work, and blocks differ in
// cost.
constexpr std::size_t kSampleGrain = 4;

// Value of a sample moved inside to close a gap, in cells: barely inside, so that the surface stays as close
// to the gap as possible, yet far above float rounding.
constexpr double kClosedDepth = 1e-3;

constexpr int floor_div(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

GridPlace block_of(const GridPlace& s) {
  return {floor_div(s.x, kBlockEdge), floor_div(s.y, kBlockEdge), floor_div(s.z, kBlockEdge)};
}

}  // namespace

void SampleGrid::lay_out(const IsosurfaceOptions& options) {
  cell_ = options.cell;
  is_mirrored_ = options.is_mirrored;
  // A margin of two cells, so that the outermost samples are outside.
  const Vec3d room = Vec3d(2, 2, 2) * cell_;
  Vec3d lower = options.box.lower - room;
  const Vec3d upper = options.box.upper + room;
  // Samples at -1/2 and +1/2 cell: the cell between them has its surface point on the mirror plane.
  if (is_mirrored_) lower.x = -0.5 * cell_;
  origin_ = lower;
  const auto blocks_along = [&](double from, double to) {
    return std::max(1, static_cast<int>(std::ceil((to - from) / (cell_ * kBlockEdge))));
  };
  size_ = {blocks_along(lower.x, upper.x), blocks_along(lower.y, upper.y), blocks_along(lower.z, upper.z)};
  block_state_.assign(index_in(size_, {0, 0, size_.z}), kOutside);
}

void SampleGrid::descend(const Field& field, const GridPlace& first_block, int size,
                         std::vector<Block>& found) {
  if (first_block.x >= size_.x || first_block.y >= size_.y || first_block.z >= size_.z) return;
  const double half = 0.5 * size * kBlockEdge * cell_;
  const GridPlace first{first_block.x * kBlockEdge, first_block.y * kBlockEdge, first_block.z * kBlockEdge};
  const Vec3d centre = position(first) + Vec3d(half, half, half);
  const double radius = half * std::sqrt(3.0);
  std::shared_ptr<const Field> near = field.restricted(centre, radius + kMarginCells * cell_);
  const double value = near->value(centre);
  if (std::abs(value) > kSlope * radius) {
    for (int z = first_block.z; z < std::min(first_block.z + size, size_.z); ++z)
      for (int y = first_block.y; y < std::min(first_block.y + size, size_.y); ++y)
        for (int x = first_block.x; x < std::min(first_block.x + size, size_.x); ++x)
          state_of({x, y, z}) = value < 0 ? kInside : kOutside;
    return;
  }
  if (size == 1) {
    Block block;
    block.first = first;
    block.field = std::move(near);
    found.push_back(std::move(block));
    return;
  }
  const int h = size / 2;
  for (int child = 0; child < 8; ++child) {
    const GridPlace at{first_block.x + (child & 1) * h, first_block.y + ((child >> 1) & 1) * h,
                       first_block.z + ((child >> 2) & 1) * h};
    descend(*near, at, h, found);
  }
}

void SampleGrid::find_active() {
  const auto tops = [](int blocks) { return (blocks + kTopSize - 1) / kTopSize; };
  const GridPlace top{tops(size_.x), tops(size_.y), tops(size_.z)};
  const std::size_t count = index_in(top, {0, 0, top.z});
  std::vector<std::vector<Block>> found(count);
  parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const int i = static_cast<int>(t);
      const GridPlace at{i % top.x * kTopSize, i / top.x % top.y * kTopSize, i / top.x / top.y * kTopSize};
      descend(*field_, at, kTopSize, found[t]);
    }
  });
  for (std::vector<Block>& list : found)
    for (Block& block : list) {
      state_of(block_of(block.first)) = static_cast<int>(blocks_.size());
      blocks_.push_back(std::move(block));
    }
}

void SampleGrid::sample_blocks(std::size_t from) {
  parallel_for(blocks_.size() - from, kSampleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = from + begin; b < from + end; ++b) {
      Block& block = blocks_[b];
      for (int z = 0; z < kBlockEdge; ++z)
        for (int y = 0; y < kBlockEdge; ++y)
          for (int x = 0; x < kBlockEdge; ++x) {
            Vec3d p = position({block.first.x + x, block.first.y + y, block.first.z + z});
            if (is_mirrored_) p.x = std::abs(p.x);
            block.values[index_in_block(x, y, z)] = static_cast<float>(block.field->value(p));
          }
    }
  });
}

// Activates the blocks next to a sample whose sign differs from theirs. Returns true if there were any.
bool SampleGrid::activate_missed_neighbours() {
  std::vector<GridPlace> missed;
  for (const Block& block : blocks_) {
    const GridPlace own = block_of(block.first);
    for (int n = 0; n < 27; ++n) {
      const GridPlace step{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
      const GridPlace other{own.x + step.x, own.y + step.y, own.z + step.z};
      if (!has_block(other)) continue;
      const int state = state_of(other);
      if (state >= 0) continue;
      const auto from = [](int s) { return s > 0 ? kBlockEdge - 1 : 0; };
      const auto to = [](int s) { return s < 0 ? 0 : kBlockEdge - 1; };
      bool differs = false;
      for (int z = from(step.z); z <= to(step.z); ++z)
        for (int y = from(step.y); y <= to(step.y); ++y)
          for (int x = from(step.x); x <= to(step.x); ++x)
            differs |= (block.values[index_in_block(x, y, z)] < 0) != (state == kInside);
      if (differs) missed.push_back(other);
    }
  }
  const std::size_t from = blocks_.size();
  for (const GridPlace& at : missed) {
    if (state_of(at) >= 0) continue;
    Block block;
    block.first = {at.x * kBlockEdge, at.y * kBlockEdge, at.z * kBlockEdge};
    const double half = 0.5 * kBlockEdge * cell_;
    block.field = field_->restricted(position(block.first) + Vec3d(half, half, half),
                                     half * std::sqrt(3.0) + kMarginCells * cell_);
    state_of(at) = static_cast<int>(blocks_.size());
    blocks_.push_back(std::move(block));
  }
  sample_blocks(from);
  return blocks_.size() > from;
}

int SampleGrid::active_block(const GridPlace& sample) const {
  const GridPlace b = block_of(sample);
  return has_block(b) ? std::max(state_of(b), -1) : -1;
}

float SampleGrid::value(const GridPlace& sample) const {
  const GridPlace b = block_of(sample);
  if (!has_block(b)) return 1.0f;
  const int state = state_of(b);
  if (state < 0) return state == kInside ? -1.0f : 1.0f;
  const Block& block = blocks_[static_cast<std::size_t>(state)];
  return block
      .values[index_in_block(sample.x - block.first.x, sample.y - block.first.y, sample.z - block.first.z)];
}

void SampleGrid::set_value(const GridPlace& sample, float value) {
  const int b = active_block(sample);
  if (b < 0) return;
  Block& block = blocks_[static_cast<std::size_t>(b)];
  block.values[index_in_block(sample.x - block.first.x, sample.y - block.first.y, sample.z - block.first.z)] =
      value;
  // The two sample layers next to the mirror plane must be equal.
  if (is_mirrored_ && sample.x == 1 && this->value({0, sample.y, sample.z}) != value)
    set_value({0, sample.y, sample.z}, value);
}

namespace {

// Corners of a cell are numbered by bits: 1 for +x, 2 for +y, 4 for +z. The six faces as rings of corners.
constexpr int kFaces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                              {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};

bool is_checkerboard(unsigned inside, const int (&face)[4]) {
  const auto at = [&](int corner) { return (inside >> face[corner]) & 1u; };
  return at(0) == at(2) && at(1) == at(3) && at(0) != at(1);
}

// True if two opposite corners are alone on their side.
bool is_diagonal_pair(unsigned inside) {
  for (const unsigned pair : {0x81u, 0x42u, 0x24u, 0x18u})
    if (inside == pair || inside == (0xffu ^ pair)) return true;
  return false;
}

}  // namespace

bool SampleGrid::is_ambiguous(const GridPlace& cell) const {
  unsigned inside = 0;
  for (int c = 0; c < 8; ++c)
    if (value({cell.x + (c & 1), cell.y + ((c >> 1) & 1), cell.z + (c >> 2)}) < 0) inside |= 1u << c;
  if (inside == 0 || inside == 0xff) return false;
  for (const auto& face : kFaces)
    if (is_checkerboard(inside, face)) return true;
  return is_diagonal_pair(inside);
}

// Moves the outside corner nearest to the surface inside. Only ever adds to the inside, so repairs terminate.
bool SampleGrid::close_gap(const GridPlace& cell, GridPlace& changed) {
  float lowest = INFINITY;
  for (int c = 0; c < 8; ++c) {
    GridPlace at{cell.x + (c & 1), cell.y + ((c >> 1) & 1), cell.z + (c >> 2)};
    if (is_mirrored_ && at.x == 0) at.x = 1;
    const float v = value(at);
    if (v >= 0 && v < lowest && active_block(at) >= 0) lowest = v, changed = at;
  }
  if (lowest == INFINITY) return false;
  set_value(changed, -static_cast<float>(kClosedDepth * cell_));
  return true;
}

void SampleGrid::make_unambiguous() {
  std::vector<std::vector<GridPlace>> bad(blocks_.size());
  parallel_for(blocks_.size(), kBlockGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const GridPlace first = blocks_[b].first;
      for (int z = 0; z < kBlockEdge; ++z)
        for (int y = 0; y < kBlockEdge; ++y)
          for (int x = 0; x < kBlockEdge; ++x) {
            const GridPlace cell{first.x + x, first.y + y, first.z + z};
            if (is_ambiguous(cell)) bad[b].push_back(cell);
          }
    }
  });
  std::vector<GridPlace> work;
  for (auto list = bad.rbegin(); list != bad.rend(); ++list)
    work.insert(work.end(), list->begin(), list->end());
  while (!work.empty()) {
    const GridPlace cell = work.back();
    work.pop_back();
    GridPlace changed;
    if (!is_ambiguous(cell) || !close_gap(cell, changed)) continue;
    for (int n = 0; n < 8; ++n)
      work.push_back({changed.x - (n & 1), changed.y - ((n >> 1) & 1), changed.z - (n >> 2)});
    work.push_back(cell);
  }
}

Result<SampleGrid> SampleGrid::build(const Field& field, const IsosurfaceOptions& options,
                                     const Progress& progress) {
  SampleGrid grid;
  grid.field_ = &field;
  grid.lay_out(options);
  if (Status s = progress.at("sampling the body", 0.0); !s) return s.error();
  grid.find_active();
  grid.sample_blocks(0);
  while (grid.activate_missed_neighbours())
    if (Status s = progress.at("sampling the body", 0.3); !s) return s.error();
  grid.make_unambiguous();
  return grid;
}

const Field& SampleGrid::field_near(const Vec3d& point) const {
  const Vec3d at = (point - origin_) * (1.0 / cell_);
  const int b = active_block({static_cast<int>(std::floor(at.x)), static_cast<int>(std::floor(at.y)),
                              static_cast<int>(std::floor(at.z))});
  return b < 0 ? *field_ : *blocks_[static_cast<std::size_t>(b)].field;
}

SampleGrid::Gradient SampleGrid::gradient(const Vec3d& point) const {
  const Vec3d p{is_mirrored_ ? std::abs(point.x) : point.x, point.y, point.z};
  const Field& field = field_near(p);
  const double e = kDifferenceStep * cell_;
  const auto at = [&](double x, double y, double z) {
    Vec3d q{p.x + x, p.y + y, p.z + z};
    if (is_mirrored_) q.x = std::abs(q.x);
    return field.value(q);
  };
  const double a = at(e, -e, -e), b = at(-e, -e, e), c = at(-e, e, -e), d = at(e, e, e);
  Vec3d slope = Vec3d(a - b - c + d, -a - b + c + d, -a + b - c + d) * (0.25 / e);
  if (is_mirrored_ && point.x == 0) slope.x = 0;
  return {0.25 * (a + b + c + d), slope};
}

Vec3d SampleGrid::projected(Vec3d point, double max_move) const {
  // Newton's method along the gradient; three steps leave an error far below a cell.
  constexpr int kSteps = 3;
  constexpr double kMinSquaredSlope = 1e-6;  // below this the field is flat and a step would be arbitrary
  const double close_enough = 1e-4 * cell_;  // the rounding of a float, in a body of a thousand cells
  const Vec3d start = point;
  for (int step = 0; step < kSteps; ++step) {
    const Gradient g = gradient(point);
    const double square = dot(g.direction, g.direction);
    if (!(square > kMinSquaredSlope)) break;
    const Vec3d move = g.direction * (-g.value / square);
    point += move;
    if (dot(move, move) < close_enough * close_enough) break;
  }
  const double moved = length(point - start);
  return moved <= max_move ? point : start + (point - start) * (max_move / moved);
}

}  // namespace dermis
