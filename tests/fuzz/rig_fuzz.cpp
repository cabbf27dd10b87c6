// SPDX-License-Identifier: MIT
// A skeleton for any body, by every template: a valid character or one sentence.
#include "dermis/made.h"
#include "dermis/ops.h"
#include "made_character.h"

namespace dermis::fuzz {
namespace {

const Asset& walk() {
  static const Asset made = [] {
    Result<Character> motion = make_motion(MadeMotion::walk);
    require(motion.ok(), "the built-in walk is made");
    return Asset{std::move(motion).value()};
  }();
  return made;
}

}  // namespace
}  // namespace dermis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  fuzz::use_one_thread();
  fuzz::Dice dice(data, size);
  constexpr const char* kTemplates[] = {"auto", "extract", "biped", "quadruped", "hand"};
  constexpr const char* kAxes[] = {"", "", "", "y", "z", "-x"};
  RigJob job;
  job.skeleton = dice.any_of(kTemplates);
  job.up = dice.any_of(kAxes);
  job.front = dice.any_of(kAxes);
  if (dice.one_in(6)) job.markers.push_back("wrist_L=0.5,1.2,0");
  Result<RigRequest> request = rig_request(job);
  if (!request) {
    fuzz::require_sentence(request.error());
    return 0;
  }
  request->find.cells = dice.one_in(4) ? 5000 : 1000;
  if (dice.one_in(4)) request->motion = MotionRequest{&fuzz::walk(), 0, {}};
  Asset asset{fuzz::made_character(dice)};
  const Result<RigReport> report = rig(asset, *request, {{}, fuzz::kMaxMemory});
  if (fuzz::require_valid_or_error(report, asset.character, "what was rigged is valid")) {
    const double confidence = report->judgement.confidence;
    fuzz::require(confidence >= 0 && confidence <= 1, "a confidence is a share", std::to_string(confidence));
  }
  return 0;
}
