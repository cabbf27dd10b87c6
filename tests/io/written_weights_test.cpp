// SPDX-License-Identifier: MIT
// Laws of the weights we write: largest first, quantised sums exact, a joint once, read back from the bytes.
#include <gtest/gtest.h>

#include <set>

#include "dermis/io.h"
#include "dermis/made.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;
using JsonTree = nlohmann::json;

// Joints and weights of one primitive, as stored: all sets side by side.
struct StoredRows {
  std::size_t width = 0;
  std::vector<std::uint32_t> joints;
  std::vector<double> weights;
};

template <class Number, class Out>
void read_items(const std::string& bin, const JsonTree& json, std::size_t accessor, std::vector<Out>& out) {
  const JsonTree& a = json["accessors"][accessor];
  const JsonTree& view = json["bufferViews"][a["bufferView"].get<std::size_t>()];
  const char* from =
      bin.data() + view.value("byteOffset", std::size_t{0}) + a.value("byteOffset", std::size_t{0});
  for (std::size_t k = 0; k < a["count"].get<std::size_t>() * 4; ++k) {
    Number number;
    std::memcpy(&number, from + k * sizeof(Number), sizeof number);
    out.push_back(static_cast<Out>(number));
  }
}

template <class Out>
std::vector<Out> read_set(const std::string& bin, const JsonTree& json, std::size_t accessor) {
  std::vector<Out> out;
  const int type = json["accessors"][accessor]["componentType"];
  if (type == 5121) read_items<std::uint8_t>(bin, json, accessor, out);
  if (type == 5123) read_items<std::uint16_t>(bin, json, accessor, out);
  if (type == 5126) read_items<float>(bin, json, accessor, out);
  return out;
}

StoredRows stored_rows(const std::string& bin, const JsonTree& json, const JsonTree& attributes) {
  std::vector<std::vector<std::uint32_t>> joints;
  std::vector<std::vector<double>> weights;
  for (int set = 0; attributes.contains("JOINTS_" + std::to_string(set)); ++set) {
    joints.push_back(read_set<std::uint32_t>(bin, json, attributes["JOINTS_" + std::to_string(set)]));
    weights.push_back(read_set<double>(bin, json, attributes["WEIGHTS_" + std::to_string(set)]));
  }
  StoredRows rows;
  rows.width = joints.size() * 4;
  for (std::size_t v = 0; !joints.empty() && v < joints[0].size() / 4; ++v) {
    for (std::size_t set = 0; set < joints.size(); ++set) {
      for (std::size_t k = v * 4; k < v * 4 + 4; ++k) {
        rows.joints.push_back(joints[set][k]);
        rows.weights.push_back(weights[set][k]);
      }
    }
  }
  return rows;
}

// The first broken law, or nothing.
std::string broken_law(const StoredRows& rows, double scale, std::size_t max_influences) {
  for (std::size_t at = 0; at < rows.weights.size(); at += rows.width) {
    double sum = 0;
    std::set<std::uint32_t> seen;
    for (std::size_t k = 0; k < rows.width; ++k) {
      const double weight = rows.weights[at + k];
      sum += weight;
      if (k > 0 && weight > rows.weights[at + k - 1]) return "not largest first";
      if (weight > 0 && !seen.insert(rows.joints[at + k]).second) return "a joint twice";
      if (weight == 0 && rows.joints[at + k] != 0) return "an unused joint that is not 0";
    }
    if (seen.size() > max_influences) return "too many influences";
    if (scale == 1 ? std::abs(sum - 1) > 1e-6 : sum != scale) return "the sum is " + std::to_string(sum);
  }
  return "";
}

struct Format {
  WeightFormat format;
  double scale;
  int max_influences;
};
constexpr Format kFormats[] = {{WeightFormat::unorm8, 255, 0},    {WeightFormat::unorm16, 65535, 0},
                               {WeightFormat::float32, 1, 0},     {WeightFormat::unorm8, 255, 3},
                               {WeightFormat::unorm16, 65535, 1}, {WeightFormat::float32, 1, 2}};

// Writes `asset` in every format and reads the stored numbers back. Returns how many rows were judged.
std::size_t judge(const Asset& asset, const std::string& path) {
  std::size_t judged = 0;
  for (const Format& format : kFormats) {
    SaveOptions options;
    options.weights = format.format;
    options.max_influences = format.max_influences;
    const Result<Notes> saved = save(path, asset, options);
    EXPECT_TRUE(saved) << saved.error().sentence;
    if (!saved) return judged;
    const std::string file = test::read_text(path);
    std::uint32_t json_size = 0;
    std::memcpy(&json_size, file.data() + 12, 4);
    const JsonTree json = JsonTree::parse(file.substr(20, json_size));
    const std::string bin = file.substr(28 + json_size);
    for (const JsonTree& mesh : json.value("meshes", JsonTree::array())) {
      for (const JsonTree& primitive : mesh["primitives"]) {
        if (!primitive["attributes"].contains("JOINTS_0")) continue;
        const StoredRows rows = stored_rows(bin, json, primitive["attributes"]);
        const std::size_t most =
            format.max_influences > 0 ? static_cast<std::size_t>(format.max_influences) : 256;
        EXPECT_EQ(broken_law(rows, format.scale, most), "") << format.scale;
        judged += rows.weights.size() / rows.width;
      }
    }
  }
  return judged;
}

TEST(WrittenWeights, OfRealFilesKeepTheLaws) {
  const std::vector<fs::path> files = test::good_gltf_files();
  if (files.empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const test::TemporaryFolder folder;
  std::size_t judged = 0;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    const Result<Asset> asset = load(file.string());
    ASSERT_TRUE(asset) << asset.error().sentence;
    judged += judge(*asset, folder.file("out.glb"));
  }
  EXPECT_GT(judged, 100000u);
}

TEST(WrittenWeights, OfAMadeCharacterAndAMendedFileKeepTheLaws) {
  const test::TemporaryFolder folder;
  Result<Character> made = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(made);
  EXPECT_GT(judge({std::move(*made), {}, nullptr}, folder.file("out.glb")), 1000u);
  const auto mended =
      test::load_text(test::skinned_triangle({0.3f, 0.9f, 0, 0, 0, 0, 0, 0, -1, 1, 0, 0}).glb());
  ASSERT_TRUE(mended);
  EXPECT_EQ(judge(*mended, folder.file("out.glb")), 18u);
}

}  // namespace
}  // namespace dermis
