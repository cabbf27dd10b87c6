// SPDX-License-Identifier: MIT
// Packs the joints of a pose for the kernels.
#include "deform/kernels/packed_joints.h"

#include <algorithm>
#include <cmath>

#include "deform/joint_motion.h"
#include "deform/sizes.h"
#include "deform/skinning.h"

namespace dermis {
namespace {

void put(float* quad, double x, double y, double z, double w) {
  quad[0] = static_cast<float>(x);
  quad[1] = static_cast<float>(y);
  quad[2] = static_cast<float>(z);
  quad[3] = static_cast<float>(w);
}

void put(float* quad, const Quatd& q) { put(quad, q.x, q.y, q.z, q.w); }

// The rows of a matrix, each followed by an entry of the last column.
void put_rows(float* quads, const Mat3d& m, const Vec3d& last) {
  put(quads, m.x.x, m.y.x, m.z.x, last.x);
  put(quads + 4, m.x.y, m.y.y, m.z.y, last.y);
  put(quads + 8, m.x.z, m.y.z, m.z.z, last.z);
}

double largest_entry(const Mat3d& m) {
  double largest = 0;
  for (const Vec3d& column : {m.x, m.y, m.z})
    largest = std::max({largest, std::abs(column.x), std::abs(column.y), std::abs(column.z)});
  return largest;
}

void put_twist(const Twist& twist, float* quads) {
  put(quads, twist.angular.x, twist.angular.y, twist.angular.z, 0);
  put(quads + 4, twist.linear.x, twist.linear.y, twist.linear.z, 0);
}

// The rigid part of a joint: the quads at the start, and the matrix of spherical.
void put_rigid(SkinKernel kernel, const Quatd& turn, const Vec3d& shift, float* quads) {
  switch (kernel) {
    case SkinKernel::lbs:
      return;
    case SkinKernel::log_matrix:
      return put_twist(log_rigid({matrix_from_quat(turn), shift}), quads);
    case SkinKernel::dqs:
    case SkinKernel::lbs_dqs:
      // dual_quat_from_rigid, without going through memory.
      put(quads, turn);
      put(quads + 4, Quatd{shift.x, shift.y, shift.z, 0} * turn * 0.5);
      return;
    case SkinKernel::quaternion:
      put(quads, turn);
      put(quads + 4, shift.x, shift.y, shift.z, 0);
      return;
    case SkinKernel::spherical:
      put(quads, turn);
      put_rows(quads + 4, matrix_from_quat(normalized(turn)), shift);
      return;
    case SkinKernel::cor:
      put(quads, turn);
      return;
  }
}

bool is_all_rigid(std::span<const Affined> joints) {
  return std::all_of(joints.begin(), joints.end(),
                     [](const Affined& joint) { return is_rotation(joint.linear); });
}

}  // namespace

void pack_joints(SkinKernel kernel, std::span<const Affined> palette, PackedJoints& out) {
  out.kernel = kernel;
  out.slot_count = palette.size();
  out.is_rigid = is_all_rigid(palette);
  const PackedLayout layout = packed_layout(kernel, out.is_rigid);
  const std::size_t stride = static_cast<std::size_t>(layout.quads) * 4;
  out.values.resize(palette.size() * stride);
  const bool needs_motion = kernel != SkinKernel::lbs;
  double largest = 0;
  if (!out.is_rigid) {
    for (const Affined& joint : palette) largest = std::max(largest, largest_entry(cofactor(joint.linear)));
  }
  const double cofactor_scale = largest > 0 ? 1 / largest : 1;
  for (std::size_t s = 0; s < palette.size(); ++s) {
    float* quads = out.values.data() + s * stride;
    const auto at = [quads](int quad) { return quads + quad * 4; };
    const Affined& joint = palette[s];
    // Rigid ones without joint_motion, which would check rigidity again.
    if (out.is_rigid && kernel == SkinKernel::log_matrix) {
      put_twist(log_rigid(joint), quads);
    } else if (out.is_rigid && needs_motion) {
      put_rigid(kernel, quat_from_matrix(joint.linear), joint.translation, quads);
    } else if (needs_motion) {
      const JointMotion motion = joint_motion(joint);
      put_rigid(kernel, motion.rotation, motion.translation, quads);
      put_rows(at(layout.stretch), motion.stretch, {});
      put_rows(at(layout.stretch_cofactor), outward_cofactor(motion.stretch) * cofactor_scale, {});
    }
    if (layout.matrix >= 0 && kernel != SkinKernel::spherical)
      put_rows(at(layout.matrix), joint.linear, joint.translation);
    if (layout.matrix_cofactor >= 0)
      put_rows(at(layout.matrix_cofactor), outward_cofactor(joint.linear) * cofactor_scale, {});
  }
}

Vec3 normal_turned_by(const PackedJoints& joints, std::size_t slot, const Vec3& normal) {
  const PackedLayout layout = packed_layout(joints.kernel, joints.is_rigid);
  const float* quads = joints.values.data() + slot * static_cast<std::size_t>(layout.quads) * 4;
  const auto times = [&](int first, const Vec3& n) {
    const float* row = quads + first * 4;
    const auto along = [&n](const float* r) { return r[0] * n.x + r[1] * n.y + r[2] * n.z; };
    return Vec3{along(row), along(row + 4), along(row + 8)};
  };
  if (layout.matrix_cofactor >= 0) return times(layout.matrix_cofactor, normal);
  if (layout.signed_quads == 0 && layout.matrix >= 0) return times(layout.matrix, normal);
  const Vec3 stretched = layout.stretch_cofactor >= 0 ? times(layout.stretch_cofactor, normal) : normal;
  if (joints.kernel == SkinKernel::log_matrix)
    return Vec3(rotate(exp(Vec3d{quads[0], quads[1], quads[2]}), Vec3d(stretched)));
  return rotate(Quat{quads[0], quads[1], quads[2], quads[3]}, stretched);
}

}  // namespace dermis
