// SPDX-License-Identifier: MIT
// Linear blending and its one-hot case, rigid skinning: worked numbers, rounding, and promises about memory.
#include <gtest/gtest.h>

#include <cstring>

#include "characters.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

using test::Random;

template <class Value>
bool has_same_bytes(const std::vector<Value>& a, const std::vector<Value>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0;
}

Surface surface_like(const RestSurface& rest) {
  Surface posed;
  posed.points.resize(rest.points.size());
  posed.normals.resize(rest.normals.size());
  posed.tangents.resize(rest.tangents.size());
  return posed;
}

PosedSurface spans_of(Surface& s) { return {s.points, s.normals, s.tangents}; }

struct RandomMesh {
  Surface rest;
  WeightRows rows;
  std::vector<Affined> palette;
  RestSurface view() const { return {rest.points, rest.normals, rest.tangents}; }
};

// Points in the cube of half-width `size`, on `joint_count` joints.
RandomMesh random_mesh(Random& random, int joint_count, bool is_one_hot, double size = 1) {
  RandomMesh mesh;
  for (int j = 0; j < joint_count; ++j) {
    Affined joint = random.rigid();
    joint.translation *= size;
    mesh.palette.push_back(joint * test::scaled(Vec3d{1, 1, 1} + random.vector() * 0.5));
  }
  WeightRowBuilder builder;
  for (int v = 0; v < 100; ++v) {
    mesh.rest.points.push_back(Vec3(random.vector() * size));
    mesh.rest.normals.push_back(Vec3(normalized(random.vector())));
    const Vec3 tangent(normalized(cross(random.vector(), Vec3d(mesh.rest.normals.back()))));
    mesh.rest.tangents.push_back({tangent.x, tangent.y, tangent.z, random.below(2) == 0 ? 1.0f : -1.0f});
    const int count = is_one_hot ? 1 : 1 + random.below(6);
    for (int k = 0; k < count; ++k) {
      builder.add(random.below(joint_count), static_cast<float>(random.in(0.01, 1)));
    }
    builder.close_row(10);
  }
  mesh.rows = builder.take();
  return mesh;
}

TEST(SkinLbs, HalfATwistByHalfEachCollapsesToTheAxis) {
  const std::vector<Affined> palette{{}, test::turned_about({2, 0, 0}, {1, 0, 0}, kPi)};
  const std::vector<Vec3> rest{{2, 3, 0}};
  std::vector<Vec3> posed(1);
  skin_lbs_reference(test::rows_of({{{0, 0.5f}, {1, 0.5f}}}), palette, {rest, {}, {}}, {posed, {}, {}});
  EXPECT_LT(length(Vec3d(posed[0]) - Vec3d{2, 0, 0}), 1e-6);
}

TEST(SkinRigid, IsLbsWithOneHotWeightsToTheLastBit) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const RandomMesh mesh = random_mesh(random, 5, true);
    for (const NormalMode mode : {NormalMode::shading, NormalMode::inverse_transpose}) {
      Surface rigid = surface_like(mesh.view()), blended = rigid;
      skin_rigid_reference(mesh.rows, mesh.palette, mesh.view(), spans_of(rigid), {mode, nullptr});
      skin_lbs_reference(mesh.rows, mesh.palette, mesh.view(), spans_of(blended), {mode, nullptr});
      EXPECT_TRUE(has_same_bytes(rigid.points, blended.points));
      EXPECT_TRUE(has_same_bytes(rigid.normals, blended.normals));
      EXPECT_TRUE(has_same_bytes(rigid.tangents, blended.tangents));
    }
  }
}

TEST(SkinRigid, KeepsDistancesWithinEachPiece) {
  Random random(5);
  RandomMesh mesh = random_mesh(random, 3, false);
  for (Affined& joint : mesh.palette) joint = random.rigid();
  Surface posed = surface_like(mesh.view());
  skin_rigid_reference(mesh.rows, mesh.palette, mesh.view(), spans_of(posed));
  for (std::size_t a = 0; a < 100; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (mesh.rows.row(a).front().slot != mesh.rows.row(b).front().slot) continue;
      EXPECT_NEAR(length(Vec3d(posed.points[a]) - Vec3d(posed.points[b])),
                  length(Vec3d(mesh.rest.points[a]) - Vec3d(mesh.rest.points[b])), 1e-6);
    }
  }
}

// How far a result moves when the whole character stands 1000 away from the origin.
double drift(const RandomMesh& mesh, const WeightRows& rows) {
  const Affined away(Mat3d{}, {1000, 1000, 1000});
  std::vector<Affined> moved;
  for (const Affined& joint : mesh.palette) moved.push_back(away * joint);
  std::vector<Vec3> here(100), there(100);
  skin_lbs_reference(rows, mesh.palette, {mesh.rest.points, {}, {}}, {here, {}, {}});
  skin_lbs_reference(rows, moved, {mesh.rest.points, {}, {}}, {there, {}, {}});
  double worst = 0;
  for (std::size_t v = 0; v < 100; ++v) {
    worst = std::max(worst, length(Vec3d(there[v]) - (away * Vec3d(here[v]))));
  }
  return worst;
}

TEST(SkinLbs, DoesNotFeelTheOriginWhenRowsSumToOne) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const RandomMesh mesh = random_mesh(random, 6, false);
    // Weights round to 2^-24 of their sum, and a float near 1000 to 2^-15.
    const double rounding = 1732.1 / (1 << 23) + 1.0 / (1 << 14);
    EXPECT_LT(drift(mesh, mesh.rows), rounding);
    WeightRows faulty = mesh.rows;
    for (Influence& influence : faulty.influences) influence.weight *= 0.99f;
    EXPECT_GT(drift(mesh, faulty), 10.0);
  }
}

TEST(SkinLbsFloat, StaysWithinItsStatedRoundingOfDouble) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const double size = std::pow(10, random.below(7) - 3);
    const RandomMesh mesh = random_mesh(random, 6, false, size);
    std::vector<Affine> rounded;
    for (const Affined& joint : mesh.palette) rounded.emplace_back(joint);
    Surface precise = surface_like(mesh.view()), quick = precise;
    skin_lbs_reference(mesh.rows, mesh.palette, mesh.view(), spans_of(precise));
    skin_lbs_reference_float(mesh.rows, rounded, mesh.view(), spans_of(quick));
    for (std::size_t v = 0; v < 100; ++v) {
      double reach = 0;
      for (const Influence& influence : mesh.rows.row(v)) {
        const Affined& joint = mesh.palette[at(influence.slot)];
        const double entries =
            std::sqrt(dot(joint.linear.x, joint.linear.x) + dot(joint.linear.y, joint.linear.y) +
                      dot(joint.linear.z, joint.linear.z));
        reach = std::max(reach, entries * length(Vec3d(mesh.rest.points[v])) + length(joint.translation));
      }
      const double grains = static_cast<double>(mesh.rows.row(v).size() + 8) / (1 << 23);
      EXPECT_LE(length(Vec3d(precise.points[v]) - Vec3d(quick.points[v])), grains * reach);
      EXPECT_EQ(precise.tangents[v].w, quick.tangents[v].w);
    }
  }
}

TEST(SkinLbs, WritesOnlyWhatIsWantedAndLeavesAbsentNormalsAbsent) {
  Random random(3);
  const RandomMesh mesh = random_mesh(random, 4, false);
  Surface all = surface_like(mesh.view()), some = all;
  skin_lbs_reference(mesh.rows, mesh.palette, mesh.view(), spans_of(all));
  skin_lbs_reference(mesh.rows, mesh.palette, mesh.view(), {{}, {}, some.tangents});
  EXPECT_TRUE(has_same_bytes(all.tangents, some.tangents));
  EXPECT_EQ(some.points[0], Vec3{});
  skin_lbs_reference(mesh.rows, mesh.palette, {mesh.rest.points, {}, {}}, {some.points, {}, {}});
  EXPECT_TRUE(has_same_bytes(all.points, some.points));
}

TEST(SkinLbs, PosesInPlace) {
  Random random(4);
  RandomMesh mesh = random_mesh(random, 4, false);
  Surface apart = surface_like(mesh.view());
  skin_lbs_reference(mesh.rows, mesh.palette, mesh.view(), spans_of(apart));
  skin_lbs_reference(mesh.rows, mesh.palette, mesh.view(), spans_of(mesh.rest));
  EXPECT_TRUE(has_same_bytes(apart.points, mesh.rest.points));
  EXPECT_TRUE(has_same_bytes(apart.normals, mesh.rest.normals));
  EXPECT_TRUE(has_same_bytes(apart.tangents, mesh.rest.tangents));
}

TEST(SkinLbs, GivesTheSameBytesOnOneThreadAndOnMany) {
  const Mesh mesh = test::tube({.rings = 200, .sides = 50});
  const std::vector<Affined> palette{{}, test::turned_about({1, 0, 0}, {1, 1, 0}, 2)};
  const RestSurface rest{mesh.points, mesh.normals.values, mesh.tangents.values};
  Surface one = surface_like(rest), many = one;
  set_thread_count(1);
  const WeightGradients gradients_of_one = *prepare_weight_gradients(mesh);
  skin_lbs_reference(mesh.weights, palette, rest, spans_of(one), {NormalMode::exact, &gradients_of_one});
  set_thread_count(4);
  const WeightGradients gradients_of_many = *prepare_weight_gradients(mesh);
  skin_lbs_reference(mesh.weights, palette, rest, spans_of(many), {NormalMode::exact, &gradients_of_many});
  set_thread_count(0);
  EXPECT_TRUE(has_same_bytes(one.points, many.points));
  EXPECT_TRUE(has_same_bytes(one.normals, many.normals));
  EXPECT_TRUE(has_same_bytes(one.tangents, many.tangents));
}

TEST(SkinLbsDeathTest, EndsTheProgramWhenSizesDoNotAgree) {
  const std::vector<Affined> palette(1);
  const std::vector<Vec3> rest(2);
  std::vector<Vec3> posed(2);
  EXPECT_DEATH(skin_lbs_reference(test::rows_of({{{0, 1}}}), palette, {rest, {}, {}}, {posed, {}, {}}), "");
}

}  // namespace
}  // namespace dermis
