// SPDX-License-Identifier: MIT
// From one format to another: the verb convert.
#pragma once

#include <cstdint>
#include <string>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/ops/run.h"

namespace dermis {

struct ConvertJob {
  std::string input, output;
  SaveOptions save;
  RunOptions run;
  std::string clip{};   // for formats that hold one clip: name or number; empty: the first
  double fps = 0;       // for formats that hold frames; 0: as the clip is, or kDefaultFps
  std::string cache{};  // a vertex cache that moves the input; empty: none
};
struct ConvertReport {
  std::string input, output;
  std::uint64_t input_bytes = 0, output_bytes = 0;
  Notes notes;
};
// glTF to glTF keeps the document, and BVH to BVH the numbers unless a clip, a rate or Z up is asked for;
// .obj and .ply hold the rest pose. A vertex cache or a sequence becomes another one, or, with the mesh it
// moves (for a sequence, its first file), a glTF of shapes and a clip.
Result<ConvertReport> convert(const ConvertJob& job);

}  // namespace dermis
