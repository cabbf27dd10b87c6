// SPDX-License-Identifier: MIT
// A quick look at a skin in motion: weights that bleed, and surfaces torn when joints bend.
#include <algorithm>
#include <cmath>

#include "measure/quality.h"

namespace dermis {
namespace {

// An edge that changes by more than its own length is torn rather than bent.
constexpr float kTorn = 1;

}  // namespace

Result<SkinInMotion> measure_skin_in_motion(const Character& character, const Progress& progress) {
  return without_throwing("bending joints", [&]() -> Result<SkinInMotion> {
    SkinInMotion found;
    const std::vector<SkinnedMesh> shown = skinned_meshes(character);
    const Coverage coverage = measure_coverage(character, shown);
    if (coverage.point_count == 0) return found;
    const Bleed bleed = measure_bleed(character, shown, rest_world(character));
    found.bleeding = static_cast<double>(bleed.count) / static_cast<double>(coverage.point_count);
    const Result<Deformer> deformer = prepare_deformer(character, {});
    if (!deformer) return deformer.error();
    const Result<PoseFrame> rest = pose_frame(character, {});
    if (!rest) return rest.error();
    std::vector<RangePose> bends = held_bends(character);
    std::erase_if(bends, [](const RangePose& bend) { return bend.angle < 0; });
    for (std::size_t m = 0; m < shown.size(); ++m) {
      const Mesh& mesh = character.meshes[at(shown[m].mesh)];
      const MeasuredSurface surface = measured_surface(mesh);
      DeformState state;
      Surface still, bent;
      if (Status posed = pose_surface(*deformer, *rest, shown[m].instance, state, still); !posed)
        return posed.error();
      std::vector<bool> is_torn(surface.triangle_count());
      for (std::size_t k = 0; k < bends.size(); ++k) {
        const double fraction =
            (static_cast<double>(m) + static_cast<double>(k) / static_cast<double>(bends.size())) /
            static_cast<double>(shown.size());
        if (Status going = progress.at("bending joints", fraction); !going) return going.error();
        const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &bends[k].pose});
        if (!frame) return frame.error();
        if (Status posed = pose_surface(*deformer, *frame, shown[m].instance, state, bent); !posed)
          return posed.error();
        const Strain strain = measure_strain(surface, still.points, bent.points);
        for (std::size_t t = 0; t < is_torn.size(); ++t)
          if (strain.is_measured[t] && std::abs(strain.edge[t]) > kTorn) is_torn[t] = true;
      }
      const auto torn = static_cast<double>(std::count(is_torn.begin(), is_torn.end(), true));
      found.torn = std::max(found.torn, torn / static_cast<double>(std::max<std::size_t>(is_torn.size(), 1)));
    }
    return found;
  });
}

}  // namespace dermis
