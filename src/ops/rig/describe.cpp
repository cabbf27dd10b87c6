// SPDX-License-Identifier: MIT
// What rig reports, described.
#include "dermis/ops/rig.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/report/words.h"

namespace dermis {
namespace {

// "quadruped 2.31 (does not fit: 1.20 for ground)".
std::string cost_words(const RigScore& score) {
  if (score.penalties.empty()) return score.name + " does not fit";
  const RigScore::Penalty& most = largest_penalty(score);
  return score.does_fit ? fmt::format("{} {:.2f}", score.name, score.cost)
                        : fmt::format("{} does not fit (one placement costs {:.2f}, {:.2f} of it for {})",
                                      score.name, score.cost, most.cost, most.name);
}

const char* kind_word(SetAside::Kind kind) {
  return kind == SetAside::Kind::plate ? "plate" : kind == SetAside::Kind::piece ? "piece" : "prop";
}

std::string found_text(const FoundSkeleton& found) {
  const auto ends = static_cast<std::size_t>(std::count_if(
      found.joints.begin(), found.joints.end(), [](const FoundJoint& joint) { return joint.is_end; }));
  return fmt::format("skeleton '{}' of {} and {} found", found.name,
                     counted(found.joints.size() - ends, "joint", "joints"),
                     counted(ends, "end of a limb", "ends of limbs"));
}

std::string costs_text(const FoundSkeleton& found) {
  std::string text = "  costs:";
  for (const RigScore& score : found.scores) text += fmt::format("  {}", cost_words(score));
  return text + '\n';
}

// What to do next.
std::string next_text(const RigReport& report) {
  const std::string output = shell_word(report.output);
  std::string text;
  for (const RigReport::Found& rule : report.findings)
    text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", rule.count, rule.rule);
  text += report.findings.empty() ? "\n" : fmt::format("; see dermis check {}\n", output);
  const std::string shown =
      report.clip.empty() ? "--joints" : fmt::format("--clip {} --moments 5", shell_word(report.clip));
  return text +
         fmt::format("  see it: dermis render {} {} -o {}\n", output, shown, picture_word(report.output));
}

void say_rigging(ReportFields& fields, const RigReport& report) {
  say_doubt(fields, report);
  fields.say("{output}: confidence {confidence}, ");
  fields.say_words([&] { return found_text(report.skeleton); });
  fields.say(
      ", {points} bound by {method} (loaded in {seconds.loading}, found in {seconds.rigging}, bound in "
      "{seconds.binding}, saved in {seconds.saving})\n");
  if (!report.skeleton.scores.empty()) fields.say_words([&] { return costs_text(report.skeleton); });
  if (report.straight)
    fields.say(
        "  straightened ({straightened.pose}): the largest turn is {straightened.largest_turn}, and the "
        "volume "
        "changes by {straightened.volume_change}\n");
  if (report.twist_joint_count > 0) fields.say("  {twist_joints} added to arms and legs\n");
  if (!report.clip.empty()) {
    fields.say("  moved by {motion.source}: clip {motion.clip} of {motion.duration}, ");
    fields.say(report.figures.contact_count == 0
                   ? "no foot contacts found\n"
                   : "feet slide up to {motion.slide} of the height and sink up to {motion.sink}\n");
  }
  fields.say("  checked: {check.errors}, {check.warnings}");
  fields.say_words([&] { return next_text(report); });
}

void describe_skeleton(ReportFields& fields, const FoundSkeleton& found) {
  fields.add("template", found.name, "the template that fits, or 'extract'");
  fields.add("left", found.left, "unit vector: the left of the body");
  fields.add("up", found.up, "unit vector");
  fields.add("front", found.front, "unit vector");
  fields.add("symmetry", found.symmetry,
             "share of the body that matches its mirror image; 0: no plane was found");
  fields.add("size", found.size, "longest path through the body");
  fields.add_list(
      "joints", found.joints, "in the space of the output; parents first", {}, [&](const FoundJoint& joint) {
        const auto parent = static_cast<std::size_t>(joint.parent);
        fields.add("name", joint.name, "as in the output");
        fields.add_or_null("parent", joint.parent == kNone ? std::string() : found.joints[parent].name,
                           "name of its parent; null: none");
        fields.add("at", joint.at, "its position");
        fields.add("radius", joint.radius, "of the limb around it");
        fields.add("is_end", joint.is_end, "it marks the end of a limb");
      });
  fields.add_list("chains", found.chains, "limbs that the body has besides its template: fingers, a tail", {},
                  [&](const FoundChain& chain) {
                    fields.add("name", chain.name, "its joints are called after it: index_L has index_1_L");
                    fields.add("joints", chain.joint_count, "without its end");
                  });
  fields.add_list("set_aside", found.aside, "parts in which no limb was looked for", {},
                  [&](const SetAside& part) {
                    fields.add("kind", kind_word(part.kind),
                               "plate (the body is on one side of it), piece (beside the body) or prop");
                    fields.add("at", part.at, "one of its points");
                  });
  fields.add_list("scores", found.scores, "all templates tried", {}, [&](const RigScore& score) {
    fields.add("template", score.name, "its name");
    fields.add("fits", score.does_fit, "it can be placed");
    fields.add("cost", score.penalties.empty() ? std::nullopt : std::optional(score.cost),
               "of the cheapest placement; null: no placement came close");
    fields.add_map_if_any(
        "penalties", score.penalties, "the parts of the cost, by name",
        [](const RigScore::Penalty& penalty) { return std::string_view(penalty.name); },
        [](const RigScore::Penalty& penalty) { return penalty.cost; });
  });
  fields.add("spheres", found.map.balls.size(), "spheres packed into the body");
}

}  // namespace

void describe(ReportFields& fields, const RigReport& report) {
  const RetargetFigures& figures = report.figures;
  say_rigging(fields, report);
  describe_files(fields, report);
  describe_doubt(fields, report);
  fields.add("confidence", report.judgement.confidence,
             "in the skeleton, 0 to 1: the product of what the reasons for doubt leave",
             scaled_as(100, "{:.0f} %"));
  fields.add_list("reasons", report.judgement.doubts, "what speaks against the skeleton, the gravest first",
                  {}, [&](const RigDoubt& doubt) {
                    fields.add("id", doubt.id, "stable, for scripts");
                    fields.add("sentence", doubt.sentence, "for people");
                    fields.add("figure", doubt.figure, "what was measured");
                    fields.add("trust", doubt.trust, "what it leaves of the confidence, 0 to 1");
                  });
  describe_skeleton(fields, report.skeleton);
  fields.add("meshes", report.mesh_count, "meshes that were bound");
  fields.add("points", report.point_count, "points that were bound", counted_as("point", "points"));
  fields.add("method", report.method, "the binding method");
  fields.add("bound_joints", report.bound_joint_count, "joints that have weight somewhere");
  fields.add_list("stiff_shells", report.stiff, "shells that follow one joint each, because they look rigid",
                  {}, [&](const StiffPiece& piece) { describe(fields, piece); });
  fields.add("twist_joints", report.twist_joint_count,
             "joints added to arms and legs, which spread twists along them",
             counted_as("twist joint", "twist joints"));
  const RigReport::Straight straight = report.straight.value_or(RigReport::Straight{});
  fields.add_object_or_null(
      "straightened", report.straight.has_value(), "the rest pose; null: it is that of the mesh", [&] {
        fields.add("pose", straight.pose, "T-pose, A-pose, or standing (on four legs)");
        fields.add("largest_turn", straight.largest_turn, "of a joint relative to its parent, degrees",
                   scaled_as(1, "{:.0f} degrees"));
        fields.add("joint", straight.turned_joint, "that joint", kAsName);
        fields.add("volume_change", straight.volume_change, "as a fraction of the volume before",
                   scaled_as(100, "{:+.1f} %"));
        fields.add("torn", straight.torn, "share of the triangles with an edge that more than doubles",
                   kAsPercent);
        fields.add("crossing", straight.crossing,
                   "how deep the axis of a limb is inside another part, as a fraction of the body's size",
                   kAsPercent);
      });
  fields.add_object_or_null("motion", !report.clip.empty(), "what moves it; null: nothing", [&] {
    fields.add("source", report.motion, "a file, or the name of a built-in motion");
    fields.add("clip", report.clip, "its name in the output", kAsName);
    fields.add("duration", figures.seconds, "seconds", kAsClipSeconds);
    fields.add("contacts", figures.contact_count, "times a foot stands");
    fields.add("slide", figures.slide, "longest slide of a standing foot, as a fraction of the height",
               kAsPercent);
    fields.add("sink", figures.sink, "how far a foot sinks below the floor, as a fraction of the height",
               kAsPercent);
    fields.add("flipped", figures.flipped_count, "moments in which an elbow or knee bends backwards");
  });
  fields.add_object("check", "of the output", [&] {
    fields.add("errors", report.error_count, "findings that are errors", counted_as("error", "errors"));
    fields.add("warnings", report.warning_count, "findings that are warnings",
               counted_as("warning", "warnings"));
    fields.add_list("findings", report.findings, "counted by rule", {}, [&](const RigReport::Found& found) {
      fields.add("rule", found.rule, "as in the table that `dermis check --list` prints");
      fields.add_choice("severity", found.severity, {Severity::info, Severity::warning, Severity::error},
                        "an error is broken, a warning may be intended");
      fields.add("count", found.count, "findings of that rule");
    });
  });
  describe_end(fields, report, [&] {
    fields.add("rigging", report.seconds_rigging, "finding the skeleton", kAsMilliseconds);
    fields.add("binding", report.seconds_binding, "finding the weights", kAsMilliseconds);
    fields.add("straightening", report.seconds_straightening, "straightening the rest pose", kAsMilliseconds);
    fields.add("moving", report.seconds_moving, "retargeting the motion", kAsMilliseconds);
  });
}

}  // namespace dermis
