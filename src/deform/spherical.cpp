// SPDX-License-Identifier: MIT
// Spherical blend skinning (Kavan and Zara 2005).
#include <map>

#include "deform/blend_rule.h"
#include "deform/rotation_centres.h"

namespace dermis {
namespace {

class SphericalRule final : public BlendRule {
 public:
  SphericalRule(const WeightRows& rows, std::span<const Affined> palette, const ReferenceOptions& options)
      : BlendRule(palette, options), joints_(palette) {
    for (std::vector<std::uint32_t>& set : joint_sets(rows).sets) {
      const Vec3d centre = rotation_centre(joints_.motions(), set);
      centres_.emplace(std::move(set), centre);
    }
  }

 private:
  Blend blend(std::size_t, Mixture mixture) const override {
    const Vec3d centre = centre_of(mixture);
    const Mat3d turn = matrix_from_quat(joints_.turn(mixture));
    // Linear blending of the rigid parts moves the centre. It is computed relative to the heaviest joint's
    // result: weights are floats, and the error of their sum would be multiplied by a distant centre.
    const Vec3d with_heaviest = carried(mixture.front(), centre);
    Vec3d posed_centre = with_heaviest;
    for (const Weighted& w : mixture.subspan(1)) {
      posed_centre += (carried(w, centre) - with_heaviest) * w.weight;
    }
    return joints_.stretched_then({turn, posed_centre - turn * centre}, mixture);
  }

  Vec3d carried(const Weighted& w, const Vec3d& centre) const {
    const JointMotion& motion = joints_.motion(w.slot);
    return rotate(motion.rotation, centre) + motion.translation;
  }

  Vec3d centre_of(Mixture mixture) const {
    std::vector<std::uint32_t> set;
    for (const Weighted& w : mixture) set.push_back(static_cast<std::uint32_t>(w.slot));
    std::sort(set.begin(), set.end());
    const auto known = centres_.find(set);
    return known != centres_.end() ? known->second : rotation_centre(joints_.motions(), set);
  }

  TurningJoints joints_;
  std::map<std::vector<std::uint32_t>, Vec3d> centres_;
};

}  // namespace

std::unique_ptr<Rule> spherical_rule(const WeightRows& rows, std::span<const Affined> palette,
                                     const ReferenceOptions& options) {
  return std::make_unique<SphericalRule>(rows, palette, options);
}

void skin_spherical_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                              PosedSurface posed, const ReferenceOptions& options) {
  skin_by_rule(SphericalRule(rows, palette, options), rows, rest, posed, options);
}

}  // namespace dermis
