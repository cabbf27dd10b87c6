// SPDX-License-Identifier: MIT
// What the benchmarks share: options, records, and timing several tasks alternately in one run.
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

// Runs the tasks alternately, `repetitions` times, and returns the best seconds of each: the machine is
// noisy, and tasks that alternate in one process see the same noise.
std::vector<double> best_seconds(const std::vector<std::function<void()>>& works, int repetitions);

// Loading large made files, compared with reading the same bytes.
Result<std::vector<Record>> bench_load(const Options& options);

// One skinning method at its standard settings, compared with the plain Eigen loop (E) and a copy of the same
// bytes. For direct_delta_mush the skin has four influences per point; smoothed rows are longer.
bool can_bench(const StageRow& row);
Result<std::vector<Record>> bench_skin(const StageRow& row, const Options& options);

// LBS, QB, log, SBS and DLB on the built-in humanoid at 20,000 and a million points.
Result<std::vector<Record>> bench_human(const Options& options);

// Volume, strain, self-intersections and the other measures at 100,000 points.
Result<std::vector<Record>> bench_measure(const Options& options);

// Every method of automatic weights at 10,000 to 1,000,000 points, compared with a bare factorization.
Result<std::vector<Record>> bench_bind(const Options& options);

// Skeletons found at 10,000, 50,000 and 200,000 points, compared with only filling the body with cells.
Result<std::vector<Record>> bench_rig(const Options& options);

// Blend shapes at 100,000 points, compared with a plain loop and a copy of the same bytes.
Result<std::vector<Record>> bench_shapes(const Options& options);

// A still of the built-in humanoid, compared with its camera rays alone.
Result<std::vector<Record>> bench_render(const Options& options);

// A crowd: clips, kinematics, packing and skinning of ten thousand characters, in frames per second.
Result<std::vector<Record>> bench_stampede(const Options& options);

}  // namespace dermis::bench
