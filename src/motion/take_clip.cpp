// SPDX-License-Identifier: MIT
// A take of weights as the shape channels of a clip.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "dermis/motion/takes.h"

namespace dermis {
namespace {

// "'a', 'b' and 3 more".
std::string few_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k)
    text += (k == 0 ? "" : ", ") + quoted_name(names[k]);
  return names.size() > kShown ? text + fmt::format(" and {} more", names.size() - kShown) : text;
}

struct ColumnTerm {
  std::size_t column = 0;
  float weight = 0;
};
using ShapeTerms = std::unordered_map<std::string, std::vector<ColumnTerm>>;  // by label of the target

std::vector<float> row_times(const WeightTake& take) {
  std::vector<float> times;
  for (const double time : take.times) times.push_back(static_cast<float>(time));
  return times;
}

// The channel of one instance; no keys if nothing moves it.
Channel channel_of_take(const Character& character, std::size_t instance, const WeightTake& take,
                        const ShapeTerms& terms) {
  const Mesh& mesh = character.meshes[at(character.instances[instance].mesh)];
  std::vector<const std::vector<ColumnTerm>*> of_shape(mesh.shapes.size(), nullptr);
  bool is_any = false;
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    const auto found = terms.find(shape_label(mesh, s));
    if (found == terms.end()) continue;
    of_shape[s] = &found->second;
    is_any = true;
  }
  Channel channel;
  if (!is_any) return channel;
  channel.path = ChannelPath::shape_weights;
  channel.target = static_cast<Index>(instance);
  channel.times = row_times(take);
  for (std::size_t row = 0; row < take.times.size(); ++row)
    for (std::size_t s = 0; s < of_shape.size(); ++s) {
      if (of_shape[s] == nullptr) {
        channel.values.push_back(character.instances[instance].shape_weights[s]);
        continue;
      }
      double sum = 0;
      for (const ColumnTerm& term : *of_shape[s])
        sum += static_cast<double>(term.weight) * static_cast<double>(take.value(row, term.column));
      channel.values.push_back(static_cast<float>(sum));
    }
  return channel;
}

// The keys of both, each once.
std::vector<float> all_times(const Channel& a, const Channel& b) {
  std::vector<float> times;
  std::set_union(a.times.begin(), a.times.end(), b.times.begin(), b.times.end(), std::back_inserter(times));
  return times;
}

// True for each shape of an instance that the clip moves away from rest.
std::vector<bool> shapes_moved_by(const Character& character, const Channel& channel) {
  const std::vector<float>& rest = character.instances[at(channel.target)].shape_weights;
  std::vector<bool> is_moved(rest.size(), false);
  for (std::size_t k = 0; k < channel.values.size(); ++k)
    if (channel.values[k] != rest[k % rest.size()]) is_moved[k % rest.size()] = true;
  return is_moved;
}

}  // namespace

Result<TakenClip> clip_of_take(const Character& character, const WeightTake& take,
                               std::span<const ShapeMapRow> rows) {
  TakenClip taken;
  std::unordered_map<std::string, std::size_t> columns;
  for (std::size_t k = 0; k < take.names.size(); ++k) columns.try_emplace(take.names[k], k);
  const std::vector<std::string> labels = shape_labels(character);
  if (labels.empty()) return Error{Errc::bad_argument, "has no shapes, so no weights can move it"};
  const std::unordered_set<std::string> known(labels.begin(), labels.end());
  ShapeTerms terms;
  std::vector<std::string> no_targets, no_columns;
  std::vector<bool> is_used(take.names.size(), false);
  for (const ShapeMapRow& row : rows) {
    if (!known.contains(row.target)) {
      no_targets.push_back(row.target);
      continue;
    }
    std::vector<ColumnTerm> sum;
    for (const NamedValue& source : row.sources) {
      const auto column = columns.find(source.name);
      if (column == columns.end()) {
        no_columns.push_back(source.name);
        continue;
      }
      is_used[column->second] = true;
      sum.push_back({column->second, source.value});
    }
    if (!sum.empty()) terms.emplace(row.target, std::move(sum));
  }
  taken.shape_count = terms.size();
  if (terms.empty())
    return Error{Errc::bad_argument, fmt::format("none of its shapes ({}) follows a column of the take ({})",
                                                 few_names(labels), few_names(take.names))};
  const auto say = [&](const std::vector<std::string>& names, const char* id, const char* words) {
    if (!names.empty())
      taken.notes.push_back({Note::Kind::loss, id, fmt::format("{}: {}", words, few_names(names)), "", kNone,
                             kNone, names.size()});
  };
  say(no_targets, "take-shapes-missing", "the map names shapes that the character does not have");
  std::sort(no_columns.begin(), no_columns.end());
  no_columns.erase(std::unique(no_columns.begin(), no_columns.end()), no_columns.end());
  say(no_columns, "take-columns-missing",
      "the map names columns that the take does not have; they count as zero");
  for (std::size_t k = 0; k < take.names.size(); ++k)
    if (!is_used[k]) taken.unused_columns.push_back(take.names[k]);
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    Channel channel = channel_of_take(character, i, take, terms);
    if (!channel.times.empty()) taken.clip.channels.push_back(std::move(channel));
  }
  return taken;
}

void add_to_clip(const Character& character, const Clip& added, Clip& clip, Notes& notes) {
  for (const Channel& channel : added.channels) {
    const auto known = std::find_if(clip.channels.begin(), clip.channels.end(), [&](const Channel& other) {
      return other.path == channel.path && other.target == channel.target;
    });
    if (known == clip.channels.end()) {
      clip.channels.push_back(channel);
      continue;
    }
    if (channel.path != ChannelPath::shape_weights) {
      *known = channel;
      continue;
    }
    const std::vector<bool> is_replaced = shapes_moved_by(character, channel);
    if (known->interpolation != Interpolation::linear)
      notes.push_back(
          {Note::Kind::loss, "clip-keys-sampled",
           fmt::format("curves of shapes in clip {} are sampled at its keys and those of the take",
                       quoted_name(clip.name))});
    Channel merged;
    merged.path = channel.path, merged.target = channel.target;
    merged.times = all_times(*known, channel);
    const std::size_t width = is_replaced.size();
    std::vector<float> before(width), after(width);
    for (const float time : merged.times) {
      sample_channel(*known, static_cast<double>(time), before);
      sample_channel(channel, static_cast<double>(time), after);
      for (std::size_t s = 0; s < width; ++s) merged.values.push_back(is_replaced[s] ? after[s] : before[s]);
    }
    *known = std::move(merged);
  }
}

}  // namespace dermis
