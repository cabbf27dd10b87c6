// SPDX-License-Identifier: MIT
// The description of what bind reports.
#include "dermis/ops/bind.h"

#include <fmt/format.h>

#include <map>

#include "ops/report/words.h"

namespace dermis {
namespace {

// Joints without weights, by the reason for that.
std::string idle_text(const BindReport& report) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const BindReport::Idle& idle : report.idle) by_reason[idle.reason].push_back(idle.joint);
  std::string text;
  for (const auto& [reason, joints] : by_reason) {
    const bool is_unfollowed = reason == name_of(IdleReason::unfollowed);
    text += fmt::format("  without weights ({}{}): {}\n", reason,
                        is_unfollowed ? " in the file; --include NAME adds one" : "",
                        first_of(joints, kMostAlike));
  }
  return text;
}

}  // namespace

void describe(ReportFields& fields, const BindReport::Fit& fit) {
  fields.add("how", fit.how, "the template that was found in the body, or box");
  fields.add("turn_deg", degrees_from_radians(fit.turn), "how far it was turned");
  fields.add("scale", fit.scale,
             "factor from the lengths of its file to the body's, from the legs if it has them");
  fields.add("placed", fit.placed_count, "joints that got the place of one of the template");
  fields.add("carried", fit.carried_count, "joints that moved with these");
  fields.add("outside_before", fit.outside_share, "share of its joints outside the body as it lay");
  fields.add("confidence", fit.confidence, "in the template's joints, 0 to 1");
}

void describe(ReportFields& fields, const StiffPiece& piece) {
  fields.add("mesh", piece.mesh, "its name, or #N");
  fields.add("shell", piece.shell, "its number in the mesh, as in `--soft MESH:N`");
  fields.add("joint", piece.joint, "the joint that it follows");
  fields.add("points", piece.point_count, "points of the shell");
}

void describe(ReportFields& fields, const BindReport& report) {
  say_doubt(fields, report);
  fields.say(
      "{output}: {points} of {meshes} bound to {joints} by {method} (loaded in {seconds.loading}, bound in "
      "{seconds.binding}, saved in {seconds.saving})\n");
  fields.say_words([&] {
    return fmt::format("  influences:{}\n",
                       influences_text(report.points_by_influences, report.point_count)) +
           idle_text(report);
  });
  describe_files(fields, report);
  describe_doubt(fields, report);
  fields.add("skeleton", report.skeleton, "the file whose joints were used");
  fields.add("method", report.method, "the binding method");
  fields.add("meshes", report.mesh_count, "meshes that were bound", counted_as("mesh", "meshes"));
  fields.add("points", report.point_count, "points that were bound", counted_as("point", "points"));
  fields.add("shells", report.shell_count, "connected pieces of their surface");
  fields.add("max_influences", report.max_influences, "most joints per point");
  fields.add("joints", report.joint_count, "joints that have weight somewhere",
             counted_as("joint", "joints"));
  fields.add("outside", report.outside_share, "share of the joints that lie outside the body");
  fields.add_if_set("fit", report.fit, "how a skeleton that lay outside the body was fitted to it");
  fields.add_list("stiff_shells", report.stiff, "shells that follow one joint each, because they look rigid",
                  {}, [&](const StiffPiece& piece) { describe(fields, piece); });
  fields.add_list("idle", report.idle, "joints that have no weight", {}, [&](const BindReport::Idle& idle) {
    fields.add("joint", idle.joint, "its name in pose files");
    fields.add("reason", idle.reason, "why it has no weight");
  });
  fields.add("points_by_influences", report.points_by_influences, "entry k: points with k influences");
  describe_end(fields, report, [&] {
    fields.add("binding", report.seconds_binding, "finding the weights", kAsMilliseconds);
  });
}

}  // namespace dermis
