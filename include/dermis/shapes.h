// SPDX-License-Identifier: MIT
// Blend shapes: made from sculpted meshes, split, mirrored, mixed, written as matrices, carried to other
// meshes.
//
// A shape is a list of differences from the rest points of its mesh; see Shape in model.h. Functions that
// take a mesh and return a shape change nothing; take_shapes puts them into a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/geometry.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// ---- Shapes of a character ------------------------------------------------------------------------------

// Gives a mesh the shapes source[0], source[1], ... of its own, kNone standing for a new one without offsets
// or name. Weights at rest and keys of clips follow; new shapes have weight zero. A clip that only moved
// shapes that are gone loses its channel. Linear in the shapes and keys.
void take_shapes(Character& character, Index mesh, std::span<const Index> source);

// The shapes of a mesh that a pattern names: a label (see shape_label), or one with any number of '*', each
// standing for any letters. Ascending; empty if there are none. Case counts.
std::vector<Index> shapes_named(const Mesh& mesh, std::string_view pattern);

// ---- From sculpted meshes -------------------------------------------------------------------------------

// Where the points of a mesh are found in another of the same topology.
struct SamePoints {
  std::vector<Index> other;  // of each point
  // The corner of the other mesh whose attributes belong to a point; kNone: no polygon uses the point.
  std::vector<Index> corner;
  bool is_by_order = true;  // false: by walking along the polygons, because points are split differently
};
// Meshes have the same topology if their polygons have the same corners, in order: either of the same points,
// or of points that one file splits at seams and the other does not. Else an Error that names the first
// difference ("polygon 12 has 4 corners instead of 3").
Result<SamePoints> same_points(const Mesh& mesh, const Mesh& other);

struct SculptOptions {
  // Points that move less than this fraction of the mesh's diagonal are not stored.
  double tolerance = 1e-6;
};
// A sculpt, and whether it looks like one of this mesh.
struct SculptFit {
  double scale = 1;     // the sculpt's diagonal as a multiple of the mesh's
  double distance = 0;  // of the median point from its place at rest, as a fraction of the diagonal
  double largest = 0;   // the largest offset, likewise
};
// The difference between a sculpt and the mesh at rest. `points` and `normals` belong to the mesh's points;
// normals may be empty, and are then those of the mesh, turned as its surface turns. They are stored if the
// mesh has normals on points. `fit`, if given, gets how near the sculpt is.
Shape shape_of_sculpt(const Mesh& mesh, std::span<const Vec3> points, std::span<const Vec3> normals,
                      const SculptOptions& options = {}, SculptFit* fit = nullptr);

// Leaves out the points whose offsets, in position and normal, are below `tolerance` fractions of the mesh's
// diagonal (a normal: of its length).
Shape cleaned_shape(const Mesh& mesh, const Shape& shape, double tolerance);

// ---- Left and right -------------------------------------------------------------------------------------

// A shape as the sum of its left and right half: the left one is the whole shape further than `falloff` to
// the left of the plane, nothing further to the right, and a smooth step in between. The names get "_L" and
// "_R", or "Left" and "Right" if the shape's name has no underscore and begins in lower case ("mouthSmile").
struct SplitShape {
  Shape left, right;
};
SplitShape split_shape(const Mesh& mesh, const Shape& shape, const MirrorPlane& plane, double falloff);

// The mirror image of a shape, with the words for left and right in its name exchanged ("smile_L" becomes
// "smile_R"). Points without an image do not move.
struct MirroredShape {
  Shape shape;
  std::size_t unpaired_count = 0;  // points that move and have no image
};
MirroredShape mirror_shape(const Mesh& mesh, const Shape& shape, const MirrorPlane& plane,
                           const MirrorPairs& pairs);
// "smile_R" for "smile_L"; the name itself if it names no side.
std::string other_side_of(std::string_view name);

// ---- Mixes ----------------------------------------------------------------------------------------------

// The sum of weighted shapes as one shape. One weight for each shape of the mesh; any weight is allowed.
Shape mixed_shape(const Mesh& mesh, std::span<const float> weights);
// Makes a mix the rest pose: the points, normals and tangents of the mesh move, its shapes keep their
// differences. Normals and tangents on corners are turned as the surface turns.
void rest_in_mix(Mesh& mesh, std::span<const float> weights);

// ---- Matrices -------------------------------------------------------------------------------------------

// Shapes as the columns of a matrix with three rows for each point: x, y, z of point 0, of point 1, ...
// With whole shapes, column 0 is the neutral and weights sum to one; with displacements there is no column
// for the neutral and weights are free. Both give the same surface if the weight of the neutral in the first
// is one minus the sum of the others.
enum class ShapeForm : std::uint8_t { whole, displacement };
struct ShapeMatrix {
  ShapeForm form = ShapeForm::displacement;
  std::vector<std::string> names;  // of the columns
  std::size_t point_count = 0;
  std::vector<double> values;  // column by column

  std::span<const double> column(std::size_t k) const {
    return std::span(values).subspan(3 * point_count * k, 3 * point_count);
  }
};
ShapeMatrix shape_matrix(const Mesh& mesh, ShapeForm form);
// The same in the other form. `rest` has the neutral of a matrix of displacements.
ShapeMatrix converted(const ShapeMatrix& matrix, ShapeForm form, std::span<const Vec3> rest);
// The columns as shapes of a mesh, with normals as shape_of_sculpt makes them. Fails if the matrix has
// another number of points, or a value that is not finite. `options` as for shape_of_sculpt.
Result<std::vector<Shape>> shapes_of_matrix(const Mesh& mesh, const ShapeMatrix& matrix,
                                            const SculptOptions& options = {});

// ---- To another mesh ------------------------------------------------------------------------------------

// A place of the source and the place of the target that corresponds to it.
struct PointPair {
  Vec3d source, target;
};
struct ShapeTransferOptions {
  // The source is aligned by moving, turning and scaling it until its points are nearest; with pairs, it is
  // warped so that they meet (thin-plate splines, at least four).
  std::vector<PointPair> pairs;
};
struct ShapeTransfer {
  std::vector<Shape> shapes;
  double distance = 0;  // of the target's median point from the aligned source, as a fraction of its diagonal
  double farthest = 0;  // the largest
};
// Deformation transfer (Sumner, Popovic 2004): how each shape turns and stretches the source between the
// places nearest to a triangle's corners is what the target's triangle does, and its points follow in a
// least-squares sense; the matrix is factored once for all shapes. In the cotangent form (Botsch et al.
// 2006), which on the source itself gives the shapes back. Points that no shape moves near stay. Fails with
// cancelled, with bad_argument if a mesh has no polygons, or if pairs lie in a plane.
Result<ShapeTransfer> transfer_shapes(const Mesh& source, const Mesh& target,
                                      const ShapeTransferOptions& options = {},
                                      const Progress& progress = {});

}  // namespace dermis
