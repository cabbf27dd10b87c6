// SPDX-License-Identifier: MIT
// The verb convert: another format, keeping all that it can store.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dermis/ops/convert.h"
#include "ops/convert/cache.h"
#include "ops/job.h"

namespace dermis {
namespace {

// What formats lose that have neither drivers nor shapes.
void note_lost_driving(const Character& character, const std::string& output, Notes& notes) {
  note_loss(notes, output, character.drivers.size(), "driver, except its effect on what is written",
            "drivers, except their effect on what is written");
  note_loss(notes, output, character.shape_rules.size(), "rule of a shape", "rules of shapes");
  note_loss(notes, output, character.pose_spaces.size(), "pose space", "pose spaces");
  note_loss(notes, output, character.controls.size(), "control", "controls");
}

// What OBJ and PLY lose of the motion of the character.
void note_lost_motion(const Character& character, const std::string& output, Notes& notes) {
  note_loss(notes, output, character.skins.size(), "skin", "skins");
  note_loss(notes, output, character.clips.size(), "clip", "clips");
  note_loss(notes, output, shape_count(character), "shape", "shapes");
  note_lost_driving(character, output, notes);
  note_lost_shares(character, output, notes);
}

// Drivers whose effect some clip does not hold as keys.
void note_unbaked(const Character& character, const std::string& output, Notes& notes) {
  const std::vector<NodeParts> driven = driven_parts(character);
  if (driven.empty()) return;
  std::vector<NodeParts> keyed(driven.size());
  if (!character.clips.empty()) keyed.assign(driven.size(), {true, true, true});
  for (const Clip& clip : character.clips) {
    std::vector<NodeParts> has(driven.size());
    for (const Channel& channel : clip.channels) {
      const auto n = static_cast<std::size_t>(channel.target);
      if (channel.path == ChannelPath::translation) has[n].translation = true;
      if (channel.path == ChannelPath::rotation) has[n].rotation = true;
      if (channel.path == ChannelPath::scale) has[n].scale = true;
    }
    for (std::size_t n = 0; n < has.size(); ++n) {
      keyed[n].translation = keyed[n].translation && has[n].translation;
      keyed[n].rotation = keyed[n].rotation && has[n].rotation;
      keyed[n].scale = keyed[n].scale && has[n].scale;
    }
  }
  std::size_t count = 0;
  for (std::size_t n = 0; n < driven.size(); ++n) {
    const bool is_keyed = (!driven[n].translation || keyed[n].translation) &&
                          (!driven[n].rotation || keyed[n].rotation) && (!driven[n].scale || keyed[n].scale);
    count += is_keyed ? 0 : 1;
  }
  if (count == 0) return;
  notes.push_back(
      Note{Note::Kind::info, "drivers-not-baked",
           fmt::format("{}: other programs will not move {}, because drivers are not written as keys", output,
                       counted(count, "driven joint", "driven joints"))}
          .with_remedy("bake_drivers"));
}

bool is_bvh(const std::string& path) { return extension_of(path) == ".bvh"; }

// A BVH written back unchanged is neither rotated nor scaled: assumptions about it do not matter.
void drop_guesses(Notes& notes) {
  constexpr std::array kGuesses{"up-axis-guessed", "turned-y-up", "unit-guessed", "positions-from-offsets"};
  std::erase_if(notes, [&](const Note& note) {
    return std::find(kGuesses.begin(), kGuesses.end(), note.id) != kGuesses.end();
  });
}

// Of the formats written, only glTF states a unit.
bool is_in_metres(const std::string& path) {
  return extension_of(path) == ".glb" || extension_of(path) == ".gltf";
}

// BVH to BVH without an option that would change its numbers.
bool goes_back_as_it_came(const ConvertJob& job) {
  return is_bvh(job.input) && job.fps <= 0 && job.clip.empty() && job.run.up != UpAxis::z;
}

Status check_motion_options(const ConvertJob& job) {
  if (job.bakes_drivers && !is_in_metres(job.output)) {
    return Error{Errc::usage, fmt::format("{}: stores no keys that drivers could be baked to; write .glb or "
                                          ".gltf",
                                          job.output)}
        .with_remedy("without_bake_drivers");
  }
  if (!is_bvh(job.output) && (job.fps > 0 || !job.clip.empty()))
    return Error{Errc::usage,
                 fmt::format("{}: this format stores keys and clips unchanged; a clip is chosen for "
                             ".bvh, a rate for .bvh and vertex caches",
                             job.output)}
        .with_remedy(job.fps > 0 ? "without_fps" : "without_clip");
  return Done{};
}

// What BVH loses of the clip itself.
void note_lost_channels(const Clip& clip, const std::string& output, Notes& notes) {
  const auto count = [&](ChannelPath path) {
    return static_cast<std::size_t>(
        std::count_if(clip.channels.begin(), clip.channels.end(),
                      [&](const Channel& channel) { return channel.path == path; }));
  };
  note_loss(notes, output, count(ChannelPath::scale), "channel of scale, except its effect on joints",
            "channels of scale, except their effect on joints");
  note_loss(notes, output, count(ChannelPath::shape_weights), "channel of shape weights",
            "channels of shape weights");
  note_loss(notes, output, count(ChannelPath::control), "channel of a control", "channels of controls");
}

// True for nodes that hold more than still meshes: a skin, something that moves, or a chain without a mesh at
// its end.
bool has_skeleton(const Character& character) {
  const auto moves_node = [](const Channel& channel) {
    return channel.path != ChannelPath::shape_weights && channel.path != ChannelPath::control;
  };
  const auto moves_nodes = [&](const Clip& clip) {
    return std::any_of(clip.channels.begin(), clip.channels.end(), moves_node);
  };
  if (!character.skins.empty() || std::any_of(character.clips.begin(), character.clips.end(), moves_nodes))
    return true;
  std::vector<bool> is_bare(character.nodes.size(), true);
  for (const Instance& instance : character.instances)
    is_bare[static_cast<std::size_t>(instance.node)] = false;
  for (const Node& node : character.nodes) {
    if (node.parent != kNone) is_bare[static_cast<std::size_t>(node.parent)] = false;
  }
  return std::find(is_bare.begin(), is_bare.end(), true) != is_bare.end();
}

// The skeleton and one clip of `asset`, as BVH can hold them.
Result<Asset> skeleton_for_bvh(const Asset& asset, const ConvertJob& job, const Run& run, Notes& notes) {
  const Character& character = asset.character;
  if (!has_skeleton(character)) {
    return Error{Errc::bad_argument, fmt::format("{}: has no skeleton, and {} can store nothing else; give a "
                                                 "character with joints, or write a .glb",
                                                 job.input, job.output)};
  }
  OffsetSkeletonOptions options;
  options.fps = job.fps;
  if (!job.clip.empty()) {
    const Result<Index> clip = find_clip(character, job.clip);
    if (!clip) return prefixed(job.input, clip.error());
    options.clip = *clip;
  } else if (!character.clips.empty()) {
    options.clip = 0;
  }
  Result<OffsetSkeleton> skeleton = offset_skeleton(character, options, run.progress);
  if (!skeleton) return prefixed(job.input, skeleton.error());
  note_loss(notes, job.output, character.meshes.size(), "mesh", "meshes");
  note_loss(notes, job.output, character.materials.size(), "material", "materials");
  note_loss(notes, job.output, character.skins.size(), "skin", "skins");
  note_loss(notes, job.output, shape_count(character), "shape", "shapes");
  note_lost_driving(character, job.output, notes);
  note_lost_shares(character, job.output, notes);
  if (options.clip != kNone) {
    note_loss(notes, job.output, character.clips.size() - 1, "further clip", "further clips");
    note_lost_channels(character.clips[static_cast<std::size_t>(options.clip)], job.output, notes);
  }
  append(notes, skeleton->notes);
  append(notes, losses_without_document(asset, job.output));
  return Asset{.character = std::move(skeleton->character)};
}

// The rest pose, for formats that store nothing else.
Result<Notes> write_still(const Asset& asset, const ConvertJob& job, const SaveOptions& options) {
  if (asset.character.instances.empty()) {
    return Error{
        Errc::bad_argument,
        fmt::format("{}: shows no mesh, so {} would be empty; write a .glb or .bvh", job.input, job.output)};
  }
  Notes notes;
  note_lost_motion(asset.character, job.output, notes);
  note_lost_surface(asset.character, job.output, notes);
  const Result<Character> still = still_at_rest(asset.character, job.input, part_of(job.run, kLoaded, kDone));
  if (!still) return still.error();
  const Result<Notes> saved = save_posed(job.output, asset, *still, options);
  if (!saved) return saved.error();
  return joined(std::move(notes), *saved);
}

Result<Notes> write_skeleton(const Asset& asset, const ConvertJob& job, const SaveOptions& options) {
  Notes notes;
  const Result<Asset> skeleton = skeleton_for_bvh(asset, job, part_of(job.run, kLoaded, kDone), notes);
  if (!skeleton) return skeleton.error();
  const Result<Notes> saved = save(job.output, *skeleton, options);
  if (!saved) return saved.error();
  return joined(std::move(notes), *saved);
}

// Everything except caches.
Result<ConvertReport> convert_character(const ConvertJob& job) {
  if (Status good = check_motion_options(job); !good) return good.error();
  FileJob files = job;
  files.save.mended_weights = job.save.max_influences > 0;
  FileVerb<ConvertReport> verb{.extensions = {".gltf", ".glb", ".obj", ".ply", ".bvh", ".out"}};
  verb.work = [&](Asset& asset, const FileRun& run) -> Result<ConvertReport> {
    if (is_bvh(job.output) && goes_back_as_it_came(job)) drop_guesses(asset.notes);
    ConvertReport report;
    if (is_in_metres(job.output)) {
      if (Status posed = note_unusual_size(asset.character, run, report.notes); !posed)
        return prefixed(asset.name, posed.error());
    }
    report.input_bytes = bytes_on_disk(job.input);
    if (!is_in_metres(job.output)) return report;
    if (!job.bakes_drivers) {
      note_unbaked(asset.character, job.output, report.notes);
      return report;
    }
    if (!has_driven_values(asset.character)) {
      report.notes.push_back(
          {Note::Kind::info, "nothing-driven", fmt::format("{}: has no drivers to bake", asset.name)});
      return report;
    }
    const Result<BakedDrivers> baked = bake_drivers(asset.character, part_of(run, kLoaded, kDone).progress);
    if (!baked) return prefixed(asset.name, baked.error());
    report.baked_joint_count = baked->joint_count;
    report.baked_shape_count = baked->shape_count;
    report.baked_key_count = baked->key_count;
    append(report.notes, baked->notes);
    return report;
  };
  verb.write = [&](const Asset& asset, const SaveOptions& options) {
    return is_still_file(job.output)                          ? write_still(asset, job, options)
           : is_bvh(job.output) && !goes_back_as_it_came(job) ? write_skeleton(asset, job, options)
                                                              : save(job.output, asset, options);
  };
  return run_on_files(files, verb);
}

}  // namespace

Result<ConvertReport> convert(const ConvertJob& job) {
  return without_throwing(job.input, [&]() -> Result<ConvertReport> {
    Result<ConvertReport> report = has_cache(job) ? convert_cache(job) : convert_character(job);
    if (report) report->output_bytes = bytes_on_disk(job.output);
    return report;
  });
}

}  // namespace dermis
