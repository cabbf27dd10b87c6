// SPDX-License-Identifier: MIT
// FBX files written by hand: where their meshes are bound and placed, worked out by hand, and where three.js
// puts them.
#include <gtest/gtest.h>

#include <numbers>

#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/motion.h"
#include "io/file.h"
#include "judges/judges.h"
#include "made_fbx.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::fbx_vector;
using test::fbx_whole;
using test::MadeFbx;

Affined moved(double x, double y, double z) { return Affined({}, {x, y, z}); }
Affined scaled(double s) { return Affined(diagonal(Vec3d{s, s, s}), {}); }

Result<Asset> load_made(const MadeFbx& made) {
  const std::string text = made.text();
  return load_from_memory(bytes_of(text), "made.fbx");
}

// The corners of a mesh in the order of its polygon, posed.
std::vector<Vec3> corners(const Character& character, std::size_t mesh, Index clip = kNone, double time = 0) {
  const Result<PoseFrame> frame = pose_frame(character, {clip, time, nullptr});
  if (!frame) return {};
  const Result<Character> still = deform_character(character, *frame, {});
  if (!still || mesh >= still->meshes.size()) return {};
  std::vector<Vec3> found;
  for (const Index corner : still->meshes[mesh].polygons.corners)
    found.push_back(still->meshes[mesh].points[static_cast<std::size_t>(corner)]);
  return found;
}

constexpr Vec3d kQuad[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

// The quad of the made mesh under this map.
void expect_quad(const std::vector<Vec3>& found, const Affined& map) {
  ASSERT_EQ(found.size(), 4u);
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec3d wanted = map * kQuad[c];
    EXPECT_LT(length(Vec3d(found[c]) - wanted), 1e-5)
        << "corner " << c << ": " << found[c].x << ' ' << found[c].y << ' ' << found[c].z;
  }
}

// The largest distance from a corner of ours to three.js's nearest point.
double three_difference(const MadeFbx& made, const std::vector<Vec3>& ours) {
  const test::TemporaryFolder folder;
  test::write_text(folder.file("made.fbx"), made.text());
  const Result<judges::ThreeAnswer> answer = judges::three_pose(folder.file("made.fbx"), {{-1, 0}});
  EXPECT_TRUE(answer) << answer.error().sentence;
  if (!answer) return INFINITY;
  double worst = 0;
  for (const Vec3& corner : ours) {
    double nearest = INFINITY;
    for (const Vec3d& point : answer->points[0]) nearest = std::min(nearest, length(Vec3d(corner) - point));
    worst = std::max(worst, nearest);
  }
  return worst;
}

// ---- Bind transforms ------------------------------------------------------------------------------------

// A joint at (0, 1, 0) that holds a quad, which stood at `bound` then and stands at `now`.
MadeFbx held_quad(const Vec3d& bound, const Vec3d& now, const std::string& properties = "") {
  MadeFbx made;
  made.models = {{"joint", -1, fbx_vector("Lcl Translation", {0, 1, 0}), false},
                 {"bow", -1, fbx_vector("Lcl Translation", now) + properties, true}};
  made.skinned = 1;
  made.clusters = {{0, inverse(moved(0, 1, 0)) * Affined({}, bound), moved(0, 1, 0), {0, 1, 2, 3}, true}};
  return made;
}

TEST(FbxBinding, LeavesAMeshThatMovedAfterBindingWhereItsJointsHoldIt) {
  const MadeFbx made = held_quad({0, 0, 0}, {5, 0, 0});
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  expect_quad(corners(asset->character, 0), {});
  EXPECT_TRUE(test::has_note(asset->notes, "moved-since-bind"));
  if (!judges::missing().empty()) return;
  // three.js takes the place of the node instead, against the FBX SDK: it does not read `Transform`.
  EXPECT_NEAR(three_difference(made, corners(asset->character, 0)), 5, 0.01);
}

TEST(FbxBinding, CarriesAnAccessoryFromItsPlaceAtBindTime) {
  // Bound with the joint at (0, 1, 0), which has risen by 3 since.
  MadeFbx made = held_quad({2, 0, 0}, {2, 0, 0});
  made.models[0].properties = fbx_vector("Lcl Translation", {0, 4, 0});
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  expect_quad(corners(asset->character, 0), moved(2, 3, 0));
  EXPECT_FALSE(test::has_note(asset->notes, "moved-since-bind"));
  if (judges::missing().empty()) {
    EXPECT_LT(three_difference(made, corners(asset->character, 0)), 1e-5);
  }
}

TEST(FbxBinding, AppliesTheGeometricTransformOfASkinnedMesh) {
  const MadeFbx made =
      held_quad({0, 0, 0}, {0, 0, 0},
                fbx_vector("GeometricTranslation", {0, 3, 0}) + fbx_vector("GeometricRotation", {0, 0, 90}) +
                    fbx_vector("GeometricScaling", {2, 2, 2}));
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  // (x, y) to (3 up) + 2 (-y, x)
  expect_quad(corners(asset->character, 0), Affined({{0, 2, 0}, {-2, 0, 0}, {0, 0, 2}}, {0, 3, 0}));
  EXPECT_FALSE(test::has_note(asset->notes, "moved-since-bind"));
  if (judges::missing().empty()) {
    EXPECT_LT(three_difference(made, corners(asset->character, 0)), 1e-5);
  }
}

TEST(FbxBinding, KeepsTheSizeOfAnArmatureScaledByAHundred) {
  // As Blender exports: the armature and the mesh below it scaled by 100, bones in metres.
  MadeFbx made;
  made.models = {{"armature", -1, fbx_vector("Lcl Scaling", {100, 100, 100}), false},
                 {"bone", 0, fbx_vector("Lcl Translation", {0, 2, 0}), false},
                 {"body", -1, fbx_vector("Lcl Scaling", {100, 100, 100}), true}};
  made.skinned = 2;
  const Affined link = scaled(100) * moved(0, 2, 0);
  made.clusters = {{1, inverse(link) * scaled(100), link, {0, 1, 2, 3}, true}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  expect_quad(corners(asset->character, 0), scaled(100));
  EXPECT_FALSE(test::has_note(asset->notes, "moved-since-bind"));
  if (judges::missing().empty()) {
    EXPECT_LT(three_difference(made, corners(asset->character, 0)), 1e-3);
  }
}

TEST(FbxBinding, FindsTheJointByItsConnectionIfNamesRepeat) {
  MadeFbx made = held_quad({0, 0, 0}, {0, 0, 0});
  // Another node of that name, before it and elsewhere.
  made.models.push_back({"joint", 1, fbx_vector("Lcl Translation", {9, 9, 9}), false});
  made.models[0].name = "twin";
  made.models[2].name = "twin";
  made.clusters[0].joint = 2;
  made.clusters[0].transform = inverse(moved(9, 9, 9));
  made.clusters[0].link = moved(9, 9, 9);
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  expect_quad(corners(asset->character, 0), {});
  EXPECT_FALSE(test::has_note(asset->notes, "joints-ambiguous"));
}

TEST(FbxBinding, NotesWeightsThatAreLostBecauseJointsShareAName) {
  MadeFbx made = held_quad({0, 0, 0}, {0, 0, 0});
  made.models.push_back({"joint", 1, "", false});
  made.clusters[0].points = {0, 1};
  made.clusters.push_back({2, {}, {}, {2, 3}, true});
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(test::has_note(asset->notes, "clusters-lost"));
}

TEST(FbxBinding, NotesAJointWithoutItsBindTransform) {
  MadeFbx made = held_quad({0, 0, 0}, {0, 0, 0});
  made.models.push_back({"other", -1, "", false});
  made.clusters[0].points = {0, 1};
  made.clusters.push_back({2, {}, {}, {2, 3}, false});
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(test::has_note(asset->notes, "clusters-lost"));
}

TEST(FbxBinding, UsesThePresentPlaceOfAMeshWhoseBindTransformIsFlat) {
  MadeFbx made = held_quad({0, 0, 0}, {2, 0, 0});
  made.clusters[0].transform = scaled(0);
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  expect_quad(corners(asset->character, 0), moved(2, 0, 0));
  EXPECT_TRUE(test::has_note(asset->notes, "bind-transform-guessed"));
}

// ---- Places of nodes ------------------------------------------------------------------------------------

TEST(FbxPlaces, MoveAMeshButNotItsChildrenByTheGeometricTransform) {
  MadeFbx made;
  made.models = {
      {"plate", -1, fbx_vector("Lcl Translation", {1, 0, 0}) + fbx_vector("GeometricTranslation", {0, 3, 0}),
       true},
      {"cup", 0, fbx_vector("Lcl Translation", {0, 0, 2}), true}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  expect_quad(corners(asset->character, 0), moved(1, 3, 0));
  expect_quad(corners(asset->character, 1), moved(1, 0, 2));
  if (!judges::missing().empty()) return;
  EXPECT_LT(three_difference(made, corners(asset->character, 0)), 1e-5);
  EXPECT_LT(three_difference(made, corners(asset->character, 1)), 1e-5);
}

TEST(FbxPlaces, ListPolygonsBackwardsUnderAMirroringGeometricTransform) {
  MadeFbx made;
  made.models = {{"plate", -1, fbx_vector("GeometricScaling", {-1, 1, 1}), true}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  const std::vector<Vec3> found = corners(asset->character, 0);
  ASSERT_EQ(found.size(), 4u);
  // It faced +z, and still does.
  EXPECT_GT(cross(found[1] - found[0], found[2] - found[1]).z, 0.5f);
}

TEST(FbxPlaces, TurnBackByThePostRotation) {
  MadeFbx made;
  made.models = {{"plate", -1, fbx_vector("PostRotation", {0, 0, 90}), true}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  // (x, y) to (y, -x)
  expect_quad(corners(asset->character, 0), Affined({{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {}));
  if (judges::missing().empty()) {
    EXPECT_LT(three_difference(made, corners(asset->character, 0)), 1e-5);
  }
}

TEST(FbxPlaces, RotateInTheOrderOfTheFile) {
  // ZXY (4): about z first, then x, then y.
  MadeFbx made;
  made.models = {
      {"plate", -1, fbx_vector("Lcl Rotation", {90, 0, 90}) + fbx_whole("RotationOrder", 4), true}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  // x to y to z; y to -x.
  expect_quad(corners(asset->character, 0), Affined({{0, 0, 1}, {-1, 0, 0}, {0, -1, 0}}, {}));
  if (judges::missing().empty()) {
    EXPECT_LT(three_difference(made, corners(asset->character, 0)), 1e-5);
  }
}

TEST(FbxPlaces, DoNotInheritAScaleThatTheFileKeepsBack) {
  MadeFbx made;
  made.models = {{"upper", -1, fbx_vector("Lcl Scaling", {2, 2, 2}), false},
                 {"lower", 0, fbx_vector("Lcl Translation", {1, 0, 0}) + fbx_whole("InheritType", 2), true}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  // Its place is scaled, its size is not.
  expect_quad(corners(asset->character, 0), moved(2, 0, 0));
  EXPECT_FALSE(test::has_note(asset->notes, "fbx-places"));
  if (judges::missing().empty()) {
    EXPECT_LT(three_difference(made, corners(asset->character, 0)), 1e-5);
  }
  made.models[0].properties = fbx_vector("Lcl Scaling", {2, 1, 1});
  const Result<Asset> uneven = load_made(made);
  ASSERT_TRUE(uneven) << uneven.error().sentence;
  EXPECT_TRUE(test::has_note(uneven->notes, "fbx-places"));
}

// ---- Clips ------------------------------------------------------------------------------------------------

TEST(FbxClips, TurnANodeAboutItsPivotAlongAnArc) {
  MadeFbx made;
  made.models = {{"door", -1, fbx_vector("RotationPivot", {1, 0, 0}), true}};
  made.curves = {{0, "Lcl Rotation", "d|Z", {0, 1}, {0, 90}}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_FALSE(test::has_note(asset->notes, "channels-astray"));
  ASSERT_EQ(asset->character.clips.size(), 1u);
  const double half = std::numbers::sqrt2 / 2;
  expect_quad(corners(asset->character, 0, 0, 1), Affined({{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {1, -1, 0}));
  expect_quad(corners(asset->character, 0, 0, 0.5),
              Affined({{half, half, 0}, {-half, half, 0}, {0, 0, 1}}, {1 - half, -half, 0}));
}

TEST(FbxClips, PlayOnANodeWithAGeometricTransform) {
  MadeFbx made;
  made.models = {{"plate", -1, fbx_vector("GeometricTranslation", {0, 3, 0}), true}};
  made.curves = {{0, "Lcl Translation", "d|X", {0, 1}, {0, 4}}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_FALSE(test::has_note(asset->notes, "channels-astray"));
  ASSERT_EQ(asset->character.clips.size(), 1u);
  expect_quad(corners(asset->character, 0, 0, 0.5), moved(2, 3, 0));
}

TEST(FbxClips, TurnBackByThePostRotationInEveryKey) {
  MadeFbx made;
  made.models = {{"plate", -1, fbx_vector("PostRotation", {0, 0, 90}), true}};
  made.curves = {{0, "Lcl Rotation", "d|Z", {0, 1}, {0, 90}}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  ASSERT_EQ(asset->character.clips.size(), 1u);
  expect_quad(corners(asset->character, 0, 0, 0), Affined({{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {}));
  expect_quad(corners(asset->character, 0, 0, 1), {});
}

TEST(FbxClips, AreDoubtedIfAnimatedNodesShareAName) {
  MadeFbx made;
  made.models = {{"twin", -1, "", true}, {"twin", -1, "", true}};
  made.curves = {{1, "Lcl Translation", "d|X", {0, 1}, {0, 4}}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(test::has_note(asset->notes, "channels-ambiguous"));
}

// ---- Shapes -----------------------------------------------------------------------------------------------

TEST(FbxShapes, HaveTheirInBetweensAndWeightsAtRest) {
  MadeFbx made;
  made.models = {{"quad", -1, "", true}};
  made.shaped = 0;
  // In-betweens below zero, between and above; a channel that is whole at 80 %.
  made.channels = {{"lift", 50, {-50, 50, 100, 150}}, {"bend", 40, {80}}};
  const Result<Asset> asset = load_made(made);
  ASSERT_TRUE(asset) << asset.error().sentence;
  const Character& character = asset->character;
  ASSERT_EQ(character.meshes.at(0).shapes.size(), 5u);
  EXPECT_EQ(character.instances.at(0).shape_weights, (std::vector<float>{0, 0, 0.5f, 0, 0.5f}));
  ASSERT_EQ(character.shape_rules.size(), 1u);
  const ShapeRule& rule = character.shape_rules[0];
  EXPECT_EQ(rule.shape, character.meshes[0].shapes[2].name);
  ASSERT_EQ(rule.in_betweens.size(), 3u);
  EXPECT_EQ(rule.in_betweens[0].weight, -0.5f);
  EXPECT_EQ(rule.in_betweens[1].weight, 0.5f);
  EXPECT_EQ(rule.in_betweens[2].weight, 1.5f);
  EXPECT_EQ(rule.in_betweens[1].shape, rule.shape + "_50");
  EXPECT_FALSE(test::has_note(asset->notes, "in-betweens"));
  EXPECT_FALSE(test::has_note(asset->notes, "shape-weights-at-rest"));
  // Half of lift is its second shape, half of bend half of its only one.
  EXPECT_NEAR(corners(character, 0).at(2).z, 2 + 0.5, 1e-6);
}

}  // namespace
}  // namespace dermis
