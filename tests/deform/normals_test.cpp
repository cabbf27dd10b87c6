// SPDX-License-Identifier: MIT
// The three ways normals follow joints: their definitions, and which of them is right where.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "characters.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

using test::Random;
using test::TubeShape;

Vec3d posed_normal_of(const WeightRows& rows, const std::vector<Affined>& palette, const Vec3& point,
                      const Vec3& normal, const ReferenceOptions& options) {
  std::array<Vec3, 1> out;
  skin_lbs_reference(rows, palette, {std::span(&point, 1), std::span(&normal, 1), {}}, {{}, out, {}},
                     options);
  return Vec3d(out[0]);
}

struct PointOnJoints {
  std::vector<Affined> palette;
  WeightRows rows;
  Vec3 point, normal;
};

PointOnJoints random_joints(Random& random, bool is_rigid) {
  PointOnJoints joints;
  const int count = 2 + random.below(3);
  for (int j = 0; j < count; ++j) {
    Affined joint = random.rigid();
    if (!is_rigid) joint = joint * test::scaled(Vec3d{1, 1, 1} + random.vector() * 0.7);
    joints.palette.push_back(joint);
  }
  joints.rows = test::exact_row(random, count);
  joints.point = Vec3(random.vector());
  joints.normal = Vec3(normalized(random.vector()));
  return joints;
}

TEST(NormalModes, ShadingBlendsTheCofactorsOfTheJoints) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PointOnJoints j = random_joints(random, false);
    Vec3d sum;
    for (const Influence& influence : j.rows.influences) {
      const Mat3d& linear = j.palette[at(influence.slot)].linear;
      // det(M) M^-T, by the inverse this time.
      const Mat3d turned = transposed(inverse(linear)) * determinant(linear);
      sum += turned * Vec3d(j.normal) * static_cast<double>(influence.weight);
    }
    const Vec3d normal = posed_normal_of(j.rows, j.palette, j.point, j.normal, {});
    EXPECT_LT(length(normal - normalized(sum)), 1e-6);
  }
}

TEST(NormalModes, ShadingIsThePlainBlendForRigidJoints) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PointOnJoints j = random_joints(random, true);
    Vec3d sum;
    for (const Influence& influence : j.rows.influences) {
      sum += j.palette[at(influence.slot)].linear * Vec3d(j.normal) * static_cast<double>(influence.weight);
    }
    const Vec3d normal = posed_normal_of(j.rows, j.palette, j.point, j.normal, {});
    EXPECT_LT(length(normal - normalized(sum)), 1e-6);
  }
}

TEST(NormalModes, InverseTransposeIsThatOfTheBlendedMatrix) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PointOnJoints j = random_joints(random, false);
    Mat3d blend = diagonal(Vec3d{});
    for (const Influence& influence : j.rows.influences) {
      blend = blend + j.palette[at(influence.slot)].linear * static_cast<double>(influence.weight);
    }
    if (std::abs(determinant(blend)) < 1e-4) continue;
    const Vec3d expected = normalized(transposed(inverse(blend)) * Vec3d(j.normal));
    const Vec3d normal =
        posed_normal_of(j.rows, j.palette, j.point, j.normal, {NormalMode::inverse_transpose, nullptr});
    EXPECT_LT(length(normal - expected), 1e-5);
  }
}

TEST(NormalModes, ExactIsTheInverseTransposeOfTheWholeDerivative) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PointOnJoints j = random_joints(random, true);
    WeightGradients gradients;
    gradients.first = {0, static_cast<std::uint32_t>(j.palette.size())};
    Vec3d rest_of_sum;
    for (std::size_t s = 0; s < j.palette.size(); ++s) {
      const Vec3d gradient = s + 1 < j.palette.size() ? random.vector() * 0.3 : -rest_of_sum;
      rest_of_sum += gradient;
      gradients.entries.push_back({static_cast<Index>(s), Vec3(gradient)});
    }
    // J = sum w_i R_i + sum (C_i v) (x) grad w_i, term by term.
    Mat3d derivative = diagonal(Vec3d{});
    for (const Influence& influence : j.rows.influences) {
      derivative = derivative + j.palette[at(influence.slot)].linear * static_cast<double>(influence.weight);
    }
    for (const WeightGradients::Entry& entry : gradients.entries) {
      derivative = derivative + outer(j.palette[at(entry.slot)] * Vec3d(j.point), Vec3d(entry.gradient));
    }
    if (std::abs(determinant(derivative)) < 1e-3) continue;
    const Vec3d expected =
        normalized(transposed(inverse(derivative)) * determinant(derivative) * Vec3d(j.normal));
    const Vec3d normal =
        posed_normal_of(j.rows, j.palette, j.point, j.normal, {NormalMode::exact, &gradients});
    EXPECT_LT(length(normal - expected), 1e-4);
  }
}

TEST(NormalModes, AllAgreeOnOneJointWithNonUniformScale) {
  const Mesh mesh = test::tube({.rings = 3, .sides = 8});
  const WeightRows row = test::rows_of({{{0, 1}}});
  WeightGradients none;
  none.first = {0, 0};
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Vec3d scale{random.in(0.2, 3), random.in(0.2, 3), random.in(0.2, 3)};
    const std::vector<Affined> palette{random.rigid() * test::scaled(scale)};
    const Vec3 normal(normalized(random.vector()));
    const Vec3d expected = normalized(transposed(inverse(palette[0].linear)) * Vec3d(normal));
    for (const NormalMode mode : {NormalMode::shading, NormalMode::inverse_transpose, NormalMode::exact}) {
      EXPECT_LT(length(posed_normal_of(row, palette, {}, normal, {mode, &none}) - expected), 1e-6);
    }
  }
}

TEST(NormalModes, AMirroringJointKeepsNormalsOutwardAndFlipsHandedness) {
  const Mesh mesh = test::tube({.rings = 5, .sides = 12});
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  const std::vector<Affined> mirror(2, test::turned_about({}, {1, 2, 3}, 1) * test::scaled({-1, 1, 1}));
  for (const NormalMode mode : {NormalMode::shading, NormalMode::inverse_transpose, NormalMode::exact}) {
    Surface posed{mesh.points, mesh.normals.values, mesh.tangents.values};
    skin_lbs_reference(mesh.weights, mirror, {mesh.points, mesh.normals.values, mesh.tangents.values},
                       {posed.points, posed.normals, posed.tangents}, {mode, &gradients});
    for (std::size_t v = 0; v + 2 < mesh.points.size(); ++v) {
      // Outward stays outward: a step along the rest normal becomes a step along the posed one.
      const Vec3d outside = mirror[0].linear * Vec3d(mesh.normals.values[v]);
      EXPECT_NEAR(dot(outside, Vec3d(posed.normals[v])), 1, 1e-6);
      EXPECT_EQ(posed.tangents[v].w, -mesh.tangents.values[v].w);
      // The bitangent that the three spell out is the mirrored bitangent.
      const auto bitangent = [](const Vec3& n, const Vec4& t) {
        return cross(Vec3d(n), Vec3d(t.xyz())) * static_cast<double>(t.w);
      };
      const Vec3d expected = mirror[0].linear * bitangent(mesh.normals.values[v], mesh.tangents.values[v]);
      EXPECT_LT(length(bitangent(posed.normals[v], posed.tangents[v]) - expected), 1e-6);
    }
  }
}

TEST(NormalModes, TangentsAreUnitAndOrthogonalToTheNormal) {
  const Mesh mesh = test::tube({.rings = 17, .sides = 12});
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  const std::vector<Affined> palette{test::scaled({1, 2, 0.5}),
                                     test::turned_about({1, 0, 0}, {1, 1, 0}, 1.5)};
  for (const NormalMode mode : {NormalMode::shading, NormalMode::inverse_transpose, NormalMode::exact}) {
    Surface posed{mesh.points, mesh.normals.values, mesh.tangents.values};
    skin_lbs_reference(mesh.weights, palette, {mesh.points, mesh.normals.values, mesh.tangents.values},
                       {posed.points, posed.normals, posed.tangents}, {mode, &gradients});
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      const Vec3d tangent(posed.tangents[v].xyz());
      EXPECT_NEAR(length(tangent), 1, 1e-6);
      EXPECT_NEAR(length(Vec3d(posed.normals[v])), 1, 1e-6);
      const bool is_on_side = v + 2 < mesh.points.size();  // at the caps the rest tangent is the rest normal
      EXPECT_TRUE(!is_on_side || std::abs(dot(tangent, Vec3d(posed.normals[v]))) < 1e-6);
    }
  }
}

TEST(NormalModes, ABlendThatCancelsFallsBackToTheHeaviestJoint) {
  const std::vector<Affined> palette{{}, {Mat3d({1, 0, 0}, {0, -1, 0}, {0, 0, -1}), {}}};
  const WeightRows half = test::rows_of({{{0, 0.5f}, {1, 0.5f}}});
  EXPECT_EQ(posed_normal_of(half, palette, {0, 1, 0}, {0, 1, 0}, {}), (Vec3d{0, 1, 0}));
  // Joints scaled to nothing leave the normal as it rests.
  const std::vector<Affined> vanished{test::scaled({}), test::scaled({})};
  EXPECT_EQ(posed_normal_of(half, vanished, {0, 1, 0}, {0, 0, 1}, {}), (Vec3d{0, 0, 1}));
  // Small is not nothing.
  const std::vector<Affined> tiny(
      2, test::turned_about({}, {1, 0, 0}, kPi / 2) * test::scaled({1e-100, 1e-100, 1e-100}));
  EXPECT_LT(length(posed_normal_of(half, tiny, {0, 1, 0}, {0, 1, 0}, {}) - Vec3d{0, 0, 1}), 1e-6);
}

// ---- Convergence --------------------------------------------------------------------------------------

// Root mean square angle, in radians, between posed normals and those of the posed surface itself. The end
// rings are left out: there the caps' polygons have a say in the surface's normals.
double normal_error(const TubeShape& shape, const std::vector<Affined>& palette, NormalMode mode) {
  const Mesh mesh = test::tube(shape);
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  Surface posed{mesh.points, mesh.normals.values, {}};
  skin_lbs_reference(mesh.weights, palette, {mesh.points, mesh.normals.values, {}},
                     {posed.points, posed.normals, {}}, {mode, &gradients});
  const std::vector<Vec3> surface = point_normals(posed.points, mesh.polygons.first, mesh.polygons.corners);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t v = at(shape.sides); v < at((shape.rings - 1) * shape.sides); ++v, ++count) {
    const Vec3d a(posed.normals[v]), b(surface[v]);
    const double angle = std::atan2(length(cross(a, b)), dot(a, b));
    sum += angle * angle;
  }
  return std::sqrt(sum / static_cast<double>(count));
}

struct Bend {
  const char* name;
  Affined far;
};

TEST(NormalConvergence, ExactNormalsMeetThoseOfTheSurfaceUnderRefinementAndOthersDoNot) {
  const Affined twist = test::turned_about({1, 0, 0}, {1, 0, 0}, radians_from_degrees(60));
  const Affined bend = test::turned_about({1, 0, 0}, {0, 0, 1}, radians_from_degrees(45));
  for (const Bend& pose :
       {Bend{"twisted", twist}, Bend{"bent", bend}, Bend{"bent and twisted", bend * twist}}) {
    SCOPED_TRACE(pose.name);
    std::array<std::array<double, 3>, 3> errors{};  // by mode, by resolution
    for (std::size_t level = 0; level < 3; ++level) {
      const int n = 16 << level;
      const TubeShape shape{.rings = n + 1, .sides = n, .length = 2, .radius = 0.5, .is_smooth = true};
      const NormalMode modes[] = {NormalMode::shading, NormalMode::inverse_transpose, NormalMode::exact};
      for (std::size_t m = 0; m < 3; ++m)
        errors[m][level] = normal_error(shape, {Affined{}, pose.far}, modes[m]);
      std::printf("%s, %d x %d: shading %.5f  inverse_transpose %.5f  exact %.5f rad\n", pose.name, n, n,
                  errors[0][level], errors[1][level], errors[2][level]);
    }
    // Second order on these regular meshes: halving the edges quarters the error.
    EXPECT_LT(errors[2][1], 0.3 * errors[2][0]);
    EXPECT_LT(errors[2][2], 0.3 * errors[2][1]);
    EXPECT_LT(errors[2][2], 0.001);
    // The others miss the gradient of the weights, and no refinement brings it back.
    for (const std::size_t m : {0, 1}) {
      EXPECT_GT(errors[m][2], 0.95 * errors[m][0]);
      EXPECT_GT(errors[m][2], 0.07);
    }
  }
}

}  // namespace
}  // namespace dermis
