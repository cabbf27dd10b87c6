// SPDX-License-Identifier: MIT
// The verb shapes: one operation for each subcommand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "verb.h"

namespace dermis::cli {
namespace {

// The options of all operations; each adds those it reads.
struct ShapesOptions {
  Common common;
  ShapesJob job;
  SaveFlags save;
  std::vector<std::string> pairs, shapes, source_meshes;  // pairs: NAME=VALUE
  std::vector<std::string> in_betweens, combinations;
  std::optional<float> low, high;
  std::string other, into, point_pairs, form;
  PoseOptions pose;
  StackFlags stack;
  CorrectiveRequest corrective;
  std::string method = "lbs", kernel, distance;
  std::vector<float> axis;
  double radius_deg = 0;
  bool is_per_point = false, is_normalised = false;
  bool is_to_rest = false, deforms = false, clears = false, is_double = false;
  double tolerance = SculptOptions{}.tolerance, clean_tolerance = 1e-4, falloff = 0.05;
};

struct ShapesOperation {
  CLI::App* app = nullptr;
  std::shared_ptr<ShapesOptions> options;
  std::function<int()> run;
};

ShapesOperation begin_operation(CLI::App& app, const char* name, const char* summary,
                                const std::string& example) {
  ShapesOperation op;
  op.options = std::make_shared<ShapesOptions>();
  op.app = app.add_subcommand(name, summary);
  op.app->footer(fmt::format("Example:\n  dermis shapes {}", example));
  op.options->common.verb = "shapes";
  add_common(*op.app, op.options->common);
  op.app
      ->add_option("FILE", op.options->job.input,
                   "a character or a mesh: .glb, .gltf, .fbx and everything 'dermis formats' lists")
      ->required();
  op.app
      ->add_option("--mesh", op.options->job.meshes,
                   "only this mesh, by name or number (#2); repeatable (default: all)")
      ->take_all()
      ->allow_extra_args(false);
  return op;
}

void add_shape_output(ShapesOperation& op) {
  op.app->add_option("-o,--output", op.options->job.output, ".glb or .gltf")->required();
  add_save_options(*op.app, op.options->save);
}

void add_patterns(ShapesOperation& op, bool is_required = true) {
  CLI::Option* option =
      op.app->add_option("--shape", op.options->shapes,
                         "a shape by name; * stands for any letters, as in 'smile_*'; repeatable");
  option->take_all()->allow_extra_args(false);
  if (is_required) option->required();
}

// NAME=VALUE into its two parts.
Result<ShapeNames> name_pairs(const std::vector<std::string>& texts, const char* what) {
  ShapeNames names;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      return Error{Errc::usage, fmt::format("'{}': write it as {}", text, what)};
    names.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return names;
}

// NAME=NUMBER into its two parts.
Result<std::vector<NamedValue>> named_numbers(const std::vector<std::string>& texts, const char* flag,
                                              const char* what) {
  const Result<ShapeNames> words = name_pairs(texts, what);
  if (!words) return words.error();
  std::vector<NamedValue> values;
  for (const auto& [name, word] : *words) {
    float value = 0;
    if (!CLI::detail::lexical_cast(word, value) || !std::isfinite(value))
      return Error{Errc::usage, fmt::format("{} '{}={}': the weight must be a number", flag, name, word)};
    values.push_back({name, value});
  }
  return values;
}

// NAME=A*B into its parts.
Result<std::vector<SetShapesRequest::Combination>> combinations_of(const std::vector<std::string>& texts) {
  const Result<ShapeNames> words = name_pairs(texts, "NAME=SHAPE*SHAPE, as in smile_blink=smile*blink");
  if (!words) return words.error();
  std::vector<SetShapesRequest::Combination> combinations;
  for (const auto& [name, product] : *words) {
    SetShapesRequest::Combination& one = combinations.emplace_back();
    one.shape = name;
    for (std::size_t begin = 0; begin <= product.size();) {
      const std::size_t end = std::min(product.find('*', begin), product.size());
      one.factors.push_back(product.substr(begin, end - begin));
      if (one.factors.back().empty())
        return Error{Errc::usage, fmt::format("--combine '{}={}': a factor is empty", name, product)};
      begin = end + 1;
    }
    if (one.factors.size() < 2)
      return Error{Errc::usage,
                   fmt::format("--combine '{}={}': a combination has two shapes or more", name, product)};
  }
  return combinations;
}

void add_form(ShapesOperation& op, const char* help) {
  op.app->add_option("--form", op.options->form, help)->check(CLI::IsMember({"whole", "displacement"}));
}
std::optional<ShapeForm> form_of(const std::string& word) {
  if (word.empty()) return std::nullopt;
  return word == "whole" ? ShapeForm::whole : ShapeForm::displacement;
}

template <class Work>
ShapesOperation with_shapes_work(ShapesOperation op, const Work& work) {
  op.run = [options = op.options, work] {
    options->job.run = run_options(options->common);
    options->job.save = save_options(options->save);
    return finish_judged("shapes", options->common, work(*options));
  };
  return op;
}

ShapesOperation offer_list(CLI::App& app) {
  ShapesOperation op =
      begin_operation(app, "list", "which shapes there are, and what they move", "list face.glb");
  return with_shapes_work(op, [](const ShapesOptions& o) { return list_shapes(o.job); });
}

ShapesOperation offer_add(CLI::App& app) {
  ShapesOperation op =
      begin_operation(app, "add", "sculpted meshes become shapes, or replace those of their names",
                      "add hero.glb smile=smile.obj frown=frown.obj -o face.glb");
  op.app
      ->add_option("SCULPTS", op.options->pairs,
                   "NAME=FILE: the mesh, sculpted; points and polygons in its order")
      ->required();
  op.app
      ->add_option("--tolerance", op.options->tolerance,
                   "points that move less than this fraction of the size are not stored")
      ->check(zero_or_more())
      ->capture_default_str();
  add_accept_option(*op.app, op.options->job.accepts_doubts);
  add_shape_output(op);
  return with_shapes_work(op, [](const ShapesOptions& o) -> Result<ShapesReport> {
    const Result<ShapeNames> sculpts = name_pairs(o.pairs, "NAME=FILE, as in smile=smile.obj");
    if (!sculpts) return sculpts.error();
    return add_shapes(o.job, *sculpts, {o.tolerance});
  });
}

void add_space_options(ShapesOperation& op) {
  ShapesOptions& o = *op.options;
  op.app
      ->add_option("--joints", o.corrective.joints,
                   "joints whose rotations decide, a,b (default: those that the pose turns)")
      ->delimiter(',');
  op.app->add_option("--space", o.corrective.space,
                     "the pose space, by name (default: the one of these joints, or a new one)");
  op.app->add_option("--kernel", o.kernel,
                     "of the space: how weights fall with distance: linear, gaussian or thin_plate (new: "
                     "linear)");
  op.app->add_option(
      "--distance", o.distance,
      "of the space: rotation, swing (where --axis points) or twist (about it) (new: rotation)");
  op.app->add_option("--axis", o.axis, "x y z in the joints' own frames, for swing and twist (new: 0 1 0)")
      ->expected(3);
  op.app->add_flag("--per-point", o.is_per_point,
                   "of the space: each point measures by the joints that it follows");
  op.app->add_flag("--normalised", o.is_normalised, "of the space: weights never sum to more than one");
  op.app
      ->add_option("--radius", o.radius_deg,
                   "degrees over which the corrective fades (default: to the nearest other example)")
      ->check(zero_or_more());
  op.app->add_flag("--mirror", o.corrective.adds_mirror_image,
                   "add the mirror image too, under the name of the other side");
  op.app->add_option("--strength", o.corrective.strength, "its weight at its own pose")
      ->capture_default_str();
}

Result<CorrectiveRequest> corrective_request(const ShapesOptions& o) {
  CorrectiveRequest how = o.corrective;
  Result<DeformOptions> deform = deform_options(o.method, o.stack);
  if (!deform) return deform.error();
  how.deform = std::move(*deform);
  how.radius = radians_from_degrees(o.radius_deg);
  how.tolerance = o.tolerance;
  if (!std::isfinite(how.strength)) return Error{Errc::usage, "--strength must be a finite number"};
  if (!o.kernel.empty()) {
    const Result<PoseKernel> kernel = parse_pose_kernel(o.kernel);
    if (!kernel) return kernel.error();
    how.kernel = *kernel;
  }
  if (!o.distance.empty()) {
    const Result<PoseDistance> distance = parse_pose_distance(o.distance);
    if (!distance) return distance.error();
    how.distance = *distance;
  }
  if (!o.axis.empty()) {
    const Vec3d axis(Vec3{o.axis[0], o.axis[1], o.axis[2]});
    if (!is_finite(axis) || !(length(axis) > 0))
      return Error{Errc::usage, "--axis must be three numbers that are not all zero"};
    how.axis = Vec3(normalized(axis));
  }
  if (o.is_per_point) how.is_per_point = true;
  if (o.is_normalised) how.is_normalised = true;
  return how;
}

ShapesOperation offer_correct(CLI::App& app) {
  ShapesOperation op = begin_operation(
      app, "correct", "a sculpt of a posed character becomes the corrective of that pose",
      "correct hero.glb --pose bent.json --sculpt bent.obj --joints elbow_L -o corrected.glb");
  op.app
      ->add_option("--sculpt", op.options->other,
                   "the posed mesh, sculpted: as deform writes it, in world space")
      ->required();
  add_pose_options(*op.app, op.options->pose);
  op.app->add_option("--name", op.options->corrective.name,
                     "of the corrective; one of that name is replaced (default: that of the sculpt's file)");
  add_space_options(op);
  op.app->add_option("--method", op.options->method, method_help())->capture_default_str();
  add_stage_options(*op.app, op.options->stack);
  op.app
      ->add_option("--tolerance", op.options->tolerance,
                   "points that move less than this fraction of the size are not stored")
      ->check(zero_or_more())
      ->capture_default_str();
  add_accept_option(*op.app, op.options->job.accepts_doubts);
  add_shape_output(op);
  return with_shapes_work(op, [](const ShapesOptions& o) -> Result<ShapesReport> {
    const Result<PoseChoice> pose = pose_choice(o.pose);
    if (!pose) return pose.error();
    if (pose->is_rest())
      return Error{Errc::usage, "say which pose was sculpted: --pose FILE, or --clip NAME --time SECONDS"};
    const Result<CorrectiveRequest> how = corrective_request(o);
    if (!how) return how.error();
    return correct_shape(o.job, o.other, *pose, *how);
  });
}

ShapesOperation offer_poses(CLI::App& app) {
  ShapesOperation op = begin_operation(app, "poses", "the correctives, with their weights in a pose",
                                       "poses corrected.glb --pose bent.json");
  add_pose_options(*op.app, op.options->pose);
  return with_shapes_work(op, [](const ShapesOptions& o) -> Result<ShapesReport> {
    const Result<PoseChoice> pose = pose_choice(o.pose);
    if (!pose) return pose.error();
    return list_correctives(o.job, *pose);
  });
}

ShapesOperation offer_remove(CLI::App& app) {
  ShapesOperation op =
      begin_operation(app, "remove", "leave shapes out", "remove face.glb --shape 'debug_*' -o clean.glb");
  add_patterns(op);
  add_shape_output(op);
  return with_shapes_work(op, [](const ShapesOptions& o) { return remove_shapes(o.job, o.shapes); });
}

ShapesOperation offer_rename(CLI::App& app) {
  ShapesOperation op = begin_operation(app, "rename", "give shapes other names",
                                       "rename face.glb --map smile_L=mouthSmileLeft -o named.glb");
  op.app->add_option("--map", op.options->pairs, "A=B: shape A is renamed B; repeatable")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  add_shape_output(op);
  return with_shapes_work(op, [](const ShapesOptions& o) -> Result<ShapesReport> {
    const Result<ShapeNames> names = name_pairs(o.pairs, "OLD=NEW, as in smile_L=mouthSmileLeft");
    if (!names) return names.error();
    return rename_shapes(o.job, *names);
  });
}

ShapesOperation offer_split(CLI::App& app) {
  ShapesOperation op = begin_operation(app, "split", "replace shapes by their left and right halves",
                                       "split face.glb --shape smile -o sides.glb");
  add_patterns(op);
  op.app
      ->add_option("--falloff", op.options->falloff,
                   "how far a half reaches to the other side, as a fraction of the mesh's width")
      ->check(CLI::Range(0.0, 0.5))
      ->capture_default_str();
  add_shape_output(op);
  return with_shapes_work(op,
                          [](const ShapesOptions& o) { return split_shapes(o.job, o.shapes, o.falloff); });
}

ShapesOperation offer_mirror(CLI::App& app) {
  ShapesOperation op = begin_operation(app, "mirror", "add the mirror images of one-sided shapes",
                                       "mirror face.glb --shape '*_L' -o both.glb");
  add_patterns(op);
  add_shape_output(op);
  return with_shapes_work(op, [](const ShapesOptions& o) { return mirror_shapes(o.job, o.shapes); });
}

ShapesOperation offer_bake(CLI::App& app) {
  ShapesOperation op =
      begin_operation(app, "bake", "a mix of shapes becomes a shape or the rest pose",
                      "bake face.glb --shape smile_L=0.5 --shape smile_R=0.5 --into grin -o grin.glb");
  op.app
      ->add_option("--shape", op.options->pairs,
                   "a shape and its weight, smile=0.5, any weight; * stands for any letters; repeatable")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  CLI::Option* into = op.app->add_option("--into", op.options->into, "the name of the shape that it becomes");
  op.app->add_flag("--to-rest", op.options->is_to_rest, "it becomes the rest pose")->excludes(into);
  add_shape_output(op);
  return with_shapes_work(op, [](const ShapesOptions& o) -> Result<ShapesReport> {
    if (o.into.empty() && !o.is_to_rest)
      return Error{Errc::usage, "say what the mix becomes: --into NAME, or --to-rest"};
    const Result<std::vector<NamedValue>> weights =
        named_numbers(o.pairs, "--shape", "NAME=WEIGHT, as in smile=0.5");
    if (!weights) return weights.error();
    return bake_shapes(o.job, *weights, o.into);
  });
}

ShapesOperation offer_clean(CLI::App& app) {
  ShapesOperation op = begin_operation(app, "clean", "leave out offsets that nobody sees",
                                       "clean face.glb --shape '*' --tolerance 0.0002 -o small.glb");
  add_patterns(op);
  op.app
      ->add_option("--tolerance", op.options->clean_tolerance, "the least offset, as a fraction of the size")
      ->check(zero_or_more())
      ->capture_default_str();
  add_shape_output(op);
  return with_shapes_work(
      op, [](const ShapesOptions& o) { return clean_shapes(o.job, o.shapes, o.clean_tolerance); });
}

ShapesOperation offer_transfer(CLI::App& app) {
  ShapesOperation op = begin_operation(app, "transfer", "shapes of another mesh, of any topology",
                                       "transfer head.glb face.glb -o head-with-shapes.glb");
  op.app->add_option("SOURCE", op.options->other, "the file whose shapes are carried over")->required();
  add_patterns(op, false);
  op.app
      ->add_option("--from", op.options->source_meshes,
                   "only this mesh of the source; repeatable (default: all)")
      ->take_all()
      ->allow_extra_args(false);
  op.app->add_option("--pairs", op.options->point_pairs,
                     "a text file of places that correspond, six numbers per line: source, target");
  op.app->add_flag("--deform", op.options->deforms,
                   "deformation transfer on the same topology too (default: the same offsets)");
  add_accept_option(*op.app, op.options->job.accepts_doubts);
  add_shape_output(op);
  return with_shapes_work(op, [](const ShapesOptions& o) {
    return transfer_shapes(o.job, o.other, {o.shapes, o.source_meshes, o.deforms, {}}, o.point_pairs);
  });
}

ShapesOperation offer_set(CLI::App& app) {
  ShapesOperation op =
      begin_operation(app, "set", "limits of weights, in-betweens and combinations",
                      "set face.glb --shape smile --low 0 --high 1 --in-between smile_half=0.5 "
                      "--combine smile_blink=smile*blink -o rules.glb");
  add_patterns(op, false);
  op.app->add_option("--low", op.options->low, "weights below this count as this");
  op.app->add_option("--high", op.options->high, "weights above this count as this");
  op.app
      ->add_option("--in-between", op.options->in_betweens,
                   "NAME=WEIGHT: a shape that is shown alone at that weight of --shape; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  op.app
      ->add_option("--combine", op.options->combinations,
                   "NAME=A*B: the weight of a shape is the product of others' weights; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  op.app->add_flag("--clear", op.options->clears, "first remove what --shape has of these");
  add_shape_output(op);
  return with_shapes_work(op, [](const ShapesOptions& o) -> Result<ShapesReport> {
    const Result<std::vector<NamedValue>> in_betweens =
        named_numbers(o.in_betweens, "--in-between", "NAME=WEIGHT, as in smile_half=0.5");
    if (!in_betweens) return in_betweens.error();
    const Result<std::vector<SetShapesRequest::Combination>> combinations = combinations_of(o.combinations);
    if (!combinations) return combinations.error();
    for (const std::optional<float>& limit : {o.low, o.high})
      if (limit && !std::isfinite(*limit)) return Error{Errc::usage, "a limit is a finite number"};
    return set_shapes(o.job, {o.shapes, o.low, o.high, *in_betweens, *combinations, o.clears});
  });
}

ShapesOperation offer_export(CLI::App& app) {
  ShapesOperation op = begin_operation(app, "export", "the shapes of a mesh as a matrix of numbers",
                                       "export face.glb --form whole -o shapes.npy");
  add_patterns(op, false);
  add_form(op, "whole: the neutral and whole shapes; displacement: differences from the neutral (default)");
  op.app->add_flag("--double", op.options->is_double, "64-bit numbers instead of 32-bit ones");
  op.app->add_option("-o,--output", op.options->job.output, ".npy (NumPy) or .csv")->required();
  return with_shapes_work(op, [](const ShapesOptions& o) {
    return export_shapes(o.job, o.shapes, form_of(o.form).value_or(ShapeForm::displacement),
                         o.is_double ? NumberWidth::float64 : NumberWidth::float32);
  });
}

ShapesOperation offer_import(CLI::App& app) {
  ShapesOperation op = begin_operation(app, "import", "the columns of a matrix become shapes",
                                       "import face.glb shapes.npy -o shaped.glb");
  op.app->add_option("MATRIX", op.options->other, ".npy (NumPy) or .csv, three rows for each point")
      ->required();
  add_form(
      op,
      "what the columns are: whole shapes or displacements (default: whole if the first is called neutral)");
  op.app
      ->add_option("--tolerance", op.options->tolerance,
                   "points that move less than this fraction of the size are not stored")
      ->check(zero_or_more())
      ->capture_default_str();
  add_shape_output(op);
  return with_shapes_work(op, [](const ShapesOptions& o) {
    return import_shapes(o.job, o.other, form_of(o.form), {o.tolerance});
  });
}

}  // namespace

Verb add_shapes(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("shapes", "add, split, mirror, mix and carry blend shapes");
  verb->require_subcommand(1);
  verb->footer(
      "Example:\n  dermis shapes add hero.glb smile=smile.obj -o face.glb\n"
      "Each operation has its own help: dermis shapes add --help");
  const std::vector<ShapesOperation> operations = {
      offer_list(*verb),     offer_add(*verb),    offer_remove(*verb), offer_rename(*verb),
      offer_split(*verb),    offer_mirror(*verb), offer_bake(*verb),   offer_clean(*verb),
      offer_transfer(*verb), offer_set(*verb),    offer_export(*verb), offer_import(*verb),
      offer_correct(*verb),  offer_poses(*verb)};
  return {verb, [operations] {
            for (const ShapesOperation& operation : operations) {
              if (operation.app->parsed()) return operation.run();
            }
            return static_cast<int>(kUsage);
          }};
}

}  // namespace dermis::cli
