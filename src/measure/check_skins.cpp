// SPDX-License-Identifier: MIT
// Checks of skins, joints and names, and how far a skin's rest pose is from its bind pose.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "measure/box_corners.h"
#include "measure/check.h"

namespace dermis {
namespace {

// A rest pose this far from the bind pose is visible; below, it is the exporter's rounding.
constexpr double kVisibleOffset = 1e-3;
// A scale below this is zero up to rounding. Exporters that hide a joint with 0.0001 stay above it: such
// matrices can be inverted.
constexpr float kZeroScale = 1e-6f;
// The volume of a matrix relative to the product of its columns' lengths: below this it flattens space.
constexpr double kSingular = 1e-9;

// For each skin, the slots that some point follows.
std::vector<std::vector<bool>> used_slots(const Character& character) {
  std::vector<std::vector<bool>> is_used;
  for (const Skin& skin : character.skins) is_used.emplace_back(skin.node.size(), false);
  // One pass for each distinct pair of mesh and skin; a file may show the same pair many times.
  std::set<std::pair<Index, Index>> seen;
  for (const Instance& instance : character.instances) {
    if (instance.skin == kNone || !seen.insert({instance.mesh, instance.skin}).second) continue;
    auto& used = is_used[at(instance.skin)];
    for (const Influence& influence : character.meshes[at(instance.mesh)].weights.influences)
      used[at(influence.slot)] = true;
  }
  return is_used;
}

// The skins' bind spaces are those of their meshes' points. Each mesh is visited once, however often it is
// shown.
std::vector<Box> bind_boxes(const Character& character) {
  std::vector<Box> mesh_boxes(character.meshes.size());
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    for (const Vec3& point : character.meshes[m].points) mesh_boxes[m].add(Vec3d(point));
  }
  std::vector<Box> boxes(character.skins.size());
  for (const Instance& instance : character.instances) {
    const Box& mesh = mesh_boxes[at(instance.mesh)];
    if (instance.skin == kNone || mesh.is_empty()) continue;
    boxes[at(instance.skin)].add(mesh.lower);
    boxes[at(instance.skin)].add(mesh.upper);
  }
  return boxes;
}

double rest_from_bind(const Box& box, std::span<const Affined> palette, const std::vector<bool>& is_used) {
  const auto first_used = std::find(is_used.begin(), is_used.end(), true);
  if (box.is_empty() || first_used == is_used.end()) return 0;
  const Affined& first = palette[static_cast<std::size_t>(first_used - is_used.begin())];
  double worst = 0;
  Box posed;
  for (const Vec3d& point : corners_of(box)) {
    posed.add(first * point);
    for (std::size_t s = 0; s < palette.size(); ++s) {
      if (is_used[s]) worst = std::max(worst, length(palette[s] * point - first * point));
    }
  }
  return posed.diagonal() > 0 ? worst / posed.diagonal() : 0;
}

bool is_singular(const Affine& a) {
  const Mat3d m(a.linear);
  const double box = length(m.x) * length(m.y) * length(m.z);
  return !(std::abs(determinant(m)) > kSingular * box);
}

bool has_zero_scale(const Node& node) {
  if (node.rest_matrix) return is_singular(*node.rest_matrix);
  const Vec3& s = node.rest.scale;
  return std::min({std::abs(s.x), std::abs(s.y), std::abs(s.z)}) < kZeroScale;
}

// The topmost ancestor of each node.
std::vector<Index> roots_of(const Character& character) {
  std::vector<Index> root(character.nodes.size());
  for (const Index n : parents_first(character.nodes)) {
    const Index parent = character.nodes[at(n)].parent;
    root[at(n)] = parent == kNone ? n : root[at(parent)];
  }
  return root;
}

// Nodes that affect the motion of something: joints that points follow, nodes with meshes, and all their
// ancestors.
std::vector<bool> needed_nodes(const Character& character, std::span<const SkinFit> fits) {
  std::vector<bool> is_needed(character.nodes.size(), false);
  for (const Instance& instance : character.instances) is_needed[at(instance.node)] = true;
  for (std::size_t s = 0; s < fits.size(); ++s) {
    for (std::size_t k = 0; k < fits[s].is_used.size(); ++k) {
      if (fits[s].is_used[k]) is_needed[at(character.skins[s].node[k])] = true;
    }
  }
  const std::vector<Index> order = parents_first(character.nodes);
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    const Index parent = character.nodes[at(*n)].parent;
    if (parent != kNone && is_needed[at(*n)]) is_needed[at(parent)] = true;
  }
  return is_needed;
}

// Some slots of a skin: how many, and the first.
struct Slots {
  std::size_t count = 0;
  std::size_t first = 0;
  void add(std::size_t slot) { first = count++ == 0 ? slot : first; }
};

class SkinCheck {
 public:
  SkinCheck(const Character& character, std::span<const SkinFit> fits, const CheckLimits& limits,
            Findings& findings)
      : character_(character),
        fits_(fits),
        limits_(limits),
        findings_(findings),
        labels_(node_labels(character)),
        root_(roots_of(character)),
        is_needed_(needed_nodes(character, fits)),
        is_shown_(character.skins.size(), false),
        is_scaled_(character.nodes.size(), false) {
    for (const Clip& clip : character.clips) {
      for (const Channel& channel : clip.channels) {
        if (channel.path == ChannelPath::scale) is_scaled_[at(channel.target)] = true;
      }
    }
    for (const Instance& instance : character.instances) {
      if (instance.skin != kNone) is_shown_[at(instance.skin)] = true;
    }
  }

  void run(Index index) {
    index_ = index;
    const Skin& skin = character_.skins[at(index)];
    if (!is_shown_[at(index)]) add("skin-unused", "is used by no instance");
    check_joint_list(skin);
    check_roots(skin);
    check_slots(skin);
    const double gap = fits_[at(index)].rest_from_bind;
    if (gap > kVisibleOffset) {
      Finding& finding =
          add("rest-not-bind",
              fmt::format("has a rest pose that differs from its bind pose (by up to {:.3g} % of its size)",
                          100 * gap));
      hold_against(finding, gap, limits_.max_bind_gap);
    }
  }

 private:
  Finding& add(const char* id, std::string sentence) {
    return add_finding(findings_, id, "skin", index_, character_.skins[at(index_)].name, std::move(sentence));
  }
  std::string joint(std::size_t slot) const {
    return quoted_name(labels_[at(character_.skins[at(index_)].node[slot])]);
  }
  void locate(Finding& finding, const Slots& slots) const {
    finding.count = slots.count;
    finding.node = character_.skins[at(index_)].node[slots.first];
  }

  void check_joint_list(const Skin& skin) {
    std::set<Index> seen;
    Slots twice;
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      if (!seen.insert(skin.node[s]).second) twice.add(s);
    }
    if (twice.count == 0) return;
    locate(add("joint-twice", fmt::format("names {} a second time, first {}",
                                          counted(twice.count, "joint", "joints"), joint(twice.first))),
           twice);
  }

  void check_roots(const Skin& skin) {
    std::set<Index> roots;
    for (const Index node : skin.node) roots.insert(root_[at(node)]);
    if (roots.size() < 2 || !limits_.profile->wants_common_root) return;
    add("joints-no-common-root", fmt::format("has joints below {} roots", roots.size())).count = roots.size();
  }

  void check_slots(const Skin& skin) {
    const std::vector<bool>& is_used = fits_[at(index_)].is_used;
    Slots singular, flat, unused;
    bool is_harmful = false, is_scaled_later = true;
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      if (is_singular(skin.inverse_bind[s])) singular.add(s), is_harmful = is_harmful || is_used[s];
      if (is_used[s] && has_zero_scale(character_.nodes[at(skin.node[s])])) {
        flat.add(s);
        is_scaled_later = is_scaled_later && is_scaled_[at(skin.node[s])];
      }
      if (!is_needed_[at(skin.node[s])]) unused.add(s);
    }
    if (singular.count > 0) {
      Finding& finding =
          add("bind-singular",
              fmt::format("has {} that flatten{} space, first of joint {}",
                          counted(singular.count, "inverse bind matrix", "inverse bind matrices"),
                          singular.count == 1 ? "s" : "", joint(singular.first)));
      locate(finding, singular);
      if (!is_harmful) finding.severity = Severity::warning;
    }
    if (flat.count > 0) {
      Finding& finding =
          add("joint-scale-zero", fmt::format("has {} with a scale of zero, first {}",
                                              counted(flat.count, "joint", "joints"), joint(flat.first)));
      locate(finding, flat);
      if (is_scaled_later) finding.severity = Severity::warning;
    }
    if (unused.count > 0 && is_shown_[at(index_)]) {
      locate(add("joint-unused",
                 fmt::format("has {} that move{} no point, nor does anything below {}, first {}",
                             counted(unused.count, "joint", "joints"), unused.count == 1 ? "s" : "",
                             unused.count == 1 ? "it" : "them", joint(unused.first))),
             unused);
    }
  }

  const Character& character_;
  std::span<const SkinFit> fits_;
  const CheckLimits& limits_;
  Findings& findings_;
  std::vector<std::string> labels_;
  std::vector<Index> root_;
  std::vector<bool> is_needed_, is_shown_;
  std::vector<bool> is_scaled_;  // of each node, by some clip
  Index index_ = 0;
};

void check_names(const Character& character, const CheckLimits& limits, const std::vector<bool>& is_joint,
                 Findings& findings) {
  std::unordered_map<std::string_view, std::size_t> uses;
  for (const Node& node : character.nodes) ++uses[node.name];
  struct {
    std::size_t count = 0;
    Index first = kNone;
    bool has_joint = false;
  } shared, missing;
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    const std::string& name = character.nodes[n].name;
    auto& group = name.empty() ? missing : shared;
    if (!name.empty() && uses[name] < 2) continue;
    if (group.count++ == 0) group.first = static_cast<Index>(n);
    group.has_joint = group.has_joint || is_joint[n];
  }
  const auto report = [&](const char* id, const auto& group, std::string sentence) {
    if (group.count == 0) return;
    Finding& finding = add_finding(findings, id, std::move(sentence));
    finding.count = group.count;
    finding.node = group.first;
    if (limits.profile->wants_joint_names && group.has_joint) finding.severity = Severity::error;
  };
  report("names-shared", shared,
         shared.count == 0 ? ""
                           : fmt::format("{} share their name with another, first {}",
                                         counted(shared.count, "node", "nodes"),
                                         quoted_name(character.nodes[at(shared.first)].name)));
  report("names-missing", missing,
         missing.count == 1 ? "1 node has no name" : fmt::format("{} nodes have no name", missing.count));
}

void check_root_joints(const Character& character, const CheckLimits& limits,
                       const std::vector<bool>& is_joint, Findings& findings) {
  if (!limits.profile->wants_one_root_joint) return;
  std::size_t count = 0;
  Index first = kNone;
  std::vector<bool> is_below_joint(character.nodes.size(), false);
  for (const Index n : parents_first(character.nodes)) {
    const Index parent = character.nodes[at(n)].parent;
    is_below_joint[at(n)] = parent != kNone && (is_joint[at(parent)] || is_below_joint[at(parent)]);
    if (is_joint[at(n)] && !is_below_joint[at(n)] && count++ == 0) first = n;
  }
  if (count < 2) return;
  Finding& finding =
      add_finding(findings, "joint-roots-many",
                  fmt::format("there are {} root joints; {} allows one", count, limits.profile->name));
  finding.count = count;
  finding.node = first;
}

}  // namespace

std::vector<SkinFit> measure_skins(const Character& character, const PoseFrame& rest) {
  std::vector<std::vector<bool>> is_used = used_slots(character);
  const std::vector<Box> boxes = bind_boxes(character);
  std::vector<SkinFit> fits(character.skins.size());
  for (std::size_t s = 0; s < fits.size(); ++s) {
    fits[s].unused_slot_count =
        static_cast<std::size_t>(std::count(is_used[s].begin(), is_used[s].end(), false));
    fits[s].rest_from_bind = rest_from_bind(boxes[s], rest.palette_of(static_cast<Index>(s)), is_used[s]);
    fits[s].is_used = std::move(is_used[s]);
  }
  return fits;
}

Status check_skins(const Character& character, std::span<const SkinFit> fits, const CheckLimits& limits,
                   const Progress& progress, Findings& findings) {
  if (character.skins.empty()) return Done{};
  SkinCheck check(character, fits, limits, findings);
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    if (Status going = progress.at("checking skins", 0.8); !going) return going;
    check.run(static_cast<Index>(s));
  }
  return Done{};
}

void check_nodes(const Character& character, const CheckLimits& limits, Findings& findings) {
  const std::vector<bool> is_joint = skin_joints(character);
  check_names(character, limits, is_joint, findings);
  check_root_joints(character, limits, is_joint, findings);
}

}  // namespace dermis
