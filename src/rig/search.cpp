// SPDX-License-Identifier: MIT
// Searches a body for the cheapest placing of each template, and for others.
#include "rig/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/markers.h"

namespace dermis {
namespace {

// A body nowhere deeper than this many cells is a sheet.
constexpr double kFlat = 1;
// Without the symmetry of a plane that the body has, a placing must be better by this much.
constexpr double kDoubtPosed = 0.1;
// One of many placings is searched no longer than this.
constexpr std::size_t kFewStates = 6000;

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

Result<VoxelSolid> solid_of(BodySurface& surface, const RigOptions& options, Touching touching,
                            const Progress& progress) {
  SolidOptions solid_options;
  solid_options.filled_budget = options.cells;
  solid_options.separates_contacts = touching == Touching::apart;
  Result<VoxelSolid> solid =
      voxelize_solid(surface.points, surface.triangles, solid_options, progress.part(0, 0.5));
  if (!solid) return solid;
  BodySurface own = without_loose_pieces(*solid, surface.points, surface.triangles);
  if (own.aside.empty()) return solid;
  own.aside.insert(own.aside.begin(), surface.aside.begin(), surface.aside.end());
  surface = std::move(own);
  return voxelize_solid(surface.points, surface.triangles, solid_options, progress.part(0.5, 1));
}

// Ways to orient a template: each frame along a plane of symmetry by itself, also for a body whose pose is
// not symmetric, and otherwise all frames that have one up.
std::vector<std::vector<BodyFrame>> orientations(const Search& search, const RigTemplate& rig,
                                                 const RigOptions& options) {
  std::vector<std::vector<BodyFrame>> groups;
  for (const BodyFrame& frame :
       guess_frames(search.body, search.mirrors, rig.is_free, {options.up, options.front})) {
    if (frame.plane >= 0) {
      BodyFrame posed = frame;
      posed.plane = -1;
      posed.doubt += kDoubtPosed;
      groups.push_back({frame, posed});
    } else if (!groups.empty() &&
               (rig.is_free || dot(groups.back().front().axes.y, frame.axes.y) > kSameDirection)) {
      groups.back().push_back(frame);
    } else {
      groups.push_back({frame});
    }
  }
  return groups;
}

}  // namespace

RigScore score_of(const Try& attempt, double worst) {
  RigScore score;
  score.name = attempt.rig->name;
  if (!attempt.embedding) return score;
  score.cost = attempt.cost();
  score.does_fit = score.cost < worst;
  score.penalties = penalties_of(attempt.embedding->cost);
  return score;
}

Result<Search> search_body(BodySurface surface, std::vector<Try> tries, const RigOptions& options,
                           Touching touching, const Progress& progress) {
  Search search;
  search.touching = touching;
  search.surface = std::move(surface);
  search.tries = std::move(tries);
  const bool is_asked = search.tries.size() == 1 && !options.can_extract;
  // A user who names a template, or places joints, knows better.
  search.worst = options.markers.size() >= kManyPins    ? kWorstMarked
                 : is_asked || !options.markers.empty() ? kWorstAsked
                                                        : kWorst;
  Result<VoxelSolid> solid = solid_of(search.surface, options, touching, progress.part(0, 0.4));
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

std::vector<Try> all_placings(const Search& search, const RigOptions& options, const Progress& progress) {
  std::vector<Try> others;
  for (const Try& attempt : search.tries) {
    for (const std::vector<BodyFrame>& frames : orientations(search, *attempt.rig, options)) {
      Try other = attempt;
      other.embedding = embed(*attempt.rig, attempt.reduced, search.body, search.graph, search.mirrors,
                              frames, {attempt.pins, {}, kFewStates}, kWorstDoubted, progress);
      if (other.embedding && other.cost() < kWorstDoubted) others.push_back(std::move(other));
    }
  }
  return others;
}

std::vector<Try> other_placings(const Search& search, const Try& placed, const RigOptions& options,
                                const Progress& progress) {
  std::vector<BodyFrame> frames;
  for (const std::vector<BodyFrame>& group : orientations(search, *placed.rig, options))
    for (const BodyFrame& frame : group)
      if (dot(frame.axes.y, placed.embedding->frame.axes.y) > kSameDirection &&
          frame.plane == placed.embedding->frame.plane)
        frames.push_back(frame);
  std::vector<Try> others;
  for (std::size_t v = 0; v < placed.reduced.joints.size(); ++v) {
    const ReducedTemplate::Joint& joint = placed.reduced.joints[v];
    const auto other = static_cast<std::size_t>(std::max(joint.mirror, static_cast<int>(v)));
    if (!joint.is_leaf || (joint.mirror >= 0 && joint.mirror < static_cast<int>(v))) continue;
    const std::vector<int>& node = placed.embedding->node;
    // Neither of a pair has the ends of either; or the two change sides.
    std::vector<std::vector<Ban>> choices{
        {{v, node[v]}, {v, node[other]}, {other, node[v]}, {other, node[other]}}};
    if (other != v) choices.push_back({{v, node[v]}, {other, node[other]}});
    for (std::vector<Ban>& bans : choices) {
      Try attempt = placed;
      attempt.bans.insert(attempt.bans.end(), bans.begin(), bans.end());
      attempt.embedding = embed(*placed.rig, placed.reduced, search.body, search.graph, search.mirrors,
                                frames, {placed.pins, attempt.bans, kFewStates}, kWorstDoubted, progress);
      if (attempt.embedding && attempt.cost() < kWorstDoubted) others.push_back(std::move(attempt));
    }
  }
  return others;
}

}  // namespace dermis
