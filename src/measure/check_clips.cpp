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

void check_clip(const Character& character, Index index, const std::vector<std::string>& labels, double size,
                Findings& findings) {
  const Clip& clip = character.clips[at(index)];
  if (clip.channels.empty()) {
    add_finding(findings, "clip-empty", "clip", index, clip.name, "has no channels");
    return;
  }
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
