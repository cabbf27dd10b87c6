// SPDX-License-Identifier: MIT
// How an FBX places its models and binds its meshes: the part of the file that assimp changes or leaves out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// The values that place a model, as the file states them. Angles are in degrees.
struct FbxPlace {
  Vec3d translation, rotation, scaling{1, 1, 1};
  Vec3d pre_rotation, post_rotation;
  Vec3d rotation_offset, rotation_pivot, scaling_offset, scaling_pivot;
  Vec3d geometric_translation, geometric_rotation, geometric_scaling{1, 1, 1};
  EulerOrder rotation_order = EulerOrder::zyx;  // of `rotation` only: the others are "XYZ", Rz * Ry * Rx
  bool has_spheric_order = false;               // an order that nobody evaluates; XYZ is used
  // Multiplies the model's own scale: 1 / the parent's scale if that is not inherited ("Rrs"), 1 otherwise.
  Vec3d parent_scale_undone{1, 1, 1};
};

// Translation, rotation and scale of a model below its parent for these values of the three curves that
// animate it; `rotation` is that of the curves alone. The formula of the FBX SDK:
// T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1.
struct FbxPose {
  Vec3d translation;
  Quatd rotation;
  Vec3d scale;
};
FbxPose pose_of(const FbxPlace& place, const Vec3d& translation, const Quatd& rotation, const Vec3d& scaling);
// The rotation of the curves alone, at rest.
Quatd curve_rotation(const FbxPlace& place);
Quatd post_rotation(const FbxPlace& place);
Affined parent_from_model(const FbxPlace& place);
// Moves the points of the model's meshes, but not its children.
Affined model_from_geometry(const FbxPlace& place);

// A joint's hold on a mesh.
struct FbxCluster {
  Index joint = kNone;       // model, or kNone
  Affined joint_from_model;  // when it was bound: `Transform`
  Affined scene_from_joint;  // when it was bound: `TransformLink`
  bool has_transform = false, has_link = false;
  bool is_additive = false;  // a mode in which weights move points on top of other motion
};

struct FbxSkin {
  std::string type;  // "Linear", "DualQuaternion", "Blend", "Rigid"; empty: not stated
  std::vector<FbxCluster> clusters;
};

// A weight that moves the points of a mesh by way of one or several shapes.
struct FbxShapeChannel {
  std::string name;
  double percent = 0;                 // its weight at rest
  std::vector<double> full_percents;  // at which each of its shapes is shown alone; increasing
  std::size_t shape_count = 0;
};

struct FbxModel {
  std::string name;
  FbxPlace place;
  Index parent = kNone;               // the first one
  std::vector<Index> children;        // in the order of their connections
  std::vector<Index> meshes;          // connected to it
  bool is_scale_uninherited = false;  // the parent's scale, which is uneven, should not be inherited
};

// A file may list one mesh or skin many times, so both are stored once.
struct FbxMesh {
  std::vector<Index> skins;
  std::vector<FbxShapeChannel> channels;  // of all its blend shapes, in the order of their connections
};

struct FbxScene {
  std::vector<FbxModel> models;  // in file order, like the others
  std::vector<FbxMesh> meshes;
  std::vector<FbxSkin> skins;
  std::vector<Index> roots;  // models without a parent, in the order of their connections
};

// Objects are identified by number, so versions before 7000, which assimp refuses anyway, are an error.
Result<FbxScene> read_fbx_scene(std::span<const std::byte> file);

}  // namespace dermis
