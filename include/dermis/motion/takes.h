// SPDX-License-Identifier: MIT
// Clips from takes of weights and from keys by hand, and clips as such keys.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/model.h"
#include "dermis/model/takes.h"

namespace dermis {

// ---- Names of shapes ------------------------------------------------------------------------------------

// What names of one shape have in common in ARKit, Live Link Face, ICT, VRM and others: lower case without
// signs and prefixes, the side as _l or _r at the end. "eyeblink_l" for "EyeBlinkLeft" and "head:eyeBlink_L".
std::string shape_key(std::string_view name);

// Which sources each target follows, found by names.
struct ShapeMatch {
  std::vector<ShapeMapRow> rows;  // in the order of the targets; those that follow nothing have none
  std::size_t by_name = 0;        // rows that follow shapes of their own name, whatever its spelling
  std::string map;                // the built-in map that gave the others: "ARKit to VRM"; empty: none
};
// A target follows the source of its name; one without a side both sides by half, one with a side the source
// without; else what the built-in map with most targets says (see docs/shapes.md). Linear in the names.
ShapeMatch match_shapes(std::span<const std::string> sources, std::span<const std::string> targets);

// The labels of the shapes of all instances, each once, in order.
std::vector<std::string> shape_labels(const Character& character);

// ---- Takes ----------------------------------------------------------------------------------------------

struct TakenClip {
  Clip clip;
  Notes notes;
  std::size_t shape_count = 0;  // labels that it moves
  std::vector<std::string> unused_columns;
};
// A clip that sets every shape that a row names, on all instances that have it, to the weighted sum of the
// take's columns, linear between the rows of the take. Other shapes of these instances keep their weights at
// rest. Rows of shapes or columns that are not there are left out with a note; an Error if none is left.
Result<TakenClip> clip_of_take(const Character& character, const WeightTake& take,
                               std::span<const ShapeMapRow> rows);
// Puts the channels of `added` into `clip`: of the same shapes of an instance those of `added` count, others
// are kept. Curves other than linear ones are sampled at the keys of both, with a note.
void add_to_clip(const Character& character, const Clip& added, Clip& clip, Notes& notes);

// ---- Keys by hand ---------------------------------------------------------------------------------------

// A channel for every quantity with a key. If the keys of one (or the shapes of one instance) differ in
// kind, it becomes a cubic curve: linear parts stay straight, steps get a key right before the next one. An
// Error names what the character does not have, and quantities with two keys at a time.
Result<Clip> clip_of_keys(const Character& character, const KeyedPoses& keys);

struct ClipKeys {
  KeyedPoses keys;
  Notes notes;
};
// The keys of a clip. clip_of_keys gives the same channels back, if shapes of one label have the same keys
// on all instances; a note says so if not.
ClipKeys keys_of_clip(const Character& character, const Clip& clip);

}  // namespace dermis
