// SPDX-License-Identifier: MIT
// report.html of the verbs: whole, alone, and about what was asked.
#include <gtest/gtest.h>

#include <regex>

#include "dermis/ops.h"
#include "outside/files.h"

namespace dermis {
namespace {

class Reported : public testing::Test {
 protected:
  Reported() {
    const Result<Character> tube = make_character(MadeKind::tube, {1000}, {});
    EXPECT_TRUE(tube);
    EXPECT_TRUE(save(input, {*tube, {}, nullptr}));
    run.command = "dermis deform 'a b.glb' <x>";
  }
  std::string html() const {
    const Result<std::vector<std::byte>> bytes = load_bytes(page, 1 << 28);
    EXPECT_TRUE(bytes);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : std::string();
  }
  // Sections there, nothing left out of the file, no address that leaves it.
  void expect_page(const std::vector<std::string>& sections, std::size_t least_pictures) const {
    const std::string text = html();
    for (const std::string& section : sections)
      EXPECT_NE(text.find("<h2>" + section + "</h2>"), std::string::npos) << section;
    EXPECT_NE(text.find("dermis deform &#39;a b.glb&#39; &lt;x&gt;"), std::string::npos);
    EXPECT_NE(text.find(version()), std::string::npos);
    const std::regex link("(?:src|href)=\"([^\"]{0,5})");
    std::size_t pictures = 0;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), link); at != std::sregex_iterator(); ++at) {
      const std::string target = (*at)[1];
      EXPECT_TRUE(target.starts_with("#") || target == "data:") << target;
      pictures += target == "data:" ? 1u : 0u;
    }
    EXPECT_GE(pictures, least_pictures);
    EXPECT_EQ(text.substr(text.size() - 8), "</html>\n");
  }

  const test::TemporaryFolder folder;
  const std::string input = folder.file("tube.glb"), page = folder.file("page.html");
  RunOptions run;
};

TEST_F(Reported, DeformShowsBeforeAndAfterWeightsAndSweeps) {
  const Result<DeformReport> done =
      deform({input, folder.file("posed.obj"), {"0", 1, "", {}}, {{SkinMethod::dqs}, {}}, run, page});
  ASSERT_TRUE(done) << done.error().sentence;
  expect_page({"What was done", "Before and after", "Weights", "Volume against the angle", "Timings",
               "Notes and warnings", "Do it again"},
              6);
}

TEST_F(Reported, BakeShowsMomentsAndVolumeAlongTheClip) {
  BakeJob job;
  job.input = input;
  job.output = folder.file("posed.pc2");
  job.fps = 8;
  job.run = run;
  job.report = page;
  ASSERT_TRUE(bake(job));
  expect_page({"Before and after", "Volume along the clip", "Weights"}, 11);
}

TEST_F(Reported, CompareShowsBothSidesAndTheirDistance) {
  CompareJob job;
  job.inputs = {input, input};
  job.pose = {"0", 1, "", {}};
  job.deform[1].stack.skin = SkinMethod::dqs;
  job.run = run;
  job.report = page;
  ASSERT_TRUE(compare(job));
  expect_page({"What was done", "Side by side", "Timings"}, 3);
  EXPECT_NE(html().find("measuring"), std::string::npos);
  EXPECT_NE(html().find("surface of B against A"), std::string::npos);
  for (const char* words : {"E_RMS: root mean square", "A: tube.glb by lbs", "B: tube.glb by dqs", "0 at 1 s",
                            "A off from B (% of size)"})
    EXPECT_NE(html().find(words), std::string::npos) << words;
}

TEST_F(Reported, CheckShowsFindingsAndWorstJoints) {
  CheckJob job;
  job.input = input;
  job.run = run;
  job.report = page;
  ASSERT_TRUE(check(job));
  expect_page({"Findings", "Worst joints", "Weights", "Volume against the angle"}, 4);
  for (const char* words : {"by strain", "by volume lost", "by new crossings", "area change", "normals off",
                            "largest shear", "steepest weights"})
    EXPECT_NE(html().find(words), std::string::npos) << words;
}

// What was not looked at is not clean.
TEST_F(Reported, CheckSaysWhatItDidNotJudge) {
  CheckJob job;
  job.input = input;
  job.has_quality = false;
  job.run = run;
  job.report = page;
  const Result<CheckReport> report = check(job);
  ASSERT_TRUE(report);
  EXPECT_NE(html().find("Not judged: the skins were not bent"), std::string::npos);
  EXPECT_EQ(html().find("Nothing is wrong."), std::string::npos);
}

// A cloud of points is a result too.
TEST_F(Reported, SaysWhereThereIsNothingToDraw) {
  const std::string cloud = folder.file("cloud.ply");
  const std::string text =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "end_header\n0 0 0\n1 0 0\n0 1 0\n";
  ASSERT_TRUE(save_bytes(cloud, std::as_bytes(std::span(text))));
  const Result<DeformReport> done = deform({cloud, folder.file("posed.obj"), {}, {}, run, page});
  ASSERT_TRUE(done) << done.error().sentence;
  EXPECT_NE(html().find("no triangles to draw"), std::string::npos);
}

TEST_F(Reported, IsRefusedBeforeTheWorkUnlessItIsHtml) {
  const std::string output = folder.file("posed.obj");
  const Result<DeformReport> done = deform({input, output, {}, {}, run, folder.file("page.pdf")});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::usage);
  EXPECT_FALSE(test::fs::exists(output));
}

}  // namespace
}  // namespace dermis
