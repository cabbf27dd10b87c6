// SPDX-License-Identifier: MIT
// Pairs assimp's nodes and bones with the models and clusters of the FBX, and takes from the file what assimp
// changes: where models stand, how their meshes sit on them, and which joint holds a mesh from where.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conversion.h"

namespace dermis::import {
namespace {

// A mesh that moved less than this since it was bound, relative to its size, was not moved: exporters write
// matrices with six digits.
constexpr double kMovedSinceBind = 1e-3;

// Both trees list children in the order of the connections, so they are walked side by side; names confirm
// it. False if they differ anywhere.
bool pair_trees(const aiNode& root, FbxPairing& pairing) {
  struct Visit {
    const aiNode* node;
    const std::vector<Index>* models;
  };
  std::vector<Visit> waiting{{&root, &pairing.scene.roots}};
  while (!waiting.empty()) {
    const auto [node, models] = waiting.back();
    waiting.pop_back();
    if (node->mNumChildren != models->size()) return false;
    for (unsigned c = 0; c < node->mNumChildren; ++c) {
      const Index m = (*models)[c];
      const FbxModel& model = pairing.scene.models[static_cast<std::size_t>(m)];
      if (text_of(node->mChildren[c]->mName) != model.name) return false;
      pairing.model_of[node->mChildren[c]] = m;
      waiting.push_back({node->mChildren[c], &model.children});
    }
  }
  return true;
}

void note_unpaired(Conversion& conversion, const std::string& why) {
  conversion.note(Note::Kind::guess, "fbx-by-assimp",
                  fmt::format("{}; nodes and skins are as assimp reads them, which is wrong for meshes with "
                              "geometric transforms: compare with the program that made the file",
                              why));
}

void note_places(Conversion& conversion) {
  std::size_t spheric = 0, uneven = 0;
  std::string example;
  for (const FbxModel& model : conversion.fbx->scene.models) {
    spheric += model.place.has_spheric_order ? 1 : 0;
    uneven += model.is_scale_uninherited ? 1 : 0;
    if (example.empty() && (model.place.has_spheric_order || model.is_scale_uninherited))
      example = model.name;
  }
  if (spheric + uneven == 0) return;
  conversion.note(Note::Kind::loss, "fbx-places",
                  fmt::format("{} nodes ({}) ask for a rotation order that is not one of the six, or for not "
                              "inheriting an uneven scale; XYZ is used, and the scale inherited",
                              spheric + uneven, quoted_name(example)));
}

Affined scene_from_model(const FbxScene& scene, Index model) {
  Affined place;
  // A parent that is its own ancestor would never end.
  for (std::size_t steps = 0; model != kNone && steps < scene.models.size(); ++steps) {
    const FbxModel& at = scene.models[static_cast<std::size_t>(model)];
    place = parent_from_model(at.place) * place;
    model = at.parent;
  }
  return place;
}

// The clusters that assimp turned into these bones, in order; nullopt if they are not among `clusters`.
// assimp leaves out clusters that it cannot read.
std::optional<std::vector<const FbxCluster*>> clusters_of(const FbxScene& scene, const aiMesh& mesh,
                                                          const std::vector<FbxCluster>& clusters) {
  std::vector<const FbxCluster*> found;
  for (const FbxCluster& cluster : clusters) {
    if (found.size() == mesh.mNumBones || cluster.joint == kNone) continue;
    if (text_of(mesh.mBones[found.size()]->mName) ==
        scene.models[static_cast<std::size_t>(cluster.joint)].name)
      found.push_back(&cluster);
  }
  if (found.size() != mesh.mNumBones) return std::nullopt;
  return found;
}

Box box_of(const aiMesh& mesh) {
  Box box;
  for (unsigned v = 0; v < mesh.mNumVertices; ++v) box.add(Vec3d(vector_of(mesh.mVertices[v])));
  return box;
}

// How far the corners of a box are from where they were, relative to its diagonal.
double moved_since_bind(const Box& box, const Affined& bound, const Affined& now) {
  if (box.is_empty()) return 0;
  Box bound_box;
  double furthest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3d p{(corner & 1) != 0 ? box.lower.x : box.upper.x,
                  (corner & 2) != 0 ? box.lower.y : box.upper.y,
                  (corner & 4) != 0 ? box.lower.z : box.upper.z};
    bound_box.add(bound * p);
    furthest = std::max(furthest, length(bound * p - now * p));
  }
  return bound_box.diagonal() > 0 ? furthest / bound_box.diagonal() : 0;
}

struct PairedSkin {
  const FbxSkin* skin = nullptr;
  std::vector<const FbxCluster*> clusters;  // of each bone
  bool is_one_of_several = false;
};

// The skin that assimp turned into the bones of this mesh; nullopt if the file has none like it.
std::optional<PairedSkin> pair_skin(const FbxScene& scene, const FbxModel& model, const aiMesh& mesh) {
  for (const Index m : model.meshes) {
    const std::vector<Index>& skins = scene.meshes[static_cast<std::size_t>(m)].skins;
    if (skins.empty()) continue;
    // assimp takes the last skin of a mesh.
    const FbxSkin& skin = scene.skins[static_cast<std::size_t>(skins.back())];
    if (auto clusters = clusters_of(scene, mesh, skin.clusters))
      return PairedSkin{&skin, std::move(*clusters), skins.size() > 1};
  }
  return std::nullopt;
}

// What a user should know about how a mesh is bound.
struct BindFaults {
  std::size_t lost = 0, guessed = 0;
  bool is_one_of_several = false, is_additive = false;
  double moved = 0;
};

void note_bind(Conversion& conversion, const std::string& node, const BindFaults& faults) {
  // assimp splits meshes by material, and every piece has the same joints.
  if (!conversion.fbx->noted.insert(node).second) return;
  const std::string mesh = quoted_name(node);
  if (faults.is_one_of_several) {
    conversion.note(Note::Kind::loss, "skins-several",
                    fmt::format("mesh {} has several skins; only the last was read", mesh));
  }
  if (faults.is_additive) {
    conversion.note(Note::Kind::loss, "clusters-additive",
                    fmt::format("mesh {} has joints that add their motion to that of others; they were read "
                                "as ordinary joints",
                                mesh));
  }
  if (faults.lost > 0) {
    conversion.note(Note::Kind::loss, "clusters-lost",
                    fmt::format("mesh {}: the weights of {} joints were not read, because another joint has "
                                "their name or their bind transforms are missing",
                                mesh, faults.lost));
  }
  if (faults.guessed > 0) {
    conversion.note(Note::Kind::guess, "bind-transform-guessed",
                    fmt::format("mesh {}: {} joints do not state where the mesh was when it was bound; its "
                                "present place is used",
                                mesh, faults.guessed));
  }
  if (faults.moved > kMovedSinceBind) {
    conversion.note(
        Note::Kind::info, "moved-since-bind",
        fmt::format("mesh {} was moved after it was bound, by {:.3g} of its size; it is where its "
                    "joints hold it, although some viewers show it where its node is",
                    mesh, faults.moved));
  }
}

}  // namespace

void pair_fbx(Conversion& conversion, std::span<const std::byte> file) {
  if (!conversion.origin.is_fbx()) return;
  Result<FbxScene> scene = read_fbx_scene(file);
  if (!scene) return note_unpaired(conversion, scene.error().sentence);
  FbxPairing pairing{std::move(*scene), {}, {}, {}, {}};
  if (!pair_trees(*conversion.scene.mRootNode, pairing))
    return note_unpaired(conversion, "the nodes that assimp reports are not those of the file");
  pairing.node_of.assign(pairing.scene.models.size(), kNone);
  conversion.fbx = std::move(pairing);
  note_places(conversion);
}

Affined geometry_of(const Conversion& conversion, const aiNode& node) {
  if (!conversion.fbx) return {};
  const auto model = conversion.fbx->model_of.find(&node);
  if (model == conversion.fbx->model_of.end()) return {};
  return model_from_geometry(conversion.fbx->scene.models[static_cast<std::size_t>(model->second)].place);
}

const std::vector<FbxShapeChannel>* channels_of_node(const Conversion& conversion, const aiNode& node,
                                                     std::size_t shape_count) {
  if (!conversion.fbx) return nullptr;
  const auto model = conversion.fbx->model_of.find(&node);
  if (model == conversion.fbx->model_of.end()) return nullptr;
  const FbxScene& scene = conversion.fbx->scene;
  for (const Index mesh : scene.models[static_cast<std::size_t>(model->second)].meshes) {
    const std::vector<FbxShapeChannel>& channels = scene.meshes[static_cast<std::size_t>(mesh)].channels;
    std::size_t count = 0;
    for (const FbxShapeChannel& channel : channels) count += channel.shape_count;
    if (count == shape_count && !channels.empty()) return &channels;
  }
  return nullptr;
}

std::vector<BoundBone> bind_bones(Conversion& conversion, const aiNode& node, const aiMesh& mesh) {
  std::vector<BoundBone> bones;
  for (unsigned b = 0; b < mesh.mNumBones; ++b) {
    const aiBone& bone = *mesh.mBones[b];
    bones.push_back(
        {&bone, conversion.node_by_name.at(text_of(bone.mName)), Affine(affine_of(bone.mOffsetMatrix))});
  }
  if (!conversion.fbx || bones.empty()) return bones;
  const FbxScene& scene = conversion.fbx->scene;
  const Index model = conversion.fbx->model_of.at(&node);
  const auto paired = pair_skin(scene, scene.models[static_cast<std::size_t>(model)], mesh);
  if (!paired) {
    note_unpaired(conversion, fmt::format("the joints of mesh {} are not those of the file",
                                          quoted_name(text_of(node.mName))));
    return bones;
  }

  const Affined now = scene_from_model(scene, model), geometry = geometry_of(conversion, node);
  const Box box = box_of(mesh);
  BindFaults faults;
  faults.lost = paired->skin->clusters.size() - bones.size();
  faults.is_one_of_several = paired->is_one_of_several;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const FbxCluster& cluster = *paired->clusters[b];
    const Index joint = conversion.fbx->node_of[static_cast<std::size_t>(cluster.joint)];
    if (joint != kNone) bones[b].node = joint;
    faults.is_additive = faults.is_additive || cluster.is_additive;
    // Two joints of one name: assimp repeats the first, with its weights.
    if (std::find(mesh.mBones, mesh.mBones + b, bones[b].bone) != mesh.mBones + b) {
      bones[b].bone = nullptr;
      ++faults.lost;
    } else if (cluster.has_transform) {
      bones[b].inverse_bind = Affine(cluster.joint_from_model);
      const Affined bound = cluster.scene_from_joint * cluster.joint_from_model;
      if (cluster.has_link)
        faults.moved = std::max(faults.moved, moved_since_bind(box, bound * geometry, now * geometry));
    } else {
      ++faults.guessed;
      if (cluster.has_link) bones[b].inverse_bind = Affine(inverse(cluster.scene_from_joint) * now);
    }
  }
  std::erase_if(bones, [](const BoundBone& bone) { return bone.bone == nullptr; });
  note_bind(conversion, text_of(node.mName), faults);
  return bones;
}

}  // namespace dermis::import
