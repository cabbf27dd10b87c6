// SPDX-License-Identifier: MIT
// The version that the build was given.
#include "dermis/base.h"

namespace dermis {

const char* version() { return DERMIS_VERSION; }

}  // namespace dermis
