// SPDX-License-Identifier: MIT
// The ledger of memory: one number for the process, and small sums per thread that join it now and then.
#include "base/ledger.h"

#include <atomic>
#include <limits>

#include "dermis/base.h"

namespace dermis {
namespace {

// Threads would wait for each other if each block changed the shared number.
constexpr std::int64_t kBatch = 64 << 10;

std::atomic<std::int64_t> total{0};
std::atomic<std::int64_t> limit{std::numeric_limits<std::int64_t>::max()};
std::atomic<bool> was_refused{false};
thread_local std::int64_t pending = 0;  // not yet in the total

}  // namespace

bool count_memory(std::size_t bytes) noexcept {
  const auto size = static_cast<std::int64_t>(bytes);
  pending += size;
  if (pending < kBatch) return true;
  const std::int64_t added = pending;
  pending = 0;
  if (total.fetch_add(added, std::memory_order_relaxed) + added <= limit.load(std::memory_order_relaxed))
    return true;
  total.fetch_sub(size, std::memory_order_relaxed);
  was_refused.store(true, std::memory_order_relaxed);
  return false;
}

void uncount_memory(std::size_t bytes) noexcept {
  pending -= static_cast<std::int64_t>(bytes);
  if (pending > -kBatch) return;
  total.fetch_add(pending, std::memory_order_relaxed);
  pending = 0;
}

void set_memory_limit(std::uint64_t bytes) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  limit = static_cast<std::int64_t>(bytes < kMost ? bytes : kMost);
  was_refused = false;
}

std::uint64_t counted_memory() {
  const std::int64_t now = total.load(std::memory_order_relaxed);
  return now > 0 ? static_cast<std::uint64_t>(now) : 0;
}

std::optional<std::uint64_t> refused_limit() noexcept {
  if (!was_refused.load(std::memory_order_relaxed)) return std::nullopt;
  return static_cast<std::uint64_t>(limit.load(std::memory_order_relaxed));
}

}  // namespace dermis
