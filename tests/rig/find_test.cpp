// SPDX-License-Identifier: MIT
// Laws of finding a skeleton: the same body however it stands, is written or is damaged, the same joints.
#include <atomic>

#include "notes.h"
#include "rig/bodies.h"

namespace dermis {
namespace {

using test::any_template;
using test::find_in;
using test::made_soup;
using test::Soup;

// Quicker to make than the made humanoid, and a mirror image of itself likewise.
const Soup& person() { return test::doll_soup(); }
const FoundSkeleton& person_skeleton() {
  static const FoundSkeleton found = find_in(person(), any_template()).value();
  return found;
}

// How far the joints found in `soup` are from those of the person moved by `map`, in percent of its size.
double percent_off(const Soup& soup, const Affined& map = {}) {
  const Result<FoundSkeleton> found = find_in(soup, any_template());
  EXPECT_TRUE(found) << (found ? "" : found.error().sentence);
  if (!found) return INFINITY;
  EXPECT_EQ(found->name, "biped");
  return 100 * test::farthest_joint(person_skeleton(), *found, map) /
         (test::size_of(person()) * std::cbrt(std::abs(determinant(map.linear))));
}

// ---- What is found --------------------------------------------------------------------------------------

TEST(Find, GivesTheMadeHumanoidABipedNearItsOwnJoints) {
  const Result<FoundSkeleton> result = find_in(made_soup(MadeKind::humanoid), any_template());
  ASSERT_TRUE(result);
  const FoundSkeleton& found = *result;
  ASSERT_EQ(found.name, "biped");
  // Ten fingers of three joints and an end replace the ends of the hands.
  EXPECT_EQ(found.joints.size(), rig_templates()[0].joints.size() - 2 + 40);
  EXPECT_GT(found.symmetry, 0.97);
  EXPECT_GT(dot(found.up, Vec3d{0, 1, 0}), 0.99);
  EXPECT_GT(dot(found.front, Vec3d{0, 0, 1}), 0.99);
  EXPECT_GT(dot(found.left, Vec3d{1, 0, 0}), 0.99);
  const Character& character = test::made(MadeKind::humanoid);
  const std::vector<Affined> world = rest_world(character);
  double sum = 0, count = 0;
  for (std::size_t n = 0; n < world.size(); ++n) {
    const FoundJoint* joint = test::joint_named(found, character.nodes[n].name);
    if (joint == nullptr) continue;
    sum += length(joint->at - world[n].translation);
    count += 1;
  }
  EXPECT_GE(count, 21);
  EXPECT_LT(100 * sum / count / test::size_of(made_soup(MadeKind::humanoid)), 2.5);
}

TEST(Find, TellsTheMadeBodiesApart) {
  EXPECT_EQ(find_in(made_soup(MadeKind::quadruped), any_template())->name, "quadruped");
  EXPECT_EQ(find_in(made_soup(MadeKind::hand), any_template())->name, "hand");
  EXPECT_EQ(find_in(made_soup(MadeKind::tube), any_template())->name, "extract");
}

// Corners are ends of the body, and limbs by no other name.
TEST(Find, TakesNoTemplateForSolidsWithoutLimbs) {
  const Affined turn = test::turned_about({}, {0, 1, 0}, radians_from_degrees(20));
  for (const Vec3d& size : {Vec3d{1, 2, 0.5}, Vec3d{2, 1, 1}, Vec3d{1, 1, 1}, Vec3d{3, 3, 0.4}}) {
    for (const Affined& map : {Affined{}, turn}) {
      const Result<FoundSkeleton> found =
          find_in(test::moved(test::box_soup({0, 0, 0}, size), map), any_template());
      if (!found) continue;  // not even limbs to take a skeleton from
      EXPECT_EQ(found->name, "extract") << size.x << " " << size.y << " " << size.z;
    }
  }
}

TEST(Find, ScoresEveryTemplateByPenaltiesThatSumToItsCost) {
  const FoundSkeleton& found = person_skeleton();
  ASSERT_EQ(found.scores.size(), 3u);
  for (const RigScore& score : found.scores) {
    if (!score.does_fit) continue;
    double sum = 0;
    for (const RigScore::Penalty& penalty : score.penalties) sum += penalty.cost;
    EXPECT_NEAR(sum, score.cost, 1e-9);
  }
  EXPECT_TRUE(found.scores[0].does_fit);
  EXPECT_FALSE(found.map.balls.empty());
  EXPECT_GE(found.map.ends.size(), 5u);
  for (const auto& edge : found.map.edges) EXPECT_LT(edge[0], edge[1]);
}

TEST(Find, GivesParentsThatStandBefore) {
  for (std::size_t j = 0; j < person_skeleton().joints.size(); ++j) {
    EXPECT_EQ(person_skeleton().joints[j].parent == kNone, j == 0);
    EXPECT_LT(person_skeleton().joints[j].parent, static_cast<Index>(j));
  }
}

// ---- Poses ----------------------------------------------------------------------------------------------

// The person with the arms down, so that they cross the trunk: as skinning bends a body.
Vec3d lowered(const Vec3d& at) {
  const double side = at.x < 0 ? -1 : 1;
  const double angle = radians_from_degrees(88) * std::clamp((std::abs(at.x) - 0.14) / 0.06, 0.0, 1.0);
  const bool is_arm = std::abs(at.x) > 0.14 && at.y > 1.3;
  if (!is_arm) return at;
  const Vec3d shoulder{side * 0.17, 1.42, 0}, arm = at - shoulder;
  const double c = std::cos(angle), s = side * std::sin(angle);
  return shoulder + Vec3d{c * arm.x + s * arm.y, -s * arm.x + c * arm.y, arm.z};
}

TEST(FindPosed, FollowsArmsThatCrossTheTrunk) {
  Soup soup = person();
  for (Vec3& point : soup.points) point = Vec3(lowered(Vec3d(point)));
  const Result<FoundSkeleton> found = find_in(soup, any_template());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->name, "biped");
  EXPECT_TRUE(test::has_note(found->notes, "contacts-parted"));
  EXPECT_GE(judge_skeleton(*found).confidence, kLeastConfidence);
  for (const char* name : {"forearm_L", "forearm_R", "hand_L", "hand_R"}) {
    const Vec3d right = lowered(test::joint_named(person_skeleton(), name)->at);
    EXPECT_LT(length(test::joint_named(*found, name)->at - right), 0.06 * test::size_of(person())) << name;
  }
}

// ---- How the body stands --------------------------------------------------------------------------------

TEST(FindStanding, FindsTheSameJointsTurnedOver) {
  const Affined map = test::turned_about({}, normalized(Vec3d{1, 2, 3}), radians_from_degrees(77));
  EXPECT_LT(percent_off(test::moved(person(), map), map), 3);
}

TEST(FindStanding, FindsTheSameJointsTurnedAboutAnyAxis) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int quarter = 1; quarter < 4; ++quarter) {
      SCOPED_TRACE(testing::Message() << "axis " << axis << ", quarters " << quarter);
      Vec3d about;
      about[axis] = 1;
      const Affined map = test::turned_about({}, about, quarter * kPi / 2);
      EXPECT_LT(percent_off(test::moved(person(), map), map), 1.5);
    }
  }
}

TEST(FindStanding, FacesWhereTheBodyDoesBetweenTheAxes) {
  for (const double degrees : {10.0, 30.0}) {
    SCOPED_TRACE(degrees);
    const Affined map = test::turned_about({}, {0, 1, 0}, radians_from_degrees(degrees));
    const test::Soup turned = test::moved(person(), map);
    EXPECT_LT(percent_off(turned, map), 2);
    const Result<FoundSkeleton> found = find_in(turned, any_template());
    ASSERT_TRUE(found);
    EXPECT_GT(dot(found->front, map.linear * Vec3d{0, 0, 1}), std::cos(radians_from_degrees(2)));
  }
}

TEST(FindStanding, StandsABodyThatWasTurnedOffTheAxesOnItsFourFeet) {
  const Soup& dog = made_soup(MadeKind::quadruped);
  const Result<FoundSkeleton> upright = find_in(dog, any_template());
  ASSERT_TRUE(upright);
  const Affined map = test::turned_about({}, normalized(Vec3d{3, 1, -2}), radians_from_degrees(35));
  const Result<FoundSkeleton> found = find_in(test::moved(dog, map), any_template());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->name, "quadruped");
  EXPECT_GT(dot(found->up, map.linear * Vec3d{0, 1, 0}), std::cos(radians_from_degrees(6)));
  EXPECT_GT(dot(found->front, map.linear * upright->front), std::cos(radians_from_degrees(6)));
  EXPECT_LT(100 * test::farthest_joint(*upright, *found, map) / test::size_of(dog), 5);
}

TEST(FindStanding, DoesNotDependOnTheUnitOrTheOrigin) {
  for (const double scale : {1000.0, 0.001}) {
    const Affined map = test::scaled({scale, scale, scale});
    EXPECT_LT(percent_off(test::moved(person(), map), map), 1) << scale;
  }
  const Affined away{Mat3d{}, {100, -30, 7}};
  EXPECT_LT(percent_off(test::moved(person(), away), away), 1);
}

// The character's own left: facing us, its left hand is on our right.
TEST(FindStanding, KnowsLeftFromRightFromBehind) {
  const Affined map = test::turned_about({}, {0, 1, 0}, kPi);
  const Result<FoundSkeleton> found = find_in(test::moved(person(), map), any_template());
  ASSERT_TRUE(found);
  EXPECT_LT(test::joint_named(*found, "hand_L")->at.x, -0.3);
  EXPECT_GT(test::joint_named(*found, "hand_R")->at.x, 0.3);
  EXPECT_LT(found->front.z, -0.99);
}

TEST(FindStanding, ObeysUpAndFrontAndSaysWhatItGuessed) {
  EXPECT_EQ(person_skeleton().notes.front().id, "orientation-found");
  RigOptions options = test::only("biped");
  options.up = Vec3d{0, 3, 0};
  options.front = Vec3d{0, 0, -0.1};
  const Result<FoundSkeleton> found = find_in(person(), options);
  ASSERT_TRUE(found) << found.error().sentence;
  EXPECT_LT(found->front.z, -0.99);
  EXPECT_LT(test::joint_named(*found, "hand_L")->at.x, -0.3);
  for (const Note& note : found->notes) EXPECT_NE(note.id, "orientation-found");
}

TEST(FindStanding, RefusesDirectionsThatAreNone) {
  for (const Vec3d& none : {Vec3d{}, Vec3d{NAN, 0, 0}, Vec3d{1e300, 0, 0}}) {
    RigOptions options = any_template();
    options.up = none;
    const Result<FoundSkeleton> found = find_in(person(), options);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::bad_argument);
  }
  RigOptions options = any_template();
  options.up = Vec3d{0, 1, 0};
  options.front = Vec3d{0, -2, 0};
  const Result<FoundSkeleton> found = find_in(person(), options);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().sentence, "up and front are the same axis; the front must be across up");
}

// ---- How the body is written ----------------------------------------------------------------------------

Soup triangle_soup(const Soup& soup) {
  Soup loose;
  for (const SurfaceMesh::Triangle& triangle : soup.triangles) {
    const auto first = static_cast<std::uint32_t>(loose.points.size());
    for (const std::uint32_t v : triangle) loose.points.push_back(soup.points[v]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  return loose;
}

TEST(FindDamaged, DoesNotMindHowTheSurfaceIsWrittenDown) {
  EXPECT_LT(percent_off(person().flipped()), 0.01);
  EXPECT_LT(percent_off(triangle_soup(person())), 2);
  Soup doubled = person();
  doubled.add(person());
  EXPECT_LT(percent_off(doubled), 2);
}

TEST(FindDamaged, DoesNotMindHoles) {
  Soup holed;
  holed.points = person().points;
  for (std::size_t t = 0; t < person().triangles.size(); ++t)
    if (t % 40 != 0) holed.triangles.push_back(person().triangles[t]);
  EXPECT_LT(percent_off(holed), 2);
}

// Cut across at hips, neck and elbows: open shells that meet, as clothed characters are made.
TEST(FindDamaged, DoesNotMindABodyInSeveralShells) {
  const auto part_of = [&](const SurfaceMesh::Triangle& triangle) {
    const Vec3d middle = (Vec3d(person().points[triangle[0]]) + Vec3d(person().points[triangle[1]]) +
                          Vec3d(person().points[triangle[2]])) *
                         (1.0 / 3);
    return middle.y < 0.95 ? 0 : middle.y > 1.5 ? 1 : middle.x > 0.4 ? 2 : middle.x < -0.4 ? 3 : 4;
  };
  Soup shells;
  for (int part = 0; part < 5; ++part) {
    Soup own;
    own.points = person().points;
    for (const SurfaceMesh::Triangle& triangle : person().triangles)
      if (part_of(triangle) == part) own.triangles.push_back(triangle);
    shells.add(own);
  }
  EXPECT_LT(percent_off(shells), 2);
}

TEST(FindDamaged, LeavesOutWhatIsFarFromTheBody) {
  Soup soup = person();
  soup.add(test::box_soup({30, 30, 30}, {30.1, 30.1, 30.1}));
  EXPECT_LT(percent_off(soup), 2);
}

TEST(FindDamaged, LeavesOutASmallThingBesideTheBody) {
  Soup soup = person();
  soup.add(test::box_soup({3, 3, 3}, {3.1, 3.1, 3.1}));
  EXPECT_LT(percent_off(soup), 2);
  soup = person();
  soup.add(test::box_soup({1.2, 0.1, 0}, {1.25, 0.15, 0.05}));
  EXPECT_LT(percent_off(soup), 2);
}

// ---- What is not the body -------------------------------------------------------------------------------

std::vector<SetAside::Kind> kinds_set_aside(const Soup& soup) {
  const Result<FoundSkeleton> found = find_in(soup, any_template());
  EXPECT_TRUE(found) << (found ? "" : found.error().sentence);
  std::vector<SetAside::Kind> kinds;
  if (!found) return kinds;
  for (const SetAside& part : found->aside) kinds.push_back(part.kind);
  return kinds;
}
using Kinds = std::vector<SetAside::Kind>;

TEST(FindCluttered, SetsAsideTheFloorThatABodyStandsOn) {
  Soup soup = person();
  soup.add(test::box_soup({-1, -0.03, -1}, {1, 0.01, 1}));
  EXPECT_EQ(kinds_set_aside(soup), Kinds{SetAside::Kind::plate});
  EXPECT_LT(percent_off(soup), 2);
}

TEST(FindCluttered, SetsAsideACubeBesideTheBody) {
  Soup soup = person();
  soup.add(test::box_soup({1.1, 0, 0}, {1.37, 0.27, 0.27}));
  EXPECT_EQ(kinds_set_aside(soup), Kinds{SetAside::Kind::piece});
  EXPECT_LT(percent_off(soup), 2);
}

TEST(FindCluttered, SetsAsideAStaffInOneHandIfThatIsBetter) {
  Soup soup = person();
  soup.add(test::box_soup({0.76, 0.05, -0.02}, {0.8, 1.95, 0.02}));
  EXPECT_EQ(kinds_set_aside(soup), Kinds{SetAside::Kind::prop});
  EXPECT_LT(percent_off(soup), 2);
}

TEST(FindCluttered, SetsNothingAsideInABodyOfOneShell) { EXPECT_TRUE(person_skeleton().aside.empty()); }

// Floating hands are further from the arms than a single thing may be for its size, but there are two of
// them.
TEST(FindCluttered, KeepsHandsThatFloatInPairs) {
  std::vector<test::Capsule> parts = test::doll();
  std::erase_if(parts, [](const test::Capsule& part) { return std::abs(part.from.x) > 0.65; });
  for (test::Capsule& part : parts)
    if (std::abs(part.to.x) > 0.5) part.to.x *= 0.4 / 0.66;
  for (const double side : {1.0, -1.0})
    parts.push_back({{side * 0.62, 1.42, 0}, {side * 0.72, 1.42, 0}, 0.05});
  EXPECT_TRUE(kinds_set_aside(test::capsule_soup(parts, 0.022)).empty());
}

// ---- Markers and templates ------------------------------------------------------------------------------

TEST(FindMarkers, PinJointsExactly) {
  RigOptions options = any_template();
  const Vec3d wrist = person_skeleton().joints[0].at + Vec3d{0.3, 0.01, 0.02};
  options.markers = {{"hand_L", wrist}};
  const Result<FoundSkeleton> found = find_in(person(), options);
  ASSERT_TRUE(found);
  EXPECT_EQ(test::joint_named(*found, "hand_L")->at, wrist);
}

TEST(FindMarkers, PlaceTheOtherSideOfASymmetricBodyToo) {
  RigOptions options = any_template();
  const Vec3d place = test::joint_named(person_skeleton(), "forearm_L")->at + Vec3d{0.05, 0, 0};
  options.markers = {{"elbow_L", place}};
  const Result<FoundSkeleton> both = find_in(person(), options);
  ASSERT_TRUE(both);
  EXPECT_LT(length(test::joint_named(*both, "forearm_R")->at - Vec3d{-place.x, place.y, place.z}), 0.02);
  EXPECT_TRUE(test::has_note(both->notes, "markers-mirrored"));
  options.mirrors_markers = false;
  const Result<FoundSkeleton> one = find_in(person(), options);
  ASSERT_TRUE(one);
  EXPECT_LT(length(test::joint_named(*one, "forearm_R")->at -
                   test::joint_named(person_skeleton(), "forearm_R")->at),
            0.02);
}

// Of two pairs of arms, those that the markers are on.
TEST(FindMarkers, SteerTheSearchToTheLimbsTheyAreOn) {
  std::vector<test::Capsule> parts = test::doll();
  for (const double side : {1.0, -1.0}) {
    parts.push_back({{side * 0.1, 1.15, 0}, {side * 0.66, 1.15, 0}, 0.045});
    parts.push_back({{side * 0.66, 1.15, 0}, {side * 0.7, 1.15, 0}, 0.03});
    parts.push_back({{side * 0.75, 1.15, 0}, {side * 0.82, 1.15, 0}, 0.045});
  }
  const Soup soup = test::capsule_soup(parts, 0.022);
  for (const double height : {1.42, 1.15}) {
    RigOptions options = any_template();
    options.markers = {{"elbow_L", {0.38, height, 0}}};
    const Result<FoundSkeleton> found = find_in(soup, options);
    ASSERT_TRUE(found) << found.error().sentence;
    ASSERT_EQ(found->name, "biped");
    for (const char* joint : {"hand_L", "hand_R"})
      EXPECT_NEAR(test::joint_named(*found, joint)->at.y, height, 0.03) << joint;
  }
}

// Arms and legs that are one with the trunk have no ends that a template could be placed by.
TEST(FindMarkers, EightOfThemMakeABipedOfALumpWithoutLimbs) {
  std::vector<test::Capsule> lump{{{0, 0.2, 0}, {0, 1.4, 0}, 0.3}, {{0, 1.5, 0}, {0, 1.75, 0}, 0.12}};
  const test::Soup soup = test::capsule_soup(lump, 0.03);
  RigOptions options = test::any_template();
  const Result<FoundSkeleton> alone = test::find_in(soup, options);
  EXPECT_TRUE(!alone || alone->name != "biped");
  options.markers = {{"chin", {0, 1.62, 0}},        {"groin", {0, 0.8, 0}},
                     {"elbow_L", {0.24, 1.05, 0}},  {"elbow_R", {-0.24, 1.05, 0}},
                     {"wrist_L", {0.24, 0.8, 0.1}}, {"wrist_R", {-0.24, 0.8, 0.1}},
                     {"knee_L", {0.12, 0.45, 0}},   {"knee_R", {-0.12, 0.45, 0}}};
  const Result<FoundSkeleton> found = test::find_in(soup, options);
  ASSERT_TRUE(found) << found.error().sentence;
  EXPECT_EQ(found->name, "biped");
  for (const auto& [joint, marker] : {std::pair{"head", 0},
                                      {"hips", 1},
                                      {"forearm_L", 2},
                                      {"forearm_R", 3},
                                      {"hand_L", 4},
                                      {"shin_R", 7}}) {
    const FoundJoint* one = test::joint_named(*found, joint);
    ASSERT_NE(one, nullptr) << joint;
    EXPECT_LT(length(one->at - options.markers[static_cast<std::size_t>(marker)].at), 1e-9) << joint;
  }
  EXPECT_LT(test::joint_named(*found, "foot_L")->at.y, 0.3);
  // Legs that part nowhere begin beside the groin.
  EXPECT_LT(length(test::joint_named(*found, "thigh_L")->at - options.markers[1].at), 0.2);
}

TEST(FindMarkers, UnknownNamesGetTheNearestOne) {
  RigOptions options = any_template();
  options.markers = {{"foreram_L", {}}};
  const Result<FoundSkeleton> found = find_in(person(), options);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::bad_argument);
  EXPECT_NE(found.error().sentence.find("the marker 'foreram_L' is not a joint of a template"),
            std::string::npos);
  EXPECT_NE(found.error().sentence.find("did you mean 'forearm_L'"), std::string::npos);
  options.markers = {{"hand_L", {0, NAN, 0}}};
  EXPECT_EQ(find_in(person(), options).error().code, Errc::bad_argument);
}

// A joint that only one template has says which is meant.
TEST(FindMarkers, ChooseTheTemplateThatKnowsThem) {
  RigOptions options = any_template();
  options.markers = {{"shin_L", test::joint_named(person_skeleton(), "shin_L")->at}};
  const Result<FoundSkeleton> found = find_in(person(), options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->scores.size(), 1u);
}

RigOptions own_template(std::string_view text) {
  RigOptions options;
  options.can_extract = false;
  Result<RigTemplate> rig = parse_rig_template(text);
  EXPECT_TRUE(rig) << (rig ? "" : rig.error().sentence);
  options.templates = {std::move(rig).value()};
  return options;
}

TEST(FindOwnTemplate, LaysATripodIntoATripod) {
  const Soup tripod = test::capsule_soup({{{0, 0, 0}, {0, 6, 0}, 0.7},
                                          {{0, 0, 0}, {4, -5, 2.5}, 0.6},
                                          {{0, 0, 0}, {-4, -5, 2.5}, 0.6},
                                          {{0, 0, 0}, {0, -5, -4.5}, 0.6}},
                                         0.25);
  const Result<FoundSkeleton> found = find_in(tripod, own_template(R"(template tripod
joint hub     -      0    0   0    fat
joint mast    hub    0    3   0
joint top     mast   0    6   0    end
joint leg_L   hub    2   -2.5 1.2
joint foot_L  leg_L  4   -5   2.5  end ground
joint back    hub    0   -2.5 -2.2
joint heel    back   0   -5   -4.5 end ground
)"));
  ASSERT_TRUE(found) << found.error().sentence;
  ASSERT_EQ(found->joints.size(), 9u);
  EXPECT_LT(length(test::joint_named(*found, "top")->at - Vec3d{0, 6.7, 0}), 0.7);
  EXPECT_LT(length(test::joint_named(*found, "heel")->at - Vec3d{0, -5.4, -4.9}), 0.7);
  EXPECT_GT(test::joint_named(*found, "foot_L")->at.x, 3.5);
  EXPECT_LT(test::joint_named(*found, "foot_R")->at.x, -3.5);
}

TEST(FindOwnTemplate, LaysASnakeIntoASnake) {
  const Soup snake = test::rod_soup(test::u_path(6, 2), 0.6);
  const Result<FoundSkeleton> found = find_in(snake, own_template(R"(template snake
free
joint tail    -       0 0 0  tip
joint back_1  tail    0 1 0
joint back_2  back_1  0 2 0
joint back_3  back_2  0 3 0
joint head    back_3  0 4 0  end
)"));
  ASSERT_TRUE(found) << found.error().sentence;
  ASSERT_EQ(found->joints.size(), 5u);
  // Even along its length; the middle one at the turn.
  EXPECT_LT(length(test::joint_named(*found, "back_2")->at - Vec3d{8, 2, 0}), 0.8);
}

// ---- What cannot be done --------------------------------------------------------------------------------

TEST(FindNothing, SaysInOneSentenceWhy) {
  const Soup ball = test::capsule_soup({{{}, {}, 1}}, 0.1);
  const Result<FoundSkeleton> in_ball = find_in(ball, any_template());
  ASSERT_FALSE(in_ball);
  EXPECT_EQ(in_ball.error().code, Errc::bad_rig);
  EXPECT_NE(in_ball.error().sentence.find("has no limbs"), std::string::npos);
  const Result<FoundSkeleton> asked = find_in(ball, test::only("biped"));
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, Errc::bad_rig);
  EXPECT_NE(asked.error().sentence.find("'biped'"), std::string::npos);
  EXPECT_EQ(asked.error().remedies, (Remedies{{"template", "extract"}, {"marker", ""}, {"body_up", ""}}));
  for (const Result<FoundSkeleton>* failed : {&in_ball, &asked})
    EXPECT_EQ(failed->error().sentence.find('\n'), std::string::npos);
}

TEST(FindNothing, RefusesPointsWithoutFacesAndNothingAtAll) {
  Soup points;
  points.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(find_in(points, any_template()).error().code, Errc::bad_rig);
  EXPECT_FALSE(find_in(Soup{}, any_template()));
}

TEST(FindNothing, TakesATriangleAndACubeWithoutAFault) {
  Soup triangle;
  triangle.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  triangle.triangles = {{0, 1, 2}};
  for (const Soup& soup : {triangle, test::box_soup({0, 0, 0}, {1, 1, 1})}) {
    const Result<FoundSkeleton> found = find_in(soup, any_template());
    if (found) {
      EXPECT_EQ(found->name, "extract");
    } else {
      EXPECT_EQ(found.error().code, Errc::bad_rig);
    }
  }
}

TEST(FindNothing, EndsWhenItIsStopped) {
  std::atomic<bool> stop = true;
  const auto found = [&](const Progress& progress) {
    return find_skeleton(person().points, person().triangles, any_template(), progress);
  };
  EXPECT_EQ(found(Progress({}, &stop)).error().code, Errc::cancelled);
  for (const char* stage : {"looking for limbs", "packing spheres", "trying biped", "placing joints"}) {
    stop = false;
    const Progress progress(
        [&](std::string_view now, double) {
          if (now == stage) stop = true;
        },
        &stop);
    const Result<FoundSkeleton> stopped = found(progress);
    ASSERT_FALSE(stopped) << stage;
    EXPECT_EQ(stopped.error().code, Errc::cancelled) << stage;
  }
}

TEST(Find, GivesTheSameBytesOnAnyThreadCount) {
  const int before = thread_count();
  set_thread_count(1);
  const Result<FoundSkeleton> one = find_in(person(), any_template());
  set_thread_count(2);
  const Result<FoundSkeleton> two = find_in(person(), any_template());
  set_thread_count(before);
  ASSERT_TRUE(one && two);
  ASSERT_EQ(one->joints.size(), two->joints.size());
  for (std::size_t j = 0; j < one->joints.size(); ++j) {
    EXPECT_EQ(one->joints[j].at, two->joints[j].at);
    EXPECT_EQ(one->joints[j].radius, two->joints[j].radius);
  }
  for (std::size_t k = 0; k < one->scores.size(); ++k) EXPECT_EQ(one->scores[k].cost, two->scores[k].cost);
}

}  // namespace
}  // namespace dermis
