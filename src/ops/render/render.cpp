// SPDX-License-Identifier: MIT
// The verb render: a character as a picture, a sheet of methods and poses, a turntable or a film of a clip.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/ops/methods.h"
#include "ops/page/drawn.h"
#include "ops/render/scene.h"
#include "ops/render/work.h"

namespace dermis {
namespace {

constexpr int kStillSamples = 16, kFilmSamples = 4;
constexpr int kWidth = 1280, kHeight = 960, kCellWidth = 480, kCellHeight = 420;
constexpr std::size_t kMaxSheet = 30000;  // pixels of its pictures across and down

// Fills what is empty with its default. A job and its request have as many poses.
void fill_look(RenderLook& look, std::size_t pose_count) {
  if (look.stacks.empty()) look.stacks.emplace_back();
  const bool is_sheet = is_sheet_of(look, pose_count);
  if (look.width == 0) look.width = is_sheet ? kCellWidth : kWidth;
  if (look.height == 0) look.height = is_sheet ? kCellHeight : kHeight;
  if (look.samples == 0) look.samples = look.motion == RenderMotion::none ? kStillSamples : kFilmSamples;
}

// Refuses what the renderer would refuse, before anything is loaded.
Status check_sizes(const RenderLook& look, std::size_t pose_count) {
  constexpr int kMost = 16384, kMostSamples = 1024;
  if (look.width < 1 || look.height < 1 || look.width > kMost || look.height > kMost)
    return Error{Errc::usage, fmt::format("pictures are 1 to {} pixels wide and high", kMost)};
  if (look.samples < 1 || look.samples > kMostSamples)
    return Error{Errc::usage, fmt::format("rays per pixel are 1 to {}", kMostSamples)};
  const SheetGrid grid = sheet_grid(look, std::max({pose_count, look.moments, std::size_t{1}}));
  const std::size_t rows = grid.rows, columns = grid.columns;
  const auto width = static_cast<std::size_t>(look.width), height = static_cast<std::size_t>(look.height);
  if (columns * width > kMaxSheet || rows * height > kMaxSheet) {
    return Error{Errc::usage, fmt::format("{} columns and {} rows of {} x {} make too large a sheet; request "
                                          "fewer pictures",
                                          columns, rows, look.width, look.height)}
        .with_remedy("size");
  }
  return Done{};
}

// Errors that do not depend on the character. A job is checked before its files are read. `has_clip`: the
// first pose is one of a clip.
Status check_look(const RenderLook& look, std::size_t pose_count, bool has_clip) {
  const bool is_moving = look.motion != RenderMotion::none;
  if (is_moving && is_sheet_of(look, pose_count)) {
    return Error{Errc::usage,
                 "a turntable or a film shows one pose and one method; remove the others, or render a sheet "
                 "without a motion"};
  }
  if (is_moving && !(look.fps > 0 && look.fps <= 240))
    return Error{Errc::usage, "frames per second must be above 0 and at most 240"};
  if (look.motion == RenderMotion::clip && !has_clip)
    return Error{Errc::usage, "a film of a clip needs a clip"}.with_remedy("clip");
  const bool is_scaled = look.heat.kind == HeatMap::Kind::none || look.heat.kind == HeatMap::Kind::weight;
  // A turntable shows one pose, so its scale does not change.
  if (look.motion == RenderMotion::clip && !is_scaled && !look.heat.max)
    return Error{Errc::usage,
                 "colours must mean the same in every frame of a film, so it needs their maximum"}
        .with_remedy("heat_max");
  if (look.columns > 0 && !is_sheet_of(look, pose_count))
    return Error{Errc::usage, "columns arrange a sheet of several pictures, and there is only one"}
        .with_remedy("without_columns");
  if (!(look.zoom > 0 && std::isfinite(look.zoom)))
    return Error{Errc::usage, "the factor of a zoom must be above 0"};
  return check_sizes(look, pose_count);
}

// Errors in the name of the output.
Status check_picture_name(const RenderJob& job) {
  const bool is_moving = job.motion != RenderMotion::none;
  if (is_moving && !is_picture_sequence(job.output) && extension_of(job.output) != ".mp4") {
    return Error{Errc::usage, fmt::format("{}: a motion is written as .mp4 or as name_####.png", job.output)};
  }
  if (!is_moving && is_picture_sequence(job.output)) {
    return Error{Errc::usage, fmt::format("{}: one picture needs no number; remove it", job.output)}
        .with_remedy("turntable")
        .with_remedy("film");
  }
  return Done{};
}

// Replaces the only pose by `moments` of its clip. A loop's end equals its start.
Status spread_moments(RenderWork& work, const Character& character) {
  if (work.moments == 0) return Done{};
  if (work.poses.size() != 1 || work.poses[0].clip == kNone)
    return Error{Errc::usage, "moments are those of one clip; choose no other times"}.with_remedy("clip");
  const ChosenPose choice = work.poses[0];
  if (Status good = check_clip(character, choice.clip); !good) return work.about(good.error());
  const Clip& found = character.clips[at(choice.clip)];
  const auto start = static_cast<double>(found.start()), end = static_cast<double>(found.end());
  const std::size_t parts = ends_as_it_starts(character, choice.clip) ? work.moments : work.moments - 1;
  work.poses.assign(work.moments, choice);
  for (std::size_t k = 0; k < work.moments; ++k) {
    const double share = parts > 0 ? static_cast<double>(k) / static_cast<double>(parts) : 0;
    work.poses[k].time = start + share * (end - start);
  }
  return Done{};
}

// Whether joints are drawn: if requested, or if there is nothing else to see.
bool shows_joints(const RenderWork& work, const Character& character, Notes& notes) {
  const bool has_surface =
      std::any_of(character.instances.begin(), character.instances.end(), [&](const Instance& instance) {
        return instance.in_scene &&
               character.meshes[static_cast<std::size_t>(instance.mesh)].polygons.count() > 0;
      });
  const bool has_skeleton = !character.skins.empty() || !character.clips.empty() || !has_surface;
  if (work.has_joints && !has_skeleton) {
    notes.push_back({Note::Kind::info, "no-joints",
                     fmt::format("{}: has no skeleton, so no joints are drawn", work.input)});
  }
  if (work.has_joints || has_surface || character.nodes.size() < 2) return work.has_joints && has_skeleton;
  notes.push_back({Note::Kind::info, "joints-alone",
                   fmt::format("{}: has no surface, so its joints are drawn", work.input)});
  return true;
}

// The request of a job, with its poses read.
Result<RenderRequest> read_poses(const RenderJob& job, const Character& character) {
  RenderRequest request{job, {}};
  for (const PoseChoice& choice : job.poses) {
    Result<ChosenPose> pose = read_choice(character, choice);
    if (!pose) return prefixed(job.input, pose.error());
    request.poses.push_back(std::move(*pose));
  }
  return request;
}

// The input and the other files as one scene; its asset has the notes of the input, `notes` the others'.
Result<SceneOfFiles> load_scene(const RenderJob& job, Asset& first, const FileRun& run) {
  std::vector<Asset> assets{std::move(first)};
  Notes notes;
  for (std::size_t k = 0; k < job.others.size(); ++k) {
    Result<Asset> opened =
        open_file(job.others[k], piece_of(part_of(run, 0, kLoaded / 2), k, job.others.size()));
    if (!opened) return opened.error();
    append(notes, notes_of_file(job.others[k], opened->notes));
    assets.push_back(std::move(*opened));
  }
  Result<SceneOfFiles> scene = scene_of_files(assets, job.is_beside);
  if (!scene) return scene;
  scene->asset.notes = std::move(assets.front().notes);
  scene->notes = joined(std::move(notes), scene->notes);
  return scene;
}

}  // namespace

RenderOptions RenderWork::options() const {
  RenderOptions options;
  options.width = width;
  options.height = height;
  options.samples = samples;
  options.has_ground = has_ground;
  options.has_wireframe = has_wireframe;
  return options;
}

DeformOptions RenderWork::posing(const Stack& stack) const {
  const NormalMode best = measures_normals(stack) ? NormalMode::shading : NormalMode::exact;
  DeformOptions options{stack, normals.value_or(best)};
  options.adds_rest_stages = adds_rest_stages;
  return options;
}

void append_new(Notes& notes, const Notes& more) {
  for (const Note& note : more) {
    const auto is_same = [&](const Note& other) { return other.sentence == note.sentence; };
    if (std::none_of(notes.begin(), notes.end(), is_same)) notes.push_back(note);
  }
}

int RenderWork::width_beside(const std::optional<ColourScale>& scale) const {
  return scale ? std::max(width - legend_width(*scale, height), (width + 1) / 2) : width;
}

// Pictures leave a margin around their subject, so one of a single colour shows only background.
void note_blank(const RenderWork& work, std::size_t blank_count, std::size_t count, Notes& notes) {
  if (blank_count == 0) return;
  const std::string where = count == 1 ? "" : fmt::format(" in {} of {} pictures", blank_count, count);
  notes.push_back(
      {Note::Kind::loss, "nothing-seen",
       fmt::format("{}: nothing is visible{}: its triangles have no area in this view, or are transparent{}",
                   work.input, where,
                   work.zoom != 1 || !work.focus.empty() ? ", or lie outside the picture" : "")});
}

Result<View> parse_view(std::string_view name) {
  struct Row {
    const char* name;
    double turn, lift;  // degrees
  };
  static constexpr Row kRows[] = {{"front", 0, 5},   {"back", 180, 5}, {"left", 90, 5},
                                  {"right", -90, 5}, {"top", 0, 85},   {"quarter", 30, 12}};
  std::string names;
  for (const Row& row : kRows) {
    if (name == row.name) return View{radians_from_degrees(row.turn), radians_from_degrees(row.lift)};
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return Error{Errc::usage, fmt::format("there is no view '{}'; there are {}", name, names)};
}

Result<RenderReport> render_character(const Asset& asset, const RenderRequest& request,
                                      const PictureTaker& take, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<RenderReport> {
    RenderWork work{request, asset.name, run, take};
    if (work.poses.empty()) work.poses.emplace_back();
    fill_look(work, work.poses.size());
    if (Status good = check_look(work, work.poses.size(), work.poses[0].clip != kNone); !good)
      return good.error();
    if (Status good = check_heat(work.heat); !good) return good.error();
    RenderReport report;
    report.input = asset.name;
    if (work.heat.kind == HeatMap::Kind::strain) report.heat_unit = "% of an edge";
    if (work.heat.kind == HeatMap::Kind::error) report.heat_unit = "% of the size";
    for (const Stack& stack : work.stacks) {
      const DeformOptions posing = from_all_rooms(work.posing(stack));
      report.methods.push_back(name_of(full_stack(asset.character, posing)));
    }
    if (Status spread = spread_moments(work, asset.character); !spread) return spread.error();
    report.pose_count = work.poses.size();
    ShotOptions options{asset.name, shows_joints(work, asset.character, report.notes), nullptr, run};
    if (work.has_textures)
      options.textures = load_textures(asset.character, run, report.notes);
    else
      note_lost_opacity(asset.character, report.notes);
    const ShotMaker maker(asset.character, std::move(options));
    const Status done = work.motion == RenderMotion::none ? render_still(work, maker, report)
                                                          : render_film(work, maker, report);
    if (!done) return done.error();
    return report;
  });
}

Result<RenderReport> render_character(const RenderJob& job) {
  return without_throwing(job.input, [&]() -> Result<RenderReport> {
    const bool is_moving = job.motion != RenderMotion::none;
    if (job.is_beside && job.others.empty())
      return Error{Errc::usage, "one file has nothing beside it; name another"}.with_remedy("without_beside");
    RenderLook look = job;
    fill_look(look, job.poses.size());
    const bool has_clip = !job.poses.empty() && !job.poses[0].clip.empty();
    if (Status good = check_look(look, job.poses.size(), has_clip); !good) return good.error();
    if (Status good = check_picture_name(job); !good) return good.error();
    std::optional<FrameWriter> frames;
    Pixels still;
    std::vector<std::string> files;
    const PictureTaker take = [&](const Pixels& pixels, std::size_t, std::size_t) -> Status {
      if (is_moving) return frames->add(pixels);
      still = pixels;
      return Done{};
    };
    FileVerb<RenderReport> verb;
    verb.extensions = is_moving ? std::vector<std::string>{".mp4", ".png"}
                                : std::vector<std::string>{".png", ".jpg", ".jpeg"};
    verb.also_read = job.others;
    verb.names_files = !job.others.empty();
    for (const PoseChoice& pose : job.poses) verb.also_read.push_back(pose.pose_file);
    if (job.heat.kind == HeatMap::Kind::error && job.heat.stack() == nullptr)
      verb.also_read.push_back(job.heat.reference);
    verb.work = [&](Asset& asset, const FileRun& run) -> Result<RenderReport> {
      Result<SceneOfFiles> scene = SceneOfFiles{};
      if (!job.others.empty()) {
        scene = load_scene(job, asset, run);
        if (!scene) return scene.error();
        asset = std::move(scene->asset);
      }
      Result<RenderRequest> read = read_poses(job, asset.character);
      if (!read) return read.error();
      RenderRequest& request = *read;
      if (job.is_beside) request.named = scene->files;
      append(scene->notes, notes_of_resting(*scene, asset.character, request.poses));
      if (is_moving) {
        // Frames that must not be replaced are found before hours of work.
        const Result<std::size_t> frame_count = count_film_frames(request, job.input, asset.character);
        if (!frame_count) return frame_count.error();
        Result<FrameWriter> opened = FrameWriter::open(job.output, *frame_count, job.fps, job.run);
        if (!opened) return opened.error();
        frames.emplace(std::move(*opened));
      }
      if (Status loaded = load_reference(request.heat, part_of(run, 0, kLoaded)); !loaded)
        return loaded.error();
      Result<RenderReport> report = render_character(asset, request, take, part_of(run, kLoaded, 1));
      if (report && request.heat.asset() != nullptr)
        report->notes = joined(notes_of_file(job.heat.reference, request.heat.asset()->notes), report->notes);
      if (report) {
        report->others = job.others;
        report->notes = joined(scene->notes, report->notes);
      }
      return report;
    };
    verb.write = [&](const Asset&, const SaveOptions&) -> Result<Notes> {
      if (!is_moving) {
        files = {job.output};
        if (Status saved = save_picture(job.output, still); !saved) return saved.error();
        return Notes{};
      }
      Result<std::vector<std::string>> written = frames->commit();
      if (!written) return written.error();
      files = std::move(*written);
      return Notes{};
    };
    Result<RenderReport> report = run_on_files(job, verb);
    if (report) report->files = std::move(files);
    return report;
  });
}

}  // namespace dermis
