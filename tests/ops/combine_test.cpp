// SPDX-License-Identifier: MIT
// The verb combine: garments follow the body as if they had always been part of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "dermis/ops.h"
#include "judges/judges.h"
#include "notes.h"
#include "ops/combine/match.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;

// The points of all instances in a pose, in the order of the instances.
std::vector<std::vector<Vec3>> posed(const Character& character, Index clip, double time) {
  const Result<PoseFrame> frame = pose_frame(character, {clip, time, nullptr});
  EXPECT_TRUE(frame);
  const Result<Character> still = deform_character(character, *frame, {});
  EXPECT_TRUE(still);
  std::vector<std::vector<Vec3>> points;
  for (const Mesh& mesh : still->meshes) points.push_back(mesh.points);
  return points;
}

double most_apart(std::span<const Vec3> a, std::span<const Vec3> b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t v = 0; v < std::min(a.size(), b.size()); ++v)
    most = std::max(most, length(Vec3d(a[v]) - Vec3d(b[v])));
  return most;
}

// ---- Garments cut from a character ----------------------------------------------------------------------

// The points that follow these joints (names, or words of names) by more than half, in one mesh under its
// skin.
std::vector<bool> points_of_joints(const Character& character, const Instance& instance,
                                   const std::vector<std::string>& words) {
  const Mesh& mesh = character.meshes[at(instance.mesh)];
  const Skin& skin = character.skins[at(instance.skin)];
  std::vector<bool> is_slot(skin.node.size(), false);
  for (std::size_t s = 0; s < skin.node.size(); ++s) {
    is_slot[s] = std::find(words.begin(), words.end(), character.nodes[at(skin.node[s])].name) != words.end();
    for (const std::string& word : name_words(character.nodes[at(skin.node[s])].name))
      is_slot[s] = is_slot[s] || std::find(words.begin(), words.end(), word) != words.end();
  }
  std::vector<bool> is_chosen(mesh.points.size());
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    float sum = 0;
    for (const Influence& influence : mesh.weights.row(v))
      sum += is_slot[at(influence.slot)] ? influence.weight : 0;
    is_chosen[v] = sum > 0.5f;
  }
  return is_chosen;
}

// A sleeveless shirt: the chosen triangles of a surface, moved outwards.
struct Shirt {
  Character character;           // still, in the world, no skin
  std::vector<Index> covered{};  // points of the body at least two edges from the hem
};
Shirt cut_shirt(const Mesh& body, std::span<const Vec3> points, const std::vector<bool>& is_chosen,
                double distance) {
  const std::size_t count = points.size();
  std::vector<Vec3d> normals(count);
  std::vector<bool> is_kept(body.polygons.count());
  for (std::size_t p = 0; p < body.polygons.count(); ++p) {
    const std::span<const Index> corners = body.polygons.polygon(p);
    is_kept[p] =
        std::all_of(corners.begin(), corners.end(), [&](Index v) { return is_chosen[at(body.weld[at(v)])]; });
    for (std::size_t k = 2; k < corners.size(); ++k) {
      const Vec3d a(points[at(corners[0])]), b(points[at(corners[k - 1])]), c(points[at(corners[k])]);
      for (const Index v : {corners[0], corners[k - 1], corners[k]})
        normals[at(body.weld[at(v)])] = normals[at(body.weld[at(v)])] + cross(b - a, c - a);
    }
  }
  // Two rings inwards from the hem.
  std::vector<int> ring(count, 0);
  for (std::size_t p = 0; p < body.polygons.count(); ++p) {
    if (is_kept[p]) continue;
    for (const Index v : body.polygons.polygon(p)) ring[at(body.weld[at(v)])] = 1;
  }
  for (int step = 1; step <= 2; ++step) {
    for (std::size_t p = 0; p < body.polygons.count(); ++p) {
      const std::span<const Index> corners = body.polygons.polygon(p);
      const bool touches = std::any_of(corners.begin(), corners.end(), [&](Index v) {
        return ring[at(body.weld[at(v)])] != 0 && ring[at(body.weld[at(v)])] <= step;
      });
      for (const Index v : corners) {
        int& one = ring[at(body.weld[at(v)])];
        if (touches && one == 0) one = step + 1;
      }
    }
  }
  Shirt shirt;
  Mesh mesh;
  mesh.name = "shirt";
  std::vector<Index> place(count, kNone);
  for (std::size_t p = 0; p < body.polygons.count(); ++p) {
    if (!is_kept[p]) continue;
    for (const Index corner : body.polygons.polygon(p)) {
      const Index v = body.weld[at(corner)];
      if (place[at(v)] == kNone) {
        place[at(v)] = static_cast<Index>(mesh.points.size());
        mesh.points.emplace_back(Vec3d(points[at(v)]) + normalized(normals[at(v)]) * distance);
        if (ring[at(v)] == 0) shirt.covered.push_back(v);
      }
      mesh.polygons.corners.push_back(place[at(v)]);
    }
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  }
  mesh.parts = {{.first_point = 0,
                 .point_count = static_cast<Index>(mesh.points.size()),
                 .first_polygon = 0,
                 .polygon_count = static_cast<Index>(mesh.polygons.count())}};
  mesh.weld = weld_coincident(mesh.points);
  shirt.character.nodes.push_back({"shirt", kNone, {}, {}});
  shirt.character.meshes.push_back(std::move(mesh));
  shirt.character.instances.push_back({0, 0, kNone, {}});
  EXPECT_TRUE(validate(shirt.character));
  return shirt;
}

// The nearest point of a triangle (Ericson, Real-Time Collision Detection, 5.1.5).
Vec3d nearest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Vec3d bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + ab * (d1 / (d1 - d3));
  const Vec3d cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + ac * (d2 / (d2 - d6));
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6) return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
  return a + ab * (vb / (va + vb + vc)) + ac * (vc / (va + vb + vc));
}

// The part of a full turn about `q`, a point of the triangle, that the triangle takes.
double angle_around(const Vec3d& q, const std::array<Vec3d, 3>& corners) {
  const double size = length(corners[1] - corners[0]) + length(corners[2] - corners[0]);
  double angle = 0;
  for (int k = 0; k < 3; ++k) {
    const Vec3d a = corners[at(k)] - q, b = corners[at((k + 1) % 3)] - q;
    const double product = length(a) * length(b);
    if (product > 1e-12 * size * size) {
      angle += std::acos(std::clamp(dot(a, b) / product, -1.0, 1.0));
    }
  }
  return angle;
}

// The distance of a point from a surface, negative on the inner side. The triangles at the nearest point
// decide by their normals, weighted by angle (Baerentzen and Aanaes 2005).
double signed_distance(const Vec3d& p, std::span<const Vec3> points, const Polygons& polygons) {
  struct Nearest {
    Vec3d arm, weighted_normal;
    double distance = 0;
  };
  std::vector<Nearest> nearest;
  double least = INFINITY;
  for (std::size_t k = 0; k < polygons.count(); ++k) {
    const std::span<const Index> corners = polygons.polygon(k);
    for (std::size_t i = 2; i < corners.size(); ++i) {
      const Vec3d a(points[at(corners[0])]), b(points[at(corners[i - 1])]), c(points[at(corners[i])]);
      const Vec3d q = nearest_on_triangle(p, a, b, c), normal = cross(b - a, c - a);
      const double distance = length(p - q);
      if (!(length(normal) > 0) || distance > least * (1 + 1e-6)) continue;
      nearest.push_back({p - q, normalized(normal) * angle_around(q, {a, b, c}), distance});
      least = std::min(least, distance);
    }
  }
  Vec3d normal, arm;
  for (const Nearest& one : nearest) {
    if (one.distance > least * (1 + 1e-6)) continue;
    normal = normal + one.weighted_normal;
    arm = one.arm;
  }
  return dot(arm, normal) < 0 ? -least : least;
}

// True for points in a groove, as in an armpit that closes: another part of the body is nearer than twice the
// distance of the cloth, so that the cloth on one side passes through that on the other.
std::vector<bool> points_in_grooves(std::span<const Vec3> points, const Mesh& body, double distance) {
  std::vector<Vec3d> normals(points.size());
  std::vector<SurfaceMesh::Triangle> triangles;
  for (std::size_t p = 0; p < body.polygons.count(); ++p) {
    const std::span<const Index> corners = body.polygons.polygon(p);
    for (std::size_t k = 2; k < corners.size(); ++k) {
      SurfaceMesh::Triangle& triangle = triangles.emplace_back();
      const Index ours[] = {corners[0], corners[k - 1], corners[k]};
      std::transform(ours, ours + 3, triangle.begin(), [](Index v) { return static_cast<std::uint32_t>(v); });
      const Vec3d a(points[at(corners[0])]), b(points[at(corners[k - 1])]), c(points[at(corners[k])]);
      for (const Index v : ours)
        normals[at(body.weld[at(v)])] = normals[at(body.weld[at(v)])] + cross(b - a, c - a);
    }
  }
  const WindingTree tree = winding_tree(points, triangles);
  std::vector<bool> is_in_groove(points.size());
  for (std::size_t v = 0; v < points.size(); ++v) {
    const Vec3d up = normalized(normals[at(body.weld[v])]) * distance;
    for (const double height : {1, 2}) {
      const double inside = winding_number(tree, Vec3d(points[v]) + up * height);
      is_in_groove[v] = is_in_groove[v] || inside > 0.5;
    }
  }
  return is_in_groove;
}

// Points of the body outside of the shirt in the frames of a clip, and the points looked at: those that are
// not in a groove too narrow for cloth at this distance.
struct Coverage {
  std::size_t outside = 0, looked_at = 0, in_grooves = 0;
  double closest = INFINITY;  // the shirt's least distance from a covered point, negative: outside
};
Coverage measure_coverage(const Character& dressed, const std::vector<Index>& covered, double distance,
                          int frames) {
  Coverage coverage;
  const Clip& motion = dressed.clips[0];
  const Mesh &body = dressed.meshes[at(dressed.instances[0].mesh)],
             &shirt = dressed.meshes[at(dressed.instances[1].mesh)];
  for (int k = 0; k < frames; ++k) {
    const double time =
        static_cast<double>(motion.start()) + k * static_cast<double>(motion.end() - motion.start()) / frames;
    const std::vector<std::vector<Vec3>> points = posed(dressed, 0, time);
    const std::vector<bool> is_in_groove = points_in_grooves(points[0], body, distance);
    for (const Index v : covered) {
      if (is_in_groove[at(v)]) {
        ++coverage.in_grooves;
        continue;
      }
      const double side = signed_distance(Vec3d(points[0][at(v)]), points[1], shirt.polygons);
      ++coverage.looked_at;
      coverage.outside += side > 0 ? 1 : 0;
      coverage.closest = std::min(coverage.closest, -side);
    }
  }
  return coverage;
}

// ---- A made body ----------------------------------------------------------------------------------------

// Made once: making takes longer than combining.
const Character& made_body() {
  static const Character character = *make_character(MadeKind::humanoid, {4000}, {});
  return character;
}

class Combined : public testing::Test {
 protected:
  Combined() : body{made_body()} { body.name = "body.glb"; }

  // The body's own surface as a garment with the body's skeleton: every pose must show it on the body.
  Asset twin() const {
    Asset garment = body;
    garment.name = "twin.glb";
    garment.character.clips.clear();
    return garment;
  }
  // The twin, combined, is where the body is at several times of the body's clip.
  void expect_on_body(const Character& dressed, double tolerance) const {
    ASSERT_EQ(dressed.instances.size(), 2u);
    for (const double time : {0.0, 0.2, 0.55, 0.9}) {
      const std::vector<std::vector<Vec3>> points = posed(dressed, 0, time);
      EXPECT_LT(most_apart(points[0], points[1]), tolerance) << time;
      EXPECT_LT(most_apart(points[0], posed(body.character, 0, time)[0]), 1e-6) << time;
    }
  }
  Asset body;
  const test::TemporaryFolder folder;
};

TEST_F(Combined, AGarmentOfTheSameSkeletonMovesAsItsOwnFileWould) {
  const Asset garment = twin();
  const Result<CombineReport> report = combine(body, {&garment, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->parts[0].added_count, 0u);
  EXPECT_EQ(report->parts[0].matched_count, garment.character.skins[0].node.size());
  EXPECT_EQ(body.character.skins.size(), 2u);
  EXPECT_EQ(body.character.skins[1].node, body.character.skins[0].node);
  ASSERT_TRUE(validate(body.character));
  EXPECT_EQ(body.character.nodes.size(), made_body().nodes.size() + 1);  // that of the garment's mesh
  for (const double time : {0.0, 0.3, 0.8}) {
    const std::vector<std::vector<Vec3>> points = posed(body.character, 0, time);
    EXPECT_EQ(most_apart(points[0], points[1]), 0) << time;
  }
}

TEST_F(Combined, JointsMatchWhateverTheirPrefixAndCase) {
  for (const std::string prefix : {"mixamorig:", "RIG_", "DEF-", "Armature|"}) {
    Asset garment = twin();
    for (Node& node : garment.character.nodes) {
      std::string name = node.name;
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
      node.name = prefix + name;
    }
    Asset dressed = body;
    const Result<CombineReport> report = combine(dressed, {&garment, 1});
    ASSERT_TRUE(report) << prefix << report.error().sentence;
    EXPECT_EQ(report->parts[0].added_count, 0u) << prefix;
    expect_on_body(dressed.character, 1e-6);
  }
}

// Turns the axes of all nodes, and changes nothing else.
void turn_axes(Character& character) {
  const std::vector<Affined> world = rest_world(character);
  std::vector<Affined> turn(character.nodes.size());
  for (std::size_t n = 0; n < turn.size(); ++n) {
    const double angle = 0.4 + 0.7 * static_cast<double>(n % 5);
    const Vec3d axis = normalized(Vec3d{1, 0.3 * static_cast<double>(n), -1});
    turn[n] = affine_from_transform({{}, Quat(quat_from_axis_angle(axis, angle)), {1, 1, 1}});
  }
  for (std::size_t n = 0; n < turn.size(); ++n) {
    const Index parent = character.nodes[n].parent;
    const Affined above = parent == kNone ? Affined{} : world[at(parent)] * turn[at(parent)];
    character.nodes[n].rest = transform_from_affine(inverse(above) * (world[n] * turn[n]));
    character.nodes[n].rest_matrix.reset();
  }
  for (std::size_t s = 0; s < character.skins[0].node.size(); ++s)
    character.skins[0].inverse_bind[s] =
        Affine(inverse(turn[at(character.skins[0].node[s])]) * Affined(character.skins[0].inverse_bind[s]));
}

// Two exporters give the same joints other axes. The skin is re-expressed, and moves with the body.
TEST_F(Combined, JointsWithOtherAxesCarryTheGarmentAllTheSame) {
  Asset garment = twin();
  turn_axes(garment.character);
  Asset dressed = body;
  const Result<CombineReport> report = combine(dressed, {&garment, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(has_note(report->notes, "rest-re-expressed"));
  EXPECT_LT(report->parts[0].apart, 1e-5);
  expect_on_body(dressed.character, 1e-4);
  EXPECT_FALSE(has_note(report->notes, "helper-nodes-added"));
}

TEST_F(Combined, HelperNodesBelowJointsWithOtherAxesAreNoted) {
  for (const bool has_other_axes : {false, true}) {
    Asset garment = twin();
    Character& character = garment.character;
    const Result<Index> hand = find_node(character, "hand_L");
    ASSERT_TRUE(hand);
    character.instances.push_back({static_cast<Index>(character.nodes.size()), 1, kNone, {}, true});
    character.nodes.push_back({"sword", *hand, {}, {}});
    character.meshes.push_back(character.meshes[0]);
    character.meshes[1].weights = {};
    character.meshes[1].shapes.clear();
    ASSERT_TRUE(validate(character));
    if (has_other_axes) turn_axes(character);
    Asset dressed = body;
    const Result<CombineReport> report = combine(dressed, {&garment, 1});
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(has_note(report->notes, "helper-nodes-added"), has_other_axes);
    EXPECT_EQ(find_node(dressed.character, "hand_L_worn").ok(), has_other_axes);
  }
}

// A garment that was exported in the middle of a step, bound as the body was.
TEST_F(Combined, AGarmentThatRestsInAnotherPoseIsWornInTheBodys) {
  Asset garment = twin();
  const Result<PoseFrame> step = pose_frame(body.character, {0, 0.3, nullptr});
  ASSERT_TRUE(step);
  for (std::size_t n = 0; n < garment.character.nodes.size(); ++n) {
    const Index parent = garment.character.nodes[n].parent;
    const Affined above = parent == kNone ? Affined{} : step->world_from_node[at(parent)];
    garment.character.nodes[n].rest = transform_from_affine(inverse(above) * step->world_from_node[n]);
  }
  Asset dressed = body;
  const Result<CombineReport> report = combine(dressed, {&garment, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(has_note(report->notes, "worn-as-bound"));
  EXPECT_GT(report->parts[0].apart, 0.02);
  expect_on_body(dressed.character, 1e-5);
}

TEST_F(Combined, AGarmentInCentimetresIsScaledToTheBody) {
  Asset garment = twin();
  scale_lengths(garment.character, 100);
  garment.character.metres_per_unit = 0.01;
  Asset dressed = body;
  const Result<CombineReport> report = combine(dressed, {&garment, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(has_note(report->notes, "garment-rescaled"));
  EXPECT_NEAR(report->parts[0].scale, 0.01, 1e-12);
  expect_on_body(dressed.character, 1e-5);
  // Without its unit it is noted.
  garment.character.metres_per_unit = 1;
  Asset giant = body;
  const Result<CombineReport> doubtful = combine(giant, {&garment, 1});
  ASSERT_TRUE(doubtful);
  EXPECT_TRUE(has_note(doubtful->notes, "garment-size"));
  EXPECT_NEAR(doubtful->parts[0].size, 100, 1e-3);
  EXPECT_NE(doubtful->doubt.find("twin.glb: it is 100 times as large"), std::string::npos) << doubtful->doubt;
}

TEST_F(Combined, AGarmentMadeForAnotherBodyIsDoubted) {
  Asset garment = twin();
  turn_axes(garment.character);
  Asset dressed = body;
  const Result<CombineReport> fitting = combine(dressed, {&garment, 1});
  ASSERT_TRUE(fitting) << fitting.error().sentence;
  EXPECT_EQ(fitting->doubt, "");
  scale_lengths(garment.character, 0.5);  // a child's
  const Result<CombineReport> report = combine(body, {&garment, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_GT(report->parts[0].apart, kDoubtedApart);
  EXPECT_NE(report->doubt.find("twin.glb: its joints rest up to"), std::string::npos) << report->doubt;
}

TEST_F(Combined, AStrangerThatSharesNothingButItsRootIsDoubted) {
  Asset stranger = twin();
  // Both have a root that moves no point, and no other name in common.
  for (Character* character : {&stranger.character, &body.character}) {
    const auto root = static_cast<Index>(character->nodes.size());
    for (Node& node : character->nodes) {
      if (character == &stranger.character) node.name += "_of_the_stranger";
    }
    character->nodes.push_back({"world", kNone, {}, {}});
    for (const Index joint : character->skins[0].node)
      if (character->nodes[at(joint)].parent == kNone) character->nodes[at(joint)].parent = root;
    character->skins[0].node.push_back(root);
    character->skins[0].inverse_bind.emplace_back();
    ASSERT_TRUE(validate(*character));
  }
  const Result<CombineReport> report = combine(body, {&stranger, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->parts[0].matched_count, 1u);
  EXPECT_NE(report->doubt.find("does not follow the body"), std::string::npos) << report->doubt;
}

TEST_F(Combined, AGarmentWhoseLimbsHaveOtherNamesIsDoubted) {
  Asset garment = twin();
  garment.character.nodes[at(*find_node(garment.character, "forearm_L"))].name = "Armature_sleeve";
  const Result<CombineReport> report = combine(body, {&garment, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_NE(report->doubt.find("where the body has joints of other names ('Armature_sleeve' at 'forearm_L')"),
            std::string::npos)
      << report->doubt;
}

TEST_F(Combined, AMeshFarFromTheBodyTakesItsWeightsDoubtfully) {
  Asset garment = twin();
  for (Vec3& point : garment.character.meshes[0].points) point.x += 3;
  const Result<CombineReport> report = combine(body, {&garment, 1}, {.weights = GarmentWeights::transfer});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_NE(report->doubt.find("100 % of the points lie on pieces that match nothing"), std::string::npos)
      << report->doubt;
}

TEST_F(Combined, AJointThatTheBodyLacksIsAddedBelowItsMatchedParent) {
  Asset garment = twin();
  Character& character = garment.character;
  const Index chest = *find_node(character, "chest");
  const auto cape = static_cast<Index>(character.nodes.size());
  character.nodes.push_back({"cape", chest, {{0, 0, -0.2f}, {}, {1, 1, 1}}, {}});
  const std::vector<Affined> world = rest_world(character);
  character.skins[0].node.push_back(cape);
  character.skins[0].inverse_bind.push_back(Affine(inverse(world[at(cape)])));
  Clip sway{"sway", {{ChannelPath::rotation, cape, Interpolation::linear, {0, 1}, {0, 0, 0, 1, 0, 1, 0, 0}}}};
  character.clips.push_back(sway);
  ASSERT_TRUE(validate(character));
  const Result<CombineReport> report = combine(body, {&garment, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->parts[0].added_count, 1u);
  EXPECT_TRUE(has_note(report->notes, "joints-added"));
  const Result<Index> added = find_node(body.character, "cape");
  ASSERT_TRUE(added);
  EXPECT_EQ(body.character.nodes[at(body.character.nodes[at(*added)].parent)].name, "chest");
  const Result<Index> clip = find_clip(body.character, "sway");
  ASSERT_TRUE(clip);
  EXPECT_EQ(body.character.clips[at(*clip)].channels[0].target, *added);
}

TEST_F(Combined, ClipsOfBothFilesSurvive) {
  Asset garment = twin();
  garment.character.clips = body.character.clips;  // the same walk
  Clip other = garment.character.clips[0];
  for (Channel& channel : other.channels) {
    for (float& time : channel.times) time *= 2;  // as long again: another motion of that name
  }
  Asset same = body, longer = body;
  const Result<CombineReport> joined_clips = combine(same, {&garment, 1});
  ASSERT_TRUE(joined_clips);
  EXPECT_TRUE(has_note(joined_clips->notes, "clips-joined"));
  EXPECT_EQ(same.character.clips.size(), 1u);
  garment.character.clips = {other};
  const Result<CombineReport> renamed = combine(longer, {&garment, 1});
  ASSERT_TRUE(renamed);
  EXPECT_TRUE(has_note(renamed->notes, "clip-renamed"));
  ASSERT_EQ(longer.character.clips.size(), 2u);
  EXPECT_EQ(longer.character.clips[1].name, other.name + " 2");
  EXPECT_EQ(longer.character.clips[1].channels.size(), other.channels.size());
}

TEST_F(Combined, MaterialsPicturesAndShapesComeAlong) {
  Asset garment = twin();
  Character& character = garment.character;
  static const std::byte pixel{0};
  body.character.images.push_back({"skin.png", "", {&pixel, 1}, nullptr});
  body.character.materials.emplace_back().name = "skin";
  character.images.push_back({"cloth.png", "", {&pixel, 1}, nullptr});
  character.materials.clear();
  character.materials.emplace_back().name = "cloth";
  character.materials[0].base_colour_image = 0;
  for (MeshPart& part : character.meshes[0].parts) part.material = 0;
  character.meshes[0].shapes.push_back({"wide", {0, 5}, {{0.1f, 0, 0}, {0, 0.1f, 0}}, {}, {}});
  character.instances[0].shape_weights = {0.5f};
  const std::size_t own_materials = body.character.materials.size(),
                    own_images = body.character.images.size();
  ASSERT_TRUE(combine(body, {&garment, 1}));
  ASSERT_TRUE(validate(body.character));
  ASSERT_EQ(body.character.materials.size(), own_materials + 1);
  EXPECT_EQ(body.character.materials.back().name, "cloth");
  EXPECT_EQ(body.character.materials.back().base_colour_image, static_cast<Index>(own_images));
  EXPECT_EQ(body.character.meshes.back().parts[0].material, static_cast<Index>(own_materials));
  EXPECT_EQ(body.character.meshes.back().shapes.size(), 1u);
  EXPECT_EQ(body.character.instances.back().shape_weights, (std::vector<float>{0.5f}));
}

// Each point of the body under the shirt, two edges from its hem, in every frame of the walk: inside.
TEST_F(Combined, NoPointOfAWalkingBodyIsOutsideItsShirt) {
  const std::vector<Vec3> rest = posed(body.character, kNone, 0)[0];
  const double height = 1.8;
  const Shirt shirt = cut_shirt(
      body.character.meshes[0], rest,
      points_of_joints(body.character, body.character.instances[0], {"hips", "spine", "chest", "belly"}),
      0.01 * height);
  ASSERT_GT(shirt.covered.size(), 100u);
  const Asset garment{shirt.character, {}, nullptr, {}, "shirt.obj"};
  Asset dressed = body;
  const Result<CombineReport> report = combine(dressed, {&garment, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->parts[0].transferred_count, 1u);
  EXPECT_FALSE(has_note(report->notes, "islands-unmatched"));
  const Coverage worn = measure_coverage(dressed.character, shirt.covered, 0.01 * height, 8);
  EXPECT_EQ(worn.outside, 0u) << "of " << worn.looked_at;
  EXPECT_GT(worn.closest, 0.2 * 0.01 * height);
  // The measure can fail: on a thigh, the same shirt does not cover the body.
  Character wrong = dressed.character;
  const std::vector<Index>& joints = wrong.skins[at(wrong.instances[1].skin)].node;
  const auto thigh = std::find(joints.begin(), joints.end(), *find_node(wrong, "thigh_L")) - joints.begin();
  ASSERT_LT(static_cast<std::size_t>(thigh), joints.size());
  WeightRows& rows = wrong.meshes[at(wrong.instances[1].mesh)].weights;
  rows.influences.assign(rows.first.size() - 1, {static_cast<Index>(thigh), 1});
  for (std::size_t v = 0; v < rows.first.size(); ++v) rows.first[v] = static_cast<std::uint32_t>(v);
  ASSERT_TRUE(validate(wrong));
  EXPECT_GT(measure_coverage(wrong, shirt.covered, 0.01 * height, 4).outside, 100u);
}

// A body made elsewhere, with its own walk, in which the grooves at its shoulders close.
TEST(CombinedReal, AWalkingBodyIsOutsideItsShirtInGroovesOnly) {
  const std::filesystem::path path = test::data_folder() / "gltf/khronos/CesiumMan.glb";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  Result<Asset> body = load(path.string());
  ASSERT_TRUE(body) << body.error().sentence;
  const std::vector<Vec3> rest = posed(body->character, kNone, 0)[0];
  const double distance = 0.0025 * 1.5;  // of its height
  const std::vector<std::string> torso = {
      "torso", "neck", "leg_joint_R_1", "leg_joint_L_1", "Skeleton_arm_joint_R", "Skeleton_arm_joint_L__4_"};
  const Shirt shirt =
      cut_shirt(body->character.meshes[0], rest,
                points_of_joints(body->character, body->character.instances[0], torso), distance);
  ASSERT_GT(shirt.covered.size(), 1000u);
  const Asset garment{shirt.character, {}, nullptr, {}, "shirt.obj"};
  const Result<CombineReport> report = combine(*body, {&garment, 1});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->parts[0].transferred_count, 1u);
  const Coverage worn = measure_coverage(body->character, shirt.covered, distance, 8);
  // What is left lies between the walls of grooves that a normal does not cross (34 of 13,147): cloth of one
  // wall passes the other, but never further than the cloth is from its own.
  EXPECT_LT(worn.outside, worn.looked_at / 250) << worn.looked_at;
  EXPECT_GT(worn.closest, -distance);
  EXPECT_LT(worn.in_grooves, worn.looked_at / 50);
}

TEST_F(Combined, AHatStaysRigidOnTheNearestJointIfAsked) {
  Character hat = *make_character(MadeKind::tube, {1000}, {});
  hat.skins.clear();
  hat.clips.clear();
  hat.meshes[0].weights = {};
  hat.meshes[0].shapes.clear();
  hat.instances = {{0, 0, kNone, {}}};
  const Vec3d head = rest_world(body.character)[at(*find_node(body.character, "head"))].translation;
  hat.nodes = {{"hat", kNone, {Vec3(head + Vec3d{0, 0.1, 0}), {}, {0.1f, 0.1f, 0.1f}}, {}}};
  ASSERT_TRUE(validate(hat));
  const Asset worn{hat, {}, nullptr, {}, "hat.obj"};
  const std::vector<Vec3> before = posed(hat, kNone, 0)[0];
  const Result<CombineReport> report = combine(body, {&worn, 1}, {.weights = GarmentWeights::rigid});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->parts[0].rigid_count, 1u);
  EXPECT_TRUE(has_note(report->notes, "rigid-on-joint"));
  const Instance& placed = body.character.instances.back();
  EXPECT_EQ(placed.skin, kNone);
  EXPECT_EQ(body.character.nodes[at(body.character.nodes[at(placed.node)].parent)].name, "head");
  EXPECT_LT(most_apart(posed(body.character, kNone, 0).back(), before), 1e-5);
}

TEST_F(Combined, RefusesWithASentenceAndLeavesTheBodyAlone) {
  const std::size_t node_count = body.character.nodes.size();
  Asset stranger = twin();
  for (std::size_t n = 0; n < stranger.character.nodes.size(); ++n)
    stranger.character.nodes[n].name = "quux" + std::to_string(n * 7919);
  const Result<CombineReport> unmatched = combine(body, {&stranger, 1});
  ASSERT_FALSE(unmatched);
  EXPECT_NE(unmatched.error().sentence.find("has the name of a joint of the body"), std::string::npos);
  EXPECT_NE(words_of(unmatched.error(), "combine").find("--transfer"), std::string::npos);
  EXPECT_EQ(body.character.nodes.size(), node_count);
  // With the body's weights it works.
  Asset dressed = body;
  const Result<CombineReport> moved = combine(dressed, {&stranger, 1}, {.weights = GarmentWeights::transfer});
  ASSERT_TRUE(moved) << moved.error().sentence;
  EXPECT_EQ(moved->parts[0].transferred_count, 1u);
  expect_on_body(dressed.character, 1e-4);
  Asset bare = body;
  bare.character.skins.clear();
  for (Instance& instance : bare.character.instances) instance.skin = kNone;
  const Result<CombineReport> boneless = combine(bare, {&stranger, 1});
  ASSERT_FALSE(boneless);
  EXPECT_NE(boneless.error().sentence.find("dermis rig"), std::string::npos);
  EXPECT_EQ(combine(body, {}).error().code, Errc::usage);
}

TEST_F(Combined, OtherProgramsReadWhatIsWritten) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const std::vector<Vec3> rest = posed(body.character, kNone, 0)[0];
  const Shirt shirt = cut_shirt(
      body.character.meshes[0], rest,
      points_of_joints(body.character, body.character.instances[0], {"hips", "spine", "chest"}), 0.02);
  ASSERT_TRUE(save(folder.file("body.glb"), {body.character}));
  ASSERT_TRUE(save(folder.file("shirt.glb"), {shirt.character}));
  ASSERT_TRUE(save(folder.file("twin.glb"), twin()));
  CombineJob job;
  job.input = folder.file("body.glb");
  job.garments = {folder.file("shirt.glb"), folder.file("twin.glb")};
  job.output = folder.file("dressed.glb");
  const Result<CombineReport> report = combine(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->parts.size(), 2u);
  const Result<nlohmann::json> judged = judges::validate({job.output});
  ASSERT_TRUE(judged) << judged.error().sentence;
  EXPECT_EQ((*judged)[0]["errors"], 0) << judged->dump();
  const Result<Asset> written = load(job.output);
  ASSERT_TRUE(written);
  const Result<judges::ThreeAnswer> answer = judges::three_pose(job.output, {{-1, 0}, {0, 0.2}, {0, 0.7}});
  ASSERT_TRUE(answer) << answer.error().sentence;
  const std::pair<Index, double> poses[] = {{kNone, 0}, {0, 0.2}, {0, 0.7}};
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<Vec3> ours;
    for (const std::vector<Vec3>& points : posed(written->character, poses[k].first, poses[k].second))
      ours.insert(ours.end(), points.begin(), points.end());
    ASSERT_EQ(answer->points[k].size(), ours.size());
    double most = 0;
    for (std::size_t v = 0; v < ours.size(); ++v)
      most = std::max(most, length(answer->points[k][v] - Vec3d(ours[v])));
    EXPECT_LT(most, 1e-4 * 2) << k;
  }
}

}  // namespace
}  // namespace dermis
