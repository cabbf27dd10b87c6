// SPDX-License-Identifier: MIT
// From characters to files of pixels: textures in, pictures and films out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dermis/image.h"
#include "dermis/model.h"
#include "ops/job.h"

namespace dermis {

// The pictures that materials of a character use, one entry per image; empty if no material uses it or it
// cannot be read. Notes unreadable pictures, and pictures on meshes without texture coordinates.
std::shared_ptr<const std::vector<Pixels>> load_textures(const Character& character, const Run& run,
                                                         Notes& notes);

// Notes the materials that are drawn opaque without their pictures, which may have holes.
void note_lost_opacity(const Character& character, Notes& notes);

// A PNG or JPEG, by the extension of `path`.
Status save_picture(const std::string& path, const Pixels& pixels);

// Frames that become numbered PNG files or a film. Added frames are deleted with the object unless committed.
class FrameWriter {
 public:
  // `output` is an .mp4, or a .png with a place for the number; frames are numbered from 0. Numbered files
  // are not replaced unless forced.
  static Result<FrameWriter> open(const std::string& output, std::size_t frame_count, double fps,
                                  const RunOptions& run);
  Status add(const Pixels& pixels);
  // Returns the files. If ffmpeg is missing or fails, an error; the frames of the film stay as numbered
  // files.
  Result<std::vector<std::string>> commit();

 private:
  FrameWriter(StagedFiles staged, std::string output, double fps, RunOptions run)
      : staged_(std::move(staged)), output_(std::move(output)), fps_(fps), run_(std::move(run)) {}
  // Commits the frames of a film that could not be made; the error says so.
  Error keep_frames(const std::string& why);
  StagedFiles staged_;
  std::string output_;  // .mp4 or the pattern, with its folder
  double fps_;
  RunOptions run_;
  std::size_t count_ = 0;
};

}  // namespace dermis
