// SPDX-License-Identifier: MIT
// Holds standing feet where they stand (after Kovar, Schreiner, Gleicher 2002, with hips lowered, not legs
// stretched).
#include <algorithm>
#include <cmath>
#include <optional>

#include "motion/moved_body.h"

namespace dermis {
namespace {

using enum JointRole;

// A correction comes and goes within this time. Seconds.
constexpr double kBlendSeconds = 0.15;
// Legs are not pulled straighter than this share of their length.
constexpr double kMostStretch = 0.999;
// Hips are lowered by at most this share of the leg.
constexpr double kMostDrop = 0.15;
// How much the rest pose's side of the knee counts, in parts of the leg: decides where a leg is straight.
constexpr double kRestPole = 0.01;

Vec3d over_ground(const Vec3d& v, const Vec3d& up) { return v - up * dot(v, up); }

// Where one point of a leg is, frame after frame; beyond the ends the first or last frame, or of a loop the
// cycle before or after.
struct Leg {
  Index thigh = kNone, shin = kNone, foot = kNone, toe = kNone;
  std::vector<Vec3d> ankle, tip;  // as carried over
};

class Locker {
 public:
  Locker(MovedBody& body, const RoleMap& roles, const ReferencePose& reference, const FootLock& lock,
         double fps, std::vector<BodyFramePose>& frames)
      : body_(body), roles_(roles), reference_(reference), lock_(lock), fps_(fps), frames_(frames) {}

  void run() {
    for (const int side : {0, 1}) gather(side);
    const std::size_t count = frames_.size();
    std::vector<std::vector<Vec3d>> wanted(2);
    for (const int side : {0, 1}) wanted[at(side)] = corrections(side);
    lower_hips(wanted);
    for (std::size_t frame = 0; frame < count; ++frame) {
      body_.pose(frames_[frame]);
      for (const int side : {0, 1}) {
        const Leg& leg = legs_[at(side)];
        if (leg.foot == kNone || length(wanted[at(side)][frame]) < 1e-9 * lock_.leg) {
          if (leg.foot == kNone || !is_lowered_) continue;
        }
        bend(leg, leg.ankle[frame] + wanted[at(side)][frame], frames_[frame]);
      }
    }
  }

 private:
  void gather(int side) {
    Leg& leg = legs_[at(side)];
    leg.thigh = roles_.first(on_side(thigh_l, side));
    leg.shin = roles_.first(on_side(shin_l, side));
    leg.foot = roles_.first(on_side(foot_l, side));
    leg.toe = roles_.first(on_side(toe_l, side));
    if (leg.thigh == kNone || leg.shin == kNone) leg.foot = kNone;
    if (leg.foot == kNone) return;
    for (const BodyFramePose& frame : frames_) {
      body_.pose(frame);
      leg.ankle.push_back(body_.place(leg.foot));
      leg.tip.push_back(leg.toe == kNone ? body_.place(leg.foot) : body_.place(leg.toe));
    }
  }

  const Vec3d& carried(int side, JointRole role, std::size_t frame) const {
    const Leg& leg = legs_[at(side)];
    return role == on_side(foot_l, side) ? leg.ankle[frame] : leg.tip[frame];
  }

  // The height at which a point of a foot stands.
  double floor_of(JointRole role) const {
    const Index joint = roles_.first(role), foot = roles_.first(role == toe_l   ? foot_l
                                                                : role == toe_r ? foot_r
                                                                                : role);
    return lock_.floor + dot(reference_.place[at(joint)] - reference_.place[at(foot)], lock_.up);
  }

  // How far the foot is to be moved in each frame.
  std::vector<Vec3d> corrections(int side) const {
    const std::size_t count = frames_.size();
    std::vector<Vec3d> moves(count);
    if (legs_[at(side)].foot == kNone) return moves;
    std::vector<const Contact*> own;
    for (const Contact& contact : lock_.contacts) {
      const bool is_own = contact.role == on_side(foot_l, side) || contact.role == on_side(toe_l, side);
      if (is_own && roles_.first(contact.role) != kNone) own.push_back(&contact);
    }
    std::vector<bool> is_held(count);
    const std::optional<Vec3d> around = place_around(side, own);
    for (const Contact* contact : own) {
      const bool goes_on = contact->first > 0 && is_held[contact->first - 1];
      Vec3d place = goes_on ? carried(side, contact->role, contact->first) + moves[contact->first - 1]
                            : standing_place(side, *contact);
      if (around && contact == own.front()) place = *around;
      if (around && contact == own.back()) place = *around + travel(side, contact->role);
      for (std::size_t k = contact->first; k <= contact->last; ++k) {
        moves[k] = place - carried(side, contact->role, k);
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

  // The way of a point over the ground in one cycle of a loop.
  Vec3d travel(int side, JointRole role) const {
    return over_ground(carried(side, role, frames_.size() - 1) - carried(side, role, 0), lock_.up);
  }

  // Where a foot of a loop stands that stands at its end and still at its start.
  std::optional<Vec3d> place_around(int side, const std::vector<const Contact*>& own) const {
    if (!lock_.is_loop || own.size() < 2 || own.front()->first > 0 || own.back()->last + 1 < frames_.size() ||
        own.front()->role != own.back()->role)
      return std::nullopt;
    const auto frames_of = [](const Contact& contact) {
      return static_cast<double>(contact.last - contact.first + 1);
    };
    const Contact &first = *own.front(), &last = *own.back();
    const Vec3d before = standing_place(side, last) - travel(side, last.role);
    return lerp(standing_place(side, first), before, frames_of(last) / (frames_of(first) + frames_of(last)));
  }

  // The mean over the contact, on the floor where that is near.
  Vec3d standing_place(int side, const Contact& contact) const {
    Vec3d sum;
    for (std::size_t k = contact.first; k <= contact.last; ++k) sum += carried(side, contact.role, k);
    const Vec3d mean = sum * (1.0 / static_cast<double>(contact.last - contact.first + 1));
    const double height = dot(mean, lock_.up), floor = floor_of(contact.role);
    return std::abs(height - floor) < kNearFloor * lock_.leg ? mean + lock_.up * (floor - height) : mean;
  }

  // Frames between contacts: out of the last correction and into the next.
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

  // Lowers the hips, smoothly, where a leg would have to be longer than it is.
  void lower_hips(const std::vector<std::vector<Vec3d>>& wanted) {
    const std::size_t count = frames_.size();
    std::vector<double> drop(count);
    for (std::size_t frame = 0; frame < count; ++frame) {
      body_.pose(frames_[frame]);
      for (const int side : {0, 1}) {
        const Leg& leg = legs_[at(side)];
        if (leg.foot == kNone || length(wanted[at(side)][frame]) < 1e-9 * lock_.leg) continue;
        const Vec3d hip = body_.place(leg.thigh), ankle = leg.ankle[frame] + wanted[at(side)][frame];
        const double own =
            length(body_.place(leg.shin) - hip) + length(body_.place(leg.foot) - body_.place(leg.shin));
        // A leg that came over straight may stay as straight.
        const double now = length(leg.ankle[frame] - hip), most = std::max(kMostStretch * own, now);
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

  // Knees keep their side; of a straight leg the rest pose says which.
  void bend(const Leg& leg, const Vec3d& ankle, BodyFramePose& frame) {
    const TwoBoneLimb limb{body_.place(leg.thigh), body_.place(leg.shin), body_.place(leg.foot)};
    const Vec3d ahead = normalized(limb.end - limb.root), knee = limb.middle - limb.root;
    const Quatd since_rest = body_.rotation(leg.thigh) * conjugate(reference_.rotation[at(leg.thigh)]);
    const Vec3d pole = (knee - ahead * dot(knee, ahead)) +
                       rotate(since_rest, reference_.frame.forward) * (kRestPole * lock_.leg);
    const TwoBoneTurns turns = solve_two_bone(limb, ankle, pole);
    Quatd& thigh = frame.rotation[at(body_.slot_of(leg.thigh))];
    Quatd& shin = frame.rotation[at(body_.slot_of(leg.shin))];
    thigh = normalized(turns.upper * thigh);
    shin = normalized(turns.lower * shin);
  }

  MovedBody& body_;
  const RoleMap& roles_;
  const ReferencePose& reference_;
  const FootLock& lock_;
  double fps_;
  std::vector<BodyFramePose>& frames_;
  Leg legs_[2];
  bool is_lowered_ = false;
};

}  // namespace

void lock_feet(MovedBody& body, const RoleMap& roles, const ReferencePose& reference, const FootLock& lock,
               double fps, std::vector<BodyFramePose>& frames) {
  if (lock.contacts.empty() || frames.size() < 3) return;
  Locker(body, roles, reference, lock, fps, frames).run();
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
