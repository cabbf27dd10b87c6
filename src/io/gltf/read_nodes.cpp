// SPDX-License-Identifier: MIT
// Nodes, scene membership and skins of a glTF document.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/gltf/reader.h"
#include "io/normals.h"

namespace dermis {
namespace {

// Exporters round rotations to six digits; rotations further off than this were not meant to be unit.
constexpr double kUnitTolerance = 1e-3;

Affine affine_from_columns(std::span<const float> m) {
  return {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[12], m[13], m[14]}};
}

// True if the last row of a column-major 4x4 matrix is 0 0 0 1.
bool is_affine(std::span<const float> m) {
  constexpr float kTolerance = 1e-5f;
  return std::abs(m[3]) < kTolerance && std::abs(m[7]) < kTolerance && std::abs(m[11]) < kTolerance &&
         std::abs(m[15] - 1.0f) < kTolerance;
}

void read_rotation(GltfReader& reader, const Json& json, const Place& place, Node& node) {
  std::array<float, 4> r{};
  if (!reader.numbers(json, "rotation", r, place)) return;
  const Quatd rotation{r[0], r[1], r[2], r[3]};
  const double size = std::sqrt(dot(rotation, rotation));
  if (std::abs(size - 1.0) > kUnitTolerance) {
    reader.note(Note::Kind::repair, "rotation-not-unit", place,
                size > 0 ? fmt::format("its rotation had length {:.4g} and was normalised", size)
                         : std::string("its rotation was zero and became the identity"));
  }
  // Unit up to rounding is unit: normalising again would change the last bits in every round trip.
  node.rest.rotation = std::abs(size - 1.0) > kUnitRounding ? Quat(normalized(rotation)) : Quat(rotation);
}

void read_local(GltfReader& reader, const Json& json, const Place& place, Node& node) {
  std::array<float, 16> matrix{};
  if (reader.numbers(json, "matrix", matrix, place)) {
    if (!is_affine(matrix)) {
      reader.note(Note::Kind::repair, "matrix-not-affine", place,
                  "the last row of its matrix is not 0 0 0 1; 0 0 0 1 is used");
    }
    node.rest_matrix = affine_from_columns(matrix);
    node.rest = transform_from_affine(Affined(*node.rest_matrix));
    if (json.contains("translation") || json.contains("rotation") || json.contains("scale")) {
      reader.note(Note::Kind::repair, "matrix-and-trs", place,
                  "it has both a matrix and translation, rotation or scale; the matrix is used");
    }
    return;
  }
  std::array<float, 3> v{};
  if (reader.numbers(json, "translation", v, place)) node.rest.translation = {v[0], v[1], v[2]};
  if (reader.numbers(json, "scale", v, place)) node.rest.scale = {v[0], v[1], v[2]};
  read_rotation(reader, json, place, node);
}

bool read_children(GltfReader& reader, const Json& json, const Place& place, Index parent,
                   std::vector<Node>& nodes) {
  const Json* children = reader.array(json, "children", place);
  if (children == nullptr) return !reader.failed();
  for (const Json& child : *children) {
    if (!child.is_number_unsigned() || child.get<std::uint64_t>() >= nodes.size()) {
      return reader.fail(place, fmt::format("has a child that is not one of the {} nodes", nodes.size()));
    }
    Node& node = nodes[child.get<std::size_t>()];
    if (node.parent == parent) {
      reader.note(Note::Kind::repair, "child-twice", place,
                  fmt::format("it lists node {} twice; the second is ignored", child.get<std::size_t>()));
      continue;
    }
    if (node.parent != kNone) {
      return reader.fail(
          place, fmt::format("shares its child {} with node {}", child.get<std::size_t>(), node.parent),
          Errc::bad_rig);
    }
    node.parent = parent;
  }
  return true;
}

// Every node must reach a root: walk up, marking nodes with the walk's number, until a marked node is
// reached.
bool check_cycles(GltfReader& reader, const Json& json, const std::vector<Node>& nodes) {
  std::vector<Index> painted(nodes.size(), kNone);
  for (std::size_t start = 0; start < nodes.size(); ++start) {
    Index at = static_cast<Index>(start);
    while (at != kNone && painted[static_cast<std::size_t>(at)] == kNone) {
      painted[static_cast<std::size_t>(at)] = static_cast<Index>(start);
      at = nodes[static_cast<std::size_t>(at)].parent;
    }
    if (at != kNone && painted[static_cast<std::size_t>(at)] == static_cast<Index>(start)) {
      const auto node = static_cast<std::size_t>(at);
      return reader.fail(Place{"node", node, &json[node]}, "is its own ancestor", Errc::bad_rig);
    }
  }
  return true;
}

// The roots of the default scene; all roots if the file names no scene.
bool read_scene(GltfReader& reader, const std::vector<Node>& nodes, std::vector<bool>& in_scene) {
  const Json& scenes = reader.list("scenes");
  const Index chosen = reader.index(reader.root(), "scene", scenes.size(), Place{});
  if (reader.failed()) return false;
  if (scenes.empty()) {
    in_scene.assign(nodes.size(), true);
    return true;
  }
  const std::size_t scene = chosen == kNone ? 0 : static_cast<std::size_t>(chosen);
  const Place place{"scene", scene, &scenes[scene]};
  if (!scenes[scene].is_object()) return reader.fail(place, "is not an object");
  in_scene.assign(nodes.size(), false);
  const Json* roots = reader.array(scenes[scene], "nodes", place);
  if (roots == nullptr) return !reader.failed();
  for (const Json& root : *roots) {
    if (!root.is_number_unsigned() || root.get<std::uint64_t>() >= nodes.size()) {
      return reader.fail(place, fmt::format("lists a node that is not one of the {}", nodes.size()));
    }
    in_scene[root.get<std::size_t>()] = true;
  }
  for (const Index n : parents_first(nodes)) {
    const Index parent = nodes[static_cast<std::size_t>(n)].parent;
    if (parent != kNone && in_scene[static_cast<std::size_t>(parent)])
      in_scene[static_cast<std::size_t>(n)] = true;
  }
  return true;
}

bool read_inverse_binds(GltfReader& reader, const Json& json, const Place& place, Skin& skin) {
  const Index accessor = reader.index(json, "inverseBindMatrices", reader.accessor_count(), place);
  if (reader.failed()) return false;
  skin.inverse_bind.assign(skin.node.size(), Affine{});
  if (accessor == kNone) return true;  // identity, as glTF specifies
  const std::optional<AccessorView> view = reader.view(accessor, {"MAT4"}, place);
  if (!view) return false;
  if (view->type != ComponentType::f32)
    return reader.fail(place, "has inverse bind matrices that are not float");
  if (view->count < skin.node.size()) {
    return reader.fail(
        place, fmt::format("has {} joints but {} inverse bind matrices", skin.node.size(), view->count));
  }
  if (!reader.charge(place, view->count, 16 * sizeof(float))) return false;
  std::vector<float> numbers(view->count * 16);
  decode_floats(*view, numbers);
  std::size_t bent_count = 0;
  for (std::size_t s = 0; s < skin.node.size(); ++s) {
    const std::span<const float> matrix = std::span<const float>(numbers).subspan(s * 16, 16);
    skin.inverse_bind[s] = affine_from_columns(matrix);
    if (!is_finite(skin.inverse_bind[s])) {
      return reader.fail(place, fmt::format("has an inverse bind matrix (slot {}) that is not finite", s));
    }
    bent_count += is_affine(matrix) ? 0 : 1;
  }
  if (bent_count > 0) {
    reader.note(Note::Kind::repair, "bind-not-affine", place,
                counted(bent_count, "inverse bind matrix has", "inverse bind matrices have") +
                    " a last row other than 0 0 0 1; 0 0 0 1 is used");
  }
  return true;
}

// The node that a skin names as its skeleton is a hint, which nothing here needs; but glTF requires all
// joints to be at or below it.
void check_skeleton_root(GltfReader& reader, const Place& place, const Subtrees& subtrees, Index skeleton,
                         const Skin& skin) {
  if (skeleton == kNone || reader.failed()) return;
  const auto is_below = [&](Index joint) { return subtrees.is_in(joint, skeleton); };
  if (std::all_of(skin.node.begin(), skin.node.end(), is_below)) return;
  reader.note(Note::Kind::repair, "skeleton-not-above", place,
              fmt::format("names node {} as its skeleton, but not all of its joints are below it", skeleton));
}

}  // namespace

bool read_nodes(GltfReader& reader, Character& character, std::vector<bool>& in_scene) {
  const Json& list = reader.list("nodes");
  if (reader.failed() || !reader.charge(Place{}, list.size(), sizeof(Node))) return false;
  character.nodes.resize(list.size());
  for (std::size_t n = 0; n < list.size(); ++n) {
    const Place place{"node", n, &list[n]};
    if (!list[n].is_object()) return reader.fail(place, "is not an object");
    character.nodes[n].name = reader.text(list[n], "name", place);
    read_local(reader, list[n], place, character.nodes[n]);
    if (reader.failed() || !read_children(reader, list[n], place, static_cast<Index>(n), character.nodes))
      return false;
  }
  return check_cycles(reader, list, character.nodes) && read_scene(reader, character.nodes, in_scene);
}

bool read_skins(GltfReader& reader, Character& character) {
  const Json& list = reader.list("skins");
  const Subtrees subtrees(character.nodes);  // there are no cycles any more
  for (std::size_t s = 0; s < list.size() && !reader.failed(); ++s) {
    const Place place{"skin", s, &list[s]};
    if (!list[s].is_object()) return reader.fail(place, "is not an object");
    Skin skin;
    skin.name = reader.text(list[s], "name", place);
    const Index skeleton = reader.index(list[s], "skeleton", character.nodes.size(), place);
    const Json* joints = reader.array(list[s], "joints", place);
    if (reader.failed()) return false;
    if (joints == nullptr || joints->empty())
      return reader.fail(place, "has no joints; remove the skin, or export it with its skeleton",
                         Errc::bad_rig);
    if (!reader.charge(place, joints->size(), sizeof(Index) + sizeof(Affine))) return false;
    for (const Json& joint : *joints) {
      if (!joint.is_number_unsigned() || joint.get<std::uint64_t>() >= character.nodes.size()) {
        return reader.fail(
            place, fmt::format("has a joint that is not one of the {} nodes", character.nodes.size()));
      }
      skin.node.push_back(static_cast<Index>(joint.get<std::size_t>()));
    }
    check_skeleton_root(reader, place, subtrees, skeleton, skin);
    if (!read_inverse_binds(reader, list[s], place, skin)) return false;
    character.skins.push_back(std::move(skin));
  }
  return !reader.failed();
}

}  // namespace dermis
