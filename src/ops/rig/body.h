// SPDX-License-Identifier: MIT
// The body to search for a skeleton: a file's meshes at rest, without their own skeleton.
#pragma once

#include "dermis/ops/rig.h"
#include "dermis/rig.h"
#include "ops/job.h"

namespace dermis {

struct RigBody {
  // A mesh that is worn or carried: it moves with one joint.
  struct Prop {
    Index instance = kNone;
    std::string name;  // of the node that shows it
    Vec3d held_at;     // its parent joint's position in the file
  };
  Character character;                           // without skins and clips
  std::shared_ptr<const SourceDocument> source;  // of the character; null: none
  std::vector<Prop> props;
  // The surface to search, in the world space of the character.
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
};
// Uses the named groups, or all if none is named. If most of a file is skinned, rigid meshes below joints are
// worn or carried, and are not searched. Fails if nothing with triangles is left.
Result<RigBody> prepare_body(const Asset& asset, const std::vector<std::string>& groups, const Run& run,
                             Notes& notes);

// The joint that each prop moves with: the nearest to `held_at`. In the order of the props.
std::vector<Index> joints_of_props(const RigBody& body, const FoundSkeleton& found, Notes& notes);

// Turns body and joints so that +Y is up, with a note if they were not: a guess, unless the user requested
// it.
void stand_upright(bool is_asked, Character& body, FoundSkeleton& found, Notes& notes);

}  // namespace dermis
