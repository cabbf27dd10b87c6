// SPDX-License-Identifier: MIT
// A new glTF document for a character that did not come from one.
#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "io/gltf/builder.h"

namespace dermis {
namespace {

constexpr float kDefaultColour[] = {0.80f, 0.62f, 0.52f,
                                    1.0f};  // clay: lit from anywhere, its form can be read

bool is_per_point(const Mesh& mesh) {
  bool per_point = mesh.normals.is_per_point() && mesh.tangents.is_per_point();
  for (const auto& uvs : mesh.uvs) per_point = per_point && uvs.is_per_point();
  for (const auto& colours : mesh.colours) per_point = per_point && colours.is_per_point();
  return per_point;
}

// True when every polygon stays with the points of its own part, as a glTF primitive must.
bool has_closed_parts(const Mesh& mesh) {
  for (const MeshPart& part : mesh.parts) {
    for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p) {
      for (const Index v : mesh.polygons.polygon(static_cast<std::size_t>(p))) {
        if (v < part.first_point || v >= part.first_point + part.point_count) return false;
      }
    }
  }
  return true;
}

class CharacterWriter {
 public:
  CharacterWriter(const Character& character, const SaveOptions& options, Notes& notes)
      : character_(character), options_(options), notes_(notes), builder_(document_) {}

  Result<SourceDocument> write() {
    document_.json = {{"asset", {{"version", "2.0"}, {"generator", fmt::format("dermis {}", version())}}}};
    for (const Mesh& mesh : character_.meshes) {
      if (!is_per_point(mesh)) {
        return Error{Errc::unsupported,
                     fmt::format("mesh '{}' has attributes on corners, which glTF cannot hold", mesh.name)};
      }
      if (!has_closed_parts(mesh)) {
        return Error{
            Errc::unsupported,
            fmt::format("mesh '{}' has polygons across its parts, which glTF cannot hold", mesh.name)};
      }
    }
    write_nodes();
    write_meshes();
    write_skins();
    write_clips();
    write_controls();
    builder_.finish();
    return std::move(document_);
  }

 private:
  Json& json() { return document_.json; }

  void write_nodes() {
    Json nodes = Json::array(), roots = Json::array();
    for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
      nodes.push_back(node_json(character_.nodes[n]));
      if (character_.nodes[n].parent == kNone) roots.push_back(n);
    }
    for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
      const Index parent = character_.nodes[n].parent;
      if (parent != kNone) nodes[static_cast<std::size_t>(parent)]["children"].push_back(n);
    }
    for (const Instance& instance : character_.instances) {
      Json* node = &nodes[static_cast<std::size_t>(instance.node)];
      if (node->contains("mesh")) {  // a second mesh under one node hangs below it
        nodes[static_cast<std::size_t>(instance.node)]["children"].push_back(nodes.size());
        nodes.push_back(Json::object());
        node = &nodes.back();
        node_of_instance_.push_back(static_cast<Index>(nodes.size() - 1));
      } else {
        node_of_instance_.push_back(instance.node);
      }
      (*node)["mesh"] = instance.mesh;
      if (instance.skin != kNone) (*node)["skin"] = instance.skin;
      if (!instance.shape_weights.empty()) (*node)["weights"] = instance.shape_weights;
    }
    if (nodes.empty()) return;
    json()["scene"] = 0;
    json()["scenes"] = Json::array({{{"nodes", roots}}});
    if (!character_.name.empty()) json()["scenes"][0]["name"] = character_.name;
    json()["nodes"] = std::move(nodes);
  }

  static Json node_json(const Node& node) {
    Json json = Json::object();
    if (!node.name.empty()) json["name"] = node.name;
    if (node.rest_matrix) {
      const Mat3& m = node.rest_matrix->linear;
      const Vec3& t = node.rest_matrix->translation;
      json["matrix"] = {m.x.x, m.x.y, m.x.z, 0, m.y.x, m.y.y, m.y.z, 0,
                        m.z.x, m.z.y, m.z.z, 0, t.x,   t.y,   t.z,   1};
      return json;
    }
    const Transform& rest = node.rest;
    if (rest.translation != Vec3{})
      json["translation"] = {rest.translation.x, rest.translation.y, rest.translation.z};
    if (rest.rotation != Quat{})
      json["rotation"] = {rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w};
    if (rest.scale != Vec3{1, 1, 1}) json["scale"] = {rest.scale.x, rest.scale.y, rest.scale.z};
    return json;
  }

  void write_meshes() {
    for (const Mesh& mesh : character_.meshes) {
      Json mesh_json = Json::object();
      if (!mesh.name.empty()) mesh_json["name"] = mesh.name;
      mesh_json["primitives"] = Json::array();
      for (const MeshPart& part : mesh.parts) mesh_json["primitives"].push_back(primitive_json(mesh, part));
      for (const Shape& shape : mesh.shapes) mesh_json["extras"]["targetNames"].push_back(shape.name);
      gltf_list(document_, "meshes").push_back(std::move(mesh_json));
    }
  }

  Json primitive_json(const Mesh& mesh, const MeshPart& part) {
    Json attributes = {
        {"POSITION", builder_.add_floats(part_floats(mesh.points, part), 3, GltfTarget::vertices, true)}};
    const auto add = [&](const std::string& name, const auto& attribute, int components) {
      if (attribute.empty()) return;
      attributes[name] =
          builder_.add_floats(part_floats(attribute.values, part), components, GltfTarget::vertices);
    };
    add("NORMAL", mesh.normals, 3);
    add("TANGENT", mesh.tangents, 4);
    for (std::size_t set = 0; set < mesh.uvs.size(); ++set)
      add(fmt::format("TEXCOORD_{}", set), mesh.uvs[set], 2);
    for (std::size_t set = 0; set < mesh.colours.size(); ++set)
      add(fmt::format("COLOR_{}", set), mesh.colours[set], 4);
    if (!mesh.weights.empty()) {
      write_weight_sets(builder_, attributes, mesh.weights, static_cast<std::size_t>(part.first_point),
                        static_cast<std::size_t>(part.point_count), options_, notes_);
    }
    Json primitive = {{"attributes", std::move(attributes)}};
    if (part.polygon_count > 0) {
      primitive["indices"] =
          builder_.add_indices(part_triangles(mesh, part), static_cast<std::size_t>(part.point_count));
    } else {
      primitive["mode"] = 0;  // loose points
    }
    primitive["material"] = material_index(part.material);
    for (const Shape& shape : mesh.shapes) primitive["targets"].push_back(target_json(shape, part));
    return primitive;
  }

  Json target_json(const Shape& shape, const MeshPart& part) {
    std::vector<Index> points;
    std::vector<std::size_t> at;
    for (std::size_t k = 0; k < shape.points.size(); ++k) {
      const Index point = shape.points[k] - part.first_point;
      if (point < 0 || point >= part.point_count) continue;
      points.push_back(point);
      at.push_back(k);
    }
    const auto pick = [&](const std::vector<Vec3>& values) {
      std::vector<Vec3> picked;
      picked.reserve(at.size());
      for (const std::size_t k : at) picked.push_back(values[k]);
      return picked;
    };
    const auto count = static_cast<std::size_t>(part.point_count);
    Json target = {{"POSITION", builder_.add_sparse(points, pick(shape.offsets), count, true)}};
    if (!shape.normals.empty())
      target["NORMAL"] = builder_.add_sparse(points, pick(shape.normals), count, false);
    if (!shape.tangents.empty())
      target["TANGENT"] = builder_.add_sparse(points, pick(shape.tangents), count, false);
    return target;
  }

  std::size_t material_index(const std::string& name) {
    const auto [found, is_new] = materials_.emplace(name, materials_.size());
    if (is_new) {
      Json material = Json::object();
      if (!name.empty()) material["name"] = name;
      material["pbrMetallicRoughness"] = {
          {"baseColorFactor", kDefaultColour}, {"metallicFactor", 0}, {"roughnessFactor", 0.7}};
      gltf_list(document_, "materials").push_back(std::move(material));
    }
    return found->second;
  }

  void write_skins() {
    for (const Skin& skin : character_.skins) {
      Json skin_json = Json::object();
      if (!skin.name.empty()) skin_json["name"] = skin.name;
      skin_json["inverseBindMatrices"] = builder_.add_matrices(skin.inverse_bind);
      skin_json["joints"] = skin.node;
      gltf_list(document_, "skins").push_back(std::move(skin_json));
    }
  }

  // Channels of a clip often share their key times; they are written once.
  Index times_accessor(const std::vector<float>& times) {
    const auto known = times_.find(times);
    if (known != times_.end()) return known->second;
    return times_[times] = builder_.add_floats(times, 1, GltfTarget::none, true);
  }

  void write_clips() {
    static constexpr const char* kInterpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    static constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};
    static constexpr int kComponents[] = {3, 4, 3, 1};
    for (const Clip& clip : character_.clips) {
      Json animation = Json::object();
      if (!clip.name.empty()) animation["name"] = clip.name;
      for (const Channel& channel : clip.channels) {
        const char* interpolation = kInterpolations[static_cast<std::size_t>(channel.interpolation)];
        if (channel.path == ChannelPath::control) {
          animation["extras"]["dermis"]["controls"].push_back(
              {{"name", character_.controls[static_cast<std::size_t>(channel.target)].name},
               {"interpolation", interpolation},
               {"times", channel.times},
               {"values", channel.values}});
          continue;
        }
        const auto path = static_cast<std::size_t>(channel.path);
        const Index node = channel.path == ChannelPath::shape_weights
                               ? node_of_instance_[static_cast<std::size_t>(channel.target)]
                               : channel.target;
        const std::size_t sampler = animation.contains("samplers") ? animation["samplers"].size() : 0;
        animation["samplers"].push_back(
            {{"input", times_accessor(channel.times)},
             {"interpolation", interpolation},
             {"output", builder_.add_floats(channel.values, kComponents[path], GltfTarget::none)}});
        animation["channels"].push_back(
            {{"sampler", sampler}, {"target", {{"node", node}, {"path", kPaths[path]}}}});
      }
      if (animation.contains("channels")) {
        gltf_list(document_, "animations").push_back(std::move(animation));
      } else {
        notes_.push_back(
            {Note::Kind::loss, "clip-empty",
             fmt::format("clip '{}' moves no node or shape, and glTF cannot hold such a clip", clip.name)});
      }
    }
  }

  void write_controls() {
    for (const Control& control : character_.controls) {
      json()["asset"]["extras"]["dermis"]["controls"].push_back(
          {{"name", control.name}, {"rest", control.rest}});
    }
  }

  const Character& character_;
  const SaveOptions& options_;
  Notes& notes_;
  SourceDocument document_;
  GltfBuilder builder_;
  std::unordered_map<std::string, std::size_t> materials_;
  std::map<std::vector<float>, Index> times_;
  std::vector<Index> node_of_instance_;
};

}  // namespace

Result<SourceDocument> document_from_character(const Character& character, const SaveOptions& options,
                                               Notes& notes) {
  return CharacterWriter(character, options, notes).write();
}

}  // namespace dermis
