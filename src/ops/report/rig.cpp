// SPDX-License-Identifier: MIT
// The descriptions of what rig and animate report.
#include "dermis/ops/rig.h"

#include <fmt/format.h>

#include <algorithm>

#include "dermis/ops/animate.h"
#include "ops/report/words.h"

namespace dermis {
namespace {

constexpr ReportForm kPercent = scaled_as(100, "{:.2f} %");
constexpr ReportForm kClipSeconds = scaled_as(1, "{:.2f} s");

// "quadruped 2.31 (does not fit: 1.20 for ground)".
std::string cost_words(const RigScore& score) {
  if (score.penalties.empty()) return score.name + " does not fit";
  const RigScore::Penalty& most = largest_penalty(score);
  return score.does_fit ? fmt::format("{} {:.2f}", score.name, score.cost)
                        : fmt::format("{} does not fit (one placing costs {:.2f}, {:.2f} of it for {})",
                                      score.name, score.cost, most.cost, most.name);
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
  return text + fmt::format("  see it: dermis render {} {} -o rigged.png\n", output,
                            report.clip.empty()
                                ? std::string("--joints")
                                : fmt::format("--clip {} --moments 5", shell_word(report.clip)));
}

void say_rigging(ReportFields& fields, const RigReport& report) {
  fields.say("{output}: ");
  fields.say_words([&] { return found_text(report.skeleton); });
  fields.say(
      ", {points} bound by {method} (loaded in {seconds.loading}, found in {seconds.rigging}, bound in "
      "{seconds.binding}, saved in {seconds.saving})\n");
  if (!report.skeleton.scores.empty()) fields.say_words([&] { return costs_text(report.skeleton); });
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
  fields.add("left", found.left, "unit vector: how the body stands");
  fields.add("up", found.up, "unit vector");
  fields.add("front", found.front, "unit vector");
  fields.add("symmetry", found.symmetry, "share of the body in its mirror image; 0: no plane was found");
  fields.add("size", found.size, "longest path through the body");
  fields.add_list(
      "joints", found.joints, "in the space of the output; parents first", {}, [&](const FoundJoint& joint) {
        const auto parent = static_cast<std::size_t>(joint.parent);
        fields.add("name", joint.name, "as the output has it");
        fields.add_or_null("parent", joint.parent == kNone ? std::string() : found.joints[parent].name,
                           "name of its parent; null: none");
        fields.add("at", joint.at, "its place");
        fields.add("radius", joint.radius, "of the limb around it");
        fields.add("is_end", joint.is_end, "it marks the end of a limb");
      });
  fields.add_list("scores", found.scores, "all templates that were tried", {}, [&](const RigScore& score) {
    fields.add("template", score.name, "its name");
    fields.add("fits", score.does_fit, "it can be placed");
    fields.add("cost", score.penalties.empty() ? std::nullopt : std::optional(score.cost),
               "of the cheapest placing; null: no placing came near");
    fields.add_map_if_any(
        "penalties", score.penalties, "what that is made of, by name",
        [](const RigScore::Penalty& penalty) { return std::string_view(penalty.name); },
        [](const RigScore::Penalty& penalty) { return penalty.cost; });
  });
  fields.add("spheres", found.map.balls.size(), "spheres that were packed into the body");
}

}  // namespace

void describe(ReportFields& fields, const RigReport& report) {
  const RetargetFigures& figures = report.figures;
  say_rigging(fields, report);
  describe_files(fields, report);
  describe_skeleton(fields, report.skeleton);
  fields.add("meshes", report.mesh_count, "meshes that were bound");
  fields.add("points", report.point_count, "points that were bound", counted_as("point", "points"));
  fields.add("method", report.method, "the binding method");
  fields.add("bound_joints", report.bound_joint_count, "joints that have weight somewhere");
  fields.add_object_or_null("motion", !report.clip.empty(), "what moves it; null: nothing", [&] {
    fields.add("source", report.motion, "a file, or the name of a built-in motion");
    fields.add("clip", report.clip, "its name in the output", kAsName);
    fields.add("duration", figures.seconds, "seconds", kClipSeconds);
    fields.add("contacts", figures.contact_count, "times a foot stands");
    fields.add("slide", figures.slide, "longest slide of a standing foot, in parts of the height", kPercent);
    fields.add("sink", figures.sink, "how deep a foot comes below the floor, in parts of the height",
               kPercent);
    fields.add("flipped", figures.flipped_count, "moments in which an elbow or knee bends backwards");
  });
  fields.add_object("check", "of the output", [&] {
    fields.add("errors", report.error_count, "findings that are errors", counted_as("error", "errors"));
    fields.add("warnings", report.warning_count, "findings that are warnings",
               counted_as("warning", "warnings"));
    fields.add_list("findings", report.findings, "these, by rule", {}, [&](const RigReport::Found& found) {
      fields.add("rule", found.rule, "as in the table that `dermis check --list` prints");
      fields.add_choice("severity", found.severity, {Severity::info, Severity::warning, Severity::error},
                        "an error is broken, a warning may be meant");
      fields.add("count", found.count, "findings of that rule");
    });
  });
  describe_end(fields, report, [&] {
    fields.add("rigging", report.seconds_rigging, "finding the skeleton", kAsMilliseconds);
    fields.add("binding", report.seconds_binding, "finding the weights", kAsMilliseconds);
    fields.add("moving", report.seconds_moving, "retargeting the motion", kAsMilliseconds);
  });
}

void describe(ReportFields& fields, const AnimateReport& report) {
  const RetargetFigures& figures = report.figures;
  fields.say(
      "{output}: clip {clip} of {duration}, {frames} at {fps} a second, {map} mapped (loaded in "
      "{seconds.loading}, retargeted in {seconds.retargeting}, saved in {seconds.saving})\n");
  fields.say(figures.contact_count == 0
                 ? "  no foot contacts found\n"
                 : "  {feet.contacts} of feet: feet slide up to {feet.slide} of the height and sink up to "
                   "{feet.sink} ({feet.slide_carried} and {feet.sink_carried} as carried over)\n");
  fields.say_if(figures.hinge_count > 0,
                "  elbows and knees: {hinges.flipped} of {hinges.bent} bent moments flipped\n");
  fields.say("  {clips} in the file; see it: ");
  fields.say_words([&] {
    return fmt::format("dermis render {} --clip {} --moments 5 -o moments.png\n", shell_word(report.output),
                       shell_word(report.clip));
  });
  describe_files(fields, report);
  fields.add("motion", report.motion, "a file, or the name of a built-in motion");
  fields.add("source_clip", report.source_clip, "the clip of the motion");
  fields.add("clip", report.clip, "the new clip", kAsName);
  fields.add("clips", report.clip_count, "clips of the output", counted_as("clip", "clips"));
  fields.add("fps", figures.fps, "frames per second");
  fields.add("frames", figures.frame_count, "frames of the new clip", counted_as("frame", "frames"));
  fields.add("duration", figures.seconds, "seconds", kClipSeconds);
  fields.add("scale", figures.scale, "lengths of the target for one of the source, by the legs");
  fields.add("height", figures.height, "of the target's joints, in its units");
  fields.add("t_pose_left_out", figures.has_t_pose, "the first frame was a T-pose, and is left out");
  fields.add_object("feet", "how well feet stand, in parts of the height", [&] {
    fields.add("contacts", figures.contact_count, "times a foot stands", counted_as("contact", "contacts"));
    fields.add("slide_carried", figures.slide_carried, "longest slide of a standing foot as carried over",
               kPercent);
    fields.add("slide", figures.slide, "the same after feet were locked", kPercent);
    fields.add("sink_carried", figures.sink_carried, "how deep a foot comes below the floor as carried over",
               kPercent);
    fields.add("sink", figures.sink, "the same after feet were locked", kPercent);
  });
  fields.add_object("hinges", "elbows and knees, counted over limbs and frames", [&] {
    fields.add("bent", figures.hinge_count, "bent by more than ten degrees");
    fields.add("flipped", figures.flipped_count, "bent to the other side than the source's");
  });
  fields.add_list("map", report.map, "what follows what", counted_as("part of the body", "parts of the body"),
                  [&](const MotionMapRow& row) {
                    fields.add_or_null("role", row.role, "the part of the body; null: a pair of joints");
                    fields.add("source", row.source, "joints of the motion, from the body outwards");
                    fields.add("target", row.target, "joints of the character");
                  });
  describe_end(fields, report, [&] {
    fields.add("retargeting", report.seconds_retargeting, "retargeting the motion", kAsMilliseconds);
  });
}

}  // namespace dermis
