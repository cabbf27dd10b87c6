// SPDX-License-Identifier: MIT
// Finds limbs from the shape of a skeleton alone: pairs of similar branches.
#include <algorithm>
#include <cmath>

#include "motion/body.h"

namespace dermis {
namespace {

using enum JointRole;

// Branches are similar if their lengths and counts differ by less than these fractions. They are limbs if
// they are longer than this fraction of the skeleton: fingers and ears are not.
constexpr double kAlike = 0.15, kAlikeCount = 0.25, kLeastLimb = 0.15;
// Branches named left and right of one limb may differ more: one arm may start deeper in the body.
constexpr double kAlikeByName = 0.5;
// The plane that mirrors one limb onto the other contains the trunk: the largest sine of the angle between
// them.
constexpr double kAlongTrunk = 0.5;
// A limb with at least this many joints, whose shortest segment is at least this fraction of the longest, has
// no recognisable knee: the middle joint is used.
constexpr std::size_t kManyJoints = 5;
constexpr double kEvenPieces = 0.4;

struct LimbPair {
  Index node = kNone;  // that both are attached to
  Index a = kNone, b = kNone;
  double way = 0;  // of the longer one
};

double way_of(const Skeleton& skeleton, Index node, Index child) {
  return skeleton.reach(child) + skeleton.length_between(node, child);
}

// Similar lengths and joint counts, with at least three joints in a chain.
bool are_alike(const Skeleton& skeleton, Index node, Index a, Index b) {
  const double way_a = way_of(skeleton, node, a), way_b = way_of(skeleton, node, b);
  const auto count_a = static_cast<double>(skeleton.joint_count(a)),
             count_b = static_cast<double>(skeleton.joint_count(b));
  return std::abs(way_a - way_b) <= kAlike * std::max(way_a, way_b) &&
         std::abs(count_a - count_b) <= kAlikeCount * std::max(count_a, count_b) &&
         skeleton.chain_size(a) >= 3 && skeleton.chain_size(b) >= 3;
}

bool is_in(const Skeleton& skeleton, Index node, Index branch) {
  return node == branch || skeleton.is_below(node, branch);
}

// Any two branches from one joint are mirror images about some plane. For a tail and a leg that plane crosses
// the trunk; for left and right limbs it contains the trunk.
bool are_mirrored(const Skeleton& skeleton, Index a, Index b) {
  Vec3d sum_a, sum_b, rest;
  double count_a = 0, count_b = 0, count = 0;
  for (const Index node : skeleton.order()) {
    if (is_in(skeleton, node, a)) {
      sum_a += skeleton.place(node), ++count_a;
    } else if (is_in(skeleton, node, b)) {
      sum_b += skeleton.place(node), ++count_b;
    } else {
      rest += skeleton.place(node), ++count;
    }
  }
  if (count == 0) return true;
  const Vec3d middle_a = sum_a * (1 / count_a), middle_b = sum_b * (1 / count_b);
  const Vec3d trunk = rest * (1 / count) - (middle_a + middle_b) * 0.5;
  return std::abs(dot(normalized(middle_a - middle_b), normalized(trunk))) <= kAlongTrunk;
}

// The longest pair of similar branches below a joint, among those without sides in their names. Quadratic in
// the branches: it ends early, with any answer, if a stop is requested.
LimbPair pair_below(const Skeleton& skeleton, Index node, const Progress& progress) {
  const std::vector<Index>& below = skeleton.children(node);
  LimbPair best;
  for (std::size_t i = 0; i < below.size(); ++i) {
    for (std::size_t j = i + 1; j < below.size() && !progress.is_stopped(); ++j) {
      const Index a = below[i], b = below[j];
      if (skeleton.name(a).side >= 0 || skeleton.name(b).side >= 0) continue;
      const double way = std::max(way_of(skeleton, node, a), way_of(skeleton, node, b));
      if (way > best.way && are_alike(skeleton, node, a, b) && are_mirrored(skeleton, a, b))
        best = {node, a, b, way};
    }
  }
  return best;
}

// True if a side first appears in the names at this node.
bool starts_side(const Skeleton& skeleton, Index node) {
  const int side = skeleton.name(node).side;
  const Index parent = skeleton.parent(node);
  return side >= 0 && !skeleton.name(node).is_helper &&
         (parent == kNone || !skeleton.is_joint(parent) || skeleton.name(parent).side != side);
}

// The right branch with the same name as the left branch `a`, wherever it is attached; any answer if a stop
// is requested.
LimbPair pair_by_name(const Skeleton& skeleton, const RightBranches& branches, Index a,
                      const Progress& progress) {
  const SpokenName& left = skeleton.name(a);
  const auto alike = branches.find({left.word, left.numbers});
  if (alike == branches.end()) return {};
  for (const Index b : alike->second) {
    if (progress.is_stopped()) break;
    const double way_a = skeleton.reach(a), way_b = skeleton.reach(b), way = std::max(way_a, way_b);
    const Index node = skeleton.common(a, b);
    if (node != kNone && std::abs(way_a - way_b) <= kAlikeByName * way && skeleton.chain_size(a) >= 3 &&
        skeleton.chain_size(b) >= 3)
      return {node, a, b, way};
  }
  return {};
}

// In the order of the joints they are attached to.
Result<std::vector<LimbPair>> pairs_of(const Skeleton& skeleton, const Progress& progress) {
  std::vector<LimbPair> pairs;
  const auto add = [&](const LimbPair& pair) {
    if (pair.node != kNone && pair.way > kLeastLimb * skeleton.size()) pairs.push_back(pair);
  };
  const RightBranches branches = right_branches(skeleton);
  std::vector<std::size_t> place(skeleton.character().nodes.size());
  for (std::size_t k = 0; k < skeleton.order().size() && !progress.is_stopped(); ++k) {
    const Index node = skeleton.order()[k];
    place[at(node)] = k;
    add(pair_below(skeleton, node, progress));
    if (starts_side(skeleton, node) && skeleton.name(node).side == 0)
      add(pair_by_name(skeleton, branches, node, progress));
  }
  if (Status going = progress.at(kMappingJoints, 0.5); !going) return going.error();
  std::stable_sort(pairs.begin(), pairs.end(), [&](const LimbPair& one, const LimbPair& other) {
    return place[at(one.node)] < place[at(other.node)];
  });
  return pairs;
}

// The joints of a limb: its two longest consecutive segments, what comes before and what after. A limb with
// equal segments is halved.
struct Limb {
  Index before = kNone, upper = kNone, lower = kNone, end = kNone, after = kNone;
};

// The joint nearest the middle of a chain with equal segments; 0 for others.
std::size_t middle_of_even(const Skeleton& skeleton, const std::vector<Index>& chain) {
  if (chain.size() < kManyJoints) return 0;
  std::vector<double> way(1, 0.0);
  double shortest = INFINITY, longest = 0;
  for (std::size_t k = 1; k < chain.size(); ++k) {
    const double piece = skeleton.length_between(chain[k - 1], chain[k]);
    shortest = std::min(shortest, piece), longest = std::max(longest, piece);
    way.push_back(way.back() + piece);
  }
  if (shortest < kEvenPieces * longest) return 0;
  std::size_t middle = 1;
  for (std::size_t k = 1; k + 1 < chain.size(); ++k) {
    if (std::abs(way[k] - way.back() / 2) < std::abs(way[middle] - way.back() / 2)) middle = k;
  }
  return middle;
}

Limb limb_of(const Skeleton& skeleton, Index first) {
  const std::vector<Index> chain = skeleton.main_chain(first);
  if (const std::size_t middle = middle_of_even(skeleton, chain); middle > 0)
    return {kNone, chain.front(), chain[middle], chain.back(), kNone};
  std::size_t best = 0;
  double longest = -1;
  for (std::size_t k = 0; k + 2 < chain.size(); ++k) {
    // The shorter one is compared: a long hand after a long forearm does not make an upper arm.
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

  void map(const std::vector<LimbPair>& pairs) {
    if (pairs.empty()) return;
    const LimbPair legs = legs_of(pairs);
    LimbPair arms;
    for (const LimbPair& pair : pairs) {
      const bool is_on_legs = is_in(skeleton_, pair.a, legs.a) || is_in(skeleton_, pair.a, legs.b) ||
                              is_in(skeleton_, pair.b, legs.a) || is_in(skeleton_, pair.b, legs.b);
      const bool is_further = is_in(skeleton_, pair.node, legs.node) && !is_on_legs;
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
  // Legs are attached nearest the root. Among pairs attached to one joint they reach lowest.
  LimbPair legs_of(const std::vector<LimbPair>& pairs) const {
    const auto height = [&](const LimbPair& pair) {
      return skeleton_.place(skeleton_.main_chain(pair.a).back()).y +
             skeleton_.place(skeleton_.main_chain(pair.b).back()).y;
    };
    LimbPair legs = pairs.front();
    for (const LimbPair& pair : pairs) {
      if (pair.node == legs.node && height(pair) < height(legs)) legs = pair;
    }
    return legs;
  }

  int side_of(const LimbPair& pair, const Limb (&limbs)[2], int k, const Vec3d& left) const {
    const int said[2] = {skeleton_.name(pair.a).side, skeleton_.name(pair.b).side};
    if (said[0] >= 0 && said[1] >= 0 && said[0] != said[1]) return said[k];
    const bool is_first_left =
        dot(skeleton_.place(limbs[0].upper) - skeleton_.place(limbs[1].upper), left) > 0;
    return (k == 0) == is_first_left ? 0 : 1;
  }

  // Up is from the legs to the arms; forward is where the feet point.
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
                      "neither names nor feet distinguish left from right; +X is assumed to be left"});
    return {1, 0, 0};
  }

  const Skeleton& skeleton_;
  RoleMap& roles_;
  Notes& notes_;
};

}  // namespace

RightBranches right_branches(const Skeleton& skeleton) {
  RightBranches branches;
  for (const Index node : skeleton.order()) {
    const SpokenName& name = skeleton.name(node);
    if (name.side == 1 && starts_side(skeleton, node)) branches[{name.word, name.numbers}].push_back(node);
  }
  return branches;
}

Status map_limbs_by_structure(const Skeleton& skeleton, RoleMap& roles, Notes& notes,
                              const Progress& progress) {
  const Result<std::vector<LimbPair>> pairs = pairs_of(skeleton, progress);
  if (!pairs) return pairs.error();
  StructureMapper(skeleton, roles, notes).map(*pairs);
  return Done{};
}

}  // namespace dermis
