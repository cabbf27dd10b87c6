// SPDX-License-Identifier: MIT
// Whether two characters are the same to the last bit, and where they first differ.
#pragma once

#include <string>
#include <vector>

#include "dermis/model.h"

namespace dermis::test {

template <class Value>
bool same_attribute(const Attribute<Value>& a, const Attribute<Value>& b) {
  return a.values == b.values && a.corner_value == b.corner_value;
}

template <class Value>
bool same_attributes(const std::vector<Attribute<Value>>& a, const std::vector<Attribute<Value>>& b) {
  bool same = a.size() == b.size();
  for (std::size_t k = 0; same && k < a.size(); ++k) same = same_attribute(a[k], b[k]);
  return same;
}

inline bool same_affine(const Affine& a, const Affine& b) {
  return a.linear.x == b.linear.x && a.linear.y == b.linear.y && a.linear.z == b.linear.z &&
         a.translation == b.translation;
}

inline std::string node_difference(const Node& a, const Node& b) {
  if (a.name != b.name) return "name";
  if (a.parent != b.parent) return "parent";
  if (a.rest.translation != b.rest.translation || a.rest.rotation != b.rest.rotation ||
      a.rest.scale != b.rest.scale) {
    return "rest";
  }
  if (a.rest_matrix.has_value() != b.rest_matrix.has_value()) return "matrix";
  return a.rest_matrix && !same_affine(*a.rest_matrix, *b.rest_matrix) ? "matrix" : "";
}

inline std::string shape_difference(const Shape& a, const Shape& b) {
  if (a.name != b.name) return "shape name";
  if (a.points != b.points || a.offsets != b.offsets) return "shape offsets";
  return a.normals != b.normals || a.tangents != b.tangents ? "shape normals" : "";
}

inline std::string mesh_difference(const Mesh& a, const Mesh& b) {
  if (a.name != b.name) return "name";
  if (a.points != b.points) return "points";
  if (a.polygons.first != b.polygons.first || a.polygons.corners != b.polygons.corners) return "polygons";
  if (a.parts.size() != b.parts.size()) return "part count";
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    const MeshPart &x = a.parts[p], &y = b.parts[p];
    if (x.first_point != y.first_point || x.point_count != y.point_count ||
        x.first_polygon != y.first_polygon || x.polygon_count != y.polygon_count || x.material != y.material)
      return "parts";
  }
  if (a.dqs_share != b.dqs_share) return "shares of dqs";
  if (!same_attribute(a.normals, b.normals)) return "normals";
  if (!same_attribute(a.tangents, b.tangents)) return "tangents";
  if (!same_attributes(a.uvs, b.uvs)) return "texture coordinates";
  if (!same_attributes(a.colours, b.colours)) return "colours";
  if (!(a.weights == b.weights)) return "weights";
  if (a.weld != b.weld) return "weld";
  if (a.shapes.size() != b.shapes.size()) return "shape count";
  for (std::size_t s = 0; s < a.shapes.size(); ++s) {
    if (const std::string what = shape_difference(a.shapes[s], b.shapes[s]); !what.empty()) return what;
  }
  return "";
}

inline std::string material_difference(const Material& a, const Material& b) {
  const bool same = a.name == b.name && a.base_colour == b.base_colour && a.emission == b.emission &&
                    a.metallic == b.metallic && a.roughness == b.roughness &&
                    a.is_double_sided == b.is_double_sided && a.base_colour_image == b.base_colour_image &&
                    a.normal_image == b.normal_image && a.emission_image == b.emission_image &&
                    a.base_colour_place == b.base_colour_place && a.normal_place == b.normal_place &&
                    a.emission_place == b.emission_place;
  return same ? "" : "members";
}

inline std::string skin_difference(const Skin& a, const Skin& b) {
  if (a.name != b.name) return "name";
  if (a.node != b.node) return "joints";
  for (std::size_t s = 0; s < a.inverse_bind.size(); ++s) {
    if (!same_affine(a.inverse_bind[s], b.inverse_bind[s])) return "inverse binds";
  }
  return "";
}

inline std::string clip_difference(const Clip& a, const Clip& b) {
  if (a.name != b.name) return "name";
  if (a.channels.size() != b.channels.size()) return "channel count";
  for (std::size_t c = 0; c < a.channels.size(); ++c) {
    const Channel &x = a.channels[c], &y = b.channels[c];
    if (x.path != y.path || x.target != y.target || x.interpolation != y.interpolation) return "channel";
    if (x.times != y.times || x.values != y.values) return "keys";
  }
  return "";
}

// "" when the two are the same but for the character's own name (it follows the file's), else "mesh 2:
// points".
inline std::string difference_between(const Character& a, const Character& b) {
  const auto lists = [](const auto& x, const auto& y, const char* kind,
                        const auto& difference) -> std::string {
    if (x.size() != y.size()) return std::string(kind) + " count";
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (const std::string what = difference(x[k], y[k]); !what.empty())
        return std::string(kind) + " " + std::to_string(k) + ": " + what;
    }
    return "";
  };
  const std::string found[] = {
      lists(a.nodes, b.nodes, "node", node_difference),
      lists(a.meshes, b.meshes, "mesh", mesh_difference),
      lists(a.materials, b.materials, "material", material_difference),
      lists(a.skins, b.skins, "skin", skin_difference),
      lists(a.clips, b.clips, "clip", clip_difference),
      lists(a.instances, b.instances, "instance",
            [](const Instance& x, const Instance& y) -> std::string {
              const bool same = x.node == y.node && x.mesh == y.mesh && x.skin == y.skin &&
                                x.shape_weights == y.shape_weights && x.in_scene == y.in_scene;
              return same ? "" : "members";
            }),
      lists(a.controls, b.controls, "control",
            [](const Control& x, const Control& y) -> std::string {
              return x.name == y.name && x.rest == y.rest ? "" : "members";
            }),
      a.metres_per_unit == b.metres_per_unit && a.is_unit_guessed == b.is_unit_guessed ? "" : "units"};
  for (const std::string& what : found) {
    if (!what.empty()) return what;
  }
  return "";
}

}  // namespace dermis::test
