// SPDX-License-Identifier: MIT
// Left and right of a skin: points paired by position, and how their weights differ.
#include <algorithm>
#include <map>

#include "measure/check.h"
#include "measure/quality.h"

namespace dermis {
namespace {

// As a fraction of the size of the skin: how near a point must be to the mirror image of another.
constexpr double kPointTolerance = 1e-3;
// Mirrored points are floats again: beyond this they might not be finite.
constexpr double kHuge = 1e30;
// If fewer points are paired, the body is not symmetric, and its weights need not be.
constexpr double kLeastPaired = 0.5;

// The points of all meshes under one skin.
struct SkinPoints {
  std::vector<Vec3> points;
  std::vector<std::pair<Index, Index>> source;  // mesh and point
  Box box;
};
SkinPoints points_of(const Character& character, const std::vector<SkinnedMesh>& shown, Index skin) {
  SkinPoints all;
  for (const SkinnedMesh& one : shown) {
    if (one.skin != skin) continue;
    const Mesh& mesh = character.meshes[at(one.mesh)];
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      all.points.push_back(mesh.points[v]);
      all.source.emplace_back(one.mesh, static_cast<Index>(v));
      all.box.add(Vec3d(mesh.points[v]));
    }
  }
  return all;
}

// The row with every slot mirrored; empty if one has no pair.
std::vector<Influence> mirrored_row(std::span<const Influence> row, const MirroredSkin& skin) {
  std::vector<Influence> mirrored(row.begin(), row.end());
  for (Influence& influence : mirrored) {
    influence.slot = skin.mirror[at(influence.slot)];
    if (influence.slot == kNone) return {};
  }
  return mirrored;
}

// Results gathered over all skins.
struct Gathered {
  std::vector<float> difference;
  std::vector<std::pair<Index, Index>> place;
};

void compare_sides(const Character& character, const SkinPoints& all, const MirroredSkin& skin,
                   Symmetry& symmetry, Gathered& gathered) {
  std::vector<Vec3> images;
  images.reserve(all.points.size());
  for (const Vec3& p : all.points) images.push_back(Vec3(skin.plane.mirrored(Vec3d(p))));
  const std::vector<Nearest> nearest = nearest_points(images, all.points);
  const auto row = [&](std::size_t v) {
    return character.meshes[at(all.source[v].first)].weights.row(at(all.source[v].second));
  };
  for (std::size_t v = 0; v < all.points.size(); ++v) {
    const std::vector<Influence> expected = mirrored_row(row(v), skin);
    if (nearest[v].distance > kPointTolerance * all.box.diagonal() || expected.empty()) {
      ++symmetry.unpaired_point_count;
      continue;
    }
    gathered.difference.push_back(static_cast<float>(weight_difference(expected, row(nearest[v].point))));
    gathered.place.push_back(all.source[v]);
  }
}

}  // namespace

Symmetry measure_symmetry(const Character& character, const std::vector<SkinnedMesh>& shown) {
  Symmetry symmetry;
  Gathered gathered;
  std::vector<bool> is_unpaired(character.nodes.size(), false);
  std::map<Index, std::vector<bool>> is_used;  // slots of each skin
  for (const SkinnedMesh& one : shown) {
    std::vector<bool>& used = is_used[one.skin];
    used.resize(character.skins[at(one.skin)].node.size(), false);
    for (const Influence& influence : character.meshes[at(one.mesh)].weights.influences)
      used[at(influence.slot)] = true;
  }
  for (const auto& [index, used] : is_used) {
    const SkinPoints all = points_of(character, shown, index);
    if (all.points.empty() || !(all.box.diagonal() < kHuge)) continue;
    const Skin& skin = character.skins[at(index)];
    const double size = all.box.diagonal();
    const std::optional<MirrorPlane> between = plane_between_sides(character, index, size);
    if (!between) continue;
    const MirroredSkin mirrored = mirror_skin(character, index, fit_mirror_plane(all.points, *between), size);
    for (std::size_t s = 0; s < used.size(); ++s) {
      if (used[s] && mirrored.mirror[s] == kNone) is_unpaired[at(skin.node[s])] = true;
    }
    compare_sides(character, all, mirrored, symmetry, gathered);
  }
  for (std::size_t n = 0; n < is_unpaired.size(); ++n) {
    if (is_unpaired[n]) symmetry.unpaired_joints.push_back(static_cast<Index>(n));
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
