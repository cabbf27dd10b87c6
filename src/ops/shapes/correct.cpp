// SPDX-License-Identifier: MIT
// Correctives: posed sculpts become examples of pose spaces.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "ops/shapes/mirror_corrective.h"
#include "ops/shapes/sculpts.h"

namespace dermis {
namespace {

// A corrective that misses its sculpt by more than this fraction of the size is noted.
constexpr double kVisibleMiss = 1e-4;

constexpr std::array<std::pair<PoseKernel, const char*>, 3> kKernelNames = {
    {{PoseKernel::linear, "linear"},
     {PoseKernel::gaussian, "gaussian"},
     {PoseKernel::thin_plate, "thin_plate"}}};
constexpr std::array<std::pair<PoseDistance, const char*>, 3> kDistanceNames = {
    {{PoseDistance::rotation, "rotation"}, {PoseDistance::swing, "swing"}, {PoseDistance::twist, "twist"}}};

template <class Value>
Result<Value> parsed(std::string_view name, const char* what,
                     const std::array<std::pair<Value, const char*>, 3>& names) {
  std::vector<std::string_view> known;
  for (const auto& [value, word] : names) {
    if (name == word) return value;
    known.emplace_back(word);
  }
  return Error{Errc::usage,
               fmt::format("there is no {} {}{}", what, quoted_name(name), did_you_mean(name, known))};
}

template <class Value>
const char* word_of(Value value, const std::array<std::pair<Value, const char*>, 3>& names) {
  for (const auto& [known, word] : names)
    if (known == value) return word;
  return "";
}

// ---- Joints and spaces --------------------------------------------------------------------------------

// From rest, in a frame.
Quatd rotation_of(const Character& character, const PoseFrame& frame, Index node) {
  return rotation_from_rest(normalized(Quatd(character.nodes[at(node)].rest.rotation)),
                            frame.local[at(node)]);
}

bool is_turned(const Character& character, const PoseFrame& frame, Index node) {
  return length(log(rotation_of(character, frame, node))) > kSamePose;
}

// The joints that the user names, or that the pose turns; helpers that drivers turn are left out.
Result<std::vector<Index>> corrective_joints(const Character& character, const CorrectiveRequest& how,
                                             const PoseFrame& frame) {
  std::vector<Index> joints;
  const auto add = [&](Index node) {
    if (std::find(joints.begin(), joints.end(), node) == joints.end()) joints.push_back(node);
  };
  for (const std::string& label : how.joints) {
    const Result<Index> found = find_node(character, label);
    if (!found) return found.error();
    add(*found);
  }
  if (!joints.empty()) return joints;
  const std::vector<NodeParts> driven = driven_parts(character);
  std::vector<Index> candidates;
  for (const NodePose& node : how.pose.pose.nodes) {
    const Result<Index> found = find_node(character, node.node);
    if (!found) return found.error();
    candidates.push_back(*found);
  }
  if (candidates.empty())
    for (std::size_t n = 0; n < character.nodes.size(); ++n) candidates.push_back(static_cast<Index>(n));
  for (const Index node : candidates) {
    const bool is_driven = !driven.empty() && driven[at(node)].rotation;
    if (!is_driven && is_turned(character, frame, node)) add(node);
  }
  std::sort(joints.begin(), joints.end());
  if (joints.empty())
    return Error{Errc::bad_argument, "the pose turns no joint, so it cannot be told from the rest pose"}
        .with_remedy("pose");
  return joints;
}

bool measures_joints(const PoseSpace& space, std::vector<Index> joints) {
  std::vector<Index> own;
  for (const PoseJoint& joint : space.joints) own.push_back(joint.node);
  std::sort(own.begin(), own.end());
  std::sort(joints.begin(), joints.end());
  return own == joints;
}

PoseSpace* space_called(Character& character, std::string_view name) {
  for (PoseSpace& space : character.pose_spaces)
    if (space.name == name) return &space;
  return nullptr;
}

PoseSpace* space_with_example(Character& character, std::string_view shape) {
  for (PoseSpace& space : character.pose_spaces)
    for (const PoseExample& example : space.examples)
      if (example.shape == shape) return &space;
  return nullptr;
}

std::string free_space_name(Character& character, const std::vector<Index>& joints) {
  std::string name;
  for (const Index node : joints) name += (name.empty() ? "" : "+") + node_label(character, node);
  const std::string wanted = name;
  for (int number = 2; space_called(character, name) != nullptr; ++number)
    name = fmt::format("{} {}", wanted, number);
  return name;
}

// The space of the corrective: of the name, of its joints, or a new one.
Result<PoseSpace*> choose_space(Character& character, const CorrectiveRequest& how, const PoseFrame& frame) {
  PoseSpace* known = how.space.empty() ? nullptr : space_called(character, how.space);
  if (known == nullptr && how.space.empty() && how.joints.empty())
    known = space_with_example(character, how.name);
  if (known != nullptr && how.joints.empty()) return known;
  const Result<std::vector<Index>> joints = corrective_joints(character, how, frame);
  if (!joints) return joints.error();
  if (known != nullptr) {
    if (measures_joints(*known, *joints)) return known;
    return Error{Errc::bad_argument, fmt::format("pose space {} has other joints; leave them out, or choose "
                                                 "another name for a space of these",
                                                 quoted_name(known->name))}
        .with_remedy("space");
  }
  if (how.space.empty())
    for (PoseSpace& space : character.pose_spaces)
      if (measures_joints(space, *joints)) return &space;
  PoseSpace made;
  made.name = how.space.empty() ? free_space_name(character, *joints) : how.space;
  // Examples of a joint that bends lie along one axis: this kernel does not overshoot between them.
  made.kernel = PoseKernel::linear;
  for (const Index node : *joints) made.joints.push_back({.node = node});
  character.pose_spaces.push_back(std::move(made));
  return &character.pose_spaces.back();
}

void set_up(PoseSpace& space, const CorrectiveRequest& how) {
  if (how.kernel) space.kernel = *how.kernel;
  if (how.is_per_point) space.is_per_point = *how.is_per_point;
  if (how.is_normalised) space.is_normalised = *how.is_normalised;
  for (PoseJoint& joint : space.joints) {
    if (how.distance) joint.distance = *how.distance;
    if (how.axis) joint.axis = *how.axis;
  }
}

// Adds the example, or moves the one of that name to this pose.
void put_example(PoseSpace& space, const CorrectiveRequest& how, const Character& character,
                 const PoseFrame& frame) {
  PoseExample example{how.name, {}, static_cast<float>(how.radius), static_cast<float>(how.strength)};
  for (const PoseJoint& joint : space.joints)
    example.rotation.emplace_back(rotation_of(character, frame, joint.node));
  for (PoseExample& known : space.examples) {
    if (known.shape != how.name) continue;
    known = std::move(example);
    return;
  }
  space.examples.push_back(std::move(example));
}

// ---- The sculpt ---------------------------------------------------------------------------------------

// The instance that shows a mesh first; kNone: none in the scene.
Index shown_by(const Character& character, Index mesh) {
  for (std::size_t k = 0; k < character.instances.size(); ++k)
    if (character.instances[k].mesh == mesh && character.instances[k].in_scene) return static_cast<Index>(k);
  return kNone;
}

struct PosedMeshes {
  Deformer deformer;
  PoseFrame frame;
  MeshPoints points;  // in world space, where the instance stands that shows the mesh first
};
Result<PosedMeshes> posed_meshes(const ShapesWork& work, const CorrectiveRequest& how, const Run& run) {
  const Character& character = work.asset.character;
  Result<PosedCharacter> posed = pose_as_asked(character, how.pose.request());
  if (!posed) return posed.error();
  Result<Deformer> deformer = ready_to_pose(character, how.deform, work.asset.name, run);
  if (!deformer) return deformer.error();
  PosedMeshes meshes{std::move(*deformer), std::move(posed->frame), MeshPoints(character.meshes.size())};
  DeformState state;
  for (const Index m : work.meshes) {
    const Index instance = shown_by(character, m);
    if (instance == kNone) continue;
    Surface surface;
    if (Status s = pose_surface(meshes.deformer, meshes.frame, instance, state, surface); !s)
      return s.error();
    meshes.points[at(m)] = std::move(surface.points);
  }
  return meshes;
}

struct Fit {
  double scale = 1, median = 0, largest = 0;  // distances as fractions of the size
};
Fit fit_of(std::span<const Vec3> surface, std::span<const Vec3> sculpt, double size) {
  Box own, other;
  std::vector<double> distances;
  for (std::size_t v = 0; v < surface.size(); ++v) {
    own.add(Vec3d(surface[v]));
    other.add(Vec3d(sculpt[v]));
    distances.push_back(length(Vec3d(surface[v]) - Vec3d(sculpt[v])) / size);
  }
  Fit fit;
  if (distances.empty()) return fit;
  fit.scale = own.diagonal() > 0 ? other.diagonal() / own.diagonal() : 1;
  fit.largest = *std::max_element(distances.begin(), distances.end());
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  fit.median = *middle;
  return fit;
}

double size_of_points(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& point : points) box.add(Vec3d(point));
  return box.diagonal() > 0 ? box.diagonal() : 1;
}

void judge_posed(const std::string& file, const Fit& fit, const Fit& at_rest, ShapesReport& report) {
  const auto doubt = [&](const std::string& clause) {
    report.doubt += fmt::format("{}{} {}", report.doubt.empty() ? "" : "; ", file, clause);
  };
  if (fit.scale > kDoubtedSculptSize || fit.scale < 1 / kDoubtedSculptSize)
    doubt(fmt::format("is {:.3g} times as large as the posed mesh: is it in another unit?", fit.scale));
  else if (fit.median > kDoubtedSculptDistance)
    doubt(
        fmt::format("is far away: half of its points lie more than {:.2g} % of the size from where the pose "
                    "puts them; is it in another pose or place?",
                    100 * fit.median));
  else if (fit.largest > kDoubtedSculptDistance && at_rest.largest < fit.largest / 10)
    doubt(
        fmt::format("is the rest pose: it is within {:.2g} % of the size of that, and up to {:.2g} % from "
                    "this pose; sculpt on the posed mesh, as deform writes it",
                    100 * at_rest.largest, 100 * fit.largest));
}

void note_miss(const ShapesReport::Pulled& pulled, const std::string& name, Notes& notes) {
  if (!(pulled.largest_miss > kVisibleMiss)) return;
  const std::string why =
      pulled.damped_count > 0
          ? fmt::format("at {} the stack flattens space in this pose, so no offset reaches the sculpt",
                        counted(pulled.damped_count, "point", "points"))
          : "the stack smooths such a surface away";
  notes.push_back(
      {Note::Kind::loss, "corrective-misses",
       fmt::format("corrective {} misses its sculpt by up to {:.2g} % of the size, at point {}: {}",
                   quoted_name(name), 100 * pulled.largest_miss, pulled.worst_point, why),
       "mesh", pulled.mesh, pulled.worst_point, 1});
}

// Pulls the sculpt of one mesh back, and makes it the shape.
Status correct_mesh(const Sculpted& sculpt, const PosedMeshes& posed, const CorrectiveRequest& how,
                    const Progress& progress, ShapesWork& work) {
  const Mesh& mesh = work.mesh(sculpt.mesh);
  const Index instance = shown_by(work.character(), sculpt.mesh);
  const Result<PulledBack> back =
      pull_back(posed.deformer, posed.frame, instance, sculpt.points, {}, progress);
  if (!back) return back.error();
  std::vector<Vec3> points = mesh.points;
  for (std::size_t v = 0; v < points.size(); ++v)
    points[v] = Vec3(Vec3d(points[v]) + Vec3d(back->offsets[v]));
  SculptFit fit;
  Shape shape = shape_of_sculpt(mesh, points, {}, {how.tolerance}, &fit);
  shape.name = how.name;
  ShapesReport::Pulled& pulled = work.report.pulled.emplace_back();
  pulled.mesh = sculpt.mesh, pulled.mesh_name = mesh.name;
  pulled.method = name_of(posed.deformer.stack);
  pulled.point_count = shape.points.size(), pulled.largest = fit.largest;
  pulled.median_miss = back->median, pulled.largest_miss = back->largest;
  pulled.worst_point = back->worst, pulled.damped_count = back->damped_count;
  pulled.round_count = back->round_count;
  note_miss(pulled, how.name, work.report.notes);
  put_shape(sculpt.mesh, std::move(shape), work);
  return Done{};
}

// ---- What the report says -----------------------------------------------------------------------------

// The weights of a space at the pose of one of its examples.
std::vector<float> weights_at(const Character& character, const PreparedPoseSpace& space,
                              const PoseExample& example) {
  std::vector<LocalPose> local(character.nodes.size());
  for (std::size_t j = 0; j < space.space.joints.size(); ++j) {
    const Index node = space.space.joints[j].node;
    local[at(node)] = {character.nodes[at(node)].rest, false, Quatd(example.rotation[j]), {}};
  }
  std::vector<float> weights(space.space.examples.size());
  weigh_examples(space, local, weights);
  return weights;
}

// How far the others miss the shape of one example, as a fraction of the size.
double left_out_error(const Character& character, const PoseSpace& space, std::size_t left_out) {
  PoseSpace others = space;
  others.examples.erase(others.examples.begin() + static_cast<std::ptrdiff_t>(left_out));
  const Result<PreparedPoseSpace> prepared = prepare_pose_space(character, others);
  if (!prepared) return 0;
  std::vector<float> weights = weights_at(character, *prepared, space.examples[left_out]);
  weights.insert(weights.begin() + static_cast<std::ptrdiff_t>(left_out), -space.examples[left_out].strength);
  double most = 0;
  for (const Mesh& mesh : character.meshes) {
    std::vector<Vec3d> miss(mesh.points.size());
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
      for (std::size_t e = 0; e < weights.size(); ++e) {
        if (weights[e] == 0 || space.examples[e].shape != shape_label(mesh, s)) continue;
        const Shape& shape = mesh.shapes[s];
        for (std::size_t k = 0; k < shape.points.size(); ++k)
          miss[at(shape.points[k])] += Vec3d(shape.offsets[k]) * static_cast<double>(weights[e]);
      }
    }
    double farthest = 0;
    for (const Vec3d& one : miss) farthest = std::max(farthest, length(one));
    if (farthest > 0) most = std::max(most, farthest / size_of_points(mesh.points));
  }
  return most;
}

Status list_all_correctives(const Character& character, const PoseFrame& frame, ShapesReport& report) {
  for (std::size_t k = 0; k < character.pose_spaces.size(); ++k) {
    const PoseSpace& space = character.pose_spaces[k];
    const Result<PreparedPoseSpace> prepared = prepare_pose_space(character, space);
    if (!prepared) return prepared.error();
    const std::size_t count = prepared->sample_count();
    for (std::size_t e = 0; e < space.examples.size(); ++e) {
      const PoseExample& example = space.examples[e];
      ShapesReport::Corrective& row = report.correctives.emplace_back();
      row.space = space.name, row.shape = example.shape, row.kernel = name_of(space.kernel);
      double squared = 0;
      for (std::size_t j = 0; j < space.joints.size(); ++j) {
        row.joints.push_back(node_label(character, space.joints[j].node));
        const double share = static_cast<double>(space.joints[j].share);
        squared += share * share * prepared->between[j * count * count + e + 1];
      }
      row.angle = std::sqrt(squared);
      row.radius = static_cast<double>(example.radius);
      row.strength = static_cast<double>(example.strength);
      row.weight = static_cast<double>(frame.example_weights[k][e]);
      row.left_out = left_out_error(character, space, e);
    }
  }
  return Done{};
}

std::string name_of_sculpt(const Asset& sculpt) { return std::filesystem::path(sculpt.name).stem().string(); }

Status correct(ShapesWork& work, const Asset& sculpt, const CorrectiveRequest& how, const Run& run) {
  Character& character = work.character();
  const Result<PosedCharacter> before = pose_as_asked(character, how.pose.request());
  if (!before) return before.error();
  append(work.report.notes, before->notes);
  const Result<PoseSpace*> space = choose_space(character, how, before->frame);
  if (!space) return space.error();
  if (Status good = check_corrective_name(character, how.name, **space); !good) return good;
  set_up(**space, how);
  put_example(**space, how, character, before->frame);
  // What the corrective was before does not count.
  for (const Index m : work.meshes)
    for (Shape& shape : work.mesh(m).shapes)
      if (shape.name == how.name) shape = {how.name, {}, {}, {}, {}};
  const Result<PosedMeshes> posed = posed_meshes(work, how, run);
  if (!posed) return posed.error();
  const NamedSculpt named{how.name, &sculpt};
  const Result<std::vector<Sculpted>> sculpts = sculpted_meshes(named, work, posed->points);
  if (!sculpts) return sculpts.error();
  bool is_anything_moved = false;
  for (std::size_t k = 0; k < sculpts->size(); ++k) {
    const Sculpted& one = (*sculpts)[k];
    const std::vector<Vec3>& surface = posed->points[at(one.mesh)];
    const Mesh& mesh = work.mesh(one.mesh);
    if (surface.empty()) continue;
    const double size = size_of_points(mesh.points);
    const Fit fit = fit_of(surface, one.points, size);
    if (fit.largest <= how.tolerance && sculpts->size() > 1) continue;
    is_anything_moved = is_anything_moved || fit.largest > how.tolerance;
    judge_posed(sculpt.name, fit, fit_of(mesh.points, one.points, size), work.report);
    const double share = 1 / static_cast<double>(sculpts->size()), from = static_cast<double>(k) * share;
    if (Status s = correct_mesh(one, *posed, how, run.progress.part(from, from + share), work); !s) return s;
  }
  if (work.report.pulled.empty())
    return Error{
        Errc::bad_argument,
        fmt::format("{}: is the surface as it is posed, so there is nothing to correct", sculpt.name)};
  if (!is_anything_moved)
    work.report.notes.push_back(
        {Note::Kind::guess, "shape-empty",
         fmt::format("{}: moves no point, so shape {} does nothing", sculpt.name, quoted_name(how.name))});
  return Done{};
}

}  // namespace

Result<PoseKernel> parse_pose_kernel(std::string_view name) { return parsed(name, "kernel", kKernelNames); }
Result<PoseDistance> parse_pose_distance(std::string_view name) {
  return parsed(name, "distance", kDistanceNames);
}
const char* name_of(PoseKernel kernel) { return word_of(kernel, kKernelNames); }
const char* name_of(PoseDistance distance) { return word_of(distance, kDistanceNames); }

Result<ShapesReport> correct_shape(Asset& asset, const ShapesRequest& request, const Asset& sculpt,
                                   const CorrectiveRequest& how, const Run& run) {
  return without_throwing(asset.name, [&] {
    return all_or_nothing(asset, [&](Asset& copy) -> Result<ShapesReport> {
      Result<ShapesWork> work = start_shapes(copy, request, "correct");
      if (!work) return work.error();
      if (Status going = run.progress.at("correcting", 0); !going) return prefixed(asset.name, going.error());
      CorrectiveRequest named = how;
      if (named.name.empty()) named.name = name_of_sculpt(sculpt);
      if (Status done = correct(*work, sculpt, named, run); !done) return prefixed(asset.name, done.error());
      if (named.adds_mirror_image) {
        if (Status done = mirror_corrective(named.name, *work); !done)
          return prefixed(asset.name, done.error());
      }
      if (Status valid = validate(copy.character); !valid) return prefixed(asset.name, valid.error());
      const Result<PoseFrame> frame = pose_frame(copy.character, named.pose.request());
      if (!frame) return prefixed(asset.name, frame.error());
      if (Status s = list_all_correctives(copy.character, *frame, work->report); !s)
        return prefixed(asset.name, s.error());
      ShapesReport report = end_shapes(*work);
      if (Status going = run.progress.at("correcting", 1); !going) return prefixed(asset.name, going.error());
      return report;
    });
  });
}

Result<ShapesReport> list_correctives(const Asset& asset, const ShapesRequest& request,
                                      const ChosenPose& pose, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<ShapesReport> {
    if (Status going = run.progress.at("weighing correctives", 0); !going)
      return prefixed(asset.name, going.error());
    Asset copy = asset;
    Result<ShapesWork> work = start_shapes(copy, request, "poses");
    if (!work) return work.error();
    const Result<PosedCharacter> posed = pose_as_asked(asset.character, pose.request());
    if (!posed) return prefixed(asset.name, posed.error());
    append(work->report.notes, posed->notes);
    if (Status s = list_all_correctives(asset.character, posed->frame, work->report); !s)
      return prefixed(asset.name, s.error());
    ShapesReport report = end_shapes(*work);
    const auto is_corrective = [&](const ShapesReport::Shape& shape) {
      return std::any_of(report.correctives.begin(), report.correctives.end(),
                         [&](const ShapesReport::Corrective& one) { return one.shape == shape.name; });
    };
    std::erase_if(report.shapes, [&](const ShapesReport::Shape& shape) { return !is_corrective(shape); });
    return report;
  });
}

}  // namespace dermis
