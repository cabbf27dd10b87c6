// SPDX-License-Identifier: MIT
// The table of deformers, and the stacks people write with their names.
#include <fmt/format.h>

#include <vector>

#include "dermis/ops.h"

namespace dermis {
namespace {

constexpr MethodRow kMethods[] = {
    {SkinMethod::rigid, "rigid",
     "each point with its heaviest joint; keeps distances in a piece, cracks between pieces",
     "Catmull 1972, A system for computer generated movies"},
    {SkinMethod::lbs, "lbs",
     "linear blend of the joints' matrices; smooth and fast, loses volume when joints twist or bend far",
     "Magnenat-Thalmann, Laperriere, Thalmann 1988, Joint-dependent local deformations for hand animation"},
};

std::vector<std::string_view> split(std::string_view stack) {
  std::vector<std::string_view> names;
  while (true) {
    const std::size_t comma = stack.find(',');
    names.push_back(stack.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    stack.remove_prefix(comma + 1);
  }
}

std::string known_names() {
  std::string names;
  for (const MethodRow& row : kMethods) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

}  // namespace

std::span<const MethodRow> methods() { return kMethods; }

Result<SkinMethod> parse_method(std::string_view stack) {
  std::optional<SkinMethod> method;
  bool has_shapes = false;
  for (const std::string_view name : split(stack)) {
    if (name == "shapes") {
      if (method) {
        return Error{
            Errc::usage,
            fmt::format("method '{}': shapes move the rest pose, so they stand before the skinning", stack)};
      }
      if (has_shapes) return Error{Errc::usage, fmt::format("method '{}': names shapes twice", stack)};
      has_shapes = true;
      continue;
    }
    const MethodRow* found = nullptr;
    for (const MethodRow& row : kMethods) found = name == row.name ? &row : found;
    if (found == nullptr) {
      return Error{Errc::usage, fmt::format("there is no method '{}'; known are {}", name, known_names())};
    }
    if (method)
      return Error{Errc::usage, fmt::format("method '{}': has two skinning stages; one is enough", stack)};
    method = found->method;
  }
  if (!method)
    return Error{Errc::usage,
                 fmt::format("method '{}': needs a skinning stage, one of {}", stack, known_names())};
  return *method;
}

Result<NormalMode> parse_normal_mode(std::string_view name) {
  if (name == "shading") return NormalMode::shading;
  if (name == "inverse_transpose") return NormalMode::inverse_transpose;
  if (name == "exact") return NormalMode::exact;
  return Error{Errc::usage,
               fmt::format("normals '{}': known are shading, inverse_transpose and exact", name)};
}

}  // namespace dermis
