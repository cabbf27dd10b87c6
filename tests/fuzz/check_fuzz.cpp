// SPDX-License-Identifier: MIT
// Any character checked, repaired and checked again: what was repaired is valid and needs no more repairs.
#include "dermis/ops.h"
#include "made_character.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  fuzz::use_one_thread();
  static const fuzz::OutputFile made("-made.glb"), fixed("-fixed.glb"), again("-again.glb");
  fuzz::Dice dice(data, size);
  const bool has_quality = dice.one_in(2);
  const Asset asset{fuzz::made_character(dice)};
  CheckJob job;
  job.has_quality = has_quality;
  job.run.max_memory = fuzz::kMaxMemory;
  job.run.force = true;
  if (const Result<CheckReport> report = check(asset, job, {{}, fuzz::kMaxMemory}); !report) {
    fuzz::require_sentence(report.error());
  }
  if (const Result<Notes> saved = save(made.path, asset); !saved) {
    fuzz::require_sentence(saved.error());
    return 0;
  }
  job.input = made.path;
  job.output = fixed.path;
  const Result<CheckReport> first = check(job);
  if (!fuzz::require_valid_or_error(first, asset.character, "what was checked is valid")) return 0;
  job.input = fixed.path;
  job.output = again.path;
  const Result<CheckReport> second = check(job);
  fuzz::require(second.ok(), "what was repaired can be checked", second ? "" : second.error().sentence);
  fuzz::require(second->mended_count == 0, "repairs are complete at once",
                second->mended_count > 0 && !second->notes.empty() ? second->notes.front().sentence : "");
  return 0;
}
