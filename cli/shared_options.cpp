// SPDX-License-Identifier: MIT
// Options that several verbs share: the pose of a character, how it is skinned, how it is saved.
#include <cmath>

#include "verb.h"

namespace dermis::cli {

void add_pose_options(CLI::App& app, PoseOptions& options) {
  app.add_option("--clip", options.clip, "clip, by name or number (default: the file's rest pose)");
  app.add_option("--time", options.time,
                 "seconds; outside the clip, its first or last key is used (default 0)")
      ->needs("--clip");
  app.add_option("--pose", options.pose_file, "pose file, applied on top of the clip");
  app.add_option("--shape", options.shapes, "a shape and its weight, smile=0.5; repeatable")
      ->type_name("NAME=WEIGHT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--control", options.controls, "a control and its value, breathe=1; repeatable")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

namespace {

// NAME=NUMBER, as in `example`; a name may contain "=".
Result<NamedValue> named_value(const char* option, const std::string& text, const char* number_name,
                               const char* example) {
  const std::size_t equals = text.rfind('=');
  float value = 0;
  if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), value))
    return Error{Errc::usage,
                 fmt::format("{} '{}': write it as {}, as in {}", option, text,
                             option == std::string_view("--shape") ? "NAME=WEIGHT" : "NAME=VALUE", example)};
  if (!std::isfinite(value))
    return Error{Errc::usage, fmt::format("{} '{}': the {} is not finite", option, text, number_name)};
  return NamedValue{text.substr(0, equals), value};
}

}  // namespace

Result<PoseChoice> pose_choice(const PoseOptions& options) {
  PoseChoice choice;
  if (options.clip && options.clip->empty())
    return Error{Errc::usage, "--clip is empty; give a name or a number"};
  if (options.time && !std::isfinite(*options.time))
    return Error{Errc::usage, "--time is not a finite number of seconds"};
  choice.clip = options.clip.value_or("");
  choice.time = options.time.value_or(0);
  choice.pose_file = options.pose_file;
  for (const std::string& text : options.shapes) {
    Result<NamedValue> shape = named_value("--shape", text, "weight", "smile=0.5");
    if (!shape) return shape.error();
    choice.shapes.push_back(std::move(*shape));
  }
  for (const std::string& text : options.controls) {
    Result<NamedValue> control = named_value("--control", text, "value", "breathe=1");
    if (!control) return control.error();
    choice.controls.push_back(std::move(*control));
  }
  return choice;
}

std::string method_help() {
  return fmt::format(
      "stages joined by commas, in this order: {} (added if the file has data for it); one of {}; {}. "
      "Options follow after a colon: delta_mush:iterations=20. See dermis methods",
      method_names(StagePhase::rest), method_names(StagePhase::skin), method_names(StagePhase::posed));
}

Result<ShellChoice> shell_of(const char* option, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string number = colon == std::string::npos ? text : text.substr(colon + 1);
  ShellChoice shell;
  if (colon != std::string::npos) shell.mesh = text.substr(0, colon);
  if (!CLI::detail::lexical_cast(number, shell.shell) || shell.shell < 0 || colon == 0)
    return Error{Errc::usage,
                 fmt::format("{} '{}': write its number, or MESH:NUMBER, as in coat:3", option, text)};
  return shell;
}

void add_soft_option(CLI::App& app, std::vector<std::string>& soft) {
  app.add_option(
         "--soft", soft,
         "this connected piece of a mesh bends although it looks rigid, numbered from 0 by its lowest "
         "point; or all; repeatable")
      ->type_name("[MESH:]N|all")
      ->take_all()
      ->allow_extra_args(false);
}

Result<SoftShells> soft_shells(const std::vector<std::string>& soft) {
  SoftShells chosen;
  for (const std::string& text : soft) {
    if (text == "all") {
      chosen.all = true;
      continue;
    }
    Result<ShellChoice> shell = shell_of("--soft", text);
    if (!shell) return shell.error();
    chosen.shells.push_back(std::move(*shell));
  }
  return chosen;
}

void add_stack_options(CLI::App& app, StackFlags& flags) {
  app.add_flag("--no-rest-stages", flags.has_no_rest_stages,
               "skip rest stages that --method does not name, such as the file's shapes");
}

void add_stage_options(CLI::App& app, StackFlags& flags) {
  add_stack_options(app, flags);
  app.add_option("--bulge-correction", flags.bulge_correction,
                 "as dqs:bulge_correction in --method: how much of the bulge of bent joints is removed, 0 to "
                 "1 (default 0)")
      ->check(from_to(0, 1));
  app.add_option("--mush-iterations", flags.mush_iterations,
                 "as delta_mush:iterations in --method: smoothing steps, 0 to 1,000 (default: 10, or fewer "
                 "if that reaches beyond 3 % of the mesh)")
      ->check(from_to(0, 1000));
}

Result<DeformOptions> deform_options(const std::string& method, const StackFlags& flags) {
  Result<Stack> stack = parse_stack(method);
  if (!stack) return stack.error();
  DeformOptions options{std::move(*stack)};
  options.adds_rest_stages = !flags.has_no_rest_stages;
  if (flags.bulge_correction)
    options.settings.push_back({"dqs", "bulge_correction", *flags.bulge_correction});
  if (flags.mush_iterations)
    options.settings.push_back({"delta_mush", "iterations", static_cast<double>(*flags.mush_iterations)});
  return options;
}

void add_report_option(CLI::App& app, std::string& report) {
  app.add_option("--report", report, "also write a report with pictures: one self-contained .html file");
}

void add_accept_option(CLI::App& app, bool& accepts) {
  app.add_flag("--accept", accepts, "take a doubtful result: exit code 0 instead of 3");
}

void add_unit_option(CLI::App& app, std::string& unit) {
  app.add_option(
      "--unit", unit,
      fmt::format("what a unit of length of the input means: {}, or metres as a number (default: as "
                  "the file states, or guessed); .glb and .gltf are written in metres, other "
                  "formats keep the numbers",
                  unit_symbols()));
}

Status set_unit(const std::string& unit, RunOptions& run) {
  if (unit.empty()) return Done{};
  const Result<double> metres = parse_unit(unit);
  if (!metres) return metres.error();
  run.metres_per_unit = *metres;
  return Done{};
}

void add_save_options(CLI::App& app, SaveFlags& flags) {
  app.add_option("--weights", flags.weights, "rewrite weights as u8, u16 or float")
      ->check(CLI::IsMember({"u8", "u16", "float"}));
  app.add_option("--max-influences", flags.max_influences, "keep at most this many joints per point")
      ->check(from_to(1, 256));
  app.add_flag("--embed", flags.embed, ".gltf only: store buffers inside the file");
}

SaveOptions save_options(const SaveFlags& flags) {
  SaveOptions save;
  if (flags.weights == "u8") save.weights = WeightFormat::unorm8;
  if (flags.weights == "u16") save.weights = WeightFormat::unorm16;
  if (flags.weights == "float") save.weights = WeightFormat::float32;
  save.max_influences = flags.max_influences;
  save.embed_buffers = flags.embed;
  return save;
}

std::string motion_help() {
  std::string names;
  for (const MadeMotionRow& row : made_motions())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return fmt::format("a file with a clip (.bvh, .glb, .fbx and the like), or a built-in motion: {}", names);
}

}  // namespace dermis::cli
