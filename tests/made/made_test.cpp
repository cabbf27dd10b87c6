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
#include "dermis/measure.h"
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

// Shapes, then linear blending.
std::vector<Vec3d> posed(const Character& character, const PoseRequest& request) {
  const Result<PoseFrame> frame = pose_frame(character, request);
  EXPECT_TRUE(frame.ok());
  const auto palette = frame->palette_of(0);
  const Mesh& mesh = character.meshes[0];
  std::vector<Vec3d> shaped(mesh.points.begin(), mesh.points.end());
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
    for (std::size_t i = 0; i < mesh.shapes[s].points.size(); ++i)
      shaped[static_cast<std::size_t>(mesh.shapes[s].points[i])] +=
          Vec3d(mesh.shapes[s].offsets[i]) * static_cast<double>(frame->shape_weights[0][s]);
  std::vector<Vec3d> result(mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v)
    for (const Influence& i : mesh.weights.row(v))
      result[v] += palette[static_cast<std::size_t>(i.slot)] * shaped[v] * static_cast<double>(i.weight);
  return result;
}

std::vector<Vec3d> at_time(const Character& character, double time) {
  PoseRequest request;
  request.clip = 0;
  request.time = time;
  return posed(character, request);
}

std::vector<Vec3d> in_pose(const Character& character, const Pose& pose) {
  PoseRequest request;
  request.pose = &pose;
  return posed(character, request);
}

// A turn about the world's x, to which joint frames are parallel.
NodePose turned(const std::string& node, double degrees) {
  NodePose pose;
  pose.node = node;
  pose.turn = Quat(quat_from_axis_angle(Vec3d(1, 0, 0), radians_from_degrees(degrees)));
  return pose;
}

// The clear height between two sets of points, the lowest of one above the highest of the other.
double gap_between(const std::vector<std::size_t>& upper, const std::vector<std::size_t>& lower,
                   const std::vector<Vec3d>& points) {
  double low = INFINITY, high = -INFINITY;
  for (const std::size_t v : upper) low = std::min(low, points[v].y);
  for (const std::size_t v : lower) high = std::max(high, points[v].y);
  return low - high;
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

TEST_P(MadeAtSize, HasTheWantedPointsWithinOnePerCent) {
  const double wanted = static_cast<double>(GetParam().points),
               got = static_cast<double>(mesh().points.size());
  EXPECT_NEAR(got / wanted, 1.0, 0.01);
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
        at_time(character(),
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
    for (const auto& t : triangles_of(mesh))
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t a = t[k], b = t[(k + 1) % 3];
        std::map<Index, double> difference;
        for (const Influence& i : mesh.weights.row(a)) difference[i.slot] += static_cast<double>(i.weight);
        for (const Influence& i : mesh.weights.row(b)) difference[i.slot] -= static_cast<double>(i.weight);
        for (const auto& [slot, d] : difference)
          ASSERT_LT(std::abs(d), 0.75)
              << mesh.name << " " << mesh.points[a].x << " " << mesh.points[a].y << " " << mesh.points[a].z;
      }
  }
}

TEST(Made, FingertipsBelongToTheirFingersAlone) {
  // The point furthest out along each finger follows that finger's last joint alone, and so do its
  // neighbours.
  for (const std::size_t points : {1000u, 20000u}) {
    const Character& hand = made(MadeKind::hand, points);
    const Mesh& mesh = hand.meshes.at(0);
    const std::vector<Affined> world = rest_world(hand);
    for (const char* finger : {"thumb", "index", "middle", "ring", "pinky"}) {
      const std::string last = finger + std::string("_3");
      const Vec3d from =
          world[static_cast<std::size_t>(*find_node(hand, finger + std::string("_2")))].translation;
      const Vec3d to = world[static_cast<std::size_t>(*find_node(hand, last))].translation;
      std::size_t tip = 0;
      double furthest = -INFINITY;
      for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        const double along = dot(Vec3d(mesh.points[v]) - to, normalized(to - from));
        if (heaviest_joint(hand, v) == last && along > furthest) furthest = along, tip = v;
      }
      ASSERT_GT(furthest, 0.01) << finger;
      for (const auto& t : triangles_of(mesh)) {
        if (std::find(t.begin(), t.end(), tip) == t.end()) continue;
        for (const std::uint32_t v : t) {
          EXPECT_EQ(heaviest_joint(hand, v), last) << points;
          EXPECT_EQ(mesh.weights.row(v).size(), 1u) << finger << " " << points;
        }
      }
    }
  }
}

TEST(Made, NoEdgeLeadsFromOneFingertipToAnother) {
  for (const std::size_t points : {1000u, 20000u}) {
    const Character& hand = made(MadeKind::hand, points);
    for (const auto& t : triangles_of(hand.meshes.at(0)))
      for (std::size_t k = 0; k < 3; ++k) {
        const std::string a = heaviest_joint(hand, t[k]), b = heaviest_joint(hand, t[(k + 1) % 3]);
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

TEST(Made, FewPointsKeepFingersAndEars) {
  // The box around what follows a limb most: not much smaller with a thousand points than with many.
  const auto size_of = [](MadeKind kind, std::size_t points, const std::string& limb) {
    const Character& character = made(kind, points);
    Box box;
    for (std::size_t v = 0; v < character.meshes[0].points.size(); ++v) {
      const std::string joint = heaviest_joint(character, v);
      if (joint.compare(0, limb.size(), limb) == 0 && ends_with(joint, "_L"))
        box.add(Vec3d(character.meshes[0].points[v]));
    }
    return box.is_empty() ? 0.0 : box.diagonal();
  };
  const auto expect_kept = [&](MadeKind kind, const std::string& limb, double share) {
    EXPECT_GT(size_of(kind, 1000, limb), share * size_of(kind, 20000, limb)) << limb;
  };
  // A person of a thousand points has some eighty of them in each hand.
  for (const char* finger : {"thumb_", "index_", "middle_", "ring_", "pinky_"})
    expect_kept(MadeKind::humanoid, finger, 0.75);
  expect_kept(MadeKind::quadruped, "ear_", 0.92);
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
    const std::vector<Vec3d> first = at_time(character, static_cast<double>(clip.start())),
                             last = at_time(character, static_cast<double>(clip.end()));
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

TEST(Made, FaceOpensItsMouthByJointAndByShape) {
  const Character& face = made(MadeKind::face, 20000);
  const Mesh& mesh = face.meshes.at(0);
  // The middle of the lips: in front of the teeth, a centimetre above and below the slit.
  const Vec3d slit{0, 0.1395, 0.1115};
  std::vector<std::size_t> upper, lower;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const Vec3d q = Vec3d(mesh.points[v]) - slit;
    if (std::abs(q.x) > 0.005 || std::abs(q.z) > 0.010 || std::abs(q.y) > 0.010) continue;
    (q.y > 0 ? upper : lower).push_back(v);
  }
  ASSERT_GT(upper.size(), 10u);
  ASSERT_GT(lower.size(), 10u);
  const double rest = gap_between(upper, lower, in_pose(face, {}));
  Pose by_joint, by_shape;
  by_joint.nodes.push_back(turned("jaw", 16));
  by_shape.shapes.push_back({"jaw_open", 1.0f});
  EXPECT_GT(rest, 0.0);
  EXPECT_GT(gap_between(upper, lower, in_pose(face, by_joint)), rest + 0.015);
  EXPECT_GT(gap_between(upper, lower, in_pose(face, by_shape)), rest + 0.015);
}

TEST(Made, FaceShutsOneEyeByJointAndByShape) {
  const Character& face = made(MadeKind::face, 20000);
  const Mesh& mesh = face.meshes.at(0);
  const auto points_of = [&](const std::string& joint) {
    // Only the middle of the lids: at the corners of the eye they meet already.
    const Vec3d eye = rest_world(face)[static_cast<std::size_t>(*find_node(face, joint))].translation;
    std::vector<std::size_t> result;
    for (std::size_t v = 0; v < mesh.points.size(); ++v)
      if (heaviest_joint(face, v) == joint && std::abs(static_cast<double>(mesh.points[v].x) - eye.x) < 0.004)
        result.push_back(v);
    EXPECT_GT(result.size(), 10u) << joint;
    return result;
  };
  for (const std::string side : {"_L", "_R"}) {
    const std::string other = side == "_L" ? "_R" : "_L";
    const auto gap = [&](const std::string& of, const std::vector<Vec3d>& points) {
      return gap_between(points_of("upper_lid" + of), points_of("lower_lid" + of), points);
    };
    const double rest = gap(side, in_pose(face, {}));
    EXPECT_GT(rest, 0.004);
    Pose by_joint, by_shape;
    by_joint.nodes = {turned("upper_lid" + side, 33), turned("lower_lid" + side, -13)};
    by_shape.shapes.push_back({"blink" + side, 1.0f});
    for (const Pose& pose : {by_joint, by_shape}) {
      const std::vector<Vec3d> points = in_pose(face, pose);
      EXPECT_LT(gap(side, points), 0.2 * rest) << side;
      EXPECT_NEAR(gap(other, points), rest, 1e-6) << side;
    }
  }
}

TEST(Made, SmilesRaiseTheCornerOfTheMouthOnTheirSideOnly) {
  const Character& face = made(MadeKind::face, 20000);
  const Mesh& mesh = face.meshes.at(0);
  for (const float side : {1.0f, -1.0f}) {
    Pose pose;
    pose.shapes.push_back({side > 0 ? "smile_L" : "smile_R", 1.0f});
    const std::vector<Vec3d> points = in_pose(face, pose);
    double highest = 0;
    for (std::size_t v = 0; v < points.size(); ++v) {
      const double rise = points[v].y - static_cast<double>(mesh.points[v].y);
      if (side * mesh.points[v].x > 0)
        highest = std::max(highest, rise);
      else
        ASSERT_NEAR(rise, 0.0, 1e-6);
    }
    EXPECT_GT(highest, 0.004);
  }
}

TEST(Made, FaceCrossesItselfInNoneOfItsShapes) {
  const Character& face = made(MadeKind::face, 20000);
  const Mesh& mesh = face.meshes.at(0);
  const MeasuredSurface surface = measured_surface(mesh);
  for (const Shape& shape : mesh.shapes) {
    Pose pose;
    pose.shapes.push_back({shape.name, 1.0f});
    std::vector<Vec3> points;
    for (const Vec3d& point : in_pose(face, pose)) points.emplace_back(point);
    const std::size_t pairs = measure_intersections(surface, points).pairs.size();
    std::printf("%-12s %zu crossing pairs\n", shape.name.c_str(), pairs);
    EXPECT_EQ(pairs, 0u) << shape.name;
  }
}

TEST(Made, FacePartsItsLipsWithoutItsJaw) {
  const Character& face = made(MadeKind::face, 20000);
  const Mesh& mesh = face.meshes.at(0);
  const Vec3d slit{0, 0.1395, 0.1115};
  std::vector<std::size_t> upper, lower;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const Vec3d q = Vec3d(mesh.points[v]) - slit;
    if (std::abs(q.x) > 0.005 || std::abs(q.z) > 0.010 || std::abs(q.y) > 0.010) continue;
    (q.y > 0 ? upper : lower).push_back(v);
  }
  const double rest = gap_between(upper, lower, in_pose(face, {}));
  Pose open;
  open.shapes.push_back({"mouth_open", 1.0f});
  const std::vector<Vec3d> points = in_pose(face, open);
  EXPECT_GT(gap_between(upper, lower, points), rest + 0.008);
  // The chin stays.
  for (std::size_t v = 0; v < points.size(); ++v)
    if (Vec3d(mesh.points[v]).y < slit.y - 0.04) {
      ASSERT_LT(length(points[v] - Vec3d(mesh.points[v])), 1e-7);
    }
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

TEST(Made, NoTwoNodesShareAName) {
  for (const MadeKind kind : kAllKinds) {
    const Character& character = made(kind, 1000);
    std::set<std::string> names;
    for (const Node& node : character.nodes)
      EXPECT_TRUE(names.insert(node.name).second) << character.name << " has two nodes " << node.name;
  }
}

TEST(Made, ListsEveryKindOnce) {
  std::vector<std::string> names;
  std::vector<MadeKind> kinds;
  for (const MadeRow& row : made_kinds()) names.push_back(row.name), kinds.push_back(row.kind);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"arm", "face", "hand", "humanoid", "quadruped", "tube"}));
  EXPECT_TRUE(std::is_permutation(kinds.begin(), kinds.end(), std::begin(kAllKinds), std::end(kAllKinds)));
}

}  // namespace
}  // namespace dermis
