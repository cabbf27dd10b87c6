// SPDX-License-Identifier: MIT
// The kernel of direct delta mush against its reference, on every instruction set of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "characters.h"
#include "deform/posed.h"
#include "deform/thin_mesh.h"
#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/made.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::Joints;
using test::Posed;

constexpr unsigned kChainSeed = 20261117;

// A tube on a chain of joints along x.
Mesh tube_on_chain(int rings, int sides, int joints) {
  Mesh mesh = test::tube({.rings = rings, .sides = sides, .length = 8});
  WeightRowBuilder builder;
  for (const Vec3& point : mesh.points) {
    const float along = std::clamp(point.x / 8, 0.0f, 1.0f) * static_cast<float>(joints - 1);
    const int joint = std::min(static_cast<int>(along), joints - 2);
    builder.add(joint, 1 - (along - static_cast<float>(joint)));
    builder.add(joint + 1, along - static_cast<float>(joint));
    builder.close_row(1e-6);
  }
  mesh.weights = builder.take();
  return mesh;
}

// Each joint of the chain turned about its own place, by up to `angle`.
std::vector<Affined> bent(unsigned seed, int joints, double angle, Joints kind) {
  test::Random random(seed);
  std::vector<Affined> palette;
  Affined parent = test::turned_about(random.vector(), random.vector(), random.in(-3, 3));
  for (int j = 0; j < joints; ++j) {
    const Vec3d place{8.0 * j / (joints - 1), 0, 0};
    parent = parent * test::turned_about(place, random.vector(), random.in(-angle, angle));
    Affined joint = parent;
    if (kind != Joints::rigid)
      joint = joint * test::scaled({random.in(0.7, 1.4), random.in(0.7, 1.4), random.in(0.7, 1.4)});
    if (kind == Joints::mirrored) joint = joint * test::scaled({1, -1, 1});
    palette.push_back(joint);
  }
  return palette;
}

RestSurface rest_of(const Mesh& mesh) { return {mesh.points, mesh.normals.values, mesh.tangents.values}; }

Posed by_reference(const DirectDeltaMush& mush, const Mesh& mesh, const std::vector<Affined>& palette) {
  Posed posed(mesh.points.size());
  skin_direct_delta_mush_reference(mush, palette, rest_of(mesh), posed.surface());
  return posed;
}

// A mesh made ready once, then posed.
struct Prepared {
  DirectDeltaMushBlocks blocks;
  RestBlocks rest;
  PackedDirectJoints packed;

  Prepared(const DirectDeltaMush& mush, const Mesh& mesh)
      : blocks(prepare_direct_delta_mush_blocks(mush).value()) {
    set_rest_blocks(rest_of(mesh), rest);
  }
  Posed pose(const std::vector<Affined>& joints) {
    Posed posed(blocks.point_count);
    pack_direct_joints(joints, packed);
    skin_direct_delta_mush(blocks, packed, rest, posed.surface());
    return posed;
  }
};

struct Apart {
  double points = 0, normals = 0, tangents = 0;
  std::size_t other_side = 0;
};

Apart apart(const Posed& a, const Posed& b) {
  Apart most;
  const auto keep = [](double& largest, const Vec3& x, const Vec3& y) {
    const double distance = length(Vec3d(x) - Vec3d(y));
    largest = distance <= largest ? largest : distance;  // NaN counts
  };
  for (std::size_t v = 0; v < a.points.size(); ++v) {
    keep(most.points, a.points[v], b.points[v]);
    keep(most.normals, a.normals[v], b.normals[v]);
    keep(most.tangents, a.tangents[v].xyz(), b.tangents[v].xyz());
    most.other_side += a.tangents[v].w != b.tangents[v].w;
  }
  return most;
}

// Poses on all instruction sets; `bound` is for points in a mesh of size eight.
void expect_reference_met(const Mesh& mesh, const DirectDeltaMush& mush, const std::vector<Affined>& palette,
                          double bound, double bound_of_normals) {
  Prepared ours(mush, mesh);
  const Posed wanted = by_reference(mush, mesh, palette);
  for (const std::string& target : kernel_targets()) {
    ASSERT_TRUE(use_kernel_target(target));
    SCOPED_TRACE(target);
    const Apart most = apart(ours.pose(palette), wanted);
    EXPECT_LE(most.points, bound);
    EXPECT_LE(most.normals, bound_of_normals);
    EXPECT_LE(most.tangents, bound_of_normals);
    EXPECT_EQ(most.other_side, 0u);
  }
  use_kernel_target("");
}

TEST(DirectDeltaMushKernel, MeetsTheReferenceInRandomPoses) {
  const Mesh mesh = tube_on_chain(81, 13, 7);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  for (const Joints kind : {Joints::rigid, Joints::scaled, Joints::mirrored}) {
    for (unsigned seed = kChainSeed; seed < kChainSeed + 10; ++seed) {
      SCOPED_TRACE(seed);
      expect_reference_met(mesh, mush, bent(seed, 7, 1.5, kind), 1e-5, 1e-5);
    }
  }
}

// What is posed in double reads the palette that packed joints keep for it, and shows what is done to them.
TEST(DirectDeltaMushKernel, SettlesAnOrdinaryPoseInFloats) {
  const Character arm = make_character(MadeKind::arm, {2000}).value();
  const Mesh& mesh = arm.meshes[0];
  Prepared ours(*prepare_direct_delta_mush(mesh, direct_delta_mush_options(mesh)), mesh);
  for (const double time : {0.25, 0.5, 1.0}) {
    const PoseFrame frame = pose_frame(arm, {0, time, nullptr}).value();
    pack_direct_joints(frame.palette_of(0), ours.packed);
    for (Affined& joint : ours.packed.palette) joint.translation.x = NAN;
    for (const std::string& target : kernel_targets()) {
      ASSERT_TRUE(use_kernel_target(target));
      std::vector<Vec3> posed(ours.blocks.point_count);
      skin_direct_delta_mush(ours.blocks, ours.packed, ours.rest, {posed, {}, {}});
      const auto mended_count =
          std::count_if(posed.begin(), posed.end(), [](const Vec3& point) { return !is_finite(point); });
      EXPECT_LE(mended_count, static_cast<std::ptrdiff_t>(posed.size() / 100)) << target;
    }
    use_kernel_target("");
  }
}

// Joints that have nothing to do with each other tear at every neighbourhood.
TEST(DirectDeltaMushKernel, MeetsTheReferenceWhereJointsAreStrewnAbout) {
  const Mesh mesh = tube_on_chain(41, 12, 5);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  for (unsigned seed = kChainSeed; seed < kChainSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    std::vector<Affined> rigid, any;
    for (int j = 0; j < 5; ++j) {
      rigid.push_back(random.rigid());
      any.push_back(random.affine());
    }
    expect_reference_met(mesh, mush, rigid, 5e-5, 1e-4);
    expect_reference_met(mesh, mush, any, 2e-4, 1e-4);
  }
}

TEST(DirectDeltaMushKernel, GivesTheRestPoseBackToTheLastBit) {
  for (const float far : {0.0f, 1000.0f}) {
    Mesh mesh = tube_on_chain(41, 13, 4);
    for (Vec3& point : mesh.points) point += Vec3{far, -far, far};
    const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
    Prepared ours(mush, mesh);
    for (const std::string& target : kernel_targets()) {
      ASSERT_TRUE(use_kernel_target(target));
      EXPECT_EQ(ours.pose(std::vector<Affined>(4)).points, mesh.points) << target;
    }
    use_kernel_target("");
  }
}

TEST(DirectDeltaMushKernel, FollowsWhatAllJointsShare) {
  const Mesh mesh = tube_on_chain(41, 12, 4);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    expect_reference_met(mesh, mush, std::vector<Affined>(4, test::Random(seed).affine()), 1e-5, 1e-5);
  }
  expect_reference_met(mesh, mush, std::vector<Affined>(4, test::scaled({0.01, 0.01, 0.01})), 1e-8, 1e-6);
  expect_reference_met(mesh, mush, std::vector<Affined>(4, test::scaled({1, 0, 1})), 1e-6, 1e-6);
  expect_reference_met(mesh, mush, std::vector<Affined>(4, test::scaled({0, 0, 0})), 1e-6, 1e-6);
}

TEST(DirectDeltaMushKernel, StandsSmallAndLargeUnits) {
  for (const double size : {1e-3, 1e3}) {
    SCOPED_TRACE(size);
    Mesh mesh = tube_on_chain(41, 12, 4);
    for (Vec3& point : mesh.points) point = point * static_cast<float>(size);
    const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
    std::vector<Affined> palette = bent(kChainSeed, 4, 1, Joints::rigid);
    for (Affined& joint : palette) joint.translation = joint.translation * size;
    expect_reference_met(mesh, mush, palette, 1e-5 * size, 1e-5);
    for (Affined& joint : palette) joint = test::scaled({0.01, 0.01, 0.01}) * joint;
    expect_reference_met(mesh, mush, palette, 1e-7 * size, 1e-5);
  }
}

// Half a turn between the two ends, where sums cancel.
TEST(DirectDeltaMushKernel, MeetsTheReferenceAtHalfTurnsAndInMixedMirrors) {
  const Mesh mesh = tube_on_chain(41, 12, 2);
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  for (const double degrees : {150.0, 175.0, 179.9}) {
    SCOPED_TRACE(degrees);
    const Affined twisted = test::turned_about({4, 0, 0}, {1, 0, 0}, radians_from_degrees(degrees));
    expect_reference_met(mesh, mush, {{}, twisted}, 2e-5, 1e-4);
  }
  const Affined mirror = test::scaled({1.1, 0.9, -1});
  expect_reference_met(mesh, mush, {{}, mirror}, 2e-5, 2e-4);
}

// A flat sheet, a loose point and a triangle on a line: what floats cannot turn is turned in double.
TEST(DirectDeltaMushKernel, TurnsFlatAndThinNeighbourhoods) {
  const Mesh mesh = test::thin_mesh();
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const Affined first = test::turned_about({3, 1, 2}, {1, 0.2, 0.4}, radians_from_degrees(170));
  Affined other = first;
  other.translation.y += 1e-3;
  expect_reference_met(mesh, mush, {first, other}, 1e-5, 1e-4);
  const Affined second = test::turned_about({10, 0, 0}, {0, 1, 0}, 0.7);
  expect_reference_met(mesh, mush, {first, second}, 1e-4, 2e-4);
}

// The order of points, what stands beside them and whether their blocks share a list change no bit.
TEST(DirectDeltaMushKernel, GivesAPointTheSameBytesWhereverItStands) {
  const Mesh mesh = tube_on_chain(61, 13, 30);
  const std::size_t count = mesh.points.size();
  const DirectDeltaMush mush =
      *prepare_direct_delta_mush(mesh, {.iterations = 1, .lambda = 2, .prune = 0.01});
  Mesh shuffled;
  DirectDeltaMush strewn;
  strewn.first = {0};
  std::vector<std::size_t> order(count);
  for (std::size_t v = 0; v < count; ++v) {
    const std::size_t from = order[v] = v * 97 % count;
    shuffled.points.push_back(mesh.points[from]);
    shuffled.normals.values.push_back(mesh.normals.values[from]);
    shuffled.tangents.values.push_back(mesh.tangents.values[from]);
    strewn.centre.push_back(mush.centre[from]);
    for (std::size_t e = mush.first[from]; e < mush.first[from + 1]; ++e) {
      strewn.slots.push_back(mush.slots[e]);
      strewn.omega.insert(strewn.omega.end(), &mush.omega[e * kOmegaSize], &mush.omega[e * kOmegaSize] + 10);
    }
    strewn.first.push_back(static_cast<std::uint32_t>(strewn.slots.size()));
  }
  ASSERT_NE(count % 97, 0u);
  Prepared ours(mush, mesh), others(strewn, shuffled);
  std::size_t scattered = 0;
  for (const SkinBlocks::Block& block : others.blocks.blocks) scattered += block.is_scattered;
  EXPECT_GT(scattered, others.blocks.blocks.size() / 2);
  for (const Joints kind : {Joints::rigid, Joints::mirrored}) {
    const std::vector<Affined> palette = bent(kChainSeed, 30, 0.6, kind);
    const Posed first = ours.pose(palette), second = others.pose(palette);
    std::size_t different = 0;
    for (std::size_t v = 0; v < count; ++v) {
      different += std::memcmp(&first.points[order[v]], &second.points[v], sizeof(Vec3)) != 0;
      different += std::memcmp(&first.normals[order[v]], &second.normals[v], sizeof(Vec3)) != 0;
      different += std::memcmp(&first.tangents[order[v]], &second.tangents[v], sizeof(Vec4)) != 0;
    }
    EXPECT_EQ(different, 0u);
    const Posed wanted = by_reference(mush, mesh, palette);
    EXPECT_LE(apart(first, wanted).points, 2e-5);
  }
}

TEST(DirectDeltaMushKernel, WritesItsRangeAndNothingElse) {
  const Mesh mesh = tube_on_chain(61, 13, 7);
  const std::size_t count = mesh.points.size();
  Prepared ours(*prepare_direct_delta_mush(mesh), mesh);
  const Posed whole = ours.pose(bent(kChainSeed, 7, 1, Joints::rigid));
  const Vec3 untouched{7, 7, 7};
  Posed parts(count);
  std::fill(parts.points.begin(), parts.points.end(), untouched);
  skin_direct_delta_mush(ours.blocks, ours.packed, ours.rest, parts.surface(),
                         {kRangePoints, 3 * kRangePoints});
  for (std::size_t v = 0; v < count; ++v) {
    const bool is_inside = v >= kRangePoints && v < 3 * kRangePoints;
    ASSERT_EQ(parts.points[v], is_inside ? whole.points[v] : untouched) << v;
  }
  skin_direct_delta_mush(ours.blocks, ours.packed, ours.rest, parts.surface(), {0, kRangePoints});
  skin_direct_delta_mush(ours.blocks, ours.packed, ours.rest, parts.surface(), {3 * kRangePoints, SIZE_MAX});
  EXPECT_EQ(parts, whole);
  std::vector<Vec3> alone(count);
  skin_direct_delta_mush(ours.blocks, ours.packed, ours.rest, {{}, alone, {}});
  EXPECT_EQ(alone, whole.normals);
}

TEST(DirectDeltaMushKernel, IsTheSameBytesOnAnyThreadCount) {
  const Mesh mesh = tube_on_chain(161, 24, 7);
  Prepared ours(*prepare_direct_delta_mush(mesh), mesh);
  const Posed whole = ours.pose(bent(kChainSeed, 7, 1, Joints::scaled));
  const int before = thread_count();
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    Posed parts(mesh.points.size());
    parallel_for(mesh.points.size(), 2 * kRangePoints, [&](std::size_t begin, std::size_t end) {
      skin_direct_delta_mush(ours.blocks, ours.packed, ours.rest, parts.surface(), {begin, end});
    });
    EXPECT_EQ(parts, whole) << threads;
  }
  set_thread_count(before);
}

TEST(DirectDeltaMushKernel, TakesAMeshWithoutPoints) {
  Prepared ours(*prepare_direct_delta_mush(Mesh{}), Mesh{});
  EXPECT_TRUE(ours.pose({}).points.empty());
}

TEST(DirectDeltaMushKernel, MeetsTheReferenceOnARealCharacter) {
  const auto folder = test::data_folder();
  if (folder.empty()) GTEST_SKIP() << "set DERMIS_DATA";
  const Result<Asset> asset = load((folder / "gltf" / "khronos" / "CesiumMan.glb").string());
  ASSERT_TRUE(asset.ok());
  Mesh mesh = asset->character.meshes[0];
  mesh.tangents.values.clear();
  for (const Vec3& normal : mesh.normals.values) {
    const Vec3d side = std::abs(normal.x) < 0.7f ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3 along(normalized(cross(Vec3d(normal), side)));
    mesh.tangents.values.push_back({along.x, along.y, along.z, 1});
  }
  const DirectDeltaMush mush = *prepare_direct_delta_mush(mesh);
  const std::size_t slots = asset->character.skins[0].node.size();
  Prepared ours(mush, mesh);
  EXPECT_EQ(ours.pose(std::vector<Affined>(slots)).points, mesh.points);
  test::Random random(kChainSeed);
  std::vector<Affined> palette;
  for (std::size_t s = 0; s < slots; ++s) {
    const Vec3d place = Vec3d(mesh.points[s * 97 % mesh.points.size()]);
    palette.push_back(test::turned_about(place, random.vector(), random.in(-0.5, 0.5)));
  }
  expect_reference_met(mesh, mush, palette, 1e-5, 1e-3);
}

}  // namespace
}  // namespace dermis
