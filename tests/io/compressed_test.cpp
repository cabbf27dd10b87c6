// SPDX-License-Identifier: MIT
// Compressed glTF: blocks encoded here by meshoptimizer and Draco read as the plain numbers they were made
// of.
#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>
#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include <cmath>

#include "io/made_gltf.h"

namespace dermis {
namespace {

using test::load_text;
using test::MadeGltf;
using test::skinned_triangle;
using Json = MadeGltf::Json;

// ---- meshopt ----

struct Block {
  std::string bytes;
  std::size_t count, stride;
  const char* mode;
  const char* filter = "NONE";
};

template <class Number>
Block vertex_block(const std::vector<Number>& numbers, std::size_t stride, const char* filter = "NONE") {
  const std::size_t count = numbers.size() * sizeof(Number) / stride;
  std::string bytes(meshopt_encodeVertexBufferBound(count, stride), '\0');
  bytes.resize(meshopt_encodeVertexBuffer(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                          numbers.data(), count, stride));
  return {bytes, count, stride, "ATTRIBUTES", filter};
}

// A compressed view whose plain form lies in a buffer without data.
int compressed_view(MadeGltf& made, const Block& block, const char* extension = "EXT_meshopt_compression") {
  made.bin.resize((made.bin.size() + 3) / 4 * 4);
  const Json compression = {{"buffer", 0},
                            {"byteOffset", made.bin.size()},
                            {"byteLength", block.bytes.size()},
                            {"byteStride", block.stride},
                            {"count", block.count},
                            {"mode", block.mode},
                            {"filter", block.filter}};
  made.bin += block.bytes;
  Json view = {
      {"buffer", 1}, {"byteLength", block.count * block.stride}, {"extensions", {{extension, compression}}}};
  if (std::string(block.mode) == "ATTRIBUTES") view["byteStride"] = block.stride;
  return made.push("bufferViews", view);
}

// The document with its data in buffer 0 and, as buffer 1, the fallback without data.
Result<Asset> load_compressed(const MadeGltf& made, const char* extension = "EXT_meshopt_compression") {
  Json json = made.json;
  json["extensionsUsed"] = json["extensionsRequired"] = {extension};
  json["buffers"] = {{{"uri", MadeGltf::data_uri(made.bin)}, {"byteLength", made.bin.size()}},
                     {{"byteLength", 4096}, {"extensions", {{extension, {{"fallback", true}}}}}}};
  return load_text(json.dump());
}

int accessor_on(MadeGltf& made, int view, int component, std::size_t count, const char* type,
                bool normalized = false) {
  Json accessor = {{"bufferView", view}, {"componentType", component}, {"count", count}, {"type", type}};
  if (normalized) accessor["normalized"] = true;
  return made.push("accessors", accessor);
}

TEST(Meshopt, AttributesTrianglesAndIndexSequencesReadAsTheyWere) {
  const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.5f};
  const std::vector<unsigned> indices = {0, 1, 2, 2, 1, 3};
  for (const bool is_sequence : {false, true}) {
    MadeGltf made;
    const int view = compressed_view(made, vertex_block(positions, 12));
    Block block{"", indices.size(), 2, is_sequence ? "INDICES" : "TRIANGLES"};
    if (is_sequence) {
      block.bytes.resize(meshopt_encodeIndexSequenceBound(indices.size(), 4));
      block.bytes.resize(meshopt_encodeIndexSequence(reinterpret_cast<unsigned char*>(block.bytes.data()),
                                                     block.bytes.size(), indices.data(), indices.size()));
    } else {
      block.bytes.resize(meshopt_encodeIndexBufferBound(indices.size(), 4));
      block.bytes.resize(meshopt_encodeIndexBuffer(reinterpret_cast<unsigned char*>(block.bytes.data()),
                                                   block.bytes.size(), indices.data(), indices.size()));
    }
    const int position = accessor_on(made, view, 5126, 4, "VEC3");
    const int index = accessor_on(made, compressed_view(made, block), 5123, 6, "SCALAR");
    made.mesh({{"POSITION", position}}, {{"indices", index}});
    const Result<Asset> asset = load_compressed(made);
    ASSERT_TRUE(asset) << asset.error().sentence;
    const Mesh& mesh = asset->character.meshes[0];
    EXPECT_EQ(mesh.points[3], (Vec3{1, 1, 0.5f}));
    // The triangle codec may turn the corners of a triangle around, never over.
    ASSERT_EQ(mesh.polygons.count(), 2u);
    const auto first = mesh.polygons.polygon(0);
    EXPECT_TRUE((first[0] == 0 && first[1] == 1) || (first[0] == 1 && first[1] == 2) ||
                (first[0] == 2 && first[1] == 0));
  }
}

TEST(Meshopt, FiltersAreUndone) {
  const std::vector<float> normals = {0, 0, 1, 0, 0, 1, 0, 0, 0.6f, 0.8f, 0, 0};
  std::vector<std::int8_t> oct(12);
  meshopt_encodeFilterOct(oct.data(), 3, 4, 8, normals.data());
  const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0.25f};
  std::vector<std::uint32_t> exponents(9);
  meshopt_encodeFilterExp(exponents.data(), 3, 12, 15, positions.data());
  MadeGltf made;
  const int position =
      accessor_on(made, compressed_view(made, vertex_block(exponents, 12, "EXPONENTIAL")), 5126, 3, "VEC3");
  const int normal =
      accessor_on(made, compressed_view(made, vertex_block(oct, 4, "OCTAHEDRAL")), 5120, 3, "VEC3", true);
  made.mesh({{"POSITION", position}, {"NORMAL", normal}});
  const std::vector<float> turn = {0, 0, std::sqrt(0.5f), std::sqrt(0.5f)};
  std::vector<std::int16_t> packed(4);
  meshopt_encodeFilterQuat(packed.data(), 1, 8, 16, turn.data());
  const int output =
      accessor_on(made, compressed_view(made, vertex_block(packed, 8, "QUATERNION")), 5122, 1, "VEC4", true);
  const int input = made.accessor<float>({0}, "SCALAR");
  made.push("nodes", {{"mesh", 0}});
  made.push("animations",
            {{"samplers", Json::array({{{"input", input}, {"output", output}}})},
             {"channels", Json::array({{{"sampler", 0}, {"target", {{"node", 0}, {"path", "rotation"}}}}})}});
  const Result<Asset> asset = load_compressed(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Mesh& mesh = asset->character.meshes[0];
  EXPECT_NEAR(length(mesh.points[2] - Vec3{0, 1, 0.25f}), 0, 1e-4);
  EXPECT_NEAR(length(mesh.normals.values[2] - Vec3{0.6f, 0.8f, 0}), 0, 0.02);
  const std::vector<float>& values = asset->character.clips[0].channels[0].values;
  EXPECT_NEAR(std::abs(values[2] * turn[2] + values[3] * turn[3]), 1, 1e-3);
}

TEST(Meshopt, ANewerVertexFormatIsRefusedInOneSentence) {
  MadeGltf made;
  Block block = vertex_block(std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0}, 12);
  block.bytes[0] = static_cast<char>(0xA1);
  made.mesh({{"POSITION",
              accessor_on(made, compressed_view(made, block, "KHR_meshopt_compression"), 5126, 3, "VEC3")}});
  const Result<Asset> asset = load_compressed(made, "KHR_meshopt_compression");
  ASSERT_FALSE(asset);
  EXPECT_EQ(asset.error().code, Errc::unsupported);
  EXPECT_NE(asset.error().sentence.find("newer than the installed decoder"), std::string::npos)
      << asset.error().sentence;
}

TEST(Meshopt, DamagedBlocksAreRefused) {
  MadeGltf made;
  Block block = vertex_block(std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0}, 12);
  block.bytes.resize(block.bytes.size() / 2);
  made.mesh({{"POSITION", accessor_on(made, compressed_view(made, block), 5126, 3, "VEC3")}});
  const Result<Asset> asset = load_compressed(made);
  ASSERT_FALSE(asset);
  EXPECT_NE(asset.error().sentence.find("cannot be decoded"), std::string::npos) << asset.error().sentence;
}

// ---- Draco ----

struct DracoBlock {
  std::string bytes;
  std::vector<std::uint32_t> ids;
  std::size_t point_count;
};

// Two triangles with positions, joints and weights.
DracoBlock draco_block() {
  const float points[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {3, 0, 0}, {2, 1, 0}};
  const std::uint8_t joints[6][4] = {{0, 1}, {1, 0}, {0, 1}, {1, 0}, {1, 0}, {1, 0}};
  const float weights[6][4] = {{1}, {1}, {0.75f, 0.25f}, {1}, {1}, {1}};
  draco::TriangleSoupMeshBuilder builder;
  builder.Start(2);
  const int ids[] = {builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32),
                     builder.AddAttribute(draco::GeometryAttribute::GENERIC, 4, draco::DT_UINT8),
                     builder.AddAttribute(draco::GeometryAttribute::GENERIC, 4, draco::DT_FLOAT32)};
  for (std::uint32_t f = 0; f < 2; ++f) {
    const draco::FaceIndex face(f);
    const std::size_t a = f * 3, b = a + 1, c = a + 2;
    builder.SetAttributeValuesForFace(ids[0], face, points[a], points[b], points[c]);
    builder.SetAttributeValuesForFace(ids[1], face, joints[a], joints[b], joints[c]);
    builder.SetAttributeValuesForFace(ids[2], face, weights[a], weights[b], weights[c]);
  }
  const std::unique_ptr<draco::Mesh> mesh = builder.Finalize();
  DracoBlock block;
  for (const int id : ids) block.ids.push_back(mesh->attribute(id)->unique_id());
  draco::Encoder encoder;
  encoder.SetSpeedOptions(5, 5);
  encoder.SetTrackEncodedProperties(true);
  draco::EncoderBuffer buffer;
  EXPECT_TRUE(encoder.EncodeMeshToBuffer(*mesh, &buffer).ok());
  block.bytes.assign(buffer.data(), buffer.size());
  block.point_count = encoder.num_encoded_points();
  return block;
}

MadeGltf draco_gltf(const DracoBlock& block) {
  MadeGltf made;
  const int view = made.view(block.bytes);
  const auto bare = [&](int component, const char* type) {
    return made.push("accessors",
                     {{"componentType", component}, {"count", block.point_count}, {"type", type}});
  };
  const Json attributes = {
      {"POSITION", bare(5126, "VEC3")}, {"JOINTS_0", bare(5121, "VEC4")}, {"WEIGHTS_0", bare(5126, "VEC4")}};
  const Json compressed = {
      {"bufferView", view},
      {"attributes", {{"POSITION", block.ids[0]}, {"JOINTS_0", block.ids[1]}, {"WEIGHTS_0", block.ids[2]}}}};
  const int indices = made.push("accessors", {{"componentType", 5123}, {"count", 6}, {"type", "SCALAR"}});
  made.mesh(attributes, {{"indices", indices}, {"extensions", {{"KHR_draco_mesh_compression", compressed}}}});
  made.push("nodes", {{"mesh", 0}, {"skin", 0}});
  made.push("nodes", {{"name", "a"}});
  made.push("nodes", {{"name", "b"}});
  made.push("skins", {{"joints", {1, 2}}});
  made.json["extensionsUsed"] = made.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  return made;
}

// The row of the point that stands at `place`.
std::vector<Influence> row_at(const Mesh& mesh, const Vec3& place) {
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    if (length(mesh.points[v] - place) > 1e-3f) continue;
    const auto row = mesh.weights.row(v);
    return {row.begin(), row.end()};
  }
  return {};
}

TEST(Draco, PointsJointsAndWeightsReadAsTheyWere) {
  const Result<Asset> asset = load_text(draco_gltf(draco_block()).glb());
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Mesh& mesh = asset->character.meshes[0];
  EXPECT_EQ(mesh.polygons.count(), 2u);
  EXPECT_EQ(row_at(mesh, {1, 0, 0}), (std::vector<Influence>{{1, 1.0f}}));
  const std::vector<Influence> shared = row_at(mesh, {0, 1, 0});
  ASSERT_EQ(shared.size(), 2u);
  EXPECT_EQ(shared[0].slot, 0);
  EXPECT_NEAR(shared[0].weight, 0.75f, 1e-3f);
}

TEST(Draco, BlocksThatDisagreeWithTheirAccessorsOrAreDamagedAreRefused) {
  const DracoBlock block = draco_block();
  MadeGltf made = draco_gltf(block);
  made.json["accessors"][0]["count"] = 99;
  EXPECT_FALSE(load_text(made.glb()));
  made = draco_gltf(block);
  made.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"]
           ["WEIGHTS_0"] = 77;
  EXPECT_FALSE(load_text(made.glb()));
  DracoBlock cut = block;
  cut.bytes.resize(cut.bytes.size() / 2);
  const Result<Asset> asset = load_text(draco_gltf(cut).glb());
  ASSERT_FALSE(asset);
  EXPECT_NE(asset.error().sentence.find("cannot be decoded"), std::string::npos) << asset.error().sentence;
}

}  // namespace
}  // namespace dermis
