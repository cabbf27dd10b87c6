// SPDX-License-Identifier: MIT
// Characters of others whose true joints are known: at rest, carrying things, in the middle of their clips.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rig/bodies.h"

namespace dermis::test {

// True joints by their names in the template of the body's kind.
using Places = std::map<std::string, Vec3d>;

struct Body {
  std::string name, kind;
  std::string asked;  // the template; empty: any
  Soup soup;
  Places truth;
  bool is_posed = false;   // in the middle of a clip
  bool has_props = false;  // with all that it wears and carries
};

// The joint of a template that lies where a landmark of that role does: "hand_L" for "wrist_L".
std::string joint_at_landmark(const std::string& kind, const std::string& role);
// Of the folder with real files: those with landmarks placed by eye, and the artists' own rigs with up to
// `clip_count` of their clips, each in its middle; those that carry things also with these.
std::vector<Body> real_bodies(const std::string& data, std::size_t clip_count);
// The same body with antlers; with templates that it does not have.
void add_variants(const Body& body, std::vector<Body>& bodies);
// A closed six-sided spike.
Soup spike(const Vec3d& from, const Vec3d& to, double radius);

// A joint further from the truth than this share of the largest side is in another part of the body: half of
// a head's joints lie in the neck, so they may be twice as far.
inline constexpr double kWrong = 0.12, kWrongHead = 0.24;
// Right if every limb joint and the head are where they belong; wrong also in another template's names. Not
// judged if no template was found: that is doubted anyway.
std::optional<bool> is_right(const Body& body, const FoundSkeleton& found);
// Limb joints that have a true place, and those of them that lie within one radius of their limb.
struct LimbCount {
  int all = 0, right = 0;
  std::map<std::string, std::array<int, 2>> by_joint;  // right, all: without the side
  std::string misses;                                  // "hand_L 1.4": distance in radii of the limb
};
LimbCount count_limbs(const Body& body, const FoundSkeleton& found);

// FNV-1a: the halves must not depend on the standard library.
std::uint32_t hash_of(const std::string& name);

}  // namespace dermis::test
