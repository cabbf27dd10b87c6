// SPDX-License-Identifier: MIT
// Materials and images of a glTF document, as far as other formats can store them. The document keeps the
// rest, so a fault found only here is not a reason to refuse the file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/gltf/reader.h"

namespace dermis {
namespace {

// No mesh has this many; a larger number is a fault that the document keeps.
constexpr std::size_t kMostUvSets = 1 << 16;

const Json* member(const Json& from, const char* key) {
  if (!from.is_object()) return nullptr;
  const auto found = from.find(key);
  return found == from.end() ? nullptr : &*found;
}

std::string text_at(const Json& from, const char* key) {
  const Json* found = member(from, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

Index index_at(const Json& from, const char* key, std::size_t limit) {
  const Json* found = member(from, key);
  if (found == nullptr || !found->is_number_unsigned() || found->get<std::uint64_t>() >= limit) return kNone;
  return static_cast<Index>(found->get<std::uint64_t>());
}

float factor_at(const Json& from, const char* key, float otherwise) {
  const Json* found = member(from, key);
  if (found == nullptr || !found->is_number()) return otherwise;
  const float number = found->get<float>();
  return std::isfinite(number) ? std::clamp(number, 0.0f, 1.0f) : otherwise;
}

void read_factors(const Json& from, const char* key, std::span<float> out) {
  const Json* found = member(from, key);
  if (found == nullptr || !found->is_array() || found->size() != out.size()) return;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Json& number = (*found)[k];
    if (number.is_number() && std::isfinite(number.get<float>()))
      out[k] = std::clamp(number.get<float>(), 0.0f, 1.0f);
  }
}

std::uint64_t size_at(const Json& from, const char* key) {
  const Json* found = member(from, key);
  return found != nullptr && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

// The bytes of a plain buffer view; leaves the image empty if they do not exist.
void take_view(const GltfDocument& document, const Json& view, Image& image) {
  const Index buffer = index_at(view, "buffer", document.buffers.size());
  if (buffer == kNone) return;
  const GltfBuffer& data = document.buffers[static_cast<std::size_t>(buffer)];
  const std::uint64_t offset = size_at(view, "byteOffset"), length = size_at(view, "byteLength");
  if (offset > data.bytes.size() || length > data.bytes.size() - offset) return;
  image.bytes = data.bytes.subspan(offset, length);
  image.owner = data.owner;
}

Image image_of(GltfReader& reader, const GltfDocument& document, const Json& json, std::size_t index) {
  Image image;
  const std::string uri = text_at(json, "uri"), mime = text_at(json, "mimeType");
  image.name = text_at(json, "name");
  if (is_data_uri(uri)) {
    if (std::optional<Bytes> bytes = decode_data_uri(uri)) {
      auto owner = std::make_shared<const Bytes>(std::move(*bytes));
      image.bytes = *owner;
      image.owner = std::move(owner);
    }
  } else if (!uri.empty()) {
    const Result<std::string> path = resolve_uri(document.folder, uri, "image");
    if (path) image.path = *path;
    if (path) image.name = std::filesystem::path(*path).filename().string();
  } else {
    const Json& views = reader.list("bufferViews");
    const Index view = index_at(json, "bufferView", views.size());
    if (view != kNone) take_view(document, views[static_cast<std::size_t>(view)], image);
  }
  std::replace_if(
      image.name.begin(), image.name.end(),
      [](char c) { return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 32; }, '_');
  if (image.name.empty()) image.name = fmt::format("image_{}", index);
  if (extension_of(image.name).empty() && !mime.empty()) image.name += mime == "image/jpeg" ? ".jpg" : ".png";
  return image;
}

Wrap wrap_at(const Json& sampler, const char* key) {
  constexpr std::uint64_t kClampToEdge = 33071, kMirroredRepeat = 33648;
  const std::uint64_t mode = size_at(sampler, key);
  return mode == kClampToEdge ? Wrap::clamp : mode == kMirroredRepeat ? Wrap::mirror : Wrap::repeat;
}

void read_pair(const Json& from, const char* key, Vec2& out) {
  const Json* found = member(from, key);
  if (found == nullptr || !found->is_array() || found->size() != 2) return;
  if (!(*found)[0].is_number() || !(*found)[1].is_number()) return;
  const Vec2 pair{(*found)[0].get<float>(), (*found)[1].get<float>()};
  if (std::isfinite(pair.x) && std::isfinite(pair.y)) out = pair;
}

// KHR_texture_transform, which may also select another set of texture coordinates.
void read_transform(const Json& info, PicturePlace& place) {
  const Json* extensions = member(info, "extensions");
  const Json* transform = extensions == nullptr ? nullptr : member(*extensions, "KHR_texture_transform");
  if (transform == nullptr) return;
  read_pair(*transform, "offset", place.offset);
  read_pair(*transform, "scale", place.scale);
  const Json* turn = member(*transform, "rotation");
  if (turn != nullptr && turn->is_number() && std::isfinite(turn->get<float>()))
    place.turn = turn->get<float>();
  const Index set = index_at(*transform, "texCoord", kMostUvSets);
  if (set != kNone) place.uv_set = set;
}

// The image of a texture reference, and its placement.
Index image_at(GltfReader& reader, const Json& from, const char* key, PicturePlace& place) {
  const Json* info = member(from, key);
  if (info == nullptr) return kNone;
  const Json& textures = reader.list("textures");
  const Index index = index_at(*info, "index", textures.size());
  if (index == kNone) return kNone;
  const Json& texture = textures[static_cast<std::size_t>(index)];
  place.uv_set = std::max(index_at(*info, "texCoord", kMostUvSets), 0);
  read_transform(*info, place);
  const Json& samplers = reader.list("samplers");
  const Index sampler = index_at(texture, "sampler", samplers.size());
  if (sampler != kNone) {
    place.wrap_u = wrap_at(samplers[static_cast<std::size_t>(sampler)], "wrapS");
    place.wrap_v = wrap_at(samplers[static_cast<std::size_t>(sampler)], "wrapT");
  }
  const Index image = index_at(texture, "source", reader.list("images").size());
  if (image == kNone && member(texture, "extensions") != nullptr) {
    reader.note(Note::Kind::info, "texture-in-extension", Place{"texture", static_cast<std::size_t>(index)},
                "only an extension refers to its picture (WebP, KTX2 or DDS): kept, but not drawn");
  }
  return image;
}

}  // namespace

bool read_materials(GltfReader& reader, const GltfDocument& document, Character& character) {
  const Json& images = reader.list("images");
  const Json& materials = reader.list("materials");
  if (reader.failed()) return false;
  for (std::size_t i = 0; i < images.size(); ++i)
    character.images.push_back(image_of(reader, document, images[i], i));
  for (const Json& json : materials) {
    Material material;
    material.name = text_at(json, "name");
    material.metallic = 1;  // glTF's default
    if (const Json* pbr = member(json, "pbrMetallicRoughness"); pbr != nullptr) {
      float colour[] = {1, 1, 1, 1};
      read_factors(*pbr, "baseColorFactor", colour);
      material.base_colour = {colour[0], colour[1], colour[2], colour[3]};
      material.metallic = factor_at(*pbr, "metallicFactor", 1);
      material.roughness = factor_at(*pbr, "roughnessFactor", 1);
      material.base_colour_image = image_at(reader, *pbr, "baseColorTexture", material.base_colour_place);
    }
    float emission[] = {0, 0, 0};
    read_factors(json, "emissiveFactor", emission);
    material.emission = {emission[0], emission[1], emission[2]};
    material.emission_image = image_at(reader, json, "emissiveTexture", material.emission_place);
    material.normal_image = image_at(reader, json, "normalTexture", material.normal_place);
    const Json* sided = member(json, "doubleSided");
    material.is_double_sided = sided != nullptr && sided->is_boolean() && sided->get<bool>();
    const std::string alpha = text_at(json, "alphaMode");
    material.alpha = alpha == "BLEND" ? Alpha::blended : alpha == "MASK" ? Alpha::cut : Alpha::ignored;
    material.alpha_cutoff = factor_at(json, "alphaCutoff", 0.5f);
    character.materials.push_back(std::move(material));
  }
  return !reader.failed();
}

}  // namespace dermis
