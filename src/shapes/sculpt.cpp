// SPDX-License-Identifier: MIT
// Shapes from sculpted meshes: which points are the same, and how far each has moved.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shapes/surface.h"

namespace dermis {
namespace {

// Directions that change by less than this are not stored.
constexpr double kStillDirection = 1e-4;

Error other_topology(std::string difference) { return {Errc::bad_argument, std::move(difference)}; }

// Polygons as triangle fans from their first corners, with the corner that each came from.
struct Fans {
  Polygons polygons;
  std::vector<std::uint32_t> corner;
};
Fans fans_of(const Polygons& polygons) {
  Fans fans;
  for (std::size_t p = 0; p < polygons.count(); ++p) {
    const std::uint32_t first = polygons.first[p];
    for (std::uint32_t c = first + 2; c < polygons.first[p + 1]; ++c) {
      for (const std::uint32_t corner : {first, c - 1, c}) {
        fans.polygons.corners.push_back(polygons.corners[corner]);
        fans.corner.push_back(corner);
      }
      fans.polygons.first.push_back(static_cast<std::uint32_t>(fans.polygons.corners.size()));
    }
  }
  return fans;
}

// The first polygon with another number of corners, as a difference; none: all are alike.
std::optional<std::string> differing_polygon(const Polygons& own, const Polygons& other) {
  for (std::size_t p = 0; p < std::min(own.count(), other.count()); ++p) {
    const std::size_t here = own.polygon(p).size(), there = other.polygon(p).size();
    if (here != there) return fmt::format("polygon {} has {} corners instead of {}", p, there, here);
  }
  if (own.count() != other.count())
    return fmt::format("it has {} instead of {}", counted(other.count(), "polygon", "polygons"), own.count());
  return std::nullopt;
}

// Walks along polygons that have the same corners. `corner_of` leads from corners of `walked`, which are
// those of the other mesh or of its fans, to the other mesh's own.
Result<SamePoints> walk(const Mesh& mesh, const Mesh& other, const Polygons& walked,
                        std::span<const std::uint32_t> corner_of) {
  SamePoints same{std::vector<Index>(mesh.points.size(), kNone),
                  std::vector<Index>(mesh.points.size(), kNone), false};
  std::vector<Index> back(other.points.size(), kNone);
  for (std::size_t p = 0; p < walked.count(); ++p) {
    for (std::uint32_t c = walked.first[p]; c < walked.first[p + 1]; ++c) {
      const Index own = mesh.polygons.corners[c], its = walked.corners[c];
      Index& known = same.other[at(own)];
      Index& source = back[at(its)];
      // Points of one place may be split in either file.
      const bool fits = (known == kNone || other.weld[at(known)] == other.weld[at(its)]) &&
                        (source == kNone || mesh.weld[at(source)] == mesh.weld[at(own)]);
      if (!fits) return other_topology(fmt::format("polygon {} joins other points than in the mesh", p));
      if (source == kNone) source = own;
      if (known != kNone) continue;
      known = its;
      same.corner[at(own)] = static_cast<Index>(corner_of.empty() ? c : corner_of[c]);
    }
  }
  return same;
}

template <class Value>
void keep(const std::vector<Value>& values, const std::vector<std::size_t>& kept, std::vector<Value>& into) {
  if (values.empty()) return;
  into.reserve(kept.size());
  for (const std::size_t k : kept) into.push_back(values[k]);
}

}  // namespace

Result<SamePoints> same_points(const Mesh& mesh, const Mesh& other) {
  const bool is_same_order = mesh.points.size() == other.points.size() &&
                             mesh.polygons.first == other.polygons.first &&
                             mesh.polygons.corners == other.polygons.corners;
  if (is_same_order) {
    SamePoints same{std::vector<Index>(mesh.points.size()), std::vector<Index>(mesh.points.size(), kNone),
                    true};
    for (std::size_t v = 0; v < mesh.points.size(); ++v) same.other[v] = static_cast<Index>(v);
    for (std::size_t c = mesh.polygons.corners.size(); c-- > 0;)
      same.corner[at(mesh.polygons.corners[c])] = static_cast<Index>(c);
    return same;
  }
  if (mesh.polygons.count() == 0 || other.polygons.count() == 0) {
    if (mesh.points.size() == other.points.size() && mesh.polygons.count() == other.polygons.count())
      return other_topology("neither has polygons to compare");
    return other_topology(fmt::format(
        "it has {} and {} instead of {} and {}", counted(other.points.size(), "point", "points"),
        counted(other.polygons.count(), "polygon", "polygons"), mesh.points.size(), mesh.polygons.count()));
  }
  const std::optional<std::string> difference = differing_polygon(mesh.polygons, other.polygons);
  if (!difference) return walk(mesh, other, other.polygons, {});
  // A glTF has triangles where the sculpt may still have quads.
  const Fans fans = fans_of(other.polygons);
  if (differing_polygon(mesh.polygons, fans.polygons)) return other_topology(*difference);
  return walk(mesh, other, fans.polygons, fans.corner);
}

Shape shape_of_sculpt(const Mesh& mesh, std::span<const Vec3> points, std::span<const Vec3> normals,
                      const SculptOptions& options, SculptFit* fit) {
  const std::size_t count = mesh.points.size();
  const double size = diagonal_of(mesh.points);
  const bool has_normals = !mesh.normals.empty() && mesh.normals.is_per_point();
  const bool has_tangents = !mesh.tangents.empty() && mesh.tangents.is_per_point();
  std::vector<Quatd> turns;
  if ((has_normals && normals.empty()) || (has_tangents && (normals.empty() || !has_normals)))
    turns = surface_turns(mesh, points);
  Shape shape;
  std::vector<double> distances;
  for (std::size_t v = 0; v < count; ++v) {
    const Vec3d offset = Vec3d(points[v]) - Vec3d(mesh.points[v]);
    distances.push_back(length(offset));
    Vec3d normal, tangent;
    Quatd turn = turns.empty() ? Quatd{} : turns[v];
    if (has_normals) {
      const Vec3d rest(mesh.normals.values[v]);
      const bool is_given = !normals.empty() && normals[v] != Vec3{} && rest != Vec3d{};
      if (is_given) turn = quat_between(normalized(rest), normalized(Vec3d(normals[v])));
      normal = (is_given ? normalized(Vec3d(normals[v])) * length(rest) : rotate(turn, rest)) - rest;
    }
    if (has_tangents) {
      const Vec3d rest(mesh.tangents.values[v].xyz());
      tangent = rotate(turn, rest) - rest;
    }
    const bool is_moved = distances.back() > options.tolerance * size;
    if (!is_moved && length(normal) < kStillDirection) continue;
    shape.points.push_back(static_cast<Index>(v));
    shape.offsets.push_back(is_moved ? Vec3(offset) : Vec3{});
    if (has_normals) shape.normals.emplace_back(normal);
    if (has_tangents) shape.tangents.emplace_back(tangent);
  }
  if (fit != nullptr && count > 0 && size > 0) {
    fit->scale = diagonal_of(points) / size;
    fit->largest = *std::max_element(distances.begin(), distances.end()) / size;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    fit->distance = *middle / size;
  }
  return shape;
}

Shape cleaned_shape(const Mesh& mesh, const Shape& shape, double tolerance) {
  const double least = tolerance * diagonal_of(mesh.points);
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < shape.points.size(); ++k) {
    const bool is_turned = !shape.normals.empty() && length(Vec3d(shape.normals[k])) > tolerance;
    if (length(Vec3d(shape.offsets[k])) > least || is_turned) kept.push_back(k);
  }
  Shape cleaned;
  cleaned.name = shape.name;
  keep(shape.points, kept, cleaned.points);
  keep(shape.offsets, kept, cleaned.offsets);
  keep(shape.normals, kept, cleaned.normals);
  keep(shape.tangents, kept, cleaned.tangents);
  return cleaned;
}

}  // namespace dermis
