// SPDX-License-Identifier: MIT
// Bodies whose volume and area can be worked out by hand.
#pragma once

#include <cmath>
#include <initializer_list>
#include <vector>

#include "characters.h"
#include "dermis/model.h"

namespace dermis::test {

inline Mesh mesh_of(std::vector<Vec3> points, const std::vector<std::vector<Index>>& polygons) {
  Mesh mesh;
  mesh.name = "body";
  mesh.points = std::move(points);
  for (const std::vector<Index>& polygon : polygons) {
    mesh.polygons.corners.insert(mesh.polygons.corners.end(), polygon.begin(), polygon.end());
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  }
  mesh.parts = {{0, static_cast<Index>(mesh.points.size()), 0, static_cast<Index>(mesh.polygons.count())}};
  mesh.weld = weld_coincident(mesh.points);
  return mesh;
}

// Six quadrilaterals around the unit cube, the first one x = 0.
inline Mesh cube() {
  std::vector<Vec3> points;
  for (int k = 0; k < 8; ++k)
    points.push_back({static_cast<float>(k & 1), static_cast<float>(k >> 1 & 1), static_cast<float>(k >> 2)});
  return mesh_of(std::move(points),
                 {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

inline Mesh tetrahedron() {
  return mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}});
}

// Of radius one: `rings` rows of 2 * rings points between the poles.
inline Mesh sphere(int rings) {
  std::vector<Vec3> points;
  std::vector<std::vector<Index>> polygons;
  const int sides = 2 * rings;
  for (int r = 1; r <= rings; ++r) {
    const double polar = kPi * r / (rings + 1);
    for (int s = 0; s < sides; ++s) {
      const double angle = 2 * kPi * s / sides;
      points.push_back(Vec3(
          Vec3d{std::sin(polar) * std::cos(angle), std::cos(polar), -std::sin(polar) * std::sin(angle)}));
    }
  }
  const Index top = rings * sides, bottom = top + 1;
  points.push_back({0, 1, 0});
  points.push_back({0, -1, 0});
  for (int s = 0; s < sides; ++s) {
    const int next = (s + 1) % sides;
    polygons.push_back({top, s, next});
    for (int r = 0; r + 1 < rings; ++r)
      polygons.push_back({r * sides + s, (r + 1) * sides + s, (r + 1) * sides + next, r * sides + next});
    polygons.push_back({bottom, (rings - 1) * sides + next, (rings - 1) * sides + s});
  }
  return mesh_of(std::move(points), polygons);
}

// The tube without its caps; the two cap centres stay as points that no polygon uses.
inline Mesh open_tube(const TubeShape& shape) {
  Mesh mesh = tube(shape);
  const auto caps = static_cast<Index>(mesh.points.size()) - 2;
  Polygons walls;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::span<const Index> polygon = mesh.polygons.polygon(p);
    if (polygon[0] >= caps) continue;
    walls.corners.insert(walls.corners.end(), polygon.begin(), polygon.end());
    walls.first.push_back(static_cast<std::uint32_t>(walls.corners.size()));
  }
  mesh.polygons = walls;
  mesh.parts[0].polygon_count = static_cast<Index>(walls.count());
  return mesh;
}

inline std::vector<Vec3> mapped(std::span<const Vec3> points, const Affined& map) {
  std::vector<Vec3> result;
  for (const Vec3& p : points) result.push_back(Vec3(map * Vec3d(p)));
  return result;
}

// Both in one mesh, without weights.
inline Mesh joined(const Mesh& a, const Mesh& b) {
  std::vector<Vec3> points = a.points;
  std::vector<std::vector<Index>> polygons;
  for (const Mesh* mesh : {&a, &b}) {
    for (std::size_t p = 0; p < mesh->polygons.count(); ++p) {
      polygons.emplace_back(mesh->polygons.polygon(p).begin(), mesh->polygons.polygon(p).end());
      for (Index& v : polygons.back()) v += mesh == &a ? 0 : static_cast<Index>(a.points.size());
    }
  }
  points.insert(points.end(), b.points.begin(), b.points.end());
  return mesh_of(std::move(points), polygons);
}

// A round head with eyes that are copies of each other, not mirror images, behind fine lids: points of a lid
// are nearer to a mirrored eye than points of the other eye. Everything is weighted as it should be: the eyes
// follow their own joints, the head and the lids the third.
enum class Eyes { meshes, skins, shells };  // meshes under one skin, each under its own, shells of one mesh
inline Character head_with_eyes(Eyes kind) {
  Character character;
  character.nodes = {node_at("head", kNone, {}), node_at("eye_L", 0, {0.4f, 0.1f, 0.9f}),
                     node_at("eye_R", 0, {-0.4f, 0.1f, 0.9f}), node_at("shown", kNone, {})};
  Skin skin;
  skin.node = {0, 1, 2};
  skin.inverse_bind = {Affine{}, Affine(Mat3{}, {-0.4f, -0.1f, -0.9f}), Affine(Mat3{}, {0.4f, -0.1f, -0.9f})};
  character.skins = {skin};
  const auto add = [&](const Mesh& mesh, Index slot) {
    WeightRowBuilder builder;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      builder.add(slot, 1);
      builder.close_row(0);
    }
    character.meshes.push_back(mesh);
    character.meshes.back().weights = builder.take();
    character.instances.push_back({3, static_cast<Index>(character.meshes.size()) - 1, 0, {}, true});
  };
  Mesh head = sphere(30);
  for (const double side : {1.0, -1.0}) {
    Mesh lid = sphere(20);
    lid.points =
        mapped(lid.points, {diagonal(Vec3d{side * 0.122, 0.122, 0.122}), Vec3d{side * 0.4, 0.1, 0.9}});
    head = joined(head, lid);
  }
  add(head, 0);
  for (const int side : {1, -1}) {
    Mesh eye = sphere(6);
    const Affined copy{
        matrix_from_quat(quat_from_axis_angle(Vec3d{0, 1, 0}, 0.2)) * diagonal(Vec3d{0.12, 0.12, 0.12}),
        Vec3d{side * 0.4, 0.1, 0.9}};
    eye.points = mapped(eye.points, copy);
    add(eye, side > 0 ? 1 : 2);
  }
  if (kind == Eyes::skins) {
    // The second skin lists only its eye and the head, the other way round; the third was bound a unit
    // higher.
    Skin left, right;
    left.node = {1, 0};
    left.inverse_bind = {skin.inverse_bind[1], skin.inverse_bind[0]};
    right.node = {0, 2};
    right.inverse_bind = {Affine(Mat3{}, {0, -1, 0}), Affine(Mat3{}, {0.4f, -1.1f, -0.9f})};
    character.skins = {skin, left, right};
    for (Influence& one : character.meshes[1].weights.influences) one.slot = 0;
    for (Influence& one : character.meshes[2].weights.influences) one.slot = 1;
    for (Vec3& p : character.meshes[2].points) p.y += 1;
    character.meshes[2].weld = weld_coincident(character.meshes[2].points);
    character.instances[1].skin = 1;
    character.instances[2].skin = 2;
  }
  if (kind == Eyes::shells) {
    WeightRows rows;
    rows.first = {0};
    for (const Mesh& mesh : character.meshes) {
      for (const Influence& one : mesh.weights.influences) {
        rows.influences.push_back(one);
        rows.first.push_back(static_cast<std::uint32_t>(rows.influences.size()));
      }
    }
    character.meshes = {joined(joined(character.meshes[0], character.meshes[1]), character.meshes[2])};
    character.meshes[0].weights = rows;
    character.instances.resize(1);
  }
  return character;
}

}  // namespace dermis::test
