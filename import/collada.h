// SPDX-License-Identifier: MIT
// Which animations of a Collada document play together.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"

namespace dermis::import {

struct TextRange {
  std::size_t at = 0, end = 0;
};

// An <animation> directly below a library, with the tags of those inside it.
struct ColladaAnimation {
  TextRange whole, open, close;
  std::size_t library = 0;
  std::string name;  // its name, else its id
  std::vector<TextRange> inner_tags;
  std::set<std::string, std::less<>> ids;  // its own, and those inside it
};

// An <animation_clip>.
struct ColladaClip {
  std::string name;
  // Seconds of the animations that the clip shows; all of them if `end` is not after `start`.
  double start = 0, end = 0;
  std::vector<std::string> animations{};  // ids
};

struct ColladaClips {
  std::vector<ColladaAnimation> animations;
  std::vector<ColladaClip> clips;
  std::vector<TextRange> clip_libraries;
};

// At least one animation. An Error says why they cannot be joined, as the end of a sentence about the
// document: "its samplers share ids".
Result<ColladaClips> read_collada_clips(std::string_view document);

// assimp makes a clip of every <animation>, although a document usually has one for each node, or even for
// each coordinate of one; so they are joined into one element before assimp reads them. This is the document
// with the animations of `clip`, with all of them (kEveryAnimation), or with none (kNoAnimation). Positions
// in the text stay as they are.
inline constexpr std::size_t kEveryAnimation = static_cast<std::size_t>(-1);
inline constexpr std::size_t kNoAnimation = static_cast<std::size_t>(-2);
std::string with_joined_animations(std::string_view document, const ColladaClips& clips, std::size_t clip);
// How many animations are in no clip, although there are clips.
std::size_t unused_animations(const ColladaClips& clips);

}  // namespace dermis::import
