// SPDX-License-Identifier: MIT
// From a drawing to one list of triangles in a space of its own.
#include "picture/scene.h"

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

// The lowest a floor can be said to be; see RenderOptions::ground.
constexpr double kNoHeight = -1e299;

bool is_below(Index i, std::size_t count) { return i >= 0 && static_cast<std::size_t>(i) < count; }

bool fits(const DrawnMesh& mesh, std::size_t material_count) {
  const std::size_t count = mesh.points.size();
  const auto is_list = [&](const auto& values) { return values.empty() || values.size() == count; };
  const auto is_triangle = [&](const auto& t) { return t[0] < count && t[1] < count && t[2] < count; };
  return is_list(mesh.normals) && is_list(mesh.uvs) && is_list(mesh.colours) &&
         mesh.material.size() == mesh.triangles.size() &&
         std::all_of(mesh.triangles.begin(), mesh.triangles.end(), is_triangle) &&
         std::all_of(mesh.material.begin(), mesh.material.end(),
                     [&](Index m) { return is_below(m, material_count); });
}

Status check(const Drawing& drawing) {
  for (const DrawnMesh& mesh : drawing.meshes) {
    if (!fits(mesh, drawing.materials.size())) {
      return Error{Errc::bad_argument, "the lists of a drawn mesh do not fit each other"};
    }
  }
  return Done{};
}

SceneSpace space_of(const Box& box) {
  const double radius = box.diagonal() / 2;
  return {box.centre(), radius > 0 ? 1 / radius : 1.0};
}

// Smooth also across seams, where points stand on each other.
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

// Values of a mesh that has none among meshes that have.
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

// Only what a material shows.
void add_textures(const Drawing& drawing, Scene& scene) {
  scene.materials = drawing.materials;
  if (!drawing.textures) {
    for (DrawnMaterial& material : scene.materials) material.texture = kNone;
    return;
  }
  const std::vector<Pixels>& pictures = *drawing.textures;
  scene.textures.resize(pictures.size());
  for (DrawnMaterial& material : scene.materials) {
    if (!is_below(material.texture, pictures.size())) material.texture = kNone;
    if (material.texture == kNone) continue;
    const std::size_t k = static_cast<std::size_t>(material.texture);
    if (scene.textures[k].empty()) scene.textures[k] = make_texture(pictures[k]);
    if (scene.textures[k].empty() || scene.uvs.empty()) material.texture = kNone;
  }
}

}  // namespace

Result<Scene> make_scene(const Drawing& drawing, const RenderOptions& options) {
  if (const Status checked = check(drawing); !checked) return checked.error();
  Scene scene;
  const Box box = drawing.box();
  scene.space = space_of(box);
  for (const DrawnMesh& mesh : drawing.meshes) add_mesh(mesh, options.has_wireframe, scene);
  if (scene.triangles.empty() && (drawing.bones.empty() || box.is_empty())) {
    return Error{Errc::bad_argument, "there is nothing to draw: no triangle and no bone"};
  }
  const double height = options.ground > kNoHeight ? options.ground : box.lower.y;
  scene.ground = (height - scene.space.centre.y) * scene.space.scale;
  add_textures(drawing, scene);
  Result<RayTree> tree = build_ray_tree(scene.points, scene.triangles);
  if (!tree) return tree.error();
  scene.tree = std::move(*tree);
  return scene;
}

}  // namespace dermis
