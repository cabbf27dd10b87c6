// SPDX-License-Identifier: MIT
// Turns of joints in the world, and the undersides of feet.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "motion/straight.h"

namespace dermis {
namespace {

// Edges of an underside whose slopes differ by at most this are one edge: soles are a little round.
constexpr double kStraightEdge = 8;  // degrees
// Steeper edges are not undersides.
constexpr double kSteepest = 50;  // degrees
// An underside is at least this fraction of the extent.
constexpr double kLeastUnderside = 0.4;
// One within this of level is level.
constexpr double kLevelEdge = 3;  // degrees
constexpr int kMostRounds = 5;
constexpr std::size_t kLeastSolePoints = 6;
// Points with this weight on a part move as it does; others bend with its neighbours.
constexpr double kFirmWeight = 0.9;

bool is_tip_name(std::string_view name) {
  for (const std::string& word : name_words(name)) {
    if (word == "end" || word == "tip" || word == "nub" || word == "site") return true;
  }
  return false;
}

Mat3d axes_of(const Vec3d& first, const Vec3d& second) {
  const Vec3d x = normalized(first), z = normalized(cross(x, second));
  return {x, cross(z, x), z};
}

struct Point2 {
  double along = 0, up = 0;
};

// The lower hull, from back to front (Andrew's monotone chain).
std::vector<Point2> lower_hull(std::vector<Point2> points) {
  std::sort(points.begin(), points.end(), [](const Point2& a, const Point2& b) {
    return a.along != b.along ? a.along < b.along : a.up < b.up;
  });
  std::vector<Point2> hull;
  for (const Point2& p : points) {
    while (hull.size() >= 2) {
      const Point2 &a = hull[hull.size() - 2], &b = hull.back();
      if ((b.along - a.along) * (p.up - a.up) - (b.up - a.up) * (p.along - a.along) > 0) break;
      hull.pop_back();
    }
    hull.push_back(p);
  }
  return hull;
}

double slope_between(const Point2& a, const Point2& b) { return std::atan2(b.up - a.up, b.along - a.along); }

std::optional<double> slope_below(std::span<const Vec3d> points, const Quatd& turn, const Vec3d& ahead,
                                  const Vec3d& up) {
  std::vector<Point2> seen;
  seen.reserve(points.size());
  for (const Vec3d& point : points) {
    const Vec3d p = rotate(turn, point);
    seen.push_back({dot(p, ahead), dot(p, up)});
  }
  const std::vector<Point2> hull = lower_hull(std::move(seen));
  if (hull.size() < 2) return std::nullopt;
  const double extent = hull.back().along - hull.front().along;
  const double same = radians_from_degrees(kStraightEdge), steepest = radians_from_degrees(kSteepest);
  double longest = 0, slope = 0;
  for (std::size_t i = 0; i + 1 < hull.size(); ++i) {
    const double first = slope_between(hull[i], hull[i + 1]);
    std::size_t j = i + 1;
    // Slopes rise along a lower hull.
    while (j + 1 < hull.size() && slope_between(hull[j], hull[j + 1]) <= first + same) ++j;
    const double chord = slope_between(hull[i], hull[j]);
    const double size = std::hypot(hull[j].along - hull[i].along, hull[j].up - hull[i].up);
    if (std::abs(chord) <= steepest && size > longest) longest = size, slope = chord;
  }
  if (!(longest >= kLeastUnderside * extent) || !(longest > 0)) return std::nullopt;
  return slope;
}

}  // namespace

Turning::Turning(const Character& character, const RoleMap& roles)
    : character_(character),
      roles_(roles),
      is_joint_(skin_joints(character)),
      has_role_(character.nodes.size()),
      turns_(character.nodes.size()),
      is_set_(character.nodes.size()) {
  for (const Affined& world : rest_world(character)) places_.push_back(world.translation);
  for (const Index joint : joints_of(roles)) has_role_[at(joint)] = true;
}

Vec3d Turning::bone(Index from, Index to) const {
  if (from == kNone || to == kNone) return {};
  const Vec3d way = place(to) - place(from);
  return length(way) > 0 ? normalized(way) : Vec3d{};
}

std::optional<Vec3d> Turning::tip_of(Index node) const {
  Vec3d tips, joints;
  int tip_count = 0, joint_count = 0;
  for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
    if (character_.nodes[n].parent != node || has_role_[n]) continue;
    if (is_tip_name(character_.nodes[n].name))
      tips += places_[n], ++tip_count;
    else if (is_joint_[n])
      joints += places_[n], ++joint_count;
  }
  if (tip_count == 0 && joint_count != 1) return std::nullopt;
  const Vec3d tip = tip_count > 0 ? tips * (1.0 / tip_count) : joints;
  return length(tip - place(node)) > 0 ? std::optional(tip) : std::nullopt;
}

Quatd Turning::turn_of(Index node) const {
  for (; node != kNone; node = parent(node)) {
    if (is_set_[at(node)]) return turns_[at(node)];
  }
  return {};
}

void Turning::point(Index node, const Vec3d& bone, const Vec3d& to) {
  if (node != kNone) set(node, swung(turn_of(node), bone, to));
}

std::vector<Quatd> Turning::all_turns() const {
  std::vector<Quatd> turns = turns_;
  for (const Index n : parents_first(character_.nodes)) {
    if (!is_set_[at(n)]) turns[at(n)] = parent(n) == kNone ? Quatd{} : turns[at(parent(n))];
  }
  return turns;
}

std::vector<Vec3d> Turning::turned_places() const {
  const std::vector<Quatd> turns = all_turns();
  std::vector<Vec3d> turned = places_;
  for (const Index n : parents_first(character_.nodes)) {
    if (parent(n) != kNone)
      turned[at(n)] = turned[at(parent(n))] + rotate(turns[at(parent(n))], place(n) - place(parent(n)));
  }
  return turned;
}

Quatd swung(const Quatd& turn, const Vec3d& bone, const Vec3d& to) {
  if (!(length(bone) > 0)) return turn;
  return normalized(quat_between(rotate(turn, bone), to) * turn);
}

Quatd frame_turn(const Vec3d& first, const Vec3d& second, const Vec3d& first_to, const Vec3d& second_to) {
  if (length(cross(first, second)) < 1e-6 * length(first) * length(second))
    return quat_between(first, first_to);
  return quat_from_matrix(axes_of(first_to, second_to) * transposed(axes_of(first, second)));
}

double angle_around(const Vec3d& axis, const Vec3d& from, const Vec3d& to) {
  const Vec3d a = from - axis * dot(axis, from), b = to - axis * dot(axis, to);
  return std::atan2(dot(axis, cross(a, b)), dot(a, b));
}

double rise_between(double least, double most, double value) {
  const double t = std::clamp((value - least) / (most - least), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

std::vector<std::vector<Vec3d>> points_of_parts(const Character& character, std::span<const Index> tops) {
  const std::vector<Index> part_of = nearest_tops(character, tops);
  const std::vector<Affined> world = rest_world(character);
  std::vector<std::vector<Vec3d>> parts(tops.size()), firm(tops.size());
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene || instance.skin == kNone) continue;
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    const Skin& skin = character.skins[at(instance.skin)];
    std::vector<Affined> palette;
    for (std::size_t s = 0; s < skin.node.size(); ++s)
      palette.push_back(world[at(skin.node[s])] * Affined(skin.inverse_bind[s]));
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      const std::span<const Influence> row = mesh.weights.row(v);
      const Index part = part_of[at(skin.node[at(row.front().slot)])];
      if (part == kNone) continue;
      Vec3d place;
      double own = 0;
      for (const Influence& influence : row) {
        const auto weight = static_cast<double>(influence.weight);
        place += palette[at(influence.slot)] * Vec3d(mesh.points[v]) * weight;
        if (part_of[at(skin.node[at(influence.slot)])] == part) own += weight;
      }
      parts[at(part)].push_back(place);
      if (own >= kFirmWeight) firm[at(part)].push_back(place);
    }
  }
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (firm[p].size() >= kLeastSolePoints) parts[p] = std::move(firm[p]);
  return parts;
}

std::optional<double> level_turn(std::span<const Vec3d> points, const Quatd& turn, const Vec3d& ahead,
                                 const Vec3d& up) {
  if (points.size() < kLeastSolePoints) return std::nullopt;
  const Vec3d axis = cross(up, ahead);
  double turned = 0;
  // Turned level, another edge may be the longest.
  for (int round = 0; round < kMostRounds; ++round) {
    const std::optional<double> slope =
        slope_below(points, quat_from_axis_angle(axis, turned) * turn, ahead, up);
    if (!slope) return std::nullopt;
    if (std::abs(*slope) < radians_from_degrees(kLevelEdge)) return turned;
    turned += *slope;
  }
  return std::nullopt;
}

}  // namespace dermis
