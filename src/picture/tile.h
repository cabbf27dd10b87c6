// SPDX-License-Identifier: MIT
// One tile of a picture: its rays, its light, and the smoothing of that light over neighbouring pixels.
#pragma once

#include "picture/bones.h"
#include "picture/lights.h"
#include "picture/scene.h"
#include "picture/surface.h"

namespace dermis {

// What all tiles of a picture share.
struct Exposure {
  Scene scene;
  BoneShapes bones;
  Projection projection;  // in scene coordinates
  Lights lights;
  RenderOptions options;
  Vec3 background;         // linear
  bool has_floor = false;  // requested, and seen from above
};
// Fails as render does.
Result<Exposure> make_exposure(const Drawing& drawing, const Camera& camera, const RenderOptions& options,
                               const Progress& progress);

inline constexpr int kTile = 96;

// Visible light out of light tested.
struct Seen {
  float clear = 0, rays = 0;

  void add(float weight, bool is_blocked) {
    rays += weight;
    if (!is_blocked) clear += weight;
  }
};

// Sums over the samples of a pixel. The weights of a pixel's samples sum to one.
struct PixelSum {
  Vec3 plain, key, sky;        // light, if nothing blocked it
  Vec3 albedo, normal, place;  // means, times cover
  float cover = 0;             // by surfaces
  Seen key_seen, sky_seen;
  float floor = 0;  // weight of the floor, smaller where it fades
  Seen floor_key, floor_sky;
  Vec3 bones;  // colour times cover
  float bone_cover = 0;
};

// Traces the rays of the pixels from `left` on in row y, one for each of `row`, and their light rays.
void trace_row(const Exposure& shot, int left, int y, std::span<PixelSum> row);

// Fills the pixels of the tile whose upper left corner is left, top. Tiles do not depend on each other.
// Leaves them as they are if a stop is requested.
void render_tile(const Exposure& shot, int left, int top, const Progress& progress, Pixels& pixels);

}  // namespace dermis
