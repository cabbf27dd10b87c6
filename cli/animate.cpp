// SPDX-License-Identifier: MIT
// The verb animate on the command line.
#include <cmath>

#include "verb.h"

namespace dermis::cli {

Verb add_animate(CLI::App& app) {
  struct Options {
    Common common;
    AnimateJob job;
    bool is_list = false, has_roles = false, is_unlocked = false, is_embedded = false;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "animate", "put a motion, a take of a face or keys by hand onto a character",
                        "animate hero.glb --motion walk.bvh -o walking.glb", options);
  AnimateJob& job = options->job;
  verb.app->add_option("CHARACTER", job.input, "a character with joints: .glb, .gltf, .fbx and the like");
  verb.app->add_option("-o,--output", job.output, ".glb or .gltf; .json: the clip as keys by hand");
  verb.app->add_option("--motion", job.motion, motion_help());
  verb.app->add_option("--shapes", job.take,
                       "weights of shapes over time (.csv), such as a recording of Live Link Face");
  verb.app->add_option("--keys", job.keys, "poses with times, written by hand (.json)");
  verb.app->add_option("--clip", job.clip,
                       "the motion's clip, by name or number, if it has several; with -o FILE.json and no "
                       "motion: the character's clip, which is written as keys");
  verb.app->add_option("--into", job.into,
                       "with --shapes or --keys: the clip that gets them (default: a new one)");
  verb.app->add_option("--name", job.retarget.name, "name of the new clip (default: as in the motion)");
  verb.app->add_option("--fps", job.retarget.fps, "keys per second (default: as in the motion)")
      ->check(above_zero());
  verb.app->add_flag("--loop", job.retarget.is_loop, "only the best cycle of the motion, with matching ends");
  verb.app->add_flag("--in-place", job.retarget.is_in_place, "without travel over the ground");
  verb.app->add_flag(
      "--no-foot-lock", options->is_unlocked,
      "leave feet, arms and fingers as retargeted, even if they slide or pass through the body");
  verb.app->add_option("--map", job.map, "map of joints (.json), instead of matching names and structure");
  verb.app->add_option("--save-map", job.save_map, "write the map of joints, for editing");
  verb.app->add_option("--shape-map", job.shape_map,
                       "which shapes follow which columns of the take (text), instead of matching names");
  verb.app->add_option("--save-shape-map", job.save_shape_map, "write that map (.txt), for editing");
  verb.app->add_flag("--only", job.drops_clips, "remove the clips that the character has");
  verb.app->add_flag("--embed", options->is_embedded, ".gltf only: store buffers inside the file");
  add_accept_option(*verb.app, job.accepts_doubts);
  add_report_option(*verb.app, job.report);
  verb.app->add_flag("--list", options->is_list, "print the table of built-in motions and exit");
  verb.app->add_flag("--roles", options->has_roles, "print the table of roles used in maps and exit");
  verb.run = [options] {
    if (options->is_list || options->has_roles) {
      if (options->common.json)
        print_to(stdout, (options->is_list ? motions_json() : roles_json()) + "\n");
      else
        print_to(stdout, options->is_list ? motion_table() : role_table());
      return static_cast<int>(kFine);
    }
    AnimateJob& asked = options->job;
    const bool has_source = !asked.motion.empty() || !asked.take.empty() || !asked.keys.empty();
    const bool writes_keys = !has_source && asked.output.ends_with(".json");
    if (asked.input.empty() || asked.output.empty() || (!has_source && !writes_keys))
      return report_error(
          "animate", options->common,
          {Errc::usage,
           "a character, one of --motion FILE or NAME, --shapes FILE and --keys FILE, and -o FILE "
           "are needed; see dermis animate --help"});
    if (!asked.keys.empty() && (!asked.motion.empty() || !asked.take.empty()))
      return report_error("animate", options->common,
                          {Errc::usage, "--keys is a clip of its own; use it without --motion and --shapes"});
    if (!asked.into.empty() && !asked.motion.empty())
      return report_error(
          "animate", options->common,
          {Errc::usage, "--into chooses a clip for --shapes or --keys; a motion makes a new one"});
    asked.retarget.locks_feet = !options->is_unlocked;
    asked.save.embed_buffers = options->is_embedded;
    asked.run = run_options(options->common);
    return finish_judged("animate", options->common, writes_keys ? write_keys(asked) : animate(asked));
  };
  return verb;
}

}  // namespace dermis::cli
