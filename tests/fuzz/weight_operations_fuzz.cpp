// SPDX-License-Identifier: MIT
// Weight operations one after another on any character: valid rows after each, or one sentence.
#include "dermis/ops.h"
#include "made_character.h"

namespace dermis::fuzz {
namespace {

Index any_node(Dice& dice, const Character& character) {
  return dice.byte() % static_cast<Index>(character.nodes.size());
}

// The weight of a node in a row of a mesh under the skin of its first instance; 0 if there is none.
float weight_of(const Character& character, std::size_t mesh, std::size_t point, Index node) {
  const auto shows = [&](const Instance& instance) {
    return at(instance.mesh) == mesh && instance.skin != kNone;
  };
  const auto shown = std::find_if(character.instances.begin(), character.instances.end(), shows);
  if (shown == character.instances.end() || character.meshes[mesh].weights.empty()) return 0;
  for (const Influence& one : character.meshes[mesh].weights.row(point)) {
    if (character.skins[at(shown->skin)].node[at(one.slot)] == node) return one.weight;
  }
  return 0;
}

// Locked joints keep their weights to the last bit, in meshes that have as many points as before.
void require_lock_kept(const Character& before, const Character& after, Index node) {
  for (std::size_t m = 0; m < before.meshes.size() && m < after.meshes.size(); ++m) {
    const std::size_t count = before.meshes[m].points.size();
    if (before.meshes[m].weights.empty() || after.meshes[m].points.size() != count) continue;
    for (std::size_t v = 0; v < count; ++v) {
      require(weight_of(before, m, v, node) == weight_of(after, m, v, node),
              "locked joints keep their weights", node_label(before, node));
    }
  }
}

WeightsRequest made_request(Dice& dice, const Character& character, Index locked) {
  WeightsRequest request;
  const auto any_joint = [&] { return node_label(character, any_node(dice, character)); };
  if (locked != kNone) request.locked.push_back(node_label(character, locked));
  if (dice.one_in(6)) request.joints.push_back(any_joint());
  if (dice.one_in(6)) request.shells.push_back({"", dice.below(4)});
  if (dice.one_in(8)) request.regions.push_back(SphereRegion{Vec3d(dice.vector()), 1.5});
  if (dice.one_in(8)) request.regions.push_back(BoxRegion{Vec3d(dice.vector()), Vec3d(dice.vector())});
  if (dice.one_in(8)) request.regions.push_back(GeodesicRegion{Vec3d(dice.vector()), 0.7});
  request.makes_rigid = dice.one_in(8);
  return request;
}

Result<WeightsReport> operate(Asset& asset, Dice& dice, Index locked) {
  const Run run{{}, kMaxMemory};
  const WeightsRequest request = made_request(dice, asset.character, locked);
  const auto any_joint = [&] { return node_label(asset.character, any_node(dice, asset.character)); };
  switch (dice.below(12)) {
    case 0:
      return normalize_weights(asset, request, run);
    case 1:
      return limit_weights(asset, request, 1 + dice.below(5), run);
    case 2:
      return rigid_weights(asset, request, run);
    case 3:
      return prune_weights(asset, request, dice.below(128) / 100.0, run);
    case 4: {
      SmoothOptions options;
      options.strength = dice.below(5) / 4.0;
      options.iterations = dice.below(8);
      options.is_cotangent = dice.one_in(2);
      return smooth_weights(asset, request, options, run);
    }
    case 5: {
      const auto direction = dice.one_in(2) ? MirrorDirection::left_to_right : MirrorDirection::right_to_left;
      return mirror_weights(asset, request, direction, run);
    }
    case 6: {
      TransferOptions options;
      if (dice.one_in(3)) options.max_distance = 0.5;
      const Asset source{dice.one_in(2) ? asset.character : made_character(dice)};
      return transfer_weights(asset, request, source, {}, options, run);
    }
    case 7:
      return subdivide_weights(asset, request, {1 + dice.below(2), dice.one_in(2)}, run);
    case 8:
      return remap_weights(asset, request, {{any_joint(), any_joint()}}, run);
    case 9:
      return rename_joints(asset, request, {{any_joint(), dice.any_of(kMadeNames)}}, run);
    case 10: {
      const Result<ForeignWeights> other = weights_of(dice.one_in(2) ? asset : Asset{made_character(dice)});
      if (!other) return other.error();
      return blend_weights(asset, request, *other, dice.below(5) / 4.0, run);
    }
    default: {
      const Result<ForeignWeights> other = weights_of(dice.one_in(2) ? asset : Asset{made_character(dice)});
      if (!other) return other.error();
      return diff_weights(asset, request, *other, run);
    }
  }
}

}  // namespace
}  // namespace dermis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  fuzz::use_one_thread();
  fuzz::Dice dice(data, size);
  Asset asset{fuzz::made_character(dice)};
  for (int n = 1 + dice.below(3); n > 0; --n) {
    // What subdividing multiplies takes longer each time.
    if (fuzz::posed_point_count(asset.character) > 2000) break;
    const Index locked = dice.one_in(4) ? fuzz::any_node(dice, asset.character) : kNone;
    const Character before = asset.character;
    const Result<WeightsReport> report = fuzz::operate(asset, dice, locked);
    if (!fuzz::require_valid_or_error(report, asset.character, "rows are valid after an operation")) break;
    if (locked != kNone) fuzz::require_lock_kept(before, asset.character, locked);
  }
  return 0;
}
