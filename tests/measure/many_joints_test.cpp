// SPDX-License-Identifier: MIT
// Skeletons of many joints: measuring them takes no more than their poses do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "characters.h"
#include "counted_allocations.h"
#include "dermis/measure.h"

namespace dermis {
namespace {

// A tube that follows its first joint, except for a point at the end of a chain of joints.
Character chained_tube(int joint_count) {
  Character character = test::tube_character({.rings = 5, .sides = 4}, {0, 1, 0});
  Skin& skin = character.skins[0];
  while (static_cast<int>(skin.node.size()) < joint_count) {
    const auto last = static_cast<Index>(character.nodes.size()) - 1;
    character.nodes.push_back(test::node_at("", last, {0, 0.01f, 0}));
    character.nodes.back().name = fmt::format("joint {}", skin.node.size());
    skin.node.push_back(last + 1);
    skin.inverse_bind.emplace_back();
  }
  // Every joint of the chain moves a point.
  character.meshes[0].weights = {};
  WeightRowBuilder rows;
  for (std::size_t v = 0; v < character.meshes[0].points.size(); ++v) {
    rows.add(v == 0 ? static_cast<Index>(skin.node.size()) - 1 : 0, 1);
    rows.close_row(0);
  }
  character.meshes[0].weights = rows.take();
  return character;
}

std::size_t allocations_with(int joint_count) {
  const Character character = chained_tube(joint_count);
  set_thread_count(1);
  const std::size_t count = test::allocations_of([&] { EXPECT_TRUE(measure_quality(character, {})); });
  set_thread_count(0);
  return count;
}

// The names of all joints used to be collected again for each pose of each joint.
TEST(ManyJoints, AllocateInProportionToTheirNumber) {
  const auto few = static_cast<double>(allocations_with(40)),
             many = static_cast<double>(allocations_with(160));
  EXPECT_LT(many / few, 6);
}

}  // namespace
}  // namespace dermis
