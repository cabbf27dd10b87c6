// SPDX-License-Identifier: MIT
// Turns a surface into a solid of cells: those that triangles touch, those inside, and which neighbours are
// connected.
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "geometry/cell_grid.h"
#include "geometry/contacts.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

constexpr std::size_t kTriangleGrain = 2048;
constexpr std::size_t kCellGrain = 2048;
// Grid cells of a trial that predicts the number of filled cells at any cell size.
constexpr double kTrialCells = 200'000;
// Limit on cell visits by triangles, which bounds the time if many huge triangles overlap.
constexpr double kMostVisits = 3e7;
// Points per cell for points without triangles: few enough to follow a shape, enough to be connected.
constexpr std::size_t kPointsInCell = 4;

// ---- Where the bulk of the points is ----

struct Bulk {
  Box box;
  std::vector<Vec3> points;  // those inside the box; far ones are moved into it, and no triangle uses them
  std::vector<Triangle> triangles;
  std::vector<std::uint8_t> is_far;  // of each point
  std::size_t far_points = 0, far_triangles = 0;
};

// Starts with nearly all points and adds points closer than twice its size until there are none.
Box box_of_bulk(std::span<const Vec3> points) {
  constexpr double kTail = 0.05, kReach = 2;
  Box all, box;
  for (const Vec3& p : points) all.add(Vec3d(p));
  std::vector<float> along(points.size());
  const std::size_t low = static_cast<std::size_t>(kTail * static_cast<double>(points.size()));
  const std::size_t high = points.size() - 1 - low;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t v = 0; v < points.size(); ++v) along[v] = points[v][axis];
    const auto at = [&](std::size_t k) { return along.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(along.begin(), at(low), along.end());
    box.lower[axis] = static_cast<double>(*at(low));
    std::nth_element(at(low), at(high), along.end());
    box.upper[axis] = static_cast<double>(*at(high));
  }
  while (box.diagonal() > 0 && box.diagonal() < all.diagonal()) {
    const double reach = kReach * box.diagonal();
    const Vec3d lower = box.lower - Vec3d{reach, reach, reach},
                upper = box.upper + Vec3d{reach, reach, reach};
    Box grown = box;
    for (const Vec3& point : points) {
      const Vec3d p(point);
      const bool is_near = p.x >= lower.x && p.y >= lower.y && p.z >= lower.z && p.x <= upper.x &&
                           p.y <= upper.y && p.z <= upper.z;
      if (is_near) grown.add(p);
    }
    if (grown.diagonal() <= box.diagonal()) return box;
    box = grown;
  }
  return all;
}

Bulk find_bulk(std::span<const Vec3> points, std::span<const Triangle> triangles) {
  Bulk bulk;
  bulk.box = box_of_bulk(points);
  bulk.is_far.resize(points.size());
  bulk.points.assign(points.begin(), points.end());
  for (std::size_t v = 0; v < points.size(); ++v) {
    const Vec3d p(points[v]);
    for (int axis = 0; axis < 3; ++axis) {
      if (p[axis] < bulk.box.lower[axis] || p[axis] > bulk.box.upper[axis]) bulk.is_far[v] = 1;
    }
    if (bulk.is_far[v] != 0) bulk.points[v] = Vec3(bulk.box.centre()), ++bulk.far_points;
  }
  bulk.triangles.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    if (bulk.is_far[t[0]] == 0 && bulk.is_far[t[1]] == 0 && bulk.is_far[t[2]] == 0)
      bulk.triangles.push_back(t);
  }
  bulk.far_triangles = triangles.size() - bulk.triangles.size();
  return bulk;
}

// Flips triangles that are inside out; returns true if the surface is closed and consistently wound.
bool turn_alike(std::span<const Vec3> points, std::vector<Triangle>& triangles) {
  if (triangles.empty()) return false;
  std::vector<std::uint32_t> first(triangles.size() + 1);
  std::vector<std::int32_t> corners(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    first[t + 1] = static_cast<std::uint32_t>(3 * (t + 1));
    for (std::size_t k = 0; k < 3; ++k) corners[3 * t + k] = static_cast<std::int32_t>(triangles[t][k]);
  }
  const EdgeList edges = list_edges(points.size(), first, corners);
  const SurfaceReport report = measure_surface(points, first, corners, edges);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (report.is_to_be_turned[t]) std::swap(triangles[t][1], triangles[t][2]);
  }
  return report.is_closed && std::all_of(report.patches.begin(), report.patches.end(),
                                         [](const Patch& p) { return p.is_orientable; });
}

// ---- Filling ----

// The filled cells at one cell size.
struct Filling {
  CellGrid grid;
  CellBits surface;  // touched by a triangle or a point
  CellBits filled;
};

// Everything about the surface that does not depend on the size of the cells.
struct Body {
  Bulk bulk;
  bool is_closed = false;
  std::optional<WindingTree> winding;

  std::span<const Vec3> points() const { return bulk.points; }
  std::span<const Triangle> triangles() const { return bulk.triangles; }
};

// Around the middle of the box, so that a mirrored surface gets mirrored cells; with an empty layer around.
CellGrid grid_around(const Box& box, double cell) {
  CellGrid grid;
  grid.cell = cell;
  const Vec3d extent = box.upper - box.lower;
  for (int axis = 0; axis < 3; ++axis) {
    const double count = std::floor(extent[axis] / cell) + 3;
    grid.size[static_cast<std::size_t>(axis)] = static_cast<std::int32_t>(count);
    grid.origin[axis] = box.centre()[axis] - 0.5 * count * cell;
  }
  return grid;
}

double grid_cells(const Box& box, double cell) {
  const Vec3d extent = box.upper - box.lower;
  return (std::floor(extent.x / cell) + 3) * (std::floor(extent.y / cell) + 3) *
         (std::floor(extent.z / cell) + 3);
}

// The smallest cell for which count(cell) stays within the budget; count decreases as cells grow.
template <class Count>
double smallest_cell(double diagonal, double budget, const Count& count) {
  double low = diagonal * 1e-6, high = diagonal;
  for (int step = 0; step < 60; ++step) {
    const double middle = std::sqrt(low * high);
    (count(middle) > budget ? low : high) = middle;
  }
  return high;
}

LocalTriangle local_triangle(const CellGrid& grid, std::span<const Vec3> points, const Triangle& t) {
  return {grid.local(Vec3d(points[t[0]])), grid.local(Vec3d(points[t[1]])), grid.local(Vec3d(points[t[2]]))};
}

CellBits touched_cells(const CellGrid& grid, const Body& body) {
  CellBits bits(grid.word_count());
  parallel_for(body.triangles().size(), kTriangleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      visit_touched_cells(
          grid, local_triangle(grid, body.points(), body.triangles()[t]),
          [&](std::int32_t x, std::int32_t y, std::int32_t z) { set_bit_shared(bits, grid.place(x, y, z)); });
    }
  });
  for (std::size_t v = 0; v < body.points().size(); ++v) {
    if (body.bulk.is_far[v] != 0) continue;
    const Vec3d p = grid.local(Vec3d(body.points()[v]));
    set_bit(bits, grid.place(grid.clamped(p.x, 0), grid.clamped(p.y, 1), grid.clamped(p.z, 2)));
  }
  return bits;
}

bool is_inside(const Body& body, const Vec3d& place) {
  return std::abs(winding_number(*body.winding, place)) >= 0.5;
}

// For a surface without open edges, a region is entirely inside or entirely outside. For others, regions are
// small, and those whose middle does not decide are tested cell by cell.
void fill_inside(Filling& filling, const Body& body, const Progress& progress) {
  constexpr std::int32_t kBlock = 8;
  constexpr double kSurelyOut = 0.1, kSurelyIn = 0.9;
  const CellGrid& grid = filling.grid;
  const CellRegions regions = list_regions(grid, filling.surface, body.is_closed ? 0 : kBlock);
  enum Verdict : std::uint8_t { kOut, kIn, kMixed };
  std::vector<Verdict> verdict(regions.inner.size(), kOut);
  parallel_for(regions.inner.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end && !progress.is_stopped(); ++r) {
      // The first region contains the first cell of the grid, in the empty layer; unless rounding makes the
      // faces of a cube touch that cell.
      if (body.is_closed && r == 0 && !has_bit(filling.surface, 0)) continue;
      const double winding = std::abs(winding_number(*body.winding, grid.centre(regions.inner[r])));
      const bool is_sure = body.is_closed || winding < kSurelyOut || winding > kSurelyIn;
      verdict[r] = is_sure ? winding >= 0.5 ? kIn : kOut : kMixed;
    }
  });
  filling.filled = filling.surface;
  parallel_for(regions.runs.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end && !progress.is_stopped(); ++r) {
      const CellRegions::Run& run = regions.runs[r];
      if (verdict[run.region] == kOut) continue;
      for (std::uint32_t p = run.place; p < run.place + run.length; ++p) {
        if (verdict[run.region] == kIn || is_inside(body, grid.centre(p))) set_bit_shared(filling.filled, p);
      }
    }
  });
}

Filling fill(const Body& body, double cell, const Progress& progress) {
  Filling filling;
  filling.grid = grid_around(body.bulk.box, cell);
  filling.surface = touched_cells(filling.grid, body);
  fill_inside(filling, body, progress);
  return filling;
}

double count_bits(const CellBits& bits) {
  return static_cast<double>(
      std::transform_reduce(bits.begin(), bits.end(), std::size_t{0}, std::plus<>(),
                            [](std::uint64_t w) { return std::size_t(std::popcount(w)); }));
}

double sum_of_areas(const Body& body) {
  double sum = 0;
  for (const Triangle& t : body.triangles()) {
    const Vec3d a(body.points()[t[0]]);
    sum += 0.5 * length(cross(Vec3d(body.points()[t[1]]) - a, Vec3d(body.points()[t[2]]) - a));
  }
  return sum;
}

double choose_cell(const Body& body, const SolidOptions& options, const Progress& progress) {
  const Box& box = body.bulk.box;
  const double diagonal = box.diagonal();
  if (!(diagonal > 0)) return options.cell > 0 ? options.cell : 1;
  const auto in_grid = [&](double cell) { return grid_cells(box, cell); };
  const double at_least = std::max(smallest_cell(diagonal, static_cast<double>(options.grid_budget), in_grid),
                                   std::sqrt(sum_of_areas(body) / kMostVisits));
  if (options.cell > 0) return std::max(options.cell, at_least);
  std::size_t budget = std::max<std::size_t>(options.filled_budget, 1);
  if (body.triangles().empty()) budget = std::min(budget, body.points().size() / kPointsInCell + 1);
  const double trial = smallest_cell(diagonal, kTrialCells, in_grid);
  const Filling filling = fill(body, trial, progress);
  // The volume is the inside plus half of the surface cells, whose number is proportional to the area.
  const double at_surface = count_bits(filling.surface), in_all = count_bits(filling.filled);
  const auto filled = [&](double cell) {
    const double finer = trial / cell;
    return (in_all - 0.5 * at_surface) * finer * finer * finer + 0.5 * at_surface * finer * finer;
  };
  return std::max(smallest_cell(diagonal, static_cast<double>(budget), filled), at_least);
}

// ---- From bits to cells ----

VoxelSolid solid_of(const Filling& filling) {
  VoxelSolid solid;
  solid.origin = filling.grid.origin;
  solid.cell = filling.grid.cell;
  solid.size = filling.grid.size;
  solid.filled = filling.filled;
  solid.rank.resize(solid.filled.size());
  std::uint32_t count = 0;
  for (std::size_t w = 0; w < solid.filled.size(); ++w) {
    solid.rank[w] = count;
    count += static_cast<std::uint32_t>(std::popcount(solid.filled[w]));
  }
  solid.places.reserve(count);
  solid.is_surface.reserve(count);
  for (std::size_t w = 0; w < solid.filled.size(); ++w) {
    for (std::uint64_t word = solid.filled[w]; word != 0; word &= word - 1) {
      const std::size_t place = 64 * w + static_cast<std::size_t>(std::countr_zero(word));
      solid.places.push_back(static_cast<std::uint32_t>(place));
      solid.is_surface.push_back(has_bit(filling.surface, place) ? 1 : 0);
    }
  }
  return solid;
}

// Properties of a cell given by its triangles, as bits.
constexpr unsigned kFaceX = 1;         // and y and z: the face towards the next cell is touched
constexpr unsigned kNormalMinusX = 8;  // and the other five sides: a triangle faces that way
constexpr unsigned kHasTriangle = 512;
using CellMarks = std::vector<std::uint16_t>;

// Normals count for an axis if their component exceeds this: two that are opposite to within 45 degrees share
// an axis.
constexpr double kLooking = 0.5;

unsigned normal_marks(const LocalTriangle& t) {
  const Vec3d normal = normalized(cross(t[1] - t[0], t[2] - t[0]));
  unsigned marks = kHasTriangle;
  for (int axis = 0; axis < 3; ++axis) {
    if (normal[axis] < -kLooking) marks |= kNormalMinusX << 2 * axis;
    if (normal[axis] > kLooking) marks |= kNormalMinusX << (2 * axis + 1);
  }
  return marks;
}

CellMarks mark_cells(const VoxelSolid& solid, const CellGrid& grid, const Body& body) {
  CellMarks marks(solid.cell_count());
  parallel_for(body.triangles().size(), kTriangleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const LocalTriangle t = local_triangle(grid, body.points(), body.triangles()[k]);
      const unsigned of_normal = normal_marks(t);
      visit_touched_cells(grid, t, [&](std::int32_t x, std::int32_t y, std::int32_t z) {
        const std::int32_t c = solid.find(x, y, z);
        if (c < 0) return;
        unsigned here = of_normal;
        const Vec3d middle{x + 0.5, y + 0.5, z + 0.5};
        for (int axis = 0; axis < 3; ++axis) {
          Vec3d centre = middle, half{0.5, 0.5, 0.5};
          centre[axis] += 0.5, half[axis] = 0;
          if (does_touch_box(t, centre, half)) here |= kFaceX << axis;
        }
        std::uint16_t& cell = marks[static_cast<std::size_t>(c)];
        const std::atomic_ref<std::uint16_t> shared(cell);
        if ((shared.load(std::memory_order_relaxed) & here) != here) {
          shared.fetch_or(static_cast<std::uint16_t>(here), std::memory_order_relaxed);
        }
      });
    }
  });
  return marks;
}

// A face that no triangle touches is entirely inside or outside. Between cells that triangles touch it may be
// outside: in the gap between two sheets.
void link_cells(VoxelSolid& solid, const CellGrid& grid, const Body& body, const CellMarks& marks,
                const ShellContacts& contacts, const Progress& progress) {
  solid.links.assign(solid.cell_count(), {-1, -1, -1, -1, -1, -1});
  std::vector<std::size_t> cut((solid.cell_count() + kCellGrain - 1) / kCellGrain);
  parallel_for(solid.cell_count(), kCellGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end && !progress.is_stopped(); ++c) {
      const auto at = grid.coordinates(solid.places[c]);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        auto next = at;
        ++next[axis];
        const std::int32_t n = solid.find(next[0], next[1], next[2]);
        if (n < 0) continue;
        if (!contacts.parts.empty() &&
            contacts.do_part(grid, body.points(), body.triangles(), solid.places[c],
                             solid.places[static_cast<std::size_t>(n)])) {
          ++cut[begin / kCellGrain];
          continue;
        }
        const unsigned both = marks[c] & marks[static_cast<std::size_t>(n)] & kHasTriangle;
        if (both != 0 && (marks[c] & kFaceX << axis) == 0) {
          Vec3d face = grid.centre(solid.places[c]);
          face[static_cast<int>(axis)] += 0.5 * grid.cell;
          if (!is_inside(body, face)) {
            ++cut[begin / kCellGrain];
            continue;
          }
        }
        solid.links[c][2 * axis + 1] = n;
      }
    }
  });
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int32_t n = solid.links[c][2 * axis + 1];
      if (n >= 0) solid.links[static_cast<std::size_t>(n)][2 * axis] = static_cast<std::int32_t>(c);
    }
  }
  solid.cut_link_count = std::accumulate(cut.begin(), cut.end(), std::size_t{0});
}

void number_pieces(VoxelSolid& solid) {
  constexpr std::uint32_t kNone = ~0u;
  solid.piece.assign(solid.cell_count(), kNone);
  std::vector<std::uint32_t> to_do;
  for (std::size_t start = 0; start < solid.cell_count(); ++start) {
    if (solid.piece[start] != kNone) continue;
    const std::uint32_t number = static_cast<std::uint32_t>(solid.piece_count++);
    solid.piece[start] = number;
    to_do.push_back(static_cast<std::uint32_t>(start));
    while (!to_do.empty()) {
      const std::uint32_t c = to_do.back();
      to_do.pop_back();
      for (const std::int32_t n : solid.links[c]) {
        if (n < 0 || solid.piece[static_cast<std::size_t>(n)] != kNone) continue;
        solid.piece[static_cast<std::size_t>(n)] = number;
        to_do.push_back(static_cast<std::uint32_t>(n));
      }
    }
  }
}

// Small pieces that came off at contacts would bridge what they came from; returns whether there are any.
bool clear_splinters(const VoxelSolid& solid, const ShellContacts& contacts, CellBits& filled) {
  constexpr double kSplinter = 0.003;  // of all cells
  if (contacts.parts.empty() || solid.piece_count < 2) return false;
  std::vector<std::size_t> size(solid.piece_count, 0);
  std::vector<bool> is_at_contact(solid.piece_count, false);
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    ++size[solid.piece[c]];
    if (contacts.is_near(solid.places[c])) is_at_contact[solid.piece[c]] = true;
  }
  bool has_any = false;
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    const std::uint32_t piece = solid.piece[c];
    if (!is_at_contact[piece] ||
        static_cast<double>(size[piece]) > kSplinter * static_cast<double>(solid.cell_count()))
      continue;
    clear_bit(filled, solid.places[c]);
    has_any = true;
  }
  return has_any;
}

// ---- Cells with two sheets ----

// True if two triangles face each other across a gap in the cell around `centre`, by their planes.
bool do_face(const LocalTriangle& s, const LocalTriangle& t, const Vec3d& centre) {
  constexpr double kOpposite = -0.5, kGap = 0.02;  // as a fraction of a cell: below this, sheets touch
  const Vec3d ns = normalized(cross(s[1] - s[0], s[2] - s[0]));
  const Vec3d nt = normalized(cross(t[1] - t[0], t[2] - t[0]));
  if (dot(ns, nt) > kOpposite) return false;
  const Vec3d between = nt * dot(nt, t[0] - centre) - ns * dot(ns, s[0] - centre);
  return dot(between, ns) > kGap && dot(between, nt) < -kGap;
}

// True if two sheets among the triangles of a cell face each other. Triangles connected by shared points are
// one sheet.
bool has_two_sheets(const CellGrid& grid, const Body& body, const Vec3d& centre,
                    std::span<const std::uint32_t> triangles) {
  std::vector<std::size_t> sheet(triangles.size());
  std::iota(sheet.begin(), sheet.end(), std::size_t{0});
  const auto share = [](const Triangle& s, const Triangle& t) {
    return std::any_of(s.begin(), s.end(),
                       [&](std::uint32_t v) { return v == t[0] || v == t[1] || v == t[2]; });
  };
  for (std::size_t i = 1; i < triangles.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sheet[i] == sheet[j] || !share(body.triangles()[triangles[i]], body.triangles()[triangles[j]]))
        continue;
      std::replace(sheet.begin(), sheet.end(), std::max(sheet[i], sheet[j]), std::min(sheet[i], sheet[j]));
    }
  }
  for (std::size_t i = 1; i < triangles.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sheet[i] == sheet[j]) continue;
      if (do_face(local_triangle(grid, body.points(), body.triangles()[triangles[i]]),
                  local_triangle(grid, body.points(), body.triangles()[triangles[j]]), centre)) {
        return true;
      }
    }
  }
  return false;
}

bool has_opposite_normals(unsigned marks) {
  const unsigned minus = marks / kNormalMinusX;
  return (minus & minus >> 1 & 0b010101) != 0;
}

std::size_t count_shared_cells(const VoxelSolid& solid, const CellGrid& grid, const Body& body,
                               const CellMarks& marks) {
  // Only this many triangles of a cell are tested: the first ones show the sheets.
  constexpr std::size_t kMost = 32;
  struct InCell {
    std::uint32_t cell, triangle;
  };
  std::vector<std::vector<InCell>> of_range((body.triangles().size() + kTriangleGrain - 1) / kTriangleGrain);
  parallel_for(body.triangles().size(), kTriangleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      visit_touched_cells(grid, local_triangle(grid, body.points(), body.triangles()[t]),
                          [&](std::int32_t x, std::int32_t y, std::int32_t z) {
                            const std::int32_t found = solid.find(x, y, z);
                            if (found < 0) return;
                            const auto c = static_cast<std::uint32_t>(found);
                            if (!has_opposite_normals(marks[c])) return;
                            of_range[begin / kTriangleGrain].push_back({c, static_cast<std::uint32_t>(t)});
                          });
    }
  });
  std::vector<InCell> all;
  for (const auto& some : of_range) all.insert(all.end(), some.begin(), some.end());
  std::stable_sort(all.begin(), all.end(), [](const InCell& a, const InCell& b) { return a.cell < b.cell; });
  std::size_t shared = 0;
  std::vector<std::uint32_t> triangles;
  for (std::size_t k = 0; k < all.size();) {
    const std::uint32_t c = all[k].cell;
    triangles.clear();
    for (; k < all.size() && all[k].cell == c; ++k) {
      if (triangles.size() < kMost) triangles.push_back(all[k].triangle);
    }
    const Vec3d centre = grid.local(grid.centre(solid.places[c]));
    if (has_two_sheets(grid, body, centre, triangles)) ++shared;
  }
  return shared;
}

Result<VoxelSolid> voxelize(std::span<const Vec3> points, std::span<const Triangle> triangles,
                            const SolidOptions& options, const Progress& progress) {
  if (points.empty()) return Error{Errc::bad_argument, "there are no points to make a solid from"};
  if (options.cell < 0 || !std::isfinite(options.cell)) {
    return Error{Errc::bad_argument, "the edge of a cell must be a positive length"};
  }
  if (auto going = progress.at("filling the body", 0); !going) return going.error();
  Body body;
  body.bulk = find_bulk(points, triangles);
  body.is_closed = turn_alike(body.points(), body.bulk.triangles);
  body.winding = winding_tree(body.points(), body.triangles());
  if (auto going = progress.at("filling the body", 0.2); !going) return going.error();
  const double cell = choose_cell(body, options, progress);
  Filling filling = fill(body, cell, progress);
  ShellContacts contacts;
  if (options.separates_contacts) {
    contacts =
        find_contacts(filling.grid, body.points(), body.triangles(), filling.filled, *body.winding, progress);
    for (const std::uint32_t place : contacts.between) clear_bit(filling.filled, place);
  }
  if (auto going = progress.at("filling the body", 0.5); !going) return going.error();
  VoxelSolid solid = solid_of(filling);
  CellMarks marks = mark_cells(solid, filling.grid, body);
  if (auto going = progress.at("filling the body", 0.7); !going) return going.error();
  link_cells(solid, filling.grid, body, marks, contacts, progress);
  number_pieces(solid);
  if (clear_splinters(solid, contacts, filling.filled)) {
    solid = solid_of(filling);
    marks = mark_cells(solid, filling.grid, body);
    link_cells(solid, filling.grid, body, marks, contacts, progress);
    number_pieces(solid);
  }
  solid.is_closed = body.is_closed;
  solid.far_point_count = body.bulk.far_points;
  solid.far_triangle_count = body.bulk.far_triangles;
  solid.shared_cell_count = count_shared_cells(solid, filling.grid, body, marks);
  if (solid.piece_count > 1) add_bridges(solid);
  if (auto going = progress.at("filling the body", 1); !going) return going.error();
  return solid;
}

}  // namespace

std::int32_t VoxelSolid::find(std::int32_t x, std::int32_t y, std::int32_t z) const {
  if (x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2]) return kNoCell;
  const std::size_t place = CellGrid{origin, cell, size}.place(x, y, z);
  const std::uint64_t word = filled[place / 64], bit = std::uint64_t{1} << place % 64;
  if ((word & bit) == 0) return kNoCell;
  return static_cast<std::int32_t>(rank[place / 64]) + std::popcount(word & (bit - 1));
}

std::int32_t VoxelSolid::find(const Vec3d& point) const {
  const Vec3d p = CellGrid{origin, cell, size}.local(point);
  for (int axis = 0; axis < 3; ++axis) {
    if (!(p[axis] >= 0 && p[axis] < size[static_cast<std::size_t>(axis)])) return kNoCell;
  }
  return find(static_cast<std::int32_t>(p.x), static_cast<std::int32_t>(p.y), static_cast<std::int32_t>(p.z));
}

Vec3d VoxelSolid::centre(std::size_t c) const { return CellGrid{origin, cell, size}.centre(places[c]); }

Result<VoxelSolid> voxelize_solid(std::span<const Vec3> points, std::span<const Triangle> triangles,
                                  const SolidOptions& options, const Progress& progress) {
  return without_throwing("filling the body", [&] { return voxelize(points, triangles, options, progress); });
}

}  // namespace dermis
