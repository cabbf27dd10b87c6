// SPDX-License-Identifier: MIT
// Samples of a field on a regular grid, kept only in the blocks that its zero set crosses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dermis/base.h"
#include "dermis/geometry.h"
#include "dermis/math.h"

namespace dermis {

// A sample or a cell by its coordinates in the whole grid; cell c spans the samples c and c + (1, 1, 1).
struct GridPlace {
  int x = 0, y = 0, z = 0;
};

// Edge of a block in samples. With eight, a block's samples (2 KB) fit the first-level cache and the band of
// needlessly sampled space around the surface is thin.
inline constexpr int kBlockEdge = 8;
inline constexpr int kBlockSize = kBlockEdge * kBlockEdge * kBlockEdge;

// Blocks per task when only reading their samples, which is little work.
inline constexpr std::size_t kBlockGrain = 16;

// Index in a dense array of `size` entries along each axis, x fastest.
constexpr std::size_t index_in(const GridPlace& size, const GridPlace& at) {
  const auto wide = [](int i) { return static_cast<std::size_t>(i); };
  return (wide(at.z) * wide(size.y) + wide(at.y)) * wide(size.x) + wide(at.x);
}
// The same for a sample or cell of a block, counted from the block's first.
constexpr std::size_t index_in_block(int x, int y, int z) {
  return index_in({kBlockEdge, kBlockEdge, kBlockEdge}, {x, y, z});
}

// The grid. After `build`, the sign of every sample is known; values only in active blocks. No face of a cell
// has a checkerboard of signs and no cell has two opposite corners of one sign among six of the other: then
// each cell contains at most one piece of surface, and surface nets are manifold.
class SampleGrid {
 public:
  struct Block {
    GridPlace first;  // its lowest sample
    std::array<float, kBlockSize> values{};
    std::shared_ptr<const Field> field;  // valid within a cell or two of the block
  };

  // Samples the field. `field` must outlive the grid.
  static Result<SampleGrid> build(const Field& field, const IsosurfaceOptions& options,
                                  const Progress& progress);

  double cell() const { return cell_; }
  bool is_mirrored() const { return is_mirrored_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  Vec3d position(const GridPlace& sample) const {
    return origin_ + Vec3d(sample.x, sample.y, sample.z) * cell_;
  }
  // The block that contains this sample (or the cell above it); -1 if it is not active or outside.
  int active_block(const GridPlace& sample) const;
  // A finite value of the correct sign in inactive blocks; positive outside the grid.
  float value(const GridPlace& sample) const;

  // Central value and gradient by four samples on a small tetrahedron.
  struct Gradient {
    double value = 0;
    Vec3d direction;  // not unit: its length is the slope
  };
  Gradient gradient(const Vec3d& point) const;
  // Projects onto the zero set along the gradient; moves by at most `max_move`.
  Vec3d projected(Vec3d point, double max_move) const;

 private:
  void lay_out(const IsosurfaceOptions& options);
  void find_active();
  void descend(const Field& field, const GridPlace& first_block, int size, std::vector<Block>& found);
  void sample_blocks(std::size_t from);
  bool activate_missed_neighbours();
  void make_unambiguous();
  bool is_ambiguous(const GridPlace& cell) const;
  bool close_gap(const GridPlace& cell, GridPlace& changed);
  void set_value(const GridPlace& sample, float value);
  const Field& field_near(const Vec3d& point) const;
  bool has_block(const GridPlace& block) const {
    return block.x >= 0 && block.y >= 0 && block.z >= 0 && block.x < size_.x && block.y < size_.y &&
           block.z < size_.z;
  }
  int& state_of(const GridPlace& block) { return block_state_[index_in(size_, block)]; }
  int state_of(const GridPlace& block) const { return block_state_[index_in(size_, block)]; }

  const Field* field_ = nullptr;
  double cell_ = 0;
  bool is_mirrored_ = false;
  Vec3d origin_;
  GridPlace size_;                // in blocks
  std::vector<int> block_state_;  // index into blocks_, or kInside, kOutside
  std::vector<Block> blocks_;
};

}  // namespace dermis
