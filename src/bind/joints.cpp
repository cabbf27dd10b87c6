// SPDX-License-Identifier: MIT
// Which joints of a skeleton deform the skin, and which only control others, end limbs or move the whole.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bind/places.h"

namespace dermis {
namespace {

// Whole words of names, in lower case; docs/binding.md lists them.
constexpr std::array kControlWords{"ik",       "pole",     "target", "ctrl",   "control", "controller",
                                   "handle",   "effector", "slot",   "socket", "attach",  "attachment",
                                   "handslot", "locator",  "weapon", "prop"};
constexpr std::array kEndWords{"end", "nub", "tip", "site", "endsite", "terminal"};
constexpr std::array kRootWords{"root",   "armature", "rig",    "reference", "world",
                                "origin", "master",   "global", "skeleton",  "scene"};
// Words that add no meaning to those.
constexpr std::array kFillers{"joint", "joints", "jnt", "bone", "node", "b", "j"};

template <std::size_t N>
bool has_word(const std::vector<std::string>& words, const std::array<const char*, N>& wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), std::string_view(word)) != wanted.end();
  });
}

bool is_number(const std::string& word) { return word[0] >= '0' && word[0] <= '9'; }

// "Root", "b_Root_00" and "_rootJoint", but not "Skeleton_torso_joint_1".
bool names_a_root(const std::vector<std::string>& words) {
  std::vector<std::string> telling = words;
  std::erase_if(telling,
                [](const std::string& word) { return is_number(word) || has_word({word}, kFillers); });
  return !telling.empty() && std::all_of(telling.begin(), telling.end(), [](const std::string& word) {
    return has_word({word}, kRootWords);
  });
}

// Weights that use fewer than this fraction of the joints that names would select are meaningless: an
// exporter put all points on the root, or the weights were lost.
constexpr std::size_t kTellingPart = 3;

// What is known about each node.
struct Candidates {
  std::vector<bool> is_joint, is_followed;
  std::vector<bool> goes_by_name;  // if weights do not decide
  std::vector<bool> has_joint_above, has_joint_below;
};

// Which joints points follow, and where names decide instead: for all joints if there are no weights at all,
// and for those of skins that show a mesh without its own weights.
void read_weights(const Character& character, std::span<const Index> unweighted, Candidates& all) {
  bool are_weights_known = false;
  for (const Instance& instance : character.instances) {
    if (instance.skin == kNone) continue;
    const Skin& skin = character.skins[at(instance.skin)];
    if (std::find(unweighted.begin(), unweighted.end(), instance.mesh) != unweighted.end()) {
      for (const Index node : skin.node) all.goes_by_name[at(node)] = true;
      continue;
    }
    for (const Influence& influence : character.meshes[at(instance.mesh)].weights.influences) {
      all.is_followed[at(skin.node[at(influence.slot)])] = true;
      are_weights_known = true;
    }
  }
  if (!are_weights_known) all.goes_by_name.assign(character.nodes.size(), true);
}

Candidates candidates_of(const Character& character, std::span<const Index> unweighted) {
  const std::size_t count = character.nodes.size();
  Candidates all{skin_joints(character), std::vector<bool>(count), std::vector<bool>(count),
                 std::vector<bool>(count), std::vector<bool>(count)};
  read_weights(character, unweighted, all);
  if (character.skins.empty()) {
    all.is_joint.assign(count, true);
    for (const Instance& instance : character.instances) all.is_joint[at(instance.node)] = false;
  }
  for (const Index node : parents_first(character.nodes)) {
    const Index parent = character.nodes[at(node)].parent;
    if (parent == kNone) continue;
    all.has_joint_above[at(node)] = all.is_joint[at(parent)] || all.has_joint_above[at(parent)];
  }
  for (std::size_t n = 0; n < count; ++n) {
    for (Index up = character.nodes[n].parent; all.is_joint[n] && up != kNone && !all.has_joint_below[at(up)];
         up = character.nodes[at(up)].parent) {
      all.has_joint_below[at(up)] = true;
    }
  }
  return all;
}

std::optional<IdleReason> reason_by_name(const Character& character, const Candidates& all,
                                         std::size_t node) {
  const std::vector<std::string> words = name_words(character.nodes[node].name);
  if (has_word(words, kControlWords)) return IdleReason::control;
  if (!all.has_joint_below[node] && has_word(words, kEndWords)) return IdleReason::end;
  if (!all.has_joint_above[node] && all.has_joint_below[node] && names_a_root(words)) return IdleReason::root;
  return std::nullopt;
}

std::optional<IdleReason> idle_reason(const Character& character, const Candidates& all, std::size_t node) {
  if (all.is_followed[node]) return std::nullopt;
  return all.goes_by_name[node] ? reason_by_name(character, all, node) : IdleReason::unfollowed;
}

// Lets names decide for every joint if the weights hardly can, and notes where they do.
void judge_weights(const Character& character, std::span<const Index> unweighted, Candidates& all,
                   Notes& notes) {
  if (!unweighted.empty()) {
    notes.push_back({Note::Kind::guess, "joints-by-name",
                     fmt::format("{} no weights of {} own: joint names decide which joints deform",
                                 counted(unweighted.size(), "mesh has", "meshes have"),
                                 unweighted.size() == 1 ? "its" : "their"),
                     "", -1, -1, unweighted.size()});
  }
  std::size_t followed_count = 0, named_count = 0;
  for (std::size_t n = 0; n < all.is_joint.size(); ++n) {
    followed_count += all.is_followed[n] ? 1 : 0;
    if (all.is_joint[n] && !reason_by_name(character, all, n)) ++named_count;
  }
  if (followed_count == 0 || kTellingPart * followed_count >= named_count) return;
  all.is_followed.assign(all.is_followed.size(), false);
  all.goes_by_name.assign(all.goes_by_name.size(), true);
  notes.push_back({Note::Kind::guess, "joints-by-name",
                   fmt::format("points follow only {} of {}: the weights seem meaningless, so joint names "
                               "decide which joints deform",
                               followed_count, counted(named_count, "joint", "joints")),
                   "", -1, -1, named_count});
}

Result<std::vector<bool>> marked(const Character& character, const std::vector<std::string>& labels) {
  std::vector<bool> is_marked(character.nodes.size());
  const NodeFinder finder(character);
  for (const std::string& label : labels) {
    const Result<Index> node = finder.find(label);
    if (!node) return node.error();
    is_marked[at(*node)] = true;
  }
  return is_marked;
}

}  // namespace

const char* name_of(IdleReason reason) {
  switch (reason) {
    case IdleReason::excluded:
      return "excluded";
    case IdleReason::unfollowed:
      return "unfollowed";
    case IdleReason::control:
      return "control";
    case IdleReason::end:
      return "end";
    case IdleReason::root:
      return "root";
    case IdleReason::unreached:
      return "unreached";
  }
  return "excluded";
}

Result<DeformingJoints> deforming_joints(const Character& character, const JointChoice& choice,
                                         std::span<const Index> unweighted) {
  return without_throwing("choosing joints", [&]() -> Result<DeformingJoints> {
    const Result<std::vector<bool>> included = marked(character, choice.include);
    if (!included) return included.error();
    const Result<std::vector<bool>> excluded = marked(character, choice.exclude);
    if (!excluded) return excluded.error();
    for (std::size_t n = 0; n < character.nodes.size(); ++n) {
      if ((*included)[n] && (*excluded)[n])
        return Error{Errc::usage, fmt::format("joint {} is both included and excluded; choose one",
                                              quoted_name(node_label(character, static_cast<Index>(n))))};
    }
    Candidates all = candidates_of(character, unweighted);
    DeformingJoints joints;
    judge_weights(character, unweighted, all, joints.notes);
    std::vector<Index> unexcluded;
    for (std::size_t n = 0; n < character.nodes.size(); ++n) {
      const Index node = static_cast<Index>(n);
      if (!all.is_joint[n] && !(*included)[n]) continue;
      if ((*excluded)[n]) {
        joints.idle.push_back({node, IdleReason::excluded});
        continue;
      }
      unexcluded.push_back(node);
      const std::optional<IdleReason> reason = (*included)[n] ? std::nullopt : idle_reason(character, all, n);
      if (reason) {
        joints.idle.push_back({node, *reason});
      } else {
        joints.nodes.push_back(node);
        if (all.goes_by_name[n] && !(*included)[n]) joints.unproven.push_back(node);
      }
    }
    if (joints.nodes.empty()) {
      joints.nodes = unexcluded;
      std::erase_if(joints.idle, [](const auto& idle) { return idle.reason != IdleReason::excluded; });
    }
    if (joints.nodes.empty())
      return Error{Errc::bad_rig,
                   joints.idle.empty()
                       ? "there is no joint to bind to: no skin names one and no node could be "
                         "one; give a skeleton"
                       : "every joint is excluded; leave at least one"};
    return joints;
  });
}

}  // namespace dermis
