// SPDX-License-Identifier: MIT
// Fingers on hands of which it is known how many they have, and where.
#include "rig/fingers.h"

#include "rig/bodies.h"

namespace dermis {
namespace {

using test::Capsule;
using test::Soup;

// Knuckle and tip of fingers on the left, from the front of the body to its back; the thumb first.
struct Ray {
  Vec3d from, to;
  double radius;
};
constexpr double kFingerRadius = 0.013;
std::vector<Ray> rays(int count, bool has_thumb) {
  std::vector<Ray> list;
  if (has_thumb) list.push_back({{0.735, 1.42, 0.03}, {0.80, 1.42, 0.115}, 0.015});
  for (int k = 0; k < count; ++k) {
    const double across = count == 1 ? 0 : 1 - 2.0 * k / (count - 1);
    list.push_back({{0.80, 1.42, 0.045 * across}, {0.90, 1.42, 0.08 * across}, kFingerRadius});
  }
  return list;
}

std::vector<Capsule> hand(const std::vector<Ray>& fingers, double side) {
  const auto placed = [&](const Vec3d& p) { return Vec3d{side * p.x, p.y, p.z}; };
  std::vector<Capsule> parts;
  for (const double across : {0.045, 0.015, -0.015, -0.045})
    parts.push_back({placed({0.715, 1.42, 0.3 * across}), placed({0.79, 1.42, across}), 0.02});
  for (const Ray& ray : fingers) parts.push_back({placed(ray.from), placed(ray.to), ray.radius});
  return parts;
}

// The doll with these fingers on its left, and those on its right; none: the doll's own fist.
Soup body_with(const std::vector<Ray>& left, const std::vector<Ray>& right) {
  std::vector<Capsule> parts = test::doll();
  std::erase_if(parts, [&](const Capsule& part) {
    return (part.to.x > 0.8 && !left.empty()) || (part.to.x < -0.8 && !right.empty());
  });
  Soup soup = test::capsule_soup(parts, 0.022);
  if (!left.empty()) soup.add(test::capsule_soup(hand(left, 1), 0.006));
  if (!right.empty()) soup.add(test::capsule_soup(hand(right, -1), 0.006));
  return soup;
}

FoundSkeleton found_in(const Soup& soup) {
  Result<FoundSkeleton> found = test::find_in(soup, test::only("biped"));
  EXPECT_TRUE(found) << (found ? "" : found.error().sentence);
  return found ? std::move(*found) : FoundSkeleton{};
}
const FoundSkeleton& five_fingered() {
  static const FoundSkeleton found = found_in(body_with(rays(4, true), rays(4, true)));
  return found;
}
std::vector<std::string> fingers_of(const FoundSkeleton& found, const std::string& side) {
  std::vector<std::string> names;
  for (const FoundChain& chain : found.chains)
    if (chain.name.ends_with(side)) names.push_back(chain.name.substr(0, chain.name.size() - 2));
  return names;
}
bool has_note(const FoundSkeleton& found, std::string_view id) {
  return std::any_of(found.notes.begin(), found.notes.end(), [&](const Note& note) { return note.id == id; });
}
using Names = std::vector<std::string>;

TEST(Fingers, AreCountedAndNamedFromTheThumb) {
  const Names all{"thumb", "index", "middle", "ring", "pinky"};
  EXPECT_EQ(fingers_of(five_fingered(), "_L"), all);
  EXPECT_EQ(fingers_of(five_fingered(), "_R"), all);
  EXPECT_TRUE(has_note(five_fingered(), "fingers-found"));
  const FoundSkeleton four = found_in(body_with(rays(3, true), rays(3, true)));
  EXPECT_EQ(fingers_of(four, "_L"), (Names{"thumb", "index", "middle", "pinky"}));
  EXPECT_EQ(fingers_of(four, "_R"), (Names{"thumb", "index", "middle", "pinky"}));
  const FoundSkeleton three = found_in(body_with(rays(2, true), rays(2, true)));
  EXPECT_EQ(fingers_of(three, "_L"), (Names{"thumb", "index", "middle"}));
}

TEST(Fingers, LieOnTheirAxesInOrder) {
  const std::vector<Ray> truth = rays(4, true);
  for (const double side : {1.0, -1.0}) {
    const std::string mark = side > 0 ? "_L" : "_R";
    const Names names{"thumb", "index", "middle", "ring", "pinky"};
    for (std::size_t f = 0; f < names.size(); ++f) {
      const Vec3d from{side * truth[f].from.x, truth[f].from.y, truth[f].from.z};
      const Vec3d to{side * truth[f].to.x, truth[f].to.y, truth[f].to.z};
      const Vec3d tip = to + normalized(to - from) * truth[f].radius;
      double passed = -INFINITY;
      for (const char* number : {"_1", "_2", "_3", "_end"}) {
        const FoundJoint* joint = test::joint_named(five_fingered(), names[f] + number + mark);
        ASSERT_NE(joint, nullptr) << names[f] << number << mark;
        EXPECT_GT(dot(joint->at - from, to - from), passed);
        passed = dot(joint->at - from, to - from);
        if (std::string_view(number) == "_1") continue;  // in the palm
        EXPECT_LT(distance_to_segment(joint->at, from, tip), 0.6 * truth[f].radius) << joint->name;
      }
      EXPECT_LT(length(test::joint_named(five_fingered(), names[f] + "_end" + mark)->at - tip), 0.01);
      // In the palm, within a quarter of the finger.
      if (f > 0) {
        EXPECT_LT(length(test::joint_named(five_fingered(), names[f] + "_1" + mark)->at - from),
                  0.25 * length(tip - from))
            << names[f];
      }
    }
  }
}

TEST(Fingers, HangFromTheirHandAndReplaceItsEnd) {
  const FoundSkeleton& found = five_fingered();
  EXPECT_EQ(test::joint_named(found, "hand_end_L"), nullptr);
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    const FoundJoint& joint = found.joints[j];
    ASSERT_LT(joint.parent, static_cast<Index>(j)) << joint.name;
    if (joint.name == "index_1_R") {
      EXPECT_EQ(found.joints[at(joint.parent)].name, "hand_R");
    }
    if (joint.name == "index_2_R") {
      EXPECT_EQ(found.joints[at(joint.parent)].name, "index_1_R");
    }
    EXPECT_EQ(joint.is_end, joint.name.find("_end") != std::string::npos) << joint.name;
  }
}

TEST(Fingers, LieInsideTheHand) {
  for (const double side : {1.0, -1.0}) {
    const test::CapsuleField field(hand(rays(4, true), side));
    for (const FoundJoint& joint : five_fingered().joints) {
      const bool is_finger = joint.name.find("_1_") != std::string::npos ||
                             joint.name.find("_2_") != std::string::npos ||
                             joint.name.find("_3_") != std::string::npos;
      if (is_finger && joint.at.x * side > 0) {
        EXPECT_LT(field.value(joint.at), 0) << joint.name;
      }
    }
  }
}

TEST(Fingers, AreMirrorImagesOnASymmetricBody) {
  ASSERT_GT(five_fingered().symmetry, 0.9);
  for (const FoundJoint& left : five_fingered().joints) {
    if (!left.name.ends_with("_L")) continue;
    const FoundJoint* right =
        test::joint_named(five_fingered(), left.name.substr(0, left.name.size() - 1) + "R");
    ASSERT_NE(right, nullptr) << left.name;
    EXPECT_LT(length(Vec3d{-left.at.x, left.at.y, left.at.z} - right->at), 0.005) << left.name;
  }
}

// Without fingers a body has the joints of its template.
TEST(Fingers, AreNotFoundOnFists) {
  const FoundSkeleton fists = found_in(test::doll_soup());
  EXPECT_TRUE(fists.chains.empty());
  EXPECT_EQ(fists.joints.size(), rig_templates()[0].joints.size());
  EXPECT_FALSE(has_note(fists, "fingers-found"));
}

TEST(Fingers, AreNotFoundOnMittens) {
  const std::vector<Ray> mitten{{{0.735, 1.42, 0.03}, {0.80, 1.42, 0.115}, 0.015},
                                {{0.80, 1.42, 0.03}, {0.87, 1.42, 0.03}, 0.024},
                                {{0.80, 1.42, 0}, {0.88, 1.42, 0}, 0.024},
                                {{0.80, 1.42, -0.03}, {0.87, 1.42, -0.03}, 0.024}};
  const FoundSkeleton found = found_in(body_with(mitten, mitten));
  EXPECT_TRUE(found.chains.empty()) << found.chains.size();
  EXPECT_NE(test::joint_named(found, "hand_end_L"), nullptr);
}

TEST(Fingers, OfOneHandAloneAreSaid) {
  const FoundSkeleton found = found_in(body_with(rays(4, true), {}));
  EXPECT_EQ(fingers_of(found, "_L").size(), 5u);
  EXPECT_TRUE(fingers_of(found, "_R").empty());
  EXPECT_TRUE(has_note(found, "fingers-differ"));
  EXPECT_NE(test::joint_named(found, "hand_end_R"), nullptr);
}

TEST(Fingers, DoNotMoveOtherJoints) {
  const FoundSkeleton one = found_in(body_with(rays(4, true), {}));
  const FoundSkeleton fists = found_in(test::doll_soup());
  for (const char* name : {"hips", "head", "shin_L", "upper_arm_R", "foot_R"})
    EXPECT_LT(length(test::joint_named(one, name)->at - test::joint_named(fists, name)->at), 0.03) << name;
}

TEST(Fingers, HaveTheNamesThatMixamoGivesThem) {
  EXPECT_EQ(mixamo_name("thumb_1_L"), "mixamorig:LeftHandThumb1");
  EXPECT_EQ(mixamo_name("pinky_3_R"), "mixamorig:RightHandPinky3");
  EXPECT_EQ(mixamo_name("index_end_L"), "mixamorig:LeftHandIndex4");
  EXPECT_EQ(mixamo_name("index_5_L"), "index_5_L");
  EXPECT_EQ(mixamo_name("thumb"), "thumb");
}

TEST(Fingers, MoveToTheirMarkers) {
  RigOptions options = test::only("biped");
  const Vec3d knuckle{0.79, 1.425, 0.045}, tail{0, 1, -0.13};
  options.markers = {{"LeftHandIndex1", knuckle}, {"tail_2", tail}};
  const Result<FoundSkeleton> found = test::find_in(body_with(rays(4, true), rays(4, true)), options);
  ASSERT_TRUE(found) << found.error().sentence;
  EXPECT_EQ(test::joint_named(*found, "index_1_L")->at, knuckle);
  EXPECT_TRUE(has_note(*found, "marker-unused")) << "there is no tail";
}

// The made humanoid knows where its joints are.
TEST(Fingers, OfTheMadeHumanoidLieNearItsOwnJoints) {
  const Character& character = test::made(MadeKind::humanoid);
  const FoundSkeleton found = found_in(test::made_soup(MadeKind::humanoid));
  const std::vector<Affined> world = rest_world(character);
  std::size_t count = 0;
  for (std::size_t n = 0; n < world.size(); ++n) {
    const std::string& name = character.nodes[n].name;
    for (const char* finger : {"thumb_", "index_", "middle_", "ring_", "pinky_"}) {
      if (!name.starts_with(finger)) continue;
      const FoundJoint* joint = test::joint_named(found, name);
      ASSERT_NE(joint, nullptr) << name;
      EXPECT_LT(length(joint->at - world[n].translation), 0.02) << name;
      ++count;
    }
  }
  EXPECT_EQ(count, 30u);
}

}  // namespace
}  // namespace dermis
