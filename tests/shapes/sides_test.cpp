// SPDX-License-Identifier: MIT
// Left and right halves, and mirror images.
#include <gtest/gtest.h>

#include "bodies.h"

namespace dermis {
namespace {

const MirrorPlane kMiddle{{1, 0, 0}, 0};

TEST(SplitShape, TheHalvesAddUpToTheWhole) {
  const Mesh& mesh = test::face().meshes[0];
  for (const double falloff : {0.0, 0.02}) {
    for (const Shape& shape : mesh.shapes) {
      SCOPED_TRACE(shape.name);
      const SplitShape split = split_shape(mesh, shape, kMiddle, falloff);
      Mesh halves = mesh;
      halves.shapes = {split.left, split.right};
      const float weights[] = {1, 1};
      const Shape whole = mixed_shape(halves, weights);
      ASSERT_EQ(whole.points, shape.points);
      for (std::size_t k = 0; k < whole.points.size(); ++k)
        EXPECT_LT(length(Vec3d(whole.offsets[k]) - Vec3d(shape.offsets[k])), 1e-7 * test::size_of(mesh));
      for (const Index v : split.left.points) EXPECT_GE(mesh.points[at(v)].x, -falloff - 1e-6);
      for (const Index v : split.right.points) EXPECT_LE(mesh.points[at(v)].x, falloff + 1e-6);
    }
  }
}

TEST(SplitShape, NamesTheHalvesAsTheNameIsWritten) {
  const Mesh& mesh = test::face().meshes[0];
  const auto names = [&](const char* name) {
    Shape shape;
    shape.name = name;
    const SplitShape split = split_shape(mesh, shape, kMiddle, 0);
    return split.left.name + " " + split.right.name;
  };
  EXPECT_EQ(names("smile"), "smile_L smile_R");
  EXPECT_EQ(names("mouthSmile"), "mouthSmileLeft mouthSmileRight");
  EXPECT_EQ(names("Smile"), "Smile_L Smile_R");
  EXPECT_EQ(names("mouth_smile"), "mouth_smile_L mouth_smile_R");
}

TEST(MirrorShape, TwiceIsTheSameShape) {
  const Mesh& mesh = test::face().meshes[0];
  const MirrorPairs pairs =
      pair_mirror_points(mesh.points, mesh.weld, mesh.polygons.first, mesh.polygons.corners, kMiddle);
  for (const Shape& shape : mesh.shapes) {
    SCOPED_TRACE(shape.name);
    const MirroredShape once = mirror_shape(mesh, shape, kMiddle, pairs);
    EXPECT_EQ(once.unpaired_count, 0u);
    const MirroredShape twice = mirror_shape(mesh, once.shape, kMiddle, pairs);
    EXPECT_EQ(twice.shape.name, shape.name);
    EXPECT_LT(test::apart(test::sculpted(mesh, twice.shape), test::sculpted(mesh, shape)),
              1e-6 * test::size_of(mesh));
  }
}

TEST(MirrorShape, OfALeftShapeIsTheRightOneOfTheFace) {
  const Mesh& mesh = test::face().meshes[0];
  const MirrorPairs pairs =
      pair_mirror_points(mesh.points, mesh.weld, mesh.polygons.first, mesh.polygons.corners, kMiddle);
  const Index left = shapes_named(mesh, "smile_L").at(0), right = shapes_named(mesh, "smile_R").at(0);
  const MirroredShape mirrored = mirror_shape(mesh, mesh.shapes[at(left)], kMiddle, pairs);
  EXPECT_EQ(mirrored.shape.name, "smile_R");
  EXPECT_LT(test::apart(test::sculpted(mesh, mirrored.shape), test::sculpted(mesh, mesh.shapes[at(right)])),
            1e-5 * test::size_of(mesh));
}

TEST(MirrorShape, CountsPointsWithoutAnImage) {
  Mesh mesh = test::face().meshes[0];
  Shape everything;
  everything.name = "all";
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    everything.points.push_back(static_cast<Index>(v));
    everything.offsets.push_back({0, 1, 0});
  }
  MirrorPairs pairs;
  pairs.image.assign(mesh.points.size(), -1);
  pairs.match.assign(mesh.points.size(), MirrorMatch::none);
  EXPECT_EQ(mirror_shape(mesh, everything, kMiddle, pairs).unpaired_count, mesh.points.size());
}

}  // namespace
}  // namespace dermis
