// SPDX-License-Identifier: MIT
// Tiles: light smoothed over neighbouring pixels of one surface, then converted to bytes.
#include "picture/tile.h"

#include <algorithm>
#include <cmath>

#include "picture/colour.h"

namespace dermis {
namespace {

// The radius of smoothing. A pixel has few light rays of its own; with its neighbours it has enough.
constexpr int kReach = 4;
// Squared widths of the smoothing, in pixels. The floor is plain and shows noise first.
constexpr float kSurfaceSpread = 3, kFloorSpread = 7;

// The pixels of a tile and those around it that smoothing reads.
class TileSums {
 public:
  TileSums(const Exposure& shot, int left, int top, const Progress& progress)
      : left_(std::max(left - kReach, 0)),
        top_(std::max(top - kReach, 0)),
        right_(std::min(left + kTile + kReach, shot.options.width)),
        bottom_(std::min(top + kTile + kReach, shot.options.height)),
        sums_(static_cast<std::size_t>((right_ - left_) * (bottom_ - top_))) {
    const std::span<PixelSum> all(sums_);
    const std::size_t width = static_cast<std::size_t>(right_ - left_);
    for (int y = top_; y < bottom_ && !progress.is_stopped(); ++y) {
      trace_row(shot, left_, y, all.subspan(static_cast<std::size_t>(y - top_) * width, width));
    }
  }
  const PixelSum& at(int x, int y) const {
    return sums_[static_cast<std::size_t>((y - top_) * (right_ - left_) + x - left_)];
  }
  // Calls work(neighbour, dx, dy) for the pixel and those in reach.
  template <class Work>
  void around(int x, int y, const Work& work) const {
    for (int b = std::max(y - kReach, top_); b <= std::min(y + kReach, bottom_ - 1); ++b) {
      for (int a = std::max(x - kReach, left_); a <= std::min(x + kReach, right_ - 1); ++a) {
        work(at(a, b), a - x, b - y);
      }
    }
  }

 private:
  int left_, top_, right_, bottom_;
  std::vector<PixelSum> sums_;
};

// Weights by the square of the distance in pixels.
struct Nearness {
  std::array<float, 2 * kReach * kReach + 1> weights{};
  explicit Nearness(float spread) {
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] = std::exp(-static_cast<float>(k) / (2 * spread));
    }
  }
  float operator()(int dx, int dy) const {
    const int square = dx * dx + dy * dy;
    return weights[static_cast<std::size_t>(square)];
  }
};

struct LightSeen {
  Seen key, sky;
  void add(const Seen& other_key, const Seen& other_sky, float weight) {
    key.clear += other_key.clear * weight, key.rays += other_key.rays * weight;
    sky.clear += other_sky.clear * weight, sky.rays += other_sky.rays * weight;
  }
};
float part_of(const Seen& seen) { return seen.rays > 0 ? seen.clear / seen.rays : 1; }

// Over neighbours in the same plane that face the same direction. `pixel` is the width of a pixel there.
LightSeen surface_light(const TileSums& sums, int x, int y, float pixel) {
  const PixelSum& here = sums.at(x, y);
  const float inverse = 1 / here.cover;
  const Vec3 normal = normalized(here.normal), place = here.place * inverse;
  static const Nearness nearness(kSurfaceSpread);
  LightSeen light;
  sums.around(x, y, [&](const PixelSum& other, int dx, int dy) {
    if (!(other.cover > 0)) return;
    const Vec3 away = other.place * (1 / other.cover) - place;
    const float apart = dot(away, normal) / (2 * pixel);
    const float facing = std::max(dot(normal, other.normal) / other.cover, 0.0f);
    const float alike = facing * facing * facing * facing;
    light.add(other.key_seen, other.sky_seen,
              nearness(dx, dy) * alike * alike / (1 + apart * apart * apart * apart));
  });
  return light;
}

LightSeen floor_light_at(const TileSums& sums, int x, int y) {
  static const Nearness nearness(kFloorSpread);
  LightSeen light;
  sums.around(x, y, [&](const PixelSum& other, int dx, int dy) {
    light.add(other.floor_key, other.floor_sky, nearness(dx, dy));
  });
  return light;
}

Vec3 surface_colour(const Exposure& shot, const TileSums& sums, int x, int y) {
  const PixelSum& sum = sums.at(x, y);
  if (!(sum.cover > 0)) return {};
  const float inverse = 1 / sum.cover;
  const CameraFrame& frame = shot.projection.frame;
  const double depth = length(Vec3d(sum.place * inverse) - frame.eye);
  const float pixel = static_cast<float>(2 * frame.half_height / shot.options.height * depth);
  const LightSeen light = surface_light(sums, x, y, pixel);
  const Vec3 sky = product(sum.sky, bounced(part_of(light.sky), sum.albedo * inverse));
  return toned((sum.plain + sum.key * part_of(light.key) + sky) * inverse) * sum.cover;
}

float background_part(const TileSums& sums, int x, int y) {
  const PixelSum& sum = sums.at(x, y);
  const float open = std::max(1 - sum.cover, 0.0f);
  if (!(sum.floor > 0)) return open;
  const LightSeen light = floor_light_at(sums, x, y);
  return open - sum.floor * (1 - floor_light(part_of(light.key), part_of(light.sky)));
}

Vec3 pixel_colour(const Exposure& shot, const TileSums& sums, int x, int y) {
  const Vec3 colour = surface_colour(shot, sums, x, y) + shot.background * background_part(sums, x, y);
  const PixelSum& sum = sums.at(x, y);
  return colour * (1 - kBoneOpacity * sum.bone_cover) + sum.bones * kBoneOpacity;
}

}  // namespace

void render_tile(const Exposure& shot, int left, int top, const Progress& progress, Pixels& pixels) {
  const TileSums sums(shot, left, top, progress);
  if (progress.is_stopped()) return;
  for (int y = top; y < std::min(top + kTile, shot.options.height); ++y) {
    for (int x = left; x < std::min(left + kTile, shot.options.width); ++x) {
      const Vec3 colour = pixel_colour(shot, sums, x, y);
      std::uint8_t* pixel = pixels.at(x, y);
      pixel[0] = byte_of_linear(colour.x);
      pixel[1] = byte_of_linear(colour.y);
      pixel[2] = byte_of_linear(colour.z);
    }
  }
}

}  // namespace dermis
