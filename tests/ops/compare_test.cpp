// SPDX-License-Identifier: MIT
// Comparing: the pose is for whatever can move, and never ignored.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dermis/ops.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

constexpr const char* kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

class Compared : public testing::Test {
 protected:
  Compared() { test::write_text(folder.path() / "rest.obj", kTriangle); }

  CompareJob job(const std::string& a, const std::string& b) const {
    CompareJob asked;
    asked.inputs = {folder.file(a), folder.file(b)};
    return asked;
  }

  const test::TemporaryFolder folder;
};

TEST_F(Compared, ShapesOfAMeshWithoutASkinArePosed) {
  Character character = load(folder.file("rest.obj"))->character;
  Shape smile;
  smile.name = "smile";
  smile.points = {2};
  smile.offsets = {{0, 1, 0}};
  character.meshes[0].shapes.push_back(smile);
  character.instances[0].shape_weights = {0};
  ASSERT_TRUE(save(folder.file("face.glb"), {character, {}, nullptr}));
  CompareJob asked = job("face.glb", "rest.obj");
  asked.pose.shapes = {{"smile", 1}};
  const Result<CompareReport> report = compare(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->distance.max, 1);
}

TEST_F(Compared, NotesOfBothSidesSayWhichFileTheyAreAbout) {
  test::write_text(folder.path() / "other.obj", kTriangle);
  const Result<CompareReport> report = compare(job("rest.obj", "other.obj"));
  ASSERT_TRUE(report) << report.error().sentence;
  for (const char* name : {"rest.obj", "other.obj"}) {
    EXPECT_TRUE(std::any_of(report->notes.begin(), report->notes.end(), [&](const Note& note) {
      return note.sentence.starts_with(folder.file(name) + ":") &&
             note.sentence.find("metre") != std::string::npos;
    })) << name;
  }
}

int matched_count(const CompareReport& report) {
  return static_cast<int>(std::count_if(report.notes.begin(), report.notes.end(),
                                        [](const Note& note) { return note.id == "matched-by-corners"; }));
}

// As FBX comes in: the same polygons, their points numbered otherwise.
TEST_F(Compared, PointsInAnotherOrderAreMatchedByTheCornersOfTheirPolygons) {
  test::write_text(folder.path() / "a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 2 0\nf 1 2 3\nf 1 3 4\n");
  test::write_text(folder.path() / "b.obj", "v 0 2 0\nv 1 0 0\nv 0 0 0\nv 1 1.5 0\nf 3 2 4\nf 3 4 1\n");
  const Result<CompareReport> report = compare(job("a.obj", "b.obj"));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->distance.max, 0.5);
  EXPECT_EQ(report->distance.worst, 2u);
  EXPECT_EQ(matched_count(*report), 1);
}

TEST_F(Compared, PointsInOrderStayInOrderWhereOnlyThePolygonsAreListedOtherwise) {
  test::write_text(folder.path() / "a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  // The second has its two triangles the other way round: an isomorphism, but the points stand as they are.
  test::write_text(folder.path() / "b.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 3 4 1\nf 3 1 2\n");
  const Result<CompareReport> report = compare(job("a.obj", "b.obj"));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->distance.max, 0);
  EXPECT_EQ(matched_count(*report), 0);
}

TEST_F(Compared, MayasDualQuaternionsAreDqsThoughTheirPointsAreNumberedOtherwise) {
  const std::string name = (test::data_folder() / "fbx-oracle" / "maya_dual_quaternion").string();
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  CompareJob asked;
  asked.inputs = {name + "_7500_ascii.fbx", name + ".obj"};
  asked.deform[0].stack = deform_stack("dqs");
  const Result<CompareReport> report = compare(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_LT(report->distance.max, 1e-6 * report->distance.diagonal);
  EXPECT_EQ(matched_count(*report), 1);
}

TEST_F(Compared, APoseForTwoMeshesThatCannotMoveIsRefused) {
  CompareJob asked = job("rest.obj", "rest.obj");
  asked.pose.clip = "walk";
  const Result<CompareReport> report = compare(asked);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::usage);
  EXPECT_NE(report.error().sentence.find("nothing to pose"), std::string::npos);
}

TEST_F(Compared, MethodsAreThoseOfSkinsAndSaidToDoNothingWhereNeitherSideHasOne) {
  const auto said = [](const CompareReport& report) {
    return std::count_if(report.notes.begin(), report.notes.end(),
                         [](const Note& note) { return note.id == "nothing-skinned"; });
  };
  CompareJob asked = job("rest.obj", "rest.obj");
  EXPECT_EQ(said(*compare(asked)), 0);
  asked.deform[1].stack = deform_stack("dqs,delta_mush");
  const Result<CompareReport> one = compare(asked);
  ASSERT_TRUE(one) << one.error().sentence;
  EXPECT_EQ(said(*one), 1);
  EXPECT_EQ(one->methods, (std::array<std::string, 2>{})) << "without a skin there is no method";
  EXPECT_NE(to_json(*one).find("\"methods\": [\n    null,\n    null\n  ]"), std::string::npos)
      << to_json(*one);
  asked.deform[0] = asked.deform[1];
  EXPECT_EQ(said(*compare(asked)), 1);  // the same file by the same method, said once
  const Result<Character> tube = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(tube);
  ASSERT_TRUE(save(folder.file("tube.glb"), {*tube, {}, nullptr}));
  asked.inputs[0] = folder.file("tube.glb");
  const Result<CompareReport> with_skin = compare(asked);
  EXPECT_EQ(said(*with_skin), 0);  // the other is a result to compare with
  EXPECT_EQ(with_skin->methods, (std::array<std::string, 2>{"dqs,delta_mush", ""}));
}

TEST_F(Compared, ErrorsOfTheLiteratureAndVolumesAreSaidForPointsInOrder) {
  test::write_text(folder.path() / "a.obj",
                   "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  test::write_text(folder.path() / "b.obj",
                   "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  const Result<CompareReport> report = compare(job("a.obj", "b.obj"));
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_TRUE(report->e_rms && report->volumes);
  EXPECT_NEAR(*report->e_rms, 1000 / std::sqrt(3.0 * 4) / (std::sqrt(14.0) / 2), 1e-9);
  EXPECT_NEAR((*report->volumes)[0], 1, 1e-12);
  EXPECT_NEAR((*report->volumes)[1], 2, 1e-12);
  // Stretched to twice its width: edges and areas along x double, right angles there become 2 atan(1 / 2).
  ASSERT_TRUE(report->surface);
  EXPECT_NEAR(report->surface->edge, 1, 1e-6);
  EXPECT_NEAR(report->surface->area, 1, 1e-6);
  EXPECT_NEAR(report->surface->shear, kPi / 2 - 2 * std::atan(0.5), 1e-6);
  EXPECT_FALSE(compare(job("a.obj", "rest.obj"))->surface) << "other polygons";
  EXPECT_FALSE(compare(job("a.obj", "rest.obj"))->e_rms) << "nearest points have no frames";
}

// Two points, two frames: the second point goes from (2, 0, 0) to (2, 0, 2), in the other one to (2, 3, 2).
PointCache two_frames(float y) {
  PointCache cache;
  cache.times = {0, 0.5f};
  cache.point_count = 2;
  cache.points = {{0, 0, 0}, {2, 0, 0}, {0, 0, 0}, {2, y, 2}};
  return cache;
}

// The only distance is 3. Diagonal 2; E_RMS = 1000 sqrt(9 / 12) / 1; the points of A spread about their
// middle by 1 + 1 and 2 + 2, so KG = 100 sqrt(9 / 6).
TEST_F(Compared, CachesAreMeasuredOverAllTheirFrames) {
  ASSERT_TRUE(save_cache(folder.file("a.mdd"), two_frames(0)));
  ASSERT_TRUE(save_cache(folder.file("b.pc2"), two_frames(3)));
  CompareJob asked = job("a.mdd", "b.pc2");
  asked.limit = 1.4;
  const Result<CompareReport> report = compare(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_TRUE(report->sequence);
  EXPECT_EQ(report->sequence->worst_frame, 1u);
  EXPECT_EQ(report->sequence->max, (std::vector<double>{0, 3}));
  EXPECT_EQ(report->distance.max, 3);
  EXPECT_NEAR(report->distance.rms, std::sqrt(9.0 / 4), 1e-12);
  EXPECT_NEAR(*report->e_rms, 1000 * std::sqrt(9.0 / 12), 1e-9);
  EXPECT_NEAR(*report->kg, 100 * std::sqrt(9.0 / 6), 1e-9);
  EXPECT_EQ(report->worst_place, "frame 1 (0.5 s), point 1");
  EXPECT_FALSE(report->is_within_limit);
}

// Which does not say how many points it has.
TEST_F(Compared, ABareCacheHasThePointsOfTheOtherSide) {
  ASSERT_TRUE(save_cache(folder.file("a.mdd"), two_frames(0)));
  const PointCache frames = two_frames(1);
  ASSERT_TRUE(save_bytes(folder.file("b.f32"), std::as_bytes(std::span(frames.points))));
  for (const auto& [a, b] : {std::pair("a.mdd", "b.f32"), std::pair("b.f32", "a.mdd")}) {
    const Result<CompareReport> report = compare(job(a, b));
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(report->distance.max, 1);
  }
  const Result<CompareReport> bare = compare(job("b.f32", "b.f32"));
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error().code, Errc::usage);
}

// A tube with its clip as tube.glb, and the clip baked at eight frames per second.
void bake_tube(const test::TemporaryFolder& folder, const char* output) {
  const Result<Character> tube = make_character(MadeKind::tube, {1000}, {});
  ASSERT_TRUE(tube);
  ASSERT_TRUE(save(folder.file("tube.glb"), {*tube, {}, nullptr}));
  BakeJob baking;
  baking.input = folder.file("tube.glb");
  baking.output = folder.file(output);
  baking.fps = 8;
  ASSERT_TRUE(bake(baking));
}

TEST_F(Compared, AClipIsAsFarFromItsOwnCacheAsRounding) {
  bake_tube(folder, "tube.mdd");
  for (const auto& [a, b] : {std::pair("tube.glb", "tube.mdd"), std::pair("tube.mdd", "tube.glb")}) {
    CompareJob asked = job(a, b);
    asked.pose.clip = "0";
    const Result<CompareReport> same = compare(asked);
    ASSERT_TRUE(same) << same.error().sentence;
    EXPECT_LT(same->distance.max, 1e-5 * same->distance.diagonal);
    asked.deform[0].stack = asked.deform[1].stack = deform_stack("dqs");
    EXPECT_GT(compare(asked)->distance.max, 1e-3 * same->distance.diagonal);
  }
}

// A .pc2 counts frames; at another rate every frame is compared with another time of the clip.
TEST_F(Compared, ACacheThatCountsFramesTakesTheRateAskedFor) {
  bake_tube(folder, "tube.pc2");
  CompareJob asked = job("tube.glb", "tube.pc2");
  asked.pose.clip = "0";
  const Result<CompareReport> guessed = compare(asked);
  ASSERT_TRUE(guessed) << guessed.error().sentence;
  EXPECT_TRUE(test::has_note(guessed->notes, "fps-guessed"));
  EXPECT_GT(guessed->distance.max, 1e-2 * guessed->distance.diagonal);
  asked.fps = 8;
  const Result<CompareReport> told = compare(asked);
  ASSERT_TRUE(told) << told.error().sentence;
  EXPECT_FALSE(test::has_note(told->notes, "fps-guessed"));
  EXPECT_LT(told->distance.max, 1e-5 * told->distance.diagonal);
}

TEST_F(Compared, SequencesThatDoNotFitAreRefusedInOneSentence) {
  PointCache longer = two_frames(0);
  longer.times.push_back(1);
  longer.points.insert(longer.points.end(), {{0, 0, 0}, {1, 1, 1}});
  ASSERT_TRUE(save_cache(folder.file("a.mdd"), two_frames(0)));
  ASSERT_TRUE(save_cache(folder.file("longer.mdd"), longer));
  CompareJob posed = job("a.mdd", "a.mdd");
  posed.pose.clip = "0";
  const std::pair<CompareJob, const char*> cases[] = {{job("a.mdd", "longer.mdd"), "2 frames and 3"},
                                                      {job("a.mdd", "rest.obj"), "needs a clip"},
                                                      {posed, "remove the pose options"}};
  for (const auto& [asked, words] : cases) {
    const Result<CompareReport> report = compare(asked);
    ASSERT_FALSE(report) << words;
    EXPECT_NE(report.error().sentence.find(words), std::string::npos) << report.error().sentence;
  }
}

}  // namespace
}  // namespace dermis
