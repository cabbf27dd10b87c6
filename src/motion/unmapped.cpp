// SPDX-License-Identifier: MIT
// Finds what two maps share, and the joints that they leave out.
#include <fmt/format.h>

#include <algorithm>

#include "motion/body.h"

namespace dermis {
namespace {

bool is_finger(JointRole role) {
  const auto left = role >= JointRole::shoulder_r ? mirrored(role) : role;
  return left >= JointRole::thumb_l && left <= JointRole::pinky_l;
}

void note_joints(const Character& character, const std::vector<Index>& nodes, const char* id, const char* one,
                 const char* many, Notes& notes) {
  if (nodes.empty()) return;
  constexpr std::size_t kMostNamed = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(nodes.size(), kMostNamed); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : ", ", quoted_name(node_label(character, nodes[k])));
  if (nodes.size() > kMostNamed) text += fmt::format(" and {} more", nodes.size() - kMostNamed);
  Note note{Note::Kind::loss, id, fmt::format("{}: {}", counted(nodes.size(), one, many), text)};
  note.thing = "node";
  note.first = nodes.front();
  note.count = nodes.size();
  notes.push_back(std::move(note));
}

}  // namespace

std::vector<Index> joints_without_role(const Skeleton& skeleton, const RoleMap& roles) {
  std::vector<bool> is_used(skeleton.character().nodes.size());
  for (const std::vector<Index>& list : roles.joints) {
    for (const Index joint : list) is_used[at(joint)] = true;
  }
  std::vector<Index> nodes;
  for (const Index node : skeleton.order()) {
    if (!is_used[at(node)]) nodes.push_back(node);
  }
  return nodes;
}

MotionMap shared_roles(const MotionMap& map) {
  MotionMap shared = map;
  for (std::size_t r = 0; r < kRoleCount; ++r) {
    std::vector<Index>&source = shared.source.joints[r], &target = shared.target.joints[r];
    // One joint for a whole finger does not determine how the finger bends.
    const bool is_rough = is_finger(static_cast<JointRole>(r)) && source.size() != target.size() &&
                          std::min(source.size(), target.size()) < 2;
    if (!source.empty() && !target.empty() && !is_rough) continue;
    source.clear();
    target.clear();
  }
  return shared;
}

void note_unmapped(const Character& source, const Character& target, const MotionMap& map,
                   std::span<const Index> carried, Notes& notes) {
  const MotionMap shared = shared_roles(map);
  const Skeleton from(source), to(target);
  std::vector<Index> unread = joints_without_role(from, shared.source);
  std::vector<Index> unmoved = joints_without_role(to, shared.target);
  std::vector<bool> is_read(source.nodes.size()), is_moved(target.nodes.size());
  for (const auto& [a, b] : map.pairs) is_read[at(a)] = is_moved[at(b)] = true;
  for (const Index joint : carried) is_moved[at(joint)] = true;
  // Controls and end joints are not worth a note.
  std::erase_if(unread, [&](Index node) { return is_read[at(node)] || from.name(node).is_helper; });
  std::erase_if(unmoved, [&](Index node) { return is_moved[at(node)] || to.name(node).is_helper; });
  note_joints(source, unread, "motion-joints-unmapped", "joint of the motion has no counterpart",
              "joints of the motion have no counterpart", notes);
  note_joints(target, unmoved, "character-joints-unmapped",
              "joint of the character stays at rest relative to its parent",
              "joints of the character stay at rest relative to their parents", notes);
}

}  // namespace dermis
