// SPDX-License-Identifier: MIT
// The verb convert with a vertex cache or a sequence on either side.
#include "ops/convert/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ops/job.h"

namespace dermis {
namespace {

// The file with the frames.
const std::string& frames_of(const ConvertJob& job) { return job.cache.empty() ? job.input : job.cache; }

Status check_job(const ConvertJob& job) {
  if (!job.cache.empty() && !is_cache(job.cache)) {
    return Error{Errc::usage, fmt::format("{}: is not a vertex cache; give a .pc2, .mdd or .f32, or "
                                          "a sequence such as walk_####.obj",
                                          job.cache)};
  }
  if (!is_cache(frames_of(job))) {
    return Error{Errc::usage,
                 fmt::format("{}: is not a vertex cache, but {} would be; 'dermis bake {} -o {}' "
                             "writes a clip",
                             job.input, job.output, shell_word(job.input), shell_word(job.output))}
        .with_remedy("frames");
  }
  if (is_cache(job.input) && !job.cache.empty())
    return Error{Errc::usage,
                 fmt::format("{}: is itself a cache; to apply another, name the mesh it moves", job.input)};
  const auto refused = [](const char* why, const char* remedy) {
    return Error{Errc::usage, why}.with_remedy(remedy);
  };
  if (job.save.weights) return refused("caches store no weights", "without_weights");
  if (job.save.max_influences > 0) return refused("caches store no weights", "without_max_influences");
  if (job.save.ascii) return refused("caches and sequences are binary", "without_ascii");
  if (job.run.metres_per_unit > 0 &&
      (extension_of(job.input) == ".glb" || extension_of(job.input) == ".gltf"))
    return Error{Errc::usage, fmt::format("{}: is in metres, and so is its cache", job.input)}.with_remedy(
        "without_unit");
  if (!job.clip.empty()) return refused("caches store frames, not named clips", "without_clip");
  if (is_still_file(job.output) && !is_sequence(job.output))
    return Error{Errc::usage,
                 fmt::format("{}: holds only one frame; name a sequence, as in walk_####.obj", job.output)};
  return Done{};
}

// The cache moves every point itself: everything that moved them before is removed.
void note_replaced_rig(const Character& character, const std::string& input, Notes& notes) {
  const auto note = [&](std::size_t count, const char* one, const char* many) {
    if (count == 0) return;
    notes.push_back({Note::Kind::loss, "replaced-by-cache",
                     fmt::format("{}: {} {} left out, because the cache moves the points", input, count,
                                 count == 1 ? one : many)});
  };
  note(character.skins.size(), "skin with its skeleton was", "skins with their skeletons were");
  note(character.clips.size(), "clip was", "clips were");
  note(shape_count(character), "shape was", "shapes were");
  note(share_set_count(character), "set of shares of dqs was", "sets of shares of dqs were");
}

// The mesh that the frames move: the input, or the first file of a sequence.
struct RestMesh {
  Character still;
  bool is_turned = false;  // from Z up to Y up
};
Result<RestMesh> rest_of(const ConvertJob& job, const FileRun& run, Notes& notes) {
  std::string path = job.input;
  if (is_sequence(job.input)) {
    const Result<std::string> first = first_of_sequence(job.input);
    if (!first) return first.error();
    path = *first;
  } else if (is_cache_file(job.input)) {
    return Error{Errc::usage,
                 fmt::format("{}: needs the mesh that {} moves: 'dermis convert MESH --cache {} -o {}'",
                             job.output, job.input, shell_word(job.input), shell_word(job.output))};
  }
  Result<Asset> asset = open_file(path, part_of(run, 0, 0.7));
  if (!asset) return asset.error();
  if (!is_sequence(job.input)) append(notes, asset->notes);
  note_replaced_rig(asset->character, path, notes);
  append(notes, losses_without_document(*asset, job.output));
  Result<Character> still = bare_at_rest(asset->character, path, part_of(run, 0.7, 1));
  if (!still) return still.error();
  return RestMesh{std::move(*still), asset->reading.is_turned};
}

// Normals of the rest mesh would be wrong on a moved one.
void drop_normals(Character& still, Notes& notes) {
  bool had_normals = false;
  for (Mesh& mesh : still.meshes) {
    had_normals = had_normals || !mesh.normals.empty() || !mesh.tangents.empty();
    mesh.normals = {};
    mesh.tangents = {};
  }
  if (had_normals) {
    notes.push_back({Note::Kind::loss, "normals-dropped",
                     "a cache moves points only; the normals of the rest mesh were left out"});
  }
}

// The numbers of frames at `times`: whole frames keep theirs, so that the sequence reads back with the same
// times.
std::vector<std::int64_t> frame_numbers(std::span<const float> times, double fps, Notes& notes) {
  constexpr double kTolerance = 0.01;  // of a frame: times are floats
  std::vector<std::int64_t> numbers;
  bool is_whole = true;
  for (const float time : times) {
    const double frame = static_cast<double>(time) * fps;
    is_whole =
        is_whole && frame > -kTolerance && frame < 1e9 && std::abs(frame - std::round(frame)) < kTolerance;
    numbers.push_back(is_whole ? std::llround(frame) : 0);
  }
  const bool is_rising =
      std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal{}) == numbers.end();
  if (is_whole && is_rising) return numbers;
  std::iota(numbers.begin(), numbers.end(), 0);
  notes.push_back({Note::Kind::loss, "times-dropped",
                   fmt::format("its times, {:g} s to {:g} s, are not whole frames at {:g} per second; the "
                               "files are numbered from 0",
                               times.front(), times.back(), fps)});
  notes.back().remedies.push_back({"fps"});
  return numbers;
}

Result<Notes> save_sequence(const ConvertJob& job, Character still, const PointCache& cache) {
  Notes notes;
  drop_normals(still, notes);
  note_lost_surface(still, job.output, notes);
  const double fps = job.fps > 0 ? job.fps : kDefaultFps;
  Result<SequenceWriter> sequence =
      SequenceWriter::open(job.output, frame_numbers(cache.times, fps, notes), job.run);
  if (!sequence) return sequence.error();
  for (std::size_t k = 0; k < cache.frame_count(); ++k) {
    const double done = static_cast<double>(k) / static_cast<double>(cache.frame_count());
    if (Status going = job.run.progress.part(kDone, 1).at("writing frames", done); !going)
      return going.error();
    std::span<const Vec3> points = cache.frame(k);
    for (Mesh& mesh : still.meshes) {
      std::copy_n(points.begin(), mesh.points.size(), mesh.points.begin());
      points = points.subspan(mesh.points.size());
      mesh.weld = weld_coincident(mesh.points);
    }
    if (Status added = sequence->add(still, notes); !added) return added.error();
  }
  if (const Result<std::vector<std::string>> files = sequence->commit(); !files) return files.error();
  return notes;
}

std::size_t point_count_of(const Character& still) {
  std::size_t count = 0;
  for (const Mesh& mesh : still.meshes) count += mesh.points.size();
  return count;
}

// Frames, and the mesh they move if the output needs one.
struct OpenedFrames {
  PointCache cache;
  Character still;
};
Result<OpenedFrames> open_moving(const ConvertJob& job, const FileRun& run, Notes& notes) {
  OpenedFrames opened;
  const std::string& source = frames_of(job);
  const bool needs_mesh = !is_cache_file(job.output) || !job.cache.empty();
  CacheChoice choice{job.fps};
  if (needs_mesh) {
    Result<RestMesh> rest = rest_of(job, part_of(run, 0, 0.4), notes);
    if (!rest) return rest.error();
    opened.still = std::move(rest->still);
    // The frames have the up axis of their mesh.
    choice.up = rest->is_turned ? UpAxis::z : UpAxis::guess;
    choice.point_count = point_count_of(opened.still);
  }
  Result<CacheAsset> loaded = open_frames(source, choice, part_of(run, 0.4, 1));
  if (!loaded) return loaded.error();
  append(notes, loaded->notes);
  if (needs_mesh && loaded->cache.point_count != choice.point_count) {
    return Error{Errc::bad_argument, fmt::format("{}: moves {} points, but {} has {}", source,
                                                 loaded->cache.point_count, job.input, choice.point_count)};
  }
  opened.cache = std::move(loaded->cache);
  return opened;
}

Result<Notes> save_moving(const ConvertJob& job, const OpenedFrames& frames, const SaveOptions& options) {
  if (is_cache_file(job.output)) return save_cache(job.output, frames.cache);
  if (is_sequence(job.output)) return save_sequence(job, frames.still, frames.cache);
  Result<Character> moving = character_from_cache(frames.still, frames.cache, job.run.max_memory);
  if (!moving) return prefixed(frames_of(job), moving.error());
  return save(job.output, Asset{std::move(*moving), {}, nullptr}, options);
}

}  // namespace

bool has_cache(const ConvertJob& job) {
  return !job.cache.empty() || is_cache(job.input) || is_cache(job.output);
}

Result<ConvertReport> convert_cache(const ConvertJob& job) {
  if (Status good = check_job(job); !good) return good.error();
  OpenedFrames frames;
  FileVerb<ConvertReport> verb{.extensions = {".pc2", ".mdd", ".glb", ".gltf", ".obj", ".ply"},
                               .also_read = {job.cache},
                               .opens_input = false};
  verb.work = [&](Asset&, const FileRun& run) -> Result<ConvertReport> {
    ConvertReport report;
    report.input_bytes = bytes_on_disk(job.input);
    Result<OpenedFrames> opened = open_moving(job, run, report.notes);
    if (!opened) return opened.error();
    frames = std::move(*opened);
    return report;
  };
  verb.write = [&](const Asset&, const SaveOptions& options) { return save_moving(job, frames, options); };
  return run_on_files(job, verb);
}

}  // namespace dermis
