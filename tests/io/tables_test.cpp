// SPDX-License-Identifier: MIT
// Takes of weights, maps of shapes, matrices and keys by hand: what is read, what is noted, what is refused.
#include "dermis/io/tables.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

std::span<const std::byte> bytes_in(std::string_view text) { return std::as_bytes(std::span(text)); }

Result<LoadedTake> take_from(const std::string& text, double fps = 0) {
  return load_weight_take_from_memory(bytes_in(text), "take.csv", fps);
}

// ---- Takes ------------------------------------------------------------------------------------------------

TEST(WeightTake, OfLiveLinkFaceHasTheRateOfItsTimecode) {
  const Result<LoadedTake> loaded = take_from(
      "Timecode,BlendShapeCount,EyeBlinkLeft,JawOpen\n"
      "10:00:00:58.500,61,0.25,0.5\n10:00:00:59.500,61,0.5,0.75\n10:00:01:00.500,61,0,1\n10:00:03:00.500,61,"
      "1,0\n");
  ASSERT_TRUE(loaded) << loaded.error().sentence;
  EXPECT_EQ(loaded->take.names, (std::vector<std::string>{"EyeBlinkLeft", "JawOpen"}));
  EXPECT_EQ(loaded->fps, 60);
  ASSERT_EQ(loaded->take.times.size(), 4u);
  EXPECT_EQ(loaded->take.times[0], 0);
  EXPECT_NEAR(loaded->take.times[1], 1 / 60.0, 1e-9);
  EXPECT_NEAR(loaded->take.times[2], 2 / 60.0, 1e-9);
  EXPECT_NEAR(loaded->take.times[3], 122 / 60.0, 1e-9);
  EXPECT_EQ(loaded->take.value(1, 1), 0.75f);
  EXPECT_TRUE(loaded->notes.empty());
}

TEST(WeightTake, PassesMidnight) {
  const Result<LoadedTake> loaded = take_from("Timecode,a\n23:59:59:59,0\n00:00:00:00,1\n00:00:02:00,1\n");
  ASSERT_TRUE(loaded);
  EXPECT_NEAR(loaded->take.times[1], 1 / 60.0, 1e-6);
}

TEST(WeightTake, OfFramesHasTheStatedRateAndItsGaps) {
  const Result<LoadedTake> loaded =
      take_from("Frame,SubFrame,FPS,JawOpen\n100,0.5,30,0\n101,0.5,30,1\n104,0.5,30,0.5\n");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->fps, 30);
  EXPECT_NEAR(loaded->take.times[2], 4 / 30.0, 1e-9);
}

TEST(WeightTake, OfSecondsMayBeSeparatedBySemicolonsAndHaveColumnsInAnyOrder) {
  const Result<LoadedTake> loaded = take_from("jawOpen;time;\"my; shape\"\n0.5;2;1\n1;2.5;0\n");
  ASSERT_TRUE(loaded) << loaded.error().sentence;
  EXPECT_EQ(loaded->take.names, (std::vector<std::string>{"jawOpen", "my; shape"}));
  EXPECT_EQ(loaded->take.times, (std::vector<double>{0, 0.5}));
  EXPECT_NEAR(loaded->fps, 2, 1e-9);
}

TEST(WeightTake, WithoutTimesGuessesARateAndSaysSo) {
  const Result<LoadedTake> loaded = take_from("jawOpen\n0\n1\n");
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(test::has_note(loaded->notes, "take-rate-guessed"));
  EXPECT_NEAR(loaded->take.times[1], 1 / 60.0, 1e-9);
  const Result<LoadedTake> stated = take_from("jawOpen\n0\n1\n", 25);
  EXPECT_NEAR(stated->take.times[1], 1 / 25.0, 1e-9);
  EXPECT_FALSE(test::has_note(stated->notes, "take-rate-guessed"));
}

TEST(WeightTake, MendsCellsColumnsAndRowsWithNotes) {
  const Result<LoadedTake> loaded =
      take_from("time,a,b,a\n0,1,2,9\n1,,x,9\n1,5,5,9\n2,3\n3,4,5,9,9\n,1,1,1\n");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->take.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(loaded->take.times, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(loaded->take.value(1, 0), 1);  // kept
  EXPECT_EQ(loaded->take.value(2, 1), 5);  // that of the row that was left out
  for (const char* id : {"take-column-twice", "take-cells-missing", "take-rows-left-out", "take-cells-extra"})
    EXPECT_TRUE(test::has_note(loaded->notes, id)) << id;
}

TEST(WeightTake, SaysWhatIsWrongInOneSentence) {
  const std::pair<const char*, const char*> kCases[] = {{"", "is empty"},
                                                        {"1,2,3\n", "line of names"},
                                                        {"time,fps\n0,30\n", "no column of weights"},
                                                        {"time,a\n", "no row of numbers"},
                                                        {"time,a\n,1\nx,2\n", "no row states a time"},
                                                        {"a\n\"1\n", "quote"}};
  for (const auto& [text, words] : kCases) {
    const Result<LoadedTake> loaded = take_from(text);
    if (std::string_view(words) == "no row states a time" && loaded) continue;
    ASSERT_FALSE(loaded) << text;
    EXPECT_NE(loaded.error().sentence.find(words), std::string::npos) << loaded.error().sentence;
  }
}

// ---- Maps of shapes ---------------------------------------------------------------------------------------

TEST(ShapeMap, ReadsSumsWithFactorsQuotesAndComments) {
  const Result<std::vector<ShapeMapRow>> rows =
      load_shape_map_from_memory(bytes_in("# a face\nsmile = 0.5*mouthSmileLeft + 0.5 * mouthSmileRight # "
                                          "both\n\"my jaw\" = -jawOpen - 2*a\n"),
                                 "map.txt");
  ASSERT_TRUE(rows) << rows.error().sentence;
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].sources[1].name, "mouthSmileRight");
  EXPECT_EQ((*rows)[0].sources[1].value, 0.5f);
  EXPECT_EQ((*rows)[1].target, "my jaw");
  EXPECT_EQ((*rows)[1].sources[0].value, -1);
  EXPECT_EQ((*rows)[1].sources[1].value, -2);
}

TEST(ShapeMap, ComesBackAsItWasWritten) {
  const std::vector<ShapeMapRow> rows{{"2nd \"quoted\"", {{"a b", -0.1f}, {"-c", 1}}}, {"plain", {{"x", 3}}}};
  const Result<std::vector<ShapeMapRow>> again =
      load_shape_map_from_memory(bytes_in(shape_map_text(rows)), "m");
  ASSERT_TRUE(again) << again.error().sentence;
  ASSERT_EQ(again->size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ((*again)[k].target, rows[k].target);
    for (std::size_t s = 0; s < rows[k].sources.size(); ++s) {
      EXPECT_EQ((*again)[k].sources[s].name, rows[k].sources[s].name);
      EXPECT_EQ((*again)[k].sources[s].value, rows[k].sources[s].value);
    }
  }
}

TEST(ShapeMap, NamesTheLineThatIsWrong) {
  for (const char* text :
       {"a = b\na = c\n", "a = b\nc\n", "a = b\nc =\n", "a = b\nc = d e\n", "a = b\nc = 1e99*d\n"}) {
    const Result<std::vector<ShapeMapRow>> rows = load_shape_map_from_memory(bytes_in(text), "map.txt");
    ASSERT_FALSE(rows) << text;
    EXPECT_NE(rows.error().sentence.find("map.txt: line 2"), std::string::npos) << rows.error().sentence;
  }
}

// ---- Matrices ---------------------------------------------------------------------------------------------

NumberTable made_table() { return {3, 2, {1, 2, 3, 0.1f, -5, 1e-20f}, {"smile, wide", "jaw"}}; }

TEST(NumberTable, ComesBackFromBothFormats) {
  const test::TemporaryFolder folder;
  for (const char* name : {"m.npy", "m.csv"}) {
    ASSERT_TRUE(save_number_table(folder.file(name), made_table()));
    const Result<NumberTable> table = load_number_table(folder.file(name));
    ASSERT_TRUE(table) << table.error().sentence;
    EXPECT_EQ(table->names, made_table().names);
    ASSERT_EQ(table->values.size(), made_table().values.size());
    for (std::size_t k = 0; k < table->values.size(); ++k)
      EXPECT_EQ(static_cast<float>(table->values[k]), static_cast<float>(made_table().values[k])) << k;
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "m.names.txt"));
}

TEST(NumberTable, ReadsNumPysOrdersTypesAndVersions) {
  const auto npy = [](const std::string& head, const std::string& data, char version) {
    std::string bytes = "\x93NUMPY";
    bytes += {version, '\0', static_cast<char>(head.size()), '\0'};
    if (version > 1) bytes += {'\0', '\0'};
    return bytes + head + data;
  };
  const auto floats = [](std::initializer_list<float> values, bool is_big) {
    std::string bytes;
    for (const float value : values) {
      char four[4];
      std::memcpy(four, &value, 4);
      for (int k = 0; k < 4; ++k) bytes += four[is_big ? 3 - k : k];
    }
    return bytes;
  };
  const std::vector<double> by_columns{1, 3, 2, 4};
  const std::string c =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n", floats({1, 2, 3, 4}, false), 1);
  const std::string f =
      npy("{\"shape\": (2,2), 'fortran_order': True, 'descr': '>f4'}", floats({1, 3, 2, 4}, true), 2);
  for (const std::string& bytes : {c, f}) {
    const Result<NumberTable> table = load_number_table_from_memory(bytes_in(bytes), "a.npy");
    ASSERT_TRUE(table) << table.error().sentence;
    EXPECT_EQ(table->values, by_columns);
  }
}

TEST(NumberTable, RefusesWhatItCannotHold) {
  const auto npy = [](const std::string& head) {
    std::string bytes = "\x93NUMPY";
    bytes += {'\1', '\0', static_cast<char>(head.size()), '\0'};
    return bytes + head;
  };
  const std::pair<std::string, const char*> kCases[] = {
      {"PK", "not a .npy"},
      {npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1), }") + "0000", "'<i4'"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000), }"), "but holds 0"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 2), }"), "but holds 0"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1), }") + "0000", "3 dimensions"},
      {npy("{'descr': '<f4', 'shape': (1, 1), }") + "0000", "header"},
      {npy("{'descr': '<f4'").substr(0, 14), "header"}};
  for (const auto& [bytes, words] : kCases) {
    const Result<NumberTable> table = load_number_table_from_memory(bytes_in(bytes), "a.npy");
    ASSERT_FALSE(table) << words;
    EXPECT_NE(table.error().sentence.find(words), std::string::npos) << table.error().sentence;
  }
  const Result<NumberTable> ragged = load_number_table_from_memory(bytes_in("a,b\n1,2\n3\n"), "a.csv");
  ASSERT_FALSE(ragged);
  EXPECT_NE(ragged.error().sentence.find("line 3"), std::string::npos);
}

TEST(NumberTable, RefusesNamesThatDoNotFit) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save_number_table(folder.file("m.npy"), made_table()));
  test::write_text(folder.path() / "m.names.txt", "one\n");
  const Result<NumberTable> table = load_number_table(folder.file("m.npy"));
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().sentence.find("1 name for 2 columns"), std::string::npos) << table.error().sentence;
}

// ---- Keys by hand -----------------------------------------------------------------------------------------

TEST(Keys, ReadTimesKindsAndSlopes) {
  const Result<KeyedPoses> keys =
      load_keys_from_memory(bytes_in(R"({"dermis_keys": 1, "name": "Nod", "keys": [
    {"time": 0, "shapes": {"smile": 0.5}},
    {"time": 0.5, "interpolation": "spline", "nodes": {"a": {"rotation": [0, 0, 0, 2]}},
     "in": {"nodes": {"a": {"rotation": [0, 0, 3, 0]}}}, "out": {"shapes": {"smile": 2}}}]})"),
                            "keys.json");
  ASSERT_TRUE(keys) << keys.error().sentence;
  EXPECT_EQ(keys->name, "Nod");
  EXPECT_EQ(keys->keys[0].kind, KeyKind::linear);
  EXPECT_EQ(keys->keys[1].kind, KeyKind::spline);
  EXPECT_EQ(*keys->keys[1].pose.nodes[0].rotation, Quat{});
  EXPECT_EQ(keys->keys[1].in.nodes[0].rotation->z, 3);  // not made unit
  EXPECT_EQ(keys->keys[1].out.shapes[0].value, 2);
}

TEST(Keys, SayWhatIsWrongInOneSentence) {
  const std::pair<const char*, const char*> kCases[] = {
      {"[]", "not a file of keys"},
      {R"({"dermis_keys": 2, "keys": []})", "version 2"},
      {R"({"dermis_keys": 1, "keys": []})", "not a list of keys"},
      {R"({"dermis_keys": 1, "poses": 1, "keys": [{"time": 0}]})", "'poses'"},
      {R"({"dermis_keys": 1, "keys": [{"shapes": {}}]})", "key 0: 'time'"},
      {R"({"dermis_keys": 1, "keys": [{"time": 1}, {"time": 0}]})", "key 1 is earlier"},
      {R"({"dermis_keys": 1, "keys": [{"time": 1, "interpolation": "ease"}]})", "none of step"},
      {R"({"dermis_keys": 1, "keys": [{"time": 1, "in": {}}]})", "'spline' only"},
      {R"({"dermis_keys": 1, "keys": [{"time": 1, "shapes": {"a": "b"}}]})", "not a finite number"}};
  for (const auto& [text, words] : kCases) {
    const Result<KeyedPoses> keys = load_keys_from_memory(bytes_in(text), "keys.json");
    ASSERT_FALSE(keys) << text;
    EXPECT_NE(keys.error().sentence.find(words), std::string::npos) << keys.error().sentence;
  }
}

}  // namespace
}  // namespace dermis
