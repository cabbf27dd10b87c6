// SPDX-License-Identifier: MIT
// Shared code of all skinning methods with a kernel: it uses the kernel if it can, and the rule of the plain
// reference otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "deform/rules.h"
#include "deform/stages.h"

namespace dermis {

struct SkinState final : StageState {
  PackedJoints joints;
  RestBlocks moved_rest;  // if rest stages moved it
  RotationCentres centres;
  std::vector<std::uint8_t> is_far_set, is_far_entry;  // spherical
  std::optional<WeightGradients> gradients;            // mode exact, of the moved rest
  std::vector<Mat3> centre_gradients;                  // the same of cor
};

// One pose of one instance.
struct SkinPose {
  std::span<const Affined> palette;
  const Surface& rest;
  PosedSurface wanted;
  SkinState& state;
};

class SkinStage : public Stage {
 public:
  std::unique_ptr<StageState> make_state() const final { return std::make_unique<SkinState>(); }
  Status apply(const PoseFrame& frame, Surface& surface, StageState& state) const final;
  Notes pose_notes(const PoseFrame& frame, Index instance) const final;

 protected:
  // Blocks for the kernel, or gradients for the rule. Derived classes have set what the hooks below need.
  Status prepare(const StageInput& input);

  // The rule of the plain reference; its arguments outlive it.
  virtual std::unique_ptr<Rule> rule(const SkinPose& pose, const ReferenceOptions& options) const = 0;
  // What the kernel reads besides the blocks, for this pose.
  virtual KernelExtras extras(const SkinPose& /*pose*/) const { return {}; }
  // Redoes entries that the kernel cannot compute accurately, by the rule.
  virtual void mend(const SkinPose& /*pose*/) const {}
  virtual bool has_kernel() const { return true; }
  virtual bool is_rigid() const { return false; }  // each point follows only its heaviest joint
  // Removes stretches before it blends the rigid parts. Away from the mesh's origin, a mirror or the scale of
  // a single joint then gives the rigid parts large translations.
  virtual bool stretches_about_origin() const { return true; }

  // Everything, or only the entries where `is_wanted` is set.
  void skin_by_rule(const SkinPose& pose, std::span<const std::uint8_t> is_wanted = {}) const;

  const Mesh& mesh() const { return *mesh_; }
  std::size_t point_count() const { return mesh_->points.size(); }
  std::size_t entry_count() const { return point_count() + corner_points_.size(); }
  std::size_t point_of(std::size_t entry) const {
    const std::size_t count = point_count();
    return entry < count ? entry : static_cast<std::size_t>(corner_points_[entry - count]);
  }
  // Values of the points, followed by those that the corner entries copy from them.
  template <class Value>
  static std::vector<Value> for_entries(const StageInput& input, std::vector<Value> of_points) {
    of_points.reserve(of_points.size() + input.corner_points.size());
    for (const Index point : input.corner_points)
      of_points.push_back(of_points[static_cast<std::size_t>(point)]);
    return of_points;
  }
  static WeightRows rows_of_entries(const StageInput& input);
  bool is_on_kernel() const { return is_on_kernel_; }
  bool is_exact() const { return gradients_.has_value(); }  // rules measure normals by gradients

 private:
  void skin_on_kernel(const SkinPose& pose) const;

  const Character* character_ = nullptr;
  const Mesh* mesh_ = nullptr;
  Index mesh_index_ = kNone;
  std::span<const Index> corner_points_, used_slots_;
  NormalMode normals_ = NormalMode::shading;
  bool are_normals_measured_ = false;
  bool is_on_kernel_ = false;
  SkinKernel kernel_ = SkinKernel::lbs;
  SkinBlocks blocks_;
  RestBlocks rest_blocks_;
  std::optional<WeightGradients> gradients_;  // mode exact by rule; of the rest points
};

// False if floats overflowed, or if the summed terms are so much larger than their sum that rounding is
// visible: a mesh bound far from its skin's origin and posed near the world origin.
bool is_sound(std::span<const Affined> palette, std::span<const Index> used_slots, std::span<const Vec3> rest,
              const PosedSurface& posed);

// The largest absolute coordinate.
double largest_coordinate(std::span<const Vec3> points);
// A kernel's floats are accurate enough if the terms it sums are at most this many times the result.
inline constexpr double kMostCancelled = 16;

// Runs ranges of kernel points in parallel; the closure is one reference, which std::function stores without
// allocating.
template <class Run>
void for_kernel_ranges(std::size_t count, const Run& run) {
  // Ranges per task: about ten microseconds.
  constexpr std::size_t kRangesPerTask = 16;
  const std::size_t range_count = (count + kRangePoints - 1) / kRangePoints;
  parallel_for(range_count, kRangesPerTask, [&run](std::size_t begin, std::size_t end) {
    run(PointRange{begin * kRangePoints, end * kRangePoints});
  });
}

}  // namespace dermis
