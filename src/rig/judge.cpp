// SPDX-License-Identifier: MIT
// Judges a found skeleton: what speaks against it, and how much confidence that leaves.
#include <fmt/format.h>

#include <algorithm>

#include "dermis/rig.h"

namespace dermis {
namespace {

// A figure costs nothing up to `usual`; at `worst` and beyond it leaves `least` of the trust. Figures that
// right skeletons may have too, such as antlers without joints, leave enough not to decide alone.
struct Limit {
  double usual, worst, least;
};
constexpr Limit kCost{0.58, 0.9, 0};         // a template above 0.9 does not fit
constexpr Limit kSidesTurned{0.6, 1.2, 0};   // a trunk twists by 60 degrees, not by more than a right angle
constexpr Limit kSideRatio{0.35, 1, 0.2};    // limbs of one pair have one length in any pose
constexpr Limit kUpsideDown{0.04, 0.15, 0};  // a crouching body has its hips below its knees by less
constexpr Limit kLean{0.25, 0.7, 0};         // 41 degrees; a body found lying would have been turned
constexpr Limit kArmsLow{0.25, 0.5, 0};      // from the upper quarter of the trunk to its middle
constexpr Limit kHandsThick{0.9, 1.5, 0.2};  // hands of cartoons are as thick as half their heads
constexpr Limit kFeetShort{-0.05, -0.02, 0.6};  // feet of people reach ahead by 0.06 to 0.11
constexpr Limit kOutside{0.06, 0.3, 0.1};
constexpr Limit kOff{0.35, 0.8, 0.2};
constexpr Limit kLimbLeft{0.12, 0.4, 0.7};
constexpr Limit kBleeding{0.05, 0.3, 0.5};
constexpr Limit kSkinTorn{0.1, 0.4, 0.5};
// No template fits, so nothing says which limb is which.
constexpr double kDerivedTrust = 0.4;

double trust_in(const Limit& limit, double figure) {
  const double share = std::clamp((figure - limit.usual) / (limit.worst - limit.usual), 0.0, 1.0);
  return 1 - share * (1 - limit.least);
}

class Judge {
 public:
  void hear(const char* id, const Limit& limit, double figure, const std::string& sentence) {
    add(id, figure, trust_in(limit, figure), sentence);
  }
  void add(const char* id, double figure, double trust, const std::string& sentence) {
    if (trust >= 1) return;
    judgement_.confidence *= trust;
    judgement_.doubts.push_back({id, sentence, figure, trust});
  }
  RigJudgement judgement() {
    std::stable_sort(judgement_.doubts.begin(), judgement_.doubts.end(),
                     [](const RigDoubt& a, const RigDoubt& b) { return a.trust < b.trust; });
    return std::move(judgement_);
  }

 private:
  RigJudgement judgement_;
};

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

void hear_template(const FoundSkeleton& found, Judge& judge) {
  if (found.name == "extract") {
    if (!found.scores.empty())
      judge.add("template-none", static_cast<double>(found.scores.size()), kDerivedTrust,
                "no template fits the body, so nothing says which limb is which");
    return;
  }
  for (const RigScore& score : found.scores) {
    if (score.name == found.name)
      judge.hear("template-poor", kCost, score.cost,
                 fmt::format("the template '{}' fits badly (cost {:.2f})", score.name, score.cost));
  }
}

void hear_limbs(const FoundSkeleton& found, Judge& judge) {
  const SkeletonFit& fit = found.fit;
  judge.hear("sides-turned", kSidesTurned, fit.sides_turned,
             "left and right of one pair of limbs are not on the sides of the other pair");
  judge.hear("sides-differ", kSideRatio, fit.side_ratio,
             "a limb of the left is not as long as that of the right");
  if (fit.upper != kNone) {
    judge.hear("upside-down", kUpsideDown, fit.upside_down,
               fmt::format("'{}' is below '{}'", found.joints[at(fit.upper)].name,
                           found.joints[at(fit.lower)].name));
  }
  judge.hear("trunk-leans", kLean, fit.lean, "the trunk is not upright");
  judge.hear("arms-low", kArmsLow, fit.arms_low, "an arm grows from the middle of the trunk or below");
  judge.hear("facing-unsure", kFeetShort, -fit.feet_ahead,
             "feet hardly point ahead, so which way the body faces is a guess");
  judge.hear("hands-thick", kHandsThick, fit.hands_thick,
             fmt::format("a hand is {:.1f} times as thick as the head", fit.hands_thick));
}

}  // namespace

RigJudgement judge_skeleton(const FoundSkeleton& found, const BoundSkin& skin) {
  Judge judge;
  const SkeletonFit& fit = found.fit;
  hear_template(found, judge);
  hear_limbs(found, judge);
  judge.hear("bones-outside", kOutside, fit.bones_outside,
             percent(fit.bones_outside) + " of the length of the bones is outside the body");
  judge.hear("joints-off-middle", kOff, fit.joints_off,
             percent(fit.joints_off) + " of the joints are not in the middle of their limbs");
  judge.hear("limb-left", kLimbLeft, fit.limb_left,
             fmt::format("a limb as long as {} of the body has no joint", percent(fit.limb_left)));
  judge.hear("skin-bleeds", kBleeding, skin.bleeding,
             percent(skin.bleeding) + " of the points follow joints far from their own");
  judge.hear(
      "skin-torn", kSkinTorn, skin.torn,
      percent(skin.torn) + " of the triangles stretch to more than twice their length when joints bend");
  return judge.judgement();
}

}  // namespace dermis
