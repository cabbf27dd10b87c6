// SPDX-License-Identifier: MIT
// Writes the teaching format.
#pragma once

#include <string>
#include <vector>

#include "dermis/io.h"
#include "io/course/listing.h"

namespace dermis {

// The contents of the listings, before they are text.
struct CourseRig {
  CourseSkeleton skeleton;
  Index instance = kNone;          // whose mesh has the weights; kNone: only a skeleton
  std::vector<Influence> bones;    // bone and weight of each point, row by row
  std::vector<std::size_t> first;  // point count + 1 entries
  Notes notes;
};

// The first skinned mesh of the scene with its joints in the bind pose, or the nodes at rest if there is
// none. A joint's weight goes to one of the bones that move with it (those that end in its children), the one
// nearest to the point. A joint with weights but no children gets an end joint, so that a bone moves with it;
// several roots get a common parent, which is joint 0. Points move as before, within float rounding.
Result<CourseRig> course_rig(const Character& character, const std::string& path);

// `path` is skeleton.out or skeleton-x.out; the attachment and mesh-x.obj are written next to it; existing
// ones are replaced only if `path` is replaced too or the options allow it.
Result<Notes> write_course(const std::string& path, const Asset& asset, const SaveOptions& options);

}  // namespace dermis
