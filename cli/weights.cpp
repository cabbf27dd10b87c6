// SPDX-License-Identifier: MIT
// The verb weights: one operation for each subcommand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "verb.h"

namespace dermis::cli {
namespace {

// The options of all operations; each adds those it reads.
struct Options {
  Common common;
  WeightsJob job;
  std::string format;
  // Of single operations.
  int max_influences = 4;
  double threshold = 0.01, strength = SmoothOptions{}.strength, factor = 0.5;
  double max_distance = 5, max_angle_deg = 30;
  int iterations = SmoothOptions{}.iterations, levels = 1;
  std::string laplacian = "cotangent", direction = "left-to-right";
  std::string other, map_file, into;
  std::vector<std::string> from, map, shells, regions;
  bool is_flat = false;
};

// An operation under `dermis weights`.
struct Operation {
  CLI::App* app = nullptr;
  std::shared_ptr<Options> options;
  std::function<int()> run;
};

constexpr const char* kCharacter =
    "a character with a skin: .glb, .gltf, .fbx and everything 'dermis formats' lists";

Operation add_operation(CLI::App& app, const char* name, const char* summary, const std::string& example) {
  Operation operation;
  operation.options = std::make_shared<Options>();
  operation.app = app.add_subcommand(name, summary);
  operation.app->footer(fmt::format("Example:\n  dermis weights {}", example));
  operation.options->common.verb = "weights";
  add_common(*operation.app, operation.options->common);
  return operation;
}

void add_file(Operation& operation, const char* what = kCharacter) {
  operation.app->add_option("FILE", operation.options->job.input, what)->required();
}

void add_output(Operation& operation) {
  operation.app->add_option("-o,--output", operation.options->job.output, ".glb or .gltf")->required();
  operation.app->add_option("--weights", operation.options->format, "rewrite all weights as u8, u16 or float")
      ->check(CLI::IsMember({"u8", "u16", "float"}));
}

void add_meshes(Operation& operation) {
  operation.app
      ->add_option("--mesh", operation.options->job.meshes,
                   "only this mesh, by name or number (#2); repeatable (default: all with a skin)")
      ->take_all()
      ->allow_extra_args(false);
}

// Options for operations that change some points and leave the others.
void add_selection(Operation& operation) {
  Options& options = *operation.options;
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* type,
                       const char* what) {
    operation.app->add_option(name, values, what)->type_name(type)->take_all()->allow_extra_args(false);
  };
  add_meshes(operation);
  add("--joint", options.job.joints, "NAME", "only points that follow this joint; repeatable");
  add("--shell", options.shells, "[MESH:]N",
      "only this connected piece of a mesh, numbered from 0 by its lowest point; repeatable");
  add("--region", options.regions, "REGION",
      "only points inside, at rest, in the file's units: box:X,Y,Z,X,Y,Z (two corners), sphere:X,Y,Z,RADIUS "
      "or "
      "geodesic:X,Y,Z,DISTANCE (along the surface from the nearest point); repeatable");
  operation.app->add_flag("--rigid", options.job.makes_rigid,
                          "afterwards let every shell that is selected whole follow one joint");
}

void add_locks(Operation& operation) {
  operation.app->add_option("--lock", operation.options->job.locked,
                            "joints that keep their weights exactly");
}

// ---- Selections -----------------------------------------------------------------------------------------

// "1,2.5,-3" as finite numbers, if there are `count` of them.
std::optional<std::vector<double>> numbers_in(const std::string& text, std::size_t count) {
  std::vector<double> numbers;
  for (const std::string& word : CLI::detail::split(text, ',')) {
    double number = 0;
    if (!CLI::detail::lexical_cast(word, number) || !std::isfinite(number)) return std::nullopt;
    numbers.push_back(number);
  }
  if (numbers.size() != count) return std::nullopt;
  return numbers;
}

Result<WeightsRegion> region_of(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon < text.size() ? text.substr(colon + 1) : std::string();
  const std::optional<std::vector<double>> n = numbers_in(rest, kind == "box" ? 6 : 4);
  if (n && kind == "box")
    return WeightsRegion{BoxRegion{{(*n)[0], (*n)[1], (*n)[2]}, {(*n)[3], (*n)[4], (*n)[5]}}};
  if (n && (*n)[3] >= 0 && kind == "sphere")
    return WeightsRegion{SphereRegion{{(*n)[0], (*n)[1], (*n)[2]}, (*n)[3]}};
  if (n && (*n)[3] >= 0 && kind == "geodesic")
    return WeightsRegion{GeodesicRegion{{(*n)[0], (*n)[1], (*n)[2]}, (*n)[3]}};
  return Error{Errc::usage, fmt::format("--region '{}': write box:X,Y,Z,X,Y,Z, sphere:X,Y,Z,RADIUS or "
                                        "geodesic:X,Y,Z,DISTANCE, as in sphere:0,1.6,0,0.1",
                                        text)};
}

// The words of the command line as a typed selection.
Status read_selection(const Options& options, WeightsSelection& selection) {
  for (const std::string& text : options.regions) {
    Result<WeightsRegion> region = region_of(text);
    if (!region) return region.error();
    selection.regions.push_back(*region);
  }
  for (const std::string& text : options.shells) {
    Result<ShellChoice> shell = shell_of("--shell", text);
    if (!shell) return shell.error();
    selection.shells.push_back(std::move(*shell));
  }
  return Done{};
}

void add_map(Operation& operation, const char* what) {
  operation.app->add_option("--map", operation.options->map, what)->take_all()->allow_extra_args(false);
  operation.app->add_option("--map-file", operation.options->map_file, "the same from a file, one per line");
}

// "A=B" words and the lines of the file.
Result<JointMap> joint_map(const Options& options) {
  JointMap map;
  for (const std::string& word : options.map) {
    const std::size_t cut = word.find('=');
    if (cut == std::string::npos || cut == 0 || cut + 1 == word.size())
      return Error{Errc::usage, fmt::format("--map: '{}' is not JOINT=JOINT", word)};
    map.emplace_back(word.substr(0, cut), word.substr(cut + 1));
  }
  if (!options.map_file.empty()) {
    Result<JointMap> more = load_joint_map(options.map_file);
    if (!more) return more.error();
    map.insert(map.end(), more->begin(), more->end());
  }
  if (map.empty()) return Error{Errc::usage, "which joint becomes which? give --map A=B or --map-file FILE"};
  return map;
}

// Sets what the operation does: `work` runs a complete job and returns its report.
template <class Work>
Operation with_work(Operation operation, const Work& work) {
  const std::shared_ptr<Options> options = operation.options;
  operation.run = [options, work] {
    WeightsJob& job = options->job;
    job.run = run_options(options->common);
    if (options->format == "u8") job.save.weights = WeightFormat::unorm8;
    if (options->format == "u16") job.save.weights = WeightFormat::unorm16;
    if (options->format == "float") job.save.weights = WeightFormat::float32;
    if (Status read = read_selection(*options, job); !read)
      return report_error("weights", options->common, read.error());
    return finish_judged("weights", options->common, Result<WeightsReport>(work(*options)));
  };
  return operation;
}

Operation add_normalize(CLI::App& app) {
  Operation op = add_operation(app, "normalize", "write the weights as repaired on loading",
                               "normalize hero.glb -o normalized.glb");
  add_file(op);
  add_output(op);
  return with_work(op, [](const Options& o) { return normalize_weights(o.job); });
}

Operation add_limit(CLI::App& app) {
  Operation op =
      add_operation(app, "limit", "at most N joints per point, refitted so that posed points move least",
                    "limit hero.glb --max-influences 4 -o four.glb");
  add_file(op);
  op.app->add_option("--max-influences", op.options->max_influences, "joints a point may follow")
      ->check(from_to(1, 256))
      ->capture_default_str();
  add_output(op);
  add_selection(op);
  add_locks(op);
  return with_work(op, [](const Options& o) { return limit_weights(o.job, o.max_influences); });
}

Operation add_rigid(CLI::App& app) {
  Operation op = add_operation(app, "rigid", "let shells follow one joint each, so that they do not bend",
                               "rigid knight.glb --shell belt:3 -o stiff.glb");
  add_file(op);
  add_output(op);
  add_selection(op);
  add_locks(op);
  return with_work(op, [](const Options& o) { return rigid_weights(o.job); });
}

Operation add_prune(CLI::App& app) {
  Operation op = add_operation(app, "prune", "drop weights below a threshold, and normalise the rest",
                               "prune hero.glb --threshold 0.01 -o pruned.glb");
  add_file(op);
  op.app->add_option("--threshold", op.options->threshold, "weights below this are dropped; 0 to 1")
      ->check(from_to(0, 1))
      ->capture_default_str();
  add_output(op);
  add_selection(op);
  add_locks(op);
  return with_work(op, [](const Options& o) { return prune_weights(o.job, o.threshold); });
}

Operation add_smooth(CLI::App& app) {
  Operation op = add_operation(app, "smooth", "smooth weights along the surface, seams included",
                               "smooth hero.glb --iterations 10 --lock head jaw -o smooth.glb");
  add_file(op);
  op.app
      ->add_option("--strength", op.options->strength, "how far a point moves towards its neighbours, 0 to 1")
      ->check(from_to(0, 1))
      ->capture_default_str();
  op.app->add_option("--iterations", op.options->iterations, "number of steps")
      ->check(from_to(0, 1000))
      ->capture_default_str();
  op.app->add_option("--laplacian", op.options->laplacian, "weighting of neighbours: cotangent or uniform")
      ->check(CLI::IsMember({"cotangent", "uniform"}))
      ->capture_default_str();
  add_output(op);
  add_selection(op);
  add_locks(op);
  return with_work(op, [](const Options& o) {
    SmoothOptions smooth;
    smooth.strength = o.strength;
    smooth.iterations = o.iterations;
    smooth.is_cotangent = o.laplacian == "cotangent";
    return smooth_weights(o.job, smooth);
  });
}

Operation add_mirror(CLI::App& app) {
  Operation op = add_operation(app, "mirror", "give one side the weights of the other",
                               "mirror hero.glb --direction left-to-right -o even.glb");
  add_file(op);
  op.app->add_option("--direction", op.options->direction, "left-to-right or right-to-left, of the character")
      ->check(CLI::IsMember({"left-to-right", "right-to-left"}))
      ->capture_default_str();
  add_output(op);
  add_selection(op);
  add_locks(op);
  return with_work(op, [](const Options& o) {
    return mirror_weights(o.job, o.direction == "left-to-right" ? MirrorDirection::left_to_right
                                                                : MirrorDirection::right_to_left);
  });
}

Operation add_transfer(CLI::App& app) {
  Operation op =
      add_operation(app, "transfer", "transfer weights from one mesh to another, such as a garment",
                    "transfer body.glb coat.obj -o coat.glb");
  op.app->add_option("SOURCE", op.options->other, kCharacter)->required();
  add_file(op, "the file that takes the weights; without a skeleton it gets that of SOURCE");
  op.app
      ->add_option("--max-distance", op.options->max_distance,
                   "how far apart matching points may be, in % of the size of FILE")
      ->check(above_zero())
      ->capture_default_str();
  op.app->add_option("--max-angle-deg", op.options->max_angle_deg, "largest angle between matching normals")
      ->check(from_to(0.001, 180))
      ->capture_default_str();
  op.app->add_option("--from", op.options->from, "only these meshes of SOURCE give weights")
      ->take_all()
      ->allow_extra_args(false);
  add_output(op);
  add_accept_option(*op.app, op.options->job.accepts_doubts);
  add_locks(op);
  add_selection(op);
  return with_work(op, [](const Options& o) {
    return transfer_weights(o.job, o.other, o.from,
                            {o.max_distance / 100, radians_from_degrees(o.max_angle_deg)});
  });
}

Operation add_subdivide(CLI::App& app) {
  Operation op = add_operation(app, "subdivide", "make a finer mesh, with weights and all other data",
                               "subdivide hero.glb --levels 1 -o fine.glb");
  add_file(op);
  op.app
      ->add_option("--levels", op.options->levels,
                   "number of subdivisions; each gives about four times as many points")
      ->check(from_to(1, 4))
      ->capture_default_str();
  op.app->add_flag("--flat", op.options->is_flat, "new points on edges, old ones stay (default: smooth)");
  add_output(op);
  add_meshes(op);
  return with_work(op, [](const Options& o) { return subdivide_weights(o.job, {o.levels, o.is_flat}); });
}

Operation add_merge(CLI::App& app) {
  Operation op = add_operation(app, "merge", "add the weights of joints to another joint",
                               "merge hero.glb --from twist_L --into forearm_L -o merged.glb");
  add_file(op);
  op.app->add_option("--from", op.options->from, "a joint that gives its weights away; repeatable")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  op.app->add_option("--into", op.options->into, "the joint that takes them")->required();
  add_output(op);
  add_selection(op);
  add_locks(op);
  return with_work(op, [](const Options& o) {
    JointMap map;
    for (const std::string& joint : o.from) map.emplace_back(joint, o.into);
    return remap_weights(o.job, map, "merge");
  });
}

Operation add_remap(CLI::App& app) {
  Operation op = add_operation(app, "remap", "move weights from joint to joint, all at once",
                               "remap hero.glb --map hand_L=hand_R --map hand_R=hand_L -o swapped.glb");
  add_file(op);
  add_map(op, "A=B: the weights of A go to B; repeatable");
  add_output(op);
  add_selection(op);
  add_locks(op);
  return with_work(op, [](const Options& o) -> Result<WeightsReport> {
    const Result<JointMap> map = joint_map(o);
    if (!map) return map.error();
    return remap_weights(o.job, *map, "remap");
  });
}

Operation add_rename(CLI::App& app) {
  Operation op = add_operation(app, "rename", "rename joints; weights stay",
                               "rename hero.glb --map Bone.003=hand_L -o named.glb");
  add_file(op);
  add_map(op, "A=B: joint A is renamed B; repeatable");
  op.app->add_option("-o,--output", op.options->job.output, ".glb or .gltf")->required();
  return with_work(op, [](const Options& o) -> Result<WeightsReport> {
    const Result<JointMap> map = joint_map(o);
    if (!map) return map.error();
    return rename_joints(o.job, *map);
  });
}

Operation add_blend(CLI::App& app) {
  Operation op = add_operation(app, "blend", "mix two sets of weights; joints are matched by name",
                               "blend hero.glb painted.glb --factor 0.5 -o mixed.glb");
  add_file(op);
  op.app->add_option("OTHER", op.options->other, "a character or a table (.csv, .json) with the same points")
      ->required();
  op.app->add_option("--factor", op.options->factor, "0: as in FILE, 1: as in OTHER")
      ->check(from_to(0, 1))
      ->capture_default_str();
  add_output(op);
  add_selection(op);
  add_locks(op);
  return with_work(op, [](const Options& o) { return blend_weights(o.job, o.other, o.factor); });
}

Operation add_export(CLI::App& app) {
  Operation op = add_operation(app, "export", "write weights as a table", "export hero.glb -o hero.csv");
  add_file(op);
  op.app->add_option("-o,--output", op.options->job.output, ".csv, .json or skeleton.out")->required();
  add_meshes(op);
  return with_work(op, [](const Options& o) { return export_weights(o.job); });
}

Operation add_import(CLI::App& app) {
  Operation op =
      add_operation(app, "import", "read weights from a table or another character with the same points",
                    "import hero.glb hero.csv -o edited.glb");
  add_file(op);
  op.app->add_option("TABLE", op.options->other, ".csv, .json, skeleton.out or a character")->required();
  add_output(op);
  add_selection(op);
  add_locks(op);
  return with_work(op, [](const Options& o) { return import_weights(o.job, o.other); });
}

Operation add_diff(CLI::App& app) {
  Operation op = add_operation(app, "diff", "where two sets of weights differ", "diff hero.glb painted.glb");
  add_file(op);
  op.app->add_option("OTHER", op.options->other, "a character or a table (.csv, .json) with the same points")
      ->required();
  add_meshes(op);
  return with_work(op, [](const Options& o) { return diff_weights(o.job, o.other); });
}

}  // namespace

Verb add_weights(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("weights", "change, transfer, compare and exchange weights");
  verb->require_subcommand(1);
  verb->footer(
      "Example:\n  dermis weights limit hero.glb --max-influences 4 -o four.glb\n"
      "Each operation has its own help: dermis weights limit --help");
  const std::vector<Operation> operations = {
      add_normalize(*verb), add_limit(*verb),    add_prune(*verb),     add_smooth(*verb), add_rigid(*verb),
      add_mirror(*verb),    add_transfer(*verb), add_subdivide(*verb), add_merge(*verb),  add_remap(*verb),
      add_rename(*verb),    add_blend(*verb),    add_export(*verb),    add_import(*verb), add_diff(*verb)};
  return {verb, [operations] {
            for (const Operation& operation : operations) {
              if (operation.app->parsed()) return operation.run();
            }
            return static_cast<int>(kUsage);
          }};
}

}  // namespace dermis::cli
