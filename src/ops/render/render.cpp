// SPDX-License-Identifier: MIT
// The verb render: a character as a picture, a sheet of methods and poses, a turntable or a film of a clip.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dermis/ops/methods.h"
#include "dermis/ops/render.h"
#include "ops/page/drawn.h"
#include "ops/page/shot.h"

namespace dermis {
namespace {

constexpr int kStillSamples = 16, kFilmSamples = 4;
constexpr int kWidth = 1280, kHeight = 960, kCellWidth = 480, kCellHeight = 420;
constexpr std::size_t kMaxColumns = 5;     // more methods in one pose wrap to the next row
constexpr std::size_t kMaxSheet = 30000;   // pixels of its pictures across and down
constexpr std::size_t kMaxFrames = 20000;  // of a film: about ten minutes

// The request, its character, and the receiver of the pictures.
struct RenderWork : RenderRequest {
  std::string input;  // for messages
  Run run;
  PictureTaker take;
};

template <class Job>
bool is_sheet(const Job& job) {
  return job.poses.size() > 1 || job.moments > 1 || job.stacks.size() > 1;
}

// Fills empty lists and sizes with their defaults.
template <class Job>
Job with_defaults(Job job) {
  if (job.poses.empty()) job.poses.emplace_back();
  if (job.stacks.empty()) job.stacks.emplace_back();
  if (job.width == 0) job.width = is_sheet(job) ? kCellWidth : kWidth;
  if (job.height == 0) job.height = is_sheet(job) ? kCellHeight : kHeight;
  if (job.samples == 0) job.samples = job.motion == RenderMotion::none ? kStillSamples : kFilmSamples;
  return job;
}

// Refuses what the renderer would refuse, before anything is loaded.
Status check_sizes(const RenderLook& job, std::size_t pose_count) {
  constexpr int kMost = 16384, kMostSamples = 1024;
  if (job.width < 1 || job.height < 1 || job.width > kMost || job.height > kMost)
    return Error{Errc::usage, fmt::format("pictures are 1 to {} pixels wide and high", kMost)};
  if (job.samples < 1 || job.samples > kMostSamples)
    return Error{Errc::usage, fmt::format("rays per pixel are 1 to {}", kMostSamples)};
  const std::size_t rows = std::max(pose_count, job.moments);
  const std::size_t columns = rows > 1 ? job.stacks.size() : std::min(job.stacks.size(), kMaxColumns);
  const auto width = static_cast<std::size_t>(job.width), height = static_cast<std::size_t>(job.height);
  if (columns * width > kMaxSheet || rows * height > kMaxSheet) {
    return Error{Errc::usage, fmt::format("{} columns and {} rows of {} x {} make too large a sheet; make "
                                          "its pictures smaller with --size, or request fewer",
                                          columns, rows, job.width, job.height)};
  }
  return Done{};
}

bool has_clip(const ChosenPose& pose) { return pose.clip != kNone; }
bool has_clip(const PoseChoice& pose) { return !pose.clip.empty(); }

// Errors that do not depend on the character. A job is checked before its files are read.
template <class Job>
Status check_request(const Job& job) {
  const bool is_moving = job.motion != RenderMotion::none;
  if (is_moving && is_sheet(job)) {
    return Error{Errc::usage,
                 "a turntable or a film shows one pose and one method; remove the others, or render a sheet "
                 "without a motion"};
  }
  if (is_moving && !(job.fps > 0 && job.fps <= 240))
    return Error{Errc::usage, "frames per second must be above 0 and at most 240"};
  if (job.motion == RenderMotion::clip && !has_clip(job.poses[0]))
    return Error{Errc::usage, "a film of a clip needs --clip"};
  const bool is_scaled = job.heat.kind == HeatMap::Kind::none || job.heat.kind == HeatMap::Kind::weight;
  // A turntable shows one pose, so its scale does not change.
  if (job.motion == RenderMotion::clip && !is_scaled && !job.heat.max)
    return Error{Errc::usage, "colours must mean the same in every frame of a film; add --heat-max"};
  return check_sizes(job, job.poses.size());
}

// Errors in the name of the output.
Status check_picture_name(const RenderJob& job) {
  const bool is_moving = job.motion != RenderMotion::none;
  if (is_moving && !is_picture_sequence(job.output) && extension_of(job.output) != ".mp4") {
    return Error{Errc::usage, fmt::format("{}: a motion is written as .mp4 or as name_####.png", job.output)};
  }
  if (!is_moving && is_picture_sequence(job.output)) {
    return Error{
        Errc::usage,
        fmt::format("{}: one picture needs no number; remove it, or add --turntable or --film", job.output)};
  }
  return Done{};
}

Error about(const RenderWork& job, const Error& error) { return prefixed(job.input, error); }

// Replaces the only pose by `moments` of its clip. A loop's end equals its start.
Status spread_moments(RenderWork& job, const Character& character) {
  if (job.moments == 0) return Done{};
  if (job.poses.size() != 1 || !has_clip(job.poses[0]))
    return Error{Errc::usage, "--moments needs one clip; give --clip, and no other times"};
  const ChosenPose choice = job.poses[0];
  if (Status good = check_clip(character, choice.clip); !good) return about(job, good.error());
  const Clip& found = character.clips[at(choice.clip)];
  const auto start = static_cast<double>(found.start()), end = static_cast<double>(found.end());
  const std::size_t parts = ends_as_it_starts(character, choice.clip) ? job.moments : job.moments - 1;
  job.poses.assign(job.moments, choice);
  for (std::size_t k = 0; k < job.moments; ++k) {
    const double share = parts > 0 ? static_cast<double>(k) / static_cast<double>(parts) : 0;
    job.poses[k].time = start + share * (end - start);
  }
  return Done{};
}

// Whether joints are drawn: if requested, or if there is nothing else to see.
bool shows_joints(const RenderWork& job, const Character& character, Notes& notes) {
  const bool has_surface =
      std::any_of(character.instances.begin(), character.instances.end(), [&](const Instance& instance) {
        return instance.in_scene &&
               character.meshes[static_cast<std::size_t>(instance.mesh)].polygons.count() > 0;
      });
  const bool has_skeleton = !character.skins.empty() || !character.clips.empty() || !has_surface;
  if (job.has_joints && !has_skeleton) {
    notes.push_back({Note::Kind::info, "no-joints",
                     fmt::format("{}: has no skeleton, so --joints draws nothing", job.input)});
  }
  if (job.has_joints || has_surface || character.nodes.size() < 2) return job.has_joints && has_skeleton;
  notes.push_back({Note::Kind::info, "joints-alone",
                   fmt::format("{}: has no surface, so its joints are drawn", job.input)});
  return true;
}

RenderOptions options_of(const RenderWork& job) {
  RenderOptions options;
  options.width = job.width;
  options.height = job.height;
  options.samples = job.samples;
  options.has_ground = job.has_ground;
  options.has_wireframe = job.has_wireframe;
  return options;
}

// A picture shows the light on the real surface. Measured normals need no mode.
DeformOptions deform_options(const RenderWork& job, const Stack& stack) {
  const NormalMode best = measures_normals(stack) ? NormalMode::shading : NormalMode::exact;
  DeformOptions options{stack, job.normals.value_or(best)};
  options.adds_rest_stages = job.adds_rest_stages;
  return options;
}

// A reference may repeat notes of the method shown.
void append_new(Notes& notes, const Notes& more) {
  for (const Note& note : more) {
    const auto is_same = [&](const Note& other) { return other.sentence == note.sentence; };
    if (std::none_of(notes.begin(), notes.end(), is_same)) notes.push_back(note);
  }
}

// The width of a picture without its legend; if that is less than half, the picture grows.
int width_beside(const RenderWork& job, const std::optional<ColourScale>& scale) {
  return scale ? std::max(job.width - legend_width(*scale, job.height), (job.width + 1) / 2) : job.width;
}

// The label of a pose, one line each: the clip's name, the time and the pose's name, or rest.
std::string label_of(const ChosenPose& pose, const std::string& clip, const std::string& time) {
  if (clip.empty()) return pose.name.empty() ? "rest" : pose.name;
  return fmt::format("{}\n{}{}{}", clip, time, pose.name.empty() ? "" : "\n", pose.name);
}

// The labels of all poses.
std::vector<std::string> times_of(const RenderWork& job) {
  std::vector<double> times;
  for (const ChosenPose& pose : job.poses) times.push_back(pose.time);
  return time_labels(times);
}

// Pictures leave a margin around their subject, so one of a single colour shows only background.
void note_blank(const RenderWork& job, std::size_t blank_count, std::size_t count, Notes& notes) {
  if (blank_count == 0) return;
  const std::string where = count == 1 ? "" : fmt::format(" in {} of {} pictures", blank_count, count);
  notes.push_back(
      {Note::Kind::loss, "nothing-seen",
       fmt::format("{}: nothing is visible{}: its triangles have no area in this view, or are transparent",
                   job.input, where)});
}

// ---- Stills --------------------------------------------------------------------------------------------

// Everything needed for stills. Wrong requests are refused here, before any point moves.
struct StillPlan {
  std::vector<PoseFrame> frames;    // of each pose
  std::vector<std::string> labels;  // of each pose
  std::vector<Deformer> deformers;  // of each method
  HeatPainter painter;
};

Result<StillPlan> plan_stills(const RenderWork& job, const ShotMaker& maker, const Progress& progress,
                              RenderReport& report) {
  std::vector<PoseFrame> frames;
  std::vector<std::string> labels;
  const std::vector<std::string> times = times_of(job);
  for (const ChosenPose& choice : job.poses) {
    Result<PosedCharacter> posed = pose_as_asked(maker.character(), choice.request());
    if (!posed) return about(job, posed.error());
    append(report.notes, posed->notes);
    labels.push_back(label_of(choice, posed->clip, times[labels.size()]));
    frames.push_back(std::move(posed->frame));
  }
  Result<HeatPainter> painter = HeatPainter::prepare(maker, job.heat, progress.part(0, 0.3));
  if (!painter) return painter.error();
  std::vector<Deformer> deformers;
  for (std::size_t k = 0; k < job.stacks.size(); ++k) {
    const Run run = piece_of(maker.run(progress.part(0.3, 1)), k, job.stacks.size());
    Result<Deformer> deformer =
        ready_to_pose(maker.character(), deform_options(job, job.stacks[k]), job.input, run);
    if (!deformer) return deformer.error();
    append(report.notes, deformer->notes);
    for (const PoseFrame& frame : frames) note_pose(*deformer, frame, job.input, report.notes);
    if (!shows_skin(maker.character())) note_nothing_skinned(job.stacks[k], job.input, report.notes);
    deformers.push_back(std::move(*deformer));
  }
  append_new(report.notes, painter->notes());
  return StillPlan{std::move(frames), std::move(labels), std::move(deformers), std::move(*painter)};
}

// Every pose by every method, pose by pose.
Result<std::vector<Shot>> take_shots(const RenderWork& job, const ShotMaker& maker, const StillPlan& plan,
                                     const Progress& progress) {
  const std::size_t count = job.poses.size() * job.stacks.size();
  std::vector<Shot> shots;
  for (std::size_t p = 0; p < plan.frames.size(); ++p) {
    for (const Deformer& deformer : plan.deformers) {
      const double done = static_cast<double>(shots.size()) / static_cast<double>(count);
      Result<Shot> shot =
          maker.take(deformer, plan.frames[p], progress.part(done, done + 1 / static_cast<double>(count)));
      if (!shot) return shot.error();
      shot->pose = job.poses[p];
      if (shots.empty() && bytes_of(*shot) * count > job.run.max_memory) {
        return Error{Errc::too_large, fmt::format("{}: {} pictures of it need more than the allowed memory; "
                                                  "request fewer at once, or raise --max-memory",
                                                  job.input, count)};
      }
      shots.push_back(std::move(*shot));
    }
  }
  return shots;
}

Sheet sheet_of(const RenderWork& job, const std::vector<std::string>& labels, std::vector<Pixels> cells) {
  Sheet sheet;
  sheet.title = std::filesystem::path(job.input).filename().string();
  sheet.cells = std::move(cells);
  const bool is_wrapped = job.poses.size() == 1 && job.stacks.size() > kMaxColumns;
  if (is_wrapped) {
    sheet.columns.assign(kMaxColumns, "");
    for (const Stack& stack : job.stacks) sheet.captions.push_back(name_of(stack));
    return sheet;
  }
  for (const Stack& stack : job.stacks) sheet.columns.push_back(name_of(stack));
  sheet.rows = labels;
  return sheet;
}

// All shots with one camera, in pictures of this width.
Result<std::vector<Pixels>> render_shots(const RenderWork& job, std::span<const Shot> shots, int width,
                                         const Progress& progress) {
  const Camera camera = frame_shots(shots, job.view, static_cast<double>(width) / job.height);
  RenderOptions options = options_of(job);
  options.width = width;
  options.ground = ground_of(shots);
  std::vector<Pixels> pictures;
  for (const Shot& shot : shots) {
    const double share = 1 / static_cast<double>(shots.size());
    const double done = static_cast<double>(pictures.size()) * share;
    Result<Pixels> pixels = render(shot.drawing, camera, options, progress.part(done, done + share));
    if (!pixels) return about(job, pixels.error());
    pictures.push_back(std::move(*pixels));
  }
  return pictures;
}

// Notes the words of a picture that show boxes.
void note_boxes(std::vector<std::string> words, Notes& notes) {
  for (std::string& word : words) {
    std::replace(word.begin(), word.end(), '\n', ' ');
    if (can_draw_text(word)) continue;
    notes.push_back({Note::Kind::info, "letters-as-boxes",
                     fmt::format("'{}': letters outside Latin-1 appear as boxes in the picture", word)});
    return;
  }
}

Status render_still(const RenderWork& job, const ShotMaker& maker, RenderReport& report) {
  Stopwatch watch;
  const Progress& progress = job.run.progress;
  const Result<StillPlan> plan = plan_stills(job, maker, progress.part(0, 0.2), report);
  if (!plan) return plan.error();
  Result<std::vector<Shot>> shots = take_shots(job, maker, *plan, progress.part(0.2, 0.3));
  if (!shots) return shots.error();
  const Result<std::optional<ColourScale>> scale = plan->painter.paint(*shots, progress.part(0.3, 0.35));
  if (!scale) return scale.error();
  if (*scale) report.heat_max = largest_heat(*shots);
  report.triangle_count = triangle_count(shots->front().drawing);
  report.seconds_posing = watch.lap();
  const int width = shots->size() == 1 ? width_beside(job, *scale) : job.width;
  Result<std::vector<Pixels>> pictures = render_shots(job, *shots, width, progress.part(0.35, 1));
  if (!pictures) return pictures.error();
  const auto blank_count = std::count_if(pictures->begin(), pictures->end(), is_one_colour);
  note_blank(job, static_cast<std::size_t>(blank_count), pictures->size(), report.notes);
  if (pictures->size() > 1) {
    const Sheet labelled = sheet_of(job, plan->labels, {});
    note_boxes({labelled.title}, report.notes);
    note_boxes(labelled.rows, report.notes);
  }
  if (*scale) note_boxes({(*scale)->title}, report.notes);
  Result<Pixels> picture = pictures->size() == 1
                               ? Result<Pixels>(std::move(pictures->front()))
                               : contact_sheet(sheet_of(job, plan->labels, std::move(*pictures)));
  if (!picture) return picture.error();
  if (*scale) *picture = with_legend(*picture, **scale);
  report.seconds_rendering = watch.lap();
  report.width = picture->width;
  report.height = picture->height;
  return job.take(*picture, 0, 1);
}

// ---- Motions -------------------------------------------------------------------------------------------

struct FilmPlan {
  std::size_t frame_count = 0;
  double start = 0;  // seconds into the clip
  Poser poser;
};

Result<FilmPlan> plan_film(const RenderRequest& job, const std::string& input, const Character& character) {
  double seconds = job.seconds;
  FilmPlan plan;
  if (job.motion == RenderMotion::clip) {
    if (Status good = check_clip(character, job.poses[0].clip); !good) return prefixed(input, good.error());
    const Clip& found = character.clips[at(job.poses[0].clip)];
    plan.start = static_cast<double>(found.start());
    seconds = static_cast<double>(found.end()) - plan.start;
  }
  const double frames = std::round(seconds * job.fps) + (job.motion == RenderMotion::clip ? 1 : 0);
  if (!(frames >= 1 && frames <= static_cast<double>(kMaxFrames))) {
    return Error{Errc::bad_argument,
                 fmt::format("{}: {:g} frames cannot be rendered; at most {} can, and at least one", input,
                             frames, kMaxFrames)};
  }
  plan.frame_count = static_cast<std::size_t>(frames);
  Result<Poser> poser = prepare_poser(character);
  if (!poser) return prefixed(input, poser.error());
  plan.poser = std::move(*poser);
  return plan;
}

// The pose of frame k, and its posed shot.
ChosenPose film_choice(const RenderWork& job, const FilmPlan& plan, std::size_t k) {
  ChosenPose choice = job.poses[0];
  if (job.motion == RenderMotion::clip) choice.time = plan.start + static_cast<double>(k) / job.fps;
  return choice;
}
Result<PoseFrame> film_frame(const RenderWork& job, const FilmPlan& plan, std::size_t k) {
  const ChosenPose choice = film_choice(job, plan, k);
  PoseFrame frame;
  if (Status posed = pose(plan.poser, choice.request(), frame); !posed) return about(job, posed.error());
  return frame;
}

// A camera and a ground for the whole film; every frame is completely visible.
struct FilmSet {
  Camera camera;
  RenderOptions options;
  Vec3d middle;  // the centre of a turntable
};
Result<FilmSet> film_set(const RenderWork& job, const ShotMaker& maker, const Deformer& deformer,
                         const FilmPlan& plan, int width, const Progress& progress) {
  const bool is_clip = job.motion == RenderMotion::clip;
  std::vector<Box> boxes;
  DeformState state;
  for (std::size_t k = 0; k < (is_clip ? plan.frame_count : 1); ++k) {
    const double share = 1 / static_cast<double>(plan.frame_count), done = static_cast<double>(k) * share;
    if (Status going = progress.at("framing", done); !going) return going.error();
    const Result<PoseFrame> frame = film_frame(job, plan, k);
    if (!frame) return frame.error();
    const Result<Shot> shot = maker.take(deformer, *frame, progress.part(done, done + share), &state);
    if (!shot) return shot.error();
    boxes.push_back(shot->drawing.box());
  }
  const double aspect = static_cast<double>(width) / job.height;
  FilmSet set{is_clip ? frame_boxes(boxes, job.view, aspect) : frame_turning(boxes[0], job.view, aspect),
              options_of(job), boxes[0].centre()};
  set.options.width = width;
  set.options.ground = boxes[0].lower.y;
  for (const Box& box : boxes) set.options.ground = std::min(set.options.ground, box.lower.y);
  return set;
}

// What lives from frame to frame.
struct FilmState {
  DeformState shown, reference;
};
// A frame of a film, posed and coloured.
struct FilmShot {
  Shot shot;
  std::optional<ColourScale> scale;
};
Result<FilmShot> film_shot(const RenderWork& job, const ShotMaker& maker, const Deformer& deformer,
                           const HeatPainter& painter, const FilmPlan& plan, std::size_t k,
                           const Progress& progress, FilmState& state, Notes& notes) {
  const Result<PoseFrame> frame = film_frame(job, plan, k);
  if (!frame) return frame.error();
  note_pose(deformer, *frame, job.input, notes);
  Result<Shot> shot = maker.take(deformer, *frame, progress.part(0, 0.5), &state.shown);
  if (!shot) return shot.error();
  shot->pose = film_choice(job, plan, k);
  Result<std::optional<ColourScale>> scale =
      painter.paint({&*shot, 1}, progress.part(0.5, 1), &state.reference);
  if (!scale) return scale.error();
  return FilmShot{std::move(*shot), std::move(*scale)};
}

// The frames one by one. A turntable moves around its only pose.
Status render_frames(const RenderWork& job, const ShotMaker& maker, const Deformer& deformer,
                     const HeatPainter& painter, const FilmPlan& plan, RenderReport& report) {
  const Progress& progress = job.run.progress;
  Stopwatch watch;
  FilmState state;
  Result<FilmShot> shown =
      film_shot(job, maker, deformer, painter, plan, 0, progress.part(0.15, 0.16), state, report.notes);
  if (!shown) return shown.error();
  Result<FilmSet> set =
      film_set(job, maker, deformer, plan, width_beside(job, shown->scale), progress.part(0.16, 0.2));
  if (!set) return set.error();
  const Camera camera = set->camera;
  std::size_t blank_count = 0;
  for (std::size_t k = 0; k < plan.frame_count; ++k) {
    const Progress piece = piece_of(part_of(job.run, 0.2, 1), k, plan.frame_count).progress;
    if (job.motion == RenderMotion::turntable) {
      const double turned = static_cast<double>(k) / static_cast<double>(plan.frame_count);
      set->camera = walked_around(camera, set->middle, turned * 2 * kPi);
    } else if (k > 0) {
      shown = film_shot(job, maker, deformer, painter, plan, k, piece.part(0, 0.2), state, report.notes);
      if (!shown) return shown.error();
    }
    if (shown->scale)
      report.heat_max = std::max(report.heat_max.value_or(0), largest_heat({&shown->shot, 1}));
    report.triangle_count = triangle_count(shown->shot.drawing);
    report.seconds_posing += watch.lap();
    Result<Pixels> pixels = render(shown->shot.drawing, set->camera, set->options, piece.part(0.2, 1));
    if (!pixels) return about(job, pixels.error());
    blank_count += is_one_colour(*pixels) ? 1 : 0;
    if (shown->scale) *pixels = with_legend(*pixels, *shown->scale);
    report.width = pixels->width;
    report.height = pixels->height;
    if (Status taken = job.take(*pixels, k, plan.frame_count); !taken) return taken;
    report.seconds_rendering += watch.lap();
  }
  note_blank(job, blank_count, plan.frame_count, report.notes);
  return Done{};
}

Status render_film(const RenderWork& job, const ShotMaker& maker, RenderReport& report) {
  const Result<FilmPlan> plan = plan_film(job, job.input, maker.character());
  if (!plan) return plan.error();
  const Progress& progress = job.run.progress;
  const Result<HeatPainter> painter = HeatPainter::prepare(maker, job.heat, progress.part(0, 0.12));
  if (!painter) return painter.error();
  const Result<Deformer> deformer = ready_to_pose(maker.character(), deform_options(job, job.stacks[0]),
                                                  job.input, part_of(job.run, 0.12, 0.15));
  if (!deformer) return deformer.error();
  append(report.notes, deformer->notes);
  append_new(report.notes, painter->notes());
  if (!shows_skin(maker.character())) note_nothing_skinned(job.stacks[0], job.input, report.notes);
  if (job.motion == RenderMotion::turntable) {
    const Result<PosedCharacter> posed = pose_as_asked(maker.character(), job.poses[0].request());
    if (posed) append(report.notes, posed->notes);
  }
  report.frame_count = plan->frame_count;
  return render_frames(job, maker, *deformer, *painter, *plan, report);
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

}  // namespace

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
    RenderWork work{with_defaults(request), asset.name, run, take};
    if (Status good = check_request(work); !good) return good.error();
    if (Status good = check_heat(work.heat); !good) return good.error();
    RenderReport report;
    report.input = asset.name;
    if (work.heat.kind == HeatMap::Kind::strain) report.heat_unit = "% of an edge";
    if (work.heat.kind == HeatMap::Kind::error) report.heat_unit = "% of the size";
    for (const Stack& stack : work.stacks) {
      const DeformOptions posing = from_all_rooms(deform_options(work, stack));
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
    if (Status good = check_request(with_defaults(job)); !good) return good.error();
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
    for (const PoseChoice& pose : job.poses) verb.also_read.push_back(pose.pose_file);
    if (job.heat.kind == HeatMap::Kind::error && !job.heat.reference_stack)
      verb.also_read.push_back(job.heat.reference);
    verb.work = [&](Asset& asset, const RunOptions& run) -> Result<RenderReport> {
      Result<RenderRequest> read = read_poses(job, asset.character);
      if (!read) return read.error();
      RenderRequest request = with_defaults(std::move(*read));
      if (is_moving) {
        // Frames that must not be replaced are found before hours of work.
        const Result<FilmPlan> plan = plan_film(request, job.input, asset.character);
        if (!plan) return plan.error();
        Result<FrameWriter> opened = FrameWriter::open(job.output, plan->frame_count, job.fps, job.run);
        if (!opened) return opened.error();
        frames.emplace(std::move(*opened));
      }
      if (Status loaded = load_reference(request.heat, part_of(run, 0, kLoaded)); !loaded)
        return loaded.error();
      Result<RenderReport> report = render_character(asset, request, take, part_of(run, kLoaded, 1));
      if (report && request.heat.reference_asset)
        report->notes =
            joined(notes_of_file(job.heat.reference, request.heat.reference_asset->notes), report->notes);
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
