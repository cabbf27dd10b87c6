// SPDX-License-Identifier: MIT
// The description of what helpers reports.
#include "dermis/ops/helpers.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/report/words.h"

namespace dermis {
namespace {

std::size_t widest(const HelpersReport& report) {
  std::size_t width = 0;
  for (const HelpersReport::Joint& joint : report.joints) width = std::max(width, joint.name.size());
  for (const HelpersReport::Loss& loss : report.losses) width = std::max(width, loss.joint.size());
  return std::min<std::size_t>(width, 32);
}

std::string joint_table(const HelpersReport& report) {
  std::string text;
  for (const HelpersReport::Joint& joint : report.joints)
    text += fmt::format("  {:<{}}  {:<7}  by {}; {} {} it\n", joint.name, widest(report), joint.kind,
                        joint.source, counted(joint.point_count, "point", "points"),
                        joint.point_count == 1 ? "follows" : "follow");
  return text;
}

std::string loss_table(const HelpersReport& report) {
  if (report.losses.empty()) return {};
  const std::size_t width = widest(report);
  std::string text =
      "  volume lost in the worst pose of the range of motion, of that of the limb, under lbs:\n";
  text += fmt::format("  {:<{}}  {:>17}  {:>17}\n", "", width, "twisted", "bent");
  for (const HelpersReport::Loss& loss : report.losses)
    text += fmt::format("  {:<{}}  {:5.2f} % -> {:5.2f} %  {:5.2f} % -> {:5.2f} %\n", loss.joint, width,
                        100 * loss.twist_before, 100 * loss.twist_after, 100 * loss.bend_before,
                        100 * loss.bend_after);
  return text;
}

std::string dropped_text(const HelpersReport& report) {
  std::vector<std::string> dropped;
  for (const HelpersReport::Proposal& proposal : report.proposals)
    if (!proposal.is_kept)
      dropped.push_back(
          fmt::format("{} at {} ({:+.2f} %)", proposal.kind, proposal.joint, 100 * proposal.gain));
  if (dropped.empty()) return {};
  return fmt::format("  proposed, but gaining too little: {}\n", first_of(dropped, 2 * kMostAlike));
}

}  // namespace

void describe(ReportFields& fields, const HelpersReport& report) {
  fields.say_words([&] {
    std::size_t points = 0;
    for (const HelpersReport::Mesh& mesh : report.meshes) points += mesh.point_count;
    return fmt::format("{}: {} added, {} refitted\n", report.output,
                       counted(report.joints.size(), "joint", "joints"), counted(points, "point", "points"));
  });
  fields.say_words([&] { return joint_table(report) + loss_table(report) + dropped_text(report); });
  describe_files(fields, report);
  fields.add_list("joints", report.joints, "new joints, which drivers move", {},
                  [&](const HelpersReport::Joint& joint) {
                    fields.add("name", joint.name, "of the new node");
                    fields.add("kind", joint.kind, "twist, half, bulge or breathe");
                    fields.add("joint", joint.joint, "that it helps");
                    fields.add("source", joint.source, "what moves it");
                    fields.add("place", joint.place, "along the bone: 0 at its joint, 1 at its end");
                    fields.add("share", joint.share, "of the rotation that it shows; 0: it is scaled");
                    fields.add_or_null("control", joint.control, "that scales it; null: none");
                    fields.add("points", joint.point_count, "that follow it");
                  });
  fields.add_list("meshes", report.meshes, "whose weights changed", {}, [&](const HelpersReport::Mesh& mesh) {
    fields.add_index("index", mesh.index, "its number");
    fields.add_or_null("name", mesh.name, "its name");
    fields.add("points", mesh.point_count, "whose weights changed");
    fields.add("influences_before", mesh.longest_before, "most influences of a point");
    fields.add("influences_after", mesh.longest_after, "the same afterwards");
    fields.add("cut", mesh.cut_count, "points that needed more influences than allowed");
  });
  fields.add_list("proposals", report.proposals, "joints proposed for the limbs", {},
                  [&](const HelpersReport::Proposal& proposal) {
                    fields.add("kind", proposal.kind, "twist or half");
                    fields.add("joint", proposal.joint, "that they would help");
                    fields.add("gain", proposal.gain,
                               "volume saved in the worst poses, as a fraction of that of the limb");
                    fields.add("kept", proposal.is_kept, "the gain is enough, so they were added");
                    fields.add_or_null(
                        "spread", proposal.spread,
                        "of twist joints that are kept: own, next (that of the next joint) or both");
                  });
  fields.add_list("losses", report.losses,
                  "volume lost in the worst pose of the range of motion under linear blending, as a fraction "
                  "of that of the limb; only with proposals",
                  {}, [&](const HelpersReport::Loss& loss) {
                    fields.add("joint", loss.joint, "that is turned");
                    fields.add("twist_before", loss.twist_before, "twisted, without the new joints");
                    fields.add("twist_after", loss.twist_after, "twisted, with them");
                    fields.add("bend_before", loss.bend_before, "bent or tilted, without them");
                    fields.add("bend_after", loss.bend_after, "bent or tilted, with them");
                  });
  describe_end(fields, report, [&] {
    fields.add("working", report.seconds, "adding the joints and measuring", kAsMilliseconds);
  });
}

}  // namespace dermis
