// SPDX-License-Identifier: MIT
// Depth, medial cells and limb ends of bodies whose own can be worked out.
#include "rig/field.h"

#include "rig/bodies.h"

namespace dermis {
namespace {

constexpr double kFieldCell = 0.1;
// Cells that the surface touches are filled, so that a solid reaches beyond its body by a cell at most, along
// a diagonal.
const double kBeyond = std::sqrt(3.0) * kFieldCell;

void expect_depth(const VoxelSolid& solid, const std::function<double(const Vec3d&)>& true_depth) {
  const DepthField field = measure_depth(solid);
  ASSERT_EQ(field.depth.size(), solid.cell_count());
  double worst_less = 0, worst_more = 0;
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    const double depth = true_depth(solid.centre(c));
    worst_less = std::max(worst_less, depth - double{field.depth[c]});
    worst_more = std::max(worst_more, double{field.depth[c]} - depth);
    ASSERT_NEAR(length(Vec3d(field.nearest[c]) - solid.centre(c)), field.depth[c], 1e-5);
  }
  EXPECT_LE(worst_less, 0.5 * kFieldCell);
  EXPECT_LE(worst_more, kBeyond);
}

TEST(Depth, OfABallIsTheDistanceToItsSurface) {
  expect_depth(test::solid_of(test::capsule_soup({{{}, {}, 1.5}}, 0.1), kFieldCell),
               [](const Vec3d& p) { return 1.5 - length(p); });
}

TEST(Depth, OfARodIsTheDistanceToItsSurface) {
  const test::Capsule rod{{-3, 0.2, 0}, {3, 0.5, 1}, 0.8};
  expect_depth(test::solid_of(test::capsule_soup({rod}, 0.1), kFieldCell),
               [&](const Vec3d& p) { return rod.radius - distance_to_segment(p, rod.from, rod.to); });
}

TEST(Depth, OfABoxIsTheDistanceToItsNearestSide) {
  const Vec3d half{1, 2, 0.5};
  expect_depth(test::solid_of(test::box_soup(-half, half), kFieldCell), [&](const Vec3d& p) {
    return std::min({half.x - std::abs(p.x), half.y - std::abs(p.y), half.z - std::abs(p.z)});
  });
}

TEST(Depth, DoesNotSeeAShellInsideTheBody) {
  const test::Soup box = test::box_soup({-1, -1, -1}, {1, 1, 1});
  test::Soup both = box;
  both.add(test::box_soup({-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}));
  const DepthField one = measure_depth(test::solid_of(box, kFieldCell));
  const DepthField two = measure_depth(test::solid_of(both, kFieldCell));
  EXPECT_EQ(one.depth, two.depth);
}

TEST(MedialCells, OfARodLieOnItsAxisDeepestFirst) {
  const test::Capsule rod{{-3, 0, 0}, {3, 0, 0}, 0.8};
  const VoxelSolid solid = test::solid_of(test::capsule_soup({rod}, 0.1), kFieldCell);
  const DepthField field = measure_depth(solid);
  const std::vector<std::uint32_t> cells = medial_cells(solid, field);
  ASSERT_FALSE(cells.empty());
  std::vector<bool> is_there(60, false);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const Vec3d place = solid.centre(cells[k]);
    if (k > 0) {
      EXPECT_GE(field.depth[cells[k - 1]], field.depth[cells[k]]);
    }
    // Near the surface the corners of the lattice itself count too.
    if (field.depth[cells[k]] < 0.5 * rod.radius) continue;
    // Half a cell off along both axes, and a little for the facets.
    EXPECT_LT(distance_to_segment(place, rod.from, rod.to), 1.5 * kFieldCell);
    const int slot = static_cast<int>(std::floor((place.x + 3) / kFieldCell));
    if (slot >= 0 && slot < 60) is_there[static_cast<std::size_t>(slot)] = true;
  }
  EXPECT_EQ(std::count(is_there.begin(), is_there.end(), false), 0);
}

// Distances from the middle of the star itself: there all is known.
struct Star {
  VoxelSolid solid = test::solid_of(test::star_soup(), 0.2);
  std::vector<float> way = std::vector<float>(solid.cell_count());
  Star() {
    const Segment middle{};
    march_solid(solid, {&middle, 1}, {}, way);
  }
};

TEST(LimbEnds, OfAStarAreItsTipsWithTheLengthsOfItsArms) {
  const Star star;
  const std::vector<LimbEnd> ends = find_limb_ends(star.solid, star.way, 1.0);
  ASSERT_EQ(ends.size(), 5u);
  const double lengths[] = {10, 9, 8, 7, 6};
  for (std::size_t k = 0; k < 5; ++k) {
    const Vec3d place = star.solid.centre(ends[k].cell);
    double off = INFINITY;
    for (const Vec3d& tip : test::star_tips()) off = std::min(off, length(tip - place));
    EXPECT_LT(off, test::kStarRadius);
    EXPECT_NEAR(ends[k].reach, lengths[k], 0.02 * lengths[k] + 0.2);
    // Arms meet in the notches between them, at (r, r, 0); the longest goes on to the middle.
    const double meets = k == 0 ? 0 : std::sqrt(2.0) * test::kStarRadius;
    EXPECT_NEAR(ends[k].prominence, lengths[k] - meets, 0.02 * lengths[k] + 0.4);
    EXPECT_NEAR(double{star.way[ends[k].root]}, ends[k].reach - ends[k].prominence, 1e-5);
  }
}

TEST(LimbEnds, LeaveOutLimbsThatStickOutLess) {
  const Star star;
  EXPECT_EQ(find_limb_ends(star.solid, star.way, 7.4).size(), 2u);
  EXPECT_EQ(find_limb_ends(star.solid, star.way, 11).size(), 0u);
}

TEST(LimbEnds, SeeOnlyTheCellsThatAreTaken) {
  const Star star;
  std::vector<bool> taken(star.solid.cell_count());
  for (std::size_t c = 0; c < taken.size(); ++c) taken[c] = std::abs(star.solid.centre(c).z) < 0.15;
  const std::vector<LimbEnd> ends = find_limb_ends(star.solid, star.way, 1.0, taken);
  ASSERT_EQ(ends.size(), 4u);
  for (const LimbEnd& end : ends) EXPECT_TRUE(taken[end.cell] && taken[end.root]);
  EXPECT_TRUE(find_limb_ends(star.solid, star.way, 1.0, std::vector<bool>(star.solid.cell_count())).empty());
}

}  // namespace
}  // namespace dermis
