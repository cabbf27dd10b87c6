// SPDX-License-Identifier: MIT
// Bones as solid shapes: few of them are fine, many of them stay few triangles.
#include "picture/bones.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dermis {
namespace {

std::vector<DrawnBone> bones_in_a_row(std::size_t count) {
  std::vector<DrawnBone> bones;
  for (std::size_t k = 0; k < count; ++k) {
    const float x = static_cast<float>(k);
    bones.push_back({{x, 0, 0}, {x, k % 2 == 0 ? 1.0f : 0.0f, 0}});  // every second one has no length
  }
  return bones;
}

std::size_t dot_count(const BoneShapes& shapes) {
  return static_cast<std::size_t>(std::count(shapes.is_dot.begin(), shapes.is_dot.end(), 1));
}

TEST(BoneShapes, OfFewBonesHaveDots) {
  const Result<BoneShapes> shapes = make_bone_shapes(bones_in_a_row(2), {});
  ASSERT_TRUE(shapes);
  EXPECT_EQ(dot_count(*shapes), 3u * 2 * 12 * 7);  // two ends and a joint without a bone
  EXPECT_EQ(shapes->triangles.size() - dot_count(*shapes), 8u);
}

// A skeleton of 200,000 joints would be 70 million triangles with dots.
TEST(BoneShapes, OfManyBonesAreFewTriangles) {
  const std::size_t count = 20000;
  const Result<BoneShapes> shapes = make_bone_shapes(bones_in_a_row(count), {});
  ASSERT_TRUE(shapes);
  EXPECT_LE(shapes->triangles.size(), 16 * count);
  EXPECT_EQ(dot_count(*shapes), count / 2 * 16);  // only joints that have no other shape
}

}  // namespace
}  // namespace dermis
