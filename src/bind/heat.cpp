// SPDX-License-Identifier: MIT
// Weights as heat in equilibrium between the joints and the skin (Baran and Popovic 2007, section 4).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bind/heat_levels.h"
#include "bind/places.h"
#include "bind/solid_notes.h"

namespace dermis {
namespace {

// A joint behind a fold of the same shell counts as kBehindFold times as far, one behind another shell as
// kBehindShell times: a leg inside its trousers belongs to itself before it belongs to the coat.
constexpr double kBehindFold = 1.5;
constexpr double kBehindShell = 4;
// Equally near joints share a point; this power of the ratio of distances defines how equal. At a difference
// of 1 % the nearer one has four fifths. Less than 100 would show in the closed form on a tube.
constexpr double kTie = 150;
// Shares below this are dropped.
constexpr double kLeastShare = 1e-3;
// As a fraction of the body's size: no joint counts as nearer to a point, and rays end this far below the
// skin.
constexpr double kNearest = 1e-4;
// A shell follows the others if a smaller fraction of its points than this sees its joint.
constexpr double kLeastSeeing = 0.1;
// A shell counts as at least this fraction of its edges away from the surface under it: nearer heat is only
// copied.
constexpr double kLeastGap = 0.5;
// Heat found by iteration is used if it is proven to be this near to the equilibrium.
constexpr double kMostDifference = 0.05;
// Right-hand sides solved together.
constexpr std::size_t kJointsTogether = 10;
constexpr std::size_t kHeatGrain = 512;
// Lines from points to joints that are held at once by a thread; with many joints, fewer points are.
constexpr std::size_t kWaysTogether = 1'000'000;
// Hardly a point asks for more lines than this, so the others need no order.
constexpr std::size_t kSortedFirst = 16;

// The line from a joint to a point.
struct Way {
  std::size_t segment = 0;
  double distance = 0, apparent = 0;
  bool is_tested = false, is_clear = false;
};

// The lines to one point: the first ones sorted, the others farther and in any order.
struct Ways {
  std::vector<Way> all;
  std::size_t sorted_count = 0;
};

// Finds the sources of many points, casting their rays together.
class SourceFinder {
 public:
  SourceFinder(const BindSurface& surface, const BindSkeleton& skeleton, const RayTree& rays)
      : surface_(surface), skeleton_(skeleton), rays_(rays), least_(kNearest * surface.size) {}

  // The lines to a point by apparent distance of their joints, before any ray: farther if the skin faces away
  // from them, as a chest does from the arm next to it. The nearest are sorted, and the rest comes after
  // them.
  void list_ways(std::size_t v, Ways& listed) const {
    std::vector<Way>& ways = listed.all;
    const Vec3d point(surface_.points[v]), normal(surface_.normals[v]);
    const bool has_normal = dot(normal, normal) > 0;
    ways.resize(skeleton_.segments.size());
    for (std::size_t s = 0; s < ways.size(); ++s) {
      const JointSegment& segment = skeleton_.segments[s];
      const Vec3d way = point - nearest_on_segment(point, segment.from, segment.to);
      const double distance = std::max(length(way), least_);
      const double cosine = has_normal ? dot(way, normal) / distance : 1;
      // 1.001 keeps joints exactly behind the point in play.
      ways[s] = {s, distance, distance * 2.001 / (1.001 + cosine), false, false};
    }
    listed.sorted_count = std::min(ways.size(), kSortedFirst);
    const auto sorted = ways.begin() + static_cast<std::ptrdiff_t>(listed.sorted_count);
    if (sorted != ways.end()) std::nth_element(ways.begin(), sorted, ways.end(), nearer);
    std::sort(ways.begin(), sorted, nearer);
  }

  Ray ray_of(std::size_t v, const Way& way) const {
    const Vec3d point = Vec3d(surface_.points[v]) - Vec3d(surface_.normals[v]) * least_;
    const JointSegment& segment = skeleton_.segments[way.segment];
    const Vec3d from = nearest_on_segment(point, segment.from, segment.to);
    const double far = length(point - from);
    return {Vec3(from), Vec3(point - from), 0, static_cast<float>(1 - std::min(0.5, least_ / far))};
  }

  void look(std::span<const Ray> rays, std::span<RayHit> hits) const {
    rays_.find_nearest(rays, RayOrder::mixed, hits);
  }

  // The next line of a point that could still be its nearest or share with it; ways.size() if none.
  static std::size_t next_untested(Ways& listed) {
    std::vector<Way>& ways = listed.all;
    double best = INFINITY;
    for (std::size_t k = 0; k < ways.size(); ++k) {
      if (k == listed.sorted_count) {
        std::sort(ways.begin() + static_cast<std::ptrdiff_t>(k), ways.end(), nearer);
        listed.sorted_count = ways.size();
      }
      if (ways[k].is_tested) {
        best = std::min(best, ways[k].apparent);
      } else {
        // Shares are computed later; beyond this reach none is left.
        static const double kTieReach = std::pow(kLeastShare, -1 / kTie);
        return ways[k].apparent <= best * kTieReach ? k : ways.size();
      }
    }
    return ways.size();
  }

  void weigh(std::size_t v, const RayHit& hit, Way& way) const {
    way.is_tested = true;
    way.is_clear = hit.triangle < 0;
    if (way.is_clear) return;
    const std::uint32_t corner = surface_.triangles[at(hit.triangle)][0];
    way.apparent *= surface_.shell[corner] == surface_.shell[v] ? kBehindFold : kBehindShell;
  }

  static bool nearer(const Way& a, const Way& b) {
    return a.apparent != b.apparent ? a.apparent < b.apparent : a.segment < b.segment;
  }

  const BindSkeleton& skeleton() const { return skeleton_; }

 private:
  const BindSurface& surface_;
  const BindSkeleton& skeleton_;
  const RayTree& rays_;
  double least_;
};

// The shares of a point's joints, from its tested lines.
struct PointSources {
  std::vector<HeatSource> shares;
  double distance = 0;
  bool sees = false;
};
PointSources share_out(const BindSkeleton& skeleton, std::vector<Way>& ways) {
  std::erase_if(ways, [](const Way& way) { return !way.is_tested; });
  std::sort(ways.begin(), ways.end(), SourceFinder::nearer);
  PointSources point;
  point.sees = ways[0].is_clear;
  double sum = 0;
  for (const Way& way : ways) {
    const Index joint = skeleton.segments[way.segment].joint;
    const double share = std::pow(ways[0].apparent / way.apparent, kTie);
    const bool is_known = std::any_of(point.shares.begin(), point.shares.end(),
                                      [&](const HeatSource& source) { return source.joint == joint; });
    if (share < kLeastShare || is_known) continue;
    point.shares.push_back({joint, share});
    point.distance += share * way.distance;
    sum += share;
  }
  for (HeatSource& source : point.shares) source.share /= sum;
  point.distance /= sum;
  return point;
}

// Points [begin, end): every undecided point casts one ray at a time.
void find_range(const SourceFinder& finder, std::size_t begin, std::size_t end, const Progress& progress,
                std::span<PointSources> points) {
  std::vector<Ways> ways(end - begin);
  std::vector<std::size_t> asking;
  asking.reserve(end - begin);
  for (std::size_t v = begin; v < end; ++v) {
    if (progress.is_stopped()) return;
    finder.list_ways(v, ways[v - begin]);
    asking.push_back(v);
  }
  std::vector<Ray> rays;
  std::vector<RayHit> hits;
  std::vector<std::size_t> asked;
  while (!asking.empty()) {
    if (progress.is_stopped()) return;
    rays.clear();
    asked.clear();
    std::vector<std::size_t> still;
    still.reserve(asking.size());
    for (const std::size_t v : asking) {
      Ways& own = ways[v - begin];
      const std::size_t next = SourceFinder::next_untested(own);
      if (next == own.all.size()) continue;
      rays.push_back(finder.ray_of(v, own.all[next]));
      asked.push_back(next);
      still.push_back(v);
    }
    hits.resize(rays.size());
    finder.look(rays, hits);
    for (std::size_t k = 0; k < still.size(); ++k)
      finder.weigh(still[k], hits[k], ways[still[k] - begin].all[asked[k]]);
    asking.swap(still);
  }
  for (std::size_t v = begin; v < end; ++v) points[v] = share_out(finder.skeleton(), ways[v - begin].all);
}

Result<HeatSources> find_sources(const BindSurface& surface, const BindSkeleton& skeleton,
                                 const Progress& progress) {
  const Result<std::shared_ptr<const RayTree>> rays = rays_of(surface, progress);
  if (!rays) return rays.error();
  const SourceFinder finder(surface, skeleton, **rays);
  std::vector<PointSources> points(surface.points.size());
  const std::size_t grain = std::clamp(kWaysTogether / skeleton.segments.size(), std::size_t{1}, kHeatGrain);
  parallel_for(points.size(), grain,
               [&](std::size_t begin, std::size_t end) { find_range(finder, begin, end, progress, points); });
  if (const Status going = progress.at("looking for joints in sight", 0.3); !going) return going.error();
  HeatSources sources;
  sources.first.reserve(points.size() + 1);
  sources.first.push_back(0);
  for (const PointSources& point : points) {
    sources.shares.insert(sources.shares.end(), point.shares.begin(), point.shares.end());
    sources.first.push_back(sources.shares.size());
    sources.distance.push_back(point.distance);
    sources.sees.push_back(point.sees ? 1 : 0);
  }
  return sources;
}

// c A / d^2 for each point, A being a third of the triangles around it.
std::vector<double> heat_capacity(const BindSurface& surface, const HeatSources& sources, double conduction) {
  std::vector<double> capacity = point_areas(surface.points, surface.triangles);
  // A point without area has its own joints' heat, and passes on that of its neighbours.
  const double least = 1e-12 * surface.size * surface.size;
  for (std::size_t v = 0; v < capacity.size(); ++v) {
    const double distance = std::max(sources.distance[v], kNearest * surface.size);
    capacity[v] = conduction * std::max(capacity[v], least) / (distance * distance);
    // Below 1e-18 of its neighbours' a capacity is lost in rounding, and the matrix might be singular.
    capacity[v] = std::max(capacity[v], 1e-14);
  }
  return capacity;
}

void note_difference(const BindSurface& surface, double difference, Notes& notes) {
  notes.push_back({Note::Kind::info, "heat-by-iteration",
                   fmt::format("heat was spread over {} by iteration: before small weights are cut, none is "
                               "further than {:.2g} from the exact equilibrium",
                               counted(surface.points.size(), "point", "points"), difference)});
}

// The equilibrium of joints [begin, end): heat that is not negligible, by point.
std::vector<Heat> solve_joints(const LaplacianSolver& solver, const HeatSources& sources,
                               std::span<const double> capacity, std::size_t begin, std::size_t end) {
  const std::size_t width = end - begin;
  std::vector<double> rows(capacity.size() * width, 0);
  for (std::size_t v = 0; v < capacity.size(); ++v) {
    for (const HeatSource& source : sources.of(v)) {
      if (at(source.joint) >= begin && at(source.joint) < end)
        rows[v * width + at(source.joint) - begin] = capacity[v] * source.share;
    }
  }
  solver.solve(rows, width);
  std::vector<Heat> heats;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!(rows[k] > kNegligibleHeat) || !std::isfinite(rows[k])) continue;
    heats.push_back({static_cast<std::uint32_t>(k / width), static_cast<Index>(begin + k % width),
                     static_cast<float>(rows[k])});
  }
  return heats;
}

// The heat of all joints as rows. A point without heat, which rounding can cause, keeps its sources.
WeightRows rows_of(const HeatSources& sources, std::span<const std::vector<Heat>> blocks) {
  std::vector<std::size_t> first(sources.count() + 1, 0);
  for (const std::vector<Heat>& block : blocks) {
    for (const Heat& heat : block) ++first[heat.point + 1];
  }
  for (std::size_t v = 0; v < sources.count(); ++v) first[v + 1] += first[v];
  std::vector<Influence> heats(first.back());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (const std::vector<Heat>& block : blocks) {
    for (const Heat& heat : block) heats[next[heat.point]++] = {heat.joint, heat.weight};
  }
  WeightRowBuilder builder;
  builder.reserve(sources.count(), heats.size());
  for (std::size_t v = 0; v < sources.count(); ++v) {
    for (std::size_t k = first[v]; k < first[v + 1]; ++k) builder.add(heats[k].slot, heats[k].weight);
    for (const HeatSource& source : sources.of(v)) {
      if (first[v] == first[v + 1]) builder.add(source.joint, static_cast<float>(source.share));
    }
    builder.close_row(1);
  }
  return builder.take();
}

// By one factorization for all joints.
Result<WeightRows> factored_equilibrium(const Laplacian& laplacian, std::span<const double> capacity,
                                        const HeatSources& sources, std::size_t joint_count,
                                        const Progress& progress) {
  if (const Status going = progress.at("factoring the heat equation", 0.4); !going) return going.error();
  const Result<LaplacianSolver> solver = factor_laplacian(laplacian, capacity, 1);
  if (!solver) return solver.error();
  if (const Status going = progress.at("spreading heat", 0.7); !going) return going.error();
  std::vector<std::vector<Heat>> blocks((joint_count + kJointsTogether - 1) / kJointsTogether);
  // Joints that are no point's source stay cold; of many joints, most are.
  std::vector<bool> is_warm(blocks.size(), false);
  for (const HeatSource& source : sources.shares) is_warm[at(source.joint) / kJointsTogether] = true;
  parallel_for(blocks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end && !progress.is_stopped(); ++b) {
      if (!is_warm[b]) continue;
      const std::size_t last = std::min(joint_count, (b + 1) * kJointsTogether);
      blocks[b] = solve_joints(*solver, sources, capacity, b * kJointsTogether, last);
    }
  });
  if (const Status going = progress.at("spreading heat", 0.9); !going) return going.error();
  return rows_of(sources, blocks);
}

Result<WeightRows> equilibrium(const BindSurface& surface, const BindSkeleton& skeleton,
                               const HeatSources& sources, const HeatOptions& options,
                               const Progress& progress, Notes& notes) {
  const std::vector<double> capacity = heat_capacity(surface, sources, options.conduction);
  const std::size_t joint_count = skeleton.joint_count();
  if (surface.points.size() > options.most_factored) {
    if (const Status going = progress.at("spreading heat", 0.4); !going) return going.error();
    const Result<HeatOnLevels> heat = heat_on_levels(cotangent_laplacian(surface.points, surface.triangles),
                                                     capacity, sources, joint_count, progress.part(0.4, 0.9));
    if (!heat) return heat.error();
    if (heat->difference < kMostDifference) {
      note_difference(surface, heat->difference, notes);
      return rows_of(sources, heat->groups);
    }
  }
  return factored_equilibrium(cotangent_laplacian(surface.points, surface.triangles), capacity, sources,
                              joint_count, progress);
}

// Shells in which hardly a point sees its joint.
std::vector<bool> hidden_shells(const BindSurface& surface, const HeatSources& sources) {
  std::vector<std::size_t> point_count(surface.shell_count, 0), seeing_count(surface.shell_count, 0);
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    ++point_count[surface.shell[v]];
    seeing_count[surface.shell[v]] += sources.sees[v];
  }
  std::vector<bool> is_hidden(surface.shell_count);
  for (std::size_t s = 0; s < is_hidden.size(); ++s)
    is_hidden[s] = static_cast<double>(seeing_count[s]) < kLeastSeeing * static_cast<double>(point_count[s]);
  // If all are hidden, none can lend weights to the others.
  if (std::find(is_hidden.begin(), is_hidden.end(), false) == is_hidden.end())
    is_hidden.assign(is_hidden.size(), false);
  return is_hidden;
}

void note_hidden(const BindSurface& surface, const std::vector<bool>& is_hidden, Notes& notes) {
  std::vector<std::size_t> size(surface.shell_count, 0);
  std::vector<std::uint32_t> first(surface.shell_count, 0);
  for (std::uint32_t v = static_cast<std::uint32_t>(surface.points.size()); v-- > 0;) {
    ++size[surface.shell[v]];
    first[surface.shell[v]] = v;
  }
  for (std::size_t s = 0; s < is_hidden.size(); ++s) {
    if (!is_hidden[s]) continue;
    const Vec3& place = surface.points[first[s]];
    notes.push_back({Note::Kind::info, "shell-attached",
                     fmt::format("a shell of {} at {:.4g} {:.4g} {:.4g} is cut off from all joints by other "
                                 "surfaces, and follows the nearest of these",
                                 counted(size[s], "point", "points"), place.x, place.y, place.z)});
  }
}

// The points of hidden shells as a separate surface.
struct HiddenPart {
  BindSurface surface;
  std::vector<std::uint32_t> points;          // of the whole
  std::vector<std::int32_t> part_of;          // for each point of the whole, its point here; -1: none
  std::vector<SurfaceMesh::Triangle> seeing;  // in the whole: the triangles of the other shells
};
HiddenPart hidden_part(const BindSurface& surface, const std::vector<bool>& is_hidden) {
  HiddenPart part;
  part.surface.size = surface.size;
  part.part_of.assign(surface.points.size(), -1);
  for (std::uint32_t v = 0; v < surface.points.size(); ++v) {
    if (!is_hidden[surface.shell[v]]) continue;
    part.part_of[v] = static_cast<std::int32_t>(part.points.size());
    part.points.push_back(v);
    part.surface.points.push_back(surface.points[v]);
  }
  const auto own = [&](std::uint32_t v) { return static_cast<std::uint32_t>(part.part_of[v]); };
  for (const SurfaceMesh::Triangle& t : surface.triangles) {
    if (part.part_of[t[0]] < 0) {
      part.seeing.push_back(t);
    } else {
      part.surface.triangles.push_back({own(t[0]), own(t[1]), own(t[2])});
    }
  }
  return part;
}

// The mean length of the edges around each point.
std::vector<double> edge_lengths(const BindSurface& surface) {
  std::vector<double> sum(surface.points.size(), 0), count(surface.points.size(), 0);
  for (const SurfaceMesh::Triangle& t : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      const double edge = length(Vec3d(surface.points[a]) - Vec3d(surface.points[b]));
      for (const std::uint32_t v : {a, b}) sum[v] += edge, count[v] += 1;
    }
  }
  for (std::size_t v = 0; v < sum.size(); ++v) sum[v] = count[v] > 0 ? sum[v] / count[v] : 0;
  return sum;
}

// The sources of hidden shells: the weights and distances of the nearest points of the others.
HeatSources sources_nearby(const BindSurface& surface, const HiddenPart& part, const WeightRows& rows) {
  const TriangleTree tree = triangle_tree(surface.points, part.seeing);
  std::vector<ClosestPoint> closest(part.points.size());
  parallel_for(closest.size(), kHeatGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      closest[k] = closest_point(tree, surface.points, part.seeing, Vec3d(part.surface.points[k]));
  });
  const std::vector<double> edges = edge_lengths(part.surface);
  HeatSources sources;
  sources.first.push_back(0);
  std::map<Index, double> shares;
  for (std::size_t k = 0; k < closest.size(); ++k) {
    shares.clear();
    for (std::size_t c = 0; c < 3; ++c) {
      for (const Influence& influence : rows.row(part.seeing[at(closest[k].triangle)][c]))
        shares[influence.slot] += closest[k].shares[c] * double{influence.weight};
    }
    for (const auto& [joint, share] : shares) sources.shares.push_back({joint, share});
    sources.first.push_back(sources.shares.size());
    sources.distance.push_back(std::max(closest[k].distance, kLeastGap * edges[k]));
  }
  return sources;
}

// Heats hidden shells by the nearest surface. Between the legs, a skirt is as far from one as from the other:
// copied weights would tear there.
Status attach_hidden(const BindSurface& surface, const BindSkeleton& skeleton,
                     const std::vector<bool>& is_hidden, const HeatOptions& options, const Progress& progress,
                     BoundRows& bound) {
  if (std::find(is_hidden.begin(), is_hidden.end(), true) == is_hidden.end()) return Done{};
  const HiddenPart part = hidden_part(surface, is_hidden);
  // Only loose points see a joint: there is no surface to be near to.
  if (part.seeing.empty()) return Done{};
  const HeatSources sources = sources_nearby(surface, part, bound.rows);
  Result<WeightRows> warmed = equilibrium(part.surface, skeleton, sources, options, progress, bound.notes);
  if (!warmed && warmed.error().code == Errc::cancelled) return warmed.error();
  const WeightRows rows = warmed ? std::move(*warmed) : rows_of(sources, {});
  WeightRowBuilder builder;
  builder.reserve(surface.points.size(), bound.rows.influences.size());
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    const std::int32_t own = part.part_of[v];
    for (const Influence& influence : own < 0 ? bound.rows.row(v) : rows.row(at(own)))
      builder.add(influence.slot, influence.weight);
    builder.close_row(1);
  }
  bound.rows = builder.take();
  note_hidden(surface, is_hidden, bound.notes);
  return Done{};
}

}  // namespace

Result<BoundRows> bind_heat(const BindSurface& surface, const BindSkeleton& skeleton,
                            const HeatOptions& options, const Progress& progress) {
  return without_throwing("binding by heat", [&]() -> Result<BoundRows> {
    if (const Status bindable = check_bindable(surface, skeleton); !bindable) return bindable.error();
    if (!(options.conduction > 0) || !std::isfinite(options.conduction))
      return Error{Errc::bad_argument, "the conduction of heat must be above zero"};
    if (const Status going = progress.at("looking for joints in sight", 0); !going) return going.error();
    const Result<HeatSources> found = find_sources(surface, skeleton, progress);
    if (!found) return found.error();
    const HeatSources& sources = *found;
    BoundRows bound;
    Result<WeightRows> rows = equilibrium(surface, skeleton, sources, options, progress, bound.notes);
    if (rows) {
      bound.rows = std::move(*rows);
    } else if (rows.error().code == Errc::cancelled || rows.error().code == Errc::too_large) {
      return rows.error();  // with more memory, heat could be spread
    } else {
      bound.rows = rows_of(sources, {});
      bound.notes.push_back({Note::Kind::guess, "heat-not-spread",
                             "heat could not be spread over this surface (" + rows.error().sentence +
                                 "): each point follows its nearest joints"});
    }
    note_far_points(surface.far_point_count, bound.notes);
    if (const Status going =
            attach_hidden(surface, skeleton, hidden_shells(surface, sources), options, progress, bound);
        !going)
      return going.error();
    return bound;
  });
}

}  // namespace dermis
