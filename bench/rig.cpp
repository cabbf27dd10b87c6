// SPDX-License-Identifier: MIT
// Skeletons found in the made humanoid, compared with only filling it with cells.
#include <fmt/format.h>

#include <algorithm>

#include "bench.h"
#include "dermis/made.h"
#include "dermis/ops.h"

namespace dermis::bench {
namespace {

constexpr std::size_t kSizes[] = {10'000, 50'000, 200'000};
constexpr int kMostRepetitions = 3;

Status add_size(std::size_t points, int repetitions, std::vector<Record>& records) {
  const Result<Character> human = make_character(MadeKind::humanoid, {points});
  if (!human) return human.error();
  const Result<BindSurface> surface = bind_surface(*human);
  if (!surface) return surface.error();
  RigOptions options;
  options.templates.assign(rig_templates().begin(), rig_templates().end());
  SolidOptions solid;
  solid.filled_budget = options.cells;
  Status fine = Done{};
  const std::vector<double> seconds = best_seconds(
      {[&] {
         const Result<VoxelSolid> cells = voxelize_solid(surface->points, surface->triangles, solid);
         if (!cells) fine = cells.error();
       },
       [&] {
         const Result<FoundSkeleton> found = find_skeleton(surface->points, surface->triangles, options);
         if (!found) fine = found.error();
       }},
      repetitions);
  if (!fine) return fine;
  constexpr const char* kNames[] = {"cells", "skeleton"};
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    Record record;
    record.text = fmt::format("rig         {:<14} {:>8} points  {:8.3f} s  {:6.2f} times the cells alone",
                              kNames[k], surface->points.size(), seconds[k], seconds[k] / seconds[0]);
    record.json = {{"name", "rig"},
                   {"work", kNames[k]},
                   {"points", surface->points.size()},
                   {"seconds", seconds[k]},
                   {"times_cells", seconds[k] / seconds[0]}};
    records.push_back(std::move(record));
  }
  return Done{};
}

}  // namespace

Result<std::vector<Record>> bench_rig(const Options& options) {
  return without_throwing("rigging", [&]() -> Result<std::vector<Record>> {
    std::vector<Record> records;
    for (const std::size_t points : kSizes) {
      if (points > options.points) continue;
      const Status added = add_size(points, std::min(options.repetitions, kMostRepetitions), records);
      if (!added) return added.error();
    }
    return records;
  });
}

}  // namespace dermis::bench
