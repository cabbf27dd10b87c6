// SPDX-License-Identifier: MIT
// Nodes of an assimp scene, with the file's axes turned to +Y up and its unit stated.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "conversion.h"

namespace dermis::import {
namespace {

// A transform this close to its translation, rotation and scale has no shear; relative to its largest entry.
constexpr double kShearTolerance = 1e-5;
constexpr double kUnitTolerance = 1e-6;
// FBX uses centimetres.
constexpr double kMetresPerFbxUnit = 0.01;

double largest_entry(const Affined& a) {
  double largest = 0;
  for (const Vec3d& column : {a.linear.x, a.linear.y, a.linear.z})
    largest = std::max({largest, std::abs(column.x), std::abs(column.y), std::abs(column.z)});
  return largest;
}

// The number called `key`, of whichever type the importer chose.
double metadata(const aiScene& scene, const char* key, double otherwise) {
  if (scene.mMetaData == nullptr) return otherwise;
  for (unsigned k = 0; k < scene.mMetaData->mNumProperties; ++k) {
    const aiMetadataEntry& entry = scene.mMetaData->mValues[k];
    if (text_of(scene.mMetaData->mKeys[k]) != key || entry.mData == nullptr) continue;
    if (entry.mType == AI_INT32) return *static_cast<const std::int32_t*>(entry.mData);
    if (entry.mType == AI_FLOAT) return static_cast<double>(*static_cast<const float*>(entry.mData));
    if (entry.mType == AI_DOUBLE) return *static_cast<const double*>(entry.mData);
  }
  return otherwise;
}

// Units pass through float in assimp: 0.0254 becomes 0.0253999997.
double without_float_noise(double number) { return std::stod(fmt::format("{:.6g}", number)); }

// Maps the axes an FBX states to x right, y up, z to the front.
Mat3d fbx_turn(Conversion& conversion) {
  const auto axis = [&](const char* key, int otherwise) -> Vec3d {
    const auto number = static_cast<int>(metadata(conversion.scene, key, otherwise));
    const double sign = metadata(conversion.scene, (std::string(key) + "Sign").c_str(), 1) < 0 ? -1 : 1;
    return {number == 0 ? sign : 0, number == 1 ? sign : 0, number == 2 ? sign : 0};
  };
  const Mat3d turn = transposed(Mat3d{axis("CoordAxis", 0), axis("UpAxis", 1), axis("FrontAxis", 2)});
  if (std::abs(determinant(turn) - 1) < 0.5) return turn;
  conversion.note(Note::Kind::guess, "axes-contradict",
                  "the axes that the file states are not a right-handed frame; +Y up is assumed");
  return Mat3d{};
}

Mat3d turn_from_z_up() { return Mat3d{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}; }

// The unit, and the turn above the root.
Affined frame_of_scene(Conversion& conversion, Affined& root) {
  Character& character = conversion.character;
  Mat3d turn;
  if (conversion.origin.is_fbx()) {
    const double factor = metadata(conversion.scene, "UnitScaleFactor", 1);
    const bool is_good = std::isfinite(factor) && factor > 0;
    character.metres_per_unit = without_float_noise(kMetresPerFbxUnit * (is_good ? factor : 1));
    turn = fbx_turn(conversion);
  } else if (conversion.origin.is_collada()) {
    // assimp puts the unit into the root as a scale; lengths must stay in the file's unit.
    const double scale = std::cbrt(determinant(root.linear));
    if (std::isfinite(scale) && scale > 0 && std::abs(scale - 1) > kUnitTolerance) {
      character.metres_per_unit = without_float_noise(scale);
      root = Affined(diagonal(Vec3d{1 / scale, 1 / scale, 1 / scale}), {}) * root;
    }
    if (!conversion.origin.states_up && conversion.origin.up == UpAxis::z) turn = turn_from_z_up();
  } else {
    character.is_unit_guessed = true;
    // Blender is always Z up, and assimp leaves it so; it turns the other formats itself if it knows their
    // axes.
    const bool is_z_up = conversion.origin.extension == ".blend" && conversion.origin.up != UpAxis::y;
    if (is_z_up || conversion.origin.up == UpAxis::z) turn = turn_from_z_up();
  }
  const bool is_stated =
      conversion.origin.is_fbx() || (conversion.origin.is_collada() && conversion.origin.states_up);
  if (is_stated && conversion.origin.up != UpAxis::guess)
    conversion.note(Note::Kind::info, kUpNotUsed, kUpNotUsedWords);
  if (turn != Mat3d{} || max_difference(Affined(root.linear, {}), {}) > kUnitTolerance)
    conversion.note(Note::Kind::info, "axes-turned",
                    "the up axis of the file is not +Y; its root was rotated");
  return {turn, {}};
}

Node node_of(Conversion& conversion, std::string name, Index parent, const Affined& local) {
  Node node;
  node.name = std::move(name);
  node.parent = parent;
  if (!is_finite(local)) {
    conversion.note(Note::Kind::repair, "node-not-finite",
                    fmt::format("node {} has a matrix that is not finite; the matrix was left out",
                                quoted_name(node.name)));
    return node;
  }
  node.rest = transform_from_affine(local);
  const double error = max_difference(affine_from_transform(node.rest), local);
  if (error > kShearTolerance * std::max(largest_entry(local), length(local.translation)))
    node.rest_matrix = Affine(local);
  return node;
}

// Names of joints; with channels, also names of animated nodes.
std::set<std::string> names_in_use(const aiScene& scene, bool with_channels) {
  std::set<std::string> names;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    for (unsigned b = 0; b < scene.mMeshes[m]->mNumBones; ++b)
      names.insert(text_of(scene.mMeshes[m]->mBones[b]->mName));
  }
  for (unsigned a = 0; with_channels && a < scene.mNumAnimations; ++a) {
    for (unsigned c = 0; c < scene.mAnimations[a]->mNumChannels; ++c)
      names.insert(text_of(scene.mAnimations[a]->mChannels[c]->mNodeName));
  }
  return names;
}

bool has_joint_below(const aiNode& top, const std::set<std::string>& joints) {
  std::vector<const aiNode*> waiting{&top};
  while (!waiting.empty()) {
    const aiNode& node = *waiting.back();
    waiting.pop_back();
    if (joints.contains(text_of(node.mName))) return true;
    waiting.insert(waiting.end(), node.mChildren, node.mChildren + node.mNumChildren);
  }
  return false;
}

// True for a root that assimp put above the file's nodes and that does nothing. It stays if it joins the
// joints of one skeleton: glTF requires a common root.
bool is_idle_root(const aiScene& scene, const Affined& local) {
  const aiNode& root = *scene.mRootNode;
  if (local != Affined{} || root.mNumMeshes > 0 || root.mNumChildren == 0) return false;
  if (names_in_use(scene, true).contains(text_of(root.mName))) return false;
  const std::set<std::string> joints = names_in_use(scene, false);
  const auto count = std::count_if(root.mChildren, root.mChildren + root.mNumChildren,
                                   [&](const aiNode* child) { return has_joint_below(*child, joints); });
  return count <= 1;
}

Index add_node(Conversion& conversion, Node node) {
  const auto index = static_cast<Index>(conversion.character.nodes.size());
  conversion.node_by_name.try_emplace(node.name, index);
  ++conversion.name_count[node.name];
  conversion.character.nodes.push_back(std::move(node));
  return index;
}

// assimp folds geometric transforms into FBX nodes, where they would move the children too, and turns the
// wrong way by post-rotations; so the file's own values count.
Affined local_of(const Conversion& conversion, const aiNode& node) {
  if (!conversion.fbx) return affine_of(node.mTransformation);
  const Index model = conversion.fbx->model_of.at(&node);
  return parent_from_model(conversion.fbx->scene.models[static_cast<std::size_t>(model)].place);
}

// A model may be below several parents; the first is the joint.
void remember_model(Conversion& conversion, const aiNode& node, Index index) {
  if (!conversion.fbx) return;
  const auto found = conversion.fbx->model_of.find(&node);
  if (found == conversion.fbx->model_of.end()) return;  // the root
  Index& known = conversion.fbx->node_of[static_cast<std::size_t>(found->second)];
  if (known == kNone) known = index;
  conversion.fbx->model_of_node[index] = found->second;
}

// A joint without a node gets its bind pose, so that it moves nothing.
void add_missing_joints(Conversion& conversion) {
  for (unsigned m = 0; m < conversion.scene.mNumMeshes; ++m) {
    const aiMesh& mesh = *conversion.scene.mMeshes[m];
    for (unsigned b = 0; b < mesh.mNumBones; ++b) {
      const std::string name = text_of(mesh.mBones[b]->mName);
      if (conversion.node_by_name.contains(name)) continue;
      const Affined bind = inverse(affine_of(mesh.mBones[b]->mOffsetMatrix));
      conversion.note(Note::Kind::repair, "joint-without-node",
                      fmt::format("joint {} has no node; it stays in its bind pose", quoted_name(name)));
      add_node(conversion, node_of(conversion, name, kNone, bind));
    }
  }
}

}  // namespace

Affined affine_of(const aiMatrix4x4& m) {
  return Affined(Affine({{m.a1, m.b1, m.c1}, {m.a2, m.b2, m.c2}, {m.a3, m.b3, m.c3}}, {m.a4, m.b4, m.c4}));
}

void convert_nodes(Conversion& conversion) {
  const aiNode& root = *conversion.scene.mRootNode;
  Affined root_local = affine_of(root.mTransformation);
  root_local = frame_of_scene(conversion, root_local) * root_local;
  const bool is_idle = is_idle_root(conversion.scene, root_local);
  struct Visit {
    const aiNode* node;
    Index parent;
  };
  std::vector<Visit> waiting{{&root, kNone}};
  while (!waiting.empty()) {
    const auto [node, parent] = waiting.back();
    waiting.pop_back();
    Index index = kNone;
    if (node != &root || !is_idle) {
      const Affined local = node == &root ? root_local : local_of(conversion, *node);
      index = add_node(conversion, node_of(conversion, text_of(node->mName), parent, local));
      remember_model(conversion, *node, index);
      if (node->mNumMeshes > 0) conversion.nodes_with_meshes.emplace_back(index, node);
    }
    for (unsigned c = node->mNumChildren; c-- > 0;) waiting.push_back({node->mChildren[c], index});
  }
  add_missing_joints(conversion);
}

}  // namespace dermis::import
