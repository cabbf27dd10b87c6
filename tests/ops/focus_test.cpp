// SPDX-License-Identifier: MIT
// What is in the picture when --focus names a joint or a mesh.
#include <gtest/gtest.h>

#include <cmath>

#include "dermis/ops.h"
#include "notes.h"
#include "ops/render/focus.h"
#include "outside/files.h"

namespace dermis {
namespace {

// The coordinates of a point in the picture, from -1 to 1, to the right and upwards.
Vec2 in_picture(const Camera& camera, const Vec3d& point, double aspect) {
  const Vec3d forward = normalized(camera.target - camera.eye);
  const Vec3d right = normalized(cross(forward, camera.up)), up = cross(right, forward);
  const Vec3d arm = point - camera.eye;
  const double half = std::tan(camera.field / 2) * dot(arm, forward);
  return {static_cast<float>(dot(arm, right) / (half * aspect)), static_cast<float>(dot(arm, up) / half)};
}
bool is_inside(const Vec2& place) { return std::abs(place.x) <= 1 && std::abs(place.y) <= 1; }

const Character& focused_body() {
  static const Character character = *make_character(MadeKind::humanoid, {3000}, {});
  return character;
}

class Focused : public testing::Test {
 protected:
  static constexpr double kAspect = 4.0 / 3;

  Focused() : asset{focused_body()} {}

  RenderWork work(const std::string& name) const {
    RenderWork asked;
    asked.input = "humanoid";
    asked.focus = name;
    asked.poses = {ChosenPose{}};
    asked.stacks = {Stack{}};
    return asked;
  }
  Shot shot_at(const ShotMaker& maker, const PoseRequest& request) const {
    const Result<Deformer> deformer = ready_to_pose(asset.character, {}, "humanoid", {});
    EXPECT_TRUE(deformer);
    const Result<PosedCharacter> posed = pose_as_asked(asset.character, request);
    EXPECT_TRUE(posed);
    Result<Shot> shot = maker.take(*deformer, posed->frame, {});
    EXPECT_TRUE(shot);
    return std::move(*shot);
  }
  Vec3d joint(const Shot& shot, const std::string& name) const {
    return shot.frame.world_from_node[at(*find_node(asset.character, name))].translation;
  }

  Asset asset;
  Notes notes;
};

TEST_F(Focused, AJointIsInTheMiddleAndItsPointsFillThePicture) {
  const ShotMaker maker(asset.character, {"humanoid", false, nullptr, {}});
  const Shot shot = shot_at(maker, {});
  for (const std::string name : {"forearm_L", "hand_R", "head", "foot_L"}) {
    const RenderWork asked = work(name);
    const Result<Focus> focus = find_focus(asked, maker, {}, notes);
    ASSERT_TRUE(focus) << focus.error().sentence;
    Framing framing(asked, *focus);
    framing.add_points(shot);
    const Camera camera = framing.camera(shot, kAspect);
    const Vec2 middle = in_picture(camera, joint(shot, name), kAspect);
    EXPECT_NEAR(middle.x, 0, 0.05) << name;
    EXPECT_NEAR(middle.y, 0, 0.05) << name;
    float furthest = 0;
    for (std::size_t m = 0; m < focus->points.size(); ++m) {
      for (const Index v : focus->points[m]) {
        const Vec2 place = in_picture(camera, Vec3d(shot.still.meshes[m].points[at(v)]), kAspect);
        EXPECT_TRUE(is_inside(place)) << name;
        furthest = std::max({furthest, std::abs(place.x), std::abs(place.y)});
      }
    }
    EXPECT_GT(furthest, 0.85f) << name;
    // The other end of the body is not.
    EXPECT_FALSE(is_inside(in_picture(camera, joint(shot, name == "foot_L" ? "head" : "foot_R"), kAspect)))
        << name;
  }
}

// An elbow's picture has its crease, not the fingers; a wrist's has the fingers.
TEST_F(Focused, AHandIsNearItsWristAndNotNearItsElbow) {
  const ShotMaker maker(asset.character, {"humanoid", false, nullptr, {}});
  const Result<Focus> elbow = find_focus(work("forearm_L"), maker, {}, notes);
  const Result<Focus> wrist = find_focus(work("hand_L"), maker, {}, notes);
  ASSERT_TRUE(elbow);
  ASSERT_TRUE(wrist);
  const Shot rest = shot_at(maker, {});
  const auto reach = [&](const Focus& focus, const std::string& name) {
    double most = 0;
    for (std::size_t m = 0; m < focus.points.size(); ++m) {
      for (const Index v : focus.points[m])
        most = std::max(most, length(Vec3d(rest.still.meshes[m].points[at(v)]) - joint(rest, name)));
    }
    return most;
  };
  const double forearm = length(joint(rest, "hand_L") - joint(rest, "forearm_L"));
  EXPECT_GT(reach(*elbow, "forearm_L"), 0.9 * forearm);
  EXPECT_LT(reach(*elbow, "forearm_L"), 1.3 * forearm);
  double tip = 0;  // the furthest point of the hand from its wrist, along the arm
  const Vec3d along = normalized(joint(rest, "hand_L") - joint(rest, "forearm_L"));
  for (const Vec3& point : rest.still.meshes[0].points) {
    const Vec3d arm = Vec3d(point) - joint(rest, "hand_L");
    if (length(arm) < forearm) tip = std::max(tip, dot(arm, along));
  }
  EXPECT_GT(reach(*wrist, "hand_L"), 0.95 * tip);
}

TEST_F(Focused, TheCameraFollowsAJointAndKeepsItsSize) {
  const ShotMaker maker(asset.character, {"humanoid", false, nullptr, {}});
  const RenderWork asked = work("hand_L");
  const Result<Focus> focus = find_focus(asked, maker, {}, notes);
  ASSERT_TRUE(focus);
  const Shot first = shot_at(maker, {0, 0, nullptr}), second = shot_at(maker, {0, 0.5, nullptr});
  ASSERT_GT(length(joint(first, "hand_L") - joint(second, "hand_L")), 0.05);
  Framing framing(asked, *focus);
  framing.add_box(first);
  framing.add_box(second);
  const Camera a = framing.camera(first, kAspect), b = framing.camera(second, kAspect);
  EXPECT_EQ(a.field, b.field);
  EXPECT_NEAR(length((b.eye - a.eye) - (joint(second, "hand_L") - joint(first, "hand_L"))), 0, 1e-6);
}

TEST_F(Focused, ATurntableTurnsAboutTheJointAndKeepsItInThePicture) {
  const ShotMaker maker(asset.character, {"humanoid", false, nullptr, {}});
  const RenderWork asked = work("hand_L");
  const Result<Focus> focus = find_focus(asked, maker, {}, notes);
  ASSERT_TRUE(focus);
  const Shot shot = shot_at(maker, {});
  Framing framing(asked, *focus);
  framing.add_box(shot);
  const Camera start = framing.turning_camera(shot, kAspect);
  for (double angle = 0; angle < 6.2; angle += 0.5) {
    const Camera camera = walked_around(start, framing.middle(shot), angle);
    for (std::size_t m = 0; m < focus->points.size(); ++m) {
      for (const Index v : focus->points[m])
        EXPECT_TRUE(is_inside(in_picture(camera, Vec3d(shot.still.meshes[m].points[at(v)]), kAspect)));
    }
  }
}

// The eye stays where it would be for the whole body, so no part of the body is behind it.
TEST_F(Focused, NoPointIsBehindTheCamera) {
  const ShotMaker maker(asset.character, {"humanoid", false, nullptr, {}});
  const Shot shot = shot_at(maker, {});
  for (const double turn : {0.0, 1.5, 3.1, -1.5}) {
    RenderWork asked = work("hand_L");
    asked.view.turn = turn;
    const Result<Focus> focus = find_focus(asked, maker, {}, notes);
    ASSERT_TRUE(focus);
    Framing framing(asked, *focus);
    framing.add_points(shot);
    const Camera camera = framing.camera(shot, kAspect);
    for (const Vec3& point : points_of(shot.drawing))
      EXPECT_GT(dot(Vec3d(point) - camera.eye, camera.target - camera.eye), 0);
  }
}

TEST_F(Focused, ZoomMultipliesDistancesFromTheMiddle) {
  const Vec3d middle{0, 1, 0}, aside{0.01, 1.01, 0};
  const Camera plain{{0, 1, 5}, middle, {0, 1, 0}, 0.6};
  for (const double factor : {0.5, 1.0, 3.0}) {
    const Vec2 before = in_picture(plain, aside, 1), after = in_picture(zoomed(plain, factor), aside, 1);
    EXPECT_NEAR(after.x, factor * before.x, 1e-6);
    EXPECT_NEAR(after.y, factor * before.y, 1e-6);
  }
}

TEST_F(Focused, AMeshFillsThePicture) {
  Mesh prop = make_character(MadeKind::tube, {1000}, {})->meshes[0];
  prop.name = "club";
  prop.weights = {};
  prop.shapes.clear();
  asset.character.nodes.push_back({"holder", kNone, {{3, 0, 0}, {}, {1, 1, 1}}, {}});
  asset.character.meshes.push_back(prop);
  asset.character.instances.push_back({static_cast<Index>(asset.character.nodes.size()) - 1,
                                       static_cast<Index>(asset.character.meshes.size()) - 1,
                                       kNone,
                                       {}});
  ASSERT_TRUE(validate(asset.character));
  const ShotMaker maker(asset.character, {"humanoid", false, nullptr, {}});
  const RenderWork asked = work("club");
  const Result<Focus> focus = find_focus(asked, maker, {}, notes);
  ASSERT_TRUE(focus) << focus.error().sentence;
  EXPECT_EQ(focus->node, kNone);
  const Shot shot = shot_at(maker, {});
  Framing framing(asked, *focus);
  framing.add_points(shot);
  const Camera camera = framing.camera(shot, kAspect);
  EXPECT_TRUE(is_inside(in_picture(camera, {3, 0.5, 0}, kAspect)));
  EXPECT_FALSE(is_inside(in_picture(camera, joint(shot, "head"), kAspect)));
}

TEST_F(Focused, AnUnknownNameIsRefusedWithASuggestion) {
  const auto ignored = [](const Pixels&, std::size_t, std::size_t) -> Status { return Done{}; };
  RenderRequest request;
  request.focus = "forearm_l";
  const Result<RenderReport> near = render_character(asset, request, ignored);
  ASSERT_FALSE(near);
  EXPECT_NE(near.error().sentence.find("did you mean 'forearm_L'?"), std::string::npos)
      << near.error().sentence;
  request.focus = "left_wrist";
  const Result<RenderReport> meant = render_character(asset, request, ignored);
  ASSERT_FALSE(meant);
  EXPECT_NE(meant.error().sentence.find("hand_L"), std::string::npos) << meant.error().sentence;
  request.focus.clear();
  request.zoom = 0;
  EXPECT_EQ(render_character(asset, request, ignored).error().code, Errc::usage);
}

}  // namespace
}  // namespace dermis
