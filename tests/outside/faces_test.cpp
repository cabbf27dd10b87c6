// SPDX-License-Identifier: MIT
// Recorded faces: a real take on a real head, against three.js and against the head's own shape files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/ops.h"
#include "judges/judges.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

std::vector<Vec3> face_points(const Character& character, Index clip, double time, const Pose& pose = {}) {
  const Result<PoseFrame> frame = pose_frame(character, {clip, time, &pose});
  EXPECT_TRUE(frame) << frame.error().sentence;
  const Result<Character> still = deform_character(character, *frame, {});
  EXPECT_TRUE(still) << still.error().sentence;
  std::vector<Vec3> points;
  for (const Mesh& mesh : still->meshes) points.insert(points.end(), mesh.points.begin(), mesh.points.end());
  return points;
}

double box_size(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& point : points) box.add(Vec3d(point));
  return box.diagonal();
}

class RecordedFace : public testing::Test {
 protected:
  void SetUp() override {
    if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
    faces = test::data_folder() / "faces";
  }
  // The take on the shapes of a character.
  void play(const std::string& character, const std::string& output) const {
    AnimateJob job;
    job.input = character;
    job.take = (faces / "livelink" / "dao.csv").string();
    job.output = output;
    const Result<AnimateReport> report = animate(job);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(report->figures.frame_count, 180u);
    EXPECT_EQ(report->figures.fps, 60);
  }
  fs::path faces;
  test::TemporaryFolder folder;
};

TEST_F(RecordedFace, PlaysInThreeJsLikeInDermis) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const Result<Character> made = make_character(MadeKind::face, {4000});
  ASSERT_TRUE(made);
  SaveOptions options;
  options.max_influences = 4;
  ASSERT_TRUE(save(folder.file("made.glb"), {*made, {}, nullptr}, options));
  for (const std::string& file :
       {(faces / "ict" / "ict_expressions.glb").string(), folder.file("made.glb")}) {
    SCOPED_TRACE(file);
    ASSERT_NO_FATAL_FAILURE(play(file, folder.file("played.glb")));
    const Result<Asset> played = load(folder.file("played.glb"));
    ASSERT_TRUE(played);
    const Index clip = *find_clip(played->character, "dao");
    const std::vector<judges::ThreeRequest> requests{{clip, 0}, {clip, 0.8}, {clip, 1.61}, {clip, 3.1}};
    const Result<judges::ThreeAnswer> three = judges::three_pose(folder.file("played.glb"), requests);
    ASSERT_TRUE(three) << three.error().sentence;
    for (std::size_t r = 0; r < requests.size(); ++r) {
      const std::vector<Vec3> ours = face_points(played->character, clip, requests[r].time);
      ASSERT_EQ(three->points[r].size(), ours.size());
      double worst = 0;
      for (std::size_t v = 0; v < ours.size(); ++v)
        worst = std::max(worst, length(Vec3d(ours[v]) - three->points[r][v]));
      EXPECT_LT(worst / box_size(ours), 1e-6) << requests[r].time;
    }
    fs::remove(folder.file("played.glb"));
  }
}

TEST_F(RecordedFace, OpensItsJawAsInTheShapeFile) {
  const Result<Asset> face = load((faces / "ict" / "ict_expressions.glb").string());
  const Result<std::vector<Vec3>> wanted = load_points((faces / "ict" / "jawOpen.obj").string());
  ASSERT_TRUE(face && wanted);
  const std::vector<Vec3> ours = face_points(face->character, kNone, 0, {{}, {{"jawOpen", 1}}, {}});
  ASSERT_EQ(ours.size(), wanted->size());
  double worst = 0;
  for (std::size_t v = 0; v < ours.size(); ++v)
    worst = std::max(worst, length(Vec3d(ours[v]) - Vec3d((*wanted)[v])));
  std::printf("jawOpen: %.2g of the size from the shape file\n", worst / box_size(ours));
  // Its conversion dropped offsets of less than 1e-4 along each axis, of a head that is 33.8 units tall.
  EXPECT_LT(worst, 1.8e-4);
}

}  // namespace
}  // namespace dermis
