// SPDX-License-Identifier: MIT
// The parts of the quality of a skin, each measured separately.
#pragma once

#include <vector>

#include "dermis/measure.h"

namespace dermis {

// A pair of mesh and skin, however often it is shown: its first instance in the scene.
struct SkinnedMesh {
  Index instance = kNone, mesh = kNone, skin = kNone;
};
std::vector<SkinnedMesh> skinned_meshes(const Character& character);

// After a stop, what bleed and placement hold means nothing: ask the progress.
Coverage measure_coverage(const Character& character, const std::vector<SkinnedMesh>& shown);
// `rest_world` has the rest transform of each node.
Bleed measure_bleed(const Character& character, const std::vector<SkinnedMesh>& shown,
                    const std::vector<Affined>& rest_world, const Progress& progress = {});
// In the bind pose.
Placement measure_placement(const Character& character, const std::vector<SkinnedMesh>& shown,
                            const Progress& progress = {});
Symmetry measure_symmetry(const Character& character, const std::vector<SkinnedMesh>& shown);

// The rest of measure_quality, for skins that were measured at rest.
Result<Quality> measure_bending(const Character& character, SkinsAtRest at_rest, const DeformOptions& options,
                                const Progress& progress);

// How well the bones of a skin, in its bind pose, lie inside the points that follow them. Distances are those
// of the points from the bones they follow, averaged by weight, as fractions of the size of everything
// skinned.
struct BoneFit {
  Index skin = kNone;
  std::size_t point_count = 0;
  double distance = 0;          // as the skin is
  int shift = 0;                // 1 or -1: the better way to shift the joint numbers by one
  double shifted_distance = 0;  // with joint numbers shifted that way
  double offset = 0;          // the length of the mean offset of points from bones, as a fraction of the size
  double moved_distance = 0;  // with the skeleton moved by that offset
  // The size of what follows the skin against that of the box of the joints it follows, in the bind pose; 0
  // if the joints have no size.
  double size_ratio = 0;
};
// After a stop, the result means nothing: ask the progress.
std::vector<BoneFit> fit_bones(const Character& character, const std::vector<SkinnedMesh>& shown,
                               const Progress& progress = {});

// A joint whose palette at rest differs from that of its parent and all its children, which agree; or a joint
// without children, if most others agree: a rest pose that turns a joint turns its children too. Or a joint
// that is at rest far from where its parent's palette carries it from the bind pose: joints stay together.
// Only wrong inverse bind matrices do this.
struct OddBind {
  Index skin = kNone, node = kNone;
  Index mesh = kNone, point = kNone;  // the one that it moves furthest
  double figure = 0;                  // how far: distance times weight, as a fraction of the size
};
// Those that move a point by more than kVisiblePull.
std::vector<OddBind> find_odd_binds(const Character& character, const std::vector<SkinnedMesh>& shown,
                                    const PoseFrame& rest);

// True if every joint that the mesh follows mirrors it: then programs draw the other side of its polygons, as
// glTF asks for nodes with a negative determinant. Where only some joints mirror, they draw the same side
// everywhere.
bool is_mirrored(const Mesh& mesh, std::span<const Affined> palette);

// Which sides of a mesh's triangles are seen from outside at rest: the first hits of rays from 26 directions
// around everything skinned. Fails as build_ray_tree does.
struct SeenSides {
  Index mesh = kNone;
  std::size_t ray_count = 0, back_count = 0;
};
Result<std::vector<SeenSides>> look_around(const Character& character, const std::vector<SkinnedMesh>& shown,
                                           const PoseFrame& rest, const Progress& progress = {});

// The largest growth of an edge that becomes more than kLongTimes as long, in units; 0 if none does.
struct Growth {
  double most = 0;
  std::uint32_t triangle = 0;  // the first that has it
};
// `rest` and `posed` are welded points. Parallel over triangles.
Growth worst_growth(std::span<const SurfaceMesh::Triangle> triangles, std::span<const Vec3> rest,
                    std::span<const Vec3> posed);
// Of the first edge of each triangle; 0 if there is none.
double median_edge(std::span<const SurfaceMesh::Triangle> triangles, std::span<const Vec3> points);

// The worst of some triangles, as absolute values, and which one changes an edge most.
struct WorstStrain {
  double edge = 0, shear = 0, area = 0;
  double growth = 0;  // in units, of an edge that becomes more than kLongTimes as long
  std::uint32_t triangle = 0, grown_triangle = 0;
};
// `rest` and `posed` are welded points. Measured as in measure_strain.
WorstStrain worst_strain(const MeasuredSurface& surface, std::span<const std::uint32_t> triangles,
                         std::span<const Vec3> rest, std::span<const Vec3> posed, double size);
// normal_error of the points for which `is_wanted` holds.
Spread normal_error_of(const Mesh& mesh, const Surface& posed, const std::vector<bool>& is_wanted);
// The size that strain is measured against: that of the bounding box of the points and the origin.
double strain_size(std::span<const Vec3> points);

}  // namespace dermis
