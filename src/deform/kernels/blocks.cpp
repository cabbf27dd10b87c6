// SPDX-License-Identifier: MIT
// Arranges weight rows and rest surfaces in blocks of eight points, as the kernels read them.
#include "deform/kernels/blocks.h"

#include <algorithm>
#include <limits>

namespace dermis {
namespace {

// A joint of a shared list is blended for eight points at once, a joint of a point's own list for one point:
// one of the latter was measured to cost as much as this many of the former.
constexpr std::size_t kScatteredCost = 3;
// And a scattered block has to be transposed from points to components.
constexpr std::size_t kScatteredOverhead = 4;

class BlockBuilder {
 public:
  explicit BlockBuilder(SkinBlocks& out) : out_(out) {}

  // `rows` has the rows of up to eight points.
  bool add(std::span<const std::span<const Influence>> rows) {
    std::size_t longest = 0;
    list_.clear();
    for (const std::span<const Influence> row : rows) {
      longest = std::max(longest, row.size());
      for (const Influence& influence : row) list_.push_back(static_cast<std::uint32_t>(influence.slot));
    }
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    if (!list_.empty()) out_.slot_count = std::max(out_.slot_count, std::size_t{list_.back()} + 1);
    const bool is_shared =
        list_.size() <= kMaxListed && list_.size() <= kScatteredCost * longest + kScatteredOverhead;
    return is_shared ? add_shared(rows) : add_scattered(rows, longest);
  }

 private:
  // Makes room for `width` weights per point, all zero. False if the index type is too small.
  bool open(std::size_t width, bool is_scattered) {
    const std::size_t first = out_.weights.size() / kBlockPoints;
    if (width > std::numeric_limits<std::uint16_t>::max()) return false;
    if (std::max(first, out_.slots.size()) > std::numeric_limits<std::uint32_t>::max()) return false;
    out_.blocks.push_back({static_cast<std::uint32_t>(out_.slots.size()), static_cast<std::uint32_t>(first),
                           static_cast<std::uint16_t>(width), is_scattered});
    out_.weights.resize(out_.weights.size() + width * kBlockPoints, 0.0f);
    return true;
  }

  float* weights() {
    return out_.weights.data() + std::size_t{out_.blocks.back().first_weight} * kBlockPoints;
  }

  bool add_shared(std::span<const std::span<const Influence>> rows) {
    if (!open(list_.size(), false)) return false;
    SkinBlocks::Block& block = out_.blocks.back();
    if (is_last_list()) {
      block.first_slot = out_.blocks[out_.blocks.size() - 2].first_slot;
    } else {
      out_.slots.insert(out_.slots.end(), list_.begin(), list_.end());
    }
    for (std::size_t p = 0; p < rows.size(); ++p) {
      for (const Influence& influence : rows[p]) {
        const auto at =
            std::lower_bound(list_.begin(), list_.end(), static_cast<std::uint32_t>(influence.slot));
        weights()[static_cast<std::size_t>(at - list_.begin()) * kBlockPoints + p] = influence.weight;
      }
    }
    return true;
  }

  // True if the block before the open one has the current list.
  bool is_last_list() const {
    if (out_.blocks.size() < 2) return false;
    const SkinBlocks::Block& last = out_.blocks[out_.blocks.size() - 2];
    return !last.is_scattered && last.width == list_.size() &&
           std::equal(list_.begin(), list_.end(), out_.slots.begin() + last.first_slot);
  }

  bool add_scattered(std::span<const std::span<const Influence>> rows, std::size_t longest) {
    if (!open(longest, true)) return false;
    const std::size_t first = out_.slots.size();
    out_.slots.resize(first + (longest + 1) * kBlockPoints, list_.front());
    for (std::size_t p = 0; p < rows.size(); ++p) {
      sorted_.assign(rows[p].begin(), rows[p].end());
      std::sort(sorted_.begin(), sorted_.end(),
                [](const Influence& a, const Influence& b) { return a.slot < b.slot; });
      for (std::size_t k = 0; k < sorted_.size(); ++k) {
        out_.slots[first + k * kBlockPoints + p] = static_cast<std::uint32_t>(sorted_[k].slot);
        weights()[k * kBlockPoints + p] = sorted_[k].weight;
      }
      out_.slots[first + longest * kBlockPoints + p] = static_cast<std::uint32_t>(rows[p].front().slot);
    }
    return true;
  }

  SkinBlocks& out_;
  std::vector<std::uint32_t> list_;
  std::vector<Influence> sorted_;
};

Result<SkinBlocks> blocks_of(const WeightRows& rows, std::size_t longest_row) {
  return without_throwing("arranging a skin", [&]() -> Result<SkinBlocks> {
    SkinBlocks out;
    out.point_count = rows.first.empty() ? 0 : rows.first.size() - 1;
    out.blocks.reserve(block_count_of(out.point_count));
    out.weights.reserve(std::min(rows.influences.size(), longest_row * out.point_count) * 5 / 4);
    BlockBuilder builder(out);
    std::vector<std::span<const Influence>> block;
    for (std::size_t begin = 0; begin < out.point_count; begin += kBlockPoints) {
      block.clear();
      for (std::size_t v = begin; v < std::min(begin + kBlockPoints, out.point_count); ++v) {
        const std::span<const Influence> row = rows.row(v);
        block.push_back(row.first(std::min(row.size(), longest_row)));
      }
      if (!builder.add(block))
        return Error{Errc::too_large, "the skin has too many weights for 32-bit indices"};
    }
    return out;
  });
}

// Vectors that are not finite or have no length are unchanged.
void interleave(std::span<const Vec3> from, bool is_made_unit, AlignedVector<float>& to) {
  to.resize(block_count_of(from.size()) * 3 * kBlockPoints);
  for (std::size_t v = 0; v < from.size(); ++v) {
    float* at = to.data() + v / kBlockPoints * 3 * kBlockPoints + v % kBlockPoints;
    const Vec3 value = is_made_unit ? normalized(from[v]) : from[v];
    at[0] = value.x;
    at[kBlockPoints] = value.y;
    at[2 * kBlockPoints] = value.z;
  }
}

}  // namespace

Result<SkinBlocks> prepare_blocks(const WeightRows& rows) { return blocks_of(rows, SIZE_MAX); }

Result<SkinBlocks> prepare_rigid_blocks(const WeightRows& rows) {
  Result<SkinBlocks> blocks = blocks_of(rows, 1);
  if (!blocks) return blocks;
  // Weights of single influences become one, whatever they were.
  for (float& weight : blocks->weights) weight = weight > 0 ? 1.0f : 0.0f;
  return blocks;
}

void set_rest_blocks(RestSurface rest, RestBlocks& out) {
  out.point_count = rest.points.size();
  interleave(rest.points, false, out.points);
  // Normalised here, so that kernels that only rotate them need not check their length.
  interleave(rest.normals, true, out.normals);
  out.tangents.resize(block_count_of(rest.tangents.size()) * 4 * kBlockPoints);
  for (std::size_t v = 0; v < rest.tangents.size(); ++v) {
    float* at = out.tangents.data() + v / kBlockPoints * 4 * kBlockPoints + v % kBlockPoints;
    const Vec4& tangent = rest.tangents[v];
    at[0] = tangent.x;
    at[kBlockPoints] = tangent.y;
    at[2 * kBlockPoints] = tangent.z;
    at[3 * kBlockPoints] = tangent.w;
  }
}

}  // namespace dermis
