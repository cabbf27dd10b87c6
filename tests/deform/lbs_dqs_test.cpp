// SPDX-License-Identifier: MIT
// The mix of linear and dual quaternion blending.
#include <gtest/gtest.h>

#include "deform/methods.h"

namespace dermis {
namespace {

using test::surface_by;
using test::turned_about;

const std::vector<Affined> kPalette{test::scaled({1, 1.2, 0.9}),
                                    turned_about({1, 0, 0}, {1, 1, 0}, 2) * test::scaled({0.8, 1, 1.1})};

TEST(SkinLbsDqs, IsEitherMethodAtTheEndsOfItsShareToTheLastBit) {
  const Mesh mesh = test::tube({.rings = 17, .sides = 12});
  for (const NormalMode mode : {NormalMode::shading, NormalMode::inverse_transpose}) {
    for (const auto& [share, method] : {std::pair{0.0f, "lbs"}, std::pair{1.0f, "dqs"}}) {
      const Surface mixed =
          surface_by("lbs_dqs", mesh, kPalette, {mode, nullptr}, {.centre = {}, .share = share});
      const Surface alone = surface_by(method, mesh, kPalette, {mode, nullptr});
      EXPECT_EQ(mixed.points, alone.points);
      EXPECT_EQ(mixed.normals, alone.normals);
      EXPECT_EQ(mixed.tangents, alone.tangents);
    }
  }
}

TEST(SkinLbsDqs, PutsPointsBetweenThoseOfBothMethodsByTheirShare) {
  const Mesh mesh = test::tube({.rings = 17, .sides = 12});
  const std::vector<Vec3> lbs = surface_by("lbs", mesh, kPalette).points;
  const std::vector<Vec3> dqs = surface_by("dqs", mesh, kPalette).points;
  const std::vector<Vec3> mixed =
      surface_by("lbs_dqs", mesh, kPalette, {}, {.centre = {}, .share = 0.25f}).points;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    EXPECT_LT(length(Vec3d(mixed[v]) - lerp(Vec3d(lbs[v]), Vec3d(dqs[v]), 0.25)), 1e-6);
  }
}

TEST(SkinLbsDqs, ReadsTheShareOfEachPoint) {
  const std::vector<Affined> palette{{}, turned_about({}, {1, 0, 0}, kPi / 2)};
  const std::vector<Vec3> rest(3, {0, 1, 0});
  std::vector<Vec3> posed(3);
  const WeightRows rows =
      test::rows_of({{{0, 0.5f}, {1, 0.5f}}, {{0, 0.5f}, {1, 0.5f}}, {{0, 0.5f}, {1, 0.5f}}});
  const std::vector<float> shares{0, 0.5f, 1};
  skin_lbs_dqs_reference(rows, palette, shares, {rest, {}, {}}, {posed, {}, {}});
  // A quarter turn shared evenly: lbs shrinks the radius to cos 45, dqs keeps it.
  for (std::size_t v = 0; v < 3; ++v) {
    const double radius = std::sqrt(0.5) + (1 - std::sqrt(0.5)) * static_cast<double>(shares[v]);
    EXPECT_NEAR(length(Vec3d(posed[v])), radius, 1e-6);
  }
}

TEST(SkinLbsDqsDeathTest, EndsTheProgramWithoutAShareForEachPoint) {
  const std::vector<Vec3> rest(1);
  std::vector<Vec3> posed(1);
  EXPECT_DEATH(
      skin_lbs_dqs_reference(test::rows_of({{{0, 1}}}), kPalette, {}, {rest, {}, {}}, {posed, {}, {}}), "");
}

}  // namespace
}  // namespace dermis
