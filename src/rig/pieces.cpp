// SPDX-License-Identifier: MIT
// Separates what does not belong to the body.
#include "rig/pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace dermis {
namespace {

// A loose piece has fewer of the cells than this, and is further away than this many of its sizes.
constexpr double kLooseShare = 0.25, kLooseGap = 0.4;
// A piece that has a counterpart as large, within this ratio, is one of a pair and may be further away: hands
// that float beside a body.
constexpr double kCounterpart = 0.8;
// A plate is thinner than this fraction of its width, wider than this fraction of everything else, which lies
// no deeper in it than this fraction of its width and rises from it by at least this one.
constexpr double kPlateThickness = 0.15, kPlateWidth = 0.35, kPlateDepth = 0.04, kPlateRise = 0.3;
// A prop is longer than this fraction of the body, and thinner than this fraction of its length, or flatter
// than this fraction of its width.
constexpr double kPropLength = 0.25, kPropThickness = 0.16, kPropFlatness = 0.12;
// Places count as occupied by cells of this fraction of the body's box, with their neighbours.
constexpr double kMirrorCell = 0.015;
// A plane of symmetry mirrors at least this share of the surface, and a shell that belongs to the body at
// least this share of itself. The plane is looked for around the middle, as far as this fraction of the box.
constexpr double kMirroredBody = 0.6, kMirroredShell = 0.5, kMirrorReach = 0.3;
constexpr int kMirrorSteps = 60;
// Two shells are alike if their sizes differ by no more than this ratio.
constexpr double kAlike = 0.9;
// More shells than this are hair, scales or scan noise, and are not compared.
constexpr std::size_t kMostShells = 2000;
constexpr std::uint32_t kNoPoint = UINT32_MAX;

// The triangles of the shells that are kept.
BodySurface kept_surface(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles,
                         const std::vector<bool>& is_aside) {
  BodySurface kept;
  std::vector<std::uint32_t> place(points.size(), kNoPoint);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (is_aside[t]) continue;
    SurfaceMesh::Triangle triangle = triangles[t];
    for (std::uint32_t& v : triangle) {
      if (place[v] == kNoPoint) {
        place[v] = static_cast<std::uint32_t>(kept.points.size());
        kept.points.push_back(points[v]);
      }
      v = place[v];
    }
    kept.triangles.push_back(triangle);
  }
  return kept;
}

// ---- Pieces of the solid --------------------------------------------------------------------------------

std::vector<bool> loose_pieces(const VoxelSolid& solid) {
  struct Piece {
    Box box;
    double cell_count = 0, gap = std::numeric_limits<double>::infinity();
  };
  std::vector<Piece> pieces(solid.piece_count);
  for (std::uint32_t c = 0; c < solid.cell_count(); ++c) {
    Piece& piece = pieces[solid.piece[c]];
    piece.box.add(solid.centre(c));
    piece.cell_count += 1;
    for (std::uint32_t b = solid.bridge_first[c]; b < solid.bridge_first[c + 1]; ++b)
      piece.gap = std::min(piece.gap, double{solid.bridges[b].length});
  }
  const auto has_counterpart = [&](const Piece& piece) {
    return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& other) {
      const double ratio =
          std::min(piece.cell_count, other.cell_count) / std::max(piece.cell_count, other.cell_count);
      return &piece != &other && ratio > kCounterpart;
    });
  };
  std::vector<bool> is_loose;
  for (const Piece& piece : pieces) {
    const double size = piece.box.diagonal() + solid.cell;
    const bool is_far = piece.gap > (has_counterpart(piece) ? 1 : kLooseGap) * size;
    is_loose.push_back(piece.cell_count < kLooseShare * static_cast<double>(solid.cell_count()) && is_far);
  }
  return is_loose;
}

// ---- Symmetry -------------------------------------------------------------------------------------------

// The middles of triangles, and which of them have a mirror image on the surface across a plane that lies
// across an axis.
class MirrorTest {
 public:
  MirrorTest(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles) {
    for (const Vec3& point : points) box_.add(Vec3d(point));
    cell_ = kMirrorCell * box_.diagonal();
    for (const SurfaceMesh::Triangle& t : triangles) {
      const Vec3d a(points[t[0]]), b(points[t[1]]), c(points[t[2]]);
      middles_.push_back((a + b + c) * (1.0 / 3));
      areas_.push_back(0.5 * length(cross(b - a, c - a)));
      for (const Vec3d& place : {a, b, c, middles_.back()}) occupy(place);
    }
  }

  // Of each triangle: has a mirror image. Empty if no plane mirrors most of the surface.
  std::vector<bool> mirrored() const {
    int best_axis = -1;
    double best_offset = 0, most = kMirroredBody;
    for (int axis = 0; axis < 3; ++axis) {
      for (int step = -kMirrorSteps; step <= kMirrorSteps; ++step) {
        const double offset =
            box_.centre()[axis] + kMirrorReach * (box_.upper[axis] - box_.lower[axis]) * step / kMirrorSteps;
        if (const double share = share_at(axis, offset); share > most)
          most = share, best_axis = axis, best_offset = offset;
      }
    }
    std::vector<bool> is_mirrored;
    for (std::size_t t = 0; t < middles_.size() && best_axis >= 0; ++t)
      is_mirrored.push_back(is_occupied(image(middles_[t], best_axis, best_offset)));
    return is_mirrored;
  }
  double area(std::size_t triangle) const { return areas_[triangle]; }

 private:
  using Cell = std::array<int, 3>;
  Cell cell_of(const Vec3d& place) const {
    Cell cell{};
    for (int axis = 0; axis < 3; ++axis)
      cell[static_cast<std::size_t>(axis)] =
          static_cast<int>(std::floor((place[axis] - box_.lower[axis]) / cell_));
    return cell;
  }
  void occupy(const Vec3d& place) {
    const Cell own = cell_of(place);
    if (!known_.insert(own).second) return;
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) occupied_.insert({own[0] + x, own[1] + y, own[2] + z});
      }
    }
  }
  bool is_occupied(const Vec3d& place) const { return occupied_.count(cell_of(place)) > 0; }
  static Vec3d image(Vec3d place, int axis, double offset) {
    place[axis] = 2 * offset - place[axis];
    return place;
  }
  double share_at(int axis, double offset) const {
    // So many triangles say enough.
    constexpr std::size_t kEnough = 2000;
    const std::size_t stride = std::max<std::size_t>(1, middles_.size() / kEnough);
    double area = 0, all = 0;
    for (std::size_t t = 0; t < middles_.size(); t += stride) {
      all += areas_[t];
      area += is_occupied(image(middles_[t], axis, offset)) ? areas_[t] : 0;
    }
    return all > 0 ? area / all : 0;
  }

  Box box_;
  double cell_ = 1;
  std::vector<Vec3d> middles_;
  std::vector<double> areas_;
  std::set<Cell> known_, occupied_;
};

// ---- Shells ---------------------------------------------------------------------------------------------

// One connected part of the surface, in the frame of its main axes.
struct Shell {
  std::vector<std::uint32_t> points;
  Vec3d centre;
  Mat3d axes;                      // columns
  std::array<double, 3> extent{};  // along them, the longest first
  double area = 0;
};

class Shells {
 public:
  Shells(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles)
      : points_(points), triangles_(triangles) {
    std::vector<std::uint32_t> first{0};
    std::vector<std::int32_t> corners;
    corners.reserve(3 * triangles.size());
    first.reserve(triangles.size() + 1);
    for (const SurfaceMesh::Triangle& t : triangles) {
      for (const std::uint32_t v : t) corners.push_back(static_cast<std::int32_t>(v));
      first.push_back(static_cast<std::uint32_t>(corners.size()));
    }
    shell_of_ = shells_of_welded_points(weld_coincident(points), first, corners);
    for (std::size_t v = 0; v < points.size(); ++v) {
      if (shell_of_[v] < 0) continue;
      const auto s = static_cast<std::size_t>(shell_of_[v]);
      if (s >= shells_.size()) shells_.resize(s + 1);
      shells_[s].points.push_back(static_cast<std::uint32_t>(v));
    }
    if (!can_compare()) return;
    measure();
  }

  bool can_compare() const { return shells_.size() > 1 && shells_.size() <= kMostShells; }
  const std::vector<Shell>& all() const { return shells_; }
  double area() const {
    double sum = 0;
    for (const Shell& shell : shells_) sum += shell.area;
    return sum;
  }

  // The box of the points of all shells that are not `apart`, in the axes of a shell and from its centre.
  Box box_of_others(const Shell& shell, const std::vector<bool>& apart) const {
    Box box;
    for (const Shell& other : shells_) {
      if (&other == &shell || apart[static_cast<std::size_t>(&other - shells_.data())]) continue;
      for (const std::uint32_t v : other.points) box.add(in_axes(shell, v));
    }
    return box;
  }

  bool has_twin(const Shell& shell) const {
    return std::any_of(shells_.begin(), shells_.end(), [&](const Shell& other) {
      if (&other == &shell) return false;
      for (std::size_t axis = 0; axis < 2; ++axis)
        if (!are_alike(shell.extent[axis], other.extent[axis])) return false;
      return are_alike(shell.area, other.area);
    });
  }

  // Which have no mirror image, if most of the surface has one.
  std::vector<bool> one_sided() const {
    const MirrorTest test(points_, triangles_);
    const std::vector<bool> is_mirrored = test.mirrored();
    std::vector<bool> is_one_sided(shells_.size(), false);
    if (is_mirrored.empty()) return is_one_sided;
    std::vector<double> mirrored(shells_.size(), 0);
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      mirrored[static_cast<std::size_t>(shell_of_[triangles_[t][0]])] += is_mirrored[t] ? test.area(t) : 0;
    for (std::size_t s = 0; s < shells_.size(); ++s)
      is_one_sided[s] = mirrored[s] < kMirroredShell * shells_[s].area;
    return is_one_sided;
  }

  BodySurface without(const std::vector<bool>& is_aside, SetAside::Kind kind) const {
    std::vector<bool> triangle_aside;
    triangle_aside.reserve(triangles_.size());
    for (const SurfaceMesh::Triangle& t : triangles_)
      triangle_aside.push_back(is_aside[static_cast<std::size_t>(shell_of_[t[0]])]);
    BodySurface kept = kept_surface(points_, triangles_, triangle_aside);
    for (std::size_t s = 0; s < shells_.size(); ++s)
      if (is_aside[s]) kept.aside.push_back({kind, Vec3d(points_[shells_[s].points.front()])});
    return kept;
  }

 private:
  static bool are_alike(double a, double b) { return std::min(a, b) >= kAlike * std::max(a, b); }

  Vec3d in_axes(const Shell& shell, std::uint32_t v) const {
    return transposed(shell.axes) * (Vec3d(points_[v]) - shell.centre);
  }

  // Main axes from the second moments of the area.
  void measure() {
    std::vector<Mat3d> moment(shells_.size(), Mat3d(Vec3d{}, Vec3d{}, Vec3d{}));
    for (const SurfaceMesh::Triangle& t : triangles_) {
      Shell& shell = shells_[static_cast<std::size_t>(shell_of_[t[0]])];
      const double area = area_of(t);
      shell.area += area;
      for (const std::uint32_t v : t) shell.centre += Vec3d(points_[v]) * (area / 3);
    }
    for (Shell& shell : shells_)
      shell.centre = shell.area > 0 ? shell.centre * (1 / shell.area) : Vec3d(points_[shell.points.front()]);
    for (const SurfaceMesh::Triangle& t : triangles_) {
      const auto s = static_cast<std::size_t>(shell_of_[t[0]]);
      for (const std::uint32_t v : t) {
        const Vec3d arm = Vec3d(points_[v]) - shells_[s].centre;
        for (int column = 0; column < 3; ++column) moment[s][column] += arm * (arm[column] * area_of(t));
      }
    }
    for (std::size_t s = 0; s < shells_.size(); ++s) {
      Shell& shell = shells_[s];
      shell.axes = svd(moment[s]).u;
      Box box;
      for (const std::uint32_t v : shell.points) box.add(in_axes(shell, v));
      const Vec3d side = box.upper - box.lower;
      shell.extent = {side.x, side.y, side.z};
      sort_axes(shell);
    }
  }

  // Moments and extents need not be in the same order.
  static void sort_axes(Shell& shell) {
    for (const auto& [a, b] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 1}}) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      if (shell.extent[i] >= shell.extent[j]) continue;
      std::swap(shell.extent[i], shell.extent[j]);
      std::swap(shell.axes[a], shell.axes[b]);
    }
  }

  double area_of(const SurfaceMesh::Triangle& t) const {
    const Vec3d a(points_[t[0]]), b(points_[t[1]]), c(points_[t[2]]);
    return 0.5 * length(cross(b - a, c - a));
  }

  std::span<const Vec3> points_;
  std::span<const SurfaceMesh::Triangle> triangles_;
  std::vector<std::int32_t> shell_of_;  // of each point; -1: none
  std::vector<Shell> shells_;
};

bool is_any(const std::vector<bool>& list) { return std::find(list.begin(), list.end(), true) != list.end(); }

}  // namespace

BodySurface without_plates(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles) {
  const Shells shells(points, triangles);
  if (!shells.can_compare()) return {};
  std::vector<bool> is_plate(shells.all().size(), false);
  for (std::size_t s = 0; s < is_plate.size(); ++s) {
    const Shell& shell = shells.all()[s];
    const double width = shell.extent[1];
    if (!(shell.extent[2] < kPlateThickness * width)) continue;
    const Box others = shells.box_of_others(shell, is_plate);
    if (others.is_empty()) continue;
    const Vec3d size = others.upper - others.lower;
    const bool is_wide = width > kPlateWidth * std::max({size.x, size.y, size.z});
    // What stands on it may sink into it and a little further.
    const double deep = 0.5 * shell.extent[2] + kPlateDepth * width;
    is_plate[s] = is_wide && size.z > kPlateRise * width && (others.lower.z > -deep || others.upper.z < deep);
  }
  if (!is_any(is_plate)) return {};
  return shells.without(is_plate, SetAside::Kind::plate);
}

BodySurface without_loose_pieces(const VoxelSolid& solid, std::span<const Vec3> points,
                                 std::span<const SurfaceMesh::Triangle> triangles) {
  if (solid.piece_count < 2) return {};
  const std::vector<bool> is_loose = loose_pieces(solid);
  if (!is_any(is_loose)) return {};
  std::vector<bool> is_aside;
  is_aside.reserve(triangles.size());
  std::vector<std::optional<Vec3d>> place(solid.piece_count);
  for (const SurfaceMesh::Triangle& triangle : triangles) {
    bool is_outside = false;
    for (const std::uint32_t v : triangle) {
      const std::int32_t c = solid.find(Vec3d(points[v]));
      if (c == VoxelSolid::kNoCell || !is_loose[solid.piece[static_cast<std::size_t>(c)]]) continue;
      is_outside = true;
      place[solid.piece[static_cast<std::size_t>(c)]] = Vec3d(points[v]);
    }
    is_aside.push_back(is_outside);
  }
  BodySurface kept = kept_surface(points, triangles, is_aside);
  for (const std::optional<Vec3d>& one : place)
    if (one) kept.aside.push_back({SetAside::Kind::piece, *one});
  return kept;
}

BodySurface without_props(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles) {
  const Shells shells(points, triangles);
  if (!shells.can_compare()) return {};
  Box box;
  for (const Shell& shell : shells.all())
    for (const std::uint32_t v : shell.points) box.add(Vec3d(points[v]));
  const std::vector<bool> is_one_sided = shells.one_sided();
  std::vector<bool> is_prop;
  for (std::size_t s = 0; s < shells.all().size(); ++s) {
    const Shell& shell = shells.all()[s];
    const auto& [long_side, width, thickness] = shell.extent;
    const bool is_rod = width < kPropThickness * long_side;
    const bool is_sheet = thickness < kPropFlatness * width;
    const bool is_long = long_side > kPropLength * box.diagonal() && (is_rod || is_sheet);
    is_prop.push_back(shell.area < 0.5 * shells.area() &&
                      (is_one_sided[s] || (is_long && !shells.has_twin(shell))));
  }
  if (!is_any(is_prop)) return {};
  return shells.without(is_prop, SetAside::Kind::prop);
}

}  // namespace dermis
