// SPDX-License-Identifier: MIT
// The verb rig: a skeleton found inside a mesh, bound to it, and moved.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ops/motion.h"
#include "ops/page.h"
#include "ops/rig_body.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// ---- What the user asks for -----------------------------------------------------------------------------

Result<RigTemplate> load_template(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    return Error{Errc::unreadable, fmt::format("{}: the template cannot be read", path)};
  Result<RigTemplate> rig = parse_rig_template(text.str());
  if (!rig) return in_file(path, rig.error());
  return rig;
}

// The templates to try, and whether the body may do without one.
Status choose_templates(const RigJob& job, RigOptions& options) {
  const std::span<const RigTemplate> known = rig_templates();
  options.can_extract = job.skeleton == "auto" || job.skeleton == "extract";
  if (job.skeleton == "extract") return Done{};
  if (job.skeleton == "auto") {
    options.templates.assign(known.begin(), known.end());
    return Done{};
  }
  std::vector<std::string_view> names = {"auto", "extract"};
  for (const RigTemplate& rig : known) {
    names.emplace_back(rig.name);
    if (rig.name != job.skeleton) continue;
    options.templates = {rig};
    return Done{};
  }
  if (std::error_code error; !std::filesystem::is_regular_file(job.skeleton, error))
    return Error{Errc::usage, fmt::format("there is no template '{}' and no such file{}", job.skeleton,
                                          did_you_mean(job.skeleton, names))};
  Result<RigTemplate> own = load_template(job.skeleton);
  if (!own) return own.error();
  options.templates = {std::move(*own)};
  return Done{};
}

Result<RigMarker> parse_marker(const std::string& text) {
  const auto bad = [&] {
    return Error{Errc::usage,
                 fmt::format("the marker '{}' is not JOINT=X,Y,Z, as in hand_L=0.7,1.4,0", text)};
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return bad();
  RigMarker marker{text.substr(0, equals), {}};
  std::string numbers = text.substr(equals + 1);
  std::replace(numbers.begin(), numbers.end(), ',', ' ');
  std::istringstream words(numbers);
  std::string more;
  if (!(words >> marker.at.x >> marker.at.y >> marker.at.z) || words >> more || !is_finite(marker.at))
    return bad();
  return marker;
}

Result<Vec3d> parse_axis(const std::string& text) {
  static const std::array<std::pair<const char*, Vec3d>, 6> kAxes{{{"x", {1, 0, 0}},
                                                                   {"-x", {-1, 0, 0}},
                                                                   {"y", {0, 1, 0}},
                                                                   {"-y", {0, -1, 0}},
                                                                   {"z", {0, 0, 1}},
                                                                   {"-z", {0, 0, -1}}}};
  const std::string plain = text.starts_with('+') ? text.substr(1) : text;
  for (const auto& [name, axis] : kAxes)
    if (plain == name) return axis;
  return Error{Errc::usage, fmt::format("'{}' is no axis (x, -x, y, -y, z or -z)", text)};
}

Result<RigOptions> rig_options(const RigJob& job) {
  RigOptions options;
  if (Status good = choose_templates(job, options); !good) return good.error();
  if (job.names != "dermis" && job.names != "mixamo")
    return Error{Errc::usage,
                 fmt::format("there are no joint names '{}' (there are dermis and mixamo)", job.names)};
  for (const std::string& text : job.markers) {
    const Result<RigMarker> marker = parse_marker(text);
    if (!marker) return marker.error();
    options.markers.push_back(*marker);
  }
  if (!job.front.empty()) {
    const Result<Vec3d> front = parse_axis(job.front);
    if (!front) return front.error();
    options.front = *front;
  }
  if (job.run.load.up != UpAxis::guess) options.up = Vec3d{0, 1, 0};
  return options;
}

// ---- The work -------------------------------------------------------------------------------------------

// Binds the body to its new joints as `dermis bind` does.
Status bind_body(const RigJob& job, const BindMethodRow& method, const FoundSkeleton& found, Index first_node,
                 Character& character, const Progress& progress, RigReport& report) {
  std::vector<Index> nodes;
  for (std::size_t j = 0; j < found.joints.size(); ++j)
    if (!found.joints[j].is_end) nodes.push_back(first_node + static_cast<Index>(j));
  const Result<BindSurface> surface = bind_surface(character);
  if (!surface) return surface.error();
  const Result<BindSkeleton> skeleton = bind_skeleton(character, *surface, nodes);
  if (!skeleton) return skeleton.error();
  const Result<BoundRows> bound = method.bind(*surface, *skeleton, job.binding, progress);
  if (!bound) return bound.error();
  append(report.notes, bound->notes);
  const int most = job.save.max_influences == 0 ? kBindInfluences : job.save.max_influences;
  append(report.notes, set_weights(character, *surface, *skeleton, bound->rows, most));
  report.bound_joint_count = skeleton->joint_count();
  report.mesh_count = surface->instances.size();
  for (const Index i : surface->instances)
    report.point_count += character.meshes[at(character.instances[at(i)].mesh)].points.size();
  return validate(character);
}

MotionRequest motion_of(const RigJob& job) { return {job.motion, job.clip, {}, {}, {}}; }

Status move_body(const RigJob& job, Character& character, const RunOptions& run, RigReport& report) {
  if (job.motion.empty()) return Done{};
  Result<AppliedMotion> applied = apply_motion(motion_of(job), character, job.input, run);
  if (!applied) return applied.error();
  append(report.notes, applied->notes);
  report.clip = applied->clip;
  report.figures = applied->figures;
  return validate(character);
}

Status check_body(const Character& character, RigReport& report) {
  const Result<Checkup> checkup = check_character(character, {}, {});
  if (!checkup) return checkup.error();
  for (const Finding& finding : checkup->findings) {
    report.error_count += finding.severity == Severity::error ? 1 : 0;
    report.warning_count += finding.severity == Severity::warning ? 1 : 0;
  }
  return Done{};
}

}  // namespace

std::string rig_template_names() {
  std::string names = "auto, extract";
  for (const RigTemplate& rig : rig_templates()) names += ", " + rig.name;
  return names;
}

Result<Character> rig_asset(const Asset& asset, const RigJob& job, const RunOptions& run, RigReport& report) {
  const Result<const BindMethodRow*> method = find_bind_method(job.method);
  if (!method) return method.error();
  const Result<RigOptions> options = rig_options(job);
  if (!options) return options.error();
  report.input = job.input;
  report.output = job.output;
  report.motion = job.motion;
  report.method = job.method;
  Stopwatch watch;
  Result<RigBody> body = prepare_body(asset, job, run, report.notes);
  if (!body) return body.error();
  Result<FoundSkeleton> found =
      find_skeleton(body->points, body->triangles, *options, run.progress.part(0, 0.4));
  if (!found) return in_file(job.input, found.error());
  append(report.notes, found->notes);
  stand_upright(body->character, *found, report.notes);
  Character skeleton =
      skeleton_character(*found, job.names == "mixamo" ? RigNames::mixamo : RigNames::dermis);
  skeleton.metres_per_unit = body->character.metres_per_unit;
  Result<AttachedBody> attached = attach_skeleton(body->character, skeleton, {1});
  if (!attached) return in_file(job.input, attached.error());
  append(report.notes, attached->notes);
  report.seconds_rigging = watch.lap();
  Character character = std::move(attached->character);
  const Progress binding = run.progress.part(0.4, 0.8);
  if (Status bound = bind_body(job, **method, *found, attached->first_node, character, binding, report);
      !bound)
    return in_file(job.input, bound.error());
  report.seconds_binding = watch.lap();
  report.skeleton = std::move(*found);
  if (Status moved = move_body(job, character, part_of(run, 0.8, 1), report); !moved) return moved.error();
  report.seconds_moving = watch.lap();
  if (Status checked = check_body(character, report); !checked) return in_file(job.input, checked.error());
  return character;
}

Result<RigReport> rig(const RigJob& job) {
  return without_throwing(job.input, [&]() -> Result<RigReport> {
    // What is wrong whatever the file is said before it is read.
    if (const Result<const BindMethodRow*> method = find_bind_method(job.method); !method)
      return method.error();
    if (const Result<RigOptions> options = rig_options(job); !options) return options.error();
    if (!job.motion.empty()) {
      if (Status good = check_motion(motion_of(job), {job.input}, job.run); !good) return good.error();
    }
    if (Status good = check_output(job.output, {job.input, job.motion}, {".glb", ".gltf"}, job.run); !good)
      return good.error();
    if (Status good = check_report(job.report, {job.input, job.motion}, job.run); !good) return good.error();
    Stopwatch watch;
    RigReport report;
    const RunOptions run = before_report(job.run, job.report);
    const Result<Asset> asset = load(job.input, run.load, run.progress.part(0, 0.1));
    if (!asset) return asset.error();
    report.notes = asset->notes;
    report.seconds_loading = watch.lap();
    Result<Character> character = rig_asset(*asset, job, part_of(run, 0.1, 0.95), report);
    if (!character) return character.error();
    const Asset rigged{std::move(*character), {}, nullptr};
    SaveOptions saving = job.save;
    if (!saving.weights) saving.weights = WeightFormat::float32;
    if (saving.max_influences == 0) saving.max_influences = kBindInfluences;
    saving.overwrite_side_files = job.run.force;
    watch.lap();
    const Result<Notes> saved = save(job.output, rigged, saving);
    if (!saved) return saved.error();
    append(report.notes, *saved);
    report.seconds_saving = watch.lap();
    if (Status done = report_rig(job, report, rigged.character); !done) return done.error();
    return report;
  });
}

}  // namespace dermis
