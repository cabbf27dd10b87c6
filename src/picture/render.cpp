// SPDX-License-Identifier: MIT
// Stills of drawings, tile by tile.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "picture/colour.h"
#include "picture/tile.h"

namespace dermis {
namespace {

constexpr int kMostSide = 16384, kMostSamples = 4096;

Status check(const RenderOptions& options) {
  const auto is_side = [](int side) { return side >= 1 && side <= kMostSide; };
  if (!is_side(options.width) || !is_side(options.height)) {
    return Error{Errc::bad_argument, fmt::format("a picture has 1 to {} pixels per side, not {} x {}",
                                                 kMostSide, options.width, options.height)};
  }
  if (options.samples < 1 || options.samples > kMostSamples) {
    return Error{Errc::bad_argument,
                 fmt::format("a pixel has 1 to {} samples, not {}", kMostSamples, options.samples)};
  }
  return Done{};
}

Camera inside(const SceneSpace& space, Camera camera) {
  camera.eye = space.inside(camera.eye);
  camera.target = space.inside(camera.target);
  return camera;
}

// Tiles that are fully or partly in the picture, row after row.
struct TileGrid {
  int columns, rows;
  explicit TileGrid(const RenderOptions& options)
      : columns((options.width - 1) / kTile + 1), rows((options.height - 1) / kTile + 1) {}
  std::size_t count() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
};

Status render_tiles(const Exposure& shot, const Progress& progress, Pixels& pixels) {
  const TileGrid grid(shot.options);
  std::atomic<std::size_t> done = 0;
  std::mutex telling;
  parallel_for(grid.count(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      if (progress.is_stopped()) return;
      // Threads do not wait to report: if another is reporting, they go on. Read inside the lock, so that it
      // only grows.
      if (const std::unique_lock lock(telling, std::try_to_lock); lock) {
        const double fraction = static_cast<double>(done.load()) / static_cast<double>(grid.count());
        if (!progress.at("rendering", fraction)) return;
      }
      const int tile = static_cast<int>(k);
      render_tile(shot, tile % grid.columns * kTile, tile / grid.columns * kTile, progress, pixels);
      ++done;
    }
  });
  return progress.at("rendering", 1);
}

}  // namespace

Result<Exposure> make_exposure(const Drawing& drawing, const Camera& camera, const RenderOptions& options,
                               const Progress& progress) {
  if (const Status checked = check(options); !checked) return checked.error();
  Exposure shot;
  Result<Scene> scene = make_scene(drawing, options, progress);
  if (!scene) return scene.error();
  shot.scene = std::move(*scene);
  Result<BoneShapes> bones = make_bone_shapes(drawing.bones, shot.scene.space, progress);
  if (!bones) return bones.error();
  shot.bones = std::move(*bones);
  const double aspect = static_cast<double>(options.width) / options.height;
  const Result<CameraFrame> frame = frame_of(inside(shot.scene.space, camera), aspect);
  if (!frame) return frame.error();
  shot.projection = {*frame, options.width, options.height};
  shot.lights = lights_for(*frame);
  shot.options = options;
  shot.background = linear_of_bytes(options.background.data());
  shot.has_floor = options.has_ground && frame->eye.y > shot.scene.ground;
  return shot;
}

Result<Pixels> render(const Drawing& drawing, const Camera& camera, const RenderOptions& options,
                      const Progress& progress) {
  return without_throwing("rendering", [&]() -> Result<Pixels> {
    const Result<Exposure> shot = make_exposure(drawing, camera, options, progress.part(0, 0));
    if (!shot) return shot.error();
    Pixels pixels = blank_pixels(options.width, options.height, 0, 0, 0);
    if (const Status done = render_tiles(*shot, progress, pixels); !done) return done.error();
    return pixels;
  });
}

}  // namespace dermis
