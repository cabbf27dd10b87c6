// SPDX-License-Identifier: MIT
// The list of shapes of a mesh, with the weights and clips that refer to it; shapes by name.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "dermis/shapes.h"

namespace dermis {
namespace {

// One group of numbers per key, or three with tangents; each has one number per shape.
void take_keys(std::span<const Index> source, std::size_t old_count, Channel& channel) {
  const std::size_t groups =
      channel.times.size() * (channel.interpolation == Interpolation::cubic_spline ? 3 : 1);
  std::vector<float> values;
  values.reserve(groups * source.size());
  for (std::size_t g = 0; g < groups; ++g) {
    for (const Index s : source) values.push_back(s == kNone ? 0 : channel.values[g * old_count + at(s)]);
  }
  channel.values = std::move(values);
}

// Whether the text fits the pattern, where each '*' stands for any letters.
bool fits_pattern(std::string_view text, std::string_view pattern) {
  // The last '*' may take one letter more whenever the rest does not fit.
  std::size_t t = 0, p = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// ---- Words for sides ----

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_capital(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

// Whether a word begins at `k` of a name, as name_words splits it.
bool begins_word(std::string_view name, std::size_t k) {
  if (k == 0 || !is_letter(name[k]) || !is_letter(name[k - 1])) return true;
  if (!is_capital(name[k])) return false;
  return !is_capital(name[k - 1]) ||
         (k + 1 < name.size() && is_letter(name[k + 1]) && !is_capital(name[k + 1]));
}

std::string_view other_word(std::string_view word) {
  constexpr std::string_view kPairs[][2] = {{"left", "right"}, {"l", "r"}, {"fl", "fr"}, {"bl", "br"}};
  for (const auto& [left, right] : kPairs) {
    if (word == left) return right;
    if (word == right) return left;
  }
  return {};
}

}  // namespace

namespace {

// Shapes without a name are known by their number, which changes; if other meshes have the label too, it
// stays theirs.
void renumber_labels(Character& character, Index mesh, std::span<const Index> source) {
  if (!has_driven_values(character)) return;
  std::vector<std::pair<std::string, std::string>> steps;
  for (std::size_t k = 0; k < source.size(); ++k) {
    const std::vector<Shape>& old = character.meshes[at(mesh)].shapes;
    if (source[k] == kNone || at(source[k]) == k || !old[at(source[k])].name.empty()) continue;
    const std::string label = "#" + std::to_string(source[k]);
    bool is_shared = false;
    for (std::size_t m = 0; m < character.meshes.size(); ++m)
      is_shared = is_shared || (at(mesh) != m && !shapes_named(character.meshes[m], label).empty());
    if (is_shared) continue;
    steps.emplace_back("\n" + std::to_string(k), "#" + std::to_string(k));
    rename_driven_shape(character, label, steps.back().first);
  }
  for (const auto& [from, to] : steps) rename_driven_shape(character, from, to);
}

}  // namespace

void take_shapes(Character& character, Index mesh, std::span<const Index> source) {
  renumber_labels(character, mesh, source);
  std::vector<Shape>& old = character.meshes[at(mesh)].shapes;
  const std::size_t old_count = old.size();
  const bool keeps_any = std::any_of(source.begin(), source.end(), [](Index s) { return s != kNone; });
  std::vector<Shape> shapes(source.size());
  std::vector<int> uses(old.size(), 0);
  for (const Index s : source)
    if (s != kNone) ++uses[at(s)];
  for (std::size_t k = 0; k < source.size(); ++k)
    if (source[k] != kNone)
      shapes[k] = uses[at(source[k])] == 1 ? std::move(old[at(source[k])]) : old[at(source[k])];
  old = std::move(shapes);
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    Instance& instance = character.instances[i];
    if (instance.mesh != mesh) continue;
    std::vector<float> weights;
    for (const Index s : source) weights.push_back(s == kNone ? 0 : instance.shape_weights[at(s)]);
    instance.shape_weights = std::move(weights);
    for (Clip& clip : character.clips) {
      const auto moves_it = [&](const Channel& channel) {
        return channel.path == ChannelPath::shape_weights && channel.target == static_cast<Index>(i);
      };
      if (!keeps_any) std::erase_if(clip.channels, moves_it);
      for (Channel& channel : clip.channels)
        if (moves_it(channel)) take_keys(source, old_count, channel);
    }
  }
}

std::vector<Index> shapes_named(const Mesh& mesh, std::string_view pattern) {
  std::vector<Index> named;
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
    if (fits_pattern(shape_label(mesh, s), pattern)) named.push_back(static_cast<Index>(s));
  return named;
}

std::string other_side_of(std::string_view name) {
  std::string other;
  for (std::size_t k = 0; k < name.size();) {
    std::size_t end = k + 1;
    while (end < name.size() && !begins_word(name, end)) ++end;
    std::string word(name.substr(k, end - k));
    const bool is_first_capital = is_capital(word.front());
    const bool is_all_capital = std::all_of(word.begin(), word.end(), is_capital);
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string_view swapped = other_word(word);
    if (swapped.empty()) {
      other += name.substr(k, end - k);
    } else {
      for (std::size_t c = 0; c < swapped.size(); ++c) {
        const bool is_upper = is_all_capital || (c == 0 && is_first_capital);
        other +=
            is_upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(swapped[c]))) : swapped[c];
      }
    }
    k = end;
  }
  return other;
}

}  // namespace dermis
