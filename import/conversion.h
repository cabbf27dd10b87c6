// SPDX-License-Identifier: MIT
// The conversion of an assimp scene to a character, step by step.
#pragma once

#include <assimp/scene.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dermis/io.h"
#include "dermis/model.h"
#include "io/figure.h"

namespace dermis::import {

// The source of the scene, as far as assimp does not state it.
struct Origin {
  std::string name;       // of the character
  std::string folder;     // that may hold pictures; empty: none
  std::string extension;  // ".fbx", lower case
  UpAxis up = UpAxis::guess;
  bool states_up = true;  // FBX and Collada: the file states its up axis
  bool is_fbx() const { return extension == ".fbx"; }
  bool is_collada() const { return extension == ".dae" || extension == ".zae"; }
};

// Everything the steps below share. Each fills its part of the character; they run in the order below.
struct Conversion {
  const aiScene& scene;
  const Origin& origin;
  Character character;
  Notes notes;

  std::unordered_map<std::string, Index> node_by_name;  // the first of its name
  std::unordered_map<std::string, int> name_count;
  std::vector<std::pair<Index, const aiNode*>> nodes_with_meshes;  // in node order
  std::vector<Index> material_of;                                  // for each material of the scene, or kNone
  // For each instance, which shape each channel of a blend drives.
  std::vector<std::vector<Index>> shape_of_channel;

  void note(Note::Kind kind, const char* id, std::string sentence, Remedies remedies = {}) {
    notes.push_back({kind, id, std::move(sentence), "", -1, -1, 0, std::move(remedies)});
  }
};

// Nodes, axes and unit. Joints of skins that have no node get one.
void convert_nodes(Conversion& conversion);
void convert_materials(Conversion& conversion);
// Meshes, skins and instances.
Status convert_meshes(Conversion& conversion);
// Pictures projected onto meshes without texture coordinates, which glTF cannot express.
void drop_unplaced_pictures(Conversion& conversion);
void convert_clips(Conversion& conversion);

inline std::string text_of(const aiString& text) { return {text.data, text.length}; }
inline Vec3 vector_of(const aiVector3D& v) { return {v.x, v.y, v.z}; }
Affined affine_of(const aiMatrix4x4& matrix);

}  // namespace dermis::import
