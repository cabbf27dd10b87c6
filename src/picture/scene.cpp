// SPDX-License-Identifier: MIT
// From a drawing to one list of triangles in scene coordinates.
#include "picture/scene.h"

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

// The value that means no height was given; see RenderOptions::ground.
constexpr double kNoHeight = -1e299;

bool is_below(Index i, std::size_t count) { return i >= 0 && static_cast<std::size_t>(i) < count; }

bool fits(const DrawnMesh& mesh, std::size_t material_count) {
  const std::size_t count = mesh.points.size();
  const auto is_list = [&](const auto& values) { return values.empty() || values.size() == count; };
  const auto is_triangle = [&](const auto& t) { return t[0] < count && t[1] < count && t[2] < count; };
  return is_list(mesh.normals) && is_list(mesh.uvs) && is_list(mesh.emission_uvs) && is_list(mesh.colours) &&
         mesh.material.size() == mesh.triangles.size() &&
         std::all_of(mesh.triangles.begin(), mesh.triangles.end(), is_triangle) &&
         std::all_of(mesh.material.begin(), mesh.material.end(),
                     [&](Index m) { return is_below(m, material_count); });
}

Status check(const Drawing& drawing) {
  for (const DrawnMesh& mesh : drawing.meshes) {
    if (!fits(mesh, drawing.materials.size())) {
      return Error{Errc::bad_argument, "the lists of a drawn mesh do not match"};
    }
  }
  return Done{};
}

SceneSpace space_of(const Box& box) {
  const double radius = box.diagonal() / 2;
  return {box.centre(), radius > 0 ? 1 / radius : 1.0};
}

// Smooth across seams too, where points coincide.
std::vector<Vec3> smooth_normals(const DrawnMesh& mesh) {
  const std::vector<std::int32_t> weld = weld_coincident(mesh.points);
  std::vector<std::uint32_t> first{0};
  std::vector<std::int32_t> corners;
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t v : triangle) corners.push_back(weld[v]);
    first.push_back(static_cast<std::uint32_t>(corners.size()));
  }
  std::vector<Vec3> normals = point_normals(mesh.points, first, corners);
  for (std::size_t v = 0; v < normals.size(); ++v) normals[v] = normals[static_cast<std::size_t>(weld[v])];
  return normals;
}

void add_points(const DrawnMesh& mesh, Scene& scene) {
  for (const Vec3& point : mesh.points) scene.points.push_back(Vec3(scene.space.inside(Vec3d(point))));
  const std::vector<Vec3> normals = mesh.normals.empty() ? smooth_normals(mesh) : mesh.normals;
  for (const Vec3& normal : normals) {
    scene.normals.push_back(is_finite(normal) ? normalized(normal) : Vec3{});
  }
}

// Default values for a mesh that has none, if other meshes have some.
template <class Value>
void add_values(const std::vector<Value>& values, std::size_t before, std::size_t count, const Value& none,
                std::vector<Value>& all) {
  if (values.empty() && all.empty()) return;
  all.resize(before, none);
  all.insert(all.end(), values.begin(), values.end());
  all.resize(before + count, none);
}

bool is_edge(const std::vector<std::array<std::uint32_t, 2>>& edges, std::uint32_t a, std::uint32_t b) {
  return std::binary_search(edges.begin(), edges.end(), std::array{std::min(a, b), std::max(a, b)});
}

void add_triangles(const DrawnMesh& mesh, std::uint32_t first_point, bool has_wires, Scene& scene) {
  std::vector<std::array<std::uint32_t, 2>> edges = has_wires ? mesh.edges : decltype(mesh.edges){};
  for (auto& edge : edges) edge = {std::min(edge[0], edge[1]), std::max(edge[0], edge[1])};
  std::sort(edges.begin(), edges.end());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    if (!is_finite(mesh.points[a]) || !is_finite(mesh.points[b]) || !is_finite(mesh.points[c])) continue;
    scene.triangles.push_back({first_point + a, first_point + b, first_point + c});
    scene.material.push_back(static_cast<std::uint32_t>(mesh.material[t]));
    if (!has_wires) continue;
    const int sides = is_edge(edges, a, b) + 2 * is_edge(edges, b, c) + 4 * is_edge(edges, c, a);
    scene.wires.push_back(static_cast<std::uint8_t>(sides));
  }
}

void add_mesh(const DrawnMesh& mesh, bool has_wires, Scene& scene) {
  const std::size_t before = scene.points.size();
  add_points(mesh, scene);
  add_values(mesh.uvs, before, mesh.points.size(), {}, scene.uvs);
  add_values(mesh.colours, before, mesh.points.size(), {1, 1, 1, 1}, scene.colours);
  add_triangles(mesh, static_cast<std::uint32_t>(before), has_wires, scene);
}

// Only textures that a material shows are prepared; kNone if there is nothing to show.
Index ready_texture(const Drawing& drawing, Index texture, const std::vector<Vec2>& uvs, Scene& scene) {
  if (!is_below(texture, scene.textures.size()) || uvs.empty()) return kNone;
  const std::size_t k = static_cast<std::size_t>(texture);
  if (scene.textures[k].empty()) scene.textures[k] = make_texture((*drawing.textures)[k]);
  return scene.textures[k].empty() ? kNone : texture;
}

void add_materials(const Drawing& drawing, Scene& scene) {
  scene.materials = drawing.materials;
  if (drawing.textures) scene.textures.resize(drawing.textures->size());
  for (DrawnMaterial& material : scene.materials) {
    material.texture = ready_texture(drawing, material.texture, scene.uvs, scene);
    material.emission_texture =
        ready_texture(drawing, material.emission_texture, scene.uvs_of_emission(), scene);
  }
}

// A triangle either blocks a light ray or not: it does if its opacity is above one half. The mean opacity of
// its texture is taken from the level on which the triangle is about one pixel large.
bool stops_light(const Scene& scene, std::size_t t) {
  const DrawnMaterial& material = scene.materials[scene.material[t]];
  if (material.alpha == Alpha::ignored) return true;
  float opacity = material.colour.w;
  const auto& [a, b, c] = scene.triangles[t];
  if (!scene.colours.empty()) opacity *= (scene.colours[a].w + scene.colours[b].w + scene.colours[c].w) / 3;
  if (material.texture != kNone) {
    const Texture& texture = scene.textures[static_cast<std::size_t>(material.texture)];
    const Vec2 &p = scene.uvs[a], &q = scene.uvs[b], &r = scene.uvs[c];
    const float area = std::abs((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
    const float pixels =
        static_cast<float>(texture.levels[0].width) * static_cast<float>(texture.levels[0].height);
    const Vec2 middle{(p.x + q.x + r.x) / 3, (p.y + q.y + r.y) / 3};
    opacity *= texture_at(texture, material.wrap, middle, std::sqrt(area * pixels)).w;
  }
  return opacity >= 0.5f;
}

Status build_trees(Scene& scene, const Progress& progress) {
  Result<RayTree> tree = build_ray_tree(scene.points, scene.triangles, progress);
  if (!tree) return tree.error();
  scene.tree = std::move(*tree);
  std::vector<SurfaceMesh::Triangle> blockers;
  for (std::size_t t = 0; t < scene.triangles.size(); ++t) {
    if (stops_light(scene, t)) blockers.push_back(scene.triangles[t]);
  }
  if (blockers.size() == scene.triangles.size()) return Done{};
  Result<RayTree> light_tree = build_ray_tree(scene.points, blockers, progress);
  if (!light_tree) return light_tree.error();
  scene.blockers = std::move(*light_tree);
  return Done{};
}

}  // namespace

Result<Scene> make_scene(const Drawing& drawing, const RenderOptions& options, const Progress& progress) {
  if (const Status checked = check(drawing); !checked) return checked.error();
  Scene scene;
  const Box box = drawing.box();
  scene.space = space_of(box);
  const bool has_emission_uvs = std::any_of(drawing.meshes.begin(), drawing.meshes.end(),
                                            [](const DrawnMesh& mesh) { return !mesh.emission_uvs.empty(); });
  for (const DrawnMesh& mesh : drawing.meshes) {
    if (const Status going = progress.at("preparing the picture", 0); !going) return going.error();
    const std::size_t before = scene.points.size();
    add_mesh(mesh, options.has_wireframe, scene);
    if (!has_emission_uvs) continue;
    add_values(mesh.emission_uvs.empty() ? mesh.uvs : mesh.emission_uvs, before, mesh.points.size(), {},
               scene.emission_uvs);
  }
  if (scene.triangles.empty() && (drawing.bones.empty() || box.is_empty())) {
    return Error{Errc::bad_argument, "there is nothing to draw: no triangle and no bone"};
  }
  const double height = options.ground > kNoHeight ? options.ground : box.lower.y;
  scene.ground = (height - scene.space.centre.y) * scene.space.scale;
  add_materials(drawing, scene);
  if (const Status built = build_trees(scene, progress); !built) return built.error();
  return scene;
}

}  // namespace dermis
