// SPDX-License-Identifier: MIT
// What moves an instance without a skin: one transform for all points, in double.
#include "deform/skinning.h"
#include "deform/stages.h"

namespace dermis {
namespace {

class NodeStage final : public Stage {
 public:
  NodeStage(const Character& character, NormalMode normals) : character_(character), normals_(normals) {}

  Status apply(const PoseFrame& frame, Surface& surface, StageState& state) const override {
    const Index node = character_.instances[static_cast<std::size_t>(state.instance)].node;
    const Surface& from = *state.rest;
    struct Job {
      LocalMap<double> map;
      RestSurface rest;
      PosedSurface posed;
    } const job{one_joint_map(frame.world_from_node[static_cast<std::size_t>(node)], normals_),
                {from.points, from.normals, from.tangents},
                {surface.points, surface.normals, surface.tangents}};
    constexpr std::size_t kGrain = 1024;
    parallel_for(from.points.size(), kGrain, [&job](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) write_point(job.map, v, job.rest, job.posed);
    });
    return Done{};
  }

 private:
  const Character& character_;
  NormalMode normals_;
};

}  // namespace

std::shared_ptr<const Stage> node_stage(const StageInput& input) {
  return std::make_shared<const NodeStage>(*input.character, input.normals);
}

}  // namespace dermis
