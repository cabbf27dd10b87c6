// SPDX-License-Identifier: MIT
// What a placing of a template in a body costs: the penalties that the search adds up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rig/embed.h"

namespace dermis {

// A template and a body, for all frames.
struct Board {
  const RigTemplate& rig;
  const ReducedTemplate& reduced;
  const BodySolid& body;
  const BodyGraph& graph;
  std::span<const BodyMirror> mirrors;
  Constraints constraints;
  std::vector<std::uint32_t> fat;  // nodes that may hold branches
  std::vector<Ways> ways_of_fat;
  std::vector<std::vector<Vec3d>> middle_of_ways;  // of `fat`, to each node: the mean place of the path
  std::vector<int> fat_rank;                       // of each node among `fat`, or -1
  double thickest = 0;

  const Ways& ways_from(int node) const {
    return ways_of_fat[static_cast<std::size_t>(fat_rank[static_cast<std::size_t>(node)])];
  }
  const Vec3d& middle_of_way(int from, int to) const {
    return middle_of_ways[static_cast<std::size_t>(fat_rank[static_cast<std::size_t>(from)])]
                         [static_cast<std::size_t>(to)];
  }
};
// The mean places of the paths to all nodes.
std::vector<Vec3d> middles_of(const BodyGraph& graph, const Ways& ways);

// A body as it stands in one frame.
struct Stand {
  BodyFrame frame;
  double lowest = 0, height = 1;  // along up
};
Stand stand_in(const BodyGraph& graph, const BodyFrame& frame);

// Below, `v` is a joint of the reduced template, and a node is one of the graph, or -1 for a joint left out.
// Joint v at a node, by itself.
EmbedCost own_cost(const Board& board, const Stand& stand, std::size_t v, int node);
// The bone from its parent at `from` to v at `to`; infinite if impossible.
double bone_cost(const Board& board, const Stand& stand, std::size_t v, int from, int to);
// Joint v at `node` if its mirror image is at `other` and both hang from `parent`.
EmbedCost mirror_cost(const Board& board, const Stand& stand, std::size_t v, int parent, int other, int node);

// `nodes` are those of the first joints, in their order. The newest joint together with those before it,
// without their paths; infinite if impossible.
EmbedCost pair_cost(const Board& board, const Stand& stand, std::span<const int> nodes);
// The path to the newest joint together with the paths before it.
double ways_cost(const Board& board, std::span<const int> nodes);

// Of a complete placing. Limbs that no path runs through, less for those of heads, which have ears, hair and
// horns: how far their ends are from all paths, beyond the thickness there.
double unused_cost(const Board& board, std::span<const int> nodes);
// Corners of a brick are not limbs: between the ends of limbs there is mostly empty space.
double solid_cost(const Board& board, std::span<const int> nodes);
// A head is no thinner than a tail: an elephant's trunk is not its tail.
double thin_head_cost(const Board& board, std::span<const int> nodes);

}  // namespace dermis
