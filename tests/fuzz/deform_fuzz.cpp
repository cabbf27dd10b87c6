// SPDX-License-Identifier: MIT
// Any character in any pose by every stack: finite points or one sentence.
#include "dermis/ops.h"
#include "made_character.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  fuzz::use_one_thread();
  fuzz::Dice dice(data, size);
  constexpr NormalMode kModes[] = {NormalMode::shading, NormalMode::inverse_transpose, NormalMode::exact};
  static const std::vector<Stack> stacks = every_stack();
  DeformRequest request;
  request.deform.stack = stacks[at(dice.below(static_cast<int>(stacks.size())))];
  request.deform.table = methods();
  request.deform.normals = dice.any_of(kModes);
  request.pose.time = static_cast<double>(dice.step());
  const bool is_turned = dice.one_in(2);
  const Asset asset{fuzz::made_character(dice)};
  const Character& character = asset.character;
  if (!character.clips.empty()) request.pose.clip = dice.byte() % static_cast<Index>(character.clips.size());
  if (is_turned) {
    NodePose turned;
    turned.node = node_label(character, dice.byte() % static_cast<Index>(character.nodes.size()));
    turned.turn = fuzz::made_rotation(dice);
    request.pose.pose.nodes.push_back(turned);
  }
  Character still;
  const Result<DeformReport> report = deform(asset, request, still, {{}, fuzz::kMaxMemory});
  fuzz::require_valid_or_error(report, still, "what was posed is valid");
  return 0;
}
