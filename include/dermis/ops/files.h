// SPDX-License-Identifier: MIT
// Files in, files out: how verbs, which work in memory, run on files.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"

namespace dermis {

// The files of one call of a verb.
struct FileJob {
  std::string input{};
  std::string output{};  // empty: nothing is written
  SaveOptions save{};    // how characters are written
  RunOptions run{};
  std::string report{};  // .html; empty: none
  bool accepts_doubts = false;
};

// How a verb runs between files: it reads every file through its run, which counts the time.
struct FileRun : RunOptions {
  double* seconds_loading = nullptr;  // grows by what reading takes; null: not counted

  // Calls `read` and counts its time as loading.
  template <class Read>
  auto reading(Read&& read) const {
    const auto start = std::chrono::steady_clock::now();
    auto what = read();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (seconds_loading != nullptr) *seconds_loading += taken.count();
    return what;
  }
};

// Loading ends at the first fraction of the progress; saving starts at the second. The verb runs in between.
inline constexpr double kLoaded = 0.2, kDone = 0.95;
// With a report, drawing it starts at this fraction of the progress.
inline constexpr double kWorked = 0.5;

// A verb, and how it works from file to file. Only `work` is required. It gets a valid asset, as from `load`,
// and must leave it valid.
template <class Report>
struct FileVerb {
  // Extensions allowed for the output: ".glb".
  std::vector<std::string> extensions{};
  // Files that `work` reads besides the input; none of them is overwritten unless forced.
  std::vector<std::string> also_read{};
  // Notes from loading name their file, because several files are read.
  bool names_files = false;
  // False for verbs that make their asset, or whose inputs are more than one asset: `work` gets an empty
  // asset, and opens what it needs through its run.
  bool opens_input = true;
  // The verb itself reports the notes from loading the input.
  bool tells_reading = false;
  // Without an output the verb has nothing to do.
  bool needs_output = true;
  // The verb, on the loaded asset.
  std::function<Result<Report>(Asset& asset, const FileRun& run)> work{};
  // Writes the result; unset: saves the asset.
  std::function<Result<Notes>(const Asset& asset, const SaveOptions& options)> write{};
  // Draws the report that the job requests; unset: there is none.
  std::function<Status(const Asset& asset, Report& report)> page{};
};

// ---- The steps ----

// Refuses an output that is an input (unless forced), whose folder does not exist, or whose extension is not
// in the list, options of saving that its format cannot honour, and a report that is not .html. Checked
// before the work, so that nobody waits in vain.
Status check_files(const FileJob& job, const std::vector<std::string>& extensions,
                   const std::vector<std::string>& also_read);
// A character, with the run's options and progress; timed.
Result<Asset> open_file(const std::string& path, const FileRun& run);
// The same for a vertex cache or a sequence; see CacheOptions. An `fps` of 0 is kDefaultFps, with a note.
struct CacheChoice {
  double fps = 0;
  std::size_t point_count = 0;  // for files that do not state it
  std::optional<UpAxis> up{};   // unset: that of the run
};
Result<CacheAsset> open_frames(const std::string& path, const CacheChoice& choice, const FileRun& run);
// Adds the file's name to the sentences of its notes: for verbs that read several files.
Notes notes_of_file(const std::string& file, Notes notes);
// Writes the job's output; adds notes and seconds to the report.
Status write_file(const FileJob& job, const std::function<Result<Notes>(const SaveOptions& options)>& write,
                  const Progress& progress, FileReport& report);
// The error of a step after the output was written, with the words that it is there; `output` may be empty.
Error after_writing(const std::string& output, Error error);
// The same run, with its progress as a part of the whole.
template <class AnyRun>
AnyRun part_of(const AnyRun& run, double from, double to) {
  AnyRun part = run;
  part.progress = run.progress.part(from, to);
  return part;
}

// ---- All steps ----

// Checks, reads, works, writes and draws; times each step and collects all notes in the verb's report. The
// output is valid, and is written completely or not at all.
template <class Report>
Result<Report> run_on_files(const FileJob& job, const FileVerb<Report>& verb) {
  return without_throwing(job.input.empty() ? Report::kVerb : job.input, [&]() -> Result<Report> {
    if (job.output.empty() && verb.needs_output)
      return Error{Errc::usage, "an output is needed"}.with_remedy("output");
    if (!job.report.empty() && !verb.page) return Error{Errc::usage, "this verb draws no report"};
    if (Status good = check_files(job, verb.extensions, verb.also_read); !good) return good.error();
    double seconds_loading = 0;
    const FileRun run{part_of(job.run, 0, job.report.empty() ? 1 : kWorked), &seconds_loading};
    Result<Asset> opened = verb.opens_input ? open_file(job.input, part_of(run, 0, kLoaded)) : Asset{};
    if (!opened) return opened.error();
    Asset& asset = *opened;
    const double from = verb.opens_input ? kLoaded : 0, to = job.output.empty() ? 1 : kDone;
    Result<Report> report = verb.work(asset, part_of(run, from, to));
    if (!report) return report.error();
    if (!verb.tells_reading) {
      const Notes read = verb.names_files ? notes_of_file(job.input, asset.notes) : asset.notes;
      report->notes.insert(report->notes.begin(), read.begin(), read.end());
    }
    report->input = job.input;
    report->output = job.output;
    report->is_doubt_accepted = job.accepts_doubts;
    report->seconds_loading = seconds_loading;
    if (!job.output.empty()) {
      const auto write = [&](const SaveOptions& options) {
        return verb.write ? verb.write(asset, options) : save(job.output, asset, options);
      };
      if (Status written = write_file(job, write, run.progress.part(kDone, 1), *report); !written)
        return written.error();
    }
    if (!job.report.empty()) {
      if (Status drawn = verb.page(asset, *report); !drawn) return after_writing(job.output, drawn.error());
    }
    return report;
  });
}

}  // namespace dermis
