// SPDX-License-Identifier: MIT
// The verbs: their options, an example each, and the jobs made from them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "verb.h"

namespace dermis::cli {
namespace {

constexpr const char* kAsciiHelp = "PLY as text";

// Limits of skin quality, given in percent.
struct QualityFlags {
  std::optional<double> stretch, strain, volume_loss, bleed, asymmetry;
};

void add_quality_options(CLI::App& app, QualityFlags& flags, CheckLimits& limits) {
  app.add_option("--max-stretch", flags.stretch,
                 fmt::format("most that an edge may grow, if it triples, in any pose, in % of the size "
                             "(default {:g})",
                             100 * kVisibleStretch))
      ->check(zero_or_more());
  app.add_option("--max-strain", flags.strain, "largest change of an edge's length in any pose, in %")
      ->check(zero_or_more());
  app.add_option("--max-volume-loss", flags.volume_loss,
                 "largest loss of volume around a joint when it turns, in %")
      ->check(zero_or_more());
  app.add_option("--max-new-intersections", limits.max_new_intersections,
                 "pairs of triangles that may cross in any pose but not at rest")
      ->check(zero_or_more());
  app.add_option("--max-bleed", flags.bleed, "most weight a point may have on distant joints, in %")
      ->check(zero_or_more());
  app.add_option("--max-asymmetry", flags.asymmetry,
                 "largest difference of weight between a point and its mirror image, in %")
      ->check(zero_or_more());
}

void take_quality_limits(const QualityFlags& flags, CheckLimits& limits) {
  const auto take = [](const std::optional<double>& percent, std::optional<double>& limit) {
    if (percent) limit = *percent / 100;
  };
  if (flags.stretch) limits.max_stretch = *flags.stretch / 100;
  take(flags.strain, limits.max_strain);
  take(flags.volume_loss, limits.max_volume_loss);
  take(flags.bleed, limits.max_bleed);
  take(flags.asymmetry, limits.max_asymmetry);
}

// The notes that the findings in the text do not repeat.
Notes unsaid_notes(const InfoReport& report) {
  Notes unsaid = report.notes;
  std::erase_if(unsaid, [&](const Note& note) {
    return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
      return finding.id == note.id && note.sentence.ends_with(finding.sentence);
    });
  });
  return unsaid;
}

// For verbs that read no file.
void remove_up(CLI::App& verb) { verb.remove_option(verb.get_option("--up")); }

// The errors of a file, a line each, for those who see nothing else of the report.
void print_errors(const Common& common, const CheckReport& report) {
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::error) continue;
    print_failure(common, fmt::format("{}: {}{}{} [{}]", report.output.empty() ? report.input : report.output,
                                      place_of(finding), finding.thing.empty() ? "" : ": ", finding.sentence,
                                      finding.id));
  }
}

}  // namespace

Verb add_info(CLI::App& app) {
  struct Options {
    Common common;
    std::string input;
    bool with_nodes = false;
    double fps = 0;
  };
  const auto options = std::make_shared<Options>();
  Verb verb =
      make_verb(app, "info", "what is in a file, and what looks wrong", "info hero.glb --nodes", options);
  verb.app
      ->add_option("FILE", options->input,
                   std::string(kAnyFile) + ", a vertex cache (.pc2, .mdd) or a sequence (walk_####.obj)")
      ->required();
  verb.app->add_flag("--nodes", options->with_nodes, "also print the tree of nodes, as pose files name them");
  verb.app
      ->add_option("--fps", options->fps, "frames per second, for a cache that stores no times (default 30)")
      ->check(CLI::PositiveNumber);
  verb.run = [options] {
    const Result<InfoReport> report =
        info(InfoJob{options->input, run_options(options->common), options->fps});
    const Common& common = options->common;
    if (!report) return report_error("info", common, report.error());
    if (Status going = begin_report(); !going) return report_error("info", common, going.error());
    return print_report(common, *report,
                        wants_text(common) ? to_text(*report, options->with_nodes) : std::string(),
                        unsaid_notes(*report));
  };
  return verb;
}

Verb add_check(CLI::App& app) {
  struct Options {
    Common common;
    std::string input, output, html, profile = check_profiles()[0].name;
    bool is_fix = false, is_list = false;
    std::optional<double> max_bind_gap, max_seam;
    std::string method = "lbs";
    StackFlags stack;
    bool is_quality = false, is_without_quality = false;
    QualityFlags quality;
    CheckLimits limits;
  };
  const auto options = std::make_shared<Options>();
  Verb verb =
      make_verb(app, "check", "what is wrong with a file; exit code 3 if there are errors",
                "check hero.glb --profile unreal\n  dermis check hero.glb --fix -o mended.glb", options);
  std::string profiles = "the target to check against:";
  for (const CheckProfile& row : check_profiles()) profiles += fmt::format("\n  {}: {}", row.name, row.rules);
  verb.app->add_option("FILE", options->input, kAnyFile);
  verb.app->add_option("--profile", options->profile, profiles)->capture_default_str();
  CLI::Option* fix =
      verb.app->add_flag("--fix", options->is_fix, "repair what can be repaired, and report the rest");
  verb.app->add_option("-o,--output", options->output, "the repaired file")->needs(fix);
  verb.app
      ->add_option("--max-influences", options->limits.max_influences,
                   "joints a point may follow, instead of the profile's number (0: any)")
      ->check(from_to(0, 256));
  verb.app
      ->add_option("--max-bind-gap", options->max_bind_gap,
                   "how far the rest pose of a skin may be from its bind pose, in % of its size")
      ->check(zero_or_more());
  verb.app->add_option("--max-seam", options->max_seam, "how much weight may differ across a seam, in %")
      ->check(zero_or_more());
  verb.app->add_option("--max-boundary", options->limits.max_open_edges, "open edges a mesh may have")
      ->check(zero_or_more());
  verb.app
      ->add_option("--max-nonmanifold", options->limits.max_nonmanifold_edges,
                   "edges with more than two polygons that a mesh may have")
      ->check(zero_or_more());
  verb.app->add_option("--max-shells", options->limits.max_shells, "connected pieces a mesh may have")
      ->check(zero_or_more());
  CLI::Option* with_quality = verb.app->add_flag("--quality", options->is_quality,
                                                 "bend every joint through the standard range of motion, "
                                                 "however long that takes (default: if it takes seconds)");
  verb.app->add_flag("--no-quality", options->is_without_quality, "do not bend joints")
      ->excludes(with_quality);
  CLI::Option* method =
      verb.app->add_option("--method", options->method, "method to bend them with: " + method_help())
          ->capture_default_str();
  add_stack_options(*verb.app, options->stack);
  add_quality_options(*verb.app, options->quality, options->limits);
  add_report_option(*verb.app, options->html);
  verb.app->add_flag("--list", options->is_list, "print the tables of findings and profiles and exit");
  verb.run = [options, method] {
    if (options->is_list) {
      print_to(stdout, options->common.json ? check_rules_json() + "\n" : check_tables());
      return static_cast<int>(kFine);
    }
    const Common& common = options->common;
    if (options->input.empty()) return report_error("check", common, {Errc::usage, "FILE is required"});
    if (options->is_without_quality && (method->count() > 0 || options->stack.has_no_rest_stages))
      return report_error("check", common,
                          {Errc::usage,
                           "--method and --no-rest-stages say how joints are bent; remove them or "
                           "--no-quality"});
    if (options->is_fix && options->output.empty())
      return report_error("check", common, {Errc::usage, "--fix needs a file to write: add -o OUT"});
    const Result<const CheckProfile*> profile = find_check_profile(options->profile);
    if (!profile) return report_error("check", common, profile.error());
    options->limits.profile = *profile;
    if (options->max_bind_gap) options->limits.max_bind_gap = *options->max_bind_gap / 100;
    if (options->max_seam) options->limits.max_seam = *options->max_seam / 100;
    take_quality_limits(options->quality, options->limits);
    const Result<DeformOptions> deform = deform_options(options->method, options->stack);
    if (!deform) return report_error("check", common, deform.error());
    CheckJob job;
    job.input = options->input;
    job.output = options->output;
    job.run = run_options(common);
    job.limits = options->limits;
    if (options->is_quality || options->is_without_quality) job.has_quality = options->is_quality;
    job.deform = *deform;
    job.report = options->html;
    const Result<CheckReport> report = check(job);
    const int code = finish("check", common, report);
    if (code != kFine || report->error_count == 0) return code;
    print_errors(common, *report);
    return static_cast<int>(kCheckFailed);
  };
  return verb;
}

Verb add_convert(CLI::App& app) {
  struct Options {
    Common common;
    std::string input, output, cache, clip, unit;
    double fps = 0;
    SaveFlags save;
    bool ascii = false, bakes_drivers = false;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "convert", "convert to another format, keeping all that it can hold",
                        "convert hero.gltf -o hero.glb", options);
  verb.app
      ->add_option("IN", options->input,
                   std::string(kAnyFile) + ", a vertex cache (.pc2, .mdd) or a sequence (walk_####.obj)")
      ->required();
  verb.app
      ->add_option("-o,--output", options->output,
                   ".glb, .gltf, .obj, .ply, .bvh or skeleton.out; for caches also .pc2, .mdd or a sequence")
      ->required();
  verb.app->add_option("--clip", options->clip,
                       ".bvh output only: clip by name or number (default: the first)");
  verb.app
      ->add_option("--fps", options->fps,
                   "frames per second of a .bvh output (default: as in the clip, else 30), or of a cache "
                   "that stores no times (default 30)")
      ->check(from_to(0.01, 10000));
  add_unit_option(*verb.app, options->unit);
  verb.app->add_option("--cache", options->cache,
                       "vertex cache that moves the mesh IN: .pc2, .mdd, .f32 (raw frames) or a sequence");
  verb.app->add_flag("--bake-drivers", options->bakes_drivers,
                     "also write what drivers do as keys, for programs that do not know them");
  add_save_options(*verb.app, options->save);
  verb.app->add_flag("--ascii", options->ascii, kAsciiHelp);
  verb.run = [options] {
    ConvertJob job;
    job.input = options->input;
    job.output = options->output;
    job.save = save_options(options->save);
    job.run = run_options(options->common);
    job.save.ascii = options->ascii;
    job.clip = options->clip;
    job.fps = options->fps;
    job.cache = options->cache;
    job.bakes_drivers = options->bakes_drivers;
    if (Status good = set_unit(options->unit, job.run); !good)
      return report_error("convert", options->common, good.error());
    return finish("convert", options->common, convert(job));
  };
  return verb;
}

Verb add_make(CLI::App& app) {
  struct Options {
    Common common;
    std::string kind, output;
    std::size_t points = MakeOptions{}.points;
    SaveFlags save;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "make", "a built-in character, at any resolution",
                        "make humanoid --points 100000 -o humanoid.glb", options);
  std::vector<std::string> kinds;
  std::string help;
  for (const MadeRow& row : made_kinds()) {
    kinds.emplace_back(row.name);
    help += fmt::format("\n  {}: {}", row.name, row.summary);
  }
  verb.app->add_option("KIND", options->kind, "which one:" + help)->required()->check(CLI::IsMember(kinds));
  remove_up(*verb.app);
  verb.app->add_option("-o,--output", options->output, ".glb, .gltf, .obj or .ply")->required();
  verb.app->add_option("--points", options->points, "approximate number of points, 1,000 to 1,000,000")
      ->check(from_to(1000, 1000000))
      ->capture_default_str();
  add_save_options(*verb.app, options->save);
  verb.run = [options] {
    MakeJob job;
    for (const MadeRow& row : made_kinds()) {
      if (options->kind == row.name) job.kind = row.kind;
    }
    job.options.points = options->points;
    job.output = options->output;
    job.save = save_options(options->save);
    job.run = run_options(options->common);
    return finish("make", options->common, make(job));
  };
  return verb;
}

Verb add_deform(CLI::App& app) {
  struct Options {
    Common common;
    std::string input, output, html, method = "lbs", normals = "shading";
    PoseOptions pose;
    StackFlags stack;
    bool ascii = false;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "deform", "the whole posed scene in world space",
                        "deform hero.glb --clip walk --time 0.5 -o step.obj", options);
  verb.app->add_option("CHARACTER", options->input, kAnyFile)->required();
  verb.app->add_option("-o,--output", options->output, ".obj, .ply, .glb or .gltf")->required();
  add_pose_options(*verb.app, options->pose);
  verb.app->add_option("--method", options->method, method_help())->capture_default_str();
  verb.app->add_option("--normals", options->normals, kNormalsHelp)->capture_default_str();
  add_stage_options(*verb.app, options->stack);
  verb.app->add_flag("--ascii", options->ascii, kAsciiHelp);
  add_report_option(*verb.app, options->html);
  verb.run = [options] {
    const Result<PoseChoice> pose = pose_choice(options->pose);
    if (!pose) return report_error("deform", options->common, pose.error());
    Result<DeformOptions> how = deform_options(options->method, options->stack);
    if (!how) return report_error("deform", options->common, how.error());
    const Result<NormalMode> normals = parse_normal_mode(options->normals);
    if (!normals) return report_error("deform", options->common, normals.error());
    how->normals = *normals;
    DeformJob job;
    job.input = options->input;
    job.output = options->output;
    job.save.ascii = options->ascii;
    job.run = run_options(options->common);
    job.report = options->html;
    job.pose = *pose;
    job.deform = *how;
    return finish("deform", options->common, deform(job));
  };
  return verb;
}

Verb add_bake(CLI::App& app) {
  struct Options {
    Common common;
    BakeJob job;
    std::optional<std::string> clip;
    std::string method = "lbs", normals = "shading";
    StackFlags stack;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "bake", "a whole clip as a vertex cache, a sequence or a morph animation",
                        "bake hero.glb --clip walk --fps 24 -o walk.pc2", options);
  BakeJob& job = options->job;
  verb.app->add_option("CHARACTER", job.input, kAnyFile)->required();
  verb.app
      ->add_option("-o,--output", job.output,
                   ".pc2 or .mdd (one per mesh, with its rest mesh as OBJ), name_####.obj, name_####.ply, "
                   ".glb or .gltf (one shape per frame)")
      ->required();
  verb.app->add_option("--clip", options->clip, "clip, by name or number; needed if there are several");
  verb.app->add_option("--fps", job.fps, "frames per second")->check(above_zero())->capture_default_str();
  verb.app->add_option("--from", job.from, "seconds (default: the start of the clip)");
  verb.app->add_option("--to", job.to, "seconds (default: the end of the clip)");
  verb.app->add_option("--method", options->method, method_help())->capture_default_str();
  verb.app->add_option("--normals", options->normals, kNormalsHelp)->capture_default_str();
  add_stage_options(*verb.app, options->stack);
  add_report_option(*verb.app, job.report);
  verb.run = [options] {
    if (options->clip && options->clip->empty()) {
      return report_error("bake", options->common, {Errc::usage, "--clip is empty; give a name or a number"});
    }
    const Result<DeformOptions> deform = deform_options(options->method, options->stack);
    if (!deform) return report_error("bake", options->common, deform.error());
    const Result<NormalMode> normals = parse_normal_mode(options->normals);
    if (!normals) return report_error("bake", options->common, normals.error());
    options->job.clip = options->clip.value_or("");
    options->job.deform = *deform;
    options->job.deform.normals = *normals;
    options->job.run = run_options(options->common);
    return finish("bake", options->common, bake(options->job));
  };
  return verb;
}

Verb add_compare(CLI::App& app) {
  struct Options {
    Common common;
    std::string a, b, html, method = "lbs", method_b;
    std::optional<double> limit;
    double fps = 0;
    PoseOptions pose;
    StackFlags stack;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "compare", "how far apart two results are",
                        "compare a.obj b.glb --clip 0 --time 1 --limit 0.01", options);
  verb.app
      ->add_option("A", options->a,
                   std::string(kAnyFile) + ", points (.xyz), or frames (.pc2, .mdd, .f32, walk_####.obj)")
      ->required();
  verb.app->add_option("B", options->b, "the other one")->required();
  add_pose_options(*verb.app, options->pose);
  verb.app->add_option("--method", options->method, method_help())->capture_default_str();
  verb.app->add_option("--method-b", options->method_b, "another method for B");
  add_stage_options(*verb.app, options->stack);
  verb.app
      ->add_option("--limit", options->limit,
                   "largest distance allowed, in % of the diagonal of A; if exceeded, the exit code is 3")
      ->check(zero_or_more());
  verb.app
      ->add_option("--fps", options->fps, "frames per second, for a cache that stores no times (default 30)")
      ->check(CLI::PositiveNumber);
  add_report_option(*verb.app, options->html);
  verb.run = [options] {
    const Result<PoseChoice> pose = pose_choice(options->pose);
    if (!pose) return report_error("compare", options->common, pose.error());
    CompareJob job;
    job.inputs = {options->a, options->b};
    job.pose = *pose;
    const std::string* stacks[] = {&options->method,
                                   options->method_b.empty() ? &options->method : &options->method_b};
    for (std::size_t k = 0; k < 2; ++k) {
      Result<DeformOptions> deform = deform_options(*stacks[k], options->stack);
      if (!deform) return report_error("compare", options->common, deform.error());
      job.deform[k] = std::move(*deform);
    }
    if (options->limit) job.limit = *options->limit / 100;
    job.fps = options->fps;
    job.report = options->html;
    job.run = run_options(options->common);
    const Result<CompareReport> report = compare(job);
    const int code = finish("compare", options->common, report);
    if (code != kFine || report->is_within_limit) return code;
    print_failure(options->common,
                  fmt::format("{} and {} are up to {:.3g} % of the diagonal apart, over the limit of {:g} %",
                              options->a, options->b, 100 * report->distance.max / report->distance.diagonal,
                              *options->limit));
    return static_cast<int>(kCheckFailed);
  };
  return verb;
}

Verb add_demo(CLI::App& app) {
  struct Options {
    Common common;
    DemoJob job;
    std::vector<std::string> methods;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "demo",
                        "a bare humanoid gets a skeleton, weights and a walk, and is posed by every method",
                        "demo -o demo-out", options);
  remove_up(*verb.app);
  verb.app->add_option("-o,--output", options->job.folder, "folder for the results")->capture_default_str();
  verb.app->add_option("--points", options->job.points, "approximate number of points of the humanoid")
      ->check(from_to(1000, 1000000))
      ->capture_default_str();
  std::string parts = "what to show:";
  for (const DemoPart& part : demo_parts()) parts += fmt::format("\n  {}: {}", part.name, part.summary);
  verb.app->add_option("--part", options->job.part, parts)->capture_default_str();
  verb.app
      ->add_option("--method", options->methods,
                   "pose and write only with this stack, instead of every method (the gallery of the report "
                   "shows all); repeatable: " +
                       method_help())
      ->take_all()
      ->allow_extra_args(false);
  verb.run = [options] {
    options->job.run = run_options(options->common);
    for (const std::string& text : options->methods) {
      const Result<Stack> stack = parse_stack(text);
      if (!stack) return report_error("demo", options->common, stack.error());
      options->job.stacks.push_back(*stack);
    }
    return finish("demo", options->common, demo(options->job));
  };
  return verb;
}

Verb add_methods(CLI::App& app) {
  struct Options {
    Common common;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "methods", "the table of deformers", "methods", options);
  verb.run = [options] {
    print_to(stdout, options->common.json ? methods_json() + "\n" : method_table());
    return static_cast<int>(kFine);
  };
  return verb;
}

Verb add_formats(CLI::App& app) {
  struct Options {
    Common common;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "formats", "the table of file formats", "formats", options);
  verb.run = [options] {
    print_to(stdout, options->common.json ? formats_json() + "\n" : format_table());
    return static_cast<int>(kFine);
  };
  return verb;
}

Verb add_schema(CLI::App& app) {
  struct Options {
    Common common;
  };
  const auto options = std::make_shared<Options>();
  Verb verb =
      make_verb(app, "schema", "the JSON Schema of what --json prints, for all verbs", "schema", options);
  verb.run = [] {
    print_to(stdout, json_schema() + "\n");
    return static_cast<int>(kFine);
  };
  return verb;
}

Verb add_bench(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("bench", "standard tasks compared with a naive loop and the memory limit");
  verb->prefix_command();
  verb->set_help_flag();  // the benchmark program has its own
  return {verb, [verb] {
            std::error_code failed;
            const std::filesystem::path here =
                std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
            std::vector<std::string> words = {"dermis_bench"};
            for (const std::string& word : verb->remaining()) words.push_back(word);
            std::vector<char*> arguments;
            arguments.reserve(words.size() + 1);
            for (std::string& word : words) arguments.push_back(word.data());
            arguments.push_back(nullptr);
            for (const auto& path : {here / "dermis_bench", here.parent_path() / "bench" / "dermis_bench"}) {
              ::execv(path.c_str(), arguments.data());
            }
            return report_error(
                "bench", {},
                {Errc::unreadable,
                 "the program dermis_bench is not next to this one; build it with DERMIS_BENCH=ON"});
          }};
}

}  // namespace dermis::cli
