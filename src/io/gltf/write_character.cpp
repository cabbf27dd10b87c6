// SPDX-License-Identifier: MIT
// A new glTF document for a character that did not come from one.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "io/companions.h"
#include "io/gltf/driving.h"
#include "io/gltf/write_mesh.h"
#include "io/obj/obj.h"
#include "io/placed_pictures.h"
#include "io/text.h"

namespace dermis {
namespace {

// Clay: its form is visible in any light.
constexpr float kClay[] = {0.80f, 0.62f, 0.52f, 1.0f};
constexpr float kClayRoughness = 0.7f;

class CharacterWriter {
 public:
  CharacterWriter(const Character& character, const SaveOptions& options, Notes& notes)
      : character_(character),
        progress_(options.progress),
        notes_(notes),
        placed_(placed_materials(character, notes)),
        builder_(document_),
        meshes_(builder_, options, notes) {}

  Result<GltfDocument> write() {
    document_.json = {{"asset", {{"version", "2.0"}, {"generator", fmt::format("dermis {}", version())}}}};
    write_nodes();
    if (Status going = progress_.at(kMakingDocument, 0); !going) return going.error();
    place_in_scene(document_, character_, node_of_instance_, notes_);
    write_materials();
    if (Status written = write_meshes(); !written) return written.error();
    write_skins(document_, builder_, character_);
    write_clips(document_, builder_, character_, node_of_instance_, notes_);
    write_driving();
    builder_.finish();
    return std::move(document_);
  }

 private:
  Json& json() { return document_.json; }

  void write_nodes() {
    Json nodes = Json::array(), roots = Json::array();
    for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
      nodes.push_back(node_json(character_.nodes[n]));
      if (character_.nodes[n].parent == kNone) roots.push_back(n);
    }
    for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
      const Index parent = character_.nodes[n].parent;
      if (parent != kNone) list_in(nodes[static_cast<std::size_t>(parent)], "children").push_back(n);
    }
    for (const Instance& instance : character_.instances) {
      Json* node = &nodes[static_cast<std::size_t>(instance.node)];
      if (node->contains("mesh")) {  // a second mesh of a node goes to a child node
        list_in(nodes[static_cast<std::size_t>(instance.node)], "children").push_back(nodes.size());
        nodes.push_back(Json::object());
        node = &nodes.back();
        node_of_instance_.push_back(static_cast<Index>(nodes.size() - 1));
      } else {
        node_of_instance_.push_back(instance.node);
      }
      (*node)["mesh"] = instance.mesh;
      if (instance.skin != kNone) (*node)["skin"] = instance.skin;
      if (!instance.shape_weights.empty()) (*node)["weights"] = instance.shape_weights;
    }
    if (nodes.empty()) return;
    json()["scene"] = 0;
    json()["scenes"] = Json::array({{{"nodes", roots}}});
    if (!character_.name.empty()) json()["scenes"][0]["name"] = character_.name;
    json()["nodes"] = std::move(nodes);
  }

  Status write_meshes() {
    for (const Mesh& whole : character_.meshes) {
      if (Status going = progress_.at(kMakingDocument, 0); !going) return going;
      meshes_.count_labels(whole);
      const std::optional<Mesh> prepared = meshes_.split_and_mended(whole);
      const Mesh& mesh = prepared ? *prepared : whole;
      Json mesh_json = Json::object();
      if (!mesh.name.empty()) mesh_json["name"] = mesh.name;
      mesh_json["primitives"] = Json::array();
      for (const MeshPart& part : mesh.parts) {
        if (part.point_count == 0) continue;
        const Index material = placed_.of(mesh, part);
        Json primitive = meshes_.primitive(mesh, part);
        primitive["material"] = material != kNone ? material : clay();
        mesh_json["primitives"].push_back(std::move(primitive));
      }
      for (const Shape& shape : mesh.shapes)
        list_in(object_in(mesh_json, "extras"), "targetNames").push_back(shape.name);
      gltf_list(document_, "meshes").push_back(std::move(mesh_json));
    }
    meshes_.note_losses();
    return Done{};
  }

  // ---- Materials ----

  void write_materials() {
    const std::vector<bool> had = shown_images(character_.materials), has = shown_images(placed_.materials);
    for (std::size_t i = 0; i < character_.images.size(); ++i)
      texture_of_image_.push_back(had[i] && !has[i] ? kNone : write_image(character_.images[i]));
    for (const Material& material : placed_.materials) {
      // Complete it first: it may add lists to the document, which moves existing ones.
      Json written = material_json(material);
      gltf_list(document_, "materials").push_back(std::move(written));
    }
    note_dropped_maps();
  }

  // Images that some material uses.
  std::vector<bool> shown_images(std::span<const Material> materials) const {
    std::vector<bool> is_shown(character_.images.size());
    for (const Material& material : materials) {
      for (const Index image : {material.base_colour_image, material.normal_image, material.emission_image}) {
        if (image != kNone) is_shown[static_cast<std::size_t>(image)] = true;
      }
    }
    return is_shown;
  }

  // The model has only three of the pictures that an MTL can name.
  void note_dropped_maps() {
    std::size_t count = 0;
    for (const Material& material : character_.materials) {
      for (const std::string& line : material.mtl) {
        std::string_view rest = line;
        const std::string_view word = next_word(rest);
        const bool is_used =
            is_statement(word, "map_kd") || is_statement(word, "map_ke") || is_statement(word, "norm");
        count += is_texture_statement(word) && !is_used ? 1 : 0;
      }
    }
    if (count == 0) return;
    notes_.push_back({Note::Kind::loss, "maps-dropped",
                      fmt::format("{} a picture other than map_Kd, map_Ke and norm; left out",
                                  counted(count, "statement of the materials names",
                                          "statements of the materials name"))});
  }

  // The index of a texture that shows `image`, or kNone if glTF cannot store it.
  Index write_image(const Image& image) {
    Bytes read;
    std::span<const std::byte> bytes = image.bytes;
    if (!image.path.empty()) {
      Result<Bytes> file = read_file(image.path, UINT32_MAX);
      if (!file) return note_lost(image, file.error().sentence);
      read = std::move(*file);
      bytes = read;
    }
    const char* type = media_type(bytes);
    if (type == nullptr) return note_lost(image, "it is neither a PNG nor a JPEG");
    gltf_list(document_, "images")
        .push_back({{"name", image.name}, {"mimeType", type}, {"bufferView", builder_.add_bytes(bytes)}});
    Json& textures = gltf_list(document_, "textures");
    textures.push_back({{"source", json()["images"].size() - 1}});
    return static_cast<Index>(textures.size() - 1);
  }

  Index note_lost(const Image& image, const std::string& reason) {
    notes_.push_back({Note::Kind::loss, "image-not-carried",
                      fmt::format("image {} was left out: {}", quoted_name(image.name), reason)});
    return kNone;
  }

  // The texture that shows `image` with the wrapping of `place`; kNone: not in the document.
  Index texture_for(Index image, const PicturePlace& place) {
    const Index plain = texture_of_image_[static_cast<std::size_t>(image)];
    if (plain == kNone || (place.wrap_u == Wrap::repeat && place.wrap_v == Wrap::repeat)) return plain;
    const auto [known, is_new] = wrapped_textures_.try_emplace({image, place.wrap_u, place.wrap_v}, kNone);
    if (!is_new) return known->second;
    constexpr int kModes[] = {10497, 33648, 33071};  // of repeat, mirror, clamp
    Json& samplers = gltf_list(document_, "samplers");
    samplers.push_back({{"wrapS", kModes[static_cast<std::size_t>(place.wrap_u)]},
                        {"wrapT", kModes[static_cast<std::size_t>(place.wrap_v)]}});
    Json texture = json()["textures"][static_cast<std::size_t>(plain)];
    texture["sampler"] = json()["samplers"].size() - 1;
    Json& textures = gltf_list(document_, "textures");
    textures.push_back(std::move(texture));
    return known->second = static_cast<Index>(textures.size() - 1);
  }

  Json texture_info(Index texture, const PicturePlace& place) {
    constexpr const char* kTransform = "KHR_texture_transform";
    Json info = {{"index", texture}};
    if (place.uv_set != 0) info["texCoord"] = place.uv_set;
    Json transform = Json::object();
    if (place.offset != Vec2{}) transform["offset"] = {place.offset.x, place.offset.y};
    if (place.turn != 0) transform["rotation"] = place.turn;
    if (place.scale != Vec2{1, 1}) transform["scale"] = {place.scale.x, place.scale.y};
    if (transform.empty()) return info;
    object_in(info, "extensions")[kTransform] = std::move(transform);
    Json& used = gltf_list(document_, "extensionsUsed");
    if (std::find(used.begin(), used.end(), kTransform) == used.end()) used.push_back(kTransform);
    return info;
  }

  Json material_json(const Material& material) {
    const Vec4& colour = material.base_colour;
    Json pbr = {{"baseColorFactor", {colour.x, colour.y, colour.z, colour.w}},
                {"metallicFactor", material.metallic},
                {"roughnessFactor", material.roughness}};
    Json json = Json::object();
    if (!material.name.empty()) json["name"] = material.name;
    const auto add_texture = [&](Json& to, const char* key, Index image, const PicturePlace& place) {
      const Index texture = image == kNone ? kNone : texture_for(image, place);
      if (texture != kNone) to[key] = texture_info(texture, place);
    };
    add_texture(pbr, "baseColorTexture", material.base_colour_image, material.base_colour_place);
    json["pbrMetallicRoughness"] = std::move(pbr);
    add_texture(json, "normalTexture", material.normal_image, material.normal_place);
    add_texture(json, "emissiveTexture", material.emission_image, material.emission_place);
    const Vec3& glow = material.emission;
    if (glow != Vec3{}) json["emissiveFactor"] = {glow.x, glow.y, glow.z};
    if (material.alpha == Alpha::blended && colour.w < 1) json["alphaMode"] = "BLEND";
    if (material.alpha == Alpha::cut) {
      json["alphaMode"] = "MASK";
      json["alphaCutoff"] = material.alpha_cutoff;
    }
    if (material.is_double_sided) json["doubleSided"] = true;
    return json;
  }

  // The material for parts without one, added once.
  Index clay() {
    if (clay_ == kNone) {
      Json& materials = gltf_list(document_, "materials");
      clay_ = static_cast<Index>(materials.size());
      materials.push_back(
          {{"pbrMetallicRoughness",
            {{"baseColorFactor", kClay}, {"metallicFactor", 0}, {"roughnessFactor", kClayRoughness}}}});
    }
    return clay_;
  }

  void write_driving() {
    for (const DrivingPart& part : kDrivingParts) {
      if (Json list = part.json(character_); !list.empty())
        object_in(object_in(json()["asset"], "extras"), "dermis")[part.key] = std::move(list);
    }
  }

  const Character& character_;
  const Progress& progress_;
  Notes& notes_;
  const PlacedMaterials placed_;
  GltfDocument document_;
  GltfBuilder builder_;
  MeshWriter meshes_;
  std::vector<Index> texture_of_image_;
  std::map<std::tuple<Index, Wrap, Wrap>, Index> wrapped_textures_;  // by image and wrapping
  Index clay_ = kNone;
  std::vector<Index> node_of_instance_;
};

}  // namespace

const char* media_type(std::span<const std::byte> bytes) {
  const char* type = picture_type(bytes);
  const bool is_core =
      type != nullptr && (type == std::string_view("image/png") || type == std::string_view("image/jpeg"));
  return is_core ? type : nullptr;
}

Json node_json(const Node& node) {
  Json json = Json::object();
  if (!node.name.empty()) json["name"] = node.name;
  if (node.rest_matrix) {
    const Mat3& m = node.rest_matrix->linear;
    const Vec3& t = node.rest_matrix->translation;
    json["matrix"] = {m.x.x, m.x.y, m.x.z, 0, m.y.x, m.y.y, m.y.z, 0,
                      m.z.x, m.z.y, m.z.z, 0, t.x,   t.y,   t.z,   1};
    return json;
  }
  const Transform& rest = node.rest;
  if (rest.translation != Vec3{})
    json["translation"] = {rest.translation.x, rest.translation.y, rest.translation.z};
  if (rest.rotation != Quat{})
    json["rotation"] = {rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w};
  if (rest.scale != Vec3{1, 1, 1}) json["scale"] = {rest.scale.x, rest.scale.y, rest.scale.z};
  return json;
}

namespace {

bool has_no_points(const Mesh& mesh) { return mesh.points.empty(); }

// The character without meshes that have no points, their instances and the channels that move their shapes:
// glTF cannot store such a mesh.
Character without_empty_meshes(Character character, Notes& notes) {
  std::vector<Index> new_mesh, new_instance;
  Index mesh_count = 0, instance_count = 0;
  for (const Mesh& mesh : character.meshes) {
    new_mesh.push_back(has_no_points(mesh) ? kNone : mesh_count++);
    if (!has_no_points(mesh)) continue;
    notes.push_back({Note::Kind::loss, "mesh-empty",
                     fmt::format("mesh {} has no points and was left out: glTF cannot store it",
                                 quoted_name(mesh.name))});
  }
  for (Instance& instance : character.instances) {
    instance.mesh = new_mesh[static_cast<std::size_t>(instance.mesh)];
    new_instance.push_back(instance.mesh == kNone ? kNone : instance_count++);
  }
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels) {
      if (channel.path == ChannelPath::shape_weights)
        channel.target = new_instance[static_cast<std::size_t>(channel.target)];
    }
    std::erase_if(clip.channels, [](const Channel& channel) { return channel.target == kNone; });
  }
  std::erase_if(character.instances, [](const Instance& instance) { return instance.mesh == kNone; });
  std::erase_if(character.meshes, has_no_points);
  note_dropped(drop_broken_driving(character), notes);
  return character;
}

}  // namespace

Result<GltfDocument> new_document(const Character& character, const SaveOptions& options, Notes& notes) {
  if (std::ranges::any_of(character.meshes, has_no_points))
    return new_document(without_empty_meshes(character, notes), options, notes);
  for (const Mesh& mesh : character.meshes) {
    if (Status good = check_slots(mesh); !good) return good.error();
  }
  return CharacterWriter(character, options, notes).write();
}

}  // namespace dermis
