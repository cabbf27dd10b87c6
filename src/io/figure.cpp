// SPDX-License-Identifier: MIT
// Guesses about figures: up is the direction of the limbs, and a person is 1.7 m tall.
#include "io/figure.h"

#include <fmt/format.h>

#include <cmath>

namespace dermis {
namespace {

constexpr double kPersonHeight = 1.7;  // metres
// Below this the figure extends about as far along Y as along Z; then Y, the formats' convention, is used.
constexpr double kClearlyMore = 1.2;

struct Unit {
  const char* name;
  double metres;
};
// MakeHuman writes decimetres, American studios inches, and CMU's motion library inches / 0.45.
constexpr Unit kUnits[] = {{"metres", 1},          {"centimetres", 0.01},
                           {"decimetres", 0.1},    {"inches", 0.0254},
                           {"millimetres", 0.001}, {"inches / 0.45 (CMU's motion library)", 0.0254 / 0.45}};

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

double guess_unit(double height, const std::string& why, Notes& notes) {
  const Unit* nearest = &kUnits[0];
  for (const Unit& unit : kUnits) {
    const auto distance = [&](const Unit& u) {
      return std::abs(std::log(height * u.metres / kPersonHeight));
    };
    if (height > 0 && distance(unit) < distance(*nearest)) nearest = &unit;
  }
  notes.push_back({Note::Kind::guess, "unit-guessed",
                   fmt::format("{}; {} are assumed, which makes the figure {:.3g} m tall", why, nearest->name,
                               height * nearest->metres)});
  return nearest->metres;
}

}  // namespace dermis
