// SPDX-License-Identifier: MIT
// Selects points by joints, shells and regions.
#include "ops/weights/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

namespace dermis {
namespace {

// The chosen meshes at rest, in the world.
using RestPoints = std::vector<std::vector<Vec3>>;

Result<RestPoints> rest_points(const Character& character, const std::vector<ChosenMesh>& chosen,
                               const std::string& file) {
  const Result<PoseFrame> rest = pose_frame(character, {});
  if (!rest) return prefixed(file, rest.error());
  RestPoints points;
  for (const ChosenMesh& one : chosen) {
    Result<Surface> surface = deform_instance(character, *rest, one.instance, {});
    if (!surface) return prefixed(file, surface.error());
    points.push_back(std::move(surface->points));
  }
  return points;
}

// ---- Joints -------------------------------------------------------------------------------------------

Result<std::vector<PointChoice>> points_following(const Character& character,
                                                  const std::vector<std::string>& labels,
                                                  const std::vector<ChosenMesh>& chosen,
                                                  const std::string& file) {
  // One that no skin names is a mistake, as for locks.
  const Result<std::vector<SlotLocks>> asked = joints_of(character, labels, file, "selected joints");
  if (!asked) return asked.error();
  std::vector<PointChoice> points;
  for (const ChosenMesh& one : chosen) {
    const WeightRows& rows = character.meshes[at(one.mesh)].weights;
    const SlotLocks& slots = (*asked)[at(one.skin)];
    PointChoice& choice = points.emplace_back(character.meshes[at(one.mesh)].points.size(), false);
    for (std::size_t v = 0; v < choice.size() && !slots.empty(); ++v) {
      const std::span<const Influence> row = rows.row(v);
      choice[v] = std::any_of(row.begin(), row.end(), [&](const Influence& i) { return slots[at(i.slot)]; });
    }
  }
  return points;
}

// ---- Shells -------------------------------------------------------------------------------------------

// The place of a shell's mesh in the list of chosen ones.
Result<std::size_t> place_of_shell(const Character& character, const ShellChoice& shell,
                                   const std::vector<ChosenMesh>& chosen, const std::string& file) {
  if (shell.mesh.empty()) {
    if (chosen.size() == 1) return std::size_t{0};
    return Error{Errc::usage,
                 fmt::format("{}: shell {} of which mesh? {} are selected", file, shell.shell, chosen.size())}
        .with_remedy("shell", fmt::format("MESH:{}", shell.shell))
        .with_remedy("mesh");
  }
  const Result<Index> mesh = find_mesh(character, shell.mesh);
  if (!mesh) return prefixed(file, mesh.error());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (chosen[k].mesh == *mesh) return k;
  }
  return Error{Errc::bad_argument,
               fmt::format("{}: mesh {}, whose shell is selected, is not one that is worked on", file,
                           quoted_name(shell.mesh))};
}

Result<std::vector<PointChoice>> in_shells(const Character& character, const std::vector<ShellChoice>& shells,
                                           const std::vector<ChosenMesh>& chosen, const std::string& file) {
  std::vector<PointChoice> points;
  points.reserve(chosen.size());
  for (const ChosenMesh& one : chosen)
    points.emplace_back(character.meshes[at(one.mesh)].points.size(), false);
  for (const ShellChoice& asked : shells) {
    const Result<std::size_t> place = place_of_shell(character, asked, chosen, file);
    if (!place) return place.error();
    const Index mesh = chosen[*place].mesh;
    const Mesh& body = character.meshes[at(mesh)];
    const std::vector<Index> shell =
        shells_of_welded_points(body.weld, body.polygons.first, body.polygons.corners);
    const Index last = shell.empty() ? kNone : *std::max_element(shell.begin(), shell.end());
    const std::size_t count = last == kNone ? 0 : at(last) + 1;
    if (asked.shell < 0 || at(asked.shell) >= count)
      return Error{Errc::bad_argument, fmt::format("{}: mesh {} has no shell {}; it has {}, numbered from 0",
                                                   file, quoted_name(mesh_label(character, mesh)),
                                                   asked.shell, counted(count, "shell", "shells"))};
    for (std::size_t v = 0; v < shell.size(); ++v) {
      if (shell[v] == asked.shell) points[*place][v] = true;
    }
  }
  return points;
}

// ---- Regions ------------------------------------------------------------------------------------------

bool is_inside(const BoxRegion& box, const Vec3d& p) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto [lower, upper] = std::minmax(box.lower[axis], box.upper[axis]);
    if (!(p[axis] >= lower && p[axis] <= upper)) return false;
  }
  return true;
}

bool is_inside(const SphereRegion& sphere, const Vec3d& p) {
  return length(p - sphere.centre) <= sphere.radius;
}

template <class Region>
void add_inside(const Region& region, const RestPoints& rest, std::vector<PointChoice>& points) {
  for (std::size_t k = 0; k < rest.size(); ++k) {
    for (std::size_t v = 0; v < rest[k].size(); ++v) {
      if (is_inside(region, Vec3d(rest[k][v]))) points[k][v] = true;
    }
  }
}

// Shortest paths along edges (Dijkstra 1959), from the nearest point as far as the distance allows.
void add_reached(const GeodesicRegion& region, const Mesh& mesh, std::span<const Vec3> rest,
                 std::size_t start, PointChoice& points) {
  const WeldedSurface surface = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  const NeighbourList edges = list_neighbours(surface.point_count(), surface.triangles);
  const auto place = [&](std::uint32_t welded) { return Vec3d(rest[at(surface.source[welded])]); };
  std::vector<double> distance(surface.point_count(), INFINITY);
  using Reached = std::pair<double, std::uint32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  const auto first = static_cast<std::uint32_t>(surface.welded[start]);
  distance[first] = 0;
  open.emplace(0, first);
  while (!open.empty()) {
    const auto [reached, v] = open.top();
    open.pop();
    if (reached > distance[v]) continue;
    for (std::uint32_t k = edges.first[v]; k < edges.first[v + 1]; ++k) {
      const std::uint32_t next = edges.points[k];
      const double there = reached + length(place(next) - place(v));
      if (there > region.distance || there >= distance[next]) continue;
      distance[next] = there;
      open.emplace(there, next);
    }
  }
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (distance[at(surface.welded[v])] < INFINITY) points[v] = true;
  }
}

void add_nearest_reached(const GeodesicRegion& region, const Character& character,
                         const std::vector<ChosenMesh>& chosen, const RestPoints& rest,
                         std::vector<PointChoice>& points) {
  double nearest = INFINITY;
  std::size_t place = 0, start = 0;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    for (std::size_t v = 0; v < rest[k].size(); ++v) {
      const double distance = length(Vec3d(rest[k][v]) - region.start);
      if (!(distance < nearest)) continue;
      nearest = distance;
      place = k;
      start = v;
    }
  }
  if (nearest < INFINITY)
    add_reached(region, character.meshes[at(chosen[place].mesh)], rest[place], start, points[place]);
}

Result<std::vector<PointChoice>> in_regions(const Character& character,
                                            const std::vector<WeightsRegion>& regions,
                                            const std::vector<ChosenMesh>& chosen, const std::string& file) {
  const Result<RestPoints> rest = rest_points(character, chosen, file);
  if (!rest) return rest.error();
  std::vector<PointChoice> points;
  points.reserve(rest->size());
  for (const std::vector<Vec3>& one : *rest) points.emplace_back(one.size(), false);
  for (const WeightsRegion& region : regions) {
    if (const auto* box = std::get_if<BoxRegion>(&region)) add_inside(*box, *rest, points);
    if (const auto* sphere = std::get_if<SphereRegion>(&region)) add_inside(*sphere, *rest, points);
    if (const auto* reach = std::get_if<GeodesicRegion>(&region))
      add_nearest_reached(*reach, character, chosen, *rest, points);
  }
  return points;
}

// ---- Together -----------------------------------------------------------------------------------------

// Coincident points may follow different joints, or be posed apart; operations on the surface treat them as
// one.
void join_coincident(const Mesh& mesh, PointChoice& points) {
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (points[v]) points[at(mesh.weld[v])] = true;
  }
  for (std::size_t v = 0; v < points.size(); ++v) points[v] = points[at(mesh.weld[v])];
}

}  // namespace

bool selects_points(const WeightsSelection& selection) {
  return !selection.joints.empty() || !selection.shells.empty() || !selection.regions.empty();
}

Result<std::vector<PointChoice>> selected_points(const Character& character,
                                                 const WeightsSelection& selection,
                                                 const std::vector<ChosenMesh>& chosen,
                                                 const std::string& file) {
  std::vector<PointChoice> all(chosen.size());
  if (!selects_points(selection)) return all;
  const auto has_no_weights = [&](const ChosenMesh& one) {
    return one.skin == kNone || character.meshes[at(one.mesh)].weights.empty();
  };
  if (const auto bare = std::find_if(chosen.begin(), chosen.end(), has_no_weights); bare != chosen.end())
    return Error{Errc::usage,
                 fmt::format("{}: mesh {} has no weights yet, so they are transferred to all its points; "
                             "select no joints, shells or regions",
                             file, quoted_name(character.meshes[at(bare->mesh)].name))}
        .with_remedy("mesh");
  for (std::size_t k = 0; k < chosen.size(); ++k)
    all[k].assign(character.meshes[at(chosen[k].mesh)].points.size(), true);
  std::vector<Result<std::vector<PointChoice>>> kinds;
  if (!selection.joints.empty()) kinds.push_back(points_following(character, selection.joints, chosen, file));
  if (!selection.shells.empty()) kinds.push_back(in_shells(character, selection.shells, chosen, file));
  if (!selection.regions.empty()) kinds.push_back(in_regions(character, selection.regions, chosen, file));
  bool has_any = false;
  for (const Result<std::vector<PointChoice>>& kind : kinds) {
    if (!kind) return kind.error();
  }
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    for (const Result<std::vector<PointChoice>>& kind : kinds) {
      for (std::size_t v = 0; v < all[k].size(); ++v) all[k][v] = all[k][v] && (*kind)[k][v];
    }
    join_coincident(character.meshes[at(chosen[k].mesh)], all[k]);
    has_any = has_any || std::find(all[k].begin(), all[k].end(), true) != all[k].end();
  }
  if (!has_any)
    return Error{
        Errc::bad_argument,
        fmt::format("{}: no point is in the selection; regions are in the file's units, in its rest pose",
                    file)};
  return all;
}

}  // namespace dermis
