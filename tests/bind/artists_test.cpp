// SPDX-License-Identifier: MIT
// Automatic weights against the artists' own, on their skeletons and clips.
#include <filesystem>

#include "bind/bound.h"
#include "dermis/io.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

struct Painted {
  const char* file;
  // The best of Blender's automatic weights, the nearest segment, and the inverse sixth power of distance.
  double best_known;
};
class PaintedCharacter : public testing::TestWithParam<Painted> {};

TEST_P(PaintedCharacter, MovesMoreLikeTheArtistsSkinThanByAnyKnownWay) {
  const char* data = std::getenv("DERMIS_DATA");
  const std::string path = std::string(data == nullptr ? "" : data) + "/gltf/" + GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs DERMIS_DATA";
  const Result<Asset> asset = load(path);
  ASSERT_TRUE(asset);
  Character character = asset->character;
  const Result<DeformingJoints> joints = deforming_joints(character);
  const Result<BindSurface> surface = bind_surface(character);
  ASSERT_TRUE(joints && surface);
  const Result<BindSkeleton> skeleton = bind_skeleton(character, *surface, joints->nodes);
  ASSERT_TRUE(skeleton);
  const Result<BoundRows> bound = bind_heat(*surface, *skeleton);
  ASSERT_TRUE(bound);
  test::expect_complete(bound->rows, surface->points.size(), skeleton->joint_count());
  set_weights(character, *surface, *skeleton, bound->rows, 4);
  ASSERT_TRUE(validate(character));
  const Result<SkinDistance> distance = skin_distance(asset->character, character);
  ASSERT_TRUE(distance);
  EXPECT_LT(100 * distance->rms / distance->diagonal, GetParam().best_known);
}
INSTANTIATE_TEST_SUITE_P(
    Files, PaintedCharacter,
    testing::Values(Painted{"khronos/CesiumMan.glb", 0.43}, Painted{"khronos/Fox.glb", 1.05},
                    Painted{"khronos/RiggedFigure.glb", 0.24}, Painted{"kaykit/Mage.glb", 3.0},
                    Painted{"quaternius/Cow.gltf", 0.98}, Painted{"quaternius/Pug.gltf", 0.91},
                    Painted{"three/RobotExpressive.glb", 0.54}),
    [](const auto& tried) { return std::filesystem::path(tried.param.file).stem().string(); });

}  // namespace
}  // namespace dermis
