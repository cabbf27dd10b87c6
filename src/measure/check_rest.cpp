// SPDX-License-Identifier: MIT
// What skins show before a joint bends: wrong weights, wrong joints, wrong binds, surfaces inside out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "measure/check.h"
#include "measure/quality.h"

namespace dermis {
namespace {

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
// A mesh is inside out if at least this share of what is seen of it from outside are backs of polygons:
// sheets such as capes show both sides alike.
constexpr double kMostlyBack = 0.75;
// Fewer hits of rays than this show only a corner of a mesh.
constexpr std::size_t kEnoughRays = 100;

// At rest nothing has moved yet: good files, even those that rest in another pose than they were bound in,
// have no edge that triples.
constexpr double kVisibleRestStretch = 0.05;

// A body and a skeleton whose sizes differ this many times are in different units.
constexpr double kOtherUnit = 5;

class RestCheck {
 public:
  RestCheck(const Character& character, const SkinsAtRest& at_rest, const CheckLimits& limits,
            const Progress& progress, Findings& findings)
      : character_(character),
        at_rest_(at_rest),
        limits_(limits),
        progress_(progress),
        findings_(findings),
        shown_(skinned_meshes(character)),
        labels_(node_labels(character)) {
    const auto point_count = [&](Index m) { return character.meshes[at(m)].points.size(); };
    for (const SkinnedMesh& one : shown_) {
      Index& largest = largest_mesh_.try_emplace(one.skin, one.mesh).first->second;
      if (point_count(one.mesh) > point_count(largest)) largest = one.mesh;
    }
  }

  Status run() {
    const Result<PoseFrame> rest = pose_frame(character_, {});
    if (!rest) return rest.error();
    check_torn();
    check_rigid();
    check_binds(*rest);
    if (Status looked = check_sides(*rest); !looked) return looked;
    check_coverage();
    if (!at_rest_.has_distances) return Done{};
    check_placement();
    const std::vector<BoneFit> fits = fit_bones(character_, shown_, progress_);
    if (Status going = progress_.at("checking skins at rest", 1); !going) return going;
    check_apart(fits);
    check_fit(fits);
    check_bleed();
    return Done{};
  }

 private:
  std::string joint(Index node) const { return quoted_name(labels_[at(node)]); }
  Finding& add_at(const char* id, Index mesh, Index point, std::string sentence) {
    Finding& finding =
        add_finding(findings_, id, "mesh", mesh, character_.meshes[at(mesh)].name, std::move(sentence));
    finding.point = point;
    return finding;
  }
  Finding& add_to_skin(const char* id, Index skin, std::string sentence) {
    return add_finding(findings_, id, "skin", skin, character_.skins[at(skin)].name, std::move(sentence));
  }

  void check_torn() {
    for (const RestStretch& one : at_rest_.stretches) {
      if (!(one.stretch > kVisibleRestStretch)) continue;
      add_at(
          "rest-torn", character_.instances[at(one.instance)].mesh, one.point,
          fmt::format("has an edge that grows by {:.3g} % of the character's size from the bind pose to rest",
                      100 * one.stretch))
          .figure = one.stretch;
    }
  }

  void check_rigid() {
    const Coverage& coverage = at_rest_.coverage;
    if (coverage.joint_count < kSkeleton || coverage.joint_count - coverage.idle_joint_count != 1) return;
    add_finding(findings_, "skin-rigid",
                fmt::format("all points follow one of {} joints: nothing bends", coverage.joint_count))
        .count = coverage.joint_count;
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
    const Placement& placement = at_rest_.placement;
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

  std::string largest_mesh(Index skin) const {
    const Index mesh = largest_mesh_.at(skin);
    const std::string& name = character_.meshes[at(mesh)].name;
    return fmt::format("mesh {}{}{}", mesh, name.empty() ? "" : " ", name.empty() ? "" : quoted_name(name));
  }

  // The skeleton of a skin is not in the body. If one is many times as large as the other, their units
  // differ.
  void add_apart(const BoneFit& fit, double figure, std::string sentence) {
    skins_apart_.insert(fit.skin);
    Finding& finding = add_to_skin("skeleton-apart", fit.skin, std::move(sentence));
    finding.figure = figure;
    const double ratio = fit.size_ratio;
    if (ratio == 0 || (ratio < kOtherUnit && ratio > 1 / kOtherUnit)) return;
    const std::string mesh = largest_mesh(fit.skin);
    const std::string times = fmt::format("{:.3g}", ratio > 1 ? ratio : 1 / ratio);
    finding.sentence = ratio > 1
                           ? fmt::format("moves {}, which is {} times as large as the skeleton", mesh, times)
                           : fmt::format("has a skeleton {} times as large as {}", times, mesh);
    finding.advice = "scale the mesh or the skeleton: their units differ; then bind again";
  }

  // Points far from every bone.
  void check_apart(const std::vector<BoneFit>& fits) {
    const Coverage& coverage = at_rest_.coverage;
    const double distance = at_rest_.placement.bone_distance;
    if (coverage.joint_count < kSkeleton || coverage.point_count < kBody || !(distance > kApart)) return;
    for (const BoneFit& fit : fits) {
      if (fit.skin != at_rest_.placement.far_skin) continue;
      add_apart(fit, distance,
                fmt::format("half of the points of {} are further than {:.3g} % of its size from every bone",
                            largest_mesh(fit.skin), 100 * distance));
    }
  }

  // Joint numbers that are off by one, and a skeleton that stands beside its body.
  void check_fit(const std::vector<BoneFit>& fits) {
    for (const BoneFit& fit : fits) {
      const Skin& skin = character_.skins[at(fit.skin)];
      if (skin.node.size() < kSkeleton || fit.point_count < kBody) continue;
      if (fit.distance > kTimesNearerShifted * fit.shifted_distance &&
          fit.distance > kNearerShifted + fit.shifted_distance) {
        add_to_skin(
            "joints-shifted", fit.skin,
            fmt::format("has points that would be {:.3g} times nearer to their bones if each joint number "
                        "were one {}",
                        fit.distance / fit.shifted_distance, fit.shift > 0 ? "higher" : "lower"))
            .figure = fit.distance / fit.shifted_distance;
      } else if (fit.offset > kOffset && fit.distance > kTimesNearerMoved * fit.moved_distance &&
                 !skins_apart_.contains(fit.skin)) {
        add_apart(fit, fit.offset,
                  fmt::format(
                      "has a skeleton that is {:.3g} % of the size away from the points of {} that follow it",
                      100 * fit.offset, largest_mesh(fit.skin)));
      }
    }
  }

  void check_binds(const PoseFrame& rest) {
    const Coverage& coverage = at_rest_.coverage;
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
    const Result<std::vector<SeenSides>> seen = look_around(character_, shown_, rest, progress_);
    if (!seen) return seen.error();
    std::set<Index> flipped;  // said already
    for (const Finding& finding : findings_) {
      if (finding.id == "shell-flipped" && finding.severity == Severity::error) flipped.insert(finding.index);
    }
    for (const SeenSides& sides : *seen) {
      const double back = static_cast<double>(sides.back_count) / static_cast<double>(sides.ray_count);
      if (sides.ray_count < kEnoughRays || back < kMostlyBack || flipped.contains(sides.mesh)) continue;
      add_finding(
          findings_, "surface-inside-out", "mesh", sides.mesh, character_.meshes[at(sides.mesh)].name,
          fmt::format("shows the backs of its polygons on {:.3g} % of its visible surface", 100 * back))
          .figure = back;
    }
    return Done{};
  }

  void check_coverage() {
    const Coverage& coverage = at_rest_.coverage;
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
    const Bleed& bleed = at_rest_.bleed;
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

  const Character& character_;
  const SkinsAtRest& at_rest_;
  const CheckLimits& limits_;
  const Progress& progress_;
  Findings& findings_;
  std::vector<SkinnedMesh> shown_;
  std::vector<std::string> labels_;
  std::map<Index, Index> largest_mesh_;  // of each skin: the one with most points
  std::set<Index> skins_apart_;          // whose skeleton is found outside the body
};

// Where bones are and how points move depends on the inverse binds and on the place of the skeleton, so these
// findings may have no cause of their own.
constexpr std::array kConsequences{
    "stretch-high",       "sides-wrong", "points-stray",      "skeleton-apart", "joints-shifted",
    "surface-inside-out", "shells-far",  "weights-bleed",     "rest-not-bind",  "weights-asymmetric",
    "strain-high",        "volume-lost", "intersections-new", "clip-torn"};

}  // namespace

void defer_to_causes(const Character& character, Findings& findings) {
  std::map<Index, std::set<Index>> skins_of_mesh;
  for (const SkinnedMesh& one : skinned_meshes(character)) skins_of_mesh[one.mesh].insert(one.skin);
  // Of a finding; empty: any.
  const auto skins_of = [&](const Finding& finding) {
    if (finding.thing == "skin") return std::set{finding.index};
    const auto found = skins_of_mesh.find(finding.thing == "mesh" ? finding.index : kNone);
    return found == skins_of_mesh.end() ? std::set<Index>() : found->second;
  };
  for (const char* cause : {"skeleton-apart", "bind-odd", "rest-torn"}) {  // the last one found is named
    std::set<Index> wrong;
    for (const Finding& finding : findings) {
      if (finding.id == cause) wrong.merge(skins_of(finding));
    }
    if (wrong.empty()) continue;
    for (Finding& finding : findings) {
      const auto is_rule = [&](const char* id) { return finding.rule == id; };
      if (is_rule(cause) || std::none_of(kConsequences.begin(), kConsequences.end(), is_rule)) continue;
      const std::set<Index> skins = skins_of(finding);
      const bool is_wrong =
          std::any_of(skins.begin(), skins.end(), [&](Index s) { return wrong.contains(s); });
      if (skins.empty() || is_wrong)
        finding.advice = fmt::format("mend {} first, then check again: it may be the cause", cause);
    }
  }
}

Status check_rest(const Character& character, const CheckLimits& limits, std::size_t most_distances,
                  Checkup& checkup, const Progress& progress) {
  return without_throwing("checking skins at rest", [&]() -> Status {
    Result<SkinsAtRest> at_rest = measure_skins_at_rest(character, most_distances, progress.part(0, 0.6));
    if (!at_rest) return at_rest.error();
    if (Status judged = RestCheck(character, *at_rest, limits, progress.part(0.6, 1), checkup.findings).run();
        !judged)
      return judged;
    defer_to_causes(character, checkup.findings);
    sort_findings(checkup.findings);
    checkup.at_rest = std::move(*at_rest);
    return Done{};
  });
}

}  // namespace dermis
