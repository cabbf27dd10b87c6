// SPDX-License-Identifier: MIT
// Several files under one skeleton, body and garments: the verb combine.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/bind.h"
#include "dermis/io.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"

namespace dermis {

// What moves the meshes of a garment.
enum class GarmentWeights {
  own,       // their own skin; meshes without one take the weights of the body
  transfer,  // all take the weights of the body
  rigid      // their own skin; meshes without one stay rigid, on the nearest joint
};
struct CombineRequest {
  GarmentWeights weights = GarmentWeights::own;
  TransferOptions transfer{};  // for meshes that take the weights of the body
};
struct CombineReport : FileReport {
  static constexpr const char* kVerb = "combine";
  // One garment, and what became of it.
  struct Part {
    std::string name;  // of its file
    std::size_t mesh_count = 0, point_count = 0, clip_count = 0;
    std::size_t matched_count = 0;      // joints that are joints of the body by name
    std::size_t added_count = 0;        // joints that the body did not have
    std::size_t transferred_count = 0;  // meshes that took the weights of the body
    std::size_t rigid_count = 0;        // meshes that follow one joint
    double scale = 1;                   // of its lengths, to the unit of the body
    // The largest distance between a joint and its match, at rest, as a fraction of the size of the body.
    double apart = 0;
    double size = 0;    // diagonal of its box at rest, as a multiple of the body's
    std::string doubt;  // why it may look wrong, as a clause; empty: no doubt
  };
  std::vector<Part> parts;
  std::size_t joint_count = 0, mesh_count = 0, clip_count = 0;  // of the result
  double seconds_combining = 0;
};
void describe(ReportFields& fields, const CombineReport& report);

// A garment is doubted from these on: the size of its box as a multiple of the body's (a ring is a hundredth
// of a body), which means another unit; and how far apart its joints and the body's rest, as a fraction of
// the body's size, if it could not be bound as the body is: it was made for another body or another pose.
inline constexpr double kDoubtedLarge = 3, kDoubtedSmall = 0.001, kDoubtedApart = 0.1;

// Adds the meshes of `garments` to `body`, which must have a skeleton, with materials, textures, shapes and
// clips. A garment is scaled to the unit of the body. Its joints are matched by name, whatever case and
// prefix; other joints are added below their matched ancestor. Skins that were bound like the body's follow
// its joints as they are; others are bound anew so that the garment rests as in its own file. A clip that the
// body has too (name and length) adds only what it moves besides the body's joints. Notes list all of this. A
// garment that cannot fit, does not follow the body or takes weights from far away is doubted.
// Fails if the body has no skeleton, or if a skinned garment has no joint of the body. The body does not
// change on failure.
Result<CombineReport> combine(Asset& body, std::span<const Asset> garments,
                              const CombineRequest& request = {}, const Run& run = {});

// The same from files to a file.
struct CombineJob : FileJob {
  std::vector<std::string> garments;
  CombineRequest request;
};
Result<CombineReport> combine(const CombineJob& job);

}  // namespace dermis
