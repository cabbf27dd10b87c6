// SPDX-License-Identifier: MIT
// Which joints move most of a surface, and which of their bends lose most of its volume.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "dermis/measure.h"

namespace dermis {
namespace {

// The sum of the weights of each node over all points in the scene.
std::vector<double> carried_weight(const Character& character) {
  std::vector<double> sums(character.nodes.size(), 0.0);
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene || instance.skin == kNone) continue;
    const Skin& skin = character.skins[at(instance.skin)];
    for (const Influence& influence : character.meshes[at(instance.mesh)].weights.influences)
      sums[at(skin.node[at(influence.slot)])] += static_cast<double>(influence.weight);
  }
  return sums;
}

// For each node, whether a joint is above it.
std::vector<bool> has_joint_above(const Character& character) {
  const std::vector<bool> is_joint = skin_joints(character);
  std::vector<bool> has(character.nodes.size(), false);
  for (const Index node : parents_first(character.nodes)) {
    const Index parent = character.nodes[at(node)].parent;
    has[at(node)] = parent != kNone && (is_joint[at(parent)] || has[at(parent)]);
  }
  return has;
}

}  // namespace

std::vector<Index> heaviest_joints(const Character& character) {
  const std::vector<double> sums = carried_weight(character);
  std::vector<Index> nodes(sums.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  std::erase_if(nodes, [&](Index node) { return sums[at(node)] == 0; });
  std::stable_sort(nodes.begin(), nodes.end(), [&](Index a, Index b) { return sums[at(a)] > sums[at(b)]; });
  return nodes;
}

std::vector<RangePose> held_bends(const Character& character) {
  std::vector<std::vector<RangePose>> bends_of(character.nodes.size());
  for (RangePose& pose : range_of_motion(character)) {
    if (pose.movement == Movement::bend) bends_of[at(pose.node)].push_back(std::move(pose));
  }
  const std::vector<bool> has_above = has_joint_above(character);
  std::vector<RangePose> bends;
  for (const Index joint : heaviest_joints(character)) {
    if (has_above[at(joint)])
      std::move(bends_of[at(joint)].begin(), bends_of[at(joint)].end(), std::back_inserter(bends));
  }
  return bends;
}

Result<std::vector<RangePose>> worst_bends(const Deformer& deformer, std::size_t count,
                                           const Progress& progress) {
  const Character& character = *deformer.character;
  const std::vector<RangePose> bends = held_bends(character);
  std::vector<PoseFrame> frames;
  for (const RangePose& bend : bends) {
    Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &bend.pose});
    if (!frame) return frame.error();
    frames.push_back(std::move(*frame));
  }
  const Result<std::vector<double>> volumes = volume_curve(deformer, frames, progress);
  if (!volumes) return volumes.error();
  std::vector<std::size_t> order(bends.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return (*volumes)[a] < (*volumes)[b]; });
  std::vector<RangePose> worst;
  std::set<std::string> seen;
  for (const std::size_t k : order) {
    if (worst.size() < count && seen.insert(without_side(node_label(character, bends[k].node))).second)
      worst.push_back(bends[k]);
  }
  return worst;
}

}  // namespace dermis
