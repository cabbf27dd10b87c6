// SPDX-License-Identifier: MIT
// Verbs as functions: what their reports say, what they refuse, and that their JSON is one envelope.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::TemporaryFolder;
using Json = nlohmann::json;

// The envelope every verb shares; returns the parsed report.
Json enveloped(const std::string& text, const char* verb) {
  const Json json = Json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << text;
  EXPECT_EQ(json.value("schema", 0), kJsonSchema);
  EXPECT_EQ(json.value("verb", ""), verb);
  EXPECT_EQ(json.value("version", ""), version());
  return json;
}

class Verbs : public testing::Test {
 protected:
  Verbs() { test::write_text(folder.path() / "sink.glb", test::kitchen_sink().glb()); }
  const TemporaryFolder folder;
  const std::string input = folder.file("sink.glb");
};

TEST_F(Verbs, InfoCountsWhatIsThere) {
  const Result<InfoReport> report = info(InfoJob{input, {}});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->node_count, 4u);
  EXPECT_EQ(report->root_count, 3u);
  EXPECT_EQ(report->instance_count, 1u);
  EXPECT_EQ(report->skinned_instance_count, 1u);
  EXPECT_EQ(report->point_count, 3u);
  EXPECT_EQ(report->polygon_count, 1u);
  ASSERT_EQ(report->meshes.size(), 1u);
  EXPECT_EQ(report->meshes[0].shapes, std::vector<std::string>{"smile"});
  EXPECT_EQ(report->meshes[0].points_by_influences, (std::vector<std::size_t>{0, 2, 1}));
  ASSERT_EQ(report->clips.size(), 1u);
  EXPECT_EQ(report->clips[0].name, "wave");
  EXPECT_EQ(report->clips[0].end, 1);
  const Json json = enveloped(to_json(*report), "info");
  EXPECT_EQ(json["points"], 3);
  EXPECT_EQ(json["meshes"][0]["uv_sets"], 1);
}

TEST_F(Verbs, ConvertSaysWhatItWroteAndWhatAFormatCannotHold) {
  const Result<ConvertReport> report = convert({{input, folder.file("a.obj"), {}, {}}});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "not-in-format"));
  EXPECT_GT(report->output_bytes, 0u);
  const Json json = enveloped(to_json(*report), "convert");
  EXPECT_EQ(json["output"], folder.file("a.obj"));
  EXPECT_FALSE(json["notes"].empty());
}

TEST_F(Verbs, DeformReportsThePoseItTook) {
  DeformJob job;
  job.input = input;
  job.output = folder.file("a.ply");
  job.pose = {"wave", 1, "", {{"smile", 1.0f}}};
  job.deform.stack = deform_stack("rigid");
  const Result<DeformReport> report = deform(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->clip, "wave");
  EXPECT_EQ(report->method, "shapes,rigid");  // the file has shapes, so they are added
  EXPECT_EQ(report->point_count, 3u);
  EXPECT_EQ(report->box.upper.z, 1);  // the smile
  EXPECT_EQ(enveloped(to_json(*report), "deform")["method"], "shapes,rigid");
}

TEST_F(Verbs, DeformRefusesNamesThatAreNotThereWithTheNearest) {
  DeformJob job;
  job.input = input;
  job.output = folder.file("a.ply");
  job.pose.clip = "wvae";
  const Result<DeformReport> clip = deform(job);
  ASSERT_FALSE(clip);
  EXPECT_NE(clip.error().sentence.find("'wave'"), std::string::npos) << clip.error().sentence;
  job.pose = {"", 0, "", {{"smlie", 1.0f}}};
  const Result<DeformReport> shape = deform(job);
  ASSERT_FALSE(shape);
  EXPECT_NE(shape.error().sentence.find("'smile'"), std::string::npos) << shape.error().sentence;
}

TEST_F(Verbs, DeformTakesAPoseFile) {
  test::write_text(folder.path() / "pose.json",
                   R"({"nodes": {"knee": {"turn_deg": [0, 0, 1, 90]}}, "shapes": {"smile": 0.5}})");
  DeformJob job;
  job.input = input;
  job.output = folder.file("a.ply");
  job.pose.pose_file = folder.file("pose.json");
  const Result<DeformReport> report = deform(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_NEAR(report->box.upper.z, 0.5, 1e-6);
  const Result<std::vector<Vec3>> points = load_points(job.output);
  ASSERT_TRUE(points);
  EXPECT_NEAR(length((*points)[1] - Vec3{0, 2, 0}), 0, 1e-6);  // (1,0,0) about the knee at (0,1,0)
  test::write_text(folder.path() / "pose.json", R"({"nodes": {"kne": {}}})");
  EXPECT_FALSE(deform(job));
}

TEST_F(Verbs, CompareFindsNothingBetweenAFileAndItself) {
  CompareJob job;
  job.inputs = {input, input};
  job.limit = 0;
  const Result<CompareReport> report = compare(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->distance.max, 0);
  EXPECT_TRUE(report->is_within_limit);
  ASSERT_TRUE(report->max_weight_difference);
  EXPECT_EQ(*report->max_weight_difference, 0);
  enveloped(to_json(*report), "compare");
}

TEST_F(Verbs, CompareNamesTheWorstPointAndKeepsToTheLimit) {
  test::write_text(folder.path() / "a.xyz", "0 0 0\n4 0 0\n0 3 0\n");
  test::write_text(folder.path() / "b.xyz", "0 0 0\n4 0 0\n0 3 1\n");
  CompareJob job;
  job.inputs = {folder.file("a.xyz"), folder.file("b.xyz")};
  job.limit = 0.1;
  const Result<CompareReport> report = compare(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->distance.max, 1);
  EXPECT_EQ(report->distance.diagonal, 5);
  EXPECT_EQ(report->worst_place, "point 2");
  EXPECT_FALSE(report->is_within_limit);
}

TEST_F(Verbs, MakeReportsItsFile) {
  MakeJob job;
  job.kind = MadeKind::tube;
  job.options.points = 1000;
  job.output = folder.file("tube.glb");
  const Result<MakeReport> made = make(job);
  ASSERT_TRUE(made) << made.error().sentence;
  EXPECT_EQ(made->kind, "tube");
  EXPECT_EQ(enveloped(to_json(*made), "make")["points"], made->point_count);
}

// The tests of the demo with every method are in html_test.cpp: each run draws for half a minute.
TEST_F(Verbs, DemoPosesByAStackOnceHoweverOftenItIsAskedFor) {
  DemoJob job;
  job.folder = folder.file("demo");
  test::fs::create_directory(job.folder);
  test::write_text(job.folder + "/posed-rigid.obj", "v 0 0 0\n");
  job.points = 2000;
  job.stacks = {deform_stack("dqs"), deform_stack("lbs"), deform_stack("dqs")};
  const Result<DemoReport> shown = demo(job);
  ASSERT_TRUE(shown) << shown.error().sentence;
  ASSERT_EQ(shown->posed.size(), 2u);
  EXPECT_TRUE(test::has_note(shown->notes, "earlier-files"));
  EXPECT_EQ(shown->posed[0].method, "dqs");
  EXPECT_EQ(shown->posed[1].method, "lbs");
}

TEST(Methods, ThatAreMisspelledOrOutOfPhaseAreUsageErrors) {
  EXPECT_TRUE(parse_stack("lbs"));
  EXPECT_TRUE(parse_stack("shapes,rigid"));
  for (const char* stack :
       {"", "shapes", "lbs,shapes", "lbs,rigid", "shapes,shapes,lbs", "LBS", "lbs,", "magic", ","}) {
    const Result<Stack> method = parse_stack(stack);
    ASSERT_FALSE(method) << stack;
    EXPECT_EQ(method.error().code, Errc::usage) << stack;
    EXPECT_EQ(method.error().sentence.find('\n'), std::string::npos);
  }
  EXPECT_TRUE(parse_normal_mode("exact"));
  EXPECT_FALSE(parse_normal_mode("smooth"));
}

TEST(Methods, AreATableInTheSameEnvelope) {
  const Json json = enveloped(methods_json(), "methods");
  EXPECT_EQ(json["methods"].size(), methods().size());
}

TEST(Errors, AreJsonInTheSameEnvelopeWhateverBytesThePathHolds) {
  const Json json = enveloped(to_json("info", Error{Errc::unreadable, "a\xFF.glb: cannot open"}), "info");
  EXPECT_EQ(json["error"]["code"], "unreadable");
}

}  // namespace
}  // namespace dermis
