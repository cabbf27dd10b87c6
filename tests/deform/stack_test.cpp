// SPDX-License-Identifier: MIT
// Prepared stacks against the plain references: the same surface within float rounding, corners included.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "characters.h"
#include "dermis/deform.h"
#include "dermis/io.h"
#include "outside/files.h"

namespace dermis {
namespace {

constexpr const char* kSkinMethods[] = {"rigid",     "lbs",     "dqs", "quaternion",       "log_matrix",
                                        "spherical", "lbs_dqs", "cor", "direct_delta_mush"};

// A tube of two joints, the far one turned and bent, and all of it shifted.
struct Bent {
  explicit Bent(Vec3d world_shift = {})
      : character(test::tube_character({.rings = 33, .sides = 24}, {2, 0, 0})) {
    Pose pose;
    NodePose turned;
    turned.node = "far";
    turned.turn = Quat(quat_from_axis_angle(normalized(Vec3d{1, 0.5, 0.25}), 1.2));
    pose.nodes = {turned};
    PoseRequest request;
    request.pose = &pose;
    frame = *pose_frame(character, request);
    for (Affined& joint : frame.palette) joint.translation += world_shift;
  }
  Surface posed(const std::string& stack, NormalMode mode) const {
    return *deform_instance(character, frame, 0, {deform_stack(stack), mode});
  }
  Character character;
  PoseFrame frame;
};

double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t v = 0; v < std::min(a.size(), b.size()); ++v)
    worst = std::max(worst, length(Vec3d(a[v]) - Vec3d(b[v])));
  return worst;
}

TEST(Stack, OnKernelsIsTheReferenceWithinFloatRounding) {
  const Bent bent;
  for (const char* method : kSkinMethods) {
    SCOPED_TRACE(method);
    const Surface fast = bent.posed(method, NormalMode::shading);
    const Surface plain = bent.posed(method, NormalMode::inverse_transpose);
    EXPECT_LT(farthest(fast.points, plain.points), 4e-6);
    ASSERT_EQ(fast.normals.size(), fast.points.size());
    for (const Vec3& normal : fast.normals) EXPECT_NEAR(length(normal), 1, 1e-5);
  }
}

// The centre of spherical blending is thousands of tubes away: floats would lose the point beside it.
TEST(Stack, SphericalIsTheReferenceWhereJointsStandApartAndHardlyTurn) {
  for (const double angle : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    SCOPED_TRACE(angle);
    Bent bent;
    bent.frame.palette[1] = Affined(Mat3d{}, {0.3, 0.2, 0.1}) * test::turned_about({}, {0, 1, 1}, angle);
    const Surface fast = bent.posed("spherical", NormalMode::shading);
    const Surface plain = bent.posed("spherical", NormalMode::inverse_transpose);
    EXPECT_LT(farthest(fast.points, plain.points), 1e-5);
    EXPECT_LT(farthest(fast.points, bent.posed("lbs", NormalMode::shading).points), angle + 2e-6);
  }
}

// The largest distance between the kernel and the rule, of the diagonal, over all skinned instances.
double kernel_error(const Character& character, const PoseFrame& frame, const char* method) {
  double worst = 0;
  for (std::size_t k = 0; k < character.instances.size(); ++k) {
    if (character.instances[k].skin == kNone) continue;
    const auto posed = [&](NormalMode mode) {
      return deform_instance(character, frame, static_cast<Index>(k), {deform_stack(method), mode})->points;
    };
    const std::vector<Vec3> plain = posed(NormalMode::inverse_transpose);
    Box box;
    for (const Vec3& point : plain) box.add(Vec3d(point));
    worst = std::max(worst, farthest(posed(NormalMode::shading), plain) / box.diagonal());
  }
  return worst;
}

TEST(Stack, OnKernelsIsTheReferenceOnClipsMadeElsewhere) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  for (const char* name : {"khronos/CesiumMan.glb", "khronos/Fox.glb", "quaternius/Pug.gltf",
                           "three/RobotExpressive.glb", "momentum/test_24fps.glb"}) {
    const Result<Asset> asset = load((test::data_folder() / "gltf" / name).string());
    ASSERT_TRUE(asset) << asset.error().sentence;
    PoseRequest request;
    request.clip = 0;
    for (const double time : {0.01, 0.4, 1.3}) {
      request.time = time;
      const PoseFrame frame = *pose_frame(asset->character, request);
      for (const char* method : {"dqs", "log_matrix", "spherical"}) {
        SCOPED_TRACE(std::string(name) + " at " + std::to_string(time) + " by " + method);
        EXPECT_LT(kernel_error(asset->character, frame, method), 1e-5);
      }
    }
  }
}

TEST(Stack, DirectDeltaMushIsItsReferenceWithinFloatRounding) {
  const Bent bent;
  const Mesh& mesh = bent.character.meshes[0];
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh, direct_delta_mush_options(mesh));
  std::vector<Vec3> plain(mesh.points.size());
  skin_direct_delta_mush_reference(mush, bent.frame.palette_of(0), {mesh.points, {}, {}}, {plain, {}, {}});
  const Surface fast = bent.posed("direct_delta_mush", NormalMode::shading);
  EXPECT_LT(farthest(fast.points, plain), 4e-6);
  EXPECT_GT(farthest(fast.points, bent.posed("lbs", NormalMode::shading).points), 1e-3);
}

TEST(Stack, SmoothsAsOftenAsAsked) {
  const Bent bent;
  const Mesh& mesh = bent.character.meshes[0];
  const std::vector<Vec3> skinned = bent.posed("lbs", NormalMode::shading).points;
  std::vector<float> scales(mesh.points.size());
  blended_scales(mesh.weights, bent.frame.palette_of(0), scales);
  for (const int iterations : {0, 3, 10, 40}) {
    SCOPED_TRACE(iterations);
    const DeformOptions options{deform_stack("lbs,delta_mush:iterations=" + std::to_string(iterations))};
    std::vector<Vec3> wanted = skinned;
    DeltaMushScratch scratch;
    apply_delta_mush(*prepare_delta_mush(mesh, {.iterations = iterations}), scales, wanted, scratch);
    EXPECT_EQ(deform_instance(bent.character, bent.frame, 0, options)->points, wanted);
  }
  DeformOptions wrong{deform_stack("lbs,delta_mush")};
  wrong.settings = {{"delta_mush", "iterations", -2}};
  EXPECT_EQ(prepare_deformer(bent.character, wrong).error().code, Errc::bad_argument);
}

double mean_edge(const Mesh& mesh) {
  const Polygons& polygons = mesh.polygons;
  double sum = 0;
  for (std::size_t p = 0; p < polygons.count(); ++p) {
    Index last = polygons.polygon(p).back();
    for (const Index v : polygons.polygon(p)) {
      sum += length(Vec3d(mesh.points[at(v)]) - Vec3d(mesh.points[at(std::exchange(last, v))]));
    }
  }
  return sum / static_cast<double>(polygons.corners.size());
}

TEST(Stack, SmoothsNoFurtherThanThreePercentOfTheMeshUnlessAsked) {
  const DeltaMushOptions fine = delta_mush_options(test::tube({.rings = 129, .sides = 400}));
  EXPECT_EQ(fine.iterations, DeltaMushOptions{}.iterations);
  EXPECT_EQ(fine.step, DeltaMushOptions{}.step);
  Bent bent;
  for (const int rings : {5, 9, 33}) {
    SCOPED_TRACE(rings);
    const Mesh mesh = test::tube({.rings = rings, .sides = 3 * rings});
    const DeltaMushOptions coarse = delta_mush_options(mesh);
    EXPECT_GE(coarse.iterations, 1);
    EXPECT_LT(coarse.iterations, 10);
    EXPECT_LE(coarse.step, 0.5f);
    const double reach = std::sqrt(2 * coarse.iterations * static_cast<double>(coarse.step));  // edges
    Box box;
    for (const Vec3& point : mesh.points) box.add(Vec3d(point));
    EXPECT_NEAR(reach * mean_edge(mesh), 0.03 * box.diagonal(), 1e-6);
    bent.character.meshes[0] = mesh;
    const DeformOptions options{deform_stack("lbs,delta_mush")};
    std::vector<Vec3> wanted = bent.posed("lbs", NormalMode::shading).points;
    DeltaMushScratch scratch;
    apply_delta_mush(*prepare_delta_mush(mesh, coarse), {}, wanted, scratch);
    EXPECT_LT(farthest(deform_instance(bent.character, bent.frame, 0, options)->points, wanted), 1e-6);
  }
}

// Of preparing the tube, with its polygons or with its points alone.
Notes notes_of(const DeformOptions& options, bool has_polygons) {
  Bent bent;
  if (!has_polygons) {
    bent.character.meshes[0].polygons = {};
    bent.character.meshes[0].parts[0].polygon_count = 0;
  }
  return prepare_deformer(bent.character, options)->notes;
}

TEST(Stack, TellsOfStagesThatNeedASurfaceWhereThereIsNone) {
  struct Case {
    DeformOptions options;
    const char* said;
  };
  const Case cases[] = {
      {{deform_stack("cor")}, "mesh 0 'tube' has no polygons, so cor poses it like lbs"},
      {{deform_stack("direct_delta_mush")},
       "mesh 0 'tube' has no polygons, so direct_delta_mush poses it like lbs"},
      {{deform_stack("lbs,delta_mush")}, "mesh 0 'tube' has no polygons, so delta_mush changes nothing"},
      {{deform_stack("dqs:bulge_correction=0.5")},
       "mesh 0 'tube' has no polygons, so the bulge correction changes nothing"},
      {{deform_stack("cor,delta_mush")},
       "mesh 0 'tube' has no polygons, so cor poses it like lbs and delta_mush changes nothing"}};
  for (const Case& one : cases) {
    EXPECT_TRUE(notes_of(one.options, true).empty());
    const Notes notes = notes_of(one.options, false);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0].sentence, one.said);
  }
  EXPECT_TRUE(notes_of({deform_stack("dqs")}, false).empty());
}

TEST(Stack, TellsOfPointsThatFollowMirroringJointsAndPlainOnes) {
  Bent bent;
  const auto notes_by = [&](const char* method) {
    return pose_notes(*prepare_deformer(bent.character, {deform_stack(method)}), bent.frame);
  };
  EXPECT_TRUE(notes_by("dqs").empty());
  bent.frame.palette[1] = test::scaled({1, -1, 1});
  for (const char* method : {"rigid", "lbs", "cor"}) {
    EXPECT_TRUE(notes_by(method).empty());
  }
  const Notes notes = notes_by("dqs");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].id, "half-mirrored");
  EXPECT_EQ(notes[0].count, 31u * 24u);  // all but the rings at the ends, which follow one joint
  bent.frame.palette[0] = test::scaled({-1, 1, 1});
  EXPECT_TRUE(notes_by("dqs").empty());
}

// The tube with its far half turned and scaled by 1.5 all round, standing `away` from the mesh's origin, and
// brought back.
std::vector<Vec3> scaled_far_half(const char* method, const Vec3d& away) {
  Bent bent;
  for (Vec3& point : bent.character.meshes[0].points) point = Vec3(Vec3d(point) + away);
  const Affined turn = test::turned_about({1, 0, 0}, {0, 0, 1}, 1) * test::scaled({1.5, 1.5, 1.5});
  bent.frame.palette = {{}, Affined(Mat3d{}, away) * turn * Affined(Mat3d{}, -away)};
  std::vector<Vec3> posed = bent.posed(method, NormalMode::inverse_transpose).points;
  for (Vec3& point : posed) point = Vec3(Vec3d(point) - away);
  return posed;
}

// What the pages of these methods say of joints that scale, be it evenly.
TEST(Stack, OneScaledJointFeelsTheOriginInMethodsThatStretchFirst) {
  const Vec3d away{0, 5, 0};
  for (const char* method : {"lbs", "cor"}) {
    EXPECT_LT(farthest(scaled_far_half(method, {}), scaled_far_half(method, away)), 1e-4);
  }
  for (const char* method : {"dqs", "log_matrix", "spherical", "lbs_dqs"}) {
    EXPECT_GT(farthest(scaled_far_half(method, {}), scaled_far_half(method, away)), 0.1);
  }
}

TEST(Stack, TellsOfPointsWithoutACentreOfRotation) {
  Bent bent;
  Mesh& mesh = bent.character.meshes[0];
  // The first point is loose, and the triangle follows one of its two joints alone.
  mesh.points = {{1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.weights = test::rows_of({{{0, 0.5f}, {1, 0.5f}}, {{0, 1}}, {{0, 1}}, {{0, 1}}});
  mesh.normals = {};
  mesh.tangents = {};
  mesh.polygons.first = {0, 3};
  mesh.polygons.corners = {1, 2, 3};
  mesh.parts = {{0, 4, 0, 1}};
  mesh.weld = {0, 1, 2, 3};
  const Notes notes = prepare_deformer(bent.character, {deform_stack("cor")})->notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(
      notes[0].sentence,
      "mesh 0 'tube': near 1 point of 4 no surface follows two of their joints, so cor blends them linearly");
  EXPECT_EQ(notes[0].count, 1u);
}

// The sums over neighbours overflow where the points themselves do not.
TEST(Stack, NamesDeltaMushWhereItTakesPointsOutOfTheRangeOfNumbers) {
  Bent bent;
  bent.frame.palette.assign(2, test::scaled({8e37, 8e37, 8e37}));
  ASSERT_TRUE(deform_instance(bent.character, bent.frame, 0, {}));
  const Result<Surface> mushed =
      deform_instance(bent.character, bent.frame, 0, {deform_stack("lbs,delta_mush")});
  ASSERT_FALSE(mushed.ok());
  EXPECT_NE(mushed.error().sentence.find("delta mush moves point "), std::string::npos)
      << mushed.error().sentence;
}

// Points where a mirror puts them, normals outward, and handedness turned over, whatever the stack.
TEST(Stack, MirrorsWithTheWholeCharacter) {
  Bent bent;
  const Mesh& mesh = bent.character.meshes[0];
  bent.frame.palette.assign(2, test::scaled({-1, 1, 1}));
  for (const char* method : kSkinMethods) {
    for (const char* after : {"", ",delta_mush"}) {
      SCOPED_TRACE(std::string(method) + after);
      const Surface posed = bent.posed(std::string(method) + after, NormalMode::shading);
      for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        const Vec3 point = mesh.points[v], normal = mesh.normals.values[v];
        ASSERT_LT(length(posed.points[v] - Vec3{-point.x, point.y, point.z}), 2e-5f) << v;
        ASSERT_LT(length(posed.normals[v] - Vec3{-normal.x, normal.y, normal.z}), 1e-3f) << v;
      }
    }
  }
}

TEST(Stack, PosesNormalsOnCornersAsThoseOnPoints) {
  const Bent bent;
  for (const char* method : kSkinMethods) {
    for (const char* after : {"", ",delta_mush"}) {
      SCOPED_TRACE(std::string(method) + after);
      const DeformOptions options{deform_stack(std::string(method) + after)};
      Character cornered = bent.character;
      const std::vector<Index>& corners = cornered.meshes[0].polygons.corners;
      cornered.meshes[0].normals.corner_value = corners;
      const Mesh by_point = deform_character(bent.character, bent.frame, options)->meshes[0];
      const Mesh by_corner = deform_character(cornered, bent.frame, options)->meshes[0];
      EXPECT_EQ(by_point.points, by_corner.points);
      ASSERT_EQ(by_corner.normals.corner_value.size(), corners.size());
      ASSERT_EQ(by_corner.tangents.corner_value.size(), corners.size());
      for (std::size_t c = 0; c < corners.size(); ++c) {
        EXPECT_EQ(by_point.normals.values[at(corners[c])],
                  by_corner.normals.values[at(by_corner.normals.corner_value[c])]);
        EXPECT_EQ(by_point.tangents.values[at(corners[c])],
                  by_corner.tangents.values[at(by_corner.tangents.corner_value[c])]);
      }
    }
  }
}

TEST(Stack, OfOnePreparationGivesTheSameBytesForEveryPoseAndThreadCount) {
  const Bent bent, shifted({1, 2, 3});
  const Result<Deformer> deformer = prepare_deformer(bent.character, {deform_stack("cor,delta_mush")});
  ASSERT_TRUE(deformer.ok());
  const Surface first = *pose_instance(*deformer, bent.frame, 0);
  ASSERT_TRUE(pose_instance(*deformer, shifted.frame, 0).ok());
  set_thread_count(1);
  const Surface again = *pose_instance(*deformer, bent.frame, 0);
  set_thread_count(0);
  EXPECT_EQ(first.points, again.points);
  EXPECT_EQ(first.normals, again.normals);
}

TEST(Stack, OfAMeshBoundFarAwayAndPosedNearTheOriginKeepsItsDigits) {
  // Bound 100,000 units away, where floats are 0.008 apart: the rest points are coarse, but the pose must not
  // add to that.
  Bent bent;
  const Vec3d away{1e5, 0, 0};
  for (Vec3& point : bent.character.meshes[0].points) point = Vec3(Vec3d(point) + away);
  bent.character.meshes[0].weld = weld_coincident(bent.character.meshes[0].points);
  for (Affined& joint : bent.frame.palette) joint.translation += joint.linear * -away;
  for (const char* method : {"rigid", "lbs", "dqs"}) {
    const Surface fast = bent.posed(method, NormalMode::shading);
    const Surface plain = bent.posed(method, NormalMode::inverse_transpose);
    EXPECT_EQ(fast.points, plain.points);
  }
}

TEST(Stack, DeltaMushSmoothsWhatRigidSkinningTore) {
  const Bent bent;
  const auto most_stretched = [&](const Surface& posed) {
    double most = 0;
    const Mesh& mesh = bent.character.meshes[0];
    const Polygons& polygons = mesh.polygons;
    for (std::size_t p = 0; p < polygons.count(); ++p) {
      for (std::size_t c = polygons.first[p]; c + 1 < polygons.first[p + 1]; ++c) {
        const std::size_t a = at(polygons.corners[c]), b = at(polygons.corners[c + 1]);
        const float now = length(posed.points[a] - posed.points[b]);
        most = std::max(most, static_cast<double>(now / length(mesh.points[a] - mesh.points[b])));
      }
    }
    return most;
  };
  const double torn = most_stretched(bent.posed("rigid", NormalMode::shading));
  const DeformOptions mushed{deform_stack("rigid,delta_mush:iterations=10")};
  const double mended = most_stretched(*deform_instance(bent.character, bent.frame, 0, mushed));
  EXPECT_LT(mended, 0.6 * torn);
}

TEST(Stack, DqsKeepsTheRadiusThatLinearBlendingLoses) {
  Character character = test::tube_character({.rings = 33, .sides = 24}, {2, 0, 0});
  Pose pose;
  NodePose turned;
  turned.node = "far";
  turned.turn = Quat(quat_from_axis_angle({1, 0, 0}, 2.5));
  pose.nodes = {turned};
  PoseRequest request;
  request.pose = &pose;
  const PoseFrame frame = *pose_frame(character, request);
  const auto thinnest = [&](const char* method) {
    double radius = 1e9;
    const std::vector<Vec3> points = deform_instance(character, frame, 0, {deform_stack(method)})->points;
    for (std::size_t v = 0; v + 2 < points.size(); ++v) {  // the last two are in the middle of the caps
      const double y = static_cast<double>(points[v].y), z = static_cast<double>(points[v].z);
      radius = std::min(radius, std::hypot(y, z));
    }
    return radius;
  };
  EXPECT_GT(thinnest("dqs"), 2 * thinnest("lbs"));
}

}  // namespace
}  // namespace dermis
