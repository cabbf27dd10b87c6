// SPDX-License-Identifier: MIT
// Finds the skeleton inside a surface.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dermis/rig.h"
#include "rig/chains.h"
#include "rig/extract.h"
#include "rig/fit.h"
#include "rig/markers.h"
#include "rig/pieces.h"
#include "rig/place.h"
#include "rig/search.h"

namespace dermis {
namespace {

// So is a winner that costs more than this.
constexpr double kPoor = 0.65;
// A limb shorter than this many of its radii is a stump, not a foot or a hand.
constexpr double kStump = 0.6;
// Of placings that are doubted, the most plausible is taken. No doubt leaves less than kLeastPlausible. A
// cost up to kFine costs kFineWeight of itself; from there to kWorstDoubted plausibility falls linearly to
// kPoorest.
constexpr double kLeastPlausible = 0.05, kFine = 0.58, kFineWeight = 0.5, kPoorest = 0.25;
// Files that are not upright, and bodies that face away from +z, are rare: exponents and factors. An up off
// the axes is no better than this doubt about an axis. A template without sides fits too easily.
constexpr double kUprightWeight = 8, kOddUp = 0.12, kBackwards = 0.75, kFreePlausible = 0.1;
// The cheapest placing is a little more plausible than others.
constexpr double kFirstBonus = 0.05;
// How often other ends of limbs are tried for the most plausible placings.
constexpr int kEndRounds = 2;
// A body is searched without its props if that is better by this much.
constexpr double kBetterWithout = 0.01;
// Parts that came off where the body was parted are limbs, not splinters, from this share of its cells.
constexpr double kCameOff = 0.003;
// Limbs that no joint reaches and that stick out by this share of the span are noted.
constexpr double kUnusedLimb = 0.08;
// Feet that end farther ahead of their ankles than this, in spans, were not found at their backs.
constexpr double kFeetAhead = 0.05;
// Cosine of a negligible angle to an axis.
constexpr double kOnAxis = 0.998;

BodyMap map_of(const BodySolid& body, const BodyGraph& graph) {
  BodyMap map;
  for (std::size_t n = 0; n < graph.sphere_count; ++n)
    map.balls.push_back({graph.nodes[n].centre, graph.nodes[n].radius});
  for (std::uint32_t n = 0; n < graph.sphere_count; ++n) {
    for (const GraphEdge& edge : graph.edges[n])
      if (edge.to > n && edge.to < graph.sphere_count) map.edges.push_back({n, edge.to});
  }
  for (const LimbEnd& end : body.ends) map.ends.push_back(body.solid.centre(end.cell));
  return map;
}

Status check_directions(const RigOptions& options) {
  for (const std::optional<Vec3d>& direction : {options.up, options.front}) {
    if (direction && !(length(*direction) > 0 && std::isfinite(length(*direction))))
      return Error{Errc::bad_argument, "up and front need a direction of nonzero length"};
  }
  if (options.up && options.front &&
      std::abs(dot(normalized(*options.up), normalized(*options.front))) > kSameDirection)
    return Error{Errc::bad_argument, "up and front are the same axis; the front must be across up"};
  return Done{};
}

// Markers as joints of a template; fails for names that no template has.
Result<std::vector<Try>> make_tries(const RigOptions& options) {
  std::vector<Try> tries;
  for (const RigTemplate& rig : options.templates) tries.push_back({&rig, reduce(rig), {}, {}, {}});
  std::vector<std::string> known;
  for (const Try& attempt : tries) {
    for (std::string& name : marker_names(*attempt.rig)) known.push_back(std::move(name));
  }
  std::size_t of_chains = 0;
  for (const RigMarker& marker : options.markers) {
    bool is_known = false;
    for (Try& attempt : tries) {
      const Index joint = marked_joint(*attempt.rig, marker.joint);
      if (joint == kNone) continue;
      attempt.pins.push_back({joint, marker.at});
      is_known = true;
    }
    if (!is_known && !chain_joint(marker.joint).empty()) {
      ++of_chains;
      continue;
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    if (!is_known)
      return Error{Errc::bad_argument, fmt::format("the marker '{}' is not a joint of a template{}",
                                                   marker.joint, did_you_mean(marker.joint, names))};
  }
  // A template that does not know all markers is not what the user wants.
  std::erase_if(tries,
                [&](const Try& attempt) { return attempt.pins.size() + of_chains < options.markers.size(); });
  if (tries.empty() && !options.markers.empty())
    return Error{Errc::bad_argument, "no template has all the marked joints"};
  return tries;
}

// A joint is spare if the limb below it is much shorter than thick.
bool is_spared(const Try& attempt, std::span<const PlacedJoint> placed, std::size_t j) {
  const RigTemplate& rig = *attempt.rig;
  const bool is_pinned = std::any_of(attempt.pins.begin(), attempt.pins.end(),
                                     [&](const Pin& pin) { return at(pin.joint) == j; });
  if (!rig.joints[j].is_spare || is_pinned) return false;
  double below = 0;
  for (std::size_t k = j + 1; k < placed.size(); ++k) {
    for (Index up = rig.joints[k].parent; up != kNone; up = rig.joints[at(up)].parent) {
      if (at(up) == j && placed[k].is_there) below = std::max(below, length(placed[k].at - placed[j].at));
    }
  }
  return below < kStump * placed[j].radius;
}

void add_joints(const Try& attempt, std::span<const PlacedJoint> placed, FoundSkeleton& found) {
  const RigTemplate& rig = *attempt.rig;
  std::vector<Index> place(placed.size(), kNone);
  std::string spared;
  for (std::size_t j = 0; j < placed.size(); ++j) {
    if (!placed[j].is_there) continue;
    if (is_spared(attempt, placed, j)) {
      spared += fmt::format("{}'{}'", spared.empty() ? "" : ", ", rig.joints[j].name);
      continue;
    }
    Index parent = rig.joints[j].parent;
    while (parent != kNone && place[at(parent)] == kNone) parent = rig.joints[at(parent)].parent;
    place[j] = static_cast<Index>(found.joints.size());
    found.joints.push_back({rig.joints[j].name, parent == kNone ? kNone : place[at(parent)], placed[j].at,
                            placed[j].radius, rig.joints[j].is_end});
  }
  if (std::any_of(placed.begin(), placed.end(), [](const PlacedJoint& joint) { return joint.is_hidden; }))
    found.notes.push_back(
        Note{Note::Kind::guess, "legs-hidden",
             "the legs part far below where they can begin, as under a skirt or wide trousers; hips and "
             "knees are placed by proportion"}
            .with_remedy("marker"));
  if (!spared.empty())
    found.notes.push_back({Note::Kind::info, "joints-spared",
                           fmt::format("left out, because the body ends in a stump there: {}", spared)});
}

const char* name_of_axis(const Vec3d& v) {
  constexpr std::array<const char*, 6> kNames{"+x", "-x", "+y", "-y", "+z", "-z"};
  const std::array<double, 3> parts{v.x, v.y, v.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::abs(parts[axis]) > kOnAxis) return kNames[2 * axis + (parts[axis] < 0 ? 1 : 0)];
  }
  return nullptr;
}

std::string direction_words(const Vec3d& v) {
  const char* axis = name_of_axis(v);
  return axis != nullptr ? std::string(axis) : fmt::format("({:.2f}, {:.2f}, {:.2f})", v.x, v.y, v.z);
}

// Only directions that were not given are guesses.
void note_orientation(const RigOptions& options, FoundSkeleton& found) {
  if (options.up && options.front) return;
  const std::string up = fmt::format("to have {} up", direction_words(found.up));
  const std::string front = fmt::format("to face {}", direction_words(found.front));
  const std::string words = options.up ? front : options.front ? up : up + " and " + front;
  Note note{Note::Kind::guess, "orientation-found", fmt::format("the body is taken {}", words)};
  if (!options.up) note.remedies.push_back({"body_up"});
  if (!options.front) note.remedies.push_back({"front"});
  found.notes.push_back(std::move(note));
}

// What the user should check: templates nearly as good, and a poor one.
void note_doubts(const Try& best, std::span<const Try> tries, FoundSkeleton& found) {
  for (const Try& other : tries) {
    if (other.rig == best.rig || !other.embedding) continue;
    if (other.cost() < best.cost() + kClose)
      found.notes.push_back(Note{Note::Kind::guess, "template-doubt",
                                 fmt::format("'{}' fits nearly as well as '{}' ({:.2f} and {:.2f})",
                                             other.rig->name, best.rig->name, other.cost(), best.cost())}
                                .with_remedy("template", other.rig->name));
  }
  if (const double cost = best.cost(); cost > kPoor)
    found.notes.push_back(
        Note{Note::Kind::guess, "template-poor",
             fmt::format("'{}' fits badly (its cost is {:.2f}; {}); check the joints", best.rig->name, cost,
                         cost < kWorst ? fmt::format("above {} it would not fit", kWorst)
                                       : "no template fits better, and its joints are the most plausible")}
            .with_remedy("template", "extract")
            .with_remedy("marker"));
}

// Limbs without joints.
void note_unused(const BodySolid& body, FoundSkeleton& found) {
  for (const LimbEnd& end : body.ends) {
    if (end.prominence < kUnusedLimb * body.span) continue;
    const Vec3d place = body.solid.centre(end.cell);
    const bool is_used = std::any_of(found.joints.begin(), found.joints.end(), [&](const FoundJoint& joint) {
      return length(joint.at - place) < std::max(0.5 * end.prominence, 2 * joint.radius);
    });
    if (!is_used)
      found.notes.push_back(
          Note{Note::Kind::guess, "limb-unused",
               fmt::format("the limb that ends at ({:.3g}, {:.3g}, {:.3g}) has no joint in '{}'", place.x,
                           place.y, place.z, found.name)}
              .with_remedy("template", "extract"));
  }
}

void note_solid(const BodySolid& body, FoundSkeleton& found) {
  struct Words {
    SetAside::Kind kind;
    const char *id, *one, *several, *where;
  };
  constexpr std::array kWords{
      Words{SetAside::Kind::plate, "plates-set-aside", "plate", "plates", "that the body stands or lies on"},
      Words{SetAside::Kind::piece, "pieces-beside-body", "small piece", "small pieces", "next to the body"},
      Words{SetAside::Kind::prop, "props-set-aside", "long or flat part", "long or flat parts",
            "that the body wears or carries"}};
  for (const Words& words : kWords) {
    const auto count = static_cast<std::size_t>(
        std::count_if(found.aside.begin(), found.aside.end(),
                      [&](const SetAside& part) { return part.kind == words.kind; }));
    if (count == 0) continue;
    found.notes.push_back(
        {Note::Kind::guess, words.id,
         fmt::format("{} {} {} not searched for limbs", counted(count, words.one, words.several), words.where,
                     count == 1 ? "is" : "are"),
         "", -1, -1, count});
  }
  if (body.solid.piece_count > 1)
    found.notes.push_back(
        {Note::Kind::info, "body-in-pieces",
         fmt::format("the body is in {} pieces; they are joined where they are nearest to each other",
                     body.solid.piece_count)});
  if (!body.solid.is_closed)
    found.notes.push_back({Note::Kind::info, "body-open",
                           "the surface is not closed everywhere; the inside is what it mostly surrounds"});
}

// "'biped' (costs 2.31, limit 0.90; 1.20 of it for ground)".
std::string misfit_words(const RigScore& score, double worst) {
  if (score.penalties.empty()) return fmt::format("'{}' (not even close)", score.name);
  const RigScore::Penalty& most = largest_penalty(score);
  return fmt::format("'{}' (costs {:.2f}, limit {:.2f}; {:.2f} of it for {})", score.name, score.cost, worst,
                     most.cost, most.name);
}

Error nothing_fits(const FoundSkeleton& seen, double worst, const BodySolid& body) {
  std::string names;
  for (const RigScore& score : seen.scores)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", misfit_words(score, worst));
  std::size_t limbs = 0;
  for (const LimbEnd& end : body.ends) limbs += end.prominence > 0.05 * body.span ? 1 : 0;
  return Error{Errc::bad_rig,
               fmt::format("the body has {}, and no template fits: {}; 'extract' uses the limbs without a "
                           "template, and markers or the up axis may help a template to fit",
                           counted(limbs, "limb", "limbs"), names)}
      .with_remedy("template", "extract")
      .with_remedy("marker")
      .with_remedy("body_up");
}

// What is known before the joints are placed.
FoundSkeleton begin_found(const Search& search, const RigOptions& options) {
  FoundSkeleton found;
  found.map = map_of(search.body, search.graph);
  found.size = search.body.span;
  found.left = {1, 0, 0}, found.up = {0, 1, 0}, found.front = {0, 0, 1};
  found.scores = search.scores;
  found.aside = search.surface.aside;
  note_solid(search.body, found);
  if (search.touching == Touching::apart)
    found.notes.push_back(
        {Note::Kind::guess, "contacts-parted",
         "parts of the body that touch or cross each other were searched as if they were apart"});
  note_markers(options.markers, search.body.solid, found.notes);
  return found;
}

// The joints of the best template; without one, of the limbs alone.
Result<FoundSkeleton> place_skeleton(const Search& search, const Try* best, const RigOptions& options) {
  FoundSkeleton found = begin_found(search, options);
  if (best == nullptr && !options.can_extract) return nothing_fits(found, search.worst, search.body);
  if (best == nullptr) {
    found.name = "extract";
    found.joints = extract_joints(search.body, search.mirrors);
    if (!search.tries.empty())
      found.notes.push_back({Note::Kind::guess, "template-none",
                             "no template fits the body; its skeleton is derived from its limbs alone"});
    if (found.joints.size() < 3)
      return Error{Errc::bad_rig,
                   "the body has no limbs to derive a skeleton from; place joints of a template yourself, or "
                   "bind it to your own skeleton"}
          .with_remedy("marker")
          .with_remedy("skeleton");
  } else {
    found.name = best->rig->name;
    const BodyFrame& frame = best->embedding->frame;
    if (!best->rig->is_free) {
      found.left = frame.axes.x;
      found.up = frame.axes.y;
      found.front = frame.axes.z;
    }
    if (frame.plane >= 0) found.symmetry = search.mirrors[static_cast<std::size_t>(frame.plane)].share;
    add_joints(*best,
               place_joints(*best->rig, best->reduced, search.body, search.graph, search.mirrors,
                            *best->embedding, best->pins),
               found);
    const auto marked = static_cast<std::size_t>(std::count_if(
        options.markers.begin(), options.markers.end(),
        [&](const RigMarker& marker) { return marked_joint(*best->rig, marker.joint) != kNone; }));
    if (const std::size_t mirrored = best->pins.size() - marked; mirrored > 0)
      found.notes.push_back(
          Note{Note::Kind::guess, "markers-mirrored",
               fmt::format("{} of the other side {} placed by the mirror images of markers",
                           counted(mirrored, "joint", "joints"), mirrored == 1 ? "is" : "are"),
               "", -1, -1, mirrored}
              .with_remedy("no_mirror"));
    if (!best->rig->is_free) note_orientation(options, found);
    note_doubts(*best, search.tries, found);
  }
  found.fit = measure_fit(search.body, found, best == nullptr ? nullptr : best->rig);
  return found;
}

// How plausible a skeleton is, as the logarithm of a probability: unlike the confidence, which may be zero
// for several reasons, it tells two doubtful ones apart. Without `attempt` it was derived from the limbs
// alone.
double plausibility(const FoundSkeleton& found, const Try* attempt) {
  // Costs know the markers of the user, figures do not.
  if (attempt != nullptr && !attempt->pins.empty()) return -attempt->cost();
  double sum = 0;
  for (const RigDoubt& doubt : judge_skeleton(found).doubts)
    if (doubt.id != "template-poor") sum += std::log(std::max(doubt.trust, kLeastPlausible));
  if (attempt == nullptr) return sum;
  const double cost = attempt->cost();
  const double poor = std::clamp((cost - kFine) / (kWorstDoubted - kFine), 0.0, 1.0);
  sum += std::log(1 - (1 - kPoorest) * poor) - kFineWeight * std::min(cost, kFine);
  if (attempt->rig->is_free) return sum + std::log(kFreePlausible);
  const double doubt = name_of_axis(found.up) == nullptr ? kOddUp : 0;
  sum -= kUprightWeight * std::max(doubt, attempt->embedding->frame.up_doubt);
  const bool is_backwards = found.up.y > kOnAxis && found.front.z < -kOnAxis;
  return sum + (is_backwards ? std::log(kBackwards) : 0);
}

// A skeleton in the body.
struct Placing {
  const Search* search = nullptr;  // that it is a placing of
  std::optional<Try> attempt;      // none: derived from the limbs alone
  FoundSkeleton found;
  double plausibility = 0;
};

bool is_same(const Try& a, const Try& b) {
  const Mat3d &own = a.embedding->frame.axes, &other = b.embedding->frame.axes;
  return a.rig == b.rig && a.embedding->node == b.embedding->node && dot(own.x, other.x) > kOnAxis &&
         dot(own.y, other.y) > kOnAxis;
}

// Places the joints of attempts that are new, and keeps the list in order, the most plausible first.
void add_placings(const Search& search, std::vector<Try> attempts, const RigOptions& options,
                  std::vector<Placing>& placings) {
  for (Try& attempt : attempts) {
    const bool is_known = std::any_of(placings.begin(), placings.end(), [&](const Placing& placing) {
      return placing.attempt && is_same(*placing.attempt, attempt);
    });
    if (is_known) continue;
    Result<FoundSkeleton> found = place_skeleton(search, &attempt, options);
    if (!found) continue;
    // Its own cost, not that of the cheapest placing.
    for (RigScore& score : found->scores)
      if (score.name == found->name) score = score_of(attempt, std::max(search.worst, kWorstDoubted));
    const double own = plausibility(*found, &attempt);
    placings.push_back({&search, std::move(attempt), std::move(*found), own});
  }
  std::stable_sort(placings.begin(), placings.end(),
                   [](const Placing& a, const Placing& b) { return a.plausibility > b.plausibility; });
}

// Placings with other ends of limbs than the most plausible one has, and the most plausible upright one.
std::vector<Try> with_other_ends(const Search& search, std::span<const Placing> placings,
                                 const RigOptions& options, const Progress& progress) {
  std::vector<Try> others;
  bool has_any = false, has_upright = false;
  for (const Placing& placing : placings) {
    if (!placing.attempt || placing.attempt->rig->is_free) continue;
    const bool is_upright = placing.found.up.y > kOnAxis;
    if (has_any && (has_upright || !is_upright)) continue;
    has_any = true, has_upright = has_upright || is_upright;
    for (Try& one : other_placings(search, *placing.attempt, options, progress))
      others.push_back(std::move(one));
  }
  return others;
}

bool is_trusted(const Placing& placing) {
  return judge_skeleton(placing.found).confidence >= kLeastConfidence;
}

Result<Placing> place_cheapest(const Search& search, const RigOptions& options) {
  const Try* best = search.best();
  Result<FoundSkeleton> found = place_skeleton(search, best, options);
  if (!found) return found.error();
  Placing placing;
  placing.search = &search;
  placing.plausibility = plausibility(*found, best) + kFirstBonus;
  placing.found = std::move(*found);
  if (best != nullptr) placing.attempt = *best;
  return placing;
}

// Of the cheapest placing and those of all templates, orientations and ends of limbs the most plausible one:
// antlers may be cheaper arms than the arms are.
Result<Placing> most_plausible(const Search& search, Placing cheapest, const RigOptions& options,
                               const Progress& progress) {
  const std::optional<Try> first = cheapest.attempt;
  std::vector<Placing> placings;
  placings.push_back(std::move(cheapest));
  if (Status going = progress.at("comparing placings", 0.3); !going) return going.error();
  add_placings(search, all_placings(search, options, progress), options, placings);
  if (first && !first->rig->is_free)
    add_placings(search, other_placings(search, *first, options, progress), options, placings);
  for (int round = 0; round < kEndRounds; ++round) {
    if (Status going = progress.at("comparing placings", 0.5 + 0.2 * round); !going) return going.error();
    add_placings(search, with_other_ends(search, placings, options, progress), options, placings);
  }
  if (Status going = progress.at("comparing placings", 0.9); !going) return going.error();
  // A hand that fits is not a beast that does not.
  const bool is_hand = first && first->rig->is_free && first->cost() < search.worst;
  const auto is_eligible = [&](const Placing& placing) {
    return !is_hand || !placing.attempt || placing.attempt->rig == first->rig ||
           placing.attempt->cost() < search.worst;
  };
  return std::move(*std::find_if(placings.begin(), placings.end(), is_eligible));
}

// How many cells are not in the largest piece.
std::size_t loose_cells(const VoxelSolid& solid) {
  std::vector<std::size_t> cells(solid.piece_count, 0);
  for (const std::uint32_t piece : solid.piece) ++cells[piece];
  return solid.cell_count() - *std::max_element(cells.begin(), cells.end());
}

// Whether something touches, and no limb that passes through another part came off.
bool is_parted_well(const VoxelSolid& joined, const VoxelSolid& apart) {
  if (apart.cut_link_count <= joined.cut_link_count) return false;
  return static_cast<double>(loose_cells(apart)) <
         static_cast<double>(loose_cells(joined)) + kCameOff * static_cast<double>(joined.cell_count());
}

// Of several searches of one body, with the cheapest placing of the first: a cheapest placing that the look
// at the whole skeleton trusts, else the most plausible one of them all.
Result<Placing> place_trusted(std::span<const Search* const> searches, Placing first,
                              const RigOptions& options, const Progress& progress) {
  std::vector<Placing> cheapest;
  std::vector<const Search*> placed{searches.front()};
  cheapest.push_back(std::move(first));
  for (const Search* search : searches.subspan(1)) {
    Result<Placing> placing = place_cheapest(*search, options);
    if (!placing && placing.error().code == Errc::cancelled) return placing.error();
    if (!placing) continue;  // the first one still has its own
    if (is_trusted(*placing)) return placing;
    cheapest.push_back(std::move(*placing));
    placed.push_back(search);
  }
  std::optional<Placing> best;
  for (std::size_t k = 0; k < cheapest.size(); ++k) {
    const double share = 1.0 / static_cast<double>(cheapest.size());
    Result<Placing> placing =
        most_plausible(*placed[k], std::move(cheapest[k]), options,
                       progress.part(share * static_cast<double>(k), share * static_cast<double>(k + 1)));
    if (!placing) return placing.error();
    if (!best || placing->plausibility > best->plausibility + kFirstBonus) best = std::move(*placing);
    if (is_trusted(*best)) break;
  }
  return std::move(*best);
}

// Feet that end at the back of a hoof end at its front.
void turn_feet(const Search& search, const Try& attempt, FoundSkeleton& found) {
  const bool has_feet = std::any_of(attempt.rig->joints.begin(), attempt.rig->joints.end(),
                                    [](const RigTemplate::Joint& joint) { return joint.is_grounded; });
  if (!has_feet || (found.fit.feet_ahead < 1 && found.fit.feet_ahead > kFeetAhead)) return;
  const std::vector<PlacedJoint> placed =
      place_joints(*attempt.rig, attempt.reduced, search.body, search.graph, search.mirrors,
                   *attempt.embedding, attempt.pins, true);
  for (std::size_t j = 0; j < placed.size(); ++j) {
    for (FoundJoint& joint : found.joints)
      if (joint.name == attempt.rig->joints[j].name) joint.at = placed[j].at, joint.radius = placed[j].radius;
  }
}

// The skeleton with what the body has besides its template.
Result<FoundSkeleton> with_chains(Placing placing, const RigOptions& options, const Progress& progress) {
  const Search& search = *placing.search;
  if (!placing.attempt) return std::move(placing.found);
  if (placing.attempt->rig->is_free) {
    note_unused(search.body, placing.found);
    return std::move(placing.found);
  }
  FoundSkeleton& found = placing.found;
  turn_feet(search, *placing.attempt, found);
  const SearchedBody searched{search.surface, search.body, search.graph, search.mirrors,
                              placing.attempt->embedding->frame.plane};
  if (Status added = add_chains(searched, options.markers, found, progress); !added) return added.error();
  note_unused(search.body, found);
  if (!found.chains.empty())
    found.fit.limb_left = measure_fit(search.body, found, placing.attempt->rig).limb_left;
  return std::move(found);
}

}  // namespace

const RigScore::Penalty& largest_penalty(const RigScore& score) {
  return *std::max_element(
      score.penalties.begin(), score.penalties.end(),
      [](const RigScore::Penalty& a, const RigScore::Penalty& b) { return a.cost < b.cost; });
}

Result<FoundSkeleton> find_skeleton(std::span<const Vec3> points,
                                    std::span<const SurfaceMesh::Triangle> triangles,
                                    const RigOptions& options, const Progress& progress,
                                    FoundSkeleton* seen) {
  if (Status fine = check_directions(options); !fine) return fine.error();
  if (triangles.empty())
    return Error{Errc::bad_rig, "the mesh has no faces, and points alone enclose no body to find joints in"};
  const Result<std::vector<Try>> tries = make_tries(options);
  if (!tries) return tries.error();
  if (Status fine = check_markers(options.markers, points); !fine) return fine.error();
  BodySurface bare = without_plates(points, triangles);
  if (bare.aside.empty()) bare = {{points.begin(), points.end()}, {triangles.begin(), triangles.end()}, {}};
  BodySurface light = without_props(bare.points, bare.triangles);
  const bool has_props = !light.aside.empty();
  Result<Search> search = search_body(std::move(bare), *tries, options, Touching::joined,
                                      progress.part(0, has_props ? 0.45 : 0.9));
  if (!search) return search.error();
  std::optional<Search> lighter;
  if (has_props) {
    light.aside.insert(light.aside.begin(), search->surface.aside.begin(), search->surface.aside.end());
    Result<Search> without =
        search_body(std::move(light), *tries, options, Touching::joined, progress.part(0.45, 0.9));
    // Without its props a body may be flat or gone: then they are the body.
    if (!without && without.error().code == Errc::cancelled) return without.error();
    if (without) lighter = std::move(*without);
    if (lighter && lighter->cost() + kBetterWithout < search->cost()) std::swap(*lighter, *search);
  }
  if (seen != nullptr) *seen = begin_found(*search, options);
  if (Status going = progress.at("placing joints", 0.9); !going) return going.error();
  Result<Placing> first = place_cheapest(*search, options);
  if (!first) return first.error();
  if (is_trusted(*first)) return with_chains(std::move(*first), options, progress.part(0.98, 1));
  std::vector<const Search*> searches{&*search};
  Result<Search> apart =
      search_body(search->surface, *tries, options, Touching::apart, progress.part(0.9, 0.92));
  if (!apart && apart.error().code == Errc::cancelled) return apart.error();
  if (apart && is_parted_well(search->body.solid, apart->body.solid)) searches.push_back(&*apart);
  if (lighter) searches.push_back(&*lighter);
  Result<Placing> placing = place_trusted(searches, std::move(*first), options, progress.part(0.92, 0.98));
  if (!placing) return placing.error();
  return with_chains(std::move(*placing), options, progress.part(0.98, 1));
}

}  // namespace dermis
