// SPDX-License-Identifier: MIT
// Points and polygons without joints: normals, edges and shells, triangles, nearest points, isosurfaces,
// Laplacians, rays, triangles that cross, winding numbers, solids of cells and distances through them.
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

// Unit normals of points, averaged over the polygons around each by area. Polygon p has the corners
// corners[first[p] .. first[p + 1]), counter-clockwise seen from outside; first has one entry more than there
// are polygons, or none. Points without a polygon, or only with empty ones, get a zero vector. Points are
// not welded: hand in welded corners for normals that are smooth across seams. Linear.
std::vector<Vec3> point_normals(std::span<const Vec3> points, std::span<const std::uint32_t> first,
                                std::span<const std::int32_t> corners);

// ---- Edges and shells ---------------------------------------------------------------------------------

// Which corners of a polygon are left (counted from its first) when corners that repeat their neighbour, and
// there-and-back spurs, are taken out until none is left. Fewer than three: the polygon has collapsed, and
// the list is empty.
std::vector<std::uint32_t> essential_corners(std::span<const std::int32_t> polygon);

// Polygons seen by their edges; first and corners as for point_normals. Collapsed polygons have no edges.
struct EdgeList {
  // Polygon `polygon` walks the edge from corner `from` to corner `to` (both counted over all polygons).
  struct Side {
    std::uint32_t polygon, from, to;
    bool is_forward;  // from the lower point to the higher
  };
  std::vector<std::uint32_t> first;  // edge e has sides[first[e] .. first[e + 1]); one entry more than edges
  std::vector<Side> sides;           // of an edge: by polygon
  std::vector<std::uint32_t> repeating;  // polygons that name a point twice, rising; some may have collapsed

  std::size_t count() const { return first.size() - 1; }
  std::span<const Side> edge(std::size_t e) const {
    return {sides.data() + first[e], sides.data() + first[e + 1]};
  }
};
// Edges by their lower, then by their higher point. Linear.
EdgeList list_edges(std::size_t point_count, std::span<const std::uint32_t> first,
                    std::span<const std::int32_t> corners);

// Polygons that hang together by edges with a polygon on both sides.
struct Patch {
  std::uint32_t first_polygon = 0;
  std::size_t polygon_count = 0;
  bool is_closed = true;                // every edge of its polygons has two sides
  bool is_orientable = true;            // its polygons could be wound so that neighbours agree
  std::size_t miswound_edge_count = 0;  // walked twice the same way
  double volume = 0;  // signed, positive when wound anticlockwise seen from outside; for closed patches
  Box box;
  bool is_flipped = false;  // closed, wound alike, inside out, and not the wall of a cavity in another patch
};
// What edges say of a surface, and how it would have to be turned for neighbours to agree.
struct SurfaceReport {
  std::size_t shell_count = 0;  // pieces that share no point
  std::size_t open_edge_count = 0, nonmanifold_edge_count = 0, miswound_edge_count = 0;
  // A polygon at the first such edge, and -1 without one.
  std::int32_t first_open = -1, first_nonmanifold = -1, first_miswound = -1;
  bool is_closed = false;             // there are edges, and every one has two sides
  std::vector<Patch> patches;         // by first polygon
  std::vector<bool> is_to_be_turned;  // of each polygon: part of a flipped patch, or at odds with its patch
};
// `edges` of the same polygons. Nearly linear; a flipped patch also costs the polygons around it.
SurfaceReport measure_surface(std::span<const Vec3> points, std::span<const std::uint32_t> first,
                              std::span<const std::int32_t> corners, const EdgeList& edges);

// Twice the area of a polygon as a vector, by fanning; for a plane one its normal.
Vec3d area_vector(std::span<const Vec3> points, std::span<const std::int32_t> polygon);

// Cuts a polygon into triangles, which are added to `triangles` as corners counted from its first: size - 2
// of them, wound as it is. A fan from the first corner where that covers the polygon once, as it does when
// it is convex; else ears clipped in its plane. False, with the fan, when it crosses itself, has no area, or
// has more than 4096 corners and is not star-shaped. Linear for fans, else up to the square of the corners.
bool triangulate_polygon(std::span<const Vec3> points, std::span<const std::int32_t> polygon,
                         std::vector<std::uint32_t>& triangles);

// ---- Nearest points -----------------------------------------------------------------------------------

struct Nearest {
  std::size_t point = 0;  // of several equally near, the lowest
  double distance = 0;    // in the units of the points
};

// For each query its nearest point. All coordinates must be finite, and there must be a point when there is
// a query. About n log n; parallel.
std::vector<Nearest> nearest_points(std::span<const Vec3> queries, std::span<const Vec3> points);

// ---- Mirror planes ------------------------------------------------------------------------------------

// The plane that mirrors the points onto each other best, found near `start` and near the middle of their box
// across the axis closest to its normal: a skeleton's own plane may be posed or off. Judged by the half of
// the points that match best, so that what is on one side alone does not pull it. The normal may face either
// side. There must be a point, and no coordinate beyond 1e30. About n log n; parallel.
MirrorPlane fit_mirror_plane(std::span<const Vec3> points, const MirrorPlane& start);

// ---- Segments -----------------------------------------------------------------------------------------

// The place of the segment a b that is nearest to a point, its distance, and that of two segments from each
// other. Segments may be points.
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
  // The same values inside the ball, cheaper to evaluate there. Outside the ball they may differ.
  virtual std::shared_ptr<const Field> restricted(const Vec3d& centre, double radius) const = 0;
};

// A closed triangle surface, anticlockwise seen from outside.
struct SurfaceMesh {
  using Triangle = std::array<std::uint32_t, 3>;
  std::vector<Vec3d> points;
  std::vector<Vec3d> normals;  // unit, one for each point
  std::vector<Triangle> triangles;
};

struct IsosurfaceOptions {
  Box box;          // holds the body; the field must be positive outside it
  double cell = 0;  // edge of a sampling cell: features thinner than about two cells are lost
  // The field is the same at (x, y, z) and (-x, y, z): half of it is meshed and mirrored, so that every point
  // off the plane x = 0 has an exact mirror image.
  bool is_mirrored = false;
  // When the cell gives more points than this, the mesh is simplified to this many or one fewer (a mirrored
  // pair goes at once). More are left only where any further step would change the topology or fold the
  // surface: check the count where it matters. 0 keeps what the cell gives.
  std::size_t max_points = 0;
};

// The surface where the field is zero, as an even triangle mesh: surface nets on the cells that the surface
// crosses, relaxed along the surface, with every point moved onto the zero set and the field's gradient as
// normal. Where samples are ambiguous the gap is closed, so that the result is always closed and manifold.
// Cost grows with the number of points, not with the volume of the box. Same bytes on any thread count.
// Fails with bad_argument when the cell is not positive or the surface is empty or leaves the box, and with
// cancelled.
Result<SurfaceMesh> mesh_isosurface(const Field& field, const IsosurfaceOptions& options,
                                    const Progress& progress = {});

// What can be said of a triangle list without looking at positions.
struct SurfaceTopology {
  bool is_closed = false;    // every edge has a triangle on both sides
  bool is_manifold = false;  // no edge has more, the sides agree on orientation, one fan around each point
  std::size_t component_count = 0;
  std::size_t unused_point_count = 0;
  // Points - edges + triangles, of the points used: 2 for each component of genus 0.
  std::int64_t euler_characteristic = 0;
};
// Triangles index points below `point_count`. N log N.
SurfaceTopology measure_topology(std::size_t point_count, std::span<const SurfaceMesh::Triangle> triangles);

// ---- Welded surfaces and Laplacians -------------------------------------------------------------------

// A surface as solvers see it: coincident points joined, polygons fanned into triangles.
struct WeldedSurface {
  std::vector<std::int32_t> source;              // the lowest original point of each welded one, rising
  std::vector<std::int32_t> welded;              // the welded point of each original one
  std::vector<SurfaceMesh::Triangle> triangles;  // of three different welded points, in polygon order

  std::size_t point_count() const { return source.size(); }
};
// weld[v] is the lowest point at the position of v, as in a mesh; first and corners as for point_normals.
// Triangles of a fan that name a point twice after welding are left out. Linear.
WeldedSurface weld_surface(std::span<const std::int32_t> weld, std::span<const std::uint32_t> first,
                           std::span<const std::int32_t> corners);

// Points joined by an edge of a triangle: those of v are points[first[v] .. first[v + 1]), rising.
struct NeighbourList {
  std::vector<std::uint32_t> first;   // point count + 1
  std::vector<std::uint32_t> points;  // rising in a row
  std::vector<std::uint32_t> sides;   // triangles at the edge; 1: a border, 3 or more: not manifold

  std::size_t point_count() const { return first.size() - 1; }
};
// Linear but for the sorting of rows.
NeighbourList list_neighbours(std::size_t point_count, std::span<const SurfaceMesh::Triangle> triangles);

// L = D - W: W symmetric with weights of at least zero between neighbours, D its row sums. Positive
// semidefinite; constants are in its kernel.
struct Laplacian {
  std::vector<std::uint32_t> first;       // rows of W: point count + 1
  std::vector<std::uint32_t> neighbours;  // rising in a row
  std::vector<double> weights;            // finite, at least zero, bitwise symmetric
  std::vector<double> diagonal;           // D; zero at points without neighbours

  std::size_t point_count() const { return first.size() - 1; }
};
// Weight 1 on every edge.
Laplacian uniform_laplacian(std::size_t point_count, std::span<const SurfaceMesh::Triangle> triangles);
// (cot + cot) / 2 of the angles opposite to each edge. Single cotangents are held within -100 and 100 (angles
// of half a degree; an empty triangle has no better ones), and sums below zero become zero, so that L stays
// semidefinite where triangles are obtuse.
Laplacian cotangent_laplacian(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);
// A third of the area of the triangles around each point; zero where there are none.
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

  // Replaces right-hand sides by solutions: rows[v * width + c] is point v of right-hand side c. Up to twelve
  // of them cost little more than one. A point of the solution whose numbers are all at most `negligible` in
  // size becomes zero; where right-hand sides are zero but for a small region, that saves most of the work.
  // May be called from several threads at once on different rows.
  void solve(std::span<double> rows, std::size_t width, double negligible = 0) const;

 private:
  std::unique_ptr<const Factor> factor_;
};
// One mass for each point, above zero where the point has no neighbours, else at least zero and positive
// somewhere in each shell; step at least zero. Fails with bad_argument when the matrix is not positive
// definite. On a surface of 40,000 points a fraction of a second.
Result<LaplacianSolver> factor_laplacian(const Laplacian& laplacian, std::span<const double> mass,
                                         double step);

// ---- Rays ---------------------------------------------------------------------------------------------

// Where it is counts in lengths of `direction`, from the origin on.
struct Ray {
  Vec3 origin, direction;
  float near = 0, far = INFINITY;
};
struct RayHit {
  std::int32_t triangle = -1;  // -1: nothing was hit
  float distance = 0;          // in lengths of the ray's direction
  float u = 0, v = 0;          // the place is (1 - u - v) a + u b + v c of the triangle's corners a, b, c
};
// A promise about neighbours in a batch of rays: coherent ones start alike and go the same way, which makes
// them cheaper. The answers are the same but for rounding.
enum class RayOrder : std::uint8_t { coherent, mixed };

// Triangles sorted for rays. Movable.
class RayTree {
 public:
  struct Scene;
  explicit RayTree(std::unique_ptr<const Scene> scene);
  RayTree(RayTree&&) noexcept;
  RayTree& operator=(RayTree&&) noexcept;
  ~RayTree();

  // The first hit of each ray within near and far, either side of a triangle, and whether there is one. No
  // ray slips through between triangles that share two points. Same rays in the same batch, same bytes. May
  // be called from several threads at once.
  void find_nearest(std::span<const Ray> rays, RayOrder order, std::span<RayHit> hits) const;
  void find_blocked(std::span<const Ray> rays, RayOrder order, std::span<std::uint8_t> blocked) const;

 private:
  std::unique_ptr<const Scene> scene_;
};
// Triangles index points. Those with a point that is not finite, or beyond 1e18, are never hit, and empty
// ones hardly ever. Copies both. About n log n, on one thread; a tenth of a second for 200,000 triangles.
Result<RayTree> build_ray_tree(std::span<const Vec3> points,
                               std::span<const SurfaceMesh::Triangle> triangles);

// ---- Crossing triangles ---------------------------------------------------------------------------------
// Decided exactly: in double where that settles the sign, else in sums of doubles without rounding
// (Shewchuk 1997). All coordinates must be finite.

// The sign of the volume of the tetrahedron a b c d: 1 when a b c run anticlockwise seen from d, -1 when they
// run clockwise, 0 when all four lie in a plane.
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// True when the three corners lie on a line.
bool is_flat(const Vec3& a, const Vec3& b, const Vec3& c);

// Whether two triangles of `points` have more in common than the points they name both. Sharing none: a
// common point, be it a touch. Sharing one: a further common point. Sharing two: both in one plane and on the
// same side of the shared edge, folded onto one another. Sharing three: always. Neither may be flat.
bool do_triangles_cross(std::span<const Vec3> points, const SurfaceMesh::Triangle& s,
                        const SurfaceMesh::Triangle& t);

// Boxes around triangles, in a tree: what lies close together in space stands close together in `order`.
struct TriangleTree {
  struct Bounds {
    Vec3 lower, upper;
  };
  std::vector<std::uint32_t>
      order;  // of the triangles; each leaf has kLeafTriangles of them, the last the rest
  std::vector<std::uint8_t> is_flat;  // of each triangle, as of the last refit
  // Leaves, then one bounds for each two of the level below, up to the one around all:
  // level k is bounds[level_first[k] .. level_first[k + 1]).
  std::vector<Bounds> bounds;
  std::vector<std::size_t> level_first;

  static constexpr std::size_t kLeafTriangles = 4;
  std::size_t leaf_count() const { return level_first.size() < 2 ? 0 : level_first[1]; }
};
// Along a Morton curve. N log N.
TriangleTree triangle_tree(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);
// The same tree around moved points: cheaper than a new one, and as good while neighbours stay neighbours.
void refit(TriangleTree& tree, std::span<const Vec3> points,
           std::span<const SurfaceMesh::Triangle> triangles);

struct TrianglePair {
  std::uint32_t first = 0, second = 0;  // first < second
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the zero that <=> is compared with for a null
  friend auto operator<=>(const TrianglePair&, const TrianglePair&) = default;
};
struct Intersections {
  std::vector<TrianglePair> pairs;  // rising
  bool is_complete = true;          // false: the search ended at max_pairs
  std::size_t flat_count = 0;       // triangles left out because they are flat
};
struct IntersectionOptions {
  // For each triangle 0 to 7, or empty. Two triangles of the same group above 0 are known to move together
  // and are not looked at.
  std::span<const std::uint8_t> group;
  std::size_t max_pairs = 1'000'000;
};
// All pairs for which do_triangles_cross holds; flat triangles take part in none. Triangles share points by
// number: hand in welded ones. `tree` must fit the points. A closed mesh without crossings takes about 1
// microsecond a triangle. Parallel; same pairs on any thread count.
Intersections self_intersections(const TriangleTree& tree, std::span<const Vec3> points,
                                 std::span<const SurfaceMesh::Triangle> triangles,
                                 const IntersectionOptions& options = {});

// ---- Winding numbers ------------------------------------------------------------------------------------

// How often a surface winds around places, with far triangles taken together as dipoles (Barill et al. 2018,
// first order). Safe to read from several threads.
struct WindingTree {
  // What triangles look like from afar: area vectors about a centre.
  struct Node {
    Vec3d centre;  // of area
    Vec3d area;    // sum of the area vectors
    Mat3d moment;  // sum of (centre of triangle - centre) area^T
    double radius = 0;
  };
  std::vector<Node> nodes;  // leaves, then each level above, as the bounds of a TriangleTree
  std::vector<std::size_t> level_first;
  std::vector<std::array<Vec3, 3>> corners;  // of the triangles, along the curve of a TriangleTree
};
// Points must be finite. N log N.
WindingTree winding_tree(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles);
// The solid angle of all triangles seen from a place over that of the sphere: 1 inside a closed surface wound
// anticlockwise seen from outside, -1 when it is inside out, 0 outside, the sum where surfaces overlap, and
// in between where they are open. Within about 0.02. Microseconds: grows with the logarithm of the triangles.
double winding_number(const WindingTree& tree, const Vec3d& place);

// ---- Solids of cells ------------------------------------------------------------------------------------

// The space that a surface fills as equal cubes: every cell that a triangle or a point touches, and those
// inside. Cells are known by their rank among the filled ones, in the order x, then y, then z; a field over
// the solid is an array with a number for each.
struct VoxelSolid {
  enum Side : std::uint8_t { kMinusX, kPlusX, kMinusY, kPlusY, kMinusZ, kPlusZ };
  static constexpr std::int32_t kNoCell = -1;
  // Two cells of different pieces with nothing between them.
  struct Bridge {
    std::uint32_t to = 0;
    float length = 0;  // between their centres
  };

  Vec3d origin;                        // lower corner of the grid; there is an empty layer all around
  double cell = 0;                     // edge of a cell
  std::array<std::int32_t, 3> size{};  // cells of the grid along each axis
  std::vector<std::uint64_t> filled;   // a bit for each cell of the grid
  std::vector<std::uint32_t> rank;     // filled cells before each word of `filled`

  std::vector<std::uint32_t> places;     // of filled cells, rising: (z * size y + y) * size x + x
  std::vector<std::uint8_t> is_surface;  // of filled cells: touched by a triangle or a point
  // Neighbours by Side, or kNoCell. Also none where the face between two filled cells lies outside the
  // surface and no triangle touches it: there a gap runs between two sheets.
  std::vector<std::array<std::int32_t, 6>> links;
  std::vector<std::uint32_t> piece;  // of filled cells: those that links join have the same
  std::size_t piece_count = 0;
  // Bridges join all pieces: of cell c those in bridges[bridge_first[c] .. bridge_first[c + 1]). Each stands
  // at both ends. Both arrays are empty when there is one piece.
  std::vector<std::uint32_t> bridge_first;
  std::vector<Bridge> bridges;

  bool is_closed = false;  // the surface has no open edge, so that inside needs no judgement
  // Cells that hold two sheets with a gap between: what should be apart hangs together there.
  std::size_t shared_cell_count = 0;
  std::size_t cut_link_count = 0;  // gaps found between neighbouring cells
  // Far from the rest and left out, so that they do not eat the resolution; triangles with such a point too.
  std::size_t far_point_count = 0, far_triangle_count = 0;

  std::size_t cell_count() const { return places.size(); }
  // The filled cell at a place of the grid, or kNoCell; any coordinates.
  std::int32_t find(std::int32_t x, std::int32_t y, std::int32_t z) const;
  // The filled cell that holds a point, or kNoCell.
  std::int32_t find(const Vec3d& point) const;
  Vec3d centre(std::size_t c) const;
};
struct SolidOptions {
  double cell = 0;  // edge of a cell; 0: as small as the budget of filled cells allows
  std::size_t filled_budget = 400'000;
  std::size_t grid_budget = 64'000'000;  // cells of the grid, filled or not; a smaller `cell` is enlarged
};
// Right for surfaces that are open, in pieces, overlapping, inside out or not manifold: inside is where the
// winding number is at least a half in size, after patches that are inside out were turned. Triangles share
// points by number: hand in welded ones. Points must be finite; they need not be used by triangles. Time
// grows with triangles, with filled cells and a little with the grid. Parallel; same bytes on any thread
// count. Fails with bad_argument without points or when the cell is not positive, and with cancelled.
Result<VoxelSolid> voxelize_solid(std::span<const Vec3> points,
                                  std::span<const SurfaceMesh::Triangle> triangles,
                                  const SolidOptions& options = {}, const Progress& progress = {});

// ---- Distances through a solid --------------------------------------------------------------------------

struct Segment {
  Vec3d from, to;  // may coincide
};

struct MarchLimit {
  // Where both are given, the march ends at cells further than ratio * max(of[c], at_least).
  std::span<const float> of;
  double ratio = 0;
  double at_least = 0;
};
// The shortest way through linked cells from the nearest of the segments to the centre of each cell, and
// across bridges in a straight line; infinite where the limit stopped it, so that without a limit all are
// finite. Fast marching, second order (Sethian 1996), from exact distances around the segments: within 2 % on
// straight and bent rods eight cells across. A segment outside starts at the cells nearest to it, by straight
// distance. Returns how many of the segments are wholly outside. About 0.5 microseconds a cell, on one
// thread; may be called from several at once.
std::size_t march_solid(const VoxelSolid& solid, std::span<const Segment> segments, const MarchLimit& limit,
                        std::span<float> distance);

// How a field over a solid is read at a point: cells that surround it and hang together with the one that
// holds it, weights that sum to one.
struct CellSample {
  std::array<std::uint32_t, 8> cells{};
  std::array<float, 8> weights{};
  int count = 0;  // 0: the point lies in no filled cell
};
CellSample sample_cells(const VoxelSolid& solid, const Vec3d& point);
// Trilinear; where neighbours are missing at the surface, carried on from cells inside with their slope.
// Infinite when one of the cells is.
double read_field(const VoxelSolid& solid, const CellSample& sample, const Vec3d& point,
                  std::span<const float> field);

}  // namespace dermis
