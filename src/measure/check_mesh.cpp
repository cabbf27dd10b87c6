// SPDX-License-Identifier: MIT
// Checks of one mesh: its surface, its seams and the number of joints its points follow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "measure/check.h"

namespace dermis {
namespace {

// Twice the area of a polygon, relative to the square of its longest edge: below this it is a line in float.
constexpr double kFlat = 1e-7;
// Points without a normal are black; a few, at collapsed polygons, hardly show.
constexpr double kManyNormals = 0.01;

class MeshCheck {
 public:
  MeshCheck(const Character& character, Index index, const CheckLimits& limits, Findings& findings)
      : mesh_(character.meshes[at(index)]), index_(index), limits_(limits), findings_(findings) {}

  SurfaceReport run() {
    if (mesh_.polygons.count() == 0) {
      add("mesh-empty", mesh_.points.empty() ? std::string("has neither points nor polygons")
                                             : fmt::format("has {} but no polygons",
                                                           counted(mesh_.points.size(), "point", "points")));
      check_influences();
      return {};
    }
    const std::vector<Index> corners = surface_corners(mesh_);
    const EdgeList edges = list_edges(mesh_.points.size(), mesh_.polygons.first, corners);
    SurfaceReport surface = measure_surface(mesh_.points, mesh_.polygons.first, corners, edges);
    check_topology(surface);
    check_winding(surface);
    check_polygons(edges, corners);
    check_unused_points();
    check_normals();
    check_influences();
    check_seams(edges);
    check_part_sizes();
    return surface;
  }

 private:
  Finding& add(const char* id, std::string sentence) {
    return add_finding(findings_, id, "mesh", index_, mesh_.name, std::move(sentence));
  }

  void check_topology(const SurfaceReport& surface) {
    if (surface.open_edge_count > 0) {
      Finding& finding = add("edges-open", fmt::format("has {} with a polygon on one side only",
                                                       counted(surface.open_edge_count, "edge", "edges")));
      finding.count = surface.open_edge_count;
      finding.polygon = surface.first_open;
      hold_against(finding, static_cast<double>(finding.count), limits_.max_open_edges);
    }
    if (surface.nonmanifold_edge_count > 0) {
      Finding& finding =
          add("edges-nonmanifold", fmt::format("has {} with more than two polygons",
                                               counted(surface.nonmanifold_edge_count, "edge", "edges")));
      finding.count = surface.nonmanifold_edge_count;
      finding.polygon = surface.first_nonmanifold;
      hold_against(finding, static_cast<double>(finding.count), limits_.max_nonmanifold_edges);
    }
    const bool is_over = limits_.max_shells && surface.shell_count > *limits_.max_shells;
    if (surface.shell_count > 1 || is_over) {
      Finding& finding = add(
          "shells-many", surface.shell_count == 1
                             ? std::string("is made of 1 piece")
                             : fmt::format("is made of {} pieces that share no point", surface.shell_count));
      finding.count = surface.shell_count;
      hold_against(finding, static_cast<double>(finding.count), limits_.max_shells);
    }
  }

  void check_winding(const SurfaceReport& surface) {
    std::size_t flipped = 0, polygons = 0;
    Index first = kNone;
    bool is_two_sided = true;
    for (const Patch& patch : surface.patches) {
      is_two_sided = is_two_sided && (patch.miswound_edge_count == 0 || patch.is_orientable);
      if (!patch.is_flipped) continue;
      if (flipped++ == 0) first = static_cast<Index>(patch.first_polygon);
      polygons += patch.polygon_count;
    }
    if (flipped + surface.miswound_edge_count == 0) return;
    const bool shapes_allow = can_turn(mesh_, surface.is_to_be_turned);
    if (flipped > 0) {
      Finding& finding = add("shell-flipped", fmt::format("has {} inside out ({})",
                                                          counted(flipped, "closed piece", "closed pieces"),
                                                          counted(polygons, "polygon", "polygons")));
      finding.count = flipped;
      finding.polygon = first;
      // An outline, or the inside of a mouth, may be inside out on purpose; the body itself is not.
      if (2 * polygons > mesh_.polygons.count()) finding.severity = Severity::error;
      finding.is_mendable = shapes_allow;
    }
    if (surface.miswound_edge_count > 0) {
      Finding& finding = add(
          "winding-mixed",
          fmt::format("has {} where neighbours are wound against each other{}",
                      counted(surface.miswound_edge_count, "edge", "edges"),
                      is_two_sided ? "" : "; some surfaces are one-sided and have no consistent winding"));
      finding.count = surface.miswound_edge_count;
      finding.polygon = surface.first_miswound;
      finding.is_mendable = is_two_sided && shapes_allow;
    }
  }

  void check_polygons(const EdgeList& edges, std::span<const Index> corners) {
    if (!edges.repeating.empty()) check_collapsed(edges, corners);
    std::size_t flat = 0;
    Index first = kNone;
    auto repeating = edges.repeating.begin();
    for (std::size_t p = 0; p < mesh_.polygons.count(); ++p) {
      const auto polygon = corners.subspan(mesh_.polygons.first[p], mesh_.polygons.polygon(p).size());
      bool is_line = false;
      if (repeating != edges.repeating.end() && *repeating == p) {
        ++repeating;  // by the corners left without the repeated ones
        std::vector<Index> left;
        for (const std::uint32_t c : essential_corners(polygon)) left.push_back(polygon[c]);
        is_line = !left.empty() && is_flat(left);
      } else {
        is_line = is_flat(polygon);
      }
      if (is_line && flat++ == 0) first = static_cast<Index>(p);
    }
    if (flat == 0) return;
    Finding& finding =
        add("polygons-flat", fmt::format("has {} without area", counted(flat, "polygon", "polygons")));
    finding.count = flat;
    finding.polygon = first;
  }

  void check_collapsed(const EdgeList& edges, std::span<const Index> corners) {
    const std::vector<Collapse> collapses = collapses_of(mesh_, corners);
    const auto left =
        static_cast<std::size_t>(std::count(collapses.begin(), collapses.end(), Collapse::left));
    const std::size_t count = edges.repeating.size();
    Finding& finding =
        add("polygons-collapsed",
            fmt::format("has {} with two corners at one position{}", counted(count, "polygon", "polygons"),
                        left == 0       ? std::string()
                        : left == count ? std::string(", which mending leaves unchanged")
                                        : fmt::format(", of which mending leaves {} unchanged", left)));
    finding.count = count;
    finding.polygon = static_cast<Index>(edges.repeating.front());
    finding.is_mendable = left < count;
    if (left == count)
      finding.advice = "merge their points, split them where they touch themselves, or drop them";
  }

  bool is_flat(std::span<const Index> polygon) const {
    double longest = 0;  // squared
    for (std::size_t c = 0; c < polygon.size(); ++c) {
      const Vec3d edge =
          Vec3d(mesh_.points[at(polygon[(c + 1) % polygon.size()])]) - Vec3d(mesh_.points[at(polygon[c])]);
      longest = std::max(longest, dot(edge, edge));
    }
    return length(area_vector(mesh_.points, polygon)) <= kFlat * longest;
  }

  void check_unused_points() {
    std::vector<bool> is_used(mesh_.points.size(), false);
    for (const Index v : mesh_.polygons.corners) is_used[at(v)] = true;
    const auto unused = static_cast<std::size_t>(std::count(is_used.begin(), is_used.end(), false));
    if (unused == 0) return;
    Finding& finding =
        add("points-unused", fmt::format("has {} that no polygon uses", counted(unused, "point", "points")));
    finding.count = unused;
    finding.point = static_cast<Index>(std::find(is_used.begin(), is_used.end(), false) - is_used.begin());
  }

  // Normals on corners are those of one polygon each, and are read as they are.
  void check_normals() {
    if (!mesh_.normals.is_per_point() || mesh_.normals.empty()) return;
    std::size_t used = 0, missing = 0;
    Index first = kNone;
    std::vector<bool> is_used(mesh_.points.size(), false);
    for (const Index v : mesh_.polygons.corners) is_used[at(v)] = true;
    for (const MeshPart& part : mesh_.parts) {
      const std::span<const Vec3> normals =
          std::span(mesh_.normals.values).subspan(at(part.first_point), at(part.point_count));
      const auto is_none = [](const Vec3& normal) { return !(length(normal) > 0); };
      // A part that the file gives no normals, while others have some, is no fault.
      if (mesh_.parts.size() > 1 && std::all_of(normals.begin(), normals.end(), is_none)) continue;
      for (std::size_t k = 0; k < normals.size(); ++k) {
        const std::size_t v = at(part.first_point) + k;
        used += is_used[v] ? 1 : 0;
        if (!is_used[v] || !is_none(normals[k])) continue;
        if (missing++ == 0) first = static_cast<Index>(v);
      }
    }
    if (static_cast<double>(missing) > kManyNormals * static_cast<double>(used)) {
      Finding& finding =
          add("normals-none", fmt::format("has {} without direction", counted(missing, "normal", "normals")));
      finding.count = missing;
      finding.point = first;
    }
    const Spread error = normal_error(mesh_, {mesh_.points, mesh_.normals.values, {}});
    if (error.count == 0 || error.mean <= kPi / 2) return;
    add("normals-inverted", "has normals that point to the back of its polygons").point =
        static_cast<Index>(error.worst);
  }

  void check_influences() {
    const auto allowed = static_cast<std::size_t>(max_influences(limits_));
    if (mesh_.weights.empty() || allowed == 0) return;
    std::size_t count = 0, longest = 0;
    Index first = kNone;
    double cut = 0;
    for (std::size_t v = 0; v < mesh_.points.size(); ++v) {
      const auto row = mesh_.weights.row(v);
      if (row.size() <= allowed) continue;
      if (count++ == 0) first = static_cast<Index>(v);
      longest = std::max(longest, row.size());
      double sum = 0;
      for (const Influence& influence : row.subspan(allowed)) sum += static_cast<double>(influence.weight);
      cut = std::max(cut, sum);
    }
    if (count == 0) return;
    Finding& finding =
        add("influences-over-limit",
            fmt::format(
                "has {} with up to {} influences where {} are allowed (at most {:.2g} of a point's weight "
                "is in the lightest)",
                counted(count, "point", "points"), longest, allowed, cut));
    finding.count = count;
    finding.point = first;
    finding.figure = static_cast<double>(longest);
  }

  void check_seams(const EdgeList& edges) {
    if (mesh_.weights.empty()) return;
    std::size_t count = 0;
    Index first = kNone;
    double worst = 0;
    for (const std::vector<Index>& group : seam_groups(mesh_, edges)) {
      double largest = 0;
      for (const Index v : group)
        largest =
            std::max(largest, weight_difference(mesh_.weights.row(at(group[0])), mesh_.weights.row(at(v))));
      if (largest <= kSeamTolerance) continue;
      if (count == 0) first = group[0];
      count += group.size();
      worst = std::max(worst, largest);
    }
    if (count == 0) return;
    Finding& finding = add(
        "seam-weights-differ",
        fmt::format(
            "has {} on seams whose two sides follow different joints (up to {:.3g} of their weight differs)",
            counted(count, "point", "points"), worst));
    finding.count = count;
    finding.point = first;
    hold_against(finding, worst, limits_.max_seam);
  }

  void check_part_sizes() {
    const std::size_t limit = limits_.profile->short_index_points;
    if (limit == 0) return;
    const auto is_large = [&](const MeshPart& part) { return at(part.point_count) > limit; };
    const auto large =
        static_cast<std::size_t>(std::count_if(mesh_.parts.begin(), mesh_.parts.end(), is_large));
    if (large == 0) return;
    add("index-32-bit",
        fmt::format("has {} with more than {} points", counted(large, "part", "parts"), limit))
        .count = large;
  }

  const Mesh& mesh_;
  Index index_;
  const CheckLimits& limits_;
  Findings& findings_;
};

}  // namespace

std::vector<Index> surface_corners(const Mesh& mesh) {
  const auto on_corners = [](const auto& attribute) { return !attribute.is_per_point(); };
  const bool keeps_corners = on_corners(mesh.normals) || on_corners(mesh.tangents) ||
                             std::any_of(mesh.uvs.begin(), mesh.uvs.end(), on_corners) ||
                             std::any_of(mesh.colours.begin(), mesh.colours.end(), on_corners);
  std::vector<Index> corners = mesh.polygons.corners;
  if (!keeps_corners) {
    for (Index& v : corners) v = mesh.weld[at(v)];
  }
  return corners;
}

std::vector<std::vector<Index>> seam_groups(const Mesh& mesh, const EdgeList& edges) {
  // Disjoint sets with the lowest point as root.
  std::vector<Index> parent(mesh.points.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](Index v) {
    while (parent[at(v)] != v) v = parent[at(v)] = parent[at(parent[at(v)])];
    return v;
  };
  bool has_seams = false;
  const auto join = [&](std::uint32_t corner_a, std::uint32_t corner_b) {
    const Index a = root(mesh.polygons.corners[corner_a]), b = root(mesh.polygons.corners[corner_b]);
    if (a == b) return;
    parent[at(std::max(a, b))] = std::min(a, b);
    has_seams = true;
  };
  for (std::size_t e = 0; e < edges.count(); ++e) {
    const auto sides = edges.edge(e);
    if (sides.size() != 2) continue;
    const bool is_opposite = sides[0].is_forward != sides[1].is_forward;
    join(sides[0].from, is_opposite ? sides[1].to : sides[1].from);
    join(sides[0].to, is_opposite ? sides[1].from : sides[1].to);
  }
  std::vector<std::vector<Index>> groups;
  if (!has_seams) return groups;
  std::vector<Index> group_of(mesh.points.size(), kNone);
  for (Index v = 0; v < static_cast<Index>(mesh.points.size()); ++v) {
    const Index r = root(v);
    if (r == v) continue;
    if (group_of[at(r)] == kNone) {
      group_of[at(r)] = static_cast<Index>(groups.size());
      groups.push_back({r});
    }
    groups[at(group_of[at(r)])].push_back(v);
  }
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a[0] < b[0]; });
  return groups;
}

double weight_difference(std::span<const Influence> a, std::span<const Influence> b) {
  if (std::equal(a.begin(), a.end(), b.begin(), b.end())) return 0;
  // One minus the common weight: rows sum to one.
  double shared = 0;
  for (const Influence& mine : a) {
    const auto theirs =
        std::find_if(b.begin(), b.end(), [&](const Influence& one) { return one.slot == mine.slot; });
    if (theirs != b.end()) shared += static_cast<double>(std::min(mine.weight, theirs->weight));
  }
  return std::max(0.0, 1 - shared);
}

void check_mesh(const Character& character, Index mesh, const CheckLimits& limits, SurfaceReport& surface,
                Findings& findings) {
  surface = MeshCheck(character, mesh, limits, findings).run();
}

}  // namespace dermis
