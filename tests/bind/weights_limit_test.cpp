// SPDX-License-Identifier: MIT
// Fewer influences: never worse than cutting, as good as a slow search, exact where that is possible.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "characters.h"
#include "dermis/bind.h"
#include "dermis/made.h"

namespace dermis {
namespace {

using test::node_at;
using test::Random;

// A chain of joints along x, one apart, and loose points with random rows.
Character chain(Random& random, int joints, int points, int influences) {
  Character character;
  Skin skin;
  for (int j = 0; j < joints; ++j) {
    character.nodes.push_back(node_at("", j - 1, {j == 0 ? 0.0f : 1.0f, 0, 0}));
    character.nodes.back().name = "j" + std::to_string(j);
    skin.node.push_back(j);
    skin.inverse_bind.emplace_back(Mat3{}, Vec3{-static_cast<float>(j), 0, 0});
  }
  character.nodes.push_back(node_at("mesh", kNone, {}));
  character.skins = {skin};
  Mesh mesh;
  mesh.name = "dust";
  WeightRowBuilder builder;
  for (int v = 0; v < points; ++v) {
    mesh.points.push_back(Vec3(Vec3d{random.in(0, joints), random.in(-1, 1), random.in(-1, 1)}));
    for (int k = 0; k < influences; ++k)
      builder.add((v + k) % joints, static_cast<float>(random.in(0.05, 1)));
    builder.close_row(10);
  }
  mesh.parts = {{0, points, 0, 0}};
  mesh.weights = builder.take();
  mesh.weld = weld_coincident(mesh.points);
  character.meshes = {mesh};
  character.instances = {{joints, 0, 0, {}, true}};
  return character;
}

// Every pose of the range of motion, as palettes.
std::vector<std::vector<Affined>> palettes_of(const Character& character) {
  std::vector<std::vector<Affined>> palettes;
  for (const RangePose& pose : range_of_motion(character)) {
    PoseRequest request;
    request.pose = &pose.pose;
    const Result<PoseFrame> frame = pose_frame(character, request);
    palettes.emplace_back(frame->palette_of(0).begin(), frame->palette_of(0).end());
  }
  return palettes;
}

Vec3d posed(std::span<const Affined> palette, std::span<const Influence> row, const Vec3& point) {
  Vec3d sum;
  for (const Influence& one : row)
    sum += (palette[at(one.slot)] * Vec3d(point)) * static_cast<double>(one.weight);
  return sum;
}

// Squares of how far a row takes a point from where another does, over all poses.
double error_of(const std::vector<std::vector<Affined>>& palettes, std::span<const Influence> truth,
                std::span<const Influence> row, const Vec3& point) {
  double sum = 0;
  for (const std::vector<Affined>& palette : palettes) {
    const Vec3d apart = posed(palette, truth, point) - posed(palette, row, point);
    sum += dot(apart, apart);
  }
  return sum;
}

// The best two influences of a row by trying all pairs and shares in steps of a two-hundredth.
double best_pair_error(const std::vector<std::vector<Affined>>& palettes, std::span<const Influence> truth,
                       const Vec3& point) {
  double best = INFINITY;
  for (std::size_t a = 0; a < truth.size(); ++a) {
    for (std::size_t b = a + 1; b < truth.size(); ++b) {
      for (int step = 0; step <= 200; ++step) {
        const float share = static_cast<float>(step) / 200;
        const Influence row[] = {{truth[a].slot, share}, {truth[b].slot, 1 - share}};
        best = std::min(best, error_of(palettes, truth, row, point));
      }
    }
  }
  return best;
}

TEST(LimitedWeights, LeaveRowsWithinTheLimitAlone) {
  Random random(1);
  const Character character = chain(random, 4, 50, 4);
  const Result<LimitedWeights> limited = limited_weights(character, 0, {4, {}, {}});
  ASSERT_TRUE(limited) << limited.error().sentence;
  EXPECT_EQ(limited->rows, character.meshes[0].weights);
  EXPECT_EQ(limited->limited_count, 0u);
  EXPECT_EQ(limited->refitted.max, 0);
}

TEST(LimitedWeights, MoveNoPointFurtherThanCuttingAndReportWhatTheyMove) {
  const unsigned seed = 21;
  SCOPED_TRACE(seed);
  Random random(seed);
  const Character character = chain(random, 7, 200, 6);
  const Mesh& mesh = character.meshes[0];
  const Result<LimitedWeights> limited = limited_weights(character, 0, {3, {}, {}});
  ASSERT_TRUE(limited) << limited.error().sentence;
  const std::vector<std::vector<Affined>> palettes = palettes_of(character);
  double sum = 0;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const std::span<const Influence> truth = mesh.weights.row(v), row = limited->rows.row(v);
    EXPECT_LE(row.size(), 3u);
    WeightRowBuilder builder;
    for (std::size_t k = 0; k < std::min<std::size_t>(3, truth.size()); ++k)
      builder.add(truth[k].slot, truth[k].weight);
    builder.close_row(2);
    const WeightRows cut = builder.take();
    const double error = error_of(palettes, truth, row, mesh.points[v]);
    EXPECT_LE(error, error_of(palettes, truth, cut.row(0), mesh.points[v]) * (1 + 1e-4) + 1e-12)
        << "point " << v;
    sum += error;
  }
  Box box;
  for (const Vec3& p : mesh.points) box.add(Vec3d(p));
  const double rms =
      std::sqrt(sum / static_cast<double>(mesh.points.size() * palettes.size())) / box.diagonal();
  EXPECT_NEAR(limited->refitted.rms, rms, 1e-6);
  EXPECT_LT(limited->refitted.rms, 0.8 * limited->cut.rms);
  EXPECT_EQ(limited->pose_count, palettes.size());
}

// What went wrong: the solver compares rows in other numbers than the printed error, and squares say nothing
// about the worst pose. Nearly equal rows, faint influences and points far from their joints make that
// visible.
TEST(LimitedWeights, NeverPrintALargerErrorThanCutting) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Character character = chain(random, 3 + random.below(8), 30, 3 + random.below(6));
    Mesh& mesh = character.meshes[0];
    WeightRowBuilder builder;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      for (const Influence& one : mesh.weights.row(v)) {
        const double faint = seed % 2 == 0 ? std::pow(10, random.in(-6, 0)) : 1;
        builder.add(one.slot, one.weight * static_cast<float>(faint));
      }
      builder.close_row(10);
      if (seed % 3 == 0) mesh.points[v] = mesh.points[v] * 100.0f;
    }
    mesh.weights = builder.take();
    mesh.weld = weld_coincident(mesh.points);
    for (const int most : {1, 2, 4}) {
      const Result<LimitedWeights> limited = limited_weights(character, 0, {most, {}, {}});
      ASSERT_TRUE(limited) << limited.error().sentence;
      EXPECT_LE(limited->refitted.rms, limited->cut.rms) << most;
      EXPECT_LE(limited->refitted.max, limited->cut.max) << most;
    }
  }
}

TEST(LimitedWeights, AreAsGoodAsTryingAllPairsOfInfluences) {
  const unsigned seed = 4;
  SCOPED_TRACE(seed);
  Random random(seed);
  const Character character = chain(random, 4, 10, 4);
  const Mesh& mesh = character.meshes[0];
  const Result<LimitedWeights> limited = limited_weights(character, 0, {2, {}, {}});
  ASSERT_TRUE(limited) << limited.error().sentence;
  const std::vector<std::vector<Affined>> palettes = palettes_of(character);
  double ours = 0, best = 0;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    ours += error_of(palettes, mesh.weights.row(v), limited->rows.row(v), mesh.points[v]);
    best += best_pair_error(palettes, mesh.weights.row(v), mesh.points[v]);
  }
  // Dropping one by one may miss the best pair; over all points it costs next to nothing.
  EXPECT_LE(ours, best * 1.05);
}

// Two slots that name one joint move alike: nothing is lost when one goes, and the other takes its weight.
TEST(LimitedWeights, LoseNothingWhereJointsMoveAlike) {
  Random random(2);
  Character character = chain(random, 3, 1, 3);
  Skin& skin = character.skins[0];
  skin.node = {0, 1, 1};
  skin.inverse_bind[2] = skin.inverse_bind[1];
  character.meshes[0].weights = test::rows_of({{{0, 0.5f}, {1, 0.375f}, {2, 0.125f}}});
  const Result<LimitedWeights> limited = limited_weights(character, 0, {2, {}, {}});
  ASSERT_TRUE(limited) << limited.error().sentence;
  EXPECT_LT(limited->refitted.max, 1e-6);
  EXPECT_GT(limited->cut.max, 1e-3);
  ASSERT_EQ(limited->rows.row(0).size(), 2u);
  EXPECT_NEAR(static_cast<double>(limited->rows.row(0)[0].weight), 0.5, 1e-4);
}

TEST(LimitedWeights, KeepLockedJointsToTheLastBit) {
  const unsigned seed = 33;
  SCOPED_TRACE(seed);
  Random random(seed);
  const Character character = chain(random, 6, 100, 6);
  const Mesh& mesh = character.meshes[0];
  SlotLocks locks(6, false);
  locks[0] = locks[5] = true;
  const Result<LimitedWeights> limited = limited_weights(character, 0, {3, locks, {}});
  ASSERT_TRUE(limited);
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    EXPECT_LE(limited->rows.row(v).size(), 3u);
    double sum = 0;
    for (const Influence& one : limited->rows.row(v)) sum += static_cast<double>(one.weight);
    EXPECT_NEAR(sum, 1, 1e-6);
    for (const Influence& one : mesh.weights.row(v)) {
      if (!locks[at(one.slot)]) continue;
      const auto row = limited->rows.row(v);
      EXPECT_NE(std::find(row.begin(), row.end(), one), row.end()) << "point " << v;
    }
  }
  EXPECT_EQ(limited->over_count, 0u);
}

TEST(LimitedWeights, SayWhereLocksLeaveMoreThanTheLimit) {
  Random random(8);
  const Character character = chain(random, 4, 10, 4);
  const Result<LimitedWeights> limited = limited_weights(character, 0, {1, {true, true, false, false}, {}});
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->over_count, 10u);
  for (std::size_t v = 0; v < 10; ++v) EXPECT_EQ(limited->rows.row(v).size(), 3u);
}

// Least squares over no weight at all once ended the program.
TEST(LimitedWeights, KeepPointsWhoseJointsAreAllLocked) {
  Random random(8);
  Character character = chain(random, 3, 3, 3);
  character.meshes[0].weights = test::rows_of(
      {{{0, 0.5f}, {1, 0.5f}}, {{0, 0.5f}, {1, 0.25f}, {2, 0.25f}}, {{0, 0.6f}, {1, 0.40000004f}}});
  const Result<LimitedWeights> limited = limited_weights(character, 0, {1, {true, true, false}, {}});
  ASSERT_TRUE(limited) << limited.error().sentence;
  EXPECT_EQ(limited->rows, character.meshes[0].weights);
  EXPECT_EQ(limited->over_count, 3u);
  EXPECT_LT(limited->refitted.max, 1e-9);
}

TEST(LimitedWeights, GiveOneJointEachWhenOneIsAllowed) {
  const Result<Character> humanoid = make_character(MadeKind::humanoid, {1000});
  ASSERT_TRUE(humanoid);
  for (std::size_t i = 0; i < humanoid->instances.size(); ++i) {
    if (humanoid->instances[i].skin == kNone) continue;
    const Result<LimitedWeights> limited = limited_weights(*humanoid, static_cast<Index>(i), {1, {}, {}});
    ASSERT_TRUE(limited);
    for (std::size_t v = 0; v + 1 < limited->rows.first.size(); ++v) {
      ASSERT_EQ(limited->rows.row(v).size(), 1u);
      EXPECT_EQ(limited->rows.row(v)[0].weight, 1);
    }
    EXPECT_LE(limited->refitted.rms, limited->cut.rms);
  }
}

TEST(LimitedWeights, RefuseNoInfluencesAndInstancesWithoutASkin) {
  Random random(1);
  Character character = chain(random, 2, 3, 2);
  EXPECT_FALSE(limited_weights(character, 0, {0, {}, {}}));
  character.instances[0].skin = kNone;
  EXPECT_FALSE(limited_weights(character, 0, {1, {}, {}}));
}

}  // namespace
}  // namespace dermis
