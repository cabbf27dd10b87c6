// SPDX-License-Identifier: MIT
// Left and right of a skin: points paired as for mirroring, and how their weights differ.
#include <algorithm>

#include "measure/check.h"
#include "measure/quality.h"

namespace dermis {
namespace {

// Mirrored points are floats again: beyond this they might not be finite.
constexpr double kHuge = 1e30;
// If fewer points are paired, the body is not symmetric, and its weights need not be.
constexpr double kLeastPaired = 0.5;

// The rows of a body by its joints.
class BodyRows {
 public:
  BodyRows(const Character& character, const SkinnedBody& body) : character_(character), body_(body) {
    part_.reserve(body.points.size());
    for (std::size_t k = 0; k < body.parts.size(); ++k)
      part_.resize(part_.size() + character.meshes[at(body.parts[k].mesh)].points.size(), k);
  }

  const SkinnedBody::Part& part(std::size_t p) const { return body_.parts[part_[p]]; }
  std::size_t point(std::size_t p) const { return p - part(p).first_point; }

  std::vector<Influence> row(std::size_t p) const {
    const SkinnedBody::Part& own = part(p);
    const std::span<const Influence> slots = character_.meshes[at(own.mesh)].weights.row(point(p));
    std::vector<Influence> row(slots.begin(), slots.end());
    for (Influence& one : row) one.slot = own.joint[at(one.slot)];
    return row;
  }

 private:
  const Character& character_;
  const SkinnedBody& body_;
  std::vector<std::size_t> part_;  // of each point
};

// The row with every joint mirrored; empty if one has no pair.
std::vector<Influence> mirrored_row(std::vector<Influence> row, const MirroredSkin& skin) {
  for (Influence& influence : row) {
    influence.slot = skin.mirror[at(influence.slot)];
    if (influence.slot == kNone) return {};
  }
  return row;
}

// Results gathered over all bodies.
struct Gathered {
  std::vector<float> difference;
  std::vector<std::pair<Index, Index>> place;  // mesh and point
  std::vector<bool> is_unpaired;               // nodes that points follow
};

// Points that are paired only roughly are not compared: on a slope of the weights they differ anyway.
void compare_sides(const Character& character, const SkinnedBody& body, const MirroredSkin& joints,
                   const std::vector<bool>& is_shown, Symmetry& symmetry, Gathered& gathered) {
  const MirrorPairs pairs =
      pair_mirror_points(body.points, body.weld, body.polygons.first, body.polygons.corners, joints.plane);
  const BodyRows rows(character, body);
  for (std::size_t p = 0; p < body.points.size(); ++p) {
    if (!is_shown[at(rows.part(p).mesh)]) continue;
    const std::vector<Influence> row = rows.row(p);
    for (const Influence& one : row) {
      if (joints.mirror[at(one.slot)] == kNone)
        gathered.is_unpaired[at(body.joints.node[at(one.slot)])] = true;
    }
    const std::vector<Influence> expected = mirrored_row(row, joints);
    const bool is_paired = pairs.match[p] == MirrorMatch::exact || pairs.match[p] == MirrorMatch::walked;
    if (!is_paired || expected.empty()) {
      ++symmetry.unpaired_point_count;
      continue;
    }
    gathered.difference.push_back(
        static_cast<float>(weight_difference(expected, rows.row(at(pairs.image[p])))));
    gathered.place.emplace_back(rows.part(p).mesh, static_cast<Index>(rows.point(p)));
  }
}

}  // namespace

Symmetry measure_symmetry(const Character& character, const std::vector<SkinnedMesh>& shown) {
  Symmetry symmetry;
  Gathered gathered;
  gathered.is_unpaired.assign(character.nodes.size(), false);
  std::vector<bool> is_shown(character.meshes.size(), false);
  for (const SkinnedMesh& one : shown) is_shown[at(one.mesh)] = true;
  for (const SkinnedBody& body : skinned_bodies(character)) {
    Box box;
    for (const Vec3& p : body.points) box.add(Vec3d(p));
    const double size = box.diagonal();
    if (body.points.empty() || !(size < kHuge)) continue;
    const std::optional<MirrorPlane> between = plane_between_sides(character, body.joints, size);
    if (!between) continue;
    const MirroredSkin joints =
        mirror_skin(character, body.joints, fit_mirror_plane(body.points, *between), size);
    compare_sides(character, body, joints, is_shown, symmetry, gathered);
  }
  for (std::size_t n = 0; n < gathered.is_unpaired.size(); ++n) {
    if (gathered.is_unpaired[n]) symmetry.unpaired_joints.push_back(static_cast<Index>(n));
  }
  symmetry.difference = spread_of(gathered.difference);
  const auto paired = static_cast<double>(symmetry.difference.count);
  symmetry.is_judged =
      paired > 0 && paired >= kLeastPaired * (paired + static_cast<double>(symmetry.unpaired_point_count));
  if (symmetry.difference.count > 0) {
    symmetry.mesh = gathered.place[symmetry.difference.worst].first;
    symmetry.point = gathered.place[symmetry.difference.worst].second;
  }
  return symmetry;
}

}  // namespace dermis
