// SPDX-License-Identifier: MIT
// Which joints deform, where their segments end, and how a body and a skeleton of two files are joined.
#include <algorithm>
#include <initializer_list>

#include "bind/bound.h"
#include "characters.h"
#include "dermis/made.h"
#include "dermis/motion.h"
#include "notes.h"

namespace dermis {
namespace {

using test::has_note;

struct JointSpec {
  const char* name;
  Index parent;
  Vec3 offset;
  Quat turn{};
};

// A square sheet of points that joints act on, with a skin of all of `joints`.
Character rig(std::initializer_list<JointSpec> joints, bool is_followed) {
  Character character;
  for (const JointSpec& joint : joints) {
    Node node;
    node.name = joint.name;
    node.parent = joint.parent;
    node.rest.translation = joint.offset;
    node.rest.rotation = joint.turn;
    character.nodes.push_back(node);
  }
  const std::size_t joint_count = character.nodes.size();
  const std::vector<Affined> world = rest_world(character);
  Node shown;
  shown.name = "shown";
  character.nodes.push_back(shown);
  Skin skin;
  for (std::size_t n = 0; n < joint_count; ++n) {
    skin.node.push_back(static_cast<Index>(n));
    skin.inverse_bind.push_back(Affine(inverse(world[n])));
  }
  character.skins.push_back(skin);
  Mesh mesh;
  mesh.points = {{-1, 0, 0}, {1, 0, 0}, {1, 4, 0}, {-1, 4, 0}};
  mesh.polygons.first = {0, 4};
  mesh.polygons.corners = {0, 1, 2, 3};
  mesh.parts = {{0, 4, 0, 1}};
  mesh.weld = weld_coincident(mesh.points);
  WeightRowBuilder builder;
  for (int v = 0; v < 4; ++v) {
    builder.add(is_followed ? static_cast<Index>(joint_count) - 1 : 0, 1);
    builder.close_row(0);
  }
  mesh.weights = builder.take();
  character.meshes.push_back(mesh);
  character.instances.push_back({static_cast<Index>(joint_count), 0, 0, {}, true});
  EXPECT_TRUE(validate(character));
  return character;
}

// The same without a mesh: nothing is followed yet.
Character bare(std::initializer_list<JointSpec> joints) {
  Character character = rig(joints, false);
  character.instances.clear();
  character.meshes.clear();
  return character;
}

std::vector<std::string> names(const Character& character, const std::vector<Index>& nodes) {
  std::vector<std::string> found;
  for (const Index node : nodes) found.push_back(character.nodes[at(node)].name);
  return found;
}

TEST(DeformingJoints, AreThoseThatPointsFollowAlready) {
  const Character character = rig({{"a", kNone, {}}, {"b", 0, {0, 1, 0}}, {"c", 1, {0, 1, 0}}}, true);
  const Result<DeformingJoints> joints = deforming_joints(character);
  ASSERT_TRUE(joints);
  EXPECT_EQ(names(character, joints->nodes), std::vector<std::string>{"c"});
  ASSERT_EQ(joints->idle.size(), 2u);
  EXPECT_EQ(joints->idle[0].reason, IdleReason::unfollowed);
}

// An exporter left all points with the first joint: the others were left without weights.
TEST(DeformingJoints, GoByTheirNamesWhenHardlyAnyIsFollowed) {
  const Character character = rig({{"root", kNone, {}},
                                   {"b", 0, {0, 1, 0}},
                                   {"c", 1, {0, 1, 0}},
                                   {"d", 2, {0, 1, 0}},
                                   {"e", 3, {0, 1, 0}}},
                                  false);
  const Result<DeformingJoints> joints = deforming_joints(character);
  ASSERT_TRUE(joints);
  EXPECT_EQ(names(character, joints->nodes), (std::vector<std::string>{"b", "c", "d", "e"}));
  ASSERT_EQ(joints->notes.size(), 1u);
  EXPECT_EQ(joints->notes[0].id, "joints-by-name");
  EXPECT_EQ(joints->idle[0].reason, IdleReason::root);
}

// Two meshes with a skin each: what the reader made up for the second must not decide over its joints.
TEST(DeformingJoints, OfAMeshWithoutItsOwnWeightsGoByTheirNames) {
  Character character = rig({{"a", kNone, {}}, {"b", 0, {0, 1, 0}}, {"c", 1, {0, 1, 0}}}, true);
  character.skins.push_back(character.skins[0]);
  for (Skin& skin : character.skins) skin.node.resize(2), skin.inverse_bind.resize(2);
  character.skins[0].node = {1, 2};
  character.skins[1].node = {0, 1};
  character.meshes[0].weights.influences.assign(4, {1, 1});
  character.meshes.push_back(character.meshes[0]);
  character.meshes[1].weights.influences.assign(4, {0, 1});
  character.instances.push_back(character.instances[0]);
  character.instances[1].mesh = character.instances[1].skin = 1;
  ASSERT_TRUE(validate(character));
  const std::vector<Index> unweighted{1};
  const Result<DeformingJoints> joints = deforming_joints(character, {}, unweighted);
  ASSERT_TRUE(joints);
  EXPECT_EQ(joints->nodes, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(joints->notes.size(), 1u);
  EXPECT_EQ(deforming_joints(character)->nodes, (std::vector<Index>{0, 2}));
}

TEST(DeformingJoints, LeaveOutRootsEndsAndControlsByName) {
  const Character character = bare({{"Root", kNone, {}},
                                    {"spine", 0, {0, 1, 0}},
                                    {"HandIK.L", 0, {1, 1, 0}},
                                    {"knee_pole", 0, {1, 0, 1}},
                                    {"head", 1, {0, 1, 0}},
                                    {"head_end", 4, {0, 1, 0}},
                                    {"Bend", 1, {1, 0, 0}},  // no whole word of it is end
                                    {"root_of_tail", 1, {0, 0, -1}},
                                    {"IKFoot1", 0, {1, 0, 0}}});
  const Result<DeformingJoints> joints = deforming_joints(character);
  ASSERT_TRUE(joints);
  EXPECT_EQ(names(character, joints->nodes),
            (std::vector<std::string>{"spine", "head", "Bend", "root_of_tail"}));
  EXPECT_EQ(joints->idle[0].reason, IdleReason::root);
  EXPECT_EQ(joints->idle[1].reason, IdleReason::control);
  EXPECT_EQ(joints->idle[3].reason, IdleReason::end);
  EXPECT_EQ(joints->idle[4].reason, IdleReason::control);
}

TEST(DeformingJoints, KeepARootThatIsAPartOfTheBody) {
  const Character character = bare({{"Skeleton_torso_joint_1", kNone, {}}, {"torso_2", 0, {0, 1, 0}}});
  EXPECT_EQ(deforming_joints(character)->nodes.size(), 2u);
}

TEST(DeformingJoints, ObeyTheUserAndNeverEndUpEmpty) {
  const Character character = bare({{"root", kNone, {}}, {"ik", 0, {0, 1, 0}}});
  EXPECT_EQ(deforming_joints(character)->nodes.size(), 2u);
  JointChoice choice;
  choice.include = {"ik"};
  EXPECT_EQ(names(character, deforming_joints(character, choice)->nodes), std::vector<std::string>{"ik"});
  choice.include.clear();
  choice.exclude = {"ik"};
  EXPECT_EQ(names(character, deforming_joints(character, choice)->nodes), std::vector<std::string>{"root"});
  choice.exclude = {"ik", "root"};
  EXPECT_EQ(deforming_joints(character, choice).error().code, Errc::bad_rig);
  choice.exclude = {"rot"};
  EXPECT_NE(deforming_joints(character, choice).error().sentence.find("did you mean 'root'"),
            std::string::npos);
}

Vec3d end_of(const BindSkeleton& skeleton, Index joint) {
  const auto own = std::find_if(skeleton.segments.begin(), skeleton.segments.end(),
                                [&](const JointSegment& segment) { return segment.joint == joint; });
  return own->to;
}
std::size_t segment_count(const BindSkeleton& skeleton, Index joint) {
  return static_cast<std::size_t>(
      std::count_if(skeleton.segments.begin(), skeleton.segments.end(),
                    [&](const JointSegment& segment) { return segment.joint == joint; }));
}

Result<BindSkeleton> segments_of(const Character& character) {
  const Result<BindSurface> surface = bind_surface(character);
  std::vector<Index> nodes;
  for (const Index node : character.skins[0].node) nodes.push_back(node);
  return bind_skeleton(character, *surface, nodes);
}

TEST(Segments, ReachTheOnlyChildAndEachOfSeveralWhereTheRigHasNoHabit) {
  const Character character = rig({{"hips", kNone, {0, 1, 0}},
                                   {"chest", 0, {0, 1, 0}},
                                   {"leg_L", 0, {0.5f, -0.2f, 0}},
                                   {"leg_R", 0, {-0.5f, -0.2f, 0}}},
                                  false);
  const Result<BindSkeleton> skeleton = segments_of(character);
  ASSERT_TRUE(skeleton);
  EXPECT_EQ(segment_count(*skeleton, 0), 3u);
  EXPECT_EQ(skeleton->parent, (std::vector<Index>{kNone, 0, 0, 0}));
}

// Every joint of this rig has its only child on its y axis, so the chest's bone is on y too, between its
// arms.
TEST(Segments, FollowTheAxisThatIsTheRigsHabit) {
  const Character character = rig({{"a", kNone, {0, 0.2f, 0}},
                                   {"b", 0, {0, 0.5f, 0}},
                                   {"c", 1, {0, 0.5f, 0}},
                                   {"chest", 2, {0, 0.5f, 0}},
                                   {"arm_L", 3, {0.9f, 0.4f, 0}},
                                   {"arm_R", 3, {-0.9f, 0.4f, 0}}},
                                  false);
  const Result<BindSkeleton> skeleton = segments_of(character);
  ASSERT_TRUE(skeleton);
  ASSERT_EQ(segment_count(*skeleton, 3), 1u);
  EXPECT_NEAR(end_of(*skeleton, 3).x, 0, 1e-6);
  EXPECT_NEAR(end_of(*skeleton, 3).y, 1.7 + 0.4, 1e-6);
  EXPECT_NEAR(end_of(*skeleton, 1).y, 1.2, 1e-6);
}

// Below the hips of captured skeletons, legs and back begin at the hips themselves. Taken for a limb without
// children, the hips had a bone from there to the top of the head.
TEST(Segments, OfAJointThatItsChildrenContinueAreAPoint) {
  const Character character = rig({{"hips", kNone, {0, 1, 0}},
                                   {"back", 0, {0, 0, 0}},
                                   {"leg", 0, {0, 0, 0}},
                                   {"neck", 1, {0, 0.5f, 0}},
                                   {"knee", 2, {0, -0.5f, 0}}},
                                  false);
  const Result<BindSkeleton> skeleton = segments_of(character);
  ASSERT_TRUE(skeleton);
  ASSERT_EQ(segment_count(*skeleton, 0), 1u);
  EXPECT_EQ(end_of(*skeleton, 0), (Vec3d{0, 1, 0}));
  EXPECT_NEAR(end_of(*skeleton, 1).y, 1.5, 1e-6);
}

TEST(Segments, EndWhereTheBodyEnds) {
  const Result<Character> arm = make_character(MadeKind::tube, {2000}, {});
  ASSERT_TRUE(arm);
  const Result<BindSurface> surface = bind_surface(*arm);
  ASSERT_TRUE(surface);
  const Result<DeformingJoints> joints = deforming_joints(*arm);
  ASSERT_TRUE(joints);
  const Result<BindSkeleton> skeleton = bind_skeleton(*arm, *surface, joints->nodes);
  ASSERT_TRUE(skeleton);
  Box box;
  for (const Vec3& point : surface->points) box.add(Vec3d(point));
  const auto last = static_cast<Index>(skeleton->joint_count() - 1);
  const Vec3d end = end_of(*skeleton, last);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_GE(end[axis], box.lower[axis]);
    EXPECT_LE(end[axis], box.upper[axis]);
  }
}

// An ear whose axis points across the head would take the skin of the head's other side.
TEST(Segments, OfALimbEndBeforeAnotherBone) {
  const Character character =
      rig({{"neck", kNone, {0, 0, 0}},
           {"head", 0, {0, 1, 0}},
           {"crown", 1, {0, 2, 0}},
           {"ear", 1, {-0.5f, 1, 0}, Quat(quat_from_axis_angle({0, 0, 1}, -kPi / 2))}},
          false);
  const Result<BindSkeleton> skeleton = segments_of(character);
  ASSERT_TRUE(skeleton);
  ASSERT_EQ(segment_count(*skeleton, 3), 1u);
  EXPECT_LT(end_of(*skeleton, 3).x, 0);
}

// The hips' bone runs up the back by the rig's habit; the legs begin beside it, and the skin between is the
// hips'.
TEST(Segments, ReachChildrenThatAreNearAlthoughTheyLieOffTheAxis) {
  const auto hips_with_legs_at = [](float aside) {
    const Character character = rig({{"hips", kNone, {0, 0.2f, 0}},
                                     {"back", 0, {0, 0.5f, 0}},
                                     {"chest", 1, {0, 0.5f, 0}},
                                     {"neck", 2, {0, 0.5f, 0}},
                                     {"head", 3, {0, 0.5f, 0}},
                                     {"leg_L", 0, {aside, 0, 0}},
                                     {"leg_R", 0, {-aside, 0, 0}}},
                                    false);
    const Result<BindSkeleton> skeleton = segments_of(character);
    EXPECT_TRUE(skeleton);
    return skeleton ? segment_count(*skeleton, 0) : 0;
  };
  EXPECT_EQ(hips_with_legs_at(0.3f), 3u);
  EXPECT_EQ(hips_with_legs_at(0.9f), 1u);
}

// Twist joints lie along their parent's bone: each has the piece up to the next.
TEST(Segments, CutABoneAtItsTwistJoints) {
  const Character character = rig({{"arm", kNone, {0, 0, 0}},
                                   {"twist_1", 0, {0, 1, 0}},
                                   {"twist_2", 0, {0, 2, 0}},
                                   {"forearm", 0, {0, 3, 0}}},
                                  false);
  const Result<BindSkeleton> skeleton = segments_of(character);
  ASSERT_TRUE(skeleton);
  ASSERT_EQ(segment_count(*skeleton, 0), 1u);
  EXPECT_NEAR(end_of(*skeleton, 0).y, 1, 1e-6);
  EXPECT_NEAR(end_of(*skeleton, 1).y, 2, 1e-6);
  EXPECT_NEAR(end_of(*skeleton, 2).y, 3, 1e-6);
}

TEST(Segments, PlantJointsThatHangFromNothing) {
  const Character character = rig({{"palm", kNone, {0, 1, 0}},
                                   {"one", kNone, {0, 2, 0}},
                                   {"two", kNone, {0, 2.5f, 0}},
                                   {"three", kNone, {0, 3, 0}}},
                                  false);
  const Result<BindSkeleton> skeleton = segments_of(character);
  ASSERT_TRUE(skeleton);
  EXPECT_EQ(std::count(skeleton->parent.begin(), skeleton->parent.end(), kNone), 1);
}

TEST(AttachSkeleton, BindsWhereTheMeshRestsInTheUnitsOfTheBody) {
  Character body = rig({{"unused", kNone, {}}}, false);
  body.skins.clear();
  body.instances[0].skin = kNone;
  body.meshes[0].weights = {};
  body.nodes[at(body.instances[0].node)].rest.translation = {0, 10, 0};
  Character skeleton = bare({{"hips", kNone, {0, 100, 0}}, {"head", 0, {0, 300, 0}}});
  skeleton.metres_per_unit = 0.01;
  const Result<AttachedBody> attached = attach_skeleton(body, skeleton);
  ASSERT_TRUE(attached);
  const Character& character = attached->character;
  ASSERT_TRUE(validate(character));
  ASSERT_EQ(character.skins.size(), 1u);
  const std::vector<Affined> world = rest_world(character);
  EXPECT_NEAR(world[at(attached->first_node + 1)].translation.y, 4, 1e-6);
  // At rest every joint leaves the mesh where it was: ten units up.
  const Result<PoseFrame> rest = pose_frame(character, {});
  for (const Affined& entry : rest->palette) {
    EXPECT_NEAR((entry * Vec3d{}).y, 10, 1e-5);
    EXPECT_LT(max_difference(Affined{entry.linear, {}}, Affined{}), 1e-6);
  }
  ASSERT_EQ(attached->notes.size(), 1u);
  EXPECT_EQ(attached->notes[0].id, "skeleton-rescaled");
}

double head_height(const AttachedBody& attached) {
  return rest_world(attached.character)[at(attached.first_node + 1)].translation.y;
}

TEST(AttachSkeleton, TakesTheDriversOfTheSkeletonAndDropsThoseOfTheOldOne) {
  Character body = rig({{"old", kNone, {}}, {"older", 0, {0, 1, 0}}}, false);
  DrivenRotation follows;
  follows.node = 1;
  follows.source = 0;
  body.drivers = {{"of the old one", follows}};
  Character skeleton = bare({{"hips", kNone, {0, 0, 0}}, {"head", 0, {0, 400, 0}}});
  skeleton.metres_per_unit = 0.01;
  DriverFactor control;
  control.control = 0;
  DrivenValue lift;
  lift.output = DriverOutput::translation;
  lift.node = 1;
  lift.base = 50;
  lift.factors.push_back(control);
  skeleton.controls = {{"lift", 0}};
  skeleton.drivers = {{"lift", lift}};
  const Result<AttachedBody> attached = attach_skeleton(body, skeleton);
  ASSERT_TRUE(attached) << attached.error().sentence;
  const Character& character = attached->character;
  ASSERT_EQ(character.drivers.size(), 1u);
  const auto& rule = std::get<DrivenValue>(character.drivers[0].rule);
  EXPECT_EQ(rule.node, attached->first_node + 1);
  EXPECT_FLOAT_EQ(rule.base, 0.5f) << "in the units of the body";
  EXPECT_TRUE(has_note(attached->notes, "driving-dropped"));
}

TEST(AttachSkeleton, SaysWhichDriversAndCorrectivesOfTheSkeletonNeedShapesThatTheBodyLacks) {
  const Character body = rig({{"old", kNone, {}}, {"older", 0, {0, 1, 0}}}, false);
  const Character skeleton = test::driven_character();
  const Result<AttachedBody> attached = attach_skeleton(body, skeleton);
  ASSERT_TRUE(attached) << attached.error().sentence;
  std::string words;
  for (const Note& note : attached->notes)
    if (note.id == "driving-dropped") words += note.sentence;
  EXPECT_NE(words.find("driver 'smile'"), std::string::npos) << words;
  EXPECT_NE(words.find("example 'knee fix'"), std::string::npos) << words;
}

// Metres were guessed for the mesh and decimetres for the joints, whose numbers fitted as they were.
TEST(AttachSkeleton, DoesNotRescaleOnGuessesWhereTheNumbersAgree) {
  const Character body = rig({{"unused", kNone, {}}}, false);
  Character skeleton = bare({{"hips", kNone, {0, 0, 0}}, {"head", 0, {0, 4, 0}}});
  skeleton.metres_per_unit = 0.1;
  skeleton.is_unit_guessed = true;
  const Result<AttachedBody> kept = attach_skeleton(body, skeleton);
  ASSERT_TRUE(kept);
  EXPECT_NEAR(head_height(*kept), 4, 1e-6);
  EXPECT_TRUE(has_note(kept->notes, "skeleton-not-rescaled"));
  EXPECT_FALSE(has_note(kept->notes, "sizes-differ"));
  // A unit that the file states holds, with a doubt; one that is asked for holds whatever the files say.
  skeleton.is_unit_guessed = false;
  const Result<AttachedBody> stated = attach_skeleton(body, skeleton);
  ASSERT_TRUE(stated);
  EXPECT_NEAR(head_height(*stated), 0.4, 1e-6);
  EXPECT_TRUE(has_note(stated->notes, "skeleton-rescaled"));
  ASSERT_TRUE(has_note(stated->notes, "sizes-differ"));
  EXPECT_NE(stated->notes.back().sentence.find("a scale of 1 "), std::string::npos)
      << stated->notes.back().sentence;
  const Result<AttachedBody> asked = attach_skeleton(body, skeleton, {1.25});
  ASSERT_TRUE(asked);
  EXPECT_NEAR(head_height(*asked), 5, 1e-6);
  EXPECT_FALSE(attach_skeleton(body, skeleton, {-1}));
}

TEST(AttachSkeleton, RescalesOnGuessesWhereThatMakesTheSizesAgree) {
  const Character body = rig({{"unused", kNone, {}}}, false);
  Character skeleton = bare({{"hips", kNone, {0, 0, 0}}, {"head", 0, {0, 400, 0}}});
  skeleton.metres_per_unit = 0.01;
  skeleton.is_unit_guessed = true;
  const Result<AttachedBody> attached = attach_skeleton(body, skeleton);
  ASSERT_TRUE(attached);
  EXPECT_NEAR(head_height(*attached), 4, 1e-5);
  EXPECT_TRUE(has_note(attached->notes, "skeleton-rescaled"));
}

// One point a million units away made it doubt the skeleton, and recommend to scale that.
TEST(AttachSkeleton, TakesTheSizeOfABodyWithoutAPointFarOff) {
  Character body = rig({{"unused", kNone, {}}}, false);
  Mesh& mesh = body.meshes[0];
  for (int k = 0; k < 96; ++k) mesh.points.push_back({static_cast<float>(k % 3) - 1, 0.04f * float(k), 0});
  mesh.points.push_back({1e6f, 0, 0});
  mesh.parts[0].point_count = static_cast<Index>(mesh.points.size());
  mesh.weights = {};
  mesh.weld = weld_coincident(mesh.points);
  body.skins.clear();
  body.instances[0].skin = kNone;
  const Result<AttachedBody> attached =
      attach_skeleton(body, bare({{"hips", kNone, {0, 0, 0}}, {"head", 0, {0, 4, 0}}}));
  ASSERT_TRUE(attached) << attached.error().sentence;
  EXPECT_FALSE(has_note(attached->notes, "sizes-differ"));
}

// Every name was there twice.
TEST(AttachSkeleton, LeavesOutTheJointsOfTheSkinsItReplaces) {
  Character body = rig({{"armature", kNone, {}},
                        {"hips", 0, {0, 1, 0}},
                        {"hips_end", 1, {0, 1, 0}},
                        {"hand", 0, {1, 1, 0}},
                        {"sword", 3, {}}},
                       false);
  // Neither armature nor sword nor end is a joint; the sword is shown, so the hand must stay.
  body.skins[0].node = {1, 3};
  body.skins[0].inverse_bind.resize(2);
  body.instances.insert(body.instances.begin(), {4, 0, kNone, {}, true});
  ASSERT_TRUE(validate(body));
  const Character skeleton = bare({{"hips", kNone, {0, 0, 0}}, {"head", 0, {0, 4, 0}}});
  const Result<AttachedBody> attached = attach_skeleton(body, skeleton);
  ASSERT_TRUE(attached) << attached.error().sentence;
  std::vector<std::string> left;
  for (const Node& node : attached->character.nodes) left.push_back(node.name);
  EXPECT_EQ(left, (std::vector<std::string>{"armature", "hand", "sword", "shown", "hips", "head", "shown"}));
  EXPECT_EQ(attached->first_node, 4);
  EXPECT_TRUE(has_note(attached->notes, "joints-replaced"));
  // What stays rests where it did.
  const Index sword = attached->character.instances[0].node;
  EXPECT_EQ(attached->character.nodes[at(sword)].name, "sword");
  EXPECT_EQ(rest_world(attached->character)[at(sword)].translation, rest_world(body)[4].translation);
}

// Both boots of a pair, which are one mesh in the file, followed the left foot.
TEST(AttachSkeleton, GivesEachPlaceOfAMeshACopyWithWeightsOfItsOwn) {
  Character body = rig({{"left", kNone, {-5, 0, 0}}, {"right", kNone, {5, 0, 0}}}, false);
  body.skins.clear();
  body.meshes[0].weights = {};
  body.meshes[0].name = "boot";
  body.instances = {{0, 0, kNone, {}, true}, {1, 0, kNone, {}, true}, {2, 0, kNone, {}, false}};
  ASSERT_TRUE(validate(body));
  const Result<AttachedBody> attached =
      attach_skeleton(body, bare({{"foot_L", kNone, {-5, 0, 0}}, {"foot_R", kNone, {5, 0, 0}}}));
  ASSERT_TRUE(attached) << attached.error().sentence;
  Character character = attached->character;
  ASSERT_EQ(character.meshes.size(), 2u);
  EXPECT_EQ(character.meshes[0].points, character.meshes[1].points);
  EXPECT_EQ(character.instances[2].skin, kNone);
  ASSERT_TRUE(has_note(attached->notes, "mesh-copied"));
  EXPECT_NE(attached->notes.back().sentence.find("'boot' is shown at 2 nodes ('left', 'right')"),
            std::string::npos)
      << attached->notes.back().sentence;
  const Result<BindSurface> surface = bind_surface(character);
  ASSERT_EQ(surface->points.size(), 8u);
  const Result<BindSkeleton> skeleton = segments_of(character);
  set_weights(character, *surface, *skeleton, bind_rigid(*surface, *skeleton)->rows, 4);
  for (std::size_t v = 0; v < 4; ++v) {
    EXPECT_EQ(character.meshes[0].weights.row(v)[0].slot, 0);
    EXPECT_EQ(character.meshes[1].weights.row(v)[0].slot, 1);
  }
}

TEST(SetWeights, NamesTheNodesWhoseWeightsWereMadeForAnotherPlace) {
  Character character = rig({{"a", kNone, {0, 0, 0}}, {"b", 0, {0, 2, 0}}}, false);
  character.skins.push_back(character.skins[0]);
  character.instances.push_back({0, 0, 1, {}, true});
  const Result<BindSurface> surface = bind_surface(character);
  const Result<BindSkeleton> skeleton = segments_of(character);
  const Notes notes = set_weights(character, *surface, *skeleton, bind_rigid(*surface, *skeleton)->rows, 4);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].id, "mesh-with-several-skins");
  EXPECT_EQ(notes[0].kind, Note::Kind::loss);
  EXPECT_NE(notes[0].sentence.find("used by 'shown'; at 'a' its weights may not fit"), std::string::npos)
      << notes[0].sentence;
}

TEST(SetWeights, KeepsToTheMeshsOwnSkinAndSaysSo) {
  Character character = rig({{"a", kNone, {0, 0, 0}}, {"b", 0, {0, 2, 0}}, {"c", 1, {0, 1, 0}}}, false);
  const Result<BindSurface> surface = bind_surface(character);
  const Result<BindSkeleton> skeleton = segments_of(character);
  const Result<BoundRows> bound = bind_rigid(*surface, *skeleton);
  // The skin forgets its last joint: the one above takes over.
  character.skins[0].node.resize(2);
  character.skins[0].inverse_bind.resize(2);
  const Notes notes = set_weights(character, *surface, *skeleton, bound->rows, 4);
  ASSERT_TRUE(validate(character));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].id, "joints-not-in-skin");
  EXPECT_EQ(character.meshes[0].weights.row(2)[0].slot, 1);
}

// The row of each point of a chain of three joints, cut to two.
std::vector<Influence> cut_to_two(float a, float b, float c) {
  Character character = rig({{"a", kNone, {0, 0, 0}}, {"b", 0, {0, 1, 0}}, {"c", 1, {0, 1, 0}}}, false);
  const Result<BindSurface> surface = bind_surface(character);
  const Result<BindSkeleton> skeleton = segments_of(character);
  WeightRowBuilder builder;
  for (int v = 0; v < 4; ++v) {
    builder.add(0, a);
    builder.add(1, b);
    builder.add(2, c);
    builder.close_row(0);
  }
  set_weights(character, *surface, *skeleton, builder.take(), 2);
  const std::span<const Influence> row = character.meshes[0].weights.row(0);
  return {row.begin(), row.end()};
}

TEST(SetWeights, CutsToTheHeaviestAndSumsToOne) {
  const std::vector<Influence> row = cut_to_two(0.5f, 0.3f, 0.2f);
  ASSERT_EQ(row.size(), 2u);
  // Left are 0.5 - 0.2 (2/5)^2 = 0.468 and 0.3 - 0.2 (2/3)^2 = 0.21111. What the first two lost, 0.032 and
  // 0.08889, they share by what is left, both being one step away; b is one step from c and a two, so that it
  // takes 0.21111 / (0.21111 + 0.468 / 64) of the 0.2.
  EXPECT_NEAR(row[0].weight, 0.468 + 0.12089 * 0.68914 + 0.2 * 0.03348, 1e-4);
  EXPECT_NEAR(row[1].weight, 0.21111 + 0.12089 * 0.31086 + 0.2 * 0.96652, 1e-4);
}

// Neighbours that kept different joints tore ridges into bellies.
TEST(SetWeights, FadesAJointOutWhereAnotherTakesItsPlace) {
  const std::vector<Influence> before = cut_to_two(0.40f, 0.3002f, 0.2998f);
  const std::vector<Influence> after = cut_to_two(0.40f, 0.2998f, 0.3002f);
  EXPECT_LT(row_distance(before, after), 0.2);  // 1.2 where b and c just take turns
}

TEST(SetWeights, FadesFaintWeightsOutBeforeItDropsThem) {
  EXPECT_EQ(cut_to_two(0.9901f, 0.0099f, 0).size(), 1u);
  const std::vector<Influence> row = cut_to_two(0.9899f, 0.0101f, 0);
  EXPECT_TRUE(row.size() == 1 || row[1].weight < 0.001f);
  EXPECT_NEAR(cut_to_two(0.9f, 0.1f, 0)[1].weight, 0.1f, 1e-3f);
}

}  // namespace
}  // namespace dermis
