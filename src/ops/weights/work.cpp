// SPDX-License-Identifier: MIT
// The steps that all operations on weights share: choosing meshes, locking joints, reporting changes.
#include "ops/weights/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "ops/weights/selection.h"

namespace dermis {
namespace {

Error no_skin(const std::string& file) {
  return {
      Errc::bad_argument,
      fmt::format("{}: nothing in its scene has a skin, so there are no weights; bind it to a skeleton first",
                  file)};
}

std::size_t longest_row(const WeightRows& rows) {
  std::size_t longest = 0;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) longest = std::max(longest, rows.row(v).size());
  return longest;
}

// What the joints of slots gained, and how much changed in total.
struct SlotChanges {
  std::vector<double> gained, moved;

  explicit SlotChanges(std::size_t slot_count) : gained(slot_count, 0), moved(slot_count, 0) {}
  void count(std::span<const Influence> before, std::span<const Influence> after) {
    const auto weight_in = [](std::span<const Influence> row, Index slot) {
      const auto found =
          std::find_if(row.begin(), row.end(), [&](const Influence& one) { return one.slot == slot; });
      return found == row.end() ? 0.0 : static_cast<double>(found->weight);
    };
    const auto add = [&](Index slot, double amount) {
      gained[at(slot)] += amount;
      moved[at(slot)] += std::abs(amount);
    };
    for (const Influence& one : before)
      add(one.slot, weight_in(after, one.slot) - static_cast<double>(one.weight));
    for (const Influence& one : after) {
      if (weight_in(before, one.slot) == 0) add(one.slot, static_cast<double>(one.weight));
    }
  }
};

// Gives points that are not chosen their rows from before.
void keep_outside(const WeightRows& before, const PointChoice& points, WeightRows& rows) {
  if (points.empty() || before.empty()) return;
  WeightRows kept;
  kept.first = {0};
  for (std::size_t v = 0; v < points.size(); ++v) {
    const std::span<const Influence> row = points[v] ? rows.row(v) : before.row(v);
    kept.influences.insert(kept.influences.end(), row.begin(), row.end());
    kept.first.push_back(static_cast<std::uint32_t>(kept.influences.size()));
  }
  rows = std::move(kept);
}

}  // namespace

ReplacedParts::~ReplacedParts() {
  for (auto part = rows_.rbegin(); part != rows_.rend(); ++part)
    character_.meshes[at(part->first)].weights = std::move(part->second);
  for (auto part = meshes_.rbegin(); part != meshes_.rend(); ++part)
    character_.meshes[at(part->first)] = std::move(part->second);
}

void ReplacedParts::replace_rows(Index mesh, WeightRows rows) {
  rows_.emplace_back(mesh, std::move(rows));
  std::swap(rows_.back().second, character_.meshes[at(mesh)].weights);
}

void ReplacedParts::replace_mesh(Index mesh, Mesh finer) {
  meshes_.emplace_back(mesh, std::move(finer));
  std::swap(meshes_.back().second, character_.meshes[at(mesh)]);
}

std::string mesh_label(const Character& character, Index mesh) {
  const std::string& name = character.meshes[at(mesh)].name;
  const auto has_name = [&](const Mesh& other) { return other.name == name; };
  const bool is_unique = std::count_if(character.meshes.begin(), character.meshes.end(), has_name) == 1;
  return !name.empty() && is_unique ? name : fmt::format("#{}", mesh);
}

Result<Index> find_mesh(const Character& character, const std::string& label) {
  std::vector<std::string> labels;
  labels.reserve(character.meshes.size());
  for (std::size_t m = 0; m < character.meshes.size(); ++m)
    labels.push_back(mesh_label(character, static_cast<Index>(m)));
  for (std::size_t m = 0; m < labels.size(); ++m) {
    if (labels[m] == label || label == fmt::format("#{}", m)) return static_cast<Index>(m);
  }
  const std::vector<std::string_view> names(labels.begin(), labels.end());
  return Error{Errc::bad_argument,
               fmt::format("has no mesh {}{}", quoted_name(label), did_you_mean(label, names))};
}

Result<std::vector<ChosenMesh>> choose_skinned(const Character& character,
                                               const std::vector<std::string>& labels,
                                               const std::string& file) {
  std::vector<ChosenMesh> all;
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const Instance& instance = character.instances[i];
    const auto is_same = [&](const ChosenMesh& one) { return one.mesh == instance.mesh; };
    if (!instance.in_scene || instance.skin == kNone || character.meshes[at(instance.mesh)].weights.empty() ||
        std::any_of(all.begin(), all.end(), is_same))
      continue;
    all.push_back({instance.mesh, instance.skin, static_cast<Index>(i)});
  }
  if (all.empty()) return no_skin(file);
  if (labels.empty()) return all;
  std::vector<ChosenMesh> chosen;
  for (const std::string& label : labels) {
    const Result<Index> mesh = find_mesh(character, label);
    if (!mesh) return prefixed(file, mesh.error());
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ChosenMesh& one) { return one.mesh == *mesh; });
    if (found == all.end())
      return Error{Errc::bad_argument,
                   fmt::format("{}: mesh {} has no skin in the scene, so it has no weights", file,
                               quoted_name(label))};
    const auto is_same = [&](const ChosenMesh& one) { return one.mesh == *mesh; };
    if (std::none_of(chosen.begin(), chosen.end(), is_same)) chosen.push_back(*found);
  }
  return chosen;
}

Result<std::vector<SlotLocks>> joints_of(const Character& character, const std::vector<std::string>& labels,
                                         const std::string& file, const char* which) {
  std::vector<SlotLocks> locks(character.skins.size());
  const NodeFinder finder(character);
  for (const std::string& label : labels) {
    const Result<Index> node = finder.find(label);
    if (!node) return Error{node.error().code, fmt::format("{}: {}: {}", file, which, node.error().sentence)};
    bool is_joint = false;
    for (std::size_t s = 0; s < character.skins.size(); ++s) {
      const std::vector<Index>& nodes = character.skins[s].node;
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        if (nodes[k] != *node) continue;
        locks[s].resize(nodes.size(), false);
        locks[s][k] = is_joint = true;
      }
    }
    if (!is_joint)
      return Error{Errc::bad_argument,
                   fmt::format("{}: {}: node {} is not a joint of a skin", file, which, quoted_name(label))};
  }
  return locks;
}

std::map<Index, Index> slots_by_node(const Skin& skin) {
  std::map<Index, Index> slots;
  for (std::size_t s = 0; s < skin.node.size(); ++s) slots.try_emplace(skin.node[s], static_cast<Index>(s));
  return slots;
}

Result<WeightsWork> start_work(Asset& asset, const WeightsRequest& request, const char* operation) {
  WeightsWork work{asset};
  work.report.operation = operation;
  work.report.input = asset.name;
  work.report.inputs = {asset.name};
  work.labels = node_labels(asset.character);
  Result<std::vector<SlotLocks>> locks =
      joints_of(asset.character, request.locked, asset.name, "locked joints");
  if (!locks) return locks.error();
  work.locks = std::move(*locks);
  work.makes_rigid = request.makes_rigid;
  if (request.makes_rigid && request.meshes.empty() && !selects_points(request))
    return Error{Errc::usage,
                 "every body is a shell, and would turn stiff; only selected shells become rigid"}
        .with_remedy("select_mesh")
        .with_remedy("select_joint")
        .with_remedy("select_shell")
        .with_remedy("select_region");
  return work;
}

Status choose_meshes(const WeightsRequest& request, WeightsWork& work) {
  Result<std::vector<ChosenMesh>> chosen =
      choose_skinned(work.asset.character, request.meshes, work.asset.name);
  if (!chosen) return chosen.error();
  work.chosen = std::move(*chosen);
  note_several_skins(work);
  return choose_points(request, work);
}

Status choose_points(const WeightsSelection& selection, WeightsWork& work) {
  Result<std::vector<PointChoice>> points =
      selected_points(work.asset.character, selection, work.chosen, work.asset.name);
  if (!points) return points.error();
  work.points = std::move(*points);
  return Done{};
}

void note_several_skins(WeightsWork& work) {
  const Character& character = work.asset.character;
  for (const ChosenMesh& chosen : work.chosen) {
    const auto is_other = [&](const Instance& other) {
      return other.mesh == chosen.mesh && other.skin != kNone && other.skin != chosen.skin;
    };
    if (chosen.skin == kNone ||
        std::none_of(character.instances.begin(), character.instances.end(), is_other))
      continue;
    const std::string& name = character.skins[at(chosen.skin)].name;
    work.report.notes.push_back(
        {Note::Kind::info, "mesh-with-several-skins",
         fmt::format("mesh {} is shown with several skins; its joints are those of the first, skin {}{}",
                     quoted_name(mesh_label(character, chosen.mesh)), chosen.skin,
                     name.empty() ? std::string() : " " + quoted_name(name)),
         "mesh", chosen.mesh});
  }
}

WeightsReport::Mesh& report_mesh(WeightsWork& work, std::size_t k, const WeightRows& rows) {
  const Mesh& mesh = work.mesh(k);
  WeightsReport::Mesh& said = work.report.meshes.emplace_back();
  said.index = work.chosen[k].mesh;
  said.name = mesh.name;
  said.point_count = rows.first.empty() ? 0 : rows.first.size() - 1;
  said.longest_before = longest_row(mesh.weights);
  said.longest_after = longest_row(rows);
  if (const PointChoice& points = work.points[k]; !points.empty())
    said.selected_point_count = static_cast<std::size_t>(std::count(points.begin(), points.end(), true));
  return said;
}

WeightsReport::Mesh& report_change(WeightsWork& work, std::size_t k, const WeightRows& rows,
                                   std::span<const std::string> labels, const PointVisitor& visit) {
  const WeightRows& before = work.mesh(k).weights;
  WeightsReport::Mesh& said = report_mesh(work, k, rows);
  if (before.empty() || said.point_count == 0) return said;
  SlotChanges changes(labels.size());
  double sum = 0;
  for (std::size_t v = 0; v < said.point_count; ++v) {
    const double distance = row_distance(before.row(v), rows.row(v));
    if (!(distance > 0)) continue;
    ++said.changed_point_count;
    sum += distance;
    if (distance > said.max_change) {
      said.max_change = distance;
      said.worst_point = static_cast<Index>(v);
    }
    changes.count(before.row(v), rows.row(v));
    if (visit) visit(v, distance);
  }
  said.mean_change = sum / static_cast<double>(said.point_count);
  for (std::size_t s = 0; s < labels.size(); ++s) {
    if (!(changes.moved[s] > 0)) continue;
    WeightsReport::Joint& joint = work.joints[labels[s]];
    joint.label = labels[s];
    joint.gained += changes.gained[s];
    joint.moved += changes.moved[s];
  }
  return said;
}

WeightsReport::Mesh& set_rows(WeightsWork& work, std::size_t k, WeightRows rows) {
  keep_outside(work.mesh(k).weights, work.points[k], rows);
  std::optional<RigidShells> rigid;
  if (work.makes_rigid) {
    rigid = rigid_shells(work.mesh(k), rows, work.locks_at(k), work.points[k]);
    rows = std::move(rigid->rows);
  }
  std::vector<std::string> labels;
  for (const Index node : work.asset.character.skins[at(work.chosen[k].skin)].node)
    labels.push_back(work.labels[at(node)]);
  WeightsReport::Mesh& said = report_change(work, k, rows, labels);
  work.replaced->replace_rows(work.chosen[k].mesh, std::move(rows));
  if (!rigid) return said;
  said.rigid_shell_count = rigid->shell_count;
  if (rigid->locked_count > 0)
    work.report.notes.push_back({Note::Kind::info, "shells-locked",
                                 fmt::format("mesh {}: {} weight on locked joints and did not become rigid",
                                             quoted_name(mesh_label(work.asset.character, said.index)),
                                             counted(rigid->locked_count, "shell has", "shells have")),
                                 "mesh", said.index, -1, rigid->locked_count});
  return said;
}

WeightsReport end_work(WeightsWork& work) {
  for (const auto& [label, joint] : work.joints) work.report.joints.push_back(joint);
  std::stable_sort(work.report.joints.begin(), work.report.joints.end(),
                   [](const auto& a, const auto& b) { return a.moved > b.moved; });
  work.report.seconds = work.watch.lap();
  work.replaced->done();
  return std::move(work.report);
}

}  // namespace dermis
