// SPDX-License-Identifier: MIT
// Removes the joints between two others from a template, and sorts the rest in search order.
#include "rig/reduce.h"

#include <algorithm>
#include <span>

namespace dermis {
namespace {

// Branches and ends of a template, in search order: branches, the ends that have two sides, then the others.
// Paired ends constrain each other, so wrong ones are rejected early.
std::vector<std::size_t> search_order(const RigTemplate& rig, std::span<const int> children) {
  std::vector<std::size_t> order;
  const auto add_all = [&](const auto& is_next) {
    for (std::size_t j = 0; j < rig.joints.size(); ++j)
      if ((j == 0 || children[j] != 1) && is_next(j)) order.push_back(j);
  };
  const auto is_branch = [&](std::size_t j) { return children[j] > 0; };
  const auto is_sided = [&](std::size_t j) { return rig.joints[j].mirror != static_cast<Index>(j); };
  add_all(is_branch);
  add_all([&](std::size_t j) { return !is_branch(j) && is_sided(j); });
  add_all([&](std::size_t j) { return !is_branch(j) && !is_sided(j); });
  return order;
}

}  // namespace

ReducedTemplate reduce(const RigTemplate& rig) {
  const std::size_t count = rig.joints.size();
  std::vector<int> children(count, 0);
  for (const RigTemplate::Joint& joint : rig.joints)
    if (joint.parent != kNone) ++children[static_cast<std::size_t>(joint.parent)];
  ReducedTemplate reduced;
  std::vector<int> place(count, -1);
  for (const std::size_t j : search_order(rig, children)) {
    ReducedTemplate::Joint kept;
    kept.joint = static_cast<Index>(j);
    kept.is_leaf = children[j] == 0;
    double way = 0;
    for (Index k = kept.joint; k != kNone && (k == kept.joint || place[static_cast<std::size_t>(k)] < 0);
         k = rig.joints[static_cast<std::size_t>(k)].parent) {
      const RigTemplate::Joint& joint = rig.joints[static_cast<std::size_t>(k)];
      kept.chain.insert(kept.chain.begin(), k);
      kept.is_optional |= joint.is_optional;
      kept.is_loose |= joint.is_loose;
      if (joint.parent == kNone) break;
      way += length(joint.at - rig.joints[static_cast<std::size_t>(joint.parent)].at);
      kept.parent = place[static_cast<std::size_t>(joint.parent)];
    }
    kept.share = way;
    place[j] = static_cast<int>(reduced.joints.size());
    reduced.joints.push_back(kept);
  }
  const std::size_t n = reduced.joints.size();
  std::vector<std::vector<double>> ways(n, std::vector<double>(n, 0));
  for (std::size_t v = 0; v < n; ++v) {
    const auto own = static_cast<std::size_t>(reduced.joints[v].joint);
    reduced.joints[v].mirror = place[static_cast<std::size_t>(rig.joints[own].mirror)];
    if (reduced.joints[v].parent < 0) continue;
    const auto p = static_cast<std::size_t>(reduced.joints[v].parent);
    for (std::size_t u = 0; u < v; ++u) {
      ways[v][u] = ways[u][v] = ways[p][u] + reduced.joints[v].share;
      // From a tip, limbs run together for a while: paths between them are shorter than they seem.
      if (u == 0 || !rig.joints.front().is_tip) reduced.span = std::max(reduced.span, ways[v][u]);
    }
  }
  for (ReducedTemplate::Joint& joint : reduced.joints) {
    joint.share /= reduced.span;
    // The part that sticks out of the body: from the joint that begins the limb.
    for (std::size_t k = joint.chain.size(); k-- > 1;) {
      const RigTemplate::Snap snap = rig.joints[static_cast<std::size_t>(joint.chain[k - 1])].snap;
      joint.free_share += length(rig.joints[static_cast<std::size_t>(joint.chain[k])].at -
                                 rig.joints[static_cast<std::size_t>(joint.chain[k - 1])].at) /
                          reduced.span;
      if (snap == RigTemplate::Snap::root || snap == RigTemplate::Snap::part) break;
    }
  }
  return reduced;
}

}  // namespace dermis
