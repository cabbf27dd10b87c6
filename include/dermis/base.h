// SPDX-License-Identifier: MIT
// Results, errors, notes, progress and parallel loops: the basis of every other room.
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dermis {

// ---- Errors and results -------------------------------------------------------------------------------

// What kind of fault an Error is, for callers who branch on it. Users read the sentence.
enum class Errc {
  unreadable,    // a path that cannot be opened, read or written
  bad_file,      // a file whose structure is broken
  bad_rig,       // nodes, skins, weights or clips that contradict each other
  unsupported,   // a legal file that asks for something dermis does not have
  too_large,     // more memory than the caller allows, or than the machine has
  usage,         // a request that is wrong for any file (an unknown method, a stack out of phase)
  bad_argument,  // a request that cannot be met (unknown name, count out of range)
  cancelled,     // Progress was asked to stop
  internal,      // a library threw; the sentence carries its words
};

// The stable name of a code in JSON: "bad_file".
const char* name_of(Errc code);

// What a user can change, as data: the name of an option ("up", "max_memory"), and a value if there is one to
// suggest. Sentences of rooms never name flags: the command words remedies with its flags, the page shows
// controls, Python has keywords.
struct Remedy {
  std::string option;
  std::string value{};  // empty: the user's choice
  friend bool operator==(const Remedy&, const Remedy&) = default;
};
using Remedies = std::vector<Remedy>;  // any one of them helps; the best comes first

// One sentence a user can act on: the file, the object by name, the fault. No newline, no full stop.
struct Error {
  Errc code = Errc::internal;
  std::string sentence;
  Remedies remedies{};

  Error with_remedy(std::string option, std::string value = {}) && {
    remedies.push_back({std::move(option), std::move(value)});
    return std::move(*this);
  }
};
// The same error with "place: " before its sentence.
Error prefixed(std::string_view place, Error error);

// A value or an Error. Test it, then read it: reading the wrong side is a programming error and asserts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return assert(ok()), *std::get_if<0>(&state_); }
  const T& value() const& { return assert(ok()), *std::get_if<0>(&state_); }
  T&& value() && { return assert(ok()), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return assert(!ok()), *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an Error: `return Done{};`.
struct Done {};
using Status = Result<Done>;

// Runs `work`, which returns a Result, and turns any exception thrown inside it (bad_alloc included) into an
// Error whose sentence starts with `what`. Every public function that can fail uses this.
// error_from_current_exception may only be called inside a catch block. It does not throw: out of memory is
// Errc::too_large, everything else Errc::internal.
Error error_from_current_exception(std::string_view what);
template <class Work>
auto without_throwing(std::string_view what, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return error_from_current_exception(what);
  }
}

// ---- Notes --------------------------------------------------------------------------------------------

// Something the user should know although the work continued: a repair, a guess, a loss.
struct Note {
  enum class Kind {
    info,    // a fact worth knowing
    guess,   // the file does not specify it; this was assumed
    repair,  // the data was repaired
    loss,    // something could not be kept
  };
  Kind kind = Kind::info;
  std::string id;        // stable, for scripts: "weights-not-normalised"
  std::string sentence;  // for people: the object by name, what was done
  // What it is about, if stated: object number `index`, of which `count` parts are affected, part `first`
  // being the first of them.
  std::string thing{};  // "mesh"; empty: the whole file
  int index = -1;
  int first = -1;
  std::size_t count = 0;  // 0: not counted
  Remedies remedies{};

  Note with_remedy(std::string option, std::string value = {}) && {
    remedies.push_back({std::move(option), std::move(value)});
    return std::move(*this);
  }
};
using Notes = std::vector<Note>;

// The stable name of a kind in JSON: "repair".
const char* name_of(Note::Kind kind);

// How much a note or a finding matters.
enum class Severity {
  info,     // worth knowing
  warning,  // look at it: it may be intended
  error,    // something is broken
};
// The stable name in JSON: "warning".
const char* name_of(Severity severity);
// The severity of a kind of note unless its row sets another: repairs and losses are warnings.
constexpr Severity usual_severity(Note::Kind kind) {
  return kind == Note::Kind::repair || kind == Note::Kind::loss ? Severity::warning : Severity::info;
}

// The meaning of a note id. A room exports the rows of its notes (`io_notes()`); an id used with two kinds
// has a row for each.
struct NoteRow {
  const char* id;
  Note::Kind kind;
  const char* meaning;  // one line
  Severity severity = usual_severity(kind);
};

// ---- Progress -----------------------------------------------------------------------------------------

// How long-running work reports its progress and learns that it should stop. The default is silent and never
// stops. Copies and parts share the listener and the stop flag, and may be used from several threads at once.
class Progress {
 public:
  // `stage` in words ("decoding meshes"), `fraction` of the whole work in [0, 1]. Called on the thread that
  // does the work, never by two at once; parallel loops may report fractions slightly out of order. It must
  // not call the Progress it listens to.
  using Listener = std::function<void(std::string_view stage, double fraction)>;

  Progress() = default;
  // `stop` must outlive every use; setting it to true from anywhere, even a signal handler, ends the work.
  Progress(Listener listener, const std::atomic<bool>* stop);

  // For a part of the work, which reports its own fraction in [0, 1]: the listener sees it mapped to the
  // range from `from` to `to` of this one. Parts of parts are allowed.
  Progress part(double from, double to) const;

  // Reports progress. Returns Errc::cancelled once a stop was requested; return that to the caller at once.
  Status at(std::string_view stage, double fraction) const;
  bool is_stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  struct Hearing;  // the listener and its lock
  std::shared_ptr<Hearing> hearing_;
  const std::atomic<bool>* stop_ = nullptr;
  double from_ = 0, to_ = 1;  // as fractions of the listener's work
};

// ---- Parallel loops -----------------------------------------------------------------------------------

// Calls body(begin, end) on ranges that cover [0, count) exactly once, on up to thread_count() threads. Each
// range is `grain` items long (the last one may be shorter), whatever the thread count: a body that writes
// only its own items, or one value per range, gives the same bytes on one thread and on many. A count of at
// most one grain runs inline. An exception in a body ends the loop and reaches the caller. A body may run its
// own parallel loop. `grain` is at least 1; choose it so that a range takes about 10 microseconds or more.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// The number of threads parallel_for may use, including the caller's; 0 means one per core. Process-wide: set
// it before work starts. More threads than cores are allowed, but seldom help.
void set_thread_count(int count);
int thread_count();

// ---- Words --------------------------------------------------------------------------------------------

// "1 point", "3 points"; also with a verb: counted(n, "row was", "rows were").
std::string counted(std::size_t count, const char* one, const char* many);

// ---- Memory for kernels --------------------------------------------------------------------------------

// Whole cache lines, on huge pages if they are worthwhile and available (2 MB and more, Linux).
void* allocate_aligned(std::size_t bytes);  // throws bad_alloc, as vectors do
void free_aligned(void* memory) noexcept;

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class Other>
  AlignedAllocator(const AlignedAllocator<Other>&) {}  // NOLINT: implicit by the allocator's contract
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_aligned(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) noexcept { free_aligned(memory); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

// A vector whose first element starts a cache line.
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// ---- Version ------------------------------------------------------------------------------------------

// "0.1.0"
const char* version();

}  // namespace dermis
