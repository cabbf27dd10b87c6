// SPDX-License-Identifier: MIT
// The verb notes on the command line: what every note means, and the flag of every remedy.
#include "verb.h"

namespace dermis::cli {
namespace {

std::string note_tables() {
  std::string text = "| note | kind | severity | meaning |\n|---|---|---|---|\n";
  for (const NoteRow& row : note_rows())
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.id, name_of(row.kind), name_of(row.severity),
                        row.meaning);
  text += "\n| remedy | flag | verbs |\n|---|---|---|\n";
  for (const RemedyRow& row : remedy_rows()) {
    const std::string_view verbs = row.verbs;
    text += fmt::format("| `{}` | `{}` | {} |\n", row.option, row.flag,
                        verbs == "*"    ? "all"
                        : verbs.empty() ? *row.elsewhere == '\0' ? "the verb that reads it" : row.elsewhere
                                        : row.verbs);
  }
  return text;
}

}  // namespace

Verb add_notes(CLI::App& app) {
  struct Options {
    Common common;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "notes", "the table of notes and remedies", "notes", options);
  verb.run = [options] {
    print_to(stdout, options->common.json ? notes_json() + "\n" : note_tables());
    return static_cast<int>(kFine);
  };
  return verb;
}

}  // namespace dermis::cli
