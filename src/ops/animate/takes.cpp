// SPDX-License-Identifier: MIT
// Takes of weights and keys by hand as clips, and clips as keys.
#include "ops/animate/takes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "ops/verb_pages.h"

namespace dermis {
namespace {

std::string stem_of_take(const std::string& name) { return std::filesystem::path(name).stem().string(); }

// The take at another rate, linear between its rows.
WeightTake resampled(const WeightTake& take, double fps) {
  WeightTake even;
  even.names = take.names;
  const std::size_t width = take.names.size();
  const auto count = static_cast<std::size_t>(std::floor(take.times.back() * fps + 1e-6)) + 1;
  std::size_t row = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double time = static_cast<double>(k) / fps;
    while (row + 2 < take.times.size() && take.times[row + 1] < time) ++row;
    const std::size_t next = std::min(row + 1, take.times.size() - 1);
    const double length = take.times[next] - take.times[row];
    const double part = length > 0 ? std::clamp((time - take.times[row]) / length, 0.0, 1.0) : 0;
    even.times.push_back(time);
    for (std::size_t c = 0; c < width; ++c) {
      const double a = static_cast<double>(take.value(row, c)), b = static_cast<double>(take.value(next, c));
      even.values.push_back(static_cast<float>(a + (b - a) * part));
    }
  }
  return even;
}

// Puts the clips of a character back as they were, unless the work on them is done.
class ClipsKept {
 public:
  explicit ClipsKept(Character& character) : character_(character), before_(character.clips) {}
  ~ClipsKept() {
    if (!is_done_) character_.clips = std::move(before_);
  }
  ClipsKept(const ClipsKept&) = delete;
  ClipsKept& operator=(const ClipsKept&) = delete;
  void done() { is_done_ = true; }

 private:
  Character& character_;
  std::vector<Clip> before_;
  bool is_done_ = false;
};

// Puts a clip where it belongs.
Status place_clip(Character& character, Clip clip, const ClipPlace& place, AnimateReport& report) {
  if (place.into != kNone) {
    if (Status good = check_clip(character, place.into); !good) return good;
    Clip& old = character.clips[at(place.into)];
    add_to_clip(character, clip, old, report.notes);
    report.clip = old.name;
    if (place.drops_clips) character.clips = {Clip(old)};
  } else {
    if (place.drops_clips) character.clips.clear();
    const std::string wanted = clip.name;
    clip.name = report.clip = free_clip_name(character.clips, wanted);
    if (clip.name != wanted)
      report.notes.push_back({Note::Kind::info, "clip-renamed",
                              fmt::format("the character already has a clip {}; the new one is called {}",
                                          quoted_name(wanted), quoted_name(clip.name))});
    character.clips.push_back(std::move(clip));
  }
  report.clip_count = character.clips.size();
  return validate(character);
}

// "52 of 57 shapes follow columns of their names", and by which maps the others.
void note_match(const ShapeMatch& match, const Character& character, Notes& notes) {
  const std::size_t all = shape_labels(character).size(), others = match.rows.size() - match.by_name;
  std::string text = fmt::format("{} of {} the columns of their names", match.by_name,
                                 counted(all, "shape follows", "shapes follow"));
  if (others > 0) text += fmt::format(", {} the built-in map {}", others, match.map);
  if (match.rows.size() < all) text += fmt::format(", {} nothing", all - match.rows.size());
  notes.push_back({Note::Kind::guess, "take-mapped-by-names", text});
}

Result<Index> clip_to_fill(const AnimateJob& job, const Asset& asset) {
  if (job.into.empty()) return kNone;
  Result<Index> clip = find_clip(asset.character, job.into);
  if (!clip) return prefixed(asset.name, clip.error());
  return clip;
}

}  // namespace

Result<AnimateReport> animate_take(Asset& asset, const TakeRequest& request, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<AnimateReport> {
    Stopwatch watch;
    if (Status going = run.progress.at("setting weights", 0); !going)
      return prefixed(asset.name, going.error());
    if (request.take == nullptr) return Error{Errc::bad_argument, "no take is given"};
    Character& character = asset.character;
    AnimateReport report;
    report.input = asset.name;
    report.take = request.name;
    report.shape_map = request.map;
    if (request.map.empty()) {
      ShapeMatch match = match_shapes(request.take->names, shape_labels(character));
      if (!match.rows.empty()) note_match(match, character, report.notes);
      report.shape_map = std::move(match.rows);
    }
    Result<TakenClip> taken = clip_of_take(character, *request.take, report.shape_map);
    if (!taken) return prefixed(asset.name, taken.error());
    append(report.notes, taken->notes);
    report.unused_columns = taken->unused_columns;
    if (!taken->unused_columns.empty())
      report.notes.push_back({Note::Kind::info, "take-columns-unused",
                              fmt::format("no shape follows {} of the take",
                                          counted(taken->unused_columns.size(), "column", "columns")),
                              "", kNone, kNone, taken->unused_columns.size()});
    taken->clip.name = request.place.name.empty() ? stem_of_take(request.name) : request.place.name;
    report.source_clip = taken->clip.name;
    report.figures.fps = request.fps;
    report.figures.frame_count = request.take->times.size();
    report.figures.seconds = request.take->times.back();
    ClipsKept clips(character);
    if (Status placed = place_clip(character, std::move(taken->clip), request.place, report); !placed)
      return prefixed(asset.name, placed.error());
    report.seconds_retargeting = watch.lap();
    if (Status going = run.progress.at("setting weights", 1); !going)
      return prefixed(asset.name, going.error());
    clips.done();
    return report;
  });
}

Result<AnimateReport> animate_keys(Asset& asset, const KeysRequest& request, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<AnimateReport> {
    Stopwatch watch;
    if (Status going = run.progress.at("setting keys", 0); !going) return prefixed(asset.name, going.error());
    if (request.keys == nullptr) return Error{Errc::bad_argument, "no keys are given"};
    Result<Clip> clip = clip_of_keys(asset.character, *request.keys);
    if (!clip) return prefixed(fmt::format("{} onto {}", request.name, asset.name), clip.error());
    AnimateReport report;
    report.input = asset.name;
    report.keys = request.name;
    report.key_count = request.keys->keys.size();
    if (!request.place.name.empty()) clip->name = request.place.name;
    if (clip->name.empty()) clip->name = stem_of_take(request.name);
    report.source_clip = clip->name;
    report.figures.frame_count = report.key_count;
    report.figures.seconds = static_cast<double>(clip->end()) - static_cast<double>(clip->start());
    ClipsKept clips(asset.character);
    if (Status placed = place_clip(asset.character, std::move(*clip), request.place, report); !placed)
      return prefixed(asset.name, placed.error());
    report.seconds_retargeting = watch.lap();
    if (Status going = run.progress.at("setting keys", 1); !going) return prefixed(asset.name, going.error());
    clips.done();
    return report;
  });
}

// ---- From file to file ------------------------------------------------------------------------------------

Status check_shape_map_output(const AnimateJob& job) {
  if (job.save_shape_map.empty()) return Done{};
  return check_output(job.save_shape_map, {job.input, job.motion, job.take, job.shape_map}, {".txt", ".map"},
                      job.run);
}

Result<AnimateReport> take_onto(const AnimateJob& job, Asset& asset, const FileRun& run,
                                const ClipPlace& place) {
  Result<LoadedTake> loaded = run.reading([&] { return load_weight_take(job.take, job.retarget.fps); });
  if (!loaded) return loaded.error();
  TakeRequest request;
  double fps = loaded->fps;
  if (job.retarget.fps > 0 && std::abs(fps - job.retarget.fps) > 1e-6 * fps) {
    fps = job.retarget.fps;
    if (loaded->take.times.back() * fps > 1e7)
      return Error{Errc::usage, fmt::format("{}: {:g} keys a second are too many", job.take, fps)};
    loaded->take = resampled(loaded->take, fps);
  }
  request.take = &loaded->take;
  request.fps = fps;
  request.name = job.take;
  request.place = place;
  if (!job.shape_map.empty()) {
    Result<std::vector<ShapeMapRow>> rows = run.reading([&] { return load_shape_map(job.shape_map); });
    if (!rows) return rows.error();
    request.map = std::move(*rows);
  }
  Result<AnimateReport> report = animate_take(asset, request, part_of(run, kLoaded, 1));
  if (!report) return report;
  report->notes = joined(notes_of_file(job.take, loaded->notes), report->notes);
  return report;
}

Result<AnimateReport> animate_by_take(const AnimateJob& job) {
  if (Status good = check_shape_map_output(job); !good) return good.error();
  FileVerb<AnimateReport> verb{.extensions = {".glb", ".gltf"}, .also_read = {job.take}};
  if (!job.shape_map.empty()) verb.also_read.push_back(job.shape_map);
  std::vector<ShapeMapRow> map;
  verb.work = [&](Asset& asset, const FileRun& run) -> Result<AnimateReport> {
    const Result<Index> into = clip_to_fill(job, asset);
    if (!into) return into.error();
    Result<AnimateReport> report = take_onto(job, asset, run, {job.retarget.name, *into, job.drops_clips});
    if (report) map = report->shape_map;
    return report;
  };
  verb.write = [&](const Asset& asset, const SaveOptions& options) -> Result<Notes> {
    Result<Notes> saved = save(job.output, asset, options);
    if (!saved || job.save_shape_map.empty()) return saved;
    if (Status written = save_shape_map(job.save_shape_map, map); !written) return written.error();
    return saved;
  };
  verb.page = [&](const Asset& asset, AnimateReport& report) {
    return report_animate(job, report, asset.character);
  };
  return run_on_files(job, verb);
}

Result<AnimateReport> animate_by_keys(const AnimateJob& job) {
  FileVerb<AnimateReport> verb{.extensions = {".glb", ".gltf"}, .also_read = {job.keys}};
  verb.work = [&](Asset& asset, const FileRun& run) -> Result<AnimateReport> {
    const Result<Index> into = clip_to_fill(job, asset);
    if (!into) return into.error();
    const Result<KeyedPoses> keys = run.reading([&] { return load_keys(job.keys); });
    if (!keys) return keys.error();
    return animate_keys(asset, {&*keys, job.keys, {job.retarget.name, *into, job.drops_clips}},
                        part_of(run, kLoaded, 1));
  };
  verb.page = [&](const Asset& asset, AnimateReport& report) {
    return report_animate(job, report, asset.character);
  };
  return run_on_files(job, verb);
}

Result<AnimateReport> write_keys(const AnimateJob& job) {
  return without_throwing(job.input, [&]() -> Result<AnimateReport> {
    KeyedPoses keys;
    FileVerb<AnimateReport> verb{.extensions = {".json"}};
    verb.work = [&](Asset& asset, const FileRun& run) -> Result<AnimateReport> {
      if (Status going = run.progress.at("writing keys", 0); !going)
        return prefixed(asset.name, going.error());
      const Result<Index> clip = choose_clip(asset.character, job.clip, "has no clip to write as keys");
      if (!clip) return prefixed(asset.name, clip.error());
      const Clip& chosen = asset.character.clips[at(*clip)];
      ClipKeys written = keys_of_clip(asset.character, chosen);
      if (written.keys.keys.empty())
        return Error{Errc::bad_argument,
                     fmt::format("{}: clip {} has no keys", asset.name, quoted_name(chosen.name))};
      AnimateReport report;
      report.input = asset.name;
      report.keys = job.output;
      report.clip = report.source_clip = chosen.name;
      report.clip_count = asset.character.clips.size();
      report.notes = std::move(written.notes);
      keys = std::move(written.keys);
      report.key_count = report.figures.frame_count = keys.keys.size();
      report.figures.seconds = static_cast<double>(chosen.end()) - static_cast<double>(chosen.start());
      return report;
    };
    verb.write = [&](const Asset& /*asset*/, const SaveOptions& /*options*/) -> Result<Notes> {
      if (Status saved = save_keys(job.output, keys); !saved) return saved.error();
      return Notes{};
    };
    return run_on_files(job, verb);
  });
}

}  // namespace dermis
