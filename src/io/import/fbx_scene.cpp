// SPDX-License-Identifier: MIT
// Models, skins and clusters of an FBX, joined by its connections.
#include "io/import/fbx_scene.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "io/import/fbx_tree.h"

namespace dermis {
namespace {

constexpr std::size_t kMatrixNumbers = 16;
// Of one channel: a few are usual.
constexpr std::size_t kMostShapes = 10000;
// Scales that agree to this are one scale.
constexpr double kEvenScale = 1e-5;
// The property InheritType: the parent's own scale is left out.
constexpr std::int64_t kInheritWithoutScale = 2;

// Angles in degrees, applied in the order that the FBX number stands for: XYZ turns about X first.
Quatd quat_from_degrees(const Vec3d& degrees, EulerOrder order) {
  const Vec3d angles{radians_from_degrees(degrees.x), radians_from_degrees(degrees.y),
                     radians_from_degrees(degrees.z)};
  const char* const axes = name_of(order);
  return quat_from_euler({angles[axes[0] - 'x'], angles[axes[1] - 'x'], angles[axes[2] - 'x']}, order);
}

constexpr EulerOrder kFixedOrder = EulerOrder::zyx;

Vec3d times(const Vec3d& a, const Vec3d& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

// ---- Records to objects ---------------------------------------------------------------------------------

// Binary files store "name\0\1Class", text files "Class::name".
std::string bare_name(std::string_view stored) {
  const std::size_t separator = stored.find(std::string_view("\0\1", 2));
  if (separator != std::string_view::npos) return std::string(stored.substr(0, separator));
  const std::size_t colons = stored.find("::");
  return std::string(colons == std::string_view::npos ? stored : stored.substr(colons + 2));
}

struct Connection {
  std::int64_t from, to;
};

class SceneReader {
 public:
  explicit SceneReader(const FbxTree& tree) : tree_(tree) {}

  FbxScene read() {
    const Index objects = tree_.child(0, "Objects");
    for (Index at = first_child(objects); at != kNone; at = record(at).next) add_object(at);
    const Index list = tree_.child(0, "Connections");
    for (Index at = first_child(list); at != kNone; at = record(at).next) add_connection(at);
    connect_models();
    connect_skins();
    connect_shapes();
    undo_parent_scales();
    return std::move(scene_);
  }

 private:
  const FbxRecord& record(Index at) const { return tree_.records[static_cast<std::size_t>(at)]; }
  Index first_child(Index at) const { return at == kNone ? kNone : record(at).first_child; }
  FbxModel& model(Index at) { return scene_.models[static_cast<std::size_t>(at)]; }

  void add_object(Index at) {
    const std::vector<FbxValue> head = tree_.values(at, 3);
    if (head.size() < 3) return;
    const std::int64_t id = head[0].whole;
    const std::string_view name = record(at).name, kind = head[2].text;
    if (name == "Model" && kind != "IKEffector" && kind != "FKEffector") {
      if (!model_of_.try_emplace(id, static_cast<Index>(scene_.models.size())).second) return;
      FbxModel& made = scene_.models.emplace_back();
      made.name = bare_name(head[1].text);
      inherit_type_.push_back(0);
      read_place(at, made.place, inherit_type_.back());
    } else if (name == "Geometry" && kind == "Mesh") {
      if (mesh_of_.try_emplace(id, static_cast<Index>(scene_.meshes.size())).second)
        scene_.meshes.emplace_back();
    } else if (name == "Deformer" && kind == "Skin") {
      if (!skin_of_.try_emplace(id, static_cast<Index>(scene_.skins.size())).second) return;
      FbxSkin& skin = scene_.skins.emplace_back();
      const std::vector<FbxValue> type = tree_.values(tree_.child(at, "SkinningType"), 1);
      if (!type.empty()) skin.type = std::string(type[0].text);
    } else if (name == "Deformer" && kind == "Cluster") {
      clusters_.try_emplace(id, cluster_of(at));
    } else if (name == "Deformer" && kind == "BlendShape") {
      channels_of_blend_.try_emplace(id);
    } else if (name == "Deformer" && kind == "BlendShapeChannel") {
      channels_.try_emplace(id, channel_of(at, head[1].text));
    } else if (name == "Geometry" && kind == "Shape") {
      shapes_.insert(id);
    }
  }

  // "P: name, type, label, flags, value..." below Properties70.
  void read_place(Index at, FbxPlace& place, std::int64_t& inherit_type) {
    const std::array<std::pair<std::string_view, Vec3d*>, 12> vectors{{
        {"Lcl Translation", &place.translation},
        {"Lcl Rotation", &place.rotation},
        {"Lcl Scaling", &place.scaling},
        {"PreRotation", &place.pre_rotation},
        {"PostRotation", &place.post_rotation},
        {"RotationOffset", &place.rotation_offset},
        {"RotationPivot", &place.rotation_pivot},
        {"ScalingOffset", &place.scaling_offset},
        {"ScalingPivot", &place.scaling_pivot},
        {"GeometricTranslation", &place.geometric_translation},
        {"GeometricRotation", &place.geometric_rotation},
        {"GeometricScaling", &place.geometric_scaling},
    }};
    // XYZ to ZYX, written as products.
    constexpr EulerOrder kOrders[] = {EulerOrder::zyx, EulerOrder::yzx, EulerOrder::xzy,
                                      EulerOrder::zxy, EulerOrder::yxz, EulerOrder::xyz};
    const Index list = tree_.child(at, "Properties70");
    for (Index p = first_child(list); p != kNone; p = record(p).next) {
      const std::vector<FbxValue> property = tree_.values(p, 7);
      if (property.size() < 5) continue;
      const std::string_view name = property[0].text;
      if (name == "RotationOrder") {
        const std::int64_t order = property[4].whole;
        place.has_spheric_order = order < 0 || order >= static_cast<std::int64_t>(std::size(kOrders));
        place.rotation_order = place.has_spheric_order ? kFixedOrder : kOrders[order];
      } else if (name == "InheritType") {
        inherit_type = property[4].whole;
      } else if (property.size() == 7) {
        for (const auto& [wanted, value] : vectors) {
          if (name == wanted) *value = {property[4].number, property[5].number, property[6].number};
        }
      }
    }
  }

  // Sixteen numbers, a column after another.
  bool read_matrix(Index at, std::string_view name, Affined& out) const {
    const auto m = tree_.numbers(tree_.child(at, name), kMatrixNumbers);
    if (!m || m->size() != kMatrixNumbers) return false;
    const auto column = [&](std::size_t c) -> Vec3d {
      return {(*m)[4 * c], (*m)[4 * c + 1], (*m)[4 * c + 2]};
    };
    out = Affined({column(0), column(1), column(2)}, column(3));
    return is_finite(out) && is_finite(inverse(out));
  }

  FbxCluster cluster_of(Index at) const {
    FbxCluster cluster;
    cluster.has_transform = read_matrix(at, "Transform", cluster.joint_from_model);
    cluster.has_link = read_matrix(at, "TransformLink", cluster.scene_from_joint);
    const std::vector<FbxValue> mode = tree_.values(tree_.child(at, "Mode"), 1);
    cluster.is_additive = !mode.empty() && mode[0].text == "Additive";
    return cluster;
  }

  FbxShapeChannel channel_of(Index at, std::string_view name) const {
    FbxShapeChannel channel;
    channel.name = bare_name(name);
    const std::vector<FbxValue> percent = tree_.values(tree_.child(at, "DeformPercent"), 1);
    if (!percent.empty() && std::isfinite(percent[0].number)) channel.percent = percent[0].number;
    channel.full_percents =
        tree_.numbers(tree_.child(at, "FullWeights"), kMostShapes).value_or(std::vector<double>());
    return channel;
  }

  // "C: "OO", from, to"; connections to properties do not matter here.
  void add_connection(Index at) {
    const std::vector<FbxValue> values = tree_.values(at, 3);
    if (values.size() < 3 || values[0].text != "OO") return;
    connections_.push_back({values[1].whole, values[2].whole});
  }

  void connect_models() {
    for (const Connection& connection : connections_) {
      const auto child = model_of_.find(connection.from);
      if (child == model_of_.end()) continue;
      if (connection.to == 0) {
        scene_.roots.push_back(child->second);
        continue;
      }
      const auto parent = model_of_.find(connection.to);
      if (parent == model_of_.end()) continue;
      model(parent->second).children.push_back(child->second);
      if (model(child->second).parent == kNone) model(child->second).parent = parent->second;
    }
  }

  // From below: joints to clusters, clusters to skins, skins to geometries, geometries to models. A
  // connection may stand before one that it builds on.
  void connect_skins() {
    for (const Connection& connection : connections_) {
      const auto joint = model_of_.find(connection.from);
      const auto cluster = clusters_.find(connection.to);
      if (joint != model_of_.end() && cluster != clusters_.end()) cluster->second.joint = joint->second;
    }
    for (const Connection& connection : connections_) {
      const auto cluster = clusters_.find(connection.from);
      const auto skin = skin_of_.find(connection.to);
      if (cluster != clusters_.end() && skin != skin_of_.end())
        scene_.skins[static_cast<std::size_t>(skin->second)].clusters.push_back(cluster->second);
    }
    for (const Connection& connection : connections_) {
      const auto skin = skin_of_.find(connection.from);
      const auto mesh = mesh_of_.find(connection.to);
      if (skin != skin_of_.end() && mesh != mesh_of_.end())
        scene_.meshes[static_cast<std::size_t>(mesh->second)].skins.push_back(skin->second);
    }
    for (const Connection& connection : connections_) {
      const auto mesh = mesh_of_.find(connection.from);
      const auto owner = model_of_.find(connection.to);
      if (mesh != mesh_of_.end() && owner != model_of_.end())
        model(owner->second).meshes.push_back(mesh->second);
    }
  }

  // From below: shapes to channels, channels to blend shapes, these to geometries.
  void connect_shapes() {
    for (const Connection& connection : connections_) {
      const auto channel = channels_.find(connection.to);
      if (channel != channels_.end() && shapes_.contains(connection.from)) ++channel->second.shape_count;
    }
    for (const Connection& connection : connections_) {
      const auto blend = channels_of_blend_.find(connection.to);
      if (blend != channels_of_blend_.end() && channels_.contains(connection.from))
        blend->second.push_back(connection.from);
    }
    for (const Connection& connection : connections_) {
      const auto blend = channels_of_blend_.find(connection.from);
      const auto mesh = mesh_of_.find(connection.to);
      if (blend == channels_of_blend_.end() || mesh == mesh_of_.end()) continue;
      for (const std::int64_t channel : blend->second)
        scene_.meshes[static_cast<std::size_t>(mesh->second)].channels.push_back(channels_.at(channel));
    }
  }

  // A scale that is the same along all axes commutes with rotations, so dividing by it undoes it.
  void undo_parent_scales() {
    for (std::size_t m = 0; m < scene_.models.size(); ++m) {
      FbxModel& made = scene_.models[m];
      if (inherit_type_[m] != kInheritWithoutScale || made.parent == kNone) continue;
      const Vec3d s = model(made.parent).place.scaling;
      const bool is_even = std::abs(s.x - s.y) <= kEvenScale * std::abs(s.x) &&
                           std::abs(s.x - s.z) <= kEvenScale * std::abs(s.x) && s.x != 0;
      if (is_even) made.place.parent_scale_undone = {1 / s.x, 1 / s.y, 1 / s.z};
      made.is_scale_uninherited = !is_even;
    }
  }

  const FbxTree& tree_;
  FbxScene scene_;
  std::vector<std::int64_t> inherit_type_;  // for each model
  std::vector<Connection> connections_;
  std::unordered_map<std::int64_t, Index> model_of_, mesh_of_, skin_of_;
  std::unordered_map<std::int64_t, FbxCluster> clusters_;
  std::unordered_map<std::int64_t, FbxShapeChannel> channels_;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> channels_of_blend_;
  std::unordered_set<std::int64_t> shapes_;
};

}  // namespace

Quatd curve_rotation(const FbxPlace& place) {
  return quat_from_degrees(place.rotation, place.rotation_order);
}

Quatd post_rotation(const FbxPlace& place) { return quat_from_degrees(place.post_rotation, kFixedOrder); }

FbxPose pose_of(const FbxPlace& place, const Vec3d& translation, const Quatd& rotation,
                const Vec3d& scaling) {
  FbxPose pose;
  pose.rotation =
      quat_from_degrees(place.pre_rotation, kFixedOrder) * rotation * conjugate(post_rotation(place));
  pose.scale = times(scaling, place.parent_scale_undone);
  const Vec3d turned =
      place.scaling_offset + place.scaling_pivot - times(scaling, place.scaling_pivot) - place.rotation_pivot;
  pose.translation =
      translation + place.rotation_offset + place.rotation_pivot + rotate(pose.rotation, turned);
  return pose;
}

Affined parent_from_model(const FbxPlace& place) {
  const FbxPose pose = pose_of(place, place.translation, curve_rotation(place), place.scaling);
  return {matrix_from_quat(pose.rotation) * diagonal(pose.scale), pose.translation};
}

Affined model_from_geometry(const FbxPlace& place) {
  return {matrix_from_quat(quat_from_degrees(place.geometric_rotation, kFixedOrder)) *
              diagonal(place.geometric_scaling),
          place.geometric_translation};
}

Result<FbxScene> read_fbx_scene(std::span<const std::byte> file) {
  return without_throwing("FBX", [&]() -> Result<FbxScene> {
    const Result<FbxTree> tree = read_fbx_tree(file);
    if (!tree) return tree.error();
    if (tree->version < 7000)
      return Error{Errc::unsupported, fmt::format("its FBX version is {}", tree->version)};
    return SceneReader(*tree).read();
  });
}

}  // namespace dermis
