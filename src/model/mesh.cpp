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

// Points whose hashes share their top bits, so that the table of each group stays in the cache and groups can
// be welded in parallel. Within a group points keep their order.
struct HashGroups {
  std::vector<std::uint64_t> hashes;  // one per point
  std::vector<std::size_t> first;     // group g has points[first[g] .. first[g + 1])
  std::vector<Index> points;
};

constexpr std::size_t kPointsPerGroup = 8192;
constexpr std::size_t kGrain = 1 << 14;

HashGroups group_by_hash(std::span<const Vec3> points) {
  const std::size_t group_count = std::bit_ceil(points.size() / kPointsPerGroup + 1);
  const int shift = 64 - std::countr_zero(group_count);
  const auto group_of = [&](std::uint64_t hash) {
    return group_count == 1 ? 0 : static_cast<std::size_t>(hash >> shift);
  };
  HashGroups groups;
  groups.hashes.resize(points.size());
  parallel_for(points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) groups.hashes[v] = hash_of(points[v]);
  });
  groups.first.assign(group_count + 1, 0);
  for (const std::uint64_t hash : groups.hashes) ++groups.first[group_of(hash) + 1];
  for (std::size_t g = 0; g < group_count; ++g) groups.first[g + 1] += groups.first[g];
  std::vector<std::size_t> next(groups.first.begin(), groups.first.end() - 1);
  groups.points.resize(points.size());
  for (std::size_t v = 0; v < points.size(); ++v)
    groups.points[next[group_of(groups.hashes[v])]++] = static_cast<Index>(v);
  return groups;
}

// Open addressing at most half full; points enter in order, so the one found is the lowest.
void weld_group(std::span<const Vec3> points, const std::vector<std::uint64_t>& hashes,
                std::span<const Index> group, std::vector<Index>& table, std::span<Index> weld) {
  const std::size_t slot_count = std::bit_ceil(2 * group.size() + 1);
  table.assign(slot_count, kNone);
  for (const Index member : group) {
    const auto v = static_cast<std::size_t>(member);
    std::size_t slot = hashes[v] & (slot_count - 1);
    while (table[slot] != kNone && points[static_cast<std::size_t>(table[slot])] != points[v]) {
      slot = (slot + 1) & (slot_count - 1);
    }
    if (table[slot] == kNone) table[slot] = member;
    weld[v] = table[slot];
  }
}

}  // namespace

std::vector<Index> weld_coincident(std::span<const Vec3> points) {
  std::vector<Index> weld(points.size());
  const HashGroups groups = group_by_hash(points);
  parallel_for(groups.first.size() - 1, 1, [&](std::size_t begin, std::size_t end) {
    std::vector<Index> table;
    for (std::size_t g = begin; g < end; ++g) {
      const std::span<const Index> group =
          std::span(groups.points).subspan(groups.first[g], groups.first[g + 1] - groups.first[g]);
      weld_group(points, groups.hashes, group, table, weld);
    }
  });
  return weld;
}

}  // namespace dermis
