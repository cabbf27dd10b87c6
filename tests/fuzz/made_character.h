// SPDX-License-Identifier: MIT
// Small characters made from bytes, for fuzzers of algorithms: always valid, seldom sensible.
//
// Coordinates are on a coarse lattice, so that points coincide, triangles have no area and edges are shared
// by many; scales run from denormal numbers to the largest floats. Some characters are a body of boxes around
// a named skeleton, so that algorithms which need a body get past their first test.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "character_fuzz.h"
#include "dermis/model.h"
#include "dermis/motion.h"

namespace dermis::fuzz {

// Numbers from bytes; zero once they are used up, so every input is a whole character. Two throws in one
// expression only in braces, whose order is the same for every compiler.
class Dice {
 public:
  Dice(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}
  int byte() { return next_ < bytes_.size() ? bytes_[next_++] : 0; }
  int below(int count) { return byte() % count; }
  bool one_in(int count) { return below(count) == count - 1; }
  // -4 to 4 in steps of 1/32.
  float step() { return static_cast<float>(byte() - 128) / 32.0f; }
  Vec3 vector() {
    const float x = step(), y = step();
    return {x, y, step()};
  }
  template <class Value, std::size_t count>
  const Value& any_of(const Value (&values)[count]) {
    return values[at(below(static_cast<int>(count)))];
  }
  bool is_used_up() const { return next_ >= bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

// Most characters are of a usual size; four times the largest is still a float.
inline float made_scale(Dice& dice) {
  constexpr float kScales[] = {1, 1, 1, 1, 1, 1, 1, 1, 0.01f, 100, 1e-6f, 1e6f, 1e-20f, 1e15f, 1e-40f, 8e37f};
  return dice.any_of(kScales);
}

inline Quat made_rotation(Dice& dice) {
  const Quatd turn{static_cast<double>(dice.step()), static_cast<double>(dice.step()),
                   static_cast<double>(dice.step()), static_cast<double>(dice.step())};
  return dot(turn, turn) > 0 ? Quat(normalized(turn)) : Quat{};
}

// ---- Nodes ----------------------------------------------------------------------------------------------

inline constexpr const char* kMadeNames[] = {"",      "root",     "hips",      "spine",     "joint",
                                             "joint", "LeftArm",  "RightArm",  "thigh.L",   "thigh.R",
                                             "end",   "ik_pole",  "a\x1b[31m", "#0",        "hand_l",
                                             "head",  "Hand\xff", "neck",      "left_foot", "right_foot"};

struct MadeJoint {
  const char* name;
  int parent;
  Vec3 offset;
};
// A body with the names and proportions that maps of joints look for.
inline constexpr MadeJoint kMadeBody[] = {
    {"hips", -1, {0, 1, 0}},           {"spine", 0, {0, 0.3f, 0}},           {"neck", 1, {0, 0.3f, 0}},
    {"head", 2, {0, 0.15f, 0}},        {"upper_arm_L", 1, {0.2f, 0.2f, 0}},  {"forearm_L", 4, {0.3f, 0, 0}},
    {"hand_L", 5, {0.25f, 0, 0}},      {"upper_arm_R", 1, {-0.2f, 0.2f, 0}}, {"forearm_R", 7, {-0.3f, 0, 0}},
    {"hand_R", 8, {-0.25f, 0, 0}},     {"thigh_L", 0, {0.1f, -0.1f, 0}},     {"shin_L", 10, {0, -0.4f, 0}},
    {"foot_L", 11, {0, -0.4f, 0.05f}}, {"thigh_R", 0, {-0.1f, -0.1f, 0}},    {"shin_R", 13, {0, -0.4f, 0}},
    {"foot_R", 14, {0, -0.4f, 0.05f}},
};

inline std::vector<Node> made_body_nodes(Dice& dice, float scale) {
  std::vector<Node> nodes;
  for (const MadeJoint& joint : kMadeBody) {
    Node node;
    node.name = joint.name;
    node.parent = joint.parent;
    node.rest.translation = joint.offset * scale;
    nodes.push_back(node);
  }
  for (int n = dice.below(4); n > 0; --n) {
    Node& node = nodes[at(dice.below(static_cast<int>(nodes.size())))];
    switch (dice.below(4)) {
      case 0:
        node.rest.translation = dice.vector() * scale;
        break;
      case 1:
        node.rest.rotation = made_rotation(dice);
        break;
      case 2:
        node.name = dice.any_of(kMadeNames);
        break;
      default:
        node.rest.translation = {};
        break;
    }
  }
  return nodes;
}

inline std::vector<Node> made_forest(Dice& dice, float scale) {
  constexpr float kScales[] = {1, 1, 1, 1, 1, -1, 0, 2, 1e-3f, 1e10f, 1e-30f};
  const int count = 1 + dice.below(10);
  std::vector<Node> nodes(at(count));
  for (int n = 0; n < count; ++n) {
    Node& node = nodes[at(n)];
    node.name = dice.any_of(kMadeNames);
    node.parent = n == 0 ? kNone : dice.below(n + 1) - 1;
    node.rest.translation = dice.vector() * scale;
    if (dice.one_in(3)) node.rest.rotation = made_rotation(dice);
    if (dice.one_in(4)) node.rest.scale = {dice.any_of(kScales), dice.any_of(kScales), dice.any_of(kScales)};
    if (dice.one_in(8)) {
      node.rest_matrix = Affine(Mat3{dice.vector(), dice.vector(), dice.vector()}, node.rest.translation);
      node.rest = transform_from_affine(Affined(*node.rest_matrix));
    }
  }
  // A parent may come after its child.
  if (dice.one_in(3)) {
    std::reverse(nodes.begin(), nodes.end());
    for (Node& node : nodes) node.parent = node.parent == kNone ? kNone : count - 1 - node.parent;
  }
  return nodes;
}

// ---- Meshes ---------------------------------------------------------------------------------------------

inline void add_polygon(Mesh& mesh, std::span<const Index> corners) {
  mesh.polygons.corners.insert(mesh.polygons.corners.end(), corners.begin(), corners.end());
  mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
}

inline void add_box(Mesh& mesh, const Vec3& lower, const Vec3& upper) {
  constexpr std::array<std::array<Index, 4>, 6> kSides = {
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  const Index first = static_cast<Index>(mesh.points.size());
  for (int k = 0; k < 8; ++k) {
    mesh.points.push_back({(k & 1) != 0 ? upper.x : lower.x, (k & 2) != 0 ? upper.y : lower.y,
                           (k & 4) != 0 ? upper.z : lower.z});
  }
  for (std::array<Index, 4> side : kSides) {
    for (Index& corner : side) corner += first;
    add_polygon(mesh, side);
  }
}

// A box along each bone: separate shells that overlap at the joints.
inline void add_body(Mesh& mesh, const Character& character, float thickness) {
  const std::vector<Affined> world = rest_world(character);
  const Vec3 pad{thickness, thickness, thickness};
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    const Vec3 a(world[n].translation);
    const Index parent = character.nodes[n].parent;
    const Vec3 b = parent == kNone ? a : Vec3(world[at(parent)].translation);
    const Vec3 lower{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
    const Vec3 upper{std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
    if (is_finite(lower - pad) && is_finite(upper + pad)) add_box(mesh, lower - pad, upper + pad);
  }
}

inline void add_tube(Mesh& mesh, Dice& dice, float scale) {
  const int rings = 2 + dice.below(8), sides = 3 + dice.below(5);
  const Index first = static_cast<Index>(mesh.points.size());
  for (int r = 0; r < rings; ++r) {
    const double radius = static_cast<double>(std::abs(dice.step()));
    for (int s = 0; s < sides; ++s) {
      const double angle = 2 * kPi * s / sides;
      mesh.points.push_back(Vec3(Vec3d{radius * std::cos(angle), r * 0.5, radius * std::sin(angle)}) * scale);
    }
  }
  for (int r = 0; r + 1 < rings; ++r) {
    for (int s = 0; s < sides; ++s) {
      const Index a = first + r * sides + s, b = first + r * sides + (s + 1) % sides;
      add_polygon(mesh, std::array<Index, 4>{a, b, b + sides, a + sides});
    }
  }
}

inline void add_soup(Mesh& mesh, Dice& dice, float scale) {
  const int first = static_cast<int>(mesh.points.size()), count = 1 + dice.below(24);
  for (int v = 0; v < count; ++v) mesh.points.push_back(dice.vector() * scale);
  std::vector<Index> corners;
  for (int p = dice.below(24); p > 0; --p) {
    corners.clear();
    for (int c = 3 + (dice.one_in(4) ? dice.below(4) : 0); c > 0; --c) {
      corners.push_back(first + dice.below(count));
    }
    add_polygon(mesh, corners);
  }
}

// Moves points onto others or away, and turns polygons over.
inline void damage(Mesh& mesh, Dice& dice, float scale) {
  const int point_count = static_cast<int>(mesh.points.size());
  const int polygon_count = static_cast<int>(mesh.polygons.count());
  for (int n = dice.below(6); n > 0; --n) {
    const auto v = at(dice.byte() % point_count);
    switch (dice.below(4)) {
      case 0:
        mesh.points[v] = dice.vector() * scale;
        break;
      case 1:
        mesh.points[v] = mesh.points[at(dice.byte() % point_count)];
        break;
      case 2:
        scale = made_scale(dice);
        mesh.points[v] = dice.vector() * scale;
        break;
      default:
        if (polygon_count > 0) {
          const auto p = at(dice.byte() % polygon_count);
          std::reverse(mesh.polygons.corners.begin() + mesh.polygons.first[p],
                       mesh.polygons.corners.begin() + mesh.polygons.first[p + 1]);
        }
    }
  }
}

inline void add_shapes(Mesh& mesh, Dice& dice, float scale) {
  for (int s = dice.one_in(3) ? 1 + dice.below(2) : 0; s > 0; --s) {
    Shape shape;
    if (dice.one_in(2)) shape.name = dice.one_in(2) ? "smile" : "smile\n";
    for (Index v = 0; at(v) < mesh.points.size(); ++v) {
      if (!dice.one_in(4)) continue;
      shape.points.push_back(v);
      shape.offsets.push_back(dice.vector() * scale);
    }
    if (dice.one_in(3) && !mesh.normals.empty()) shape.normals.assign(shape.points.size(), dice.vector());
    mesh.shapes.push_back(shape);
  }
}

// One or two parts; the second begins at any point and any polygon.
inline void add_parts(Mesh& mesh, Dice& dice) {
  const Index points = static_cast<Index>(mesh.points.size());
  const Index polygons = static_cast<Index>(mesh.polygons.count());
  if (points == 0) return;
  const Index point = dice.one_in(4) ? dice.byte() % (points + 1) : points;
  const Index polygon = point < points ? dice.byte() % (polygons + 1) : polygons;
  mesh.parts.push_back({0, point, 0, polygon, 0});
  if (point < points) mesh.parts.push_back({point, points - point, polygon, polygons - polygon, kNone});
}

inline Mesh made_mesh(Dice& dice, const Character& skeleton, float scale) {
  Mesh mesh;
  mesh.name = dice.any_of(kMadeNames);
  switch (dice.below(8)) {
    case 0:
      add_soup(mesh, dice, scale);
      break;
    case 1:
      add_tube(mesh, dice, scale);
      break;
    case 2:
      add_tube(mesh, dice, scale);
      add_soup(mesh, dice, scale);
      break;
    case 3: {
      const Vec3 lower = dice.vector() * scale, upper = dice.vector() * scale;
      add_box(mesh, lower, upper);
      break;
    }
    case 4:
      break;
    default:
      add_body(mesh, skeleton, (0.02f + std::abs(dice.step()) / 32) * scale);
  }
  if (!mesh.points.empty()) damage(mesh, dice, scale);
  add_parts(mesh, dice);
  if (dice.one_in(2)) mesh.normals.values.assign(mesh.points.size(), dice.vector());
  if (dice.one_in(6))
    mesh.tangents.values.assign(mesh.points.size(), {1, 0, 0, dice.one_in(2) ? 1.0f : -1.0f});
  if (dice.one_in(4) && !mesh.points.empty()) {
    mesh.uvs.resize(1);
    for (std::size_t v = 0; v < mesh.points.size(); ++v)
      mesh.uvs[0].values.push_back({dice.step(), dice.step()});
  }
  add_shapes(mesh, dice, scale);
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

inline WeightRows made_weights(Dice& dice, std::size_t point_count, std::size_t slot_count) {
  WeightRowBuilder builder;
  const int longest = 1 + dice.below(dice.one_in(4) ? 10 : 4);
  for (std::size_t v = 0; v < point_count; ++v) {
    for (int k = 1 + dice.below(longest); k > 0; --k) {
      const Index slot = dice.byte() % static_cast<Index>(slot_count);
      const float weight = static_cast<float>(1 + dice.byte());
      builder.add(slot, weight / (dice.one_in(8) ? 1e6f : 256.0f));
    }
    builder.close_row(0);
  }
  return builder.take();
}

// ---- Skins, instances, clips ------------------------------------------------------------------------------

inline Skin made_skin(Dice& dice, const Character& character) {
  Skin skin;
  skin.name = dice.any_of(kMadeNames);
  const std::vector<Affined> world = rest_world(character);
  const bool has_all = !dice.one_in(3), is_odd = dice.one_in(6);
  for (Index n = 0; at(n) < character.nodes.size(); ++n) {
    if (n > 0 && !has_all && dice.one_in(2)) continue;
    skin.node.push_back(n);
    Affine bind(inverse(world[at(n)]));
    if (is_odd && dice.one_in(2))
      bind = Affine{Mat3{dice.vector(), dice.vector(), dice.vector()}, dice.vector()};
    skin.inverse_bind.push_back(is_finite(bind) ? bind : Affine{});
  }
  return skin;
}

inline Channel made_channel(Dice& dice, const Character& character) {
  constexpr ChannelPath kPaths[] = {ChannelPath::rotation, ChannelPath::rotation, ChannelPath::translation,
                                    ChannelPath::scale, ChannelPath::shape_weights};
  constexpr Interpolation kKinds[] = {Interpolation::linear, Interpolation::step,
                                      Interpolation::cubic_spline};
  constexpr float kSteps[] = {1.0f / 30, 1.0f / 30, 0.5f, 1e-6f, 5};
  Channel channel;
  channel.path = dice.any_of(kPaths);
  const std::size_t target_count =
      channel.path == ChannelPath::shape_weights ? character.instances.size() : character.nodes.size();
  if (target_count == 0) return channel;
  channel.target = dice.byte() % static_cast<Index>(target_count);
  channel.interpolation = dice.any_of(kKinds);
  const float pause = dice.any_of(kSteps);
  const int key_count = 1 + dice.below(6),
            groups = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
  const std::size_t width = channel_width(character, channel);
  const float scale = made_scale(dice);
  for (int k = 0; k < key_count; ++k) {
    channel.times.push_back(static_cast<float>(k) * pause);
    for (std::size_t i = 0; i < at(groups) * width; ++i) channel.values.push_back(dice.step() * scale);
  }
  return channel;
}

inline Clip made_clip(Dice& dice, const Character& character) {
  Clip clip;
  clip.name = dice.any_of(kMadeNames);
  std::set<std::pair<ChannelPath, Index>> seen;
  for (int c = 1 + dice.below(8); c > 0; --c) {
    Channel channel = made_channel(dice, character);
    const bool is_kept = channel.target != kNone && channel_width(character, channel) > 0;
    if (is_kept && seen.insert({channel.path, channel.target}).second) clip.channels.push_back(channel);
  }
  return clip;
}

inline void add_mesh_with_instances(Character& character, Dice& dice, float scale) {
  const Index mesh = static_cast<Index>(character.meshes.size());
  character.meshes.push_back(made_mesh(dice, character, scale));
  Mesh& made = character.meshes.back();
  const bool is_skinned = !character.skins.empty() && !dice.one_in(4);
  const Index skin = is_skinned ? dice.byte() % static_cast<Index>(character.skins.size()) : kNone;
  if (is_skinned)
    made.weights = made_weights(dice, made.points.size(), character.skins[at(skin)].node.size());
  for (int k = dice.one_in(6) ? dice.below(3) : 1; k > 0; --k) {
    Instance instance;
    instance.node = dice.byte() % static_cast<Index>(character.nodes.size());
    instance.mesh = mesh;
    instance.skin = dice.one_in(8) ? kNone : skin;
    for (std::size_t s = 0; s < made.shapes.size(); ++s) instance.shape_weights.push_back(dice.step());
    instance.in_scene = !dice.one_in(8);
    // glTF holds one mesh per node.
    const auto is_taken = [&](const Instance& other) { return other.node == instance.node; };
    if (std::none_of(character.instances.begin(), character.instances.end(), is_taken)) {
      character.instances.push_back(instance);
    }
  }
}

// A valid character; nodes and meshes may be few, empty or absurd.
inline Character made_character(Dice& dice) {
  Character character;
  character.name = "made";
  const float scale = made_scale(dice);
  character.nodes = dice.one_in(2) ? made_body_nodes(dice, scale) : made_forest(dice, scale);
  Node holder;
  holder.name = "mesh";
  character.nodes.push_back(holder);
  character.materials.resize(1);
  for (int s = dice.one_in(5) ? dice.below(3) : 1; s > 0; --s)
    character.skins.push_back(made_skin(dice, character));
  for (int m = dice.one_in(4) ? 1 + dice.below(3) : 1; m > 0; --m)
    add_mesh_with_instances(character, dice, scale);
  std::sort(character.instances.begin(), character.instances.end(),
            [](const Instance& a, const Instance& b) { return a.node < b.node; });
  for (int c = dice.below(3); c > 0; --c) character.clips.push_back(made_clip(dice, character));
  const Status valid = validate(character);
  require(valid.ok(), "made characters are valid", valid ? "" : valid.error().sentence);
  return character;
}

// ---- What must hold -------------------------------------------------------------------------------------

// How often there was a result, printed at the end: a fuzzer whose inputs are all refused tests nothing.
struct Tally {
  std::size_t results = 0, refusals = 0;
  ~Tally() { std::fprintf(stderr, "fuzz: %zu results, %zu refusals\n", results, refusals); }
};
inline Tally tally;

// A valid character (finite, rows that sum to one) or an error of one sentence; `what` names the call.
template <class Report>
bool require_valid_or_error(const Result<Report>& report, const Character& character, const char* what) {
  if (!report) {
    require_sentence(report.error());
    ++tally.refusals;
    return false;
  }
  ++tally.results;
  const Status valid = validate(character);
  require(valid.ok(), what, valid ? "" : valid.error().sentence);
  return true;
}

// Inputs come one at a time; more threads would only make them slow and reports hard to read.
inline void use_one_thread() {
  static const bool is_set = [] {
    set_thread_count(1);
    return true;
  }();
  static_cast<void>(is_set);
}

}  // namespace dermis::fuzz
