// SPDX-License-Identifier: MIT
// The version set by the build.
#include "dermis/base.h"

namespace dermis {

const char* version() { return DERMIS_VERSION; }

}  // namespace dermis
