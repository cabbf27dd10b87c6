// SPDX-License-Identifier: MIT
// Finds when feet are planted: low and slow, with hysteresis.
#include <algorithm>
#include <cmath>

#include "motion/moved_body.h"

namespace dermis {
namespace {

// Heights as fractions of the leg, speeds in legs per second: a walking person's foot swings at four legs per
// second and stands with less than a tenth; markers on shoes roll a little.
constexpr double kLowToStart = 0.06, kLowToEnd = 0.09;
constexpr double kSlowToStart = 0.20, kSlowToEnd = 0.40;
// Shorter contacts are noise, shorter gaps too. Seconds.
constexpr double kLeastContact = 0.06, kLeastGap = 0.05;
// Speed is measured over this time, so that single frames have no effect.
constexpr double kSpeedSeconds = 1.0 / 30;
// Toes and front feet stand at this quantile of their heights.
constexpr double kStanding = 0.05;

struct Track {
  std::vector<double> height, speed;
};

Track track_of(const BodySamples& samples, Index joint, const Vec3d& up, double leg) {
  Track track;
  const std::size_t count = samples.frame_count;
  const auto half = std::max<std::size_t>(1, static_cast<std::size_t>(samples.fps * kSpeedSeconds / 2));
  for (std::size_t frame = 0; frame < count; ++frame) {
    const std::size_t before = frame - std::min(half, frame), after = std::min(frame + half, count - 1);
    const double seconds = static_cast<double>(after - before) / samples.fps;
    const Vec3d way = samples.place_at(after, joint) - samples.place_at(before, joint);
    track.height.push_back(dot(samples.place_at(frame, joint), up) / leg);
    track.speed.push_back(seconds > 0 ? length(way) / seconds / leg : INFINITY);
  }
  return track;
}

double quantile(std::vector<double> values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

std::vector<bool> standing(const Track& track, double floor) {
  std::vector<bool> stands(track.height.size());
  bool is_down = false;
  for (std::size_t frame = 0; frame < stands.size(); ++frame) {
    const double height = track.height[frame] - floor, speed = track.speed[frame];
    is_down =
        is_down ? height < kLowToEnd && speed < kSlowToEnd : height < kLowToStart && speed < kSlowToStart;
    stands[frame] = is_down;
  }
  // Also backwards: a foot that comes to rest was down before it was clearly slow.
  is_down = false;
  for (std::size_t frame = stands.size(); frame-- > 0;) {
    const double height = track.height[frame] - floor, speed = track.speed[frame];
    is_down = stands[frame] || (is_down && height < kLowToEnd && speed < kSlowToStart);
    stands[frame] = is_down;
  }
  return stands;
}

// Turns runs of !value shorter than `least` into value, except at the ends.
void close_gaps(std::vector<bool>& values, bool value, std::size_t least) {
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= values.size(); ++k) {
    if (k < values.size() && values[k] != value) continue;
    if (k > begin && k - begin < least && begin > 0 && k < values.size())
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(begin),
                values.begin() + static_cast<std::ptrdiff_t>(k), value);
    begin = k + 1;
  }
}

void add_runs(const std::vector<bool>& stands, Index joint, JointRole role, std::size_t least,
              std::vector<Contact>& contacts) {
  for (std::size_t k = 0; k < stands.size(); ++k) {
    if (!stands[k]) continue;
    std::size_t last = k;
    while (last + 1 < stands.size() && stands[last + 1]) ++last;
    if (last - k + 1 >= least) contacts.push_back({joint, role, k, last});
    k = last;
  }
}

}  // namespace

std::vector<Contact> find_contacts(const BodySamples& samples, const RoleMap& roles,
                                   std::span<const LegRoles> legs, const Vec3d& up, double leg,
                                   double floor) {
  std::vector<Contact> contacts;
  if (samples.frame_count < 3 || !(leg > 0)) return contacts;
  const auto frames = [&](double seconds) {
    return std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(seconds * samples.fps)));
  };
  for (const LegRoles& own : legs) {
    const Index foot = roles.first(own.foot), toe = own.is_front() ? kNone : roles.first(own.toe);
    if (foot == kNone) continue;
    const Track ankle = track_of(samples, foot, up, leg);
    std::vector<bool> stands =
        standing(ankle, own.is_front() ? quantile(ankle.height, kStanding) : floor / leg);
    close_gaps(stands, true, frames(kLeastGap));
    close_gaps(stands, false, frames(kLeastContact));
    std::vector<Contact> of_foot;
    add_runs(stands, foot, own.foot, frames(kLeastContact), of_foot);
    if (toe != kNone) {
      const Track track = track_of(samples, toe, up, leg);
      std::vector<bool> tips = standing(track, quantile(track.height, kStanding));
      close_gaps(tips, true, frames(kLeastGap));
      for (std::size_t k = 0; k < tips.size(); ++k) tips[k] = tips[k] && !stands[k];
      add_runs(tips, toe, own.toe, frames(kLeastGap), of_foot);
    }
    std::sort(of_foot.begin(), of_foot.end(),
              [](const Contact& a, const Contact& b) { return a.first < b.first; });
    contacts.insert(contacts.end(), of_foot.begin(), of_foot.end());
  }
  return contacts;
}

}  // namespace dermis
