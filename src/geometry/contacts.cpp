// SPDX-License-Identifier: MIT
// Finds where a shell touches or crosses itself, by the winding number of the shell alone.
#include "geometry/contacts.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

// In front of a triangle, in cells: sides further apart than the last one have cells between them that no
// triangle touches.
constexpr std::array kAhead{1.2, 2.0, 2.6};
// Around them, in cells, links do not cross the surface either.
constexpr std::int32_t kZone = 3;
constexpr double kInsideShell = 0.5, kInBoth = 1.5;
// Smaller shells, as a share of the area, are not limbs.
constexpr double kLeastShell = 0.02;

// The shell of each triangle: triangles that share points, numbered by their first triangle.
std::vector<std::uint32_t> shells_of(std::size_t point_count, std::span<const Triangle> triangles,
                                     std::size_t& shell_count) {
  std::vector<std::uint32_t> owner(point_count);
  std::iota(owner.begin(), owner.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (owner[v] != v) v = owner[v] = owner[owner[v]];
    return v;
  };
  for (const Triangle& t : triangles) {
    owner[root(t[1])] = root(t[0]);
    owner[root(t[2])] = root(t[0]);
  }
  std::vector<std::uint32_t> number(point_count, UINT32_MAX), shell;
  shell.reserve(triangles.size());
  shell_count = 0;
  for (const Triangle& t : triangles) {
    std::uint32_t& own = number[root(t[0])];
    if (own == UINT32_MAX) own = static_cast<std::uint32_t>(shell_count++);
    shell.push_back(own);
  }
  return shell;
}

// A shell by itself.
struct Shell {
  std::vector<std::uint32_t> triangles;
  WindingTree winding;
  double sign = 1;  // -1: inside out

  double winding_at(const Vec3d& place) const { return sign * winding_number(winding, place); }
};

std::vector<Shell> large_shells(std::span<const Vec3> points, std::span<const Triangle> triangles) {
  std::size_t count = 0;
  const std::vector<std::uint32_t> shell_of = shells_of(points.size(), triangles, count);
  std::vector<double> area(count, 0), volume(count, 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Vec3d a(points[triangles[t][0]]), b(points[triangles[t][1]]), c(points[triangles[t][2]]);
    area[shell_of[t]] += 0.5 * length(cross(b - a, c - a));
    volume[shell_of[t]] += dot(a, cross(b, c)) / 6;
  }
  const double all = std::accumulate(area.begin(), area.end(), 0.0);
  std::vector<std::int32_t> large(count, -1);
  std::vector<Shell> shells;
  for (std::size_t s = 0; s < count; ++s) {
    if (area[s] < kLeastShell * all) continue;
    large[s] = static_cast<std::int32_t>(shells.size());
    shells.emplace_back();
    shells.back().sign = volume[s] < 0 ? -1 : 1;
  }
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (const std::int32_t s = large[shell_of[t]]; s >= 0)
      shells[static_cast<std::size_t>(s)].triangles.push_back(static_cast<std::uint32_t>(t));
  for (Shell& shell : shells) {
    std::vector<Triangle> own;
    own.reserve(shell.triangles.size());
    for (const std::uint32_t t : shell.triangles) own.push_back(triangles[t]);
    shell.winding = winding_tree(points, own);
  }
  return shells;
}

// Tests the parts of triangles of one shell in the cells that they touch.
class ContactSearch {
 public:
  ContactSearch(const CellGrid& grid, std::span<const Vec3> points, std::span<const Triangle> triangles,
                const CellBits& filled)
      : grid_(grid), points_(points), triangles_(triangles), filled_(filled) {}

  std::vector<ShellContact> parts_of(const Shell& shell, const Progress& progress) const {
    constexpr std::size_t kGrain = 512;
    std::vector<std::vector<ShellContact>> of_range((shell.triangles.size() + kGrain - 1) / kGrain);
    parallel_for(shell.triangles.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end && !progress.is_stopped(); ++k) {
        const std::uint32_t t = shell.triangles[k];
        const LocalTriangle local = corners_of(t);
        const Vec3d normal = normalized(cross(local[1] - local[0], local[2] - local[0])) * shell.sign;
        if (!(length(normal) > 0.5)) continue;
        visit_touched_cells(grid_, local, [&](std::int32_t x, std::int32_t y, std::int32_t z) {
          if (is_inside_ahead(shell, nearest_on(local, {x + 0.5, y + 0.5, z + 0.5}), normal))
            of_range[begin / kGrain].push_back({static_cast<std::uint32_t>(grid_.place(x, y, z)), t});
        });
      }
    });
    std::vector<ShellContact> parts;
    for (const std::vector<ShellContact>& some : of_range)
      parts.insert(parts.end(), some.begin(), some.end());
    return parts;
  }

  // Cells near the parts: where a finger tip touches a thigh, the side of the finger has nothing ahead.
  CellBits near(std::span<const ShellContact> parts) const {
    CellBits zone(grid_.word_count());
    for (const ShellContact& part : parts) {
      const auto at = grid_.coordinates(part.place);
      std::array<std::int32_t, 3> low{}, high{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::max(0, at[axis] - kZone);
        high[axis] = std::min(grid_.size[axis] - 1, at[axis] + kZone);
      }
      for (std::int32_t z = low[2]; z <= high[2]; ++z)
        for (std::int32_t y = low[1]; y <= high[1]; ++y)
          for (std::int32_t x = low[0]; x <= high[0]; ++x) set_bit(zone, grid_.place(x, y, z));
    }
    return zone;
  }

  // All parts of a shell in a zone.
  std::vector<ShellContact> parts_in(const CellBits& zone, const Shell& shell) const {
    std::vector<ShellContact> parts;
    for (const std::uint32_t t : shell.triangles) {
      visit_touched_cells(grid_, corners_of(t), [&](std::int32_t x, std::int32_t y, std::int32_t z) {
        const std::size_t place = grid_.place(x, y, z);
        if (has_bit(zone, place)) parts.push_back({static_cast<std::uint32_t>(place), t});
      });
    }
    std::sort(parts.begin(), parts.end());
    return parts;
  }

  // Cells that the parts touch whose middle is outside the surface, and those whose middle is inside the
  // shell twice: where it is crossed deeply, cells between the sides are touched by neither.
  void add_between(const Shell& shell, const WindingTree& all, std::span<const ShellContact> parts,
                   std::vector<std::uint32_t>& between) const {
    CellBits seen(grid_.word_count());
    std::vector<std::uint32_t> to_do;
    const auto offer = [&](std::size_t place) {
      if (has_bit(seen, place)) return;
      set_bit(seen, place);
      to_do.push_back(static_cast<std::uint32_t>(place));
    };
    for (const ShellContact& part : parts) offer(part.place);
    const std::size_t touched = to_do.size();
    for (std::size_t k = 0; k < to_do.size(); ++k) {
      const Vec3d middle = grid_.centre(to_do[k]);
      const double winding = shell.winding_at(middle);
      const bool is_twice = winding >= kInBoth;
      const bool is_gap =
          k < touched && winding < kInsideShell && std::abs(winding_number(all, middle)) < kInsideShell;
      if (is_twice || is_gap) between.push_back(to_do[k]);
      if (!is_twice) continue;
      const auto at = grid_.coordinates(to_do[k]);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const int step : {-1, 1}) {
          auto next = at;
          next[axis] += step;
          if (next[axis] < 0 || next[axis] >= grid_.size[axis]) continue;
          const std::size_t place = grid_.place(next[0], next[1], next[2]);
          if (has_bit(filled_, place)) offer(place);
        }
      }
    }
  }

 private:
  LocalTriangle corners_of(std::uint32_t t) const {
    const Triangle& c = triangles_[t];
    return {grid_.local(Vec3d(points_[c[0]])), grid_.local(Vec3d(points_[c[1]])),
            grid_.local(Vec3d(points_[c[2]]))};
  }

  // Near enough: the middle of the cell moved into the plane of the triangle, and from there into the
  // triangle.
  static Vec3d nearest_on(const LocalTriangle& t, const Vec3d& place) {
    const Vec3d ab = t[1] - t[0], ac = t[2] - t[0], ap = place - t[0];
    const double d00 = dot(ab, ab), d01 = dot(ab, ac), d11 = dot(ac, ac), d20 = dot(ap, ab),
                 d21 = dot(ap, ac);
    const double scale = d00 * d11 - d01 * d01;
    double v = scale > 0 ? (d11 * d20 - d01 * d21) / scale : 1.0 / 3;
    double w = scale > 0 ? (d00 * d21 - d01 * d20) / scale : 1.0 / 3;
    double u = 1 - v - w;
    u = std::max(u, 0.0), v = std::max(v, 0.0), w = std::max(w, 0.0);
    const double sum = u + v + w;
    return (t[0] * u + t[1] * v + t[2] * w) * (1 / sum);
  }

  bool is_inside_ahead(const Shell& shell, const Vec3d& on, const Vec3d& normal) const {
    for (const double ahead : kAhead) {
      const Vec3d place = on + normal * ahead;
      bool is_filled = true;
      std::array<std::int32_t, 3> cell{};
      for (int axis = 0; axis < 3; ++axis) {
        const double along = place[axis];
        is_filled = is_filled && along >= 0 && along < grid_.size[static_cast<std::size_t>(axis)];
        cell[static_cast<std::size_t>(axis)] = grid_.clamped(along, axis);
      }
      if (!is_filled || !has_bit(filled_, grid_.place(cell[0], cell[1], cell[2]))) continue;
      if (shell.winding_at(grid_.origin + place * grid_.cell) >= kInsideShell) return true;
    }
    return false;
  }

  const CellGrid& grid_;
  std::span<const Vec3> points_;
  std::span<const Triangle> triangles_;
  const CellBits& filled_;
};

// Whether a line along an axis, from `from` over `step`, crosses a triangle.
bool does_cross(const LocalTriangle& t, const Vec3d& from, const Vec3d& to) {
  constexpr double kEdgeSlack = 1e-6;
  const Vec3d ab = t[1] - t[0], ac = t[2] - t[0], way = to - from;
  const Vec3d p = cross(way, ac);
  const double scale = dot(ab, p);
  if (std::abs(scale) < 1e-12) return false;
  const Vec3d start = from - t[0];
  const double u = dot(start, p) / scale;
  const Vec3d q = cross(start, ab);
  const double v = dot(way, q) / scale, along = dot(ac, q) / scale;
  return u >= -kEdgeSlack && v >= -kEdgeSlack && u + v <= 1 + kEdgeSlack && along >= -kEdgeSlack &&
         along <= 1 + kEdgeSlack;
}

}  // namespace

bool ShellContacts::do_part(const CellGrid& grid, std::span<const Vec3> points,
                            std::span<const Triangle> triangles, std::uint32_t from, std::uint32_t to) const {
  const Vec3d a = grid.local(grid.centre(from)), b = grid.local(grid.centre(to));
  for (const std::uint32_t place : {from, to}) {
    for (auto part = std::lower_bound(parts.begin(), parts.end(), ShellContact{place, 0});
         part != parts.end() && part->place == place; ++part) {
      const Triangle& c = triangles[part->triangle];
      if (does_cross({grid.local(Vec3d(points[c[0]])), grid.local(Vec3d(points[c[1]])),
                      grid.local(Vec3d(points[c[2]]))},
                     a, b))
        return true;
    }
  }
  return false;
}

ShellContacts find_contacts(const CellGrid& grid, std::span<const Vec3> points,
                            std::span<const Triangle> triangles, const CellBits& filled,
                            const WindingTree& all, const Progress& progress) {
  ShellContacts contacts;
  const ContactSearch search(grid, points, triangles, filled);
  for (const Shell& shell : large_shells(points, triangles)) {
    if (progress.is_stopped()) return contacts;
    const std::vector<ShellContact> parts =
        search.parts_in(search.near(search.parts_of(shell, progress)), shell);
    search.add_between(shell, all, parts, contacts.between);
    contacts.parts.insert(contacts.parts.end(), parts.begin(), parts.end());
  }
  std::sort(contacts.parts.begin(), contacts.parts.end());
  std::sort(contacts.between.begin(), contacts.between.end());
  contacts.between.erase(std::unique(contacts.between.begin(), contacts.between.end()),
                         contacts.between.end());
  return contacts;
}

}  // namespace dermis
