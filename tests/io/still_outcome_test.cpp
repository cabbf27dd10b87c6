// SPDX-License-Identifier: MIT
// What becomes of the PLY, STL and OFF files made elsewhere.
#include <gtest/gtest.h>

#include "io/outcomes.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;
using test::Expected;

constexpr Expected kAssimpStills[] = {
    {"OFF/Cube.off", "loads"},
    {"OFF/Wuson.off", "loads"},
    {"OFF/invalid.off", "refused: cut short: 3 points and 4 polygons are announced, but 6 lines follow"},
    {"PLY/Wuson.ply", "notes: header-lines-ignored"},
    {"PLY/cube.ply", "loads"},
    {"PLY/cube_binary.ply", "loads"},
    {"PLY/cube_uv.ply", "loads"},
    {"PLY/float-color.ply", "loads"},
    {"PLY/issue623.ply", "refused: vertex 0 is cut short, or has something other than numbers"},
    {"PLY/points.ply", "notes: normals-not-unit"},
    {"PLY/pond.0.ply", "refused: cut short: 70051 rows of 'vertex' are announced"},
    {"STL/3DSMaxExport.STL", "notes: corners-joined"},
    {"STL/Spider_ascii.stl", "notes: corners-joined, polygons-repeat-points"},
    {"STL/Spider_binary.stl", "notes: corners-joined, polygons-repeat-points"},
    {"STL/Wuson.stl", "notes: corners-joined, facet-colours"},
    {"STL/sphereWithHole.stl", "notes: corners-joined"},
    {"STL/triangle.stl", "notes: corners-joined"},
    {"STL/triangle_with_empty_solid.stl", "notes: corners-joined"},
    {"STL/triangle_with_two_solids.stl", "notes: corners-joined"},
    {"invalid/OutOfMemory.off",
     "refused: cut short: 353535235358 points and 6 polygons are announced, but 14 lines follow"},
    {"invalid/empty.off",
     "refused: is not an OFF file: it does not state how many points and polygons it has"},
    {"invalid/empty.ply", "refused: is not a PLY file: its first line is not 'ply'"},
};

constexpr Expected kDataStills[] = {
    {"autorig/bones.off", "loads"},
    {"autorig/elephant-with-holes.off", "loads"},
    {"autorig/triceratops.off", "loads"},
    {"fem/bodyparts3d/FMA23130.stl", "notes: corners-joined"},
    {"fem/bodyparts3d/FMA37665.stl", "notes: corners-joined"},
};

TEST(StillOutcomes, OfAssimpsModelsAreTheExpectedOnes) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  const fs::path folder = test::assimp_folder();
  test::expect_table(folder, {".ply", ".stl", ".off"}, kAssimpStills);
}

TEST(StillOutcomes, OfScansAndSculptsAreTheExpectedOnes) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const fs::path folder = test::data_folder();
  test::expect_table(folder, {".ply", ".stl", ".off"}, kDataStills);
}

}  // namespace
}  // namespace dermis
