// SPDX-License-Identifier: MIT
// The difference in motion between two skins of the same meshes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dermis/measure.h"

namespace dermis {
namespace {

constexpr int kFramesPerClip = 12;

Status check_alike(const Character& a, const Character& b) {
  const auto differ = [](const char* what) {
    return Error{Errc::bad_argument, fmt::format("the two characters differ in their {}; only skins of the "
                                                 "same meshes and instances can be compared in motion",
                                                 what)};
  };
  if (a.nodes.size() != b.nodes.size()) return differ("nodes");
  if (a.instances.size() != b.instances.size()) return differ("instances");
  for (std::size_t i = 0; i < a.instances.size(); ++i) {
    const Instance &x = a.instances[i], &y = b.instances[i];
    if (x.mesh != y.mesh || (x.skin == kNone) != (y.skin == kNone)) return differ("instances");
    if (a.meshes[at(x.mesh)].points.size() != b.meshes[at(y.mesh)].points.size()) return differ("points");
  }
  return Done{};
}

// A moment in which both are posed.
struct Moment {
  Index clip = kNone;
  double time = 0;
  const RangePose* pose = nullptr;

  PoseRequest request() const { return {clip, time, pose == nullptr ? nullptr : &pose->pose}; }
};

// Points of all skinned instances in the scene, by linear blending.
Result<std::vector<Vec3>> posed_points(const Character& character, const Moment& moment) {
  const Result<PoseFrame> frame = pose_frame(character, moment.request());
  if (!frame) return frame.error();
  std::vector<Vec3> all;
  for (const Instance& instance : character.instances) {
    if (instance.skin == kNone || !instance.in_scene) continue;
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    const std::size_t first = all.size();
    all.resize(first + mesh.points.size());
    skin_lbs_reference(mesh.weights, frame->palette_of(instance.skin), {mesh.points, {}, {}},
                       {std::span(all).subspan(first), {}, {}});
  }
  return all;
}

std::vector<Moment> moments_of(const Character& character, std::span<const RangePose> range) {
  std::vector<Moment> moments;
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    for (int f = 0; f < kFramesPerClip; ++f)
      moments.push_back(
          {static_cast<Index>(c), double{character.clips[c].end()} * (f + 0.5) / kFramesPerClip});
  }
  if (!moments.empty()) return moments;
  moments.reserve(range.size());
  for (const RangePose& pose : range) moments.push_back({kNone, 0, &pose});
  return moments;
}

std::string name_of_moment(const Character& character, const Moment& moment) {
  if (moment.pose != nullptr) return moment.pose->name;
  const std::string& clip = character.clips[at(moment.clip)].name;
  return fmt::format("clip {} at {:.3g} s",
                     clip.empty() ? fmt::format("#{}", moment.clip) : quoted_name(clip), moment.time);
}

}  // namespace

Result<SkinDistance> skin_distance(const Character& a, const Character& b, const Progress& progress) {
  return without_throwing("comparing skins", [&]() -> Result<SkinDistance> {
    if (const Status alike = check_alike(a, b); !alike) return alike.error();
    const Result<std::vector<Vec3>> rest = posed_points(a, {});
    if (!rest) return rest.error();
    if (rest->empty()) return Error{Errc::bad_argument, "neither character has a skin"};
    Box box;
    for (const Vec3& point : *rest) box.add(Vec3d(point));
    const std::vector<RangePose> range = a.clips.empty() ? range_of_motion(a) : std::vector<RangePose>{};
    const std::vector<Moment> moments = moments_of(a, range);
    SkinDistance distance;
    distance.diagonal = box.diagonal();
    distance.frame_count = moments.size();
    distance.is_by_range = a.clips.empty();
    std::vector<float> all;
    all.reserve(moments.size() * rest->size());
    double sum = 0;
    for (std::size_t m = 0; m < moments.size(); ++m) {
      const double done = static_cast<double>(m) / static_cast<double>(moments.size());
      if (const Status going = progress.at("moving both skins", done); !going) return going.error();
      const Result<std::vector<Vec3>> first = posed_points(a, moments[m]),
                                      second = posed_points(b, moments[m]);
      if (!first) return first.error();
      if (!second) return second.error();
      for (std::size_t v = 0; v < first->size(); ++v) {
        const Vec3d off = Vec3d((*first)[v]) - Vec3d((*second)[v]);
        const double far = length(off);
        sum += dot(off, off);
        all.push_back(static_cast<float>(far));
        if (!(far > distance.max)) continue;
        distance.max = far;
        distance.worst_point = v;
        distance.worst_moment = name_of_moment(a, moments[m]);
      }
    }
    if (all.empty()) return distance;
    distance.rms = std::sqrt(sum / static_cast<double>(all.size()));
    const auto place = all.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(all.size() - 1));
    std::nth_element(all.begin(), place, all.end());
    distance.p99 = double{*place};
    return distance;
  });
}

}  // namespace dermis
