// SPDX-License-Identifier: MIT
// Automatic weights against the artists' own, on their skeletons and clips.
#include <algorithm>
#include <filesystem>

#include "bind/bound.h"
#include "characters.h"
#include "dermis/deform.h"
#include "dermis/io.h"

namespace dermis {
namespace {

using test::at;

// Root mean square distance of posed points from those of the artist's skin, over 12 frames of every clip, in
// percent of the diagonal at rest.
double distance_from_artist(const Character& artist, const Character& other) {
  double sum = 0, count = 0;
  Box box;
  const auto add_frame = [&](const PoseRequest& request, bool is_rest) {
    const Result<PoseFrame> frame = pose_frame(artist, request);
    ASSERT_TRUE(frame);
    for (std::size_t i = 0; i < artist.instances.size(); ++i) {
      const Instance& instance = artist.instances[i];
      if (instance.skin == kNone) continue;
      const Mesh& mesh = artist.meshes[at(instance.mesh)];
      std::vector<Vec3> right(mesh.points.size()), ours(mesh.points.size());
      const std::span<const Affined> palette = frame->palette_of(instance.skin);
      skin_lbs_reference(mesh.weights, palette, {mesh.points, {}, {}}, {right, {}, {}});
      skin_lbs_reference(other.meshes[at(instance.mesh)].weights, palette, {mesh.points, {}, {}},
                         {ours, {}, {}});
      for (std::size_t v = 0; v < right.size(); ++v) {
        if (is_rest) box.add(Vec3d(right[v]));
        const Vec3d off = Vec3d(right[v]) - Vec3d(ours[v]);
        sum += is_rest ? 0 : dot(off, off);
        count += is_rest ? 0 : 1;
      }
    }
  };
  add_frame({}, true);
  constexpr int kFrames = 12;
  for (std::size_t c = 0; c < artist.clips.size(); ++c) {
    for (int f = 0; f < kFrames; ++f)
      add_frame({static_cast<Index>(c), double{artist.clips[c].end()} * (f + 0.5) / kFrames, nullptr}, false);
  }
  return 100 * std::sqrt(sum / count) / box.diagonal();
}

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
  EXPECT_LT(distance_from_artist(asset->character, character), GetParam().best_known);
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
