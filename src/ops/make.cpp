// SPDX-License-Identifier: MIT
// The verbs make and demo: built-in characters written to files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ops/job.h"

namespace dermis {
namespace {

std::size_t joint_count(const Character& character) {
  std::size_t count = 0;
  for (const Skin& skin : character.skins) count += skin.node.size();
  return count;
}

const char* name_of_kind(MadeKind kind) {
  for (const MadeRow& row : made_kinds()) {
    if (row.kind == kind) return row.name;
  }
  return "";
}

// A path that can be pasted into a shell.
std::string shell_word(const std::string& path) {
  return path.find_first_of(" '\"$`\\&;()<>|*?!") == std::string::npos ? path : fmt::format("'{}'", path);
}

// Those of `asked` in their order, each once: a stack has one file.
std::vector<Stack> without_repeats(const std::vector<Stack>& asked) {
  std::vector<Stack> stacks;
  for (const Stack& stack : asked) {
    if (std::find(stacks.begin(), stacks.end(), stack) == stacks.end()) stacks.push_back(stack);
  }
  return stacks;
}

// Poses the demo's character by one stack and writes it as posed-STACK.obj.
Result<DemoReport::Posed> demo_stack(const Asset& asset, const PoseFrame& frame, const Character& linear,
                                     const Stack& stack, const DemoJob& job, Notes& notes) {
  DemoReport::Posed posed;
  posed.method = name_of(stack);
  posed.file =
      (std::filesystem::path(job.folder) / fmt::format("posed-{}.obj", file_safe(posed.method))).string();
  Stopwatch watch;
  const Result<Deformer> deformer = prepare_deformer(asset.character, {stack}, job.run.progress);
  if (!deformer) return deformer.error();
  append(notes, deformer->notes);
  posed.seconds_preparing = watch.lap();
  const Result<Character> still = pose_character(*deformer, frame, job.run.progress);
  if (!still) return still.error();
  posed.seconds_posing = watch.lap();
  const Result<PointDistance> distance = point_distance(linear.meshes[0].points, still->meshes[0].points);
  if (!distance) return distance.error();
  posed.from_linear = distance->max / distance->diagonal;
  if (const Result<Notes> saved = save_posed(posed.file, asset, *still); !saved) return saved.error();
  return posed;
}

}  // namespace

Result<MakeReport> make(const MakeJob& job) {
  return without_throwing("make", [&]() -> Result<MakeReport> {
    if (Status good = check_output(job.output, {}, {".glb", ".gltf", ".obj", ".ply"}, job.run); !good)
      return good.error();
    if (Status good = check_save_options(job.output, job.save); !good) return good.error();
    Stopwatch watch;
    Result<Character> made = make_character(job.kind, job.options, job.run.progress);
    if (!made) return made.error();
    MakeReport report;
    report.seconds_making = watch.lap();
    report.kind = name_of_kind(job.kind);
    report.output = job.output;
    report.joint_count = joint_count(*made);
    for (const Mesh& mesh : made->meshes) {
      report.point_count += mesh.points.size();
      report.polygon_count += mesh.polygons.count();
      report.shape_count += mesh.shapes.size();
    }
    if (!made->clips.empty()) {
      report.clip = made->clips[0].name;
      report.clip_seconds = static_cast<double>(made->clips[0].end() - made->clips[0].start());
    }
    const Asset asset{std::move(*made), {}, nullptr};
    Result<Notes> saved = Notes{};
    if (is_still_file(job.output)) {
      const Result<Character> still = still_at_rest(asset.character, report.kind, job.run);
      if (!still) return still.error();
      saved = save_posed(job.output, asset, *still, job.save);
      report.notes.push_back(
          {Note::Kind::loss, "not-in-format",
           fmt::format("{}: skeleton, weights and clip cannot be held by this format", job.output)});
    } else {
      saved = save(job.output, asset, job.save);
    }
    if (!saved) return saved.error();
    append(report.notes, *saved);
    return report;
  });
}

Result<DemoReport> demo(const DemoJob& job) {
  return without_throwing("demo", [&]() -> Result<DemoReport> {
    namespace fs = std::filesystem;
    std::error_code failed;
    fs::create_directories(job.folder, failed);
    if (failed)
      return Error{Errc::unreadable,
                   fmt::format("{}: cannot make this folder: {}", job.folder, failed.message())};
    const auto in_folder = [&](const char* name) { return (fs::path(job.folder) / name).string(); };
    Result<Character> made = make_character(MadeKind::humanoid, {job.points}, job.run.progress);
    if (!made) return made.error();
    const Asset asset{std::move(*made), {}, nullptr};
    const Character& character = asset.character;
    DemoReport report;
    report.joint_count = joint_count(character);
    const Clip& clip = character.clips[0];
    report.clip_seconds = static_cast<double>(clip.end() - clip.start());
    report.posed_at = static_cast<double>(clip.start()) + 0.25 * report.clip_seconds;
    const Result<PoseFrame> frame = pose_frame(character, {0, report.posed_at, nullptr});
    if (!frame) return frame.error();
    report.files = {in_folder("humanoid.glb"), in_folder("posed.glb")};
    if (const Result<Notes> saved = save(report.files[0], asset); !saved) return saved.error();
    const Result<Character> linear =
        deform_character(character, *frame, {{SkinMethod::lbs}, NormalMode::exact}, job.run.progress);
    if (!linear) return linear.error();
    if (const Result<Notes> saved = save_posed(report.files[1], asset, *linear); !saved) return saved.error();
    report.point_count = linear->meshes[0].points.size();
    const std::vector<Stack> stacks = job.stacks.empty() ? every_stack() : without_repeats(job.stacks);
    for (const Stack& stack : stacks) {
      Result<DemoReport::Posed> posed = demo_stack(asset, *frame, *linear, stack, job, report.notes);
      if (!posed) return posed.error();
      report.files.push_back(posed->file);
      report.posed.push_back(std::move(*posed));
    }
    const std::string& glb = report.files[0];
    report.next = {fmt::format("dermis info {} --nodes", shell_word(glb)),
                   fmt::format("dermis deform {} --clip walk --time 1 -o later.obj", shell_word(glb)),
                   fmt::format("dermis compare {} {} --clip 0 --time 0.5 --method lbs --method-b dqs",
                               shell_word(glb), shell_word(glb)),
                   "dermis make quadruped --points 50000 -o quadruped.glb"};
    return report;
  });
}

}  // namespace dermis
