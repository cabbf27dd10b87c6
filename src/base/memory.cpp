// SPDX-License-Identifier: MIT
// Memory that starts on a cache line, and on huge pages if it is large enough.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "dermis/base.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace dermis {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Large allocations all start at the same offset in a page. A loop over several of them then reads and writes
// addresses that agree in their last twelve bits, which the processor treats as conflicts. So each starts a
// few lines further into its page; 11 lines and 64 lines per page have no common divisor.
std::size_t next_stagger() {
  static std::atomic<std::size_t> count = 0;
  return count.fetch_add(1, std::memory_order_relaxed) * 11 * kCacheLine % kPage;
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  const std::size_t unit = bytes >= kHugePage ? kHugePage : kCacheLine;
  // The line before the returned address stores where the memory really starts.
  const std::size_t front = kCacheLine + next_stagger();
  if (bytes > SIZE_MAX - front - unit) throw std::bad_alloc();
  const std::size_t size = (front + bytes + unit - 1) / unit * unit;
  char* start = static_cast<char*>(std::aligned_alloc(unit, size));
  if (start == nullptr) throw std::bad_alloc();
#ifdef __linux__
  // Optional: without it the memory is only slower.
  if (unit == kHugePage) (void)madvise(start, size, MADV_HUGEPAGE);
#endif
  char* memory = start + front;
  std::memcpy(memory - sizeof(start), &start, sizeof(start));
  return memory;
}

void free_aligned(void* memory) noexcept {
  if (memory == nullptr) return;
  char* start = nullptr;
  std::memcpy(&start, static_cast<char*>(memory) - sizeof(start), sizeof(start));
  std::free(start);
}

}  // namespace dermis
