// SPDX-License-Identifier: MIT
// The steps that all operations on shapes share.
#include "ops/shapes/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "ops/weights/work.h"

namespace dermis {
namespace {

bool is_animated(const Character& character, Index mesh, std::size_t shape) {
  for (const Clip& clip : character.clips) {
    for (const Channel& channel : clip.channels) {
      if (channel.path != ChannelPath::shape_weights || character.instances[at(channel.target)].mesh != mesh)
        continue;
      const std::size_t width = character.meshes[at(mesh)].shapes.size();
      for (std::size_t k = shape; k < channel.values.size(); k += width)
        if (channel.values[k] != 0) return true;
    }
  }
  return false;
}

double rest_weight(const Character& character, Index mesh, std::size_t shape) {
  for (const Instance& instance : character.instances)
    if (instance.mesh == mesh) return static_cast<double>(instance.shape_weights[shape]);
  return 0;
}

}  // namespace

Result<ShapesWork> start_shapes(Asset& asset, const ShapesRequest& request, const char* operation) {
  ShapesWork work{asset};
  work.report.operation = operation;
  work.report.input = asset.name;
  work.report.inputs = {asset.name};
  for (const std::string& label : request.meshes) {
    const Result<Index> mesh = find_mesh(asset.character, label);
    if (!mesh) return prefixed(asset.name, mesh.error());
    if (std::find(work.meshes.begin(), work.meshes.end(), *mesh) == work.meshes.end())
      work.meshes.push_back(*mesh);
  }
  if (request.meshes.empty()) {
    work.meshes.resize(asset.character.meshes.size());
    std::iota(work.meshes.begin(), work.meshes.end(), 0);
  }
  if (work.meshes.empty())
    return Error{Errc::bad_argument, fmt::format("{}: has no mesh, so there are no shapes", asset.name)};
  return work;
}

void put_shape(Index m, Shape shape, ShapesWork& work) {
  Mesh& mesh = work.mesh(m);
  // A shape without a name is never the one that is meant.
  const auto is_same = [&](const Shape& other) { return !shape.name.empty() && other.name == shape.name; };
  const auto known = std::find_if(mesh.shapes.begin(), mesh.shapes.end(), is_same);
  const char* change = known == mesh.shapes.end() ? "added" : "replaced";
  work.changes[{m, shape.name}] = change;
  if (known != mesh.shapes.end()) {
    *known = std::move(shape);
    return;
  }
  std::vector<Index> source(mesh.shapes.size());
  std::iota(source.begin(), source.end(), 0);
  source.push_back(kNone);
  take_shapes(work.character(), m, source);
  work.mesh(m).shapes.back() = std::move(shape);
}

Result<std::vector<ChosenShape>> choose_shapes(const std::vector<std::string>& patterns,
                                               const ShapesWork& work) {
  std::vector<ChosenShape> chosen;
  std::vector<std::string> labels;
  for (const Index m : work.meshes)
    for (std::size_t s = 0; s < work.mesh(m).shapes.size(); ++s)
      labels.push_back(shape_label(work.mesh(m), s));
  if (labels.empty())
    return Error{Errc::bad_argument, fmt::format("{}: no mesh has a shape", work.asset.name)};
  std::vector<std::vector<bool>> is_chosen(work.asset.character.meshes.size());
  for (const std::string& pattern : patterns) {
    bool is_found = false;
    for (const Index m : work.meshes) {
      is_chosen[at(m)].resize(work.mesh(m).shapes.size(), false);
      for (const Index s : shapes_named(work.mesh(m), pattern)) is_chosen[at(m)][at(s)] = is_found = true;
    }
    const std::vector<std::string_view> names(labels.begin(), labels.end());
    if (!is_found)
      return Error{Errc::bad_argument, fmt::format("{}: has no shape {}{}", work.asset.name,
                                                   quoted_name(pattern), did_you_mean(pattern, names))};
  }
  for (const Index m : work.meshes)
    for (std::size_t s = 0; s < is_chosen[at(m)].size(); ++s)
      if (is_chosen[at(m)][s]) chosen.push_back({m, static_cast<Index>(s)});
  return chosen;
}

namespace {

// Limits, in-betweens and combinations, by label.
void add_rules(const Character& character, ShapesReport::Shape& row) {
  for (const ShapeRule& rule : character.shape_rules) {
    const bool is_own = rule.shape == row.name;
    for (const InBetween& one : rule.in_betweens)
      if (one.shape == row.name) row.in_between_of = rule.shape;
    if (!is_own) continue;
    if (std::isfinite(rule.low)) row.low = static_cast<double>(rule.low);
    if (std::isfinite(rule.high)) row.high = static_cast<double>(rule.high);
    row.in_betweens = rule.in_betweens;
  }
  for (const Driver& driver : character.drivers)
    if (const std::vector<std::string> factors = product_of(driver, row.name); !factors.empty())
      row.product_of = factors;
}

}  // namespace

std::vector<std::string> product_of(const Driver& driver, const std::string& shape) {
  const auto* value = std::get_if<DrivenValue>(&driver.rule);
  if (value == nullptr || value->output != DriverOutput::shape || value->shape != shape || value->base != 0)
    return {};
  std::vector<std::string> factors;
  for (const DriverFactor& factor : value->factors) {
    if (factor.input != DriverInput::shape || !(factor.curve == DriverCurve{})) return {};
    factors.push_back(factor.shape);
  }
  return factors;
}

std::vector<ShapesReport::Shape> rows_of(const Character& character, const std::vector<Index>& meshes) {
  std::vector<ShapesReport::Shape> rows;
  for (const Index m : meshes) {
    const Mesh& mesh = character.meshes[at(m)];
    Box box;
    for (const Vec3& point : mesh.points) box.add(Vec3d(point));
    const double size = box.diagonal();
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
      const Shape& shape = mesh.shapes[s];
      ShapesReport::Shape& row = rows.emplace_back();
      row.mesh = m, row.index = static_cast<Index>(s);
      row.mesh_name = mesh.name;
      row.name = shape_label(mesh, s);
      row.point_count = shape.points.size();
      for (const Vec3& offset : shape.offsets)
        row.largest = std::max(row.largest, size > 0 ? length(Vec3d(offset)) / size : 0);
      row.has_normals = !shape.normals.empty();
      row.rest = rest_weight(character, m, s);
      row.is_animated = is_animated(character, m, s);
      add_rules(character, row);
    }
  }
  return rows;
}

ShapesReport end_shapes(ShapesWork& work) {
  const Character& character = work.asset.character;
  work.report.shapes = rows_of(character, work.meshes);
  for (ShapesReport::Shape& row : work.report.shapes) {
    const std::string& name = character.meshes[at(row.mesh)].shapes[at(row.index)].name;
    const auto change = name.empty() ? work.changes.end() : work.changes.find({row.mesh, name});
    if (change == work.changes.end()) continue;
    row.change = change->second;
    ++(row.change == "added" ? work.report.added_count : work.report.changed_count);
  }
  work.report.seconds = work.watch.lap();
  return std::move(work.report);
}

}  // namespace dermis
