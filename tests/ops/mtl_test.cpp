// SPDX-License-Identifier: MIT
// Materials of OBJ files: each keeps its name and pictures, and no file beyond the OBJ's folder is touched.
#include <gtest/gtest.h>

#include <algorithm>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

constexpr const char* kTexturedTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n";
constexpr const char* kPng = "\x89PNG\r\n\x1a\n and the rest";

// An OBJ of two triangles with two materials, in a folder of its own; results go to another.
class Materials : public testing::Test {
 protected:
  void write(const std::string& mtl, const std::string& head = "mtllib in.mtl\n") const {
    test::write_text(in.path() / "in.mtl", mtl);
    test::write_text(in.path() / "in.obj",
                     head + kTexturedTriangle + "usemtl a\nf 1/1 2/2 3/3\nusemtl b\nf 3/3 2/2 1/1\n");
  }
  Asset loaded() const {
    Result<Asset> asset = load(in.file("in.obj"));
    EXPECT_TRUE(asset) << asset.error().sentence;
    return asset ? std::move(*asset) : Asset{};
  }
  ConvertReport converted(const std::string& output) const {
    ConvertJob job;
    job.input = in.file("in.obj");
    job.output = output;
    Result<ConvertReport> report = convert(job);
    EXPECT_TRUE(report) << report.error().sentence;
    return report ? std::move(*report) : ConvertReport{};
  }
  const test::TemporaryFolder in, out;
};

TEST_F(Materials, ThatShareANameStayTwo) {
  write("newmtl a\nKd 1 0 0\nnewmtl b\nKd 0 1 0\n");
  Asset asset = loaded();
  asset.character.materials[0].name = asset.character.materials[1].name = "skin";
  ASSERT_TRUE(save_posed(out.file("out.obj"), asset, asset.character));
  const Result<Asset> again = load(out.file("out.obj"));
  ASSERT_TRUE(again) << again.error().sentence;
  ASSERT_EQ(again->character.materials.size(), 2u);
  EXPECT_EQ(again->character.materials[0].base_colour, (Vec4{1, 0, 0, 1}));
  EXPECT_EQ(again->character.materials[1].base_colour, (Vec4{0, 1, 0, 1}));
  EXPECT_EQ(again->character.meshes[0].parts[1].material, 1);
}

TEST_F(Materials, WithABackslashAtTheEndOfTheirNameAreReadBack) {
  write("newmtl a\nnewmtl b\n");
  Asset asset = loaded();
  asset.character.materials[0].name = "C:\\";
  ASSERT_TRUE(save_posed(out.file("out.obj"), asset, asset.character));
  const Result<Asset> again = load(out.file("out.obj"));
  ASSERT_TRUE(again) << again.error().sentence;
  EXPECT_EQ(again->character.meshes[0].polygons.count(), 2u);
  EXPECT_FALSE(test::has_note(again->notes, "material-missing"));
}

TEST_F(Materials, NameTheirPictureWhereItWasCopied) {
  test::fs::create_directories(in.path() / "tex");
  test::write_text(in.path() / "tex" / "skin.png", kPng);
  write("newmtl a\nmap_Kd -clamp on tex/skin.png\nnewmtl b\n");
  converted(out.file("out.obj"));
  EXPECT_TRUE(test::fs::exists(out.path() / "skin.png"));
  EXPECT_NE(test::read_text(out.file("out.mtl")).find("map_Kd -clamp on skin.png\n"), std::string::npos);
  converted(in.file("again.obj"));
  EXPECT_FALSE(test::fs::exists(in.path() / "skin.png")) << "it is in the folder already";
  EXPECT_NE(test::read_text(in.file("again.mtl")).find("map_Kd -clamp on tex/skin.png\n"), std::string::npos);
}

TEST_F(Materials, LayTheirPicturesInGltfAsTheirOptionsSay) {
  test::write_text(in.path() / "skin.png", kPng);
  write("newmtl a\nmap_Kd -o 0.25 0.5 -s 2 4 1 -clamp on skin.png\nnewmtl b\nmap_Kd skin.png\n");
  PicturePlace place;
  place.scale = {2, 4};
  place.offset = {0.25f, 1 - 4 - 0.5f};  // v goes down here, and up in an MTL
  place.wrap_u = place.wrap_v = Wrap::clamp;
  EXPECT_EQ(loaded().character.materials[0].base_colour_place, place);
  EXPECT_EQ(loaded().character.materials[1].base_colour_place, PicturePlace{});
  // A corner at v = 0.75 from the bottom lies at 4 x 0.75 + 0.5 from the bottom of the picture.
  EXPECT_FLOAT_EQ(place({0, 0.25f}).y, 1 - 3.5f);
  converted(out.file("out.glb"));
  const Result<Asset> again = load(out.file("out.glb"));
  ASSERT_TRUE(again) << again.error().sentence;
  EXPECT_EQ(again->character.materials.at(0).base_colour_place, place);
  EXPECT_EQ(again->character.materials.at(1).base_colour_place, PicturePlace{});
  EXPECT_EQ(again->character.materials[0].base_colour_image, again->character.materials[1].base_colour_image);
}

TEST_F(Materials, ComeBackFromGltfWithTheirPicturesWhereTheyLay) {
  test::write_text(in.path() / "2 skin.png", kPng);
  write("newmtl a\nmap_Kd -o 0.25 0.5 0 -s 2 4 1 -clamp on 2 skin.png\nnewmtl b\nmap_Kd 2 skin.png\n");
  converted(in.file("mid.glb"));
  ConvertJob job;
  job.input = in.file("mid.glb");
  job.output = out.file("out.obj");
  ASSERT_TRUE(convert(job));
  const Result<Asset> again = load(out.file("out.obj"));
  ASSERT_TRUE(again) << again.error().sentence;
  const Asset before = loaded();
  ASSERT_EQ(again->character.materials.size(), 2u);
  for (std::size_t m = 0; m < 2; ++m) {
    const Material& material = again->character.materials[m];
    EXPECT_EQ(material.base_colour_place, before.character.materials[m].base_colour_place);
    EXPECT_NE(material.base_colour_image, kNone);
  }
}

// A triangle with a material that says more than an MTL can, and two pictures.
std::string rich_gltf() {
  test::MadeGltf made;
  using MtlJson = test::MadeGltf::Json;
  for (const char* name : {"skin", "shade"}) {
    const int view = made.view(kPng);
    made.push("images", {{"name", name}, {"mimeType", "image/png"}, {"bufferView", view}});
  }
  made.push("samplers", {{"wrapS", 33648}, {"wrapT", 33648}});
  made.push("textures", {{"source", 0}, {"sampler", 0}});
  made.push("textures", {{"source", 1}});
  const MtlJson turned = {{"KHR_texture_transform", {{"rotation", 0.5}}}};
  made.push("materials", {{"pbrMetallicRoughness",
                           {{"baseColorTexture", {{"index", 0}, {"extensions", turned}}},
                            {"metallicRoughnessTexture", {{"index", 1}}}}},
                          {"occlusionTexture", {{"index", 1}}},
                          {"normalTexture", {{"index", 0}, {"scale", 0.5}, {"texCoord", 1}}},
                          {"alphaMode", "MASK"},
                          {"doubleSided", true},
                          {"extensions", {{"KHR_materials_clearcoat", {{"clearcoatFactor", 1}}}}}});
  const std::vector<float> uvs{0, 0, 1, 0, 0, 1};
  made.mesh({{"POSITION", made.triangle_positions()},
             {"TEXCOORD_0", made.accessor<float>(uvs, "VEC2")},
             {"TEXCOORD_1", made.accessor<float>(uvs, "VEC2")}},
            {{"material", 0}});
  made.push("nodes", {{"mesh", 0}});
  made.scene({0});
  return made.glb();
}

TEST_F(Materials, OfGltfLostWhatMtlCannotSayWithoutAWord) {
  test::write_text(in.path() / "in.glb", rich_gltf());
  ConvertJob job;
  job.input = in.file("in.glb");
  job.output = out.file("out.obj");
  const Result<ConvertReport> report = convert(job);
  ASSERT_TRUE(report) << report.error().sentence;
  for (const char* words :
       {"1 material has an alpha cutoff", "1 material is drawn on both sides", "1 picture is rotated",
        "2 pictures are mirrored", "1 picture uses another set", "1 material has an occlusion picture",
        "1 material has a metallic-roughness picture", "1 material has a scale for the normal picture",
        "1 material has extensions (KHR_materials_clearcoat)"}) {
    const auto says = [&](const Note& note) {
      return note.kind == Note::Kind::loss && note.sentence.find(words) != std::string::npos;
    };
    EXPECT_EQ(std::count_if(report->notes.begin(), report->notes.end(), says), 1) << words;
  }
  EXPECT_EQ(out.names(), (std::vector<std::string>{"out.mtl", "out.obj", "skin.png"})) << "no other is named";
}

TEST_F(Materials, AreKnownInAnyCaseAndSayWhatIsNotUsed) {
  test::write_text(in.path() / "skin.png", kPng);
  write(
      "Kd 1 1 1\nNEWMTL a\nkd 2 -1 0.5\nMap_kd skin.png\nKe 5 5 5\nillum 2\nKa 1 1 1\nnewmtl b\nKa 0 0 0\n"
      "newmtl a\n");
  const Asset asset = loaded();
  EXPECT_EQ(asset.character.materials.at(0).base_colour, (Vec4{1, 0, 0.5f, 1}));
  EXPECT_EQ(asset.character.materials[0].base_colour_image, 0);
  const auto sentence_of = [&](const std::string& id, Note::Kind kind) {
    const auto is_it = [&](const Note& note) { return note.id == id && note.kind == kind; };
    const auto note = std::find_if(asset.notes.begin(), asset.notes.end(), is_it);
    return note == asset.notes.end() ? std::string() : note->sentence;
  };
  EXPECT_EQ(sentence_of("material-lines-stray", Note::Kind::loss),
            "'in.mtl': 1 line was left out, because there is no newmtl before it");
  EXPECT_EQ(sentence_of("material-numbers-clamped", Note::Kind::loss),
            "'in.mtl': 5 numbers of its materials were clamped to the range 0 to 1");
  EXPECT_EQ(sentence_of("material-lines-unused", Note::Kind::info),
            "'in.mtl': 3 statements are kept only for writing an MTL: illum, Ka");
  EXPECT_NE(sentence_of("material-repeated", Note::Kind::repair).find("1 material has the name"),
            std::string::npos);
}

TEST_F(Materials, DoNotReplaceAPictureWhoseNameEndsAsAnOtherOne) {
  test::write_text(in.path() / "a.png", kPng);
  write("newmtl a\nmap_Kd a.png\nnewmtl b\n");
  test::write_text(out.path() / "out.obj", kTexturedTriangle);
  test::write_text(out.path() / "out.mtl", "newmtl x\nmap_Kd extra.png\n");
  test::write_text(out.path() / "a.png", "of someone else");
  ConvertJob job;
  job.input = in.file("in.obj");
  job.output = out.file("out.obj");
  EXPECT_FALSE(convert(job));
  EXPECT_EQ(test::read_text(out.file("a.png")), "of someone else");
}

TEST_F(Materials, DoNotFetchFilesFromElsewhere) {
  test::write_text(out.path() / "secret.png", kPng);
  test::write_text(in.path() / "notes.txt", "no picture");
  for (const std::string& name :
       {out.file("secret.png"), "../" + out.path().filename().string() + "/secret.png",
        std::string("notes.txt")}) {
    write("newmtl a\nmap_Kd " + name + "\nnewmtl b\n");
    const Asset asset = loaded();
    EXPECT_TRUE(asset.character.images.empty()) << name;
    EXPECT_TRUE(test::has_note(asset.notes, "image-missing")) << name;
  }
  test::fs::create_symlink(out.path() / "secret.png", in.path() / "link.png");
  write("newmtl a\nmap_Kd link.png\nnewmtl b\n");
  EXPECT_TRUE(loaded().character.images.empty());
}

TEST_F(Materials, OfASecondLibraryDoNotChangeThoseOfTheFirst) {
  write("newmtl a\nKd 1 0 0\n", "mtllib in.mtl\nmtllib more.mtl\n");
  test::write_text(in.path() / "more.mtl", "Kd 0 0 1\nnewmtl b\nKd 0 1 0\n");
  const Asset asset = loaded();
  ASSERT_EQ(asset.character.materials.size(), 2u);
  EXPECT_EQ(asset.character.materials[0].base_colour, (Vec4{1, 0, 0, 1}));
}

TEST_F(Materials, SayWhichPicturesAreNotCarriedAlong) {
  test::write_text(in.path() / "b.png", kPng);
  write("newmtl a\nmap_Bump b.png\nmap_Ks b.png\nnewmtl b\nKd 1 0 0\n");
  const auto sentence_of = [](const ConvertReport& report, const std::string& id) {
    const auto note =
        std::find_if(report.notes.begin(), report.notes.end(), [&](const Note& one) { return one.id == id; });
    return note == report.notes.end() ? std::string() : note->sentence;
  };
  EXPECT_NE(sentence_of(converted(out.file("out.glb")), "maps-dropped").find("2 statements"),
            std::string::npos);
  EXPECT_NE(sentence_of(converted(out.file("out.obj")), "image-not-carried").find("2 pictures"),
            std::string::npos);
  EXPECT_EQ(sentence_of(converted(in.file("again.obj")), "image-not-carried"), "");
}

TEST_F(Materials, WithAPictureAndNoTextureCoordinatesLeaveItOutOfGltf) {
  test::write_text(in.path() / "skin.png", kPng);
  test::write_text(in.path() / "in.mtl", "newmtl a\nmap_Kd skin.png\n");
  test::write_text(in.path() / "in.obj", "mtllib in.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n");
  const ConvertReport report = converted(out.file("out.glb"));
  EXPECT_TRUE(test::has_note(report.notes, "pictures-unplaced"));
  const Result<Asset> again = load(out.file("out.glb"));
  ASSERT_TRUE(again) << again.error().sentence;
  EXPECT_EQ(again->character.materials.at(0).base_colour_image, kNone);
  EXPECT_TRUE(again->character.images.empty());
}

}  // namespace
}  // namespace dermis
