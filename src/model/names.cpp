// SPDX-License-Identifier: MIT
// How users refer to nodes, shapes and clips, and the errors for unknown names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "dermis/model.h"

namespace dermis {
namespace {

constexpr Index kShared = -2;

// Longer names are compared by their beginning: a suggestion need not be perfect, but it must be quick.
constexpr std::size_t kComparedLength = 64;

// The number in "12"; nullopt if there is anything else.
std::optional<Index> number_in(std::string_view digits) {
  if (digits.empty() || digits.front() == '-') return std::nullopt;
  Index number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (stop != end) return std::nullopt;
  // Only digits, but too many: a number larger than any count.
  return error == std::errc{} ? number : std::numeric_limits<Index>::max();
}

// The 12 of "#12".
std::optional<Index> numbered(std::string_view label) {
  return label.starts_with('#') ? number_in(label.substr(1)) : std::nullopt;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Insertions, deletions, replacements and swaps of neighbours between two names (optimal string alignment);
// case is ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kComparedLength);
  b = b.substr(0, kComparedLength);
  const auto is_same = [](char x, char y) { return lower(x) == lower(y); };
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = above[j] + (is_same(a[i], b[j]) ? 0 : 1);
      row[j + 1] = std::min({replaced, above[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && is_same(a[i], b[j - 1]) && is_same(a[i - 1], b[j]))
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above.back();
}

// Words of joint names that mean the same: some rigs name a joint after the place where it turns, others
// after the limb that it moves.
struct WordMeaning {
  const char *word, *meaning;
};
constexpr std::array kWordMeanings{
    WordMeaning{"l", "left"},
    WordMeaning{"r", "right"},
    WordMeaning{"wrist", "hand"},
    WordMeaning{"ankle", "foot"},
    WordMeaning{"knee", "shin"},
    WordMeaning{"calf", "shin"},
    WordMeaning{"lower leg", "shin"},
    WordMeaning{"elbow", "forearm"},
    WordMeaning{"fore arm", "forearm"},
    WordMeaning{"lower arm", "forearm"},
    WordMeaning{"up leg", "thigh"},
    WordMeaning{"upper leg", "thigh"},
    WordMeaning{"clavicle", "shoulder"},
    WordMeaning{"collar", "shoulder"},
    WordMeaning{"pelvis", "hips"},
};

std::string meaning_of(const std::string& words) {
  const auto found = std::find_if(kWordMeanings.begin(), kWordMeanings.end(),
                                  [&](const WordMeaning& row) { return words == row.word; });
  return found == kWordMeanings.end() ? std::string() : found->meaning;
}

// name -> index, or kShared.
using NameTable = std::unordered_map<std::string_view, Index>;

NameTable names_of(std::span<const Node> nodes) {
  NameTable table;
  table.reserve(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto [entry, is_new] = table.try_emplace(nodes[n].name, static_cast<Index>(n));
    if (!is_new) entry->second = kShared;
  }
  return table;
}

std::string number_label(std::size_t index) { return fmt::format("#{}", index); }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Nobody can type a control character, and printing one may do anything.
bool can_be_label(const std::string& name) {
  return !name.empty() && !numbered(name) && std::none_of(name.begin(), name.end(), is_control);
}

template <class Named>
std::vector<std::string_view> views_of_names(std::span<const Named> things) {
  std::vector<std::string_view> names;
  for (const Named& thing : things) {
    if (!thing.name.empty()) names.push_back(thing.name);
  }
  return names;
}

template <class Named>
std::string indices_named(std::span<const Named> things, std::string_view name, const char* prefix) {
  std::string list;
  std::size_t found = 0;
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (things[i].name != name) continue;
    if (found == 3) return list + " and others";
    list += fmt::format("{}{}{}", found == 0 ? "" : ", ", prefix, i);
    ++found;
  }
  return list;
}

// Strips the prefix that programs put before every name of a file: "mixamorig:Hips" is "Hips".
std::string_view without_namespace(std::string_view name) {
  const std::size_t colon = name.find_last_of(":|");
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

enum class Letter { sign, digit, capital, small };

// Independent of the locale; non-ASCII bytes are treated as letters without case.
Letter kind_of(char c) {
  if (c >= '0' && c <= '9') return Letter::digit;
  if (c >= 'A' && c <= 'Z') return Letter::capital;
  const bool is_small = (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
  return is_small ? Letter::small : Letter::sign;
}

// "left hand" for "wrist_L": words with the same meaning become one, and the side comes first.
std::string meaning_of_name(std::string_view name) {
  const std::vector<std::string> words = name_words(name);
  std::string side, text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    std::string meaning = k + 1 < words.size() ? meaning_of(words[k] + " " + words[k + 1]) : std::string();
    if (!meaning.empty())
      ++k;
    else
      meaning = meaning_of(words[k]);
    if (meaning.empty()) meaning = words[k];
    const bool is_side = meaning == "left" || meaning == "right";
    (is_side ? side : text) += meaning + ' ';
  }
  return side + text;
}

}  // namespace

std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words;
  Letter before = Letter::sign;
  for (std::size_t k = 0; k < name.size(); ++k) {
    const Letter now = kind_of(name[k]);
    const Letter after = k + 1 < name.size() ? kind_of(name[k + 1]) : Letter::sign;
    const bool is_digit_border = (now == Letter::digit) != (before == Letter::digit);
    // Also the last capital of several: the H of LHand.
    const bool is_capital = now == Letter::capital && (before == Letter::small || after == Letter::small);
    if (now != Letter::sign) {
      if (before == Letter::sign || is_digit_border || is_capital) words.emplace_back();
      words.back() += lower(name[k]);
    }
    before = now;
  }
  return words;
}

std::string without_side(std::string_view name) {
  std::string bare;
  for (const std::string& word : name_words(name)) {
    if (word == "l" || word == "r" || word == "left" || word == "right") continue;
    bare += (bare.empty() ? "" : " ") + word;
  }
  return bare;
}

std::string quoted_name(std::string_view name) {
  std::string out = "'";
  std::size_t kept = std::min(name.size(), std::size_t{100});
  // Not in the middle of a character: UTF-8 continuation bytes look like 10xxxxxx.
  while (kept < name.size() && kept > 0 && (static_cast<unsigned char>(name[kept]) & 0xc0) == 0x80) --kept;
  for (const char c : name.substr(0, kept)) {
    out += is_control(c) ? '?' : c;
  }
  return out + (kept < name.size() ? "...'" : "'");
}

std::string_view nearest_name(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string_view wanted_bare = without_namespace(wanted);
  const std::string wanted_meaning = meaning_of_name(wanted_bare);
  std::string_view nearest;
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (const std::string_view name : names) {
    const std::string_view bare = without_namespace(name);
    // Doubled, so that of equals the one that is spelled more alike wins; a slip of the pen is nearer than
    // another word for the same thing.
    std::size_t distance = 2 * edit_distance(wanted, name);
    if (bare.size() < name.size() || wanted_bare.size() < wanted.size())
      distance = std::min(distance, 2 * edit_distance(wanted_bare, bare) + 1);
    if (!wanted_meaning.empty())
      distance = std::min(distance, 2 * edit_distance(wanted_meaning, meaning_of_name(bare)) + 3);
    if (distance < smallest) {
      smallest = distance;
      nearest = name;
    }
  }
  const std::size_t most = std::max<std::size_t>(1, wanted_bare.size() / 3);
  return smallest / 2 <= most ? nearest : std::string_view{};
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names) {
  if (const std::string_view nearest = nearest_name(wanted, names); !nearest.empty())
    return fmt::format("; did you mean {}?", quoted_name(nearest));
  constexpr std::size_t kShown = 5;
  std::string list;
  for (std::size_t k = 0; k < std::min(names.size(), kShown); ++k)
    list += (k == 0 ? "" : ", ") + quoted_name(names[k]);
  if (names.size() > kShown) list += fmt::format(" and {} more", names.size() - kShown);
  return list.empty() ? list : fmt::format("; there are {}", list);
}

std::string node_label(const Character& character, Index node) {
  const std::size_t n = static_cast<std::size_t>(node);
  const std::string& name = character.nodes[n].name;
  const auto has_name = [&](const Node& other) { return other.name == name; };
  const bool is_unique =
      can_be_label(name) && std::count_if(character.nodes.begin(), character.nodes.end(), has_name) == 1;
  return is_unique ? name : number_label(n);
}

std::vector<std::string> node_labels(const Character& character) {
  const NameTable table = names_of(character.nodes);
  std::vector<std::string> labels;
  labels.reserve(character.nodes.size());
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    const std::string& name = character.nodes[n].name;
    const bool is_unique = can_be_label(name) && table.at(name) != kShared;
    labels.push_back(is_unique ? name : number_label(n));
  }
  return labels;
}

NodeFinder::NodeFinder(const Character& character)
    : nodes_(character.nodes), table_(names_of(character.nodes)) {}

Result<Index> NodeFinder::find(std::string_view label) const {
  if (const std::optional<Index> number = numbered(label)) {
    if (static_cast<std::size_t>(*number) < nodes_.size()) return *number;
    return Error{Errc::bad_argument, fmt::format("there is no node {}: the character has {}", label,
                                                 counted(nodes_.size(), "node", "nodes"))};
  }
  const auto entry = label.empty() ? table_.end() : table_.find(label);
  if (entry == table_.end()) {
    return Error{Errc::bad_argument, fmt::format("there is no node {}{}", quoted_name(label),
                                                 did_you_mean(label, views_of_names<Node>(nodes_)))};
  }
  if (entry->second == kShared) {
    return Error{Errc::bad_argument,
                 fmt::format("the name {} is shared by nodes {}; use one of these numbers",
                             quoted_name(label), indices_named<Node>(nodes_, label, "#"))};
  }
  return entry->second;
}

Result<Index> find_node(const Character& character, std::string_view label) {
  return NodeFinder(character).find(label);
}

std::string shape_label(const Mesh& mesh, std::size_t shape) {
  const std::string& name = mesh.shapes[shape].name;
  return name.empty() ? number_label(shape) : name;
}

Result<Index> find_clip(const Character& character, std::string_view label) {
  const std::span<const Clip> clips = character.clips;
  const auto has_name = [&](const Clip& clip) { return !label.empty() && clip.name == label; };
  const auto found = std::find_if(clips.begin(), clips.end(), has_name);
  if (found != clips.end()) {
    if (std::find_if(found + 1, clips.end(), has_name) == clips.end()) {
      return static_cast<Index>(found - clips.begin());
    }
    return Error{Errc::bad_argument,
                 fmt::format("the name {} is shared by clips {}; use one of these numbers",
                             quoted_name(label), indices_named<Clip>(clips, label, ""))};
  }
  const std::optional<Index> number = label.starts_with('#') ? numbered(label) : number_in(label);
  if (number && static_cast<std::size_t>(*number) < clips.size()) return *number;
  if (clips.empty()) {
    return Error{Errc::bad_argument,
                 fmt::format("there is no clip {}: the character has no clips", quoted_name(label))};
  }
  if (number) {
    return Error{Errc::bad_argument, fmt::format("there is no clip {}: the character has {}, from 0", label,
                                                 counted(clips.size(), "clip", "clips"))};
  }
  const std::vector<std::string_view> names = views_of_names<Clip>(clips);
  return Error{Errc::bad_argument,
               fmt::format("there is no clip {}{}", quoted_name(label),
                           names.empty()
                               ? fmt::format("; its {}, so use a number from 0",
                                             counted(clips.size(), "clip has no name", "clips have no names"))
                               : did_you_mean(label, names))};
}

std::string free_clip_name(std::span<const Clip> clips, const std::string& wanted) {
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(clips.begin(), clips.end(), [&](const Clip& clip) { return clip.name == name; });
  };
  std::string name = wanted;
  for (int number = 2; is_taken(name); ++number) name = fmt::format("{} {}", wanted, number);
  return name;
}

}  // namespace dermis
