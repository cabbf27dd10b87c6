// SPDX-License-Identifier: MIT
// The verb render: its many options, and the job they become.
#include <algorithm>
#include <cstdio>

#include "verb.h"

namespace dermis::cli {
namespace {

// The options of render, as typed.
struct RenderFlags {
  Common common;
  RenderJob job;
  PoseOptions pose;
  std::vector<double> times;
  std::vector<std::string> pose_files, methods;
  std::string normals, view = "quarter", heat, size;
  std::optional<double> turn_deg, lift_deg, heat_max, turntable, fps;
  std::vector<std::string> files;
  bool is_film = false, is_bare = false, has_no_ground = false;
  StackFlags stack;
};

void add_render_poses(CLI::App& app, RenderFlags& flags) {
  add_pose_options(app, flags.pose);
  app.add_option("--times", flags.times, "several times of the clip, one picture or row each: 0,0.5,1")
      ->delimiter(',')
      ->needs("--clip")
      ->excludes("--time");
  app.add_option("--moments", flags.job.moments,
                 "N times of the clip, evenly from first to last; for a loop without its end")
      ->check(from_to(1, 64))
      ->needs("--clip")
      ->excludes("--time")
      ->excludes("--times");
  app.add_option("--poses", flags.pose_files, "several pose files, one picture or row each: a.json,b.json")
      ->delimiter(',')
      ->excludes("--pose")
      ->excludes("--times")
      ->excludes("--moments");
  app.add_option("--method", flags.methods,
                 "repeatable, one picture or column each, or 'all': " + method_help())
      ->take_all()
      ->allow_extra_args(false);
  add_stack_options(app, flags.stack);
  app.add_option("--normals", flags.normals, std::string(kNormalsHelp) + " (default exact)");
}

void add_render_looks(CLI::App& app, RenderFlags& flags) {
  app.add_flag("--beside", flags.job.is_beside,
               "several files stand in a row, with their names (default: where they are)");
  app.add_option("--view", flags.view, "front, back, left, right, top or quarter")->capture_default_str();
  app.add_option("--turn-deg", flags.turn_deg,
                 "camera angle around the vertical, degrees from the front, in place of that of --view");
  app.add_option("--lift-deg", flags.lift_deg,
                 "camera angle above the horizon, degrees, in place of that of --view")
      ->check(from_to(-89, 89));
  app.add_option("--focus", flags.job.focus,
                 "fill the picture with a joint and what follows it nearby, or with a mesh; films follow the "
                 "joint");
  app.add_option("--zoom", flags.job.zoom, "show what is in the middle F times as large")
      ->type_name("F")
      ->check(from_to(0.01, 1000));
  app.add_option("--size", flags.size, "size of one picture, as 1280x960");
  app.add_option("--columns", flags.job.columns,
                 "pictures per row of a sheet (default: such that it has the shape of a screen)")
      ->check(from_to(1, 64));
  app.add_option("--samples", flags.job.samples, "rays per pixel (default 16, for films 4)")
      ->check(from_to(1, 1024));
  app.add_flag("--wireframe", flags.job.has_wireframe, "draw polygon edges on the surface");
  app.add_flag("--joints", flags.job.has_joints,
               "draw joints, seen through the surface (always drawn if there is none)");
  app.add_flag("--no-ground", flags.has_no_ground, "no floor");
  app.add_flag("--no-textures", flags.is_bare, "material colours only");
  app.add_option("--heat", flags.heat,
                 "colours show a quantity: weight=JOINT, strain (of edges, relative to rest), error=METHOD "
                 "or error=FILE");
  app.add_option("--heat-max", flags.heat_max,
                 "value of the last colour: a weight, % of strain or % of the size (default: 1 for weights, "
                 "else the largest in the picture; films of a clip by strain or error need it, so that "
                 "colours mean the same in every frame)")
      ->check(above_zero())
      ->needs("--heat");
}

void add_render_motion(CLI::App& app, RenderFlags& flags) {
  app.add_option("--turntable", flags.turntable, "a film of one turn, lasting this many seconds")
      ->check(above_zero())
      ->excludes("--times")
      ->excludes("--moments");
  app.add_flag("--film", flags.is_film, "a film of the whole clip")
      ->needs("--clip")
      ->excludes("--time")
      ->excludes("--times")
      ->excludes("--moments")
      ->excludes("--turntable");
  app.add_option("--fps", flags.fps, "frames per second of a film (default 24)")->check(from_to(0.1, 240));
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
  job.input = flags.files.front();
  job.others.assign(flags.files.begin() + 1, flags.files.end());
  const Result<PoseChoice> pose = pose_choice(flags.pose);
  if (!pose) return pose.error();
  job.poses.assign(std::max({flags.times.size(), flags.pose_files.size(), std::size_t{1}}), *pose);
  for (std::size_t k = 0; k < flags.times.size(); ++k) job.poses[k].time = flags.times[k];
  for (std::size_t k = 0; k < flags.pose_files.size(); ++k) job.poses[k].pose_file = flags.pose_files[k];
  if (Status good = parse_methods(flags.methods, job.stacks); !good) return good.error();
  if (!flags.normals.empty()) {
    const Result<NormalMode> normals = parse_normal_mode(flags.normals);
    if (!normals) return normals.error();
    job.normals = *normals;
  }
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
  job.adds_rest_stages = !flags.stack.has_no_rest_stages;
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
  verb.app->add_option("FILES", flags->files, std::string(kAnyFile) + "; several make up one scene")
      ->required();
  verb.app
      ->add_option("-o,--output", flags->job.output,
                   ".png or .jpg; for films .mp4 or numbered: turn_####.png")
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

}  // namespace dermis::cli
