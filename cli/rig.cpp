// SPDX-License-Identifier: MIT
// The verb rig on the command line.
#include "verb.h"

namespace dermis::cli {

Verb add_rig(CLI::App& app) {
  struct Options {
    Common common;
    RigJob job;
    SaveFlags save;
    std::vector<std::string> soft;
    std::string unit;
    std::string shown;  // a template to print
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "rig", "find a skeleton inside a mesh, bind it and move it",
                        "rig body.obj --motion walk -o walking.glb", options);
  RigJob& job = options->job;
  verb.app->add_option("MESH", job.input, kAnyFile);
  verb.app->add_option("-o,--output", job.output, ".glb or .gltf");
  verb.app
      ->add_option("--template", job.skeleton,
                   fmt::format("kind of skeleton: {}, or your own file; auto chooses the best fit",
                               rig_template_names()))
      ->capture_default_str();
  verb.app->add_option("--motion", job.motion, "motion to add: " + motion_help());
  verb.app->add_option("--clip", job.clip, "the motion's clip, by name or number, if it has several");
  verb.app->add_option("--names", job.names, "names of the joints: dermis or mixamo")->capture_default_str();
  verb.app->add_option("--marker", job.markers, "a known joint: JOINT=X,Y,Z in the units of the file")
      ->expected(1)
      ->take_all();
  verb.app->add_option("--markers", job.marker_file,
                       "more known joints: a text file with JOINT X Y Z per line, as --suggest writes it");
  verb.app->add_flag("!--no-mirror", job.mirrors_markers,
                     "markers of one side do not place the joints of the other side too");
  verb.app->add_option("--suggest", job.suggested,
                       "also write the joints found to this .txt file, to edit and use with --markers");
  add_unit_option(*verb.app, options->unit);
  verb.app->add_option("--group", job.groups, "of an OBJ: only this group or object")
      ->expected(1)
      ->take_all();
  verb.app->remove_option(
      verb.app->get_option("--up"));  // the common --up is for files and takes only y and z
  verb.app->add_option("--up", job.up, "up axis of the body: x, -x, y, -y, z or -z (default: found)");
  verb.app->add_option("--front", job.front,
                       "axis that the body faces: x, -x, y, -y, z or -z (default: found)");
  verb.app->add_option("--method", job.method, "binding method; see dermis bind --list")
      ->capture_default_str();
  verb.app->add_option("--straighten", job.straighten,
                       "rest pose of the result: t or a (arms level, or 45 degrees down; legs, trunk and "
                       "fingers straight), if the mesh is in another");
  verb.app->add_option(
      "--twist", job.twist_count,
      "K joints along each bone of arms and legs, which spread its twist; see dermis helpers");
  add_soft_option(*verb.app, options->soft);
  add_save_options(*verb.app, options->save);
  add_accept_option(*verb.app, job.accepts_doubts);
  add_report_option(*verb.app, job.report);
  verb.app->add_option("--show", options->shown, "print the text of a built-in template and exit");
  verb.run = [options] {
    if (!options->shown.empty()) {
      if (options->common.json)
        return report_error("rig", options->common,
                            {Errc::usage, "--show prints the text of a template file; remove --json"});
      const std::string_view text = rig_template_text(options->shown);
      if (text.empty())
        return report_error("rig", options->common,
                            {Errc::usage, fmt::format("there is no template '{}' to show (there are {})",
                                                      options->shown, rig_template_names())});
      print_to(stdout, std::string(text));
      return static_cast<int>(kFine);
    }
    RigJob& asked = options->job;
    if (asked.input.empty() || asked.output.empty())
      return report_error("rig", options->common,
                          {Errc::usage, "a mesh and -o FILE are needed; see dermis rig --help"});
    const Result<SoftShells> soft = soft_shells(options->soft);
    if (!soft) return report_error("rig", options->common, soft.error());
    asked.binding.soft = *soft;
    asked.save = save_options(options->save);
    asked.run = run_options(options->common);
    if (Status good = set_unit(options->unit, asked.run); !good)
      return report_error("rig", options->common, good.error());
    return finish_judged("rig", options->common, rig(asked));
  };
  return verb;
}

}  // namespace dermis::cli
