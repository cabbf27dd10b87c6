// SPDX-License-Identifier: MIT
// Memory that starts on a cache line, and on a huge page when there is enough of it.
#include <cstdlib>
#include <new>

#include "dermis/base.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace dermis {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  const std::size_t unit = bytes >= kHugePage ? kHugePage : kCacheLine;
  if (bytes > SIZE_MAX - unit) throw std::bad_alloc();
  const std::size_t size = rounded_up(bytes == 0 ? 1 : bytes, unit);
  void* memory = std::aligned_alloc(unit, size);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  // A wish: without it the memory is merely slower.
  if (unit == kHugePage) (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_aligned(void* memory) noexcept { std::free(memory); }

}  // namespace dermis
