// SPDX-License-Identifier: MIT
// Finds the skeleton inside a surface.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dermis/rig.h"
#include "rig/embed.h"
#include "rig/extract.h"
#include "rig/fit.h"
#include "rig/frames.h"
#include "rig/graph.h"
#include "rig/markers.h"
#include "rig/pieces.h"
#include "rig/place.h"

namespace dermis {
namespace {

// A placing that costs more does not fit; a user who asks for one template alone may know better.
constexpr double kWorst = 0.9;
constexpr double kWorstAsked = 1.5;
// A body nowhere deeper than this many cells is a sheet.
constexpr double kFlat = 1;
// A runner-up this close to the winner is noted.
constexpr double kClose = 0.12;
// So is a winner that costs more than this.
constexpr double kPoor = 0.65;
// A limb shorter than this many of its radii is a stump, not a foot or a hand.
constexpr double kStump = 0.6;
// Another placing replaces the cheapest if the confidence in it is greater by this.
constexpr double kClearlyTrusted = 0.1;
// A body is searched without its props if that is better by this much.
constexpr double kBetterWithout = 0.01;
// Limbs that no joint reaches and that stick out by this share of the span are noted.
constexpr double kUnusedLimb = 0.08;
// Cosine of the angle below which two directions do not reliably span a plane.
constexpr double kSameDirection = 0.99;
// Cosine of a negligible angle to an axis.
constexpr double kOnAxis = 0.998;

struct Try {
  const RigTemplate* rig = nullptr;
  ReducedTemplate reduced;
  std::vector<Pin> pins;
  std::optional<Embedding> embedding;

  double cost() const { return embedding->cost.total(); }
};

std::vector<RigScore::Penalty> penalties_of(const EmbedCost& cost) {
  return {{"direction and length", cost.bones},
          {"side", cost.side},
          {"middle", cost.middle},
          {"thickness", cost.fat},
          {"ground", cost.ground},
          {"prominence", cost.prominence},
          {"symmetry", cost.symmetry},
          {"shared ways", cost.shared},
          {"unused limbs", cost.unused},
          {"missing limbs", cost.missing},
          {"orientation", cost.frame}};
}

RigScore score_of(const Try& attempt, double worst) {
  RigScore score;
  score.name = attempt.rig->name;
  if (!attempt.embedding) return score;
  score.cost = attempt.cost();
  score.does_fit = score.cost < worst;
  score.penalties = penalties_of(attempt.embedding->cost);
  return score;
}

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
  for (const RigTemplate& rig : options.templates) tries.push_back({&rig, reduce(rig), {}, {}});
  std::vector<std::string> known;
  for (const Try& attempt : tries) {
    for (std::string& name : marker_names(*attempt.rig)) known.push_back(std::move(name));
  }
  for (const RigMarker& marker : options.markers) {
    bool is_known = false;
    for (Try& attempt : tries) {
      const Index joint = marked_joint(*attempt.rig, marker.joint);
      if (joint == kNone) continue;
      attempt.pins.push_back({joint, marker.at});
      is_known = true;
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    if (!is_known)
      return Error{Errc::bad_argument, fmt::format("the marker '{}' is not a joint of a template{}",
                                                   marker.joint, did_you_mean(marker.joint, names))};
  }
  // A template that does not know all markers is not what the user wants.
  std::erase_if(tries, [&](const Try& attempt) { return attempt.pins.size() < options.markers.size(); });
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

// What the user should check: templates nearly as good, limbs without joints, bodies in pieces.
void note_doubts(const Try& best, std::span<const Try> tries, const BodySolid& body, FoundSkeleton& found) {
  for (const Try& other : tries) {
    if (&other == &best || !other.embedding) continue;
    if (other.cost() < best.cost() + kClose)
      found.notes.push_back(Note{Note::Kind::guess, "template-doubt",
                                 fmt::format("'{}' fits nearly as well as '{}' ({:.2f} and {:.2f})",
                                             other.rig->name, best.rig->name, other.cost(), best.cost())}
                                .with_remedy("template", other.rig->name));
  }
  if (const double cost = best.cost(); cost > kPoor)
    found.notes.push_back(
        Note{Note::Kind::guess, "template-poor",
             fmt::format("'{}' fits badly (its cost is {:.2f}; above {} it would not fit); check the joints",
                         best.rig->name, cost, kWorst)}
            .with_remedy("template", "extract")
            .with_remedy("marker"));
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

// A surface and the cheapest placing of each template in it.
struct Search {
  BodySurface surface;
  BodySolid body;
  std::vector<BodyMirror> mirrors;
  BodyGraph graph;
  std::vector<Try> tries;
  std::vector<RigScore> scores;
  double worst = kWorst;  // a placing that costs this much does not fit

  const Try* best() const {
    const Try* cheapest = nullptr;
    for (const Try& attempt : tries) {
      if (attempt.embedding && (cheapest == nullptr || attempt.cost() < cheapest->cost()))
        cheapest = &attempt;
    }
    return cheapest;
  }
  // Of the best placing; infinite if nothing fits.
  double cost() const { return best() == nullptr ? std::numeric_limits<double>::infinity() : best()->cost(); }
};

Result<VoxelSolid> solid_of(BodySurface& surface, const RigOptions& options, const Progress& progress) {
  SolidOptions solid_options;
  solid_options.filled_budget = options.cells;
  Result<VoxelSolid> solid =
      voxelize_solid(surface.points, surface.triangles, solid_options, progress.part(0, 0.5));
  if (!solid) return solid;
  BodySurface own = without_loose_pieces(*solid, surface.points, surface.triangles);
  if (own.aside.empty()) return solid;
  own.aside.insert(own.aside.begin(), surface.aside.begin(), surface.aside.end());
  surface = std::move(own);
  return voxelize_solid(surface.points, surface.triangles, solid_options, progress.part(0.5, 1));
}

Result<Search> search_body(BodySurface surface, std::vector<Try> tries, const RigOptions& options,
                           const Progress& progress) {
  Search search;
  search.surface = std::move(surface);
  search.tries = std::move(tries);
  const bool is_asked = search.tries.size() == 1 && !options.can_extract;
  // A user who names a template, or places joints, knows better.
  search.worst = is_asked || !options.markers.empty() ? kWorstAsked : kWorst;
  Result<VoxelSolid> solid = solid_of(search.surface, options, progress.part(0, 0.4));
  if (!solid) return solid.error();
  if (Status going = progress.at("looking for limbs", 0.4); !going) return going.error();
  search.body = survey_solid(std::move(*solid));
  const std::vector<float>& depth = search.body.field.depth;
  if (*std::max_element(depth.begin(), depth.end()) < kFlat * search.body.solid.cell)
    return Error{
        Errc::bad_rig,
        "the mesh is flat and encloses no body to find joints in; 'dermis bind' takes your own skeleton"};
  if (Status going = progress.at("packing spheres", 0.7); !going) return going.error();
  search.mirrors = find_mirrors(search.body);
  search.graph = pack_spheres(search.body, search.mirrors);
  for (Try& attempt : search.tries) {
    if (options.mirrors_markers && !search.mirrors.empty() && !attempt.rig->is_free)
      attempt.pins =
          with_mirrored(*attempt.rig, attempt.pins, search.mirrors.front().plane, search.body.solid);
  }
  for (Try& attempt : search.tries) {
    if (Status going = progress.at(fmt::format("trying {}", attempt.rig->name), 0.8); !going)
      return going.error();
    const std::vector<BodyFrame> frames =
        guess_frames(search.body, search.mirrors, attempt.rig->is_free, {options.up, options.front});
    // A placing that costs more than the noted margin above the best need not be the cheapest of its
    // template.
    const double search_to = std::min(search.worst, search.cost() + kClose);
    attempt.embedding = embed(*attempt.rig, attempt.reduced, search.body, search.graph, search.mirrors,
                              frames, {attempt.pins, {}}, search_to, progress);
    search.scores.push_back(score_of(attempt, search.worst));
    if (!search.scores.back().does_fit) attempt.embedding.reset();
  }
  return search;
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
    if (const std::size_t mirrored = best->pins.size() - options.markers.size(); mirrored > 0)
      found.notes.push_back(
          Note{Note::Kind::guess, "markers-mirrored",
               fmt::format("{} of the other side {} placed by the mirror images of markers",
                           counted(mirrored, "joint", "joints"), mirrored == 1 ? "is" : "are"),
               "", -1, -1, mirrored}
              .with_remedy("no_mirror"));
    if (!best->rig->is_free) note_orientation(options, found);
    note_doubts(*best, search.tries, search.body, found);
  }
  found.fit = measure_fit(search.body, found, best == nullptr ? nullptr : best->rig);
  return found;
}

// Other placings of the same template: without the ends that one kind of limb has.
std::vector<Try> other_placings(const Search& search, const Try& best, const RigOptions& options,
                                const Progress& progress) {
  const std::vector<BodyFrame> frames =
      guess_frames(search.body, search.mirrors, best.rig->is_free, {options.up, options.front});
  std::vector<Try> others;
  for (std::size_t v = 0; v < best.reduced.joints.size(); ++v) {
    const ReducedTemplate::Joint& joint = best.reduced.joints[v];
    const auto other = static_cast<std::size_t>(std::max(joint.mirror, static_cast<int>(v)));
    if (!joint.is_leaf || (joint.mirror >= 0 && joint.mirror < static_cast<int>(v))) continue;
    const std::vector<int>& node = best.embedding->node;
    // Neither of a pair has the ends of either; or the two change sides.
    std::vector<std::vector<Ban>> choices{
        {{v, node[v]}, {v, node[other]}, {other, node[v]}, {other, node[other]}}};
    if (other != v) choices.push_back({{v, node[v]}, {other, node[other]}});
    for (const std::vector<Ban>& bans : choices) {
      Try attempt = best;
      attempt.embedding = embed(*best.rig, best.reduced, search.body, search.graph, search.mirrors, frames,
                                {best.pins, bans}, search.worst, progress);
      if (attempt.embedding && attempt.cost() < search.worst) others.push_back(std::move(attempt));
    }
  }
  return others;
}

// The cheapest placing; or, if the look at the whole skeleton doubts it, the one that it doubts least:
// antlers may be cheaper arms than the arms are.
Result<FoundSkeleton> place_trusted(const Search& search, const RigOptions& options,
                                    const Progress& progress) {
  const Try* best = search.best();
  Result<FoundSkeleton> trusted = place_skeleton(search, best, options);
  if (!trusted || best == nullptr) return trusted;
  double confidence = judge_skeleton(*trusted).confidence;
  if (confidence >= kLeastConfidence) return trusted;
  std::vector<Try> others;
  if (!best->rig->is_free) others = other_placings(search, *best, options, progress);
  for (const Try& attempt : search.tries)
    if (&attempt != best && attempt.embedding) others.push_back(attempt);
  for (const Try& other : others) {
    if (Status going = progress.at("placing joints", 0.5); !going) return going.error();
    Result<FoundSkeleton> found = place_skeleton(search, &other, options);
    if (!found) continue;
    // Its own cost, not that of the cheapest placing.
    for (RigScore& score : found->scores)
      if (score.name == found->name) score = score_of(other, search.worst);
    const double own = judge_skeleton(*found).confidence;
    if (own < confidence + kClearlyTrusted) continue;
    confidence = own;
    trusted = std::move(found);
  }
  return trusted;
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
  Result<Search> search =
      search_body(std::move(bare), *tries, options, progress.part(0, has_props ? 0.45 : 0.9));
  if (!search) return search.error();
  if (has_props) {
    light.aside.insert(light.aside.begin(), search->surface.aside.begin(), search->surface.aside.end());
    Result<Search> lighter = search_body(std::move(light), *tries, options, progress.part(0.45, 0.9));
    // Without its props a body may be flat or gone: then they are the body.
    if (!lighter && lighter.error().code == Errc::cancelled) return lighter.error();
    if (lighter && lighter->cost() + kBetterWithout < search->cost()) search = std::move(lighter);
  }
  if (seen != nullptr) *seen = begin_found(*search, options);
  if (Status going = progress.at("placing joints", 0.9); !going) return going.error();
  return place_trusted(*search, options, progress.part(0.9, 1));
}

}  // namespace dermis
