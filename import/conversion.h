// SPDX-License-Identifier: MIT
// The conversion of an assimp scene to a character, step by step.
#pragma once

#include <assimp/scene.h>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collada.h"
#include "dermis/io.h"
#include "dermis/model.h"
#include "io/figure.h"
#include "io/import/fbx_scene.h"

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

// The file's own records beside assimp's scene, if both have the same nodes.
struct FbxPairing {
  FbxScene scene;
  std::unordered_map<const aiNode*, Index> model_of;
  std::vector<Index> node_of;                      // for each model, its node, or kNone
  std::unordered_map<Index, Index> model_of_node;  // of the character
  std::set<std::string> noted;                     // nodes whose binding was noted
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
  // Likewise, the weight of that shape where the channel's is one.
  std::vector<std::vector<double>> factor_of_channel;
  std::optional<FbxPairing> fbx;  // FBX only

  void note(Note::Kind kind, const char* id, std::string sentence, Remedies remedies = {}) {
    notes.push_back({kind, id, std::move(sentence), "", -1, -1, 0, std::move(remedies)});
  }
};

// Fills `fbx`, or notes why it cannot.
void pair_fbx(Conversion& conversion, std::span<const std::byte> file);
// Nodes, axes and unit. Joints of skins that have no node get one.
void convert_nodes(Conversion& conversion);
void convert_materials(Conversion& conversion);
// Meshes, skins and instances.
Status convert_meshes(Conversion& conversion);
// Pictures projected onto meshes without texture coordinates, which glTF cannot express.
void drop_unplaced_pictures(Conversion& conversion);
void convert_clips(Conversion& conversion);
// Everything that `scene` animates, as one clip: `as` names it and says which part of it.
void convert_whole_clip(Conversion& conversion, const aiScene& scene, const ColladaClip& as);

// What moves the points of a node's meshes, but not its children; the identity unless the file is an FBX.
Affined geometry_of(const Conversion& conversion, const aiNode& node);
// The shape channels of the mesh that a node shows, if the file states them and their shapes are as many as
// assimp's; else null.
const std::vector<FbxShapeChannel>* channels_of_node(const Conversion& conversion, const aiNode& node,
                                                     std::size_t shape_count);

// The joints that hold a mesh, as the file connects them: by name only if it is not an FBX. A bone whose
// weights assimp does not report is left out, with a note.
struct BoundBone {
  const aiBone* bone;
  Index node;
  Affine inverse_bind;  // for points that geometry_of has moved
};
std::vector<BoundBone> bind_bones(Conversion& conversion, const aiNode& node, const aiMesh& mesh);

inline std::string text_of(const aiString& text) { return {text.data, text.length}; }
inline Vec3 vector_of(const aiVector3D& v) { return {v.x, v.y, v.z}; }
Affined affine_of(const aiMatrix4x4& matrix);

}  // namespace dermis::import
