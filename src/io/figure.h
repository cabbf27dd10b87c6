// SPDX-License-Identifier: MIT
// Which way is up and how long a unit is, guessed from a figure when a format does not say.
#pragma once

#include <string>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/math.h"

namespace dermis {

// The note for files that say themselves which axis is up, when LoadOptions::up is set all the same.
inline constexpr const char* kUpNotUsed = "up-not-used";
inline constexpr const char* kUpNotUsedWords =
    "the file says its own up axis; the one that was asked for is not used";

// Turns +Z up into +Y up: (x, y, z) becomes (x, z, -y).
Quatd y_up_from_z_up();

// The axis that is up: as asked for, or else Z when `spread` (how much of the figure runs along each axis, in
// any measure) is clearly larger along Z than along Y, and Y otherwise. A guess, and a turn, are noted;
// `evidence` says what the spread was taken from.
UpAxis choose_up(UpAxis asked, const Vec3d& spread, const std::string& evidence, Notes& notes);

// Why a unit is guessed, where the format cannot say one.
inline constexpr const char* kUnitNotSaid = "the file does not say its unit";
// The unit, of those that tools use, in which a figure of this height comes nearest to a grown person; noted
// as a guess, with the words `why`. A height of zero gives metres.
double guess_unit(double height, const std::string& why, Notes& notes);

}  // namespace dermis
