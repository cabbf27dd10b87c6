// SPDX-License-Identifier: MIT
// The skinning methods that have a kernel, as stages: what each prepares and reads besides the weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "deform/skin_stage.h"
#include "deform/weight_gradients.h"

namespace dermis {
namespace {

// ---- Linear -------------------------------------------------------------------------------------------

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

class LbsStage : public SkinStage {
 public:
  using SkinStage::prepare;

 private:
  std::unique_ptr<Rule> rule(const SkinPose& pose, const ReferenceOptions& options) const final {
    return std::make_unique<LinearRule>(pose.palette, options);
  }
  bool stretches_about_origin() const final { return false; }
};

class RigidStage final : public LbsStage {
  bool is_rigid() const override { return true; }
};

// ---- Turning ------------------------------------------------------------------------------------------

class QuaternionStage final : public SkinStage {
 public:
  using SkinStage::prepare;

 private:
  std::unique_ptr<Rule> rule(const SkinPose& pose, const ReferenceOptions& options) const override {
    return quaternion_rule(pose.palette, options);
  }
};

class LogMatrixStage final : public SkinStage {
 public:
  using SkinStage::prepare;

 private:
  std::unique_ptr<Rule> rule(const SkinPose& pose, const ReferenceOptions& options) const override {
    return log_matrix_rule(pose.palette, options);
  }
};

class DqsStage final : public SkinStage {
 public:
  // `axis_points` of the entries; empty without bulge correction.
  Status prepare(const StageInput& input, float bulge_correction, std::vector<Vec3> axis_points) {
    bulge_correction_ = bulge_correction;
    axis_points_ = std::move(axis_points);
    return SkinStage::prepare(input);
  }

 private:
  bool has_kernel() const override { return bulge_correction_ == 0; }
  std::unique_ptr<Rule> rule(const SkinPose& pose, const ReferenceOptions& options) const override {
    return dqs_rule(pose.palette, options, {bulge_correction_, axis_points_});
  }
  float bulge_correction_ = 0;
  std::vector<Vec3> axis_points_;
};

class SphericalStage final : public SkinStage {
 public:
  Status prepare(const StageInput& input) {
    if (Status s = SkinStage::prepare(input); !s) return s;
    if (is_on_kernel()) sets_ = joint_sets(rows_of_entries(input));
    return Done{};
  }

 private:
  std::unique_ptr<Rule> rule(const SkinPose& pose, const ReferenceOptions& options) const override {
    return spherical_rule(mesh().weights, pose.palette, options);
  }
  KernelExtras extras(const SkinPose& pose) const override {
    set_rotation_centres(sets_, pose.palette, pose.state.centres);
    KernelExtras extras;
    extras.sets = &sets_;
    extras.set_centres = pose.state.centres.values;
    return extras;
  }

  // Entries that rotate about a very distant centre, as for joints that are apart and hardly rotate relative
  // to each other: next to it, floats would lose the point.
  void mend(const SkinPose& pose) const override {
    SkinState& state = pose.state;
    const double farthest = kMostCancelled * largest_coordinate(pose.rest.points);
    const std::span<const float> centres = state.centres.values;
    state.is_far_set.resize(centres.size() / 4);
    bool is_any_far = false;
    for (std::size_t s = 0; s < state.is_far_set.size(); ++s) {
      const float* centre = centres.data() + s * 4;
      const float largest = std::max({std::abs(centre[0]), std::abs(centre[1]), std::abs(centre[2])});
      const bool is_far = !(static_cast<double>(largest) <= farthest);
      state.is_far_set[s] = is_far ? 1 : 0;
      is_any_far = is_any_far || is_far;
    }
    if (!is_any_far) return;
    state.is_far_entry.resize(entry_count());
    for (std::size_t k = 0; k < state.is_far_entry.size(); ++k)
      state.is_far_entry[k] = state.is_far_set[sets_.set_of_point[k]];
    skin_by_rule(pose, state.is_far_entry);
  }

  JointSets sets_;
};

class LbsDqsStage final : public SkinStage {
 public:
  Status prepare(const StageInput& input) {
    std::vector<float> share = mesh_of(input).dqs_share;
    if (share.empty()) share.assign(mesh_of(input).points.size(), kUnsaidDqsShare);
    share_ = for_entries(input, std::move(share));
    return SkinStage::prepare(input);
  }

 private:
  std::unique_ptr<Rule> rule(const SkinPose& pose, const ReferenceOptions& options) const override {
    return lbs_dqs_rule(pose.palette, share_, options);
  }
  KernelExtras extras(const SkinPose& /*pose*/) const override {
    KernelExtras extras;
    extras.dqs_share = share_;
    return extras;
  }
  std::vector<float> share_;
};

// ---- Centres of rotation ------------------------------------------------------------------------------

class CorStage final : public SkinStage {
 public:
  Status prepare(const StageInput& input, std::vector<Vec3> centres) {
    centres_ = for_entries(input, std::move(centres));
    if (Status s = SkinStage::prepare(input); !s) return s;
    if (is_on_kernel()) set_rest_blocks({centres_, {}, {}}, centre_blocks_);
    if (is_exact()) gradients_ = centre_gradients(mesh(), mesh().points, point_centres());
    return Done{};
  }

 private:
  bool stretches_about_origin() const override { return false; }
  std::unique_ptr<Rule> rule(const SkinPose& pose, const ReferenceOptions& options) const override {
    const bool is_moved = is_exact() && pose.state.is_rest_moved;
    if (is_moved) {
      const std::span<const Vec3> points(pose.rest.points);
      pose.state.centre_gradients = centre_gradients(mesh(), points.first(point_count()), point_centres());
    }
    return cor_rule(pose.palette, centres_, options, is_moved ? pose.state.centre_gradients : gradients_);
  }
  KernelExtras extras(const SkinPose& /*pose*/) const override {
    KernelExtras extras;
    extras.centres = &centre_blocks_;
    return extras;
  }
  std::span<const Vec3> point_centres() const { return std::span(centres_).first(point_count()); }

  std::vector<Vec3> centres_;
  RestBlocks centre_blocks_;
  std::vector<Mat3> gradients_;  // of the centres, in mode exact
};

// A point that is its own centre in prepare_cor gives no information about its limb.
void drop_own_centres(const Mesh& mesh, std::vector<Vec3>& centres) {
  constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t v = 0; v < centres.size(); ++v) {
    if (centres[v] == mesh.points[v]) centres[v] = {kNowhere, kNowhere, kNowhere};
  }
}

// Points with several joints that are their own centre in prepare_cor: no surface near them follows two of
// their joints.
void note_no_centres(const StageInput& input, std::span<const Vec3> centres, const char* effect,
                     Notes& notes) {
  const Mesh& mesh = mesh_of(input);
  std::size_t count = 0;
  for (std::size_t v = 0; v < centres.size(); ++v)
    count += mesh.weights.row(v).size() > 1 && centres[v] == mesh.points[v] ? 1 : 0;
  if (count == 0 || mesh.polygons.count() == 0) return;  // a mesh without polygons has its own note
  notes.push_back(
      {Note::Kind::info, "no-centres",
       fmt::format("{}: near {} of {} no surface follows two of their joints, so {}",
                   named_mesh(*input.character, input.mesh),
                   count == 1 ? "1 point" : fmt::format("{} points", count), mesh.points.size(), effect),
       "mesh", input.mesh, kNone, count});
}

template <class Method>
Result<PreparedStage> prepared_plainly(const StageInput& input) {
  auto stage = std::make_shared<Method>();
  if (Status s = stage->prepare(input); !s) return s.error();
  return PreparedStage{std::move(stage), {}};
}

}  // namespace

Result<PreparedStage> prepare_rigid(const StageInput& input, const Progress& /*progress*/) {
  return prepared_plainly<RigidStage>(input);
}

Result<PreparedStage> prepare_lbs(const StageInput& input, const Progress& /*progress*/) {
  return prepared_plainly<LbsStage>(input);
}

Result<PreparedStage> prepare_dqs(const StageInput& input, const Progress& progress) {
  const float part = static_cast<float>(input.use->value_of("bulge_correction").value_or(0));
  PreparedStage prepared;
  std::vector<Vec3> axis_points;
  if (part != 0) {
    Result<CorCentres> cor = prepare_cor(mesh_of(input), {}, progress);
    if (!cor) return cor.error();
    prepared.without_surface = "the bulge correction changes nothing";
    note_no_centres(input, cor->centres, "the bulge correction leaves them as they are", prepared.notes);
    drop_own_centres(mesh_of(input), cor->centres);
    axis_points = std::move(cor->centres);
  }
  auto stage = std::make_shared<DqsStage>();
  if (Status s = stage->prepare(input, part, std::move(axis_points)); !s) return s.error();
  prepared.stage = std::move(stage);
  return prepared;
}

Result<PreparedStage> prepare_quaternion(const StageInput& input, const Progress& /*progress*/) {
  return prepared_plainly<QuaternionStage>(input);
}

Result<PreparedStage> prepare_log_matrix(const StageInput& input, const Progress& /*progress*/) {
  return prepared_plainly<LogMatrixStage>(input);
}

Result<PreparedStage> prepare_spherical(const StageInput& input, const Progress& /*progress*/) {
  return prepared_plainly<SphericalStage>(input);
}

Result<PreparedStage> prepare_lbs_dqs(const StageInput& input, const Progress& /*progress*/) {
  Result<PreparedStage> prepared = prepared_plainly<LbsDqsStage>(input);
  if (!prepared || !mesh_of(input).dqs_share.empty()) return prepared;
  prepared->notes.push_back(
      {Note::Kind::guess, "no-dqs-share",
       fmt::format("{} has no shares of dqs (in a glTF extras.dermis.dqs_share of its primitives, an "
                   "accessor index), so lbs_dqs uses half lbs and half dqs at every point",
                   named_mesh(*input.character, input.mesh)),
       "mesh", input.mesh});
  return prepared;
}

Result<PreparedStage> prepare_cor_stage(const StageInput& input, const Progress& progress) {
  Result<CorCentres> cor = prepare_cor(mesh_of(input), {}, progress);
  if (!cor) return cor.error();
  PreparedStage prepared;
  note_no_centres(input, cor->centres, "cor blends them linearly", prepared.notes);
  auto stage = std::make_shared<CorStage>();
  if (Status s = stage->prepare(input, std::move(cor->centres)); !s) return s.error();
  prepared.stage = std::move(stage);
  return prepared;
}

}  // namespace dermis
