// SPDX-License-Identifier: MIT
// Checks the quality of skins against limits.
#include <fmt/format.h>

#include <algorithm>

#include "measure/check.h"
#include "measure/quality.h"

namespace dermis {
namespace {

// Smaller differences come from quantising, and from points that pair up inexactly.
constexpr double kVisibleAsymmetry = 0.05;

// A skin with fewer joints may well hold a prop.
constexpr std::size_t kSkeleton = 3;
// Half of the points of a body are nearer to a bone than this fraction of its size, however thick it is.
constexpr double kApart = 0.4;
// Fewer points are a sheet or a box, not a body around bones.
constexpr std::size_t kBody = 100;

// Joint numbers are off by one if the others bring the points this many times nearer to the bones they
// follow, and by this fraction of the size.
constexpr double kTimesNearerShifted = 1.2, kNearerShifted = 0.02;
// A skeleton stands beside its body if it is off by this fraction of the size, and moving it brings the
// points this many times nearer to their bones.
constexpr double kOffset = 0.2, kTimesNearerMoved = 2;
// A mesh of which this share of what is seen from outside is the back of polygons is inside out: sheets such
// as capes show both sides alike.
constexpr double kMostlyBack = 0.75;
// Fewer rays that hit a mesh see only a corner of it.
constexpr std::size_t kEnoughRays = 100;

// At rest nothing has moved yet: good files, even those that rest in another pose than they were bound in,
// have no edge that triples.
constexpr double kVisibleRestStretch = 0.05;

class QualityCheck {
 public:
  QualityCheck(const Character& character, const Quality& quality, const CheckLimits& limits,
               Findings& findings)
      : character_(character),
        quality_(quality),
        limits_(limits),
        findings_(findings),
        shown_(skinned_meshes(character)) {}

  Status run() {
    const Result<PoseFrame> rest = pose_frame(character_, {});
    if (!rest) return rest.error();
    check_placement();
    check_skeleton();
    check_fit();
    check_binds(*rest);
    if (Status looked = check_sides(*rest); !looked) return looked;
    check_stretch();
    check_strain();
    check_volume();
    check_intersections();
    check_coverage();
    check_bleed();
    check_symmetry();
    return Done{};
  }

 private:
  std::string joint(Index node) const { return quoted_name(node_label(character_, node)); }
  Finding& add_at(const char* id, Index mesh, Index point, std::string sentence) {
    Finding& finding =
        add_finding(findings_, id, "mesh", mesh, character_.meshes[at(mesh)].name, std::move(sentence));
    finding.point = point;
    return finding;
  }
  template <class Number>
  const JointQuality& worst(Number JointQuality::*member) const {
    return *std::max_element(
        quality_.joints.begin(), quality_.joints.end(),
        [&](const JointQuality& a, const JointQuality& b) { return a.*member < b.*member; });
  }

  // "point 17 follows 'Head' by 50 %, where 'LeftFoot' is near": the worst of a group.
  Finding& add_group(const char* id, const Placement::Group& group, std::string sentence) {
    Finding& finding = add_at(id, group.mesh, group.point, std::move(sentence));
    finding.count = group.count;
    finding.node = group.node;
    finding.figure = group.figure;
    return finding;
  }
  std::string followed(const Placement::Group& group) const {
    return fmt::format("the worst follows {} by {:.3g} %; {} is near", joint(group.node), 100 * group.share,
                       joint(group.better_node));
  }
  void check_placement() {
    const Placement& placement = quality_.placement;
    if (placement.stray.count > 0) {
      add_group("points-stray", placement.stray,
                fmt::format("has {} a far joint that nothing around follows ({})",
                            counted(placement.stray.count, "point that follows", "points that follow"),
                            followed(placement.stray)));
    }
    if (placement.wrong_side.count > 0) {
      add_group("sides-wrong", placement.wrong_side,
                fmt::format("has {} joints of the other side ({})",
                            counted(placement.wrong_side.count, "point that follows", "points that follow"),
                            followed(placement.wrong_side)));
    }
    if (placement.torn_seam.count > 0) {
      add_group("seam-torn", placement.torn_seam,
                fmt::format("has {} open: their sides follow {} by shares that differ",
                            counted(placement.torn_seam.count, "point on a seam that tears",
                                    "points on seams that tear"),
                            joint(placement.torn_seam.node)));
    }
    if (placement.far_shell.count > 0) {
      add_group("shells-far", placement.far_shell,
                fmt::format("has {} a joint far away ({})",
                            counted(placement.far_shell.count, "piece that follows", "pieces that follow"),
                            followed(placement.far_shell)));
    }
  }

  void check_skeleton() {
    const Coverage& coverage = quality_.coverage;
    if (coverage.joint_count >= kSkeleton && coverage.joint_count - coverage.idle_joint_count == 1) {
      add_finding(findings_, "skin-rigid",
                  fmt::format("all points follow one of {} joints: nothing bends", coverage.joint_count))
          .count = coverage.joint_count;
    }
    const double distance = quality_.placement.bone_distance;
    if (coverage.joint_count >= kSkeleton && coverage.point_count >= kBody && distance > kApart) {
      add_finding(findings_, "skeleton-apart",
                  fmt::format("half of the points are further than {:.3g} % of the size from every bone",
                              100 * distance))
          .figure = distance;
    }
  }

  // Joint numbers that are off by one, and a skeleton that stands beside its body.
  void check_fit() {
    for (const BoneFit& fit : fit_bones(character_, shown_)) {
      const Skin& skin = character_.skins[at(fit.skin)];
      if (skin.node.size() < kSkeleton || fit.point_count < kBody) continue;
      if (fit.distance > kTimesNearerShifted * fit.shifted_distance &&
          fit.distance > kNearerShifted + fit.shifted_distance) {
        add_finding(findings_, "joints-shifted", "skin", fit.skin, skin.name,
                    fmt::format("has points that would be {:.3g} times nearer to their bones if each joint "
                                "number were one {}",
                                fit.distance / fit.shifted_distance, fit.shift > 0 ? "higher" : "lower"))
            .figure = fit.distance / fit.shifted_distance;
      } else if (fit.offset > kOffset && fit.distance > kTimesNearerMoved * fit.moved_distance) {
        add_finding(findings_, "skeleton-apart", "skin", fit.skin, skin.name,
                    fmt::format("has a skeleton {:.3g} % of the size beside the points that follow it",
                                100 * fit.offset))
            .figure = fit.offset;
      }
    }
  }

  void check_binds(const PoseFrame& rest) {
    const Coverage& coverage = quality_.coverage;
    if (coverage.joint_count < kSkeleton || coverage.point_count < kBody) return;
    for (const OddBind& odd : find_odd_binds(character_, shown_, rest)) {
      Finding& finding =
          add_at("bind-odd", odd.mesh, odd.point,
                 fmt::format("is moved by {} by {:.3g} % of the size at rest, while the joints around it "
                             "leave it in place",
                             joint(odd.node), 100 * odd.figure));
      finding.node = odd.node;
      finding.figure = odd.figure;
    }
  }

  Status check_sides(const PoseFrame& rest) {
    const Result<std::vector<SeenSides>> seen = look_around(character_, shown_, rest);
    if (!seen) return seen.error();
    for (const SeenSides& sides : *seen) {
      const double back = static_cast<double>(sides.back_count) / static_cast<double>(sides.ray_count);
      const bool is_said = std::any_of(findings_.begin(), findings_.end(), [&](const Finding& finding) {
        return finding.id == "shell-flipped" && finding.severity == Severity::error &&
               finding.index == sides.mesh;
      });
      if (sides.ray_count < kEnoughRays || back < kMostlyBack || is_said) continue;
      add_finding(
          findings_, "surface-inside-out", "mesh", sides.mesh, character_.meshes[at(sides.mesh)].name,
          fmt::format("is inside out: from outside, its polygons show their back in {:.3g} % of the places",
                      100 * back))
          .figure = back;
    }
    return Done{};
  }

  void check_stretch() {
    if (quality_.rest_stretch > kVisibleRestStretch) {
      add_at(
          "rest-torn", character_.instances[at(quality_.rest_stretch_instance)].mesh,
          quality_.rest_stretch_point,
          fmt::format("has an edge that grows by {:.3g} % of the character's size from the bind pose to rest",
                      100 * quality_.rest_stretch))
          .figure = quality_.rest_stretch;
    }
    if (quality_.joints.empty() || quality_.max_stretch() <= limits_.max_stretch) return;
    const JointQuality& joint = worst(&JointQuality::stretch);
    Finding& finding =
        add_at("stretch-high", character_.instances[at(joint.stretch_instance)].mesh, joint.stretch_point,
               fmt::format("has an edge that grows by {:.3g} % of the character's size in the pose {}",
                           100 * joint.stretch, quoted_name(joint.stretch_pose)));
    finding.node = joint.node;
    finding.figure = joint.stretch;
  }

  void check_strain() {
    if (!limits_.max_strain || quality_.max_strain() <= *limits_.max_strain) return;
    const JointQuality& joint = worst(&JointQuality::strain);
    Finding& finding =
        add_at("strain-high", character_.instances[at(joint.strain_instance)].mesh, joint.strain_point,
               fmt::format("changes an edge by {:.3g} % of its length in the pose {}", 100 * joint.strain,
                           quoted_name(joint.strain_pose)));
    finding.node = joint.node;
    hold_against(finding, joint.strain, limits_.max_strain);
  }

  void check_volume() {
    if (!limits_.max_volume_loss || quality_.max_volume_loss() <= *limits_.max_volume_loss) return;
    const JointQuality& joint = worst(&JointQuality::volume_loss);
    Finding& finding = add_finding(findings_, "volume-lost",
                                   fmt::format("{:.3g} % of the volume around a joint is lost in the pose {}",
                                               100 * joint.volume_loss, quoted_name(joint.volume_loss_pose)));
    finding.node = joint.node;
    hold_against(finding, joint.volume_loss, limits_.max_volume_loss);
  }

  void check_intersections() {
    const std::size_t most = quality_.max_new_intersections();
    if (!limits_.max_new_intersections || most <= *limits_.max_new_intersections) return;
    const JointQuality& joint = worst(&JointQuality::new_intersections);
    Finding& finding = add_finding(
        findings_, "intersections-new",
        fmt::format("{}{} in the pose {}, but not at rest{}",
                    joint.is_intersection_count_exact ? "" : "at least ",
                    counted(most, "pair of triangles crosses", "pairs of triangles cross"),
                    quoted_name(joint.intersections_pose),
                    quality_.is_rest_count_exact ? "" : ", as far as listed (there are too many at rest)"));
    finding.node = joint.node;
    finding.count = most;
    hold_against(finding, static_cast<double>(most), limits_.max_new_intersections);
  }

  void check_coverage() {
    const Coverage& coverage = quality_.coverage;
    if (coverage.torn_point_count > 0) {
      add_finding(findings_, "points-torn",
                  fmt::format("{} no joint with a fifth of their weight",
                              counted(coverage.torn_point_count, "point follows", "points follow")))
          .count = coverage.torn_point_count;
    }
    if (coverage.faint_joints.empty()) return;
    Finding& finding =
        add_finding(findings_, "joints-faint",
                    fmt::format("{} not the heaviest at any point, first {}",
                                counted(coverage.faint_joints.size(), "joint is", "joints are"),
                                joint(coverage.faint_joints[0])));
    finding.count = coverage.faint_joints.size();
    finding.node = coverage.faint_joints[0];
  }

  void check_bleed() {
    const Bleed& bleed = quality_.bleed;
    const bool is_over = limits_.max_bleed && bleed.share.max > *limits_.max_bleed;
    if (bleed.mesh == kNone || (bleed.share.max <= kVisibleBleed && !is_over)) return;
    Finding& finding =
        add_at("weights-bleed", bleed.mesh, bleed.point,
               fmt::format("has {} with weight on joints far from their own (up to {:.3g} %, of {} on {})",
                           counted(std::max<std::size_t>(bleed.count, 1), "point", "points"),
                           100 * bleed.share.max, joint(bleed.far_node), joint(bleed.heaviest_node)));
    finding.count = std::max<std::size_t>(bleed.count, 1);
    finding.node = bleed.far_node;
    hold_against(finding, bleed.share.max, limits_.max_bleed);
  }

  void check_symmetry() {
    const Symmetry& symmetry = quality_.symmetry;
    const double most = symmetry.difference.max;
    const bool is_over = limits_.max_asymmetry && most > *limits_.max_asymmetry;
    if (!symmetry.is_judged || (most <= kVisibleAsymmetry && !is_over)) return;
    Finding& finding = add_at("weights-asymmetric", symmetry.mesh, symmetry.point,
                              fmt::format("follows different joints on the left and on the right (up to "
                                          "{:.3g} % of a point's weight, {:.2g} % on average)",
                                          100 * most, 100 * symmetry.difference.mean));
    hold_against(finding, most, limits_.max_asymmetry);
  }

  const Character& character_;
  const Quality& quality_;
  const CheckLimits& limits_;
  Findings& findings_;
  std::vector<SkinnedMesh> shown_;
};

}  // namespace

Status check_quality(const Character& character, const DeformOptions& options, const CheckLimits& limits,
                     Checkup& checkup, const Progress& progress) {
  Result<Quality> quality = measure_quality(character, options, progress);
  if (!quality) return quality.error();
  if (Status judged = QualityCheck(character, *quality, limits, checkup.findings).run(); !judged)
    return judged;
  sort_findings(checkup.findings);
  checkup.quality = std::move(*quality);
  return Done{};
}

}  // namespace dermis
