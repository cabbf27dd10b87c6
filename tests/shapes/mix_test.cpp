// SPDX-License-Identifier: MIT
// Mixes of shapes, and shapes as matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bodies.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

std::vector<float> some_weights(const Mesh& mesh) {
  std::vector<float> weights;
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
    weights.push_back(s % 3 == 0 ? 0.0f : s % 3 == 1 ? 0.75f : -0.5f);
  return weights;
}

TEST(MixedShape, MovesPointsAsTheStageDoes) {
  const Mesh& mesh = test::face().meshes[0];
  const std::vector<float> weights = some_weights(mesh);
  const Surface posed = shaped_surface(mesh, weights);
  EXPECT_LT(test::apart(test::sculpted(mesh, mixed_shape(mesh, weights)), posed.points),
            1e-6 * test::size_of(mesh));
}

TEST(RestInMix, IsThePosedSurfaceAndKeepsTheShapes) {
  const Mesh& mesh = test::face().meshes[0];
  const std::vector<float> weights = some_weights(mesh);
  const Surface posed = shaped_surface(mesh, weights);
  Mesh moved = mesh;
  rest_in_mix(moved, weights);
  EXPECT_LT(test::apart(moved.points, posed.points), 1e-6 * test::size_of(mesh));
  // The face's shapes store no normals, so these turn with the surface.
  const Shape mix = shape_of_sculpt(mesh, posed.points, {});
  for (std::size_t k = 0; k < mix.points.size(); ++k) {
    const std::size_t v = at(mix.points[k]);
    const Vec3d turned = Vec3d(mesh.normals.values[v]) + Vec3d(mix.normals[k]);
    EXPECT_LT(length(Vec3d(moved.normals.values[v]) - turned), 1e-3);
  }
  ASSERT_EQ(moved.shapes.size(), mesh.shapes.size());
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
    EXPECT_EQ(moved.shapes[s].offsets, mesh.shapes[s].offsets);
  Mesh same = mesh;
  rest_in_mix(same, std::vector<float>(mesh.shapes.size(), 0.0f));
  EXPECT_EQ(same.points, mesh.points);
}

TEST(ShapeMatrix, BothFormsAgreeExactlyIfTheWeightOfTheNeutralFillsTheSumToOne) {
  const Mesh& mesh = test::face().meshes[0];
  const ShapeMatrix whole = shape_matrix(mesh, ShapeForm::whole),
                    differences = shape_matrix(mesh, ShapeForm::displacement);
  ASSERT_EQ(whole.names.size(), mesh.shapes.size() + 1);
  EXPECT_EQ(whole.names[0], "neutral");
  const std::vector<float> weights = some_weights(mesh);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  // The whole shapes with any weight of the neutral differ by what its weight is off, times the neutral.
  for (const double off : {0.0, 0.25}) {
    double worst = 0;
    for (std::size_t r = 0; r < 3 * mesh.points.size(); ++r) {
      const double rest = whole.column(0)[r];
      double by_whole = (1 - sum + off) * rest, by_difference = rest;
      for (std::size_t s = 0; s < weights.size(); ++s) {
        by_whole += static_cast<double>(weights[s]) * whole.column(s + 1)[r];
        by_difference += static_cast<double>(weights[s]) * differences.column(s)[r];
      }
      worst = std::max(worst, std::abs(by_whole - by_difference - off * rest));
    }
    EXPECT_LT(worst, 1e-12 * test::size_of(mesh) * static_cast<double>(weights.size()));
  }
}

TEST(ShapeMatrix, ConvertsBackAndBecomesTheSameShapes) {
  const Mesh& mesh = test::face().meshes[0];
  const ShapeMatrix differences = shape_matrix(mesh, ShapeForm::displacement);
  const ShapeMatrix back =
      converted(converted(differences, ShapeForm::whole, mesh.points), ShapeForm::displacement, mesh.points);
  ASSERT_EQ(back.names, differences.names);
  for (std::size_t k = 0; k < back.values.size(); ++k)
    ASSERT_NEAR(back.values[k], differences.values[k], 1e-12 * test::size_of(mesh));
  const Result<std::vector<Shape>> shapes = shapes_of_matrix(mesh, shape_matrix(mesh, ShapeForm::whole));
  ASSERT_TRUE(shapes) << shapes.error().sentence;
  ASSERT_EQ(shapes->size(), mesh.shapes.size());
  for (std::size_t s = 0; s < shapes->size(); ++s) {
    EXPECT_EQ((*shapes)[s].name, mesh.shapes[s].name);
    EXPECT_LT(test::apart(test::sculpted(mesh, (*shapes)[s]), test::sculpted(mesh, mesh.shapes[s])),
              2e-6 * test::size_of(mesh));
  }
}

TEST(ShapeMatrix, OfAnotherMeshOrWithoutANumberIsRefused) {
  const Mesh& mesh = test::face().meshes[0];
  ShapeMatrix matrix = shape_matrix(mesh, ShapeForm::displacement);
  matrix.values[3 * mesh.points.size() + 5] = NAN;
  const Result<std::vector<Shape>> shapes = shapes_of_matrix(mesh, matrix);
  ASSERT_FALSE(shapes);
  EXPECT_NE(shapes.error().sentence.find("row 5 of column 1"), std::string::npos) << shapes.error().sentence;
  matrix = {ShapeForm::displacement, {"a"}, 2, std::vector<double>(6, 0.0)};
  EXPECT_FALSE(shapes_of_matrix(mesh, matrix));
}

}  // namespace
}  // namespace dermis
