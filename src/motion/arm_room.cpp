// SPDX-License-Identifier: MIT
// Keeps the arms of a moved body out of its trunk, head and thighs: stocky bodies get wider gestures.
#include "motion/arm_room.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "motion/body.h"

namespace dermis {
namespace {

using enum JointRole;

constexpr std::size_t kHeights = 16, kAround = 24;
// The most cuts of an edge of a triangle that is entered.
constexpr int kMostCuts = 24;
// Further out the motion does not suit the body at all, and that should be seen.
constexpr double kMostTurn = 40;  // degrees
// Arms move out and back over this time, half before and half after.
constexpr double kEaseTime = 0.3;  // seconds
// Turns found for single frames are smoothed, which leaves a rest for the next round.
constexpr int kRounds = 6, kSteps = 4;
// A step turns by at most this; outward ways along the arm ask for more than any turn gives.
constexpr double kMostStep = 12, kLeastSine = 0.3;  // degrees; sine
// Samples between elbow and wrist, and how far along the hand the last one is.
constexpr int kForearmSamples = 4;
constexpr double kHandShare = 0.7;
// Arms that are less deep are not turned, in arm lengths.
constexpr double kTouching = 0.004;

Vec3d level_to(const Vec3d& v, const Vec3d& unit) { return v - unit * dot(v, unit); }

// Where a point lies around a bone: the height as a fraction, the direction as a fraction of a turn.
double height_share(const RoundPart& part, const Vec3d& local) {
  return (dot(local, part.along) - part.low) / (part.high - part.low);
}
double turn_share(const RoundPart& part, const Vec3d& out) {
  const double angle = std::atan2(dot(out, cross(part.along, part.ahead)), dot(out, part.ahead)) / (2 * kPi);
  return angle - std::floor(angle);
}

// Enters a triangle, in the frame of the part's joint, by points that are no further apart than half a cell.
void add_reach(const std::array<Vec3d, 3>& local, RoundPart& part) {
  const double size = std::max(length(local[1] - local[0]), length(local[2] - local[0]));
  const double cell = (part.high - part.low) / static_cast<double>(kHeights);
  const int cuts = std::clamp(static_cast<int>(std::ceil(2 * size / cell)), 1, kMostCuts);
  for (int i = 0; i <= cuts; ++i) {
    for (int j = 0; i + j <= cuts; ++j) {
      const Vec3d p = local[0] + (local[1] - local[0]) * (static_cast<double>(i) / cuts) +
                      (local[2] - local[0]) * (static_cast<double>(j) / cuts);
      const Vec3d out = level_to(p, part.along);
      const auto row = static_cast<std::size_t>(std::clamp(
          height_share(part, p) * static_cast<double>(kHeights), 0.0, static_cast<double>(kHeights) - 1));
      const auto column =
          static_cast<std::size_t>(turn_share(part, out) * static_cast<double>(kAround)) % kAround;
      double& reach = part.reach[row * kAround + column];
      reach = std::max(reach, length(out));
    }
  }
}

}  // namespace

// The skinned surface of the standing body.
struct ArmRoom::Standing {
  std::vector<Vec3d> places;
  std::vector<Index> nodes;  // the heaviest of each point
  std::vector<std::array<std::size_t, 3>> triangles;

  Standing(const Character& character, const MovedBody& body) {
    for (const Instance& instance : character.instances) {
      if (instance.in_scene && instance.skin != kNone) add(character, instance, body);
    }
  }
  void add(const Character& character, const Instance& instance, const MovedBody& body) {
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    const Skin& skin = character.skins[at(instance.skin)];
    const std::size_t first = places.size();
    std::vector<Affined> inverse_bind;
    for (const Affine& bind : skin.inverse_bind) inverse_bind.emplace_back(bind);
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      Vec3d place;
      for (const Influence& influence : mesh.weights.row(v))
        place += body.carried_to(skin.node[at(influence.slot)],
                                 inverse_bind[at(influence.slot)] * Vec3d(mesh.points[v])) *
                 static_cast<double>(influence.weight);
      places.push_back(place);
      nodes.push_back(skin.node[at(mesh.weights.row(v).front().slot)]);
    }
    for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
      const std::span<const Index> corners = mesh.polygons.polygon(p);
      for (std::size_t c = 1; c + 1 < corners.size(); ++c)
        triangles.push_back({first + at(corners[0]), first + at(corners[c]), first + at(corners[c + 1])});
    }
  }
};

ArmRoom::ArmRoom(const Character& target, MovedBody& body, const RoleMap& roles,
                 const ReferencePose& reference)
    : body_(body) {
  BodyFramePose standing;
  standing.hips = reference.place[at(roles.first(hips))];
  for (const Index joint : body_.moved()) standing.rotation.push_back(reference.rotation[at(joint)]);
  body_.pose(standing);
  const Standing standing_skin(target, body_);
  add_parts(target, standing_skin, roles, reference.frame.up);
  if (parts_.empty()) return;
  for (const int side : {0, 1}) add_arm(target, standing_skin, roles, side);
}

void ArmRoom::add_parts(const Character& target, const Standing& skin, const RoleMap& roles,
                        const Vec3d& up) {
  std::vector<Index> trunk = roles.of(hips);
  for (const JointRole role : {spine, neck, head})
    trunk.insert(trunk.end(), roles.of(role).begin(), roles.of(role).end());
  std::vector<Index> tops = trunk;
  for (const JointRole role : {thigh_l, thigh_r})
    if (roles.first(role) != kNone) tops.push_back(roles.first(role));
  const std::size_t part_count = tops.size();
  for (const Index joint : joints_of(roles))
    if (std::find(tops.begin(), tops.end(), joint) == tops.end()) tops.push_back(joint);
  for (std::size_t k = 0; k < part_count; ++k) {
    RoundPart part;
    part.joint = tops[k];
    const bool is_trunk = k < trunk.size();
    const Index next = is_trunk && k + 1 < trunk.size() ? trunk[k + 1] : kNone;
    const Index knee = roles.first(tops[k] == roles.first(thigh_l) ? shin_l : shin_r);
    Vec3d along = up;
    if (next != kNone) along = body_.place(next) - body_.place(part.joint);
    if (!is_trunk && knee != kNone) along = body_.place(part.joint) - body_.place(knee);
    if (!(length(along) > 0)) along = up;
    const Quatd back = conjugate(body_.rotation(part.joint));
    part.along = normalized(rotate(back, along));
    part.ahead =
        normalized(cross(part.along, std::abs(part.along.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
    part.low = INFINITY, part.high = -INFINITY;
    part.is_open_above = is_trunk && next == kNone;
    part.reach.assign(kHeights * kAround, 0);
    parts_.push_back(part);
  }
  measure_parts(skin, nearest_tops(target, tops));
}

void ArmRoom::measure_parts(const Standing& skin, const std::vector<Index>& part_of) {
  const auto local_of = [&](const RoundPart& part, const Vec3d& place) {
    return rotate(conjugate(body_.rotation(part.joint)), place - body_.place(part.joint));
  };
  const auto part_at = [&](const std::array<std::size_t, 3>& t) -> RoundPart* {
    const Index own = part_of[at(skin.nodes[t[0]])];
    const bool is_whole =
        own != kNone && (part_of[at(skin.nodes[t[1]])] == own || part_of[at(skin.nodes[t[2]])] == own);
    return is_whole && at(own) < parts_.size() ? &parts_[at(own)] : nullptr;
  };
  // First how far along the bones, then how far out.
  for (const std::array<std::size_t, 3>& t : skin.triangles) {
    RoundPart* part = part_at(t);
    if (part == nullptr) continue;
    for (const std::size_t v : t) {
      const double height = dot(local_of(*part, skin.places[v]), part->along);
      part->low = std::min(part->low, height), part->high = std::max(part->high, height);
    }
  }
  for (const std::array<std::size_t, 3>& t : skin.triangles) {
    RoundPart* part = part_at(t);
    if (part == nullptr || !(part->high > part->low)) continue;
    add_reach({local_of(*part, skin.places[t[0]]), local_of(*part, skin.places[t[1]]),
               local_of(*part, skin.places[t[2]])},
              *part);
  }
  std::erase_if(parts_, [](const RoundPart& part) { return !(part.high > part.low); });
}

ArmRoom::Depth ArmRoom::depth_in(const RoundPart& part, const Vec3d& place, double room) const {
  const Quatd& turn = body_.rotation(part.joint);
  const Vec3d p = rotate(conjugate(turn), place - body_.place(part.joint));
  const double height = dot(p, part.along);
  Depth found;
  if (height < part.low || height > part.high) return found;
  const Vec3d out = level_to(p, part.along);
  // Between neighbouring directions and heights.
  const double row = std::clamp(height_share(part, p) * static_cast<double>(kHeights) - 0.5, 0.0,
                                static_cast<double>(kHeights) - 1);
  const double column = turn_share(part, out) * static_cast<double>(kAround) - 0.5;
  const auto r = static_cast<std::size_t>(row);
  const std::size_t next_row = std::min(r + 1, kHeights - 1);
  const auto c = static_cast<std::size_t>(column + static_cast<double>(kAround)) % kAround;
  const std::size_t next = (c + 1) % kAround;
  const double a = row - std::floor(row), b = column - std::floor(column);
  const auto at_cell = [&](std::size_t i, std::size_t k) { return part.reach[i * kAround + k]; };
  const double reach = (1 - a) * ((1 - b) * at_cell(r, c) + b * at_cell(r, next)) +
                       a * ((1 - b) * at_cell(next_row, c) + b * at_cell(next_row, next));
  if (!(reach > 0)) return found;
  const double depth = reach + room - length(out);
  if (depth <= 0) return found;
  found.depth = depth;
  found.outward = rotate(turn, length(out) > 0 ? normalized(out) : part.ahead);
  // Out over the top of the head, if that is nearer.
  if (part.is_open_above && part.high + room - height < depth)
    found = {part.high + room - height, rotate(turn, part.along)};
  return found;
}

double ArmRoom::thickness(const Standing& skin, const std::vector<Index>& part_of, Index part,
                          const Vec3d& from, const Vec3d& along) {
  std::vector<double> distances;
  for (std::size_t v = 0; v < skin.places.size(); ++v)
    if (part_of[at(skin.nodes[v])] == part)
      distances.push_back(length(level_to(skin.places[v] - from, along)));
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

void ArmRoom::add_arm(const Character& target, const Standing& skin, const RoleMap& roles, int side) {
  const Index upper = roles.first(on_side(upper_arm_l, side)), lower = roles.first(on_side(forearm_l, side)),
              end = roles.first(on_side(hand_l, side));
  const Subtrees below(target.nodes);
  if (upper == kNone || lower == kNone || !below.is_in(lower, upper)) return;
  Arm arm{upper, {}, {}};
  // Everything on the arm that has a rotation of its own.
  for (std::size_t k = 0; k < body_.moved().size(); ++k)
    if (below.is_in(body_.moved()[k], upper)) arm.moved.push_back(k);
  const Vec3d elbow = body_.place(lower);
  const bool has_hand = end != kNone && length(body_.place(end) - elbow) > 0;
  const std::array<Index, 2> both{lower, end};
  const std::vector<Index> part_of = nearest_tops(target, std::span(both).first(has_hand ? 2 : 1));
  // How far a part reaches from a place: in a direction, or in any.
  const auto farthest = [&](Index part, const Vec3d& from, const Vec3d& along) {
    Vec3d most;
    for (std::size_t v = 0; v < skin.places.size(); ++v) {
      if (part_of[at(skin.nodes[v])] != part) continue;
      const Vec3d way = skin.places[v] - from;
      const bool is_further =
          length(along) > 0 ? dot(way, along) > dot(most, along) : length(way) > length(most);
      if (is_further) most = way;
    }
    return most;
  };
  const Vec3d wrist = has_hand ? body_.place(end) : elbow + farthest(0, elbow, {}) * kHandShare;
  if (!(length(wrist - elbow) > 0)) return;
  const Vec3d along = normalized(wrist - elbow);
  const double of_forearm = thickness(skin, part_of, 0, elbow, along);
  const auto add = [&](Index joint, const Vec3d& place, double radius) {
    Sample sample{joint, rotate(conjugate(body_.rotation(joint)), place - body_.place(joint)), radius, {}};
    // As near as it is when the body stands, at most; inside, it may stay as deep.
    for (const RoundPart& part : parts_) {
      const double room = radius - depth_in(part, place, radius).depth;
      sample.room.push_back(room);
    }
    arm.samples.push_back(std::move(sample));
  };
  for (int k = 0; k <= kForearmSamples; ++k)
    add(lower, lerp(elbow, wrist, static_cast<double>(k) / kForearmSamples), of_forearm);
  if (has_hand) {
    const double of_hand = std::min(thickness(skin, part_of, 1, wrist, along), of_forearm);
    const double reach =
        std::min(std::max(0.0, dot(farthest(1, wrist, along), along)), length(wrist - elbow));
    for (const double share : {0.5, 1.0}) add(end, wrist + along * (share * kHandShare * reach), of_hand);
  }
  arms_.push_back(std::move(arm));
}

Vec3d ArmRoom::place_of(const Sample& sample) const {
  return body_.place(sample.joint) + rotate(body_.rotation(sample.joint), sample.place);
}

Quatd ArmRoom::freeing_turn(const Arm& arm, const Quatd& turned) const {
  const Vec3d shoulder = body_.place(arm.shoulder);
  Quatd turn = turned;
  for (int step = 0; step < kSteps; ++step) {
    Depth deepest;
    Vec3d lever;
    for (const Sample& sample : arm.samples) {
      const Vec3d way = rotate(turn, place_of(sample) - shoulder);
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        const Depth depth = depth_in(parts_[p], shoulder + way, sample.room[p]);
        if (depth.depth > deepest.depth) deepest = depth, lever = way;
      }
    }
    if (deepest.depth <= kTouching * length(lever)) break;
    const Vec3d axis = cross(lever, deepest.outward);
    const double sine = std::max(length(axis) / length(lever), kLeastSine);
    const double angle = std::min(deepest.depth / (length(lever) * sine), radians_from_degrees(kMostStep));
    turn = normalized(quat_from_axis_angle(axis, angle) * turn);
  }
  return turn;
}

ArmRoom::Turned ArmRoom::make_room(double fps, bool is_loop, std::vector<BodyFramePose>& frames) {
  Turned turned;
  const auto half = static_cast<std::ptrdiff_t>(std::max(1.0, std::round(0.5 * kEaseTime * fps)));
  const auto count = static_cast<std::ptrdiff_t>(frames.size());
  const std::ptrdiff_t cycle = count - 1;
  for (const Arm& arm : arms_) {
    std::vector<Vec3d> turns(frames.size());
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Vec3d> wanted(frames.size());
      double most = 0;
      for (std::size_t k = 0; k < frames.size(); ++k) {
        body_.pose(frames[k]);
        const Quatd now = exp(turns[k]);
        wanted[k] = log(freeing_turn(arm, now) * conjugate(now));
        most = std::max(most, length(wanted[k]));
      }
      if (most == 0) break;
      // A hat-shaped mean over time; the first and the last frame of a loop are one.
      for (std::ptrdiff_t k = 0; k < count; ++k) {
        Vec3d sum;
        double weights = 0;
        for (std::ptrdiff_t d = -half; d <= half; ++d) {
          std::ptrdiff_t at_frame = k + d;
          if (is_loop && cycle > 0)
            at_frame = ((at_frame % cycle) + cycle) % cycle;
          else
            at_frame = std::clamp<std::ptrdiff_t>(at_frame, 0, count - 1);
          const double weight = 1 - std::abs(static_cast<double>(d)) / static_cast<double>(half + 1);
          sum += wanted[static_cast<std::size_t>(at_frame)] * weight;
          weights += weight;
        }
        Vec3d& turn = turns[static_cast<std::size_t>(k)];
        turn = log(exp(sum * (1 / weights)) * exp(turn));
        const double angle = length(turn), limit = radians_from_degrees(kMostTurn);
        if (angle > limit) turn = turn * (limit / angle);
      }
    }
    for (std::size_t k = 0; k < frames.size(); ++k) {
      if (length(turns[k]) == 0) continue;
      const Quatd turn = exp(turns[k]);
      for (const std::size_t slot : arm.moved)
        frames[k].rotation[slot] = normalized(turn * frames[k].rotation[slot]);
      if (length(turns[k]) > turned.most) turned = {length(turns[k]), arm.shoulder, k};
    }
  }
  return turned;
}

}  // namespace dermis
