// SPDX-License-Identifier: MIT
// The artifact gallery: what each method does wrong, on the built-in tube and arm, with pictures and numbers.
#pragma once

#include <vector>

#include "dermis/picture.h"
#include "ops/job.h"

namespace dermis {

// What linear blending does wrong and what others do about it, as the first thing of a report; then every
// artifact for itself; then volume against the angle of a joint, method by method.
Result<std::vector<ReportSection>> artifact_gallery(const RunOptions& run);

}  // namespace dermis
