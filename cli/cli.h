// SPDX-License-Identifier: MIT
// The command line: options into jobs, reports into text or JSON, errors into exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "dermis/ops.h"

namespace dermis::cli {

// The contract scripts depend on.
enum ExitCode { kFine = 0, kError = 1, kUsage = 2, kCheckFailed = 3 };

// Options that every verb has.
struct Common {
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
Verb add_compare(CLI::App& app);
Verb add_demo(CLI::App& app);
Verb add_methods(CLI::App& app);
Verb add_formats(CLI::App& app);
// Hands over to the benchmark program beside this one.
Verb add_bench(CLI::App& app);

void add_common(CLI::App& app, Common& common);
// Threads, memory and progress as asked for. Progress is drawn on a terminal once work takes a second.
RunOptions run_options(const Common& common);

// Takes the progress line off the terminal.
void clear_progress();
// Prints the error (one sentence on stderr; with --json also as JSON on stdout) and returns its exit code.
int report_error(const char* verb, const Common& common, const Error& error);
// Prints notes on stderr, one line each, unless quiet.
void print_notes(const Common& common, const Notes& notes);
// A report as JSON on stdout, or `text` and its notes.
template <class Report>
int print_report(const Common& common, const Report& report, const std::string& text) {
  clear_progress();
  if (common.json) {
    std::fputs((to_json(report) + "\n").c_str(), stdout);
  } else {
    print_notes(common, report.notes);
    if (!common.quiet) std::fputs(text.c_str(), stdout);
  }
  return kFine;
}

// Ctrl-C asks running work to stop; asked twice, the program ends at once.
void listen_to_interrupts();

// Reports as text.
// `with_nodes` adds the tree of nodes with the labels that pose files use.
std::string text_of(const InfoReport& report, bool with_nodes);
std::string text_of(const CheckReport& report);
std::string text_of(const ConvertReport& report);
// The tables of rules and profiles, as Markdown.
std::string check_tables();
std::string text_of(const DeformReport& report);
std::string text_of(const BakeReport& report);
std::string text_of(const CompareReport& report);
std::string text_of(const MakeReport& report);
std::string text_of(const DemoReport& report);

}  // namespace dermis::cli
