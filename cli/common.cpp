// SPDX-License-Identifier: MIT
// Options, progress, interrupts and errors that all verbs share.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>

#include "cli.h"

namespace dermis::cli {
namespace {

std::atomic<bool> stop_asked{false};

void on_interrupt(int) {
  if (stop_asked.exchange(true)) _exit(130);
}

// Draws one line, at most ten times a second, and only once the work has taken a second.
class ProgressLine {
 public:
  void show(std::string_view stage, double fraction) {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    if (now - start_ < std::chrono::seconds(1) || now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(fraction * kWidth);
    fmt::print(stderr, "\r\033[K{:>24} [{:=<{}}{:{}}] {:3.0f} %", stage, "", filled, "", kWidth - filled,
               fraction * 100);
    std::fflush(stderr);
    is_drawn_ = true;
  }
  // Before anything else is printed.
  void clear() {
    const std::lock_guard lock(mutex_);
    if (is_drawn_) fmt::print(stderr, "\r\033[K");
    is_drawn_ = false;
  }

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point drawn_{};
  bool is_drawn_ = false;
};

ProgressLine progress_line;

int exit_code(Errc code) { return code == Errc::usage ? kUsage : kError; }

}  // namespace

void listen_to_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  // Both then fail the write, which says so in a sentence.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void add_common(CLI::App& app, Common& common) {
  app.add_flag("--json", common.json, "print the report as JSON");
  app.add_flag("--quiet", common.quiet, "print nothing but errors");
  app.add_flag("--force", common.force, "overwrite an input, or files beside a .gltf");
  app.add_option("-j,--threads", common.threads, "threads to use (default: one for each core)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--max-memory", common.max_memory_gib, "GiB that loading and posing may take")
      ->check(CLI::Range(0.001, 1024.0))
      ->capture_default_str();
  app.add_option("--up", common.up, "the axis that is up in files that do not say: y or z (default: guessed)")
      ->check(CLI::IsMember({"y", "z"}));
}

RunOptions run_options(const Common& common) {
  set_thread_count(common.threads);
  RunOptions run;
  run.force = common.force;
  if (common.up == "y") run.load.up = UpAxis::y;
  if (common.up == "z") run.load.up = UpAxis::z;
  run.load.max_memory =
      static_cast<std::uint64_t>(common.max_memory_gib * static_cast<double>(std::uint64_t{1} << 30));
  Progress::Listener listener;
  if (!common.quiet && isatty(STDERR_FILENO) != 0) {
    listener = [](std::string_view stage, double fraction) { progress_line.show(stage, fraction); };
  }
  run.progress = Progress(std::move(listener), &stop_asked);
  return run;
}

void clear_progress() { progress_line.clear(); }

int report_error(const char* verb, const Common& common, const Error& error) {
  clear_progress();
  if (common.json) std::fputs((to_json(verb, error) + "\n").c_str(), stdout);
  fmt::print(stderr, "dermis{}{}: {}\n", *verb == '\0' ? "" : " ", verb, error.sentence);
  return exit_code(error.code);
}

void print_notes(const Common& common, const Notes& notes) {
  if (common.quiet) return;
  for (const Note& note : notes) fmt::print(stderr, "{}: {}\n", name_of(note.kind), note.sentence);
}

}  // namespace dermis::cli
