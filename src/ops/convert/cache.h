// SPDX-License-Identifier: MIT
// The verb convert with a vertex cache or a sequence of files on either side.
#pragma once

#include "dermis/ops/convert.h"

namespace dermis {

bool has_cache(const ConvertJob& job);
Result<ConvertReport> convert_cache(const ConvertJob& job);

}  // namespace dermis
