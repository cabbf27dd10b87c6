// SPDX-License-Identifier: MIT
// The up axis and the unit of length, guessed from a figure if the format states neither.
#pragma once

#include <string>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/math.h"

namespace dermis {

// The note for files that state their up axis, if LoadOptions::up is set anyway.
inline constexpr const char* kUpNotUsed = "up-not-used";
inline constexpr const char* kUpNotUsedWords =
    "the file states its own up axis; the requested one is not used";

// Rotates +Z up to +Y up: (x, y, z) becomes (x, z, -y).
Quatd y_up_from_z_up();

// The up axis: as requested, or else Z if `spread` (how much of the figure runs along each axis, in any
// measure) is clearly larger along Z than along Y, and Y otherwise. Notes report a guess and a rotation;
// `evidence` names what the spread was measured on.
UpAxis choose_up(UpAxis asked, const Vec3d& spread, const std::string& evidence, Notes& notes);

// Why a unit is guessed, if the format cannot state one.
inline constexpr const char* kUnitNotSaid = "the file does not state its unit";
// The common unit in which a figure of this height is closest to an adult; a height of zero gives metres.
// Noted as a guess, with the reason `why`, unless a unit is stated (LoadOptions::metres_per_unit above zero),
// which `load` then uses instead.
double guess_unit(double height, const std::string& why, double stated, Notes& notes);

}  // namespace dermis
