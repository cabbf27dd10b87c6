// SPDX-License-Identifier: MIT
// Animations of a glTF document, and control channels kept in their extras.
#include <fmt/format.h>

#include <cmath>
#include <set>
#include <unordered_map>

#include "io/gltf/driving.h"
#include "io/gltf/reader.h"

namespace dermis {
namespace {

std::optional<ChannelPath> path_from(const std::string& name) {
  if (name == "translation") return ChannelPath::translation;
  if (name == "rotation") return ChannelPath::rotation;
  if (name == "scale") return ChannelPath::scale;
  if (name == "weights") return ChannelPath::shape_weights;
  return std::nullopt;
}

std::optional<Interpolation> interpolation_from(const std::string& name) {
  if (name.empty() || name == "LINEAR") return Interpolation::linear;
  if (name == "STEP") return Interpolation::step;
  if (name == "CUBICSPLINE") return Interpolation::cubic_spline;
  return std::nullopt;
}

const char* type_of(ChannelPath path) {
  switch (path) {
    case ChannelPath::rotation:
      return "VEC4";
    case ChannelPath::translation:
    case ChannelPath::scale:
      return "VEC3";
    default:
      return "SCALAR";
  }
}

bool all_finite(std::span<const float> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); });
}

struct DroppedKeys {
  std::size_t repeated = 0;  // at the time of the key before: it plays the same
  std::size_t earlier = 0;   // than the key before
};
// Drops keys that are not later than the one before: of equal times the first is kept.
DroppedKeys drop_unordered_keys(Channel& channel) {
  DroppedKeys dropped;
  const std::size_t key_count = channel.times.size();
  if (key_count == 0) return dropped;
  const std::size_t width = channel.values.size() / key_count;
  std::size_t kept = 1;
  for (std::size_t k = 1; k < key_count; ++k) {
    if (!(channel.times[k] > channel.times[kept - 1])) {
      ++(channel.times[k] < channel.times[kept - 1] ? dropped.earlier : dropped.repeated);
      continue;
    }
    if (k != kept) {
      channel.times[kept] = channel.times[k];
      std::copy_n(channel.values.begin() + static_cast<std::ptrdiff_t>(k * width), width,
                  channel.values.begin() + static_cast<std::ptrdiff_t>(kept * width));
    }
    ++kept;
  }
  channel.times.resize(kept);
  channel.values.resize(kept * width);
  return dropped;
}

class ClipReader {
 public:
  ClipReader(GltfReader& reader, Character& character) : reader_(reader), character_(character) {
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      instance_of_node_.emplace(character.instances[i].node, static_cast<Index>(i));
    }
    for (std::size_t c = 0; c < character.controls.size(); ++c) {
      control_of_name_.emplace(character.controls[c].name, static_cast<Index>(c));
    }
  }

  bool read(const Json& json, const Place& place) {
    Clip clip;
    clip.name = reader_.text(json, "name", place);
    const Json* channels = reader_.array(json, "channels", place);
    const Json* samplers = reader_.array(json, "samplers", place);
    if (reader_.failed()) return false;
    for (std::size_t c = 0; channels != nullptr && samplers != nullptr && c < channels->size(); ++c) {
      const Place channel_place{"channel", c, nullptr, &place};
      if (!(*channels)[c].is_object()) return reader_.fail(channel_place, "is not an object");
      Channel channel;
      if (read_target((*channels)[c], channel_place, channel) &&
          read_sampler((*channels)[c], *samplers, channel_place, channel)) {
        keep(std::move(channel), channel_place, clip);
      }
      if (reader_.failed()) return false;
    }
    if (!read_controls(json, place, clip)) return false;
    used_.clear();
    character_.clips.push_back(std::move(clip));
    return true;
  }

 private:
  // False for a channel that dermis does not play, with a note unless glTF specifies to ignore it.
  bool read_target(const Json& json, const Place& place, Channel& channel) {
    const Json* target = reader_.object(json, "target", place);
    if (target == nullptr) return reader_.fail(place, "has no target");
    const Index node = reader_.index(*target, "node", character_.nodes.size(), place);
    const std::string path = reader_.text(*target, "path", place);
    if (reader_.failed()) return false;
    const std::optional<ChannelPath> known = path_from(path);
    if (!known) {
      reader_.note(Note::Kind::loss, "channel-unknown", place,
                   fmt::format("it animates {}, which is not played", quoted_name(path)));
      return false;
    }
    if (node == kNone) return false;  // glTF 2.0, 3.11: such channels are ignored
    channel.path = *known;
    channel.target = node;
    if (channel.path != ChannelPath::shape_weights) return true;
    const auto instance = instance_of_node_.find(node);
    if (instance == instance_of_node_.end() ||
        character_.instances[static_cast<std::size_t>(instance->second)].shape_weights.empty()) {
      reader_.note(Note::Kind::loss, "channel-without-shapes", place,
                   "it animates shape weights of a node without shapes");
      return false;
    }
    channel.target = instance->second;
    return true;
  }

  bool read_sampler(const Json& json, const Json& samplers, const Place& place, Channel& channel) {
    const Index sampler = reader_.index(json, "sampler", samplers.size(), place);
    if (sampler == kNone) return reader_.fail(place, "has no sampler");
    const Json& sampler_json = samplers[static_cast<std::size_t>(sampler)];
    if (!sampler_json.is_object()) return reader_.fail(place, "has a sampler that is not an object");
    const Index input = reader_.index(sampler_json, "input", reader_.accessor_count(), place);
    const Index output = reader_.index(sampler_json, "output", reader_.accessor_count(), place);
    const std::string interpolation = reader_.text(sampler_json, "interpolation", place);
    if (reader_.failed()) return false;
    if (input == kNone || output == kNone)
      return reader_.fail(place, "has a sampler without input or output");
    const std::optional<Interpolation> known = interpolation_from(interpolation);
    if (!known)
      return reader_.fail(place, fmt::format("has an unknown interpolation {}", quoted_name(interpolation)));
    channel.interpolation = *known;
    channel.times = reader_.floats(input, {"SCALAR"}, place);
    channel.values = reader_.floats(output, {type_of(channel.path)}, place);
    return !reader_.failed();
  }

  // Checks counts and order, repairs what it can, and drops what cannot be played, with a note.
  void keep(Channel channel, const Place& place, Clip& clip) {
    const std::size_t groups = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
    const std::size_t wanted = channel.times.size() * channel_width(character_, channel) * groups;
    const auto drop = [&](const std::string& why) {
      reader_.note(Note::Kind::loss, "channel-broken", place, why + "; the channel is not played");
    };
    if (channel.times.empty()) return drop("it has no keys");
    if (channel.values.size() != wanted) {
      return drop(fmt::format("it has {} numbers for {} keys, which should be {}", channel.values.size(),
                              channel.times.size(), wanted));
    }
    if (!all_finite(channel.times) || !all_finite(channel.values))
      return drop("it has a key that is not finite");
    const DroppedKeys dropped = drop_unordered_keys(channel);
    if (dropped.repeated > 0) {
      reader_.note(Note::Kind::repair, "keys-repeated", place,
                   fmt::format("{} not played",
                               counted(dropped.repeated, "key has the time of the key before it and is",
                                       "keys have the time of the key before them and are")));
    }
    if (dropped.earlier > 0) {
      reader_.note(Note::Kind::repair, "keys-unordered", place,
                   fmt::format("{} not played",
                               counted(dropped.earlier, "key is earlier than the key before it and is",
                                       "keys are earlier than the key before them and are")));
    }
    if (!used_.insert({channel.path, channel.target}).second)
      return drop("another channel animates the same thing");
    clip.channels.push_back(std::move(channel));
  }

  // "extras": {"dermis": {"controls": [{"name", "interpolation", "times", "values"}]}}
  bool read_controls(const Json& json, const Place& place, Clip& clip) {
    const auto extras = json.find("extras");
    if (extras == json.end() || !extras->is_object() || !extras->contains("dermis")) return true;
    const Json& ours = (*extras)["dermis"];
    const Json* controls = ours.is_object() ? reader_.array(ours, "controls", place) : nullptr;
    for (std::size_t c = 0; controls != nullptr && c < controls->size(); ++c) {
      const Place control_place{"control channel", c, &(*controls)[c], &place};
      const Json& control = (*controls)[c];
      if (!control.is_object()) return reader_.fail(control_place, "is not an object");
      const auto known = control_of_name_.find(reader_.text(control, "name", control_place));
      const std::optional<Interpolation> interpolation =
          interpolation_from(reader_.text(control, "interpolation", control_place));
      if (reader_.failed()) return false;
      if (known == control_of_name_.end() || !interpolation) {
        return reader_.fail(control_place, "names no control of this character or an unknown interpolation");
      }
      Channel channel;
      channel.path = ChannelPath::control;
      channel.target = known->second;
      channel.interpolation = *interpolation;
      for (auto [key, list] : {std::pair{"times", &channel.times}, std::pair{"values", &channel.values}}) {
        const Json* numbers = reader_.array(control, key, control_place);
        list->resize(numbers != nullptr ? numbers->size() : 0);
        if (numbers != nullptr && !reader_.numbers(control, key, *list, control_place)) return false;
      }
      keep(std::move(channel), control_place, clip);
    }
    return !reader_.failed();
  }

  GltfReader& reader_;
  Character& character_;
  std::unordered_map<Index, Index> instance_of_node_;
  std::unordered_map<std::string, Index> control_of_name_;
  std::set<std::pair<ChannelPath, Index>> used_;  // of the current clip
};

}  // namespace

bool read_clips(GltfReader& reader, Character& character) {
  if (!read_controls(reader, character)) return false;
  ClipReader clips(reader, character);
  const Json& list = reader.list("animations");
  for (std::size_t a = 0; a < list.size() && !reader.failed(); ++a) {
    const Place place{"animation", a, &list[a]};
    if (!list[a].is_object()) return reader.fail(place, "is not an object");
    if (!clips.read(list[a], place)) return false;
  }
  return !reader.failed();
}

}  // namespace dermis
