// SPDX-License-Identifier: MIT
// Fingerprints of the parts of a loaded character, which let saving find out what has changed since.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dermis/model.h"

namespace dermis {

// 128 bits for any number of bytes. Parts with equal fingerprints are assumed to be equal; a single changed
// word always changes the fingerprint.
struct Fingerprint {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

// Accumulates data. Each call also adds its length, so that "ab", "c" differs from "a", "bc".
class Fingerprinter {
 public:
  void add_bytes(std::span<const std::byte> bytes);
  void add_text(std::string_view text) { add_bytes(std::as_bytes(std::span(text.data(), text.size()))); }
  void add_number(std::uint64_t number);
  void add(const Fingerprint& part);
  // Values without padding: numbers, vectors, influences.
  template <class Value>
  void add_values(std::span<const Value> values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    add_bytes(std::as_bytes(values));
  }
  template <class Value>
  void add_values(const std::vector<Value>& values) {
    add_values(std::span<const Value>(values));
  }
  Fingerprint done() const;

 private:
  std::array<std::uint64_t, 4> lanes_{0x243F6A8885A308D3u, 0x13198A2E03707344u, 0xA4093822299F31D0u,
                                      0x082EFA98EC4E6C89u};  // the digits of pi
};
Fingerprint fingerprint_of(std::string_view text);

// ---- A character --------------------------------------------------------------------------------------

// Indices of other parts are stored outside the fingerprints, because they may change without an edit.
struct NodePrint {
  Fingerprint name, rest;
  Index parent = kNone;
};
// The contents of a primitive of a glTF document.
struct PartPrint {
  Index point_count = 0, material = kNone;
  Fingerprint points, polygons, normals, tangents, weights, dqs_share;
  std::vector<Fingerprint> uvs, colours, shapes;
  friend bool operator==(const PartPrint&, const PartPrint&) = default;
};
struct MeshPrint {
  Fingerprint name;
  std::vector<Fingerprint> shape_names;
  std::vector<PartPrint> parts;
  bool has_mended_weights = false;  // the file's own were repaired on loading
};
struct SkinPrint {
  Fingerprint name, inverse_bind;
  std::vector<Index> node;
};
struct ChannelPrint {
  ChannelPath path = ChannelPath::translation;
  Index target = kNone;
  Fingerprint keys;
};
struct ClipPrint {
  Fingerprint name;
  std::vector<ChannelPrint> channels;
};
struct CharacterPrint {
  std::vector<NodePrint> nodes;
  std::vector<MeshPrint> meshes;
  std::vector<SkinPrint> skins;
  std::vector<Instance> instances;  // small enough to be kept
  std::vector<ClipPrint> clips;
  std::vector<Control> controls;  // these four are small as well
  std::vector<Driver> drivers;
  std::vector<ShapeRule> shape_rules;
  std::vector<PoseSpace> pose_spaces;
  Fingerprint materials;  // with their images
};

NodePrint print_of(const Node& node);
SkinPrint print_of(const Skin& skin);
ClipPrint print_of(const Clip& clip);
// Reads every number of the character once; large arrays in parallel.
CharacterPrint print_of(const Character& character);

// Nodes and clips without the clips' names: the contents of a BVH, which is written back as a whole or not at
// all.
Fingerprint motion_print(const Character& character);

}  // namespace dermis
