// SPDX-License-Identifier: MIT
// Reads the teaching format: skeleton.out, attachment.out next to it, and the OBJ that the weights belong to.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "io/course/listing.h"
#include "io/course/names.h"
#include "io/figure.h"
#include "io/formats.h"
#include "io/text.h"
#include "io/utf8.h"
#include "io/weight_sums.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

// Weights are printed with four digits: the sum of 21 may differ from one by this much through rounding
// alone.
constexpr double kSumTolerance = 2e-3;

// ---- Joints -------------------------------------------------------------------------------------------

Vec3d spread_of(const CourseSkeleton& skeleton) {
  Vec3d spread;
  for (std::size_t j = 0; j < skeleton.points.size(); ++j) {
    if (skeleton.parents[j] == kNone) continue;
    const Vec3d bone = skeleton.points[j] - skeleton.points[at(skeleton.parents[j])];
    spread += Vec3d{bone.x * bone.x, bone.y * bone.y, bone.z * bone.z};
  }
  return spread;
}

// Joint frames have the axes of the mesh; a figure with Z up is rotated at its roots.
void add_joints(const CourseSkeleton& skeleton, const LoadOptions& options, Asset& asset) {
  Character& character = asset.character;
  const UpAxis up = choose_up(options.up, spread_of(skeleton), "the bones", asset.notes);
  asset.reading.is_turned = up == UpAxis::z;
  const Quatd turn = up == UpAxis::z ? y_up_from_z_up() : Quatd{};
  Box box;
  for (std::size_t j = 0; j < skeleton.points.size(); ++j) {
    const Vec3d& point = skeleton.points[j];
    const Index parent = skeleton.parents[j];
    box.add(point);
    Node node;
    node.name = fmt::format("joint_{}", j);
    node.parent = parent;
    node.rest.translation = Vec3(parent == kNone ? rotate(turn, point) : point - skeleton.points[at(parent)]);
    if (parent == kNone) node.rest.rotation = Quat(turn);
    character.nodes.push_back(std::move(node));
  }
  const Vec3d size = box.upper - box.lower;
  character.metres_per_unit =
      guess_unit(up == UpAxis::z ? size.z : size.y, kUnitNotSaid, options.metres_per_unit, asset.notes);
  character.is_unit_guessed = true;
}

// ---- Weights --------------------------------------------------------------------------------------------

// The joint whose frame moves bone k: the parent of joint k + 1, so that siblings share one.
std::vector<Index> bone_movers(const CourseSkeleton& skeleton, Notes& notes) {
  std::vector<Index> movers;
  std::size_t roots = 0;
  for (std::size_t j = 1; j < skeleton.points.size(); ++j) {
    const bool is_root = skeleton.parents[j] == kNone;
    roots += is_root ? 1 : 0;
    movers.push_back(is_root ? static_cast<Index>(j) : skeleton.parents[j]);
  }
  if (roots > 0)
    notes.push_back(
        {Note::Kind::guess, "bone-without-parent",
         fmt::format(
             "{} joints other than joint 0 have no parent; their bones move with the joints themselves",
             roots)});
  return movers;
}

// One slot for each joint that moves a bone, in joint order; returns the slot of each bone.
std::vector<Index> add_slots(const CourseSkeleton& skeleton, const std::vector<Index>& movers, Skin& skin) {
  std::vector<Index> slot_of_joint(skeleton.points.size(), kNone);
  std::vector<Index> sorted = movers;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (const Index joint : sorted) {
    slot_of_joint[at(joint)] = static_cast<Index>(skin.node.size());
    skin.node.push_back(joint);
    Affine joint_from_mesh;
    joint_from_mesh.translation = Vec3(-skeleton.points[at(joint)]);
    skin.inverse_bind.push_back(joint_from_mesh);
  }
  std::vector<Index> slots;
  slots.reserve(movers.size());
  for (const Index joint : movers) slots.push_back(slot_of_joint[at(joint)]);
  return slots;
}

void note_repairs(const WeightRowBuilder::Repairs& repairs, Notes& notes) {
  if (repairs.negative > 0)
    notes.push_back({Note::Kind::repair, "weights-negative",
                     fmt::format("{} set to zero", counted(repairs.negative, "weight below zero was",
                                                           "weights below zero were"))});
  if (repairs.not_normalised > 0)
    notes.push_back({Note::Kind::repair, id_of_sums(repairs.worst_sum),
                     fmt::format("{} not sum to one (the worst to {:.4g}) and {} scaled",
                                 counted(repairs.not_normalised, "row of weights does", "rows of weights do"),
                                 repairs.worst_sum, repairs.not_normalised == 1 ? "was" : "were")});
  if (repairs.unweighted > 0)
    notes.push_back(
        {Note::Kind::repair, "weights-missing",
         fmt::format("{} the first joint", counted(repairs.unweighted, "point has no weight and follows",
                                                   "points have no weight and follow"))});
}

WeightRows rows_of(const CourseWeights& weights, const std::vector<Index>& slots, Notes& notes) {
  WeightRowBuilder builder;
  builder.reserve(weights.row_count(), weights.row_count() * 4);
  for (std::size_t v = 0; v < weights.row_count(); ++v) {
    for (std::size_t k = 0; k < weights.bone_count; ++k) {
      const float weight = weights.values[v * weights.bone_count + k];
      if (weight != 0) builder.add(slots[k], weight);
    }
    builder.close_row(kSumTolerance);
  }
  note_repairs(builder.repairs(), notes);
  return builder.take();
}

// ---- The mesh -------------------------------------------------------------------------------------------

std::size_t point_count_of(std::string_view obj) {
  std::size_t count = 0;
  while (!obj.empty()) {
    std::string_view line = next_line(obj);
    count += next_word(line) == "v" ? 1 : 0;
  }
  return count;
}

bool has_points(const std::string& path, std::size_t point_count, const LoadOptions& options) {
  const Result<Bytes> bytes = read_file(path, options.max_memory);
  return bytes && point_count_of(text_of(*bytes)) == point_count;
}

// The OBJ files next to a skeleton that have this many points: the one named after it, or all, sorted.
std::vector<std::string> meshes_with(std::size_t point_count, const FileSource& skeleton,
                                     const LoadOptions& options) {
  const std::string namesake = mesh_beside(skeleton.path);
  if (!namesake.empty() && has_points(namesake, point_count, options)) return {namesake};
  std::vector<std::string> found;
  std::error_code fault;
  for (fs::directory_iterator entry(skeleton.folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    const std::string path = entry->path().string();
    if (extension_of(path) == ".obj" && has_points(path, point_count, options)) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

// Attaches the mesh of an OBJ to the skin: its nodes follow the joints, its materials are added.
Status add_mesh(Asset mesh, const std::string& path, WeightRows rows, Asset& asset) {
  Character& character = asset.character;
  if (mesh.character.meshes.size() != 1 || mesh.character.meshes[0].points.size() + 1 != rows.first.size())
    return Error{Errc::bad_file, fmt::format("{}: does not have exactly one mesh with {} points", path,
                                             rows.first.size() - 1)};
  character.meshes = std::move(mesh.character.meshes);
  character.meshes[0].weights = std::move(rows);
  character.materials = std::move(mesh.character.materials);
  character.images = std::move(mesh.character.images);
  Node node;
  node.name = as_utf8(stem_of(path));
  character.nodes.push_back(std::move(node));
  character.instances.push_back({static_cast<Index>(character.nodes.size() - 1), 0, 0, {}, true});
  asset.notes.insert(asset.notes.end(), mesh.notes.begin(), mesh.notes.end());
  return Done{};
}

// The weights and their mesh, if both are next to the skeleton.
Status add_skin(const CourseSkeleton& skeleton, const FileSource& source, const LoadOptions& options,
                const Progress& progress, MemoryBudget& budget, Asset& asset) {
  const std::string path = attachment_beside(source.path);
  std::error_code ignored;
  if (source.folder.empty() || path.empty() || !fs::exists(path, ignored)) {
    asset.notes.push_back({Note::Kind::info, "attachment-missing",
                           "there is no attachment next to the skeleton; only its joints were read"});
    return Done{};
  }
  const Result<Bytes> bytes = read_file(path, options.max_memory);
  if (!bytes) return bytes.error();
  const Result<CourseWeights> weights =
      parse_course_weights(text_of(*bytes), skeleton.points.size() - 1, path, budget, asset.notes);
  if (!weights) return weights.error();
  const std::vector<std::string> meshes = meshes_with(weights->row_count(), source, options);
  if (meshes.size() > 1)
    return Error{Errc::bad_argument,
                 fmt::format("{}: {} and {} both have the {} points that {} needs; leave one in the folder",
                             source.path, file_name(meshes[0]), file_name(meshes[1]), weights->row_count(),
                             file_name(path))};
  if (meshes.empty()) {
    asset.notes.push_back(
        {Note::Kind::loss, "mesh-missing",
         fmt::format("no OBJ in the folder has the {} points that {} needs; only the joints were read",
                     weights->row_count(), file_name(path))});
    return Done{};
  }
  Result<Bytes> obj = read_file(meshes[0], options.max_memory);
  if (!obj) return obj.error();
  LoadOptions as_it_is = options;
  as_it_is.up = UpAxis::y;       // the joints rotate it
  as_it_is.metres_per_unit = 1;  // the unit is that of the joints
  Result<Asset> mesh = read_obj({std::move(*obj), meshes[0], source.folder}, as_it_is, progress);
  if (!mesh) return mesh.error();
  asset.notes.push_back(
      {Note::Kind::info, "mesh-beside",
       fmt::format("the mesh is {} and the weights are {}", file_name(meshes[0]), file_name(path))});
  Skin skin;
  skin.name = asset.character.name;
  const std::vector<Index> slots = add_slots(skeleton, bone_movers(skeleton, asset.notes), skin);
  asset.character.skins.push_back(std::move(skin));
  return add_mesh(std::move(*mesh), meshes[0], rows_of(*weights, slots, asset.notes), asset);
}

}  // namespace

Result<Asset> read_course(FileSource source, const LoadOptions& options, const Progress& progress) {
  if (Status going = progress.at("reading skeleton", 0); !going) return going.error();
  if (is_attachment(source.path))
    return Error{Errc::bad_argument, fmt::format("{}: has weights; give the skeleton they belong to, {}",
                                                 source.path, file_name(skeleton_beside(source.path)))};
  MemoryBudget budget(options.max_memory);
  Asset asset;
  const Result<CourseSkeleton> skeleton =
      parse_course_skeleton(text_of(source.bytes), source.path, budget, asset.notes);
  if (!skeleton) return skeleton.error();
  asset.character.name = as_utf8(stem_of(source.path));
  add_joints(*skeleton, options, asset);
  if (Status added = add_skin(*skeleton, source, options, progress, budget, asset); !added)
    return added.error();
  if (Status valid = validate(asset.character); !valid) return prefixed(source.path, valid.error());
  return asset;
}

}  // namespace dermis
