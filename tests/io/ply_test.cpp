// SPDX-License-Identifier: MIT
// PLY in all its forms: what is read, what is mended, what is refused, and what goes round.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/motion.h"
#include "io/made_bytes.h"
#include "io/made_gltf.h"
#include "io/same_character.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::mesh_of;
using test::put;

Result<Asset> load_ply(const std::string& text, const LoadOptions& options = {}) {
  return load_from_memory(std::as_bytes(std::span(text)), "made.ply", options);
}

std::string ply_refusal(const std::string& text) {
  const Result<Asset> asset = load_ply(text);
  return asset ? "loaded" : asset.error().sentence;
}

constexpr const char* kQuadHeader =
    "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n";

TEST(Ply, AsciiKeepsAPolygonAPolygon) {
  const Result<Asset> asset =
      load_ply(std::string("ply\nformat ascii 1.0\ncomment hello\nobj_info made by hand\n") + kQuadHeader +
               "0 0 0\n1 0 0\n1 1 0\n0 1 0.1\n4 0 1 2 3\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(asset->notes.size(), 1u);  // that the unit is guessed
  EXPECT_EQ(mesh_of(asset).points[3], (Vec3{0, 1, 0.1f}));
  EXPECT_EQ(mesh_of(asset).polygons.corners, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(asset->character.nodes.at(0).name, "made");
  EXPECT_EQ(asset->character.instances.at(0).skin, kNone);
  EXPECT_TRUE(asset->character.is_unit_guessed);
}

TEST(Ply, WrittenAsTextReadsBackAsWrittenInBytes) {
  const Result<Character> made = make_character(MadeKind::hand, {1500});
  ASSERT_TRUE(made);
  Character still = *made;
  for (Mesh& mesh : still.meshes) {
    mesh.colours.resize(1);
    mesh.colours[0].values.assign(mesh.points.size(), Vec4{1, 0.2f, 0, 1});
    mesh.points[0] = {0.1f, -1e-20f, 12345678};
  }
  const test::TemporaryFolder folder;
  SaveOptions text;
  text.ascii = true;
  ASSERT_TRUE(save_posed(folder.file("made.ply"), {}, still));
  const Result<Asset> bytes = load(folder.file("made.ply"));
  ASSERT_TRUE(save_posed(folder.file("made.ply"), {}, still, text));
  EXPECT_TRUE(test::read_text(folder.path() / "made.ply").starts_with("ply\nformat ascii 1.0\n"));
  const Result<Asset> lines = load(folder.file("made.ply"));
  ASSERT_TRUE(bytes && lines);
  EXPECT_EQ(test::difference_between(lines->character, bytes->character), "");
}

TEST(Ply, LineEndsOfEverySystemReadTheSame) {
  const std::string text =
      std::string("ply\nformat ascii 1.0\n") + kQuadHeader + "0 0 0\n1 0 0\n1 1 0\n0 1 0.1\n4 0 1 2 3\n";
  const Result<Asset> expected = load_ply(text);
  ASSERT_TRUE(expected);
  for (const char* line_end : {"\r\n", "\r"}) {
    std::string other;
    for (const char c : text) other += c == '\n' ? line_end : std::string(1, c);
    const Result<Asset> asset = load_ply(other);
    ASSERT_TRUE(asset) << asset.error().sentence;
    EXPECT_EQ(test::difference_between(asset->character, expected->character), "");
  }
}

TEST(Ply, BothByteOrdersWithMixedTypesAndFacesFirstReadTheSame) {
  for (const bool is_big : {false, true}) {
    std::string text = fmt::format(
        "ply\r\nformat binary_{}_endian 1.0\r\n"
        "element face 1\r\nproperty uchar flag\r\nproperty list ushort uint vertex_index\r\n"
        "element vertex 3\r\nproperty double z\r\nproperty list uchar short tags\r\nproperty short "
        "x\r\nproperty float y\r\n"
        "element edge 2\r\nproperty int vertex1\r\nend_header\r\n",
        is_big ? "big" : "little");
    put(text, std::uint8_t{9}, is_big);
    put(text, std::uint16_t{3}, is_big);
    for (const std::uint32_t v : {2u, 1u, 0u}) put(text, v, is_big);
    for (int v = 0; v < 3; ++v) {
      put(text, 0.5 * v, is_big);
      put(text, std::uint8_t{2}, is_big);
      put(text, std::int16_t{7}, is_big);
      put(text, std::int16_t{8}, is_big);
      put(text, static_cast<std::int16_t>(-v), is_big);
      put(text, static_cast<float>(v) + 0.25f, is_big);
    }
    put(text, std::int32_t{0}, is_big);
    put(text, std::int32_t{1}, is_big);
    const Result<Asset> asset = load_ply(text);
    ASSERT_TRUE(asset) << asset.error().sentence;
    EXPECT_EQ(mesh_of(asset).points, (std::vector<Vec3>{{0, 0.25f, 0}, {-1, 1.25f, 0.5f}, {-2, 2.25f, 1}}));
    EXPECT_EQ(mesh_of(asset).polygons.corners, (std::vector<Index>{2, 1, 0}));
    EXPECT_TRUE(test::has_note(asset->notes, "element-dropped"));     // the edges
    EXPECT_TRUE(test::has_note(asset->notes, "properties-dropped"));  // flag, tags
  }
}

TEST(Ply, NormalsColoursAndTextureCoordinatesComeAlong) {
  const Result<Asset> asset = load_ply(
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\n"
      "property uchar blue\nproperty float s\nproperty float t\n"
      "element face 1\nproperty list uchar int vertex_indices\nproperty list uchar float "
      "texcoord\nend_header\n"
      "0 0 0 0 0 2 255 51 0 0.25 0.75\n1 0 0 0 0 1 0 0 0 0 0\n0 1 0 0 0 nan 0 0 0 0 0\n3 0 1 2 6 0 0 1 0 1 "
      "1\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Mesh& mesh = mesh_of(asset);
  EXPECT_EQ(mesh.normals.values, (std::vector<Vec3>{{0, 0, 1}, {0, 0, 1}, {}}));
  EXPECT_TRUE(test::has_note(asset->notes, "normals-not-unit"));
  EXPECT_TRUE(test::has_note(asset->notes, "attribute-not-finite"));
  EXPECT_EQ(mesh.colours.at(0).values[0], (Vec4{1, 0.2f, 0, 1}));
  ASSERT_EQ(mesh.uvs.size(), 2u);  // those of the corners first
  EXPECT_EQ(mesh.uvs[0].values[static_cast<std::size_t>(mesh.uvs[0].corner_value[2])], (Vec2{1, 0}));
  EXPECT_EQ(mesh.uvs[1].values[0], (Vec2{0.25f, 0.25f}));
}

TEST(Ply, StripsBecomeTrianglesOfOneSense) {
  const Result<Asset> asset = load_ply(
      "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n0 1 0\n1 0 0\n1 1 0\n2 0 0\n9 0 2 1 3 -1 2 4 3 3\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(mesh_of(asset).polygons.corners, (std::vector<Index>{0, 2, 1, 2, 3, 1, 2, 4, 3}));
}

TEST(Ply, StripsBesideFacesWithTextureCoordinatesKeepTheseAndAreNoted) {
  const Result<Asset> asset = load_ply(
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n"
      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n0 1 0\n1 0 0\n1 1 0\n3 0 1 2 6 0.25 1 0.5 1 0.75 1\n3 1 2 3\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  ASSERT_EQ(mesh_of(asset).uvs.size(), 1u);
  const Attribute<Vec2>& uvs = mesh_of(asset).uvs[0];
  ASSERT_EQ(uvs.corner_value.size(), 6u);
  EXPECT_EQ(uvs.values[static_cast<std::size_t>(uvs.corner_value[2])], (Vec2{0.75f, 0}));
  EXPECT_TRUE(test::has_note(asset->notes, "uvs-missing"));
}

TEST(Ply, CloudsOfPointsLoadWithoutPolygons) {
  const Result<Asset> asset = load_ply(
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float "
      "z\nend_header\n"
      "0 0 0\n1 2 3\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(mesh_of(asset).polygons.count(), 0u);
}

TEST(Ply, OddPolygonsAreCountedInNotes) {
  const Result<Asset> asset = load_ply(
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 3\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n3 0 0 "
      "1\n3 0 1 2 7\nx\n");
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(mesh_of(asset).polygons.count(), 2u);
  for (const char* id : {"polygons-dropped", "polygons-repeat-points", "values-left-over", "rows-left-over"})
    EXPECT_TRUE(test::has_note(asset->notes, id)) << id;
}

TEST(Ply, ZUpIsTurnedWhenAskedFor) {
  LoadOptions options;
  options.up = UpAxis::z;
  const Result<Asset> asset = load_ply(
      std::string("ply\nformat ascii 1.0\n") + kQuadHeader + "0 0 0\n1 0 0\n1 1 0\n0 1 5\n4 0 1 2 3\n",
      options);
  ASSERT_TRUE(asset);
  EXPECT_EQ(mesh_of(asset).points[3], (Vec3{0, 5, -1}));
  EXPECT_TRUE(test::has_note(asset->notes, "turned-up"));
}

TEST(Ply, BrokenFilesAreRefusedWithTheirFault) {
  const auto body = [](const char* rows) {
    return std::string("ply\nformat ascii 1.0\n") + kQuadHeader + rows;
  };
  const std::pair<std::string, const char*> cases[] = {
      {"", "first line is not 'ply'"},
      {"ply\nformat ascii 1.0\nelement vertex 3\n", "no 'end_header'"},
      {"ply\nelement vertex 3\nend_header\n", "comes before any 'format'"},
      {"ply\nformat ebcdic 1.0\n", "unknown format 'ebcdic'"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty number x\n", "unknown type 'number'"},
      {"ply\nformat ascii 1.0\nelement vertex -1\n", "counts its elements as '-1'"},
      {"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float "
       "z\nend_header\n",
       "has no points"},
      {"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nend_header\n1 2\n1 2\n",
       "no element 'vertex' with x, y and z"},
      {"ply\nformat binary_little_endian 1.0\nelement vertex 99999999999\nproperty float x\nproperty float "
       "y\n"
       "property float z\nend_header\n123",
       "too many for 32-bit indices"},
      {"ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
       "property float z\nend_header\n0123456789ab01234",
       "cut short: 2 rows of 'vertex'"},
      {body("0 0 0\n1 0 0\n1 1 0\n"), "cut short: 4 rows of 'vertex'"},
      {body("0 0 0\n1 0 0\n1 1\n0 1 0\n4 0 1 2 3\n"), "vertex 2 is cut short"},
      {body("0 0 0\n1 0 inf\n1 1 0\n0 1 0\n4 0 1 2 3\n"), "vertex 1 has a position that is not finite"},
      {body("0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 4\n"), "face 0 refers to vertex 4 of 4"},
      {body("0 0 0\n1 0 0\n1 1 0\n0 1 0\n5 0 1 2 3\n"), "face 0 is cut short"},
  };
  for (const auto& [text, words] : cases)
    EXPECT_NE(ply_refusal(text).find(words), std::string::npos) << ply_refusal(text);
}

TEST(Ply, MemoryIsAskedBeforeItIsTaken) {
  std::string text =
      "ply\nformat binary_little_endian 1.0\nelement vertex 100000\nproperty uchar x\nproperty uchar "
      "y\nproperty "
      "uchar z\nend_header\n" +
      std::string(300000, 'a');
  LoadOptions options;
  options.max_memory = 1 << 20;
  const Result<Asset> asset = load_ply(text, options);
  ASSERT_FALSE(asset);
  EXPECT_EQ(asset.error().code, Errc::too_large);
}

TEST(Ply, MemoryOfPolygonsIsAskedBeforeItIsTaken) {
  std::string text = std::string("ply\nformat ascii 1.0\n") +
                     "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                     "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
                     "0 0 0\n1 0 0\n0 1 0\n300000";
  for (int k = 0; k < 100000; ++k) text += " 0 1 2";
  LoadOptions options;
  options.max_memory = 1 << 20;
  const Result<Asset> asset = load_ply(text + "\n", options);
  ASSERT_FALSE(asset);
  EXPECT_EQ(asset.error().code, Errc::too_large);
}

TEST(Ply, WrittenMeshesComeBackWithTheirNormalsColoursAndCoordinates) {
  const test::TemporaryFolder folder;
  Character still;
  Mesh& mesh = still.meshes.emplace_back();
  mesh.name = "square";
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.1f}};
  mesh.polygons.first = {0, 4};
  mesh.polygons.corners = {0, 1, 2, 3};
  mesh.normals.values.assign(4, {0, 0, 1});
  mesh.uvs.push_back({{{0, 0}, {0.5f, 0.25f}, {1, 1}, {0, 1}}, {}});
  mesh.colours.push_back({{{1, 0, 0, 1}, {0.2f, 0, 0, 1}, {0, 0, 1, 0}, {1, 1, 1, 1}}, {}});
  mesh.weld = {0, 1, 2, 3};
  mesh.parts.push_back({0, 4, 0, 1});
  still.nodes.emplace_back().name = "square";
  still.instances.push_back({0, 0, kNone, {}, true});
  still.is_unit_guessed = true;
  ASSERT_TRUE(validate(still)) << validate(still).error().sentence;
  const Result<Notes> saved = save_posed(folder.file("square.ply"), Asset{still, {}, nullptr}, still);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(saved->empty());
  const Result<Asset> again = load(folder.file("square.ply"));
  ASSERT_TRUE(again) << again.error().sentence;
  EXPECT_EQ(test::difference_between(again->character, still), "");
}

TEST(Ply, AMadeCharactersRestPoseComesBackBitForBit) {
  const test::TemporaryFolder folder;
  const Result<Character> made = make_character(MadeKind::tube, {1000}, {});
  ASSERT_TRUE(made);
  const Result<PoseFrame> rest = pose_frame(*made, {});
  const Result<Character> still = deform_character(*made, *rest, {});
  ASSERT_TRUE(still);
  ASSERT_TRUE(save_posed(folder.file("rest.ply"), Asset{*made, {}, nullptr}, *still));
  const Result<Asset> again = load(folder.file("rest.ply"));
  ASSERT_TRUE(again) << again.error().sentence;
  EXPECT_EQ(mesh_of(again).points, still->meshes[0].points);
  EXPECT_EQ(mesh_of(again).normals.values, still->meshes[0].normals.values);
  EXPECT_EQ(mesh_of(again).polygons.corners, still->meshes[0].polygons.corners);
}

}  // namespace
}  // namespace dermis
