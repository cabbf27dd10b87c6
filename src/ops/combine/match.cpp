// SPDX-License-Identifier: MIT
// Matches joints by name, and compares how skins were bound.
#include "ops/combine/match.h"

#include <algorithm>
#include <map>
#include <string>

namespace dermis {
namespace {

// Binds that differ by less than this, as a fraction of the skeleton's size, are the same.
constexpr double kSameBind = 0.005;

std::vector<std::string> words_after_prefix(const std::string& name) {
  const std::size_t mark = name.find_last_of(":|");
  return name_words(mark == std::string::npos ? name : name.substr(mark + 1));
}

// The number of words that the names of all joints begin with, if each has more than these.
std::size_t shared_words(const Character& character, const std::vector<bool>& is_joint) {
  std::vector<std::string> shared;
  std::size_t count = 0;
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    if (!is_joint[n] || character.nodes[n].name.empty()) continue;
    const std::vector<std::string> words = words_after_prefix(character.nodes[n].name);
    if (count++ == 0) {
      shared = words;
    } else {
      const auto end = std::mismatch(shared.begin(), shared.end(), words.begin(), words.end()).first;
      shared.erase(end, shared.end());
    }
    if (!words.empty() && shared.size() >= words.size()) shared.resize(words.size() - 1);
  }
  return count > 1 ? shared.size() : 0;
}

std::string plain_name(const std::string& name, std::size_t shared) {
  const std::vector<std::string> words = words_after_prefix(name);
  std::string plain;
  for (std::size_t k = std::min(shared, words.size()); k < words.size(); ++k) plain += words[k] + " ";
  return plain;
}

// Nodes of the body by name.
using NodesByName = std::map<std::string, std::vector<Index>>;

// The one to take of several; kNone: it cannot be decided.
Index chosen_of(const std::vector<Index>& nodes, const Character& body, const std::vector<bool>& is_joint,
                const std::vector<bool>& is_taken, Index matched_parent) {
  std::vector<Index> free;
  for (const Index node : nodes) {
    if (!is_taken[at(node)]) free.push_back(node);
  }
  if (free.size() > 1 &&
      std::any_of(free.begin(), free.end(), [&](Index node) { return is_joint[at(node)]; }))
    std::erase_if(free, [&](Index node) { return !is_joint[at(node)]; });
  if (free.size() > 1)
    std::erase_if(free, [&](Index node) { return body.nodes[at(node)].parent != matched_parent; });
  return free.size() == 1 ? free[0] : kNone;
}

}  // namespace

std::vector<Index> match_joints(const Character& garment, const Character& body) {
  const std::vector<bool> is_joint = skin_joints(body), is_worn_joint = skin_joints(garment);
  std::vector<bool> is_candidate = is_joint;  // and ancestors
  for (std::size_t n = 0; n < body.nodes.size(); ++n) {
    if (!is_joint[n]) continue;
    for (Index up = body.nodes[n].parent; up != kNone && !is_candidate[at(up)];
         up = body.nodes[at(up)].parent)
      is_candidate[at(up)] = true;
  }
  std::vector<Index> match(garment.nodes.size(), kNone);
  std::vector<bool> is_taken(body.nodes.size(), false);
  const std::vector<Index> order = parents_first(garment.nodes);
  const auto match_by = [&](const auto& body_key, const auto& garment_key) {
    NodesByName by_name;
    for (std::size_t n = 0; n < body.nodes.size(); ++n) {
      const std::string key = is_candidate[n] ? body_key(body.nodes[n].name) : "";
      if (!key.empty()) by_name[key].push_back(static_cast<Index>(n));
    }
    for (const Index node : order) {
      if (match[at(node)] != kNone) continue;
      const auto found = by_name.find(garment_key(garment.nodes[at(node)].name));
      if (found == by_name.end()) continue;
      const Index parent = garment.nodes[at(node)].parent;
      const Index one =
          chosen_of(found->second, body, is_joint, is_taken, parent == kNone ? kNone : match[at(parent)]);
      if (one == kNone || (!is_worn_joint[at(node)] && !is_joint[at(one)])) continue;
      match[at(node)] = one;
      is_taken[at(one)] = true;
    }
  };
  const auto as_it_is = [](const std::string& name) { return name; };
  match_by(as_it_is, as_it_is);
  const std::size_t of_body = shared_words(body, is_joint), of_garment = shared_words(garment, is_worn_joint);
  match_by([&](const std::string& name) { return plain_name(name, of_body); },
           [&](const std::string& name) { return plain_name(name, of_garment); });
  return match;
}

bool is_bound_alike(const Skin& garment, const Skin& body, const std::vector<Index>& match) {
  // Each joint in both gives a transform from one bind space to the other; alike means that all agree.
  struct Pair {
    Affined garment_from_joint, body_from_garment;
  };
  std::vector<Pair> pairs;
  Box garment_box, body_box;
  for (std::size_t s = 0; s < garment.node.size(); ++s) {
    const auto other = std::find(body.node.begin(), body.node.end(), match[at(garment.node[s])]);
    if (match[at(garment.node[s])] == kNone || other == body.node.end()) continue;
    const Affined joint_from_garment(garment.inverse_bind[s]);
    const Affined body_from_joint =
        inverse(Affined(body.inverse_bind[static_cast<std::size_t>(other - body.node.begin())]));
    pairs.push_back({inverse(joint_from_garment), body_from_joint * joint_from_garment});
    garment_box.add(pairs.back().garment_from_joint.translation);
    body_box.add(body_from_joint.translation);
  }
  if (pairs.size() < 2 || !(body_box.diagonal() > 0)) return true;
  const double step = garment_box.diagonal(), most = kSameBind * body_box.diagonal();
  for (const Pair& pair : pairs) {
    const Vec3d place = pair.garment_from_joint.translation;
    for (const Vec3d& arm : {Vec3d{}, Vec3d{step, 0, 0}, Vec3d{0, step, 0}, Vec3d{0, 0, step}}) {
      const Vec3d apart = pair.body_from_garment * (place + arm) - pairs[0].body_from_garment * (place + arm);
      if (!(length(apart) <= most)) return false;
    }
  }
  return true;
}

}  // namespace dermis
