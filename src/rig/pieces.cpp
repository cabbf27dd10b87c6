// SPDX-License-Identifier: MIT
// Separates loose pieces from the body.
#include "rig/pieces.h"

#include <algorithm>
#include <limits>

namespace dermis {
namespace {

// A piece with more of the cells than this belongs to the body, wherever it is.
constexpr double kLooseShare = 0.03;
constexpr std::uint32_t kNoPoint = UINT32_MAX;

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
  std::vector<bool> is_loose;
  for (const Piece& piece : pieces) {
    const double size = length(piece.box.upper - piece.box.lower) + solid.cell;
    is_loose.push_back(piece.cell_count < kLooseShare * static_cast<double>(solid.cell_count()) &&
                       piece.gap > size);
  }
  return is_loose;
}

}  // namespace

BodySurface without_loose_pieces(const VoxelSolid& solid, std::span<const Vec3> points,
                                 std::span<const SurfaceMesh::Triangle> triangles) {
  BodySurface kept;
  if (solid.piece_count < 2) return kept;
  const std::vector<bool> is_loose = loose_pieces(solid);
  kept.loose_count = static_cast<std::size_t>(std::count(is_loose.begin(), is_loose.end(), true));
  if (kept.loose_count == 0) return kept;
  const auto is_kept = [&](const Vec3& point) {
    const std::int32_t c = solid.find(Vec3d(point));
    return c == VoxelSolid::kNoCell || !is_loose[solid.piece[static_cast<std::size_t>(c)]];
  };
  std::vector<std::uint32_t> place(points.size(), kNoPoint);
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (!is_kept(points[v])) continue;
    place[v] = static_cast<std::uint32_t>(kept.points.size());
    kept.points.push_back(points[v]);
  }
  for (const auto& [a, b, c] : triangles) {
    const SurfaceMesh::Triangle triangle{place[a], place[b], place[c]};
    if (std::find(triangle.begin(), triangle.end(), kNoPoint) == triangle.end())
      kept.triangles.push_back(triangle);
  }
  return kept;
}

}  // namespace dermis
