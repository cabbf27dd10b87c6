// SPDX-License-Identifier: MIT
// The table of deformers, and the stacks people write with their names.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dermis/ops/methods.h"

namespace dermis {
namespace {

constexpr const char* kScalarsOfRotations = "7, and 6 where joints stretch";

// Costs are those of `dermis bench`: 100,000 points with normals, 64 rigid joints, 4 influences (rigid: 1),
// reordered, one thread; see docs/performance.md.
constexpr MethodRow kMethods[] = {
    {"shapes",
     StackPhase::rest,
     {},
     {},
     "the sculpted shapes, exactly",
     "where shapes were not made together",
     "0",
     "by the points that it moves",
     "Parke 1972, Computer generated animation of faces"},
    {"rigid",
     StackPhase::skin,
     SkinMethod::rigid,
     {},
     "distances, in each piece",
     "cracks between the pieces",
     "12",
     "0.33 E",
     "Catmull 1972, A system for computer generated movies"},
    {"lbs",
     StackPhase::skin,
     SkinMethod::lbs,
     {},
     "straight lines; what engines draw",
     "loses volume: twists collapse, elbows thin out",
     "12",
     "0.42 E",
     "Magnenat-Thalmann, Laperriere, Thalmann 1988, Joint-dependent local deformations for hand animation"},
    {"dqs",
     StackPhase::skin,
     SkinMethod::dqs,
     {},
     "volume in twists; distance to the joint",
     "elbows bulge; flips beyond half a turn",
     "8, and 6 where joints stretch",
     "0.43 E",
     "Kavan, Collins, Zara, O'Sullivan 2008, Geometric skinning with approximate dual quaternion blending"},
    {"quaternion",
     StackPhase::skin,
     SkinMethod::quaternion,
     {},
     "volume, where joints turn about the origin",
     "depends on where the origin is; points leave their joints",
     kScalarsOfRotations,
     "0.40 E",
     "Hejl 2004, Hardware skinning with quaternions"},
    {"log_matrix",
     StackPhase::skin,
     SkinMethod::log_matrix,
     {},
     "even turns from rest to a joint's pose",
     "turning the whole character changes its shape",
     "6, and 6 where joints stretch",
     "0.68 E",
     "Alexa 2002, Linear combination of transformations"},
    {"spherical",
     StackPhase::skin,
     SkinMethod::spherical,
     {},
     "distance to where the joints agree best",
     "jumps where the set of joints changes; elbows bulge",
     kScalarsOfRotations,
     "0.91 E",
     "Kavan, Zara 2005, Spherical blend skinning"},
    {"lbs_dqs",
     StackPhase::skin,
     SkinMethod::lbs_dqs,
     {},
     "what lbs and dqs keep, in each point's share",
     "what both break, in their shares",
     "20, and 6 where joints stretch",
     "0.89 E",
     "Kavan, Sorkine 2012, Elasticity-inspired deformers for character articulation"},
    {"cor",
     StackPhase::skin,
     SkinMethod::cor,
     {},
     "volume in twists, with less of a bulge",
     "flips beyond half a turn; centres belong to the weights",
     "16, and 6 where joints stretch",
     "0.65 E",
     "Le, Hodgins 2016, Real-time skeletal skinning with optimized centers of rotation"},
    {"direct_delta_mush",
     StackPhase::skin,
     SkinMethod::direct_delta_mush,
     {},
     "smooth creases, even with rough weights",
     "twists close as with lbs; widens weights that were painted with care",
     "12, and 10 for each smoothed influence",
     "4.2 E",
     "Le, Lewis 2019, Direct delta mush skinning and variants"},
    {"delta_mush",
     StackPhase::posed,
     {},
     PosedStage::delta_mush,
     "the detail of the rest pose",
     "reaches as far as its iterations; counts edges, not lengths",
     "0",
     "14 E, in ten iterations",
     "Mancewicz, Derksen, Rijpkema, Wilson 2014, Delta Mush: smoothing deformations while preserving detail"},
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view stack) {
  std::vector<std::string_view> names;
  while (true) {
    const std::size_t comma = stack.find(',');
    names.push_back(trimmed(stack.substr(0, comma)));
    if (comma == std::string_view::npos) return names;
    stack.remove_prefix(comma + 1);
  }
}

const MethodRow* row_named(std::string_view name) {
  for (const MethodRow& row : kMethods) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

Error wrong(std::string_view stack, const std::string& why) {
  return {Errc::usage, fmt::format("method '{}': {}", stack, why)};
}

Error unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const MethodRow& row : kMethods) names.emplace_back(row.name);
  return {Errc::usage, fmt::format("there is no method {} (dermis methods lists them all){}",
                                   quoted_name(name), did_you_mean(name, names))};
}

// Why `row` cannot follow `before`.
std::string out_of_phase(const MethodRow& row, const MethodRow& before) {
  if (row.phase == StackPhase::rest)
    return fmt::format("{} moves the rest pose, so it stands before {}", row.name, before.name);
  return fmt::format("{} skins the rest pose, so it stands before {}, which works on the posed one", row.name,
                     before.name);
}

}  // namespace

const char* name_of(StackPhase phase) {
  switch (phase) {
    case StackPhase::rest:
      return "rest";
    case StackPhase::skin:
      return "skin";
    case StackPhase::posed:
      return "posed";
  }
  return "";
}

std::span<const MethodRow> methods() { return kMethods; }

std::string method_names(StackPhase phase) {
  std::string names;
  for (const MethodRow& row : kMethods) {
    if (row.phase == phase) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return names;
}

Result<Stack> parse_stack(std::string_view text) {
  Stack stack;
  const MethodRow* before = nullptr;
  bool has_skin = false;
  std::vector<std::string_view> seen;
  for (const std::string_view name : split(text)) {
    if (name.empty()) return wrong(text, "a stage is empty; write stage names joined by commas");
    const MethodRow* row = row_named(name);
    if (row == nullptr) return unknown(name);
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      return wrong(text, fmt::format("names {} twice", name));
    seen.push_back(name);
    if (before != nullptr && row->phase < before->phase) return wrong(text, out_of_phase(*row, *before));
    if (row->skin) {
      if (has_skin) {
        return wrong(text, fmt::format("{} and {} both skin; a stack has one skinning stage", before->name,
                                       row->name));
      }
      has_skin = true;
      stack.skin = *row->skin;
    }
    if (row->posed) stack.posed.push_back(*row->posed);
    before = row;
  }
  if (!has_skin)
    return wrong(text, fmt::format("needs a skinning stage, one of {}", method_names(StackPhase::skin)));
  return stack;
}

std::vector<Stack> every_stack() {
  std::vector<Stack> stacks;
  for (const MethodRow& row : methods()) {
    if (row.skin) stacks.push_back({*row.skin});
    if (row.posed) stacks.push_back({SkinMethod::lbs, {*row.posed}});
  }
  return stacks;
}

std::string name_of(const Stack& stack) {
  std::string name;
  for (const MethodRow& row : kMethods) {
    if (row.skin == stack.skin) name = row.name;
  }
  for (const PosedStage stage : stack.posed) {
    for (const MethodRow& row : kMethods) {
      if (row.posed == stage) name += fmt::format(",{}", row.name);
    }
  }
  return name;
}

Result<NormalMode> parse_normal_mode(std::string_view name) {
  if (name == "shading") return NormalMode::shading;
  if (name == "inverse_transpose") return NormalMode::inverse_transpose;
  if (name == "exact") return NormalMode::exact;
  return Error{Errc::usage,
               fmt::format("normals '{}': known are shading, inverse_transpose and exact", name)};
}

const char* name_of(NormalMode mode) {
  switch (mode) {
    case NormalMode::shading:
      return "shading";
    case NormalMode::inverse_transpose:
      return "inverse_transpose";
    case NormalMode::exact:
      return "exact";
  }
  return "";
}

}  // namespace dermis
