// SPDX-License-Identifier: MIT
// A BVH file as read: its joints, their channels and every number of the motion, for reading and for writing
// back.
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

// An End Site without a name becomes the node "Foot End Site" below "Foot" (" 2" and so on for more), and a
// leaf with such a name is written as an End Site.
inline constexpr const char* kEndSiteEnding = " End Site";

struct BvhJoint {
  std::string name;      // as in the file; for an End Site the text after it, usually empty
  Index parent = kNone;  // comes before its children
  bool is_end_site = false;
  Vec3d offset;
  bool says_channels = false;        // has a CHANNELS line, even if it lists no channels
  std::vector<BvhChannel> channels;  // in file order, any number of each
  bool has(BvhQuantity quantity) const;
};

class BvhDocument {
 public:
  std::vector<BvhJoint> joints;  // in file order
  bool has_motion = false;
  std::size_t frame_count = 0;
  double frame_time = 0;       // seconds, above zero if there is motion
  std::vector<double> values;  // finite; frame by frame, channels in file order
  Fingerprint given;           // of the nodes and the clip made from it, once they exist

  std::size_t channel_count() const;
  // Where the channels of each joint start in a frame.
  std::vector<std::size_t> first_channels() const;
};

// Parses BVH text. Refuses a file that cannot be read. Notes miscounted frames, channels and offsets, single
// lines of a different length if each line is a frame, a missing or absurd frame time and a missing MOTION.
Result<BvhDocument> parse_bvh(std::string_view text, const std::string& path, MemoryBudget& budget,
                              Notes& notes);

// The text of a document: tabs, one frame per line, numbers in the shortest form that reads back the same.
std::string text_of(const BvhDocument& document);

// The document of a character that BVH can represent: rest rotations are the identity, and the clip has
// evenly spaced translation and rotation keys (motion's offset_skeleton converts any character to this form).
// Rotations become Z, X and Y angles without jumps.
Result<BvhDocument> bvh_from_character(const Character& character, const std::string& path);

}  // namespace dermis
