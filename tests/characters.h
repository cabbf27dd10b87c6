// SPDX-License-Identifier: MIT
// Small characters and random data for the tests, made by code.
#pragma once

#include <cmath>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

#include "dermis/model.h"
#include "dermis/motion.h"

namespace dermis::test {

// Seeded numbers; tests print the seed with SCOPED_TRACE.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(engine_()) / static_cast<double>(engine_.max());
  }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  Vec3d vector() { return {in(-1, 1), in(-1, 1), in(-1, 1)}; }
  Quatd rotation() { return normalized(Quatd{in(-1, 1), in(-1, 1), in(-1, 1), in(-1, 1)}); }
  Affined rigid() { return {matrix_from_quat(rotation()), vector()}; }
  // Any map with entries up to one: shears, squashes, may mirror.
  Affined affine() { return {Mat3d(vector(), vector(), vector()), vector()}; }

 private:
  std::mt19937 engine_;
};

inline WeightRows rows_of(std::initializer_list<std::initializer_list<Influence>> lists) {
  WeightRows rows;
  rows.first = {0};
  for (const auto& list : lists) {
    rows.influences.insert(rows.influences.end(), list.begin(), list.end());
    rows.first.push_back(static_cast<std::uint32_t>(rows.influences.size()));
  }
  return rows;
}

// `count` influences of slots 0 .. count - 1 in a random order of weight. The weights are multiples of 1/64,
// so that they add up to one without rounding and laws can be tested to the last digits.
inline WeightRows exact_row(Random& random, int count) {
  std::vector<int> parts(at(count), 1);
  for (int spare = 64 - count; spare > 0; --spare) ++parts[at(random.below(count))];
  WeightRowBuilder builder;
  for (int s = 0; s < count; ++s) builder.add(s, static_cast<float>(parts[at(s)]) / 64.0f);
  builder.close_row(0);
  return builder.take();
}

// A turn by `angle` about an axis through `pivot`.
inline Affined turned_about(const Vec3d& pivot, const Vec3d& axis, double angle) {
  const Mat3d turn = matrix_from_quat(quat_from_axis_angle(axis, angle));
  return {turn, pivot - turn * pivot};
}

inline Affined scaled(const Vec3d& scale) { return {diagonal(scale), Vec3d{}}; }

// Enclosed by a closed surface, by the divergence theorem.
inline double volume_of(std::span<const Vec3> points, const Polygons& polygons) {
  double sum = 0;
  for (std::size_t p = 0; p < polygons.count(); ++p) {
    const std::span<const Index> c = polygons.polygon(p);
    for (std::size_t k = 1; k + 1 < c.size(); ++k) {
      sum += dot(Vec3d(points[at(c[0])]), cross(Vec3d(points[at(c[k])]), Vec3d(points[at(c[k + 1])])));
    }
  }
  return sum / 6;
}

struct TubeShape {
  int rings = 101;
  int sides = 32;
  double length = 2;
  double radius = 1;
  bool is_smooth = false;  // weights run by smoothstep instead of linearly: their gradient is continuous
};

inline double tube_weight(const TubeShape& shape, int ring) {
  const double t = static_cast<double>(ring) / (shape.rings - 1);
  return shape.is_smooth ? t * t * (3 - 2 * t) : t;
}

// A closed tube along +x from 0 to `length`, ring after ring, then the two cap centres. Slot 0 holds its near
// end, slot 1 its far end. Normals point away from the axis, tangents run along it.
inline Mesh tube(const TubeShape& shape) {
  Mesh mesh;
  mesh.name = "tube";
  WeightRowBuilder builder;
  const auto add_point = [&](const Vec3d& point, const Vec3d& normal, double weight) {
    mesh.points.push_back(Vec3(point));
    mesh.normals.values.push_back(Vec3(normal));
    mesh.tangents.values.push_back({1, 0, 0, 1});
    builder.add(0, static_cast<float>(1 - weight));
    builder.add(1, static_cast<float>(weight));
    builder.close_row(1e-6);
  };
  for (int r = 0; r < shape.rings; ++r) {
    const double x = shape.length * r / (shape.rings - 1);
    for (int s = 0; s < shape.sides; ++s) {
      const double angle = 2 * kPi * s / shape.sides;
      const Vec3d normal{0, std::cos(angle), std::sin(angle)};
      add_point(Vec3d{x, 0, 0} + normal * shape.radius, normal, tube_weight(shape, r));
    }
  }
  const Index near_cap = static_cast<Index>(mesh.points.size()), far_cap = near_cap + 1;
  add_point({0, 0, 0}, {-1, 0, 0}, 0);
  add_point({shape.length, 0, 0}, {1, 0, 0}, 1);
  const auto add_polygon = [&](std::initializer_list<Index> corners) {
    mesh.polygons.corners.insert(mesh.polygons.corners.end(), corners);
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  };
  const int last = (shape.rings - 1) * shape.sides;
  for (int s = 0; s < shape.sides; ++s) {
    const int next = (s + 1) % shape.sides;
    for (int r = 0; r < last; r += shape.sides) {
      add_polygon({r + s, r + next, r + shape.sides + next, r + shape.sides + s});
    }
    add_polygon({near_cap, next, s});
    add_polygon({far_cap, last + s, last + next});
  }
  mesh.parts = {{0, static_cast<Index>(mesh.points.size()), 0, static_cast<Index>(mesh.polygons.count())}};
  mesh.weights = builder.take();
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

inline Node node_at(const char* name, Index parent, const Vec3& translation) {
  Node node;
  node.name = name;
  node.parent = parent;
  node.rest.translation = translation;
  return node;
}

// A tube on two joints, "near" at the origin and its child "far" at `far`, bound as it rests.
inline Character tube_character(const TubeShape& shape, const Vec3& far) {
  Character character;
  character.name = "tube";
  character.nodes = {node_at("near", kNone, {}), node_at("far", 0, far), node_at("tube", kNone, {})};
  character.meshes = {tube(shape)};
  Skin skin;
  skin.name = "tube";
  skin.node = {0, 1};
  skin.inverse_bind = {Affine{}, Affine(Mat3{}, -far)};
  character.skins = {skin};
  Instance instance;
  instance.node = 2;
  instance.mesh = 0;
  instance.skin = 0;
  character.instances = {instance};
  return character;
}

inline Channel channel_of(ChannelPath path, Index target, Interpolation interpolation,
                          std::vector<float> times, std::vector<float> values) {
  Channel channel;
  channel.path = path;
  channel.target = target;
  channel.interpolation = interpolation;
  channel.times = std::move(times);
  channel.values = std::move(values);
  return channel;
}

// A little of everything the model can hold, valid: a skinned body with corner normals, shapes and weights, a
// rigid hat on a matrix node, controls and a clip with every path.
inline Character crowded_character() {
  Character character;
  character.name = "crowd";
  character.nodes = {node_at("root", kNone, {}), node_at("hip", 0, {0, 1, 0}),
                     node_at("knee", 1, {0, -0.5f, 0}), node_at("hat", 1, {0, 2, 0})};
  character.nodes[3].rest_matrix = Affine(Mat3({1, 0, 0}, {0.5f, 1, 0}, {0, 0, 1}), {0, 2, 0});

  Mesh body;
  body.name = "body";
  body.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 1}};
  body.polygons.first = {0, 4, 7};
  body.polygons.corners = {0, 1, 2, 3, 4, 5, 1};
  body.parts = {{0, 4, 0, 1, 0}, {4, 2, 1, 1, 1}};
  body.normals.values = {{0, 0, 1}, {0, -1, 0}};
  body.normals.corner_value = {0, 0, 0, 0, 1, 1, 1};
  body.tangents.values.assign(6, {1, 0, 0, -1});
  body.uvs.resize(1);
  body.uvs[0].values = {{0, 0}, {1, 1}};
  body.uvs[0].corner_value = {0, 1, 0, 1, 0, 1, 0};
  body.colours.resize(1);
  body.colours[0].values.assign(6, {1, 0, 0, 1});
  Shape smile;
  smile.name = "smile";
  smile.points = {1, 4};
  smile.offsets = {{0, 0, 1}, {0, 1, 0}};
  smile.normals = {{0, 0, 1}, {0, 1, 0}};
  smile.tangents = {{0, 0, 1}, {0, 1, 0}};
  body.shapes = {smile, Shape{}};
  body.weights =
      rows_of({{{0, 1}}, {{1, 0.75f}, {0, 0.25f}}, {{0, 0.5f}, {1, 0.5f}}, {{1, 1}}, {{0, 1}}, {{0, 1}}});
  body.weld = {0, 1, 2, 3, 0, 5};

  Mesh hat;
  hat.name = "hat";
  hat.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  hat.polygons.first = {0, 3};
  hat.polygons.corners = {0, 1, 2};
  hat.parts = {{0, 3, 0, 1}};
  hat.normals.values.assign(3, {0, 0, 1});
  hat.weld = {0, 1, 2};
  character.meshes = {body, hat};
  character.materials.resize(2);
  character.materials[0].name = "skin";
  character.materials[1].name = "cloth";

  Skin skin;
  skin.name = "legs";
  skin.node = {1, 2};
  skin.inverse_bind = {Affine(Mat3{}, {0, -1, 0}), Affine(Mat3{}, {0, -0.5f, 0})};
  character.skins = {skin};
  Instance skinned;
  skinned.node = 0;
  skinned.mesh = 0;
  skinned.skin = 0;
  skinned.shape_weights = {0, 0};
  Instance rigid;
  rigid.node = 3;
  rigid.mesh = 1;
  character.instances = {skinned, rigid};
  character.controls = {{"breath", 0.25f}, {"bulge", 0}};

  Clip walk;
  walk.name = "walk";
  using enum Interpolation;
  walk.channels = {
      channel_of(ChannelPath::translation, 0, linear, {0, 1}, {0, 0, 0, 2, 0, 0}),
      channel_of(ChannelPath::rotation, 1, linear, {0, 2}, {0, 0, 0, 1, 0, 0, 1, 0}),
      channel_of(ChannelPath::scale, 2, step, {0.5f, 1.5f}, {1, 1, 1, 2, 2, 2}),
      channel_of(ChannelPath::shape_weights, 0, linear, {0, 1}, {0, 0, 1, 0.5f}),
      channel_of(ChannelPath::control, 1, cubic_spline, {0, 1}, {0, 0, 0, 0, 1, 0}),
  };
  character.clips = {walk};
  return character;
}

// The same with drivers of every kind, a rule with an in-between, and a pose space; the body gets four more
// shapes.
inline Character driven_character() {
  Character character = crowded_character();
  for (const char* name : {"frown", "frown half", "grin", "knee fix"}) {
    Shape shape;
    shape.name = name;
    shape.points = {2};
    shape.offsets = {{0, 0, 0.125f}};
    character.meshes[0].shapes.push_back(shape);
  }
  character.instances[0].shape_weights.resize(6);
  std::erase_if(character.clips[0].channels,
                [](const Channel& channel) { return channel.path == ChannelPath::shape_weights; });
  DriverFactor angle, breath, grin;
  angle.input = DriverInput::turn;
  angle.node = 1;
  angle.axis = {0, 0, 1};
  angle.curve = {{{0, 0, 0}, {1, 0.5f, 0.25f}, {2, 3, 0}}, true, false};
  breath.control = 0;
  grin.input = DriverInput::shape;
  grin.shape = "grin";
  DrivenValue bulge, smile;
  bulge.output = DriverOutput::scale;
  bulge.node = 2;
  bulge.axis = {1, 0, 0.5f};
  bulge.base = 1;
  bulge.factors.push_back(angle);
  bulge.factors.push_back(breath);
  smile.shape = "smile";
  smile.factors.push_back(grin);
  DrivenRotation half;
  half.node = 2;
  half.source = 1;
  half.part = RotationPart::twist;
  DrivenAim look;
  look.node = 3;
  look.target = 2;
  look.stretches = true;
  look.keeps_volume = 0.5f;
  character.drivers = {{"bulge", bulge}, {"half", half}, {"smile", smile}, {"look", look}};
  character.shape_rules = {{"frown", 0, 1.5f, {{0.5f, "frown half"}}}};
  character.shape_rules.push_back({"grin", 0, 2, {}});
  PoseSpace space;
  space.name = "knee";
  space.joints = {{2, PoseDistance::swing, {0, 1, 0}, 2}};
  space.kernel = PoseKernel::linear;
  space.is_normalised = true;
  space.examples = {{"knee fix", {Quat(quat_from_axis_angle({1, 0, 0}, 1))}, 0.5f, 0.75f}};
  character.pose_spaces = {space};
  return character;
}

}  // namespace dermis::test
