// SPDX-License-Identifier: MIT
// The parts of the demo, and what they share.
#pragma once

#include <functional>
#include <string>

#include "dermis/ops/demo.h"

namespace dermis {

// The path of a file in the folder of the demo.
std::string demo_file(const DemoJob& job, const std::string& name);

// Writes one file of the demo; its notes and the time go into the report.
using DemoWriter = std::function<Result<Notes>(const SaveOptions& options)>;
Status write_demo_file(const DemoWriter& write, const FileRun& run, DemoReport& report);

Result<DemoReport> demo_main(const DemoJob& job, const FileRun& run);
// The humanoid bound by every method of `bind`, and how each bends.
Result<DemoReport> demo_binding(const DemoJob& job, const FileRun& run);
// Correctives, helper joints, a control, blend shapes.
Result<DemoReport> demo_shapes(const DemoJob& job, const FileRun& run);

}  // namespace dermis
