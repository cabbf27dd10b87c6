// SPDX-License-Identifier: MIT
// Checks how skins bend, and how alike their sides are, against limits.
#include <fmt/format.h>

#include <algorithm>

#include "measure/check.h"
#include "measure/quality.h"

namespace dermis {
namespace {

// Smaller differences come from quantising, and from points that pair up inexactly.
constexpr double kVisibleAsymmetry = 0.05;

class QualityCheck {
 public:
  QualityCheck(const Character& character, const Quality& quality, const CheckLimits& limits,
               Findings& findings)
      : character_(character), quality_(quality), limits_(limits), findings_(findings) {}

  void run() {
    check_symmetry();
    if (quality_.joints.empty()) return;
    check_stretch();
    check_strain();
    check_volume();
    check_intersections();
  }

 private:
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

  void check_stretch() {
    if (quality_.max_stretch() <= limits_.max_stretch) return;
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
};

}  // namespace

Status check_quality(const Character& character, const DeformOptions& options, const CheckLimits& limits,
                     Checkup& checkup, const Progress& progress) {
  if (!checkup.at_rest) {
    if (Status done = check_rest(character, limits, SIZE_MAX, checkup, progress.part(0, 0)); !done)
      return done;
  }
  Result<Quality> quality = measure_bending(character, *checkup.at_rest, options, progress);
  if (!quality) return quality.error();
  QualityCheck(character, *quality, limits, checkup.findings).run();
  defer_to_causes(character, checkup.findings);
  sort_findings(checkup.findings);
  checkup.quality = std::move(*quality);
  return Done{};
}

}  // namespace dermis
