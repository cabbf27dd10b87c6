// SPDX-License-Identifier: MIT
// The parts of the demo, and what they share.
#pragma once

#include <string>

#include "dermis/ops/demo.h"

namespace dermis {

// The path of a file in the folder of the demo.
std::string demo_file(const DemoJob& job, const std::string& name);

Result<DemoReport> demo_main(const DemoJob& job);
// The humanoid bound by every method of `bind`, and how each bends.
Result<DemoReport> demo_binding(const DemoJob& job);

}  // namespace dermis
