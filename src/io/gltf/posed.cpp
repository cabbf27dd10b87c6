// SPDX-License-Identifier: MIT
// A glTF document in one fixed pose: still meshes in world space, with the materials of the source.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/gltf/builder.h"
#include "io/gltf/driving.h"
#include "io/normals.h"

namespace dermis {
namespace {

// The mesh with repaired normals for primitives that have normals; nullopt if nothing needs repair.
std::optional<Mesh> with_mended_normals(const Json& primitives, const Mesh& mesh, Notes& notes) {
  if (!has_faulty_normals(mesh)) return std::nullopt;
  Mesh mended = mesh;
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    if (primitives[p].contains("attributes") && primitives[p]["attributes"].contains("NORMAL")) continue;
    // Zeros that mean no normals at all, and are not written.
    std::fill_n(mended.normals.values.begin() + part.first_point, part.point_count, Vec3{0, 1, 0});
  }
  if (!has_faulty_normals(mended)) return std::nullopt;
  mend_normals(mended, notes);
  return mended;
}

void pose_primitive(GltfBuilder& builder, Json& primitive, const Mesh& rest, const Mesh& posed, std::size_t p,
                    Notes& notes) {
  const MeshPart& part = posed.parts[p];
  primitive.erase("targets");
  erase_weight_sets(primitive["attributes"]);
  // A Draco block describes the rest pose.
  const bool was_draco = is_draco(primitive);
  if (was_draco) unpack_draco(builder, primitive, posed, part, notes);
  Json& attributes = primitive["attributes"];
  attributes["POSITION"] = builder.add_floats(part_floats(posed.points, part), 3, GltfTarget::vertices, true);
  if (attributes.contains("NORMAL") && !posed.normals.empty()) {
    attributes["NORMAL"] =
        builder.add_floats(part_floats(posed.normals.values, part), 3, GltfTarget::vertices);
  }
  if (attributes.contains("TANGENT") && !posed.tangents.empty()) {
    attributes["TANGENT"] =
        builder.add_floats(part_floats(posed.tangents.values, part), 4, GltfTarget::vertices);
  }
  // A mirroring node flips its triangles.
  const bool is_turned = posed.polygons.corners != rest.polygons.corners;
  if (part.polygon_count > 0 && (is_turned || was_draco)) {
    CutPolygons none;  // documents have triangles only
    primitive["indices"] =
        builder.add_indices(part_triangles(posed, part, none), static_cast<std::size_t>(part.point_count));
    primitive["mode"] = 4;
  }
}

}  // namespace

GltfDocument posed_document(const GltfDocument& source, const Character& character, const Character& posed,
                            Notes& notes) {
  GltfDocument document = source;
  GltfBuilder builder(document);
  const Json rest_meshes = source.json.value("meshes", Json::array());
  Json meshes = Json::array(), instance_nodes = Json::array();
  std::size_t at = 0, left_out = 0;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) {
      ++left_out;
      continue;
    }
    const auto mesh_index = static_cast<std::size_t>(instance.mesh);
    const Mesh& faulty = posed.meshes[static_cast<std::size_t>(posed.instances[at].mesh)];
    Json mesh_json = rest_meshes[mesh_index];
    mesh_json.erase("weights");
    Json& primitives = mesh_json["primitives"];
    const std::optional<Mesh> mended = with_mended_normals(primitives, faulty, notes);
    const Mesh& mesh = mended ? *mended : faulty;
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      erase_our_extras(primitives[p], "dqs_share");  // has no meaning without a skin
      if (mesh.parts[p].point_count > 0) {
        pose_primitive(builder, primitives[p], character.meshes[mesh_index], mesh, p, notes);
      }
    }
    Json node = {{"mesh", meshes.size()}};
    // Its old parent node stays, with its other children; two nodes should not share a name.
    const std::string& name = posed.nodes[static_cast<std::size_t>(posed.instances[at].node)].name;
    if (!name.empty()) node["name"] = name + "_posed";
    meshes.push_back(std::move(mesh_json));
    instance_nodes.push_back(std::move(node));
    ++at;
  }
  if (left_out > 0) {
    notes.push_back({Note::Kind::loss, "not-in-scene",
                     fmt::format("{} left out", counted(left_out, "mesh outside the scene was",
                                                        "meshes outside the scene were"))});
  }
  // Both lists must exist before either is referred to.
  gltf_list(document, "scenes");
  Json& nodes = gltf_list(document, "nodes");
  const auto shines = [](const Json& node) {
    return node.contains("camera") ||
           (node.contains("extensions") && node["extensions"].contains("KHR_lights_punctual"));
  };
  if (std::any_of(nodes.begin(), nodes.end(), shines)) {
    notes.push_back({Note::Kind::info, "cameras-at-rest", "cameras and lights stay at their rest position"});
  }
  for (Json& node : nodes) {
    for (const char* key : {"mesh", "skin", "weights"}) node.erase(key);
  }
  if (document.json["scenes"].empty() && !nodes.empty()) {
    Json roots = Json::array();
    for (std::size_t n = 0; n < character.nodes.size(); ++n) {
      if (character.nodes[n].parent == kNone) roots.push_back(n);
    }
    list_in(document.json, "scenes").push_back({{"nodes", roots}});
  }
  for (Json& node : instance_nodes) {
    Json& scene = document.json["scenes"][document.json.value("scene", std::size_t{0})];
    list_in(scene, "nodes").push_back(nodes.size());
    nodes.push_back(std::move(node));
  }
  for (const char* key : {"nodes", "scenes"}) {  // glTF allows no empty lists
    if (document.json[key].empty()) document.json.erase(key);
  }
  for (const char* key : {"animations", "skins", "meshes"}) document.json.erase(key);
  for (const DrivingPart& part : kDrivingParts) erase_our_extras(document.json["asset"], part.key);
  if (!meshes.empty()) document.json["meshes"] = std::move(meshes);
  builder.finish();
  drop_unused(document);
  return document;
}

}  // namespace dermis
