// SPDX-License-Identifier: MIT
// The layout of a joint in PackedJoints: quads of four numbers, the unit that kernels blend.
#pragma once

#include "dermis/deform.h"

namespace dermis {

// Quads of one joint, in this order if a method has them:
//   rotation (x y z w), dual part (x y z w)     signed: a quaternion and its negative are the same turn
//   translation, or angular and linear velocity (x y z 0)
//   matrix, three rows (x y z t); of the rigid part for spherical
//   stretch, three rows (x y z 0); outward cofactors of the stretch, three rows (x y z 0)
//   outward cofactors of the matrix, three rows (x y z 0)
// Cofactors are divided by the largest entry of all joints; normals are made unit afterwards.
struct PackedLayout {
  int signed_quads = 0;  // at the start
  int matrix = -1;       // first quad of each part; -1: not there
  int stretch = -1;
  int stretch_cofactor = -1;
  int matrix_cofactor = -1;
  int quads = 0;
};

constexpr PackedLayout packed_layout(SkinKernel kernel, bool is_rigid) {
  PackedLayout layout;
  const auto add_rows = [&layout](int& first) {
    first = layout.quads;
    layout.quads += 3;
  };
  const bool is_linear = kernel == SkinKernel::lbs;
  switch (kernel) {
    case SkinKernel::lbs:
      break;
    case SkinKernel::dqs:
    case SkinKernel::lbs_dqs:
      layout.quads = layout.signed_quads = 2;
      break;
    case SkinKernel::quaternion:
      layout.quads = 2;
      layout.signed_quads = 1;
      break;
    case SkinKernel::log_matrix:
      layout.quads = 2;
      break;
    case SkinKernel::spherical:
    case SkinKernel::cor:
      layout.quads = layout.signed_quads = 1;
      break;
  }
  const bool has_matrix = is_linear || kernel == SkinKernel::lbs_dqs || kernel == SkinKernel::spherical ||
                          kernel == SkinKernel::cor;
  if (has_matrix) add_rows(layout.matrix);
  if (is_rigid) return layout;
  if (!is_linear) {
    add_rows(layout.stretch);
    add_rows(layout.stretch_cofactor);
  }
  if (is_linear || kernel == SkinKernel::lbs_dqs) add_rows(layout.matrix_cofactor);
  return layout;
}

// The number of used entries of a quad: the fourth of some is zero and need not be blended.
constexpr int components_of(const PackedLayout& layout, int quad) {
  const bool is_turn = quad < layout.signed_quads;
  const bool is_matrix_row = layout.matrix >= 0 && quad >= layout.matrix && quad < layout.matrix + 3;
  return is_turn || is_matrix_row ? 4 : 3;
}

inline constexpr int kMaxQuads = 14;

// A normal rotated by one joint alone, up to length: for blends that cancel to zero.
Vec3 normal_turned_by(const PackedJoints& joints, std::size_t slot, const Vec3& normal);

}  // namespace dermis
