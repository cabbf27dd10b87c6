// SPDX-License-Identifier: MIT
// Describes how well skins bend: fields, and the worst values in tables and sentences.
#include <fmt/format.h>

#include <algorithm>

#include "ops/report/words.h"

namespace dermis {
namespace {

// The worst joints by one measure, as "145 %  elbow_L bend -60": value and pose.
using RankedNames = std::vector<std::string>;
constexpr std::size_t kWorstShown = 5;

template <class Number, class Words>
RankedNames worst_by(const std::vector<JointQuality>& joints, Number JointQuality::*member,
                     std::string JointQuality::*pose, const Words& words) {
  std::vector<const JointQuality*> sorted;
  for (const JointQuality& joint : joints) {
    if (joint.*member > Number{}) sorted.push_back(&joint);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const JointQuality* a, const JointQuality* b) { return a->*member > b->*member; });
  RankedNames ranking;
  for (std::size_t k = 0; k < std::min(sorted.size(), kWorstShown); ++k)
    ranking.push_back(fmt::format("{:>7}  {}", words(*sorted[k]), sorted[k]->*pose));
  return ranking;
}

const char* volume_head(const Quality& quality) {
  if (!quality.has_volume) return "volume lost (not measured: no closed shell)";
  return quality.open_shell_count == 0 ? "volume lost" : "volume lost (closed shells)";
}

std::string worst_joints(const Quality& quality) {
  const auto percent = [](double JointQuality::*member) {
    return [member](const JointQuality& joint) { return fmt::format("{:.1f} %", 100 * joint.*member); };
  };
  const auto number = [](const JointQuality& joint) {
    return fmt::format("{}{}", joint.new_intersections, joint.is_intersection_count_exact ? "" : "+");
  };
  const std::vector<JointQuality>& joints = quality.joints;
  RankedNames columns[] = {
      worst_by(joints, &JointQuality::strain, &JointQuality::strain_pose, percent(&JointQuality::strain)),
      worst_by(joints, &JointQuality::volume_loss, &JointQuality::volume_loss_pose,
               percent(&JointQuality::volume_loss)),
      worst_by(joints, &JointQuality::new_intersections, &JointQuality::intersections_pose, number)};
  const char* const heads[] = {
      "strain", volume_head(quality),
      quality.are_new_counts_exact() ? "new crossings" : "new crossings (+: at least)"};
  std::string lines[kWorstShown + 1];
  for (std::size_t c = 0; c < 3; ++c) {
    columns[c].insert(columns[c].begin(), heads[c]);
    columns[c].resize(kWorstShown + 1);
    std::size_t width = 0;
    for (const std::string& cell : columns[c]) width = std::max(width, cell.size());
    for (std::size_t k = 0; k <= kWorstShown; ++k)
      lines[k] += fmt::format("    {:<{}}", columns[c][k], width);
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) text += line + '\n';
  }
  return text;
}

// The worst of one measure with its pose: "35.2 deg (elbow_L bend 90)".
std::string worst_text(const Quality& quality, double JointQuality::*member, std::string JointQuality::*pose,
                       const char* format, double scale) {
  const JointQuality* worst = nullptr;
  for (const JointQuality& joint : quality.joints) {
    if (joint.*member > (worst == nullptr ? 0 : worst->*member)) worst = &joint;
  }
  if (worst == nullptr) return fmt::format(fmt::runtime(format), 0.0);
  return fmt::format("{} ({})", fmt::format(fmt::runtime(format), scale * worst->*member), worst->*pose);
}

// Shear, areas, normals and how the weights change along the surface.
std::string surface_text(const Quality& quality) {
  const double degrees = degrees_from_radians(1);
  std::string text =
      quality.max_stretch() > 0
          ? fmt::format("  largest stretch: an edge grows to over three times its length, by {}\n",
                        worst_text(quality, &JointQuality::stretch, &JointQuality::stretch_pose,
                                   "{:.3g} % of the size", 100))
          : "  no edge becomes three times as long\n";
  text +=
      fmt::format("  shear up to {}; area change up to {}\n",
                  worst_text(quality, &JointQuality::shear, &JointQuality::shear_pose, "{:.1f} deg", degrees),
                  worst_text(quality, &JointQuality::area, &JointQuality::area_pose, "{:.1f} %", 100));
  text +=
      fmt::format("  normals (95 % within): {:.1f} deg from their polygons at rest, where joints bend {}\n",
                  degrees * quality.rest_normal_error,
                  worst_text(quality, &JointQuality::normal_error, &JointQuality::normal_error_pose,
                             "{:.1f} deg", degrees));
  if (const MeshWeightChange* worst = quality.steepest_weights(); worst != nullptr) {
    text += fmt::format(
        "  weights: steepest where they change completely within {:.2g} % of the size (mesh {}, point {})\n",
        100 / worst->change.gradient.max, worst->mesh, worst->change.gradient_point);
  }
  if (const MeshWeightChange* worst = quality.worst_seam(); worst != nullptr) {
    text += fmt::format("  seams: weights differ by up to {:.3g} % (mesh {}, point {})\n",
                        100 * worst->change.seam.max, worst->mesh, worst->change.seam_point);
  }
  return text;
}

// How far weights bleed to distant joints, and how they differ between left and right.
std::string weights_text(const Quality& quality) {
  std::string text = fmt::format("  bleed: up to {:.3g} % of a point's weight, {} over {:g} %\n",
                                 100 * quality.bleed.share.max,
                                 counted(quality.bleed.count, "point", "points"), 100 * kVisibleBleed);
  const Symmetry& symmetry = quality.symmetry;
  if (!symmetry.is_judged) return text + "  symmetry: not judged (no sides, or no mirrored points)\n";
  return text +
         fmt::format("  symmetry: weights differ by up to {:.3g} %, {:.2g} % on average; unpaired: {}, {}\n",
                     100 * symmetry.difference.max, 100 * symmetry.difference.mean,
                     counted(symmetry.unpaired_point_count, "point", "points"),
                     counted(symmetry.unpaired_joints.size(), "joint", "joints"));
}

// The worst joint by one measure; none if all values are zero.
template <class Number>
std::optional<std::string> worst_label(const std::vector<JointQuality>& joints,
                                       Number JointQuality::*member) {
  const JointQuality* worst = nullptr;
  for (const JointQuality& joint : joints) {
    if (joint.*member > (worst == nullptr ? Number{} : worst->*member)) worst = &joint;
  }
  return worst == nullptr ? std::nullopt : std::optional(worst->label);
}

void describe_worst(ReportFields& fields, const std::vector<JointQuality>& joints) {
  const auto add = [&](const char* name, auto member, const char* meaning) {
    fields.add(name, worst_label(joints, member), meaning);
  };
  add("strain", &JointQuality::strain, "that stretches an edge most when it turns");
  add("stretch", &JointQuality::stretch, "that lengthens an edge most when it turns");
  add("shear", &JointQuality::shear, "that shears a triangle most when it turns");
  add("area", &JointQuality::area, "that changes an area most when it turns");
  add("volume_loss", &JointQuality::volume_loss, "that loses most volume when it turns");
  add("normal_error", &JointQuality::normal_error, "with the largest normal error when it turns");
  add("new_intersections", &JointQuality::new_intersections, "that makes most triangles cross when it turns");
}

void describe_totals(ReportFields& fields, const Quality& quality) {
  fields.add("poses", quality.pose_count, "poses of the range of motion", counted_as("pose", "poses"));
  fields.add("max_strain", quality.max_strain(), "largest relative change in length of an edge");
  fields.add("max_stretch", quality.max_stretch(),
             "largest growth of an edge to more than three times its length, as a fraction of the size");
  fields.add("rest_stretch", quality.rest_stretch(), "the same from the bind pose to rest");
  fields.add("max_shear", quality.max_shear(), "largest shear of a triangle, in radians");
  fields.add("max_area_change", quality.max_area_change(), "largest relative change of an area");
  fields.add("max_normal_error", quality.max_normal_error(),
             "of the joint with the largest: 95 % of the normals are within this angle of their polygons', "
             "in radians");
  fields.add("rest_normal_error", quality.rest_normal_error, "the same at rest");
  fields.add("max_volume_loss", quality.has_volume ? std::optional(quality.max_volume_loss()) : std::nullopt,
             "largest lost share of the volume that bends; null: there is no volume");
  fields.add("max_new_intersections", quality.max_new_intersections(),
             "most pairs of triangles that cross in a pose but not at rest");
  fields.add("rest_intersections", quality.rest_intersections, "pairs of triangles that cross at rest",
             counted_as("pair of triangles crosses", "pairs of triangles cross"));
  fields.add("is_rest_count_lower_bound", !quality.is_rest_count_exact,
             "there are more than could be listed");
  fields.add("are_intersections_complete", quality.is_rest_count_exact && quality.are_new_counts_exact(),
             "all counts of crossing triangles are exact");
  fields.add("solid_shells", quality.solid_shell_count, "shells that enclose a volume, which is measured",
             counted_as("shell", "shells"));
  fields.add("open_shells", quality.open_shell_count, "shells too open to enclose one",
             counted_as("open shell", "open shells"));
  fields.add("open_loops", quality.open_loop_count, "openings capped to measure volumes",
             counted_as("opening", "openings"));
}

void describe_group(ReportFields& fields, const char* name, const char* meaning,
                    const Placement::Group& group) {
  fields.add_object(name, meaning, [&] {
    fields.add("count", group.count, "how many");
    fields.add(
        "figure", group.figure,
        "of the worst: how far a turn by 60 degrees pulls it from its neighbours, or how far its joints "
        "are, as a fraction of the size");
    fields.add("share", group.share, "of its weight on that joint");
    fields.add_index("mesh", group.mesh, "of the worst");
    fields.add_index("point", group.point, "the worst, or its first point");
    fields.add_index("node", group.node, "a joint it follows");
    fields.add_index("better_node", group.better_node, "a joint that is near");
  });
}

void describe_weights(ReportFields& fields, const Quality& quality) {
  const Coverage& coverage = quality.coverage;
  const Bleed& bleed = quality.bleed;
  const Symmetry& symmetry = quality.symmetry;
  fields.add_object("coverage", "which joints points follow", [&] {
    fields.add("points", coverage.point_count, "points of the skinned instances");
    fields.add("torn_points", coverage.torn_point_count, "points without an influence of a fifth or more");
    fields.add("joints", coverage.joint_count, "nodes that skins name");
    fields.add("idle_joints", coverage.idle_joint_count, "joints that no point follows");
    fields.add("faint_joints", coverage.faint_joints,
               "nodes that points follow, but that are the heaviest joint of none");
  });
  fields.add_object("bleed", "weight on distant joints", [&] {
    fields.add("share", bleed.share, "over points: share of the weight on distant joints");
    fields.add("visible_points", bleed.count, "points where it is visible");
    fields.add_index("mesh", bleed.mesh, "of the worst point");
    fields.add_index("point", bleed.point, "the worst point");
    fields.add_index("heaviest_node", bleed.heaviest_node, "its heaviest joint");
    fields.add_index("far_node", bleed.far_node, "the heaviest of its distant joints");
  });
  fields.add_object("placement", "points that follow joints which are not theirs", [&] {
    const Placement& placement = quality.placement;
    describe_group(fields, "stray", "points that follow a far joint that nothing around them follows",
                   placement.stray);
    describe_group(fields, "wrong_side", "points that follow the joints of the other side",
                   placement.wrong_side);
    describe_group(fields, "torn_seam", "points on seams that open visibly", placement.torn_seam);
    describe_group(fields, "far_shells", "shells that follow a far joint", placement.far_shell);
    fields.add("bone_distance", placement.bone_distance,
               "median distance of the points from the nearest bone, as a fraction of the size");
  });
  fields.add_object("symmetry", "how weights differ between left and right", [&] {
    fields.add("is_judged", symmetry.is_judged, "joints name their sides, and most points have a pair");
    fields.add("difference", symmetry.difference, "over paired points: share of weight that differs");
    fields.add_index("mesh", symmetry.mesh, "of the worst point");
    fields.add_index("point", symmetry.point, "the worst point");
    fields.add("unpaired_points", symmetry.unpaired_point_count, "points without a pair");
    fields.add("unpaired_joints", symmetry.unpaired_joints, "nodes without a pair that points follow");
  });
}

void describe_joint(ReportFields& fields, const JointQuality& joint) {
  constexpr const char* kPose = "the pose in which it occurs";
  fields.name_type("joint_quality");
  fields.add("node", joint.node, "index of the joint's node");
  fields.add("label", joint.label, "its name in pose files");
  fields.add_object("strain", "change in length of edges", [&] {
    fields.add("max", joint.strain, "largest, relative");
    fields.add("pose", joint.strain_pose, kPose);
    fields.add_index("instance", joint.strain_instance, "where that is");
    fields.add_index("point", joint.strain_point, "where that is");
  });
  fields.add_object("stretch", "growth of edges to more than three times their length", [&] {
    fields.add("max", joint.stretch, "largest, as a fraction of the character's size");
    fields.add("pose", joint.stretch_pose, kPose);
    fields.add_index("instance", joint.stretch_instance, "where that is");
    fields.add_index("point", joint.stretch_point, "where that is");
  });
  fields.add_object("shear", "of triangles", [&] {
    fields.add("max", joint.shear, "largest, in radians");
    fields.add("pose", joint.shear_pose, kPose);
  });
  fields.add_object("area", "change of area of triangles", [&] {
    fields.add("max", joint.area, "largest, relative");
    fields.add("pose", joint.area_pose, kPose);
  });
  fields.add_object("normal_error", "angle between normals and those of their polygons", [&] {
    fields.add("p95", joint.normal_error, "95 % are within this angle, in radians");
    fields.add("pose", joint.normal_error_pose, kPose);
  });
  fields.add_object("volume", "change of volume, as fractions of the volume that bends", [&] {
    fields.add("loss", joint.volume_loss, "largest loss");
    fields.add("pose", joint.volume_loss_pose, kPose);
    fields.add("gain", joint.volume_gain, "largest gain");
  });
  fields.add_object("new_intersections", "triangles that cross in a pose but not at rest", [&] {
    fields.add("count", joint.new_intersections, "most pairs");
    fields.add("is_lower_bound", !joint.is_intersection_count_exact, "there are more than could be listed");
    fields.add("pose", joint.intersections_pose, kPose);
  });
}

void describe_change(ReportFields& fields, const MeshWeightChange& weights) {
  const WeightChange& change = weights.change;
  fields.name_type("weight_change");
  fields.add("mesh", weights.mesh, "index of the mesh");
  fields.add(
      "gradient", change.gradient,
      "over edges: share of weight that changes, divided by the length as a fraction of the mesh's diagonal");
  fields.add_index("gradient_point", change.gradient_point, "a point of the worst edge");
  fields.add("seam", change.seam, "over places with several points: share of weight that differs");
  fields.add_index("seam_point", change.seam_point, "a point of the worst place");
}

}  // namespace

void describe(ReportFields& fields, const Quality& quality) {
  fields.say_words([&] { return worst_joints(quality) + surface_text(quality); });
  fields.say("  at rest ");
  fields.say_if(!quality.is_rest_count_exact, "at least ");
  fields.say("{rest_intersections}; {open_loops} capped");
  fields.say_if(quality.open_shell_count > 0, ", {open_shells} without volume");
  fields.say("\n");
  fields.say_if(
      !quality.is_rest_count_exact,
      "  new crossings may include pairs that cross at rest, because those could not all be listed\n");
  fields.say_words([&] { return weights_text(quality); });
  describe_totals(fields, quality);
  describe_weights(fields, quality);
  fields.add_object("worst", "labels of the worst joints; null if all values are zero",
                    [&] { describe_worst(fields, quality.joints); });
  fields.add_list("weights", quality.weights, "how weights change along each skinned mesh", {},
                  [&](const MeshWeightChange& weights) { describe_change(fields, weights); });
  fields.add_list("joints", quality.joints, "the effects of each joint when it turns",
                  counted_as("joint", "joints"),
                  [&](const JointQuality& joint) { describe_joint(fields, joint); });
}

}  // namespace dermis
