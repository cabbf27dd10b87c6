// SPDX-License-Identifier: MIT
// Round steps, and their numbers as text.
#include "picture/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dermis {

double round_step(double range, int most) {
  const double raw = range / most, ten = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * ten >= raw * (1 - 1e-9)) return step * ten;
  }
  return 10 * ten;
}

std::string tick_text(double value, double step) {
  if (std::abs(value) < 1e-6 * step) return "0";
  if (step >= 1e5 || step < 1e-4) {
    const double digits = std::ceil(std::log10(std::abs(value) / step)) + 1;
    return fmt::format("{:.{}g}", value, static_cast<int>(std::clamp(digits, 1.0, 15.0)));
  }
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace dermis
