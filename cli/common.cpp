// SPDX-License-Identifier: MIT
// Options, progress, interrupts and errors that all verbs share.
#include <fmt/format.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <map>
#include <mutex>

#include "base/ledger.h"
#include "cli.h"

namespace dermis::cli {
namespace {

std::atomic<bool> stop_asked{false};
constexpr int kInterrupted = 130;  // as shells report Ctrl-C

// A second Ctrl-C ends the program at once, without its temporary files and children. A signal handler may
// not remove them, so it wakes a thread that does; without that thread they stay, and later runs remove them.
sem_t end_asked;
std::atomic<bool> is_ender_there{false};

void* end_when_asked(void*) {
  while (::sem_wait(&end_asked) != 0) {
  }
  remove_leftovers();
  ::_exit(kInterrupted);
}

void start_ender() {
  pthread_t ender{};
  is_ender_there =
      ::sem_init(&end_asked, 0, 0) == 0 && ::pthread_create(&ender, nullptr, end_when_asked, nullptr) == 0;
  if (is_ender_there) ::pthread_detach(ender);
}

void on_interrupt(int) {
  const int before = errno;
  if (!stop_asked.exchange(true)) return;
  if (!is_ender_there || ::sem_post(&end_asked) != 0) ::_exit(kInterrupted);
  errno = before;
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
    draw(fmt::format("\r\033[K{:>24} [{:=<{}}{:{}}] {:3.0f} %", stage, "", filled, "", kWidth - filled,
                     fraction * 100));
    std::fflush(stderr);
    is_drawn_ = true;
  }
  // Before anything else is printed.
  void clear() {
    const std::lock_guard lock(mutex_);
    if (is_drawn_) draw("\r\033[K");
    is_drawn_ = false;
  }

 private:
  // Our own control characters, and no text from outside.
  static void draw(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point drawn_{};
  bool is_drawn_ = false;
};

ProgressLine progress_line;

// Refuses text that is not a number, and numbers for which `is_good` is false; `words` say what is allowed.
template <class Test>
CLI::Validator number_check(const Test& is_good, const std::string& words, const std::string& in_help) {
  const auto judge = [=](std::string& text) -> std::string {
    double number = 0;
    if (!CLI::detail::lexical_cast(text, number) || !std::isfinite(number))
      return fmt::format("'{}' is not a number", text);
    return is_good(number) ? std::string() : fmt::format("{} is out of range: it must be {}", text, words);
  };
  return {judge, in_help};
}

// Bytes of the character at `at`; 0 if a terminal might take it as a command: control characters, also those
// of two bytes (U+0080 to U+009F), and bytes that are not UTF-8, which old terminals take for such.
std::size_t printable_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) -> unsigned {
    return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return (lead >= 0x20 && lead != 0x7f) || lead == '\n' || lead == '\t' ? 1 : 0;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  unsigned letter = lead & (0xffu >> (size + 1));
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xc0u) != 0x80u) return 0;
    letter = letter << 6 | (byte(k) & 0x3fu);
  }
  constexpr unsigned kSmallest[] = {0xa0, 0x800, 0x10000};  // of two, three and four bytes
  return lead >= 0xc2 && lead <= 0xf4 && letter >= kSmallest[size - 2] ? size : 0;
}

// A sentence is one line, whatever the names in it.
std::string one_line(std::string sentence) {
  std::replace(sentence.begin(), sentence.end(), '\n', '?');
  return sentence;
}

std::string typed_command;
std::vector<std::string> typed_words;

// A note or an error in words, without the remedies that were typed already.
template <class Told>
std::string said(Told told, std::string_view verb) {
  told.remedies = untried(std::move(told.remedies), typed_words);
  return one_line(words_of(told, verb));
}

int exit_code(Errc code) { return code == Errc::usage ? kUsage : kError; }

// "loss", "warning (loss)": how much a note matters comes before what kind it is.
std::string head_of(const Note& note) {
  if (severity_of(note) == Severity::info) return name_of(note.kind);
  return note.kind == Note::Kind::info
             ? name_of(severity_of(note))
             : fmt::format("{} ({})", name_of(severity_of(note)), name_of(note.kind));
}

// A guess that is a warning means that the result may be wrong as a whole; a loss or a repair is a part of
// it.
bool matters_more(const Note& note, const Note& other) {
  if (severity_of(note) != severity_of(other)) return severity_of(note) > severity_of(other);
  const auto rank = [](Note::Kind kind) {
    return kind == Note::Kind::guess ? 3 : kind == Note::Kind::info ? 2 : kind == Note::Kind::loss ? 1 : 0;
  };
  return rank(note.kind) > rank(other.kind);
}

}  // namespace

void remember_command(std::span<char*> words) {
  typed_command = "dermis";
  typed_words.assign(words.begin(), words.end());
  for (char* const word : words.subspan(1)) typed_command += " " + shell_word(word);
}

void listen_to_interrupts() {
  start_ender();
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  // Both then make the write fail, which is reported.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

Status begin_report() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (!stop_asked) return Done{};
  return Error{Errc::cancelled,
               "stopped on request when the work was done: what it wrote is complete, but not reported"};
}

CLI::Validator above_zero() {
  return number_check([](double number) { return number > 0; }, "above 0", "ABOVE 0");
}

CLI::Validator zero_or_more() {
  return number_check([](double number) { return number >= 0; }, "0 or more", "0 OR MORE");
}

CLI::Validator from_to(double least, double most) {
  return number_check([=](double number) { return number >= least && number <= most; },
                      fmt::format("{:.12g} to {:.12g}", least, most),
                      fmt::format("{:.12g} TO {:.12g}", least, most));
}

void add_common(CLI::App& app, Common& common) {
  app.add_flag("--json", common.json, "print the report as JSON");
  app.add_flag("--quiet", common.quiet, "print only errors");
  app.add_flag("--force", common.force, "overwrite an input, and existing files next to the output");
  app.add_option("-j,--threads", common.threads, "threads to use (default: one per core)")
      ->check(from_to(1, 1024));
  app.add_option("--max-memory", common.max_memory_gib, "GiB of memory that the work may use")
      ->check(from_to(0.001, 1024))
      ->capture_default_str();
  app.add_option("--up", common.up, "up axis of files that do not state it: y or z (default: guessed)")
      ->check(CLI::IsMember({"y", "z"}));
}

RunOptions run_options(const Common& common) {
  set_thread_count(common.threads);
  RunOptions run;
  run.force = common.force;
  run.command = typed_command;
  if (common.up == "y") run.up = UpAxis::y;
  if (common.up == "z") run.up = UpAxis::z;
  run.max_memory =
      static_cast<std::uint64_t>(common.max_memory_gib * static_cast<double>(std::uint64_t{1} << 30));
  set_memory_limit(run.max_memory);
  Progress::Listener listener;
  if (!common.quiet && isatty(STDERR_FILENO) != 0) {
    listener = [](std::string_view stage, double fraction) { progress_line.show(stage, fraction); };
  }
  run.progress = Progress(std::move(listener), &stop_asked);
  return run;
}

void print_to(std::FILE* stream, std::string_view text) {
  std::size_t printed = 0, at = 0;
  while (at < text.size()) {
    const std::size_t size = printable_length(text, at);
    if (size > 0) {
      at += size;
      continue;
    }
    std::fwrite(text.data() + printed, 1, at - printed, stream);
    std::fputc('?', stream);
    printed = ++at;
  }
  std::fwrite(text.data() + printed, 1, at - printed, stream);
}

void clear_progress() { progress_line.clear(); }

int report_error(const char* verb, const Common& common, const Error& error) {
  clear_progress();
  if (common.json) print_to(stdout, to_json(verb, error) + "\n");
  print_to(stderr, fmt::format("dermis{}{}: {}\n", *verb == '\0' ? "" : " ", verb, said(error, verb)));
  return exit_code(error.code);
}

void print_notes(const Common& common, const Notes& notes) {
  if (common.quiet) return;
  std::map<std::string, std::size_t> total, shown;
  for (const Note& note : notes) ++total[note.id];
  Notes sorted = notes;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Note& a, const Note& b) { return severity_of(a) < severity_of(b); });
  for (const Note& note : sorted) {
    const std::size_t count = ++shown[note.id], all = total[note.id];
    if (count > kMostAlike) continue;
    const std::string more =
        count == kMostAlike && all > count ? fmt::format(" (and {} more like this)", all - count) : "";
    print_to(stderr, fmt::format("{}: {}{}\n", head_of(note), said(note, common.verb), more));
  }
}

void print_failure(const Common& common, const std::string& sentence) {
  if (!common.quiet || common.json) return;
  print_to(stderr, fmt::format("dermis {}: {}\n", common.verb, one_line(sentence)));
}

std::string last_line(std::string_view verb, const std::string& text, const std::string& output,
                      const Notes& notes) {
  const Note* worst = nullptr;
  std::size_t count = 0;
  for (const Note& note : notes) {
    if (severity_of(note) < Severity::warning) continue;
    ++count;
    if (worst == nullptr || matters_more(note, *worst)) worst = &note;
  }
  const bool is_one_line = std::count(text.begin(), text.end(), '\n') <= 1;
  if (worst == nullptr) return output.empty() || is_one_line ? "" : fmt::format("{} is written\n", output);
  return fmt::format("{}{}: {}\n", output.empty() ? "" : fmt::format("{} is written, with ", output),
                     count == 1 ? "1 warning" : fmt::format("{} warnings, first of all", count),
                     said(*worst, verb));
}

}  // namespace dermis::cli
