// SPDX-License-Identifier: MIT
// What the verbs share inside: outputs that spare the inputs, characters posed by choice, a stopwatch.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/math.h"
#include "dermis/measure.h"
#include "dermis/model.h"
#include "dermis/motion.h"
#include "dermis/ops/run.h"

namespace dermis {

// Refuses an output that is one of the inputs (unless forced), has no folder to go to, or an extension that
// is not in `extensions`. Checked before the work, so that nobody waits for a refusal.
Status check_output(const std::string& output, std::initializer_list<std::string> inputs,
                    std::initializer_list<const char*> extensions, const RunOptions& run);

// The same error, with the file it is about in front.
Error in_file(const std::string& file, const Error& error);
// True when both paths lead to one file.
bool is_one_file(const std::string& a, const std::string& b);

// Refuses to replace one of `files`, whose names the user did not type, unless forced.
Status check_not_there(const std::vector<std::string>& files, const RunOptions& run);

// Refuses options that the format of `output` cannot honour.
Status check_save_options(const std::string& output, const SaveOptions& options);

struct PosedCharacter {
  PoseFrame frame;
  std::string clip;  // the clip's name or number, empty: none
  Notes notes;
};
// The frame of `character` that `choice` asks for.
Result<PosedCharacter> pose_by_choice(const Character& character, const PoseChoice& choice);

// Refuses a scene whose meshes, one for each place that shows one, would not fit into the allowed memory.
Status check_copies(const Character& character, const std::string& file, const RunOptions& run);
// The whole scene in `frame`. Refused when its points would not fit into the allowed memory: files can show
// one mesh many times. `file` stands in the sentences.
Result<Character> still_scene(const Deformer& deformer, const PoseFrame& frame, const std::string& file,
                              const RunOptions& run);
// The character made ready for its stack, once for all frames; `file` stands in the sentences, those of the
// notes too.
Result<Deformer> ready_to_pose(const Character& character, const DeformOptions& options,
                               const std::string& file, const RunOptions& run);
// True when something in the scene has a skin.
bool shows_skin(const Character& character);
// Says that `file` has no skin for `stack` to work on, unless every engine has that stack.
void note_nothing_skinned(const Stack& stack, const std::string& file, Notes& notes);
// Notes options of stages that none of the stacks has.
void note_unused_options(std::span<const DeformOptions> options, Notes& notes);
// True when every instance shows its mesh just as it is, at the origin.
bool is_still(const Character& character);
// The same at rest; a still character comes back as it is, to the last normal.
Result<Character> still_at_rest(const Character& character, const std::string& file, const RunOptions& run);

// The same, always posed: without skins, shapes and clips.
Result<Character> bare_at_rest(const Character& character, const std::string& file, const RunOptions& run);

// Notes what OBJ and PLY leave behind of how the surface looks.
void note_lost_surface(const Character& character, const std::string& output, Notes& notes);
// Meshes that say their shares of lbs_dqs.
std::size_t share_set_count(const Character& character);
// Notes that they are lost: of all formats glTF alone holds them.
void note_lost_shares(const Character& character, const std::string& output, Notes& notes);
// A note of kind loss that `count` things cannot be held by the format of `output`; none of nothing.
void note_loss(Notes& notes, const std::string& output, std::size_t count, const char* one, const char* many);
// What writing into a staging folder said, with the paths that the files will have; without the notes of
// files beside, which reports list.
Notes as_committed(Notes notes, const StagedFiles& staged);

// The files of a sequence, one for each frame, whole or not at all. The materials of an OBJ are written with
// the first frame, and the others name its MTL.
class SequenceWriter {
 public:
  // `numbers` of the frames, rising, at least one. Refuses to replace files unless forced.
  static Result<SequenceWriter> open(const std::string& pattern, std::vector<std::int64_t> numbers,
                                     const RunOptions& run);
  // The next frame; `notes` get what the first has to say.
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

// How a name can be part of a file's: letters, digits, '-', '_' and '.' stay, the rest becomes '_'.
std::string file_safe(const std::string& name);

// Points and polygons of all meshes of a still character.
struct StillSize {
  std::size_t points = 0, polygons = 0;
  Box box;
};
StillSize size_of(const Character& still);

// The points of all meshes of a still character, one mesh after the other.
std::vector<Vec3> all_points(const Character& still);
// The meshes of a still character as they are measured, and the volume of all of them, openings capped. The
// surfaces may be those of the same character at rest.
std::vector<MeasuredSurface> measured_scene(const Character& still);
double volume_of_scene(std::span<const MeasuredSurface> surfaces, const Character& still);

// The same run, which tells its progress as a part of the whole.
RunOptions part_of(const RunOptions& run, double from, double to);
// Piece k of `count` alike.
RunOptions piece_of(const RunOptions& run, std::size_t k, std::size_t count);

// True for a vertex cache and for a sequence of files.
bool is_cache(const std::string& path);

// The clip that `label` names, or the only one there is. `without` says what a character without clips lacks.
Result<Index> choose_clip(const Character& character, const std::string& label, const char* without);

// Slots of all skins.
std::size_t joint_count(const Character& character);

void append(Notes& notes, const Notes& more);
// Notes of loading a file, whose sentences say which: for verbs that load several.
Notes notes_of_file(const std::string& file, Notes notes);
// What a pose does to the meshes of a file, once for each mesh, however many poses say it.
void note_pose(const Deformer& deformer, const PoseFrame& frame, const std::string& file, Notes& notes);

class Stopwatch {
 public:
  // Seconds since it was made or last asked.
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
