// SPDX-License-Identifier: MIT
// Measures the volume that joints lose over the range of motion, under linear blending.
#include "ops/helpers/gains.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "dermis/deform.h"
#include "dermis/measure.h"
#include "dermis/ops/methods.h"

namespace dermis {
namespace {

// The volume at rest that follows each node more than any other.
std::vector<double> volumes_of_nodes(const Character& character) {
  std::vector<double> volumes(character.nodes.size(), 0);
  std::set<std::pair<Index, Index>> seen;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene || instance.skin == kNone) continue;
    if (!seen.insert({instance.mesh, instance.skin}).second) continue;
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    if (mesh.weights.empty()) continue;
    const MeasuredSurface surface = measured_surface(mesh);
    const JointRegions regions = joint_regions(surface, mesh.weights);
    // The mesh in its bind pose; skins may scale it.
    const Skin& skin = character.skins[at(instance.skin)];
    const std::vector<double> bound = region_volumes(surface, regions, mesh.points);
    const std::vector<Affined> world = rest_world(character);
    for (std::size_t r = 0; r < bound.size(); ++r) {
      const Index node = skin.node[at(regions.slots[r])];
      const Affined rest_from_bind = world[at(node)] * Affined(skin.inverse_bind[at(regions.slots[r])]);
      volumes[at(node)] += std::abs(bound[r] * determinant(rest_from_bind.linear));
    }
  }
  return volumes;
}

}  // namespace

Result<RangeOfJoints> range_of_joints(const Character& character, std::vector<Index> joints) {
  RangeOfJoints range;
  range.joints = std::move(joints);
  const auto is_one = [&](Index node) {
    return std::find(range.joints.begin(), range.joints.end(), node) != range.joints.end();
  };
  for (RangePose& pose : range_of_motion(character))
    if (is_one(pose.node)) range.poses.push_back(std::move(pose));
  const std::vector<double> volumes = volumes_of_nodes(character);
  const Subtrees subtrees(character.nodes);
  for (const Index joint : range.joints) {
    Index top = joint;
    for (Index node = joint; node != kNone; node = character.nodes[at(node)].parent)
      if (is_one(node)) top = node;
    double& volume = range.volumes.emplace_back(0);
    for (std::size_t n = 0; n < volumes.size(); ++n)
      if (subtrees.is_in(static_cast<Index>(n), top)) volume += volumes[n];
  }
  return range;
}

Result<std::vector<JointLoss>> measure_losses(const Character& character, const RangeOfJoints& range,
                                              const Progress& progress) {
  const Result<Stack> linear = parse_stack("lbs");
  if (!linear) return linear.error();
  DeformOptions options;
  options.stack = *linear;
  const Result<Deformer> deformer = prepare_deformer(character, options, progress.part(0, 0.2));
  if (!deformer) return deformer.error();
  const Result<Poser> poser = prepare_poser(character);
  if (!poser) return poser.error();
  std::vector<PoseFrame> frames(range.poses.size() + 1);
  if (Status posed = pose(*poser, {}, frames[0]); !posed) return posed.error();
  for (std::size_t p = 0; p < range.poses.size(); ++p)
    if (Status posed = pose(*poser, {kNone, 0, &range.poses[p].pose}, frames[p + 1]); !posed)
      return posed.error();
  const Result<std::vector<double>> volumes = volume_curve(*deformer, frames, progress.part(0.2, 1));
  if (!volumes) return volumes.error();
  std::vector<JointLoss> losses(range.joints.size());
  const double rest = volumes->front();
  for (std::size_t p = 0; p < range.poses.size(); ++p) {
    const auto joint = static_cast<std::size_t>(
        std::find(range.joints.begin(), range.joints.end(), range.poses[p].node) - range.joints.begin());
    if (!(range.volumes[joint] > 0)) continue;
    const double gone = rest - (*volumes)[p + 1];  // negative volumes: polygons are inside out
    const double lost = (rest < 0 ? -gone : gone) / range.volumes[joint];
    double& worst = range.poses[p].movement == Movement::twist ? losses[joint].twist : losses[joint].bend;
    worst = std::max(worst, lost);
  }
  return losses;
}

}  // namespace dermis
