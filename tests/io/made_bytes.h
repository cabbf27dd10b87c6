// SPDX-License-Identifier: MIT
// Files built byte by byte, and the mesh that comes out of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "dermis/io.h"

namespace dermis::test {

// Appends a number, or a struct of numbers, in either byte order; a struct in this machine's only.
template <class Number>
void put(std::string& out, Number number, bool is_big = false) {
  auto bytes = std::bit_cast<std::array<char, sizeof(Number)>>(number);
  if (is_big) std::reverse(bytes.begin(), bytes.end());
  out.append(bytes.data(), bytes.size());
}

inline const Mesh& mesh_of(const Result<Asset>& asset) { return asset->character.meshes.at(0); }

}  // namespace dermis::test
