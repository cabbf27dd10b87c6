// SPDX-License-Identifier: MIT
// Notes and remedies in words: what every id means, and how the command names every remedy.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/measure.h"

namespace dermis {

// ---- Note ids -----------------------------------------------------------------------------------------

// The rows of all rooms, by id. `more` are rows from elsewhere, such as a program of its own.
std::vector<NoteRow> note_rows(std::span<const NoteRow> more = {});
// The row of an id that is told with this kind, or null.
const NoteRow* find_note(std::span<const NoteRow> rows, std::string_view id, Note::Kind kind);
// As the row of the note says; of a note without a row, as its kind.
Severity severity_of(const Note& note);

// The tables of notes and remedies, as JSON.
std::string notes_json();

// ---- Remedies -----------------------------------------------------------------------------------------

// How the command says a remedy.
struct RemedyRow {
  const char* option;       // as notes and errors name it: "max_memory"
  const char* flag;         // "--max-memory"
  const char* placeholder;  // stands for the value where none is suggested: "AXIS"; empty: none is shown
  const char* words;        // around the flag, which stands for {}: "raise {}"
  const char* verbs;        // that have the flag in this meaning; "*": all of them, empty: none is meant
  const char* elsewhere;    // for the other verbs, the call that has it: "animate"; empty: the bare flag
};
std::span<const RemedyRow> remedy_rows();

// "use --up z or --front AXIS to change that": remedies for who called `verb` ("rig", "weights limit"); empty
// without any. Options without a row are left out.
std::string remedy_words(const Remedies& remedies, std::string_view verb,
                         std::span<const RemedyRow> rows = remedy_rows());

// Sentences with their remedies, as people read them.
std::string words_of(const Note& note, std::string_view verb);
std::string words_of(const Error& error, std::string_view verb);
// What to do about a finding.
std::string advice_of(const Finding& finding, std::string_view verb);
// Those of its note, and mending.
Remedies remedies_of(const Finding& finding);

}  // namespace dermis
