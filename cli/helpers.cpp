// SPDX-License-Identifier: MIT
// The verb helpers on the command line.
#include "verb.h"

namespace dermis::cli {

Verb add_helpers(CLI::App& app) {
  struct Options {
    Common common;
    HelpersJob job;
    SaveFlags save;
    std::vector<std::string> twists, halves, bulges, breaths;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "helpers", "add twist joints, half-angle joints, bulging muscles and breathing",
                        "helpers hero.glb --auto --bulge upper_arm_L=elbow_L:1.3 -o helped.glb", options);
  HelpersJob& job = options->job;
  const auto repeatable = [&](const char* name, std::vector<std::string>& texts, const char* help) {
    verb.app->add_option(name, texts, help)->take_all()->allow_extra_args(false);
  };
  verb.app->add_option("FILE", job.input, kAnyFile)->required();
  verb.app->add_option("-o,--output", job.output, ".glb or .gltf")->required();
  repeatable("--twist", options->twists,
             "JOINT:K: K joints along its bone that spread twists (default 3); joints by name, by role "
             "(forearm_L) or by place (elbow_L is where forearm_L begins); repeatable");
  repeatable("--half", options->halves, "JOINT: one beside it that turns half as far; repeatable");
  repeatable("--bulge", options->bulges,
             "BONE=JOINT:SCALE: a joint on the bone gets thicker by this factor when the other bends by 90 "
             "degrees (or by ANGLE in BONE=JOINT:SCALE:ANGLE), and by the control flex.BONE; repeatable");
  repeatable("--breathe", options->breaths,
             "JOINT:SCALE: a joint gets thicker by the control breathe (or by NAME in JOINT:SCALE:NAME); "
             "repeatable");
  verb.app->add_flag(
      "--auto", job.proposes,
      "twist and half-angle joints for arms and legs, as far as they save volume over the range "
      "of motion");
  verb.app->add_flag("!--no-mirror", job.mirrors, "only the joints named, not those of the other side");
  add_save_options(*verb.app, options->save);
  verb.run = [options] {
    HelpersJob& asked = options->job;
    const std::pair<HelperKind, const std::vector<std::string>*> lists[] = {
        {HelperKind::twist, &options->twists},
        {HelperKind::half, &options->halves},
        {HelperKind::bulge, &options->bulges},
        {HelperKind::breathe, &options->breaths}};
    for (const auto& [kind, texts] : lists) {
      for (const std::string& text : *texts) {
        const Result<HelperWish> wish = parse_helper(kind, text);
        if (!wish) return report_error("helpers", options->common, wish.error());
        asked.helpers.push_back(*wish);
      }
    }
    asked.save = save_options(options->save);
    asked.run = run_options(options->common);
    return finish("helpers", options->common, dermis::add_helpers(asked));
  };
  return verb;
}

}  // namespace dermis::cli
