// SPDX-License-Identifier: MIT
// The verb rig: a skeleton found inside a mesh, bound to it, and moved.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "dermis/ops/bind.h"
#include "dermis/ops/rig.h"
#include "ops/motion.h"
#include "ops/page.h"
#include "ops/rig_body.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// ---- What the user asks for -----------------------------------------------------------------------------

Result<RigTemplate> load_template(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad())
    return Error{Errc::unreadable, fmt::format("{}: the template cannot be read", path)};
  Result<RigTemplate> rig = parse_rig_template(text);
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
                 fmt::format("the marker '{}' is not JOINT=X,Y,Z, as in wrist_L=0.7,1.4,0", text)};
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
  for (const auto& [text, axis] : {std::pair{&job.up, &options.up}, std::pair{&job.front, &options.front}}) {
    if (text->empty()) continue;
    const Result<Vec3d> asked = parse_axis(*text);
    if (!asked) return asked.error();
    *axis = *asked;
  }
  if (job.up.empty() && job.run.load.up != UpAxis::guess) options.up = Vec3d{0, 1, 0};  // loading turned it
  return options;
}

// ---- The work -------------------------------------------------------------------------------------------

// The joints that deform; what only marks an end is no joint of a skin.
std::vector<Index> deforming(const FoundSkeleton& found, Index first_node) {
  std::vector<Index> nodes;
  for (std::size_t j = 0; j < found.joints.size(); ++j)
    if (!found.joints[j].is_end) nodes.push_back(first_node + static_cast<Index>(j));
  return nodes;
}

Result<AttachedBody> attach_joints(const RigJob& job, const FoundSkeleton& found, const Character& body) {
  Character skeleton = skeleton_character(found, job.names == "mixamo" ? RigNames::mixamo : RigNames::dermis);
  skeleton.metres_per_unit = body.metres_per_unit;
  Skin skin;
  skin.node = deforming(found, 0);
  skin.inverse_bind.resize(skin.node.size());
  skeleton.skins.push_back(std::move(skin));
  return attach_skeleton(body, skeleton, {1});
}

// While it lives, what is worn or carried has no skin, and is not bound like one; then it has one joint.
class HeldProps {
 public:
  HeldProps(const std::vector<RigBody::Prop>& props, std::vector<Index> nodes, Character& character)
      : nodes_(std::move(nodes)), character_(character) {
    for (const RigBody::Prop& prop : props) {
      instances_.push_back(prop.instance);
      skins_.push_back(std::exchange(character.instances[at(prop.instance)].skin, kNone));
    }
  }
  ~HeldProps() {
    for (std::size_t k = 0; k < instances_.size(); ++k) {
      Instance& instance = character_.instances[at(instances_[k])];
      instance.skin = skins_[k];
      if (instance.skin == kNone) continue;  // without a point
      const std::vector<Index>& joints = character_.skins[at(instance.skin)].node;
      const auto slot = std::find(joints.begin(), joints.end(), nodes_[k]) - joints.begin();
      Mesh& mesh = character_.meshes[at(instance.mesh)];
      for (Influence& influence : mesh.weights.influences) influence.slot = static_cast<Index>(slot);
    }
  }
  HeldProps(const HeldProps&) = delete;
  HeldProps& operator=(const HeldProps&) = delete;

 private:
  std::vector<Index> instances_, skins_, nodes_;
  Character& character_;
};

// Binds the body to its new joints as `dermis bind` does.
Status bind_body(const RigJob& job, const BindMethodRow& method, std::span<const Index> nodes,
                 Character& character, const Progress& progress, RigReport& report) {
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
  return Done{};
}

void count_meshes(const Character& character, RigReport& report) {
  std::vector<bool> is_counted(character.meshes.size());
  for (const Instance& instance : character.instances) {
    if (instance.skin == kNone || is_counted[at(instance.mesh)]) continue;
    is_counted[at(instance.mesh)] = true;
    ++report.mesh_count;
    report.point_count += character.meshes[at(instance.mesh)].points.size();
  }
}

MotionRequest motion_of(const RigJob& job) { return {job.motion, job.clip, {}, {}, {}}; }

Status move_body(const RigJob& job, Character& character, const RunOptions& run, RigReport& report) {
  if (job.motion.empty()) return Done{};
  Result<AppliedMotion> applied = apply_motion(motion_of(job), character, job.input, run);
  if (!applied) {
    return Error{applied.error().code,
                 fmt::format("{}; without --motion the skeleton is written, and 'dermis animate' moves it",
                             applied.error().sentence)};
  }
  for (Note note : applied->notes) {
    // Here, --up is of the body.
    if (note.id == "up-axis-guessed") note.sentence += " to 'dermis animate'";
    report.notes.push_back(std::move(note));
  }
  report.clip = applied->clip;
  report.figures = applied->figures;
  return validate(character);
}

Status check_body(const Character& character, RigReport& report) {
  const Result<Checkup> checkup = check_character(character, {}, {});
  if (!checkup) return checkup.error();
  for (const Finding& finding : checkup->findings) {
    if (finding.severity == Severity::info) continue;
    ++(finding.severity == Severity::error ? report.error_count : report.warning_count);
    const auto known =
        std::find_if(report.findings.begin(), report.findings.end(),
                     [&](const RigReport::Found& found) { return found.rule == finding.rule; });
    if (known == report.findings.end())
      report.findings.push_back({finding.rule, finding.severity, 1});
    else
      ++known->count;
  }
  return Done{};
}

// Why nothing was found, with the picture of what was seen.
Error not_found(const RigJob& job, FoundSkeleton seen, const Character& body, const Error& error,
                RigReport& report) {
  if (error.code != Errc::bad_rig) return in_file(job.input, error);
  std::string sentence = error.sentence;
  if (seen.map.balls.empty()) {
    if (!job.report.empty()) sentence += "; there is nothing to show in a report";
  } else if (job.report.empty()) {
    sentence += "; --report FILE.html shows what was seen";
  } else {
    report.skeleton = std::move(seen);
    append(report.notes, report.skeleton.notes);
    if (Status written = report_unrigged(job, report, error, body); !written) return written.error();
    sentence += fmt::format("; {} shows what was seen", job.report);
  }
  return in_file(job.input, {error.code, sentence});
}

}  // namespace

std::string rig_template_names() {
  std::string names = "auto, extract";
  for (const RigTemplate& rig : rig_templates()) names += ", " + rig.name;
  return names;
}

Result<Asset> rig_asset(const Asset& asset, const RigJob& job, const RunOptions& run, RigReport& report) {
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
  FoundSkeleton seen;
  Result<FoundSkeleton> found =
      find_skeleton(body->points, body->triangles, *options, run.progress.part(0, 0.4), &seen);
  if (!found) return not_found(job, std::move(seen), body->character, found.error(), report);
  append(report.notes, found->notes);
  std::vector<Index> held = joints_of_props(*body, *found, report.notes);
  Asset rigged;
  stand_upright(job, body->character, *found, report.notes);
  Result<AttachedBody> attached = attach_joints(job, *found, body->character);
  if (!attached) return in_file(job.input, attached.error());
  // The joints were found in this mesh: however little of it they span, they are of its size.
  std::copy_if(attached->notes.begin(), attached->notes.end(), std::back_inserter(report.notes),
               [](const Note& note) { return note.id != "sizes-differ"; });
  report.seconds_rigging = watch.lap();
  Character& character = rigged.character = std::move(attached->character);
  rigged.source = body->source;
  for (Index& joint : held) joint += attached->first_node;
  {
    const HeldProps props(body->props, std::move(held), character);
    const std::vector<Index> nodes = deforming(*found, attached->first_node);
    const Progress binding = run.progress.part(0.4, 0.8);
    if (Status bound = bind_body(job, **method, nodes, character, binding, report); !bound)
      return in_file(job.input, bound.error());
  }
  if (Status valid = validate(character); !valid) return in_file(job.input, valid.error());
  count_meshes(character, report);
  report.seconds_binding = watch.lap();
  report.skeleton = std::move(*found);
  // As the file has them.
  for (std::size_t j = 0; j < report.skeleton.joints.size(); ++j)
    report.skeleton.joints[j].name = character.nodes[at(attached->first_node) + j].name;
  if (Status moved = move_body(job, character, part_of(run, 0.8, 1), report); !moved) return moved.error();
  report.seconds_moving = watch.lap();
  if (Status checked = check_body(character, report); !checked) return in_file(job.input, checked.error());
  return rigged;
}

Result<RigReport> rig(const RigJob& job) {
  return without_throwing(job.input, [&]() -> Result<RigReport> {
    // What is wrong whatever the file is said before it is read.
    if (const Result<const BindMethodRow*> method = find_bind_method(job.method); !method)
      return method.error();
    if (const Result<RigOptions> options = rig_options(job); !options) return options.error();
    if (job.motion.empty() && !job.clip.empty())
      return Error{Errc::usage, "--clip names a clip of the motion; give one with --motion"};
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
    const Result<Asset> rigged = rig_asset(*asset, job, part_of(run, 0.1, 0.95), report);
    if (!rigged) return rigged.error();
    SaveOptions saving = job.save;
    saving.max_influences = 0;  // binding kept to it
    saving.overwrite_side_files = job.run.force;
    watch.lap();
    const Result<Notes> saved = save(job.output, *rigged, saving);
    if (!saved) return saved.error();
    append(report.notes, *saved);
    report.seconds_saving = watch.lap();
    if (Status done = report_rig(job, report, rigged->character); !done) return done.error();
    return report;
  });
}

}  // namespace dermis
