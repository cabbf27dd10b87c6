// SPDX-License-Identifier: MIT
// A BVH file as it came: its joints, their channels and every number of the motion, to be read from and
// written back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"
#include "io/fingerprint.h"
#include "io/gltf/document.h"

namespace dermis {

// What one number of a frame sets, in the order of kBvhChannelNames.
enum class BvhChannel : std::uint8_t {
  x_position,
  y_position,
  z_position,
  x_rotation,
  y_rotation,
  z_rotation,
  x_scale,
  y_scale,
  z_scale
};
enum class BvhQuantity : std::uint8_t { position, rotation, scale };

constexpr BvhQuantity quantity_of(BvhChannel channel) {
  return static_cast<BvhQuantity>(static_cast<int>(channel) / 3);
}
constexpr int axis_of(BvhChannel channel) { return static_cast<int>(channel) % 3; }
const char* name_of(BvhChannel channel);  // "Xposition"

// An End Site without a name of its own becomes the node "Foot End Site" below "Foot" (" 2" and so on for
// more), and a leaf of such a name is written as an End Site.
inline constexpr const char* kEndSiteEnding = " End Site";

struct BvhJoint {
  std::string name;      // as in the file; of an End Site what stands behind it, mostly nothing
  Index parent = kNone;  // stands before its children
  bool is_end_site = false;
  Vec3d offset;
  bool says_channels = false;        // has a CHANNELS line, be it without channels
  std::vector<BvhChannel> channels;  // in file order, any number of each
  bool has(BvhQuantity quantity) const;
};

class BvhDocument {
 public:
  std::vector<BvhJoint> joints;  // in file order
  bool has_motion = false;
  std::size_t frame_count = 0;
  double frame_time = 0;       // seconds, above zero when there is motion
  std::vector<double> values;  // finite; frame after frame, channels in file order
  Fingerprint given;           // of the nodes and the clip it gave, once it gave them

  std::size_t channel_count() const;
  // Where the channels of each joint start in a frame.
  std::vector<std::size_t> first_channels() const;
};

// Takes BVH text apart. A file that cannot be read is refused; miscounted frames, channels and offsets, lines
// of another length among lines of a frame each, a missing or absurd frame time and a missing MOTION are
// noted.
Result<BvhDocument> parse_bvh(std::string_view text, const std::string& path, MemoryBudget& budget,
                              Notes& notes);

// The text of a document: tabs, one frame a line, numbers in the shortest form that reads back the same.
std::string text_of(const BvhDocument& document);

// The document of a character that BVH can hold: rest rotations are the identity, the clip has translation
// and rotation keys at one even spacing (motion's offset_skeleton makes such characters from any other).
// Rotations become Z, X and Y angles without jumps.
Result<BvhDocument> bvh_from_character(const Character& character, const std::string& path);

}  // namespace dermis
