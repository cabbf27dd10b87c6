// SPDX-License-Identifier: MIT
// Instances of a glTF document: which node shows which mesh, with which skin and shape weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/gltf/reader.h"

namespace dermis {
namespace {

// Weights of shapes at rest: the node's, else the mesh's, else none.
std::vector<float> rest_shape_weights(GltfReader& reader, const Json& node, const Json& mesh,
                                      const Place& place, std::size_t shape_count) {
  std::vector<float> weights(shape_count, 0.0f);
  const Json* stated = reader.array(node, "weights", place);
  if (stated == nullptr) stated = reader.array(mesh, "weights", place);
  if (stated == nullptr) return weights;
  if (stated->size() != shape_count) {
    reader.note(Note::Kind::repair, "shape-weights-count", place,
                fmt::format("it has {} shape weights for {} shapes; the others are zero", stated->size(),
                            shape_count));
  }
  for (std::size_t s = 0; s < std::min(stated->size(), shape_count); ++s) {
    const Json& value = (*stated)[s];
    if (!value.is_number() || !std::isfinite(value.get<float>())) {
      reader.fail(place, "has a shape weight that is not a finite number");
      return weights;
    }
    weights[s] = value.get<float>();
  }
  return weights;
}

// A mesh without weights under a skin: everything follows the first joint, with a note.
void weigh_to_first_joint(GltfReader& reader, const Place& place, Mesh& mesh) {
  reader.note(Note::Kind::repair, "weights-missing", place,
              fmt::format("its mesh is skinned but has no weights; all {} points follow the first joint",
                          mesh.points.size()),
              mesh.points.size(), 0);
  WeightRowBuilder rows;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    rows.add(0, 1.0f);
    rows.close_row(0);
  }
  mesh.weights = rows.take();
}

// Highest slot each mesh uses, computed once: one mesh may have many skins.
class HighestSlots {
 public:
  explicit HighestSlots(const Character& character)
      : character_(character), known_(character.meshes.size(), kNone) {}
  Index of(Index mesh) {
    Index& known = known_[static_cast<std::size_t>(mesh)];
    if (known == kNone) {
      known = 0;
      const auto& influences = character_.meshes[static_cast<std::size_t>(mesh)].weights.influences;
      for (const Influence& influence : influences) known = std::max(known, influence.slot);
    }
    return known;
  }

 private:
  const Character& character_;
  std::vector<Index> known_;
};

}  // namespace

bool read_instances(GltfReader& reader, Character& character, const std::vector<bool>& in_scene) {
  const Json& nodes = reader.list("nodes");
  const Json& meshes = reader.list("meshes");
  HighestSlots highest(character);
  std::size_t left_out = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Place place{"node", n, &nodes[n]};
    Instance instance;
    instance.node = static_cast<Index>(n);
    instance.mesh = reader.index(nodes[n], "mesh", character.meshes.size(), place);
    instance.skin = reader.index(nodes[n], "skin", character.skins.size(), place);
    instance.in_scene = in_scene[n];
    if (reader.failed()) return false;
    if (instance.mesh == kNone) continue;
    Mesh& mesh = character.meshes[static_cast<std::size_t>(instance.mesh)];
    if (!reader.charge(place, mesh.shapes.size(), sizeof(float))) return false;
    instance.shape_weights = rest_shape_weights(
        reader, nodes[n], meshes[static_cast<std::size_t>(instance.mesh)], place, mesh.shapes.size());
    if (reader.failed()) return false;
    if (instance.skin != kNone) {
      if (mesh.weights.empty() && !mesh.points.empty()) {
        weigh_to_first_joint(reader, place, mesh);
        reader.reading().unweighted_meshes.push_back(instance.mesh);
        reader.mended_weights_of(instance.mesh);
      }
      const std::size_t slots = character.skins[static_cast<std::size_t>(instance.skin)].node.size();
      const Index used = highest.of(instance.mesh);
      if (static_cast<std::size_t>(used) >= slots && !mesh.points.empty()) {
        return reader.fail(place, fmt::format("has a mesh that uses joint {} of a skin with {}", used, slots),
                           Errc::bad_rig);
      }
    }
    left_out += instance.in_scene ? 0 : 1;
    character.instances.push_back(std::move(instance));
  }
  std::vector<Index>& unweighted = reader.reading().unweighted_meshes;
  std::sort(unweighted.begin(), unweighted.end());
  if (left_out > 0) {
    reader.note(Note::Kind::info, "not-in-scene", Place{},
                fmt::format("{} kept but not posed", counted(left_out, "mesh is outside the scene; it is",
                                                             "meshes are outside the scene; they are")));
  }
  return true;
}

}  // namespace dermis
