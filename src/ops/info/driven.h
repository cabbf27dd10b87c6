// SPDX-License-Identifier: MIT
// Drivers, rules of shapes and pose spaces in words.
#pragma once

#include "dermis/ops/inspect.h"

namespace dermis {

void list_driven(const Character& character, InfoReport& report);

}  // namespace dermis
