// SPDX-License-Identifier: MIT
// Built-in characters and motions, made by code: nothing to download, nothing to license.
#pragma once

#include <span>
#include <vector>

#include "dermis/base.h"
#include "dermis/model.h"

namespace dermis {

enum class MadeKind { tube, arm, humanoid, quadruped, hand, face };

// The tube is round and stands on the ground around +Y. Its radius and its height, which includes the rounded
// ends of one radius each. Metres.
inline constexpr double kTubeRadius = 0.1, kTubeHeight = 1.0;

struct MakeOptions {
  std::size_t points = 20000;  // target count, 1,000 to 1,000,000; the result is within 1 % of it
};

struct MadeRow {
  MadeKind kind;
  const char* name;     // "humanoid"
  const char* summary;  // one line for help
};
// All kinds, in display order.
std::span<const MadeRow> made_kinds();

// A rigged, weighted, animated character whose skin is one closed smooth surface (genus 0), standing on y = 0
// and facing +Z, in metres, with unit normals. Joint frames are parallel to the world at rest, so a turn
// about x is a turn about the world's x; names end in _L (+X) and _R. No two nodes share a name; the node
// with the skin is named after the kind, as in "hand_mesh". Humanoid, quadruped and face are exactly
// symmetric. At most four influences per point; one clip that loops. Deterministic: the same kind and points
// give the same bytes.
Result<Character> make_character(MadeKind kind, const MakeOptions& options = {},
                                 const Progress& progress = {});

// ---- Motions ------------------------------------------------------------------------------------------

enum class MadeMotion { walk, run, wave, range, trot };

struct MadeMotionRow {
  MadeMotion motion;
  const char* name;     // "walk"
  const char* summary;  // one line for help
};
// All motions, in display order.
std::span<const MadeMotionRow> made_motions();

// The skeleton of the built-in humanoid (of the quadruped for `trot`) without a skin, and one clip of that
// name: +Y up, facing +Z, in metres, 30 keys per second. Planted feet do not slide; walk, run and trot travel
// along +Z and are one cycle, whose last pose is the first one moved forward. The same on every machine
// except for rounding.
Result<Character> make_motion(MadeMotion motion);

}  // namespace dermis
