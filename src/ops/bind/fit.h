// SPDX-License-Identifier: MIT
// Skeletons of other files in a body: as they lie, and fitted to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dermis/ops/bind.h"

namespace dermis {

// Joints in a body.
struct JointsInBody {
  BindSurface surface;
  BindSkeleton skeleton;       // the joints that get weights
  std::vector<Index> outside;  // of them

  double outside_share() const {
    return static_cast<double>(outside.size()) / static_cast<double>(skeleton.joint_count());
  }
};
// `nodes` are the joints of the character that get weights.
Result<JointsInBody> place_joints(const Character& character, std::span<const Index> nodes,
                                  const Progress& progress);

// The joints of another asset in a body.
struct LaidSkeleton {
  AttachedBody attached;
  JointsInBody joints;
};
// `nodes` are the joints of the skeleton that get weights.
Result<LaidSkeleton> lay_skeleton(const Character& body, const Character& skeleton,
                                  std::span<const Index> nodes, const AttachOptions& options,
                                  const Progress& progress);

// A skeleton that was carried to a body.
struct SkeletonInBody {
  Character skeleton;
  BindReport::Fit fit;
  std::vector<std::string> doubts;  // about what was found in the body; empty: none
  Notes notes;
};
struct FitOutcome {
  std::optional<SkeletonInBody> fitted;
  std::string reason{};  // if there is none
};
// Fits a skeleton to a body in which too few of its joints lie: its joints by role to those that the search
// of `rig` finds; without roles or a find, its box to the body's box if half of the joints are then inside.
// Fails only if the work was stopped, or for lack of memory.
Result<FitOutcome> fit_to_body(const Character& skeleton, const LaidSkeleton& laid,
                               std::span<const Index> nodes, const std::optional<Vec3d>& up,
                               const Progress& progress);

}  // namespace dermis
