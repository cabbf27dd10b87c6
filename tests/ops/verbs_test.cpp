// SPDX-License-Identifier: MIT
// Verbs in memory: the same results as from file to file, without a file; and a verb that no room knows.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dermis/ops.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {

// ---- A verb from outside: moves every point ----

namespace toy {

struct ShiftRequest {
  Vec3 by;
};
struct ShiftReport : FileReport {
  static constexpr const char* kVerb = "shift";
  std::size_t point_count = 0;
};
void describe(ReportFields& fields, const ShiftReport& report) {
  fields.say("{output}: {points} shifted\n");
  fields.add("input", report.input, "the file that was read");
  fields.add("output", report.output, "the file that was written");
  fields.add("points", report.point_count, "points that were shifted", counted_as("point", "points"));
  fields.add("notes", report.notes, "what happened on the way");
}
Result<ShiftReport> shift(Asset& asset, const ShiftRequest& request, const Run& /*run*/ = {}) {
  ShiftReport report;
  for (Mesh& mesh : asset.character.meshes) {
    for (Vec3& point : mesh.points) point += request.by;
    report.point_count += mesh.points.size();
  }
  if (report.point_count == 0) return Error{Errc::bad_argument, asset.name + ": has no points"};
  return report;
}
Result<ShiftReport> shift(const FileJob& job, const ShiftRequest& request) {
  FileVerb<ShiftReport> verb{.extensions = {".glb"}};
  verb.work = [&](Asset& asset, const RunOptions& run) { return shift(asset, request, run); };
  return run_on_files(job, verb);
}

}  // namespace toy

namespace {

using Json = nlohmann::json;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class VerbsInMemory : public testing::Test {
 protected:
  // The made character, as a file and as it is read from it.
  VerbsInMemory() {
    Asset made;
    EXPECT_TRUE(make({MadeKind::humanoid, {2000}}, made));
    EXPECT_TRUE(save(file, made));
  }
  Asset read() const {
    Result<Asset> asset = load(file);
    EXPECT_TRUE(asset);
    return asset ? std::move(*asset) : Asset{};
  }
  // What a job wrote is what saving the asset writes.
  void expect_written(const std::string& written, const Asset& asset) const {
    const std::string saved = folder.file("saved.glb");
    SaveOptions options;
    options.mended_weights = true;
    ASSERT_TRUE(save(saved, asset, options));
    EXPECT_TRUE(bytes_of(written) == bytes_of(saved)) << written;
  }
  template <class Job>
  Job job_to(const char* name) const {
    Job job;
    job.input = file;
    job.output = folder.file(name);
    return job;
  }

  const test::TemporaryFolder folder;
  const std::string file = folder.file("human.glb");
};

TEST_F(VerbsInMemory, BindAsFromFileToFile) {
  Asset asset = read();
  const Result<BindReport> report = bind(asset, {});
  ASSERT_TRUE(report) << report.error().sentence;
  const BindJob job = job_to<BindJob>("bound.glb");
  const Result<BindReport> written = bind(job);
  ASSERT_TRUE(written) << written.error().sentence;
  expect_written(job.output, asset);
  EXPECT_EQ(report->points_by_influences, written->points_by_influences);
  EXPECT_EQ(report->method, "heat");
}

TEST_F(VerbsInMemory, BindToTheJointsOfAnotherAsset) {
  const Asset skeleton = read();
  Asset body = read();
  body.character.skins.clear();
  body.character.clips.clear();
  for (Instance& instance : body.character.instances) instance.skin = kNone;
  for (Mesh& mesh : body.character.meshes) mesh.weights = {};
  BindRequest request;
  request.skeleton = &skeleton;
  const Result<BindReport> report = bind(body, request);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_GT(report->joint_count, 10u);
  EXPECT_FALSE(body.character.meshes[0].weights.empty());
}

TEST_F(VerbsInMemory, RigAndMoveAsFromFileToFile) {
  Asset asset = read();
  Result<RigRequest> request = rig_request({});
  ASSERT_TRUE(request);
  Asset walk;
  {
    Result<Character> made = make_motion(made_motions()[0].motion);
    ASSERT_TRUE(made);
    walk = {.character = std::move(*made), .name = made_motions()[0].name};
  }
  request->motion = MotionRequest{&walk, 0, {}};
  const Result<RigReport> report = rig(asset, *request);
  ASSERT_TRUE(report) << report.error().sentence;
  RigJob job = job_to<RigJob>("rigged.glb");
  job.motion = walk.name;
  const Result<RigReport> written = rig(job);
  ASSERT_TRUE(written) << written.error().sentence;
  expect_written(job.output, asset);
  EXPECT_EQ(report->clip, written->clip);
  EXPECT_EQ(report->skeleton.joints.size(), written->skeleton.joints.size());
}

TEST_F(VerbsInMemory, RigLeavesAnAssetWithoutABodyAsItWas) {
  Asset asset = read();
  for (Mesh& mesh : asset.character.meshes) {
    mesh.polygons = {};
    mesh.parts.clear();
    for_each_attribute(mesh, [](auto& attribute) { attribute = {}; });
  }
  const Character before = asset.character;
  Result<RigRequest> request = rig_request({});
  ASSERT_TRUE(request);
  UnriggedBody unrigged;
  const Result<RigReport> report = rig(asset, *request, {}, &unrigged);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::bad_rig);
  EXPECT_FALSE(unrigged.is_searched);
  EXPECT_EQ(asset.character.skins.size(), before.skins.size());
  EXPECT_EQ(asset.character.clips.size(), before.clips.size());
}

TEST_F(VerbsInMemory, AnimateAsFromFileToFile) {
  const Asset motion = read();
  Asset asset = read();
  const Result<AnimateReport> report = animate(asset, {{&motion, 0, {}}, true});
  ASSERT_TRUE(report) << report.error().sentence;
  AnimateJob job = job_to<AnimateJob>("moved.glb");
  const std::string source = folder.file("motion.glb");
  ASSERT_TRUE(save(source, motion));
  job.motion = source;
  job.drops_clips = true;
  ASSERT_TRUE(animate(job));
  expect_written(job.output, asset);
  EXPECT_EQ(report->clip_count, 1u);
}

TEST_F(VerbsInMemory, WeightsAsFromFileToFile) {
  Asset asset = read();
  const Result<WeightsReport> limited = limit_weights(asset, {}, 2);
  ASSERT_TRUE(limited) << limited.error().sentence;
  EXPECT_EQ(limited->meshes[0].longest_after, 2u);
  const WeightsJob job = job_to<WeightsJob>("limited.glb");
  ASSERT_TRUE(limit_weights(job, 2));
  expect_written(job.output, asset);
  // What was cut differs from the original; blending whole takes it back.
  const Asset original = read();
  const Result<ForeignWeights> whole = weights_of(original);
  ASSERT_TRUE(whole);
  const Result<WeightsReport> apart = diff_weights(asset, {}, *whole);
  ASSERT_TRUE(apart) << apart.error().sentence;
  EXPECT_GT(apart->meshes[0].changed_point_count, 0u);
  ASSERT_TRUE(blend_weights(asset, {}, *whole, 1));
  const Result<WeightsReport> same = diff_weights(asset, {}, *whole);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->meshes[0].changed_point_count, 0u);
}

TEST_F(VerbsInMemory, DeformBakeAndCompareTheSamePose) {
  const Asset asset = read();
  const Result<Stack> dqs = parse_stack("dqs");
  ASSERT_TRUE(dqs);
  DeformRequest request;
  request.pose = {0, 0.5, {}};
  request.deform.stack = *dqs;
  Character still;
  const Result<DeformReport> report = deform(asset, request, still);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->point_count, still.meshes[0].points.size());

  EXPECT_NE(to_text(*report).find("at 0.5 s"), std::string::npos) << to_text(*report);

  BakeRequest baking;
  baking.fps = 10;
  baking.deform.stack = *dqs;
  std::vector<Vec3> at_half;
  const Result<BakeReport> baked = bake(asset, baking, [&](std::size_t frame, const Character& posed) {
    if (frame == 5) at_half = posed.meshes[0].points;
    return Status(Done{});
  });
  ASSERT_TRUE(baked) << baked.error().sentence;
  EXPECT_GT(baked->frame_count, 5u);
  EXPECT_TRUE(at_half == still.meshes[0].points);

  CompareRequest comparing;
  comparing.poses[0].clip = comparing.poses[1].clip = 0;
  comparing.poses[0].time = comparing.poses[1].time = 0.5;
  comparing.deform[1].stack = *dqs;
  const Result<CompareReport> apart = compare(asset, asset, comparing);
  ASSERT_TRUE(apart) << apart.error().sentence;
  EXPECT_GT(apart->distance.max, 0);
  comparing.deform[0] = comparing.deform[1];
  const Result<CompareReport> same = compare(asset, asset, comparing);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->distance.max, 0);
}

TEST_F(VerbsInMemory, RenderGivesItsPictures) {
  RenderRequest request;
  request.width = 64;
  request.height = 48;
  request.samples = 1;
  Pixels picture;
  const auto take = [&](const Pixels& pixels, std::size_t number, std::size_t count) -> Status {
    EXPECT_EQ(number, 0u);
    EXPECT_EQ(count, 1u);
    picture = pixels;
    return Done{};
  };
  const Result<RenderReport> report = render_character(read(), request, take);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(picture.width, 64);
  EXPECT_FALSE(is_one_colour(picture));
}

TEST_F(VerbsInMemory, ReportsPrintAsJsonByTheirDescription) {
  Asset asset = read();
  const Result<BindReport> report = bind(asset, {});
  ASSERT_TRUE(report);
  const Json json = Json::parse(to_json(*report));
  EXPECT_EQ(json["verb"], "bind");
  EXPECT_EQ(json["input"], file);
  EXPECT_EQ(json["method"], "heat");
  const Result<InfoReport> info_report = info(asset);
  ASSERT_TRUE(info_report);
  EXPECT_EQ(Json::parse(to_json(*info_report))["verb"], "info");
  const Result<CheckReport> checked = check(asset, {});
  ASSERT_TRUE(checked);
  EXPECT_EQ(Json::parse(to_json(*checked))["file"], file);
}

TEST_F(VerbsInMemory, SentencesNameTheAsset) {
  Asset nobody;
  const Result<BindReport> report = bind(nobody, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().sentence.find("the character: "), 0u) << report.error().sentence;
}

// ---- A verb from outside ----

TEST_F(VerbsInMemory, AVerbFromOutsideGoesThroughTheDoor) {
  FileJob job;
  job.input = file;
  job.output = folder.file("shifted.glb");
  const Result<toy::ShiftReport> report = toy::shift(job, {{1, 0, 0}});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->input, file);
  EXPECT_EQ(report->output, job.output);
  EXPECT_EQ(Json::parse(to_json(*report))["points"], report->point_count);
  EXPECT_EQ(to_text(*report).find(job.output + ": "), 0u);
  const Result<Asset> shifted = load(job.output);
  ASSERT_TRUE(shifted);
  EXPECT_EQ(shifted->character.meshes[0].points[0], read().character.meshes[0].points[0] + Vec3(1, 0, 0));
}

TEST_F(VerbsInMemory, TheDoorSparesInputsAndChecksNames) {
  FileJob job;
  job.input = job.output = file;
  const std::string before = bytes_of(file);
  const Result<toy::ShiftReport> over = toy::shift(job, {{1, 0, 0}});
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Errc::bad_argument);
  job.output = folder.file("shifted.obj");
  const Result<toy::ShiftReport> other = toy::shift(job, {{1, 0, 0}});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::usage);
  job.output = folder.file("nowhere/shifted.glb");
  EXPECT_FALSE(toy::shift(job, {{1, 0, 0}}));
  job.output = folder.file("shifted.glb");
  job.report = folder.file("page.pdf");
  EXPECT_FALSE(toy::shift(job, {{1, 0, 0}}));
  EXPECT_FALSE(test::fs::exists(job.output));
  EXPECT_TRUE(bytes_of(file) == before);
}

TEST_F(VerbsInMemory, TheDoorTellsWhatReadingSaid) {
  const std::string bare = folder.file("bare.obj");
  std::ofstream(bare) << "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n";
  FileJob job;
  job.input = bare;
  job.output = folder.file("shifted.glb");
  const Result<toy::ShiftReport> report = toy::shift(job, {{1, 0, 0}});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "unit-guessed"));
}

}  // namespace
}  // namespace dermis
