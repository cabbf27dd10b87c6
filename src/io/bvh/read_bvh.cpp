// SPDX-License-Identifier: MIT
// Turns a BVH document into a character: a node for each joint and End Site, and the motion as one clip.
#include <fmt/format.h>

#include <cmath>

#include "io/bvh/document.h"
#include "io/figure.h"
#include "io/formats.h"
#include "io/source.h"
#include "io/utf8.h"

namespace dermis {
namespace {

// The rest positions of joints below their root; the root, which is not known yet, is at the origin.
std::vector<Vec3d> rest_points(const BvhDocument& document) {
  std::vector<Vec3d> points(document.joints.size());
  for (std::size_t j = 0; j < points.size(); ++j) {
    const BvhJoint& joint = document.joints[j];
    if (joint.parent != kNone) points[j] = points[at(joint.parent)] + joint.offset;
  }
  return points;
}

Vec3d size_of(const BvhDocument& document) {
  Box box;
  for (const Vec3d& point : rest_points(document)) box.add(point);
  return box.upper - box.lower;
}

// Limbs are long and mostly upright; squares keep short face and finger joints small. A person who stands
// along Z is also about as tall as wide, and not as deep as wide, but not flat either: anything else (an
// animal along Z, something on the ground) is not evidence against Y, the format's convention.
Vec3d spread_of(const BvhDocument& document) {
  constexpr double kLeastHeight = 0.6, kMostDepth = 0.8, kLeastDepth = 0.05;  // relative to the width
  Vec3d spread;
  for (const BvhJoint& joint : document.joints) {
    for (int axis = 0; axis < 3 && joint.parent != kNone; ++axis)
      spread[axis] += joint.offset[axis] * joint.offset[axis];
  }
  const Vec3d size = size_of(document);
  const bool stands_along_z =
      size.z >= kLeastHeight * size.x && size.y <= kMostDepth * size.x && size.y >= kLeastDepth * size.x;
  if (!stands_along_z) spread.z = 0;
  return spread;
}

double height_of(const BvhDocument& document, UpAxis up) {
  const Vec3d size = size_of(document);
  const double height = up == UpAxis::z ? size.z : size.y;
  return height > 0 ? height : std::max({size.x, size.y, size.z});
}

// Position channels replace the offset, except in files where they are relative to it. Such files are
// recognised below the root, where joints hardly move: their positions are closer to zero than to the offset.
bool counts_from_offset(const BvhDocument& document) {
  const std::size_t width = document.channel_count();
  const std::vector<std::size_t> first = document.first_channels();
  double from_zero = 0, from_offset = 0;
  for (std::size_t j = 0; j < document.joints.size(); ++j) {
    const BvhJoint& joint = document.joints[j];
    if (joint.parent == kNone) continue;
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (quantity_of(joint.channels[c]) != BvhQuantity::position) continue;
      const double offset = joint.offset[axis_of(joint.channels[c])];
      for (std::size_t frame = 0; frame < document.frame_count; ++frame) {
        const double value = document.values[frame * width + first[j] + c];
        from_zero += std::abs(value);
        from_offset += std::abs(value - offset);
      }
    }
  }
  return from_zero < from_offset;
}

// Names people and other formats can use: End Sites are named after their parent, so that writing recognises
// them.
std::vector<std::string> node_names(const BvhDocument& document, Notes& notes) {
  std::vector<std::string> names;
  std::vector<int> end_sites(document.joints.size(), 0);
  std::size_t recoded = 0;
  for (const BvhJoint& joint : document.joints) {
    std::string name = as_utf8(joint.name);
    recoded += name != joint.name ? 1 : 0;
    if (joint.is_end_site && name.empty() && joint.parent != kNone) {
      const int number = ++end_sites[at(joint.parent)];
      name = names[at(joint.parent)] + kEndSiteEnding;
      if (number > 1) name += fmt::format(" {}", number);
    }
    names.push_back(std::move(name));
  }
  if (recoded > 0)
    notes.push_back({Note::Kind::repair, "names-not-utf8",
                     fmt::format("{} read as Latin-1", counted(recoded, "name was not UTF-8 and was",
                                                               "names were not UTF-8 and were"))});
  return names;
}

class MotionReader {
 public:
  MotionReader(const BvhDocument& document, const Quatd& turn, bool is_added)
      : document_(document),
        turn_(turn),
        is_added_(is_added),
        width_(document.channel_count()),
        first_(document.first_channels()) {}

  // The translation, rotation and scale keys of a joint, as far as it has channels.
  void add_channels(Index node, Clip& clip) const {
    const BvhJoint& joint = document_.joints[at(node)];
    if (joint.has(BvhQuantity::position))
      clip.channels.push_back(keys(node, ChannelPath::translation, 3, [&](std::size_t frame, float* out) {
        const Vec3d p = translation(at(node), frame);
        out[0] = static_cast<float>(p.x), out[1] = static_cast<float>(p.y), out[2] = static_cast<float>(p.z);
      }));
    if (joint.has(BvhQuantity::rotation)) clip.channels.push_back(rotation_keys(node));
    if (joint.has(BvhQuantity::scale))
      clip.channels.push_back(keys(node, ChannelPath::scale, 3, [&](std::size_t frame, float* out) {
        const Vec3d s = gathered(at(node), frame, BvhQuantity::scale, {1, 1, 1});
        out[0] = static_cast<float>(s.x), out[1] = static_cast<float>(s.y), out[2] = static_cast<float>(s.z);
      }));
  }

 private:
  template <class Write>
  Channel keys(Index node, ChannelPath path, std::size_t width, const Write& write) const {
    Channel channel;
    channel.path = path;
    channel.target = node;
    channel.times.resize(document_.frame_count);
    channel.values.resize(document_.frame_count * width);
    for (std::size_t frame = 0; frame < document_.frame_count; ++frame) {
      channel.times[frame] = static_cast<float>(static_cast<double>(frame) * document_.frame_time);
      write(frame, channel.values.data() + frame * width);
    }
    return channel;
  }

  // q and -q are the same rotation: each key takes the sign closer to the previous key.
  Channel rotation_keys(Index node) const {
    Quatd last;
    return keys(node, ChannelPath::rotation, 4, [&](std::size_t frame, float* out) {
      Quatd q = rotation(at(node), frame);
      if (dot(q, last) < 0) q = -q;
      last = q;
      out[0] = static_cast<float>(q.x), out[1] = static_cast<float>(q.y);
      out[2] = static_cast<float>(q.z), out[3] = static_cast<float>(q.w);
    });
  }

  double value(std::size_t j, std::size_t c, std::size_t frame) const {
    return document_.values[frame * width_ + first_[j] + c];
  }
  // `absent` with those axes replaced that have a channel of the quantity; the last of several is used.
  Vec3d gathered(std::size_t j, std::size_t frame, BvhQuantity quantity, Vec3d absent) const {
    const std::vector<BvhChannel>& channels = document_.joints[j].channels;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (quantity_of(channels[c]) == quantity) absent[axis_of(channels[c])] = value(j, c, frame);
    }
    return absent;
  }
  Vec3d translation(std::size_t j, std::size_t frame) const {
    const BvhJoint& joint = document_.joints[j];
    const Vec3d local = is_added_ ? joint.offset + gathered(j, frame, BvhQuantity::position, {})
                                  : gathered(j, frame, BvhQuantity::position, joint.offset);
    return joint.parent == kNone ? rotate(turn_, local) : local;
  }
  // Left to right in channel order: Zrotation Xrotation Yrotation is Rz * Rx * Ry.
  Quatd rotation(std::size_t j, std::size_t frame) const {
    constexpr Vec3d kAxes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const BvhJoint& joint = document_.joints[j];
    Quatd q = joint.parent == kNone ? turn_ : Quatd{};
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (quantity_of(joint.channels[c]) != BvhQuantity::rotation) continue;
      q = q *
          quat_from_axis_angle(kAxes[axis_of(joint.channels[c])], radians_from_degrees(value(j, c, frame)));
    }
    return normalized(q);
  }

  const BvhDocument& document_;
  Quatd turn_;
  bool is_added_;
  std::size_t width_;
  std::vector<std::size_t> first_;
};

Character character_of(const BvhDocument& document, const std::string& name, const LoadOptions& options,
                       Reading& reading, Notes& notes) {
  Character character;
  character.name = name;
  const UpAxis up = choose_up(options.up, spread_of(document), "the rest offsets", notes);
  reading.is_turned = up == UpAxis::z;
  const Quatd turn = up == UpAxis::z ? y_up_from_z_up() : Quatd{};
  std::vector<std::string> names = node_names(document, notes);
  for (std::size_t j = 0; j < document.joints.size(); ++j) {
    const BvhJoint& joint = document.joints[j];
    const bool is_root = joint.parent == kNone;
    Node node;
    node.name = std::move(names[j]);
    node.parent = joint.parent;
    node.rest.translation = Vec3(is_root ? rotate(turn, joint.offset) : joint.offset);
    if (is_root) node.rest.rotation = Quat(turn);
    character.nodes.push_back(std::move(node));
  }
  character.metres_per_unit =
      guess_unit(height_of(document, up), kUnitNotSaid, options.metres_per_unit, notes);
  character.is_unit_guessed = true;
  if (document.values.empty()) return character;
  const bool is_added = counts_from_offset(document);
  if (is_added)
    notes.push_back({Note::Kind::guess, "positions-from-offsets",
                     "position channels are read as relative to the offsets, because otherwise joints below "
                     "the root would be displaced"});
  const MotionReader reader(document, turn, is_added);
  Clip clip;
  clip.name = name;
  for (std::size_t j = 0; j < document.joints.size(); ++j) reader.add_channels(static_cast<Index>(j), clip);
  character.clips.push_back(std::move(clip));
  return character;
}

}  // namespace

Result<Asset> read_bvh(FileSource source, const LoadOptions& options, const Progress& progress) {
  MemoryBudget budget(options.max_memory);
  Asset asset;
  if (Status going = progress.at("reading motion", 0); !going) return going.error();
  Result<BvhDocument> document = parse_bvh(text_of(source.bytes), source.path, budget, asset.notes);
  if (!document) return document.error();
  asset.character =
      character_of(*document, as_utf8(stem_of(source.path)), options, asset.reading, asset.notes);
  make_names_utf8(asset.character, asset.notes);
  document->given = motion_print(asset.character);
  asset.source = std::make_shared<SourceDocument>(SourceDocument{std::move(*document)});
  if (Status valid = validate(asset.character); !valid) return prefixed(source.path, valid.error());
  return asset;
}

}  // namespace dermis
