// SPDX-License-Identifier: MIT
// Points sorted for skinning: nothing changes but the order, and the order can be undone.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dermis/deform.h"
#include "dermis/made.h"

namespace dermis {
namespace {

TEST(ReorderForSkinning, KeepsTheCharacterValidAndItsPosesTheSame) {
  const Result<Character> made = make_character(MadeKind::humanoid, {3000});
  ASSERT_TRUE(made) << made.error().sentence;
  Character sorted = *made;
  const std::vector<Index> source = reorder_for_skinning(sorted.meshes[0]);
  const Status valid = validate(sorted);
  ASSERT_TRUE(valid) << valid.error().sentence;
  ASSERT_FALSE(made->clips.empty());
  const PoseRequest request{0, 0.3, nullptr};
  const Result<PoseFrame> frame = pose_frame(*made, request);
  ASSERT_TRUE(frame);
  const Result<Surface> wanted = deform_instance(*made, *frame, 0, {});
  const Result<Surface> found = deform_instance(sorted, *frame, 0, {});
  ASSERT_TRUE(wanted && found);
  for (std::size_t v = 0; v < source.size(); ++v) {
    const std::size_t at = static_cast<std::size_t>(source[v]);
    ASSERT_EQ(found->points[v], wanted->points[at]) << v;
    ASSERT_EQ(found->normals[v], wanted->normals[at]) << v;
  }
}

TEST(ReorderForSkinning, PutsEachJointSetAndHeaviestJointInOnePlace) {
  Result<Character> made = make_character(MadeKind::humanoid, {3000});
  ASSERT_TRUE(made);
  Mesh& mesh = made->meshes[0];
  reorder_for_skinning(mesh);
  using Key = std::pair<std::vector<Index>, Index>;
  std::set<Key> finished;
  Key last;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    Key key;
    for (const Influence& influence : mesh.weights.row(v)) key.first.push_back(influence.slot);
    std::sort(key.first.begin(), key.first.end());
    key.second = mesh.weights.row(v).front().slot;
    if (v > 0 && key != last) {
      finished.insert(last);
      ASSERT_EQ(finished.count(key), 0u) << "point " << v << " comes back to an earlier group";
    }
    last = key;
  }
  EXPECT_GT(finished.size(), 20u);
}

TEST(ReorderForSkinning, LeavesAMeshWithoutWeightsAlone) {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(reorder_for_skinning(mesh), (std::vector<Index>{0, 1}));
  EXPECT_EQ(mesh.points[1], (Vec3{1, 0, 0}));
}

}  // namespace
}  // namespace dermis
