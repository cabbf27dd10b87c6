// SPDX-License-Identifier: MIT
// Connected pieces of meshes, as users name them.
#pragma once

#include <string>
#include <vector>

#include "dermis/model.h"

namespace dermis {

// A connected piece of a mesh: as shells_of_welded_points numbers them.
struct ShellChoice {
  std::string mesh;  // a label; empty: the only mesh that is worked on
  Index shell = 0;
};

}  // namespace dermis
