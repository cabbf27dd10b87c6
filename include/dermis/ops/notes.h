// SPDX-License-Identifier: MIT
// Notes and remedies as text: what every id means, and which flag of the command each remedy is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/measure.h"

namespace dermis {

// ---- Note ids -----------------------------------------------------------------------------------------

// The rows of all rooms, by id. `more` are rows from elsewhere, such as another program.
std::vector<NoteRow> note_rows(std::span<const NoteRow> more = {});
// The row of an id with this kind, or null.
const NoteRow* find_note(std::span<const NoteRow> rows, std::string_view id, Note::Kind kind);
// From the row of the note; for a note without a row, from its kind.
Severity severity_of(const Note& note);

// The tables of notes and remedies, as JSON.
std::string notes_json();

// ---- Remedies -----------------------------------------------------------------------------------------

// A remedy as a flag of the command.
struct RemedyRow {
  const char* option;       // as notes and errors name it: "max_memory"
  const char* flag;         // "--max-memory"
  const char* placeholder;  // shown for the value if none is suggested: "AXIS"; empty: none is shown
  const char* words;        // with {} for the flag: "raise {}"
  const char* verbs;        // that have the flag with this meaning; "*": all, empty: none
  const char*
      elsewhere;  // for the other verbs, the verb that has it: "animate"; empty: only the flag is shown
  bool helps_again = false;  // also if it has been used: "raise {}", "remove {}"
};
std::span<const RemedyRow> remedy_rows();
// The remedies that the words of a command ("dermis", "rig", "body.obj", "--template", "extract") do not use
// already: with the suggested value or, if none is suggested, with any.
Remedies untried(Remedies remedies, std::span<const std::string> words,
                 std::span<const RemedyRow> rows = remedy_rows());

// "use --up z or --front AXIS to change that": remedies for a user of `verb` ("rig", "weights limit"); empty
// if there are none. Options without a row are left out.
std::string remedy_words(const Remedies& remedies, std::string_view verb,
                         std::span<const RemedyRow> rows = remedy_rows());

// Sentences with their remedies, for people.
std::string words_of(const Note& note, std::string_view verb);
std::string words_of(const Error& error, std::string_view verb);
// What to do about a finding.
std::string advice_of(const Finding& finding, std::string_view verb);
// The remedies of its note, and --fix.
Remedies remedies_of(const Finding& finding);

}  // namespace dermis
