// SPDX-License-Identifier: MIT
// Packs an imported character into a GLB; its extras store what glTF cannot.
#include <algorithm>

#include "io/gltf/builder.h"
#include "io/import/import.h"
#include "io/normals.h"
#include "io/utf8.h"

namespace dermis {
namespace {

// Reads pictures from files into memory, for viewers; the others stay outside.
struct Pictures {
  std::vector<Image> embedded;
  std::vector<Index> embedded_of;  // for each image of the character, or kNone

  explicit Pictures(const std::vector<Image>& images) {
    for (const Image& image : images) {
      Image carried = image;
      if (!image.path.empty()) {
        Result<Bytes> bytes = read_file(image.path, UINT32_MAX);
        auto owner = std::make_shared<const Bytes>(bytes ? std::move(*bytes) : Bytes{});
        carried = {image.name, "", *owner, owner};
      }
      embedded_of.push_back(media_type(carried.bytes) != nullptr ? static_cast<Index>(embedded.size())
                                                                 : kNone);
      if (embedded_of.back() != kNone) embedded.push_back(std::move(carried));
    }
  }
};

// The extras of one primitive.
void write_structure(GltfDocument& document, GltfBuilder& builder, std::size_t mesh_index,
                     const SplitMesh& split, std::size_t point_count) {
  for (std::size_t k = 0; k < split.mesh.parts.size(); ++k) {
    const MeshPart& part = split.mesh.parts[k];
    const auto first = split.source.begin() + part.first_point;
    const std::vector<std::uint32_t> points(first, first + part.point_count);
    Json block = {{"points", builder.add_indices(points, point_count)}};
    std::vector<std::uint32_t> sizes;
    for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p)
      sizes.push_back(
          static_cast<std::uint32_t>(split.mesh.polygons.polygon(static_cast<std::size_t>(p)).size()));
    const std::uint32_t largest = sizes.empty() ? 3 : *std::max_element(sizes.begin(), sizes.end());
    if (largest > 3) block["polygon_sizes"] = builder.add_indices(sizes, largest + std::size_t{1});
    document.json["meshes"][mesh_index]["primitives"][k]["extras"]["dermis"] = std::move(block);
  }
}

// Every polygon as a fan from its first corner, from which unpack_import restores it.
void fan_polygons(Mesh& mesh) {
  Polygons triangles;
  Index first = 0;
  for (MeshPart& part : mesh.parts) {
    for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p) {
      const std::span<const Index> polygon = mesh.polygons.polygon(static_cast<std::size_t>(p));
      for (std::size_t c = 1; c + 1 < polygon.size(); ++c) {
        triangles.corners.insert(triangles.corners.end(), {polygon[0], polygon[c], polygon[c + 1]});
        triangles.first.push_back(static_cast<std::uint32_t>(triangles.corners.size()));
      }
    }
    part.first_polygon = first;
    part.polygon_count = static_cast<Index>(triangles.count()) - first;
    first += part.polygon_count;
  }
  mesh.polygons = std::move(triangles);
}

Json notes_json(const Notes& notes) {
  Json list = Json::array();
  for (const Note& note : notes) {
    Json remedies = Json::array();
    for (const Remedy& remedy : note.remedies)
      remedies.push_back({{"option", remedy.option}, {"value", as_utf8(remedy.value)}});
    list.push_back({{"kind", name_of(note.kind)},
                    {"id", note.id},
                    {"sentence", as_utf8(note.sentence)},
                    {"remedies", std::move(remedies)}});
  }
  return list;
}

Json asset_block(const Character& character, const Notes& notes, const Pictures& pictures) {
  Json block = {{"import", 1},
                {"metres_per_unit", character.metres_per_unit},
                {"is_unit_guessed", character.is_unit_guessed},
                {"notes", notes_json(notes)},
                {"images", Json::array()},
                {"material_images", Json::array()}};
  for (std::size_t i = 0; i < character.images.size(); ++i) {
    const Image& image = character.images[i];
    block["images"].push_back(
        {{"name", as_utf8(image.name)}, {"path", as_utf8(image.path)}, {"image", pictures.embedded_of[i]}});
  }
  for (const Material& material : character.materials)
    block["material_images"].push_back(
        {material.base_colour_image, material.normal_image, material.emission_image});
  return block;
}

}  // namespace

Result<Bytes> pack_import(const Character& character, const Notes& notes) {
  const Pictures pictures(character.images);
  Character packed = character;
  Notes all_notes = notes;
  make_names_utf8(packed, all_notes);
  packed.images = pictures.embedded;
  for (Material& material : packed.materials) {
    for (Index* image : {&material.base_colour_image, &material.normal_image, &material.emission_image}) {
      if (*image != kNone) *image = pictures.embedded_of[static_cast<std::size_t>(*image)];
    }
  }
  std::vector<SplitMesh> splits;
  for (Mesh& mesh : packed.meshes) {
    if (has_faulty_normals(mesh)) mend_normals(mesh, all_notes);
    splits.push_back(split_corners(mesh));
    mesh = splits.back().mesh;
    fan_polygons(mesh);
  }
  Notes losses;  // losses of the GLB that viewers see; the character keeps its data
  Result<GltfDocument> made = new_document(packed, {}, losses);
  if (!made) return made.error();
  GltfDocument document = std::move(*made);
  {
    const SteadyLists steady(document);
    GltfBuilder builder(document);
    for (std::size_t m = 0; m < splits.size(); ++m)
      write_structure(document, builder, m, splits[m], character.meshes[m].points.size());
    builder.finish();
  }
  // Beside the drivers and rules of shapes that are there already.
  Json& block = object_in(object_in(document.json["asset"], "extras"), "dermis");
  const Json own = asset_block(character, all_notes, pictures);
  for (const auto& [key, value] : own.items()) block[key] = value;
  return glb_bytes(std::move(document));
}

}  // namespace dermis
