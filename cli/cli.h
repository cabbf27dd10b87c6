// SPDX-License-Identifier: MIT
// The command line: options into jobs, reports into text or JSON, errors into exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "dermis/ops.h"

namespace dermis::cli {

// The contract scripts depend on.
enum ExitCode { kFine = 0, kError = 1, kUsage = 2, kCheckFailed = 3 };

// Options that every verb has.
struct Common {
  std::string verb;  // whose options these are
  bool json = false;
  bool quiet = false;
  bool force = false;
  int threads = 0;
  double max_memory_gib = 8;
  std::string up;
};

// One verb: what it takes, and what it does once the options are read.
struct Verb {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

// Each adds one verb to `app`; its options live as long as the returned Verb.
Verb add_info(CLI::App& app);
Verb add_check(CLI::App& app);
Verb add_convert(CLI::App& app);
Verb add_make(CLI::App& app);
Verb add_deform(CLI::App& app);
Verb add_bake(CLI::App& app);
Verb add_bind(CLI::App& app);
Verb add_rig(CLI::App& app);
Verb add_animate(CLI::App& app);
Verb add_helpers(CLI::App& app);
Verb add_combine(CLI::App& app);
Verb add_compare(CLI::App& app);
Verb add_weights(CLI::App& app);
Verb add_shapes(CLI::App& app);
Verb add_render(CLI::App& app);
Verb add_demo(CLI::App& app);
Verb add_methods(CLI::App& app);
Verb add_formats(CLI::App& app);
Verb add_notes(CLI::App& app);
Verb add_schema(CLI::App& app);
// Starts the benchmark program in the same folder as this one.
Verb add_bench(CLI::App& app);

// Checks of numbers, with words that fit into a sentence.
CLI::Validator above_zero();
CLI::Validator zero_or_more();
CLI::Validator from_to(double least, double most);

void add_common(CLI::App& app, Common& common);
// Threads, memory and progress as requested. Progress is drawn on a terminal once work takes a second.
RunOptions run_options(const Common& common);

// Text to stdout or stderr, the only way there. Names come from files and paths from anywhere, so that
// control characters other than line ends and tabs, and bytes that are not UTF-8, are printed as '?': a name
// cannot command a terminal. Allocates nothing, and does not throw if the stream cannot be written, as
// fmt::print would: a failure of stderr cannot be reported, and main checks that stdout arrived.
void print_to(std::FILE* stream, std::string_view text);
// Clears the progress line from the terminal.
void clear_progress();
// Prints the error (one sentence on stderr; with --json also as JSON on stdout) and returns its exit code.
int report_error(const char* verb, const Common& common, const Error& error);
// Of similar things, text shows the first few and how many more there are; JSON has all.
inline constexpr std::size_t kMostAlike = 4;
// Prints notes on stderr, one line each, unless quiet; warnings last, the first few per id.
void print_notes(const Common& common, const Notes& notes);
// The last line of a text: the warning that matters most, or what was written; empty if `text` is one line
// and there is no warning.
std::string last_line(std::string_view verb, const std::string& text, const std::string& output,
                      const Notes& notes);
// A report that ends with its own verdict says so: `static constexpr bool kHasVerdict = true;`.
template <class Report>
std::string last_line_of(const Common& common, const Report& report, const std::string& text,
                         const Notes& notes) {
  if constexpr (requires { Report::kHasVerdict; }) return {};
  if constexpr (requires { report.output; }) return last_line(common.verb, text, report.output, notes);
  return last_line(common.verb, text, "", notes);
}
// The work is done and has no temporary files any more: from now on Ctrl-C ends the program at once, because
// a report may be long. Fails with cancelled if a stop was requested that the work did not hear.
Status begin_report();
// Whether a report's text is printed: neither quiet nor JSON.
inline bool wants_text(const Common& common) { return !common.quiet && !common.json; }
// A report as JSON on stdout, or `text` and `notes`.
template <class Report>
int print_report(const Common& common, const Report& report, const std::string& text, const Notes& notes) {
  clear_progress();
  if (common.json) {
    print_to(stdout, to_json(report) + "\n");
  } else {
    print_notes(common, notes);
    if (!common.quiet) print_to(stdout, text + last_line_of(common, report, text, notes));
  }
  return kFine;
}

// The sentence of a failed check, which is not an error of the program: on stderr if quiet, else the text of
// the report has it.
void print_failure(const Common& common, const std::string& sentence);

// What was typed, for reports.
void remember_command(std::span<char*> words);
// Ctrl-C asks running work to stop; a second Ctrl-C ends the program at once, and still removes temporary
// files.
void listen_to_interrupts();

// The tables of rules and profiles, as Markdown; of methods; of motions and of the roles of
// joints; of formats.
std::string check_tables();
std::string method_table();
std::string bind_method_table();
std::string motion_table();
std::string role_table();
std::string format_table();

}  // namespace dermis::cli
