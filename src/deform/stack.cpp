// SPDX-License-Identifier: MIT
// Stacks: their text form, their rules, and what a character adds to them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "dermis/deform.h"

namespace dermis {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// ---- Options ------------------------------------------------------------------------------------------

const StageOption* option_named(const StageRow& row, std::string_view name) {
  const auto found = std::find_if(row.options.begin(), row.options.end(),
                                  [&](const StageOption& option) { return name == option.name; });
  return found != row.options.end() ? &*found : nullptr;
}

std::string unknown_option(const StageRow& row, std::string_view name) {
  if (row.options.empty()) return fmt::format("{} has no options, so no {}", row.name, quoted_name(name));
  std::vector<std::string_view> names;
  for (const StageOption& option : row.options) names.emplace_back(option.name);
  return fmt::format("{} has no option {}{}", row.name, quoted_name(name), did_you_mean(name, names));
}

// What is wrong with a value; empty: nothing.
std::string fault_of(const StageRow& row, const StageUse::Value& given) {
  const StageOption* option = option_named(row, given.option);
  if (option == nullptr) return unknown_option(row, given.option);
  const bool is_count = option->type == StageOption::Type::count;
  if (given.value >= option->least && given.value <= option->most &&
      (!is_count || given.value == std::floor(given.value)))
    return {};
  return fmt::format("{} of {} is {:g}; give a {} from {:g} to {:g}", given.option, row.name, given.value,
                     is_count ? "whole number" : "number", option->least, option->most);
}

// "iterations=20".
Result<StageUse::Value> read_value(const StageRow& row, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = trimmed(text.substr(0, equals));
  if (option_named(row, name) == nullptr) return Error{Errc::usage, unknown_option(row, name)};
  const std::string_view digits =
      equals == std::string_view::npos ? std::string_view() : trimmed(text.substr(equals + 1));
  double value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc() || end != digits.data() + digits.size()) {
    return Error{Errc::usage,
                 fmt::format("{} of {} is not a number; write {}:{}=NUMBER", name, row.name, row.name, name)};
  }
  return StageUse::Value{std::string(name), value};
}

// ---- Rules --------------------------------------------------------------------------------------------

std::string names_of(std::span<const StageRow> table, StagePhase phase) {
  std::string names;
  for (const StageRow& row : table) {
    if (row.phase == phase) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return names;
}

// Why `row` cannot follow `before`.
std::string out_of_phase(const StageRow& row, const StageRow& before) {
  if (row.phase == StagePhase::rest)
    return fmt::format("{} moves the rest pose, so it must come before {}", row.name, before.name);
  return fmt::format("{} skins the rest pose, so it must come before {}, which works on the posed one",
                     row.name, before.name);
}

// What is wrong with a stack of `table`; empty: nothing.
std::string fault_of(const Stack& stack, std::span<const StageRow> table) {
  const StageRow* before = nullptr;
  bool has_skin = false;
  for (std::size_t k = 0; k < stack.stages.size(); ++k) {
    const StageUse& use = stack.stages[k];
    const StageRow& row = *use.row;
    const auto is_same = [&](const StageUse& other) { return std::string_view(other.row->name) == row.name; };
    if (std::count_if(stack.stages.begin(), stack.stages.begin() + static_cast<std::ptrdiff_t>(k), is_same) >
        0)
      return fmt::format("names {} twice", row.name);
    if (before != nullptr && row.phase < before->phase) return out_of_phase(row, *before);
    if (row.phase == StagePhase::skin && has_skin)
      return fmt::format("{} and {} both skin; a stack has one skinning stage", before->name, row.name);
    has_skin = has_skin || row.phase == StagePhase::skin;
    for (const StageUse::Value& value : use.values) {
      if (std::string fault = fault_of(row, value); !fault.empty()) return fault;
    }
    before = &row;
  }
  if (!has_skin) return fmt::format("needs a skinning stage, one of {}", names_of(table, StagePhase::skin));
  return {};
}

Error wrong(std::string_view stack, const std::string& why) {
  return {Errc::usage, fmt::format("method '{}': {}", stack, why)};
}

const StageRow* row_named(std::string_view name, std::span<const StageRow> table) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const StageRow& row) { return name == row.name; });
  return found != table.end() ? &*found : nullptr;
}

Error unknown(std::string_view name, std::span<const StageRow> table) {
  std::vector<std::string_view> names;
  for (const StageRow& row : table) names.emplace_back(row.name);
  return {Errc::usage, fmt::format("there is no method {}{}", quoted_name(name), did_you_mean(name, names))};
}

void set_value(StageUse& use, std::string_view option, double value) {
  for (StageUse::Value& given : use.values) {
    if (given.option == option) return;  // the stack's own value takes precedence
  }
  use.values.push_back({std::string(option), value});
}

}  // namespace

const char* name_of(StagePhase phase) {
  switch (phase) {
    case StagePhase::rest:
      return "rest";
    case StagePhase::skin:
      return "skin";
    case StagePhase::posed:
      return "posed";
  }
  return "";
}

std::optional<double> StageUse::value_of(std::string_view option) const {
  for (const Value& given : values) {
    if (given.option == option) return given.value;
  }
  const StageOption* known = option_named(*row, option);
  return known != nullptr ? known->fallback : std::nullopt;
}

bool operator==(const StageUse& a, const StageUse& b) {
  return std::string_view(a.row->name) == b.row->name && a.values == b.values;
}

Result<Stack> read_stack(std::string_view text, std::span<const StageRow> table) {
  Stack stack;
  stack.stages.clear();
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) return wrong(text, "a stage is empty; write stage names joined by commas");
    const std::vector<std::string_view> words = split(part, ':');
    const StageRow* row = row_named(words[0], table);
    if (row == nullptr) return unknown(words[0], table);
    StageUse use{row};
    for (std::size_t k = 1; k < words.size(); ++k) {
      Result<StageUse::Value> value = read_value(*row, words[k]);
      if (!value) return wrong(text, value.error().sentence);
      for (const StageUse::Value& given : use.values) {
        if (given.option == value->option)
          return wrong(text, fmt::format("gives {} of {} twice", value->option, row->name));
      }
      use.values.push_back(std::move(*value));
    }
    stack.stages.push_back(std::move(use));
  }
  if (const std::string fault = fault_of(stack, table); !fault.empty()) return wrong(text, fault);
  return stack;
}

std::string name_of(const Stack& stack) {
  std::string name;
  for (const StageUse& use : stack.stages) {
    name += fmt::format("{}{}", name.empty() ? "" : ",", use.row->name);
    for (const StageUse::Value& given : use.values) name += fmt::format(":{}={}", given.option, given.value);
  }
  return name;
}

Stack deform_stack(std::string_view text) {
  Result<Stack> stack = read_stack(text, deform_stages());
  if (!stack) std::abort();
  return std::move(*stack);
}

Status check_stack(const Stack& stack) {
  const std::string fault = fault_of(stack, deform_stages());
  if (fault.empty()) return Done{};
  return Error{Errc::bad_argument, fmt::format("method '{}': {}", name_of(stack), fault)};
}

const StageRow& skin_row(const Stack& stack) {
  const auto found = std::find_if(stack.stages.begin(), stack.stages.end(),
                                  [](const StageUse& use) { return use.row->phase == StagePhase::skin; });
  if (found == stack.stages.end()) std::abort();
  return *found->row;
}

bool has_phase(const Stack& stack, StagePhase phase) {
  return std::any_of(stack.stages.begin(), stack.stages.end(),
                     [&](const StageUse& use) { return use.row->phase == phase; });
}

bool is_sequential(const Stack& stack) {
  return std::any_of(stack.stages.begin(), stack.stages.end(),
                     [](const StageUse& use) { return use.row->traits.is_sequential; });
}

bool measures_normals(const Stack& stack) {
  return std::any_of(stack.stages.begin(), stack.stages.end(),
                     [](const StageUse& use) { return use.row->traits.measures_normals; });
}

Stack full_stack(const Character& character, const DeformOptions& options) {
  Stack stack = options.stack;
  std::vector<StageUse> added;
  for (const StageRow& row : options.table) {
    if (!options.adds_rest_stages) break;
    const bool is_named = std::any_of(stack.stages.begin(), stack.stages.end(), [&](const StageUse& use) {
      return std::string_view(use.row->name) == row.name;
    });
    if (row.phase != StagePhase::rest || row.has_data == nullptr || is_named) continue;
    for (std::size_t m = 0; m < character.meshes.size(); ++m) {
      if (!row.has_data(character, static_cast<Index>(m))) continue;
      added.push_back({&row});
      break;
    }
  }
  stack.stages.insert(stack.stages.begin(), added.begin(), added.end());
  for (const StageSetting& setting : options.settings) {
    for (StageUse& use : stack.stages) {
      if (setting.stage == use.row->name) set_value(use, setting.option, setting.value);
    }
  }
  return stack;
}

}  // namespace dermis
