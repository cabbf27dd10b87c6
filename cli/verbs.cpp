// SPDX-License-Identifier: MIT
// The verbs: their options, an example each, and the jobs they become.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "cli.h"

namespace dermis::cli {
namespace {

// Where a character stands, on verbs that pose.
struct PoseOptions {
  std::optional<std::string> clip;
  std::string pose_file;
  std::optional<double> time;
  std::vector<std::string> shapes;
};

void add_pose_options(CLI::App& app, PoseOptions& options) {
  app.add_option("--clip", options.clip, "clip by name or number; without it the file's rest pose");
  app.add_option("--time", options.time, "seconds; outside the clip its first or last key holds (default 0)")
      ->needs("--clip");
  app.add_option("--pose", options.pose_file, "pose file, laid over the clip");
  app.add_option("--shape", options.shapes, "NAME=WEIGHT, as often as needed")
      ->take_all()
      ->allow_extra_args(false);
}

Result<PoseChoice> pose_choice(const PoseOptions& options) {
  PoseChoice choice;
  if (options.clip && options.clip->empty())
    return Error{Errc::usage, "--clip: is empty; give a name or a number"};
  if (options.time && !std::isfinite(*options.time))
    return Error{Errc::usage, "--time: is not a finite number of seconds"};
  choice.clip = options.clip.value_or("");
  choice.time = options.time.value_or(0);
  choice.pose_file = options.pose_file;
  for (const std::string& text : options.shapes) {
    const std::size_t equals = text.rfind('=');
    float weight = 0;
    if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), weight)) {
      return Error{Errc::usage, fmt::format("--shape '{}': write it as NAME=WEIGHT, as in smile=0.5", text)};
    }
    if (!std::isfinite(weight))
      return Error{Errc::usage, fmt::format("--shape '{}': the weight is not finite", text)};
    choice.shapes.push_back({text.substr(0, equals), weight});
  }
  return choice;
}

std::string method_help() {
  return fmt::format(
      "stages joined by commas, in this order: {} (always first, named or not); one of {}; {}. See dermis "
      "methods",
      method_names(StackPhase::rest), method_names(StackPhase::skin), method_names(StackPhase::posed));
}

void add_report_option(CLI::App& app, std::string& report) {
  app.add_option("--report", report, "also a report with pictures, one .html file that needs nothing else");
}

constexpr const char* kNormalsHelp =
    "shading, inverse_transpose or exact; of no effect with direct_delta_mush or after a posed stage, where "
    "normals are measured, and in .pc2 and .mdd, which hold none";

struct SaveFlags {
  std::string weights;
  int max_influences = 0;
  bool embed = false;
};

void add_save_options(CLI::App& app, SaveFlags& flags) {
  app.add_option("--weights", flags.weights, "rewrite weights as u8, u16 or float")
      ->check(CLI::IsMember({"u8", "u16", "float"}));
  app.add_option("--max-influences", flags.max_influences, "keep at most this many joints a point")
      ->check(from_to(1, 256));
  app.add_flag("--embed", flags.embed, ".gltf only: buffers inside the file instead of beside it");
}

SaveOptions save_options(const SaveFlags& flags) {
  SaveOptions save;
  if (flags.weights == "u8") save.weights = WeightFormat::unorm8;
  if (flags.weights == "u16") save.weights = WeightFormat::unorm16;
  if (flags.weights == "float") save.weights = WeightFormat::float32;
  save.max_influences = flags.max_influences;
  save.embed_buffers = flags.embed;
  return save;
}

// Limits of the quality of skins that are given in percent.
struct QualityFlags {
  std::optional<double> strain, volume_loss, bleed, asymmetry;
};

void add_quality_options(CLI::App& app, QualityFlags& flags, CheckLimits& limits) {
  app.add_option("--max-strain", flags.strain, "how much an edge may change its length in any pose, in %")
      ->check(zero_or_more());
  app.add_option("--max-volume-loss", flags.volume_loss,
                 "how much of the volume around a joint may go when it turns, in %")
      ->check(zero_or_more());
  app.add_option("--max-new-intersections", limits.max_new_intersections,
                 "pairs of triangles that may cross in any pose and not at rest")
      ->check(zero_or_more());
  app.add_option("--max-bleed", flags.bleed, "how much weight a point may have on joints far away, in %")
      ->check(zero_or_more());
  app.add_option("--max-asymmetry", flags.asymmetry,
                 "how much weight may differ between a point and its mirror image, in %")
      ->check(zero_or_more());
}

void take_quality_limits(const QualityFlags& flags, CheckLimits& limits) {
  const auto take = [](const std::optional<double>& percent, std::optional<double>& limit) {
    if (percent) limit = *percent / 100;
  };
  take(flags.strain, limits.max_strain);
  take(flags.volume_loss, limits.max_volume_loss);
  take(flags.bleed, limits.max_bleed);
  take(flags.asymmetry, limits.max_asymmetry);
}

// What verbs read that read everything.
constexpr const char* kAnyFile =
    "a character or a mesh: .glb, .fbx, .obj, .bvh and all that 'dermis formats' lists";

// Options of one verb, kept alive by its callback.
template <class Options>
Verb make_verb(CLI::App& app, const char* name, const char* summary, const char* example,
               const std::shared_ptr<Options>& options) {
  CLI::App* verb = app.add_subcommand(name, summary);
  verb->footer(fmt::format("Example:\n  dermis {}", example));
  add_common(*verb, options->common);
  return {verb, nullptr};
}

template <class Report>
int finish(const char* verb, const Common& common, const Result<Report>& report) {
  if (!report) return report_error(verb, common, report.error());
  return print_report(common, *report, text_of(*report), report->notes);
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
  verb.app->add_flag("--nodes", options->with_nodes, "also the tree of nodes, as pose files name them");
  verb.app->add_option("--fps", options->fps, "frames a second, for a cache that only counts them (else 30)")
      ->check(CLI::PositiveNumber);
  verb.run = [options] {
    const Result<InfoReport> report = info({options->input, run_options(options->common), options->fps});
    if (!report) return report_error("info", options->common, report.error());
    return print_report(options->common, *report, text_of(*report, options->with_nodes),
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
    bool is_quality = false, is_without_quality = false;
    QualityFlags quality;
    CheckLimits limits;
  };
  const auto options = std::make_shared<Options>();
  Verb verb =
      make_verb(app, "check", "what is wrong with a file; exit code 3 when there are errors",
                "check hero.glb --profile unreal\n  dermis check hero.glb --fix -o mended.glb", options);
  std::string profiles = "the target to hold it against:";
  for (const CheckProfile& row : check_profiles()) profiles += fmt::format("\n  {}: {}", row.name, row.rules);
  verb.app->add_option("FILE", options->input, kAnyFile);
  verb.app->add_option("--profile", options->profile, profiles)->capture_default_str();
  CLI::Option* fix =
      verb.app->add_flag("--fix", options->is_fix, "mend what can be mended, and report the rest");
  verb.app->add_option("-o,--output", options->output, "where the mended file goes")->needs(fix);
  verb.app
      ->add_option("--max-influences", options->limits.max_influences,
                   "joints a point may follow, in place of the profile's number (0: any)")
      ->check(from_to(0, 256));
  verb.app
      ->add_option("--max-bind-gap", options->max_bind_gap,
                   "how far a skin may rest from its bind pose, in % of its size")
      ->check(zero_or_more());
  verb.app->add_option("--max-seam", options->max_seam, "how much weight may differ across a seam, in %")
      ->check(zero_or_more());
  verb.app->add_option("--max-boundary", options->limits.max_open_edges, "open edges a mesh may have")
      ->check(zero_or_more());
  verb.app
      ->add_option("--max-nonmanifold", options->limits.max_nonmanifold_edges,
                   "edges with more than two polygons a mesh may have")
      ->check(zero_or_more());
  verb.app->add_option("--max-shells", options->limits.max_shells, "pieces a mesh may have")
      ->check(zero_or_more());
  CLI::Option* with_quality = verb.app->add_flag("--quality", options->is_quality,
                                                 "bend every joint through the standard range of motion, "
                                                 "however long that takes (default: where it takes "
                                                 "seconds)");
  verb.app->add_flag("--no-quality", options->is_without_quality, "do not bend joints")
      ->excludes(with_quality);
  verb.app->add_option("--method", options->method, "what to bend them with: " + method_help())
      ->capture_default_str();
  add_quality_options(*verb.app, options->quality, options->limits);
  add_report_option(*verb.app, options->html);
  verb.app->add_flag("--list", options->is_list, "the tables of findings and profiles, instead of a check");
  verb.run = [options] {
    if (options->is_list) {
      print_to(stdout, options->common.json ? check_rules_json() + "\n" : check_tables());
      return static_cast<int>(kFine);
    }
    const Common& common = options->common;
    if (options->input.empty()) return report_error("check", common, {Errc::usage, "FILE is required"});
    if (options->is_fix && options->output.empty())
      return report_error("check", common, {Errc::usage, "--fix needs a file to write: add -o OUT"});
    const Result<const CheckProfile*> profile = find_check_profile(options->profile);
    if (!profile) return report_error("check", common, profile.error());
    options->limits.profile = *profile;
    if (options->max_bind_gap) options->limits.max_bind_gap = *options->max_bind_gap / 100;
    if (options->max_seam) options->limits.max_seam = *options->max_seam / 100;
    take_quality_limits(options->quality, options->limits);
    const Result<Stack> method = parse_stack(options->method);
    if (!method) return report_error("check", common, method.error());
    CheckJob job{options->input, options->limits, options->output, run_options(common)};
    if (options->is_quality || options->is_without_quality) job.has_quality = options->is_quality;
    job.deform.stack = *method;
    job.report = options->html;
    const Result<CheckReport> report = check(job);
    const int code = finish("check", common, report);
    return report && report->error_count > 0 ? static_cast<int>(kCheckFailed) : code;
  };
  return verb;
}

Verb add_convert(CLI::App& app) {
  struct Options {
    Common common;
    std::string input, output, cache, clip;
    double fps = 0;
    SaveFlags save;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "convert", "another format, keeping all that can be kept",
                        "convert hero.gltf -o hero.glb", options);
  verb.app
      ->add_option("IN", options->input,
                   std::string(kAnyFile) + ", a vertex cache (.pc2, .mdd) or a sequence (walk_####.obj)")
      ->required();
  verb.app
      ->add_option("-o,--output", options->output,
                   ".glb, .gltf, .obj, .ply, .bvh or skeleton.out; of caches also .pc2, .mdd or a sequence")
      ->required();
  verb.app->add_option("--clip", options->clip, "to .bvh only: clip by name or number (default: the first)");
  verb.app
      ->add_option(
          "--fps", options->fps,
          "frames a second: to .bvh (default: as the clip is, else 30), or of caches that only count "
          "frames (default 30)")
      ->check(from_to(0.01, 10000));
  verb.app->add_option("--cache", options->cache,
                       "vertex cache that moves IN: .pc2, .mdd, .f32 (raw frames) or a sequence");
  add_save_options(*verb.app, options->save);
  verb.run = [options] {
    ConvertJob job{options->input, options->output, save_options(options->save),
                   run_options(options->common)};
    job.clip = options->clip;
    job.fps = options->fps;
    job.cache = options->cache;
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
  verb.app->add_option("-o,--output", options->output, ".glb, .gltf, .obj or .ply")->required();
  verb.app->add_option("--points", options->points, "about how many points, 1,000 to 1,000,000")
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

void add_stage_options(CLI::App& app, DeformOptions& options) {
  app.add_option("--bulge-correction", options.bulge_correction,
                 "for dqs: how much of the bulge of bent joints is taken back, 0 to 1")
      ->check(from_to(0, 1))
      ->capture_default_str();
  app.add_option("--mush-iterations", options.mush_iterations, "for delta_mush: smoothing steps, 0 to 1,000")
      ->check(from_to(0, 1000))
      ->capture_default_str();
}

Verb add_deform(CLI::App& app) {
  struct Options {
    Common common;
    std::string input, output, html, method = "lbs", normals = "shading";
    PoseOptions pose;
    DeformOptions deform;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "deform", "the whole posed scene in world space",
                        "deform hero.glb --clip walk --time 0.5 -o step.obj", options);
  verb.app->add_option("CHARACTER", options->input, kAnyFile)->required();
  verb.app->add_option("-o,--output", options->output, ".obj, .ply, .glb or .gltf")->required();
  add_pose_options(*verb.app, options->pose);
  verb.app->add_option("--method", options->method, method_help())->capture_default_str();
  verb.app->add_option("--normals", options->normals, kNormalsHelp)->capture_default_str();
  add_stage_options(*verb.app, options->deform);
  add_report_option(*verb.app, options->html);
  verb.run = [options] {
    const Result<PoseChoice> pose = pose_choice(options->pose);
    if (!pose) return report_error("deform", options->common, pose.error());
    const Result<Stack> method = parse_stack(options->method);
    if (!method) return report_error("deform", options->common, method.error());
    const Result<NormalMode> normals = parse_normal_mode(options->normals);
    if (!normals) return report_error("deform", options->common, normals.error());
    options->deform.stack = *method;
    options->deform.normals = *normals;
    return finish("deform", options->common,
                  deform({options->input, options->output, *pose, options->deform,
                          run_options(options->common), options->html}));
  };
  return verb;
}

Verb add_bake(CLI::App& app) {
  struct Options {
    Common common;
    BakeJob job;
    std::optional<std::string> clip;
    std::string method = "lbs", normals = "shading";
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "bake", "a whole clip as a vertex cache, a sequence or a morph animation",
                        "bake hero.glb --clip walk --fps 24 -o walk.pc2", options);
  BakeJob& job = options->job;
  verb.app->add_option("CHARACTER", job.input, kAnyFile)->required();
  verb.app
      ->add_option(
          "-o,--output", job.output,
          ".pc2 or .mdd (one for each mesh, with its rest mesh as OBJ), name_####.obj, name_####.ply, "
          ".glb or .gltf (a shape for each frame)")
      ->required();
  verb.app->add_option("--clip", options->clip, "clip by name or number; needed when there are several");
  verb.app->add_option("--fps", job.fps, "frames a second")->check(above_zero())->capture_default_str();
  verb.app->add_option("--from", job.from, "seconds; without it where the clip starts");
  verb.app->add_option("--to", job.to, "seconds; without it where the clip ends");
  verb.app->add_option("--method", options->method, method_help())->capture_default_str();
  verb.app->add_option("--normals", options->normals, kNormalsHelp)->capture_default_str();
  add_stage_options(*verb.app, job.deform);
  add_report_option(*verb.app, job.report);
  verb.run = [options] {
    if (options->clip && options->clip->empty()) {
      return report_error("bake", options->common,
                          {Errc::usage, "--clip: is empty; give a name or a number"});
    }
    const Result<Stack> method = parse_stack(options->method);
    if (!method) return report_error("bake", options->common, method.error());
    const Result<NormalMode> normals = parse_normal_mode(options->normals);
    if (!normals) return report_error("bake", options->common, normals.error());
    options->job.clip = options->clip.value_or("");
    options->job.deform.stack = *method;
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
    PoseOptions pose;
    DeformOptions deform;
  };
  const auto options = std::make_shared<Options>();
  Verb verb = make_verb(app, "compare", "how far two results are apart",
                        "compare a.obj b.glb --clip 0 --time 1 --limit 0.01", options);
  verb.app->add_option("A", options->a, std::string(kAnyFile) + ", or points (.xyz)")->required();
  verb.app->add_option("B", options->b, "the other one")->required();
  add_pose_options(*verb.app, options->pose);
  verb.app->add_option("--method", options->method, method_help())->capture_default_str();
  verb.app->add_option("--method-b", options->method_b, "another method for B");
  add_stage_options(*verb.app, options->deform);
  verb.app
      ->add_option("--limit", options->limit,
                   "largest distance allowed, in % of the diagonal of A; beyond it the exit code is 3")
      ->check(zero_or_more());
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
      const Result<Stack> method = parse_stack(*stacks[k]);
      if (!method) return report_error("compare", options->common, method.error());
      job.deform[k] = options->deform;
      job.deform[k].stack = *method;
    }
    if (options->limit) job.limit = *options->limit / 100;
    job.report = options->html;
    job.run = run_options(options->common);
    const Result<CompareReport> report = compare(job);
    const int code = finish("compare", options->common, report);
    return report && !report->is_within_limit ? static_cast<int>(kCheckFailed) : code;
  };
  return verb;
}

namespace {

// What render takes, as typed.
struct RenderFlags {
  Common common;
  RenderJob job;
  PoseOptions pose;
  std::vector<double> times;
  std::vector<std::string> pose_files, methods;
  std::string normals = "exact", view = "quarter", heat, size;
  std::optional<double> turn_deg, lift_deg, heat_max, turntable, fps;
  bool is_film = false, is_bare = false, has_no_ground = false;
};

void add_render_poses(CLI::App& app, RenderFlags& flags) {
  add_pose_options(app, flags.pose);
  app.add_option("--times", flags.times, "several times of the clip, a row of pictures each: 0,0.5,1")
      ->delimiter(',')
      ->needs("--clip")
      ->excludes("--time");
  app.add_option("--moments", flags.job.moments, "so many times of the clip, evenly from first to last")
      ->check(from_to(1, 64))
      ->needs("--clip")
      ->excludes("--time")
      ->excludes("--times");
  app.add_option("--poses", flags.pose_files, "several pose files, a row of pictures each: a.json,b.json")
      ->delimiter(',')
      ->excludes("--pose")
      ->excludes("--times")
      ->excludes("--moments");
  app.add_option("--method", flags.methods,
                 "as often as needed, a column of pictures each, or 'all': " + method_help())
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--normals", flags.normals, kNormalsHelp)->capture_default_str();
}

void add_render_looks(CLI::App& app, RenderFlags& flags) {
  app.add_option("--view", flags.view, "front, back, left, right, top or quarter")->capture_default_str();
  app.add_option("--turn-deg", flags.turn_deg, "camera around the vertical, degrees from the front");
  app.add_option("--lift-deg", flags.lift_deg, "camera above the horizon, degrees")->check(from_to(-89, 89));
  app.add_option("--size", flags.size, "of one picture, as 1280x960");
  app.add_option("--samples", flags.job.samples, "rays a pixel (default 16, for films 4)")
      ->check(from_to(1, 1024));
  app.add_flag("--wireframe", flags.job.has_wireframe, "polygon edges on the surface");
  app.add_flag("--joints", flags.job.has_joints, "joints, seen through the surface");
  app.add_flag("--no-ground", flags.has_no_ground, "no floor");
  app.add_flag("--no-textures", flags.is_bare, "material colours alone");
  app.add_option("--heat", flags.heat,
                 "colours by a number: weight=JOINT, strain (of edges, against rest), error=METHOD or "
                 "error=FILE");
  app.add_option("--heat-max", flags.heat_max, "the number with the last colour (default: the largest)")
      ->check(above_zero())
      ->needs("--heat");
}

void add_render_motion(CLI::App& app, RenderFlags& flags) {
  app.add_option("--turntable", flags.turntable, "a film of one turn, of so many seconds")
      ->check(above_zero())
      ->excludes("--times")
      ->excludes("--moments");
  app.add_flag("--film", flags.is_film, "a film of the whole clip")
      ->needs("--clip")
      ->excludes("--time")
      ->excludes("--times")
      ->excludes("--moments")
      ->excludes("--turntable");
  app.add_option("--fps", flags.fps, "frames a second of a film (default 24)")->check(from_to(0.1, 240));
}

// "1280x960".
Status parse_size(const std::string& text, RenderJob& job) {
  if (text.empty()) return Done{};
  int width = 0, height = 0, used = 0;
  const bool is_size = std::sscanf(text.c_str(), "%5dx%5d%n", &width, &height, &used) == 2 &&
                       static_cast<std::size_t>(used) == text.size();
  if (!is_size || width < 16 || height < 16 || width > 16384 || height > 16384) {
    return Error{Errc::usage, fmt::format("--size '{}': write it as 1280x960, each from 16 to 16384", text)};
  }
  job.width = width;
  job.height = height;
  return Done{};
}

Status parse_methods(const std::vector<std::string>& texts, std::vector<Stack>& stacks) {
  for (const std::string& text : texts) {
    if (text == "all") {
      const std::vector<Stack> all = every_stack();
      stacks.insert(stacks.end(), all.begin(), all.end());
      continue;
    }
    const Result<Stack> stack = parse_stack(text);
    if (!stack) return stack.error();
    stacks.push_back(*stack);
  }
  return Done{};
}

Result<RenderJob> render_job(const RenderFlags& flags) {
  RenderJob job = flags.job;
  const Result<PoseChoice> pose = pose_choice(flags.pose);
  if (!pose) return pose.error();
  job.poses.assign(std::max({flags.times.size(), flags.pose_files.size(), std::size_t{1}}), *pose);
  for (std::size_t k = 0; k < flags.times.size(); ++k) job.poses[k].time = flags.times[k];
  for (std::size_t k = 0; k < flags.pose_files.size(); ++k) job.poses[k].pose_file = flags.pose_files[k];
  if (Status good = parse_methods(flags.methods, job.stacks); !good) return good.error();
  const Result<NormalMode> normals = parse_normal_mode(flags.normals);
  if (!normals) return normals.error();
  job.normals = *normals;
  const Result<View> view = parse_view(flags.view);
  if (!view) return view.error();
  job.view = *view;
  if (flags.turn_deg) job.view.turn = radians_from_degrees(*flags.turn_deg);
  if (flags.lift_deg) job.view.lift = radians_from_degrees(*flags.lift_deg);
  if (Status good = parse_size(flags.size, job); !good) return good.error();
  if (!flags.heat.empty()) {
    const Result<HeatMap> heat = parse_heat_map(flags.heat);
    if (!heat) return heat.error();
    job.heat = *heat;
    job.heat.max = flags.heat_max;
  }
  if (flags.turntable) {
    job.motion = RenderMotion::turntable;
    job.seconds = *flags.turntable;
  } else if (flags.is_film) {
    job.motion = RenderMotion::clip;
  }
  if (flags.fps && job.motion == RenderMotion::none)
    return Error{Errc::usage, "--fps is for films; add --turntable or --film"};
  job.fps = flags.fps.value_or(job.fps);
  job.has_ground = !flags.has_no_ground;
  job.has_textures = !flags.is_bare;
  job.run = run_options(flags.common);
  return job;
}

}  // namespace

Verb add_render(CLI::App& app) {
  const auto flags = std::make_shared<RenderFlags>();
  Verb verb = make_verb(app, "render", "pictures without a screen or a GPU",
                        "render hero.glb --clip walk --moments 3 --method lbs --method dqs -o sheet.png\n"
                        "  dermis render hero.glb --clip walk --film -o walk.mp4",
                        flags);
  verb.app->add_option("CHARACTER", flags->job.input, kAnyFile)->required();
  verb.app
      ->add_option("-o,--output", flags->job.output, ".png or .jpg; of films .mp4 or numbered: turn_####.png")
      ->required();
  add_render_poses(*verb.app, *flags);
  add_render_looks(*verb.app, *flags);
  add_render_motion(*verb.app, *flags);
  verb.run = [flags] {
    const Result<RenderJob> job = render_job(*flags);
    if (!job) return report_error("render", flags->common, job.error());
    return finish("render", flags->common, render_character(*job));
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
  Verb verb = make_verb(app, "demo", "make the built-in humanoid, pose it with every method and write it",
                        "demo -o demo-out", options);
  verb.app->add_option("-o,--output", options->job.folder, "folder for the results")->capture_default_str();
  verb.app->add_option("--points", options->job.points, "about how many points the humanoid has")
      ->check(from_to(1000, 1000000))
      ->capture_default_str();
  verb.app
      ->add_option("--method", options->methods,
                   "only with this stack, instead of every method; as often as needed: " + method_help())
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

Verb add_bench(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("bench", "the standard work beside a naive loop and the memory limit");
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
                 "the program dermis_bench is not beside this one; build it with DERMIS_BENCH=ON"});
          }};
}

}  // namespace dermis::cli
