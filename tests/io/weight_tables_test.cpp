// SPDX-License-Identifier: MIT
// Weight tables: back to the last bit, mended with notes, and refused in one sentence.
#include <gtest/gtest.h>

#include <algorithm>

#include "characters.h"
#include "dermis/io.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::rows_of;

Result<WeightTables> parsed(const std::string& text, const std::string& name) {
  return load_weight_tables_from_memory(std::as_bytes(std::span(text.data(), text.size())), name);
}

// The sentence of the refusal.
std::string refused(const std::string& text, const std::string& name) {
  const Result<WeightTables> tables = parsed(text, name);
  EXPECT_FALSE(tables) << text;
  if (tables) return {};
  EXPECT_EQ(tables.error().sentence.find('\n'), std::string::npos);
  return tables.error().sentence;
}

WeightTables some_tables() {
  WeightTables all;
  all.tables.resize(2);
  all.tables[0].mesh = "body, \"upper\"";
  all.tables[0].joints = {"hip", "knee, left", "#3"};
  all.tables[0].rows =
      rows_of({{{0, 1}}, {{1, 0.1f + 0.6f}, {0, 0.3f}}, {{0, 1.0f / 3}, {1, 1.0f / 3}, {2, 1.0f / 3}}});
  all.tables[1].mesh = "#1";
  all.tables[1].joints = {"hip"};
  all.tables[1].rows = rows_of({{{0, 1}}});
  return all;
}

TEST(WeightTables, ComeBackToTheLastBit) {
  const test::TemporaryFolder folder;
  const WeightTables all = some_tables();
  for (const char* name : {"a.csv", "a.json"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(save_weight_tables(folder.file(name), all.tables));
    const Result<WeightTables> again = load_weight_tables(folder.file(name));
    ASSERT_TRUE(again) << again.error().sentence;
    EXPECT_TRUE(again->notes.empty());
    ASSERT_EQ(again->tables.size(), 2u);
    for (std::size_t t = 0; t < 2; ++t) {
      EXPECT_EQ(again->tables[t].mesh, all.tables[t].mesh);
      const WeightTable& table = again->tables[t];
      for (std::size_t v = 0; v + 1 < table.rows.first.size(); ++v) {
        for (const Influence& one : table.rows.row(v)) {
          const std::string& joint = table.joints[static_cast<std::size_t>(one.slot)];
          const auto& joints = all.tables[t].joints;
          const auto slot =
              static_cast<Index>(std::find(joints.begin(), joints.end(), joint) - joints.begin());
          const auto row = all.tables[t].rows.row(v);
          EXPECT_NE(std::find(row.begin(), row.end(), Influence{slot, one.weight}), row.end()) << joint;
        }
      }
    }
  }
}

TEST(WeightTables, OfCsvMayHaveTheirLinesInAnyOrderAndWindowsEnds) {
  const Result<WeightTables> tables = parsed(
      "\xEF\xBB\xBFmesh,point,joint,weight\r\nm,1,b,1\r\nm,0,a,0.25\r\nm, 0, b, 0.75\r\n\r\n", "a.csv");
  ASSERT_TRUE(tables) << tables.error().sentence;
  const WeightTable& table = tables->tables[0];
  ASSERT_EQ(table.rows.first.size(), 3u);
  EXPECT_EQ(table.joints, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.rows.row(0)[0], (Influence{1, 0.75f}));
  EXPECT_EQ(table.rows.row(1)[0], (Influence{1, 1}));
}

TEST(WeightTables, MendSumsAndNegativeWeightsWithANote) {
  const Result<WeightTables> tables =
      parsed("mesh,point,joint,weight\nm,0,a,2\nm,0,b,2\nm,0,c,-1\n", "a.csv");
  ASSERT_TRUE(tables);
  EXPECT_EQ(tables->tables[0].rows, rows_of({{{0, 0.5f}, {1, 0.5f}}}));
  std::vector<std::string> ids;
  for (const Note& note : tables->notes) ids.push_back(note.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"weights-negative", "weights-not-normalised"}));
}

TEST(WeightTables, RefuseBrokenCsvNamingTheLine) {
  const std::string head = "mesh,point,joint,weight\n";
  EXPECT_EQ(refused("", "a.csv"), "a.csv: is empty");
  EXPECT_NE(refused("1,2,3\n", "a.csv").find("does not start with"), std::string::npos);
  EXPECT_NE(refused(head, "a.csv").find("has no weights"), std::string::npos);
  EXPECT_NE(refused(head + "m,0,a,nan\n", "a.csv").find("line 2: 'nan' is not a finite weight"),
            std::string::npos);
  EXPECT_NE(refused(head + "m,0,a,1\nm,1,a,inf\n", "a.csv").find("line 3"), std::string::npos);
  EXPECT_NE(refused(head + "m,0,a\n", "a.csv").find("3 fields"), std::string::npos);
  EXPECT_NE(refused(head + "m,-1,a,1\n", "a.csv").find("not a point number"), std::string::npos);
  EXPECT_NE(refused(head + "m,0,,1\n", "a.csv").find("names no joint"), std::string::npos);
  EXPECT_NE(refused(head + "m,0,a,1\nm,2,a,1\n", "a.csv").find("no line for point 1"), std::string::npos);
  EXPECT_NE(refused(head + "m,4000000000000,a,1\n", "a.csv").find("no line for point 0"), std::string::npos);
  EXPECT_NE(refused(head + "m,0,\"a,1\n", "a.csv").find("quote"), std::string::npos);
}

TEST(WeightTables, RefuseBrokenJsonNamingTheRow) {
  const auto table = [](const std::string& joints, const std::string& rows) {
    return R"({"dermis_weights": 1, "meshes": [{"mesh": "m", "joints": )" + joints + R"(, "rows": )" + rows +
           "}]}";
  };
  EXPECT_TRUE(parsed(table(R"(["a"])", "[[0, 1]]"), "a.json"));
  EXPECT_EQ(refused("", "a.json"), "a.json: is empty");
  EXPECT_FALSE(refused(table(R"(["a"])", "[[0, 1]]").substr(0, 40), "a.json").empty());
  EXPECT_NE(refused("{}", "a.json").find("dermis_weights"), std::string::npos);
  EXPECT_NE(refused("[1]", "a.json").find("dermis_weights"), std::string::npos);
  EXPECT_NE(refused(R"({"dermis_weights": 2})", "a.json").find("version 2"), std::string::npos);
  EXPECT_NE(refused(table(R"(["a"])", "[[1, 1]]"), "a.json").find("row 0: joint 1"), std::string::npos);
  EXPECT_NE(refused(table(R"(["a"])", "[[0, 1], [0]]"), "a.json").find("row 1"), std::string::npos);
  EXPECT_NE(refused(table(R"(["a"])", "[[0, 1e60]]"), "a.json").find("finite"), std::string::npos);
  EXPECT_NE(refused(table(R"(["a", "a"])", "[[0, 1]]"), "a.json").find("twice"), std::string::npos);
  EXPECT_NE(refused(table(R"(["a"])", "[]"), "a.json").find("no rows"), std::string::npos);
}

TEST(WeightTables, RefuseOtherExtensionsBeforeReading) {
  EXPECT_NE(refused("x", "a.txt").find(".csv or .json"), std::string::npos);
  EXPECT_FALSE(load_weight_tables("nowhere.csv"));
  EXPECT_FALSE(save_weight_tables("a.xml", {}));
}

}  // namespace
}  // namespace dermis
