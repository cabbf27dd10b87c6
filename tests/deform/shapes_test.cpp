// SPDX-License-Identifier: MIT
// Blend shapes on the rest surface.
#include <gtest/gtest.h>

#include <random>

#include "characters.h"
#include "dermis/deform/shapes.h"

namespace dermis {
namespace {

// Two points with normals along z and tangents along x; shape 0 moves point 1, shape 1 both.
Mesh shaped_mesh() {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}};
  mesh.normals.values.assign(2, {0, 0, 1});
  mesh.tangents.values = {{1, 0, 0, 1}, {1, 0, 0, -1}};
  Shape one, both;
  one.points = {1};
  one.offsets = {{0, 2, 0}};
  one.normals = {{1, 0, 0}};
  one.tangents = {{0, 0, -1}};
  both.points = {0, 1};
  both.offsets = {{0, 0, 1}, {0, 0, 3}};
  mesh.shapes = {one, both};
  return mesh;
}

TEST(ShapedSurface, AddsWeightedOffsetsWhereAShapeMovesSomething) {
  const std::vector<float> weights{0.5f, -1};
  const Surface surface = shaped_surface(shaped_mesh(), weights);
  EXPECT_EQ(surface.points, (std::vector<Vec3>{{0, 0, -1}, {1, 1, -3}}));
}

TEST(ShapedSurface, MakesMovedNormalsAndTangentsUnitAndKeepsHandedness) {
  const std::vector<float> weights{1, 1};
  const Surface surface = shaped_surface(shaped_mesh(), weights);
  const float half = static_cast<float>(std::sqrt(0.5));
  EXPECT_EQ(surface.normals[0], (Vec3{0, 0, 1}));
  EXPECT_LT(length(surface.normals[1] - Vec3{half, 0, half}), 1e-6f);
  EXPECT_EQ(surface.tangents[0], (Vec4{1, 0, 0, 1}));
  EXPECT_LT(length(surface.tangents[1].xyz() - Vec3{half, 0, -half}), 1e-6f);
  EXPECT_EQ(surface.tangents[1].w, -1);
}

TEST(ShapedSurface, WithoutWeightIsTheMeshItself) {
  const std::vector<float> weights{0, 0};
  const Mesh mesh = shaped_mesh();
  const Surface surface = shaped_surface(mesh, weights);
  EXPECT_EQ(surface.points, mesh.points);
  EXPECT_EQ(surface.normals, mesh.normals.values);
  EXPECT_EQ(surface.tangents, mesh.tangents.values);
}

TEST(ShapedSurface, LeavesCornerNormalsToTheCaller) {
  Mesh mesh = shaped_mesh();
  mesh.normals.corner_value = {0, 1, 0};
  mesh.tangents = {};
  const std::vector<float> weights{1, 1};
  const Surface surface = shaped_surface(mesh, weights);
  EXPECT_TRUE(surface.normals.empty());
  EXPECT_TRUE(surface.tangents.empty());
  EXPECT_EQ(surface.points[1], (Vec3{1, 2, 3}));
}

// Points at random, with shapes of every kind: empty, of all points, of the last point only, scattered.
Mesh scattered_mesh(std::size_t count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> place(-1, 1);
  const auto vector = [&] { return Vec3{place(random), place(random), place(random)}; };
  Mesh mesh;
  for (std::size_t v = 0; v < count; ++v) {
    mesh.points.push_back(vector());
    mesh.normals.values.push_back(normalized(vector()));
    const Vec3 t = normalized(vector());
    mesh.tangents.values.push_back({t.x, t.y, t.z, v % 2 == 0 ? 1.0f : -1.0f});
  }
  for (std::size_t s = 0; s < 12; ++s) {
    Shape& shape = mesh.shapes.emplace_back();
    for (std::size_t v = 0; v < count; ++v) {
      const bool is_moved = s == 1 || (s == 2 && v + 1 == count) || (s > 2 && random() % 5 == 0);
      if (!is_moved) continue;
      shape.points.push_back(static_cast<Index>(v));
      shape.offsets.push_back(vector());
      if (s % 2 == 0) shape.normals.push_back(vector());
      if (s % 3 == 0) shape.tangents.push_back(vector());
    }
  }
  return mesh;
}

bool same_bytes(const Surface& a, const Surface& b) {
  return a.points == b.points && a.normals == b.normals && a.tangents == b.tangents;
}

TEST(AddShapes, HasTheBytesOfThePlainReferenceOnEveryInstructionSetAndThreadCount) {
  const std::string before = kernel_target();
  for (const std::size_t count : {1u, 511u, 512u, 513u, 9000u}) {
    const Mesh mesh = scattered_mesh(count);
    std::vector<float> weights;
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
      weights.push_back(s == 5 ? 0.0f : 0.37f * static_cast<float>(s) - 1.1f);
    const Surface wanted = shaped_surface(mesh, weights);
    const ShapeRuns runs = prepare_shape_runs(mesh);
    for (const std::string& target : kernel_targets()) {
      for (const int threads : {1, 3}) {
        ASSERT_TRUE(use_kernel_target(target));
        set_thread_count(threads);
        Surface surface{mesh.points, mesh.normals.values, mesh.tangents.values};
        std::vector<ShapeEntries> scratch;
        add_shapes(runs, weights, {surface.points, surface.normals, surface.tangents}, scratch);
        EXPECT_TRUE(same_bytes(surface, wanted)) << count << " points, " << target;
      }
    }
  }
  set_thread_count(0);
  use_kernel_target("");
  EXPECT_EQ(before, kernel_target());
}

TEST(AddShapes, LeavesEntriesAfterThePointsAlone) {
  const Mesh mesh = scattered_mesh(700);
  const std::vector<float> weights(mesh.shapes.size(), 1);
  Surface surface{mesh.points, {}, {}};
  surface.points.push_back({7, 8, 9});
  std::vector<ShapeEntries> scratch;
  add_shapes(prepare_shape_runs(mesh), weights, {surface.points, {}, {}}, scratch);
  EXPECT_EQ(surface.points.back(), (Vec3{7, 8, 9}));
}

// ---- Normals that the file does not store ---------------------------------------------------------------

// A strip of four squares along x, flat, under one node; shape 0 tilts the last one to a slope of one.
Character strip(bool on_corners) {
  Character character;
  character.nodes.resize(1);
  Mesh& mesh = character.meshes.emplace_back();
  for (int x = 0; x < 5; ++x)
    for (int z = 0; z < 2; ++z) mesh.points.push_back({static_cast<float>(x), 0, static_cast<float>(z)});
  for (Index x = 0; x < 4; ++x) {
    mesh.polygons.corners.insert(mesh.polygons.corners.end(), {2 * x, 2 * x + 1, 2 * x + 3, 2 * x + 2});
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  }
  mesh.parts.push_back({0, 10, 0, 4});
  mesh.normals.values.assign(on_corners ? 1 : 10, {0, 1, 0});
  mesh.tangents.values.assign(on_corners ? 1 : 10, {1, 0, 0, 1});
  if (on_corners) mesh.normals.corner_value.assign(16, 0), mesh.tangents.corner_value.assign(16, 0);
  mesh.shapes = {{"tilt", {8, 9}, {{0, 1, 0}, {0, 1, 0}}, {}, {}}};
  mesh.weld = weld_coincident(mesh.points);
  character.instances.push_back({0, 0, kNone, {0}, true});
  return character;
}

Mesh posed_at(const Character& character, float weight) {
  const Pose pose{{}, {{"tilt", weight}}, {}};
  const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
  const Result<Character> posed = deform_character(character, frame.value(), {});
  return posed.value().meshes[0];
}

TEST(ShapesStage, TurnsNormalsAndTangentsThatTheShapeDoesNotStore) {
  const Mesh posed = posed_at(strip(false), 1);
  const float half = static_cast<float>(std::sqrt(0.5));
  EXPECT_LT(length(posed.normals.values[8] - Vec3{-half, half, 0}), 1e-6f);
  EXPECT_LT(length(posed.tangents.values[8].xyz() - Vec3{half, half, 0}), 1e-6f);
  // Between the flat and the tilted square.
  EXPECT_LT(posed.normals.values[6].x, -0.2f);
  EXPECT_NEAR(length(posed.normals.values[6]), 1, 1e-6);
  EXPECT_NEAR(dot(posed.normals.values[6], posed.tangents.values[6].xyz()), 0, 1e-6);
}

TEST(ShapesStage, LeavesDirectionsWhereNothingMovesExactlyAsTheyAre) {
  Character character = strip(false);
  for (Vec3& normal : character.meshes[0].normals.values) normal = {0.1f, 0.9f, 0.2f};
  Mesh untouched = posed_at(character, 0), posed = posed_at(character, 1);
  for (std::size_t v = 0; v < 6; ++v) {
    EXPECT_EQ(posed.normals.values[v], untouched.normals.values[v]);
    EXPECT_EQ(posed.tangents.values[v], untouched.tangents.values[v]);
  }
}

TEST(ShapesStage, TurnsNormalsOnCornersToo) {
  const Mesh posed = posed_at(strip(true), 1);
  const float half = static_cast<float>(std::sqrt(0.5));
  ASSERT_FALSE(posed.normals.is_per_point());
  // The corners of the tilted square at its far end, points 9 and 8.
  for (const std::size_t c : {14u, 15u}) {
    const Vec3& normal = posed.normals.values[at(posed.normals.corner_value[c])];
    EXPECT_LT(length(normal - Vec3{-half, half, 0}), 1e-6f);
  }
  EXPECT_EQ(posed.normals.values[at(posed.normals.corner_value[0])], (Vec3{0, 1, 0}));
}

TEST(ShapesStage, KeepsTheNormalsThatTheShapeStores) {
  Character character = strip(false);
  Shape& shape = character.meshes[0].shapes[0];
  shape.normals = {{0, 0, 1}, {0, 0, 0}};
  shape.tangents = {{0, 0, 0}, {0, 0, 0}};
  const Mesh posed = posed_at(character, 1);
  const float half = static_cast<float>(std::sqrt(0.5));
  EXPECT_LT(length(posed.normals.values[8] - Vec3{0, half, half}), 1e-6f);
  EXPECT_LT(length(posed.normals.values[9] - Vec3{0, 1, 0}), 1e-6f);
}

TEST(ShapesStage, TurnsTangentsAloneAndKeepsThemAcrossStoredNormals) {
  Character character = strip(false);
  Shape& shape = character.meshes[0].shapes[0];
  shape.normals = {{-1, 0, 0}, {-1, 0, 0}};
  const Mesh posed = posed_at(character, 1);
  const float half = static_cast<float>(std::sqrt(0.5));
  EXPECT_LT(length(posed.normals.values[8] - Vec3{-half, half, 0}), 1e-6f);
  EXPECT_LT(length(posed.tangents.values[8].xyz() - Vec3{half, half, 0}), 1e-6f);
}

}  // namespace
}  // namespace dermis
