// SPDX-License-Identifier: MIT
// Which meshes of a body are one surface, and which only touch.
#include "bind/bound.h"
#include "dermis/made.h"

namespace dermis {
namespace {

// Two squares as meshes of one skin of one joint.
Character two_squares(const std::vector<Vec3>& first, const std::vector<Vec3>& second) {
  Character character;
  character.nodes.resize(2);
  character.nodes[0].name = "joint";
  character.nodes[1].name = "shown";
  character.skins.push_back({"", {0}, {Affine{}}});
  for (const std::vector<Vec3>& points : {first, second}) {
    Mesh mesh;
    mesh.points = points;
    mesh.polygons.first = {0, 4};
    mesh.polygons.corners = {0, 1, 2, 3};
    mesh.parts = {{0, 4, 0, 1}};
    mesh.weld = weld_coincident(mesh.points);
    WeightRowBuilder builder;
    for (int v = 0; v < 4; ++v) {
      builder.add(0, 1);
      builder.close_row(0);
    }
    mesh.weights = builder.take();
    character.instances.push_back({1, static_cast<Index>(character.meshes.size()), 0, {}, true});
    character.meshes.push_back(mesh);
  }
  EXPECT_TRUE(validate(character));
  return character;
}

const std::vector<Vec3> kSquare{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

TEST(MeshSeams, JoinMeshesThatShareABorder) {
  const Result<BindSurface> surface =
      bind_surface(two_squares(kSquare, {{1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}}));
  ASSERT_TRUE(surface);
  EXPECT_EQ(surface->shell_count, 1u);
  EXPECT_EQ(surface->points.size(), 6u);
  EXPECT_EQ(surface->points_of[1], (std::vector<std::uint32_t>{1, 4, 5, 2}));
}

TEST(MeshSeams, LeaveMeshesApartThatTouchAtAPointOrAreWoundAgainstEachOther) {
  const Result<BindSurface> touching =
      bind_surface(two_squares(kSquare, {{1, 1, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}}));
  const Result<BindSurface> against =
      bind_surface(two_squares(kSquare, {{1, 0, 0}, {1, 1, 0}, {2, 1, 0}, {2, 0, 0}}));
  ASSERT_TRUE(touching && against);
  EXPECT_EQ(touching->shell_count, 2u);
  EXPECT_EQ(against->shell_count, 2u);
  EXPECT_EQ(touching->points.size(), 8u);
  EXPECT_EQ(against->points.size(), 8u);
}

// The polygons of a mesh above or below a height, on all of its points.
Mesh part_of(const Mesh& mesh, double height, bool is_upper) {
  Mesh part;
  part.points = mesh.points;
  part.weights = mesh.weights;
  part.weld = mesh.weld;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> polygon = mesh.polygons.polygon(p);
    const float y = mesh.points[static_cast<std::size_t>(polygon[0])].y;
    if ((double{y} > height) != is_upper) continue;
    part.polygons.corners.insert(part.polygons.corners.end(), polygon.begin(), polygon.end());
    part.polygons.first.push_back(static_cast<std::uint32_t>(part.polygons.corners.size()));
  }
  part.parts = {{0, static_cast<Index>(part.points.size()), 0, static_cast<Index>(part.polygons.count())}};
  return part;
}

WeightRows rows_by_heat(const Character& character, const BindSurface& surface) {
  const Result<BindSkeleton> skeleton = bind_skeleton(character, surface, deforming_joints(character)->nodes);
  EXPECT_TRUE(skeleton);
  Result<BoundRows> bound = bind_heat(surface, *skeleton);
  EXPECT_TRUE(bound);
  return std::move(bound->rows);
}

// Weights of a body cut into two meshes jumped by up to half at the cut.
TEST(MeshSeams, GiveACutBodyTheWeightsOfTheWholeOne) {
  const Result<Character> made = make_character(MadeKind::humanoid, {3000}, {});
  ASSERT_TRUE(made);
  const Mesh& mesh = made->meshes[0];
  Character cut = *made;
  cut.meshes = {part_of(mesh, 0.9, true), part_of(mesh, 0.9, false)};
  cut.instances.resize(1, cut.instances[0]);
  cut.instances.push_back(cut.instances[0]);
  cut.instances[1].mesh = 1;
  std::erase_if(cut.clips, [](const Clip&) { return true; });
  ASSERT_TRUE(validate(cut));
  const Result<BindSurface> whole_surface = bind_surface(*made), cut_surface = bind_surface(cut);
  ASSERT_TRUE(whole_surface && cut_surface);
  const WeightRows whole = rows_by_heat(*made, *whole_surface), parts = rows_by_heat(cut, *cut_surface);
  std::size_t compared = 0;
  for (std::size_t m = 0; m < 2; ++m) {
    for (const Index v : cut.meshes[m].polygons.corners) {
      const std::size_t point = static_cast<std::size_t>(v);
      const double difference = row_distance(whole.row(whole_surface->points_of[0][point]),
                                             parts.row(cut_surface->points_of[m][point]));
      ASSERT_LT(difference, 1e-3) << point;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10000u);
}

}  // namespace
}  // namespace dermis
