// SPDX-License-Identifier: MIT
// What demo reports, described.
#include "dermis/ops/demo.h"

#include <fmt/format.h>

#include "ops/report/words.h"

namespace dermis {

void describe(ReportFields& fields, const DemoReport& report) {
  const bool is_main = report.bound.empty() && report.shown.empty();
  fields.say_if(
      is_main,
      "A bare humanoid of {points} points: skeleton '{skeleton}' of {joints} joints found in "
      "{seconds.rigging}, bound in {seconds.binding}, walking for {clip_seconds}; posed at {posed_at} "
      "by each method:\n");
  fields.say_if(!report.shown.empty(), "What a skeleton alone cannot do:\n");
  fields.say_if(!report.bound.empty(),
                "A humanoid of {points} points and {joints} joints, bound by each method:\n");
  fields.add("part", report.part, "the part of the demo that ran");
  fields.add("files", report.files, "all files written");
  fields.add("skeleton", report.skeleton, "the template found in the bare mesh");
  fields.add_object("seconds", kSecondsMeaning, [&] {
    fields.add("rigging", report.seconds_rigging, "finding the skeleton", kAsMilliseconds);
    fields.add("binding", report.seconds_binding, "finding the weights", kAsMilliseconds);
  });
  fields.add("points", report.point_count, "points of the humanoid");
  fields.add("joints", report.joint_count, "joints that were found");
  fields.add("clip_seconds", report.clip_seconds, "how long it walks", scaled_as(1, "{:.1f} s"));
  fields.add("posed_at", report.posed_at, "seconds into the clip", scaled_as(1, "{:.2f} s"));
  fields.add_list(
      "posed", report.posed, "the humanoid posed by each stack", {}, [&](const DemoReport::Posed& posed) {
        fields.say_words([&] { return fmt::format("  {:<18}", posed.method); });
        fields.say(
            " up to {from_linear} of its size from lbs; prepared in {seconds.preparing}, posed in "
            "{seconds.posing}\n");
        fields.add("method", posed.method, "the stack of stages");
        fields.add("file", posed.file, "its path");
        fields.add("from_linear", posed.from_linear,
                   "largest distance from lbs, as a fraction of the diagonal", scaled_as(100, "{:5.2f} %"));
        fields.add_object("seconds", kSecondsMeaning, [&] {
          fields.add("preparing", posed.seconds_preparing, "once for all poses", kAsMilliseconds);
          fields.add("posing", posed.seconds_posing, "one pose", scaled_as(1e3, "{:.1f} ms"));
        });
      });
  fields.add_list(
      "bound", report.bound, "the humanoid bound by each method, in the part binding", {},
      [&](const DemoReport::Bound& bound) {
        fields.say_words([&] { return fmt::format("  {:<12}", bound.method); });
        fields.say(
            " edges change by up to {max_strain}, volumes shrink by up to {max_volume_loss}, distant joints "
            "have up to {max_bleed} of a point's weight; bound in {seconds}\n");
        fields.add("method", bound.method, "the method of binding");
        fields.add("file", bound.file, "its path");
        fields.add("max_strain", bound.max_strain, "largest relative change of an edge",
                   scaled_as(100, "{:5.1f} %"));
        fields.add("max_volume_loss", bound.max_volume_loss, "largest relative loss of volume at a joint",
                   scaled_as(100, "{:4.1f} %"));
        fields.add("max_bleed", bound.max_bleed, "largest share of a point's weight on distant joints",
                   scaled_as(100, "{:4.1f} %"));
        fields.add("seconds", bound.seconds, "how long binding took, in seconds", kAsMilliseconds);
      });
  fields.add_list(
      "shown", report.shown, "what the part shapes mends", {}, [&](const DemoReport::Shown& shown) {
        fields.say("  {what}: {measure}: {without} without, {with} with\n");
        fields.add("what", shown.what, "the exhibit");
        fields.add("measure", shown.measure, "what is measured");
        fields.add("without", shown.without, "as linear blending alone has it, as a fraction",
                   scaled_as(100, "{:.2f} %"));
        fields.add("with", shown.with, "with what was added, as a fraction", scaled_as(100, "{:.2f} %"));
      });
  fields.say_words([&] {
    std::string text = "\nFiles:\n";
    for (const std::string& file : report.files) text += fmt::format("  {}\n", file);
    text += "\nTry next:\n";
    for (const std::string& command : report.next) text += fmt::format("  ./{}\n", command);
    return text;
  });
  fields.add("next", report.next, "commands to try");
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
