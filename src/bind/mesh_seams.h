// SPDX-License-Identifier: MIT
// Borders along which the meshes of a body adjoin.
#pragma once

#include "dermis/bind.h"

namespace dermis {

// Joins coincident points on an edge that ends one mesh and begins another with the same winding: bodies are
// split into meshes there. Meshes that only touch at points stay separate, and so do those of opposite
// winding.
void close_mesh_seams(BindSurface& surface);

}  // namespace dermis
