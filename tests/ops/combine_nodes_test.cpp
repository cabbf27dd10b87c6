// SPDX-License-Identifier: MIT
// Which nodes of a garment are added to a body, against the definition node by node.
#include <gtest/gtest.h>

#include <algorithm>

#include "forests.h"
#include "notes.h"
#include "ops/combine/garment.h"

namespace dermis {
namespace {

// Some nodes of the garment, each with a node of the body of its own.
std::vector<Index> random_match(test::Random& random, const Character& garment, const Character& body) {
  const std::vector<Index> order = test::shuffled(random, static_cast<int>(body.nodes.size()));
  std::vector<Index> match(garment.nodes.size(), kNone);
  for (std::size_t n = 0; n < std::min(match.size(), order.size()); ++n) {
    if (random.below(3) == 0) match[n] = order[n];
  }
  return match;
}

// Unmatched nodes at or below a joint without a match between, and nodes of rigid meshes; each with its
// ancestors up to a matched one.
std::vector<bool> needed_by_climbing(const Character& garment, const std::vector<Index>& match) {
  const std::vector<bool> is_joint = skin_joints(garment);
  const auto parent = [&](Index node) { return garment.nodes[at(node)].parent; };
  std::vector<Index> starts;
  for (Index node = 0; node < static_cast<Index>(garment.nodes.size()); ++node) {
    Index up = node;
    while (up != kNone && match[at(up)] == kNone && !is_joint[at(up)]) up = parent(up);
    if (up != kNone && match[at(up)] == kNone) starts.push_back(node);
  }
  for (const Instance& instance : garment.instances) {
    if (instance.skin == kNone) starts.push_back(instance.node);
  }
  std::vector<bool> is_needed(garment.nodes.size(), false);
  for (const Index start : starts) {
    is_needed[at(start)] = true;
    for (Index up = parent(start); up != kNone && match[at(up)] == kNone; up = parent(up))
      is_needed[at(up)] = true;
  }
  return is_needed;
}

// Nodes that are not needed, show nothing and lead to no matched one.
std::size_t left_count(const Character& garment, const std::vector<Index>& match,
                       const std::vector<bool>& is_needed) {
  const auto count = static_cast<Index>(garment.nodes.size());
  std::size_t left = 0;
  for (Index node = 0; node < count; ++node) {
    bool is_used = is_needed[at(node)];
    for (const Instance& instance : garment.instances) is_used = is_used || instance.node == node;
    for (Index other = 0; other < count; ++other)
      is_used = is_used || (match[at(other)] != kNone && test::climbs_to(garment.nodes, other, node));
    left += is_used ? 0 : 1;
  }
  return left;
}

TEST(CombinedNodes, AreThoseThatClimbingFindsOnRandomForests) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Character body = test::random_skinned(random), garment = test::random_skinned(random);
    const Index rigid_node = random.below(static_cast<int>(garment.nodes.size()));
    garment.instances.push_back({rigid_node, 0, kNone, {}, true});
    const std::vector<Index> match = random_match(random, garment, body);
    const std::vector<bool> is_needed = needed_by_climbing(garment, match);
    const std::size_t own_count = body.nodes.size();
    const CombineRequest request;
    CombineReport::Part part;
    Notes notes;
    GarmentBeingAdded adding{"coat.glb", garment, body, request, part, notes};
    adding.match = match;
    add_nodes(adding);
    std::size_t added_count = 0;
    for (std::size_t n = 0; n < match.size(); ++n) {
      const bool is_added = match[n] == kNone && is_needed[n];
      EXPECT_EQ(adding.place[n] >= static_cast<Index>(own_count), is_added) << n;
      if (!is_added) {
        EXPECT_EQ(adding.place[n], match[n]) << n;
      }
      added_count += is_added ? 1 : 0;
    }
    EXPECT_EQ(body.nodes.size(), own_count + added_count);
    const std::size_t left = left_count(garment, match, is_needed);
    EXPECT_EQ(test::has_note(notes, "nodes-left-out"), left > 0);
    if (left > 0) {
      EXPECT_NE(notes[0].sentence.find(fmt::format(": {} node", left)), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace dermis
