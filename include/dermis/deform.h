// SPDX-License-Identifier: MIT
// Deformers: rest surface and palette in, posed surface out. Today the plain references; kernels follow.
#pragma once

#include <span>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"
#include "dermis/motion.h"

namespace dermis {

// ---- Surfaces -----------------------------------------------------------------------------------------

// Points with per-point normals and tangents; empty normals or tangents are absent and stay absent.
struct Surface {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;   // unit
  std::vector<Vec4> tangents;  // unit xyz, w = +1 or -1 says on which side the bitangent lies
};

// What a deformer reads. All spans have one entry for each point, or none.
struct RestSurface {
  std::span<const Vec3> points;
  std::span<const Vec3> normals;
  std::span<const Vec4> tangents;
};

// What a deformer writes: same sizes as its RestSurface; an empty span is not wanted.
struct PosedSurface {
  std::span<Vec3> points;
  std::span<Vec3> normals;
  std::span<Vec4> tangents;
};

// How normals follow the joints.
enum class NormalMode {
  shading,            // cofactors of the joints, blended with the weights: what engines draw
  inverse_transpose,  // cofactor of the blended matrix: right where the weights are constant
  exact,              // cofactor of the whole derivative, the gradient of the weights included
};

// Surface gradients of the weights, for NormalMode::exact: row v holds (slot, gradient) for every joint that
// acts on v or on a neighbour of v.
struct WeightGradients {
  struct Entry {
    Index slot = 0;
    Vec3 gradient;  // per unit of length, tangent to the rest surface
  };
  std::vector<std::uint32_t> first;  // point count + 1
  std::vector<Entry> entries;
};

// Gradients of the mesh's weights over its welded surface: linear on each triangle, averaged over the
// triangles around a point by their area. Fails when the mesh has no weights. Points without a polygon get
// none.
Result<WeightGradients> prepare_weight_gradients(const Mesh& mesh);

// ---- Plain references ---------------------------------------------------------------------------------
// Readable, one point at a time, against which the kernels are tested. The palette is that of the skin in
// the mesh's rows. `gradients` is read in mode exact only and may be null otherwise.
// Tangents turn with the blended matrix, are made orthogonal to the normal and keep their handedness, which
// flips where the matrix mirrors.

struct ReferenceOptions {
  NormalMode normals = NormalMode::shading;
  const WeightGradients* gradients = nullptr;
};

// Each point with its heaviest joint.
void skin_rigid_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                          PosedSurface posed, const ReferenceOptions& options = {});
// Linear blend skinning, accumulated in double, rounded once at the end.
void skin_lbs_reference(const WeightRows& rows, std::span<const Affined> palette, RestSurface rest,
                        PosedSurface posed, const ReferenceOptions& options = {});
// The same in float throughout: what a kernel may differ from by rounding only.
void skin_lbs_reference_float(const WeightRows& rows, std::span<const Affine> palette, RestSurface rest,
                              PosedSurface posed, const ReferenceOptions& options = {});

// ---- Whole instances ----------------------------------------------------------------------------------

// The mesh's points with its blend shapes added, before any skinning. Normals and tangents are taken when
// they are per point; per-corner ones are left to the caller.
Surface shaped_surface(const Mesh& mesh, std::span<const float> shape_weights);

enum class SkinMethod { rigid, lbs };

struct DeformOptions {
  SkinMethod method = SkinMethod::lbs;
  NormalMode normals = NormalMode::shading;
};

// One instance in world space: shapes, then its skin or its node's transform. Points in mesh order. Fails
// only when gradients cannot be prepared.
Result<Surface> deform_instance(const Character& character, const PoseFrame& frame, Index instance,
                                const DeformOptions& options);

// The whole scene as a still character: one node and one mesh for each instance in the scene, in node order,
// points in world space, no skins, shapes or clips. Instance k of the result is instance k in the scene.
Result<Character> deform_character(const Character& character, const PoseFrame& frame,
                                   const DeformOptions& options, const Progress& progress = {});

}  // namespace dermis
