// SPDX-License-Identifier: MIT
// What an Asset keeps of the file it came from, by format.
#pragma once

#include <variant>

#include "dermis/io.h"
#include "io/bvh/document.h"
#include "io/gltf/document.h"
#include "io/obj/obj.h"

namespace dermis {

class SourceDocument {
 public:
  std::variant<GltfDocument, BvhDocument, ObjDocument> of;
};

// The glTF document behind an asset, or null.
inline const GltfDocument* gltf_of(const Asset& asset) {
  return asset.source == nullptr ? nullptr : std::get_if<GltfDocument>(&asset.source->of);
}

// The BVH document behind an asset, or null.
inline const BvhDocument* bvh_of(const Asset& asset) {
  return asset.source == nullptr ? nullptr : std::get_if<BvhDocument>(&asset.source->of);
}

// What is kept of the OBJ behind an asset, or null.
inline const ObjDocument* obj_of(const Asset& asset) {
  return asset.source == nullptr ? nullptr : std::get_if<ObjDocument>(&asset.source->of);
}

}  // namespace dermis
