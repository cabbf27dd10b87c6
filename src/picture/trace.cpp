// SPDX-License-Identifier: MIT
// The rays of a row of pixels: through surfaces to the floor, and then to the lights.
#include <algorithm>
#include <cmath>

#include "picture/sampling.h"
#include "picture/tile.h"

namespace dermis {
namespace {

// A ray continues through transparent surfaces until this little of it is left, or this many have been hit.
constexpr float kLeastWeight = 1.0f / 256;
constexpr int kMostLayers = 32;
// Scene lengths; the scene lies in a ball of radius one. Bones are a little thicker than their end points.
constexpr double kBall = 1.05;
constexpr float kStep = 1e-5f;  // past a surface that was hit
constexpr float kFloorLift = 1e-4f;
constexpr float kFadeFrom = 1.5f, kFadeTo = 3.0f;  // of the floor's shadow, from the middle

constexpr Vec3 kWireColour{0.015f, 0.02f, 0.03f};

// One sample of a pixel along its path.
struct Path {
  Ray ray;
  Vec2 pixel;
  int column = 0, sample = 0;
  float start = 0;   // from the eye to the ray's origin
  float weight = 1;  // share of the light from further on
};

// Rays that test whether a light is visible, and where the results go.
class LightRays {
 public:
  void send(const Ray& ray, Seen& seen, float weight) {
    rays_.push_back(ray);
    askers_.push_back({&seen, weight});
  }
  void answer(const RayTree& tree, RayOrder order) {
    blocked_.resize(rays_.size());
    tree.find_blocked(rays_, order, blocked_);
    for (std::size_t k = 0; k < rays_.size(); ++k) askers_[k].seen->add(askers_[k].weight, blocked_[k] != 0);
    rays_.clear();
    askers_.clear();
  }

 private:
  struct Asker {
    Seen* seen;
    float weight;
  };
  std::vector<Ray> rays_;
  std::vector<Asker> askers_;
  std::vector<std::uint8_t> blocked_;
};

// Cosine-weighted about `normal`, on the outer side of `face`.
Vec3 sky_direction(const Vec3& normal, const Vec3& face, float a, float b) {
  const auto [side, other] = across(normal);
  const Vec2 disc = disc_sample(a, b);
  const float up = std::sqrt(std::max(0.0f, 1 - disc.x * disc.x - disc.y * disc.y));
  const Vec3 direction = side * disc.x + other * disc.y + normal * up;
  const float below = std::min(dot(direction, face), 0.0f);
  return direction - face * (2 * below);
}

class RowTracer {
 public:
  RowTracer(const Exposure& shot, int left, int y, std::span<PixelSum> row)
      : shot_(shot),
        left_(left),
        y_(y),
        row_(row),
        sample_weight_(1.0f / static_cast<float>(shot.options.samples)) {}

  void trace() {
    start();
    if (shot_.bones.tree) meet_bones();
    for (int layer = 0; layer < kMostLayers && !paths_.empty(); ++layer) meet_surfaces();
    missed_.insert(missed_.end(), paths_.begin(), paths_.end());
    if (shot_.has_floor) {
      for (const Path& path : missed_) meet_floor(path);
    }
    to_key_.answer(shot_.scene.light_tree(), RayOrder::mixed);
    to_sky_.answer(shot_.scene.light_tree(), RayOrder::mixed);
  }

 private:
  void start();
  void start_path(int column, int sample);
  void trace_paths(const RayTree& tree);
  void meet_bones();
  void meet_surfaces();
  void meet_surface(Path& path, const RayHit& hit);
  void meet_floor(const Path& path);
  std::array<float, 2> random_of(const Path& path) const {
    return LightSamples(left_ + path.column, y_, shot_.options.samples).at(path.sample);
  }
  // The width of a sample at a distance from the path's start.
  float footprint(const Path& path, float distance) const {
    const float pixel = static_cast<float>(2 * shot_.projection.frame.half_height / shot_.options.height);
    return pixel * (path.start + distance) * std::sqrt(sample_weight_);
  }

  const Exposure& shot_;
  int left_, y_;
  std::span<PixelSum> row_;
  float sample_weight_;
  std::vector<Path> paths_, missed_;
  std::vector<Ray> rays_;
  std::vector<RayHit> hits_;
  LightRays to_key_, to_sky_;
};

void RowTracer::start() {
  const int columns = static_cast<int>(row_.size());
  for (int column = 0; column < columns; ++column) {
    for (int s = 0; s < shot_.options.samples; ++s) start_path(column, s);
  }
}

// Rays start where they enter the ball that holds the scene, however far away the eye is.
void RowTracer::start_path(int column, int sample) {
  const CameraFrame& frame = shot_.projection.frame;
  const auto [dx, dy] = place_in_pixel(sample);
  const double x = left_ + column + dx, y = y_ + dy;
  const Vec3d direction = frame.direction(2 * x / shot_.options.width - 1, 1 - 2 * y / shot_.options.height);
  const double middle = -dot(frame.eye, direction);
  const double half_square = kBall * kBall - (dot(frame.eye, frame.eye) - middle * middle);
  const double half = std::sqrt(std::max(half_square, 0.0));
  const double start = std::max(middle - half, 0.0), end = middle + half;
  Path path;
  path.ray = {Vec3(frame.eye + direction * start), Vec3(direction), 0, static_cast<float>(end - start)};
  path.pixel = {static_cast<float>(x), static_cast<float>(y)};
  path.column = column, path.sample = sample;
  path.start = static_cast<float>(start);
  path.weight = sample_weight_;
  (half_square > 0 && end > start ? paths_ : missed_).push_back(path);
}

void RowTracer::trace_paths(const RayTree& tree) {
  rays_.clear();
  for (const Path& path : paths_) rays_.push_back(path.ray);
  hits_.resize(rays_.size());
  tree.find_nearest(rays_, RayOrder::coherent, hits_);
}

void RowTracer::meet_bones() {
  trace_paths(*shot_.bones.tree);
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    if (hits_[k].triangle < 0) continue;
    PixelSum& sum = row_[static_cast<std::size_t>(paths_[k].column)];
    sum.bones += bone_colour(shot_.bones, hits_[k], rays_[k].direction, shot_.lights) * sample_weight_;
    sum.bone_cover += sample_weight_;
  }
}

void RowTracer::meet_surfaces() {
  trace_paths(*shot_.scene.tree);
  std::size_t left = 0;
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    Path& path = paths_[k];
    if (hits_[k].triangle < 0) {
      missed_.push_back(path);
      continue;
    }
    meet_surface(path, hits_[k]);
    if (path.weight > kLeastWeight * sample_weight_) paths_[left++] = path;
  }
  paths_.resize(left);
}

// Adds the visible part of the surface, tests its light, and continues the path behind it.
void RowTracer::meet_surface(Path& path, const RayHit& hit) {
  const Spot spot = surface_at(shot_.scene, hit, path.ray.direction, footprint(path, hit.distance));
  path.ray.near = hit.distance + kStep;
  const float cover = path.weight * spot.opacity;
  if (!(cover > 0)) return;
  path.weight -= cover;
  PixelSum& sum = row_[static_cast<std::size_t>(path.column)];
  const std::size_t t = static_cast<std::size_t>(hit.triangle);
  const float wire = shot_.options.has_wireframe ? wire_at(shot_.scene, t, shot_.projection, path.pixel) : 0;
  const float lit = cover * (1 - wire);
  const Shading shading = shade(spot, -path.ray.direction, shot_.lights);
  sum.plain += shading.plain * lit + kWireColour * (cover * wire);
  sum.key += shading.key * lit;
  sum.sky += shading.sky * lit;
  sum.albedo += spot.albedo * cover;
  sum.normal += spot.normal * cover;
  sum.place += spot.place * cover;
  sum.cover += cover;
  const std::array<float, 2> random = random_of(path);
  const Vec3 key = shot_.lights.key_sample(random[0], random[1]);
  if (dot(spot.normal, shot_.lights.key) > 0) to_key_.send({spot.place, key}, sum.key_seen, cover);
  const Vec3 sky = sky_direction(spot.normal, spot.face, random[0], random[1]);
  to_sky_.send({spot.place, sky}, sum.sky_seen, cover);
}

void RowTracer::meet_floor(const Path& path) {
  const double eye = shot_.projection.frame.eye.y, fall = static_cast<double>(path.ray.direction.y);
  if (!(fall < -1e-6)) return;
  const double distance = (shot_.scene.ground - eye) / fall;
  const Vec3 place(shot_.projection.frame.eye + Vec3d(path.ray.direction) * distance);
  const float away = std::hypot(place.x, place.z);
  const float t = std::clamp((kFadeTo - away) / (kFadeTo - kFadeFrom), 0.0f, 1.0f);
  const float weight = path.weight * t * t * (3 - 2 * t);
  if (!(weight > 0)) return;
  PixelSum& sum = row_[static_cast<std::size_t>(path.column)];
  sum.floor += weight;
  const std::array<float, 2> random = random_of(path);
  const Vec3 up{0, 1, 0}, start{place.x, static_cast<float>(shot_.scene.ground) + kFloorLift, place.z};
  to_key_.send({start, shot_.lights.key_sample(random[0], random[1])}, sum.floor_key, weight);
  to_sky_.send({start, sky_direction(up, up, random[0], random[1])}, sum.floor_sky, weight);
}

}  // namespace

void trace_row(const Exposure& shot, int left, int y, std::span<PixelSum> row) {
  RowTracer(shot, left, y, row).trace();
}

}  // namespace dermis
