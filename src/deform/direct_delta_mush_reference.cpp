// SPDX-License-Identifier: MIT
// The plain reference of direct delta mush at pose time, one point at a time, in double.

#include "deform/joint_motion.h"
#include "deform/sizes.h"
#include "deform/skinning.h"
#include "dermis/deform.h"

namespace dermis {
namespace {

constexpr std::size_t kPointGrain = 1024;

struct Omega {
  Mat3d second;       // A
  Vec3d first;        // c
  double zeroth = 0;  // d

  explicit Omega(const float* n)
      : second({n[0], n[1], n[2]}, {n[1], n[3], n[4]}, {n[2], n[4], n[5]}),
        first{n[6], n[7], n[8]},
        zeroth(n[9]) {}
};

class DirectBlend {
 public:
  DirectBlend(const DirectDeltaMush& mush, std::span<const Affined> palette)
      : mush_(mush), palette_(palette), motions_(joint_motions(palette)) {}

  void write(std::size_t v, const RestSurface& rest, const PosedSurface& posed) const {
    const Vec3d point(rest.points[v]);
    const std::size_t heaviest = heaviest_slot(v);
    const Affined& base = palette_[heaviest];
    // The point with the heaviest joint alone, and what the others add.
    Mat3d linear = base.linear;
    Vec3d moved = base * point;
    if (!moves_as_one(v, base)) {
      const Local local = local_at(v, heaviest);
      linear = local.linear;
      moved += (linear - base.linear) * (point - Vec3d(mush_.centre[v])) + local.shift;
    }
    LocalMap<double> map;
    map.posed_from_rest.linear = linear;
    map.posed_from_rest_normal = outward_cofactor(linear);
    map.heaviest_normal = outward_cofactor(base.linear);
    map.is_mirrored = determinant(linear) < 0;
    Vec3d normal;
    if (!rest.normals.empty()) normal = posed_normal(map, Vec3d(rest.normals[v]));
    if (!posed.tangents.empty()) posed.tangents[v] = posed_tangent(map, rest.tangents[v], normal);
    if (!posed.normals.empty()) posed.normals[v] = Vec3(normal);
    if (!posed.points.empty()) posed.points[v] = Vec3(moved);
  }

 private:
  struct Local {
    Mat3d linear;  // R S
    Vec3d shift;   // of the smoothed point, against the heaviest joint's
  };

  std::size_t slot(std::size_t entry) const { return static_cast<std::size_t>(mush_.slots[entry]); }
  Omega omega(std::size_t entry) const { return Omega(&mush_.omega[entry * kOmegaSize]); }

  std::size_t heaviest_slot(std::size_t v) const {
    std::size_t heaviest = mush_.first[v];
    for (std::size_t e = mush_.first[v] + 1; e < mush_.first[v + 1]; ++e) {
      if (omega(e).zeroth > omega(heaviest).zeroth) heaviest = e;
    }
    return slot(heaviest);
  }

  bool moves_as_one(std::size_t v, const Affined& base) const {
    for (std::size_t e = mush_.first[v]; e < mush_.first[v + 1]; ++e) {
      if (!(palette_[slot(e)] == base)) return false;
    }
    return true;
  }

  // Everything against the heaviest joint: c adds up to zero and d to one, so its share may be taken out of
  // the sums, and what is left is small where joints move nearly alike.
  Local local_at(std::size_t v, std::size_t heaviest) const {
    const Affined& base = palette_[heaviest];
    const Vec3d centre(mush_.centre[v]);
    Mat3d fit = diagonal(Vec3d{}), stretch = motions_[heaviest].stretch;
    Vec3d shift;
    for (std::size_t e = mush_.first[v]; e < mush_.first[v + 1]; ++e) {
      const Omega o = omega(e);
      const Affined& joint = palette_[slot(e)];
      const Mat3d turned = joint.linear - base.linear;
      const Vec3d carried = turned * centre + (joint.translation - base.translation);
      fit = fit + joint.linear * o.second + outer(carried, o.first);
      stretch = stretch + (motions_[slot(e)].stretch - motions_[heaviest].stretch) * o.zeroth;
      shift += turned * o.first + carried * o.zeroth;
    }
    return {polar(fit * stretch).rotation * stretch, shift};
  }

  const DirectDeltaMush& mush_;
  std::span<const Affined> palette_;
  std::vector<JointMotion> motions_;
};

}  // namespace

void skin_direct_delta_mush_reference(const DirectDeltaMush& mush, std::span<const Affined> palette,
                                      RestSurface rest, PosedSurface posed) {
  const std::size_t count = rest.points.size();
  const auto is_all_or_none = [&](std::size_t size) { return size == 0 || size == count; };
  require(count == 0 || (mush.first.size() == count + 1 && mush.centre.size() == count));
  require(mush.omega.size() == mush.slots.size() * kOmegaSize);
  require(is_all_or_none(rest.normals.size()) && is_all_or_none(rest.tangents.size()));
  require(is_all_or_none(posed.points.size()));
  require(posed.normals.empty() || posed.normals.size() == rest.normals.size());
  require(posed.tangents.empty() || posed.tangents.size() == rest.tangents.size());
  const DirectBlend blend(mush, palette);
  parallel_for(count, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) blend.write(v, rest, posed);
  });
}

}  // namespace dermis
