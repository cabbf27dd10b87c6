// SPDX-License-Identifier: MIT
// Places the joints of a template along the limbs of a body.
#include "rig/place.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include "dermis/base.h"
#include "rig/centreline.h"
#include "rig/ways.h"

namespace dermis {
namespace {

// A limb begins where the body is thicker than it by this much.
constexpr double kRootThickness = 1.5;
// An arm begins no nearer to the middle of the body than this fraction of the template's share.
constexpr double kLeastRoot = 0.5;
// The joint of a limb that hangs lies this many radii above the armpit at most, or this share of what hangs,
// if the limb is thin. An armpit is within this share of the path to the hand, and the limb goes down there
// at least at this sine.
constexpr double kAboveArmpit = 2.0, kArmAboveArmpit = 0.2, kLowestArmpit = 0.6, kHanging = 0.4;
// Legs that begin below this share of the height that the template gives them, measured from the feet to the
// arms, are hidden by a skirt or a robe. Bodies with large heads may have such short legs; where the head
// rises above the arms by less than kSmallHead of their height, wide trousers and tunics hide legs too.
constexpr double kHiddenLegs = 0.55, kHiddenAdultLegs = 0.84, kSmallHead = 0.4;
// How much arm a bare hand includes is unknown: fingers begin after this share of the path to their tips.
constexpr double kFreeRoot = 0.7;
// How far from the template's share a joint may move to a thin place or a bend, as a fraction of the limb.
constexpr double kThinReach = 0.2, kBendReach = 0.14;
// How much thinner a waist at the end of that reach must be.
constexpr double kFarWaist = 0.25;
// Likewise for a neck, at the end of the limb.
constexpr double kFarNeck = 0.5;
// A smaller angle is not a bend.
constexpr double kLeastBend = 0.3;  // radians
// The distance between the middles of two limbs where they part, in thicknesses.
constexpr double kWidePart = 0.8;
// As a fraction of the path from the middle of the body to where legs part: joints of stubby legs lie deep
// inside.
constexpr double kStubby = 0.25;
// A waist must be thinner than this fraction of its surroundings.
constexpr double kIsWaist = 0.97;
// Likewise for a wrist that is not thinner than the arm before it: a thin arm with a large hand.
constexpr double kIsWrist = 0.9;
// What is beyond a wrist is at least this share as thick as the arm before it.
constexpr double kIsHand = 0.45;
// A waist continues while it is no thicker than this.
constexpr double kWaistEnd = 1.10;
// Left and right that are further from being mirror images, in spans of the body, are posed differently.
constexpr double kPosed = 0.035;
// What hangs from a head is a trunk if it is this share of the way from the chest, this slender, mostly below
// where it begins, thinner than the head by kTrunkThin, and thinner towards its end by kTapers, as a neck
// with a head is not.
constexpr double kLeastTrunk = 0.25, kTrunkSlender = 4, kTrunkHangs = 0.6, kTrunkThin = 0.6, kTapers = 0.8;
// How far from where a trunk begins the head is this much thicker, as a share of the way.
constexpr double kAboveTrunk = 0.15;
// A limb begins no farther from a branch that the user placed than this many times what the template says.
constexpr double kNearBranch = 2;
// A foot reaches this many thicknesses of its leg from where the leg ends, and lies no higher than this many
// above its sole; its front is what lies this many behind its foremost cell.
constexpr double kFootReach = 2.5, kSole = 0.5, kFootFront = 0.3;
// Where along the leg its thickness is measured.
constexpr double kAboveFoot = 0.85;
// How far the joint of a limb that hangs straight down lies above where it leaves the body, in radii.
constexpr double kRise = 0.7;

std::uint32_t cell_of(const BodySolid& body, const Vec3d& place) {
  return static_cast<std::uint32_t>(std::max(0, body.solid.find(place)));
}

double median_radius(const Centreline& line, double from, double to) {
  std::vector<double> values;
  for (int k = 0; k <= 20; ++k) values.push_back(radius_at(line, from + (to - from) * k / 20));
  std::nth_element(values.begin(), values.begin() + 10, values.end());
  return values[10];
}

bool is_between_inside(const BodySolid& body, const Vec3d& a, const Vec3d& b) {
  const int steps = std::max(2, static_cast<int>(length(b - a) / body.solid.cell));
  for (int k = 1; k < steps; ++k)
    if (body.solid.find(a + (b - a) * (double(k) / steps)) == VoxelSolid::kNoCell) return false;
  return true;
}

// The joint that begins a limb.
struct Root {
  std::size_t k = 0;  // in the chain
  double along = 0;
  Vec3d place;
  bool is_hidden = false;  // the body shows the limb only further down
};

// One limb: the joints of a reduced bone and the line they lie on.
struct Limb {
  std::size_t reduced = 0;
  Centreline line;
  std::optional<Root> root;
  double start = 0;           // position along the line of the joint that begins it
  std::vector<double> along;  // of each joint of the chain; -1: not placed yet

  double free_length() const { return line.length() - start; }
  double along_of(double share) const { return start + share * free_length(); }
};

class Placer {
 public:
  Placer(const RigTemplate& rig, const ReducedTemplate& reduced, const BodySolid& body,
         const BodyGraph& graph, std::span<const BodyMirror> mirrors, const Embedding& embedding,
         std::span<const Pin> pins, bool turns_feet)
      : rig_(rig),
        reduced_(reduced),
        body_(body),
        graph_(graph),
        mirrors_(mirrors),
        embedding_(embedding),
        pins_(pins),
        turns_feet_(turns_feet) {
    joints_.resize(rig.joints.size());
  }

  std::vector<PlacedJoint> run() {
    trace_limbs();
    settle_limbs(true);
    place_trunk();
    settle_limbs(false);
    for (const Limb& limb : limbs_) keep_root_near(limb);
    for (const Limb& limb : limbs_) {
      finish_chain(limb);
      straighten_end(limb);
    }
    mirror();
    for (const Pin& pin : pins_) put(pin.joint, pin.at, joints_[at(pin.joint)].radius);
    return std::move(joints_);
  }

 private:
  void settle_limbs(bool with_root) {
    const auto is_meant = [&](const Limb& limb) { return is_leaf(limb) && has_root(limb) == with_root; };
    for (Limb& limb : limbs_)
      if (is_meant(limb)) settle_root(limb);
    if (with_root) raise_hidden_legs();
    for (Limb& limb : limbs_)
      if (is_meant(limb)) settle(limb);
  }

  bool is_leaf(const Limb& limb) const { return reduced_.joints[limb.reduced].is_leaf; }
  bool has_root(const Limb& limb) const {
    const auto& chain = reduced_.joints[limb.reduced].chain;
    return std::any_of(chain.begin(), chain.end(), [&](Index j) { return is_root(joint(j)); });
  }
  static bool is_root(const RigTemplate::Joint& j) {
    return j.snap == RigTemplate::Snap::root || j.snap == RigTemplate::Snap::part;
  }
  // The position on a line of the joint it starts from.
  double start_of(const Limb& limb) const {
    const PlacedJoint& branch = joints_[at(joint(reduced_.joints[limb.reduced].chain.front()).parent)];
    if (!branch.is_there) return 0;
    return std::min(nearest_along(limb.line, branch.at), 0.5 * limb.line.length());
  }
  const RigTemplate::Joint& joint(Index j) const { return rig_.joints[at(j)]; }
  void put(Index j, const Vec3d& place, double radius) { joints_[at(j)] = {true, place, radius}; }

  // Shares of a chain: for each joint, the template's path length from the joint before the chain, over the
  // total.
  std::vector<double> shares(std::size_t v) const {
    std::vector<double> along;
    double way = 0;
    for (const Index j : reduced_.joints[v].chain) {
      way += length(joint(j).at - joint(joint(j).parent).at);
      along.push_back(way);
    }
    for (double& value : along) value /= way;
    return along;
  }

  void trace_limbs() {
    std::vector<std::vector<Vec3d>> ways(reduced_.joints.size());
    const auto cell_at = [&](std::size_t v) {
      return cell_of(body_, graph_.nodes[static_cast<std::size_t>(embedding_.node[v])].centre);
    };
    parallel_for(reduced_.joints.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        if (embedding_.node[p] < 0 || reduced_.joints[p].is_leaf) continue;
        const DeepWays deep(body_, cell_at(p));
        for (std::size_t v = 1; v < reduced_.joints.size(); ++v)
          if (reduced_.joints[v].parent == static_cast<int>(p) && embedding_.node[v] >= 0)
            ways[v] = deep.way_to(cell_at(v));
      }
    });
    for (std::size_t v = 1; v < ways.size(); ++v)
      if (!ways[v].empty()) limbs_.push_back({v, {}, {}, 0, {}});
    parallel_for(limbs_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const ReducedTemplate::Joint& bone = reduced_.joints[limbs_[k].reduced];
        std::vector<Vec3d>& way = ways[limbs_[k].reduced];
        limbs_[k].line = trace_centreline(body_, way, bone.is_leaf);
        if (is_head(limbs_[k])) cut_trunk(limbs_[k].line);
        if (!turns_feet_ || !bone.is_leaf || !joint(bone.chain.back()).is_grounded) continue;
        const std::optional<Vec3d> toes = front_of_foot(way.back(), limbs_[k].line);
        if (!toes) continue;
        const double near = kFootReach * radius_at(limbs_[k].line, kAboveFoot * limbs_[k].line.length());
        while (way.size() > 2 && length(way.back() - *toes) < near) way.pop_back();
        way.push_back(*toes);
        limbs_[k].line = trace_centreline(body_, way, false);
      }
    });
  }

  // The foremost part of a foot's sole, if the leg was found to end behind the middle of the foot: the cell
  // that is farthest from the middle of the body is the back of a hind hoof.
  std::optional<Vec3d> front_of_foot(const Vec3d& end, const Centreline& line) const {
    const Vec3d up = embedding_.frame.axes.y, front = embedding_.frame.axes.z;
    const double radius = radius_at(line, kAboveFoot * line.length());
    std::vector<std::uint32_t> cells{cell_of(body_, end)};
    std::unordered_set<std::uint32_t> seen{cells.front()};
    double lowest = dot(end, up);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      lowest = std::min(lowest, dot(body_.centres[cells[k]], up));
      for (const std::int32_t next : body_.solid.links[cells[k]]) {
        if (next == VoxelSolid::kNoCell || length(body_.centres[at(next)] - end) > kFootReach * radius)
          continue;
        if (seen.insert(static_cast<std::uint32_t>(next)).second)
          cells.push_back(static_cast<std::uint32_t>(next));
      }
    }
    std::erase_if(cells,
                  [&](std::uint32_t c) { return dot(body_.centres[c], up) > lowest + kSole * radius; });
    if (cells.empty()) return {};
    double foremost = -std::numeric_limits<double>::infinity(), hindmost = -foremost;
    for (const std::uint32_t c : cells) {
      foremost = std::max(foremost, dot(body_.centres[c], front));
      hindmost = std::min(hindmost, dot(body_.centres[c], front));
    }
    const double middle = 0.5 * (foremost + hindmost);
    if (dot(line.points.back(), front) > middle || foremost - hindmost < radius) return {};
    Vec3d sum;
    double count = 0;
    for (const std::uint32_t c : cells)
      if (dot(body_.centres[c], front) > foremost - kFootFront * radius) sum += body_.centres[c], count += 1;
    return body_.solid.find(sum * (1 / count)) == VoxelSolid::kNoCell ? std::nullopt
                                                                      : std::optional(sum * (1 / count));
  }

  // A limb in the middle that every body has and that does not stand on the ground.
  bool is_head(const Limb& limb) const {
    const ReducedTemplate::Joint& bone = reduced_.joints[limb.reduced];
    return !rig_.is_free && bone.is_leaf && !bone.is_optional &&
           bone.mirror == static_cast<int>(limb.reduced) && !joint(bone.chain.back()).is_grounded;
  }
  // Ends the line of a head where its trunk begins.
  void cut_trunk(Centreline& line) const {
    const double whole = line.length();
    const Vec3d up = embedding_.frame.axes.y;
    constexpr int kSteps = 60;
    const auto thickest = [&](double from, double to) {
      double most = 0;
      for (int m = 0; m <= 10; ++m) most = std::max(most, radius_at(line, from + (to - from) * m / 10));
      return most;
    };
    for (int k = kSteps / 4; k < kSteps * (1 - kLeastTrunk); ++k) {
      const double from = whole * k / kSteps, free = whole - from, radius = radius_at(line, from);
      const double head = thickest(std::max(0.0, from - kAboveTrunk * whole), from);
      const Vec3d way = line.points.back() - point_at(line, from);
      if (free < kTrunkSlender * 2 * radius || radius > kTrunkThin * head ||
          dot(way, up) > -kTrunkHangs * free ||
          thickest(from + 0.6 * free, whole) > kTapers * median_radius(line, from, from + 0.3 * free))
        continue;
      std::size_t kept = 2;
      while (kept < line.points.size() && line.along[kept] < from) ++kept;
      line.points.resize(kept), line.along.resize(kept), line.radius.resize(kept);
      return;
    }
  }

  const Limb* mirror_limb(const Limb& limb) const {
    const int other = reduced_.joints[limb.reduced].mirror;
    for (const Limb& candidate : limbs_)
      if (static_cast<int>(candidate.reduced) == other && &candidate != &limb) return &candidate;
    return nullptr;
  }

  // Where left and right part: the first place from which the straight line across leaves the body.
  struct Parting {
    double along = 0;
    double apart = 1;  // distance between the middles there, in thicknesses
  };
  Parting parting(const Limb& limb) const {
    const Limb* other = mirror_limb(limb);
    if (other == nullptr) return {};
    constexpr int kSteps = 200;
    for (int k = 0; k < kSteps; ++k) {
      const double share = double(k) / kSteps, along = share * limb.line.length();
      const Vec3d here = point_at(limb.line, along);
      const Vec3d there = point_at(other->line, share * other->line.length());
      if (is_between_inside(body_, here, there)) continue;
      return {along, length(here - there) / (2 * std::max(radius_at(limb.line, along), 1e-12))};
    }
    return {};
  }
  // Where a limb that hangs beside the body leaves it: the first place from which the way straight to the
  // other side leads through air. 0 for one that points away from the body, or has no counterpart.
  double armpit(const Limb& limb) const {
    const Limb* other = mirror_limb(limb);
    if (other == nullptr) return 0;
    constexpr int kSteps = 100;
    for (int k = 1; k < kLowestArmpit * kSteps; ++k) {
      const double share = double(k) / kSteps, along = share * limb.line.length();
      const Vec3d here = point_at(limb.line, along);
      const Vec3d across = point_at(other->line, share * other->line.length()) - here;
      const Vec3d way = point_at(limb.line, along + radius_at(limb.line, along)) - here;
      const bool hangs = dot(way, embedding_.frame.axes.y) < -kHanging * length(way);
      if (hangs && !is_between_inside(body_, here, here + across * 0.5)) return along;
    }
    return 0;
  }
  // The innermost place where the joint of a limb that hangs may lie.
  double above_armpit(const Limb& limb) const {
    const double pit = armpit(limb);
    if (!(pit > 0)) return 0;
    return pit -
           std::max(kAboveArmpit * radius_at(limb.line, pit), kArmAboveArmpit * (limb.line.length() - pit));
  }
  // Where the body becomes thicker than the limb, coming from the limb. The limb's own thickness is measured
  // a little below where the template lets it begin.
  double thinning(const Limb& limb, double share) const {
    const double whole = limb.line.length(), root = std::max(share, rig_.is_free ? kFreeRoot : 0.0) * whole;
    const double rest = whole - root;
    const double thick = kRootThickness * median_radius(limb.line, root + 0.15 * rest, root + 0.35 * rest);
    double along = root + 0.25 * rest;
    while (along > 0 && radius_at(limb.line, along) < thick) along -= 0.5 * body_.solid.cell;
    // A body that is nowhere thicker than the limb, as a skeleton of bones, says nothing.
    const bool is_sided = joint(reduced_.joints[limb.reduced].chain.back()).mirror !=
                          reduced_.joints[limb.reduced].chain.back();
    return is_sided && along < kLeastRoot * root ? root : std::max(0.0, along);
  }

  // A limb and its counterpart on the other side: in any pose their bones have the same lengths, so both are
  // used to place a joint.
  std::vector<const Limb*> both_sides(const Limb& limb) const {
    std::vector<const Limb*> sides{&limb};
    if (const Limb* other = mirror_limb(limb); other != nullptr && !other->along.empty())
      sides.push_back(other);
    return sides;
  }

  double thickest(const Limb& limb, double from, double to) const {
    double most = 0;
    for (int k = 0; k <= 20; ++k)
      most = std::max(most,
                      radius_at(limb.line, limb.along_of(std::clamp(from + (to - from) * k / 20, 0.0, 1.0))));
    return most;
  }
  // The narrowest waist: thinner than something on either side, near the share `prior` of the limb. `before`
  // is where the joint before it lies.
  double thinnest(const Limb& limb, double prior, double before) const {
    constexpr int kSteps = 24;
    const double step = kThinReach / kSteps;
    const std::vector<const Limb*> sides = both_sides(limb);
    const auto waist_at = [&](const Limb& side, int k) {
      const auto radius = [&](int m) {
        return radius_at(side.line, side.along_of(std::min(prior + step * m, 1.0)));
      };
      double inwards = 0, outwards = 0;
      for (int m = 1; m <= kSteps; ++m) {
        inwards = std::max(inwards, radius(k - m));
        outwards = std::max(outwards, radius(k + m));
      }
      // Beyond a wrist is a hand, not the tip of a finger or a claw.
      if (outwards < kIsHand * thickest(side, before, prior + step * k)) return 1.0;
      return radius(k) / std::max(radius(k), std::min(inwards, outwards));
    };
    double best = prior, least = kIsWaist;
    for (int k = -2 * kSteps; k <= 2 * kSteps; ++k) {
      double value = kFarWaist * square(double(k) / kSteps);
      for (const Limb* side : sides) value += waist_at(*side, k) / static_cast<double>(sides.size());
      if (value < least) least = value, best = prior + step * k;
    }
    if (least == kIsWaist) return neck_of(limb, prior, 0.5 * (before + prior), kIsWrist);
    // A hand begins where its wrist ends; one that is no thicker than the wrist does not say where.
    const double thin = radius_at(limb.line, limb.along_of(best));
    // Where it is half as much thicker as the hand, if that is little.
    const double thicker =
        std::min(kWaistEnd * thin, 0.5 * (thin + thickest(limb, best, prior + kThinReach)));
    double end = best;
    while (end < prior + kThinReach && radius_at(limb.line, limb.along_of(end + step)) <= thicker)
      end += step;
    return end < prior + kThinReach ? end : best;
  }

  // The neck: the thinnest place relative to the head beyond it, however large that is, from the share
  // `first` on, if the ratio is below `least`.
  double neck_of(const Limb& limb, double prior, double first, double least) const {
    constexpr int kSteps = 100;
    const std::vector<const Limb*> sides = both_sides(limb);
    std::vector<double> widest(sides.size(), 0);
    const double hand = first > 0 ? kIsHand * thickest(limb, first, prior) : 0;
    double best = prior;
    for (int k = kSteps; k >= kSteps * first; --k) {
      const double share = double(k) / kSteps;
      double value = kFarNeck * square(share - prior);
      for (std::size_t s = 0; s < sides.size(); ++s) {
        const double own = radius_at(sides[s]->line, sides[s]->along_of(share));
        widest[s] = std::max(widest[s], own);
        value += (widest[s] < hand ? 1 : own / widest[s]) / static_cast<double>(sides.size());
      }
      if (value < least) least = value, best = share;
    }
    return best;
  }

  // How far around a place on a limb the path is examined for its bend.
  double arm_at(const Limb& limb, double along) const {
    return std::max(1.3 * radius_at(limb.line, along), 4 * body_.solid.cell);
  }
  double bend_at(const Limb& limb, double along) const {
    const double arm = arm_at(limb, along);
    const Vec3d here = point_at(limb.line, along);
    const Vec3d a = here - point_at(limb.line, along - arm), b = point_at(limb.line, along + arm) - here;
    if (!(length(a) > 0) || !(length(b) > 0)) return 0;
    return std::acos(std::clamp(dot(normalized(a), normalized(b)), -1.0, 1.0));
  }

  // Where the path bends most; with `is_heel`, where that bend begins.
  double sharpest(const Limb& limb, double prior, bool is_heel) const {
    const std::vector<const Limb*> sides = both_sides(limb);
    double best = prior, most = kLeastBend;
    for (int k = -20; k <= 20; ++k) {
      const double share = prior + kBendReach * k / 20;
      double value = 0;
      for (const Limb* side : sides)
        value += bend_at(*side, side->along_of(share)) / static_cast<double>(sides.size());
      value *= 1 - 0.5 * square(k / 20.0);
      if (value > most) most = value, best = share;
    }
    if (!is_heel || most == kLeastBend) return best;
    return best - 0.5 * arm_at(limb, limb.along_of(best)) / limb.free_length();
  }

  // Places the joints between those already placed by the template's shares.
  void fill(Limb& limb, std::span<const double> share, double start) const {
    double from_along = start, from_share = 0;
    for (std::size_t k = 0; k < share.size(); ++k) {
      if (limb.along[k] >= 0) {
        from_along = limb.along[k], from_share = share[k];
        continue;
      }
      std::size_t next = k;
      while (limb.along[next] < 0) ++next;
      const double gap = share[next] - from_share;
      limb.along[k] =
          from_along + (limb.along[next] - from_along) * (gap > 0 ? (share[k] - from_share) / gap : 0);
      from_along = limb.along[k], from_share = share[k];
    }
  }

  std::optional<Root> find_root(const Limb& limb, std::span<const double> share) const {
    const auto& chain = reduced_.joints[limb.reduced].chain;
    const auto k = static_cast<std::size_t>(
        std::find_if(chain.begin(), chain.end(), [&](Index j) { return is_root(joint(j)); }) - chain.begin());
    if (k == chain.size()) return {};
    const RigTemplate::Joint& j = joint(chain[k]);
    const double whole = limb.line.length();
    double begin = 0, lift = 0;
    if (j.snap == RigTemplate::Snap::root) {
      // The same length on both sides.
      const Limb* other = mirror_limb(limb);
      const double own = whole - thinning(limb, share[k]);
      begin =
          whole - (other == nullptr ? own : 0.5 * (own + other->line.length() - thinning(*other, share[k])));
      begin = std::max({begin, 0.0, above_armpit(limb)});
      lift = j.above * (whole - begin);
    } else {
      const auto [part, apart] = parting(limb);
      begin = part;
      // Touching legs part below the hip; legs that part where the body is wider than both do so at the hip.
      lift = std::max(j.above * (whole - part), kStubby * part) *
             std::clamp((apart - kWidePart) / (1 - kWidePart), 0.0, 1.0);
    }
    lift = std::min(lift, begin);
    // Continues in the direction of the free limb: the line itself turns into the body there.
    const Vec3d here = point_at(limb.line, begin);
    const Vec3d inwards = here - point_at(limb.line, begin + 0.25 * (whole - begin));
    const double size = length(inwards);
    Root root{k, std::max(begin - lift, 1e-9), size > 0 ? here + inwards * (lift / size) : here};
    if (j.snap == RigTemplate::Snap::root && j.mirror != chain[k] && size > 0) {
      // A limb that hangs down leaves the body below its joint.
      const double hangs = std::max(0.0, dot(inwards, embedding_.frame.axes.y) / size);
      root.place += embedding_.frame.axes.y * (kRise * hangs * radius_at(limb.line, begin));
    }
    return root;
  }

  // The first step of placing: where the limb begins and ends.
  void settle_root(Limb& limb) {
    const auto& chain = reduced_.joints[limb.reduced].chain;
    limb.along.assign(chain.size(), -1);
    limb.along.back() = limb.line.length();
    limb.root = find_root(limb, shares(limb.reduced));
    limb.start = limb.root ? limb.root->along : start_of(limb);
    if (limb.root) limb.along[limb.root->k] = limb.start;
    for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
      for (const Pin& pin : pins_)
        if (pin.joint == chain[k]) limb.along[k] = std::max(nearest_along(limb.line, pin.at), 1e-9);
    }
  }

  // The joints that begin limbs of one kind, on average: where they are, and where in the template.
  struct MeanRoot {
    Vec3d place, in_template;
    int count = 0;
  };
  MeanRoot mean_root(RigTemplate::Snap snap) const {
    MeanRoot mean;
    for (const Limb& limb : limbs_) {
      if (!limb.root) continue;
      const RigTemplate::Joint& j = joint(reduced_.joints[limb.reduced].chain[limb.root->k]);
      if (j.snap != snap || j.at.x == 0) continue;
      mean.place += limb.root->place, mean.in_template += j.at, ++mean.count;
    }
    const double share = 1.0 / std::max(mean.count, 1);
    mean.place = mean.place * share, mean.in_template = mean.in_template * share;
    return mean;
  }
  // Whether what is above the arms is small compared with what is below.
  bool has_small_head(const Vec3d& arms, const Vec3d& feet) const {
    const Vec3d up = embedding_.frame.axes.y;
    double top = 0;
    for (const Limb& limb : limbs_) top = std::max(top, dot(limb.line.points.back() - arms, up));
    return top < kSmallHead * dot(arms - feet, up);
  }
  // Under a skirt or a robe legs part far below where they begin: they begin where the template has them
  // between feet and arms.
  void raise_hidden_legs() {
    const MeanRoot arms = mean_root(RigTemplate::Snap::root), legs = mean_root(RigTemplate::Snap::part);
    if (arms.count != 2 || legs.count != 2) return;
    const Vec3d up = embedding_.frame.axes.y, left = embedding_.frame.axes.x;
    Vec3d feet;
    double ground = 0;
    for (const Limb& limb : limbs_) {
      if (!limb.root ||
          joint(reduced_.joints[limb.reduced].chain[limb.root->k]).snap != RigTemplate::Snap::part)
        continue;
      feet += limb.line.points.back() * 0.5;
      ground += joint(reduced_.joints[limb.reduced].chain.back()).at.y * 0.5;
    }
    const double size = dot(arms.place - feet, up) / (arms.in_template.y - ground);
    const double height = (legs.in_template.y - ground) * size;
    const double least = has_small_head(arms.place, feet) ? kHiddenAdultLegs : kHiddenLegs;
    if (!(size > 0) || !std::isfinite(size) || dot(legs.place - feet, up) > least * height) return;
    for (Limb& limb : limbs_) {
      if (!limb.root) continue;
      const RigTemplate::Joint& j = joint(reduced_.joints[limb.reduced].chain[limb.root->k]);
      if (j.snap != RigTemplate::Snap::part) continue;
      // Below the arms, not above the feet: those may stand in front.
      limb.root->place = arms.place - up * dot(arms.place - feet, up) + up * height + left * (j.at.x * size);
      limb.root->is_hidden = true;
    }
  }

  void settle(Limb& limb) {
    using Snap = RigTemplate::Snap;
    const auto& chain = reduced_.joints[limb.reduced].chain;
    const std::vector<double> share = shares(limb.reduced);
    const std::optional<Root>& root = limb.root;
    const double base = root ? share[root->k] : 0;
    // Thin places and bends, searched around the template's positions between the root and the end.
    for (std::size_t k = root ? root->k + 1 : 0; k + 1 < chain.size(); ++k) {
      const Snap snap = joint(chain[k]).snap;
      if (limb.along[k] >= 0 || (snap != Snap::thin && snap != Snap::bend && snap != Snap::heel)) continue;
      // Relative to the joint before it, if that is placed, as in the template.
      const bool is_next = k > 0 && limb.along[k - 1] >= 0;
      const double before = is_next ? (limb.along[k - 1] - limb.start) / limb.free_length() : 0;
      const double known = is_next ? share[k - 1] : base;
      const double prior = before + (1 - before) * (share[k] - known) / (1 - known);
      const bool is_middle = joint(chain[k]).mirror == chain[k];
      limb.along[k] = limb.along_of(snap != Snap::thin ? sharpest(limb, prior, snap == Snap::heel)
                                    : is_middle        ? neck_of(limb, prior, 0, kIsWaist)
                                                       : thinnest(limb, prior, before));
    }
    fill(limb, share, root ? 0 : limb.start);
    for (std::size_t k = 0; k < chain.size(); ++k)
      put(chain[k], root && k == root->k ? root->place : point_at(limb.line, limb.along[k]),
          radius_at(limb.line, limb.along[k]));
    if (root && root->is_hidden) straighten_hidden(limb, share);
  }

  // What is hidden of a limb is straight, down to the first joint that the body shows: a heel.
  void straighten_hidden(const Limb& limb, std::span<const double> share) {
    using Snap = RigTemplate::Snap;
    const auto& chain = reduced_.joints[limb.reduced].chain;
    const std::size_t from = limb.root->k;
    if (from + 1 >= chain.size()) return;
    std::size_t to = from + 1;
    const auto is_shown = [&](Index j) { return joint(j).snap == Snap::heel || joint(j).snap == Snap::bend; };
    while (to + 1 < chain.size() && !is_shown(chain[to])) ++to;
    const Vec3d a = joints_[at(chain[from])].at, b = joints_[at(chain[to])].at;
    for (std::size_t k = from; k < to; ++k) {
      PlacedJoint& placed = joints_[at(chain[k])];
      placed.at = a + (b - a) * ((share[k] - share[from]) / (share[to] - share[from]));
      placed.is_hidden = true;
    }
  }

  // A branch lies relative to the roots of its limbs as in the template, scaled by their distances.
  void place_trunk() {
    std::vector<Vec3d> from, to;
    std::vector<std::size_t> branches;
    for (std::size_t v = 0; v < reduced_.joints.size(); ++v) {
      if (reduced_.joints[v].is_leaf || embedding_.node[v] < 0) continue;
      branches.push_back(v);
      Vec3d own, theirs;
      double count = 0;
      for (const Limb& limb : limbs_) {
        if (!is_leaf(limb) || reduced_.joints[limb.reduced].parent != static_cast<int>(v)) continue;
        for (const Index j : reduced_.joints[limb.reduced].chain) {
          if (!is_root(joint(j))) continue;
          own += joints_[at(j)].at, theirs += joint(j).at, count += 1;
        }
      }
      const Vec3d node = graph_.nodes[static_cast<std::size_t>(embedding_.node[v])].centre;
      from.push_back(count > 0 ? theirs * (1 / count) : joint(reduced_.joints[v].joint).at);
      to.push_back(count > 0 ? own * (1 / count) : node);
    }
    for (std::size_t b = 0; b < branches.size(); ++b) {
      const Index j = reduced_.joints[branches[b]].joint;
      const std::size_t other = b == 0 ? branches.size() - 1 : 0;
      Vec3d place = graph_.nodes[static_cast<std::size_t>(embedding_.node[branches[b]])].centre;
      if (branches.size() == 1) {
        place = place_only_branch(j, from[b], to[b], place);
      } else if (other != b && length(from[other] - from[b]) > 0) {
        const double scale = length(to[other] - to[b]) / length(from[other] - from[b]);
        // The template's trunk rotated onto the body's.
        const Quatd turn = quat_between(embedding_.frame.axes * (from[other] - from[b]), to[other] - to[b]);
        place = to[b] + rotate(turn, embedding_.frame.axes * ((joint(j).at - from[b]) * scale));
        turn_ = turn;
        scale_ = scale;
      }
      if (joint(j).is_tip)
        put_within_limbs(j, place);
      else
        put(j, place, graph_.nodes[static_cast<std::size_t>(embedding_.node[branches[b]])].radius);
    }
  }

  // A tip is a corner of where the limb was cut: its joint lies in the middle of the limb, at least one
  // thickness inwards.
  void put_within_limbs(Index j, const Vec3d& place) {
    Vec3d middle;
    double radius = 0, count = 0;
    for (const Limb& limb : limbs_) {
      const double whole = limb.line.length();
      const Vec3d inwards = point_at(limb.line, 0.5 * whole) - point_at(limb.line, 0.2 * whole);
      const auto depth = [&](double along) {
        const Vec3d passed = point_at(limb.line, along) - limb.line.points.front();
        return dot(passed, inwards) / std::max(length(inwards), 1e-12);
      };
      double along = nearest_along(limb.line, place);
      while (along < 0.5 * whole && depth(along) < radius_at(limb.line, along)) along += body_.solid.cell;
      middle += point_at(limb.line, along), radius += radius_at(limb.line, along), count += 1;
    }
    if (count > 0) put(j, middle * (1 / count), radius / count);
  }

  // The only branch of a template: from the roots of its limbs towards its node, scaled by the size of the
  // limbs.
  Vec3d place_only_branch(Index j, const Vec3d& from, const Vec3d& to, const Vec3d& node) {
    double own = 0, theirs = 0;
    for (const Limb& limb : limbs_) {
      const auto& chain = reduced_.joints[limb.reduced].chain;
      for (std::size_t k = 0; k < chain.size(); ++k) {
        if (!is_root(joint(chain[k]))) continue;
        own += limb.line.length() - limb.along[k];
        for (std::size_t m = k + 1; m < chain.size(); ++m)
          theirs += length(joint(chain[m]).at - joint(chain[m - 1]).at);
      }
    }
    const Vec3d back = node - to;
    if (!(theirs > 0) || !(length(back) > 0)) return node;
    scale_ = own / theirs;
    return to + back * std::min(1.0, scale_ * length(joint(j).at - from) / length(back));
  }

  // Of a crouching body thighs seem to begin anywhere. If the user placed the branch and a joint of the limb,
  // they say how large the body is, and so where the limb can begin.
  void keep_root_near(const Limb& limb) {
    const auto& chain = reduced_.joints[limb.reduced].chain;
    if (!limb.root || joint(chain[limb.root->k]).snap != RigTemplate::Snap::part) return;
    const Index root = chain[limb.root->k], branch = joint(chain.front()).parent;
    const Pin* from = pin_of(branch);
    const Pin* to = nullptr;
    for (std::size_t k = limb.root->k + 1; k < chain.size() && to == nullptr; ++k) to = pin_of(chain[k]);
    if (from == nullptr || to == nullptr || is_pinned(at(root))) return;
    const Vec3d way = joint(root).at - joint(branch).at;
    const double scale = length(to->at - from->at) / length(joint(to->joint).at - joint(branch).at);
    PlacedJoint& placed = joints_[at(root)];
    if (length(placed.at - from->at) > kNearBranch * scale * length(way))
      placed.at = from->at + embedding_.frame.axes * (way * scale);
  }
  const Pin* pin_of(Index j) const {
    for (const Pin& pin : pins_)
      if (pin.joint == j) return &pin;
    return nullptr;
  }

  // Joints of the trunk between two branches, and of limbs before their roots, lie on a straight line.
  void finish_chain(const Limb& limb) {
    const ReducedTemplate::Joint& bone = reduced_.joints[limb.reduced];
    const std::vector<double> share = shares(limb.reduced);
    std::size_t settled = bone.chain.size() - 1;
    if (bone.is_leaf) {
      settled = 0;
      for (std::size_t k = 0; k < bone.chain.size(); ++k)
        if (is_root(joint(bone.chain[k]))) settled = k;
    }
    const Vec3d a = joints_[at(joint(bone.chain.front()).parent)].at, b = joints_[at(bone.chain[settled])].at;
    // Off the straight line by as much as in the template.
    const Vec3d u = joint(joint(bone.chain.front()).parent).at, v = joint(bone.chain[settled]).at;
    const Vec3d left = rotate(turn_, embedding_.frame.axes.x);
    for (std::size_t k = 0; k < settled; ++k) {
      const double t = share[k] / share[settled];
      const Vec3d off = embedding_.frame.axes * ((joint(bone.chain[k]).at - (u + (v - u) * t)) * scale_);
      Vec3d place = a + (b - a) * t + rotate(turn_, off);
      // A limb may begin nearer to the middle than in the template: its collarbone does not cross the middle.
      if (u.x == 0 && v.x != 0)
        place += left * (dot(b - a, left) * joint(bone.chain[k]).at.x / v.x - dot(place - a, left));
      put(bone.chain[k], place, joints_[at(bone.chain[settled])].radius);
    }
  }

  // The top of a head is wide: its end lies in the template's direction, as far as the body reaches. Motions
  // take the direction of a joint from it.
  void straighten_end(const Limb& limb) {
    const ReducedTemplate::Joint& bone = reduced_.joints[limb.reduced];
    if (rig_.is_free || !bone.is_leaf || bone.is_loose || bone.chain.size() < 2 ||
        bone.mirror != static_cast<int>(limb.reduced))
      return;
    const Index end = bone.chain.back(), last = bone.chain[bone.chain.size() - 2];
    const Vec3d along = normalized(rotate(turn_, embedding_.frame.axes * (joint(end).at - joint(last).at)));
    const Vec3d from = joints_[at(last)].at;
    const double reach = dot(joints_[at(end)].at - from, along);
    if (reach > 0) joints_[at(end)].at = from + along * reach;
  }

  bool is_pinned(std::size_t j) const {
    return std::any_of(pins_.begin(), pins_.end(), [&](const Pin& pin) { return at(pin.joint) == j; });
  }

  // Joints that the user placed do not affect the other side, nor do those of limbs that are posed.
  void mirror() {
    if (embedding_.frame.plane < 0) return;
    const BodyMirror& own = mirrors_[static_cast<std::size_t>(embedding_.frame.plane)];
    if (own.share < kForceMirror) return;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const std::size_t m = at(rig_.joints[j].mirror);
      if (m < j || !joints_[j].is_there || !joints_[m].is_there || is_pinned(j) || is_pinned(m)) continue;
      const Vec3d image = own.plane.mirrored(joints_[m].at);
      if (length(image - joints_[j].at) > kPosed * body_.span) continue;
      const Vec3d middle = (joints_[j].at + image) * 0.5;
      joints_[j].at = middle;
      joints_[m].at = own.plane.mirrored(middle);
      joints_[j].radius = joints_[m].radius = 0.5 * (joints_[j].radius + joints_[m].radius);
    }
  }

  const RigTemplate& rig_;
  const ReducedTemplate& reduced_;
  const BodySolid& body_;
  const BodyGraph& graph_;
  std::span<const BodyMirror> mirrors_;
  const Embedding& embedding_;
  std::span<const Pin> pins_;
  bool turns_feet_;
  std::vector<Limb> limbs_;
  std::vector<PlacedJoint> joints_;
  Quatd turn_;        // from the template's trunk, in the frame, to that of the body
  double scale_ = 0;  // likewise
};

}  // namespace

std::vector<PlacedJoint> place_joints(const RigTemplate& rig, const ReducedTemplate& reduced,
                                      const BodySolid& body, const BodyGraph& graph,
                                      std::span<const BodyMirror> mirrors, const Embedding& embedding,
                                      std::span<const Pin> pins, bool turns_feet) {
  return Placer(rig, reduced, body, graph, mirrors, embedding, pins, turns_feet).run();
}

}  // namespace dermis
