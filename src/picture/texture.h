// SPDX-License-Identifier: MIT
// Textures with their smaller copies.
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

// Linear colour and opacity at `uv`, v downwards, beyond [0, 1] as `wrap` says along u and v: bilinear on the
// level whose pixels are about as large as `footprint`, which is counted in pixels of the first level.
Vec4 texture_at(const Texture& texture, const std::array<Wrap, 2>& wrap, const Vec2& uv, float footprint);

}  // namespace dermis
