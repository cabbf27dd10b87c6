// SPDX-License-Identifier: MIT
// The verb combine on the command line.
#include "verb.h"

namespace dermis::cli {

Verb add_combine(CLI::App& app) {
  struct Options {
    Common common;
    CombineJob job;
    std::vector<std::string> files;
    SaveFlags save;
    bool is_rigid = false, is_transferred = false;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "combine", "several files under one skeleton: a body and its garments",
                        "combine body.glb shirt.glb hat.obj -o dressed.glb", options);
  verb.app->add_option("FILES", options->files, "the body, which has the skeleton, then what it wears")
      ->required();
  verb.app->add_option("-o,--output", options->job.output, ".glb or .gltf")->required();
  CLI::Option* rigid = verb.app->add_flag(
      "--rigid", options->is_rigid,
      "meshes without a skin follow the nearest joint (default: they take the body's weights)");
  verb.app
      ->add_flag("--transfer", options->is_transferred,
                 "all meshes take the body's weights, also those with a skin of their own")
      ->excludes(rigid);
  add_accept_option(*verb.app, options->job.accepts_doubts);
  add_save_options(*verb.app, options->save);
  verb.run = [options] {
    CombineJob& job = options->job;
    if (options->files.size() < 2)
      return report_error("combine", options->common,
                          {Errc::usage, "name the body and at least one file that it wears"});
    job.input = options->files.front();
    job.garments.assign(options->files.begin() + 1, options->files.end());
    job.save = save_options(options->save);
    job.run = run_options(options->common);
    if (options->is_rigid) job.request.weights = GarmentWeights::rigid;
    if (options->is_transferred) job.request.weights = GarmentWeights::transfer;
    return finish_judged("combine", options->common, combine(job));
  };
  return verb;
}

}  // namespace dermis::cli
