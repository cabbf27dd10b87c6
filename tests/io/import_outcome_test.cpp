// SPDX-License-Identifier: MIT
// What becomes of every real file and every test model of assimp that dermis-import is asked to read: loads,
// loads with these notes, or refused because of this.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "dermis/io.h"
#include "io/file.h"
#include "io/formats.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

// Said about nearly all of them; left out of the table.
bool is_common(const std::string& id) {
  return id == "points-joined" || id == "unit-guessed" || id == "axes-turned" || id == "curves-as-keys" ||
         id == "names-missing" || id == "names-shared";
}

// "loads", "notes: a, b" with the ids in order, or "refused: SENTENCE" without the file.
std::string outcome_of(const fs::path& file) {
  const Result<Asset> asset = load(file.string());
  if (!asset) {
    EXPECT_TRUE(asset.error().sentence.starts_with(file.string() + ": ")) << asset.error().sentence;
    EXPECT_EQ(asset.error().sentence.find('\n'), std::string::npos) << asset.error().sentence;
    return "refused: " + asset.error().sentence.substr(file.string().size() + 2);
  }
  EXPECT_EQ(asset->source, nullptr) << file;
  std::set<std::string> ids;
  for (const Note& note : asset->notes) {
    if (!is_common(note.id)) ids.insert(note.id);
  }
  std::string words;
  for (const std::string& id : ids) words += (words.empty() ? "notes: " : ", ") + id;
  return words.empty() ? "loads" : words;
}

struct ExpectedImport {
  const char* file;
  const char* outcome;  // as above; of a refusal the words that its sentence must hold
};

std::vector<fs::path> imported_files(const fs::path& folder, bool is_fbx_or_collada) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = extension_of(entry.path().string());
    const bool is_main = extension == ".fbx" || extension == ".dae" || extension == ".zae";
    if (entry.is_regular_file() && reader_for(extension) == read_import && is_main == is_fbx_or_collada)
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Every such file is in the table, and comes out as the table says.
void expect_table(const fs::path& folder, bool is_fbx_or_collada, std::span<const ExpectedImport> table) {
  std::map<std::string, std::string> wanted;
  for (const ExpectedImport& row : table) wanted[row.file] = row.outcome;
  for (const fs::path& file : imported_files(folder, is_fbx_or_collada)) {
    const std::string name = fs::relative(file, folder).string(), found = outcome_of(file);
    const auto row = wanted.find(name);
    if (row == wanted.end()) {
      ADD_FAILURE() << "not in the table: {\"" << name << "\", \"" << found << "\"},";
      continue;
    }
    if (row->second.starts_with("refused: ")) {
      EXPECT_TRUE(found.starts_with("refused: ")) << name << " " << found;
      EXPECT_NE(found.find(row->second.substr(9)), std::string::npos) << name << " " << found;
    } else {
      EXPECT_EQ(found, row->second) << name;
    }
    wanted.erase(row);
  }
  for (const auto& [name, outcome] : wanted) ADD_FAILURE() << name << " is in the table but not there";
}

constexpr ExpectedImport kFbxAndCollada[] = {
    {"Collada/COLLADA.dae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/COLLADA_triangulate.dae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/Cinema4D.dae", "loads"},
    {"Collada/ConcavePolygon.dae", "loads"},
    {"Collada/anims_with_full_rotations_between_keys.DAE", "loads"},
    {"Collada/box_nested_animation.dae", "loads"},
    {"Collada/cameras.dae", "notes: cameras-left-out, no-meshes"},
    {"Collada/cube_UTF16LE.dae", "refused: assimp: Unable to read file, malformed XML"},
    {"Collada/cube_UTF8BOM.dae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/cube_emptyTags.dae", "loads"},
    {"Collada/cube_triangulate.dae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/cube_tristrips.dae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/cube_with_2UVs.DAE", "loads"},
    {"Collada/cube_xmlspecialchars.dae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/duck.dae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/duck.zae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/duck_nomanifest.zae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/duck_triangulate.dae", "notes: cameras-left-out, lights-left-out"},
    {"Collada/earthCylindrical.DAE", "notes: image-missing"},
    {"Collada/human.zae", "loads"},
    {"Collada/kwxport_test_vcolors.dae", "notes: image-missing"},
    {"Collada/library_animation_clips.dae",
     "refused: assimp: Cannot parse string \"  0.0 0.0 0.0 1.0  \" as a real"},
    {"Collada/lights.dae", "notes: lights-left-out, no-meshes"},
    {"Collada/regr01.dae", "notes: image-missing"},
    {"Collada/sphere.dae", "loads"},
    {"Collada/sphere_triangulate.dae", "loads"},
    {"Collada/teapot_instancenodes.DAE", "loads"},
    {"Collada/teapots.DAE", "notes: image-missing"},
    {"FBX/animation_with_skeleton.fbx", "notes: cameras-left-out, lights-left-out, weights-not-normalised"},
    {"FBX/box.fbx", "loads"},
    {"FBX/boxWithCompressedCTypeArray.FBX", "loads"},
    {"FBX/boxWithUncompressedCTypeArray.FBX", "loads"},
    {"FBX/box_orphant_embedded_texture.fbx", "loads"},
    {"FBX/close_to_identity_transforms.fbx", "loads"},
    {"FBX/cubes_nonames.fbx", "loads"},
    {"FBX/cubes_with_mirroring_and_pivot.fbx", "loads"},
    {"FBX/cubes_with_names.fbx", "loads"},
    {"FBX/cubes_with_outofrange_float.fbx", "loads"},
    {"FBX/embedded_ascii/box.FBX", "loads"},
    {"FBX/embedded_ascii/box_embedded_texture_fragmented.fbx", "loads"},
    {"FBX/global_settings.fbx", "notes: cameras-left-out, lights-left-out"},
    {"FBX/huesitos.fbx", "notes: cameras-left-out, lights-left-out, weights-not-normalised"},
    {"FBX/maxPbrMaterial_metalRough.fbx", "notes: image-missing"},
    {"FBX/maxPbrMaterial_specGloss.fbx", "notes: image-missing"},
    {"FBX/phong_cube.fbx", "loads"},
    {"FBX/spider.fbx", "notes: cameras-left-out, image-missing, lights-left-out, normals-not-unit"},
    {"FBX/transparentTest.fbx", "refused: assimp: FBX-Tokenize (offset 0x23) block offset is out of"},
};

constexpr ExpectedImport kOthers[] = {
    {"3D/box_a.3d", "notes: image-missing"},
    {"3D/box_d.3d", "notes: image-missing"},
    {"3DS/CameraRollAnim.3ds", "notes: cameras-left-out, clip-rate-guessed"},
    {"3DS/CameraRollAnimWithChildObject.3ds", "notes: cameras-left-out, clip-rate-guessed"},
    {"3DS/RotatingCube.3DS", "notes: clip-rate-guessed"},
    {"3DS/TargetCameraAnim.3ds", "notes: cameras-left-out, clip-rate-guessed"},
    {"3DS/cube_with_diffuse_texture.3DS", "notes: image-missing"},
    {"3DS/cube_with_specular_texture.3DS", "loads"},
    {"3DS/cubes_with_alpha.3DS", "notes: image-missing"},
    {"3DS/fels.3ds", "loads"},
    {"3DS/test1.3ds", "notes: image-missing, normals-not-unit"},
    {"3MF/box.3mf", "loads"},
    {"AC/SphereWithLight.ac", "notes: image-missing, lights-left-out"},
    {"AC/SphereWithLightUvScaling4X.ac", "notes: image-missing, lights-left-out"},
    {"AC/SphereWithLight_UTF16LE.ac", "refused: assimp: AC3D: No valid AC3D file, magic sequence not found"},
    {"AC/SphereWithLight_UTF8BOM.ac", "notes: image-missing, lights-left-out"},
    {"AC/Wuson.ac", "loads"},
    {"AC/Wuson.acc", "loads"},
    {"AC/closedLine.ac", "notes: lines-left-out, no-polygons"},
    {"AC/nosurfaces.ac", "notes: no-meshes"},
    {"AC/openLine.ac", "notes: lines-left-out, no-polygons"},
    {"AC/sample_subdiv.ac", "loads"},
    {"AMF/test1.amf", "loads"},
    {"AMF/test2.amf", "loads"},
    {"AMF/test3.amf", "loads"},
    {"AMF/test4.amf", "loads"},
    {"AMF/test5.amf", "loads"},
    {"AMF/test5a.amf", "loads"},
    {"AMF/test6.amf", "loads"},
    {"AMF/test7.amf", "loads"},
    {"AMF/test8.amf", "loads"},
    {"AMF/test9.amf", "loads"},
    {"AMF/test_with_mat.amf", "loads"},
    {"ASE/CameraRollAnim.ase", "notes: cameras-left-out"},
    {"ASE/CameraRollAnimWithChildObject.ase", "notes: cameras-left-out"},
    {"ASE/MotionCaptureROM.ase", "notes: animated-matrix"},
    {"ASE/RotatingCube.ASE", "loads"},
    {"ASE/TargetCameraAnim.ase", "notes: cameras-left-out"},
    {"ASE/TestUVTransform/UVTransform_Normal.ASE", "notes: image-missing"},
    {"ASE/TestUVTransform/UVTransform_ScaleUV1-2_OffsetUV0-0.9_Rotate-72_mirrorU.ase",
     "notes: image-missing"},
    {"ASE/TestUVTransform/UVTransform_ScaleUV2x.ASE", "notes: image-missing"},
    {"ASE/TestUVTransform/UVTransform_ScaleUV2x_Rotate45.ASE", "notes: image-missing"},
    {"ASE/ThreeCubesGreen.ASE", "loads"},
    {"ASE/ThreeCubesGreen_UTF16BE.ASE", "notes: no-meshes"},
    {"ASE/ThreeCubesGreen_UTF16LE.ASE", "notes: no-meshes"},
    {"ASE/anim.ASE", "notes: normals-not-unit"},
    {"ASE/anim2.ASE", "notes: cameras-left-out, lights-left-out, normals-not-unit"},
    {"B3D/WusonBlitz.b3d", "loads"},
    {"BLEND/4Cubes4Mats_248.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/AreaLight_269.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/BlenderDefault_248.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/BlenderDefault_250.blend", "notes: cameras-left-out, colours-negative, lights-left-out"},
    {"BLEND/BlenderDefault_250_Compressed.blend",
     "notes: cameras-left-out, colours-negative, lights-left-out"},
    {"BLEND/BlenderDefault_262.blend",
     "refused: assimp: Failure resolving pointer 0x604971f1, no file block"},
    {"BLEND/BlenderDefault_269.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/BlenderDefault_271.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/BlenderDefault_276.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/BlenderMaterial_269.blend", "notes: cameras-left-out, lights-left-out, rig-not-read"},
    {"BLEND/CubeHierarchy_248.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/HUMAN.blend", "notes: cameras-left-out, lights-left-out, normals-not-unit"},
    {"BLEND/MirroredCube_252.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/NoisyTexturedCube_VoronoiGlob_248.blend",
     "notes: cameras-left-out, image-missing, lights-left-out"},
    {"BLEND/SmoothVsSolidCube_248.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/SuzanneSubdiv_252.blend", "notes: cameras-left-out, lights-left-out, normals-not-unit"},
    {"BLEND/Suzanne_248.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/TexturedCube_ImageGlob_248.blend", "notes: cameras-left-out, image-missing, lights-left-out"},
    {"BLEND/TexturedPlane_ImageUvPacked_248.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/TexturedPlane_ImageUv_248.blend", "notes: cameras-left-out, image-missing, lights-left-out"},
    {"BLEND/TorusLightsCams_250_compressed.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/blender_269_regress1.blend", "notes: cameras-left-out, lights-left-out, rig-not-read"},
    {"BLEND/box.blend", "notes: cameras-left-out, lights-left-out"},
    {"BLEND/plane_2_textures_2_texcoords_279.blend",
     "notes: cameras-left-out, image-missing, lights-left-out"},
    {"BLEND/test_279.blend", "notes: cameras-left-out, image-missing, lights-left-out"},
    {"BLEND/yxa_1.blend", "notes: cameras-left-out, image-missing, lights-left-out, normals-not-unit"},
    {"COB/dwarf.cob", "notes: image-missing"},
    {"COB/dwarf_ascii.cob", "refused: assimp: End of file or read limit was reached"},
    {"COB/molecule.cob", "loads"},
    {"COB/molecule_ascii.cob", "refused: assimp: Cannot parse string \"\" as a real number: does not"},
    {"COB/spider_4_3.cob", "loads"},
    {"COB/spider_4_3_ascii.cob", "loads"},
    {"COB/spider_6_6.cob", "loads"},
    {"COB/spider_6_6_ascii.cob", "loads"},
    {"CSM/ThomasFechten.csm", "notes: no-meshes"},
    {"DXF/PinkEggFromLW.dxf", "loads"},
    {"DXF/issue_2229.dxf", "notes: lines-left-out"},
    {"DXF/lineTest.dxf", "notes: lines-left-out"},
    {"DXF/wuson.dxf", "loads"},
    {"HMP/terrain.hmp", "loads"},
    {"IFC/AC14-FZK-Haus.ifc", "loads"},
    {"IQM/mrfixit.iqm", "notes: rig-not-read"},
    {"LWO/LWO2/MappingModes/earth_cylindrical_x.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_cylindrical_x_scale_222_wrap_21.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_cylindrical_y.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_cylindrical_y_scale_111.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_cylindrical_y_scale_111_wrap_21.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_cylindrical_z.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_planar_x.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_planar_y.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_planar_z.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_planar_z_scale_111.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_spherical_x.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_spherical_x_scale_222_wrap_22.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_spherical_y.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_spherical_z.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_spherical_z_wrap_22.lwo", "notes: pictures-unplaced"},
    {"LWO/LWO2/MappingModes/earth_uv_cylindrical_y.lwo", "loads"},
    {"LWO/LWO2/ModoExport_vertNormals.lwo", "loads"},
    {"LWO/LWO2/Subdivision.lwo", "loads"},
    {"LWO/LWO2/UglyVertexColors.lwo", "notes: image-missing, normals-made, normals-not-unit"},
    {"LWO/LWO2/box_2uv_1unused.lwo", "notes: image-missing"},
    {"LWO/LWO2/box_2vc_1unused.lwo", "loads"},
    {"LWO/LWO2/boxuv.lwo", "loads"},
    {"LWO/LWO2/concave_polygon.lwo", "loads"},
    {"LWO/LWO2/concave_self_intersecting.lwo", "loads"},
    {"LWO/LWO2/hierarchy.lwo", "loads"},
    {"LWO/LWO2/hierarchy_smoothed.lwo", "loads"},
    {"LWO/LWO2/nonplanar_polygon.lwo", "loads"},
    {"LWO/LWO2/shader_test/CellShader.lwo", "loads"},
    {"LWO/LWO2/shader_test/SuperCellShader.lwo", "loads"},
    {"LWO/LWO2/shader_test/fastFresnel.lwo", "loads"},
    {"LWO/LWO2/shader_test/realFresnel.lwo", "loads"},
    {"LWO/LWO2/sphere_with_gradient.lwo", "loads"},
    {"LWO/LWO2/sphere_with_mat_gloss_10pc.lwo", "loads"},
    {"LWO/LWO2/transparency.lwo", "loads"},
    {"LWO/LWO2/uvtest.lwo", "loads"},
    {"LWO/LWOB/ConcavePolygon.lwo", "refused: assimp: LWO: Unable to build a valid node graph"},
    {"LWO/LWOB/MappingModes/bluewithcylindrictexz.lwo",
     "refused: assimp: LWO: Unable to build a valid node graph"},
    {"LWO/LWOB/sphere_with_mat_gloss_10pc.lwo", "refused: assimp: LWO: Unable to build a valid node graph"},
    {"LWO/LWOB/sphere_with_mat_gloss_50pc.lwo", "refused: assimp: LWO: Unable to build a valid node graph"},
    {"LWO/LXOB_Modo/CrazyEngine.lxo", "loads"},
    {"LWO/LXOB_Modo/sphereWithVertMap.lxo", "loads"},
    {"LWS/move_x.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_x_oldformat_56.lws", "notes: cameras-left-out, clip-moved, lights-left-out"},
    {"LWS/move_x_oldformat_6.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_x_post_constant.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_x_post_linear.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_x_post_offset_repeat.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_x_post_repeat.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_x_post_reset.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_xz_bezier.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_xz_hermite.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_xz_linear.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_xz_spline.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_xz_stepped.lws", "notes: cameras-left-out, lights-left-out"},
    {"LWS/move_y_pre_ofrep_post_osc.lws", "notes: cameras-left-out, keys-unordered, lights-left-out"},
    {"LWS/simple_cube.lwo", "loads"},
    {"MD2/faerie.md2", "notes: image-missing, rig-not-read"},
    {"MD2/sydney.md2", "notes: image-missing, rig-not-read"},
    {"MD5/SimpleCube.md5mesh", "loads"},
    {"MDC/spider.mdc", "notes: image-missing"},
    {"MDL/MDL (HL1)/alpha_test.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/blend_additive.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/chrome_sphere.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/duplicate_bodyparts.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups01.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups02.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups03.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups04.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups05.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups06.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups07.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups08.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/duplicate_sequence_groups/duplicate_sequence_groups09.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/duplicate_sequences.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/duplicate_submodels.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/man.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/man01.mdl", "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/manT.mdl", "notes: image-missing, no-meshes"},
    {"MDL/MDL (HL1)/sequence_transitions.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/unnamed_bodyparts.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/unnamed_bones.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups.mdl", "notes: image-missing"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups01.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups02.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups03.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups04.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups05.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups06.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups07.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups08.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/unnamed_sequence_groups/unnamed_sequence_groups09.mdl",
     "refused: assimp: Impossible to properly load a model from an MDL"},
    {"MDL/MDL (HL1)/unnamed_sequences.mdl", "notes: image-missing"},
    {"MDL/MDL3 (3DGS A4)/minigun.MDL", "notes: image-missing"},
    {"MDL/MDL5 (3DGS A5)/PhosphoricAcid_MDl5.mdl", "loads"},
    {"MDL/MDL5 (3DGS A5)/minigun_mdl5.mdl", "notes: image-missing"},
    {"MDL/MDL7 (3DGS A7)/PhosphoricAcid_MDl7.mdl", "loads"},
    {"MDL/MDL7 (3DGS A7)/Sphere_DiffPinkBlueSpec_Alpha90.mdl", "loads"},
    {"MS3D/Wuson.ms3d", "loads"},
    {"MS3D/jeep1.ms3d", "loads"},
    {"MS3D/twospheres.ms3d", "loads"},
    {"MS3D/twospheres_withmats.ms3d", "loads"},
    {"NFF/NFF/ManyEarthsNotJustOne.nff", "notes: cameras-left-out, image-missing, lights-left-out"},
    {"NFF/NFF/WithCamera.nff", "notes: cameras-left-out"},
    {"NFF/NFF/cone.nff", "refused: assimp: Cannot parse string \"cantfindme.png\" as a real"},
    {"NFF/NFF/cylinder.nff", "notes: image-missing"},
    {"NFF/NFF/dodecahedron.nff", "loads"},
    {"NFF/NFF/hexahedron.nff", "loads"},
    {"NFF/NFF/octahedron.nff", "loads"},
    {"NFF/NFF/positionTest.nff", "loads"},
    {"NFF/NFF/spheres.nff", "notes: image-missing"},
    {"NFF/NFF/tetrahedron.nff", "loads"},
    {"OpenGEX/Example.ogex", "loads"},
    {"OpenGEX/animation_example.ogex",
     "refused: assimp: OpenGEX: Not enough values to fill 4-element color,"},
    {"OpenGEX/camera.ogex", "notes: cameras-left-out, lights-left-out"},
    {"OpenGEX/collada.ogex", "notes: cameras-left-out, lights-left-out"},
    {"OpenGEX/empty_camera.ogex", "refused: assimp does not say why"},
    {"OpenGEX/light_issue1262.ogex", "notes: lights-left-out, no-meshes"},
    {"Q3D/E-AT-AT.q3o", "loads"},
    {"Q3D/WusonOrange.q3o", "loads"},
    {"Q3D/WusonOrange.q3s", "notes: cameras-left-out, lights-left-out"},
    {"Q3D/earth.q3o", "notes: normals-made, normals-not-unit"},
    {"SIB/heffalump.sib", "notes: image-missing, lights-left-out"},
    {"SMD/WusonSMD.smd", "notes: image-missing"},
    {"SMD/holy_grailref.smd", "loads"},
    {"SMD/triangle.smd", "notes: image-missing, normals-not-unit"},
    {"X/BCN_Epileptic.X", "loads"},
    {"X/Testwuson.X", "loads"},
    {"X/anim_test.x", "notes: joint-without-node"},
    {"X/fromtruespace_bin32.x", "loads"},
    {"X/kwxport_test_cubewithvcolors.x", "loads"},
    {"X/test.x", "loads"},
    {"X/test_cube_binary.x", "loads"},
    {"X/test_cube_compressed.x", "loads"},
    {"X/test_cube_text.x", "loads"},
    {"X3D/ComputerKeyboard.x3d", "loads"},
    {"X3D/HelloX3dTrademark.x3d", "notes: image-missing"},
    {"XGL/BCN_Epileptic.zgl", "loads"},
    {"XGL/Spider_ascii.zgl", "loads"},
    {"XGL/Wuson.zgl", "loads"},
    {"XGL/cubes_with_alpha.zgl", "loads"},
    {"XGL/sample_official.xgl", "loads"},
    {"XGL/sphere_with_mat_gloss_10pc.zgl", "loads"},
    {"XGL/wuson_dxf.zgl", "loads"},
    {"invalid/empty.3ds", "refused: assimp: StreamReader: File is empty or EOF is already reached"},
    {"invalid/empty.ase", "refused: assimp: File is empty"},
    {"invalid/empty.lwo", "refused: assimp: LWO: The file is too small to contain the IFF header"},
    {"invalid/empty.md5mesh", "refused: assimp: Failed to read valid contents out of this MD5* file"},
    {"invalid/empty.smd", "refused: assimp: File is empty"},
    {"invalid/empty.x", "refused: assimp: XFile is too small"},
};

constexpr ExpectedImport kImportData[] = {
    {"fbx-oracle/maya_blend_inbetween_7500_binary.fbx", "notes: shape-normals"},
    {"fbx-oracle/maya_dq_weights_7500_binary.fbx", "notes: skinning-type, weights-not-normalised"},
    {"fbx-oracle/maya_dual_quaternion_7500_ascii.fbx", "notes: skinning-type"},
    {"fbx-oracle/maya_dual_quaternion_scale_7500_ascii.fbx", "notes: fbx-places, skinning-type"},
    {"fbx-oracle/maya_game_sausage_7500_binary_spin.fbx", "loads"},
    {"fbx-oracle/maya_game_sausage_7500_binary_wiggle.fbx", "loads"},
    {"fbx-oracle/maya_skinned_pivot_7700_ascii.fbx", "loads"},
    {"sequences/dembones/Bone_All.fbx", "notes: weights-not-normalised"},
    {"sequences/dembones/Bone_Geom.fbx", "loads"},
    {"sequences/dembones/Bone_Skin.fbx", "notes: weights-not-normalised"},
    {"sequences/dembones/Bone_Trans.fbx", "loads"},
    {"sequences/dembones/Decomposition_05.fbx", "loads"},
    {"sequences/dembones/Decomposition_10.fbx", "loads"},
    {"sequences/dembones/Decomposition_20.fbx", "loads"},
};

TEST(ImportOutcomes, OfRealFilesAreTheExpectedOnes) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  for (const bool is_fbx_or_collada : {true, false}) {
    expect_table(
        test::data_folder(), is_fbx_or_collada,
        is_fbx_or_collada ? std::span<const ExpectedImport>(kImportData) : std::span<const ExpectedImport>());
  }
}

TEST(ImportOutcomes, OfAssimpsFbxAndColladaModelsAreTheExpectedOnes) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  expect_table(test::assimp_folder(), true, kFbxAndCollada);
}

TEST(ImportOutcomes, OfAssimpsOtherModelsAreTheExpectedOnes) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  expect_table(test::assimp_folder(), false, kOthers);
}

}  // namespace
}  // namespace dermis
