// SPDX-License-Identifier: MIT
// The stages of a stack, and stacks as text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"

namespace dermis {

// The one table of stages: the rows of all rooms, in the order of their phases. Help, documents, errors, the
// benchmark and the demo use it.
std::span<const StageRow> methods();
// The table as JSON.
std::string methods_json();
// "rigid, lbs, ...": the names of one phase.
std::string method_names(StagePhase phase);

// "lbs", "dqs,delta_mush:iterations=20": read_stack of methods(). Rest stages for which the file has data
// come first, whether named or not (DeformOptions::adds_rest_stages).
Result<Stack> parse_stack(std::string_view text);
// Each method that skins, and lbs with each posed stage.
std::vector<Stack> every_stack();
// "shading", "inverse_transpose", "exact".
Result<NormalMode> parse_normal_mode(std::string_view name);
const char* name_of(NormalMode mode);

}  // namespace dermis
