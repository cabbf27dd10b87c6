// SPDX-License-Identifier: MIT
// Laws of automatic weights on whole characters: resolution, subdivision, symmetry, garments.
#include "bind/bound.h"
#include "dermis/made.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

// The character with weights by heat.
Character bound_by_heat(Character character) {
  const Result<DeformingJoints> joints = deforming_joints(character);
  const Result<BindSurface> surface = bind_surface(character);
  EXPECT_TRUE(joints && surface);
  const Result<BindSkeleton> skeleton = bind_skeleton(character, *surface, joints->nodes);
  EXPECT_TRUE(skeleton);
  const Result<BoundRows> bound = bind_heat(*surface, *skeleton);
  EXPECT_TRUE(bound);
  set_weights(character, *surface, *skeleton, bound->rows, 4);
  EXPECT_TRUE(validate(character));
  return character;
}

// Mean share of weight that differs between points of `a` and the nearest points of `b`.
double mean_difference(const Mesh& a, const Mesh& b) {
  const std::vector<Nearest> nearest = nearest_points(a.points, b.points);
  double sum = 0;
  for (std::size_t v = 0; v < a.points.size(); ++v)
    sum += row_distance(a.weights.row(v), b.weights.row(nearest[v].point)) / 2;
  return sum / static_cast<double>(a.points.size());
}

Character made_humanoid(std::size_t points) {
  Result<Character> made = make_character(MadeKind::humanoid, {points}, {});
  EXPECT_TRUE(made);
  return std::move(*made);
}

TEST(BoundHumanoid, HasNearlyTheSameWeightsAtTenTimesTheResolution) {
  const Character coarse = bound_by_heat(made_humanoid(3000)), fine = bound_by_heat(made_humanoid(30000));
  EXPECT_LT(mean_difference(coarse.meshes[0], fine.meshes[0]), 0.05);
}

// Binding before subdividing, or after: the stated bound of docs/binding.md.
TEST(BoundHumanoid, MayBeSubdividedBeforeOrAfter) {
  const Character made = made_humanoid(5000);
  Character before = bound_by_heat(made);
  const Result<Mesh> subdivided = subdivided_mesh(before.meshes[0], {1, true});
  ASSERT_TRUE(subdivided);
  Character after = made;
  Result<Mesh> bare = subdivided_mesh(after.meshes[0], {1, true});
  ASSERT_TRUE(bare);
  after.meshes[0] = std::move(*bare);
  after = bound_by_heat(std::move(after));
  ASSERT_EQ(subdivided->points.size(), after.meshes[0].points.size());
  EXPECT_LT(mean_difference(*subdivided, after.meshes[0]), 0.03);
}

TEST(BoundHumanoid, IsAsSymmetricAsItsMesh) {
  const Character bound = bound_by_heat(made_humanoid(5000));
  const Result<Quality> quality = measure_quality(bound, {});
  ASSERT_TRUE(quality);
  ASSERT_TRUE(quality->symmetry.is_judged);
  EXPECT_LT(quality->symmetry.difference.mean, 0.01);
  EXPECT_EQ(quality->coverage.torn_point_count, 0u);
  EXPECT_EQ(quality->coverage.idle_joint_count, 0u);
}

// The one spike outweighed the body when it was told which way is out: nearly every row changed.
TEST(BoundHumanoid, IsBoundTheSameButForWhereOnePointIsFarOff) {
  const Character made = made_humanoid(3000);
  const Mesh whole = bound_by_heat(made).meshes[0];
  for (const float far : {1e3f, 1e6f, 1e20f, 1e30f}) {
    SCOPED_TRACE(far);
    for (const std::size_t spoilt : {std::size_t{0}, std::size_t{1500}}) {
      Character character = made;
      character.meshes[0].points[spoilt] = {far, 0, 0};
      character.meshes[0].weld = weld_coincident(character.meshes[0].points);
      const Mesh bound = bound_by_heat(character).meshes[0];
      for (std::size_t v = 0; v < whole.points.size(); ++v) {
        // A humanoid is 1.75 high: half a hand around the spike heat goes other ways.
        if (length(whole.points[v] - whole.points[spoilt]) < 0.1f) continue;
        ASSERT_LT(row_distance(whole.weights.row(v), bound.weights.row(v)), 0.05) << v;
      }
    }
  }
}

// A second mesh, the first one blown up a little: a suit. It follows the body under it.
TEST(BoundHumanoid, WearsASuitThatFollowsIt) {
  Character character = made_humanoid(3000);
  Mesh suit = character.meshes[0];
  suit.name = "suit";
  const std::vector<Vec3> normals = point_normals(suit.points, suit.polygons.first, suit.polygons.corners);
  for (std::size_t v = 0; v < suit.points.size(); ++v) suit.points[v] += normals[v] * 0.004f;
  suit.weld = weld_coincident(suit.points);
  Instance worn = character.instances[0];
  worn.mesh = 1;
  character.meshes.push_back(suit);
  character.instances.push_back(worn);
  ASSERT_TRUE(validate(character));
  const Character bound = bound_by_heat(character);
  double sum = 0;
  for (std::size_t v = 0; v < suit.points.size(); ++v)
    sum += row_distance(bound.meshes[0].weights.row(v), bound.meshes[1].weights.row(v)) / 2;
  EXPECT_LT(sum / static_cast<double>(suit.points.size()), 0.03);
}

}  // namespace
}  // namespace dermis
