// SPDX-License-Identifier: MIT
// Automatic weights of the made humanoid by every method, compared with a bare factorization of its
// Laplacian.
#include <fmt/format.h>

#include <algorithm>

#include "bench.h"
#include "dermis/made.h"
#include "dermis/ops.h"

namespace dermis::bench {
namespace {

constexpr std::size_t kSizes[] = {10'000, 50'000, 200'000, 1'000'000};
// A binding takes long enough to stand out from the noise.
constexpr int kMostRepetitions = 3;

struct Bound {
  BindSurface surface;
  BindSkeleton skeleton;
};

// Without fingers, like the peers' measurements: 21 joints. Finger joints have a number in their name.
Result<Bound> humanoid(std::size_t points) {
  const Result<Character> human = make_character(MadeKind::humanoid, {points});
  if (!human) return human.error();
  std::vector<Index> joints;
  for (const Index node : human->skins[0].node) {
    const std::string& name = human->nodes[static_cast<std::size_t>(node)].name;
    if (name.find_first_of("0123456789") == std::string::npos) joints.push_back(node);
  }
  Result<BindSurface> surface = bind_surface(*human);
  if (!surface) return surface.error();
  Result<BindSkeleton> skeleton = bind_skeleton(*human, *surface, joints);
  if (!skeleton) return skeleton.error();
  return Bound{std::move(*surface), std::move(*skeleton)};
}

// The minimum cost of any solve on this surface: one factorization of Laplacian and areas.
Status factor_alone(const BindSurface& surface, std::span<const double> areas) {
  const Result<LaplacianSolver> solver =
      factor_laplacian(cotangent_laplacian(surface.points, surface.triangles), areas, 1);
  if (!solver) return solver.error();
  return Done{};
}

Status add_size(std::size_t points, int repetitions, std::vector<Record>& records) {
  const Result<Bound> made = humanoid(points);
  if (!made) return made.error();
  std::vector<double> areas = point_areas(made->surface.points, made->surface.triangles);
  for (double& area : areas) area += 1e-12;  // points without triangles must not make it singular
  std::vector<const char*> names{"factorization"};
  Status fine = Done{};
  std::vector<std::function<void()>> works{[&] {
    if (Status factored = factor_alone(made->surface, areas); !factored) fine = factored;
  }};
  for (const BindMethodRow& method : bind_methods()) {
    names.push_back(method.name);
    works.emplace_back([&, &method = method] {
      const Result<BoundRows> rows = method.bind(made->surface, made->skeleton, {}, {});
      if (!rows) fine = rows.error();
    });
  }
  const std::vector<double> seconds = best_seconds(works, repetitions);
  if (!fine) return fine;
  for (std::size_t k = 0; k < names.size(); ++k) {
    Record record;
    record.text = fmt::format(
        "bind        {:<14} {:>8} points {:>3} joints  {:8.3f} s  {:6.2f} factorizations", names[k],
        made->surface.points.size(), made->skeleton.joint_count(), seconds[k], seconds[k] / seconds[0]);
    record.json = {{"name", "bind"},
                   {"method", names[k]},
                   {"points", made->surface.points.size()},
                   {"joints", made->skeleton.joint_count()},
                   {"seconds", seconds[k]},
                   {"factorizations", seconds[k] / seconds[0]}};
    records.push_back(std::move(record));
  }
  return Done{};
}

}  // namespace

Result<std::vector<Record>> bench_bind(const Options& options) {
  return without_throwing("binding", [&]() -> Result<std::vector<Record>> {
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
