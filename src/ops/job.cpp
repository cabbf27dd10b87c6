// SPDX-License-Identifier: MIT
// Checks and steps that several verbs share.
#include "ops/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "dermis/ops/methods.h"
#include "dermis/shapes.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

template <class Value>
std::uint64_t bytes_of(const std::vector<Value>& values) {
  return values.size() * sizeof(Value);
}
template <class Value>
std::uint64_t bytes_of(const Attribute<Value>& attribute) {
  return bytes_of(attribute.values) + bytes_of(attribute.corner_value);
}

// Memory of a copy of a mesh without weights yet.
std::uint64_t bytes_of(const Mesh& mesh) {
  std::uint64_t bytes = bytes_of(mesh.points) + bytes_of(mesh.weld) + bytes_of(mesh.polygons.corners) +
                        bytes_of(mesh.polygons.first) + bytes_of(mesh.normals) + bytes_of(mesh.tangents);
  for (const Attribute<Vec2>& uvs : mesh.uvs) bytes += bytes_of(uvs);
  for (const Attribute<Vec4>& colours : mesh.colours) bytes += bytes_of(colours);
  for (const Shape& shape : mesh.shapes)
    bytes +=
        bytes_of(shape.points) + bytes_of(shape.offsets) + bytes_of(shape.normals) + bytes_of(shape.tangents);
  return bytes;
}

// Seconds are easily mistaken for frames.
void note_held_key(const Clip& clip, double time, PosedCharacter& posed) {
  const auto start = static_cast<double>(clip.start()), end = static_cast<double>(clip.end());
  if (time >= start && time <= end) return;
  posed.notes.push_back(
      {Note::Kind::info, "time-outside-clip",
       fmt::format("clip {} runs from {:g} s to {:g} s; at {:g} s its {} key is used",
                   quoted_name(posed.clip), start, end, time, time < start ? "first" : "last")});
}

// Measured normals need no mode.
void note_measured_normals(Deformer& deformer) {
  const Stack& stack = deformer.options.stack;
  const NormalMode mode = deformer.options.normals;
  if (mode == NormalMode::shading || !measures_normals(stack) || !shows_skin(*deformer.character)) return;
  deformer.notes.push_back(
      {Note::Kind::info, "normals-measured",
       fmt::format("after {} normals are measured on the posed surface, so the mode {} has no effect",
                   name_of(stack), name_of(mode))});
}

}  // namespace

bool is_one_file(const std::string& a, const std::string& b) {
  std::error_code failed;
  return a == b || fs::equivalent(a, b, failed);
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:%@+#";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(word.begin(), word.end(), is_control)) {
    std::string escaped = "$'";
    for (const char c : word) {
      if (is_control(c))
        escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      else
        escaped += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    }
    return escaped + "'";
  }
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

Status check_output(const std::string& output, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& extensions, const RunOptions& run) {
  if (std::find(extensions.begin(), extensions.end(), extension_of(output)) == extensions.end()) {
    return Error{Errc::usage,
                 fmt::format("{}: cannot be written; use one of {}", output, fmt::join(extensions, ", "))};
  }
  // Side files are named after it, in formats that have a name on a line.
  if (std::any_of(output.begin(), output.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }))
    return Error{Errc::usage, fmt::format("{}: the name has a line break or another control character",
                                          quoted_name(output))};
  std::error_code failed;
  const fs::path folder = fs::path(output).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, failed)) {
    return Error{Errc::unreadable,
                 fmt::format("{}: there is no folder '{}'; create it first", output, folder.string())};
  }
  if (fs::is_directory(output, failed))
    return Error{Errc::unreadable, fmt::format("{}: is a folder; name a file in it", output)};
  for (const std::string& input : inputs) {
    if (!run.force && !input.empty() && fs::equivalent(input, output, failed)) {
      return Error{Errc::bad_argument, fmt::format("{}: is the input; use another name", output)}.with_remedy(
          "force");
    }
  }
  return Done{};
}

Status check_not_there(const std::vector<std::string>& files, const RunOptions& run) {
  std::error_code ignored;
  for (const std::string& file : files) {
    if (run.force || !fs::exists(fs::symlink_status(file, ignored))) continue;
    return Error{Errc::bad_argument,
                 fmt::format("{}: already exists and would be replaced; choose another folder", file)}
        .with_remedy("force");
  }
  return Done{};
}

Status check_save_options(const std::string& output, const SaveOptions& options) {
  const std::string extension = extension_of(output);
  if (options.weights || options.max_influences > 0) {
    const char* option = options.weights ? "without_weights" : "without_max_influences";
    if (is_still_file(output) || extension == ".bvh")
      return Error{Errc::usage, fmt::format("{}: this format stores no weights", output)}.with_remedy(option);
    if (extension == ".out")
      return Error{Errc::usage, fmt::format("{}: listings store every weight in full", output)}.with_remedy(
          option);
  }
  if (options.ascii && extension != ".ply")
    return Error{Errc::usage, fmt::format("{}: text in place of bytes is only for .ply", output)}.with_remedy(
        "without_ascii");
  if (options.embed_buffers && extension != ".gltf")
    return Error{Errc::usage,
                 fmt::format("{}: embedding is only for .gltf; other formats are one file anyway", output)}
        .with_remedy("without_embed");
  return Done{};
}

namespace {

// The labels that a pattern with '*' names, each once; a name without one is that label itself, even if there
// is no such shape.
Result<std::vector<std::string>> shapes_by_pattern(const Character& character, const std::string& pattern) {
  if (pattern.find('*') == std::string::npos) return std::vector<std::string>{pattern};
  std::vector<std::string> labels;
  for (const Mesh& mesh : character.meshes) {
    for (const Index shape : shapes_named(mesh, pattern)) {
      const std::string label = shape_label(mesh, at(shape));
      if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
    }
  }
  if (labels.empty())
    return Error{Errc::bad_argument, fmt::format("no shape fits the pattern {}", quoted_name(pattern))};
  return labels;
}

}  // namespace

Result<ChosenPose> read_choice(const Character& character, const PoseChoice& choice) {
  ChosenPose chosen;
  if (!choice.clip.empty()) {
    const Result<Index> clip = find_clip(character, choice.clip);
    if (!clip) return clip.error();
    chosen.clip = *clip;
    chosen.time = choice.time;
  }
  if (!choice.pose_file.empty()) {
    Result<Pose> loaded = load_pose(choice.pose_file);
    if (!loaded) return loaded.error();
    chosen.pose = std::move(*loaded);
    chosen.name = fs::path(choice.pose_file).stem().string();
  }
  for (const NamedValue& shape : choice.shapes) {
    const Result<std::vector<std::string>> labels = shapes_by_pattern(character, shape.name);
    if (!labels) return labels.error();
    for (const std::string& label : *labels) chosen.pose.shapes.push_back({label, shape.value});
  }
  chosen.pose.controls.insert(chosen.pose.controls.end(), choice.controls.begin(), choice.controls.end());
  return chosen;
}

Status note_unusual_size(const Character& character, const RunOptions& run, Notes& notes) {
  if (run.metres_per_unit > 0) return Done{};
  const Result<PoseFrame> rest = pose_frame(character, {});
  if (!rest) return rest.error();
  const Box box = box_at_rest(character, *rest);
  const double metres = box.diagonal() * character.metres_per_unit;
  if (!is_size_unusual(metres)) return Done{};
  const Vec3d size = box.upper - box.lower;
  const double longest = std::max({size.x, size.y, size.z});
  notes.push_back(Note{Note::Kind::guess, "size-unusual",
                       fmt::format("{:.3g} m is hardly the size of a character: 1 unit of the file is taken "
                                   "as {:g} m",
                                   longest * character.metres_per_unit, character.metres_per_unit)}
                      .with_remedy("unit", likely_unit(longest)));
  return Done{};
}

Status check_clip(const Character& character, Index clip) {
  if (clip >= 0 && at(clip) < character.clips.size()) return Done{};
  return Error{Errc::bad_argument, fmt::format("has no clip {}; it has {}", clip,
                                               counted(character.clips.size(), "clip", "clips"))};
}

Result<PosedCharacter> pose_with(const Poser& poser, const PoseRequest& request) {
  const Character& character = *poser.character;
  PosedCharacter posed;
  if (request.clip != kNone) {
    if (Status good = check_clip(character, request.clip); !good) return good.error();
    const Clip& clip = character.clips[at(request.clip)];
    posed.clip = clip.name.empty() ? fmt::format("#{}", request.clip) : clip.name;
    note_held_key(clip, request.time, posed);
  }
  if (Status done = pose(poser, request, posed.frame); !done) return done.error();
  return posed;
}

Result<PosedCharacter> pose_as_asked(const Character& character, const PoseRequest& request) {
  const Result<Poser> poser = prepare_poser(character);
  if (!poser) return poser.error();
  return pose_with(*poser, request);
}

DeformOptions from_all_rooms(DeformOptions options) {
  options.table = methods();
  return options;
}

Result<Deformer> ready_to_pose(const Character& character, const DeformOptions& options,
                               const std::string& file, const Run& run) {
  Result<Deformer> deformer = prepare_deformer(character, from_all_rooms(options), run.progress);
  if (!deformer) return prefixed(file, deformer.error());
  note_measured_normals(*deformer);
  for (Note& note : deformer->notes) note.sentence = fmt::format("{}: {}", file, note.sentence);
  return deformer;
}

bool is_cache(const std::string& path) { return is_cache_file(path) || is_sequence(path); }

Result<Index> choose_clip(const Character& character, const std::string& label, const char* without) {
  if (!label.empty()) return find_clip(character, label);
  if (character.clips.size() == 1) return Index{0};
  if (character.clips.empty()) return Error{Errc::bad_argument, without};
  std::string names;
  constexpr std::size_t kMostNamed = 8;
  for (std::size_t c = 0; c < std::min(character.clips.size(), kMostNamed); ++c)
    names += (c == 0 ? "" : ", ") + quoted_name(character.clips[c].name);
  if (character.clips.size() > kMostNamed) names += " ...";
  return Error{Errc::bad_argument, fmt::format("has {} clips ({})", character.clips.size(), names)}
      .with_remedy("clip");
}

bool shows_skin(const Character& character) {
  return std::any_of(character.instances.begin(), character.instances.end(),
                     [](const Instance& instance) { return instance.in_scene && instance.skin != kNone; });
}

void note_nothing_skinned(const Stack& stack, const std::string& file, Notes& notes) {
  const std::string_view skin = skin_row(stack).name;
  if ((skin == "lbs" || skin == "rigid") && !has_phase(stack, StagePhase::posed)) return;
  notes.push_back(
      {Note::Kind::info, "nothing-skinned",
       fmt::format("{}: nothing in the scene has a skin, so {} changes nothing", file, name_of(stack))});
}

void note_unused_options(std::span<const DeformOptions> options, Notes& notes) {
  for (const StageSetting& setting : options.front().settings) {
    const auto reads = [&](const DeformOptions& one) {
      return std::any_of(one.stack.stages.begin(), one.stack.stages.end(),
                         [&](const StageUse& use) { return setting.stage == use.row->name; });
    };
    if (std::any_of(options.begin(), options.end(), reads)) continue;
    notes.push_back({Note::Kind::info, "option-unused",
                     fmt::format("the stack has no {}, so its option {} changes nothing", setting.stage,
                                 setting.option)});
  }
}

std::uint64_t posed_bytes(const Character& character) {
  std::uint64_t bytes = 0;
  for (const Instance& instance : character.instances) {
    const Mesh& mesh = character.meshes[static_cast<std::size_t>(instance.mesh)];
    const std::uint64_t surface = sizeof(Vec3) * 2 + sizeof(Vec4) + sizeof(Index);
    bytes += instance.in_scene
                 ? mesh.points.size() * surface + mesh.polygons.corners.size() * 2 * sizeof(Index)
                 : 0;
  }
  return bytes;
}

Status check_copies(const Character& character, const std::string& file, const Run& run) {
  std::uint64_t bytes = 0;
  std::size_t places = 0;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    bytes += bytes_of(character.meshes[static_cast<std::size_t>(instance.mesh)]);
    ++places;
  }
  if (bytes <= run.max_memory) return Done{};
  return Error{Errc::too_large,
               fmt::format("{}: its meshes are shown at {} places, and their copies need {} bytes", file,
                           places, bytes)}
      .with_remedy("max_memory");
}

Result<Character> still_scene(const Deformer& deformer, const PoseFrame& frame, const std::string& file,
                              const Run& run, DeformState* state) {
  const Character& character = *deformer.character;
  const std::uint64_t bytes = posed_bytes(character);
  if (bytes > run.max_memory) {
    return Error{Errc::too_large, fmt::format("{}: its {} instances need {} bytes when posed", file,
                                              character.instances.size(), bytes)}
        .with_remedy("max_memory");
  }
  Result<Character> still = state != nullptr ? pose_scene(deformer, frame, *state, run.progress)
                                             : pose_character(deformer, frame, run.progress);
  if (!still) return prefixed(file, still.error());
  return still;
}

bool is_still(const Character& character) {
  if (!character.skins.empty() || has_driven_values(character)) return false;
  for (const Instance& instance : character.instances) {
    const auto is_zero = [](float weight) { return weight == 0; };
    if (!instance.in_scene ||
        !std::all_of(instance.shape_weights.begin(), instance.shape_weights.end(), is_zero))
      return false;
    const Node& node = character.nodes[static_cast<std::size_t>(instance.node)];
    const Transform& rest = node.rest;
    if (node.parent != kNone || node.rest_matrix || rest.translation != Vec3{} || rest.rotation != Quat{} ||
        rest.scale != Vec3{1, 1, 1})
      return false;
  }
  return true;
}

Result<Character> still_at_rest(const Character& character, const std::string& file, const Run& run) {
  if (is_still(character)) return character;
  return bare_at_rest(character, file, run);
}

Result<Character> bare_at_rest(const Character& character, const std::string& file, const Run& run) {
  const Result<PoseFrame> rest = pose_frame(character, {});
  if (!rest) return rest.error();
  const Result<Deformer> deformer = ready_to_pose(character, {}, file, part_of(run, 0, 0.5));
  if (!deformer) return deformer.error();
  return still_scene(*deformer, *rest, file, part_of(run, 0.5, 1));
}

namespace {

// The correctives that a mesh has shapes for.
std::vector<std::string> correctives_of(const Character& character, const Mesh& mesh) {
  std::set<std::string> labels;
  for (const PoseSpace& space : character.pose_spaces)
    for (const PoseExample& example : space.examples) labels.insert(example.shape);
  std::vector<std::string> found;
  for (std::size_t s = 0; !labels.empty() && s < mesh.shapes.size(); ++s)
    if (labels.contains(shape_label(mesh, s))) found.push_back(shape_label(mesh, s));
  return found;
}

}  // namespace

std::vector<WeightRows> corrected_weights(const Character& character) {
  std::vector<WeightRows> weights(character.meshes.size());
  for (std::size_t m = 0; m < weights.size(); ++m)
    if (!correctives_of(character, character.meshes[m]).empty()) weights[m] = character.meshes[m].weights;
  return weights;
}

void note_outdated_correctives(const std::vector<WeightRows>& before, const Character& character,
                               Notes& notes) {
  for (std::size_t m = 0; m < std::min(before.size(), character.meshes.size()); ++m) {
    const Mesh& mesh = character.meshes[m];
    const std::vector<std::string> names = correctives_of(character, mesh);
    if (names.empty() || before[m] == mesh.weights) continue;
    notes.push_back(
        {Note::Kind::loss, "correctives-outdated",
         fmt::format(
             "{} of mesh {} {} made for its former weights: {}{}; make {} again with 'dermis shapes correct'",
             counted(names.size(), "corrective", "correctives"), quoted_name(mesh.name),
             names.size() == 1 ? "was" : "were", quoted_name(names.front()), names.size() == 1 ? "" : " ...",
             names.size() == 1 ? "it" : "them"),
         "mesh", static_cast<int>(m), -1, names.size()});
  }
}

std::size_t share_set_count(const Character& character) {
  return static_cast<std::size_t>(std::count_if(character.meshes.begin(), character.meshes.end(),
                                                [](const Mesh& mesh) { return !mesh.dqs_share.empty(); }));
}

void note_loss(Notes& notes, const std::string& output, std::size_t count, const char* one,
               const char* many) {
  if (count == 0) return;
  notes.push_back({Note::Kind::loss, "not-in-format",
                   fmt::format("{}: this format cannot store {}", output, counted(count, one, many))});
}

void note_lost_shares(const Character& character, const std::string& output, Notes& notes) {
  note_loss(notes, output, share_set_count(character), "set of shares of dqs", "sets of shares of dqs");
}

std::size_t shape_count(const Character& character) {
  std::size_t count = 0;
  for (const Mesh& mesh : character.meshes) count += mesh.shapes.size();
  return count;
}

std::size_t tangent_set_count(const Character& character) {
  return static_cast<std::size_t>(std::count_if(character.meshes.begin(), character.meshes.end(),
                                                [](const Mesh& mesh) { return !mesh.tangents.empty(); }));
}

void note_lost_surface(const Character& character, const std::string& output, Notes& notes) {
  std::size_t uv_count = 0, colour_count = 0;
  for (const Mesh& mesh : character.meshes) {
    const bool is_kept = !mesh.colours.empty() && mesh.colours[0].is_per_point();
    uv_count += mesh.uvs.empty() ? 0 : mesh.uvs.size() - 1;
    colour_count += is_kept ? mesh.colours.size() - 1 : mesh.colours.size();
  }
  note_loss(notes, output, uv_count, "set of texture coordinates", "sets of texture coordinates");
  note_loss(notes, output, colour_count, "set of colours", "sets of colours");
  note_loss(notes, output, tangent_set_count(character), "set of tangents", "sets of tangents");
  if (extension_of(output) == ".ply")
    note_loss(notes, output, character.materials.size(), "material", "materials");
}

Notes as_committed(Notes notes, const StagedFiles& staged) {
  std::erase_if(notes, [](const Note& note) { return note.id == "side-file"; });
  const std::string stage = staged.path_of("");
  const std::string folder = (fs::path(stage).parent_path().parent_path() / "").string();
  for (Note& note : notes) {
    for (std::size_t at = 0; (at = note.sentence.find(stage, at)) != std::string::npos; at += folder.size())
      note.sentence.replace(at, stage.size(), folder);
  }
  return notes;
}

Result<SequenceWriter> SequenceWriter::open(const std::string& pattern, std::vector<std::int64_t> numbers,
                                            const RunOptions& run) {
  std::vector<std::string> files;
  files.reserve(numbers.size());
  for (const std::int64_t number : numbers) files.push_back(sequence_path(pattern, number));
  if (Status good = check_not_there(files, run); !good) return good.error();
  const fs::path first = sequence_path(pattern, 0);
  Result<StagedFiles> staged = StagedFiles::open(first.parent_path().string(), first.filename().string());
  if (!staged) return staged.error();
  return SequenceWriter(std::move(*staged), fs::path(pattern).filename().string(), std::move(numbers), run);
}

Status SequenceWriter::add(const Character& still, Notes& notes) {
  SaveOptions options;
  const bool is_first = next_ == 0;
  if (!is_first)
    options.material_library =
        fs::path(sequence_path(pattern_, numbers_.front())).replace_extension(".mtl").string();
  const std::string path = staged_.path_of(sequence_path(pattern_, numbers_[next_++]));
  const Result<Notes> saved = save_posed(path, Asset{{}, {}, nullptr}, still, options);
  if (!saved) return saved.error();
  if (!is_first) return Done{};
  append(notes, as_committed(*saved, staged_));  // every frame has the same notes
  const Result<std::vector<std::string>> replaced = staged_.replaced();
  if (!replaced) return replaced.error();
  return check_not_there(*replaced, run_);
}

std::string file_safe(const std::string& name) {
  std::string safe = name;
  for (char& c : safe) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    c = is_plain ? c : '_';
  }
  return safe.empty() ? "unnamed" : safe;
}

StillSize size_of(const Character& still) {
  StillSize size;
  for (const Mesh& mesh : still.meshes) {
    size.points += mesh.points.size();
    size.polygons += mesh.polygons.count();
    for (const Vec3& point : mesh.points) size.box.add(Vec3d(point));
  }
  return size;
}

std::vector<Vec3> all_points(const Character& still) {
  std::vector<Vec3> points;
  for (const Mesh& mesh : still.meshes) points.insert(points.end(), mesh.points.begin(), mesh.points.end());
  return points;
}

std::vector<MeasuredSurface> measured_scene(const Character& still) {
  std::vector<MeasuredSurface> surfaces;
  surfaces.reserve(still.meshes.size());
  for (const Mesh& mesh : still.meshes) surfaces.push_back(measured_surface(mesh));
  return surfaces;
}

double volume_of_scene(std::span<const MeasuredSurface> surfaces, const Character& still) {
  double sum = 0;
  for (std::size_t m = 0; m < still.meshes.size(); ++m) sum += volume_of(surfaces[m], still.meshes[m].points);
  return sum;
}

std::size_t joint_count(const Character& character) {
  std::size_t count = 0;
  for (const Skin& skin : character.skins) count += skin.node.size();
  return count;
}

void append(Notes& notes, const Notes& more) { notes.insert(notes.end(), more.begin(), more.end()); }

Notes joined(Notes first, const Notes& second) {
  append(first, second);
  return first;
}

void note_pose(const Deformer& deformer, const PoseFrame& frame, const std::string& file, Notes& notes) {
  for (const Note& note : notes_of_file(file, pose_notes(deformer, frame))) {
    const auto is_told = [&](const Note& other) { return other.id == note.id && other.index == note.index; };
    if (std::none_of(notes.begin(), notes.end(), is_told)) notes.push_back(note);
  }
}

}  // namespace dermis
