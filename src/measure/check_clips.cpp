// SPDX-License-Identifier: MIT
// Checks of clips: channels that jump, clips that move nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dermis/motion.h"
#include "measure/check.h"

namespace dermis {
namespace {

// A jump: between two neighbouring keys a rotation turns by more than this, or a translation moves by more
// than this fraction of the character's size ...
constexpr double kLeastTurn = 60 * std::numbers::pi / 180;
constexpr double kLeastMove = 0.2;
// ... in a step no longer than the channel's usual one, nor than this (a slow change is not a jump) ...
constexpr double kLongestStep = 0.1;  // seconds
// ... and this many times faster than in the two steps before and the two after.
constexpr double kFaster = 8;
constexpr std::size_t kNeighbours = 2;
// Fewer keys have no neighbours to compare with.
constexpr std::size_t kFewestKeys = 6;

// A clip of a character takes seconds or minutes; keys of so many are fractions of a second apart.
constexpr double kLongClip = 2 * 3600, kSlowKeys = 5;  // seconds
constexpr std::size_t kManyKeys = 8;

// Rotations are stored w first if, read so, they are this many times nearer to rest, and by this angle on
// average. Fewer joints may be turned over on purpose; so many keys of each are looked at.
constexpr double kTimesNearerRest = 2, kTurnedOver = 60 * std::numbers::pi / 180;
constexpr std::size_t kFewestTurned = 5, kTurnedKeys = 16;

// The value of key k, after its in-tangent if it has one.
std::span<const float> key_value(const Channel& channel, std::size_t k) {
  const std::size_t numbers = channel.values.size() / channel.times.size();
  const std::span<const float> key = std::span(channel.values).subspan(k * numbers, numbers);
  if (channel.interpolation != Interpolation::cubic_spline) return key;
  return key.subspan(numbers / 3, numbers / 3);
}

// How far the channel moves from key k to the next: radians, or a fraction of `size`.
double step_of(const Channel& channel, std::size_t k, double size) {
  const auto a = key_value(channel, k), b = key_value(channel, k + 1);
  if (channel.path == ChannelPath::rotation) {
    const Quatd p = normalized(Quatd{a[0], a[1], a[2], a[3]}), q = normalized(Quatd{b[0], b[1], b[2], b[3]});
    // A spline interpolates the raw numbers, so opposite signs mean the longer turn.
    const double cosine =
        channel.interpolation == Interpolation::cubic_spline ? dot(p, q) : std::abs(dot(p, q));
    return 2 * std::acos(std::clamp(cosine, -1.0, 1.0));
  }
  return length(Vec3d{b[0], b[1], b[2]} - Vec3d{a[0], a[1], a[2]}) / size;
}

struct Leap {
  std::size_t key = 0;
  double step = 0, neighbour = 0;  // how far, and how far its fastest neighbour moves in the same time
};

std::vector<Leap> leaps_of(const Channel& channel, double size) {
  std::vector<Leap> leaps;
  const bool is_rotation = channel.path == ChannelPath::rotation;
  const bool is_move = channel.path == ChannelPath::translation && size > 0;
  const std::size_t key_count = channel.times.size();
  if (channel.interpolation == Interpolation::step || !(is_rotation || is_move) || key_count < kFewestKeys)
    return leaps;
  std::vector<double> speed(key_count - 1), seconds(key_count - 1);
  for (std::size_t k = 0; k + 1 < key_count; ++k) {
    seconds[k] = static_cast<double>(channel.times[k + 1]) - static_cast<double>(channel.times[k]);
    speed[k] = step_of(channel, k, size) / seconds[k];
  }
  std::vector<double> sorted = seconds;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  const double longest = std::min(kLongestStep, 1.5 * sorted[sorted.size() / 2]);
  for (std::size_t k = 0; k < speed.size(); ++k) {
    const double step = speed[k] * seconds[k];
    if (step < (is_rotation ? kLeastTurn : kLeastMove) || seconds[k] > longest) continue;
    double fastest = 0;
    const std::size_t begin = k < kNeighbours ? 0 : k - kNeighbours;
    for (std::size_t i = begin; i < std::min(speed.size(), k + kNeighbours + 1); ++i)
      fastest = i == k ? fastest : std::max(fastest, speed[i]);
    if (speed[k] > kFaster * fastest) leaps.push_back({k, step, fastest * seconds[k]});
  }
  return leaps;
}

bool is_constant(const Channel& channel) {
  const auto first = key_value(channel, 0);
  for (std::size_t k = 1; k < channel.times.size(); ++k) {
    const auto value = key_value(channel, k);
    if (!std::equal(first.begin(), first.end(), value.begin())) return false;
  }
  if (channel.interpolation != Interpolation::cubic_spline) return true;
  const std::size_t width = channel.values.size() / channel.times.size() / 3;
  for (std::size_t i = 0; i < channel.values.size(); ++i) {  // tangents move the values between equal keys
    if (i / width % 3 != 1 && channel.values[i] != 0) return false;
  }
  return true;
}

// Times in milliseconds or frames make a clip slow.
void check_pace(const Clip& clip, Index index, Findings& findings) {
  const double seconds = static_cast<double>(clip.end()) - static_cast<double>(clip.start());
  const Channel& densest =
      *std::max_element(clip.channels.begin(), clip.channels.end(),
                        [](const Channel& a, const Channel& b) { return a.times.size() < b.times.size(); });
  const std::size_t key_count = densest.times.size();
  double step = 0;  // between keys, on average
  if (key_count > 1)
    step = (static_cast<double>(densest.times.back()) - static_cast<double>(densest.times.front())) /
           static_cast<double>(key_count - 1);
  const bool is_slow = key_count >= kManyKeys && step > kSlowKeys;
  if (!is_slow && seconds <= kLongClip) return;
  add_finding(findings, "clip-slow", "clip", index, clip.name,
              fmt::format("lasts {:.5g} s; its {} are {:.3g} s apart on average", seconds,
                          counted(key_count, "key", "keys"), step))
      .figure = seconds;
}

double angle_between(const Quatd& a, const Quatd& b) {
  return 2 * std::acos(std::min(std::abs(dot(normalized(a), normalized(b))), 1.0));
}

// Rotations as other programs store them, whose first number is w.
void check_rotations(const Character& character, const Clip& clip, Index index, Findings& findings) {
  double as_read = 0, w_first = 0;
  std::size_t joint_count = 0, key_count = 0;
  for (const Channel& channel : clip.channels) {
    if (channel.path != ChannelPath::rotation || character.nodes[at(channel.target)].rest_matrix) continue;
    const Quatd rest(character.nodes[at(channel.target)].rest.rotation);
    ++joint_count;
    const std::size_t step = (channel.times.size() + kTurnedKeys - 1) / kTurnedKeys;
    for (std::size_t k = 0; k < channel.times.size(); k += step, ++key_count) {
      const std::span<const float> q = key_value(channel, k);
      as_read += angle_between(rest, Quatd{q[0], q[1], q[2], q[3]});
      w_first += angle_between(rest, Quatd{q[1], q[2], q[3], q[0]});
    }
  }
  if (joint_count < kFewestTurned) return;
  const auto keys = static_cast<double>(key_count);
  if (!(as_read >= kTimesNearerRest * w_first && as_read - w_first >= kTurnedOver * keys)) return;
  const double degrees = 180 / std::numbers::pi;
  Finding& finding = add_finding(
      findings, "rotations-w-first", "clip", index, clip.name,
      fmt::format("turns {} away from rest by {:.0f} degrees on average; by {:.0f} degrees if the "
                  "first number of each rotation is w",
                  counted(joint_count, "joint", "joints"), degrees * as_read / keys,
                  degrees * w_first / keys));
  finding.count = joint_count;
  finding.figure = degrees * as_read / keys;
}

void check_clip(const Character& character, Index index, const std::vector<std::string>& labels, double size,
                Findings& findings) {
  const Clip& clip = character.clips[at(index)];
  if (clip.channels.empty()) {
    add_finding(findings, "clip-empty", "clip", index, clip.name, "has no channels");
    return;
  }
  check_pace(clip, index, findings);
  check_rotations(character, clip, index, findings);
  if (has_no_lengths(character, index))
    add_finding(findings, "clip-without-lengths", "clip", index, clip.name,
                "moves joints that all rest at one place");
  if (std::all_of(clip.channels.begin(), clip.channels.end(), is_constant))
    add_finding(findings, "clip-still", "clip", index, clip.name, "holds one pose throughout");
  std::size_t count = 0;
  const Channel* worst = nullptr;
  Leap largest;
  for (const Channel& channel : clip.channels) {
    for (const Leap& leap : leaps_of(channel, size)) {
      if (count++ > 0 && leap.step <= largest.step) continue;
      worst = &channel;
      largest = leap;
    }
  }
  if (worst == nullptr) return;
  const bool is_rotation = worst->path == ChannelPath::rotation;
  const double unit = is_rotation ? 180 / std::numbers::pi : 100;
  Finding& finding = add_finding(
      findings, "clip-jump", "clip", index, clip.name,
      fmt::format("jumps {}, furthest where node {} {} {:.3g}{} from {:.3f} s to {:.3f} s; the steps "
                  "before and after change by at most {:.2g}{}",
                  count == 1 ? std::string("once") : fmt::format("{} times", count),
                  quoted_name(labels[at(worst->target)]), is_rotation ? "turns" : "moves",
                  largest.step * unit, is_rotation ? " degrees" : " % of the character's size",
                  worst->times[largest.key], worst->times[largest.key + 1], largest.neighbour * unit,
                  is_rotation ? " degrees" : " %"));
  finding.count = count;
  finding.node = worst->target;
  finding.figure = largest.step * unit;
}

}  // namespace

void check_clips(const Character& character, double size, Findings& findings) {
  const std::vector<std::string> labels = node_labels(character);
  std::vector<Findings> of_clip(character.clips.size());
  parallel_for(character.clips.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      check_clip(character, static_cast<Index>(c), labels, size, of_clip[c]);
  });
  for (const Findings& some : of_clip) findings.insert(findings.end(), some.begin(), some.end());
}

}  // namespace dermis
