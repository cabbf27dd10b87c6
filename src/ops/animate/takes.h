// SPDX-License-Identifier: MIT
// Takes of weights and keys by hand, from file to file: what animate does without a motion.
#pragma once

#include "dermis/ops/animate.h"
#include "ops/job.h"

namespace dermis {

// The map of shapes that is saved, if one is asked for, goes where it may.
Status check_shape_map_output(const AnimateJob& job);
// Reads the take of a job and puts it onto the character; the map of shapes is saved if asked for.
Result<AnimateReport> take_onto(const AnimateJob& job, Asset& asset, const FileRun& run,
                                const ClipPlace& place);
Result<AnimateReport> animate_by_take(const AnimateJob& job);
Result<AnimateReport> animate_by_keys(const AnimateJob& job);

}  // namespace dermis
