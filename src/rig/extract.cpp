// SPDX-License-Identifier: MIT
// The curve skeleton of a body, cut into joints.
#include "rig/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "rig/centreline.h"
#include "rig/ways.h"

namespace dermis {
namespace {

// Limbs that stick out less than this are bumps; more limbs than this are hair.
constexpr double kLeastLimb = 0.045;
constexpr std::size_t kMostLimbs = 48;
// Joints along a limb are this many of its radii apart, and at most this many.
constexpr double kSpacing = 3.5;
constexpr int kMostJoints = 8;
// Ends this near to each other's mirror image, as a fraction of the span, are a pair.
constexpr double kPairDistance = 0.06;

// A limb from where it leaves another to its end.
struct Curve {
  Vec3d end;
  int parent = -1;       // the curve it leaves; -1: the middle of the body
  double leaves_at = 0;  // along the parent's line
  Centreline line;
  std::string name;                              // "limb_2_L"
  int partner = -1;                              // the curve before it that it mirrors
  std::vector<std::pair<double, Index>> joints;  // along the line, rising
};

std::vector<Curve> trace_curves(const BodySolid& body) {
  const DeepWays ways(body, body.middle);
  std::unordered_map<std::uint32_t, int> owner;  // of cells on curves
  std::vector<Curve> curves;
  for (const LimbEnd& end : body.ends) {
    if (end.prominence < kLeastLimb * body.span || curves.size() == kMostLimbs) continue;
    std::vector<std::uint32_t> cells{end.cell};
    while (owner.count(cells.back()) == 0 && ways.before(cells.back()) != cells.back())
      cells.push_back(ways.before(cells.back()));
    Curve curve;
    curve.end = body.solid.centre(end.cell);
    std::vector<Vec3d> way;
    way.reserve(cells.size());
    for (const std::uint32_t c : cells) way.push_back(body.solid.centre(c));
    std::reverse(way.begin(), way.end());
    curve.line = trace_centreline(body, way);
    if (const auto found = owner.find(cells.back()); found != owner.end()) {
      curve.parent = found->second;
      curve.leaves_at = nearest_along(curves[static_cast<std::size_t>(curve.parent)].line, way.front());
    }
    for (const std::uint32_t c : cells) owner.emplace(c, static_cast<int>(curves.size()));
    curves.push_back(std::move(curve));
  }
  return curves;
}

void name_curves(const BodySolid& body, std::span<const BodyMirror> mirrors, std::vector<Curve>& curves) {
  int number = 0;
  for (std::size_t a = 0; a < curves.size(); ++a) {
    if (!curves[a].name.empty()) continue;
    ++number;
    curves[a].name = fmt::format("limb_{}", number);
    if (mirrors.empty()) continue;
    const MirrorPlane& plane = mirrors.front().plane;
    for (std::size_t b = a + 1; b < curves.size(); ++b) {
      if (!curves[b].name.empty() || plane.side(curves[a].end) * plane.side(curves[b].end) > 0 ||
          length(plane.mirrored(curves[a].end) - curves[b].end) > kPairDistance * body.span)
        continue;
      const bool is_left = plane.side(curves[a].end) > 0;
      curves[b].name = curves[a].name + (is_left ? "_R" : "_L");
      curves[a].name += is_left ? "_L" : "_R";
      curves[b].partner = static_cast<int>(a);
      break;
    }
  }
}

// Where joints go on a curve: where others leave it, and evenly between.
std::vector<double> stops_of(const std::vector<Curve>& curves, std::size_t own) {
  const Curve& curve = curves[own];
  const double whole = curve.line.length();
  std::vector<double> stops;
  for (const Curve& other : curves)
    if (other.parent == static_cast<int>(own)) stops.push_back(other.leaves_at);
  std::sort(stops.begin(), stops.end());
  // Limbs that leave within the body's thickness share one joint.
  std::vector<double> merged;
  for (const double stop : stops)
    if (merged.empty() || stop - merged.back() > radius_at(curve.line, stop)) merged.push_back(stop);
  std::vector<double> all;
  double from = 0;
  merged.push_back(whole);
  for (const double stop : merged) {
    const double radius = std::max(radius_at(curve.line, 0.5 * (from + stop)), 1e-9);
    const int pieces =
        std::clamp(static_cast<int>(std::round((stop - from) / (kSpacing * radius))), 1, kMostJoints);
    for (int k = 1; k <= pieces; ++k) all.push_back(from + (stop - from) * k / pieces);
    from = stop;
  }
  return all;
}

// Up to the last place where another limb leaves, a limb is the trunk of both.
double trunk_of(const std::vector<Curve>& curves, std::size_t own) {
  double shared = 0;
  for (const Curve& other : curves)
    if (other.parent == static_cast<int>(own)) shared = std::max(shared, other.leaves_at);
  return shared;
}

// As far from the end as the joints of the limb on the other side, if nothing leaves this one.
std::vector<double> stops_like_partner(const std::vector<Curve>& curves, std::size_t own) {
  const Curve& curve = curves[own];
  std::vector<double> stops;
  if (curve.partner < 0 || trunk_of(curves, own) > 0) return stops;
  const auto p = static_cast<std::size_t>(curve.partner);
  const double shared = trunk_of(curves, p);
  for (const auto& [along, joint] : curves[p].joints) {
    const double stop = curve.line.length() - (curves[p].line.length() - along);
    if (along > shared && stop > 0) stops.push_back(stop);
  }
  return stops;
}

Index joint_before(const Curve& curve, double along, Index root) {
  Index found = root;
  double best = along;  // the root lies at the start of the line
  for (const auto& [place, joint] : curve.joints) {
    if (std::abs(place - along) < best) found = joint, best = std::abs(place - along);
  }
  return found;
}

// Joints that are nearly mirror images of each other, or of themselves, become exact ones.
void mirror_joints(const MirrorPlane& plane, double span, std::vector<FoundJoint>& joints) {
  const auto nearest = [&](std::size_t j) {
    const Vec3d mirrored = plane.mirrored(joints[j].at);
    const auto found =
        std::min_element(joints.begin(), joints.end(), [&](const FoundJoint& a, const FoundJoint& b) {
          return length(a.at - mirrored) < length(b.at - mirrored);
        });
    return static_cast<std::size_t>(found - joints.begin());
  };
  std::vector<std::size_t> image;
  for (std::size_t j = 0; j < joints.size(); ++j) image.push_back(nearest(j));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::size_t m = image[j];
    if (m < j || image[m] != j) continue;
    FoundJoint &one = joints[j], &other = joints[m];
    const double most = m == j ? 2 * one.radius : kPairDistance * span;
    if (length(plane.mirrored(one.at) - other.at) > most) continue;
    const Vec3d middle = (one.at + plane.mirrored(other.at)) * 0.5;
    one.radius = other.radius = 0.5 * (one.radius + other.radius);
    one.at = middle;
    other.at = m == j ? middle : plane.mirrored(middle);
  }
}

}  // namespace

std::vector<FoundJoint> extract_joints(const BodySolid& body, std::span<const BodyMirror> mirrors) {
  std::vector<Curve> curves = trace_curves(body);
  name_curves(body, mirrors, curves);
  std::vector<FoundJoint> joints;
  joints.push_back(
      {"root", kNone, body.solid.centre(body.middle), double{body.field.depth[body.middle]}, false});
  int trunk = 0;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    Curve& curve = curves[c];
    const std::size_t letters = curve.name.find_last_not_of("_LR") + 1;
    const std::string base = curve.name.substr(0, letters), side = curve.name.substr(letters);
    Index parent = 0;
    if (curve.parent >= 0)
      parent = joint_before(curves[static_cast<std::size_t>(curve.parent)], curve.leaves_at, 0);
    const double shared = trunk_of(curves, c);
    int number = 0;
    const std::vector<double> mirrored = stops_like_partner(curves, c);
    const std::vector<double> stops = mirrored.empty() ? stops_of(curves, c) : mirrored;
    for (std::size_t k = 0; k < stops.size(); ++k) {
      const bool is_end = k + 1 == stops.size();
      if (!is_end && mirrored.empty() && stops[k] < radius_at(curve.line, 0))
        continue;  // inside the joint it starts from
      const bool is_trunk = !is_end && stops[k] <= shared;
      const std::string name = is_end     ? fmt::format("{}_end{}", base, side)
                               : is_trunk ? fmt::format("body_{}", ++trunk)
                                          : fmt::format("{}_{}{}", base, ++number, side);
      const auto own = static_cast<Index>(joints.size());
      joints.push_back(
          {name, parent, point_at(curve.line, stops[k]), radius_at(curve.line, stops[k]), is_end});
      curve.joints.emplace_back(stops[k], own);
      parent = own;
    }
  }
  if (!mirrors.empty() && mirrors.front().share >= kForceMirror)
    mirror_joints(mirrors.front().plane, body.span, joints);
  return joints;
}

}  // namespace dermis
