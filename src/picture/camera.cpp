// SPDX-License-Identifier: MIT
// Cameras: axes, rays, and a position from which everything is in the picture.
#include "picture/camera.h"

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

// The margin on each side, as a fraction of half the picture.
constexpr double kMargin = 0.07;

Vec3d unit_or(const Vec3d& v, const Vec3d& otherwise) {
  const double size = length(v);
  return size > 0 && std::isfinite(size) ? v * (1 / size) : otherwise;
}

// The direction the camera looks in.
Vec3d forward_of(const View& view) {
  const double flat = std::cos(view.lift);
  return -Vec3d{std::sin(view.turn) * flat, std::sin(view.lift), std::cos(view.turn) * flat};
}

// Upright, even when looking straight down or up.
Vec3d up_of(const View& view) {
  const double rise = std::sin(view.lift);
  return {-std::sin(view.turn) * rise, std::cos(view.lift), -std::cos(view.turn) * rise};
}

// How far the points reach on both sides of one axis of the picture, as lines of sight of slope `slope`:
// across - slope * depth at most `high`, across + slope * depth at least `low`.
struct Reach {
  double slope = 1;
  double high = -INFINITY, low = INFINITY;

  void add(double across, double depth) {
    high = std::max(high, across - slope * depth);
    low = std::min(low, across + slope * depth);
  }
  // The greatest depth the eye may have, and its position across at that depth.
  double depth() const { return (low - high) / (2 * slope); }
  double across() const { return (low + high) / 2; }
};

}  // namespace

Result<CameraFrame> frame_of(const Camera& camera, double aspect) {
  const bool is_sane = is_finite(camera.eye) && is_finite(camera.target) && is_finite(camera.up);
  if (!is_sane) return Error{Errc::bad_argument, "the position of the camera is not finite"};
  if (!(camera.field > 0 && camera.field < kPi)) {
    return Error{Errc::bad_argument, "the camera's field of view must be between 0 and 180 degrees"};
  }
  CameraFrame frame;
  frame.eye = camera.eye;
  frame.forward = unit_or(camera.target - camera.eye, {0, 0, -1});
  const Vec3d upward = unit_or(camera.up, {0, 1, 0});
  const Vec3d beside = cross(frame.forward, upward);
  // Looking along `up`: any perpendicular axis will do, as long as it is always the same.
  const Vec3d other = std::abs(frame.forward.z) < 0.5 ? Vec3d{0, 0, 1} : Vec3d{1, 0, 0};
  frame.right = normalized(length(beside) > 1e-9 ? beside : cross(frame.forward, other));
  frame.up = cross(frame.right, frame.forward);
  frame.half_height = std::tan(camera.field / 2);
  frame.half_width = frame.half_height * aspect;
  return frame;
}

std::optional<Vec2> project(const Camera& camera, double aspect, const Vec3d& point) {
  const Result<CameraFrame> frame = frame_of(camera, aspect);
  if (!frame) return std::nullopt;
  const Vec3d arm = point - frame->eye;
  const double depth = dot(arm, frame->forward);
  if (!(depth > 0)) return std::nullopt;
  const double x = dot(arm, frame->right) / (depth * frame->half_width);
  const double y = dot(arm, frame->up) / (depth * frame->half_height);
  return Vec2{static_cast<float>((1 + x) / 2), static_cast<float>((1 - y) / 2)};
}

Camera frame_points(std::span<const Vec3> points, const View& view, double aspect) {
  Camera camera;
  const Vec3d forward = forward_of(view), up = up_of(view), right = cross(forward, up);
  camera.up = up;
  Box box;
  for (const Vec3& point : points) {
    if (is_finite(point)) box.add(Vec3d(point));
  }
  const Vec3d centre = box.centre();
  // The outermost point lies on each side of the picture: four planes meet in the eye, except for one degree
  // of freedom, which centres the points in the direction that has room.
  const double slope = std::tan(camera.field / 2) * (1 - kMargin);
  Reach wide{slope * aspect}, high{slope};
  for (const Vec3& point : points) {
    if (!is_finite(point)) continue;
    const Vec3d p = Vec3d(point) - centre;
    const double depth = dot(p, forward);
    wide.add(dot(p, right), depth);
    high.add(dot(p, up), depth);
  }
  const double size = box.diagonal() > 0 ? box.diagonal() : 1;
  // Points on one line of sight, or a single point, would put the eye among them.
  double nearest = INFINITY;
  for (const Vec3& point : points) {
    if (is_finite(point)) nearest = std::min(nearest, dot(Vec3d(point) - centre, forward));
  }
  if (!std::isfinite(nearest)) nearest = 0;
  double eye = std::min({wide.depth(), high.depth(), nearest - 0.05 * size});
  if (!std::isfinite(eye)) eye = -size;
  if (box.diagonal() <= 0) eye = -size;
  const double across = std::isfinite(wide.across()) ? wide.across() : 0;
  const double upwards = std::isfinite(high.across()) ? high.across() : 0;
  camera.eye = centre + right * across + up * upwards + forward * eye;
  camera.target = camera.eye - forward * eye;
  return camera;
}

Camera frame_region(std::span<const Vec3> points, std::span<const Vec3> region, const View& view,
                    double aspect) {
  Box box;
  for (const Vec3& point : region) {
    if (is_finite(point)) box.add(Vec3d(point));
  }
  Camera camera = frame_points(points, view, aspect);
  if (box.is_empty()) return camera;
  const Vec3d forward = forward_of(view), up = camera.up, right = cross(forward, up);
  camera.target = box.centre();
  // At least one diagonal before the region, should that lie outside of the points.
  const double depth = std::max(dot(camera.target - camera.eye, forward), std::max(box.diagonal(), 1e-12));
  camera.eye = camera.target - forward * depth;
  double slope = 0;
  for (const Vec3& point : region) {
    if (!is_finite(point)) continue;
    const Vec3d arm = Vec3d(point) - camera.eye;
    const double across = std::abs(dot(arm, right)) / aspect, upwards = std::abs(dot(arm, up));
    slope = std::max(slope, std::max(across, upwards) / dot(arm, forward));
  }
  // A region without extent in the picture is shown as small as the whole.
  if (slope > 0) camera.field = 2 * std::atan(slope / (1 - kMargin));
  return camera;
}

Camera zoomed(Camera camera, double factor) {
  if (factor >= 1)
    camera.field = 2 * std::atan(std::tan(camera.field / 2) / factor);
  else
    camera.eye = camera.target - (camera.target - camera.eye) * (1 / factor);
  return camera;
}

}  // namespace dermis
