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

// What drivers, rules of shapes and pose spaces do, as keys of joints and weights of shapes.
struct BakedDrivers {
  std::size_t joint_count = 0, shape_count = 0;  // that got keys
  std::size_t key_count = 0;                     // moments, over all clips
  Notes notes;
};
// Adds such keys to every clip, or as a clip "drivers" of one moment if there is none: for programs that do
// not know drivers. Interpolated linearly, they follow the drivers within a ten-thousandth of the character's
// size. Drivers stay, and ignore these keys; baking again replaces them. Nodes that are driven lose their
// rest matrix, as they do when they are posed. Weights of pose spaces that differ from point to point are
// baked as those of the joints. Fails with cancelled, or if memory runs out. Linear in keys times nodes.
Result<BakedDrivers> bake_drivers(Character& character, const Progress& progress = {});

// From file to file. This verb only loads and saves, as every verb does.
struct ConvertJob : FileJob {
  std::string clip{};   // for formats that hold one clip: name or number; empty: the first
  double fps = 0;       // for formats that hold frames; 0: the clip's rate, or kDefaultFps
  std::string cache{};  // a vertex cache that moves the input; empty: none
  bool bakes_drivers = false;
};
struct ConvertReport : FileReport {
  static constexpr const char* kVerb = "convert";
  std::uint64_t input_bytes = 0, output_bytes = 0;
  std::size_t baked_joint_count = 0, baked_shape_count = 0, baked_key_count = 0;
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
