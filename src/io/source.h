// SPDX-License-Identifier: MIT
// What an Asset keeps of the file it came from, by format.
#pragma once

#include <variant>

#include "dermis/io.h"
#include "io/bvh/document.h"
#include "io/fingerprint.h"
#include "io/gltf/document.h"
#include "io/obj/obj.h"

namespace dermis {

// A glTF document and the fingerprints of what it gave.
struct GltfSource {
  GltfDocument document;
  CharacterPrint given;
};

class SourceDocument {
 public:
  std::variant<GltfSource, BvhDocument, ObjDocument> of;
};

// The glTF document behind an asset, or null.
inline const GltfSource* gltf_of(const Asset& asset) {
  return asset.source == nullptr ? nullptr : std::get_if<GltfSource>(&asset.source->of);
}

// The BVH document behind an asset whose nodes and clips are still those it gave, or null.
inline const BvhDocument* unchanged_bvh_of(const Asset& asset) {
  const BvhDocument* bvh = asset.source == nullptr ? nullptr : std::get_if<BvhDocument>(&asset.source->of);
  return bvh != nullptr && bvh->given == motion_print(asset.character) ? bvh : nullptr;
}

// What is kept of the OBJ behind an asset, or null.
inline const ObjDocument* obj_of(const Asset& asset) {
  return asset.source == nullptr ? nullptr : std::get_if<ObjDocument>(&asset.source->of);
}

}  // namespace dermis
