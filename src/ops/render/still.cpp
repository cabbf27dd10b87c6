// SPDX-License-Identifier: MIT
// Stills of the verb render: one picture, or a sheet of methods and poses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "ops/render/focus.h"
#include "ops/render/scene.h"

namespace dermis {
namespace {

// The label of a pose, one line each: the clip's name, the time and the pose's name, or rest.
std::string label_of(const ChosenPose& pose, const std::string& clip, const std::string& time) {
  if (clip.empty()) return pose.name.empty() ? "rest" : pose.name;
  return fmt::format("{}\n{}{}{}", clip, time, pose.name.empty() ? "" : "\n", pose.name);
}

// The times of all poses, as labels.
std::vector<std::string> times_of(const RenderWork& work) {
  std::vector<double> times;
  for (const ChosenPose& pose : work.poses) times.push_back(pose.time);
  return time_labels(times);
}

// Everything needed for stills. Wrong requests are refused here, before any point moves.
struct StillPlan {
  std::vector<PoseFrame> frames;    // of each pose
  std::vector<std::string> labels;  // of each pose
  std::vector<Deformer> deformers;  // of each method
  HeatPainter painter;
  Focus focus;
};

Result<StillPlan> plan_stills(const RenderWork& work, const ShotMaker& maker, const Progress& progress,
                              RenderReport& report) {
  std::vector<PoseFrame> frames;
  std::vector<std::string> labels;
  const std::vector<std::string> times = times_of(work);
  for (const ChosenPose& choice : work.poses) {
    Result<PosedCharacter> posed = pose_as_asked(maker.character(), choice.request());
    if (!posed) return work.about(posed.error());
    append(report.notes, posed->notes);
    labels.push_back(label_of(choice, posed->clip, times[labels.size()]));
    frames.push_back(std::move(posed->frame));
  }
  Result<HeatPainter> painter = HeatPainter::prepare(maker, work.heat, progress.part(0, 0.25));
  if (!painter) return painter.error();
  Result<Focus> focus = find_focus(work, maker, progress.part(0.25, 0.3), report.notes);
  if (!focus) return focus.error();
  std::vector<Deformer> deformers;
  for (std::size_t k = 0; k < work.stacks.size(); ++k) {
    const Run run = piece_of(maker.run(progress.part(0.3, 1)), k, work.stacks.size());
    Result<Deformer> deformer =
        ready_to_pose(maker.character(), work.posing(work.stacks[k]), work.input, run);
    if (!deformer) return deformer.error();
    append(report.notes, deformer->notes);
    for (const PoseFrame& frame : frames) note_pose(*deformer, frame, work.input, report.notes);
    if (!shows_skin(maker.character())) note_nothing_skinned(work.stacks[k], work.input, report.notes);
    deformers.push_back(std::move(*deformer));
  }
  append_new(report.notes, painter->notes());
  return StillPlan{std::move(frames), std::move(labels), std::move(deformers), std::move(*painter),
                   std::move(*focus)};
}

// Every pose by every method, pose by pose.
Result<std::vector<Shot>> take_shots(const RenderWork& work, const ShotMaker& maker, const StillPlan& plan,
                                     const Progress& progress) {
  const std::size_t count = work.poses.size() * work.stacks.size();
  std::vector<Shot> shots;
  for (std::size_t p = 0; p < plan.frames.size(); ++p) {
    for (const Deformer& deformer : plan.deformers) {
      const double done = static_cast<double>(shots.size()) / static_cast<double>(count);
      Result<Shot> shot =
          maker.take(deformer, plan.frames[p], progress.part(done, done + 1 / static_cast<double>(count)));
      if (!shot) return shot.error();
      shot->pose = work.poses[p];
      if (shots.empty() && bytes_of(*shot) * count > work.run.max_memory) {
        return Error{Errc::too_large, fmt::format("{}: {} pictures of it need more than the allowed memory; "
                                                  "request fewer at once",
                                                  work.input, count)}
            .with_remedy("max_memory");
      }
      shots.push_back(std::move(*shot));
    }
  }
  return shots;
}

Sheet sheet_of(const RenderWork& work, const std::vector<std::string>& labels, std::vector<Pixels> cells) {
  Sheet sheet;
  sheet.title = std::filesystem::path(work.input).filename().string();
  const SheetGrid grid = sheet_grid(work, work.poses.size());
  std::vector<std::string> methods;
  for (const Stack& stack : work.stacks) methods.push_back(name_of(stack));
  if (!grid.is_table) {
    const bool is_by_pose = work.poses.size() > 1;
    sheet.captions = is_by_pose ? labels : methods;
    for (std::string& caption : sheet.captions) std::replace(caption.begin(), caption.end(), '\n', ' ');
    if (is_by_pose) sheet.title += ", " + methods[0];
    sheet.columns.assign(grid.columns, "");
    sheet.cells = std::move(cells);
    return sheet;
  }
  const bool is_wrapped = grid.rows_per_pose > 1;
  sheet.columns = is_wrapped ? std::vector<std::string>(grid.columns) : methods;
  for (std::size_t p = 0; p < work.poses.size(); ++p) {
    sheet.rows.push_back(labels[p]);
    sheet.rows.resize(sheet.rows.size() + grid.rows_per_pose - 1);
    for (std::size_t k = 0; k < grid.columns * grid.rows_per_pose; ++k) {
      const bool is_there = k < methods.size();
      if (is_wrapped) sheet.captions.push_back(is_there ? methods[k] : "");
      const bool is_drawn = is_there && !cells.empty();
      sheet.cells.push_back(is_drawn ? std::move(cells[p * methods.size() + k]) : Pixels{});
    }
  }
  return sheet;
}

// All shots in pictures of this width; their cameras share one framing.
Result<std::vector<Pixels>> render_shots(const RenderWork& work, std::span<const Shot> shots,
                                         const Focus& focus, const Character& scene, int width,
                                         const Progress& progress) {
  const double aspect = static_cast<double>(width) / work.height;
  Framing framing(work, focus);
  for (const Shot& shot : shots) framing.add_points(shot);
  RenderOptions options = work.options();
  options.width = width;
  options.ground = ground_of(shots);
  std::vector<Pixels> pictures;
  for (const Shot& shot : shots) {
    const double share = 1 / static_cast<double>(shots.size());
    const double done = static_cast<double>(pictures.size()) * share;
    const Camera camera = framing.camera(shot, aspect);
    Result<Pixels> pixels = render(shot.drawing, camera, options, progress.part(done, done + share));
    if (!pixels) return work.about(pixels.error());
    draw_names(work.named, scene, shot, camera, *pixels);
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

// The rows that `count` pictures fill.
std::size_t rows_for(std::size_t count, std::size_t columns) { return (count + columns - 1) / columns; }

}  // namespace

SheetGrid sheet_grid(const RenderLook& look, std::size_t pose_count) {
  constexpr double kScreen = 16.0 / 9;
  const std::size_t method_count = look.stacks.size();
  SheetGrid grid{.is_table = pose_count > 1 && method_count > 1};
  const std::size_t blocks = grid.is_table ? pose_count : 1;
  const std::size_t count = grid.is_table ? method_count : std::max(pose_count, method_count);
  double least = INFINITY;
  for (std::size_t columns = 1; columns <= count; ++columns) {
    const std::size_t rows = rows_for(count, columns);
    const double aspect =
        static_cast<double>(columns) * look.width / (static_cast<double>(rows * blocks) * look.height);
    const double blank = static_cast<double>(rows * columns - count) / static_cast<double>(count);
    const double cost = std::abs(std::log(aspect / kScreen)) + blank;
    if (cost >= least) continue;
    least = cost;
    grid.columns = columns;
  }
  if (look.columns > 0) grid.columns = std::min(look.columns, count);
  grid.rows_per_pose = rows_for(count, grid.columns);
  grid.rows = grid.rows_per_pose * blocks;
  return grid;
}

Status render_still(const RenderWork& work, const ShotMaker& maker, RenderReport& report) {
  Stopwatch watch;
  const Progress& progress = work.run.progress;
  const Result<StillPlan> plan = plan_stills(work, maker, progress.part(0, 0.2), report);
  if (!plan) return plan.error();
  Result<std::vector<Shot>> shots = take_shots(work, maker, *plan, progress.part(0.2, 0.3));
  if (!shots) return shots.error();
  const Result<std::optional<ColourScale>> scale = plan->painter.paint(*shots, progress.part(0.3, 0.35));
  if (!scale) return scale.error();
  if (*scale) report.heat_max = largest_heat(*shots);
  report.triangle_count = triangle_count(shots->front().drawing);
  report.seconds_posing = watch.lap();
  const int width = shots->size() == 1 ? work.width_beside(*scale) : work.width;
  Result<std::vector<Pixels>> pictures =
      render_shots(work, *shots, plan->focus, maker.character(), width, progress.part(0.35, 1));
  if (!pictures) return pictures.error();
  const auto blank_count = std::count_if(pictures->begin(), pictures->end(), is_one_colour);
  note_blank(work, static_cast<std::size_t>(blank_count), pictures->size(), report.notes);
  if (pictures->size() > 1) {
    const Sheet labelled = sheet_of(work, plan->labels, {});
    note_boxes({labelled.title}, report.notes);
    note_boxes(labelled.rows, report.notes);
    note_boxes(labelled.captions, report.notes);
  }
  if (*scale) note_boxes({(*scale)->title}, report.notes);
  Result<Pixels> picture = pictures->size() == 1
                               ? Result<Pixels>(std::move(pictures->front()))
                               : contact_sheet(sheet_of(work, plan->labels, std::move(*pictures)));
  if (!picture) return picture.error();
  if (*scale) *picture = with_legend(*picture, **scale);
  report.seconds_rendering = watch.lap();
  report.width = picture->width;
  report.height = picture->height;
  return work.take(*picture, 0, 1);
}

}  // namespace dermis
