// SPDX-License-Identifier: MIT
// The steps that every verb takes from file to file.
#include "dermis/ops/files.h"

#include <fmt/format.h>

#include "ops/job.h"
#include "ops/page/page.h"

namespace dermis {

Status check_files(const FileJob& job, const std::vector<std::string>& extensions,
                   const std::vector<std::string>& also_read) {
  std::vector<std::string> inputs = also_read;
  inputs.push_back(job.input);
  if (!job.output.empty()) {
    if (Status good = check_output(job.output, inputs, extensions, job.run); !good) return good;
    if (Status good = check_save_options(job.output, job.save); !good) return good;
  }
  return check_report(job.report, inputs, job.run);
}

Result<Asset> open_file(const std::string& path, const FileRun& run) {
  return run.reading([&] { return load(path, run.load(), run.progress); });
}

Result<CacheAsset> open_frames(const std::string& path, const CacheChoice& choice, const FileRun& run) {
  CacheOptions options;
  options.max_memory = run.max_memory;
  options.up = choice.up.value_or(run.up);
  options.point_count = choice.point_count;
  if (choice.fps > 0) options.fps = choice.fps;
  return run.reading([&] { return load_cache(path, options, run.progress); });
}

Notes notes_of_file(const std::string& file, Notes notes) {
  for (Note& note : notes) {
    if (!note.sentence.starts_with(file + ":")) note.sentence = fmt::format("{}: {}", file, note.sentence);
  }
  return notes;
}

Status write_file(const FileJob& job, const std::function<Result<Notes>(const SaveOptions& options)>& write,
                  const Progress& progress, FileReport& report) {
  Stopwatch watch;
  SaveOptions options = job.save;
  options.overwrite_side_files = job.run.force;
  options.progress = progress;
  const Result<Notes> saved = write(options);
  if (!saved) return saved.error();
  append(report.notes, *saved);
  report.seconds_saving += watch.lap();
  static_cast<void>(progress.at("writing", 1));  // it is written: too late to stop
  return Done{};
}

Error after_writing(const std::string& output, Error error) {
  if (!output.empty()) error.sentence += fmt::format("; {} is written, and complete", output);
  return error;
}

}  // namespace dermis
