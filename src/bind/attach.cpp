// SPDX-License-Identifier: MIT
// Joins a body and a skeleton from different files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bind/body_box.h"
#include "bind/places.h"
#include "dermis/motion.h"

namespace dermis {
namespace {

// Units that differ by less than this are the same.
constexpr double kSameUnit = 1e-6;
// Joints reach nearly as far as the mesh they move; a factor like this means another unit or another body.
constexpr double kGross = 2.5;
// How far a factor may be from a power of ten to be rounded to it.
constexpr double kNearlyPower = 1.6;

// Of the body's points at rest, without far points.
double size_of_body(const Character& body) {
  const std::vector<Affined> world = rest_world(body);
  std::vector<Vec3> points;
  for (const Instance& instance : body.instances) {
    if (!instance.in_scene) continue;
    for (const Vec3& point : body.meshes[at(instance.mesh)].points)
      points.emplace_back(world[at(instance.node)] * Vec3d(point));
  }
  return points.empty() ? 0 : body_box(points).near.diagonal();
}

double size_of_skeleton(const Character& skeleton, std::span<const Index> joints) {
  const std::vector<Affined> world = rest_world(skeleton);
  Box box;
  for (const Index joint : joints) box.add(world[at(joint)].translation);
  return box.diagonal();
}

// The ratio of two lengths, at least one.
double factor_between(double a, double b) { return std::max(a / b, b / a); }

// Chooses the factor for the lengths of a skeleton.
class SkeletonScale {
 public:
  SkeletonScale(const Character& body, const Character& skeleton, std::span<const Index> joints)
      : body_(body),
        skeleton_(skeleton),
        body_size_(size_of_body(body)),
        skeleton_size_(size_of_skeleton(skeleton, joints)) {}

  double choose(double wanted, Notes& notes) const {
    if (wanted > 0) return wanted;
    const double by_units = skeleton_.metres_per_unit / body_.metres_per_unit;
    if (std::abs(by_units - 1) <= kSameUnit) return 1;
    const bool is_guess = skeleton_.is_unit_guessed || body_.is_unit_guessed;
    const std::string units =
        fmt::format("its unit of {} to the body's of {}", unit_text(skeleton_), unit_text(body_));
    if (is_guess && has_sizes() &&
        factor_between(body_size_, skeleton_size_) < factor_between(body_size_, skeleton_size_ * by_units)) {
      notes.push_back(Note{Note::Kind::guess, "skeleton-not-rescaled",
                           fmt::format("the skeleton was not scaled by {:.6g}, from {}: unscaled, the sizes "
                                       "agree better ({:.3g} and {:.3g})",
                                       by_units, units, skeleton_size_, body_size_)}
                          .with_remedy("scale", fmt::format("{:.6g}", by_units)));
      return 1;
    }
    notes.push_back({is_guess ? Note::Kind::guess : Note::Kind::info, "skeleton-rescaled",
                     fmt::format("the skeleton was scaled by {:.6g}, from {}", by_units, units)});
    if (is_guess) notes.back().remedies.push_back({"scale", "1"});
    return by_units;
  }

  // Notes sizes whose ratio is hardly intended.
  void check(double scale, Notes& notes) const {
    if (!has_sizes()) return;
    const double ratio = body_size_ / (skeleton_size_ * scale);
    if (factor_between(ratio, 1) < kGross) return;
    const double agreeing = round_factor(body_size_ / skeleton_size_);
    notes.push_back(Note{
        Note::Kind::guess, "sizes-differ",
        fmt::format("the joints span {:.3g} and the mesh {:.3g}, {:.3g} times as much: if they were made "
                    "for each other, a scale of {:.2g} makes them agree",
                    skeleton_size_ * scale, body_size_, ratio, agreeing)}
                        .with_remedy("scale", fmt::format("{:.2g}", agreeing)));
  }

 private:
  bool has_sizes() const { return body_size_ > 0 && skeleton_size_ > 0; }
  static std::string unit_text(const Character& character) {
    return fmt::format("{:.6g} m{}", character.metres_per_unit,
                       character.is_unit_guessed ? " (a guess)" : "");
  }
  // The nearest power of ten if it is close: units mostly differ by one.
  static double round_factor(double factor) {
    const double power = std::pow(10, std::round(std::log10(factor)));
    return factor_between(factor, power) < kNearlyPower ? power : factor;
  }

  const Character& body_;
  const Character& skeleton_;
  double body_size_, skeleton_size_;
};

// Adds the nodes of the skeleton after those of the body, in the body's units.
void add_nodes(const Character& skeleton, double scale, AttachedBody& attached) {
  std::vector<Node>& nodes = attached.character.nodes;
  attached.first_node = static_cast<Index>(nodes.size());
  Character joints;
  joints.nodes = skeleton.nodes;
  joints.clips = clips_of_joints(skeleton, attached.notes);
  joints.controls = skeleton.controls;
  joints.drivers = skeleton.drivers;
  joints.shape_rules = skeleton.shape_rules;
  joints.pose_spaces = skeleton.pose_spaces;
  scale_lengths(joints, scale);
  for (Node& node : joints.nodes) {
    if (node.parent != kNone) node.parent += attached.first_node;
    nodes.push_back(std::move(node));
  }
  for (Clip& clip : joints.clips) {
    for (Channel& channel : clip.channels) channel.target += attached.first_node;
    attached.character.clips.push_back(std::move(clip));
  }
  std::vector<Index> new_node(skeleton.nodes.size());
  std::iota(new_node.begin(), new_node.end(), attached.first_node);
  note_dropped(add_driven(joints, new_node, attached.character), attached.notes);
}

// Gives each instance in the scene its own copy of the mesh: one row of weights cannot be right for both the
// left boot and the right one.
void part_meshes(AttachedBody& attached) {
  Character& character = attached.character;
  std::vector<std::vector<Index>> shown(character.meshes.size());
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const Instance& instance = character.instances[i];
    if (instance.in_scene && !character.meshes[at(instance.mesh)].points.empty())
      shown[at(instance.mesh)].push_back(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    Instance& instance = character.instances[i];
    if (!instance.in_scene || shown[at(instance.mesh)].empty()) continue;
    if (shown[at(instance.mesh)].front() == static_cast<Index>(i)) continue;
    Mesh copy = character.meshes[at(instance.mesh)];
    instance.mesh = static_cast<Index>(character.meshes.size());
    character.meshes.push_back(std::move(copy));
  }
  for (std::size_t m = 0; m < shown.size(); ++m) {
    if (shown[m].size() < 2) continue;
    attached.notes.push_back(
        {Note::Kind::info, "mesh-copied",
         fmt::format("mesh {} {} is shown at {} nodes ({}): each now has its own copy, bound where it rests",
                     m, quoted_name(character.meshes[m].name), shown[m].size(),
                     nodes_showing(character, shown[m])),
         "mesh", static_cast<int>(m), -1, shown[m].size() - 1});
  }
}

// One skin for each instance, bound where its mesh rests.
void add_skins(std::span<const Index> joints, AttachedBody& attached) {
  Character& character = attached.character;
  const std::vector<Affined> world = rest_world(character);
  for (Instance& instance : character.instances) {
    Mesh& mesh = character.meshes[at(instance.mesh)];
    if (!instance.in_scene || mesh.points.empty()) continue;
    Skin skin;
    skin.name = character.nodes[at(instance.node)].name;
    for (const Index joint : joints) {
      skin.node.push_back(joint);
      skin.inverse_bind.push_back(Affine(inverse(world[at(joint)]) * world[at(instance.node)]));
    }
    WeightRowBuilder builder;
    builder.reserve(mesh.points.size(), mesh.points.size());
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      builder.add(0, 1);
      builder.close_row(0);
    }
    mesh.weights = builder.take();
    instance.skin = static_cast<Index>(character.skins.size());
    character.skins.push_back(std::move(skin));
  }
}

// The nodes removed with the skins: their joints, everything below those and ancestors that only held them,
// but no node that shows a mesh or has a remaining node below it.
std::vector<bool> nodes_of_skins(const Character& body) {
  const std::size_t count = body.nodes.size();
  std::vector<bool> is_of_skin(count), has_kept_child(count), has_gone_child(count), goes(count);
  std::vector<bool> shows_mesh(count);
  for (const Skin& skin : body.skins) {
    for (const Index node : skin.node) is_of_skin[at(node)] = true;
  }
  for (const Instance& instance : body.instances) shows_mesh[at(instance.node)] = true;
  const std::vector<Index> order = parents_first(body.nodes);
  for (const Index node : order) {
    const Index parent = body.nodes[at(node)].parent;
    if (parent != kNone && is_of_skin[at(parent)]) is_of_skin[at(node)] = true;
  }
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    const std::size_t n = at(*node);
    goes[n] = (is_of_skin[n] || has_gone_child[n]) && !has_kept_child[n] && !shows_mesh[n];
    if (const Index parent = body.nodes[n].parent; parent != kNone)
      (goes[n] ? has_gone_child : has_kept_child)[at(parent)] = true;
  }
  return goes;
}

// Removes the skins and clips of a body, and the joints that only they used.
void remove_skins(AttachedBody& attached) {
  Character& body = attached.character;
  const std::vector<bool> goes = nodes_of_skins(body);
  const auto gone = static_cast<std::size_t>(std::count(goes.begin(), goes.end(), true));
  if (!body.skins.empty()) {
    attached.notes.push_back(
        {Note::Kind::loss, "skins-replaced",
         fmt::format("{} replaced by the new skeleton",
                     counted(body.skins.size(), "skin of the body was", "skins of the body were"))});
  }
  if (gone > 0) {
    attached.notes.push_back(
        {Note::Kind::loss, "joints-replaced",
         fmt::format(
             "{} left out with {}: nothing else uses {}",
             counted(gone, "node of the body's old skeleton was", "nodes of the body's old skeleton were"),
             body.skins.size() == 1 ? "that skin" : "those skins", gone == 1 ? "it" : "them"),
         "", -1, -1, gone});
  }
  if (!body.clips.empty()) {
    attached.notes.push_back(
        {Note::Kind::loss, "clips-replaced",
         fmt::format("{} left out: the new skeleton brings its own",
                     counted(body.clips.size(), "clip of the body was", "clips of the body were"))});
  }
  body.skins.clear();
  body.clips.clear();
  std::vector<Index> new_node(body.nodes.size(), kNone);
  std::vector<Node> kept;
  for (std::size_t n = 0; n < goes.size(); ++n) {
    if (goes[n]) continue;
    new_node[n] = static_cast<Index>(kept.size());
    kept.push_back(std::move(body.nodes[n]));
  }
  for (Node& node : kept) node.parent = node.parent == kNone ? kNone : new_node[at(node.parent)];
  body.nodes = std::move(kept);
  for (Instance& instance : body.instances) {
    instance.node = new_node[at(instance.node)];
    instance.skin = kNone;
  }
  renumber_driven(body, new_node, {});
  note_dropped(drop_broken_driving(body), attached.notes);
}

}  // namespace

std::vector<Index> joints_of(const Character& skeleton) {
  std::vector<bool> is_joint = skin_joints(skeleton);
  if (skeleton.skins.empty()) {
    is_joint.assign(is_joint.size(), true);
    for (const Instance& instance : skeleton.instances) is_joint[at(instance.node)] = false;
  }
  std::vector<Index> joints;
  for (std::size_t n = 0; n < is_joint.size(); ++n) {
    if (is_joint[n]) joints.push_back(static_cast<Index>(n));
  }
  return joints;
}

std::vector<Clip> clips_of_joints(const Character& skeleton, Notes& notes) {
  std::vector<Clip> clips = skeleton.clips;
  std::size_t count = 0;
  for (Clip& clip : clips) {
    count += std::erase_if(clip.channels, [](const Channel& channel) {
      return channel.path == ChannelPath::shape_weights || channel.path == ChannelPath::control;
    });
  }
  std::erase_if(clips, [](const Clip& clip) { return clip.channels.empty(); });
  if (count > 0)
    notes.push_back({Note::Kind::loss, "skeleton-channels-left-out",
                     fmt::format("{} of shapes and controls in the skeleton's clips {} left out",
                                 counted(count, "channel", "channels"), count == 1 ? "was" : "were"),
                     "", -1, -1, count});
  return clips;
}

std::string nodes_showing(const Character& character, std::span<const Index> instances) {
  constexpr std::size_t kShown = 3;
  std::string words;
  for (std::size_t k = 0; k < std::min(instances.size(), kShown); ++k) {
    const Index node = character.instances[at(instances[k])].node;
    words += fmt::format("{}{}", k == 0 ? "" : ", ", quoted_name(character.nodes[at(node)].name));
  }
  if (instances.size() > kShown) words += fmt::format(" and {} more", instances.size() - kShown);
  return words;
}

Result<AttachedBody> attach_skeleton(const Character& body, const Character& skeleton,
                                     const AttachOptions& options) {
  return without_throwing("joining body and skeleton", [&]() -> Result<AttachedBody> {
    if (!(options.scale >= 0 && std::isfinite(options.scale)))
      return Error{Errc::bad_argument, fmt::format("a skeleton cannot be scaled by {:g}", options.scale)};
    std::vector<Index> joints = joints_of(skeleton);
    if (joints.empty()) return Error{Errc::bad_rig, "the skeleton has no joint"};
    AttachedBody attached;
    attached.character = body;
    remove_skins(attached);
    const SkeletonScale sizes(body, skeleton, joints);
    const double scale = sizes.choose(options.scale, attached.notes);
    if (!options.is_of_body) sizes.check(scale, attached.notes);
    add_nodes(skeleton, scale, attached);
    for (Index& joint : joints) joint += attached.first_node;
    part_meshes(attached);
    add_skins(joints, attached);
    if (attached.character.skins.empty()) return Error{Errc::bad_rig, "the body shows no mesh with points"};
    if (const Status valid = validate(attached.character); !valid) return valid.error();
    return attached;
  });
}

}  // namespace dermis
