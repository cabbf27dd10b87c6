// SPDX-License-Identifier: MIT
// The measures on a posed humanoid, compared with a plain pass over the points and triangles they read.
#include <fmt/format.h>

#include "bench.h"
#include "dermis/made.h"
#include "dermis/measure.h"

namespace dermis::bench {
namespace {

constexpr std::size_t kPoints = 100'000;

// The least a measure must read, once: both surfaces and the triangles. The sum keeps it from being optimised
// away.
double plain_pass(const MeasuredSurface& surface, std::span<const Vec3> rest, std::span<const Vec3> posed) {
  double sum = 0;
  for (const SurfaceMesh::Triangle& t : surface.welded.triangles) {
    for (const std::uint32_t v : t) {
      const auto point = static_cast<std::size_t>(surface.welded.source[v]);
      sum += static_cast<double>(rest[point].x + posed[point].y);
    }
  }
  return sum;
}

struct Posed {
  Character character;
  MeasuredSurface surface;
  Surface rest, posed;
};

Result<Posed> posed_humanoid() {
  Posed one;
  Result<Character> human = make_character(MadeKind::humanoid, {kPoints});
  if (!human) return human.error();
  one.character = std::move(*human);
  one.surface = measured_surface(one.character.meshes[0]);
  for (const double time : {-1.0, 0.5}) {
    const Result<PoseFrame> frame = pose_frame(one.character, {time < 0 ? kNone : 0, time, nullptr});
    if (!frame) return frame.error();
    Result<Surface> surface = deform_instance(one.character, *frame, 0, {});
    if (!surface) return surface.error();
    (time < 0 ? one.rest : one.posed) = std::move(*surface);
  }
  return one;
}

}  // namespace

Result<std::vector<Record>> bench_measure(const Options& options) {
  return without_throwing("measuring", [&]() -> Result<std::vector<Record>> {
    const Result<Posed> made = posed_humanoid();
    if (!made) return made.error();
    const Posed& one = *made;
    const Mesh& mesh = one.character.meshes[0];
    const JointRegions regions = joint_regions(one.surface, mesh.weights);
    volatile double kept = 0;
    struct Row {
      const char* name;
      std::function<void()> run;
    };
    const std::vector<Row> rows{
        {"plain pass", [&] { kept = plain_pass(one.surface, one.rest.points, one.posed.points); }},
        {"surface", [&] { kept = static_cast<double>(measured_surface(mesh).triangle_count()); }},
        {"volume", [&] { kept = volume_of(one.surface, one.posed.points); }},
        {"regions",
         [&] { kept = static_cast<double>(joint_regions(one.surface, mesh.weights).slots.size()); }},
        {"region volumes", [&] { kept = region_volumes(one.surface, regions, one.posed.points)[0]; }},
        {"strain", [&] { kept = measure_strain(one.surface, one.rest.points, one.posed.points).edges.max; }},
        {"intersections",
         [&] {
           kept = static_cast<double>(measure_intersections(one.surface, one.posed.points).pairs.size());
         }},
        {"normal error", [&] { kept = normal_error(mesh, one.posed).max; }},
        {"weights", [&] { kept = measure_weights(mesh, one.surface).gradient.max; }},
        {"distance", [&] { kept = point_distance(one.rest.points, one.posed.points)->max; }},
        {"sequence error",
         [&] { kept = sequence_error(one.rest.points, one.posed.points, one.rest.points)->e_rms; }},
    };
    std::vector<std::function<void()>> works;
    works.reserve(rows.size());
    for (const Row& row : rows) works.push_back(row.run);
    const std::vector<double> seconds = best_seconds(works, options.repetitions);
    std::vector<Record> records;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Record record;
      record.text = fmt::format("measure     {:<14} {:>8} points {:>8} triangles  {:9.2f} ms  {:7.1f} passes",
                                rows[k].name, mesh.points.size(), one.surface.triangle_count(),
                                seconds[k] * 1e3, seconds[k] / seconds[0]);
      record.json = {{"name", "measure"},
                     {"what", rows[k].name},
                     {"points", mesh.points.size()},
                     {"triangles", one.surface.triangle_count()},
                     {"threads", thread_count()},
                     {"seconds", seconds[k]},
                     {"ratio_to_pass", seconds[k] / seconds[0]}};
      records.push_back(std::move(record));
    }
    return records;
  });
}

}  // namespace dermis::bench
