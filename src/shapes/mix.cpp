// SPDX-License-Identifier: MIT
// Weighted sums of shapes, as a shape or as the rest pose; shapes as matrices.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "shapes/surface.h"

namespace dermis {
namespace {

bool is_any_active(std::span<const float> weights) {
  return std::any_of(weights.begin(), weights.end(), [](float weight) { return weight != 0; });
}

void add_scaled(const std::vector<Index>& points, const std::vector<Vec3>& offsets, float weight,
                std::vector<Vec3d>& sums) {
  for (std::size_t k = 0; k < offsets.size(); ++k)
    sums[at(points[k])] += Vec3d(offsets[k]) * static_cast<double>(weight);
}

void turn_direction(const Quatd& turn, Vec3& direction) { direction = Vec3(rotate(turn, Vec3d(direction))); }
void turn_direction(const Quatd& turn, Vec4& direction) {
  const Vec3d turned = rotate(turn, Vec3d(direction.xyz()));
  direction = {static_cast<float>(turned.x), static_cast<float>(turned.y), static_cast<float>(turned.z),
               direction.w};
}

// Turns the values of an attribute, each as the first point that has it turns.
template <class Value>
void turn_attribute(const Polygons& polygons, std::span<const Quatd> turns, Attribute<Value>& attribute) {
  if (attribute.is_per_point()) {
    for (std::size_t v = 0; v < attribute.values.size(); ++v) turn_direction(turns[v], attribute.values[v]);
    return;
  }
  std::vector<bool> is_turned(attribute.values.size(), false);
  for (std::size_t c = 0; c < attribute.corner_value.size(); ++c) {
    const std::size_t k = at(attribute.corner_value[c]);
    if (is_turned[k]) continue;
    is_turned[k] = true;
    turn_direction(turns[at(polygons.corners[c])], attribute.values[k]);
  }
}

}  // namespace

Shape mixed_shape(const Mesh& mesh, std::span<const float> weights) {
  assert(weights.size() == mesh.shapes.size());
  const std::size_t count = mesh.points.size();
  std::vector<Vec3d> offsets(count), normals(count), tangents(count);
  std::vector<bool> is_moved(count, false);
  bool has_normals = false, has_tangents = false;
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    const Shape& shape = mesh.shapes[s];
    if (weights[s] == 0) continue;
    add_scaled(shape.points, shape.offsets, weights[s], offsets);
    add_scaled(shape.points, shape.normals, weights[s], normals);
    add_scaled(shape.points, shape.tangents, weights[s], tangents);
    has_normals = has_normals || !shape.normals.empty();
    has_tangents = has_tangents || !shape.tangents.empty();
    for (const Index v : shape.points) is_moved[at(v)] = true;
  }
  Shape mix;
  for (std::size_t v = 0; v < count; ++v) {
    if (!is_moved[v]) continue;
    mix.points.push_back(static_cast<Index>(v));
    mix.offsets.emplace_back(offsets[v]);
    if (has_normals) mix.normals.emplace_back(normals[v]);
    if (has_tangents) mix.tangents.emplace_back(tangents[v]);
  }
  return mix;
}

void rest_in_mix(Mesh& mesh, std::span<const float> weights) {
  if (!is_any_active(weights)) return;
  const Shape mix = mixed_shape(mesh, weights);
  std::vector<Vec3> moved = mesh.points;
  for (std::size_t k = 0; k < mix.points.size(); ++k)
    moved[at(mix.points[k])] = Vec3(Vec3d(moved[at(mix.points[k])]) + Vec3d(mix.offsets[k]));
  const bool turns_normals = !mesh.normals.empty() && mix.normals.empty();
  const bool turns_tangents = !mesh.tangents.empty() && mix.tangents.empty();
  if (turns_normals || turns_tangents) {
    const std::vector<Quatd> turns = surface_turns(mesh, moved);
    if (turns_normals) turn_attribute(mesh.polygons, turns, mesh.normals);
    if (turns_tangents) turn_attribute(mesh.polygons, turns, mesh.tangents);
  }
  for (std::size_t k = 0; k < mix.normals.size(); ++k) {
    Vec3& normal = mesh.normals.values[at(mix.points[k])];
    normal = Vec3(normalized(Vec3d(normal) + Vec3d(mix.normals[k])));
  }
  for (std::size_t k = 0; k < mix.tangents.size(); ++k) {
    Vec4& tangent = mesh.tangents.values[at(mix.points[k])];
    const Vec3d sum = normalized(Vec3d(tangent.xyz()) + Vec3d(mix.tangents[k]));
    tangent = {static_cast<float>(sum.x), static_cast<float>(sum.y), static_cast<float>(sum.z), tangent.w};
  }
  mesh.points = std::move(moved);
  mesh.weld = weld_coincident(mesh.points);
}

// ---- Matrices -------------------------------------------------------------------------------------------

ShapeMatrix shape_matrix(const Mesh& mesh, ShapeForm form) {
  ShapeMatrix matrix;
  matrix.point_count = mesh.points.size();
  matrix.values.assign(3 * matrix.point_count * mesh.shapes.size(), 0.0);
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    matrix.names.push_back(shape_label(mesh, s));
    const Shape& shape = mesh.shapes[s];
    for (std::size_t k = 0; k < shape.points.size(); ++k) {
      double* row = &matrix.values[3 * (matrix.point_count * s + at(shape.points[k]))];
      const Vec3d offset(shape.offsets[k]);
      row[0] = offset.x, row[1] = offset.y, row[2] = offset.z;
    }
  }
  return form == ShapeForm::displacement ? matrix : converted(matrix, form, mesh.points);
}

ShapeMatrix converted(const ShapeMatrix& matrix, ShapeForm form, std::span<const Vec3> rest) {
  if (form == matrix.form) return matrix;
  const std::size_t rows = 3 * matrix.point_count;
  ShapeMatrix other;
  other.form = form;
  other.point_count = matrix.point_count;
  if (form == ShapeForm::displacement) {
    for (std::size_t k = 1; k < matrix.names.size(); ++k) {
      other.names.push_back(matrix.names[k]);
      for (std::size_t r = 0; r < rows; ++r)
        other.values.push_back(matrix.column(k)[r] - matrix.column(0)[r]);
    }
    return other;
  }
  assert(rest.size() == matrix.point_count);
  other.names.emplace_back("neutral");
  for (const Vec3& point : rest)
    for (const float coordinate : {point.x, point.y, point.z})
      other.values.push_back(static_cast<double>(coordinate));
  for (std::size_t k = 0; k < matrix.names.size(); ++k) {
    other.names.push_back(matrix.names[k]);
    for (std::size_t r = 0; r < rows; ++r) other.values.push_back(other.values[r] + matrix.column(k)[r]);
  }
  return other;
}

Result<std::vector<Shape>> shapes_of_matrix(const Mesh& mesh, const ShapeMatrix& matrix,
                                            const SculptOptions& options) {
  if (matrix.point_count != mesh.points.size())
    return Error{Errc::bad_argument,
                 fmt::format("it has {} rows, {} points of three; the mesh has {} points",
                             3 * matrix.point_count, matrix.point_count, mesh.points.size())};
  if (matrix.values.size() != 3 * matrix.point_count * matrix.names.size())
    return Error{Errc::bad_argument, fmt::format("it has {} instead of {} for {}",
                                                 counted(matrix.values.size(), "value", "values"),
                                                 3 * matrix.point_count * matrix.names.size(),
                                                 counted(matrix.names.size(), "column", "columns"))};
  for (std::size_t k = 0; k < matrix.values.size(); ++k) {
    if (std::isfinite(matrix.values[k])) continue;
    const std::size_t rows = 3 * matrix.point_count;
    return Error{Errc::bad_argument, fmt::format("row {} of column {} ({}) is not a finite number", k % rows,
                                                 k / rows, quoted_name(matrix.names[k / rows]))};
  }
  const ShapeMatrix differences = converted(matrix, ShapeForm::displacement, mesh.points);
  std::vector<Shape> shapes;
  std::vector<Vec3> sculpt(mesh.points.size());
  for (std::size_t k = 0; k < differences.names.size(); ++k) {
    const std::span<const double> column = differences.column(k);
    for (std::size_t v = 0; v < sculpt.size(); ++v)
      sculpt[v] = Vec3(Vec3d(mesh.points[v]) + Vec3d{column[3 * v], column[3 * v + 1], column[3 * v + 2]});
    shapes.push_back(shape_of_sculpt(mesh, sculpt, {}, options));
    shapes.back().name = differences.names[k];
  }
  return shapes;
}

}  // namespace dermis
