// SPDX-License-Identifier: MIT
// Direct delta mush as a skin stage, delta mush as a posed one.
#include "deform/skin_stage.h"

namespace dermis {
namespace {

// ---- Direct delta mush --------------------------------------------------------------------------------

struct DirectState final : StageState {
  RestBlocks moved_rest;
  PackedDirectJoints joints;
};

// Only points: normals and tangents are measured.
class DirectDeltaMushStage final : public Stage {
 public:
  DirectDeltaMushStage(const StageInput& input, DirectDeltaMush mush, DirectDeltaMushBlocks blocks)
      : character_(*input.character),
        point_count_(mesh_of(input).points.size()),
        used_slots_(input.used_slots),
        mush_(std::move(mush)),
        blocks_(std::move(blocks)) {
    set_rest_blocks({mesh_of(input).points, {}, {}}, rest_blocks_);
  }

  std::unique_ptr<StageState> make_state() const override { return std::make_unique<DirectState>(); }

  Status apply(const PoseFrame& frame, Surface& surface, StageState& state_) const override {
    DirectState& state = static_cast<DirectState&>(state_);
    const std::span<const Affined> palette = palette_of(character_, frame, state.instance);
    const RestSurface rest{std::span(state.rest->points).first(point_count_), {}, {}};
    const PosedSurface wanted{std::span(surface.points).first(point_count_), {}, {}};
    if (state.is_rest_moved) set_rest_blocks(rest, state.moved_rest);
    const RestBlocks& blocks = state.is_rest_moved ? state.moved_rest : rest_blocks_;
    pack_direct_joints(palette, state.joints);
    for_kernel_ranges(point_count_, [&](PointRange range) {
      skin_direct_delta_mush(blocks_, state.joints, blocks, wanted, range);
    });
    if (!is_sound(palette, used_slots_, rest.points, wanted))
      skin_direct_delta_mush_reference(mush_, palette, rest, wanted);
    return Done{};
  }

 private:
  const Character& character_;
  std::size_t point_count_;
  std::span<const Index> used_slots_;
  DirectDeltaMush mush_;
  DirectDeltaMushBlocks blocks_;
  RestBlocks rest_blocks_;
};

// ---- Delta mush ---------------------------------------------------------------------------------------

struct MushState final : StageState {
  DeltaMushScratch scratch;
  std::vector<Vec3> deltas;  // of the moved rest
};

class DeltaMushStage final : public Stage {
 public:
  explicit DeltaMushStage(DeltaMush mush) : mush_(std::move(mush)) {}

  std::unique_ptr<StageState> make_state() const override { return std::make_unique<MushState>(); }

  Status apply(const PoseFrame& /*frame*/, Surface& surface, StageState& state_) const override {
    MushState& state = static_cast<MushState&>(state_);
    const std::span<Vec3> points = std::span(surface.points).first(mush_.point_count);
    std::span<const Vec3> deltas;
    if (state.is_rest_moved) {
      set_deltas(mush_, std::span(state.rest->points).first(mush_.point_count), state.scratch, state.deltas);
      deltas = state.deltas;
    }
    apply_delta_mush(mush_, state.scales, points, state.scratch, deltas);
    return Done{};
  }

 private:
  DeltaMush mush_;
};

}  // namespace

Result<PreparedStage> prepare_direct_delta_mush_stage(const StageInput& input, const Progress& progress) {
  const Mesh& mesh = mesh_of(input);
  Result<DirectDeltaMush> mush = prepare_direct_delta_mush(mesh, direct_delta_mush_options(mesh), progress);
  if (!mush) return mush.error();
  Result<DirectDeltaMushBlocks> blocks = prepare_direct_delta_mush_blocks(*mush);
  if (!blocks) return blocks.error();
  return PreparedStage{
      std::make_shared<const DirectDeltaMushStage>(input, std::move(*mush), std::move(*blocks)), {}};
}

Result<PreparedStage> prepare_delta_mush_stage(const StageInput& input, const Progress& /*progress*/) {
  const Mesh& mesh = mesh_of(input);
  DeltaMushOptions options;
  if (const std::optional<double> iterations = input.use->value_of("iterations")) {
    options.iterations = static_cast<int>(*iterations);
  } else {
    options = delta_mush_options(mesh);
  }
  Result<DeltaMush> mush = prepare_delta_mush(mesh, options);
  if (!mush) return mush.error();
  return PreparedStage{std::make_shared<const DeltaMushStage>(std::move(*mush)), {}};
}

}  // namespace dermis
