// SPDX-License-Identifier: MIT
// Skins that are wrong as a whole: joint numbers off by one, a skeleton beside the body, one turned bind, a
// surface inside out.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "dermis/made.h"
#include "measure/quality.h"

namespace dermis {
namespace {

Character humanoid() {
  static const Character made = *make_character(MadeKind::humanoid, {1500});
  return made;
}

// All of these are found without bending.
Findings found_at_rest(const Character& character) {
  Checkup checkup;
  const Status judged = check_rest(character, {}, SIZE_MAX, checkup);
  EXPECT_TRUE(judged) << judged.error().sentence;
  return checkup.findings;
}
std::vector<std::string> errors_of(const Character& character) {
  std::vector<std::string> ids;
  for (const Finding& finding : found_at_rest(character)) {
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

TEST(Misfit, LookingAroundHearsAStop) {
  const Character character = humanoid();
  const Result<PoseFrame> rest = pose_frame(character, {});
  ASSERT_TRUE(rest);
  const std::atomic<bool> stop = true;
  const auto seen = look_around(character, skinned_meshes(character), *rest, Progress({}, &stop));
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, Errc::cancelled);
}

TEST(Misfit, AMeshInAnotherUnitThanItsSkeletonIsSaidOnceWithTheRatioOfSizes) {
  Character character = humanoid();
  for (Vec3& point : character.meshes[0].points) point = 100.0f * point;
  Findings findings = found_at_rest(character);
  std::erase_if(findings, [](const Finding& finding) { return finding.id != "skeleton-apart"; });
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].thing, "skin");
  EXPECT_EQ(findings[0].index, 0);
  EXPECT_TRUE(findings[0].sentence.starts_with("moves mesh 0 ")) << findings[0].sentence;
  EXPECT_TRUE(findings[0].sentence.ends_with(" times as large as the skeleton")) << findings[0].sentence;
  EXPECT_TRUE(findings[0].advice.starts_with("scale the mesh or the skeleton")) << findings[0].advice;
}

TEST(Misfit, AdviceThatPresumesAGoodBindSaysToMendTheBindFirst) {
  Character character = humanoid();
  const auto count = static_cast<Index>(character.skins[0].node.size());
  for (Influence& influence : character.meshes[0].weights.influences)
    influence.slot = (influence.slot + 1) % count;
  const auto advice = [&](const char* id) {
    for (const Finding& finding : found_at_rest(character)) {
      if (finding.id == id) return finding.advice;
    }
    return std::string("not found");
  };
  const std::string plain = find_rule("joints-shifted")->advice;
  EXPECT_EQ(advice("joints-shifted"), plain);
  // Each bind turned about its joint: bones stay where they are, so the same is found.
  for (const char* name : {"chest", "head", "thigh_L", "forearm_R"}) turn_bind(character, name);
  EXPECT_NE(advice("rest-torn"), "not found");
  EXPECT_EQ(advice("rest-torn"), find_rule("rest-torn")->advice);
  EXPECT_EQ(advice("joints-shifted"), "mend rest-torn first, then check again: it may be the cause");
}

TEST(Misfit, EveryTornMeshIsNamed) {
  Character character = humanoid();
  for (const char* name : {"chest", "head", "thigh_L", "forearm_R"}) turn_bind(character, name);
  character.meshes.push_back(character.meshes[0]);
  character.instances.push_back(character.instances[0]);
  character.instances[1].mesh = 1;
  std::vector<Index> torn;
  for (const Finding& finding : found_at_rest(character)) {
    if (finding.id == "rest-torn") torn.push_back(finding.index);
  }
  EXPECT_EQ(torn, (std::vector<Index>{0, 1}));
}

TEST(Misfit, WithoutDistancesTheBindsAreCheckedStill) {
  Character character = humanoid();
  turn_bind(character, "chest");
  Checkup checkup;
  ASSERT_TRUE(check_rest(character, {}, 0, checkup));
  EXPECT_FALSE(checkup.at_rest->has_distances);
  EXPECT_TRUE(std::any_of(checkup.findings.begin(), checkup.findings.end(),
                          [](const Finding& finding) { return finding.id == "bind-odd"; }));
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

TEST(Misfit, AMirroringNodeChangesNoErrorOfNormals) {
  const Result<Quality> plain = measure_quality(humanoid(), {});
  const Result<Quality> turned = measure_quality(mirrored(humanoid()), {});
  ASSERT_TRUE(plain && turned);
  EXPECT_NEAR(turned->rest_normal_error, plain->rest_normal_error, 1e-4);
  EXPECT_LT(turned->max_normal_error(), 2 * plain->max_normal_error());
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
