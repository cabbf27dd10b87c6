// SPDX-License-Identifier: MIT
// Every method behind one door, so that a law can be asked of all of them.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "characters.h"
#include "deform/rules.h"
#include "deform/skinning.h"
#include "dermis/deform.h"

namespace dermis::test {

// One point on some joints, in double.
struct PointCase {
  std::vector<Affined> palette;
  WeightRows rows;
  Vec3d point;
  Vec3 centre;        // read by cor
  float share = 0.5;  // read by lbs_dqs
};

// Half of each of two joints.
inline const WeightRows kHalf = rows_of({{{0, 0.5f}, {1, 0.5f}}});

inline constexpr std::array kMethods = {"lbs", "quaternion", "log_matrix", "spherical",
                                        "dqs", "cor",        "lbs_dqs"};

inline LocalMap<double> map_of(const std::string& method, const PointCase& c,
                               const ReferenceOptions& options = {}) {
  if (method == "lbs") {
    return Blender<double>(c.palette, options.normals, options.gradients).at(0, c.point, c.rows.row(0));
  }
  std::unique_ptr<Rule> rule;
  if (method == "quaternion") rule = quaternion_rule(c.palette, options);
  if (method == "log_matrix") rule = log_matrix_rule(c.palette, options);
  if (method == "spherical") rule = spherical_rule(c.rows, c.palette, options);
  if (method == "dqs") rule = dqs_rule(c.palette, options);
  if (method == "cor") rule = cor_rule(c.palette, {&c.centre, 1}, options);
  if (method == "lbs_dqs") rule = lbs_dqs_rule(c.palette, {&c.share, 1}, options);
  return rule->at(0, c.point, c.rows.row(0));
}

inline Vec3d posed_by(const std::string& method, const PointCase& c) {
  return map_of(method, c).posed_from_rest * c.point;
}

// Whole surfaces; every centre is `centre`, every share is `share`.
struct SurfaceExtras {
  Vec3 centre;
  float share = 0.5;
};

inline Surface surface_by(const std::string& method, const Mesh& mesh, std::span<const Affined> palette,
                          const ReferenceOptions& options = {}, const SurfaceExtras& extras = {}) {
  Surface posed{mesh.points, mesh.normals.values, mesh.tangents.values};
  const RestSurface rest{mesh.points, mesh.normals.values, mesh.tangents.values};
  const PosedSurface out{posed.points, posed.normals, posed.tangents};
  const std::vector<Vec3> centres(mesh.points.size(), extras.centre);
  const std::vector<float> shares(mesh.points.size(), extras.share);
  if (method == "rigid") skin_rigid_reference(mesh.weights, palette, rest, out, options);
  if (method == "lbs") skin_lbs_reference(mesh.weights, palette, rest, out, options);
  if (method == "quaternion") skin_quaternion_reference(mesh.weights, palette, rest, out, options);
  if (method == "log_matrix") skin_log_matrix_reference(mesh.weights, palette, rest, out, options);
  if (method == "spherical") skin_spherical_reference(mesh.weights, palette, rest, out, options);
  if (method == "dqs") skin_dqs_reference(mesh.weights, palette, rest, out, options);
  if (method == "cor") skin_cor_reference(mesh.weights, palette, centres, rest, out, options);
  if (method == "lbs_dqs") skin_lbs_dqs_reference(mesh.weights, palette, shares, rest, out, options);
  return posed;
}

}  // namespace dermis::test
