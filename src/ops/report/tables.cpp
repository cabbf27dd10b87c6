// SPDX-License-Identifier: MIT
// The tables of methods, formats and rules, described like reports.
#include "ops/report/tables.h"

#include "dermis/io.h"
#include "dermis/made.h"
#include "dermis/measure.h"
#include "dermis/motion.h"
#include "dermis/ops/animate.h"
#include "dermis/ops/bind.h"
#include "dermis/ops/convert.h"
#include "dermis/ops/inspect.h"
#include "dermis/ops/methods.h"
#include "dermis/ops/notes.h"

namespace dermis {
namespace {

constexpr const char* kNoNotes = "empty: a table has nothing to add";

}  // namespace

void describe_methods(ReportFields& fields) {
  fields.add_list("methods", methods(), "the stages of a stack", {}, [&](const StageRow& row) {
    fields.add("name", row.name, "as used in --method");
    fields.add_choice("phase", row.phase, {StagePhase::rest, StagePhase::skin, StagePhase::posed},
                      "when it runs: on the rest pose, from rest to posed points, or on posed points");
    fields.add_list("options", row.options, "options after its name, as in delta_mush:iterations=20", {},
                    [&](const StageOption& option) {
                      fields.add("name", option.name, "as it is written");
                      fields.add("type", option.type == StageOption::Type::count ? "count" : "number",
                                 "a whole number, or any number");
                      fields.add("least", option.least, "the smallest value");
                      fields.add("most", option.most, "the largest value");
                      fields.add("default", option.fallback, "null: depends on the mesh");
                      fields.add("help", option.help, "what it does");
                    });
    fields.add("needs_surface", row.traits.needs_surface, "it changes nothing without polygons");
    fields.add("measures_normals", row.traits.measures_normals, "normals are measured after it");
    fields.add("is_sequential", row.traits.is_sequential, "it must see the frames of a clip in order");
    fields.add("keeps", row.keeps, "what it keeps");
    fields.add("breaks", row.breaks, "what it breaks");
    fields.add("scalars_per_joint", row.scalars_per_joint, "numbers per joint and pose");
    fields.add("cost", row.cost, "in E, the time of a plain Eigen loop of lbs");
    fields.add("paper", row.paper, "where it is published");
  });
  fields.add("notes", Notes{}, kNoNotes);
}

void describe_bind_methods(ReportFields& fields) {
  fields.add_list("methods", bind_methods(), "the binding methods, the default first", {},
                  [&](const BindMethodRow& row) {
                    fields.add("name", row.name, "as used in --method");
                    fields.add("idea", row.idea, "how it works");
                    fields.add("suits", row.suits, "what it is good for");
                    fields.add("limits", row.limits, "what it is not good for");
                    fields.add("paper", row.paper, "where it is published");
                  });
  fields.add("notes", Notes{}, kNoNotes);
}

void describe_formats(ReportFields& fields) {
  fields.add_list("formats", formats(), "the file formats", {}, [&](const FormatRow& row) {
    fields.add("name", row.name, "its usual name");
    fields.add("extensions", row.extensions, "separated by spaces");
    fields.add("reads", row.reads, "what is read; empty: nothing");
    fields.add("writes", row.writes, "what is written; empty: nothing");
    fields.add("limits", row.limits, "what it cannot store, or what is left out");
  });
  fields.add("notes", Notes{}, kNoNotes);
}

void describe_notes(ReportFields& fields) {
  fields.add_list("ids", note_rows(), "all kinds of notes", {}, [&](const NoteRow& row) {
    fields.add("id", row.id, "stable, for scripts");
    fields.add_choice("kind", row.kind,
                      {Note::Kind::info, Note::Kind::guess, Note::Kind::repair, Note::Kind::loss},
                      "a fact, an assumption, repaired data, or something that was lost");
    fields.add_choice("severity", row.severity, {Severity::info, Severity::warning, Severity::error},
                      "how much it matters");
    fields.add("meaning", row.meaning, "what it means");
  });
  fields.add_list("remedies", remedy_rows(), "what notes and errors suggest", {}, [&](const RemedyRow& row) {
    fields.add("option", row.option, "as notes and errors name it");
    fields.add("flag", row.flag, "as used in the command");
  });
  fields.add("notes", Notes{}, kNoNotes);
}

void describe_check_rules(ReportFields& fields) {
  fields.add_list("rules", check_rules(), "all kinds of findings", {}, [&](const CheckRule& rule) {
    fields.add("id", rule.id, "stable, for scripts");
    fields.add_choice("severity", rule.severity, {Severity::info, Severity::warning, Severity::error},
                      "unless a limit or a profile changes it");
    fields.add("meaning", rule.meaning, "what is wrong");
    fields.add("advice", rule.advice, "what to do");
    fields.add("mending", rule.mending, "what `dermis check --fix` does about it; empty: nothing");
  });
  fields.add_list("profiles", check_profiles(), "targets to check a file against", {},
                  [&](const CheckProfile& profile) {
                    fields.add("name", profile.name, "as used in --profile");
                    fields.add("rules", profile.rules, "what it requires");
                    fields.add("max_influences", profile.max_influences, "joints per point; 0: any number");
                    fields.add("source", profile.source, "where it is documented");
                  });
  fields.add("notes", Notes{}, kNoNotes);
}

void describe_motions(ReportFields& fields) {
  fields.add_list("motions", made_motions(), "the built-in motions", {}, [&](const MadeMotionRow& row) {
    fields.add("name", row.name, "as used in --motion");
    fields.add("summary", row.summary, "what it is");
  });
  fields.add("notes", Notes{}, kNoNotes);
}

void describe_roles(ReportFields& fields) {
  fields.add_list("roles", joint_roles(), "what joints can be in a map", {}, [&](const RoleRow& row) {
    fields.add("name", row.name, "as used in maps");
    fields.add("is_chain", row.is_chain, "several joints in a chain may have it");
    fields.add("words", row.words, "words in names of such joints; empty: found by position only");
  });
  fields.add("notes", Notes{}, kNoNotes);
}

std::string methods_json() { return described_json("methods", describe_methods); }

std::string bind_methods_json() { return described_json("bind", describe_bind_methods); }

std::string formats_json() { return described_json("formats", describe_formats); }

std::string notes_json() { return described_json("notes", describe_notes); }

std::string check_rules_json() { return described_json("check", describe_check_rules); }

std::string motions_json() { return described_json("animate", describe_motions); }

std::string roles_json() { return described_json("animate", describe_roles); }

}  // namespace dermis
