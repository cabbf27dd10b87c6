// SPDX-License-Identifier: MIT
// Converts one format to another: the verb convert.
#pragma once

#include <cstdint>
#include <string>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"

namespace dermis {

// From file to file. This verb only loads and saves, as every verb does.
struct ConvertJob : FileJob {
  std::string clip{};   // for formats that hold one clip: name or number; empty: the first
  double fps = 0;       // for formats that hold frames; 0: the clip's rate, or kDefaultFps
  std::string cache{};  // a vertex cache that moves the input; empty: none
};
struct ConvertReport : FileReport {
  static constexpr const char* kVerb = "convert";
  std::uint64_t input_bytes = 0, output_bytes = 0;
};
void describe(ReportFields& fields, const ConvertReport& report);
// `run.metres_per_unit` states the unit of the input: glTF is then written in metres; other formats state
// none and keep the numbers. glTF to glTF keeps the document. BVH to BVH keeps the numbers unless a clip, a
// rate or Z up is requested. .obj and .ply hold the rest pose. A vertex cache or a sequence becomes another
// one or, with the mesh it moves (for a sequence, its first file), a glTF with shapes and a clip.
Result<ConvertReport> convert(const ConvertJob& job);
// The table of formats as JSON.
std::string formats_json();

}  // namespace dermis
