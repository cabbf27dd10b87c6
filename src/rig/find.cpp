// SPDX-License-Identifier: MIT
// Finds the skeleton inside a surface.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  score.cost = attempt.embedding->cost.total();
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
    if (other.embedding->cost.total() < best.embedding->cost.total() + kClose)
      found.notes.push_back(
          Note{Note::Kind::guess, "template-doubt",
               fmt::format("'{}' fits nearly as well as '{}' ({:.2f} and {:.2f})", other.rig->name,
                           best.rig->name, other.embedding->cost.total(), best.embedding->cost.total())}
              .with_remedy("template", other.rig->name));
  }
  if (const double cost = best.embedding->cost.total(); cost > kPoor)
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

void note_solid(const BodySolid& body, std::size_t loose_count, FoundSkeleton& found) {
  if (loose_count > 0)
    found.notes.push_back(
        {Note::Kind::guess, "pieces-beside-body",
         fmt::format("{} next to the body {} not searched for limbs",
                     counted(loose_count, "small piece", "small pieces"), loose_count == 1 ? "is" : "are")});
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
  Result<std::vector<Try>> tries = make_tries(options);
  if (!tries) return tries.error();
  if (Status fine = check_markers(options.markers, points); !fine) return fine.error();
  SolidOptions solid_options;
  solid_options.filled_budget = options.cells;
  Result<VoxelSolid> solid = voxelize_solid(points, triangles, solid_options, progress.part(0, 0.2));
  if (!solid) return solid.error();
  const BodySurface own = without_loose_pieces(*solid, points, triangles);
  if (own.loose_count > 0) {
    solid = voxelize_solid(own.points, own.triangles, solid_options, progress.part(0.2, 0.4));
    if (!solid) return solid.error();
  }
  if (Status going = progress.at("looking for limbs", 0.4); !going) return going.error();
  const BodySolid body = survey_solid(std::move(*solid));
  if (*std::max_element(body.field.depth.begin(), body.field.depth.end()) < kFlat * body.solid.cell)
    return Error{
        Errc::bad_rig,
        "the mesh is flat and encloses no body to find joints in; 'dermis bind' takes your own skeleton"};
  if (Status going = progress.at("packing spheres", 0.7); !going) return going.error();
  const std::vector<BodyMirror> mirrors = find_mirrors(body);
  const BodyGraph graph = pack_spheres(body, mirrors);
  FoundSkeleton found;
  found.map = map_of(body, graph);
  found.size = body.span;
  found.left = {1, 0, 0}, found.up = {0, 1, 0}, found.front = {0, 0, 1};
  note_solid(body, own.loose_count, found);
  note_markers(options.markers, body.solid, found.notes);
  if (seen != nullptr) *seen = found;

  Try* best = nullptr;
  const bool is_asked = tries->size() == 1 && !options.can_extract;
  const double worst = is_asked ? kWorstAsked : kWorst;
  for (Try& attempt : *tries) {
    if (Status going = progress.at(fmt::format("trying {}", attempt.rig->name), 0.8); !going)
      return going.error();
    const std::vector<BodyFrame> frames =
        guess_frames(body, mirrors, attempt.rig->is_free, {options.up, options.front});
    // A placing that costs more than the noted margin above the best need not be the cheapest of its
    // template.
    const double search_to =
        best == nullptr ? worst : std::min(worst, best->embedding->cost.total() + kClose);
    attempt.embedding =
        embed(*attempt.rig, attempt.reduced, body, graph, mirrors, frames, attempt.pins, search_to, progress);
    found.scores.push_back(score_of(attempt, worst));
    if (!found.scores.back().does_fit) attempt.embedding.reset();
    if (attempt.embedding &&
        (best == nullptr || attempt.embedding->cost.total() < best->embedding->cost.total()))
      best = &attempt;
  }
  if (seen != nullptr) seen->scores = found.scores;
  if (best == nullptr && !options.can_extract) return nothing_fits(found, worst, body);
  if (Status going = progress.at("placing joints", 0.9); !going) return going.error();
  if (best == nullptr) {
    found.name = "extract";
    found.joints = extract_joints(body, mirrors);
    if (!tries->empty())
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
    if (!best->rig->is_free) {
      found.left = best->embedding->frame.axes.x;
      found.up = best->embedding->frame.axes.y;
      found.front = best->embedding->frame.axes.z;
    }
    if (best->embedding->frame.plane >= 0)
      found.symmetry = mirrors[static_cast<std::size_t>(best->embedding->frame.plane)].share;
    add_joints(*best,
               place_joints(*best->rig, best->reduced, body, graph, mirrors, *best->embedding, best->pins),
               found);
    if (!best->rig->is_free) note_orientation(options, found);
    note_doubts(*best, *tries, body, found);
  }
  found.fit = measure_fit(body, found, best == nullptr ? nullptr : best->rig);
  return found;
}

}  // namespace dermis
