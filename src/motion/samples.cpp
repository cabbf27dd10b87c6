// SPDX-License-Identifier: MIT
// Samples clips at the joints of a body, and finds a T-pose before the motion.
#include "motion/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "motion/key_rate.h"

namespace dermis {
namespace {

using enum JointRole;

constexpr double kMaxSamples = 1 << 20;

// The largest deviation of limbs in a T-pose.
constexpr double kArmsLevel = 25, kLegsDown = 20;  // degrees
// A jump: this far in one frame, and this many times further than in the next.
constexpr double kJump = 12, kJumpRatio = 4;  // degrees

double angle_between(const Vec3d& a, const Vec3d& b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

// True if arms are out and legs down.
bool is_t_pose(const RoleMap& roles, const ReferencePose& pose) {
  int limbs = 0;
  for (const int side : {0, 1}) {
    const Vec3d out = side == 0 ? pose.frame.left : -pose.frame.left;
    const auto points_along = [&](JointRole from, JointRole to, const Vec3d& way, double degrees) {
      const Index a = roles.first(on_side(from, side)), b = roles.first(on_side(to, side));
      if (a == kNone || b == kNone) return true;
      ++limbs;
      return angle_between(pose.place[at(b)] - pose.place[at(a)], way) < radians_from_degrees(degrees);
    };
    if (!points_along(upper_arm_l, forearm_l, out, kArmsLevel) ||
        !points_along(forearm_l, hand_l, out, kArmsLevel) ||
        !points_along(thigh_l, shin_l, -pose.frame.up, kLegsDown) ||
        !points_along(shin_l, foot_l, -pose.frame.up, kLegsDown))
      return false;
  }
  return limbs >= 4;
}

// The mean rotation angle of joints from one moment to another.
double mean_turn(const std::vector<Index>& joints, const std::vector<Affined>& a,
                 const std::vector<Affined>& b) {
  double sum = 0;
  for (const Index j : joints)
    sum += length(log(conjugate(rotation_of(a[at(j)].linear)) * rotation_of(b[at(j)].linear)));
  return sum / std::max<double>(1, static_cast<double>(joints.size()));
}

}  // namespace

Quatd rotation_of(const Mat3d& linear) {
  const double x = length(linear.x), y = length(linear.y), z = length(linear.z);
  const double most = std::max({x, y, z}), slack = 1e-6 * most * most;
  const bool is_even = most - std::min({x, y, z}) < 1e-6 * most && determinant(linear) > 0 &&
                       std::abs(dot(linear.x, linear.y)) < slack &&
                       std::abs(dot(linear.y, linear.z)) < slack && std::abs(dot(linear.x, linear.z)) < slack;
  return quat_from_matrix(is_even ? linear * (1 / most) : polar(linear).rotation);
}

Vec3d BodySamples::pelvis_at(std::size_t frame, const RoleMap& roles) const {
  const Index a = roles.first(thigh_l), b = roles.first(thigh_r);
  if (a == kNone || b == kNone) return place_at(frame, roles.first(hips));
  return (place_at(frame, a) + place_at(frame, b)) * 0.5;
}

void BodySamples::keep(std::size_t first, std::size_t count) {
  const auto cut = [&](auto& values) {
    const auto width = static_cast<std::ptrdiff_t>(nodes.size());
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(first + count) * width, values.end());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first) * width);
  };
  cut(rotation);
  cut(place);
  frame_count = count;
}

Result<BodySamples> sample_body(const Character& source, Index clip, double fps, double skipped,
                                const std::vector<Index>& nodes, const Progress& progress) {
  const Clip& keys = source.clips[at(clip)];
  const double start = static_cast<double>(keys.start()) + skipped;
  const double steps = std::max(0.0, (static_cast<double>(keys.end()) - start) * fps);
  if (!(fps > 0) || !(steps < kMaxSamples)) {
    return Error{Errc::bad_argument, fmt::format("{:g} frames per second are not possible: the rate must be "
                                                 "above 0, with at most {:.0f} frames in total",
                                                 fps, kMaxSamples)};
  }
  BodySamples samples;
  samples.fps = fps;
  samples.frame_count = static_cast<std::size_t>(std::floor(steps + kEvenTolerance)) + 1;
  samples.nodes = nodes;
  samples.slot_of.assign(source.nodes.size(), kNone);
  for (std::size_t k = 0; k < nodes.size(); ++k) samples.slot_of[at(nodes[k])] = static_cast<Index>(k);
  samples.rotation.reserve(samples.frame_count * nodes.size());
  samples.place.reserve(samples.frame_count * nodes.size());
  const Result<Poser> poser = prepare_poser(source);
  if (!poser) return poser.error();
  PoseFrame posed;
  for (std::size_t frame = 0; frame < samples.frame_count; ++frame) {
    const double fraction = static_cast<double>(frame) / static_cast<double>(samples.frame_count);
    if (Status going = progress.at("sampling motion", fraction); !going) return going.error();
    const double time = start + static_cast<double>(frame) / fps;
    if (Status s = pose(*poser, {clip, time, nullptr}, posed); !s) return s.error();
    for (const Index node : nodes) {
      const Affined& world = posed.world_from_node[at(node)];
      samples.rotation.push_back(rotation_of(world.linear));
      samples.place.push_back(world.translation);
    }
  }
  return samples;
}

std::optional<double> time_after_t_pose(const Character& source, Index clip, const RoleMap& roles) {
  const Clip& keys = source.clips[at(clip)];
  const std::optional<double> fps = own_fps(source, clip);
  const double start = static_cast<double>(keys.start());
  if (!fps || static_cast<double>(keys.end()) - start < 1.5 / *fps) return std::nullopt;
  std::vector<std::vector<Affined>> worlds;
  worlds.reserve(3);
  for (const int frame : {0, 1, 2}) {
    Result<PoseFrame> pose = pose_frame(source, {clip, start + frame / *fps, nullptr});
    if (!pose) return std::nullopt;
    worlds.push_back(std::move(pose->world_from_node));
  }
  const std::vector<Index> joints = joints_of(roles);
  const double jump = mean_turn(joints, worlds[0], worlds[1]),
               after = mean_turn(joints, worlds[1], worlds[2]);
  if (jump < radians_from_degrees(kJump) || jump < kJumpRatio * after) return std::nullopt;
  if (!is_t_pose(roles, reference_at(roles, worlds[0]))) return std::nullopt;
  return 1 / *fps;
}

}  // namespace dermis
