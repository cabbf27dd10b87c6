// SPDX-License-Identifier: MIT
// Markup helpers for plots, charts and reports.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace dermis {

// Text escaped for HTML and SVG: &, <, > and quotes by name, without characters that XML forbids.
std::string escaped(std::string_view text);

// Colours of curves by the number of their look: eight that are also distinct for red-green colour blindness
// (Okabe and Ito 2008), and two darker ones between them (Tol 2021).
inline constexpr std::array<const char*, 10> kCurveColours = {"#7f7f7f", "#0072b2", "#d55e00", "#e69f00",
                                                              "#cc79a7", "#56b4e9", "#000000", "#009e73",
                                                              "#882255", "#999933"};
inline const char* curve_colour(std::size_t k) { return kCurveColours[k % kCurveColours.size()]; }

}  // namespace dermis
