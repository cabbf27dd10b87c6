// SPDX-License-Identifier: MIT
// The two listings of the teaching format: joints and bone weights, also from scans.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/model.h"
#include "io/gltf/document.h"

namespace dermis {

// skeleton.out: one joint per line: index, x, y, z, index of the parent or -1.
struct CourseSkeleton {
  std::vector<Vec3d> points;   // of each joint, in the space of the mesh
  std::vector<Index> parents;  // kNone for roots; in range, never itself; validate checks for cycles
};

// attachment.out: one point per line: a weight for each bone. Bone k is the segment from the parent of joint
// k + 1 to joint k + 1 and moves with the parent's frame.
struct CourseWeights {
  std::size_t bone_count = 0;
  std::vector<float> values;  // finite; row by row
  std::size_t row_count() const { return bone_count == 0 ? 0 : values.size() / bone_count; }
};

// Scans lose blanks and decimal points. The index of a joint is the number of its line and the number of
// bones is known, so fused fields can be split and lost points restored, each with a note; a line for which
// that fails is refused.
Result<CourseSkeleton> parse_course_skeleton(std::string_view text, const std::string& path,
                                             MemoryBudget& budget, Notes& notes);
Result<CourseWeights> parse_course_weights(std::string_view text, std::size_t bone_count,
                                           const std::string& path, MemoryBudget& budget, Notes& notes);

}  // namespace dermis
