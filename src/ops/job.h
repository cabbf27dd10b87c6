// SPDX-License-Identifier: MIT
// What the verbs share inside: outputs that spare the inputs, characters posed by choice, a stopwatch.
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>

#include "dermis/motion.h"
#include "dermis/ops.h"

namespace dermis {

// Refuses an output that is one of the inputs (unless forced), has no folder to go to, or an extension that
// is not in `extensions`. Checked before the work, so that nobody waits for a refusal.
Status check_output(const std::string& output, std::initializer_list<std::string> inputs,
                    std::initializer_list<const char*> extensions, const RunOptions& run);

// Refuses options that the format of `output` cannot honour.
Status check_save_options(const std::string& output, const SaveOptions& options);

struct PosedCharacter {
  PoseFrame frame;
  std::string clip;  // the clip's name or number, empty: none
  Notes notes;
};
// The frame of `character` that `choice` asks for.
Result<PosedCharacter> pose_by_choice(const Character& character, const PoseChoice& choice);

// The whole scene in `frame`. Refused when its points would not fit into the allowed memory: files can show
// one mesh many times. `file` stands in the sentences.
Result<Character> still_scene(const Character& character, const PoseFrame& frame,
                              const DeformOptions& options, const std::string& file, const RunOptions& run);
// True when every instance shows its mesh just as it is, at the origin.
bool is_still(const Character& character);
// The same at rest; a still character comes back as it is, to the last normal.
Result<Character> still_at_rest(const Character& character, const std::string& file, const RunOptions& run);

// The same, always posed: without skins, shapes and clips.
Result<Character> bare_at_rest(const Character& character, const std::string& file, const RunOptions& run);

// The conversions that have a vertex cache on either side.
bool has_cache(const ConvertJob& job);
Result<ConvertReport> convert_cache(const ConvertJob& job);

// Takes the materials off a scene that is written once for each frame, with a note when it has some.
void drop_materials(Character& still, Notes& notes);

// How a name can be part of a file's: letters, digits, '-', '_' and '.' stay, the rest becomes '_'.
std::string file_safe(const std::string& name);

// Points and polygons of all meshes of a still character.
struct StillSize {
  std::size_t points = 0, polygons = 0;
  Box box;
};
StillSize size_of(const Character& still);

void append(Notes& notes, const Notes& more);

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
