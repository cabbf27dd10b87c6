// SPDX-License-Identifier: MIT
// Names and polygons of a character written into the glTF document it was read from; the rest stays.
#include <fmt/format.h>

#include <algorithm>

#include "io/gltf/builder.h"

namespace dermis {
namespace {

bool is_draco(const Json& primitive) {
  return primitive.contains("extensions") && primitive["extensions"].contains("KHR_draco_mesh_compression");
}

// The polygons of a part as triangles; normals and tangents where the primitive has them.
void patch_primitive(GltfBuilder& builder, Json& primitive, const Mesh& mesh, const MeshPart& part) {
  CutPolygons none;  // documents have triangles only
  primitive["indices"] =
      builder.add_indices(part_triangles(mesh, part, none), static_cast<std::size_t>(part.point_count));
  primitive.erase("mode");  // triangles, unless said
  Json& attributes = primitive["attributes"];
  if (attributes.contains("NORMAL") && !mesh.normals.empty()) {
    attributes["NORMAL"] =
        builder.add_floats(part_floats(mesh.normals.values, part), 3, GltfTarget::vertices);
  }
  if (attributes.contains("TANGENT") && !mesh.tangents.empty()) {
    attributes["TANGENT"] =
        builder.add_floats(part_floats(mesh.tangents.values, part), 4, GltfTarget::vertices);
  }
}

}  // namespace

void patch_names(GltfDocument& document, const Character& character) {
  Json& nodes = gltf_list(document, "nodes");
  for (std::size_t n = 0; n < nodes.size() && n < character.nodes.size(); ++n) {
    const std::string& name = character.nodes[n].name;
    if (nodes[n].value("name", std::string()) != name) nodes[n]["name"] = name;
  }
}

void patch_surfaces(GltfDocument& document, const Character& character, std::span<const Index> meshes,
                    Notes& notes) {
  const SteadyLists steady(document);
  GltfBuilder builder(document);
  for (const Index m : meshes) {
    const Mesh& mesh = character.meshes[static_cast<std::size_t>(m)];
    Json& primitives = document.json["meshes"][static_cast<std::size_t>(m)]["primitives"];
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      if (mesh.parts[p].polygon_count == 0) continue;
      if (is_draco(primitives[p])) {
        notes.push_back(
            {Note::Kind::loss, "surface-not-written",
             fmt::format("mesh {} {}: its polygons are compressed by Draco and stayed as they were", m,
                         quoted_name(mesh.name))});
        continue;
      }
      patch_primitive(builder, primitives[p], mesh, mesh.parts[p]);
    }
  }
  builder.finish();
  drop_unused(document);
}

}  // namespace dermis
