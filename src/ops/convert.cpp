// SPDX-License-Identifier: MIT
// The verbs convert and deform: a file in, a file out.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dermis/ops/convert.h"
#include "dermis/ops/methods.h"
#include "dermis/ops/pose.h"
#include "ops/convert_cache.h"
#include "ops/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// What OBJ and PLY leave behind of how the character moves.
void note_lost_motion(const Character& character, const std::string& output, Notes& notes) {
  std::size_t shape_count = 0;
  for (const Mesh& mesh : character.meshes) shape_count += mesh.shapes.size();
  note_loss(notes, output, character.skins.size(), "skin", "skins");
  note_loss(notes, output, character.clips.size(), "clip", "clips");
  note_loss(notes, output, shape_count, "shape", "shapes");
  note_lost_shares(character, output, notes);
}

// Mended weights and normals move the points here, but an untouched document keeps its own.
void note_kept_faults(const Notes& loading, bool keeps_weights, Notes& notes) {
  const auto is_mended = [&](const char* prefix) {
    return std::any_of(loading.begin(), loading.end(), [&](const Note& note) {
      return note.kind == Note::Kind::repair && note.id.starts_with(prefix);
    });
  };
  if (keeps_weights && is_mended("weights-")) {
    notes.push_back(
        {Note::Kind::info, "weights-kept",
         "the weights were written back as the file has them; --weights float writes the mended ones"});
  }
  for (const char* attribute : {"normals", "tangents"}) {
    if (!is_mended(attribute)) continue;
    notes.push_back({Note::Kind::info, fmt::format("{}-kept", attribute),
                     fmt::format("the {} were written back as the file has them", attribute)});
  }
}

bool is_bvh(const std::string& path) { return extension_of(path) == ".bvh"; }

// A BVH that goes back as it came is neither turned nor measured: what was taken for it does not matter.
void drop_guesses(Notes& notes) {
  constexpr std::array kGuesses{"up-axis-guessed", "turned-y-up", "unit-guessed", "positions-from-offsets"};
  std::erase_if(notes, [&](const Note& note) {
    return std::find(kGuesses.begin(), kGuesses.end(), note.id) != kGuesses.end();
  });
}

// A BVH to BVH of which nothing is asked that would change its numbers.
bool goes_back_as_it_came(const ConvertJob& job) {
  return is_bvh(job.input) && job.fps <= 0 && job.clip.empty() && job.run.load.up != UpAxis::z;
}

Status check_motion_options(const ConvertJob& job) {
  if (!is_bvh(job.output) && (job.fps > 0 || !job.clip.empty()))
    return Error{Errc::usage, fmt::format("{}: --clip and --fps are for .bvh, and --fps for vertex caches; "
                                          "this format holds keys and clips as they are",
                                          job.output)};
  return Done{};
}

// What BVH leaves behind of the clip itself.
void note_lost_channels(const Clip& clip, const std::string& output, Notes& notes) {
  const auto count = [&](ChannelPath path) {
    return static_cast<std::size_t>(
        std::count_if(clip.channels.begin(), clip.channels.end(),
                      [&](const Channel& channel) { return channel.path == path; }));
  };
  note_loss(notes, output, count(ChannelPath::scale), "channel of scale, but for how it moves joints,",
            "channels of scale, but for how they move joints,");
  note_loss(notes, output, count(ChannelPath::shape_weights), "channel of shape weights",
            "channels of shape weights");
  note_loss(notes, output, count(ChannelPath::control), "channel of a control", "channels of controls");
}

// True for nodes that hold more than still meshes: a skin, something that moves, or a chain that ends in no
// mesh.
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
Result<Asset> skeleton_for_bvh(const Asset& asset, const ConvertJob& job, Notes& notes) {
  const Character& character = asset.character;
  if (!has_skeleton(character)) {
    return Error{Errc::bad_argument,
                 fmt::format("{}: has no skeleton, which is all that {} could hold; give a character with "
                             "joints, or write a .glb",
                             job.input, job.output)};
  }
  OffsetSkeletonOptions options;
  options.fps = job.fps;
  if (!job.clip.empty()) {
    const Result<Index> clip = find_clip(character, job.clip);
    if (!clip) return in_file(job.input, clip.error());
    options.clip = *clip;
  } else if (!character.clips.empty()) {
    options.clip = 0;
  }
  Result<OffsetSkeleton> skeleton = offset_skeleton(character, options, job.run.progress.part(0.7, 1));
  if (!skeleton) return in_file(job.input, skeleton.error());
  note_loss(notes, job.output, character.meshes.size(), "mesh", "meshes");
  note_loss(notes, job.output, character.skins.size(), "skin", "skins");
  note_lost_shares(character, job.output, notes);
  if (options.clip != kNone) {
    note_loss(notes, job.output, character.clips.size() - 1, "further clip", "further clips");
    note_lost_channels(character.clips[static_cast<std::size_t>(options.clip)], job.output, notes);
  }
  append(notes, skeleton->notes);
  return Asset{std::move(skeleton->character), {}, nullptr};
}

}  // namespace

Result<ConvertReport> convert(const ConvertJob& job) {
  return without_throwing(job.input, [&]() -> Result<ConvertReport> {
    if (has_cache(job)) return convert_cache(job);
    if (Status good =
            check_output(job.output, {job.input}, {".gltf", ".glb", ".obj", ".ply", ".bvh", ".out"}, job.run);
        !good)
      return good.error();
    if (Status good = check_motion_options(job); !good) return good.error();
    if (Status good = check_save_options(job.output, job.save); !good) return good.error();
    Result<Asset> asset = load(job.input, job.run.load, job.run.progress.part(0, 0.7));
    if (!asset) return asset.error();
    ConvertReport report{job.input, job.output, bytes_on_disk(job.input), 0, asset->notes};
    SaveOptions options = job.save;
    options.mended_weights = options.max_influences > 0;
    options.overwrite_side_files = job.run.force;
    Result<Notes> saved = Notes{};
    if (is_still_file(job.output)) {
      if (asset->character.instances.empty()) {
        return Error{Errc::bad_argument,
                     fmt::format("{}: shows no mesh, so {} would be empty; write a .glb or .bvh", job.input,
                                 job.output)};
      }
      note_lost_motion(asset->character, job.output, report.notes);
      note_lost_surface(asset->character, job.output, report.notes);
      const Result<Character> still = still_at_rest(asset->character, job.input, part_of(job.run, 0.7, 1));
      if (!still) return still.error();
      saved = save_posed(job.output, *asset, *still, options);
    } else if (is_bvh(job.output) && !goes_back_as_it_came(job)) {
      const Result<Asset> skeleton = skeleton_for_bvh(*asset, job, report.notes);
      if (!skeleton) return skeleton.error();
      saved = save(job.output, *skeleton, options);
    } else {
      saved = save(job.output, *asset, options);
      const bool is_kept =
          asset->source != nullptr && extension_of(job.output) != ".out" && extension_of(job.input) != ".obj";
      const bool keeps_weights = !options.weights && options.max_influences == 0;
      if (is_bvh(job.output)) drop_guesses(report.notes);
      if (is_kept) note_kept_faults(asset->notes, keeps_weights, report.notes);
    }
    if (!saved) return saved.error();
    append(report.notes, *saved);
    report.output_bytes = bytes_on_disk(job.output);
    return report;
  });
}

Result<DeformReport> deform(const DeformJob& job) {
  return without_throwing(job.input, [&]() -> Result<DeformReport> {
    if (Status good = check_output(job.output, {job.input, job.pose.pose_file},
                                   {".obj", ".ply", ".glb", ".gltf"}, job.run);
        !good) {
      return good.error();
    }
    if (Status good = check_report(job.report, {job.input, job.pose.pose_file}, job.run); !good)
      return good.error();
    SaveOptions options;
    options.overwrite_side_files = job.run.force;
    options.ascii = job.ascii;
    if (Status good = check_save_options(job.output, options); !good) return good.error();
    Stopwatch watch;
    DeformReport report;
    report.input = job.input;
    report.output = job.output;
    report.time = job.pose.time;
    report.method = name_of(job.deform.stack);
    const RunOptions run = before_report(job.run, job.report);
    Result<Asset> asset = load(job.input, run.load, run.progress.part(0, 0.4));
    if (!asset) return asset.error();
    if (is_still_file(job.output) && asset->character.instances.empty()) {
      return Error{Errc::bad_argument,
                   fmt::format("{}: shows no mesh to deform, so {} would be empty; convert writes its motion "
                               "as .glb or .bvh",
                               job.input, job.output)};
    }
    report.notes = asset->notes;
    report.seconds_loading = watch.lap();
    const Result<PosedCharacter> posed = pose_by_choice(asset->character, job.pose);
    if (!posed) return in_file(job.input, posed.error());
    report.clip = posed->clip;
    append(report.notes, posed->notes);
    report.pose_file = job.pose.pose_file;
    report.shapes = job.pose.shapes;
    if (is_still_file(job.output)) note_lost_surface(asset->character, job.output, report.notes);
    const Result<Deformer> deformer =
        ready_to_pose(asset->character, job.deform, job.input, part_of(run, 0.4, 0.8));
    if (!deformer) return deformer.error();
    append(report.notes, deformer->notes);
    note_pose(*deformer, posed->frame, job.input, report.notes);
    if (!shows_skin(asset->character)) note_nothing_skinned(job.deform.stack, job.input, report.notes);
    note_unused_options({&job.deform, 1}, report.notes);
    const Result<Character> still = still_scene(*deformer, posed->frame, job.input, part_of(run, 0.8, 1));
    if (!still) return still.error();
    report.seconds_deforming = watch.lap();
    const Result<Notes> saved = save_posed(job.output, *asset, *still, options);
    if (!saved) return saved.error();
    append(report.notes, *saved);
    report.seconds_saving = watch.lap();
    const StillSize size = size_of(*still);
    report.instance_count = still->instances.size();
    report.point_count = size.points;
    report.polygon_count = size.polygons;
    report.box = size.box;
    if (Status done = report_deform(job, report, *deformer, posed->frame); !done) return done.error();
    return report;
  });
}

}  // namespace dermis
