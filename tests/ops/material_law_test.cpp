// SPDX-License-Identifier: MIT
// The law of materials: every triangle has the same material after a conversion as before it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "dermis/geometry.h"
#include "dermis/ops.h"
#include "io/obj/obj.h"
#include "outside/files.h"

namespace dermis {
namespace {

// A triangle of the scene at rest, and the name of its material.
struct PaintedTriangle {
  Vec3d corner[3];
  std::string material;
};
using PaintedScene = std::vector<PaintedTriangle>;

// `names` are those of the character's materials; a part without one has an empty name.
void add_painted_part(const Mesh& mesh, const MeshPart& part, std::span<const std::string> names,
                      double metres, PaintedScene& scene) {
  for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p) {
    const std::span<const Index> polygon = mesh.polygons.polygon(at(p));
    std::vector<std::uint32_t> corners;
    triangulate_polygon(mesh.points, polygon, corners);
    for (std::size_t k = 0; k < corners.size(); k += 3) {
      PaintedTriangle& triangle = scene.emplace_back();
      triangle.material = part.material == kNone ? "" : names[at(part.material)];
      for (std::size_t c = 0; c < 3; ++c)
        triangle.corner[c] = Vec3d(mesh.points[at(polygon[corners[k + c]])]) * metres;
    }
  }
}

// Lengths are multiplied by `metres`.
PaintedScene painted_scene(const Character& character, std::span<const std::string> names, double metres) {
  PaintedScene scene;
  const Result<PoseFrame> rest = pose_frame(character, {});
  const Result<Character> still = deform_character(character, *rest, {});
  EXPECT_TRUE(still) << still.error().sentence;
  for (const Instance& instance : still->instances) {
    const Mesh& mesh = still->meshes[at(instance.mesh)];
    for (const MeshPart& part : mesh.parts) add_painted_part(mesh, part, names, metres, scene);
  }
  return scene;
}

// A cell of a grid whose cells are much larger than the rounding of a conversion.
using GridCell = std::array<std::int64_t, 3>;

class TriangleFinder {
 public:
  TriangleFinder(const PaintedScene& scene, double tolerance) : scene_(scene), tolerance_(tolerance) {
    for (std::size_t t = 0; t < scene.size(); ++t) cells_[cell_of(scene[t])].push_back(t);
  }
  // Takes a triangle equal to `wanted`, also with its corners rotated; false if none is left.
  bool take(const PaintedTriangle& wanted) {
    const GridCell middle = cell_of(wanted);
    GridCell cell{};
    for (cell[0] = middle[0] - 1; cell[0] <= middle[0] + 1; ++cell[0]) {
      for (cell[1] = middle[1] - 1; cell[1] <= middle[1] + 1; ++cell[1]) {
        for (cell[2] = middle[2] - 1; cell[2] <= middle[2] + 1; ++cell[2]) {
          if (take_from(cell, wanted)) return true;
        }
      }
    }
    return false;
  }

 private:
  GridCell cell_of(const PaintedTriangle& triangle) const {
    const Vec3d middle = (triangle.corner[0] + triangle.corner[1] + triangle.corner[2]) * (1.0 / 3);
    GridCell cell{};
    for (int axis = 0; axis < 3; ++axis)
      cell[static_cast<std::size_t>(axis)] =
          static_cast<std::int64_t>(std::floor(middle[axis] / (100 * tolerance_)));
    return cell;
  }
  bool take_from(const GridCell& cell, const PaintedTriangle& wanted) {
    const auto found = cells_.find(cell);
    if (found == cells_.end()) return false;
    for (std::size_t k = 0; k < found->second.size(); ++k) {
      const PaintedTriangle& triangle = scene_[found->second[k]];
      if (triangle.material != wanted.material || !is_same_place(triangle, wanted)) continue;
      found->second.erase(found->second.begin() + static_cast<std::ptrdiff_t>(k));
      return true;
    }
    return false;
  }
  bool is_same_place(const PaintedTriangle& a, const PaintedTriangle& b) const {
    for (std::size_t turn = 0; turn < 3; ++turn) {
      bool is_same = true;
      for (std::size_t c = 0; c < 3; ++c)
        is_same = is_same && length(a.corner[c] - b.corner[(c + turn) % 3]) <= tolerance_;
      if (is_same) return true;
    }
    return false;
  }

  const PaintedScene& scene_;
  double tolerance_;
  std::map<GridCell, std::vector<std::size_t>> cells_;
};

// Both scenes have the same triangles with the same materials, in any order.
void expect_same_paint(const PaintedScene& before, const PaintedScene& after) {
  ASSERT_EQ(before.size(), after.size());
  Box box;
  for (const PaintedTriangle& triangle : before) {
    for (const Vec3d& corner : triangle.corner) box.add(corner);
  }
  // Files store floats; a conversion may scale and pose them.
  TriangleFinder finder(after, 1e-6 * std::max(box.diagonal(), 1e-3));
  std::size_t wrong = 0;
  for (const PaintedTriangle& triangle : before) wrong += finder.take(triangle) ? 0 : 1;
  EXPECT_EQ(wrong, 0u) << "of " << before.size() << " triangles";
}

std::vector<std::string> own_names(const Character& character) {
  std::vector<std::string> names;
  for (const Material& material : character.materials) names.push_back(material.name);
  return names;
}

Character loaded_scene(const std::string& path) {
  Result<Asset> asset = load(path);
  EXPECT_TRUE(asset) << asset.error().sentence;
  return asset ? std::move(asset->character) : Character{};
}

// Converts `input` to `output` and compares. OBJ gives names to materials that have none or share one.
void expect_paint_survives(const std::string& input, const std::string& output) {
  SCOPED_TRACE(input + " to " + output);
  const Result<ConvertReport> converted = convert({{input, output, {}, {}}});
  ASSERT_TRUE(converted) << converted.error().sentence;
  const Character before = loaded_scene(input), after = loaded_scene(output);
  const bool is_obj = extension_of(output) == ".obj";
  // OBJ stores no unit.
  expect_same_paint(painted_scene(before, is_obj ? material_labels(before) : own_names(before),
                                  is_obj ? 1 : before.metres_per_unit),
                    painted_scene(after, own_names(after), 1));
}

// Through every format that stores materials, and back.
void expect_paint_survives_everywhere(const std::string& input) {
  const test::TemporaryFolder folder;
  const std::vector<std::string> formats = {".glb", ".gltf", ".obj"};
  for (const std::string& first : formats) {
    const std::string middle = folder.file("middle" + first);
    expect_paint_survives(input, middle);
    for (const std::string& second : formats)
      expect_paint_survives(middle, folder.file("end" + first.substr(1) + second));
  }
}

// A strip of `count` quads and triangles along x; `labels` are the lines before each face.
std::string labelled_strip(const std::vector<std::string>& labels, bool has_uvs) {
  std::string text = "mtllib in.mtl\n";
  const std::size_t columns = labels.size() + 1;
  for (std::size_t k = 0; k < columns; ++k) {
    text += "v " + std::to_string(k) + " 0 0\nv " + std::to_string(k) + " 1 0.25\n";
    if (has_uvs) text += "vt 0 " + std::to_string(k) + "\nvt 1 " + std::to_string(k) + "\n";
  }
  const auto corner = [&](std::size_t point) {
    const std::string number = std::to_string(point + 1);
    return " " + (has_uvs ? number + "/" + number : number);
  };
  for (std::size_t k = 0; k < labels.size(); ++k) {
    text += labels[k] + "f" + corner(2 * k) + corner(2 * k + 2) + corner(2 * k + 3);
    text += k % 3 == 0 ? "\n" : corner(2 * k + 1) + "\n";
  }
  return text;
}

constexpr const char* kThreeMaterials = "newmtl A\nKd 1 0 0\nnewmtl B\nKd 0 1 0\nnewmtl C\nmap_Kd c.png\n";

// Smoothing, group and object lines between usemtl lines, materials that come back, and none at all.
std::vector<std::vector<std::string>> label_orders() {
  return {{"s 1\nusemtl A\n", "s off\n", "usemtl B\n"},
          {"usemtl A\n", "g one\n", "usemtl B\n", "g two\n", "usemtl A\n", "s 3\n", "usemtl C\n", "o x\n"},
          {"", "usemtl C\n", "s 2\n", "usemtl\n", "usemtl B\ns 1\n", "s 2\n", "usemtl A\n"},
          {"g a\n", "g b\n", "usemtl missing\n", "g c\n", "usemtl A\n"}};
}

TEST(MaterialLaw, TrianglesOfMadeObjsKeepTheirMaterialsThroughEveryFormat) {
  for (const std::vector<std::string>& labels : label_orders()) {
    for (const bool has_uvs : {false, true}) {
      const test::TemporaryFolder folder;
      test::write_text(folder.path() / "in.mtl", kThreeMaterials);
      test::write_text(folder.path() / "c.png", "\x89PNG\r\n\x1a\n and the rest");
      test::write_text(folder.path() / "in.obj", labelled_strip(labels, has_uvs));
      expect_paint_survives_everywhere(folder.file("in.obj"));
    }
  }
}

// Random runs of labels; a failure prints the seed.
TEST(MaterialLaw, TrianglesOfRandomlyLabelledObjsKeepTheirMaterials) {
  constexpr const char* kLines[] = {"usemtl A\n", "usemtl B\n", "usemtl C\n", "usemtl\n", "s 1\n", "s off\n",
                                    "g left\n",   "g right\n",  "o part\n",   "",         "",      ""};
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<std::string> labels(40);
    for (std::string& label : labels) label = std::string(kLines[random() % 12]) + kLines[random() % 12];
    const test::TemporaryFolder folder;
    test::write_text(folder.path() / "in.mtl", kThreeMaterials);
    test::write_text(folder.path() / "in.obj", labelled_strip(labels, seed % 2 == 0));
    expect_paint_survives(folder.file("in.obj"), folder.file("out.glb"));
    expect_paint_survives(folder.file("in.obj"), folder.file("out.gltf"));
    expect_paint_survives(folder.file("out.glb"), folder.file("out.obj"));
  }
}

// The made humanoid as an OBJ whose faces change labels and materials every few hundred faces.
std::string striped_humanoid() {
  const Result<Character> made = make_character(MadeKind::humanoid, {3000});
  EXPECT_TRUE(made);
  const Mesh& mesh = made->meshes[0];
  std::string text = "mtllib in.mtl\n";
  for (const Vec3& p : mesh.points)
    text += "v " + std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
  constexpr const char* kLines[] = {"s 1\nusemtl A\n", "s off\n", "usemtl B\n", "g x\n", "usemtl A\n"};
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    if (p % 300 == 0) text += kLines[p / 300 % 5];
    text += "f";
    for (const Index v : mesh.polygons.polygon(p)) text += " " + std::to_string(v + 1);
    text += "\n";
  }
  return text;
}

TEST(MaterialLaw, RigKeepsTheMaterialOfEveryTriangle) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "in.mtl", kThreeMaterials);
  test::write_text(folder.path() / "in.obj", striped_humanoid());
  RigJob job;
  job.input = folder.file("in.obj");
  job.output = folder.file("out.glb");
  const Result<RigReport> rigged = rig(job);
  ASSERT_TRUE(rigged) << rigged.error().sentence;
  const Character before = loaded_scene(job.input), after = loaded_scene(job.output);
  // The rig stands on its feet: it may be moved and turned, so that triangles are counted by material.
  std::map<std::string, std::size_t> counts_before, counts_after;
  for (const PaintedTriangle& one : painted_scene(before, own_names(before), 1))
    ++counts_before[one.material];
  for (const PaintedTriangle& one : painted_scene(after, own_names(after), 1)) ++counts_after[one.material];
  EXPECT_EQ(counts_before, counts_after);
}

// A triangle strip on one joint whose primitives have materials in mixed order, one of them none.
TEST(MaterialLaw, BakedAndPosedScenesKeepTheMaterialOfEveryTriangle) {
  Result<Character> made = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(made);
  Mesh& mesh = made->meshes[0];
  made->materials.resize(3);
  for (std::size_t m = 0; m < 3; ++m) made->materials[m].name = std::string(1, static_cast<char>('A' + m));
  const MeshPart whole = mesh.parts[0];
  mesh.parts.clear();
  constexpr Index kMaterials[] = {2, 0, 2, kNone, 1, 0};
  for (Index k = 0; k < 6; ++k) {
    MeshPart part;
    part.first_point = k == 0 ? 0 : whole.point_count;
    part.point_count = k == 0 ? whole.point_count : 0;
    part.first_polygon = whole.polygon_count * k / 6;
    part.polygon_count = whole.polygon_count * (k + 1) / 6 - part.first_polygon;
    part.material = kMaterials[k];
    mesh.parts.push_back(part);
  }
  ASSERT_TRUE(validate(*made)) << validate(*made).error().sentence;
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save(folder.file("in.glb"), Asset{*made, {}, nullptr}));
  const PaintedScene before = painted_scene(*made, own_names(*made), 1);
  const Character written = loaded_scene(folder.file("in.glb"));
  expect_same_paint(before, painted_scene(written, own_names(written), 1));
  for (const char* output : {"posed.glb", "posed.gltf", "posed.obj"}) {
    SCOPED_TRACE(output);
    DeformJob job;
    job.input = folder.file("in.glb");
    job.output = folder.file(output);
    ASSERT_TRUE(deform(job));
    const Character posed = loaded_scene(job.output);
    // The material for polygons without one has no name, and MTL needs one.
    const bool is_obj = extension_of(output) == ".obj";
    expect_same_paint(painted_scene(written, is_obj ? material_labels(written) : own_names(written), 1),
                      painted_scene(posed, own_names(posed), 1));
  }
  BakeJob job;
  job.input = folder.file("in.glb");
  job.output = folder.file("baked.glb");
  job.fps = 4;
  ASSERT_TRUE(bake(job));
  const Character baked = loaded_scene(job.output);
  expect_same_paint(before, painted_scene(baked, own_names(baked), 1));
}

TEST(MaterialLaw, TrianglesOfRealFilesKeepTheirMaterialsThroughEveryFormat) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  for (const char* file : {"fem/vega-turtle/turtle.obj", "fbx-oracle/maya_dq_weights_7500_binary.fbx",
                           "sequences/dembones/Bone_All.fbx"}) {
    const std::string path = (test::data_folder() / file).string();
    if (test::fs::exists(path)) expect_paint_survives_everywhere(path);
  }
  // Larger, so only the pair that matters.
  const std::string face = (test::data_folder() / "faces" / "ict" / "generic_neutral_mesh.obj").string();
  const test::TemporaryFolder folder;
  if (test::fs::exists(face)) expect_paint_survives(face, folder.file("face.glb"));
}

TEST(MaterialLaw, TrianglesOfAssimpsModelsKeepTheirMaterialsInGltf) {
  if (test::assimp_folder().empty()) GTEST_SKIP() << "assimp-testmodels is not installed";
  const test::TemporaryFolder folder;
  std::size_t count = 0;
  for (const char* sub : {"OBJ", "FBX", "Collada"}) {
    for (const test::fs::path& file :
         test::files_below(test::assimp_folder() / sub, {".obj", ".fbx", ".dae"})) {
      const Result<Asset> asset = load(file.string());
      if (!asset || asset->character.instances.empty()) continue;  // faulty files are tested elsewhere
      expect_paint_survives(file.string(), folder.file("out.glb"));
      ++count;
    }
  }
  EXPECT_GT(count, 20u);
}

}  // namespace
}  // namespace dermis
