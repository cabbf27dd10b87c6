// SPDX-License-Identifier: MIT
// The verb rig: a skeleton found inside a mesh, bound to it, and moved.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dermis/ops/rig.h"
#include "ops/animate/motion.h"
#include "ops/bind/bound.h"
#include "ops/rig/body.h"
#include "ops/rig/straighten.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// The joints that deform; end markers are not joints of a skin.
std::vector<Index> deforming(const FoundSkeleton& found, Index first_node) {
  std::vector<Index> nodes;
  for (std::size_t j = 0; j < found.joints.size(); ++j)
    if (!found.joints[j].is_end) nodes.push_back(first_node + static_cast<Index>(j));
  return nodes;
}

Result<AttachedBody> attach_joints(const FoundSkeleton& found, RigNames names, const Character& body) {
  Character skeleton = skeleton_character(found, names);
  skeleton.metres_per_unit = body.metres_per_unit;
  Skin skin;
  skin.node = deforming(found, 0);
  skin.inverse_bind.resize(skin.node.size());
  skeleton.skins.push_back(std::move(skin));
  return attach_skeleton(body, skeleton, {.scale = 1, .is_of_body = true});
}

// During its lifetime, worn or carried meshes have no skin, so they are not bound; afterwards each has one
// joint.
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
Status bind_body(const RigRequest& request, std::span<const Index> nodes, std::span<const SetAside> aside,
                 Character& character, const Progress& progress, RigReport& report) {
  const Result<BindSurface> surface = bind_surface(character, progress);
  if (!surface) return surface.error();
  const Result<BindSkeleton> skeleton = bind_skeleton(character, *surface, nodes, progress);
  if (!skeleton) return skeleton.error();
  const Result<StiffenedRows> bound =
      bound_rows({character, *surface, *skeleton, aside}, *request.method, request.binding, progress);
  if (!bound) return bound.error();
  report.stiff = bound->stiff;
  append(report.notes, bound->notes);
  append(report.notes, set_weights(character, *surface, *skeleton, bound->rows, request.max_influences));
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

// In rig, --up is the up axis of the body, and --unit its unit.
Notes notes_of_motion(Notes notes) {
  for (Note& note : notes) {
    std::erase_if(note.remedies, [](const Remedy& remedy) { return remedy.option == "unit"; });
    for (Remedy& remedy : note.remedies) {
      if (remedy.option == "up") remedy.option = "motion_up";
    }
  }
  return notes;
}

Status move_body(const RigRequest& request, const std::string& name, Character& character, const Run& run,
                 RigReport& report) {
  if (!request.motion) return Done{};
  Result<AppliedMotion> applied = apply_motion(*request.motion, character, name, run);
  if (!applied) {
    Error error = applied.error();
    error.sentence += "; without a motion the skeleton is written, and 'dermis animate' can move it";
    return error;
  }
  append(report.notes, notes_of_motion(std::move(applied->notes)));
  report.motion = request.motion->motion->name;
  report.clip = applied->clip;
  report.figures = applied->figures;
  add_doubt(applied->doubt, report);
  return validate(character);
}

// Twist joints for arms and legs, if requested.
Status spread_twists(int count, Character& character, const Progress& progress, RigReport& report) {
  if (count == 0) return Done{};
  const Result<std::vector<HelperRequest>> proposed = proposed_helpers(character, count, false, progress);
  if (!proposed) {
    if (proposed.error().code == Errc::cancelled) return proposed.error();
    report.notes.push_back({Note::Kind::loss, "twists-left-out",
                            fmt::format("no twist joints were added: {}", proposed.error().sentence)});
    return Done{};
  }
  const Result<AddedHelpers> added = add_helper_joints(character, *proposed, progress.part(1, 1));
  if (!added) return added.error();
  append(report.notes, added->notes);
  report.twist_joint_count = added->joints.size();
  return validate(character);
}

// Whether the skeleton is what the body needs.
Status judge_body(const Character& character, const Progress& progress, RigReport& report) {
  const Result<SkinInMotion> skin = measure_skin_in_motion(character, progress);
  if (!skin) return skin.error();
  report.judgement = judge_skeleton(report.skeleton, {skin->bleeding, skin->torn});
  if (report.judgement.confidence >= kLeastConfidence) return Done{};
  // The first few: the rest is in the report.
  constexpr std::size_t kReasons = 3;
  std::vector<std::string> reasons;
  for (const RigDoubt& doubt : report.judgement.doubts) {
    if (reasons.size() < kReasons) reasons.push_back(doubt.sentence);
  }
  add_doubt(fmt::format("confidence in the skeleton is {:.0f} %, because {}",
                        100 * report.judgement.confidence, fmt::join(reasons, ", ")),
            report);
  return Done{};
}

Status check_body(const Character& character, const Progress& progress, RigReport& report) {
  const Result<Checkup> checkup = check_character(character, {}, {}, progress);
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

// Why no skeleton was found, and where to see what was.
Result<RigReport> not_found(const RigJob& job, const UnriggedBody& unrigged, const Notes& reading,
                            const Error& error) {
  Error told = error;
  if (unrigged.seen.map.balls.empty()) {
    if (!job.report.empty()) told.sentence += "; there is nothing to show in a report";
  } else if (job.report.empty()) {
    told.remedies.push_back({"report"});
  } else {
    RigReport report;
    report.input = job.input;
    report.skeleton = unrigged.seen;
    report.notes = joined(reading, unrigged.notes);
    if (Status written = report_unrigged(job, report, error, unrigged.body); !written) return written.error();
    told.sentence += fmt::format("; {} shows what was seen", job.report);
  }
  return told;
}

}  // namespace

Result<RigReport> rig(Asset& asset, const RigRequest& request, const Run& run, UnriggedBody* unrigged) {
  return without_throwing(asset.name, [&]() -> Result<RigReport> {
    Stopwatch watch;
    RigReport report;
    report.input = asset.name;
    report.method = request.method->name;
    Result<RigBody> body = prepare_body(asset, request.groups, part_of(run, 0, 0.05), report.notes);
    if (!body) return body.error();
    FoundSkeleton seen;
    Result<FoundSkeleton> found =
        find_skeleton(body->points, body->triangles, request.find, run.progress.part(0.05, 0.4), &seen);
    if (!found) {
      if (unrigged != nullptr && found.error().code == Errc::bad_rig) {
        append(report.notes, seen.notes);
        *unrigged = {true, std::move(body->character), std::move(seen), std::move(report.notes)};
      }
      return prefixed(asset.name, found.error());
    }
    append(report.notes, found->notes);
    std::vector<Index> held = joints_of_props(*body, *found, report.notes);
    for (const FoundJoint& joint : found->joints)
      if (!joint.is_end) report.places.push_back({joint.name, joint.at});
    stand_upright(request.find.up.has_value(), body->character, *found, report.notes);
    Result<AttachedBody> attached = attach_joints(*found, request.names, body->character);
    if (!attached) return prefixed(asset.name, attached.error());
    append(report.notes, attached->notes);
    report.seconds_rigging = watch.lap();
    Character& character = attached->character;
    for (Index& joint : held) joint += attached->first_node;
    {
      const HeldProps props(body->props, std::move(held), character);
      const std::vector<Index> nodes = deforming(*found, attached->first_node);
      const Progress binding = run.progress.part(0.4, 0.8);
      if (Status bound = bind_body(request, nodes, found->aside, character, binding, report); !bound)
        return prefixed(asset.name, bound.error());
    }
    if (Status valid = validate(character); !valid) return prefixed(asset.name, valid.error());
    count_meshes(character, report);
    report.seconds_binding = watch.lap();
    report.skeleton = std::move(*found);
    // As in the file.
    for (std::size_t j = 0; j < report.skeleton.joints.size(); ++j)
      report.skeleton.joints[j].name = character.nodes[at(attached->first_node) + j].name;
    if (Status judged = judge_body(character, run.progress.part(0.8, 0.85), report); !judged)
      return prefixed(asset.name, judged.error());
    if (request.straighten) {
      std::optional<bool> has_four;
      if (report.skeleton.name == "quadruped") has_four = true;
      if (report.skeleton.name == "biped") has_four = false;
      if (Status straight =
              straighten_rig(*request.straighten, has_four, character, run.progress.part(0.85, 0.9), report);
          !straight)
        return prefixed(asset.name, straight.error());
    }
    report.seconds_straightening = watch.lap();
    if (Status done = spread_twists(request.twist_count, character, run.progress.part(0.9, 0.9), report);
        !done)
      return prefixed(asset.name, done.error());
    if (Status moved = move_body(request, asset.name, character, part_of(run, 0.9, 1), report); !moved)
      return moved.error();
    report.seconds_moving = watch.lap();
    if (Status checked = check_body(character, run.progress.part(1, 1), report); !checked)
      return prefixed(asset.name, checked.error());
    asset.character = std::move(character);
    asset.source = body->source;
    return report;
  });
}

Result<RigReport> rig(const RigJob& job) {
  return without_throwing(job.input, [&]() -> Result<RigReport> {
    // Errors that do not depend on the file are reported before it is read.
    Result<RigRequest> request = rig_request(job);
    if (!request) return request.error();
    if (job.motion.empty() && !job.clip.empty())
      return Error{Errc::usage, "a clip of the motion is named, but there is no motion"}.with_remedy(
          "motion");
    if (!job.motion.empty()) {
      if (Status good = check_motion(job.motion); !good) return good.error();
    }
    if (!request->find.up && job.run.up != UpAxis::guess)
      request->find.up = Vec3d{0, 1, 0};  // loading already turned it
    if (!job.suggested.empty()) {
      if (Status good =
              check_output(job.suggested, {job.input, job.motion, job.marker_file}, {".txt"}, job.run);
          !good)
        return good.error();
    }
    std::vector<RigMarker> places;
    FileJob files = job;
    // Binding already applies it, but not twist joints.
    if (job.twist_count == 0) files.save.max_influences = 0;
    FileVerb<RigReport> verb{.extensions = {".glb", ".gltf"},
                             .also_read = {job.motion, job.skeleton, job.marker_file}};
    verb.work = [&](Asset& asset, const FileRun& run) -> Result<RigReport> {
      if (Status posed = note_unusual_size(asset.character, run, asset.notes); !posed)
        return prefixed(asset.name, posed.error());
      for (RigMarker& marker : request->find.markers) marker.at = marker.at * asset.reading.scaled_by;
      OpenedMotion motion;
      if (!job.motion.empty()) {
        FileRun of_motion = part_of(run, 0, 0.1);
        of_motion.metres_per_unit = 0;  // the unit is that of the mesh
        Result<OpenedMotion> opened = open_motion(job.motion, job.clip, of_motion);
        if (!opened) return opened.error();
        motion = std::move(*opened);
        request->motion = MotionRequest{&motion.asset, motion.clip, {}};
      }
      UnriggedBody unrigged;
      Result<RigReport> report = rig(asset, *request, part_of(run, 0.1, 1), &unrigged);
      if (!report)
        return unrigged.is_searched ? not_found(job, unrigged, asset.notes, report.error()) : report;
      places = report->places;
      for (RigMarker& place : places) place.at = place.at * (1 / asset.reading.scaled_by);
      report->notes = joined(notes_of_motion(notes_of_file(job.motion, motion.asset.notes)), report->notes);
      return report;
    };
    verb.write = [&](const Asset& asset, const SaveOptions& options) -> Result<Notes> {
      Result<Notes> saved = save(files.output, asset, options);
      if (!saved || job.suggested.empty()) return saved;
      const std::string text = rig_markers_text(places);
      if (Status written = save_bytes(job.suggested, std::as_bytes(std::span(text))); !written)
        return written.error();
      return saved;
    };
    verb.page = [&](const Asset& asset, RigReport& report) {
      return report_rig(job, report, asset.character);
    };
    return run_on_files(files, verb);
  });
}

}  // namespace dermis
