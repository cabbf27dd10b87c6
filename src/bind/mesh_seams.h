// SPDX-License-Identifier: MIT
// Borders at which the meshes of a body continue each other.
#pragma once

#include "dermis/bind.h"

namespace dermis {

// Makes one point of those at one place that lie on an edge which ends one mesh and begins another, the same
// way round: bodies are cut into meshes there. Meshes that only touch at points stay apart, and so do those
// that are wound against each other.
void close_mesh_seams(BindSurface& surface);

}  // namespace dermis
