// SPDX-License-Identifier: MIT
// Arranges direct delta mush in blocks of eight points, and its joints, as the kernel reads them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "deform/direct_blend.h"
#include "deform/joint_motion.h"
#include "deform/kernels/direct_job.h"

namespace dermis {
namespace {

// Each point keeps its own joints if one list for all eight would be longer than this many times the longest
// row. Such an entry takes about 1.3 times as long as a shared one, but the factor hardly matters: on
// humanoids and hands of 2,000 and 20,000 points any from 1 to 2 takes the same time within 4 %.
constexpr std::size_t kDirectScatteredCost = 2;
constexpr std::size_t kEntryFloats = kOmegaSize * kBlockPoints;

DirectRow row_of(const DirectDeltaMush& mush, std::size_t v) {
  DirectRow row;
  row.slots = mush.slots.data() + mush.first[v];
  row.omega = mush.omega.data() + std::size_t{mush.first[v]} * kOmegaSize;
  row.width = mush.first[v + 1] - mush.first[v];
  return row;
}

class DirectBlockBuilder {
 public:
  DirectBlockBuilder(const DirectDeltaMush& mush, DirectDeltaMushBlocks& out) : mush_(mush), out_(out) {}

  // The block of the points from `begin` on; false if the index type is too small.
  bool add(std::size_t begin, std::size_t end) {
    list_.clear();
    std::size_t longest = 0;
    for (std::size_t v = begin; v < end; ++v) {
      const DirectRow row = row_of(mush_, v);
      longest = std::max(longest, row.width);
      list_.insert(list_.end(), row.slots, row.slots + row.width);
    }
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    if (!list_.empty())
      out_.slot_count = std::max(out_.slot_count, static_cast<std::size_t>(list_.back()) + 1);
    const bool is_scattered = list_.size() > kDirectScatteredCost * longest;
    if (!open(is_scattered ? longest : list_.size(), is_scattered)) return false;
    const Index filler = list_.empty() ? 0 : list_.front();
    if (is_scattered) {
      out_.slots.resize(out_.slots.size() + longest * kBlockPoints, filler);
    } else {
      out_.slots.insert(out_.slots.end(), list_.begin(), list_.end());
    }
    out_.heaviest.resize(out_.heaviest.size() + kBlockPoints, filler);
    out_.centres.resize(out_.centres.size() + 4 * kBlockPoints, 0.0f);
    for (std::size_t v = begin; v < end; ++v) put(v, v - begin);
    return true;
  }

 private:
  bool open(std::size_t width, bool is_scattered) {
    const std::size_t first = out_.omega.size() / kBlockPoints;
    if (width > std::numeric_limits<std::uint16_t>::max()) return false;
    if (std::max(first, out_.slots.size()) > std::numeric_limits<std::uint32_t>::max()) return false;
    out_.blocks.push_back({static_cast<std::uint32_t>(out_.slots.size()), static_cast<std::uint32_t>(first),
                           static_cast<std::uint16_t>(width), is_scattered});
    out_.omega.resize(out_.omega.size() + width * kEntryFloats, 0.0f);
    return true;
  }

  void put(std::size_t v, std::size_t lane) {
    const DirectRow row = row_of(mush_, v);
    const SkinBlocks::Block& block = out_.blocks.back();
    float* omega = out_.omega.data() + std::size_t{block.first_weight} * kBlockPoints + lane;
    double trace = 0;
    for (std::size_t e = 0; e < row.width; ++e) {
      std::size_t place = e;
      if (block.is_scattered) {
        out_.slots[block.first_slot + e * kBlockPoints + lane] = row.slots[e];
      } else {
        place = static_cast<std::size_t>(std::lower_bound(list_.begin(), list_.end(), row.slots[e]) -
                                         list_.begin());
      }
      for (std::size_t c = 0; c < kOmegaSize; ++c)
        omega[place * kEntryFloats + c * kBlockPoints] = row.omega[e * kOmegaSize + c];
      trace += row.component(e, 0) + row.component(e, 3) + row.component(e, 5);
    }
    const std::size_t at = (out_.blocks.size() - 1) * kBlockPoints + lane;
    if (row.width > 0) out_.heaviest[at] = row.slots[heaviest_entry(row)];
    float* centre = out_.centres.data() + (out_.blocks.size() - 1) * 4 * kBlockPoints + lane;
    centre[0] = mush_.centre[v].x;
    centre[kBlockPoints] = mush_.centre[v].y;
    centre[2 * kBlockPoints] = mush_.centre[v].z;
    centre[3 * kBlockPoints] = static_cast<float>(trace);
  }

  const DirectDeltaMush& mush_;
  DirectDeltaMushBlocks& out_;
  std::vector<Index> list_;
};

void put_row(float* quad, const Mat3d& m, int r, double last) {
  quad[0] = static_cast<float>(m.x[r]);
  quad[1] = static_cast<float>(m.y[r]);
  quad[2] = static_cast<float>(m.z[r]);
  quad[3] = static_cast<float>(last);
}

}  // namespace

Result<DirectDeltaMushBlocks> prepare_direct_delta_mush_blocks(const DirectDeltaMush& mush) {
  return without_throwing("arranging direct delta mush", [&]() -> Result<DirectDeltaMushBlocks> {
    DirectDeltaMushBlocks out;
    out.point_count = mush.centre.size();
    out.blocks.reserve(block_count_of(out.point_count));
    out.omega.reserve(mush.omega.size() * 5 / 4);
    DirectBlockBuilder builder(mush, out);
    for (std::size_t begin = 0; begin < out.point_count; begin += kBlockPoints) {
      if (!builder.add(begin, std::min(begin + kBlockPoints, out.point_count)))
        return Error{Errc::too_large, "direct delta mush has too many entries for 32-bit indices"};
    }
    return out;
  });
}

void pack_direct_joints(std::span<const Affined> palette, PackedDirectJoints& out) {
  out.palette.assign(palette.begin(), palette.end());
  out.stretches.resize(palette.size());
  out.is_rigid = true;
  double largest = 0;
  for (std::size_t s = 0; s < palette.size(); ++s) {
    const Mat3d& linear = palette[s].linear;
    const bool is_turn = is_rotation(linear);
    out.stretches[s] = is_turn ? diagonal(Vec3d{1, 1, 1}) : joint_motion(palette[s]).stretch;
    out.is_rigid = out.is_rigid && is_turn;
    const Mat3d turned = cofactor(linear);
    for (const Vec3d& column : {turned.x, turned.y, turned.z})
      largest = std::max({largest, std::abs(column.x), std::abs(column.y), std::abs(column.z)});
  }
  out.normal_scale = largest > 0 ? 1 / largest : 1;
  const std::size_t stride = direct_stride(out.is_rigid);
  out.values.resize(palette.size() * stride);
  for (std::size_t s = 0; s < palette.size(); ++s) {
    float* values = out.values.data() + s * stride;
    const Vec3d& shift = palette[s].translation;
    put_row(values, palette[s].linear, 0, shift.x);
    put_row(values + 4, palette[s].linear, 1, shift.y);
    put_row(values + 8, palette[s].linear, 2, shift.z);
    if (out.is_rigid) continue;
    const Mat3d& stretch = out.stretches[s];
    const double six[8] = {stretch.x.x, stretch.y.x, stretch.z.x, stretch.y.y,
                           stretch.z.y, stretch.z.z, 0,           0};
    for (std::size_t c = 0; c < 8; ++c) values[12 + c] = static_cast<float>(six[c]);
  }
}

}  // namespace dermis
