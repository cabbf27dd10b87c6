// SPDX-License-Identifier: MIT
// Direct delta mush against the literal formulas of the paper, its laws, and what it mends.
#include <gtest/gtest.h>

#include <chrono>

#include "characters.h"
#include "deform/posed.h"
#include "deform/thin_mesh.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"
#include "dermis/io.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::furthest;
using test::moved;
using test::volume_of;

std::vector<Vec3> skinned(const DirectDeltaMush& mush, const std::vector<Vec3>& rest,
                          const std::vector<Affined>& palette) {
  std::vector<Vec3> points(rest.size());
  skin_direct_delta_mush_reference(mush, palette, {rest, {}, {}}, {points, {}, {}});
  return points;
}

std::vector<Vec3> blended(const Mesh& mesh, const std::vector<Affined>& palette) {
  std::vector<Vec3> points(mesh.points.size());
  skin_lbs_reference(mesh.weights, palette, {mesh.points, {}, {}}, {points, {}, {}});
  return points;
}

std::vector<Affined> random_palette(unsigned seed, std::size_t count) {
  test::Random random(seed);
  std::vector<Affined> palette;
  for (std::size_t j = 0; j < count; ++j) {
    palette.push_back(test::turned_about(random.vector(), random.vector(), random.in(-1, 1)));
  }
  return palette;
}

// A tube on three joints.
Mesh arm(int rings, int sides) {
  const test::TubeShape shape{.rings = rings, .sides = sides, .length = 8};
  Mesh mesh = test::tube(shape);
  WeightRowBuilder builder;
  for (const Vec3& point : mesh.points) {
    const double x = point.x;
    const double first = std::clamp(0.5 - (x - 3) / 1.5, 0.0, 1.0);
    const double last = std::clamp(0.5 + (x - 5) / 1.5, 0.0, 1.0);
    builder.add(0, static_cast<float>(first));
    builder.add(1, static_cast<float>(1 - first - last));
    builder.add(2, static_cast<float>(last));
    builder.close_row(1e-6);
  }
  mesh.weights = builder.take();
  return mesh;
}

using Dense = std::vector<std::vector<double>>;

Dense product(const Dense& a, const Dense& b) {
  Dense c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[0].size(); ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

Dense identity(std::size_t n) {
  Dense one(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) one[i][i] = 1;
  return one;
}

// Gauss and Jordan, without pivots: the columns of I + step L D^-1 are dominated by their diagonals.
Dense inverted(Dense a) {
  Dense b = identity(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double scale = 1 / a[k][k];
    for (std::size_t j = 0; j < a.size(); ++j) a[k][j] *= scale, b[k][j] *= scale;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double factor = a[i][k];
      if (i == k || factor == 0) continue;
      for (std::size_t j = 0; j < a.size(); ++j) a[i][j] -= factor * a[k][j], b[i][j] -= factor * b[k][j];
    }
  }
  return b;
}

// (I + step L D^-1)^-p as the paper writes it.
Dense smoothing_matrix(const Laplacian& laplacian, double step, int p) {
  Dense system = identity(laplacian.point_count());
  for (std::size_t v = 0; v < laplacian.point_count(); ++v) {
    system[v][v] += step;
    for (std::uint32_t k = laplacian.first[v]; k < laplacian.first[v + 1]; ++k) {
      const std::uint32_t w = laplacian.neighbours[k];
      system[v][w] -= step * laplacian.weights[k] / laplacian.diagonal[w];
    }
  }
  const Dense once = inverted(system);
  Dense all = identity(system.size());
  for (int k = 0; k < p; ++k) all = product(all, once);
  return all;
}

// A symmetric 4x4 matrix [second, first; first^T, zeroth].
struct Psi {
  Mat3d second = diagonal(Vec3d{});
  Vec3d first;
  double zeroth = 0;
  void add(const Vec3d& u, double weight) {
    second = second + outer(u, u) * weight;
    first += u * weight;
    zeroth += weight;
  }
};

// Every sum written out, about the origin.
std::vector<Vec3> literal(const Mesh& mesh, const DirectDeltaMushOptions& options,
                          const std::vector<Affined>& palette) {
  const WeldedSurface surface = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  const std::size_t n = mesh.points.size();
  const Laplacian laplacian = options.is_cotangent ? cotangent_laplacian(mesh.points, surface.triangles)
                                                   : uniform_laplacian(n, surface.triangles);
  const Dense b = smoothing_matrix(laplacian, options.lambda, options.iterations);
  const Dense c = smoothing_matrix(laplacian, options.kappa, options.iterations);
  std::vector<Vec3> posed;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Psi> psi(palette.size());
    std::vector<double> smoothed(palette.size());
    Psi total;
    for (std::size_t k = 0; k < n; ++k) {
      for (const Influence& influence : mesh.weights.row(k)) {
        const double w = influence.weight;
        psi[at(influence.slot)].add(Vec3d(mesh.points[k]), b[k][i] * w);
        smoothed[at(influence.slot)] += c[k][i] * w;
      }
      total.add(Vec3d(mesh.points[k]), b[k][i]);
    }
    EXPECT_NEAR(total.zeroth, 1, 1e-10);  // rows of B^T
    const Vec3d p = total.first;
    Mat3d upper = diagonal(Vec3d{});
    Vec3d q;
    for (std::size_t j = 0; j < palette.size(); ++j) {
      Psi omega{psi[j].second * (1 - options.alpha), psi[j].first * (1 - options.alpha),
                psi[j].zeroth * (1 - options.alpha)};
      omega.add(p, options.alpha * smoothed[j]);
      upper = upper + palette[j].linear * omega.second + outer(palette[j].translation, omega.first);
      q += palette[j].linear * omega.first + palette[j].translation * omega.zeroth;
    }
    const Mat3d r = polar(upper - outer(q, p)).rotation;
    posed.push_back(Vec3(r * (Vec3d(mesh.points[i]) - p) + q));
  }
  return posed;
}

TEST(DirectDeltaMush, IsTheLiteralFormulaOfThePaper) {
  const Mesh mesh = arm(13, 6);
  for (const bool is_cotangent : {false, true}) {
    for (const double alpha : {0.0, 0.5}) {
      SCOPED_TRACE(alpha);
      const DirectDeltaMushOptions options{
          .iterations = 3, .lambda = 4, .kappa = 1, .alpha = alpha, .prune = 0, .is_cotangent = is_cotangent};
      const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh, options);
      for (unsigned seed = 1; seed <= 3; ++seed) {
        const std::vector<Affined> palette = random_palette(seed, 3);
        EXPECT_LT(furthest(skinned(mush, mesh.points, palette), literal(mesh, options, palette)), 2e-5);
      }
    }
  }
}

TEST(DirectDeltaMush, RowsAddUp) {
  const Mesh mesh = arm(41, 12);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    double translation = 0;
    Vec3d first;
    Index slot = -1;
    for (std::size_t e = mush.first[v]; e < mush.first[v + 1]; ++e) {
      EXPECT_GT(mush.slots[e], slot);
      slot = mush.slots[e];
      const float* omega = &mush.omega[e * kOmegaSize];
      first += Vec3d{omega[6], omega[7], omega[8]};
      translation += omega[9];
    }
    EXPECT_NEAR(translation, 1, 3e-7);
    EXPECT_LT(length(first), 3e-7);
  }
}

TEST(DirectDeltaMush, GivesTheRestPoseBackToTheLastBit) {
  for (const float far : {0.0f, 1000.0f}) {
    Mesh mesh = arm(41, 12);
    for (Vec3& point : mesh.points) point += Vec3{far, -far, far};
    const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
    EXPECT_EQ(skinned(mush, mesh.points, std::vector<Affined>(3)), mesh.points);
  }
}

TEST(DirectDeltaMush, IsRigidWhereAllJointsMoveAlike) {
  const Mesh mesh = arm(41, 12);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    // Any map at all: sheared, flattened, mirrored.
    const Affined motion = test::Random(seed).affine();
    EXPECT_EQ(skinned(mush, mesh.points, std::vector<Affined>(3, motion)), moved(mesh.points, motion));
  }
}

TEST(DirectDeltaMush, IsContinuousWhereJointsMoveAlike) {
  const Mesh mesh = arm(41, 12);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const Affined motion =
      affine_from_transform({{1, 2, 3}, Quat(quat_from_axis_angle({1, 2, 3}, 1)), {2, 0.5f, 1}});
  std::vector<Affined> palette(3, motion);
  palette[1].translation.x += 1e-9;
  EXPECT_LT(furthest(skinned(mush, mesh.points, palette), moved(mesh.points, motion)), 5e-6);
}

TEST(DirectDeltaMush, CarriesRigidMotionsOver) {
  const Mesh mesh = arm(41, 12);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Affined motion = test::Random(seed + 100).rigid();
    const std::vector<Affined> palette = random_palette(seed, 3);
    std::vector<Affined> after;
    for (const Affined& joint : palette) after.push_back(motion * joint);
    const std::vector<Vec3> expected = moved(skinned(mush, mesh.points, palette), motion);
    EXPECT_LT(furthest(skinned(mush, mesh.points, after), expected), 5e-6);
  }
}

TEST(DirectDeltaMush, ScalesWithAScaledCharacter) {
  const Mesh mesh = arm(41, 12);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const Affined larger = test::scaled({3, 3, 3});
  const std::vector<Affined> palette = random_palette(5, 3);
  std::vector<Affined> after;
  for (const Affined& joint : palette) after.push_back(larger * joint);
  EXPECT_LT(furthest(skinned(mush, mesh.points, after), moved(skinned(mush, mesh.points, palette), larger)),
            2e-5);
}

TEST(DirectDeltaMush, IsLinearBlendingWithoutIterations) {
  const Mesh mesh = arm(21, 8);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh, {.iterations = 0});
  const DirectDeltaMush weak = *prepare_direct_delta_mush(mesh, {.lambda = 1e-7, .kappa = 1e-7});
  const std::vector<Affined> palette = random_palette(9, 3);
  EXPECT_LT(furthest(skinned(mush, mesh.points, palette), blended(mesh, palette)), 2e-6);
  EXPECT_LT(furthest(skinned(weak, mesh.points, palette), blended(mesh, palette)), 1e-4);
}

// The default drops what has less than a ten-thousandth of a point's translation.
TEST(DirectDeltaMush, ChangesByLessThanAThousandthOfTheSizeByPruning) {
  const Mesh mesh = arm(81, 12);
  const DirectDeltaMush whole = *prepare_direct_delta_mush(mesh, {.prune = 0});
  const DirectDeltaMush pruned = *prepare_direct_delta_mush(mesh);
  double error = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const std::vector<Affined> palette = random_palette(seed, 3);
    error = std::max(error,
                     furthest(skinned(whole, mesh.points, palette), skinned(pruned, mesh.points, palette)));
  }
  std::printf("direct delta mush: %zu entries, pruned %zu, moved by %g of a size of 8.2\n",
              whole.slots.size(), pruned.slots.size(), error);
  EXPECT_LT(pruned.slots.size(), whole.slots.size());
  EXPECT_LT(error, 1e-3 * 8.2);
}

// A flat sheet: A has rank two everywhere. A loose point and a triangle on a line: less.
TEST(DirectDeltaMush, TurnsFlatAndThinNeighbourhoodsProperly) {
  const Mesh mesh = test::thin_mesh();
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const Affined motion = test::turned_about({3, 1, 2}, {1, 0.2, 0.4}, radians_from_degrees(170));
  Affined other = motion;
  other.translation.y += 1e-6;  // not quite alike, so that the rotation is fitted
  Surface posed;
  posed.points.resize(mesh.points.size());
  posed.normals.resize(mesh.points.size());
  skin_direct_delta_mush_reference(mush, std::vector<Affined>{motion, other},
                                   {mesh.points, mesh.normals.values, {}}, {posed.points, posed.normals, {}});
  EXPECT_LT(furthest(posed.points, moved(mesh.points, motion)), 5e-5);
  for (const Vec3& normal : posed.normals) EXPECT_LT(length(Vec3d(normal) - motion.linear.z), 1e-4);
}

TEST(DirectDeltaMush, KeepsSeamsClosed) {
  Mesh mesh = arm(21, 8);
  // The first ring once more, as points of its own for the caps.
  const Index near_cap = static_cast<Index>(mesh.points.size()) - 2;
  std::vector<Influence> row;
  for (Index s = 0; s < 8; ++s) {
    mesh.points.push_back(mesh.points[at(s)]);
    mesh.weights.influences.push_back({0, 1});
    mesh.weights.first.push_back(static_cast<std::uint32_t>(mesh.weights.influences.size()));
  }
  for (std::size_t c = 0; c < mesh.polygons.corners.size(); ++c) {
    if (mesh.polygons.corners[c] == near_cap) {
      mesh.polygons.corners[c + 1] += near_cap + 2;
      mesh.polygons.corners[c + 2] += near_cap + 2;
    }
  }
  mesh.weld = weld_coincident(mesh.points);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const DirectDeltaMush joined = *prepare_direct_delta_mush(arm(21, 8));
  const std::vector<Affined> palette = random_palette(2, 3);
  const std::vector<Vec3> posed = skinned(mush, mesh.points, palette);
  for (std::size_t v = 0; v < posed.size(); ++v) EXPECT_EQ(posed[v], posed[at(mesh.weld[v])]);
  const std::vector<Vec3> expected = skinned(joined, arm(21, 8).points, palette);
  EXPECT_LT(furthest(std::span(posed).first(expected.size()), expected), 2e-6);
}

TEST(DirectDeltaMush, TurnsWhatShapesMoved) {
  const Mesh mesh = arm(21, 8);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  std::vector<Vec3> shaped = mesh.points;
  for (Vec3& point : shaped) point += Vec3{0, 0.1f, 0};
  const Affined motion = test::turned_about({1, 2, 3}, {0, 0, 1}, 1);
  EXPECT_EQ(skinned(mush, shaped, std::vector<Affined>(3, motion)), moved(shaped, motion));
  EXPECT_EQ(skinned(mush, shaped, std::vector<Affined>(3)), shaped);
}

TEST(DirectDeltaMush, TurnsNormalsAndTangentsAndFlipsThemInAMirror) {
  const Mesh mesh = arm(21, 8);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const auto surface_under = [&](const std::vector<Affined>& palette) {
    Surface posed;
    posed.normals.resize(mesh.points.size());
    posed.tangents.resize(mesh.points.size());
    skin_direct_delta_mush_reference(mush, palette, {mesh.points, mesh.normals.values, mesh.tangents.values},
                                     {{}, posed.normals, posed.tangents});
    return posed;
  };
  const std::vector<Affined> palette = random_palette(4, 3);
  const Surface posed = surface_under(palette);
  for (std::size_t v = 8; v < 20 * 8; ++v) {
    EXPECT_NEAR(length(posed.normals[v]), 1, 1e-6);
    EXPECT_NEAR(length(posed.tangents[v].xyz()), 1, 1e-6);
    EXPECT_NEAR(dot(posed.normals[v], posed.tangents[v].xyz()), 0, 1e-6);
  }
  const Surface mirrored = surface_under(std::vector<Affined>(3, test::scaled({-1, 1, 1})));
  for (std::size_t v = 8; v < 20 * 8; ++v) {
    EXPECT_LT(length(mirrored.normals[v] - mesh.normals.values[v]), 1e-6f);
    EXPECT_EQ(mirrored.tangents[v].w, -1.0f);
  }
}

double narrowest(std::span<const Vec3> points, int rings, int sides) {
  double least = 1e9;
  for (int r = rings / 4; r <= 3 * rings / 4; ++r) {
    for (int s = 0; s < sides / 2; ++s) {
      const std::size_t v = at(r * sides + s);
      least = std::min(least, 0.5 * length(Vec3d(points[v]) - Vec3d(points[v + at(sides / 2)])));
    }
  }
  return least;
}

TEST(DirectDeltaMush, OpensTheCandyWrapperAndFillsTheElbow) {
  const Mesh mesh = arm(81, 24);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const double rest = volume_of(mesh.points, mesh.polygons);
  const auto figures = [&](const Vec3d& axis, double degrees) {
    const Affined last = test::turned_about({5, 0, 0}, axis, radians_from_degrees(degrees));
    const std::vector<Affined> palette{{}, {}, last};
    const std::vector<Vec3> lbs = blended(mesh, palette), better = skinned(mush, mesh.points, palette);
    std::printf("by %.0f degrees: volume %.4f (lbs) %.4f (direct delta mush), narrowest %.3f and %.3f\n",
                degrees, volume_of(lbs, mesh.polygons) / rest, volume_of(better, mesh.polygons) / rest,
                narrowest(lbs, 81, 24), narrowest(better, 81, 24));
    EXPECT_GT(narrowest(better, 81, 24), narrowest(lbs, 81, 24) + 0.15);
    return (volume_of(better, mesh.polygons) - volume_of(lbs, mesh.polygons)) / rest;
  };
  EXPECT_GT(figures({1, 0, 0}, 150), 0.04);
  EXPECT_GT(figures({0, 0, 1}, 90), 0);
}

TEST(DirectDeltaMush, IsTheSameBytesOnAnyThreadCount) {
  const Mesh mesh = arm(81, 24);
  const int threads = thread_count();
  set_thread_count(1);
  const DirectDeltaMush one = *prepare_direct_delta_mush(mesh);
  set_thread_count(3);
  const DirectDeltaMush three = *prepare_direct_delta_mush(mesh);
  set_thread_count(threads);
  EXPECT_EQ(one.slots, three.slots);
  EXPECT_EQ(one.omega, three.omega);
  EXPECT_EQ(one.centre, three.centre);
}

// A finger's length is many edges of a fine mesh and less than one of a coarse one.
TEST(DirectDeltaMush, IsAskedForLessSmoothingOnCoarseMeshes) {
  const DirectDeltaMushOptions usual;
  const auto lambda = [](int rings, int sides) {
    return direct_delta_mush_options(arm(rings, sides)).lambda;
  };
  EXPECT_LT(lambda(9, 6), 0.1);
  EXPECT_GT(lambda(129, 96), 4 * lambda(33, 24));
  EXPECT_EQ(lambda(1025, 256), usual.lambda);
  EXPECT_LE(direct_delta_mush_options(arm(9, 6)).kappa, lambda(9, 6));
  EXPECT_EQ(direct_delta_mush_options(Mesh{}).lambda, usual.lambda);
}

TEST(DirectDeltaMush, RefusesWhatCannotBe) {
  Mesh mesh = arm(5, 4);
  EXPECT_EQ(prepare_direct_delta_mush(mesh, {.iterations = -1}).error().code, Errc::bad_argument);
  EXPECT_EQ(prepare_direct_delta_mush(mesh, {.lambda = NAN}).error().code, Errc::bad_argument);
  EXPECT_EQ(prepare_direct_delta_mush(mesh, {.alpha = 2}).error().code, Errc::bad_argument);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(prepare_direct_delta_mush(mesh, {}, Progress({}, &stop)).error().code, Errc::cancelled);
  mesh.weights = {};
  EXPECT_EQ(prepare_direct_delta_mush(mesh).error().sentence, "mesh 'tube' has no weights");
  EXPECT_TRUE(prepare_direct_delta_mush(Mesh{}).ok());
}

// As many joints as a character has, on a tube of 40,000 points.
TEST(DirectDeltaMush, OfFortyThousandPointsIsPreparedInSeconds) {
  Mesh mesh = test::tube({.rings = 400, .sides = 100, .length = 30});
  WeightRowBuilder builder;
  for (const Vec3& point : mesh.points) {
    const int joint = std::clamp(static_cast<int>(point.x * 2), 0, 58);
    const float w = std::clamp(point.x * 2 - static_cast<float>(joint), 0.0f, 1.0f);
    builder.add(joint, 1 - w);
    builder.add(joint + 1, w);
    builder.close_row(1e-6);
  }
  mesh.weights = builder.take();
  const auto start = std::chrono::steady_clock::now();
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("direct delta mush: %zu points, 60 joints in %.2f s, %.2f entries a point\n",
              mesh.points.size(), seconds.count(),
              static_cast<double>(mush.slots.size()) / static_cast<double>(mesh.points.size()));
  EXPECT_EQ(skinned(mush, mesh.points, std::vector<Affined>(60)), mesh.points);
}

TEST(DirectDeltaMush, GivesTheRestPoseOfARealCharacterBackToTheLastBit) {
  const auto folder = test::data_folder();
  if (folder.empty()) GTEST_SKIP() << "set DERMIS_DATA";
  const Result<Asset> asset = load((folder / "gltf" / "khronos" / "CesiumMan.glb").string());
  ASSERT_TRUE(asset.ok());
  const Mesh& mesh = asset->character.meshes[0];
  const auto start = std::chrono::steady_clock::now();
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::size_t slots = asset->character.skins[0].node.size();
  std::printf("direct delta mush: CesiumMan, %zu points, %zu joints in %.2f s, %.2f entries a point\n",
              mesh.points.size(), slots, seconds.count(),
              static_cast<double>(mush.slots.size()) / static_cast<double>(mesh.points.size()));
  EXPECT_EQ(skinned(mush, mesh.points, std::vector<Affined>(slots)), mesh.points);
}

}  // namespace
}  // namespace dermis
