// SPDX-License-Identifier: MIT
// How long a still of the built-in humanoid takes, compared with its camera rays alone.
#include <fmt/format.h>

#include <cmath>

#include "bench.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"
#include "dermis/made.h"
#include "dermis/motion.h"
#include "dermis/picture.h"

namespace dermis::bench {
namespace {

constexpr std::size_t kPoints = 100000;

Result<Drawing> walking_humanoid() {
  const Result<Character> human = make_character(MadeKind::humanoid, {kPoints});
  if (!human) return human.error();
  const Result<PoseFrame> frame = pose_frame(*human, {0, 0.3, nullptr});
  if (!frame) return frame.error();
  const Result<Character> still = deform_character(*human, *frame, {});
  if (!still) return still.error();
  return draw_character(*still, nullptr);
}

// The rays through one row of pixels, all samples of a pixel through its centre.
std::vector<Ray> row_of_rays(const Camera& camera, const RenderOptions& options, int y) {
  const Vec3d forward = normalized(camera.target - camera.eye);
  const Vec3d right = normalized(cross(forward, camera.up)), up = cross(right, forward);
  const double scale = 2 * std::tan(camera.field / 2) / options.height;
  std::vector<Ray> rays;
  for (int x = 0; x < options.width; ++x) {
    const double across = (x + 0.5 - options.width / 2.0) * scale,
                 down = (y + 0.5 - options.height / 2.0) * scale;
    const Ray ray{Vec3(camera.eye), Vec3(forward + right * across - up * down)};
    rays.insert(rays.end(), static_cast<std::size_t>(options.samples), ray);
  }
  return rays;
}

std::size_t count_hits(const RayTree& tree, const Camera& camera, const RenderOptions& options) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(options.height));
  parallel_for(counts.size(), 4, [&](std::size_t begin, std::size_t end) {
    std::vector<RayHit> hits;
    for (std::size_t y = begin; y < end; ++y) {
      const std::vector<Ray> rays = row_of_rays(camera, options, static_cast<int>(y));
      hits.resize(rays.size());
      tree.find_nearest(rays, RayOrder::coherent, hits);
      for (const RayHit& hit : hits) counts[y] += hit.triangle >= 0 ? 1 : 0;
    }
  });
  std::size_t sum = 0;
  for (const std::size_t count : counts) sum += count;
  return sum;
}

}  // namespace

Result<std::vector<Record>> bench_render(const Options& options) {
  return without_throwing("measuring", [&]() -> Result<std::vector<Record>> {
    const Result<Drawing> drawing = walking_humanoid();
    if (!drawing) return drawing.error();
    RenderOptions still;
    still.width = 1920, still.height = 1080;
    const double aspect = static_cast<double>(still.width) / still.height;
    const Camera camera = frame_points(points_of(*drawing), {}, aspect);
    const DrawnMesh& mesh = drawing->meshes[0];
    const Result<RayTree> tree = build_ray_tree(mesh.points, mesh.triangles);
    if (!tree) return tree.error();
    std::size_t hits = 0;
    std::optional<Error> fault;
    const std::vector<double> seconds = best_seconds({[&] {
                                                        const Result<Pixels> pixels =
                                                            render(*drawing, camera, still);
                                                        if (!pixels) fault = pixels.error();
                                                      },
                                                      [&] { hits = count_hits(*tree, camera, still); }},
                                                     std::min(options.repetitions, 3));
    if (fault) return *fault;
    const double rays = static_cast<double>(still.width) * still.height * still.samples * 1e-6;
    Record record;
    record.text = fmt::format(
        "render {:>8} points  {} x {}  {} samples  {:.2f} s  {:.1f} M camera rays/s  alone {:.2f} s, {:.1f} "
        "M/s  "
        "ratio {:.1f}",
        mesh.points.size(), still.width, still.height, still.samples, seconds[0], rays / seconds[0],
        seconds[1], rays / seconds[1], seconds[0] / seconds[1]);
    record.json = {{"name", "render"},
                   {"points", mesh.points.size()},
                   {"width", still.width},
                   {"height", still.height},
                   {"samples", still.samples},
                   {"threads", thread_count()},
                   {"seconds", seconds[0]},
                   {"camera_megarays_per_second", rays / seconds[0]},
                   {"rays_alone_seconds", seconds[1]},
                   {"rays_alone_megarays_per_second", rays / seconds[1]},
                   {"covered", static_cast<double>(hits) * 1e-6 / rays},
                   {"ratio_to_rays", seconds[0] / seconds[1]}};
    return std::vector<Record>{std::move(record)};
  });
}

}  // namespace dermis::bench
