// SPDX-License-Identifier: MIT
// The command's operator new and delete, which report every block to the ledger: --max-memory holds for all
// work.
//
// Not part of builds with sanitizers, which have their own, nor of the library, whose users have theirs.
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "base/ledger.h"

namespace {

// The size that the block really has, so that its end subtracts the same. Null stays null.
void* counted(void* memory) {
  if (memory == nullptr || dermis::count_memory(::malloc_usable_size(memory))) return memory;
  std::free(memory);
  return nullptr;
}

void free_counted(void* memory) noexcept {
  if (memory != nullptr) dermis::uncount_memory(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// The other forms, for arrays and without exceptions, call these.
void* operator new(std::size_t size) {
  void* memory = counted(std::malloc(size > 0 ? size : 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  void* memory =
      size > SIZE_MAX - unit ? nullptr : counted(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { free_counted(memory); }
void operator delete(void* memory, std::size_t) noexcept { free_counted(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { free_counted(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { free_counted(memory); }
