// SPDX-License-Identifier: MIT
// Parses joint names, and traverses the tree of a skeleton.
#include "motion/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace dermis {
namespace {

// Words that rigs and exporters put into every name.
constexpr std::array<std::string_view, 24> kNoise{
    "mixamorig", "bip",  "bip01", "biped", "valvebiped", "def",  "org",  "j",
    "b",         "c",    "cc",    "base",  "joint",      "jnt",  "bone", "bn",
    "skeleton",  "skin", "rig",   "bind",  "armature",   "anim", "sk",   "character"};
// A first word that this share of at least so many names have says whose they are, not which.
constexpr double kOwnedShare = 0.8;
constexpr std::size_t kLeastNames = 10;
// Words of joints that are not body parts themselves.
constexpr std::array<std::string_view, 33> kHelpers{
    "ik",     "pole",     "target",     "ctrl",    "control", "controller", "twist",  "roll",    "end",
    "nub",    "site",     "slot",       "tip",     "helper",  "hlp",        "socket", "weapon",  "prop",
    "attach", "effector", "handslot",   "mch",     "heel",    "metacarpal", "palm",   "locator", "handle",
    "adjust", "share",    "corrective", "endsite", "jiggle",  "breast"};

// Names of a leg apart from the word for its pair; "arm" is not one of them, because of "forearm".
constexpr std::array<std::string_view, 28> kLegWords{
    "leg",      "upleg",   "upperleg", "lowleg", "lowerleg", "legupper", "leglower",
    "upper",    "lower",   "thigh",    "shin",   "calf",     "knee",     "hock",
    "foot",     "ankle",   "paw",      "hoof",   "toe",      "toes",     "elbow",
    "shoulder", "scapula", "hip",      "femur",  "tibia",    "humerus",  "clavicle"};

bool is_any(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// True if a word ends between two letters of a name: aB, a1, 1a, and before the last capital of ABc.
bool is_break(char before, char here, char after) {
  if (is_digit(before) != is_digit(here)) return true;
  if (!is_upper(here)) return false;
  return is_lower(before) || is_lower(after);
}

std::vector<std::string> words_of(std::string_view name) {
  const std::size_t space = name.find_last_of(":|");
  if (space != std::string_view::npos && space + 1 < name.size()) name.remove_prefix(space + 1);
  std::vector<std::string> words(1);
  for (std::size_t k = 0; k < name.size(); ++k) {
    const char c = name[k];
    const bool is_part = is_upper(c) || is_lower(c) || is_digit(c);
    const bool is_new = !is_part || (!words.back().empty() &&
                                     is_break(name[k - 1], c, k + 1 < name.size() ? name[k + 1] : ' '));
    if (is_new && !words.back().empty()) words.emplace_back();
    if (is_part) words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

int side_of(std::string_view word) {
  if (word == "l" || word == "left") return 0;
  if (word == "r" || word == "right") return 1;
  return -1;
}

// "frontupleg" is the "upleg" of a front leg, "backfoot" the "foot" of a hind leg; "back" alone is a spine.
void find_pair(SpokenName& spoken) {
  constexpr std::array<std::pair<std::string_view, int>, 5> kPairs{
      {{"front", 0}, {"fore", 0}, {"hind", 1}, {"rear", 1}, {"back", 1}}};
  for (const auto& [mark, pair] : kPairs) {
    const std::size_t place = spoken.word.find(mark);
    if (place == std::string::npos) continue;
    std::string rest = spoken.word;
    rest.erase(place, mark.size());
    if (!is_any(rest, kLegWords)) continue;
    spoken.pair = pair;
    spoken.leg_word = std::move(rest);
    return;
  }
}

bool is_role_word(std::string_view word) {
  if (is_any(word, kLegWords)) return true;
  for (const RoleRow& row : joint_roles()) {
    const std::string words = fmt::format(" {} ", row.words);
    if (words.find(fmt::format(" {} ", word)) != std::string::npos) return true;
  }
  return word == "arm" || side_of(word) >= 0;
}

// The word that nearly all names begin with, which is that of the character ("Yeti_LeftArm"); empty: none.
std::string owner_of(const Character& character, const std::vector<bool>& is_joint) {
  std::map<std::string, std::size_t> first_words;
  std::size_t count = 0;
  for (std::size_t n = 0; n < is_joint.size(); ++n) {
    if (!is_joint[n]) continue;
    ++count;
    const std::vector<std::string> words = words_of(character.nodes[n].name);
    if (words.size() > 1 && !is_digit(words[1][0])) ++first_words[words.front()];
  }
  for (const auto& [word, times] : first_words) {
    if (count >= kLeastNames && static_cast<double>(times) >= kOwnedShare * static_cast<double>(count) &&
        !is_role_word(word))
      return word;
  }
  return "";
}

}  // namespace

JointRole mirrored(JointRole role) {
  const int number = static_cast<int>(role);
  if (number < kFirstLeft) return role;
  return static_cast<JointRole>(number < kFirstLeft + kRolesOfSide ? number + kRolesOfSide
                                                                   : number - kRolesOfSide);
}

Index only_child(const Character& character, Index node) {
  Index child = kNone;
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    if (character.nodes[n].parent != node) continue;
    if (child != kNone) return kNone;
    child = static_cast<Index>(n);
  }
  return child;
}

SpokenName spoken_name(std::string_view name, std::string_view owner) {
  SpokenName spoken;
  // Old MakeHuman files have such a joint before each joint with an offset.
  spoken.is_helper = name.starts_with("__");
  std::vector<std::string> words = words_of(name);
  if (words.size() > 1 && words.front() == owner) words.erase(words.begin());
  for (std::string& word : words) {
    if (is_digit(word[0])) {
      spoken.numbers.push_back(std::move(word));
      continue;
    }
    for (const std::string_view side : {"left", "right"}) {
      if (word.size() > side.size() && word.starts_with(side)) {
        spoken.side = side_of(side);
        word.erase(0, side.size());
      }
    }
    if (const int side = side_of(word); side >= 0) {
      spoken.side = side;
      continue;
    }
    if (is_any(word, kHelpers)) spoken.is_helper = true;
    spoken.numbers.clear();  // of the word before: "Bip01 L Finger0"
    if (!is_any(word, kNoise)) spoken.word += word;
  }
  // Rigify's fingers: f_index.01.L
  if (spoken.word.starts_with("f") &&
      is_any(spoken.word.substr(1), std::array<std::string_view, 4>{"index", "middle", "ring", "pinky"}))
    spoken.word.erase(0, 1);
  find_pair(spoken);
  return spoken;
}

Skeleton::Skeleton(const Character& character)
    : character_(character),
      is_joint_(character.skins.empty() ? std::vector<bool>(character.nodes.size(), true)
                                        : skin_joints(character)),
      names_(character.nodes.size()),
      place_(character.nodes.size()),
      children_(character.nodes.size()),
      reach_(character.nodes.size(), 0.0),
      next_(character.nodes.size(), kNone),
      joint_count_(character.nodes.size(), 1),
      chain_size_(character.nodes.size(), 1),
      subtrees_(character.nodes) {
  if (character.skins.empty()) {
    for (const Instance& instance : character.instances) is_joint_[at(instance.node)] = false;
  }
  const std::vector<Affined> world = rest_world(character);
  const std::string owner = owner_of(character, is_joint_);
  const std::vector<Index> all = parents_first(character.nodes);
  // Nodes between joints belong to the skeleton too.
  for (auto n = all.rbegin(); n != all.rend(); ++n) {
    if (!is_joint_[at(*n)]) continue;
    Index above = parent(*n);
    while (above != kNone && !is_joint_[at(above)]) above = parent(above);
    for (Index between = parent(*n); above != kNone && between != above; between = parent(between))
      is_joint_[at(between)] = true;
  }
  Box box;
  const std::vector<NodeParts> driven = driven_parts(character);
  for (std::size_t n = 0; n < names_.size(); ++n) {
    names_[n] = spoken_name(character.nodes[n].name, owner);
    // What drivers move follows other joints, whatever its name.
    if (!driven.empty() && driven[n].any()) names_[n].is_helper = true;
    place_[n] = world[n].translation;
    if (is_joint_[n]) box.add(place_[n]);
  }
  size_ = box.diagonal();
  for (const Index n : all) {
    if (!is_joint_[at(n)]) continue;
    order_.push_back(n);
    const Index above = parent(n);
    if (above != kNone && is_joint_[at(above)] && !names_[at(n)].is_helper) children_[at(above)].push_back(n);
  }
  measure_branches();
}

void Skeleton::measure_branches() {
  for (auto joint = order_.rbegin(); joint != order_.rend(); ++joint) {
    const std::size_t j = at(*joint);
    double longest = -1;
    for (const Index child : children_[j]) {
      const double path = reach(child) + length_between(*joint, child);
      if (path > longest) longest = path, next_[j] = child;
      joint_count_[j] += joint_count(child);
    }
    reach_[j] = std::max(longest, 0.0);
    if (next_[j] != kNone) chain_size_[j] += chain_size(next_[j]);
  }
}

bool Skeleton::is_below(Index node, Index ancestor) const {
  return node != kNone && ancestor != kNone && node != ancestor && subtrees_.is_in(node, ancestor);
}

Index Skeleton::common(Index a, Index b) const {
  for (Index above = a; above != kNone; above = parent(above)) {
    if (above == b || is_below(b, above)) return above;
  }
  return kNone;
}

std::vector<Index> Skeleton::path(Index from, Index to) const {
  if (!is_below(to, from)) return {};
  std::vector<Index> nodes;
  for (Index node = to; node != from; node = parent(node)) nodes.push_back(node);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<Index> Skeleton::main_chain(Index node) const {
  std::vector<Index> chain;
  for (; node != kNone; node = next_[at(node)]) chain.push_back(node);
  return chain;
}

}  // namespace dermis
