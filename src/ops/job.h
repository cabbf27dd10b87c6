// SPDX-License-Identifier: MIT
// What the verbs share internally: checks of outputs, posing by choice, a stopwatch.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/math.h"
#include "dermis/measure.h"
#include "dermis/model.h"
#include "dermis/motion.h"
#include "dermis/ops/files.h"
#include "dermis/ops/run.h"

namespace dermis {

// Refuses an output that is one of the inputs (unless forced), whose folder does not exist, or whose
// extension is not in `extensions`. Checked before the work, so that nobody waits for a refusal.
Status check_output(const std::string& output, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& extensions, const RunOptions& run);

// True if both paths lead to the same file.
bool is_one_file(const std::string& a, const std::string& b);

// Refuses to replace one of `files`, whose names the user did not type, unless forced.
Status check_not_there(const std::vector<std::string>& files, const RunOptions& run);

// Refuses options that the format of `output` cannot honour.
Status check_save_options(const std::string& output, const SaveOptions& options);

// The choice with its clip found and its pose file read.
Result<ChosenPose> read_choice(const Character& character, const PoseChoice& choice);

// Notes a size that cannot be that of a character, unless the caller states the unit: the file probably uses
// another one.
Status note_unusual_size(const Character& character, const RunOptions& run, Notes& notes);

// Refuses the number of a clip that the character does not have.
Status check_clip(const Character& character, Index clip);

struct PosedCharacter {
  PoseFrame frame;
  std::string clip;  // the clip's name or number; empty: none
  Notes notes;
};
// The requested frame; notes a time outside its clip.
Result<PosedCharacter> pose_with(const Poser& poser, const PoseRequest& request);
// The same for a single frame of `character`.
Result<PosedCharacter> pose_as_asked(const Character& character, const PoseRequest& request);

// The memory that the posed scene will need.
std::uint64_t posed_bytes(const Character& character);
// Refuses a scene whose meshes, one per instance, would not fit into the allowed memory.
Status check_copies(const Character& character, const std::string& file, const Run& run);
// The whole scene in `frame`. Refused if its points would not fit into the allowed memory: files can show one
// mesh many times. `file` is used in messages. `state` is passed from frame to frame of a motion; null: a
// single frame.
Result<Character> still_scene(const Deformer& deformer, const PoseFrame& frame, const std::string& file,
                              const Run& run, DeformState* state = nullptr);
// The same options, with the rest stages of all rooms to choose from.
DeformOptions from_all_rooms(DeformOptions options);
// The character prepared for its stack, once for all frames; `file` is used in errors and notes.
Result<Deformer> ready_to_pose(const Character& character, const DeformOptions& options,
                               const std::string& file, const Run& run);
// True if something in the scene has a skin.
bool shows_skin(const Character& character);
// Notes that `file` has no skin for `stack` to work on, unless every engine has that stack.
void note_nothing_skinned(const Stack& stack, const std::string& file, Notes& notes);
// Notes options of stages that are in none of the stacks.
void note_unused_options(std::span<const DeformOptions> options, Notes& notes);
// True if every instance shows its mesh unchanged, at the origin.
bool is_still(const Character& character);
// The same at rest; a still character is returned unchanged, to the last normal.
Result<Character> still_at_rest(const Character& character, const std::string& file, const Run& run);

// The same, always posed: without skins, shapes and clips.
Result<Character> bare_at_rest(const Character& character, const std::string& file, const Run& run);

// Notes what OBJ and PLY lose of the look of the surface.
void note_lost_surface(const Character& character, const std::string& output, Notes& notes);
// The number of shapes of all meshes.
std::size_t shape_count(const Character& character);
// The number of meshes with tangents.
std::size_t tangent_set_count(const Character& character);
// The number of meshes with shares for lbs_dqs.
std::size_t share_set_count(const Character& character);
// Notes that they are lost: only glTF stores them.
void note_lost_shares(const Character& character, const std::string& output, Notes& notes);
// A note of kind loss that the format of `output` cannot store `count` things; no note if there are none.
void note_loss(Notes& notes, const std::string& output, std::size_t count, const char* one, const char* many);
// The notes from writing into a staging folder, with the final paths; without the notes on extra files, which
// reports list.
Notes as_committed(Notes notes, const StagedFiles& staged);

// The files of a sequence, one per frame, written completely or not at all. The materials of an OBJ are
// written with the first frame, and the other frames refer to its MTL.
class SequenceWriter {
 public:
  // `numbers` of the frames, increasing, at least one. Refuses to replace files unless forced.
  static Result<SequenceWriter> open(const std::string& pattern, std::vector<std::int64_t> numbers,
                                     const RunOptions& run);
  // The next frame; `notes` get the notes of the first.
  Status add(const Character& still, Notes& notes);
  Result<std::vector<std::string>> commit() { return staged_.commit(); }

 private:
  SequenceWriter(StagedFiles staged, std::string pattern, std::vector<std::int64_t> numbers,
                 const RunOptions& run)
      : staged_(std::move(staged)), pattern_(std::move(pattern)), numbers_(std::move(numbers)), run_(run) {}
  StagedFiles staged_;
  std::string pattern_;  // without its folder
  std::vector<std::int64_t> numbers_;
  std::size_t next_ = 0;
  RunOptions run_;
};

// A name made safe for file names: letters, digits, '-', '_' and '.' stay, the rest becomes '_'.
std::string file_safe(const std::string& name);

// Points and polygons of all meshes of a still character.
struct StillSize {
  std::size_t points = 0, polygons = 0;
  Box box;
};
StillSize size_of(const Character& still);

// The points of all meshes of a still character, mesh by mesh.
std::vector<Vec3> all_points(const Character& still);
// The meshes of a still character prepared for measuring, and their total volume with openings capped. The
// surfaces may be those of the same character at rest.
std::vector<MeasuredSurface> measured_scene(const Character& still);
double volume_of_scene(std::span<const MeasuredSurface> surfaces, const Character& still);

// The work on a copy of the asset, which replaces the asset if the work succeeds: a failure, thrown or
// returned, leaves it as it was. For work that costs far more than the copy.
template <class Work>
auto all_or_nothing(Asset& asset, Work&& work) -> decltype(work(asset)) {
  Asset copy = asset;
  auto result = work(copy);
  if (result) asset = std::move(copy);
  return result;
}

// Of each mesh with a corrective its weights, of others none.
std::vector<WeightRows> corrected_weights(const Character& character);
// Notes correctives on meshes that had other weights before: they were made for those.
void note_outdated_correctives(const std::vector<WeightRows>& before, const Character& character,
                               Notes& notes);
// `work` on `asset`, whose report gets these notes.
template <class Work>
auto noting_correctives(Asset& asset, Work&& work) -> decltype(work()) {
  const std::vector<WeightRows> before = corrected_weights(asset.character);
  auto report = work();
  if (report) note_outdated_correctives(before, asset.character, report->notes);
  return report;
}

// The progress of piece k of `count` equal pieces.
template <class AnyRun>
AnyRun piece_of(const AnyRun& run, std::size_t k, std::size_t count) {
  const double share = 1 / static_cast<double>(count);
  return part_of(run, static_cast<double>(k) * share, static_cast<double>(k + 1) * share);
}

// True for a vertex cache and for a sequence of files.
bool is_cache(const std::string& path);

// The clip that `label` names, or the only one. `without` is the error for a character without clips.
Result<Index> choose_clip(const Character& character, const std::string& label, const char* without);

// Slots of all skins.
std::size_t joint_count(const Character& character);

void append(Notes& notes, const Notes& more);
Notes joined(Notes first, const Notes& second);
// Notes of poses about the meshes of a file, once per mesh, however many poses have them.
void note_pose(const Deformer& deformer, const PoseFrame& frame, const std::string& file, Notes& notes);

class Stopwatch {
 public:
  // Seconds since construction or the last call.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace dermis
