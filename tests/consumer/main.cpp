// SPDX-License-Identifier: MIT
// What a user of the installed package writes: it includes dermis headers and nothing of what stands below.
#include <cstdio>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"

int main() {
  dermis::Character character;
  character.nodes.push_back({.name = "shoulder_L"});
  character.nodes.push_back({.name = "elbow_L", .parent = 0});
  if (const dermis::Status status = dermis::validate(character); !status) {
    std::printf("%s\n", status.error().sentence.c_str());
    return 1;
  }
  const dermis::Quatd turn = dermis::quat_from_axis_angle({0, 0, 1}, dermis::radians_from_degrees(90));
  const dermis::Vec3d hand = dermis::rotate(turn, dermis::Vec3d{1, 0, 0});
  std::printf("dermis %s: %zu nodes, a hand at (%.0f, %.0f, %.0f)\n", dermis::version(),
              character.nodes.size(), hand.x, hand.y, hand.z);
  return 0;
}
