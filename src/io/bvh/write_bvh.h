// SPDX-License-Identifier: MIT
// Writes Biovision BVH.
#pragma once

#include <string>

#include "dermis/io.h"

namespace dermis {

// An asset read from BVH is written back unchanged, except for how numbers are formatted; any other must meet
// the requirements of bvh_from_character.
Result<Notes> write_bvh(const std::string& path, const Asset& asset, const Progress& progress);

}  // namespace dermis
