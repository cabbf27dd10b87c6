// SPDX-License-Identifier: MIT
// The verb demo: the table of its parts.
#include "ops/demo/parts.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace dermis {
namespace {

constexpr std::array kDemoParts{
    DemoPart{"main", "a bare humanoid gets a skeleton, weights and a walk, and is posed by every method",
             demo_main},
    DemoPart{"binding", "the humanoid bound by every method of bind, and how well each one bends",
             demo_binding},
    DemoPart{"shapes", "a corrected elbow, a forearm with twist joints, a breathing chest, a face",
             demo_shapes},
};

Result<const DemoPart*> find_part(const std::string& name) {
  std::vector<std::string_view> names;
  names.reserve(kDemoParts.size());
  for (const DemoPart& part : kDemoParts) {
    if (name == part.name) return &part;
    names.emplace_back(part.name);
  }
  return Error{Errc::usage, fmt::format("the demo has no part '{}'{} (it has {})", name,
                                        did_you_mean(name, names), fmt::join(names, ", "))};
}

}  // namespace

std::span<const DemoPart> demo_parts() { return kDemoParts; }

std::string demo_file(const DemoJob& job, const std::string& name) {
  return (std::filesystem::path(job.folder) / name).string();
}

Status write_demo_file(const DemoWriter& write, const FileRun& run, DemoReport& report) {
  return write_file({.run = run}, write, {}, report);
}

Result<DemoReport> demo(const DemoJob& job) {
  return without_throwing("demo", [&]() -> Result<DemoReport> {
    const Result<const DemoPart*> part = find_part(job.part);
    if (!part) return part.error();
    std::error_code failed;
    std::filesystem::create_directories(job.folder, failed);
    if (failed)
      return Error{Errc::unreadable,
                   fmt::format("{}: cannot make this folder: {}", job.folder, failed.message())};
    FileVerb<DemoReport> verb{.opens_input = false, .needs_output = false};
    verb.work = [&](Asset&, const FileRun& run) { return (*part)->work(job, run); };
    Result<DemoReport> report = run_on_files({.run = job.run}, verb);
    if (report) report->part = (*part)->name;
    return report;
  });
}

}  // namespace dermis
