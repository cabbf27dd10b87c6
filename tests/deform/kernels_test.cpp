// SPDX-License-Identifier: MIT
// Kernels against the plain references, on every instruction set of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "deform/posed.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

using test::Joints;
using test::Posed;

constexpr unsigned kSeed = 20261116;

// A random mesh: rows of 1 to `longest` influences, alike among neighbours or not at all.
struct Fixture {
  WeightRows rows;
  std::vector<Vec3> points, normals, centres;
  std::vector<Vec4> tangents;
  std::vector<float> dqs_share;
  RestSurface rest() const { return {points, normals, tangents}; }
};

enum class Alike { neighbours, nobody };

Vec3d unit_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return normalized(Vec3d{normal(random), normal(random), normal(random)});
}

Fixture random_mesh(std::size_t count, std::size_t slot_count, std::size_t longest, Alike alike) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<float> weight(0.01f, 1), place(-1, 1);
  Fixture mesh;
  WeightRowBuilder builder;
  std::vector<Index> slots;
  for (std::size_t v = 0; v < count; ++v) {
    if (v % 50 == 0 || alike == Alike::nobody) {
      slots.clear();
      const std::size_t width = 1 + random() % longest;
      while (slots.size() < width) {
        const Index slot = static_cast<Index>(random() % slot_count);
        if (std::find(slots.begin(), slots.end(), slot) == slots.end()) slots.push_back(slot);
      }
    }
    for (std::size_t k = 0; k < slots.size(); ++k) {
      if (k == 0 || random() % 4 != 0) builder.add(slots[k], weight(random));
    }
    builder.close_row(1e-3);
    mesh.points.push_back({place(random), place(random), place(random)});
    mesh.centres.push_back({place(random), place(random), place(random)});
    mesh.normals.push_back(Vec3(unit_vector(random)));
    const Vec3d along = cross(Vec3d(mesh.normals.back()), unit_vector(random));
    const Vec3 t(normalized(along));
    mesh.tangents.push_back({t.x, t.y, t.z, random() % 2 == 0 ? 1.0f : -1.0f});
    mesh.dqs_share.push_back(std::abs(place(random)));
  }
  mesh.rows = builder.take();
  return mesh;
}

// Turns of up to `largest_angle` radians, so that blends of neighbours do not cancel.
std::vector<Affined> random_palette(std::size_t count, Joints joints, double largest_angle) {
  std::mt19937 random(kSeed + 1);
  std::uniform_real_distribution<double> place(-1, 1), scale(0.5, 1.5);
  std::vector<Affined> palette;
  for (std::size_t j = 0; j < count; ++j) {
    Mat3d linear = matrix_from_quat(quat_from_axis_angle(unit_vector(random), largest_angle * place(random)));
    if (joints != Joints::rigid)
      linear = linear * diagonal(Vec3d{scale(random), scale(random), scale(random)});
    if (joints == Joints::mirrored) linear = linear * diagonal(Vec3d{-1, 1, 1});
    palette.push_back({linear, {place(random), place(random), place(random)}});
  }
  return palette;
}

void run_reference(std::string_view method, const Fixture& mesh, std::span<const Affined> palette,
                   Posed& out) {
  const RestSurface rest = mesh.rest();
  if (method == "rigid") skin_rigid_reference(mesh.rows, palette, rest, out.surface());
  if (method == "lbs") skin_lbs_reference(mesh.rows, palette, rest, out.surface());
  if (method == "dqs") skin_dqs_reference(mesh.rows, palette, rest, out.surface());
  if (method == "quaternion") skin_quaternion_reference(mesh.rows, palette, rest, out.surface());
  if (method == "log_matrix") skin_log_matrix_reference(mesh.rows, palette, rest, out.surface());
  if (method == "spherical") skin_spherical_reference(mesh.rows, palette, rest, out.surface());
  if (method == "lbs_dqs") skin_lbs_dqs_reference(mesh.rows, palette, mesh.dqs_share, rest, out.surface());
  if (method == "cor") skin_cor_reference(mesh.rows, palette, mesh.centres, rest, out.surface());
}

void run_kernel(std::string_view method, const Fixture& mesh, std::span<const Affined> palette,
                PosedSurface out, PointRange range = {}) {
  const SkinBlocks skin =
      (method == "rigid" ? prepare_rigid_blocks(mesh.rows) : prepare_blocks(mesh.rows)).value();
  RestBlocks rest, centres;
  set_rest_blocks(mesh.rest(), rest);
  set_rest_blocks({mesh.centres, {}, {}}, centres);
  PackedJoints joints;
  pack_joints(skin_row(deform_stack(method)).kernel.value(), palette, joints);
  const JointSets sets = joint_sets(mesh.rows);
  RotationCentres set_centres;
  if (method == "spherical") set_rotation_centres(sets, palette, set_centres);
  skin_by_kernel(skin, joints, {mesh.dqs_share, &centres, &sets, set_centres.values}, rest, out, range);
}

constexpr const char* kKernels[] = {"rigid",      "lbs",       "dqs",     "quaternion",
                                    "log_matrix", "spherical", "lbs_dqs", "cor"};

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    const double apart = length(Vec3d(a[v]) - Vec3d(b[v]));
    largest = apart <= largest ? largest : apart;  // NaN counts
  }
  return largest;
}

// All methods on all instruction sets; angles are small enough that no blend of normals comes near nothing.
void expect_references_met(const Fixture& mesh, Joints joints, double angle, double bound) {
  const std::vector<Affined> palette = random_palette(40, joints, angle);
  const std::size_t count = mesh.points.size();
  for (std::size_t m = 0; m < std::size(kKernels); ++m) {
    Posed wanted(count);
    run_reference(kKernels[m], mesh, palette, wanted);
    for (const std::string& target : kernel_targets()) {
      ASSERT_TRUE(use_kernel_target(target));
      SCOPED_TRACE(std::string(kKernels[m]) + " on " + target);
      Posed found(count);
      run_kernel(kKernels[m], mesh, palette, found.surface());
      EXPECT_LE(largest_difference(found.points, wanted.points), bound);
      EXPECT_LE(largest_difference(found.normals, wanted.normals), 10 * bound);
      std::size_t other_side = 0;
      double tangents_apart = 0;
      for (std::size_t v = 0; v < count; ++v) {
        tangents_apart = std::max(tangents_apart,
                                  length(Vec3d(found.tangents[v].xyz()) - Vec3d(wanted.tangents[v].xyz())));
        other_side += found.tangents[v].w != wanted.tangents[v].w;
      }
      EXPECT_LE(tangents_apart, 100 * bound);
      EXPECT_EQ(other_side, 0u);
    }
  }
  use_kernel_target("");
}

TEST(Kernels, MeetTheReferencesWhereNeighboursAreAlike) {
  expect_references_met(random_mesh(1003, 40, 6, Alike::neighbours), Joints::rigid, 1.0, 4e-6);
}

// Spherical centres of unlike joints lie several times the mesh away, and rounding grows with them.
TEST(Kernels, MeetTheReferencesWhereNeighboursHaveNothingInCommon) {
  expect_references_met(random_mesh(517, 40, 4, Alike::nobody), Joints::rigid, 1.0, 1e-5);
}

TEST(Kernels, MeetTheReferencesOnRowsOfUpToThirtyInfluences) {
  expect_references_met(random_mesh(600, 40, 30, Alike::neighbours), Joints::rigid, 1.0, 4e-6);
  expect_references_met(random_mesh(203, 40, 30, Alike::nobody), Joints::rigid, 1.0, 4e-6);
}

TEST(Kernels, MeetTheReferencesUnderScaleShearAndMirrors) {
  expect_references_met(random_mesh(500, 40, 4, Alike::neighbours), Joints::scaled, 0.6, 1e-5);
  expect_references_met(random_mesh(500, 40, 4, Alike::neighbours), Joints::mirrored, 0.6, 1e-5);
}

// Half turns apart, the sign of a quaternion differs from point to point within one block.
TEST(Kernels, FollowTheHeaviestJointsSignAtEveryPoint) {
  const Fixture mesh = random_mesh(2000, 40, 4, Alike::neighbours);
  const std::vector<Affined> palette = random_palette(40, Joints::rigid, 3.1);
  for (const char* method : {"dqs", "quaternion", "cor"}) {
    Posed wanted(2000), found(2000);
    run_reference(method, mesh, palette, wanted);
    run_kernel(method, mesh, palette, found.surface());
    std::size_t wrong = 0;
    for (std::size_t v = 0; v < 2000; ++v) wrong += length(found.points[v] - wanted.points[v]) > 1e-4f;
    EXPECT_EQ(wrong, 0u);
  }
}

// A point's bytes are its own: the same in another block, beside other neighbours, scattered or not.
TEST(Kernels, GiveAPointTheSameBytesWhereverItStands) {
  Fixture mesh = random_mesh(800, 40, 5, Alike::neighbours);
  std::vector<std::size_t> order(800);
  for (std::size_t v = 0; v < 800; ++v) order[v] = v * 37 % 800;
  Fixture shuffled = mesh;
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < 800; ++v) {
    for (const Influence& influence : mesh.rows.row(order[v])) builder.add(influence.slot, influence.weight);
    builder.close_row(1e-3);
    shuffled.points[v] = mesh.points[order[v]];
    shuffled.normals[v] = mesh.normals[order[v]];
    shuffled.tangents[v] = mesh.tangents[order[v]];
    shuffled.centres[v] = mesh.centres[order[v]];
    shuffled.dqs_share[v] = mesh.dqs_share[order[v]];
  }
  shuffled.rows = builder.take();
  ASSERT_EQ(shuffled.rows.influences.size(), mesh.rows.influences.size());
  const std::vector<Affined> palette = random_palette(40, Joints::rigid, 2.0);
  for (std::size_t m = 0; m < std::size(kKernels); ++m) {
    SCOPED_TRACE(kKernels[m]);
    Posed first(800), second(800);
    run_kernel(kKernels[m], mesh, palette, first.surface());
    run_kernel(kKernels[m], shuffled, palette, second.surface());
    std::size_t different = 0;
    for (std::size_t v = 0; v < 800; ++v) {
      different += std::memcmp(&first.points[order[v]], &second.points[v], sizeof(Vec3)) != 0;
      different += std::memcmp(&first.normals[order[v]], &second.normals[v], sizeof(Vec3)) != 0;
      different += std::memcmp(&first.tangents[order[v]], &second.tangents[v], sizeof(Vec4)) != 0;
    }
    EXPECT_EQ(different, 0u);
  }
}

TEST(Kernels, WriteTheirRangeAndNothingElse) {
  const Fixture mesh = random_mesh(1001, 40, 4, Alike::neighbours);
  const std::vector<Affined> palette = random_palette(40, Joints::rigid, 1.0);
  for (std::size_t m = 0; m < std::size(kKernels); ++m) {
    SCOPED_TRACE(kKernels[m]);
    Posed whole(1001), parts(1001);
    run_kernel(kKernels[m], mesh, palette, whole.surface());
    const Vec3 untouched{7, 7, 7};
    std::fill(parts.points.begin(), parts.points.end(), untouched);
    run_kernel(kKernels[m], mesh, palette, parts.surface(), {kRangePoints, 3 * kRangePoints});
    for (std::size_t v = 0; v < 1001; ++v) {
      const bool is_inside = v >= kRangePoints && v < 3 * kRangePoints;
      ASSERT_EQ(parts.points[v], is_inside ? whole.points[v] : untouched) << v;
    }
    run_kernel(kKernels[m], mesh, palette, parts.surface(), {0, kRangePoints});
    run_kernel(kKernels[m], mesh, palette, parts.surface(), {3 * kRangePoints, SIZE_MAX});
    EXPECT_EQ(parts.points, whole.points);
    EXPECT_EQ(parts.normals, whole.normals);
  }
}

// The candy wrapper's waist: the linear blend of the normals is nothing, and the heaviest joint turns them.
TEST(Kernels, TurnNormalsByTheHeaviestJointWhereTheirBlendIsNothing) {
  Fixture mesh;
  WeightRowBuilder builder;
  builder.add(0, 0.5f);
  builder.add(1, 0.5f);
  builder.close_row(1e-3);
  mesh.rows = builder.take();
  mesh.points = {{0, 1, 0}};
  mesh.normals = {{0, 1, 0}};
  const std::vector<Affined> palette{Affined{}, {matrix_from_quat(quat_from_axis_angle({1, 0, 0}, kPi)), {}}};
  std::vector<Vec3> points(1), normals(1);
  run_kernel("lbs", mesh, palette, {points, normals, {}});
  EXPECT_LE(length(points[0]), 1e-6f);
  EXPECT_EQ(normals[0], (Vec3{0, 1, 0}));
}

TEST(Kernels, LeaveAZeroNormalZero) {
  Fixture mesh = random_mesh(20, 5, 3, Alike::neighbours);
  mesh.normals[7] = {};
  const std::vector<Affined> palette = random_palette(5, Joints::rigid, 1.0);
  for (const char* method : {"lbs", "dqs", "lbs_dqs"}) {
    std::vector<Vec3> points(20), normals(20);
    run_kernel(method, mesh, palette, {points, normals, {}});
    EXPECT_EQ(normals[7], Vec3{});
    EXPECT_NEAR(length(normals[8]), 1, 1e-6);
  }
}

TEST(Kernels, LinearRowsOfOneJointAreRigidToTheLastBit) {
  Fixture mesh = random_mesh(300, 40, 1, Alike::nobody);
  const std::vector<Affined> palette = random_palette(40, Joints::scaled, 3.0);
  Posed linear(300), rigid(300);
  run_kernel("lbs", mesh, palette, linear.surface());
  run_kernel("rigid", mesh, palette, rigid.surface());
  EXPECT_EQ(linear.points, rigid.points);
  EXPECT_EQ(linear.normals, rigid.normals);
}

}  // namespace
}  // namespace dermis
