// SPDX-License-Identifier: MIT
// Guesses about figures: up is the direction of the limbs, and a person is 1.7 m tall.
#include "io/figure.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <optional>
#include <vector>

#include "io/text.h"

namespace dermis {
namespace {

constexpr double kPersonHeight = 1.7;  // metres
// Below this the figure extends about as far along Y as along Z; then Y, the formats' convention, is used.
constexpr double kClearlyMore = 1.2;

struct Unit {
  const char* name;
  double metres;
  const char* spellings;  // the first one is the symbol
};
// MakeHuman writes decimetres, American studios inches, and CMU's motion library inches / 0.45.
constexpr Unit kUnits[] = {{"metres", 1, "m metre metres meter meters"},
                           {"centimetres", 0.01, "cm centimetre centimetres centimeter centimeters"},
                           {"decimetres", 0.1, "dm decimetre decimetres decimeter decimeters"},
                           {"inches", 0.0254, "in inch inches"},
                           {"millimetres", 0.001, "mm millimetre millimetres millimeter millimeters"},
                           {"inches / 0.45 (CMU's motion library)", 0.0254 / 0.45, "cmu"}};
// Stated by people, never guessed.
constexpr Unit kFurtherUnits[] = {{"feet", 0.3048, "ft foot feet"},
                                  {"yards", 0.9144, "yd yard yards"},
                                  {"kilometres", 1000, "km kilometre kilometres kilometer kilometers"}};

std::string_view symbol_of(const Unit& unit) {
  std::string_view spellings = unit.spellings;
  return next_word(spellings);
}

bool is_spelling(const Unit& unit, std::string_view text) {
  std::string_view spellings = unit.spellings;
  for (std::string_view word = next_word(spellings); !word.empty(); word = next_word(spellings)) {
    if (word == text) return true;
  }
  return false;
}

std::vector<Unit> all_units() {
  std::vector<Unit> units(std::begin(kUnits), std::end(kUnits));
  units.insert(units.end(), std::begin(kFurtherUnits), std::end(kFurtherUnits));
  return units;
}

// The unit in which a figure of this height is closest to an adult.
const Unit& unit_of_figure(double height) {
  const auto distance = [&](const Unit& unit) {
    return std::abs(std::log(height * unit.metres / kPersonHeight));
  };
  const Unit* nearest = &kUnits[0];
  for (const Unit& unit : kUnits) {
    if (height > 0 && distance(unit) < distance(*nearest)) nearest = &unit;
  }
  return *nearest;
}

}  // namespace

Quatd y_up_from_z_up() { return quat_from_axis_angle({1, 0, 0}, -kPi / 2); }

UpAxis choose_up(UpAxis asked, const Vec3d& spread, const std::string& evidence, Notes& notes) {
  UpAxis up = asked;
  if (up == UpAxis::guess) {
    up = spread.z > kClearlyMore * spread.y ? UpAxis::z : UpAxis::y;
    notes.push_back(
        Note{Note::Kind::guess, "up-axis-guessed",
             up == UpAxis::z
                 ? fmt::format("Z is assumed to be up, because {} run mostly along it", evidence)
                 : fmt::format("Y is assumed to be up, because {} do not clearly run along Z", evidence)}
            .with_remedy("up", up == UpAxis::z ? "y" : "z"));
  }
  if (up == UpAxis::z)
    notes.push_back({Note::Kind::info, "turned-y-up", "the figure was rotated from Z up to Y up"});
  return up;
}

double guess_unit(double height, const std::string& why, double stated, Notes& notes) {
  const Unit& unit = unit_of_figure(height);
  if (stated > 0) return unit.metres;
  notes.push_back(Note{Note::Kind::guess, "unit-guessed",
                       fmt::format("{}; {} are assumed, which makes the figure {:.3g} m tall", why, unit.name,
                                   height * unit.metres)}
                      .with_remedy("unit"));
  return unit.metres;
}

std::string likely_unit(double height) { return std::string(symbol_of(unit_of_figure(height))); }

std::string unit_symbols() {
  std::string symbols;
  for (const Unit& unit : all_units())
    symbols += fmt::format("{}{}", symbols.empty() ? "" : ", ", symbol_of(unit));
  return symbols;
}

Result<double> parse_unit(const std::string& text) {
  std::string lower = text;
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  for (const Unit& unit : all_units()) {
    if (is_spelling(unit, lower)) return unit.metres;
  }
  const std::optional<double> number = parse_number<double>(text);
  if (number && std::isfinite(*number) && *number > 0) return *number;
  return Error{Errc::usage, fmt::format("unit {}: write one of {}, or metres per unit, as in 0.01",
                                        quoted_name(text), unit_symbols())};
}

}  // namespace dermis
