// SPDX-License-Identifier: MIT
// Keeps planted feet in place (after Kovar, Schreiner, Gleicher 2002, with hips lowered, not legs stretched).
#include <algorithm>
#include <cmath>
#include <optional>

#include "motion/legs.h"

namespace dermis {
namespace {

// A correction blends in and out within this time. Seconds.
constexpr double kBlendSeconds = 0.15;
// Legs are not stretched beyond this fraction of their length.
constexpr double kMostStretch = 0.999;
// Hips are lowered by at most this fraction of the leg.
constexpr double kMostDrop = 0.15;

Vec3d over_ground(const Vec3d& v, const Vec3d& up) { return v - up * dot(v, up); }

// The positions of a leg's ankle and tip in each frame, as transferred.
struct LegTrack {
  const Leg& leg;
  std::vector<Vec3d> ankle, tip;

  const Vec3d& carried(JointRole role, std::size_t frame) const {
    return role == leg.roles.foot ? ankle[frame] : tip[frame];
  }
};

class Locker {
 public:
  Locker(MovedBody& body, const ReferencePose& reference, const FootLock& lock, double fps,
         std::vector<BodyFramePose>& frames)
      : body_(body), reference_(reference), lock_(lock), fps_(fps), frames_(frames) {}

  void run() {
    for (const Leg& leg : lock_.legs) gather(leg);
    const std::size_t count = frames_.size();
    std::vector<std::vector<Vec3d>> wanted;
    wanted.reserve(legs_.size());
    for (const LegTrack& leg : legs_) wanted.push_back(corrections(leg));
    lower_hips(wanted);
    for (std::size_t frame = 0; frame < count; ++frame) {
      body_.pose(frames_[frame]);
      for (std::size_t k = 0; k < legs_.size(); ++k) {
        if (!is_lowered_ && length(wanted[k][frame]) < 1e-9 * lock_.leg) continue;
        bend_leg(body_, legs_[k].leg, reference_, legs_[k].ankle[frame] + wanted[k][frame], frames_[frame]);
      }
    }
  }

 private:
  void gather(const Leg& leg) {
    LegTrack track{leg, {}, {}};
    for (const BodyFramePose& frame : frames_) {
      body_.pose(frame);
      track.ankle.push_back(body_.place(leg.foot));
      track.tip.push_back(body_.place(leg.toe == kNone ? leg.foot : leg.toe));
    }
    legs_.push_back(std::move(track));
  }

  // The standing height of a point of a foot.
  double floor_of(const Leg& leg, JointRole role) const {
    const auto height = [&](Index joint) { return dot(reference_.place[at(joint)], lock_.up); };
    if (leg.roles.is_front()) return height(leg.foot);
    return lock_.floor + (role == leg.roles.toe ? height(leg.toe) - height(leg.foot) : 0);
  }

  // How far to move the foot in each frame.
  std::vector<Vec3d> corrections(const LegTrack& leg) const {
    const std::size_t count = frames_.size();
    std::vector<Vec3d> moves(count);
    std::vector<const Contact*> own;
    for (const Contact& contact : lock_.contacts) {
      const LegRoles& roles = leg.leg.roles;
      if (contact.role == roles.foot || (contact.role == roles.toe && leg.leg.toe != kNone))
        own.push_back(&contact);
    }
    std::vector<bool> is_held(count);
    const std::optional<Vec3d> around = place_around(leg, own);
    for (const Contact* contact : own) {
      const bool goes_on = contact->first > 0 && is_held[contact->first - 1];
      Vec3d place = goes_on ? leg.carried(contact->role, contact->first) + moves[contact->first - 1]
                            : standing_place(leg, *contact);
      if (around && contact == own.front()) place = *around;
      if (around && contact == own.back()) place = *around + travel(leg, contact->role);
      for (std::size_t k = contact->first; k <= contact->last; ++k) {
        moves[k] = place - leg.carried(contact->role, k);
        is_held[k] = true;
      }
    }
    if (lock_.is_loop && is_held.front() != is_held.back()) {
      const std::size_t last = count - 1;
      (is_held.front() ? moves[last] : moves[0]) = is_held.front() ? moves[0] : moves[last];
      is_held.front() = is_held.back() = true;
    }
    blend(is_held, moves);
    return moves;
  }

  // The distance a point travels over the ground in one cycle of a loop.
  Vec3d travel(const LegTrack& leg, JointRole role) const {
    return over_ground(leg.carried(role, frames_.size() - 1) - leg.carried(role, 0), lock_.up);
  }

  // The position of a foot that stays planted across the end and the start of a loop.
  std::optional<Vec3d> place_around(const LegTrack& leg, const std::vector<const Contact*>& own) const {
    if (!lock_.is_loop || own.size() < 2 || own.front()->first > 0 || own.back()->last + 1 < frames_.size() ||
        own.front()->role != own.back()->role)
      return std::nullopt;
    const auto frames_of = [](const Contact& contact) {
      return static_cast<double>(contact.last - contact.first + 1);
    };
    const Contact &first = *own.front(), &last = *own.back();
    const Vec3d before = standing_place(leg, last) - travel(leg, last.role);
    return lerp(standing_place(leg, first), before, frames_of(last) / (frames_of(first) + frames_of(last)));
  }

  // The mean over the contact, on the floor if that is near.
  Vec3d standing_place(const LegTrack& leg, const Contact& contact) const {
    Vec3d sum;
    for (std::size_t k = contact.first; k <= contact.last; ++k) sum += leg.carried(contact.role, k);
    const Vec3d mean = sum * (1.0 / static_cast<double>(contact.last - contact.first + 1));
    const double height = dot(mean, lock_.up), floor = floor_of(leg.leg, contact.role);
    return std::abs(height - floor) < kNearFloor * lock_.leg ? mean + lock_.up * (floor - height) : mean;
  }

  // Frames between contacts: blends from the last correction to the next.
  void blend(const std::vector<bool>& is_held, std::vector<Vec3d>& moves) const {
    const auto count = static_cast<std::ptrdiff_t>(moves.size());
    const double span = std::max(1.0, kBlendSeconds * fps_);
    const auto held = [&](std::ptrdiff_t k) {
      if (lock_.is_loop) k = ((k % (count - 1)) + (count - 1)) % (count - 1);
      return k >= 0 && k < count && is_held[static_cast<std::size_t>(k)] ? k : -1;
    };
    const auto reach = static_cast<std::ptrdiff_t>(std::ceil(span));
    const std::vector<Vec3d> fixed = moves;
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      if (is_held[static_cast<std::size_t>(k)]) continue;
      Vec3d sum;
      double weight_before = 0, weight_after = 0;
      Vec3d before, after;
      for (std::ptrdiff_t d = 1; d <= reach; ++d) {
        if (weight_before == 0 && held(k - d) >= 0)
          before = fixed[static_cast<std::size_t>(held(k - d))],
          weight_before = smooth_step(1 - static_cast<double>(d) / (span + 1));
        if (weight_after == 0 && held(k + d) >= 0)
          after = fixed[static_cast<std::size_t>(held(k + d))],
          weight_after = smooth_step(1 - static_cast<double>(d) / (span + 1));
      }
      sum = before * weight_before + after * weight_after;
      const double total = weight_before + weight_after;
      moves[static_cast<std::size_t>(k)] = total > 1 ? sum * (1 / total) : sum;
    }
  }

  // Lowers the hips smoothly where a leg would not be long enough.
  void lower_hips(const std::vector<std::vector<Vec3d>>& wanted) {
    const std::size_t count = frames_.size();
    std::vector<double> drop(count);
    for (std::size_t frame = 0; frame < count; ++frame) {
      body_.pose(frames_[frame]);
      for (std::size_t k = 0; k < legs_.size(); ++k) {
        const LegTrack& track = legs_[k];
        const Leg& leg = track.leg;
        if (length(wanted[k][frame]) < 1e-9 * lock_.leg) continue;
        const Vec3d hip = body_.place(leg.upper), ankle = track.ankle[frame] + wanted[k][frame];
        const double own =
            length(body_.place(leg.lower) - hip) + length(body_.place(leg.foot) - body_.place(leg.lower));
        // A leg that was transferred straight may stay as straight.
        const double now = length(track.ankle[frame] - hip), most = std::max(kMostStretch * own, now);
        const double across = length(over_ground(ankle - hip, lock_.up));
        const double down = dot(hip - ankle, lock_.up);
        if (across >= most || std::hypot(across, down) <= most) continue;
        drop[frame] = std::max(drop[frame], down - std::sqrt(most * most - across * across));
      }
      drop[frame] = std::min(drop[frame], kMostDrop * lock_.leg);
    }
    is_lowered_ = *std::max_element(drop.begin(), drop.end()) > 1e-6 * lock_.leg;
    if (!is_lowered_) return;
    drop = widened(drop);
    for (std::size_t frame = 0; frame < count; ++frame) frames_[frame].hips -= lock_.up * drop[frame];
  }

  // At least as large everywhere, and smooth: the largest within a window, then the mean of that window.
  std::vector<double> widened(const std::vector<double>& values) const {
    const auto count = static_cast<std::ptrdiff_t>(values.size());
    const auto half = static_cast<std::ptrdiff_t>(std::max(1.0, kBlendSeconds / 2 * fps_));
    const auto place = [&](std::ptrdiff_t k) {
      if (lock_.is_loop) return static_cast<std::size_t>(((k % (count - 1)) + (count - 1)) % (count - 1));
      return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(k, 0, count - 1));
    };
    std::vector<double> largest(values.size()), mean(values.size());
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      for (std::ptrdiff_t d = -half; d <= half; ++d)
        largest[static_cast<std::size_t>(k)] =
            std::max(largest[static_cast<std::size_t>(k)], values[place(k + d)]);
    }
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      double sum = 0;
      for (std::ptrdiff_t d = -half; d <= half; ++d) sum += largest[place(k + d)];
      mean[static_cast<std::size_t>(k)] = sum / static_cast<double>(2 * half + 1);
    }
    return mean;
  }

  MovedBody& body_;
  const ReferencePose& reference_;
  const FootLock& lock_;
  double fps_;
  std::vector<BodyFramePose>& frames_;
  std::vector<LegTrack> legs_;
  bool is_lowered_ = false;
};

}  // namespace

void lock_feet(MovedBody& body, const ReferencePose& reference, const FootLock& lock, double fps,
               std::vector<BodyFramePose>& frames) {
  if (lock.contacts.empty() || frames.size() < 3) return;
  Locker(body, reference, lock, fps, frames).run();
}

double longest_slide(MovedBody& body, const RoleMap& roles, std::span<const Contact> contacts,
                     const Vec3d& up, const std::vector<BodyFramePose>& frames) {
  double longest = 0;
  for (const Contact& contact : contacts) {
    const Index joint = roles.first(contact.role);
    if (joint == kNone) continue;
    Vec3d first;
    for (std::size_t k = contact.first; k <= contact.last; ++k) {
      body.pose(frames[k]);
      if (k == contact.first) first = body.place(joint);
      longest = std::max(longest, length(over_ground(body.place(joint) - first, up)));
    }
  }
  return longest;
}

}  // namespace dermis
