// SPDX-License-Identifier: MIT
// Films of the verb render: a turntable, or a whole clip.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/render/focus.h"
#include "ops/render/scene.h"

namespace dermis {
namespace {

// 14 minutes at 24 frames per second: more is a mistyped rate or a clip with a stray key.
constexpr std::size_t kMaxFrames = 20000;

struct FilmPlan {
  std::size_t frame_count = 0;
  double start = 0;  // seconds into the clip
  Poser poser;
};

Result<FilmPlan> plan_film(const RenderRequest& request, const std::string& input,
                           const Character& character) {
  double seconds = request.seconds;
  FilmPlan plan;
  if (request.motion == RenderMotion::clip) {
    if (Status good = check_clip(character, request.poses[0].clip); !good)
      return prefixed(input, good.error());
    const Clip& found = character.clips[at(request.poses[0].clip)];
    plan.start = static_cast<double>(found.start());
    seconds = static_cast<double>(found.end()) - plan.start;
  }
  const double frames = std::round(seconds * request.fps) + (request.motion == RenderMotion::clip ? 1 : 0);
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

// The pose of frame k.
ChosenPose film_choice(const RenderWork& work, const FilmPlan& plan, std::size_t k) {
  ChosenPose choice = work.poses[0];
  if (work.motion == RenderMotion::clip) choice.time = plan.start + static_cast<double>(k) / work.fps;
  return choice;
}
Result<PoseFrame> film_frame(const RenderWork& work, const FilmPlan& plan, std::size_t k) {
  const ChosenPose choice = film_choice(work, plan, k);
  PoseFrame frame;
  if (Status posed = pose(plan.poser, choice.request(), frame); !posed) return work.about(posed.error());
  return frame;
}

// What makes the frames of a film.
struct FilmCrew {
  const RenderWork& work;
  const FilmPlan& plan;
  const ShotMaker& maker;
  const Deformer& deformer;
  const HeatPainter& painter;
  const Focus& focus;
};

// The cameras and the ground of a film; every frame is completely visible.
struct FilmSet {
  Framing framing;
  RenderOptions options;
  double aspect = 1;
};
Result<FilmSet> film_set(const FilmCrew& crew, int width, const Progress& progress) {
  const RenderWork& work = crew.work;
  const FilmPlan& plan = crew.plan;
  const bool is_clip = work.motion == RenderMotion::clip;
  FilmSet set{Framing(work, crew.focus), work.options(), static_cast<double>(width) / work.height};
  set.options.width = width;
  set.options.ground = INFINITY;
  DeformState state;
  for (std::size_t k = 0; k < (is_clip ? plan.frame_count : 1); ++k) {
    const double share = 1 / static_cast<double>(plan.frame_count), done = static_cast<double>(k) * share;
    if (Status going = progress.at("framing", done); !going) return going.error();
    const Result<PoseFrame> frame = film_frame(work, plan, k);
    if (!frame) return frame.error();
    const Result<Shot> shot =
        crew.maker.take(crew.deformer, *frame, progress.part(done, done + share), &state);
    if (!shot) return shot.error();
    set.framing.add_box(*shot);
    set.options.ground = std::min(set.options.ground, shot->drawing.box().lower.y);
  }
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
Result<FilmShot> film_shot(const FilmCrew& crew, std::size_t k, const Progress& progress, FilmState& state,
                           Notes& notes) {
  const Result<PoseFrame> frame = film_frame(crew.work, crew.plan, k);
  if (!frame) return frame.error();
  note_pose(crew.deformer, *frame, crew.work.input, notes);
  Result<Shot> shot = crew.maker.take(crew.deformer, *frame, progress.part(0, 0.5), &state.shown);
  if (!shot) return shot.error();
  shot->pose = film_choice(crew.work, crew.plan, k);
  Result<std::optional<ColourScale>> scale =
      crew.painter.paint({&*shot, 1}, progress.part(0.5, 1), &state.reference);
  if (!scale) return scale.error();
  return FilmShot{std::move(*shot), std::move(*scale)};
}

// The frames one by one. A turntable moves around its only pose.
Status render_frames(const FilmCrew& crew, RenderReport& report) {
  const RenderWork& work = crew.work;
  const FilmPlan& plan = crew.plan;
  const Progress& progress = work.run.progress;
  Stopwatch watch;
  FilmState state;
  Result<FilmShot> shown = film_shot(crew, 0, progress.part(0.15, 0.16), state, report.notes);
  if (!shown) return shown.error();
  const Result<FilmSet> set = film_set(crew, work.width_beside(shown->scale), progress.part(0.16, 0.2));
  if (!set) return set.error();
  std::size_t blank_count = 0;
  for (std::size_t k = 0; k < plan.frame_count; ++k) {
    const Progress piece = piece_of(part_of(work.run, 0.2, 1), k, plan.frame_count).progress;
    if (k > 0 && work.motion == RenderMotion::clip) {
      shown = film_shot(crew, k, piece.part(0, 0.2), state, report.notes);
      if (!shown) return shown.error();
    }
    Camera camera;
    if (work.motion == RenderMotion::turntable) {
      const double turned = static_cast<double>(k) / static_cast<double>(plan.frame_count);
      camera = walked_around(set->framing.turning_camera(shown->shot, set->aspect),
                             set->framing.middle(shown->shot), turned * 2 * kPi);
    } else {
      camera = set->framing.camera(shown->shot, set->aspect);
    }
    if (shown->scale)
      report.heat_max = std::max(report.heat_max.value_or(0), largest_heat({&shown->shot, 1}));
    report.triangle_count = triangle_count(shown->shot.drawing);
    report.seconds_posing += watch.lap();
    Result<Pixels> pixels = render(shown->shot.drawing, camera, set->options, piece.part(0.2, 1));
    if (!pixels) return work.about(pixels.error());
    blank_count += is_one_colour(*pixels) ? 1 : 0;
    draw_names(work.named, crew.maker.character(), shown->shot, camera, *pixels);
    if (shown->scale) *pixels = with_legend(*pixels, *shown->scale);
    report.width = pixels->width;
    report.height = pixels->height;
    if (Status taken = work.take(*pixels, k, plan.frame_count); !taken) return taken;
    report.seconds_rendering += watch.lap();
  }
  note_blank(work, blank_count, plan.frame_count, report.notes);
  return Done{};
}

}  // namespace

Status render_film(const RenderWork& work, const ShotMaker& maker, RenderReport& report) {
  const Result<FilmPlan> plan = plan_film(work, work.input, maker.character());
  if (!plan) return plan.error();
  const Progress& progress = work.run.progress;
  const Result<HeatPainter> painter = HeatPainter::prepare(maker, work.heat, progress.part(0, 0.11));
  if (!painter) return painter.error();
  const Result<Deformer> deformer = ready_to_pose(maker.character(), work.posing(work.stacks[0]), work.input,
                                                  part_of(work.run, 0.11, 0.14));
  if (!deformer) return deformer.error();
  append(report.notes, deformer->notes);
  append_new(report.notes, painter->notes());
  if (!shows_skin(maker.character())) note_nothing_skinned(work.stacks[0], work.input, report.notes);
  if (work.motion == RenderMotion::turntable) {
    const Result<PosedCharacter> posed = pose_as_asked(maker.character(), work.poses[0].request());
    if (posed) append(report.notes, posed->notes);
  }
  report.frame_count = plan->frame_count;
  const Result<Focus> focus = find_focus(work, maker, progress.part(0.14, 0.15), report.notes);
  if (!focus) return focus.error();
  return render_frames({work, *plan, maker, *deformer, *painter, *focus}, report);
}

Result<std::size_t> count_film_frames(const RenderRequest& request, const std::string& input,
                                      const Character& character) {
  const Result<FilmPlan> plan = plan_film(request, input, character);
  if (!plan) return plan.error();
  return plan->frame_count;
}

}  // namespace dermis
