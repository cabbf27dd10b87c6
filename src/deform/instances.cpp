// SPDX-License-Identifier: MIT
// Poses instances and whole scenes: shapes, then the skin or the node's transform, in world space.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "deform/skinning.h"
#include "deform/weight_gradients.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

// What moves one instance, and the surface it moves.
struct Moved {
  const Mesh* mesh = nullptr;
  Surface rest;  // with its shapes
  std::vector<Affined> palette;
  Followed followed = Followed::one_joint();
  NormalMode normals = NormalMode::shading;
  std::optional<WeightGradients> gradients;

  Blender<double> blender() const { return {palette, normals, gradients ? &*gradients : nullptr}; }
};

Moved moved_instance(const Character& character, const PoseFrame& frame, Index index,
                     const DeformOptions& options) {
  const std::size_t k = static_cast<std::size_t>(index);
  const Instance& instance = character.instances[k];
  Moved moved;
  moved.mesh = &character.meshes[static_cast<std::size_t>(instance.mesh)];
  moved.rest = shaped_surface(*moved.mesh, frame.shape_weights[k]);
  moved.normals = options.normals;
  if (instance.skin == kNone) {
    moved.palette = {frame.world_from_node[static_cast<std::size_t>(instance.node)]};
    return moved;
  }
  const std::span<const Affined> palette = frame.palette_of(instance.skin);
  moved.palette.assign(palette.begin(), palette.end());
  const WeightRows& rows = moved.mesh->weights;
  if (options.method == SkinMethod::rigid) {
    moved.followed = Followed::heaviest(rows, palette.size());
  } else {
    moved.followed = Followed::all(rows);
    if (options.normals == NormalMode::exact && !moved.rest.points.empty()) {
      moved.gradients = weight_gradients(*moved.mesh, moved.rest.points);
    }
  }
  return moved;
}

Surface posed_surface(const Moved& moved) {
  Surface posed;
  posed.points.resize(moved.rest.points.size());
  posed.normals.resize(moved.rest.normals.size());
  posed.tangents.resize(moved.rest.tangents.size());
  skin_surface<double>(moved.blender(), moved.followed,
                       {moved.rest.points, moved.rest.normals, moved.rest.tangents},
                       {posed.points, posed.normals, posed.tangents});
  return posed;
}

Status check_finite(const Surface& posed, const Mesh& mesh) {
  const auto is_bad = [](const Vec3& point) { return !is_finite(point); };
  const auto bad = std::find_if(posed.points.begin(), posed.points.end(), is_bad);
  if (bad == posed.points.end()) return Done{};
  return Error{Errc::bad_rig, fmt::format("mesh {}: the pose takes point {} out of the range of numbers",
                                          quoted_name(mesh.name), bad - posed.points.begin())};
}

// ---- Normals and tangents on corners ------------------------------------------------------------------

// What a posed corner value depends on.
struct CornerKey {
  Index point = 0, normal = kNone, tangent = kNone;
  friend bool operator==(const CornerKey&, const CornerKey&) = default;
};
struct CornerKeyHash {
  std::size_t operator()(const CornerKey& key) const {
    std::uint64_t h = static_cast<std::uint32_t>(key.point);
    for (const Index part : {key.normal, key.tangent}) {
      h = (h ^ (h >> 29)) * 0x9e3779b97f4a7c15ULL + static_cast<std::uint32_t>(part);
    }
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

// A file may share one normal between corners whose points move apart, so values are split by point.
class CornerValues {
 public:
  CornerValues(const Moved& moved, bool with_tangents) {
    const std::vector<Index>& corners = moved.mesh->polygons.corners;
    std::unordered_map<CornerKey, Index, CornerKeyHash> known;
    corner_value.reserve(corners.size());
    for (std::size_t c = 0; c < corners.size(); ++c) {
      CornerKey key;
      if (!moved.followed.is_one_joint()) key.point = corners[c];
      key.normal = value_of(moved.mesh->normals, corners, c);
      if (with_tangents) key.tangent = value_of(moved.mesh->tangents, corners, c);
      const auto [entry, is_new] = known.try_emplace(key, static_cast<Index>(keys.size()));
      if (is_new) keys.push_back(key);
      corner_value.push_back(entry->second);
    }
  }

  std::vector<CornerKey> keys;
  std::vector<Index> corner_value;

 private:
  template <class Value>
  static Index value_of(const Attribute<Value>& attribute, const std::vector<Index>& corners, std::size_t c) {
    if (attribute.empty()) return kNone;
    return attribute.is_per_point() ? corners[c] : attribute.corner_value[c];
  }
};

// Calls write(k, map, posed normal) for each key; the normal is zero when the mesh has none.
void pose_keys(const Moved& moved, const std::vector<CornerKey>& keys,
               const std::function<void(std::size_t, const LocalMap<double>&, const Vec3d&)>& write) {
  constexpr std::size_t kGrain = 1024;
  const Blender<double> blender = moved.blender();
  const Attribute<Vec3>& attribute = moved.mesh->normals;
  const std::vector<Vec3>& normals = attribute.is_per_point() ? moved.rest.normals : attribute.values;
  parallel_for(keys.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t v = static_cast<std::size_t>(keys[k].point);
      const LocalMap<double> map = blender.at(v, Vec3d(moved.rest.points[v]), moved.followed.row(v));
      Vec3d normal;
      if (keys[k].normal != kNone) {
        normal = posed_normal(map, Vec3d(normals[static_cast<std::size_t>(keys[k].normal)]));
      }
      write(k, map, normal);
    }
  });
}

Attribute<Vec3> posed_corner_normals(const Moved& moved) {
  CornerValues values(moved, false);
  Attribute<Vec3> posed;
  posed.values.resize(values.keys.size());
  pose_keys(moved, values.keys, [&](std::size_t k, const LocalMap<double>&, const Vec3d& normal) {
    posed.values[k] = Vec3(normal);
  });
  posed.corner_value = std::move(values.corner_value);
  return posed;
}

Attribute<Vec4> posed_corner_tangents(const Moved& moved) {
  const Attribute<Vec4>& attribute = moved.mesh->tangents;
  const std::vector<Vec4>& tangents = attribute.is_per_point() ? moved.rest.tangents : attribute.values;
  CornerValues values(moved, true);
  Attribute<Vec4> posed;
  posed.values.resize(values.keys.size());
  pose_keys(moved, values.keys, [&](std::size_t k, const LocalMap<double>& map, const Vec3d& normal) {
    const Vec4& rest = tangents[static_cast<std::size_t>(values.keys[k].tangent)];
    posed.values[k] = posed_tangent(map, rest, normal);
  });
  posed.corner_value = std::move(values.corner_value);
  return posed;
}

// ---- Meshes of the posed scene ------------------------------------------------------------------------

// True when every joint the instance follows mirrors: then outside is where the corners turn clockwise.
bool is_turned_inside_out(const Moved& moved) {
  if (moved.followed.is_one_joint()) return determinant(moved.palette.front().linear) < 0;
  std::vector<bool> is_mirror;
  for (const Affined& joint : moved.palette) is_mirror.push_back(determinant(joint.linear) < 0);
  const std::vector<Influence>& influences = moved.mesh->weights.influences;
  return !influences.empty() && std::all_of(influences.begin(), influences.end(), [&](const Influence& i) {
    return is_mirror[static_cast<std::size_t>(i.slot)];
  });
}

// Reverses each polygon but for its first corner, and whatever runs along the corners.
void flip_winding(Mesh& mesh) {
  const std::vector<std::uint32_t>& first = mesh.polygons.first;
  const auto flip = [&](std::vector<Index>& along) {
    if (along.empty()) return;
    for (std::size_t p = 0; p + 1 < first.size(); ++p) {
      std::reverse(along.begin() + first[p] + 1, along.begin() + first[p + 1]);
    }
  };
  flip(mesh.polygons.corners);
  flip(mesh.normals.corner_value);
  flip(mesh.tangents.corner_value);
  for (Attribute<Vec2>& uv : mesh.uvs) flip(uv.corner_value);
  for (Attribute<Vec4>& colour : mesh.colours) flip(colour.corner_value);
}

Result<Mesh> posed_mesh(const Moved& moved) {
  Surface posed = posed_surface(moved);
  if (Status s = check_finite(posed, *moved.mesh); !s) return s.error();
  Mesh mesh;
  mesh.name = moved.mesh->name;
  mesh.points = std::move(posed.points);
  mesh.polygons = moved.mesh->polygons;
  mesh.parts = moved.mesh->parts;
  mesh.uvs = moved.mesh->uvs;
  mesh.colours = moved.mesh->colours;
  const bool has_corner_normals = !moved.mesh->normals.is_per_point();
  mesh.normals.values = std::move(posed.normals);
  if (has_corner_normals) mesh.normals = posed_corner_normals(moved);
  mesh.tangents.values = std::move(posed.tangents);
  // Tangents lie along the surface that the normals say, so they follow them to the corners.
  if (!moved.mesh->tangents.empty() && (has_corner_normals || !moved.mesh->tangents.is_per_point())) {
    mesh.tangents = posed_corner_tangents(moved);
  }
  mesh.weld = weld_coincident(mesh.points);
  if (is_turned_inside_out(moved)) flip_winding(mesh);
  return mesh;
}

std::vector<Index> instances_in_scene(const Character& character) {
  std::vector<Index> instances;
  for (std::size_t k = 0; k < character.instances.size(); ++k) {
    if (character.instances[k].in_scene) instances.push_back(static_cast<Index>(k));
  }
  return instances;
}

}  // namespace

Result<Surface> deform_instance(const Character& character, const PoseFrame& frame, Index instance,
                                const DeformOptions& options) {
  return without_throwing("posing a mesh", [&]() -> Result<Surface> {
    const Moved moved = moved_instance(character, frame, instance, options);
    Surface posed = posed_surface(moved);
    if (Status s = check_finite(posed, *moved.mesh); !s) return s.error();
    return posed;
  });
}

Result<Character> deform_character(const Character& character, const PoseFrame& frame,
                                   const DeformOptions& options, const Progress& progress) {
  return without_throwing("posing the scene", [&]() -> Result<Character> {
    Character still;
    still.name = character.name;
    still.materials = character.materials;
    still.images = character.images;
    still.metres_per_unit = character.metres_per_unit;
    still.is_unit_guessed = character.is_unit_guessed;
    const std::vector<Index> instances = instances_in_scene(character);
    for (std::size_t k = 0; k < instances.size(); ++k) {
      const double fraction = static_cast<double>(k) / static_cast<double>(instances.size());
      if (Status s = progress.at("posing meshes", fraction); !s) return s.error();
      Result<Mesh> mesh = posed_mesh(moved_instance(character, frame, instances[k], options));
      if (!mesh) return mesh.error();
      const Instance& instance = character.instances[static_cast<std::size_t>(instances[k])];
      Node node;
      node.name = character.nodes[static_cast<std::size_t>(instance.node)].name;
      still.nodes.push_back(std::move(node));
      still.meshes.push_back(std::move(*mesh));
      Instance posed;
      posed.node = posed.mesh = static_cast<Index>(k);
      still.instances.push_back(std::move(posed));
    }
    if (Status s = progress.at("posing meshes", 1.0); !s) return s.error();
    return still;
  });
}

}  // namespace dermis
