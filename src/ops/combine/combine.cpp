// SPDX-License-Identifier: MIT
// The verb combine: garments join a body under its skeleton.
#include "dermis/ops/combine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dermis/geometry.h"
#include "dermis/motion.h"
#include "dermis/ops/weights.h"
#include "ops/combine/garment.h"
#include "ops/combine/match.h"
#include "ops/job.h"
#include "ops/merge/merge.h"

namespace dermis {
namespace {

// Rests that differ by more than this, as a fraction of the body's size, are worth a warning.
constexpr double kRestsApart = 0.02;
// A joint this near to another, as a fraction of the body's size, may be the same under another name.
constexpr double kSameJointPlace = 0.01;
// Units whose ratio differs from one by less are the same: files round them.
constexpr double kSameUnits = 1e-6;

Result<double> rest_size(const Character& character) {
  const Result<PoseFrame> rest = pose_frame(character, {});
  if (!rest) return rest.error();
  return box_at_rest(character, *rest).diagonal();
}

// ---- Units ----------------------------------------------------------------------------------------------

Status scale_to_body(GarmentBeingAdded& adding) {
  Character& garment = adding.garment;
  const Character& body = adding.body;
  adding.part.scale = garment.metres_per_unit / body.metres_per_unit;
  if (std::abs(adding.part.scale - 1) > kSameUnits) {
    scale_lengths(garment, adding.part.scale);
    const bool is_guess = garment.is_unit_guessed || body.is_unit_guessed;
    adding.note(is_guess ? Note::Kind::guess : Note::Kind::info, "garment-rescaled",
                fmt::format("was scaled by {:.6g}, from its unit of {:g} m to the body's of {:g} m{}",
                            adding.part.scale, garment.metres_per_unit, body.metres_per_unit,
                            is_guess ? "; one of them is a guess" : ""));
  }
  garment.metres_per_unit = body.metres_per_unit;
  const Result<double> size = rest_size(garment);
  if (!size) return prefixed(adding.file, size.error());
  if (!(*size > 0) || !(adding.size > 0)) return Done{};
  adding.part.size = *size / adding.size;
  if (adding.part.size < kDoubtedLarge && adding.part.size > kDoubtedSmall) return Done{};
  adding.note(Note::Kind::guess, "garment-size",
              fmt::format("is {:.3g} times as large as the body: is it in another unit?", adding.part.size));
  adding.doubt(fmt::format("it is {:.3g} times as large as the body", adding.part.size));
  adding.notes.back().remedies.push_back({"unit", ""});
  return Done{};
}

// ---- Joints ---------------------------------------------------------------------------------------------

// The skin of the body with most joints of a garment's skin.
const Skin* body_skin_for(const GarmentBeingAdded& adding, const Skin& worn) {
  const Skin* best = nullptr;
  std::size_t most = 0;
  for (const Skin& skin : adding.body.skins) {
    std::vector<bool> is_joint(adding.body.nodes.size(), false);
    for (const Index node : skin.node) is_joint[at(node)] = true;
    const auto is_shared = [&](Index node) {
      const Index match = adding.match[at(node)];
      return match != kNone && is_joint[at(match)];
    };
    const auto count = static_cast<std::size_t>(std::count_if(worn.node.begin(), worn.node.end(), is_shared));
    if (count <= most) continue;
    most = count;
    best = &skin;
  }
  return best;
}

void compare_rests(GarmentBeingAdded& adding) {
  Index furthest = kNone;
  for (std::size_t n = 0; n < adding.match.size(); ++n) {
    if (adding.match[n] == kNone || !(adding.size > 0)) continue;
    const Vec3d arm =
        adding.garment_world[n].translation - adding.body_world[at(adding.match[n])].translation;
    if (length(arm) / adding.size <= adding.part.apart) continue;
    adding.part.apart = length(arm) / adding.size;
    furthest = static_cast<Index>(n);
  }
  for (const Skin& worn : adding.garment.skins) {
    const Skin* skin = body_skin_for(adding, worn);
    if (skin != nullptr && !is_bound_alike(worn, *skin, adding.match)) adding.is_alike = false;
  }
  const std::string distance =
      furthest == kNone
          ? ""
          : fmt::format("joints rest up to {:.2g} % of the body's size from the body's ({})",
                        100 * adding.part.apart, quoted_name(adding.garment.nodes[at(furthest)].name));
  const bool is_apart = adding.part.apart > kRestsApart;
  if (adding.is_alike && is_apart) {
    adding.note(Note::Kind::info, "worn-as-bound",
                distance + "; it was bound as the body was, and now follows the body's rest pose");
  } else if (!adding.is_alike) {
    adding.note(is_apart ? Note::Kind::guess : Note::Kind::info, "rest-re-expressed",
                fmt::format("was bound with other joint axes or in another pose than the body{}{}; its skin "
                            "was re-expressed so that it rests as in its file",
                            distance.empty() || !is_apart ? "" : ", and its ", is_apart ? distance : ""));
  }
  if (!adding.is_alike && adding.part.apart > kDoubtedApart) adding.doubt("its " + distance);
}

// Whether a point of the body follows at least one of the matched joints: if only a root or a helper is
// matched, the garment stays where it is while the body moves.
bool follows_body(const GarmentBeingAdded& adding) {
  const std::vector<bool> is_moving = weighted_joints(adding.body);
  const std::vector<bool> is_joint = skin_joints(adding.garment);
  for (std::size_t n = 0; n < is_joint.size(); ++n)
    if (is_joint[n] && adding.match[n] != kNone && is_moving[at(adding.match[n])]) return true;
  return false;
}

// Joints that move the garment and lie where the body has a joint of another name, which nothing matches:
// sleeves that stay where they are while the arms swing.
void doubt_other_names(GarmentBeingAdded& adding) {
  const std::vector<bool> moves_garment = weighted_joints(adding.garment);
  std::vector<bool> is_free = weighted_joints(adding.body);
  for (const Index match : adding.match)
    if (match != kNone) is_free[at(match)] = false;
  std::vector<Index> strangers, free;
  std::vector<Vec3> strange_places, free_places;
  for (std::size_t n = 0; n < adding.match.size(); ++n) {
    if (adding.match[n] != kNone || !moves_garment[n]) continue;
    strangers.push_back(static_cast<Index>(n));
    strange_places.emplace_back(adding.garment_world[n].translation);
  }
  for (std::size_t n = 0; n < is_free.size(); ++n) {
    if (!is_free[n]) continue;
    free.push_back(static_cast<Index>(n));
    free_places.emplace_back(adding.body_world[n].translation);
  }
  if (free.empty()) return;
  const std::vector<Nearest> nearest = nearest_points(strange_places, free_places);
  std::size_t count = 0;
  std::string first;
  for (std::size_t k = 0; k < strangers.size(); ++k) {
    if (!(nearest[k].distance <= kSameJointPlace * adding.size) || count++ > 0) continue;
    first = fmt::format("{} at {}", quoted_name(adding.garment.nodes[at(strangers[k])].name),
                        quoted_name(adding.body.nodes[at(free[nearest[k].point])].name));
  }
  if (count > 0)
    adding.doubt(fmt::format("{} that move{} it {} where the body has joints of other names ({})",
                             counted(count, "joint", "joints"), count == 1 ? "s" : "",
                             count == 1 ? "lies" : "lie", first));
}

Status find_joints(GarmentBeingAdded& adding) {
  adding.match = match_joints(adding.garment, adding.body);
  const std::vector<bool> is_joint = skin_joints(adding.garment);
  std::vector<std::string> unmatched;
  for (std::size_t n = 0; n < is_joint.size(); ++n) {
    if (!is_joint[n]) continue;
    ++(adding.match[n] == kNone ? adding.part.added_count : adding.part.matched_count);
    if (adding.match[n] == kNone) unmatched.push_back(quoted_name(adding.garment.nodes[n].name));
  }
  if (adding.part.matched_count == 0 && adding.part.added_count > 0) {
    return Error{Errc::bad_argument,
                 fmt::format("{}: none of its {} has the name of a joint of the body", adding.file,
                             counted(adding.part.added_count, "joint", "joints"))}
        .with_remedy("transfer");
  }
  if (!unmatched.empty()) {
    constexpr std::size_t kNamed = 4;
    const std::size_t count = unmatched.size();
    if (count > kNamed) unmatched.resize(kNamed);
    adding.note(
        Note::Kind::info, "joints-added",
        fmt::format("{} that the body does not have {} added: {}{}", counted(count, "joint", "joints"),
                    count == 1 ? "was" : "were", fmt::join(unmatched, ", "), count > kNamed ? " ..." : ""));
  }
  compare_rests(adding);
  if (adding.part.matched_count > 0 && !follows_body(adding))
    adding.doubt(
        "none of the joints it shares with the body moves a point of the body, so it does not follow the "
        "body");
  if (adding.part.matched_count > 0) doubt_other_names(adding);
  return Done{};
}

// ---- One garment ----------------------------------------------------------------------------------------

// At rest, without skins: for garments that take all their weights from the body.
Status drop_own_skin(GarmentBeingAdded& adding, const Run& run) {
  const std::size_t shapes = shape_count(adding.garment);
  if (is_still(adding.garment)) return Done{};
  const std::size_t clips = adding.garment.clips.size(), drivers = adding.garment.drivers.size(),
                    spaces = adding.garment.pose_spaces.size();
  Result<Character> still = still_at_rest(adding.garment, adding.file, run);
  if (!still) return still.error();
  const auto note_left = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0)
      adding.note(
          Note::Kind::loss, "replaced-by-transfer",
          fmt::format("{} left out, because the body's weights replace its skin", counted(count, one, many)));
  };
  note_left(shapes, "shape was", "shapes were");
  note_left(clips, "clip was", "clips were");
  note_left(drivers, "driver was", "drivers were");
  note_left(spaces, "pose space was", "pose spaces were");
  adding.garment = std::move(*still);
  return Done{};
}

// The meshes in the list take the weights of the body.
Status transfer_from_body(Asset& asset, const std::vector<Index>& bare, std::size_t body_mesh_count,
                          GarmentBeingAdded& adding, const Run& run) {
  if (bare.empty()) return Done{};
  std::vector<std::string> sources;
  for (const Instance& instance : asset.character.instances) {
    const std::string label = fmt::format("#{}", instance.mesh);
    if (instance.in_scene && instance.skin != kNone && at(instance.mesh) < body_mesh_count &&
        std::find(sources.begin(), sources.end(), label) == sources.end())
      sources.push_back(label);
  }
  WeightsRequest request;
  for (const Index mesh : bare) request.meshes.push_back(fmt::format("#{}", mesh));
  Result<WeightsReport> moved =
      transfer_weights(asset, request, asset, sources, adding.request.transfer, run);
  if (!moved) return moved.error();
  append(adding.notes, notes_of_file(adding.file, std::move(moved->notes)));
  adding.part.transferred_count = bare.size();
  if (!moved->doubt.empty()) adding.doubt(moved->doubt);
  // A skinned mesh does not move with its node, which is best a root.
  std::vector<bool> is_parent(asset.character.nodes.size(), false);
  for (const Node& node : asset.character.nodes)
    if (node.parent != kNone) is_parent[at(node.parent)] = true;
  for (const Instance& instance : asset.character.instances) {
    if (instance.skin == kNone || at(instance.mesh) < body_mesh_count || is_parent[at(instance.node)])
      continue;
    Node& node = asset.character.nodes[at(instance.node)];
    node.parent = kNone;
    node.rest = {};
    node.rest_matrix.reset();
  }
  return Done{};
}

void note_helpers(GarmentBeingAdded& adding) {
  const auto added =
      std::find_if(adding.holder.begin(), adding.holder.end(), [](Index holder) { return holder != kNone; });
  if (added == adding.holder.end()) return;
  const auto none_count =
      static_cast<std::size_t>(std::count(adding.holder.begin(), adding.holder.end(), kNone));
  const std::size_t count = adding.holder.size() - none_count;
  adding.note(
      Note::Kind::info, "helper-nodes-added",
      fmt::format("{} added below joints of the body, because the garment's joints have other axes: {}{}",
                  counted(count, "helper node was", "helper nodes were"),
                  quoted_name(adding.body.nodes[at(*added)].name), count > 1 ? " ..." : ""));
  adding.notes.back().count = count;
}

// Nodes that are joints of at least one skin.
std::size_t distinct_joint_count(const Character& character) {
  const std::vector<bool> is_joint = skin_joints(character);
  return static_cast<std::size_t>(std::count(is_joint.begin(), is_joint.end(), true));
}

Status wear(Asset& asset, const Asset& worn, const CombineRequest& request, std::size_t body_mesh_count,
            const Run& run, CombineReport& report) {
  CombineReport::Part& part = report.parts.emplace_back();
  part.name = worn.name;
  Character& body = asset.character;
  GarmentBeingAdded adding{worn.name, worn.character, body, request, part, report.notes};
  const Result<double> size = rest_size(body);
  if (!size) return prefixed(asset.name, size.error());
  adding.size = *size;
  if (request.weights == GarmentWeights::transfer) {
    if (Status dropped = drop_own_skin(adding, part_of(run, 0, 0.2)); !dropped) return dropped;
  }
  if (Status scaled = scale_to_body(adding); !scaled) return scaled;
  adding.garment_world = rest_world(adding.garment);
  adding.body_world = rest_world(body);
  if (Status found = find_joints(adding); !found) return found;
  add_nodes(adding);
  const auto first_skin = static_cast<Index>(body.skins.size()),
             first_instance = static_cast<Index>(body.instances.size());
  const std::size_t own_meshes = body.meshes.size();
  const AddedSurfaces surfaces = add_surfaces(adding.garment, body);
  add_skins(adding);
  const std::vector<Index> bare = add_instances(adding, surfaces.first_mesh, first_skin);
  note_helpers(adding);
  add_clips(adding, first_instance, add_controls(adding.garment, body));
  note_dropped(add_driven(adding.garment, adding.place, body), adding.notes);
  sort_instances(body);
  if (Status valid = validate(body); !valid) return prefixed(worn.name, valid.error());
  for (std::size_t m = own_meshes; m < body.meshes.size(); ++m) {
    ++part.mesh_count;
    part.point_count += body.meshes[m].points.size();
  }
  return transfer_from_body(asset, bare, body_mesh_count, adding, part_of(run, 0.2, 1));
}

std::string doubt_of(std::span<const CombineReport::Part> parts) {
  std::string doubts;
  for (const CombineReport::Part& part : parts) {
    if (!part.doubt.empty())
      doubts += fmt::format("{}{}: {}", doubts.empty() ? "" : "; ", part.name, part.doubt);
  }
  return doubts;
}

}  // namespace

Result<CombineReport> combine(Asset& body, std::span<const Asset> garments, const CombineRequest& request,
                              const Run& run) {
  return without_throwing(body.name, [&]() -> Result<CombineReport> {
    if (garments.empty())
      return Error{Errc::usage, "there is nothing to combine; name the body and at least one garment"};
    if (!shows_skin(body.character)) {
      return Error{Errc::bad_rig,
                   fmt::format("{}: has no skeleton for the others to follow; name the file that "
                               "has it first, or make one with 'dermis rig'",
                               body.name)};
    }
    return all_or_nothing(body, [&](Asset& result) -> Result<CombineReport> {
      Stopwatch watch;
      CombineReport report;
      report.input = result.name;
      const std::size_t body_mesh_count = result.character.meshes.size();
      for (std::size_t k = 0; k < garments.size(); ++k) {
        const Run piece = piece_of(run, k, garments.size());
        if (Status going = piece.progress.at("combining", 0); !going) return going.error();
        if (Status worn = wear(result, garments[k], request, body_mesh_count, piece, report); !worn)
          return worn.error();
      }
      report.doubt = doubt_of(report.parts);
      report.joint_count = distinct_joint_count(result.character);
      report.mesh_count = result.character.meshes.size();
      report.clip_count = result.character.clips.size();
      report.seconds_combining = watch.lap();
      return report;
    });
  });
}

Result<CombineReport> combine(const CombineJob& job) {
  FileVerb<CombineReport> verb{
      .extensions = {".glb", ".gltf"}, .also_read = job.garments, .names_files = true};
  verb.work = [&](Asset& asset, const FileRun& run) -> Result<CombineReport> {
    std::vector<Asset> garments;
    Notes reading;
    for (std::size_t k = 0; k < job.garments.size(); ++k) {
      Result<Asset> opened =
          open_file(job.garments[k], piece_of(part_of(run, 0, 0.4), k, job.garments.size()));
      if (!opened) return opened.error();
      append(reading, notes_of_file(job.garments[k], opened->notes));
      append(reading, notes_of_file(job.garments[k], losses_without_document(*opened, job.output)));
      garments.push_back(std::move(*opened));
    }
    Result<CombineReport> report = combine(asset, garments, job.request, part_of(run, 0.4, 1));
    if (!report) return report;
    report->notes = joined(reading, report->notes);
    return report;
  };
  return run_on_files(job, verb);
}

}  // namespace dermis
