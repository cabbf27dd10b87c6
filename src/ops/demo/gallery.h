// SPDX-License-Identifier: MIT
// The artifact gallery: what each method does wrong, on the built-in tube and arm, with pictures and numbers.
#pragma once

#include <vector>

#include "dermis/picture.h"
#include "ops/job.h"

namespace dermis {

// First what linear blending does wrong and how other methods avoid it, to open a report; then each artifact;
// then volume against the angle of a joint, method by method.
Result<std::vector<ReportSection>> artifact_gallery(const Run& run);

}  // namespace dermis
