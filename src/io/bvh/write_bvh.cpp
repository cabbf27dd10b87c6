// SPDX-License-Identifier: MIT
// Writes BVH: documents as they were read, and characters that fit the format, with continuous Euler angles.
#include "io/bvh/write_bvh.h"
#include "io/format_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "io/file.h"
#include "io/source.h"
#include "io/text.h"

namespace dermis {
namespace {

// ---- Text ---------------------------------------------------------------------------------------------

// Deeper chains are not indented further, or the text would grow with the square of the depth.
constexpr std::size_t kMaxIndent = 64;

class DocumentText {
 public:
  explicit DocumentText(const BvhDocument& document) : document_(document) {}

  std::string write() {
    add("HIERARCHY\n");
    for (std::size_t j = 0; j < document_.joints.size(); ++j) {
      close_down_to(document_.joints[j].parent);
      open(static_cast<Index>(j));
    }
    close_down_to(kNone);
    if (document_.has_motion) add_motion();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  void indent() { text_.append(std::min(open_.size(), kMaxIndent), '\t'); }

  void open(Index j) {
    const BvhJoint& joint = document_.joints[at(j)];
    indent();
    add("{}", joint.is_end_site ? "End Site" : open_.empty() ? "ROOT" : "JOINT");
    add("{}{}\n", joint.name.empty() ? "" : " ", joint.name);
    indent();
    add("{{\n");
    open_.push_back(j);
    indent();
    add("OFFSET {} {} {}\n", joint.offset.x, joint.offset.y, joint.offset.z);
    if (!joint.says_channels) return;
    indent();
    add("CHANNELS {}", joint.channels.size());
    for (const BvhChannel channel : joint.channels) add(" {}", name_of(channel));
    add("\n");
  }
  void close_down_to(Index parent) {
    while (!open_.empty() && open_.back() != parent) {
      open_.pop_back();
      indent();
      add("}}\n");
    }
  }
  void add_motion() {
    add("MOTION\nFrames: {}\nFrame Time: {}\n", document_.frame_count, document_.frame_time);
    const std::size_t width = document_.channel_count();
    for (std::size_t k = 0; k < document_.values.size(); ++k)
      add("{}{}", document_.values[k], (k + 1) % width == 0 ? "\n" : " ");
  }

  const BvhDocument& document_;
  std::string text_;
  std::vector<Index> open_;
};

// ---- From characters ----------------------------------------------------------------------------------

// Millionths of a degree are finer than the float quaternions they come from, and half as long to write.
double rounded_degrees(double radians) { return std::round(degrees_from_radians(radians) * 1e6) / 1e6; }

// The double given by the float's shortest text: 0.1, not 0.10000000149011612.
double short_double(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double wide = 0;
  std::from_chars(text.data(), end, wide);
  return wide;
}

double unwound(double angle, double last) { return angle - std::round((angle - last) / (2 * kPi)) * 2 * kPi; }

// Angles of Rz * Rx * Ry that are nearest to `last`: full turns are added, and the nearer of the two triples
// for a rotation is used.
Vec3d zxy_angles(const Quatd& rotation, const Vec3d& last) {
  Vec3d angles = euler_from_quat(rotation, EulerOrder::zxy);
  // In gimbal lock only the sum or difference of the outer angles is determined: the last one keeps its
  // value.
  constexpr double kLocked = 1e-6;
  if (std::abs(std::cos(angles.y)) < kLocked) {
    const double sign = angles.y > 0 ? 1 : -1;
    angles.x -= sign * (last.z - angles.z);
    angles.z = last.z;
  }
  Vec3d other{angles.x + kPi, kPi - angles.y, angles.z + kPi};
  const auto distance = [&](Vec3d& triple) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      triple[k] = unwound(triple[k], last[k]);
      sum += std::abs(triple[k] - last[k]);
    }
    return sum;
  };
  const double here = distance(angles);
  return distance(other) < here ? other : angles;
}

class CharacterDocument {
 public:
  CharacterDocument(const Character& character, const std::string& path)
      : character_(character), path_(path) {}

  Result<BvhDocument> make() {
    if (character_.nodes.empty()) return fail("there are no joints to write");
    if (character_.clips.size() > 1) return fail("BVH stores one clip, not {}", character_.clips.size());
    for (const Node& node : character_.nodes) {
      const bool is_plain =
          !node.rest_matrix && is_identity(node.rest.rotation) && node.rest.scale == Vec3{1, 1, 1};
      if (!is_plain)
        return fail(
            "joint {} is rotated or scaled at rest, which BVH cannot store; convert it to an offset skeleton "
            "first",
            quoted_name(node.name));
    }
    if (Status good = find_channels(); !good) return good.error();
    add_joints();
    add_values();
    return std::move(document_);
  }

 private:
  template <class... Args>
  Error fail(fmt::format_string<Args...> format, Args&&... args) const {
    return {Errc::unsupported,
            fmt::format("{}: {}", path_, fmt::format(format, std::forward<Args>(args)...))};
  }
  static bool is_identity(const Quat& q) { return length(q.xyz()) <= 1e-6f; }

  // All keys must be at the same, evenly spaced times.
  Status find_channels() {
    translation_.assign(character_.nodes.size(), nullptr);
    rotation_.assign(character_.nodes.size(), nullptr);
    if (character_.clips.empty()) return Done{};
    const std::vector<float>* times = nullptr;
    for (const Channel& channel : character_.clips[0].channels) {
      const bool is_rotation = channel.path == ChannelPath::rotation;
      if (!is_rotation && channel.path != ChannelPath::translation)
        return fail("BVH stores only translations and rotations");
      if (times == nullptr) times = &channel.times;
      if (channel.interpolation != Interpolation::linear || channel.times != *times)
        return fail("its keys are not at the same times");
      (is_rotation ? rotation_ : translation_)[at(channel.target)] = &channel;
    }
    if (times == nullptr) return Done{};
    document_.frame_count = times->size();
    const double span = static_cast<double>(times->back()) - static_cast<double>(times->front());
    document_.frame_time = times->size() > 1 ? span / static_cast<double>(times->size() - 1) : 1.0 / 30;
    for (std::size_t k = 0; k < times->size(); ++k) {
      const double even = static_cast<double>(times->front()) + static_cast<double>(k) * document_.frame_time;
      if (std::abs(static_cast<double>((*times)[k]) - even) > 0.01 * document_.frame_time)
        return fail("its keys are not evenly spaced");
    }
    return Done{};
  }

  bool is_end_site(std::size_t n) const {
    const Node& node = character_.nodes[n];
    if (node.parent == kNone || has_child_[n] || translation_[n] != nullptr || rotation_[n] != nullptr)
      return false;
    const std::string ending = character_.nodes[at(node.parent)].name + kEndSiteEnding;
    return node.name.starts_with(ending);
  }

  // Depth first, which is how the text is nested. A leaf that is not an End Site gets one at its own
  // position, because many readers expect every branch to end in one.
  void add_joints() {
    std::vector<std::vector<Index>> children(character_.nodes.size());
    std::vector<Index> stack;
    has_child_.assign(character_.nodes.size(), false);
    for (std::size_t n = character_.nodes.size(); n-- > 0;) {
      const Index parent = character_.nodes[n].parent;
      (parent == kNone ? stack : children[at(parent)]).push_back(static_cast<Index>(n));
      if (parent != kNone) has_child_[at(parent)] = true;
    }
    std::vector<Index> joint_of_node(character_.nodes.size(), kNone);
    while (!stack.empty()) {
      const std::size_t n = at(stack.back());
      stack.pop_back();
      const Index parent = character_.nodes[n].parent;
      joint_of_node[n] = add_joint(n, parent == kNone ? kNone : joint_of_node[at(parent)]);
      stack.insert(stack.end(), children[n].begin(), children[n].end());
      if (!has_child_[n] && !document_.joints.back().is_end_site) add_end_site(joint_of_node[n]);
    }
  }

  Index add_joint(std::size_t n, Index parent) {
    const Node& node = character_.nodes[n];
    const Vec3& offset = node.rest.translation;
    BvhJoint joint;
    joint.parent = parent;
    joint.is_end_site = is_end_site(n);
    joint.offset = {short_double(offset.x), short_double(offset.y), short_double(offset.z)};
    if (!joint.is_end_site) joint.name = writable_name(node.name, n);
    joint.says_channels = !joint.is_end_site;
    if (translation_[n] != nullptr)
      joint.channels = {BvhChannel::x_position, BvhChannel::y_position, BvhChannel::z_position};
    if (rotation_[n] != nullptr)
      joint.channels.insert(joint.channels.end(),
                            {BvhChannel::z_rotation, BvhChannel::x_rotation, BvhChannel::y_rotation});
    document_.joints.push_back(std::move(joint));
    node_of_joint_.push_back(static_cast<Index>(n));
    return static_cast<Index>(document_.joints.size() - 1);
  }

  void add_end_site(Index parent) {
    BvhJoint joint;
    joint.parent = parent;
    joint.is_end_site = true;
    document_.joints.push_back(std::move(joint));
    node_of_joint_.push_back(kNone);
  }

  // A name must fit on one line and not contain a brace.
  static std::string writable_name(std::string name, std::size_t n) {
    for (char& c : name) {
      if (c == '\n' || c == '\r' || c == '{' || c == '}') c = '_';
    }
    return name.empty() ? fmt::format("node_{}", n) : name;
  }

  void add_values() {
    document_.has_motion = document_.frame_count > 0;
    std::vector<Vec3d> last(document_.joints.size());
    for (std::size_t frame = 0; frame < document_.frame_count; ++frame) {
      for (std::size_t j = 0; j < document_.joints.size(); ++j) {
        if (node_of_joint_[j] == kNone) continue;
        add_frame_of(at(node_of_joint_[j]), frame, last[j]);
      }
    }
  }

  void add_frame_of(std::size_t n, std::size_t frame, Vec3d& last) {
    if (translation_[n] != nullptr) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        document_.values.push_back(short_double(translation_[n]->values[3 * frame + axis]));
    }
    if (rotation_[n] == nullptr) return;
    const float* q = rotation_[n]->values.data() + 4 * frame;
    last = zxy_angles(normalized(Quatd(Quat{q[0], q[1], q[2], q[3]})), last);
    for (int k = 0; k < 3; ++k) document_.values.push_back(rounded_degrees(last[k]));
  }

  const Character& character_;
  const std::string& path_;
  BvhDocument document_;
  std::vector<const Channel*> translation_, rotation_;  // of each node, or null
  std::vector<bool> has_child_;
  std::vector<Index> node_of_joint_;  // kNone for End Sites without a node
};

}  // namespace

std::string text_of(const BvhDocument& document) { return DocumentText(document).write(); }

Result<BvhDocument> bvh_from_character(const Character& character, const std::string& path) {
  return CharacterDocument(character, path).make();
}

Result<Notes> write_bvh(const std::string& path, const Asset& asset, const Progress& progress) {
  if (Status going = progress.at("writing", 0); !going) return going.error();
  std::string text;
  if (const BvhDocument* source = unchanged_bvh_of(asset)) {
    text = text_of(*source);
  } else {
    const Result<BvhDocument> document = bvh_from_character(asset.character, path);
    if (!document) return document.error();
    if (Status going = progress.at("writing", 0.3); !going) return going.error();
    text = text_of(*document);
  }
  if (Status going = progress.at("writing", 0.6); !going) return going.error();
  FileSet files;
  if (Status added = files.add(path, bytes_of(text)); !added) return added.error();
  if (Status done = files.commit(); !done) return done.error();
  return Notes{};
}

}  // namespace dermis
