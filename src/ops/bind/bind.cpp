// SPDX-License-Identifier: MIT
// The verb bind: automatic weights for a mesh and a skeleton.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "dermis/ops/bind.h"
#include "ops/page/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

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

// The joints of the asset itself; `body` becomes a copy of its character.
Result<BoundJoints> own_joints(const Asset& asset, const BindRequest& request, Character& body,
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
  body = asset.character;
  return name_joints(asset.character, *joints, report);
}

// The joints of another asset; `body` becomes the asset's character with them.
Result<BoundJoints> attached_joints(const Asset& asset, const BindRequest& request, const Run& run,
                                    Character& body, BindReport& report) {
  const Asset& skeleton = *request.skeleton;
  const Result<DeformingJoints> joints =
      deforming_joints(skeleton.character, request.joints, skeleton.reading.unweighted_meshes);
  if (!joints) return prefixed(skeleton.name, joints.error());
  append(report.notes, notes_of_file(skeleton.name, joints->notes));
  if (!skeleton.reading.has_told_names) note_shared_names(skeleton.character, *joints, skeleton.name, report);
  if (Status fits = check_copies(asset.character, asset.name, run); !fits) return fits.error();
  Result<AttachedBody> attached = attach_skeleton(asset.character, skeleton.character, request.attach);
  if (!attached) return prefixed(asset.name, attached.error());
  append(report.notes, attached->notes);
  BoundJoints bound = name_joints(skeleton.character, *joints, report);
  for (Index& node : bound.nodes) node += attached->first_node;
  body = std::move(attached->character);
  return bound;
}

// Notes joints and a mesh that do not seem to belong together.
void note_strange_places(const BindSurface& surface, const BindSkeleton& skeleton, const BoundJoints& joints,
                         BindReport& report) {
  // A few joints outside are usual (eye targets, capes, toes); from this share on, it is doubtful.
  constexpr double kDoubtful = 0.25;
  const std::vector<Index> outside = joints_outside(surface, skeleton);
  if (outside.empty()) return;
  std::vector<std::string> names;
  names.reserve(outside.size());
  for (const Index joint : outside) names.push_back(quoted_name(joints.labels[at(joint)]));
  const double share = static_cast<double>(outside.size()) / static_cast<double>(skeleton.joint_count());
  const bool is_doubtful = share > kDoubtful;
  report.outside_share = share;
  if (share >= kDoubtedOutside)
    report.doubt =
        fmt::format("{} of {} outside the body, so mesh and skeleton hardly belong together as they lie",
                    outside.size(), counted(skeleton.joint_count(), "joint is", "joints are"));
  std::string words =
      fmt::format("{} of {} outside the body ({:.0f} %): {}", outside.size(),
                  counted(skeleton.joint_count(), "joint is", "joints are"), 100 * share, some_of(names));
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
  const auto is_first = [&](const JointSegment& s) { return s.from == first.from && s.to == first.to; };
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
    Character character;
    const Result<BoundJoints> joints = request.skeleton == nullptr
                                           ? own_joints(asset, request, character, report)
                                           : attached_joints(asset, request, run, character, report);
    if (!joints) return joints.error();
    // A hundred thousand joints take a moment in each of these steps.
    const auto going = [&] { return run.progress.at("preparing joints", 0); };
    if (const Status go = going(); !go) return prefixed(asset.name, go.error());
    const Result<BindSurface> surface = bind_surface(character);
    if (!surface) return prefixed(asset.name, surface.error());
    const Result<BindSkeleton> skeleton = bind_skeleton(character, *surface, joints->nodes);
    if (!skeleton) return prefixed(asset.name, skeleton.error());
    if (const Status go = going(); !go) return prefixed(asset.name, go.error());
    note_bare_meshes(character, *surface, report);
    note_strange_places(*surface, *skeleton, *joints, report);
    note_one_place(*skeleton, report);
    const Result<BoundRows> bound = request.method->bind(*surface, *skeleton, request.options, run.progress);
    if (!bound) return prefixed(asset.name, bound.error());
    append(report.notes, bound->notes);
    append(report.notes, set_weights(character, *surface, *skeleton, bound->rows, report.max_influences));
    if (const Status valid = validate(character); !valid) return prefixed(asset.name, valid.error());
    count_influences(character, *surface, report);
    count_joints(character, *surface, *joints, report);
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
      BindRequest request{*method, nullptr, job.joints, job.attach, job.options};
      if (job.save.max_influences > 0) request.max_influences = job.save.max_influences;
      if (is_own) return bind(asset, request, run);
      const Result<Asset> skeleton = open_file(job.skeleton, part_of(run, 0, kLoaded));
      if (!skeleton) return skeleton.error();
      request.skeleton = &*skeleton;
      Result<BindReport> report = bind(asset, request, part_of(run, kLoaded, 1));
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
