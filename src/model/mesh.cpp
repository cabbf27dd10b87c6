// SPDX-License-Identifier: MIT
// Joins points that coincide exactly, for solvers that work on the welded surface.
#include <bit>

#include "dermis/model.h"

namespace dermis {
namespace {

// Adding zero turns -0 into +0 and changes nothing else.
std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x + 0.0f); }

// The finaliser of MurmurHash3: every input bit reaches every output bit.
std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

std::uint64_t hash_of(const Vec3& p) {
  return mixed(mixed(bits_of(p.x) << 32 | bits_of(p.y)) + bits_of(p.z));
}

}  // namespace

std::vector<Index> weld_coincident(std::span<const Vec3> points) {
  std::vector<Index> weld(points.size());
  // Open addressing at most half full; points enter in order, so the one found is the lowest.
  const std::size_t slot_count = std::bit_ceil(2 * points.size() + 1);
  std::vector<Index> table(slot_count, kNone);
  for (std::size_t v = 0; v < points.size(); ++v) {
    std::size_t slot = hash_of(points[v]) & (slot_count - 1);
    while (table[slot] != kNone && points[static_cast<std::size_t>(table[slot])] != points[v]) {
      slot = (slot + 1) & (slot_count - 1);
    }
    if (table[slot] == kNone) table[slot] = static_cast<Index>(v);
    weld[v] = table[slot];
  }
  return weld;
}

}  // namespace dermis
