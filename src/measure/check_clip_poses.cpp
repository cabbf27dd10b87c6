// SPDX-License-Identifier: MIT
// Checks of clips in motion: skin that tears, joints that leave the body.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "measure/bind_bones.h"
#include "measure/check.h"
#include "measure/quality.h"
#include "measure/surface.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

constexpr const char* kPosing = "posing clips";

// Moments of all clips together: this many, or as many as move this many points, or the fewest. A node and a
// mesh take as long as so many points.
constexpr std::size_t kMostMoments = 240, kFewestMoments = 4;
constexpr std::size_t kMovedPoints = 6'000'000, kPointsOfNode = 2, kPointsOfMesh = 250;

// Skin that is torn for a shorter time is a jump, which good clips have too: a warning. In seconds.
constexpr double kLongTear = 0.1;

// A joint leaves the body if its bone becomes kLongTimes as long and longer by the size of the body. Bones of
// good clips become as much longer where they carry the whole body, or a prop that is thrown.
constexpr double kFlung = 1;
// A bone falls together if it shrinks to this fraction; shorter ones than this fraction of the size may.
constexpr double kCollapsed = 0.1, kLongBone = 0.03;
// Single bones may be animated so; of this share of all bones, the clip is of another unit or skeleton.
constexpr double kManyBones = 0.2;

// Clips that carry the body begin or end near its place at rest: never nearer than so many sizes is a long
// way.
constexpr double kAway = 10;

// The bone from a joint to its parent joint.
struct ClipBone {
  Index node = kNone, parent = kNone;
  double length = 0;  // at rest, in the frame of the parent
  double scale = 0;   // of that frame at rest
};

// One mesh under one skin, at rest.
struct StillSkin {
  SkinnedMesh shown;
  std::shared_ptr<const MeasuredSurface> surface;
  std::vector<Vec3> rest;  // welded
  double edge = 0;         // the median
};

struct TornMoment {
  double stretch = 0, time = 0;
  Index mesh = kNone, point = kNone;
  std::size_t count = 0;  // of moments with torn skin
};
struct BoneMoment {
  std::size_t count = 0;  // of bones that are wrong, in the frame with most
  double time = 0;
  Index node = kNone;  // the worst of that frame
  double times = 1;    // as long
};

// The length of a bone in the frame of its parent joint: scaled parents do not change it.
double bone_length(const ClipBone& bone, const PoseFrame& frame) {
  const Affined parent_from_world = inverse(frame.world_from_node[at(bone.parent)]);
  return length(parent_from_world * frame.world_from_node[at(bone.node)].translation);
}

class ClipCheck {
 public:
  ClipCheck(const Character& character, const Progress& progress, Checkup& checkup)
      : character_(character),
        progress_(progress),
        checkup_(checkup),
        shown_(skinned_meshes(character)),
        labels_(node_labels(character)) {}

  Status run() {
    if (shown_.empty() || character_.clips.empty()) return Done{};
    Result<Poser> poser = prepare_poser(character_);
    if (!poser) return poser.error();
    if (Status posed = pose(*poser, {}, frame_); !posed) return posed;
    prepare_skins();
    prepare_bones();
    if (Status going = progress_.at(kPosing, 0); !going) return going;
    if (!(size_ > 0) || !std::isfinite(size_)) return Done{};
    const std::size_t cost =
        point_count_ + kPointsOfNode * character_.nodes.size() + kPointsOfMesh * skins_.size();
    const std::size_t moments = std::clamp(kMovedPoints / cost, kFewestMoments, kMostMoments);
    const std::size_t clips = std::min(moments, character_.clips.size());
    for (std::size_t k = 0; k < clips; ++k) {
      const std::size_t clip = k * character_.clips.size() / clips;
      const double begin = static_cast<double>(k) / static_cast<double>(clips);
      const Progress part = progress_.part(begin, begin + 1 / static_cast<double>(clips));
      if (Status done = check_clip(*poser, static_cast<Index>(clip), moments / clips, part); !done)
        return done;
    }
    return Done{};
  }

 private:
  void prepare_skins() {
    std::map<Index, std::shared_ptr<const MeasuredSurface>> surfaces;
    Box box;
    for (const SkinnedMesh& shown : shown_) {
      if (progress_.is_stopped()) return;
      const Mesh& mesh = character_.meshes[at(shown.mesh)];
      std::shared_ptr<const MeasuredSurface>& surface = surfaces[shown.mesh];
      if (!surface) surface = std::make_shared<MeasuredSurface>(measured_surface(mesh));
      StillSkin& skin = skins_.emplace_back();
      skin.shown = shown;
      skin.surface = surface;
      skin.rest = posed_points(skin);
      skin.edge = median_edge(surface->welded.triangles, skin.rest);
      for (const Vec3& p : skin.rest) box.add(Vec3d(p));
      point_count_ += mesh.points.size();
    }
    size_ = box.diagonal();
  }

  // Welded, as the frame poses them.
  std::vector<Vec3> posed_points(const StillSkin& skin) {
    const Mesh& mesh = character_.meshes[at(skin.shown.mesh)];
    posed_.resize(mesh.points.size());
    skin_lbs_reference(mesh.weights, frame_.palette_of(skin.shown.skin), {mesh.points, {}, {}},
                       {posed_, {}, {}});
    return welded_points(*skin.surface, posed_);
  }

  // Bones of joints that move points, except those that carry more than half of all such joints: these move
  // the body, not a part of it.
  void prepare_bones() {
    std::vector<bool> is_followed(character_.nodes.size(), false);
    std::vector<Index> parent_joint(character_.nodes.size(), kNone);
    for (const SkinnedMesh& shown : shown_) {
      const Skin& skin = character_.skins[at(shown.skin)];
      for (const Influence& one : character_.meshes[at(shown.mesh)].weights.influences)
        is_followed[at(skin.node[at(one.slot)])] = true;
      const std::vector<Index> parents = parent_slots(character_, skin);
      for (std::size_t s = 0; s < parents.size(); ++s) {
        if (parents[s] != kNone) parent_joint[at(skin.node[s])] = skin.node[at(parents[s])];
      }
    }
    std::vector<std::size_t> below(character_.nodes.size(), 0);
    const std::vector<Index> order = parents_first(character_.nodes);
    std::size_t followed_count = 0;
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      if (is_followed[at(*n)]) ++below[at(*n)], ++followed_count;
      const Index parent = character_.nodes[at(*n)].parent;
      if (parent != kNone) below[at(parent)] += below[at(*n)];
    }
    // The one that carries the body: the deepest of those with more than half of the joints.
    for (const Index n : order) {
      if (2 * below[at(n)] > followed_count) carrier_ = n;
    }
    carrier_at_rest_ = frame_.world_from_node[at(carrier_)].translation;
    for (const Index n : order) {
      if (parent_joint[at(n)] == kNone || below[at(n)] == 0 || 2 * below[at(n)] > followed_count) continue;
      ClipBone bone{n, parent_joint[at(n)], 0, 0};
      bone.length = bone_length(bone, frame_);
      bone.scale = std::cbrt(std::abs(determinant(frame_.world_from_node[at(bone.parent)].linear)));
      if (std::isfinite(bone.length) && bone.scale > 0) bones_.push_back(bone);
    }
  }

  Status check_clip(const Poser& poser, Index clip, std::size_t moments, const Progress& progress) {
    const double start = static_cast<double>(character_.clips[at(clip)].start());
    const double seconds = static_cast<double>(character_.clips[at(clip)].end()) - start;
    TornMoment torn;
    BoneMoment wrong;
    double nearest = INFINITY;  // the body to its place at rest
    ++checkup_.clips.clip_count;
    for (std::size_t k = 0; k < moments; ++k) {
      const double fraction = static_cast<double>(k) / static_cast<double>(moments);
      if (Status going = progress.at(kPosing, fraction); !going) return going;
      const double time = start + seconds * (static_cast<double>(k) + 0.5) / static_cast<double>(moments);
      if (Status posed = pose(poser, {clip, time, nullptr}, frame_); !posed) return posed;
      ++checkup_.clips.frame_count;
      take_bones(time, wrong);
      nearest = std::min(nearest,
                         length(frame_.world_from_node[at(carrier_)].translation - carrier_at_rest_) / size_);
      bool is_torn = false;
      for (const StillSkin& skin : skins_) {
        if (progress.is_stopped()) break;
        is_torn = take_skin(skin, time, torn) || is_torn;
      }
      torn.count += is_torn ? 1 : 0;
    }
    if (Status going = progress.at(kPosing, 1); !going) return going;
    // Bones that are wrong also tear the skin and carry the body away: that is one finding.
    if (say_bones(clip, wrong)) return Done{};
    if (torn.count > 0) {
      const bool is_long = torn.count == moments || static_cast<double>(torn.count) * seconds >
                                                        kLongTear * static_cast<double>(moments);
      say_torn(clip, torn).severity = is_long ? Severity::error : Severity::warning;
    }
    if (nearest > kAway && std::isfinite(nearest)) say_away(clip, nearest);
    return Done{};
  }

  void take_bones(double time, BoneMoment& wrong) const {
    BoneMoment now;
    now.time = time;
    double worst = 0;
    for (const ClipBone& bone : bones_) {
      const double length = bone_length(bone, frame_);
      const double times = bone.length > 0 ? length / bone.length : INFINITY;
      const bool is_flung =
          length > kLongTimes * bone.length && (length - bone.length) * bone.scale > kFlung * size_;
      const bool is_collapsed =
          length < kCollapsed * bone.length && bone.length * bone.scale > kLongBone * size_;
      if (!is_flung && !is_collapsed) continue;
      ++now.count;
      const double change = std::abs(length - bone.length) * bone.scale;
      if (change > worst) worst = change, now.node = bone.node, now.times = times;
    }
    if (now.count > wrong.count) wrong = now;
  }

  // True if the frame tears it.
  bool take_skin(const StillSkin& skin, double time, TornMoment& torn) {
    const std::vector<Triangle>& triangles = skin.surface->welded.triangles;
    const std::vector<Vec3> posed = posed_points(skin);
    const Growth growth = worst_growth(triangles, skin.rest, posed);
    if (!(growth.most > kVisibleStretch * size_)) return false;
    // A clip may scale the whole body.
    const double scale = std::max(1.0, median_edge(triangles, posed) / skin.edge);
    const double stretch = growth.most / (scale * size_);
    if (!(stretch > kVisibleStretch) || !std::isfinite(stretch)) return false;
    if (stretch <= torn.stretch) return true;
    torn.stretch = stretch;
    torn.time = time;
    torn.mesh = skin.shown.mesh;
    torn.point = skin.surface->welded.source[triangles[growth.triangle][0]];
    return true;
  }

  Finding& add(const char* id, Index clip, std::string sentence) {
    return add_finding(checkup_.findings, id, "clip", clip, character_.clips[at(clip)].name,
                       std::move(sentence));
  }

  Finding& say_torn(Index clip, const TornMoment& torn) {
    const std::string& name = character_.meshes[at(torn.mesh)].name;
    Finding& finding = add(
        "clip-torn", clip,
        fmt::format(
            "tears mesh {}{}{}: at {:.2f} s an edge at point {} grows by {:.3g} % of the character's size",
            torn.mesh, name.empty() ? "" : " ", name.empty() ? "" : quoted_name(name), torn.time, torn.point,
            100 * torn.stretch));
    finding.figure = torn.stretch;
    return finding;
  }

  void say_away(Index clip, double nearest) {
    Finding& finding =
        add("clip-away", clip,
            fmt::format(
                "moves the body, by {}, to {:.3g} times its size from its place at rest, and never nearer",
                quoted_name(labels_[at(carrier_)]), nearest));
    finding.node = carrier_;
    finding.figure = nearest;
  }

  // True if it is an error.
  bool say_bones(Index clip, const BoneMoment& wrong) {
    if (wrong.count == 0) return false;
    Finding& finding =
        add("clip-bone-lengths", clip,
            fmt::format(
                "at {:.2f} s moves {} {:.3g} times as far from its parent joint as at rest; {} of {} bones "
                "change like this",
                wrong.time, quoted_name(labels_[at(wrong.node)]), wrong.times, wrong.count, bones_.size()));
    finding.node = wrong.node;
    finding.count = wrong.count;
    const auto bones = static_cast<double>(bones_.size());
    if (wrong.count < 2 || static_cast<double>(wrong.count) < kManyBones * bones)
      finding.severity = Severity::warning;
    return finding.severity == Severity::error;
  }

  const Character& character_;
  const Progress& progress_;
  Checkup& checkup_;
  std::vector<SkinnedMesh> shown_;
  std::vector<std::string> labels_;
  std::vector<StillSkin> skins_;
  std::vector<ClipBone> bones_;
  Index carrier_ = 0;
  Vec3d carrier_at_rest_;
  PoseFrame frame_;
  std::vector<Vec3> posed_;  // of one mesh
  std::size_t point_count_ = 0;
  double size_ = 0;  // of all skins at rest
};

}  // namespace

Status check_clip_poses(const Character& character, Checkup& checkup, const Progress& progress) {
  return without_throwing(kPosing, [&]() -> Status {
    if (Status done = ClipCheck(character, progress, checkup).run(); !done) return done;
    defer_to_causes(character, checkup.findings);
    sort_findings(checkup.findings);
    return Done{};
  });
}

}  // namespace dermis
