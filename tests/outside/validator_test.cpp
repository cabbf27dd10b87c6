// SPDX-License-Identifier: MIT
// Everything dermis writes passes gltf-validator without an error that its input did not have.
#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "dermis/made.h"
#include "dermis/ops.h"
#include "judges/judges.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using ErrorCounts = std::map<std::string, int>;

// The validator's error codes of each file, with their counts.
std::vector<ErrorCounts> validated(const std::vector<std::string>& files) {
  const Result<nlohmann::json> reports = judges::ask("validate.mjs", files);
  EXPECT_TRUE(reports) << reports.error().sentence;
  std::vector<ErrorCounts> counts(files.size());
  for (std::size_t k = 0; reports && k < files.size(); ++k) {
    const nlohmann::json& report = reports->at(k);
    EXPECT_FALSE(report.contains("error")) << files[k] << ": " << report.dump();
    if (report.contains("codes")) counts[k] = report["codes"].value("ERROR", ErrorCounts{});
  }
  return counts;
}

// A way of writing: a name for the reader, and options.
struct Way {
  const char* name;
  const char* suffix;
  SaveOptions save;
  bool rewrites_weights = false;
};

std::vector<Way> ways() {
  SaveOptions embed, u8, u16, floats, four;
  embed.embed_buffers = true;
  u8.weights = WeightFormat::unorm8;
  u16.weights = WeightFormat::unorm16;
  floats.weights = WeightFormat::float32;
  four.weights = WeightFormat::unorm16;
  four.max_influences = 2;
  return {{"glb", ".glb", {}},
          {"gltf", ".gltf", {}},
          {"embedded", ".gltf", embed},
          {"u8", ".glb", u8, true},
          {"u16", ".glb", u16, true},
          {"float", ".gltf", floats, true},
          {"two influences", ".glb", four, true}};
}

void expect_no_new_errors(const std::vector<std::string>& outputs, const std::vector<std::string>& names,
                          const std::string& input) {
  std::vector<std::string> all = outputs;
  all.push_back(input);
  const std::vector<ErrorCounts> counts = validated(all);
  const ErrorCounts& before = counts.back();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (const auto& [code, count] : counts[k]) {
      const auto known = before.find(code);
      EXPECT_LE(count, known == before.end() ? 0 : known->second)
          << input << " written as " << names[k] << " has more " << code;
    }
  }
}

// Converts and poses `input` in every way into `folder`, then asks the validator once for all of them.
void judge_input(const fs::path& input) {
  SCOPED_TRACE(input.string());
  const TemporaryFolder folder;
  std::vector<std::string> outputs, names;
  for (const Way& way : ways()) {
    ConvertJob job;
    job.input = input.string();
    job.output = folder.file("out" + std::to_string(outputs.size()) + way.suffix);
    job.save = way.save;
    job.run.force = true;  // several outputs share the images beside them
    const Result<ConvertReport> report = convert(job);
    ASSERT_TRUE(report) << way.name << ": " << report.error().sentence;
    outputs.push_back(job.output);
    names.emplace_back(way.name);
  }
  for (const char* suffix : {".glb", ".gltf"}) {
    DeformJob job;
    job.input = input.string();
    job.output = folder.file(std::string("posed") + suffix);
    job.run.force = true;
    const Result<DeformReport> report = deform(job);
    ASSERT_TRUE(report) << suffix << ": " << report.error().sentence;
    outputs.push_back(job.output);
    names.push_back(std::string("posed") + suffix);
  }
  expect_no_new_errors(outputs, names, input.string());
}

class GltfValidator : public testing::TestWithParam<std::size_t> {};

TEST_P(GltfValidator, FindsNoErrorThatTheInputDidNotHave) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const std::vector<fs::path> files = test::good_gltf_files(GetParam());
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : files) judge_input(file);
}

INSTANTIATE_TEST_SUITE_P(Share, GltfValidator, testing::Range<std::size_t>(0, test::kShares));

TEST(GltfValidatorOnAssimpModels, FindsNoErrorThatTheInputDidNotHave) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  std::size_t judged = 0;
  for (const fs::path& file : test::gltf_files_below(test::assimp_folder() / "glTF2")) {
    if (!load(file.string())) continue;  // refused files have their own table
    judge_input(file);
    ++judged;
  }
  EXPECT_GT(judged, 20u);
}

TEST(GltfValidatorOnMadeCharacters, FindsNoErrorAtAll) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const TemporaryFolder folder;
  std::vector<std::string> outputs;
  for (const MadeRow& row : made_kinds()) {
    Result<Character> made = make_character(row.kind, {1000});
    ASSERT_TRUE(made) << row.name << ": " << made.error().sentence;
    const Asset asset{std::move(*made), {}, nullptr};
    for (const Way& way : ways()) {
      outputs.push_back(folder.file(row.name + std::to_string(outputs.size()) + way.suffix));
      const Result<Notes> saved = save(outputs.back(), asset, way.save);
      ASSERT_TRUE(saved) << row.name << ", " << way.name << ": " << saved.error().sentence;
    }
    DeformJob job;
    job.input = outputs.back();
    job.pose = {"0", 0.4, "", {}};
    job.output = folder.file(std::string(row.name) + "-posed.glb");
    const Result<DeformReport> report = deform(job);
    ASSERT_TRUE(report) << report.error().sentence;
    outputs.push_back(job.output);
  }
  const std::vector<ErrorCounts> counts = validated(outputs);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (const auto& [code, count] : counts[k]) ADD_FAILURE() << outputs[k] << ": " << count << " " << code;
  }
}

}  // namespace
}  // namespace dermis
