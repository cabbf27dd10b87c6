// SPDX-License-Identifier: MIT
// Blend shapes, compared with a plain loop and with a copy of the bytes that they must read and write.
#include "dermis/deform/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "bench.h"

namespace dermis::bench {
namespace {

constexpr std::size_t kShapedPoints = 100'000;
constexpr double kSupport = 0.2;  // of the points, moved by each shape
constexpr unsigned kShapeSeed = 7;

struct ShapeSetting {
  std::size_t shapes = 50, active = 50;
  bool normals = false;
  bool is_scattered = false;  // the moved points are drawn at random; else they follow each other
  int threads = 1;
};

Mesh shaped_mesh(const ShapeSetting& setting) {
  std::mt19937 random(kShapeSeed);
  std::uniform_real_distribution<float> place(-1, 1), chance(0, 1);
  const auto vector = [&](float size) { return Vec3{place(random), place(random), place(random)} * size; };
  Mesh mesh;
  for (std::size_t v = 0; v < kShapedPoints; ++v) {
    mesh.points.push_back(vector(1));
    mesh.normals.values.push_back(normalized(vector(1)));
  }
  for (std::size_t s = 0; s < setting.shapes; ++s) {
    Shape& shape = mesh.shapes.emplace_back();
    const auto moved = static_cast<std::size_t>(kSupport * kShapedPoints);
    const std::size_t first = random() % (kShapedPoints - moved);
    for (std::size_t v = 0; v < kShapedPoints; ++v) {
      const bool is_moved =
          setting.is_scattered ? chance(random) < kSupport : v >= first && v < first + moved;
      if (!is_moved) continue;
      shape.points.push_back(static_cast<Index>(v));
      shape.offsets.push_back(vector(0.01f));
      if (setting.normals) shape.normals.push_back(vector(0.1f));
    }
  }
  return mesh;
}

// What anybody would write: shape by shape, in float, with unit normals at the end.
void add_naively(const Mesh& mesh, std::span<const float> weights, std::span<Vec3> points,
                 std::span<Vec3> normals) {
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    const Shape& shape = mesh.shapes[s];
    if (weights[s] == 0) continue;
    for (std::size_t k = 0; k < shape.points.size(); ++k) {
      points[at(shape.points[k])] += shape.offsets[k] * weights[s];
      if (!normals.empty()) normals[at(shape.points[k])] += shape.normals[k] * weights[s];
    }
  }
  for (Vec3& normal : normals) normal = normalized(normal);
}

Record measured_shapes(const ShapeSetting& setting, const Options& options) {
  const Mesh mesh = shaped_mesh(setting);
  std::vector<float> weights(setting.shapes, 0);
  std::size_t entries = 0;
  // Active ones are spread over all.
  for (std::size_t k = 0; k < setting.active; ++k) {
    const std::size_t s = k * setting.shapes / setting.active;
    weights[s] = 0.3f;
    entries += mesh.shapes[s].points.size();
  }
  const ShapeRuns runs = prepare_shape_runs(mesh);
  std::vector<ShapeEntries> scratch;
  AlignedVector<Vec3> points(kShapedPoints), normals(setting.normals ? kShapedPoints : 0);
  const auto begin = [&] {
    std::copy(mesh.points.begin(), mesh.points.end(), points.begin());
    if (setting.normals) std::copy(mesh.normals.values.begin(), mesh.normals.values.end(), normals.begin());
  };
  // The points an entry belongs to and what is added to them; the rest read, the result written.
  const std::size_t vectors = setting.normals ? 2 : 1;
  const std::size_t bytes =
      entries * (sizeof(Index) + vectors * sizeof(Vec3)) + kShapedPoints * 2 * vectors * sizeof(Vec3);
  AlignedVector<char> from(bytes, 1), to(bytes, 0);
  const int before = thread_count();
  set_thread_count(setting.threads);
  const std::vector<double> seconds = best_seconds(
      {[&] {
         begin();
         add_shapes(runs, weights, {points, normals, {}}, scratch);
       },
       [&] {
         begin();
         add_naively(mesh, weights, points, normals);
       },
       [&] {
         parallel_for(from.size(), std::size_t{1} << 18, [&](std::size_t first, std::size_t last) {
           std::memcpy(to.data() + first, from.data() + first, last - first);
         });
       }},
      std::max(options.repetitions, 200));
  set_thread_count(before);
  Record record;
  const char* support = setting.is_scattered ? "scattered" : "together";
  record.text = fmt::format(
      "shapes      {:>8} points  {:>4} of {:<4} shapes active  {} thread{}  {:<9} {:<7}  {:7.3f} ms  {:5.2f} "
      "ns an "
      "entry  {:.2f} copies  {:.2f} of a plain loop",
      kShapedPoints, setting.active, setting.shapes, setting.threads, setting.threads == 1 ? " " : "s",
      support, setting.normals ? "normals" : "", seconds[0] * 1e3,
      seconds[0] * 1e9 / static_cast<double>(entries), seconds[0] / seconds[2], seconds[0] / seconds[1]);
  record.json = {{"name", "shapes"},
                 {"points", kShapedPoints},
                 {"shapes", setting.shapes},
                 {"active", setting.active},
                 {"support", support},
                 {"normals", setting.normals},
                 {"threads", setting.threads},
                 {"target", kernel_target()},
                 {"seconds", seconds[0]},
                 {"plain_seconds", seconds[1]},
                 {"copy_seconds", seconds[2]},
                 {"ratio_to_plain", seconds[0] / seconds[1]},
                 {"ratio_to_copy", seconds[0] / seconds[2]}};
  return record;
}

}  // namespace

Result<std::vector<Record>> bench_shapes(const Options& options) {
  return without_throwing("measuring", [&]() -> Result<std::vector<Record>> {
    std::vector<Record> records;
    for (const bool is_scattered : {false, true})
      for (const bool normals : {false, true})
        records.push_back(measured_shapes({50, 50, normals, is_scattered, 1}, options));
    records.push_back(measured_shapes({50, 50, false, false, 2}, options));
    for (const std::size_t shapes : {5u, 1000u})
      records.push_back(measured_shapes({shapes, 5, false, false, 1}, options));
    return records;
  });
}

}  // namespace dermis::bench
