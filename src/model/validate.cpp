// SPDX-License-Identifier: MIT
// Checks every invariant of a character and names the first that is broken.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "dermis/model.h"
#include "model/driving.h"

namespace dermis {
namespace {

// Files round quaternions to float or 16 bits; anything further off is not a rotation.
constexpr float kUnitTolerance = 1e-3f;

template <class... Args>
Error broken(fmt::format_string<Args...> format, Args&&... args) {
  return {Errc::bad_rig, fmt::format(format, std::forward<Args>(args)...)};
}

// "mesh 'body'", or "mesh #2" if it has no name.
std::string thing(const char* kind, const std::string& name, std::size_t index) {
  return name.empty() ? fmt::format("{} #{}", kind, index) : fmt::format("{} {}", kind, quoted_name(name));
}

bool is_index(Index i, std::size_t count) { return i >= 0 && static_cast<std::size_t>(i) < count; }
bool fits_index(std::size_t count) { return count <= std::size_t{std::numeric_limits<Index>::max()}; }

bool is_finite_value(float x) { return std::isfinite(x); }
bool is_finite_value(const Vec3& v) { return is_finite(v); }
bool is_finite_value(const Vec4& v) { return is_finite(v.xyz()) && std::isfinite(v.w); }

// The index of the first value that is not finite, or the count.
template <class Value>
std::size_t first_not_finite(const std::vector<Value>& values) {
  const auto is_bad = [](const Value& value) { return !is_finite_value(value); };
  return static_cast<std::size_t>(std::find_if(values.begin(), values.end(), is_bad) - values.begin());
}

// ---- Nodes --------------------------------------------------------------------------------------------

Status check_cycles(const Character& character) {
  const std::size_t count = character.nodes.size();
  const std::vector<Index> order = parents_first(character.nodes);
  if (order.size() == count) return Done{};
  std::vector<bool> is_reached(count, false);
  for (const Index n : order) is_reached[static_cast<std::size_t>(n)] = true;
  Index n = 0;
  while (is_reached[static_cast<std::size_t>(n)]) ++n;
  // Every unreached node is on or below a cycle; `count` steps up lead onto it.
  for (std::size_t step = 0; step < count; ++step) n = character.nodes[static_cast<std::size_t>(n)].parent;
  const std::size_t at = static_cast<std::size_t>(n);
  return broken("{}: it is its own ancestor", thing("node", character.nodes[at].name, at));
}

Status check_nodes(const Character& character) {
  const std::vector<Node>& nodes = character.nodes;
  if (!fits_index(nodes.size())) return broken("the character has more than 2^31 - 1 nodes");
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    const auto name = [&] { return thing("node", node.name, n); };
    if (node.parent != kNone && !is_index(node.parent, nodes.size())) {
      return broken("{}: its parent {} is not one of the {} nodes", name(), node.parent, nodes.size());
    }
    if (!is_finite(node.rest.translation)) return broken("{}: its rest translation is not finite", name());
    if (!is_finite(node.rest.scale)) return broken("{}: its rest scale is not finite", name());
    const float size = std::sqrt(dot(node.rest.rotation, node.rest.rotation));
    if (!(std::abs(size - 1) <= kUnitTolerance)) {
      return broken("{}: its rest rotation has length {} instead of 1", name(), size);
    }
    if (node.rest_matrix && !is_finite(*node.rest_matrix)) {
      return broken("{}: its rest matrix is not finite", name());
    }
  }
  return check_cycles(character);
}

// ---- Meshes -------------------------------------------------------------------------------------------

// `first` as offsets into `item_count` items: count + 1 entries from 0 to item_count, each step at least
// `least`. Returns the fault, or nullopt.
std::optional<std::string> fault_in_offsets(const std::vector<std::uint32_t>& first, std::size_t item_count,
                                            std::uint32_t least) {
  if (first.empty() || first.front() != 0) return "its offsets do not start at 0";
  for (std::size_t i = 0; i + 1 < first.size(); ++i) {
    if (first[i + 1] < first[i] || first[i + 1] - first[i] < least) {
      return fmt::format("entry {} has fewer than {} items", i, least);
    }
  }
  if (first.back() != item_count) {
    return fmt::format("its offsets end at {} but there are {} items", first.back(), item_count);
  }
  return std::nullopt;
}

Status check_polygons(const Mesh& mesh, const std::string& name) {
  const Polygons& polygons = mesh.polygons;
  if (!fits_index(polygons.corners.size())) return broken("{}: more than 2^31 - 1 corners", name);
  if (const auto fault = fault_in_offsets(polygons.first, polygons.corners.size(), 3)) {
    return broken("{}: bad polygons: {}", name, *fault);
  }
  for (std::size_t c = 0; c < polygons.corners.size(); ++c) {
    if (!is_index(polygons.corners[c], mesh.points.size())) {
      return broken("{}: corner {} refers to point {} of {}", name, c, polygons.corners[c],
                    mesh.points.size());
    }
  }
  return Done{};
}

Status check_parts(const Mesh& mesh, const std::string& name) {
  // Wide sums: 32 bits could wrap around and still match.
  std::int64_t point = 0, polygon = 0;
  for (std::size_t k = 0; k < mesh.parts.size(); ++k) {
    const MeshPart& part = mesh.parts[k];
    if (part.first_point != point || part.first_polygon != polygon || part.point_count < 0 ||
        part.polygon_count < 0) {
      return broken("{}: part {} does not begin where the one before it ends", name, k);
    }
    point += part.point_count;
    polygon += part.polygon_count;
  }
  if (point != static_cast<std::int64_t>(mesh.points.size()) ||
      polygon != static_cast<std::int64_t>(mesh.polygons.count())) {
    return broken("{}: its parts cover {} points and {} polygons of {} and {}", name, point, polygon,
                  mesh.points.size(), mesh.polygons.count());
  }
  return Done{};
}

template <class Value>
Status check_attribute(const Mesh& mesh, const Attribute<Value>& attribute, const std::string& name,
                       const std::string& what) {
  const std::size_t value_count = attribute.values.size();
  if (!fits_index(value_count)) return broken("{}: more than 2^31 - 1 {}", name, what);
  if (attribute.is_per_point()) {
    if (value_count == 0 || value_count == mesh.points.size()) return Done{};
    return broken("{}: {} {} for {} points", name, value_count, what, mesh.points.size());
  }
  if (attribute.corner_value.size() != mesh.polygons.corners.size()) {
    return broken("{}: {} {} indices for {} corners", name, attribute.corner_value.size(), what,
                  mesh.polygons.corners.size());
  }
  for (std::size_t c = 0; c < attribute.corner_value.size(); ++c) {
    if (!is_index(attribute.corner_value[c], value_count)) {
      return broken("{}: corner {} refers to value {} of {} {}", name, c, attribute.corner_value[c],
                    value_count, what);
    }
  }
  return Done{};
}

Status check_attributes(const Mesh& mesh, const std::string& name) {
  if (Status s = check_attribute(mesh, mesh.normals, name, "normals"); !s) return s;
  if (Status s = check_attribute(mesh, mesh.tangents, name, "tangents"); !s) return s;
  for (std::size_t k = 0; k < mesh.uvs.size(); ++k) {
    const std::string what = fmt::format("texture coordinates of set {}", k);
    if (Status s = check_attribute(mesh, mesh.uvs[k], name, what); !s) return s;
  }
  for (std::size_t k = 0; k < mesh.colours.size(); ++k) {
    const std::string what = fmt::format("colours of set {}", k);
    if (Status s = check_attribute(mesh, mesh.colours[k], name, what); !s) return s;
  }
  const std::size_t bad_normal = first_not_finite(mesh.normals.values);
  if (bad_normal < mesh.normals.values.size()) return broken("{}: normal {} is not finite", name, bad_normal);
  for (std::size_t k = 0; k < mesh.tangents.values.size(); ++k) {
    const Vec4& tangent = mesh.tangents.values[k];
    if (!is_finite_value(tangent)) return broken("{}: tangent {} is not finite", name, k);
    if (std::abs(tangent.w) != 1) return broken("{}: tangent {} has handedness {}", name, k, tangent.w);
  }
  return Done{};
}

Status check_shape(const Mesh& mesh, std::size_t s, const std::string& mesh_name) {
  const Shape& shape = mesh.shapes[s];
  const std::string name = fmt::format("{}, {}", mesh_name, thing("shape", shape.name, s));
  for (std::size_t k = 0; k < shape.points.size(); ++k) {
    if (!is_index(shape.points[k], mesh.points.size())) {
      return broken("{}: it moves point {} of {}", name, shape.points[k], mesh.points.size());
    }
    if (k > 0 && shape.points[k] <= shape.points[k - 1]) {
      return broken("{}: its points are not in ascending order at entry {}", name, k);
    }
  }
  const std::size_t count = shape.points.size();
  if (shape.offsets.size() != count) {
    return broken("{}: {} offsets for {} points", name, shape.offsets.size(), count);
  }
  if (!shape.normals.empty() && shape.normals.size() != count) {
    return broken("{}: {} normal offsets for {} points", name, shape.normals.size(), count);
  }
  if (!shape.tangents.empty() && shape.tangents.size() != count) {
    return broken("{}: {} tangent offsets for {} points", name, shape.tangents.size(), count);
  }
  for (const std::vector<Vec3>* values : {&shape.offsets, &shape.normals, &shape.tangents}) {
    const std::size_t bad = first_not_finite(*values);
    if (bad < values->size()) return broken("{}: entry {} is not finite", name, bad);
  }
  return Done{};
}

bool has_slot_twice(std::span<const Influence> row) {
  // Nearly all rows are short, where comparing pairs is fastest; long ones are sorted.
  constexpr std::size_t kShort = 16;
  if (row.size() > kShort) {
    std::vector<Index> slots;
    slots.reserve(row.size());
    for (const Influence& influence : row) slots.push_back(influence.slot);
    std::sort(slots.begin(), slots.end());
    return std::adjacent_find(slots.begin(), slots.end()) != slots.end();
  }
  for (std::size_t i = 1; i < row.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (row[i].slot == row[k].slot) return true;
    }
  }
  return false;
}

Status check_row(std::span<const Influence> row, std::size_t v, const std::string& name) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Influence& influence = row[i];
    if (influence.slot < 0) return broken("{}: point {} refers to slot {}", name, v, influence.slot);
    if (!(influence.weight > 0 && influence.weight <= 1)) {
      return broken("{}: point {} has the weight {}, which is not in (0, 1]", name, v, influence.weight);
    }
    if (i > 0 && (row[i - 1].weight < influence.weight ||
                  (row[i - 1].weight == influence.weight && row[i - 1].slot > influence.slot))) {
      return broken("{}: the weights of point {} are not sorted", name, v);
    }
    sum += static_cast<double>(influence.weight);
  }
  if (has_slot_twice(row)) return broken("{}: point {} has a slot twice", name, v);
  if (!(std::abs(sum - 1) <= kWeightSumTolerance)) {
    return broken("{}: the weights of point {} add up to {}", name, v, sum);
  }
  return Done{};
}

Status check_weights(const Mesh& mesh, const std::string& name) {
  const WeightRows& rows = mesh.weights;
  if (rows.empty()) {
    if (rows.influences.empty()) return Done{};
    return broken("{}: it has weights but no rows", name);
  }
  if (rows.first.size() != mesh.points.size() + 1) {
    return broken("{}: {} weight rows for {} points", name, rows.first.size() - 1, mesh.points.size());
  }
  if (const auto fault = fault_in_offsets(rows.first, rows.influences.size(), 1)) {
    return broken("{}: bad weight rows: {}", name, *fault);
  }
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    if (Status s = check_row(rows.row(v), v, name); !s) return s;
  }
  return Done{};
}

Status check_dqs_share(const Mesh& mesh, const std::string& name) {
  if (mesh.dqs_share.empty()) return Done{};
  if (mesh.dqs_share.size() != mesh.points.size()) {
    return broken("{}: {} shares of dqs for {} points", name, mesh.dqs_share.size(), mesh.points.size());
  }
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const float share = mesh.dqs_share[v];
    if (!(share >= 0 && share <= 1))
      return broken("{}: point {} has the share {} of dqs, which is not in [0, 1]", name, v, share);
  }
  return Done{};
}

Status check_weld(const Mesh& mesh, const std::string& name) {
  if (mesh.weld.size() != mesh.points.size()) {
    return broken("{}: {} weld entries for {} points", name, mesh.weld.size(), mesh.points.size());
  }
  const std::vector<Index> expected = weld_coincident(mesh.points);
  const auto [wrong, right] = std::mismatch(mesh.weld.begin(), mesh.weld.end(), expected.begin());
  if (wrong == mesh.weld.end()) return Done{};
  return broken("{}: point {} is welded to {} instead of {}", name, wrong - mesh.weld.begin(), *wrong,
                *right);
}

Status check_mesh(const Mesh& mesh, const std::string& name) {
  if (!fits_index(mesh.points.size())) return broken("{}: more than 2^31 - 1 points", name);
  const std::size_t bad_point = first_not_finite(mesh.points);
  if (bad_point < mesh.points.size()) return broken("{}: point {} is not finite", name, bad_point);
  if (Status s = check_polygons(mesh, name); !s) return s;
  if (Status s = check_parts(mesh, name); !s) return s;
  if (Status s = check_attributes(mesh, name); !s) return s;
  for (std::size_t k = 0; k < mesh.shapes.size(); ++k) {
    if (Status s = check_shape(mesh, k, name); !s) return s;
  }
  if (Status s = check_weights(mesh, name); !s) return s;
  if (Status s = check_dqs_share(mesh, name); !s) return s;
  return check_weld(mesh, name);
}

Status check_materials(const Character& character) {
  const auto is_unit = [](float x) { return x >= 0 && x <= 1; };
  for (std::size_t k = 0; k < character.materials.size(); ++k) {
    const Material& material = character.materials[k];
    const Vec4& colour = material.base_colour;
    const Vec3& glow = material.emission;
    for (const float x : {colour.x, colour.y, colour.z, colour.w, glow.x, glow.y, glow.z, material.metallic,
                          material.roughness, material.alpha_cutoff}) {
      if (!is_unit(x)) return broken("{}: a number outside 0 to 1", thing("material", material.name, k));
    }
    for (const PicturePlace* place :
         {&material.base_colour_place, &material.normal_place, &material.emission_place}) {
      const Vec2 &offset = place->offset, &scale = place->scale;
      const bool is_finite_place = std::isfinite(offset.x) && std::isfinite(offset.y) &&
                                   std::isfinite(scale.x) && std::isfinite(scale.y) &&
                                   std::isfinite(place->turn);
      if (!is_finite_place || place->uv_set < 0)
        return broken("{}: a picture placement is not valid", thing("material", material.name, k));
    }
    for (const Index image : {material.base_colour_image, material.normal_image, material.emission_image}) {
      if (image != kNone && !is_index(image, character.images.size())) {
        return broken("{}: refers to image {} of {}", thing("material", material.name, k), image,
                      character.images.size());
      }
    }
  }
  for (std::size_t k = 0; k < character.images.size(); ++k) {
    const Image& image = character.images[k];
    if (image.name.empty() || image.name.find('/') != std::string::npos) {
      return broken("{}: its name is not a file name", thing("image", image.name, k));
    }
  }
  return Done{};
}

Status check_meshes(const Character& character) {
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const Mesh& mesh = character.meshes[m];
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      const Index material = mesh.parts[p].material;
      if (material != kNone && !is_index(material, character.materials.size())) {
        return broken("{}: part {} refers to material {} of {}", thing("mesh", mesh.name, m), p, material,
                      character.materials.size());
      }
    }
    if (Status s = check_mesh(mesh, thing("mesh", mesh.name, m)); !s) return s;
  }
  return Done{};
}

// ---- Skins and instances ------------------------------------------------------------------------------

Status check_skins(const Character& character) {
  for (std::size_t k = 0; k < character.skins.size(); ++k) {
    const Skin& skin = character.skins[k];
    const auto name = [&] { return thing("skin", skin.name, k); };
    if (skin.inverse_bind.size() != skin.node.size()) {
      return broken("{}: {} inverse binds for {} slots", name(), skin.inverse_bind.size(), skin.node.size());
    }
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      if (!is_index(skin.node[s], character.nodes.size())) {
        return broken("{}: slot {} refers to node {} of {}", name(), s, skin.node[s], character.nodes.size());
      }
      if (!is_finite(skin.inverse_bind[s])) {
        return broken("{}: the inverse bind of slot {} is not finite", name(), s);
      }
    }
  }
  return Done{};
}

// Highest slot in the rows of each mesh, or kNone: once per mesh, however many instances it has.
std::vector<Index> highest_slots(const Character& character) {
  std::vector<Index> highest;
  highest.reserve(character.meshes.size());
  for (const Mesh& mesh : character.meshes) {
    Index top = kNone;
    for (const Influence& influence : mesh.weights.influences) top = std::max(top, influence.slot);
    highest.push_back(top);
  }
  return highest;
}

Status check_instance(const Character& character, const Instance& instance, std::size_t k,
                      const std::vector<Index>& highest) {
  const auto broken_instance = [&](const std::string& fault) { return broken("instance {}: {}", k, fault); };
  if (!is_index(instance.node, character.nodes.size())) {
    return broken_instance(
        fmt::format("its node {} is not one of {}", instance.node, character.nodes.size()));
  }
  if (!is_index(instance.mesh, character.meshes.size())) {
    return broken_instance(
        fmt::format("its mesh {} is not one of {}", instance.mesh, character.meshes.size()));
  }
  const std::size_t m = static_cast<std::size_t>(instance.mesh);
  const Mesh& mesh = character.meshes[m];
  if (instance.shape_weights.size() != mesh.shapes.size()) {
    return broken_instance(fmt::format("{} shape weights for the {} shapes of {}",
                                       instance.shape_weights.size(), mesh.shapes.size(),
                                       thing("mesh", mesh.name, m)));
  }
  if (first_not_finite(instance.shape_weights) < instance.shape_weights.size()) {
    return broken_instance("a shape weight is not finite");
  }
  if (instance.skin == kNone) return Done{};
  if (!is_index(instance.skin, character.skins.size())) {
    return broken_instance(
        fmt::format("its skin {} is not one of {}", instance.skin, character.skins.size()));
  }
  if (mesh.weights.empty() && !mesh.points.empty()) {
    return broken_instance(fmt::format("it is skinned but {} has no weights", thing("mesh", mesh.name, m)));
  }
  const std::size_t s = static_cast<std::size_t>(instance.skin);
  const Skin& skin = character.skins[s];
  if (highest[m] != kNone && !is_index(highest[m], skin.node.size())) {
    return broken_instance(fmt::format("{} uses slot {} but {} has {} slots", thing("mesh", mesh.name, m),
                                       highest[m], thing("skin", skin.name, s), skin.node.size()));
  }
  return Done{};
}

Status check_instances(const Character& character) {
  const std::vector<Index> highest = highest_slots(character);
  for (std::size_t k = 0; k < character.instances.size(); ++k) {
    if (Status s = check_instance(character, character.instances[k], k, highest); !s) return s;
    if (k > 0 && character.instances[k].node < character.instances[k - 1].node) {
      return broken("instance {}: it is not in node order", k);
    }
  }
  return Done{};
}

// ---- Clips and controls -------------------------------------------------------------------------------

std::size_t target_count(const Character& character, ChannelPath path) {
  switch (path) {
    case ChannelPath::translation:
    case ChannelPath::rotation:
    case ChannelPath::scale:
      return character.nodes.size();
    case ChannelPath::shape_weights:
      return character.instances.size();
    case ChannelPath::control:
      return character.controls.size();
  }
  return 0;
}

Status check_channel(const Character& character, const Channel& channel, const std::string& name) {
  if (!is_index(channel.target, target_count(character, channel.path))) {
    return broken("{}: its target {} does not exist", name, channel.target);
  }
  if (channel.interpolation > Interpolation::cubic_spline) {
    return broken("{}: its interpolation is not step, linear or cubic spline", name);
  }
  if (channel.times.empty()) return broken("{}: it has no keys", name);
  const std::size_t bad_time = first_not_finite(channel.times);
  if (bad_time < channel.times.size()) return broken("{}: the time of key {} is not finite", name, bad_time);
  for (std::size_t k = 1; k < channel.times.size(); ++k) {
    if (channel.times[k] <= channel.times[k - 1])
      return broken("{}: times do not increase at key {}", name, k);
  }
  const std::size_t groups = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
  const std::size_t expected = channel.times.size() * channel_width(character, channel) * groups;
  if (channel.values.size() != expected) {
    return broken("{}: {} values, but its {} keys need {}", name, channel.values.size(), channel.times.size(),
                  expected);
  }
  const std::size_t bad_value = first_not_finite(channel.values);
  if (bad_value < channel.values.size()) return broken("{}: value {} is not finite", name, bad_value);
  return Done{};
}

Status check_clips(const Character& character) {
  for (std::size_t k = 0; k < character.clips.size(); ++k) {
    const Clip& clip = character.clips[k];
    std::unordered_set<std::uint64_t> seen;
    for (std::size_t c = 0; c < clip.channels.size(); ++c) {
      const Channel& channel = clip.channels[c];
      const std::string name = fmt::format("{}, channel {}", thing("clip", clip.name, k), c);
      if (Status s = check_channel(character, channel, name); !s) return s;
      const std::uint64_t key =
          static_cast<std::uint64_t>(channel.path) << 32 | static_cast<std::uint32_t>(channel.target);
      if (!seen.insert(key).second) return broken("{}: another channel has its path and target", name);
    }
  }
  return Done{};
}

Status check_controls(const Character& character) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t k = 0; k < character.controls.size(); ++k) {
    const Control& control = character.controls[k];
    if (control.name.empty()) return broken("control #{}: it has no name", k);
    if (!std::isfinite(control.rest))
      return broken("control {}: its rest is not finite", quoted_name(control.name));
    if (!(control.low <= control.high) || !std::isfinite(control.low) || !std::isfinite(control.high)) {
      return broken("control {}: its range is {} to {}", quoted_name(control.name), control.low,
                    control.high);
    }
    if (!seen.insert(control.name).second) {
      return broken("control {}: another control has that name", quoted_name(control.name));
    }
  }
  return Done{};
}

}  // namespace

Status validate(const Character& character) {
  return without_throwing("validate", [&]() -> Status {
    for (const auto check : {check_nodes, check_materials, check_meshes, check_skins, check_instances,
                             check_controls, check_clips, check_driving}) {
      if (Status s = check(character); !s) return s;
    }
    if (!(std::isfinite(character.metres_per_unit) && character.metres_per_unit > 0)) {
      return broken("the character: {} metres per unit", character.metres_per_unit);
    }
    return Done{};
  });
}

}  // namespace dermis
