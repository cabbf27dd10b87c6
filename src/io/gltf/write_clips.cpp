// SPDX-License-Identifier: MIT
// Writes clips as animations of a glTF document: new ones, and changed channels of existing ones.
#include "io/gltf/write_clips.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace dermis {
namespace {

using Key = ClipWriter::Key;

constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};

const char* interpolation_of(const Channel& channel) {
  static constexpr const char* kInterpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
  return kInterpolations[static_cast<std::size_t>(channel.interpolation)];
}

bool is_control(const Channel& channel) { return channel.path == ChannelPath::control; }

// What a channel of the document moves; nullopt if dermis does not play it.
std::optional<Key> document_key(const Json& channel) {
  const Json target = channel.is_object() ? channel.value("target", Json()) : Json();
  if (!target.is_object() || !target.contains("node") || !target.contains("path")) return std::nullopt;
  const std::optional<std::size_t> node = stated_index(target["node"], INT32_MAX);
  for (std::size_t k = 0; node && k < std::size(kPaths); ++k) {
    if (target["path"] == kPaths[k]) return Key{static_cast<ChannelPath>(k), static_cast<Index>(*node)};
  }
  return std::nullopt;
}

// Drops the samplers that no channel uses any more.
void drop_unused_samplers(Json& animation) {
  Json& samplers = animation["samplers"];
  std::vector<bool> is_used(samplers.size(), false);
  // Calls visit on each sampler that a channel uses, with its index.
  const auto for_each_use = [&](const auto& visit) {
    for (Json& channel : animation["channels"]) {
      const auto sampler = channel.is_object() ? channel.find("sampler") : channel.end();
      if (sampler == channel.end()) continue;
      if (const auto index = stated_index(*sampler, is_used.size())) visit(*sampler, *index);
    }
  };
  for_each_use([&](Json&, std::size_t index) { is_used[index] = true; });
  std::vector<std::size_t> renumbered(samplers.size());
  Json kept = Json::array();
  for (std::size_t k = 0; k < is_used.size(); ++k) {
    renumbered[k] = kept.size();
    if (is_used[k]) kept.push_back(std::move(samplers[k]));
  }
  samplers = std::move(kept);
  for_each_use([&](Json& sampler, std::size_t index) { sampler = renumbered[index]; });
}

}  // namespace

Key ClipWriter::key_of(const Channel& channel) const {
  const bool is_shape = channel.path == ChannelPath::shape_weights;
  return {channel.path,
          is_shape ? node_of_instance_[static_cast<std::size_t>(channel.target)] : channel.target};
}

void ClipWriter::add_control(const Channel& channel, Json& controls) const {
  controls.push_back({{"name", character_.controls[static_cast<std::size_t>(channel.target)].name},
                      {"interpolation", interpolation_of(channel)},
                      {"times", channel.times},
                      {"values", channel.values}});
}

Json ClipWriter::sampler_of(const Channel& channel) {
  static constexpr int kComponents[] = {3, 4, 3, 1};
  const auto path = static_cast<std::size_t>(channel.path);
  return {{"input", times_accessor(channel.times)},
          {"interpolation", interpolation_of(channel)},
          {"output", builder_.add_floats(channel.values, kComponents[path], GltfTarget::none)}};
}

// Channels of a clip often share their key times; they are written once.
Index ClipWriter::times_accessor(const std::vector<float>& times) {
  const auto known = times_.find(times);
  if (known != times_.end()) return known->second;
  return times_[times] = builder_.add_floats(times, 1, GltfTarget::none, true);
}

Json ClipWriter::animation_of(const Clip& clip) {
  Json animation = Json::object();
  if (!clip.name.empty()) animation["name"] = clip.name;
  patch(animation, {}, clip, print_of(clip));
  return animation;
}

bool ClipWriter::patch(Json& animation, std::span<const Given> given, const Clip& clip,
                       const ClipPrint& print) {
  const bool has_new_channels = patch_channels(animation, given, clip, print);
  return patch_controls(animation, given, clip, print) || has_new_channels;
}

bool ClipWriter::patch_channels(Json& animation, std::span<const Given> given, const Clip& clip,
                                const ClipPrint& print) {
  struct Wanted {
    Key key;
    Fingerprint keys;
    const Channel* channel = nullptr;
  };
  std::vector<Wanted> wanted;
  std::map<Key, Fingerprint> before, now;
  std::vector<Key> order_before, order_now;
  for (const Given& channel : given) {
    if (channel.key.path == ChannelPath::control) continue;
    before.emplace(channel.key, channel.keys);
    order_before.push_back(channel.key);
  }
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    if (is_control(clip.channels[c])) continue;
    wanted.push_back({key_of(clip.channels[c]), print.channels[c].keys, &clip.channels[c]});
    now.emplace(wanted.back().key, wanted.back().keys);
    order_now.push_back(wanted.back().key);
  }
  if (before == now && order_before == order_now) return false;

  // Channels kept from the document: ours are recognised by what they move, the others keep their position.
  const Json old = animation.value("channels", Json::array());
  std::map<Key, std::size_t> ours;
  std::vector<std::size_t> others;
  for (std::size_t c = 0; c < old.size(); ++c) {
    const std::optional<Key> key = document_key(old[c]);
    if (key && before.contains(*key))
      ours.try_emplace(*key, c);
    else if (!key || !now.contains(*key))
      others.push_back(c);
  }
  Json channels = Json::array(), samplers = animation.value("samplers", Json::array());
  auto other = others.begin();
  for (const Wanted& one : wanted) {
    const auto found = ours.find(one.key);
    for (; found != ours.end() && other != others.end() && *other < found->second; ++other)
      channels.push_back(old[*other]);
    Json written = found == ours.end() ? Json::object() : old[found->second];
    if (found == ours.end() || before.at(one.key) != one.keys) {
      written["sampler"] = samplers.size();
      samplers.push_back(sampler_of(*one.channel));
    }
    if (found == ours.end())
      written["target"] = {{"node", one.key.node}, {"path", kPaths[static_cast<std::size_t>(one.key.path)]}};
    channels.push_back(std::move(written));
  }
  for (; other != others.end(); ++other) channels.push_back(old[*other]);
  if (channels.empty()) {
    animation.erase("channels");
    animation.erase("samplers");
    return true;
  }
  animation["samplers"] = std::move(samplers);
  animation["channels"] = std::move(channels);
  drop_unused_samplers(animation);
  return true;
}

bool ClipWriter::patch_controls(Json& animation, std::span<const Given> given, const Clip& clip,
                                const ClipPrint& print) {
  std::vector<std::pair<std::string, Fingerprint>> before, now;
  Json controls = Json::array();
  for (const Given& channel : given) {
    if (channel.key.path == ChannelPath::control) before.emplace_back(channel.control, channel.keys);
  }
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const Channel& channel = clip.channels[c];
    if (!is_control(channel)) continue;
    now.emplace_back(character_.controls[static_cast<std::size_t>(channel.target)].name,
                     print.channels[c].keys);
    add_control(channel, controls);
  }
  if (before == now) return false;
  if (controls.empty())
    erase_our_extras(animation, "controls");
  else
    our_extras(animation, notes_)["controls"] = std::move(controls);
  return true;
}

void ClipWriter::note_empty(const Clip& clip) {
  notes_.push_back({Note::Kind::loss, "clip-empty",
                    fmt::format("clip {} moves no node or shape, and glTF cannot store such a clip",
                                quoted_name(clip.name))});
}

void write_clips(GltfDocument& document, GltfBuilder& builder, const Character& character,
                 std::span<const Index> node_of_instance, Notes& notes) {
  ClipWriter writer(builder, character, node_of_instance, notes);
  for (const Clip& clip : character.clips) {
    // Complete it first: it may add lists to the document, which moves existing ones.
    Json animation = writer.animation_of(clip);
    if (animation.contains("channels"))
      gltf_list(document, "animations").push_back(std::move(animation));
    else
      writer.note_empty(clip);
  }
}

}  // namespace dermis
