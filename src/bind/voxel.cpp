// SPDX-License-Identifier: MIT
// Weights by distances through the body.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bind/places.h"
#include "bind/solid_notes.h"
#include "dermis/bind.h"

namespace dermis {
namespace {

constexpr std::size_t kPointGrain = 1024;
// Distance fields held at once. Not the number of threads: batches must not change the result.
constexpr std::size_t kBatch = 32;
constexpr std::size_t kMostInfluences = 8;
constexpr double kLeastVoxelWeight = 1e-3;
// A batch of distance fields through this many cells takes a quarter of a gigabyte.
constexpr double kMostCells = 2e6;
// Around a segment, distances are small and their ratios large: joints reach at least this many cells past
// their limit there.
constexpr double kLimitFloorCells = 3;
// If more joints than this reach a cell on average, fewer cells are used: time is proportional to the
// product. Artists' characters and found skeletons have 3 to 9. A small skeleton in a large body, or one
// outside it, has all its joints nearly equally far from most cells.
constexpr double kMostReach = 12;
// The fewest cells for that: the smallest number measured against artists.
constexpr std::size_t kLeastCells = 50000;
// Cells and joints sampled to estimate the reach.
constexpr std::size_t kReachCells = 2000, kReachJoints = 8;

using JointSegments = std::vector<std::vector<Segment>>;

JointSegments segments_of(const BindSkeleton& skeleton) {
  JointSegments segments(skeleton.joint_count());
  for (const JointSegment& s : skeleton.segments) {
    segments[static_cast<std::size_t>(s.joint)].push_back({s.from, s.to});
  }
  return segments;
}

double straight_distance(const std::vector<Segment>& segments, const Vec3d& point) {
  double least = INFINITY;
  for (const Segment& s : segments) least = std::min(least, distance_to_segment(point, s.from, s.to));
  return least;
}

// The nearest joints of a point, nearest first; ties: the lower joint.
struct NearJoints {
  struct Entry {
    Index joint = kNone;
    float distance = 0;
  };
  std::array<Entry, kMostInfluences> entries;
  std::size_t count = 0;

  // Joints are added in rising order, which resolves ties.
  void add(Index joint, float distance) {
    if (!std::isfinite(distance)) return;
    std::size_t place = count;
    while (place > 0 && distance < entries[place - 1].distance) --place;
    if (place == kMostInfluences) return;
    count = std::min(count + 1, kMostInfluences);
    for (std::size_t k = count - 1; k > place; --k) entries[k] = entries[k - 1];
    entries[place] = {joint, distance};
  }
};

// A body of cells, and the distance of each to the nearest joint.
struct MeasuredSolid {
  VoxelSolid solid;
  std::vector<float> nearest;
  double crowd = 0;  // joints that reach a cell, if fewer cells are used because of it; else 0
};

// Joints further than this from a cell have negligible weight there.
MarchLimit limit_of(const MeasuredSolid& measured, const VoxelOptions& options) {
  return {measured.nearest, std::pow(1 / kLeastVoxelWeight, 1 / options.power),
          kLimitFloorCells * measured.solid.cell};
}

// How many joints reach a cell, on average, by straight distance: at least as many as through the body.
double straight_reach(const MeasuredSolid& measured, const JointSegments& segments,
                      const VoxelOptions& options) {
  const MarchLimit limit = limit_of(measured, options);
  const std::size_t step = std::max<std::size_t>(1, measured.solid.cell_count() / kReachCells);
  double sum = 0, count = 0;
  for (std::size_t c = 0; c < measured.solid.cell_count(); c += step) {
    const double far = limit.ratio * std::max(static_cast<double>(limit.of[c]), limit.at_least);
    for (const std::vector<Segment>& of_joint : segments) {
      if (straight_distance(of_joint, measured.solid.centre(c)) <= far) sum += 1;
    }
    count += 1;
  }
  return sum / count;
}

// The same through the body, for some of the joints.
double marched_reach(const MeasuredSolid& measured, const JointSegments& segments,
                     const VoxelOptions& options, const Progress& progress) {
  const MarchLimit limit = limit_of(measured, options);
  const std::size_t tried = std::min(kReachJoints, segments.size());
  std::vector<std::size_t> reached(tried);
  parallel_for(tried, 1, [&](std::size_t begin, std::size_t end) {
    std::vector<float> distance(measured.solid.cell_count());
    for (std::size_t k = begin; k < end && !progress.is_stopped(); ++k) {
      march_solid(measured.solid, segments[k * segments.size() / tried], limit, distance);
      reached[k] = static_cast<std::size_t>(
          std::count_if(distance.begin(), distance.end(), [](float d) { return std::isfinite(d); }));
    }
  });
  const auto sum = static_cast<double>(std::accumulate(reached.begin(), reached.end(), std::size_t{0}));
  return sum * static_cast<double>(segments.size()) /
         static_cast<double>(tried * measured.solid.cell_count());
}

Result<MeasuredSolid> measure_solid(const BindSurface& surface, const JointSegments& segments,
                                    const SolidOptions& options, const Progress& progress) {
  Result<VoxelSolid> solid = voxelize_solid(surface.points, surface.triangles, options, progress);
  if (!solid) return solid.error();
  std::vector<Segment> all;
  for (const std::vector<Segment>& of_joint : segments)
    all.insert(all.end(), of_joint.begin(), of_joint.end());
  std::vector<float> nearest(solid->cell_count());
  march_solid(*solid, all, {}, nearest);
  return MeasuredSolid{std::move(*solid), std::move(nearest), 0};
}

class VoxelBinding {
 public:
  VoxelBinding(const BindSurface& surface, const JointSegments& segments, const VoxelOptions& options,
               const MeasuredSolid& measured)
      : surface_(surface),
        options_(options),
        solid_(measured.solid),
        limit_(limit_of(measured, options)),
        segments_(segments),
        near_(surface.points.size()),
        is_outside_(segments.size()) {}

  Status measure(const Progress& progress) {
    samples_.resize(surface_.points.size());
    parallel_for(samples_.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) samples_[v] = sample_cells(solid_, Vec3d(surface_.points[v]));
    });
    for (std::size_t first = 0; first < segments_.size(); first += kBatch) {
      const double done = static_cast<double>(first) / static_cast<double>(segments_.size());
      if (auto going = progress.at("measuring distances through the body", 0.3 + 0.6 * done); !going)
        return going;
      measure_batch(first, std::min(first + kBatch, segments_.size()), progress);
    }
    return progress.at("measuring distances through the body", 0.9);
  }

  WeightRows weigh() {
    for (std::size_t v = 0; v < near_.size(); ++v) {
      if (near_[v].count > 0) continue;
      ++straight_count_;
      for (std::size_t j = 0; j < segments_.size(); ++j) {
        const double distance = straight_distance(segments_[j], Vec3d(surface_.points[v]));
        near_[v].add(static_cast<Index>(j), static_cast<float>(distance));
      }
    }
    WeightRowBuilder builder;
    builder.reserve(near_.size(), near_.size() * 4);
    for (const NearJoints& joints : near_) {
      std::array<double, kMostInfluences> weights;
      double sum = 0;
      for (std::size_t k = 0; k < joints.count; ++k) {
        sum += weights[k] = weight_over_first(joints.entries[k].distance, joints.entries[0].distance);
      }
      for (std::size_t k = 0; k < joints.count; ++k) {
        if (weights[k] >= kLeastVoxelWeight * sum)
          builder.add(joints.entries[k].joint, static_cast<float>(weights[k] / sum));
      }
      // The others make up for what was left out: no repair.
      builder.close_row(1);
    }
    return builder.take();
  }

  std::size_t straight_count() const { return straight_count_; }
  std::size_t outside_count() const {
    return static_cast<std::size_t>(std::count(is_outside_.begin(), is_outside_.end(), 1));
  }

 private:
  void measure_batch(std::size_t first, std::size_t last, const Progress& progress) {
    std::vector<std::vector<float>> fields(last - first);
    parallel_for(fields.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end && !progress.is_stopped(); ++k) {
        fields[k].resize(solid_.cell_count());
        const std::vector<Segment>& segments = segments_[first + k];
        is_outside_[first + k] = march_solid(solid_, segments, limit_, fields[k]) == segments.size() ? 1 : 0;
      }
    });
    if (progress.is_stopped()) return;
    parallel_for(samples_.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const Vec3d point(surface_.points[v]);
        for (std::size_t k = 0; k < fields.size(); ++k) {
          near_[v].add(static_cast<Index>(first + k),
                       static_cast<float>(read_field(solid_, samples_[v], point, fields[k])));
        }
      }
    });
  }

  // The published falloff divided by that of the nearest joint, which keeps powers in range.
  double weight_over_first(float distance, float nearest) const {
    const double a = options_.smoothness;
    const auto spread = [&](float length) {
      const double size = surface_.size > 0 ? surface_.size : 1;
      const double d = std::max(static_cast<double>(length), 0.5 * solid_.cell) / size;
      return (1 - a) * d + a * d * d;
    };
    return std::pow(spread(nearest) / spread(distance), options_.power);
  }

  const BindSurface& surface_;
  const VoxelOptions& options_;
  const VoxelSolid& solid_;
  MarchLimit limit_;
  const JointSegments& segments_;
  std::vector<CellSample> samples_;
  std::vector<NearJoints> near_;
  std::vector<std::uint8_t> is_outside_;
  std::size_t straight_count_ = 0;
};

// The requested cell, or one large enough for the body to have at most kMostCells.
Result<double> allowed_cell(const BindSurface& surface, double wanted, const Progress& progress) {
  if (!(wanted > 0)) return wanted;
  // Even the cube with this diagonal, the largest possible box, would not have too many.
  const double along = surface.size / std::sqrt(3.0) / wanted + 3;
  if (surface.far_point_count == 0 && along * along * along <= kMostCells) return wanted;
  const Result<VoxelSolid> usual = voxelize_solid(surface.points, surface.triangles, {}, progress);
  if (!usual) return usual.error();
  const double count = static_cast<double>(usual->cell_count());
  return std::max(wanted, usual->cell * std::cbrt(count / kMostCells));
}

// The body in cells: as requested, or as many as the time of an ordinary character allows.
Result<MeasuredSolid> choose_solid(const BindSurface& surface, const JointSegments& segments,
                                   const VoxelOptions& options, const Progress& progress) {
  SolidOptions of_solid;
  const Result<double> cell = allowed_cell(surface, options.cell, progress.part(0, 0.1));
  if (!cell) return cell.error();
  of_solid.cell = *cell;
  Result<MeasuredSolid> measured = measure_solid(surface, segments, of_solid, progress.part(0.1, 0.2));
  if (!measured || options.cell > 0) return measured;
  if (straight_reach(*measured, segments, options) <= kMostReach) return measured;
  const double reach = marched_reach(*measured, segments, options, progress);
  if (Status going = progress.at("measuring distances through the body", 0.2); !going) return going.error();
  if (reach <= kMostReach) return measured;
  const double cells = static_cast<double>(of_solid.filled_budget) * kMostReach / reach;
  of_solid.filled_budget = std::max(kLeastCells, static_cast<std::size_t>(cells));
  measured = measure_solid(surface, segments, of_solid, progress.part(0.2, 0.3));
  if (measured) measured->crowd = reach;
  return measured;
}

void note_crowd(double crowd, Notes& notes) {
  if (crowd == 0) return;
  notes.push_back(Note{Note::Kind::info, "bind-cells-fewer",
                       fmt::format("{:.0f} joints reach a cell on average, as if the skeleton were small for "
                                   "its body or outside it; fewer cells are used",
                                   crowd)}
                      .with_remedy("cell"));
}

Result<BoundRows> bind(const BindSurface& surface, const BindSkeleton& skeleton, const VoxelOptions& options,
                       const Progress& progress) {
  if (const Status bindable = check_bindable(surface, skeleton); !bindable) return bindable.error();
  if (!(options.smoothness >= 0 && options.smoothness <= 1)) {
    return Error{Errc::bad_argument, "the smoothness of the falloff must lie between 0 and 1"};
  }
  if (!(options.power >= 1 && options.power <= 64)) {
    return Error{Errc::bad_argument, "the power of the falloff must lie between 1 and 64"};
  }
  if (const Status good = check_cell(options.cell, surface.size); !good) return good.error();
  const JointSegments segments = segments_of(skeleton);
  const Result<MeasuredSolid> measured = choose_solid(surface, segments, options, progress);
  if (!measured) return measured.error();
  VoxelBinding binding(surface, segments, options, *measured);
  if (auto going = binding.measure(progress); !going) return going.error();
  BoundRows bound{binding.weigh(), {}};
  note_solid(measured->solid, options.cell, "cell", bound.notes);
  note_crowd(measured->crowd, bound.notes);
  note_joints_outside(binding.outside_count(), bound.notes);
  if (binding.straight_count() > 0) {
    bound.notes.push_back({Note::Kind::guess, "bind-straight-distances",
                           fmt::format("{} straight distances to the joints",
                                       counted(binding.straight_count(), "point uses", "points use"))});
    bound.notes.back().count = binding.straight_count();
  }
  return bound;
}

}  // namespace

Result<BoundRows> bind_voxel(const BindSurface& surface, const BindSkeleton& skeleton,
                             const VoxelOptions& options, const Progress& progress) {
  return without_throwing("binding by distances through the body",
                          [&] { return bind(surface, skeleton, options, progress); });
}

}  // namespace dermis
