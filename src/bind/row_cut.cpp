// SPDX-License-Identifier: MIT
// Cuts rows to fewer joints continuously, and distributes the weight removed.
#include "bind/row_cut.h"

#include <algorithm>
#include <cmath>

#include "bind/places.h"

namespace dermis {
namespace {

// A joint one step further along the skeleton takes this much less of the weight removed: nearly all goes to
// the nearest remaining joint, which moves most like it. A power of two; of a fourth, a sixteenth and a
// sixty-fourth, the last comes closest to artists' weights.
constexpr int kHalvings = 6;
// Steps beyond this do not count: all are far, and powers stay in range.
constexpr int kMostSteps = 40;

}  // namespace

RowCut::RowCut(const std::vector<Node>& nodes, const Skin& skin)
    : nodes_(nodes), skin_(skin), depth_(nodes.size(), 0) {
  for (const Index node : parents_first(nodes)) {
    const Index parent = nodes[at(node)].parent;
    if (parent != kNone) depth_[at(node)] = depth_[at(parent)] + 1;
  }
}

// By steps from node to node between two joints. A joint counts as one step from itself: if it were nearer,
// it would take back at once what it must lose where another replaces it.
double RowCut::nearness(Index a, Index b) const {
  Index left = skin_.node[at(a)], right = skin_.node[at(b)];
  int steps = 0;
  while (left != right && steps < kMostSteps) {
    // Roots of different trees have no common ancestor; that counts as a step each.
    Index& deeper = right == kNone || (left != kNone && depth_[at(left)] >= depth_[at(right)]) ? left : right;
    deeper = nodes_[at(deeper)].parent;
    ++steps;
  }
  return std::ldexp(1.0, -kHalvings * std::max(steps, 1));
}

std::map<Index, double> RowCut::cut(const std::map<Index, double>& row, std::size_t count,
                                    double least) const {
  std::vector<std::pair<double, Index>> heaviest;
  heaviest.reserve(row.size());
  for (const auto& [slot, weight] : row) heaviest.emplace_back(-weight, slot);
  std::sort(heaviest.begin(), heaviest.end());
  // The heaviest weight that is cut is subtracted from those that stay, less from heavier ones: equal weights
  // become zero, and may swap.
  const bool is_long = count > 0 && heaviest.size() > count;
  const double goes = std::max(is_long ? -heaviest[count].first : 0, least);
  if (is_long) heaviest.resize(count);
  std::map<Index, double> left;
  for (const auto& [minus_weight, slot] : heaviest) {
    const double weight = -minus_weight, ratio = goes / weight, rest = weight - goes * ratio * ratio;
    if (rest > 0) left.emplace(slot, rest);
  }
  // All are equal: any will do.
  if (left.empty()) left.emplace(heaviest[0].second, -heaviest[0].first);
  std::map<Index, double> cut = left;
  for (const auto& [slot, weight] : row) {
    const auto kept = left.find(slot);
    const double lost = kept == left.end() ? weight : weight - kept->second;
    double sum = 0;
    for (const auto& [taker, rest] : left) sum += rest * nearness(slot, taker);
    if (!(lost > 0) || !(sum > 0)) continue;
    for (const auto& [taker, rest] : left) cut[taker] += lost * rest * nearness(slot, taker) / sum;
  }
  return cut;
}

}  // namespace dermis
