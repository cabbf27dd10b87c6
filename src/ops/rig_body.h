// SPDX-License-Identifier: MIT
// What a skeleton is looked for in: a file's meshes as they rest, without the skeleton they may have.
#pragma once

#include "dermis/ops/rig.h"
#include "dermis/rig.h"
#include "ops/job.h"

namespace dermis {

struct RigBody {
  // A mesh that is worn or carried: it moves with one joint.
  struct Prop {
    Index instance = kNone;
    std::string name;  // of what shows it
    Vec3d held_at;     // where it hung in the skeleton of the file
  };
  Character character;                           // without skins and clips
  std::shared_ptr<const SourceDocument> source;  // of the character; null: none
  std::vector<Prop> props;
  // The surface that is searched, in the world of the character.
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
};
// Takes the groups that the job names, or all. Where most of a file is skinned, what hangs on joints is worn
// or carried, and is not searched. Fails when nothing with triangles is left.
Result<RigBody> prepare_body(const Asset& asset, const RigJob& job, const RunOptions& run, Notes& notes);

// The joint that each prop moves with: the nearest to where it hung. In the order of the props.
std::vector<Index> joints_of_props(const RigBody& body, const FoundSkeleton& found, Notes& notes);

// All of the verb between loading and saving: the moving character, and what is told of it.
// The asset has the document of the file, where there is one.
Result<Asset> rig_asset(const Asset& asset, const RigJob& job, const RunOptions& run, RigReport& report);

// Turns body and joints so that +Y is up, with a note where they were not.
void stand_upright(const RigJob& job, Character& body, FoundSkeleton& found, Notes& notes);

// The polygons of a mesh whose part `takes` says, with the points, attributes and labels that they use.
Mesh some_parts(const Mesh& mesh, const std::vector<bool>& takes);

}  // namespace dermis
