// SPDX-License-Identifier: MIT
// What the benchmarks share: options, records, and timing several works in turn in one run.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"

namespace dermis::bench {

using Json = nlohmann::ordered_json;

struct Options {
  std::size_t points = 1000000;
  int repetitions = 7;
};

// One line of the table and one record of the JSON.
struct Record {
  std::string text;
  Json json;
};

// Runs the works in turn, `repetitions` times, and returns the best seconds of each: the machine is noisy,
// and what runs side by side in one process meets the same noise.
std::vector<double> best_seconds(const std::vector<std::function<void()>>& works, int repetitions);

// Loading a made GLB beside reading the same bytes.
Result<std::vector<Record>> bench_load(const Options& options);

// One skinning method at its standard settings, beside the plain Eigen loop (E) and a copy of the same bytes.
// For direct_delta_mush the skin has four influences per point; smoothed rows are longer.
bool can_bench(const StageRow& row);
Result<std::vector<Record>> bench_skin(const StageRow& row, const Options& options);

// LBS, QB, log, SBS and DLB on the built-in humanoid at 20,000 and a million points.
Result<std::vector<Record>> bench_human(const Options& options);

// Volume, strain, self-intersections and the other measures at 100,000 points.
Result<std::vector<Record>> bench_measure(const Options& options);

// Every method of automatic weights at 10,000, 50,000 and 200,000 points, beside a bare factorization.
Result<std::vector<Record>> bench_bind(const Options& options);

// Skeletons found at 10,000, 50,000 and 200,000 points, beside filling the body with cells alone.
Result<std::vector<Record>> bench_rig(const Options& options);

// A still of the built-in humanoid, beside its camera rays alone.
Result<std::vector<Record>> bench_render(const Options& options);

// A crowd: clips, kinematics, packing and skinning of ten thousand characters, in frames a second.
Result<std::vector<Record>> bench_stampede(const Options& options);

}  // namespace dermis::bench
