// SPDX-License-Identifier: MIT
// Finds the outermost points of feet on the surfaces of a character.
#include "motion/soles.h"

#include <algorithm>
#include <array>

namespace dermis {
namespace {

// Straight down, and around at these angles below the horizon: a sole rotated by up to ninety degrees touches
// the ground with a point that is outermost in roughly one of these directions.
constexpr std::array<double, 4> kBelowHorizon{0, 20, 45, 70};  // degrees
constexpr std::size_t kAround = 12;
// Directions around the horizon have a smaller component along up than this.
constexpr double kLevel = 1e-6;

std::vector<Vec3d> directions_below(const Vec3d& up) {
  const Vec3d ahead = normalized(cross(up, std::abs(up.x) < 0.5 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1}));
  const Vec3d aside = cross(up, ahead);
  std::vector<Vec3d> all{-up};
  for (const double degrees : kBelowHorizon) {
    const double below = radians_from_degrees(degrees);
    for (std::size_t k = 0; k < kAround; ++k) {
      const double turn = 2 * kPi * static_cast<double>(k) / static_cast<double>(kAround);
      all.push_back((ahead * std::cos(turn) + aside * std::sin(turn)) * std::cos(below) -
                    up * std::sin(below));
    }
  }
  return all;
}

SolePoint sole_point(const Character& character, const Instance& instance, std::size_t v) {
  const Mesh& mesh = character.meshes[at(instance.mesh)];
  const Vec3d point(mesh.points[v]);
  if (instance.skin == kNone) return {{{instance.node, 1, point}}};
  const Skin& skin = character.skins[at(instance.skin)];
  SolePoint sole;
  for (const Influence& influence : mesh.weights.row(v))
    sole.parts.push_back({skin.node[at(influence.slot)], static_cast<double>(influence.weight),
                          Affined(skin.inverse_bind[at(influence.slot)]) * point});
  return sole;
}

// The node that moves a point most.
Index main_node(const Character& character, const Instance& instance, std::size_t v) {
  if (instance.skin == kNone) return instance.node;
  const Influence& heaviest = character.meshes[at(instance.mesh)].weights.row(v).front();
  return character.skins[at(instance.skin)].node[at(heaviest.slot)];
}

struct Outermost {
  double reach = -INFINITY;
  std::size_t instance = 0, v = 0;
  bool is_same(const Outermost& other) const { return instance == other.instance && v == other.v; }
};

// For each part, the points that reach furthest in each direction.
std::vector<std::vector<SolePoint>> outermost_points(const Character& character, const MovedBody& body,
                                                     std::span<const SolePart> parts, const Vec3d& up,
                                                     std::span<const Vec3d> ways, bool is_skin_alone) {
  std::vector<Index> tops;
  tops.reserve(parts.size());
  for (const SolePart& part : parts) tops.push_back(part.top);
  const std::vector<Index> part_of = nearest_tops(character, tops);
  std::vector<std::vector<Outermost>> best(parts.size(), std::vector<Outermost>(ways.size()));
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const Instance& instance = character.instances[i];
    if (!instance.in_scene || (is_skin_alone && instance.skin == kNone)) continue;
    for (std::size_t v = 0; v < character.meshes[at(instance.mesh)].points.size(); ++v) {
      const Index part = part_of[at(main_node(character, instance, v))];
      if (part == kNone) continue;
      const Vec3d place = sole_point(character, instance, v).place(body);
      const SolePart& own = parts[at(part)];
      if (dot(place, up) > own.below || dot(place, up) < own.above ||
          length(place - body.place(own.top)) > own.within)
        continue;
      for (std::size_t d = 0; d < ways.size(); ++d) {
        Outermost& most = best[at(part)][d];
        if (dot(place, ways[d]) > most.reach) most = {dot(place, ways[d]), i, v};
      }
    }
  }
  std::vector<std::vector<SolePoint>> soles(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t d = 0; d < ways.size(); ++d) {
      const Outermost& most = best[p][d];
      const auto is_known = std::any_of(best[p].begin(), best[p].begin() + static_cast<std::ptrdiff_t>(d),
                                        [&](const Outermost& other) { return most.is_same(other); });
      if (most.reach > -INFINITY && !is_known)
        soles[p].push_back(sole_point(character, character.instances[most.instance], most.v));
    }
  }
  return soles;
}

}  // namespace

Vec3d SolePoint::place(const MovedBody& body) const {
  Vec3d sum;
  for (const Part& part : parts) sum += body.carried_to(part.node, part.place) * part.weight;
  return sum;
}

std::vector<std::vector<SolePoint>> find_soles(const Character& character, const MovedBody& body,
                                               std::span<const SolePart> parts, const Vec3d& up) {
  return outermost_points(character, body, parts, up, directions_below(up), false);
}

std::vector<std::vector<SolePoint>> find_outlines(const Character& character, const MovedBody& body,
                                                  std::span<const SolePart> parts, const Vec3d& up) {
  std::vector<Vec3d> ways = directions_below(up);
  const std::size_t half = ways.size();
  for (std::size_t d = 0; d < half; ++d) {
    if (std::abs(dot(ways[d], up)) > kLevel) ways.push_back(-ways[d]);
  }
  return outermost_points(character, body, parts, up, ways, !character.skins.empty());
}

}  // namespace dermis
