// SPDX-License-Identifier: MIT
// What glTF says and what the character then holds, on small documents made by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "dermis/deform.h"
#include "dermis/motion.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;
using test::load_text;
using test::MadeGltf;
using test::skinned_triangle;
using Json = MadeGltf::Json;

// The asset, or an empty one with a failure.
Asset loaded(const MadeGltf& made) {
  Result<Asset> asset = load_text(made.glb());
  EXPECT_TRUE(asset) << asset.error().sentence;
  return asset ? std::move(*asset) : Asset{};
}

std::vector<Vec3> posed(const Character& character, std::size_t instance = 0) {
  const Result<PoseFrame> frame = pose_frame(character, {});
  EXPECT_TRUE(frame);
  const Result<Surface> surface = deform_instance(character, *frame, static_cast<Index>(instance), {});
  EXPECT_TRUE(surface);
  return surface ? surface->points : std::vector<Vec3>{};
}

// ---- Materials ----

TEST(GltfMaterials, KnowWhereTheirPicturesLie) {
  MadeGltf made = skinned_triangle();
  made.push("images", {{"uri", "skin.png"}});
  made.push("samplers", {{"wrapS", 33071}, {"wrapT", 33648}});
  made.push("textures", {{"source", 0}, {"sampler", 0}});
  made.push("textures", {{"source", 0}});
  made.json["extensionsUsed"] = {"KHR_texture_transform"};
  made.push("materials",
            {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}, {"texCoord", 1}}}}},
             {"emissiveTexture",
              {{"index", 1},
               {"texCoord", 1},
               {"extensions",
                {{"KHR_texture_transform",
                  {{"offset", {0.5, 0.25}}, {"rotation", 1.5}, {"scale", {2, -3}}, {"texCoord", 2}}}}}}}});
  made.push("materials", {{"normalTexture", {{"index", 1}, {"texCoord", "one"}}}});
  const std::vector<Material> materials = loaded(made).character.materials;
  PicturePlace colour, emission;
  colour.uv_set = 1;
  colour.wrap_u = Wrap::clamp;
  colour.wrap_v = Wrap::mirror;
  emission.uv_set = 2;
  emission.offset = {0.5f, 0.25f};
  emission.scale = {2, -3};
  emission.turn = 1.5f;
  EXPECT_EQ(materials[0].base_colour_place, colour);
  EXPECT_EQ(materials[0].emission_place, emission);
  EXPECT_EQ(materials[1].normal_place, PicturePlace{});
}

TEST(GltfMaterials, SayThatAPictureInAnExtensionIsNotDrawn) {
  MadeGltf made = skinned_triangle();
  made.push("images", {{"uri", "skin.webp"}});
  made.push("textures", {{"extensions", {{"EXT_texture_webp", {{"source", 0}}}}}});
  made.push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}});
  EXPECT_TRUE(test::has_note(loaded(made).notes, "texture-in-extension"));
}

TEST(GltfMaterials, KnowWhatTheirOpacityDoes) {
  MadeGltf made = skinned_triangle();
  made.push("materials", {{"name", "glTF's default"}});
  made.push("materials", {{"alphaMode", "MASK"}, {"alphaCutoff", 0.25}});
  made.push("materials", {{"alphaMode", "BLEND"}});
  const std::vector<Material> materials = loaded(made).character.materials;
  ASSERT_EQ(materials.size(), 3u);
  EXPECT_EQ(materials[0].alpha, Alpha::ignored);
  EXPECT_EQ(materials[1].alpha, Alpha::cut);
  EXPECT_EQ(materials[1].alpha_cutoff, 0.25f);
  EXPECT_EQ(materials[2].alpha, Alpha::blended);
}

// ---- Accessors ----

TEST(Accessors, OfEveryComponentTypeReadAsTheNumbersTheyHold) {
  const auto points = [](const auto& numbers, const Json& more) {
    MadeGltf made;
    made.mesh({{"POSITION", made.accessor(numbers, "VEC3", more)}});
    const Asset asset = loaded(made);
    return asset.character.meshes.empty() ? std::vector<Vec3>{} : asset.character.meshes[0].points;
  };
  const Json plain = Json::object(), normalised = {{"normalized", true}};
  EXPECT_EQ(points(std::vector<std::int8_t>{-128, 0, 127}, plain)[0], (Vec3{-128, 0, 127}));
  EXPECT_EQ(points(std::vector<std::uint8_t>{0, 1, 255}, plain)[0], (Vec3{0, 1, 255}));
  EXPECT_EQ(points(std::vector<std::int16_t>{-32768, 0, 32767}, plain)[0], (Vec3{-32768, 0, 32767}));
  EXPECT_EQ(points(std::vector<std::uint16_t>{0, 1, 65535}, plain)[0], (Vec3{0, 1, 65535}));
  EXPECT_EQ(points(std::vector<std::uint32_t>{0, 1, 16777216}, plain)[0], (Vec3{0, 1, 16777216}));
  EXPECT_EQ(points(std::vector<float>{-1.5f, 0, 3e8f}, plain)[0], (Vec3{-1.5f, 0, 3e8f}));
  EXPECT_EQ(points(std::vector<std::int8_t>{-128, -127, 127}, normalised)[0], (Vec3{-1, -1, 1}));
  EXPECT_EQ(points(std::vector<std::uint8_t>{0, 51, 255}, normalised)[0], (Vec3{0, 0.2f, 1}));
  EXPECT_EQ(points(std::vector<std::int16_t>{-32768, 0, 32767}, normalised)[0], (Vec3{-1, 0, 1}));
  EXPECT_EQ(points(std::vector<std::uint16_t>{0, 13107, 65535}, normalised)[0], (Vec3{0, 0.2f, 1}));
}

TEST(Accessors, WithAStrideSkipWhatLiesBetween) {
  MadeGltf made;
  const int view = made.view_of<float>({9, 1, 2, 3, 9, 9, 4, 5, 6, 9}, {{"byteStride", 20}});
  const int accessor = made.push(
      "accessors",
      {{"bufferView", view}, {"byteOffset", 4}, {"componentType", 5126}, {"count", 2}, {"type", "VEC3"}});
  made.mesh({{"POSITION", accessor}});
  EXPECT_EQ(loaded(made).character.meshes[0].points, (std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}}));
}

TEST(Accessors, MayBeSparseWithAndWithoutABase) {
  for (const bool has_base : {true, false}) {
    MadeGltf made;
    Json accessor = {{"componentType", 5126}, {"count", 3}, {"type", "VEC3"}};
    if (has_base) accessor["bufferView"] = made.view_of<float>({1, 1, 1, 2, 2, 2, 3, 3, 3});
    accessor["sparse"] = {
        {"count", 2},
        {"indices", {{"bufferView", made.view_of<std::uint8_t>({0, 2})}, {"componentType", 5121}}},
        {"values", {{"bufferView", made.view_of<float>({7, 7, 7, 9, 9, 9})}}}};
    made.mesh({{"POSITION", made.push("accessors", accessor)}});
    const Vec3 middle = has_base ? Vec3{2, 2, 2} : Vec3{};
    EXPECT_EQ(loaded(made).character.meshes[0].points, (std::vector<Vec3>{{7, 7, 7}, middle, {9, 9, 9}}));
  }
}

TEST(Accessors, OfQuantizedMeshesNeedNoNote) {
  MadeGltf made;
  made.json["extensionsUsed"] = made.json["extensionsRequired"] = {"KHR_mesh_quantization"};
  // Points start at multiples of four bytes.
  const int padded_positions =
      made.view_of<std::int16_t>({0, 0, 0, 0, 32767, 0, 0, 0, 0, 32767, 0, 0}, {{"byteStride", 8}});
  const int padded_normals =
      made.view_of<std::int8_t>({0, 0, 127, 0, 0, 0, 127, 0, 0, 0, 127, 0}, {{"byteStride", 4}});
  Json position = {{"bufferView", padded_positions},
                   {"componentType", 5122},
                   {"normalized", true},
                   {"count", 3},
                   {"type", "VEC3"}};
  position.update({{"min", {0, 0, 0}}, {"max", {32767, 32767, 0}}});
  const int positions = made.push("accessors", position);
  const int normals = made.push("accessors", {{"bufferView", padded_normals},
                                              {"componentType", 5120},
                                              {"normalized", true},
                                              {"count", 3},
                                              {"type", "VEC3"}});
  made.mesh({{"POSITION", positions}, {"NORMAL", normals}});
  made.push("nodes", {{"name", "q"}, {"mesh", 0}, {"scale", {2, 2, 2}}});
  const Asset asset = loaded(made);
  EXPECT_TRUE(asset.notes.empty());
  EXPECT_EQ(posed(asset.character)[1], (Vec3{2, 0, 0}));
  EXPECT_EQ(asset.character.meshes[0].normals.values[0], (Vec3{0, 0, 1}));
}

// ---- Skins ----

TEST(Skins, TakeInfluencesFromEverySet) {
  MadeGltf made = skinned_triangle(std::vector<float>{0.25f, 0.25f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  Json& attributes = made.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_1"] = made.accessor<std::uint16_t>({2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "VEC4");
  attributes["WEIGHTS_1"] = made.accessor<float>({0.5f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "VEC4");
  made.push("nodes", {{"name", "foot"}});
  made.json["skins"][0]["joints"] = {1, 2, 3};
  const Asset asset = loaded(made);
  const auto row = asset.character.meshes[0].weights.row(0);
  ASSERT_EQ(row.size(), 3u);
  EXPECT_EQ(row[0], (Influence{2, 0.5f}));
  EXPECT_EQ(row[1], (Influence{0, 0.25f}));
  EXPECT_EQ(row[2], (Influence{1, 0.25f}));
}

TEST(Skins, WithQuantisedWeightsSumToOneWithoutANote) {
  MadeGltf made = skinned_triangle();
  made.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = made.accessor<std::uint8_t>(
      {127, 128, 0, 0, 255, 0, 0, 0, 85, 170, 0, 0}, "VEC4", {{"normalized", true}});
  const Asset asset = loaded(made);
  EXPECT_FALSE(has_note(asset.notes, "weights-not-normalised"));
  const auto row = asset.character.meshes[0].weights.row(0);
  EXPECT_NEAR(row[0].weight + row[1].weight, 1, 1e-6);
  EXPECT_EQ(row[0].slot, 1);
}

TEST(Skins, WithoutInverseBindsTakeTheJointsAsTheyStand) {
  const Asset asset = loaded(skinned_triangle());
  EXPECT_EQ(posed(asset.character), (std::vector<Vec3>{{0, 0, 0}, {1, 1, 0}, {0, 1.5f, 0}}));
}

TEST(Skins, IgnoreTheTransformOfTheSkinnedNodeAndItsParents) {
  MadeGltf made = skinned_triangle();
  const auto before = posed(loaded(made).character);
  made.json["nodes"][0]["translation"] = {5, 6, 7};
  made.json["nodes"][0]["scale"] = {0, 0, 0};
  made.push("nodes", {{"name", "parent"}, {"children", {0}}, {"rotation", {1, 0, 0, 0}}});
  made.scene({3, 1});
  EXPECT_EQ(posed(loaded(made).character), before);
}

TEST(Skins, FollowJointsListedBeforeTheirParentsAndAncestorsThatAreNoJoints) {
  MadeGltf made = skinned_triangle();
  made.json["nodes"] = Json::array();
  made.push("nodes", {{"name", "knee"}, {"translation", {0, 1, 0}}});
  made.push("nodes", {{"name", "body"}, {"mesh", 0}, {"skin", 0}});
  made.push("nodes", {{"name", "hip"}, {"children", {0}}});
  made.push("nodes", {{"name", "world"}, {"children", {2}}, {"translation", {10, 0, 0}}});
  made.json["skins"][0]["joints"] = {2, 0};
  made.scene({1, 3});
  EXPECT_EQ(posed(loaded(made).character), (std::vector<Vec3>{{10, 0, 0}, {11, 1, 0}, {10, 1.5f, 0}}));
}

TEST(Skins, MayHaveSeveralRoots) {
  MadeGltf made = skinned_triangle();
  made.json["nodes"][1].erase("children");
  made.scene({0, 1, 2});
  EXPECT_EQ(posed(loaded(made).character)[1], (Vec3{1, 1, 0}));
}

TEST(Skins, ManyMayShareOneMesh) {
  MadeGltf made = skinned_triangle();
  made.push("skins", {{"joints", {2, 1}}});
  made.push("nodes", {{"name", "again"}, {"mesh", 0}, {"skin", 1}});
  made.scene({0, 1, 3});
  const Asset asset = loaded(made);
  ASSERT_EQ(asset.character.instances.size(), 2u);
  EXPECT_EQ(posed(asset.character, 0)[0], (Vec3{0, 0, 0}));
  EXPECT_EQ(posed(asset.character, 1)[0], (Vec3{0, 1, 0}));
}

TEST(Skins, LeaveRigidMeshesUnderTheirJoints) {
  MadeGltf made = skinned_triangle();
  made.mesh({{"POSITION", made.triangle_positions()}});
  made.push("nodes", {{"name", "hat"}, {"mesh", 1}});
  made.json["nodes"][2]["children"] = {3};
  EXPECT_EQ(posed(loaded(made).character, 1)[1], (Vec3{1, 1, 0}));
}

// ---- Nodes ----

TEST(Nodes, WithAMatrixKeepItsShear) {
  MadeGltf made;
  made.mesh({{"POSITION", made.triangle_positions()}});
  made.push("nodes", {{"mesh", 0}, {"matrix", {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 3, 1}}});
  const Asset asset = loaded(made);
  ASSERT_TRUE(asset.character.nodes[0].rest_matrix);
  EXPECT_EQ(posed(asset.character)[2], (Vec3{0.5f, 1, 3}));
}

TEST(Nodes, MayShareNamesOrHaveNone) {
  MadeGltf made;
  for (const char* name : {"leg", "leg", ""}) made.push("nodes", {{"name", name}});
  made.json["nodes"][2].erase("name");
  const Asset asset = loaded(made);
  EXPECT_TRUE(has_note(asset.notes, "names-shared"));
  EXPECT_TRUE(has_note(asset.notes, "names-missing"));
  EXPECT_EQ(node_label(asset.character, 1), "#1");
  EXPECT_EQ(node_label(asset.character, 2), "#2");
}

TEST(Nodes, OutsideTheSceneAreKeptButNotPosed) {
  MadeGltf made = skinned_triangle();
  made.push("nodes", {{"name", "spare"}, {"mesh", 0}});
  const Asset asset = loaded(made);
  EXPECT_TRUE(has_note(asset.notes, "not-in-scene"));
  ASSERT_EQ(asset.character.instances.size(), 2u);
  EXPECT_FALSE(asset.character.instances[1].in_scene);
}

// ---- Shapes ----

TEST(Shapes, CarryOffsetsNormalsTangentsNamesAndRestWeights) {
  MadeGltf made;
  const int positions = made.triangle_positions();
  const int normals = made.accessor<float>({0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3");
  const int tangents = made.accessor<float>({1, 0, 0, -1, 1, 0, 0, -1, 1, 0, 0, -1}, "VEC4");
  const int offsets = made.accessor<float>({0, 0, 0, 0, 0, 4, 0, 0, 0}, "VEC3");
  const int turned = made.accessor<float>({0, 0, 0, 0, 1, -1, 0, 0, 0}, "VEC3");
  made.mesh({{"POSITION", positions}, {"NORMAL", normals}, {"TANGENT", tangents}},
            {{"targets", Json::array({{{"POSITION", offsets}, {"NORMAL", turned}, {"TANGENT", turned}},
                                      Json::object()})}});
  made.json["meshes"][0]["weights"] = {0.25, 0};
  made.json["meshes"][0]["extras"] = {{"targetNames", {"smile", "frown"}}};
  made.push("nodes", {{"mesh", 0}});
  made.push("nodes", {{"mesh", 0}, {"weights", {0.5, 0}}});
  const Asset asset = loaded(made);
  const Mesh& mesh = asset.character.meshes[0];
  ASSERT_EQ(mesh.shapes.size(), 2u);
  EXPECT_EQ(mesh.shapes[0].name, "smile");
  EXPECT_EQ(mesh.shapes[1].name, "frown");
  EXPECT_EQ(mesh.shapes[0].points, (std::vector<Index>{1}));
  EXPECT_EQ(mesh.shapes[0].offsets, (std::vector<Vec3>{{0, 0, 4}}));
  EXPECT_EQ(mesh.shapes[0].normals, (std::vector<Vec3>{{0, 1, -1}}));
  EXPECT_EQ(mesh.tangents.values[0], (Vec4{1, 0, 0, -1}));
  EXPECT_EQ(posed(asset.character, 0)[1], (Vec3{1, 0, 1}));
  EXPECT_EQ(posed(asset.character, 1)[1], (Vec3{1, 0, 2}));
}

// ---- Primitives ----

std::vector<Index> corners_in_mode(int mode) {
  MadeGltf made;
  const int positions = made.accessor<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, "VEC3");
  made.mesh({{"POSITION", positions}}, {{"mode", mode}});
  return loaded(made).character.meshes[0].polygons.corners;
}

TEST(Primitives, OfStripsAndFansBecomeTrianglesWoundTheSameWay) {
  EXPECT_EQ(corners_in_mode(5), (std::vector<Index>{0, 1, 2, 1, 3, 2}));
  EXPECT_EQ(corners_in_mode(6), (std::vector<Index>{1, 2, 0, 2, 3, 0}));
}

TEST(Primitives, OfPointsAndLinesKeepTheirPointsWithoutPolygons) {
  for (const int mode : {0, 1, 2, 3}) {
    MadeGltf made;
    made.mesh({{"POSITION", made.triangle_positions()}}, {{"mode", mode}});
    const Asset asset = loaded(made);
    EXPECT_EQ(asset.character.meshes[0].points.size(), 3u);
    EXPECT_EQ(asset.character.meshes[0].polygons.count(), 0u);
    EXPECT_TRUE(has_note(asset.notes, "no-polygons"));
  }
}

TEST(Primitives, OfOneMeshAreJoinedInOrder) {
  MadeGltf made;
  made.mesh({{"POSITION", made.triangle_positions()}});
  made.push("materials", {{"name", "cloth"}});
  const int uvs = made.accessor<float>({0, 0, 1, 0, 0, 1}, "VEC2");
  const Json second = {{"attributes", {{"POSITION", made.triangle_positions()}, {"TEXCOORD_0", uvs}}},
                       {"material", 0}};
  made.json["meshes"][0]["primitives"].push_back(second);
  const Character character = loaded(made).character;
  const Mesh& mesh = character.meshes[0];
  ASSERT_EQ(mesh.parts.size(), 2u);
  EXPECT_EQ(mesh.parts[1].first_point, 3);
  ASSERT_EQ(mesh.parts[1].material, 0);
  EXPECT_EQ(character.materials[0].name, "cloth");
  EXPECT_EQ(mesh.polygons.corners, (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  ASSERT_EQ(mesh.uvs.size(), 1u);
  EXPECT_EQ(mesh.uvs[0].values[4], (Vec2{1, 0}));
  EXPECT_EQ(mesh.weld, (std::vector<Index>{0, 1, 2, 0, 1, 2}));
}

// ---- Shares of lbs_dqs ----

// A triangle for each of `extras`, which are those of its primitive; null: none.
MadeGltf with_extras(MadeGltf made, const std::vector<Json>& extras) {
  Json primitives = Json::array();
  for (const Json& one : extras) {
    primitives.push_back({{"attributes", {{"POSITION", made.triangle_positions()}}}});
    if (!one.is_null()) primitives.back()["extras"] = one;
  }
  made.push("meshes", {{"name", "body"}, {"primitives", primitives}});
  return made;
}

Json share_extras(MadeGltf& made, const std::vector<float>& shares) {
  return {{"dermis", {{"dqs_share", made.accessor(shares, "SCALAR")}}}};
}

// The only note `id`, or a failure.
Note only_note(const Notes& notes, const std::string& id) {
  Notes found;
  for (const Note& note : notes) {
    if (note.id == id) found.push_back(note);
  }
  EXPECT_EQ(found.size(), 1u) << id;
  return found.empty() ? Note{} : found[0];
}

TEST(SharesOfDqs, OfPrimitivesThatDoNotSayThemAreHalfWithANote) {
  MadeGltf made;
  const Json said = share_extras(made, {0, 0.25f, 1});
  const Asset asset = loaded(with_extras(made, {nullptr, said, Json::object()}));
  EXPECT_EQ(asset.character.meshes[0].dqs_share,
            (std::vector<float>{0.5f, 0.5f, 0.5f, 0, 0.25f, 1, 0.5f, 0.5f, 0.5f}));
  const Note note = only_note(asset.notes, "no-dqs-share");
  EXPECT_EQ(note.kind, Note::Kind::guess);
  EXPECT_EQ(note.count, 6u);
  EXPECT_EQ(
      note.sentence,
      "mesh 0 'body': primitive 0 and 1 more have no extras.dermis.dqs_share, which others have; a share "
      "of 0.5 is used there");
  const Asset unsaid = loaded(with_extras(made, {nullptr, Json::object()}));
  EXPECT_TRUE(unsaid.character.meshes[0].dqs_share.empty());
  EXPECT_FALSE(has_note(unsaid.notes, "no-dqs-share"));
}

TEST(SharesOfDqs, OnAMeshInsteadOfItsPrimitivesArePassedOverWithANote) {
  MadeGltf made;
  const Json said = share_extras(made, {0, 0.25f, 1});
  MadeGltf misplaced = with_extras(made, {nullptr});
  misplaced.json["meshes"][0]["extras"] = said;
  const Asset asset = loaded(misplaced);
  EXPECT_TRUE(asset.character.meshes[0].dqs_share.empty());
  EXPECT_EQ(only_note(asset.notes, "extras-ignored").sentence,
            "mesh 0 'body': its extras.dermis.dqs_share was ignored: it belongs in its primitives, as an "
            "accessor index");
}

TEST(SharesOfDqs, OutsideZeroToOneGoToTheNearerEndAndThoseThatAreNoNumbersToZero) {
  MadeGltf made;
  const Json said = share_extras(made, {std::nanf(""), -1, 7});
  const Asset asset = loaded(with_extras(made, {said}));
  EXPECT_EQ(asset.character.meshes[0].dqs_share, (std::vector<float>{0, 0, 1}));
  EXPECT_NE(only_note(asset.notes, "dqs-share-out-of-range").sentence.find("2 shares of dqs"),
            std::string::npos);
  EXPECT_NE(only_note(asset.notes, "dqs-share-not-a-number")
                .sentence.find("1 share of dqs was not a number and became 0"),
            std::string::npos);
}

TEST(SharesOfDqs, InAnotherNumberThanPositionsAreRefusedWithWhatToDo) {
  MadeGltf made;
  const Json said = share_extras(made, {0, 1});
  const Result<Asset> asset = load_text(with_extras(made, {said}).glb());
  ASSERT_FALSE(asset);
  EXPECT_NE(asset.error().sentence.find("has 2 shares of dqs for 3 positions; give one for each position, or "
                                        "remove extras.dermis.dqs_share"),
            std::string::npos)
      << asset.error().sentence;
}

TEST(SharesOfDqs, InExtrasThatAreNoObjectArePassedOverWithANote) {
  const Asset asset = loaded(with_extras({}, {Json{{"dermis", 7}}}));
  EXPECT_TRUE(asset.character.meshes[0].dqs_share.empty());
  EXPECT_TRUE(has_note(asset.notes, "extras-ignored"));
}

// ---- Clips ----

TEST(Clips, ReadEveryPathAndInterpolation) {
  MadeGltf made = skinned_triangle();
  const int times = made.accessor<float>({0, 1}, "SCALAR");
  const int moves = made.accessor<float>({0, 0, 0, 1, 2, 3}, "VEC3");
  const int turns =
      made.accessor<std::int16_t>({0, 0, 0, 32767, 0, 0, 32767, 0}, "VEC4", {{"normalized", true}});
  const int curves = made.accessor(std::vector<float>(18, 1.0f), "VEC3");
  Json channels = Json::array(), samplers = Json::array();
  const auto add = [&](int output, const char* path, const char* interpolation) {
    samplers.push_back({{"input", times}, {"output", output}, {"interpolation", interpolation}});
    channels.push_back({{"sampler", samplers.size() - 1}, {"target", {{"node", 2}, {"path", path}}}});
  };
  add(moves, "translation", "LINEAR");
  add(turns, "rotation", "STEP");
  add(curves, "scale", "CUBICSPLINE");
  made.push("animations", {{"name", "all"}, {"channels", channels}, {"samplers", samplers}});
  const Character character = loaded(made).character;
  ASSERT_EQ(character.clips.size(), 1u);
  ASSERT_EQ(character.clips[0].channels.size(), 3u);
  EXPECT_EQ(character.clips[0].channels[1].values, (std::vector<float>{0, 0, 0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(character.clips[0].channels[2].interpolation, Interpolation::cubic_spline);
  const Result<PoseFrame> frame = pose_frame(character, {0, 0.5, nullptr});
  ASSERT_TRUE(frame);
  EXPECT_EQ(Vec3(frame->world_from_node[2].translation), (Vec3{0.5f, 1, 1.5f}));
}

TEST(Clips, ThatCannotBePlayedAreLeftOutWithANote) {
  MadeGltf made = test::kitchen_sink();
  made.json["animations"][0]["channels"][0]["target"]["path"] = "pointer";
  EXPECT_TRUE(has_note(loaded(made).notes, "channel-unknown"));
  made = test::kitchen_sink();
  made.json["animations"][0]["channels"][0]["target"]["path"] = "weights";
  EXPECT_FALSE(loaded(made).notes.empty());
  made = test::kitchen_sink();
  made.json["animations"][0]["samplers"][0]["input"] = made.accessor<float>({1, 0}, "SCALAR");
  EXPECT_TRUE(has_note(loaded(made).notes, "keys-unordered"));
  made.json["animations"][0]["samplers"][0]["input"] = made.accessor<float>({1, 1}, "SCALAR");
  const Notes repeated = loaded(made).notes;
  EXPECT_TRUE(has_note(repeated, "keys-repeated"));
  EXPECT_FALSE(has_note(repeated, "keys-unordered"));
}

// Each is an error of gltf-validator, and plays here: numbers are copied one by one.
TEST(Layouts, ThatOtherProgramsRefuseAreNoted) {
  const auto noted = [](const char* id, const std::function<void(MadeGltf&)>& change) {
    MadeGltf made = test::kitchen_sink();
    EXPECT_FALSE(has_note(loaded(made).notes, id));
    change(made);
    EXPECT_TRUE(has_note(loaded(made).notes, id)) << id;
  };
  const auto view_of = [](MadeGltf& made, const Json& accessor) -> Json& {
    return made.json["bufferViews"]
                    [made.json["accessors"][accessor.get<std::size_t>()]["bufferView"].get<std::size_t>()];
  };
  const auto position_of = [](MadeGltf& made) -> Json& {
    const auto& attributes = made.json["meshes"][0]["primitives"][0]["attributes"];
    return made.json["accessors"][attributes["POSITION"].get<std::size_t>()];
  };
  noted("stride-wrong", [&](MadeGltf& made) {
    view_of(made, made.json["animations"][0]["samplers"][0]["output"])["byteStride"] = 16;
  });
  noted("stride-wrong", [&](MadeGltf& made) {
    view_of(made, made.json["animations"][0]["samplers"][0]["input"])["byteStride"] = 4;
  });
  noted("accessor-misaligned", [&](MadeGltf& made) {
    auto& accessor = made.json["animations"][0]["samplers"][0]["input"];
    Json& view = view_of(made, accessor);
    view["byteOffset"] = view.value("byteOffset", 0) + 1;
    made.json["accessors"][accessor.get<std::size_t>()]["count"] = 1;
    view["byteLength"] = 4;
  });
  noted("bounds-missing", [&](MadeGltf& made) { position_of(made).erase("max"); });
  noted("bounds-narrow", [&](MadeGltf& made) { position_of(made)["max"] = {1, 0.5, 0}; });
  noted("bounds-narrow", [&](MadeGltf& made) { position_of(made)["max"] = {1, 1}; });
  noted("bounds-wide", [&](MadeGltf& made) { position_of(made)["min"] = {-1, 0, 0}; });
  noted("time-bounds-missing", [&](MadeGltf& made) {
    made.json["accessors"][made.json["animations"][0]["samplers"][0]["input"].get<std::size_t>()].erase(
        "min");
  });
  noted("attribute-unusual-type", [&](MadeGltf& made) {
    auto& attributes = made.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["WEIGHTS_0"] = made.accessor<std::uint8_t>({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4");
  });
  noted("sparse-unordered", [&](MadeGltf& made) {
    const int indices = made.view_of(std::vector<std::uint16_t>{2, 1});
    const int values = made.view_of(std::vector<float>{0, 1, 0, 1, 0, 0});
    position_of(made)["sparse"] = {{"count", 2},
                                   {"indices", {{"bufferView", indices}, {"componentType", 5123}}},
                                   {"values", {{"bufferView", values}}}};
  });
  noted("sparse-unordered", [&](MadeGltf& made) {
    const int indices = made.view_of(std::vector<std::uint16_t>{1, 1});
    const int values = made.view_of(std::vector<float>{0, 1, 0, 1, 0, 0});
    auto& attributes = made.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["NORMAL"] =
        made.push("accessors", {{"componentType", 5126},
                                {"count", 3},
                                {"type", "VEC3"},
                                {"sparse",
                                 {{"count", 2},
                                  {"indices", {{"bufferView", indices}, {"componentType", 5123}}},
                                  {"values", {{"bufferView", values}}}}}});
  });
  noted("view-shared", [&](MadeGltf& made) {
    auto& primitive = made.json["meshes"][0]["primitives"][0];
    Json indices = position_of(made);
    indices.update({{"componentType", 5121}, {"type", "SCALAR"}, {"count", 3}});
    primitive["indices"] = made.push("accessors", indices);  // three zeros
  });
  noted("stride-missing", [&](MadeGltf& made) {
    auto& attributes = made.json["meshes"][0]["primitives"][0]["attributes"];
    const auto index = attributes["POSITION"].get<std::size_t>();
    made.push("accessors", made.json["accessors"][index]);
    attributes["_COPY"] = made.json["accessors"].size() - 1;
  });
}

// A mesh may have a hundred thousand primitives, so each of them asks whether to go on.
TEST(Primitives, HearAStopOneByOne) {
  constexpr int kPrimitives = 50;
  MadeGltf made;
  const int positions = made.triangle_positions();
  MadeGltf::Json primitives = MadeGltf::Json::array();
  for (int k = 0; k < kPrimitives; ++k) primitives.push_back({{"attributes", {{"POSITION", positions}}}});
  made.push("meshes", {{"primitives", primitives}});
  made.push("nodes", {{"mesh", 0}});
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "made.gltf", made.gltf());
  const auto read = [&](const Progress& progress) { return load(folder.file("made.gltf"), {}, progress); };
  std::atomic<bool> stop = false;
  int heard = 0;
  EXPECT_TRUE(read(Progress([&](std::string_view, double) { ++heard; }, &stop)));
  EXPECT_GE(heard, kPrimitives);
  heard = 0;
  const Result<Asset> stopped =
      read(Progress([&](std::string_view, double) { stop = ++heard == kPrimitives / 2; }, &stop));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::cancelled);
  EXPECT_LE(heard, kPrimitives / 2 + 1);
}

}  // namespace
}  // namespace dermis
