// SPDX-License-Identifier: MIT
// The verb bind: automatic weights for a mesh and a skeleton.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "dermis/ops/bind.h"
#include "ops/bind/bound.h"
#include "ops/bind/fit.h"
#include "ops/page/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// The share of the time that fitting a skeleton takes, for the progress bar.
constexpr double kFitShare = 0.35;

// The joints that get weights.
struct BoundJoints {
  std::vector<Index> nodes;
  std::vector<std::string> labels;  // in the asset they come from
};

// The joints that get weights, and those that do not and why, by the labels of their own file.
BoundJoints name_joints(const Character& character, const DeformingJoints& joints, BindReport& report) {
  BoundJoints bound{joints.nodes, {}};
  const std::vector<std::string> labels = node_labels(character);
  for (const Index node : joints.nodes) bound.labels.push_back(labels[at(node)]);
  for (const DeformingJoints::Idle& idle : joints.idle)
    report.idle.push_back({labels[at(idle.node)], name_of(idle.reason)});
  return bound;
}

// A few of many.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown)));
  return names.size() > kShown ? fmt::format("{} and {} more", fmt::join(shown, ", "), names.size() - kShown)
                               : fmt::format("{}", fmt::join(shown, ", "));
}

// Joints that share a name are referred to by number, also in the output.
void note_shared_names(const Character& character, const DeformingJoints& joints, const std::string& file,
                       BindReport& report) {
  struct Use {
    std::size_t count = 0;
    bool is_joint = false;
  };
  std::map<std::string_view, Use> uses;
  for (const Node& node : character.nodes) ++uses[node.name].count;
  for (const Index node : joints.nodes) uses[character.nodes[at(node)].name].is_joint = true;
  std::vector<std::string> shared;
  std::size_t count = 0;
  for (const auto& [name, use] : uses) {
    if (use.count < 2 || !use.is_joint) continue;
    shared.push_back(quoted_name(name));
    count += use.count;
  }
  if (shared.empty()) return;
  report.notes.push_back(
      {Note::Kind::info, "names-shared",
       fmt::format("{}: {} share {}; refer to them by number (#12)", file, counted(count, "node", "nodes"),
                   shared.size() == 1 ? "the name " + shared[0] : "names: " + some_of(shared)),
       "", -1, -1, count});
}

// A character with the joints to bind to.
struct BoundBody {
  Character character;
  BoundJoints joints;
  JointsInBody in_body;
};

// Leaves out joints that only control others, to judge by their places: of `unproven` nodes (rising), which
// neither weights nor the user show to deform. If hardly a joint lies in the body, places mean nothing.
Status leave_out_controls(std::span<const Index> unproven, const Progress& progress, BoundBody& body,
                          BindReport& report) {
  if (body.in_body.outside_share() >= kDoubtedOutside) return Done{};
  BindSkeleton& skeleton = body.in_body.skeleton;
  std::vector<DeformingJoints::Idle> controls =
      controls_by_place(body.in_body.surface, skeleton, body.in_body.outside);
  std::erase_if(controls, [&](const DeformingJoints::Idle& idle) {
    return !std::binary_search(unproven.begin(), unproven.end(), idle.node);
  });
  if (controls.empty() || controls.size() == skeleton.joint_count()) return Done{};
  BoundJoints kept;
  std::vector<Index> number(skeleton.joint_count(), kNone);
  auto control = controls.begin();
  for (std::size_t j = 0; j < number.size(); ++j) {
    if (control != controls.end() && control->node == body.joints.nodes[j]) {
      report.idle.push_back({body.joints.labels[j], name_of(control++->reason)});
      continue;
    }
    number[j] = static_cast<Index>(kept.nodes.size());
    kept.nodes.push_back(body.joints.nodes[j]);
    kept.labels.push_back(body.joints.labels[j]);
  }
  body.joints = std::move(kept);
  for (Index& joint : body.in_body.outside) joint = number[at(joint)];
  std::erase(body.in_body.outside, kNone);
  Result<BindSkeleton> rest =
      bind_skeleton(body.character, body.in_body.surface, body.joints.nodes, progress);
  if (!rest) return rest.error();
  skeleton = std::move(*rest);
  return Done{};
}

// With the joints of the asset itself.
Result<BoundBody> own_body(const Asset& asset, const BindRequest& request, const Run& run,
                           BindReport& report) {
  if (request.attach.scale > 0)
    return Error{Errc::usage, "only the joints of another file are scaled"}
        .with_remedy("without_scale")
        .with_remedy("skeleton");
  if (asset.character.skins.empty())
    return Error{
        Errc::bad_rig,
        fmt::format("{}: has no skeleton; name a file with joints (.glb, .bvh or any other)", asset.name)}
        .with_remedy("skeleton");
  const Result<DeformingJoints> joints =
      deforming_joints(asset.character, request.joints, asset.reading.unweighted_meshes);
  if (!joints) return prefixed(asset.name, joints.error());
  append(report.notes, joints->notes);
  BoundBody body;
  body.character = asset.character;
  body.joints = name_joints(asset.character, *joints, report);
  Result<JointsInBody> in_body = place_joints(asset.character, body.joints.nodes, run.progress);
  if (!in_body) return prefixed(asset.name, in_body.error());
  body.in_body = std::move(*in_body);
  if (Status judged = leave_out_controls(joints->unproven, run.progress, body, report); !judged)
    return prefixed(asset.name, judged.error());
  return body;
}

std::string inside_text(const JointsInBody& joints) {
  const std::size_t count = joints.skeleton.joint_count();
  return fmt::format("{} of {}", count - joints.outside.size(), counted(count, "joint", "joints"));
}

// A skeleton that is three times as large as the body, or a third of it. Of a few joints nobody expects that
// they reach through the body: a hinge, a jaw.
bool is_of_other_size(const LaidSkeleton& laid) {
  constexpr std::size_t kWholeBody = 8;
  constexpr double kOtherSize = 3;
  if (laid.joints.skeleton.joint_count() < kWholeBody) return false;
  Box joints, body;
  for (const JointSegment& segment : laid.joints.skeleton.segments) joints.add(segment.from);
  for (const Vec3& point : laid.joints.surface.points) body.add(Vec3d(point));
  const double ratio = body.diagonal() > 0 ? joints.diagonal() / body.diagonal() : 1;
  return ratio > kOtherSize || ratio < 1 / kOtherSize;
}

// What was done to a skeleton that lay elsewhere.
void note_fit(const SkeletonInBody& in_body, const JointsInBody& before, const JointsInBody& after,
              BindReport& report) {
  const BindReport::Fit& fit = in_body.fit;
  const std::string joints =
      fit.how == "box"
          ? "with its box in the body's, because its joints show no body"
          : fmt::format("{} placed as in a {} found in the body, {} carried along",
                        counted(fit.placed_count, "joint", "joints"), fit.how, fit.carried_count);
  const std::size_t clips = in_body.skeleton.clips.size();
  const std::string clip_words =
      clips == 0 ? "" : fmt::format("; {} the new lengths", clips == 1 ? "its clip has" : "its clips have");
  report.notes.push_back(Note{Note::Kind::guess, "skeleton-fitted",
                              fmt::format("the skeleton lay elsewhere or had another size ({} in the body) "
                                          "and was fitted: turned by {:.0f} degrees, "
                                          "scaled by {:.3g}, {}; {} now in the body{}",
                                          inside_text(before), degrees_from_radians(fit.turn), fit.scale,
                                          joints, inside_text(after), clip_words)}
                             .with_remedy("no_fit"));
  append(report.notes, in_body.notes);
  if (!in_body.doubts.empty())
    report.doubt =
        fmt::format("the skeleton was fitted to a {} found with a confidence of {:.0f} %, because {}",
                    fit.how, 100 * fit.confidence, in_body.doubts.front());
}

// Fits a skeleton of which too little lies in the body; keeps it as it is if that does not help.
Status fit_laid(const Asset& asset, const BindRequest& request, std::span<const Index> nodes, const Run& run,
                LaidSkeleton& laid, BindReport& report) {
  Result<FitOutcome> outcome =
      fit_to_body(request.skeleton->character, laid, nodes, request.up, run.progress.part(0, kFitShare));
  if (!outcome) return outcome.error();
  if (outcome->fitted) {
    SkeletonInBody& fitted = *outcome->fitted;
    Result<LaidSkeleton> relaid =
        lay_skeleton(asset.character, fitted.skeleton, nodes, {.scale = 1, .is_of_body = true},
                     run.progress.part(kFitShare, 1));
    if (!relaid) return relaid.error();
    const bool is_resized = is_of_other_size(laid) && relaid->joints.outside_share() < kDoubtedOutside;
    if (is_resized || relaid->joints.outside.size() < laid.joints.outside.size()) {
      fitted.fit.outside_share = laid.joints.outside_share();
      report.fit = fitted.fit;
      note_fit(fitted, laid.joints, relaid->joints, report);
      laid = std::move(*relaid);
      return Done{};
    }
    outcome->reason = "no more of its joints would lie in the body";
  }
  report.notes.push_back(
      {Note::Kind::guess, "skeleton-not-fitted",
       fmt::format(
           "the skeleton lies elsewhere or has another size ({} in the body) and could not be fitted: {}",
           inside_text(laid.joints), outcome->reason)});
  return Done{};
}

// With the joints of another asset, added to the asset's character.
Result<BoundBody> attached_body(const Asset& asset, const BindRequest& request, const Run& run,
                                BindReport& report) {
  const Asset& skeleton = *request.skeleton;
  if (Status going = run.progress.at("choosing joints", 0); !going) return going.error();
  const Result<DeformingJoints> joints =
      deforming_joints(skeleton.character, request.joints, skeleton.reading.unweighted_meshes);
  if (!joints) return prefixed(skeleton.name, joints.error());
  append(report.notes, notes_of_file(skeleton.name, joints->notes));
  if (!skeleton.reading.has_told_names) note_shared_names(skeleton.character, *joints, skeleton.name, report);
  if (Status fits = check_copies(asset.character, asset.name, run); !fits) return fits.error();
  Result<LaidSkeleton> laid =
      lay_skeleton(asset.character, skeleton.character, joints->nodes, request.attach, run.progress);
  if (!laid) return prefixed(asset.name, laid.error());
  const bool is_asked = request.fits && !(request.attach.scale > 0);
  if (is_asked && (laid->joints.outside_share() >= kDoubtedOutside || is_of_other_size(*laid))) {
    if (Status fitted = fit_laid(asset, request, joints->nodes, run, *laid, report); !fitted)
      return prefixed(asset.name, fitted.error());
  }
  append(report.notes, laid->attached.notes);
  BoundBody body;
  body.joints = name_joints(skeleton.character, *joints, report);
  for (Index& node : body.joints.nodes) node += laid->attached.first_node;
  body.in_body = std::move(laid->joints);
  body.character = std::move(laid->attached.character);
  std::vector<Index> unproven = joints->unproven;
  for (Index& node : unproven) node += laid->attached.first_node;
  if (Status judged = leave_out_controls(unproven, run.progress, body, report); !judged)
    return prefixed(asset.name, judged.error());
  return body;
}

// Notes joints and a mesh that do not seem to belong together.
void note_strange_places(const BoundBody& body, BindReport& report) {
  // A few joints outside are usual (eye targets, capes, toes); from this share on, it is doubtful.
  constexpr double kDoubtful = 0.25;
  const std::vector<Index>& outside = body.in_body.outside;
  const std::size_t joint_count = body.in_body.skeleton.joint_count();
  if (outside.empty()) return;
  std::vector<std::string> names;
  names.reserve(outside.size());
  for (const Index joint : outside) names.push_back(quoted_name(body.joints.labels[at(joint)]));
  const double share = body.in_body.outside_share();
  const bool is_doubtful = share > kDoubtful;
  report.outside_share = share;
  if (share >= kDoubtedOutside)
    report.doubt =
        fmt::format("{} of {} outside the body, so mesh and skeleton hardly belong together as they lie",
                    outside.size(), counted(joint_count, "joint is", "joints are"));
  std::string words =
      fmt::format("{} of {} outside the body ({:.0f} %): {}", outside.size(),
                  counted(joint_count, "joint is", "joints are"), 100 * share, some_of(names));
  if (is_doubtful)
    words +=
        ". Were mesh and skeleton made for each other, in the same unit, place and pose? Each point still "
        "follows the nearest joints";
  report.notes.push_back({is_doubtful ? Note::Kind::guess : Note::Kind::info, "joints-outside", words, "", -1,
                          -1, outside.size()});
}

// Notes joints that cannot be told apart, as in a skeleton whose lengths were lost.
void note_one_place(const BindSkeleton& skeleton, BindReport& report) {
  if (skeleton.joint_count() < 2) return;
  const JointSegment& first = skeleton.segments[0];
  const auto is_first = [&](const JointSegment& s) { return s.from == first.from; };
  if (!std::all_of(skeleton.segments.begin(), skeleton.segments.end(), is_first)) return;
  report.notes.push_back({Note::Kind::guess, "joints-at-one-place",
                          fmt::format("all {} joints are at one place, so points cannot be assigned to them; "
                                      "were the lengths of the skeleton lost?",
                                      skeleton.joint_count()),
                          "", -1, -1, skeleton.joint_count()});
}

// Notes meshes without a surface to spread weights along.
void note_bare_meshes(const Character& character, const BindSurface& surface, BindReport& report) {
  for (const Index i : surface.instances) {
    const Index number = character.instances[at(i)].mesh;
    const Mesh& mesh = character.meshes[at(number)];
    Box box;
    for (const Vec3& point : mesh.points) box.add(Vec3d(point));
    const bool is_one_place = !(box.diagonal() > 0);
    if (mesh.polygons.count() > 0 && !is_one_place) continue;
    report.notes.push_back(
        {Note::Kind::info, is_one_place ? "mesh-no-size" : "mesh-no-polygons",
         fmt::format("mesh {} {} {}: each of its points follows the nearest joint or surface", number,
                     quoted_name(mesh.name),
                     is_one_place ? "has all its points at one place" : "has no polygons"),
         "mesh", number});
  }
}

// Which joints the points really follow. Requested joints that no point follows are added to the idle ones.
void count_joints(const Character& character, const BindSurface& surface, const BoundJoints& joints,
                  BindReport& report) {
  std::vector<bool> is_followed(character.nodes.size());
  for (const Index i : surface.instances) {
    const Instance& instance = character.instances[at(i)];
    const Skin& skin = character.skins[at(instance.skin)];
    for (const Influence& one : character.meshes[at(instance.mesh)].weights.influences)
      is_followed[at(skin.node[at(one.slot)])] = true;
  }
  report.joint_count = static_cast<std::size_t>(std::count(is_followed.begin(), is_followed.end(), true));
  const auto only = std::find(is_followed.begin(), is_followed.end(), true);
  if (report.joint_count == 1 && joints.nodes.size() > 2 && report.doubt.empty())
    report.doubt = fmt::format(
        "of {} all points follow one, {}, so nothing bends", counted(joints.nodes.size(), "joint", "joints"),
        quoted_name(character.nodes[static_cast<std::size_t>(only - is_followed.begin())].name));
  for (std::size_t j = 0; j < joints.nodes.size(); ++j) {
    if (!is_followed[at(joints.nodes[j])])
      report.idle.push_back({joints.labels[j], name_of(IdleReason::unreached)});
  }
}

void count_influences(const Character& character, const BindSurface& surface, BindReport& report) {
  for (const Index i : surface.instances) {
    const Mesh& mesh = character.meshes[at(character.instances[at(i)].mesh)];
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      const std::size_t count = mesh.weights.row(v).size();
      if (report.points_by_influences.size() <= count) report.points_by_influences.resize(count + 1);
      ++report.points_by_influences[count];
    }
    report.point_count += mesh.points.size();
  }
  report.mesh_count = surface.instances.size();
  report.shell_count = surface.shell_count;
}

template <class Method>
constexpr BindMethodRow row(const char* name, const char* idea, const char* suits, const char* limits,
                            const char* paper, Method method) {
  return {name, idea, suits, limits, paper, method};
}

constexpr std::array kBindMethods{
    row("heat", "heat from the visible joints, in equilibrium along the skin",
        "everything; the default, because it measures best", "weights of a shell ignore the other shells",
        "Baran, Popovic 2007",
        [](const BindSurface& surface, const BindSkeleton& skeleton, const BindOptions& options,
           const Progress& progress) { return bind_heat(surface, skeleton, options.heat, progress); }),
    row("voxel", "distances from the joints through the body",
        "bodies with many shells that touch and overlap", "weights reach far along limbs",
        "Dionne, de Lasa 2013",
        [](const BindSurface& surface, const BindSkeleton& skeleton, const BindOptions& options,
           const Progress& progress) { return bind_voxel(surface, skeleton, options.voxel, progress); }),
    row("biharmonic", "the smoothest weights between 0 and 1 on a lattice that fills the body",
        "round, soft bodies with few joints",
        "limbs thinner than a few cells share them; takes seconds, not tenths",
        "Jacobson, Baran, Popovic, Sorkine 2011",
        [](const BindSurface& surface, const BindSkeleton& skeleton, const BindOptions& options,
           const Progress& progress) {
          return bind_biharmonic(surface, skeleton, options.biharmonic, progress);
        }),
    row("distance", "all joints within an envelope around the nearest", "soft, simple shapes",
        "reaches across gaps: fingers, thighs, an arm next to the chest", "-",
        [](const BindSurface& surface, const BindSkeleton& skeleton, const BindOptions& options,
           const Progress& progress) {
          return bind_distance(surface, skeleton, options.distance, progress);
        }),
    row("rigid", "only the nearest joint", "robots, armour, props", "creases at every joint", "-",
        [](const BindSurface& surface, const BindSkeleton& skeleton, const BindOptions&,
           const Progress& progress) { return bind_rigid(surface, skeleton, progress); }),
};

}  // namespace

std::span<const BindMethodRow> bind_methods() { return kBindMethods; }

Result<const BindMethodRow*> find_bind_method(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(kBindMethods.size());
  for (const BindMethodRow& method : kBindMethods) {
    if (name == method.name) return &method;
    names.emplace_back(method.name);
  }
  return Error{Errc::usage, fmt::format("there is no binding method '{}'{} (there are {})", name,
                                        did_you_mean(name, names), fmt::join(names, ", "))};
}

Result<BindReport> bind(Asset& asset, const BindRequest& request, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<BindReport> {
    Stopwatch watch;
    BindReport report;
    report.input = asset.name;
    report.skeleton = request.skeleton == nullptr ? asset.name : request.skeleton->name;
    report.method = request.method->name;
    report.max_influences = request.max_influences;
    if (std::all_of(asset.character.meshes.begin(), asset.character.meshes.end(),
                    [](const Mesh& mesh) { return mesh.points.empty(); }))
      return Error{Errc::bad_rig,
                   fmt::format("{}: has no mesh to bind; name the file with the skin first, and the one with "
                               "the joints as its skeleton",
                               asset.name)}
          .with_remedy("skeleton");
    Result<BoundBody> body = request.skeleton == nullptr ? own_body(asset, request, run, report)
                                                         : attached_body(asset, request, run, report);
    if (!body) return body.error();
    Character& character = body->character;
    const BindSurface& surface = body->in_body.surface;
    const BindSkeleton& skeleton = body->in_body.skeleton;
    note_bare_meshes(character, surface, report);
    note_strange_places(*body, report);
    note_one_place(skeleton, report);
    const Progress binding = run.progress.part(report.fit ? kFitShare : 0, 1);
    const Result<StiffenedRows> bound =
        bound_rows({character, surface, skeleton}, *request.method, request.options, binding);
    if (!bound) return prefixed(asset.name, bound.error());
    report.stiff = bound->stiff;
    append(report.notes, bound->notes);
    append(report.notes, set_weights(character, surface, skeleton, bound->rows, report.max_influences));
    if (const Status valid = validate(character); !valid) return prefixed(asset.name, valid.error());
    count_influences(character, surface, report);
    count_joints(character, surface, body->joints, report);
    asset.character = std::move(character);
    report.seconds_binding = watch.lap();
    return report;
  });
}

Result<BindReport> bind(const BindJob& job) {
  return without_throwing(job.input, [&]() -> Result<BindReport> {
    const Result<const BindMethodRow*> method = find_bind_method(job.method);
    if (!method) return method.error();
    const bool is_own = job.skeleton.empty() || is_one_file(job.skeleton, job.input);
    FileJob files = job;
    files.save.max_influences = 0;  // binding already applies it
    FileVerb<BindReport> verb{.extensions = {".glb", ".gltf"}, .also_read = {job.skeleton}};
    verb.names_files = !is_own;
    verb.work = [&](Asset& asset, const FileRun& run) -> Result<BindReport> {
      BindRequest request;
      request.method = *method;
      request.joints = job.joints;
      request.attach = job.attach;
      request.fits = job.fits;
      if (job.run.up != UpAxis::guess) request.up = Vec3d{0, 1, 0};  // loading already turned it
      request.options = job.options;
      if (job.save.max_influences > 0) request.max_influences = job.save.max_influences;
      if (is_own) return noting_correctives(asset, [&] { return bind(asset, request, run); });
      const Result<Asset> skeleton = open_file(job.skeleton, part_of(run, 0, kLoaded));
      if (!skeleton) return skeleton.error();
      request.skeleton = &*skeleton;
      Result<BindReport> report =
          noting_correctives(asset, [&] { return bind(asset, request, part_of(run, kLoaded, 1)); });
      if (!report) return report;
      report->notes = joined(notes_of_file(job.skeleton, skeleton->notes), report->notes);
      return report;
    };
    verb.page = [&](const Asset& asset, BindReport& report) {
      return report_bind(job, report, asset.character);
    };
    return run_on_files(files, verb);
  });
}

}  // namespace dermis
