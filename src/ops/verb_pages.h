// SPDX-License-Identifier: MIT
// report.html of the verbs: what each did, with pictures.
#pragma once

#include <array>

#include "dermis/ops/animate.h"
#include "dermis/ops/bind.h"
#include "dermis/ops/inspect.h"
#include "dermis/ops/pose.h"
#include "dermis/ops/rig.h"
#include "ops/job.h"

namespace dermis {

// Each writes the report its job requests, and notes its path; without a request, nothing.
Status report_deform(const DeformJob& job, DeformReport& report, const Deformer& deformer,
                     const PoseFrame& frame);
Status report_bake(const BakeJob& job, BakeReport& report, const Deformer& deformer, Index clip);
Status report_animate(const AnimateJob& job, AnimateReport& report, const Character& character);
Status report_bind(const BindJob& job, BindReport& report, const Character& character);
Status report_rig(const RigJob& job, RigReport& report, const Character& character);
// If no skeleton was found: what the search saw, and its error.
Status report_unrigged(const RigJob& job, RigReport& report, const Error& error, const Character& body);
// `repairs` are notes from loading that are also findings, and therefore not in the report.
Status report_check(const CheckJob& job, CheckReport& report, const Character& character,
                    const Notes& repairs);

// A side of a comparison as it was loaded and as it is posed; both null for bare points.
struct ComparedSide {
  const Character* rest = nullptr;
  const Character* still = nullptr;
};
Status report_compare(const CompareJob& job, CompareReport& report, const std::array<ComparedSide, 2>& sides);

}  // namespace dermis
