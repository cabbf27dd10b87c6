// SPDX-License-Identifier: MIT
// Automatic weights for a mesh and a skeleton, and operations on weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// ---- Weight operations ----------------------------------------------------------------------------------
// Rows in, rows out: valid ones with a row for each point, whose sums are one but for the rounding of floats.
// Points whose rows were the same, and that coincide where the surface counts, have the same afterwards. Same
// bytes on any thread count.

// Slots whose weights an operation keeps to the last bit, the rest of a row sharing what they leave: an entry
// for each slot of the skin, or none at all.
using SlotLocks = std::vector<bool>;

// The sum of |difference| over the joints of two rows, 0 to 2.
double row_distance(std::span<const Influence> a, std::span<const Influence> b);

// Without the influences below `threshold`, in [0, 1]. What is locked stays, and of what is not the heaviest.
WeightRows pruned_weights(const WeightRows& rows, float threshold, const SlotLocks& locks = {});

// Slot s becomes new_slot[s]; weights that meet are added up. An entry for each slot.
WeightRows remapped_weights(const WeightRows& rows, std::span<const Index> new_slot);

// (1 - factor) a + factor b, the locked weights being those of a; factor in [0, 1]. Fails when the counts of
// points differ.
Result<WeightRows> blended_weights(const WeightRows& a, const WeightRows& b, double factor,
                                   const SlotLocks& locks = {});

struct SmoothOptions {
  double strength = 0.5;  // how far a point goes to the mean of its neighbours at once, in [0, 1]
  int iterations = 5;     // at least 0
  // Neighbours count by the clamped cotangents of their edges, so that the mesh's own tessellation matters
  // less; else all the same.
  bool is_cotangent = true;
  SlotLocks locks{};
};
// Smooths weights along the welded surface. Coincident points whose rows differed get their mean. Weights
// below 1e-5 are dropped at the end. Points without neighbours keep their rows. Fails when the mesh has no
// weights or an option is out of range, and with cancelled. Cost grows with iterations and influences.
Result<WeightRows> smoothed_weights(const Mesh& mesh, const SmoothOptions& options = {},
                                    const Progress& progress = {});

// How far posed points are from where they were, over all points of a mesh and all poses of the range of
// motion, in parts of the diagonal of the mesh at rest.
struct PoseError {
  double rms = 0, max = 0;
};

struct LimitOptions {
  int max_influences = 4;  // at least 1
  SlotLocks locks{};       // locked influences stay and count
};
struct LimitedWeights {
  WeightRows rows;
  std::size_t limited_count = 0;  // points that had more
  std::size_t over_count = 0;     // points that still have, because of locks
  std::size_t pose_count = 0;
  PoseError refitted, cut;  // of these rows, and of the heaviest scaled to one
};
// At most so many influences a point, chosen and weighed anew so that the points move least under linear
// blending over range_of_motion: starting from all influences (the heaviest 2 N + 4), the one whose loss
// costs least is dropped until N are left, each time with the best weights (least squares, at least zero, sum
// one); the N heaviest with their best weights stand in where they do better. Where no pose tells influences
// apart they keep their proportions. Points within the limit keep their rows. `instance` is one with a skin.
// Fails when an option is out of range, and with cancelled. Parallel; 20,000 points of eight influences take
// about a second.
Result<LimitedWeights> limited_weights(const Character& character, Index instance,
                                       const LimitOptions& options, const Progress& progress = {});

enum class MirrorDirection : std::uint8_t { left_to_right, right_to_left };
struct MirrorOptions {
  MirrorDirection direction = MirrorDirection::left_to_right;
  SlotLocks locks{};
};
struct MirroredWeights {
  WeightRows rows;
  std::size_t mirrored_count = 0;  // points that took the row of the other side
  std::size_t middle_count = 0;    // points that are their own image: the mean of the row and its mirror
  std::size_t walked_count = 0;    // of all paired points, those paired by topology
  std::vector<Index> unpaired;     // points of the side that is written without a pair; they keep their rows
  std::vector<Index> unpaired_slots;  // with weight on the side that is read, or the middle; points that
                                      // would need them keep their rows and are among the unpaired
};
// Gives one side of a mesh the weights of the other. Joints pair as mirror_skin says. Points pair where one
// lies at the mirrored place (within a thousandth of the size, both ways); from there on along the edges of
// the welded surface, whose polygons are mirrored one by one, wherever places are not; what is left by
// place within a hundredth. Fails when no joints name their sides.
Result<MirroredWeights> mirrored_weights(const Character& character, Index mesh, Index skin,
                                         const MirrorOptions& options = {});

struct TransferOptions {
  double max_distance = 0.05;                   // in parts of the diagonal of the target; above zero
  double max_angle = radians_from_degrees(30);  // between the normals; radians, in (0, pi]
};
struct TransferredWeights {
  WeightRows rows;  // of the target, by the slots of the source
  std::size_t matched_count = 0, inpainted_count = 0;
  std::size_t nearest_count = 0, nearest_island_count = 0;  // points of islands without any match
};
// Weights for a mesh from the surface of another that stands where it does (Abdrashitov et al. 2023): points
// whose closest point on the source is near and faces the same way take its weights; the others are filled in
// smoothly along the welded surface of the target, by a harmonic solve for each island (the paper's is
// biharmonic and needs clamping; a harmonic one stays within its border values). Islands without a match take
// the closest point whatever it is. Weights below 1e-4 are dropped. Fails when the source has no weights or
// no triangle, an option is out of range, and with cancelled.
Result<TransferredWeights> transferred_weights(const Mesh& source, const Mesh& target,
                                               const TransferOptions& options = {},
                                               const Progress& progress = {});

struct SubdivideOptions {
  int levels = 1;        // 1 to 4
  bool is_flat = false;  // new points lie on edges and polygons, and old ones stay
};
// Each triangle becomes four where there are only triangles (Loop 1987); else each polygon becomes a
// quadrilateral for each of its corners (Catmull and Clark 1978). Both on the welded surface, with borders
// and edges of more than two polygons as creases; corners of a border that belong to one polygon stay.
// Points, weights and shape offsets follow the same rule, so that weights stay at least zero and sum to one.
// Texture coordinates, colours, normals (made unit again), tangents and shares of dqs are carried to the
// middle of edges and polygons, and stay at old points. Parts and materials stay. Old points come first in
// each part. Fails when an option is out of range or there would be more points than can be numbered.
Result<Mesh> subdivided_mesh(const Mesh& mesh, const SubdivideOptions& options = {});

}  // namespace dermis
