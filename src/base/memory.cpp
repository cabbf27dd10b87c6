// SPDX-License-Identifier: MIT
// Memory that starts on a cache line, and on huge pages if it is large enough.
#include <cstdint>
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

struct Origin {
  char* start;
  std::size_t unit;
};

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
  // The line before the returned address stores where the memory really starts, and its alignment.
  const std::size_t front = kCacheLine + next_stagger();
  if (bytes > SIZE_MAX - front - unit) throw std::bad_alloc();
  const std::size_t size = (front + bytes + unit - 1) / unit * unit;
  // By operator new, so that a program that counts its memory counts this too.
  char* start = static_cast<char*>(::operator new (size, std::align_val_t{unit}));
#ifdef __linux__
  // Optional: without it the memory is only slower.
  if (unit == kHugePage) (void)madvise(start, size, MADV_HUGEPAGE);
#endif
  char* memory = start + front;
  const Origin origin{start, unit};
  std::memcpy(memory - sizeof(origin), &origin, sizeof(origin));
  return memory;
}

void free_aligned(void* memory) noexcept {
  if (memory == nullptr) return;
  Origin origin{};
  std::memcpy(&origin, static_cast<char*>(memory) - sizeof(origin), sizeof(origin));
  ::operator delete (origin.start, std::align_val_t{origin.unit});
}

}  // namespace dermis
