// SPDX-License-Identifier: MIT
// Normals of files made unit, as every reader must, and made where some are missing, as glTF wants them.
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
// Normals this near to unit length are unit but for rounding and keep their bits, so that what was written
// reads back the same.
inline constexpr float kUnitRounding = 1e-6f;

struct NormalRepairs {
  std::size_t stretched = 0;  // clearly not unit, normalised
  std::size_t broken = 0;     // not finite, now zero: none here
  std::size_t count() const { return stretched + broken; }
};
// "3 normals were not of unit length, 1 normal was not finite"; the caller says what became of them.
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

// True when the mesh has normals, but one that is shown has no length or is clearly not unit.
bool has_faulty_normals(const Mesh& mesh);
// Makes them good: on corners the missing ones become those of their polygons, on points those of the
// polygons around; +Y where there is none. Says so in `notes`.
void mend_normals(Mesh& mesh, Notes& notes);

}  // namespace dermis
