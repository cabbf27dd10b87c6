// SPDX-License-Identifier: MIT
// Cuts the best cycle out of a motion and makes its ends meet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "motion/samples.h"

namespace dermis {
namespace {

// A cycle takes at least this fraction of the clip, and at least this time.
constexpr double kLeastShare = 0.35, kLeastSeconds = 0.3;
// The number of candidate ends; more give no visible improvement.
constexpr std::size_t kMostPlaces = 360;
// The end of the cycle is blended into its start within this fraction of it, but at most this time.
constexpr double kMostBlendShare = 0.3, kMostBlendSeconds = 0.5;
// Mean distance of joints, as a fraction of the body, up to which the ends already meet.
constexpr double kMeeting = 0.002;

// The positions and speeds of joints relative to the pelvis.
class FrameDistance {
 public:
  FrameDistance(const BodySamples& samples, const RoleMap& roles) : samples_(samples), roles_(roles) {
    Box box;
    for (std::size_t k = 0; k < samples.nodes.size(); ++k) box.add(samples.place[k]);
    size_ = std::max(box.diagonal(), 1e-12);
    step_ = std::max<std::size_t>(1, static_cast<std::size_t>(samples.fps / 30));
  }

  // Mean over the joints, as a fraction of the body; a tenth of a second of speed counts as much as distance.
  double between(std::size_t a, std::size_t b) const {
    constexpr double kStepSeconds = 0.1;
    const double rate = samples_.fps / static_cast<double>(step_) * kStepSeconds;
    double sum = 0;
    for (const Index node : samples_.nodes)
      sum += length(here(a, node) - here(b, node)) + rate * length(speed(a, node) - speed(b, node));
    return sum / (size_ * static_cast<double>(samples_.nodes.size()));
  }

 private:
  Vec3d here(std::size_t frame, Index node) const {
    return samples_.place_at(frame, node) - samples_.pelvis_at(frame, roles_);
  }
  Vec3d speed(std::size_t frame, Index node) const {
    const std::size_t last = samples_.frame_count - 1, next = std::min(frame + step_, last);
    return here(next, node) - here(next - std::min(step_, next), node);
  }

  const BodySamples& samples_;
  const RoleMap& roles_;
  double size_ = 1;
  std::size_t step_ = 1;
};

struct Cycle {
  std::size_t first = 0, last = 0;
  double gap = 0;
};

Cycle best_cycle(const BodySamples& samples, const RoleMap& roles) {
  const FrameDistance distance(samples, roles);
  const std::size_t count = samples.frame_count, stride = (count + kMostPlaces - 1) / kMostPlaces;
  Cycle best{0, count - 1, distance.between(0, count - 1)};
  if (best.gap < kMeeting) return best;
  const auto least = static_cast<std::size_t>(
      std::max(kLeastSeconds * samples.fps, kLeastShare * static_cast<double>(count)));
  for (std::size_t first = 0; first + least < count; first += stride) {
    for (std::size_t last = first + least; last < count; last += stride) {
      const double gap = distance.between(first, last);
      if (gap < best.gap) best = {first, last, gap};
    }
  }
  return best;
}

}  // namespace

void make_loop(BodySamples& samples, const RoleMap& roles, const Vec3d& up, double start, Notes& notes) {
  if (samples.frame_count < 3) {
    notes.push_back({Note::Kind::loss, "loop-too-short",
                     fmt::format("a motion of {} is too short to be looped; it is unchanged",
                                 counted(samples.frame_count, "frame", "frames"))});
    return;
  }
  const Cycle cycle = best_cycle(samples, roles);
  const bool is_cut = cycle.first > 0 || cycle.last + 1 < samples.frame_count;
  samples.keep(cycle.first, cycle.last - cycle.first + 1);
  if (is_cut) {
    const double from = start + static_cast<double>(cycle.first) / samples.fps;
    notes.push_back({Note::Kind::info, "loop-cut",
                     fmt::format("the loop is {:.2f} s to {:.2f} s of the motion, where its ends match best "
                                 "(joints {:.1f} % of the body apart)",
                                 from, from + static_cast<double>(samples.frame_count - 1) / samples.fps,
                                 100 * cycle.gap)});
  }
  const std::size_t last = samples.frame_count - 1, width = samples.nodes.size();
  const auto blended = static_cast<double>(last) * kMostBlendShare;
  const double span = std::max(1.0, std::min(blended, kMostBlendSeconds * samples.fps));
  // Travel over the ground continues; height, rotation and pose return.
  const Vec3d first_pelvis = samples.pelvis_at(0, roles), last_pelvis = samples.pelvis_at(last, roles);
  const Vec3d travel = (last_pelvis - first_pelvis) - up * dot(last_pelvis - first_pelvis, up);
  const std::vector<Quatd> end_turns(samples.rotation.end() - static_cast<std::ptrdiff_t>(width),
                                     samples.rotation.end());
  const std::vector<Vec3d> end_places(samples.place.end() - static_cast<std::ptrdiff_t>(width),
                                      samples.place.end());
  for (std::size_t frame = 1; frame <= last; ++frame) {
    const double w = smooth_step(1 - (static_cast<double>(last - frame)) / span);
    if (w <= 0) continue;
    for (std::size_t k = 0; k < width; ++k) {
      const Quatd gap = conjugate(end_turns[k]) * samples.rotation[k];
      Quatd& turn = samples.rotation[frame * width + k];
      turn = normalized(turn * slerp(Quatd{}, gap, w));
      samples.place[frame * width + k] += (samples.place[k] + travel - end_places[k]) * w;
    }
  }
}

}  // namespace dermis
