// SPDX-License-Identifier: MIT
// The operations of the verb shapes that work on the shapes of one character.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "ops/shapes/work.h"

namespace dermis {
namespace {

// The same for each shape that patterns name.
template <class Change>
Result<ShapesReport> on_each_shape(Asset& asset, const ShapesRequest& request,
                                   const std::vector<std::string>& patterns, const char* operation,
                                   const Run& run, const Change& change) {
  return on_copy_of_shapes(asset, request, operation, run, [&](ShapesWork& work) -> Status {
    const Result<std::vector<ChosenShape>> chosen = choose_shapes(patterns, work);
    if (!chosen) return chosen.error();
    return change(*chosen, work);
  });
}

// Keeps the shapes of each mesh that are not chosen.
std::size_t leave_out(const std::vector<ChosenShape>& chosen, ShapesWork& work) {
  for (const Index m : work.meshes) {
    std::vector<Index> kept;
    for (std::size_t s = 0; s < work.mesh(m).shapes.size(); ++s) {
      const bool is_chosen = std::any_of(chosen.begin(), chosen.end(), [&](const ChosenShape& one) {
        return one.mesh == m && at(one.shape) == s;
      });
      if (!is_chosen) kept.push_back(static_cast<Index>(s));
    }
    if (kept.size() < work.mesh(m).shapes.size()) take_shapes(work.character(), m, kept);
  }
  return chosen.size();
}

bool is_chosen(const std::vector<ChosenShape>& chosen, Index mesh, std::size_t shape) {
  return std::any_of(chosen.begin(), chosen.end(),
                     [&](const ChosenShape& one) { return one.mesh == mesh && at(one.shape) == shape; });
}

// No changed shape may have the name of another one of its mesh.
Status check_names(const ShapesWork& work, Index m) {
  std::set<std::string> seen;
  for (const Shape& shape : work.asset.character.meshes[at(m)].shapes) {
    if (shape.name.empty() || seen.insert(shape.name).second || !work.changes.contains({m, shape.name}))
      continue;
    return Error{Errc::usage, fmt::format("{}: two shapes of a mesh would be called {}", work.asset.name,
                                          quoted_name(shape.name))};
  }
  return Done{};
}

// What shapes that are left out did at rest and in clips is lost.
void note_left_out(const std::vector<ChosenShape>& chosen, ShapesWork& work) {
  for (const ShapesReport::Shape& row : rows_of(work.asset.character, work.meshes)) {
    if (!is_chosen(chosen, row.mesh, at(row.index)) || (row.rest == 0 && !row.is_animated)) continue;
    const std::string rest = row.rest == 0 ? "" : fmt::format("its weight of {:g} at rest", row.rest);
    work.report.notes.push_back(
        {Note::Kind::loss, "shape-weight-lost",
         fmt::format("shape {} is left out with {}{}{}, so the character looks different",
                     quoted_name(row.name), rest, rest.empty() || !row.is_animated ? "" : " and ",
                     row.is_animated ? "its keys in clips" : ""),
         "mesh", row.mesh});
  }
}

// What refers to a label follows it, if all shapes of that label get the same name. Before the shapes are
// renamed.
void rename_in_drivers(const std::vector<std::pair<ChosenShape, std::string>>& renamed,
                       Character& character) {
  std::map<std::string, std::set<std::string>> names;  // of each old label
  std::size_t known = 0;
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    for (std::size_t s = 0; s < character.meshes[m].shapes.size(); ++s) {
      const std::string label = shape_label(character.meshes[m], s);
      const auto to = std::find_if(renamed.begin(), renamed.end(), [&](const auto& one) {
        return at(one.first.mesh) == m && at(one.first.shape) == s;
      });
      names[label].insert(to == renamed.end() ? label : to->second);
    }
  }
  // By way of names that no shape has, so that two shapes can swap theirs.
  std::vector<std::pair<std::string, std::string>> steps;
  for (const auto& [label, to] : names) {
    if (to.size() > 1 || *to.begin() == label) continue;
    steps.emplace_back(fmt::format("\n{}", known++), *to.begin());
    rename_driven_shape(character, label, steps.back().first);
  }
  for (const auto& [from, to] : steps) rename_driven_shape(character, from, to);
}

// The halves of split shapes by the label of the whole: left, right.
using Halves = std::map<std::string, std::pair<std::string, std::string>>;

// The driver of a split shape, for one half of it: what it reads of other split shapes is read of their
// halves on the same side.
Driver driver_of_half(const Driver& whole, const Halves& halves, bool is_left) {
  const auto half_of = [&](std::string& shape) {
    const auto found = halves.find(shape);
    if (found != halves.end()) shape = is_left ? found->second.first : found->second.second;
  };
  Driver half = whole;
  auto& value = std::get<DrivenValue>(half.rule);
  half_of(value.shape);
  for (DriverFactor& factor : value.factors) half_of(factor.shape);
  half.name = fmt::format("{} of {}", whole.name, value.shape);
  return half;
}

// Both halves of a shape follow its drivers and keep its limits. Of shapes that are split on some meshes
// only, the drivers remain too.
void drive_halves(const Halves& halves, Character& character) {
  std::vector<Driver> drivers;
  std::set<std::string> whole;
  for (const Mesh& mesh : character.meshes) {
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s) whole.insert(shape_label(mesh, s));
  }
  for (Driver& driver : character.drivers) {
    const auto* value = std::get_if<DrivenValue>(&driver.rule);
    const bool is_split =
        value != nullptr && value->output == DriverOutput::shape && halves.contains(value->shape);
    if (is_split) {
      drivers.push_back(driver_of_half(driver, halves, true));
      drivers.push_back(driver_of_half(driver, halves, false));
    }
    if (!is_split || whole.contains(value->shape)) drivers.push_back(std::move(driver));
  }
  character.drivers = std::move(drivers);
  std::vector<ShapeRule> rules;
  for (ShapeRule& rule : character.shape_rules) {
    const auto found = halves.find(rule.shape);
    if (found != halves.end()) {
      rules.push_back({found->second.first, rule.low, rule.high, {}});
      rules.push_back({found->second.second, rule.low, rule.high, {}});
    }
    if (found == halves.end() || !rule.in_betweens.empty() || whole.contains(rule.shape))
      rules.push_back(std::move(rule));
  }
  character.shape_rules = std::move(rules);
}

// The plane between the left and right of all meshes with shapes, whose normal points to the left, +x.
MirrorPlane middle_of(const ShapesWork& work) {
  std::vector<Vec3> points;
  Box box;
  for (const Index m : work.meshes) {
    if (work.mesh(m).shapes.empty()) continue;
    points.insert(points.end(), work.mesh(m).points.begin(), work.mesh(m).points.end());
    for (const Vec3& point : work.mesh(m).points) box.add(Vec3d(point));
  }
  MirrorPlane plane = fit_mirror_plane(points, {{1, 0, 0}, box.centre().x});
  if (plane.normal.x < 0) plane = {-plane.normal, -plane.offset};
  return plane;
}

double width_along(const Mesh& mesh, const Vec3d& normal) {
  double least = INFINITY, most = -INFINITY;
  for (const Vec3& point : mesh.points) {
    const double along = dot(normal, Vec3d(point));
    least = std::min(least, along), most = std::max(most, along);
  }
  return most > least ? most - least : 0;
}

}  // namespace

Result<ShapesReport> list_shapes(const Asset& asset, const ShapesRequest& request, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<ShapesReport> {
    if (Status going = run.progress.at("looking at shapes", 0); !going)
      return prefixed(asset.name, going.error());
    Asset copy = asset;
    Result<ShapesWork> work = start_shapes(copy, request, "list");
    if (!work) return work.error();
    return end_shapes(*work);
  });
}

Result<ShapesReport> remove_shapes(Asset& asset, const ShapesRequest& request,
                                   const std::vector<std::string>& patterns, const Run& run) {
  return on_each_shape(asset, request, patterns, "remove", run,
                       [](const std::vector<ChosenShape>& chosen, ShapesWork& work) -> Status {
                         note_left_out(chosen, work);
                         work.report.removed_count = leave_out(chosen, work);
                         return Done{};
                       });
}

Result<ShapesReport> rename_shapes(Asset& asset, const ShapesRequest& request, const ShapeNames& names,
                                   const Run& run) {
  return on_copy_of_shapes(asset, request, "rename", run, [&](ShapesWork& work) -> Status {
    // All at once, so that two shapes can swap their names.
    std::vector<std::pair<ChosenShape, std::string>> renamed;
    for (const auto& pair : names) {
      const std::string &from = pair.first, &to = pair.second;
      const Result<std::vector<ChosenShape>> chosen = choose_shapes({from}, work);
      if (!chosen) return chosen.error();
      for (const ChosenShape& one : *chosen) {
        const auto is_same = [&](const auto& other) {
          return other.first.mesh == one.mesh && (other.first.shape == one.shape || other.second == to);
        };
        if (std::any_of(renamed.begin(), renamed.end(), is_same))
          return Error{Errc::usage, fmt::format("{} would get the name of another shape, or two names",
                                                quoted_name(from))};
        renamed.emplace_back(one, to);
      }
    }
    rename_in_drivers(renamed, work.character());
    for (const auto& [one, name] : renamed) {
      work.mesh(one.mesh).shapes[at(one.shape)].name = name;
      work.changes[{one.mesh, name}] = "renamed";
    }
    for (const Index m : work.meshes)
      if (Status good = check_names(work, m); !good) return good;
    return Done{};
  });
}

Result<ShapesReport> split_shapes(Asset& asset, const ShapesRequest& request,
                                  const std::vector<std::string>& patterns, double falloff, const Run& run) {
  return on_each_shape(
      asset, request, patterns, "split", run,
      [&](const std::vector<ChosenShape>& chosen, ShapesWork& work) -> Status {
        const MirrorPlane plane = middle_of(work);
        Halves names;
        for (const Index m : work.meshes) {
          std::vector<Index> source;  // a shape that is split twice: both halves keep its weight and keys
          std::vector<std::pair<std::size_t, Shape>> halves;
          for (std::size_t s = 0; s < work.mesh(m).shapes.size(); ++s) {
            source.push_back(static_cast<Index>(s));
            if (!is_chosen(chosen, m, s)) continue;
            source.push_back(static_cast<Index>(s));
            const Mesh& mesh = work.mesh(m);
            SplitShape split =
                split_shape(mesh, mesh.shapes[s], plane, falloff * width_along(mesh, plane.normal));
            names[shape_label(mesh, s)] = {split.left.name, split.right.name};
            halves.emplace_back(source.size() - 2, std::move(split.left));
            halves.emplace_back(source.size() - 1, std::move(split.right));
          }
          if (halves.empty()) continue;
          take_shapes(work.character(), m, source);
          for (auto& [place, half] : halves) {
            work.changes[{m, half.name}] = "added";
            work.mesh(m).shapes[place] = std::move(half);
          }
          work.report.removed_count += halves.size() / 2;
          if (Status good = check_names(work, m); !good) return good;
        }
        drive_halves(names, work.character());
        return Done{};
      });
}

Result<ShapesReport> mirror_shapes(Asset& asset, const ShapesRequest& request,
                                   const std::vector<std::string>& patterns, const Run& run) {
  return on_each_shape(
      asset, request, patterns, "mirror", run,
      [&](const std::vector<ChosenShape>& chosen, ShapesWork& work) -> Status {
        const MirrorPlane plane = middle_of(work);
        std::map<Index, MirrorPairs> pairs;
        std::vector<std::pair<Index, Shape>> images;
        for (const ChosenShape& one : chosen) {
          const Mesh& mesh = work.mesh(one.mesh);
          const Shape& shape = mesh.shapes[at(one.shape)];
          if (other_side_of(shape.name) == shape.name)
            return Error{
                Errc::bad_argument,
                fmt::format("{}: the name of shape {} says no side, so its mirror image would replace it; "
                            "rename it first, to end in _L or _R",
                            work.asset.name, quoted_name(shape_label(mesh, at(one.shape))))};
          if (!pairs.contains(one.mesh))
            pairs[one.mesh] =
                pair_mirror_points(mesh.points, mesh.weld, mesh.polygons.first, mesh.polygons.corners, plane);
          MirroredShape mirrored = mirror_shape(mesh, shape, plane, pairs[one.mesh]);
          if (mirrored.unpaired_count > 0)
            work.report.notes.push_back(
                {Note::Kind::loss, "shape-points-unpaired",
                 fmt::format("shape {}: {} no mirror image, and nothing on the other side moves with {}",
                             quoted_name(shape.name),
                             counted(mirrored.unpaired_count, "point has", "points have"),
                             mirrored.unpaired_count == 1 ? "it" : "them"),
                 "mesh", one.mesh, kNone, mirrored.unpaired_count});
          images.emplace_back(one.mesh, std::move(mirrored.shape));
        }
        for (auto& [mesh, image] : images) put_shape(mesh, std::move(image), work);
        return Done{};
      });
}

Result<ShapesReport> bake_shapes(Asset& asset, const ShapesRequest& request,
                                 const std::vector<NamedValue>& weights, const std::string& into,
                                 const Run& run) {
  return on_copy_of_shapes(asset, request, "bake", run, [&](ShapesWork& work) -> Status {
    std::map<Index, std::vector<float>> mixes;
    for (const NamedValue& value : weights) {
      const Result<std::vector<ChosenShape>> chosen = choose_shapes({value.name}, work);
      if (!chosen) return chosen.error();
      for (const ChosenShape& one : *chosen) {
        std::vector<float>& mix = mixes[one.mesh];
        mix.resize(work.mesh(one.mesh).shapes.size(), 0);
        mix[at(one.shape)] += static_cast<float>(value.value);
      }
    }
    if (mixes.empty()) return Error{Errc::usage, "there is nothing to mix"};
    for (const auto& [m, mix] : mixes) {
      if (into.empty()) {
        rest_in_mix(work.mesh(m), mix);
        continue;
      }
      Shape shape = mixed_shape(work.mesh(m), mix);
      shape.name = into;
      put_shape(m, std::move(shape), work);
    }
    return Done{};
  });
}

Result<ShapesReport> clean_shapes(Asset& asset, const ShapesRequest& request,
                                  const std::vector<std::string>& patterns, double tolerance,
                                  const Run& run) {
  return on_each_shape(asset, request, patterns, "clean", run,
                       [&](const std::vector<ChosenShape>& chosen, ShapesWork& work) -> Status {
                         for (const ChosenShape& one : chosen) {
                           Shape& shape = work.mesh(one.mesh).shapes[at(one.shape)];
                           Shape cleaned = cleaned_shape(work.mesh(one.mesh), shape, tolerance);
                           if (cleaned.points.size() == shape.points.size()) continue;
                           shape = std::move(cleaned);
                           work.changes[{one.mesh, shape.name}] = "changed";
                         }
                         return Done{};
                       });
}

Result<ShapesReport> transfer_shapes(Asset& asset, const ShapesRequest& request, const Asset& source,
                                     const TransferShapesRequest& how, const Run& run) {
  return on_copy_of_shapes(asset, request, "transfer", part_of(run, 0, 0), [&](ShapesWork& work) -> Status {
    Asset from = source;
    Result<ShapesWork> giving = start_shapes(from, {how.source_meshes}, "transfer");
    if (!giving) return giving.error();
    const Result<std::vector<ChosenShape>> chosen =
        choose_shapes(how.patterns.empty() ? std::vector<std::string>{"*"} : how.patterns, *giving);
    if (!chosen) return chosen.error();
    // The mesh with most of them gives; with several, the user chooses.
    std::map<Index, std::size_t> counts;
    for (const ChosenShape& one : *chosen) ++counts[one.mesh];
    const Index giver = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                          return a.second < b.second;
                        })->first;
    if (counts.size() > 1)
      work.report.notes.push_back(
          {Note::Kind::guess, "shapes-of-one-mesh",
           fmt::format("{} meshes of {} have such shapes; those of {} are taken", counts.size(), source.name,
                       quoted_name(giving->mesh(giver).name))});
    std::vector<Index> kept;
    for (const ChosenShape& one : *chosen)
      if (one.mesh == giver) kept.push_back(one.shape);
    take_shapes(from.character, giver, kept);
    const Mesh& mesh = from.character.meshes[at(giver)];
    if (request.meshes.empty() && work.meshes.size() > 1)
      return Error{Errc::bad_argument, fmt::format("{}: has {} meshes; which one gets the shapes?",
                                                   work.asset.name, work.meshes.size())}
          .with_remedy("shapes_mesh");
    for (const Index m : work.meshes) {
      const Result<SamePoints> same = same_points(work.mesh(m), mesh);
      std::vector<Shape> shapes;
      if (same && !how.deforms && how.options.pairs.empty()) {
        std::vector<Index> place(mesh.points.size(), kNone);
        for (const Shape& shape : mesh.shapes) {
          std::fill(place.begin(), place.end(), kNone);
          for (std::size_t k = 0; k < shape.points.size(); ++k)
            place[at(shape.points[k])] = static_cast<Index>(k);
          std::vector<Vec3> sculpt = work.mesh(m).points;
          for (std::size_t v = 0; v < sculpt.size(); ++v) {
            const Index other = same->other[v];
            if (other != kNone && place[at(other)] != kNone) sculpt[v] += shape.offsets[at(place[at(other)])];
          }
          shapes.push_back(shape_of_sculpt(work.mesh(m), sculpt, {}));
          shapes.back().name = shape.name;
        }
      } else {
        Result<ShapeTransfer> carried = transfer_shapes(mesh, work.mesh(m), how.options, run.progress);
        if (!carried) return prefixed(work.asset.name, carried.error());
        work.report.distance = std::max(work.report.distance.value_or(0), carried->distance);
        work.report.farthest = std::max(work.report.farthest.value_or(0), carried->farthest);
        if (carried->distance > kDoubtedTransferDistance)
          work.report.doubt = fmt::format(
              "half of its points are more than {:.2g} % of the size from the source, so shapes may be in "
              "the wrong "
              "places",
              100 * carried->distance);
        shapes = std::move(carried->shapes);
      }
      for (Shape& shape : shapes) put_shape(m, std::move(shape), work);
    }
    return Done{};
  });
}

}  // namespace dermis
