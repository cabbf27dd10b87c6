// SPDX-License-Identifier: MIT
// Finds limbs and fingers by joint names.
#include <algorithm>

#include "motion/body.h"

namespace dermis {
namespace {

using enum JointRole;

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty() && !word.empty()) {
    const std::size_t space = words.find(' ');
    if (words.substr(0, space) == word) return true;
    words.remove_prefix(space == std::string_view::npos ? words.size() : space + 1);
  }
  return false;
}

std::string_view words_of(JointRole role) { return joint_roles()[static_cast<std::size_t>(role)].words; }

// Words that mean another joint if the rig also has a better one: "arm" next to "upperarm".
bool is_vague(std::string_view word) {
  return word == "arm" || word == "shoulder" || word == "leg" || word == "hip";
}

class SideMapper {
 public:
  SideMapper(const Skeleton& skeleton, int side, RoleMap& roles)
      : skeleton_(skeleton), side_(side), roles_(roles) {}

  void map() {
    map_arm();
    map_leg();
    for (const JointRole finger : {thumb_l, index_l, middle_l, ring_l, pinky_l}) map_finger(finger);
  }

 private:
  bool is_called(Index node, std::string_view words) const {
    const SpokenName& name = skeleton_.name(node);
    return name.side == side_ && !name.is_helper && has_word(words, name.word);
  }
  // The first joint, from the root on, with a word of the role that `fits`; below `above` unless that is
  // kNone.
  template <class Fits>
  Index find(JointRole left, Index above, const Fits& fits) const {
    for (const Index node : skeleton_.order()) {
      if (is_called(node, words_of(left)) && fits(skeleton_.name(node).word) &&
          (above == kNone || skeleton_.is_below(node, above)))
        return node;
    }
    return kNone;
  }
  Index find_clear(JointRole left, Index above) const {
    return find(left, above, [](std::string_view word) { return !is_vague(word); });
  }
  Index find_word(JointRole left, Index above, std::string_view wanted) const {
    return find(left, above, [&](std::string_view word) { return word == wanted; });
  }
  void set(JointRole left, Index node) {
    if (node != kNone) roles_.of(on_side(left, side_)) = {node};
  }
  // The joint after `node` towards the end of the limb; kNone at its end.
  Index next(Index node) const {
    const std::vector<Index> chain = skeleton_.main_chain(node);
    return chain.size() > 1 ? chain[1] : kNone;
  }

  void map_arm() {
    Index upper = find_clear(upper_arm_l, kNone);
    if (upper == kNone) upper = find_word(upper_arm_l, kNone, "arm");
    const bool is_named = upper != kNone;
    if (!is_named) upper = find_word(upper_arm_l, kNone, "shoulder");
    if (upper == kNone) return;
    // Four joints called "arm": the first is the collar bone.
    const std::vector<Index> chain = skeleton_.main_chain(upper);
    const auto is_arm = [&](Index node) { return skeleton_.name(node).word == "arm"; };
    const bool has_collar = chain.size() >= 4 && std::all_of(chain.begin(), chain.begin() + 4, is_arm);
    if (has_collar) set(shoulder_l, upper), upper = chain[1];
    set(upper_arm_l, upper);
    Index collar = find_clear(shoulder_l, kNone);
    if (collar == kNone && is_named) collar = find_word(shoulder_l, kNone, "shoulder");
    if (collar != kNone && skeleton_.is_below(upper, collar)) set(shoulder_l, collar);
    Index fore = find_clear(forearm_l, upper);
    if (fore == kNone) fore = next(upper);
    if (fore == kNone) return;
    set(forearm_l, fore);
    Index hand = find_clear(hand_l, fore);
    if (hand == kNone) hand = next(fore);
    if (hand == kNone) hand = find_clear(hand_l, kNone);  // of control rigs, where it is attached elsewhere
    set(hand_l, hand);
  }

  void map_leg() {
    Index thigh = find_clear(thigh_l, kNone);
    if (thigh == kNone) thigh = find_word(thigh_l, kNone, "hip");
    if (thigh == kNone) thigh = find_word(thigh_l, kNone, "leg");
    if (thigh == kNone) return;
    set(thigh_l, thigh);
    Index shin = find_clear(shin_l, thigh);
    if (shin == kNone) shin = find_word(shin_l, thigh, "leg");
    if (shin == kNone) shin = next(thigh);
    if (shin == kNone) return;
    set(shin_l, shin);
    Index foot = find_clear(foot_l, shin);
    if (foot == kNone) foot = next(shin);
    if (foot == kNone) foot = find_clear(foot_l, kNone);  // likewise
    if (foot == kNone) return;
    set(foot_l, foot);
    Index toe = find_clear(toe_l, foot);
    if (toe == kNone) toe = next(foot);
    set(toe_l, toe);
  }

  // The finger meant by "finger" with numbers, 0 for the thumb: "finger2-1" counts from 1, "Finger01" from 0
  // in its first digit.
  static int numbered_finger(const SpokenName& name) {
    if (name.word != "finger" || name.numbers.empty()) return -1;
    const int first = name.numbers[0][0] - '0';
    return name.numbers.size() >= 2 ? first - 1 : first;
  }

  void map_finger(JointRole left) {
    const Index hand = roles_.first(on_side(hand_l, side_));
    if (hand == kNone) return;
    std::vector<Index>& chain = roles_.of(on_side(left, side_));
    const int number = static_cast<int>(left) - static_cast<int>(thumb_l);
    for (const Index node : skeleton_.order()) {
      if (!is_called(node, words_of(left)) || !skeleton_.is_below(node, hand)) continue;
      const SpokenName& name = skeleton_.name(node);
      if (name.word == "finger" && numbered_finger(name) != number) continue;
      if (chain.empty() || skeleton_.is_below(node, chain.back())) chain.push_back(node);
    }
  }

  const Skeleton& skeleton_;
  int side_;
  RoleMap& roles_;
};

// The legs of a four-legged body, with front or hind in their names.
class FourLegMapper {
 public:
  FourLegMapper(const Skeleton& skeleton, RoleMap& roles) : skeleton_(skeleton), roles_(roles) {}

  // Returns false and sets no role if names do not identify all four.
  bool map() {
    std::vector<Index> legs[2][2];
    for (const int pair : {0, 1}) {
      for (const int side : {0, 1}) {
        legs[pair][side] = leg_of(pair, side);
        if (legs[pair][side].size() < 3) return false;
      }
    }
    for (const int pair : {0, 1}) {
      for (const int side : {0, 1}) set_leg(legs[pair][side], pair, side);
    }
    return true;
  }

 private:
  bool is_paw(Index node) const { return has_word("foot ankle paw hoof", skeleton_.name(node).leg_word); }

  // The longest chain from a joint with that name to the paw, which control rigs attach elsewhere.
  std::vector<Index> leg_of(int pair, int side) const {
    std::vector<Index> longest, paw;
    for (const Index node : skeleton_.order()) {
      const SpokenName& name = skeleton_.name(node);
      if (name.pair != pair || name.side != side || name.is_helper) continue;
      std::vector<Index>& kept = is_paw(node) ? paw : longest;
      if (skeleton_.chain_size(node) > kept.size()) kept = skeleton_.main_chain(node);
    }
    const bool is_apart = !paw.empty() && !longest.empty() && longest.size() == upper_of(longest) + 2 &&
                          !skeleton_.is_below(paw.front(), longest.front());
    if (is_apart) longest.insert(longest.end(), paw.begin(), paw.end());
    return longest;
  }

  // The first joint is the upper one, unless a later joint is named as upper joint or paw: shoulder blades
  // and hips come before.
  std::size_t upper_of(const std::vector<Index>& chain) const {
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const std::string& word = skeleton_.name(chain[k]).leg_word;
      if (has_word("upper upleg upperleg legupper thigh femur humerus", word)) return k;
      if (k >= 2 && has_word("foot ankle paw hock", word)) return k - 2;
    }
    return 0;
  }

  void set_leg(const std::vector<Index>& chain, int pair, int side) {
    const std::size_t upper = upper_of(chain);
    const bool is_hind = pair == 1;
    const auto set = [&](JointRole left, std::size_t k) {
      if (k < chain.size()) roles_.of(on_side(left, side)) = {chain[k]};
    };
    if (!is_hind && upper > 0) set(shoulder_l, upper - 1);
    set(is_hind ? thigh_l : upper_arm_l, upper);
    set(is_hind ? shin_l : forearm_l, upper + 1);
    set(is_hind ? foot_l : hand_l, upper + 2);
    if (is_hind) set(toe_l, upper + 3);
  }

  const Skeleton& skeleton_;
  RoleMap& roles_;
};

}  // namespace

void map_limbs_by_name(const Skeleton& skeleton, RoleMap& roles) {
  if (FourLegMapper(skeleton, roles).map()) return;
  for (const int side : {0, 1}) SideMapper(skeleton, side, roles).map();
}

}  // namespace dermis
