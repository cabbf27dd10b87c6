// SPDX-License-Identifier: MIT
// The tube: exact rings around +Y with rounded ends, for results that can be worked out by hand.
#include <algorithm>
#include <cmath>

#include "dermis/made.h"
#include "made/parts.h"
#include "made/plan.h"

namespace dermis {
namespace {

constexpr double kRadius = kTubeRadius;
constexpr double kBodyLength = kTubeHeight - 2 * kRadius;  // between the half-balls at both ends
constexpr double kBottom = kRadius;  // where the straight part starts, standing on y = 0
constexpr double kTop = kBottom + kBodyLength;

// A tube with at least this many rings bends smoothly; small ones get fewer points around instead.
constexpr std::size_t kMinRings = 100;
constexpr std::size_t kMinAround = 8;

// Length of the outline from tip to tip: a quarter circle, the straight part, a quarter circle.
constexpr double kCap = 0.5 * kPi * kRadius;
constexpr double kOutline = 2 * kCap + kBodyLength;

// Point and normal on the outline (x: distance from the axis, y: height) at `s` from the lower tip.
void outline_at(double s, Vec3d& point, Vec3d& normal) {
  if (s < kCap || s > kCap + kBodyLength) {
    const bool is_low = s < kCap;
    const double angle = (is_low ? kCap - s : s - kCap - kBodyLength) / kRadius;
    normal = {std::cos(angle), is_low ? -std::sin(angle) : std::sin(angle), 0};
    point = normal * kRadius + Vec3d(0, is_low ? kBottom : kTop, 0);
    return;
  }
  normal = {1, 0, 0};
  point = {kRadius, kBottom + s - kCap, 0};
}

// Rings and points around: square cells if there are enough points, else the minimum number of rings.
struct Layout {
  std::size_t rings = 0, around = 0;
};
Layout layout_for(std::size_t point_count) {
  const double wanted = static_cast<double>(point_count - 2);
  const double square = std::sqrt(wanted * 2 * kPi * kRadius / kOutline);
  std::size_t around = std::max(kMinAround, static_cast<std::size_t>(std::lround(square)));
  if (static_cast<double>(around * kMinRings) > wanted)
    around = std::max(kMinAround, static_cast<std::size_t>(wanted / static_cast<double>(kMinRings)));
  const std::size_t rings = static_cast<std::size_t>(std::lround(wanted / static_cast<double>(around)));
  return {rings, around};
}

}  // namespace

SurfaceMesh tube_surface(std::size_t point_count) {
  const auto [rings, around] = layout_for(point_count);
  SurfaceMesh mesh;
  const auto index = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
  mesh.points.push_back({0, 0, 0});
  mesh.normals.push_back({0, -1, 0});
  for (std::size_t r = 0; r < rings; ++r) {
    Vec3d p, n;
    outline_at(kOutline * static_cast<double>(r + 1) / static_cast<double>(rings + 1), p, n);
    for (std::size_t a = 0; a < around; ++a) {
      const double angle = 2 * kPi * static_cast<double>(a) / static_cast<double>(around);
      const double c = std::cos(angle), s = std::sin(angle);
      mesh.points.push_back({p.x * c, p.y, p.x * s});
      mesh.normals.push_back({n.x * c, n.y, n.x * s});
    }
  }
  const std::size_t tip = mesh.points.size();
  mesh.points.push_back({0, kTop + kRadius, 0});
  mesh.normals.push_back({0, 1, 0});
  for (std::size_t a = 0; a < around; ++a) {
    const std::size_t b = (a + 1) % around;
    mesh.triangles.push_back({0, index(1 + a), index(1 + b)});
    for (std::size_t r = 0; r + 1 < rings; ++r) {
      const std::size_t low = 1 + r * around, high = low + around;
      mesh.triangles.push_back({index(low + a), index(high + a), index(high + b)});
      mesh.triangles.push_back({index(low + a), index(high + b), index(low + b)});
    }
    const std::size_t last = 1 + (rings - 1) * around;
    mesh.triangles.push_back({index(tip), index(last + b), index(last + a)});
  }
  return mesh;
}

BodyPlan plan_tube() {
  BodyPlan plan;
  plan.name = "tube";
  plan.is_mirrored = false;
  const auto joint = [&](const char* name, const char* parent, double y) {
    JointPlan j;
    j.name = name;
    j.parent = parent;
    j.at = {0, y, 0};
    j.cut.normal = {0, 1, 0};
    // Reaches to the middles of the neighbouring segments: weights blend along the tube without a rigid
    // section.
    j.cut.band = 1.5 * kRadius;
    plan.joints.push_back(std::move(j));
  };
  joint("root", "", 0.0);
  joint("middle", "root", 0.35);
  joint("end", "middle", 0.65);
  plan.clip.name = "bend_and_twist";
  plan.clip.swings = {{"middle", {0, 0, 1}, Wave::bump, 50, 0, 0},
                      {"end", {0, 1, 0}, Wave::sine, 70, 0, 0},
                      {"end", {0, 0, 1}, Wave::bump, 50, 0, 0}};
  return plan;
}

}  // namespace dermis
