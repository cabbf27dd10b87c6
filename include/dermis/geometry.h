// SPDX-License-Identifier: MIT
// Points and polygons without joints: normals, edges and shells, triangles, nearest points, isosurfaces,
// Laplacians, rays, crossing triangles, winding numbers, voxel solids and distances through them.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"

namespace dermis {

// ---- Normals ------------------------------------------------------------------------------------------

// Unit normals of points, averaged by area over the polygons around each point. Polygon p has the corners
// corners[first[p] .. first[p + 1]), counter-clockwise seen from outside; first has one entry more than there
// are polygons, or none. Points without a polygon, or with only degenerate ones, get a zero vector. Points
// are not welded: pass welded corners for normals that are smooth across seams. Linear.
std::vector<Vec3> point_normals(std::span<const Vec3> points, std::span<const std::uint32_t> first,
                                std::span<const std::int32_t> corners);

// ---- Edges and shells ---------------------------------------------------------------------------------

// The corners of a polygon (counted from its first) that remain after repeatedly removing corners that repeat
// their neighbour, and spurs that go out and back. If fewer than three remain, the polygon has collapsed and
// the list is empty.
std::vector<std::uint32_t> essential_corners(std::span<const std::int32_t> polygon);

// The edges of polygons; first and corners as for point_normals. Collapsed polygons have no edges.
struct EdgeList {
  // Polygon `polygon` traverses the edge from corner `from` to corner `to` (both counted over all polygons).
  struct Side {
    std::uint32_t polygon, from, to;
    bool is_forward;  // from the lower point to the higher
  };
  std::vector<std::uint32_t> first;      // edge e has sides[first[e] .. first[e + 1]); edge count + 1
  std::vector<Side> sides;               // within an edge: by polygon
  std::vector<std::uint32_t> repeating;  // polygons that use a point twice, ascending; some collapsed

  std::size_t count() const { return first.size() - 1; }
  std::span<const Side> edge(std::size_t e) const {
    return {sides.data() + first[e], sides.data() + first[e + 1]};
  }
};
// Edges sorted by their lower, then by their higher point. Linear.
EdgeList list_edges(std::size_t point_count, std::span<const std::uint32_t> first,
                    std::span<const std::int32_t> corners);

// Polygons connected by edges with a polygon on both sides.
struct Patch {
  std::uint32_t first_polygon = 0;
  std::size_t polygon_count = 0;
  bool is_closed = true;                // every edge of its polygons has two sides
  bool is_orientable = true;            // its polygons could be wound so that neighbours agree
  std::size_t miswound_edge_count = 0;  // traversed twice in the same direction
  double volume = 0;  // signed, positive if wound anticlockwise seen from outside; for closed patches
  Box box;
  bool is_flipped = false;  // closed, consistently wound, inside out, and not a cavity wall of another patch
};
// Properties of a surface found from its edges, and which polygons to flip so that neighbours agree.
struct SurfaceReport {
  std::size_t shell_count = 0;  // pieces that share no point
  std::size_t open_edge_count = 0, nonmanifold_edge_count = 0, miswound_edge_count = 0;
  // A polygon at the first such edge; -1 if there is none.
  std::int32_t first_open = -1, first_nonmanifold = -1, first_miswound = -1;
  bool is_closed = false;             // there are edges, and each has two sides
  std::vector<Patch> patches;         // by first polygon
  std::vector<bool> is_to_be_turned;  // per polygon: in a flipped patch, or wound against its patch
};
// `edges` must belong to the same polygons. Nearly linear; a flipped patch adds a cost for the polygons
// around it.
SurfaceReport measure_surface(std::span<const Vec3> points, std::span<const std::uint32_t> first,
                              std::span<const std::int32_t> corners, const EdgeList& edges);

// The shell of each point: pieces that share no point are numbered from 0 in the order of their lowest
// points; -1 if no polygon uses the point. first and corners as for point_normals, welded if seams should not
// cut. Nearly linear.
std::vector<std::int32_t> shells_of_points(std::size_t point_count, std::span<const std::uint32_t> first,
                                           std::span<const std::int32_t> corners);
// The same where points that coincide count as one: `weld` names the first of each point.
std::vector<std::int32_t> shells_of_welded_points(std::span<const std::int32_t> weld,
                                                  std::span<const std::uint32_t> first,
                                                  std::span<const std::int32_t> corners);

// Twice the area of a polygon as a vector, from a triangle fan; for a planar polygon along its normal.
Vec3d area_vector(std::span<const Vec3> points, std::span<const std::int32_t> polygon);

// Splits a polygon into size - 2 triangles with the same winding and appends them to `triangles` as corners
// counted from its first. Uses a fan from the first corner if that covers the polygon once, as for convex
// ones; otherwise ear clipping in its plane. Returns false, and the fan, if the polygon crosses itself, has
// no area, or has more than 4096 corners and is not star-shaped. Linear for fans, otherwise up to quadratic
// in the corners.
bool triangulate_polygon(std::span<const Vec3> points, std::span<const std::int32_t> polygon,
                         std::vector<std::uint32_t>& triangles);

// ---- Nearest points -----------------------------------------------------------------------------------

struct Nearest {
  std::size_t point = 0;  // the lowest if several are equally near
  double distance = 0;    // in the units of the points
};

// The nearest point to each query. All coordinates must be finite, and there must be a point if there is a
// query. About n log n; parallel.
std::vector<Nearest> nearest_points(std::span<const Vec3> queries, std::span<const Vec3> points);

// ---- Mirror planes ------------------------------------------------------------------------------------

// The plane that best mirrors the points onto each other. The search starts from `start` and from the middle
// of the points' box, across the axis closest to start.normal, since a skeleton's own plane may be posed or
// wrong. Only the better matching half of the points is scored, so that one-sided parts do not shift the
// plane. The normal may face either side. There must be a point, and no coordinate beyond 1e30. About n log
// n; parallel.
MirrorPlane fit_mirror_plane(std::span<const Vec3> points, const MirrorPlane& start);

// Which points of a body are mirror images of which, and how that was found.
enum class MirrorMatch : std::uint8_t {
  none,    // there is no image
  exact,   // a point within a thousandth of the size of the mirrored position
  walked,  // along edges from such points, polygon by mirrored polygon
  near     // a point within a hundredth
};
struct MirrorPairs {
  // Of each point: the point at its mirrored position, the lowest of coincident ones; -1: none. A point in
  // the middle is its own image.
  std::vector<std::int32_t> image;
  std::vector<MirrorMatch> match;
};
// Shells pair first, then points: the image of a point is looked for in the shell that is the mirror image of
// its own (which may be the same shell), so that an eye pairs with the other eye and not with the lid that
// happens to be nearer. Only points left over by this pair with left-over points of other shells. weld, first
// and corners as for weld_surface; points that no polygon uses count as one shell. Sizes are relative to the
// diagonal of all points, whose coordinates must not exceed 1e30. About n log n; parallel, same result on any
// thread count.
MirrorPairs pair_mirror_points(std::span<const Vec3> points, std::span<const std::int32_t> weld,
                               std::span<const std::uint32_t> first, std::span<const std::int32_t> corners,
                               const MirrorPlane& plane);

// ---- Segments -----------------------------------------------------------------------------------------

// The position on the segment a b nearest to a point, its distance, and the distance between two segments.
// Segments may be points.
Vec3d nearest_on_segment(const Vec3d& point, const Vec3d& a, const Vec3d& b);
double distance_to_segment(const Vec3d& point, const Vec3d& a, const Vec3d& b);
double distance_of_segments(const Vec3d& a, const Vec3d& a_end, const Vec3d& b, const Vec3d& b_end);

// ---- Isosurfaces --------------------------------------------------------------------------------------

// A scalar field over space: negative inside a body, positive outside, roughly the distance to its surface
// (the length of its gradient lies between 1/2 and 2 near the surface). Safe to read from several threads.
class Field {
 public:
  virtual ~Field() = default;
  virtual double value(const Vec3d& point) const = 0;
  // A field with the same values inside the ball, but cheaper to evaluate. Outside the ball values may
  // differ.
  virtual std::shared_ptr<const Field> restricted(const Vec3d& centre, double radius) const = 0;
};

// A closed triangle surface, anticlockwise seen from outside.
struct SurfaceMesh {
  using Triangle = std::array<std::uint32_t, 3>;
  std::vector<Vec3d> points;
  std::vector<Vec3d> normals;  // unit, one per point
  std::vector<Triangle> triangles;
};

struct IsosurfaceOptions {
  Box box;          // contains the body; the field must be positive outside it
  double cell = 0;  // edge of a sampling cell: features thinner than about two cells are lost
  // The field is the same at (x, y, z) and (-x, y, z): half of it is meshed and mirrored, so that every point
  // off the plane x = 0 has an exact mirror image.
  bool is_mirrored = false;
  // If the cell size gives more points than this, the mesh is simplified to this count or one fewer (mirrored
  // pairs are removed together). More remain only if any further step would change the topology or fold the
  // surface: check the count if it matters. 0: no limit.
  std::size_t max_points = 0;
};

// The surface where the field is zero, as a uniform triangle mesh: surface nets on the cells that the surface
// crosses, relaxed along the surface, with every point moved onto the zero set and the field's gradient as
// normal. Ambiguous samples close the gap, so that the result is always closed and manifold. Cost grows with
// the number of points, not with the volume of the box. Same bytes on any thread count. Fails with
// bad_argument if the cell is not positive or the surface is empty or leaves the box, and with cancelled.
Result<SurfaceMesh> mesh_isosurface(const Field& field, const IsosurfaceOptions& options,
                                    const Progress& progress = {});

// Properties of a triangle list that do not depend on positions.
struct SurfaceTopology {
  bool is_closed = false;    // every edge has a triangle on both sides
  bool is_manifold = false;  // no edge has more, sides agree on orientation, one fan per point
  std::size_t component_count = 0;
  std::size_t unused_point_count = 0;
  // Used points - edges + triangles: 2 for each component of genus 0.
  std::int64_t euler_characteristic = 0;
};
// Triangles index points below `point_count`. N log N.
SurfaceTopology measure_topology(std::size_t point_count, std::span<const SurfaceMesh::Triangle> triangles);

// ---- Welded surfaces and Laplacians -------------------------------------------------------------------

// A surface for solvers: coincident points joined, polygons split into triangle fans.
struct WeldedSurface {
  std::vector<std::int32_t> source;              // the lowest original point of each welded one, ascending
  std::vector<std::int32_t> welded;              // the welded point of each original one
  std::vector<SurfaceMesh::Triangle> triangles;  // of three different welded points, in polygon order

  std::size_t point_count() const { return source.size(); }
};
// weld[v] is the lowest point at the position of v, as in a mesh; first and corners as for point_normals. Fan
// triangles that use a point twice after welding are left out. Linear.
WeldedSurface weld_surface(std::span<const std::int32_t> weld, std::span<const std::uint32_t> first,
                           std::span<const std::int32_t> corners);

// Points joined by a triangle edge: the neighbours of v are points[first[v] .. first[v + 1]), ascending.
struct NeighbourList {
  std::vector<std::uint32_t> first;   // point count + 1
  std::vector<std::uint32_t> points;  // ascending within a row
  std::vector<std::uint32_t> sides;   // triangles at the edge; 1: a border, 3 or more: not manifold

  std::size_t point_count() const { return first.size() - 1; }
};
// Linear, except for sorting the rows.
NeighbourList list_neighbours(std::size_t point_count, std::span<const SurfaceMesh::Triangle> triangles);

// L = D - W: W is symmetric with non-negative weights between neighbours, D has its row sums. Positive
// semidefinite; constants are in its kernel.
struct Laplacian {
  std::vector<std::uint32_t> first;       // rows of W: point count + 1
  std::vector<std::uint32_t> neighbours;  // ascending within a row
  std::vector<double> weights;            // finite, not negative, bitwise symmetric
  std::vector<double> diagonal;           // D; zero at points without neighbours

  std::size_t point_count() const { return first.size() - 1; }
};
// Weight 1 on every edge.
Laplacian uniform_laplacian(std::size_t point_count, std::span<const SurfaceMesh::Triangle> triangles);
// (cot + cot) / 2 of the angles opposite each edge. Each cotangent is clamped to [-100, 100] (angles of half
// a degree; the cotangents of an empty triangle are undefined), and negative sums become zero, so that L
// stays semidefinite where triangles are obtuse.
Laplacian cotangent_laplacian(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);
// A third of the area of the triangles around each point; zero if there are none.
std::vector<double> point_areas(std::span<const Vec3> points,
                                std::span<const SurfaceMesh::Triangle> triangles);

// diag(mass) + step * L, factored once for many right-hand sides. Movable.
class LaplacianSolver {
 public:
  struct Factor;
  explicit LaplacianSolver(std::unique_ptr<const Factor> factor);
  LaplacianSolver(LaplacianSolver&&) noexcept;
  LaplacianSolver& operator=(LaplacianSolver&&) noexcept;
  ~LaplacianSolver();

  // Replaces right-hand sides with solutions: rows[v * width + c] is point v of right-hand side c. Up to
  // twelve cost little more than one. Points of the solution whose absolute values are all at most
  // `negligible` become zero; if right-hand sides are zero except in a small region, that saves most of the
  // work. May be called from several threads at once on different rows.
  void solve(std::span<double> rows, std::size_t width, double negligible = 0) const;

 private:
  std::unique_ptr<const Factor> factor_;
};
// One mass per point: above zero if the point has no neighbours, else not negative and positive somewhere in
// each shell. The step must not be negative. Fails with bad_argument if the matrix is not positive definite.
// Takes a fraction of a second on a surface of 40,000 points.
Result<LaplacianSolver> factor_laplacian(const Laplacian& laplacian, std::span<const double> mass,
                                         double step);

// ---- Rays ---------------------------------------------------------------------------------------------

// `near` and `far` are measured from the origin in lengths of `direction`.
struct Ray {
  Vec3 origin, direction;
  float near = 0, far = INFINITY;
};
struct RayHit {
  std::int32_t triangle = -1;  // -1: nothing was hit
  float distance = 0;          // in lengths of the ray's direction
  float u = 0, v = 0;          // the hit is at (1 - u - v) a + u b + v c, with corners a, b, c
};
// A promise about neighbours in a batch of rays: coherent ones have similar origins and directions, which
// makes them cheaper. The results are the same except for rounding.
enum class RayOrder : std::uint8_t { coherent, mixed };

// Triangles sorted for ray queries. Movable.
class RayTree {
 public:
  struct Scene;
  explicit RayTree(std::unique_ptr<const Scene> scene);
  RayTree(RayTree&&) noexcept;
  RayTree& operator=(RayTree&&) noexcept;
  ~RayTree();

  // find_nearest returns the first hit of each ray between near and far, on either side of a triangle;
  // find_blocked returns whether there is a hit. No ray passes between triangles that share two points. The
  // same rays in the same batch give the same bytes. May be called from several threads at once.
  void find_nearest(std::span<const Ray> rays, RayOrder order, std::span<RayHit> hits) const;
  void find_blocked(std::span<const Ray> rays, RayOrder order, std::span<std::uint8_t> blocked) const;

 private:
  std::unique_ptr<const Scene> scene_;
};
// Triangles index points. Triangles with a point that is not finite, or beyond 1e18, are never hit; empty
// ones hardly ever. Copies both inputs. About n log n, on one thread; a tenth of a second for 200,000
// triangles. Fails if memory runs out, or with cancelled.
Result<RayTree> build_ray_tree(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles,
                               const Progress& progress = {});

// ---- Crossing triangles ---------------------------------------------------------------------------------
// Exact predicates: in double if that determines the sign, otherwise in sums of doubles without rounding
// (Shewchuk 1997). All coordinates must be finite.

// The sign of the volume of the tetrahedron a b c d: 1 if a b c are anticlockwise seen from d, -1 if
// clockwise, 0 if all four lie in a plane.
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// True if the three corners lie on a line.
bool is_flat(const Vec3& a, const Vec3& b, const Vec3& c);

// True if two triangles intersect in more than their shared points. Sharing none: they have a common point,
// even if they only touch. Sharing one: they have another common point. Sharing two: both are in one plane
// and on the same side of the shared edge, folded onto each other. Sharing three: always. Neither may be
// flat.
bool do_triangles_cross(std::span<const Vec3> points, const SurfaceMesh::Triangle& s,
                        const SurfaceMesh::Triangle& t);

// A tree of boxes around triangles: triangles that are close in space are close in `order`.
struct TriangleTree {
  struct Bounds {
    Vec3 lower, upper;
  };
  // Of the triangles; each leaf has kLeafTriangles of them, the last leaf the remainder.
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> is_flat;  // per triangle, as of the last refit
  // Leaves, then one bounds for each pair of the level below, up to the one around everything:
  // level k is bounds[level_first[k] .. level_first[k + 1]).
  std::vector<Bounds> bounds;
  std::vector<std::size_t> level_first;

  static constexpr std::size_t kLeafTriangles = 4;
  std::size_t leaf_count() const { return level_first.size() < 2 ? 0 : level_first[1]; }
};
// Sorts along a Morton curve. N log N.
TriangleTree triangle_tree(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);
// Updates the tree for moved points: cheaper than a new tree, and as good while neighbours stay neighbours.
void refit(TriangleTree& tree, std::span<const Vec3> points,
           std::span<const SurfaceMesh::Triangle> triangles);

// The closest point of a triangle surface.
struct ClosestPoint {
  std::int32_t triangle = -1;      // -1: there is none
  std::array<double, 3> shares{};  // of the triangle's corners; at least zero, sum one
  double distance = 0;
};
// `tree` must be up to date with the points. Of equally close triangles, always the same one. Logarithmic
// unless all triangles are equally far.
ClosestPoint closest_point(const TriangleTree& tree, std::span<const Vec3> points,
                           std::span<const SurfaceMesh::Triangle> triangles, const Vec3d& query);

struct TrianglePair {
  std::uint32_t first = 0, second = 0;  // first < second
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the zero that <=> is compared with for a null
  friend auto operator<=>(const TrianglePair&, const TrianglePair&) = default;
};
struct Intersections {
  std::vector<TrianglePair> pairs;  // ascending
  bool is_complete = true;          // false: the search stopped at max_pairs
  std::size_t flat_count = 0;       // triangles left out because they are flat
};
struct IntersectionOptions {
  // For each triangle 0 to 7, or empty. Two triangles of the same group above 0 are known to move together
  // and are not tested.
  std::span<const std::uint8_t> group;
  std::size_t max_pairs = 1'000'000;
};
// All pairs for which do_triangles_cross is true; flat triangles are in none. Triangles share points by
// index: pass welded ones. `tree` must be up to date with the points. A closed mesh without crossings takes
// about 1 microsecond per triangle. Parallel; same pairs on any thread count.
Intersections self_intersections(const TriangleTree& tree, std::span<const Vec3> points,
                                 std::span<const SurfaceMesh::Triangle> triangles,
                                 const IntersectionOptions& options = {});

// ---- Winding numbers ------------------------------------------------------------------------------------

// Data for winding numbers, with distant triangles merged into dipoles (Barill et al. 2018, first order).
// Safe to read from several threads.
struct WindingTree {
  // The far field of a group of triangles: area vectors about a centre.
  struct Node {
    Vec3d centre;  // of area
    Vec3d area;    // sum of the area vectors
    Mat3d moment;  // sum of (centre of triangle - centre) area^T
    double radius = 0;
  };
  std::vector<Node> nodes;  // leaves, then each level above, like the bounds of a TriangleTree
  std::vector<std::size_t> level_first;
  std::vector<std::array<Vec3, 3>> corners;  // of the triangles, in the order of a TriangleTree
};
// Points must be finite. N log N.
WindingTree winding_tree(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);
// The solid angle of all triangles seen from `place`, divided by that of the sphere: 1 inside a closed
// surface wound anticlockwise seen from outside, -1 if it is inside out, 0 outside, the sum where surfaces
// overlap, and values in between where they are open. Accurate to about 0.02. Takes microseconds, logarithmic
// in the triangles.
double winding_number(const WindingTree& tree, const Vec3d& place);

// ---- Voxel solids ---------------------------------------------------------------------------------------

// The space that a surface encloses, as equal cubes: every cell that a triangle or a point touches, and those
// inside. A cell is identified by its rank among the filled ones, in the order x, then y, then z; a field
// over the solid is an array with a number for each.
struct VoxelSolid {
  enum Side : std::uint8_t { kMinusX, kPlusX, kMinusY, kPlusY, kMinusZ, kPlusZ };
  static constexpr std::int32_t kNoCell = -1;
  // Connects two cells of different pieces with nothing between them.
  struct Bridge {
    std::uint32_t to = 0;
    float length = 0;  // between their centres
  };

  Vec3d origin;                        // lower corner of the grid, which has an empty layer all around
  double cell = 0;                     // edge of a cell
  std::array<std::int32_t, 3> size{};  // grid cells along each axis
  std::vector<std::uint64_t> filled;   // one bit per grid cell
  std::vector<std::uint32_t> rank;     // number of filled cells before each word of `filled`

  std::vector<std::uint32_t> places;     // of filled cells, ascending: (z * size y + y) * size x + x
  std::vector<std::uint8_t> is_surface;  // of filled cells: touched by a triangle or a point
  // Neighbours by Side, or kNoCell. Also kNoCell if the face between two filled cells lies outside the
  // surface and no triangle touches it: there is a gap between two sheets.
  std::vector<std::array<std::int32_t, 6>> links;
  std::vector<std::uint32_t> piece;  // per filled cell: cells joined by links have the same piece
  std::size_t piece_count = 0;
  // Bridges join all pieces: cell c has bridges[bridge_first[c] .. bridge_first[c + 1]). Each is listed at
  // both ends. Both arrays are empty if there is only one piece.
  std::vector<std::uint32_t> bridge_first;
  std::vector<Bridge> bridges;

  bool is_closed = false;  // the surface has no open edge, so inside is well defined
  // Cells that contain two sheets with a gap between: parts that should be separate are connected there.
  std::size_t shared_cell_count = 0;
  std::size_t cut_link_count = 0;  // gaps found between neighbouring cells
  // Points far from the rest, and triangles with such a point: left out, so that they do not cost resolution.
  std::size_t far_point_count = 0, far_triangle_count = 0;

  std::size_t cell_count() const { return places.size(); }
  // The filled cell at grid coordinates, or kNoCell; any coordinates are allowed.
  std::int32_t find(std::int32_t x, std::int32_t y, std::int32_t z) const;
  // The filled cell that contains a point, or kNoCell.
  std::int32_t find(const Vec3d& point) const;
  Vec3d centre(std::size_t c) const;
};
struct SolidOptions {
  double cell = 0;  // edge of a cell; 0: as small as the budget of filled cells allows
  std::size_t filled_budget = 400'000;
  std::size_t grid_budget = 64'000'000;  // grid cells, filled or not; a `cell` that is too small is enlarged
  // Parts of one shell that touch or cross each other, such as an arm at the body, stay apart: links do not
  // cross the surface there, and what lies in the gap or in both parts is not filled. Thin folds may get
  // lost.
  bool separates_contacts = false;
};
// Handles surfaces that are open, in pieces, overlapping, inside out or not manifold: inside is where the
// absolute winding number is at least a half, after flipping patches that are inside out. Triangles share
// points by index: pass welded ones. Points must be finite; triangles need not use them. Time grows with
// triangles, with filled cells and a little with the grid. Parallel; same bytes on any thread count. Fails
// with bad_argument if there are no points or the cell is not positive, and with cancelled.
Result<VoxelSolid> voxelize_solid(std::span<const Vec3> points,
                                  std::span<const SurfaceMesh::Triangle> triangles,
                                  const SolidOptions& options = {}, const Progress& progress = {});

// ---- Distances through a solid --------------------------------------------------------------------------

struct Segment {
  Vec3d from, to;  // may coincide
};

struct MarchLimit {
  // If `of` and `ratio` are given, the march ends at cells further than ratio * max(of[c], at_least).
  std::span<const float> of;
  double ratio = 0;
  double at_least = 0;
};
// The length of the shortest path through linked cells from the nearest segment to the centre of each cell;
// bridges are crossed in a straight line. Infinite where the limit stopped the march; without a limit all are
// finite. Second-order fast marching (Sethian 1996), from exact distances around the segments: within 2 % on
// straight and bent rods eight cells across. A segment outside the solid starts at the cells nearest to it,
// by straight distance. Returns the number of segments that are entirely outside. About 0.5 microseconds per
// cell, on one thread; may be called from several at once.
std::size_t march_solid(const VoxelSolid& solid, std::span<const Segment> segments, const MarchLimit& limit,
                        std::span<float> distance);

// How to read a field over a solid at a point: the cells around it that are connected to the cell containing
// it, with weights that sum to one.
struct CellSample {
  std::array<std::uint32_t, 8> cells{};
  std::array<float, 8> weights{};
  int count = 0;  // 0: the point is not in a filled cell
};
CellSample sample_cells(const VoxelSolid& solid, const Vec3d& point);
// Trilinear; where neighbours are missing at the surface, extrapolated linearly from cells inside. Infinite
// if one of the cells is.
double read_field(const VoxelSolid& solid, const CellSample& sample, const Vec3d& point,
                  std::span<const float> field);

}  // namespace dermis
