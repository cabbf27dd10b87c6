// SPDX-License-Identifier: MIT
// Runs a skinning method on its kernel, or by its rule if float precision is not enough for the pose.
#include "deform/skin_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "deform/weight_gradients.h"

namespace dermis {
namespace {

double largest_of(const Vec3d& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

template <class Value>
bool is_all_finite(std::span<const Value> values) {
  return std::all_of(values.begin(), values.end(), [](const Value& value) { return is_finite(value); });
}

// Points that follow both mirroring and non-mirroring joints.
std::size_t half_mirrored_count(const WeightRows& rows, std::span<const Affined> palette) {
  std::vector<bool> is_mirroring;
  for (const Affined& joint : palette) is_mirroring.push_back(determinant(joint.linear) < 0);
  if (std::find(is_mirroring.begin(), is_mirroring.end(), true) == is_mirroring.end()) return 0;
  std::size_t count = 0;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    const std::span<const Influence> row = rows.row(v);
    const auto mirrors = [&](const Influence& i) { return is_mirroring[static_cast<std::size_t>(i.slot)]; };
    const bool is_mixed =
        std::any_of(row.begin(), row.end(), mirrors) && !std::all_of(row.begin(), row.end(), mirrors);
    count += is_mixed ? 1 : 0;
  }
  return count;
}

}  // namespace

double largest_coordinate(std::span<const Vec3> points) {
  double largest = 0;
  for (const Vec3& point : points) largest = std::max(largest, largest_of(Vec3d(point)));
  return largest;
}

bool is_sound(std::span<const Affined> palette, std::span<const Index> used_slots, std::span<const Vec3> rest,
              const PosedSurface& posed) {
  if (!is_all_finite<Vec3>(posed.points) || !is_all_finite<Vec3>(posed.normals)) return false;
  const auto is_finite_tangent = [](const Vec4& tangent) { return is_finite(tangent.xyz()); };
  if (!std::all_of(posed.tangents.begin(), posed.tangents.end(), is_finite_tangent)) return false;
  const double reach = largest_coordinate(rest);
  double largest_term = 0;
  for (const Index slot : used_slots) {
    const Affined& joint = palette[static_cast<std::size_t>(slot)];
    const double entry =
        std::max({largest_of(joint.linear.x), largest_of(joint.linear.y), largest_of(joint.linear.z)});
    largest_term = std::max(largest_term, entry * reach + largest_of(joint.translation));
  }
  return largest_term <= kMostCancelled * largest_coordinate(posed.points);
}

WeightRows SkinStage::rows_of_entries(const StageInput& input) {
  const WeightRows& of_points = mesh_of(input).weights;
  WeightRows rows = of_points;
  for (const Index point : input.corner_points) {
    const std::span<const Influence> row = of_points.row(static_cast<std::size_t>(point));
    rows.influences.insert(rows.influences.end(), row.begin(), row.end());
    rows.first.push_back(static_cast<std::uint32_t>(rows.influences.size()));
  }
  return rows;
}

Status SkinStage::prepare(const StageInput& input) {
  character_ = input.character;
  mesh_ = &mesh_of(input);
  mesh_index_ = input.mesh;
  corner_points_ = input.corner_points;
  used_slots_ = input.used_slots;
  normals_ = input.normals;
  are_normals_measured_ = input.are_normals_measured;
  kernel_ = *input.use->row->kernel;
  is_on_kernel_ = has_kernel() && (are_normals_measured_ || normals_ == NormalMode::shading);
  if (is_on_kernel_) {
    const WeightRows rows = rows_of_entries(input);
    Result<SkinBlocks> blocks = is_rigid() ? prepare_rigid_blocks(rows) : prepare_blocks(rows);
    if (!blocks) return blocks.error();
    blocks_ = std::move(*blocks);
    set_rest_blocks({input.rest->points, input.rest->normals, input.rest->tangents}, rest_blocks_);
  } else if (normals_ == NormalMode::exact && !are_normals_measured_ && !is_rigid()) {
    gradients_ = weight_gradients(*mesh_, mesh_->points);
  }
  return Done{};
}

void SkinStage::skin_by_rule(const SkinPose& pose, std::span<const std::uint8_t> is_wanted) const {
  ReferenceOptions options{normals_, gradients_ ? &*gradients_ : nullptr};
  if (gradients_ && pose.state.is_rest_moved) {
    pose.state.gradients = weight_gradients(*mesh_, std::span(pose.rest.points).first(point_count()));
    options.gradients = &*pose.state.gradients;
  }
  const std::unique_ptr<Rule> by_rule = rule(pose, options);
  const Followed followed =
      is_rigid() ? Followed::heaviest(mesh_->weights, pose.palette.size()) : Followed::all(mesh_->weights);
  const RestSurface rest{pose.rest.points, pose.rest.normals, pose.rest.tangents};
  constexpr std::size_t kGrain = 1024;
  parallel_for(entry_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      if (!is_wanted.empty() && is_wanted[k] == 0) continue;
      const std::size_t v = point_of(k);
      write_point(by_rule->at(v, Vec3d(rest.points[k]), followed.row(v)), k, rest, pose.wanted);
    }
  });
}

void SkinStage::skin_on_kernel(const SkinPose& pose) const {
  SkinState& state = pose.state;
  const bool is_moved = state.is_rest_moved;
  if (is_moved) set_rest_blocks({pose.rest.points, pose.rest.normals, pose.rest.tangents}, state.moved_rest);
  pack_joints(kernel_, pose.palette, state.joints);
  const KernelExtras beside = extras(pose);
  const RestBlocks& rest = is_moved ? state.moved_rest : rest_blocks_;
  for_kernel_ranges(entry_count(), [&](PointRange range) {
    skin_by_kernel(blocks_, state.joints, beside, rest, pose.wanted, range);
  });
  mend(pose);
}

Status SkinStage::apply(const PoseFrame& frame, Surface& surface, StageState& state) const {
  PosedSurface wanted{surface.points, surface.normals, surface.tangents};
  if (are_normals_measured_) wanted.normals = {}, wanted.tangents = {};
  const SkinPose pose{palette_of(*character_, frame, state.instance), *state.rest, wanted,
                      static_cast<SkinState&>(state)};
  if (is_on_kernel_) {
    skin_on_kernel(pose);
    if (is_sound(pose.palette, used_slots_, pose.rest.points, wanted)) return Done{};
  }
  skin_by_rule(pose);
  return Done{};
}

Notes SkinStage::pose_notes(const PoseFrame& frame, Index instance) const {
  if (!stretches_about_origin()) return {};
  const std::size_t count = half_mirrored_count(mesh_->weights, palette_of(*character_, frame, instance));
  if (count == 0) return {};
  return {{Note::Kind::info, "half-mirrored",
           fmt::format("{}: {} both mirroring and non-mirroring joints, where this method tears the surface; "
                       "use lbs or cor",
                       named_mesh(*character_, mesh_index_),
                       count == 1 ? "1 point follows" : fmt::format("{} points follow", count)),
           "mesh", mesh_index_, kNone, count}};
}

}  // namespace dermis
