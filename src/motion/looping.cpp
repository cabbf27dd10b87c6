// SPDX-License-Identifier: MIT
// Recognises clips that end in the pose they start in.
#include <algorithm>

#include "dermis/motion.h"

namespace dermis {

bool ends_as_it_starts(const Character& character, Index clip) {
  constexpr double kSame = 1e-4;  // as a fraction of the skeleton's size
  const Clip& asked = character.clips[static_cast<std::size_t>(clip)];
  const Result<PoseFrame> first = pose_frame(character, {clip, static_cast<double>(asked.start()), nullptr});
  const Result<PoseFrame> last = pose_frame(character, {clip, static_cast<double>(asked.end()), nullptr});
  if (!first || !last) return false;
  Box box;
  for (const Affined& world_from_node : first->world_from_node) box.add(world_from_node.translation);
  const double size = box.diagonal() > 0 ? box.diagonal() : 1;
  for (std::size_t n = 0; n < first->world_from_node.size(); ++n) {
    const Affined &a = first->world_from_node[n], &b = last->world_from_node[n];
    // The position of the node and the ends of its axes.
    for (const Vec3d& place : {Vec3d{}, Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
      const double reach = place == Vec3d{} ? size : length(a * place - a.translation);
      if (length(a * place - b * place) > kSame * std::max(size, reach)) return false;
    }
  }
  return first->shape_weights == last->shape_weights;
}

}  // namespace dermis
