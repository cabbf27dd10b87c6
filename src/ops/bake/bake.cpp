// SPDX-License-Identifier: MIT
// The verb bake: a clip frame by frame into caches, sequences or shapes.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>

#include "dermis/ops/methods.h"
#include "dermis/ops/pose.h"
#include "ops/job.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Clips end at float times: 1.0333334 s is frame 31 at 30 frames per second, not slightly after it.
constexpr double kFrameTolerance = 0.01;

// The times of all frames, in double as `deform` takes them.
Result<std::vector<double>> frame_times(double from, double to, double fps) {
  if (!std::isfinite(from) || !std::isfinite(to) || from > to) {
    return Error{Errc::usage, fmt::format("from {:g} s to {:g} s: the end is not after the start", from, to)};
  }
  if (!std::isfinite(fps) || fps <= 0)
    return Error{Errc::usage, "the rate must be above zero frames per second"};
  constexpr double kMostFrames = 1e7;
  const double count = std::floor((to - from) * fps + kFrameTolerance) + 1;
  if (count > kMostFrames)
    return Error{Errc::usage,
                 fmt::format("{:g} frames per second: {:g} frames are more than can be baked", fps, count)}
        .with_remedy("fewer_frames");
  std::vector<double> times(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = from + static_cast<double>(k) / fps;
  const auto is_same_key = [](double a, double b) { return static_cast<float>(a) >= static_cast<float>(b); };
  if (std::adjacent_find(times.begin(), times.end(), is_same_key) != times.end()) {
    return Error{
        Errc::usage,
        fmt::format("{:g} frames per second: frames this close have the same time in files, where times are "
                    "floats",
                    fps)}
        .with_remedy("fewer_frames");
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
           "clip {} runs from {:g} s to {:g} s; in frames before and after, its first or last key is used",
           quoted_name(report.clip), start, end)});
}

// The frames store what all of this did.
void note_baked_rig(const Character& character, const std::string& output, Notes& notes) {
  std::vector<std::string> words;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) words.push_back(counted(count, one, many));
  };
  add(character.skins.size(), "skin", "skins");
  add(shape_count(character), "shape", "shapes");
  add(character.clips.size() - 1, "other clip", "other clips");
  add(character.controls.size(), "control", "controls");
  add(share_set_count(character), "set of shares of dqs", "sets of shares of dqs");
  if (words.empty()) return;
  notes.push_back({Note::Kind::loss, "rig-left-out",
                   fmt::format("{}: holds frames, without the rig that made them: {} left out", output,
                               fmt::join(words, ", "))});
}

void note_no_normals(const BakeJob& job, Notes& notes) {
  if (job.deform.normals == NormalMode::shading) return;
  notes.push_back({Note::Kind::info, "no-normals-in-format",
                   fmt::format("{}: holds only points, so the mode of normals, {}, has no effect", job.output,
                               name_of(job.deform.normals))});
}

// The scene at each time. Frames are requested in order. Unless a stage must see them in order, several are
// posed ahead in parallel. They report no progress: `run` reports that of all.
class Frames {
 public:
  static Result<Frames> prepare(const Deformer& deformer, Index clip, std::vector<double> times,
                                const std::string& name, const Run& run) {
    Result<Poser> poser = prepare_poser(*deformer.character);
    if (!poser) return prefixed(name, poser.error());
    return Frames(deformer, std::move(*poser), clip, std::move(times), name, run);
  }

  std::vector<float> key_times() const { return {times_.begin(), times_.end()}; }
  std::size_t count() const { return times_.size(); }
  double start() const { return times_.front(); }

  // The next frame, which is frame k.
  Result<Character> at(std::size_t k, Notes& notes) {
    const double done = static_cast<double>(k) / static_cast<double>(times_.size());
    if (Status going = progress_.at("baking frames", done); !going) return going.error();
    if (k == first_ + ahead_.size()) pose_ahead(k);
    Posed& posed = ahead_[k - first_];
    if (!posed.done) return prefixed(name_, posed.done.error());
    note_pose(deformer_, posed.frame, name_, notes);
    return std::move(*posed.still);
  }

 private:
  // One frame, and the state needed to pose it. A sequential stack has only one, which sees all frames.
  struct Posed {
    PoseFrame frame;
    DeformState state;
    Status done = Done{};
    std::optional<Result<Character>> still;
  };

  Frames(const Deformer& deformer, Poser poser, Index clip, std::vector<double> times, std::string name,
         const Run& run)
      : deformer_(deformer),
        poser_(std::move(poser)),
        clip_(clip),
        times_(std::move(times)),
        name_(std::move(name)),
        progress_(run.progress),
        silent_(run) {
    silent_.progress = {};
  }

  // As many as there are threads, if there is memory for their points.
  std::size_t count_ahead(std::size_t left) const {
    if (is_sequential(deformer_.stack)) return 1;
    const std::uint64_t fitting =
        silent_.max_memory / std::max<std::uint64_t>(posed_bytes(*deformer_.character), 1);
    return std::min({left, static_cast<std::size_t>(thread_count()),
                     static_cast<std::size_t>(std::max<std::uint64_t>(fitting, 1))});
  }

  void pose_ahead(std::size_t first) {
    first_ = first;
    ahead_.resize(count_ahead(times_.size() - first));
    parallel_for(ahead_.size(), 1, [this](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        Posed& posed = ahead_[k];
        posed.done = pose(poser_, {clip_, times_[first_ + k], nullptr}, posed.frame);
        if (posed.done) posed.still = still_scene(deformer_, posed.frame, name_, silent_, &posed.state);
      }
    });
  }

  const Deformer& deformer_;
  Poser poser_;
  Index clip_;
  std::vector<double> times_;
  std::string name_;  // for messages
  Progress progress_;
  Run silent_;
  std::size_t first_ = 0;  // the frame of ahead_[0]
  std::vector<Posed> ahead_;
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

// "out", or "out_MESH_NODE" for several instances; names that differ only in case get a number.
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

// Refuses to replace foreign files with the staged ones. The user named the cache itself; if it exists, the
// mesh next to it belongs to it and is replaced with it.
Status check_beside_cache(const StagedFiles& staged, const BakeJob& job) {
  const fs::path target = fs::path(job.output).lexically_normal();
  const std::string stem = target.stem().string();
  Result<Files> foreign = staged.replaced();
  if (!foreign) return foreign.error();
  std::error_code ignored;
  const bool is_again = fs::exists(target, ignored);
  std::erase_if(*foreign, [&](const std::string& file) {
    const fs::path path = fs::path(file).lexically_normal();
    return path == target ||
           (is_again && (path.filename() == stem + "_rest.obj" || path.filename() == stem + "_rest.mtl"));
  });
  return check_not_there(*foreign, job.run);
}

Result<Files> bake_to_caches(Frames& frames, const Character& rest, const BakeJob& job, Notes& notes) {
  const fs::path target(job.output);
  Result<StagedFiles> staged = StagedFiles::open(target.parent_path().string(), target.filename().string());
  if (!staged) return staged.error();
  const std::vector<std::string> stems = stems_for(target.stem().string(), rest);
  const std::vector<float> times = frames.key_times();
  append(notes, lost_times(job.output, times));
  std::vector<CacheWriter> writers;
  std::vector<std::size_t> written;  // the instance of each writer
  for (std::size_t i = 0; i < stems.size(); ++i) {
    const Character one = only_instance(rest, i);
    if (one.meshes[0].points.empty()) {
      notes.push_back(
          {Note::Kind::info, "mesh-without-points",
           fmt::format("mesh {} has no points and gets no file", quoted_name(one.meshes[0].name))});
      continue;
    }
    written.push_back(i);
    const std::string rest_path = staged->path_of(stems[i] + "_rest.obj");
    const Result<Notes> saved = save_posed(rest_path, {}, one);
    if (!saved) return saved.error();
    if (written.size() == 1) append(notes, as_committed(*saved, *staged));  // every mesh has the same notes
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

Result<Files> bake_to_sequence(Frames& frames, const BakeJob& job, Notes& notes) {
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

// Adds the points of a still scene, and its normals if every mesh has them per point.
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

Result<Files> bake_to_shapes(Frames& frames, const Character& rest, const BakeJob& job,
                             const std::string& clip_name, Notes& notes) {
  PointCache cache;
  cache.times = frames.key_times();
  cache.point_count = size_of(rest).points;
  const bool has_normals = has_point_normals(rest);
  const std::uint64_t bytes = std::uint64_t{frames.count()} * cache.point_count * 2 * sizeof(Vec3);
  if (bytes > job.run.max_memory) {
    return Error{Errc::too_large,
                 fmt::format("{}: {} frames of {} points need {} bytes; bake to .pc2, which is written frame "
                             "by frame",
                             job.output, frames.count(), cache.point_count, bytes)}
        .with_remedy("max_memory")
        .with_remedy("fewer_frames");
  }
  for (std::size_t k = 0; k < frames.count(); ++k) {
    const Result<Character> still = frames.at(k, notes);
    if (!still) return still.error();
    append_frame(*still, has_normals, cache);
  }
  Result<Character> moving = character_from_cache(rest, cache, job.run.max_memory);
  if (!moving) return prefixed(job.output, moving.error());
  moving->clips[0].name = clip_name;
  if (const std::size_t count = tangent_set_count(rest); count > 0) {
    notes.push_back({Note::Kind::loss, "tangents-left-out",
                     fmt::format("{}: {} left out, because they do not follow the frames", job.output,
                                 counted(count, "set of tangents was", "sets of tangents were"))});
  }
  SaveOptions options = job.save;
  options.overwrite_side_files = job.run.force;
  const Result<Notes> saved = save(job.output, {.character = std::move(*moving)}, options);
  if (!saved) return saved.error();
  append(notes, *saved);
  return Files{job.output};
}

// ---- From the request to the first frame ----

// A clip ready to be baked, and what is known about it before the first frame.
struct Baking {
  BakeReport report;
  Character rest;
  std::unique_ptr<Deformer> deformer;  // `frames` refer to it
  std::optional<Frames> frames;
};

Result<Baking> prepare_baking(const Asset& asset, const BakeRequest& request, const Run& run) {
  Stopwatch watch;
  if (Status good = check_clip(asset.character, request.clip); !good)
    return prefixed(asset.name, good.error());
  const Clip& clip = asset.character.clips[at(request.clip)];
  Baking baking;
  BakeReport& report = baking.report;
  report.input = asset.name;
  report.clip = clip.name.empty() ? fmt::format("#{}", request.clip) : clip.name;
  const double to = request.to.value_or(clip.end());
  Result<std::vector<double>> times = frame_times(request.from.value_or(clip.start()), to, request.fps);
  if (!times) return times.error();
  report.fps = request.fps;
  report.from = times->front();
  report.to = times->back();
  report.frame_count = times->size();
  note_cut_end(report.to, to, request.fps, report.notes);
  note_held_keys(clip, report, report.notes);
  Result<Character> rest = bare_at_rest(asset.character, asset.name, part_of(run, 0, 0.1));
  if (!rest) return rest.error();
  report.instance_count = rest->instances.size();
  report.point_count = size_of(*rest).points;
  if (report.point_count == 0)
    return Error{Errc::bad_argument, fmt::format("{}: has no points to bake", asset.name)};
  baking.rest = std::move(*rest);
  Result<Deformer> deformer =
      ready_to_pose(asset.character, request.deform, asset.name, part_of(run, 0.1, 0.2));
  if (!deformer) return deformer.error();
  report.method = name_of(deformer->stack);
  append(report.notes, deformer->notes);
  if (!shows_skin(asset.character)) note_nothing_skinned(request.deform.stack, asset.name, report.notes);
  note_unused_options({&request.deform, 1}, report.notes);
  baking.deformer = std::make_unique<Deformer>(std::move(*deformer));
  Result<Frames> frames =
      Frames::prepare(*baking.deformer, request.clip, std::move(*times), asset.name, part_of(run, 0.2, 1));
  if (!frames) return frames.error();
  baking.frames.emplace(std::move(*frames));
  report.seconds_baking = watch.lap();
  return baking;
}

Result<Files> write_frames(Baking& baking, const BakeJob& job, Notes& notes) {
  if (is_cache_file(job.output)) return bake_to_caches(*baking.frames, baking.rest, job, notes);
  if (is_sequence(job.output)) return bake_to_sequence(*baking.frames, job, notes);
  return bake_to_shapes(*baking.frames, baking.rest, job, baking.report.clip, notes);
}

}  // namespace

Result<BakeReport> bake(const Asset& asset, const BakeRequest& request, const FrameTaker& take,
                        const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<BakeReport> {
    Result<Baking> baking = prepare_baking(asset, request, run);
    if (!baking) return baking.error();
    Stopwatch watch;
    for (std::size_t k = 0; k < baking->frames->count(); ++k) {
      const Result<Character> still = baking->frames->at(k, baking->report.notes);
      if (!still) return still.error();
      if (Status taken = take(k, *still); !taken) return taken.error();
    }
    baking->report.seconds_baking += watch.lap();
    return std::move(baking->report);
  });
}

Result<BakeReport> bake(const BakeJob& job) {
  return without_throwing(job.input, [&]() -> Result<BakeReport> {
    if (is_still_file(job.output) && !is_sequence(job.output)) {
      return Error{Errc::usage,
                   fmt::format("{}: a clip needs one file per frame; name them with #, as in walk_####.obj",
                               job.output)};
    }
    std::optional<Baking> baking;
    Index clip = kNone;
    Files files;
    FileVerb<BakeReport> verb{.extensions = {".pc2", ".mdd", ".obj", ".ply", ".glb", ".gltf"}};
    verb.work = [&](Asset& asset, const RunOptions& run) -> Result<BakeReport> {
      const Result<Index> chosen = choose_clip(asset.character, job.clip, "has no clips to bake");
      if (!chosen) return prefixed(job.input, chosen.error());
      clip = *chosen;
      const BakeRequest request{clip, job.fps, job.from, job.to, job.deform};
      Result<Baking> prepared = prepare_baking(asset, request, run);
      if (!prepared) return prepared.error();
      baking.emplace(std::move(*prepared));
      BakeReport report = baking->report;
      note_baked_rig(asset.character, job.output, report.notes);
      append(report.notes, losses_without_document(asset, job.output));
      if (is_sequence(job.output)) note_lost_surface(baking->rest, job.output, report.notes);
      if (is_cache_file(job.output)) {
        note_lost_surface(baking->rest, "the rest mesh as .obj", report.notes);
        note_no_normals(job, report.notes);
      }
      return report;
    };
    verb.write = [&](const Asset&, const SaveOptions&) -> Result<Notes> {
      Notes notes;
      Result<Files> written = write_frames(*baking, job, notes);
      if (!written) return written.error();
      files = std::move(*written);
      return notes;
    };
    const auto finish = [&](BakeReport& report) {
      report.files = files;
      report.seconds_baking = baking->report.seconds_baking + report.seconds_saving;
    };
    verb.page = [&](const Asset&, BakeReport& report) {
      finish(report);
      return report_bake(job, report, *baking->deformer, clip);
    };
    Result<BakeReport> report = run_on_files(job, verb);
    if (report) finish(*report);
    return report;
  });
}

}  // namespace dermis
