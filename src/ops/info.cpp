// SPDX-License-Identifier: MIT
// The verb info: counts, influences, spaces, clips and shapes of a file, and what looks wrong.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ops/job.h"

namespace dermis {
namespace {

// A rest pose this far from the bind pose is visible; below, it is rounding of the exporter.
constexpr double kVisibleOffset = 1e-3;

InfoReport::Mesh describe(const Mesh& mesh) {
  InfoReport::Mesh row;
  row.name = mesh.name;
  row.point_count = mesh.points.size();
  for (std::size_t v = 0; v < mesh.weld.size(); ++v)
    row.welded_point_count += mesh.weld[v] == static_cast<Index>(v) ? 1 : 0;
  row.polygon_count = mesh.polygons.count();
  row.part_count = mesh.parts.size();
  row.has_normals = !mesh.normals.empty();
  row.has_tangents = !mesh.tangents.empty();
  row.uv_set_count = mesh.uvs.size();
  row.colour_set_count = mesh.colours.size();
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) row.shapes.push_back(shape_label(mesh, s));
  for (std::size_t v = 0; !mesh.weights.empty() && v < mesh.points.size(); ++v) {
    const std::size_t count = mesh.weights.row(v).size();
    if (row.points_by_influences.size() <= count) row.points_by_influences.resize(count + 1, 0);
    ++row.points_by_influences[count];
  }
  return row;
}

// For each skin, the slots that some point follows.
std::vector<std::vector<bool>> used_slots(const Character& character) {
  std::vector<std::vector<bool>> is_used;
  for (const Skin& skin : character.skins) is_used.emplace_back(skin.node.size(), false);
  // One pass for each distinct pair of mesh and skin; a file may show the same pair many times.
  std::set<std::pair<Index, Index>> seen;
  for (const Instance& instance : character.instances) {
    if (instance.skin == kNone || !seen.insert({instance.mesh, instance.skin}).second) continue;
    auto& used = is_used[static_cast<std::size_t>(instance.skin)];
    for (const Influence& influence :
         character.meshes[static_cast<std::size_t>(instance.mesh)].weights.influences) {
      used[static_cast<std::size_t>(influence.slot)] = true;
    }
  }
  return is_used;
}

// The skins' bind spaces are where their meshes' points are. Each mesh is walked once, however often it is
// shown.
std::vector<Box> bind_boxes(const Character& character) {
  std::vector<Box> mesh_boxes(character.meshes.size());
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    for (const Vec3& point : character.meshes[m].points) mesh_boxes[m].add(Vec3d(point));
  }
  std::vector<Box> boxes(character.skins.size());
  for (const Instance& instance : character.instances) {
    const Box& mesh = mesh_boxes[static_cast<std::size_t>(instance.mesh)];
    if (instance.skin == kNone || mesh.is_empty()) continue;
    boxes[static_cast<std::size_t>(instance.skin)].add(mesh.lower);
    boxes[static_cast<std::size_t>(instance.skin)].add(mesh.upper);
  }
  return boxes;
}

double rest_from_bind(const Box& box, std::span<const Affined> palette, const std::vector<bool>& is_used) {
  const auto first_used = std::find(is_used.begin(), is_used.end(), true);
  if (box.is_empty() || first_used == is_used.end()) return 0;
  const Affined& first = palette[static_cast<std::size_t>(first_used - is_used.begin())];
  double worst = 0;
  Box posed;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3d point{(corner & 1) != 0 ? box.upper.x : box.lower.x,
                      (corner & 2) != 0 ? box.upper.y : box.lower.y,
                      (corner & 4) != 0 ? box.upper.z : box.lower.z};
    posed.add(first * point);
    for (std::size_t s = 0; s < palette.size(); ++s) {
      if (is_used[s]) worst = std::max(worst, length(palette[s] * point - first * point));
    }
  }
  return posed.diagonal() > 0 ? worst / posed.diagonal() : 0;
}

void describe_skins(const Character& character, const PoseFrame& rest, InfoReport& report) {
  const std::vector<std::vector<bool>> is_used = used_slots(character);
  const std::vector<Box> boxes = bind_boxes(character);
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const Skin& skin = character.skins[s];
    const auto index = static_cast<Index>(s);
    const double offset = rest_from_bind(boxes[s], rest.palette_of(index), is_used[s]);
    const auto unused = static_cast<std::size_t>(std::count(is_used[s].begin(), is_used[s].end(), false));
    report.skins.push_back({skin.name, skin.node.size(), unused, offset});
    if (offset > kVisibleOffset) {
      report.notes.push_back(
          {Note::Kind::info, "rest-is-not-bind",
           fmt::format("skin {} {}: the file rests in another pose than it was bound in (up to "
                       "{:.3g} of its size apart)",
                       s, quoted_name(skin.name), offset)});
    }
  }
}

void list_nodes(const Character& character, InfoReport& report) {
  const std::vector<std::string> labels = node_labels(character);
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    report.nodes.push_back({labels[n], character.nodes[n].name, character.nodes[n].parent, false});
  }
  for (const Skin& skin : character.skins) {
    for (const Index node : skin.node) report.nodes[static_cast<std::size_t>(node)].is_joint = true;
  }
}

// A character outside these sizes is more likely in centimetres or millimetres than a giant or a mite.
void note_unusual_size(InfoReport& report) {
  constexpr double kGiant = 30, kMite = 0.01;  // metres
  const double metres = report.box.diagonal() * report.metres_per_unit;
  if (report.box.is_empty() || (metres < kGiant && metres > kMite)) return;
  report.notes.push_back(
      {Note::Kind::info, "size-unusual",
       fmt::format("the scene measures {:.4g} m across; were its lengths meant in another unit?", metres)});
}

}  // namespace

Result<InfoReport> info(const InfoJob& job) {
  return without_throwing(job.input, [&]() -> Result<InfoReport> {
    Result<Asset> asset = load(job.input, job.run.load, job.run.progress);
    if (!asset) return asset.error();
    const Character& character = asset->character;
    InfoReport report;
    report.file = job.input;
    report.notes = asset->notes;
    report.node_count = character.nodes.size();
    list_nodes(character, report);
    for (const Node& node : character.nodes) report.root_count += node.parent == kNone ? 1 : 0;
    report.instance_count = character.instances.size();
    report.metres_per_unit = character.metres_per_unit;
    report.is_unit_guessed = character.is_unit_guessed;
    for (const Mesh& mesh : character.meshes) report.meshes.push_back(describe(mesh));
    for (const Control& control : character.controls) report.controls.push_back(control.name);
    for (const Clip& clip : character.clips) {
      report.clips.push_back({clip.name, clip.start(), clip.end(), clip.channels.size()});
    }
    const Result<PoseFrame> rest = pose_frame(character, {});
    if (!rest) return rest.error();
    describe_skins(character, *rest, report);
    for (const Instance& instance : character.instances) {
      report.skinned_instance_count += instance.skin != kNone ? 1 : 0;
      ++report.meshes[static_cast<std::size_t>(instance.mesh)].instance_count;
    }
    const Result<Character> still = still_scene(character, *rest, {}, job.input, job.run);
    if (!still) return still.error();
    const StillSize size = size_of(*still);
    report.point_count = size.points;
    report.polygon_count = size.polygons;
    report.box = size.box;
    note_unusual_size(report);
    return report;
  });
}

}  // namespace dermis
