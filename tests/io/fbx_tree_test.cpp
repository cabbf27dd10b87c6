// SPDX-License-Identifier: MIT
// Records of FBX files: binary with both sizes of offsets, and text.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>

#include "io/file.h"
#include "io/import/fbx_scene.h"
#include "io/import/fbx_tree.h"
#include "made_fbx.h"

namespace dermis {
namespace {

template <class Number>
std::string raw(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

struct BinaryRecord {
  std::string name;
  std::vector<std::string> values;
  std::vector<BinaryRecord> children{};
};

std::string packed_doubles(const std::vector<double>& numbers) {
  const auto* const from = reinterpret_cast<const Bytef*>(numbers.data());
  uLongf size = ::compressBound(numbers.size() * sizeof(double));
  std::string packed(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, from, numbers.size() * sizeof(double));
  packed.resize(size);
  return "d" + raw(static_cast<std::uint32_t>(numbers.size())) + raw(std::uint32_t{1}) +
         raw(static_cast<std::uint32_t>(packed.size())) + packed;
}
std::string text_of_value(const std::string& text) {
  return "S" + raw(static_cast<std::uint32_t>(text.size())) + text;
}

// A record as it stands at `start` in the file.
std::string binary(const BinaryRecord& record, std::size_t start, bool is_wide) {
  const std::size_t word = is_wide ? 8 : 4;
  const auto number = [&](std::size_t n) {
    return is_wide ? raw(static_cast<std::uint64_t>(n)) : raw(static_cast<std::uint32_t>(n));
  };
  std::string values, children;
  for (const std::string& value : record.values) values += value;
  const std::size_t head = 3 * word + 1 + record.name.size();
  for (const BinaryRecord& child : record.children)
    children += binary(child, start + head + values.size() + children.size(), is_wide);
  if (!record.children.empty()) children += std::string(3 * word + 1, '\0');
  const std::size_t end = start + head + values.size() + children.size();
  return number(end) + number(record.values.size()) + number(values.size()) +
         raw(static_cast<std::uint8_t>(record.name.size())) + record.name + values + children;
}

std::string binary_file(const std::vector<BinaryRecord>& records, std::uint32_t version) {
  std::string file = std::string("Kaydara FBX Binary  \0\x1a\0", 23) + raw(version);
  for (const BinaryRecord& record : records) file += binary(record, file.size(), version >= 7500);
  return file + std::string(version >= 7500 ? 25 : 13, '\0');
}

std::vector<BinaryRecord> some_records() {
  return {{"Objects",
           {},
           {{"Deformer",
             {"L" + raw(std::int64_t{9007199254740993}),
              text_of_value(std::string("hand\0\1SubDeformer", 17)), text_of_value("Cluster")},
             {{"Transform", {packed_doubles({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 2, 3, 4, 1})}},
              {"Mode", {text_of_value("Additive")}},
              {"Small", {"Y" + raw(std::int16_t{-7}), "F" + raw(0.5f), "C\1"}}}}}},
          {"Takes", {}}};
}

TEST(FbxTree, ReadsBinaryRecordsWithBothSizesOfOffsets) {
  for (const std::uint32_t version : {6100u, 7400u, 7500u, 7700u}) {
    SCOPED_TRACE(version);
    const std::string file = binary_file(some_records(), version);
    const Result<FbxTree> tree = read_fbx_tree(bytes_of(file));
    ASSERT_TRUE(tree) << tree.error().sentence;
    EXPECT_EQ(tree->version, version);
    const Index cluster = tree->child(tree->child(0, "Objects"), "Deformer");
    ASSERT_NE(cluster, kNone);
    const std::vector<FbxValue> head = tree->values(cluster, 3);
    ASSERT_EQ(head.size(), 3u);
    EXPECT_EQ(head[0].whole, 9007199254740993);  // no double holds it
    EXPECT_EQ(head[2].text, "Cluster");
    const auto matrix = tree->numbers(tree->child(cluster, "Transform"), 16);
    ASSERT_TRUE(matrix);
    EXPECT_EQ((*matrix)[14], 4);
    EXPECT_FALSE(tree->numbers(tree->child(cluster, "Transform"), 15)) << "more than was asked for";
    const std::vector<FbxValue> small = tree->values(tree->child(cluster, "Small"), 8);
    ASSERT_EQ(small.size(), 3u);
    EXPECT_EQ(small[0].whole, -7);
    EXPECT_EQ(small[1].number, 0.5);
    EXPECT_NE(tree->child(0, "Takes"), kNone);
  }
}

TEST(FbxTree, RefusesEveryBinaryFileThatIsCutShort) {
  const std::string file = binary_file(some_records(), 7400);
  for (std::size_t size = 0; size < file.size(); ++size) {
    // Past the last record, only the zeros that end the list are missing.
    EXPECT_FALSE(read_fbx_tree(bytes_of(file).first(size))) << size;
  }
}

TEST(FbxTree, RefusesRecordsThatAreNestedWithoutEnd) {
  BinaryRecord deep{"a", {}, {}};
  for (int level = 0; level < 100; ++level) deep = {"a", {}, {deep}};
  EXPECT_FALSE(read_fbx_tree(bytes_of(binary_file({deep}, 7400))));
  std::string text = "FBXHeaderExtension: {\nFBXVersion: 7400\n}\n";
  for (int level = 0; level < 100; ++level) text += "a: {\n";
  for (int level = 0; level < 100; ++level) text += "}\n";
  EXPECT_FALSE(read_fbx_tree(bytes_of(text)));
}

TEST(FbxTree, DoesNotUnpackMoreNumbersThanAskedFor) {
  // A megabyte of zeros in a thousand bytes.
  std::vector<BinaryRecord> records{{"Big", {packed_doubles(std::vector<double>(131072, 0.0))}}};
  const std::string file = binary_file(records, 7400);
  EXPECT_LT(file.size(), 4000u);
  const Result<FbxTree> tree = read_fbx_tree(bytes_of(file));
  ASSERT_TRUE(tree) << tree.error().sentence;
  EXPECT_FALSE(tree->numbers(tree->child(0, "Big"), 16));
  // A count that the packed bytes do not hold.
  records[0].values[0].replace(1, 4, raw(std::uint32_t{16}));
  const std::string lying = binary_file(records, 7400);
  const Result<FbxTree> small = read_fbx_tree(bytes_of(lying));
  ASSERT_TRUE(small) << small.error().sentence;
  EXPECT_FALSE(small->numbers(small->child(0, "Big"), 16));
}

TEST(FbxTree, ReadsTextWithCommentsQuotesAndListsOverSeveralLines) {
  const std::string text =
      "; FBX 7.4.0 project file\n"
      "FBXHeaderExtension:  {\r\n\tFBXVersion: 7400 ; a comment with { and \"\n}\r\n"
      "Content: ,\n\t\"Zm9v\",\n\t\"YmFy\"\n"
      "Objects: {\n\tName: \"a { b: }, c\", -12, T\n\tList: *3 {\n\t\ta: 1,\n2.5\n,3e-1\n\t} "
      "\n\tBare:\n\tLast: 1\n}\n";
  const Result<FbxTree> tree = read_fbx_tree(bytes_of(text));
  ASSERT_TRUE(tree) << tree.error().sentence;
  EXPECT_FALSE(tree->is_binary);
  EXPECT_EQ(tree->version, 7400u);
  EXPECT_EQ(tree->values(tree->child(0, "Content"), 9).size(), 2u);
  const Index objects = tree->child(0, "Objects");
  const std::vector<FbxValue> name = tree->values(tree->child(objects, "Name"), 9);
  ASSERT_EQ(name.size(), 3u);
  EXPECT_EQ(name[0].text, "a { b: }, c");
  EXPECT_EQ(name[1].whole, -12);
  EXPECT_EQ(name[2].text, "T");
  const auto list = tree->numbers(tree->child(objects, "List"), 3);
  ASSERT_TRUE(list);
  EXPECT_EQ(*list, (std::vector<double>{1, 2.5, 0.3}));
  EXPECT_NE(tree->child(objects, "Bare"), kNone);
  EXPECT_EQ(tree->values(tree->child(objects, "Last"), 1)[0].whole, 1);
}

TEST(FbxTree, RefusesTextThatEndsEarly) {
  const std::string text =
      "FBXHeaderExtension: {\nFBXVersion: 7400\n}\nObjects: {\n\tModel: 1, \"a\", \"b\" {\n";
  EXPECT_FALSE(read_fbx_tree(bytes_of(text)));
  EXPECT_FALSE(read_fbx_tree(bytes_of(text + "}\n")));
  EXPECT_TRUE(read_fbx_tree(bytes_of(text + "}\n}\n")));
  EXPECT_FALSE(read_fbx_tree(bytes_of(text + "}\n}\n}\n")));
}

TEST(FbxScene, JoinsClustersMeshesAndJointsByTheirConnections) {
  test::MadeFbx made;
  made.models = {{"hip", -1, "", false},
                 {"knee", 0, test::fbx_vector("Lcl Translation", {0, -4, 0}), false},
                 {"leg", -1, test::fbx_vector("GeometricTranslation", {1, 2, 3}), true}};
  made.skinned = 2;
  made.clusters = {{1, Affined({}, {0, 4, 0}), Affined({}, {0, -4, 0}), {0}, true}};
  const std::string text = made.text();
  const Result<FbxScene> scene = read_fbx_scene(bytes_of(text));
  ASSERT_TRUE(scene) << scene.error().sentence;
  ASSERT_EQ(scene->models.size(), 3u);
  EXPECT_EQ(scene->roots, (std::vector<Index>{0, 2}));
  EXPECT_EQ(scene->models[0].children, (std::vector<Index>{1}));
  EXPECT_EQ(scene->models[1].name, "knee");
  EXPECT_EQ(parent_from_model(scene->models[1].place), Affined({}, {0, -4, 0}));
  EXPECT_EQ(model_from_geometry(scene->models[2].place), Affined({}, {1, 2, 3}));
  ASSERT_EQ(scene->models[2].meshes.size(), 1u);
  ASSERT_EQ(scene->skins.size(), 1u);
  ASSERT_EQ(scene->skins[0].clusters.size(), 1u);
  const FbxCluster& cluster = scene->skins[0].clusters[0];
  EXPECT_EQ(cluster.joint, 1);
  EXPECT_TRUE(cluster.has_transform && cluster.has_link);
  EXPECT_EQ(cluster.joint_from_model, Affined({}, {0, 4, 0}));
}

TEST(FbxScene, FindsTheChannelsOfAMeshAndWhereTheirShapesAreShown) {
  test::MadeFbx made;
  made.models = {{"quad", -1, "", true}};
  made.shaped = 0;
  made.channels = {{"lift", 25, {50, 100}}, {"bend", -100, {100}}};
  const std::string text = made.text();
  const Result<FbxScene> scene = read_fbx_scene(bytes_of(text));
  ASSERT_TRUE(scene) << scene.error().sentence;
  const std::vector<FbxShapeChannel>& channels = scene->meshes.at(0).channels;
  ASSERT_EQ(channels.size(), 2u);
  EXPECT_EQ(channels[0].name, "lift");
  EXPECT_EQ(channels[0].percent, 25);
  EXPECT_EQ(channels[0].full_percents, (std::vector<double>{50, 100}));
  EXPECT_EQ(channels[0].shape_count, 2u);
  EXPECT_EQ(channels[1].percent, -100);
}

}  // namespace
}  // namespace dermis
