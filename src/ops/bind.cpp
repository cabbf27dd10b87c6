// SPDX-License-Identifier: MIT
// The verb bind: automatic weights for a mesh and a skeleton.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "dermis/ops/bind.h"
#include "ops/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

// A character ready to be bound, and who gets weights.
struct Prepared {
  Asset asset;
  std::vector<Index> joints;        // nodes
  std::vector<std::string> labels;  // of the joints, in the file they came from
};

// Who gets weights, and who does not and why, by the labels of their own file.
void name_joints(const Character& character, const DeformingJoints& joints, Prepared& prepared,
                 BindReport& report) {
  const std::vector<std::string> labels = node_labels(character);
  for (const Index node : joints.nodes) prepared.labels.push_back(labels[at(node)]);
  for (const DeformingJoints::Idle& idle : joints.idle)
    report.idle.push_back({labels[at(idle.node)], name_of(idle.reason)});
}

// A few of many.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown)));
  return names.size() > kShown ? fmt::format("{} and {} more", fmt::join(shown, ", "), names.size() - kShown)
                               : fmt::format("{}", fmt::join(shown, ", "));
}

// Joints that share a name are known by their numbers, also in what is written.
void note_shared_names(const Character& character, const DeformingJoints& joints, const std::string& file,
                       BindReport& report) {
  std::map<std::string, std::size_t> counts;
  for (const Node& node : character.nodes) ++counts[node.name];
  std::vector<std::string> shared;
  std::size_t count = 0;
  for (const auto& entry : counts) {
    const std::string& name = entry.first;
    const bool is_joint = std::any_of(joints.nodes.begin(), joints.nodes.end(),
                                      [&](Index node) { return character.nodes[at(node)].name == name; });
    if (entry.second < 2 || !is_joint) continue;
    shared.push_back(quoted_name(name));
    count += entry.second;
  }
  if (shared.empty()) return;
  report.notes.push_back(
      {Note::Kind::info, "names-shared",
       fmt::format("{}: {} share {}; they are known by number (#12)", file, counted(count, "node", "nodes"),
                   shared.size() == 1 ? "the name " + shared[0] : "names: " + some_of(shared)),
       "", -1, -1, count});
}

// Meshes whose weights the reader made up, by its notes.
std::vector<Index> unweighted_meshes(const Asset& asset) {
  const Character& character = asset.character;
  std::vector<bool> is_unweighted(character.meshes.size());
  for (const Note& note : asset.notes) {
    if (note.id != "weights-missing" || note.index < 0) continue;
    for (const Instance& instance : character.instances) {
      const bool is_meant = note.thing == "node"   ? instance.node == note.index
                            : note.thing == "mesh" ? instance.mesh == note.index
                                                   : false;
      if (is_meant && note.count >= character.meshes[at(instance.mesh)].points.size())
        is_unweighted[at(instance.mesh)] = true;
    }
  }
  std::vector<Index> meshes;
  for (std::size_t m = 0; m < is_unweighted.size(); ++m) {
    if (is_unweighted[m]) meshes.push_back(static_cast<Index>(m));
  }
  return meshes;
}

// The character with its own skeleton.
Result<Prepared> prepare_own(const BindJob& job, Asset asset, BindReport& report) {
  if (job.attach.scale > 0)
    return Error{Errc::usage, "--scale is for the joints of another file; name that with --skeleton"};
  if (asset.character.skins.empty())
    return Error{Errc::bad_rig,
                 fmt::format("{}: has no skeleton; name one with --skeleton FILE (a .glb, .bvh or any file "
                             "with joints)",
                             job.input)};
  const Result<DeformingJoints> joints =
      deforming_joints(asset.character, job.joints, unweighted_meshes(asset));
  if (!joints) return in_file(job.input, joints.error());
  append(report.notes, joints->notes);
  Prepared prepared;
  name_joints(asset.character, *joints, prepared, report);
  prepared.asset = std::move(asset);
  prepared.joints = joints->nodes;
  return prepared;
}

// The mesh with the skeleton of another file.
Result<Prepared> prepare_attached(const BindJob& job, const Asset& body, BindReport& report) {
  const Result<Asset> skeleton = load(job.skeleton, job.run.load, job.run.progress);
  if (!skeleton) return skeleton.error();
  append(report.notes, notes_of_file(job.skeleton, skeleton->notes));
  const Result<DeformingJoints> joints =
      deforming_joints(skeleton->character, job.joints, unweighted_meshes(*skeleton));
  if (!joints) return in_file(job.skeleton, joints.error());
  append(report.notes, notes_of_file(job.skeleton, joints->notes));
  // Readers of formats that address nodes by number tell this themselves.
  const auto tells_names = [](const Note& note) { return note.id == "names-shared"; };
  if (std::none_of(skeleton->notes.begin(), skeleton->notes.end(), tells_names))
    note_shared_names(skeleton->character, *joints, job.skeleton, report);
  Prepared prepared;
  name_joints(skeleton->character, *joints, prepared, report);
  if (Status fits = check_copies(body.character, job.input, job.run); !fits) return fits.error();
  Result<AttachedBody> attached = attach_skeleton(body.character, skeleton->character, job.attach);
  if (!attached) return in_file(job.input, attached.error());
  append(report.notes, attached->notes);
  prepared.asset.character = std::move(attached->character);
  prepared.asset.source = body.source;
  for (const Index node : joints->nodes) prepared.joints.push_back(attached->first_node + node);
  return prepared;
}

// Says when joints and mesh do not seem to belong together.
void note_strange_places(const BindSurface& surface, const BindSkeleton& skeleton, const Prepared& prepared,
                         BindReport& report) {
  // A few joints outside are usual (eyes that are aimed, capes, toes); of this share on one may doubt.
  constexpr double kDoubtful = 0.25;
  const std::vector<Index> outside = joints_outside(surface, skeleton);
  if (outside.empty()) return;
  std::vector<std::string> names;
  names.reserve(outside.size());
  for (const Index joint : outside) names.push_back(quoted_name(prepared.labels[at(joint)]));
  const double share = static_cast<double>(outside.size()) / static_cast<double>(skeleton.joint_count());
  const bool is_doubtful = share > kDoubtful;
  std::string words =
      fmt::format("{} of {} outside the body ({:.0f} %): {}", outside.size(),
                  counted(skeleton.joint_count(), "joint lies", "joints lie"), 100 * share, some_of(names));
  if (is_doubtful)
    words +=
        ". Were mesh and skeleton made for each other, in the same unit, place and pose? Each point "
        "follows what is nearest all the same";
  report.notes.push_back({is_doubtful ? Note::Kind::guess : Note::Kind::info, "joints-outside", words, "", -1,
                          -1, outside.size()});
}

// Says when there is nothing to tell joints apart by, as in a skeleton whose lengths were lost.
void note_one_place(const BindSkeleton& skeleton, BindReport& report) {
  if (skeleton.joint_count() < 2) return;
  const JointSegment& first = skeleton.segments[0];
  const auto is_first = [&](const JointSegment& s) { return s.from == first.from && s.to == first.to; };
  if (!std::all_of(skeleton.segments.begin(), skeleton.segments.end(), is_first)) return;
  report.notes.push_back(
      {Note::Kind::guess, "joints-at-one-place",
       fmt::format("all {} joints lie at one place, so that nothing tells which points are whose; were the "
                   "lengths of the skeleton lost?",
                   skeleton.joint_count()),
       "", -1, -1, skeleton.joint_count()});
}

// Says what has nothing to spread weights along.
void note_bare_meshes(const Character& character, const BindSurface& surface, BindReport& report) {
  for (const Index i : surface.instances) {
    const Index number = character.instances[at(i)].mesh;
    const Mesh& mesh = character.meshes[at(number)];
    Box box;
    for (const Vec3& point : mesh.points) box.add(Vec3d(point));
    const bool is_one_place = !(box.diagonal() > 0);
    if (mesh.polygons.count() > 0 && !is_one_place) continue;
    report.notes.push_back({Note::Kind::info, is_one_place ? "mesh-no-size" : "mesh-no-polygons",
                            fmt::format("mesh {} {} {}: each of its points follows what is nearest to it",
                                        number, quoted_name(mesh.name),
                                        is_one_place ? "has all its points at one place" : "has no polygon"),
                            "mesh", number});
  }
}

// Notes of the room below do not know how an option is called here.
void name_remedies(const std::string& method, Notes& notes) {
  for (Note& note : notes) {
    if (note.id == "bind-shared-cells")
      note.sentence += method == "voxel" ? " (a smaller --cell)" : " (more --cells)";
    const bool is_scale =
        note.id == "skeleton-not-rescaled" || note.id == "skeleton-rescaled" || note.id == "sizes-differ";
    if (is_scale && note.kind == Note::Kind::guess) note.sentence += "; --scale overrules";
  }
}

// Which joints the points really follow. Those that were to be followed and are not come to the idle ones.
void count_joints(const Character& character, const BindSurface& surface, const Prepared& prepared,
                  BindReport& report) {
  std::vector<bool> is_followed(character.nodes.size());
  for (const Index i : surface.instances) {
    const Instance& instance = character.instances[at(i)];
    const Skin& skin = character.skins[at(instance.skin)];
    for (const Influence& one : character.meshes[at(instance.mesh)].weights.influences)
      is_followed[at(skin.node[at(one.slot)])] = true;
  }
  report.joint_count = static_cast<std::size_t>(std::count(is_followed.begin(), is_followed.end(), true));
  for (std::size_t j = 0; j < prepared.joints.size(); ++j) {
    if (!is_followed[at(prepared.joints[j])])
      report.idle.push_back({prepared.labels[j], name_of(IdleReason::unreached)});
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
    row("heat", "heat from the joints in sight, in equilibrium along the skin",
        "everything; the default, because it measures best", "weights of a shell know nothing of the others",
        "Baran, Popovic 2007",
        [](const BindSurface& surface, const BindSkeleton& skeleton, const BindOptions& options,
           const Progress& progress) { return bind_heat(surface, skeleton, options.heat, progress); }),
    row("voxel", "distances from the joints through the body", "bodies of many shells that touch and overlap",
        "weights reach far along limbs", "Dionne, de Lasa 2013",
        [](const BindSurface& surface, const BindSkeleton& skeleton, const BindOptions& options,
           const Progress& progress) { return bind_voxel(surface, skeleton, options.voxel, progress); }),
    row("biharmonic", "the smoothest weights within 0 and 1 on a lattice that fills the body",
        "round, soft bodies of few joints", "limbs thinner than a few cells share them; seconds, not tenths",
        "Jacobson, Baran, Popovic, Sorkine 2011",
        [](const BindSurface& surface, const BindSkeleton& skeleton, const BindOptions& options,
           const Progress& progress) {
          return bind_biharmonic(surface, skeleton, options.biharmonic, progress);
        }),
    row("distance", "all joints within an envelope around the nearest", "soft, simple shapes",
        "reaches across gaps: fingers, thighs, an arm beside the chest", "-",
        [](const BindSurface& surface, const BindSkeleton& skeleton, const BindOptions& options,
           const Progress& progress) {
          return bind_distance(surface, skeleton, options.distance, progress);
        }),
    row("rigid", "the nearest joint alone", "robots, armour, props", "creases at every joint", "-",
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

Result<BindReport> bind(const BindJob& job) {
  return without_throwing(job.input, [&]() -> Result<BindReport> {
    const Result<const BindMethodRow*> method = find_bind_method(job.method);
    if (!method) return method.error();
    if (Status good = check_output(job.output, {job.input, job.skeleton}, {".glb", ".gltf"}, job.run); !good)
      return good.error();
    if (Status good = check_report(job.report, {job.input, job.skeleton}, job.run); !good)
      return good.error();
    Stopwatch watch;
    BindReport report;
    report.input = job.input;
    report.output = job.output;
    report.skeleton = job.skeleton.empty() ? job.input : job.skeleton;
    report.method = job.method;
    report.max_influences = job.save.max_influences == 0 ? kBindInfluences : job.save.max_influences;
    SaveOptions options = job.save;
    options.max_influences = 0;  // binding keeps to it
    Result<Asset> asset = load(job.input, job.run.load, job.run.progress);
    if (!asset) return asset.error();
    const bool is_own = is_one_file(report.skeleton, job.input);
    report.notes = is_own ? asset->notes : notes_of_file(job.input, asset->notes);
    if (std::all_of(asset->character.meshes.begin(), asset->character.meshes.end(),
                    [](const Mesh& mesh) { return mesh.points.empty(); }))
      return Error{Errc::bad_rig,
                   fmt::format("{}: has no mesh to bind; name the file with the skin first and "
                               "the one with the joints as --skeleton",
                               job.input)};
    Result<Prepared> prepared =
        is_own ? prepare_own(job, std::move(*asset), report) : prepare_attached(job, *asset, report);
    if (!prepared) return prepared.error();
    Character& character = prepared->asset.character;
    report.seconds_loading = watch.lap();
    const Result<BindSurface> surface = bind_surface(character);
    if (!surface) return in_file(job.input, surface.error());
    const Result<BindSkeleton> skeleton = bind_skeleton(character, *surface, prepared->joints);
    if (!skeleton) return in_file(job.input, skeleton.error());
    note_bare_meshes(character, *surface, report);
    note_strange_places(*surface, *skeleton, *prepared, report);
    note_one_place(*skeleton, report);
    const Result<BoundRows> bound = (*method)->bind(*surface, *skeleton, job.options, job.run.progress);
    if (!bound) return in_file(job.input, bound.error());
    append(report.notes, bound->notes);
    const Notes written = set_weights(character, *surface, *skeleton, bound->rows, report.max_influences);
    append(report.notes, written);
    if (const Status valid = validate(character); !valid) return in_file(job.input, valid.error());
    report.seconds_binding = watch.lap();
    count_influences(character, *surface, report);
    count_joints(character, *surface, *prepared, report);
    options.overwrite_side_files = job.run.force;
    const Result<Notes> saved = save(job.output, prepared->asset, options);
    if (!saved) return saved.error();
    append(report.notes, *saved);
    name_remedies(job.method, report.notes);
    report.seconds_saving = watch.lap();
    if (Status done = report_bind(job, report, character); !done) return done.error();
    return report;
  });
}

}  // namespace dermis
