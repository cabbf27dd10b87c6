// SPDX-License-Identifier: MIT
// report.html of the verbs: whole, alone, and about what was asked.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "notes.h"
#include "ops/page/page.h"
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
  const std::string input = folder.file("tube.glb");
  std::string page = folder.file("page.html");
  RunOptions run;
};

TEST_F(Reported, DeformShowsBeforeAndAfterWeightsAndSweeps) {
  const Result<DeformReport> done = deform(
      DeformJob{{input, folder.file("posed.obj"), {}, run, page}, {"0", 1, "", {}}, {deform_stack("dqs")}});
  ASSERT_TRUE(done) << done.error().sentence;
  expect_page({"What was done", "Before and after", "Weights", "Worst joints", "Volume against the angle",
               "Timings", "Notes and warnings", "Do it again"},
              10);
  EXPECT_TRUE(test::has_note(done->notes, "report-written"));
}

TEST_F(Reported, BakeShowsMomentsAndVolumeAlongTheClip) {
  BakeJob job;
  job.input = input;
  job.output = folder.file("posed.pc2");
  job.fps = 8;
  job.run = run;
  job.report = page;
  ASSERT_TRUE(bake(job));
  expect_page({"Before and after", "Volume along the clip", "Weights", "Worst joints"}, 15);
}

TEST_F(Reported, CompareShowsBothSidesAndTheirDistance) {
  CompareJob job;
  job.inputs = {input, input};
  job.pose = {"0", 1, "", {}};
  job.deform[1].stack = deform_stack("dqs");
  job.run = run;
  job.report = page;
  ASSERT_TRUE(compare(job));
  expect_page({"What was done", "Side by side", "Timings"}, 3);
  EXPECT_NE(html().find("measuring"), std::string::npos);
  EXPECT_NE(html().find("surface of B against A"), std::string::npos);
  for (const char* words : {"E_RMS: root mean square", "A: tube.glb by lbs", "B: tube.glb by dqs", "0 at 1 s",
                            "distance of A from B (% of size)"})
    EXPECT_NE(html().find(words), std::string::npos) << words;
}

TEST_F(Reported, CheckShowsFindingsAndWorstJoints) {
  CheckJob job;
  job.input = input;
  job.run = run;
  job.report = page;
  ASSERT_TRUE(check(job));
  expect_page({"Findings", "At rest", "Worst joints", "Weights", "Volume against the angle", "Timings"}, 6);
  for (const char* words : {"by strain", "by volume lost", "by new crossings", "area change", "normal error",
                            "largest shear", "steepest weights"})
    EXPECT_NE(html().find(words), std::string::npos) << words;
}

TEST_F(Reported, CheckShowsAMeshWithoutASkin) {
  test::write_text(folder.path() / "square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
  CheckJob job;
  job.input = folder.file("square.obj");
  job.run = run;
  job.report = page;
  ASSERT_TRUE(check(job));
  expect_page({"At rest", "Timings"}, 1);
}

// The tube without the cap at its upper end; and a flat thing, whose volume is rounding.
TEST_F(Reported, SaysWhichOpeningsWereCappedAndNoVolumeOfAFlatThing) {
  Character open = load(input)->character;
  Polygons& polygons = open.meshes[0].polygons;
  const std::size_t kept = polygons.count() - 20;
  polygons.corners.resize(polygons.first[kept]);
  polygons.first.resize(kept + 1);
  for (MeshPart& part : open.meshes[0].parts) part.polygon_count = static_cast<Index>(kept);
  ASSERT_TRUE(save(folder.file("open.glb"), {open, {}, nullptr}));
  const auto text_of = [&](const char* name) {
    BakeJob job;
    job.input = folder.file(name);
    job.output = folder.file("posed.pc2");
    job.fps = 2;
    job.run = run;
    job.run.force = true;
    job.report = page;
    const Result<BakeReport> done = bake(job);
    EXPECT_TRUE(done) << done.error().sentence;
    return html();
  };
  EXPECT_NE(text_of("open.glb").find("capped"), std::string::npos);
  Character flat = load(input)->character;
  for (Vec3& point : flat.meshes[0].points) point.z *= 1e-9f;
  ASSERT_TRUE(save(folder.file("flat.glb"), {flat, {}, nullptr}));
  const std::string told = text_of("flat.glb");
  EXPECT_NE(told.find("Nothing here encloses a volume."), std::string::npos);
  EXPECT_EQ(told.find("volume -"), std::string::npos);
}

TEST_F(Reported, CompareOfCachesPlotsEveryFrame) {
  PointCache cache;
  cache.times = {0, 1};
  cache.point_count = 2;
  cache.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  ASSERT_TRUE(save_cache(folder.file("a.mdd"), cache));
  cache.points[3] = {2, 2, 2};
  ASSERT_TRUE(save_cache(folder.file("b.mdd"), cache));
  CompareJob job;
  job.inputs = {folder.file("a.mdd"), folder.file("b.mdd")};
  job.run = run;
  job.report = page;
  ASSERT_TRUE(compare(job));
  expect_page({"What was done", "Frame by frame", "Timings"}, 0);
  EXPECT_NE(html().find("frame 1 (1 s), point 1"), std::string::npos);
}

TEST_F(Reported, DemoShowsItsGalleryTheBareMeshAndTheWalk) {
  DemoJob job;
  job.folder = folder.file("demo");
  job.points = 2000;
  job.run = run;
  const Result<DemoReport> done = demo(job);
  ASSERT_TRUE(done) << done.error().sentence;
  EXPECT_EQ(done->posed.size(), 10u);                     // nine methods, and lbs with delta_mush
  EXPECT_EQ(done->files.size(), 4 + done->posed.size());  // bare, walking, posed, and the report
  EXPECT_EQ(done->skeleton, "biped");
  EXPECT_FALSE(done->next.empty());
  EXPECT_FALSE(test::has_note(done->notes, "earlier-files"));
  for (const std::string& file : done->files) EXPECT_TRUE(test::fs::exists(file)) << file;
  EXPECT_EQ(nlohmann::json::parse(to_json(*done))["verb"], "demo");
  page = done->files.back();
  expect_page({"From a bare mesh to a walk", "The humanoid by every method", "Worst joints", "Weights",
               "What was done", "Timings", "Notes and warnings", "Do it again"},
              30);
  const std::string text = html();
  for (const char* words : {"before: the bare mesh", "the skeleton found in it: biped", "into its walk",
                            "dermis info", "% of its size from lbs"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
  for (const std::string& file : done->files) {
    if (file != page) {
      EXPECT_NE(text.find(test::fs::path(file).filename().string()), std::string::npos) << file;
    }
  }
  // The collapse and the bulge are numbers of the gallery.
  const std::regex number("volume [+-]?[0-9.]+ %");
  EXPECT_GE(std::distance(std::sregex_iterator(text.begin(), text.end(), number), std::sregex_iterator()), 4);
}

TEST_F(Reported, DemoOfShapesMendsAnElbowAndTwists) {
  DemoJob job;
  job.part = "shapes";
  job.folder = folder.file("demo");
  job.points = 2000;
  job.run = run;
  const Result<DemoReport> done = demo(job);
  ASSERT_TRUE(done) << done.error().sentence;
  EXPECT_EQ(done->files.size(), 4u);  // the elbow, the helpers, the face, and the report
  for (const std::string& file : done->files) EXPECT_TRUE(test::fs::exists(file)) << file;
  ASSERT_GT(done->shown.size(), 4u);
  EXPECT_GT(done->shown[0].without, 1e-3);
  EXPECT_LT(done->shown[0].with, 1e-5);
  double without = 0, with = 0;  // lost by twists
  for (std::size_t k = 1; k < done->shown.size(); ++k) {
    without += done->shown[k].without;
    with += done->shown[k].with;
  }
  EXPECT_LT(with, 0.4 * without);
  page = done->files.back();
  expect_page({"The elbow, corrected", "The forearm, with twist joints", "The chest, breathing", "The face",
               "Notes and warnings", "Do it again"},
              16);
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
  const Result<DeformReport> done =
      deform(DeformJob{{cloud, folder.file("posed.obj"), {}, run, page}, {}, {}});
  ASSERT_TRUE(done) << done.error().sentence;
  EXPECT_NE(html().find("no triangles to draw"), std::string::npos);
}

TEST_F(Reported, IsRefusedBeforeTheWorkUnlessItIsHtml) {
  const std::string output = folder.file("posed.obj");
  const Result<DeformReport> done =
      deform(DeformJob{{input, output, {}, run, folder.file("page.pdf")}, {}, {}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::usage);
  EXPECT_FALSE(test::fs::exists(output));
}

TEST(FactsOnPages, AreTheSingleValuesOfTheDescribedReport) {
  AnimateReport report;
  report.input = "hero.glb";
  report.figures.slide = 0.0125;
  report.crossing_limb = "";  // null: not a fact
  report.map = {{"hips", {"a"}, {"b"}}};
  report.seconds_retargeting = 0.25;
  const DescribedFacts told = facts_of(report);
  const auto value_of = [](const Facts& facts, const std::string& name) {
    for (const Fact& fact : facts) {
      if (fact.name == name) return fact.value;
    }
    return std::string("absent");
  };
  EXPECT_EQ(value_of(told.facts, "input"), "hero.glb");
  EXPECT_EQ(value_of(told.facts, "feet: slide"), "1.25 %");
  EXPECT_EQ(value_of(told.facts, "body: crossing limb"), "absent");
  EXPECT_EQ(value_of(told.facts, "role"), "absent");
  EXPECT_EQ(value_of(told.facts, "seconds: retargeting"), "absent");
  EXPECT_EQ(value_of(told.timings, "retargeting"), "0.25 s");
  for (const Fact& fact : told.facts) EXPECT_NE(fact.meaning, "") << fact.name;
}

}  // namespace
}  // namespace dermis
