// SPDX-License-Identifier: MIT
// The stages that can be named in a stack, and stacks as words.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"

namespace dermis {

// When a stage of a stack works: on the rest pose, from it to the posed points, or on those.
enum class StackPhase { rest, skin, posed };
const char* name_of(StackPhase phase);

// One stage the user can name in a stack. Help, documents and errors come from this table.
struct MethodRow {
  const char* name;  // one spelling everywhere
  StackPhase phase;
  std::optional<SkinMethod> skin;  // what the name stands for; of shapes, neither
  std::optional<PosedStage> posed;
  const char* keeps;
  const char* breaks;             // where it breaks
  const char* scalars_per_joint;  // numbers that a pose gives it
  const char* cost;               // in E, the time of a plain Eigen loop of lbs; see `dermis bench`
  const char* paper;
};
std::span<const MethodRow> methods();
// "rigid, lbs, ...": the names of one phase.
std::string method_names(StackPhase phase);

// "lbs", "shapes,dqs,delta_mush": stage names joined by commas (blanks around them do not count), in the
// order of their phases, each once, with one that skins. The file's shapes always come first, named or not.
// Errc::usage says what is wrong with it.
Result<Stack> parse_stack(std::string_view text);
// Each method that skins, and lbs with each posed stage.
std::vector<Stack> every_stack();
// The name that gives the stack back: "dqs,delta_mush".
std::string name_of(const Stack& stack);
// "shading", "inverse_transpose", "exact".
Result<NormalMode> parse_normal_mode(std::string_view name);
const char* name_of(NormalMode mode);

}  // namespace dermis
