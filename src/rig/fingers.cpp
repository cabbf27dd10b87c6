// SPDX-License-Identifier: MIT
// Finds the fingers of a hand: limb ends of the solid beyond the wrist, which is filled with cells of its
// own.
#include "rig/fingers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

#include "dermis/base.h"
#include "rig/centreline.h"
#include "rig/ways.h"

namespace dermis {
namespace {

// That fill a hand: a finger is about five cells across.
constexpr std::size_t kHandCells = 12'000;
// A hand that is a larger share of the body is not one.
constexpr double kMostOfBody = 0.3;
// A finger sticks out of the hand by at least this share of the hand's length...
constexpr double kLeastFree = 0.1;
// ...and by this many of its own thicknesses, but no more than this many: longer ones are held by the hand.
constexpr double kLeastSlender = 0.75, kMostSlender = 9;
// It is thinner than the palm by this much; the fingers of a mitten are as wide as the palm.
constexpr double kFingerOfPalm = 0.8;
// It is round: its middle is at least this deep, as a share of the radius of its cross-sections. Flaps are
// flat.
constexpr double kLeastRound = 0.55;
// Fingers of one hand differ in length by no more than this factor.
constexpr double kMostUneven = 4;
// Nor does a hand reach farther beyond its wrist than this many forearms.
constexpr double kMostOfForearm = 1.5;
constexpr std::size_t kMostFingers = 5;
// A finger begins where the palm is thicker than it by this much, and its first joint lies inside the palm by
// this share of the finger: skin joins fingers up to the middle of their first bones.
constexpr double kPalmThickness = 1.5, kInPalm = 0.18;
// The thumb's second joint is where it leaves the palm; its first one lies halfway to the wrist.
constexpr double kThumbInPalm = 0.12, kThumbRoot = 0.5;
// Positions of joints two and three between the first and the tip, as in the template of a hand.
constexpr double kSecond = 0.45, kThird = 0.70, kThumbThird = 0.55;
// How far a joint moves to the sharpest bend nearby, as a share of the finger, and the least bend.
constexpr double kKnuckleReach = 0.12, kKnuckleBend = 0.35;
// What makes a finger a thumb: it leaves the palm earlier, points elsewhere, ends earlier, and lies in front.
constexpr double kEarlier = 2.0, kElsewhere = 0.5, kShorter = 0.7, kInFront = 0.25, kIsThumb = 0.35;

Index nearest_filled(const VoxelSolid& solid, const Vec3d& place) {
  if (const std::int32_t c = solid.find(place); c != VoxelSolid::kNoCell) return c;
  double best = std::numeric_limits<double>::infinity();
  Index found = 0;
  for (std::size_t c = 0; c < solid.cell_count(); ++c) {
    const double distance = length(solid.centre(c) - place);
    if (distance < best) best = distance, found = static_cast<Index>(c);
  }
  return found;
}

// The cells of a body beyond a wrist.
std::vector<bool> cells_beyond(const BodySolid& body, const HandPlace& hand) {
  const auto wrist = static_cast<std::size_t>(nearest_filled(body.solid, hand.wrist));
  const auto tip = static_cast<std::uint32_t>(nearest_filled(body.solid, hand.tip));
  const double level = double{body.way[wrist]} - 0.5 * hand.radius;
  std::vector<bool> is_beyond(body.solid.cell_count(), false);
  if (double{body.way[tip]} < level) return is_beyond;
  std::vector<std::uint32_t> cells{tip};
  is_beyond[tip] = true;
  const auto offer = [&](std::uint32_t next) {
    if (is_beyond[next] || double{body.way[next]} < level) return;
    is_beyond[next] = true;
    cells.push_back(next);
  };
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::uint32_t c = cells[k];
    for (const std::int32_t next : body.solid.links[c])
      if (next != VoxelSolid::kNoCell) offer(static_cast<std::uint32_t>(next));
    if (body.solid.bridge_first.empty()) continue;
    for (std::uint32_t b = body.solid.bridge_first[c]; b < body.solid.bridge_first[c + 1]; ++b)
      offer(body.solid.bridges[b].to);
  }
  if (static_cast<double>(cells.size()) > kMostOfBody * static_cast<double>(is_beyond.size()))
    is_beyond.assign(is_beyond.size(), false);
  return is_beyond;
}

// The surface of a hand, closed where it was cut from its arm.
struct HandSurface {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
  std::optional<Vec3d> cut;  // the middle of the cut
};

HandSurface cut_surface(const BodySurface& surface, const VoxelSolid& solid,
                        const std::vector<bool>& is_beyond) {
  const auto is_in = [&](const Vec3d& place) {
    const std::int32_t c = solid.find(place);
    return c != VoxelSolid::kNoCell && is_beyond[at(c)];
  };
  const auto point = [&](std::uint32_t v) { return Vec3d(surface.points[v]); };
  std::vector<std::uint8_t> is_taken(surface.points.size(), 0), is_point_in(surface.points.size(), 0);
  parallel_for(surface.points.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) is_point_in[v] = is_in(Vec3d(surface.points[v])) ? 1 : 0;
  });
  std::vector<std::size_t> own, others;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& [a, b, c] = surface.triangles[t];
    bool is_own = is_point_in[a] + is_point_in[b] + is_point_in[c] > 0;
    // A triangle may be larger than the hand is wide.
    if (!is_own && std::max(length(point(b) - point(a)), length(point(c) - point(a))) > 2 * solid.cell)
      is_own = is_in((point(a) + point(b) + point(c)) * (1.0 / 3));
    if (!is_own) continue;
    own.push_back(t);
    for (const std::uint32_t v : {a, b, c}) is_taken[v] = 1;
  }
  // Edges of the cut, with their directions: those of triangles left out.
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> net;
  const auto count = [&](std::size_t t, int sign) {
    const SurfaceMesh::Triangle& triangle = surface.triangles[t];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangle[k], b = triangle[(k + 1) % 3];
      if (a == b || !is_taken[a] || !is_taken[b]) continue;
      net[std::minmax(a, b)] += a < b ? sign : -sign;
    }
  };
  std::size_t next = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    if (next < own.size() && own[next] == t) {
      ++next;
      continue;
    }
    const SurfaceMesh::Triangle& triangle = surface.triangles[t];
    if (is_taken[triangle[0]] + is_taken[triangle[1]] + is_taken[triangle[2]] >= 2) count(t, 1);
  }
  HandSurface cut;
  std::vector<std::uint32_t> place(surface.points.size(), UINT32_MAX);
  const auto placed = [&](std::uint32_t v) {
    if (place[v] == UINT32_MAX) {
      place[v] = static_cast<std::uint32_t>(cut.points.size());
      cut.points.push_back(surface.points[v]);
    }
    return place[v];
  };
  for (const std::size_t t : own) {
    const auto& [a, b, c] = surface.triangles[t];
    cut.triangles.push_back({placed(a), placed(b), placed(c)});
  }
  Vec3d middle;
  double weight = 0;
  for (const auto& [edge, sum] : net) {
    if (sum == 0) continue;
    const double size = length(point(edge.first) - point(edge.second));
    middle += (point(edge.first) + point(edge.second)) * (0.5 * size), weight += size;
  }
  if (!(weight > 0)) return cut;
  // A cone over the cut closes it: winding numbers only need its boundary.
  cut.cut = middle * (1 / weight);
  const auto apex = static_cast<std::uint32_t>(cut.points.size());
  cut.points.push_back(Vec3(*cut.cut));
  for (const auto& [edge, sum] : net) {
    for (int k = 0; k < std::abs(sum); ++k) {
      const std::uint32_t a = placed(edge.first), b = placed(edge.second);
      cut.triangles.push_back(sum > 0 ? SurfaceMesh::Triangle{a, b, apex}
                                      : SurfaceMesh::Triangle{b, a, apex});
    }
  }
  return cut;
}

// A solid with its distances from a place in it.
BodySolid survey_from(VoxelSolid solid, const Vec3d& start) {
  BodySolid body;
  body.solid = std::move(solid);
  for (std::size_t c = 0; c < body.solid.cell_count(); ++c) body.centres.push_back(body.solid.centre(c));
  body.field = measure_depth(body.solid);
  body.middle = static_cast<std::uint32_t>(nearest_filled(body.solid, start));
  body.way.resize(body.solid.cell_count());
  const Segment from{body.centres[body.middle], body.centres[body.middle]};
  march_solid(body.solid, {&from, 1}, {}, body.way);
  body.span = *std::max_element(body.way.begin(), body.way.end());
  return body;
}

// A limb end that may be a finger.
struct Candidate {
  std::uint32_t tip = 0;
  Centreline line;
  double level = 0;   // distance from the wrist to where it parts from others
  double parts = 0;   // likewise along the line
  double radius = 0;  // from there to the tip, in the middle
  double depth = 0;   // of its middle, likewise

  double free() const { return line.length() - parts; }
  Vec3d base() const { return point_at(line, parts); }
  Vec3d end() const { return line.points.back(); }
};

class Hand {
 public:
  Hand(BodySolid body, const Vec3d& wrist, const Vec3d& front)
      : body_(std::move(body)), wrist_(wrist), front_(front) {
    const DeepWays deep(body_, body_.middle);
    for (const LimbEnd& end : find_limb_ends(body_.solid, body_.way, kLeastFree * body_.span)) {
      if (candidates_.size() == 3 * kMostFingers) break;
      candidates_.push_back({end.cell, {}, 0, 0, 0, 0});
    }
    parallel_for(candidates_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k)
        candidates_[k].line = trace_centreline(body_, deep.way_to(candidates_[k].tip), true);
    });
  }

  std::vector<Finger> fingers() {
    keep_fingers();
    if (candidates_.size() < 2) return {};
    const std::size_t thumb = find_thumb();
    sort_from(thumb);
    std::vector<Finger> fingers;
    const bool has_thumb = thumb < candidates_.size();
    const std::vector<const char*> names = names_of(candidates_.size() - (has_thumb ? 1 : 0));
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (has_thumb && k == 0)
        fingers.push_back(thumb_of(candidates_[k]));
      else
        fingers.push_back(finger_of(candidates_[k], names[k - (has_thumb ? 1 : 0)]));
    }
    return fingers;
  }

 private:
  // Four fingers; of three, hands of drawn characters have no ring finger.
  static std::vector<const char*> names_of(std::size_t count) {
    if (count == 3) return {"index", "middle", "pinky"};
    std::vector<const char*> names{"index", "middle", "ring", "pinky", "extra"};
    names.resize(count);
    return names;
  }

  // The distance from the wrist at which each limb meets another one, coming from the tips.
  void part() {
    const std::size_t count = body_.way.size();
    constexpr std::uint32_t kNoTip = UINT32_MAX;
    std::vector<std::uint32_t> order(count), owner(count, kNoTip), tip(count, kNoTip);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return body_.way[a] != body_.way[b] ? body_.way[a] > body_.way[b] : a < b;
    });
    for (std::uint32_t k = 0; k < candidates_.size(); ++k) tip[candidates_[k].tip] = k;
    for (Candidate& one : candidates_) one.level = 0;
    const auto root = [&](std::uint32_t c) {
      while (owner[c] != c) c = owner[c] = owner[owner[c]];
      return c;
    };
    const auto join = [&](std::uint32_t c, std::uint32_t next) {
      if (owner[next] == kNoTip) return;
      const std::uint32_t a = root(c), b = root(next);
      if (a == b) return;
      if (tip[a] != kNoTip && tip[b] != kNoTip) {
        for (const std::uint32_t k : {tip[a], tip[b]})
          candidates_[k].level = std::max(candidates_[k].level, double{body_.way[c]});
      }
      owner[b] = a;
      if (tip[a] == kNoTip) tip[a] = tip[b];
    };
    for (const std::uint32_t c : order) {
      owner[c] = c;
      for (const std::int32_t next : body_.solid.links[c])
        if (next != VoxelSolid::kNoCell) join(c, static_cast<std::uint32_t>(next));
      if (body_.solid.bridge_first.empty()) continue;
      for (std::uint32_t b = body_.solid.bridge_first[c]; b < body_.solid.bridge_first[c + 1]; ++b)
        join(c, body_.solid.bridges[b].to);
    }
    for (Candidate& one : candidates_) measure(one);
  }

  void measure(Candidate& one) const {
    const Centreline& line = one.line;
    one.parts = line.length();
    for (std::size_t k = line.points.size(); k-- > 0;) {
      one.parts = line.along[k];
      const std::int32_t c = body_.solid.find(line.points[k]);
      if (c != VoxelSolid::kNoCell && double{body_.way[at(c)]} <= one.level) break;
    }
    std::vector<double> radii, depths;
    for (int k = 0; k <= 20; ++k) {
      const double along = one.parts + one.free() * (0.2 + 0.03 * k);
      const std::int32_t c = body_.solid.find(point_at(line, along));
      radii.push_back(radius_at(line, along));
      depths.push_back(c == VoxelSolid::kNoCell ? 0 : double{body_.field.depth[at(c)]});
    }
    for (std::vector<double>* values : {&radii, &depths})
      std::nth_element(values->begin(), values->begin() + 10, values->end());
    one.radius = std::max(radii[10], 0.5 * body_.solid.cell);
    // The middle of a cell is up to half of it beside the middle of the limb.
    one.depth = depths[10] + 0.5 * body_.solid.cell;
  }

  double palm_radius() const {
    double most = 0;
    for (const Candidate& one : candidates_) {
      for (double along = 0.25 * one.parts; along < one.parts; along += body_.solid.cell)
        most = std::max(most, radius_at(one.line, along));
    }
    return most;
  }

  // How much a limb is like a finger; below zero: it is not one.
  double likeness(const Candidate& one, double palm, double longest) const {
    const double slender = one.free() / (2 * one.radius);
    return std::min({slender / kLeastSlender - 1, one.free() / (kLeastFree * body_.span) - 1,
                     1 - one.radius / (kFingerOfPalm * palm), one.depth / (kLeastRound * one.radius) - 1,
                     one.free() * kMostUneven / longest - 1});
  }

  // Leaves out, one by one, what is least like a finger.
  void keep_fingers() {
    while (candidates_.size() >= 2) {
      part();
      const double palm = palm_radius();
      double longest = 0;
      for (const Candidate& one : candidates_) longest = std::max(longest, one.free());
      std::size_t worst = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < candidates_.size(); ++k) {
        const double own = likeness(candidates_[k], palm, longest);
        if (own < least) least = own, worst = k;
      }
      if (least >= 0 && candidates_.size() <= kMostFingers) break;
      candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(worst));
    }
    // Something long held in a fist sticks out on both of its sides.
    const bool is_held = std::any_of(candidates_.begin(), candidates_.end(), [](const Candidate& one) {
      return one.free() > kMostSlender * 2 * one.radius;
    });
    if (is_held) candidates_.clear();
  }

  // Of the two fingers whose bases are the farthest apart, the one that looks more like a thumb; the number
  // of fingers if neither does.
  std::size_t find_thumb() const {
    const std::size_t count = candidates_.size();
    std::size_t a = 0, b = 1;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) {
        if (length(candidates_[i].base() - candidates_[j].base()) >
            length(candidates_[a].base() - candidates_[b].base()))
          a = i, b = j;
      }
    }
    const double first = thumbness(a), second = thumbness(b);
    const std::size_t thumb = first >= second ? a : b;
    return std::max(first, second) > kIsThumb ? thumb : count;
  }
  Vec3d direction(const Candidate& one) const {
    const Vec3d along = one.end() - one.base();
    return length(along) > 0 ? normalized(along) : Vec3d{};
  }
  double thumbness(std::size_t k) const {
    const Candidate& own = candidates_[k];
    Vec3d others, bases;
    double level = 0, reach = 0;
    const auto count = static_cast<double>(candidates_.size() - 1);
    for (std::size_t j = 0; j < candidates_.size(); ++j) {
      if (j == k) continue;
      others += direction(candidates_[j]), bases += candidates_[j].base() * (1 / count);
      level += candidates_[j].level / count;
      reach += double{body_.way[candidates_[j].tip]} / count;
    }
    const double cosine = length(others) > 0 ? dot(normalized(others), direction(own)) : 1;
    const Vec3d beside = own.base() - bases;
    return kEarlier * (level - own.level) / body_.span +
           kElsewhere * std::acos(std::clamp(cosine, -1.0, 1.0)) +
           kShorter * (reach - double{body_.way[own.tip]}) / body_.span +
           (length(beside) > 0 ? kInFront * dot(normalized(beside), front_) : 0);
  }

  // The thumb first, then the others from its side; without a thumb, from the front of the body.
  void sort_from(std::size_t thumb) {
    if (thumb < candidates_.size()) std::swap(candidates_.front(), candidates_[thumb]);
    const std::size_t first = thumb < candidates_.size() ? 1 : 0;
    const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(first);
    // Across the palm: between the two of the others that are the farthest apart.
    Vec3d across;
    for (auto i = begin; i != candidates_.end(); ++i)
      for (auto j = i; j != candidates_.end(); ++j)
        if (length(i->base() - j->base()) > length(across)) across = i->base() - j->base();
    const Vec3d towards =
        first == 1 && candidates_.size() > 2 ? candidates_.front().base() - mean_base(first) : front_;
    if (dot(across, towards) > 0) across = across * -1.0;
    std::stable_sort(begin, candidates_.end(), [&](const Candidate& a, const Candidate& b) {
      return dot(a.base(), across) < dot(b.base(), across);
    });
  }
  Vec3d mean_base(std::size_t first) const {
    Vec3d sum;
    for (std::size_t k = first; k < candidates_.size(); ++k) sum += candidates_[k].base();
    return sum * (1 / static_cast<double>(candidates_.size() - first));
  }

  // Where the palm begins, coming from the finger.
  double begin_of(const Candidate& one) const {
    double along = one.parts + 0.5 * one.free();
    while (along > one.parts && radius_at(one.line, along) < kPalmThickness * one.radius)
      along -= 0.5 * body_.solid.cell;
    return std::max(along, one.parts);
  }

  // A place on the line, or before it in the direction of the finger if that is inside.
  Finger::Joint root_of(const Candidate& one, double in_palm) const {
    const double begin = begin_of(one), rest = one.line.length() - begin, lift = in_palm * rest;
    const Vec3d here = point_at(one.line, begin);
    const Vec3d inwards = here - point_at(one.line, begin + 0.4 * rest);
    const double along = std::max(0.0, begin - lift);
    const Vec3d straight = length(inwards) > 0 ? here + normalized(inwards) * lift : here;
    const bool is_inside = body_.solid.find(straight) != VoxelSolid::kNoCell;
    // The line turns towards the middle of the palm: between the two.
    return {is_inside ? straight : point_at(one.line, along), one.radius};
  }

  // The sharpest bend of the line near a place on it.
  double bend_near(const Candidate& one, double along) const {
    const double reach = kKnuckleReach * one.free(), arm = std::max(1.5 * one.radius, 3 * body_.solid.cell);
    double best = along, most = kKnuckleBend;
    for (int k = -10; k <= 10; ++k) {
      const double there = along + reach * k / 10;
      const Vec3d here = point_at(one.line, there);
      const Vec3d a = here - point_at(one.line, there - arm), b = point_at(one.line, there + arm) - here;
      if (!(length(a) > 0) || !(length(b) > 0)) continue;
      const double bend = std::acos(std::clamp(dot(normalized(a), normalized(b)), -1.0, 1.0)) *
                          (1 - 0.5 * (k / 10.0) * (k / 10.0));
      if (bend > most) most = bend, best = there;
    }
    return best;
  }

  Finger::Joint on_line(const Candidate& one, double along) const {
    return {point_at(one.line, along), std::max(radius_at(one.line, along), 0.5 * body_.solid.cell)};
  }

  Finger finger_of(const Candidate& one, const char* name) const {
    Finger finger{name, {root_of(one, kInPalm)}};
    const double begin = begin_of(one), whole = one.line.length(), first = begin - kInPalm * (whole - begin);
    for (const double share : {kSecond, kThird})
      finger.joints.push_back(on_line(one, bend_near(one, first + share * (whole - first))));
    finger.joints.push_back(on_line(one, whole));
    return finger;
  }

  Finger thumb_of(const Candidate& one) const {
    const Finger::Joint second = root_of(one, kThumbInPalm);
    const double begin = begin_of(one), whole = one.line.length(),
                 from = begin - kThumbInPalm * (whole - begin);
    return {"thumb",
            {{second.at + (wrist_ - second.at) * kThumbRoot, second.radius},
             second,
             on_line(one, bend_near(one, from + kThumbThird * (whole - from))),
             on_line(one, whole)}};
  }

  BodySolid body_;
  Vec3d wrist_, front_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Result<std::vector<Finger>> find_fingers(const BodySurface& surface, const BodySolid& body,
                                         const HandPlace& hand, const Vec3d& front,
                                         const Progress& progress) {
  const std::vector<bool> is_beyond = cells_beyond(body, hand);
  const HandSurface cut = cut_surface(surface, body.solid, is_beyond);
  if (cut.triangles.empty()) return std::vector<Finger>{};
  SolidOptions options;
  options.filled_budget = kHandCells;
  Result<VoxelSolid> solid = voxelize_solid(cut.points, cut.triangles, options, progress);
  if (!solid) {
    // A hand that encloses nothing has no fingers.
    if (solid.error().code == Errc::cancelled) return solid.error();
    return std::vector<Finger>{};
  }
  if (solid->cell_count() == 0) return std::vector<Finger>{};
  BodySolid own = survey_from(std::move(*solid), cut.cut.value_or(hand.wrist));
  if (own.span > kMostOfForearm * length(hand.wrist - hand.elbow) + hand.radius) return std::vector<Finger>{};
  return Hand(std::move(own), hand.wrist, front).fingers();
}

}  // namespace dermis
