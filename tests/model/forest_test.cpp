// SPDX-License-Identifier: MIT
// The node forest: its order, the nodes above each, and joints.
#include <gtest/gtest.h>

#include "dermis/model.h"
#include "forests.h"

namespace dermis {
namespace {

std::vector<Node> forest(std::initializer_list<Index> parents) {
  std::vector<Node> nodes;
  for (const Index parent : parents) nodes.push_back(test::node_at("", parent, {}));
  return nodes;
}

TEST(ParentsFirst, PutsParentsBeforeChildrenAndKeepsFileOrderAmongSiblings) {
  EXPECT_EQ(parents_first(forest({3, 3, kNone, kNone, 2})), (std::vector<Index>{2, 3, 4, 0, 1}));
}

TEST(ParentsFirst, OrdersAMillionNodesListedChildFirst) {
  constexpr Index kCount = 1000000;
  std::vector<Node> nodes(kCount);
  for (Index n = 0; n + 1 < kCount; ++n) nodes[at(n)].parent = n + 1;
  const std::vector<Index> order = parents_first(nodes);
  ASSERT_EQ(order.size(), nodes.size());
  for (Index n = 0; n < kCount; ++n) ASSERT_EQ(order[at(n)], kCount - 1 - n);
}

TEST(ParentsFirst, LeavesOutWhatHangsBelowACycle) {
  EXPECT_EQ(parents_first(forest({kNone, 2, 1, 2, 0})), (std::vector<Index>{0, 4}));
}

TEST(ParentsFirst, IsAPermutationWithParentsFirstOnRandomForests) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const std::vector<Node> nodes = test::random_forest(random);
    std::vector<bool> is_seen(nodes.size(), false);
    const std::vector<Index> order = parents_first(nodes);
    EXPECT_EQ(order.size(), nodes.size());
    for (const Index n : order) {
      const Index parent = nodes[at(n)].parent;
      EXPECT_TRUE(parent == kNone || is_seen[at(parent)]);
      EXPECT_FALSE(is_seen[at(n)]);
      is_seen[at(n)] = true;
    }
  }
}

TEST(Subtrees, AnswerAsClimbingDoesOnRandomForests) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const std::vector<Node> nodes = test::random_forest(random);
    const Subtrees subtrees(nodes);
    const auto count = static_cast<Index>(nodes.size());
    for (Index node = 0; node < count; ++node) {
      for (Index top = 0; top < count; ++top)
        ASSERT_EQ(subtrees.is_in(node, top), test::climbs_to(nodes, node, top)) << node << " in " << top;
    }
  }
}

TEST(Subtrees, NumberAChainOfAMillionNodes) {
  constexpr Index kCount = 1000000;
  std::vector<Index> parents(kCount);
  for (Index n = 0; n < kCount; ++n) parents[at(n)] = n - 1;
  const Subtrees subtrees(parents);
  EXPECT_TRUE(subtrees.is_in(kCount - 1, 0));
  EXPECT_FALSE(subtrees.is_in(0, kCount - 1));
}

TEST(NearestTops, AreThoseAboveANodeOrItself) {
  Character character;
  character.nodes = forest({kNone, 0, 1, 2, 0, kNone});
  EXPECT_EQ(nearest_tops(character, std::vector<Index>{2, 0}), (std::vector<Index>{1, 1, 0, 0, 1, kNone}));
  EXPECT_EQ(nearest_tops(character, {}), std::vector<Index>(6, kNone));
  // Of equal ones the first counts.
  EXPECT_EQ(nearest_tops(character, std::vector<Index>{5, 5})[5], 0);
}

TEST(SkinJoints, AreThoseOfAllSkins) {
  Character character;
  character.nodes = forest({kNone, 0, 1, 2});
  character.skins = {{"", {1}, {{}}}, {"", {3, 1}, {{}, {}}}};
  EXPECT_EQ(skin_joints(character), (std::vector<bool>{false, true, false, true}));
}

TEST(WeightedJoints, AreThoseThatAPointOfTheSceneFollows) {
  Character character;
  character.nodes.resize(4);
  character.skins.push_back({"", {2, 1}, std::vector<Affine>(2)});
  Mesh mesh;
  mesh.points.resize(1);
  WeightRowBuilder rows;
  rows.add(1, 1);
  rows.close_row(1);
  mesh.weights = rows.take();
  character.meshes.push_back(mesh);
  character.instances.push_back({0, 0, 0, {}});
  EXPECT_EQ(weighted_joints(character), (std::vector<bool>{false, true, false, false}));
  character.instances[0].in_scene = false;
  EXPECT_EQ(weighted_joints(character), std::vector<bool>(4, false));
}

}  // namespace
}  // namespace dermis
