// SPDX-License-Identifier: MIT
// OBJ files from anyone: nothing is reordered, nothing is lost without a word, and what was read is written
// back.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "io/outcomes.h"
#include "io/text.h"
#include "notes.h"

namespace dermis {
namespace {

using test::TemporaryFolder;

Result<Asset> parse(const std::string& text) {
  return load_from_memory(std::as_bytes(std::span(text)), "test.obj");
}
Asset loaded_obj(const std::string& text) {
  Result<Asset> asset = parse(text);
  EXPECT_TRUE(asset) << asset.error().sentence;
  return asset ? std::move(*asset) : Asset{};
}
std::string obj_refusal(const std::string& text) {
  const Result<Asset> asset = parse(text);
  return asset ? "it loads" : asset.error().sentence;
}

constexpr const char* kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(ReadObj, KeepsPolygonsAndTheOrderOfPoints) {
  const Asset asset = loaded_obj(std::string(kSquare) + "v 9 9 9\nf 4 3 2 1\nf 1 2 5\n");
  const Mesh& mesh = asset.character.meshes[0];
  EXPECT_EQ(mesh.points.size(), 5u);
  EXPECT_EQ(mesh.polygons.first, (std::vector<std::uint32_t>{0, 4, 7}));
  EXPECT_EQ(mesh.polygons.corners, (std::vector<Index>{3, 2, 1, 0, 0, 1, 4}));
  ASSERT_EQ(asset.notes.size(), 1u);
  EXPECT_EQ(asset.notes[0].id, "unit-guessed");
}

TEST(ReadObj, CountsNegativeNumbersBackFromTheLineTheyStandOn) {
  const Asset asset =
      loaded_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nf -3/-1 -2/-1 -1/-1\nv 5 5 5\nf -4 -3 -1\n");
  EXPECT_EQ(asset.character.meshes[0].polygons.corners, (std::vector<Index>{0, 1, 2, 0, 1, 3}));
}

TEST(ReadObj, CountsNegativeNumbersAcrossPiecesOfALargeFile) {
  std::string text;
  constexpr int kTriangles = 60000;  // some three megabytes: several pieces
  for (int k = 0; k < kTriangles; ++k) {
    text += "v " + std::to_string(k) + " 0 0.125\nv " + std::to_string(k) + " 1 0\nv " + std::to_string(k) +
            " 0 1\nf -3 -2 -1\n";
  }
  text += "f 1 2 -1\n";
  const Asset asset = loaded_obj(text);
  const Mesh& mesh = asset.character.meshes[0];
  ASSERT_EQ(mesh.polygons.count(), kTriangles + 1u);
  for (std::size_t c = 0; c < 3 * kTriangles; ++c) ASSERT_EQ(mesh.polygons.corners[c], static_cast<Index>(c));
  EXPECT_EQ(mesh.polygons.corners.back(), 3 * kTriangles - 1);
  EXPECT_EQ(mesh.points[3 * 41234].x, 41234.0f);
}

TEST(ReadObj, ReadsEveryFormOfCorner) {
  const Asset asset = loaded_obj(
      std::string(kSquare) + "vt 0 0\nvt 1 0.25\nvn 0 0 1\nf 1/1/1 2/2/1 3/2/1\nf 1//1 2//1 3//1\nf 1 3 4\n");
  const Mesh& mesh = asset.character.meshes[0];
  ASSERT_EQ(mesh.uvs.size(), 1u);
  EXPECT_EQ(mesh.uvs[0].values[1], (Vec2{1, 0.75f}));  // counted from the top
  EXPECT_EQ(mesh.uvs[0].corner_value, (std::vector<Index>{0, 1, 1, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(mesh.normals.corner_value, (std::vector<Index>{0, 0, 0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(mesh.normals.values[1], Vec3{});
  EXPECT_TRUE(test::has_note(asset.notes, "uvs-missing"));
  EXPECT_TRUE(test::has_note(asset.notes, "normals-missing"));
}

TEST(ReadObj, StartsAPartAtEveryChangeOfLabel) {
  const Asset asset =
      loaded_obj(std::string(kSquare) +
                 "o body\ng left arm\nusemtl skin\ns 1\nf 1 2 3\nusemtl cloth\nf 1 3 4\ng\nusemtl skin\n"
                 "s off\nf 2 3 4\n");
  const Mesh& mesh = asset.character.meshes[0];
  ASSERT_EQ(mesh.parts.size(), 3u);
  EXPECT_EQ(mesh.parts[0].object, "body");
  EXPECT_EQ(mesh.parts[0].groups, "left arm");
  EXPECT_EQ(mesh.parts[0].smoothing, "1");
  EXPECT_EQ(mesh.parts[2].groups, "default");
  EXPECT_EQ(mesh.parts[2].smoothing, "off");
  EXPECT_EQ(mesh.parts[0].material, mesh.parts[2].material);
  EXPECT_EQ(asset.character.materials[static_cast<std::size_t>(mesh.parts[1].material)].name, "cloth");
  EXPECT_TRUE(test::has_note(asset.notes, "material-missing"));
}

TEST(ReadObj, TakesTabsWindowsAndMacLineEndsContinuedLinesAndComments) {
  const std::string unix_text = "v 0 0 0\nv 1 0 0\n# half way\nv\t1\t1\t0\nf 1 2 \\\n3 # the face\n";
  std::string windows_text, mac_text;
  for (const char c : unix_text) {
    windows_text += c == '\n' ? "\r\n" : std::string(1, c);
    mac_text += c == '\n' ? '\r' : c;
  }
  for (const std::string& text : {unix_text, windows_text, mac_text}) {
    EXPECT_EQ(loaded_obj(text).character.meshes[0].polygons.corners, (std::vector<Index>{0, 1, 2}));
  }
  EXPECT_EQ(loaded_obj("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r").character.meshes[0].polygons.count(), 1u);
}

TEST(ReadObj, DoesNotContinueACommentThatEndsInABackslash) {
  const Asset asset = loaded_obj("v 0 0 0 # c:\\temp\\\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\n");
  EXPECT_EQ(asset.character.meshes[0].points.size(), 3u);
  EXPECT_EQ(asset.character.meshes[0].polygons.corners, (std::vector<Index>{0, 1, 2}));
}

TEST(ReadObj, CountsContinuedAndMacLinesInItsRefusals) {
  EXPECT_EQ(obj_refusal("v 0 0 0\nv 1 \\\n0 0\nv 1 x 0\n"), "test.obj: line 4 does not have three numbers");
  EXPECT_EQ(obj_refusal("v 0 0 0\r\nv 1 \\\r\n0 0\r\nv 1 x 0\r\n"),
            "test.obj: line 4 does not have three numbers");
  EXPECT_EQ(obj_refusal("v 0 0 0\rv 1 \\\r0 0\rv 1 x 0\r"), "test.obj: line 4 does not have three numbers");
}

TEST(ReadObj, RefusesInOneSentenceWhateverBytesACornerHolds) {
  using namespace std::string_literals;
  EXPECT_EQ(obj_refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \0\n"s),
            "test.obj: line 4 has a corner '?' that is not a number from 1, or -1 backwards");
  EXPECT_EQ(obj_refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\1\n"s),
            "test.obj: line 4 has a corner that ends in '?'");
}

TEST(ReadObj, DoesNotReadTwoNumbersOutOfOne) {
  EXPECT_EQ(obj_refusal("v 1-2-3\n"), "test.obj: line 1 does not have three numbers");
  const Asset asset = loaded_obj("v 0.5.5 1 2\nv 1 0 3.1+e2\nv 0 1 0# here\nf 1 2 3\n");
  EXPECT_TRUE(test::has_note(asset.notes, "numbers-cut"));
  EXPECT_EQ(asset.character.meshes[0].points[0], (Vec3{0.5f, 1, 2}));
  EXPECT_EQ(asset.character.meshes[0].points[1], (Vec3{1, 0, 3.1f}));
  EXPECT_EQ(obj_refusal("v 0 0 1.#QNAN\n"), "test.obj: line 1 has a position that is not finite");
}

TEST(ReadObj, ReadDecimalCommasAsWholeNumbers) {
  const std::string sentence = "has decimal commas; write points";
  EXPECT_EQ(obj_refusal("v 0 0 0\nv 0,5 0 1\n"), "test.obj: line 2 " + sentence);
  EXPECT_EQ(obj_refusal("v 0 0 0 1,0 0,5 0\n"), "test.obj: line 1 " + sentence);
  EXPECT_EQ(obj_refusal(std::string(kSquare) + "vt 0 0,25\n"), "test.obj: line 5 " + sentence);
  EXPECT_EQ(obj_refusal(std::string(kSquare) + "vn 0 0,6 0,8\n"), "test.obj: line 5 " + sentence);
  EXPECT_TRUE(test::has_note(loaded_obj("v 0, 0, 0\nv 1, 0, 0\nv 0, 1, 0\nf 1 2 3\n").notes, "numbers-cut"));
}

TEST(ReadObj, SaysWhichNumbersItLeavesOutOrMends) {
  const Asset asset =
      loaded_obj("v 0 0 0 2\nv 1 0 0 1\nv 0 1 0 nan 0 0\nvt 0 0 0.5\nvt 0 0 0\nf 1/1 2/2 3/2\n");
  for (const char* id : {"uvs-third-dropped", "rational-weights-dropped", "attribute-not-finite"}) {
    const auto note =
        std::find_if(asset.notes.begin(), asset.notes.end(), [&](const Note& one) { return one.id == id; });
    ASSERT_NE(note, asset.notes.end()) << id;
    EXPECT_NE(note->sentence.find(": 1 "), std::string::npos) << note->sentence;
  }
}

TEST(ReadObj, ReadsColoursBehindPositions) {
  const Asset asset = loaded_obj("v 0 0 0\nv 1 0 0 1 0.5 0\nv 0 1 0 0 0 1\nf 1 2 3\n");
  ASSERT_EQ(asset.character.meshes[0].colours.size(), 1u);
  EXPECT_EQ(asset.character.meshes[0].colours[0].values[0], (Vec4{1, 1, 1, 1}));
  EXPECT_EQ(asset.character.meshes[0].colours[0].values[1], (Vec4{1, 0.5f, 0, 1}));
  EXPECT_TRUE(test::has_note(asset.notes, "colours-missing"));
}

TEST(ReadObj, ReadsNamesThatAreNotUtf8AsLatin1) {
  const Asset asset = loaded_obj(std::string(kSquare) + "usemtl H\xe4nde\nf 1 2 3\n");
  EXPECT_EQ(asset.character.materials[0].name, "H\u00e4nde");
  EXPECT_TRUE(test::has_note(asset.notes, "names-not-utf8"));
}

TEST(ReadObj, SaysWhatItLeavesOut) {
  const Asset asset =
      loaded_obj(std::string(kSquare) + "f 1 2\nl 1 2 3\np 1\nvp 0 0\nfrobnicate 3\nf 1 2 3\n");
  for (const char* id :
       {"faces-short", "lines-left-out", "points-left-out", "free-form-left-out", "statements-unknown"})
    EXPECT_TRUE(test::has_note(asset.notes, id)) << id;
  EXPECT_EQ(asset.character.meshes[0].polygons.count(), 1u);
}

TEST(ReadObj, MendsNormalsAndTextureCoordinatesThatAreNotNumbersOrNotThere) {
  const Asset asset = loaded_obj(std::string(kSquare) +
                                 "vn nan 0 1\nvn -nan(ind) 1.#QNAN 0\nvt inf 0\nf 1/1/1 2/7/2 3/1/9\n");
  for (const char* id :
       {"normals-not-finite", "attribute-not-finite", "uvs-out-of-range", "normals-out-of-range"})
    EXPECT_TRUE(test::has_note(asset.notes, id)) << id;
}

TEST(ReadObj, RefusesWhatHasNoMeaningAndNamesTheLine) {
  EXPECT_EQ(obj_refusal("v 0 0 0\nv 1 x 0\nv 1 0 0\n"), "test.obj: line 2 does not have three numbers");
  EXPECT_EQ(obj_refusal("v 0 0 0\nv 1 0."),
            "test.obj: line 2 does not have three numbers; is the file cut short?");
  EXPECT_EQ(obj_refusal("v 0 0 0\n\nv 1 nan 0\n"), "test.obj: line 3 has a position that is not finite");
  EXPECT_EQ(obj_refusal("v 1e99 0 0\n"), "test.obj: line 1 has a position that is not finite");
  EXPECT_EQ(obj_refusal(std::string(kSquare) + "f 1 2 3\nf 1 2 5\n"),
            "test.obj: line 6: a face refers to a point that does not exist: the file has 4");
  EXPECT_EQ(obj_refusal(std::string(kSquare) + "f 1 2 -5\n"),
            "test.obj: line 5: a face refers to a point that does not exist: the file has 4");
  EXPECT_EQ(obj_refusal(std::string(kSquare) + "f 0 2 3\n"),
            "test.obj: line 5 has a corner '0' that is not a number from 1, or -1 backwards");
  EXPECT_EQ(obj_refusal(std::string(kSquare) + "f 1 2 99999999999\n"),
            "test.obj: line 5 has a corner '99999999999' that is not a number from 1, or -1 backwards");
  EXPECT_EQ(obj_refusal(""), "test.obj: has no points");
  EXPECT_EQ(obj_refusal("hello\n"), "test.obj: has no points");
}

TEST(ReadObj, GivesACloudItsNormalsAndSkipsAByteOrderMark) {
  const Asset asset = loaded_obj("\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nvn 0 0 1\nvn 0 1 0\n");
  EXPECT_EQ(asset.notes.size(), 1u);  // that the unit is guessed
  EXPECT_TRUE(asset.character.meshes[0].normals.is_per_point());
  EXPECT_EQ(asset.character.meshes[0].normals.values.size(), 2u);
}

// ---- Outcomes ----

constexpr test::Expected kObjModels[] = {
    {"OBJ/WusonOBJ.obj", "loads"},
    {"OBJ/box.obj", "notes: material-missing"},
    {"OBJ/box_UTF16BE.obj", "refused: is UTF-16 text; save it as UTF-8 or ASCII"},
    {"OBJ/box_longline.obj", "notes: material-missing"},
    {"OBJ/box_mat_with_spaces.obj", "notes: material-lines-unused, names-not-utf8"},
    {"OBJ/box_without_lineending.obj", "notes: material-missing"},
    {"OBJ/concave_polygon.obj", "notes: material-lines-unused"},
    {"OBJ/cube_mtllib_after_g.obj", "notes: material-missing, materials-missing"},
    {"OBJ/cube_usemtl.obj", "notes: material-lines-unused, material-missing"},
    {"OBJ/cube_with_vertexcolors.obj", "loads"},
    {"OBJ/cube_with_vertexcolors_uni.obj", "loads"},
    {"OBJ/empty_mat.obj", "notes: material-lines-unused"},
    {"OBJ/multiple_spaces.obj", "notes: uvs-third-dropped, uvs-unused"},
    {"OBJ/number_formats.obj", "notes: numbers-cut"},
    {"OBJ/point_cloud.obj", "loads"},
    {"OBJ/regr01.obj", "notes: material-lines-unused, names-not-utf8, uvs-missing, uvs-third-dropped"},
    {"OBJ/regr_3429812.obj", "notes: material-lines-unused"},
    {"OBJ/space_in_material_name.obj", "notes: material-lines-unused"},
    {"OBJ/spider.obj", "notes: material-lines-unused"},
    {"OBJ/testline.obj", "notes: lines-left-out, material-missing"},
    {"OBJ/testmixed.obj", "notes: lines-left-out, material-missing, points-left-out"},
    {"OBJ/testpoints.obj", "notes: material-missing, points-left-out"},
    {"invalid/empty.obj", "refused: has no points"},
    {"invalid/malformed.obj",
     "refused: line 28 has a corner '0' that is not a number from 1, or -1 backwards"},
    {"invalid/malformed2.obj", "notes: faces-short, material-missing"},
};
constexpr test::Expected kObjData[] = {
    {"autorig/hand_lowres.obj", "loads"},
    {"autorig/human_man.obj", "loads"},
    {"autorig/human_neutral.obj", "loads"},
    {"autorig/koala_low_resolution.obj", "loads"},
    {"autorig/makehuman/base.obj", "loads"},
    {"autorig/scorpion_low_resolution.obj", "loads"},
    {"autorig/spot_control_mesh.obj", "loads"},
    {"autorig/zbrush_polygroup_mess.obj", "notes: statements-unknown"},
    {"faces/ict/generic_neutral_mesh.obj", "notes: material-missing, materials-missing"},
    {"faces/ict/jawOpen.obj", "notes: material-missing, materials-missing"},
    {"faces/mediapipe/canonical_face_model.obj", "loads"},
    {"fbx-oracle/maya_blend_inbetween_1.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_blend_inbetween_120.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_blend_inbetween_30.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_blend_inbetween_60.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_blend_inbetween_65.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_blend_inbetween_71.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_blend_inbetween_80.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_blend_inbetween_89.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_dq_weights_10.obj", "loads"},
    {"fbx-oracle/maya_dq_weights_18.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_dual_quaternion.obj", "notes: material-missing, materials-missing"},
    {"fbx-oracle/maya_dual_quaternion_scale.obj", "loads"},
    {"fbx-oracle/maya_game_sausage_spin_15.obj", "loads"},
    {"fbx-oracle/maya_game_sausage_spin_7.obj", "loads"},
    {"fbx-oracle/maya_game_sausage_wiggle_10.obj", "loads"},
    {"fbx-oracle/maya_game_sausage_wiggle_18.obj", "loads"},
    {"fbx-oracle/maya_skinned_pivot.obj", "loads"},
    {"fem/vega-turtle/turtle.obj", "notes: material-missing, materials-missing, uvs-missing"},
    {"sequences/cragl-cylinder/pose-1.obj", "loads"},
    {"sequences/cragl-cylinder/pose-2.obj", "loads"},
    {"sequences/cragl-cylinder/pose-3.obj", "loads"},
    {"sequences/cragl-cylinder/pose-4.obj", "loads"},
    {"sequences/cragl-cylinder/rest.obj", "notes: uvs-out-of-range"},
    {"sequences/cragl-wolf/pose-1.obj", "loads"},
    {"sequences/cragl-wolf/pose-2.obj", "loads"},
    {"sequences/cragl-wolf/pose-3.obj", "loads"},
    {"sequences/cragl-wolf/pose-4.obj", "loads"},
    {"sequences/cragl-wolf/pose-5.obj", "loads"},
    {"sequences/cragl-wolf/pose-6.obj", "loads"},
    {"sequences/cragl-wolf/rest.obj", "loads"},
    {"sequences/dembones/Bone_Anim_frame0.obj", "loads"},
};

TEST(ObjOutcomes, OfAssimpsModelsAreTheExpectedOnes) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  test::expect_table(test::assimp_folder(), {".obj"}, kObjModels);
}

TEST(ObjOutcomes, OfRealFilesAreTheExpectedOnes) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  test::expect_table(test::data_folder(), {".obj"}, kObjData);
}

// ---- Numbers ----

TEST(TakeFloat, GivesTheFloatThatFromCharsGives) {
  std::uint64_t state = 88172645463325252ull;  // xorshift, so that every run is the same
  const auto random = [&] { return state ^= state << 13, state ^= state >> 7, state ^= state << 17; };
  for (int k = 0; k < 300000; ++k) {
    std::string text = random() % 2 == 0 ? "-" : "";
    const int before = static_cast<int>(random() % 6), after = static_cast<int>(random() % 14);
    for (int d = 0; d < before; ++d) text += static_cast<char>('0' + random() % 10);
    if (after > 0 || before == 0) text += '.';
    for (int d = 0; d < after + (before == 0 ? 1 : 0); ++d) text += static_cast<char>('0' + random() % 10);
    if (random() % 5 == 0) text += "e" + std::to_string(static_cast<int>(random() % 60) - 30);
    float expected = 0, found = 1;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    std::string_view rest = text;
    ASSERT_TRUE(take_float(rest, found)) << text;
    EXPECT_TRUE(rest.empty()) << text;
    EXPECT_EQ(found, expected) << text;
  }
}

TEST(TakeFloat, RoundsOnceAlsoBetweenTwoFloats) {
  // 16777217 lies between two floats; so do these, a hair to either side of the middle.
  for (const char* text : {"16777217", "16777217.0000001", "16777216.9999999", "0.50000002980232238769",
                           "0.500000029802322387", "33554434.0000000001"}) {
    float expected = 0, found = 1;
    std::from_chars(text, text + std::string_view(text).size(), expected);
    std::string_view rest = text;
    ASSERT_TRUE(take_float(rest, found));
    EXPECT_EQ(found, expected) << text;
  }
}

TEST(TakeFloat, TakesNothingWhereThereIsNoNumber) {
  for (const char* text : {"", " ", "x", "-", "+", ".", "-.", "--1", "+-1"}) {
    std::string_view rest = text;
    float number = 7;
    EXPECT_FALSE(take_float(rest, number)) << "'" << text << "'";
    EXPECT_EQ(rest, text);
  }
}

// ---- Materials ----

TEST(ReadMtl, TakesColoursOpacityRoughnessAndPictures) {
  const TemporaryFolder folder;
  test::write_text(
      folder.path() / "my hero.mtl",
      "newmtl skin\nKd 0.5 0.25 1\nd 0.5\nPr 0.25\nPm 1\nKe 1 0 0\nNs 100\n"
      "map_Kd -s 1 1 1 -clamp on C:\\art\\skin tone.png\nnewmtl dull\nNs 0\nTr 0.25\nmap_Kd gone.png\n");
  test::write_text(folder.path() / "skin tone.png", "not really");
  test::write_text(folder.path() / "hero.obj", std::string("mtllib my hero.mtl\n") + kSquare +
                                                   "usemtl skin\nf 1 2 3\nusemtl dull\nf 1 3 4\n");
  const Result<Asset> asset = load(folder.file("hero.obj"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Character& character = asset->character;
  ASSERT_EQ(character.materials.size(), 2u);
  const Material& skin = character.materials[0];
  EXPECT_EQ(skin.base_colour, (Vec4{0.5f, 0.25f, 1, 0.5f}));
  EXPECT_EQ(skin.roughness, 0.25f);
  EXPECT_EQ(skin.metallic, 1.0f);
  EXPECT_EQ(skin.emission, (Vec3{1, 0, 0}));
  ASSERT_EQ(skin.base_colour_image, 0);
  EXPECT_EQ(character.images[0].name, "skin tone.png");
  EXPECT_EQ(character.materials[1].base_colour.w, 0.75f);
  EXPECT_EQ(character.materials[1].roughness, 1.0f);
  EXPECT_TRUE(test::has_note(asset->notes, "image-missing"));
}

// ---- Round trips ----

#ifdef DERMIS_CLI

// The lines that matter, numbers as numbers: comments, blank lines and the name of the material file aside.
std::vector<std::string> statements(const std::string& text) {
  std::vector<std::string>
      lists[4];  // v, vt, vn and everything about faces: OBJ allows any order between them
  std::string label[4];
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, normal;
    words >> word;
    const std::string rest =
        std::string(trimmed(std::string_view(line).substr(std::min(line.size(), word.size() + 1))));
    if (word == "v" || word == "vt" || word == "vn") {
      normal = word;
      std::vector<float> numbers;
      for (float number = 0; words >> number;) numbers.push_back(number);
      // What stands for nothing: a w of 1, a third texture coordinate of 0.
      if (word == "v" && numbers.size() == 4 && numbers.back() == 1) numbers.pop_back();
      if (word == "vt" && numbers.size() == 3 && numbers.back() == 0) numbers.pop_back();
      for (const float number : numbers)
        normal += " " + std::to_string(std::bit_cast<std::uint32_t>(number + 0.0f));
      lists[word == "v" ? 0 : word == "vt" ? 1 : 2].push_back(normal);
    } else if (word == "o" || word == "g" || word == "usemtl" || word == "s") {
      label[word == "o" ? 0 : word == "g" ? 1 : word == "usemtl" ? 2 : 3] = rest;
    } else if (word == "f") {
      for (const std::string& l : label) normal += l + "|";
      for (std::string corner; words >> corner && corner[0] != '#';) normal += corner + " ";
      lists[3].push_back(normal);
    }
  }
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

void expect_same_statements(const std::string& before, const std::string& after, const std::string& name) {
  const std::vector<std::string> a = statements(before), b = statements(after);
  ASSERT_EQ(a.size(), b.size()) << name;
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_EQ(a[k], b[k]) << name;
}

TEST(ObjRoundTrip, WritesBackWhatItRead) {
  const TemporaryFolder folder;
  const std::string text =
      std::string("mtllib in.mtl\n") + kSquare +
      "vt 0.1 0.2\nvt 0.123456 0.7\nvn 0 0 2\nvn 0.1 0.2 0.3\no body\ng a b\nusemtl skin\ns 1\n"
      "f 1/1/1 2/2/1 3/1/2 4/2/2\ng c\nusemtl cloth\ns off\nf 1/1/1 2/1/1 4/1/1\n";
  const std::string mtl =
      "newmtl skin\nKa 1 1 1\nKd 0.5 0.5 0.5\nillum 2\n\nnewmtl cloth\nKd 1 0 0\nrefl -type sphere a.png\n";
  test::write_text(folder.path() / "in.obj", text);
  test::write_text(folder.path() / "in.mtl", mtl);
  const test::CliResult result =
      test::run_cli({"convert", folder.file("in.obj"), "-o", folder.file("out.obj")});
  ASSERT_EQ(result.code, 0) << result.err;
  expect_same_statements(text, test::read_text(folder.path() / "out.obj"), "in.obj");
  EXPECT_EQ(test::read_text(folder.path() / "out.mtl"), "# dermis\n\n" + mtl);
}

TEST(ObjRoundTrip, OfRealFilesIsIdenticalButForTheFormOfNumbers) {
  std::vector<test::fs::path> files = test::files_below(test::assimp_folder(), {".obj"});
  for (const test::fs::path& file : test::files_below(test::data_folder(), {".obj"})) files.push_back(file);
  if (files.empty()) GTEST_SKIP() << "no files made elsewhere are at hand";
  std::size_t compared = 0;
  for (const test::fs::path& file : files) {
    const Result<Asset> asset = load(file.string());
    // What could not be taken as it was is said; the comparison below does not know about it.
    const auto is_change = [](const Note& note) {
      return note.kind != Note::Kind::info && note.id != "unit-guessed" && note.id != "uvs-missing" &&
             note.id != "material-missing" && note.id != "image-missing" && note.id != "materials-missing";
    };
    if (!asset || std::any_of(asset->notes.begin(), asset->notes.end(), is_change)) continue;
    const TemporaryFolder folder;
    const test::CliResult result = test::run_cli({"convert", file.string(), "-o", folder.file("out.obj")});
    ASSERT_EQ(result.code, 0) << result.err;
    expect_same_statements(test::read_text(file), test::read_text(folder.path() / "out.obj"), file.string());
    ++compared;
  }
  EXPECT_GT(compared, 5u);
}

TEST(ObjToGltf, CarriesMaterialsPicturesAndTextureCoordinatesThereAndBack) {
  const TemporaryFolder folder, away;
  const std::string png = "\x89PNG\r\n\x1a\n and the rest";
  test::write_text(folder.path() / "skin.png", png);
  test::write_text(folder.path() / "in.mtl", "newmtl skin\nKd 1 0.5 0.25\nPr 0.5\nmap_Kd skin.png\n");
  test::write_text(folder.path() / "in.obj", std::string("mtllib in.mtl\n") + kSquare +
                                                 "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl skin\n"
                                                 "f 1/1 2/2 3/3 4/4\n");
  test::CliResult result = test::run_cli({"convert", folder.file("in.obj"), "-o", away.file("mid.glb")});
  ASSERT_EQ(result.code, 0) << result.err;
  const Result<Asset> mid = load(away.file("mid.glb"));
  ASSERT_TRUE(mid) << mid.error().sentence;
  ASSERT_EQ(mid->character.materials.size(), 1u);
  EXPECT_EQ(mid->character.materials[0].name, "skin");
  EXPECT_EQ(mid->character.materials[0].base_colour, (Vec4{1, 0.5f, 0.25f, 1}));
  ASSERT_EQ(mid->character.images.size(), 1u);
  EXPECT_EQ(mid->character.images[0].bytes.size(), png.size());
  EXPECT_EQ(mid->character.meshes[0].uvs[0].values[0], (Vec2{0, 1}));
  result = test::run_cli({"deform", away.file("mid.glb"), "-o", away.file("out.obj")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(away.names(), (std::vector<std::string>{"mid.glb", "out.mtl", "out.obj", "skin.png"}));
  EXPECT_EQ(test::read_text(away.path() / "skin.png"), png);
  const std::string mtl = test::read_text(away.path() / "out.mtl");
  EXPECT_NE(mtl.find("map_Kd skin.png"), std::string::npos) << mtl;
  EXPECT_NE(mtl.find("Kd 1 0.5 0.25"), std::string::npos) << mtl;
  // Writing the same again replaces its own files and no others.
  EXPECT_EQ(test::run_cli({"deform", away.file("mid.glb"), "-o", away.file("out.obj")}).code, 0);
  test::write_text(away.path() / "other.mtl", "newmtl precious\n");
  result = test::run_cli({"deform", away.file("mid.glb"), "-o", away.file("other.obj")});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("other.mtl: already exists"), std::string::npos) << result.err;
  EXPECT_FALSE(test::fs::exists(away.path() / "other.obj"));
}

#endif

}  // namespace
}  // namespace dermis
