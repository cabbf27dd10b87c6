// SPDX-License-Identifier: MIT
// Writes primitives: attributes, weights, shares of dqs, triangles and morph targets.
#include "io/gltf/write_mesh.h"

#include <fmt/format.h>

#include "io/normals.h"

namespace dermis {

std::optional<Mesh> MeshWriter::split_and_mended(const Mesh& whole) {
  std::optional<Mesh> mesh;
  if (has_faulty_normals(whole)) mend_normals(mesh.emplace(whole), notes_);
  if (!is_split(mesh ? *mesh : whole)) mesh = split_corners(mesh ? *mesh : whole).mesh;
  // Points that no polygon uses have no corner with a normal.
  if (mesh && has_faulty_normals(*mesh)) mend_normals(*mesh, notes_);
  return mesh;
}

Json MeshWriter::primitive(const Mesh& mesh, const MeshPart& part) {
  Json attributes = {
      {"POSITION", builder_.add_floats(part_floats(mesh.points, part), 3, GltfTarget::vertices, true)}};
  const auto add = [&](const std::string& name, const auto& attribute, int components) {
    if (attribute.empty()) return;
    attributes[name] =
        builder_.add_floats(part_floats(attribute.values, part), components, GltfTarget::vertices);
  };
  add("NORMAL", mesh.normals, 3);
  add("TANGENT", mesh.tangents, 4);
  for (std::size_t set = 0; set < mesh.uvs.size(); ++set)
    add(fmt::format("TEXCOORD_{}", set), mesh.uvs[set], 2);
  for (std::size_t set = 0; set < mesh.colours.size(); ++set)
    add(fmt::format("COLOR_{}", set), mesh.colours[set], 4);
  if (!mesh.weights.empty()) {
    write_weight_sets(builder_, attributes, mesh.weights, part,
                      {options_.weights.value_or(WeightFormat::float32), options_.max_influences}, notes_);
  }
  Json primitive = {{"attributes", std::move(attributes)}};
  if (part.polygon_count > 0) {
    primitive["indices"] = triangles(mesh, part);
  } else {
    primitive["mode"] = 0;  // loose points
  }
  if (!mesh.dqs_share.empty()) {
    object_in(object_in(primitive, "extras"), "dermis")["dqs_share"] =
        builder_.add_floats(part_floats(mesh.dqs_share, part), 1, GltfTarget::none);
  }
  for (const Shape& shape : mesh.shapes) list_in(primitive, "targets").push_back(target(shape, part));
  return primitive;
}

Json MeshWriter::target(const Shape& shape, const MeshPart& part) {
  std::vector<Index> points;
  std::vector<std::size_t> at;
  for (std::size_t k = 0; k < shape.points.size(); ++k) {
    const Index point = shape.points[k] - part.first_point;
    if (point < 0 || point >= part.point_count) continue;
    points.push_back(point);
    at.push_back(k);
  }
  const auto pick = [&](const std::vector<Vec3>& values) {
    std::vector<Vec3> picked;
    picked.reserve(at.size());
    for (const std::size_t k : at) picked.push_back(values[k]);
    return picked;
  };
  const auto count = static_cast<std::size_t>(part.point_count);
  Json target = {{"POSITION", builder_.add_sparse(points, pick(shape.offsets), count, true)}};
  if (!shape.normals.empty())
    target["NORMAL"] = builder_.add_sparse(points, pick(shape.normals), count, false);
  if (!shape.tangents.empty())
    target["TANGENT"] = builder_.add_sparse(points, pick(shape.tangents), count, false);
  return target;
}

Index MeshWriter::triangles(const Mesh& mesh, const MeshPart& part) {
  return builder_.add_indices(part_triangles(mesh, part, cut_), static_cast<std::size_t>(part.point_count));
}

void MeshWriter::count_labels(const Mesh& mesh) {
  for (const MeshPart& part : mesh.parts) label_count_ += part.groups.empty() && part.object.empty() ? 0 : 1;
}

void MeshWriter::note_losses() const {
  note_cut(cut_, notes_);
  if (label_count_ == 0) return;
  notes_.push_back({Note::Kind::loss, "labels-dropped",
                    fmt::format("{} of polygons had an object or group name, which glTF cannot store",
                                counted(label_count_, "run", "runs"))});
}

bool is_draco(const Json& primitive) {
  return primitive.contains("extensions") && primitive["extensions"].contains("KHR_draco_mesh_compression");
}

void unpack_draco(GltfBuilder& builder, Json& primitive, const Mesh& mesh, const MeshPart& part,
                  Notes& notes) {
  primitive["extensions"].erase("KHR_draco_mesh_compression");
  if (primitive["extensions"].empty()) primitive.erase("extensions");
  Json& attributes = primitive["attributes"];
  std::vector<std::string> unknown;
  for (auto& [name, accessor] : attributes.items()) {
    if (name == "POSITION" || name == "NORMAL" || name == "TANGENT" || name.starts_with("JOINTS_") ||
        name.starts_with("WEIGHTS_"))
      continue;
    bool is_known = false;
    for (std::size_t set = 0; set < mesh.uvs.size(); ++set) {
      if (name != fmt::format("TEXCOORD_{}", set)) continue;
      accessor = builder.add_floats(part_floats(mesh.uvs[set].values, part), 2, GltfTarget::vertices);
      is_known = true;
    }
    for (std::size_t set = 0; set < mesh.colours.size(); ++set) {
      if (name != fmt::format("COLOR_{}", set)) continue;
      accessor = builder.add_floats(part_floats(mesh.colours[set].values, part), 4, GltfTarget::vertices);
      is_known = true;
    }
    if (!is_known) unknown.push_back(name);
  }
  for (const std::string& name : unknown) {
    attributes.erase(name);
    notes.push_back({Note::Kind::loss, "attribute-dropped",
                     fmt::format("mesh {}: attribute {} of a Draco block was left out",
                                 quoted_name(mesh.name), quoted_name(name))});
  }
}

}  // namespace dermis
