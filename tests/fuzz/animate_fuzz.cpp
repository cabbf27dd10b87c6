// SPDX-License-Identifier: MIT
// Any motion put onto any character: a valid clip or one sentence.
#include "dermis/made.h"
#include "dermis/ops.h"
#include "made_character.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  fuzz::use_one_thread();
  fuzz::Dice dice(data, size);
  AnimateRequest request;
  request.drops_clips = dice.one_in(2);
  request.motion.retarget.is_loop = dice.one_in(3);
  request.motion.retarget.is_in_place = dice.one_in(3);
  request.motion.retarget.locks_feet = !dice.one_in(4);
  request.motion.retarget.fps = dice.one_in(4) ? dice.byte() : 0;
  Asset motion;
  if (dice.one_in(3)) {
    const auto rows = made_motions();
    Result<Character> made = make_motion(rows[at(dice.below(static_cast<int>(rows.size())))].motion);
    fuzz::require(made.ok(), "built-in motions are made");
    motion.character = std::move(made).value();
  } else {
    motion.character = fuzz::made_character(dice);
  }
  request.motion.motion = &motion;
  request.motion.clip = dice.one_in(8) ? 1 : 0;
  Asset asset{fuzz::made_character(dice)};
  const Result<AnimateReport> report = animate(asset, request, {{}, fuzz::kMaxMemory});
  fuzz::require_valid_or_error(report, asset.character, "what was animated is valid");
  return 0;
}
