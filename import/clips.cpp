// SPDX-License-Identifier: MIT
// Animations of an assimp scene as clips: keys of nodes and of shape weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "conversion.h"
#include "pivots.h"

namespace dermis::import {
namespace {

// The rate that assimp assumes for files that do not state one.
constexpr double kTicksWhenUnsaid = 25;

struct Repairs {
  std::size_t dropped_keys = 0;
  std::size_t lost_channels = 0, doubled_channels = 0, ambiguous_channels = 0;
  std::string lost_name, ambiguous_name;
};

constexpr std::string_view kPivotMark = "_$AssimpFbx$_";

class ClipBuilder {
 public:
  ClipBuilder(Conversion& conversion, const aiAnimation& from) : conversion_(conversion), from_(from) {
    clip_.name = text_of(from.mName);
    ticks_ = from.mTicksPerSecond;
    if (!std::isfinite(ticks_) || ticks_ <= 0) {
      ticks_ = kTicksWhenUnsaid;
      conversion_.note(Note::Kind::guess, "clip-rate-guessed",
                       fmt::format("clip {} does not state its rate; {:g} ticks per second are assumed",
                                   quoted_name(clip_.name), ticks_));
    }
  }

  Clip build() {
    for (unsigned c = 0; c < from_.mNumChannels; ++c) {
      if (!keep_pivot_channel(*from_.mChannels[c])) add_node_channels(*from_.mChannels[c]);
    }
    for (const auto& [node, channels] : pivot_channels_) add_pivot_channels(node, channels);
    for (unsigned c = 0; c < from_.mNumMorphMeshChannels; ++c)
      add_shape_channels(*from_.mMorphMeshChannels[c]);
    start_at_zero();
    say_repairs();
    return std::move(clip_);
  }

 private:
  // Keys of one path, in order of time; a key that is not finite or not later than the one before is dropped.
  template <class Key, class Put>
  void add_keys(ChannelPath path, Index target, const Key* keys, unsigned count, const Put& put) {
    Channel channel;
    channel.path = path;
    channel.target = target;
    for (unsigned k = 0; k < count; ++k) {
      const auto time = static_cast<float>(keys[k].mTime / ticks_);
      const std::size_t before = channel.values.size();
      put(keys[k], channel.values);
      const bool is_finite_key =
          std::isfinite(time) && std::all_of(channel.values.begin() + static_cast<std::ptrdiff_t>(before),
                                             channel.values.end(), [](float x) { return std::isfinite(x); });
      if (!is_finite_key || (!channel.times.empty() && time <= channel.times.back())) {
        channel.values.resize(before);
        ++repairs_.dropped_keys;
        continue;
      }
      channel.times.push_back(time);
    }
    if (channel.times.empty()) return;
    if (!taken_.insert({path, target}).second) {
      ++repairs_.doubled_channels;
      return;
    }
    clip_.channels.push_back(std::move(channel));
  }

  void add_node_channels(const aiNodeAnim& from) {
    const auto found = conversion_.node_by_name.find(text_of(from.mNodeName));
    if (found == conversion_.node_by_name.end()) return lose(text_of(from.mNodeName));
    const Index node = found->second;
    count_if_ambiguous(node);
    const auto put_vector = [](const aiVectorKey& key, std::vector<float>& out) {
      out.insert(out.end(), {key.mValue.x, key.mValue.y, key.mValue.z});
    };
    add_keys(ChannelPath::translation, node, from.mPositionKeys, from.mNumPositionKeys, put_vector);
    // assimp turns by the post-rotation instead of back by it, and lets every model inherit its parent's
    // scale.
    const FbxPlace* const place = place_of(node);
    Quatd mend;
    Vec3 undone{1, 1, 1};
    if (place != nullptr) {
      const Quatd post = post_rotation(*place);
      mend = conjugate(post) * conjugate(post);
      undone = Vec3(place->parent_scale_undone);
    }
    const aiQuaternion by(static_cast<float>(mend.w), static_cast<float>(mend.x), static_cast<float>(mend.y),
                          static_cast<float>(mend.z));
    add_keys(ChannelPath::rotation, node, from.mRotationKeys, from.mNumRotationKeys,
             [&](const aiQuatKey& key, std::vector<float>& out) {
               const aiQuaternion q = key.mValue * by;
               const float size = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
               // A rotation of length zero is not a rotation; dividing makes it a key that is dropped.
               out.insert(out.end(), {q.x / size, q.y / size, q.z / size, q.w / size});
             });
    add_keys(
        ChannelPath::scale, node, from.mScalingKeys, from.mNumScalingKeys,
        [&](const aiVectorKey& key, std::vector<float>& out) {
          out.insert(out.end(), {key.mValue.x * undone.x, key.mValue.y * undone.y, key.mValue.z * undone.z});
        });
  }

  // How the FBX places a node; null if it does not say.
  const FbxPlace* place_of(Index node) const {
    if (!conversion_.fbx) return nullptr;
    const auto model = conversion_.fbx->model_of_node.find(node);
    if (model == conversion_.fbx->model_of_node.end()) return nullptr;
    return &conversion_.fbx->scene.models[static_cast<std::size_t>(model->second)].place;
  }

  // True if it is one of three, to be combined when all are known.
  bool keep_pivot_channel(const aiNodeAnim& from) {
    const std::string name = text_of(from.mNodeName);
    const std::size_t mark = name.rfind(kPivotMark);
    if (mark == std::string::npos) return false;
    const auto found = conversion_.node_by_name.find(name.substr(0, mark));
    if (found == conversion_.node_by_name.end() || place_of(found->second) == nullptr) return false;
    const std::string component = name.substr(mark + kPivotMark.size());
    PivotChannels& channels = pivot_channels_[found->second];
    if (component == "Translation") {
      channels.translation = &from;
    } else if (component == "Rotation") {
      channels.rotation = &from;
    } else if (component == "Scaling") {
      channels.scaling = &from;
    } else {
      return false;
    }
    return true;
  }

  void add_pivot_channels(Index node, const PivotChannels& channels) {
    count_if_ambiguous(node);
    const PosedKeys keys = posed_keys(*place_of(node), channels);
    const auto put_vector = [](const aiVectorKey& key, std::vector<float>& out) {
      out.insert(out.end(), {key.mValue.x, key.mValue.y, key.mValue.z});
    };
    add_keys(ChannelPath::translation, node, keys.translations.data(),
             static_cast<unsigned>(keys.translations.size()), put_vector);
    add_keys(ChannelPath::rotation, node, keys.rotations.data(), static_cast<unsigned>(keys.rotations.size()),
             [](const aiQuatKey& key, std::vector<float>& out) {
               out.insert(out.end(), {key.mValue.x, key.mValue.y, key.mValue.z, key.mValue.w});
             });
    add_keys(ChannelPath::scale, node, keys.scales.data(), static_cast<unsigned>(keys.scales.size()),
             put_vector);
  }

  // assimp identifies animated nodes by name only.
  void count_if_ambiguous(Index node) {
    const std::string& name = conversion_.character.nodes[static_cast<std::size_t>(node)].name;
    if (conversion_.name_count[name] > 1 && repairs_.ambiguous_channels++ == 0)
      repairs_.ambiguous_name = name;
  }

  // The channel names a node, such as FBX's "face*0", or a mesh.
  bool is_meant(const Instance& instance, const std::string& name) const {
    const std::string& node = conversion_.character.nodes[static_cast<std::size_t>(instance.node)].name;
    const std::string& mesh = conversion_.character.meshes[static_cast<std::size_t>(instance.mesh)].name;
    const std::string bare = name.substr(0, name.rfind('*'));
    return node == bare || mesh == name || mesh == bare;
  }

  void add_shape_channels(const aiMeshMorphAnim& from) {
    const std::string name = text_of(from.mName);
    bool is_found = false;
    for (std::size_t i = 0; i < conversion_.character.instances.size(); ++i) {
      const Instance& instance = conversion_.character.instances[i];
      if (instance.shape_weights.empty() || !is_meant(instance, name)) continue;
      is_found = true;
      const std::vector<Index>& shape_of = conversion_.shape_of_channel[i];
      const std::vector<double>& factors = conversion_.factor_of_channel[i];
      add_keys(ChannelPath::shape_weights, static_cast<Index>(i), from.mKeys, from.mNumKeys,
               [&](const aiMeshMorphKey& key, std::vector<float>& out) {
                 const std::size_t first = out.size();
                 out.resize(first + instance.shape_weights.size(), 0.0f);
                 for (unsigned k = 0; k < key.mNumValuesAndWeights; ++k) {
                   if (key.mValues[k] >= shape_of.size()) continue;
                   const auto shape = static_cast<std::size_t>(shape_of[key.mValues[k]]);
                   out[first + shape] = static_cast<float>(key.mWeights[k] * factors[key.mValues[k]]);
                 }
               });
    }
    if (!is_found) lose(name);
  }

  void lose(const std::string& name) {
    if (repairs_.lost_channels++ == 0) repairs_.lost_name = name;
  }

  // glTF starts its clips at zero or later.
  void start_at_zero() {
    const float start = clip_.start();
    if (clip_.channels.empty() || start >= 0) return;
    for (Channel& channel : clip_.channels) {
      for (float& time : channel.times) time -= start;
    }
    conversion_.note(Note::Kind::info, "clip-moved",
                     fmt::format("clip {} has keys before its start; it was moved by {:g} s to start at 0",
                                 quoted_name(clip_.name), -start));
  }

  void say_repairs() {
    const std::string clip = quoted_name(clip_.name);
    if (repairs_.dropped_keys > 0) {
      conversion_.note(
          Note::Kind::repair, "keys-unordered",
          fmt::format(
              "clip {}: {} keys were not finite or not later than the key before them, and were left out",
              clip, repairs_.dropped_keys));
    }
    if (repairs_.doubled_channels > 0) {
      conversion_.note(
          Note::Kind::loss, "channels-doubled",
          fmt::format("clip {}: {} channels animate what another channel already animates, and were left out",
                      clip, repairs_.doubled_channels));
    }
    if (repairs_.lost_channels > 0) {
      conversion_.note(
          Note::Kind::loss, "channels-astray",
          fmt::format("clip {}: {} channels animate something that does not exist ({}), and were left out",
                      clip, repairs_.lost_channels, quoted_name(repairs_.lost_name)));
    }
    if (repairs_.ambiguous_channels > 0) {
      conversion_.note(Note::Kind::guess, "channels-ambiguous",
                       fmt::format("clip {}: {} animated nodes share their name with another node ({}), and "
                                   "assimp gives only names; the first moves",
                                   clip, repairs_.ambiguous_channels, quoted_name(repairs_.ambiguous_name)));
    }
    if (from_.mNumMeshChannels > 0) {
      conversion_.note(Note::Kind::loss, "mesh-channels",
                       fmt::format("clip {}: {} channels swap whole meshes, and were left out", clip,
                                   from_.mNumMeshChannels));
    }
  }

  Conversion& conversion_;
  const aiAnimation& from_;
  Clip clip_;
  double ticks_ = kTicksWhenUnsaid;
  std::map<Index, PivotChannels> pivot_channels_;
  std::set<std::pair<ChannelPath, Index>> taken_;
  Repairs repairs_;
};

// Only the seconds from `start` to `end`, which then start at 0.
void cut(Clip& clip, float start, float end) {
  for (Channel& channel : clip.channels) {
    const std::size_t width = channel.values.size() / channel.times.size();
    Channel kept = channel;
    kept.times.clear();
    kept.values.clear();
    std::vector<float> sample(width);
    const auto add = [&](float time) {
      sample_channel(channel, static_cast<double>(time), sample);
      kept.times.push_back(time - start);
      kept.values.insert(kept.values.end(), sample.begin(), sample.end());
    };
    add(start);
    for (std::size_t k = 0; k < channel.times.size(); ++k) {
      if (channel.times[k] > start && channel.times[k] < end) add(channel.times[k]);
    }
    add(end);
    channel = std::move(kept);
  }
}

// glTF animates translation, rotation and scale, which cannot store shear.
void drop_animated_matrices(Conversion& conversion) {
  for (const Clip& clip : conversion.character.clips) {
    for (const Channel& channel : clip.channels) {
      if (channel.path == ChannelPath::shape_weights) continue;
      Node& node = conversion.character.nodes[static_cast<std::size_t>(channel.target)];
      if (!node.rest_matrix) continue;
      node.rest_matrix.reset();
      conversion.note(Note::Kind::repair, "animated-matrix",
                      fmt::format("clip {} moves node {}, which has shear at rest; the nearest translation, "
                                  "rotation and scale are used",
                                  quoted_name(clip.name), quoted_name(node.name)));
    }
  }
}

void keep_clip(Conversion& conversion, Clip clip) {
  if (!clip.channels.empty()) {
    conversion.character.clips.push_back(std::move(clip));
    return;
  }
  conversion.note(Note::Kind::loss, "clip-empty",
                  fmt::format("clip {} moves nothing that exists, and was left out", quoted_name(clip.name)));
}

}  // namespace

void convert_whole_clip(Conversion& conversion, const aiScene& scene, const ColladaClip& as) {
  Clip whole;
  std::set<std::pair<ChannelPath, Index>> taken;
  std::size_t doubled = 0;
  for (unsigned a = 0; a < scene.mNumAnimations; ++a) {
    Clip part = ClipBuilder(conversion, *scene.mAnimations[a]).build();
    if (a == 0) whole.name = part.name;
    for (Channel& channel : part.channels) {
      if (taken.insert({channel.path, channel.target}).second) {
        whole.channels.push_back(std::move(channel));
      } else {
        ++doubled;
      }
    }
  }
  if (!as.name.empty()) whole.name = as.name;
  if (doubled > 0) {
    conversion.note(
        Note::Kind::loss, "channels-doubled",
        fmt::format("clip {}: {} channels animate what another channel already animates, and were left out",
                    quoted_name(whole.name), doubled));
  }
  if (as.end > as.start) cut(whole, static_cast<float>(as.start), static_cast<float>(as.end));
  keep_clip(conversion, std::move(whole));
  drop_animated_matrices(conversion);
}

void convert_clips(Conversion& conversion) {
  for (unsigned a = 0; a < conversion.scene.mNumAnimations; ++a)
    keep_clip(conversion, ClipBuilder(conversion, *conversion.scene.mAnimations[a]).build());
  drop_animated_matrices(conversion);
  if (conversion.origin.is_fbx() && !conversion.character.clips.empty()) {
    conversion.note(
        Note::Kind::loss, "curves-as-keys",
        "only the keys of FBX curves were read, from the start of their clip; motion between keys is linear");
  }
}

}  // namespace dermis::import
