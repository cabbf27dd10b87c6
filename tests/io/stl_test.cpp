// SPDX-License-Identifier: MIT
// STL: text and bytes give the same mesh, solids become parts, and broken facets are refused by number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "io/made_bytes.h"
#include "io/made_gltf.h"
#include "io/same_character.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::mesh_of;
using test::put;

Result<Asset> load_stl(const std::string& bytes, const LoadOptions& options = {}) {
  return load_from_memory(std::as_bytes(std::span(bytes)), "made.stl", options);
}

std::string stl_refusal(const std::string& bytes) {
  const Result<Asset> asset = load_stl(bytes);
  return asset ? "loaded" : asset.error().sentence;
}

using Triangle = std::array<Vec3, 3>;
// Two triangles of a square.
constexpr std::array<Triangle, 2> kTwoTriangles = {
    {{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5f}}}, {{{0, 0, 0}, {1, 1, 0.5f}, {0, 1, 0}}}}};

std::string text_facet(const Triangle& corners) {
  std::string text = "facet normal 0 0 1\n  outer loop\n";
  for (const Vec3& corner : corners)
    text += fmt::format("    vertex {} {} {}\n", corner.x, corner.y, corner.z);
  return text + "  endloop\nendfacet\n";
}

std::string text_solid(const std::string& name) {
  std::string text = "solid " + name + "\n";
  for (const Triangle& triangle : kTwoTriangles) text += text_facet(triangle);
  return text + "endsolid " + name + "\n";
}

std::string binary(std::string header, std::uint16_t attribute = 0) {
  header.resize(80, ' ');
  put(header, std::uint32_t{kTwoTriangles.size()});
  for (const Triangle& triangle : kTwoTriangles) {
    put(header, Vec3{0, 0, 1});
    put(header, triangle);
    put(header, attribute);
  }
  return header;
}

TEST(Stl, TextAndBytesGiveTheSameJoinedMesh) {
  const Result<Asset> text = load_stl(text_solid("")), bytes = load_stl(binary("made by hand"));
  ASSERT_TRUE(text) << text.error().sentence;
  ASSERT_TRUE(bytes) << bytes.error().sentence;
  EXPECT_EQ(mesh_of(text).points, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5f}, {0, 1, 0}}));
  EXPECT_EQ(mesh_of(text).polygons.corners, (std::vector<Index>{0, 1, 2, 0, 2, 3}));
  EXPECT_TRUE(mesh_of(text).normals.empty());
  EXPECT_EQ(test::difference_between(text->character, bytes->character), "");
  ASSERT_TRUE(test::has_note(text->notes, "corners-joined"));
  EXPECT_NE(text->notes.at(0).sentence.find("6 corners at 4 positions"), std::string::npos);
}

TEST(Stl, BytesWhoseHeaderSaysSolidAreStillBytes) {
  const Result<Asset> asset = load_stl(binary("solid made by a tool that should know better"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(mesh_of(asset).polygons.count(), 2u);
}

TEST(Stl, SolidsBecomePartsWithTheirNames) {
  const Result<Asset> asset =
      load_stl(text_solid("left hand") + "solid empty\nendsolid\n" + text_solid("right hand"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Mesh& mesh = mesh_of(asset);
  ASSERT_EQ(mesh.parts.size(), 2u);
  EXPECT_EQ(mesh.parts[0].object, "left hand");
  EXPECT_EQ(mesh.parts[1].object, "right hand");
  EXPECT_EQ(mesh.parts[1].first_polygon, 2);
  EXPECT_EQ(mesh.points.size(), 4u);  // both lie on the same points
}

TEST(Stl, CapitalsAndWindowsLineEndsReadTheSame) {
  std::string text = text_solid("a"), other;
  for (const char c : text)
    other += c == '\n' ? std::string("\r\n") : std::string(1, static_cast<char>(std::toupper(c)));
  const Result<Asset> expected = load_stl(text), asset = load_stl(other);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(test::difference_between(asset->character, expected->character), "");
}

TEST(Stl, AttributeBytesAndExtraBytesAreNoted) {
  const Result<Asset> asset = load_stl(binary("coloured", 0x7fff) + "end");
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(test::has_note(asset->notes, "facet-colours"));
  EXPECT_TRUE(test::has_note(asset->notes, "rows-left-over"));
}

TEST(Stl, BrokenFilesAreRefusedWithTheirFault) {
  std::string far = binary("far");
  const float infinite = INFINITY;
  std::memcpy(far.data() + 84 + 50 + 12, &infinite, sizeof infinite);
  const std::pair<std::string, const char*> cases[] = {
      {"", "is empty"},
      {"solid nothing\nendsolid\n", "has no facets"},
      {"not an STL file at all", "is too short for an STL file"},
      {binary("cut").substr(0, 150), "cut short: 2 facets are announced, 1 are there"},
      {far, "facet 1 has a corner that is not finite"},
      {"solid a\nfacet normal 0 0 1\nvertex 0 0 0\nvertex 1 0 0\nendfacet\n",
       "facet 0 has fewer than three corners"},
      {"solid a\nfacet normal 0 0 1\nvertex 0 0 nan\n",
       "facet 0 has a vertex that is not three finite numbers"},
      {"solid a\nfacet normal 0 0 1\nvertex 0 0\nvertex",
       "facet 0 has a vertex that is not three finite numbers"},
      {"solid a\nvertex 0 0 0\n", "facet 0 has a vertex outside"},
      {text_solid("a").substr(0, 100), "facet 0 is cut short"},
  };
  for (const auto& [bytes, words] : cases)
    EXPECT_NE(stl_refusal(bytes).find(words), std::string::npos) << stl_refusal(bytes);
}

TEST(Stl, MemoryIsAskedBeforeItIsTaken) {
  LoadOptions options;
  options.max_memory = 100;
  const Result<Asset> asset = load_stl(binary("large"), options);
  ASSERT_FALSE(asset);
  EXPECT_EQ(asset.error().code, Errc::too_large);
}

}  // namespace
}  // namespace dermis
