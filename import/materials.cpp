// SPDX-License-Identifier: MIT
// Materials and pictures of an assimp scene.
#include <assimp/GltfMaterial.h>
#include <assimp/material.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "conversion.h"
#include "io/file.h"
#include "io/placed_pictures.h"

namespace dermis::import {
namespace fs = std::filesystem;
namespace {

float unit_range(float number) { return std::isfinite(number) ? std::clamp(number, 0.0f, 1.0f) : 0.0f; }

std::optional<aiColor4D> colour(const aiMaterial& material, const char* key) {
  aiColor4D found;
  if (aiGetMaterialColor(&material, key, 0, 0, &found) != AI_SUCCESS) return std::nullopt;
  return found;
}

std::optional<float> number(const aiMaterial& material, const char* key) {
  float found = 0;
  if (aiGetMaterialFloat(&material, key, 0, 0, &found) != AI_SUCCESS) return std::nullopt;
  return found;
}

// The last part of a path from any system, as a file name on this one.
std::string file_name(std::string path) {
  std::replace(path.begin(), path.end(), '\\', '/');
  return fs::path(path).filename().string();
}

// The file that a material refers to: at its path or next to the model, never outside the model's folder.
std::string find_picture(const std::string& folder, std::string stated) {
  if (folder.empty()) return {};
  std::replace(stated.begin(), stated.end(), '\\', '/');
  std::error_code failed;
  const fs::path home = fs::weakly_canonical(folder, failed);
  for (const fs::path& candidate : {fs::path(stated), fs::path(file_name(stated))}) {
    if (candidate.empty() || candidate.is_absolute()) continue;
    const fs::path file = fs::weakly_canonical(home / candidate, failed);
    const auto [end, ignored] = std::mismatch(home.begin(), home.end(), file.begin(), file.end());
    if (end == home.end() && fs::is_regular_file(file, failed)) return file.string();
  }
  return {};
}

class Pictures {
 public:
  explicit Pictures(Conversion& conversion) : conversion_(conversion) {}

  // The image of the first of these types that the material has.
  Index of(const aiMaterial& material, std::initializer_list<aiTextureType> types) {
    for (const aiTextureType type : types) {
      aiString path;
      if (material.GetTexture(type, 0, &path) == AI_SUCCESS && path.length > 0) return image(text_of(path));
    }
    return kNone;
  }

 private:
  Index image(const std::string& stated) {
    const auto [known, is_new] = known_.try_emplace(stated, kNone);
    if (is_new) known->second = add(stated);
    return known->second;
  }

  Index add(const std::string& stated) {
    Image image;
    image.name = file_name(stated);
    if (const aiTexture* embedded = conversion_.scene.GetEmbeddedTexture(stated.c_str());
        embedded != nullptr) {
      if (!take_embedded(*embedded, image)) return lose(stated, "its pixels are not in a separate file");
    } else {
      image.path = find_picture(conversion_.origin.folder, stated);
      if (image.path.empty()) return lose(stated, why_not_found(stated));
    }
    conversion_.character.images.push_back(std::move(image));
    return static_cast<Index>(conversion_.character.images.size() - 1);
  }

  // A picture that is still encoded: with a height of 0, the width is its number of bytes.
  bool take_embedded(const aiTexture& texture, Image& image) const {
    if (texture.mHeight != 0 || texture.mWidth == 0) return false;
    const auto* first = reinterpret_cast<const std::byte*>(texture.pcData);
    const auto owner = std::make_shared<const Bytes>(first, first + texture.mWidth);
    image.bytes = *owner;
    image.owner = owner;
    if (texture.mFilename.length > 0) image.name = file_name(text_of(texture.mFilename));
    if (image.name.empty() || image.name.starts_with('*')) {
      const std::string kind(texture.achFormatHint, strnlen(texture.achFormatHint, HINTMAXTEXTURELEN));
      image.name =
          fmt::format("texture_{}.{}", conversion_.character.images.size(), kind.empty() ? "bin" : kind);
    }
    return true;
  }

  std::string why_not_found(const std::string& stated) const {
    const std::string& folder = conversion_.origin.folder;
    const std::string target = link_out_of(folder, (fs::path(folder) / file_name(stated)).string());
    return target.empty()
               ? "it is not in the folder of the file"
               : fmt::format("it is a link to {}, outside the folder of the file", quoted_name(target));
  }

  Index lose(const std::string& stated, const std::string& reason) {
    conversion_.note(Note::Kind::loss, "image-missing",
                     fmt::format("picture {} was left out: {}", quoted_name(stated), reason));
    return kNone;
  }

  Conversion& conversion_;
  std::unordered_map<std::string, Index> known_;
};

Material material_of(const aiMaterial& from, Pictures& pictures) {
  Material material;
  aiString name;
  if (from.Get(AI_MATKEY_NAME, name) == AI_SUCCESS) material.name = text_of(name);
  std::optional<aiColor4D> base = colour(from, "$clr.base");
  if (!base) base = colour(from, "$clr.diffuse");
  if (base) {
    material.base_colour = {unit_range(base->r), unit_range(base->g), unit_range(base->b), 1};
  }
  if (const auto opacity = number(from, "$mat.opacity")) material.base_colour.w = unit_range(*opacity);
  if (const auto glow = colour(from, "$clr.emissive"))
    material.emission = {unit_range(glow->r), unit_range(glow->g), unit_range(glow->b)};
  if (const auto metallic = number(from, "$mat.metallicFactor")) material.metallic = unit_range(*metallic);
  if (const auto roughness = number(from, "$mat.roughnessFactor")) {
    material.roughness = unit_range(*roughness);
  } else if (const auto shininess = number(from, "$mat.shininess"); shininess && *shininess > 0) {
    // The width of a Blinn-Phong highlight as a roughness (Karis 2013): the exponent is 2 / roughness^4 - 2.
    material.roughness = unit_range(std::sqrt(std::sqrt(2 / (*shininess + 2))));
  }
  int sides = 0;
  if (from.Get(AI_MATKEY_TWOSIDED, sides) == AI_SUCCESS) material.is_double_sided = sides != 0;
  material.base_colour_image = pictures.of(from, {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE});
  material.normal_image = pictures.of(from, {aiTextureType_NORMAL_CAMERA, aiTextureType_NORMALS});
  material.emission_image = pictures.of(from, {aiTextureType_EMISSION_COLOR, aiTextureType_EMISSIVE});
  return material;
}

}  // namespace

void convert_materials(Conversion& conversion) {
  Pictures pictures(conversion);
  for (unsigned m = 0; m < conversion.scene.mNumMaterials; ++m) {
    Material material = material_of(*conversion.scene.mMaterials[m], pictures);
    // The material that assimp makes for meshes without one.
    if (material.name == AI_DEFAULT_MATERIAL_NAME) {
      conversion.material_of.push_back(kNone);
      continue;
    }
    conversion.material_of.push_back(static_cast<Index>(conversion.character.materials.size()));
    conversion.character.materials.push_back(std::move(material));
  }
}

void drop_unplaced_pictures(Conversion& conversion) {
  PlacedMaterials placed = placed_materials(conversion.character, conversion.notes);
  for (Mesh& mesh : conversion.character.meshes) {
    for (MeshPart& part : mesh.parts) part.material = placed.of(mesh, part);
  }
  conversion.character.materials = std::move(placed.materials);
}

}  // namespace dermis::import
