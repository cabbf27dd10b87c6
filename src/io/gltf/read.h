// SPDX-License-Identifier: MIT
// A glTF document read into a character.
#pragma once

#include "dermis/io.h"
#include "io/gltf/document.h"

namespace dermis {

// Parses, reads and validates. `folder` is where external buffers may lie; empty refuses them.
Result<Asset> read_gltf(Bytes bytes, const std::string& path, const std::string& folder,
                        const LoadOptions& options, const Progress& progress);

}  // namespace dermis
