// SPDX-License-Identifier: MIT
// Tests the table of notes and the words of remedies: every id and remedy in the sources has its row.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "dermis/ops.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

struct Source {
  std::string path;  // "src/io/io.cpp"
  std::string text;  // without comments
};

// Without what follows a // that no quote follows.
std::string without_comments(const std::string& text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    const std::size_t comment = line.rfind("//");
    const bool is_comment = comment != std::string::npos && line.find('"', comment) == std::string::npos;
    kept += is_comment ? line.substr(0, comment) + '\n' : line;
    at = end;
  }
  return kept;
}

// The sources under a folder of the tree, read once.
const std::vector<Source>& sources_in(const std::string& folder) {
  static std::map<std::string, std::vector<Source>> known;
  std::vector<Source>& sources = known[folder];
  if (!sources.empty()) return sources;
  const fs::path root = DERMIS_SOURCE_DIR;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".h") continue;
    sources.push_back(
        {fs::relative(entry.path(), root).string(), without_comments(test::read_text(entry.path()))});
  }
  return sources;
}

bool is_table(const std::string& path) {
  return path.ends_with("/notes.cpp") || path == "src/ops/remedies.cpp" ||
         path == "src/measure/check_rules.cpp";
}

// What every match of `pattern` captures, in all sources but the tables.
template <class Use>
void for_each_match(const std::string& folder, const std::regex& pattern, const Use& use) {
  for (const Source& source : sources_in(folder)) {
    if (is_table(source.path)) continue;
    for (std::sregex_iterator found(source.text.begin(), source.text.end(), pattern), end; found != end;
         ++found)
      use(source.path, *found);
  }
}

bool has_id(std::span<const NoteRow> rows, const std::string& id) {
  return std::any_of(rows.begin(), rows.end(), [&](const NoteRow& row) { return id == row.id; });
}
bool has_rule(const std::string& id) {
  const std::span<const CheckRule> rules = check_rules();
  return std::any_of(rules.begin(), rules.end(), [&](const CheckRule& rule) { return id == rule.id; });
}
const RemedyRow* remedy_row(const std::string& option) {
  const std::span<const RemedyRow> rows = remedy_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const RemedyRow& row) { return option == row.option; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + ' ') {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

// ---- Note ids ----

TEST(NoteTable, HasEveryIdOfTheSources) {
  // Words with dashes that are no ids.
  const std::set<std::string> others{"dermis-import", "demo-out", "finger2-1"};
  const std::vector<NoteRow> rows = note_rows();
  const std::regex dashed("\"([a-z0-9]+(-[a-z0-9]+)+)\"");
  for (const char* folder : {"src", "import", "include"}) {
    for_each_match(folder, dashed, [&](const std::string& path, const std::smatch& match) {
      const std::string id = match[1];
      // Ids of doubts: docs/rigging.md lists them.
      if (path.ends_with("rig/judge.cpp") || path.ends_with("dermis/rig.h")) return;
      EXPECT_TRUE(has_id(rows, id) || has_rule(id) || others.contains(id))
          << path << ": '" << id << "' is in no room's notes() and is no rule of the check";
    });
  }
}

TEST(NoteTable, HasTheKindsOfTheSources) {
  const std::map<std::string, Note::Kind> kinds{{"info", Note::Kind::info},
                                                {"guess", Note::Kind::guess},
                                                {"repair", Note::Kind::repair},
                                                {"loss", Note::Kind::loss}};
  const std::vector<NoteRow> rows = note_rows();
  const std::regex told("(?:Kind::|say\\()(info|guess|repair|loss),\\s*\"([a-z0-9]+(-[a-z0-9]+)*)\"");
  std::size_t count = 0;
  for (const char* folder : {"src", "import"}) {
    for_each_match(folder, told, [&](const std::string& path, const std::smatch& match) {
      ++count;
      EXPECT_NE(find_note(rows, match[2].str(), kinds.at(match[1])), nullptr)
          << path << ": '" << match[2] << "' is told as " << match[1] << ", and has no such row";
    });
  }
  EXPECT_GT(count, 150u) << "the sources tell their notes in another manner now";
}

TEST(NoteTable, HasNoRowThatNobodyTells) {
  std::set<std::string> used;
  const std::regex word("\"([a-z0-9]+(-[a-z0-9]+)*)\"");
  for (const char* folder : {"src", "import"})
    for_each_match(folder, word,
                   [&](const std::string&, const std::smatch& match) { used.insert(match[1]); });
  for (const NoteRow& row : note_rows()) {
    EXPECT_TRUE(used.contains(row.id)) << row.id;
    EXPECT_FALSE(std::string(row.meaning).empty()) << row.id;
    EXPECT_EQ(std::string(row.meaning).find_first_of("|\n"), std::string::npos) << row.id;
  }
}

TEST(NoteTable, IsSortedAndSaysEachIdOncePerKind) {
  const std::vector<NoteRow> rows = note_rows();
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const int order = std::string_view(rows[k - 1].id).compare(rows[k].id);
    EXPECT_TRUE(order < 0 || (order == 0 && rows[k - 1].kind < rows[k].kind)) << rows[k].id;
  }
}

TEST(NoteTable, HasWhatReadersTellOfBrokenFiles) {
  const std::vector<NoteRow> rows = note_rows();
  std::set<std::string> seen;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(fs::path(DERMIS_SOURCE_DIR) / "tests/fuzz/corpus")) {
    if (!entry.is_regular_file()) continue;
    const Result<Asset> asset = load(entry.path().string());
    if (!asset) continue;
    for (const Note& note : asset->notes) {
      seen.insert(note.id);
      EXPECT_NE(find_note(rows, note.id, note.kind), nullptr)
          << entry.path() << ": " << name_of(note.kind) << ' ' << note.id;
    }
  }
  EXPECT_GT(seen.size(), 5u);
}

TEST(NoteTable, TakesRowsFromElsewhere) {
  static constexpr NoteRow kOwn[]{{"toy-wound-up", Note::Kind::guess, "a toy was wound up by guess"},
                                  {"toy-broken", Note::Kind::loss, "a toy is broken", Severity::error}};
  const std::vector<NoteRow> rows = note_rows(kOwn);
  EXPECT_EQ(rows.size(), note_rows().size() + 2);
  ASSERT_NE(find_note(rows, "toy-broken", Note::Kind::loss), nullptr);
  EXPECT_EQ(find_note(rows, "toy-broken", Note::Kind::loss)->severity, Severity::error);
  EXPECT_EQ(find_note(rows, "toy-wound-up", Note::Kind::guess)->severity, Severity::info);
  EXPECT_EQ(find_note(rows, "toy-wound-up", Note::Kind::loss), nullptr);
  EXPECT_EQ(severity_of({Note::Kind::repair, "toy-mended", "the toy was mended"}), Severity::warning);
}

TEST(NoteTable, SaysHowMuchANoteMatters) {
  EXPECT_EQ(severity_of({Note::Kind::guess, "template-poor", ""}), Severity::warning);
  EXPECT_EQ(severity_of({Note::Kind::guess, "up-axis-guessed", ""}), Severity::info);
  EXPECT_EQ(severity_of({Note::Kind::loss, "not-in-format", ""}), Severity::warning);
  EXPECT_EQ(severity_of({Note::Kind::info, "joints-outside", ""}), Severity::info);
  EXPECT_EQ(severity_of({Note::Kind::guess, "joints-outside", ""}), Severity::warning);
}

// ---- Remedies ----

TEST(Remedies, OfTheSourcesHaveARowEach) {
  const std::regex named(
      "(?:with_remedy\\(|remedies\\.push_back\\(\\{|\\{\\{|remedy\\.option = )\\s*\"([a-z_]+)\"");
  std::set<std::string> used;
  for (const char* folder : {"src", "import"}) {
    for_each_match(folder, named, [&](const std::string& path, const std::smatch& match) {
      if (match.str().starts_with("{{") && path.find("import/scene.cpp") == std::string::npos) return;
      used.insert(match[1]);
      EXPECT_NE(remedy_row(match[1]), nullptr) << path << ": there is no remedy '" << match[1] << "'";
    });
  }
  EXPECT_GT(used.size(), 10u);
}

TEST(Remedies, ThatNobodyNamesHaveNoRow) {
  std::set<std::string> used;
  const std::regex word("\"([a-z_]+)\"");
  for (const char* folder : {"src", "import"})
    for_each_match(folder, word,
                   [&](const std::string&, const std::smatch& match) { used.insert(match[1]); });
  used.insert("fix");  // remedies_of
  for (const RemedyRow& row : remedy_rows()) EXPECT_TRUE(used.contains(row.option)) << row.option;
}

// Sources of ops that make text for the command: the table of flags, printed reports, and commands to try.
bool is_view(const std::string& path) {
  return path == "src/ops/remedies.cpp" || path.starts_with("src/ops/report/") ||
         path.starts_with("src/ops/page/") || path.ends_with("/describe.cpp") || path.ends_with("/page.cpp");
}

TEST(Remedies, AreTheOnlyWayToAFlag) {
  const std::regex literal("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");
  // "--up", and "-o FILE".
  const std::regex flag("(^|[^-\\w])--[a-z]|(^|[ (])-[a-z] [A-Z]");
  for (const char* folder : {"src", "include", "import"}) {
    for_each_match(folder, literal, [&](const std::string& path, const std::smatch& match) {
      // The words that dermis-import is called by, and what it says when it is called wrongly.
      if (path == "src/io/import/run.cpp" || path == "import/main.cpp") return;
      // Its comments show what the table makes of remedies.
      if (path == "include/dermis/ops/notes.h") return;
      // A whole command may be named in a sentence.
      const bool is_command = match[1].str().find("dermis ") != std::string::npos;
      if (is_view(path) || is_command) return;
      EXPECT_FALSE(std::regex_search(match[1].str(), flag)) << path << ": " << match.str();
    });
  }
}

TEST(Remedies, ThatWereTypedAreNotOfferedAgain) {
  const std::vector<std::string> words{"dermis",  "rig",      "body.obj", "--template",
                                       "extract", "--marker", "a=1,2,3"};
  const auto options_of = [&](const Remedies& remedies) {
    std::string options;
    for (const Remedy& remedy : untried(remedies, words)) options += remedy.option + " ";
    return options;
  };
  EXPECT_EQ(options_of({{"template", "extract"}, {"front"}}), "front ");
  EXPECT_EQ(options_of({{"template", "biped"}}), "template ");  // another value
  EXPECT_EQ(options_of({{"template"}}), "");
  EXPECT_EQ(options_of({{"marker"}, {"max_memory"}}), "marker max_memory ");  // more of them help more
  const std::vector<std::string> joined{"dermis", "info", "a.bvh", "--up=z"};
  EXPECT_TRUE(untried({{"up", "z"}}, joined).empty());
  EXPECT_EQ(untried({{"up", "y"}}, joined).size(), 1u);
  // --up of rig is the body's, not the motion's.
  EXPECT_EQ(untried({{"motion_up", "z"}}, std::vector<std::string>{"dermis", "rig", "--up", "z"}).size(), 1u);
}

// ---- The door to files ----

TEST(TheDoorToFiles, IsTheOnlyPlaceThatLoadsOrSkipsTheClock) {
  const std::regex loads("[^\\w.:](load|load_cache)\\(");
  for_each_match("src/ops", loads, [&](const std::string& path, const std::smatch& match) {
    EXPECT_EQ(path, "src/ops/files.cpp") << match.str() << ": open_file and open_frames count the time";
  });
}

TEST(TheDoorToFiles, CountsTheTimeOfAllThatIsRead) {
  double seconds = 0;
  const FileRun run{{}, &seconds};
  const auto slow = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
    while (std::chrono::steady_clock::now() < end) {
    }
    return 7;
  };
  EXPECT_EQ(run.reading(slow), 7);
  EXPECT_GE(seconds, 0.003);
  EXPECT_EQ(run.reading(slow), 7);
  EXPECT_GE(seconds, 0.006);
  EXPECT_EQ(FileRun{}.reading(slow), 7);
}

TEST(RemedyWords, NameTheFlagWithItsValue) {
  EXPECT_EQ(remedy_words({}, "info"), "");
  EXPECT_EQ(remedy_words({{"max_memory"}}, "info"), "raise --max-memory");
  EXPECT_EQ(remedy_words({{"up", "z"}}, "info"), "use --up z to change that");
  EXPECT_EQ(remedy_words({{"scale"}}, "bind"), "use --scale FACTOR to change that");
  EXPECT_EQ(remedy_words({{"fps_of_reader", "24"}}, "convert"), "use --fps 24 when reading it");
}

TEST(RemedyWords, JoinFlagsThatAreSaidAlike) {
  EXPECT_EQ(remedy_words({{"template", "extract"}, {"marker"}, {"body_up"}}, "rig"),
            "use --template extract, --marker JOINT=X,Y,Z or --up AXIS to change that");
  EXPECT_EQ(remedy_words({{"map"}, {"save_map"}}, "animate"),
            "assign the joints with --map FILE or see which joint follows which with --save-map FILE");
}

TEST(RemedyWords, NameTheVerbWhereAnotherOneHasTheFlag) {
  EXPECT_EQ(remedy_words({{"cell"}}, "rig"), "choose their size with 'dermis bind --cell LENGTH'");
  EXPECT_EQ(remedy_words({{"motion_up", "z"}}, "rig"), "use 'dermis animate --up z' to change that");
  EXPECT_EQ(remedy_words({{"up", "z"}}, "weights limit"), "use --up z to change that");
  EXPECT_EQ(remedy_words({{"cache", "my walk.pc2"}}, "info"),
            "apply it to its mesh with 'dermis convert MESH --cache 'my walk.pc2''");
}

TEST(RemedyWords, LeaveOutWhatTheyDoNotKnowAndTakeRowsFromElsewhere) {
  static constexpr RemedyRow kOwn[]{{"key", "--key", "TURNS", "wind it with {}", "toy", "toy"}};
  EXPECT_EQ(remedy_words({{"key", "3"}}, "toy"), "");
  EXPECT_EQ(remedy_words({{"key", "3"}}, "toy", kOwn), "wind it with --key 3");
  EXPECT_EQ(remedy_words({{"key", "3"}}, "info", kOwn), "wind it with 'dermis toy --key 3'");
}

TEST(RemedyWords, FollowTheSentence) {
  const Note guess = Note{Note::Kind::guess, "up-axis-guessed", "Y is taken as up"}.with_remedy("up", "z");
  EXPECT_EQ(words_of(guess, "info"), "Y is taken as up; use --up z to change that");
  const Note loss = Note{Note::Kind::loss, "feet-apart", "no foot"}.with_remedy("map");
  EXPECT_EQ(words_of(loss, "animate"), "no foot; assign the joints with --map FILE");
  EXPECT_EQ(words_of(Note{Note::Kind::info, "bind-cells", "many"}, "bind"), "many");
  const Error error = Error{Errc::too_large, "a.glb: is too large"}.with_remedy("max_memory");
  EXPECT_EQ(words_of(error, "info"), "a.glb: is too large; raise --max-memory");
}

TEST(RemedyWords, AdviseMendingWhereItHelps) {
  Finding finding;
  finding.advice = "normalise the weights in the tool that made them";
  EXPECT_EQ(advice_of(finding, "check"), finding.advice);
  finding.is_mendable = true;
  EXPECT_EQ(advice_of(finding, "check"), finding.advice + ", or use --fix");
  finding.remedies = {{"up", "y"}};
  EXPECT_EQ(advice_of(finding, "check"), finding.advice + ", or use --up y to change that or use --fix");
}

// ---- The command ----

#ifdef DERMIS_CLI

// Help of a verb; of one with operations, that of those whose errors name flags.
std::string help_of(const std::string& verb) {
  const auto help = [&](std::vector<std::string> words) {
    words.insert(words.begin(), verb);
    words.emplace_back("--help");
    return test::run_cli(words).out;
  };
  if (verb == "weights") return help({"limit"});
  if (verb == "shapes") return help({"add"}) + help({"correct"});
  return help({});
}

TEST(RemedyFlags, ExistOnTheVerbsOfTheirRows) {
  const std::vector<std::string> all = words_in(
      "info check convert make deform bake rig bind animate weights shapes helpers combine compare render "
      "demo");
  std::map<std::string, std::string> help;
  for (const std::string& verb : all) help[verb] = help_of(verb);
  for (const RemedyRow& row : remedy_rows()) {
    std::vector<std::string> verbs = std::string_view(row.verbs) == "*" ? all : words_in(row.verbs);
    if (const std::vector<std::string> call = words_in(row.elsewhere); !call.empty())
      verbs.push_back(call.front());
    for (const std::string& verb : verbs) {
      const std::regex flag("(^|[^-\\w])" + std::string(row.flag) + "($|[^-\\w])");
      EXPECT_TRUE(std::regex_search(help[verb], flag)) << "dermis " << verb << " has no " << row.flag;
    }
  }
}

TEST(RemedyFlags, AreSaidByTheCommandAndHandedOverAsData) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "reach.bvh",
                   "HIERARCHY\nROOT hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n"
                   " JOINT arm\n {\n  OFFSET 0 10 0\n  CHANNELS 3 Xrotation Yrotation Zrotation\n"
                   "  End Site\n  {\n   OFFSET 0 5 0\n  }\n }\n}\n"
                   "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n");
  const std::string file = folder.file("reach.bvh");
  const test::CliResult text = test::run_cli({"convert", file, "-o", folder.file("reach.glb")});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.err.find("; use --up z to change that\n"), std::string::npos) << text.err;
  const test::CliResult json = test::run_cli({"info", "--json", file});
  EXPECT_NE(json.out.find("\"option\": \"up\""), std::string::npos) << json.out;
  EXPECT_EQ(json.out.find("--up"), std::string::npos) << json.out;
}

// A file with a mild guess (its unit) and a loss that shows (its materials).
TEST(NotesOnStderr, HaveTheWarningsLastAndTheWorstOneEndsTheText) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "bare.obj", "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string output = folder.file("bare.glb");
  const test::CliResult said = test::run_cli({"convert", folder.file("bare.obj"), "-o", output});
  EXPECT_EQ(said.code, 0) << said.err;
  const std::size_t mild = said.err.rfind("\nguess: "), warning = said.err.find("warning (loss): ");
  EXPECT_NE(warning, std::string::npos) << said.err;
  EXPECT_TRUE(mild == std::string::npos || mild < warning) << said.err;
  const std::string last = said.out.substr(said.out.rfind('\n', said.out.size() - 2) + 1);
  EXPECT_TRUE(last.starts_with(output + " is written, with 1 warning: ")) << said.out;
  EXPECT_NE(last.find("none.mtl"), std::string::npos) << said.out;
}

TEST(NotesCommand, PrintsBothTables) {
  const test::CliResult said = test::run_cli({"notes"});
  EXPECT_EQ(said.code, 0);
  EXPECT_NE(said.out.find("| `template-poor` | guess | warning |"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("| `max_memory` | `--max-memory` | all |"), std::string::npos) << said.out;
  const test::CliResult json = test::run_cli({"notes", "--json"});
  EXPECT_NE(json.out.find("\"verb\": \"notes\""), std::string::npos) << json.out;
}

#endif

}  // namespace
}  // namespace dermis
