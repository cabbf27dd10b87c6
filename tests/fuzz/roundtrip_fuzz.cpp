// SPDX-License-Identifier: MIT
// Any character written as GLB and read: the second time nothing changes to the last bit.
#include "io/same_character.h"
#include "made_character.h"

namespace dermis::fuzz {
namespace {

// What the file holds of a character, if it can be written.
std::optional<Character> written_and_read(const Character& character, const std::string& path) {
  const Result<Notes> saved = save(path, Asset{character});
  if (!require_valid_or_error(saved, character, "what was written is valid")) return std::nullopt;
  Result<Asset> loaded = load(path, {2 * kMaxMemory});
  require(loaded.ok(), "what was written loads again", loaded ? "" : loaded.error().sentence);
  const Status valid = validate(loaded->character);
  require(valid.ok(), "what loads is valid", valid ? "" : valid.error().sentence);
  return std::move(loaded->character);
}

}  // namespace
}  // namespace dermis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  fuzz::use_one_thread();
  static const fuzz::OutputFile output("-round.glb");
  fuzz::Dice dice(data, size);
  const Character made = fuzz::made_character(dice);
  const std::optional<Character> once = fuzz::written_and_read(made, output.path);
  if (!once) return 0;
  // A node with several meshes arrives with a node below it for each further one.
  const std::size_t nodes = once->nodes.size();
  fuzz::require(nodes >= made.nodes.size() && nodes <= made.nodes.size() + made.instances.size(),
                "every node arrives");
  fuzz::require(once->skins.size() == made.skins.size(), "every skin arrives");
  const std::optional<Character> twice = fuzz::written_and_read(*once, output.path);
  fuzz::require(twice.has_value(), "what was read can be written");
  const std::string difference = test::difference_between(*once, *twice);
  fuzz::require(difference.empty(), "a second round trip changes nothing", difference);
  return 0;
}
