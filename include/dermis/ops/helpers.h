// SPDX-License-Identifier: MIT
// Joints that drivers move, added to a character: the verb helpers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/bind.h"
#include "dermis/io.h"
#include "dermis/model.h"
#include "dermis/motion.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"

namespace dermis {

// A HelperRequest whose joints are named: by label, by role ("forearm_L"), or as people call the place where
// a bone begins ("elbow_L", "wrist_L", "hip_L", "knee_L", "ankle_L", "chest").
struct HelperWish {
  HelperKind kind = HelperKind::twist;
  std::string joint, bend{};  // bend: of a bulge
  int count = 3;
  double scale = 1.3;
  double angle = radians_from_degrees(90);
  std::string control{};
};
// twist "forearm_L:3"; half "knee_L"; bulge "upper_arm_L=elbow_L:1.3", or with the angle in degrees at the
// end as in ":1.3:120"; breathe "chest:1.05", or with a control of its own as in ":1.05:sigh". Numbers may be
// left out. Errc::usage says what cannot be read.
Result<HelperWish> parse_helper(HelperKind kind, std::string_view text);
// The node for the joint of a wish; `roles` may be null. Errc::bad_argument suggests the nearest name.
Result<Index> find_helped_joint(const Character& character, const RoleMap* roles, std::string_view joint);

struct HelpersRequest {
  std::vector<HelperWish> helpers;
  bool proposes = false;  // also twist and half-angle joints for all limbs, if they gain something
  bool mirrors = true;    // the same on the other side
};

// A proposal is kept if the volume that it saves in the worst pose is at least the first fraction of the
// volume of the limb, and the second of what is lost without it; on both sides together.
inline constexpr double kLeastHelperGain = 0.0005, kLeastHelperShare = 0.1;

struct HelpersReport : FileReport {
  static constexpr const char* kVerb = "helpers";
  struct Joint {
    std::string name, kind, joint;  // `joint` is the one that it helps
    std::string source;             // what moves it, in words
    double place = 0, share = 0;
    std::string control;
    std::size_t point_count = 0;
  };
  struct Mesh {
    Index index = kNone;
    std::string name;
    std::size_t point_count = 0, longest_before = 0, longest_after = 0, cut_count = 0;
  };
  // The volume lost when a joint is turned, in the worst pose of the range of motion with linear blending, as
  // a fraction of the volume of its limb.
  struct Loss {
    std::string joint;
    double twist_before = 0, twist_after = 0;
    double bend_before = 0, bend_after = 0;  // and tilted aside
  };
  struct Proposal {
    std::string kind, joint;
    double gain = 0;  // the loss that it saves, with all proposals
    bool is_kept = false;
    std::string spread;  // of twist joints that are kept: the twists that they spread, own, next or both
  };
  std::vector<Joint> joints;  // new
  std::vector<Mesh> meshes;   // whose weights changed
  std::vector<Proposal> proposals;
  std::vector<Loss> losses;
  double seconds = 0;  // of the work itself
};
void describe(ReportFields& fields, const HelpersReport& report);

// Adds the joints with their drivers, controls and weights (add_helper_joints). Requests that were met before
// or would move no point are reported in notes.
Result<HelpersReport> add_helpers(Asset& asset, const HelpersRequest& request, const Run& run = {});

// ---- From file to file ---------------------------------------------------------------------------------

struct HelpersJob : FileJob, HelpersRequest {};
Result<HelpersReport> add_helpers(const HelpersJob& job);

}  // namespace dermis
