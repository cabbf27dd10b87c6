// SPDX-License-Identifier: MIT
// Retargeting: onto itself, onto other sizes, axes, poses and ways up; feet, loops, rates and T-poses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "characters.h"
#include "dermis/made.h"
#include "notes.h"

namespace dermis {
namespace {

using test::Random;

const Character& walker() {
  static const Character character = *make_motion(MadeMotion::walk);
  return character;
}

const Character& retargeted_humanoid() {
  static const Character character = *make_character(MadeKind::humanoid, {1500}, {});
  return character;
}

RetargetOptions plain() {
  RetargetOptions options;
  options.locks_feet = false;
  return options;
}

// The target with the walk of the source as its only clip.
struct Moved {
  Character character;
  RetargetFigures figures;
  Notes notes;
};

Moved moved(const Character& source, Character target, const RetargetOptions& options = plain()) {
  target.clips.clear();
  const Result<MappedMotion> map = map_motion(source, target);
  EXPECT_TRUE(map) << map.error().sentence;
  Result<RetargetedClip> clip = retarget_clip(source, 0, target, map->map, options);
  EXPECT_TRUE(clip) << clip.error().sentence;
  target.clips.push_back(std::move(clip->clip));
  EXPECT_TRUE(validate(target));
  return {std::move(target), clip->figures, clip->notes};
}

std::vector<Affined> world_at(const Character& character, double time) {
  return pose_frame(character, {0, time, nullptr})->world_from_node;
}

// The largest distance of joints of the same name at all keys, after `target_from_source` and scale.
double distance(const Character& source, const Character& target, const Affined& target_from_source = {}) {
  double most = 0;
  const NodeFinder finder(target);
  for (double time = 0; time < static_cast<double>(source.clips[0].end()); time += 1.0 / 30) {
    const std::vector<Affined> a = world_at(source, time), b = world_at(target, time);
    for (std::size_t n = 0; n < source.nodes.size(); ++n) {
      const Result<Index> other = finder.find(source.nodes[n].name);
      EXPECT_TRUE(other);
      most = std::max(most, length(target_from_source * a[n].translation - b[at(*other)].translation));
    }
  }
  return most;
}

// The same skeleton with each node's rest given anew by its world transform.
Character with_rest(Character character, const std::vector<Affined>& world) {
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    const Index parent = character.nodes[n].parent;
    const Affined local = parent == kNone ? world[n] : inverse(world[at(parent)]) * world[n];
    character.nodes[n].rest = transform_from_affine(local);
  }
  return character;
}

TEST(Retarget, MapThatExchangesTheArmsIsToldFromARightOne) {
  const Character& body = retargeted_humanoid();
  MotionMap map = map_motion(walker(), body)->map;
  EXPECT_FALSE(retarget_clip(walker(), 0, body, map)->figures.has_exchanged_sides);
  for (const JointRole role : {JointRole::upper_arm_l, JointRole::forearm_l, JointRole::hand_l})
    std::swap(map.target.of(role), map.target.joints[static_cast<std::size_t>(role) + 13]);
  const Result<RetargetedClip> clip = retarget_clip(walker(), 0, body, map);
  ASSERT_TRUE(clip) << clip.error().sentence;
  EXPECT_TRUE(clip->figures.has_exchanged_sides);
  EXPECT_TRUE(std::any_of(clip->notes.begin(), clip->notes.end(),
                          [](const Note& note) { return note.id == "sides-exchanged"; }));
}

TEST(Retarget, OntoItselfGivesTheSameMotion) {
  const Moved same = moved(walker(), walker());
  EXPECT_LT(distance(walker(), same.character), 1e-5);
  EXPECT_EQ(same.figures.flipped_count, 0u);
  EXPECT_NEAR(same.figures.scale, 1, 1e-9);
  EXPECT_EQ(same.figures.frame_count, 34u);
}

TEST(Retarget, OntoAScaledCopyGivesTheScaledMotion) {
  Character large = walker();
  for (Node& node : large.nodes) node.rest.translation *= 2.5f;
  const Affined scaled{diagonal(Vec3d(2.5, 2.5, 2.5)), Vec3d{}};
  const Moved copy = moved(walker(), large);
  EXPECT_LT(distance(walker(), copy.character, scaled), 3e-5);
  EXPECT_NEAR(copy.figures.scale, 2.5, 1e-6);
}

TEST(Retarget, OntoJointsWithOtherAxesGivesTheSamePlaces) {
  Random random(11);
  std::vector<Affined> world = rest_world(walker());
  for (Affined& w : world) w.linear = matrix_from_quat(random.rotation());
  const Moved turned = moved(walker(), with_rest(walker(), world));
  EXPECT_LT(distance(walker(), turned.character), 2e-5) << "seed 11";
}

TEST(Retarget, FromAnAPoseToATPoseGivesTheSamePlaces) {
  // Arms of the walker hang at rest; here they are level, with all that hangs from them.
  const std::vector<Affined> rest = rest_world(walker());
  std::vector<Affined> world = rest;
  for (const char side : {'L', 'R'}) {
    const Index arm = *find_node(walker(), std::string("upper_arm_") + side);
    const Index fore = *find_node(walker(), std::string("forearm_") + side);
    const Vec3d shoulder = rest[at(arm)].translation;
    const Quatd level = quat_between(rest[at(fore)].translation - shoulder, {side == 'L' ? 1.0 : -1.0, 0, 0});
    for (std::size_t n = 0; n < world.size(); ++n) {
      Index above = static_cast<Index>(n);
      while (above != kNone && above != arm) above = walker().nodes[at(above)].parent;
      if (above == kNone) continue;
      world[n].linear = matrix_from_quat(level);
      world[n].translation = shoulder + rotate(level, rest[n].translation - shoulder);
    }
  }
  const Moved level = moved(walker(), with_rest(walker(), world));
  EXPECT_LT(distance(walker(), level.character), 2e-5);
}

TEST(Retarget, OntoABodyThatIsTurnedOrLiesAlongZTurnsTheMotion) {
  const Quatd z_up = quat_from_axis_angle({1, 0, 0}, kPi / 2);
  const Quatd about = quat_from_axis_angle({0, 1, 0}, 2.4);
  for (const Quatd& turn : {z_up, about, z_up * about}) {
    const Affined whole{matrix_from_quat(turn), Vec3d{}};
    std::vector<Affined> world = rest_world(walker());
    for (Affined& w : world) w = whole * w;
    const Moved turned = moved(walker(), with_rest(walker(), world));
    EXPECT_LT(distance(walker(), turned.character, whole), 2e-5);
  }
}

// Thighs longer and shins shorter, arms likewise: steps no longer fit the legs by themselves.
Character odd_body() {
  Character odd = walker();
  for (Node& node : odd.nodes) {
    if (node.name.starts_with("shin") || node.name.starts_with("forearm")) node.rest.translation *= 1.25f;
    if (node.name.starts_with("foot") || node.name.starts_with("hand")) node.rest.translation *= 0.8f;
    if (node.name == "thigh_L" || node.name == "thigh_R") node.rest.translation.x *= 1.5f;
  }
  return odd;
}

// A found skeleton stands, while the mesh that it was found in lies as it was modelled.
TEST(Retarget, HowAMeshLiesInItsOwnSpaceDoesNotMatter) {
  const Character trot = *make_motion(MadeMotion::trot);
  const Character animal = *make_character(MadeKind::quadruped, {1500}, {});
  const Affined tilt(matrix_from_quat(quat_from_axis_angle(normalized(Vec3d{1, 0, 0.3}), 0.55)), {});
  Character tilted = animal;
  for (Vec3& point : tilted.meshes[0].points) point = Vec3(tilt * Vec3d(point));
  for (Affine& bind : tilted.skins[0].inverse_bind) bind = Affine(Affined(bind) * inverse(tilt));
  const Moved plain_one = moved(trot, animal, {}), tilted_one = moved(trot, tilted, {});
  EXPECT_LT(distance(plain_one.character, tilted_one.character), 1e-5);
}

TEST(Retarget, HoldsStandingFeetOfOtherProportions) {
  const Moved loose = moved(walker(), odd_body());
  EXPECT_GT(loose.figures.contact_count, 2u);
  EXPECT_GT(loose.figures.slide, 0.005) << "nothing to hold: the test has lost its point";
  const Moved locked = moved(walker(), odd_body(), {});
  EXPECT_LT(locked.figures.slide, 0.001);
  EXPECT_NEAR(locked.figures.slide_carried, loose.figures.slide, 1e-9);
  EXPECT_EQ(locked.figures.flipped_count, 0u);
  EXPECT_GT(locked.figures.hinge_count, 50u);
}

TEST(Retarget, KeepsLongFeetOutOfTheFloor) {
  Character long_feet = odd_body();
  for (Node& node : long_feet.nodes) {
    if (node.name.starts_with("toe")) node.rest.translation *= 1.6f;
  }
  const Moved loose = moved(walker(), long_feet), locked = moved(walker(), long_feet, {});
  EXPECT_GT(loose.figures.sink, 0.01) << "nothing sinks: the test has lost its point";
  EXPECT_NEAR(locked.figures.sink_carried, loose.figures.sink, 1e-9);
  EXPECT_LT(locked.figures.sink, 0.001);
  EXPECT_LT(locked.figures.slide, 0.001);
  EXPECT_EQ(locked.figures.flipped_count, 0u);
}

// How far the lowest point of the skin comes below where it is at rest, at any key.
double skin_sink(const Character& character) {
  const auto lowest = [&](const PoseRequest& request) {
    const Result<PoseFrame> frame = pose_frame(character, request);
    double low = 1e9;
    const Mesh& mesh = character.meshes[0];
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      Vec3d place;
      for (const Influence& influence : mesh.weights.row(v))
        place += frame->palette_of(0)[at(influence.slot)] * Vec3d(mesh.points[v]) *
                 static_cast<double>(influence.weight);
      low = std::min(low, place.y);
    }
    return low;
  };
  const double floor = lowest({});
  double deepest = 0;
  for (const float time : character.clips[0].channels[0].times)
    deepest = std::max(deepest, floor - lowest({0, static_cast<double>(time), nullptr}));
  return deepest;
}

TEST(Retarget, KeepsTheSurfaceOfFeetOutOfTheFloorWhereNoJointIs) {
  // Shoes far longer than the feet in them, and no joints at the tips of the toes.
  Character clown = retargeted_humanoid();
  const std::vector<Affined> rest = rest_world(clown);
  for (const char* side : {"L", "R"}) {
    const double ball = rest[at(*find_node(clown, std::string("toe_") + side))].translation.z;
    for (Vec3& point : clown.meshes[0].points) {
      const bool is_toe =
          point.y < 0.06f && static_cast<double>(point.z) > ball && (point.x > 0) == (*side == 'L');
      if (is_toe) point.z = static_cast<float>(ball + 2.5 * (static_cast<double>(point.z) - ball));
    }
  }
  const Moved loose = moved(walker(), clown), locked = moved(walker(), clown, {});
  EXPECT_GT(skin_sink(loose.character), 0.01) << "nothing sinks: the test has lost its point";
  EXPECT_LT(skin_sink(locked.character), 0.004);
  EXPECT_NEAR(loose.figures.sink * loose.figures.height, skin_sink(loose.character), 0.004);
  EXPECT_LT(locked.figures.sink, 0.001);
  EXPECT_LT(locked.figures.slide, 0.001);
}

// A person who turns over, stands on the hands and comes back; `arms` scales the length of the arms.
Character handstand(double arms) {
  Character person = walker();
  for (const char* name : {"forearm_L", "forearm_R", "hand_L", "hand_R"})
    person.nodes[at(*find_node(person, name))].rest.translation *= static_cast<float>(arms);
  const Index hips = *find_node(person, "hips");
  const auto turned = [](double angle) { return Quat(quat_from_axis_angle(Vec3d{1, 0, 0}, angle)); };
  Clip clip;
  clip.name = "handstand";
  Channel turn{ChannelPath::rotation, hips, Interpolation::linear, {}, {}};
  Channel place{ChannelPath::translation, hips, Interpolation::linear, {}, {}};
  const std::vector<Affined> rest = rest_world(person);
  const double stands = rest[at(hips)].translation.y;
  // Arms hang at rest, so upside down they are turned up first to reach the floor.
  const Vec3d shoulder = rest[at(*find_node(person, "upper_arm_L"))].translation;
  const Vec3d hand = rest[at(*find_node(person, "hand_L"))].translation;
  const double on_hands = (shoulder.y - stands) + length(hand - shoulder);
  for (int k = 0; k <= 60; ++k) {
    const double share = 0.5 - 0.5 * std::cos(2 * kPi * k / 60);
    const Quat q = turned(kPi * share);
    const float time = static_cast<float>(k) / 30;
    turn.times.push_back(time), place.times.push_back(time);
    turn.values.insert(turn.values.end(), {q.x, q.y, q.z, q.w});
    const double height = stands + share * (on_hands - stands);
    place.values.insert(place.values.end(), {0, static_cast<float>(height), 0});
  }
  clip.channels = {place, turn};
  for (const char* name : {"upper_arm_L", "upper_arm_R"}) {
    Channel raise{ChannelPath::rotation, *find_node(person, name), Interpolation::linear, turn.times, {}};
    for (int k = 0; k <= 60; ++k) {
      const Quat q = turned(-kPi * (0.5 - 0.5 * std::cos(2 * kPi * k / 60)));
      raise.values.insert(raise.values.end(), {q.x, q.y, q.z, q.w});
    }
    clip.channels.push_back(raise);
  }
  person.clips = {clip};
  return person;
}

TEST(Retarget, KeepsHandsOutOfTheFloorWhenABodyStandsOnThem) {
  const Character source = handstand(1), target = handstand(2);
  const Moved sunk = moved(source, target);
  EXPECT_GT(sunk.figures.body_sink_carried, 0.1);
  EXPECT_NEAR(sunk.figures.body_sink, sunk.figures.body_sink_carried, 1e-9);
  EXPECT_TRUE(test::has_note(sunk.notes, "body-sinks"));
  const Moved raised = moved(source, target, {});
  EXPECT_LT(raised.figures.body_sink, 0.01);
  EXPECT_FALSE(test::has_note(raised.notes, "body-sinks"));
}

TEST(Retarget, FindsOnlyFeetNearTheFloorInAWalk) {
  const Moved same = moved(walker(), retargeted_humanoid(), {});
  EXPECT_NEAR(same.figures.body_sink_carried, 0, 1e-6);
  EXPECT_TRUE(same.figures.sinking_part.empty());
}

TEST(Retarget, HoldsAllFourFeetOfAnAnimal) {
  const Character trotter = *make_motion(MadeMotion::trot);
  Character odd = trotter;
  for (Node& node : odd.nodes) {
    if (node.name.starts_with("front_lower")) node.rest.translation *= 1.2f;
    if (node.name.starts_with("hind_foot")) node.rest.translation *= 0.85f;
  }
  const Moved loose = moved(trotter, odd), locked = moved(trotter, odd, {});
  EXPECT_EQ(locked.figures.contact_count, 4u);
  EXPECT_GT(loose.figures.slide, 0.005) << "nothing to hold: the test has lost its point";
  EXPECT_LT(locked.figures.slide, 0.001);
  EXPECT_LT(locked.figures.sink, 0.001);
  EXPECT_EQ(locked.figures.flipped_count, 0u);
  // The left front foot comes down first: it stands on the height of its rest.
  const Index foot = *find_node(odd, "front_foot_L");
  const double stands = rest_world(odd)[at(foot)].translation.y;
  for (const double time : {2.0 / 30, 4.0 / 30, 6.0 / 30})
    EXPECT_NEAR(world_at(locked.character, time)[at(foot)].translation.y, stands, 0.002) << time;
}

TEST(Retarget, LiftsFeetWithoutAJolt) {
  // A foot that points straight down for a single frame.
  Character glitch = walker();
  const Index foot = *find_node(glitch, "foot_L");
  for (Channel& channel : glitch.clips[0].channels) {
    if (channel.target != foot || channel.path != ChannelPath::rotation) continue;
    const Quat down(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(80)));
    const float turn[] = {down.x, down.y, down.z, down.w};
    std::copy_n(turn, 4, channel.values.begin() + 4 * 12);
  }
  RetargetOptions options;
  options.fps = 120;
  const Moved locked = moved(glitch, retargeted_humanoid(), options);
  double last = world_at(locked.character, 0)[at(foot)].translation.y, fastest = 0;
  for (double time = 1.0 / 120; time < 1.1; time += 1.0 / 120) {
    const double now = world_at(locked.character, time)[at(foot)].translation.y;
    fastest = std::max(fastest, 120 * std::abs(now - last));
    last = now;
  }
  EXPECT_LT(fastest, 2.5) << "metres a second";
}

// Feet, of animals front and hind, hang from the hips instead of their legs, as in control rigs.
Character with_feet_apart(Character character) {
  const std::vector<Affined> world = rest_world(character);
  for (Node& node : character.nodes) {
    if (node.name.starts_with("foot") || node.name.find("_foot") != std::string::npos)
      node.parent = *find_node(character, "hips");
  }
  return with_rest(std::move(character), world);
}

TEST(Retarget, CarriesFeetThatHangFromElsewhereWithTheirLegs) {
  for (const MadeMotion motion : {MadeMotion::walk, MadeMotion::trot}) {
    const Character source = *make_motion(motion), apart = with_feet_apart(source);
    SCOPED_TRACE(source.name);
    for (const bool locks_feet : {true, false}) {
      RetargetOptions options;
      options.locks_feet = locks_feet;
      const Moved whole = moved(source, source, options), split = moved(source, apart, options);
      // Knees of almost straight legs move by the root of what their feet do.
      EXPECT_LT(distance(whole.character, split.character), 1e-4);
      const auto is_noted = [](const Note& note) { return note.id == "ends-carried"; };
      EXPECT_TRUE(std::any_of(split.notes.begin(), split.notes.end(), is_noted));
      EXPECT_FALSE(std::any_of(whole.notes.begin(), whole.notes.end(), is_noted));
    }
  }
}

TEST(Retarget, KeepsFeetWithTheirLegsWhereTheMotionHasNone) {
  const Character apart = with_feet_apart(walker());
  Result<MappedMotion> map = map_motion(walker(), apart);
  ASSERT_TRUE(map);
  for (const JointRole role : {JointRole::foot_l, JointRole::foot_r}) map->map.source.of(role).clear();
  Character target = apart;
  target.clips = {retarget_clip(walker(), 0, apart, map->map, plain())->clip};
  const std::vector<Affined> rest = rest_world(apart);
  const Index shin = *find_node(apart, "shin_L"), foot = *find_node(apart, "foot_L");
  const Vec3d bone = (inverse(rest[at(shin)]) * rest[at(foot)]).translation;
  for (const double time : {0.0, 0.3, 0.8}) {
    const std::vector<Affined> world = world_at(target, time);
    EXPECT_LT(length((inverse(world[at(shin)]) * world[at(foot)]).translation - bone), 1e-5) << time;
  }
}

TEST(Retarget, TellsOfMotionsForAnotherNumberOfLegs) {
  const Character person = *make_motion(MadeMotion::walk), animal = *make_motion(MadeMotion::trot);
  const auto is_noted = [](const Character& source, const Character& target) {
    const Result<MappedMotion> map = map_motion(source, target);
    EXPECT_TRUE(map);
    const Result<RetargetedClip> clip = retarget_clip(source, 0, target, map->map);
    EXPECT_TRUE(clip);
    return std::any_of(clip->notes.begin(), clip->notes.end(),
                       [](const Note& note) { return note.id == "motion-unlike"; });
  };
  EXPECT_TRUE(is_noted(animal, person));
  EXPECT_TRUE(is_noted(person, animal));
  EXPECT_FALSE(is_noted(animal, animal));
  EXPECT_FALSE(is_noted(person, person));
  // However high it holds its head: an elephant with its trunk up stands on four legs.
  Character proud = animal;
  const Index neck = NodeFinder(proud).find("neck_1").value();
  Quat& rest = proud.nodes[at(neck)].rest.rotation;
  rest = Quat(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(-80))) * rest;
  EXPECT_FALSE(is_noted(animal, proud));
}

TEST(Retarget, SaysWhenAMotionIsTooShortToLoop) {
  Character pose = walker();
  for (Channel& channel : pose.clips[0].channels) {
    channel.values.resize(2 * channel.values.size() / channel.times.size());
    channel.times.resize(2);
  }
  const Result<MappedMotion> map = map_motion(pose, walker());
  ASSERT_TRUE(map);
  RetargetOptions options;
  options.is_loop = true;
  const Result<RetargetedClip> clip = retarget_clip(pose, 0, walker(), map->map, options);
  ASSERT_TRUE(clip) << clip.error().sentence;
  EXPECT_EQ(clip->figures.frame_count, 2u);
  EXPECT_TRUE(std::any_of(clip->notes.begin(), clip->notes.end(),
                          [](const Note& note) { return note.id == "loop-too-short"; }));
}

TEST(Retarget, BlendsInAndOutOfStandingWithoutAJump) {
  const Moved loose = moved(walker(), odd_body()), locked = moved(walker(), odd_body(), {});
  for (const char* name : {"foot_L", "foot_R", "shin_L", "shin_R"}) {
    const std::size_t joint = at(*find_node(walker(), name));
    const auto fastest = [&](const Character& character) {
      double most = 0;
      for (int k = 0; k < 33; ++k)
        most = std::max(most, length(world_at(character, (k + 1) / 30.0)[joint].translation -
                                     world_at(character, k / 30.0)[joint].translation));
      return most;
    };
    EXPECT_LT(fastest(locked.character), 1.25 * fastest(loose.character)) << name;
  }
}

TEST(Retarget, KeepsTheSideOfKneesAndElbowsOfOddBodies) {
  for (const MadeMotion motion : {MadeMotion::run, MadeMotion::range, MadeMotion::wave}) {
    const Result<Character> source = make_motion(motion);
    ASSERT_TRUE(source);
    const Moved odd = moved(*source, odd_body(), {});
    EXPECT_EQ(odd.figures.flipped_count, 0u) << source->name;
    EXPECT_GT(odd.figures.hinge_count, 20u);
  }
}

TEST(Retarget, SharesTheTurnOfASpineOutAmongOtherCounts) {
  // A bend of the chest by 40 degrees in a source of two joints, onto a spine of four.
  Character source = walker();
  source.clips[0].channels.clear();
  const Index chest = *find_node(source, "chest"), spine = *find_node(source, "spine");
  const Quat half(quat_from_axis_angle({1, 0, 0}, radians_from_degrees(20)));
  for (const Index joint : {spine, chest})
    source.clips[0].channels.push_back(test::channel_of(ChannelPath::rotation, joint, Interpolation::linear,
                                                        {0, 1},
                                                        {0, 0, 0, 1, half.x, half.y, half.z, half.w}));
  Character target = walker();
  // Two more joints on the way from spine to chest.
  const Vec3 way = target.nodes[at(chest)].rest.translation;
  target.nodes[at(chest)].rest.translation = way * (1.0f / 3);
  for (const char* name : {"spine_b", "spine_c"}) {
    Node node = test::node_at(name, target.nodes[at(chest)].parent, way * (1.0f / 3));
    target.nodes.push_back(node);
    target.nodes[at(chest)].parent = static_cast<Index>(target.nodes.size() - 1);
  }
  const Moved bent = moved(source, target);
  const std::vector<Affined> world = world_at(bent.character, 1);
  const auto angle = [&](const char* name) {
    const std::size_t n = at(*find_node(bent.character, name));
    return degrees_from_radians(length(log(quat_from_matrix(world[n].linear))));
  };
  EXPECT_NEAR(angle("spine"), 10, 1e-3);
  EXPECT_NEAR(angle("spine_b"), 20, 1e-3);
  EXPECT_NEAR(angle("spine_c"), 30, 1e-3);
  EXPECT_NEAR(angle("chest"), 40, 1e-3);
}

TEST(Retarget, TakesAsManyFramesASecondAsAskedFor) {
  RetargetOptions options = plain();
  options.fps = 60;
  const Moved dense = moved(walker(), walker(), options);
  EXPECT_EQ(dense.figures.frame_count, 67u);
  EXPECT_NEAR(dense.figures.seconds, 1.1, 1e-6);
  EXPECT_LT(distance(walker(), dense.character), 1e-5);
  options.fps = 1e9;
  const Result<MappedMotion> map = map_motion(walker(), walker());
  EXPECT_FALSE(retarget_clip(walker(), 0, walker(), map->map, options));
}

void expect_ends_meet(const Character& character, bool is_travelling) {
  const Clip& clip = character.clips[0];
  for (const Channel& channel : clip.channels) {
    const std::size_t width = channel.path == ChannelPath::rotation ? 4 : 3;
    const float *first = channel.values.data(), *last = channel.values.data() + channel.values.size() - width;
    if (channel.path == ChannelPath::rotation) {
      const Quat a{first[0], first[1], first[2], first[3]}, b{last[0], last[1], last[2], last[3]};
      EXPECT_GT(std::abs(dot(a, b)), 1 - 2e-6) << character.nodes[at(channel.target)].name;
    } else {
      EXPECT_NEAR(first[1], last[1], 2e-3);
      if (!is_travelling) {
        EXPECT_NEAR(first[0], last[0], 1e-5);
        EXPECT_NEAR(first[2], last[2], 1e-5);
      } else {
        EXPECT_GT(last[2] - first[2], 0.3f);
      }
    }
  }
}

TEST(Retarget, MakesTheEndsOfALoopMeetTravellingOrInPlace) {
  // Three quarters of a stride: no loop by itself.
  Character source = walker();
  for (Channel& channel : source.clips[0].channels) {
    const std::size_t width = channel.values.size() / channel.times.size();
    channel.times.resize(26);
    channel.values.resize(26 * width);
  }
  RetargetOptions options;
  options.is_loop = true;
  expect_ends_meet(moved(source, odd_body(), options).character, true);
  expect_ends_meet(moved(walker(), odd_body(), options).character, true);
  options.is_in_place = true;
  expect_ends_meet(moved(walker(), odd_body(), options).character, false);
}

TEST(Retarget, LeavesAnAddedTPoseOutAndComparesPosesByIt) {
  Character captured = walker();
  for (Channel& channel : captured.clips[0].channels) {
    for (float& time : channel.times) time += 1.0f / 30;
    channel.times.insert(channel.times.begin(), 0);
    const std::string& name = captured.nodes[at(channel.target)].name;
    std::vector<float> first = {0, 0, 0, 1};
    if (name == "upper_arm_L" || name == "upper_arm_R") {
      const Quat level(
          quat_from_axis_angle({0, 0, name.back() == 'L' ? 1.0 : -1.0}, radians_from_degrees(47)));
      first = {level.x, level.y, level.z, level.w};
    }
    if (channel.path == ChannelPath::translation) first = {0, 0.955f, -0.005f};
    channel.values.insert(channel.values.begin(), first.begin(), first.end());
  }
  const Moved taken = moved(captured, walker());
  EXPECT_TRUE(taken.figures.has_t_pose);
  EXPECT_EQ(taken.figures.frame_count, 34u);
  EXPECT_TRUE(std::any_of(taken.notes.begin(), taken.notes.end(),
                          [](const Note& note) { return note.id == "t-pose-left-out"; }));
  // Directions are kept; arms twist a little, because the way from one pose to the other was not the
  // shortest.
  EXPECT_LT(distance(walker(), taken.character), 5e-3);
  EXPECT_FALSE(moved(walker(), walker()).figures.has_t_pose);
}

TEST(Retarget, SaysWhichJointsOfEitherSideHaveNoCounterpart) {
  Character tailed = walker();
  tailed.nodes.push_back(test::node_at("tail", 0, {0, 0, -0.2f}));
  Character horned = walker();
  horned.nodes.push_back(test::node_at("horn", *find_node(horned, "head"), {0, 0.2f, 0}));
  const Moved both = moved(tailed, horned);
  std::string said;
  for (const Note& note : both.notes) said += note.sentence;
  EXPECT_NE(said.find("'tail'"), std::string::npos) << said;
  EXPECT_NE(said.find("'horn'"), std::string::npos) << said;
}

TEST(Retarget, CarriesHelpersOfTheSameNameToo) {
  Character twisted = walker();
  const Index fore = *find_node(twisted, "forearm_L");
  twisted.nodes.push_back(test::node_at("forearm_twist_L", fore, {0.08f, -0.09f, 0}));
  twisted.nodes.push_back(
      test::node_at("bracelet_L", static_cast<Index>(twisted.nodes.size() - 1), {0, 0, 0.05f}));
  const Quat half(quat_from_axis_angle({0.7, -0.7, 0}, 1));
  twisted.clips[0].channels.push_back(
      test::channel_of(ChannelPath::rotation, static_cast<Index>(twisted.nodes.size() - 2),
                       Interpolation::linear, {0, 1.1f}, {0, 0, 0, 1, half.x, half.y, half.z, half.w}));
  RetargetOptions options = plain();
  options.fps = 30;
  const Moved same = moved(twisted, twisted, options);
  EXPECT_LT(distance(twisted, same.character), 1e-4);
}

// ---- Hands and tails ----

struct PartBone {
  const char* name;
  Index parent;
  Vec3 offset;
};
Character part_of_bones(const std::vector<PartBone>& bones) {
  Character character;
  for (const PartBone& bone : bones)
    character.nodes.push_back(test::node_at(bone.name, bone.parent, bone.offset));
  return character;
}

// A flat hand: fingers along +Y, the thumb towards +X, and a clip that bends every finger joint by 60 degrees
// about +X.
Character fist() {
  Character hand = part_of_bones({{"hand_L", kNone, {}},
                                  {"thumb_01_L", 0, {0.3f, 0.2f, 0}},
                                  {"thumb_02_L", 1, {0.3f, 0.1f, 0}},
                                  {"index_01_L", 0, {0.2f, 1, 0}},
                                  {"index_02_L", 3, {0, 0.5f, 0}},
                                  {"pinky_01_L", 0, {-0.2f, 0.9f, 0}},
                                  {"pinky_02_L", 5, {0, 0.4f, 0}}});
  Clip clip;
  clip.name = "fist";
  for (Index n = 1; n < 7; ++n) {
    const Quat bent(quat_from_axis_angle(Vec3d{1, 0, 0}, radians_from_degrees(60)));
    clip.channels.push_back(test::channel_of(ChannelPath::rotation, n, Interpolation::linear, {0, 1},
                                             {0, 0, 0, 1, bent.x, bent.y, bent.z, bent.w}));
  }
  hand.clips = {clip};
  return hand;
}

// Another hand with other names, size and proportions, turned in space.
Character other_hand(const Quatd& turn, bool is_right) {
  const float side = is_right ? -1.0f : 1.0f;
  Character hand =
      part_of_bones({{is_right ? "RightHand" : "LeftHand", kNone, {5, 6, 7}},
                     {is_right ? "RightHandThumb1" : "LeftHandThumb1", 0, {side * 0.9f, 0.6f, 0}},
                     {is_right ? "RightHandThumb2" : "LeftHandThumb2", 1, {side * 0.9f, 0.3f, 0}},
                     {is_right ? "RightHandIndex1" : "LeftHandIndex1", 0, {side * 0.6f, 3, 0}},
                     {is_right ? "RightHandIndex2" : "LeftHandIndex2", 3, {0, 1.5f, 0}},
                     {is_right ? "RightHandPinky1" : "LeftHandPinky1", 0, {side * -0.6f, 2.7f, 0}},
                     {is_right ? "RightHandPinky2" : "LeftHandPinky2", 5, {0, 1.2f, 0}}});
  hand.nodes[0].rest.rotation = Quat(turn);
  return hand;
}

TEST(Retarget, ClosesAHandByTheFistOfAnotherWithoutHips) {
  const Quatd turn = quat_from_axis_angle(normalized(Vec3d{1, 2, 3}), 1.1);
  for (const bool is_right : {false, true}) {
    const Moved closed = moved(fist(), other_hand(turn, is_right));
    const std::vector<Affined> end = world_at(closed.character, 1), rest = world_at(closed.character, 0);
    // Fingers along the hand's +Y bend by 60 and 120 degrees about its +X: palms face +Z on either side.
    for (const Index tip : {4, 6}) {
      const Mat3d hand = end[0].linear;
      const Vec3d was = rest[at(tip)].translation - rest[at(tip - 1)].translation;
      const Vec3d is = end[at(tip)].translation - end[at(tip - 1)].translation;
      EXPECT_NEAR(dot(normalized(was), normalized(is)), 0.5, 1e-4) << tip;
      EXPECT_GT(dot(is, hand.z), 0) << tip;
    }
    EXPECT_LT(length(end[0].translation - rest[0].translation), 1e-6);
  }
}

// Fingers whose joints hang side by side would be torn apart by rotations.
TEST(MapMotion, RefusesHandsStoredAsAFlatList) {
  Character flat = other_hand(Quatd{}, false);
  const std::vector<Affined> world = rest_world(flat);
  for (std::size_t n = 0; n < flat.nodes.size(); ++n) {
    flat.nodes[n].parent = kNone;
    flat.nodes[n].rest = transform_from_affine(world[n]);
  }
  EXPECT_FALSE(map_motion(fist(), flat));
}

TEST(Retarget, CarriesAChainOntoAChainOfAnotherCount) {
  Character tail, rope;
  for (int n = 0; n < 9; ++n) tail.nodes.push_back(test::node_at("", n - 1, {0, 0, n == 0 ? 0.0f : -1.0f}));
  for (int n = 0; n < 5; ++n) rope.nodes.push_back(test::node_at("", n - 1, {n == 0 ? 0.0f : 4.0f, 0, 0}));
  Clip clip;
  clip.name = "curl";
  for (Index n = 0; n < 8; ++n) {
    const Quat bent(quat_from_axis_angle(Vec3d{0, 1, 0}, radians_from_degrees(10)));
    clip.channels.push_back(test::channel_of(ChannelPath::rotation, n, Interpolation::linear, {0, 1},
                                             {0, 0, 0, 1, bent.x, bent.y, bent.z, bent.w}));
  }
  tail.clips = {clip};
  const Moved curled = moved(tail, rope);
  const std::vector<Affined> end = world_at(curled.character, 1);
  // The last but one joint of the rope is at three quarters of its way, where the tail is turned by 70
  // degrees.
  const Vec3d last = normalized(end[4].translation - end[3].translation);
  EXPECT_NEAR(last.x, std::cos(radians_from_degrees(70)), 1e-4);
  EXPECT_GT(length(end[4].translation), 8);
}

TEST(Retarget, RefusesJointsThatAreMappedTwice) {
  MotionMap map;
  map.pairs = {{1, 1}, {2, 1}};
  const Result<RetargetedClip> twice = retarget_clip(walker(), 0, walker(), map);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Errc::bad_argument);
  EXPECT_NE(twice.error().sentence.find("mapped twice"), std::string::npos) << twice.error().sentence;
}

TEST(Retarget, RefusesMapsThatShareTooLittle) {
  const Result<RetargetedClip> none = retarget_clip(walker(), 0, walker(), {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::bad_rig);
  const Result<MappedMotion> map = map_motion(walker(), walker());
  EXPECT_FALSE(retarget_clip(walker(), 3, walker(), map->map));
}

}  // namespace
}  // namespace dermis
