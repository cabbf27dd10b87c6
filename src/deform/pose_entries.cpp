// SPDX-License-Identifier: MIT
// Runs a stack on one prepared mesh: the skin on its kernel or by its rule, posed stages, measured normals.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "deform/prepared_mesh.h"
#include "deform/rules.h"
#include "deform/weight_gradients.h"

namespace dermis {
namespace {

// Ranges of kernel points that one task takes: some ten microseconds.
constexpr std::size_t kRangesPerTask = 16;
// A kernel's floats are fine as long as the terms it adds up are no larger than this many times the result.
constexpr double kMostCancelled = 16;

struct PoseJob {
  const PreparedMesh& prepared;
  const DeformOptions& options;
  std::span<const Affined> palette;
  const Surface& rest;  // of the entries, with shapes
  bool is_shaped;

  RestSurface rest_view() const { return {rest.points, rest.normals, rest.tangents}; }
};

// ---- By rule, in double -------------------------------------------------------------------------------

class LinearRule final : public Rule {
 public:
  LinearRule(std::span<const Affined> palette, const ReferenceOptions& options)
      : blender_(palette, options.normals, options.gradients) {}
  LocalMap<double> at(std::size_t v, const Vec3d& point, std::span<const Influence> row) const override {
    return blender_.at(v, point, row);
  }

 private:
  Blender<double> blender_;
};

// `centre_gradients` are those of the surface at hand: read by cor in mode exact.
std::unique_ptr<Rule> rule_of(const PoseJob& job, const ReferenceOptions& options,
                              std::span<const Mat3> centre_gradients) {
  const PreparedMesh& prepared = job.prepared;
  if (!prepared.is_skinned) return std::make_unique<LinearRule>(job.palette, options);
  switch (job.options.stack.skin) {
    case SkinMethod::rigid:
    case SkinMethod::lbs:
    case SkinMethod::direct_delta_mush:  // has a reference of its own
      break;
    case SkinMethod::dqs:
      return dqs_rule(job.palette, options, {job.options.bulge_correction, prepared.centres});
    case SkinMethod::quaternion:
      return quaternion_rule(job.palette, options);
    case SkinMethod::log_matrix:
      return log_matrix_rule(job.palette, options);
    case SkinMethod::spherical:
      return spherical_rule(prepared.mesh->weights, job.palette, options);
    case SkinMethod::lbs_dqs:
      return lbs_dqs_rule(job.palette, prepared.dqs_share, options);
    case SkinMethod::cor:
      return cor_rule(job.palette, prepared.centres, options, centre_gradients);
  }
  return std::make_unique<LinearRule>(job.palette, options);
}

Followed followed_by(const PoseJob& job) {
  if (!job.prepared.is_skinned) return Followed::one_joint();
  const WeightRows& rows = job.prepared.mesh->weights;
  return job.options.stack.skin == SkinMethod::rigid ? Followed::heaviest(rows, job.palette.size())
                                                     : Followed::all(rows);
}

// Everything, or only the entries where `is_wanted` is set.
void skin_by_rule(const PoseJob& job, const PosedSurface& posed, const std::vector<bool>& is_wanted = {}) {
  const PreparedMesh& prepared = job.prepared;
  ReferenceOptions options{job.options.normals, prepared.gradients ? &*prepared.gradients : nullptr};
  std::optional<WeightGradients> shaped_gradients;
  std::vector<Mat3> shaped_centre_gradients;
  if (prepared.gradients && job.is_shaped) {
    const std::span<const Vec3> points(job.rest.points);
    shaped_gradients = weight_gradients(*prepared.mesh, points.first(prepared.point_count()));
    options.gradients = &*shaped_gradients;
    if (!prepared.centre_gradients.empty())
      shaped_centre_gradients =
          centre_gradients(*prepared.mesh, points.first(prepared.point_count()), prepared.point_centres());
  }
  const std::unique_ptr<Rule> rule =
      rule_of(job, options, job.is_shaped ? shaped_centre_gradients : prepared.centre_gradients);
  const Followed followed = followed_by(job);
  const RestSurface rest = job.rest_view();
  constexpr std::size_t kEntryGrain = 1024;
  parallel_for(prepared.entry_count(), kEntryGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      if (!is_wanted.empty() && !is_wanted[k]) continue;
      const std::size_t v = prepared.point_of(k);
      write_point(rule->at(v, Vec3d(rest.points[k]), followed.row(v)), k, rest, posed);
    }
  });
}

// ---- On the kernels -----------------------------------------------------------------------------------

template <class Run>
void for_ranges(std::size_t count, const Run& run) {
  const std::size_t range_count = (count + kRangePoints - 1) / kRangePoints;
  parallel_for(range_count, kRangesPerTask, [&](std::size_t begin, std::size_t end) {
    run(PointRange{begin * kRangePoints, end * kRangePoints});
  });
}

double largest_of(const Vec3d& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

double largest_point(std::span<const Vec3> points) {
  double largest = 0;
  for (const Vec3& point : points) largest = std::max(largest, largest_of(Vec3d(point)));
  return largest;
}

// Entries that turn about a centre out of reach, as joints have it that stand apart and hardly turn against
// each other: floats would lose the point beside it. Empty where there are none.
std::vector<bool> far_centred(const PoseJob& job, std::span<const float> set_centres) {
  const double farthest = kMostCancelled * largest_point(job.rest.points);
  const auto is_far = [&](std::size_t set) {
    const float* centre = set_centres.data() + set * 4;
    return !(largest_of(Vec3d(Vec3{centre[0], centre[1], centre[2]})) <= farthest);
  };
  std::vector<bool> is_far_set(set_centres.size() / 4);
  for (std::size_t s = 0; s < is_far_set.size(); ++s) is_far_set[s] = is_far(s);
  if (std::find(is_far_set.begin(), is_far_set.end(), true) == is_far_set.end()) return {};
  std::vector<bool> is_far_entry(job.prepared.entry_count());
  for (std::size_t k = 0; k < is_far_entry.size(); ++k)
    is_far_entry[k] = is_far_set[job.prepared.sets.set_of_point[k]];
  return is_far_entry;
}

void skin_on_kernel(const PoseJob& job, const PosedSurface& posed) {
  RestBlocks shaped;
  if (job.is_shaped) set_rest_blocks(job.rest_view(), shaped);
  const PreparedMesh& prepared = job.prepared;
  Palette palette;
  set_palette(job.options.stack.skin, job.palette, palette);
  AlignedVector<float> set_centres;
  if (palette.method == SkinMethod::spherical) set_rotation_centres(prepared.sets, job.palette, set_centres);
  const KernelExtras extras{prepared.dqs_share, &prepared.centre_blocks, &prepared.sets, set_centres};
  const RestBlocks& rest = job.is_shaped ? shaped : prepared.rest_blocks;
  for_ranges(prepared.entry_count(),
             [&](PointRange range) { skin_by_method(prepared.blocks, palette, extras, rest, posed, range); });
  const std::vector<bool> is_far = far_centred(job, set_centres);
  if (!is_far.empty()) skin_by_rule(job, posed, is_far);
}

template <class Value>
bool is_all_finite(std::span<const Value> values) {
  return std::all_of(values.begin(), values.end(), [](const Value& value) { return is_finite(value); });
}

// False where floats overflowed, or where the terms that were added up are so much larger than their sum that
// rounding shows: a mesh bound far from the origin of its skin, and posed near that of the world.
bool is_sound(const PoseJob& job, const Surface& posed) {
  if (!is_all_finite<Vec3>(posed.points) || !is_all_finite<Vec3>(posed.normals)) return false;
  const double reach = largest_point(job.rest.points);
  double largest_term = 0;
  for (const Index slot : job.prepared.used_slots) {
    const Affined& joint = job.palette[static_cast<std::size_t>(slot)];
    const double entry =
        std::max({largest_of(joint.linear.x), largest_of(joint.linear.y), largest_of(joint.linear.z)});
    largest_term = std::max(largest_term, entry * reach + largest_of(joint.translation));
  }
  return largest_term <= kMostCancelled * largest_point(posed.points);
}

// ---- Stages -------------------------------------------------------------------------------------------

// Points alone: normals and tangents are measured later.
void skin_points_directly(const PoseJob& job, Surface& posed) {
  const PreparedMesh& prepared = job.prepared;
  const std::size_t count = prepared.point_count();
  const RestSurface rest{std::span(job.rest.points).first(count), {}, {}};
  const PosedSurface wanted{std::span(posed.points).first(count), {}, {}};
  RestBlocks shaped;
  if (job.is_shaped) set_rest_blocks(rest, shaped);
  const RestBlocks& blocks = job.is_shaped ? shaped : prepared.rest_blocks;
  DirectDeltaMushPalette palette;
  set_direct_delta_mush_palette(job.palette, palette);
  for_ranges(count, [&](PointRange range) {
    skin_direct_delta_mush(prepared.direct_blocks, palette, blocks, wanted, range);
  });
  if (!is_sound(job, posed))
    skin_direct_delta_mush_reference(prepared.direct_delta_mush, job.palette, rest, wanted);
}

void skin_entries(const PoseJob& job, Surface& posed) {
  const PreparedMesh& prepared = job.prepared;
  if (prepared.is_skinned && job.options.stack.skin == SkinMethod::direct_delta_mush)
    return skin_points_directly(job, posed);
  PosedSurface wanted{posed.points, posed.normals, posed.tangents};
  if (prepared.turns) wanted.normals = {}, wanted.tangents = {};  // measured later
  if (prepared.is_on_kernel) {
    skin_on_kernel(job, wanted);
    if (is_sound(job, posed)) return;
  }
  skin_by_rule(job, wanted);
}

// How much each point's neighbourhood grows, and where it is mirrored; empty where nothing asks.
std::vector<float> scales_of(const PoseJob& job) {
  if (!job.prepared.turns) return {};
  std::vector<float> scales(job.prepared.point_count());
  blended_scales(job.prepared.mesh->weights, job.palette, scales);
  return scales;
}

void run_posed_stages(const PoseJob& job, std::span<const float> scales, Surface& posed) {
  const PreparedMesh& prepared = job.prepared;
  const std::size_t count = prepared.point_count();
  DeltaMushScratch scratch;
  const auto points = std::span(posed.points).first(count);
  for (const DeltaMush& mush : prepared.posed) {
    if (!job.is_shaped) {
      apply_delta_mush(mush, scales, points, scratch);
      continue;
    }
    DeltaMush shaped = mush;
    set_rest(shaped, std::span(job.rest.points).first(count), scratch);
    apply_delta_mush(shaped, scales, points, scratch);
  }
}

void measure_turns(const PoseJob& job, std::span<const float> scales, Surface& posed) {
  if (!job.prepared.turns || (posed.normals.empty() && posed.tangents.empty())) return;
  SurfaceTurnsScratch scratch;
  turn_surface(*job.prepared.turns, job.rest_view(), posed.points, scales,
               {{}, posed.normals, posed.tangents}, scratch);
}

// `stage` is what moved the points last.
Status check_range(const PreparedMesh& prepared, std::span<const Vec3> points, const char* stage) {
  const auto is_bad = [](const Vec3& point) { return !is_finite(point); };
  const auto bad = std::find_if(points.begin(), points.end(), is_bad);
  if (bad == points.end()) return Done{};
  return Error{Errc::bad_rig, fmt::format("mesh {}: {} takes point {} out of the range of numbers",
                                          quoted_name(prepared.mesh->name), stage,
                                          prepared.point_of(static_cast<std::size_t>(bad - points.begin())))};
}

}  // namespace

bool is_turned_inside_out(const PreparedMesh& prepared, std::span<const Affined> palette) {
  if (!prepared.is_skinned) return determinant(palette.front().linear) < 0;
  const std::vector<Index>& slots = prepared.used_slots;
  return !slots.empty() && std::all_of(slots.begin(), slots.end(), [&](Index slot) {
    return determinant(palette[static_cast<std::size_t>(slot)].linear) < 0;
  });
}

Result<Surface> pose_entries(const PreparedMesh& prepared, const DeformOptions& options,
                             std::span<const Affined> palette, std::span<const float> shape_weights) {
  const bool is_shaped =
      std::any_of(shape_weights.begin(), shape_weights.end(), [](float weight) { return weight != 0; });
  Surface shaped;
  if (is_shaped) shaped = entry_surface(prepared, shaped_surface(*prepared.mesh, shape_weights));
  const PoseJob job{prepared, options, palette, is_shaped ? shaped : prepared.rest, is_shaped};
  Surface posed;
  posed.points.resize(job.rest.points.size());
  posed.normals.resize(job.rest.normals.size());
  posed.tangents.resize(job.rest.tangents.size());
  skin_entries(job, posed);
  if (Status s = check_range(prepared, posed.points, "the pose"); !s) return s.error();
  if (!prepared.is_skinned) return posed;
  const std::vector<float> scales = scales_of(job);
  if (!prepared.posed.empty()) {
    run_posed_stages(job, scales, posed);
    if (Status s = check_range(prepared, posed.points, "delta mush"); !s) return s.error();
  }
  measure_turns(job, scales, posed);
  return posed;
}

}  // namespace dermis
