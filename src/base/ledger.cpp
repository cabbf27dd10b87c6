// SPDX-License-Identifier: MIT
// The ledger of memory: one number for the process, and small sums per thread that join it now and then.
#include "base/ledger.h"

#include <atomic>
#include <limits>

namespace dermis {
namespace {

// Threads would wait for each other if each block changed the shared number.
constexpr std::int64_t kBatch = 64 << 10;

std::atomic<std::int64_t> counted_bytes{0};
std::atomic<std::int64_t> allowed_bytes{std::numeric_limits<std::int64_t>::max()};
std::atomic<bool> was_block_refused{false};
thread_local std::int64_t pending_bytes = 0;  // not yet counted

}  // namespace

bool count_memory(std::size_t bytes) noexcept {
  const auto size = static_cast<std::int64_t>(bytes);
  pending_bytes += size;
  if (pending_bytes < kBatch) return true;
  const std::int64_t added = pending_bytes;
  pending_bytes = 0;
  if (counted_bytes.fetch_add(added, std::memory_order_relaxed) + added <=
      allowed_bytes.load(std::memory_order_relaxed))
    return true;
  counted_bytes.fetch_sub(size, std::memory_order_relaxed);
  was_block_refused.store(true, std::memory_order_relaxed);
  return false;
}

void uncount_memory(std::size_t bytes) noexcept {
  pending_bytes -= static_cast<std::int64_t>(bytes);
  if (pending_bytes > -kBatch) return;
  counted_bytes.fetch_add(pending_bytes, std::memory_order_relaxed);
  pending_bytes = 0;
}

void set_memory_limit(std::uint64_t bytes) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  allowed_bytes = static_cast<std::int64_t>(bytes < kMost ? bytes : kMost);
  was_block_refused = false;
}

std::uint64_t counted_memory() {
  const std::int64_t now = counted_bytes.load(std::memory_order_relaxed);
  return now > 0 ? static_cast<std::uint64_t>(now) : 0;
}

std::optional<std::uint64_t> refused_limit() noexcept {
  if (!was_block_refused.load(std::memory_order_relaxed)) return std::nullopt;
  return static_cast<std::uint64_t>(allowed_bytes.load(std::memory_order_relaxed));
}

}  // namespace dermis
