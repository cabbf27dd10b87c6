// SPDX-License-Identifier: MIT
// Straightens a body that was just bound, and measures what that did to its surface.
#include "ops/rig/straighten.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "dermis/deform.h"

namespace dermis {
namespace {

// An edge that more than doubles is torn rather than bent, as in the figures of rig.
constexpr float kTornEdge = 1;
// More of the surface than this is torn only where parts are one surface that should be apart.
// A change of volume that is larger shows swollen or swallowed limbs.
constexpr double kDoubtedVolume = 0.1;
constexpr double kDoubtedTorn = 0.05;
// Parts of this many torn triangles are named.
constexpr double kNamedTorn = 0.005;
// Joints of one triangle at least this many steps apart in the tree are different parts that touched.
constexpr int kFarSteps = 3;
constexpr double kDoubtedCrossing = 0.05, kNamedCrossing = 0.02;

// Steps between two joints in the tree.
int steps_between(const Character& character, Index a, Index b) {
  std::vector<Index> above;
  for (Index n = a; n != kNone; n = character.nodes[at(n)].parent) above.push_back(n);
  int steps = 0;
  for (Index n = b; n != kNone; n = character.nodes[at(n)].parent, ++steps) {
    const auto found = std::find(above.begin(), above.end(), n);
    if (found != above.end()) return steps + static_cast<int>(found - above.begin());
  }
  return steps + static_cast<int>(above.size());
}

// The straight pose as a clip of one key per node.
Clip clip_of(const Character& character, const std::vector<Node>& nodes) {
  Clip clip;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Transform& rest = nodes[n].rest;
    const auto node = static_cast<Index>(n);
    if (rest.rotation != character.nodes[n].rest.rotation)
      clip.channels.push_back({ChannelPath::rotation,
                               node,
                               Interpolation::linear,
                               {0},
                               {rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w}});
    if (rest.translation != character.nodes[n].rest.translation)
      clip.channels.push_back({ChannelPath::translation,
                               node,
                               Interpolation::linear,
                               {0},
                               {rest.translation.x, rest.translation.y, rest.translation.z}});
  }
  return clip;
}

struct SurfaceChange {
  double volume = 0, volume_before = 0;
  std::size_t triangle_count = 0, torn_count = 0;
  std::map<std::pair<Index, Index>, std::size_t> apart;  // torn triangles between far joints, by both
};

Index heaviest_joint(const Character& character, const Instance& instance, std::size_t v) {
  const Influence& first = character.meshes[at(instance.mesh)].weights.row(v).front();
  return character.skins[at(instance.skin)].node[at(first.slot)];
}

void count_torn(const Character& character, const Instance& instance, const MeasuredSurface& surface,
                const Strain& strain, SurfaceChange& change) {
  for (std::size_t t = 0; t < surface.triangle_count(); ++t) {
    if (!strain.is_measured[t]) continue;
    ++change.triangle_count;
    if (strain.edge[t] <= kTornEdge) continue;
    ++change.torn_count;
    const SurfaceMesh::Triangle& triangle = surface.welded.triangles[t];
    for (std::size_t c = 0; c < 3; ++c) {
      const auto point = [&](std::size_t corner) {
        return static_cast<std::size_t>(surface.welded.source[triangle[corner % 3]]);
      };
      const Index a = heaviest_joint(character, instance, point(c)),
                  b = heaviest_joint(character, instance, point(c + 1));
      if (a == b || steps_between(character, a, b) < kFarSteps) continue;
      ++change.apart[std::minmax(a, b)];
      break;
    }
  }
}

Result<SurfaceChange> surface_change(const Character& before, const Character& after,
                                     const Progress& progress) {
  SurfaceChange change;
  const Result<PoseFrame> frame = pose_frame(before, {}), other = pose_frame(after, {});
  if (!frame) return frame.error();
  if (!other) return other.error();
  const Result<Character> from = deform_character(before, *frame, {}, progress.part(0, 0.4));
  if (!from) return from.error();
  const Result<Character> to = deform_character(after, *other, {}, progress.part(0.4, 0.8));
  if (!to) return to.error();
  std::size_t shown = 0;
  for (const Instance& instance : before.instances) {
    if (!instance.in_scene) continue;
    const std::size_t k = shown++;
    if (instance.skin == kNone) continue;
    const MeasuredSurface surface = measured_surface(before.meshes[at(instance.mesh)]);
    change.volume_before += volume_of(surface, from->meshes[k].points);
    change.volume += volume_of(surface, to->meshes[k].points);
    count_torn(before, instance, surface,
               measure_strain(surface, from->meshes[k].points, to->meshes[k].points), change);
  }
  return change;
}

void note_surface(const Character& character, const SurfaceChange& change, RigReport& report) {
  RigReport::Straight& straight = *report.straight;
  const auto all = static_cast<double>(std::max<std::size_t>(change.triangle_count, 1));
  straight.torn = static_cast<double>(change.torn_count) / all;
  straight.volume_change = std::abs(change.volume_before) > 0 ? change.volume / change.volume_before - 1 : 0;
  std::string parts;
  std::size_t apart_count = 0;
  for (const auto& [pair, count] : change.apart) {
    if (static_cast<double>(count) < kNamedTorn * all) continue;
    apart_count += count;
    parts +=
        fmt::format("{}{} and {}", parts.empty() ? "" : ", ", quoted_name(node_label(character, pair.first)),
                    quoted_name(node_label(character, pair.second)));
  }
  if (apart_count > 0)
    report.notes.push_back(
        {Note::Kind::guess, "straight-glued",
         fmt::format("parts that touch are one surface in the mesh, and stretch between {}; model "
                     "them apart, or pose the body so that they do not touch",
                     parts),
         "", -1, -1, apart_count});
  if (std::abs(straight.volume_change) > kDoubtedVolume)
    add_doubt(fmt::format("straightening changes the volume by {:+.0f} %", 100 * straight.volume_change),
              report);
  if (straight.torn <= kDoubtedTorn) return;
  const std::string torn =
      fmt::format("straightening stretches {:.0f} % of the triangles to more than twice their length",
                  100 * straight.torn);
  report.notes.push_back({Note::Kind::guess, "straight-stretched", torn});
  add_doubt(torn, report);
}

void note_crossing(const Character& character, const LimbCrossing& crossing, RigReport& report) {
  report.straight->crossing = crossing.depth;
  if (crossing.depth <= kNamedCrossing) return;
  const std::string through =
      fmt::format("straight, {} is {:.0f} % of the body's size inside {}",
                  quoted_name(node_label(character, crossing.limb)), 100 * crossing.depth,
                  quoted_name(node_label(character, crossing.other)));
  report.notes.push_back({Note::Kind::guess, "straight-crossing", through});
  if (crossing.depth > kDoubtedCrossing) add_doubt(through, report);
}

// As they are in the output.
void move_joints(const Character& character, RigReport& report) {
  const std::vector<Affined> world = rest_world(character);
  const NodeFinder finder(character);
  for (FoundJoint& joint : report.skeleton.joints) {
    const Result<Index> node = finder.find(joint.name);
    if (node) joint.at = world[at(*node)].translation;
  }
}

}  // namespace

void add_doubt(const std::string& doubt, RigReport& report) {
  if (doubt.empty()) return;
  report.doubt += (report.doubt.empty() ? "" : "; ") + doubt;
}

Status straighten_rig(StraightArms arms, std::optional<bool> is_four_legged, Character& character,
                      const Progress& progress, RigReport& report) {
  const auto stay = [&](const Error& error) {
    const std::string why = fmt::format("the rest pose is not straightened: {}", error.sentence);
    report.notes.push_back({Note::Kind::loss, "not-straightened", why});
    add_doubt(why, report);
    return Done{};
  };
  const Result<MappedJoints> mapped = map_joints(character, progress.part(0, 0.1));
  if (!mapped) return mapped.error().code == Errc::cancelled ? Status(mapped.error()) : stay(mapped.error());
  const Result<StraightBody> body = straight_body(character, mapped->roles, arms, is_four_legged);
  if (!body) return stay(body.error());
  report.straight = RigReport::Straight{};
  RigReport::Straight& straight = *report.straight;
  straight.pose = body->is_four_legged ? "standing" : name_of(arms);
  straight.largest_turn = body->largest_bend;
  if (body->most_bent != kNone) straight.turned_joint = node_label(character, body->most_bent);
  Character posed = character;
  posed.clips = {clip_of(character, body->nodes)};
  const Result<LimbCrossing> crossing = posed.clips[0].channels.empty()
                                            ? Result<LimbCrossing>(LimbCrossing{})
                                            : measure_crossing(posed, 0, progress.part(0.1, 0.3));
  if (!crossing) return crossing.error();
  DeformOptions options;
  options.stack = deform_stack("lbs_dqs");
  Result<Character> changed = rest_in_pose(character, body->nodes, options, progress.part(0.3, 0.7));
  if (!changed) return changed.error();
  const Result<SurfaceChange> change = surface_change(character, *changed, progress.part(0.7, 1));
  if (!change) return change.error();
  report.notes.push_back(
      {Note::Kind::info, "straightened",
       fmt::format("the rest pose was straightened into a {}; the largest turn is {:.0f} degrees{}",
                   body->is_four_legged ? "standing pose on four legs" : straight.pose.c_str(),
                   straight.largest_turn,
                   straight.turned_joint.empty() ? "" : ", at " + quoted_name(straight.turned_joint))});
  if (has_driven_values(character))
    report.notes.push_back(
        {Note::Kind::guess, "drivers-from-new-rest",
         "drivers and pose spaces measure from the straightened rest pose, not from the one "
         "that they were made for"});
  if (!body->is_four_legged && body->feet.empty())
    report.notes.push_back({Note::Kind::guess, "soles-not-found",
                            "no soles were found under the feet, so these slope as they did"});
  note_surface(character, *change, report);
  note_crossing(character, *crossing, report);
  character = std::move(*changed);
  move_joints(character, report);
  return Done{};
}

}  // namespace dermis
