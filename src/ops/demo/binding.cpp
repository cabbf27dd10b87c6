// SPDX-License-Identifier: MIT
// A part of the demo: the humanoid bound by every method of `bind`, and how well each one bends.
#include <fmt/format.h>

#include "dermis/ops/bind.h"
#include "ops/demo/parts.h"
#include "ops/page/page.h"

namespace dermis {
namespace {

// One method: bound, written, bent.
Status bind_and_bend(const Asset& made, const BindMethodRow& method, const DemoJob& job, const FileRun& run,
                     ReportPage& page, DemoReport& report) {
  Asset asset = made;
  BindRequest request;
  request.method = &method;
  const Result<BindReport> bound = bind(asset, request, part_of(run, 0, 0.3));
  if (!bound) return bound.error();
  append(report.notes, notes_of_file(method.name, bound->notes));
  DemoReport::Bound row{method.name, demo_file(job, fmt::format("bound-{}.glb", method.name))};
  row.seconds = bound->seconds_binding;
  const auto write = [&](const SaveOptions& options) { return save(row.file, asset, options); };
  if (Status written = write_demo_file(write, run, report); !written) return written;
  const Result<Quality> quality = measure_quality(asset.character, {}, run.progress.part(0.3, 0.6));
  if (!quality) return quality.error();
  row.max_strain = quality->max_strain();
  row.max_volume_loss = quality->max_volume_loss();
  row.max_bleed = quality->bleed.share.max;
  const ShotMaker maker(asset.character, {row.file, false, nullptr, run});
  Result<ReportSection> worst = worst_section(maker, *quality, DeformOptions{}, part_of(run, 0.6, 1));
  if (!worst) return worst.error();
  worst->title = fmt::format("{}: {}", method.name, worst->title);
  page.sections.push_back(std::move(*worst));
  report.files.push_back(row.file);
  report.bound.push_back(std::move(row));
  return Done{};
}

ReportSection table_section(const DemoReport& report) {
  ReportTable table{{"method", "largest strain, % of an edge", "largest loss of volume, %",
                     "most weight on distant joints, %", "bound in"},
                    {}};
  for (const DemoReport::Bound& row : report.bound)
    table.rows.push_back({row.method, fmt::format("{:.1f}", 100 * row.max_strain),
                          fmt::format("{:.1f}", 100 * row.max_volume_loss),
                          fmt::format("{:.1f}", 100 * row.max_bleed), seconds_text(row.seconds)});
  return {
      "The humanoid bound by every method",
      {ReportText{"The same body and skeleton, bound by each method, then bent through the standard range "
                  "of motion. Below are the worst joints of each, coloured by strain."},
       std::move(table)}};
}

}  // namespace

Result<DemoReport> demo_binding(const DemoJob& job, const FileRun& run) {
  if (!job.stacks.empty())
    return Error{Errc::usage, "methods are chosen for the main part only"}.with_remedy("without_method");
  Asset asset;
  const Result<MakeReport> made = make({MadeKind::humanoid, {job.points}}, asset, part_of(run, 0, 0.05));
  if (!made) return made.error();
  DemoReport report;
  report.part = "binding";
  report.point_count = made->point_count;
  report.joint_count = made->joint_count;
  ReportPage page{"What binding does to a character",
                  fmt::format("made by dermis {} on a character built by code", version()),
                  {}};
  const std::span<const BindMethodRow> methods = bind_methods();
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const FileRun piece = piece_of(part_of(run, 0.05, 1), k, methods.size());
    if (Status bound = bind_and_bend(asset, methods[k], job, piece, page, report); !bound)
      return bound.error();
  }
  page.sections.insert(page.sections.begin(), table_section(report));
  report.next = {fmt::format("dermis check {}", shell_word(report.files[0])), "dermis bind --list"};
  page.sections.push_back(notes_section(report.notes, "demo"));
  page.sections.push_back(commands_section(run, report.next));
  const std::string path = demo_file(job, "binding.html");
  Notes written;  // the list of files already has it
  if (Status saved = save_report(path, page, written); !saved) return saved.error();
  report.files.push_back(path);
  return report;
}

}  // namespace dermis
