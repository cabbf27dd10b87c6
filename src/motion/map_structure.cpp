// SPDX-License-Identifier: MIT
// Limbs from the shape of a skeleton alone: pairs of branches that are alike.
#include <algorithm>
#include <cmath>

#include "motion/body.h"

namespace dermis {
namespace {

using enum JointRole;

// Branches are alike when their lengths and counts differ by less than these shares, and limbs when they are
// longer than that share of the skeleton: fingers and ears are not.
constexpr double kAlike = 0.15, kAlikeCount = 0.25, kLeastLimb = 0.15;

struct LimbPair {
  Index node = kNone;  // they hang from
  Index a = kNone, b = kNone;
  double way = 0;  // of the longer one
};

double way_of(const Skeleton& skeleton, Index node, Index child) {
  return skeleton.reach(child) + skeleton.length_between(node, child);
}

std::size_t joint_count(const Skeleton& skeleton, Index node) {
  std::size_t count = 1;
  for (const Index child : skeleton.children(node)) count += joint_count(skeleton, child);
  return count;
}

// About as long, with about as many joints, at least three in a row.
bool are_alike(const Skeleton& skeleton, Index node, Index a, Index b) {
  const double way_a = way_of(skeleton, node, a), way_b = way_of(skeleton, node, b);
  const auto count_a = static_cast<double>(joint_count(skeleton, a)),
             count_b = static_cast<double>(joint_count(skeleton, b));
  return std::abs(way_a - way_b) <= kAlike * std::max(way_a, way_b) &&
         std::abs(count_a - count_b) <= kAlikeCount * std::max(count_a, count_b) &&
         skeleton.main_chain(a).size() >= 3 && skeleton.main_chain(b).size() >= 3;
}

std::vector<LimbPair> pairs_of(const Skeleton& skeleton) {
  std::vector<LimbPair> pairs;
  for (const Index node : skeleton.order()) {
    const std::vector<Index>& below = skeleton.children(node);
    LimbPair best;
    for (std::size_t i = 0; i < below.size(); ++i) {
      for (std::size_t j = i + 1; j < below.size(); ++j) {
        const double way = std::max(way_of(skeleton, node, below[i]), way_of(skeleton, node, below[j]));
        if (way > best.way && are_alike(skeleton, node, below[i], below[j]))
          best = {node, below[i], below[j], way};
      }
    }
    if (best.node != kNone && best.way > kLeastLimb * skeleton.size()) pairs.push_back(best);
  }
  return pairs;
}

// The joints of a limb: its two longest segments in a row, what comes before and what after.
struct Limb {
  Index before = kNone, upper = kNone, lower = kNone, end = kNone, after = kNone;
};

Limb limb_of(const Skeleton& skeleton, Index first) {
  const std::vector<Index> chain = skeleton.main_chain(first);
  std::size_t best = 0;
  double longest = -1;
  for (std::size_t k = 0; k + 2 < chain.size(); ++k) {
    // The shorter one counts: a long hand behind a long forearm is no upper arm.
    const double upper = skeleton.length_between(chain[k], chain[k + 1]);
    const double lower = skeleton.length_between(chain[k + 1], chain[k + 2]);
    if (std::min(upper, lower) > longest * 1.01) longest = std::min(upper, lower), best = k;
  }
  Limb limb;
  limb.upper = chain[best];
  if (best > 0) limb.before = chain[best - 1];
  if (best + 1 < chain.size()) limb.lower = chain[best + 1];
  if (best + 2 < chain.size()) limb.end = chain[best + 2];
  if (best + 3 < chain.size()) limb.after = chain[best + 3];
  return limb;
}

void set_limb(RoleMap& roles, const Limb& limb, bool is_leg, int side) {
  const auto set = [&](JointRole left, Index node) {
    if (node != kNone) roles.of(on_side(left, side)) = {node};
  };
  if (!is_leg) set(shoulder_l, limb.before);
  set(is_leg ? thigh_l : upper_arm_l, limb.upper);
  set(is_leg ? shin_l : forearm_l, limb.lower);
  set(is_leg ? foot_l : hand_l, limb.end);
  if (is_leg) set(toe_l, limb.after);
}

class StructureMapper {
 public:
  StructureMapper(const Skeleton& skeleton, RoleMap& roles, Notes& notes)
      : skeleton_(skeleton), roles_(roles), notes_(notes) {}

  void map() {
    std::vector<LimbPair> pairs = pairs_of(skeleton_);
    if (pairs.empty()) return;
    // Legs hang nearest the root; arms further on, the longest pair of those below it.
    const LimbPair legs = pairs.front();
    LimbPair arms;
    for (const LimbPair& pair : pairs) {
      const bool is_further = skeleton_.is_below(pair.node, legs.node) && pair.node != legs.a &&
                              !skeleton_.is_below(pair.node, legs.a) && pair.node != legs.b &&
                              !skeleton_.is_below(pair.node, legs.b);
      if (is_further && pair.way > arms.way) arms = pair;
    }
    const Limb leg[2] = {limb_of(skeleton_, legs.a), limb_of(skeleton_, legs.b)};
    const Vec3d left = left_of(legs, arms, leg);
    for (const int k : {0, 1}) set_limb(roles_, leg[k], true, side_of(legs, leg, k, left));
    if (arms.node == kNone) return;
    const Limb arm[2] = {limb_of(skeleton_, arms.a), limb_of(skeleton_, arms.b)};
    for (const int k : {0, 1}) set_limb(roles_, arm[k], false, side_of(arms, arm, k, left));
  }

 private:
  int side_of(const LimbPair& pair, const Limb (&limbs)[2], int k, const Vec3d& left) const {
    const int said[2] = {skeleton_.name(pair.a).side, skeleton_.name(pair.b).side};
    if (said[0] >= 0 && said[1] >= 0 && said[0] != said[1]) return said[k];
    const bool is_first_left =
        dot(skeleton_.place(limbs[0].upper) - skeleton_.place(limbs[1].upper), left) > 0;
    return (k == 0) == is_first_left ? 0 : 1;
  }

  // Up is from the legs to the arms, forward where the feet point.
  Vec3d left_of(const LimbPair& legs, const LimbPair& arms, const Limb (&leg)[2]) {
    const Vec3d hips = (skeleton_.place(legs.a) + skeleton_.place(legs.b)) * 0.5;
    Vec3d up = arms.node == kNone ? Vec3d{0, 1, 0} : skeleton_.place(arms.node) - hips;
    Vec3d forward;
    for (const Limb& limb : leg) {
      if (limb.end != kNone && limb.after != kNone)
        forward += skeleton_.place(limb.after) - skeleton_.place(limb.end);
    }
    const Vec3d left = cross(normalized(up), forward);
    if (length(left) > 0.01 * skeleton_.size()) return left;
    notes_.push_back({Note::Kind::guess, "facing-assumed",
                      "neither names nor feet tell left from right; +X is taken as left"});
    return {1, 0, 0};
  }

  const Skeleton& skeleton_;
  RoleMap& roles_;
  Notes& notes_;
};

}  // namespace

void map_limbs_by_structure(const Skeleton& skeleton, RoleMap& roles, Notes& notes) {
  StructureMapper(skeleton, roles, notes).map();
}

}  // namespace dermis
