// SPDX-License-Identifier: MIT
// Reading a file with assimp: settings that keep what the file has, and no access to files outside its
// folder.
#pragma once

#include <assimp/Importer.hpp>
#include <string>

#include "conversion.h"
#include "io/file.h"

namespace dermis::import {

struct Input {
  std::string path;  // empty: `bytes` are the file
  Bytes bytes;
  std::string extension;  // ".fbx", lower case
};

// The scene belongs to `importer`. The sentence of an error says what to do, with assimp's
// words in parentheses.
Result<const aiScene*> read_scene(Assimp::Importer& importer, const Input& input);

// The whole character. Notes list what assimp does not report for such files.
struct Imported {
  Character character;
  Notes notes;
};
Result<Imported> convert_scene(const aiScene& scene, const Origin& origin, std::span<const std::byte> file);

}  // namespace dermis::import
