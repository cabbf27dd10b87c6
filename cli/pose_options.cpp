// SPDX-License-Identifier: MIT
// The options that say where a character stands and how it is skinned.
#include <cmath>

#include "verb.h"

namespace dermis::cli {

void add_pose_options(CLI::App& app, PoseOptions& options) {
  app.add_option("--clip", options.clip, "clip by name or number; without it the file's rest pose");
  app.add_option("--time", options.time, "seconds; outside the clip its first or last key holds (default 0)")
      ->needs("--clip");
  app.add_option("--pose", options.pose_file, "pose file, laid over the clip");
  app.add_option("--shape", options.shapes, "NAME=WEIGHT, as often as needed")
      ->take_all()
      ->allow_extra_args(false);
}

Result<PoseChoice> pose_choice(const PoseOptions& options) {
  PoseChoice choice;
  if (options.clip && options.clip->empty())
    return Error{Errc::usage, "--clip: is empty; give a name or a number"};
  if (options.time && !std::isfinite(*options.time))
    return Error{Errc::usage, "--time: is not a finite number of seconds"};
  choice.clip = options.clip.value_or("");
  choice.time = options.time.value_or(0);
  choice.pose_file = options.pose_file;
  for (const std::string& text : options.shapes) {
    const std::size_t equals = text.rfind('=');
    float weight = 0;
    if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), weight)) {
      return Error{Errc::usage, fmt::format("--shape '{}': write it as NAME=WEIGHT, as in smile=0.5", text)};
    }
    if (!std::isfinite(weight))
      return Error{Errc::usage, fmt::format("--shape '{}': the weight is not finite", text)};
    choice.shapes.push_back({text.substr(0, equals), weight});
  }
  return choice;
}

std::string method_help() {
  return fmt::format(
      "stages joined by commas, in this order: {} (always first, named or not); one of {}; {}. See dermis "
      "methods",
      method_names(StackPhase::rest), method_names(StackPhase::skin), method_names(StackPhase::posed));
}

}  // namespace dermis::cli
