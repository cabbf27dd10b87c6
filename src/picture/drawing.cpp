// SPDX-License-Identifier: MIT
// Characters and their joints as things to draw.
#include <algorithm>
#include <map>
#include <tuple>

#include "dermis/geometry.h"
#include "dermis/picture.h"

namespace dermis {
namespace {

DrawnMaterial drawn_material(const Material& material, std::span<const Pixels> textures) {
  DrawnMaterial drawn;
  drawn.colour = material.base_colour;
  drawn.emission = material.emission;
  drawn.metallic = material.metallic;
  drawn.roughness = material.roughness;
  drawn.is_double_sided = material.is_double_sided;
  drawn.alpha = material.alpha;
  drawn.alpha_cutoff = material.alpha_cutoff;
  const auto drawn_texture = [&](Index image) {
    const bool is_there = image != kNone && at(image) < textures.size() && !textures[at(image)].empty();
    return is_there ? image : kNone;
  };
  drawn.texture = drawn_texture(material.base_colour_image);
  drawn.wrap = {material.base_colour_place.wrap_u, material.base_colour_place.wrap_v};
  drawn.emission_texture = drawn_texture(material.emission_image);
  drawn.emission_wrap = {material.emission_place.wrap_u, material.emission_place.wrap_v};
  // Emission that a picture would modulate, without the picture.
  if (material.emission_image != kNone && drawn.emission_texture == kNone) drawn.emission = {};
  return drawn;
}

// Whether a mesh has the texture coordinates of a picture.
bool can_place(const Mesh& mesh, const PicturePlace& place) {
  return at(place.uv_set) < mesh.uvs.size() && !mesh.uvs[at(place.uv_set)].empty();
}

// The materials of a drawing, and copies without the pictures for which some mesh has no coordinates.
class DrawnMaterials {
 public:
  DrawnMaterials(const Character& still, std::span<const Pixels> textures, std::vector<DrawnMaterial>& drawn)
      : still_(still), drawn_(drawn) {
    for (const Material& material : still.materials) drawn.push_back(drawn_material(material, textures));
    drawn.emplace_back();  // clay
  }

  // The drawing's material for a part of `mesh`.
  Index of(const Mesh& mesh, Index material) {
    if (material == kNone) return static_cast<Index>(still_.materials.size());
    const bool has_colour = shows_colour(mesh, material), has_emission = shows_emission(mesh, material);
    const DrawnMaterial& whole = drawn_[at(material)];
    if (has_colour == (whole.texture != kNone) && has_emission == (whole.emission_texture != kNone))
      return material;
    const auto [known, is_new] = bare_.try_emplace({material, has_colour, has_emission}, kNone);
    if (!is_new) return known->second;
    DrawnMaterial bare = whole;
    if (!has_colour) bare.texture = kNone;
    if (!has_emission && bare.emission_texture != kNone) {
      bare.emission_texture = kNone;
      bare.emission = {};
    }
    drawn_.push_back(bare);
    return known->second = static_cast<Index>(drawn_.size() - 1);
  }
  bool shows_colour(const Mesh& mesh, Index material) const {
    return drawn_[at(material)].texture != kNone &&
           can_place(mesh, still_.materials[at(material)].base_colour_place);
  }
  bool shows_emission(const Mesh& mesh, Index material) const {
    return drawn_[at(material)].emission_texture != kNone &&
           can_place(mesh, still_.materials[at(material)].emission_place);
  }
  const Material& material(Index index) const { return still_.materials[at(index)]; }

 private:
  const Character& still_;
  std::vector<DrawnMaterial>& drawn_;
  std::map<std::tuple<Index, bool, bool>, Index> bare_;  // by the pictures they still show
};

// The attribute as a list per point, which holds after split_corners.
template <class Value>
std::vector<Value> on_points(const Attribute<Value>& attribute) {
  return attribute.is_per_point() ? attribute.values : std::vector<Value>{};
}

// Texture coordinates of a part's points, placed by its pictures; after split_corners no other part shares
// them.
void place_pictures(const Mesh& mesh, const MeshPart& part, const DrawnMaterials& materials,
                    DrawnMesh& drawn) {
  if (part.material == kNone) return;
  const auto add = [&](const PicturePlace& place, std::vector<Vec2>& uvs) {
    uvs.resize(mesh.points.size());
    for (std::size_t v = at(part.first_point); v < at(part.first_point + part.point_count); ++v)
      uvs[v] = place(mesh.uvs[at(place.uv_set)].values[v]);
  };
  const Material& material = materials.material(part.material);
  if (materials.shows_colour(mesh, part.material)) add(material.base_colour_place, drawn.uvs);
  if (materials.shows_emission(mesh, part.material)) add(material.emission_place, drawn.emission_uvs);
}

// Triangulated polygon by polygon; the part determines the material.
void add_triangles(const Mesh& mesh, DrawnMaterials& materials, DrawnMesh& drawn) {
  std::vector<std::uint32_t> corners;
  for (const MeshPart& part : mesh.parts) {
    const Index material = materials.of(mesh, part.material);
    place_pictures(mesh, part, materials, drawn);
    for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p) {
      const std::span<const Index> polygon = mesh.polygons.polygon(at(p));
      corners.clear();
      triangulate_polygon(mesh.points, polygon, corners);
      const auto point = [&](std::size_t k) { return static_cast<std::uint32_t>(polygon[corners[k]]); };
      for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
        drawn.triangles.push_back({point(k), point(k + 1), point(k + 2)});
        drawn.material.push_back(material);
      }
    }
  }
}

std::vector<std::array<std::uint32_t, 2>> polygon_sides(const Polygons& polygons) {
  std::vector<std::array<std::uint32_t, 2>> sides;
  sides.reserve(polygons.corners.size());
  for (std::size_t p = 0; p < polygons.count(); ++p) {
    const std::span<const Index> polygon = polygons.polygon(p);
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const auto a = static_cast<std::uint32_t>(polygon[k]);
      const auto b = static_cast<std::uint32_t>(polygon[(k + 1) % polygon.size()]);
      sides.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(sides.begin(), sides.end());
  sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
  return sides;
}

DrawnMesh drawn_mesh(const Mesh& mesh, DrawnMaterials& materials) {
  SplitMesh split = split_corners(mesh);
  DrawnMesh drawn;
  if (!split.mesh.uvs.empty()) drawn.uvs = on_points(split.mesh.uvs[0]);
  add_triangles(split.mesh, materials, drawn);
  drawn.edges = polygon_sides(split.mesh.polygons);
  drawn.normals = on_points(split.mesh.normals);
  if (!split.mesh.colours.empty()) drawn.colours = on_points(split.mesh.colours[0]);
  drawn.points = std::move(split.mesh.points);
  drawn.source = std::move(split.source);
  return drawn;
}

// The points that triangles use, each once: files may hold others anywhere. A triangle with a corner that is
// not finite is skipped.
void add_corners(const DrawnMesh& mesh, std::vector<Vec3>& points) {
  std::vector<bool> is_shown(mesh.points.size(), false);
  for (const auto& [a, b, c] : mesh.triangles) {
    const bool is_drawn = is_finite(mesh.points[a]) && is_finite(mesh.points[b]) && is_finite(mesh.points[c]);
    if (is_drawn) is_shown[a] = is_shown[b] = is_shown[c] = true;
  }
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    if (is_shown[v]) points.push_back(mesh.points[v]);
  }
}

std::vector<bool> joints_of(const Character& character) {
  return character.skins.empty() ? std::vector<bool>(character.nodes.size(), true) : skin_joints(character);
}

// The nearest ancestor that is a joint.
Index joint_above(const Character& character, const std::vector<bool>& is_joint, Index node) {
  Index above = character.nodes[at(node)].parent;
  while (above != kNone && !is_joint[at(above)]) above = character.nodes[at(above)].parent;
  return above;
}

}  // namespace

std::vector<Vec3> points_of(const Drawing& drawing) {
  std::vector<Vec3> points;
  for (const DrawnMesh& mesh : drawing.meshes) add_corners(mesh, points);
  for (const DrawnBone& bone : drawing.bones) {
    points.push_back(bone.head);
    points.push_back(bone.tail);
  }
  if (!points.empty()) return points;
  for (const DrawnMesh& mesh : drawing.meshes)
    points.insert(points.end(), mesh.points.begin(), mesh.points.end());
  return points;
}

Box Drawing::box() const {
  Box box;
  for (const Vec3& point : points_of(*this)) {
    if (is_finite(point)) box.add(Vec3d(point));
  }
  return box;
}

Drawing draw_character(const Character& still, std::shared_ptr<const std::vector<Pixels>> textures) {
  Drawing drawing;
  const std::span<const Pixels> pictures = textures ? std::span(*textures) : std::span<const Pixels>();
  drawing.textures = std::move(textures);
  DrawnMaterials materials(still, pictures, drawing.materials);
  for (const Instance& instance : still.instances) {
    if (instance.mesh != kNone)
      drawing.meshes.push_back(drawn_mesh(still.meshes[at(instance.mesh)], materials));
  }
  return drawing;
}

std::vector<DrawnBone> draw_bones(const Character& character, std::span<const Affined> world_from_node) {
  assert(world_from_node.size() == character.nodes.size());
  const std::vector<bool> is_joint = joints_of(character);
  const auto place = [&](Index node) { return Vec3(world_from_node[at(node)].translation); };
  std::vector<bool> has_bone(character.nodes.size());
  std::vector<DrawnBone> bones;
  for (Index node = 0; node < static_cast<Index>(character.nodes.size()); ++node) {
    if (!is_joint[at(node)]) continue;
    const Index above = joint_above(character, is_joint, node);
    if (above == kNone) continue;
    bones.push_back({place(above), place(node)});
    has_bone[at(above)] = has_bone[at(node)] = true;
  }
  for (Index node = 0; node < static_cast<Index>(character.nodes.size()); ++node) {
    if (is_joint[at(node)] && !has_bone[at(node)]) bones.push_back({place(node), place(node)});
  }
  return bones;
}

}  // namespace dermis
