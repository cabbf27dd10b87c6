// SPDX-License-Identifier: MIT
// The verb compare with a vertex cache or a sequence of files on either side.
#pragma once

#include "dermis/ops/pose.h"
#include "ops/job.h"

namespace dermis {

// Whether one of the inputs is a cache or a sequence.
bool has_frames(const CompareJob& job);
// Every frame of two caches of the same points, or of a cache and of a character in its clip at the times of
// the cache. The job has been checked except for its pose.
Result<CompareReport> compare_frames(const CompareJob& job, const FileRun& run);

}  // namespace dermis
