// SPDX-License-Identifier: MIT
// Counts what operator new hands out, and lets it fail. Replaces it for the whole program: one source of a
// test program may include this.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace dermis::test {

inline std::atomic<std::size_t> counted_allocations = 0;

// The allocation after these throws, once, in whichever thread; negative: none does.
inline std::atomic<std::ptrdiff_t> allocations_left = -1;

inline void* counted(void* memory) {
  const bool is_last = allocations_left.load(std::memory_order_relaxed) >= 0 &&
                       allocations_left.fetch_sub(1, std::memory_order_relaxed) == 0;
  if (is_last) std::free(memory);
  if (memory == nullptr || is_last) throw std::bad_alloc();
  counted_allocations.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

// How often `work` allocates, in all threads.
template <class Work>
std::size_t allocations_of(const Work& work) {
  const std::size_t before = counted_allocations.load();
  work();
  return counted_allocations.load() - before;
}

}  // namespace dermis::test

[[gnu::noinline]] void* operator new(std::size_t size) {
  return dermis::test::counted(std::malloc(size > 0 ? size : 1));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  const std::size_t unit = static_cast<std::size_t>(alignment);
  return dermis::test::counted(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
}
// The library's own would call the ones above, but sanitizers replace it: what it gives must be ours to free.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory != nullptr) dermis::test::counted_allocations.fetch_add(1, std::memory_order_relaxed);
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
