// SPDX-License-Identifier: MIT
// What becomes of deliberately faulty and odd files: loads, loads with these notes, or refused because of
// this.
#include <gtest/gtest.h>

#include "io/outcomes.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

using test::expect_table;
using test::Expected;
using test::outcome_of;

constexpr Expected kValidatorCases[] = {
    {"skin/buffer_view_bytestride.gltf", "refused: buffer 0 has no data: neither a 'uri' nor a BIN chunk"},
    {"skin/custom_property.gltf", "notes: names-missing"},
    {"skin/empty_array.gltf", "notes: list-empty"},
    {"skin/empty_joints_array.gltf", "refused: skin 0 has no joints"},
    {"skin/empty_object.gltf", "refused: skin 0 has no joints"},
    {"skin/ibm_invalid_count.gltf", "refused: skin 2 has 3 joints but 2 inverse bind matrices"},
    {"skin/ibm_invalid_format.gltf", "refused: skin 0, accessor 0 is MAT3, but MAT4 is needed"},
    {"skin/ignored_animated_transform.gltf", "notes: keys-repeated, names-missing, weights-missing"},
    {"skin/ignored_local_transform.gltf", "notes: names-missing, weights-missing"},
    {"skin/ignored_parent_transform.gltf", "notes: names-missing, weights-missing"},
    {"skin/no_common_root.gltf", "notes: names-missing"},
    {"skin/no_joints_in_scene.gltf", "notes: names-missing, weights-missing"},
    {"skin/skeleton_invalid.gltf", "notes: names-missing, skeleton-not-above"},
    {"skin/unresolved_ibm.gltf", "refused: skin 0 has 'inverseBindMatrices' 0, out of range: there are 0"},
    {"skin/unresolved_joint.gltf", "refused: skin 0 has a joint that is not one of the 0 nodes"},
    {"skin/unresolved_skeleton.gltf", "refused: skin 0 has 'skeleton' 1, out of range: there is 1"},
    {"skin/valid.gltf", "notes: bind-not-affine, names-missing"},
    {"skin_data/invalid_ibm.gltf", "notes: bind-not-affine, names-missing"},
};

constexpr Expected kAssimpModels[] = {
    {"2CylinderEngine-glTF-Binary/2CylinderEngine.glb", "notes: names-missing"},
    {"BoxBadNormals-glTF-Binary/BoxBadNormals.glb", "notes: normals-not-unit"},
    {"BoxTexcoords-glTF/boxTexcoords.gltf", "loads"},
    {"BoxTextured-glTF/BoxTextured.gltf", "notes: names-missing"},
    {"BoxTextured-glTF-Binary/BoxTextured.glb", "notes: names-missing"},
    {"BoxTextured-glTF-Embedded/BoxTextured.gltf", "notes: names-missing"},
    {"BoxTextured-glTF-pbrSpecularGlossiness/BoxTextured.gltf", "notes: names-missing"},
    {"BoxTextured-glTF-techniqueWebGL/BoxTextured.gltf",
     "refused: extension 0 'KHR_technique_webgl' is required by the file but not known here"},
    {"BoxWithInfinites-glTF-Binary/BoxWithInfinites.glb",
     "refused: mesh 0 'Mesh', primitive 0 has a position (point 0) that is not finite"},
    {"ClearCoat-glTF/ClearCoatTest.gltf", "loads"},
    {"IncorrectVertexArrays/Cube.gltf",
     "notes: bounds-missing, cut-triangle, no-polygons, stride-missing, unused-past-buffer"},
    {"IndexOutOfRange/AllIndicesOutOfRange.gltf",
     "refused: mesh 0 'Mesh', primitive 0 has index 65535 but only 24 points"},
    {"IndexOutOfRange/IndexOutOfRange.gltf",
     "refused: mesh 0 'Mesh', primitive 0 has index 255 but only 24 points"},
    {"MissingBin/BoxTextured.gltf", "refused: cannot open: No such file"},
    {"RecursiveNodes/RecursiveNodes.gltf", "refused: node 0 is its own ancestor"},
    {"SchemaFailures/sceneWrongType.gltf", "refused: cannot open: No such file"},
    {"TestNoRootNode/NoScene.gltf", "refused: has 'scene' 0, out of range: there are 0"},
    {"TestNoRootNode/SceneWithoutNodes.gltf", "loads"},
    {"cameras/Cameras.gltf", "notes: names-missing"},
    {"draco/2CylinderEngine.gltf", "notes: names-missing"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_00.gltf",
     "notes: names-missing, no-polygons"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_01.gltf",
     "notes: names-missing, no-polygons"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_02.gltf",
     "notes: names-missing, no-polygons"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_03.gltf",
     "notes: names-missing, no-polygons"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_04.gltf", "notes: names-missing"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_05.gltf", "notes: names-missing"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_06.gltf", "notes: names-missing"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_07.gltf",
     "notes: names-missing, no-polygons"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_08.gltf",
     "notes: names-missing, no-polygons"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_09.gltf",
     "notes: names-missing, no-polygons"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_10.gltf",
     "notes: names-missing, no-polygons"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_11.gltf", "notes: names-missing"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_12.gltf", "notes: names-missing"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_13.gltf", "notes: names-missing"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_14.gltf", "notes: names-missing"},
    {"glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_15.gltf", "notes: names-missing"},
    {"glTF-Sample-Models/AnimatedMorphCube-glTF/AnimatedMorphCube.gltf", "loads"},
    {"issue_3269/texcoord_crash.gltf", "loads"},
    {"simple_skin/simple_skin.gltf", "notes: names-missing"},
    {"textureTransform/TextureTransformTest.gltf", "loads"},
    {"wrongTypes/badArray.gltf", "refused: mesh 0 'Mesh' has a 'primitives' that is not an array"},
    {"wrongTypes/badExtension.gltf", "notes: names-missing"},
    {"wrongTypes/badNumber.gltf", "notes: names-missing"},
    {"wrongTypes/badObject.gltf", "notes: names-missing"},
    {"wrongTypes/badString.gltf", "notes: names-missing"},
    {"wrongTypes/badUint.gltf", "notes: names-missing"},
};

TEST(Outcomes, OfTheValidatorsOwnCasesAreTheExpectedOnes) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  expect_table(test::data_folder() / "gltf" / "validator-cases", {".gltf", ".glb"}, kValidatorCases);
}

TEST(Outcomes, OfAssimpsGltf2ModelsAreTheExpectedOnes) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  expect_table(test::assimp_folder() / "glTF2", {".gltf", ".glb"}, kAssimpModels);
}

TEST(Outcomes, OfGltf1ModelsAreRefusals) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  const std::vector<fs::path> files = test::gltf_files_below(test::assimp_folder() / "glTF");
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : files) {
    EXPECT_TRUE(outcome_of(file).starts_with("refused: ")) << file << " " << outcome_of(file);
  }
}

}  // namespace
}  // namespace dermis
