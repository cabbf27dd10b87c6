// SPDX-License-Identifier: MIT
// What becomes of every motion, marker and course file made elsewhere.
#include "io/outcomes.h"

namespace dermis {
namespace {

using test::Expected;

constexpr Expected kMotionData[] = {
    {"course/attachment-clean.out",
     "refused: has weights; give the skeleton they belong to, skeleton-clean.out"},
    {"course/attachment-scanned.out",
     "refused: has weights; give the skeleton they belong to, skeleton-scanned.out"},
    {"course/skeleton-clean.out", "notes: mesh-missing, up-axis-guessed"},
    {"course/skeleton-scanned.out",
     "notes: joint-line-mended, mesh-missing, up-axis-guessed, weight-line-mended"},
    {"motion/c3d/02_01.c3d", "notes: turned-y-up"},
    {"motion/cmu/02_01.bvh", "notes: up-axis-guessed"},
    {"motion/cmu/127_23.bvh", "notes: up-axis-guessed"},
    {"motion/cmu/87_03.bvh", "notes: up-axis-guessed"},
    {"motion/cmu/90_10.bvh", "notes: up-axis-guessed"},
    {"motion/makehuman/benchmark.bvh", "notes: positions-from-offsets, turned-y-up, up-axis-guessed"},
    {"motion/makehuman/walk1.bvh", "notes: turned-y-up, up-axis-guessed"},
    {"motion/momentum/simple.bvh", "notes: up-axis-guessed"},
};

constexpr Expected kMotionModels[] = {
    {"BVH/01_01.bvh", "notes: up-axis-guessed"},
    {"BVH/01_03.bvh", "notes: up-axis-guessed"},
    {"BVH/Boxing_Toes.bvh", "notes: frames-miscounted, up-axis-guessed"},
};

TEST(MotionOutcomes, OfRealFilesAreTheExpectedOnes) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  test::expect_table(test::data_folder(), {".bvh", ".c3d", ".trc", ".out"}, kMotionData);
}

TEST(MotionOutcomes, OfAssimpsModelsAreTheExpectedOnes) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  test::expect_table(test::assimp_folder(), {".bvh", ".c3d", ".trc", ".out"}, kMotionModels);
}

}  // namespace
}  // namespace dermis
