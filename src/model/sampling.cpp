// SPDX-License-Identifier: MIT
// Samples animation channels as glTF 2.0 defines it (Appendix C of the specification).
#include <algorithm>
#include <array>
#include <cassert>

#include "dermis/model.h"

namespace dermis {
namespace {

// The position of a time: on key `key` if that equals `next`, else between the two at t in (0, 1).
struct Place {
  std::size_t key = 0, next = 0;
  double t = 0;
  double distance = 0;  // seconds between the keys
};

Place place_of(const std::vector<float>& times, double time) {
  const std::size_t last = times.size() - 1;
  // Written so that NaN gives the first key.
  if (!(time > static_cast<double>(times.front()))) return {0, 0, 0, 0};
  if (time >= static_cast<double>(times[last])) return {last, last, 0, 0};
  const auto is_later = [](double wanted, float key) { return wanted < static_cast<double>(key); };
  const auto after = std::upper_bound(times.begin(), times.end(), time, is_later);
  const std::size_t next = static_cast<std::size_t>(after - times.begin());
  const double start = static_cast<double>(times[next - 1]);
  const double distance = static_cast<double>(times[next]) - start;
  return {next - 1, next, (time - start) / distance, distance};
}

Quatd quat_at(std::span<const float> xyzw) {
  return {static_cast<double>(xyzw[0]), static_cast<double>(xyzw[1]), static_cast<double>(xyzw[2]),
          static_cast<double>(xyzw[3])};
}

void write_rotation(const Quatd& rotation, std::span<float> out) {
  const Quat q(normalized(rotation));
  out[0] = q.x;
  out[1] = q.y;
  out[2] = q.z;
  out[3] = q.w;
}

// The value of a key: the middle of three groups for cubic splines.
std::span<const float> value_at(const Channel& channel, std::size_t key, std::size_t width) {
  const std::span<const float> values = channel.values;
  if (channel.interpolation != Interpolation::cubic_spline) return values.subspan(key * width, width);
  return values.subspan((3 * key + 1) * width, width);
}

void sample_linear(const Channel& channel, const Place& place, std::span<float> out) {
  const std::span<const float> a = value_at(channel, place.key, out.size());
  const std::span<const float> b = value_at(channel, place.next, out.size());
  if (channel.path == ChannelPath::rotation) {
    write_rotation(slerp(normalized(quat_at(a)), normalized(quat_at(b)), place.t), out);
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double from = static_cast<double>(a[i]);
    out[i] = static_cast<float>(from + (static_cast<double>(b[i]) - from) * place.t);
  }
}

void sample_cubic_spline(const Channel& channel, const Place& place, std::span<float> out) {
  const std::size_t width = out.size();
  const std::span<const float> values = channel.values;
  const std::span<const float> a = value_at(channel, place.key, width);
  const std::span<const float> b = value_at(channel, place.next, width);
  const std::span<const float> a_out = values.subspan((3 * place.key + 2) * width, width);
  const std::span<const float> b_in = values.subspan(3 * place.next * width, width);
  const double t = place.t, t2 = t * t, t3 = t2 * t;
  // Tangents are per second, the Hermite basis per key distance.
  const double at_a = 2 * t3 - 3 * t2 + 1, at_a_out = place.distance * (t3 - 2 * t2 + t);
  const double at_b = -2 * t3 + 3 * t2, at_b_in = place.distance * (t3 - t2);
  const auto value = [&](std::size_t i) {
    return at_a * static_cast<double>(a[i]) + at_a_out * static_cast<double>(a_out[i]) +
           at_b * static_cast<double>(b[i]) + at_b_in * static_cast<double>(b_in[i]);
  };
  if (channel.path == ChannelPath::rotation) {
    write_rotation({value(0), value(1), value(2), value(3)}, out);
    return;
  }
  for (std::size_t i = 0; i < width; ++i) out[i] = static_cast<float>(value(i));
}

}  // namespace

void sample_channel(const Channel& channel, double time, std::span<float> out) {
  assert(channel.path != ChannelPath::rotation || out.size() == 4);
  const Place place = place_of(channel.times, time);
  const bool is_on_key = place.key == place.next;
  if (!is_on_key && channel.interpolation == Interpolation::linear) {
    sample_linear(channel, place, out);
  } else if (!is_on_key && channel.interpolation == Interpolation::cubic_spline) {
    sample_cubic_spline(channel, place, out);
  } else {
    const std::span<const float> held = value_at(channel, place.key, out.size());
    std::copy(held.begin(), held.end(), out.begin());
    if (channel.path == ChannelPath::rotation) write_rotation(quat_at(held), out);
  }
}

}  // namespace dermis
