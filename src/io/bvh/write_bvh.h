// SPDX-License-Identifier: MIT
// Biovision BVH out.
#pragma once

#include <string>

#include "dermis/io.h"

namespace dermis {

// An asset that was read from BVH goes back as it came, but for how numbers are written; another one must be
// as bvh_from_character wants it.
Result<Notes> write_bvh(const std::string& path, const Asset& asset);

}  // namespace dermis
