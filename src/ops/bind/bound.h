// SPDX-License-Identifier: MIT
// Rows by a method of the table, as `bind` and `rig` write them.
#pragma once

#include <span>
#include <vector>

#include "dermis/ops/bind.h"
#include "dermis/rig.h"

namespace dermis {

// A character that is bound: `surface` and `skeleton` are its own.
struct BoundParts {
  const Character& character;
  const BindSurface& surface;
  const BindSkeleton& skeleton;
  std::span<const SetAside> aside{};  // parts that are not the body: each follows one joint, a plate the root
};
struct StiffenedRows : BoundRows {
  std::vector<StiffPiece> stiff;
};
// The rows of the method, except that shells that do not bend follow one joint each, with a note. Fails as
// the method does, and with usage or bad_argument if a soft shell does not exist.
Result<StiffenedRows> bound_rows(const BoundParts& parts, const BindMethodRow& method,
                                 const BindOptions& options, const Progress& progress);

}  // namespace dermis
