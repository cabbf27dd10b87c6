// SPDX-License-Identifier: MIT
// The verb bind on the command line.
#include "verb.h"

namespace dermis::cli {
namespace {

std::string method_names() {
  std::string names;
  for (const BindMethodRow& row : bind_methods())
    names += fmt::format("{}{}: {}", names.empty() ? "" : "; ", row.name, row.idea);
  return names;
}

// Options that only one method reads.
struct MethodOption {
  const char* option;
  const char* method;
};
constexpr MethodOption kMethodOptions[] = {{"--conduction", "heat"},
                                           {"--cell", "voxel"},
                                           {"--smoothness", "voxel"},
                                           {"--cells", "biharmonic"},
                                           {"--radius", "distance"}};

// Refuses options that the chosen method does not read.
Status check_method_options(const CLI::App& app, const std::string& method) {
  if (const Result<const BindMethodRow*> known = find_bind_method(method); !known) return known.error();
  for (const MethodOption& one : kMethodOptions) {
    if (app.count(one.option) > 0 && method != one.method)
      return Error{Errc::usage,
                   fmt::format("{} is an option of --method {}, not of {}", one.option, one.method, method)};
  }
  return Done{};
}

}  // namespace

Verb add_bind(CLI::App& app) {
  struct Options {
    Common common;
    BindJob job;
    SaveFlags save;
    std::vector<std::string> soft;
    bool is_list = false, is_unfitted = false;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "bind", "automatic weights for a mesh and a skeleton",
                        "bind body.obj --skeleton walk.bvh -o bound.glb", options);
  BindJob& job = options->job;
  verb.app->add_option("MESH", job.input, kAnyFile);
  verb.app->add_option("-o,--output", job.output, ".glb or .gltf");
  verb.app->add_option("--skeleton", job.skeleton, "a file with joints (default: the input's own)");
  verb.app
      ->add_option("--scale", job.attach.scale,
                   "factor for the lengths of --skeleton (default: from units and sizes)")
      ->check(above_zero());
  verb.app->add_flag("--no-fit", options->is_unfitted,
                     "keep --skeleton where it lies; otherwise a skeleton, half or more of whose joints lie "
                     "outside the body, is fitted to it");
  verb.app->add_option("--method", job.method, method_names())->capture_default_str();
  verb.app->add_option("--include", job.joints.include, "joints that get weights whatever their names")
      ->expected(1)
      ->take_all();
  verb.app->add_option("--exclude", job.joints.exclude, "joints that get no weights")
      ->expected(1)
      ->take_all();
  verb.app
      ->add_option("--conduction", job.options.heat.conduction,
                   "heat: width of the transitions; 1 is wide, 16 is narrow")
      ->check(above_zero())
      ->capture_default_str();
  verb.app
      ->add_option("--cell", job.options.voxel.cell,
                   "voxel: edge of a cell in the units of the file; 0: about 400,000 cells in the body")
      ->check(zero_or_more())
      ->capture_default_str();
  verb.app
      ->add_option("--smoothness", job.options.voxel.smoothness,
                   "voxel: smoothness of the falloff, 0 to 1; higher values fall off faster far away")
      ->check(from_to(0, 1))
      ->capture_default_str();
  verb.app
      ->add_option("--cells", job.options.biharmonic.cells,
                   "biharmonic: approximate number of cells in the body; limbs need about four across")
      ->check(from_to(8, 50'000))
      ->capture_default_str();
  verb.app
      ->add_option("--radius", job.options.distance.radius,
                   "distance: reach of the envelopes, as a fraction of the body's size")
      ->check(above_zero())
      ->capture_default_str();
  add_soft_option(*verb.app, options->soft);
  add_save_options(*verb.app, options->save);
  verb.app->get_option("--max-influences")
      ->description(fmt::format("at most this many joints per point (default {})", kBindInfluences));
  add_accept_option(*verb.app, job.accepts_doubts);
  add_report_option(*verb.app, job.report);
  verb.app->add_flag("--list", options->is_list, "print the table of methods and exit");
  verb.run = [options, bind_app = verb.app] {
    if (options->is_list) {
      print_to(stdout, options->common.json ? bind_methods_json() + "\n" : bind_method_table());
      return static_cast<int>(kFine);
    }
    BindJob& asked = options->job;
    if (asked.input.empty() || asked.output.empty())
      return report_error("bind", options->common,
                          {Errc::usage, "a mesh and -o FILE are needed; see dermis bind --help"});
    if (const Status good = check_method_options(*bind_app, asked.method); !good)
      return report_error("bind", options->common, good.error());
    const Result<SoftShells> soft = soft_shells(options->soft);
    if (!soft) return report_error("bind", options->common, soft.error());
    asked.options.soft = *soft;
    asked.fits = !options->is_unfitted;
    asked.save = save_options(options->save);
    asked.run = run_options(options->common);
    return finish_judged("bind", options->common, bind(asked));
  };
  return verb;
}

}  // namespace dermis::cli
