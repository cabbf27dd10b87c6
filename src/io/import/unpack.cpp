// SPDX-License-Identifier: MIT
// Rebuilds a character from the GLB that dermis-import wrote: points joined, polygons whole, values on
// corners.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/formats.h"
#include "io/gltf/reader.h"
#include "io/import/corner_attribute.h"
#include "io/import/import.h"
#include "io/source.h"

namespace dermis {
namespace {

// A nested member, or null.
const Json* member(const Json* from, const char* key) {
  if (from == nullptr || !from->is_object()) return nullptr;
  const auto found = from->find(key);
  return found == from->end() ? nullptr : &*found;
}

const Json* dermis_block(const Json& object) { return member(member(&object, "extras"), "dermis"); }

std::string text_member(const Json& from, const char* key) {
  const Json* found = member(&from, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

// Below `limit`, else kNone.
Index index_of(const Json* number, std::size_t limit) {
  if (number == nullptr || !number->is_number_unsigned() || number->get<std::uint64_t>() >= limit)
    return kNone;
  return static_cast<Index>(number->get<std::uint64_t>());
}

// ---- Meshes -------------------------------------------------------------------------------------------

// The contents of the extras of a mesh's primitives.
struct Structure {
  std::vector<Index> point;                 // of each vertex
  std::vector<std::uint32_t> polygon_size;  // of each polygon
  std::size_t point_count = 0;
};

// The polygon sizes of one part, which must account for all its triangles.
bool read_sizes(GltfReader& reader, const Json& block, const Place& place, const MeshPart& part,
                Structure& out) {
  const auto triangle_count = static_cast<std::uint64_t>(part.polygon_count);
  if (!block.contains("polygon_sizes")) {
    out.polygon_size.insert(out.polygon_size.end(), triangle_count, 3);
    return reader.charge(place, triangle_count, 4);
  }
  const Index accessor = reader.index(block, "polygon_sizes", reader.accessor_count(), place);
  if (accessor == kNone) return false;
  const std::vector<std::uint32_t> sizes = reader.integers(accessor, {"SCALAR"}, place);
  std::uint64_t used = 0;
  for (const std::uint32_t size : sizes) {
    if (size < 3) return reader.fail(place, "has a polygon of fewer than three corners");
    used += size - 2;
  }
  if (used != triangle_count) return reader.fail(place, "has polygons that do not match its triangles");
  out.polygon_size.insert(out.polygon_size.end(), sizes.begin(), sizes.end());
  return !reader.failed();
}

bool read_structure(GltfReader& reader, const Json& json, const Place& place, const Mesh& split,
                    Structure& out) {
  const Json* primitives = reader.array(json, "primitives", place);
  if (primitives == nullptr || primitives->size() != split.parts.size())
    return reader.fail(place, "has primitives that do not match its parts");
  for (std::size_t k = 0; k < split.parts.size(); ++k) {
    const Place at{"primitive", k, nullptr, &place};
    const Json* block = dermis_block((*primitives)[k]);
    const Index accessor =
        block == nullptr ? kNone : reader.index(*block, "points", reader.accessor_count(), at);
    if (accessor == kNone) return reader.fail(at, "does not state the points of its vertices");
    const std::vector<std::uint32_t> points = reader.integers(accessor, {"SCALAR"}, at);
    if (reader.failed()) return false;
    if (points.size() != static_cast<std::size_t>(split.parts[k].point_count))
      return reader.fail(at, "has a list of points that does not match its vertices");
    for (const std::uint32_t point : points) {
      if (point >= split.points.size()) return reader.fail(at, "refers to a point that does not exist");
      out.point.push_back(static_cast<Index>(point));
      out.point_count = std::max(out.point_count, point + std::size_t{1});
    }
    if (!read_sizes(reader, *block, at, split.parts[k], out)) return false;
  }
  return true;
}

// Joins the triangles of each polygon, a fan from its first corner. Returns the vertex of each corner.
std::vector<Index> join_triangles(const Mesh& split, const Structure& structure, Mesh& whole) {
  std::vector<Index> corner_vertex;
  std::size_t triangle = 0;
  for (const std::uint32_t size : structure.polygon_size) {
    const std::span<const Index> first = split.polygons.polygon(triangle);
    corner_vertex.insert(corner_vertex.end(), {first[0], first[1]});
    for (std::uint32_t k = 2; k < size; ++k) corner_vertex.push_back(split.polygons.polygon(triangle++)[2]);
    whole.polygons.first.push_back(static_cast<std::uint32_t>(corner_vertex.size()));
  }
  whole.polygons.corners.reserve(corner_vertex.size());
  for (const Index vertex : corner_vertex)
    whole.polygons.corners.push_back(structure.point[static_cast<std::size_t>(vertex)]);
  return corner_vertex;
}

// All points belong to the first part; polygons of the others use them too.
void join_parts(const Mesh& split, const Structure& structure, Mesh& whole) {
  whole.parts = split.parts;
  std::size_t triangle = 0, polygon = 0;
  for (MeshPart& part : whole.parts) {
    const std::size_t end =
        static_cast<std::size_t>(part.first_polygon) + static_cast<std::size_t>(part.polygon_count);
    part.first_polygon = static_cast<Index>(polygon);
    for (; triangle < end; ++polygon) triangle += structure.polygon_size[polygon] - 2;
    part.polygon_count = static_cast<Index>(polygon) - part.first_polygon;
    const bool is_first = &part == whole.parts.data();
    part.first_point = is_first ? 0 : static_cast<Index>(structure.point_count);
    part.point_count = is_first ? static_cast<Index>(structure.point_count) : 0;
  }
}

void join_shapes(const Mesh& split, const std::vector<Index>& vertex_of, Mesh& whole) {
  std::vector<Index> at(split.points.size());
  for (const Shape& shape : split.shapes) {
    std::fill(at.begin(), at.end(), kNone);
    for (std::size_t k = 0; k < shape.points.size(); ++k)
      at[static_cast<std::size_t>(shape.points[k])] = static_cast<Index>(k);
    Shape joined;
    joined.name = shape.name;
    for (std::size_t v = 0; v < vertex_of.size(); ++v) {
      const Index k = at[static_cast<std::size_t>(vertex_of[v])];
      if (k == kNone) continue;
      joined.points.push_back(static_cast<Index>(v));
      joined.offsets.push_back(shape.offsets[static_cast<std::size_t>(k)]);
    }
    whole.shapes.push_back(std::move(joined));
  }
}

bool join_mesh(GltfReader& reader, const Json& json, const Place& place, Mesh& mesh) {
  Structure structure;
  if (!read_structure(reader, json, place, mesh, structure)) return false;
  // The joined mesh is never larger than the split one.
  if (!reader.charge(place, mesh.points.size() + mesh.polygons.corners.size(), 4 * sizeof(Vec4)))
    return false;
  std::vector<Index> vertex_of(structure.point_count, kNone);
  for (std::size_t v = structure.point.size(); v-- > 0;)
    vertex_of[static_cast<std::size_t>(structure.point[v])] = static_cast<Index>(v);
  if (std::find(vertex_of.begin(), vertex_of.end(), kNone) != vertex_of.end())
    return reader.fail(place, "has points without a vertex");

  Mesh whole;
  whole.name = mesh.name;
  for (const Index v : vertex_of) whole.points.push_back(mesh.points[static_cast<std::size_t>(v)]);
  const std::vector<Index> corner_vertex = join_triangles(mesh, structure, whole);
  join_parts(mesh, structure, whole);
  const auto on_corners = [&](const auto& attribute) {
    return corner_attribute(attribute.values, corner_vertex, whole.polygons, structure.point_count);
  };
  whole.normals = on_corners(mesh.normals);
  whole.tangents = on_corners(mesh.tangents);
  for (Vec4& tangent : whole.tangents.values) tangent.w = tangent.w < 0 ? -1.0f : 1.0f;
  for (const auto& uvs : mesh.uvs) whole.uvs.push_back(on_corners(uvs));
  for (const auto& colours : mesh.colours) whole.colours.push_back(on_corners(colours));
  join_shapes(mesh, vertex_of, whole);
  if (!mesh.weights.empty()) {
    whole.weights.first.push_back(0);
    for (const Index v : vertex_of) {
      const std::span<const Influence> row = mesh.weights.row(static_cast<std::size_t>(v));
      whole.weights.influences.insert(whole.weights.influences.end(), row.begin(), row.end());
      whole.weights.first.push_back(static_cast<std::uint32_t>(whole.weights.influences.size()));
    }
  }
  if (!mesh.dqs_share.empty()) {
    for (const Index v : vertex_of) whole.dqs_share.push_back(mesh.dqs_share[static_cast<std::size_t>(v)]);
  }
  whole.weld = weld_coincident(whole.points);
  mesh = std::move(whole);
  return true;
}

// ---- Data besides the meshes --------------------------------------------------------------------------

// Uses the pictures of the file instead of those that the GLB could store; materials beyond those of the file
// were made for viewers.
void restore_materials(const Json& block, Character& character) {
  const Json* images = member(&block, "images");
  const Json* of_material = member(&block, "material_images");
  if (images == nullptr || !images->is_array() || of_material == nullptr || !of_material->is_array()) return;
  std::vector<Image> restored;
  for (const Json& json : *images) {
    Image image;
    const Index carried = index_of(member(&json, "image"), character.images.size());
    if (carried != kNone) image = character.images[static_cast<std::size_t>(carried)];
    image.name = text_member(json, "name");
    image.path = text_member(json, "path");
    if (!image.path.empty()) {
      image.bytes = {};
      image.owner = nullptr;
    }
    restored.push_back(std::move(image));
  }
  character.images = std::move(restored);
  if (of_material->size() < character.materials.size()) character.materials.resize(of_material->size());
  for (std::size_t m = 0; m < character.materials.size(); ++m) {
    const Json& three = (*of_material)[m];
    Material& material = character.materials[m];
    Index* const places[] = {&material.base_colour_image, &material.normal_image, &material.emission_image};
    for (std::size_t k = 0; k < 3; ++k) {
      const bool is_there = three.is_array() && k < three.size();
      *places[k] = is_there ? index_of(&three[k], character.images.size()) : kNone;
    }
  }
  for (Mesh& mesh : character.meshes) {
    for (MeshPart& part : mesh.parts) {
      if (part.material >= static_cast<Index>(character.materials.size())) part.material = kNone;
    }
  }
}

void restore_unit(const Json& block, Character& character) {
  const Json* unit = member(&block, "metres_per_unit");
  if (unit != nullptr && unit->is_number()) {
    const auto metres = unit->get<double>();
    if (std::isfinite(metres) && metres > 0) character.metres_per_unit = metres;
  }
  const Json* guessed = member(&block, "is_unit_guessed");
  character.is_unit_guessed = guessed != nullptr && guessed->is_boolean() && guessed->get<bool>();
}

void restore_notes(const Json& block, Notes& notes) {
  const Json* list = member(&block, "notes");
  if (list == nullptr || !list->is_array()) return;
  for (const Json& json : *list) {
    Note note;
    const std::string kind = text_member(json, "kind");
    for (const Note::Kind k : {Note::Kind::info, Note::Kind::guess, Note::Kind::repair, Note::Kind::loss}) {
      if (kind == name_of(k)) note.kind = k;
    }
    note.id = text_member(json, "id");
    note.sentence = text_member(json, "sentence");
    std::replace(note.sentence.begin(), note.sentence.end(), '\n', ' ');
    const Json* remedies = member(&json, "remedies");
    if (remedies != nullptr && remedies->is_array()) {
      for (const Json& one : *remedies)
        note.remedies.push_back({text_member(one, "option"), text_member(one, "value")});
    }
    notes.push_back(std::move(note));
  }
}

Error broken(const std::string& path, const Error& error) {
  const std::string prefix = path + ": ";
  const std::string words =
      error.sentence.starts_with(prefix) ? error.sentence.substr(prefix.size()) : error.sentence;
  if (error.code == Errc::too_large || error.code == Errc::cancelled)
    return {error.code, prefix + words, error.remedies};
  return {error.code, fmt::format("{}: dermis-import returned broken data: {}", path, words), error.remedies};
}

}  // namespace

Result<Asset> unpack_import(Bytes glb, const std::string& path, const LoadOptions& options,
                            const Progress& progress) {
  if (glb.empty()) return broken(path, {Errc::bad_file, "nothing at all"});
  LoadOptions as_packed = options;
  as_packed.up = UpAxis::guess;  // already applied by dermis-import
  Result<Asset> read = read_gltf({std::move(glb), path, ""}, as_packed, progress);
  if (!read) return broken(path, read.error());
  const GltfDocument& document = gltf_of(*read)->document;
  const Json* block = dermis_block(document.json["asset"]);
  if (member(block, "import") == nullptr)
    return broken(path, {Errc::bad_file, "a glTF without the extras of an import"});
  Character& character = read->character;
  MemoryBudget budget(options.max_memory);
  GltfReader reader(document, budget, read->notes);
  const Json& meshes = reader.list("meshes");
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    if (!join_mesh(reader, meshes[m], Place{"mesh", m, &meshes[m]}, character.meshes[m]))
      return broken(path, reader.error());
  }
  restore_materials(*block, character);
  restore_unit(*block, character);
  restore_notes(*block, read->notes);
  read->source = nullptr;
  if (Status valid = validate(character); !valid) return broken(path, valid.error());
  return read;
}

}  // namespace dermis
