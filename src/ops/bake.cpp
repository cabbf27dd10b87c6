// SPDX-License-Identifier: MIT
// The verb bake: a clip frame by frame into caches, sequences or shapes.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "dermis/ops/methods.h"
#include "dermis/ops/pose.h"
#include "ops/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Clips end at float times: 1.0333334 s is the 31st frame at 30 a second, not a bit behind it.
constexpr double kFrameTolerance = 0.01;

// The times of all frames, in double as `deform` takes them.
Result<std::vector<double>> frame_times(double from, double to, double fps) {
  if (!std::isfinite(from) || !std::isfinite(to) || from > to) {
    return Error{Errc::usage,
                 fmt::format("--from {:g} --to {:g}: the end is not behind the start", from, to)};
  }
  if (!std::isfinite(fps) || fps <= 0) return Error{Errc::usage, "--fps: must be above zero"};
  constexpr double kMostFrames = 1e7;
  const double count = std::floor((to - from) * fps + kFrameTolerance) + 1;
  if (count > kMostFrames)
    return Error{Errc::usage, fmt::format("--fps {:g}: {:g} frames are more than can be baked", fps, count)};
  std::vector<double> times(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = from + static_cast<double>(k) / fps;
  const auto is_same_key = [](double a, double b) { return static_cast<float>(a) >= static_cast<float>(b); };
  if (std::adjacent_find(times.begin(), times.end(), is_same_key) != times.end()) {
    return Error{
        Errc::usage,
        fmt::format("--fps {:g}: frames so close cannot be told apart in files, whose times are floats",
                    fps)};
  }
  return times;
}

void note_cut_end(double last, double to, double fps, Notes& notes) {
  if (to - last < kFrameTolerance / fps) return;
  notes.push_back(
      {Note::Kind::info, "end-between-frames",
       fmt::format("the last frame is at {:g} s, {:.3g} s before the end: it falls between frames", last,
                   to - last)});
}

// Seconds are easily mistaken for frames.
void note_held_keys(const Clip& clip, const BakeReport& report, Notes& notes) {
  const double start = clip.start(), end = clip.end();
  const double slack = kFrameTolerance / report.fps;
  const auto is_held = [&](double time) { return time < start - slack || time > end + slack; };
  if (!is_held(report.from) && !is_held(report.to)) return;
  notes.push_back(
      {Note::Kind::info, "time-outside-clip",
       fmt::format(
           "clip {} runs from {:g} s to {:g} s; in frames before and behind, its first or last key holds",
           quoted_name(report.clip), start, end)});
}

void note_no_normals(const BakeJob& job, Notes& notes) {
  if (job.deform.normals == NormalMode::shading) return;
  notes.push_back({Note::Kind::info, "no-normals-in-format",
                   fmt::format("{}: holds points alone; --normals {} has no effect", job.output,
                               name_of(job.deform.normals))});
}

// The scene at each time, in order. The frames are silent: `run` tells the progress of all.
class Frames {
 public:
  Frames(const Deformer& deformer, Index clip, std::vector<double> times, const BakeJob& job,
         const RunOptions& run)
      : deformer_(deformer),
        clip_(clip),
        times_(std::move(times)),
        job_(job),
        progress_(run.progress),
        silent_(run) {
    silent_.progress = {};
  }

  std::vector<float> key_times() const { return {times_.begin(), times_.end()}; }
  std::size_t count() const { return times_.size(); }
  double start() const { return times_.front(); }

  Result<Character> at(std::size_t k, Notes& notes) const {
    const double done = static_cast<double>(k) / static_cast<double>(times_.size());
    if (Status going = progress_.at("baking frames", done); !going) return going.error();
    const Result<PoseFrame> frame = pose_frame(*deformer_.character, {clip_, times_[k], nullptr});
    if (!frame) return in_file(job_.input, frame.error());
    note_pose(deformer_, *frame, job_.input, notes);
    return still_scene(deformer_, *frame, job_.input, silent_);
  }

 private:
  const Deformer& deformer_;
  Index clip_;
  std::vector<double> times_;
  const BakeJob& job_;
  Progress progress_;
  RunOptions silent_;
};

// ---- Caches and sequences: frame by frame ----

// The mesh that the cache of instance `k` moves.
Character only_instance(const Character& still, std::size_t k) {
  Character one;
  one.metres_per_unit = still.metres_per_unit;
  one.materials = still.materials;
  one.images = still.images;
  const Instance& instance = still.instances[k];
  one.nodes.push_back(still.nodes[static_cast<std::size_t>(instance.node)]);
  one.nodes[0].parent = kNone;
  one.meshes.push_back(still.meshes[static_cast<std::size_t>(instance.mesh)]);
  one.instances.push_back(instance);
  one.instances[0].node = one.instances[0].mesh = 0;
  return one;
}

// "out", or "out_MESH_NODE" of several instances; names that are the same but for their case get a number.
std::vector<std::string> stems_for(const std::string& stem, const Character& rest) {
  if (rest.instances.size() == 1) return {stem};
  std::vector<std::string> stems;
  std::set<std::string> taken;
  for (const Instance& instance : rest.instances) {
    const std::string mesh = file_safe(rest.meshes[static_cast<std::size_t>(instance.mesh)].name);
    const std::string node = file_safe(rest.nodes[static_cast<std::size_t>(instance.node)].name);
    const std::string name = fmt::format("{}_{}{}", stem, mesh, mesh == node ? "" : "_" + node);
    std::string unique = name;
    for (int k = 2; !taken.insert(lower_case(unique)).second; ++k) unique = fmt::format("{}_{}", name, k);
    stems.push_back(std::move(unique));
  }
  return stems;
}

using Files = std::vector<std::string>;

// Refuses files of others where the staged ones would go. The cache itself was asked for by name; if it is
// there already, the mesh beside it is its own and goes with it.
Status check_beside_cache(const StagedFiles& staged, const BakeJob& job) {
  const fs::path target = fs::path(job.output).lexically_normal();
  const std::string stem = target.stem().string();
  Files foreign = staged.replaced();
  std::error_code ignored;
  const bool is_again = fs::exists(target, ignored);
  std::erase_if(foreign, [&](const std::string& file) {
    const fs::path path = fs::path(file).lexically_normal();
    return path == target ||
           (is_again && (path.filename() == stem + "_rest.obj" || path.filename() == stem + "_rest.mtl"));
  });
  return check_not_there(foreign, job.run);
}

Result<Files> bake_to_caches(const Frames& frames, const Character& rest, const BakeJob& job, Notes& notes) {
  const fs::path target(job.output);
  Result<StagedFiles> staged = StagedFiles::open(target.parent_path().string());
  if (!staged) return staged.error();
  const std::vector<std::string> stems = stems_for(target.stem().string(), rest);
  const std::vector<float> times = frames.key_times();
  append(notes, lost_times(job.output, times));
  std::vector<CacheWriter> writers;
  std::vector<std::size_t> written;  // the instance of each writer
  for (std::size_t i = 0; i < stems.size(); ++i) {
    const Character one = only_instance(rest, i);
    if (one.meshes[0].points.empty()) {
      notes.push_back({Note::Kind::info, "mesh-without-points",
                       fmt::format("mesh {} has no points and no file", quoted_name(one.meshes[0].name))});
      continue;
    }
    written.push_back(i);
    const std::string rest_path = staged->path_of(stems[i] + "_rest.obj");
    const Result<Notes> saved = save_posed(rest_path, {}, one);
    if (!saved) return saved.error();
    if (written.size() == 1) append(notes, as_committed(*saved, *staged));  // every mesh has the same to say
    Result<CacheWriter> writer = CacheWriter::create(staged->path_of(stems[i] + extension_of(job.output)),
                                                     one.meshes[0].points.size(), times);
    if (!writer) return writer.error();
    writers.push_back(std::move(*writer));
  }
  if (Status good = check_beside_cache(*staged, job); !good) return good.error();
  for (std::size_t k = 0; k < frames.count(); ++k) {
    const Result<Character> still = frames.at(k, notes);
    if (!still) return still.error();
    for (std::size_t w = 0; w < writers.size(); ++w) {
      const Index mesh = still->instances[written[w]].mesh;
      if (Status added = writers[w].add(still->meshes[static_cast<std::size_t>(mesh)].points); !added)
        return added.error();
    }
  }
  for (CacheWriter& writer : writers) {
    if (Status closed = writer.close(); !closed) return closed.error();
  }
  return staged->commit();
}

Result<Files> bake_to_sequence(const Frames& frames, const BakeJob& job, Notes& notes) {
  std::vector<std::int64_t> numbers(frames.count());
  std::iota(numbers.begin(), numbers.end(),
            std::max<std::int64_t>(0, std::llround(frames.start() * job.fps)));
  Result<SequenceWriter> sequence = SequenceWriter::open(job.output, std::move(numbers), job.run);
  if (!sequence) return sequence.error();
  for (std::size_t k = 0; k < frames.count(); ++k) {
    const Result<Character> still = frames.at(k, notes);
    if (!still) return still.error();
    if (Status added = sequence->add(*still, notes); !added) return added.error();
  }
  return sequence->commit();
}

// ---- Shapes: all frames together ----

// Adds the points of a still scene, and its normals when every mesh has them on points.
void append_frame(const Character& still, bool has_normals, PointCache& cache) {
  for (const Instance& instance : still.instances) {
    const Mesh& mesh = still.meshes[static_cast<std::size_t>(instance.mesh)];
    cache.points.insert(cache.points.end(), mesh.points.begin(), mesh.points.end());
    if (has_normals)
      cache.normals.insert(cache.normals.end(), mesh.normals.values.begin(), mesh.normals.values.end());
  }
}

bool has_point_normals(const Character& still) {
  return std::all_of(still.instances.begin(), still.instances.end(), [&](const Instance& instance) {
    const Mesh& mesh = still.meshes[static_cast<std::size_t>(instance.mesh)];
    return mesh.normals.values.size() == mesh.points.size() && mesh.normals.is_per_point();
  });
}

Result<Files> bake_to_shapes(const Frames& frames, const Character& rest, const BakeJob& job,
                             const std::string& clip_name, Notes& notes) {
  PointCache cache;
  cache.times = frames.key_times();
  cache.point_count = size_of(rest).points;
  const bool has_normals = has_point_normals(rest);
  const std::uint64_t bytes = std::uint64_t{frames.count()} * cache.point_count * 2 * sizeof(Vec3);
  if (bytes > job.run.load.max_memory) {
    return Error{Errc::too_large,
                 fmt::format("{}: {} frames of {} points need {} bytes; raise --max-memory, lower --fps, or "
                             "bake to .pc2, which is written frame by frame",
                             job.output, frames.count(), cache.point_count, bytes)};
  }
  for (std::size_t k = 0; k < frames.count(); ++k) {
    const Result<Character> still = frames.at(k, notes);
    if (!still) return still.error();
    append_frame(*still, has_normals, cache);
  }
  Result<Character> moving = character_from_cache(rest, cache, job.run.load.max_memory);
  if (!moving) return in_file(job.output, moving.error());
  moving->clips[0].name = clip_name;
  SaveOptions options;
  options.overwrite_side_files = job.run.force;
  const Result<Notes> saved = save(job.output, {std::move(*moving), {}, nullptr}, options);
  if (!saved) return saved.error();
  append(notes, *saved);
  return Files{job.output};
}

}  // namespace

Result<BakeReport> bake(const BakeJob& job) {
  return without_throwing(job.input, [&]() -> Result<BakeReport> {
    if (Status good =
            check_output(job.output, {job.input}, {".pc2", ".mdd", ".obj", ".ply", ".glb", ".gltf"}, job.run);
        !good)
      return good.error();
    if (is_still_file(job.output) && !is_sequence(job.output)) {
      return Error{Errc::usage, fmt::format("{}: a clip needs a file for each frame; name them with #, as in "
                                            "walk_####.obj",
                                            job.output)};
    }
    if (Status good = check_report(job.report, {job.input}, job.run); !good) return good.error();
    Stopwatch watch;
    const RunOptions run = before_report(job.run, job.report);
    const Result<Asset> asset = load(job.input, run.load, run.progress.part(0, 0.1));
    if (!asset) return asset.error();
    const Result<Index> clip = choose_clip(asset->character, job.clip, "has no clips to bake");
    if (!clip) return in_file(job.input, clip.error());
    const Clip& chosen = asset->character.clips[static_cast<std::size_t>(*clip)];
    BakeReport report;
    report.input = job.input;
    report.output = job.output;
    report.clip = chosen.name.empty() ? fmt::format("#{}", *clip) : chosen.name;
    report.method = name_of(job.deform.stack);
    report.notes = asset->notes;
    const double to = job.to.value_or(chosen.end());
    Result<std::vector<double>> times = frame_times(job.from.value_or(chosen.start()), to, job.fps);
    if (!times) return times.error();
    report.fps = job.fps;
    report.from = times->front();
    report.to = times->back();
    report.frame_count = times->size();
    note_cut_end(report.to, to, job.fps, report.notes);
    note_held_keys(chosen, report, report.notes);
    const Result<Character> rest = bare_at_rest(asset->character, job.input, part_of(run, 0.1, 0.15));
    if (!rest) return rest.error();
    report.instance_count = rest->instances.size();
    report.point_count = size_of(*rest).points;
    report.seconds_loading = watch.lap();
    if (report.point_count == 0)
      return Error{Errc::bad_argument, fmt::format("{}: has no points to bake", job.input)};
    if (is_sequence(job.output)) note_lost_surface(*rest, job.output, report.notes);
    if (is_cache_file(job.output)) note_lost_surface(*rest, "the rest mesh as .obj", report.notes);
    const Result<Deformer> deformer =
        ready_to_pose(asset->character, job.deform, job.input, part_of(run, 0.15, 0.3));
    if (!deformer) return deformer.error();
    append(report.notes, deformer->notes);
    if (!shows_skin(asset->character)) note_nothing_skinned(job.deform.stack, job.input, report.notes);
    note_unused_options({&job.deform, 1}, report.notes);
    if (is_cache_file(job.output)) note_no_normals(job, report.notes);
    const Frames frames(*deformer, *clip, std::move(*times), job, part_of(run, 0.3, 1));
    Result<Files> files = is_cache_file(job.output) ? bake_to_caches(frames, *rest, job, report.notes)
                          : is_sequence(job.output)
                              ? bake_to_sequence(frames, job, report.notes)
                              : bake_to_shapes(frames, *rest, job, report.clip, report.notes);
    if (!files) return files.error();
    report.files = std::move(*files);
    report.seconds_baking = watch.lap();
    if (Status done = report_bake(job, report, *deformer, *clip); !done) return done.error();
    return report;
  });
}

}  // namespace dermis
