// SPDX-License-Identifier: MIT
// OFF and its kin: every combination of letters, comments anywhere, and counts that are checked.
#include <gtest/gtest.h>

#include "io/made_bytes.h"
#include "io/made_gltf.h"
#include "io/same_character.h"

namespace dermis {
namespace {

using test::mesh_of;

Result<Asset> load_off(const std::string& text) {
  return load_from_memory(std::as_bytes(std::span(text)), "made.off");
}

std::string off_refusal(const std::string& text) {
  const Result<Asset> asset = load_off(text);
  return asset ? "loaded" : asset.error().sentence;
}

TEST(Off, KeepsPolygonsAndStepsOverCommentsAnywhere) {
  const Result<Asset> asset = load_off(
      "# by hand\nOFF # the keyword\n\n4 1 0 # counts\n# points\n0 0 0\n1 0 0 # second\n\n1 1 0\r\n0 1 "
      "0.1\n4 0 1 2 3\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(asset->notes.size(), 1u);  // that the unit is guessed
  EXPECT_EQ(mesh_of(asset).points[3], (Vec3{0, 1, 0.1f}));
  EXPECT_EQ(mesh_of(asset).polygons.corners, (std::vector<Index>{0, 1, 2, 3}));
}

TEST(Off, CountsMayStandBehindTheKeywordOrWithoutOne) {
  const char* body = "0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n";
  const Result<Asset> usual = load_off(std::string("OFF\n3 1 0\n") + body);
  ASSERT_TRUE(usual) << usual.error().sentence;
  for (const char* head : {"OFF 3 1 0\n", "3 1 0\n", "OFF\n3 1\n"}) {
    const Result<Asset> asset = load_off(std::string(head) + body);
    ASSERT_TRUE(asset) << head << asset.error().sentence;
    EXPECT_EQ(test::difference_between(asset->character, usual->character), "") << head;
  }
}

TEST(Off, LettersSayWhatPointsCarry) {
  // Geomview's order within a line: position, normal, colour, texture coordinates.
  const Result<Asset> asset = load_off(
      "STCNOFF\n3 1 0\n0 0 0  0 0 1  255 0 51 255  0.25 0.75\n1 0 0  0 0 1  0 0 0 0  0 0\n0 1 0  0 0 1  0 0 "
      "0 0  1 1\n"
      "3 0 1 2\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Mesh& mesh = mesh_of(asset);
  EXPECT_EQ(mesh.normals.values[0], (Vec3{0, 0, 1}));
  EXPECT_EQ(mesh.colours.at(0).values[0], (Vec4{1, 0, 0.2f, 1}));
  EXPECT_EQ(mesh.colours.at(0).values[1].w, 0);
  EXPECT_EQ(mesh.uvs.at(0).values[0], (Vec2{0.25f, 0.25f}));  // the model counts v from the top
}

TEST(Off, ColoursAreFromZeroToOneOrBytes) {
  const Result<Asset> fractions = load_off("COFF\n1 0 0\n0 0 0 1 0.5 0\n");
  const Result<Asset> bytes = load_off("COFF\n2 0 0\n0 0 0 255 51 0\n0 0 0 1 1 1\n");
  ASSERT_TRUE(fractions) << fractions.error().sentence;
  ASSERT_TRUE(bytes) << bytes.error().sentence;
  EXPECT_EQ(mesh_of(fractions).colours[0].values[0], (Vec4{1, 0.5f, 0, 1}));
  EXPECT_EQ(mesh_of(bytes).colours[0].values[0], (Vec4{1, 0.2f, 0, 1}));
  EXPECT_EQ(mesh_of(bytes).colours[0].values[1].x, 1.0f / 255);
}

TEST(Off, ColoursOfBytesMayHaveAnOpacityFromZeroToOneAndNumbersThatAreNone) {
  const Result<Asset> asset =
      load_off("COFF\n3 1 0\n0 0 0 255 0 0 0.5\n1 0 0 nan 51 0 1\n0 1 0 0 300 -5 1\n3 0 1 2\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(mesh_of(asset).colours[0].values[0], (Vec4{1, 0, 0, 0.5f}));
  EXPECT_EQ(mesh_of(asset).colours[0].values[2], (Vec4{0, 1, 0, 1}));
  for (const char* id : {"colours-scaled", "colours-clamped", "attribute-not-finite"})
    EXPECT_TRUE(test::has_note(asset->notes, id)) << id;
}

TEST(Off, MemoryOfPolygonsIsAskedBeforeItIsTaken) {
  std::string text = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n300000";
  for (int k = 0; k < 100000; ++k) text += " 0 1 2";
  LoadOptions options;
  options.max_memory = 1 << 20;
  const Result<Asset> asset = load_from_memory(std::as_bytes(std::span(text)), "made.off", options);
  ASSERT_FALSE(asset);
  EXPECT_EQ(asset.error().code, Errc::too_large);
}

TEST(Off, ColoursOfPolygonsAndOddPolygonsAreNoted) {
  const Result<Asset> asset =
      load_off("OFF\n3 3 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2 255 0 0\n2 0 1\n3 0 1 1\nmore\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(mesh_of(asset).polygons.count(), 2u);
  for (const char* id : {"face-colours", "polygons-dropped", "polygons-repeat-points", "rows-left-over"})
    EXPECT_TRUE(test::has_note(asset->notes, id)) << id;
}

TEST(Off, WhatCannotBeReadIsRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "does not state how many points and polygons"},
      {"OFF\n", "does not state how many points and polygons"},
      {"OFF\n-1 0 0\n", "does not state how many points and polygons"},
      {"OFF BINARY\n\1\2\3", "is a binary OFF file; write it as text first"},
      {"4OFF\n1 0 0\n0 0 0 1\n", "has points of four dimensions"},
      {"nOFF\n3\n1 0 0\n0 0 0\n", "has points of n dimensions"},
      {"XOFF\n1 0 0\n0 0 0\n", "its keyword is unknown"},
      {"OFF\n0 0 0\n", "has no points"},
      {"OFF\n353535235358 6 0\n0 0 0\n",
       "cut short: 353535235358 points and 6 polygons are announced, but 1 lines"},
      {"OFF\n2 0 0\n0 0 0\n1 2\n", "point 1 is cut short"},
      {"OFF\n2 0 0\n0 0 0\n1 2 inf\n", "point 1 is not finite"},
      {"OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "polygon 0 refers to point 1 of 1"},
      {"OFF\n1 1 0\n0 0 0\n3 0 0\n", "polygon 0 has 2 of its 3 corners"},
      {"OFF\n1 1 0\n0 0 0\nx\n", "polygon 0 does not count its corners"},
      {"COFF\n1 0 0\n0 0 0 1 1\n", "point 0 has 2 numbers, but a colour of 3 or 4 was expected"},
  };
  for (const auto& [text, words] : cases)
    EXPECT_NE(off_refusal(text).find(words), std::string::npos) << off_refusal(text);
}

}  // namespace
}  // namespace dermis
