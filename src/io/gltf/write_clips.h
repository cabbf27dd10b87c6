// SPDX-License-Identifier: MIT
// Clips of the model as animations of a glTF document.
#pragma once

#include <map>
#include <utility>

#include "io/fingerprint.h"
#include "io/gltf/builder.h"

namespace dermis {

class ClipWriter {
 public:
  // `node_of_instance` gives the node that an instance's shape weights belong to.
  ClipWriter(GltfBuilder& builder, const Character& character, std::span<const Index> node_of_instance,
             Notes& notes)
      : builder_(builder), character_(character), node_of_instance_(node_of_instance), notes_(notes) {}

  // An animation; without channels if the clip moves neither nodes nor shapes.
  Json animation_of(const Clip& clip);

  // What a channel of a node or shape moves, as indices of the document being written.
  struct Key {
    ChannelPath path = ChannelPath::translation;
    Index node = kNone;
    friend bool operator==(const Key&, const Key&) = default;
    friend bool operator<(const Key& a, const Key& b) {
      return a.path != b.path ? a.path < b.path : a.node < b.node;
    }
  };
  // A channel of the source document: `key.node` is kNone if that node was removed; for a control its name.
  struct Given {
    Key key;
    std::string control;
    Fingerprint keys;
  };
  // Updates an animation to match a clip. Channels that did not change, and those that dermis does not play,
  // stay as they are. False if nothing differed.
  bool patch(Json& animation, std::span<const Given> given, const Clip& clip, const ClipPrint& print);

  // Notes that a document cannot store a clip.
  void note_empty(const Clip& clip);

 private:
  Key key_of(const Channel& channel) const;
  Json sampler_of(const Channel& channel);
  void add_control(const Channel& channel, Json& controls) const;
  bool patch_channels(Json& animation, std::span<const Given> given, const Clip& clip,
                      const ClipPrint& print);
  bool patch_controls(Json& animation, std::span<const Given> given, const Clip& clip,
                      const ClipPrint& print);
  Index times_accessor(const std::vector<float>& times);

  GltfBuilder& builder_;
  const Character& character_;
  std::span<const Index> node_of_instance_;
  Notes& notes_;
  std::map<std::vector<float>, Index> times_;
};

}  // namespace dermis
