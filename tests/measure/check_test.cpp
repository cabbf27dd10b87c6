// SPDX-License-Identifier: MIT
// One made character for each finding: it triggers exactly that one, and mended it triggers none.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <span>

#include "characters.h"
#include "dermis/measure.h"
#include "measure/check.h"

namespace dermis {
namespace {

using test::rows_of;
using Names = std::vector<std::string>;

// A cube of twelve triangles on two joints, with a clip. Nothing is wrong with it.
Character good_character() {
  Character character;
  character.nodes.resize(3);
  character.nodes[0].name = "body";
  character.nodes[1].name = "hip";
  character.nodes[2].name = "knee";
  character.nodes[2].parent = 1;
  character.nodes[2].rest.translation = {0, 1, 0};
  Mesh mesh;
  mesh.name = "cube";
  for (int k = 0; k < 8; ++k)
    mesh.points.push_back(
        {(k & 1) != 0 ? 1.0f : 0.0f, (k & 2) != 0 ? 1.0f : 0.0f, (k & 4) != 0 ? 1.0f : 0.0f});
  mesh.polygons.corners = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  for (std::uint32_t p = 1; p <= 12; ++p) mesh.polygons.first.push_back(3 * p);
  mesh.parts.push_back({0, 8, 0, 12});
  mesh.weights.first = {0};
  for (int k = 0; k < 8; ++k) {
    mesh.weights.influences.push_back({(k & 2) != 0 ? 1 : 0, 1.0f});
    mesh.weights.first.push_back(static_cast<std::uint32_t>(k + 1));
  }
  mesh.weld = weld_coincident(mesh.points);
  character.meshes.push_back(std::move(mesh));
  character.skins.push_back({"skin", {1, 2}, {Affine{}, Affine{}}});
  character.skins[0].inverse_bind[1].translation = {0, -1, 0};
  character.instances.push_back({0, 0, 0, {}, true});
  Channel channel{ChannelPath::rotation, 2, Interpolation::linear, {0, 1}, {0, 0, 0, 1, 1, 0, 0, 0}};
  character.clips.push_back({"bend", {std::move(channel)}});
  return character;
}

Findings findings_of(const Character& character, const CheckLimits& limits = {}, const Notes& notes = {}) {
  const Status valid = validate(character);
  EXPECT_TRUE(valid) << valid.error().sentence;
  const Result<Checkup> checkup = check_character(character, notes, limits);
  EXPECT_TRUE(checkup);
  return checkup->findings;
}

Names ids_of(const Findings& findings) {
  Names ids;
  for (const Finding& finding : findings) ids.push_back(finding.id);
  return ids;
}

CheckLimits profile(const char* name) {
  CheckLimits limits;
  limits.profile = *find_check_profile(name);
  return limits;
}

// Exactly this finding; mended, none is left when the rule says it can be mended.
Finding expect_only(Character character, const char* id, const CheckLimits& limits = {}) {
  const Findings findings = findings_of(character, limits);
  EXPECT_EQ(ids_of(findings), Names{id});
  if (findings.empty()) return {};
  EXPECT_FALSE(findings[0].sentence.empty());
  EXPECT_FALSE(findings[0].advice.empty());
  const Notes mended = mend_character(character, limits);
  EXPECT_EQ(!mended.empty(), findings[0].is_mendable) << id;
  if (findings[0].is_mendable) {
    EXPECT_EQ(ids_of(findings_of(character, limits)), Names{}) << id;
  }
  return findings[0];
}

// A point split in two: the second copy used by the last polygon that names it.
Index split_point(Mesh& mesh, Index v) {
  const auto copy = static_cast<Index>(mesh.points.size());
  mesh.points.push_back(mesh.points[at(v)]);
  mesh.weights.influences.push_back(mesh.weights.row(at(v))[0]);
  mesh.weights.first.push_back(static_cast<std::uint32_t>(mesh.weights.influences.size()));
  *std::find(mesh.polygons.corners.rbegin(), mesh.polygons.corners.rend(), v) = copy;
  mesh.parts[0].point_count = static_cast<Index>(mesh.points.size());
  mesh.weld = weld_coincident(mesh.points);
  return copy;
}

TEST(Check, FindsNothingWrongWithAGoodCharacterInAnyProfile) {
  for (const CheckProfile& row : check_profiles())
    EXPECT_EQ(ids_of(findings_of(good_character(), profile(row.name))), Names{}) << row.name;
}

TEST(Check, EveryRuleHasAnIdOfItsOwnAndSaysWhatToDo) {
  std::set<std::string> ids;
  for (const CheckRule& rule : check_rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_FALSE(std::string(rule.advice).empty()) << rule.id;
    EXPECT_FALSE(std::string(rule.meaning).empty()) << rule.id;
  }
}

TEST(Check, RepairsOfTheLoaderAreFindingsWithTheirPlace) {
  const Notes notes = {
      {Note::Kind::repair, "weights-sum-wrong", "mesh 0 'cube': 3 points were off", "mesh", 0, 5, 3},
      {Note::Kind::repair, "something-new", "was odd"},
      {Note::Kind::info, "not-in-scene", "is fine"}};
  const Findings findings = findings_of(good_character(), {}, notes);
  ASSERT_EQ(ids_of(findings), (Names{"weights-sum-wrong", "something-new"}));
  EXPECT_EQ(findings[0].severity, Severity::error);
  EXPECT_EQ(place_of(findings[0]), "mesh 0 'cube', point 5");
  EXPECT_EQ(findings[0].sentence, "3 points were off");
  EXPECT_EQ(findings[0].count, 3u);
  EXPECT_TRUE(findings[0].is_mendable);
  EXPECT_EQ(findings[1].severity, Severity::warning);
  EXPECT_FALSE(findings[1].is_mendable);
}

TEST(Check, MoreInfluencesThanTheProfileAllowsAreAnError) {
  Character character = good_character();
  // Five joints, all at the hip.
  for (int k = 0; k < 3; ++k) {
    character.nodes.push_back({"extra" + std::to_string(k), 1, {}, {}});
    character.skins[0].node.push_back(static_cast<Index>(character.nodes.size() - 1));
    character.skins[0].inverse_bind.push_back({});
  }
  WeightRows& rows = character.meshes[0].weights;
  rows = rows_of({{{0, 0.5f}, {1, 0.2f}, {2, 0.125f}, {3, 0.1f}, {4, 0.075f}},
                  {{1, 1}},
                  {{1, 1}},
                  {{1, 1}},
                  {{1, 1}},
                  {{1, 1}},
                  {{1, 1}},
                  {{4, 1}}});
  EXPECT_EQ(ids_of(findings_of(character)), Names{});  // glTF allows any number
  const Finding finding = expect_only(character, "influences-over-limit", profile("three"));
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_EQ(finding.count, 1u);
  EXPECT_EQ(finding.point, 0);
  EXPECT_EQ(ids_of(findings_of(character, profile("unreal"))), Names{});
  const Notes mended = mend_character(character, profile("three"));
  ASSERT_EQ(mended.size(), 1u);
  EXPECT_EQ(mended[0].id, "influences-over-limit");
  EXPECT_NEAR(static_cast<double>(character.meshes[0].weights.row(0)[0].weight), 0.5 / 0.925, 1e-6);
}

TEST(Check, SeamsWhoseSidesFollowOtherJointsAreFoundAndAveraged) {
  Character character = good_character();
  Mesh& mesh = character.meshes[0];
  const Index copy = split_point(mesh, 7);
  EXPECT_EQ(ids_of(findings_of(character)), Names{});  // the same weights: no crack
  mesh.weights.influences.back().slot = 0;
  const Finding finding = expect_only(character, "seam-weights-differ");
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_EQ(finding.count, 2u);
  EXPECT_EQ(finding.point, 7);
  EXPECT_DOUBLE_EQ(*finding.figure, 1);
  CheckLimits limits;
  limits.max_seam = 0.5;
  EXPECT_EQ(expect_only(character, "seam-weights-differ", limits).severity, Severity::error);
  mend_character(character, {});
  EXPECT_EQ(std::vector<Influence>(mesh.weights.row(7).begin(), mesh.weights.row(7).end()).size(), 1u)
      << "no row grows past the longest there was";
  EXPECT_EQ(mesh.weights.row(7)[0], mesh.weights.row(at(copy))[0]);
}

TEST(Check, OpenEdgesAreAWarningUntilThereIsALimit) {
  Character character = good_character();
  Mesh& mesh = character.meshes[0];
  mesh.polygons.first.pop_back();
  mesh.polygons.corners.resize(33);
  mesh.parts[0].polygon_count = 11;
  Finding finding = expect_only(character, "edges-open");
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_EQ(finding.count, 3u);
  CheckLimits limits;
  limits.max_open_edges = 3;
  EXPECT_EQ(expect_only(character, "edges-open", limits).severity, Severity::warning);
  limits.max_open_edges = 2;
  EXPECT_EQ(expect_only(character, "edges-open", limits).severity, Severity::error);
}

// Adds a triangle of the mesh's own points.
void add_triangle(Mesh& mesh, Index a, Index b, Index c) {
  mesh.polygons.corners.insert(mesh.polygons.corners.end(), {a, b, c});
  mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  ++mesh.parts[0].polygon_count;
}

TEST(Check, EdgesWithThreePolygonsAreFound) {
  Character character = good_character();
  add_triangle(character.meshes[0], 0, 7, 1);  // through the inside
  const Names ids = ids_of(findings_of(character));
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "edges-nonmanifold"), 1);
}

// Appends a second cube, moved by `offset` and scaled.
void add_cube(Mesh& mesh, float offset, float size) {
  const auto base = static_cast<Index>(mesh.points.size());
  const std::vector<Index> corners = mesh.polygons.corners;
  for (int k = 0; k < 8; ++k) {
    const Vec3 p = mesh.points[static_cast<std::size_t>(k)] * size;
    mesh.points.push_back({p.x + offset, p.y + offset, p.z + offset});
    mesh.weights.influences.push_back({0, 1.0f});
    mesh.weights.first.push_back(static_cast<std::uint32_t>(mesh.weights.influences.size()));
  }
  mesh.parts[0].point_count += 8;
  for (std::size_t c = 0; c < 36; c += 3)
    add_triangle(mesh, corners[c] + base, corners[c + 1] + base, corners[c + 2] + base);
  mesh.weld = weld_coincident(mesh.points);
}

TEST(Check, SeveralShellsAreAWarningUntilThereIsALimit) {
  Character character = good_character();
  add_cube(character.meshes[0], 2, 1);
  EXPECT_EQ(expect_only(character, "shells-many").count, 2u);
  CheckLimits limits;
  limits.max_shells = 1;
  EXPECT_EQ(expect_only(character, "shells-many", limits).severity, Severity::error);
}

TEST(Check, OneShellIsAnErrorWhereNoneIsAllowed) {
  CheckLimits limits;
  limits.max_shells = 0;
  EXPECT_EQ(expect_only(good_character(), "shells-many", limits).severity, Severity::error);
}

TEST(Check, AShellInsideOutIsFoundAndTurnedWithItsNormals) {
  Character character = good_character();
  Mesh& mesh = character.meshes[0];
  for (std::size_t c = 0; c < mesh.polygons.corners.size(); c += 3)
    std::swap(mesh.polygons.corners[c + 1], mesh.polygons.corners[c + 2]);
  for (const Vec3& p : mesh.points)  // inwards, as the winding has it
    mesh.normals.values.push_back(normalized(Vec3{0.5f - p.x, 0.5f - p.y, 0.5f - p.z}));
  expect_only(character, "shell-flipped");
  const Notes mended = mend_character(character, {});
  ASSERT_EQ(mended.size(), 1u);
  EXPECT_EQ(mended[0].id, "polygons-turned");
  EXPECT_EQ(mended[0].index, 0);
  EXPECT_LT(mesh.normals.values[0].x, 0);
  EXPECT_EQ(mesh.polygons.corners[0], 0);
}

TEST(Check, OutwardNormalsStayWhenOnlyTheWindingIsWrong) {
  Character character = good_character();
  Mesh& mesh = character.meshes[0];
  for (std::size_t c = 0; c < mesh.polygons.corners.size(); c += 3)
    std::swap(mesh.polygons.corners[c + 1], mesh.polygons.corners[c + 2]);
  for (const Vec3& p : mesh.points)
    mesh.normals.values.push_back(normalized(Vec3{p.x - 0.5f, p.y - 0.5f, p.z - 0.5f}));
  const std::vector<Vec3> before = mesh.normals.values;
  mend_character(character, {});
  EXPECT_EQ(mesh.normals.values, before);
}

TEST(Check, TheNormalsOfEachShellInsideOutAreJudgedByThemselves) {
  Character character = good_character();
  Mesh& mesh = character.meshes[0];
  const std::size_t corner_count = mesh.polygons.corners.size(), point_count = mesh.points.size();
  // A larger cube beside the first, so that it has the greater say where both are asked together.
  for (std::size_t v = 0; v < point_count; ++v) {
    const Vec3 p = mesh.points[v];
    mesh.points.push_back({4 * p.x + 10, 4 * p.y, 4 * p.z});
    mesh.weights.influences.push_back(mesh.weights.row(v)[0]);
    mesh.weights.first.push_back(static_cast<std::uint32_t>(mesh.weights.influences.size()));
  }
  for (std::size_t c = 0; c < corner_count; ++c)
    mesh.polygons.corners.push_back(mesh.polygons.corners[c] + static_cast<Index>(point_count));
  for (std::uint32_t p = 13; p <= 24; ++p) mesh.polygons.first.push_back(3 * p);
  mesh.parts[0].point_count = static_cast<Index>(mesh.points.size());
  mesh.parts[0].polygon_count = 24;
  mesh.weld = weld_coincident(mesh.points);
  for (std::size_t c = 0; c < mesh.polygons.corners.size(); c += 3)
    std::swap(mesh.polygons.corners[c + 1], mesh.polygons.corners[c + 2]);
  const Vec3 middle{0.5f, 0.5f, 0.5f}, other_middle{12, 2, 2};
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    // The first inwards, as its winding has it; the second outwards already.
    const Vec3 n = v < point_count ? middle - mesh.points[v] : mesh.points[v] - other_middle;
    mesh.normals.values.push_back(normalized(n));
  }
  mend_character(character, {});
  EXPECT_LT(mesh.normals.values[0].x, 0);
  EXPECT_LT(mesh.normals.values[point_count].x, 0);
}

TEST(Check, AShellInsideOutStaysWhereTheNormalsOfShapesWouldHaveToTurnToo) {
  Character character = good_character();
  Mesh& mesh = character.meshes[0];
  for (std::size_t c = 0; c < mesh.polygons.corners.size(); c += 3)
    std::swap(mesh.polygons.corners[c + 1], mesh.polygons.corners[c + 2]);
  for (const Vec3& p : mesh.points)  // inwards, as the winding has it
    mesh.normals.values.push_back(normalized(Vec3{0.5f - p.x, 0.5f - p.y, 0.5f - p.z}));
  mesh.shapes.push_back({"swell", {0}, {{0, 0, 1}}, {{0, 0.1f, 0}}, {}});
  character.instances[0].shape_weights = {0};
  EXPECT_FALSE(expect_only(character, "shell-flipped").is_mendable);
}

TEST(Check, MixedWindingIsFoundAndMended) {
  Character character = good_character();
  std::swap(character.meshes[0].polygons.corners[1], character.meshes[0].polygons.corners[2]);
  EXPECT_EQ(expect_only(character, "winding-mixed").count, 3u);
}

TEST(Check, CollapsedPolygonsAreFoundAndDropped) {
  Character character = good_character();
  Mesh& mesh = character.meshes[0];
  add_triangle(mesh, 3, 3, 5);
  for (std::size_t c = 0; c < mesh.polygons.corners.size(); ++c) {  // texture coordinates on corners
    if (mesh.uvs.empty()) mesh.uvs.push_back({{{0, 0}, {1, 1}}, {}});
    mesh.uvs[0].corner_value.push_back(c % 2);
  }
  const Finding finding = expect_only(character, "polygons-collapsed");
  EXPECT_EQ(finding.polygon, 12);
  mend_character(character, {});
  EXPECT_EQ(mesh.polygons.count(), 12u);
  EXPECT_EQ(mesh.uvs[0].corner_value.size(), 36u);
  EXPECT_TRUE(validate(character));
}

TEST(Check, FlatPolygonsAreFoundHoweverSmallOrLargeTheMeshIs) {
  for (const float size : {1e-3f, 1.0f, 1e3f}) {
    Character character = good_character();
    Mesh& mesh = character.meshes[0];
    character.metres_per_unit = 1.0 / static_cast<double>(size);
    // Split an edge of two triangles at its middle: one of the new triangles may be flat.
    const auto middle = static_cast<Index>(mesh.points.size());
    mesh.points.push_back((mesh.points[0] + mesh.points[3]) * 0.5f);
    mesh.weights.influences.push_back({0, 1.0f});
    mesh.weights.first.push_back(static_cast<std::uint32_t>(mesh.weights.influences.size()));
    ++mesh.parts[0].point_count;
    mesh.polygons.corners[0] = 0, mesh.polygons.corners[1] = 2, mesh.polygons.corners[2] = 3;
    add_triangle(mesh, 0, middle, 3);
    for (Vec3& p : mesh.points) p = p * size;
    character.nodes[2].rest.translation = {0, size, 0};
    character.skins[0].inverse_bind[1].translation = {0, -size, 0};
    mesh.weld = weld_coincident(mesh.points);
    const Names ids = ids_of(findings_of(character));
    EXPECT_EQ(std::count(ids.begin(), ids.end(), "polygons-flat"), 1) << size;
  }
}

TEST(Check, PointsThatNoPolygonUsesAreSaid) {
  Character character = good_character();
  Mesh& mesh = character.meshes[0];
  mesh.points.push_back({0.5f, 0.5f, 0.5f});
  mesh.weights.influences.push_back({0, 1.0f});
  mesh.weights.first.push_back(9);
  ++mesh.parts[0].point_count;
  mesh.weld = weld_coincident(mesh.points);
  EXPECT_EQ(expect_only(character, "points-unused").severity, Severity::info);
}

TEST(Check, EmptyMeshesAreFound) {
  Character character = good_character();
  character.meshes.emplace_back().name = "nothing";
  character.nodes.push_back({"holder", kNone, {}, {}});
  character.instances.push_back({3, 1, kNone, {}, true});
  EXPECT_EQ(expect_only(character, "mesh-empty").index, 1);
}

TEST(Check, MeshesThatNobodyShowsAreSaid) {
  Character character = good_character();
  character.meshes.push_back(character.meshes[0]);
  EXPECT_EQ(expect_only(character, "mesh-unused").index, 1);
}

TEST(Check, WeightsWithoutASkinAreFound) {
  Character character = good_character();
  character.meshes.push_back(character.meshes[0]);
  character.nodes.push_back({"second", kNone, {}, {}});
  character.instances.push_back({3, 1, kNone, {}, true});
  expect_only(character, "weights-without-skin");
}

TEST(Check, ASkinThatNamesAJointTwiceIsAnError) {
  Character character = good_character();
  character.skins[0].node.push_back(2);
  character.skins[0].inverse_bind.push_back(character.skins[0].inverse_bind[1]);
  const Finding finding = expect_only(character, "joint-twice");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_EQ(finding.node, 2);
}

TEST(Check, ASingularInverseBindIsAnErrorWhereAPointFollowsIt) {
  Character character = good_character();
  character.skins[0].inverse_bind[1].linear.x = {0, 0, 0};
  const Findings findings = findings_of(character);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].id, "bind-singular");
  EXPECT_EQ(findings[0].severity, Severity::error);
}

TEST(Check, AJointWithZeroScaleIsFound) {
  Character character = good_character();
  character.nodes[2].rest.scale = {1, 0, 1};
  const Names ids = ids_of(findings_of(character));
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "joint-scale-zero"), 1);
}

TEST(Check, JointsThatMoveNothingAreFoundButNotThoseThatCarryOthers) {
  Character character = good_character();
  // A joint between hip and knee without points, and a tip below the knee.
  character.nodes.push_back({"thigh", 1, {}, {}});
  character.nodes[2].parent = 3;
  character.nodes.push_back({"tip", 2, {}, {}});
  for (const Index node : {3, 4}) {
    character.skins[0].node.push_back(node);
    character.skins[0].inverse_bind.push_back({});
  }
  const Finding finding = expect_only(character, "joint-unused");
  EXPECT_EQ(finding.count, 1u);
  EXPECT_EQ(finding.node, 4);
}

TEST(Check, ARestPoseAwayFromTheBindPoseIsAWarningUntilThereIsALimit) {
  Character character = good_character();
  character.nodes[2].rest.translation = {0, 1.5f, 0};
  Finding finding = expect_only(character, "rest-not-bind");
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_NEAR(*finding.figure, 0.5 / std::sqrt(3.0), 1e-6);
  CheckLimits limits;
  limits.max_bind_gap = 0.1;
  EXPECT_EQ(expect_only(character, "rest-not-bind", limits).severity, Severity::error);
}

TEST(Check, JointsBelowTwoRootsBreakTheGltfRule) {
  Character character = good_character();
  character.nodes[2].parent = kNone;
  EXPECT_EQ(expect_only(character, "joints-no-common-root").severity, Severity::error);
}

TEST(Check, UnrealWantsOneRootJoint) {
  Character character = good_character();
  character.nodes.push_back({"armature", kNone, {}, {}});
  character.nodes[1].parent = 3;
  character.nodes[2].parent = 3;
  EXPECT_EQ(ids_of(findings_of(character)), Names{});
  expect_only(character, "joint-roots-many", profile("unreal"));
}

TEST(Check, SharedAndMissingNamesAreFoundAndMendedAndErrorsForUnreal) {
  Character shared = good_character();
  shared.nodes[2].name = "hip";
  EXPECT_EQ(expect_only(shared, "names-shared").count, 2u);
  EXPECT_EQ(expect_only(shared, "names-shared", profile("unreal")).severity, Severity::error);
  Character missing = good_character();
  missing.nodes[0].name = "";
  EXPECT_EQ(expect_only(missing, "names-missing", profile("unreal")).severity, Severity::warning)
      << "the node is no joint";
  mend_character(shared, {});
  EXPECT_EQ(shared.nodes[1].name, "hip");
  EXPECT_EQ(shared.nodes[2].name, "hip_2");
}

TEST(Check, AnUnusedSkinIsSaid) {
  Character character = good_character();
  character.skins.push_back(character.skins[0]);
  EXPECT_EQ(expect_only(character, "skin-unused").index, 1);
}

TEST(Check, GiantsMitesAndGuessedUnitsAreSaid) {
  Character character = good_character();
  character.metres_per_unit = 100;
  expect_only(character, "size-unusual");
  character.metres_per_unit = 1e-3;
  expect_only(character, "size-unusual");
  character.metres_per_unit = 1;
  character.is_unit_guessed = true;
  EXPECT_EQ(expect_only(character, "unit-guessed").severity, Severity::info);
}

TEST(Check, GiantsWithoutAMeshAreMeasuredByTheirJoints) {
  Character character;
  character.nodes.resize(2);
  character.nodes[0].name = "hip";
  character.nodes[1].name = "knee";
  character.nodes[1].parent = 0;
  character.nodes[1].rest.translation = {0, 1, 0};
  EXPECT_EQ(ids_of(findings_of(character)), Names{});
  character.nodes[1].rest.translation = {0, 1578372, 0};
  expect_only(character, "size-unusual");
}

TEST(Check, ABodyOnItsBackIsSuspected) {
  Character character = good_character();
  character.nodes[1].name = "LeftFoot";
  character.nodes[2].name = "Head";
  EXPECT_EQ(ids_of(findings_of(character)), Names{});
  // Turned about x by a quarter: the head now lies along z.
  const float s = std::sqrt(0.5f);
  character.nodes[1].rest.rotation = {s, 0, 0, s};
  expect_only(character, "up-axis");
}

// A channel of `count` keys, 1/30 s apart, turning slowly about x, with one leap.
Channel slow_turn(std::size_t count, std::size_t leap_after, float leap) {
  Channel channel{ChannelPath::rotation, 2, Interpolation::linear, {}, {}};
  for (std::size_t k = 0; k < count; ++k) {
    const float angle = 0.02f * static_cast<float>(k) + (k > leap_after ? leap : 0.0f);
    channel.times.push_back(static_cast<float>(k) / 30);
    channel.values.insert(channel.values.end(), {std::sin(angle / 2), 0, 0, std::cos(angle / 2)});
  }
  return channel;
}

TEST(Check, AClipThatLeapsIsFoundAtItsMoment) {
  Character character = good_character();
  character.clips[0].channels[0] = slow_turn(20, 9, 2.0f);
  const Finding finding = expect_only(character, "clip-jump");
  EXPECT_EQ(finding.count, 1u);
  EXPECT_EQ(finding.node, 2);
  EXPECT_NEAR(*finding.figure, 2.02 * 180 / 3.14159265, 0.01);
  EXPECT_NE(finding.sentence.find("from 0.300 s to 0.333 s"), std::string::npos) << finding.sentence;
}

TEST(Check, StepsSmoothMotionAndOppositeQuaternionsAreNoLeaps) {
  Character character = good_character();
  Channel& channel = character.clips[0].channels[0];
  channel = slow_turn(20, 9, 2.0f);
  channel.interpolation = Interpolation::step;
  EXPECT_EQ(ids_of(findings_of(character)), Names{});
  channel = slow_turn(20, 99, 0);
  for (std::size_t i = 40; i < channel.values.size(); ++i) channel.values[i] = -channel.values[i];
  EXPECT_EQ(ids_of(findings_of(character)), Names{});
}

TEST(Check, ClipsWithoutUseAreFound) {
  Character character = good_character();
  character.clips.push_back({"nothing", {}});
  EXPECT_EQ(expect_only(character, "clip-empty").index, 1);
  character.clips.pop_back();
  character.clips[0].channels[0].values = {0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_EQ(expect_only(character, "clip-still").severity, Severity::info);
}

TEST(Check, PartsPast16BitsAreSaidForUnity) {
  Character character = good_character();
  Mesh& mesh = character.meshes[0];
  for (int k = 0; k < 65536; ++k) {
    mesh.points.push_back({0.5f, 0.5f, static_cast<float>(k) / 65536});
    mesh.weights.influences.push_back({0, 1.0f});
    mesh.weights.first.push_back(static_cast<std::uint32_t>(mesh.weights.influences.size()));
  }
  mesh.parts[0].point_count = static_cast<Index>(mesh.points.size());
  mesh.weld = weld_coincident(mesh.points);
  const Names ids = ids_of(findings_of(character, profile("unity")));
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "index-32-bit"), 1);
}

TEST(Check, ErrorsComeFirst) {
  Character character = good_character();
  character.skins[0].node.push_back(2);
  character.skins[0].inverse_bind.push_back(character.skins[0].inverse_bind[1]);
  character.nodes[0].name = "";
  EXPECT_EQ(ids_of(findings_of(character)), (Names{"joint-twice", "names-missing"}));
}

TEST(SortFindings, IsAStableSortBySeverityAndRule) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const std::span<const CheckRule> rules = check_rules();
    Findings findings(at(random.below(60)));
    for (std::size_t k = 0; k < findings.size(); ++k) {
      findings[k].rule = rules[at(random.below(static_cast<int>(rules.size())))].id;
      findings[k].severity = static_cast<Severity>(random.below(3));
      findings[k].count = k;
    }
    Findings expected = findings;
    std::stable_sort(expected.begin(), expected.end(), [](const Finding& a, const Finding& b) {
      return a.severity != b.severity ? a.severity > b.severity : find_rule(a.rule) < find_rule(b.rule);
    });
    sort_findings(findings);
    for (std::size_t k = 0; k < findings.size(); ++k) EXPECT_EQ(findings[k].count, expected[k].count) << k;
  }
}

TEST(Check, HearsAStop) {
  const std::atomic<bool> stop = true;
  const Result<Checkup> checkup = check_character(good_character(), {}, {}, Progress({}, &stop));
  ASSERT_FALSE(checkup);
  EXPECT_EQ(checkup.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace dermis
