// SPDX-License-Identifier: MIT
// Samples loops into keys: swings become rotations, bobs translations, shape swings shape weights.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "made/plan.h"

namespace dermis {
namespace {

// Dense enough that linear interpolation shows no corners in a wave.
constexpr int kClipKeysPerSecond = 15;

Index joint_named(const BodyPlan& plan, const std::string& name) {
  for (std::size_t j = 0; j < plan.joints.size(); ++j)
    if (plan.joints[j].name == name) return static_cast<Index>(j);
  assert(false && "a clip plan names a joint that its body does not have");
  return 0;
}

Channel empty_channel(ChannelPath path, Index target, const std::vector<float>& times) {
  Channel channel;
  channel.path = path;
  channel.target = target;
  channel.times = times;
  return channel;
}

void add_rotations(const BodyPlan& plan, const std::vector<float>& times, Clip& clip) {
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    Channel channel = empty_channel(ChannelPath::rotation, static_cast<Index>(j), times);
    bool is_moved = false;
    for (const float time : times) {
      const double turns = static_cast<double>(time) / plan.clip.seconds;
      Quatd rotation;
      for (const Swing& s : plan.clip.swings) {
        if (joint_named(plan, s.joint) != static_cast<Index>(j)) continue;
        is_moved = true;
        const double degrees = s.offset_degrees + s.degrees * wave_value(s.wave, s.cycles * turns - s.phase);
        rotation = rotation * quat_from_axis_angle(s.axis, radians_from_degrees(degrees));
      }
      const Quat q(rotation);
      channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
    }
    if (is_moved) clip.channels.push_back(std::move(channel));
  }
}

void add_translations(const BodyPlan& plan, const Character& character, const std::vector<float>& times,
                      Clip& clip) {
  for (const Bob& bob : plan.clip.bobs) {
    const Index joint = joint_named(plan, bob.joint);
    Channel channel = empty_channel(ChannelPath::translation, joint, times);
    for (const float time : times) {
      const double turns = static_cast<double>(time) / plan.clip.seconds;
      const Vec3d rest(character.nodes[static_cast<std::size_t>(joint)].rest.translation);
      const Vec3 at(rest + bob.reach * wave_value(bob.wave, bob.cycles * turns - bob.phase));
      channel.values.insert(channel.values.end(), {at.x, at.y, at.z});
    }
    clip.channels.push_back(std::move(channel));
  }
}

void add_shape_weights(const BodyPlan& plan, const std::vector<float>& times, Clip& clip) {
  if (plan.clip.shapes.empty()) return;
  Channel channel = empty_channel(ChannelPath::shape_weights, 0, times);
  for (const float time : times) {
    const double turns = static_cast<double>(time) / plan.clip.seconds;
    for (const ShapePlan& shape : plan.shapes) {
      double weight = 0;
      for (const ShapeSwing& s : plan.clip.shapes)
        if (s.shape == shape.name) weight += s.height * wave_value(s.wave, turns - s.phase);
      channel.values.push_back(static_cast<float>(weight));
    }
  }
  clip.channels.push_back(std::move(channel));
}

}  // namespace

double wave_value(Wave wave, double turns) {
  turns -= std::floor(turns);
  if (wave == Wave::sine) return std::sin(2 * kPi * turns);
  const double speed = wave == Wave::pulse ? 4 : wave == Wave::kick ? 2 : 1;
  const double once = std::min(1.0, speed * turns);
  return 0.5 - 0.5 * std::cos(2 * kPi * once);
}

Clip clip_of(const BodyPlan& plan, const Character& character) {
  Clip clip;
  clip.name = plan.clip.name;
  const int key_count = static_cast<int>(std::lround(plan.clip.seconds * kClipKeysPerSecond));
  std::vector<float> times;
  for (int k = 0; k <= key_count; ++k) times.push_back(static_cast<float>(plan.clip.seconds * k / key_count));
  add_rotations(plan, times, clip);
  add_translations(plan, character, times, clip);
  add_shape_weights(plan, times, clip);
  return clip;
}

}  // namespace dermis
