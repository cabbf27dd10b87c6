// SPDX-License-Identifier: MIT
// The tables of rules, methods, motions and formats as Markdown and text.
#include <fmt/format.h>

#include "cli.h"

namespace dermis::cli {

std::string check_tables() {
  std::string text = "| finding | severity | meaning | what to do | --fix |\n|---|---|---|---|---|\n";
  for (const CheckRule& rule : check_rules()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", rule.id, name_of(rule.severity), rule.meaning,
                        rule.advice, rule.mending);
  }
  text += "\n| profile | requires | documented in |\n|---|---|---|\n";
  for (const CheckProfile& profile : check_profiles())
    text += fmt::format("| `{}` | {} | {} |\n", profile.name, profile.rules, profile.source);
  return text;
}

std::string method_table() {
  std::string text =
      "| stage | phase | options | keeps | breaks | scalars per joint | cost | paper "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const StageRow& row : methods()) {
    std::string options;
    for (const StageOption& option : row.options) {
      options += fmt::format("{}`{}`, {:g} to {:g}{}", options.empty() ? "" : "; ", option.name, option.least,
                             option.most, option.fallback ? fmt::format(" ({:g})", *option.fallback) : "");
    }
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", row.name, name_of(row.phase),
                        options, row.keeps, row.breaks, row.scalars_per_joint, row.cost, row.paper);
  }
  return text;
}

std::string bind_method_table() {
  std::string text = "| method | idea | suits | limits | paper |\n|---|---|---|---|---|\n";
  for (const BindMethodRow& row : bind_methods())
    text +=
        fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, row.idea, row.suits, row.limits, row.paper);
  return text;
}

std::string motion_table() {
  std::string text = "| motion | what it is |\n|---|---|\n";
  for (const MadeMotionRow& row : made_motions())
    text += fmt::format("| `{}` | {} |\n", row.name, row.summary);
  return text;
}

std::string role_table() {
  std::string text = "| role | joints | found by |\n|---|---|---|\n";
  for (const RoleRow& row : joint_roles()) {
    const std::string_view words = row.words;
    text += fmt::format("| `{}` | {} | {} |\n", row.name, row.is_chain ? "several" : "one",
                        words.empty() ? "place" : words);
  }
  return text;
}

std::string format_table() {
  std::string text;
  for (const FormatRow& row : formats()) {
    const std::string_view reads = row.reads, writes = row.writes;
    text += fmt::format("{}\n  {}\n  reads:  {}\n  writes: {}\n  limits: {}\n", row.name, row.extensions,
                        reads.empty() ? "-" : reads, writes.empty() ? "-" : writes, row.limits);
  }
  return text;
}

}  // namespace dermis::cli
