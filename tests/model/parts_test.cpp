// SPDX-License-Identifier: MIT
// Taking parts of a mesh keeps what belongs to their points and corners, and nothing else.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/model.h"

namespace dermis {
namespace {

TEST(KeepParts, TakesThePointsOfTheirPolygonsWithAllThatBelongsToThem) {
  const Character character = test::crowded_character();
  Mesh whole = character.meshes[0];
  whole.dqs_share = {0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f};
  // The triangle of the second part uses points 4, 5 and 1.
  const Mesh kept = keep_parts(whole, {false, true});
  EXPECT_EQ(kept.name, "body");
  EXPECT_EQ(kept.points, (std::vector<Vec3>{{1, 0, 0}, {0, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(kept.polygons.corners, (std::vector<Index>{1, 2, 0}));
  EXPECT_EQ(kept.dqs_share, (std::vector<float>{0.1f, 0.4f, 0.5f}));
  ASSERT_EQ(kept.parts.size(), 1u);
  EXPECT_EQ(kept.parts[0].point_count, 3);
  EXPECT_EQ(kept.parts[0].material, 1);
  EXPECT_EQ(kept.normals.values, (std::vector<Vec3>{{0, -1, 0}}));  // of corners
  EXPECT_EQ(kept.normals.corner_value, (std::vector<Index>{0, 0, 0}));
  EXPECT_EQ(kept.tangents.values.size(), 3u);  // of points
  EXPECT_EQ(kept.uvs[0].corner_value, (std::vector<Index>{0, 1, 0}));
  EXPECT_EQ(kept.colours[0].values.size(), 3u);
  ASSERT_EQ(kept.shapes.size(), 2u);
  EXPECT_EQ(kept.shapes[0].points, (std::vector<Index>{0, 1}));
  EXPECT_EQ(kept.shapes[0].offsets, whole.shapes[0].offsets);
  EXPECT_EQ(kept.weights, test::rows_of({{{1, 0.75f}, {0, 0.25f}}, {{0, 1}}, {{0, 1}}}));
  EXPECT_EQ(kept.weld, (std::vector<Index>{0, 1, 2}));
}

TEST(KeepParts, OfACharacterLeaveItValid) {
  for (const std::vector<bool>& takes :
       {std::vector<bool>{true, true}, {true, false}, {false, true}, {false, false}}) {
    Character character = test::crowded_character();
    character.meshes[0] = keep_parts(character.meshes[0], takes);
    const Status valid = validate(character);
    EXPECT_TRUE(valid) << valid.error().sentence;
  }
}

TEST(KeepParts, OfAllPartsKeepEveryPolygonAsItWas) {
  const Mesh whole = test::crowded_character().meshes[0];
  const Mesh kept = keep_parts(whole, {true, true});
  EXPECT_EQ(kept.points, whole.points);
  EXPECT_EQ(kept.polygons.corners, whole.polygons.corners);
  EXPECT_EQ(kept.weights, whole.weights);
  EXPECT_EQ(kept.weld, whole.weld);
}

}  // namespace
}  // namespace dermis
