// SPDX-License-Identifier: MIT
// The records of an FBX from anyone: a tree whose values and arrays can all be read, or an Error.
#include <cstdlib>

#include "io/import/fbx_scene.h"
#include "io/import/fbx_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostNumbers = 4096;
  const std::span<const std::byte> file{reinterpret_cast<const std::byte*>(data), size};
  const dermis::Result<dermis::FbxTree> tree = dermis::read_fbx_tree(file);
  if (tree) {
    // A record takes at least two bytes.
    if (tree->records.size() > size + 1) std::abort();
    for (dermis::Index r = 0; r < static_cast<dermis::Index>(tree->records.size()); ++r) {
      if (tree->values(r, 16).size() > 16) std::abort();
      const auto numbers = tree->numbers(r, kMostNumbers);
      if (numbers && numbers->size() > kMostNumbers) std::abort();
    }
  }
  const dermis::Result<dermis::FbxScene> scene = dermis::read_fbx_scene(file);
  if (!scene) return 0;
  for (const dermis::FbxModel& model : scene->models) {
    for (const dermis::Index child : model.children) {
      if (child < 0 || static_cast<std::size_t>(child) >= scene->models.size()) std::abort();
    }
    static_cast<void>(parent_from_model(model.place));
  }
  return 0;
}
