// SPDX-License-Identifier: MIT
// Planes of symmetry and frames of a body.
#include "rig/frames.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dermis {
namespace {

// Symmetric bodies have this share of their cells in their own mirror image; posed ones have less, and boxes
// and eggs have it along every axis.
constexpr double kIsMirror = 0.86;
constexpr std::size_t kProbes = 6000;
// Planes off the axes are searched if none along them is as good as this, and used if they are better by this
// much: posed bodies are a little more symmetric about many planes.
constexpr double kClearMirror = 0.95, kBetterMirror = 0.04;
constexpr int kMirrorAzimuths = 36;
// Most files have y up, many z; other orientations must fit better by this much.
constexpr double kDoubtZ = 0.06, kDoubtOther = 0.25;
// An up along a main axis of the body, in its plane of symmetry.
constexpr double kDoubtMain = 0.12;
// How far a plane of symmetry is turned from a main axis at first, in radians, and how often that is halved.
constexpr double kMirrorTurn = 0.08;
constexpr int kMirrorHalvings = 4;
// Bodies with a left and a right are usually symmetric.
constexpr double kDoubtLopsided = 0.1;
// Templates without up and front fit too easily.
constexpr double kDoubtFree = 0.42;
constexpr int kAzimuths = 16;
// A body rests on a plane if this many of its limbs end on it, to this share of its span, with nothing below:
// any three ends define one. Ends beyond this number are hair.
constexpr int kRestingEnds = 4;
constexpr double kRestingShare = 0.03;
constexpr std::size_t kMostRestingEnds = 12;
// Cosine of the angle between two ups below which they are one.
constexpr double kSameUp = 0.985;
// Cosine of the largest angle between a front and the one the user gave.
constexpr double kSameFront = 0.7;

// The x axis made perpendicular to up; for bodies that stand on y.
Vec3d any_across(const Vec3d& v) {
  const Vec3d other = std::abs(v.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{0, 0, -1};
  return normalized(cross(other, v));
}

double shared_cells(const VoxelSolid& solid, const MirrorPlane& plane) {
  const std::size_t stride = std::max<std::size_t>(1, solid.cell_count() / kProbes);
  std::size_t inside = 0, count = 0;
  for (std::size_t c = 0; c < solid.cell_count(); c += stride, ++count)
    inside += solid.find(plane.mirrored(solid.centre(c))) != VoxelSolid::kNoCell ? 1 : 0;
  return static_cast<double>(inside) / static_cast<double>(count);
}

BodyMirror best_mirror(const BodySolid& body, const Vec3d& normal, double middle) {
  BodyMirror best{{normal, middle}, 0};
  for (int step = -8; step <= 8; ++step) {
    const MirrorPlane plane{normal, middle + 0.5 * step * body.solid.cell};
    const double share = shared_cells(body.solid, plane);
    if (share > best.share) best = {plane, share};
  }
  return best;
}

// The best plane that contains an upright axis: azimuths five degrees apart through the middle, then smaller
// and smaller turns.
BodyMirror best_upright_mirror(const BodySolid& body, const Vec3d& up, const Vec3d& centre) {
  const Vec3d a = any_across(up), b = cross(up, a);
  const auto normal_at = [&](double angle) { return a * std::cos(angle) + b * std::sin(angle); };
  const auto share_at = [&](double angle) {
    const Vec3d normal = normal_at(angle);
    return shared_cells(body.solid, {normal, dot(normal, centre)});
  };
  double step = std::numbers::pi / kMirrorAzimuths, angle = 0, most = 0;
  for (int k = 0; k < kMirrorAzimuths; ++k)
    if (const double share = share_at(k * step); share > most) most = share, angle = k * step;
  for (int round = 0; round < 4; ++round) {
    step *= 0.5;
    for (const double offered : {angle - step, angle + step})
      if (const double share = share_at(offered); share > most) most = share, angle = offered;
  }
  return best_mirror(body, normal_at(angle), dot(normal_at(angle), centre));
}

// The axes of the second moments of the body, the longest first. A plane of symmetry lies across one of them.
Mat3d moment_axes(const BodySolid& body, const Vec3d& centre) {
  Mat3d moment(Vec3d{}, Vec3d{}, Vec3d{});
  for (std::size_t c = 0; c < body.solid.cell_count(); ++c) {
    const Vec3d arm = body.solid.centre(c) - centre;
    for (int column = 0; column < 3; ++column) moment[column] += arm * arm[column];
  }
  return svd(moment).u;
}

// The best plane whose normal is near `normal`.
BodyMirror best_mirror_near(const BodySolid& body, Vec3d normal, const Vec3d& centre) {
  const auto share_at = [&](const Vec3d& n) { return shared_cells(body.solid, {n, dot(n, centre)}); };
  double most = share_at(normal), turn = kMirrorTurn;
  for (int round = 0; round < kMirrorHalvings; ++round, turn *= 0.5) {
    const Vec3d a = any_across(normal), b = cross(normal, a);
    for (const Vec3d& aside : {a, -a, b, -b}) {
      const Vec3d turned = normalized(normal + aside * turn);
      if (const double share = share_at(turned); share > most) most = share, normal = turned;
    }
  }
  return best_mirror(body, normal, dot(normal, centre));
}

Vec3d middle_of(const BodySolid& body) {
  Vec3d centre;
  for (std::size_t c = 0; c < body.solid.cell_count(); ++c) centre += body.solid.centre(c);
  return centre * (1.0 / static_cast<double>(body.solid.cell_count()));
}

std::vector<Vec3d> main_axes() {
  return {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {-1, 0, 0}};
}

// How many of the ends lie in the plane across `up` through `on`; none if the body reaches below it.
int ends_rested_on(const BodySolid& body, std::span<const Vec3d> ends, const Vec3d& up, const Vec3d& on) {
  const double height = dot(up, on), slack = kRestingShare * body.span;
  int count = 0;
  for (const Vec3d& end : ends) {
    if (dot(up, end) < height - slack) return 0;
    count += dot(up, end) < height + slack ? 1 : 0;
  }
  const std::size_t stride = std::max<std::size_t>(1, body.solid.cell_count() / kProbes);
  for (std::size_t c = 0; c < body.solid.cell_count(); c += stride)
    if (dot(up, body.solid.centre(c)) < height - slack) return 0;
  return count;
}

// The ups of planes that the body rests on, away from the axes: for a body that was turned.
std::vector<Vec3d> resting_ups(const BodySolid& body) {
  std::vector<Vec3d> ends;
  for (std::size_t e = 0; e < std::min(body.ends.size(), kMostRestingEnds); ++e)
    ends.push_back(body.solid.centre(body.ends[e].cell));
  std::vector<Vec3d> known = main_axes(), ups;
  const auto offer = [&](const Vec3d& up, const Vec3d& on) {
    if (std::any_of(known.begin(), known.end(), [&](const Vec3d& v) { return dot(v, up) > kSameUp; })) return;
    if (ends_rested_on(body, ends, up, on) < kRestingEnds) return;
    known.push_back(up);
    ups.push_back(up);
  };
  for (std::size_t a = 0; a < ends.size(); ++a) {
    for (std::size_t b = a + 1; b < ends.size(); ++b) {
      for (std::size_t c = b + 1; c < ends.size(); ++c) {
        const Vec3d across = cross(ends[b] - ends[a], ends[c] - ends[a]);
        if (!(length(across) > kRestingShare * kRestingShare * body.span * body.span)) continue;
        offer(normalized(across), ends[a]);
        offer(-normalized(across), ends[a]);
      }
    }
  }
  return ups;
}

bool is_across_axis(const Vec3d& normal) {
  return std::max({std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)}) > kSameUp;
}

Mat3d axes_of(const Vec3d& left, const Vec3d& up) { return Mat3d(left, up, cross(left, up)); }

double doubt_of(const Vec3d& up) {
  if (up.y > 0.9) return 0;
  return up.z > 0.9 ? kDoubtZ : kDoubtOther;
}

struct Up {
  Vec3d direction;
  double doubt = 0;
};
// The user's choice; else the axes, and the planes that the body rests on if it is not clearly symmetric
// along an axis. Feet on the ground leave no doubt about up.
std::vector<Up> likely_ups(const BodySolid& body, std::span<const BodyMirror> mirrors,
                           const FrameChoice& choice) {
  if (choice.up) return {{normalized(*choice.up)}};
  std::vector<Up> ups;
  for (const Vec3d& up : main_axes()) ups.push_back({up, doubt_of(up)});
  const bool is_clear = std::any_of(mirrors.begin(), mirrors.end(), [](const BodyMirror& mirror) {
    return mirror.share >= kClearMirror && is_across_axis(mirror.plane.normal);
  });
  if (is_clear) return ups;
  for (const Vec3d& up : resting_ups(body)) ups.push_back({up, 0});
  // A body that is turned stands along a main axis, if its plane of symmetry says that it is turned.
  const bool is_turned = !mirrors.empty() && !is_across_axis(mirrors.front().plane.normal);
  if (!is_turned) return ups;
  const Mat3d axes = moment_axes(body, middle_of(body));
  for (int k = 0; k < 3; ++k) {
    if (std::abs(dot(axes[k], mirrors.front().plane.normal)) > 0.5) continue;
    for (const double sign : {1.0, -1.0}) ups.push_back({axes[k] * sign, kDoubtMain});
  }
  return ups;
}

void add_turns(const Vec3d& up, double up_doubt, double own_doubt, int root_end,
               std::vector<BodyFrame>& frames) {
  const Vec3d left = any_across(up), front = cross(left, up);
  for (int k = 0; k < kAzimuths; ++k) {
    const double angle = 2 * std::numbers::pi * k / kAzimuths;
    BodyFrame frame;
    frame.axes = axes_of(left * std::cos(angle) + front * std::sin(angle), up);
    frame.up_doubt = up_doubt;
    frame.doubt = up_doubt + own_doubt;
    frame.root_end = root_end;
    frames.push_back(frame);
    frame.is_mirrored = true;
    if (root_end >= 0) frames.push_back(frame);
  }
}

// From each limb end towards all others: it is not known at which one the arm was cut.
std::vector<BodyFrame> free_frames(const BodySolid& body) {
  std::vector<BodyFrame> frames;
  Vec3d middle;
  const std::size_t count = std::min<std::size_t>(body.ends.size(), 10);
  for (std::size_t e = 0; e < count; ++e)
    middle += body.solid.centre(body.ends[e].cell) * (1.0 / double(count));
  for (std::size_t e = 0; e < count; ++e) {
    const Vec3d along = middle - body.solid.centre(body.ends[e].cell);
    if (length(along) > 0) add_turns(normalized(along), 0, kDoubtFree, static_cast<int>(e), frames);
  }
  return frames;
}

}  // namespace

std::vector<BodyMirror> find_mirrors(const BodySolid& body) {
  const Vec3d centre = middle_of(body);
  std::vector<BodyMirror> mirrors;
  for (const Vec3d& normal : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
    const BodyMirror mirror = best_mirror(body, normal, dot(normal, centre));
    if (mirror.share >= kIsMirror) mirrors.push_back(mirror);
  }
  double best = 0;
  for (const BodyMirror& mirror : mirrors) best = std::max(best, mirror.share);
  if (best < kClearMirror) {
    std::vector<Vec3d> ups{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    for (const Vec3d& up : resting_ups(body)) ups.push_back(up);
    for (const Vec3d& up : ups) {
      const BodyMirror mirror = best_upright_mirror(body, up, centre);
      if (mirror.share >= std::max(kIsMirror, best + kBetterMirror)) mirrors.push_back(mirror);
    }
    for (const BodyMirror& mirror : mirrors) best = std::max(best, mirror.share);
    const Mat3d axes = moment_axes(body, centre);
    for (int k = 0; k < 3 && best < kClearMirror; ++k) {
      const BodyMirror mirror = best_mirror_near(body, axes[k], centre);
      if (mirror.share >= std::max(kIsMirror, best + kBetterMirror)) mirrors.push_back(mirror);
    }
  }
  std::sort(mirrors.begin(), mirrors.end(),
            [](const BodyMirror& a, const BodyMirror& b) { return a.share > b.share; });
  return mirrors;
}

std::vector<BodyFrame> guess_frames(const BodySolid& body, std::span<const BodyMirror> mirrors, bool is_free,
                                    const FrameChoice& choice) {
  if (is_free) return free_frames(body);
  const std::vector<Up> ups = likely_ups(body, mirrors, choice);
  std::vector<BodyFrame> frames;
  const auto drop_other_fronts = [&] {
    if (!choice.front) return;
    const Vec3d front = normalized(*choice.front);
    std::erase_if(frames, [&](const BodyFrame& frame) { return dot(frame.axes.z, front) < kSameFront; });
  };
  for (std::size_t p = 0; p < mirrors.size(); ++p) {
    const Vec3d normal = mirrors[p].plane.normal;
    for (const auto& [up, doubt] : ups) {
      if (std::abs(dot(up, normal)) > 0.5) continue;
      for (const double sign : {1.0, -1.0}) {
        BodyFrame frame;
        frame.axes = axes_of(normal * sign, normalized(up - normal * dot(up, normal)));
        frame.plane = static_cast<int>(p);
        frame.up_doubt = frame.doubt = doubt;
        frames.push_back(frame);
      }
    }
  }
  drop_other_fronts();
  if (frames.empty())
    for (const auto& [up, doubt] : ups) add_turns(up, doubt, kDoubtLopsided, -1, frames);
  drop_other_fronts();
  return frames;
}

}  // namespace dermis
