// SPDX-License-Identifier: MIT
// The quality of skins: the effects of the standard range of motion, joint by joint.
#include "measure/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "measure/surface.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

// A point within this fraction of the size of its old position, or of where the joint moves it, counts as
// left there or carried: float rounding of a pose is about 1e-7.
constexpr double kStill = 2e-6;
// A body whose volume is a smaller fraction of the cube of its size is a sheet, whose volume is meaningless.
constexpr double kLeastVolume = 1e-6;
// A loss is measured relative to at least this fraction of the body.
constexpr double kLeastBending = 1e-3;
// Crossing pairs listed per pose: more add no information.
constexpr std::size_t kMostPairs = 200'000;

// One skinned mesh at rest, and everything a pose is compared with.
struct RestInstance {
  SkinnedMesh shown;
  std::shared_ptr<const MeasuredSurface> surface;
  std::vector<Vec3> welded;  // at rest, in the world
  double size = 0;           // for strain
  bool is_mirrored = false;  // its polygons are drawn from the other side
  SolidPart solid;           // of the surface: what encloses a volume
  double volume = 0;
  std::vector<double> share;  // of each triangle: its share of the volume of its region, by area
  TriangleTree tree;
  Intersections intersections;
};

// How a joint's turn affects the welded points and triangles of an instance, as bits: points near the joint
// itself are both left in place and carried along.
enum Part : std::uint8_t { kFree = 0, kLeft = 1, kCarried = 2 };

struct PosedInstance {
  Surface surface;  // points and normals of the mesh
  std::vector<Vec3> welded;
  std::vector<std::uint8_t> part;      // of each triangle
  std::vector<std::uint32_t> bending;  // triangles of part kFree
};

class RangeRun {
 public:
  RangeRun(const Character& character, const Deformer& deformer, std::vector<SkinnedMesh> shown,
           const Progress& progress)
      : character_(character), deformer_(deformer), shown_(std::move(shown)), progress_(progress) {}

  Status run(Quality& quality) {
    Result<Poser> poser = prepare_poser(character_);
    if (!poser) return poser.error();
    poser_ = std::move(*poser);
    if (Status s = pose(poser_, {}, rest_); !s) return s;
    if (Status s = prepare(quality); !s) return s;
    poses_ = range_of_motion(character_);
    quality.pose_count = poses_.size();
    for (std::size_t p = 0; p < poses_.size(); ++p) {
      if (p == 0 || poses_[p].node != poses_[p - 1].node) first_pose_.push_back(p);
    }
    first_pose_.push_back(poses_.size());
    quality.joints.resize(first_pose_.size() - 1);
    std::vector<std::optional<Error>> errors(quality.joints.size());
    parallel_for(quality.joints.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const Status done = measure_joint(k, quality.joints[k]);
        if (!done) errors[k] = done.error();
      }
    });
    for (const std::optional<Error>& error : errors) {
      if (error) return *error;
    }
    return Done{};
  }

 private:
  Status prepare(Quality& quality) {
    std::map<Index, std::shared_ptr<const MeasuredSurface>> surfaces;
    for (const SkinnedMesh& shown : shown_) {
      const Mesh& mesh = character_.meshes[at(shown.mesh)];
      std::shared_ptr<const MeasuredSurface>& surface = surfaces[shown.mesh];
      if (!surface) {
        surface = std::make_shared<MeasuredSurface>(measured_surface(mesh));
        quality.weights.push_back({shown.mesh, measure_weights(mesh, *surface)});
      }
      Result<Surface> posed = pose_instance(deformer_, rest_, shown.instance);
      if (!posed) return posed.error();
      RestInstance& rest = instances_.emplace_back();
      rest.shown = shown;
      rest.is_mirrored = is_mirrored(mesh, rest_.palette_of(shown.skin));
      turn_normals(rest, *posed);
      rest.surface = surface;
      rest.welded = welded_points(*surface, posed->points);
      rest.size = strain_size(rest.welded);
      Box box;
      for (const Vec3& p : rest.welded) box.add(Vec3d(p));
      rest.solid = solid_part(*surface, posed->points);
      rest.volume = volume_of(rest.solid.surface, posed->points);
      rest.tree = triangle_tree(rest.welded, surface->welded.triangles);
      rest.intersections = self_intersections(rest.tree, rest.welded, surface->welded.triangles);
      quality.rest_intersections += rest.intersections.pairs.size();
      quality.is_rest_count_exact = quality.is_rest_count_exact && rest.intersections.is_complete;
      quality.rest_normal_error = std::max(quality.rest_normal_error, normal_error(mesh, *posed).p95);
      quality.open_loop_count += rest.solid.surface.loop_count();
      quality.solid_shell_count += rest.solid.shell_count;
      quality.open_shell_count += rest.solid.open_shell_count;
      whole_.add(box.lower);
      whole_.add(box.upper);
      rest.share = volume_shares(rest, posed->points);
    }
    double volume = 0;
    for (const RestInstance& rest : instances_) volume += std::abs(rest.volume);
    quality.has_volume = volume > kLeastVolume * std::pow(whole_.diagonal(), 3);
    volume_ = quality.has_volume ? volume : 0;
    find_moved();
    return Done{};
  }

  // Each region's volume, split among its triangles by their areas; zero outside the solid part.
  std::vector<double> volume_shares(const RestInstance& rest, std::span<const Vec3> points) const {
    const WeightRows& rows = character_.meshes[at(rest.shown.mesh)].weights;
    const JointRegions regions = joint_regions(rest.solid.surface, rows);
    const std::vector<double> volumes = region_volumes(rest.solid.surface, regions, points);
    const std::vector<Triangle>& triangles = rest.solid.surface.welded.triangles;
    std::vector<double> share(triangles.size()), area_of_region(volumes.size(), 0.0);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const auto [a, b, c] = triangles[t];
      const Vec3d corner(rest.welded[a]);
      share[t] = length(cross(Vec3d(rest.welded[b]) - corner, Vec3d(rest.welded[c]) - corner));
      area_of_region[regions.region_of_triangle[t]] += share[t];
    }
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const std::uint32_t r = regions.region_of_triangle[t];
      if (share[t] > 0) share[t] *= std::abs(volumes[r]) / area_of_region[r];
    }
    std::vector<double> of_whole(rest.surface->triangle_count(), 0.0);
    for (std::size_t t = 0; t < triangles.size(); ++t) of_whole[rest.solid.triangles[t]] = share[t];
    return of_whole;
  }

  // The instances that each node moves: those with a point that follows it or a descendant.
  void find_moved() {
    moved_.resize(character_.nodes.size());
    std::vector<Index> order = parents_first(character_.nodes);
    std::reverse(order.begin(), order.end());
    for (std::size_t k = 0; k < instances_.size(); ++k) {
      std::vector<bool> is_moving(character_.nodes.size(), false);
      const Skin& skin = character_.skins[at(instances_[k].shown.skin)];
      for (const Influence& influence : character_.meshes[at(instances_[k].shown.mesh)].weights.influences)
        is_moving[at(skin.node[at(influence.slot)])] = true;
      for (const Index n : order) {
        if (!is_moving[at(n)]) continue;
        moved_[at(n)].push_back(k);
        const Index parent = character_.nodes[at(n)].parent;
        if (parent != kNone) is_moving[at(parent)] = true;
      }
    }
  }

  Status measure_joint(std::size_t k, JointQuality& joint) {
    const std::size_t done = done_count_.fetch_add(1);
    const double fraction = static_cast<double>(done) / static_cast<double>(first_pose_.size());
    if (Status go = progress_.at("bending joints", fraction); !go) return go;
    joint.node = poses_[first_pose_[k]].node;
    joint.label = poses_[first_pose_[k]].pose.nodes[0].node;
    std::map<std::size_t, TriangleTree> trees;  // refitted from pose to pose
    PoseFrame frame;
    for (std::size_t p = first_pose_[k]; p < first_pose_[k + 1]; ++p) {
      if (Status s = pose(poser_, {kNone, 0, &poses_[p].pose}, frame); !s) return s;
      if (Status s = measure_pose(poses_[p], frame, trees, joint); !s) return s;
    }
    return Done{};
  }

  Status measure_pose(const RangePose& pose, const PoseFrame& frame,
                      std::map<std::size_t, TriangleTree>& trees, JointQuality& joint) {
    double change = 0, bending = 0;
    std::size_t fresh = 0;
    bool is_exact = true;
    for (const std::size_t k : moved_[at(pose.node)]) {
      const RestInstance& rest = instances_[k];
      Result<PosedInstance> posed = posed_instance(rest, frame, pose.node);
      if (!posed) return posed.error();
      if (posed->bending.empty()) continue;
      take_strain(rest, *posed, pose, joint);
      const double volume = volume_of(rest.solid.surface, posed->surface.points);
      for (const std::uint32_t t : posed->bending) bending += rest.share[t];
      change += rest.volume < 0 ? rest.volume - volume : volume - rest.volume;
      TriangleTree& tree = trees.try_emplace(k, rest.tree).first->second;
      fresh += new_crossings(rest, *posed, tree, is_exact);
    }
    if (volume_ > 0) {
      // More than all of it cannot be lost: what is inside out counts as gone.
      const double relative = std::max(change / std::max(bending, kLeastBending * volume_), -1.0);
      if (-relative > joint.volume_loss) {
        joint.volume_loss = -relative;
        joint.volume_loss_pose = pose.name;
      }
      joint.volume_gain = std::max(joint.volume_gain, relative);
    }
    if (fresh > joint.new_intersections) {
      joint.new_intersections = fresh;
      joint.intersections_pose = pose.name;
    }
    joint.is_intersection_count_exact = joint.is_intersection_count_exact && is_exact;
    return Done{};
  }

  // The worst changes of triangles that bend, and the error of the normals there.
  void take_strain(const RestInstance& rest, const PosedInstance& posed, const RangePose& pose,
                   JointQuality& joint) const {
    const WorstStrain worst =
        worst_strain(*rest.surface, posed.bending, rest.welded, posed.welded, rest.size);
    if (worst.edge > joint.strain) {
      joint.strain_instance = rest.shown.instance;
      joint.strain_point = rest.surface->welded.source[rest.surface->welded.triangles[worst.triangle][0]];
    }
    const auto take = [&](double value, double& most, std::string& name) {
      if (!(value > most)) return;
      most = value;
      name = pose.name;
    };
    take(worst.edge, joint.strain, joint.strain_pose);
    const double stretch = worst.growth / whole_.diagonal();
    if (stretch > joint.stretch) {
      joint.stretch_instance = rest.shown.instance;
      joint.stretch_point =
          rest.surface->welded.source[rest.surface->welded.triangles[worst.grown_triangle][0]];
    }
    take(stretch, joint.stretch, joint.stretch_pose);
    take(worst.shear, joint.shear, joint.shear_pose);
    take(worst.area, joint.area, joint.area_pose);
    if (posed.surface.normals.empty()) return;
    std::vector<bool> is_bending(posed.welded.size(), false);
    for (const std::uint32_t t : posed.bending) {
      for (const std::uint32_t v : rest.surface->welded.triangles[t]) is_bending[v] = true;
    }
    std::vector<bool> is_wanted(posed.surface.points.size());
    for (std::size_t v = 0; v < is_wanted.size(); ++v)
      is_wanted[v] = is_bending[at(rest.surface->welded.welded[v])];
    const Mesh& mesh = character_.meshes[at(rest.shown.mesh)];
    take(normal_error_of(mesh, posed.surface, is_wanted).p95, joint.normal_error, joint.normal_error_pose);
  }

  // Normals are measured against the side that the winding of the polygons names.
  static void turn_normals(const RestInstance& rest, Surface& posed) {
    if (!rest.is_mirrored) return;
    for (Vec3& normal : posed.normals) normal = -normal;
  }

  Result<PosedInstance> posed_instance(const RestInstance& rest, const PoseFrame& frame, Index node) const {
    Result<Surface> surface = pose_instance(deformer_, frame, rest.shown.instance);
    if (!surface) return surface.error();
    PosedInstance posed;
    posed.surface = std::move(*surface);
    turn_normals(rest, posed.surface);
    posed.welded = welded_points(*rest.surface, posed.surface.points);
    const Affined rest_from_node = inverse(rest_.world_from_node[at(node)]);
    const Affined posed_from_rest = frame.world_from_node[at(node)] * rest_from_node;
    const bool can_carry = is_finite(posed_from_rest);  // a flattened joint has no inverse
    const double tolerance = kStill * rest.size;
    std::vector<std::uint8_t> part_of_point(posed.welded.size());
    for (std::size_t v = 0; v < posed.welded.size(); ++v) {
      const Vec3d before(rest.welded[v]), after(posed.welded[v]);
      const bool is_left = length(after - before) <= tolerance;
      const bool is_carried = can_carry && length(after - posed_from_rest * before) <= tolerance;
      part_of_point[v] =
          static_cast<std::uint8_t>((is_left ? kLeft : kFree) | (is_carried ? kCarried : kFree));
    }
    const std::vector<Triangle>& triangles = rest.surface->welded.triangles;
    posed.part.resize(triangles.size());
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      const auto [a, b, c] = triangles[t];
      const int common = part_of_point[a] & part_of_point[b] & part_of_point[c];
      posed.part[t] = static_cast<std::uint8_t>((common & kLeft) != 0 ? kLeft : common);
      if (posed.part[t] == kFree) posed.bending.push_back(t);
    }
    return posed;
  }

  std::size_t new_crossings(const RestInstance& rest, const PosedInstance& posed, TriangleTree& tree,
                            bool& is_exact) const {
    const std::vector<Triangle>& triangles = rest.surface->welded.triangles;
    refit(tree, posed.welded, triangles);
    const Intersections now = self_intersections(tree, posed.welded, triangles, {posed.part, kMostPairs});
    is_exact = is_exact && now.is_complete;
    return new_intersections(rest.intersections, now).size();
  }

  const Character& character_;
  const Deformer& deformer_;
  std::vector<SkinnedMesh> shown_;
  Progress progress_;
  Poser poser_;
  PoseFrame rest_;
  std::vector<RestInstance> instances_;
  std::vector<std::vector<std::size_t>> moved_;  // of each node, indices into instances_
  Box whole_;
  double volume_ = 0;  // 0: not significant
  std::vector<RangePose> poses_;
  std::vector<std::size_t> first_pose_;  // of each joint, and the end
  std::atomic<std::size_t> done_count_{0};
};

template <class Number>
Number largest(const std::vector<JointQuality>& joints, Number JointQuality::*member) {
  Number most{};
  for (const JointQuality& joint : joints) most = std::max(most, joint.*member);
  return most;
}

const MeshWeightChange* worst_of(const std::vector<MeshWeightChange>& weights, Spread WeightChange::*member) {
  const MeshWeightChange* worst = nullptr;
  for (const MeshWeightChange& one : weights) {
    if ((one.change.*member).max > (worst == nullptr ? 0 : (worst->change.*member).max)) worst = &one;
  }
  return worst;
}

}  // namespace

double Quality::max_strain() const { return largest(joints, &JointQuality::strain); }
double Quality::max_stretch() const { return largest(joints, &JointQuality::stretch); }
double Quality::max_shear() const { return largest(joints, &JointQuality::shear); }
double Quality::max_area_change() const { return largest(joints, &JointQuality::area); }
double Quality::max_normal_error() const { return largest(joints, &JointQuality::normal_error); }
double Quality::max_volume_loss() const { return largest(joints, &JointQuality::volume_loss); }
std::size_t Quality::max_new_intersections() const {
  return largest(joints, &JointQuality::new_intersections);
}
const MeshWeightChange* Quality::steepest_weights() const {
  return worst_of(weights, &WeightChange::gradient);
}
const MeshWeightChange* Quality::worst_seam() const { return worst_of(weights, &WeightChange::seam); }
bool Quality::are_new_counts_exact() const {
  return std::all_of(joints.begin(), joints.end(),
                     [](const JointQuality& joint) { return joint.is_intersection_count_exact; });
}

std::vector<SkinnedMesh> skinned_meshes(const Character& character) {
  std::vector<SkinnedMesh> shown;
  std::set<std::pair<Index, Index>> seen;
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const Instance& instance = character.instances[i];
    if (instance.skin == kNone || !instance.in_scene) continue;
    if (!seen.insert({instance.mesh, instance.skin}).second) continue;
    shown.push_back({static_cast<Index>(i), instance.mesh, instance.skin});
  }
  return shown;
}

Result<Quality> measure_quality(const Character& character, const DeformOptions& options,
                                const Progress& progress) {
  Result<SkinsAtRest> at_rest = measure_skins_at_rest(character, SIZE_MAX, progress.part(0, 0));
  if (!at_rest) return at_rest.error();
  return measure_bending(character, std::move(*at_rest), options, progress);
}

Result<Quality> measure_bending(const Character& character, SkinsAtRest at_rest, const DeformOptions& options,
                                const Progress& progress) {
  return without_throwing("measuring the skins", [&]() -> Result<Quality> {
    Quality quality;
    static_cast<SkinsAtRest&>(quality) = std::move(at_rest);
    const std::vector<SkinnedMesh> shown = skinned_meshes(character);
    if (shown.empty()) return quality;
    const Result<Deformer> deformer = prepare_deformer(character, options, progress.part(0, 0.3));
    if (!deformer) return deformer.error();
    quality.notes = deformer->notes;
    quality.symmetry = measure_symmetry(character, shown);
    RangeRun range(character, *deformer, shown, progress.part(0.3, 1));
    if (Status s = range.run(quality); !s) return s.error();
    return quality;
  });
}

}  // namespace dermis
