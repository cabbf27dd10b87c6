// SPDX-License-Identifier: MIT
// Loads a scene with assimp, as the file has it, and turns it into a character.
#include "scene.h"

#include <assimp/DefaultIOSystem.h>
#include <assimp/config.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/openings.h"

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

// What to do about a file that assimp refuses, in our own words.
std::string refusal(std::span<const std::byte> file, const std::string& extension, const std::string& words) {
  const std::string said = words.empty() ? "assimp does not say why" : "assimp: " + words;
  const std::string_view start = dermis::text_of(file);
  if (start.empty()) return fmt::format("is empty ({}); export it again", said);
  std::string refused = fmt::format("cannot be read as {} ({})", extension, said);
  // Then the program that called us says what it is.
  if (dermis::foreign_format(start, extension) != nullptr) return refused;
  return refused + "; is it whole, and really of that format? if it is, convert it to glTF elsewhere";
}

// The scene, or why there is none.
Result<const aiScene*> checked(const Assimp::Importer& importer, const aiScene* scene,
                               std::span<const std::byte> file, const std::string& extension) {
  if (scene != nullptr && scene->mRootNode != nullptr) return scene;
  const std::string words = one_line(importer.GetErrorString());
  const bool is_memory = words.find("bad_alloc") != std::string::npos;
  return Error{is_memory ? Errc::too_large : Errc::bad_file, refusal(file, extension, words)};
}

// A document that needs no other file.
Result<const aiScene*> read_document(Assimp::Importer& importer, std::span<const std::byte> file,
                                     const std::string& extension) {
  keep_everything(importer);
  const aiScene* const scene =
      importer.ReadFileFromMemory(file.data(), file.size(), 0, extension.c_str() + 1);
  return checked(importer, scene, file, extension);
}

// ---- What files state and assimp does not report ----

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

// One clip for each <animation_clip>, each from a reading of its own; without any, one for all animations.
Status convert_collada_clips(Conversion& conversion, std::span<const std::byte> file) {
  const std::string_view document = dermis::text_of(file);
  const Result<ColladaClips> clips = read_collada_clips(document);
  if (!clips) {
    convert_clips(conversion);
    if (conversion.character.clips.size() > 1) {
      conversion.note(Note::Kind::guess, "clips-split",
                      fmt::format("the document's animations were read as {} clips, although they may belong "
                                  "together: {}",
                                  conversion.character.clips.size(), clips.error().sentence));
    }
    return Done{};
  }
  if (clips->clips.empty()) {
    // The name of one of many is not that of all.
    ColladaClip whole;
    whole.name = clips->animations.size() == 1 ? clips->animations[0].name : "animation";
    convert_whole_clip(conversion, conversion.scene, whole);
    return Done{};
  }
  for (std::size_t c = 0; c < clips->clips.size(); ++c) {
    Assimp::Importer importer;
    const std::string text = with_joined_animations(document, *clips, c);
    const auto bytes = bytes_of(text);
    const Result<const aiScene*> scene = read_document(importer, bytes, conversion.origin.extension);
    if (!scene) return scene.error();
    convert_whole_clip(conversion, **scene, clips->clips[c]);
  }
  if (const std::size_t unused = unused_animations(*clips); unused > 0) {
    conversion.note(
        Note::Kind::loss, "animations-without-clip",
        fmt::format("{} animations belong to none of the document's clips, and were left out", unused));
  }
  return Done{};
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
  if (input.extension == ".dae") {
    const std::string_view document = dermis::text_of(input.bytes);
    if (const auto clips = read_collada_clips(document)) {
      const std::size_t wanted = clips->clips.empty() ? kEveryAnimation : kNoAnimation;
      const std::string text = with_joined_animations(document, *clips, wanted);
      return read_document(importer, bytes_of(text), input.extension);
    }
  }
  const aiScene* scene = nullptr;
  if (input.path.empty()) {
    scene =
        importer.ReadFileFromMemory(input.bytes.data(), input.bytes.size(), 0, input.extension.c_str() + 1);
  } else {
    importer.SetIOHandler(new FolderOnly(folder_of(input.path)));  // the importer owns it
    scene = importer.ReadFile(input.path, 0);
  }
  return checked(importer, scene, input.bytes, input.extension);
}

Result<Imported> convert_scene(const aiScene& scene, const Origin& origin, std::span<const std::byte> file) {
  Conversion conversion{scene, origin, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  conversion.character.name = origin.name;
  pair_fbx(conversion, file);
  convert_nodes(conversion);
  convert_materials(conversion);
  if (Status good = convert_meshes(conversion); !good) return good.error();
  drop_unplaced_pictures(conversion);
  if (origin.is_collada()) {
    if (Status good = convert_collada_clips(conversion, file); !good) return good.error();
  } else {
    convert_clips(conversion);
  }
  note_skinning(conversion);
  note_left_out(conversion);
  if (conversion.character.nodes.empty()) return Error{Errc::bad_file, "there is nothing in it"};
  return Imported{std::move(conversion.character), std::move(conversion.notes)};
}

}  // namespace dermis::import
