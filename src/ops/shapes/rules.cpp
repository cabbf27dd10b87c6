// SPDX-License-Identifier: MIT
// Limits, in-betweens and combinations of shapes; shapes as matrices.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "ops/shapes/work.h"

namespace dermis {
namespace {

// The labels of shapes on any mesh.
std::set<std::string> all_labels(const Character& character) {
  std::set<std::string> labels;
  for (const Mesh& mesh : character.meshes)
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s) labels.insert(shape_label(mesh, s));
  return labels;
}

Status check_label(const std::string& label, const std::set<std::string>& labels, const ShapesWork& work) {
  if (labels.contains(label)) return Done{};
  const std::vector<std::string_view> names(labels.begin(), labels.end());
  return Error{Errc::bad_argument, fmt::format("{}: has no shape {}{}", work.asset.name, quoted_name(label),
                                               did_you_mean(label, names))};
}

ShapeRule& rule_of(const std::string& label, Character& character) {
  for (ShapeRule& rule : character.shape_rules)
    if (rule.shape == label) return rule;
  return character.shape_rules.emplace_back(
      ShapeRule{label, -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(), {}});
}

// Takes limits, in-betweens and combinations from shapes.
void clear_rules(const std::set<std::string>& labels, Character& character) {
  std::erase_if(character.shape_rules, [&](const ShapeRule& rule) { return labels.contains(rule.shape); });
  std::erase_if(character.drivers, [&](const Driver& driver) {
    return std::any_of(labels.begin(), labels.end(),
                       [&](const std::string& label) { return !product_of(driver, label).empty(); });
  });
}

Status set_in_betweens(const std::string& shape, const std::vector<NamedValue>& in_betweens,
                       ShapesWork& work) {
  ShapeRule& rule = rule_of(shape, work.character());
  for (const NamedValue& one : in_betweens) {
    if (one.name == shape)
      return Error{Errc::usage, fmt::format("shape {} cannot be its own in-between", quoted_name(shape))};
    if (one.value == 0 || one.value == 1)
      return Error{Errc::usage, fmt::format("{}: at weight {:g} there is {} already; choose another weight",
                                            quoted_name(one.name), one.value,
                                            one.value == 0 ? "the neutral" : quoted_name(shape))};
    std::erase_if(rule.in_betweens,
                  [&](const InBetween& old) { return old.shape == one.name || old.weight == one.value; });
    rule.in_betweens.push_back({one.value, one.name});
  }
  std::sort(rule.in_betweens.begin(), rule.in_betweens.end(),
            [](const InBetween& a, const InBetween& b) { return a.weight < b.weight; });
  return Done{};
}

std::string free_driver_name(const Character& character, const std::string& wanted) {
  std::string name = wanted;
  const auto is_taken = [&](const Driver& driver) { return driver.name == name; };
  for (int k = 2; std::any_of(character.drivers.begin(), character.drivers.end(), is_taken); ++k)
    name = fmt::format("{} {}", wanted, k);
  return name;
}

void combine(const SetShapesRequest::Combination& wanted, Character& character) {
  std::erase_if(character.drivers,
                [&](const Driver& driver) { return !product_of(driver, wanted.shape).empty(); });
  DrivenValue value;
  value.output = DriverOutput::shape;
  value.shape = wanted.shape;
  for (const std::string& factor : wanted.factors) {
    DriverFactor& one = value.factors.emplace_back();
    one.input = DriverInput::shape;
    one.shape = factor;
  }
  character.drivers.push_back({free_driver_name(character, wanted.shape), std::move(value)});
}

// Shapes that change are marked in the report.
void mark_rules(const std::set<std::string>& labels, ShapesWork& work) {
  for (const Index m : work.meshes)
    for (const Shape& shape : work.mesh(m).shapes)
      if (labels.contains(shape.name)) work.changes[{m, shape.name}] = "changed";
}

// A combination that cannot be, because it depends on itself or only something else may move its shape, is
// refused, instead of being dropped later together with what it contradicts.
Status check_combinations(const SetShapesRequest& what, const ShapesWork& work) {
  if (what.combinations.empty()) return Done{};
  Character kept = work.asset.character;
  const std::vector<DroppedDriving> dropped = drop_broken_driving(kept);
  if (dropped.empty()) return Done{};
  for (const SetShapesRequest::Combination& one : what.combinations) {
    const bool is_kept = std::any_of(kept.drivers.begin(), kept.drivers.end(), [&](const Driver& driver) {
      return !product_of(driver, one.shape).empty();
    });
    if (is_kept) continue;
    return Error{
        Errc::usage,
        fmt::format("{}: shape {} cannot be a product of others: {} would be left out, because {}",
                    work.asset.name, quoted_name(one.shape), dropped.front().what, dropped.front().why)};
  }
  return Done{};
}

Status set_rules(const SetShapesRequest& what, ShapesWork& work) {
  Character& character = work.character();
  const std::set<std::string> labels = all_labels(character);
  std::set<std::string> chosen, changed;
  if (!what.patterns.empty()) {
    const Result<std::vector<ChosenShape>> found = choose_shapes(what.patterns, work);
    if (!found) return found.error();
    for (const ChosenShape& one : *found) chosen.insert(shape_label(work.mesh(one.mesh), at(one.shape)));
  }
  const bool needs_shape = what.low || what.high || !what.in_betweens.empty() || what.clears;
  if (needs_shape && chosen.empty()) return Error{Errc::usage, "say which shape gets limits or in-betweens"};
  if (!what.in_betweens.empty() && chosen.size() > 1)
    return Error{Errc::usage, fmt::format("in-betweens belong to one shape; {} are chosen", chosen.size())};
  if (!needs_shape && what.combinations.empty()) return Error{Errc::usage, "there is nothing to set"};
  if (what.low && what.high && *what.low > *what.high)
    return Error{Errc::usage,
                 fmt::format("the lower limit {:g} is above the upper one, {:g}", *what.low, *what.high)};
  if (what.clears) clear_rules(chosen, character);
  for (const std::string& label : chosen) {
    changed.insert(label);
    if (!what.low && !what.high) continue;
    ShapeRule& rule = rule_of(label, character);
    if (what.low) rule.low = *what.low;
    if (what.high) rule.high = *what.high;
    if (rule.low > rule.high)
      return Error{Errc::usage,
                   fmt::format("{}: the limits {:g} and {:g} of shape {} leave nothing between them",
                               work.asset.name, rule.low, rule.high, quoted_name(label))};
  }
  for (const NamedValue& one : what.in_betweens)
    if (Status known = check_label(one.name, labels, work); !known) return known;
  if (!what.in_betweens.empty())
    if (Status set = set_in_betweens(*chosen.begin(), what.in_betweens, work); !set) return set;
  for (const SetShapesRequest::Combination& one : what.combinations) {
    if (Status known = check_label(one.shape, labels, work); !known) return known;
    for (const std::string& factor : one.factors)
      if (Status known = check_label(factor, labels, work); !known) return known;
    combine(one, character);
    changed.insert(one.shape);
  }
  mark_rules(changed, work);
  return check_combinations(what, work);
}

// The only chosen mesh that has shapes.
Result<Index> mesh_with_shapes(const ShapesWork& work) {
  std::vector<Index> with;
  for (const Index m : work.meshes)
    if (!work.mesh(m).shapes.empty()) with.push_back(m);
  if (with.empty()) return Error{Errc::bad_argument, fmt::format("{}: no mesh has a shape", work.asset.name)};
  if (with.size() > 1)
    return Error{Errc::bad_argument, fmt::format("{}: {} meshes have shapes, and a matrix holds those of one",
                                                 work.asset.name, with.size())}
        .with_remedy("shapes_mesh");
  return with.front();
}

}  // namespace

const char* name_of(ShapeForm form) { return form == ShapeForm::whole ? "whole" : "displacement"; }

Result<ShapesReport> set_shapes(Asset& asset, const ShapesRequest& request, const SetShapesRequest& what,
                                const Run& run) {
  return on_copy_of_shapes(asset, request, "set", run,
                           [&](ShapesWork& work) -> Status { return set_rules(what, work); });
}

Result<ShapeMatrixReport> export_shapes(const Asset& asset, const ShapesRequest& request,
                                        const std::vector<std::string>& patterns, ShapeForm form,
                                        const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<ShapeMatrixReport> {
    if (Status going = run.progress.at("writing shapes", 0); !going)
      return prefixed(asset.name, going.error());
    Asset copy = asset;
    Result<ShapesWork> work = start_shapes(copy, request, "export");
    if (!work) return work.error();
    const Result<Index> mesh = mesh_with_shapes(*work);
    if (!mesh) return mesh.error();
    work->meshes = {*mesh};
    if (!patterns.empty()) {
      const Result<std::vector<ChosenShape>> chosen = choose_shapes(patterns, *work);
      if (!chosen) return chosen.error();
      std::vector<Index> kept;
      for (const ChosenShape& one : *chosen) kept.push_back(one.shape);
      take_shapes(work->character(), *mesh, kept);
    }
    ShapeMatrixReport result{shape_matrix(work->mesh(*mesh), form), {}};
    result.report = end_shapes(*work);
    result.report.form = name_of(form);
    result.report.matrix_rows = 3 * result.matrix.point_count;
    result.report.matrix_columns = result.matrix.names.size();
    return result;
  });
}

Result<ShapeMatrix> matrix_of_table(NumberTable table, std::optional<ShapeForm> form) {
  if (table.row_count % 3 != 0)
    return Error{
        Errc::bad_argument,
        fmt::format("has {} rows, which is no multiple of three: x, y, z of each point", table.row_count)};
  ShapeMatrix matrix;
  matrix.point_count = table.row_count / 3;
  matrix.values = std::move(table.values);
  matrix.names = std::move(table.names);
  if (matrix.names.empty())
    for (std::size_t k = 0; k < table.column_count; ++k)
      matrix.names.push_back(form == ShapeForm::whole && k == 0
                                 ? "neutral"
                                 : fmt::format("shape_{}", k + (form == ShapeForm::whole ? 0 : 1)));
  const bool is_whole = !matrix.names.empty() && matrix.names.front() == "neutral";
  matrix.form = form.value_or(is_whole ? ShapeForm::whole : ShapeForm::displacement);
  if (matrix.form == ShapeForm::whole && matrix.names.empty())
    return Error{Errc::bad_argument, "has no column, so no neutral"};
  return matrix;
}

Result<ShapesReport> import_shapes(Asset& asset, const ShapesRequest& request, const ShapeMatrix& matrix,
                                   const SculptOptions& options, const Run& run) {
  return on_copy_of_shapes(asset, request, "import", run, [&](ShapesWork& work) -> Status {
    std::vector<Index> fitting;
    for (const Index m : work.meshes)
      if (work.mesh(m).points.size() == matrix.point_count) fitting.push_back(m);
    if (fitting.size() > 1)
      return Error{Errc::bad_argument, fmt::format("{}: {} meshes have {} points; which one gets the shapes?",
                                                   work.asset.name, fitting.size(), matrix.point_count)}
          .with_remedy("shapes_mesh");
    const Index m = fitting.empty() ? work.meshes.front() : fitting.front();
    Result<std::vector<Shape>> shapes = shapes_of_matrix(work.mesh(m), matrix, options);
    if (!shapes) return prefixed(work.asset.name, shapes.error());
    std::set<std::string> seen;
    for (const Shape& shape : *shapes)
      if (!seen.insert(shape.name).second)
        return Error{Errc::bad_argument, fmt::format("{}: the matrix has two columns called {}",
                                                     work.asset.name, quoted_name(shape.name))};
    for (Shape& shape : *shapes) put_shape(m, std::move(shape), work);
    work.report.form = name_of(matrix.form);
    work.report.matrix_rows = 3 * matrix.point_count;
    work.report.matrix_columns = matrix.names.size();
    return Done{};
  });
}

}  // namespace dermis
