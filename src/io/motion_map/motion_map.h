// SPDX-License-Identifier: MIT
// Maps of motions as text: what reading and writing share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dermis/io.h"

namespace dermis {

std::string motion_map_json(std::span<const MotionMapRow> rows);

}  // namespace dermis
