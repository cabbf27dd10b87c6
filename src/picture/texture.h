// SPDX-License-Identifier: MIT
// Textures with mipmaps.
#pragma once

#include <array>
#include <vector>

#include "dermis/image.h"
#include "dermis/model.h"

namespace dermis {

// A picture and its halves down to one pixel; all with the bytes of Pixels.
struct Texture {
  std::vector<Pixels> levels;  // empty: none
  bool empty() const { return levels.empty(); }
};
Texture make_texture(const Pixels& pixels);

// Linear colour and opacity at `uv`, v downwards, wrapped outside [0, 1] along u and v by `wrap`: bilinear on
// the level whose pixels are about as large as `footprint`, in pixels of the first level.
Vec4 texture_at(const Texture& texture, const std::array<Wrap, 2>& wrap, const Vec2& uv, float footprint);

}  // namespace dermis
