// SPDX-License-Identifier: MIT
// What verbs share: options for poses, stacks and saving, and how a verb is made and finished.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli.h"

namespace dermis::cli {

// The pose of a character, for verbs that pose.
struct PoseOptions {
  std::optional<std::string> clip;
  std::string pose_file;
  std::optional<double> time;
  std::vector<std::string> shapes, controls;
};
void add_pose_options(CLI::App& app, PoseOptions& options);
// Errc::usage names the option that cannot be read.
Result<PoseChoice> pose_choice(const PoseOptions& options);

// Help for --method.
std::string method_help();
// What verbs take besides a stack.
struct StackFlags {
  bool has_no_rest_stages = false;
  std::optional<double> bulge_correction;
  std::optional<int> mush_iterations;
};
void add_stack_options(CLI::App& app, StackFlags& flags);
// The same, and stage options that have their own flag.
void add_stage_options(CLI::App& app, StackFlags& flags);
// Errc::usage says what is wrong with the stack.
Result<DeformOptions> deform_options(const std::string& method, const StackFlags& flags);
inline constexpr const char* kNormalsHelp =
    "shading, inverse_transpose or exact; no effect with direct_delta_mush or after a posed stage, where "
    "normals are measured, or in .pc2 and .mdd, which hold none";
void add_report_option(CLI::App& app, std::string& report);
// Help for --motion.
std::string motion_help();

// The unit of the input, for verbs that write characters in metres.
void add_unit_option(CLI::App& app, std::string& unit);
// Sets it in `run`, if it was given; Errc::usage if it cannot be read.
Status set_unit(const std::string& unit, RunOptions& run);

// A shell as "MESH:N" or "N"; Errc::usage names the option.
Result<ShellChoice> shell_of(const char* option, const std::string& text);
// Which shells bend although they look rigid, for verbs that bind.
void add_soft_option(CLI::App& app, std::vector<std::string>& soft);
Result<SoftShells> soft_shells(const std::vector<std::string>& soft);

// How files are written, for verbs that write characters.
struct SaveFlags {
  std::string weights;
  int max_influences = 0;  // 0: not given
  bool embed = false;
};
void add_save_options(CLI::App& app, SaveFlags& flags);
SaveOptions save_options(const SaveFlags& flags);

// The input of verbs that read every format.
inline constexpr const char* kAnyFile =
    "a character or a mesh: .glb, .fbx, .obj, .bvh and everything 'dermis formats' lists";

// Options of one verb, kept alive by its callback.
template <class Options>
Verb make_verb(CLI::App& app, const char* name, const char* summary, const char* example,
               const std::shared_ptr<Options>& options) {
  CLI::App* verb = app.add_subcommand(name, summary);
  verb->footer(fmt::format("Example:\n  dermis {}", example));
  options->common.verb = name;
  add_common(*verb, options->common);
  return {verb, nullptr};
}

template <class Report>
int finish(const char* verb, const Common& common, const Result<Report>& report) {
  if (!report) return report_error(verb, common, report.error());
  if (Status going = begin_report(); !going) return report_error(verb, common, going.error());
  return print_report(common, *report, wants_text(common) ? to_text(*report) : std::string(), report->notes);
}

// For verbs that judge their own result: a doubt that is not accepted is a failed check.
void add_accept_option(CLI::App& app, bool& accepts);
template <class Report>
int finish_judged(const char* verb, const Common& common, const Result<Report>& report) {
  const int code = finish(verb, common, report);
  if (code != kFine || report->doubt.empty() || report->is_doubt_accepted) return code;
  print_failure(common, fmt::format("{}: {}", report->output, report->doubt));
  return kCheckFailed;
}

}  // namespace dermis::cli
