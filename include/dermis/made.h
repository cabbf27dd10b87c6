// SPDX-License-Identifier: MIT
// Built-in characters, made by code at any resolution: nothing to download, nothing to license.
#pragma once

#include <span>
#include <vector>

#include "dermis/base.h"
#include "dermis/model.h"

namespace dermis {

enum class MadeKind { tube, arm, humanoid, quadruped, hand, face };

struct MakeOptions {
  std::size_t points = 20000;  // wanted; 1,000 to 1,000,000. The result is within 1 % of it
};

struct MadeRow {
  MadeKind kind;
  const char* name;     // "humanoid"
  const char* summary;  // one line for --help
};
// All kinds, in the order they are shown.
std::span<const MadeRow> made_kinds();

// A rigged, weighted, animated character whose skin is one closed smooth surface (genus 0), standing on
// y = 0 and facing +Z, in metres, with unit normals. Joint frames are parallel to the world at rest, so a
// turn about x is a turn about the world's x; names end in _L (+X) and _R. No two nodes share a name; the
// node that holds the skin is named after the kind, as in "hand_mesh". Humanoid, quadruped and face are exact
// mirror images of themselves. At most four influences a point; one clip that loops. Deterministic: same
// kind and points, same bytes.
Result<Character> make_character(MadeKind kind, const MakeOptions& options = {},
                                 const Progress& progress = {});

}  // namespace dermis
