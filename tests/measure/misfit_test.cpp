// SPDX-License-Identifier: MIT
// Skins that are wrong as a whole: joint numbers off by one, a skeleton beside the body, one turned bind, a
// surface inside out.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "dermis/made.h"
#include "measure/quality.h"

namespace dermis {
namespace {

Character humanoid() { return *make_character(MadeKind::humanoid, {1500}); }

std::vector<std::string> errors_of(const Character& character) {
  Checkup checkup;
  const Status judged = check_quality(character, {}, {}, checkup);
  EXPECT_TRUE(judged) << judged.error().sentence;
  std::vector<std::string> ids;
  for (const Finding& finding : checkup.findings) {
    if (finding.severity == Severity::error) ids.push_back(finding.id);
  }
  return ids;
}
bool finds(const Character& character, const std::string& id) {
  const std::vector<std::string> ids = errors_of(character);
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

Index slot_of(const Character& character, const char* name) {
  const std::vector<Index>& nodes = character.skins[0].node;
  return static_cast<Index>(std::find(nodes.begin(), nodes.end(), *find_node(character, name)) -
                            nodes.begin());
}
// Turns the bind of a joint about its own place.
void turn_bind(Character& character, const char* name) {
  Affine& bind = character.skins[0].inverse_bind[at(slot_of(character, name))];
  bind = Affine(Affined{matrix_from_quat(quat_from_axis_angle({0, 1, 0}, kPi / 2)), {}} * Affined(bind));
}

TEST(Misfit, NothingIsFoundInAGoodCharacter) { EXPECT_EQ(errors_of(humanoid()), std::vector<std::string>{}); }

TEST(Misfit, JointNumbersOffByOneAreFound) {
  Character character = humanoid();
  const auto count = static_cast<Index>(character.skins[0].node.size());
  WeightRows& rows = character.meshes[0].weights;
  for (Influence& influence : rows.influences) influence.slot = (influence.slot + 1) % count;
  const std::vector<BoneFit> fits = fit_bones(character, skinned_meshes(character));
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_EQ(fits[0].shift, -1);
  EXPECT_LT(fits[0].shifted_distance, fits[0].distance);
  EXPECT_TRUE(finds(character, "joints-shifted"));
}

TEST(Misfit, ASkeletonBesideTheBodyIsOffByAsMuchAsItWasMoved) {
  Character character = humanoid();
  Box box;
  for (const Vec3& point : character.meshes[0].points) box.add(Vec3d(point));
  const double by = 0.5 * box.diagonal();
  const std::vector<BoneFit> before = fit_bones(character, skinned_meshes(character));
  for (Affine& bind : character.skins[0].inverse_bind)
    bind = Affine(Affined(bind) * Affined{Mat3d{}, {-by, 0, 0}});
  const std::vector<BoneFit> after = fit_bones(character, skinned_meshes(character));
  EXPECT_LT(before[0].offset, 0.1);
  EXPECT_GT(after[0].offset, 0.4);
  EXPECT_TRUE(finds(character, "skeleton-apart"));
}

TEST(Misfit, ABindThatIsTurnedAloneIsFound) {
  for (const char* name : {"chest", "head"}) {  // with children, and without
    Character character = humanoid();
    turn_bind(character, name);
    const Result<PoseFrame> rest = pose_frame(character, {});
    ASSERT_TRUE(rest);
    const std::vector<OddBind> odd = find_odd_binds(character, skinned_meshes(character), *rest);
    ASSERT_EQ(odd.size(), 1u) << name;
    EXPECT_EQ(odd[0].node, *find_node(character, name));
    EXPECT_TRUE(finds(character, "bind-odd")) << name;
  }
}

TEST(Misfit, ARestPoseThatTurnsAJointWithItsChildrenIsNoOddBind) {
  Character character = humanoid();
  Node& thigh = character.nodes[at(*find_node(character, "thigh_L"))];
  thigh.rest.rotation = Quat(quat_from_axis_angle({1, 0, 0}, 1.0)) * thigh.rest.rotation;
  const Result<PoseFrame> rest = pose_frame(character, {});
  ASSERT_TRUE(rest);
  EXPECT_TRUE(find_odd_binds(character, skinned_meshes(character), *rest).empty());
}

TEST(Misfit, AnOpenSurfaceThatIsInsideOutIsFound) {
  Character character = humanoid();
  Mesh& mesh = character.meshes[0];
  // Open: the volume of a closed piece would show it too.
  const std::size_t last = mesh.polygons.count() - 1;
  ASSERT_EQ(mesh.parts.size(), 1u);
  mesh.polygons.corners.resize(mesh.polygons.first[last]);
  mesh.polygons.first.pop_back();
  --mesh.parts[0].polygon_count;
  EXPECT_FALSE(finds(character, "surface-inside-out"));
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p)
    std::reverse(mesh.polygons.corners.begin() + mesh.polygons.first[p],
                 mesh.polygons.corners.begin() + mesh.polygons.first[p + 1]);
  EXPECT_TRUE(finds(character, "surface-inside-out"));
}

// The character below a node that mirrors it.
Character mirrored(Character character) {
  Node mirror;
  mirror.name = "mirror";
  mirror.rest.scale = {-1, 1, 1};
  const auto top = static_cast<Index>(character.nodes.size());
  for (Node& node : character.nodes) node.parent = node.parent == kNone ? top : node.parent;
  character.nodes.push_back(mirror);
  return character;
}

TEST(Misfit, ACharacterBelowAMirroringNodeIsNotInsideOut) {
  const Character character = mirrored(humanoid());
  EXPECT_EQ(errors_of(character), std::vector<std::string>{});
  const Result<PoseFrame> rest = pose_frame(character, {});
  ASSERT_TRUE(rest);
  const Result<std::vector<SeenSides>> seen = look_around(character, skinned_meshes(character), *rest);
  ASSERT_TRUE(seen);
  EXPECT_GT((*seen)[0].ray_count, 1000u);
  EXPECT_LT((*seen)[0].back_count, (*seen)[0].ray_count / 100);
}

TEST(Misfit, AMirroredSurfaceThatIsInsideOutIsStillFound) {
  Character character = mirrored(humanoid());
  Mesh& mesh = character.meshes[0];
  mesh.polygons.corners.resize(mesh.polygons.first[mesh.polygons.count() - 1]);
  mesh.polygons.first.pop_back();
  --mesh.parts[0].polygon_count;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p)
    std::reverse(mesh.polygons.corners.begin() + mesh.polygons.first[p],
                 mesh.polygons.corners.begin() + mesh.polygons.first[p + 1]);
  EXPECT_TRUE(finds(character, "surface-inside-out"));
}

}  // namespace
}  // namespace dermis
