// SPDX-License-Identifier: MIT
// Loads or makes a motion, maps its joints by file or by role, and retargets it.
#include "ops/animate/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "dermis/made.h"

namespace dermis {
namespace {

const MadeMotionRow* built_in(const std::string& name) {
  for (const MadeMotionRow& row : made_motions()) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

// A motion with an extension is always a file.
bool is_file(const std::string& motion) { return !extension_of(motion).empty(); }

Error unknown_motion(const std::string& motion) {
  std::vector<std::string_view> names;
  names.reserve(made_motions().size());
  for (const MadeMotionRow& row : made_motions()) names.emplace_back(row.name);
  return {Errc::usage, fmt::format("there is no built-in motion '{}'{}; a file needs its extension", motion,
                                   did_you_mean(motion, names))};
}

Result<Asset> load_motion(const std::string& motion, const FileRun& run) {
  if (is_file(motion)) return open_file(motion, run);
  const MadeMotionRow* row = built_in(motion);
  if (row == nullptr) return unknown_motion(motion);
  Result<Character> made = make_motion(row->motion);
  if (!made) return made.error();
  return Asset{.character = std::move(*made), .name = motion};
}

// A node that shows no mesh may be a joint.
bool has_joints(const Character& character) {
  if (!character.skins.empty()) return true;
  std::vector<bool> shows_mesh(character.nodes.size(), false);
  for (const Instance& instance : character.instances) shows_mesh[at(instance.node)] = true;
  return std::find(shows_mesh.begin(), shows_mesh.end(), false) != shows_mesh.end();
}

// Captured points: nodes that hang from nothing, moved and never turned.
bool holds_markers(const Character& source, Index clip) {
  const auto hangs = [](const Node& node) { return node.parent != kNone; };
  const std::vector<Channel>& channels = source.clips[at(clip)].channels;
  return source.skins.empty() && channels.size() > 1 &&
         std::none_of(source.nodes.begin(), source.nodes.end(), hangs) &&
         std::all_of(channels.begin(), channels.end(),
                     [](const Channel& channel) { return channel.path == ChannelPath::translation; });
}

// ---- Maps ---------------------------------------------------------------------------------------------

std::vector<std::string> labels_of(const std::vector<std::string>& all, const std::vector<Index>& nodes) {
  std::vector<std::string> labels;
  labels.reserve(nodes.size());
  for (const Index node : nodes) labels.push_back(all[at(node)]);
  return labels;
}

// Roles that only one side has are left out of the map.
std::vector<MotionMapRow> rows_of(const MotionMap& map, const Character& source, const Character& target) {
  const std::vector<std::string> from = node_labels(source), to = node_labels(target);
  std::vector<MotionMapRow> rows;
  for (const RoleRow& row : joint_roles()) {
    const std::vector<Index>&a = map.source.of(row.role), &b = map.target.of(row.role);
    if (!a.empty() && !b.empty()) rows.push_back({row.name, labels_of(from, a), labels_of(to, b)});
  }
  for (const auto& [a, b] : map.pairs) rows.push_back({"", {from[at(a)]}, {to[at(b)]}});
  return rows;
}

// One side of a map while it is read: which joints are used already.
struct MapSide {
  const Character& character;
  NodeFinder finder;
  std::string file;
  std::set<Index> seen;

  MapSide(const Character& whose, std::string where)
      : character(whose), finder(whose), file(std::move(where)) {}

  Result<std::vector<Index>> find(const std::vector<std::string>& labels, const std::string& place) {
    std::vector<Index> nodes;
    nodes.reserve(labels.size());
    for (const std::string& label : labels) {
      const Result<Index> node = finder.find(label);
      if (!node)
        return Error{node.error().code, fmt::format("{}: in {}, {}", place, file, node.error().sentence)};
      if (!seen.insert(*node).second)
        return Error{Errc::bad_file,
                     fmt::format("{}: joint {} of {} is named twice", place, quoted_name(label), file)};
      nodes.push_back(*node);
    }
    return nodes;
  }
};

Result<MotionMap> map_from_rows(const MotionRequest& request, const Character& target,
                                const std::string& target_name) {
  const std::string& path = request.map_name;
  MapSide from(request.motion->character, request.motion->name), to(target, target_name);
  MotionMap map;
  for (const MotionMapRow& row : request.map) {
    const std::string place =
        row.role.empty() ? path : fmt::format("{}: role {}", path, quoted_name(row.role));
    Result<std::vector<Index>> a = from.find(row.source, place), b = to.find(row.target, place);
    if (!a) return a.error();
    if (!b) return b.error();
    if (row.role.empty()) {
      map.pairs.emplace_back(a->front(), b->front());
      continue;
    }
    const Result<JointRole> role = find_role(row.role);
    if (!role) return prefixed(path, role.error());
    const bool is_chain = joint_roles()[static_cast<std::size_t>(*role)].is_chain;
    if (!is_chain && (a->size() > 1 || b->size() > 1))
      return Error{Errc::bad_file, fmt::format("{}: takes one joint on each side, not a list", place)};
    map.source.of(*role) = std::move(*a);
    map.target.of(*role) = std::move(*b);
  }
  return map;
}

// A name that no clip of the character has; a note says so if it is not the wanted one.
std::string free_name(const Character& character, const std::string& wanted, Notes& notes) {
  std::string name = free_clip_name(character.clips, wanted);
  if (name == wanted) return name;
  notes.push_back({Note::Kind::info, "clip-renamed",
                   fmt::format("the character already has a clip {}; the new one is called {}",
                               quoted_name(wanted), quoted_name(name))});
  return name;
}

// What passes through the floor or through the body, and how deep.
std::string motion_doubt(const AppliedMotion& applied) {
  const RetargetFigures& figures = applied.figures;
  std::vector<std::string> reasons;
  const auto add = [&](const std::string& what, double share) {
    reasons.push_back(fmt::format("{} by {:.0f} % of the height", what, 100 * share));
  };
  if (figures.sink > kDoubtedSink) add("feet sink below the floor", figures.sink);
  if (figures.body_sink > kDoubtedSink)
    add(fmt::format("{} sinks below the floor", quoted_name(figures.sinking_part)), figures.body_sink);
  if (applied.crossing.depth > kDoubtedCrossing)
    add(fmt::format("{} passes through {}", quoted_name(applied.crossing_limb),
                    quoted_name(applied.crossing_other)),
        applied.crossing.depth);
  if (figures.tilt > kDoubtedTilt)
    reasons.push_back(
        fmt::format("the lean of the trunk differs from the motion's by {:.0f} degrees", figures.tilt));
  if (figures.has_exchanged_sides)
    reasons.emplace_back("left and right of arms and of legs are on opposite sides");
  if (figures.has_other_legs) reasons.emplace_back("motion and character stand on different numbers of legs");
  return fmt::format("{}", fmt::join(reasons, ", "));
}

}  // namespace

Status check_motion(const std::string& motion) {
  if (!is_file(motion) && built_in(motion) == nullptr) return unknown_motion(motion);
  return Done{};
}

Result<OpenedMotion> open_motion(const std::string& motion, const std::string& clip, const FileRun& run) {
  Result<Asset> asset = load_motion(motion, run);
  if (!asset) return asset.error();
  const Result<Index> chosen = choose_clip(asset->character, clip, "has no clip, so it has no motion");
  if (!chosen) return prefixed(motion, chosen.error());
  return OpenedMotion{std::move(*asset), *chosen};
}

Result<AppliedMotion> apply_motion(const MotionRequest& request, Character& target,
                                   const std::string& target_name, const Run& run) {
  if (request.motion == nullptr) return Error{Errc::bad_argument, "no motion is given"};
  const std::string& name = request.motion->name;
  if (Status good = check_clip(request.motion->character, request.clip); !good)
    return prefixed(name, good.error());
  if (holds_markers(request.motion->character, request.clip))
    return Error{Errc::bad_rig,
                 fmt::format("{}: holds markers, which have no joints; fit a skeleton to them in another "
                             "program, and use its motion (.bvh)",
                             name)};
  if (!has_joints(target))
    return Error{Errc::bad_rig, fmt::format("{}: has no joints to move; 'dermis rig' finds joints in a mesh, "
                                            "'dermis bind' uses those of another file",
                                            target_name)};
  AppliedMotion applied;
  std::optional<Character> lent;
  if (request.map.empty() && has_no_lengths(request.motion->character, request.clip)) {
    Result<Character> played =
        with_lent_skeleton(request.motion->character, request.clip, target, applied.notes);
    if (!played) return prefixed(name, played.error());
    lent = std::move(*played);
  }
  const Character& source = lent ? *lent : request.motion->character;
  const Index clip = lent ? 0 : request.clip;
  applied.source_clip = source.clips[at(clip)].name;
  MotionMap map;
  if (request.map.empty()) {
    Result<MappedMotion> mapped = map_motion(source, target, run.progress.part(0, 0));
    if (!mapped) return prefixed(fmt::format("{} onto {}", name, target_name), mapped.error());
    append(applied.notes, mapped->notes);
    map = std::move(mapped->map);
  } else {
    Result<MotionMap> read = map_from_rows(request, target, target_name);
    if (!read) return read.error();
    map = std::move(*read);
  }
  applied.map = rows_of(map, source, target);
  const RetargetOptions& options = request.retarget;
  const std::string wanted = !options.name.empty()          ? options.name
                             : !applied.source_clip.empty() ? applied.source_clip
                                                            : std::filesystem::path(name).stem().string();
  Result<RetargetedClip> moved = retarget_clip(source, clip, target, map, options, run.progress.part(0, 0.9));
  if (!moved) return prefixed(name, moved.error());
  append(applied.notes, moved->notes);
  moved->clip.name = applied.clip = free_name(target, wanted, applied.notes);
  applied.figures = moved->figures;
  target.clips.push_back(std::move(moved->clip));
  const Result<LimbCrossing> crossing =
      measure_crossing(target, static_cast<Index>(target.clips.size() - 1), run.progress.part(0.9, 1));
  if (!crossing) {
    target.clips.pop_back();
    return prefixed(target_name, crossing.error());
  }
  applied.crossing = *crossing;
  if (crossing->limb != kNone) {
    applied.crossing_limb = node_label(target, crossing->limb);
    applied.crossing_other = node_label(target, crossing->other);
  }
  applied.doubt = motion_doubt(applied);
  return applied;
}

}  // namespace dermis
