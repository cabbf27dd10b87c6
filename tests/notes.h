// SPDX-License-Identifier: MIT
// Looks for notes by id.
#pragma once

#include <algorithm>
#include <string_view>

#include "dermis/base.h"

namespace dermis::test {

inline bool has_note(const Notes& notes, std::string_view id) {
  return std::any_of(notes.begin(), notes.end(), [&](const Note& note) { return note.id == id; });
}

}  // namespace dermis::test
