// SPDX-License-Identifier: MIT
// Round numbers for axes and legends.
#pragma once

#include <string>

namespace dermis {

// The smallest of 1, 2 or 5 times a power of ten that divides `range`, above zero, into at most `most` parts.
double round_step(double range, int most);

// A tick's number, with enough digits to distinguish it from its neighbours a step away: 0.05 shows two after
// the point, very large and very small steps show powers of ten, and zero has no minus.
std::string tick_text(double value, double step);

}  // namespace dermis
