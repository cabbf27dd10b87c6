// SPDX-License-Identifier: MIT
// Parallel loops over fixed ranges, on TBB.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "dermis/base.h"

#ifdef DERMIS_ORDERS_THREADS
#include <sanitizer/tsan_interface.h>
#endif

namespace dermis {
namespace {

// A place where one thread hands its work to others. TBB and this file are built without the thread
// sanitizer, so it does not see how tasks are ordered. These calls tell it, and no more than that: ranges of
// one loop stay unordered, so that a race between two of them is reported. Without the sanitizer they do
// nothing.
class Handover {
 public:
#ifdef DERMIS_ORDERS_THREADS
  void give() { __tsan_release(this); }
  void take() { __tsan_acquire(this); }
#else
  void give() {}
  void take() {}
#endif
};

using Limit = tbb::global_control;

struct ThreadLimit {
  std::mutex mutex;
  std::unique_ptr<Limit> control;  // none: TBB's own choice, one thread per core
};

ThreadLimit& thread_limit() {
  // Never destroyed: where memory ran out while TBB started, it would wait for ever for its limits to go.
  static ThreadLimit& limit = *new ThreadLimit;
  return limit;
}

}  // namespace

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body) {
  assert(grain > 0);
  if (count == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  if (count <= grain) return body(0, count);

  // TBB splits the chunks, never the items, so ranges do not depend on the number of threads.
  const std::size_t chunk_count = (count - 1) / grain + 1;
  Handover before, after;
  const auto run_chunks = [&](const tbb::blocked_range<std::size_t>& chunks) {
    before.take();
    for (std::size_t chunk = chunks.begin(); chunk != chunks.end(); ++chunk) {
      const std::size_t begin = chunk * grain;
      body(begin, begin + std::min(grain, count - begin));
    }
    after.give();
  };
  before.give();
  // Isolated, because a body that waits for an inner loop must not be given another item of an outer one: its
  // own locks and thread-local scratch would be in use.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunk_count), run_chunks); });
  after.take();
}

void set_thread_count(int count) {
  assert(count >= 0);
  ThreadLimit& limit = thread_limit();
  const std::lock_guard lock(limit.mutex);
  // Remove the old limit first: of several live ones TBB uses the smallest.
  limit.control.reset();
  if (count <= 0) return;
  limit.control = std::make_unique<Limit>(Limit::max_allowed_parallelism, static_cast<std::size_t>(count));
}

int thread_count() { return static_cast<int>(Limit::active_value(Limit::max_allowed_parallelism)); }

}  // namespace dermis
