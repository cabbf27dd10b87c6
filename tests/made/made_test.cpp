// SPDX-License-Identifier: MIT
// What every built-in character promises, at every size: one closed clean surface, sound weights, a sound
// clip.
#include "dermis/made.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "dermis/geometry.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

// Characters are made once for all tests of a size.
const Character& made(MadeKind kind, std::size_t points) {
  static std::map<std::pair<MadeKind, std::size_t>, std::unique_ptr<Character>> cache;
  std::unique_ptr<Character>& entry = cache[{kind, points}];
  if (!entry) {
    Result<Character> result = make_character(kind, {points});
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().sentence);
    entry = std::make_unique<Character>(result.ok() ? std::move(result).value() : Character{});
  }
  return *entry;
}

std::vector<SurfaceMesh::Triangle> triangles_of(const Mesh& mesh) {
  std::vector<SurfaceMesh::Triangle> result;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const auto polygon = mesh.polygons.polygon(p);
    EXPECT_EQ(polygon.size(), 3u);
    result.push_back({static_cast<std::uint32_t>(polygon[0]), static_cast<std::uint32_t>(polygon[1]),
                      static_cast<std::uint32_t>(polygon[2])});
  }
  return result;
}

double signed_volume(const Mesh& mesh) {
  double six_volumes = 0;
  for (const auto& t : triangles_of(mesh))
    six_volumes += dot(Vec3d(mesh.points[t[0]]), cross(Vec3d(mesh.points[t[1]]), Vec3d(mesh.points[t[2]])));
  return six_volumes / 6;
}

std::string heaviest_joint(const Character& character, std::size_t v) {
  const Index slot = character.meshes[0].weights.row(v).front().slot;
  const Index node = character.skins[0].node[static_cast<std::size_t>(slot)];
  return character.nodes[static_cast<std::size_t>(node)].name;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::vector<Vec3d> posed(const Character& character, double time) {
  PoseRequest request;
  request.clip = 0;
  request.time = time;
  const Result<PoseFrame> frame = pose_frame(character, request);
  EXPECT_TRUE(frame.ok());
  const auto palette = frame->palette_of(0);
  const Mesh& mesh = character.meshes[0];
  std::vector<Vec3d> result(mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v)
    for (const Influence& i : mesh.weights.row(v))
      result[v] +=
          palette[static_cast<std::size_t>(i.slot)] * Vec3d(mesh.points[v]) * static_cast<double>(i.weight);
  return result;
}

constexpr MadeKind kAllKinds[] = {MadeKind::tube,      MadeKind::arm,  MadeKind::humanoid,
                                  MadeKind::quadruped, MadeKind::hand, MadeKind::face};
constexpr MadeKind kMirroredKinds[] = {MadeKind::humanoid, MadeKind::quadruped, MadeKind::face};

struct Size {
  MadeKind kind;
  std::size_t points;
};
class MadeAtSize : public testing::TestWithParam<Size> {
 protected:
  const Character& character() const { return made(GetParam().kind, GetParam().points); }
  const Mesh& mesh() const { return character().meshes.at(0); }
};

TEST_P(MadeAtSize, IsOneClosedManifoldBall) {
  const SurfaceTopology topology = measure_topology(mesh().points.size(), triangles_of(mesh()));
  EXPECT_TRUE(topology.is_closed);
  EXPECT_TRUE(topology.is_manifold);
  EXPECT_EQ(topology.component_count, 1u);
  EXPECT_EQ(topology.unused_point_count, 0u);
  EXPECT_EQ(topology.euler_characteristic, 2);
}

TEST_P(MadeAtSize, HasTheWantedPointsWithinTwoPerCent) {
  const double wanted = static_cast<double>(GetParam().points),
               got = static_cast<double>(mesh().points.size());
  EXPECT_NEAR(got / wanted, 1.0, 0.02);
}

TEST_P(MadeAtSize, IsValidAndFacesOutward) {
  const Status status = validate(character());
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().sentence);
  EXPECT_GT(signed_volume(mesh()), 0.0);
}

TEST_P(MadeAtSize, StandsOnTheGround) {
  Box box;
  for (const Vec3& p : mesh().points) box.add(Vec3d(p));
  EXPECT_NEAR(box.lower.y, 0.0, 0.01 * box.diagonal());
}

TEST_P(MadeAtSize, HasNoDegenerateTriangle) {
  for (const auto& t : triangles_of(mesh())) {
    const Vec3d a(mesh().points[t[0]]), b(mesh().points[t[1]]), c(mesh().points[t[2]]);
    const double longest = std::max({dot(b - a, b - a), dot(c - b, c - b), dot(a - c, a - c)});
    ASSERT_GT(length(cross(b - a, c - a)), 0.01 * longest);
  }
}

TEST_P(MadeAtSize, HasUnitNormalsThatFollowTheFaces) {
  // Coarse meshes bend a lot at a point; with more points, faces and normals agree almost everywhere.
  const std::size_t wanted = GetParam().points;
  const double cosine = std::cos(radians_from_degrees(wanted >= 5000 ? 30 : 60));
  const double share = wanted >= 20000 ? 0.03 : 0.10;
  std::size_t off_count = 0, corner_count = 0;
  ASSERT_EQ(mesh().normals.values.size(), mesh().points.size());
  for (const auto& t : triangles_of(mesh())) {
    const Vec3d a(mesh().points[t[0]]), b(mesh().points[t[1]]), c(mesh().points[t[2]]);
    const Vec3d face = normalized(cross(b - a, c - a));
    for (const std::uint32_t v : t) {
      const Vec3d normal(mesh().normals.values[v]);
      ASSERT_NEAR(length(normal), 1.0, 1e-5);
      ++corner_count;
      off_count += dot(face, normal) < cosine;
    }
  }
  EXPECT_LT(static_cast<double>(off_count), share * static_cast<double>(corner_count));
}

TEST_P(MadeAtSize, StretchesNoEdgeFarInItsClip) {
  const auto triangles = triangles_of(mesh());
  const Clip& clip = character().clips.at(0);
  // A handful of triangles make a whole finger or armpit of a coarse mesh.
  const double limit = GetParam().points >= 5000 ? 0.005 : 0.02;
  for (const double share : {0.3, 0.6}) {
    const std::vector<Vec3d> points =
        posed(character(),
              static_cast<double>(clip.start()) + share * static_cast<double>(clip.end() - clip.start()));
    std::size_t far_count = 0, edge_count = 0;
    for (const auto& t : triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t a = t[k], b = t[(k + 1) % 3];
        const double rest = length(Vec3d(mesh().points[a]) - Vec3d(mesh().points[b]));
        ++edge_count;
        // Lids slide over the eyes and lips part: a few edges there open widely.
        far_count += length(points[a] - points[b]) > 3.0 * rest;
      }
    EXPECT_LT(static_cast<double>(far_count), limit * static_cast<double>(edge_count)) << "at " << share;
  }
}

std::vector<Size> all_sizes() {
  std::vector<Size> sizes;
  for (const MadeKind kind : kAllKinds)
    for (const std::size_t points : {1000u, 5000u, 20000u}) sizes.push_back({kind, points});
  sizes.push_back({MadeKind::quadruped, 200000});
  return sizes;
}
std::string size_name(const testing::TestParamInfo<Size>& info) {
  for (const MadeRow& row : made_kinds())
    if (row.kind == info.param.kind) return row.name + std::string("_") + std::to_string(info.param.points);
  return "unknown";
}
INSTANTIATE_TEST_SUITE_P(AllKinds, MadeAtSize, testing::ValuesIn(all_sizes()), size_name);

TEST(Made, EveryPointHasItsMirrorImage) {
  for (const MadeKind kind : kMirroredKinds) {
    const Mesh& mesh = made(kind, 5000).meshes.at(0);
    std::set<std::array<float, 3>> points;
    for (const Vec3& p : mesh.points) points.insert({p.x, p.y, p.z});
    for (const Vec3& p : mesh.points) ASSERT_TRUE(points.count({p.x == 0 ? 0.0f : -p.x, p.y, p.z}));
  }
}

TEST(Made, NoSideFollowsTheOther) {
  // Limbs meet in the middle of the body; a few centimetres off it, one side knows nothing of the other.
  for (const MadeKind kind : kMirroredKinds) {
    const Character& character = made(kind, 20000);
    const double margin = kind == MadeKind::face ? 0.015 : 0.1;
    const Mesh& mesh = character.meshes.at(0);
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      if (std::abs(static_cast<double>(mesh.points[v].x)) < margin) continue;
      const std::string wrong = mesh.points[v].x > 0 ? "_R" : "_L";
      for (const Influence& i : mesh.weights.row(v)) {
        const Index node = character.skins[0].node[static_cast<std::size_t>(i.slot)];
        ASSERT_FALSE(ends_with(character.nodes[static_cast<std::size_t>(node)].name, wrong))
            << "at x " << mesh.points[v].x << " y " << mesh.points[v].y;
      }
    }
  }
}

TEST(Made, PointsFollowAtMostFourJoints) {
  for (const MadeKind kind : kAllKinds) {
    const WeightRows& rows = made(kind, 20000).meshes.at(0).weights;
    for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) ASSERT_LE(rows.row(v).size(), 4u);
  }
}

TEST(Made, WeightsChangeGraduallyAlongEdges) {
  // Kinds without fingers, whose joints are as long as the edges of this size.
  for (const MadeKind kind : {MadeKind::tube, MadeKind::arm, MadeKind::quadruped}) {
    const Mesh& mesh = made(kind, 20000).meshes.at(0);
    for (const auto& t : triangles_of(mesh)) {
      std::map<Index, double> difference;
      for (const Influence& i : mesh.weights.row(t[0])) difference[i.slot] += static_cast<double>(i.weight);
      for (const Influence& i : mesh.weights.row(t[1])) difference[i.slot] -= static_cast<double>(i.weight);
      for (const auto& [slot, d] : difference)
        ASSERT_LT(std::abs(d), 0.75) << mesh.name << " " << mesh.points[t[0]].x << " " << mesh.points[t[0]].y
                                     << " " << mesh.points[t[0]].z;
    }
  }
}

TEST(Made, FingertipsBelongToTheirFingers) {
  // The point furthest along each finger follows that finger's last joint alone, and so do its neighbours.
  for (const std::size_t points : {1000u, 20000u}) {
    const Character& hand = made(MadeKind::hand, points);
    const Mesh& mesh = hand.meshes.at(0);
    std::map<std::string, std::size_t> owned;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) ++owned[heaviest_joint(hand, v)];
    for (const char* finger : {"thumb", "index", "middle", "ring", "pinky"})
      EXPECT_GT(owned[finger + std::string("_3")], points / 200) << finger;
    for (const auto& t : triangles_of(mesh)) {
      const std::string a = heaviest_joint(hand, t[0]), b = heaviest_joint(hand, t[1]);
      // No edge leads from the outer phalanges of one finger to those of another.
      if (ends_with(a, "_3") && ends_with(b, "_3")) {
        ASSERT_EQ(a, b);
      }
    }
  }
}

TEST(Made, HumanoidHasTwoHandsOfFiveFingers) {
  const Character& person = made(MadeKind::humanoid, 20000);
  std::set<std::string> tips;
  for (std::size_t v = 0; v < person.meshes[0].points.size(); ++v) {
    const std::string joint = heaviest_joint(person, v);
    if (ends_with(joint, "_3_L") || ends_with(joint, "_3_R")) tips.insert(joint);
  }
  EXPECT_EQ(tips.size(), 10u);
}

TEST(Made, RestPoseLeavesPointsWhereTheyAre) {
  for (const MadeKind kind : kAllKinds) {
    const Character& character = made(kind, 1000);
    const Result<PoseFrame> frame = pose_frame(character, {});
    ASSERT_TRUE(frame.ok());
    for (const Affined& m : frame->palette_of(0)) EXPECT_LT(max_difference(m, Affined()), 1e-6);
  }
}

TEST(Made, ClipsEndWhereTheyStart) {
  for (const MadeKind kind : kAllKinds) {
    const Character& character = made(kind, 1000);
    const Clip& clip = character.clips.at(0);
    const std::vector<Vec3d> first = posed(character, static_cast<double>(clip.start())),
                             last = posed(character, static_cast<double>(clip.end()));
    for (std::size_t v = 0; v < first.size(); ++v) ASSERT_LT(length(first[v] - last[v]), 1e-4);
  }
}

TEST(Made, TubeIsExactlyRound) {
  const Mesh& mesh = made(MadeKind::tube, 20000).meshes.at(0);
  std::size_t ring_point_count = 0;
  for (const Vec3& p : mesh.points) {
    if (p.y < 0.11f || p.y > 0.89f) continue;
    ++ring_point_count;
    ASSERT_NEAR(std::hypot(p.x, p.z), 0.1, 1e-6);
  }
  EXPECT_GT(ring_point_count, 10000u);
}

TEST(Made, FaceOpensItsMouthAndShutsItsEyes) {
  const Character& face = made(MadeKind::face, 20000);
  const Mesh& mesh = face.meshes.at(0);
  std::set<std::string> names;
  for (const Shape& shape : mesh.shapes) {
    names.insert(shape.name);
    EXPECT_GT(shape.points.size(), 50u) << shape.name;
  }
  for (const char* name : {"smile_L", "smile_R", "blink_L", "blink_R", "jaw_open"})
    EXPECT_TRUE(names.count(name));
  for (const char* joint : {"jaw", "upper_lid_L", "lower_lid_L", "upper_lid_R", "lower_lid_R"})
    EXPECT_TRUE(find_node(face, joint).ok()) << joint;
}

TEST(Made, GivesTheSameBytesOnOneThreadAndOnTwo) {
  for (const MadeKind kind : {MadeKind::humanoid, MadeKind::hand}) {
    set_thread_count(1);
    const Result<Character> one = make_character(kind, {3000});
    set_thread_count(2);
    const Result<Character> two = make_character(kind, {3000});
    set_thread_count(0);
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(one->meshes[0].points, two->meshes[0].points);
    EXPECT_EQ(one->meshes[0].polygons.corners, two->meshes[0].polygons.corners);
    EXPECT_EQ(one->meshes[0].normals.values, two->meshes[0].normals.values);
    EXPECT_EQ(one->meshes[0].weights, two->meshes[0].weights);
  }
}

TEST(Made, RefusesSizesOutOfRange) {
  for (const std::size_t points : {std::size_t{10}, std::size_t{2000000}}) {
    const Result<Character> result = make_character(MadeKind::hand, {points});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Errc::bad_argument);
    EXPECT_NE(result.error().sentence.find("1000"), std::string::npos) << result.error().sentence;
  }
}

TEST(Made, StopsWhenAsked) {
  const std::atomic<bool> stop{true};
  const Result<Character> result = make_character(MadeKind::hand, {}, Progress({}, &stop));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Errc::cancelled);
}

TEST(Made, ListsEveryKindOnce) {
  std::set<std::string> names;
  for (const MadeRow& row : made_kinds()) names.insert(row.name);
  EXPECT_EQ(names, (std::set<std::string>{"tube", "arm", "humanoid", "quadruped", "hand", "face"}));
}

}  // namespace
}  // namespace dermis
