// SPDX-License-Identifier: MIT
// Writes changed meshes into the glTF document they came from, attribute by attribute if possible.
#include <fmt/format.h>

#include <algorithm>

#include "io/gltf/patch.h"

namespace dermis {
namespace {

// True if points and parts are as in the document, whatever else changed.
bool has_same_layout(const MeshPrint& given, const Mesh& mesh, const MeshPrint& print) {
  if (given.parts == print.parts) return true;
  if (given.parts.size() != print.parts.size()) return false;
  for (std::size_t p = 0; p < given.parts.size(); ++p) {
    if (given.parts[p].point_count != print.parts[p].point_count) return false;
  }
  return is_split(mesh);
}

// Matches the shapes of a mesh with those of the document.
Matching match_shapes(const MeshPrint& given, const MeshPrint& print) {
  const auto data = [](const MeshPrint& mesh) {
    std::vector<Fingerprint> keys;
    for (std::size_t s = 0; s < mesh.shape_names.size(); ++s) {
      Fingerprinter printer;
      for (const PartPrint& part : mesh.parts) printer.add(part.shapes[s]);
      keys.push_back(printer.done());
    }
    return keys;
  };
  const MatchKeys kinds[] = {{data(given), data(print)}, {given.shape_names, print.shape_names}};
  return match(kinds, true);
}

std::optional<WeightFormat> format_of(const Json& accessor) {
  switch (static_cast<ComponentType>(accessor.value("componentType", 0))) {
    case ComponentType::u8:
      return WeightFormat::unorm8;
    case ComponentType::u16:
      return WeightFormat::unorm16;
    default:
      return std::nullopt;
  }
}

// True if a primitive has data that the model does not store and a new primitive could not take over.
bool holds_more(const Json& primitive) {
  if (primitive.contains("extras")) return true;
  const auto extensions = primitive.find("extensions");
  return extensions != primitive.end() && (extensions->size() > 1 || !is_draco(primitive));
}

// Names of attributes that the model does not have, without duplicates.
std::vector<std::string> unknown_attributes(const Json& primitives) {
  std::vector<std::string> names;
  for (const Json& primitive : primitives) {
    const Json attributes = primitive.value("attributes", Json::object());
    for (const auto& [name, accessor] : attributes.items()) {
      if (name.starts_with("_") && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  return names;
}

// Copies members of a primitive to its replacement: extras, extensions, and unknown ones.
void take_members(const Json& old, Json& made, Notes& notes) {
  Json taken = old;
  for (const char* key : {"attributes", "indices", "mode", "targets", "material"}) taken.erase(key);
  if (is_draco(taken)) {
    taken["extensions"].erase("KHR_draco_mesh_compression");
    if (taken["extensions"].empty()) taken.erase("extensions");
  }
  erase_our_extras(taken, "dqs_share");
  if (made.contains("extras")) {
    const Json ours = made["extras"]["dermis"];
    made.erase("extras");
    our_extras(taken, notes).update(ours);
  }
  made.update(taken);
}

}  // namespace

template <class Value>
void MeshPatcher::set_attribute(Json& attributes, const std::string& name, const Attribute<Value>& attribute,
                                bool is_new, const MeshPart& part) {
  if (attribute.empty()) {
    attributes.erase(name);
    return;
  }
  const std::span<const float> numbers = part_floats(attribute.values, part);
  const bool says_something =
      std::any_of(numbers.begin(), numbers.end(), [](float number) { return number != 0; });
  // Zeros mean that the primitive has no such attribute, although others of its mesh do.
  if (!attributes.contains(name) && !is_new && !says_something) return;
  constexpr int kComponents = static_cast<int>(sizeof(Value) / sizeof(float));
  attributes[name] = builder_.add_floats(numbers, kComponents, GltfTarget::vertices);
}

template <class Value>
bool MeshPatcher::patch_sets(Json& attributes, const std::string& stem, std::span<const Fingerprint> given,
                             const std::vector<Attribute<Value>>& sets, std::span<const Fingerprint> print,
                             const MeshPart& part) {
  const auto name = [&](std::size_t set) { return fmt::format("{}_{}", stem, set); };
  bool is_changed = false;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const bool is_new = set >= given.size();
    if (!is_new && given[set] == print[set]) continue;
    set_attribute(attributes, name(set), sets[set], is_new, part);
    // Sets are read up to the first missing one.
    for (std::size_t lower = 0; lower < set && attributes.contains(name(set)); ++lower) {
      if (!attributes.contains(name(lower))) set_attribute(attributes, name(lower), sets[lower], true, part);
    }
    is_changed = true;
  }
  for (std::size_t set = sets.size(); set < given.size(); ++set)
    is_changed = attributes.erase(name(set)) > 0 || is_changed;
  return is_changed;
}

bool MeshPatcher::patch_targets(Json& primitive, const PartPrint& given, const Mesh& mesh,
                                const PartPrint& print, const MeshPart& part, const Matching& shapes) {
  if (given.shapes == print.shapes && shapes.keeps_numbers()) return false;
  const Json old = primitive.value("targets", Json::array());
  Json targets = Json::array();
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    const Index o = shapes.old_of[s];
    const bool is_there = o != kNone && at(o) < old.size();
    Json target = is_there ? old[at(o)] : Json::object();
    if (!is_there || given.shapes[at(o)] != print.shapes[s]) {
      for (const char* key : {"POSITION", "NORMAL", "TANGENT"}) target.erase(key);
      target.update(writer_.target(mesh.shapes[s], part));
    }
    targets.push_back(std::move(target));
  }
  if (targets.empty())
    primitive.erase("targets");
  else
    primitive["targets"] = std::move(targets);
  return true;
}

void MeshPatcher::set_polygons(Json& primitive, const Mesh& mesh, const MeshPart& part) {
  if (part.polygon_count == 0) {
    primitive.erase("indices");
    primitive["mode"] = 0;  // loose points
    return;
  }
  primitive["indices"] = writer_.triangles(mesh, part);
  primitive.erase("mode");  // triangles by default
}

bool MeshPatcher::writes_weights(const Json& primitive, const MeshPrint& given, const Mesh& mesh,
                                 const MeshPrint& print, std::size_t p) const {
  if (given.parts[p].weights != print.parts[p].weights) return true;
  const MeshPart& part = mesh.parts[p];
  if (mesh.weights.empty() || part.point_count == 0) return false;
  if (options_.weights || (options_.mended_weights && given.has_mended_weights)) return true;
  if (options_.max_influences == 0) return false;
  const std::size_t most = at(options_.max_influences);
  const bool has_more_sets = primitive["attributes"].contains(fmt::format("JOINTS_{}", (most + 3) / 4));
  bool has_longer_row = false;
  for (Index v = part.first_point; v < part.first_point + part.point_count && !has_longer_row; ++v)
    has_longer_row = mesh.weights.row(at(v)).size() > most;
  return has_more_sets || has_longer_row;
}

void MeshPatcher::write_weights(Json& primitive, const Mesh& mesh, const MeshPart& part) {
  Json& attributes = primitive["attributes"];
  WeightLayout layout{options_.weights.value_or(WeightFormat::float32), options_.max_influences};
  if (!options_.weights && !mesh.weights.empty() && attributes.contains("WEIGHTS_0")) {
    const std::optional<WeightFormat> own =
        format_of(builder_.accessor(attributes["WEIGHTS_0"].get<std::size_t>()));
    if (own && holds_weights(*own, mesh.weights, part)) layout.format = *own;
  }
  if (mesh.weights.empty())
    erase_weight_sets(attributes);
  else
    write_weight_sets(builder_, attributes, mesh.weights, part, layout, notes_);
  // A Draco block overrides the accessor of an attribute, so the block must not name weights.
  if (is_draco(primitive))
    erase_weight_sets(primitive["extensions"]["KHR_draco_mesh_compression"]["attributes"]);
}

bool MeshPatcher::patch_primitive(Json& primitive, const MeshPrint& given, const Mesh& mesh,
                                  const MeshPrint& print, std::size_t p, const Matching& shapes) {
  const MeshPart& part = mesh.parts[p];
  const PartPrint &was = given.parts[p], &is = print.parts[p];
  if (was.material != is.material) {
    primitive.erase("material");
    if (is.material != kNone) primitive["material"] = is.material;
  }
  if (part.point_count == 0) return false;
  const bool has_new_surface = was.points != is.points || was.polygons != is.polygons ||
                               was.normals != is.normals || was.tangents != is.tangents ||
                               was.uvs != is.uvs || was.colours != is.colours;
  const bool has_new_weights = writes_weights(primitive, given, mesh, print, p);
  const bool unpacks = has_new_surface && is_draco(primitive);
  if (has_new_weights || unpacks) write_weights(primitive, mesh, part);
  if (unpacks) unpack_draco(builder_, primitive, mesh, part, notes_);
  Json& attributes = primitive["attributes"];
  if (unpacks || was.points != is.points) {
    attributes["POSITION"] =
        builder_.add_floats(part_floats(mesh.points, part), 3, GltfTarget::vertices, true);
  }
  if (unpacks || was.normals != is.normals) set_attribute(attributes, "NORMAL", mesh.normals, false, part);
  if (unpacks || was.tangents != is.tangents)
    set_attribute(attributes, "TANGENT", mesh.tangents, false, part);
  patch_sets(attributes, "TEXCOORD", was.uvs, mesh.uvs, is.uvs, part);
  patch_sets(attributes, "COLOR", was.colours, mesh.colours, is.colours, part);
  if (unpacks || was.polygons != is.polygons) set_polygons(primitive, mesh, part);
  if (was.dqs_share != is.dqs_share) {
    if (mesh.dqs_share.empty()) {
      erase_our_extras(primitive, "dqs_share");
    } else {
      our_extras(primitive, notes_)["dqs_share"] =
          builder_.add_floats(part_floats(mesh.dqs_share, part), 1, GltfTarget::none);
    }
  }
  const bool has_new_targets = patch_targets(primitive, was, mesh, is, part, shapes);
  return has_new_surface || has_new_weights || has_new_targets || was.dqs_share != is.dqs_share;
}

void MeshPatcher::rebuild(Json& json, const MeshPrint& given, const Mesh& mesh) {
  const std::optional<Mesh> prepared = writer_.split_and_mended(mesh);
  const Mesh& split = prepared ? *prepared : mesh;
  const Json old = json.value("primitives", Json::array());
  bool is_alike = split.parts.size() == given.parts.size();
  for (std::size_t p = 0; p < split.parts.size() && is_alike; ++p)
    is_alike = split.parts[p].material == given.parts[p].material;
  Json primitives = Json::array();
  for (std::size_t p = 0; p < split.parts.size(); ++p) {
    if (is_alike && split.parts[p].point_count == 0) {  // draws nothing
      primitives.push_back(old[p]);
      continue;
    }
    Json made = writer_.primitive(split, split.parts[p]);
    if (split.parts[p].material != kNone) made["material"] = split.parts[p].material;
    if (is_alike) take_members(old[p], made, notes_);
    primitives.push_back(std::move(made));
  }
  json["primitives"] = std::move(primitives);
  for (const std::string& name : unknown_attributes(old)) {
    notes_.push_back({Note::Kind::loss, "attribute-dropped",
                      fmt::format("mesh {}: its points changed, and attribute {} was left out",
                                  quoted_name(mesh.name), quoted_name(name))});
  }
  if (is_alike || std::none_of(old.begin(), old.end(), holds_more)) return;
  notes_.push_back({Note::Kind::loss, "primitives-rebuilt",
                    fmt::format("mesh {}: its parts changed, and extras and extensions of its old primitives "
                                "were left out",
                                quoted_name(mesh.name))});
}

void MeshPatcher::set_shape_names(Json& json, const Mesh& mesh) {
  Json names = Json::array();
  bool has_name = false;
  for (const Shape& shape : mesh.shapes) {
    names.push_back(shape.name);
    has_name = has_name || !shape.name.empty();
  }
  if (has_name) {
    extras_of(json, notes_)["targetNames"] = std::move(names);
    return;
  }
  const auto extras = json.find("extras");
  if (extras == json.end() || !extras->is_object() || extras->erase("targetNames") == 0) return;
  if (extras->empty()) json.erase("extras");
}

Result<bool> MeshPatcher::patch(Json& json, const MeshPrint& given, const Mesh& mesh,
                                const MeshPrint& print) {
  bool is_changed = false;
  writer_.count_labels(mesh);
  if (given.parts != print.parts || options_.weights) {
    if (Status good = check_slots(mesh); !good) return good.error();
  }
  if (given.name != print.name) set_text(json, "name", mesh.name);
  if (has_same_layout(given, mesh, print)) {
    const Matching shapes = match_shapes(given, print);
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      is_changed = patch_primitive(json["primitives"][p], given, mesh, print, p, shapes) || is_changed;
    }
  } else {
    rebuild(json, given, mesh);
    is_changed = true;
  }
  if (given.shape_names != print.shape_names) set_shape_names(json, mesh);
  // Instances then have their own.
  if (given.shape_names.size() != print.shape_names.size()) json.erase("weights");
  return is_changed;
}

Json MeshPatcher::make(const Mesh& mesh) {
  Json json = Json::object();
  writer_.count_labels(mesh);
  set_text(json, "name", mesh.name);
  rebuild(json, {}, mesh);
  if (!mesh.shapes.empty()) set_shape_names(json, mesh);
  return json;
}

}  // namespace dermis
