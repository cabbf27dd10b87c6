// SPDX-License-Identifier: MIT
// Normalises the normals of files, as every reader must, and computes missing ones, as glTF requires.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// Normals this far from unit length were not meant to be unit.
inline constexpr float kNormalTolerance = 0.02f;
// Normals this close to unit length are unit except for rounding and stay unchanged, so that written normals
// read back the same.
inline constexpr float kUnitRounding = 1e-6f;

struct NormalRepairs {
  std::size_t stretched = 0;  // clearly not unit, normalised
  std::size_t broken = 0;     // not finite, set to zero: no normal here
  std::size_t count() const { return stretched + broken; }
};
// "3 normals were not of unit length, 1 normal was not finite"; the caller adds what was done with them.
inline std::string text_of(const NormalRepairs& repairs) {
  std::string text;
  if (repairs.stretched > 0)
    text = counted(repairs.stretched, "normal was not of unit length", "normals were not of unit length");
  if (repairs.broken > 0)
    text += (text.empty() ? "" : ", ") +
            counted(repairs.broken, "normal was not finite", "normals were not finite");
  return text;
}
inline NormalRepairs make_unit(std::span<Vec3> normals) {
  NormalRepairs repairs;
  for (Vec3& n : normals) {
    const float size = length(n);
    if (!std::isfinite(size)) {
      n = Vec3{};
      ++repairs.broken;
      continue;
    }
    repairs.stretched += std::abs(size - 1.0f) > kNormalTolerance ? 1 : 0;
    if (std::abs(size - 1.0f) > kUnitRounding) n = normalized(n);
  }
  return repairs;
}

// True if the mesh has normals, but one in use has no length or is clearly not unit.
bool has_faulty_normals(const Mesh& mesh);
// Repairs them: missing normals on corners become those of their polygon, on points those of the polygons
// around; +Y if there is none. Reports it in `notes`.
void mend_normals(Mesh& mesh, Notes& notes);

}  // namespace dermis
