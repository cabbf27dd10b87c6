// SPDX-License-Identifier: MIT
// Meshes under several skins become one body where the skins share joints.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

using test::node_at;

Mesh point_at(const Vec3& place) {
  Mesh mesh;
  mesh.points = {place};
  mesh.parts = {{0, 1, 0, 0}};
  mesh.weld = {0};
  mesh.weights = test::rows_of({{{0, 1}}});
  return mesh;
}

// Skins {a, b}, {c, b} (bound two units higher) and {d}; a mesh under each.
Character three_skins() {
  Character character;
  for (const char* name : {"a", "b", "c", "d", "shown"}) character.nodes.push_back(node_at(name, kNone, {}));
  Skin first, second, third;
  first.node = {0, 1};
  first.inverse_bind = {Affine{}, Affine(Mat3{}, {-1, 0, 0})};
  second.node = {2, 1};
  second.inverse_bind = {Affine(Mat3{}, {0, -5, 0}), Affine(Mat3{}, {-1, -2, 0})};
  third.node = {3};
  third.inverse_bind = {Affine{}};
  character.skins = {first, second, third};
  character.meshes = {point_at({1, 2, 3}), point_at({1, 2, 3}), point_at({1, 2, 3})};
  for (const Index k : {0, 1, 2}) character.instances.push_back({4, k, k, {}, true});
  return character;
}

TEST(SkinnedBodies, JoinSkinsThatShareAJointInTheSpaceOfTheFirst) {
  const Character character = three_skins();
  ASSERT_TRUE(validate(character));
  const std::vector<SkinnedBody> bodies = skinned_bodies(character);
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies[0].joints.node, (std::vector<Index>{0, 1, 2}));
  ASSERT_EQ(bodies[0].parts.size(), 2u);
  EXPECT_EQ(bodies[0].parts[1].joint, (std::vector<Index>{2, 1}));
  // Joint b is at (1, 0, 0) in the first skin and at (1, 2, 0) in the second.
  EXPECT_EQ(bodies[0].points, (std::vector<Vec3>{{1, 2, 3}, {1, 0, 3}}));
  EXPECT_EQ(bodies[0].joints.inverse_bind[2].translation, (Vec3{0, -3, 0}));
  EXPECT_EQ(bodies[1].joints.node, std::vector<Index>{3});
}

TEST(SkinnedBodies, LeaveOutMeshesWithoutASkin) {
  Character character = three_skins();
  character.instances[0].skin = kNone;
  character.meshes[0].weights = {};
  const std::vector<SkinnedBody> bodies = skinned_bodies(character);
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies[0].joints.node, (std::vector<Index>{2, 1}));
  EXPECT_TRUE(skinned_bodies(Character{}).empty());
}

}  // namespace
}  // namespace dermis
