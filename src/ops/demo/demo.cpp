// SPDX-License-Identifier: MIT
// The main part of the demo: a bare mesh gets a skeleton, weights and a walk, and is posed by every method.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dermis/ops/demo.h"
#include "dermis/ops/methods.h"
#include "dermis/ops/rig.h"
#include "ops/animate/motion.h"
#include "ops/demo/gallery.h"
#include "ops/demo/parts.h"
#include "ops/page/page.h"

namespace dermis {
namespace {

// The stacks of `asked` in their order, each once: a stack has one file.
std::vector<Stack> without_repeats(const std::vector<Stack>& asked) {
  std::vector<Stack> stacks;
  for (const Stack& stack : asked) {
    if (std::find(stacks.begin(), stacks.end(), stack) == stacks.end()) stacks.push_back(stack);
  }
  return stacks;
}

// Poses the demo's character by one stack and writes it as posed-STACK.obj.
Status demo_stack(const Asset& asset, const PoseFrame& frame, const Character& linear, const Stack& stack,
                  const DemoJob& job, const FileRun& run, DemoReport& report) {
  DemoReport::Posed posed;
  posed.method = name_of(stack);
  posed.file =
      (std::filesystem::path(job.folder) / fmt::format("posed-{}.obj", file_safe(posed.method))).string();
  Stopwatch watch;
  const Result<Deformer> deformer =
      prepare_deformer(asset.character, from_all_rooms({stack}), run.progress.part(0, 0.9));
  if (!deformer) return deformer.error();
  append(report.notes, deformer->notes);
  posed.seconds_preparing = watch.lap();
  const Result<Character> still = pose_character(*deformer, frame, run.progress.part(0.9, 1));
  if (!still) return still.error();
  posed.seconds_posing = watch.lap();
  const Result<PointDistance> distance = point_distance(linear.meshes[0].points, still->meshes[0].points);
  if (!distance) return distance.error();
  posed.from_linear = distance->max / distance->diagonal;
  const auto write = [&](const SaveOptions& options) {
    return save_posed(posed.file, asset, *still, options);
  };
  if (Status written = write_demo_file(write, run, report); !written) return written;
  report.files.push_back(posed.file);
  report.posed.push_back(std::move(posed));
  return Done{};
}

// The main part: the humanoid as a bare mesh, then with a skeleton found in it, weights and a walk.
Result<Asset> rig_humanoid(const Character& made, const FileRun& run, DemoReport& report) {
  const std::string &body = report.files[0], &moving = report.files[1];
  const Result<Character> bare = bare_at_rest(made, body, part_of(run, 0, 0.1));
  if (!bare) return bare.error();
  Asset asset{.character = *bare, .name = body};
  const auto write_body = [&](const SaveOptions& options) { return save_posed(body, asset, *bare, options); };
  if (Status written = write_demo_file(write_body, run, report); !written) return written.error();
  Result<RigRequest> request = rig_request({});
  if (!request) return request.error();
  const Result<OpenedMotion> walk = open_motion("walk", "", part_of(run, 0.1, 0.2));
  if (!walk) return walk.error();
  request->motion = MotionRequest{&walk->asset, walk->clip, {}};
  const Result<RigReport> rigged = rig(asset, *request, part_of(run, 0.2, 1));
  if (!rigged) return rigged.error();
  report.skeleton = rigged->skeleton.name;
  report.seconds_rigging = rigged->seconds_rigging;
  report.seconds_binding = rigged->seconds_binding;
  append(report.notes, rigged->notes);
  const auto write_moving = [&](const SaveOptions& options) { return save(moving, asset, options); };
  if (Status written = write_demo_file(write_moving, run, report); !written) return written.error();
  return asset;
}

// Results of an earlier run, which this one does not write again.
void note_earlier_files(const std::string& folder, const std::vector<std::string>& files, Notes& notes) {
  namespace fs = std::filesystem;
  std::vector<std::string> earlier;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    const bool is_written = std::any_of(files.begin(), files.end(), [&](const std::string& file) {
      return fs::path(file).filename() == name;
    });
    if (name.starts_with("posed-") && name.ends_with(".obj") && !is_written) earlier.push_back(name);
  }
  if (earlier.empty()) return;
  std::sort(earlier.begin(), earlier.end());
  notes.push_back({Note::Kind::info, "earlier-files",
                   fmt::format("{}: {} left from an earlier run: {}", folder,
                               earlier.size() == 1 ? "a file is" : "files are", fmt::join(earlier, ", "))});
}

// The value of the last colour: the largest distance from lbs, without the two methods that tear the figure.
std::optional<double> colour_limit(const std::vector<Stack>& stacks, const DemoReport& report) {
  double most = 0;
  for (std::size_t k = 0; k < stacks.size(); ++k) {
    const std::string_view skin = skin_row(stacks[k]).name;
    if (skin != "rigid" && skin != "quaternion") most = std::max(most, 100 * report.posed[k].from_linear);
  }
  return most < kLeastHeat ? std::nullopt : std::optional(most);
}

// What the demo did to the mesh: bare, with the joints found in it, and walking.
Result<ReportSection> rigged_section(const ShotMaker& maker, const PoseFrame& frame, const DemoReport& report,
                                     const RunOptions& run) {
  const Result<Deformer> deformer =
      ready_to_pose(maker.character(), {}, maker.file(), part_of(run, 0, kPagePosed));
  if (!deformer) return deformer.error();
  const RunOptions still = part_of(run, kPagePosed, kPagePosed);
  Result<Shot> steps[] = {shot_at_rest(maker, false, still), shot_at_rest(maker, true, still),
                          maker.take(*deformer, frame, still.progress)};
  std::vector<Shot> shots;
  for (Result<Shot>& shot : steps) {
    if (!shot) return shot.error();
    shots.push_back(std::move(*shot));
  }
  const std::string captions[] = {"before: the bare mesh",
                                  fmt::format("the skeleton found in it: {}", report.skeleton),
                                  fmt::format("after: bound, and {:.2f} s into its walk", report.posed_at)};
  const Camera camera = frame_shots(shots, kPageView, kPageAspect);
  ReportRow row;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    Result<ReportFigure> figure =
        shoot(shots[k], camera, piece_of(part_of(run, kPagePosed, 1), k, shots.size()), captions[k], {});
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  return ReportSection{"From a bare mesh to a walk", {std::move(row)}};
}

// The humanoid posed by every stack, side by side.
Result<ReportSection> humanoid_section(const ShotMaker& maker, const PoseFrame& frame,
                                       const std::vector<Stack>& stacks, const DemoReport& report,
                                       const RunOptions& run) {
  ReportSection section{"The humanoid by every method", {}};
  section.items.emplace_back(
      ReportText{fmt::format("{} points, {} joints, {:.2f} s into its walk. Except for lbs, colours show how "
                             "far points are from linear blending.",
                             report.point_count, report.joint_count, report.posed_at)});
  ReportTable table{{"method", "from lbs, % of size", "prepared in", "posed in"}, {}};
  for (std::size_t k = 0; k < stacks.size(); ++k) {
    const DemoReport::Posed& posed = report.posed[k];
    table.rows.push_back({posed.method,
                          stacks[k] == Stack{} ? "" : fmt::format("{:.2f}", 100 * posed.from_linear),
                          seconds_text(posed.seconds_preparing), seconds_text(posed.seconds_posing)});
  }
  const std::optional<double> most = colour_limit(stacks, report);
  Result<std::vector<ReportFigure>> figures = stacks_figures(maker, frame, stacks, most, run);
  if (!figures) return figures.error();
  if (most) {
    section.items.emplace_back(
        legend_of({"distance from lbs (% of size); rigid and quaternion exceed it", 0, *most, false, false}));
  }
  section.items.emplace_back(ReportRow{std::move(*figures)});
  section.items.emplace_back(std::move(table));
  return section;
}

Status report_demo(const FileRun& run, const std::vector<Stack>& stacks, const Asset& asset,
                   const PoseFrame& frame, const DemoReport& report, const std::string& path) {
  Stopwatch watch;
  ReportPage page{"What skinning does to a character",
                  fmt::format("made by dermis {} on characters built by code", version()),
                  {}};
  Result<std::vector<ReportSection>> gallery = artifact_gallery(part_of(run, 0.3, 0.7));
  if (!gallery) return gallery.error();
  page.sections = std::move(*gallery);
  const ShotMaker maker(asset.character, {report.files[1], false, nullptr, run});
  Result<ReportSection> rigged = rigged_section(maker, frame, report, part_of(run, 0.7, 0.72));
  if (!rigged) return rigged.error();
  page.sections.push_back(std::move(*rigged));
  Result<ReportSection> humanoid = humanoid_section(maker, frame, stacks, report, part_of(run, 0.72, 0.8));
  if (!humanoid) return humanoid.error();
  page.sections.push_back(std::move(*humanoid));
  const Result<Quality> quality = measure_quality(asset.character, {}, run.progress.part(0.8, 0.85));
  if (!quality) return quality.error();
  Result<ReportSection> worst = worst_section(maker, *quality, DeformOptions{}, part_of(run, 0.85, 0.95));
  if (!worst) return worst.error();
  page.sections.push_back(std::move(*worst));
  Result<ReportSection> weights = weights_section(maker, part_of(run, 0.95, 1));
  if (!weights) return weights.error();
  page.sections.push_back(std::move(*weights));
  page.sections.push_back(
      facts_section({{"character", "the built-in humanoid, without the skeleton it was made with"},
                     {"skeleton", fmt::format("{}, found in the mesh in {}", report.skeleton,
                                              seconds_text(report.seconds_rigging))},
                     {"bound in", seconds_text(report.seconds_binding)},
                     {"points", std::to_string(report.point_count)},
                     {"joints", std::to_string(report.joint_count)},
                     {"files", fmt::format("{}", fmt::join(report.files, ", "))}}));
  page.sections.push_back(timings_section({{"finding the skeleton", seconds_text(report.seconds_rigging)},
                                           {"binding", seconds_text(report.seconds_binding)},
                                           {"drawing this report", seconds_text(watch.lap())}}));
  page.sections.push_back(notes_section(report.notes, "demo"));
  page.sections.push_back(commands_section(run, report.next));
  Notes written;  // the list of files already has it
  return save_report(path, page, written);
}

}  // namespace

Result<DemoReport> demo_main(const DemoJob& job, const FileRun& run) {
  const auto in_folder = [&](const char* name) { return demo_file(job, name); };
  Result<Character> made = make_character(MadeKind::humanoid, {job.points}, run.progress.part(0, 0.05));
  if (!made) return made.error();
  DemoReport report;
  report.files = {in_folder("humanoid.obj"), in_folder("walking.glb"), in_folder("posed.glb")};
  Result<Asset> rigged = rig_humanoid(*made, part_of(run, 0.05, 0.1), report);
  if (!rigged) return rigged.error();
  const Asset asset = std::move(*rigged);
  const Character& character = asset.character;
  report.joint_count = joint_count(character);
  const Clip& clip = character.clips[0];
  report.clip_seconds = static_cast<double>(clip.end() - clip.start());
  report.posed_at = static_cast<double>(clip.start()) + 0.25 * report.clip_seconds;
  const Result<PoseFrame> frame = pose_frame(character, {0, report.posed_at, nullptr});
  if (!frame) return frame.error();
  const Result<Character> linear = deform_character(
      character, *frame, from_all_rooms({{}, NormalMode::exact}), run.progress.part(0.1, 0.12));
  if (!linear) return linear.error();
  const auto write = [&](const SaveOptions& options) {
    return save_posed(report.files[2], asset, *linear, options);
  };
  if (Status written = write_demo_file(write, run, report); !written) return written.error();
  report.point_count = linear->meshes[0].points.size();
  const std::vector<Stack> stacks = job.stacks.empty() ? every_stack() : without_repeats(job.stacks);
  for (std::size_t k = 0; k < stacks.size(); ++k) {
    const FileRun piece = piece_of(part_of(run, 0.12, 0.3), k, stacks.size());
    if (Status posed = demo_stack(asset, *frame, *linear, stacks[k], job, piece, report); !posed)
      return posed.error();
  }
  const std::string& glb = report.files[1];
  report.next = {
      fmt::format("dermis info {} --nodes", shell_word(glb)),
      fmt::format("dermis deform {} --clip walk --time 1 -o later.obj", shell_word(glb)),
      fmt::format("dermis rig {} --motion run -o running.glb --report rig.html", shell_word(report.files[0])),
      fmt::format("dermis compare {} {} --clip 0 --time 0.5 --method lbs --method-b dqs", shell_word(glb),
                  shell_word(glb)),
      "dermis make quadruped --points 50000 -o quadruped.glb"};
  note_earlier_files(job.folder, report.files, report.notes);
  const std::string page = in_folder("report.html");
  report.files.push_back(page);
  if (Status done = report_demo(run, stacks, asset, *frame, report, page); !done) return done.error();
  return report;
}

}  // namespace dermis
