// SPDX-License-Identifier: MIT
// Characters from formats that hold nothing but a surface.
#pragma once

#include <fmt/format.h>

#include <string>

#include "dermis/io.h"
#include "io/file.h"

namespace dermis {

// Puts `mesh`, which has its parts, under one node at the origin, welds it and checks everything. `asset` has
// the notes, materials and images so far.
inline Result<Asset> still_asset(Asset asset, Mesh mesh, const std::string& path) {
  Character& character = asset.character;
  character.name = stem_of(path);
  if (mesh.points.empty()) return Error{Errc::bad_file, fmt::format("{}: holds no points", path)};
  if (mesh.name.empty()) mesh.name = character.name;
  mesh.weld = weld_coincident(mesh.points);
  Node node;
  node.name = mesh.name;
  character.nodes.push_back(std::move(node));
  character.meshes.push_back(std::move(mesh));
  Instance instance;
  instance.node = instance.mesh = 0;
  character.instances.push_back(std::move(instance));
  if (Status valid = validate(character); !valid)
    return Error{valid.error().code, fmt::format("{}: {}", path, valid.error().sentence)};
  return asset;
}

}  // namespace dermis
