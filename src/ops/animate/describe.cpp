// SPDX-License-Identifier: MIT
// What animate reports, described.
#include "dermis/ops/animate.h"

#include <fmt/format.h>

#include "ops/report/words.h"

namespace dermis {
namespace {

// Of a clip that comes from a take or from keys, or became keys.
void say_without_motion(ReportFields& fields, const AnimateReport& report) {
  if (!report.take.empty()) {
    fields.say(
        "{output}: clip {clip} of {duration}, {frames} at {fps} per second, {shape_map} moved by {take}\n");
  } else if (report.keys == report.output) {
    fields.say("{output}: {key_count} of clip {clip}, {duration}\n");
    return;
  } else {
    fields.say("{output}: clip {clip} of {duration} from {key_count} of {keys}\n");
  }
  fields.say("  {clips} in the file; see it: ");
  fields.say_words([&] {
    return fmt::format("dermis render {} --clip {} --moments 5 -o {}\n", shell_word(report.output),
                       shell_word(report.clip), picture_word(report.output));
  });
}

void say_motion(ReportFields& fields, const AnimateReport& report) {
  const RetargetFigures& figures = report.figures;
  fields.say(
      "{output}: clip {clip} of {duration}, {frames} at {fps} per second, {map} mapped (loaded in "
      "{seconds.loading}, retargeted in {seconds.retargeting}, saved in {seconds.saving})\n");
  if (!report.take.empty()) fields.say("  {shape_map} moved by {take}\n");
  fields.say(figures.contact_count == 0
                 ? "  no foot contacts found\n"
                 : "  {feet.contacts} of feet: feet slide up to {feet.slide} of the height and sink up to "
                   "{feet.sink} (before locking: {feet.slide_carried} and {feet.sink_carried})\n");
  fields.say_if(figures.hinge_count > 0,
                "  elbows and knees: {hinges.flipped} of {hinges.bent} bent moments flipped\n");
  fields.say_if(figures.body_sink_carried > 0,
                "  the rest of the body sinks up to {body.sink} below the floor (before raising: "
                "{body.sink_carried})\n");
  fields.say("  {clips} in the file; see it: ");
  fields.say_words([&] {
    return fmt::format("dermis render {} --clip {} --moments 5 -o {}\n", shell_word(report.output),
                       shell_word(report.clip), picture_word(report.output));
  });
}

}  // namespace

void describe(ReportFields& fields, const AnimateReport& report) {
  const RetargetFigures& figures = report.figures;
  say_doubt(fields, report);
  if (report.motion.empty())
    say_without_motion(fields, report);
  else
    say_motion(fields, report);
  describe_files(fields, report);
  describe_doubt(fields, report);
  fields.add_or_null("motion", report.motion, "a file, or the name of a built-in motion; null: none");
  fields.add_or_null("take", report.take, "the file of weights over time; null: none");
  fields.add_or_null("keys", report.keys, "the file of keys that was read or written; null: none");
  fields.add("key_count", report.key_count, "poses with a time in it", counted_as("key", "keys"));
  fields.add("source_clip", report.source_clip, "the clip of the motion");
  fields.add("clip", report.clip, "the new clip", kAsName);
  fields.add("clips", report.clip_count, "clips of the output", counted_as("clip", "clips"));
  fields.add("fps", figures.fps, "frames per second");
  fields.add("frames", figures.frame_count, "frames of the new clip", counted_as("frame", "frames"));
  fields.add("duration", figures.seconds, "seconds", kAsClipSeconds);
  fields.add("scale", figures.scale, "length in the target per unit length of the source, from the legs");
  fields.add("height", figures.height, "of the target's joints, in its units");
  fields.add("t_pose_left_out", figures.has_t_pose, "the first frame was a T-pose and was left out");
  fields.add_object("feet", "how well feet stand, as fractions of the height", [&] {
    fields.add("contacts", figures.contact_count, "times a foot stands", counted_as("contact", "contacts"));
    fields.add("slide_carried", figures.slide_carried, "longest slide of a standing foot before locking",
               kAsPercent);
    fields.add("slide", figures.slide, "the same after feet were locked", kAsPercent);
    fields.add("sink_carried", figures.sink_carried, "how far a foot sinks below the floor before locking",
               kAsPercent);
    fields.add("sink", figures.sink, "the same after feet were locked", kAsPercent);
  });
  fields.add_object("body", "hands, head, knees, elbows and trunk, as fractions of the height", [&] {
    fields.add("sink_carried", figures.body_sink_carried,
               "how far they sink below the floor before the body is raised", kAsPercent);
    fields.add("sink", figures.body_sink, "the same afterwards", kAsPercent);
    fields.add_or_null("sinking", figures.sinking_part,
                       "the joint whose part is deepest; null: none visibly");
    fields.add("crossing", report.crossing.depth,
               "how deep a limb is inside another part of the body, more than at rest", kAsPercent);
    fields.add_or_null("crossing_limb", report.crossing_limb, "the joint of that limb; null: none");
    fields.add_or_null("crossing_other", report.crossing_other, "the joint of the other part; null: none");
    fields.add("crossing_time", report.crossing.time, "when that is, in seconds of the clip");
    fields.add("arm_turn", figures.arm_turn,
               "by how much arms are held further from the body than in the motion, at most, in degrees");
    fields.add("tilt", figures.tilt,
               "by how much the lean of the trunk differs from the motion's, in degrees");
  });
  fields.add_object("hinges", "elbows and knees, counted over limbs and frames", [&] {
    fields.add("bent", figures.hinge_count, "bent by more than ten degrees");
    fields.add("flipped", figures.flipped_count, "bent to the opposite side of the source's");
  });
  fields.add_list("map", report.map, "which joints follow which",
                  counted_as("part of the body", "parts of the body"), [&](const MotionMapRow& row) {
                    fields.add_or_null("role", row.role, "the part of the body; null: a pair of joints");
                    fields.add("source", row.source, "joints of the motion, from the body outwards");
                    fields.add("target", row.target, "joints of the character");
                  });
  fields.add_list("shape_map", report.shape_map, "which shapes follow which columns of the take",
                  counted_as("shape", "shapes"), [&](const ShapeMapRow& row) {
                    fields.add("target", row.target, "a shape of the character");
                    fields.add_list("sources", row.sources, "columns, whose weighted sum it follows", {},
                                    [&](const NamedValue& source) {
                                      fields.add("column", source.name, "its name");
                                      fields.add("weight", source.value, "its factor");
                                    });
                  });
  fields.add("unused_columns", report.unused_columns, "columns of the take that no shape follows");
  describe_end(fields, report, [&] {
    fields.add("retargeting", report.seconds_retargeting, "retargeting the motion", kAsMilliseconds);
  });
}

}  // namespace dermis
