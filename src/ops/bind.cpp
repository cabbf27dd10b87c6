// SPDX-License-Identifier: MIT
// The verb bind: automatic weights for a mesh and a skeleton.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/page.h"
#include "ops/verb_pages.h"

namespace dermis {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// A character ready to be bound, and who gets weights.
struct Prepared {
  Asset asset;
  std::vector<Index> joints;  // nodes
};

void report_idle(const Character& character, const DeformingJoints& joints, BindReport& report) {
  const std::vector<std::string> labels = node_labels(character);
  for (const DeformingJoints::Idle& idle : joints.idle)
    report.idle.push_back({labels[at(idle.node)], name_of(idle.reason)});
}

// The character with its own skeleton.
Result<Prepared> prepare_own(const BindJob& job, Asset asset, BindReport& report) {
  if (asset.character.skins.empty())
    return Error{Errc::bad_rig,
                 fmt::format("{}: has no skeleton; name one with --skeleton FILE (a .glb, .bvh or any file "
                             "with joints)",
                             job.input)};
  const Result<DeformingJoints> joints = deforming_joints(asset.character, job.joints);
  if (!joints) return in_file(job.input, joints.error());
  report_idle(asset.character, *joints, report);
  return Prepared{std::move(asset), joints->nodes};
}

// The mesh with the skeleton of another file.
Result<Prepared> prepare_attached(const BindJob& job, const Asset& body, BindReport& report) {
  const Result<Asset> skeleton = load(job.skeleton, job.run.load, job.run.progress);
  if (!skeleton) return skeleton.error();
  for (Note note : skeleton->notes) {
    note.sentence = fmt::format("{}: {}", job.skeleton, note.sentence);
    report.notes.push_back(std::move(note));
  }
  const Result<DeformingJoints> joints = deforming_joints(skeleton->character, job.joints);
  if (!joints) return in_file(job.skeleton, joints.error());
  report_idle(skeleton->character, *joints, report);
  Result<AttachedBody> attached = attach_skeleton(body.character, skeleton->character);
  if (!attached) return in_file(job.input, attached.error());
  append(report.notes, attached->notes);
  if (body.source != nullptr && (extension_of(job.input) == ".glb" || extension_of(job.input) == ".gltf")) {
    report.notes.push_back({Note::Kind::loss, "document-rebuilt",
                            fmt::format("{}: written anew with the joints of {}; extensions, cameras, lights "
                                        "and extras of the file are left out",
                                        job.output, job.skeleton)});
  }
  Prepared prepared;
  prepared.asset.character = std::move(attached->character);
  for (const Index node : joints->nodes) prepared.joints.push_back(attached->first_node + node);
  return prepared;
}

// Says when joints and mesh do not seem to belong together.
void note_strange_places(const BindSurface& surface, const BindSkeleton& skeleton, BindReport& report) {
  Box box;
  for (const Vec3& point : surface.points) box.add(Vec3d(point));
  std::size_t outside = 0;
  for (std::size_t j = 0; j < skeleton.joint_count(); ++j) {
    const auto own = std::find_if(skeleton.segments.begin(), skeleton.segments.end(),
                                  [&](const JointSegment& segment) { return at(segment.joint) == j; });
    bool is_inside = true;
    for (int axis = 0; axis < 3; ++axis)
      is_inside &= own->from[axis] >= box.lower[axis] && own->from[axis] <= box.upper[axis];
    outside += is_inside ? 0 : 1;
  }
  if (outside == skeleton.joint_count()) {
    report.notes.push_back({Note::Kind::guess, "joints-outside",
                            "no joint lies within the box of the mesh: were mesh and skeleton made for each "
                            "other, in the same unit and pose? Each point follows what is nearest all the "
                            "same"});
  } else if (outside > 0) {
    report.notes.push_back(
        {Note::Kind::info, "joints-outside",
         fmt::format("{} outside the box of the mesh", counted(outside, "joint lies", "joints lie"))});
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
    SaveOptions options = job.save;
    if (!options.weights) options.weights = WeightFormat::float32;
    if (options.max_influences == 0) options.max_influences = kBindInfluences;
    report.max_influences = options.max_influences;
    Result<Asset> asset = load(job.input, job.run.load, job.run.progress);
    if (!asset) return asset.error();
    report.notes = asset->notes;
    if (std::all_of(asset->character.meshes.begin(), asset->character.meshes.end(),
                    [](const Mesh& mesh) { return mesh.points.empty(); }))
      return Error{Errc::bad_rig,
                   fmt::format("{}: has no mesh to bind; name the file with the skin first and "
                               "the one with the joints as --skeleton",
                               job.input)};
    Result<Prepared> prepared = is_one_file(report.skeleton, job.input)
                                    ? prepare_own(job, std::move(*asset), report)
                                    : prepare_attached(job, *asset, report);
    if (!prepared) return prepared.error();
    Character& character = prepared->asset.character;
    report.seconds_loading = watch.lap();
    const Result<BindSurface> surface = bind_surface(character);
    if (!surface) return in_file(job.input, surface.error());
    const Result<BindSkeleton> skeleton = bind_skeleton(character, *surface, prepared->joints);
    if (!skeleton) return in_file(job.input, skeleton.error());
    report.joint_count = skeleton->joint_count();
    note_strange_places(*surface, *skeleton, report);
    const Result<BoundRows> bound = (*method)->bind(*surface, *skeleton, job.options, job.run.progress);
    if (!bound) return in_file(job.input, bound.error());
    append(report.notes, bound->notes);
    const Notes written = set_weights(character, *surface, *skeleton, bound->rows, report.max_influences);
    append(report.notes, written);
    if (const Status valid = validate(character); !valid) return in_file(job.input, valid.error());
    report.seconds_binding = watch.lap();
    count_influences(character, *surface, report);
    options.overwrite_side_files = job.run.force;
    for (const Index i : surface->instances) options.weight_meshes.push_back(character.instances[at(i)].mesh);
    const Result<Notes> saved = save(job.output, prepared->asset, options);
    if (!saved) return saved.error();
    append(report.notes, *saved);
    report.seconds_saving = watch.lap();
    if (Status done = report_bind(job, report, character); !done) return done.error();
    return report;
  });
}

}  // namespace dermis
