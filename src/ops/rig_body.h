// SPDX-License-Identifier: MIT
// What a skeleton is looked for in: a file's meshes as they rest, without the skeleton they may have.
#pragma once

#include "ops/job.h"

namespace dermis {

struct RigBody {
  Character character;  // without skins and clips
  // The surface that is searched, in the world of the character.
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
};
// Takes the groups that the job names, or all. Where most of a file is skinned, what hangs on joints is worn
// or carried, and is not searched. Fails when nothing with triangles is left.
Result<RigBody> prepare_body(const Asset& asset, const RigJob& job, const RunOptions& run, Notes& notes);

// All of the verb between loading and saving: the moving character, and what is told of it.
Result<Character> rig_asset(const Asset& asset, const RigJob& job, const RunOptions& run, RigReport& report);

// Turns body and joints so that +Y is up, with a note where they were not.
void stand_upright(Character& body, FoundSkeleton& found, Notes& notes);

// The polygons of a mesh whose part `takes` says, with the points, attributes and labels that they use.
Mesh some_parts(const Mesh& mesh, const std::vector<bool>& takes);

}  // namespace dermis
