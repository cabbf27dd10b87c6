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
#include "io/scale.h"
#include "ops/combine/match.h"
#include "ops/combine/parts.h"
#include "ops/job.h"

namespace dermis {
namespace {

// Rests that differ by more than this, as a fraction of the body's size, are worth a warning.
constexpr double kRestsApart = 0.02;
// A garment this many times as large as the body is in another unit.
constexpr double kTooLarge = 3;
// Clips whose lengths differ by less than this, in seconds, are the same motion.
constexpr float kSameLength = 0.02f;

// A garment on its way into the body.
struct Wearing {
  const std::string& file;  // of the garment
  Character garment;        // in the body's unit
  Character& body;
  const CombineRequest& request;
  CombineReport::Part& part;
  Notes& notes;
  std::vector<Affined> garment_world{}, body_world{};  // at rest; the latter of the body as it was
  std::vector<Index> match{};                          // of each garment node, a node of the body
  std::vector<Index> place{};                          // the same, and for added nodes their new index
  std::vector<Index> holder{};  // of each matched node, see holder_of; kNone: not added
  bool is_alike = true;         // bound as the body was: its skins and clips hold for the joints of the body
  double size = 0;              // of the body

  void note(Note::Kind kind, const char* id, const std::string& words) {
    notes.push_back({kind, id, fmt::format("{}: {}", file, words)});
  }
};

double rest_size(const Character& character) {
  const Result<PoseFrame> rest = pose_frame(character, {});
  return rest ? box_at_rest(character, *rest).diagonal() : 0;
}

// ---- Units ----------------------------------------------------------------------------------------------

void scale_to_body(Wearing& wearing) {
  Character& garment = wearing.garment;
  const Character& body = wearing.body;
  wearing.part.scale = garment.metres_per_unit / body.metres_per_unit;
  if (std::abs(wearing.part.scale - 1) > 1e-6) {
    scale_lengths(garment, static_cast<float>(wearing.part.scale));
    const bool is_guess = garment.is_unit_guessed || body.is_unit_guessed;
    wearing.note(is_guess ? Note::Kind::guess : Note::Kind::info, "garment-rescaled",
                 fmt::format("was scaled by {:.6g}, from its unit of {:g} m to the body's of {:g} m{}",
                             wearing.part.scale, garment.metres_per_unit, body.metres_per_unit,
                             is_guess ? "; one of them is a guess" : ""));
  }
  garment.metres_per_unit = body.metres_per_unit;
  const double size = rest_size(garment);
  if (!(size > 0) || !(wearing.size > 0)) return;
  const double ratio = size / wearing.size;
  if (ratio < kTooLarge && ratio > 0.001) return;
  wearing.note(Note::Kind::guess, "garment-size",
               fmt::format("is {:.3g} times as large as the body: is it in another unit?", ratio));
  wearing.notes.back().remedies.push_back({"unit", ""});
}

// ---- Joints ---------------------------------------------------------------------------------------------

// The skin of the body with most joints of a garment's skin.
const Skin* body_skin_for(const Wearing& wearing, const Skin& worn) {
  const Skin* best = nullptr;
  std::size_t most = 0;
  for (const Skin& skin : wearing.body.skins) {
    const auto is_shared = [&](Index node) {
      const Index match = wearing.match[at(node)];
      return match != kNone && std::find(skin.node.begin(), skin.node.end(), match) != skin.node.end();
    };
    const auto count = static_cast<std::size_t>(std::count_if(worn.node.begin(), worn.node.end(), is_shared));
    if (count <= most) continue;
    most = count;
    best = &skin;
  }
  return best;
}

void compare_rests(Wearing& wearing) {
  Index furthest = kNone;
  for (std::size_t n = 0; n < wearing.match.size(); ++n) {
    if (wearing.match[n] == kNone || !(wearing.size > 0)) continue;
    const Vec3d arm =
        wearing.garment_world[n].translation - wearing.body_world[at(wearing.match[n])].translation;
    if (length(arm) / wearing.size <= wearing.part.apart) continue;
    wearing.part.apart = length(arm) / wearing.size;
    furthest = static_cast<Index>(n);
  }
  for (const Skin& worn : wearing.garment.skins) {
    const Skin* skin = body_skin_for(wearing, worn);
    if (skin != nullptr && !is_bound_alike(worn, *skin, wearing.match)) wearing.is_alike = false;
  }
  const std::string distance =
      furthest == kNone
          ? ""
          : fmt::format("joints rest up to {:.2g} % of the body's size from the body's ({})",
                        100 * wearing.part.apart, quoted_name(wearing.garment.nodes[at(furthest)].name));
  const bool is_apart = wearing.part.apart > kRestsApart;
  if (wearing.is_alike && is_apart) {
    wearing.note(Note::Kind::info, "worn-as-bound",
                 distance + "; it was bound as the body was, and now follows the body's rest pose");
  } else if (!wearing.is_alike) {
    wearing.note(is_apart ? Note::Kind::guess : Note::Kind::info, "rest-re-expressed",
                 fmt::format("was bound with other joint axes or in another pose than the body{}{}; its skin "
                             "was re-expressed so that it rests as in its file",
                             distance.empty() || !is_apart ? "" : ", and its ", is_apart ? distance : ""));
  }
}

Status find_joints(Wearing& wearing) {
  wearing.match = match_joints(wearing.garment, wearing.body);
  const std::vector<bool> is_joint = is_skin_joint(wearing.garment);
  std::vector<std::string> unmatched;
  for (std::size_t n = 0; n < is_joint.size(); ++n) {
    if (!is_joint[n]) continue;
    ++(wearing.match[n] == kNone ? wearing.part.added_count : wearing.part.matched_count);
    if (wearing.match[n] == kNone) unmatched.push_back(quoted_name(wearing.garment.nodes[n].name));
  }
  if (wearing.part.matched_count == 0 && wearing.part.added_count > 0) {
    return Error{Errc::bad_argument,
                 fmt::format("{}: none of its {} has the name of a joint of the body", wearing.file,
                             counted(wearing.part.added_count, "joint", "joints"))}
        .with_remedy("transfer");
  }
  if (!unmatched.empty()) {
    constexpr std::size_t kNamed = 4;
    const std::size_t count = unmatched.size();
    if (count > kNamed) unmatched.resize(kNamed);
    wearing.note(
        Note::Kind::info, "joints-added",
        fmt::format("{} that the body does not have {} added: {}{}", counted(count, "joint", "joints"),
                    count == 1 ? "was" : "were", fmt::join(unmatched, ", "), count > kNamed ? " ..." : ""));
  }
  compare_rests(wearing);
  return Done{};
}

// ---- Nodes ----------------------------------------------------------------------------------------------

Node node_at(const std::string& name, Index parent, const Affined& local) {
  Node node{name, parent, transform_from_affine(local), Affine(local)};
  const Affined plain = affine_from_transform(node.rest);
  double apart = 0;
  for (const Vec3d& arm : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
    apart = std::max(apart, length(plain.linear * arm - local.linear * arm));
  if (apart < 1e-6) node.rest_matrix.reset();  // nothing but rotation and scale
  return node;
}

// True for the nodes that the result needs besides the matched ones: unmatched joints with what is below
// them, and what shows rigid meshes; each with its ancestors up to a matched one.
std::vector<bool> needed_nodes(const Wearing& wearing) {
  const Character& garment = wearing.garment;
  const std::vector<bool> is_joint = is_skin_joint(garment);
  std::vector<bool> is_needed(garment.nodes.size(), false), is_below(garment.nodes.size(), false);
  for (const Index node : parents_first(garment.nodes)) {
    const Index parent = garment.nodes[at(node)].parent;
    is_below[at(node)] =
        wearing.match[at(node)] == kNone && (is_joint[at(node)] || (parent != kNone && is_below[at(parent)]));
    if (is_below[at(node)]) is_needed[at(node)] = true;
  }
  for (const Instance& instance : garment.instances)
    if (instance.skin == kNone) is_needed[at(instance.node)] = true;
  for (std::size_t n = 0; n < is_needed.size(); ++n) {
    if (!is_needed[n]) continue;
    for (Index up = garment.nodes[n].parent; up != kNone && wearing.match[at(up)] == kNone;
         up = garment.nodes[at(up)].parent)
      is_needed[at(up)] = true;
  }
  return is_needed;
}

void note_left_nodes(Wearing& wearing, const std::vector<bool>& is_needed) {
  const Character& garment = wearing.garment;
  std::vector<bool> is_used = is_needed;
  for (const Instance& instance : garment.instances) is_used[at(instance.node)] = true;
  for (std::size_t n = 0; n < is_used.size(); ++n) {
    if (wearing.match[n] == kNone) continue;
    for (Index up = static_cast<Index>(n); up != kNone; up = garment.nodes[at(up)].parent)
      is_used[at(up)] = true;
  }
  const auto count = static_cast<std::size_t>(std::count(is_used.begin(), is_used.end(), false));
  if (count == 0) return;
  wearing.note(Note::Kind::loss, "nodes-left-out",
               fmt::format("{} without mesh or weights {} left out", counted(count, "node", "nodes"),
                           count == 1 ? "was" : "were"));
}

// The node below which children of a matched joint are added: the joint itself, or, if its axes differ from
// the garment's, a node that has the garment's.
Index holder_of(Wearing& wearing, Index garment_node) {
  const Index matched = wearing.match[at(garment_node)];
  if (wearing.is_alike) return matched;
  Index& holder = wearing.holder[at(garment_node)];
  if (holder != kNone) return holder;
  const Affined local = inverse(wearing.body_world[at(matched)]) * wearing.garment_world[at(garment_node)];
  holder = static_cast<Index>(wearing.body.nodes.size());
  wearing.body.nodes.push_back(
      node_at(wearing.garment.nodes[at(garment_node)].name + "_worn", matched, local));
  return holder;
}

void add_nodes(Wearing& wearing) {
  const Character& garment = wearing.garment;
  const std::vector<bool> is_needed = needed_nodes(wearing);
  note_left_nodes(wearing, is_needed);
  wearing.place = wearing.match;
  wearing.holder.assign(garment.nodes.size(), kNone);
  for (const Index n : parents_first(garment.nodes)) {
    if (!is_needed[at(n)] || wearing.match[at(n)] != kNone) continue;
    Node node = garment.nodes[at(n)];
    const Index parent = node.parent;
    if (parent != kNone)
      node.parent =
          wearing.match[at(parent)] != kNone ? holder_of(wearing, parent) : wearing.place[at(parent)];
    wearing.place[at(n)] = static_cast<Index>(wearing.body.nodes.size());
    wearing.body.nodes.push_back(std::move(node));
  }
}

// ---- Skins and instances --------------------------------------------------------------------------------

void add_skins(Wearing& wearing) {
  const std::vector<Affined> world = rest_world(wearing.body);
  for (Skin skin : wearing.garment.skins) {
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      const Index node = skin.node[s], place = wearing.place[at(node)];
      if (!wearing.is_alike)
        skin.inverse_bind[s] = Affine(inverse(world[at(place)]) * wearing.garment_world[at(node)] *
                                      Affined(skin.inverse_bind[s]));
      skin.node[s] = place;
    }
    wearing.body.skins.push_back(std::move(skin));
  }
}

// Whether a joint of the garment, or a match, moves a node.
bool hangs_on_joint(const Wearing& wearing, const std::vector<bool>& is_joint, Index node) {
  for (; node != kNone; node = wearing.garment.nodes[at(node)].parent)
    if (is_joint[at(node)] || wearing.match[at(node)] != kNone) return true;
  return false;
}

// The joint whose bone is nearest to the points on average.
Index nearest_joint(const Character& body, const std::vector<Affined>& world, const Mesh& mesh,
                    const Affined& world_from_mesh) {
  constexpr std::size_t kSamples = 300;
  const std::vector<bool> is_joint = is_skin_joint(body);
  const std::size_t stride = mesh.points.size() / kSamples + 1;
  Index best = kNone;
  double least = INFINITY;
  const auto consider = [&](Index joint, const Vec3d& end) {
    double sum = 0;
    for (std::size_t v = 0; v < mesh.points.size(); v += stride)
      sum += distance_to_segment(world_from_mesh * Vec3d(mesh.points[v]), world[at(joint)].translation, end);
    if (sum >= least) return;
    least = sum;
    best = joint;
  };
  for (std::size_t n = 0; n < body.nodes.size(); ++n) {
    if (!is_joint[n]) continue;
    consider(static_cast<Index>(n), world[n].translation);
    const Index parent = body.nodes[n].parent;
    if (parent != kNone && is_joint[at(parent)]) consider(parent, world[n].translation);
  }
  return best;
}

// Adds instances and returns the meshes that are to take the weights of the body.
std::vector<Index> add_instances(Wearing& wearing, const AddedSurfaces& surfaces, Index first_skin) {
  Character& body = wearing.body;
  const std::vector<bool> is_joint = is_skin_joint(wearing.garment);
  const std::vector<Affined> world = rest_world(body);
  std::vector<bool> is_shown(wearing.garment.meshes.size(), false);
  std::vector<Index> bare;
  for (Instance instance : wearing.garment.instances) {
    const Index source = instance.mesh, source_node = instance.node;
    const std::string& name = wearing.garment.nodes[at(source_node)].name;
    instance.mesh += surfaces.first_mesh;
    if (instance.skin != kNone) {
      // A skinned mesh does not move with its node, which is best a root.
      instance.skin += first_skin;
      instance.node = static_cast<Index>(body.nodes.size());
      body.nodes.push_back({name, kNone, {}, {}});
      is_shown[at(source)] = true;
      body.instances.push_back(std::move(instance));
      continue;
    }
    const bool hangs = hangs_on_joint(wearing, is_joint, source_node);
    const bool is_empty = body.meshes[at(instance.mesh)].points.empty();
    const bool takes_weights =
        instance.in_scene && !hangs && !is_empty && wearing.request.weights != GarmentWeights::rigid;
    instance.node = wearing.match[at(source_node)] != kNone ? holder_of(wearing, source_node)
                                                            : wearing.place[at(source_node)];
    if (takes_weights || is_shown[at(source)]) {
      // One mesh has one set of weights: further places show copies.
      if (is_shown[at(source)]) {
        Mesh copy = body.meshes[at(instance.mesh)];
        instance.mesh = static_cast<Index>(body.meshes.size());
        body.meshes.push_back(std::move(copy));
      }
      is_shown[at(source)] = true;
    }
    Mesh& mesh = body.meshes[at(instance.mesh)];
    if (takes_weights) {
      mesh.weights = {};
      bare.push_back(instance.mesh);
    } else if (!is_empty && instance.in_scene) {
      ++wearing.part.rigid_count;
      if (!hangs) {
        const Affined world_from_mesh = world[at(instance.node)];
        const Index joint = nearest_joint(body, world, mesh, world_from_mesh);
        wearing.note(Note::Kind::guess, "rigid-on-joint",
                     fmt::format("mesh {} follows joint {}, which is nearest", quoted_name(mesh.name),
                                 quoted_name(body.nodes[at(joint)].name)));
        instance.node = static_cast<Index>(body.nodes.size());
        body.nodes.push_back(node_at(name, joint, inverse(world[at(joint)]) * world_from_mesh));
      }
    }
    body.instances.push_back(std::move(instance));
  }
  return bare;
}

// ---- Clips ----------------------------------------------------------------------------------------------

// The channels that the result can play. Keys of matched joints hold if the axes are the same.
Clip translated_clip(Wearing& wearing, Clip clip, Index first_instance, const std::vector<Index>& controls,
                     bool has_body_keys, std::size_t& lost_count) {
  Clip kept{clip.name, {}};
  for (Channel& channel : clip.channels) {
    if (channel.path == ChannelPath::control) {
      channel.target = controls[at(channel.target)];
    } else if (channel.path == ChannelPath::shape_weights) {
      channel.target += first_instance;
    } else {
      const Index node = channel.target;
      if (wearing.place[at(node)] == kNone) continue;  // moves nothing
      if (wearing.match[at(node)] != kNone) {
        if (has_body_keys) continue;  // the body's own keys are used
        if (!wearing.is_alike) {
          ++lost_count;
          continue;
        }
      }
      channel.target = wearing.place[at(node)];
    }
    kept.channels.push_back(std::move(channel));
  }
  return kept;
}

void add_clips(Wearing& wearing, Index first_instance, const std::vector<Index>& controls) {
  Character& body = wearing.body;
  const std::size_t own_count = body.clips.size();
  std::size_t lost_count = 0, empty_count = 0, joined_count = 0;
  for (const Clip& clip : wearing.garment.clips) {
    const auto is_same = [&](const Clip& other) {
      return other.name == clip.name && std::abs(other.end() - clip.end()) <= kSameLength;
    };
    const auto end = body.clips.begin() + static_cast<std::ptrdiff_t>(own_count);
    const auto same = std::find_if(body.clips.begin(), end, is_same);
    Clip kept = translated_clip(wearing, clip, first_instance, controls, same != end, lost_count);
    if (same != end) {
      ++joined_count;
      for (Channel& channel : kept.channels) {
        const auto is_moved = [&](const Channel& other) {
          return other.path == channel.path && other.target == channel.target;
        };
        if (std::none_of(same->channels.begin(), same->channels.end(), is_moved))
          same->channels.push_back(std::move(channel));
      }
      continue;
    }
    if (kept.channels.empty()) {
      ++empty_count;
      continue;
    }
    kept.name = free_clip_name(body.clips, kept.name);
    if (kept.name != clip.name)
      wearing.note(Note::Kind::info, "clip-renamed",
                   fmt::format("clip {} became {}: the name was taken", quoted_name(clip.name),
                               quoted_name(kept.name)));
    body.clips.push_back(std::move(kept));
    ++wearing.part.clip_count;
  }
  if (joined_count > 0)
    wearing.note(Note::Kind::info, "clips-joined",
                 fmt::format("{} that the body has too {} the body's keys for the body's joints",
                             counted(joined_count, "clip", "clips"), joined_count == 1 ? "uses" : "use"));
  if (empty_count > 0)
    wearing.note(Note::Kind::loss, "clips-left-out",
                 fmt::format("{} left out, because nothing in the result would move",
                             counted(empty_count, "clip was", "clips were")));
  if (lost_count > 0)
    wearing.note(Note::Kind::loss, "keys-left-out",
                 fmt::format("its keys for {} were left out, because the body's have other axes; 'dermis "
                             "animate' can retarget its clips",
                             counted(lost_count, "channel of matched joints", "channels of matched joints")));
}

// ---- One garment ----------------------------------------------------------------------------------------

// At rest, without skins: for garments that take all their weights from the body.
Status drop_own_skin(Wearing& wearing, const Run& run) {
  const std::size_t shapes = shape_count(wearing.garment);
  if (is_still(wearing.garment)) return Done{};
  const std::size_t clips = wearing.garment.clips.size();
  Result<Character> still = still_at_rest(wearing.garment, wearing.file, run);
  if (!still) return still.error();
  const auto note_left = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0)
      wearing.note(
          Note::Kind::loss, "replaced-by-transfer",
          fmt::format("{} left out, because the body's weights replace its skin", counted(count, one, many)));
  };
  note_left(shapes, "shape was", "shapes were");
  note_left(clips, "clip was", "clips were");
  wearing.garment = std::move(*still);
  return Done{};
}

// The meshes in the list take the weights of the body.
Status transfer_from_body(Asset& asset, const std::vector<Index>& bare, std::size_t body_mesh_count,
                          Wearing& wearing, const Run& run) {
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
      transfer_weights(asset, request, asset, sources, wearing.request.transfer, run);
  if (!moved) return moved.error();
  append(wearing.notes, notes_of_file(wearing.file, std::move(moved->notes)));
  wearing.part.transferred_count = bare.size();
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

// Nodes that are joints of at least one skin.
std::size_t distinct_joint_count(const Character& character) {
  const std::vector<bool> is_joint = is_skin_joint(character);
  return static_cast<std::size_t>(std::count(is_joint.begin(), is_joint.end(), true));
}

Status wear(Asset& asset, const Asset& worn, const CombineRequest& request, std::size_t body_mesh_count,
            const Run& run, CombineReport& report) {
  CombineReport::Part& part = report.parts.emplace_back();
  part.name = worn.name;
  Character& body = asset.character;
  Wearing wearing{worn.name, worn.character, body, request, part, report.notes};
  wearing.size = rest_size(body);
  if (request.weights == GarmentWeights::transfer) {
    if (Status dropped = drop_own_skin(wearing, part_of(run, 0, 0.2)); !dropped) return dropped;
  }
  scale_to_body(wearing);
  wearing.garment_world = rest_world(wearing.garment);
  wearing.body_world = rest_world(body);
  if (Status found = find_joints(wearing); !found) return found;
  add_nodes(wearing);
  const auto first_skin = static_cast<Index>(body.skins.size()),
             first_instance = static_cast<Index>(body.instances.size());
  const std::size_t own_meshes = body.meshes.size();
  const AddedSurfaces surfaces = add_surfaces(wearing.garment, body);
  add_skins(wearing);
  const std::vector<Index> bare = add_instances(wearing, surfaces, first_skin);
  add_clips(wearing, first_instance, add_controls(wearing.garment, body));
  sort_instances(body);
  if (Status valid = validate(body); !valid) return prefixed(worn.name, valid.error());
  for (std::size_t m = own_meshes; m < body.meshes.size(); ++m) {
    ++part.mesh_count;
    part.point_count += body.meshes[m].points.size();
  }
  return transfer_from_body(asset, bare, body_mesh_count, wearing, part_of(run, 0.2, 1));
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
    Stopwatch watch;
    CombineReport report;
    report.input = body.name;
    Asset result = body;  // unchanged on failure
    const std::size_t body_mesh_count = body.character.meshes.size();
    for (std::size_t k = 0; k < garments.size(); ++k) {
      const Run piece = piece_of(run, k, garments.size());
      if (Status going = piece.progress.at("combining", 0); !going) return going.error();
      if (Status worn = wear(result, garments[k], request, body_mesh_count, piece, report); !worn)
        return worn.error();
    }
    body = std::move(result);
    report.joint_count = distinct_joint_count(body.character);
    report.mesh_count = body.character.meshes.size();
    report.clip_count = body.character.clips.size();
    report.seconds_combining = watch.lap();
    return report;
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
