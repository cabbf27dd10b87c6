// SPDX-License-Identifier: MIT
// Maps of motions: written and read back, and what is wrong with those that are not.
#include <gtest/gtest.h>

#include "dermis/io.h"
#include "io/motion_map/motion_map.h"
#include "outside/files.h"

namespace dermis {
namespace {

Result<std::vector<MotionMapRow>> parsed(const std::string& text) {
  return load_motion_map_from_memory({reinterpret_cast<const std::byte*>(text.data()), text.size()},
                                     "a.json");
}

TEST(MotionMap, ComesBackAsItWasWritten) {
  const std::vector<MotionMapRow> rows = {{"hips", {"Hips"}, {"mixamorig:Hips"}},
                                          {"spine", {"Spine", "Spine \"1\""}, {"a", "b", "#12"}},
                                          {"", {"Schwanz äöü"}, {"tail"}}};
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save_motion_map(folder.file("map.json"), rows));
  const Result<std::vector<MotionMapRow>> back = load_motion_map(folder.file("map.json"));
  ASSERT_TRUE(back) << back.error().sentence;
  ASSERT_EQ(back->size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ((*back)[k].role, rows[k].role);
    EXPECT_EQ((*back)[k].source, rows[k].source);
    EXPECT_EQ((*back)[k].target, rows[k].target);
  }
  EXPECT_TRUE(parsed(motion_map_json({})));
}

TEST(MotionMap, OfBrokenStructureIsRefusedWithThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "a.json"},
      {"[]", "dermis_motion_map"},
      {"{\"dermis_motion_map\": 2}", "version 2"},
      {"{\"dermis_motion_map\": 1, \"rolls\": {}}", "'rolls'"},
      {"{\"dermis_motion_map\": 1, \"roles\": []}", "'roles' is not an object"},
      {"{\"dermis_motion_map\": 1, \"roles\": {\"hips\": \"x\"}}", "'hips'"},
      {"{\"dermis_motion_map\": 1, \"roles\": {\"hips\": {\"source\": \"x\"}}}", "no 'target'"},
      {"{\"dermis_motion_map\": 1, \"roles\": {\"hips\": {\"source\": [], \"target\": \"x\"}}}", "'source'"},
      {"{\"dermis_motion_map\": 1, \"roles\": {\"hips\": {\"source\": [1], \"target\": \"x\"}}}", "'source'"},
      {"{\"dermis_motion_map\": 1, \"pairs\": [{\"source\": [\"a\", \"b\"], \"target\": \"x\"}]}",
       "one joint"},
      {"{\"dermis_motion_map\": 1, \"pairs\": [{\"from\": \"a\", \"target\": \"x\"}]}", "'from'"},
  };
  for (const auto& [text, said] : cases) {
    const Result<std::vector<MotionMapRow>> rows = parsed(text);
    ASSERT_FALSE(rows) << text;
    EXPECT_NE(rows.error().sentence.find(said), std::string::npos) << rows.error().sentence;
  }
}

}  // namespace
}  // namespace dermis
