// SPDX-License-Identifier: MIT
// What the header of a file says about its rig, for formats of which assimp reads only the meshes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dermis/io.h"

namespace dermis {

// Counts of what a file states; zero where it states nothing, or is of another format.
struct StatedRig {
  std::uint32_t joints = 0, clips = 0;
  std::uint32_t frames = 0;                              // whole meshes, one per moment
  std::uint32_t armatures = 0, actions = 0, shapes = 0;  // blocks of a .blend
};
// Of .iqm, .md2, .md3 and .blend files, also packed by gzip. Any bytes are fine.
StatedRig stated_rig(std::span<const std::byte> bytes);

// Losses: what the file states and the character does not have.
Notes rig_left_out(const StatedRig& stated, const Character& character);

}  // namespace dermis
