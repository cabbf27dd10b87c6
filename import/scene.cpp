// SPDX-License-Identifier: MIT
// Loads a scene with assimp, as the file has it, and turns it into a character.
#include "scene.h"

#include <assimp/DefaultIOSystem.h>
#include <assimp/config.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace dermis::import {
namespace fs = std::filesystem;
namespace {

// An untrusted model may name any file; only those in its folder are opened.
class FolderOnly : public Assimp::DefaultIOSystem {
 public:
  explicit FolderOnly(const std::string& folder) : home_(fs::weakly_canonical(folder)) {}
  bool Exists(const char* file) const override { return is_inside(file) && DefaultIOSystem::Exists(file); }
  Assimp::IOStream* Open(const char* file, const char* mode) override {
    return is_inside(file) && mode[0] == 'r' ? DefaultIOSystem::Open(file, mode) : nullptr;
  }

 private:
  bool is_inside(const char* file) const {
    std::error_code failed;
    const fs::path path = fs::weakly_canonical(file, failed);
    const auto [end, ignored] = std::mismatch(home_.begin(), home_.end(), path.begin(), path.end());
    return !failed && end == home_.end();
  }
  fs::path home_;
};

void keep_everything(Assimp::Importer& importer) {
  // Pivots are folded into their nodes: joints keep their names and stay single nodes.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_ALL_GEOMETRY_LAYERS, true);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_REMOVE_EMPTY_BONES, false);
  // Files with only a skeleton stay so.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
}

std::string one_line(std::string words) {
  std::replace_if(
      words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  return words;
}

// ---- Files whose content does not match their name
// -----------------------------------------------------------

struct Opening {
  std::string_view bytes;
  const char* format;
  std::string_view extensions;  // of files that may start like this
};
constexpr Opening kOpenings[] = {{"glTF", "GLB", ""},
                                 {"Kaydara FBX Binary", "FBX", ".fbx"},
                                 {"; FBX", "FBX", ".fbx"},
                                 {"BLENDER", "Blender", ".blend"},
                                 {"PK\x03\x04", "ZIP", ".zae .3mf .zgl"},
                                 {"ply\n", "PLY", ""},
                                 {"ply\r", "PLY", ""},
                                 {"HIERARCHY", "BVH", ""},
                                 {"<?xml", "XML", ".dae .x3d .amf .xgl"},
                                 {"<!DOCTYPE html", "HTML", ""},
                                 {"<html", "HTML", ""},
                                 {"version https://git-lfs", "a Git LFS pointer", ""},
                                 {"\x89PNG", "PNG", ""},
                                 {"\x1f\x8b", "gzip", ""}};

// What to do about a file that assimp refuses, in our own words.
std::string refusal(const Input& input, const std::string& words) {
  const std::string said = words.empty() ? "assimp does not say why" : "assimp: " + words;
  const std::string_view start = dermis::text_of(input.bytes);
  if (start.empty()) return fmt::format("is empty ({}); export it again", said);
  const std::string refused = fmt::format("cannot be read as {} ({})", input.extension, said);
  for (const Opening& opening : kOpenings) {
    const bool is_expected = opening.extensions.find(input.extension) != std::string_view::npos;
    if (!start.starts_with(opening.bytes) || is_expected) continue;
    return fmt::format("{}; its first bytes are those of {}: use that extension, or export it again", refused,
                       opening.format);
  }
  return refused + "; is it whole, and really of that format? if it is, convert it to glTF elsewhere";
}

// ---- What FBX files state and assimp does not report
// -----------------------------------------------------------

void note_skinning(Conversion& conversion) {
  if (!conversion.fbx || conversion.character.skins.empty()) return;
  const std::vector<FbxSkin>& skins = conversion.fbx->scene.skins;
  const auto is_requested = [&](const char* type) {
    return std::any_of(skins.begin(), skins.end(), [&](const FbxSkin& skin) { return skin.type == type; });
  };
  if (is_requested("DualQuaternion")) {
    conversion.note(Note::Kind::loss, "skinning-type",
                    "the file requests dual quaternion skinning, which is not kept", {{"method", "dqs"}});
  }
  if (is_requested("Blend")) {
    conversion.note(Note::Kind::loss, "skinning-type",
                    "the file blends linear and dual quaternion skinning by weights that are not kept: "
                    "lbs_dqs uses half of each at every point",
                    {{"method", "lbs_dqs"}});
  }
}

void note_left_out(Conversion& conversion) {
  const auto say = [&](unsigned count, const char* one, const char* many, const char* id) {
    if (count > 0)
      conversion.note(Note::Kind::loss, id, fmt::format("{} {} left out", count, count == 1 ? one : many));
  };
  say(conversion.scene.mNumCameras, "camera was", "cameras were", "cameras-left-out");
  say(conversion.scene.mNumLights, "light was", "lights were", "lights-left-out");
  if (conversion.character.meshes.empty())
    conversion.note(Note::Kind::info, "no-meshes", "there is no mesh in the file");
}

}  // namespace

Result<const aiScene*> read_scene(Assimp::Importer& importer, const Input& input) {
  keep_everything(importer);
  const aiScene* scene = nullptr;
  if (input.path.empty()) {
    scene =
        importer.ReadFileFromMemory(input.bytes.data(), input.bytes.size(), 0, input.extension.c_str() + 1);
  } else {
    importer.SetIOHandler(new FolderOnly(folder_of(input.path)));  // the importer owns it
    scene = importer.ReadFile(input.path, 0);
  }
  if (scene == nullptr || scene->mRootNode == nullptr) {
    const std::string words = one_line(importer.GetErrorString());
    const bool is_memory = words.find("bad_alloc") != std::string::npos;
    return Error{is_memory ? Errc::too_large : Errc::bad_file, refusal(input, words)};
  }
  return scene;
}

Result<Imported> convert_scene(const aiScene& scene, const Origin& origin, std::span<const std::byte> file) {
  Conversion conversion{scene, origin, {}, {}, {}, {}, {}, {}, {}, {}};
  conversion.character.name = origin.name;
  pair_fbx(conversion, file);
  convert_nodes(conversion);
  convert_materials(conversion);
  if (Status good = convert_meshes(conversion); !good) return good.error();
  drop_unplaced_pictures(conversion);
  convert_clips(conversion);
  note_skinning(conversion);
  note_left_out(conversion);
  if (conversion.character.nodes.empty()) return Error{Errc::bad_file, "there is nothing in it"};
  return Imported{std::move(conversion.character), std::move(conversion.notes)};
}

}  // namespace dermis::import
