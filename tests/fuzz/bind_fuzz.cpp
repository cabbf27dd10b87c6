// SPDX-License-Identifier: MIT
// Any body bound to any skeleton by every method: valid weights or one sentence.
#include <cmath>

#include "dermis/ops.h"
#include "made_character.h"

namespace dermis::fuzz {
namespace {

// Cells for a body of this size; the methods' own choice takes a second for each input.
double made_cell(const Character& character, Dice& dice) {
  double size = 0;
  for (const Mesh& mesh : character.meshes) {
    for (const Vec3& point : mesh.points) size = std::max(size, length(Vec3d(point)));
  }
  constexpr double kParts[] = {16, 16, 16, 5, 1, 40};
  return size / dice.any_of(kParts);
}

}  // namespace
}  // namespace dermis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  fuzz::use_one_thread();
  fuzz::Dice dice(data, size);
  const auto methods = bind_methods();
  BindRequest request;
  request.method = &methods[at(dice.below(static_cast<int>(methods.size())))];
  request.max_influences = 1 + dice.below(8);
  request.options.biharmonic.cells = 300;
  const bool has_other_skeleton = dice.one_in(4);
  Asset asset{fuzz::made_character(dice)};
  request.options.voxel.cell = fuzz::made_cell(asset.character, dice);
  Asset skeleton;
  if (has_other_skeleton) {
    skeleton.character = fuzz::made_character(dice);
    request.skeleton = &skeleton;
  }
  const Result<BindReport> report = bind(asset, request, {{}, fuzz::kMaxMemory});
  fuzz::require_valid_or_error(report, asset.character, "what was bound is valid");
  return 0;
}
