// SPDX-License-Identifier: MIT
// What becomes of a file: loads, loads with these notes, or refused because of this; kept as tables.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <span>
#include <string>

#include "dermis/io.h"
#include "outside/files.h"

namespace dermis::test {

// "loads", "notes: a, b" with the ids in order, or "refused: SENTENCE". That the unit is guessed is left out:
// no file of these formats says it.
inline std::string outcome_of(const fs::path& file) {
  const Result<Asset> asset = load(file.string());
  if (!asset) return "refused: " + asset.error().sentence;
  std::set<std::string> ids;
  for (const Note& note : asset->notes) ids.insert(note.id);
  ids.erase("unit-guessed");
  if (ids.empty()) return "loads";
  std::string words;
  for (const std::string& id : ids) words += (words.empty() ? "notes: " : ", ") + id;
  return words;
}

struct Expected {
  const char* file;
  const char* outcome;  // as above; of a refusal the words that its sentence must hold
};

// Every file below `folder` with one of the extensions (in any case) is in the table, and comes out as it
// says.
inline void expect_table(const fs::path& folder, const std::set<std::string>& extensions,
                         std::span<const Expected> table) {
  std::map<std::string, std::string> wanted;
  for (const Expected& row : table) wanted[row.file] = row.outcome;
  for (const fs::path& file : files_below(folder, extensions)) {
    const std::string name = fs::relative(file, folder).string(), found = outcome_of(file);
    const auto row = wanted.find(name);
    if (row == wanted.end()) {
      ADD_FAILURE() << "not in the table: {\"" << name << "\", \"" << found << "\"},";
      continue;
    }
    if (row->second.starts_with("refused: ")) {
      EXPECT_TRUE(found.starts_with("refused: ")) << name << " " << found;
      EXPECT_NE(found.find(row->second.substr(9)), std::string::npos) << name << " " << found;
    } else {
      EXPECT_EQ(found, row->second) << name;
    }
    wanted.erase(row);
  }
  for (const auto& [name, outcome] : wanted) ADD_FAILURE() << name << " is in the table but not there";
}

}  // namespace dermis::test
