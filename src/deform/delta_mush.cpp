// SPDX-License-Identifier: MIT
// Delta mush (Mancewicz et al. 2014): a posed mesh smoothed, with the detail of the rest pose put back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "deform/sizes.h"
#include "deform/smoothing_reach.h"
#include "dermis/deform.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

constexpr std::size_t kMushGrain = 2048;
// Edges whose directions differ by less (relative squared spread) span a line, not a surface.
constexpr double kLeastSpread = 1e-6;
// Points with the same neighbours are smoothed onto each other: any distance left is rounding.
constexpr double kShortestEdge = 1e-3;
// A posed frame flatter than this is rounding: the cross product of floats is no better.
constexpr float kLeastArea = 1e-5f;

// Breadth first from the lowest point of each shell: neighbours are close together in memory.
std::vector<std::uint32_t> breadth_first(const NeighbourList& list) {
  std::vector<std::uint32_t> order;
  order.reserve(list.point_count());
  std::vector<bool> is_seen(list.point_count());
  for (std::uint32_t start = 0; start < list.point_count(); ++start) {
    if (is_seen[start]) continue;
    is_seen[start] = true;
    order.push_back(start);
    for (std::size_t next = order.size() - 1; next < order.size(); ++next) {
      const std::uint32_t v = order[next];
      for (std::uint32_t k = list.first[v]; k < list.first[v + 1]; ++k) {
        if (is_seen[list.points[k]]) continue;
        is_seen[list.points[k]] = true;
        order.push_back(list.points[k]);
      }
    }
  }
  return order;
}

// The welded surface with its points in that order.
WeldedSurface ordered_surface(const Mesh& mesh) {
  WeldedSurface surface = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  const std::vector<std::uint32_t> order =
      breadth_first(list_neighbours(surface.point_count(), surface.triangles));
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (std::int32_t& v : surface.welded) v = static_cast<std::int32_t>(place[static_cast<std::size_t>(v)]);
  for (SurfaceMesh::Triangle& t : surface.triangles) {
    for (std::uint32_t& v : t) v = place[v];
  }
  return surface;
}

void set_copies(const WeldedSurface& surface, DeltaMush& mush) {
  mush.point_count = surface.welded.size();
  mush.copy_first.assign(surface.point_count() + 1, 0);
  for (const std::int32_t i : surface.welded) ++mush.copy_first[static_cast<std::size_t>(i) + 1];
  for (std::size_t i = 0; i < surface.point_count(); ++i) mush.copy_first[i + 1] += mush.copy_first[i];
  mush.copies.resize(surface.welded.size());
  std::vector<std::uint32_t> next(mush.copy_first.begin(), mush.copy_first.end() - 1);
  for (std::size_t v = 0; v < surface.welded.size(); ++v) {
    mush.copies[next[static_cast<std::size_t>(surface.welded[v])]++] = static_cast<std::uint32_t>(v);
  }
}

// All neighbours; at a border only those along it.
void set_rings(const NeighbourList& list, DeltaMush& mush) {
  mush.ring_first = {0};
  for (std::size_t i = 0; i < list.point_count(); ++i) {
    const auto begin = list.sides.begin() + list.first[i], end = list.sides.begin() + list.first[i + 1];
    const bool is_border = std::find(begin, end, 1u) != end;
    for (std::uint32_t k = list.first[i]; k < list.first[i + 1]; ++k) {
      if (!is_border || list.sides[k] == 1) mush.ring.push_back(list.points[k]);
    }
    mush.ring_first.push_back(static_cast<std::uint32_t>(mush.ring.size()));
  }
}

Vec3d xyz(const Vec4& v) { return Vec3d(v.xyz()); }

// Area vectors of the triangles around each point.
std::vector<Vec3d> area_vectors(std::span<const Vec4> points, const WeldedSurface& surface) {
  std::vector<Vec3d> sums(points.size());
  for (const SurfaceMesh::Triangle& t : surface.triangles) {
    const Vec3d area = cross(xyz(points[t[1]]) - xyz(points[t[0]]), xyz(points[t[2]]) - xyz(points[t[0]]));
    for (const std::uint32_t v : t) sums[v] += area;
  }
  return sums;
}

// The coefficients with which the edges around i add up to two unit vectors along the surface: the gradient
// of the position by least squares, with all edges weighted equally, whatever their length. Sums of all
// edges, unlike the usual frame on one of them, change smoothly with the pose and favour no neighbour. None
// if the edges lie on a line.
std::vector<DeltaMush::FrameEdge> frame_edges_at(std::size_t i, std::span<const Vec4> points,
                                                 const NeighbourList& list, const Vec3d& area) {
  const Vec3d normal = normalized(area);
  const Vec3d aside = std::abs(normal.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  const Vec3d along = normalized(cross(aside, normal)), across = cross(normal, along);
  struct Flat {
    double x, y, weight;
  };
  std::vector<Flat> flats;
  double xx = 0, xy = 0, yy = 0, longest = 0;
  for (std::uint32_t k = list.first[i]; k < list.first[i + 1]; ++k) {
    longest = std::max(longest, length(xyz(points[list.points[k]]) - xyz(points[i])));
  }
  for (std::uint32_t k = list.first[i]; k < list.first[i + 1]; ++k) {
    const Vec3d edge = xyz(points[list.points[k]]) - xyz(points[i]);
    const double squared = dot(edge, edge);
    const bool has_direction = std::sqrt(squared) > kShortestEdge * longest;
    const Flat flat{dot(edge, along), dot(edge, across), has_direction ? 1 / squared : 0};
    flats.push_back(flat);
    xx += flat.weight * flat.x * flat.x;
    xy += flat.weight * flat.x * flat.y;
    yy += flat.weight * flat.y * flat.y;
  }
  const double spread = xx * yy - xy * xy;
  if (!(length(area) > 0) || !(spread > kLeastSpread * (xx + yy) * (xx + yy))) return {};
  std::vector<DeltaMush::FrameEdge> edges;
  for (std::size_t k = 0; k < flats.size(); ++k) {
    const Flat& flat = flats[k];
    edges.push_back({list.points[list.first[i] + k],
                     static_cast<float>(flat.weight * (yy * flat.x - xy * flat.y) / spread),
                     static_cast<float>(flat.weight * (xx * flat.y - xy * flat.x) / spread)});
  }
  return edges;
}

// Points without a frame use the nearest one along the edges. A shell without any is not smoothed: there is
// no frame to rotate its detail.
void lend_frames(const NeighbourList& list, DeltaMush& mush) {
  constexpr std::uint32_t kNobody = ~0u;
  const std::size_t count = list.point_count();
  mush.frame_of.assign(count, kNobody);
  std::vector<std::uint32_t> reached;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (mush.frame_first[i] == mush.frame_first[i + 1]) continue;
    mush.frame_of[i] = i;
    reached.push_back(i);
  }
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const std::uint32_t i = reached[next];
    for (std::uint32_t k = list.first[i]; k < list.first[i + 1]; ++k) {
      if (mush.frame_of[list.points[k]] != kNobody) continue;
      mush.frame_of[list.points[k]] = mush.frame_of[i];
      reached.push_back(list.points[k]);
    }
  }
  if (reached.size() == count) return;
  std::vector<std::uint32_t> ring_first{0}, ring;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (mush.frame_of[i] != kNobody) {
      ring.insert(ring.end(), mush.ring.begin() + mush.ring_first[i],
                  mush.ring.begin() + mush.ring_first[i + 1]);
    } else {
      mush.frame_of[i] = i;
    }
    ring_first.push_back(static_cast<std::uint32_t>(ring.size()));
  }
  mush.ring_first = std::move(ring_first);
  mush.ring = std::move(ring);
}

// Proper and orthonormal, nearest to the two axes (their 2x2 metric to the power -1/2), the normal third.
Mat3 frame_from(const Vec3& along, const Vec3& across) {
  const float xx = dot(along, along), xy = dot(along, across), yy = dot(across, across);
  const Vec3 area = cross(along, across);
  const float size = length(area);
  if (size > kLeastArea * (xx + yy)) {
    const float scale = 1 / (size * std::sqrt(xx + yy + 2 * size));
    return {(along * (yy + size) - across * xy) * scale, (across * (xx + size) - along * xy) * scale,
            area * (1 / size)};
  }
  // Collapsed to a line or a point in this pose: any frame that preserves the line.
  const Vec3 line = normalized(xx >= yy ? along : across);
  if (!(dot(line, line) > 0) || !is_finite(line)) return {};
  const Vec3 aside = std::abs(line.x) < 0.6f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 normal = normalized(cross(aside, line));
  return xx >= yy ? Mat3{line, cross(normal, line), normal} : Mat3{cross(line, normal), line, normal};
}

// A point in one register; compilers do not merge four sums of a Vec4 into one.
using Four = float __attribute__((vector_size(16)));
Four four(const Vec4& v) {
  Four loaded;
  std::memcpy(&loaded, &v, sizeof loaded);
  return loaded;
}

// One evaluation on one pose. Loop bodies capture only this, which std::function stores without allocating.
struct Pass {
  const DeltaMush& mush;
  std::span<const Vec3> points;
  DeltaMushScratch& scratch;
  Vec3 origin{};  // a point of the pose: far from the world origin floats are coarse

  Pass(const DeltaMush& mush_, std::span<const Vec3> points_, DeltaMushScratch& scratch_)
      : mush(mush_), points(points_), scratch(scratch_) {
    scratch.now.resize(count());
    scratch.next.resize(count());
    if (count() > 0) origin = points[mush.copies[0]];
  }

  std::size_t count() const { return mush.copy_first.size() - 1; }

  Vec3 gathered(std::size_t i) const {
    const std::uint32_t begin = mush.copy_first[i], end = mush.copy_first[i + 1];
    Vec3 sum = points[mush.copies[begin]] - origin;
    for (std::uint32_t k = begin + 1; k < end; ++k) sum += points[mush.copies[k]] - origin;
    return end - begin > 1 ? sum * (1 / static_cast<float>(end - begin)) : sum;
  }

  void gather() {
    parallel_for(count(), kMushGrain, [this](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3 point = gathered(i);
        scratch.now[i] = {point.x, point.y, point.z, 0};
      }
    });
  }

  void smooth_range(std::size_t begin, std::size_t end) {
    const Vec4* now = scratch.now.data();
    const std::uint32_t* ring = mush.ring.data();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t first = mush.ring_first[i], last = mush.ring_first[i + 1];
      Four sum{};
      for (std::uint32_t k = first; k < last; ++k) sum += four(now[ring[k]]);
      const bool is_smoothed = last > first;
      const float taken = is_smoothed ? mush.step / static_cast<float>(last - first) : 0;
      const float kept = is_smoothed ? 1 - mush.step : 1;
      const Four mixed = four(now[i]) * kept + sum * taken;
      std::memcpy(static_cast<void*>(&scratch.next[i]), &mixed, sizeof mixed);
    }
  }

  void smooth() {
    for (int k = 0; k < mush.iterations; ++k) {
      parallel_for(count(), kMushGrain,
                   [this](std::size_t begin, std::size_t end) { smooth_range(begin, end); });
      std::swap(scratch.now, scratch.next);
    }
  }

  Vec3 smoothed(std::size_t i) const { return scratch.now[i].xyz(); }

  // Of the smoothed points.
  Mat3 frame_at(std::size_t i) const {
    const std::uint32_t first = mush.frame_first[i], last = mush.frame_first[i + 1];
    if (first == last) return {};
    const Four start = four(scratch.now[i]);
    Four along{}, across{};
    for (std::uint32_t k = first; k < last; ++k) {
      const DeltaMush::FrameEdge& spoke = mush.frame_edges[k];
      const Four edge = four(scratch.now[spoke.end]) - start;
      along += edge * spoke.along;
      across += edge * spoke.across;
    }
    return frame_from({along[0], along[1], along[2]}, {across[0], across[1], across[2]});
  }
};

bool is_good(const DeltaMushOptions& options) {
  return options.iterations >= 0 && options.step > 0 && options.step <= 1;
}

}  // namespace

DeltaMushOptions delta_mush_options(const Mesh& mesh) {
  DeltaMushOptions options;
  const double edges = edges_in_reach(mesh),
               most = edges * edges / 2;  // n steps spread by sqrt(2 n step) edges
  if (!(most < options.iterations * static_cast<double>(options.step))) return options;
  options.iterations = std::max(1, static_cast<int>(std::ceil(most / static_cast<double>(options.step))));
  options.step = static_cast<float>(most / options.iterations);
  return options;
}

Result<DeltaMush> prepare_delta_mush(const Mesh& mesh, const DeltaMushOptions& options) {
  return without_throwing("delta mush", [&]() -> Result<DeltaMush> {
    if (!is_good(options)) {
      return Error{
          Errc::bad_argument,
          fmt::format("delta mush needs iterations of at least 0 and a step in (0, 1], not {} and {}",
                      options.iterations, options.step)};
    }
    const WeldedSurface surface = ordered_surface(mesh);
    const NeighbourList list = list_neighbours(surface.point_count(), surface.triangles);
    DeltaMush mush;
    mush.iterations = options.iterations;
    mush.step = options.step;
    set_copies(surface, mush);
    set_rings(list, mush);
    DeltaMushScratch scratch;
    Pass pass(mush, mesh.points, scratch);
    pass.gather();
    pass.smooth();
    const std::vector<Vec3d> areas = area_vectors(scratch.now, surface);
    mush.frame_first = {0};
    for (std::size_t i = 0; i < surface.point_count(); ++i) {
      const auto edges = frame_edges_at(i, scratch.now, list, areas[i]);
      mush.frame_edges.insert(mush.frame_edges.end(), edges.begin(), edges.end());
      mush.frame_first.push_back(static_cast<std::uint32_t>(mush.frame_edges.size()));
    }
    lend_frames(list, mush);
    set_deltas(mush, mesh.points, scratch, mush.deltas);
    return mush;
  });
}

void set_deltas(const DeltaMush& mush, std::span<const Vec3> rest, DeltaMushScratch& scratch,
                std::vector<Vec3>& deltas) {
  require(rest.size() == mush.point_count);
  deltas.resize(mush.copy_first.size() - 1);
  Pass pass(mush, rest, scratch);
  pass.gather();
  pass.smooth();
  struct Job {
    Pass& pass;
    std::span<Vec3> deltas;
  } job{pass, deltas};
  parallel_for(pass.count(), kMushGrain, [&job](std::size_t begin, std::size_t end) {
    const Pass& at = job.pass;
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3 detail = at.gathered(i) - at.smoothed(i);
      job.deltas[i] = transposed(at.frame_at(at.mush.frame_of[i])) * detail;
    }
  });
}

void apply_delta_mush(const DeltaMush& mush, std::span<const float> scales, std::span<Vec3> points,
                      DeltaMushScratch& scratch, std::span<const Vec3> deltas) {
  require(points.size() == mush.point_count && (scales.empty() || scales.size() == points.size()));
  require(deltas.empty() || deltas.size() == mush.deltas.size());
  if (mush.iterations == 0) return;
  Pass pass(mush, points, scratch);
  pass.gather();
  pass.smooth();
  struct Job {
    const Pass& pass;
    std::span<const float> scales;
    std::span<const Vec3> deltas;
    std::span<Vec3> points;
  } job{pass, scales, deltas.empty() ? std::span<const Vec3>(mush.deltas) : deltas, points};
  parallel_for(pass.count(), kMushGrain, [&job](std::size_t begin, std::size_t end) {
    const DeltaMush& m = job.pass.mush;
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 delta = job.deltas[i];
      if (!job.scales.empty()) {
        const float scale = job.scales[m.copies[m.copy_first[i]]];
        delta *= std::abs(scale);
        if (scale < 0) delta.z = -delta.z;  // the frame's normal follows the winding, which is now reversed
      }
      const Vec3 detail = job.pass.frame_at(m.frame_of[i]) * delta;
      const Vec3 posed = job.pass.smoothed(i) + detail + job.pass.origin;
      for (std::uint32_t k = m.copy_first[i]; k < m.copy_first[i + 1]; ++k) job.points[m.copies[k]] = posed;
    }
  });
}

void blended_scales(const WeightRows& rows, std::span<const Affined> palette, std::span<float> scales) {
  require(rows.first.size() == scales.size() + 1 || scales.empty());
  struct Job {
    const WeightRows& rows;
    std::span<const Affined> palette;
    std::span<float> scales;
  } job{rows, palette, scales};
  parallel_for(scales.size(), kMushGrain, [&job](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      double more = 0, side = 0;
      for (const Influence& influence : job.rows.row(v)) {
        const Affined& joint = job.palette[static_cast<std::size_t>(influence.slot)];
        const double size = std::cbrt(determinant(joint.linear));
        more += static_cast<double>(influence.weight) * (std::abs(size) - 1);
        side += static_cast<double>(influence.weight) * size;
      }
      job.scales[v] = static_cast<float>(side < 0 ? -(1 + more) : 1 + more);
    }
  });
}

}  // namespace dermis
