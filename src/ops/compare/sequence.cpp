// SPDX-License-Identifier: MIT
// Compares two sequences of frames: those of caches, or of a clip at the times of a cache.
#include "ops/compare/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/ops/methods.h"
#include "ops/page/shot.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

Status check_pose(const CompareJob& job) {
  const bool has_character = !is_cache(job.inputs[0]) || !is_cache(job.inputs[1]);
  const PoseChoice& pose = job.pose;
  if (!has_character && !pose.is_rest())
    return Error{Errc::usage, "caches have only frames and nothing to pose; remove the pose options"};
  if (has_character && pose.clip.empty())
    return Error{Errc::usage, "a character compared with a cache needs a clip"}.with_remedy("clip");
  if (pose.time != 0)
    return Error{Errc::usage, "every frame of a cache has its own time"}.with_remedy("without_time");
  return Done{};
}

// A cache that states its number of points: an .f32 does not.
bool says_count(const std::string& path) { return extension_of(path) != ".f32"; }

Result<PointCache> load_frames(const std::string& path, std::size_t point_count, const FileRun& run,
                               double fps, CompareReport& report) {
  Result<CacheAsset> asset = open_frames(path, {fps, says_count(path) ? 0 : point_count}, run);
  if (!asset) return asset.error();
  append(report.notes, notes_of_file(path, asset->notes));
  return std::move(asset->cache);
}

// The character in its clip at these times.
Result<PointCache> pose_frames(const Asset& asset, std::size_t k, std::vector<float> times,
                               const CompareJob& job, const RunOptions& run, CompareReport& report) {
  const Character& character = asset.character;
  const Result<Deformer> deformer =
      ready_to_pose(character, job.deform[k], job.inputs[k], part_of(run, 0, 0.2));
  if (!deformer) return deformer.error();
  append(report.notes, deformer->notes);
  if (shows_skin(character)) report.methods[k] = name_of(deformer->stack);
  if (!shows_skin(character)) note_nothing_skinned(job.deform[k].stack, job.inputs[k], report.notes);
  note_unused_options({&job.deform[k], 1}, report.notes);
  Result<ChosenPose> choice = read_choice(character, job.pose);
  if (!choice) return prefixed(job.inputs[k], choice.error());
  const Result<Poser> poser = prepare_poser(character);
  if (!poser) return prefixed(job.inputs[k], poser.error());
  PointCache frames;
  DeformState state;
  frames.times = std::move(times);
  for (std::size_t f = 0; f < frames.times.size(); ++f) {
    choice->time = static_cast<double>(frames.times[f]);
    const Result<PosedCharacter> posed = pose_with(*poser, choice->request());
    if (!posed) return prefixed(job.inputs[k], posed.error());
    if (f == 0 || f + 1 == frames.times.size()) append(report.notes, posed->notes);
    note_pose(*deformer, posed->frame, job.inputs[k], report.notes);
    const RunOptions piece = piece_of(part_of(run, 0.2, 1), f, frames.times.size());
    const Result<Character> still = still_scene(*deformer, posed->frame, job.inputs[k], piece, &state);
    if (!still) return still.error();
    const std::vector<Vec3> points = all_points(*still);
    frames.point_count = points.size();
    if (frames.point_count * frames.times.size() > run.max_memory / sizeof(Vec3))
      return Error{Errc::too_large, fmt::format("{}: {} frames of it need more than the allowed memory",
                                                job.inputs[k], frames.times.size())}
          .with_remedy("max_memory");
    frames.points.insert(frames.points.end(), points.begin(), points.end());
  }
  return frames;
}

// Two caches, the one that states its number of points first.
Result<std::array<PointCache, 2>> load_both(const CompareJob& job, const FileRun& run,
                                            CompareReport& report) {
  const std::size_t first = says_count(job.inputs[0]) ? 0 : 1, second = 1 - first;
  if (!says_count(job.inputs[first]))
    return Error{Errc::usage, fmt::format("{} and {}: an .f32 does not state its number of points; compare "
                                          "it with a .pc2, a .mdd or the character",
                                          job.inputs[0], job.inputs[1])};
  std::array<PointCache, 2> sides;
  std::size_t point_count = 0;
  for (const std::size_t k : {first, second}) {
    Result<PointCache> frames =
        load_frames(job.inputs[k], point_count, piece_of(run, k == first ? 0 : 1, 2), job.fps, report);
    if (!frames) return frames.error();
    point_count = frames->point_count;
    sides[k] = std::move(*frames);
  }
  return sides;
}

// A cache, and a character posed at its times.
Result<std::array<PointCache, 2>> load_and_pose(const CompareJob& job, const FileRun& run,
                                                CompareReport& report) {
  const std::size_t c = is_cache(job.inputs[0]) ? 0 : 1, k = 1 - c;
  const Result<Asset> asset = open_file(job.inputs[k], part_of(run, 0, 0.1));
  if (!asset) return asset.error();
  append(report.notes, notes_of_file(job.inputs[k], asset->notes));
  Result<PointCache> cache = load_frames(job.inputs[c], shown_point_count(asset->character),
                                         part_of(run, 0.1, 0.2), job.fps, report);
  if (!cache) return cache.error();
  Stopwatch watch;
  Result<PointCache> posed = pose_frames(*asset, k, cache->times, job, part_of(run, 0.2, 1), report);
  if (!posed) return posed.error();
  report.seconds_posing = watch.lap();
  std::array<PointCache, 2> sides;
  sides[c] = std::move(*cache);
  sides[k] = std::move(*posed);
  return sides;
}

// Compares all frames; sizes are those of the first cache's first frame.
Status measure_frames(const CompareJob& job, const std::array<PointCache, 2>& sides, CompareReport& report) {
  const PointCache &a = sides[0], &b = sides[1];
  const auto refused = [&](const std::string& why) {
    return Error{Errc::bad_argument, fmt::format("{} and {}: {}", job.inputs[0], job.inputs[1], why)};
  };
  if (a.point_count != b.point_count || a.frame_count() != b.frame_count())
    return refused(fmt::format("have {} and {}, {} and {}; sequences are compared point by point",
                               counted(a.frame_count(), "frame", "frames"), b.frame_count(),
                               counted(a.point_count, "point", "points"), b.point_count));
  const Result<SequenceError> error = sequence_error(a.points, b.points, a.frame(0));
  if (!error) return refused(error.error().sentence);
  report.distance = {true, error->max, error->rmse, error->mean, error->diagonal, error->point, false};
  report.e_rms = error->e_rms;
  report.kg = error->kg;
  report.worst_place =
      fmt::format("frame {} ({:g} s), point {}", error->frame, a.times[error->frame], error->point);
  CompareReport::Sequence sequence;
  sequence.worst_frame = error->frame;
  for (std::size_t f = 0; f < a.frame_count(); ++f) {
    double most = 0;
    for (std::size_t v = 0; v < a.point_count; ++v)
      most = std::max(most, length(Vec3d(a.frame(f)[v]) - Vec3d(b.frame(f)[v])));
    sequence.times.push_back(static_cast<double>(a.times[f]));
    sequence.max.push_back(most);
  }
  report.sequence = std::move(sequence);
  return Done{};
}

// Frames are matched by their order, whatever their times.
void note_times(const std::array<PointCache, 2>& sides, Notes& notes) {
  constexpr float kSame = 1e-3f;  // seconds
  for (std::size_t f = 0; f < sides[0].times.size(); ++f) {
    if (std::abs(sides[0].times[f] - sides[1].times[f]) <= kSame) continue;
    notes.push_back({Note::Kind::info, "times-differ",
                     fmt::format("frame {} is at {:g} s in the first and at {:g} s in the second; frames are "
                                 "compared in their order",
                                 f, sides[0].times[f], sides[1].times[f])});
    return;
  }
}

}  // namespace

bool has_frames(const CompareJob& job) { return is_cache(job.inputs[0]) || is_cache(job.inputs[1]); }

Result<CompareReport> compare_frames(const CompareJob& job, const FileRun& run) {
  if (Status good = check_pose(job); !good) return good.error();
  CompareReport report;
  report.inputs = job.inputs;
  report.limit = job.limit;
  const bool is_both = is_cache(job.inputs[0]) && is_cache(job.inputs[1]);
  const Result<std::array<PointCache, 2>> sides =
      is_both ? load_both(job, run, report) : load_and_pose(job, run, report);
  if (!sides) return sides.error();
  for (std::size_t k = 0; k < 2; ++k) report.point_count[k] = (*sides)[k].point_count;
  Stopwatch watch;
  if (Status measured = measure_frames(job, *sides, report); !measured) return measured.error();
  note_times(*sides, report.notes);
  if (job.limit) report.is_within_limit = report.distance.max <= *job.limit * report.distance.diagonal;
  report.seconds_measuring = watch.lap();
  return report;
}

}  // namespace dermis
