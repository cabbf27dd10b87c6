// SPDX-License-Identifier: MIT
// The description of what the operations on weights report.
#include "dermis/ops/weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/report/words.h"

namespace dermis {
namespace {

std::string percent(double part) { return fmt::format("{:.3g} %", 100 * part); }

std::string pose_error_text(const LimitedWeights& limited) {
  return fmt::format(
      "    {} had more; over {} of the range of motion they are off by\n"
      "      {:>9} rms, {:>9} at most of the diagonal, refitted\n"
      "      {:>9} rms, {:>9} at most, had they only been cut\n",
      counted(limited.limited_count, "point", "points"), counted(limited.pose_count, "pose", "poses"),
      percent(limited.refitted.rms), percent(limited.refitted.max), percent(limited.cut.rms),
      percent(limited.cut.max));
}

std::string joints_text(const WeightsReport& report) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(report.joints.size(), kShown); ++k) {
    const WeightsReport::Joint& joint = report.joints[k];
    text += fmt::format("    {:<24} {:+10.4g}   {:.4g} moved\n", joint.label, joint.gained, joint.moved);
  }
  if (text.empty()) return text;
  if (report.joints.size() > kShown) text += fmt::format("    and {} more\n", report.joints.size() - kShown);
  return "  weight of joints, summed over points:\n" + text;
}

std::string worst_points_text(const WeightsReport& report) {
  std::string text;
  for (const WeightsReport::Point& point : report.worst) {
    text += fmt::format("    mesh {}, point {}: {:.4g}, most of it {}: {:.4g} and {:.4g}\n", point.mesh,
                        point.point, point.distance, point.joint, point.before, point.after);
  }
  return text.empty() ? text : "  where they differ most:\n" + text;
}

std::string motion_text(const SkinDistance& motion) {
  const auto percent = [&](double value) { return motion.diagonal > 0 ? 100 * value / motion.diagonal : 0; };
  return fmt::format(
      "  in motion, over {} {}: points {:.3f} % of the size apart (rms), 99 % below {:.3f} %, at most {:.3f} "
      "%{}\n",
      counted(motion.frame_count, "pose", "poses"),
      motion.is_by_range ? "of the range of motion" : "of all clips", percent(motion.rms),
      percent(motion.p99), percent(motion.max),
      motion.worst_moment.empty() ? "" : " (" + motion.worst_moment + ")");
}

// "limit: hero.glb to four.glb"
std::string headline(const WeightsReport& report) {
  const std::string inputs = fmt::format("{}", fmt::join(report.inputs, " and "));
  if (report.output.empty()) return fmt::format("{}: {}\n", report.operation, inputs);
  // In the order of the request: the source of the weights, then the target.
  if (report.operation == "transfer" && report.inputs.size() == 2)
    return fmt::format("transfer: from {} to {}, written to {}\n", report.inputs[1], report.inputs[0],
                       report.output);
  return fmt::format("{}: {} to {}\n", report.operation, inputs, report.output);
}

// If weights should have changed and none did.
void say_unchanged(ReportFields& fields, const WeightsReport& report) {
  const std::string& operation = report.operation;
  const auto is_changed = [](const WeightsReport::Mesh& mesh) { return mesh.changed_point_count > 0; };
  if (report.meshes.empty() || std::any_of(report.meshes.begin(), report.meshes.end(), is_changed) ||
      operation == "export" || operation == "subdivide" || operation == "transfer")
    return;
  fields.say(operation == "diff" ? "  no weight differs\n" : "  no weight changed\n");
}

void say_weights_mesh(ReportFields& fields, const WeightsReport::Mesh& mesh, bool is_comparison) {
  fields.say("  mesh {index}");
  if (!mesh.name.empty()) fields.say_words([&] { return fmt::format(" {}", quoted_name(mesh.name)); });
  fields.say(": {points}");
  fields.say_if(mesh.selected_point_count.has_value(), ", {selected_points} selected");
  fields.say_if(mesh.polygon_count.has_value(), ", {polygons}");
  if (mesh.changed_point_count > 0) {
    fields.say(is_comparison ? ", {changed_points} differ" : ", {changed_points} changed");
    fields.say(" (at most {max_change} of 2, at point {worst_point}; mean {mean_change})");
  }
  fields.say(", up to {longest_after}");
  if (mesh.longest_before != mesh.longest_after && mesh.longest_before > 0)
    fields.say(is_comparison ? " (the first: {longest_before})" : " (before: {longest_before})");
  fields.say_if(mesh.rigid_shell_count.has_value(), ", {rigid_shells} made rigid");
  fields.say("\n");
  if (mesh.limited && mesh.limited->limited_count > 0)
    fields.say_words([&] { return pose_error_text(*mesh.limited); });
  fields.say_if(
      mesh.mirrored.has_value(),
      "    {mirrored.points} took weights from the other side, {mirrored.middle_points} are in the middle, "
      "{mirrored.paired_by_topology} paired along edges, ");
  if (mesh.mirrored)
    fields.say_words([&] { return fmt::format("{} unpaired\n", mesh.mirrored->unpaired.size()); });
  fields.say_if(mesh.mirrored && mesh.mirrored->other_mesh_count > 0,
                "    {mirrored.from_other_meshes} of another mesh\n");
  fields.say_if(
      mesh.transferred.has_value(),
      "    {transferred.matched} matched, {transferred.inpainted} filled in, {transferred.nearest} took "
      "the nearest\n");
}

void describe_pose_error(ReportFields& fields, const char* name, const PoseError& error,
                         const char* meaning) {
  fields.add_object(name, meaning, [&] {
    fields.add("rms", error.rms, "root mean square");
    fields.add("max", error.max, "largest");
  });
}

// What single operations report about a mesh.
void describe_operations(ReportFields& fields, const WeightsReport::Mesh& mesh) {
  fields.add_object_if("limited", mesh.limited.has_value(), "what a limit of influences did", [&] {
    const LimitedWeights none;
    const LimitedWeights& limited = mesh.limited ? *mesh.limited : none;
    fields.add("points", limited.limited_count, "points that had more");
    fields.add("over", limited.over_count, "points that still have more, because of locks");
    fields.add("poses", limited.pose_count, "poses that the error was measured in");
    describe_pose_error(fields, "pose_error", limited.refitted,
                        "of the refitted weights, as fractions of the diagonal");
    describe_pose_error(fields, "pose_error_cut", limited.cut, "if they were only cut");
  });
  fields.add_object_if("mirrored", mesh.mirrored.has_value(), "what mirroring did", [&] {
    const MirroredWeights none;
    const MirroredWeights& mirrored = mesh.mirrored ? *mesh.mirrored : none;
    fields.add("points", mirrored.mirrored_count, "points that took the row of the other side");
    fields.add("middle_points", mirrored.middle_count, "points that are their own image");
    fields.add("paired_by_topology", mirrored.walked_count,
               "of the points and middle points, those paired along edges");
    fields.add("from_other_meshes", mirrored.other_mesh_count, "points whose pair is in another mesh",
               counted_as("took the row of a point", "took rows of points"));
    fields.add("unpaired_points", mirrored.unpaired, "points without a pair, which keep their rows");
    fields.add("unpaired_joints", mirrored.unpaired_joints, "nodes of joints without a pair");
  });
  fields.add_object_if("transferred", mesh.transferred.has_value(), "what a transfer did", [&] {
    const TransferredWeights none;
    const TransferredWeights& transferred = mesh.transferred ? *mesh.transferred : none;
    fields.add("matched", transferred.matched_count, "points that match the source");
    fields.add("inpainted", transferred.inpainted_count, "points that were filled in");
    fields.add("harmonic", transferred.harmonic_count, "of these, those on islands of uneven triangles");
    fields.add("nearest", transferred.nearest_count, "points on islands without a match");
    fields.add("nearest_islands", transferred.nearest_island_count, "number of these islands");
  });
  fields.add_if_set("polygons", mesh.polygon_count, "of a subdivided mesh",
                    counted_as("polygon", "polygons"));
}

void describe_weights_mesh(ReportFields& fields, const WeightsReport::Mesh& mesh, bool is_comparison) {
  constexpr ReportForm kThreeDigits = scaled_as(1, "{:.3g}");
  say_weights_mesh(fields, mesh, is_comparison);
  fields.add("index", mesh.index, "in file order");
  fields.add("name", mesh.name, "as the file has it");
  fields.add("points", mesh.point_count, "points of the mesh", counted_as("point", "points"));
  fields.add_if_set("selected_points", mesh.selected_point_count, "points that may change, if not all");
  fields.add_if_set("rigid_shells", mesh.rigid_shell_count, "shells that now follow one joint",
                    counted_as("shell", "shells"));
  fields.add("changed_points", mesh.changed_point_count, "points whose weights differ");
  fields.add("max_change", mesh.max_change, "largest sum of |difference| over a point's weights, up to 2",
             kThreeDigits);
  fields.add("mean_change", mesh.mean_change, "the mean over all points", kThreeDigits);
  fields.add_index("worst_point", mesh.worst_point, "the point of the largest");
  fields.add("longest_before", mesh.longest_before, "most influences per point, before");
  fields.add("longest_after", mesh.longest_after, "and after",
             counted_as("joint per point", "joints per point"));
  describe_operations(fields, mesh);
}

void describe_motion(ReportFields& fields, const SkinDistance& motion) {
  fields.add("frames", motion.frame_count, "poses that were compared");
  fields.add("by_range_of_motion", motion.is_by_range,
             "over the range of motion; else over the clips of the file");
  fields.add("rms", motion.rms, "root mean square of the distances, in units");
  fields.add("p99", motion.p99, "99 % of the distances are at most this");
  fields.add("max", motion.max, "largest distance");
  fields.add("diagonal", motion.diagonal, "of the character at rest");
  fields.add("worst_moment", motion.worst_moment, "when the largest occurs; empty: never");
}

}  // namespace

void describe(ReportFields& fields, const WeightsReport& report) {
  say_doubt(fields, report);
  fields.say_words([&] { return headline(report); });
  fields.add("operation", report.operation, "the operation of the verb weights");
  fields.add("inputs", report.inputs, "the files that were read, the character first");
  fields.add_or_null("output", report.output, "the file that was written; null: none");
  describe_doubt(fields, report);
  fields.add_list("meshes", report.meshes, "the affected meshes", {}, [&](const WeightsReport::Mesh& mesh) {
    describe_weights_mesh(fields, mesh, report.output.empty());
  });
  fields.say_if(report.renamed_count > 0, "  {renamed}\n");
  fields.say_if(report.mended_count > 0, "  {mended} on loading\n");
  say_unchanged(fields, report);
  if (report.motion) fields.say_words([&] { return motion_text(*report.motion); });
  fields.say_words([&] { return joints_text(report) + worst_points_text(report); });
  fields.add_list("joints", report.joints, "joints whose weights differ, most moved first", {},
                  [&](const WeightsReport::Joint& joint) {
                    fields.add("label", joint.label, "its name in pose files");
                    fields.add("gained", joint.gained,
                               "weight it gained (negative: lost), summed over points");
                    fields.add("moved", joint.moved, "weight that changed in total");
                  });
  fields.add_object_if("motion", report.motion.has_value(), "of a diff: how far apart points are in motion",
                       [&] { describe_motion(fields, report.motion.value_or(SkinDistance{})); });
  fields.add_list("worst_points", report.worst, "of a diff: the points that differ most", {},
                  [&](const WeightsReport::Point& point) {
                    fields.add("mesh", point.mesh, "index of its mesh");
                    fields.add("point", point.point, "its index");
                    fields.add("distance", point.distance, "sum of |difference| over its weights");
                    fields.add("joint", point.joint, "whose weight differs most");
                    fields.add("before", point.before, "that weight before");
                    fields.add("after", point.after, "and after");
                  });
  fields.add("renamed", report.renamed_count, "nodes that were renamed",
             counted_as("node renamed", "nodes renamed"));
  fields.add("mended", report.mended_count, "repairs of weights on loading",
             counted_as("fault repaired", "faults repaired"));
  fields.add("seconds", report.seconds, "how long the operation took");
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
