// SPDX-License-Identifier: MIT
// Recorded faces: a real take on a real head, against three.js and against the head's own shape files.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include "dermis/deform.h"
#include "dermis/geometry.h"
#include "dermis/made.h"
#include "dermis/ops.h"
#include "dermis/shapes.h"
#include "geometry/simplify.h"
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

// The shell that the first point is on: the skin, without eyes and teeth.
Mesh skin_of(const Mesh& mesh) {
  std::vector<std::size_t> shell(mesh.points.size());
  std::iota(shell.begin(), shell.end(), std::size_t{0});
  const auto root = [&](std::size_t v) {
    while (shell[v] != v) v = shell[v] = shell[shell[v]];
    return v;
  };
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p)
    for (const Index v : mesh.polygons.polygon(p)) shell[root(at(v))] = root(at(mesh.polygons.polygon(p)[0]));
  std::vector<Index> kept, place(mesh.points.size(), kNone);
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    if (root(v) != root(0)) continue;
    place[v] = static_cast<Index>(kept.size());
    kept.push_back(static_cast<Index>(v));
  }
  Mesh skin = take_points(mesh, kept);
  skin.polygons = {};
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> polygon = mesh.polygons.polygon(p);
    if (place[at(polygon[0])] == kNone) continue;
    for (const Index v : polygon) skin.polygons.corners.push_back(place[at(v)]);
    skin.polygons.first.push_back(static_cast<std::uint32_t>(skin.polygons.corners.size()));
  }
  skin.parts = {{0, static_cast<Index>(kept.size()), 0, static_cast<Index>(skin.polygons.count())}};
  skin.weld = weld_coincident(skin.points);
  return skin;
}

// The same head with a third of its points, all of which are points of the original: there is no other error
// than that of the transfer.
TEST_F(RecordedFace, GivesItsExpressionsToTheSameHeadWithFewerPoints) {
  const Result<Asset> face = load((faces / "ict" / "ict_expressions.glb").string());
  ASSERT_TRUE(face);
  Mesh source = skin_of(face->character.meshes.at(0));
  std::erase_if(source.shapes, [](const Shape& shape) {
    constexpr std::string_view kKept[] = {"jawOpen",       "mouthSmile_L", "eyeBlink_L",  "mouthPucker",
                                          "browInnerUp_L", "mouthFunnel",  "cheekPuff_L", "mouthFrown_R"};
    return std::find(std::begin(kKept), std::end(kKept), shape.name) == std::end(kKept);
  });
  ASSERT_EQ(source.shapes.size(), 8u);
  SurfaceMesh whole;
  for (const Vec3& point : source.points) whole.points.push_back(Vec3d(point));
  for (std::size_t p = 0; p < source.polygons.count(); ++p) {
    const std::span<const Index> polygon = source.polygons.polygon(p);
    for (std::size_t c = 1; c + 1 < polygon.size(); ++c)
      whole.triangles.push_back({static_cast<std::uint32_t>(polygon[0]),
                                 static_cast<std::uint32_t>(polygon[c]),
                                 static_cast<std::uint32_t>(polygon[c + 1])});
  }
  const SurfaceMesh fewer = simplify_surface(whole, source.points.size() / 3);
  Mesh target;
  for (const Vec3d& point : fewer.points) target.points.emplace_back(point);
  for (const SurfaceMesh::Triangle& t : fewer.triangles) {
    for (const std::uint32_t v : t) target.polygons.corners.push_back(static_cast<Index>(v));
    target.polygons.first.push_back(static_cast<std::uint32_t>(target.polygons.corners.size()));
  }
  target.weld = weld_coincident(target.points);
  target.parts = {
      {0, static_cast<Index>(target.points.size()), 0, static_cast<Index>(fewer.triangles.size())}};
  std::map<std::array<float, 3>, Index> place;
  for (std::size_t v = 0; v < source.points.size(); ++v)
    place.try_emplace({source.points[v].x, source.points[v].y, source.points[v].z}, static_cast<Index>(v));
  const Result<ShapeTransfer> carried = transfer_shapes(source, target);
  ASSERT_TRUE(carried) << carried.error().sentence;
  const double size = box_size(source.points);
  for (std::size_t s = 0; s < source.shapes.size(); ++s) {
    std::vector<Vec3d> wanted(source.points.size()), given(target.points.size());
    const Shape &from = source.shapes[s], &to = carried->shapes.at(s);
    double largest = 0, worst = 0, squares = 0;
    for (std::size_t k = 0; k < from.points.size(); ++k) {
      wanted[at(from.points[k])] = Vec3d(from.offsets[k]);
      largest = std::max(largest, length(Vec3d(from.offsets[k])));
    }
    for (std::size_t k = 0; k < to.points.size(); ++k) given[at(to.points[k])] = Vec3d(to.offsets[k]);
    std::size_t moved = 0;
    for (std::size_t v = 0; v < target.points.size(); ++v) {
      const Vec3& point = target.points[v];
      const Vec3d truth = wanted[at(place.at({point.x, point.y, point.z}))];
      const double error = length(truth - given[v]);
      worst = std::max(worst, error);
      squares += error * error;
      moved += length(truth) > 0 ? 1 : 0;
    }
    const double rms = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(moved, 1)));
    std::printf("%-14s largest offset %.3f %%, transfer rms %.4f %%, worst %.3f %% of the size\n",
                from.name.c_str(), 100 * largest / size, 100 * rms / size, 100 * worst / size);
    EXPECT_LT(rms, 0.1 * largest) << from.name;
  }
  std::printf("%zu of %zu points\n", target.points.size(), source.points.size());
}

}  // namespace
}  // namespace dermis
