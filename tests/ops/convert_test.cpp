// SPDX-License-Identifier: MIT
// Conversions seen from outside: what another format holds is what was there.
#include <gtest/gtest.h>

#include "dermis/ops.h"
#include "outside/files.h"

namespace dermis {
namespace {

// Largest distance between the scene of `input` and the same scene gone through `name`.
double distance_through(const std::string& input, const std::string& output) {
  const Result<ConvertReport> converted = convert({input, output, {}, {}});
  EXPECT_TRUE(converted) << converted.error().sentence;
  if (!converted) return -1;
  CompareJob job;
  job.inputs = {input, output};
  const Result<CompareReport> compared = compare(job);
  EXPECT_TRUE(compared) << compared.error().sentence;
  if (!compared) return -1;
  EXPECT_TRUE(compared->distance.in_order) << input;
  return compared->distance.max;
}

TEST(Convert, MadeCharactersThroughPlyAreZeroApart) {
  const test::TemporaryFolder folder;
  for (const MadeKind kind : {MadeKind::tube, MadeKind::arm}) {
    const Result<Character> made = make_character(kind, {1500}, {});
    ASSERT_TRUE(made);
    ASSERT_TRUE(save(folder.file("made.glb"), {*made, {}, nullptr}));
    EXPECT_EQ(distance_through(folder.file("made.glb"), folder.file("made.ply")), 0);
  }
}

TEST(Convert, OfASkeletonWithoutAMeshIsNotAnEmptyObj) {
  const test::TemporaryFolder folder;
  test::write_text(
      folder.path() / "bones.bvh",
      "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\n"
      "OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n");
  const Result<ConvertReport> converted =
      convert({folder.file("bones.bvh"), folder.file("bones.obj"), {}, {}});
  ASSERT_FALSE(converted);
  EXPECT_NE(converted.error().sentence.find("shows no mesh"), std::string::npos)
      << converted.error().sentence;
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"bones.bvh"}));
}

TEST(Convert, EveryGltfFileThroughPlyIsZeroApart) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const test::TemporaryFolder folder;
  std::size_t count = 0;
  for (const test::fs::path& file : test::good_gltf_files()) {
    const Result<InfoReport> report = info({file.string(), {}});
    if (!report || report->point_count == 0) continue;
    EXPECT_EQ(distance_through(file.string(), folder.file("through.ply")), 0) << file;
    ++count;
  }
  EXPECT_GT(count, 20u);
}

}  // namespace
}  // namespace dermis
