// SPDX-License-Identifier: MIT
// Linked into the command, makes one of its allocations fail: what tools/alloc_faults runs.
//
// DERMIS_FAIL_ALLOCATION=K fails the K-th allocation after main starts, K+ that one and all that follow.
// DERMIS_ALLOCATION_COUNT names a file that gets the number of allocations. Counted are operator new in the
// program and in the libraries it loads; not what C libraries take by malloc.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

extern "C" {
// The linker's --wrap: calls of `main` come here, the real one has this name.
int __real_main(int argc, char** argv);
}

namespace {

std::atomic<bool> is_counting = false;
std::atomic<std::uint64_t> allocation_count = 0;
std::uint64_t failing = 0;  // 0: none
bool is_lasting = false;

bool fails_now() {
  if (!is_counting.load(std::memory_order_relaxed)) return false;
  const std::uint64_t number = allocation_count.fetch_add(1) + 1;
  return failing > 0 && (number == failing || (is_lasting && number > failing));
}

void write_count() {
  const char* path = std::getenv("DERMIS_ALLOCATION_COUNT");
  if (path == nullptr) return;
  char digits[32];
  const int length = std::snprintf(digits, sizeof(digits), "%llu\n",
                                   static_cast<unsigned long long>(allocation_count.load()));
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file == -1 || ::write(file, digits, static_cast<std::size_t>(length)) != length) std::abort();
  ::close(file);
}

}  // namespace

extern "C" int __wrap_main(int argc, char** argv) {
  if (const char* asked = std::getenv("DERMIS_FAIL_ALLOCATION"); asked != nullptr) {
    char* end = nullptr;
    failing = std::strtoull(asked, &end, 10);
    is_lasting = *end == '+';
  }
  std::atexit(write_count);
  is_counting = true;
  const int code = __real_main(argc, argv);
  is_counting = false;
  return code;
}

// The other forms, for arrays and without exceptions, call these two.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = fails_now() ? nullptr : std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  const std::size_t unit = static_cast<std::size_t>(alignment);
  void* memory = fails_now() ? nullptr : std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
