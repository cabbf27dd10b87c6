// SPDX-License-Identifier: MIT
// Finds which shapes follow which, by the names of the usual vocabularies.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <unordered_map>

#include "dermis/motion/takes.h"

namespace dermis {
namespace {

struct TableTerm {
  const char* source = nullptr;
  float weight = 0;
};
// One row of a built-in map.
struct TableRow {
  const char* target;
  std::array<TableTerm, 4> terms;
  const char* unless = nullptr;  // a target: if it is there, this row would repeat it
};
struct VocabularyMap {
  const char* name;
  std::span<const TableRow> rows;
};

// ARKit's 52 coefficients (ARFaceAnchor.BlendShapeLocation) onto the expression presets of VRM 1.0 and 0.x,
// whose mouths and moods are pictures of several muscles: the nearest single ones are taken.
constexpr TableRow kVrmRows[] = {
    {"blinkLeft", {{{"eyeBlinkLeft", 1}}}},
    {"blinkRight", {{{"eyeBlinkRight", 1}}}},
    {"blink", {{{"eyeBlinkLeft", 0.5f}, {"eyeBlinkRight", 0.5f}}}, "blinkLeft"},
    {"lookUp", {{{"eyeLookUpLeft", 0.5f}, {"eyeLookUpRight", 0.5f}}}},
    {"lookDown", {{{"eyeLookDownLeft", 0.5f}, {"eyeLookDownRight", 0.5f}}}},
    {"lookLeft", {{{"eyeLookOutLeft", 0.5f}, {"eyeLookInRight", 0.5f}}}},
    {"lookRight", {{{"eyeLookInLeft", 0.5f}, {"eyeLookOutRight", 0.5f}}}},
    {"aa", {{{"jawOpen", 1}}}},
    {"a", {{{"jawOpen", 1}}}, "aa"},
    {"ou", {{{"mouthPucker", 1}}}},
    {"u", {{{"mouthPucker", 1}}}, "ou"},
    {"oh", {{{"mouthFunnel", 1}}}},
    {"o", {{{"mouthFunnel", 1}}}, "oh"},
    {"ee", {{{"mouthStretchLeft", 0.5f}, {"mouthStretchRight", 0.5f}}}},
    {"e", {{{"mouthStretchLeft", 0.5f}, {"mouthStretchRight", 0.5f}}}, "ee"},
    {"happy", {{{"mouthSmileLeft", 0.5f}, {"mouthSmileRight", 0.5f}}}},
    {"joy", {{{"mouthSmileLeft", 0.5f}, {"mouthSmileRight", 0.5f}}}, "happy"},
    {"sad", {{{"mouthFrownLeft", 0.5f}, {"mouthFrownRight", 0.5f}}}},
    {"sorrow", {{{"mouthFrownLeft", 0.5f}, {"mouthFrownRight", 0.5f}}}, "sad"},
    {"angry", {{{"browDownLeft", 0.5f}, {"browDownRight", 0.5f}}}},
    {"surprised", {{{"eyeWideLeft", 0.5f}, {"eyeWideRight", 0.5f}}}},
};
// The way back: one muscle for each preset that shows it.
constexpr TableRow kFromVrmRows[] = {
    {"eyeBlinkLeft", {{{"blinkLeft", 1}}}},
    {"eyeBlinkRight", {{{"blinkRight", 1}}}},
    {"eyeBlinkLeft", {{{"blink", 1}}}},
    {"eyeBlinkRight", {{{"blink", 1}}}},
    {"eyeLookUpLeft", {{{"lookUp", 1}}}},
    {"eyeLookUpRight", {{{"lookUp", 1}}}},
    {"eyeLookDownLeft", {{{"lookDown", 1}}}},
    {"eyeLookDownRight", {{{"lookDown", 1}}}},
    {"eyeLookOutLeft", {{{"lookLeft", 1}}}},
    {"eyeLookInRight", {{{"lookLeft", 1}}}},
    {"eyeLookInLeft", {{{"lookRight", 1}}}},
    {"eyeLookOutRight", {{{"lookRight", 1}}}},
    {"jawOpen", {{{"aa", 1}}}},
    {"mouthPucker", {{{"ou", 1}}}},
    {"mouthFunnel", {{{"oh", 1}}}},
    {"mouthStretchLeft", {{{"ee", 1}}}},
    {"mouthStretchRight", {{{"ee", 1}}}},
    {"mouthSmileLeft", {{{"happy", 1}}}},
    {"mouthSmileRight", {{{"happy", 1}}}},
    {"mouthFrownLeft", {{{"sad", 1}}}},
    {"mouthFrownRight", {{{"sad", 1}}}},
    {"browDownLeft", {{{"angry", 1}}}},
    {"browDownRight", {{{"angry", 1}}}},
    {"eyeWideLeft", {{{"surprised", 1}}}},
    {"eyeWideRight", {{{"surprised", 1}}}},
};
// The built-in face has fewer and broader shapes. "surprised" is a picture of brows, lids and jaw, which all
// move already.
constexpr TableRow kFaceRows[] = {
    {"smile_L", {{{"mouthSmileLeft", 1}}}},
    {"smile_R", {{{"mouthSmileRight", 1}}}},
    {"smile", {{{"mouthSmileLeft", 0.5f}, {"mouthSmileRight", 0.5f}}}, "smile_L"},
    {"frown_L", {{{"mouthFrownLeft", 1}}}},
    {"frown_R", {{{"mouthFrownRight", 1}}}},
    {"frown", {{{"mouthFrownLeft", 0.5f}, {"mouthFrownRight", 0.5f}}}, "frown_L"},
    {"blink_L", {{{"eyeBlinkLeft", 1}}}},
    {"blink_R", {{{"eyeBlinkRight", 1}}}},
    {"brows_up", {{{"browInnerUp", 0.5f}, {"browOuterUpLeft", 0.25f}, {"browOuterUpRight", 0.25f}}}},
    {"pucker", {{{"mouthPucker", 1}}}},
    {"mouth_open",
     {{{"mouthLowerDownLeft", 0.25f},
       {"mouthLowerDownRight", 0.25f},
       {"mouthUpperUpLeft", 0.25f},
       {"mouthUpperUpRight", 0.25f}}}},
};
constexpr VocabularyMap kVocabularyMaps[] = {
    {"ARKit to VRM", kVrmRows}, {"VRM to ARKit", kFromVrmRows}, {"ARKit to the built-in face", kFaceRows}};
// A single name may be chance.
constexpr std::size_t kFewestOfVocabulary = 3;

// A key without its side; empty if it has none.
std::string without_key_side(const std::string& key) {
  return key.ends_with("_l") || key.ends_with("_r") ? key.substr(0, key.size() - 2) : std::string();
}

// Sources by key.
class SourceNames {
 public:
  explicit SourceNames(std::span<const std::string> names) : names_(names) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      exact_.try_emplace(names[k], k);
      by_key_.try_emplace(shape_key(names[k]), k);
    }
  }

  // The source of that name, or of its key, or what stands for it on other sides; adds nothing if there is
  // none.
  bool add(const std::string& name, float weight, std::vector<NamedValue>& terms) const {
    if (const auto same = exact_.find(name); same != exact_.end())
      return terms.push_back({names_[same->second], weight}), true;
    const std::string key = shape_key(name);
    if (const std::string* found = find(key)) return terms.push_back({*found, weight}), true;
    if (const std::string whole = without_key_side(key); !whole.empty()) {
      const std::string* found = find(whole);
      if (found != nullptr) terms.push_back({*found, weight});
      return found != nullptr;
    }
    const std::string *left = find(key + "_l"), *right = find(key + "_r");
    if (left == nullptr || right == nullptr) return false;
    terms.push_back({*left, weight / 2});
    terms.push_back({*right, weight / 2});
    return true;
  }

 private:
  const std::string* find(const std::string& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : &names_[found->second];
  }
  std::span<const std::string> names_;
  std::unordered_map<std::string, std::size_t> exact_, by_key_;
};

}  // namespace

std::string shape_key(std::string_view name) {
  // "Head_blendShape.eyeBlink_L", "head:eyeBlink_L"
  std::size_t prefix = name.find_last_of(".:|");
  // What follows a dot may be the side alone: "eyeBlink.L".
  if (prefix != std::string_view::npos && prefix > 0 &&
      side_of_name(name.substr(prefix + 1)) != NamedSide::none &&
      name_words(name.substr(prefix + 1)).size() == 1)
    prefix = name.find_last_of(".:|", prefix - 1);
  if (prefix != std::string_view::npos && prefix + 1 < name.size()) name.remove_prefix(prefix + 1);
  const std::vector<std::string> words = name_words(name);
  std::string key;
  for (const std::string& word : words) key += word;
  const bool is_letter = words.size() > 1 && (words.back() == "l" || words.back() == "r");
  if (is_letter) return key.substr(0, key.size() - 1) + "_" + words.back();
  for (const auto& [word, side] : {std::pair("left", "_l"), std::pair("right", "_r")}) {
    const std::string_view end(word);
    if (key.size() > end.size() && key.ends_with(end)) return key.substr(0, key.size() - end.size()) + side;
  }
  return key;
}

ShapeMatch match_shapes(std::span<const std::string> sources, std::span<const std::string> targets) {
  const SourceNames from(sources);
  std::unordered_map<std::string, std::size_t> keys;  // of targets
  for (std::size_t k = 0; k < targets.size(); ++k) keys.try_emplace(shape_key(targets[k]), k);
  const auto is_target = [&](const char* name) { return keys.contains(shape_key(name)); };
  // The map with most targets that have a source; of each target the first row that has one.
  std::unordered_map<std::string, std::vector<NamedValue>> best;
  const char* best_name = nullptr;
  for (const VocabularyMap& map : kVocabularyMaps) {
    std::unordered_map<std::string, std::vector<NamedValue>> terms_of;
    std::size_t target_count = 0;
    for (const TableRow& row : map.rows) {
      target_count += is_target(row.target) ? 1 : 0;
      if (!is_target(row.target) || (row.unless != nullptr && is_target(row.unless))) continue;
      std::vector<NamedValue> terms;
      for (const TableTerm& term : row.terms)
        if (term.source != nullptr) from.add(term.source, term.weight, terms);
      if (!terms.empty()) terms_of.try_emplace(shape_key(row.target), std::move(terms));
    }
    if (target_count < kFewestOfVocabulary || terms_of.size() <= best.size()) continue;
    best = std::move(terms_of);
    best_name = map.name;
  }
  ShapeMatch match;
  for (const std::string& target : targets) {
    ShapeMapRow row{target, {}};
    const auto terms = best.find(shape_key(target));
    if (from.add(target, 1, row.sources)) {
      ++match.by_name;
    } else if (terms != best.end()) {
      row.sources = terms->second;
      match.map = best_name;
    } else {
      continue;
    }
    match.rows.push_back(std::move(row));
  }
  return match;
}

std::vector<std::string> shape_labels(const Character& character) {
  std::vector<std::string> labels;
  std::unordered_map<std::string, bool> seen;
  for (const Instance& instance : character.instances) {
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
      std::string label = shape_label(mesh, s);
      if (seen.try_emplace(label, true).second) labels.push_back(std::move(label));
    }
  }
  return labels;
}

}  // namespace dermis
