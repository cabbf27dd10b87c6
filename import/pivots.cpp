// SPDX-License-Identifier: MIT
// Combines the three curves of an FBX node with pivots.
#include "pivots.h"

#include <algorithm>
#include <cmath>

namespace dermis::import {
namespace {

// A node that turns about a pivot moves along an arc, and motion between keys is straight: with a key every 3
// degrees it leaves the arc by at most 0.04 % of the radius.
constexpr double kPivotStep = 3 * kPi / 180;

Vec3d value_of(const aiVectorKey& key) { return Vec3d(vector_of(key.mValue)); }
Quatd value_of(const aiQuatKey& key) {
  const aiQuaternion& q = key.mValue;
  return normalized(Quatd(Quat{q.x, q.y, q.z, q.w}));
}
Vec3d between(const Vec3d& a, const Vec3d& b, double t) { return a + (b - a) * t; }
Quatd between(const Quatd& a, const Quatd& b, double t) { return slerp(a, b, t); }

// The value at a time, held before the first key and after the last; `otherwise` without keys.
template <class Key, class Value>
Value sampled(std::span<const Key> keys, double time, const Value& otherwise) {
  if (keys.empty()) return otherwise;
  const auto next = std::upper_bound(keys.begin(), keys.end(), time,
                                     [](double at, const Key& key) { return at < key.mTime; });
  if (next == keys.begin()) return value_of(*next);
  if (next == keys.end()) return value_of(*std::prev(next));
  const Key& before = *std::prev(next);
  return between(value_of(before), value_of(*next), (time - before.mTime) / (next->mTime - before.mTime));
}

}  // namespace

PosedKeys posed_keys(const FbxPlace& place, const PivotChannels& channels) {
  std::span<const aiVectorKey> translations, scales;
  std::span<const aiQuatKey> rotations;
  if (channels.translation != nullptr)
    translations = {channels.translation->mPositionKeys, channels.translation->mNumPositionKeys};
  if (channels.scaling != nullptr)
    scales = {channels.scaling->mScalingKeys, channels.scaling->mNumScalingKeys};
  if (channels.rotation != nullptr)
    rotations = {channels.rotation->mRotationKeys, channels.rotation->mNumRotationKeys};
  std::vector<double> times;
  for (const auto& key : translations) times.push_back(key.mTime);
  for (const auto& key : scales) times.push_back(key.mTime);
  for (const auto& key : rotations) times.push_back(key.mTime);
  std::erase_if(times, [](double time) { return !std::isfinite(time); });
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());

  const Quatd rest = curve_rotation(place);
  const bool has_pivot =
      place.rotation_pivot != Vec3d{} || place.scaling_pivot != Vec3d{} || place.scaling_offset != Vec3d{};
  PosedKeys keys;
  const auto add = [&](double time) {
    const FbxPose pose = pose_of(place, sampled(translations, time, place.translation),
                                 sampled(rotations, time, rest), sampled(scales, time, place.scaling));
    const auto vector = [](const Vec3d& v) {
      return aiVector3D(static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z));
    };
    const Quat q(pose.rotation);
    keys.translations.emplace_back(time, vector(pose.translation));
    keys.rotations.emplace_back(time, aiQuaternion(q.w, q.x, q.y, q.z));
    keys.scales.emplace_back(time, vector(pose.scale));
  };
  for (std::size_t k = 0; k < times.size(); ++k) {
    add(times[k]);
    if (!has_pivot || k + 1 == times.size()) continue;
    const double turn = 2 * std::acos(std::min(1.0, std::abs(dot(sampled(rotations, times[k], rest),
                                                                 sampled(rotations, times[k + 1], rest)))));
    const double steps = std::ceil(turn / kPivotStep);
    for (double step = 1; step < steps; ++step) add(times[k] + (times[k + 1] - times[k]) * step / steps);
  }
  return keys;
}

}  // namespace dermis::import
