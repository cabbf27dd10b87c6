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

// How much of the whole work is done when the report of a verb starts, as progress tells it.
inline constexpr double kWorked = 0.5;
// The part of a verb's work before its report, if it writes one.
inline RunOptions before_report(const RunOptions& run, const std::string& report) {
  return part_of(run, 0, report.empty() ? 1 : kWorked);
}

// Each writes the report its job asks for, and notes where it is; without one, nothing.
Status report_deform(const DeformJob& job, DeformReport& report, const Deformer& deformer,
                     const PoseFrame& frame);
Status report_bake(const BakeJob& job, BakeReport& report, const Deformer& deformer, Index clip);
Status report_animate(const AnimateJob& job, AnimateReport& report, const Character& character);
Status report_bind(const BindJob& job, BindReport& report, const Character& character);
Status report_rig(const RigJob& job, RigReport& report, const Character& character);
// Where no skeleton was found: what the search saw, and what it says.
Status report_unrigged(const RigJob& job, RigReport& report, const Error& error, const Character& body);
// `repairs` are notes of loading that are findings too, and for that not in the report.
Status report_check(const CheckJob& job, CheckReport& report, const Character& character,
                    const Notes& repairs);

// A side of a comparison as it was loaded and as it is posed; both null for bare points.
struct ComparedSide {
  const Character* rest = nullptr;
  const Character* still = nullptr;
};
Status report_compare(const CompareJob& job, CompareReport& report, const std::array<ComparedSide, 2>& sides);

}  // namespace dermis
