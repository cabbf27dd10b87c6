// SPDX-License-Identifier: MIT
// What an Asset keeps of its source file, by format.
#pragma once

#include <variant>

#include "dermis/io.h"
#include "io/bvh/document.h"
#include "io/fingerprint.h"
#include "io/gltf/document.h"
#include "io/obj/obj.h"

namespace dermis {

// A glTF document and the fingerprints of the loaded parts.
struct GltfSource {
  GltfDocument document;
  CharacterPrint given;
};

class SourceDocument {
 public:
  std::variant<GltfSource, BvhDocument, ObjDocument> of;
};

// The source glTF document of an asset, or null.
inline const GltfSource* gltf_of(const Asset& asset) {
  return asset.source == nullptr ? nullptr : std::get_if<GltfSource>(&asset.source->of);
}

// The source BVH document of an asset whose nodes and clips have not changed since loading, or null.
inline const BvhDocument* unchanged_bvh_of(const Asset& asset) {
  const BvhDocument* bvh = asset.source == nullptr ? nullptr : std::get_if<BvhDocument>(&asset.source->of);
  return bvh != nullptr && bvh->given == motion_print(asset.character) ? bvh : nullptr;
}

// What is kept of an asset's source OBJ, or null.
inline const ObjDocument* obj_of(const Asset& asset) {
  return asset.source == nullptr ? nullptr : std::get_if<ObjDocument>(&asset.source->of);
}

}  // namespace dermis
