// SPDX-License-Identifier: MIT
// Normals and tangents of the methods that blend rotations: definitions, mirrors and convergence.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "deform/joint_motion.h"
#include "deform/methods.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

using test::PointCase;
using test::Random;
using test::surface_by;
using test::TubeShape;
using test::turned_about;

constexpr std::array kTurning = {"quaternion", "log_matrix", "spherical", "dqs", "cor"};
constexpr std::array kAllModes = {NormalMode::shading, NormalMode::inverse_transpose, NormalMode::exact};

PointCase random_case(Random& random, bool is_rigid) {
  PointCase c;
  for (int j = 0; j < 3; ++j) {
    Affined joint = random.rigid();
    if (!is_rigid) joint = joint * test::scaled(Vec3d{1, 1, 1} + random.vector() * 0.7);
    c.palette.push_back(joint);
  }
  c.rows = test::exact_row(random, 3);
  c.point = random.vector();
  c.centre = Vec3(random.vector());
  return c;
}

TEST(TurnedNormals, OfRigidJointsTurnWithTheBlendedRotationInEveryMode) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PointCase c = random_case(random, true);
    const Vec3d normal = normalized(random.vector());
    for (const std::string method : kTurning) {
      for (const NormalMode mode : kAllModes) {
        const LocalMap<double> map = test::map_of(method, c, {mode, nullptr});
        EXPECT_LT(length(posed_normal(map, normal) - map.posed_from_rest.linear * normal), 1e-12) << method;
      }
    }
  }
}

TEST(TurnedNormals, ShadingBlendsTheCofactorsOfStretchesAndThenTurns) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PointCase c = random_case(random, false);
    const Vec3d normal = normalized(random.vector());
    // The same joints without their stretch give the rotation alone.
    PointCase rigid = c;
    Vec3d flattened;
    for (const Influence& i : c.rows.row(0)) {
      const JointMotion motion = joint_motion(c.palette[at(i.slot)]);
      rigid.palette[at(i.slot)].linear = matrix_from_quat(motion.rotation);
      flattened += transposed(inverse(motion.stretch)) * normal *
                   (determinant(motion.stretch) * static_cast<double>(i.weight));
    }
    for (const std::string method : kTurning) {
      const Vec3d expected = normalized(test::map_of(method, rigid).posed_from_rest.linear * flattened);
      EXPECT_LT(length(posed_normal(test::map_of(method, c), normal) - expected), 1e-12) << method;
    }
  }
}

TEST(TurnedNormals, InverseTransposeIsThatOfTheWholeLinearMap) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PointCase c = random_case(random, false);
    const Vec3d normal = normalized(random.vector());
    for (const std::string method : kTurning) {
      const LocalMap<double> map = test::map_of(method, c, {NormalMode::inverse_transpose, nullptr});
      const Vec3d expected = normalized(transposed(inverse(map.posed_from_rest.linear)) * normal);
      EXPECT_LT(length(posed_normal(map, normal) - expected), 1e-10) << method;
    }
  }
}

double size_of(const Mat3d& m) { return std::sqrt(dot(m.x, m.x) + dot(m.y, m.y) + dot(m.z, m.z)); }

// With a share of zero the measured derivative is that of linear blending, which has a closed form.
TEST(TurnedNormals, MeasuredDerivativesOfLinearBlendingAgreeWithTheirClosedFormTo1e8) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PointCase c = random_case(random, false);
    c.share = 0;
    // Exact in float, so that they add up to zero, and from flat to very steep.
    const double grain = std::pow(2, random.below(21) - 14);
    const auto gradient = [&] {
      return Vec3d{random.below(65) - 32.0, random.below(65) - 32.0, random.below(65) - 32.0} * grain;
    };
    const Vec3d a = gradient(), b = gradient();
    WeightGradients gradients;
    gradients.first = {0, 3};
    gradients.entries = {{0, Vec3(a)}, {1, Vec3(b)}, {2, Vec3(-(a + b))}};
    const ReferenceOptions exact{NormalMode::exact, &gradients};
    const Mat3d measured = test::map_of("lbs_dqs", c, exact).posed_from_rest_normal;
    const Mat3d closed = test::map_of("lbs", c, exact).posed_from_rest_normal;
    EXPECT_LT(size_of(measured - closed), 1e-8 * size_of(closed));
  }
}

// A point (0, 1, 0) on two joints that twist about x by theta against each other, its weight running along x:
// it turns by phi = 2 atan2(w sin(theta / 2), 1 - w + w cos(theta / 2)), and phi has a closed derivative.
TEST(TurnedNormals, MeasuredDerivativesOfATwistAgreeWithTheirClosedFormTo1e8) {
  for (const double degrees : {10.0, 90.0, 170.0}) {
    for (const float w : {0.125f, 0.5f}) {
      SCOPED_TRACE(degrees);
      const double theta = radians_from_degrees(degrees), s = std::sin(theta / 2),
                   share = static_cast<double>(w);
      const double across = share * s, along = 1 - share + share * std::cos(theta / 2);
      const double phi = 2 * std::atan2(across, along), rate = 2 * s / (across * across + along * along);
      constexpr double kSlope = 0.75;
      WeightGradients gradients;
      gradients.first = {0, 2};
      gradients.entries = {{0, Vec3(-kSlope, 0, 0)}, {1, Vec3(kSlope, 0, 0)}};
      const PointCase c{
          {{}, turned_about({}, {1, 0, 0}, theta)}, test::rows_of({{{0, 1 - w}, {1, w}}}), {0, 1, 0}, {}, 0};
      const double sine = std::sin(phi), cosine = std::cos(phi);
      const Mat3d derivative{
          {1, -sine * rate * kSlope, cosine * rate * kSlope}, {0, cosine, sine}, {0, -sine, cosine}};
      for (const std::string method : {"quaternion", "spherical", "dqs", "cor"}) {
        const Mat3d measured =
            test::map_of(method, c, {NormalMode::exact, &gradients}).posed_from_rest_normal;
        EXPECT_LT(size_of(measured - cofactor(derivative)), 1e-8) << method;
      }
    }
  }
}

// Where a second joint begins, the derivative already knows it: the gradient names joints of neighbours.
TEST(TurnedNormals, ExactIsContinuousWhereASecondJointBegins) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PointCase alone = random_case(random, false);
    const Vec3 gradient(random.vector());
    WeightGradients gradients;
    gradients.first = {0, 2};
    gradients.entries = {{0, -gradient}, {1, gradient}};
    alone.rows = test::rows_of({{{0, 1}}});
    PointCase beside = alone;
    beside.rows = test::rows_of({{{0, 1}, {1, 1e-8f}}});
    const Vec3d normal = normalized(random.vector());
    for (const std::string method : test::kMethods) {
      const ReferenceOptions exact{NormalMode::exact, &gradients};
      const Vec3d at_border = posed_normal(test::map_of(method, alone, exact), normal);
      EXPECT_LT(length(at_border - posed_normal(test::map_of(method, beside, exact), normal)), 1e-5)
          << method;
    }
  }
}

// ---- Mirrors ------------------------------------------------------------------------------------------

TEST(TurnedNormals, AMirroringJointKeepsNormalsOutwardAndFlipsHandedness) {
  const Mesh mesh = test::tube({.rings = 9, .sides = 12});
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  const Affined mirror = turned_about({}, {1, 2, 3}, 1) * test::scaled({-1, 1, 1});
  const std::vector<Affined> plain{{}, turned_about({1, 0, 0}, {0, 1, 1}, 0.8) * test::scaled({1, 1.3, 0.9})};
  const std::vector<Affined> mirrored{mirror * plain[0], mirror * plain[1]};
  for (const std::string method : {"quaternion", "spherical", "dqs", "cor", "lbs_dqs"}) {
    SCOPED_TRACE(method);
    for (const NormalMode mode : kAllModes) {
      const Surface a = surface_by(method, mesh, plain, {mode, &gradients}, {.centre = {1, 0, 0}});
      const Surface b = surface_by(method, mesh, mirrored, {mode, &gradients}, {.centre = {1, 0, 0}});
      for (std::size_t v = 0; v + 2 < mesh.points.size(); ++v) {
        EXPECT_LT(length(mirror * Vec3d(a.points[v]) - Vec3d(b.points[v])), 1e-6);
        EXPECT_LT(length(mirror * Vec3d(a.normals[v]) - Vec3d(b.normals[v])), 1e-6);
        EXPECT_LT(length(mirror * Vec3d(a.tangents[v].xyz()) - Vec3d(b.tangents[v].xyz())), 1e-6);
        EXPECT_EQ(a.tangents[v].w, mesh.tangents.values[v].w);
        EXPECT_EQ(b.tangents[v].w, -mesh.tangents.values[v].w);
      }
    }
  }
}

TEST(TurnedNormals, LogarithmsOfMirroringJointsKeepNormalsOutwardToo) {
  const Mesh mesh = test::tube({.rings = 5, .sides = 12});
  const std::vector<Affined> mirror(2, turned_about({}, {1, 2, 3}, 1) * test::scaled({-1, 1, 1}));
  const Surface posed = surface_by("log_matrix", mesh, mirror);
  for (std::size_t v = 0; v + 2 < mesh.points.size(); ++v) {
    EXPECT_LT(length(mirror[0].linear * Vec3d(mesh.normals.values[v]) - Vec3d(posed.normals[v])), 1e-6);
    EXPECT_EQ(posed.tangents[v].w, -mesh.tangents.values[v].w);
  }
}

TEST(TurnedNormals, TangentsAreUnitAndOrthogonalToTheNormal) {
  const Mesh mesh = test::tube({.rings = 17, .sides = 12});
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  const std::vector<Affined> palette{test::scaled({1, 2, 0.5}), turned_about({1, 0, 0}, {1, 1, 0}, 1.5)};
  for (const std::string method : test::kMethods) {
    SCOPED_TRACE(method);
    for (const NormalMode mode : kAllModes) {
      const Surface posed = surface_by(method, mesh, palette, {mode, &gradients});
      for (std::size_t v = 0; v + 2 < mesh.points.size(); ++v) {
        const Vec3d tangent(posed.tangents[v].xyz()), normal(posed.normals[v]);
        EXPECT_NEAR(length(tangent), 1, 1e-6);
        EXPECT_NEAR(length(normal), 1, 1e-6);
        EXPECT_NEAR(dot(tangent, normal), 0, 1e-6);
      }
    }
  }
}

// ---- Convergence --------------------------------------------------------------------------------------

// A tube on three joints whose weights are all smooth and all at work.
Mesh three_joint_tube(const TubeShape& shape) {
  Mesh mesh = test::tube(shape);
  WeightRowBuilder builder;
  for (const Vec3& point : mesh.points) {
    const double t = static_cast<double>(point.x) / shape.length;
    builder.add(0, static_cast<float>((1 - t) * (1 - t)));
    builder.add(1, static_cast<float>(2 * t * (1 - t)));
    builder.add(2, static_cast<float>(t * t));
    builder.close_row(1e-6);
  }
  mesh.weights = builder.take();
  return mesh;
}

// Root mean square angle between posed normals and those of the posed surface itself, the end rings left out.
double error_of_normals(const Mesh& mesh, const TubeShape& shape, const Surface& posed) {
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

double normal_error(const std::string& method, const TubeShape& shape, std::span<const Affined> palette,
                    NormalMode mode) {
  const Mesh mesh = three_joint_tube(shape);
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  const Surface posed = surface_by(method, mesh, palette, {mode, &gradients}, {.centre = {1, 0.1f, 0}});
  return error_of_normals(mesh, shape, posed);
}

// The same of cor about prepared centres, which change along the surface.
double cor_normal_error(const TubeShape& shape, std::span<const Affined> palette, bool has_centre_gradients) {
  const Mesh mesh = three_joint_tube(shape);
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  const CorCentres cor = *prepare_cor(mesh);
  std::vector<Mat3> centre_gradients;
  if (has_centre_gradients) centre_gradients = prepare_centre_gradients(mesh, cor.centres);
  Surface posed{mesh.points, mesh.normals.values, {}};
  skin_cor_reference(mesh.weights, palette, cor.centres, {mesh.points, mesh.normals.values, {}},
                     {posed.points, posed.normals, {}}, {NormalMode::exact, &gradients}, centre_gradients);
  return error_of_normals(mesh, shape, posed);
}

struct ThreeJoints {
  const char* name;
  std::vector<Affined> palette;
};

std::vector<ThreeJoints> convergence_poses() {
  const Affined twist = turned_about({1, 0, 0}, {1, 0, 0}, radians_from_degrees(60));
  const Affined bend = turned_about({1, 0, 0}, {0, 0, 1}, radians_from_degrees(45));
  const Affined further = turned_about({1.5, 0, 0}, {0, 1, 1}, radians_from_degrees(30));
  const Affined shear(Mat3d{{1, 0, 0.2}, {0.3, 1, 0}, {0, 0.1, 1}}, {});
  return {{"rigid", {{}, bend, bend * twist * further}},
          {"scaled and sheared",
           {test::scaled({1, 1.2, 0.8}), bend * test::scaled({1.3, 0.9, 1}), bend * twist * shear}}};
}

TEST(NormalConvergence, ExactNormalsOfCorAboutPreparedCentresMeetThoseOfTheSurface) {
  for (const ThreeJoints& pose : convergence_poses()) {
    SCOPED_TRACE(pose.name);
    std::array<double, 3> exact{};
    for (std::size_t level = 0; level < 3; ++level) {
      const int n = 16 << level;
      const TubeShape shape{.rings = n + 1, .sides = n, .length = 2, .radius = 0.5};
      exact[level] = cor_normal_error(shape, pose.palette, true);
    }
    const TubeShape finest{.rings = 65, .sides = 64, .length = 2, .radius = 0.5};
    const double constant = cor_normal_error(finest, pose.palette, false);
    std::printf("%-18s exact %.5f %.5f %.5f rad, centres taken as constant %.5f\n", pose.name, exact[0],
                exact[1], exact[2], constant);
    EXPECT_LT(exact[1], 0.3 * exact[0]);
    EXPECT_LT(exact[2], 0.3 * exact[1]);
    EXPECT_GT(constant, 4 * exact[2]);
  }
}

TEST(NormalConvergence, ExactNormalsOfEveryMethodMeetThoseOfTheSurfaceUnderRefinement) {
  for (const ThreeJoints& pose : convergence_poses()) {
    for (const std::string method : test::kMethods) {
      SCOPED_TRACE(method + ", " + pose.name);
      std::array<double, 3> exact{};
      for (std::size_t level = 0; level < 3; ++level) {
        const int n = 16 << level;
        const TubeShape shape{.rings = n + 1, .sides = n, .length = 2, .radius = 0.5};
        exact[level] = normal_error(method, shape, pose.palette, NormalMode::exact);
      }
      const TubeShape finest{.rings = 65, .sides = 64, .length = 2, .radius = 0.5};
      const double shading = normal_error(method, finest, pose.palette, NormalMode::shading);
      std::printf("%-18s %-10s exact %.5f %.5f %.5f rad, shading %.3f\n", pose.name, method.c_str(), exact[0],
                  exact[1], exact[2], shading);
      // Second order on these regular meshes: halving the edges quarters the error.
      EXPECT_LT(exact[1], 0.3 * exact[0]);
      EXPECT_LT(exact[2], 0.3 * exact[1]);
      EXPECT_LT(exact[2], 0.002);
      EXPECT_GT(shading, 0.05);
    }
  }
}

}  // namespace
}  // namespace dermis
