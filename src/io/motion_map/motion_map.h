// SPDX-License-Identifier: MIT
// Motion maps as text: constants shared by reading and writing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dermis/io.h"

namespace dermis {

std::string motion_map_json(std::span<const MotionMapRow> rows);

}  // namespace dermis
