// SPDX-License-Identifier: MIT
// The verb info: counts, influences, spaces, clips and shapes of a file, and what looks wrong.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "dermis/ops/inspect.h"
#include "ops/info/driven.h"
#include "ops/job.h"

namespace dermis {
namespace {

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
  row.has_dqs_share = !mesh.dqs_share.empty();
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

// A summary of what the check finds.
void describe_checkup(const Character& character, const Checkup& checkup, InfoReport& report) {
  for (std::size_t m = 0; m < report.meshes.size(); ++m) {
    const SurfaceReport& surface = checkup.surfaces[m];
    report.meshes[m].shell_count = surface.shell_count;
    report.meshes[m].open_edge_count = surface.open_edge_count;
    report.meshes[m].nonmanifold_edge_count = surface.nonmanifold_edge_count;
    report.meshes[m].is_closed = surface.is_closed;
  }
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    report.skins.push_back({character.skins[s].name, character.skins[s].node.size(),
                            checkup.skins[s].unused_slot_count, checkup.skins[s].rest_from_bind});
  }
  std::copy_if(checkup.findings.begin(), checkup.findings.end(), std::back_inserter(report.findings),
               [](const Finding& finding) { return finding.severity != Severity::info; });
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

Result<InfoReport> info_of_cache(const InfoJob& job, const FileRun& run) {
  Result<CacheAsset> asset = open_frames(job.input, {job.fps}, run);
  if (!asset) return asset.error();
  const PointCache& cache = asset->cache;
  InfoReport report;
  report.notes = std::move(asset->notes);
  report.cache = {cache.frame_count(), cache.point_count, cache.times.front(), cache.times.back()};
  for (const Vec3& point : cache.points) report.box.add(Vec3d(point));
  report.is_unit_guessed = true;
  return report;
}

}  // namespace

Result<InfoReport> info(const Asset& asset, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<InfoReport> {
    const Character& character = asset.character;
    InfoReport report;
    report.input = asset.name;
    report.notes = asset.notes;
    report.node_count = character.nodes.size();
    list_nodes(character, report);
    for (const Node& node : character.nodes) report.root_count += node.parent == kNone ? 1 : 0;
    report.instance_count = character.instances.size();
    report.metres_per_unit = character.metres_per_unit;
    report.is_unit_guessed = character.is_unit_guessed;
    for (const Mesh& mesh : character.meshes) report.meshes.push_back(describe(mesh));
    for (const Control& control : character.controls) report.controls.push_back(control.name);
    list_driven(character, report);
    for (const Clip& clip : character.clips)
      report.clips.push_back({clip.name, clip.start(), clip.end(), clip.channels.size()});
    report.material_count = character.materials.size();
    report.image_count = character.images.size();
    const Result<Checkup> checkup = check_character(character, asset.notes, {}, run.progress.part(0, 0));
    if (!checkup) return checkup.error();
    describe_checkup(character, *checkup, report);
    for (const Instance& instance : character.instances) {
      report.skinned_instance_count += instance.skin != kNone ? 1 : 0;
      ++report.meshes[at(instance.mesh)].instance_count;
    }
    const Result<Character> still = bare_at_rest(character, asset.name, run);
    if (!still) return still.error();
    const StillSize size = size_of(*still);
    report.point_count = size.points;
    report.polygon_count = size.polygons;
    report.box = size.box;
    if (Status going = run.progress.at("describing", 1); !going) return going.error();
    return report;
  });
}

Result<InfoReport> info(const InfoJob& job) {
  return without_throwing(job.input, [&]() -> Result<InfoReport> {
    const bool has_frames = is_cache(job.input);
    if (!has_frames && job.fps > 0) {
      return Error{
          Errc::usage,
          fmt::format("{}: this format states its own times; a rate is for vertex caches and sequences",
                      job.input)}
          .with_remedy("without_fps");
    }
    FileVerb<InfoReport> verb{.opens_input = !has_frames, .tells_reading = true, .needs_output = false};
    verb.work = [&](Asset& asset, const FileRun& run) {
      return has_frames ? info_of_cache(job, run) : info(asset, run);
    };
    return run_on_files({.input = job.input, .run = job.run}, verb);
  });
}

}  // namespace dermis
