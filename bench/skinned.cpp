// SPDX-License-Identifier: MIT
// The tasks that skinning is compared with.
#include "skinned.h"

#include <algorithm>
#include <cstring>

#include "eigen_loop.h"

namespace dermis::bench {

Yardstick::Yardstick(const Mesh& mesh, std::span<const Affined> joints, bool has_normals)
    : points_(mesh.points) {
  if (has_normals) normals_ = mesh.normals.values;
  for (std::size_t v = 0; v < points_.size(); ++v) {
    const std::span<const Influence> row = mesh.weights.row(v);
    for (std::size_t k = 0; k < kEigenInfluences; ++k) {
      const Influence influence = k < row.size() ? row[k] : Influence{};
      slots_.push_back(static_cast<std::uint16_t>(influence.slot));
      weights_.push_back(influence.weight);
    }
  }
  for (const Affined& joint : joints) {
    for (const Vec3d& column : {joint.linear.x, joint.linear.y, joint.linear.z, joint.translation})
      for (const double value : {column.x, column.y, column.z}) palette_.push_back(static_cast<float>(value));
  }
  posed_points_.resize(points_.size());
  posed_normals_.resize(points_.size());
}

void Yardstick::run() {
  skin_with_eigen({points_.size(), &points_[0].x, normals_.empty() ? nullptr : &normals_[0].x, slots_.data(),
                   weights_.data(), palette_.data()},
                  &posed_points_[0].x, &posed_normals_[0].x);
}

Skinned::Skinned(SkinKernel kernel, const Mesh& mesh, std::span<const Affined> joints, bool has_normals)
    : kernel_(kernel), joints_(joints), skin_(prepare_blocks(mesh.weights).value()) {
  set_rest_blocks({mesh.points, mesh.normals.values, {}}, rest_);
  set_rest_blocks({mesh.points, {}, {}}, centres_);
  sets_ = joint_sets(mesh.weights);
  share_.assign(mesh.points.size(), 0.5f);
  points_.resize(mesh.points.size());
  if (has_normals) normals_.resize(mesh.points.size());
}

void Skinned::run() {
  pack_joints(kernel_, joints_, packed_);
  if (kernel_ == SkinKernel::spherical) set_rotation_centres(sets_, joints_, set_centres_);
  constexpr std::size_t kGrain = 64 * kRangePoints;
  const KernelExtras extras{share_, &centres_, &sets_, set_centres_.values};
  parallel_for(skin_.point_count, kGrain, [&](std::size_t begin, std::size_t end) {
    skin_by_kernel(skin_, packed_, extras, rest_, {points_, normals_, {}}, {begin, end});
  });
}

Copy::Copy(std::size_t points, std::size_t influences, bool has_normals) {
  constexpr std::size_t kPointBytes = 24, kNormalBytes = 24, kInfluenceBytes = 6;  // float and 16 bits
  const std::size_t bytes =
      points * (kPointBytes + (has_normals ? kNormalBytes : 0) + influences * kInfluenceBytes);
  from_.assign(bytes / 2, 1);
  to_.assign(bytes / 2, 0);
}

void Copy::run() {
  constexpr std::size_t kGrain = std::size_t{1} << 18;
  parallel_for(from_.size(), kGrain, [this](std::size_t begin, std::size_t end) {
    std::memcpy(to_.data() + begin, from_.data() + begin, end - begin);
  });
}

SkinTimes time_skinning(std::size_t points, const Options& options, Yardstick& yardstick, Copy& copy,
                        const std::function<void()>& own) {
  // Many rounds: about half a second, more if the caller asks for more.
  const int turns = std::max(options.repetitions, static_cast<int>(20000000 / points));
  const std::vector<double> seconds =
      best_seconds({own, [&] { yardstick.run(); }, [&] { copy.run(); }}, std::min(turns, 2000));
  const double to_ns = 1e9 / static_cast<double>(points);
  return {seconds[0] * to_ns, seconds[1] * to_ns, seconds[2] * to_ns};
}

}  // namespace dermis::bench
