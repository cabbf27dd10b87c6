// SPDX-License-Identifier: MIT
// Clips as the animations of a glTF document, new or in place of others.
#include <fmt/format.h>

#include <map>

#include "io/gltf/builder.h"

namespace dermis {
namespace {

class ClipWriter {
 public:
  ClipWriter(GltfBuilder& builder, const Character& character, std::span<const Index> node_of_instance)
      : builder_(builder), character_(character), node_of_instance_(node_of_instance) {}

  // An animation; without channels when the clip moves neither nodes nor shapes.
  Json animation_of(const Clip& clip) {
    Json animation = Json::object();
    if (!clip.name.empty()) animation["name"] = clip.name;
    for (const Channel& channel : clip.channels) {
      if (channel.path == ChannelPath::control) {
        add_control(channel, animation);
      } else {
        add_channel(channel, animation);
      }
    }
    return animation;
  }

 private:
  static const char* interpolation_of(const Channel& channel) {
    static constexpr const char* kInterpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    return kInterpolations[static_cast<std::size_t>(channel.interpolation)];
  }

  void add_control(const Channel& channel, Json& animation) const {
    animation["extras"]["dermis"]["controls"].push_back(
        {{"name", character_.controls[static_cast<std::size_t>(channel.target)].name},
         {"interpolation", interpolation_of(channel)},
         {"times", channel.times},
         {"values", channel.values}});
  }

  void add_channel(const Channel& channel, Json& animation) {
    static constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};
    static constexpr int kComponents[] = {3, 4, 3, 1};
    const auto path = static_cast<std::size_t>(channel.path);
    const Index node = channel.path == ChannelPath::shape_weights
                           ? node_of_instance_[static_cast<std::size_t>(channel.target)]
                           : channel.target;
    const std::size_t sampler = animation.contains("samplers") ? animation["samplers"].size() : 0;
    animation["samplers"].push_back(
        {{"input", times_accessor(channel.times)},
         {"interpolation", interpolation_of(channel)},
         {"output", builder_.add_floats(channel.values, kComponents[path], GltfTarget::none)}});
    animation["channels"].push_back(
        {{"sampler", sampler}, {"target", {{"node", node}, {"path", kPaths[path]}}}});
  }

  // Channels of a clip often share their key times; they are written once.
  Index times_accessor(const std::vector<float>& times) {
    const auto known = times_.find(times);
    if (known != times_.end()) return known->second;
    return times_[times] = builder_.add_floats(times, 1, GltfTarget::none, true);
  }

  GltfBuilder& builder_;
  const Character& character_;
  std::span<const Index> node_of_instance_;
  std::map<std::vector<float>, Index> times_;
};

}  // namespace

void write_clips(GltfDocument& document, GltfBuilder& builder, const Character& character, std::size_t first,
                 std::span<const Index> node_of_instance, Notes& notes) {
  ClipWriter writer(builder, character, node_of_instance);
  for (std::size_t c = first; c < character.clips.size(); ++c) {
    // First whole: it may add lists to the document, which moves those that are there.
    Json animation = writer.animation_of(character.clips[c]);
    if (animation.contains("channels")) {
      gltf_list(document, "animations").push_back(std::move(animation));
    } else {
      notes.push_back({Note::Kind::loss, "clip-empty",
                       fmt::format("clip {} moves no node or shape, and glTF cannot hold such a clip",
                                   quoted_name(character.clips[c].name))});
    }
  }
}

void patch_clips(GltfDocument& document, const Character& character, std::size_t kept, Notes& notes) {
  if (Json& animations = gltf_list(document, "animations"); animations.size() > kept) {
    animations.erase(animations.begin() + static_cast<std::ptrdiff_t>(kept), animations.end());
  }
  std::vector<Index> node_of_instance;
  node_of_instance.reserve(character.instances.size());
  for (const Instance& instance : character.instances) node_of_instance.push_back(instance.node);
  GltfBuilder builder(document);
  write_clips(document, builder, character, kept, node_of_instance, notes);
  builder.finish();
  if (document.json["animations"].empty()) document.json.erase("animations");
  drop_unused(document);
}

}  // namespace dermis
