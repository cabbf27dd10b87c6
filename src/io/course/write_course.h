// SPDX-License-Identifier: MIT
// The teaching format out.
#pragma once

#include <string>
#include <vector>

#include "dermis/io.h"
#include "io/course/listing.h"

namespace dermis {

// What the listings say of a character, before it is text.
struct CourseRig {
  CourseSkeleton skeleton;
  Index instance = kNone;          // whose mesh the weights are for; kNone: a skeleton alone
  std::vector<Influence> bones;    // of each point, bone and weight, row after row
  std::vector<std::size_t> first;  // point count + 1 entries
  Notes notes;
};

// The first skinned mesh of the scene with its joints as they were bound, or the nodes at rest when there is
// none. A joint's weight goes to one of the bones that move with it, those that end in its children: to the
// one nearest to the point. A joint without children that has weight gets an end joint, so that a bone moves
// with it; several roots get a common one, which is joint 0. Points move as before, to float rounding.
Result<CourseRig> course_rig(const Character& character, const std::string& path);

// `path` is skeleton.out or skeleton-x.out; the attachment and mesh-x.obj are written beside it, over
// existing ones only when `path` is replaced too or the options allow it.
Result<Notes> write_course(const std::string& path, const Asset& asset, const SaveOptions& options);

}  // namespace dermis
