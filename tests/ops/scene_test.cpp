// SPDX-License-Identifier: MIT
// Several files in one picture.
#include <gtest/gtest.h>

#include <algorithm>

#include "dermis/ops.h"
#include "notes.h"
#include "ops/render/scene.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;

class Scene : public testing::Test {
 protected:
  Scene() {
    static const Character person = *make_character(MadeKind::humanoid, {1500}, {}),
                           dog = *make_character(MadeKind::quadruped, {1500}, {});
    assets.push_back({person, {}, nullptr, {}, "a/person.glb"});
    assets.push_back({dog, {}, nullptr, {}, "b/dog.glb"});
    assets.push_back({person, {}, nullptr, {}, "b/person.glb"});
  }
  static std::vector<Mesh> posed(const Character& character, Index clip, double time) {
    const Result<Character> still =
        deform_character(character, *pose_frame(character, {clip, time, nullptr}), {});
    EXPECT_TRUE(still);
    return still->meshes;
  }
  static Box box_of(const Mesh& mesh) {
    Box box;
    for (const Vec3& point : mesh.points) box.add(Vec3d(point));
    return box;
  }
  std::vector<Asset> assets;
  const test::TemporaryFolder folder;
};

TEST_F(Scene, FilesInPlaceArePosedAsAlone) {
  assets.erase(assets.begin() + 1);
  const Result<SceneOfFiles> scene = scene_of_files(assets, false);
  ASSERT_TRUE(scene) << scene.error().sentence;
  const std::vector<Mesh> alone = posed(assets[0].character, 0, 0.4),
                          both = posed(scene->asset.character, 0, 0.4);
  ASSERT_EQ(both.size(), 2 * alone.size());
  for (const std::size_t m : {std::size_t{0}, alone.size()}) {
    for (std::size_t v = 0; v < alone[0].points.size(); ++v)
      ASSERT_LT(length(Vec3d(both[m].points[v]) - Vec3d(alone[0].points[v])), 1e-6);
  }
}

TEST_F(Scene, FilesBesideEachOtherDoNotTouchAndKeepTheirOrder) {
  scale_lengths(assets[1].character, 100);
  assets[1].character.metres_per_unit = 0.01;
  const Result<SceneOfFiles> scene = scene_of_files(assets, true);
  ASSERT_TRUE(scene) << scene.error().sentence;
  const std::vector<Mesh> still = posed(scene->asset.character, kNone, 0);
  ASSERT_EQ(still.size(), 3u);
  EXPECT_LT(box_of(still[0]).upper.x, box_of(still[1]).lower.x);
  EXPECT_LT(box_of(still[1]).upper.x, box_of(still[2]).lower.x);
  EXPECT_LT(box_of(still[1]).upper.x - box_of(still[1]).lower.x, 3);  // metres, as the first file
}

TEST_F(Scene, ASharedNameMeansTheFirstFile) {
  const Result<SceneOfFiles> scene = scene_of_files(assets, true);
  ASSERT_TRUE(scene);
  const Result<Index> hand = find_node(scene->asset.character, "hand_L");
  ASSERT_TRUE(hand) << hand.error().sentence;
  EXPECT_LT(*hand, scene->files[1].root);
  const Result<Index> other = find_node(scene->asset.character, "person.glb/hand_L");
  ASSERT_TRUE(other) << other.error().sentence;
  EXPECT_GT(*other, scene->files[2].root);
}

TEST_F(Scene, BesideEachOtherHasTheNamesOfItsFilesBelowTheirFeet) {
  const Result<SceneOfFiles> scene = scene_of_files(assets, true);
  ASSERT_TRUE(scene) << scene.error().sentence;
  RenderRequest request;
  request.width = 300;
  request.height = 200;
  request.samples = 1;
  request.view = {0, 0};  // from the front: the feet of all are at one height
  const auto drawn = [&](std::vector<SceneFile> named) {
    request.named = std::move(named);
    Pixels pixels;
    const auto keep = [&](const Pixels& picture, std::size_t, std::size_t) {
      pixels = picture;
      return Status(Done{});
    };
    EXPECT_TRUE(render_character(scene->asset, request, keep));
    return pixels;
  };
  const Pixels bare = drawn({}), named = drawn(scene->files);
  ASSERT_EQ(bare.rgba.size(), named.rgba.size());
  std::vector<int> rows, columns;
  for (int y = 0; y < bare.height; ++y) {
    for (int x = 0; x < bare.width; ++x) {
      if (std::equal(bare.at(x, y), bare.at(x, y) + 4, named.at(x, y))) continue;
      rows.push_back(y);
      columns.push_back(x);
    }
  }
  ASSERT_FALSE(rows.empty()) << "no name was drawn";
  // One line of text below the feet, and a name for each of three files from left to right.
  const auto [top, bottom] = std::minmax_element(rows.begin(), rows.end());
  EXPECT_GT(*top, bare.height / 2);
  EXPECT_LT(*bottom - *top, 20);
  for (const int third : {0, 1, 2}) {
    EXPECT_TRUE(std::any_of(columns.begin(), columns.end(), [&](int x) { return x / 100 == third; }))
        << "no name in third " << third;
  }
}

TEST_F(Scene, OfFilesIsDrawnAsOnePicture) {
  RenderJob job;
  ASSERT_TRUE(save(folder.file("one.glb"), assets[0]));
  ASSERT_TRUE(save(folder.file("two.glb"), assets[1]));
  job.input = folder.file("one.glb");
  job.others = {folder.file("two.glb")};
  job.output = folder.file("both.png");
  job.width = 200;
  job.height = 120;
  job.samples = 1;
  const Result<RenderReport> in_place = render_character(job);
  ASSERT_TRUE(in_place) << in_place.error().sentence;
  EXPECT_EQ(in_place->others, job.others);
  job.is_beside = true;
  const Result<RenderReport> beside = render_character(job);
  ASSERT_TRUE(beside) << beside.error().sentence;
  EXPECT_EQ(beside->triangle_count, in_place->triangle_count);
  job.others = {folder.file("missing.glb")};
  EXPECT_FALSE(render_character(job));
  job.others.clear();
  EXPECT_EQ(render_character(job).error().code, Errc::usage);
}

}  // namespace
}  // namespace dermis
