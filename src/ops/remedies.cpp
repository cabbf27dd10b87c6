// SPDX-License-Identifier: MIT
// Remedies as text: how each option is written as a flag.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dermis/ops/notes.h"
#include "dermis/ops/run.h"

namespace dermis {
namespace {

constexpr const char* kEveryVerb = "*";

constexpr std::array kRemedies{
    // ---- Files ----
    RemedyRow{"max_memory", "--max-memory", "", "raise {}", kEveryVerb, "", true},
    RemedyRow{"force", "--force", "", "use {} to replace it", kEveryVerb, ""},
    RemedyRow{"output", "-o", "FILE", "name it with {}",
              "demo check convert make deform bake rig bind animate weights shapes helpers combine render",
              ""},
    // In rig, --up is the up axis of the body.
    RemedyRow{"up", "--up", "AXIS", "use {} to change that",
              "info check convert deform bake bind animate helpers combine compare weights render",
              "convert"},
    RemedyRow{"unit", "--unit", "UNIT", "use {} to change that", "convert rig", "convert"},
    RemedyRow{"fps", "--fps", "N", "use {} to change that", "info convert compare", "convert"},
    RemedyRow{"fps_of_reader", "--fps", "N", "use {} when reading it", "", ""},
    RemedyRow{"bake_drivers", "--bake-drivers", "", "use {} to write keys for them", "convert", "convert"},
    RemedyRow{"without_bake_drivers", "--bake-drivers", "", "remove {}", "convert", "", true},
    RemedyRow{"cache", "--cache", "FILE", "apply it to its mesh with {}", "", "convert MESH"},
    RemedyRow{"weights", "--weights", "FORMAT", "write all weights as repaired with {}",
              "convert bind rig weights shapes helpers combine", "convert"},
    RemedyRow{"method", "--method", "STACK", "use {}", "deform bake compare render check", "deform"},
    RemedyRow{"fix", "--fix", "", "use {}", "check", "check"},
    RemedyRow{"quality", "--quality", "", "use {} to do it", "check", "check"},
    RemedyRow{"report", "--report", "FILE.html", "see what was found with {}", "rig", ""},
    RemedyRow{"clip", "--clip", "NAME", "choose one with {}",
              "convert deform bake rig animate compare render", ""},
    RemedyRow{"frames", "--cache", "FILE", "read frames with {}", "convert", ""},
    RemedyRow{"fewer_frames", "--fps", "N", "lower {}", "bake", "", true},
    // ---- Options that do not fit the rest of the request ----
    RemedyRow{"without_weights", "--weights", "", "remove {}", "convert make", "", true},
    RemedyRow{"without_max_influences", "--max-influences", "", "remove {}", "convert make", "", true},
    RemedyRow{"without_ascii", "--ascii", "", "remove {}", "convert deform", "", true},
    RemedyRow{"without_embed", "--embed", "", "remove {}", "convert make bind rig animate helpers", "", true},
    RemedyRow{"without_unit", "--unit", "", "remove {}", "convert", "", true},
    RemedyRow{"without_clip", "--clip", "", "remove {}", "convert rig", "", true},
    RemedyRow{"without_fps", "--fps", "", "remove {}", "info convert compare", "", true},
    RemedyRow{"without_time", "--time", "", "remove {}", "compare", "", true},
    RemedyRow{"without_group", "--group", "", "remove {}", "rig", "", true},
    RemedyRow{"without_method", "--method", "", "remove {}", "demo", "", true},
    RemedyRow{"without_scale", "--scale", "", "remove {}", "bind", "", true},
    RemedyRow{"without_no_quality", "--no-quality", "", "remove {}", "check", "", true},
    RemedyRow{"without_joint", "--joint", "", "remove {}", "weights", "", true},
    RemedyRow{"without_shell", "--shell", "", "remove {}", "weights", "", true},
    RemedyRow{"without_region", "--region", "", "remove {}", "weights", "", true},
    RemedyRow{"without_rigid", "--rigid", "", "remove {}", "weights", "", true},
    RemedyRow{"without_columns", "--columns", "", "remove {}", "render", "", true},
    RemedyRow{"without_beside", "--beside", "", "remove {}", "render", "", true},
    // ---- Pictures ----
    RemedyRow{"size", "--size", "WxH", "make its pictures smaller with {}", "render", "", true},
    RemedyRow{"heat_max", "--heat-max", "NUMBER", "set it with {}", "render", ""},
    RemedyRow{"turntable", "--turntable", "SECONDS", "add {}", "render", ""},
    RemedyRow{"film", "--film", "", "add {}", "render", ""},
    // ---- Correctives ----
    RemedyRow{"name", "--name", "NAME", "choose another name with {}", "shapes", "", true},
    RemedyRow{"space", "--space", "NAME", "choose another space with {}", "shapes", "", true},
    RemedyRow{"pose", "--pose", "FILE", "state the pose that was sculpted with {}", "shapes", "", true},
    // ---- Garments ----
    RemedyRow{"transfer", "--transfer", "", "give its meshes the body's weights with {}", "combine", ""},
    // ---- Which weights ----
    RemedyRow{"mesh", "--mesh", "NAME", "choose one with {}", "weights", ""},
    RemedyRow{"shapes_mesh", "--mesh", "NAME", "choose one with {}", "shapes", ""},
    RemedyRow{"source_mesh", "--from", "NAME", "choose the source with {}", "", ""},
    RemedyRow{"select_mesh", "--mesh", "NAME", "select some with {}", "weights", ""},
    RemedyRow{"select_joint", "--joint", "NAME", "select some with {}", "weights", ""},
    RemedyRow{"select_shell", "--shell", "MESH:N", "select some with {}", "weights", ""},
    RemedyRow{"select_region", "--region", "PART", "select some with {}", "weights", ""},
    RemedyRow{"shell", "--shell", "MESH:N", "name it with {}", "weights", ""},
    // ---- Skeletons found ----
    RemedyRow{"body_up", "--up", "AXIS", "use {} to change that", "rig", "rig"},
    RemedyRow{"front", "--front", "AXIS", "use {} to change that", "rig", "rig"},
    RemedyRow{"template", "--template", "NAME", "use {} to change that", "rig", "rig"},
    RemedyRow{"no_mirror", "--no-mirror", "", "use {} to find them instead", "rig", "rig"},
    RemedyRow{"marker", "--marker", "JOINT=X,Y,Z", "use {} to change that", "rig", "rig", true},
    // ---- Helper joints ----
    RemedyRow{"auto_helpers", "--auto", "", "have them proposed with {}", "helpers", ""},
    // ---- Binding ----
    RemedyRow{"skeleton", "--skeleton", "FILE", "use {}", "bind", "bind MESH"},
    RemedyRow{"scale", "--scale", "FACTOR", "use {} to change that", "bind", "bind"},
    RemedyRow{"no_fit", "--no-fit", "", "use {} to keep it as it lies", "bind", "bind"},
    RemedyRow{"soft", "--soft", "MESH:N", "use {} to let one bend", "bind rig", "bind"},
    RemedyRow{"cell", "--cell", "LENGTH", "choose their size with {}", "bind", "bind", true},
    RemedyRow{"cells", "--cells", "N", "choose their number with {}", "bind", "bind", true},
    // ---- Motion ----
    RemedyRow{"motion", "--motion", "FILE", "add {}", "rig", ""},
    RemedyRow{"map", "--map", "FILE", "assign the joints with {}", "animate", "animate"},
    RemedyRow{"save_map", "--save-map", "FILE", "see which joint follows which with {}", "animate",
              "animate"},
    // The up axis of the motion, in a verb whose own --up is that of the body.
    RemedyRow{"motion_up", "--up", "AXIS", "use {} to change that", "animate", "animate"},
};

const RemedyRow* remedy_row(std::span<const RemedyRow> rows, std::string_view option) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const RemedyRow& row) { return option == row.option; });
  return found == rows.end() ? nullptr : &*found;
}

// Whether the first word of `verb` is in a list of words.
bool has_verb(std::string_view verbs, std::string_view verb) {
  if (verbs == kEveryVerb) return true;
  verb = verb.substr(0, verb.find(' '));
  while (!verbs.empty()) {
    const std::size_t end = std::min(verbs.find(' '), verbs.size());
    if (verbs.substr(0, end) == verb) return true;
    verbs.remove_prefix(std::min(end + 1, verbs.size()));
  }
  return false;
}

// "--up z", or "'dermis animate --up z'" for a verb that has no such flag.
std::string flag_words(const RemedyRow& row, const Remedy& remedy, std::string_view verb) {
  const std::string value = remedy.value.empty() ? std::string(row.placeholder) : shell_word(remedy.value);
  const std::string flag = fmt::format("{}{}{}", row.flag, value.empty() ? "" : " ", value);
  const bool is_plain = *row.elsewhere == '\0' || has_verb(row.verbs, verb);
  return is_plain ? flag : fmt::format("'dermis {} {}'", row.elsewhere, flag);
}

// "a", "a or b", "a, b or c".
std::string listed_with_or(const std::vector<std::string>& list) {
  std::string text;
  for (std::size_t k = 0; k < list.size(); ++k)
    text += (k == 0 ? "" : k + 1 == list.size() ? " or " : ", ") + list[k];
  return text;
}

}  // namespace

std::span<const RemedyRow> remedy_rows() { return kRemedies; }

Remedies untried(Remedies remedies, std::span<const std::string> words, std::span<const RemedyRow> rows) {
  if (words.size() < 2) return remedies;
  const auto is_tried = [&](const Remedy& remedy) {
    const RemedyRow* row = remedy_row(rows, remedy.option);
    if (row == nullptr || row->helps_again || !has_verb(row->verbs, words[1])) return false;
    const std::string_view flag = row->flag;
    for (std::size_t k = 2; k < words.size(); ++k) {
      const std::string_view word = words[k];
      const bool is_joined = word.size() > flag.size() && word.starts_with(flag) && word[flag.size()] == '=';
      if (word != flag && !is_joined) continue;
      const std::string_view value = is_joined              ? word.substr(flag.size() + 1)
                                     : k + 1 < words.size() ? std::string_view(words[k + 1])
                                                            : std::string_view();
      if (remedy.value.empty() || remedy.value == value) return true;
    }
    return false;
  };
  std::erase_if(remedies, is_tried);
  return remedies;
}

std::string remedy_words(const Remedies& remedies, std::string_view verb, std::span<const RemedyRow> rows) {
  // Flags with the same words are listed together.
  struct Group {
    std::string_view words;
    std::vector<std::string> flags;
  };
  std::vector<Group> groups;
  for (const Remedy& remedy : remedies) {
    const RemedyRow* row = remedy_row(rows, remedy.option);
    if (row == nullptr) continue;
    if (groups.empty() || groups.back().words != row->words) groups.push_back({row->words, {}});
    groups.back().flags.push_back(flag_words(*row, remedy, verb));
  }
  std::vector<std::string> said;
  said.reserve(groups.size());
  for (const Group& group : groups)
    said.push_back(fmt::format(fmt::runtime(group.words), listed_with_or(group.flags)));
  return listed_with_or(said);
}

std::string words_of(const Note& note, std::string_view verb) {
  const std::string words = remedy_words(note.remedies, verb);
  return words.empty() ? note.sentence : fmt::format("{}; {}", note.sentence, words);
}

std::string words_of(const Error& error, std::string_view verb) {
  const std::string words = remedy_words(error.remedies, verb);
  return words.empty() ? error.sentence : fmt::format("{}; {}", error.sentence, words);
}

Remedies remedies_of(const Finding& finding) {
  Remedies remedies = finding.remedies;
  if (finding.is_mendable) remedies.push_back({"fix"});
  return remedies;
}

std::string advice_of(const Finding& finding, std::string_view verb) {
  const std::string words = remedy_words(remedies_of(finding), verb);
  return words.empty() ? finding.advice : fmt::format("{}, or {}", finding.advice, words);
}

}  // namespace dermis
